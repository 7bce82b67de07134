"""Interaction under MasterBook."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.checks.state import Result
from rules.systems.masterbook.formulas import interaction as interaction_rules
from rules.systems.masterbook.formulas.interaction import circumstance_causes, interaction_kind
from rules.systems.masterbook.formulas.reference_rows import (
    EFFECTS,
    INTERACTIONS,
    EffectKind,
    Rounds,
    cause_total,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.systems.masterbook.formulas.success_chart import Column, ladder

_ROUNDS: tuple[Rounds, ...] = ("combat", "interaction", "none")
_COLUMNS: tuple[Column, ...] = ("general", "intimidation", "taunt_trick", "maneuver")


def _allowed(skill: str, *, persuading: bool = False) -> list[str]:
    found: list[str] = []
    for each in _ROUNDS:
        try:
            interaction_kind(skill, each, persuasion_in_combat=persuading)
        except Impossible as refused:
            assert refused.code == "mb-not-in-rounds"
            continue
        found.append(each)
    return found


@pytest.mark.rule(
    "MB-CMB-04",
    "MB-INT-10",
    "MB-SKILL-INT-01",
    "MB-SKILL-INTIMIDATION",
    "MB-SKILL-TAUNT",
    "MB-SKILL-TRICK",
    "MB-SKILL-CHARM",
    "MB-SKILL-CON",
    "MB-SKILL-PERSUASION",
    "MB-SKILL-INTERROGATION",
)
@pytest.mark.parametrize(
    ("skill", "attribute", "resisting", "column", "rounds"),
    [
        ("Intimidation", "confidence", "confidence", "intimidation", ["combat", "interaction"]),
        ("Taunt", "charisma", "confidence", "taunt_trick", ["combat", "interaction"]),
        ("Trick", "intellect", "intellect", "taunt_trick", ["combat", "interaction"]),
        ("Maneuver", "agility", "agility", "maneuver", ["combat"]),
        ("Con", "confidence", "intellect", "taunt_trick", ["interaction", "none"]),
        ("Charm", "charisma", "confidence", "general", ["interaction", "none"]),
        ("Persuasion", "charisma", "confidence", "general", ["interaction", "none"]),
        ("Interrogation", "confidence", "confidence", "general", ["interaction", "none"]),
        ("Hypnotism", "mind", "mind", "general", ["interaction", "none"]),
    ],
)
def test_what_resists_and_when(
    skill: str, attribute: str, resisting: str, column: str, rounds: list[str]
) -> None:
    kind = INTERACTIONS[skill]
    assert (kind.resisting_attribute, kind.column) == (resisting, column)
    assert kind.resisting == ("Maneuver" if skill == "Maneuver" else "Willpower")
    assert _allowed(skill) == rounds
    assert SKILLS[skill].attribute == attribute


@pytest.mark.rule("MB-INT-06", "MB-INT-08", "MB-SKILL-CON", "MB-SKILL-PERSUASION")
def test_what_a_table_may_agree_on() -> None:
    assert _allowed("Persuasion", persuading=True) == ["combat", "interaction", "none"]
    assert _allowed("Charm", persuading=True) == ["interaction", "none"]
    assert interaction_kind("Con", "none", con_column="general").column == "general"
    assert interaction_kind("Trick", "combat", con_column="general").column == "taunt_trick"


@pytest.mark.rule("MB-INT-01", "MB-INT-03", "MB-INT-04", "MB-INT-07", "MB-INT-08", "MB-INT-09")
def test_what_helps_an_attempt_and_what_hinders_it() -> None:
    threat = circumstance_causes("Intimidation", {"helpless": None, "already_intimidated": 1})
    assert threat == ((("intimidation-helpless", 5), ("intimidation-already-intimidated", 1)), ())
    assert circumstance_causes("Trick", {"tried_before": None})[0] == (
        ("taunt-trick-tried-before", -3),
    )
    assert circumstance_causes("Con", {"element_of_truth": 2})[0] == (
        ("taunt-trick-element-of-truth", 2),
    )
    attempt, harder = circumstance_causes("Charm", {"hostile": 7, "bribe": -3})
    assert (attempt, cause_total(harder)) == ((), 4)
    asked = {"helpless": None, "hostile": 8, "very_important": 4, "already_intimidated": None}
    assert cause_total(circumstance_causes("Interrogation", asked)[1]) == 6
    persuading = {"neutral": 5, "obviously_detrimental": 7, "roleplayed_well": -2}
    assert cause_total(circumstance_causes("Persuasion", persuading)[1]) == 10


@pytest.mark.rule("MB-INT-01")
@pytest.mark.parametrize(
    ("skill", "chosen", "code"),
    [
        ("Charm", {"neutral": 3, "hostile": 7}, "mb-options-exclude"),
        ("Charm", {"hostile": 11}, "mb-row-number"),
        ("Charm", {"hostile": None}, "mb-row-number"),
        ("Charm", {"insulted": 1}, "mb-row-number"),
        ("Interrogation", {"helpful": -4}, "mb-row-number"),
        ("Charm", {"equal": 0}, "mb-no-such-row"),
        ("Maneuver", {"equal": 0}, "mb-no-such-row"),
    ],
)
def test_circumstances_that_do_not_fit(
    skill: str, chosen: dict[str, int | None], code: str
) -> None:
    with pytest.raises(InvalidInput, match=code):
        circumstance_causes(skill, chosen)


@pytest.mark.rule("MB-INT-01")
def test_some_circumstances_are_open() -> None:
    for skill, name, number in (
        ("Charm", "enemy", 99),
        ("Charm", "agreeable", -9),
        ("Charm", "insulted", 2),
        ("Interrogation", "die_first", 30),
        ("Interrogation", "helpful", -12),
    ):
        assert circumstance_causes(skill, {name: number})[1] == (
            (f"{skill.casefold()}-{name.replace('_', '-')}", number),
        )


@pytest.mark.rule("MB-INT-05", "MB-CMB-04")
def test_who_maneuvers() -> None:
    found = [
        interaction_rules.maneuver_penalty(each)
        for each in ("Maneuver", "Acrobatics", "Flight", "Running")
    ]
    assert found == [0, 2, 0, None]
    assert [
        interaction_rules.maneuver_penalty("Martial Arts", each)
        for each in ("judo", "ninjitsu", "karate")
    ] == [
        0,
        0,
        None,
    ]


@pytest.mark.rule("MB-INT-02")
def test_the_cap_on_talk() -> None:
    assert [Result(*each).points for each in ((14, 0, 10), (8, 0, 10), (14, 0, None))] == [
        10,
        8,
        14,
    ]


@pytest.mark.rule("MB-LP-04")
@given(
    st.sampled_from([(column, result) for column in _COLUMNS for result in ladder(column)]),
    st.integers(0, 7),
)
def test_points_lower_a_result_step_by_step(result: tuple[Column, str], cards: int) -> None:
    column, name = result
    at = ladder(column).index(name)
    if cards > at:
        with pytest.raises(Impossible, match="mb-nothing-to-lower") as refused:
            interaction_rules.lower_result(column, name, cards=cards)
        assert refused.value.params == {"steps": at}
    else:
        assert (
            interaction_rules.lower_result(column, name, cards=cards) == ladder(column)[at - cards]
        )


@pytest.mark.rule("MB-LP-04")
def test_one_own_point_lowers_a_result() -> None:
    assert interaction_rules.lower_result("maneuver", "stymied_fatigued", own=1) == "stymied"
    assert (
        interaction_rules.lower_result("maneuver", "setback_fatigued", own=1, cards=1) == "stymied"
    )
    assert interaction_rules.lower_result("general", "minimal", own=1) == "none"
    with pytest.raises(Impossible, match="mb-one-own-point"):
        interaction_rules.lower_result("intimidation", "break", own=2)


@pytest.mark.rule("MB-INT-11")
def test_what_results_do() -> None:
    assert interaction_rules.result_effect("stymied") == EffectKind(
        "stymied", (interaction_rules.STYMIED,)
    )
    assert interaction_rules.result_effect("untrained") == EffectKind(
        "untrained", (interaction_rules.UNTRAINED,)
    )
    assert interaction_rules.result_effect("setback") == EffectKind(
        "setback", (interaction_rules.SETBACK,)
    )
    assert interaction_rules.result_effect("break") == EffectKind(
        "break", (interaction_rules.BREAK,)
    )
    assert interaction_rules.result_effect("up_setback") == EffectKind(
        "up_setback", (interaction_rules.SETBACK,), (interaction_rules.UP,)
    )
    assert interaction_rules.result_effect("fatigued") == EffectKind("fatigued", shock=2)
    assert interaction_rules.result_effect("stymied_fatigued") == EffectKind(
        "stymied_fatigued", (interaction_rules.STYMIED,), shock=2
    )
    assert interaction_rules.result_effect("setback_fatigued") == EffectKind(
        "setback_fatigued", (interaction_rules.SETBACK,), shock=2
    )
    assert interaction_rules.result_effect("players_call") == EffectKind("players_call")
    assert interaction_rules.result_effect("solid") == EffectKind("solid")
    for column in _COLUMNS[1:]:
        assert set(ladder(column)) - {"none"} <= set(EFFECTS)
