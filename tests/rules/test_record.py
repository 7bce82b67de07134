"""Records: frozen at run time, changed by copies, pickled for the worker process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Generic, TypeVar

import pytest

from bot.storage import codec
from rules.core.record import NODEFAULT, Record, field, field_defaults, force_setattr, to_plain

D = TypeVar("D")


class Point(Record):
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()


class Named(Point):
    name: str = "n"


class Keyed(Record, kw_only=True):
    one: int
    notes: dict[str, str] = field(default_factory=dict[str, str])


class Box(Record, Generic[D]):
    content: D
    count: int = 1


class Weapon(Record):
    kind: str = "sword"
    is_long: bool = False

    def __post_init__(self) -> None:
        force_setattr(self, "is_long", self.kind == "spear")


def test_replace_changes_what_is_named_and_shares_the_rest() -> None:
    tags = ("a", "b")
    before = Point(1, tags=tags)
    after = before.replace(y=5)
    assert after == Point(1, 5, tags)
    assert after.tags is tags
    assert before == Point(1, 2, tags)
    assert before.replace(x=None).x is None  # None is a value like any other.
    assert Named(1, 2, (), "m").replace(name="k") == Named(1, 2, (), "k")
    assert Box("a").replace(content=3) == Box(3)


def test_replace_refuses_a_field_that_is_not_there() -> None:
    with pytest.raises(TypeError, match="z"):
        Point(1).replace(z=1)


def test_replace_runs_post_init() -> None:
    """Forms derive their indexes there; msgspec does so from 0.22 on."""
    assert Weapon("axe").replace(kind="spear").is_long


@pytest.mark.parametrize("record", [Point(1), Named(1), Keyed(one=1), Box(2)])
def test_no_field_can_be_written(record: Record) -> None:
    name = record.__struct_fields__[0]
    with pytest.raises(AttributeError):
        setattr(record, name, 5)
    with pytest.raises(AttributeError):
        delattr(record, name)


def _records(class_: type[Record]) -> Iterator[type[Record]]:
    for subclass in class_.__subclasses__():
        yield subclass
        yield from _records(subclass)


def test_every_record_of_the_product_is_frozen() -> None:
    stored = dict(codec.stored_classes())
    classes = [class_ for class_ in _records(Record) if not class_.__module__.startswith("tests.")]
    assert len(classes) > len(stored) / 2
    assert [class_.__qualname__ for class_ in classes if not class_.__struct_config__.frozen] == []


def test_records_of_another_class_are_not_equal() -> None:
    assert Point(1) != Named(1)
    assert hash(Point(1)) == hash(Point(1, 2))


def test_pickling_keeps_the_class_and_the_fields() -> None:
    records = [Named(1, 3, (), "m"), Keyed(one=1, notes={"a": "b"}), Box(Point(1)), Weapon("spear")]
    assert pickle.loads(pickle.dumps(records)) == records


def test_defaults_by_field() -> None:
    assert field_defaults(Named) == {"x": NODEFAULT, "y": 2, "tags": (), "name": "n"}


def test_plain_values_hold_no_records_at_any_depth() -> None:
    value: Any = (Box([Point(1), {"at": Point(2)}]), Fraction(1, 2))
    point = {"x": 1, "y": 2, "tags": ()}
    assert to_plain(value) == (
        {"content": [point, {"at": {**point, "x": 2}}], "count": 1},
        Fraction(1, 2),
    )
