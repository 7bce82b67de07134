"""Karma for a round without a wait: planned, bought late, and kept secret until it is told."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ego.character.combat_values import points_of
from rules.systems.ego.checks import karma_plans, rounds
from rules.systems.ego.sheet_view import health_lines, open_points
from rules.table.absence import orders_of
from rules.table.actions import (
    EndEncounter,
    JoinEncounter,
    NextTurn,
    SetOrder,
    StartEncounter,
)
from rules.table.check import Orders
from rules.table.checks.secret_costs import secretly_spent
from rules.table.checks.standing_orders import with_orders
from tests.rules.ego.test_rounds import ANNA, Play
from tests.sample_table import ANN, BEN, GM

PLAN, LATE = karma_plans.PLAN.kind, karma_plans.LATE.kind


def gather(**settings: Any) -> Play:
    """Anna with 5 Karma and Boris with 1, before the first round of a table that waits for few."""
    play = Play(**{"wait_for_everybody": False, **settings})
    return play.do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN)


def asking(play: Play, who: str) -> Play:
    """Their player wants to be asked at the start of each round."""
    play.state = with_orders(play.state, who, Orders(ask_rounds=True))
    return play


def plan_karma(play: Play, who: str) -> Any:
    return rounds.plan_of(play.state, who)


@pytest.mark.rule("EGO-CMB-01", "EGO-KAR-04")
def test_a_round_begins_at_once_where_nobody_asked_to_be_asked() -> None:
    play = gather().do(NextTurn, GM, *[1] * 8)
    assert play.order() == "1: Anna, Boris" and not play.state.open_checks
    play.do(NextTurn, ANN).do(NextTurn, BEN, *[1] * 8)
    assert play.order() == "2: Anna, Boris", "so does each later one"


@pytest.mark.rule("EGO-KAR-04")
def test_who_asked_is_waited_for_and_nobody_else() -> None:
    play = asking(gather(), "k1").do(NextTurn)
    (check,) = play.state.open_checks
    (asked,) = check.asked
    assert asked.waiting_for == ("k1",)
    assert asked.prompt.who == ("k1", "k2"), "the other may spend meanwhile"
    play.karma(BEN, points=1)
    play.karma(ANN, *[1] * 8)
    assert play.state.open_checks == () or not list(play.state.open_checks)
    assert points_of(play.sheet("k2")).all == 4 and play.sheet("k2").karma == 0


@pytest.mark.rule("EGO-KAR-04")
def test_everybody_with_karma_is_asked_where_the_table_waits_for_everybody() -> None:
    play = gather(wait_for_everybody=True).put("k2", karma=0).do(NextTurn)
    (check,) = play.state.open_checks
    assert check.asked[0].waiting_for == ("k1",)
    closed = gather(wait_for_everybody=True, open_points=False).put("k2", karma=0).do(NextTurn)
    (check,) = closed.state.open_checks
    assert check.asked[0].waiting_for == ("k1", "k2"), "who has Karma would show"


@pytest.mark.rule("EGO-KAR-04", "EGO-KAR-02", "EGO-INI-01")
def test_a_plan_is_carried_out_once_as_the_round_begins() -> None:
    play = gather().do(PLAN, ANN, points=2, dice=1)
    assert play.sheet("k1").karma == 5, "nothing is spent before"
    assert play.events[0].audience.people == ("p2",)
    play.do(NextTurn, GM, *[1] * 9)
    assert (play.sheet("k1").karma, points_of(play.sheet("k1")).all) == (2, 7)
    assert plan_karma(play, "k1") is None
    play.do(NextTurn, ANN).do(NextTurn, BEN, *[1] * 8)
    assert (play.sheet("k1").karma, points_of(play.sheet("k1")).all) == (2, 5), "only once"


@pytest.mark.rule("EGO-KAR-04")
def test_a_plan_that_cannot_be_paid_lapses_and_shows_nowhere() -> None:
    without = gather().do(NextTurn, GM, *[1] * 8)
    play = gather().do(PLAN, ANN, points=4).put("k1", karma=3).do(NextTurn, GM, *[1] * 8)
    assert (play.sheet("k1").karma, plan_karma(play, "k1")) == (3, None)
    assert play.events == without.events
    assert play.state.checks == without.state.checks


@pytest.mark.rule("EGO-KAR-04")
def test_a_plan_is_not_told_by_who_is_waited_for() -> None:
    """Boris asked to be asked: whether Anna has planned something shows in nothing."""
    without = asking(gather(), "k2").do(NextTurn)
    play = asking(gather(), "k2").do(PLAN, ANN, points=2).do(NextTurn)
    assert play.events == without.events and play.state.checks == without.state.checks
    play.karma(BEN, *[1] * 8)
    assert points_of(play.sheet("k1")).all == 7


@pytest.mark.rule("EGO-KAR-04")
def test_a_plan_answers_for_whoever_is_waited_for() -> None:
    play = asking(gather(), "k1").do(PLAN, ANN, points=2).do(NextTurn, GM, *[1] * 8)
    assert not list(play.state.open_checks)
    assert (points_of(play.sheet("k1")).all, plan_karma(play, "k1")) == (7, None)
    short = asking(gather(), "k1").do(PLAN, ANN, points=4).put("k1", karma=3).do(NextTurn)
    (check,) = short.state.open_checks
    assert check.asked[0].waiting_for == ("k1",), "what can't be paid is asked about"


@pytest.mark.rule("EGO-KAR-04")
def test_who_wants_to_be_asked_before_results_is_not_asked_about_rounds() -> None:
    play = asking(gather(), "k1").put("k2", karma=0)
    play.state = with_orders(play.state, "k2", Orders(ask_results=True))
    play.do(NextTurn)
    (check,) = play.state.open_checks
    assert check.asked[0].prompt.who == check.asked[0].waiting_for == ("k1",)


@pytest.mark.rule("EGO-KAR-04")
def test_a_plan_made_while_the_round_opens_counts_for_it() -> None:
    play = asking(gather(), "k2").do(NextTurn).do(PLAN, ANN, points=1)
    play.karma(BEN, *[1] * 8)
    assert (points_of(play.sheet("k1")).all, plan_karma(play, "k1")) == (6, None)


def test_a_plan_ends_with_the_fight_and_can_be_taken_back() -> None:
    play = gather().do(PLAN, ANN, points=2).do(PLAN, ANN, back=True)
    assert plan_karma(play, "k1") is None and play.sheet("k1").karma == 5
    assert play.refused(PLAN, ANN, back=True).code == "nothing-arranged"
    play.do(PLAN, ANN, points=2).do(EndEncounter)
    assert plan_karma(play, "k1") is None
    assert orders_of(play.state, "k1") == Orders()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "ego-say"),
        ({"points": 4, "dice": 2}, "not-enough"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(fields: dict[str, int], code: str) -> None:
    assert gather().refused(PLAN, ANN, **fields).code == code


def test_nothing_is_planned_outside_initiative_or_where_everybody_is_asked() -> None:
    assert Play(wait_for_everybody=False).refused(PLAN, ANN, points=1).code == "ego-not-in-order"
    play = gather(wait_for_everybody=True)
    assert play.refused(PLAN, ANN, points=1).code == "ego-karma-asked"
    assert play.refused(LATE, ANN, points=1).code == "ego-karma-asked"


@pytest.mark.rule("EGO-KAR-04")
def test_a_standing_order_buys_each_round_without_a_wait() -> None:
    order = {"prompt": "karma", "option": "spend", "kind": "round", "values": {"points": 2}}
    play = gather().do(SetOrder, ANN, keep="karma", keep_amount=1, **order)
    play.do(NextTurn, GM, *[1] * 8)
    assert (play.sheet("k1").karma, points_of(play.sheet("k1")).all) == (3, 7)
    play.do(NextTurn, ANN).do(NextTurn, BEN, *[1] * 8)
    assert play.sheet("k1").karma == 1
    play.do(NextTurn, ANN).do(NextTurn, BEN, *[1] * 8)
    assert (play.sheet("k1").karma, points_of(play.sheet("k1")).all) == (1, 5), "it keeps one"


@pytest.mark.rule("EGO-KAR-04", "EGO-AP-01")
def test_points_are_bought_until_the_first_act() -> None:
    play = gather()
    assert play.refused(LATE, ANN, points=1).code == "ego-no-round"
    play.do(NextTurn, GM, *[1] * 8).do(LATE, ANN, points=2)
    assert (play.sheet("k1").karma, points_of(play.sheet("k1")).left) == (3, 7)
    assert play.refused(LATE, ANN, points=0).code == "ego-say"
    assert play.refused(LATE, ANN, points=9).code == "not-enough"
    game, _ = rounds.pay(play.game(), "k1", 1, 1)
    play.state = game.state
    assert play.refused(LATE, ANN, points=1).code == "ego-has-acted"
    play.put("k2", karma=0)
    assert play.refused(LATE, BEN, points=1).code == "not-enough"
    play.put("k2", karma=1, stunned=1)
    assert play.refused(LATE, BEN, points=1).code == "ego-cannot-act"


def test_nothing_is_bought_late_while_the_round_opens() -> None:
    play = asking(gather(), "k1").do(NextTurn)
    assert play.refused(LATE, BEN, points=1).code == "round-opening"


@pytest.mark.rule("EGO-KAR-04")
def test_what_is_spent_in_secret_shows_in_no_open_number_until_it_is_told() -> None:
    play = asking(gather(), "k2").do(NextTurn)

    def shown() -> Any:
        character = play.state.characters["k1"]
        return health_lines(play.game(), character, True), open_points(play.game(), character)

    before = shown()
    play.karma(ANN, points=2, dice=1)
    assert play.sheet("k1").karma == ANNA.karma - 3
    assert secretly_spent(play.game(), "k1", "karma") == 3 and shown() == before
    play.karma(BEN, *[1] * 9)
    assert secretly_spent(play.game(), "k1", "karma") == 0 and shown() != before
