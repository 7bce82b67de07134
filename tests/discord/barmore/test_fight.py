"""Attacks, Wounds, healing and phases of Barmore's dice pool, over days and restarts."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.discord.barmore import ILKA, bar_table, board_text, bring, roll, rule, sheet_of, side
from tests.discord.world import (
    World,
    button,
    card,
    labels,
    message_of,
    parts,
    pings,
    private,
    public,
    refusal_of,
    texts,
)


async def _attack(world: World, target: str, who: Any = None, **options: Any) -> None:
    given = {"target": target, "weapon": "Boathook", "skill": "Boats", "approach": "low", **options}
    await (who or world.ana).slash(world.zone, "attack", **given)


async def _defense(world: World, *options: str, ability: str = "Athletics", **menus: str) -> Any:
    """Ben's panel with what Ilka sets against it."""
    panel = await side(world, world.ben, "Defend", ability, **menus)
    if options:
        await world.choose(world.ben, panel, "All the rest", *options)
    return panel


async def _defend(world: World, *faces: int) -> str:
    """Ben answers, and all dice fall; what the check's card says then."""
    panel = await _defense(world)
    world.dice.lay(*faces)
    await world.press(world.ben, panel, "Defend")
    return card(world)


async def _npc(world: World, name: str, *, stage: str = "revealed") -> None:
    await world.gina.slash(world.zone, "gm npc add", name=name, stage=stage)


# --- attacks --------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-AUTO", "BAR-TRAUMA")
async def test_an_attack_on_somebody_who_never_rolls(world: World) -> None:
    await bar_table(world, gm_channel=True)
    await _npc(world, "Sidor")
    await _attack(world, "Sidor")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "5: no traits, without dice" in texts(panel)
    await rule(world, "5")
    world.dice.lay(8, 8, 8, 8)
    text = await roll(world)
    # Level 5, Muscle Power 2, weapon 1; Toughness unsaid.
    assert "**Sidor:** Critical (physical)" in text
    assert private(await world.ana.slash(world.zone, "character show", character="Sidor")).endswith(
        "Badly hurt.\n-# An NPC."
    )
    assert "5 Penalty Dice" in private(
        await world.gina.slash(world.zone, "character show", character="Sidor")
    )
    assert "without dice, and with no trait" not in world.told(world.ana)


async def test_a_makeshift_weapon_stands_in_the_panel(world: World) -> None:
    await bar_table(world)
    panel = message_of(await world.ana.slash(world.zone, "attack", weapon="Spoon"))
    await world.choose(world.ana, panel, "Target", "k2")
    await world.choose(world.ana, panel, "Skill", "Brawling")
    assert "**Weapon:** Spoon" in texts(panel)


@pytest.mark.rule("BAR-OPPOSED", "BAR-ARMOR", "BAR-TRAUMA")
async def test_both_sides_choose_in_secret_and_the_wound_counts_from_then_on(world: World) -> None:
    await bar_table(world, gm_channel=True)
    await _attack(world, "Ilka", **{"with": "die: d12-2"})
    await rule(world, None)
    await world.restart()
    panel = await _defense(world, "convert: 1", Die="d4+2")
    assert "d12-2 (" not in world.told(world.ben)
    assert "d4+2 (" not in world.told(world.ana) and "Add Die converted" not in world.told(
        world.ana
    )
    world.dice.lay(9, 9, 9, 9, 1, 1)
    await world.press(world.ben, panel, "Defend")
    text = card(world)
    assert text.startswith("## Hit: Ilka is badly hurt (Critical Wound)\nMarek attacks Ilka: ")
    assert "level 5; Muscle Power +2; Boathook +1 = degree **8**: Critical (physical)" in text
    assert "Marek: 4d12 (9, 9, 9, 9) − 8 = **28**" in text
    assert "Ilka: 2d4 (~~1~~, 1) + 2 = **3**" in text and "d4+2 (3–6 each)" in text
    await world.restart()
    shown = private(await world.ben.slash(world.zone, "character show"))
    assert (
        "**#1 Critical (physical):** 5 Penalty Dice on what is physical and 2 Penalty Dice "
        "on what is mental" in shown
    )
    text = public(await world.propose(world.ben, skill="Athletics", attribute="Speed"))
    assert "• Critical Wound: +5 Penalty Dice" in text
    assert "Pool: 2 Add Dice and 6 Penalty Dice." in text


@pytest.mark.rule("BAR-OPPOSED")
async def test_undoing_the_blow_takes_the_wound_back(world: World) -> None:
    await bar_table(world)
    await _attack(world, "Ilka")
    await rule(world, None)
    await _defend(world, 8, 8, 8, 8, 1, 1)
    assert (await sheet_of(world, "Ilka")).wounds != ()
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet_of(world, "Ilka")).wounds == ()
    assert not (await world.state()).checks["c1"].data.throws
    assert world.newest("Defend") and "Wound" not in card(world)


# --- healing --------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-HEAL", "BAR-TRAUMA")
async def test_from_dying_to_healed_with_the_storys_time(world: World) -> None:
    await bar_table(world)
    ilka = {"character": "Ilka"}
    await world.gina.slash(world.zone, "gm adjust", what="new wound", value="physical 12", **ilka)
    text = refusal_of(await world.propose(world.ben, skill="Athletics"))
    assert "rules out all physical activity" in text
    await world.gina.slash(world.zone, "gm time", advance="400 days")
    assert "doesn't heal until stabilized" in private(
        await world.ben.slash(world.zone, "character show")
    )
    heal = {
        "method": "treat",
        "target": "Ilka",
        "skill": "First Aid",
        "attribute": "Wits",
        "approach": "bandages",
    }
    await world.ana.slash(world.zone, "heal", **heal)
    await rule(world, "3", factor="3")
    world.dice.lay(8, 5)
    text = await roll(world)
    assert "#1 Mortal (physical) is stabilized and heals from now on, 3 times as fast" in text
    adjust = await world.gina.slash(
        world.zone, "gm adjust", what="wound rest", value="1: stopped", **ilka
    )
    assert "isn't healing: no rest" in private(adjust)
    await world.gina.slash(world.zone, "gm time", advance="10 days")
    panel = message_of(await world.ben.slash(world.zone, "heal", method="rest"))
    await world.press(world.ben, panel, "Send")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Allow the rest")
    await world.restart()
    # 240 days, Immune System 2, three times as fast.
    await world.gina.slash(world.zone, "gm time", advance="39 days")
    assert (await sheet_of(world, "Ilka")).wounds != ()
    private(await world.gina.slash(world.zone, "gm time", advance="1 day"))
    assert "Ilka: Mortal (physical) has healed." in texts(world.last())
    assert (await sheet_of(world, "Ilka")).wounds == ()
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet_of(world, "Ilka")).wounds != ()


IMPOSSIBLE_ADJUSTMENTS: Final = (
    ("new wound", "spiritual 3", "`value`: there's no “spiritual” to choose"),
    ("new wound", "physical 5000", "1 to 1000"),
    ("new wound", "4", "“physical 4”"),
    ("wound healed", "7", "No Wound “7” here"),
    ("wound care", "1 x fast", "isn't a factor"),
    ("wound rest", "1: wild", "“rest”, “slower” or “stopped”"),
    ("ability", "Swiming 3", "Swimming"),
    ("ability", "Boats -1", "0 to 30"),
    ("luck", "3", "luck"),
)


async def test_what_cannot_be_set_is_refused(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(
        world.zone, "gm adjust", character="Marek", what="new wound", value="physical 2"
    )
    before = await world.revision()
    for what, value, words in IMPOSSIBLE_ADJUSTMENTS:
        result = await world.gina.slash(
            world.zone, "gm adjust", character="Marek", what=what, value=value
        )
        assert words in refusal_of(result)
        assert await world.revision() == before


# --- phases ---------------------------------------------------------------------------------------


async def _timeline(world: World) -> None:
    """Marek, Ilka and somebody off stage, in phase 1; Marek may act."""
    await bar_table(world, gm_channel=True)
    await _npc(world, "Zorvath", stage="off")
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative add", name="Zorvath")
    await world.gina.slash(world.zone, "initiative next")


async def _act(world: World, who: Any, action: str, cost: str, **options: Any) -> Any:
    return await who.slash(world.zone, "barmore act", action=action, cost=cost, **options)


@pytest.mark.rule("BAR-PHASE", "BAR-MULTI")
async def test_who_is_done_when(world: World) -> None:
    await _timeline(world)
    text = private(await _act(world, world.ana, "climb out", "5", score="Speed"))
    assert "That takes 3 phases (base cost 5, Speed 2)." in text
    text = private(await _act(world, world.ben, "three things", "3, 4, 5", score="Wits"))
    assert "That takes 5 phases (base costs 3, 4 and 5, Wits 3)." in text
    await world.restart()
    await _act(world, world.gina, "xplotsx", "9", **{"as": "Zorvath"})
    call = world.last()
    assert pings(call, world.env) == [world.ana.id]
    assert "Marek, you're up.** Phase 4. Finished: climb out." in texts(call)
    shown = board_text(world)
    assert "Marek** finishes now: climb out" in shown
    assert "Ilka: busy until phase 6, three things" in shown
    assert "Somebody" not in shown and "phase 10" not in shown, "players know of nobody else"
    assert "busy until phase 6" in refusal_of(await _act(world, world.ben, "duck", "2"))
    switched = await world.ben.slash(world.zone, "barmore switch", action="duck", cost="2")
    assert "Breaking off first costs 2 phases more" in private(switched)
    assert "Ilka: busy until phase 8, duck" in board_text(world)
    await world.gina.slash(world.zone, "gm undo")
    assert "Ilka: busy until phase 6, three things" in board_text(world)
    for who in (world.ana, world.ben):
        assert "Zorvath" not in world.told(who) and "xplotsx" not in world.told(who)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cost": "x"}, "whole number"),
        ({"cost": "0"}, "1 to 1000"),
        ({"cost": ","}, "cost"),
        ({"cost": "1,1,1,1,1,1,1,1,1,1,1"}, "10"),
        ({"cost": "1", "as": "Ilka"}, "Ilka"),
        ({"cost": "1", "as": "Zorvath"}, "Zorvath"),
    ],
)
async def test_what_cannot_begin_is_refused(
    world: World, options: dict[str, str], words: str
) -> None:
    await _timeline(world)
    before = await world.revision()
    text = refusal_of(await world.ana.slash(world.zone, "barmore act", action="dance", **options))
    assert words in text
    assert await world.revision() == before


async def test_when_nobody_does_anything_everybody_hears_so(world: World) -> None:
    await _timeline(world)
    await world.ana.slash(world.zone, "initiative next")
    await world.ben.slash(world.zone, "initiative next")
    assert "Ilka does nothing yet" in texts(world.last()), (
        "so far as players know nobody does anything"
    )
    assert "Zorvath does nothing yet" in private(
        await world.gina.slash(world.zone, "initiative next")
    )
    assert refusal_of(await world.gina.slash(world.zone, "initiative next"))
    back = await world.ana.slash(world.zone, "initiative delay", back=True)
    assert "Marek" in private(back)
    assert "Marek** " in board_text(world)


async def test_a_timeline_is_played_with_the_buttons_of_the_board(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "initiative start")
    board = world.newest("Begin")
    assert labels(board) == ["Begin", "Join", "Add all players"]
    await world.press(world.ana, board, "Join")
    await world.press(world.ben, board, "Join")
    await world.press(world.gina, world.newest("Begin"), "Begin")
    call = world.newest("Do nothing yet")
    assert "Marek, you're up.** Phase 1. Ilka goes next." in call.content
    assert labels(call) == ["Attack", "Check", "Do nothing yet"]
    board = world.newest("Join")
    stale = button(board, "Do nothing yet")
    assert "`/barmore act`" in texts(board)
    assert "It's not your turn" in refusal_of(await world.press(world.ben, call, "Do nothing yet"))
    await world.press(world.ana, call, "Do nothing yet")
    assert "Ilka, you're up.** Phase 1." in world.newest("Do nothing yet").content
    pressed = world.emit(world.gina, stale)  # a button that is not there any more
    await world.env.settle()
    assert "in phase 1 it's Ilka's turn" in refusal_of(pressed)
    shown = private(await world.ana.slash(world.zone, "initiative show"))
    assert "Marek: free" in shown
    assert "Marek can act now" in private(
        await world.ana.slash(world.zone, "initiative delay", back=True)
    )


async def test_what_this_game_has_not_is_said(world: World) -> None:
    await bar_table(world, gm_channel=True)
    assert "nothing to award" in refusal_of(
        await world.gina.slash(world.zone, "gm award", kind="fate")
    )
    await world.gina.slash(world.zone, "session start")
    await world.gina.slash(world.zone, "session end")
    assert "/gm award" not in texts(world.last(world.gm_room))


async def test_where_no_time_is_kept_nothing_begins(world: World) -> None:
    await bar_table(world)
    assert "/initiative start" in refusal_of(await _act(world, world.ana, "dance", "2"))


# --- what the card of an attack says first --------------------------------------------------------


def _accent(world: World) -> int:
    (container,) = [each for each in parts(world.card()) if each["type"] == 17]
    return container["accent_color"]


GREEN, RED = 0x009E73, 0xD55E00


@pytest.mark.rule("BAR-OPPOSED", "BAR-TRAUMA")
@pytest.mark.parametrize(
    ("faces", "head", "accent"),
    [
        ((8, 8), "## Hit: Ilka is hurt (Light Wound)\nSidor attacks Ilka", RED),
        ((2, 4), "## Miss: Ilka evades (16 against 6)\nSidor attacks Ilka", GREEN),
    ],
)
async def test_what_an_npc_does_is_seen_from_the_players_side(
    world: World, faces: tuple[int, ...], head: str, accent: int
) -> None:
    await bar_table(world)
    await _npc(world, "Sidor")
    await world.gina.slash(
        world.zone, "gm adjust", character="Sidor", what="ability", value="Knives 1"
    )
    await _attack(world, "Ilka", world.gina, skill="Knives", weapon="Knife", **{"as": "Sidor"})
    text = await _defend(world, *faces, *((1, 2) if accent == RED else (8, 8)))
    assert text.startswith(head)
    assert ("Triumph" in text, "Defeat" in text) == (False, False)
    assert _accent(world) == accent
    assert await world.restart() is None and card(world) == text


@pytest.mark.rule("BAR-TRAUMA")
async def test_the_sum_of_a_hit_names_the_weapon_and_an_npcs_is_the_gms(world: World) -> None:
    await bar_table(world, gm_channel=True)
    await _npc(world, "Sidor")
    await _attack(world, "Sidor")
    await rule(world, "5")
    world.dice.lay(8, 8, 8, 8)
    text = await roll(world)
    assert text.startswith(
        "## ✓ Hit: Sidor is badly hurt (Critical Wound)\nMarek attacks Sidor: Boats 3"
    )
    assert "\nLevel 5.\n" in text and "Toughness" not in text
    room = "\n".join(texts(each) for each in world.messages(world.gm_room))
    assert "The hit, for GMs: level 5; Muscle Power +2; Boathook +1 = degree **8**." in room


@pytest.mark.rule("BAR-ROLL")
async def test_a_miss_against_a_hidden_number_tells_no_number(world: World) -> None:
    await bar_table(world)
    await _npc(world, "Sidor")
    await _attack(world, "Sidor")
    await rule(world, "40", hidden=True)
    world.dice.lay(8, 8, 8, 8)
    text = await roll(world)
    assert (
        text.startswith("## ✗ Miss: Sidor isn't hit (32 against a hidden ")
        and "40" not in text
        and "evel" not in text
    )


@pytest.mark.rule("BAR-PHASE")
async def test_the_storys_time_says_that_phases_stand_still(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    await world.gina.slash(world.zone, "gm time", advance="1 hour")
    assert "Phases" not in texts(world.last())
    await world.ana.slash(world.zone, "barmore act", action="jump aboard", cost="5")
    await world.gina.slash(world.zone, "gm time", advance="1 day")
    text = texts(world.last())
    assert "That doesn't move the phases: Marek is busy until phase 5." in text, text


async def test_the_words_of_an_attack_are_everybodys_and_the_gm_is_waited_for_once(
    world: World,
) -> None:
    await bar_table(world)
    await bring(world, world.gina, {**ILKA, "name": "Sidor"}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    given = {"target": "Sidor", "weapon": "Boathook", "skill": "Boats"}
    await world.ana.slash(world.zone, "attack", **given, approach="hooks his collar")
    text = card(world)
    assert text.startswith("## Waiting for the GM\n") and "> hooks his collar" in text, text
    assert "Boats" not in text
    await rule(world, None)
    assert card(world).startswith("## Waiting for the GM's defense\n"), card(world)


@pytest.mark.rule("BAR-HEAL")
@pytest.mark.parametrize("method", ["Treat a Wound", "First aid", "treat", "Bandage"])
async def test_ways_to_recover_by_other_words(world: World, method: str) -> None:
    await bar_table(world)
    await world.gina.slash(
        world.zone, "gm adjust", character="Marek", what="new wound", value="physical 4"
    )
    given = {"method": method, "target": "Marek", "skill": "First Aid", "approach": "linen"}
    await world.ben.slash(world.zone, "heal", **given)
    assert (await world.state()).checks["c1"].kind == "treat"


@pytest.mark.parametrize("shown", [True, False])
async def test_a_table_can_keep_what_npcs_roll_from_the_players(world: World, shown: bool) -> None:
    await bar_table(world, gm_channel=True)
    if not shown:
        await world.gina.slash(world.zone, "gm settings", setting="npc_dice", value="off")
        assert any(
            "Players see only whether NPCs succeed." in texts(each) for each in world.messages()
        )
    await bring(world, world.gina, {**ILKA, "name": "Sidor"}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    await _attack(world, "Sidor")
    await rule(world, None)
    panel = await side(world, world.gina, "Defend", "Athletics")
    world.dice.lay(8, 8, 8, 8, 1, 3)
    await world.press(world.gina, panel, "Defend")
    text = card(world)
    assert world.dice.left == 0 and "Hit" in text
    for told in ("Athletics", "2d8 (1, 3)"):
        assert (told in world.told(world.ana)) is shown, told
        assert told in world.told(world.gina)


async def test_the_board_says_in_a_few_words_how_somebody_is(world: World) -> None:
    await bar_table(world)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    for harm in ("physical 8", "physical 1", "physical 2"):
        wound = {"character": "Ilka", "what": "new wound", "value": harm}
        await world.gina.slash(world.zone, "gm adjust", **wound)
    wounds = "3 Wounds (Penalty Dice: 6 physical, 2 mental)"
    assert board_text(world).splitlines()[2] == f"Ilka · badly hurt, {wounds}", board_text(world)
