"""`/table luck`: final rolls that everybody was shown, and nothing else."""

from __future__ import annotations

import re

from simcord.actors import MemberActor

from tests.discord.world import DAY, World, labels, private, secret_room


async def luck(world: World, who: MemberActor) -> str:
    """What `/table luck` tells somebody."""
    return private(await who.slash(world.zone, "table luck"))


def rolls(told: str, name: str) -> int:
    """How many rolls of somebody were counted."""
    found = re.search(rf"\*\*{name}\*\*: (?:\w+ percentile over )?(\d+) roll", told)
    return int(found[1]) if found else 0


async def test_public_rolls_count_and_no_others(world: World) -> None:
    await world.table(gm_channel=True)
    assert "Nobody has rolled in public yet" in await luck(world, world.ben)
    vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    for _ in range(20):
        await world.ana.slash(world.zone, "roll", dice="2d6")
    await world.gina.slash(world.zone, "roll", dice="2d6", visibility="blind")
    await world.ana.slash(world.zone, "roll", dice="2d6", visibility="private")
    await world.ana.slash(vault, "roll", dice="2d6")
    told = await luck(world, world.ben)
    assert rolls(told, "Ana") == 20 and "percentile over 20 rolls" in told
    assert "Gina" not in told
    # Ana can view the vault.
    assert rolls(await luck(world, world.ana), "Ana") == 21
    await world.restart()
    assert rolls(await luck(world, world.ben), "Ana") == 20


async def test_a_check_counts_once_it_is_final(world: World) -> None:
    await world.table()
    card = await world.rolled(5, 2)
    if "Accept result" in labels(card):
        assert rolls(await luck(world, world.ben), "Ana") == 0
    await world.env.advance_time(3 * DAY)
    told = await luck(world, world.ben)
    assert "2 rolls, too few to say anything" in told
