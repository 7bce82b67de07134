"""A system for tests: EBB, where several do things together or against each other, on a timeline, with a campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from bot.presenters import words
from bot.presenters.catalogue import template
from bot.presenters.systems import SYSTEM_WORDS
from bot.storage import codec
from rules.core.errors import InvalidInput, NotFound, Problems
from rules.core.record import record
from rules.registry import SYSTEMS
from rules.systems.ebb.check import EbbRequest, EbbRuling
from rules.systems.ebb.course import EbbCourse
from rules.systems.ebb.sheet import find_ability
from rules.systems.ebb.system import SYSTEM
from rules.table.actions import Action, Answer, Join, Propose
from rules.table.events import Line
from rules.table.outcome import Outcome
from rules.table.state import AnyChallenge, AnyCharacter, AnyHelper, Kind
from rules.table.system import Campaign, Cast, Choice, Described, Game
from rules.table.turns.timeline import begin, slot_of

MODES: dict[str, tuple[str, ...]] = {"team": ("simple", "worst"), "contest": ("direct", "indirect")}
WORDS: dict[str, str] = {
    "together-mode": "Way: {mode}.",
    "together-helps": "{count} more at it.",
    "together-moon": "The moon is {name}.",
    "together-waits": "That takes {phases} phases.",
    "together-bad": "The moon has no {value}.",
    "together-justified": "{name}, as justified",
}


@dataclass(frozen=True)
class Pact:
    """What a table agrees on."""

    moon: str = "full"


@record(kw_only=True)
class Undertake(Action):
    """Undertake something that takes so many phases."""

    doing: str
    phases: int
    as_: str | None = None
    switch: bool = False


def _begin(game: Game, action: Undertake) -> Outcome:
    state = game.state
    slot, _ = slot_of(state, action, action.as_)
    lines = (Line("together-waits", {"phases": action.phases}),)
    abort = 2 if action.switch else None
    return begin(game, action, slot, action.doing, phases=action.phases, score=0, lines=lines, abort=abort)


def _read_pact(data: Mapping[str, object]) -> Pact:
    moon = data.get("moon", "full")
    if moon not in ("full", "new"):
        problem = InvalidInput("together-bad", field="moon", value=str(moon)[:20])
        raise Problems("bad-character", (problem,), count=1)
    return Pact(str(moon))


class Course(EbbCourse):
    """EBB's course, and everything of the table's that it has not."""

    kinds = EbbCourse.kinds | frozenset[Kind](("team", "contest"))
    needs_approach = False
    reacts = False

    def modes(self, kind: Kind) -> tuple[Choice, ...]:
        return tuple(Choice(mode, Line("together-mode", {"mode": mode})) for mode in MODES.get(kind, ()))

    def find_mode(self, kind: Kind, text: str) -> str:
        found = [mode for mode in MODES[kind] if mode.startswith(text.strip())]
        if not found:
            raise NotFound("unknown-mode", field="mode", value=text, nearest=MODES[kind])
        return found[0]

    def opposes(self, kind: Kind, target: AnyCharacter, mode: str) -> bool:
        return kind in ("attack", "contest") and target.owner is not None

    def measured(self, challenge: AnyChallenge) -> bool:
        return not challenge.opposed or (challenge.kind == "contest" and challenge.tool == "indirect")

    def justifications(self, challenge: AnyChallenge) -> tuple[Choice, ...]:
        name = challenge.request.ability
        return () if name is None else (Choice("ability", Line("together-justified", {"name": name})),)

    def rule(self, character: AnyCharacter, challenge: AnyChallenge, answer: Answer) -> EbbRuling:
        alone = challenge.but(opposed=False) if self.measured(challenge) else challenge
        return super().rule(character, alone, answer)

    def join(self, character: AnyCharacter, challenge: AnyChallenge, action: Join) -> EbbRequest:
        told = {"who": action.who, "place": action.place, "at": action.at}
        return self.propose(
            character,
            Propose(**told, skill=action.skill, attribute=action.attribute, options=action.options),
        )

    def require_help(self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper) -> None:
        if helper.request.ability is not None:
            find_ability(character.sheet, helper.request.ability)

    def describe(self, cast: Cast, challenge: AnyChallenge, *, gm: bool) -> Described:
        told = super().describe(cast, challenge, gm=gm)
        if challenge.kind not in MODES:
            return told
        notes = [Line("together-mode", {"mode": challenge.tool})]
        if challenge.rolled is not None and cast.helpers:
            notes.append(Line("together-helps", {"count": len(cast.helpers)}))
        changes = {name: getattr(told, name) for name in Described.__annotations__}
        return Described(**{**changes, "notes": (*told.notes, *notes)})

    def describe_helper(
        self, character: AnyCharacter, challenge: AnyChallenge, helper: AnyHelper, *, gm: bool
    ) -> Described:
        alone = challenge.but(request=helper.request, ruling=None, rolled=None)
        told = super().describe(Cast(character), alone, gm=gm)
        return Described(told.traits, shifts=told.shifts)


COURSE = Course()
assert SYSTEM.turns is not None
TOGETHER = replace(
    SYSTEM,
    course=lambda game: COURSE,
    procedures={},
    campaign=Campaign(
        Pact,
        Pact(),
        _read_pact,
        lambda pact: {"moon": pact.moon},
        lambda pact: (Line("together-moon", {"name": pact.moon}),),
        lambda game: {},
    ),
    turns=replace(SYSTEM.turns, timeline=True),
    actions={Undertake: _begin},
)


@contextmanager
def playing_together(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Tables of EBB play by this system meanwhile, with its words."""
    clear: Callable[[], None] = codec._part_readers.cache_clear
    ebb = SYSTEM_WORDS["ebb"]
    clear()
    with monkeypatch.context() as patch:
        patch.setitem(SYSTEMS, "ebb", TOGETHER)
        for code, text in WORDS.items():
            patch.setitem(words.TEMPLATES, code, template(text))
        changed = {name: getattr(ebb, name) for name in type(ebb).__annotations__}
        patch.setitem(SYSTEM_WORDS, "ebb", type(ebb)(**{**changed, "timeline_hint": "Use `/begin`."}))
        yield
    clear()
