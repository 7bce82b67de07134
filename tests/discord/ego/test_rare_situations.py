"""What a GM and players meet now and then: falls, mounted weapons, named attacks, turns of those
who are out.
"""

from __future__ import annotations

import pytest
from discord.app_commands import Command, Group

from tests.discord.ego.table import (
    FIGHTER,
    PISTOL,
    SWORD,
    attack,
    bring,
    meet,
    misses,
    open_table,
    read_by_gms,
    refused_attack,
    sheet,
)
from tests.discord.ego.test_rounds import ROLLS
from tests.discord.rounds import acts, gather, next_turn
from tests.discord.world import World, primary, private, public, refusal_of, texts

MACHINE_GUN = "Lgt machine gun"


@pytest.mark.rule("EGO-ARM-01")
async def test_the_card_says_what_armor_stopped(world: World) -> None:
    await open_table(world)
    await attack(world, world.ana, "Boris", weapon=SWORD, approach="so")
    text = await meet(world, world.ben, "Pass", *misses(4), 5, *misses(8), *(5,) * 6)
    assert text.startswith("## Hit by 1: Boris takes 13 damage and dies, armor stops 5")
    text = await attack(
        world, world.ana, "Orc", *misses(2), 5, *misses(8), *(4,) * 6, weapon=SWORD, approach="so"
    )
    assert text.startswith("## ✓ Hit by 1: Orc is hurt") and "stops" not in text
    assert "armor stops 5" in await read_by_gms(world)


@pytest.mark.rule("EGO-RNG-03", "EGO-AP-03")
async def test_what_is_thrown_is_in_the_hand_no_more(world: World) -> None:
    knife = {"name": "Hunting Knife", "weight": 2, "drawn": True}
    await open_table(world, boris={"arms": [knife]})
    throw = {"weapon": "Hunting Knife", "approach": "so", "with": "thrown, range: short"}
    await attack(world, world.ben, "Orc", *misses(7), **throw)
    assert not (await sheet(world, "Boris")).arms[0].drawn
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).arms[0].drawn


@pytest.mark.rule("EGO-EFF-02")
async def test_stun_outside_a_fight_holds_until_time_passes(world: World) -> None:
    await open_table(world, boris={"armour": None, "vitality": 10})
    await attack(world, world.ana, "Boris", weapon="kick", approach="so")
    text = await meet(
        world, world.ben, "Pass", *misses(4), 5, *misses(5), 6, 6, 6, 4, 4, 5, 5, 5, 1
    )
    assert "Boris is stunned for 3 rounds, until the story's clock moves on" in text
    assert "stunned for 3 rounds" in await refused_attack(
        world, world.ben, "Orc", weapon="punch", approach="so"
    )
    await world.restart()
    await world.gina.slash(world.zone, "gm time", advance="1 minute")
    assert "Boris is no longer stunned." in texts(world.last())
    assert (await sheet(world, "Boris")).stunned == 0
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).stunned == 3


@pytest.mark.rule("EGO-EFF-02", "EGO-EFF-03")
async def test_whoever_is_out_is_passed_over_in_a_line(world: World) -> None:
    await open_table(world, boris={"down": "unconscious"})
    await gather(world, "Orc")
    told = await next_turn(world, 1, 1, 1, 1, 6, 6, 6, 6, 1, 1)
    assert "Boris loses the turn: unconscious." in told
    assert "Vesna, you're up" in told and "Boris, you're up" not in told
    await next_turn(world)
    # Boris throws first in round 2, and last in round 3: he ends it.
    told = await next_turn(world, 6, 6, 6, 6, 1, 1, 1, 1, 6, 6)
    assert "Boris loses the turn: unconscious." in told and "Orc's turn" in told
    await next_turn(world)
    told = await next_turn(world, 1, 1, 1, 1, 6, 6, 3, 3, 3, 3)
    assert "Vesna, you're up" in told and "turn passes" not in told
    await next_turn(world)
    told = await next_turn(world, *ROLLS)
    assert "Boris loses the turn: unconscious." in told
    assert (await world.state()).encounters[str(world.zone.id)].round == 4
    await world.gina.slash(world.zone, "gm undo")
    await world.restart()


@pytest.mark.rule("EGO-EFF-03")
async def test_of_the_dead_no_turn_is_told(world: World) -> None:
    await open_table(world, boris={"down": "dead"})
    await gather(world, "Orc")
    # Nor do they throw initiative.
    told = await next_turn(world, 6, 6, 6, 6, 1, 1)
    assert (
        "Vesna, you're up" in told and "turn passes" not in told and "Boris, initiative" not in told
    )


@pytest.mark.rule("EGO-EFF-03")
async def test_whoever_dies_in_their_own_turn_has_had_it_and_undo_brings_it_back(
    world: World,
) -> None:
    await open_table(world)
    await gather(world, "Orc")
    assert "Boris, you're up" in await next_turn(world, 1, 1, 1, 1, 6, 6, 6, 6, 1, 1)
    before = [each.id for each in world.messages()]
    adjusted = {"character": "Boris", "what": "lethal"}
    await world.gina.slash(world.zone, "gm adjust", value="1", **adjusted)
    assert await acts(world) == "Boris"
    await world.gina.slash(world.zone, "gm adjust", value="40", **adjusted)
    assert (await sheet(world, "Boris")).down == "dead" and await acts(world) == "Vesna"
    new = "\n".join(texts(each) for each in world.messages() if each.id not in before)
    assert "Vesna, you're up" in new
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).down == "" and await acts(world) == "Boris"
    await world.restart()


@pytest.mark.rule("EGO-EFF-03")
async def test_the_turn_of_whoever_dies_waits_for_what_is_open_of_it(world: World) -> None:
    await open_table(world)
    await gather(world, "Orc")
    await next_turn(world, 1, 1, 1, 1, 6, 6, 6, 6, 1, 1)
    await attack(world, world.ben, "Vesna", weapon=SWORD, approach="so")
    assert [each.round for each in (await world.state()).open_checks] == [1]
    await world.gina.slash(world.zone, "gm adjust", character="Boris", what="lethal", value="40")
    assert (await sheet(world, "Boris")).down == "dead" and await acts(world) == "Boris"
    await meet(world, world.ana, "Pass", *misses(13))
    assert not (await world.state()).open_checks and await acts(world) == "Vesna"


@pytest.mark.rule("EGO-EFF-03")
async def test_the_turn_of_whoever_dies_stays_where_somebody_waits_or_nobody_can_act(
    world: World,
) -> None:
    await open_table(world)
    await gather(world)
    dead = {"what": "lethal", "value": "40"}
    assert "Vesna, you're up" in await next_turn(world, 6, 6, 6, 6, 1, 1, 1, 1)
    await world.ana.slash(world.zone, "initiative delay")
    await world.gina.slash(world.zone, "gm adjust", character="Boris", **dead)
    assert await acts(world) == "Boris", "Vesna may take her turn still"
    await world.ana.slash(world.zone, "initiative delay", back=True)
    assert await acts(world) == "Vesna"
    await world.gina.slash(world.zone, "gm adjust", character="Vesna", **dead)
    assert await acts(world) == "Vesna", "nobody is left"
    await world.restart()


@pytest.mark.rule("EGO-AP-01")
async def test_whoever_has_spent_all_points_on_defense_is_offered_to_be_done(world: World) -> None:
    await open_table(world, boris={"agility": 3})
    await gather(world)
    await next_turn(world, 6, 6, 6, 6, 1)
    assert primary(world.newest("End turn")) == ["Attack"]
    await attack(world, world.ana, "Boris", weapon=SWORD, approach="so")
    await meet(world, world.ben, "Block or dodge", *misses(13))
    assert "Boris, you're up" in await next_turn(world)
    assert primary(world.newest("End turn")) == ["End turn"]


@pytest.mark.rule("EGO-FX-06")
async def test_regeneration_heals_as_time_passes(world: World) -> None:
    troll = {"lethal": 3, "powers": [{"name": "Regeneration", "rating": 2}]}
    await open_table(world, boris=troll)
    world.dice.lay(5, 6, 1, 5)
    await world.gina.slash(world.zone, "gm time", advance="1 minute")
    assert world.dice.left == 0 and "Boris heals 3, Vitality 12 of 12." in texts(world.last())
    assert (await sheet(world, "Boris")).lethal == 0


@pytest.mark.rule("EGO-SPC-03", "EGO-OP-43")
async def test_a_fall_and_what_breakfall_takes_off_it(world: World) -> None:
    acrobat = {"specialties": [{"name": "Breakfall", "level": 2}]}
    await open_table(world, boris=acrobat)
    refusal_of(await world.ben.slash(world.zone, "ego fall", who="Boris", damage=12))
    world.dice.lay(6, 3)
    await world.gina.slash(world.zone, "ego fall", who="Boris", damage=12)
    text = texts(world.card())
    assert text.startswith(
        "## Boris is hurt in the fall\nBoris falls: 12 damage, Breakfall takes off 5\nBreakfall"
    ), text
    assert "Breakfall: 2d6 (6, 3): counts 3 + 2 = **5**" in text
    assert "Boris takes 2 damage, armor stops 5" in text
    assert (await sheet(world, "Boris")).lethal == 2
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).lethal == 0
    # Breakfall may take all of it off.
    world.dice.lay(1, 1)
    await world.gina.slash(world.zone, "ego fall", who="Boris", damage=2)
    text = texts(world.card("c2"))
    assert text.startswith("## Boris takes no damage in the fall") and "is hurt" not in text, text


@pytest.mark.rule("EGO-EQP-01")
async def test_a_gm_gives_money_to_spend(world: World) -> None:
    await open_table(world)
    assert "/gm adjust" in refusal_of(await world.ana.slash(world.zone, "ego funds"))
    await world.gina.slash(world.zone, "gm adjust", character="Vesna", what="funds", value="30")
    await world.ana.slash(world.zone, "ego buy", what="Leather")
    assert (await sheet(world, "Vesna")).funds == 5
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).funds == 0


async def test_what_is_reloaded_is_found_without_its_name(world: World) -> None:
    pistol = {"name": "Med Cal, automatic", "rounds": 1, "magazine": 6}
    await open_table(world, boris={"arms": [{"name": SWORD, "drawn": True}, pistol]})
    await world.ben.slash(world.zone, "ego act", action="reload")
    assert (await sheet(world, "Boris")).arms[1].rounds == 6
    assert "Sword" not in refusal_of(await world.ana.slash(world.zone, "ego act", action="reload"))


async def test_players_read_of_the_fall_of_somebody_they_do_not_know_no_number(
    world: World,
) -> None:
    await open_table(world)
    private(await world.gina.slash(world.zone, "gm npc add", name="Lurker", like="Orc"))
    await world.gina.slash(world.zone, "ego fall", who="Lurker", damage=12)
    text = texts(world.messages()[-1])
    assert text.startswith("## Somebody falls") and "12" not in text and "Lurker" not in text, text
    assert "Lurker is hurt in the fall\nWith: 12 damage" in await read_by_gms(world)


@pytest.mark.rule("EGO-NME-03")
async def test_a_dragon_attacks_by_the_name_of_what_it_does(world: World) -> None:
    await open_table(world)
    private(await world.gina.slash(world.zone, "gm npc add", like="Dragon"))
    await world.gina.slash(world.zone, "gm npc reveal", npc="Dragon")
    await world.gina.slash(world.zone, "attack", target="Vesna", weapon="claw", **{"as": "Dragon"})
    text = await meet(world, world.ana, "Pass", *misses(4), 5, *misses(9), *(1,) * 7)
    assert "Claw" in text and "7d6" not in text
    assert "Damage: 7d6" in await read_by_gms(world)


@pytest.mark.rule("EGO-VEH-11", "EGO-RNG-01")
async def test_whoever_is_aboard_shoots_with_what_is_mounted(world: World) -> None:
    await open_table(world, boris={"skills": [{"name": "Gunnery", "level": 2}]})
    added = public(
        await world.gina.slash(
            world.zone,
            "ego vehicle add",
            kind="Van",
            name="Jeep",
            pilot="Boris",
            weapons=MACHINE_GUN,
        )
    )
    assert MACHINE_GUN in added
    gun = {"approach": "so", "with": "range: short, burst"}
    found = await world.ben.autocomplete(world.zone, "attack", "weapon", "lgt", target="Orc")
    assert [each["value"] for each in found] == [f"{MACHINE_GUN} (Jeep)"]
    # Gunnery 2 and Agility 4, one die less for the burst; five damage dice and one more, and no
    # Muscle is needed.
    text = await attack(
        world, world.ben, "Orc", 5, *misses(4), *(1,) * 6, weapon=f"{MACHINE_GUN} (Jeep)", **gun
    )
    assert "Lgt machine gun (Jeep) (5 dice) and burst" in text
    assert "You have no" in await refused_attack(
        world, world.ana, "Orc", weapon=f"{MACHINE_GUN} (Jeep)", **gun
    )


@pytest.mark.rule("EGO-DIE-04")
async def test_the_odds_of_a_contest(world: World) -> None:
    await open_table(world)
    shown = private(await world.ana.slash(world.zone, "ego odds", skill="Agility", defense=1))
    assert "Agility against 1 die" in shown and "Won" in shown and "Tied" in shown, shown
    # Karma side by side: 1 - (2/3)^n of 4 dice, of more, and with one that is flipped.
    shown = private(
        await world.ana.slash(world.zone, "ego odds", skill="Agility", defense=0)
    ).replace("**", "")
    for line in (
        "Won: 80%",
        "with 1 Karma: 87%",
        "with 2 Karma: 91%",
        "with 3 Karma: 94%",
        "with a flip (1 Karma): 100%",
    ):
        assert line in shown, shown
    shown = private(
        await world.ana.slash(world.zone, "ego odds", weapon="punch", defense=0, karma=2)
    )
    # 6 dice and 2, or 3.
    for line in ("To hit:** 96%", "with 3 Karma:** 97%", "with a flip (1 Karma):** 100%"):
        assert line in shown, shown
    assert "with 2 Karma" not in shown
    await bring(world, world.ana, "Spent", FIGHTER | {"karma": 0})
    shown = await world.ana.slash(
        world.zone, "ego odds", skill="Agility", defense=0, **{"as": "Spent"}
    )
    assert "Karma" not in private(shown)
    assert "How many dice" in refusal_of(
        await world.ana.slash(world.zone, "ego odds", skill="Stealth")
    )


async def test_nobody_is_taken_aboard_against_their_will(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "ego vehicle add", kind="Sedan", pilot="Vesna")
    assert "Boris" in refusal_of(
        await world.ana.slash(world.zone, "ego vehicle board", aboard="Boris")
    )
    text = public(
        await world.ben.slash(world.zone, "ego vehicle board", aboard="Boris", restraints=True)
    )
    assert "Vesna" in text and "Boris" in text
    refusal_of(await world.ben.slash(world.zone, "ego vehicle board", pilot="Boris"))
    public(await world.ana.slash(world.zone, "ego vehicle board", pilot="Boris"))


@pytest.mark.rule("EGO-EXP-01")
async def test_improving_and_learning_ask_for_no_more_than_the_rules(world: World) -> None:
    await open_table(world)
    await world.gina.slash(world.zone, "gm award", kind="exp", amount=10)
    private(await world.ana.slash(world.zone, "character improve", skill="Gun Combat"))
    private(await world.ana.slash(world.zone, "character learn", skill="Pilot", attribute="space"))
    private(await world.ana.slash(world.zone, "character learn", skill="Medical"))
    levels = {each.name: each.level for each in (await sheet(world, "Vesna")).skills}
    assert (levels["Gun Combat"], levels["Pilot"], levels["Medical"]) == (4, 1, 1)


async def test_whoever_has_everything_in_hand_is_not_told_to_carry_nothing(world: World) -> None:
    await open_table(world, boris={"arms": [{"name": SWORD, "drawn": True}]})
    for action in ("draw", "reload"):
        said = refusal_of(await world.ben.slash(world.zone, "ego act", action=action))
        assert "No weapon of yours needs that: /character show" in said


async def test_an_enemy_in_numbers_needs_a_name(world: World) -> None:
    await open_table(world)
    numbers = "att 5, defense 2, vitality 12, ar 5, damage 4"
    said = refusal_of(await world.gina.slash(world.zone, "gm npc add", like=numbers))
    assert "a name, or attach a sheet with one" in said and "Add the field" not in said
    await world.gina.slash(world.zone, "gm npc add", like=numbers, name="Ogre")
    assert (await sheet(world, "Ogre")).profile is not None


async def test_points_to_keep_are_named_as_the_cards_name_them(world: World) -> None:
    await open_table(world)
    order = "Attack: Parry (1 Action Point)"
    for keep in ("Action Points", "ap"):
        private(await world.ben.slash(world.zone, "orders give", order=order, keep=keep, amount=1))
        shown = private(await world.ben.slash(world.zone, "orders list"))
        assert "keeping Action Points at 1 or more" in shown
    said = refusal_of(await world.ben.slash(world.zone, "orders give", order=order, keep="AB"))
    assert "No points called “AB”" in said and "Action Points" in said and "exp_saved" not in said


@pytest.mark.rule("EGO-NME-01", "EGO-VEH-11")
async def test_an_enemy_shoots_what_is_mounted_with_its_attack_dice(world: World) -> None:
    await open_table(world)
    van = {"kind": "Van", "name": "Jeep", "pilot": "Orc", "weapons": MACHINE_GUN}
    await world.gina.slash(world.zone, "ego vehicle add", **van)
    gun = {"weapon": f"{MACHINE_GUN} (Jeep)", "with": "range: short, burst", "as": "Orc"}
    # Five dice less one for the burst.
    await attack(world, world.gina, "Vesna", *misses(4), **gun)
    assert "Orc, attack: 4d6" in await read_by_gms(world)


@pytest.mark.rule("EGO-SPC-03", "EGO-DIE-02")
async def test_what_needs_no_roll_begins_with_none(world: World) -> None:
    diplomat = {
        "skills": [{"name": "Social Skills", "level": 3}],
        "specialties": [{"name": "Diplomacy", "level": 2}],
    }
    await open_table(world, live=False, boris=diplomat)
    await world.ben.slash(
        world.zone, "check", skill="Diplomacy", approach="so", **{"with": "knowledge: Intellect"}
    )
    await world.rule(level="Automatic")
    await world.press(world.ben, world.card(), "Roll")
    text = texts(world.card())
    assert "Success: no roll needed" in text and "nowledge" not in text


@pytest.mark.rule("EGO-EFF-02", "EGO-CMB-01")
async def test_nobody_is_stunned_once_the_fight_is_over(world: World) -> None:
    await open_table(world, boris={"armour": None, "vitality": 10})
    await gather(world, "Orc")
    await next_turn(world, *ROLLS)
    await attack(world, world.ana, "Boris", weapon="kick", approach="so")
    await meet(world, world.ben, "Pass", *misses(4), 5, *misses(5), *(6,) * 5, 5, 5, 6, 1)
    before = len(world.messages())
    await world.gina.slash(world.zone, "initiative end")
    assert not any("stunned for" in texts(each) for each in world.messages()[before:])
    assert (await sheet(world, "Boris")).stunned == 0


@pytest.mark.rule("EGO-INI-01", "EGO-KAR-02")
async def test_karma_of_before_is_no_dice_for_whoever_joins(world: World) -> None:
    await open_table(world)
    await attack(
        world, world.ana, "Orc", *misses(14), weapon=SWORD, approach="so", **{"with": "karma: 3"}
    )
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await next_turn(world, 2, 1, 1, 1)
    world.dice.lay(*misses(4))
    assert "initiative 8 (4d6" in private(await world.ana.slash(world.zone, "initiative join"))
    assert world.dice.left == 0


@pytest.mark.rule("EGO-RNG-04", "EGO-CHR-05", "EGO-ADV-02")
async def test_the_odds_of_an_attack_are_those_of_its_roll(world: World) -> None:
    await open_table(world, boris={"skills": [], "specialties": []})
    await world.gina.slash(world.zone, "gm settings", setting="untrained_plus_one", value="on")
    shown = private(await world.ben.slash(world.zone, "ego odds", weapon=PISTOL, range="medium"))
    # Four dice and one for the shot that is not fired, against 3: 17 of 81.
    assert "To hit:** 21%" in shown, shown
    shot = {"weapon": PISTOL, "approach": "so", "with": "range: medium"}
    text = await attack(world, world.ben, "Orc", *misses(5), **shot)
    assert "Miss, 0 against 3" in text
    await bring(world, world.ben, "Agile", FIGHTER | {"advantages": ["Agile"], "skills": []})
    better = await world.ben.slash(
        world.zone, "ego odds", weapon=PISTOL, range="medium", **{"as": "Agile"}
    )
    # One failed die is thrown again: as good as a sixth die as long as one of five fails.
    assert "To hit:** 32%" in private(better), private(better)


@pytest.mark.rule("EGO-REC-01")
async def test_days_of_care_pass_unhurt_as_well(world: World) -> None:
    await open_table(world)
    await world.gina.slash(
        world.zone, "heal", method="rest", **{"as": "Orc", "with": "care: medical, days: 3"}
    )
    await world.gina.slash(world.zone, "gm time", advance="5 days")
    await world.gina.slash(world.zone, "gm adjust", character="Orc", what="lethal", value="6")
    await world.gina.slash(world.zone, "gm time", advance="1 day")
    assert (await sheet(world, "Orc")).lethal == 5


async def test_gm_settings_have_no_options_of_another_system(world: World) -> None:
    await open_table(world)
    group = world.bot.tree.get_command("gm")
    assert isinstance(group, Group)
    settings = group.get_command("settings")
    assert isinstance(settings, Command)
    named = {parameter.name.rstrip("_") for parameter in settings.parameters}
    assert {"live", "step_in_minutes", "setting", "value"} <= named
    assert not named & {"house_initiative", "npc_rolls", "hit_default", "cbp"}
    await world.gina.slash(world.zone, "gm settings", setting="Money", value="$")
    assert (await world.state()).settings.own["currency"] == "$"
