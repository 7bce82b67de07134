"""Dice that can be checked: fingerprints, revealed seeds, and what a roll was drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.control_limits import menu
from bot.presenters.controls import Attachment, Button, Control
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Layout
from bot.presenters.log import entry_texts
from bot.presenters.scene import Scene
from bot.services.dice_verification import VERIFICATION_OUTCOMES, RollVerification
from bot.services.gm_journal import JournalEntry
from bot.services.seeds import Seed
from bot.services.shuffles import PublicShuffle
from rules.registry import read_only_game
from rules.table.cards import decks_of
from rules.table.events import StepView

STREAMS: Final[dict[str, str]] = {
    "public": label_text("seed-open-rolls"),
    "secret": label_text("seed-secret-rolls"),
}
#: How many shuffles are named, the newest.
_NAMED: Final = 15


def seeds_card(
    scene: Scene,
    seeds: Sequence[Seed],
    shuffles: Sequence[PublicShuffle],
    rolls: Sequence[tuple[JournalEntry, StepView | None]],
    *,
    gm: bool,
) -> Layout:
    """Every seed of a table: fingerprints of those in use, the others whole; and which shuffles are
    open.

    `sg:origin:<table>` is a menu of the last rolls; a GM reveals seeds with
    `sg:release:<table>:<stream>`.
    """
    lines = [
        phrase("seed", about=each, first=each.started_seq + 1, seed=_revealed_seed(each))
        for each in reversed(seeds)
        if each.stream in STREAMS
    ]
    for there in (True, False):
        numbers = tuple([f"#{each.seq}" for each in shuffles if (each.seed is not None) == there])
        if numbers:
            shown, more = numbers[-_NAMED:], len(numbers) > _NAMED
            lines.append(phrase("shuffles", there=there, numbers=shown, more=more))
    rows: list[tuple[Control, ...]] = []
    if rolls:
        entries = zip(
            [str(entry.seq) for entry, _ in rolls], entry_texts(rolls, scene.names), strict=True
        )
        rows.append((menu(f"sg:origin:{scene.table_id}", label_text("seed-menu"), entries),))
    if gm:
        named = (
            ("public", label_text("seed-reveal-open")),
            ("secret", label_text("seed-reveal-secret")),
        )
        rows.append(
            tuple([Button(f"sg:release:{scene.table_id}:{key}:ask", label) for key, label in named])
        )
    return card("own", "seeds", None, *lines, rows=tuple(rows), rolls=bool(rolls))


def release_card(table_id: int, stream: str) -> Layout:
    """Asks before a seed is revealed."""
    rows = ((Button(f"sg:release:{table_id}:{stream}:go", label_text("seed-reveal"), "danger"),),)
    return card("waiting", "release", None, rows=rows, secret=stream == "secret")


def entry_card(seq: int, request: str, draws: int, seed: Seed, *, gm: bool) -> Layout:
    """What the draws of one entry can be computed from.

    How many they were tells of dice that were thrown again, so of secret dice only a `gm` learns it
    beforehand.
    """
    opened = _revealed_seed(seed)
    known = draws if gm or opened or seed.stream == "public" else None
    return card(
        "own", "drawn-from", None, about=seed, seq=seq, request=request, draws=known, seed=opened
    )


def _revealed_seed(seed: Seed) -> str:
    """The seed in hex once it is revealed."""
    return "" if seed.revealed_at is None else seed.seed.hex()


def verified_card(found: Sequence[RollVerification]) -> Layout:
    """What came of recomputing dice; the worst comes first."""
    worst = min((each.outcome for each in found), key=VERIFICATION_OUTCOMES.index)
    lines = [phrase("verified-roll", about=each) for each in found]
    prints = dict.fromkeys(each.commitment for each in found)
    return card("own", "verified", None, *lines, outcome=worst, prints=tuple(prints))


def shuffle_card(shuffle: PublicShuffle, scene: Scene) -> Layout:
    """What a shuffle can be computed from: its seed only when nothing hidden follows from it any
    more.
    """
    deck = decks_of(read_only_game(scene.state)).get(shuffle.deck)
    seed = shuffle.seed
    file = (
        None
        if seed is None or not shuffle.after
        else Attachment(shuffle.file_name, shuffle.as_file())
    )
    return card(
        "own",
        "shuffled-by",
        None,
        about=shuffle,
        attachment=file,
        name=deck.name if deck else shuffle.deck,
        time=_ordinal(shuffle.number),
        seed="" if seed is None else seed.hex(),
        file=file is not None,
    )


def _ordinal(number: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"
