"""Against a hidden number players learn what they are told and nothing besides, in every kind of check."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from rules.core.record import Record, record
from rules.core.rng import KeyedStreams
from rules.table.actions import Actor, ChangeSettings
from rules.table.blocks import Text
from rules.table.events import Event
from rules.table.state import Reveal
from tests.builders import ANN, BEN, GM
from tests.rules import playing
from tests.rules.barmore.play import Play as Barmore
from tests.rules.ebb.play import Play as Ebb

SEED = bytes(32)


@record
class Deed(Record):
    """What is tried: of which kind, with what, and who says what before the roll, in the words of `said`.

    `before` comes ahead of the answer, `after` follows it: who, prompt and option.
    """

    kind: str
    values: dict[str, Any]
    target: str | None = None
    before: tuple[tuple[Actor, str, dict[str, Any]], ...] = ()
    after: tuple[tuple[Actor, str, dict[str, Any]], ...] = ()


BOATS = {"skill": "Boats", "approach": "with care"}
INDIRECT = {**BOATS, "mode": "indirect"}
DEEDS: dict[tuple[str, str], Deed] = {
    ("barmore", "check"): Deed("check", BOATS),
    ("barmore", "treat"): Deed("treat", BOATS, "Ilka"),
    ("barmore", "attack"): Deed("attack", BOATS, "Rat"),
    ("barmore", "contest"): Deed("contest", INDIRECT, "Ilka", after=((BEN, "face", {"skill": "Athletics"}),)),
    ("barmore", "contest with NPCs"): Deed(
        "contest", INDIRECT, "Sidor", after=((GM, "face", {"skill": "Brawling"}),)
    ),
    ("barmore", "team"): Deed("team", {**BOATS, "mode": "either_or"}, before=((BEN, "join", {}),)),
    ("ebb", "check"): Deed("check", {"skill": "Climbing", "attribute": "Fitness", "approach": "up"}),
    ("ebb", "treat"): Deed(
        "treat", {"skill": "First aid", "approach": "a splint", "injury": "a cut"}, "Anna"
    ),
}
CASES = [*DEEDS]


class Told:
    """A table, and what is told to players of what happens there."""

    def __init__(self, case: tuple[str, str], reveal: Reveal, luck: int) -> None:
        ebb = case[0] == "ebb"
        self.play: playing.Play = (
            Ebb(reveal=reveal) if ebb else Barmore(reveal=reveal).adjust("Ilka", "new wound", "physical 2")
        )
        self.luck = luck
        self.events: list[Event] = []

    def choose(self, who: Actor, prompt: str, option: str, /, **values: Any) -> None:
        dice = KeyedStreams(SEED, SEED, f"{self.luck}", SEED)
        self.play.choose(who, prompt, option, rng=dice, **values)
        self.hear()

    def hear(self) -> None:
        heard = [each for each in self.play.events if each.audience.everyone or each.audience.people]
        self.events += heard


def _played(
    case: tuple[str, str], reveal: Reveal, number: int, luck: int, later: Reveal | None = None
) -> Told:
    """A check against a hidden number from the proposal to its end; `later` is agreed while it is under way."""
    deed, told = DEEDS[case], Told(case, reveal, luck)
    told.play.begin(ANN, deed.kind, target=deed.target, **deed.values)
    told.hear()
    for who, prompt, values in deed.before:
        told.choose(who, prompt, prompt, **values)
    told.choose(GM, "rule", "roll", difficulty=str(number), hidden=True)
    for who, prompt, values in deed.after:
        told.choose(who, prompt, prompt, **values)
    if later is not None:
        told.play.do(ChangeSettings, GM, values={"reveal": later})
    told.choose(ANN, "ready", "roll")
    if told.play.check.open:
        told.choose(GM, "stand", "stand")
    assert not told.play.check.open
    return told


def _outcome(told: Told, *, dice: bool) -> str:
    """What players are told on purpose: verdicts, degree, who was lucky, Wounds; `dice` too where they see some."""
    play = told.play
    luck = [
        each.params for each in play.notes() if each.code == "bar-level" or each.params.get("what") == "luck"
    ]
    theirs = [
        each.params for each in play.listed("check-defence-adjustments") if each.params.get("what") == "luck"
    ]
    came = [
        (each.code, each.params.get("how"), each.params.get("names"))
        for each in play.facts("check-of")
        if isinstance(each, Text)
    ]
    faces = [[(die.sides, die.face) for die in roll.dice] for roll in play.rolls()] if dice else []
    return repr((play.verdict(), play.winner(), play.degree(), luck, theirs, came, faces))


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
        for who in (None, ANN, BEN):
            assert one.play.told(who) == other.play.told(who)


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_with_the_degree_no_total_is_told(case: tuple[str, str]) -> None:
    play = _played(case, "degree", 12, 1).play
    for who in (None, ANN, BEN):
        rolls = play.rolls(who)
        assert [(roll.result, roll.terms) for roll in rolls] == [(None, ())] * len(rolls)
        assert not any(die.name in ("main", "pool") for roll in rolls for die in roll.dice)
    assert play.totals(GM)[0] is not None


@pytest.mark.parametrize("later", ["verdict", "degree", "all"])
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_what_is_agreed_later_is_for_later_checks(case: tuple[str, str], later: Reveal) -> None:
    for reveal in ("verdict", "degree"):
        if reveal == later:
            continue
        before, after = _played(case, reveal, 12, 1), _played(case, reveal, 12, 1, later)
        assert after.play.state.settings.reveal == later
        assert repr(after.events) == repr(before.events)
        assert repr(after.play.view()) == repr(before.play.view())


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_everything_stands_in_what_the_gms_read(case: tuple[str, str]) -> None:
    """The other end of the same promise: what is hidden is hidden from players alone."""
    play = _played(case, "verdict", 12, 1).play
    (number,) = play.facts("check-difficulty", GM)
    assert number != Text("hidden-difficulty")
    assert play.facts("check-difficulty") == [Text("hidden-difficulty")]
