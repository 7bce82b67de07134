"""What the GM keeps: sessions, awards, the story's time, values set by hand, the journal, places,
settings.
"""

from __future__ import annotations

from typing import Any, Final

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.builders import ChannelHandle
from simcord.enums import OverwriteType

from tests.discord.world import (
    World,
    button,
    controls,
    dialog_values,
    head,
    is_layout,
    labels,
    menu,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

SECRET = "Whisperjack"


async def hidden_rat(world: World, **changes: Any) -> None:
    """An NPC of whom the players know nothing."""
    await world.bring(world.gina, SECRET, npc=True, **changes)


def unheard(world: World) -> None:
    """The players were never told that name."""
    assert SECRET not in world.told(world.ana)
    assert SECRET not in world.told(world.ben)


# --- sessions -------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-HEAL")
async def test_a_session_begins_and_ends(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek", sacrificed={"Fitness": 1}, grown=True)
    await world.bring(world.ben, "Ilka")
    await hidden_rat(world, sacrificed={"Zone": 2})
    assert "No session yet." in private(await world.ben.slash(world.zone, "session show"))
    text = public(await world.gina.slash(world.zone, "session start"))
    assert "Session 1 begins" in text
    assert "In the story it's Day 1, 00:00." in text
    assert "Session 1 is running." in private(await world.ben.slash(world.zone, "session show"))
    assert "Session 1 is already running." in refusal_of(
        await world.gina.slash(world.zone, "session start")
    )
    ended = private(await world.gina.slash(world.zone, "session end"))
    assert f"{SECRET}: Zone +2." in ended
    assert "`/gm award` gives:" in ended
    assert "1 or 2 a session" in ended
    last = texts(world.last())
    assert "Session 1 ends" in last
    assert "Marek: Fitness +1." in last
    assert "Ilka" not in last
    state = await world.state()
    assert [each.sheet.sacrificed for each in state.characters.values()] == [(), (), ()]
    assert "No session is running." in refusal_of(await world.gina.slash(world.zone, "session end"))
    unheard(world)


async def test_the_end_of_a_session_is_taken_back(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek", sacrificed={"Fitness": 1}, grown=True)
    await world.gina.slash(world.zone, "session start")
    await world.gina.slash(world.zone, "session end")
    await world.gina.slash(world.zone, "gm undo")
    state = await world.state()
    assert state.characters["k1"].sheet.sacrificed == (("Fitness", 1),)
    assert state.clock.playing
    await world.restart()
    assert "Session 1 is running." in private(await world.ana.slash(world.zone, "session show"))
    await world.gina.slash(world.zone, "session end")
    assert "Session 1 ends" in texts(world.last())
    assert "Session 2 begins" in public(await world.gina.slash(world.zone, "session start"))


async def test_with_a_gm_channel_the_gms_part_goes_there(world: World) -> None:
    await world.table(gm_channel=True)
    await hidden_rat(world, sacrificed={"Zone": 2})
    await world.gina.slash(world.zone, "session start")
    await world.gina.slash(world.zone, "session end")
    assert f"{SECRET}: Zone +2." in texts(world.last(world.gm_room))
    assert "Nothing to restore." in texts(world.last())
    unheard(world)


# --- awards ---------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-FATE")
async def test_the_party_is_awarded(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    private(
        await world.gina.slash(world.zone, "gm award", kind="fate", amount=2, reason="the *bridge*")
    )
    text = texts(world.last())
    assert "Marek: 2 Fate points, 5 now." in text
    assert "Ilka: 2 Fate points, 5 now." in text
    assert r"Award: the \*bridge\*" in text
    assert [each.sheet.fate for each in (await world.state()).characters.values()] == [5, 5, 3]
    await world.gina.slash(world.zone, "gm undo")
    assert [each.sheet.fate for each in (await world.state()).characters.values()] == [3, 3, 3]
    assert any(
        "Undone" in texts(message) and "Award" in texts(message) for message in world.messages()
    )


async def test_one_is_awarded_and_secrets_stay_secret(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    await world.gina.slash(world.zone, "gm award", kind="fate", to="Ilka")
    assert "Ilka: 1 Fate point, 4 now." in texts(world.last())
    before = len(world.messages())
    text = private(await world.gina.slash(world.zone, "gm award", kind="fate", to=SECRET))
    assert f"{SECRET}: 1 Fate point, 4 now." in text
    assert len(world.messages()) == before
    unheard(world)


async def test_awards_are_suggested_and_refused(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    kinds = await world.gina.autocomplete(world.zone, "gm award", "kind", "")
    assert [choice["value"] for choice in kinds] == ["fate"]
    names = await world.gina.autocomplete(world.zone, "gm award", "to", "")
    assert [choice["name"] for choice in names] == ["Ilka", "Marek", SECRET]
    for option in ("kind", "to"):
        assert await world.ana.autocomplete(world.zone, "gm award", option, "") == []
    cases: list[tuple[dict[str, Any], str]] = [
        ({"kind": "gold"}, "No award “gold”. Use fate."),
        ({"kind": "fate", "to": "Nobody"}, "“Nobody”"),
    ]
    for options, expected in cases:
        assert expected in refusal_of(await world.gina.slash(world.zone, "gm award", **options))


# --- the story's time -----------------------------------------------------------------------------


async def test_time_passes_in_the_story(world: World) -> None:
    await world.table()
    shown = private(await world.gina.slash(world.zone, "gm time"))
    assert "Day 1, 00:00" in shown
    private(await world.gina.slash(world.zone, "gm time", set="day 4 14:30"))
    assert "Day 4, 14:30" in texts(world.last())
    told = public(await world.gina.slash(world.zone, "gm time", advance="2h 30m", show=True))
    assert "Day 4, 17:00" in told
    assert "2 hours and 30 minutes later." in told
    await world.gina.slash(world.zone, "gm time", advance="-1 day")
    assert "Day 3, 17:00" in texts(world.last())
    assert "Back by 1 day." in texts(world.last())
    await world.restart()
    assert "Day 3, 17:00" in public(await world.gina.slash(world.zone, "gm time", show=True))
    assert "Day 3, 17:00" in private(await world.ana.slash(world.zone, "session show"))
    await world.gina.slash(world.zone, "gm undo")
    assert "Day 4, 17:00" in private(await world.gina.slash(world.zone, "gm time"))


IMPOSSIBLE_TIMES: Final = (
    ({"advance": "a while"}, "“a while” isn't a length of time."),
    ({"advance": "9999999 weeks"}, "“9999999 weeks” is too long"),
    ({"advance": "-1 minute"}, "The story runs from day 1, 00:00"),
    ({"advance": "0 days"}, "Give one of the two"),
    ({"set": "noon"}, "“noon” isn't a time in the story."),
    ({"set": "day 1"}, "It's that time already."),
    ({"set": "day 2", "advance": "1 day"}, "Give one of the two"),
)


async def test_times_that_do_not_fit(world: World) -> None:
    await world.table()
    for options, expected in IMPOSSIBLE_TIMES:
        for show in (False, True):
            assert expected in refusal_of(
                await world.gina.slash(world.zone, "gm time", show=show, **options)
            )
        assert (await world.state()).clock.time == 0


# --- values set by hand ---------------------------------------------------------------------------


async def adjust(world: World, character: str, what: str, value: str, **options: Any) -> Any:
    return await world.gina.slash(
        world.zone, "gm adjust", character=character, what=what, value=value, **options
    )


@pytest.mark.rule("EBB-INJURY")
async def test_an_injury_is_entered_treated_and_removed(world: World) -> None:
    await world.table()
    text = private(
        await adjust(world, "Marek", "injury", "a deep cut; left arm; serious", reason="the fall")
    )
    assert "Marek is now badly hurt: set by hand" in text
    assert "New injury: a deep cut (left arm, serious)." in text
    stub = world.last()
    assert "a deep cut" not in texts(stub)
    told = private(await world.press(world.ana, stub, "Show"))
    assert "New injury: a deep cut (left arm, serious)." in told
    assert "Reason: the fall" in told
    refusal_of(await world.press(world.ben, stub, "Show"))
    values = await world.gina.autocomplete(
        world.zone, "gm adjust", "value", "", character="Marek", what="treated"
    )
    assert [(choice["name"], choice["value"]) for choice in values] == [("1: a deep cut", "1")]
    assert "Injury treated: a deep cut." in private(await adjust(world, "Marek", "treated", "1"))
    assert "Injury healed: a deep cut." in private(await adjust(world, "Marek", "healed", "a deep"))
    assert (await world.state()).characters["k1"].sheet.injuries == ()
    await world.gina.slash(world.zone, "gm undo")
    assert (await world.state()).characters["k1"].sheet.injuries[0].treated
    assert "deep cut" not in world.told(world.ben)


@pytest.mark.rule("EBB-DRAWBACK")
async def test_drawbacks_points_and_dice_are_set(world: World) -> None:
    await world.table()
    for what, value, expected in (
        (
            "drawback:1",
            "Afraid of the dark",
            "Drawback rewritten: Afraid of the dark (before: Drawback 0).",
        ),
        ("fate", "12", "Fate points: 3 → 12."),
        ("lost:Zone", "1", "Zone: 1 point sacrificed, counts as 1."),
        ("die:Climbing", "d10", "Climbing: d8 → d10."),
        ("scar", "A white line", "New scar: A white line."),
    ):
        assert expected in private(await adjust(world, "Ilka", what, value)), what
    sheet = (await world.state()).characters["k2"].sheet
    assert len(sheet.drawbacks) == len(sheet.abilities) == 10
    await world.restart()
    assert (await world.state()).characters["k2"].sheet == sheet


async def test_what_can_be_set_is_suggested_to_gms_alone(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    given = {"character": "Marek"}
    every = await world.gina.autocomplete(world.zone, "gm adjust", "what", "", **given)
    assert len(every) == 25
    assert every[0]["name"] == "Fate points (3 now)"
    found = await world.gina.autocomplete(world.zone, "gm adjust", "what", "die for climb", **given)
    assert [choice["value"] for choice in found] == ["die:Climbing"]
    dice = await world.gina.autocomplete(
        world.zone, "gm adjust", "value", "", character="Marek", what="die:Climbing"
    )
    assert [choice["value"] for choice in dice] == ["d4", "d6", "d8", "d10", "d12"]
    for option in ("character", "what", "value"):
        more = {"character": "Marek", "what": "die:Climbing"}
        more.pop(option, None)
        assert await world.ana.autocomplete(world.zone, "gm adjust", option, "", **more) == []
    unheard(world)


async def test_values_that_do_not_fit(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    before = await world.revision()
    for character, what, value, expected in (
        ("Nobody", "fate", "3", "“Nobody”"),
        ("Marek", "wealth", "3", "You can't set “wealth” by hand."),
        ("Marek", "fate", "10000", "Use 0 to 9999"),
        ("Marek", "fate", "many", "“many” isn't a whole number."),
        ("Marek", "fate", "3", "It's like that already"),
        ("Marek", "die:Climbing", "d7", "invalid die: “d7”"),
        ("Marek", "healed", "1", "`value`: there's no “1” to choose."),
        ("Marek", "lost:Fitness", "9", "Use 0 to 1"),
    ):
        assert expected in refusal_of(await adjust(world, character, what, value)), what
    assert await world.revision() == before
    assert "New scar" in private(await adjust(world, SECRET, "scar", "a notch"))
    assert len(world.messages()) == 3
    unheard(world)


# --- the journal ----------------------------------------------------------------------------------


async def test_the_journal_tells_gms_everything(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    await world.rolled(4, 3, hidden=True, level="Legendary")
    await world.gina.slash(world.zone, "gm award", kind="fate", to=SECRET)
    await world.gina.slash(world.zone, "gm undo")
    text = private(await world.gina.slash(world.zone, "gm log"))
    lines = text.split("\n")
    start = lines.index("## The log")
    assert lines[start + 1].startswith(
        f"- #1 · {world.gina.mention} opened the table: The Dry Canal · <t:"
    )
    assert any(
        f"#4 · {world.gina.mention} imported a character: {SECRET}" in line for line in lines
    )
    assert any(
        line.startswith("- #7 · Marek's roll (c1): Clear failure") and world.ana.mention in line
        for line in lines
    )
    assert any(
        "gave an award: Whisperjack: 1 Fate point, 4 now" in line
        and line.endswith("(undone in #9)")
        for line in lines
    )
    assert "· The GM's call for Marek's roll (c1)" in text
    assert f"#9 · {world.gina.mention} undid #8" in text
    two = private(await world.gina.slash(world.zone, "gm log", entries=2))
    assert two.count("- #") == 2
    await world.restart()
    mine = private(await world.gina.slash(world.zone, "gm log", character=SECRET))
    assert f"The log: {SECRET}" in mine
    assert [line.split(" ")[1] for line in mine.split("\n") if line.startswith("- #")] == [
        "#4",
        "#8",
        "#9",
    ]
    marek = private(await world.gina.slash(world.zone, "gm log", character="Marek", entries=3))
    assert [line.split(" ")[1] for line in marek.split("\n") if line.startswith("- #")] == [
        "#5",
        "#6",
        "#7",
    ]
    unheard(world)


async def test_what_was_done_last_is_taken_back_from_the_journal(world: World) -> None:
    """One button beside each of the newest lines; where others build on it, it asks first."""
    await world.table()
    await world.rolled(5, 2)
    world.dice.lay(8)
    await world.ana.slash(world.zone, "spend", what="reroll")
    log = message_of(await world.gina.slash(world.zone, "gm log"))
    assert labels(log) == ["Undo"] * 5
    assert "- #7 · Marek's Fate re-roll (c1): Success" in texts(log)
    found = await world.gina.autocomplete(world.zone, "gm undo", "entry", "re-roll")
    assert [choice["name"] for choice in found] == ["#7 · Marek's Fate re-roll"]
    await world.restart()
    ids = [each["custom_id"] for each in controls(log) if each.get("label") == "Undo"]
    other = world.emit(world.ana, ids[-1])
    await world.env.settle()
    assert "Only the GM" in refusal_of(other)
    asked = await world.gina.click(log, custom_id=ids[-2])
    assert "- #7 · Marek's Fate re-roll" in private(asked)
    assert labels(message_of(asked)) == ["Undo both", "Correct it instead"]
    log = message_of(await world.gina.slash(world.zone, "gm log"))
    done = await world.gina.click(log, custom_id=ids[-1])
    assert private(done).startswith("## Undone: Marek's Fate re-roll\n-#")
    told = next(text for text in map(texts, reversed(world.messages())) if "Undone" in text)
    assert told.startswith("## Undone: Marek's Fate re-roll\nNew rolls use fresh dice.\n")
    assert "The GM undid #7" in told
    assert "so far" in texts(world.card())
    late = world.emit(world.gina, ids[-1])
    await world.env.settle()
    refusal_of(late)


async def test_a_long_journal_has_pages(world: World) -> None:
    await world.table()
    for number in range(60):
        await world.gina.slash(world.zone, "gm settings", name="x" * 60 + str(number))
    shown = await world.gina.slash(world.zone, "gm log", entries=100)
    text = private(shown)
    assert all(f"- #{number} · " in text for number in range(1, 64))
    assert shown.followups


async def test_the_journal_is_never_for_players(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    for options in ({}, {"character": SECRET}, {"character": "Marek", "entries": 5}):
        assert "Only the GM can do that." in refusal_of(
            await world.ana.slash(world.zone, "gm log", **options)
        )
    assert await world.ana.autocomplete(world.zone, "gm log", "character", "") == []
    assert "“Nobody”" in refusal_of(
        await world.gina.slash(world.zone, "gm log", character="Nobody")
    )


# --- places ---------------------------------------------------------------------------------------


def silent_channel(world: World, who: int) -> ChannelHandle:
    """A channel in which that person can read but not write."""
    room = world.guild.create_text_channel("mute")
    denied = discord.Permissions(send_messages=True, send_messages_in_threads=True).value
    world.env.backend.set_overwrite(room.id, Overwrite(who, OverwriteType.MEMBER, deny=denied))
    return room


async def test_one_more_channel_is_played_in(world: World) -> None:
    await world.table()
    more = world.guild.create_text_channel("marshes")
    refusal_of(await world.ana.slash(more, "table show"))
    private(await world.gina.slash(world.zone, "gm bind", channel=more))
    assert f"<#{more.id}> belongs to The Dry Canal now" in texts(world.last())
    assert "New channel to play in" in texts(world.last())
    assert "up the drainpipe" in public(
        await world.ana.slash(more, "check", skill="Climbing", approach="up the drainpipe")
    )
    await world.restart()
    assert f"<#{more.id}>" in private(await world.ana.slash(more, "table show"))
    offered = await world.gina.autocomplete(world.zone, "gm unbind", "channel", "")
    assert sorted(choice["name"] for choice in offered) == ["#marshes", "#zone"]
    assert await world.ana.autocomplete(world.zone, "gm unbind", "channel", "") == []
    private(await world.gina.slash(world.zone, "gm unbind", channel=str(more.id)))
    refusal_of(await world.ana.slash(more, "table show"))
    assert "You can't undo #" in refusal_of(
        await world.gina.slash(world.zone, "gm undo", entry=await world.revision())
    )
    assert f"<#{world.zone.id}>" not in refusal_of(
        await world.gina.slash(world.zone, "gm unbind", channel=f"<#{world.zone.id}>")
    )


async def test_forums_and_threads_can_be_bound(world: World) -> None:
    await world.table()
    forum = world.guild.create_forum_channel("tales")
    private(await world.gina.slash(world.zone, "gm bind", channel=forum))
    post = world.env.backend.create_thread(forum.id, "a night out", world.gina.id)
    there = ChannelHandle(world.env, world.guild, post)
    private(await world.ana.slash(there, "table show"))
    elsewhere = world.guild.create_text_channel("elsewhere")
    made = world.env.backend.create_thread(elsewhere.id, "side story", world.gina.id)
    thread = ChannelHandle(world.env, world.guild, made)
    private(await world.gina.slash(world.zone, "gm bind", channel=thread))
    private(await world.ana.slash(thread, "table show"))
    refusal_of(await world.ana.slash(elsewhere, "table show"))


async def test_places_that_do_not_fit(world: World) -> None:
    await world.table(gm_channel=True)
    taken = world.guild.create_text_channel("other")
    await world.gina.slash(taken, "setup", game="ebb", name="The Flood")
    made = world.env.backend.create_thread(taken.id, "theirs", world.gina.id)
    assert world.bot.user is not None
    mute = silent_channel(world, world.bot.user.id)
    before = await world.revision()
    cases = (
        (world.zone, "That channel already belongs to this table"),
        (world.thread(), "That channel already belongs to this table"),
        (taken, "already has a table: The Flood."),
        (ChannelHandle(world.env, world.guild, made), "already has a table: The Flood."),
        (world.gm_room, "This table's secrets go there"),
        (world.guild.create_voice_channel("talk"), "Choose a text channel, a forum or a thread"),
        (mute, "Storyguide can't read or write in that channel."),
    )
    for channel, expected in cases:
        assert expected in refusal_of(
            await world.gina.slash(world.zone, "gm bind", channel=channel)
        ), expected
    for channel, expected in (
        (str(world.zone.id), "that is its only one"),
        (str(taken.id), "That channel isn't part of this table."),
        ("nowhere", "That channel isn't part of this table."),
    ):
        assert expected in refusal_of(
            await world.gina.slash(world.zone, "gm unbind", channel=channel)
        )
    assert await world.revision() == before


async def test_a_channel_that_the_gm_cannot_use_is_not_bound(world: World) -> None:
    await world.table()
    mia = world.member("mia")
    await world.gina.slash(world.zone, "gm members", add=mia)
    assert "You can't read and write in that channel yourself." in refusal_of(
        await mia.slash(world.zone, "gm bind", channel=silent_channel(world, mia.id))
    )


async def test_the_story_goes_on_by_buttons(world: World) -> None:
    await world.table()
    card = message_of(await world.gina.slash(world.zone, "gm time"))
    await world.press(world.gina, card, "8 hours later")
    await world.press(world.gina, card, "1 hour later")
    assert head(card) == "Day 1, 09:00"
    await world.press(world.gina, card, "Start session")
    assert "Session 1 is running." in texts(card)
    assert "Session 1" in head(world.last())
    await world.press(world.gina, card, "End session")
    assert "Between sessions" in texts(card)
    assert not (await world.state()).clock.playing
    theirs = message_of(await world.ana.slash(world.zone, "session show"))
    assert labels(theirs) == []
    forged = world.emit(world.ana, button(card, "1 day later"), card)
    await world.env.settle()
    assert "Only the GM can do that." in refusal_of(forged)


async def test_the_last_page_of_settings_leads_to_the_channel_and_the_gms(world: World) -> None:
    await world.table(gm_channel=True)
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    await _page(world, panel, "Table and GMs")
    assert f"go to {world.gm_room.mention}" in texts(panel)
    assert f"**GMs:** {world.gina.mention}" in texts(panel)
    await world.press(world.gina, panel, "GMs")
    assert head(panel) == "GMs of this table"
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    await _page(world, panel, "Table and GMs")
    await world.press(world.gina, panel, "GM channel")
    await world.press(world.gina, panel, "No GM channel")
    assert (await world.state()).settings.gm_place is None


# --- settings -------------------------------------------------------------------------------------


async def _page(world: World, panel: Any, title: str) -> None:
    """Turn to a page of the panel of settings."""
    pages = {
        each["label"].removeprefix("Page: ").partition(":")[0]: each["value"]
        for each in menu(panel, "Page")["options"]
    }
    await world.choose(world.gina, panel, "Page", pages[title])


async def test_every_setting_is_told_in_words_on_a_page(world: World) -> None:
    await world.table(answer_hours=36, approve=True)
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    shown = private(await world.gina.slash(world.zone, "gm settings"))
    assert head(panel) == "Table settings"
    (turn,) = [each for each in controls(panel) if each.get("placeholder") == "Page"]
    told = {each["label"]: each.get("description") for each in turn["options"]}
    shown_first = "Players can undo, GM approves new characters, Guests "
    assert (told["Players and guests"] or "").startswith(shown_first)
    for title in ("Difficulties", "Rules of this game", "Players and guests", "Table and GMs"):
        await _page(world, panel, title)
        assert f"Page: {title}" in texts(panel)
        shown += texts(panel)
    for line in (
        "**Live play: off**\n-# Every proposal waits for the GM's answer.",
        "Hidden difficulties: pass or fail",
        "This table has its own times: answers in 1 day and 12 hours, stepping in for 1 day, "
        "turns in 2 days.",
        "**GM approves new characters: on**\n-# A player's new character waits until the GM "
        "approves it.",
        "**House rule: roll initiative: off**",
        "Undecided hits: flesh wound",
        "**Name:** The Dry Canal",
    ):
        assert line in shown, line
    for code in ("True", "False", "soften ", "live:", "hit_default", "129600", "verdict "):
        assert code not in shown, code


async def test_what_is_pressed_counts_at_once_and_can_be_undone(world: World) -> None:
    await world.table()
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    await _page(world, panel, "Difficulties")
    before = len(world.messages())
    await world.press(world.gina, panel, "Turn on")
    assert (await world.state()).settings.live
    assert "**Live play: on**" in texts(panel)
    assert labels(panel)[0] == "Turn off"
    assert len(world.messages()) == before + 1, "everybody is told, once"
    assert "Players can set an open difficulty" in texts(world.last())
    await world.choose(world.gina, panel, "Hidden difficulties", "all")
    assert "Hidden difficulties: everything" in texts(panel)
    await world.restart()
    await _page(world, panel, "Rules of this game")
    await world.choose(world.gina, panel, "Undecided hits", "suffer")
    await _page(world, panel, "Table and GMs")
    await world.gina.submit_modal(
        await world.press(world.gina, panel, "Edit name"), {"name": "Mud"}
    )
    assert "**Name:** Mud" in texts(panel)
    settings = (await world.state()).settings
    assert (settings.name, settings.live, settings.reveal, settings.own) == (
        "Mud", True, "all", {"hit_default": "suffer"},
    )  # fmt: skip
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo")
    settings = (await world.state()).settings
    assert (settings.name, settings.own) == ("The Dry Canal", {})
    await _page(world, panel, "Rules of this game")
    assert "Undecided hits: flesh wound" in texts(panel)


async def test_another_time_is_typed_and_what_is_refused_says_why(world: World) -> None:
    await world.table()
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    await world.press(world.gina, panel, "Turns")
    await world.choose(world.gina, panel, "Turns", "0")
    assert "Turns: no limit" in texts(panel)
    await world.press(world.gina, panel, "All settings")
    assert "stepping in for 1 day, turns without a limit." in texts(panel)
    await world.press(world.gina, panel, "Answers")
    asked = await world.choose(world.gina, panel, "Answers", ":another")
    assert dialog_values(asked) == {"answer_time": "1 days"}
    assert "isn't a length of time" in refusal_of(
        await world.gina.submit_modal(asked, {"answer_time": "soon"})
    )
    for wrong in ("100 days", "0"):
        asked = await world.choose(world.gina, panel, "Answers", ":another")
        said_so = refusal_of(await world.gina.submit_modal(asked, {"answer_time": wrong}))
        assert "`Answers` goes from a minute to 60 days" in said_so
    asked = await world.choose(world.gina, panel, "Answers", ":another")
    await world.gina.submit_modal(asked, {"answer_time": "1 day 12 hours"})
    assert (await world.state()).settings.answer_time == 36 * 3600
    assert "Answers: 1 day and 12 hours" in texts(panel)
    asked = await world.choose(world.gina, panel, "Answers", ":another")
    assert dialog_values(asked) == {"answer_time": "36 hours"}


async def test_an_old_panel_of_settings_shows_what_was_changed_meanwhile(world: World) -> None:
    await world.table()
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    await world.gina.slash(world.zone, "gm settings", live=True, attacks_at_once=True, reveal="all")
    await _page(world, panel, "Difficulties")
    await world.gina.slash(world.zone, "gm settings", live=False)
    old = message_of(await world.gina.slash(world.zone, "gm settings"))
    await _page(world, old, "Difficulties")
    await world.gina.slash(world.zone, "gm settings", live=True)
    revision = await world.revision()
    await world.press(world.gina, old, "Turn on")
    panel = old
    assert await world.revision() == revision, "it was on already"
    assert "**Live play: on**" in texts(panel)
    assert "Hidden difficulties: everything" in texts(panel)


async def test_the_panel_of_settings_has_those_of_the_system_and_is_for_gms(world: World) -> None:
    await world.setup(system="barmore")
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    foreign = world.emit(world.ana, button(panel, "Turn on"), panel)
    await world.env.settle()
    assert "Only the GM can do that." in refusal_of(foreign)
    assert "Answers" in labels(panel)
    turns = [each["label"] for each in menu(panel, "Page")["options"]]
    assert turns == [
        "Page: Waiting and times",
        "Difficulties",
        "Rules of this game",
        "Players and guests",
        "Absences",
        "Table and GMs: Name",
    ]


async def test_a_setting_is_found_by_everyday_words(world: World) -> None:
    await world.table()
    offered = await world.gina.autocomplete(world.zone, "gm settings", "setting", "timer")
    assert [each["name"] for each in offered] == [
        "Answers · Waiting and times",
        "Turns · Waiting and times",
        "Stepping in · Waiting and times",
    ]
    panel = message_of(await world.gina.slash(world.zone, "gm settings", setting="secret dice"))
    assert head(panel) == "Hidden difficulties"
    panel = message_of(await world.gina.slash(world.zone, "gm settings", setting="reminder"))
    assert head(panel) == "Settings for “reminder”"
    assert "**Answers** (Waiting and times): 1 day" in texts(panel)
    await world.choose(world.gina, panel, "Open a setting", "turn_time")
    assert head(panel) == "Turns"
    await world.press(world.gina, panel, "All settings")
    await world.gina.submit_modal(await world.press(world.gina, panel, "Find…"), {"words": "zoo"})
    assert head(panel) == "No setting for “zoo”"
    await world.press(world.gina, panel, "All settings")
    assert head(panel) == "Table settings"


async def test_none_is_typed_for_no_limit(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm settings", setting="turn_time", value="none")
    assert (await world.state()).settings.turn_time == 0
    assert "Turns: 2 days → no limit" in texts(world.last())


async def test_settings_are_changed_in_plain_text_too(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "table plain", on=True)
    panel = message_of(await world.gina.slash(world.zone, "gm settings"))
    assert not is_layout(panel.message)
    assert panel.content.startswith("Table settings\nHow do you play?\nAt the table: Everybody")
    await world.press(world.gina, panel, "At the table")
    assert "This table plays at the table: answers in 10 minutes" in panel.content
    for title in ("Rules of this game", "Players and guests", "Table and GMs"):
        await _page(world, panel, title)
        assert f"Page: {title}" in texts(panel)


# --- who may --------------------------------------------------------------------------------------


async def test_all_of_it_is_for_gms(world: World) -> None:
    await world.table()
    more = world.guild.create_text_channel("marshes")
    before = await world.revision()
    cases: list[tuple[str, dict[str, Any]]] = [
        ("session start", {}),
        ("session end", {}),
        ("gm award", {"kind": "fate"}),
        ("gm award", {"kind": "fate", "to": "Marek"}),
        ("gm time", {}),
        ("gm time", {"advance": "1 day", "show": True}),
        ("gm adjust", {"character": "Marek", "what": "fate", "value": "9"}),
        ("gm log", {}),
        ("gm bind", {"channel": more}),
        ("gm unbind", {"channel": str(world.zone.id)}),
        ("gm roll", {"skill": "Climbing", "difficulty": "Tricky"}),
    ]
    for command, options in cases:
        assert "Only the GM can do that." in refusal_of(
            await world.ana.slash(world.zone, command, **options)
        ), command
    assert await world.revision() == before
    assert message_of(await world.ana.slash(world.zone, "session show")).ephemeral
