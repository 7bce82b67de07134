"""Odds with a Fate point against enumeration, and the odds of proposals and ruled checks in
codes.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, Problems
from rules.core.rng import ScriptedRng
from rules.systems.ebb.sheet import Ability, EbbSheet
from rules.systems.ebb.task_odds import task_odds
from rules.systems.ebb.task_roll import TaskRoll, judge, reroll_ability
from rules.table.actions import Actor
from rules.table.checks.odds import MAX_LEVELS, checks_awaiting_roll, odds_of_check, proposal_odds
from rules.table.state import Character, Settings, TableState
from rules.table.system import OddsTable
from tests.rules.toy_table import Play
from tests.sample_table import ANN, BEN, GM, PLACE

SIDES = st.sampled_from([4, 6, 8, 10, 12])
CANARY = "9137"
SPECIALIST_LUCK: dict[str, Any] = {"specialist": True, "specialist-luck": True}
SHEET = EbbSheet(
    fate=2,
    abilities=(
        Ability("Climbing", "Fitness", 8),
        Ability("Running", "Fitness", 6),
        Ability("Brawl", "Fitness", 6),
    ),
    drawbacks=("Loud", "Proud", "Old"),
)


def best_use(
    sides: int, threshold: int, attribute: int, bonus: int, tens: int
) -> tuple[dict[str, Fraction], Fraction]:
    """Verdicts by throwing every face, and after a failure every face again where one of them
    succeeds.
    """
    verdicts: dict[str, Fraction] = {}

    def count(roll: TaskRoll, chance: Fraction) -> None:
        result = judge(roll, threshold)
        verdicts[result.verdict] = verdicts.get(result.verdict, Fraction(0)) + chance
        for extra in range(1, min(6, result.extra_results) + 1 if result.success else 0):
            verdicts[f"{extra}+"] = verdicts.get(f"{extra}+", Fraction(0)) + chance

    for again, last, face in product(range(tens + 1), range(1, 10), range(1, sides + 1)):
        roll = TaskRoll((10,) * again + (last,), sides, (face,), attribute, bonus)
        chance = Fraction(1, 10 ** (again + 1) * sides)
        others = [reroll_ability(ScriptedRng([other]), roll) for other in range(1, sides + 1)]
        helps = any(judge(other, threshold).success for other in others)
        if judge(roll, threshold).success or not helps:
            count(roll, chance)
            continue
        for other in others:
            count(other, chance / sides)
    return verdicts, Fraction(1, 10 ** (tens + 1))


@pytest.mark.rule("EBB-FATE")
@given(SIDES, st.integers(1, 34), st.integers(0, 5), st.integers(-3, 3))
def test_a_kept_fate_point_is_worth_what_throwing_every_face_gives(
    sides: int, threshold: int, attribute: int, bonus: int
) -> None:
    """What is left out are mains with more than three tens; by their chance at most it may
    differ.
    """
    odds = task_odds(
        attribute=attribute, ability_sides=sides, threshold=threshold, bonus=bonus, fate=True
    )
    counted, cut = best_use(sides, threshold, attribute, bonus, tens=3)

    def within(exact: Fraction, name: str) -> bool:
        found = counted.get(name, Fraction(0))
        return found <= exact <= found + cut

    assert within(odds.success, "success")
    assert within(odds.near_miss, "near_miss")
    assert within(odds.failure, "failure")
    assert odds.automatic_failure == counted["automatic_failure"] + counted["fumble"]
    assert odds.fumble == counted["fumble"]
    assert all(within(odds.at_least[extra], f"{extra}+") for extra in range(1, 7))


@pytest.mark.rule("EBB-FATE")
@given(SIDES, st.integers(1, 60), st.integers(0, 6), st.integers(-20, 20))
def test_a_fate_point_never_makes_it_worse(
    sides: int, threshold: int, attribute: int, bonus: int
) -> None:
    options: dict[str, Any] = {"attribute": attribute, "ability_sides": sides, "bonus": bonus}
    plain = task_odds(threshold=threshold, **options)
    fate = task_odds(threshold=threshold, **options, fate=True)
    assert fate.success + fate.near_miss + fate.failure + fate.automatic_failure == 1
    assert all(0 <= part <= 1 for part in (fate.near_miss, fate.failure))
    assert all(one <= two for one, two in zip(plain.at_least, fate.at_least, strict=True))
    assert fate.success >= task_odds(threshold=threshold + 1, **options, fate=True).success
    assert list(fate.at_least) == sorted(fate.at_least, reverse=True)


def test_by_hand() -> None:
    """A d4 and nothing else against 10: the main die needs 6 with a 4, 7 with a 3 or more, and so
    on.
    """
    plain = task_odds(attribute=None, ability_sides=4, threshold=10)
    # Mains 6, 7, 8 succeed with 1, 2, 3 faces of 4; 9 and every ten always do.
    assert plain.success == Fraction(1, 10) * (
        Fraction(1, 4) + Fraction(2, 4) + Fraction(3, 4)
    ) + Fraction(2, 10)
    fate = task_odds(attribute=None, ability_sides=4, threshold=10, fate=True)
    again = Fraction(1, 10) * (Fraction(7, 16) + Fraction(12, 16) + Fraction(15, 16)) + Fraction(
        2, 10
    )
    assert fate.success == again


# --- proposals ------------------------------------------------------------------------------------


def table(sheet: EbbSheet = SHEET) -> TableState:
    return TableState(
        Settings("The Zone", "ebb", ("p1",)),
        characters={
            "k1": Character("k1", "Pilgrim", "p2", sheet),
            "k2": Character("k2", "Bo", "p3", sheet),
        },
    )


def ask(sheet: EbbSheet = SHEET, **values: Any) -> tuple[OddsTable, ...]:
    """The odds of what Pilgrim has in mind; None takes a value away."""
    given: dict[str, Any] = {
        "skill": "Climbing",
        "attribute": "Fitness",
        "difficulty": "Tricky",
    } | values
    given = {key: value for key, value in given.items() if value is not None}
    return proposal_odds(Play(table(sheet)).game(ANN), given, PLACE).tables


def codes(rows: OddsTable) -> list[str]:
    return [str(label.params["how"]) for label, _ in rows]


@pytest.mark.rule("EBB-FATE", "EBB-LUCK")
def test_everything_that_could_be_spent_has_its_row() -> None:
    (rows,) = ask()
    assert codes(rows) == ["plain", "fate", "luck"]
    plain, fate, luck = (odds.success for _, odds in rows)
    assert plain == task_odds(attribute=2, ability_sides=8, threshold=10).success
    assert fate == task_odds(attribute=2, ability_sides=8, threshold=10, fate=True).success
    assert plain < fate < luck == 1


def test_what_is_not_there_is_not_offered() -> None:
    assert codes(ask(SHEET.replace(fate=0))[0]) == ["plain", "luck"]
    assert codes(ask(skill=None)[0]) == ["plain", "luck"]
    spent = SHEET.replace(sacrificed=(("Fitness", 2),))
    assert codes(ask(spent)[0]) == ["plain", "fate"]
    assert codes(ask(spent, attribute=None)[0]) == ["plain", "fate"]
    (rows,) = ask(attribute=None)
    assert rows[-1][0].params["attribute"] == "Fitness", "the only attribute with a point to give"


def test_a_defied_drawback_takes_the_attribute_away() -> None:
    (rows,) = ask(drawback=True)
    assert rows[0][1].success == task_odds(attribute=None, ability_sides=8, threshold=13).success


def test_without_a_difficulty_the_levels_stand_side_by_side() -> None:
    tables = ask(difficulty=None)
    assert len(tables) == MAX_LEVELS
    assert [rows[0][1].target.params["name"] for rows in tables[:2]] == ["Easy", "Routine"]
    easier = ask(difficulty=None, dilemma=9)
    assert len(easier) == 1, "levels that come to the same are told once"


@pytest.mark.parametrize(
    "values",
    [{"skill": "Swimming"}, {"attribute": "Luck"}, {"difficulty": "Quite hard"}, {"banana": True}],
)
def test_bad_values_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(Problems):
        ask(**values)


# --- checks ---------------------------------------------------------------------------------------


def ruled_check(
    option: str = "roll",
    sheet: EbbSheet = SHEET,
    propose: dict[str, Any] | None = None,
    **ruling: Any,
) -> Play:
    """Pilgrim's check, answered; None takes a value away."""
    given: dict[str, Any] = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the pipe"}
    ruling = {
        key: value
        for key, value in ({"difficulty": "Tricky"} | ruling).items()
        if value is not None
    }
    return (
        Play(table(sheet))
        .begin(ANN, "check", **(given | (propose or {})))
        .choose(GM, "rule", option, **ruling)
    )


def odds_of(play: Play, who: Actor = ANN, name: str = "c1") -> OddsTable:
    (rows,) = odds_of_check(play.game(who), name).tables
    return rows


def waiting(play: Play, who: Actor) -> list[str]:
    return [each.id for each in checks_awaiting_roll(play.game(who), 25)]


@pytest.mark.rule("EBB-PROPOSAL")
def test_a_check_has_the_odds_of_its_ruling() -> None:
    play = ruled_check(flaw=1, modifier=2, disallow=["attribute"])
    rows = odds_of(play, name="C1 ")
    assert (
        rows[0][1].success
        == task_odds(attribute=None, ability_sides=8, threshold=13, bonus=2).success
    )
    assert codes(rows) == ["plain", "fate"], "a refused attribute buys no luck"
    assert [waiting(play, who) for who in (ANN, BEN, GM)] == [["c1"], [], ["c1"]]


def test_hidden_odds_are_the_gms_alone() -> None:
    play = ruled_check(hidden=True, difficulty=CANARY)
    refused = play.refused(odds_of, play)
    assert (refused.code, refused.params) == ("hidden-odds", {"check": "c1"})
    assert waiting(play, ANN) == []
    assert odds_of(play, GM)[0][1].target.params["value"] == int(CANARY)


def test_a_margin_only_roll_cannot_fail() -> None:
    rows = odds_of(ruled_check("margin-only"))
    assert codes(rows) == ["plain"]
    odds = rows[0][1]
    assert odds.success == 1
    assert {line.code for line, _ in odds.outcomes} == {"ebb-odds-extra"}
    with pytest.raises(Impossible, match="odds-unmeasured"):
        odds_of(ruled_check("margin-only", difficulty=None))


@pytest.mark.rule("EBB-SPECIALIST")
def test_who_cannot_attempt_it_has_no_odds() -> None:
    with pytest.raises(Impossible, match="ability-required"):
        odds_of(ruled_check(propose={"skill": "none"}, specialist=True))
    play = ruled_check(propose={"skill": "none"}, **SPECIALIST_LUCK)
    assert codes(odds_of(play)) == ["luck"]


def test_others_and_other_moments_are_refused() -> None:
    play = ruled_check()
    for who, name, code in ((BEN, "c1", "owner-only"), (ANN, "c7", "unknown-check")):
        assert play.refused(odds_of, play, who, name).code == code
    open_ = Play(table()).begin(ANN, "check", approach="x")
    assert open_.refused(odds_of, open_).code == "not-answered"
    play.choose(ANN, "ready", "roll", 5, 5)
    assert play.refused(odds_of, play).code == "check-moved-on"
    private = Play(table()).begin(
        ANN, "check", skill="Climbing", approach="x", visibility="private"
    )
    private.choose(GM, "rule", "roll", difficulty="Tricky")
    assert private.refused(odds_of, private, BEN, private.check.id).code == "unknown-check"
    assert odds_of(private, name=private.check.id)
