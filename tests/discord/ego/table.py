"""A table of EGO on the simulated Discord: Ana's Vesna, Ben's Boris, and NPCs with a profile."""

from __future__ import annotations

import json
from typing import Any, Final

from bot.presenters.blocks import block_lines
from rules.registry import read_only_game
from rules.systems.ego.character.sheet import EgoSheet
from rules.table.check import REACT
from rules.table.checks.audience_views import check_view
from rules.table.events import GMS
from tests.discord.rounds import begin_confirmed
from tests.discord.world import World, message_of, private, refusal_of, texts

SWORD: Final = "Sword, Long"
PISTOL: Final = "Med Cal, automatic"
RIFLE: Final = "Assault rifle"
FIGHTER: Final[dict[str, Any]] = {
    "muscle": 12,
    "agility": 10,
    "intellect": 10,
    "vitality": 12,
    "skills": [
        {"name": "Melee Combat", "level": 3},
        {"name": "Hand-to-hand Combat", "level": 2},
        {"name": "Gun Combat", "level": 3},
        {"name": "Acrobatics", "level": 3},
    ],
    "specialties": [
        {"name": "Melee Weapon", "level": 2, "field": SWORD},
        {"name": "Tumbling", "level": 2},
    ],
    "karma": 5,
    "armour": "Leather 5/5",
    "arms": [
        {"name": SWORD, "drawn": True},
        {"name": PISTOL, "rounds": 6, "magazine": 6},
        {"name": RIFLE, "rounds": 12, "magazine": 30},
        {"name": "Frag Grenade", "weight": 1},
    ],
}
#: Who plays whom.
PLAYERS: Final = {
    "Vesna": "ana",
    "Marek": "ana",
    "Nova": "ana",
    "Ilse": "ana",
    "Uwe": "ana",
    "Boris": "ben",
    "Dirk": "ben",
}
ORC: Final[dict[str, Any]] = {"profile": "att 5, defense 2, vitality 12, ar 5, damage 4"}
GOBLIN: Final[dict[str, Any]] = {"profile": "att 3, defense 3, vitality 6, ar 3, damage 2"}


async def open_table(
    world: World, *, boris: dict[str, Any] | None = None, gm_channel: bool = False, **settings: Any
) -> None:
    """In live play, where dice stand at once, unless settings say otherwise."""
    await world.setup(system="ego", gm_channel=gm_channel)
    await world.gina.slash(
        world.zone,
        "gm settings",
        **{"live": True, "attacks_at_once": settings.get("live", True), "step_in_minutes": 0}
        | settings,
    )
    for who, name, more in ((world.ana, "Vesna", {}), (world.ben, "Boris", boris or {})):
        await bring(world, who, name, FIGHTER | more)
    for name, sheet in (("Orc", ORC), ("Goblin", GOBLIN)):
        await bring(world, world.gina, name, sheet, npc=True)
        await world.gina.slash(world.zone, "gm npc reveal", npc=name)


async def bring(world: World, who: Any, name: str, sheet: dict[str, Any], **options: Any) -> None:
    """Somebody by `/character import`, whatever points it took."""
    text = json.dumps({"name": name} | sheet)
    private(await world.hand_in(who, f"{name}.json", text, grown=True, **options))


async def attack(world: World, who: Any, target: str, *faces: int, **options: Any) -> str:
    """`/attack`, with these dice; what its card says."""
    world.dice.lay(*faces)
    await begin_confirmed(world, who, "attack", target=target, **options)
    await stand(world)
    assert world.dice.left == 0
    return await newest(world)


async def stand(world: World) -> None:
    """Players who are waited for let dice stand, at a table without a time to step in."""
    while True:
        state = await world.state()
        check = state.checks.get(f"c{state.counters.check}")
        if state.settings.step_in_time or check is None:
            return
        waits = [
            (each.prompt.key, state.characters[who].name)
            for each in check.asked
            if each.prompt.wait in ("react", "means")
            for who in each.waiting_for
            if who and state.characters[who].owner is not None
        ]
        if not waits:
            return
        key, name = waits[0]
        label = "Accept result" if key == REACT else "Pass"
        await world.press(getattr(world, PLAYERS[name]), world.card(check.id), label)


async def newest(world: World) -> str:
    """What the last card of the newest check says."""
    return texts(world.card(f"c{(await world.state()).counters.check}"))


async def refused_attack(world: World, who: Any, target: str, **options: Any) -> str:
    """Why it cannot be."""
    return refusal_of(await who.slash(world.zone, "attack", target=target, **options))


async def meet(world: World, who: Any, label: str, *faces: int) -> str:
    """What somebody sets against it, in their own panel; what the card says then."""
    panel = message_of(await world.press(who, world.newest("Defend"), "Defend"))
    world.dice.lay(*faces)
    await world.press(who, panel, label)
    await stand(world)
    assert world.dice.left == 0
    return await newest(world)


async def sheet(world: World, name: str) -> EgoSheet:
    """Somebody's sheet as it is now."""
    state = await world.state()
    return next(each.sheet for each in state.characters.values() if each.name == name)


def misses(dice: int) -> tuple[int, ...]:
    """So many dice without a success."""
    return (1,) * dice


async def read_by_gms(world: World, check: str = "") -> str:
    """What the GMs can read of a check, the newest where none is named."""
    state = await world.state()
    found = state.checks[check or f"c{state.counters.check}"]
    return "\n".join(block_lines(check_view(read_only_game(state), found, GMS).blocks)).replace(
        "**", ""
    )
