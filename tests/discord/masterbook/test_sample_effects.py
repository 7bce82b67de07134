"""The magician of the sample table: what its hints about special effects lead to."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio

from bot.samples import load_sample
from tests.discord.sample_tables import open_sample, sample_people
from tests.discord.world import World, message_of, texts

_LASH: dict[str, Any] = {
    "effect": "Brine Lash",
    "target": "Thug 2",
    "with": "components, meters 8",
}


@pytest_asyncio.fixture
async def emil(world: World, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The magician's player, at the sample table once its fight is over."""
    people = sample_people(world, load_sample("masterbook"))
    await open_sample(world, "masterbook", monkeypatch, people)
    await world.gina.slash(world.zone, "initiative end")
    return people[3]


async def test_a_spell_is_cast_at_once_and_strikes(world: World, emil: Any) -> None:
    world.dice.lay(6, 7, 8, 5)
    cast = await emil.slash(world.zone, "effect cast", **_LASH)
    assert cast.response is not None
    assert "no feedback (17 against 10)" in texts(cast.response)
    assert "Hit: Thug 2" in texts(world.card())


async def test_a_spell_that_struck_is_undone_whole(world: World, emil: Any) -> None:
    world.dice.lay(6, 7, 8, 5)
    await emil.slash(world.zone, "effect cast", **_LASH)
    await world.restart()
    before = texts(message_of(await world.gina.slash(world.zone, "gm undo")))
    assert "Something went wrong" not in before
    again = texts(
        message_of(await world.gina.slash(world.zone, "character show", character="Thug 2"))
    )
    assert "**Health:** Unhurt." in again


async def test_feedback_of_a_cast_that_is_just_made_is_modest(world: World, emil: Any) -> None:
    world.dice.lay(4, 2)
    cast = await emil.slash(world.zone, "effect cast", **_LASH)
    assert cast.response is not None
    assert "feedback 4: 3 shock" in texts(cast.response)
    assert "Thug 2 is" not in texts(world.card()), "the caster may still change it"


async def test_a_blueprint_is_learned_for_a_life_point(world: World, emil: Any) -> None:
    before = texts(message_of(await emil.slash(world.zone, "character show")))
    assert "**Life Points** 5" in before
    await emil.slash(world.zone, "effect learn", effect="Tide Bell")
    after = texts(message_of(await emil.slash(world.zone, "character show")))
    assert "**Life Points** 4" in after
    again = message_of(await emil.slash(world.zone, "effect learn", effect="Tide Bell"))
    assert "Nothing has changed." in texts(again)


async def test_a_friend_builds_a_gadget(world: World, emil: Any) -> None:
    panel = message_of(await world.ben.slash(world.zone, "effect build", like="Illusory Ray Gun"))
    assert "With Super-science 11" in texts(panel)
    refused = message_of(await world.ana.slash(world.zone, "effect build", like="Illusory Ray Gun"))
    assert "has no adds in a skill that casts effects" in texts(refused)
