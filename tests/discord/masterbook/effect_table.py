"""A table of MasterBook where Vesna casts special effects with Conjuration 11."""

from __future__ import annotations

from typing import Any, Final

from tests.discord.masterbook.table import FIGHTER, newest, open_table
from tests.discord.rounds import begin_confirmed
from tests.discord.world import World, labels, message_of, texts

#: Dice with a bonus number of 1.
EVEN: Final = (5, 6)


def effect(name: str, **changes: Any) -> dict[str, Any]:
    """Return a blueprint that the dice `EVEN` just cast, without feedback."""
    plain = {"name": name, "skill": "Conjuration", "range_value": 9, "given": {"dn": 12, "fv": 0}}
    return plain | changes


def knows(*effects: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return what is on a caster's sheet: Conjuration 11, and learned effects."""
    skills = [*FIGHTER["skills"], {"name": "Conjuration", "adds": 3}]
    learned = [{"blueprint": each, "learned": True, "approved": True} for each in effects]
    return {"skills": skills, "effects": learned} | more


async def open_effect_table(world: World, *effects: dict[str, Any], **more: Any) -> None:
    """Open a table where Vesna knows these effects."""
    sheets = {"Vesna": knows(*effects)} | more.pop("sheets", {})
    await open_table(world, sheets=sheets, **more)


async def cast_effect(world: World, name: str, *faces: int, **options: Any) -> str:
    """Cast an effect as Vesna, with these dice; what the newest check says then.

    In a round the initiative card decides who begins, so a cast out of turn is confirmed.
    """
    world.dice.lay(*(faces or EVEN))
    await begin_confirmed(world, world.ana, "effect cast", effect=name, **options)
    assert world.dice.left == 0
    return await newest(world)


async def resist(world: World, who: Any, label: str, *faces: int) -> str:
    """Answer an effect that can be resisted, with these dice; what the newest check says then."""
    panel = message_of(await world.press(who, world.newest("Resist?"), "Resist?"))
    world.dice.lay(*faces)
    option = next(each for each in labels(panel) if each.startswith(label))
    await world.press(who, panel, option)
    assert world.dice.left == 0
    return await newest(world)


async def advance_time(world: World, span: str) -> str:
    """Let the story's time pass; everything that is said of it."""
    before = {each.id for each in world.messages()}
    await world.gina.slash(world.zone, "gm time", advance=span)
    return said_since(world, before)


def said_since(world: World, before: set[int]) -> str:
    """Return what the channel's messages say that are newer than those."""
    return "\n".join(texts(each) for each in world.messages() if each.id not in before)


def everything(world: World) -> str:
    """Return what all messages of the channel say."""
    return "\n".join(texts(each) for each in world.messages())
