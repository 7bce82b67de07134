"""Shuffles of decks: the commitment to each, and its opening once nothing hides in it."""

from __future__ import annotations

import json
from typing import Final

from bot.services.dice_keys import entry_dice_key
from bot.services.history import recent_entries
from bot.services.loaded_table import Table
from bot.services.readers import Reader
from bot.services.seeds import shuffle_master_seed
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.redaction import REDACTED_ACTION
from bot.storage.row_records import EntryRow
from rules.core.cards import Deck, Piles, shuffle_cards
from rules.core.record import Record
from rules.core.rng import KeyedRng, shuffle_seed
from rules.registry import read_only_game
from rules.table.actions import ShuffleDeck
from rules.table.chance.cards import cards_before_shuffle, decks_of, piles_of
from rules.table.events import CardsMoved

#: Most entries that are searched for shuffles.
SHUFFLE_REACH: Final = 500


class PublicShuffle(Record):
    """Shuffle of a deck, as every player may know it."""

    seq: int
    deck: str
    #: Count of the deck's shuffles.
    number: int
    request: str
    commitment: str
    undone: bool = False
    #: None while the seed would reveal hidden cards.
    seed: bytes | None = None
    #: The cards before and after the shuffle, top first; empty if unknown.
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def file_name(self) -> str:
        """Name of the file with the shuffle."""
        return f"shuffle-{self.seq}.json"

    def as_file(self) -> bytes:
        """Return the file with which the order can be computed again.

        The shuffle's seed must be open.
        """
        assert self.seed is not None
        data = {
            "deck": self.deck,
            "request": self.request,
            "fingerprint": self.commitment,
            "seed": self.seed.hex(),
            "before": self.before,
            "after": self.after,
        }
        return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()


async def _published_shuffle(row: EntryRow, reader: Reader) -> CardsMoved | None:
    """Return the shuffle of an entry, if the reader may see it and its seed is committed."""
    for event in await reader.shown_events(row, codec.read_events(row.events)):
        if isinstance(event, CardsMoved) and event.commitment:
            return event
    return None


def _without_cards(table: Table, row: EntryRow, event: CardsMoved) -> PublicShuffle:
    """Return a shuffle without its cards, with the seed if the shuffle is open."""
    undone = row.undone_by is not None
    seed, key = None, entry_dice_key(row)
    if key and not undone and event.order <= piles_of(table.state, event.deck).opened:
        seed = shuffle_seed(shuffle_master_seed(table.seeds, row.seq), key)
    return PublicShuffle(row.seq, event.deck, event.order, key, event.commitment, undone, seed)


async def recent_shuffles(tables: Tables, reader: Reader) -> tuple[PublicShuffle, ...]:
    """Return the shuffles in the last entries that the reader may see, oldest first.

    Undone entries are left out.
    """
    table = reader.table
    shuffles: list[PublicShuffle] = []
    for row, _ in await recent_entries(tables, table.id, SHUFFLE_REACH):
        # Decoding every entry's events would take long.
        moved = row.undone_by is None and CardsMoved.__name__ in row.events
        event = await _published_shuffle(row, reader) if moved else None
        if event is not None:
            shuffles.append(_without_cards(table, row, event))
    return tuple(shuffles)


async def shuffle_at(tables: Tables, reader: Reader, seq: int) -> PublicShuffle | None:
    """Return the shuffle of an entry; its cards are included once the shuffle is open.

    None if the entry shuffled nothing, or if the reader may not see it.
    """
    table = reader.table
    row = await tables.store.entry_at(table.id, seq)
    event = None if row is None else await _published_shuffle(row, reader)
    if row is None or event is None:
        return None
    shuffle = _without_cards(table, row, event)
    deck = decks_of(read_only_game(table.state)).get(event.deck)
    if (
        shuffle.seed is None
        or deck is None
        or seq <= table.redacted
        or row.action == REDACTED_ACTION
    ):
        return shuffle
    before = event.cards or await _cards_before(tables, table, row, deck)
    after = shuffle_cards(before, KeyedRng(shuffle.seed, shuffle.request))
    return shuffle.replace(before=before, after=after)


async def _cards_before(tables: Tables, table: Table, row: EntryRow, deck: Deck) -> tuple[str, ...]:
    """Return the cards as they lay when the shuffle of this entry began."""
    key = f"deck:{deck.id}"
    stored = (await tables.store.parts_before([row.id])).get(row.id, {}).get(key)
    piles = (
        None
        if stored is None
        else codec.read_part(table.state.settings.system, table.id, key, *stored)
    )
    action = codec.read_action(row.kind, row.action)
    what = action.what if isinstance(action, ShuffleDeck) else "draw"
    return cards_before_shuffle(deck, piles if isinstance(piles, Piles) else Piles({}), what)
