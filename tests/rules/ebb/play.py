"""A table of EBB for tests of its checks: Ann's Anna, Ben's Boris, and NPCs of whom players know
more or less.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.systems.ebb.sheet import EbbSheet, Injury, read_sheet
from rules.table.blocks import Text
from rules.table.check import PASS
from rules.table.state import Character, Settings, TableState
from tests.rules import toy_table
from tests.sample_table import ANN, BEN, GM, ebb_character, patient

CLIMB: Final[dict[str, Any]] = {
    "skill": "Climbing",
    "attribute": "Fitness",
    "approach": "up the rope",
}
SHOOT: Final[dict[str, Any]] = {
    "skill": "Rifles",
    "attribute": "Alertness",
    "approach": "from behind the bus",
    "weapon": "rifle",
}
DUCK: Final[dict[str, Any]] = {
    "skill": "Running",
    "attribute": "Fitness",
    "approach": "flat behind the curb",
}


def table(**settings: Any) -> TableState:
    """Anna and Boris are players' characters; Sidor has a sheet, nobody knows Lebed by name, a dog
    has nothing.
    """
    sheet = read_sheet(ebb_character("Anna"))[1]
    hurt = sheet.replace(injuries=(Injury("a broken arm", "arm"), Injury("a cut")))
    people = (
        Character("k1", "Anna", "p2", hurt),
        Character("k2", "Boris", "p3", sheet),
        Character("k3", "Sidor", None, hurt),
        Character("k4", "Lebed", None, EbbSheet(), stage="aliased", alias="the hooded man"),
        Character("k5", "Dog", None, EbbSheet()),
        Character("k6", "Spy", None, sheet, stage="off"),
    )
    return TableState(
        Settings("Marshes", "ebb", ("p1",), **patient(settings)),
        characters={each.id: each for each in people},
    )


class Play(toy_table.Play):
    """That table, and what happens at it."""

    def __init__(self, state: TableState | None = None, **settings: Any) -> None:
        super().__init__(state or table(**settings))


def codes(texts: Iterable[Text]) -> list[str]:
    """The codes of what is said, each with what it says of several things."""
    return [
        " ".join(
            (each.code, *(str(each.params[key]) for key in ("how", "what") if key in each.params))
        )
        for each in texts
    ]


def ready(**values: Any) -> Play:
    """Anna's check, answered."""
    return (
        Play()
        .begin(ANN, "check", **CLIMB)
        .choose(GM, "rule", "roll", **{"difficulty": "Tricky", **values})
    )


def duel(*faces: int, **settings: Any) -> Play:
    """Anna's attack on Boris, answered; Boris meets it, and the dice show these faces."""
    play = Play(**settings).begin(ANN, "attack", target="Boris", **SHOOT).choose(GM, "rule", "roll")
    return play.choose(BEN, "face", "face", *faces, **DUCK)


def held_duel() -> Play:
    """The same before the dice: Anna's player wants a say first, and still has to roll."""
    play = Play().begin(ANN, "attack", target="Boris", **SHOOT).choose(GM, "rule", "roll")
    return hold(play).choose(BEN, "face", "face", **DUCK)


def hold(play: Play, who: str = "k1") -> Play:
    """The player of a character wants a say before the result of the newest check stands."""
    play.state = play.state.with_check(play.check.replace(held_for=(who,)))
    return play


def hit(**settings: Any) -> Play:
    """Anna has hit Boris."""
    return duel(9, 6, 2, 3, **settings).choose(BEN, "react", PASS)
