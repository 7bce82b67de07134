"""What stands on a card of the deck (MB-CARD-02)."""

from __future__ import annotations

from typing import Final, Literal

from rules.core.record import Record, record

#: Effects of an initiative line; empty: none. `skill` names one of `SKILLS`.
Effect = Literal[
    "", "fatigued", "flurry", "inspiration", "setback", "stymied", "up", "breaks", "skill", "confused"
]
Box = Literal["letters", "complication", "possible_setback", "critical_problem"]
LETTERS: Final = ("A", "B", "C", "D")


@record
class Lines(Record):
    """One initiative line: who acts first, what befalls each side, which skill takes cards away."""

    first: Literal["P", "G"] = "P"
    players: Effect = ""
    gms: Effect = ""
    skill: str = ""


@record
class Face(Record):
    """One card: its number is its id, its kind the key of a `CardKind`; what is None the card does not show."""

    id: str
    kind: str
    standard: Lines | None = None
    dramatic: Lines | None = None
    box: Box | None = None
    letters: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    text: str = ""
    in_play: bool = True
