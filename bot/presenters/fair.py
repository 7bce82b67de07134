"""Dice that can be checked: fingerprints, revealed seeds, and what a roll was drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, Protocol

from bot.presenters.card import Button, Card
from bot.presenters.people import Names
from bot.presenters.text import code_text, plural
from rules.table.events import SeedRotated

STREAMS: Final[dict[str, str]] = {"public": "open rolls", "secret": "secret rolls"}
_HOW: Final = "docs/fair-dice.md in Storyguide's source tells how to compute a roll again."


class Seed(Protocol):
    """A seed as it is kept; `ended_seq` is None while it is in use."""

    @property
    def stream(self) -> Literal["public", "secret"]: ...

    @property
    def seed(self) -> bytes: ...

    @property
    def commitment(self) -> str: ...

    @property
    def started_seq(self) -> int: ...

    @property
    def ended_seq(self) -> int | None: ...


def rotated_card(event: SeedRotated, names: Names) -> Card:
    """The old seed for everybody, and the fingerprint of the new one."""
    lines = [
        f"{names.mention(event.by)} had the seed of the {STREAMS[event.stream]} revealed and a new one taken.",
        f"**Revealed seed:** {code_text(event.revealed)}",
        f"**Fingerprint of the new one** (SHA-256): {code_text(event.next)}",
        f"With the revealed seed every roll drawn from it can be computed again. {_HOW}",
    ]
    return Card("A seed is revealed", "\n".join(lines))


def seeds_card(seeds: Sequence[Seed]) -> Card:
    """Every seed of a table: fingerprints of those in use, the others whole."""
    lines = ["Every die is drawn from a seed that was fixed beforehand; its fingerprint was published then."]
    for seed in reversed(seeds):
        first = seed.started_seq + 1
        what = STREAMS[seed.stream]
        if seed.ended_seq is None:
            lines.append(f"- **{what}, from #{first} on:** in use; fingerprint {code_text(seed.commitment)}")
        else:
            lines.append(
                f"- **{what}, #{first} to #{seed.ended_seq}:** revealed: {code_text(seed.seed.hex())}, "
                f"fingerprint {code_text(seed.commitment)}"
            )
    lines.append(f"`/table fair show` with a number tells what that roll was drawn from. {_HOW}")
    lines.append("This shows that no result was changed afterwards, and no more than that.")
    return Card("Dice that can be checked", "\n".join(lines))


def entry_card(seq: int, request: str, draws: int, seed: Seed, *, gm: bool) -> Card:
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
    return Card(f"What #{seq} was drawn from", "\n".join(lines))


def release_card(table_id: int) -> Card:
    """The question before the seed of secret rolls is revealed."""
    return Card(
        "Reveal the seed of the secret rolls?",
        "Everybody can then compute every secret roll made so far, blind ones included, and the order of "
        "every shuffle, and with it what lies in hands: have the cards back and shuffled anew afterwards. "
        "New secret rolls come from a new seed. This cannot be taken back.",
        tone="warning",
        rows=((Button(f"sg:release:{table_id}", "Reveal it", "danger"),),),
    )
