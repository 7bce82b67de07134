"""A check of the smallest system from the proposal to undo, through the real commands and buttons."""

from __future__ import annotations

import json
from typing import Any

from simcord.actors import MemberActor

from tests.discord.world import World, labels, private, public, refused, said, texts


async def open_table(world: World, **settings: Any) -> None:
    """A table with Ana's Marek and Ben's Ilka."""
    await world.setup(system="tiny")
    for who, name in ((world.ana, "Marek"), (world.ben, "Ilka")):
        text = json.dumps({"name": name, "strength": 3})
        await world.hand_in(who, f"{name}.json", text)
    if settings:
        await world.gina.slash(world.zone, "gm settings", **settings)


async def propose(world: World, who: MemberActor | None = None, **options: Any) -> Any:
    given: dict[str, Any] = {"approach": "up the drainpipe"}
    return await (who or world.ana).slash(world.zone, "check", **(given | options))


async def answer(world: World, level: int, *, hidden: bool = False, who: MemberActor | None = None) -> Any:
    gm = who or world.gina
    panel = said(await world.press(gm, world.newest("Answer"), "Answer"))
    await gm.submit_modal(await world.press(gm, panel, "Level…"), {"level": str(level)})
    print(texts(panel))
    return await world.press(gm, panel, "Roll")


def dump(world):
    for m in world.zone.history() if hasattr(world.zone,'history') else []:
        print("=====", texts(m))


async def test_from_proposal_to_undo(world: World) -> None:
    await open_table(world)
    done = await propose(world)
    card = said(done)
    print(private(await answer(world, 8)))
    print("A", texts(world.env.backend.get_message(world.zone.id, card.id)) if False else "")
    dump(world)
    world.dice.lay(4)
    done = await world.press(world.ana, world.newest("Roll"), "Roll")
    dump(world)
    panel = await world.press(world.ana, world.newest("React"), "React")
    print(private(panel), labels(said(panel)))
    world.dice.lay(9)
    print(private(await world.press(world.ana, said(panel), "Throw again")))
    dump(world)
    assert 0
