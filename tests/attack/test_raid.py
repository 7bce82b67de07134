"""Raids on tables: everything is answered, nobody does what is somebody else's to do or reads what
is hidden.
"""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pytest

from rules.systems.masterbook.deck.deck_state import HAND
from rules.systems.masterbook.deck.table_deck import has_deck, require_cards
from rules.table.system import Game
from tests.attack.forged_requests import no_faults
from tests.attack.raid import Deed, Raid
from tests.discord.ego.table import PISTOL, SWORD
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import World, private
from tests.example_counts import nightly
from tests.property.masterbook.test_cards import DECK

pytestmark = pytest.mark.slow

SEEDS, STEPS = (10, 500) if nightly() else (1, 60)
_SO: Final = {"approach": "so"}


@dataclass(frozen=True)
class Ground:
    """Where it is played, what means something there, what is done, and what everybody holds by
    name of who does.
    """

    begin: Callable[[World], Awaitable[None]]
    words: tuple[str, ...]
    deeds: Sequence[Deed]
    held: Callable[[Game], Mapping[str, Sequence[str]]] = lambda _: {}


async def _ego(world: World) -> None:
    await ego_table(world, gm_channel=True, live=False, step_in_minutes=60)


async def _masterbook(world: World) -> None:
    await masterbook_table(
        world, gm_channel=True, live=False, step_in_minutes=60, rules={"cards_mode": "full"}
    )
    deck = ("deck.json", json.dumps(DECK).encode())
    private(await world.gina.slash(world.zone, "deck import", file=deck))
    await world.gina.slash(world.zone, "mb adventure start", name="The Dam")


def _hands(game: Game) -> Mapping[str, Sequence[str]]:
    """The names of the cards in hands: there is one of each."""
    if not has_deck(game):
        return {}
    cards, whose = require_cards(game), {"Vesna": "ana", "Boris": "ben"}
    named = {each.id: whose.get(each.name, "") for each in game.state.characters.values()}
    return {
        named[who]: [f"Zq{each}" for each in cards.at(HAND, who)] for who in named if named[who]
    }


GROUNDS: Final = {
    "ego": Ground(
        _ego,
        ("Orc", "Goblin", SWORD, PISTOL, "Stealth", "Gun Combat", "karma", "ap", "parry"),
        (
            *[(who, "check", {"skill": "Stealth", **_SO}) for who in ("ana", "ben")],
            *[
                ("ana", "check", {"skill": "Stealth", "visibility": each, **_SO})
                for each in ("private", "blind")
            ],
            *[
                ("ana", "attack", {"target": each, "weapon": SWORD, **_SO})
                for each in ("Boris", "Orc")
            ],
            ("ben", "attack", {"target": "Goblin", "weapon": PISTOL, "with": "range short", **_SO}),
            *[
                ("gina", "attack", {"as": "Orc", "target": each, **_SO})
                for each in ("Vesna", "Boris")
            ],
            ("ben", "contest", {"target": "Orc", "skill": "Stealth", **_SO}),
            *[("gina", f"initiative {each}", {}) for each in ("start", "next")],
            *[(who, "initiative join", {}) for who in ("ana", "ben")],
        ),
    ),
    "masterbook": Ground(
        _masterbook,
        (
            "Thug",
            "Stealth",
            "Taunt",
            "Dodge",
            "Knife",
            "life",
            "standard",
            "cancel",
            "7001",
            "Zq700",
        ),
        (
            *[(who, "check", {"skill": "Stealth", **_SO}) for who in ("ana", "ben")],
            *[
                ("ana", "check", {"skill": "Stealth", "visibility": each, **_SO})
                for each in ("private", "blind")
            ],
            *[
                ("ana", "attack", {"target": each, "weapon": "Knife", **_SO})
                for each in ("Boris", "Thug")
            ],
            ("ben", "mb interact", {"target": "Thug", "skill": "Taunt", **_SO}),
            *[
                ("gina", "attack", {"as": "Thug", "target": each, **_SO})
                for each in ("Vesna", "Boris")
            ],
            *[(who, "card hand", {}) for who in ("ana", "ben", "gina")],
            *[(who, "draw-card", {}) for who in ("ana", "ben")],
            *[("gina", f"initiative {each}", {}) for each in ("start", "next")],
            *[(who, "initiative join", {}) for who in ("ana", "ben")],
            *[("gina", f"mb adventure {each}", {"what": "start"}) for each in ("act", "scene")],
        ),
        _hands,
    ),
}


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("ground", GROUNDS)
async def test_a_raid(world: World, ground: str, seed: int) -> None:
    at = GROUNDS[ground]
    world.bot.tables.token_bytes = random.Random(seed).randbytes  # the same again
    await at.begin(world)
    with no_faults():
        found = await Raid(world, random.Random(seed), at.words, at.deeds, at.held).run(STEPS)
    assert found.wrong == []
    print(found)
