"""The rows of EGO: skills, advantages, effects, armor, weapons, vehicles, enemies."""

from __future__ import annotations

import pytest

from rules.systems.ego.formulas.reference_rows import SKILLS, Rows, rows_of, skills_of

EFFECTS = rows_of(Rows(), "effects")
ARMOR = rows_of(Rows(), "armour")
WEAPONS = rows_of(Rows(), "weapons")
VEHICLES = rows_of(Rows(), "vehicles")
ENEMIES = rows_of(Rows(), "enemies")


@pytest.mark.rule("EGO-EQP-02", "EGO-ARM-01")
def test_weapons_and_armor_have_the_numbers_of_the_tables() -> None:
    sword = WEAPONS["Sword, Bastard"]
    assert [(each.dice, each.flat) for each in sword.damage] == [(2, 0), (2, 2)]
    assert (sword.muscle, sword.cost, sword.skill, sword.adds_muscle) == (
        12,
        15,
        "Melee Combat",
        True,
    )
    dagger, rifle = WEAPONS["Dagger"], WEAPONS["Assault rifle"]
    assert (dagger.muscle, dagger.damage[0].dice, dagger.damage[0].flat) == (3, 1, 1)
    assert (rifle.limits, rifle.rate, rifle.automatic, rifle.cost) == (
        (150, 250, 350),
        2,
        True,
        1200,
    )
    assert [(each.dice, each.flat) for each in rifle.damage] == [(4, 2)]
    stun = WEAPONS["Stun Baton"]
    assert not stun.damage[0].lethal and stun.damage[0].dice == 2
    assert WEAPONS["Frag Grenade"].area == 15 and WEAPONS["Artillery"].muscle is None
    assert {name: each.ar for name, each in ARMOR.items()}["Plate"] == 12
    assert ARMOR["Powered armor"].threshold_factor == 2


@pytest.mark.rule("EGO-VEH-02")
def test_vehicles_have_the_numbers_of_the_tables() -> None:
    semi, jet, ship = VEHICLES["Semi"], VEHICLES["Fighter jet"], VEHICLES["Battleship"]
    assert (semi.sections, semi.damage_points, semi.speed_max, semi.maneuverability, semi.ar) == (
        8,
        18,
        8,
        -1,
        15,
    )
    assert (jet.speed_max, jet.speed_min, jet.acceleration) == (25, 5, 5)
    assert (ship.sections, ship.damage_points, ship.ar) == (30, 20, 10)


@pytest.mark.rule("EGO-SKL-03", "EGO-ADV-02", "EGO-FX-01", "EGO-NME-03", "EGO-SHT-01", "EGO-ART-01")
def test_skills_traits_effects_and_enemies_are_all_there() -> None:
    assert SKILLS["Stealth"].ability == "agility" and SKILLS["Stealth"].other == "intellect"
    assert SKILLS["Climbing"].ability == "muscle" and SKILLS["Social Skills"].ability == "intellect"
    assert SKILLS["Heavy Weapons"].ability == "muscle" and SKILLS["Pilot"].multiple
    specials = {each.name for skill in SKILLS.values() for each in skill.specialties}
    assert {
        "Breakfall",
        "Tumbling",
        "Fast Draw",
        "Sharpshooter",
        "Martial Arts",
        "Seduction",
    } <= specials
    assert {
        name: each.limit for name, each in rows_of(Rows(), "traits").items() if each.limit == 2
    } == {
        "Attractive": 2,
        "Unattractive": 2,
    }
    assert EFFECTS["Natural Weapon"].most == 4 and EFFECTS["Flight"].most is None
    orc, dragon = ENEMIES["Orc"], ENEMIES["Dragon"]
    assert (orc.att, orc.defence, orc.damage, orc.vitality, orc.ar) == (5, 2, (4,), 12, 5)
    assert dragon.damage == (12, 7, 5)


def test_a_campaign_adds_rows_and_puts_its_own_in_the_place_of_others() -> None:
    own = Rows(
        skills=(
            SKILLS["Stealth"].__class__("Stealth", "intellect"),
            SKILLS["Stealth"].__class__("Cooking", "intellect"),
        )
    )
    assert skills_of(own)["Stealth"].ability == "intellect" and "Cooking" in rows_of(own, "skills")
    assert "Cooking" not in SKILLS
