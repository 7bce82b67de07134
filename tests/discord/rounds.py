"""Rounds at a table on the simulated Discord: who takes part, and what is said as it goes on."""

from __future__ import annotations

import re
from typing import Any

import discord
from simcord.results import InteractionResult

from rules.table.initiative import slot_name, slot_on_turn
from tests.discord.world import World, head, is_layout, labels, texts

#: Turns of a round after which it is taken for endless.
MAX_TURNS = 50
#: How the head of a board begins.
_BOARD = re.compile(r"Initiative: (over|who's in\?)$|Round \d+|Phase \d+")


async def gather(world: World, *others: str) -> None:
    """Ana's character, Ben's and others wait for the first round."""
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    for name in others:
        await world.gina.slash(world.zone, "initiative add", name=name)


async def next_turn(world: World, *faces: int) -> str:
    """The GM moves on, with these dice; everything that is said of it in the channel, and what the
    board shows.
    """
    before = [each.id for each in world.messages()]
    world.dice.lay(*faces)
    await world.gina.slash(world.zone, "initiative next")
    assert world.dice.left == 0
    said = [texts(each) for each in world.messages() if each.id not in before]
    return "\n".join([*said, board_text(world)])


def board_text(world: World) -> str:
    """What the board of the channel shows, with how the round began."""
    found = _boards(world)
    return texts(found[-1]) if found else ""


def board(world: World) -> discord.Message:
    """The board of the channel."""
    return _boards(world)[-1]


def _boards(world: World) -> list[discord.Message]:
    cards = [each for each in world.messages() if is_layout(each)]
    return [each for each in cards if _BOARD.match(head(each))]


async def next_round(world: World, *faces: int) -> str:
    """The GM moves on to the next round, with these dice; everything that is said of it."""
    encounters = (await world.state()).encounters
    now = encounters[str(world.zone.id)].round
    before = [each.id for each in world.messages()]
    world.dice.lay(*faces)
    for _ in range(MAX_TURNS):
        if (await world.state()).encounters[str(world.zone.id)].round != now:
            break
        await world.gina.slash(world.zone, "initiative next")
    else:
        raise AssertionError(f"round {now} doesn't end")
    assert world.dice.left == 0
    return "\n".join(texts(each) for each in world.messages() if each.id not in before)


async def begin_confirmed(
    world: World, who: Any, command: str, **options: Any
) -> InteractionResult:
    """Begin something by a command; where the bot asks whether it is meant out of turn, it is."""
    result = await who.slash(world.zone, command, **options)
    sent = result.response
    if sent is None or "Out of turn" not in texts(sent) or "Cancel" not in labels(sent):
        return result
    (label,) = [each for each in labels(sent) if each in ("Roll", "Send", "Act anyway")]
    return await world.press(who, sent, label)


async def acts(world: World) -> str:
    """Whose turn it is."""
    state = await world.state()
    slot = slot_on_turn(state.encounters[str(world.zone.id)])
    return "" if slot is None else slot_name(state, slot)
