"""Attacks, options, cover and surprise under MasterBook."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.formulas import attack_options
from rules.systems.masterbook.formulas.attack_options import (
    attack_modifiers,
    combine_options,
    damage_modifiers,
    declare_strike,
)
from rules.systems.masterbook.formulas.equipment import UNARMED, WEAPONS, WeaponKind
from rules.systems.masterbook.formulas.reference_rows import FOCUSES, OPTIONS, cause_total

UZI, AK, KNIFE = WEAPONS["Uzi SMG (9mm)"], WEAPONS["AK-47 assault rifle (7.62)"], WEAPONS["Knife"]
COLT, SWORD, BOW = WEAPONS["Colt .45 revolver"], WEAPONS["Broadsword"], WEAPONS["Long bow"]


@pytest.mark.rule("MB-CMB-01", "MB-OPT-03")
def test_what_is_held_reaches_two_meters_and_a_lunge_four() -> None:
    assert attack_modifiers(declare_strike(KNIFE, 2)) == ()
    assert attack_modifiers(declare_strike(KNIFE, 3, ["short_range"])) == (("short_range", -3),)
    with pytest.raises(Impossible, match="mb-out-of-reach") as refused:
        declare_strike(KNIFE, 3)
    assert refused.value.params["lunge"] is True
    for meters, options in ((5, []), (5, ["short_range"]), (1, ["short_range"])):
        with pytest.raises(Impossible, match="mb-out-of-reach") as refused:
            declare_strike(KNIFE, meters, options)
        assert refused.value.params["lunge"] is False


@pytest.mark.rule("MB-CMB-01", "MB-CMB-05", "MB-OPT-01", "MB-OPT-05", "MB-MUL-01")
def test_every_cause_of_an_attack_has_a_name() -> None:
    shot = declare_strike(COLT, 20, ["aimed_last_round", "head", "single_as_multi"])
    assert attack_modifiers(shot, rank=-2, handling=1) == (
        ("aimed_last_round", 2),
        ("head", -8),
        ("single_as_multi", 2),
        ("handling", 1),
        ("multi_action", -2),
    )
    assert damage_modifiers(shot, handling=1) == (
        ("aimed_last_round", 1),
        ("head", 12),
        ("single_as_multi", 1),
        ("handling", -1),
    )
    assert attack_modifiers(declare_strike(COLT, 3)) == (("range_point_blank", 2),)
    with pytest.raises(Impossible, match="mb-out-of-range") as refused:
        declare_strike(COLT, 151)
    assert refused.value.params == {"meters": "151", "most": "150"}


@pytest.mark.rule("MB-CMB-02", "MB-CMB-03", "MB-DIE-07")
def test_defense_passive_and_active() -> None:
    assert attack_options.passive_defense_value(12, (("wounds", -3),)) == 9
    assert (
        attack_options.active_defense_floor(),
        attack_options.active_defense_floor("judo"),
        attack_options.active_defense_floor("karate"),
    ) == (3, 4, 3)
    nothing = {"acted": False, "surprised": False, "all_out": False}
    assert attack_options.no_defense_reason(**nothing) == ""
    for why in nothing:
        assert attack_options.no_defense_reason(**{**nothing, why: True}) == why


@pytest.mark.rule("MB-CMB-04", "MB-SKILL-COMBAT", "MB-SKILL-DODGE")
def test_what_defends_against_what() -> None:
    found = [attack_options.defense_skill(each.use, armed=True) for each in (KNIFE, COLT, BOW)]
    assert found == ["Melee Parry", "Dodge", "Dodge"]
    assert attack_options.defense_skill("hand", armed=False) == "Unarmed Parry"
    assert attack_options.stands_in_for_defense("judo", "Dodge")
    assert attack_options.stands_in_for_defense("kendo", "Melee Parry")
    assert not attack_options.stands_in_for_defense("karate", "Dodge")


@pytest.mark.rule("MB-OPT-01", "MB-OPT-02", "MB-OPT-03", "MB-OPT-05")
@pytest.mark.parametrize(
    ("option", "numbers"),
    [
        ("burst_as_single", (-1, 0, -2)),
        ("full_auto", (3, -1, 1)),
        ("single_as_multi", (2, 0, 1)),
        ("aim", (0, -2, 0)),
        ("aimed_last_round", (2, 0, 1)),
        ("trick_shot", (-4, 0, 2)),
        ("sweep_ranged", (2, 0, -5)),
        ("short_range", (-3, -2, -1)),
        ("sweep_hand_to_hand", (3, -1, -5)),
        ("grab", (-1, -4, -3)),
        ("knockdown", (-3, 0, 0)),
        ("all_out", (4, -6, 1)),
        ("head", (-8, 0, 12)),
        ("chest", (-2, 0, 3)),
        ("abdomen", (-4, 0, 6)),
        ("arm", (-3, 0, -2)),
        ("leg", (-2, 0, -1)),
        ("blindside", (2, 0, 0)),
        ("partial", (2, 0, 0)),
        ("complete", (5, 0, -2)),
    ],
)
def test_the_numbers_of_options(option: str, numbers: tuple[int, int, int]) -> None:
    found = combine_options([option])
    assert (
        cause_total(found.attack),
        cause_total(found.defense),
        cause_total(found.damage),
    ) == numbers
    assert OPTIONS[option].active is (option != "all_out")
    assert OPTIONS[option].foe_active is (option != "complete")
    assert attack_options.has_effect([option], "waits") is (option == "aim")
    assert attack_options.has_effect([option], "fells") is (option == "knockdown")
    assert attack_options.has_effect([option], "holds") is (option == "grab")


@pytest.mark.rule("MB-OPT-04")
@given(st.sets(st.sampled_from(sorted(OPTIONS))))
def test_options_add_up_and_one_of_a_group_excludes_the_others(options: set[str]) -> None:
    groups = [OPTIONS[each].group for each in options if OPTIONS[each].group]
    if len(groups) > len(set(groups)):
        with pytest.raises(InvalidInput, match="mb-options-exclude"):
            combine_options(options)
        return
    found = combine_options(options)
    for what in ("attack", "defense", "damage"):
        assert cause_total(getattr(found, what)) == sum(
            getattr(OPTIONS[each], what) for each in options
        )


@pytest.mark.rule("MB-OPT-01", "MB-OPT-04")
def test_only_a_trick_shot_has_other_numbers() -> None:
    found = combine_options(["trick_shot"], {"trick_shot": (-6, -1, 0)})
    assert (found.attack, found.defense, found.damage) == (
        (("trick_shot", -6),),
        (("trick_shot", -1),),
        (),
    )
    with pytest.raises(InvalidInput, match="mb-option-fixed"):
        combine_options(["head"], {"head": (0, 0, 0)})
    with pytest.raises(InvalidInput, match="mb-option-unknown"):
        combine_options(["tickle"])


@pytest.mark.rule("MB-OPT-01", "MB-OPT-02", "MB-OPT-03", "MB-OPT-04")
def test_options_fit_the_weapon() -> None:
    for weapon, meters, option in ((KNIFE, 1, "aim"), (COLT, 5, "grab"), (BOW, 5, "sweep_ranged")):
        with pytest.raises(InvalidInput, match=r"mb-option-(unfit|needs)") as refused:
            declare_strike(weapon, meters, [option])
        allowed = refused.value.params["allowed"]
        assert isinstance(allowed, tuple)
        assert option not in allowed
    # A burst is what a submachinegun fires without being told, and enough for a sweep; a single
    # shot is not.
    assert cause_total(attack_modifiers(declare_strike(UZI, 15, ["sweep_ranged"]))) == 2
    with pytest.raises(InvalidInput, match="mb-option-needs") as refused:
        declare_strike(COLT, 5, ["sweep_ranged"])
    assert refused.value.params["allowed"] == ("burst", "full auto", "single as multi")


@pytest.mark.rule("MB-EQ-03")
def test_a_weapon_fires_as_it_can() -> None:
    assert (declare_strike(UZI, 5).mode, declare_strike(COLT, 5).mode) == ("burst", "single")
    with pytest.raises(InvalidInput, match="mb-mode-unfit") as refused:
        declare_strike(AK, 5, ["burst_as_single"])
    assert refused.value.params["allowed"] == ("burst", "single", "single as multi", "full auto")
    assert attack_modifiers(declare_strike(AK, 30, ["single"])) == (("range_medium", 1),)
    assert attack_modifiers(declare_strike(AK, 30)) == ()
    assert attack_modifiers(declare_strike(UZI, 3, ["burst_as_single"])) == (
        ("burst_as_single", -1),
    )
    gun = WEAPONS["Chain gun (7.62)"]
    assert cause_total(attack_modifiers(declare_strike(gun, 100))) == 2
    assert attack_modifiers(declare_strike(gun, 100, loaded=1)) == (("range_long", -1),)


@pytest.mark.rule("MB-COV-01")
@given(st.integers(0, 40), st.integers(0, 20), st.integers(0, 11))
def test_cover_takes_what_concealment_lets_through(total: int, defense: int, hidden: int) -> None:
    found = attack_options.resolve_through_cover(total, defense, hidden)
    if total < defense:
        assert (found.kind, found.points) == ("miss", None)
    elif total < defense + hidden:
        assert (found.kind, found.points) == ("through_cover", total - defense)
        assert (
            attack_options.resolve_through_cover(total, defense, hidden, counting="zero").points
            == 0
        )
    else:
        assert (found.kind, found.points) == ("clear_hit", total - defense - hidden)


@pytest.mark.rule("MB-COV-01")
def test_whoever_cannot_be_seen_at_all_is_hit_through_the_cover_or_indirectly() -> None:
    hidden = attack_options.concealment_bonus("complete_plus", 3)
    assert hidden == 18
    assert attack_options.resolve_through_cover(27, 10, hidden).kind == "miss"
    assert attack_options.resolve_through_cover(28, 10, hidden).kind == "through_cover"
    assert attack_options.resolve_through_cover(28, 10, hidden, indirect=True).kind == "clear_hit"
    assert (
        attack_options.resolve_through_cover(10, 10, hidden, indirect=True).kind == "through_cover"
    )
    names = ("one_quarter", "one_half", "three_quarter", "complete")
    assert [attack_options.concealment_bonus(each) for each in names] == [3, 5, 8, 12]


@pytest.mark.rule("MB-SUR-01")
def test_surprise() -> None:
    assert [
        attack_options.surprise_level(14, each, suspects=False) for each in (15, 14, 13, 10, 9)
    ] == [
        "none",
        "none",
        "partial",
        "partial",
        "complete",
    ]
    assert attack_options.surprise_level(14, 2, suspects=True) == "partial"
    both = combine_options(["blindside", "complete"])
    assert (cause_total(both.attack), cause_total(both.damage), OPTIONS["complete"].foe_active) == (
        7,
        -2,
        False,
    )
    with pytest.raises(InvalidInput, match="mb-options-exclude"):
        combine_options(["partial", "complete"])


@pytest.mark.rule("MB-SKILL-MARTIAL-ARTS")
def test_martial_arts_add_where_their_condition_is_met() -> None:
    def bonus(focus: str, *options: str, weapon: WeaponKind = UNARMED) -> int:
        return dict(attack_modifiers(declare_strike(weapon, 1, options, focus=focus))).get(focus, 0)

    assert (bonus("karate"), bonus("kick-fighting"), bonus("boxing"), bonus("judo")) == (2, 2, 0, 0)
    assert (bonus("kick-fighting", "grab"), bonus("karate", "grab")) == (0, 2), "that is no kick"
    assert (bonus("kendo", weapon=SWORD), bonus("kendo", weapon=KNIFE)) == (2, 0)
    assert (bonus("ninjitsu"), bonus("ninjitsu", "blindside")) == (0, 2)
    disarming = declare_strike(SWORD, 1, ["trick_shot", "disarm"], focus="kendo")
    assert cause_total(attack_modifiers(disarming)) == -4 + 2 + 2
    with pytest.raises(InvalidInput, match="mb-focus-unfit"):
        declare_strike(SWORD, 1, focus="karate")
    with pytest.raises(InvalidInput, match="mb-option-unfit"):
        declare_strike(UNARMED, 1, ["haymaker"])


@pytest.mark.rule("MB-SKILL-MARTIAL-ARTS")
def test_what_martial_artists_know() -> None:
    haymaker = combine_options(["haymaker"])
    assert (haymaker.strength, cause_total(haymaker.defense), OPTIONS["haymaker"].active) == (
        3,
        -1,
        True,
    )
    with pytest.raises(InvalidInput, match="mb-options-exclude"):
        combine_options(["haymaker", "all_out"])
    assert attack_options.has_effect(["combination"], "twice")
    assert OPTIONS["judo_throw"].columns == ("damage", "maneuver")
    assert OPTIONS["grapple"].columns == ("maneuver",) and attack_options.has_effect(
        ["grapple"], "holds"
    )
    assert (OPTIONS["hold"].columns, cause_total(combine_options(["hold"]).attack)) == (
        ("damage", "maneuver"),
        2,
    )
    assert attack_options.stands_in_for_defense("wrestling", "Unarmed Parry", ["judo_throw"])
    assert not attack_options.stands_in_for_defense("wrestling", "Unarmed Parry")
    assert (attack_options.has_escaped_hold(15, 15), attack_options.has_escaped_hold(16, 15)) == (
        False,
        True,
    )
    assert set(FOCUSES) == {
        "boxing",
        "judo",
        "karate",
        "kendo",
        "kick-fighting",
        "ninjitsu",
        "wrestling",
    }
