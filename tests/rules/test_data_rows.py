"""Rows of data: what fits becomes a record, and what does not is named by its place."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

import pytest

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.record import Record, field


class Effect(Record):
    kind: Literal["hurt", "stun"]
    factor: Fraction = Fraction(1)


class Weapon(Record, rename={"type_": "type"}):
    id: str
    damage: int
    type_: str = ""
    two_handed: bool = False
    effects: tuple[Effect, ...] = ()
    span: tuple[int, int] | None = None
    skills: Mapping[str, int] = field(default_factory=dict[str, int])
    more: Any = None


WHOLE: dict[str, Any] = {
    "id": "spear",
    "damage": 3,
    "type": "thrown",
    "two_handed": True,
    "effects": [{"kind": "hurt", "factor": "1/2"}, {"kind": "stun", "factor": 2}],
    "span": [1, 4],
    "skills": {"Throwing": 2},
    "more": [1, {"as": "it is"}],
}


def test_a_row_becomes_a_record() -> None:
    assert from_json(Weapon, WHOLE) == Weapon(
        "spear",
        3,
        "thrown",
        True,
        (Effect("hurt", Fraction(1, 2)), Effect("stun", Fraction(2))),
        (1, 4),
        {"Throwing": 2},
        [1, {"as": "it is"}],
    )
    assert from_json(Weapon, {"id": "fist", "damage": 0, "span": None}) == Weapon("fist", 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"damage": "3"}, 'weapons[1].damage: expected a whole number, not "3"'),
        ({"damage": True}, "weapons[1].damage: expected a whole number, not true"),
        ({"damage": 1.5}, "weapons[1].damage: expected a whole number, not 1.5"),
        ({"two_handed": 1}, "weapons[1].two_handed: expected true or false, not 1"),
        ({"effects": {}}, "weapons[1].effects: expected a list, not {}"),
        ({"effects": [{"kind": "hurt"}, 1]}, "weapons[1].effects[1]: expected an object, not 1"),
        (
            {"effects": [{"kind": "burn"}]},
            'weapons[1].effects[0].kind: expected one of hurt, stun, not "burn"',
        ),
        ({"effects": [{}]}, "weapons[1].effects[0].kind: missing"),
        (
            {"effects": [{"kind": "hurt", "factor": "1/0"}]},
            "weapons[1].effects[0].factor: expected a whole number or a fraction such as "
            '"1/2", not "1/0"',
        ),
        ({"span": [1]}, "weapons[1].span: expected a list of 2, not [1]"),
        ({"span": "wide"}, 'weapons[1].span: expected a list, not "wide"'),
        (
            {"skills": {"Throwing": None}},
            "weapons[1].skills.Throwing: expected a whole number, not null",
        ),
        ({"color": "red"}, "weapons[1].color: no such field; there are id, damage, type"),
        ({"type_": "thrown"}, "weapons[1].type_: no such field"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as refused:
        from_json(dict[str, tuple[Weapon, ...]], {"weapons": [WHOLE, WHOLE | change]})
    assert str(refused.value).startswith(said)


def test_rows_by_what_they_are_called() -> None:
    weapons = from_json(tuple[Weapon, ...], [WHOLE, {"id": "fist", "damage": 0}])
    assert rows_by_key(weapons, "id") == {"spear": weapons[0], "fist": Weapon("fist", 0)}


class Span(Record):
    low: int
    high: int

    def __post_init__(self) -> None:
        if self.high < self.low:
            raise ValueError(f"high: expected at least {self.low}")


def test_a_record_says_itself_what_is_wrong_with_its_fields() -> None:
    with pytest.raises(ValueError) as refused:
        from_json(tuple[Span, ...], [{"low": 1, "high": 2}, {"low": 3, "high": 2}], "spans")
    assert str(refused.value) == "spans[1].high: expected at least 3"


def test_alternatives_are_explained_by_the_last() -> None:
    assert from_json(dict[str, int | str | None], {"a": 1, "b": "x", "c": None}) == {
        "a": 1,
        "b": "x",
        "c": None,
    }
    with pytest.raises(ValueError, match=r"^b: expected a text, not true$"):
        from_json(dict[str, int | str | None], {"a": 1, "b": True})
    with pytest.raises(ValueError, match=r"^the data: expected an object, not \[\]$"):
        from_json(Span, [])


def test_files_that_ship() -> None:
    assert (
        from_json(dict[str, Any], json_loader("rules.systems.barmore", "dice")())["standard"]
        == "d8"
    )
