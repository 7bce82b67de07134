"""Anything typed into any option of the commands that act: an answer, never a fault, and a table
that stands.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from bot.services.replay import replay
from tests.discord.barmore import bar_table
from tests.discord.world import World, texts

_PIECES = (
    "Climbing",
    "climb",
    "fit",
    "Fitness",
    "none",
    "Tricky",
    "Legendary+2",
    "13",
    "0",
    "-1",
    "99999",
    "dilemma:2",
    "drawback, drawback",
    "missing-tools:",
    "flaw:9",
    ",",
    ",,,",
    "**bold**",
    "@everyone",
    "<@1>",
    "`x`",
    "> q",
    "\u202e",
    "\ud83e\uddd7",
    "ß",
    "İ",
    "a" * 100,
    "\n",
    "{}",
    "%s",
    "sg:roll:1:c1:1",
    " ",
    "'; DROP TABLE part; --",
)


def _text(chance: random.Random, most: int) -> str:
    return "".join(chance.choice(_PIECES) for _ in range(chance.randint(1, 3)))[:most]


def _options(chance: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, most in (
        ("skill", 100),
        ("attribute", 100),
        ("difficulty", 100),
        ("with", 200),
        ("as", 100),
    ):
        if chance.random() < 0.4:
            options[name] = _text(chance, most)
    if chance.random() < 0.8:
        options["approach"] = _text(chance, 1000)
    if chance.random() < 0.3:
        options["modifier"] = chance.randint(-20, 20)
    options["visibility"] = chance.choice(("public", "private", "blind"))
    return options


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_is_typed_is_answered(world: World, seed: int) -> None:
    chance = random.Random(seed)
    await world.table()
    proposed = refused = 0
    for _ in range(30):
        who = chance.choice((world.ana, world.ben))
        result = await who.slash(world.zone, "check", **_options(chance))
        assert result.response is not None
        said = texts(result.response)
        assert "fault in Storyguide" not in said
        if "Nothing has changed." in said:
            assert result.ephemeral
            refused += 1
        else:
            proposed += 1
    for _ in range(10):
        name = chance.choice(("character show", "character use"))
        result = await world.ana.slash(world.zone, name, character=_text(chance, 100))
        assert result.ephemeral and result.response is not None
        assert "fault in Storyguide" not in texts(result.response)
    assert proposed and refused
    tables = world.bot.tables
    (table_id,) = set((await tables.store.place_tables()).values())
    table = await tables.get(table_id)
    assert sum(check.is_open for check in table.state.checks.values()) <= proposed
    assert await replay(tables.store, table_id) == table.state


_POOL_PIECES = (
    *_PIECES,
    "Boats",
    "Blades",
    "Rapier",
    "die: d12-2",
    "die: d4+2,no dice",
    "convert: 1",
    "convert: -1",
    "use: Rapier",
    "support:",
    "halvings: 99",
    "phases saved: x",
    "mental",
    "Marek",
    "Ilka",
    "the tide",
    "c1",
    "h2",
    "t1",
    "3, 5",
    "1,,2",
    "0",
    "1 hour",
    "1e9 days",
    "-5",
    "direct",
    "k1",
    "Speed",
)
#: The options of the commands that only the dice pool has, and of those it shares: text, a number,
#: or one of these.
_POOL_COMMANDS: dict[str, dict[str, Any]] = {
    "barmore team start": {
        "mode": ("worst roller", "either or"),
        "skill": str,
        "approach": str,
        "with": str,
        "difficulty": str,
    },
    "barmore team join": {"check": str, "skill": str, "with": str, "leave": (True, False)},
    "barmore team roll": {"check": str},
    "contest": {
        "target": str,
        "mode": ("direct", "indirect"),
        "skill": str,
        "with": str,
        "difficulty": str,
    },
    "barmore task start": {
        "name": str,
        "who": str,
        "difficulty": str,
        "required": int,
        "every": str,
        "skill": str,
        "hidden": (True, False),
    },
    "barmore task roll": {"task": str, "with": str, "modifier": int},
    "barmore task show": {"task": str},
    "barmore task drop": {"task": str},
    "barmore act": {"action": str, "cost": str, "as": str},
    "barmore switch": {"action": str, "cost": str},
    "check": {"skill": str, "attribute": str, "with": str, "difficulty": str, "approach": str},
    "attack": {"target": str, "weapon": str, "skill": str, "with": str, "approach": str},
    "heal": {"method": ("treat", "rest"), "target": str, "skill": str},
    "spend": {"what": ("die", "convert"), "choice": str},
    "gm adjust": {
        "character": str,
        "what": ("new wound", "wound healed", "wound care", "ability"),
        "value": str,
    },
    "gm time": {"advance": str},
    "odds": {"skill": str, "with": str, "difficulty": str},
}

_FITTING: dict[str, tuple[str, ...]] = {
    "skill": ("Boats", "Athletics"),
    "attribute": ("Speed",),
    "with": ("die: d12-2", "convert: 1"),
    "every": ("1 hour",),
    "difficulty": ("15", "-3"),
    "target": ("Marek", "Ilka"),
    "who": ("Marek", "Ilka"),
    "character": ("Marek", "Ilka"),
    "value": ("physical 2", "1", "Boats 3"),
    "advance": ("1 day",),
    "cost": ("3", "1, 2"),
    "task": ("t1", "t2"),
    "check": ("c1", "c2", "h3"),
    "as": ("Marek",),
    "choice": ("d6+1",),
    "approach": ("so",),
    "action": ("runs",),
}


@pytest.mark.parametrize("seed", range(2))
async def test_whatever_is_typed_at_a_table_of_the_dice_pool_is_answered(
    world: World, seed: int
) -> None:
    chance = random.Random(f"pool {seed}")
    await bar_table(world)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    needed = {
        "target",
        "mode",
        "check",
        "name",
        "who",
        "difficulty",
        "required",
        "every",
        "action",
        "cost",
        "what",
    }
    needed |= {"method", "character", "value", "advance"}
    done = refused = 0
    for _ in range(110):
        command, kinds = chance.choice(list(_POOL_COMMANDS.items()))
        who = world.gina if chance.random() < 0.3 else chance.choice((world.ana, world.ben))
        options: dict[str, Any] = {}
        for name, kind in kinds.items():
            if name not in needed and chance.random() < 0.5:
                continue
            if kind is int:
                options[name] = chance.randint(1, 20)
            elif kind is not str:
                options[name] = chance.choice(kind)
            elif name in _FITTING and chance.random() < 0.7:
                options[name] = chance.choice(_FITTING[name])
            else:
                options[name] = (
                    "".join(chance.choices(_POOL_PIECES, k=chance.choice((1, 1, 2))))[:60] or "x"
                )
        before = await world.revision()
        result = await who.slash(world.zone, command, **options)
        assert result.response is not None, (command, options)
        said = texts(result.response)
        assert "fault in Storyguide" not in said, (command, options)
        if "Nothing has changed." in said:
            assert result.ephemeral and await world.revision() == before
            refused += 1
        else:
            done += 1
    assert done > 10 and refused > 10
    assert await replay(world.bot.tables.store, 1) == await world.state()
