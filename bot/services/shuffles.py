"""The shuffles of decks: what is published of each, and what opens it once nothing hides in it."""

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
from rules.table.cards import cards_before_shuffle, decks_of, piles_of
from rules.table.events import CardsMoved

#: How far back shuffles are looked for, in entries.
SHUFFLE_REACH: Final = 500


class PublicShuffle(Record):
    """An order as anybody may know it; `number` counts those of its deck.

    `seed` is None while something hidden may follow from it; `before` and `after` are the cards as
    they lay, top first, where that is known still.
    """

    seq: int
    deck: str
    number: int
    request: str
    commitment: str
    undone: bool = False
    seed: bytes | None = None
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def file_name(self) -> str:
        """What a file with it is called."""
        return f"shuffle-{self.seq}.json"

    def as_file(self) -> bytes:
        """All that is needed to compute the order again."""
        assert self.seed is not None
        found = {
            "deck": self.deck,
            "request": self.request,
            "fingerprint": self.commitment,
            "seed": self.seed.hex(),
            "before": self.before,
            "after": self.after,
        }
        return (json.dumps(found, ensure_ascii=False, indent=1) + "\n").encode()


async def _published_shuffle(row: EntryRow, reader: Reader) -> CardsMoved | None:
    """Return the shuffle of an entry, if the reader may see it and its seed is committed."""
    for event in await reader.shown_events(row, codec.read_events(row.events)):
        if isinstance(event, CardsMoved) and event.commitment:
            return event
    return None


def _without_cards(table: Table, row: EntryRow, event: CardsMoved) -> PublicShuffle:
    """An order without its cards, with the seed if that is open."""
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
    found: list[PublicShuffle] = []
    for row, _ in await recent_entries(tables, table.id, SHUFFLE_REACH):
        # Decoding every entry's events would take long.
        moved = row.undone_by is None and CardsMoved.__name__ in row.events
        event = await _published_shuffle(row, reader) if moved else None
        if event is not None:
            found.append(_without_cards(table, row, event))
    return tuple(found)


async def shuffle_at(tables: Tables, reader: Reader, seq: int) -> PublicShuffle | None:
    """Return the shuffle of an entry; its cards are included once the shuffle is open.

    None if the entry shuffled nothing, or if the reader may not see it.
    """
    table = reader.table
    row = await tables.store.entry_at(table.id, seq)
    event = None if row is None else await _published_shuffle(row, reader)
    if row is None or event is None:
        return None
    found = _without_cards(table, row, event)
    deck = decks_of(read_only_game(table.state)).get(event.deck)
    if found.seed is None or deck is None or seq <= table.redacted or row.action == REDACTED_ACTION:
        return found
    before = event.cards or await _cards_before(tables, table, row, deck)
    after = shuffle_cards(before, KeyedRng(found.seed, found.request))
    return found.replace(before=before, after=after)


async def _cards_before(tables: Tables, table: Table, row: EntryRow, deck: Deck) -> tuple[str, ...]:
    """The cards as they lay when the shuffle of this entry began."""
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
