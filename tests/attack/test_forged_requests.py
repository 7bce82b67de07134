"""Components and commands that no client of Discord's would send: a clear answer, no fault, nobody
harmed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot import scheduler
from bot.delivery.posts import Posts
from bot.ops.stats import database_stats
from bot.storage.codec import dump, load
from bot.storage.row_records import OutboxRow
from tests.attack.forged_requests import commands, no_faults, send
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    button,
    controls,
    labels,
    message_of,
    private,
    refusal_of,
    texts,
)
from tests.example_counts import nightly
from tests.sample_table import ebb_character

#: One of every kind of value.
VALUES: tuple[Any, ...] = (
    *(
        "",
        "x",
        "k1",
        "c1",
        "\ud800",
        "\x00",
        "a" * 6000,
        "²",
        "@everyone",
        "{Fitness}",
        "-5 days",
        "Zorvath",
    ),
    *(5, -1, 10**30, 1.5, True, None, [], {}),
)


@pytest.mark.parametrize(
    ("gm", "command", "options"),
    [
        *[(False, "table plain", {"on": value}) for value in ("x", 5, 1.5)],
        (False, "orders give", {"order": "/react/pass", "keep": "fate", "amount": "x"}),
        (False, "away", {"back": "x"}),
        (False, "away", {"note": 5}),
        (True, "orders npc", {"npc": "Sidor", "ask": "x"}),
        (True, "initiative add", {"name": "Rock", "score": 1.5}),
        (True, "initiative add", {"name": "Rock", "score": "x"}),
        (True, "gm time", {"advance": 5}),
        # None of those that Discord lists: one would have become the name of a file.
        *[
            (True, "gm export", {"what": what})
            for what in ("\x00", "x/../../../elsewhere", "own", "FULL")
        ],
        (False, "roll", {"dice": "1d6", "visibility": "secret"}),
        (True, "table fair rotate", {"rolls": "a" * 6000}),
    ],
)
async def test_an_option_of_another_kind_is_refused(
    world: World, gm: bool, command: str, options: dict[str, Any]
) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "initiative start")
    before = await world.revision()
    with no_faults():
        told = send(world, world.gina if gm else world.ana, command, options)
        await world.env.settle()
        assert "invalid value" in refusal_of(told)
    assert await world.revision() == before
    assert {path.name.partition(".db")[0] for path in world.path.parent.iterdir()} == {"storyguide"}
    await world.restart()
    assert "Ben rolls" in texts(message_of(await world.ben.slash(world.zone, "roll", dice="1d6")))


@pytest.mark.parametrize(
    ("command", "options", "told"),
    [
        ("ego throw", {"weight": 0, "strength": 3}, "Use 1"),
        ("ego throw", {"weight": -(10**30), "strength": 3}, "Use 1"),
        ("draw-card", {"count": 10**30}, "Use 1 to"),
        ("roll", {"dice": ""}, "`dice`: missing"),
        ("roll", {"dice": "1d6 + " * 1000}, "6000 characters; use 200 at most"),
    ],
)
async def test_an_option_beyond_its_limits_is_refused(
    world: World, command: str, options: dict[str, Any], told: str
) -> None:
    await ego_table(world)
    before = await world.revision()
    with no_faults():
        sent = send(world, world.ana, command, options)
        await world.env.settle()
        assert told in refusal_of(sent)
    assert await world.revision() == before


@pytest.mark.parametrize(
    "begin", [World.table, ego_table, masterbook_table], ids=["ebb", "ego", "masterbook"]
)
async def test_any_command_with_anything(
    world: World, begin: Callable[..., Awaitable[None]]
) -> None:
    await begin(world, gm_channel=True)
    await world.gina.slash(world.zone, "gm npc add", name="Zorvath")
    dice = random.Random(12)
    with no_faults() as faults:
        for _ in range(40 if nightly() else 2):
            for command in commands(world):
                if command.qualified_name in ("privacy delete", "gm takeover"):
                    continue
                takes = [
                    each for each in command.parameters if each.required or dice.random() < 0.6
                ]
                options = {each.display_name: dice.choice(VALUES) for each in takes}
                typing = dice.choice(takes).display_name if takes and dice.random() < 0.3 else ""
                who = dice.choice((world.ana, world.gina))
                told = send(world, who, command.qualified_name, options, typing=typing)
                await world.env.settle()
                assert not faults, (command.qualified_name, options, typing)
                if not typing and command.name != "post":  # it opens a dialog
                    assert told.response is not None, (command.qualified_name, options)
    assert "Ben rolls" in texts(message_of(await world.ben.slash(world.zone, "roll", dice="1d6")))


#: What stands in a private panel, from whatever is public.
PRIVATE = (
    *(
        "sg:help:topic",
        "sg:help:topic:?",
        "sg:page:1:k2",
        "sg:use:1",
        "sg:hand:1:standard:x:page:0",
        "sg:set:1::p",
    ),
    *(
        "sg:gms:1:remove",
        "sg:time:1:60",
        "sg:session:1:start",
        "sg:undo:1:1",
        "sg:offer:1:standard:1:take",
    ),
    *(
        "sg:gather:1:standard",
        "sg:gmch:1",
        "sg:nogm:1",
        "sg:release:1:1",
        "sg:deliver:1",
        "sg:table:1:settings",
    ),
    *("sg:order:1:away", "sg:npcs:1:list:0:-", "sg:first:1:players", "sg:imp:x:go", "sg:forget:no"),
)


@pytest.mark.parametrize("gm", [False, True])
async def test_no_answer_takes_the_place_of_what_everybody_reads(world: World, gm: bool) -> None:
    await world.table(step_in_minutes=0)
    await world.rolled(9, 5)
    await world.gina.slash(world.zone, "initiative start")
    before = [texts(each) for each in world.messages()]
    chosen: tuple[tuple[str, ...], ...] = ((), ("k2",), ("start",))
    with no_faults():
        for message in world.messages():
            for number, custom_id in enumerate(PRIVATE):
                for values in (
                    chosen if nightly() else (chosen[(number + message.id) % len(chosen)],)
                ):
                    told = world.emit(
                        world.gina if gm else world.ben, custom_id, message, values=values
                    )
                    await world.env.settle()
                    assert told.response is not None, custom_id
                    now = [texts(each) for each in world.messages()]
                    assert now[: len(before)] == before, custom_id


@pytest.mark.parametrize(
    ("begin", "villain"),
    [(ego_table, "Orc"), (masterbook_table, "Thug")],
    ids=["ego", "masterbook"],
)
async def test_forged_answers_to_an_attack(
    world: World, begin: Callable[..., Awaitable[None]], villain: str
) -> None:
    """Choices of somebody else's, of another prompt or of none change nothing."""
    await begin(world, gm_channel=True)
    await world.gina.slash(world.zone, "attack", target="Vesna", **{"as": villain})
    message = world.newest("Defend")
    real = [each["custom_id"] for each in controls(message)]
    assert real
    before = await world.state()
    with no_faults():
        for custom_id in real:
            told = world.emit(world.ben, custom_id, message, values=("parry",))
            await world.env.settle()
            assert told.response is not None, custom_id
            pieces = custom_id.split(":")
            for at in range(1, len(pieces)):
                for value in ("", "k9", "c99", "-1", "9" * 25, "\ud800", "harm"):
                    forged = ":".join([*pieces[:at], value, *pieces[at + 1 :]])
                    told = world.emit(world.ben, forged, message, values=(value,))
                    await world.env.settle()
                    assert told.response is not None, forged
    after = await world.state()
    assert after.characters == before.characters and after.checks == before.checks


async def test_a_check_begins_at_the_table_it_is_of(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    sidor = next(
        each.id for each in (await world.state()).characters.values() if each.name == "Sidor"
    )
    other = world.env.create_guild("Elsewhere")
    room = other.create_text_channel("their-room")
    with no_faults():
        for place in (room.id, "abc", "²", "9" * 25, "1", f"free:{world.zone.id}"):
            told = world.emit(world.gina, f"sg:npc:1:check:{sidor}:{place}")
            await world.env.settle()
            assert "no longer works" in refusal_of(told), place
            board = world.emit(world.ana, f"sg:board:1:{place}:0:0:join")
            await world.env.settle()
            assert "no longer works" in refusal_of(board), place
    assert room.history() == []
    opened = world.emit(world.gina, f"sg:npc:1:check:{sidor}:{world.zone.id}")
    await world.env.settle()
    assert "Sidor: what do you try?" in private(opened)


async def test_a_draft_begins_only_at_its_table(world: World) -> None:
    """What stands in a draft is held against the table as what stands in a button is."""
    await world.table()
    other = world.guild.create_text_channel("other")
    await world.gina.slash(world.zone, "gm bind", channel=other)
    away = world.env.create_guild("Elsewhere").create_text_channel("their-room")
    thread = world.thread()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    send = button(panel, "Send")
    store = world.bot.tables.store
    row = await store.load_panel(send.split(":")[3])
    assert row is not None
    kept = load(row.body)
    kept["values"] |= {"skill": "Climbing", "approach": "up", "attribute": "Fitness"}

    async def pressed(place: Any) -> Any:
        kept["about"]["place"] = place
        await store.save_panel(row.replace(body=dump(kept)))
        told = world.emit(world.ana, send)
        await world.env.settle()
        return told

    with no_faults():
        for place in (str(away.id), "abc", "²", "", 5, None, [], "9" * 25, f"free:{world.zone.id}"):
            assert "no longer works" in refusal_of(await pressed(place)), place
        before = await world.revision()
        await pressed(str(thread.id))
        assert await world.revision() == before + 1, "a thread of the table's own channel"
        await world.gina.slash(world.zone, "gm unbind", channel=str(other.id))
        await world.gina.slash(other, "setup", game="ebb", name="Another")
        before = await world.revision(), len(other.history())
        assert "no longer works" in refusal_of(await pressed(str(other.id)))
        assert (await world.revision(), len(other.history())) == before
    assert away.history() == []


async def test_a_role_that_is_none_leads_no_table(world: World) -> None:
    await world.table(gm_channel=True)
    with no_faults():
        for value in ("²", "9" * 5000, "9" * 25, "1", "", "\ud800"):
            for route in ("sg:gms:1:add_role", "sg:gmch:1", "sg:gms:1:add"):
                told = world.emit(world.gina, route, values=(value,))
                await world.env.settle()
                assert refusal_of(told), (route, value)
    assert (await world.state()).settings.gm_roles == ()
    await world.propose(world.ana, skill="Climbing", visibility="private")
    assert world.newest("Answer", world.gm_room)


async def test_the_dice_of_somebody_forgotten_are_not_thrown_again(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "roll", dice="2d6", reason="secret plan")
    again = button(world.last(), "Roll again")
    asked = message_of(await world.ana.slash(world.zone, "privacy delete"))
    await world.ana.click(asked, custom_id="sg:forget:yes")
    with no_faults():
        for who in (world.ben, world.gina):
            told = world.emit(who, again)
            await world.env.settle()
            assert "no longer works" in refusal_of(told)


async def test_halves_of_signs_are_none(world: World) -> None:
    await world.table()
    with no_faults():
        for custom_id in ("sg:fm:bg:\ud800:x", "sg:imp:\ud800", "sg:look:1", "sg:chk:1:\ud800"):
            told = world.emit(world.ana, custom_id, values=("\ud800",))
            await world.env.settle()
            assert "no longer works" in refusal_of(told), custom_id
        panel = message_of(await world.ana.slash(world.zone, "check"))
        draft = next(each for each in labels(panel) if each.endswith("…"))
        dialog = await world.press(world.ana, panel, draft)
        typed = {
            row["component"]["custom_id"]: "\ud800" for row in (dialog.modal or {})["components"]
        }
        told = world.emit_modal(world.ana, (dialog.modal or {})["custom_id"], **typed)
        await world.env.settle()
        assert "can't be shown" in refusal_of(told)


async def test_one_message_in_trouble_harms_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    carry, seen = Posts.carry, list[int]()

    async def stumble(
        posts: Posts, table: Any, events: Any, out: OutboxRow, seq: int
    ) -> str | None:
        if out.id in seen or (out.kind != "reply" and not seen):
            seen.append(out.id)
            raise ValueError("9" * 10)
        return await carry(posts, table, events, out, seq)

    monkeypatch.setattr(Posts, "carry", stumble)
    monkeypatch.setattr(world.env, "check_errors", False)
    await world.propose(world.ana, skill="Climbing")
    await world.propose(world.ben, skill="Climbing")
    assert seen, "there was something to send"
    assert "your call on Ilka" in texts(world.last()), "what comes after it is sent"
    row = await world.bot.tables.store.outbox_row(seen[0])
    assert row is not None
    assert row.done_at is None, "kept"


async def test_one_table_in_trouble_stops_no_other_clock(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    await world.propose(world.ana, skill="Climbing")
    other = world.guild.create_text_channel("other")
    await world.gina.slash(other, "setup", game="ebb", name="Other")
    olaf = json.dumps(ebb_character("Olaf")).encode()
    await world.ben.slash(other, "character import", file=("olaf.json", olaf))
    await world.ben.slash(other, "check", skill="Climbing", approach="y")
    before = len(world.messages(other))
    perform = scheduler.perform

    async def stumble(tables: Any, table_id: int, *rest: Any) -> Any:
        if table_id == 1:
            raise TypeError("an order that compares a text with a number")
        return await perform(tables, table_id, *rest)

    with monkeypatch.context() as broken:
        broken.setattr(scheduler, "perform", stumble)
        broken.setattr(world.env, "check_errors", False)
        await world.env.advance_time(DAY + HOUR)
        assert len(world.messages(other)) > before
        here = len(world.messages())
        assert "that failed and are tried again: 1" in "\n".join(database_stats(world.path))
    await world.env.advance_time(HOUR)
    assert "reminder: your call on Marek" in str([each.content for each in world.messages()[here:]])
    assert "that failed and are tried again: 0" in "\n".join(database_stats(world.path))
