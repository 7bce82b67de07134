"""Casting special effects, by `/effect cast`."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.checks.action_economy import CASTING
from rules.systems.masterbook.checks.roll_stages import OPEN
from rules.systems.masterbook.effects.cast_state import Cast
from rules.systems.masterbook.effects.state import effects_of
from rules.systems.masterbook.formulas.success_chart import damage_for_points
from rules.table.marks import marks_of
from tests.discord.masterbook.cards.deck import who
from tests.discord.masterbook.table import FIGHTER, bring, newest, open_table, sheet
from tests.discord.rounds import board_text, gather, next_turn
from tests.discord.world import DAY, World, head, labels, message_of, private, refusal_of, texts

SPARK: Final[dict[str, Any]] = {
    "name": "Spark",
    "skill": "Conjuration",
    "effect_value": 10,
    "duration_value": 5,
    "range_value": 9,
    "given": {"dn": 12, "fv": 8},
}
#: Difficulty out of reach, so that what happens before the roll stands alone.
_FAR: Final = {"dn": 60, "fv": 8}
CONCENTRATION: Final = {"kind": "concentration", "time_value": 9, "on": "fv"}
GESTURE: Final = {"kind": "gesture", "level": 3, "text": "a spiral"}
CANDLE: Final = {"kind": "component", "text": "a candle", "level": 2, "destroyed": True}
CHANT: Final = {"kind": "incantation", "level": 3, "text": "the long verse"}
STEALTH: Final = {"kind": "related_skill", "level": 2, "skill": "Stealth"}
RING: Final = {
    "kind": "community",
    "helpers": 2,
    "participation": "dn8",
    "text": "chanting in a ring",
}
AT_NIGHT: Final = {"kind": "other", "level": 3, "text": "only at night"}


def effect(name: str, *conditions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an effect with these conditions, out of reach unless its figures are given."""
    return SPARK | {"name": name, "conditions": [*conditions], "given": _FAR} | more


RITUAL: Final = effect("Ritual", CONCENTRATION, cast_time_value=18)
SLOW: Final = effect("Slow", CONCENTRATION | {"time_value": 7}, cast_time_value=7)


def knows(*effects: dict[str, Any], learned: bool = True, **more: Any) -> dict[str, Any]:
    """Return what is on a caster's sheet: Conjuration, and effects."""
    skills = [*FIGHTER["skills"], {"name": "Conjuration", "adds": 3}]
    known = [{"blueprint": each, "learned": learned, "approved": True} for each in effects]
    return {"skills": skills, "effects": known} | more


async def open_table_with_effects(world: World, *effects: dict[str, Any], **more: Any) -> None:
    """Open a table where Vesna knows these effects, with Conjuration 11."""
    own = more.pop("own", {})
    others = more.pop("sheets", {})
    await open_table(world, sheets={"Vesna": knows(*effects, **own)} | others, **more)


async def begin(world: World, name: str, **options: Any) -> Any:
    """Have Ana cast an effect."""
    return await world.ana.slash(world.zone, "effect cast", effect=name, **options)


async def cast_spark(world: World, name: str, *faces: int, **options: Any) -> str:
    """Cast an effect as Vesna, with these dice, and return what its message says."""
    world.dice.lay(*faces)
    await begin(world, name, **options)
    assert world.dice.left == 0
    return await cast_message(world)


async def cast_message(world: World, check: str = "c1") -> str:
    """Return what the message of a casting says."""
    return texts(world.card(check))


async def data(world: World, check: str = "c1") -> Cast:
    return (await world.check(check)).data


async def hour_passes(world: World, minutes: int = 67) -> None:
    await world.gina.slash(world.zone, "gm time", advance=f"{minutes} minutes")


async def press(world: World, person: Any, label: str, *faces: int, check: str = "c1") -> Any:
    """Press a button of a casting's message, then the one behind it if it opens a panel."""
    world.dice.lay(*faces)
    result = await world.press(person, world.card(check), label)
    return result


async def choose(world: World, person: Any, button: str, label: str, *faces: int) -> None:
    """Press a button of the newest casting's message, and an option in the panel behind it."""
    panel = message_of(await world.press(person, world.newest(button), button))
    option = next(each for each in labels(panel) if each.startswith(label))
    world.dice.lay(*faces)
    await world.press(person, panel, option)
    assert world.dice.left == 0


async def is_busy(world: World, name: str = "Vesna") -> bool:
    state = await world.state()
    character = await who(world, name)
    casting = effects_of(read_only_game(state), character).casting
    assert bool(casting) == bool(marks_of(state, character, CASTING))
    return casting is not None


# --- the roll, and feedback -----------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21")
async def test_a_casting_that_just_succeeds_leaves_all_feedback(world: World) -> None:
    await open_table_with_effects(world, SPARK)
    text = await cast_spark(world, "Spark", 5, 6)
    assert head(world.card("c1")).startswith("✓ Success")
    assert "12 against 12" in text and "feedback 8: 1 wound" in text, text
    assert (await sheet(world, "Vesna")).harm.wounds == 1


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21")
async def test_points_lower_feedback_and_what_is_over_it_raises_the_effect(world: World) -> None:
    await open_table_with_effects(world, SPARK | {"given": {"dn": 8, "fv": 2}})
    text = await cast_spark(world, "Spark", 5, 6)
    assert "no feedback" in text, text
    state = await world.state()
    (running,) = effects_of(read_only_game(state), await who(world, "Vesna")).running
    assert running.effect_value == 12, "4 result points, 2 of them over the feedback"
    assert (await sheet(world, "Vesna")).harm.wounds == 0


@pytest.mark.rule("MB-SFX-21")
async def test_a_failed_casting_has_its_whole_feedback(world: World) -> None:
    await open_table_with_effects(world, SPARK)
    text = await cast_spark(world, "Spark", 1, 2)
    assert "✗ Failure" in text and "feedback 8" in text, text
    state = await world.state()
    assert not effects_of(read_only_game(state), await who(world, "Vesna")).running


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21")
async def test_feedback_knocks_out_and_the_effect_stands(world: World) -> None:
    await open_table_with_effects(world, SPARK | {"given": {"dn": 12, "fv": 18}})
    text = await cast_spark(world, "Spark", 5, 6)
    assert "✓ Success" in text, text
    harm = (await sheet(world, "Vesna")).harm
    assert harm.out and harm.wounds == damage_for_points(18).wounds
    state = await world.state()
    assert effects_of(read_only_game(state), await who(world, "Vesna")).running


@pytest.mark.rule("MB-SFX-21")
async def test_mind_may_keep_feedback_off(world: World) -> None:
    await open_table_with_effects(world, SPARK, rules={"effect_feedback_resist": "mind"})
    assert "feedback 8: 1 shock" in await cast_spark(world, "Spark", 5, 6)
    assert (await sheet(world, "Vesna")).harm.wounds == 0


@pytest.mark.rule("MB-SFX-21", "MB-LP-03")
async def test_a_life_point_lowers_feedback(world: World) -> None:
    await open_table_with_effects(world, SPARK, life_points=2, step_in_minutes=60)
    text = await cast_spark(world, "Spark", 5, 6)
    assert "unless changed, feedback 8: 1 wound" in text, text
    await world.press(world.ana, world.card("c1"), "Accept result")
    panel = message_of(await world.press(world.ana, world.card("c1"), "React"))
    label = "Spend a Life Point (2 left): take off up to 3 pieces of damage"
    await world.press(world.ana, panel, f"{label}…")
    await world.choose(world.ana, panel, "What to take off", "packages: wound:1")
    await world.press(world.ana, panel, label)
    assert (await sheet(world, "Vesna")).harm.wounds == 0
    assert (await sheet(world, "Vesna")).life_points == 1
    state = await world.state()
    assert effects_of(read_only_game(state), await who(world, "Vesna")).running


@pytest.mark.rule("MB-DIE-03", "MB-SFX-20", "MB-SFX-21")
async def test_a_life_point_on_the_roll_saves_a_failed_casting(world: World) -> None:
    await open_table_with_effects(world, SPARK, life_points=2, wait_for_everybody=False)
    text = await cast_spark(world, "Spark", 1, 2)
    assert "✗ Failure" in text and "feedback 8" in text, text
    await choose(world, world.ana, "React", "Spend a Life Point: 2 more dice", 9, 9)
    text = await cast_message(world)
    assert "✓ Success" in text and "Failure" not in text, text
    assert "no feedback" in text, text
    vesna = await sheet(world, "Vesna")
    assert vesna.life_points == 1


@pytest.mark.rule("MB-DIE-03", "MB-SFX-20")
@pytest.mark.parametrize("waits", [True, False])
async def test_a_failed_casting_without_feedback_can_be_saved(world: World, waits: bool) -> None:
    harmless = SPARK | {"given": {"dn": 12, "fv": 0}}
    settings = {"step_in_minutes": 10, "wait_for_everybody": waits}
    await open_table_with_effects(world, harmless, life_points=2, **settings)
    text = await cast_spark(world, "Spark", 1, 2)
    assert ("Failure so far" in text) is waits, text
    if waits:
        assert (await world.check("c1")).stage == OPEN
        return
    await choose(world, world.ana, "Step in", "Spend a Life Point", 9, 9)
    assert "✓ Success" in await cast_message(world)
    assert (await sheet(world, "Vesna")).life_points == 1


@pytest.mark.rule("MB-SFX-93")
async def test_an_unlearned_effect_is_a_third_harder_and_hurts_a_third_more(world: World) -> None:
    await open_table_with_effects(world, SPARK, own={"learned": False})
    text = await cast_spark(world, "Spark", 5, 6)
    assert "12 against 16" in text and "feedback 11" in text, text


@pytest.mark.rule("MB-SFX-14", "MB-SFX-20")
async def test_the_world_makes_effects_harder(world: World) -> None:
    await open_table_with_effects(world, SPARK, rules={"effect_world_difficulty": "5"})
    assert "12 against 17" in await cast_spark(world, "Spark", 5, 6)


# --- conditions -----------------------------------------------------------------------------------


async def test_an_effect_is_meant_by_a_part_of_its_name(world: World) -> None:
    await open_table_with_effects(
        world, SPARK | {"name": "Blue Spark"}, SPARK | {"name": "Red Glow"}
    )
    assert "Vesna casts Blue Spark" in await cast_spark(world, "spark", 5, 6)
    why = refusal_of(await begin(world, "Wish"))
    assert "No effect “Wish” here" in why and "Red Glow" in why, why


@pytest.mark.rule("MB-SFX-31", "MB-SFX-S18")
async def test_components_are_ticked_one_by_one(world: World) -> None:
    wand = {"kind": "component", "text": "an oak wand", "level": 2}
    await open_table_with_effects(world, effect("Torch", CANDLE, wand))
    await begin(world, "Torch")
    assert "Show what you have" in labels(world.card("c1"))
    panel = message_of(await world.press(world.ana, world.card("c1"), "Show what you have"))
    assert "A candle, used up" in texts(panel) and "An oak wand" in texts(panel)
    chosen = await world.choose(world.ana, panel, "What you have", "have: 0")
    assert "Without an oak wand" in texts(message_of(chosen)), texts(message_of(chosen))
    chosen = await world.choose(world.ana, panel, "What you have", "have: 0", "have: 1")
    world.dice.lay(5, 6)
    await world.press(world.ana, message_of(chosen), "Show what you have")
    assert world.dice.left == 0 and "12 against 60" in await cast_message(world)


async def test_who_has_all_components_says_so_at_once(world: World) -> None:
    await open_table_with_effects(world, effect("Torch", CANDLE))
    assert "12 against 60" in await cast_spark(world, "Torch", 5, 6, **{"with": "components"})


@pytest.mark.rule("MB-SFX-31")
async def test_who_lacks_a_component_withdraws_unhurt(world: World) -> None:
    await open_table_with_effects(world, effect("Torch", CANDLE))
    await begin(world, "Torch")
    await choose(world, world.ana, "Show what you have", "Withdraw")
    assert "Broken off" in await cast_message(world)
    assert (await sheet(world, "Vesna")).harm.wounds == 0


@pytest.mark.rule("MB-SFX-S23")
@pytest.mark.parametrize("met", [True, False])
async def test_the_gm_says_if_another_condition_is_met(world: World, met: bool) -> None:
    await open_table_with_effects(world, effect("Moon", AT_NIGHT))
    await begin(world, "Moon")
    refusal_of(await world.press(world.ana, world.card("c1"), "GM: is it met?"))
    faces = (5, 6) if met else ()
    await choose(world, world.gina, "GM: is it met?", "Met" if met else "Not met", *faces)
    text = await cast_message(world)
    assert ("12 against 60" in text) is met, text
    assert (await sheet(world, "Vesna")).harm.wounds == (1 if met else 0)


PRAYER: Final = SPARK | {"name": "Prayer", "skill": "Faith"}
PRIEST: Final = {"skills": [*FIGHTER["skills"], {"name": "Faith", "focus": "saints", "adds": 3}]}
ORDAINED_ONLY: Final = {"faith_miracles_professionals_only": "on"}


@pytest.mark.rule("MB-SFX-12", "MB-SKILL-FAITH")
async def test_the_gm_says_once_that_a_caster_is_ordained(world: World) -> None:
    await open_table_with_effects(world, PRAYER, own=PRIEST, rules=ORDAINED_ONLY)
    await begin(world, "Prayer")
    assert world.dice.left == 0 and "12 against" not in await cast_message(world)
    await choose(world, world.gina, "GM: is it met?", "Met: Vesna is ordained", 5, 6)
    assert "12 against 12" in await cast_message(world)
    world.dice.lay(5, 6)
    await begin(world, "Prayer")
    assert world.dice.left == 0 and "12 against 12" in await cast_message(world, "c2")
    world.dice.lay(5, 6)
    check: dict[str, Any] = {"skill": "Faith: saints", "difficulty": "9", "approach": "a sign"}
    await world.ana.slash(world.zone, "check", **check, **{"with": "feedback 2"})
    assert world.dice.left == 0, "a miracle without a worksheet too"
    for _ in range(3):
        await world.gina.slash(world.zone, "gm undo")
    assert "GM: is it met?" in labels(world.card("c1"))
    await choose(world, world.gina, "GM: is it met?", "Not met: Vesna is ordained")
    assert "12 against" not in await cast_message(world)
    await begin(world, "Prayer")
    assert "Vesna casts Prayer" in texts(world.newest("GM: is it met?")), "it is asked again"


@pytest.mark.rule("MB-SFX-12")
async def test_other_casters_need_not_be_ordained(world: World) -> None:
    await open_table_with_effects(world, SPARK, rules=ORDAINED_ONLY)
    assert "12 against 12" in await cast_spark(world, "Spark", 5, 6)


@pytest.mark.rule("MB-SFX-14")
async def test_what_the_world_makes_effects_cost_has_to_be_there(world: World) -> None:
    await open_table_with_effects(world, SPARK, effect("Torch", CANDLE))
    effects = {"magic": True, "requirement": "an ounce of gold"}
    rows = json.dumps({"world": {"special_effects": effects}}).encode()
    private(await world.gina.slash(world.zone, "gm campaign", file=("rows.json", rows)))
    await begin(world, "Spark")
    assert "**Costs:** An ounce of gold" in await cast_message(world), await cast_message(world)
    panel = message_of(await world.press(world.ana, world.card("c1"), "Show what you have"))
    assert "An ounce of gold, used up" in texts(panel), texts(panel)
    await world.press(world.ana, panel, "Withdraw")
    text = await cast_message(world)
    assert "Broken off" in text and "gold" not in text, text
    await begin(world, "Torch")
    panel = message_of(await world.press(world.ana, world.card("c2"), "Show what you have"))
    chosen = await world.choose(world.ana, panel, "What you have", "have: 0")
    assert "Without an ounce of gold" in texts(message_of(chosen)), texts(message_of(chosen))
    chosen = await world.choose(world.ana, panel, "What you have", "have: 0", "have: cost")
    world.dice.lay(5, 6)
    await world.press(world.ana, message_of(chosen), "Show what you have")
    assert world.dice.left == 0 and "12 against 60" in await cast_message(world, "c2")
    world.dice.lay(5, 6)
    await begin(world, "Spark", **{"with": "components"})
    text = await cast_message(world, "c3")
    assert "12 against 12" in text and "**Costs:** An ounce of gold" in text, text


@pytest.mark.rule("MB-SFX-31", "MB-SFX-S19", "MB-SFX-S20", "MB-SFX-S21", "MB-SFX-S22")
async def test_conditions_are_rolled_in_the_order_of_the_book(world: World) -> None:
    await open_table_with_effects(
        world, effect("All", STEALTH, CHANT, GESTURE, CONCENTRATION, given=SPARK["given"])
    )
    text = await cast_spark(world, "All", 5, 5, 4, 5, 5, 6, 6, 6, 5, 6)
    kinds = [each.split()[1] for each in text.splitlines() if each.startswith("✓ ")]
    assert kinds == ["Concentration:", "Gesture", "Incantation", "Related"], text
    assert "✓ Concentration: 9 against 9" in text
    assert "✓ Gesture (a spiral): 10 against 8" in text, text
    assert "✓ Incantation (the long verse): 9 against 8" in text, text
    assert "✓ Related skill: 13 against 7" in text, text
    assert "12 against 12" in text


@pytest.mark.rule("MB-SFX-31", "MB-DIE-06")
async def test_open_dice_name_their_condition_and_calls_name_the_casting(world: World) -> None:
    spiral = effect("Sign", GESTURE, CONCENTRATION)
    await open_table_with_effects(world, spiral, life_points=2, step_in_minutes=10)
    text = await cast_spark(world, "Sign", 2, 2)
    assert "**Concentration:** Willpower 9" in text and "With:" not in text, text
    await choose(world, world.ana, "React", "Spend a Life Point")
    (call,) = [each for each in world.messages() if f"<@{world.ben.id}>" in each.content]
    assert "Vesna casts Sign" in texts(call), texts(call)


async def test_open_dice_of_helpers_name_their_group(world: World) -> None:
    await asked_to_help(world, life_points=2)
    await help_as(world, world.ben)
    await gm_helps(world, "Roll for Mira", 2, 2, 5, 6)
    text = await cast_message(world)
    assert "**Helpers (chanting in a ring):** against 8" in text, text
    calls = [texts(each) for each in world.messages() if f"<@{world.ben.id}>" in each.content]
    assert "Vesna casts Circle" in calls[-1], calls


@pytest.mark.rule("MB-SFX-31", "MB-SFX-S20", "MB-SFX-21")
@pytest.mark.parametrize("feedback", [True, False])
async def test_a_failed_gesture_leaves_no_roll_and_the_feedback_of_the_table(
    world: World, feedback: bool
) -> None:
    rules = {"effect_failure_feedback": "on" if feedback else "off"}
    await open_table_with_effects(world, effect("Sign", GESTURE), rules=rules)
    text = await cast_spark(world, "Sign", 1, 1)
    assert "The gesture fails" in text, text
    assert ("feedback 8" in text) is feedback, text
    assert (await sheet(world, "Vesna")).harm.wounds == (1 if feedback else 0)


@pytest.mark.rule("MB-SFX-31", "MB-SFX-21")
async def test_after_failed_concentration_the_roll_still_lowers_feedback(world: World) -> None:
    await open_table_with_effects(world, effect("Calm", CONCENTRATION, given={"dn": 12, "fv": 8}))
    text = await cast_spark(world, "Calm", 2, 2, 10, 6, 4)
    assert "✗ Concentration" in text and "no effect" in text.casefold(), text
    assert "feedback" in text and "feedback 8" not in text, text
    state = await world.state()
    assert not effects_of(read_only_game(state), await who(world, "Vesna")).running


@pytest.mark.rule("MB-SFX-31", "MB-SFX-32")
async def test_rolls_may_count_as_actions_of_one_round(world: World) -> None:
    rules = {"effect_support_actions": "on"}
    await open_table_with_effects(
        world, effect("Calm", CONCENTRATION, given={"dn": 9, "fv": 8}), rules=rules
    )
    text = await cast_spark(world, "Calm", 8, 8, 5, 6)
    assert "✓ Concentration: 12 against 9" in text, text
    assert "9 against 9" in text, "two rolls: −2, then −3"


# --- as time goes by ------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-20")
async def test_a_ritual_of_an_hour_waits_for_the_clock(world: World) -> None:
    await open_table_with_effects(world, RITUAL)
    await begin(world, "Ritual")
    assert "Casting: until Day 1, 01:07" in await cast_message(world)
    assert await is_busy(world)
    told = refusal_of(await world.ana.slash(world.zone, "check", skill="Stealth", difficulty="8"))
    assert "is casting" in told and "Break that off" in told
    assert "is casting" in refusal_of(await begin(world, "Ritual"))
    await hour_passes(world, 30)
    await world.restart()
    await hour_passes(world, 36)
    assert "Ready" not in await cast_message(world)
    await hour_passes(world, 1)
    assert "Ready to cast" in await cast_message(world)
    assert "Cast" in labels(world.card("c1"))
    moves = private(await world.ana.slash(world.zone, "moves"))
    assert "Vesna casts Ritual: Cast it now or Break off" in moves, moves
    await choose(world, world.ana, "Cast", "Cast it now", 5, 5, 5, 6)
    assert "12 against 60" in await cast_message(world)
    assert not await is_busy(world)


@pytest.mark.rule("MB-SFX-20")
async def test_breaking_off_costs_nothing_but_the_time(world: World) -> None:
    await open_table_with_effects(world, RITUAL)
    await begin(world, "Ritual")
    await press(world, world.ana, "Break off")
    assert "Broken off" in await cast_message(world)
    assert not await is_busy(world)
    assert (await sheet(world, "Vesna")).harm.wounds == 0
    assert "12 against" in await cast_after(world)


async def cast_after(world: World) -> str:
    """Roll something else, and return what its message says."""
    world.dice.lay(1, 8)
    await world.ana.slash(world.zone, "check", skill="Stealth", difficulty="8")
    return await newest(world)


async def test_undo_brings_a_casting_back(world: World) -> None:
    await open_table_with_effects(world, RITUAL)
    await begin(world, "Ritual")
    await press(world, world.ana, "Break off")
    await world.gina.slash(world.zone, "gm undo")
    assert await is_busy(world)
    assert "Casting: until" in await cast_message(world)


async def test_a_check_that_the_gm_ends_leaves_nobody_busy(world: World) -> None:
    await open_table_with_effects(world, RITUAL)
    await begin(world, "Ritual")
    await world.gina.slash(world.zone, "gm undo")
    assert not await is_busy(world)


@pytest.mark.rule("MB-SFX-31", "MB-SFX-S19")
async def test_the_gm_distracts_only_during_the_concentration(world: World) -> None:
    await open_table_with_effects(world, RITUAL)
    await begin(world, "Ritual")
    await hour_passes(world, 66)
    assert "concentrating" in await cast_message(world)
    await choose(world, world.gina, "GM: the casting", "Distract the caster")
    assert "The casting is broken up" in await cast_message(world)
    assert not await is_busy(world)
    assert (await sheet(world, "Vesna")).harm.wounds == 0, "nothing was completed"


@pytest.mark.rule("MB-SFX-31")
async def test_interruptions_may_have_feedback(world: World) -> None:
    await open_table_with_effects(world, RITUAL, rules={"effect_interrupt_feedback": "on"})
    await begin(world, "Ritual")
    await hour_passes(world, 66)
    await choose(world, world.gina, "GM: the casting", "Distract the caster")
    assert "feedback 8" in await cast_message(world)
    assert (await sheet(world, "Vesna")).harm.wounds == 1


@pytest.mark.rule("MB-SFX-20")
async def test_more_than_a_day_takes_twice_as_long(world: World) -> None:
    await open_table_with_effects(world, effect("Feast", cast_time_value=26))
    await begin(world, "Feast")
    assert (await data(world)).seconds == 2 * 150_000
    assert "no time for anything else" in await cast_message(world)


@pytest.mark.rule("MB-SFX-91", "MB-SFX-93")
async def test_a_new_effect_is_designed_first(world: World) -> None:
    new = {"blueprint": effect("New", range_value=1, duration_value=5), "undesigned": True}
    await open_table_with_effects(world, own={"effects": [new | {"approved": True}]})
    await begin(world, "New")
    assert (await data(world)).seconds > 10
    await choose(world, world.gina, "GM: the casting", "Let the cast time pass")
    await choose(world, world.ana, "Cast", "Cast it now", 5, 6)
    (known,) = (await sheet(world, "Vesna")).effects
    assert not known.undesigned


@pytest.mark.rule("MB-SFX-91")
async def test_a_wait_says_whether_the_effect_is_still_designed(world: World) -> None:
    new = {"blueprint": effect("New", cast_time_value=18), "undesigned": True, "approved": True}
    await open_table_with_effects(world, own={"effects": [new]})
    await begin(world, "New")
    assert "Designing, then casting: until" in await cast_message(world)
    # Value 18 is 4000 seconds of casting; what is longer is the design.
    design = (await data(world)).seconds - 4000
    assert design > 0
    await hour_passes(world, design // 60 - 1)
    assert "Designing, then casting: until" in await cast_message(world)
    await hour_passes(world, 2)
    text = await cast_message(world)
    assert "Casting: until" in text and "Designing" not in text, text


# --- in rounds ------------------------------------------------------------------------------------


async def in_rounds(world: World, *effects: dict[str, Any], **more: Any) -> None:
    """Open a table in its first round: Vesna acts first, then Boris, then Thug."""
    await open_table_with_effects(world, *effects, **more)
    await gather(world, "Thug")
    await next_turn(world, 9, 9, 3, 4, 1, 1)


async def next_round_of_vesna(world: World) -> None:
    await next_turn(world)
    await next_turn(world)
    await next_turn(world, 9, 9, 3, 4, 1, 1)


@pytest.mark.rule("MB-SFX-20", "MB-SFX-32")
async def test_a_casting_in_rounds_goes_on_turn_by_turn(world: World) -> None:
    await in_rounds(world, SLOW)
    await begin(world, "Slow")
    assert "round 1 of 3" in await cast_message(world, "c2")
    assert "casting, 3 rounds left" in board_text(world), board_text(world)
    assert "is casting" in refusal_of(await begin(world, "Slow"))
    await next_round_of_vesna(world)
    assert "round 2 of 3" in await cast_message(world, "c2")
    call = world.newest("Open c2")
    assert labels(call) == ["Open c2", "End turn"], "a turn of casting offers nothing else"
    panel = message_of(await world.press(world.ana, call, "Open c2"))
    assert labels(panel) == ["Go on casting", "Break off"]
    await world.press(world.ana, panel, "Go on casting")
    assert await is_busy(world)


@pytest.mark.rule("MB-SFX-32")
async def test_a_casting_is_one_action_of_several(world: World) -> None:
    await in_rounds(world, SPARK)
    await world.ana.slash(world.zone, "mb declare", actions=2)
    world.dice.lay(5, 6)
    await begin(world, "Spark")
    text = await cast_message(world, "c2")
    assert "one of several actions (−2)" in text and "10 against 12" in text, text


@pytest.mark.rule("MB-SFX-20")
async def test_an_active_defense_breaks_a_casting_off(world: World) -> None:
    await in_rounds(world, effect("Plain", cast_time_value=7))
    await begin(world, "Plain")
    await next_turn(world)
    await next_turn(world)
    await next_turn(world, 1, 1, 1, 2, 9, 9)
    assert "round 2 of 3" in await cast_message(world, "c2")
    await world.gina.slash(world.zone, "attack", target="Vesna", **{"as": "Thug"})
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    label = next(each for each in labels(panel) if each.startswith("Active"))
    world.dice.lay(1, 2, 5, 5)
    await world.press(world.ana, panel, label)
    assert "The casting is broken up" in await cast_message(world, "c2")
    assert not await is_busy(world)
    assert (await sheet(world, "Vesna")).harm.wounds == 0


@pytest.mark.rule("MB-SFX-31")
async def test_a_hit_during_the_concentration_ends_a_casting(world: World) -> None:
    await in_rounds(world, SLOW)
    await begin(world, "Slow")
    await next_turn(world)
    await next_turn(world)
    world.dice.lay(9, 9)
    await world.gina.slash(world.zone, "attack", target="Vesna", **{"as": "Thug"})
    assert world.dice.left == 0, labels(world.last())
    assert "The casting is broken up" in await cast_message(world, "c2")
    assert not await is_busy(world)


# --- helpers --------------------------------------------------------------------------------------


CIRCLE: Final = effect("Circle", RING, given={"dn": 12, "fv": 8})
HELPERS: Final = {"with": "help Boris, help Mira"}


async def asked_to_help(world: World, name: str = "Circle", **more: Any) -> None:
    """Open a table by post where Vesna casts with two helpers: Ben's Boris, and the NPC Mira."""
    own = more.pop("effects", (CIRCLE,))
    await open_table_with_effects(world, *own, live=False, gm_channel=True, **more)
    await bring(world, world.gina, "Mira", {"skills": [{"name": "Willpower", "adds": 1}]}, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Mira")
    await begin(world, name, **HELPERS)
    await world.press(world.ana, world.card("c1"), "Cast")


async def help_as(world: World, person: Any, *faces: int) -> None:
    """Say that a helper is ready, with the dice that fall if it is the last one."""
    await choose(world, person, "Help", "Roll", *faces)


async def gm_helps(world: World, label: str, *faces: int) -> None:
    """Answer as the GM for a helper who is silent."""
    panel = message_of(await world.press(world.gina, world.card("c1"), "GM: the helpers"))
    option = next(each for each in labels(panel) if each == label)
    world.dice.lay(*faces)
    await world.press(world.gina, panel, option)
    assert world.dice.left == 0


@pytest.mark.rule("MB-SFX-31", "MB-SFX-S17")
@pytest.mark.parametrize("first", ["Boris", "Mira"])
async def test_helpers_answer_on_different_days_in_any_order(world: World, first: str) -> None:
    await asked_to_help(world)
    assert "0 of 2 helpers ready" in await cast_message(world)
    moves = private(await world.ben.slash(world.zone, "moves"))
    assert "Vesna casts Circle. Boris: Roll Willpower 9 against 8" in moves, moves
    dice = (5, 5, 6, 6, 5, 6)
    people = [world.ben, world.gina] if first == "Boris" else [world.gina, world.ben]
    await help_as(world, people[0])
    assert "1 of 2 helpers ready" in await cast_message(world)
    await world.env.advance_time(2 * DAY)
    await world.restart()
    await help_as(world, people[1], *dice)
    text = await cast_message(world)
    assert "✓ Helpers (chanting in a ring)" in text, text
    assert "12 against 12" in text, text


@pytest.mark.rule("MB-SFX-31", "MB-SFX-S17")
async def test_one_helper_who_fails_spoils_the_effect(world: World) -> None:
    await asked_to_help(world)
    await help_as(world, world.ben)
    await help_as(world, world.gina, 5, 5, 1, 1)
    text = await cast_message(world)
    assert "The helpers fail" in text and "feedback 8" in text, text
    assert "9 and −1 against 8" in text, text
    assert (await sheet(world, "Vesna")).harm.wounds == 1


@pytest.mark.rule("MB-SFX-31")
async def test_a_helper_who_fails_may_spend_a_life_point(world: World) -> None:
    boris = {"Boris": {"life_points": 2}}
    await asked_to_help(world, sheets=boris)
    await help_as(world, world.gina)
    await help_as(world, world.ben, 1, 1, 5, 5)
    assert head(world.card("c1")).startswith("✗ 1 of 2 helpers fails so far"), await cast_message(
        world
    )
    panel = message_of(await world.press(world.ben, world.card("c1"), "React"))
    point = next(each for each in labels(panel) if each.startswith("Spend a Life Point"))
    world.dice.lay(9, 9, 5, 6)
    await world.press(world.ben, panel, point)
    assert "✓ Helpers" in await cast_message(world), await cast_message(world)
    assert (await sheet(world, "Boris")).life_points == 1


@pytest.mark.rule("MB-SFX-31")
@pytest.mark.parametrize("fails", [True, False])
async def test_the_gm_answers_for_a_silent_helper(world: World, fails: bool) -> None:
    await asked_to_help(world)
    await help_as(world, world.gina)
    if fails:
        await gm_helps(world, "Boris fails")
        assert "The helpers fail" in await cast_message(world)
        return
    await gm_helps(world, "Roll for Boris", 5, 5, 6, 6, 5, 6)
    assert "✓ Helpers" in await cast_message(world)


async def test_no_silence_begins_or_spoils_a_casting(world: World) -> None:
    await asked_to_help(world)
    await help_as(world, world.gina)
    before = await data(world)
    await world.env.advance_time(30 * DAY)
    assert (await data(world)) == before
    await press(world, world.ana, "React")


@pytest.mark.rule("MB-SFX-S17")
async def test_a_crowd_rolls_once_against_a_higher_number(world: World) -> None:
    crowd = RING | {"helpers": 10}
    await open_table_with_effects(world, effect("Choir", crowd, given={"dn": 12, "fv": 8}))
    await begin(world, "Choir")
    assert "GM: roll for the group" in labels(world.card("c1"))
    panel = message_of(await world.press(world.gina, world.card("c1"), "GM: roll for the group"))
    dialog = await world.press(world.gina, panel, "Average skill…")
    filled = message_of(await world.gina.submit_modal(dialog, {"value": "15"}))
    world.dice.lay(6, 6, 5, 6)
    await world.press(world.gina, filled, "One roll for all 10")
    text = await cast_message(world)
    assert "✓ Helpers (chanting in a ring), the group 16 against 16" in text, text


async def test_the_caster_breaks_off_while_helpers_are_asked(world: World) -> None:
    await asked_to_help(world)
    await help_as(world, world.ben)
    await choose(world, world.ana, "React", "Break off")
    assert "Broken off" in await cast_message(world)
    assert (await sheet(world, "Vesna")).harm.wounds == 0


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-12")
async def test_who_knows_no_effect_or_has_no_adds_casts_nothing(world: World) -> None:
    none = {"skills": FIGHTER["skills"]}
    await open_table_with_effects(world, SPARK, own=none)
    assert "needs an add in Conjuration" in refusal_of(await begin(world, "Spark"))
    world_of = await world.ben.slash(world.zone, "effect cast", effect="Spark")
    assert "knows no effect" in refusal_of(world_of)


@pytest.mark.rule("MB-SFX-26", "MB-SFX-27", "MB-SFX-S07")
@pytest.mark.parametrize(
    ("changes", "options", "reason"),
    [
        ({}, {"target": "Thug", "with": "meters 61"}, "out of range"),
        ({"speed_value": 0, "duration_value": 5}, {"with": "at the gate, meters 50"}, "never"),
        ({}, {"target": "Thug", "with": "on Boris"}, "1 target at most"),
        ({"targets": 3}, {"target": "Thug", "with": "on Thug 3"}, "each target once"),
        ({}, {"with": "value 12"}, "10"),
        ({}, {"with": "extension 3"}, "0"),
        ({"on_self": True}, {"target": "Thug"}, "its caster alone"),
        ({"action": "lower", "traits": ["strength"]}, {}, "name the target"),
        ({}, {"with": "help Boris"}, "takes no helpers"),
        ({"conditions": [RING]}, {"with": "help Vesna"}, "helper too"),
        (
            {"conditions": [RING | {"helpers": 1}]},
            {"with": "help Boris, help Thug"},
            "1 helper at most",
        ),
        (
            {"conditions": [CHANT | {"addons": ["foreign_tongue"], "skill": "Latin"}]},
            {},
            "can't speak it",
        ),
        ({"conditions": [STEALTH | {"skill": "Medicine"}]}, {}, "has no adds in it"),
    ],
)
async def test_a_casting_is_refused_for_a_reason(
    world: World, changes: dict[str, Any], options: dict[str, Any], reason: str
) -> None:
    await open_table_with_effects(world, SPARK | changes)
    told = refusal_of(await begin(world, "Spark", **options))
    assert reason.casefold() in told.casefold(), told
    assert not (await world.state()).open_checks


@pytest.mark.rule("MB-SFX-12")
async def test_a_refused_effect_is_not_cast(world: World) -> None:
    known = {"blueprint": SPARK, "refused": True, "ruling": "too bright"}
    await open_table_with_effects(world, own={"effects": [known]})
    assert "too bright" in refusal_of(await begin(world, "Spark"))


# --- what others see ------------------------------------------------------------------------------


async def test_players_read_neither_what_an_npc_casts_nor_its_difficulty(world: World) -> None:
    thug = {"skills": [{"name": "Conjuration", "adds": 3}], "effects": knows(SPARK)["effects"]}
    await open_table_with_effects(world, SPARK, sheets={"Thug": thug}, gm_channel=True)
    world.dice.lay(6, 6)
    await world.gina.slash(
        world.zone, "effect cast", effect="Spark", target="Vesna", **{"as": "Thug"}
    )
    public_text = await cast_message(world)
    assert "Thug casts an effect" in public_text
    assert "Spark" not in public_text and "against 12" not in public_text


async def test_a_casting_that_players_do_not_see_shows_no_button(world: World) -> None:
    thug = {"skills": [{"name": "Conjuration", "adds": 3}], "effects": knows(SLOW)["effects"]}
    await in_rounds(world, SPARK, sheets={"Thug": thug}, gm_channel=True)
    await next_turn(world)
    await next_turn(world)
    options = {"as": "Thug", "target": "Thug"}
    await world.gina.slash(world.zone, "effect cast", effect="Slow", **options)
    await next_turn(world, 1, 1, 1, 2, 9, 9)
    shown_labels = [label for each in world.messages() for label in labels(each)]
    assert not any(label.startswith(("Open c", "Open h")) for label in shown_labels), shown_labels


async def test_two_casters_at_once(world: World) -> None:
    boris = knows(RITUAL)
    await open_table_with_effects(world, RITUAL, sheets={"Boris": boris})
    await begin(world, "Ritual")
    await world.ben.slash(world.zone, "effect cast", effect="Ritual")
    assert await is_busy(world) and await is_busy(world, "Boris")
    await hour_passes(world)
    for check in ("c1", "c2"):
        assert "Ready to cast" in await cast_message(world, check)


@pytest.mark.rule("MB-SFX-20", "MB-SFX-21")
async def test_odds_of_a_casting_in_preparation(world: World) -> None:
    await open_table_with_effects(world, RITUAL | {"given": {"dn": 12, "fv": 8}})
    await begin(world, "Ritual")
    text = private(await world.ana.slash(world.zone, "odds", check="c1"))
    assert "Feedback 8: unhurt" in text and "killed" in text, text


@pytest.mark.rule("MB-SFX-29")
async def test_an_effect_with_charges_is_stored(world: World) -> None:
    stored = SPARK | {"charges": 3, "given": {"dn": 12, "fv": 0}}
    await open_table_with_effects(world, stored)
    await cast_spark(world, "Spark", 5, 6, **{"with": "into an oak wand"})
    state = await world.state()
    (charges,) = effects_of(read_only_game(state), await who(world, "Vesna")).charges
    assert (charges.left, charges.holder, charges.effect_value) == (3, "an oak wand", 10)


@pytest.mark.rule("MB-SFX-20")
async def test_a_casting_among_npcs_is_answered_to_the_gm_in_private(world: World) -> None:
    await open_table_with_effects(world, SPARK, sheets={"Thug": knows(SPARK) | {"life_points": 0}})
    before = {each.id for each in world.messages()}
    world.dice.lay(5, 6)
    casting = {"effect": "Spark", "target": "Thug", "as": "Thug"}
    text = private(await world.gina.slash(world.zone, "effect cast", **casting))
    assert "against 12" in text, text
    assert "feedback" in text and "Only GMs see this" in text, text
    assert [each for each in world.messages() if each.id not in before] == []
