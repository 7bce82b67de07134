"""The reason of a correction: who reads it, and where it stays out."""

from __future__ import annotations

from simcord.results import ResponseMessage

from tests.discord.amend_steps import correction, entry_of
from tests.discord.test_data import file_of
from tests.discord.test_whispers import begun
from tests.discord.world import (
    World,
    button,
    dialog_values,
    labels,
    message_of,
    private,
    refusal_of,
    texts,
)

#: A reason with Markdown and more space than it needs.
REASON = "wrong  *target*"
SHOWN = r"Reason: wrong \*target\*"
CHANGE = "difficulty: 7"


async def rolled_ruling(world: World) -> int:
    """Let Ana roll against a difficulty, and return the entry of the GM's answer."""
    await world.table()
    await world.rolled(4, 3)
    return await entry_of(world, "Choose", -2)


async def with_reason(
    world: World, panel: ResponseMessage, label: str, reason: str
) -> ResponseMessage:
    """Type a reason into the dialog of a preview, and return the preview after it."""
    dialog = await world.press(world.gina, panel, label)
    return message_of(await world.gina.submit_modal(dialog, {"reason": reason}))


async def test_all_who_are_told_of_a_correction_read_its_reason(world: World) -> None:
    entry = await rolled_ruling(world)
    change = {"entry": entry, "change": CHANGE, "reason": REASON}
    panel = message_of(await world.gina.slash(world.zone, "gm amend", **change))
    assert r"Your reason, for all who are told of it: wrong \*target\*" in texts(panel)
    assert "Reason: wrong" not in world.told(world.ana), "nothing is told before it is carried out"
    await world.restart()
    await world.press(world.gina, panel, "Change it")
    assert SHOWN in correction(world)
    await world.restart()
    number = await world.revision()
    log = private(await world.gina.slash(world.zone, "gm log"))
    assert r"wrong \*target\*" in log
    for what in ("players", "full"):
        file = await file_of(
            await world.gina.slash(world.zone, "gm export", what=what, journal=True)
        )
        assert "wrong *target*" in str(file), what
    await world.gina.slash(world.zone, "gm undo", entry=number)
    (undone,) = [message for message in world.messages() if SHOWN in texts(message)]
    assert f"Undone (#{number + 1})" in texts(undone)


async def test_a_reason_is_given_in_the_panel(world: World) -> None:
    entry = await rolled_ruling(world)
    answer = await world.gina.slash(world.zone, "gm amend", entry=entry, change=CHANGE)
    panel = message_of(answer)
    assert labels(panel) == ["Change it", "Give a reason", "Leave it"]
    stolen = world.emit(world.ana, button(panel, "Give a reason"))
    await world.env.settle()
    refusal_of(stolen)
    panel = await with_reason(world, panel, "Give a reason", "  wrong\n target ")
    assert "for all who are told of it: wrong target" in texts(panel)
    await world.restart()
    dialog = await world.press(world.gina, panel, "Change the reason")
    assert dialog_values(dialog) == {"reason": "wrong target"}
    panel = message_of(await world.gina.submit_modal(dialog, {"reason": ""}))
    assert "Give a reason" in labels(panel) and "Your reason" not in texts(panel)
    panel = await with_reason(world, panel, "Give a reason", "wrong target")
    await world.press(world.gina, panel, "Change it")
    assert "Reason: wrong target" in correction(world)


async def test_a_correction_without_a_reason_says_none(world: World) -> None:
    entry = await rolled_ruling(world)
    answer = await world.gina.slash(world.zone, "gm amend", entry=entry, change=CHANGE)
    await world.press(world.gina, message_of(answer), "Change it")
    assert correction(world) and "Reason" not in correction(world)


async def test_the_reason_of_the_command_goes_through_the_form(world: World) -> None:
    entry = await rolled_ruling(world)
    for last, confirm in (("Preview", "Change it"), ("Undo it alone", "Undo it")):
        command = {"entry": entry, "reason": f"reason of {last}"}
        panel = message_of(await world.gina.slash(world.zone, "gm amend", **command))
        await world.restart()
        if last == "Preview":
            await world.choose(world.gina, panel, "Difficulty", "Routine")
        panel = message_of(await world.press(world.gina, panel, last))
        assert f"for all who are told of it: reason of {last}" in texts(panel)
        await world.press(world.gina, panel, confirm)
        assert f"Reason: reason of {last}" in correction(world)
        await world.gina.slash(world.zone, "gm undo", entry=await world.revision())


async def test_a_correction_that_only_gms_are_told_of_shows_players_no_reason(
    world: World,
) -> None:
    await world.table(gm_channel=True)
    card = await world.answered(hidden=True, level=None, number="29")
    await world.press(world.ana, card, "Roll")
    entry = await entry_of(world, "Choose", -2)
    change = {"entry": entry, "change": "difficulty: 30", "reason": "Xreason"}
    panel = message_of(await world.gina.slash(world.zone, "gm amend", **change))
    assert "Players will notice nothing." in texts(panel)
    await world.press(world.gina, panel, "Change it")
    for command in ("table last", "recap", "moves", "chronicle"):
        await world.ana.slash(world.zone, command)
    await world.ana.slash(world.zone, "log", text="Xreason")
    players = await file_of(
        await world.gina.slash(world.zone, "gm export", what="players", journal=True)
    )
    assert "Xreason" not in str(players)
    full = await file_of(await world.gina.slash(world.zone, "gm export", what="full", journal=True))
    assert "Xreason" in str(full)
    private(await world.gina.slash(world.zone, "gm undo", entry=await world.revision()))
    assert not any("Xreason" in texts(message) for message in world.messages())
    assert "Xreason" in private(await world.gina.slash(world.zone, "gm log"))


async def test_the_reason_of_a_whispered_correction_stays_in_its_scene(world: World) -> None:
    await world.table(gm_channel=True)
    thread = await begun(world)
    await world.ana.slash(thread, "check", skill="Climbing", approach="Xwords")
    await world.env.settle()
    change = {"change": "skill: Running", "reason": "Xreason"}
    entry = await world.revision()
    panel = message_of(await world.gina.slash(world.zone, "gm amend", entry=entry, **change))
    await world.press(world.gina, panel, "Change it")
    await world.env.settle()
    assert any("Reason: Xreason" in texts(message) for message in world.messages(thread))
    await world.ben.slash(world.zone, "table last")
    await world.ben.slash(world.zone, "recap")
    assert "Xreason" not in world.told(world.ben)


async def test_the_preview_names_who_is_told_the_reason_in_private(world: World) -> None:
    await world.table(gm_channel=True)
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="9")
    change = {"entry": await world.revision(), "change": "value: 8", "reason": "Xreason"}
    panel = message_of(await world.gina.slash(world.zone, "gm amend", **change))
    assert f"is told in private to {world.ana.mention}." in texts(panel)
    assert "Players will notice nothing." not in texts(panel)
    await world.press(world.gina, panel, "Change it")
    await world.env.settle()
    stub = [message for message in world.messages() if "Show" in labels(message)][-1]
    assert "Xreason" not in texts(stub)
    assert "Reason: Xreason" in private(await world.press(world.ana, stub, "Show"))
    assert "Xreason" not in world.told(world.ben)
