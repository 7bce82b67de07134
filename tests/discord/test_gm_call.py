"""`/gm call`: one message, rolls, the clock, sealed texts, undo, a restart and secrecy."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from bot.delivery.channels import Channels
from rules.table.roll_calls.roll_call import roll_calls
from tests.discord.world import (
    World,
    labels,
    make_bot,
    menu,
    message_of,
    pings,
    primary,
    private,
    refusal_of,
    texts,
)

DAY = 86_400
CLIMB = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
SEAL = "The ferryman's boots are dry."


async def _call(world: World, **options: Any) -> Any:
    """`/gm call` for all players' characters; the answer."""
    return await world.gina.slash(world.zone, "gm call", **(CLIMB | options))


def _messages(world: World) -> list[Any]:
    """The messages with the lines of a call."""
    return [message for message in world.messages() if "**Ilka:**" in texts(message)]


def _lines(world: World) -> str:
    (message,) = _messages(world)
    return texts(message).replace("\u00a0", " ")


def _ping(world: World) -> Any:
    """The newest message that pings players to a call."""
    (newest, *_) = [m for m in reversed(world.messages()) if "Roll" in labels(m) and m.content]
    return newest


async def _roll(world: World, who: Any, *faces: int) -> Any:
    world.dice.lay(*faces)
    result = await world.press(who, _messages(world)[0], "Roll")
    assert world.dice.left == 0
    return result


async def test_one_message_has_a_line_for_each_character_and_one_ping(world: World) -> None:
    await world.table()
    private(await _call(world, text="The gate is locked."))
    lines = _lines(world)
    assert "Climbing" in lines and "Tricky" in lines and "The gate is locked." in lines
    assert lines.index("**Ilka:** not rolled yet") < lines.index("**Marek:** not rolled yet")
    called = _ping(world)
    assert {*pings(called, world.env)} == {world.ana.id, world.ben.id}
    assert " for Ilka and Marek." in texts(called)
    assert not [message for message in world.messages() if "check c1" in texts(message)]


async def test_the_gm_is_told_who_is_called_for_what_and_until_when(world: World) -> None:
    await world.table()
    answer = await _call(world, text="The gate is locked.", until="2 days", seal=SEAL)
    told = private(answer)
    assert told.startswith("## Called for Climbing and Fitness, against 10 (Tricky)\n")
    assert "Ilka and Marek roll. Storyguide makes the missing rolls on <t:" in told
    assert "A success reveals your sealed text." in told
    assert "> The gate is locked." in told
    (message,) = _messages(world)
    assert f"[the call's message]({message.jump_url})" in told
    details = await world.press(world.gina, message_of(answer), "Details")
    assert "**Ilka:** not rolled yet" in private(details)


async def test_the_gm_is_told_the_hidden_difficulty_in_private(world: World) -> None:
    await world.table()
    told = private(await _call(world, hidden=True, who="Ilka"))
    assert "against 10 (Tricky)" in told
    assert "Ilka rolls. Only GMs see the difficulty. The call stays open" in told
    assert "Tricky" not in world.told(world.ana) + world.told(world.ben)


async def test_the_gm_is_told_who_is_called_later(world: World) -> None:
    await world.table()
    await _call(world, who="Ilka")
    details = message_of(await world.press(world.gina, _messages(world)[0], "Details"))
    (marek,) = menu(details, "Call someone else")["options"]
    added = await world.choose(world.gina, details, "Call someone else", marek["value"])
    told = private(added)
    assert "Called for Climbing and Fitness, against 10 (Tricky)" in told
    assert "Marek rolls." in told and "Ilka" not in told


@pytest.mark.parametrize("who", ["all", "Everyone", "everybody", "all players", "party"])
async def test_everybody_is_called_by_a_word(world: World, who: str) -> None:
    await world.table()
    assert "Ilka and Marek roll." in private(await _call(world, who=who))


async def test_a_character_named_all_is_meant(world: World) -> None:
    await world.table()
    await world.bring(world.member("cleo"), "All")
    assert "All rolls." in private(await _call(world, who="all"))


async def test_roll_rolls_ones_own_and_tells_the_rest_in_private(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world)
    told = private(await _roll(world, world.ana, 8, 7))
    assert "Success" in told
    assert "**Marek:** ✓ Success" in _lines(world)
    assert "**Ilka:** not rolled yet" in _lines(world)
    private(await _roll(world, world.ben, 2, 2))
    assert "**Ilka:** ✗" in _lines(world)
    assert "Roll" not in labels(_messages(world)[0])


async def test_the_ping_goes_once_everybody_has_rolled(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world)
    ping = _ping(world).id
    await _roll(world, world.ana, 8, 7)
    assert ping in [message.id for message in world.messages()]
    await _roll(world, world.ben, 8, 7)
    assert ping not in [message.id for message in world.messages()]


async def test_the_ping_names_only_who_is_missing(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world)
    ping = _ping(world)
    await _roll(world, world.ana, 8, 7)
    await world.env.settle()
    now = _ping(world)
    assert now.id == ping.id, "an edit notifies nobody"
    assert " for Ilka." in texts(now)
    assert "Marek" not in texts(now) and f"<@{world.ana.id}>" not in texts(now)
    await world.gina.slash(world.zone, "gm undo")
    assert " for Marek." in texts(_ping(world)), "the undone roll has a call of its own"
    assert [m.id for m in world.messages() if " for Ilka." in texts(m)] == [ping.id]


async def test_a_reminder_names_only_who_is_missing(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world)
    await world.env.advance_time(DAY + 60)
    reminder = _ping(world)
    assert " for Ilka and Marek" in texts(reminder)
    await world.restart()
    await _roll(world, world.ben, 8, 7)
    await world.env.settle()
    now = _ping(world)
    assert now.id == reminder.id
    assert "reminder:" in texts(now) and " for Marek." in texts(now)
    assert "Ilka" not in texts(now)


async def test_a_call_from_before_lines_told_of_lacking_skills_goes_on(world: World) -> None:
    """Lines of calls have gained `how` and `lacks`; earlier entries don't have them."""
    await world.table(step_in_minutes=0)
    await _call(world)
    ping = _ping(world)
    await world.bot.close()
    with closing(sqlite3.connect(world.path)) as connection, connection:
        (events,) = connection.execute(
            "SELECT events FROM journal WHERE kind = 'CallForRolls'"
        ).fetchone()
        older = events.replace(',"how":"self","lacks":""', "")
        assert older.count(',"how":"self","lacks":""') == 0 and older != events
        connection.execute("UPDATE journal SET events = ? WHERE kind = 'CallForRolls'", (older,))
    await world.env.restart_bot(make_bot(world.path))
    await _roll(world, world.ana, 8, 7)
    await world.env.settle()
    assert _ping(world).id == ping.id and " for Ilka." in texts(_ping(world))
    await world.gina.slash(world.zone, "gm undo")
    assert "**Marek:** not rolled yet" in texts(_messages(world)[-1])


async def test_a_ping_that_discord_refuses_to_edit_stays(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world)
    ping = _ping(world)
    edits = f"/channels/{world.zone.id}/messages/{ping.id}"
    world.env.inject_error("PATCH", edits, status=400, code=30046)
    await _roll(world, world.ana, 8, 7)
    await world.env.settle()
    assert _ping(world).id == ping.id and " for Ilka and Marek." in texts(_ping(world))
    await _roll(world, world.ben, 8, 7)
    await world.env.settle()
    assert ping.id not in [message.id for message in world.messages()]


async def test_a_fumble_calls_the_gm_to_the_check_and_not_to_a_roll(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    rolled = message_of(await _roll(world, world.ana, 1, 1))
    assert "Fumble" in texts(rolled) and "The GM adds a complication." in texts(rolled)
    assert labels(rolled) == [], "the complication is the GM's"
    (ping,) = [m for m in world.messages() if {*pings(m, world.env)} == {world.gina.id}]
    assert "Marek: decide about the result." in texts(ping)
    assert labels(ping) == ["Marek", "Details"]
    assert "Add a complication…" in labels(message_of(await world.press(world.gina, ping, "Marek")))
    own = message_of(await world.press(world.ana, _messages(world)[0], "Details"))
    panel = message_of(await world.press(world.ana, own, "Marek"))
    assert not [label for label in labels(panel) if "complication" in label]
    details = message_of(await world.press(world.gina, ping, "Details"))
    assert "Tell everyone" in labels(details) and "Tell everyone" not in primary(details)


async def test_a_near_miss_tells_the_gm_what_to_tell(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world)
    await _roll(world, world.ana, 5, 3)
    details = message_of(await world.press(world.gina, _messages(world)[0], "Details"))
    panel = private(await world.press(world.gina, details, "Marek"))
    assert "tell in the story which opportunity or resource is lost" in panel
    assert "Nothing more to decide here." in panel and "Nothing for you to do" not in panel


async def test_a_fumble_that_its_player_accepts_leaves_the_complication_to_the_gm(
    world: World,
) -> None:
    await world.table()
    await _call(world)
    rolled = message_of(await _roll(world, world.ana, 1, 1))
    own = message_of(await world.press(world.ana, _messages(world)[0], "Details"))
    panel = message_of(await world.press(world.ana, own, "Marek"))
    assert "Fumble so far" in texts(rolled)
    accepted = message_of(await world.press(world.ana, panel, "Accept result"))
    await world.env.settle()
    assert not [label for label in labels(accepted) if "complication" in label]


async def test_reminders_that_fall_due_together_are_one_message(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world)
    first = _ping(world)
    await world.env.advance_time(DAY + 60)
    reminder = _ping(world)
    assert {*pings(reminder, world.env)} == {world.ana.id, world.ben.id}
    assert "reminder:" in texts(reminder) and " for Ilka and Marek" in texts(reminder)
    assert [message.id for message in world.messages() if "Roll" in labels(message)][1:] == [
        reminder.id
    ], "the first call is gone"
    assert first.id not in [message.id for message in world.messages()]
    await world.restart()
    await world.env.settle()
    assert _ping(world).id == reminder.id, "it comes once"
    await _roll(world, world.ana, 8, 7)
    await world.env.advance_time(DAY)
    assert {*pings(_ping(world), world.env)} == {world.ben.id}
    assert " for Ilka" in texts(_ping(world)) and "Marek" not in texts(_ping(world))


@pytest.mark.parametrize("missing", ["roll", "none"])
async def test_an_end_at_the_time_of_a_reminder_comes_before_it(
    world: World, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, until="1 day", missing=missing)
    check = await world.check("c1")
    (ready,) = [asked for asked in check.asked if asked.prompt.key == "ready"]
    (call,) = roll_calls(await world.state())
    assert call.until in ready.reminders, "they fall due together"
    written: list[str] = []
    post = Channels.post

    async def listen(self: Any, place: str, message: dict[str, Any], *more: Any) -> str:
        written.append(str(message.get("content")))
        return await post(self, place, message, *more)

    monkeypatch.setattr(Channels, "post", listen)
    world.dice.lay(2, 2, 8, 7)
    await world.env.advance_time(DAY + 60)
    await world.env.settle()
    assert "not rolled yet" not in _lines(world)
    assert not [text for text in written if "reminder" in text]


async def test_an_end_overtakes_the_reminders_that_fell_due_while_the_bot_was_off(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, until="2 days")
    small = r"Storyguide makes the missing rolls on <t:\d+:f> · #\d+$"
    assert re.search(small, _lines(world), re.MULTILINE), _lines(world)
    await world.bot.close()
    world.dice.lay(2, 2, 8, 7)
    await world.env.advance_time(9 * DAY)
    await world.env.restart_bot(make_bot(world.path))
    await world.env.advance_time(60)
    assert "not rolled yet" not in _lines(world)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_the_clock_rolls_for_whoever_is_missing_after_a_restart(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, until="2 days")
    assert "Storyguide makes the missing rolls" in _lines(world)
    assert "Storyguide makes the missing rolls" in texts(_ping(world))
    listed = private(await world.ben.slash(world.zone, "moves"))
    assert "then Storyguide rolls" in listed, listed
    await _roll(world, world.ana, 8, 7)
    await world.restart()
    await world.env.advance_time(2 * DAY + 60)
    lines = texts(_messages(world)[-1])
    assert "(rolled by Storyguide)" in lines.partition("**Marek:**")[0]
    assert "(rolled by Storyguide)" not in lines.partition("**Marek:**")[2]
    assert (await world.check("c1")).prompt("ready") is None


async def test_a_missing_roll_may_count_as_not_rolled(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, until="2 days", missing="none")
    listed = private(await world.ben.slash(world.zone, "moves"))
    assert "then it counts as not rolled" in listed, listed
    await world.env.advance_time(2 * DAY + 60)
    lines = texts(_messages(world)[-1])
    assert "**Ilka:** not rolled" in lines and "Storyguide" not in lines
    assert all(not check.is_open for check in (await world.state()).checks.values())


async def test_a_pause_puts_the_end_off(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, until="2 days")
    await world.gina.slash(world.zone, "gm pause")
    assert "Storyguide makes" not in texts(_messages(world)[-1])
    await world.env.advance_time(3 * DAY)
    await world.gina.slash(world.zone, "gm resume")
    assert "Storyguide makes" in texts(_messages(world)[-1])
    await world.env.advance_time(DAY)
    assert (await world.check("c1")).prompt("ready") is not None
    await world.env.advance_time(DAY + 60)
    assert (await world.check("c1")).prompt("ready") is None


async def test_a_sealed_text_is_for_those_who_succeed(world: World) -> None:
    await world.table(step_in_minutes=0)
    assert SEAL not in private(await _call(world, seal=SEAL))
    won = private(await _roll(world, world.ana, 8, 7))
    assert "Marek notices:" in won and SEAL in won
    lost = private(await _roll(world, world.ben, 2, 2))
    assert SEAL not in lost and "notices" not in lost
    assert SEAL not in world.told(world.ben)
    details = private(await world.press(world.gina, _messages(world)[0], "Details"))
    assert "Marek read this:" in details and SEAL in details
    theirs = private(await world.press(world.ben, _messages(world)[0], "Details"))
    assert SEAL not in theirs and "read" not in theirs


async def test_a_text_that_the_clock_earned_waits_in_moves(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL, until="1 day")
    world.dice.lay(2, 2, 8, 7)  # Ilka, then Marek
    await world.env.advance_time(DAY + 60)
    assert SEAL not in world.told(world.ana)
    await world.restart()
    moves = await world.ana.slash(world.zone, "moves")
    assert "Marek: your roll revealed something" in private(moves)
    told = await world.press(world.ana, message_of(moves), "Read it")
    assert SEAL in private(told)
    assert "revealed" not in private(await world.ana.slash(world.zone, "moves"))
    assert "revealed" not in private(await world.ben.slash(world.zone, "moves"))
    assert SEAL not in world.told(world.ben)


async def test_a_stand_in_who_was_called_rolls_by_one_press(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.ana.slash(world.zone, "delegate", character="Marek", to=world.ben)
    await _call(world, seal=SEAL)
    private(await _roll(world, world.ben, 2, 2))
    assert "**Ilka:** ✗" in _lines(world) and "**Marek:** not rolled yet" in _lines(world)
    private(await world.press(world.ben, _messages(world)[0], "Roll"))
    assert "**Marek:** not rolled yet" in _lines(world), "Ana is there to roll"
    await world.ana.slash(world.zone, "away", until="4 days")
    told = private(await _roll(world, world.ben, 8, 7))
    assert "Success" in told and SEAL not in told
    assert "**Marek:** ✓ Success" in _lines(world)
    moves = await world.ana.slash(world.zone, "moves")
    assert SEAL in private(await world.press(world.ana, message_of(moves), "Read it"))


async def test_nobody_else_sees_whether_there_is_a_sealed_text(world: World) -> None:
    shown: list[str] = []
    await world.table(step_in_minutes=0)
    await _call(world)  # ends the first steps
    await world.gina.slash(world.zone, "gm undo")
    for seal in ({}, {"seal": SEAL}):
        before = world.told(world.ben)
        await _call(world, **seal)
        for who, faces in ((world.ana, (8, 7)), (world.ben, (2, 2))):
            world.dice.lay(*faces)
            await world.press(who, world.newest("Roll"), "Roll")
        news = world.told(world.ben).removeprefix(before)
        shown.append(_without_numbers(news))
    assert shown[0] == shown[1]


def _without_numbers(text: str) -> str:
    """A text with the numbers of checks, calls and entries replaced."""
    return re.sub(r"\d+", "#", text)


async def test_the_gm_tells_everyone(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    await _roll(world, world.ana, 8, 7)
    details = message_of(await world.press(world.gina, _messages(world)[0], "Details"))
    await world.press(world.gina, details, "Tell everyone")
    assert SEAL in texts(world.last())
    again = await world.press(world.gina, details, "Tell everyone")
    assert "nothing more to read" in refusal_of(again)


async def test_a_hidden_difficulty_stays_hidden(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, hidden=True)
    assert "against a hidden difficulty" in _lines(world) and "Tricky" not in _lines(world)
    await _roll(world, world.ana, 8, 7)
    assert "Tricky" not in world.told(world.ana) + world.told(world.ben)


async def test_one_undo_takes_the_whole_call_back(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    await world.gina.slash(world.zone, "gm undo")
    state = await world.state()
    assert not state.checks and not [key for key in state.own if key.startswith("call:")]
    assert "Undone" in texts(_messages(world)[-1])
    assert not [message for message in world.messages() if "Roll" in labels(message)]


async def test_an_undone_roll_opens_its_line_again(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    await _roll(world, world.ana, 8, 7)
    await world.gina.slash(world.zone, "gm undo")
    lines = texts(_messages(world)[-1])
    assert "**Marek:** not rolled yet" in lines and "Undone" not in lines
    assert not [key for key in (await world.state()).own if key.startswith("seal:")]
    assert SEAL in private(await _roll(world, world.ana, 8, 7))


async def test_moves_and_the_foot_name_who_is_missing(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world)
    assert "Marek" in private(await world.ana.slash(world.zone, "moves"))
    await _roll(world, world.ana, 8, 7)
    assert "Ilka" not in private(await world.ana.slash(world.zone, "moves"))


async def test_a_character_cannot_retire_while_called(world: World) -> None:
    await world.table()
    await _call(world)
    result = await world.ana.slash(world.zone, "character retire", character="Marek")
    refusal_of(result)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"until": "2020-01-01"}, "until"),
        ({"who": "Nobody"}, "Nobody"),
        ({"difficulty": "Purple"}, "Purple"),
        ({"skill": "Flying"}, "Flying"),
    ],
)
async def test_bad_options_change_nothing(
    world: World, options: dict[str, Any], error: str
) -> None:
    await world.table()
    before = await world.revision()
    assert error.casefold() in refusal_of(await _call(world, **options)).casefold()
    assert await world.revision() == before


async def test_a_refusal_names_the_characters_who_lack_an_ability(world: World) -> None:
    await world.table()
    told = refusal_of(await _call(world, skill="Flying"))
    assert "Ilka and Marek can't roll “Flying”" in told


async def test_only_players_characters_are_called_and_only_by_gms(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Gate guard")
    assert "isn't played by a player" in refusal_of(await _call(world, who="Gate guard"))
    refusal_of(await world.ana.slash(world.zone, "gm call", **CLIMB))


async def test_only_the_named_are_called(world: World) -> None:
    await world.table()
    await _call(world, who="Ilka")
    assert "Marek" not in _lines(world)
    told = private(await world.press(world.ana, _messages(world)[0], "Roll"))
    assert "Ilka" in told  # no roll of Ana's waits, so she sees the details
    assert (await world.check("c1")).prompt("ready") is not None


async def _forget(world: World, who: Any) -> str:
    asked = message_of(await who.slash(world.zone, "privacy delete"))
    return private(await world.press(who, asked, "Delete my data"))


async def test_a_player_who_leaves_is_not_rolled_for(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL, until="1 day")
    await _forget(world, world.ana)
    lines = texts(_messages(world)[-1])
    assert "**Marek:** not rolled\n" in lines and "**Ilka:** not rolled yet" in lines
    await world.env.advance_time(DAY + 60)
    assert not [message for message in world.messages() if "Roll" in labels(message)]


async def test_a_gm_who_leaves_takes_the_texts_along(world: World) -> None:
    await world.table(step_in_minutes=0)
    other = world.member("gus")
    await world.gina.slash(world.zone, "gm members", add=other)
    await _call(world, seal=SEAL, text="The gate is locked.")
    await _roll(world, world.ana, 8, 7)
    await _forget(world, world.gina)
    await world.restart()
    await world.env.settle()
    calls = [part for key, part in (await world.state()).own.items() if key.startswith("call:")]
    assert [(call.text, call.seal) for call in calls] == [("", "")]
    assert (await world.check("c2")).prompt("ready") is None


async def test_a_gm_channel_gets_no_message_for_each_check(world: World) -> None:
    await world.table(gm_channel=True, step_in_minutes=0)
    before = len(world.messages(world.gm_room))
    await _call(world, hidden=True, seal=SEAL)
    assert len(world.messages(world.gm_room)) == before
    details = private(await world.press(world.gina, _messages(world)[0], "Details"))
    assert "Tricky" in details


async def test_details_of_a_hidden_roll_show_players_no_difficulty(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, hidden=True, seal=SEAL)
    await _roll(world, world.ben, 2, 2)
    details = private(await world.press(world.ben, _messages(world)[0], "Details"))
    assert "✗ Failure" in details and "Tricky" not in details and SEAL not in details
    assert "Tricky" not in world.told(world.ben)


async def test_an_undo_with_dependents_takes_the_rolls_along(world: World) -> None:
    await world.table(step_in_minutes=0)
    await _call(world, seal=SEAL)
    called = await world.revision()
    await _roll(world, world.ana, 8, 7)
    refusal_of(await world.gina.slash(world.zone, "gm undo", entry=called))
    await world.gina.slash(world.zone, "gm undo", entry=called, dependents=True)
    state = await world.state()
    assert not state.checks
    assert not [key for key in state.own if key.startswith(("call:", "seal:"))]
    assert not [message for message in world.messages() if "Roll" in labels(message)]
