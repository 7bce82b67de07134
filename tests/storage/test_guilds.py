"""Which systems are played on which server."""

from __future__ import annotations

from bot.storage.store import Store
from tests.storage.stores import Keeper, new_entry, new_table


async def test_no_table_no_system(store: Store) -> None:
    assert await store.guild_systems() == {}


async def test_each_server_with_the_systems_of_its_tables(keeper: Keeper) -> None:
    store = await keeper.open()
    for place, guild, system in (
        ("1", "100", "ebb"),
        ("2", "100", "ego"),
        ("3", "100", "ebb"),
        ("4", "200", "ego"),
    ):
        await store.create_table(
            new_table(place, guild=guild, system=system), new_entry(f"open {place}")
        )
    store = await keeper.reopen()
    assert await store.guild_systems() == {
        "100": frozenset({"ebb", "ego"}),
        "200": frozenset({"ego"}),
    }
