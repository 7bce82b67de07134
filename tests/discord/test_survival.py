"""Restarts, late and repeated presses, crowds, and a Discord that does not take what it is given."""

from __future__ import annotations

import json
from typing import Any

import pytest
from simcord.builders import ChannelHandle
from simcord.enums import InteractionType
from simcord.interactions import base_payload
from simcord.results import InteractionResult

from bot.storage.errors import Stale, StorageUnavailable, TableUnreadable
from tests.builders import ebb_character
from tests.discord.world import (
    DAY,
    World,
    button,
    chosen,
    labels,
    pings,
    private,
    public,
    refused,
    said,
    select,
    texts,
)

MISSED = "This could not be shown to you earlier"


def _count(world: World, text: str, room: ChannelHandle | None = None) -> int:
    """How many public messages say so."""
    return sum(text in texts(message) for message in world.messages(room))


# --- restarts -----------------------------------------------------------------------------------------------


async def test_a_check_goes_on_after_a_restart_between_any_two_steps(world: World) -> None:
    await world.table()
    await world.restart()
    proposal = said(await world.propose(skill="Climbing", attribute="Fitness"))
    await world.restart()
    panel = said(await world.press(world.gina, proposal, "Answer"))
    await world.restart()
    await world.choose(world.gina, panel, "Difficulty before shifts", "Tricky")
    await world.restart()
    await world.press(world.gina, panel, "Difficulty: open")
    await world.restart()
    await world.press(world.gina, panel, "Let them roll")
    await world.restart()
    react = said(await world.press(world.ana, world.newest("Roll"), "React"))
    await world.restart()
    world.dice.lay(4, 1)
    rolled = said(await world.press(world.ana, react, "Roll"))
    assert "4 + 1 + 1 = 6 against a hidden difficulty" in texts(rolled)
    await world.restart()
    react = said(await world.press(world.ana, rolled, "React"))
    await world.restart()
    world.dice.lay(8)
    spent = said(await world.press(world.ana, react, "Roll the d8 again for 1 Fate point (you have 3)"))
    await world.restart()
    react = said(await world.press(world.gina, spent, "React"))
    assert "4 + 8 + 1 = 13 against Tricky (10)" in texts(react)
    await world.restart()
    public(await world.press(world.gina, react, "Let it stand"))
    await world.restart()
    assert (await world.check()).status == "settled"
    assert len(world.messages()) == 8, "nothing was said twice"
    assert [labels(message) for message in world.messages()][3:] == [[], [], [], [], ["Details"]]
    private(await world.gina.slash(world.zone, "gm undo"))


async def test_buttons_two_restarts_old_act_or_say_what_to_do(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    answer, react = button(proposal, "Answer"), button(proposal, "React")
    await world.restart()
    await world.restart()
    panel = said(await world.press(world.gina, proposal, "Answer"))
    await world.restart()
    await world.restart()
    await world.choose(world.gina, panel, "Difficulty before shifts", "Easy")
    await world.press(world.gina, panel, "Let them roll")
    await world.restart()
    await world.restart()
    late = world.emit(world.gina, answer)
    await world.env.settle()
    assert "Use the buttons of its latest message" in refused(late)
    late = world.emit(world.ana, react)
    await world.env.settle()
    assert "Roll" in labels(said(late))


async def test_dialogues_are_taken_after_a_restart(world: World) -> None:
    await world.table()
    mine = said(await world.ana.slash(world.zone, "check"))
    describe = await world.press(world.ana, mine, "Describe…")
    await world.restart()
    assert "over the roof" in private(await world.ana.submit_modal(describe, {"approach": "over the roof"}))
    proposal = said(await world.press(world.ana, mine, "Propose to the GM"))
    panel = said(await world.press(world.gina, proposal, "Answer"))
    note, number, ask = (
        await world.press(world.gina, panel, "Note…"),
        await world.press(world.gina, panel, "Number…"),
        await world.press(world.gina, panel, "Ask back…"),
    )
    await world.restart()
    assert "hold on" in private(await world.gina.submit_modal(note, {"note": "hold on"}))
    assert "**14**" in private(await world.gina.submit_modal(number, {"difficulty": "14", "modifier": ""}))
    assert "hold on" in texts(panel)
    await world.restart()
    assert "which roof?" in private(await world.gina.submit_modal(ask, {"question": "which roof?"}))


async def test_a_panel_keeps_what_was_chosen_over_a_restart(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    await world.choose(world.ana, panel, "Ability", "Running")
    await world.restart()
    await world.choose(world.ana, panel, "Attribute", "Zone")
    assert chosen(panel, "Ability") == ["Running"]
    assert chosen(panel, "Attribute") == ["Zone"]


async def test_a_forgotten_panel_says_so(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    await world.env.advance_time(31 * DAY)
    await world.restart()
    assert "That panel is not there any more." in refused(await world.press(world.ana, panel, "Describe…"))
    late = world.emit(world.ana, select(panel, "Ability"), panel, ("Running",))
    await world.env.settle()
    assert "Open a new one with /check" in refused(late)


async def test_a_window_that_ended_while_the_bot_was_away_closes_at_its_start(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    count = len(world.messages())
    await world.bot.close()
    await world.env.advance_time(3 * DAY)
    await world.restart()
    await world.env.settle()
    assert (await world.check()).status == "settled"
    assert len(world.messages()) == count + 1


async def test_the_commands_are_registered_once(world: World) -> None:
    await world.table()
    puts = [request for request in world.env.http_requests if request.method == "PUT"]
    await world.restart()
    await world.restart()
    assert [request for request in world.env.http_requests if request.method == "PUT"] == puts
    assert len(puts) == 2, "those of every server, and those of this one"


# --- ids that mean nothing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "custom_id",
    [
        "sg",
        "sg:",
        "sg:nope:1",
        "sg:react",
        "sg:react:1",
        "sg:react:x:c1:1",
        "sg:react:1:c99:1",
        "sg:react:999:c1:1",
        "sg:roll:1:c1",
        "sg:roll:1:c1:one",
        "sg:do:1:c1:1",
        "sg:do:1:c1:1:explode",
        "sg:do:1:c1:1:spend",
        "sg:do:1:c1:1:spend:nothing",
        "sg:ans:1:c99:1",
        "sg:ap:none:roll",
        "sg:ap",
        "sg:pp:none:send",
        "sg:show:0",
        "sg:show:x",
        "sg:show:99999999999999999999",
        "sg:undo:1:x",
        "sg:gmch:77",
        "sg:nogm:x",
        "sg:askm:1:c1:1",
        "sg:" + "9" * 90,
    ],
)
async def test_an_unknown_control_is_answered_privately(world: World, custom_id: str) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    before = await world.revision()
    pressed = world.emit(world.gina, custom_id)
    await world.env.settle()
    text = refused(pressed)
    assert "fault in Storyguide" not in text
    assert await world.revision() == before


async def test_the_control_of_another_bot_is_left_alone(world: World) -> None:
    await world.table()
    for custom_id in ("other:1", "", "sgx:react:1:c1:1"):
        pressed = world.emit(world.gina, custom_id)
        await world.env.settle()
        assert not pressed.acknowledged


async def test_a_table_of_another_server_is_out_of_reach(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    guild = world.env.create_guild("Elsewhere")
    room = guild.create_text_channel("room")
    gina = guild.add_member(world.gina.user)
    record, payload = base_payload(
        world.env.backend,
        type=InteractionType.MESSAGE_COMPONENT,
        channel_id=room.id,
        guild_id=guild.id,
        user_id=gina.id,
        data={"custom_id": "sg:react:1:c1:1", "component_type": 2},
    )
    world.env.backend.emit("INTERACTION_CREATE", payload)
    await world.env.settle()
    text = refused(InteractionResult(world.env, record))
    assert "Marek" not in text


# --- crowds -------------------------------------------------------------------------------------------------


async def test_two_presses_of_roll_at_once_are_one_roll(world: World) -> None:
    await world.table()
    message = await world.answered()
    roll = button(message, "Roll")
    first, second = world.emit(world.ana, roll, message), world.emit(world.ana, roll, message)
    third = world.emit(world.ben, roll, message)
    await world.env.settle()
    assert " against Tricky (10)" in public(first)
    assert "Meanwhile the dice have been rolled." in refused(second)
    refused(third)
    assert _count(world, "The result stands <t:") == 1


async def test_two_answers_at_once_are_one_answer(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm members", add=world.ben)
    proposal = said(await world.propose(skill="Climbing"))
    panels = {who: said(await world.press(who, proposal, "Answer")) for who in (world.gina, world.ben)}
    results = [
        world.emit(world.gina, button(panels[world.gina], "Succeeds, no roll"), panels[world.gina]),
        world.emit(world.ben, button(panels[world.ben], "Cannot work"), panels[world.ben]),
    ]
    await world.env.settle()
    assert (await world.check()).answer == "free"
    assert "It succeeds" in private(results[0])
    assert "This has moved on" in refused(results[1])
    assert _count(world, "This cannot work") == 0


async def test_fate_is_spent_once_by_two_presses(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    react = said(await world.press(world.ana, message, "React"))
    again = button(react, "Roll the d8 again for 1 Fate point (you have 3)")
    results = [world.emit(world.ana, again, react) for _ in range(3)]
    settle = world.emit(world.gina, "sg:do:1:c1:3:settle", message)
    await world.env.settle()
    assert (await world.state()).characters["k1"].sheet.fate == 2
    assert "1 Fate point spent" in public(results[0])
    for late in (*results[1:], settle):
        refused(late)


async def test_a_panel_sent_by_two_presses_proposes_once(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    describe = await world.press(world.ana, panel, "Describe…")
    await world.ana.submit_modal(describe, {"approach": "over the roof"})
    send = button(panel, "Propose to the GM")
    results = [world.emit(world.ana, send, panel) for _ in range(2)]
    await world.env.settle()
    assert len((await world.state()).challenges) == 1
    assert "That proposal has been sent." in refused(results[1])


async def test_many_proposals_at_once_are_all_there_and_in_order(world: World) -> None:
    await world.table(live=True)
    moves = [
        world.emit_modal(world.gina, "sg:askm:1:c1:1", question="?"),  # nothing there yet: refused
    ]
    panels: list[Any] = []
    for who in (world.ana, world.ben):
        panel = said(await who.slash(world.zone, "check"))
        await who.submit_modal(await world.press(who, panel, "Describe…"), {"approach": f"by {who.name}"})
        panels.append((who, panel))
    results = [world.emit(who, button(panel, "Propose to the GM"), panel) for who, panel in panels]
    await world.env.settle()
    refused(moves[0])
    assert "by ana" in public(results[0])
    assert "by ben" in public(results[1])
    assert sorted(each.approach for each in (await world.state()).challenges.values()) == ["by ana", "by ben"]


# --- the gateway says it twice ------------------------------------------------------------------------------


async def test_the_same_interaction_twice_changes_nothing_more(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    before, requests = await world.revision(), len(world.messages())
    await world.again()
    await world.again()
    assert await world.revision() == before
    assert len(world.messages()) == requests
    await world.answer(proposal)
    count = len(world.messages())
    await world.again()
    await world.again()
    assert len(world.messages()) == count
    assert labels(world.messages()[3]) == [], "the message of the proposal is still known, and was changed"
    world.dice.lay(4, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    count = len(world.messages())
    await world.again()
    assert (await world.check()).revision == 3
    assert len(world.messages()) == count
    await world.restart()
    await world.again()
    assert len(world.messages()) == count
    await world.gina.slash(world.zone, "gm undo")
    await world.again()
    assert "**Taken back" in texts(world.messages()[5])
    assert _count(world, "has taken back entry") == 1


async def test_both_deliveries_at_the_same_moment(world: World) -> None:
    await world.table()
    message = await world.answered()
    rolled = world.emit(world.ana, button(message, "Roll"), message)
    payload = [load for kind, name, load in world.env.backend.transcript if name == "INTERACTION_CREATE"][-1]
    world.env.backend.emit("INTERACTION_CREATE", payload)
    await world.env.settle()
    assert " against Tricky (10)" in public(rolled)
    assert (await world.check()).revision == 3
    assert _count(world, "The result stands <t:") == 1


# --- a Discord that does not take it ------------------------------------------------------------------------


async def test_a_public_result_that_came_too_late_is_posted_once(world: World) -> None:
    await world.table()
    world.env.inject_error("POST", "/interactions/*", status=404, code=10062, message="Unknown interaction")
    proposal = await world.propose(skill="Climbing")
    assert proposal.response is None
    message = world.last()
    assert "**Proposal.** Waiting for the GM's answer." in texts(message)
    assert pings(message, world.env) == [world.gina.id]
    assert _count(world, "Waiting for the GM's answer.") == 1
    await world.restart()
    assert _count(world, "Waiting for the GM's answer.") == 1
    await world.answer(message)
    assert labels(next(each for each in world.messages() if each.id == message.id)) == []


async def test_a_private_result_that_came_too_late_opens_the_next_answer(world: World) -> None:
    await world.table()
    world.env.inject_error("POST", "/interactions/*", status=404, code=10062, message="Unknown interaction")
    lost = await world.propose(skill="Climbing", visibility="private", approach="poison")
    assert lost.response is None
    assert _count(world, "poison") == 0
    text = private(await world.ana.slash(world.zone, "table plain", on=False))
    assert MISSED in text
    assert "poison" in text
    again = await world.ana.slash(world.zone, "table plain", on=True)
    assert MISSED not in private(again)
    assert "poison" not in world.told(world.ben)


async def test_what_was_missed_is_told_by_table_last_and_moves_too(world: World) -> None:
    for command in ("table last", "moves"):
        place = world.zone if command == "moves" else world.guild.create_text_channel("two")
        await world.gina.slash(place, "setup", system="ebb", gm_channel=world.gm_room)
        file = ("m.json", json.dumps(ebb_character("Marek")).encode())
        await world.ana.slash(place, "character import", file=file)
        world.env.inject_error("POST", "/interactions/*", status=404, code=10062)
        await world.ana.slash(place, "check", skill="Climbing", approach="poison", visibility="private")
        result = await world.ana.slash(place, command)
        assert MISSED in private(result), command
        assert MISSED not in private(await world.ana.slash(place, command)), command


async def test_whoever_repeats_a_command_without_an_answer_gets_the_first_result(world: World) -> None:
    await world.table(live=True)
    await world.bring(world.gina, "Sidor", npc=True)
    options = {"skill": "Climbing", "difficulty": "Tricky", "visibility": "private", "as": "Sidor"}
    world.env.inject_error("POST", "/interactions/*", status=404, code=10062)
    world.dice.lay(7, 7)
    await world.propose(world.gina, **options)
    world.dice.lay(1, 1)
    again = await world.propose(world.gina, **options)
    assert "7 + 7 = 14 against Tricky (10)" in private(again)
    assert world.dice.left == 2, "nothing was rolled anew"
    assert len((await world.state()).challenges) == 1
    third = await world.propose(world.gina, **options)
    assert "Fumble" in private(third), "that is a new roll"


async def test_a_missed_result_survives_a_restart(world: World) -> None:
    await world.table()
    world.env.inject_error("POST", "/interactions/*", status=404, code=10062)
    await world.propose(skill="Climbing", visibility="private", approach="poison")
    await world.restart()
    await world.restart()
    text = private(await world.ana.slash(world.zone, "moves"))
    assert MISSED in text
    assert "poison" in text
    assert _count(world, "poison") == 0


async def test_a_refusal_that_came_too_late_breaks_nothing(world: World) -> None:
    await world.table()
    world.env.inject_error("POST", "/interactions/*", status=404, code=10062)
    lost = await world.propose(skill="Climbin_")
    assert lost.response is None
    assert _count(world, "no ability") == 0
    world.env.inject_error("POST", "/interactions/*", status=404, code=10062)
    await world.ana.slash(world.zone, "help")
    world.env.inject_error("POST", "/interactions/*", status=500)
    await world.ana.slash(world.zone, "table show")
    private(await world.ana.slash(world.zone, "table show"))


async def test_a_channel_the_bot_may_not_write_in_is_tried_again_at_the_next_start(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    world.env.inject_error(
        "POST", f"/channels/{world.zone.id}/messages", status=403, code=50013, message="Missing Permissions"
    )
    answered = await world.answer(proposal)
    assert "Roll against Tricky (10)" in private(answered)
    assert _count(world, "Roll against Tricky (10)") == 0
    assert "Roll · c1" in labels(said(await world.ana.slash(world.zone, "moves"))), (
        "play goes on all the same"
    )
    await world.env.advance_time(600)
    assert _count(world, "Roll against Tricky (10)") == 0
    await world.restart()
    assert _count(world, "Roll against Tricky (10)") == 1
    assert pings(world.last(), world.env) == [world.ana.id]
    await world.restart()
    assert _count(world, "Roll against Tricky (10)") == 1


async def test_trouble_at_discord_is_tried_again_after_a_while(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    world.env.settle_timeout = 1.0
    world.env.inject_error("POST", f"/channels/{world.zone.id}/messages", status=500, times=2)
    await world.answer(proposal)
    assert _count(world, "Roll against Tricky (10)") == 0
    await world.env.advance_time(3)
    assert _count(world, "Roll against Tricky (10)") == 0, "the second try failed as well"
    await world.env.advance_time(20)
    assert _count(world, "Roll against Tricky (10)") == 1
    await world.env.advance_time(2000)
    assert _count(world, "Roll against Tricky (10)") == 1
    world.dice.lay(9, 5)
    public(await world.press(world.ana, world.last(), "Roll"))


async def test_a_stub_that_could_not_be_posted_is_told_at_the_next_answer(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", visibility="private", approach="poison")
    shown = said(await world.press(world.gina, world.newest("Show"), "Show"))
    world.env.inject_error("POST", f"/channels/{world.zone.id}/messages", status=403, code=50013)
    await world.answer(shown)
    assert labels(world.last()) == []
    text = private(await world.ana.slash(world.zone, "moves"))
    assert "Roll · c1" in text
    assert MISSED in text
    await world.restart()
    assert "Show" not in labels(world.last()), "it has been told"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (StorageUnavailable("full", "x"), "There is no room left to save"),
        (StorageUnavailable("locked", "x"), "The database is busy"),
        (StorageUnavailable("damaged", "x"), "The database is damaged"),
        (TableUnreadable(1, "settings", "newer"), "This table is from a later version"),
        (Stale(), "Somebody was faster"),
    ],
)
async def test_trouble_with_the_storage_is_told_privately(
    world: World, monkeypatch: pytest.MonkeyPatch, error: Exception, expected: str
) -> None:
    await world.table()

    async def fail(*args: Any) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("bot.ui.context.perform", fail)
        answer = await world.propose(skill="Climbing")
    assert expected in private(answer)
    assert len(world.messages()) == 3
    public(await world.propose(skill="Climbing"))


async def test_an_archived_thread_is_opened_to_write_in(world: World) -> None:
    await world.table()
    thread = world.thread()
    proposal = await world.ana.slash(thread, "check", skill="Climbing", approach="on all fours")
    shown = said(proposal)
    world.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
    world.env.inject_error("POST", f"/channels/{thread.id}/messages", status=400, code=50083)
    panel = said(await world.press(world.gina, shown, "Answer"))
    await world.choose(world.gina, panel, "Difficulty before shifts", "Tricky")
    world.env.inject_error("PATCH", f"/channels/{thread.id}/messages/*", status=400, code=50083)
    await world.press(world.gina, panel, "Let them roll")
    assert _count(world, "Roll against Tricky (10)", thread) == 1
    opened = world.requests("PATCH", f"/channels/{thread.id}")
    assert any((request.json or {}).get("archived") is False for request in opened)
    assert labels(world.messages(thread)[0]) == [], "the old message was changed as well"


async def test_a_message_that_somebody_deleted_is_missed_by_nobody(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    panel = said(await world.press(world.gina, proposal, "Answer"))
    world.env.backend.delete_message(world.zone.id, proposal.id)
    await world.choose(world.gina, panel, "Difficulty before shifts", "Tricky")
    await world.press(world.gina, panel, "Let them roll")
    assert "Roll against Tricky (10)" in texts(world.last())
    world.dice.lay(4, 3)
    await world.press(world.ana, world.last(), "Roll")
    private(await world.gina.slash(world.zone, "gm undo", entry=4, dependents=True))
    assert (await world.state()).challenges == {}


async def test_edits_that_fail_for_a_while_are_made_later(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    world.env.settle_timeout = 1.0
    world.env.inject_error("PATCH", f"/channels/{world.zone.id}/messages/*", status=503)
    await world.answer(proposal)
    assert labels(world.messages()[3]) == ["Answer", "React"]
    await world.env.advance_time(5)
    assert labels(world.messages()[3]) == []


async def test_edits_never_call_anybody(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 3)
    before = {each.id: pings(each, world.env) for each in world.messages()}
    await world.gina.slash(world.zone, "gm undo")
    await world.env.advance_time(3 * DAY)
    for request in world.requests("PATCH", "/channels"):
        mentions = (request.json or {}).get("allowed_mentions")
        assert mentions is not None and not any(mentions.get(kind) for kind in ("parse", "users", "roles"))
        assert (request.json or {}).get("content") is None
    after = {each.id: pings(each, world.env) for each in world.messages()}
    assert message.id in before
    for known, called in before.items():
        assert after[known] in (called, []), "an edit adds nobody"
