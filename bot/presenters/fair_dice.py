"""Verifiable dice: fingerprints, revealed seeds, and the origin of rolls and shuffles."""

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
from bot.services.told_corrections import CorrectionCount
from rules.registry import read_only_game
from rules.table.chance.cards import decks_of
from rules.table.events import StepView

#: Names of the streams of dice.
STREAMS: Final[dict[str, str]] = {
    "public": label_text("seed-open-rolls"),
    "secret": label_text("seed-secret-rolls"),
}
#: Most shuffles that are named, the newest.
_MAX_SHUFFLES: Final = 15


def seeds_card(
    scene: Scene,
    seeds: Sequence[Seed],
    shuffles: Sequence[PublicShuffle],
    rolls: Sequence[tuple[JournalEntry, StepView | None]],
    corrections: CorrectionCount,
    *,
    gm: bool,
) -> Layout:
    """Return the seeds of a table, fingerprints of those in use, the shuffles and corrections.

    `sg:origin:<table>` is a menu of the last rolls; a GM reveals seeds with
    `sg:release:<table>:<stream>`.
    """
    lines: list[str] = []
    for seed in reversed(seeds):
        if seed.stream in STREAMS:
            first = seed.started_seq + 1
            lines.append(phrase("seed", about=seed, first=first, seed=_revealed_seed(seed)))
    for revealed in (True, False):
        numbers = tuple(
            f"#{shuffle.seq}" for shuffle in shuffles if (shuffle.seed is not None) == revealed
        )
        if numbers:
            newest, more = numbers[-_MAX_SHUFFLES:], len(numbers) > _MAX_SHUFFLES
            lines.append(phrase("shuffles", there=revealed, numbers=newest, more=more))
    if corrections.count:
        lines.append(phrase("corrections-so-far", about=corrections))
    rows: list[tuple[Control, ...]] = []
    if rolls:
        keys = [str(entry.seq) for entry, _ in rolls]
        entries = zip(keys, entry_texts(rolls, scene.names), strict=True)
        rows.append((menu(f"sg:origin:{scene.table_id}", label_text("seed-menu"), entries),))
    if gm:
        base = f"sg:release:{scene.table_id}"
        reveal_public = Button(f"{base}:public:ask", label_text("seed-reveal-open"))
        reveal_secret = Button(f"{base}:secret:ask", label_text("seed-reveal-secret"))
        rows.append((reveal_public, reveal_secret))
    return card("own", "seeds", None, *lines, rows=tuple(rows), rolls=bool(rolls))


def release_card(table_id: int, stream: str) -> Layout:
    """Return the question before a seed is revealed."""
    rows = ((Button(f"sg:release:{table_id}:{stream}:go", label_text("seed-reveal"), "danger"),),)
    return card("waiting", "release", None, rows=rows, secret=stream == "secret")


def entry_card(
    seq: int, request: str, draws: int, seed: Seed, *, gm: bool, corrected: int | None = None
) -> Layout:
    """Return what the draws of one entry can be computed from.

    The number of draws tells of re-rolls. Of secret dice only a `gm` learns it before the seed is
    revealed. A correction draws for its request and the number of a *corrected* entry; only a `gm`
    learns how many draws it took, as some may be for rolls that others don't know of.
    """
    revealed = _revealed_seed(seed)
    is_open = bool(revealed) or seed.stream == "public"
    known = draws if gm or (is_open and corrected is None) else None
    return card(
        "own",
        "drawn-from",
        None,
        about=seed,
        seq=seq,
        request=request if corrected is None else f"{request}/{corrected}",
        corrected=corrected is not None,
        draws=known,
        seed=revealed,
    )


def _revealed_seed(seed: Seed) -> str:
    """Return the seed in hex once it's revealed, until then an empty text."""
    return "" if seed.revealed_at is None else seed.seed.hex()


def verified_card(rolls: Sequence[RollVerification]) -> Layout:
    """Return the outcome of each recomputed roll, and the worst of them in the head."""
    worst = min((roll.outcome for roll in rolls), key=VERIFICATION_OUTCOMES.index)
    lines = [phrase("verified-roll", about=roll) for roll in rolls]
    prints = dict.fromkeys(roll.commitment for roll in rolls)
    return card("own", "verified", None, *lines, outcome=worst, prints=tuple(prints))


def shuffle_card(shuffle: PublicShuffle, scene: Scene) -> Layout:
    """Return what a shuffle can be computed from.

    Its seed is left out as long as it would betray hidden cards.
    """
    deck = decks_of(read_only_game(scene.state)).get(shuffle.deck)
    seed = shuffle.seed
    file = None
    if seed is not None and shuffle.after:
        file = Attachment(shuffle.file_name, shuffle.as_file())
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
    """Return an ordinal number: `1st`, `12th`, `23rd`."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
