"""What players and GMs read as effects are cast, run and are handed over."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.masterbook.cards.deck import who
from tests.discord.masterbook.effect_table import (
    EVEN,
    advance_time,
    cast_effect,
    effect,
    knows,
    open_effect_table,
)
from tests.discord.masterbook.table import bring, meet, newest
from tests.discord.masterbook.test_effect_running import FOG, UNREAL, doubt
from tests.discord.rounds import acts, board, gather
from tests.discord.world import World, head, labels, message_of, private, refusal_of, texts

NEAR: dict[str, Any] = {"with": "meters 3"}
BOOST = effect("Boost", action="raise", traits=["Strength"], effect_value=17, duration_value=8)

KEPT_QUIET = BOOST | {"name": "Hush"}


def new_heads(world: World, before: set[int]) -> list[str]:
    """Return the heads of the channel's messages that are newer than those, in their order."""
    return [head(each) for each in world.messages() if each.id not in before]


def shown_ids(world: World) -> set[int]:
    return {each.id for each in world.messages()}


# --- casting --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-20")
async def test_the_verdict_stands_above_the_effect_that_takes_hold(world: World) -> None:
    await open_effect_table(world, BOOST)
    before = shown_ids(world)
    world.dice.lay(*EVEN)
    answer = await world.ana.slash(
        world.zone, "effect cast", effect="Boost", target="Boris", **NEAR
    )
    verdict = "✓ Success, minimal: no feedback (12 against 12)"
    assert new_heads(world, before) == [verdict, "Boost takes hold"]
    assert texts(message_of(answer)).startswith(f"## {verdict}"), texts(message_of(answer))


@pytest.mark.rule("MB-SFX-20")
async def test_by_post_a_whole_declaration_takes_one_press(world: World) -> None:
    await open_effect_table(world, BOOST, live=False)
    given = {"effect": "Boost", "target": "Boris"} | NEAR
    answer = message_of(await world.ana.slash(world.zone, "effect cast", **given))
    assert head(answer) == "Vesna, cast", texts(answer)
    before = shown_ids(world)
    world.dice.lay(*EVEN)
    pressed = message_of(await world.press(world.ana, answer, "Cast"))
    assert world.dice.left == 0
    assert head(pressed) == "You cast it", texts(pressed)
    assert "Boost takes hold" in new_heads(world, before)


@pytest.mark.rule("MB-SFX-20")
async def test_by_post_a_declaration_can_be_broken_off(world: World) -> None:
    await open_effect_table(world, BOOST, live=False)
    await world.ana.slash(world.zone, "effect cast", effect="Boost", target="Boris", **NEAR)
    assert labels(world.card("c1")) == ["Cast", "Break off"]
    await world.press(world.ana, world.card("c1"), "Break off")
    assert head(world.card("c1")) == "Broken off: nothing happens"


@pytest.mark.rule("MB-SFX-20")
async def test_a_blind_cast_does_not_tell_its_player_if_it_worked(world: World) -> None:
    await open_effect_table(world, BOOST, gm_channel=True)
    world.dice.lay(*EVEN)
    given = {"effect": "Boost", "target": "Boris", "visibility": "blind"} | NEAR
    answer = await world.ana.slash(world.zone, "effect cast", **given)
    told = [texts(each) for each in (answer.response, *answer.followups) if each is not None]
    assert not any("takes hold" in each for each in told), told
    assert head(world.messages(world.gm_room)[-1]) == "Boost takes hold"


@pytest.mark.rule("MB-SFX-22")
async def test_the_answer_says_who_is_waited_for(world: World) -> None:
    bolt = effect("Bolt", action="damage", effect_value=14, to_hit="casting")
    await open_effect_table(world, bolt)
    world.dice.lay(*EVEN)
    given = {"effect": "Bolt", "target": "Boris"} | NEAR
    answer = await world.ana.slash(world.zone, "effect cast", **given)
    told = [head(each) for each in (answer.response, *answer.followups) if each is not None]
    assert "Vesna's effect on Boris: choose a defense" in told and "Done" not in told, told


# --- running --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-26")
async def test_a_target_reads_what_runs_on_the_own_character(world: World) -> None:
    await open_effect_table(world, BOOST, KEPT_QUIET)
    await cast_effect(world, "Boost", target="Boris", **NEAR)
    line = "Boost on Boris, cast by Vesna: Strength +3, 40 seconds"
    answer = message_of(await world.ben.slash(world.zone, "effect running"))
    assert line in texts(answer) and not labels(answer), texts(answer)
    await cast_effect(world, "Hush", target="Boris", visibility="private", **NEAR)
    shown = private(await world.ben.slash(world.zone, "effect running"))
    assert line in shown and "Hush" not in shown, shown
    await advance_time(world, "1 min")
    assert "none runs on you" in private(await world.ben.slash(world.zone, "effect running"))


@pytest.mark.rule("MB-SFX-26")
async def test_a_target_reads_no_number_of_an_npcs_effect(world: World) -> None:
    await open_effect_table(world, sheets={"Thug": knows(BOOST)})
    given = {"effect": "Boost", "target": "Boris", "as": "Thug", "visibility": "public"} | NEAR
    world.dice.lay(*EVEN)
    await world.gina.slash(world.zone, "effect cast", **given)
    shown = private(await world.ben.slash(world.zone, "effect running"))
    assert "Boost on Boris, 40 seconds" in shown and "Thug" not in shown, shown


@pytest.mark.rule("MB-SFX-26", "MB-SFX-30")
async def test_a_target_that_saw_through_an_illusion_reads_nothing_of_it(world: World) -> None:
    await open_effect_table(world, FOG | UNREAL)
    await cast_effect(world, "Fog", target="Boris", **NEAR)
    assert "Fog on Boris" in private(await world.ben.slash(world.zone, "effect running"))
    assert "You see through it" in await doubt(world, world.ben, "Fog", 5, 6)
    shown = private(await world.ben.slash(world.zone, "effect running"))
    assert "Fog on Boris" not in shown, shown


# --- charges --------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-29")
async def test_a_sheet_lists_charges_and_a_hand_over_counts_them(world: World) -> None:
    rod = effect("Spark", action="words", charges=4, holder="object")
    bell = effect("Alarm", action="words", charges=1, ward="the door opens", holder="object")
    await open_effect_table(world, rod, bell)
    await cast_effect(world, "Spark", **{"with": "into an oak wand"})
    await cast_effect(world, "Alarm", **{"with": "into a bell"})
    mine = private(await world.ana.slash(world.zone, "character show"))
    assert "### Charges" in mine and "Spark in an oak wand: 4 charges left" in mine, mine
    assert "Alarm in a bell: 1 charge left, waiting for its trigger" in mine, mine
    await world.ana.slash(world.zone, "effect use", charge="Spark", give="Boris")
    handed = "Vesna hands Spark (an oak wand) to Boris: 4 charges left"
    assert head(world.last()) == handed, texts(world.last())
    assert "Spark" in private(await world.ben.slash(world.zone, "character show"))


@pytest.mark.rule("MB-SFX-29")
async def test_players_read_no_number_of_charges_that_an_npc_hands_over(world: World) -> None:
    rod = effect("Spark", action="words", charges=4, holder="object")
    await open_effect_table(world, sheets={"Thug": knows(rod)})
    thug = {"as": "Thug"}
    world.dice.lay(*EVEN)
    await world.gina.slash(world.zone, "effect cast", effect="Spark", **thug)
    await world.gina.slash(world.zone, "effect use", charge="Spark", give="Boris", **thug)
    assert head(world.last()) == "Thug hands Spark to Boris"
    assert "Spark: 4 charges left" in private(await world.ben.slash(world.zone, "character show"))


# --- initiative -----------------------------------------------------------------------------------


async def turn_of(world: World, name: str) -> None:
    """Go on until it is a character's turn."""
    while await acts(world) != name:
        await world.gina.slash(world.zone, "initiative next")


@pytest.mark.rule("MB-SFX-32")
async def test_the_turn_of_a_caster_has_a_button_to_cast(world: World) -> None:
    await open_effect_table(world, BOOST)
    await gather(world)
    await turn_of(world, "Boris")
    assert "Cast" not in labels(board(world))
    await turn_of(world, "Vesna")
    call = world.last()
    buttons = ["Attack", "Check", "Defend", "Cast"]
    assert labels(board(world))[:4] == labels(call)[:4] == buttons
    listed = message_of(await world.ana.slash(world.zone, "moves"))
    assert "Cast" in labels(listed), texts(listed)
    panel = message_of(await world.press(world.ana, call, "Cast"))
    assert head(panel) == "Vesna: what do you cast?", texts(panel)
    panel = message_of(await world.choose(world.ana, panel, "Target", await who(world, "Boris")))
    panel = message_of(await world.choose(world.ana, panel, "Effect", "Boost"))
    world.dice.lay(*EVEN)
    await world.press(world.ana, panel, "Roll")
    assert world.dice.left == 0
    assert "Boost takes hold" in head(world.last()), texts(world.last())
    why = refusal_of(await world.press(world.ben, board(world), "Cast"))
    assert "Boris knows no effect" in why, why


@pytest.mark.rule("MB-SFX-32")
async def test_only_gms_see_that_an_npc_can_cast(world: World) -> None:
    await open_effect_table(world, sheets={"Thug": knows(BOOST)})
    await gather(world, "Thug")
    await turn_of(world, "Thug")
    assert "Cast" not in labels(board(world)) and "Cast" not in labels(world.last())
    listed = message_of(await world.press(world.gina, board(world), "NPCs"))
    assert "Cast" in labels(listed), labels(listed)
    panel = message_of(await world.press(world.gina, listed, "Cast"))
    assert head(panel) == "Thug: what do you cast?", texts(panel)


# --- NPCs' numbers --------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-25")
async def test_without_a_gm_channel_the_gm_is_told_what_an_npcs_effect_meets(world: World) -> None:
    ring = {"kind": "community", "helpers": 1, "participation": "dn8", "text": "a ring"}
    blink = effect("Blink", action="words", effect_value=14, conditions=[ring])
    await open_effect_table(world, sheets={"Thug": knows(blink)})
    given = {"effect": "Blink", "as": "Thug", "visibility": "public", "target": "Boris"}
    await world.gina.slash(world.zone, "effect cast", **given, **{"with": "meters 3, help Boris"})
    before = shown_ids(world)
    panel = message_of(await world.press(world.ben, world.newest("Help"), "Help"))
    world.dice.lay(5, 6, *EVEN)
    await world.press(world.ben, panel, "Roll Willpower 9 against 8")
    assert world.dice.left == 0
    told = [texts(each) for each in world.messages() if each.id not in before]
    assert not any("value 14" in each for each in told), told
    assert "Boris: the GM says what happens" in told[-2], told
    shown = private(await world.press(world.gina, world.newest("Show"), "Show"))
    assert "Boris: effect value 14: the GM says what happens" in shown, shown
    refusal_of(await world.press(world.ben, world.newest("Show"), "Show"))


@pytest.mark.rule("MB-SFX-22")
async def test_players_read_no_bonus_to_hit_of_an_npc(world: World) -> None:
    bolt = effect("Bolt", action="damage", effect_value=14, to_hit="casting", accuracy=3)
    await open_effect_table(world, bolt, sheets={"Thug": knows(bolt)}, gm_channel=True)
    given = {"effect": "Bolt", "as": "Thug", "visibility": "public", "target": "Boris"} | NEAR
    world.dice.lay(*EVEN)
    await world.gina.slash(world.zone, "effect cast", **given)
    seen = texts(world.card("c2"))
    assert "To hit: the casting's 12." in seen and "+2" not in seen, seen
    assert "an effect: an effect" not in texts(world.card("c1"))
    await meet(world, world.ben, "Active", 9, 9)
    copied = "\n".join(texts(each) for each in world.messages(world.gm_room))
    assert "To hit: the casting's 12, +2 for area and accuracy." in copied, copied
    await cast_effect(world, "Bolt", target="Boris", **NEAR)
    assert "the casting's 12, +2 for area and accuracy." in await newest(world)


# --- panels ---------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-21", "MB-LP-03")
async def test_the_panel_that_lowers_feedback_names_effect_and_skill_once(world: World) -> None:
    spark = effect("Spark", action="words", given={"dn": 12, "fv": 8})
    await open_effect_table(world, spark, life_points=2, step_in_minutes=60)
    for options in ({}, {"target": "Boris"}):
        await cast_effect(world, "Spark", **NEAR, **options)
        name = f"c{(await world.state()).counters.check}"
        await world.press(world.ana, world.card(name), "Accept result")
        panel = message_of(await world.press(world.ana, world.card(name), "React"))
        label = next(each for each in labels(panel) if each.startswith("Spend a Life Point"))
        panel = message_of(await world.press(world.ana, panel, label))
        seen = texts(panel)
        assert seen.count("**With:**") == 1 and "**With:** Conjuration 11" in seen, seen
        named = "Vesna casts Spark" if options else "**Effect:** Spark"
        assert seen.count(named) == 1, seen


@pytest.mark.rule("MB-SFX-11")
async def test_the_parts_of_an_effect_are_headed_by_nouns(world: World) -> None:
    await open_effect_table(world, BOOST)
    shown = private(await world.ana.slash(world.zone, "effect show", effect="Boost"))
    heads = [each for each in shown.splitlines() if each.startswith("### ")]
    assert heads == ["### Conditions", "### Rolls", "### Effect"], shown
    assert "### Conditions\n- None\n" in shown, shown


# --- undo -----------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-S17")
async def test_undoing_a_helpers_answer_says_whose_and_repeats_nothing(world: World) -> None:
    ring = {"kind": "community", "helpers": 2, "participation": "dn8", "text": "a ring"}
    await open_effect_table(
        world, effect("Circle", action="words", conditions=[ring]), gm_channel=True
    )
    await bring(world, world.gina, "Mira", {"skills": []}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Mira")
    given = {"effect": "Circle", "with": "help Boris, help Mira"}
    await world.ana.slash(world.zone, "effect cast", **given)
    panel = message_of(await world.press(world.ben, world.newest("Help"), "Help"))
    await world.press(world.ben, panel, "Roll Willpower 9 against 8")
    before = len(world.messages(world.gm_room))
    answer = message_of(await world.gina.slash(world.zone, "gm undo"))
    assert head(answer) == "Undone: Boris's help", texts(answer)
    assert head(world.card("c1")) == "0 of 2 helpers ready"
    assert len(world.messages(world.gm_room)) == before


# --- secret effects -------------------------------------------------------------------------------

KEPT_UP = KEPT_QUIET | {"maintenance": True}


async def cast_in_secret(world: World, name: str) -> None:
    world.dice.lay(*EVEN)
    given = {"effect": name, "target": "Boris", "visibility": "private"} | NEAR
    await world.ana.slash(world.zone, "effect cast", **given)


async def shown_of(world: World, user: Any, before: set[int]) -> str:
    """Return what a user opens of the private messages that are newer than those."""
    found: list[str] = []
    for message in world.messages():
        if message.id not in before and str(user.id) in texts(message):
            if "Show" in labels(message):
                found.append(private(await world.press(user, message, "Show")))
    return "\n".join(found)


@pytest.mark.rule("MB-SFX-26", "MB-SFX-28")
@pytest.mark.parametrize("kept", [KEPT_QUIET, KEPT_UP], ids=["ends", "may-be-maintained"])
async def test_a_secret_effect_runs_out_in_secret(world: World, kept: dict[str, Any]) -> None:
    await open_effect_table(world, kept, gm_channel=True)
    await cast_in_secret(world, "Hush")
    before = shown_ids(world)
    assert "Hush" not in await advance_time(world, "1 min")
    wanted = "Hush on Boris ends" if kept is KEPT_QUIET else "Hush has run out"
    assert wanted in await shown_of(world, world.ana, before)
    assert "Hush" not in await shown_of(world, world.ben, before)
    assert wanted in texts(world.messages(world.gm_room)[-1])


@pytest.mark.rule("MB-SFX-26")
async def test_a_secret_effect_is_steered_and_ended_in_secret(world: World) -> None:
    await open_effect_table(world, KEPT_QUIET | {"switch": "on_off"}, gm_channel=True)
    await cast_in_secret(world, "Hush")
    before = shown_ids(world)
    await world.ana.slash(world.zone, "effect steer", effect="Hush", do="off")
    await world.gina.slash(world.zone, "effect end", effect="Hush")
    assert "Hush" not in "\n".join(texts(each) for each in world.messages())
    assert "Hush" not in await shown_of(world, world.ben, before)
    assert "Hush on Boris ends" in texts(world.messages(world.gm_room)[-1])


@pytest.mark.rule("MB-SFX-33")
async def test_a_secret_effect_goes_on_in_secret(world: World) -> None:
    await open_effect_table(world, FOG | {"name": "Hush"}, gm_channel=True)
    await cast_in_secret(world, "Hush")
    to_thug = {"effect": "Hush", "do": "target", "target": "Thug", "meters": 3}
    await world.ana.slash(world.zone, "effect steer", **to_thug)
    assert "Hush" not in "\n".join(texts(each) for each in world.messages())
    told = texts(world.messages(world.gm_room)[-1])
    assert "Hush takes hold" in told and "Thug" in told, told


@pytest.mark.rule("MB-SFX-33", "MB-SFX-22")
async def test_a_secret_effect_meets_another_target_in_secret(world: World) -> None:
    hush = FOG | {"name": "Hush", "to_hit": "casting"}
    await open_effect_table(
        world, hush, gm_channel=True, sheets={"Thug": {"agility": 5, "skills": []}}
    )
    world.dice.lay(*EVEN)
    given = {"effect": "Hush", "target": "Thug", "visibility": "private"} | NEAR
    await world.ana.slash(world.zone, "effect cast", **given)
    to_boris = {"effect": "Hush", "do": "target", "target": "Boris", "meters": 3}
    told = private(await world.ana.slash(world.zone, "effect steer", **to_boris))
    assert "Hush meets its target" in told, told
    assert "Hush" not in "\n".join(texts(each) for each in world.messages())


@pytest.mark.rule("MB-SFX-28")
async def test_a_secret_effect_is_maintained_in_secret(world: World) -> None:
    await open_effect_table(world, KEPT_UP, gm_channel=True)
    await cast_in_secret(world, "Hush")
    await advance_time(world, "1 min")
    panel = message_of(await world.ana.slash(world.zone, "effect running"))
    world.dice.lay(9, 9)
    await world.press(world.ana, panel, "Maintain Hush (DN 4, FV 0)")
    assert world.dice.left == 0
    assert "Hush" not in "\n".join(texts(each) for each in world.messages())
    told = texts(world.messages(world.gm_room)[-1])
    assert "Hush goes on for its whole duration." in told, told
