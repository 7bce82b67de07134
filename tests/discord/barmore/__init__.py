"""A table of Barmore's dice pool: Ana's Marek and Ben's Ilka, and the shortest way to what
they do.
"""

from __future__ import annotations

import json
from typing import Any

from simcord.results import InteractionResult

from rules.systems.barmore.sheet import BarSheet
from tests.discord.world import World, card, labels, message_of, texts

MAREK: dict[str, Any] = {
    "name": "Marek",
    "concept": "Ferry pilot",
    "attributes": {
        "Body": 1,
        "Muscle Power": 2,
        "Speed": 2,
        "Reaction Time": 1,
        "Wits": -1,
        "Mind": 0,
        "Toughness": 1,
    },
    "abilities": {"Athletics": 2, "Boats": 3, "Brawling": 1, "Rapier": 4},
    "weapons": [{"name": "Boathook", "modifier": 1, "kind": "piercing"}],
    "armour": [{"name": "Oilskins", "rating": 1, "covers": ["cutting"], "converts": ["piercing"]}],
    "equipment": ["Signal lamp"],
}
ILKA: dict[str, Any] = {
    "name": "Ilka",
    "concept": "Village doctor",
    "attributes": {"Body": 0, "Mind": 2, "Wits": 3, "Speed": -1, "Stamina": 2, "Immune System": 2},
    "abilities": {"Medicine": 3, "First Aid": 4, "Athletics": 1, "Knives": 2},
    "weapons": [{"name": "Scalpel", "modifier": 0, "kind": "cutting"}],
    "armour": [],
}


async def bar_table(world: World, *, gm_channel: bool = False, **settings: Any) -> None:
    """A Barmore table with Marek and Ilka, and these options of `/gm settings`."""
    await world.setup(gm_channel=gm_channel, system="barmore")
    await bring(world, world.ana, MAREK)
    await bring(world, world.ben, ILKA)
    if settings:
        await world.gina.slash(world.zone, "gm settings", **settings)


def board_text(world: World) -> str:
    """Return what the newest message with the order of action says."""
    return texts(next(board for board in reversed(world.messages()) if "Join" in labels(board)))


async def bring(world: World, who: Any, data: dict[str, Any], **options: Any) -> InteractionResult:
    """`/character import` of a sheet."""
    return await world.hand_in(who, "character.json", json.dumps(data), **options)


async def rule(
    world: World,
    difficulty: str | None = "15",
    *,
    modifier: str = "",
    against: str | None = None,
    hidden: bool = False,
    factor: str = "",
    options: tuple[str, ...] = (),
    press: str = "Call for a roll",
) -> InteractionResult:
    """Gina opens the panel of the newest proposal, says how hard it is, and answers."""
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    given = {"difficulty": difficulty, "modifier": modifier, "against": against, "factor": factor}
    typed = {key: text for key, text in given.items() if text}
    if typed:
        modal = await world.press(world.gina, panel, "Write…")
        await world.gina.submit_modal(modal, typed)
    chosen = (*["hidden"] * hidden, *options)
    if chosen:
        await world.choose(world.gina, panel, "All the rest", *chosen)
    return await world.press(world.gina, panel, press)


def _rolls(label: str) -> bool:
    return label.startswith("Roll") or label == "Go without dice"


async def roll(world: World, who: Any = None, *more: str, die: str = "", name: str = "c1") -> str:
    """Roll (Ana unless told otherwise) with this die and these words; returns what the check's card
    says then.
    """
    by = who or world.ana
    pressed = await world.press(by, world.newest("Roll"), "Roll")
    panel = pressed.response
    rolls = [] if panel is None else [each for each in labels(panel) if _rolls(each)]
    if rolls:
        if die:
            await world.choose(by, panel, "Die", die)
        if more:
            await world.choose(by, panel, "All the rest", *more)
        rolls = [each for each in labels(panel) if _rolls(each)]
        await world.press(by, panel, rolls[0])
    return card(world, name)


async def side(world: World, who: Any, label: str, skill: str, **menus: str) -> Any:
    """The panel behind a button that asks what somebody brings, with an ability chosen."""
    panel = message_of(await world.press(who, world.newest(label), label))
    await world.choose(who, panel, "Skill", skill)
    for placeholder, value in menus.items():
        await world.choose(who, panel, placeholder, value)
    return panel


async def sheet_of(world: World, name: str) -> BarSheet:
    """A character's sheet as it is now."""
    state = await world.state()
    return next(each.sheet for each in state.characters.values() if each.name == name)
