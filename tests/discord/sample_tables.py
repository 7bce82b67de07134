"""The sample tables of `make play` on the simulated Discord of the tests."""

from __future__ import annotations

import pytest

from bot import local_table
from bot.samples import Sample, load_sample
from bot.services.loaded_table import Table
from tests.discord.world import World


async def open_sample(
    world: World, key: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[Sample, Table]:
    """Open a sample table: Gina is its GM, Ana and Ben are its players, in the sample's order."""
    sample = load_sample(key)
    monkeypatch.setattr(local_table, "GUILD", world.guild.id)
    names = (sample.gm, *(player.name for player in sample.players))
    local = local_table.World(world.zone, (world.gina, world.ana, world.ben), names)
    table = await local_table._ensure_table(world.bot, local, sample)
    await local_table._prepare(world.bot, local, sample, table)
    await world.bot.outbox.recover()
    await world.env.settle()
    return sample, table
