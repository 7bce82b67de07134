"""The place bar of the local table's page: threads, posts and the GM channel, by reader."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import simcord

from bot.clock_bar.kept_threads import (
    KeptThread,
    build_threads,
    read_threads,
    threads_of,
)
from bot.clock_bar.place_page import accept_place_moves
from bot.clock_bar.thread_notices import drop_private_notices
from tests.play.test_clock_bar import static
from tests.play.test_play import Running, running, users

#: Words that only readers of the whisper thread may read.
SECRET = "the ninth rung is sawn through"


def look(table: Running, person: int) -> dict[str, dict[str, Any]]:
    """Return the places that the bar lists for one of the people, by their names."""
    return {place["name"]: place for place in table.ask_bar(person, "places")["places"]}


def show(table: Running, person: int, place: str) -> dict[str, Any]:
    """Have the page of one of the people show a place by its id; return what it shows."""
    told = table.act(person, "viewer", viewer_id=str(person), place=place)
    assert not told["rejected"], told
    return json.loads(table.channel(person))


def go(table: Running, person: int, name: str) -> dict[str, Any]:
    """Have the page of one of the people show a place by its name; return what it shows."""
    return show(table, person, look(table, person)[name]["id"])


def newest(page: dict[str, Any], words: str) -> str:
    """Return the id of the newest message on a page with these words."""
    messages = page["messages"]
    return max((id for id in messages if words in json.dumps(messages[id])), key=int)


def choose(table: Running, person: int, command: str, words: str) -> str:
    """Run a command of a message's menu; return the error that the bar shows."""
    message = newest(json.loads(table.channel(person)), words)
    return table.ask_bar(person, "message_command", command=command, message_id=message)["error"]


@pytest.mark.slow
async def test_scenes_are_played_where_they_are_and_stay_after_a_kill(tmp_path: Path) -> None:
    with running(tmp_path) as table:
        table.wait_until_open()
        gm, jonas, tilda = await users(tmp_path / "ebb.db")
        assert [*look(table, gm)] == ["ebb", "gm-only"]
        assert [*look(table, tilda)] == ["ebb"]
        for line in (
            "/scene start title: The tunnel where: thread who: Vesna",
            "/scene start title: Rungs private: true who: Vesna",
            "/gm bind channel: #scenes",
            "/scene start title: The ferry where: post",
        ):
            assert table.paste(gm, line)["settlement"] == "settled"

        there = look(table, jonas)
        assert [*there] == ["ebb", "The tunnel", "Rungs", "The ferry"]
        assert (there["Rungs"]["private"], there["The tunnel"]["private"]) == (True, False)
        assert (there["Rungs"]["parent"], there["The ferry"]["parent"]) == ("ebb", "scenes")
        assert there["Rungs"]["unread"] == 1
        assert "Rungs" in json.dumps(go(table, jonas, "Rungs")["messages"])
        assert look(table, jonas)["Rungs"]["unread"] == 0, "it was shown"

        table.paste(jonas, SECRET)
        assert SECRET in table.channel(jonas)
        assert look(table, gm)["Rungs"]["unread"] == 2, "the GM has read neither"
        assert [*look(table, tilda)] == ["ebb", "The tunnel", "The ferry"]
        secret = there["Rungs"]["id"]
        assert show(table, tilda, secret)["channel"]["name"] == "ebb", "it isn't hers to read"
        assert SECRET not in table.channel(tilda) and "Rungs" not in table.channel(tilda)

        # A page in the thread goes home for a viewer who may not read it.
        assert table.act(jonas, "viewer", viewer_id=str(tilda))["rejected"] is False
        page = json.loads(table.channel(jonas))
        assert (page["channel"]["name"], page["viewerId"]) == ("ebb", str(tilda))
        assert SECRET not in json.dumps(page)

        # A player who leaves the scene finds a place to read, and why.
        table.act(jonas, "viewer", viewer_id=str(jonas))
        go(table, jonas, "Rungs")
        assert not table.paste(jonas, "/scene leave")["rejected"]
        page = json.loads(table.channel(jonas))
        assert (page["status"], page["channel"]["name"]) == ("current", "ebb")
        notice = table.ask_bar(jonas, "places")["notice"]
        assert notice == "You can't read “Rungs” any more. You're in ebb now."
        assert not table.paste(jonas, "/scene list")["rejected"], "the page goes on there"
        go(table, gm, "Rungs")
        assert not table.paste(gm, "/scene join as: Vesna")["rejected"]
        assert SECRET in json.dumps(go(table, jonas, "Rungs")["messages"])
        go(table, jonas, "ebb")

        table.process.kill()
        table.process.wait()

    with running(tmp_path) as table:
        table.wait_until_open()
        assert [*look(table, jonas)] == ["ebb", "The tunnel", "Rungs", "The ferry"]
        assert [*look(table, tilda)] == ["ebb", "The tunnel", "The ferry"]
        assert look(table, jonas)["Rungs"]["id"] == secret
        shown = json.dumps(go(table, jonas, "Rungs"), ensure_ascii=False)
        assert "aren't on this page" in shown
        assert not table.paste(jonas, "/scene list")["rejected"]
        assert "Rungs" in table.channel(jonas), "the bot knows the thread"
        assert "Rungs" not in table.channel(tilda)
        assert table.stop(signal.SIGTERM) == (0, "")
    assert "ERROR" not in (tmp_path / "play.log").read_text(encoding="utf-8")


@asynccontextmanager
async def open_table(folder: Path) -> AsyncIterator[tuple[Running, int, int, int]]:
    """Open a local table for the GM, Jonas and Tilda; it stops in order at the end."""
    with running(folder) as table:
        table.wait_until_open()
        gm, jonas, tilda = await users(folder / "ebb.db")
        yield table, gm, jonas, tilda
        assert table.stop(signal.SIGTERM) == (0, "")
    assert "ERROR" not in (folder / "play.log").read_text(encoding="utf-8")


@pytest.mark.slow
async def test_commands_of_a_message_answer_and_open_dialogs(tmp_path: Path) -> None:
    async with open_table(tmp_path) as (table, gm, jonas, tilda):
        commands = table.ask_bar(tilda, "places")["commands"]
        assert {"Post as my character", "Who said this", "Amend"} <= {*commands}
        table.paste(gm, "/scene start title: The tunnel where: thread who: Vesna, Tomas")
        go(table, jonas, "The tunnel")
        table.paste(jonas, "I go first.")
        assert choose(table, jonas, "Post as my character", "I go first.") == ""
        (said,) = (
            message
            for message in json.loads(table.channel(jonas))["messages"].values()
            if message["content"] == "I go first."
        )
        assert said["author"]["name"] in ("Vesna Orlik", "Tomas Brandt"), "in the thread, as one"

        go(table, tilda, "The tunnel")
        assert choose(table, tilda, "Who said this", "I go first.") == ""
        assert "Jonas" in table.channel(tilda)
        table.paste(tilda, "/roll 4d6")
        assert choose(table, tilda, "Amend", "4d6") == ""
        modal = json.loads(table.channel(tilda))["modal"]
        assert "What should change?" in json.dumps(modal)
        assert json.loads(table.channel(jonas))["modal"] is None, "it's Tilda's dialog"

        for command, message in (("Delete all", "1"), (None, "1"), (["Amend"], "1")):
            told = table.ask_bar(tilda, "message_command", command=command, message_id=message)
            assert told["error"] == "This command isn't there any more."
        go(table, tilda, "ebb")
        for message in ("1", None, "x", newest(json.loads(table.channel(jonas)), "I go first.")):
            told = table.ask_bar(tilda, "message_command", command="Amend", message_id=message)
            assert told["error"].startswith("The message isn't there any more."), message


@pytest.mark.slow
async def test_the_gm_channel_is_there_to_be_used(tmp_path: Path) -> None:
    async with open_table(tmp_path) as (table, gm, jonas, _):
        table.paste(gm, "/gm channel channel: gm-only")
        assert "Secrets for the GMs go to" in table.channel(gm)
        table.paste(jonas, "/roll 4d6")
        assert choose(table, jonas, "Amend", "4d6") == ""
        page = json.loads(table.channel(jonas))
        field = re.findall(r'"custom_id": "([^"]+)"', json.dumps(page["modal"]["payload"]))[-1]
        values = {field: "Down, not up."}
        told = table.act(jonas, "modal_submit", modal_handle=page["modal"]["handle"], values=values)
        assert told["settlement"] == "settled", told
        assert "gm-only" not in look(table, jonas)
        assert look(table, gm)["gm-only"]["unread"] > 0
        assert "Down, not up." in json.dumps(go(table, gm, "gm-only"))
        assert static(table, "place-bar.js")[0] == "application/javascript"
        kind, style = static(table, "place-bar.css")
        assert kind == "text/css" and "@media (max-width: 760px)" in style


def test_the_bar_changes_the_pages_own_acts() -> None:
    """The bar adds a place to the page's act, where the clock bar listens to it as well."""
    place, clock = (
        (files("bot.clock_bar") / name).read_text(encoding="utf-8")
        for name in ("place-bar.js", "clock-bar.js")
    )
    paths = [re.findall(r'const ACTIONS = ("[^"]+");', script) for script in (place, clock)]
    assert paths[0] == paths[1] and len(paths[0]) == 1
    assert "window.fetch = async" in place and "withPlace(options)" in place


def test_the_bar_watches_parts_that_the_page_has() -> None:
    """The page stays at its end by parts of simcord's page, which another release may rename."""
    script = (files("bot.clock_bar") / "place-bar.js").read_text(encoding="utf-8")
    page = (files("simcord") / "preview/static/index.html").read_text(encoding="utf-8")
    for part in ("channel-timeline", "channel-message-list", "channel-composer", "viewer-picker"):
        assert f'"#{part}"' in script or f"#{part} " in script
        assert f'id="{part}"' in page


async def world() -> tuple[simcord.Env, simcord.ChannelHandle, simcord.MemberActor]:
    """Return a server with a channel and a member, whose bot isn't connected."""
    import discord

    env = simcord.Env(discord.Client(intents=discord.Intents(guilds=True)))
    guild = env.create_guild("Hall", id=1_000_000_000_000_000_001)
    ana = guild.add_member(env.create_user("ana"))
    return env, guild.create_text_channel("table"), ana


async def test_a_viewer_who_loses_the_place_finds_a_way_back() -> None:
    env, channel, ana = await world()
    await env.start()
    thread = env.backend.create_thread(channel.id, "Rungs", env.backend.bot_user.id, type=12)
    env.backend.add_thread_member(thread.id, ana.id)
    env.backend.create_message(thread.id, ana.id, SECRET)
    with env.time_context():
        async with env.preview(channel, viewers=(ana,), layout="channel") as preview:
            accept_place_moves(preview, (channel,))
            page = preview._open_page()

            async def go_to(place: int) -> dict[str, Any]:
                told = await preview._action(
                    page.id,
                    {
                        "kind": "viewer",
                        "viewer_id": str(ana.id),
                        "place": str(place),
                        "protocol_version": 3,
                        "sequence": page.last_sequence + 1,
                        "request_id": f"show {place} {page.last_sequence}",
                        "generation": page.generation,
                        "bot_generation": preview._page_payload(page)["botGeneration"],
                    },
                )
                assert not told["rejected"], told
                return preview._page_payload(page)

            async def listed() -> dict[str, Any]:
                return await preview._action(page.id, {"kind": "places"})

            assert SECRET in json.dumps(await go_to(thread.id))
            assert (await listed())["notice"] == ""
            env.backend.remove_thread_member(thread.id, ana.id)
            shown = preview._page_payload(page)
            assert (shown["status"], shown["channel"]["name"]) == ("current", "table")
            assert SECRET not in json.dumps(shown)
            bar = await listed()
            assert bar["notice"] == "You can't read “Rungs” any more. You're in table now."
            assert bar["shown"] == str(channel.id)
            assert [place["name"] for place in bar["places"]] == ["table"]
            assert (await listed())["notice"] == bar["notice"], "another look says it, too"
            shown = await go_to(thread.id)
            assert shown["channel"]["name"] == "table" and SECRET not in json.dumps(shown)
            assert (await listed())["notice"] == "", "the viewer has chosen a place since"

            env.backend.add_thread_member(thread.id, ana.id)
            await go_to(thread.id)
            env.backend.delete_channel(thread.id)
            bar = await listed()
            assert bar["notice"] == "That thread is gone. You're in table now."
            assert preview._page_payload(page)["channel"]["name"] == "table"
            assert (await go_to(thread.id))["channel"]["name"] == "table"
            assert preview.channel.id == channel.id
    await env.shutdown()


async def test_threads_are_built_again_as_they_were() -> None:
    env, channel, ana = await world()
    bot, backend = env.backend.bot_user.id, env.backend
    open_id = backend.create_thread(channel.id, "The tunnel", bot).id
    closed = backend.create_thread(channel.id, "Rungs", bot, type=12)
    backend.add_thread_member(closed.id, ana.id)
    assert closed.thread_metadata is not None
    closed.thread_metadata.archived = True
    kept = threads_of(env)
    assert [thread.id for thread in kept] == [open_id, closed.id]
    assert (kept[1].is_archived, kept[1].members) == (True, (bot, ana.id))

    again, _, _ = await world()
    build_threads(again, kept)
    assert threads_of(again) == kept
    assert again.backend.snowflake() not in (open_id, closed.id), "their ids are taken"


async def test_only_threads_that_everybody_can_read_are_announced() -> None:
    env, channel, _ = await world()
    drop_private_notices(env)
    bot, backend = env.backend.bot_user.id, env.backend
    backend.create_thread(channel.id, "The tunnel", bot)
    backend.create_thread(channel.id, "Rungs", bot, type=12)
    await asyncio.sleep(0)
    assert [message.content for message in backend.messages[channel.id].values()] == ["The tunnel"]


async def test_a_thread_without_its_channel_is_left_out() -> None:
    env, _, _ = await world()
    build_threads(env, (KeptThread(id=5, parent=6, name="Lost", owner=7, type=11),))
    assert threads_of(env) == ()


@pytest.mark.parametrize("note", [None, "", "[", '[{"id": "x"}]', "{}"])
def test_an_unreadable_note_has_no_threads(note: str | None) -> None:
    assert read_threads(note) == ()
