"""`/scene`: a title and a cast for what is played in a place, told to whoever can read it there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from bot.delivery import retries
from rules.table.played_scenes import StoryScene, scenes_of
from tests.discord.world import (
    DAY,
    World,
    dialog_values,
    labels,
    make_bot,
    message_of,
    private,
    public,
    refusal_of,
    secret_room,
    texts,
)

FERRY = "The *ferry*"
ESCAPED = r"The \*ferry\*"


async def begun(world: World, **options: Any) -> None:
    """A scene in the channel."""
    await world.gina.slash(world.zone, "scene start", **{"title": FERRY, **options})


async def listed(world: World) -> str:
    """What a player reads of the scenes."""
    return private(await world.ben.slash(world.zone, "scene list"))


async def scenes(world: World) -> tuple[StoryScene, ...]:
    """The scenes as the table keeps them."""
    return scenes_of(await world.state())


async def test_a_scene_begins_and_ends_with_a_summary(world: World) -> None:
    await world.table()
    shown = public(await world.gina.slash(world.zone, "scene start", title=FERRY))
    assert f"Scene: {ESCAPED}" in shown
    assert "Open now" in await listed(world)
    await world.restart()
    ended = public(
        await world.gina.slash(world.zone, "scene end", summary="They crossed at *dawn*.")
    )
    assert f"Scene over: {ESCAPED}" in ended and r"They crossed at \*dawn\*." in ended
    told = await listed(world)
    assert "Open now" not in told and "They crossed" in told
    assert "No scene is open here" in refusal_of(await world.gina.slash(world.zone, "scene end"))


async def test_the_next_scene_ends_the_one_before(world: World) -> None:
    await world.table()
    await begun(world)
    shown = public(await world.gina.slash(world.zone, "scene start", title="The far bank"))
    assert f"Scene over: {ESCAPED}" in shown
    assert "Scene: The far bank" in texts(world.last())
    assert [scene.over is None for scene in await scenes(world)] == [False, True]


async def test_the_cast_is_told_by_the_names_that_players_know(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Xbaron", alias="the hooded man")
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="off")
    private(await world.gina.slash(world.zone, "scene start", title="Quay", who="Marek, Xbaron"))
    assert "With Marek and the hooded man." in texts(world.last())
    told = await listed(world)
    assert "hooded man" in told and "Xbaron" not in world.told(world.ben)
    refused = refusal_of(
        await world.gina.slash(world.zone, "scene start", title="Quay", who="Sidor")
    )
    assert "Players don't know Sidor yet" in refused
    assert "Sidor" not in world.told(world.ben)
    hidden = refusal_of(await world.gina.slash(world.zone, "scene join", **{"as": "Sidor"}))
    assert "Players don't know" in hidden


async def test_a_player_joins_and_leaves(world: World) -> None:
    await world.table()
    no_scene = await world.ana.slash(world.zone, "scene join")
    assert "No scene is open here" in refusal_of(no_scene)
    await begun(world)
    private(await world.ana.slash(world.zone, "scene join"))
    assert f"Marek joins the scene “{ESCAPED}”" in texts(world.last())
    assert "Marek" in await listed(world)
    again = await world.ana.slash(world.zone, "scene join")
    assert "is in this scene already" in refusal_of(again)
    await world.ana.slash(world.zone, "scene leave")
    assert "Marek leaves the scene" in texts(world.last())
    gone = await world.ana.slash(world.zone, "scene leave")
    assert "isn't in this scene" in refusal_of(gone)


async def test_a_character_is_in_one_scene_at_a_time(world: World) -> None:
    await world.table()
    thread = world.thread()
    await begun(world, who="Marek, Ilka")
    await world.gina.slash(thread, "scene start", title="Below", who="Marek")
    assert [len(scene.cast) for scene in await scenes(world)] == [1, 1]
    await world.ben.slash(thread, "scene join")
    assert [len(scene.cast) for scene in await scenes(world)] == [0, 2]


async def test_only_gms_lead_scenes(world: World) -> None:
    await world.table()
    for verb, options in (
        ("start", {"title": "Mine"}),
        ("end", {}),
        ("summary", {"text": "Nothing."}),
    ):
        told = refusal_of(await world.ana.slash(world.zone, f"scene {verb}", **options))
        assert "Only the GM can do that" in told
    assert await scenes(world) == ()


async def test_a_summary_can_come_later(world: World) -> None:
    await world.table()
    early = await world.gina.slash(world.zone, "scene summary", text="They crossed.")
    assert "No scene was played here yet" in refusal_of(early)
    await begun(world)
    open_one = await world.gina.slash(world.zone, "scene summary", text="They crossed.")
    assert "isn't over yet" in refusal_of(open_one)
    await world.gina.slash(world.zone, "scene start", title="The far bank")
    shown = public(await world.gina.slash(world.zone, "scene summary", text="They crossed."))
    assert f"What happened in “{ESCAPED}”" in shown and "They crossed." in shown
    unknown = await world.gina.slash(world.zone, "scene summary", text="They sank.", scene="Moon")
    assert "No past scene “Moon” here" in refusal_of(unknown)
    await world.gina.slash(world.zone, "scene summary", text="They sank.", scene="the *ferry*")
    assert "They sank." in await listed(world)


async def test_an_undo_opens_the_scene_again(world: World) -> None:
    await world.table()
    await begun(world)
    await world.gina.slash(world.zone, "scene end", summary="They crossed.")
    await world.gina.slash(world.zone, "gm undo")
    told = await listed(world)
    assert "Open now" in told and "They crossed" not in told
    await world.gina.slash(world.zone, "gm undo")
    assert "No scenes yet" in await listed(world)
    await begun(world)
    assert (await world.state()).counters.scene == 2


async def test_a_scene_in_a_closed_channel_is_for_those_who_can_read_it(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(vault, "scene start", title="Xvault")
    await world.gina.slash(vault, "scene end", summary="Xsummary")
    await world.gina.slash(vault, "scene start", title="Xvault")
    for command, options in (
        ("scene list", {}),
        ("table show", {}),
        ("recap", {"since": "2 days"}),
        ("log", {"text": "Xvault"}),
    ):
        mine = private(await world.ana.slash(world.zone, command, **options))
        assert mine.count("Xvault") > (command == "log"), command
        await world.ben.slash(world.zone, command, **options)
    told = world.told(world.ben).replace("Nothing found for “Xvault”", "")
    assert "Xvault" not in told and "Xsummary" not in told


async def with_character(world: World, who: str, reader: Any = None) -> str:
    """What a player reads of the scenes of one character."""
    return private(await (reader or world.ben).slash(world.zone, "scene list", who=who))


async def test_a_character_s_scenes_are_those_it_is_in_or_was_in(world: World) -> None:
    await world.table()
    assert "No scenes with Marek" in await with_character(world, "Marek")
    await begun(world, who="Marek")
    await world.gina.slash(world.zone, "scene start", title="The quay", who="Ilka")
    await world.ana.slash(world.zone, "scene join")
    await world.ana.slash(world.zone, "scene leave")
    await world.gina.slash(world.zone, "scene start", title="The tower", who="Ilka")
    shown = await with_character(world, "mar")
    assert "Scenes with Marek" in shown and ESCAPED in shown and "The quay" in shown
    assert "The tower" not in shown
    assert "The tower" in await with_character(world, "Ilka")
    assert "Nobody called “Xavier”" in refusal_of(
        await world.ben.slash(world.zone, "scene list", who="Xavier")
    )


async def test_a_join_that_was_undone_brings_nobody_into_a_scene(world: World) -> None:
    await world.table()
    await begun(world)
    await world.ana.slash(world.zone, "scene join")
    assert ESCAPED in await with_character(world, "Marek")
    await world.gina.slash(world.zone, "gm undo")
    assert "No scenes with Marek" in await with_character(world, "Marek")


async def test_a_retired_character_s_scenes_are_found(world: World) -> None:
    await world.table()
    await begun(world, who="Marek")
    await world.gina.slash(world.zone, "scene end")
    await world.ana.slash(world.zone, "character retire", character="Marek")
    assert ESCAPED in await with_character(world, "Marek")
    offered = await world.ben.autocomplete(world.zone, "scene list", "who", "ma")
    assert [choice["name"] for choice in offered] == ["Marek"]


async def test_scenes_of_an_npc_are_found_by_the_name_that_players_know(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Xbaron", alias="the hooded man")
    await world.gina.slash(world.zone, "gm npc add", name="Xhidden")
    await begun(world, who="the hooded man")
    assert ESCAPED in await with_character(world, "the hooded man")
    assert ESCAPED in await with_character(world, "Xbaron", world.gina)
    for name in ("Xbaron", "Xhidden"):
        refused = refusal_of(await world.ben.slash(world.zone, "scene list", who=name))
        assert "Nobody called" in refused
    for typed in ("", "x", "the"):
        offered = await world.ben.autocomplete(world.zone, "scene list", "who", typed)
        assert "X" not in "".join(choice["name"] for choice in offered)


async def test_an_npc_behind_an_alias_again_isnt_found_in_scenes_that_it_left(
    world: World,
) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Baron", stage="revealed")
    await begun(world, who="Baron, Ilka")
    await world.gina.slash(world.zone, "scene leave", **{"as": "Baron"})
    assert ESCAPED in await with_character(world, "Baron")
    await world.gina.slash(world.zone, "gm npc alias", npc="Baron", alias="the hooded man")
    await world.gina.slash(world.zone, "gm npc reveal", npc="Baron", stage="aliased")
    assert "No scenes with" in await with_character(world, "the hooded man")
    assert ESCAPED in await with_character(world, "Baron", world.gina)


async def test_scenes_of_a_character_in_a_closed_channel_stay_closed(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.gina.slash(vault, "scene start", title="Xvault", who="Marek")
    await world.ana.slash(vault, "scene leave")
    assert "Xvault" in await with_character(world, "Marek", world.ana)
    assert "No scenes with Marek" in await with_character(world, "Marek")


async def test_the_board_and_the_table_show_the_title(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    await begun(world)
    await world.env.settle()
    board = next(
        message for message in world.messages() if "Initiative: who's in?" in texts(message)
    )
    assert f"Scene: {ESCAPED}" in texts(board)
    assert f": {ESCAPED}" in private(await world.ben.slash(world.zone, "table show"))
    await world.gina.slash(world.zone, "scene end")
    await world.env.settle()
    board = next(
        message for message in world.messages() if "Initiative: who's in?" in texts(message)
    )
    assert "Scene:" not in texts(board)


async def test_a_recap_tells_scenes_with_their_last_summary(world: World) -> None:
    await world.table()
    await begun(world, who="Marek")
    await world.rolled(5, 2)
    await world.gina.slash(world.zone, "scene end")
    await world.gina.slash(world.zone, "scene summary", text="They crossed.")
    shown = private(await world.ben.slash(world.zone, "recap", since="2 days"))
    assert f"**Scene: {ESCAPED}** (Marek)" in shown
    assert f"**{ESCAPED}** is over: They crossed." in shown
    assert shown.count("is over") == 1
    mine = await world.ana.slash(world.zone, "recap")
    assert "Done for you" not in texts(message_of(mine))


async def test_a_gm_who_leaves_takes_titles_and_summaries_along(world: World) -> None:
    await world.table()
    await begun(world)
    await world.gina.slash(world.zone, "scene end", summary="They crossed.")
    question = await world.gina.slash(world.zone, "privacy delete")
    await world.press(world.gina, message_of(question), "Delete my data")
    await world.env.settle()
    await world.env.advance_time(60)
    (scene,) = await scenes(world)
    assert (scene.title, scene.summary, scene.by) == ("", "", "")
    shown = private(await world.ben.slash(world.zone, "recap", since="2 days"))
    assert "ferry" not in shown and "crossed" not in shown and "**The scene** is over" in shown


async def test_the_chronicle_has_scenes_for_headings(world: World) -> None:
    await world.table()
    await begun(world, who="Marek")
    await world.gina.slash(world.zone, "initiative start")
    await world.rolled(5, 2)
    await world.gina.slash(world.zone, "scene end", summary="They crossed at dawn.")
    answer = message_of(await world.ben.slash(world.zone, "chronicle", format="Markdown"))
    (file,) = answer.attachments
    book = (await file.read()).decode()
    assert "### The \\*ferry\\*" in book and "*With Marek*" in book
    assert "### Round by round" not in book and "In short" in book and "dawn" in book


# --- threads --------------------------------------------------------------------------------------


async def in_thread(world: World, **options: Any) -> None:
    """A scene that is to have a thread of its own."""
    options = {"title": FERRY, "where": "thread"} | options
    private(await world.gina.slash(world.zone, "scene start", **options))
    await world.env.settle()


async def test_a_scene_gets_a_thread_of_its_own(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "scene start", title="The quay")
    await in_thread(world, who="Marek")
    (thread,) = world.zone.threads
    quay, ferry = await scenes(world)
    assert (quay.over, ferry.over, ferry.place) == (None, None, str(thread.id))
    assert thread.name == FERRY
    begins = next(message for message in world.messages() if message.id == thread.id)
    assert "It's played in the thread below." in texts(begins) and "With Marek." in texts(begins)
    private(await world.ben.slash(thread, "scene join"))
    assert "Ilka joins the scene" in texts(world.last(thread))
    await world.restart()
    ended = public(await world.gina.slash(thread, "scene end", summary="They crossed."))
    assert f"Scene over: {ESCAPED}" in ended
    assert [scene.over is None for scene in await scenes(world)] == [True, False]
    await world.gina.slash(world.zone, "gm undo")
    assert (await scenes(world))[1].place == str(thread.id)


async def test_the_gms_answer_says_where_the_scene_is_and_who_is_in_it(world: World) -> None:
    await world.table()
    options = {"title": FERRY, "who": "Marek, Ilka"}
    here = private(await world.gina.slash(world.zone, "scene start", **options))
    assert f"Scene started: {ESCAPED}" in here and f"<#{world.zone.id}>" in here
    assert "With Marek and Ilka." in here and "/gm call" in here
    started = await world.gina.slash(world.zone, "scene start", title="Below", where="thread")
    await world.env.settle()
    (thread,) = world.zone.threads
    answer = private(started)
    assert f"It's played in <#{thread.id}>. Nobody is in it yet." in answer
    assert "/scene join" in answer and not started.followups


async def test_the_gms_answer_to_a_refused_thread_names_the_channel(world: World) -> None:
    await world.table()
    world.env.inject_error(
        "POST", "/channels/*/messages/*/threads", status=403, code=50013, message="No"
    )
    options = {"title": FERRY, "who": "Marek", "where": "thread"}
    started = await world.gina.slash(world.zone, "scene start", **options)
    await world.env.settle()
    assert f"It's played in <#{world.zone.id}>. With Marek." in private(started)


@pytest.mark.parametrize("how", ["thread", "private", "refused"])
async def test_an_answer_that_a_restart_interrupts_says_where_the_scene_is(
    world: World, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    await world.table()
    monkeypatch.setattr(retries, "SEND_RETRY_DELAYS", (DAY, DAY))

    async def die(*args: Any) -> None:
        raise OSError("gone")

    options = {"title": FERRY, "who": "Marek", "where": "thread", "private": how == "private"}
    with monkeypatch.context() as dying:
        dying.setattr("bot.delivery.scene_threads.perform", die)
        if how == "refused":
            dying.setattr("bot.delivery.channels.Channels.open_thread", die)
        started = await world.gina.slash(world.zone, "scene start", **options)
        await world.env.settle()
        assert "Its thread opens in a moment." in private(started)
    if how == "refused":
        world.env.inject_error(
            "POST", "/channels/*/messages/*/threads", status=403, code=50013, message="No"
        )
    elif how == "thread":
        world.env.inject_error(
            "POST", "/channels/*/messages/*/threads", status=400, code=160004, message="There"
        )
    await world.restart()
    await world.env.settle()
    place = world.zone if how == "refused" else world.zone.threads[-1]
    answer = private(started)
    assert f"It's played in <#{place.id}>. With Marek." in answer, answer
    assert "#4" in answer and not started.followups
    (scene,) = await scenes(world)
    assert scene.place == str(place.id)


async def test_an_answer_that_is_too_old_to_be_changed_hurts_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr(retries, "SEND_RETRY_DELAYS", (DAY, DAY))

    async def die(*args: Any) -> None:
        raise OSError("gone")

    with monkeypatch.context() as dying:
        dying.setattr("bot.delivery.channels.Channels.open_thread", die)
        started = await world.gina.slash(world.zone, "scene start", title=FERRY, where="thread")
        await world.env.settle()
    await world.bot.close()
    await world.env.advance_time(16 * 60)
    await world.env.restart_bot(make_bot(world.path))
    await world.env.settle()
    (thread,) = world.zone.threads
    assert (await scenes(world))[0].place == str(thread.id)
    assert "in a moment" in private(started), "the scene's message leads to the thread"


async def test_a_thread_has_no_threads_of_its_own(world: World) -> None:
    await world.table()
    await in_thread(world)
    (thread,) = world.zone.threads
    options = {"title": "Below", "where": "thread"}
    refused = refusal_of(await world.gina.slash(thread, "scene start", **options))
    assert "A thread can't have threads of its own" in refused
    assert f"Start it in <#{world.zone.id}>, or leave `where` out" in refused
    whispered = await world.gina.slash(
        thread, "scene start", title="Below", private=True, who="Marek"
    )
    told = refusal_of(whispered)
    assert "would read along here, and a thread can't have threads of its own" in told
    assert "Create Private Threads" not in told
    player = refusal_of(await world.ana.slash(thread, "scene start", **options))
    assert "Only the GM" in player
    assert [scene.title for scene in await scenes(world)] == [FERRY]
    public(await world.gina.slash(thread, "scene start", title="Below"))
    assert [scene.place for scene in await scenes(world)] == [str(thread.id)] * 2


async def test_a_forum_post_has_no_threads_of_its_own(world: World) -> None:
    await world.table()
    forum = world.guild.create_forum_channel("stories")
    await world.gina.slash(world.zone, "gm bind", channel=forum)
    await in_thread(world, where="post")
    (post,) = forum.threads
    refused = await world.gina.slash(post, "scene start", title="Below", where="thread")
    assert "Start it with `where:post`, or leave `where` out" in refusal_of(refused)


async def test_an_undo_of_the_scene_is_one_entry_and_leaves_the_thread(world: World) -> None:
    await world.table()
    await in_thread(world)
    await world.gina.slash(world.zone, "gm undo")
    assert await scenes(world) == ()
    (thread,) = world.zone.threads
    assert "No scene is open here" in refusal_of(await world.gina.slash(thread, "scene end"))
    await in_thread(world)
    assert len(world.zone.threads) == 2 and len((await world.state()).counters.scene_places) == 1


async def test_a_scene_without_a_thread_stays_in_the_channel(world: World) -> None:
    await world.table()
    world.env.inject_error(
        "POST", "/channels/*/messages/*/threads", status=403, code=50013, message="No"
    )
    await in_thread(world)
    assert world.zone.threads == []
    assert "The scene stays here" in texts(world.last())
    assert "Create Public Threads" in texts(world.last())
    (scene,) = await scenes(world)
    assert (scene.place, scene.opening) == (str(world.zone.id), False)
    public(await world.gina.slash(world.zone, "scene end"))


async def test_a_bot_that_dies_before_the_thread_is_noted_finds_it_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr(retries, "SEND_RETRY_DELAYS", (DAY, DAY))

    async def die(*args: Any) -> None:
        raise OSError("gone")

    with monkeypatch.context() as dying:
        dying.setattr("bot.delivery.scene_threads.perform", die)
        await in_thread(world)
        (thread,) = world.zone.threads
        assert (await scenes(world))[0].opening
    world.env.inject_error(
        "POST", "/channels/*/messages/*/threads", status=400, code=160004, message="There"
    )
    count = len(world.messages())
    await world.restart()
    await world.env.settle()
    assert (await scenes(world))[0].place == str(thread.id)
    assert len(world.zone.threads) == 1 and len(world.messages()) == count


async def test_a_message_that_is_sent_again_opens_no_second_thread(world: World) -> None:
    """The bot dies after it has noted the thread, and the thread's message is deleted meanwhile."""
    await world.table()
    await in_thread(world, who="Marek")
    (thread,) = world.zone.threads
    begins = next(message for message in world.messages() if message.id == thread.id)
    await world.bot.close()
    with closing(sqlite3.connect(world.path)) as connection, connection:
        lost = connection.execute(
            "UPDATE outbox SET done_at = NULL, message = NULL WHERE kind = 'thread'"
        )
        assert lost.rowcount == 1
    world.env.backend.delete_message(world.zone.id, begins.id)
    await world.env.restart_bot(make_bot(world.path))
    await world.env.settle()
    assert "With Marek." in texts(world.last())
    assert [scene.place for scene in await scenes(world)] == [str(thread.id)]
    assert [thread.id for thread in world.zone.threads] == [thread.id]


async def test_a_scene_that_is_undone_at_once_is_not_placed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    monkeypatch.setattr(retries, "SEND_RETRY_DELAYS", (DAY, DAY))

    async def wait(*args: Any) -> None:
        raise OSError("later")

    with monkeypatch.context() as slow:
        slow.setattr("bot.delivery.scene_threads.perform", wait)
        await in_thread(world)
    await world.gina.slash(world.zone, "gm undo")
    await world.restart()
    await world.env.settle()
    assert await scenes(world) == ()
    assert (await world.state()).counters.scene_places == {}


# --- the dialog for a summary ---------------------------------------------------------------------


async def test_a_scene_that_ends_without_a_summary_offers_a_dialog(world: World) -> None:
    await world.table()
    await begun(world)
    ended = await world.gina.slash(world.zone, "scene end")
    message = message_of(ended)
    assert "Only the GM can do that" in refusal_of(
        await world.press(world.ben, message, "Sum it up")
    )
    await world.restart()
    dialog = await world.press(world.gina, message, "Sum it up")
    assert dialog.modal is not None and dialog.modal["title"] == FERRY
    told = private(await world.gina.submit_modal(dialog, {"text": "They crossed."}))
    assert told.startswith(f"## Your summary of “{ESCAPED}” is posted\n> They crossed.")
    assert "They crossed." in texts(world.last())
    assert "They crossed." in await listed(world)


async def _ends(world: World) -> Any:
    """Return the newest message that a scene is over."""
    return next(m for m in reversed(world.messages()) if "Scene over" in texts(m))


@pytest.mark.parametrize("how", ["dialog", "command"])
async def test_the_button_for_a_summary_goes_once_there_is_one(world: World, how: str) -> None:
    await world.table()
    await begun(world)
    before = await world.gina.slash(world.zone, "scene end")
    message = message_of(before)
    dialog = await world.press(world.gina, message, "Sum it up")
    later = await world.press(world.gina, message, "Sum it up")
    if how == "dialog":
        private(await world.gina.submit_modal(dialog, {"text": "They crossed."}))
    else:
        await world.gina.slash(world.zone, "scene summary", text="They crossed.")
    await world.env.settle()
    assert labels(await _ends(world)) == []
    # A dialog that was open meanwhile changes the summary.
    private(await world.gina.submit_modal(later, {"text": "They crossed at dawn."}))
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    await world.env.settle()
    assert labels(await _ends(world)) == [], "the first summary counts again"
    await world.gina.slash(world.zone, "gm undo")
    await world.env.settle()
    assert labels(await _ends(world)) == ["Sum it up"]
    dialog = await world.press(world.gina, await _ends(world), "Sum it up")
    assert dialog_values(dialog) == {"text": ""}
    private(await world.gina.submit_modal(dialog, {"text": "They sank."}))
    await world.env.settle()
    assert labels(await _ends(world)) == []


async def test_the_end_of_a_scene_that_is_undone_has_no_button(world: World) -> None:
    await world.table()
    await begun(world)
    await world.gina.slash(world.zone, "scene end")
    await world.gina.slash(world.zone, "scene summary", text="They crossed.")
    number = await world.revision()
    await world.gina.slash(world.zone, "gm undo", entry=number - 1, dependents=True)
    await world.env.settle()
    assert labels(await _ends(world)) == []


async def test_a_scene_with_a_summary_needs_no_dialog(world: World) -> None:
    await world.table()
    await begun(world)
    ended = await world.gina.slash(world.zone, "scene end", summary="They crossed.")
    assert "Sum it up" not in texts(message_of(ended))


# --- channels that leave the table ----------------------------------------------------------------


async def test_an_unbound_channel_ends_its_scene_for_all_who_could_read_it(world: World) -> None:
    await world.table()
    attic = world.guild.create_text_channel("attic")
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    for room in (attic, vault):
        await world.gina.slash(world.zone, "gm bind", channel=room)
    await world.gina.slash(attic, "scene start", title=FERRY)
    await world.gina.slash(vault, "scene start", title="Xvault")
    for room in (attic, vault):
        await world.gina.slash(world.zone, "gm unbind", channel=str(room.id))
        await world.env.settle()
    assert [scene.over is None for scene in await scenes(world)] == [False, False]
    told = [texts(message) for message in world.messages()]
    assert sum(f"Scene over: {ESCAPED}" in text for text in told) == 1
    assert "Xvault" not in world.told(world.ben)
