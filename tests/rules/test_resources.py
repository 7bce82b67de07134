"""Points that shared code awards, sets, spends and gives back: those of a made-up game here."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Impossible, RulesError
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.check import Cost
from rules.table.resources import (
    Resource,
    TickKind,
    adjust,
    adjustables,
    award_options,
    can_afford,
    give_award,
    pay_cost,
    restore_points,
)


class Sheet(Record):
    karma: int = 2
    breath: int = 3


def _by_hand(sheet: Sheet, before: Sheet | None) -> Text:
    if before is None:
        return Text("ebb-adjust-fate", {"points": sheet.karma})
    return Text("ebb-now-fate", {"points": sheet.karma, "before": before.karma})


KARMA = Resource[Sheet](
    "Karma",
    of=lambda sheet: sheet.karma,
    with_value=lambda sheet, points: Sheet(points, sheet.breath),
    low=-1,
    high=5,
    award=Text("ebb-award"),
    given=lambda name, points, sheet: Text("ebb-award", {"name": name}),
    by_hand=_by_hand,
)
BREATH = Resource[Sheet](
    "breath",
    of=lambda sheet: sheet.breath,
    with_value=lambda sheet, points: Sheet(sheet.karma, points),
    high=lambda sheet: sheet.karma + 1,
    shortage_error=lambda have, need: Impossible("nobody-waits", have=have, need=need),
    restore=("round-end", lambda sheet: sheet.karma + 1),
)
ALL = (KARMA, BREATH)


def test_what_may_be_awarded_and_set_is_said() -> None:
    assert [each.value for each in award_options(ALL)] == ["Karma"]
    assert [each.value for each in adjustables(ALL, Sheet())] == ["Karma"]
    assert award_options(()) == adjustables((), Sheet()) == ()


def test_points_are_awarded() -> None:
    assert give_award(ALL, "Ana", Sheet(), "karma", 3) == (
        Sheet(5),
        Text("ebb-award", {"name": "Ana"}),
    )


@pytest.mark.parametrize(
    ("resources", "kind", "points", "code"),
    [
        ((), "karma", 1, "nothing-to-award"),
        ((BREATH,), "breath", 1, "nothing-to-award"),
        (ALL, "breath", 1, "unknown-award"),
        (ALL, "gold", 1, "unknown-award"),
        (ALL, "karma", 4, "out-of-range"),
        (ALL, "karma", 0, "out-of-range"),
    ],
)
def test_what_cannot_be_awarded(resources: Any, kind: str, points: int, code: str) -> None:
    with pytest.raises(RulesError) as refused:
        give_award(resources, "Ana", Sheet(), kind, points)
    assert refused.value.code == code


def test_points_are_set_by_hand() -> None:
    assert adjust(ALL, Sheet(), "KARMA", " −1 ") == (
        Sheet(-1),
        Text("ebb-now-fate", {"points": -1, "before": 2}),
    )
    assert adjust(ALL, Sheet(), "breath", "1") is None
    assert adjust(ALL, Sheet(), "gold", "1") is None
    for typed, code in (("many", "not-a-number"), ("6", "out-of-range"), ("-2", "out-of-range")):
        with pytest.raises(RulesError) as refused:
            adjust(ALL, Sheet(), "karma", typed)
        assert refused.value.code == code


def test_costs_are_paid_down_to_the_least() -> None:
    assert pay_cost(ALL, Sheet(), Cost("karma", 3)) == Sheet(-1)
    assert can_afford(ALL, Sheet(), Cost("karma", 3))
    assert not can_afford(ALL, Sheet(), Cost("karma", 4))
    for cost, code in (
        (Cost("karma", 4), "not-enough"),
        (Cost("breath", 4), "nobody-waits"),
        (Cost("karma", 0), "out-of-range"),
    ):
        with pytest.raises(RulesError) as refused:
            pay_cost(ALL, Sheet(), cost)
        assert refused.value.code == code
    with pytest.raises(ValueError, match="gold"):
        pay_cost(ALL, Sheet(), Cost("gold"))


def test_what_is_over_gives_points_back() -> None:
    assert restore_points(ALL, Sheet(2, 1), "round-end") == (Sheet(2, 3), (("breath", 2),))
    assert restore_points(ALL, Sheet(2, 5), "round-end") == (Sheet(2, 3), (("breath", -2),))
    whole = Sheet()
    ticks: tuple[TickKind, ...] = ("round-end", "session")
    for tick in ticks:
        same, back = restore_points(ALL, whole, tick)
        assert same is whole
        assert back == ()
