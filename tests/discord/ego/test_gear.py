"""What characters own: armor, magazines, thrown weapons, and what it costs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rules.systems.ego.character.combat_values import wear
from rules.systems.ego.character.sheet import WornArmor, with_suits
from tests.discord.ego import play
from tests.discord.ego.play import DIRK, bring, plain, sheet
from tests.discord.world import World, private, said
from tests.rules.ego.play import HERO, Play


async def _dirk(world: World, funds: int = 0, **more: Any) -> None:
    """Bring in Ana's Dirk with that much money."""
    await bring(world, world.ana, {**DIRK, "funds": funds, **more}, grown=True)


async def _shown(world: World) -> str:
    """What Ana reads of her sheet, without what makes it bold."""
    return plain(said(await world.ana.slash(world.zone, "character show")))


async def _exported(world: World) -> dict[str, Any]:
    """The file of Ana's character."""
    (file,) = said(await world.ana.slash(world.zone, "character export")).attachments
    return json.loads(await file.read())


@pytest.mark.rule("EGO-ARM-01")
async def test_armor_that_is_bought_stands_beside_the_old_one(world: World) -> None:
    await play.table(world)
    await _dirk(world, 500, armour="Chain 9/10")
    await world.ana.slash(world.zone, "ego buy", what="Padded")
    chain, padded, plate = (
        WornArmor("Chain", 9, 10),
        WornArmor("Padded", 3, 3),
        WornArmor("Plate", 12, 12),
    )
    made = await sheet(world, "Dirk")
    assert (made.armour, made.spare_armour) == (chain, (padded,)), "the best one counts"
    await world.ana.slash(world.zone, "ego buy", what="Plate", count=2)
    made = await sheet(world, "Dirk")
    assert (made.armour, made.spare_armour) == (plate, (plate, chain, padded))
    await world.restart()
    shown = await _shown(world)
    assert "Plate, AR 12" in shown
    file = await _exported(world)
    assert file["spare_armour"] == ["Plate 12/12", "Chain 9/10", "Padded 3/3"]
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).armour == chain
    assert "Chain, AR 9 of 10" in await _shown(world)
    await bring(world, world.ben, {**file, "name": "Twin"}, grown=True)
    twin = await sheet(world, "Twin")
    assert (twin.armour, twin.spare_armour) == (plate, (plate, chain, padded))
    bad = private(
        await bring(world, world.ben, {**file, "spare_armour": ["Paded"]}, grown=True, replace=True)
    )
    assert "Did you mean" in bad and "Padded" in bad


@pytest.mark.rule("EGO-ARM-01", "EGO-ARM-02")
def test_worn_armor_gives_way_to_a_better_suit() -> None:
    leather, padded = WornArmor("Leather", 5, 5), WornArmor("Padded", 5, 5)
    dressed = with_suits(HERO, (leather, padded))
    worn = wear(Play(anna=dressed).game(), dressed, 5)
    assert (worn.armour, worn.spare_armour) == (padded, (WornArmor("Leather", 4, 5),))
