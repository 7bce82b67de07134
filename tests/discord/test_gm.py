"""`/gm`: who leads, taking back, settings, and taking over a table that nobody leads any more."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from tests.discord.world import (
    DAY,
    World,
    button,
    controls,
    labels,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    select,
    texts,
)

# --- members --------------------------------------------------------------------------------------


async def test_who_leads_is_told_and_changed(world: World) -> None:
    await world.table()
    listed = private(await world.gina.slash(world.zone, "gm members"))
    assert f"- {world.gina.mention}" in listed
    added = await world.gina.slash(world.zone, "gm members", add=world.ben)
    assert private(added).startswith("## New GM\n"), "everybody reads the rest below"
    assert f"{world.ben.mention} is now GM of this table." in texts(world.last())
    assert f"The GMs are {world.gina.mention} and {world.ben.mention}." in texts(world.last())
    assert pings(world.last(), world.env) == []
    await world.propose(skill="Climbing")
    assert pings(world.newest("Answer"), world.env) == [world.gina.id, world.ben.id]
    await world.rule(who=world.ben)
    assert "## Marek, roll" in texts(world.card())
    assert "against 10" in texts(world.card())
    removed = await world.ben.slash(world.zone, "gm members", remove=world.gina)
    private(removed)
    assert f"{world.gina.mention} is no longer GM of this table." in texts(world.last())
    refusal_of(await world.gina.slash(world.zone, "gm members", add=world.ana))
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "gm members"))
    assert world.ben.mention in private(await world.ana.slash(world.zone, "table show")), (
        "no secret"
    )


async def test_gms_are_added_and_removed_on_the_card_that_lists_them(world: World) -> None:
    await world.table()
    masters = world.guild.create_role("masters")
    card = message_of(await world.gina.slash(world.zone, "gm members"))

    async def choose(title: str, who: Any) -> Any:
        return await world.gina.select(card, [who], custom_id=select(card, title))

    await choose("Add a GM", world.ben)
    assert world.ben.mention in texts(card)
    await choose("Add a GM role", masters)
    assert f"everybody with {masters.mention}" in texts(card)
    state = await world.state()
    assert (len(state.settings.gms), state.settings.gm_roles) == (2, (str(masters.id),))
    await choose("Remove", f"@{masters.id}")
    await choose("Remove", state.settings.gms[0])
    assert (await world.state()).settings.gms == state.settings.gms[1:]
    assert labels(card) == [] and "Add a GM" not in str(controls(card)), (
        "who leads no more gets no menus"
    )
    refusal_of(await world.ana.slash(world.zone, "gm members"))


@pytest.mark.parametrize("title", ["Add a GM", "Add a GM role"])
async def test_who_cannot_lead_is_refused_on_the_card(world: World, title: str) -> None:
    await world.table()
    card = message_of(await world.gina.slash(world.zone, "gm members"))
    who = world.member("robot", bot=True) if title == "Add a GM" else world.guild.default_role
    answer = await world.gina.select(card, [who], custom_id=select(card, title))
    assert "robot" not in refusal_of(answer)
    forged = world.emit(world.ana, select(card, title), card, values=(str(world.ana.id),))
    await world.env.settle()
    assert "Only the GM can do that." in refusal_of(forged)
    assert len((await world.state()).settings.gms) == 1


async def test_the_last_gm_stays(world: World) -> None:
    await world.table()
    masters = world.guild.create_role("masters")
    text = refusal_of(await world.gina.slash(world.zone, "gm members", remove=world.gina))
    assert f"{world.gina.mention} is the last GM, and a table needs one." in text
    await world.gina.slash(world.zone, "gm members", add_role=masters)
    assert "is the last GM" in refusal_of(
        await world.gina.slash(world.zone, "gm members", remove=world.gina)
    )


async def test_who_leads_by_a_role_gets_the_same_receipts(world: World) -> None:
    await world.table()
    masters = world.guild.create_role("masters")
    await world.gina.slash(world.zone, "gm members", add_role=masters)
    mia = world.member("mia", masters)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    for number, gm in enumerate((world.gina, mia), 1):
        await gm.slash(world.zone, "check", approach="over the wall", **{"as": "Sidor"})
        react = message_of(await world.press(gm, world.card(), "React"))
        panel = message_of(await world.press(gm, react, "Edit…"))
        await world.choose(gm, panel, "Attribute", "Fitness")
        receipt = await world.press(gm, panel, "Save changes")
        assert "Answer" in labels(message_of(receipt)), number
        await world.rule(message_of(receipt), who=gm)
    await mia.slash(world.zone, "gm undo")
    assert any("The GM undid" in texts(each) for each in world.messages())
    assert "your call on Sidor" in texts(world.last()), "who answers is called again"


async def test_everybody_with_a_gm_role_leads(world: World) -> None:
    await world.table()
    masters = world.guild.create_role("masters")
    mia = world.member("mia", masters)
    refusal_of(await mia.slash(world.zone, "gm settings"))
    added = await world.gina.slash(world.zone, "gm members", add_role=masters)
    assert f"Everybody with {masters.mention} is now GM of this table." in texts(world.last())
    private(added)
    private(await mia.slash(world.zone, "gm settings"))
    await world.propose(skill="Climbing")
    assert pings(world.newest("Answer"), world.env) == [world.gina.id, masters.id]
    await world.rule(who=mia, hidden=True, level="Legendary")
    message = world.card()
    assert "(22)" not in texts(message)
    assert "22 (Legendary)" in private(await world.press(mia, message, "React"))
    assert "Ask " in refusal_of(await world.ana.slash(world.zone, "gm settings"))
    assert masters.mention in refusal_of(await world.ana.slash(world.zone, "gm settings"))
    await world.gina.slash(world.zone, "gm members", remove_role=masters)
    refusal_of(await mia.slash(world.zone, "gm settings"))
    assert "(22)" not in private(await world.press(mia, message, "React"))


async def test_what_cannot_be_changed_says_why(world: World) -> None:
    await world.table()
    masters = world.guild.create_role("masters")
    robot = world.member("robot", bot=True)
    stranger = world.env.create_user("stranger")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"add": world.gina}, f"{world.gina.mention} is already GM of this table."),
        ({"remove": world.ana}, f"{world.ana.mention} isn't GM of this table by name."),
        ({"remove_role": masters}, f"{masters.mention} isn't one of this table's GM roles."),
        ({"add": world.ana, "remove": world.gina}, "One thing at a time"),
        ({"add": robot}, "Bots can't play."),
        ({"add": stranger}, "That person isn't on this server."),
        ({"add_role": world.guild.default_role}, "Everybody on the server has that role."),
    ]
    for options, expected in cases:
        assert expected in refusal_of(
            await world.gina.slash(world.zone, "gm members", **options)
        ), options
    assert (await world.state()).settings.gms == ("p1",)


async def test_a_gm_who_left_the_server_can_be_removed(world: World) -> None:
    await world.table()
    mia = world.member("mia")
    await world.gina.slash(world.zone, "gm members", add=mia)
    world.guild.remove_member(mia)
    removed = await world.gina.slash(world.zone, "gm members", remove=mia.user)
    private(removed)
    assert "is no longer GM" in texts(world.last())


async def test_every_gm_command_is_for_gms(world: World) -> None:
    await world.table()
    before = await world.revision()
    cases: list[tuple[str, dict[str, Any]]] = [
        ("gm members", {"add": world.ana}),
        ("gm settings", {}),
        ("gm settings", {"live": True}),
        ("gm channel", {}),
        ("gm channel", {"channel": world.zone}),
        ("gm undo", {}),
        ("gm undo", {"entry": 2, "dependents": True}),
    ]
    for command, options in cases:
        assert "Only the GM can do that." in refusal_of(
            await world.ana.slash(world.zone, command, **options)
        ), command
    assert await world.revision() == before


# --- taking over ----------------------------------------------------------------------------------


async def test_a_table_with_a_gm_is_not_taken_over(world: World) -> None:
    await world.table()
    managers = world.guild.create_role(
        "managers", permissions=discord.Permissions(manage_guild=True)
    )
    mia = world.member("mia", managers)
    assert "To take over a table you need permission to manage this server." in refusal_of(
        await world.ana.slash(world.zone, "gm takeover")
    )
    text = refusal_of(await mia.slash(world.zone, "gm takeover"))
    assert f"This table still has GMs here: {world.gina.mention}." in text
    masters = world.guild.create_role("masters")
    await world.gina.slash(world.zone, "gm members", add_role=masters)
    world.guild.remove_member(world.gina)
    text = refusal_of(await mia.slash(world.zone, "gm takeover"))
    assert masters.mention in text, "whoever manages the server can give themselves that role"
    assert (await world.state()).settings.gms == ("p1",)


async def test_an_orphaned_table_is_taken_over_in_public(world: World) -> None:
    await world.table()
    managers = world.guild.create_role(
        "managers", permissions=discord.Permissions(manage_guild=True)
    )
    mia = world.member("mia", managers)
    await world.propose(skill="Climbing")
    world.guild.remove_member(world.gina)
    taken = await mia.slash(world.zone, "gm takeover")
    assert f"{mia.mention} takes over as GM, because this table's GMs have left." in public(taken)
    await world.rule(who=mia)
    assert "## Marek, roll" in texts(world.card())
    assert "against 10" in texts(world.card())
    assert "This table still has GMs here" in refusal_of(await mia.slash(world.zone, "gm takeover"))


# --- taking back ----------------------------------------------------------------------------------


async def test_the_last_entry_is_taken_back_and_its_message_struck(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 3)
    assert "d10 (4) + d8 (3) + Fitness 1 = **8**" in texts(message)
    undone = await world.gina.slash(world.zone, "gm undo")
    text = private(undone)
    assert "Undone: Marek's roll" in text
    assert "The GM undid #6" not in text
    assert "The GM undid #6" in texts(world.messages()[-2])
    reopened = world.card()
    assert reopened.id == message.id, "the card of a check is one"
    assert "## Marek, roll" in texts(reopened)
    assert "against 10" in texts(reopened)
    assert "d10 (4)" not in texts(reopened)
    assert "#7" in texts(reopened)
    assert labels(reopened) == ["Roll", "React"]
    assert any("The GM undid #6" in texts(each) for each in world.messages())
    world.dice.lay(9, 8)
    await world.press(world.ana, reopened, "Roll")
    assert "d10 (9) + d8 (8) + Fitness 1 = **18**" in texts(world.card())


async def test_a_spend_is_taken_back_with_its_price(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    react = message_of(await world.press(world.ana, message, "React"))
    world.dice.lay(3)
    await world.press(world.ana, react, "Re-roll d8")
    assert (await world.state()).characters["k1"].sheet.fate == 2
    await world.gina.slash(world.zone, "gm undo")
    assert (await world.state()).characters["k1"].sheet.fate == 3
    assert "d10 (4) + d8 (1) + Fitness 1 = **6**" in texts(world.card())
    assert "React" in labels(world.card())


async def test_an_entry_is_taken_back_by_its_number(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm settings", reveal="all")
    await world.propose(skill="Climbing")
    private(await world.gina.slash(world.zone, "gm undo", entry=4))
    assert (await world.state()).settings.reveal == "verdict"
    assert (await world.check()).stage == "proposed"
    again = refusal_of(await world.gina.slash(world.zone, "gm undo", entry=4))
    assert "You can't undo #4" in again
    for entry in (1, 6, 999):
        assert f"You can't undo #{entry}" in refusal_of(
            await world.gina.slash(world.zone, "gm undo", entry=entry)
        )


async def test_what_builds_on_it_is_listed_and_taken_back_together(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    answer = await world.gina.slash(world.zone, "gm undo", entry=4)
    text = private(answer)
    assert "You can't undo #4 (Marek's check) alone. Later entries build on it:" in text
    assert "- #6 · Marek's roll" in text
    assert "- #5 · the GM's call for Marek's roll" in text
    assert "Nothing has changed." in text
    assert labels(message_of(answer)) == ["Undo all 3", "Correct it instead"]
    stolen = world.emit(world.ana, button(message_of(answer), "Undo all 3"))
    await world.env.settle()
    refusal_of(stolen)
    done = await world.press(world.gina, message_of(answer), "Undo all 3")
    assert "Undone: 3 steps" in private(done)
    assert "undid #4, #5 and #6" in texts(world.last())
    assert not (await world.state()).checks
    assert "Undone (#7)" in texts(world.card())
    for message in world.messages():
        assert "Roll" not in labels(message)
    again = await world.gina.slash(world.zone, "gm undo", entry=4, dependents=True)
    assert "You can't undo #4" in refusal_of(again)


async def test_what_an_earlier_undo_told_again_goes_with_the_check(world: World) -> None:
    await world.table()
    await world.answered()
    await world.gina.slash(world.zone, "gm undo")
    assert "Answer" in labels(world.last()), "the GM is called again"
    await world.gina.slash(world.zone, "gm undo")
    assert not (await world.state()).checks
    for message in world.messages():
        assert "Answer" not in labels(message)


async def bury_messages(world: World) -> None:
    """So much is said that nobody looks up any more to what stood there before."""
    for _ in range(12):
        await world.ben.slash(world.zone, "roll", dice="2d6")


async def test_where_an_undone_card_had_gone_on_the_link_to_it_stays(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    first = world.card()
    await bury_messages(world)
    await world.rule()
    await world.gina.slash(world.zone, "gm undo", entry=4, dependents=True)
    there = next(texts(each) for each in world.messages() if each.id == first.id)
    assert there.startswith("-# Continued below: [check c1]")
    assert "Undone (#" in texts(world.card())


async def test_a_card_that_an_earlier_undo_sent_is_marked_too(world: World) -> None:
    await world.table()
    await world.answered()
    await bury_messages(world)
    await world.gina.slash(world.zone, "gm undo", entry=5)
    await world.rule()
    world.dice.lay(5, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    await world.press(world.ana, world.card(), "Accept result")
    assert "Near miss" in texts(world.card())
    await world.gina.slash(world.zone, "gm undo", entry=4, dependents=True)
    card = texts(world.card())
    assert f"Undone (#{await world.revision()}): ✗ Near miss" in card and "d10 (5) + d8 (3)" in card


async def test_what_has_come_to_build_on_it_since_is_shown_before_it_is_taken_along(
    world: World,
) -> None:
    await world.table()
    await world.rolled(4, 3)
    asked = message_of(await world.gina.slash(world.zone, "gm undo", entry=4))
    before = await world.state()
    await world.press(world.ana, world.card(), "Accept result")
    await world.press(world.gina, asked, "Undo all 3")
    assert len((await world.state()).checks) == len(before.checks), "nobody has said so"
    assert "#7 · " in texts(asked) and labels(asked) == ["Undo all 4", "Correct it instead"]
    await world.press(world.gina, asked, "Undo all 4")
    assert not (await world.state()).checks


async def test_dependents_go_with_the_option_too(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    undone = await world.gina.slash(world.zone, "gm undo", entry=2, dependents=True)
    private(undone)
    assert "undid #2, #4, #5 and #6" in texts(world.last()), (
        "a check cannot stay without its character"
    )
    assert [each.name for each in (await world.state()).characters.values()] == ["Ilka"]


async def test_suggestions_for_undo_name_what_was_done(world: World) -> None:
    await world.table()
    await world.rolled(4, 3, hidden=True, level="Legendary")
    await world.gina.slash(world.zone, "gm undo")
    choices = await world.gina.autocomplete(world.zone, "gm undo", "entry", "")
    assert [choice["name"] for choice in choices] == [
        "#5 · the GM's call for Marek's roll",
        "#4 · Marek's check",
        "#3 · Ben imported a character",
        "#2 · Ana imported a character",
    ]
    found = await world.gina.autocomplete(world.zone, "gm undo", "entry", "ben")
    assert [choice["value"] for choice in found] == [3]
    assert await world.ana.autocomplete(world.zone, "gm undo", "entry", "") == []


async def test_players_take_back_their_own_last_step_if_it_gave_nothing_away(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    await world.propose(world.ben, skill="Climbing")
    undone = await world.ana.slash(world.zone, "table undo")
    private(undone)
    assert f"{world.ana.mention} undid #4" in texts(world.last())
    assert [each.id for each in (await world.state()).checks.values()] == ["c2"]
    await world.answered()
    await world.press(world.ana, world.newest("Roll"), "Roll")
    text = refusal_of(await world.ana.slash(world.zone, "table undo"))
    assert "rolled dice" in text
    assert "so only the GM can undo it, with /gm undo." in text
    await world.gina.slash(world.zone, "gm settings", player_undo=False)
    assert "Only the GM can do that." in refusal_of(await world.ben.slash(world.zone, "table undo"))


async def test_there_may_be_nothing_to_take_back(world: World) -> None:
    await world.setup()
    assert "You have nothing left to undo." in refusal_of(
        await world.gina.slash(world.zone, "gm undo")
    )
    await world.bring(world.gina, "Marek", owner=world.ana)
    assert "You have nothing left to undo." in refusal_of(
        await world.ana.slash(world.zone, "table undo")
    )


async def test_taking_back_a_private_check_tells_nobody_else(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", approach="poison", visibility="private")
    await world.gina.slash(world.zone, "gm undo")
    assert "poison" not in world.told(world.ben)
    assert any("Undone (#5)." in texts(each) for each in world.messages())
    assert not (await world.state()).checks


async def test_old_buttons_do_not_fit_a_check_that_came_back(world: World) -> None:
    await world.table()
    message = await world.answered()
    old = button(message, "Roll")
    world.dice.lay(4, 3)
    await world.press(world.ana, message, "Roll")
    await world.gina.slash(world.zone, "gm undo")
    late = world.emit(world.ana, old)
    await world.env.settle()
    assert "Use the buttons on the latest message" in refusal_of(late)
    assert (await world.check()).stage == "ready"
    await world.press(world.ana, world.card(), "Roll")
    assert (await world.check()).stage == "open"


# --- settings -------------------------------------------------------------------------------------


async def test_changed_settings_are_told_to_all(world: World) -> None:
    await world.table()
    changed = await world.gina.slash(
        world.zone, "gm settings", name="The Flood", live=True, answer_hours=36, step_in_minutes=0
    )
    assert private(changed) == "## Settings changed\n-# #4"
    text = texts(world.last())
    assert "Settings changed" in text
    assert "The table is called The Flood." in text
    assert "Players can set an open difficulty themselves and roll at once." in text
    assert "Answers are due in 1 day and 12 hours." in text
    assert "A result is final at once." in text
    assert "like that already" in refusal_of(
        await world.gina.slash(world.zone, "gm settings", live=True)
    )
    blank = refusal_of(await world.gina.slash(world.zone, "gm settings", name="   "))
    assert "A table's name has 1 to 80 characters" in blank


async def test_a_new_time_holds_for_what_waits_already(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    await world.gina.slash(world.zone, "gm settings", answer_hours=1)
    first = world.newest("Answer").id
    await world.env.advance_time(3700)
    assert "reminder:" in world.last().content
    assert pings(world.last(), world.env) == [world.gina.id]
    assert [each.id for each in world.messages() if "Answer" in labels(each)] == [world.last().id]
    assert world.last().id != first, "it takes the place of the call before it"
    await world.env.advance_time(2 * DAY)
    posted = world.requests("POST", f"/channels/{world.zone.id}/messages")
    reminders = [each for each in posted if "reminder:" in str(each.json)]
    assert len(reminders) == 3, "after 1, 2 and 4 hours"
