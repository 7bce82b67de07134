"""The smallest system through the real commands and buttons: a table, a check, an answer."""

from __future__ import annotations

import json
import re
from typing import Any

from simcord.actors import MemberActor

from tests.discord.world import World, message_of

#: The last line of a final check while there is time to step in.
FINAL = re.compile(r"-# Final\. Step in until <t:\d+:f> · check c1")


async def open_table(world: World, *, gm_channel: bool = False, **settings: Any) -> None:
    """A table with Ana's Marek and Ben's Ilka, and these options of `/gm settings`."""
    await world.setup(system="tiny", gm_channel=gm_channel)
    for who, name in ((world.ana, "Marek"), (world.ben, "Ilka")):
        await world.hand_in(who, f"{name}.json", json.dumps({"name": name, "strength": 3}))
    if settings:
        await world.gina.slash(world.zone, "gm settings", **settings)


async def propose(world: World, who: MemberActor | None = None, **options: Any) -> Any:
    """`/check` with an idea; Ana unless told otherwise."""
    given: dict[str, Any] = {"approach": "up the drainpipe"}
    return await (who or world.ana).slash(world.zone, "check", **(given | options))


async def answer(
    world: World,
    level: int = 8,
    *,
    hidden: bool = False,
    who: MemberActor | None = None,
    message: Any = None,
) -> Any:
    """A GM presses Answer, says the level and has it rolled."""
    gm = who or world.gina
    panel = message_of(await world.press(gm, message or world.newest("Answer"), "Answer"))
    await gm.submit_modal(await world.press(gm, panel, "Difficulty…"), {"difficulty": str(level)})
    if hidden:
        await world.choose(gm, panel, "Hidden", "hidden")
    return await world.press(gm, panel, "Call for a roll")


async def roll_check(
    world: World, *faces: int, level: int = 8, hidden: bool = False, **options: Any
) -> Any:
    """A check of Ana's with these dice; its card."""
    card = message_of(await propose(world, **options))
    await answer(world, level, hidden=hidden)
    world.dice.lay(*faces)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0
    return card
