"""A deck that lies as a walk wants it, rounds that go by it, and what is looked up of them."""

from __future__ import annotations

from collections.abc import Sequence

from rules.systems.masterbook.deck.card_definitions import default_faces
from rules.systems.masterbook.deck.deck_state import Deal
from rules.systems.masterbook.deck.table_deck import DEAL, DECK
from tests.discord.masterbook.table import open_table
from tests.discord.rounds import gather
from tests.discord.world import World


def shuffling(cards: Sequence[str], *wanted: int) -> list[int]:
    """The faces by which a shuffle of these cards lays the wanted ones on top, the first
    uppermost.
    """
    first = [str(each) for each in wanted]
    target = [*first, *[each for each in cards if each not in first]]
    now, faces = list(cards), list[int]()
    for last in range(len(now) - 1, 0, -1):
        at = now.index(target[last], 0, last + 1)
        now[last], now[at] = now[at], now[last]
        faces.append(at + 1)
    return faces


def whole(*wanted: int) -> list[int]:
    """As `shuffling`, of the whole deck as it lies before it is shuffled."""
    return shuffling([each.id for each in default_faces().values() if each.in_play], *wanted)


async def rounds(world: World, *others: str, mode: str = "initiative_only", **rules: str) -> None:
    """Vesna, Boris and the others wait for the first round, which goes by cards."""
    await open_table(world, gm_channel=True, rules={"cards_mode": mode, **rules})
    await gather(world, *others)


async def lying(world: World, place: str) -> list[int]:
    """The numbers of the cards that lie there, the top first."""
    piles = (await world.state()).decks[DECK]
    return [int(each) for each in piles.cards_at(place)]


async def deal(world: World) -> Deal:
    """What is known of the deck besides."""
    found: Deal = (await world.state()).own[DEAL]
    return found


async def order(world: World) -> list[str]:
    """Who acts when, from whoever acts now on."""
    state = await world.state()
    encounter = state.encounters[str(world.zone.id)]
    return [
        state.characters[each.character or ""].name for each in encounter.order[encounter.turn :]
    ]
