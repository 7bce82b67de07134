"""Odds with a Fate point against enumeration, and the odds of proposals and ruled checks in codes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.rng import Scripted
from rules.registry import look
from rules.systems.ebb.odds import odds_with_fate, task_odds
from rules.systems.ebb.sheet import Ability, EbbSheet
from rules.systems.ebb.task import TaskRoll, judge, reroll_ability
from rules.table.actions import Actor, Answer, Propose
from rules.table.checks.chances import COMPARED, chances_of, checks_with_odds, odds_of_check
from rules.table.state import Character, Settings, TableState
from rules.table.system import Cast, OddsTable
from tests.builders import resolve

SIDES = st.sampled_from([4, 6, 8, 10, 12])
GM, ANA, BO = Actor("p1"), Actor("p2"), Actor("p3")
BY: dict[str, Any] = {"place": "100", "at": 1_000_000}
CANARY = "9137"
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
    """Verdicts by throwing every face, and after a failure every face again where one of them succeeds."""
    verdicts: dict[str, Fraction] = {}

    def count(roll: TaskRoll, chance: Fraction) -> None:
        result = judge(roll, threshold)
        verdicts[result.verdict] = verdicts.get(result.verdict, Fraction(0)) + chance
        for extra in range(1, min(6, result.extra_results) + 1 if result.success else 0):
            verdicts[f"{extra}+"] = verdicts.get(f"{extra}+", Fraction(0)) + chance

    for again, last, face in product(range(tens + 1), range(1, 10), range(1, sides + 1)):
        roll = TaskRoll((10,) * again + (last,), sides, (face,), attribute, bonus)
        chance = Fraction(1, 10 ** (again + 1) * sides)
        others = [reroll_ability(Scripted([other]), roll) for other in range(1, sides + 1)]
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
    """What is left out are mains with more than three tens; by their chance at most it may differ."""
    odds = odds_with_fate(attribute=attribute, ability_sides=sides, threshold=threshold, bonus=bonus)
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
def test_a_fate_point_never_makes_it_worse(sides: int, threshold: int, attribute: int, bonus: int) -> None:
    options: dict[str, Any] = {"attribute": attribute, "ability_sides": sides, "bonus": bonus}
    plain = task_odds(threshold=threshold, **options)
    fate = odds_with_fate(threshold=threshold, **options)
    assert fate.success + fate.near_miss + fate.failure + fate.automatic_failure == 1
    assert all(0 <= part <= 1 for part in (fate.near_miss, fate.failure))
    assert all(one <= two for one, two in zip(plain.at_least, fate.at_least, strict=True))
    assert fate.success >= odds_with_fate(threshold=threshold + 1, **options).success
    assert list(fate.at_least) == sorted(fate.at_least, reverse=True)


def test_by_hand() -> None:
    """A d4 and nothing else against 10: the main die needs 6 with a 4, 7 with a 3 or more, and so on."""
    plain = task_odds(attribute=None, ability_sides=4, threshold=10)
    # Mains 6, 7, 8 succeed with 1, 2, 3 faces of 4; 9 and every ten always do.
    assert plain.success == Fraction(1, 10) * (Fraction(1, 4) + Fraction(2, 4) + Fraction(3, 4)) + Fraction(
        2, 10
    )
    fate = odds_with_fate(attribute=None, ability_sides=4, threshold=10)
    again = Fraction(1, 10) * (Fraction(7, 16) + Fraction(12, 16) + Fraction(15, 16)) + Fraction(2, 10)
    assert fate.success == again


def test_without_an_ability_die_there_is_nothing_to_roll_again() -> None:
    with pytest.raises(Impossible, match="no-ability-die"):
        odds_with_fate(attribute=1, ability_sides=None, threshold=10)


# --- proposals ------------------------------------------------------------------------------------------------


def table(sheet: EbbSheet = SHEET) -> TableState:
    return TableState(
        Settings("The Zone", "ebb", ("p1",)),
        characters={"k1": Character("k1", "Pilgrim", "p2", sheet), "k2": Character("k2", "Bo", "p3", sheet)},
    )


def ask(sheet: EbbSheet = SHEET, **options: Any) -> tuple[OddsTable, ...]:
    given: dict[str, Any] = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
    return chances_of(look(table(sheet)), Propose(who=ANA, **BY, **(given | options))).tables


def codes(rows: OddsTable) -> list[str]:
    return [label.code for label, _ in rows]


@pytest.mark.rule("EBB-FATE", "EBB-LUCK")
def test_everything_that_could_be_spent_has_its_row() -> None:
    (rows,) = ask()
    assert codes(rows) == ["ebb-odds-plain", "ebb-odds-fate", "ebb-odds-luck"]
    plain, fate, luck = (odds.success for _, odds in rows)
    assert plain == task_odds(attribute=2, ability_sides=8, threshold=10).success
    assert fate == odds_with_fate(attribute=2, ability_sides=8, threshold=10).success
    assert plain < fate < luck == 1


def test_what_is_not_there_is_not_offered() -> None:
    assert codes(ask(replace(SHEET, fate=0))[0]) == ["ebb-odds-plain", "ebb-odds-luck"]
    assert codes(ask(skill=None)[0]) == ["ebb-odds-plain", "ebb-odds-luck"]
    spent = replace(SHEET, sacrificed=(("Fitness", 2),))
    assert codes(ask(spent)[0]) == ["ebb-odds-plain", "ebb-odds-fate"]
    assert codes(ask(spent, attribute=None)[0]) == ["ebb-odds-plain", "ebb-odds-fate"]
    (rows,) = ask(attribute=None)
    assert rows[-1][0].params["attribute"] == "Fitness", "the only attribute with a point to give"


def test_a_defied_drawback_takes_the_attribute_away() -> None:
    (rows,) = ask(options=("drawback",))
    assert rows[0][1].success == task_odds(attribute=None, ability_sides=8, threshold=13).success


def test_without_a_difficulty_the_levels_stand_side_by_side() -> None:
    tables = ask(difficulty=None)
    assert len(tables) == COMPARED
    assert [rows[0][1].target.params["name"] for rows in tables[:2]] == ["Easy", "Routine"]
    easier = ask(difficulty=None, options=("dilemma:9",))
    assert len(easier) == 1, "levels that come to the same are told once"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"skill": "Swimming"}, NotFound),
        ({"attribute": "Luck"}, NotFound),
        ({"difficulty": "Quite hard"}, InvalidInput),
        ({"options": ("banana",)}, NotFound),
        ({"as_": "Nobody"}, NotFound),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        ask(**options)


# --- checks ---------------------------------------------------------------------------------------------------


def ruled(
    *, kind: Any = "roll", sheet: EbbSheet = SHEET, propose: dict[str, Any] | None = None, **answer: Any
) -> Any:
    given: dict[str, Any] = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the pipe"}
    state = table(sheet)
    state = resolve(state, Propose(who=ANA, **BY, **(given | (propose or {}))), Scripted([])).state
    ruling: dict[str, Any] = {"difficulty": "Tricky"} | answer
    action = Answer(who=GM, **BY, challenge="c1", revision=1, kind=kind, **ruling)
    return resolve(state, action, Scripted([])).state


@pytest.mark.rule("EBB-PROPOSAL")
def test_a_check_has_the_odds_of_its_ruling() -> None:
    state = ruled(options=("flaw",), modifier=2, disallow=("attribute",))
    rows = odds_of_check(look(state), ANA, "C1 ").tables[0]
    assert rows[0][1].success == task_odds(attribute=None, ability_sides=8, threshold=13, bonus=2).success
    assert codes(rows) == ["ebb-odds-plain", "ebb-odds-fate", "ebb-odds-luck"]
    assert [each.id for each in checks_with_odds(state, ANA)] == ["c1"]
    assert checks_with_odds(state, BO) == ()
    assert [each.id for each in checks_with_odds(state, GM)] == ["c1"]


def test_hidden_odds_are_the_gms_alone() -> None:
    state = ruled(hidden=True, difficulty=CANARY)
    with pytest.raises(Impossible) as refused:
        odds_of_check(look(state), ANA, "c1")
    assert refused.value.code == "hidden-odds"
    assert refused.value.params == {"check": "c1"}
    assert checks_with_odds(state, ANA) == ()
    (rows,) = odds_of_check(look(state), GM, "c1").tables
    assert rows[0][1].target.params["value"] == int(CANARY)


def test_a_margin_only_roll_cannot_fail() -> None:
    (rows,) = odds_of_check(look(ruled(kind="margin-only")), ANA, "c1").tables
    assert codes(rows) == ["ebb-odds-plain"]
    odds = rows[0][1]
    assert odds.success == 1
    assert {line.code for line, _ in odds.outcomes} == {"ebb-odds-extra"}
    with pytest.raises(Impossible, match="odds-unmeasured"):
        odds_of_check(look(ruled(kind="margin-only", difficulty=None)), ANA, "c1")


@pytest.mark.rule("EBB-SPECIALIST")
def test_who_cannot_attempt_it_has_no_odds() -> None:
    with pytest.raises(Impossible, match="ability-required"):
        odds_of_check(look(ruled(propose={"skill": None}, options=("specialist",))), ANA, "c1")
    state = ruled(propose={"skill": None}, options=("specialist", "specialist-luck"))
    assert codes(odds_of_check(look(state), ANA, "c1").tables[0]) == ["ebb-odds-luck"]


def test_others_and_other_moments_are_refused() -> None:
    state = ruled()
    for who, name, code in ((BO, "c1", "owner-only"), (ANA, "c7", "unknown-check")):
        with pytest.raises(Exception, match=code):
            odds_of_check(look(state), who, name)
    state = resolve(table(), Propose(who=ANA, **BY, approach="x"), Scripted([])).state
    with pytest.raises(Impossible, match="not-answered"):
        odds_of_check(look(state), ANA, "c1")
    private = ruled(propose={"visibility": "private"})
    with pytest.raises(NotFound, match="unknown-check"):
        odds_of_check(look(private), BO, "c1")
    assert look(private).course.odds_of(Cast(private.characters["k1"]), private.challenges["c1"])
