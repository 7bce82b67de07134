"""Records: what `but` makes of them."""

from __future__ import annotations

import pickle
from dataclasses import field
from typing import Any, Generic, TypeVar

import pytest

from rules.core.record import Record, record

D = TypeVar("D")


@record
class Point(Record):
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()


@record
class Named(Point):
    name: str = "n"


@record(kw_only=True)
class Keyed(Record):
    one: int
    notes: dict[str, str] = field(default_factory=dict)


@record
class Box(Record, Generic[D]):
    what: D
    count: int = 1


@record
class Weapon(Record):
    kind: str = "sword"
    new: bool = False
    long: bool = field(init=False)

    def __post_init__(self: Any) -> None:
        self.long = self.kind == "spear"


@record
class Empty(Record):
    pass


def test_but_changes_what_is_given_and_shares_the_rest() -> None:
    tags = ("a", "b")
    was = Point(1, tags=tags)
    now = was.but(y=5)
    assert now == Point(1, 5, tags)
    assert now.tags is tags
    assert was == Point(1, 2, tags)
    assert was.but() == was
    assert Empty().but() == Empty()
    assert was.but(x=None).x is None  # None is a value like any other


def test_what_is_not_given_is_as_declared() -> None:
    assert Weapon() == Weapon("sword", new=False)
    assert Weapon("spear").long
    assert Weapon("spear").but(kind="axe", new=True).kind == "axe"
    assert Keyed(one=1).notes == {}
    assert Keyed(one=1).notes is not Keyed(one=1).notes


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Point, {}),
        (Point, {"x": 1, "z": 1}),
        (Keyed, {"notes": {}}),
        (Weapon, {"long": True}),
        (Empty, {"x": 1}),
    ],
)
def test_what_cannot_be_given_is_refused(kind: Any, given: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        kind(**given)
    with pytest.raises(TypeError):
        kind(1, 2, 3, 4, 5)


def test_each_class_has_its_own() -> None:
    named = Named(1, 2, (), "m")
    assert named.but(name="k") == Named(1, 2, (), "k")
    assert type(named.but(x=3)) is Named
    assert Keyed(one=1, notes={"a": "b"}).but(one=2) == Keyed(one=2, notes={"a": "b"})
    assert Box("a").but(what=3) == Box(3)
    assert Point.but.__qualname__ == "Point.but"
    assert pickle.loads(pickle.dumps(named.but(x=4))) == Named(4, 2, (), "m")


@pytest.mark.parametrize("one", [Point(1), Empty(), Keyed(one=1)])
def test_a_field_that_is_not_there_is_refused(one: Record) -> None:
    with pytest.raises(TypeError, match="z"):
        one.but(z=1)
    with pytest.raises(TypeError):
        one.but(but=1)


def test_a_class_without_the_decorator_has_none() -> None:
    class Bare(Record):
        pass

    with pytest.raises(TypeError, match="no record"):
        Bare().but()
