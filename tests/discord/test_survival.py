"""Restarts, late and repeated presses, crowds, and a Discord that does not take what it is
given.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any, Final

import pytest
from simcord.builders import ChannelHandle
from simcord.enums import InteractionType
from simcord.interactions import base_payload
from simcord.results import InteractionResult

from bot.storage.errors import StaleTable, StorageUnavailable, TableUnreadable
from tests.discord.world import (
    DAY,
    World,
    button,
    is_layout,
    labels,
    make_bot,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    select,
    selected_values,
    texts,
)
from tests.sample_table import ebb_character

MISSED = "You missed this"
#: How Ana is called to roll.
CALLED = ">, Marek, roll"


def _count(world: World, text: str, room: ChannelHandle | None = None) -> int:
    """How many public messages say so."""
    return sum(text in texts(message) for message in world.messages(room))


# --- restarts -------------------------------------------------------------------------------------


async def test_a_check_goes_on_after_a_restart_between_any_two_steps(world: World) -> None:
    await world.table()
    await world.restart()
    await world.propose(skill="Climbing", attribute="Fitness")
    await world.restart()
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.restart()
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    await world.restart()
    await world.choose(world.gina, panel, "All the rest", "hidden")
    await world.restart()
    await world.press(world.gina, panel, "Call for a roll")
    await world.restart()
    world.dice.lay(4, 1)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "d10 (4) + d8 (1) + Fitness 1 = **6**" in texts(world.card())
    assert "against a hidden difficulty" in texts(world.card())
    await world.restart()
    react = message_of(await world.press(world.ana, world.card(), "React"))
    await world.restart()
    world.dice.lay(8)
    await world.press(world.ana, react, "Re-roll d8")
    await world.restart()
    react = message_of(await world.press(world.gina, world.card(), "React"))
    assert "d8 (1→8) + Fitness 1 = **13**" in texts(react)
    assert "against 10" in texts(react)
    assert "Tricky" not in texts(world.card())
    await world.restart()
    private(await world.press(world.gina, react, "Accept result"))
    await world.restart()
    assert not (await world.check()).is_open
    assert len(world.messages()) == 4, "one card, and nobody is called any more"
    assert [labels(message) for message in world.messages()][3:] == [["Step in"]]
    private(await world.gina.slash(world.zone, "gm undo"))


async def test_buttons_two_restarts_old_act_or_say_what_to_do(world: World) -> None:
    await world.table()
    proposal = message_of(await world.propose(skill="Climbing"))
    call, revise = world.newest("Answer"), button(proposal, "Edit")
    answer, react = button(call, "Answer"), "sg:chk:1:c1"
    await world.restart()
    await world.restart()
    panel = message_of(await world.press(world.gina, call, "Answer"))
    await world.restart()
    await world.restart()
    await world.choose(world.gina, panel, "Difficulty", "Easy")
    await world.press(world.gina, panel, "Call for a roll")
    await world.restart()
    await world.restart()
    for who, old in ((world.gina, answer), (world.ana, revise)):
        late = world.emit(who, old)
        await world.env.settle()
        assert "Use the buttons on the latest message" in refusal_of(late)
    late = world.emit(world.ana, react)
    await world.env.settle()
    assert labels(message_of(late)) == ["Roll", "Withdraw"]
    world.dice.lay(4, 3)
    await world.press(world.ana, proposal, "Roll")
    assert "## ✓ Success so far" in texts(world.card())


async def test_dialogs_are_taken_after_a_restart(world: World) -> None:
    await world.table()
    mine = message_of(await world.ana.slash(world.zone, "check"))
    describe = await world.press(world.ana, mine, "Write…")
    await world.restart()
    assert "over the roof" in private(
        await world.ana.submit_modal(describe, {"approach": "over the roof"})
    )
    await world.press(world.ana, mine, "Send")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    write = await world.press(world.gina, panel, "Write…")
    await world.restart()
    typed = private(await world.gina.submit_modal(write, {"note": "hold on", "difficulty": "14"}))
    assert "hold on" in typed
    assert "14" in typed
    await world.restart()
    ask = await world.press(world.gina, panel, "Ask…")
    await world.restart()
    assert "Question sent" in private(
        await world.gina.submit_modal(ask, {"question": "which roof?"})
    )
    assert "which roof?" in texts(world.card())


async def test_a_panel_keeps_what_was_chosen_over_a_restart(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await world.choose(world.ana, panel, "Skill", "Running")
    await world.restart()
    await world.choose(world.ana, panel, "Attribute", "Zone")
    assert selected_values(panel, "Skill") == ["Running"]
    assert selected_values(panel, "Attribute") == ["Zone"]


async def test_a_forgotten_panel_says_so(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await world.env.advance_time(31 * DAY)
    await world.restart()
    assert "That panel is gone." in refusal_of(await world.press(world.ana, panel, "Write…"))
    late = world.emit(world.ana, select(panel, "Skill"), panel, ("Running",))
    await world.env.settle()
    assert "Open a new one with the same command" in refusal_of(late)


async def test_a_window_that_ended_while_the_bot_was_away_closes_at_its_start(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    count = len(world.messages())
    await world.bot.close()
    await world.env.advance_time(3 * DAY)
    await world.restart()
    await world.env.settle()
    assert not (await world.check()).is_open
    assert "-# Final. Step in until <t:" in texts(world.card())
    assert labels(world.card()) == ["Step in"]
    assert len(world.messages()) == count + 1, (
        "its card says so, where it stood is a link, and nobody is called"
    )


async def test_the_commands_are_registered_once(world: World) -> None:
    await world.table()
    puts = [request for request in world.env.http_requests if request.method == "PUT"]
    await world.restart()
    await world.restart()
    assert [request for request in world.env.http_requests if request.method == "PUT"] == puts
    assert len(puts) == 2, "those of every server, and those of this one"


# --- ids that mean nothing ------------------------------------------------------------------------


UNKNOWN_CONTROLS: Final = (
    "sg",
    "sg:",
    "sg:nope:1",
    "sg:chk",
    "sg:chk:1",
    "sg:chk:x:c1",
    "sg:chk:1:c99",
    "sg:chk:999:c1",
    "sg:chq:1:c1",
    "sg:chq:1:c1.one:rule",
    "sg:chq:1:c99.1:rule",
    "sg:chq:1:c1.1:nothing",
    "sg:cho:1:c1.1",
    "sg:cho:1:c1.1:rule:-",
    "sg:cho:1:c1.1:rule:-:explode",
    "sg:cho:1:c1.one:rule:-:roll",
    "sg:cho:1:c1.1:nothing:-:roll",
    "sg:chm:1:c1.1:rule:-:x",
    "sg:fm:ch:none:b:roll",
    "sg:fm:none",
    "sg:fm",
    "sg:show:0",
    "sg:show:x",
    "sg:show:99999999999999999999",
    "sg:undo:1:x",
    "sg:gmch:77",
    "sg:nogm:x",
    "sg:" + "9" * 90,
)


async def test_an_unknown_control_is_answered_privately(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    before = await world.revision()
    for custom_id in UNKNOWN_CONTROLS:
        pressed = world.emit(world.gina, custom_id)
        await world.env.settle()
        text = refusal_of(pressed)
        assert "fault in Storyguide" not in text, custom_id
        assert await world.revision() == before


async def test_the_control_of_another_bot_is_left_alone(world: World) -> None:
    await world.table()
    for custom_id in ("other:1", "", "sgx:chk:1:c1"):
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
        data={"custom_id": "sg:chk:1:c1", "component_type": 2},
    )
    world.env.backend.emit("INTERACTION_CREATE", payload)
    await world.env.settle()
    text = refusal_of(InteractionResult(world.env, record))
    assert "Marek" not in text


# --- crowds ---------------------------------------------------------------------------------------


async def test_two_presses_of_roll_at_once_are_one_roll(world: World) -> None:
    await world.table()
    message = await world.answered()
    roll = button(message, "Roll")
    first, second = world.emit(world.ana, roll, message), world.emit(world.ana, roll, message)
    third = world.emit(world.ben, roll, message)
    await world.env.settle()
    assert not first.followups
    assert "That has moved on" in refusal_of(second)
    refusal_of(third)
    assert _count(world, ". Final <t:") == 1
    assert (await world.check()).data.is_rolled
    assert (await world.revision()) == 6, "one roll"


async def test_two_answers_at_once_are_one_answer(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm members", add=world.ben)
    await world.propose(skill="Climbing")
    panels = {
        who: message_of(await world.press(who, world.newest("Answer"), "Answer"))
        for who in (world.gina, world.ben)
    }
    await world.press(world.gina, panels[world.gina], "Grant success…")
    await world.press(world.ben, panels[world.ben], "Impossible…")
    results = [
        world.emit(world.gina, button(panels[world.gina], "Grant success"), panels[world.gina]),
        world.emit(world.ben, button(panels[world.ben], "Impossible"), panels[world.ben]),
    ]
    await world.env.settle()
    assert (await world.check()).data.answer == "free"
    assert "You granted success" in private(results[0])
    assert "It succeeds" in texts(world.card())
    assert "That has moved on" in refusal_of(results[1])
    assert _count(world, "This is impossible") == 0


async def test_fate_is_spent_once_by_two_presses(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 1)
    react = message_of(await world.press(world.ana, message, "React"))
    again = button(react, "Re-roll d8")
    theirs = message_of(await world.press(world.gina, message, "React"))
    results = [world.emit(world.ana, again, react) for _ in range(3)]
    settle = world.emit(world.gina, button(theirs, "Accept result"), theirs)
    await world.env.settle()
    assert (await world.state()).characters["k1"].sheet.fate == 2
    # One panel answers all of them: it shows what came of the last.
    for each in results:
        told = private(each)
        assert "1 Fate point spent" in told or "That has moved on" in told
    private(settle)


async def test_a_panel_sent_by_two_presses_proposes_once(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    describe = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(describe, {"approach": "over the roof"})
    send = button(panel, "Send")
    results = [world.emit(world.ana, send, panel) for _ in range(2)]
    await world.env.settle()
    assert len((await world.state()).checks) == 1
    assert "That panel is gone." in refusal_of(results[1])


async def test_many_proposals_at_once_are_all_there_and_in_order(world: World) -> None:
    await world.table(live=True)
    early = world.emit(world.gina, "sg:chq:1:c1.1:rule")  # nothing there yet: refused
    panels: list[Any] = []
    for who in (world.ana, world.ben):
        panel = message_of(await who.slash(world.zone, "check"))
        await who.submit_modal(
            await world.press(who, panel, "Write…"), {"approach": f"by {who.name}"}
        )
        panels.append((who, panel))
    results = [world.emit(who, button(panel, "Send"), panel) for who, panel in panels]
    await world.env.settle()
    refusal_of(early)
    assert not any(result.followups for result in results)
    assert "by ana" in texts(world.card("c1"))
    assert "by ben" in texts(world.card("c2"))
    assert len((await world.state()).checks) == 2


# --- the gateway says it twice --------------------------------------------------------------------


async def test_the_same_interaction_twice_changes_nothing_more(world: World) -> None:
    await world.table()
    proposal = message_of(await world.propose(skill="Climbing"))
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
    assert labels(world.messages()[3])[:1] == ["Roll"], "the card is still known, and was changed"
    world.dice.lay(4, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    count = len(world.messages())
    await world.again()
    assert await world.revision() == 6
    assert len(world.messages()) == count
    await world.restart()
    await world.again()
    assert len(world.messages()) == count
    await world.gina.slash(world.zone, "gm undo")
    await world.again()
    assert labels(world.card())[:1] == ["Roll"], "the card stands as before the dice"
    assert _count(world, " undid #") == 1


async def test_both_deliveries_at_the_same_moment(world: World) -> None:
    await world.table()
    message = await world.answered()
    rolled = world.emit(world.ana, button(message, "Roll"), message)
    payload = [
        load for kind, name, load in world.env.backend.transcript if name == "INTERACTION_CREATE"
    ][-1]
    world.env.backend.emit("INTERACTION_CREATE", payload)
    await world.env.settle()
    assert not rolled.followups
    assert await world.revision() == 6
    assert _count(world, ". Final <t:") == 1


# --- a Discord that does not take it --------------------------------------------------------------


async def test_a_public_result_that_came_too_late_is_posted_once(world: World) -> None:
    await world.table()
    world.env.inject_error(
        "POST", "/interactions/*", status=404, code=10062, message="Unknown interaction"
    )
    proposal = await world.propose(skill="Climbing")
    assert proposal.response is None
    message, call = world.card(), world.newest("Answer")
    assert "## Waiting for the GM" in texts(message)
    assert pings(call, world.env) == [world.gina.id]
    assert (_count(world, "Waiting for the GM"), _count(world, "your call on Marek")) == (1, 1)
    await world.restart()
    assert (_count(world, "Waiting for the GM"), _count(world, "your call on Marek")) == (1, 1)
    told = private(await world.ana.slash(world.zone, "table plain", on=False))
    assert MISSED not in told, "the check's message shows it"
    await world.rule()
    changed = next(each for each in world.messages() if each.id == message.id)
    assert "## Marek, roll" in texts(changed)


async def test_a_private_result_that_came_too_late_opens_the_next_answer(world: World) -> None:
    await world.table()
    world.env.inject_error(
        "POST", "/interactions/*", status=404, code=10062, message="Unknown interaction"
    )
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
        await world.gina.slash(place, "setup", game="ebb", gm_channel=world.gm_room)
        file = ("m.json", json.dumps(ebb_character("Marek")).encode())
        await world.ana.slash(place, "character import", file=file)
        world.env.inject_error("POST", "/interactions/*", status=404, code=10062)
        await world.ana.slash(
            place, "check", skill="Climbing", approach="poison", visibility="private"
        )
        result = await world.ana.slash(place, command)
        assert MISSED in private(result), command
        assert MISSED not in private(await world.ana.slash(place, command)), command


async def test_whoever_repeats_a_command_without_an_answer_gets_the_first_result(
    world: World,
) -> None:
    await world.table(live=True)
    await world.bring(world.gina, "Sidor", npc=True)
    options = {"skill": "Climbing", "difficulty": "Tricky", "visibility": "private", "as": "Sidor"}
    world.env.inject_error("POST", "/interactions/*", status=404, code=10062)
    world.dice.lay(7, 7)
    await world.propose(world.gina, **options)
    world.dice.lay(1, 1)
    again = await world.propose(world.gina, **options)
    assert "d10 (7) + d8 (7) = **14**" in private(again)
    assert world.dice.left == 2, "nothing was rolled anew"
    assert len((await world.state()).checks) == 1
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


async def test_a_channel_the_bot_may_not_write_in_is_tried_again_at_the_next_start(
    world: World,
) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    world.env.inject_error(
        "POST",
        f"/channels/{world.zone.id}/messages",
        status=403,
        code=50013,
        message="Missing Permissions",
    )
    answered = await world.rule()
    private(answered)
    assert "10 (Tricky)" in texts(world.card())
    assert _count(world, CALLED) == 0
    assert "c1 · Marek, Climbing d8 (veteran): Roll" in private(
        await world.ana.slash(world.zone, "moves")
    ), "play goes on all the same"
    await world.env.advance_time(600)
    assert _count(world, CALLED) == 0
    await world.restart()
    assert _count(world, CALLED) == 1
    assert pings(world.last(), world.env) == [world.ana.id]
    await world.restart()
    assert _count(world, CALLED) == 1


async def test_trouble_at_discord_is_tried_again_after_a_while(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    world.env.settle_timeout = 1.0
    world.env.inject_error("POST", f"/channels/{world.zone.id}/messages", status=500, times=2)
    await world.rule()
    assert _count(world, CALLED) == 0
    await world.env.advance_time(3)
    assert _count(world, CALLED) == 0, "the second try failed as well"
    await world.env.advance_time(20)
    assert _count(world, CALLED) == 1
    await world.env.advance_time(2000)
    assert _count(world, CALLED) == 1
    world.dice.lay(9, 5)
    await world.press(world.ana, world.last(), "Roll")
    assert "d10 (9) + d8 (5) = **14**" in texts(world.card())


async def test_a_stub_that_could_not_be_posted_is_told_at_the_next_answer(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", visibility="private", approach="poison")
    shown = message_of(await world.press(world.gina, world.newest("Show"), "Show"))
    world.env.inject_error("POST", f"/channels/{world.zone.id}/messages", status=403, code=50013)
    await world.rule(shown)
    assert "Show" not in labels(world.last())
    text = private(await world.ana.slash(world.zone, "moves"))
    assert "h1 · Marek, Climbing d8 (veteran): Roll" in text
    assert MISSED in text
    await world.restart()
    assert "Show" not in labels(world.last()), "it has been told"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (StorageUnavailable("full", "x"), "No room left to save"),
        (StorageUnavailable("locked", "x"), "The database is busy"),
        (StorageUnavailable("damaged", "x"), "The database is damaged"),
        (TableUnreadable(1, "settings", "newer"), "This table is from a later version"),
        (StaleTable(), "Somebody was faster"),
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


async def test_a_bot_that_lost_its_share_answers_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()

    async def lose(*args: Any) -> Any:
        world.bot.leave_share()
        raise StorageUnavailable("unreachable", "x")

    monkeypatch.setattr("bot.ui.context.perform", lose)
    asked = len(world.env.http_requests)
    await world.propose(skill="Climbing")
    await world.ana.slash(world.zone, "moves")
    assert world.bot.share_lost.is_set()
    assert len(world.env.http_requests) == asked


async def test_an_archived_thread_is_opened_to_write_in(world: World) -> None:
    await world.table()
    thread = world.thread()
    proposal = await world.ana.slash(thread, "check", skill="Climbing", approach="on all fours")
    shown = message_of(proposal)
    world.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
    world.env.inject_error("POST", f"/channels/{thread.id}/messages", status=400, code=50083)
    panel = message_of(await world.press(world.gina, world.newest("Answer", thread), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    world.env.inject_error("PATCH", f"/channels/{thread.id}/messages/*", status=400, code=50083)
    await world.press(world.gina, panel, "Call for a roll")
    assert _count(world, CALLED, thread) == 1
    opened = world.requests("PATCH", f"/channels/{thread.id}")
    assert any((request.json or {}).get("archived") is False for request in opened)
    assert "## Marek, roll" in texts(
        next(each for each in world.messages(thread) if each.id == shown.id)
    )


async def test_a_message_that_somebody_deleted_is_missed_by_nobody(world: World) -> None:
    await world.table()
    proposal = message_of(await world.propose(skill="Climbing"))
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.env.backend.delete_message(world.zone.id, proposal.id)
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    await world.press(world.gina, panel, "Call for a roll")
    assert CALLED in texts(world.last())
    world.dice.lay(4, 3)
    await world.press(world.ana, world.last(), "Roll")
    private(await world.gina.slash(world.zone, "gm undo", entry=4, dependents=True))
    assert (await world.state()).checks == {}


async def test_edits_that_fail_for_a_while_are_made_later(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    world.env.settle_timeout = 1.0
    # Once more when the call to roll has got through.
    path = f"/channels/{world.zone.id}/messages/*"
    world.env.inject_error("PATCH", path, status=503, times=2)
    await world.rule()
    assert "## Waiting for the GM" in texts(world.messages()[3])
    await world.env.advance_time(5)
    assert "## Marek, roll" in texts(world.messages()[3])


async def test_edits_never_call_anybody(world: World) -> None:
    await world.table()
    message = await world.rolled(4, 3)
    before = {each.id: pings(each, world.env) for each in world.messages()}
    await world.gina.slash(world.zone, "gm undo")
    await world.env.advance_time(3 * DAY)
    for request in world.requests("PATCH", "/channels"):
        mentions = (request.json or {}).get("allowed_mentions")
        assert mentions is not None and not any(
            mentions.get(kind) for kind in ("parse", "users", "roles")
        )
        assert (request.json or {}).get("content") is None
    after = {each.id: pings(each, world.env) for each in world.messages()}
    assert message.id in before
    for known, called in before.items():
        assert after[known] in (called, []), "an edit adds nobody"


# --- what was not noted when the process ended ----------------------------------------------------


async def _restarted_after(world: World, sql: str) -> None:
    """Another bot on the same file, in which something is otherwise than the last one left it."""
    await world.bot.close()
    with closing(sqlite3.connect(world.path)) as connection:
        assert connection.execute(sql).rowcount == 1
        connection.commit()
    await world.env.restart_bot(make_bot(world.path))
    await world.env.settle()


_OPEN = (
    "UPDATE outbox SET done_at = NULL, message = NULL WHERE id = (SELECT {} FROM "
    "outbox WHERE kind = '{}')"
)


async def test_an_earlier_step_is_not_drawn_over_a_later_one(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    before = [texts(message) for message in world.messages()]
    await _restarted_after(world, _OPEN.format("MIN(id)", "card"))
    assert [texts(message) for message in world.messages()] == before


async def test_an_undo_that_was_not_told_leaves_the_card_as_it_came_back(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    await world.gina.slash(world.zone, "gm undo")
    before = texts(world.card())
    await _restarted_after(world, _OPEN.format("MAX(id)", "card"))
    await _restarted_after(world, _OPEN.format("MAX(id)", "mark"))
    assert texts(world.card()) == before


async def test_a_call_that_was_left_behind_goes_with_the_next_start(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    with monkeypatch.context() as patch:

        async def nothing(*_: object) -> None:
            """As if the process ended here."""

        patch.setattr("bot.delivery.check_messages.CheckMessages._dismiss", nothing)
        patch.setattr("bot.delivery.check_messages.CheckMessages.call", nothing)
        await world.rule()
        assert any("Answer" in labels(message) for message in world.messages())
    await _restarted_after(world, _OPEN.format("MAX(id)", "card"))
    assert not any("Answer" in labels(message) for message in world.messages())
    assert (
        sum("Roll" in labels(message) and is_layout(message) for message in world.messages()) == 1
    )


async def test_nobody_is_called_late_to_what_they_have_answered(world: World) -> None:
    await world.table()
    await world.answered()
    before = [message.id for message in world.messages()]
    await _restarted_after(world, _OPEN.format("MIN(id)", "call"))
    assert [message.id for message in world.messages()] == before


async def test_the_call_beside_a_card_is_made_up_for(world: World) -> None:
    await world.table(gm_channel=True)
    await world.propose(skill="Climbing", visibility="private")
    card, call = world.messages(world.gm_room)
    assert is_layout(card) and not is_layout(call)
    await call.delete()
    await _restarted_after(world, _OPEN.format("MAX(id)", "post"))
    there, again = world.messages(world.gm_room)
    assert (there.id, texts(again)) == (card.id, texts(call))


async def test_an_undo_has_one_receipt(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    undone = await world.gina.slash(world.zone, "gm undo")
    assert "Undone" in private(undone)
    assert undone.followups == []
