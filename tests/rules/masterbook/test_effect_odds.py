"""Chances of castings are exact: they equal those of every way that two dice may fall."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill
from rules.systems.masterbook.combat.odds import RollProfile
from rules.systems.masterbook.effects.builder import casting_lines, median_total
from rules.systems.masterbook.effects.cast_odds import SupportChances, feedback_odds
from rules.systems.masterbook.effects.cast_state import Cast
from rules.systems.masterbook.formulas.dice import bonus_number
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Condition
from rules.systems.masterbook.formulas.effect_condition_points import condition_dn
from rules.systems.masterbook.formulas.effect_rows import READY_MADE
from rules.systems.masterbook.formulas.effect_values import cast_result
from rules.systems.masterbook.formulas.effect_worksheet import Figures
from tests.example_counts import examples
from tests.rules.masterbook.option_table import OptionTable

#: Die totals from here on are not told apart: their bonus number is above 60.
_TOP = 330

_SETTINGS = {True: {}, False: {"effect_failure_feedback": False}}
_chances = st.fractions(0, 1, max_denominator=20)


def _die() -> list[Fraction]:
    """Return the chance of each total of a die whose 10s roll again."""
    found = [Fraction(0)] * _TOP
    chance, tens = Fraction(1), 0
    while tens < _TOP:
        chance /= 10
        for face in range(1, 10):
            if tens + face < _TOP:
                found[tens + face] = chance
        tens += 10
    return found


@lru_cache(maxsize=1)
def _bonuses() -> dict[int, Fraction]:
    """Return the chance of each bonus number of two dice; the rest has a higher one."""
    die = [(total, chance) for total, chance in enumerate(_die()) if chance]
    found: dict[int, Fraction] = {}
    for one, first in die:
        for other, second in die:
            if one + other < _TOP:
                bonus = bonus_number(one + other)
                found[bonus] = found.get(bonus, Fraction(0)) + first * second
    return found


def _chance_of(value: int, dn: int) -> Fraction:
    """Return the chance that a skill reaches a difficulty."""
    missed = [chance for bonus, chance in _bonuses().items() if value + bonus < dn]
    return 1 - sum(missed, Fraction(0))


def _left(value: int, figures: Figures, *, spoiled: bool) -> dict[int, Fraction]:
    """Return the chance of each amount of feedback that is left after a roll."""
    found: dict[int, Fraction] = {}
    for bonus, chance in _bonuses().items():
        left = cast_result(value + bonus, figures, spoiled=spoiled).feedback
        found[left] = found.get(left, Fraction(0)) + chance
    # Dice beyond those that are told apart leave nothing.
    found[0] = found.get(0, Fraction(0)) + 1 - sum(found.values())
    return found


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21", "MB-SFX-31")
@examples(60)
@given(
    st.integers(5, 25), st.integers(1, 35), st.integers(0, 25), _chances, _chances, st.booleans()
)
def test_feedback_is_as_likely_as_the_dice_make_it(
    value: int, dn: int, fv: int, concentration: Fraction, others: Fraction, full: bool
) -> None:
    game = OptionTable(_SETTINGS[full]).game()
    wanted = dict.fromkeys(range(fv + 1), Fraction(0))

    def add(chance: Fraction, left: dict[int, Fraction]) -> None:
        for amount, share in left.items():
            wanted[amount] += chance * share

    without_roll = {fv if full else 0: Fraction(1)}
    figures = Figures(dn, fv)
    add(concentration * others, _left(value, figures, spoiled=False))
    add(concentration * (1 - others), without_roll)
    add(
        1 - concentration,
        _left(value, figures, spoiled=True) if full else without_roll,
    )
    found = feedback_odds(
        game,
        Cast(dn=dn, fv=fv),
        SupportChances(concentration, others),
        RollProfile(value, tens=True),
    )
    assert {left: odds for left, odds in found.items() if odds} == {
        left: odds for left, odds in wanted.items() if odds
    }
    assert sum(found.values()) == 1


@pytest.mark.rule("MB-SFX-20")
@pytest.mark.parametrize("adds", [1, 2, 6, 11])
@pytest.mark.parametrize("dn", [3, 9, 16, 22, 31])
def test_the_builder_tells_the_chance_of_the_dice(adds: int, dn: int) -> None:
    sheet = MasterbookSheet(mind=9, skills=(Skill("Conjuration", adds),))
    game = OptionTable(anna=sheet).game()
    lines = casting_lines(game, game.character("anna"), READY_MADE[0], Figures(dn, 19))
    line = next(line for line in lines if line.code == "mb-effect-build-odds")
    assert line.params["value"] == 9 + adds
    assert Fraction(str(line.params["alone"])) == _chance_of(9 + adds, dn)


def _untrained_chance(value: int, dn: int) -> Fraction:
    """Return the chance that an Attribute reaches a difficulty: its 10s never roll again."""
    falls = [value + bonus_number(one + other) for one, other in product(range(1, 11), repeat=2)]
    return Fraction(sum(total >= dn for total in falls), 100)


@pytest.mark.rule("MB-SFX-31", "MB-SFX-32", "MB-SFX-S20", "MB-SFX-S21", "MB-SFX-S22")
@pytest.mark.parametrize("actions", [False, True])
@pytest.mark.parametrize("stealth", [0, 2])
def test_the_builder_counts_the_rolls_for_conditions(actions: bool, stealth: int) -> None:
    skills = (Skill("Conjuration", 3), Skill("Stealth", stealth))
    sheet = MasterbookSheet(mind=9, agility=8, skills=skills[: 2 if stealth else 1])
    game = OptionTable({"effect_support_actions": actions}, anna=sheet).game()
    conditions = (
        Condition("incantation", level=3),
        Condition("related_skill", level=2, skill="Stealth"),
        Condition("community", participation="dn8", helpers=2),
        Condition("gesture", level=5, at_release=True),
    )
    built = Blueprint("Spark", "Conjuration", conditions=conditions, charges=2)
    lines = casting_lines(game, game.character("anna"), built, Figures(12, 4))
    line = next(line for line in lines if line.code == "mb-effect-build-odds")
    # Two rolls of one round: the related skill at -2, the casting at -3.
    alone = _chance_of(12 - (3 if actions else 0), 12)
    dn = condition_dn(conditions[1]) or 0
    related = _chance_of(8 + stealth - (2 if actions else 0), dn) if stealth else Fraction(0)
    support = _untrained_chance(9, 8) * related
    assert Fraction(str(line.params["support"])) == support
    assert Fraction(str(line.params["alone"])) == alone
    assert Fraction(str(line.params["chance"])) == alone * support
    assert line.params["helpers"] is True


def test_the_builder_tells_one_chance_if_nothing_else_is_rolled() -> None:
    sheet = MasterbookSheet(mind=9, skills=(Skill("Conjuration", 3),))
    game = OptionTable(anna=sheet).game()
    built = Blueprint("Spark", "Conjuration")
    line, *_ = casting_lines(game, game.character("anna"), built, Figures(12, 4))
    assert line.params["alone"] is None and line.params["helpers"] is False
    assert Fraction(str(line.params["chance"])) == _chance_of(12, 12)


@pytest.mark.rule("MB-SFX-20")
def test_the_fireball_is_made_two_times_in_five() -> None:
    sheet = MasterbookSheet(mind=9, skills=(Skill("Conjuration", 5),))
    game = OptionTable(anna=sheet).game()
    lines = casting_lines(game, game.character("anna"), READY_MADE[0], Figures(16, 19))
    line = next(line for line in lines if line.code == "mb-effect-build-odds")
    assert round(100 * float(Fraction(str(line.params["alone"]))), 1) == 39.8


@pytest.mark.rule("MB-SFX-20")
@given(st.integers(0, 30))
def test_half_of_all_rolls_reach_the_median(value: int) -> None:
    total = median_total(RollProfile(value, tens=True))
    assert _chance_of(value, total) >= Fraction(1, 2) > _chance_of(value, total + 1)
