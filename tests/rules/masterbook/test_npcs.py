"""How good NPCs are stays with the GMs, whatever their dice say: the same total tells everybody
else the same.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from bot.services.outbox_plan import is_visible_to
from bot.storage import codec
from rules.core.rng import KeyedStreams, ScriptedRng
from rules.systems.masterbook.system import SYSTEM
from rules.table.actions import Action, AddNpcs, Begin, ImportCharacter, SetOrder
from rules.table.check import AnyCheck
from rules.table.checks.available_moves import Move
from rules.table.events import Event
from rules.table.state import Settings, TableState
from tests.property.every_option import Fare, Run
from tests.sample_table import ANN, BEN, GM, masterbook_character, patient, resolve

_SKILLS: Final = ("Stealth", "Dodge", "Melee Combat", "Melee Parry", "Charm", "Willpower")
#: Whoever is worse by one has dice that are better by one: +4 and +5, with a Life Point +11 and
#: +12.
_BETTER, _WORSE = (3, (7, 8)), (2, (8, 8))
_SO: Final = {"approach": "so"}


_FACES: Final = {"skill": "Stealth", "stand": "active"}
_FARE: Final = Fare(SYSTEM, {}, (), (), {}, usual={"face.face": _FACES, "faced.face": _FACES})


class _Streams(KeyedStreams):
    """Public dice as ever, for those of NPCs the same two again and again."""

    def __init__(self, step: int, faces: tuple[int, ...]) -> None:
        super().__init__(b"p" * 32, b"s" * 32, f"{step}")
        self._faces = ScriptedRng(faces * 8)

    @property
    def secret(self) -> Any:
        return self._faces


class _Play(Run):
    """A course at a table with a Guard of those adds, and everything that happens in it."""

    def __init__(self, adds: int, faces: tuple[int, ...], reveal: Any) -> None:
        settings = Settings("Dam", SYSTEM.key, (GM.id,), **patient({"reveal": reveal}))
        super().__init__(_FARE, TableState(settings))
        self._faces, self.said = faces, list[tuple[TableState, Event]]()
        guard = masterbook_character("Guard")
        guard["skills"] = [
            {"name": each, "adds": adds} for each in (*_SKILLS, "First Aid", "Running")
        ]
        self.do(
            ImportCharacter(**self.by(ANN), data=masterbook_character(harm="wounds 1"), grown=True)
        )
        self.do(ImportCharacter(**self.by(BEN), data=masterbook_character("Boris"), grown=True))
        self.do(AddNpcs(**self.by(GM), name="Guard", data=guard, stage="revealed"))
        for prompt in ("defend-hand", "resist"):
            self.do(SetOrder(**self.by(GM), character="Guard", prompt=prompt, option="active"))
        self.before = (self.state,)
        self.said.clear()

    def do(self, action: Action) -> None:
        outcome = resolve(self.state, action, _Streams(len(self.before), self._faces))
        self.before, self.state, self.at = (*self.before, self.state), outcome.state, self.at + 1
        self.said += [(outcome.state, each) for each in outcome.events]

    def _goes_on(self) -> tuple[Any, AnyCheck, Move, str, dict[str, Any]] | None:
        """An active defense wherever there is one, and a Life Point of the Guard's."""
        wanted = ("active", "point:check", "point:attack")
        for who, check, move in self.able():
            for option in move.options:
                if option.value in wanted and not (option.value != "active" and who != GM):
                    return who, check, move, option.value, self.filled(who, check, move, option)
        return super()._goes_on()

    def read_by(self, who: Any) -> str:
        return codec.events_text(
            tuple([each for state, each in self.said if is_visible_to(each, state, who)])
        )


_COURSES: Final[dict[str, tuple[Any, dict[str, Any]]]] = {
    "check": (GM, {"kind": "check", "values": {"skill": "Stealth", "difficulty": "8"}}),
    "hidden": (
        GM,
        {"kind": "check", "values": {"skill": "Stealth", "difficulty": "8", "hidden": True}},
    ),
    "contest": (GM, {"kind": "contest", "target": "Anna", "values": {"skill": "Stealth"}}),
    "resists": (
        ANN,
        {"kind": "contest", "target": "Guard", "as_": "Anna", "values": {"skill": "Stealth"}},
    ),
    "attack": (GM, {"kind": "attack", "target": "Anna", "values": {"weapon": "Knife"}}),
    "group": (GM, {"kind": "attack", "target": "Anna", "values": {"weapon": "Knife", "group": 3}}),
    "attacked": (
        ANN,
        {"kind": "attack", "target": "Guard", "as_": "Anna", "values": {"weapon": "Knife"}},
    ),
    "talk": (GM, {"kind": "interact", "target": "Anna", "values": {"skill": "Charm"}}),
    "talked to": (
        ANN,
        {"kind": "interact", "target": "Guard", "as_": "Anna", "values": {"skill": "Charm"}},
    ),
    "treat": (GM, {"kind": "treat", "target": "Anna", "values": {}}),
    "run": (GM, {"kind": "move", "values": {"how": "running", "push": True, "difficulty": "8"}}),
}


@pytest.mark.rule("MB-SKL-02")
@pytest.mark.parametrize(
    ("course", "reveal"),
    # A table that tells everything tells what resists without dice, too.
    [
        (course, reveal)
        for course in _COURSES
        for reveal in ("verdict", "degree", "all")
        if (course, reveal) != ("talked to", "all")
    ],
)
def test_the_same_total_tells_players_the_same(course: str, reveal: str) -> None:
    who, said = _COURSES[course]
    plays = [_Play(*each, reveal) for each in (_BETTER, _WORSE)]
    for play in plays:
        play.do(
            Begin(**play.by(who), **{"as_": "Guard", **said, "values": {**said["values"], **_SO}})
        )
        play.ended()
    for player in (ANN, BEN):
        assert plays[0].read_by(player) == plays[1].read_by(player)
        assert "Guard" in plays[0].read_by(player)
    assert plays[0].read_by(GM) != plays[1].read_by(GM), "who leads reads dice and values"
