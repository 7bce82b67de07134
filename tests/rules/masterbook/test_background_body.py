"""What options do to a body: healing, Toughness, wounds, weapons, surprise (MB-BG-21, MB-BG-30)."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Impossible
from rules.core.rng import ScriptedRng
from rules.systems.masterbook.character.creation_pages import PAGES
from rules.systems.masterbook.character.derived_values import capacity_of, rates_of, toughness_of
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    attribute,
    attribute_limit,
    natural_weapons,
    option_effects,
)
from rules.systems.masterbook.checks.roll_sources import learned_sources
from rules.systems.masterbook.combat import due_healing, healing
from rules.systems.masterbook.combat.resolution import is_damage_of
from rules.systems.masterbook.formulas import attack_options, damage, equipment
from rules.systems.masterbook.formulas.damage import DAY, HOUR, Harm
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.systems.masterbook.system import SYSTEM
from rules.table.state import Settings, TableState
from rules.table.system import Game
from tests.rules.masterbook.test_options import make_options
from tests.sample_table import GM

THIRD = option_effects(
    MasterbookSheet(advantages=make_options("advantage", "Accelerated Healing (CIII)"))
).healing
FOURTH = option_effects(
    MasterbookSheet(advantages=make_options("advantage", "Accelerated Healing (CIV)"))
).healing


def gifted(*lines: str, **sheet: Any) -> MasterbookSheet:
    return MasterbookSheet(**sheet, advantages=make_options("advantage", *lines))


@pytest.mark.rule("MB-BG-21", "MB-CHAR-04", "MB-CHAR-05", "MB-CHAR-06", "MB-CHAR-13")
@pytest.mark.parametrize(
    ("strength", "toughness"),
    # 7 to 8 stays in its row, 9 to 10 crosses into the next: both are one more.
    [(7, (9, 10)), (9, (9, 10)), (13, (10, 11))],
)
def test_an_attribute_point_is_one_toughness(strength: int, toughness: tuple[int, int]) -> None:
    plain = MasterbookSheet(strength=strength)
    strong = gifted("Additional Attribute Point (CIII): Strength", strength=strength)
    assert (toughness_of(plain), toughness_of(strong)) == toughness
    assert attribute(strong, "strength") == strength + 1
    assert (attribute_limit(plain, "strength"), attribute_limit(strong, "strength")) == (13, 14)
    assert attribute_limit(strong, "mind") == 13


@pytest.mark.rule("MB-BG-21", "MB-CHAR-05")
def test_maxima_of_movement_are_raised_with_the_attribute() -> None:
    plain = MasterbookSheet(agility=13, strength=13)
    quick = gifted("Additional Attribute Point (CIII): Agility", agility=13, strength=13)
    assert dict(rates_of(plain)) == {"ground": 8, "swimming": 5, "climbing": 3, "jumping": 3}
    assert dict(rates_of(quick)) == {"ground": 9, "swimming": 6, "climbing": 4, "jumping": 4}


@pytest.mark.rule("MB-BG-21", "MB-CHAR-06", "MB-CHAR-17")
def test_an_attribute_point_raises_shock_capacity_and_skills() -> None:
    sheet = gifted("Additional Attribute Point (CIII): Endurance", endurance=9)
    assert capacity_of(sheet) == 10
    agile = MasterbookSheet(
        advantages=make_options("advantage", "Additional Attribute Point (CIII): Agility"),
        skills=sheet.skills,
    )
    assert attribute(agile, "agility") == 9
    assert all(each.value(agile) == 9 for each in learned_sources(agile))


@pytest.mark.rule("MB-BG-30", "MB-HEAL-01")
@pytest.mark.parametrize(
    ("wounds", "plain", "third", "fourth"),
    [
        (1, (10, DAY), (10, 12 * HOUR), (10, HOUR)),
        (2, (12, DAY), (10, DAY), (10, DAY)),
        (3, (14, 3 * DAY), (12, DAY), (10, DAY)),
        (4, (16, 3 * DAY), (14, 3 * DAY), (12, DAY)),
        # The lighter row of the mortal takes longer; nobody heals slower for an ability.
        (5, (18, DAY), (16, DAY), (14, DAY)),
    ],
)
def test_wounds_heal_by_a_lighter_row(
    wounds: int, plain: tuple[int, int], third: tuple[int, int], fourth: tuple[int, int]
) -> None:
    for ability, row in ((damage.PLAIN_HEALING, plain), (THIRD, third), (FOURTH, fourth)):
        found = (
            damage.healing_level(wounds, ability).healing,
            damage.seconds_to_heal(wounds, ability),
        )
        assert found == row


@pytest.mark.rule("MB-BG-30")
def test_a_light_wound_heals_without_a_roll_after_an_hour() -> None:
    hurt = Harm(wounds=1)
    early, facts = damage.pass_time(hurt, HOUR - 1, 9, healing=FOURTH)
    assert (early.wounds, facts) == (1, ())
    assert not due_healing.is_due(early, FOURTH)
    with pytest.raises(Impossible, match="mb-not-yet"):
        healing.healing_difficulty(early, FOURTH)
    now, facts = damage.pass_time(early, 1, 9, healing=FOURTH)
    assert (now.wounds, facts) == (0, (("healed", 0),))
    still, facts = damage.pass_time(hurt, HOUR, 9, healing=THIRD)
    assert (still.wounds, facts) == (1, ())


@pytest.mark.rule("MB-BG-30")
def test_a_round_of_rest_takes_shock_off() -> None:
    tired = Harm(shock=4, k=600, o=True)
    assert damage.rest_a_round(tired, damage.PLAIN_HEALING) == (tired, ())
    now, facts = damage.rest_a_round(tired, THIRD)
    assert (now.shock, now.k, now.o, facts) == (3, 600, True, (("recovered", 1),))
    now, facts = damage.rest_a_round(tired, FOURTH)
    assert (now, facts) == (Harm(), (("recovered", 4), ("k_over", 0)))
    bleeding = Harm(shock=4, bleeders=1)
    assert damage.rest_a_round(bleeding, THIRD) == (bleeding, ())
    assert damage.rest_a_round(bleeding, FOURTH)[0].shock == 4


@pytest.mark.rule("MB-BG-30", "MB-DMG-05")
def test_time_takes_shock_off_faster() -> None:
    tired = Harm(shock=9, fainted=False)
    left = [
        damage.pass_time(tired, 60, 12, healing=ability)[0].shock
        for ability in (damage.PLAIN_HEALING, THIRD, FOURTH)
    ]
    assert left == [8, 3, 0]
    out = Harm(shock=9, fainted=True, out_for=60)
    now, facts = damage.begin_round(out, 9, healing=FOURTH)
    assert (now, dict(facts)) == (Harm(), {"recovered": 9, "awake": 0})


@pytest.mark.rule("MB-BG-30")
def test_skin_fails_against_one_kind_of_damage() -> None:
    tough = gifted("Special Abilities (CIII): Toughened Skin; except: fire")
    assert toughness_of(tough) == toughness_of(MasterbookSheet()) + 3
    assert option_effects(tough).gapped_toughness == ((3, "fire"),)
    armored = gifted("Special Abilities (CIV): Natural Armor; toughness: 4")
    assert toughness_of(armored) == toughness_of(MasterbookSheet()) + 4
    assert option_effects(armored).gapped_toughness == ()
    assert is_damage_of("Bullets", "bullet")
    assert not is_damage_of("fire", "blade")
    assert not is_damage_of("fire", "")


@pytest.mark.rule("MB-BG-30")
def test_hardiness_takes_off_wounds_alone() -> None:
    hit = Damage(wounds=3, knockdown=True, ko="K", shock=3)
    assert damage.with_fewer_wounds(hit, 1) == Damage(wounds=2, knockdown=True, ko="K", shock=3)
    graze = Damage(knockdown=True, ko="O", shock=3)
    assert damage.with_fewer_wounds(graze, 1) == graze


@pytest.mark.rule("MB-BG-30", "MB-DMG-01")
def test_natural_weapons_are_weapons() -> None:
    sheet = gifted(
        'Special Abilities (CIII): Natural Hand-to-Hand Weapons; damage: 3; "Claws"',
        "Special Abilities (CIII): Natural Ranged Weapons; missile damage: 14",
        strength=9,
        endurance=8,
    )
    claws, spit = natural_weapons(sheet)
    assert (claws.name, claws.use, claws.skill) == ("Claws", "hand", "Unarmed Combat")
    assert equipment.damage_value(claws, 9) == 12
    assert equipment.damage_value(claws.replace(maximum=11), 9) == 11
    assert (spit.name, spit.use, spit.skill) == ("Natural missiles", "missile", "Dexterity")
    assert (equipment.damage_value(spit, 9), spit.reach) == (14, 40)
    (reach,) = equipment.weapon_reaches(spit, 9)
    assert (reach.limit, equipment.range_modifier(spit, reach)) == (40, 0)
    assert equipment.reach_at(spit, 41) is None


@pytest.mark.rule("MB-BG-30")
@pytest.mark.parametrize(("damage_", "value"), [("STR+4", 13), ("15", 15)])
def test_natural_weapons_of_column_iv(damage_: str, value: int) -> None:
    for name in ("Natural Hand-to-Hand Weapons", "Natural Ranged Weapons"):
        sheet = gifted(f"Special Abilities (CIV): {name}; damage: {damage_}", strength=9)
        (weapon,) = natural_weapons(sheet)
        assert equipment.damage_value(weapon, 9) == value


@pytest.mark.rule("MB-BG-30")
def test_multiple_abilities_are_two_of_column_iii() -> None:
    sheet = gifted(
        "Special Abilities (CIV): Natural Hand-to-Hand Weapons, Natural Ranged Weapons; "
        "damage: 2; missile damage: 13"
    )
    claws, spit = natural_weapons(sheet)
    assert (claws.add, claws.dv, spit.dv) == (2, None, 13), "not as those of column IV"
    both = gifted("Special Abilities (CIV): Combat Sense, Fast")
    effects = option_effects(both)
    assert (effects.surprise_steps, effects.initiative, effects.hastes) == (1, 3, 3)


@pytest.mark.rule("MB-BG-30", "MB-SUR-01")
def test_combat_sense_makes_surprise_a_step_less() -> None:
    found = [attack_options.lessened_surprise(each, 1) for each in ("complete", "partial", "none")]
    assert found == ["partial", "none", "none"]
    assert attack_options.lessened_surprise("aim", 1) == "aim"


@pytest.mark.rule("MB-BG-21", "MB-CHAR-02")
def test_an_attribute_point_of_an_option_costs_no_point() -> None:
    game = Game(
        TableState(Settings("Hills", "masterbook", ("p1",))), SYSTEM, ScriptedRng(()), 0, GM
    )
    page = next(page for page in PAGES if page.key == "attributes")
    point = {"name": "Additional Attribute Point", "column": 3, "targets": ["strength"]}
    draft = {"advantages": [point]}
    (plain,) = page.holds(game, {})
    (raised,) = page.holds(game, draft)
    assert plain == raised
    shown = page.follows(game, draft)
    assert any(each.params.get("toughness") == 10 for each in shown), shown
