"""Dice that can be checked: fingerprints, revealed seeds, and what a roll was drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from bot.presenters.controls import Attachment, Button
from bot.presenters.layout import Layout, laid
from bot.presenters.people import Names
from bot.presenters.scene import Scene
from bot.presenters.text import code_text, plural, user_text
from rules.registry import look
from rules.table.cards import decks_of
from rules.table.events import SeedRotated

STREAMS: Final[dict[str, str]] = {"public": "open rolls", "secret": "secret rolls"}
#: How many shuffles are named, the newest.
_NAMED: Final = 15
_HOW: Final = "docs/fair-dice.md in Storyguide's source tells how to compute a roll again."


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


class Shuffle(Protocol):
    """An order of cards; `seed` is None while something hidden may follow from it."""

    @property
    def seq(self) -> int: ...

    @property
    def deck(self) -> str: ...

    @property
    def number(self) -> int: ...

    @property
    def request(self) -> str: ...

    @property
    def commitment(self) -> str: ...

    @property
    def undone(self) -> bool: ...

    @property
    def seed(self) -> bytes | None: ...

    @property
    def after(self) -> tuple[str, ...]: ...

    @property
    def name(self) -> str: ...

    def as_file(self) -> bytes: ...


def rotated_card(event: SeedRotated, names: Names) -> Layout:
    """The old seed for everybody, and the fingerprint of the new one."""
    lines = [
        f"{names.mention(event.by)} had the seed of the {STREAMS[event.stream]} revealed and a new one taken.",
        f"**Revealed seed:** {code_text(event.revealed)}",
        f"**Fingerprint of the new one** (SHA-256): {code_text(event.next)}",
        f"With the revealed seed every roll drawn from it can be computed again. {_HOW}",
    ]
    return laid("waiting", "A seed is revealed", *lines)


def seeds_card(seeds: Sequence[Seed], shuffles: Sequence[Shuffle]) -> Layout:
    """Every seed of a table: fingerprints of those in use, the others whole; and which shuffles are open."""
    lines = ["Every die is drawn from a seed that was fixed beforehand; its fingerprint was published then."]
    for seed in reversed([each for each in seeds if each.stream in STREAMS]):
        first = seed.started_seq + 1
        what = STREAMS[seed.stream]
        if seed.ended_seq is None:
            lines.append(f"- **{what}, from #{first} on:** in use; fingerprint {code_text(seed.commitment)}")
        else:
            lines.append(
                f"- **{what}, #{first} to #{seed.ended_seq}:** revealed: {code_text(seed.seed.hex())}, "
                f"fingerprint {code_text(seed.commitment)}"
            )
    for what, there in (("open, their seeds are revealed", True), ("closed, cards may hide in them", False)):
        numbers = [f"#{shuffle.seq}" for shuffle in shuffles if (shuffle.seed is not None) == there]
        if numbers:
            more = "…, " if len(numbers) > _NAMED else ""
            lines.append(f"- **shuffles, {what}:** {more}{', '.join(numbers[-_NAMED:])}")
    lines.append(f"`/table fair show` with a number tells what that roll or shuffle was drawn from. {_HOW}")
    lines.append("This shows that no result was changed afterwards, and no more than that.")
    return laid("own", "Dice that can be checked", *lines)


def entry_card(seq: int, request: str, draws: int, seed: Seed, *, gm: bool) -> Layout:
    """What the draws of one entry can be computed from.

    How many they were tells of dice that were thrown again, so of secret dice only a `gm` learns it beforehand.
    """
    revealed = seed.ended_seq is not None
    counted = f", {plural(draws, 'draw')}" if gm or revealed or seed.stream == "public" else ""
    secret = (
        f"**Seed:** {code_text(seed.seed.hex())}"
        if revealed
        else "**Seed:** still in use. A GM reveals it with `/table fair rotate`."
    )
    lines = [
        f"#{seq} was drawn from the seed of the {STREAMS[seed.stream]}{counted}.",
        f"**Request:** {code_text(request)}",
        f"**Fingerprint:** {code_text(seed.commitment)}",
        secret,
        _HOW,
    ]
    return laid("own", f"What #{seq} was drawn from", *lines)


def shuffle_card(shuffle: Shuffle, scene: Scene) -> Layout:
    """What a shuffle can be computed from: its seed only when nothing hidden follows from it any more."""
    deck = decks_of(look(scene.state)).get(shuffle.deck)
    name = user_text(deck.name if deck else shuffle.deck)
    lines = [
        f"#{shuffle.seq} shuffled {name}, for the {_ordinal(shuffle.number)} time.",
        f"**Request:** {code_text(shuffle.request)}",
        f"**Fingerprint:** {code_text(shuffle.commitment)}",
    ]
    if shuffle.undone:
        lines.append("**Seed:** closed for good, because the shuffle was taken back.")
    elif shuffle.seed is None:
        lines.append(
            "**Seed:** closed, because cards that are hidden now may follow from it. It opens when the deck was "
            "shuffled anew and everybody who held cards then has had an empty hand since, or when all cards are "
            "face up."
        )
    else:
        lines.append(f"**Seed:** {code_text(shuffle.seed.hex())}")
    file = None
    if shuffle.seed is not None and shuffle.after:
        file = Attachment(shuffle.name, shuffle.as_file())
        lines.append("The file holds the cards as they lay before and after it.")
    return laid("own", f"What #{shuffle.seq} was shuffled by", *lines, _HOW, attachment=file)


def _ordinal(number: int) -> str:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"


def release_card(table_id: int) -> Layout:
    """The question before the seed of secret rolls is revealed."""
    return laid(
        "waiting",
        "Reveal the seed of the secret rolls?",
        "Everybody can then compute every secret roll made so far, blind ones included. "
        "New secret rolls come from a new seed. This cannot be taken back.",
        rows=((Button(f"sg:release:{table_id}", "Reveal it", "danger"),),),
    )
