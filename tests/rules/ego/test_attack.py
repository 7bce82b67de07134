"""Attacks of EGO: what they cost, what is set against them, what they do, and who may know
of it.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ego.character.sheet import Arm, Power, Profile
from rules.systems.ego.formulas import damage
from rules.table.actions import SetOrder
from rules.table.blocks import Ref, Verdict
from rules.table.check import PASS
from rules.table.state import Encounter, Slot
from tests.rules.ego.play import PISTOL, RIFLE, SWORD, Play
from tests.rules.toy_table import codes
from tests.sample_table import ANN, BEN, GM, PLACE


def fight(number: int = 1, **settings: Any) -> Play:
    """A round of that number is under way."""
    play = Play(**settings)
    order = tuple(Slot("", each) for each in play.state.characters)
    return play.during(Encounter(PLACE, order, round=number))


def misses(dice: int) -> tuple[int, ...]:
    return (1,) * dice


# --- close combat ---------------------------------------------------------------------------------


@pytest.mark.rule("EGO-ATK-01", "EGO-DMG-01", "EGO-DMG-03", "EGO-DMG-04", "EGO-ARM-01")
def test_a_blow_that_hits_is_told_in_one_card() -> None:
    play = Play().begin(ANN, "attack", target="Boris", weapon=SWORD)
    assert (play.check.stage, play.asked) == ("face", {"face": ("k2",)})
    attack = (5, 6, 5, 1, 1, 1, 1, 1, 1)  # skill 3, Agility 4, specialty 2
    play.choose(BEN, "face", PASS, 5, *misses(3), *attack, 6, 6, 6, 5, 3, 1)
    assert not play.check.is_open
    assert (play.verdict(), play.does().params["points"]) == ("check-hit", 10)
    defense, strike, _ = play.rolls(GM)
    assert (len(defense.dice), len(strike.dice), strike.marks) == (4, 9, (0, 1, 2))
    assert play.totals(GM)[-1] == 15, "two dice of the sword and four of Muscle"
    worn = ("Boris", "armour"), (5, 4)  # without rounds each attack is one
    assert play.changes() == {("Boris", "vitality"): (12, 2), worn[0]: worn[1]}
    assert codes(play.notes()) == ["ego-hit-impaired"]


@pytest.mark.rule("EGO-ATK-01")
def test_equal_is_a_miss_and_changes_nobody() -> None:
    play = Play().begin(ANN, "attack", target="Boris", weapon=SWORD)
    play.choose(BEN, "face", PASS, 5, *misses(3), 5, *misses(8))
    assert play.verdict() == "check-miss"
    assert play.sheet("Boris").lethal == 0


@pytest.mark.rule("EGO-DEF-01", "EGO-DEF-02", "EGO-DEF-03", "EGO-AP-01")
def test_parry_block_and_tumbling_add_up_and_cost_points() -> None:
    play = fight().begin(ANN, "attack", target="Boris", weapon=SWORD)
    assert play.options(BEN) == {"face": ("parry", "block", "both", "tumbling", "karma")}
    play.choose(BEN, "face", "tumbling")
    assert play.options(BEN) == {"face": ("parry", "block", "both", "karma")}, (
        "it stands, and more may be done"
    )
    # Tumbling 2, defense 4 + 3 + 2, block 4 + 2; the attack has 9.
    play.choose(BEN, "face", "both", 5, 1, 5, *misses(8), 5, *misses(5), 5, 5, 5, *misses(6))
    assert [len(each.dice) for each in play.rolls(GM)] == [2, 9, 6, 9]
    assert play.verdict() == "check-miss", "3 against 3"
    assert play.changes()["Boris", "ap"] == (4, 1)
    assert play.sheet("Boris").round.tumbling == 1
    play.begin(ANN, "attack", target="Boris", weapon=SWORD)
    assert play.options(BEN) == {"face": ("parry", "block", "karma")}, (
        "1 point is left, and it stands for the round"
    )
    play.choose(BEN, "face", PASS, *misses(4), 5, *misses(8))
    assert play.verdict() == "check-miss", "1 against 1"


@pytest.mark.rule("EGO-DEF-02")
def test_who_has_nothing_in_hand_cannot_parry() -> None:
    play = Play().write("Boris", arms=(Arm(SWORD),))
    play.begin(ANN, "attack", target="Boris", weapon="punch")
    assert play.options(BEN) == {"face": ("block", "tumbling", "karma")}


@pytest.mark.rule("EGO-DEF-01")
def test_what_is_set_against_it_is_secret_until_the_dice_fall() -> None:
    play = (
        fight().begin(ANN, "attack", target="Boris", weapon=SWORD).choose(BEN, "face", "tumbling")
    )
    assert "tumbling" not in play.heard(ANN)
    assert play.changes(ANN) == {("Vesna", "ap"): (4, 3)}
    assert play.options(ANN) == {}


def test_a_standing_order_answers_as_long_as_it_keeps_what_it_shall() -> None:
    play = fight().do(
        SetOrder, BEN, character=None, prompt="face", option="parry", keep="ap", keep_amount=3
    )
    parried = (*misses(9), 5, *misses(8), *misses(6))
    play.begin(ANN, "attack", *parried, target="Boris", weapon=SWORD)
    assert play.sheet("Boris").round.spent == 1
    play.begin(ANN, "attack", *misses(4), 5, *misses(8), *misses(6), target="Boris", weapon=SWORD)
    assert play.sheet("Boris").round.spent == 1, "it would leave 2"


@pytest.mark.rule("EGO-SPC-03", "EGO-DMG-03")
def test_specialty_dice_go_into_attack_or_damage() -> None:
    play = Play().strike(
        ANN, "Orc", *misses(2), 5, *misses(6), *misses(8), weapon=SWORD, **{"to damage": 2}
    )
    assert [len(each.dice) for each in play.rolls(GM)] == [2, 7, 8]
    refused = play.refused(play.strike, ANN, "Orc", weapon=SWORD, **{"to damage": 3})
    assert (refused.code, refused.params["highest"]) == ("out-of-range", 2)
    play.strike(
        ANN, "Orc", *misses(2), 5, *misses(5), *misses(6), weapon="kick", **{"to damage": 1}
    )
    assert [len(each.dice) for each in play.rolls(GM)] == [2, 6, 6], (
        "Martial Arts, with Muscle and 1"
    )


@pytest.mark.rule("EGO-DMG-03", "EGO-OP-07")
@pytest.mark.parametrize(
    ("weapon", "more", "attack", "damage", "flat", "lethal"),
    [
        ("punch", {}, 7, 4, 0, False),
        ("kick", {}, 7, 5, 0, False),
        ("Brass Knuckles", {}, 7, 5, 0, False),
        ("Stun Baton", {}, 7, 6, 0, False),
        ("Sword, Bastard", {}, 7, 6, 0, True),
        ("Sword, Bastard", {"two hands": True}, 7, 6, 2, True),
        ("Maul", {}, 6, 7, 0, True),  # Muscle 15: one die less
    ],
)
def test_what_each_weapon_is_rolled_with(
    weapon: str, more: dict[str, Any], attack: int, damage: int, flat: int, lethal: bool
) -> None:
    play = Play().strike(
        ANN, "Orc", *misses(2), 5, *misses(attack - 1), *misses(damage), weapon=weapon, **more
    )
    assert [len(each.dice) for each in play.rolls(GM)] == [2, attack, damage]
    assert play.totals()[-1] == damage + flat
    orc = play.sheet("Orc")
    assert (orc.lethal > 0, orc.non_lethal > 0) == (
        lethal and damage + flat > 5,
        not lethal and damage > 5,
    )


@pytest.mark.rule("EGO-MUS-01", "EGO-AP-03")
def test_a_weapon_that_is_not_drawn_is_drawn_for_a_point() -> None:
    play = fight().strike(ANN, "Orc", *misses(2), *misses(7), weapon="Stun Baton")
    assert play.changes()["Vesna", "ap"] == (4, 2)
    assert next(each for each in play.sheet("Vesna").arms if each.name == "Stun Baton").drawn
    play.strike(ANN, "Orc", *misses(2), *misses(7), weapon="Stun Baton")
    assert play.changes()["Vesna", "ap"] == (2, 1)


@pytest.mark.rule("EGO-AP-01")
@pytest.mark.parametrize(("weapon", "dice"), [("Stun Baton", 4), ("kick", 4)])
def test_where_no_rounds_are_counted_nothing_is_overspent(weapon: str, dice: int) -> None:
    play = (
        Play()
        .write("Vesna", agility=3)
        .strike(ANN, "Orc", *misses(2), *misses(dice), weapon=weapon)
    )
    assert len(play.rolls(GM)[-1].dice) == dice
    assert next(each for each in play.sheet("Vesna").arms if each.name == "Stun Baton").drawn == (
        weapon != "kick"
    )


@pytest.mark.rule("EGO-AP-01", "EGO-AP-02")
def test_overspending_takes_the_round_and_dice() -> None:
    play = fight().write("Vesna", agility=3)
    # A kick costs 2 and there is 1: Agility 1 + 2 levels + Martial Arts 1, less 1.
    play.strike(ANN, "Orc", *misses(2), *misses(3), weapon="kick")
    assert play.sheet("Vesna").round.alone
    assert play.refused(play.strike, ANN, "Orc", weapon="punch").code == "ego-round-taken"
    play = fight().strike(ANN, "Orc", *misses(2), *misses(7), weapon="kick")
    play.strike(ANN, "Orc", *misses(2), *misses(7), weapon="kick")
    assert play.refused(play.strike, ANN, "Orc", weapon="punch").code == "ego-no-ap"


@pytest.mark.rule("EGO-AP-02")
def test_whoever_has_overspent_can_set_nothing_against_an_attack() -> None:
    play = (
        fight().write("Vesna", agility=3).strike(ANN, "Orc", *misses(2), *misses(3), weapon="kick")
    )
    play.begin(BEN, "attack", target="Vesna", weapon=SWORD)
    assert play.options(ANN) == {"face": ("karma",)}, "they are asked all the same"


@pytest.mark.rule("EGO-KAR-02")
def test_karma_buys_dice_for_one_roll_a_round() -> None:
    play = fight().strike(ANN, "Orc", *misses(2), *misses(12), weapon=SWORD, karma=3)
    assert (play.sheet("Vesna").karma, play.changes()["Vesna", "karma"]) == (2, (5, 2))
    assert play.refused(play.strike, ANN, "Orc", weapon=SWORD, karma=1).code == "ego-karma-once"
    play = fight().strike(
        ANN, "Orc", *misses(2), 5, *misses(8), *misses(8), weapon=SWORD, **{"karma damage": 2}
    )
    assert len(play.rolls(GM)[-1].dice) == 8
    play = Play().write("Vesna", karma=1)
    assert play.refused(play.strike, ANN, "Orc", weapon=SWORD, karma=2).code == "ego-too-much-karma"


# --- what a hit does ------------------------------------------------------------------------------


@pytest.mark.rule("EGO-EFF-01", "EGO-EFF-02", "EGO-NL-01")
def test_a_kick_that_stuns_and_throws_back() -> None:
    play = fight().write("Boris", armour=None, vitality=13)
    play.strike(ANN, "Boris", *misses(4), 5, *misses(6), *(6,) * 5, 5, 5, 5, 1, 1, weapon="kick")
    assert codes(play.notes()) == [
        "ego-hit-impaired",
        "ego-stuns",
        "ego-knocked-back",
        "ego-hit-down",
    ]
    stuns, thrown = play.notes()[1:3]
    assert (stuns.params["rounds"], thrown.params["feet"]) == (2, 15)
    assert (play.changes()["Boris", "vitality"], play.changes()["Boris", "stun"]) == (
        (13, 0),
        (26, 11),
    )


def _verdict(play: Play) -> Any:
    return next(each for each in play.blocks() if isinstance(each, Verdict))


def _fate(play: Play) -> Any:
    """How the verdict has it that somebody is down."""
    verdict = _verdict(play)
    return verdict.what.params["how"] if verdict.what is not None else None


@pytest.mark.rule("EGO-EFF-03")
def test_without_stun_points_they_are_knocked_out() -> None:
    play = fight().write("Boris", armour=None, non_lethal=14, vitality=12)
    play.strike(ANN, "Boris", *misses(4), 5, 5, *misses(5), *(6,) * 4, weapon="punch")
    assert play.sheet("Boris").down == damage.KNOCKED_OUT
    assert _fate(play) == damage.KNOCKED_OUT and not play.notes()
    assert (
        play.refused(play.begin, BEN, "attack", target="Vesna", weapon=SWORD).code
        == "ego-cannot-act"
    )


@pytest.mark.rule("EGO-IMP-01")
@pytest.mark.parametrize(("faces", "down"), [((5, 5, 5, 1), ""), ((5, 5, 1, 1), damage.PASSED_OUT)])
def test_at_the_end_of_their_strength_they_roll_to_stay_conscious(
    faces: tuple[int, ...], down: str
) -> None:
    play = fight().write("Boris", armour=None, lethal=4)
    play.strike(ANN, "Boris", *misses(4), 5, *misses(6), *(6,) * 3, 1, *faces, weapon="punch")
    assert play.sheet("Boris").down == down
    assert _fate(play) == down
    assert [each.params["how"] for each in play.notes() if each.code == "ego-hit-down"] == [""] * (
        not down
    )
    assert play.rolls(GM)[-2].what is not None


@pytest.mark.rule("EGO-DMG-04", "EGO-IMP-01")
def test_death_comes_first_and_the_dead_are_no_target() -> None:
    play = fight().strike(ANN, "Goblin", *misses(3), 5, *misses(8), *(6,) * 6, weapon=SWORD)
    assert play.sheet("Goblin").down == damage.DEAD
    assert _fate(play) == damage.DEAD and not play.notes()
    assert play.refused(play.strike, ANN, "Goblin", weapon=SWORD).code == "ego-dead-already"


@pytest.mark.rule("EGO-IMP-01", "EGO-ATK-01")
def test_whoever_is_impaired_has_more_to_beat() -> None:
    play = Play().write("Vesna", lethal=9)
    play.strike(ANN, "Orc", *misses(2), 5, 5, *misses(7), weapon=SWORD)
    assert play.verdict() == "check-miss", "2 against 0 + 2"


@pytest.mark.rule("EGO-DMG-04", "EGO-OP-12")
def test_successes_above_the_number_add_dice_where_the_table_plays_so() -> None:
    play = Play(excess_successes_to_damage=True)
    play.strike(ANN, "Orc", 5, 1, 5, 5, 5, 5, *misses(5), *misses(9), weapon=SWORD)
    assert len(play.rolls(GM)[-1].dice) == 9


@pytest.mark.rule("EGO-DMG-01", "EGO-OP-05")
def test_damage_may_be_halved_as_a_whole() -> None:
    play = Play(damage_halving="total_half_up")
    play.strike(ANN, "Orc", *misses(2), 5, *misses(6), *misses(4), weapon="punch")
    assert play.totals()[-1] == 2


@pytest.mark.rule("EGO-ARM-02")
def test_in_rounds_armor_wears_when_they_end() -> None:
    play = fight().strike(ANN, "Boris", *misses(4), 5, *misses(8), *(6,) * 6, weapon=SWORD)
    boris = play.sheet("Boris")
    assert (boris.armour.ar, boris.round.stopped) == (5, 5)


@pytest.mark.rule("EGO-FX-06", "EGO-ARM-01")
def test_what_has_grown_counts_as_armor_and_as_a_weapon() -> None:
    play = (
        Play()
        .write("Boris", powers=(Power("Body Armor", 8),))
        .write("Vesna", powers=(Power("Natural Weapon", 2),))
    )
    play.strike(ANN, "Boris", *misses(4), 5, *misses(6), *(6,) * 6, weapon="Natural Weapon")
    assert play.changes() == {("Boris", "vitality"): (12, 2)}


@pytest.mark.rule("EGO-NME-01")
def test_an_enemys_profile_stands_for_everything() -> None:
    play = fight().begin(GM, "attack", as_="Orc", target="Vesna")
    play.choose(ANN, "face", PASS, *misses(4), 5, *misses(4), 6, 6, 6, 6)
    assert [len(each.dice) for each in play.rolls(GM)] == [4, 5, 4]
    assert play.changes() == {("Vesna", "vitality"): (12, 5)}
    assert play.changes(GM)["Orc", "ap"] == (1, 0)
    play = (
        fight().begin(GM, "attack", as_="Orc", target="Vesna").choose(ANN, "face", PASS, *misses(9))
    )
    refused = play.refused(play.begin, GM, "attack", as_="Orc", target="Vesna")
    assert refused.code == "ego-no-ap", "one action a round"
    play = fight(enemy_ap="def").begin(GM, "attack", as_="Orc", target="Vesna")
    play.choose(ANN, "face", PASS, *misses(9)).begin(GM, "attack", as_="Orc", target="Vesna")


@pytest.mark.rule("EGO-NME-01")
def test_what_an_enemy_attacked_with_is_told_as_it_was_then() -> None:
    """How a profile calls an attack is told where it has a name of its own, whatever the sheet says
    later.
    """
    named = Profile(3, 3, (2,), 6, 3, attacks=("Cleaver",))
    for profile, later in (
        (named, named.replace(attacks=("Tail",))),
        (named.replace(attacks=()), None),
        (named, None),
    ):
        play = Play().write("Goblin", profile=profile)
        play.begin(GM, "attack", as_="Goblin", target="Vesna")
        told = play.told(ANN)
        assert ("Cleaver" in told) == bool(profile.attacks)
        play.write("Goblin", profile=later)
        assert play.told(ANN) == told


@pytest.mark.rule("EGO-NME-01")
def test_enemies_parry_and_block_only_with_dice_that_the_gm_gives() -> None:
    play = Play().write("Goblin", profile=Profile(3, 3, (2,), 6, 3, guard=2))
    play.do(SetOrder, GM, character="Goblin", prompt="face", option="block")
    play.begin(
        ANN,
        "attack",
        *misses(3),
        *misses(2),
        5,
        *misses(8),
        *misses(6),
        target="Goblin",
        weapon=SWORD,
    )
    assert [len(each.dice) for each in play.rolls(GM)] == [3, 2, 9, 6]


def test_what_npcs_can_take_is_for_the_gms() -> None:
    play = Play().strike(ANN, "Orc", *misses(2), 5, *misses(8), *(6,) * 6, weapon=SWORD)
    assert play.changes() == {}
    assert play.changes(GM)["Orc", "vitality"] == (12, 0)
    assert [play.does(who).params["points"] for who in (None, GM)] == [None, 13]
    play = Play().strike(ANN, "Orc", *misses(2), 5, *misses(6), *misses(4), weapon="punch")
    assert not play.does().params["hurt"], "that it does nothing is plain to see"


# --- at range -------------------------------------------------------------------------------------


@pytest.mark.rule("EGO-RNG-01", "EGO-RNG-02", "EGO-RNG-04", "EGO-SPC-03")
@pytest.mark.parametrize(
    ("range", "flags", "number", "dice"),
    [
        ("75", (), 1, 8),
        ("76", (), 2, 9),  # Sharpshooter
        ("medium", ("cover", "target moving"), 5, 9),
        ("175", ("unaware",), 2, 9),
        ("176 m", (), 4, 9),
    ],
)
def test_range_and_factors_make_the_number(
    range: str, flags: tuple[str, ...], number: int, dice: int
) -> None:
    said = dict.fromkeys(flags, True)
    play = Play().strike(ANN, "Orc", *misses(dice), weapon=PISTOL, range=range, **said)
    assert (play.number(), len(play.rolls(GM)[0].dice)) == (number, dice)


@pytest.mark.rule("EGO-RNG-01")
def test_at_range_equal_is_enough_and_nobody_defends() -> None:
    play = Play().begin(
        ANN, "attack", 5, *misses(7), *misses(3), target="Boris", weapon=PISTOL, range="short"
    )
    assert play.verdict() == "check-hit"
    assert play.totals()[-1] == 5, "three dice and 2, and no Muscle"


@pytest.mark.rule("EGO-RNG-04", "EGO-OP-23")
def test_shots_are_declared_before_the_first() -> None:
    play = fight().strike(ANN, "Orc", *misses(7), weapon=PISTOL, range="short")
    play.strike(ANN, "Orc", *misses(7), weapon=PISTOL, range="short")
    refused = play.refused(play.strike, ANN, "Orc", weapon=PISTOL, range="short")
    assert (refused.code, refused.params["most"]) == ("ego-too-many-shots", 2)
    assert next(each.rounds for each in play.sheet("Vesna").arms if each.name == PISTOL) == 4
    play = fight().strike(ANN, "Orc", *misses(8), weapon=PISTOL, range="short", shots=1)
    assert (
        play.refused(play.strike, ANN, "Orc", weapon=PISTOL, range="short").code
        == "ego-too-many-shots"
    )
    assert (
        play.refused(play.strike, ANN, "Orc", weapon=PISTOL, range="short", shots=3).code
        == "ego-too-many-shots"
    )


@pytest.mark.rule("EGO-RNG-05")
def test_automatic_fire_empties_a_magazine() -> None:
    play = fight().strike(
        ANN, "Orc", 5, *misses(3), *misses(8), weapon=RIFLE, range="short", **{"full auto": True}
    )
    assert [len(each.dice) for each in play.rolls(GM)] == [4, 8]
    assert play.totals()[-1] == 10, "dice are doubled, what is added is not"
    assert play.changes()["Vesna", "rounds"] == (20, 10)
    (shift,) = [each for each in play.check.data.shifts if each.name]
    assert (shift.what, shift.name, shift.before, shift.after) == ("rounds", RIFLE, 20, 10)
    assert (
        play.refused(play.strike, ANN, "Orc", weapon=RIFLE, range="short", burst=True).code
        == "ego-too-many-shots"
    )
    play = Play().write("Vesna", arms=(Arm(RIFLE, drawn=True, rounds=8, magazine=20),))
    play.strike(ANN, "Orc", *misses(4), weapon=RIFLE, range="short", **{"full auto": True})
    assert play.changes()["Vesna", "rounds"] == (8, 0)
    empty = play.refused(play.strike, ANN, "Orc", weapon=RIFLE, range="short")
    assert (empty.code, empty.params) == ("ego-not-enough-rounds", {"need": 1, "left": 0})


@pytest.mark.rule("EGO-RNG-05")
def test_a_burst_and_what_fires_no_single_shots() -> None:
    play = Play().strike(
        ANN, "Orc", 5, *misses(5), *misses(5), weapon=RIFLE, range="short", burst=True
    )
    assert [len(each.dice) for each in play.rolls(GM)] == [6, 5]
    assert play.changes()["Vesna", "rounds"] == (20, 17)
    assert (
        play.refused(play.strike, ANN, "Orc", weapon="Lgt machine gun", range="short").code
        == "ego-not-so-fired"
    )
    assert (
        play.refused(play.strike, ANN, "Orc", weapon=PISTOL, range="short", burst=True).code
        == "ego-leave-out"
    )


@pytest.mark.rule("EGO-RNG-03", "EGO-OP-24")
def test_throwing_goes_by_weight_and_strength() -> None:
    # Muscle 12 lifts 240 pounds: 120 meters for 2 pounds, 30 of them short.
    play = Play().strike(
        ANN, "Orc", 5, *misses(6), *misses(5), weapon="Hunting Knife", range="30", thrown=True
    )
    assert [len(each.dice) for each in play.rolls(GM)] == [7, 5], "Gun Combat; a die and Muscle"
    play.strike(ANN, "Orc", *misses(7), weapon="Hunting Knife", range="31", thrown=True)
    assert play.number() == 2
    far = play.refused(play.strike, ANN, "Orc", weapon="Hunting Knife", range="121", thrown=True)
    assert (far.code, far.params["most"]) == ("ego-out-of-range", 120)
    light = play.refused(play.strike, ANN, "Orc", weapon="Stun Baton", range="5", thrown=True)
    assert light.code == "ego-say"
    assert (
        play.refused(play.strike, ANN, "Orc", weapon=PISTOL, range="5", thrown=True).code
        == "ego-leave-out"
    )


@pytest.mark.rule("EGO-AOE-01")
def test_an_area_hits_all_who_are_in_it_each_with_their_own_armor() -> None:
    play = Play().begin(
        ANN,
        "attack",
        5,
        *misses(6),
        6,
        6,
        6,
        6,
        target="Orc",
        weapon="Frag Grenade",
        range="medium",
        caught=["Boris 15", "Goblin 3", "Guard 16"],
    )
    assert play.totals()[-1] == 12, "no Muscle in it"
    assert [(each["who"].id, each["points"]) for each in play.check.data.harms] == [
        ("k3", 7),
        ("k2", 7),
        ("k4", 9),
    ]
    assert play.changes()["Boris", "vitality"] == (12, 5)
    (worst,) = _verdict(play).what.params["ends"]
    assert (worst.params["how"], worst.params["who"]) == (damage.DEAD, (Ref(name="Goblin"),))
    halved = Play(aoe_measure="diameter").begin(
        ANN,
        "attack",
        5,
        *misses(6),
        *misses(4),
        target="Orc",
        weapon="Frag Grenade",
        range="medium",
        caught=["Boris 8", "Goblin 7"],
    )
    assert [each["who"].id for each in halved.check.data.harms] == ["k3", "k4"]


@pytest.mark.rule("EGO-RNG-01", "EGO-OP-22")
def test_a_line_of_sight_is_short_unless_a_band_is_named() -> None:
    play = Play()
    for range, number in ((None, 1), ("400", 1), ("long", 3)):
        play.strike(ANN, "Orc", *misses(8 + (number > 1)), weapon="Beam Pistol", range=range)
        assert play.number() == number


@pytest.mark.rule("EGO-RNG-01")
def test_how_far_is_asked_and_may_be_limited() -> None:
    play = Play(max_range_rule=True)
    assert play.refused(play.strike, ANN, "Orc", weapon=PISTOL).code == "ego-say"
    assert play.refused(play.strike, ANN, "Orc", weapon=PISTOL, range="far").code == "ego-bad-range"
    for odd in ("-3", "²", "100001", "9" * 40):
        assert (
            play.refused(play.strike, ANN, "Orc", weapon=PISTOL, range=odd).code == "ego-bad-range"
        )
    assert (
        play.refused(play.strike, ANN, "Orc", weapon=PISTOL, range="263").code == "ego-out-of-range"
    )
    play.strike(ANN, "Orc", *misses(9), weapon=PISTOL, range="262")


@pytest.mark.rule("EGO-DEF-01")
def test_a_shot_is_dodged_only_where_the_table_plays_so() -> None:
    play = Play(dodge_vs_ranged=True)
    play.begin(ANN, "attack", target="Boris", weapon=PISTOL, range="short")
    assert play.options(BEN) == {"face": ("block",)}
    play.choose(BEN, "face", "block", 5, *misses(5), 5, *misses(7))
    assert play.verdict() == "check-miss"
    assert play.number() == 2


@pytest.mark.rule("EGO-NME-01")
def test_an_enemy_shoots_with_its_attack_dice() -> None:
    play = Play().begin(GM, "attack", *misses(5), as_="Orc", target="Vesna", range="medium")
    assert play.number() is None, "players read the band; what moves the number is the GMs'"
    assert [each.params["number"] for each in play.listed("check-difficulty", GM)] == [2]


# --- proposed and answered ------------------------------------------------------------------------


def propose_attack(**values: Any) -> Play:
    return Play(live=False).begin(ANN, "attack", target="Orc", **({"weapon": SWORD} | values))


def test_outside_live_play_the_gm_answers_and_has_the_last_word() -> None:
    play = propose_attack(weapon=PISTOL, range="short", unaware=True)
    assert (play.check.stage, play.pings()) == ("proposed", ((), True))
    assert play.sheet("Vesna").round.spent == 0, "nothing is paid before the answer"
    values = {"range": "long", "cover": True, "modifier": -2, "type": "non-lethal"}
    play.choose(GM, "rule", "roll", *(5,) * 5, 1, 1, *(6,) * 3, **values)
    assert play.number() == 5
    assert play.sheet("Orc").non_lethal == 6


def test_how_far_it_is_the_gm_may_say() -> None:
    play = propose_attack(weapon=PISTOL)
    assert play.refused(play.choose, GM, "rule", "roll").code == "ego-say"
    play.choose(GM, "rule", "roll", *misses(9), range="medium")
    assert not play.check.is_open


def test_without_a_roll_it_hits_and_is_paid_for() -> None:
    play = fight(live=False).begin(ANN, "attack", target="Orc", weapon=SWORD)
    play.choose(GM, "rule", "free", *(6,) * 6)
    assert (play.check.is_open, play.verdict()) == (False, "check-hit")
    assert (play.sheet("Vesna").round.spent, play.sheet("Orc").lethal) == (1, 13)
    assert propose_attack().choose(GM, "rule", "impossible").verdict() == "check-cannot"


def test_who_is_helpless_is_for_the_gm_to_judge() -> None:
    play = (
        Play()
        .write("Goblin", down=damage.KNOCKED_OUT)
        .begin(ANN, "attack", target="Goblin", weapon=SWORD)
    )
    assert play.check.stage == "proposed", "in live play, too"
    play.choose(GM, "rule", "roll", 5, *misses(8), *misses(6))
    assert [len(each.dice) for each in play.rolls(GM)] == [9, 6], "no defense roll"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"target": None}, "which-target"),
        ({"target": "Vesna"}, "target-is-self"),
        ({"weapon": "Halberd"}, "ego-unknown-weapon"),
        ({"weapon": SWORD, "two hands": True}, "ego-leave-out"),
        ({"weapon": "Frag Grenade", "range": "short", "caught": ["Nobody 3"]}, "unknown-character"),
        ({"weapon": SWORD, "karma": 4}, "out-of-range"),
    ],
)
def test_what_makes_no_sense_is_refused(values: dict[str, Any], code: str) -> None:
    play = Play()
    assert play.refused(play.begin, ANN, "attack", **({"target": "Orc"} | values)).code == code


def test_a_weapon_without_numbers_is_refused() -> None:
    play = Play().write("Vesna", arms=(Arm("Grandfather's gun", drawn=True),))
    assert play.refused(play.begin, ANN, "attack", target="Orc").code == "ego-no-such-weapon"


def test_blind_only_the_gms_see_what_came_of_it() -> None:
    play = Play().begin(ANN, "attack", target="Boris", weapon=SWORD, visibility="blind")
    play.choose(GM, "rule", "roll").choose(BEN, "face", PASS, *misses(4), 5, *misses(8), *(6,) * 6)
    assert play.rolls(ANN) == [] and play.verdict(ANN) is None
    assert len(play.rolls(GM)) == 3


# --- changes of dice ------------------------------------------------------------------------------


@pytest.mark.rule("EGO-KAR-03", "EGO-DIE-05", "EGO-ATK-01")
def test_both_sides_change_their_own_dice_until_nobody_has_more_to_add() -> None:
    play = Play(step_in_time=600).write("Boris", advantages=("Agile",))
    play.begin(ANN, "attack", target="Boris", weapon=SWORD)
    play.choose(BEN, "face", PASS, *misses(4), *misses(9))
    assert play.asked["react"] == ("k2", "k1")
    assert play.options(BEN)["react"] == ("reroll:defense:Agile", "flip:defense:")
    assert play.options(ANN)["react"] == ("flip:attack:",)
    play.choose(ANN, "react", "flip:attack:")
    assert (play.verdict(), play.sheet("Vesna").karma) == ("check-hit", 4)
    play.choose(BEN, "react", "reroll:defense:Agile", 6)
    assert play.verdict() == "check-miss", "1 against 1"
    play.choose(BEN, "react", PASS)
    if play.check.is_open:
        play.choose(ANN, "react", PASS)
    assert (play.check.stage, play.sheet("Boris").lethal) == ("over", 0)


@pytest.mark.rule("EGO-ADV-02", "EGO-DIE-05")
@pytest.mark.parametrize("unlucky", [False, True])
def test_of_dice_that_a_gm_has_changed_their_player_is_asked_anew(unlucky: bool) -> None:
    """Their own changes leave the time as it is: that a GM could do something as well is not told
    by it.
    """
    play = Play(step_in_time=600).write("Vesna", disadvantages=("Unlucky",) if unlucky else ())
    play.begin(
        ANN,
        "check",
        5,
        5,
        *misses(2),
        attribute="Intellect",
        difficulty="Easy",
        approach="a riddle",
    )
    assert play.asked["react"] == ("k1",)
    play.at += 590
    before = {each.prompt.key: each for each in play.check.asked}
    play.choose(ANN, "react", "flip:check:")
    now = {each.prompt.key: each for each in play.check.asked}
    assert now["react"].due == before["react"].due
    assert all(each.number > before[key].number for key, each in now.items())
    assert ("also" in now) == unlucky
    if not unlucky:
        return
    play.choose(GM, "also", "unlucky:check:k1")
    [accept] = [each for each in play.check.asked if each.prompt.key == "react"]
    assert (accept.due, accept.number > now["react"].number) == (play.at + 600, True)


@pytest.mark.rule("EGO-IMP-01", "EGO-KAR-03")
def test_a_flip_keeps_somebody_conscious() -> None:
    play = (
        Play(step_in_time=600)
        .write("Boris", armour=None, lethal=4)
        .begin(ANN, "attack", target="Boris", weapon="punch")
    )
    play.choose(BEN, "face", PASS, *misses(4), 5, *misses(6))
    play.choose(BEN, "react", PASS).choose(ANN, "react", PASS, 6, 6, 6, 1)
    play.choose(BEN, "karma", PASS, 5, 5, 1, 1)
    assert (play.check.stage, play.asked["react"]) == ("staying", ("k2",))
    play.choose(BEN, "react", "flip:stay:")
    assert (play.check.is_open, play.sheet("Boris").down) == (False, "")


@pytest.mark.rule("EGO-AOE-01", "EGO-MUS-01")
def test_a_ballista_hits_so_many_as_the_gm_names_up_to_five() -> None:
    others = ["Boris 40", "Goblin", "Guard"]
    play = Play().strike(ANN, "Orc", *misses(4), weapon="Ballista", range="short", caught=others)
    assert len(play.rolls(GM)[0].dice) == 4, (
        "Gunnery that nobody has learned: Agility, and no Muscle is needed"
    )
    play.strike(
        ANN, "Orc", 5, *misses(3), *misses(3), weapon="Ballista", range="short", caught=others
    )
    assert [each["who"].id for each in play.check.data.harms] == ["k3", "k2", "k4", "k5"]


@pytest.mark.rule("EGO-RNG-01", "EGO-OP-24")
def test_the_skill_may_be_another_one() -> None:
    play = Play().strike(
        ANN, "Orc", *misses(8), weapon=PISTOL, skill="Melee Combat", range="medium"
    )
    assert len(play.rolls(GM)[0].dice) == 8, "without what Gun Combat has of specialties"


@pytest.mark.rule("EGO-CHR-05")
def test_without_the_skill_it_is_harder_where_the_table_plays_so() -> None:
    for plays, number in ((False, 1), (True, 2)):
        play = Play(untrained_plus_one=plays)
        play.strike(ANN, "Orc", *misses(4), weapon="Ballista", range="short")
        assert play.number() == number
