"""One row, one table, one press in trouble harms no other."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, cast

import discord
import pytest
from simcord.actors import MemberActor

from bot.delivery.event_messages import event_messages
from bot.delivery.missed_answers import MissedAnswers
from bot.delivery.posts import Posts
from bot.delivery.refused_messages import REFUSED_RETRY_DELAYS
from bot.delivery.retries import SEND_RETRY_DELAYS
from bot.services.loaded_table import Table
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from bot.storage.row_records import OutboxRow
from bot.storage.store import SqlStore
from bot.upkeep import Upkeep
from tests.discord.world import World, message_of, private, select, selected_values, texts

MISSED = "You missed this"


async def _missed(world: World) -> None:
    """Ana never got the answer to a private roll."""
    world.dice.lay(3)
    world.env.inject_error(
        "POST", "/interactions/*", status=404, code=10062, message="Unknown interaction"
    )
    await world.ana.slash(world.zone, "roll", dice="d6", visibility="private")
    await world.env.settle()


async def test_a_late_answer_that_cannot_be_told_spoils_none_that_follow(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await world.table()
    await _missed(world)
    tell = MissedAnswers.late_messages

    async def fails(*_: Any) -> Any:
        raise RuntimeError

    monkeypatch.setattr(MissedAnswers, "late_messages", fails)
    proposed = await world.propose(skill="Climbing")
    assert not proposed.followups, "nobody is told of a fault in what they did not ask for"
    assert "your call on Marek" in texts(world.newest("Answer")), "the GM is called all the same"
    assert "outbox.late-faulty" in [each.getMessage() for each in caplog.records]
    monkeypatch.setattr(MissedAnswers, "late_messages", tell)
    assert MISSED in private(await world.ana.slash(world.zone, "table last")), (
        "it is told once it can be"
    )


async def test_an_answer_that_cannot_be_told_keeps_nothing_from_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()

    def fails(table: Table, events: Any, seq: int, person: str | None, **how: Any) -> Any:
        if person is not None:
            raise RuntimeError
        return event_messages(table, events, seq, person, **how)

    monkeypatch.setattr("bot.delivery.outbox.event_messages", fails)
    assert "a fault in Storyguide" in private(
        await world.gina.slash(world.zone, "initiative start")
    )
    assert "Nobody is here yet" in texts(world.newest("Join")), "everybody sees the board"
    monkeypatch.setattr("bot.delivery.outbox.event_messages", event_messages)
    assert MISSED in private(await world.gina.slash(world.zone, "table last"))
    (error,) = world.env.errors
    assert isinstance(error.__cause__, RuntimeError)


async def test_a_storage_in_trouble_delays_what_is_said_and_loses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    store, told = world.bot.tables.store, SqlStore.live_messages

    async def locked(*_: Any, **__: Any) -> Any:
        raise StorageUnavailable("locked", "database is locked")

    monkeypatch.setattr(SqlStore, "live_messages", locked)
    monkeypatch.setattr(SqlStore, "mark_failed", locked)
    await world.rule()
    monkeypatch.setattr(SqlStore, "live_messages", told)
    await world.env.advance_time(sum(SEND_RETRY_DELAYS))
    assert "## Marek, roll" in texts(world.card())
    assert ", Marek, roll" in world.newest("Roll").content
    assert not [out for out in await store.unsent_rows() if out.kind in ("card", "call")]


async def test_what_cannot_be_put_into_words_keeps_no_channel_closed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    carry, faulty = Posts.carry, list[int]()
    first, second = [await _called(world, who) for who in (world.ana, world.ben)]
    path = f"/channels/{world.zone.id}/messages"
    world.env.inject_error("POST", path, status=403, code=50013, message="Missing", times=2)

    async def fails(posts: Posts, table: Table, events: Any, out: OutboxRow, seq: int) -> str:
        faulty.append(out.id) if out.kind == "call" and not faulty else None
        if out.id in faulty:
            raise RuntimeError
        return await carry(posts, table, events, out, seq)

    monkeypatch.setattr(Posts, "carry", fails)
    await world.rule(first)
    await world.rule(second)
    assert faulty
    assert not [each for each in world.messages() if ", roll" in each.content]
    await world.env.advance_time(REFUSED_RETRY_DELAYS[0] + 1)
    await world.env.advance_time(REFUSED_RETRY_DELAYS[1] + 1)
    (call,) = [each for each in world.messages() if ", roll" in each.content]
    assert "Ilka" in call.content, "the other one waits for nobody's fault"


async def test_a_table_that_cannot_be_tidied_up_keeps_none_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Tidying:
        """Three tables, of which the last to be listed is damaged."""

        left: ClassVar = [1, 2, 3]
        tried: ClassVar[list[int]] = []
        purged = asyncio.Event()

        async def untidy_tables(self, _: object) -> tuple[int, ...]:
            return tuple(self.left)

        async def tidy(self, table: int, _: object) -> bool:
            self.tried.append(table)
            if table == 3:
                raise ValueError("damaged")
            self.left.remove(table)
            return False

        async def purge(self) -> None:
            self.purged.set()

    store = Tidying()
    upkeep = Upkeep(Tables(cast("Any", store)), lambda: 0, 90, 2000, lambda: False)
    monkeypatch.setattr("bot.upkeep._MIN_REST", 0.0)
    upkeep.wake()
    await asyncio.wait_for(store.purged.wait(), 20)
    await asyncio.sleep(0.05)
    await upkeep.close()
    assert store.left == [3]
    assert store.tried.count(3) == 1, "it is not tried again and again"


async def test_two_menus_chosen_at_once_both_count(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    for menu, value in (("Difficulty", "Tricky"), ("All the rest", "hidden")):
        world.emit(world.gina, select(panel, menu), panel, values=(value,))
    await world.env.settle()
    assert selected_values(panel, "Difficulty") == ["Tricky"]
    assert selected_values(panel, "All the rest") == ["hidden"]


async def _called(world: World, who: MemberActor) -> discord.Message:
    """A proposal; the message that calls the GM to answer it."""
    await world.propose(who, skill="Climbing")
    return world.newest("Answer")
