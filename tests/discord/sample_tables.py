"""The sample tables of `make play` on the simulated Discord of the tests."""

from __future__ import annotations

import pytest
from simcord.actors import MemberActor

from bot import local_table
from bot.samples import Sample, load_sample
from bot.services.loaded_table import Table
from tests.discord.world import World


def sample_people(world: World, sample: Sample) -> tuple[MemberActor, ...]:
    """Return the people of a sample table, its GM first: Gina, Ana, Ben, and new members.

    New members bear the names of the players whom they stand for.
    """
    more = [world.member(player.name.lower()) for player in sample.players[2:]]
    return (world.gina, world.ana, world.ben, *more)


async def open_sample(
    world: World,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    people: tuple[MemberActor, ...] | None = None,
) -> tuple[Sample, Table]:
    """Open a sample table for *people*, by default those of `sample_people`."""
    sample = load_sample(key)
    monkeypatch.setattr(local_table, "GUILD", world.guild.id)
    names = (sample.gm, *(player.name for player in sample.players))
    seated = people or sample_people(world, sample)
    local = local_table.World(world.zone, seated, names)
    table = await local_table._ensure_table(world.bot, local, sample)
    await local_table._prepare(world.bot, local, sample, table)
    await world.bot.outbox.recover()
    await world.env.settle()
    return sample, table
