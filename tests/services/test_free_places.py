"""Places without a table get one of their own: once, whoever comes first, and nobody is told."""

from __future__ import annotations

import asyncio

import pytest

from bot.services.perform import perform
from bot.services.replay import replay
from bot.services.table_opening import create_table, ensure_free_table
from bot.services.tables import Tables
from rules.core.errors import Impossible, InvalidInput
from rules.table.actions import Actor, AddNpcs, CreateTable, DrawCards, ImportCharacter, RollDice
from tests.sample_table import GM, GUILD, NOON, PLACE, USERS, House, by, ebb_character, propose


async def _count(tables: Tables) -> int:
    return len(await tables.store.place_tables())


async def test_many_at_once_open_one(house: House) -> None:
    tables, other = await house.enter(), await house.enter()
    found = await asyncio.gather(
        *(ensure_free_table(each, GUILD, PLACE, NOON) for each in (tables, other) * 10)
    )
    assert len(set(found)) == 1
    assert await tables.store.place_tables() == {f"free:{PLACE}": found[0]}
    ((row, _),) = await tables.store.entries(found[0])
    assert (row.request_id, row.kind, row.actor, row.events) == (
        f"free:{PLACE}",
        "CreateTable",
        "system",
        "[]",
    )
    assert await tables.store.unsent_rows() == ()


async def test_it_is_found_again_after_a_restart(house: House) -> None:
    tables = await house.enter()
    first = await ensure_free_table(tables, GUILD, PLACE, NOON)
    table = await tables.get(first)
    who = table.directory.ensure_participant(*USERS[1])
    roll = RollDice(who=Actor(who), place=PLACE, at=NOON, dice="2d6")
    done = await perform(tables, first, roll, "roll")
    tables = await house.restart()
    assert await ensure_free_table(tables, GUILD, PLACE, NOON + 1) == first
    assert await ensure_free_table(tables, GUILD, "201", NOON) != first
    assert (await perform(tables, first, roll, "roll")).events == done.events
    assert await replay(tables.store, first) == (await tables.get(first)).state


async def test_the_place_stays_free_for_a_table(house: House) -> None:
    tables = await house.enter()
    await ensure_free_table(tables, GUILD, PLACE, NOON)
    await create_table(
        tables, GUILD, CreateTable(**by(GM), name="T", system="ebb"), "open", USERS[0], None
    )
    assert await _count(tables) == 2


async def test_nobody_opens_one_by_hand(house: House) -> None:
    tables = await house.enter()
    with pytest.raises(InvalidInput):
        await create_table(
            tables, GUILD, CreateTable(**by(GM), name="T", system="free"), "open", USERS[0], None
        )
    assert await _count(tables) == 0


async def test_there_are_no_rules(house: House) -> None:
    tables = await house.enter()
    table_id = await ensure_free_table(tables, GUILD, PLACE, NOON)
    assert (await tables.get(table_id)).directory.ensure_participant("501", "Gia") == GM.id
    await perform(tables, table_id, DrawCards(**by(GM)), "draw")
    with pytest.raises(Impossible) as caught:
        await perform(
            tables, table_id, ImportCharacter(**by(GM), data=ebb_character("Anna")), "import"
        )
    assert caught.value.code == "no-rules-here"
    for number, action in enumerate((propose(GM), AddNpcs(**by(GM), name="Rat"))):
        before = (await tables.get(table_id)).state
        with pytest.raises(Exception, match=r"not-in-these-rules|gm-only"):
            await perform(tables, table_id, action, f"no {number}")
        assert (await tables.get(table_id)).state is before
