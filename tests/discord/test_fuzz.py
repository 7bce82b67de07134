"""Anything typed into any option of the commands that act: an answer, never a fault, and a table that stands."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bot.services.replay import replay
from tests.discord.world import World, texts

_PIECES = (
    "Climbing", "climb", "fit", "Fitness", "none", "Tricky", "Legendary+2", "13", "0", "-1", "99999", "dilemma:2",
    "drawback, drawback", "missing-tools:", "flaw:9", ",", ",,,", "**bold**", "@everyone", "<@1>", "`x`", "> q",
    "\u202e", "\ud83e\uddd7", "ß", "İ", "a" * 100, "\n", "{}", "%s", "sg:roll:1:c1:1", " ", "'; DROP TABLE part; --",
)  # fmt: skip


def _text(chance: random.Random, most: int) -> str:
    return "".join(chance.choice(_PIECES) for _ in range(chance.randint(1, 3)))[:most]


def _options(chance: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, most in (("skill", 100), ("attribute", 100), ("difficulty", 100), ("with", 200), ("as", 100)):
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
    assert sum(challenge.open for challenge in table.state.challenges.values()) <= proposed
    assert await replay(tables.store, table_id) == table.state
