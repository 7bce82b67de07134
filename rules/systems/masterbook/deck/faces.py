"""What stands on a card of the deck (MB-CARD-02)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import cycle
from typing import Final, Literal

from rules.core.record import Record, record
from rules.systems.masterbook.deck.kinds import DATA, KINDS

#: Effects of an initiative line; empty: none. `skill` names one of `SKILLS`.
Effect = Literal[
    "", "fatigued", "flurry", "inspiration", "setback", "stymied", "up", "breaks", "skill", "confused"
]
Box = Literal["letters", "complication", "possible_setback", "critical_problem"]
LETTERS: Final = ("A", "B", "C", "D")


#: How the boxes and lines of the default deck go round from card to card (MB-CARD-D03).
_BOXES, _DRAMATIC, _ACTS = 14, 9, 6


@record
class Lines(Record):
    """One initiative line: who acts first, what befalls each side, which skill takes cards away (MB-CARD-02)."""

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


@record
class _Boxed:
    """A box as the default deck's table has it."""

    box: Box = "letters"
    letters: tuple[str, ...] = ()


def _taken(lines: Lines, skills: Iterator[str]) -> Lines:
    """A line of the table; whoever takes a skill takes the next one."""
    return lines.but(skill=next(skills)) if lines.gms == "skill" else lines


@cache
def default_faces() -> Mapping[str, Face]:
    """The project's own deck, made by a fixed rule from what is known of the cards (MB-CARD-D01 to MB-CARD-D03)."""
    names = [key for key, row in KINDS.items() for _ in range(row.copies)]
    order = {kind: at for at, kind in enumerate(("enhancement", "subplot", "picture", "blank"))}
    names.sort(key=lambda key: (order[KINDS[key].type], key))
    standard, dramatic = DATA.of("standard", Lines), DATA.of("dramatic", Lines)
    boxes, acts = DATA.of("boxes", _Boxed), DATA.of("approved", tuple[str, ...])
    skills = DATA.of("skills", str)
    by_pair, by_card = cycle(skills), cycle(skills)
    found: dict[str, Face] = {}
    line = Lines()
    for number, kind in enumerate(names, 1):
        if KINDS[kind].type == "blank":
            found[str(number)] = Face(str(number), kind, in_play=False)
            continue
        pair = (number + 1) // 2
        if number % 2:
            line = _taken(standard[(pair - 1) % len(standard)], by_pair)
        box = boxes[_BOXES * (number - 1) % len(boxes)]
        found[str(number)] = Face(
            str(number),
            kind,
            line,
            _taken(dramatic[_DRAMATIC * (number - 1) % len(dramatic)], by_card),
            box.box,
            box.letters,
            acts[(pair + _ACTS) % len(acts)],
        )
    return found
