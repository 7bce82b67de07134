"""The foot of the board: whom a fight waits for, by what everybody in the place may know."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.discord.rounds import board, board_text
from tests.discord.waiting.test_turn_deadlines import fight, say
from tests.discord.world import DAY, HOUR, MINUTE, World, message_of, private, secret_room


@pytest.fixture
def patience() -> bool:
    return False


def _foot(world: World) -> list[str]:
    """The lines about who is waited for, with every time as `<t>`."""
    lines = board_text(world).split("\n")
    found = [line.removeprefix("-# ") for line in lines if "Waiting for " in line]
    return [re.sub(r"<t:\d+:f>", "<t>", line) for line in found]


def _edits(world: World) -> int:
    """How often the board has been edited."""
    path = f"/channels/{world.zone.id}/messages/{board(world).id}"
    return len(world.requests("PATCH", path))


_TURN = "Waiting for Marek, until <t>, then Marek delays."


async def test_the_turn_stands_there_with_its_end(world: World) -> None:
    await fight(world, "the fire")
    assert _foot(world) == [_TURN]
    await world.restart()
    await world.env.advance_time(2 * DAY + MINUTE)
    assert _foot(world) == ["Waiting for Ilka, until <t>, then Ilka delays."]
    await say(world, world.ben, "next")
    assert _foot(world) == ["Waiting for the GM: the fire's turn, since <t>."]


async def test_checks_that_wait_for_the_gm_are_counted(world: World) -> None:
    await fight(world, "the fire")
    await world.propose(world.ben)
    assert _foot(world) == [_TURN, "Waiting for the GM: Ilka's check `c1`, since <t>."]
    await world.env.advance_time(HOUR)
    await world.propose(world.ben)
    assert _foot(world) == [_TURN, "Waiting for the GM: 2 checks, since <t>."]
    await world.restart()
    await world.rule(world.newest("Answer"))
    assert _foot(world) == [
        _TURN,
        "Waiting for the GM: Ilka's check `c1`, since <t>.",
        "Waiting for Ilka: Ilka's check `c2`, since <t>.",
    ]
    await world.gina.slash(world.zone, "gm undo")
    assert _foot(world) == [_TURN, "Waiting for the GM: 2 checks, since <t>."]


async def test_a_turn_whose_own_check_waits_is_not_waited_for(world: World) -> None:
    await fight(world, "the fire")
    await world.propose(world.ana)
    assert _foot(world) == ["Waiting for the GM: Marek's check `c1`, since <t>."]
    await say(world, world.ana, "next")
    assert _foot(world) == [], "the line on what holds the turn says it"
    assert "Marek's turn ends when this is over: Marek's check `c1`" in board_text(world)


async def test_a_table_where_everybody_is_there_shows_turns_alone(world: World) -> None:
    await fight(world, "the fire", live=True)
    edits = _edits(world)
    await world.propose(world.ben)
    assert len(_foot(world)) == 1
    assert _edits(world) == edits


async def test_a_step_of_a_check_edits_the_board_at_most_once(world: World) -> None:
    await fight(world, "the fire")
    before = _edits(world)
    await world.propose(world.ben, approach="over the wall")
    assert _edits(world) == before + 1
    panel = message_of(await world.press(world.ben, world.newest("Edit"), "Edit"))
    assert _edits(world) == before + 1, "looking changes nothing"
    await world.press(world.ben, panel, "Withdraw")
    assert _edits(world) == before + 2
    assert _foot(world) == [_TURN]


@pytest.mark.parametrize("visibility", ["private", "blind", "own turn", "elsewhere"])
async def test_a_check_that_players_may_not_know_of_leaves_the_board_alone(
    world: World, visibility: str
) -> None:
    await fight(world, "the fire", gm_channel=True)
    before, edits = board_text(world), _edits(world)
    if visibility == "own turn":
        await world.propose(world.ana, visibility="private")
    elif visibility != "elsewhere":
        await world.propose(world.ben, visibility=visibility)
    else:
        vault = secret_room(world.env, world.guild, "vault", world.gina, world.ben)
        await world.gina.slash(world.zone, "gm bind", channel=vault)
        await world.ben.slash(vault, "check", skill="Climbing")
    (check,) = (await world.state()).open_checks
    assert any(asked.waiting_for for asked in check.asked)
    assert board_text(world) == before
    assert _edits(world) == edits


async def test_a_hidden_npc_on_turn_is_not_waited_for(world: World) -> None:
    await fight(world)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor")
    await say(world, world.gina, "add", name="Sidor")
    await say(world, world.ana, "next")
    await say(world, world.ben, "next")
    assert "Sidor" not in world.told(world.ana)
    assert _foot(world) == []
    listed: Any = await world.gina.slash(world.zone, "moves")
    assert "Sidor's turn" in str(message_of(listed).components)


async def test_the_boards_button_shows_ones_own_moves(world: World) -> None:
    await fight(world, "the fire")
    await world.restart()
    for who, shown in ((world.ana, "Marek's turn."), (world.ben, "Nothing to do right now.")):
        pressed = await world.press(who, board(world), "My moves")
        assert shown in private(pressed)
