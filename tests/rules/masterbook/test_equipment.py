"""Weapons, armor, ammunition, grenades and what is to be had under MasterBook."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput
from rules.core.rng import ScriptedRng
from rules.systems.masterbook.character.sheet import Arm, Layer, MasterbookSheet, weapon_of
from rules.systems.masterbook.character.sheet_lines import layer_line, read_layer
from rules.systems.masterbook.combat.declaration import AttackPlan
from rules.systems.masterbook.combat.resolution import worn_armor
from rules.systems.masterbook.formulas import equipment
from rules.systems.masterbook.formulas.equipment import (
    ARMOR,
    CLASSES,
    CLEAR,
    SPOTS,
    UNARMED,
    WEAPONS,
    ArmorKind,
    CampaignRows,
    WeaponKind,
    armored_toughness,
    damage_value,
    rounds_after_attack,
)
from rules.systems.masterbook.formulas.reference_rows import OPTIONS, cause_total
from rules.systems.masterbook.formulas.skills import SKILLS

GRENADE = WEAPONS["Fragmentation grenade"]


@pytest.mark.rule("MB-EQ-01", "MB-DMG-01")
def test_a_fixed_damage_value_is_the_same_in_every_hand() -> None:
    rifle = WEAPONS["Light rifle (.22 Long)"]
    assert {damage_value(rifle, strength) for strength in (1, 30)} == {16}
    assert damage_value(rifle, 8, reach="point_blank", close=True) == 18
    assert (
        damage_value(rifle, 8, reach="point_blank")
        == damage_value(rifle, 8, reach="long", close=True)
        == 16
    )
    assert damage_value(WEAPONS["Uzi SMG (9mm)"], 8, reach="point_blank", close=True) == 19


@pytest.mark.rule("MB-EQ-02", "MB-EQ-23")
@pytest.mark.parametrize(
    ("kind", "limits", "modifiers"),
    [
        ("pistol", (3, 10, 25, 50, 150), (2, 1, 0, -1, -3)),
        ("rifle", (4, 15, 50, 150, 250), (-2, 0, 2, 0, -1)),
        ("shotgun", (4, 20, 30, 75, 125), (1, 3, 0, -1, -3)),
        ("submachinegun", (4, 10, 20, 50, 75), (4, 3, 0, -2, -5)),
        ("assault_rifle", (3, 15, 40, 75, 150), (2, 2, 0, -2, -4)),
        ("machinegun", (5, 15, 75, 150, 500), (-4, 0, 1, -1, -2)),
        ("throwing_knives_stars_darts", (2, 5, 8, 15), (2, 0, -2, -4)),
        ("slings", (3, 6, 15, 20, 30), (-3, 0, 0, -2, -4)),
        ("small_bows", (3, 10, 20, 30, 50), (-1, 0, 1, 0, -2)),
        ("large_bows", (3, 15, 30, 50, 100), (-2, 0, 0, -1, -2)),
        ("crossbows", (4, 10, 20, 40, 75), (2, 1, 0, -1, -2)),
    ],
)
def test_ranges(kind: str, limits: tuple[int, ...], modifiers: tuple[int, ...]) -> None:
    weapon = WeaponKind("", CLASSES[kind].skill, kind)
    found = [equipment.reach_at(weapon, each) for each in limits]
    assert [equipment.range_modifier(weapon, each) for each in found if each is not None] == list(
        modifiers
    )
    beyond = [equipment.reach_at(weapon, each + 0.5) for each in limits]
    assert beyond[:-1] == found[1:]
    assert beyond[-1] is None


@pytest.mark.rule("MB-EQ-03")
def test_ways_to_fire() -> None:
    assert equipment.fire_modes(WEAPONS["12 gauge shotgun"]) == ("single", "single_as_multi")
    single = WEAPONS["12 gauge shotgun"].replace(modes=("single",))
    assert equipment.fire_modes(single) == ("single",)
    gun = WEAPONS["Chain gun (7.62)"]
    assert (equipment.fire_modes(gun), equipment.fire_modes(gun, 1)) == (
        ("full_auto",),
        ("single",),
    )
    assert equipment.fire_modes(WEAPONS["Knife"]) == ()
    assert all(mode in OPTIONS for each in CLASSES.values() for mode in each.modes)
    rifle = WEAPONS["AK-47 assault rifle (7.62)"]
    reach = equipment.reach_at(rifle, 10)
    assert reach is not None
    modes = ("burst", "full_auto", "single", "single_as_multi")
    assert [equipment.range_modifier(rifle, reach, each) for each in modes] == [2, 2, 0, 0]


@pytest.mark.rule("MB-EQ-04")
def test_ammunition() -> None:
    assert [equipment.burst_rounds(each) for each in (None, 6, 20, 25, 30, 100)] == [
        3,
        3,
        4,
        5,
        5,
        5,
    ]
    assert (
        rounds_after_attack(6, "single"),
        rounds_after_attack(6, "single_as_multi"),
        rounds_after_attack(6, "single_as_multi", shots=4),
    ) == (
        5,
        4,
        2,
    )
    assert (
        rounds_after_attack(30, "burst", 30),
        rounds_after_attack(30, "full_auto", 30),
        rounds_after_attack(5, "burst_as_single", 30),
    ) == (25, 0, 4)
    for left, mode, need in (
        (0, "single", 1),
        (1, "single_as_multi", 2),
        (4, "burst", 5),
        (4, "full_auto", 5),
    ):
        with pytest.raises(Impossible, match="mb-no-rounds") as refused:
            rounds_after_attack(left, mode, 30)
        assert refused.value.params == {"need": need, "left": left}


@pytest.mark.rule("MB-EQ-05")
def test_how_weapons_stand() -> None:
    names = (
        "Colt .45 revolver",
        "12 gauge shotgun",
        "Uzi SMG (9mm)",
        "Fragmentation grenade",
        "Knife",
    )
    found = [WEAPONS[each].law for each in names]
    assert found == ["legal", "conspicuous", "restricted", "restricted", ""]


@pytest.mark.rule("MB-EQ-10")
def test_how_far_somebody_throws() -> None:
    assert [float(each.limit) for each in equipment.weapon_reaches(GRENADE, 8)] == [
        2.5,
        6,
        10,
        15,
        25,
    ]
    assert [each.name for each in equipment.weapon_reaches(GRENADE, 6) if each.empty] == ["short"]
    assert [each.name for each in equipment.weapon_reaches(GRENADE, 5) if each.empty] == [
        "short",
        "medium",
    ]
    weak = equipment.weapon_reaches(GRENADE, 3)
    assert [each.value for each in weak] == [2, 0, 0, 1, 2]
    assert [each.name for each in weak if not each.empty] == ["point_blank"]
    far = equipment.reach_at(GRENADE, 6.5, 8)
    assert far is not None
    assert far.name == "medium"
    assert equipment.reach_at(GRENADE, 26, 8) is None


@pytest.mark.rule("MB-EQ-11")
def test_a_place_to_throw_at() -> None:
    assert [cause_total(equipment.throw_difficulty(each)) for each in SPOTS] == [0, 5, 10, 15, 20]
    found = equipment.throw_difficulty("long", ["no_line_of_sight", "uneven", "very_hard"])
    assert found == (("range_long", 15), ("no_line_of_sight", 5), ("uneven", 3), ("very_hard", 3))
    assert cause_total(equipment.throw_difficulty("point_blank", ["very_soft"])) == -3
    with pytest.raises(InvalidInput, match="mb-options-exclude"):
        equipment.throw_difficulty("long", ["very_hard", "very_soft"])


@pytest.mark.rule("MB-EQ-12")
def test_a_grenade_that_misses_its_place() -> None:
    found = [equipment.direction(face) for face in range(1, 11)]
    assert found == ["back"] * 2 + ["right"] * 3 + ["left"] * 3 + ["over"] * 2
    assert equipment.roll_deviation("extreme", ScriptedRng([9, 1]), "random") == ("over", 6)
    assert equipment.roll_deviation("extreme", ScriptedRng([9, 10]), "random") == ("over", 15)
    assert equipment.roll_deviation("medium", ScriptedRng([1]), "by_miss", miss=1) == ("back", 4)
    assert equipment.roll_deviation("medium", ScriptedRng([1]), "by_miss", miss=30) == ("back", 6)
    assert equipment.roll_deviation("short", ScriptedRng([7]), "gm", meters=4) == ("left", 4)
    for meters in (None, 2, 6):
        with pytest.raises(InvalidInput, match="mb-bad-meters"):
            equipment.roll_deviation("short", ScriptedRng([7]), "gm", meters=meters)


@pytest.mark.rule("MB-EQ-13")
def test_a_blast() -> None:
    assert [equipment.blast_zone(each) for each in (0, 1, 1.5, 3, 3.1, 6, 6.1)] == [
        1,
        1,
        2,
        2,
        3,
        3,
        CLEAR,
    ]
    assert [equipment.blast_damage_value(23, each) for each in (1, 2, 3)] == [25, 23, 21]
    assert equipment.blast_damage_value(23, 1, points=4) == 29
    assert GRENADE.blast


@pytest.mark.rule("MB-EQ-14")
@given(st.integers(1, 3), st.integers(0, 6))
def test_getting_clear_of_a_blast(zone: int, rank: int) -> None:
    found = equipment.zone_after_dodge(zone, rank)
    assert zone <= found <= CLEAR
    assert found == CLEAR or found - zone == min(rank, 3)
    assert (equipment.CLEARING, equipment.zone_after_dodge(zone, 0)) == (12, zone)


@pytest.mark.rule("MB-EQ-20")
def test_a_maximum_holds_even_the_strong() -> None:
    bottle = WEAPONS["Broken bottle"]
    assert [damage_value(bottle, each) for each in (8, 12, 13, 16)] == [10, 14, 14, 14]
    assert damage_value(UNARMED, 16) == 16


@pytest.mark.rule("MB-EQ-21", "MB-EQ-23")
def test_weapons_of_the_arm() -> None:
    adds = {
        "Pocketknife": 1,
        "Knife": 3,
        "Short sword": 5,
        "Broadsword": 8,
        "Battle-axe": 10,
        "Compound bow": 11,
    }
    assert {name: damage_value(WEAPONS[name], 9) - 9 for name in adds} == adds
    bat = WEAPONS["Baseball bat"]
    assert (damage_value(bat, 9), damage_value(bat, 9, bump=2)) == (14, 16)
    assert damage_value(WEAPONS["Knife"], 9, bump=2) == 12
    assert damage_value(UNARMED, 9, bump=2) == 9
    stone = equipment.as_thrown(WEAPONS["Small rock"])
    assert (stone.skill, stone.use, damage_value(stone, 10)) == ("Thrown Weapons", "missile", 11)
    assert equipment.as_thrown(GRENADE) == GRENADE
    with pytest.raises(Impossible, match="mb-not-thrown"):
        equipment.as_thrown(WEAPONS["Broadsword"])


def test_rows_name_what_there_is() -> None:
    for each in WEAPONS.values():
        assert each.skill in SKILLS
        assert each.kind in CLASSES or not each.kind
        assert (each.dv is None) != (each.add == 0)


@pytest.mark.rule("MB-EQ-22", "MB-DMO-02")
def test_what_can_be_used_without_killing() -> None:
    assert UNARMED.nonlethal
    kinds = {name for name, each in WEAPONS.items() if each.nonlethal}
    assert {"Small rock", "Baseball bat", "Short bow", "Bolo"} <= kinds
    assert not {"Knife", "Broadsword", "Mace", "Long bow"} & kinds


def test_a_carried_weapon_has_its_own_numbers() -> None:
    own = weapon_of(Arm("Knife", maximum=15), None)
    assert [damage_value(own, each) for each in (9, 14)] == [12, 15]
    made = weapon_of(Arm("Ray gun", dv=30, kind="pistol"), None)
    assert (made.skill, made.use, damage_value(made, 8)) == ("Fire Combat", "fire", 30)
    stick = weapon_of(Arm("Stick", add=2), None)
    assert (stick.skill, stick.use, damage_value(stick, 8)) == ("Melee Combat", "hand", 10)
    ray = weapon_of(Arm("Ray gun", dv=30, kind="pistol", skill="Energy Weapons"), None)
    assert ray.skill == "Energy Weapons"
    rows = CampaignRows(
        weapons=(WeaponKind("Ray gun", "Energy Weapons", "pistol", dv=30),),
        armour=(ArmorKind("Field", 12),),
    )
    assert equipment.equipment_by_name(rows, "weapons")["Ray gun"].dv == 30
    assert equipment.equipment_by_name(rows, "armour")["Field"].add == 12
    assert "Ray gun" not in equipment.equipment_by_name(CampaignRows(), "weapons")


@pytest.mark.rule("MB-SKILL-COMBAT")
def test_who_can_reload_heavy_weapons() -> None:
    gun, pistol = WEAPONS["Chain gun (7.62)"], WEAPONS["Colt .45 revolver"]
    assert [equipment.may_reload(each, trained=False) for each in (gun, pistol)] == [False, True]
    assert equipment.may_reload(gun, trained=True)


layers = st.lists(
    st.builds(
        ArmorKind, st.just(""), st.integers(0, 12), st.one_of(st.none(), st.integers(10, 30))
    ),
    max_size=4,
)


@pytest.mark.rule("MB-EQ-30")
@given(st.integers(4, 30), layers)
def test_armor_adds_up_to_its_maximum_and_never_lowers(
    toughness: int, worn: list[ArmorKind]
) -> None:
    found = armored_toughness(toughness, worn)
    assert toughness <= found <= toughness + sum(each.add for each in worn)
    for each in worn:
        assert armored_toughness(toughness, [each.replace(maximum=None)]) == toughness + each.add
    if all(each.maximum is not None and each.maximum <= toughness for each in worn):
        assert found == toughness


@pytest.mark.rule("MB-EQ-30")
def test_armor_named_on_a_sheet_keeps_the_maximum_of_its_row() -> None:
    row = read_layer("heavy adventurer's clothing; torso")
    assert row == {
        "name": "Heavy adventurer's clothing",
        "add": 1,
        "maximum": 15,
        "covers": ["torso"],
    }
    assert read_layer(layer_line(row)) == row
    assert "maximum" not in read_layer("Heavy furs")


@pytest.mark.rule("MB-EQ-31", "MB-EQ-32")
def test_armor_that_tires_and_armor_in_parts() -> None:
    coat, plate = ARMOR["Heavy padding"], ARMOR["Plate armor"]
    assert (equipment.is_encumbering([coat]), equipment.is_encumbering([coat, plate])) == (
        False,
        True,
    )
    assert (
        equipment.fatigue_shock(2, [plate], 1),
        equipment.fatigue_shock(2, [coat], 1),
        equipment.fatigue_shock(2, [plate], 0),
    ) == (3, 2, 2)
    sheet = MasterbookSheet(
        toughness=9, armour=(Layer("Plate", 10, covers=("chest",)), Layer("Coat", 2))
    )
    parts = [
        worn_armor(sheet, AttackPlan(options=(each,)), partial=True) for each in ("arm", "chest")
    ]
    assert (parts, worn_armor(sheet, AttackPlan(options=("arm",)))) == ([2, 12], 12)


@pytest.mark.rule("MB-EQ-50", "MB-EQ-51")
def test_what_is_to_be_had() -> None:
    assert [equipment.availability_difficulty(each) for each in range(6)] == [
        3,
        10,
        15,
        20,
        30,
        None,
    ]
    assert [equipment.reachable_code(0, steps) for steps in range(5)] == [0, 1, 2, None, None]
    assert equipment.reachable_code(1, 2) == 3
