"""`/initiative`: one board a place, edited and never repeated, whatever happens to it, to the bot
or to Discord.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import Any

import discord
import pytest
from simcord.actors import MemberActor
from simcord.builders import ChannelHandle
from simcord.results import InteractionResult

from bot.delivery.channels import Channels
from bot.services.replay import replay
from bot.storage.errors import StorageUnavailable
from tests.discord.world import (
    World,
    button,
    head,
    is_layout,
    labels,
    message_of,
    parts,
    pings,
    primary,
    private,
    public,
    refusal_of,
    texts,
)

_BOARD = re.compile(r"Initiative: (over|who's in\?)$|Round \d+")
TURN = ["Attack", "Check", "Delay", "End turn"]
ALL = [*TURN, "My moves", "Join", "NPCs"]


def boards(world: World, room: ChannelHandle | None = None) -> list[discord.Message]:
    """Every message that is or was a board, oldest first."""
    return [each for each in world.messages(room) if is_layout(each) and _BOARD.match(head(each))]


def board(world: World, room: ChannelHandle | None = None) -> discord.Message:
    """The only board of the place."""
    (found,) = boards(world, room)
    return found


def order(world: World, room: ChannelHandle | None = None) -> list[str]:
    """The lines of the board that name somebody."""
    _, lines, *_ = [part["content"] for part in parts(board(world, room)) if "content" in part]
    return lines.replace("\u00a0", " ").split("\n")


def turns(world: World, room: ChannelHandle | None = None) -> list[str]:
    """The calls for whoever acts that stand there, without whom they ping, oldest first."""
    found = [
        re.search(r"\*\*.* (?:turn|up)\.\*\* .*", each.content) for each in world.messages(room)
    ]
    return [each[0].replace("**", "") for each in found if each]


def calls(world: World) -> list[str]:
    """The calls that were ever posted, oldest first."""
    sent = [
        (each.json or {}).get("content")
        for each in world.requests("POST", f"/channels/{world.zone.id}/")
    ]
    return [each.partition("**")[2].replace("**", "") for each in sent if each and "Round" in each]


async def say(world: World, who: MemberActor, command: str, **options: Any) -> InteractionResult:
    return await who.slash(world.zone, f"initiative {command}", **options)


async def fight(world: World, **settings: Any) -> None:
    """Marek, Ilka and a fire; nobody acts yet."""
    await world.table(**settings)
    private(await say(world, world.gina, "start"))
    private(await say(world, world.ana, "join"))
    private(await say(world, world.ben, "join"))
    private(await say(world, world.gina, "add", name="the fire"))


async def choices(
    world: World, who: MemberActor, command: str, option: str, typed: str = ""
) -> list[str]:
    found = await who.autocomplete(world.zone, f"initiative {command}", option, typed)
    return [choice["name"] for choice in found]


# --- a fight --------------------------------------------------------------------------------------


async def test_begin_stands_out_once_somebody_is_there(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    assert primary(board(world)) == []
    await world.ana.slash(world.zone, "initiative join")
    assert primary(board(world)) == ["Begin"]


async def test_a_fight_from_start_to_end(world: World) -> None:
    await world.table()
    assert "Initiative starts" in private(await say(world, world.gina, "start"))
    first = board(world)
    assert head(first) == "Initiative: who's in?"
    assert first.pinned
    assert labels(first) == ["Begin", "Join", "Add all players"]
    assert "Marek joins initiative" in private(await world.press(world.ana, first, "Join"))
    private(await say(world, world.ben, "join", **{"as": "Ilka"}))
    private(await say(world, world.gina, "add", name="the fire"))
    assert order(world) == ["Marek", "Ilka", "the fire"]
    assert "The order is set" in private(await say(world, world.gina, "order", names="ilka, the f"))
    assert order(world) == ["Ilka", "the fire", "Marek"]
    await world.press(world.gina, board(world), "Begin")
    assert turns(world) == ["Ilka, you're up. Round 1. The fire goes next."]
    assert (labels(world.last()), is_layout(world.last())) == (TURN, False)
    assert pings(world.last(), world.env) == [world.ben.id]
    assert head(board(world)) == "Round 1: Ilka's turn"
    assert order(world) == ["▸ **Ilka**: current turn", "the fire", "Marek"]
    assert labels(board(world)) == ALL
    await world.press(world.ben, world.last(), "End turn")
    assert turns(world) == ["The fire's turn. Round 1. Marek goes next."], (
        "the call before it is gone"
    )
    assert pings(world.last(), world.env) == [world.gina.id], "what is the GMs' calls them"
    assert "Marek's turn" in private(await say(world, world.gina, "next"))
    assert pings(world.last(), world.env) == [world.ana.id]
    assert "Marek delays" in private(await world.press(world.ana, board(world), "Delay"))
    assert order(world) == ["▸ **Ilka**: current turn", "the fire", "Marek: delaying"]
    assert head(board(world)) == "Round 2: Ilka's turn"
    assert "Marek acts now" in private(await say(world, world.ana, "delay", back=True))
    assert order(world) == ["▸ **Marek**: current turn", "Ilka", "the fire"]
    assert "Ilka leaves initiative" in private(await say(world, world.ben, "remove", name="Ilka"))
    assert order(world) == ["▸ **Marek**: current turn", "the fire"]
    assert turns(world) == ["Marek, you're up. Round 2. Ilka goes next."]
    assert calls(world) == [
        "Ilka, you're up. Round 1. The fire goes next.",
        "The fire's turn. Round 1. Marek goes next.",
        "Marek, you're up. Round 1. Ilka goes next.",
        "Ilka, you're up. Round 2. The fire goes next.",
        "Marek, you're up. Round 2. Ilka goes next.",
    ]
    private(await say(world, world.gina, "end"))
    assert turns(world) == []
    over = board(world)
    assert (over.id, head(over), labels(over), over.pinned) == (
        first.id,
        "Initiative: over",
        [],
        False,
    )
    assert pings(over, world.env) == []
    private(await say(world, world.gina, "start"))
    assert [head(each) for each in boards(world)] == ["Initiative: over", "Initiative: who's in?"]


async def test_the_house_rule_is_told_where_it_is_shown(world: World) -> None:
    await world.table(house_initiative=True)
    await say(world, world.gina, "start")
    world.dice.lay(4)
    assert "4 + 1 (Alertness) = 5" in private(await say(world, world.ana, "join"))
    world.dice.lay(10, 2)
    private(await say(world, world.ben, "join"))
    assert order(world) == ["Ilka (13)", "Marek (5)"]
    assert "House rule: Storyguide rolled this order" in texts(board(world))
    tables = world.bot.tables
    (table_id,) = set((await tables.store.place_tables()).values())
    assert world.dice.left == 0
    assert (await tables.get(table_id)).state.encounters


async def test_what_was_done_can_be_done_again_from_the_journal(world: World) -> None:
    await fight(world, house_initiative=True)
    await say(world, world.gina, "next")
    await say(world, world.gina, "delay")
    await world.gina.slash(world.zone, "gm undo")
    tables = world.bot.tables
    (table_id,) = set((await tables.store.place_tables()).values())
    assert await replay(tables.store, table_id) == (await tables.get(table_id)).state


async def test_places_have_boards_of_their_own(world: World) -> None:
    await fight(world)
    thread = world.thread()
    private(await world.gina.slash(thread, "initiative start"))
    there = refusal_of(await world.ben.slash(thread, "initiative join"))
    assert f"Ilka is in initiative in <#{world.zone.id}>" in there
    assert "`/initiative remove`" in there
    private(await say(world, world.ben, "remove", name="Ilka"))
    private(await world.ben.slash(thread, "initiative join"))
    assert order(world, thread) == ["Ilka"]
    assert order(world) == ["Marek", "the fire"]
    assert "Ilka is in initiative in" in refusal_of(
        await say(world, world.gina, "add", name="Ilka")
    )
    world.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
    world.env.inject_error("PATCH", f"/channels/{thread.id}/messages/*", status=400, code=50083)
    private(await world.gina.slash(thread, "initiative add", name="a draft"))
    assert order(world, thread) == ["Ilka", "a draft"]


async def test_whose_turn_it_is_acts_when_nobody_is_named(world: World) -> None:
    await fight(world)
    await world.bring(world.ana, "Vesna")
    await say(world, world.ana, "join", **{"as": "Vesna"})
    await say(world, world.gina, "order", names="Vesna")
    await say(world, world.gina, "next")
    assert "Vesna" in public(await world.propose(skill="Climbing"))
    kept = private(await say(world, world.ana, "next"))
    assert "Vesna's turn is about to end" in kept
    assert "Vesna's check `c1` waits for the GM." in kept
    assert "Vesna's turn ends when this is over" in texts(board(world))
    panel = message_of(await world.press(world.ana, world.newest("Edit"), "Edit"))
    await world.press(world.ana, panel, "Withdraw")
    assert "Marek, you're up." in turns(world)[-1]
    assert "ends when" not in texts(board(world))
    assert "Marek" in public(await world.propose(skill="Climbing"))


async def test_everybody_may_look_at_the_order(world: World) -> None:
    await fight(world)
    shown = await say(world, world.ben, "show")
    assert "Marek\nIlka\nthe fire" in private(shown)
    assert labels(message_of(shown)) == []


async def test_fifty_long_names_fit(world: World) -> None:
    await world.table()
    await say(world, world.gina, "start")
    for number in range(50):
        await say(world, world.gina, "add", name=f"{number}" + "*_" * 39)
    assert len(order(world)) == 50
    assert order(world)[-1].startswith("49")
    assert "Initiative is full" in refusal_of(await say(world, world.ana, "join"))


# --- the message ----------------------------------------------------------------------------------


async def test_a_board_that_somebody_deleted_is_posted_anew(world: World) -> None:
    await fight(world)
    world.env.backend.delete_message(world.zone.id, board(world).id)
    await say(world, world.gina, "next")
    new = board(world)
    assert new.pinned
    assert order(world)[0] == "▸ **Marek**: current turn"
    await say(world, world.gina, "next")
    assert board(world).id == new.id


async def test_a_board_that_cannot_be_edited_any_more_is_posted_anew(world: World) -> None:
    await fight(world)
    old = board(world)
    world.env.inject_error("PATCH", f"/channels/{world.zone.id}/messages/*", status=400, code=30046)
    await say(world, world.gina, "next")
    _, new = boards(world)
    assert new.id != old.id
    assert [each.pinned for each in boards(world)] == [False, True]
    await say(world, world.gina, "next")
    assert head(boards(world)[0]) == "Initiative: who's in?", "the old one is left alone"
    assert "Ilka**: current turn" in texts(boards(world)[1])


async def test_without_the_right_to_pin_it_stays_unpinned(world: World) -> None:
    await world.table()
    path = f"/channels/{world.zone.id}/messages/pins/*"
    world.env.inject_error("PUT", path, status=403, code=50013)
    private(await say(world, world.gina, "start"))
    assert not board(world).pinned
    await say(world, world.ana, "join")
    assert order(world) == ["Marek"]
    world.env.inject_error("DELETE", path, status=403, code=50013)
    private(await say(world, world.gina, "end"))
    assert head(board(world)) == "Initiative: over"


async def test_trouble_at_discord_is_made_good_later(world: World) -> None:
    await fight(world)
    world.env.settle_timeout = 1.0
    path = f"/channels/{world.zone.id}/messages"
    before = len(world.requests("PATCH", path))
    world.env.inject_error("PATCH", f"{path}/*", status=503)
    private(await say(world, world.gina, "next"))
    await world.env.advance_time(5)
    assert len(world.requests("PATCH", path)) >= before + 2, "the first edit failed"
    assert order(world)[0] == "▸ **Marek**: current turn"


async def test_edits_call_nobody_and_are_few(world: World) -> None:
    await fight(world)
    before = len(world.requests("PATCH", f"/channels/{world.zone.id}/messages"))
    for _ in range(4):
        await say(world, world.gina, "next")
    edits = world.requests("PATCH", f"/channels/{world.zone.id}/messages")[before:]
    assert len(edits) == 4
    for request in edits:
        mentions = (request.json or {})["allowed_mentions"]
        assert not any(mentions.get(kind) for kind in ("parse", "users", "roles"))
    assert len(world.requests("PUT", f"/channels/{world.zone.id}/messages/pins")) == 1


# --- restarts -------------------------------------------------------------------------------------


async def test_a_fight_goes_on_after_restarts(world: World) -> None:
    await world.table()
    await say(world, world.gina, "start")
    first = board(world).id
    for who in (world.ana, world.ben):
        await world.restart()
        private(await world.press(who, board(world), "Join"))
    for who in (world.gina, world.ana, world.ben):
        await world.restart()
        await world.press(
            who, board(world), labels(board(world))[0] if who is world.gina else "End turn"
        )
    await world.restart()
    assert order(world) == ["▸ **Marek**: current turn", "Ilka"]
    assert board(world).id == first
    assert turns(world) == ["Marek, you're up. Round 2. Ilka goes next."]


async def test_a_board_left_behind_is_brought_up_to_date_at_the_start(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fight(world)

    async def lost(*args: Any) -> str:
        raise OSError("the connection is gone")

    with monkeypatch.context() as patch:
        patch.setattr("bot.delivery.boards.Boards.carry", lost)
        world.env.settle_timeout = 1.0
        await say(world, world.gina, "next")
        await say(world, world.gina, "next")
        assert head(board(world)) == "Initiative: who's in?"
        await world.bot.close()
    await world.restart()
    assert order(world) == ["-# Marek: done", "▸ **Ilka**: current turn", "the fire"]


async def test_a_board_posted_but_not_noted_is_found_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()

    async def full(*args: Any) -> None:
        raise StorageUnavailable("full", "x")

    with monkeypatch.context() as patch:
        patch.setattr("bot.storage.store.SqlStore.mark_done", full)
        await say(world, world.gina, "start")
        await say(world, world.ana, "join")
        assert order(world) == ["Marek"], "found even before the restart"
        await world.bot.close()
    await world.restart()
    first = board(world).id
    await say(world, world.ben, "join")
    await world.restart()
    await say(world, world.gina, "next")
    assert board(world).id == first
    assert order(world) == ["▸ **Marek**: current turn", "Ilka"]


async def test_a_board_found_again_after_its_end_is_noted_and_is_none_any_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    await say(world, world.gina, "start")
    posted = board(world).id

    async def lost(*args: Any) -> str:
        raise OSError("the process ends here")

    with monkeypatch.context() as patch:
        patch.setattr("bot.delivery.boards.Boards.carry", lost)
        world.env.settle_timeout = 1.0
        await say(world, world.gina, "end")
        await world.bot.close()
    for _ in range(2):  # the second time it has no buttons any more
        with closing(sqlite3.connect(world.path)) as connection, connection:
            connection.execute(
                "UPDATE outbox SET done_at = NULL, message = NULL WHERE kind = 'board'"
            )
        await world.restart()
        assert (board(world).id, head(board(world))) == (posted, "Initiative: over")
        with closing(sqlite3.connect(world.path)) as connection:
            noted = connection.execute(
                "SELECT closed FROM outbox WHERE message LIKE ?", (f"%/{posted}",)
            )
            assert noted.fetchall() == [(1,)]
        await world.bot.close()
    await world.restart()
    await say(world, world.gina, "start")
    assert [head(each) for each in boards(world)] == ["Initiative: over", "Initiative: who's in?"]


async def test_a_board_whose_posting_was_in_doubt_is_not_posted_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    world.env.settle_timeout = 1.0
    post = Channels.post

    async def cut(*args: Any) -> str:
        await post(*args)
        raise OSError("cut off before the answer")

    monkeypatch.setattr(Channels, "post", cut)
    await say(world, world.gina, "start")
    await say(world, world.ana, "join")
    await world.env.advance_time(30)
    assert order(world) == ["Marek"]
    assert board(world).pinned


# --- crowds ---------------------------------------------------------------------------------------


async def test_pressing_next_twice_skips_nobody(world: World) -> None:
    await fight(world)
    begin = board(world)
    _, second = (world.emit(world.gina, button(begin, "Begin"), begin) for _ in range(2))
    await world.env.settle()
    assert "The turn has moved on: in round 1 it's Marek's turn." in refusal_of(second)
    shown = board(world)
    pressed = [world.emit(who, button(shown, "End turn"), shown) for who in (world.gina, world.ana)]
    pressed.append(world.emit(world.gina, button(shown, "Delay"), shown))
    await world.env.settle()
    refusal_of(pressed[1])
    refusal_of(pressed[2])
    assert order(world) == ["-# Marek: done", "▸ **Ilka**: current turn", "the fire"]


async def test_many_who_join_at_once_are_all_there(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    await say(world, world.gina, "start")
    shown = board(world)
    for who in (world.ana, world.ben, world.gina, world.ana):
        world.emit(who, button(shown, "Join"), shown)
    await world.env.settle()
    assert sorted(order(world)) == ["Ilka", "Marek"], "of Sidor nobody knows"
    assert "Sidor" in private(await say(world, world.gina, "show"))


# --- undo -----------------------------------------------------------------------------------------


async def test_undo_draws_the_board_anew(world: World) -> None:
    await fight(world)
    await say(world, world.gina, "next")
    await say(world, world.gina, "next")
    assert order(world)[1] == "▸ **Ilka**: current turn"
    private(await world.gina.slash(world.zone, "gm undo"))
    assert order(world)[0] == "▸ **Marek**: current turn"
    assert "Undone" not in texts(board(world))
    assert turns(world) == ["Marek, you're up. Round 1. Ilka goes next."], "called once more"
    await world.restart()
    await world.press(world.ana, world.newest("End turn"), "End turn")
    assert turns(world) == ["Ilka, you're up. Round 1. The fire goes next."]


async def test_undoing_the_start_and_the_end(world: World) -> None:
    await world.table()
    await say(world, world.gina, "start")
    private(await world.gina.slash(world.zone, "gm undo"))
    assert (head(board(world)), labels(board(world))) == ("Initiative: over", [])
    await say(world, world.gina, "start")
    await say(world, world.ana, "join")
    await say(world, world.gina, "end")
    private(await world.gina.slash(world.zone, "gm undo"))
    newest = boards(world)[-1]
    assert (head(newest), newest.pinned) == ("Initiative: who's in?", True)
    assert "Marek" in texts(newest)


async def test_players_take_back_what_rolled_nothing(world: World) -> None:
    await fight(world)
    private(await say(world, world.ana, "remove", name="Marek"))
    private(await world.ana.slash(world.zone, "table undo"))
    assert order(world) == ["Marek", "Ilka", "the fire"]


# --- secrets --------------------------------------------------------------------------------------


async def test_players_never_see_a_name_they_do_not_know(world: World) -> None:
    await fight(world, house_initiative=True)
    await world.gina.slash(world.zone, "gm npc add", name="Quillon")
    await world.gina.slash(world.zone, "gm npc add", name="Zadornov", alias="the hooded man")
    assert "Quillon joins initiative" in private(
        await say(world, world.gina, "add", name="quillon")
    )
    private(await say(world, world.gina, "add", name="zadornov"))
    private(await say(world, world.gina, "order", names="Quillon, Zadornov"))
    hidden = await say(world, world.gina, "next")
    assert "Quillon's turn" in private(hidden) and labels(message_of(hidden)) == TURN
    assert (turns(world), head(board(world)), len(order(world))) == ([], "Round 1", 4)
    await world.press(world.gina, message_of(hidden), "End turn")
    assert turns(world)[0].startswith("The hooded man's turn. Round 1.")
    assert order(world)[0] == "▸ **the hooded man**: current turn"
    for name in ("Quillon", "Zadornov", "k3"):
        text = refusal_of(await say(world, world.ben, "remove", name=name))
        assert "isn't in initiative here. For example" in text
        assert name not in text.replace(f"“{name}”", "", 1)
    assert "It's not your turn, it's the hooded man's." in refusal_of(
        await say(world, world.ben, "next")
    )
    for who in (world.ana, world.ben):
        own = "Marek" if who is world.ana else "Ilka"
        assert await choices(world, who, "add", "name") == []
        for command, option in (("order", "names"), ("delay", "as"), ("remove", "name")):
            assert await choices(world, who, command, option) == [own]
    await say(world, world.ben, "show")
    private(await world.ana.slash(world.zone, "moves"))
    private(await world.ana.slash(world.zone, "table show"))
    await world.gina.slash(world.zone, "gm undo")
    assert "It's not your turn." in refusal_of(await say(world, world.ana, "next"))
    # Ben has typed the names himself; whatever reached Ana holds neither.
    seen = world.told(world.ana) + "\n".join(world.visible_to(world.ana))
    assert "Zadornov" not in seen and "Quillon" not in seen
    shown = private(await say(world, world.gina, "show"))
    assert "Quillon" in shown and "Zadornov" in shown


async def test_a_name_revealed_is_shown_and_whoever_is_taken_out_drops_out(world: World) -> None:
    await fight(world)
    await world.gina.slash(world.zone, "gm npc add", name="Quillon", alias="the stranger")
    await say(world, world.gina, "add", name="Quillon")
    assert order(world)[3] == "the stranger"
    await world.gina.slash(world.zone, "gm npc reveal", npc="Quillon")
    assert order(world)[3] == "Quillon"
    private(await world.gina.slash(world.zone, "gm npc remove", npc="Quillon"))
    assert order(world) == ["Marek", "Ilka", "the fire"]


async def test_suggestions_are_what_fits(world: World) -> None:
    await fight(world)
    await world.gina.slash(world.zone, "gm npc add", name="Bandit", count=2)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor")
    found = await choices(world, world.gina, "add", "name")
    assert "Bandit (all 2)" in found
    assert not {"Marek", "Ilka"} & set(found)
    assert await choices(world, world.gina, "order", "names", "Ilka, the") == ["Ilka, the fire"]
    assert await choices(world, world.gina, "order", "names", "Ilka, ") == [
        "Ilka, Marek",
        "Ilka, the fire",
    ]
    assert await choices(world, world.gina, "remove", "name", "mar") == ["Marek"]
    assert await choices(world, world.ana, "join", "as") == ["Marek"]
    private(await say(world, world.gina, "add", name="Bandit"))
    assert len(order(world)) == 3, "the bandits are off stage"
    private(await world.gina.slash(world.zone, "gm npc reveal", npc="Bandit"))
    assert order(world)[3:] == ["Bandit 1", "Bandit 2"]


# --- what is refused ------------------------------------------------------------------------------


async def test_what_cannot_be_done_says_why(world: World) -> None:
    await world.table()
    for command, options in (
        ("join", {}),
        ("add", {"name": "x"}),
        ("order", {"names": "x"}),
        ("next", {}),
        ("delay", {}),
        ("remove", {"name": "x"}),
        ("show", {}),
        ("end", {}),
    ):
        assert "/initiative start" in refusal_of(await say(world, world.gina, command, **options))
    assert "Only the GM" in refusal_of(await say(world, world.ana, "start"))
    await say(world, world.gina, "start")
    assert "already running in this channel" in refusal_of(await say(world, world.gina, "start"))
    assert "Nobody is in initiative yet" in refusal_of(await say(world, world.gina, "next"))
    assert "hasn't begun" in refusal_of(await say(world, world.gina, "delay"))
    await say(world, world.ana, "join")
    assert "Marek is already in initiative." in refusal_of(
        await world.press(world.ana, board(world), "Join")
    )
    assert "Only the GM" in refusal_of(await world.press(world.ana, board(world), "Begin"))
    assert "Did you mean “Marek”?" in refusal_of(
        await say(world, world.gina, "order", names="Merak")
    )
    assert "is there twice" in refusal_of(
        await say(world, world.gina, "order", names="Marek, marek")
    )
    assert "is empty" in refusal_of(await say(world, world.gina, "order", names=" , "))
    await say(world, world.gina, "next")
    assert "It's not your turn, it's Marek's." in refusal_of(await say(world, world.ben, "next"))
    assert "Everybody else is delaying" in refusal_of(await say(world, world.ana, "delay"))
    assert "None of your characters is delaying." in refusal_of(
        await say(world, world.ana, "delay", back=True)
    )
    assert "only they can do that" in refusal_of(
        await say(world, world.ben, "remove", name="Marek")
    )
    assert "Only the GM" in refusal_of(await say(world, world.ana, "end"))
    assert "No character yet" in refusal_of(await say(world, world.gina, "join"))
    assert len(boards(world)) == 1


@pytest.mark.parametrize(
    "rest", ["", ":0:0", ":0:0:explode", ":0:x:next", ":999:0:next", ":0:999:delay"]
)
async def test_buttons_that_mean_nothing_are_answered(world: World, rest: str) -> None:
    await fight(world)
    pressed = world.emit(world.gina, f"sg:board:1:{world.zone.id}{rest}", board(world))
    await world.env.settle()
    assert "fault in Storyguide" not in refusal_of(pressed)
    assert order(world) == ["Marek", "Ilka", "the fire"]


async def test_the_alias_of_a_group_is_no_name_for_something_else(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Orc", count=3, alias="brute")
    await world.gina.slash(world.zone, "initiative start")
    text = refusal_of(await world.gina.slash(world.zone, "initiative add", name="Brute"))
    assert "Did you mean the group Orc (Brute)?" in text
    assert (await world.state()).encounters[str(world.zone.id)].order == ()
    private(await world.gina.slash(world.zone, "initiative add", name="orc"))
    assert len((await world.state()).encounters[str(world.zone.id)].order) == 3


async def test_a_buried_board_moves_down_when_it_changes(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.env.settle()

    def boards() -> list[int]:
        return [each.id for each in world.messages() if "Join" in labels(each) and is_layout(each)]

    (first,) = boards()
    for _ in range(11):
        await world.ana.slash(world.zone, "roll", dice="1d6")
    await world.ben.slash(world.zone, "initiative join")
    await world.env.settle()
    assert boards() == [first]
    await world.env.advance_time(11 * 60)
    await world.gina.slash(world.zone, "initiative add", name="A storm", score=1)
    await world.env.settle()
    (second,) = boards()
    assert second > first
    await world.gina.slash(world.zone, "initiative next")
    await world.env.settle()
    assert boards() == [second]
    await world.restart()
    await world.gina.slash(world.zone, "initiative remove", name="A storm")
    await world.env.settle()
    assert boards() == [second]
