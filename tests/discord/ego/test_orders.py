"""Standing orders under EGO: what is offered, and how it is named."""

from __future__ import annotations

from tests.discord.ego.table import open_table
from tests.discord.world import World, private, refusal_of


async def test_an_order_is_found_by_its_name_without_the_price(world: World) -> None:
    await open_table(world)
    given = private(
        await world.ana.slash(
            world.zone, "orders give", order="Attack: Parry", keep="Action Points", amount=1
        )
    )
    assert "Parry" in given and "block" not in given.casefold()


async def test_only_what_a_check_can_cost_is_kept_in_reserve(world: World) -> None:
    await open_table(world)
    offered = await world.ana.autocomplete(world.zone, "orders give", "keep", "")
    assert {each["name"] for each in offered} == {"Karma", "Action Points"}
    text = refusal_of(
        await world.ana.slash(world.zone, "orders give", order="Attack: Parry", keep="Funds")
    )
    assert "Lethal" not in text and "lethal" not in text and "Karma" in text


async def test_nobody_is_offered_to_tumble_who_cannot(world: World) -> None:
    await open_table(world, boris={"specialties": []})
    assert await world.ana.autocomplete(world.zone, "orders give", "order", "attack: tumb")
    assert not await world.ben.autocomplete(world.zone, "orders give", "order", "attack: tumb")
    refusal_of(await world.ben.slash(world.zone, "orders give", order="Attack: Tumble"))
