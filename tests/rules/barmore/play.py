"""A table of Barmore's dice pool for tests: Ann's Marek, Ben's Ilka, Sidor with scores, a rat without, and a spy."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import Scripted
from rules.registry import look
from rules.systems.barmore.campaign import DEFAULT
from rules.systems.barmore.check import Thrown
from rules.systems.barmore.sheet import BarSheet, read_sheet
from rules.systems.barmore.task import PoolRoll
from rules.table.actions import Action, Actor, Adjust, AdvanceTime, Answer, Propose, Roll
from rules.table.checks.views import check_view
from rules.table.events import ChallengeChanged, CheckView, Event, Line
from rules.table.state import AnyChallenge, Character, Counters, Settings, TableState
from rules.table.system import Game
from tests.builders import ANN, GM, by, resolve
from tests.rules.barmore.twin import Twin

MAREK: dict[str, Any] = {
    "name": "Marek",
    "attributes": {"Body": 1, "Muscle Power": 2, "Speed": 2, "Reaction Time": 1, "Wits": -1, "Mind": 0},
    "abilities": {"Athletics": 2, "Boats": 3, "Brawling": 1, "Rapier": 4},
    "weapons": [
        {"name": "Boathook", "modifier": 1, "kind": "piercing"},
        {"name": "Dread", "mental": True},
    ],
    "armour": [{"name": "Oilskins", "rating": 1, "covers": ["cutting"], "converts": ["cutting"]}],
}
ILKA: dict[str, Any] = {
    "name": "Ilka",
    "attributes": {"Body": 0, "Mind": 2, "Speed": -1, "Stamina": 2, "Immune System": 2, "Toughness": 1},
    "abilities": {"Medicine": 3, "Knives": 2, "Athletics": 1},
    "weapons": [{"name": "Scalpel", "modifier": 2, "kind": "cutting"}],
}
SIDOR: dict[str, Any] = {"name": "Sidor", "attributes": {"Speed": 1}, "abilities": {"Brawling": 3}}


def thrown(roll: PoolRoll) -> Thrown:
    """A roll as a check keeps it."""
    return Thrown(roll.pool, (), roll, roll.total)


def sheet(data: dict[str, Any], **changes: Any) -> BarSheet:
    """A sheet from a JSON object, with changes to its fields."""
    return read_sheet({**data, **changes}, DEFAULT)[1]


def table(**settings: Any) -> TableState:
    """Sidor is known and rolls; a rat, of whom nothing is written down, never does; a spy is off stage."""
    people = (
        Character("k1", "Marek", "p2", sheet(MAREK)),
        Character("k2", "Ilka", "p3", sheet(ILKA)),
        Character("k3", "Sidor", None, sheet(SIDOR)),
        Character("k4", "Rat", None, BarSheet()),
        Character("k5", "Spy", None, sheet(SIDOR), stage="off"),
    )
    return TableState(
        Settings("Marshes", "barmore", ("p1",), **settings),
        Counters(character=5),
        characters={each.id: each for each in people},
        campaign=DEFAULT,
    )


class Play:
    """A table and what happens at it, by the course and by the procedures alike."""

    def __init__(self, state: TableState | None = None, **settings: Any) -> None:
        self.state = state or table(**settings)
        self.events: tuple[Event, ...] = ()
        self.twin = Twin()

    @property
    def game(self) -> Game:
        return look(self.state)

    def do(self, deed: type[Action], who: Actor, /, *faces: int, **fields: Any) -> Play:
        """An action, on the newest challenge where it is about one; every face has to be rolled."""
        if "challenge" in getattr(deed, "__dataclass_fields__", {}):
            fields = {"challenge": self.check.id, "revision": self.check.revision, **fields}
        dice, again, action = Scripted(faces), Scripted(faces), deed(**by(who), **fields)
        try:
            outcome = resolve(self.state, action, dice)
        except RulesError:
            self.twin.refuses(self.state, action, again)
            raise
        self.twin.does(self.state, outcome.state, action, again, outcome.events)
        assert (dice.left, again.left) == (0, 0 if self.twin.knows(action) else len(faces))
        self.state, self.events = outcome.state, outcome.events
        return self

    def refused(self, deed: type[Action], who: Actor, /, *faces: int, **fields: Any) -> RulesError:
        """The refusal; nothing has changed."""
        before = self.state
        with pytest.raises(RulesError) as caught:
            self.do(deed, who, *faces, **fields)
        assert self.state is before
        return caught.value

    def propose(self, who: Actor = ANN, /, **fields: Any) -> Play:
        return self.do(Propose, who, **fields)

    def answer(self, difficulty: str | None = "10", **fields: Any) -> Play:
        return self.do(Answer, GM, **{"kind": "roll", "difficulty": difficulty, **fields})

    def roll(self, *faces: int, who: Actor = ANN) -> Play:
        return self.do(Roll, who, *faces)

    def adjust(self, name: str, what: str, value: str) -> Play:
        return self.do(Adjust, GM, character=name, what=what, value=value)

    def later(self, days: int) -> Play:
        return self.do(AdvanceTime, GM, minutes=days * 24 * 60)

    @property
    def check(self) -> AnyChallenge:
        return self.state.challenges[f"c{self.state.counters.challenge}"]

    def sheet(self, name: str) -> BarSheet:
        return next(each.sheet for each in self.state.characters.values() if each.name == name)

    def view(self, who: Actor | None = None) -> CheckView:
        """The newest check as somebody sees it, None for everybody."""
        system = look(self.state)
        return check_view(self.state, system, self.check, gm=who == GM, who=who.id if who else None)

    def told(self) -> list[Line]:
        """What the last step had to say beside the check itself."""
        return [line for event in self.events if isinstance(event, ChallengeChanged) for line in event.lines]


def codes(lines: tuple[Line, ...] | list[Line]) -> list[str]:
    """The codes of lines."""
    return [line.code for line in lines]
