"""Open points: what all players see of each other's points and cards."""

from __future__ import annotations

import pytest

from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import World, private

pytestmark = pytest.mark.asyncio


@pytest.fixture
def patience() -> bool:
    return False


async def people(world: World) -> str:
    return private(await world.ben.slash(world.zone, "character list"))


async def test_fate_is_seen_by_all_players_and_follows_what_is_spent(world: World) -> None:
    await world.table()
    assert "Marek (<@" in await people(world) and "· 3 Fate" in await people(world)
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="1")
    assert "· 1 Fate" in await people(world)
    assert "· 1 Fate" in private(await world.ben.slash(world.zone, "table show"))
    assert "Everybody sees: 1 Fate" in private(await world.ana.slash(world.zone, "character show"))


async def test_off_hides_them_as_before(world: World) -> None:
    await world.table(open_points=False)
    assert "Fate" not in await people(world)
    assert "Everybody sees" not in private(await world.ana.slash(world.zone, "character show"))


async def test_those_of_npcs_stay_with_the_gms(world: World) -> None:
    await masterbook_table(world, step_in_minutes=60)
    lines = [each for each in (await people(world)).split("\n") if "Life Point" in each]
    assert len(lines) == 2, "Vesna's and Boris's, not the NPCs'"


@pytest.mark.rule("EGO-KAR-02")
async def test_karma_is_left_out_while_somebody_may_spend_it_in_secret(world: World) -> None:
    await ego_table(world, live=False, step_in_minutes=60)
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "orders ask", rounds=True)
    assert (await people(world)).count("5 Karma") == 2
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    before = await people(world)
    assert "Karma" not in before
