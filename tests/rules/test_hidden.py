"""Against a hidden number players learn what they are told and nothing besides, in every kind of check."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from rules.core.rng import KeyedStreams
from rules.registry import look
from rules.table.actions import (
    Action,
    Answer,
    ChangeSettings,
    Defend,
    Join,
    OnChallenge,
    Propose,
    Roll,
    Settle,
)
from rules.table.checks.views import check_view
from rules.table.events import ChallengeChanged, Event
from rules.table.state import Reveal, TableState
from tests.builders import ANN, BEN, GM, by, resolve
from tests.presenters import scenes
from tests.rules.barmore import play as barmore

SEED = bytes(32)
#: What is tried, by system: a proposal, and what the others do before the roll.
Deed = tuple[dict[str, Any], tuple[Action, ...]]
BARMORE: dict[str, Deed] = {
    "check": ({"skill": "Boats"}, ()),
    "treat": ({"kind": "treat", "target": "Ilka", "skill": "Boats"}, ()),
    "attack": ({"kind": "attack", "target": "Rat", "skill": "Boats"}, ()),
    "contest": (
        {"kind": "contest", "target": "Ilka", "tool": "indirect", "skill": "Boats"},
        (Defend(**by(BEN), challenge="", revision=0, skill="Athletics"),),
    ),
    "contest with NPCs": (
        {"kind": "contest", "target": "Sidor", "tool": "indirect", "skill": "Boats"},
        (Defend(**by(GM), challenge="", revision=0, skill="Brawling"),),
    ),
    "team": (
        {"kind": "team", "tool": "either_or", "skill": "Boats"},
        (Join(**by(BEN), challenge="", revision=0),),
    ),
}
EBB: dict[str, Deed] = {
    "check": ({"skill": "Climbing", "attribute": "Fitness"}, ()),
    "treat": ({"kind": "treat", "target": "Pilgrim", "skill": "First aid"}, ()),
}
CASES = [("barmore", name) for name in BARMORE] + [("ebb", name) for name in EBB]


class Told:
    """A table, and what is told to players of what happens there."""

    def __init__(self, state: TableState, luck: int) -> None:
        self.state, self.luck = state, luck
        self.events: list[Event] = []

    def do(self, action: Action) -> None:
        if isinstance(action, OnChallenge):
            action = replace(action, challenge=self.check.id, revision=self.check.revision)
        dice = KeyedStreams(SEED, SEED, f"{self.luck}", SEED)
        outcome = resolve(self.state, action, dice)
        self.state = outcome.state
        self.events += [event for event in outcome.events if event.audience.everyone or event.audience.people]

    @property
    def check(self) -> Any:
        return list(self.state.challenges.values())[-1]

    def view(self, *, gm: bool) -> Any:
        return check_view(self.state, look(self.state), self.check, gm=gm)


def _begin(case: tuple[str, str], reveal: Reveal) -> tuple[TableState, Deed]:
    system, name = case
    if system == "ebb":
        return scenes.table(reveal=reveal), EBB[name]
    return barmore.Play(reveal=reveal).adjust("Ilka", "hurt", "physical 2").state, BARMORE[name]


def _played(
    case: tuple[str, str], reveal: Reveal, number: int, luck: int, later: Reveal | None = None
) -> Told:
    """A check against a hidden number from the proposal to its end; `later` is agreed while it is under way."""
    state, (proposal, others) = _begin(case, reveal)
    told = Told(state, luck)
    told.do(Propose(**by(ANN), approach="with care", **proposal))
    first = [each for each in others if isinstance(each, Join)]
    for action in first:
        told.do(action)
    told.do(Answer(**by(GM), challenge="", revision=0, kind="roll", difficulty=str(number), hidden=True))
    for action in others:
        if action not in first:
            told.do(action)
    if later is not None:
        told.do(ChangeSettings(**by(GM), reveal=later))
        told.events = [event for event in told.events if isinstance(event, ChallengeChanged)]
    told.do(Roll(**by(ANN), challenge="", revision=0))
    if told.check.status == "rolled":
        told.do(Settle(**by(GM), challenge="", revision=0))
    return told


def _outcome(told: Told, *, dice: bool) -> str:
    """What players are told on purpose: verdicts, degree, who was lucky, Wounds; `dice` too where they see some."""
    view = told.view(gm=False)
    lines = [line for event in told.events if isinstance(event, ChallengeChanged) for line in event.lines]
    wounds = [(line.code, line.params.get("names")) for line in lines]
    luck = [line.code for line in view.notes if "lucky" in line.code]
    helpers = [(each.verdict, [line.code for line in each.shifts]) for each in view.helpers]
    return repr((view.verdict, view.degree, luck, helpers, wounds, view.dice if dice else ()))


@pytest.mark.parametrize("reveal", ["verdict", "degree"])
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_the_same_outcome_against_another_number_is_told_in_the_same_words(
    case: tuple[str, str], reveal: Reveal
) -> None:
    """Where the degree is told nobody sees totals, so that the dice may be others as well."""
    found: dict[str, list[Told]] = {}
    for luck in range(6):
        for number in range(4, 20, 3):
            told = _played(case, reveal, number, luck)
            key = _outcome(told, dice=True) + (str(luck) if reveal == "verdict" else "")
            found.setdefault(key, []).append(told)
    pairs = [pair for group in found.values() for pair in combinations(group, 2)]
    assert pairs, "nothing was compared"
    for one, other in pairs:
        assert repr(one.events) == repr(other.events)


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_with_the_degree_no_total_is_told(case: tuple[str, str]) -> None:
    told = _played(case, "degree", 12, 1)
    view = told.view(gm=False)
    sides = [each for each in (view, view.other, *view.helpers) if each is not None]
    assert [each.total for each in sides] == [None] * len(sides)
    assert [each.terms for each in sides] == [()] * len(sides)
    assert not any(die.name in ("main", "kept") for each in sides for die in each.dice)
    assert told.view(gm=True).total is not None


@pytest.mark.parametrize("later", ["verdict", "degree", "all"])
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_what_is_agreed_later_is_for_later_checks(case: tuple[str, str], later: Reveal) -> None:
    for reveal in ("verdict", "degree"):
        if reveal == later:
            continue
        before, after = _played(case, reveal, 12, 1), _played(case, reveal, 12, 1, later)
        assert after.state.settings.reveal == later
        assert repr(after.events) == repr(before.events)
        assert repr(after.view(gm=False)) == repr(before.view(gm=False))
