"""Whoever is challenged is told what it is about; only with what it is done stays secret."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import pytest

from tests.discord.barmore import bar_table
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as masterbook_table
from tests.discord.world import World, labels, message_of, pings, texts

MATTER: Final = "who gets the last loaf"

Table = Callable[[World], Awaitable[Any]]
#: The table, whom Ana challenges, her skill, and what Ben has to choose.
GAMES: Final[dict[str, tuple[Table, str, str, dict[str, str]]]] = {
    "ebb": (lambda world: world.table(), "Ilka", "Running", {"Skill": "Climbing"}),
    "ego": (lambda world: ego_table(world, live=False), "Boris", "Stealth", {"Ability": "agility"}),
    "barmore": (bar_table, "Ilka", "Boats", {"Skill": "Athletics"}),
    "masterbook": (
        lambda world: masterbook_table(world, live=False),
        "Boris",
        "Taunt",
        {"Skill": "Willpower"},
    ),
}


@pytest.mark.rule("EBB-OPPOSED", "EGO-DIE-04", "BAR-OPPOSED", "MB-CMB-02")
@pytest.mark.parametrize("game", GAMES)
async def test_whoever_is_challenged_knows_what_it_is_about(world: World, game: str) -> None:
    begin, target, skill, chosen = GAMES[game]
    await begin(world)
    given = {"target": target, "skill": skill, "approach": MATTER}
    await world.ana.slash(world.zone, "contest", **given)
    gms = [each for each in world.messages() if world.gina.id in pings(each, world.env)]
    assert gms and MATTER in texts(gms[-1])
    panel = message_of(await world.press(world.gina, gms[-1], "Answer"))
    assert MATTER in texts(panel)
    await world.press(world.gina, panel, "Call for a roll")
    calls = [each for each in world.messages() if world.ben.id in pings(each, world.env)]
    assert MATTER in texts(calls[-1]), texts(calls[-1])
    panel = message_of(await world.press(world.ben, calls[-1], labels(calls[-1])[0]))
    assert MATTER in texts(panel)
    assert not any(skill in texts(each) for each in world.messages())
    for title, value in chosen.items():
        await world.choose(world.ben, panel, title, value)
    answered = message_of(await world.press(world.ben, panel, "Respond"))
    assert "Nothing has changed" not in texts(answered), "nobody asks Ben for an approach"
    # Ben's answer was the last: all dice have fallen, and nothing is secret any more.
    assert any(skill in texts(each) for each in world.messages())
    assert not any("Roll" in labels(each) for each in world.messages())
