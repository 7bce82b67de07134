"""A table of MasterBook on the simulated Discord: Ana's Vesna, Ben's Boris, and NPCs."""

from __future__ import annotations

import json
from typing import Any, Final

from rules.systems.masterbook.character.sheet import MasterbookSheet
from tests.discord.rounds import begin_confirmed
from tests.discord.world import World, message_of, private, refusal_of, texts

FIGHTER: Final[dict[str, Any]] = {
    "agility": 9,
    "dexterity": 10,
    "endurance": 9,
    "strength": 9,
    "intellect": 8,
    "mind": 8,
    "confidence": 8,
    "charisma": 7,
    "skills": [
        {"name": "Stealth", "adds": 3},
        {"name": "Fire Combat", "adds": 2, "specializations": {"pistols": 1}},
        {"name": "Melee Combat", "adds": 2},
        {"name": "Unarmed Combat", "adds": 1},
        {"name": "Dodge", "adds": 2},
        {"name": "Melee Parry", "adds": 1},
        {"name": "Willpower", "adds": 1},
        {"name": "Taunt", "adds": 2},
        {"name": "First Aid", "adds": 2},
    ],
    "arms": [{"name": "Knife"}, {"name": "Colt .45 revolver", "rounds": 6, "magazine": 6}],
}
THUG: Final[dict[str, Any]] = {
    "skills": [{"name": "Melee Combat", "adds": 1}, {"name": "Dodge", "adds": 1}],
    "arms": [{"name": "Baseball bat"}],
    "life_points": 1,
}


async def open_table(
    world: World,
    *,
    gm_channel: bool = False,
    rules: dict[str, str] | None = None,
    sheets: dict[str, dict[str, Any]] | None = None,
    life_points: int | None = None,
    **settings: Any,
) -> None:
    """Open a table in live play where dice stand at once, unless settings say otherwise.

    Without a time to step in, players' characters have no `life_points` unless a test gives some:
    nobody is waited for then. `rules` are the system's own settings, `sheets` what is otherwise on
    a sheet.
    """
    given = {"live": True, "step_in_minutes": 0} | settings
    given.setdefault("attacks_at_once", given["live"])
    if life_points is None:
        life_points = 5 if given["step_in_minutes"] else 0
    fighter = FIGHTER | {"life_points": life_points}
    own = sheets or {}
    await world.setup(system="masterbook", gm_channel=gm_channel)
    await world.gina.slash(world.zone, "gm settings", **given)
    for key, value in (rules or {}).items():
        await world.gina.slash(world.zone, "gm settings", setting=key, value=value)
    for who, name in ((world.ana, "Vesna"), (world.ben, "Boris")):
        await bring(world, who, name, fighter | own.get(name, {}))
    await bring(world, world.gina, "Thug", THUG | own.get("Thug", {}), npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Thug")


async def bring(world: World, who: Any, name: str, sheet: dict[str, Any], **options: Any) -> None:
    """Somebody by `/character import`, as grown as they are."""
    text = json.dumps({"name": name} | sheet)
    private(await world.hand_in(who, f"{name}.json", text, grown=True, **options))


async def newest(world: World) -> str:
    """What the last card of the newest check says."""
    return texts(world.card(f"c{(await world.state()).counters.check}"))


async def sheet(world: World, name: str) -> MasterbookSheet:
    """Somebody's sheet as it is now."""
    state = await world.state()
    return next(each.sheet for each in state.characters.values() if each.name == name)


async def attack(world: World, who: Any, target: str, *faces: int, **options: Any) -> str:
    """`/attack`, with these dice; what its card says."""
    world.dice.lay(*faces)
    await begin_confirmed(world, who, "attack", target=target, **options)
    assert world.dice.left == 0
    return await newest(world)


async def refused_attack(world: World, who: Any, target: str, **options: Any) -> str:
    """Why it cannot be."""
    return refusal_of(await who.slash(world.zone, "attack", target=target, **options))


async def meet(world: World, who: Any, label: str, *faces: int) -> str:
    """What somebody sets against it, in their own panel; what the card says then."""
    panel = message_of(await world.press(who, world.newest("Defend"), "Defend"))
    world.dice.lay(*faces)
    await world.press(who, panel, next(each for each in texts(panel).splitlines() if label in each))
    assert world.dice.left == 0
    return await newest(world)
