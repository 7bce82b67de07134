"""Fights of MasterBook through Discord: one card for the whole chain, from the attack to what it
does.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.discord.masterbook.table import (
    FIGHTER,
    attack,
    bring,
    meet,
    open_table,
    refused_attack,
    sheet,
)
from tests.discord.world import (
    World,
    card,
    dialog_values,
    has_decision,
    message_of,
    private,
    refusal_of,
    texts,
)

COLT, UZI, GRENADE = "Colt .45 revolver", "Uzi SMG (9mm)", "Fragmentation grenade"
KNIFE: Final[dict[str, Any]] = {"weapon": "Knife", "approach": "go for the arm"}
FIST: Final[dict[str, Any]] = {"weapon": "unarmed", "approach": "on the jaw"}
VEST: Final[dict[str, Any]] = {"armour": [{"name": "Flak jacket", "add": 8}]}
ARMED: Final[dict[str, Any]] = {
    "arms": [
        {"name": "Knife"},
        {"name": UZI, "rounds": 12, "magazine": 30},
        {"name": GRENADE, "rounds": 2},
    ]
}


def shot_options(words: str = "", weapon: str = COLT) -> dict[str, Any]:
    """A shot at 8 m, and what else is said of it."""
    return {"weapon": weapon, "approach": "bang", "with": f"range: 8{words and ', '}{words}"}


async def drop(world: World, who: Any, *labels: str) -> None:
    """Spend a Life Point on these packages in the own panel."""
    panel = message_of(await world.press(who, world.newest("React"), "React"))
    await world.press(who, panel, "Spend a Life Point (5 left): take off up to 3 pieces of damage…")
    await world.choose(who, panel, "What to take off", *[f"packages: {each}" for each in labels])
    await world.press(who, panel, "Spend a Life Point (5 left): take off up to 3 pieces of damage")


# --- one against one ------------------------------------------------------------------------------


@pytest.mark.rule("MB-CMB-01", "MB-CMB-02", "MB-DMG-01", "MB-DMG-02")
async def test_a_knife_against_an_npc_whose_numbers_nobody_reads(world: World) -> None:
    await open_table(world, gm_channel=True)
    text = await attack(world, world.ana, "Thug", 6, 7, **KNIFE)
    assert text.startswith("## ✓ Hit: Thug is hurt")
    assert "Vesna attacks Thug: Knife, Melee Combat 11" in text
    assert "(6, 7): bonus +2, total **13**" in text
    assert "Wounds" not in world.told(world.ana) and "Parry" not in text
    full = texts(world.last(world.gm_room))
    # 13 against 8: 5 points; 9 + 3 and 5 against Toughness 9: 8 damage points.
    assert "Hit by 5: Thug is hurt (1 wound, K/O and 3 shock)" in full
    assert "Thug: Wounds 0 → 1" in full and "Thug: Shock 0 → 3" in full


@pytest.mark.rule(
    "MB-CMB-03", "MB-CMB-05", "MB-OPT-05", "MB-DIE-07", "MB-EQ-02", "MB-DMG-03", "MB-EQ-30"
)
async def test_a_shot_at_the_head_against_an_active_dodge(world: World) -> None:
    await open_table(world, sheets={"Boris": VEST})
    text = await attack(world, world.ana, "Boris", **shot_options("head"))
    assert text.startswith("## Vesna attacks Boris: choose a defense")
    assert "Fire Combat (pistols) 13, head (−8) and short range (+1)" in text
    await world.restart()
    # 13 - 8 + 1 and 10 against 11 and 3 at least; 19 + 2 + 12 against Toughness 10 and 8: 15 damage
    # points.
    text = await meet(world, world.ben, "Active: Dodge 11, at least +3", 10, 9, 3, 1, 1)
    assert "Boris, defense: 2d10 (1, 1): bonus +3, total **14**" in text
    assert text.startswith("## Hit by 2: Boris is unconscious (3 wounds, KO and 7 shock)")
    assert "Boris: Wounds 0 → 3" in text and "Boris is knocked out for 60 seconds." in text
    await world.gina.slash(world.zone, "gm undo")
    assert card(world).startswith("## Vesna attacks Boris: choose a defense"), (
        "what is set against it is asked anew"
    )
    assert (await sheet(world, "Boris")).harm.wounds == 0


@pytest.mark.rule("MB-OPT-01", "MB-EQ-03", "MB-EQ-04")
async def test_a_submachinegun_empties_its_magazine(world: World) -> None:
    await open_table(world, sheets={"Vesna": ARMED})
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options(weapon=UZI))
    assert (
        text.startswith("## ✗ Miss, 5 against a hidden difficulty")
        and f"{UZI} rounds 12 → 7" in text
    )
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options("burst as single", UZI))
    assert "burst set to single (−1)" in text and "rounds 7 → 6" in text
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options("full auto", UZI))
    assert "full auto (+3)" in text and "rounds 6 → 0" in text
    assert "That takes 5 rounds; 0 left. Reload" in await refused_attack(
        world, world.ana, "Thug", **shot_options(weapon=UZI)
    )
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).arms[1].rounds == 6


@pytest.mark.rule("MB-COV-01")
@pytest.mark.parametrize(
    ("faces", "head"),
    [
        ((8, 8), "## ✓ Hit: Thug"),  # 19 against 9 and 5
        ((3, 5), "## ✓ Hit, through cover: Thug"),  # 13
        ((1, 3), "## ✗ Miss, 7 against a hidden difficulty"),
    ],
)
async def test_three_ways_of_an_attack_at_somebody_behind_a_wall(
    world: World, faces: tuple[int, int], head: str
) -> None:
    await open_table(world)
    words = "concealment: one half, cover: strong"
    text = await attack(world, world.ana, "Thug", *faces, **shot_options(words))
    assert text.startswith(head), text
    assert "In the way:** half hidden and strong cover" in text


@pytest.mark.rule("MB-COV-01")
async def test_what_comes_through_cover_is_a_hit_while_one_may_still_react(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    await attack(world, world.ana, "Boris", **shot_options("concealment: one half, cover: weak"))
    # 14 and 0 against 11: less than 16, but not a miss.
    text = await meet(world, world.ben, "Pass", 4, 5)
    assert text.startswith("## Hit, through cover so far"), text


@pytest.mark.rule("MB-SUR-01", "MB-CMB-03", "MB-DIE-06")
async def test_a_complete_surprise_leaves_no_active_defense(world: World) -> None:
    await open_table(world)
    refusal = await refused_attack(world, world.ana, "Boris", **shot_options("complete"))
    assert "Only" in refusal or "GM" in refusal
    bat = {"weapon": "Baseball bat", "as": "Thug", "with": "complete, blindside"}
    text = await attack(world, world.gina, "Vesna", 5, 5, **bat)
    assert text.startswith("## Hit by 6: Vesna is unconscious"), text


@pytest.mark.rule("MB-SUR-01", "MB-DIE-06")
async def test_somebody_else_cancels_the_point_of_who_surprises(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    world.dice.lay(4, 5)
    await world.gina.slash(world.zone, "mb surprise", target="Thug", total=13)
    await attack(world, world.ana, "Thug", 4, 5, **KNIFE)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    asked = {each.prompt.key: each for each in (await world.check("c1")).asked}
    names = [(await world.state()).characters[each].name for each in asked["cancel"].waiting_for]
    assert names == ["Boris"], "not the one who is surprised"
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Cancel it with one of your Life Points")
    assert "2d10 (4, 5): bonus 0, total **16**" in card(world), card(world)
    assert (
        (await sheet(world, "Boris")).life_points == (await sheet(world, "Vesna")).life_points == 4
    )


@pytest.mark.rule("MB-SUR-01")
async def test_a_gm_looks_who_is_surprised_and_the_next_attack_has_it(world: World) -> None:
    await open_table(world, gm_channel=True)
    assert "GM" in refusal_of(
        await world.ana.slash(world.zone, "mb surprise", target="Thug", total=12)
    )
    # Intellect 8, untrained, and 0 against 13: missed by 5.
    world.dice.lay(4, 5)
    private(await world.gina.slash(world.zone, "mb surprise", target="Thug", total=13))
    assert "Thug is completely surprised (against 13)." in texts(world.last(world.gm_room))
    assert "surprised" not in world.told(world.ana)
    assert world.dice.left == 0
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options())
    assert "complete surprise (+5)" in text, text
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options())
    assert "surprise" not in text


@pytest.mark.rule("MB-OPT-03", "MB-DMO-02", "MB-DMG-05", "MB-DMG-06")
async def test_a_brawl_ends_with_a_knockout(world: World) -> None:
    await open_table(world, rules={"non_lethal": "on"})
    await attack(world, world.ana, "Boris", **FIST, **{"with": "all out"})
    # 10 + 4 and 5 against 10; 9 and 9 + 1 against 10: 9 damage points, the only wound becomes
    # shock.
    text = await meet(world, world.ben, "Pass", 8, 8)
    assert text.startswith("## Hit by 9: Boris is hurt (K/O and 8 shock)"), text
    assert "Boris takes a K." in text
    await attack(world, world.ana, "Boris", **FIST)
    text = await meet(world, world.ben, "Pass", 5, 6)
    assert "Boris passes out." in text
    assert (await sheet(world, "Boris")).harm.out
    await world.gina.slash(world.zone, "gm undo")
    assert not (await sheet(world, "Boris")).harm.out
    world.dice.lay(5, 6)
    await meet(world, world.ben, "Pass")
    await world.restart()
    # A minute, and shock that goes point by point.
    await world.gina.slash(world.zone, "gm time", advance="5 minutes")
    assert "Boris recovers" in texts(world.last()) and "wakes up" in texts(world.last())
    assert not (await sheet(world, "Boris")).harm.out


@pytest.mark.rule("MB-OPT-03")
async def test_a_knockdown_fells_instead_of_wounding(world: World) -> None:
    await open_table(world)
    await attack(world, world.ana, "Boris", **FIST, **{"with": "knockdown"})
    # 10 - 3 and 13 against 10: the only wound becomes a knockdown.
    text = await meet(world, world.ben, "Pass", 10, 9, 10, 9)
    assert text.startswith("## Hit by 10: Boris is hurt (knockdown, K/O and 5 shock)"), text
    harm = (await sheet(world, "Boris")).harm
    assert (harm.wounds, harm.down > 0, harm.shock) == (0, True, 5)


# --- points ---------------------------------------------------------------------------------------


@pytest.mark.rule("MB-LP-02", "MB-LP-03", "MB-DMG-04")
async def test_a_life_point_takes_three_packages_off(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    await attack(world, world.ana, "Boris", **shot_options())
    await meet(world, world.ben, "Pass", 5, 6)
    assert card(world).startswith("## Hit so far")
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    assert card(world).startswith(
        "## Hit by 4 so far: unless changed, Boris is badly hurt (3 wounds, knockdown, K and 3"
    )
    await world.restart()
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    label = "Spend a Life Point (5 left): take off up to 3 pieces of damage"
    await world.press(world.ben, panel, f"{label}…")
    await world.choose(
        world.ben, panel, "What to take off", "packages: wound:1", "packages: wound:2"
    )
    assert "Choose one amount of wounds." in texts(panel), texts(panel)
    await world.choose(world.ben, panel, "What to take off", "packages: wound:2")
    assert "2 wounds off. Left: 1 wound, knockdown, K and 3 shock." in texts(panel), texts(panel)
    await world.press(world.ben, panel, "Cancel")
    await drop(world, world.ben, "wound:2", "shock:1")
    text = card(world)
    assert text.startswith("## Hit by 4: Boris is hurt (1 wound, knockdown and K)"), text
    assert (
        "Boris spends a Life Point: 2 wounds and 3 shock off. Left: 1 wound, knockdown and K."
        in text
    ), text
    boris = await sheet(world, "Boris")
    assert (boris.life_points, boris.harm.wounds, boris.harm.shock) == (4, 1, 0)
    await world.gina.slash(world.zone, "gm undo")
    boris = await sheet(world, "Boris")
    assert (boris.life_points, boris.harm.wounds) == (5, 0)
    assert has_decision(card(world), "Ben"), "it is asked anew"


@pytest.mark.rule("MB-LP-03", "MB-LP-05")
async def test_who_stays_silent_takes_everything(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    await attack(world, world.ana, "Boris", **shot_options())
    await meet(world, world.ben, "Pass", 5, 6)
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    await world.env.advance_time(25 * 60)
    assert card(world).startswith(
        "## Hit by 4 so far: unless changed, Boris is badly hurt (3 wounds, knockdown, K and 3"
    )
    await world.env.advance_time(24 * 60 * 60)
    assert card(world).startswith(
        "## Hit by 4: Boris is badly hurt (3 wounds, knockdown, K and 3 shock)"
    )
    assert (await sheet(world, "Boris")).life_points == 5


# --- several --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-EQ-10", "MB-EQ-11", "MB-EQ-13", "MB-EQ-14")
async def test_a_grenade_and_getting_clear_of_it(world: World) -> None:
    await open_table(world, sheets={"Vesna": ARMED})
    thrown = {"weapon": GRENADE, "approach": "over the wall", "with": "range: short, also: Boris 2"}
    text = await attack(world, world.ana, "Thug", **thrown)
    assert text.startswith("## Boris, choose a defense")
    # Dexterity 10 against 5; a dodge of 11 and 3 against 12 is solid: two zones.
    text = await meet(world, world.ben, "Active", 4, 5, 2, 2)
    assert text.startswith("## ✓ On the spot: Thug is badly hurt (10 against 5)"), text
    assert "Boris gets clear" in text and "Thug is knocked down" in text
    assert f"{GRENADE} rounds 2 → 1" in text
    assert (await sheet(world, "Thug")).harm.wounds and not (
        await sheet(world, "Boris")
    ).harm.wounds
    await world.gina.slash(world.zone, "gm undo")
    assert not (await sheet(world, "Thug")).harm.wounds


@pytest.mark.rule("MB-EQ-12")
async def test_a_grenade_that_strays_the_gm_places(world: World) -> None:
    await open_table(world, sheets={"Vesna": ARMED})
    thrown = {"weapon": GRENADE, "approach": "over the wall", "with": "range: long"}
    # 10 against 15: left by 5 and 3 meters.
    text = await attack(world, world.ana, "Thug", 4, 5, 7, 4, **thrown)
    assert "8 m too far to the left" in text, text
    panel = message_of(
        await world.press(world.gina, world.newest("Say where it lands"), "Say where it lands")
    )
    await world.press(world.gina, panel, "Say where it lands…")
    for written_, kept in (("Boris 1\nNobody 2", "Boris 1\nNobody 2"), ("Boris 1", "Boris 1")):
        dialog = await world.press(world.gina, panel, "Others, in meters…")
        await world.gina.submit_modal(dialog, {"also": written_})
        again = await world.press(world.gina, panel, "Others, in meters…")
        assert dialog_values(again) == {"also": kept}
        wrong = "line 2:** Nobody called “Nobody”" in texts(panel)
        assert wrong == ("Nobody" in written_), texts(panel)
    await world.press(world.gina, panel, "Say where it lands")
    assert "Boris is unconscious (3 wounds, KO and 7 shock)" in card(
        world
    ) and "Thug gets clear" in card(world)
    assert (await sheet(world, "Boris")).harm.wounds and not (
        await sheet(world, "Thug")
    ).harm.wounds
    await world.gina.slash(world.zone, "gm undo")
    assert "Say where it lands" in card(world)


@pytest.mark.rule("MB-EQ-12")
async def test_meters_that_cannot_be_are_asked_for_anew(world: World) -> None:
    """Said before the throw, they must not keep it from falling."""
    await open_table(world, rules={"grenade_deviation_method": "gm"})
    await bring(world, world.gina, "Grim", {"arms": ARMED["arms"]}, npc=True)
    thrown = {"weapon": GRENADE, "approach": "over the wall", "as": "Grim"}
    text = await attack(
        world, world.gina, "Thug", 1, 2, **thrown, **{"with": "range: long, strays: 1"}
    )
    assert "too far" not in text and (await world.state()).checks["c1"].is_open, text
    panel = message_of(
        await world.press(world.gina, world.newest("Say where it lands"), "Say where it lands")
    )
    dialog = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(dialog, dialog_values(dialog) | {"strays": "6"})
    world.dice.lay(7)
    await world.press(world.gina, panel, "Say where it lands")
    assert "6 m too far to the left" in card(world)


@pytest.mark.rule("MB-CBN-01", "MB-MUL-02")
async def test_a_mob_rolls_once(world: World) -> None:
    await open_table(world)
    alone = await refused_attack(world, world.ana, "Thug", **shot_options("group: 4"))
    assert "Only the GM" in alone, "nobody is four"
    mob = {"as": "Thug", "weapon": "Baseball bat", "with": "group: 4"}
    await attack(world, world.gina, "Vesna", **mob)
    # 9 and 3 against 10 and 2 for all four: +5 to the 13 of a bat.
    text = await meet(world, world.ana, "Pass", 7, 7)
    assert text.startswith("## Hit, 4 of 4: Vesna is hurt (1 wound, K/O and 3 shock)"), text
    await world.gina.slash(world.zone, "gm undo")
    assert card(world).startswith("## Thug attacks Vesna: choose a defense")


@pytest.mark.rule("MB-CBN-02", "MB-MUL-01")
async def test_two_coordinate(world: World) -> None:
    await open_table(world, live=False)
    await attack(world, world.ana, "Thug", **KNIFE, **{"with": "together: Boris"})
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    assert card(world).startswith("## Boris, join")
    await world.restart()
    # Both coordinate, 11 − 3 and 5 against 8, and hit, 11 − 2 and 5 and 2 against 8: +4 to damage.
    world.dice.lay(8, 8, 8, 8, 8, 8, 3, 10, 2)
    panel = message_of(await world.press(world.ben, world.newest("Join"), "Join"))
    await world.press(world.ben, panel, "Coordinate with them")
    assert world.dice.left == 0
    assert card(world).startswith("## ✓ Hit, 2 of 2: Thug is badly hurt"), card(world)
    assert "Vesna, coordination: 2d10 (8, 8): bonus +5, total **13**" in card(world)
    assert "Boris, attack: 3d10 (3, **10**, 2): bonus +4, total **13**" in card(world)


@pytest.mark.rule("MB-CBN-02")
async def test_who_cannot_coordinate_attacks_alone(world: World) -> None:
    await open_table(world)
    await attack(world, world.ana, "Thug", **KNIFE, **{"with": "together: Boris"})
    panel = message_of(await world.press(world.ben, world.newest("Join"), "Join"))
    # Neither coordinates, 11 − 3 and −10 against 8; of the two blows only that of whoever began
    # counts.
    world.dice.lay(1, 1, 1, 1, 8, 8, 9, 9)
    await world.press(world.ben, panel, "Coordinate with them")
    assert world.dice.left == 0
    assert card(world).startswith("## ✓ Hit, 1 of 2: Thug is hurt"), card(world)
    # 11 − 2 and 5 against 8: 6 points; 9 and 3 and those against Toughness 9, and nothing for two.
    harm = (await sheet(world, "Thug")).harm
    assert (harm.wounds, harm.shock) == (1, 5)
    await world.gina.slash(world.zone, "gm undo")
    assert not (await sheet(world, "Thug")).harm.wounds


# --- by post, orders, what cannot be --------------------------------------------------------------


@pytest.mark.rule("MB-CMB-03")
async def test_a_standing_order_dodges_guns(world: World) -> None:
    await open_table(world)
    choice, never = await world.ben.autocomplete(world.zone, "orders give", "order", "against guns")
    assert never["name"] == "Attack: never defend against guns"
    private(await world.ben.slash(world.zone, "orders give", order=choice["value"]))
    text = await attack(world, world.ana, "Boris", 2, 2, 6, 5, **shot_options())
    assert text.startswith("## ✗ Miss"), text
    assert "Boris, defense: 2d10 (6, 5): bonus +3, total **14**" in text


async def test_outside_live_play_the_gm_has_the_last_word(world: World) -> None:
    await open_table(world, live=False)
    await attack(world, world.ana, "Thug", weapon=COLT, approach="from the roof")
    assert (await sheet(world, "Vesna")).arms[1].rounds == 6, "nothing is paid before the answer"
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Range", "short")
    world.dice.lay(5, 6)
    await world.press(world.gina, panel, "Call for a roll")
    assert card(world).startswith("## ✓ Hit: Thug is badly hurt"), card(world)
    assert (await sheet(world, "Vesna")).arms[1].rounds == 5


@pytest.mark.rule("MB-DN-04")
async def test_odds_of_an_attack_and_its_wounds(world: World) -> None:
    await open_table(world, live=False, life_points=5)
    await attack(world, world.ana, "Boris", **shot_options())
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Call for a roll")
    odds = texts(message_of(await world.ana.slash(world.zone, "odds", check="c1")))
    # 14 against 11: a bonus of −3. Six wounds take 11 points more: a bonus of 8, which 19 brings.
    assert "85% against 11" in odds and "6 wounds or more 13%" in odds
    await attack(world, world.ana, "Thug", **shot_options())
    hidden = refusal_of(await world.ana.slash(world.zone, "odds", check="c2"))
    assert "no odds" in hidden, "how good an NPC is nobody can work out"
    odds = texts(message_of(await world.gina.slash(world.zone, "odds", check="c2")))
    assert "90% against 9" in odds


@pytest.mark.rule("MB-CMB-03", "MB-OPT-01", "MB-OPT-03")
async def test_an_active_defense_stands_for_the_round_and_an_open_guard_until_the_next_turn(
    world: World,
) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "mb declare", actions=2)
    await attack(world, world.ana, "Boris", **KNIFE)
    text = await meet(world, world.ben, "Active", 5, 6, 9, 9)
    assert text.startswith("## ✗ Miss"), text
    # 10 less 2 and 7: it stands, and nobody asks again.
    text = await attack(world, world.ana, "Boris", 5, 6, **KNIFE, **{"with": "all out"})
    assert text.startswith("## ✗ Miss, 13 against 15"), text
    # Whoever has acted cannot defend actively; all out costs 6.
    text = await attack(world, world.ben, "Vesna", 5, 6, **KNIFE)
    assert "Vesna's Melee Parry:** 4" in text, text


@pytest.mark.rule("MB-OPT-01")
async def test_aiming_takes_a_round_and_counts_in_the_next(world: World) -> None:
    await open_table(world)
    text = await attack(world, world.ana, "Thug", **shot_options("aim"))
    assert text.startswith("## Vesna takes aim") and "rounds" not in text, text
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options())
    assert "aimed (+2)" in text
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options())
    assert "aimed" not in text


@pytest.mark.rule("MB-DMO-01", "MB-DMO-03", "MB-DMO-04")
@pytest.mark.parametrize(
    ("rules", "words", "more", "head"),
    [
        # 14 and 7 against 11: 10 points; 19 and 10 against 10: 19 damage points.
        ({}, "", (), "Hit by 10: Boris is dying (5 wounds, KO and 7 shock)"),
        (
            {"bleeding": "table"},
            "",
            (5, 6, 1, 7),
            "Boris is unconscious (3 wounds, 2 bleeding wounds, KO and 7 shock)",
        ),
        (
            {"bleeding": "gm"},
            "bleeders: 2",
            (),
            "Boris is unconscious (3 wounds, 2 bleeding wounds, KO and 7 shock)",
        ),
        # Harder by 2: 8 points, a good success; 3 of 4 wounds become shock.
        (
            {"knockout_attacks": "on"},
            "knockout: 2",
            (),
            "Hit by 8: Boris is unconscious (1 wound, KO and 16 shock)",
        ),
    ],
)
async def test_damage_options(
    world: World, rules: dict[str, str], words: str, more: tuple[int, ...], head: str
) -> None:
    await open_table(
        world, rules=rules, sheets={"Thug": {"arms": [{"name": COLT}], "dexterity": 13}}
    )
    await attack(world, world.gina, "Boris", **shot_options(words), **{"as": "Thug"})
    text = await meet(world, world.ben, "Pass", 9, 9, *more)
    assert head in text, text


@pytest.mark.rule("MB-DMO-01")
@pytest.mark.rule("MB-SUC-05")
async def test_an_attack_can_miss_critically_and_nobody_learns_values_by_it(world: World) -> None:
    await open_table(world, gm_channel=True, rules={"critical_failure": "on"})
    await attack(world, world.ana, "Boris", **KNIFE | {"with": "head"})
    # Agility 9, 2 adds, −10 and −8: missed by 18.
    text = await meet(world, world.ben, "Pass", 1, 1)
    assert text.startswith("## ✗ Critical miss, −7 against "), text
    # Of an NPC, whoever rolls, only the GMs read that.
    await world.gina.slash(
        world.zone, "attack", target="Boris", approach="so", **{"as": "Thug", "with": "head"}
    )
    assert "Miss, " in await meet(world, world.ben, "Pass", 1, 1)
    await attack(world, world.ana, "Thug", 1, 1, **KNIFE | {"with": "head"})
    assert world.told(world.ben).count("Critical miss") == world.told(world.ben).count(
        "Critical miss, −7"
    )
    assert any("Critical miss" in texts(each) for each in world.messages(world.gm_room))


@pytest.mark.parametrize(
    ("cap", "takes"),
    [
        ("on", "unconscious (2 wounds, KO and 5 shock)"),
        ("off", "badly hurt (3 wounds, knockdown, K and 3 shock)"),
    ],
)
async def test_a_cap_on_damage(world: World, cap: str, takes: str) -> None:
    await open_table(
        world, rules={"damage_cap": cap}, sheets={"Thug": {"arms": [{"name": "Knife"}]}}
    )
    await attack(world, world.gina, "Boris", weapon="Knife", **{"as": "Thug"})
    # 9 and 13 against 10: 12 points, of which 11 count.
    text = await meet(world, world.ben, "Pass", 10, 10, 9, 7)
    assert f"Hit by 12: Boris is {takes}" in text, text


IMPOSSIBLE_ATTACKS: Final = (
    ({"weapon": "halberd"}, "You have no “halberd” at hand."),
    ({"weapon": COLT}, "How far away is the target?"),
    ({"weapon": COLT, "with": "range: 400"}, "400 m is too far: it reaches 150 m."),
    ({"weapon": COLT, "with": "range: so so"}, "Write meters"),
    ({"weapon": "Knife", "with": "range: 3"}, "3 m is out of reach"),
    ({"weapon": COLT, "with": "range: 8, full auto"}, "has no “full auto”"),
    ({"weapon": "Knife", "with": "head, arm"}, "don't go together"),
    ({"weapon": "Knife", "with": "haymaker"}, "doesn’t go with this weapon"),
    ({"weapon": "Knife", "with": "knockout: 2"}, "Only"),
    ({"weapon": "Knife", "skill": "Dodge"}, "doesn’t stand in here"),
)


async def test_what_cannot_be_changes_nothing(world: World) -> None:
    await open_table(world)
    before = await world.revision()
    for options, why in IMPOSSIBLE_ATTACKS:
        found = await refused_attack(world, world.ana, "Thug", approach="so", **options)
        assert why.replace("’", "'") in found.replace("’", "'")
        assert await world.revision() == before


@pytest.mark.rule("MB-OPT-01", "MB-OPT-05", "MB-COV-01", "MB-SUR-01")
async def test_a_table_without_combat_options(world: World) -> None:
    uzi = ARMED | {
        "skills": [*FIGHTER["skills"], {"name": "Martial Arts", "adds": 1, "focus": "boxing"}]
    }
    await open_table(world, rules={"combat_options": "off"}, sheets={"Vesna": uzi})
    before = await world.revision()
    for words in (
        "head",
        "aim",
        "blindside",
        "burst as single",
        "full auto",
        "cover: weak",
        "concealment: one half",
    ):
        why = await refused_attack(world, world.ana, "Thug", **shot_options(words, UZI))
        assert "doesn't play with that" in why, (words, why)
    for more in ({"target": "Thug", "total": 30}, {"target": "Boris", "total": 3}):
        why = refusal_of(await world.gina.slash(world.zone, "mb surprise", **more))
        assert "doesn't play with that" in why, why
    assert await world.revision() == before
    given = {"target": "Thug", "weapon": UZI}
    shown = await world.ana.autocomplete(world.zone, "attack", "with", "", **given)
    offered = " ".join(each["value"] for each in shown)
    assert "burst" in offered and not any(
        each in offered for each in ("head", "aim", "cover", "auto")
    ), offered
    # The weapon's own way to fire, and what a martial art knows, are no options.
    text = await attack(world, world.ana, "Thug", 1, 1, **shot_options("burst", UZI))
    assert "rounds 12 → 7" in text, text
    text = await attack(
        world, world.ana, "Thug", 1, 1, **FIST, skill="Martial Arts: boxing", **{"with": "haymaker"}
    )
    assert text.startswith("## ✗ Miss, 0"), text
    await world.gina.slash(world.zone, "gm settings", setting="combat_options", value="on")
    text = await attack(
        world,
        world.ana,
        "Thug",
        1,
        1,
        **shot_options("head", COLT) | {"weapon": "Knife", "with": "head"},
    )
    assert "head (−8)" in text, text


@pytest.mark.rule("MB-DMG-08", "MB-DMG-10", "MB-DMG-11", "MB-CMB-02")
async def test_what_is_worse_than_the_last_row_of_the_chart(world: World) -> None:
    await open_table(world)
    # 11 − 8 and 15 against 10: 8 points; 9 + 3, 8 and 12 for the head against Toughness 10: 22.
    await attack(world, world.ana, "Boris", **KNIFE, **{"with": "head"})
    text = await meet(world, world.ben, "Pass", 10, 10, 10, 10, 5, 4)
    assert text.startswith("## Hit by 8: Boris is dead (8 wounds, knockdown, K and 5 shock)"), text
    assert "Boris: Wounds 0 → 8" in text and "dies: first aid can't help" in text, text
    aid = {"method": "wounds", "target": "Boris"}
    why = refusal_of(await world.ana.slash(world.zone, "heal", **aid))
    assert "beyond mortal" in why and "8" not in why, why
    # Who lies there is hit the better, and wounds add up without an end.
    text = await attack(world, world.ana, "Boris", **KNIFE, **{"with": "head"})
    assert text.startswith("## Waiting for the GM"), "how hard the helpless are to hit the GM says"
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "**Defense:** 6" in texts(panel), "what is passive is proposed"
    assert "6" not in text.partition("-#")[0]
    world.dice.lay(10, 10, 10, 10, 5, 4)
    await world.press(world.gina, panel, "Call for a roll")
    assert (await sheet(world, "Boris")).harm.wounds == 20
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).harm.wounds == 8


@pytest.mark.rule("MB-CMB-02", "MB-ACT-01")
async def test_a_proposal_is_still_answered_once_its_attacker_has_acted(world: World) -> None:
    """Otherwise nobody of the GMs could look at anything that waits for them."""
    await open_table(world)
    await attack(world, world.ana, "Boris", **KNIFE, **{"with": "head"})
    await meet(world, world.ben, "Pass", 10, 10, 10, 10, 5, 4)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    await attack(world, world.ana, "Boris", **KNIFE)
    waits = world.newest("Answer")
    await world.ana.slash(world.zone, "check", skill="Stealth", approach="so")
    await world.rule(number="8", level=None)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "Answer" in private(await world.gina.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, waits, "Answer"))
    assert "no action left" in refusal_of(await world.press(world.gina, panel, "Call for a roll"))
    other = message_of(await world.press(world.gina, panel, "Impossible…"))
    await world.press(world.gina, other, "Impossible")
    assert "Only End turn is left" in private(await world.gina.slash(world.zone, "moves"))
