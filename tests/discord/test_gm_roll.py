"""Blind rolls by the GM: nobody else ever hears of them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.discord.test_gm_tools import SECRET, hidden_rat, unheard
from tests.discord.world import World, labels, message_of, private, refusal_of, texts

NOTE = "does he smell the trap"
#: A check by its number, not among the signs of a fingerprint.
CHECK = re.compile(r"\bc1\b")


async def blind(world: World, *faces: int, **options: Any) -> Any:
    world.dice.lay(*faces)
    result = await world.gina.slash(world.zone, "gm roll", **options)
    assert world.dice.left == 0
    return result


def unsaid(world: World) -> None:
    """Nothing of it ever reached a player."""
    for who in (world.ana, world.ben):
        told = world.told(who)
        for trace in (NOTE, "blind roll", "9137"):
            assert trace not in told, trace


async def test_a_player_never_hears_of_a_roll_for_their_character(world: World) -> None:
    await world.table()
    before = len(world.messages())
    options = {
        "as": "Marek",
        "skill": "Climbing",
        "attribute": "Fitness",
        "difficulty": "9137",
        "note": NOTE,
    }
    text = private(await blind(world, 4, 3, **options))
    assert "Marek" in text
    assert NOTE in text
    assert "d10 (4) + d8 (3) + Fitness 1 = **8**" in text
    assert "Clear failure" in text
    assert len(world.messages()) == before
    for who in (world.ana, world.ben):
        for command in ("moves", "table show", "table last"):
            assert not CHECK.search(private(await who.slash(world.zone, command))), command
    await world.restart()
    assert not CHECK.search(private(await world.ana.slash(world.zone, "moves")))
    assert "Marek's check (h1)" in private(await world.gina.slash(world.zone, "gm log"))
    private(await world.gina.slash(world.zone, "gm undo"))
    assert len(world.messages()) == before
    unsaid(world)


async def test_it_needs_neither_difficulty_nor_note(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    text = private(await blind(world, 6, **{"as": SECRET}))
    assert SECRET in text
    assert "A blind roll by the GM" in text
    assert "Total: 6" in text
    unsaid(world)
    unheard(world)


async def test_the_gm_channel_gets_it_and_the_clock_forgets_it(world: World) -> None:
    await world.table(gm_channel=True)
    before, there = len(world.messages()), len(world.messages(world.gm_room))
    options = {
        "as": "Ilka",
        "skill": "Rifles",
        "with": "flaw",
        "difficulty": "Tricky",
        "modifier": 2,
    }
    await blind(world, 9, 4, note=NOTE, **options)
    await world.env.advance_time(7 * 86400)
    assert len(world.messages()) == before
    assert all("Roll" not in labels(message) for message in world.messages(world.gm_room))
    assert len(world.messages(world.gm_room)) <= there + 1
    unsaid(world)


async def test_everybody_is_suggested_to_gms_alone(world: World) -> None:
    await world.table()
    await hidden_rat(world)
    names = await world.gina.autocomplete(world.zone, "gm roll", "as", "")
    assert [choice["name"] for choice in names] == ["Ilka", "Marek", SECRET]
    skills = await world.gina.autocomplete(
        world.zone, "gm roll", "skill", "climb", **{"as": "Marek"}
    )
    assert [choice["value"] for choice in skills] == ["Climbing"]
    values = await world.gina.autocomplete(
        world.zone, "gm roll", "attribute", "fit", **{"as": SECRET}
    )
    assert [choice["value"] for choice in values] == ["Fitness"]
    for option in ("difficulty", "with"):
        assert await world.gina.autocomplete(world.zone, "gm roll", option, "")
    for option in ("as", "skill", "attribute"):
        given = {} if option == "as" else {"as": "Marek"}
        assert await world.ana.autocomplete(world.zone, "gm roll", option, "", **given) == []
    unheard(world)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"as": "Nobody"}, "“Nobody”"),
        ({"as": "Marek", "skill": "Flying"}, "No ability “Flying” on this sheet."),
        ({"as": "Marek", "difficulty": "hardish"}, "No difficulty “hardish”."),
        ({"as": "Marek", "with": "magic"}, "`with` has no “magic”."),
    ],
)
async def test_rolls_that_do_not_fit(world: World, options: dict[str, str], expected: str) -> None:
    await world.table()
    before = await world.revision()
    assert expected in refusal_of(await world.gina.slash(world.zone, "gm roll", **options))
    assert await world.revision() == before


async def test_an_answer_that_was_lost_is_shown_to_the_gm_alone(world: World) -> None:
    await world.table()
    world.env.inject_error(
        "POST", "/interactions/*", status=404, code=10062, message="Unknown interaction"
    )
    lost = await blind(world, 4, 3, **{"as": "Marek", "skill": "Climbing", "note": NOTE})
    assert lost.response is None
    assert NOTE in private(await world.gina.slash(world.zone, "moves"))
    assert NOTE not in private(await world.ana.slash(world.zone, "moves"))
    assert all(NOTE not in texts(message) for message in world.messages())
    assert message_of(await world.ana.slash(world.zone, "table last")).ephemeral
    unsaid(world)


async def test_what_is_taken_back_is_named_to_those_who_knew_of_it(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    await world.gina.slash(world.zone, "gm undo")
    assert "Undone: Marek's check" in texts(world.last())
    before = world.told(world.ana)
    private(await blind(world, 4, 3, **{"as": "Marek", "skill": "Climbing"}))
    private(await world.gina.slash(world.zone, "gm undo"))
    assert world.told(world.ana) == before
