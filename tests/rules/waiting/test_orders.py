"""What orders answer, and whom they have asked."""

from __future__ import annotations

from rules.table.check import Order, Orders
from rules.table.checks.standing_orders import how_ordered, with_orders
from tests.rules.ego.play import table


def test_a_plan_answers_as_an_order_and_not_as_an_absence() -> None:
    plan = Order("karma")
    state = with_orders(table(), "k1", Orders(planned=plan))
    assert how_ordered(state, "k1", plan) == "order"
    assert how_ordered(state, "k1", Order("face")) == "away"
    assert how_ordered(with_orders(table(), "k1", Orders(given=(plan,))), "k1", plan) == "order"
