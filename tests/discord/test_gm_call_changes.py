"""`/gm call` composed in a panel, ended early, widened, undone and corrected; a scene's cast."""

from __future__ import annotations

from typing import Any

from tests.discord.test_gm_call import CLIMB, DAY, SEAL
from tests.discord.world import (
    World,
    dialog_values,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    texts,
)

LONG_SEAL = "The ferryman's boots are dry.\n\nHe never crossed:\n- no mud\n- no rope"


async def _call(world: World, **options: Any) -> Any:
    return await world.gina.slash(world.zone, "gm call", **(CLIMB | options))


def _message(world: World) -> Any:
    """The message with the lines of the call."""
    (*_, newest) = [message for message in world.messages() if "**Marek:**" in texts(message)]
    return newest


async def _details(world: World, who: Any) -> Any:
    return message_of(await world.press(who, _message(world), "Details"))


async def _roll(world: World, who: Any, *faces: int) -> Any:
    world.dice.lay(*faces)
    return await world.press(who, _message(world), "Roll")


async def test_a_call_without_a_trait_opens_a_panel_with_a_dialog_for_the_texts(
    world: World,
) -> None:
    await world.table(step_in_minutes=0)
    panel = message_of(await world.gina.slash(world.zone, "gm call"))
    assert "Call for a roll" in texts(panel) and "2 characters: Ilka and Marek" in texts(panel)
    await world.choose(world.gina, panel, "Skill", "Climbing")
    await world.choose(world.gina, panel, "Attribute", "Fitness")
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    dialog = await world.press(world.gina, panel, "Write…")
    typed = {"text": "The far bank.", "seal": LONG_SEAL, "until": "2 days"}
    await world.gina.submit_modal(dialog, dialog_values(dialog) | typed)
    private(await world.press(world.gina, panel, "Make the call"))
    shown = texts(_message(world))
    assert "Tricky" in shown and "The far bank." in shown and "boots" not in shown
    assert "Storyguide makes the missing rolls" in shown
    told = private(await _roll(world, world.ana, 8, 7))
    assert all(line in told for line in LONG_SEAL.splitlines())


async def test_a_filled_call_opens_the_panel_if_the_gm_asks_for_it(world: World) -> None:
    await world.table()
    before = await world.revision()
    panel = message_of(await _call(world, who="Ilka", seal=SEAL, panel=True))
    assert await world.revision() == before
    assert "1 character: Ilka" in texts(panel) and "Climbing" in texts(panel)
    await world.press(world.gina, panel, "Make the call")
    (check,) = (await world.state()).checks.values()
    assert (await world.state()).characters[check.actor].name == "Ilka"


async def test_an_end_that_nobody_can_read_stays_in_the_panel(world: World) -> None:
    await world.table()
    before = await world.revision()
    panel = message_of(await world.gina.slash(world.zone, "gm call", panel=True, **CLIMB))
    dialog = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(dialog, {"text": "", "seal": "", "until": "soonish"})
    refused = await world.press(world.gina, panel, "Make the call")
    assert "soonish" in refusal_of(refused)
    assert await world.revision() == before


async def test_players_get_no_panel(world: World) -> None:
    await world.table()
    refusal_of(await world.ana.slash(world.zone, "gm call"))
    refusal_of(await world.ana.slash(world.zone, "gm call", panel=True, **CLIMB))


async def test_a_call_is_for_the_cast_of_the_scene_in_its_place(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "scene start", title="The ferry", who="Ilka")
    await _call(world)
    state = await world.state()
    assert [state.characters[check.actor].name for check in state.checks.values()] == ["Ilka"]


async def test_the_gm_rolls_what_is_missing_before_the_end(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, until="2 days", seal=SEAL)
    due = "makes the missing rolls"
    assert due in texts(_message(world))
    await _roll(world, world.ana, 8, 7)
    details = await _details(world, world.gina)
    world.dice.lay(2, 2)
    answer = private(await world.press(world.gina, details, "Roll what's missing"))
    assert "The GM ended the call before Ilka rolled" in answer
    assert "ran out of time" not in world.told(world.ben)
    shown = texts(_message(world))
    assert "(rolled when the GM ended the call)" in shown.partition("**Marek:**")[0]
    assert due not in shown and "Roll" not in labels(_message(world))
    again = await world.press(world.gina, details, "Roll what's missing")
    assert "missing any more" in refusal_of(again)
    await world.env.advance_time(2 * DAY + 60)
    assert texts(_message(world)).count("(rolled when the GM ended the call)") == 1


async def test_the_gm_ends_a_call_without_those_who_are_missing_and_undoes_it(
    world: World,
) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    await _roll(world, world.ana, 8, 7)
    details = await _details(world, world.gina)
    await world.press(world.gina, details, "End without them")
    assert "**Ilka:** not rolled\n" in texts(_message(world))
    assert not [message for message in world.messages() if "Roll" in labels(message)]
    await world.gina.slash(world.zone, "gm undo")
    assert "**Ilka:** not rolled yet" in texts(_message(world))
    await world.restart()
    private(await _roll(world, world.ben, 2, 2))
    assert "**Ilka:** ✗" in texts(_message(world))


async def test_the_gm_calls_one_more_character_with_the_same_roll(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, who="Marek", seal=SEAL, hidden=True)
    details = await _details(world, world.gina)
    (other,) = menu(details, "Call someone else")["options"]
    assert other["label"] == "Ilka"
    await world.choose(world.gina, details, "Call someone else", other["value"])
    added = await world.revision()
    shown = texts(_message(world))
    assert shown.index("**Marek:** not rolled yet") < shown.index("**Ilka:** not rolled yet")
    assert "Tricky" not in shown
    panel = message_of(await _roll(world, world.ben, 8, 7))
    accepted = await world.press(world.ben, panel, "Accept result")
    assert SEAL in private(accepted)
    again = world.emit(world.gina, "sg:rolls:1:g1:add", details)
    await world.env.settle()
    refusal_of(again)
    await world.gina.slash(world.zone, "gm undo", entry=added, dependents=True)
    assert len((await world.state()).checks) == 1


async def test_players_press_nothing_of_the_gms(world: World) -> None:
    await world.table()
    await _call(world, seal=SEAL)
    details = await _details(world, world.ana)
    before = await world.revision()
    for label in ("Roll what's missing", "End without them", "Tell everyone"):
        assert label not in labels(details)
    for verb in ("end", "drop", "open", "add"):
        refused = world.emit(world.ana, f"sg:rolls:1:g1:{verb}", details)
        await world.env.settle()
        refusal_of(refused)
    assert await world.revision() == before


async def test_one_players_several_characters_are_offered_by_one_press(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.ana, "Tam")
    await _call(world)
    choice = message_of(await world.press(world.ana, _message(world), "Roll"))
    assert {"Marek", "Tam"} <= {*labels(choice)}
    panel = message_of(await world.press(world.ana, choice, "Tam"))
    rolls = [label for label in labels(panel) if label.startswith("Roll")]
    if rolls:
        world.dice.lay(8, 7)
        await world.press(world.ana, panel, rolls[0])
    shown = texts(_message(world))
    assert "**Marek:** not rolled yet" in shown and "**Tam:** not rolled yet" not in shown


async def test_gms_see_who_has_read_the_text_even_after_an_undo(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    await _roll(world, world.ana, 8, 7)
    assert "Marek read this:" in texts(await _details(world, world.gina))
    await world.gina.slash(world.zone, "gm undo")
    await world.restart()
    assert "Marek read this:" in texts(await _details(world, world.gina))
    private(await _roll(world, world.ana, 2, 2))
    assert "Marek read this:" in texts(await _details(world, world.gina))
    for who in (world.ana, world.ben):
        assert "read this" not in texts(await _details(world, who))


async def test_gms_see_who_has_read_the_text_and_who_can(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    await _roll(world, world.ana, 8, 7)
    details = await _details(world, world.gina)
    world.dice.lay(9, 6)
    await world.press(world.gina, details, "Roll what's missing")
    shown = texts(await _details(world, world.gina))
    assert "Marek read this; Ilka succeeded, and can read it:" in shown


async def test_a_correction_that_would_unread_a_text_is_refused(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    called = await world.revision()
    await _roll(world, world.ana, 8, 7)
    before = await world.revision()
    for entry in (called, before):
        panel = await world.gina.slash(world.zone, "gm amend", entry=entry)
        refused = await world.press(world.gina, message_of(panel), "Undo it alone")
        assert "has read a sealed text" in refusal_of(refused)
    assert await world.revision() == before
