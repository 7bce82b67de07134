"""Dice that can be checked: fingerprints, revealed seeds, and what a roll was drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from bot.presenters.cards import card
from bot.presenters.controls import Attachment, Button
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from bot.presenters.words import phrase
from bot.services.shuffles import ShownShuffle
from bot.services.verify import OUTCOMES, Verified
from rules.registry import look
from rules.table.cards import decks_of

STREAMS: Final[dict[str, str]] = {"public": "open rolls", "secret": "secret rolls"}
#: How many shuffles are named, the newest.
_NAMED: Final = 15


class Seed(Protocol):
    """A seed as it is kept; `ended_seq` is None while it is in use."""

    @property
    def stream(self) -> Literal["public", "secret", "shuffle"]: ...

    @property
    def seed(self) -> bytes: ...

    @property
    def commitment(self) -> str: ...

    @property
    def started_seq(self) -> int: ...

    @property
    def ended_seq(self) -> int | None: ...


def seeds_card(seeds: Sequence[Seed], shuffles: Sequence[ShownShuffle]) -> Layout:
    """Every seed of a table: fingerprints of those in use, the others whole; and which shuffles are open."""
    lines = [
        phrase(
            "seed",
            stream=each.stream,
            first=each.started_seq + 1,
            last=each.ended_seq,
            seed=each.seed.hex(),
            commitment=each.commitment,
        )
        for each in reversed(seeds)
        if each.stream in STREAMS
    ]
    for there in (True, False):
        numbers = tuple([f"#{each.seq}" for each in shuffles if (each.seed is not None) == there])
        if numbers:
            shown, more = numbers[-_NAMED:], len(numbers) > _NAMED
            lines.append(phrase("shuffles", there=there, numbers=shown, more=more))
    return card("own", "seeds", None, *lines)


def entry_card(seq: int, request: str, draws: int, seed: Seed, *, gm: bool) -> Layout:
    """What the draws of one entry can be computed from.

    How many they were tells of dice that were thrown again, so of secret dice only a `gm` learns it beforehand.
    """
    revealed = seed.ended_seq is not None
    return card(
        "own",
        "drawn-from",
        None,
        seq=seq,
        request=request,
        draws=draws if gm or revealed or seed.stream == "public" else None,
        stream=seed.stream,
        commitment=seed.commitment,
        seed=seed.seed.hex() if revealed else "",
    )


def verified_card(found: Sequence[Verified]) -> Layout:
    """What came of recomputing dice; the worst comes first."""
    worst = min((each.outcome for each in found), key=OUTCOMES.index)
    lines = [
        phrase("verified-roll", seq=each.seq, outcome=each.outcome, stream=each.stream, reason=each.reason)
        for each in found
    ]
    prints = dict.fromkeys(each.commitment for each in found)
    return card("own", "verified", None, *lines, outcome=worst, prints=tuple(prints))


def shuffle_card(shuffle: ShownShuffle, scene: Scene) -> Layout:
    """What a shuffle can be computed from: its seed only when nothing hidden follows from it any more."""
    deck = decks_of(look(scene.state)).get(shuffle.deck)
    seed = shuffle.seed
    file = None if seed is None or not shuffle.after else Attachment(shuffle.name, shuffle.as_file())
    return card(
        "own",
        "shuffled-by",
        None,
        attachment=file,
        seq=shuffle.seq,
        name=deck.name if deck else shuffle.deck,
        time=_ordinal(shuffle.number),
        request=shuffle.request,
        commitment=shuffle.commitment,
        undone=shuffle.undone,
        seed="" if seed is None else seed.hex(),
        file=file is not None,
    )


def _ordinal(number: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"


def release_card(table_id: int) -> Layout:
    """The question before the seed of secret rolls is revealed."""
    return card(
        "waiting", "release", None, rows=((Button(f"sg:release:{table_id}", "Reveal it", "danger"),),)
    )
