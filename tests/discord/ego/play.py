"""What the tests of play under EGO share: two characters within their points, and how they are
brought in.
"""

from __future__ import annotations

from typing import Any, Final

from rules.systems.ego.character.sheet import EgoSheet
from tests.discord.world import World, message_of, texts

#: Costs 100 points: abilities 90, Gun Combat 3 and Stealth 1, Sharpshooter 1, Agile.
DIRK: Final[dict[str, Any]] = {
    "name": "Dirk",
    "muscle": 8,
    "agility": 8,
    "intellect": 6,
    "vitality": 8,
    "skills": [{"name": "Gun Combat", "level": 3}, {"name": "Stealth", "level": 1}],
    "specialties": [{"name": "Sharpshooter", "level": 1}],
    "advantages": ["Agile"],
}
STEPS: Final = "Go to a step"


async def open_table(world: World, **settings: Any) -> None:
    """A table that plays EGO, with a room for the GM."""
    await world.setup(gm_channel=True, system="ego")
    if "step_in_minutes" in settings:
        await world.gina.slash(
            world.zone, "gm settings", step_in_minutes=settings.pop("step_in_minutes")
        )
    for key, value in settings.items():
        await world.gina.slash(world.zone, "gm settings", setting=key, value=str(value))


async def bring(world: World, who: Any, data: dict[str, Any], **options: Any) -> Any:
    """`/character import` of this object."""
    import json

    return await world.hand_in(who, "character.json", json.dumps(data), **options)


async def sheet(world: World, name: str) -> EgoSheet:
    """The sheet of somebody as it is now."""
    return next(
        each.sheet for each in (await world.state()).characters.values() if each.name == name
    )


async def write(world: World, who: Any, panel: Any, label: str = "Write…", **values: str) -> Any:
    """Fill in the dialog of the step that is shown."""
    return await who.submit_modal(await world.press(who, panel, label), values)


async def open_creation_panel(world: World) -> Any:
    """Ana's panel at the first step."""
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    await world.press(world.ana, panel, "Make your own")
    return panel


def plain(message: Any) -> str:
    """What a message says, without what makes it bold."""
    return texts(message).replace("**", "")
