"""A table of MasterBook with its deck on the simulated Discord: an adventure, and a deck that lies
as a test wants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rules.registry import read_only_game
from rules.systems.masterbook.deck.deck_state import Cards
from rules.systems.masterbook.deck.table_deck import require_cards
from rules.systems.masterbook.rounds.adventure_clock import AdventureClock, require_clock
from tests.discord.masterbook.table import open_table
from tests.discord.world import World, message_of, private, texts

DECK: Final = {"cards_mode": "full"}


async def cards(world: World) -> Cards:
    """The deck as it lies."""
    return require_cards(read_only_game(await world.state()))


async def clock(world: World) -> AdventureClock:
    """Return the clock of the adventure under way."""
    return require_clock(read_only_game(await world.state()))


async def who(world: World, name: str) -> str:
    """The id of a character."""
    state = await world.state()
    return next(each.id for each in state.characters.values() if each.name == name)


def order(*first: int) -> list[int]:
    """The draws of a shuffle after which these cards of the default deck lie on top, in
    this order.
    """
    wanted = [*first, *[each for each in range(1, 107) if each not in first]]
    lies, faces = list(range(1, 107)), list[int]()
    for last in range(105, 0, -1):
        at = lies.index(wanted[last], 0, last + 1)
        lies[last], lies[at] = lies[at], lies[last]
        faces.append(at + 1)
    return faces


async def begin(
    world: World, *first: int, rules: dict[str, str] | None = None, **more: Any
) -> Cards:
    """A table with the deck, and an adventure that begins with these cards on top of it: Vesna's,
    then Boris's.
    """
    await open_table(world, rules=DECK | (rules or {}), **more)
    world.dice.lay(*order(*first))
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
    assert world.dice.left == 0
    return await cards(world)


def whole(deck: Cards) -> Cards:
    """No card is lost or doubled."""
    assert deck.piles.cards == tuple(sorted(deck.faces))
    return deck


def names(deck: Cards, held: Sequence[str]) -> list[str]:
    """What cards are called, the first one received at the front."""
    return [deck.kind(each).name for each in reversed(held)]


async def answers(world: World, person: Any, opens: str, option: str, check: str = "") -> str:
    """The panel behind a button on a check's card, the newest that has it, and what is said of what
    is pressed.
    """
    card = world.card(check) if check else world.newest(opens)
    panel = message_of(await world.press(person, card, opens))
    return texts(message_of(await world.press(person, panel, option)))


async def hand(world: World, person: Any) -> str:
    """What somebody reads of their own hand."""
    return private(await person.slash(world.zone, "card hand"))
