"""A GM's first steps after `/setup`: each by a button, marked as it is taken, over restarts, and
for GMs alone.
"""

from __future__ import annotations

from typing import Any

import pytest
from simcord.actors import MemberActor

from tests.discord.world import (
    MINUTE,
    World,
    button,
    controls,
    head,
    labels,
    message_of,
    private,
    refusal_of,
    select,
    texts,
)

STEPS = ["GM channel", "Invite players", "Create a character", "Call for a check"]


def steps(guide: Any) -> str:
    """How the four steps stand: ✓ taken, → next, · later."""
    words = {"Done:": "✓", "Next:": "→", "Later:": "·"}
    return "".join(words[word] for word in texts(guide).split() if word in words)


def first(guide: Any) -> str:
    """The button that stands out."""
    found = [each["label"] for each in controls(guide) if each.get("style") == 1]
    return " ".join(found)


async def take(world: World, who: MemberActor, panel: Any) -> Any:
    """Take the first ready character."""
    menu = next(each for each in controls(panel) if each.get("options"))
    await who.select(panel, [menu["options"][0]["value"]], custom_id=menu["custom_id"])
    return await world.press(who, panel, "Play this one")


async def guide_message(world: World, system: str = "ebb", **options: Any) -> Any:
    """The guide under a new table."""
    created = await world.gina.slash(
        world.zone, "setup", game=system, name="The Dry Canal", **options
    )
    (guide,) = created.followups
    assert guide.ephemeral
    return guide


@pytest.mark.parametrize("system", ["ebb", "barmore"])
async def test_the_whole_way(world: World, system: str) -> None:
    guide = await guide_message(world, system)
    assert head(guide) == "First steps at The Dry Canal"
    assert labels(guide) == STEPS
    assert (steps(guide), first(guide)) == ("→···", "GM channel")

    (question,) = (await world.press(world.gina, guide, "GM channel")).followups
    menu = select(question, "A channel for GMs only")
    await world.gina.select(question, [world.gm_room], custom_id=menu)
    await world.env.settle()
    assert (steps(guide), first(guide)) == ("✓→··", "Invite players")
    assert f"Secrets go to {world.gm_room.mention}." in texts(guide)

    pressed = await world.press(world.gina, guide, "Invite players")
    call = world.last()
    assert not call.flags.ephemeral and head(call) == "Join The Dry Canal"
    assert (steps(guide), first(guide)) == ("✓✓→·", "Create a character")
    assert message_of(pressed).ephemeral

    await world.restart()

    panel = message_of(await world.press(world.ana, call, "Create a character"))
    assert panel.ephemeral
    await take(world, world.ana, panel)
    (own,) = (await world.press(world.gina, guide, "Create a character")).followups
    assert own.ephemeral, "the panel opens, and the guide is as things stand after the restart"
    assert (steps(guide), first(guide)) == ("✓✓✓→", "Call for a check")
    assert "At the table: Ana." in texts(guide)

    await world.press(world.gina, guide, "Call for a check")
    call = world.last()
    assert head(call) == "What do you do?"
    assert steps(guide) == "✓✓✓→", "called is not done"
    panel = message_of(await world.press(world.ana, call, "Try something"))
    assert panel.ephemeral and "what do you try?" in texts(panel)
    ability = next(each for each in controls(panel) if each.get("options"))
    await world.ana.select(panel, [ability["options"][1]["value"]], custom_id=ability["custom_id"])
    dialog = await world.press(world.ana, panel, "Write…")
    assert dialog.modal is not None
    inputs = {row["component"]["custom_id"]: "" for row in dialog.modal["components"]}
    await world.ana.submit_modal(dialog, inputs | {"approach": "over the wall"})
    await world.press(world.ana, panel, "Send")
    await world.env.settle()
    assert (await world.state()).checks
    assert (steps(guide), first(guide)) == ("✓✓✓✓", "")
    assert "You're ready to play." in texts(guide)


async def test_the_gm_makes_the_first_character(world: World) -> None:
    guide = await guide_message(world)
    (panel,) = (await world.press(world.gina, guide, "Create a character")).followups
    await take(world, world.gina, panel)
    await world.env.settle()
    assert (steps(guide), first(guide)) == ("→·✓·", "GM channel"), "in any order"


async def test_no_gm_channel_is_a_step_taken(world: World) -> None:
    guide = await guide_message(world)
    (question,) = (await world.press(world.gina, guide, "GM channel")).followups
    await world.press(world.gina, question, "No GM channel")
    assert (steps(guide), first(guide)) == ("✓→··", "Invite players")
    assert "Secrets wait behind buttons that only GMs can open." in texts(guide)
    await world.restart()
    await world.press(world.gina, guide, "GM channel")
    assert steps(guide) == "✓→··", "and stays so"


async def test_what_players_do_without_being_called_counts(world: World) -> None:
    guide = await guide_message(world, gm_channel=world.gm_room)
    assert steps(guide) == "✓→··"
    await world.bring(world.ana, "Marek")
    await world.env.settle()
    assert (steps(guide), first(guide)) == ("✓✓✓→", "Call for a check")
    await world.propose()
    await world.env.settle()
    assert steps(guide) == "✓✓✓✓"


async def test_players_cannot_press_it(world: World) -> None:
    guide = await guide_message(world)
    before = len(world.messages())
    for label in STEPS:
        pressed = world.emit(world.ana, button(guide, label), guide)
        await world.env.settle()
        assert "Only the GM can do that." in refusal_of(pressed)
    declined = world.emit(world.ana, "sg:nogm:1", guide)
    await world.env.settle()
    refusal_of(declined)
    assert len(world.messages()) == before
    assert steps(guide) == "→···"
    assert not await world.bot.tables.store.note("first:1")


async def test_what_was_tampered_with_means_nothing(world: World) -> None:
    guide = await guide_message(world)
    for custom_id in (
        "sg:join:1:moon",
        "sg:join:1",
        "sg:first:1",
        "sg:first:99:players",
        "sg:first:x:players",
    ):
        pressed = world.emit(world.gina, custom_id, guide)
        await world.env.settle()
        refusal_of(pressed)
    assert not await world.bot.tables.store.note("first:1")


async def test_setup_brings_it_back(world: World) -> None:
    await guide_message(world)
    again = await world.setup()
    assert "This channel already has a table: The Dry Canal." in refusal_of(again)
    way = message_of(again) if not again.followups else again.followups[-1]
    shown = await world.press(world.gina, way, "First steps")
    assert head(message_of(shown)) == "First steps at The Dry Canal"
    assert "First steps" in private(shown)
    world.guild.set_command_permissions(
        int((world.env.backend.find_command("setup", world.guild.id, type=1) or {})["id"]),
        {world.ana: True},
    )
    leads = world.guild.roles["leads"]
    other = world.member("olga", leads)
    other_again = await other.slash(world.zone, "setup", game="ebb")
    assert "First steps" not in refusal_of(other_again), "of this table's GMs alone"


async def test_slowly_the_panel_opens_beside_the_guide(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = await guide_message(world)
    monkeypatch.setattr("bot.delivery.response.DEFER_AFTER", 0.0)
    pressed = await world.press(world.gina, guide, "Create a character")
    assert head(guide) == "First steps at The Dry Canal"
    assert [head(each) for each in pressed.followups] == ["A new character"]


async def test_a_guide_that_cannot_be_edited_any_more_is_no_trouble(world: World) -> None:
    """Discord lets it be edited for a quarter of an hour; the next press shows how things stand."""
    guide = await guide_message(world)
    await world.env.advance_time(20 * MINUTE)
    private(await world.bring(world.ana, "Marek"))
    await world.env.settle()
    assert steps(guide) == "→···"
    await world.press(world.gina, guide, "GM channel")
    assert steps(guide) == "→✓✓·"
    await world.propose()
    await world.env.settle()
    assert steps(guide) == "→✓✓✓", "and is kept up to date again"


async def test_in_plain_text_too(world: World) -> None:
    guide = await guide_message(world)
    await world.gina.slash(world.zone, "table plain", on=True)
    await world.press(world.gina, guide, "Invite players")
    assert steps(guide) == "→✓··"
    await world.bring(world.ana, "Marek")
    await world.env.settle()
    assert steps(guide) == "→✓✓·"
    assert labels(guide) == STEPS


async def test_setup_without_options_opens_a_table_by_a_menu_and_brings_the_guide_back(
    world: World,
) -> None:
    menu = message_of(await world.gina.slash(world.zone, "setup"))
    assert menu.ephemeral and "Which rules do you play by?" in texts(menu)
    assert "Name it with `game`" in refusal_of(
        await world.gina.slash(world.zone, "setup", name="The Canal")
    )
    await world.restart()
    opened = await world.press(world.gina, menu, "EBB")
    assert head(opened.followups[-1]) == "First steps at zone"
    assert "zone is open" in texts(world.last()) and not world.last().flags.ephemeral
    for options in ({}, {"game": "ebb"}):
        again = message_of(await world.gina.slash(world.zone, "setup", **options))
        assert again.ephemeral and head(again) == "First steps at zone"
    other = await world.gina.slash(world.zone, "setup", game="barmore")
    assert "This channel already has a table" in refusal_of(other)
    forged = world.emit(world.ana, "sg:setup:ebb", menu)
    await world.env.settle()
    assert refusal_of(forged)


async def test_players_are_invited_again_only_when_asked(world: World) -> None:
    guide = await guide_message(world)
    await world.press(world.gina, guide, "Invite players")
    before = len(world.messages())
    (told,) = (await world.press(world.gina, guide, "Invite players")).followups
    assert told.ephemeral and "Players are invited already" in texts(told)
    assert len(world.messages()) == before
    await world.press(world.gina, told, "Invite again")
    assert len(world.messages()) == before + 1


async def test_the_first_check_is_played_when_it_is_final(world: World) -> None:
    await world.table(live=True)
    guide = message_of(await world.gina.slash(world.zone, "setup"))
    await world.rolled(5, 3)
    await world.env.settle()
    assert "Under way." in texts(guide)
    await world.press(world.ana, world.card(), "Accept result")
    await world.env.settle()
    assert "Under way." not in texts(guide) and "Played." in texts(guide)
