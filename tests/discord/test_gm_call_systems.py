"""`/gm call` in the real systems: one press rolls, and the clock rolls for the others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import bar_table
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as mb
from tests.discord.world import (
    DAY,
    World,
    labels,
    message_of,
    private,
    refusal_of,
    texts,
)
from tests.sample_table import ebb_character


@pytest.mark.parametrize(
    ("system", "options"),
    [
        ("ego", {"skill": "Stealth", "difficulty": "Moderate"}),
        ("masterbook", {"skill": "Stealth", "difficulty": "Average"}),
        # Difficulties are always hidden there.
        ("masterbook", {"skill": "Stealth", "difficulty": "Average", "hidden": True}),
        ("barmore", {"skill": "Brawling", "difficulty": "15", "hidden": True}),
    ],
)
async def test_a_call_is_rolled_by_players_and_by_the_clock(
    world: World, system: str, options: dict[str, Any]
) -> None:
    if system == "barmore":
        await bar_table(world)
    else:
        await (ego if system == "ego" else mb).open_table(world, live=False)
    answer = await world.gina.slash(world.zone, "gm call", until="2 days", **options)
    assert "Nothing has changed" not in private(answer)
    state = await world.state()
    assert len(state.checks) == len([c for c in state.characters.values() if c.owner])
    told = private(await world.press(world.ana, world.newest("Roll"), "Roll"))
    assert "Nothing has changed" not in told
    await world.env.advance_time(2 * DAY + 60)
    checks = (await world.state()).checks
    assert all(check.prompt("ready") is None for check in checks.values()), told
    assert "not rolled yet" not in texts(world.newest("Details"))


async def test_a_roll_against_a_hidden_number_has_one_answer_whose_buttons_go(
    world: World,
) -> None:
    await mb.open_table(world, live=False, life_points=3, step_in_minutes=60)
    await world.gina.slash(world.zone, "gm call", skill="Stealth", difficulty="Average")
    rolled = await world.press(world.ana, world.newest("Roll"), "Roll")
    assert private(rolled).count("still open") == 1
    assert not rolled.followups
    answer = message_of(rolled)
    assert "Accept result" in labels(answer)
    accepted = await world.press(world.ana, answer, "Accept result")
    assert "still open" not in private(accepted)
    assert message_of(accepted).id == answer.id
    assert "Accept result" not in labels(message_of(accepted))


async def _ebb_table(world: World) -> None:
    """An EBB table on which Ana's Marek climbs, and Ben's Ilka swims instead."""
    await world.setup()
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=0)
    await world.bring(world.ana, "Marek")
    sheet = ebb_character("Ilka")
    (climbing,) = [row for row in sheet["abilities"] if row["name"] == "Climbing"]
    climbing["name"] = "Swimming"
    await world.bring(world.ben, "Ilka", abilities=sheet["abilities"])


def _message(world: World) -> Any:
    """Return the message with the lines of a call."""
    return next(m for m in reversed(world.messages()) if "**Marek:**" in texts(m))


def _lines(message: Any) -> str:
    return texts(message).replace("\u00a0", " ")


@pytest.mark.rule("EBB-ROLL")
async def test_who_lacks_an_ability_rolls_without_its_die(world: World) -> None:
    await _ebb_table(world)
    call = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
    private(await world.gina.slash(world.zone, "gm call", **call))
    message = _message(world)
    lines = _lines(message)
    assert lines.startswith("## Climbing and Fitness, against 10")
    assert "**Ilka:** not rolled yet, without Climbing" in lines
    assert "**Marek:** not rolled yet\n" in lines
    details = message_of(await world.press(world.gina, message, "Details"))
    assert "**Ilka:** not rolled yet, without Climbing" in _lines(details)
    world.dice.lay(9)
    told = private(await world.press(world.ben, message, "Roll"))
    assert world.dice.left == 0, "the main die alone"
    assert "Success" in told
    world.dice.lay(9, 3)
    private(await world.press(world.ana, message, "Roll"))
    assert world.dice.left == 0
    assert "without" not in _lines(_message(world))


async def test_an_ability_that_nobody_called_has_is_refused(world: World) -> None:
    await _ebb_table(world)
    for options, wrong in (
        ({"skill": "Boats"}, "Ilka and Marek can't roll “Boats”"),
        ({"skill": "Climbin", "who": "Ilka"}, "Ilka can't roll “Climbin”"),
    ):
        told = refusal_of(
            await world.gina.slash(world.zone, "gm call", difficulty="Tricky", **options)
        )
        assert wrong in told and "Call for an attribute instead, or for another skill." in told
    told = refusal_of(
        await world.gina.slash(world.zone, "gm call", skill="Boats", attribute="Fitness")
    )
    assert "Call for the attribute alone instead, or for another skill." in told
    assert not (await world.state()).checks


async def test_one_more_character_is_called_without_the_ability(world: World) -> None:
    await _ebb_table(world)
    call = {"skill": "Climbing", "difficulty": "Tricky", "who": "Marek"}
    private(await world.gina.slash(world.zone, "gm call", **call))
    details = message_of(await world.press(world.gina, _message(world), "Details"))
    private(await world.choose(world.gina, details, "Call someone else", "k2"))
    assert "**Ilka:** not rolled yet, without Climbing" in _lines(_message(world))


@pytest.mark.rule("MB-SKILL-02")
async def test_who_lacks_the_training_is_named(world: World) -> None:
    medic = {"skills": [{"name": "Medicine", "adds": 2}]}
    await mb.open_table(world, live=False, sheets={"Vesna": medic})
    call = {"skill": "Medicine", "difficulty": "Average"}
    told = refusal_of(await world.gina.slash(world.zone, "gm call", **call))
    assert "Boris can't roll “Medicine”" in told
    assert "Leave Boris out, or call for an attribute instead." in told
    told = refusal_of(await world.gina.slash(world.zone, "gm call", who="Boris", **call))
    assert (
        "Boris can't roll “Medicine”" in told
        and "Call for an attribute instead, or for another skill." in told
    )
    private(await world.gina.slash(world.zone, "gm call", who="Vesna", **call))
    assert "Medicine" in texts(world.newest("Details"))


async def test_who_lacks_a_specialty_is_named(world: World) -> None:
    await ego.open_table(world, live=False)
    call = {"skill": "Tumbling", "difficulty": "Moderate"}
    private(await world.gina.slash(world.zone, "gm call", who="Boris", **call))
    bare = {"muscle": 10, "agility": 10, "intellect": 10, "vitality": 10}
    await ego.bring(world, world.ana, "Odo", bare)
    told = refusal_of(await world.gina.slash(world.zone, "gm call", who="Boris, Odo", **call))
    assert "Odo can't roll “Tumbling”" in told and "Leave Odo out, or call" in told


async def test_every_skill_of_the_book_is_called_for_untrained(world: World) -> None:
    await ego.open_table(world, live=False)
    private(await world.gina.slash(world.zone, "gm call", skill="Gunnery", difficulty="Moderate"))
    assert "Gunnery" in texts(world.newest("Details"))


async def test_the_attributes_of_a_call_are_written_as_on_the_sheet(world: World) -> None:
    await ego.open_table(world, live=False)
    call = {"attribute": "intellect", "difficulty": "Hard"}
    told = private(await world.gina.slash(world.zone, "gm call", **call))
    assert "Called for Intellect" in told.replace("**", ""), told
    assert all("intellect" not in texts(message) for message in world.messages())
    wrong = await world.gina.slash(world.zone, "gm call", attribute="Awareness")
    assert "“Muscle”" in refusal_of(wrong)
