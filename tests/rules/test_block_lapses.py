"""A block whose time runs out is told in one event, and its refusals name all who are left."""

from __future__ import annotations

from rules.table.actions import Actor, DelayTurn, NextTurn
from rules.table.events import EVERYONE, BoardChanged
from rules.table.turns.turn_clock import waits_of_turn
from tests.rules.test_block_turns import BlockPlay
from tests.sample_table import ANN, BEN, PLACE


def lapses(play: BlockPlay) -> list[BoardChanged]:
    steps = ("delayed", "lapsed")
    return [each for each in play.events if isinstance(each, BoardChanged) and each.step in steps]


def test_one_event_tells_of_all_whose_time_ran_out() -> None:
    play = BlockPlay().do(NextTurn).lapse()
    (told,) = lapses(play)
    assert (told.step, told.audience) == ("delayed", EVERYONE)
    assert [(member.name, member.waits) for member in told.block] == [
        ("Anna", True),
        ("Boris", True),
    ]
    assert told.characters == tuple(member.who for member in told.block)


def test_a_single_one_is_told_as_ever() -> None:
    play = BlockPlay().do(NextTurn).do(NextTurn, BEN).lapse()
    (told,) = lapses(play)
    assert (told.name, told.block) == ("Anna", ())


def test_a_refusal_names_all_who_are_left() -> None:
    play = BlockPlay().do(NextTurn)
    assert waits_of_turn(play.state, PLACE)
    stranger = Actor("p9")
    for deed in (NextTurn, DelayTurn):
        error = play.refused(deed, stranger)
        assert (error.code, error.params["left"]) == ("not-your-turn", ("Anna", "Boris"))
    play.do(NextTurn, ANN)
    assert play.refused(NextTurn, stranger).params["left"] == ()
