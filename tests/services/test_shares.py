"""Tables that several processes write to, on one server's database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.services.outbox_plan import ReplyTo
from bot.services.perform import perform
from bot.services.places import PERSONAL_PREFIX
from bot.services.replay import replay
from bot.services.table_opening import create_table, ensure_free_table
from bot.services.tables import Tables
from bot.storage.share import Share
from bot.storage.store import SqlStore
from rules.table.actions import (
    Actor,
    ChangePlaces,
    ChangeSettings,
    CreateTable,
    RollDice,
    SaveRoll,
)
from tests.sample_table import GM, NOON, PLACE, USERS
from tests.storage.postgres_server import schema_for, shared_server

USER = USERS[1][0]
HOME = f"{PERSONAL_PREFIX}{USER}"
#: A server of share 1 of 2.
GUILD = str(1 << 22)


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[tuple[Tables, Tables]]:
    """The tables of two processes on one database: those of share 0 and of share 1."""
    schema = schema_for(tmp_path)
    shared_server().create_schema(schema)
    found: list[Tables] = []
    for number in range(2):
        store = await SqlStore.open(shared_server().address(schema))
        store.database.share = Share(number, 2)
        found.append(Tables(store))
        await found[-1].start()
    yield found[0], found[1]
    for tables in found:
        await tables.store.close()
    shared_server().drop_schema(schema)


async def save_roll(tables: Tables, table_id: int, name: str) -> None:
    """Keep a roll under a name, as the user's command does."""
    table = await tables.get(table_id)
    who = Actor(table.directory.ensure_participant(*USERS[1]))
    action = SaveRoll(who=who, place=HOME, at=NOON, name=name, dice="1d6")
    await perform(tables, table_id, action, name)


async def saved_rolls(tables: Tables, table_id: int) -> list[str]:
    """Return the names of the user's rolls, as a command shows them."""
    table = await tables.get(table_id)
    who = table.directory.known_participant(USER)
    person = table.state.people.get(who or "")
    return [] if person is None else [name for name, _ in person.rolls]


async def test_processes_see_what_others_did_at_a_personal_table(
    processes: tuple[Tables, Tables],
) -> None:
    found = [await ensure_free_table(each, HOME, HOME, NOON) for each in processes]
    assert found[0] == found[1]
    names: list[str] = []
    for number in range(6):
        names.append(f"roll{number}")
        await save_roll(processes[number % 2], found[0], names[-1])
        for tables in processes:
            assert await saved_rolls(tables, found[0]) == names
    assert await replay(processes[0].store, found[0]) == (await processes[1].get(found[0])).state


async def test_no_update_is_lost_at_a_personal_table(processes: tuple[Tables, Tables]) -> None:
    table_id = await ensure_free_table(processes[0], HOME, HOME, NOON)
    await save_roll(processes[0], table_id, "first")
    await saved_rolls(processes[1], table_id)
    for number in range(5):
        names = [f"roll{number} of {side}" for side in range(2)]
        await asyncio.gather(
            *(
                save_roll(tables, table_id, name)
                for tables, name in zip(processes, names, strict=True)
            )
        )
    for tables in processes:
        assert len(await saved_rolls(tables, table_id)) == 11
    assert (await processes[0].get(table_id)).revision == 12


async def test_a_process_reads_tables_of_servers_that_another_serves(
    processes: tuple[Tables, Tables],
) -> None:
    other, owner = processes
    opening = CreateTable(who=GM, place=PLACE, at=NOON, name="The Rim", system="ebb")
    table_id = (await create_table(owner, GUILD, opening, "open", USERS[1], None)).table.id
    assert (await other.get(table_id)).state.settings.name == "The Rim"
    assert other.places.places_of(table_id) == (PLACE,), "bound after this process began"
    renaming = ChangeSettings(who=GM, place=PLACE, at=NOON, values={"name": "The Canal"})
    await perform(owner, table_id, renaming, "name")
    assert (await other.get(table_id)).state.settings.name == "The Canal"
    bind = ChangePlaces(who=GM, place=PLACE, at=NOON, bind="201")
    await perform(owner, table_id, bind, "bind")
    await other.get(table_id)
    assert other.places.places_of(table_id) == (PLACE, "201")


async def test_only_tables_with_other_writers_are_looked_up(
    processes: tuple[Tables, Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, owner = processes
    asked: list[int] = []
    revision = SqlStore.revision

    async def look(store: SqlStore, table_id: int) -> int | None:
        asked.append(table_id)
        return await revision(store, table_id)

    monkeypatch.setattr(SqlStore, "revision", look)
    own = await ensure_free_table(owner, GUILD, "300", NOON)
    personal = await ensure_free_table(owner, HOME, HOME, NOON)
    for table_id in (own, personal):
        await owner.get(table_id)
    assert set(asked) == {personal}
    asked.clear()
    owner.store.database.share = Share()  # pyright: ignore[reportAttributeAccessIssue]
    await owner.get(personal)
    assert not asked, "the only process"


async def test_an_answer_that_was_missed_is_found_again_at_a_personal_table(
    processes: tuple[Tables, Tables],
) -> None:
    """What was done before is looked up while the table's lock is held."""
    table_id = await ensure_free_table(processes[0], HOME, HOME, NOON)
    for tables in processes:
        await save_roll(tables, table_id, "stab")
    table = await processes[0].get(table_id)
    who = Actor(table.directory.ensure_participant(*USERS[1]))
    roll = RollDice(who=who, place=HOME, at=NOON, dice="1d6")
    first = await perform(processes[0], table_id, roll, "roll", ReplyTo(False, "token"))
    assert first.reply is not None
    await processes[0].unsaid.hold(first.reply)
    await save_roll(processes[1], table_id, "other")
    async with asyncio.timeout(20):
        again = await perform(processes[0], table_id, roll, "again", ReplyTo(False, "token"))
    assert again.repeated and again.seq == first.seq
