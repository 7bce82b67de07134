"""What is stored is read back the same: parts, actions and events with anything in them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.storage import codec
from bot.storage.codec import PART_VERSION
from rules.core.cards import Deck, Piles
from rules.core.record import NODEFAULT, Record, field_defaults
from rules.registry import SYSTEMS
from rules.systems.masterbook.formulas.equipment import CLASSES, WeaponKind
from rules.table import actions, events
from rules.table.blocks import Ref, Text
from rules.table.check import Check, Orders
from rules.table.played_scenes import StoryScene
from rules.table.state import Character, Counters, Marks, Person, Settings
from tests.example_counts import examples

texts = st.text(max_size=8)
numbers = st.integers(-(1 << 53), 1 << 53)
json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), numbers, st.floats(allow_nan=False, allow_infinity=False), texts
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=5,
)
items = st.one_of(st.none(), st.booleans(), numbers, texts)
refs = st.builds(Ref, texts, texts, texts)


def said(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Text]:
    """A text with such values, and with lists of them."""
    given = st.one_of(values, st.lists(values, max_size=2).map(tuple))
    return st.builds(Text, texts, st.dictionaries(texts, given, max_size=2))


#: Texts hold texts, without end; two deep is deep enough.
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    Ref: refs,
    Text: said(st.one_of(items, refs, said(st.one_of(items, refs)))),
    str: texts,
    int: numbers,
    bool: st.booleans(),
    NoneType: st.none(),
    Any: json_values,
    Fraction: st.fractions(),
}


def anything(hint: Any, bound: dict[Any, Any] | None = None) -> st.SearchStrategy[Any]:
    """Any value that a field of this type may have; `bound` gives the type variables."""
    bound = bound or {}
    if isinstance(hint, TypeVar):
        return anything(bound[hint])
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of(*(anything(arg, bound) for arg in args))
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        if args[-1] is Ellipsis:
            return st.lists(anything(args[0], bound), max_size=3).map(tuple)
        return st.tuples(*(anything(arg, bound) for arg in args))
    if origin in (dict, Mapping):
        return st.dictionaries(anything(args[0], bound), anything(args[1], bound), max_size=3)
    if isinstance(origin, type) and issubclass(origin, Record):
        names: tuple[Any, ...] = getattr(origin, "__parameters__", ())
        return built(
            origin, {name: bound.get(arg, arg) for name, arg in zip(names, args, strict=True)}
        )
    if isinstance(hint, type) and issubclass(hint, Record) and hint not in PLAIN:
        return built(hint, bound)
    return PLAIN[hint]


def built(
    kind: Any,
    bound: dict[Any, Any] | None = None,
    given: Mapping[str, st.SearchStrategy[Any]] | None = None,
) -> st.SearchStrategy[Any]:
    """Any object of a dataclass; fields with a default often keep it. `given`: those that take not
    just anything.
    """
    hints = get_type_hints(kind)
    needed: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, usual in field_defaults(kind).items():
        (needed if usual is NODEFAULT else optional)[name] = (given or {}).get(
            name, st.deferred(lambda hint=hints[name]: anything(hint, bound))
        )
    return st.fixed_dictionaries(needed, optional=optional).map(lambda values: kind(**values))


_CLASSES = st.sampled_from(("", *CLASSES))
PLAIN[WeaponKind] = built(WeaponKind, given={"kind": _CLASSES, "thrown": _CLASSES})


def classes(module: Any, base: type) -> list[type]:
    """The classes that are written to the journal."""
    found = [
        kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, base)
    ]
    return [kind for kind in found if kind is not base]


OWN_ACTIONS = [kind for system in SYSTEMS.values() for kind in system.actions]


@pytest.mark.parametrize(
    "kind", [*classes(actions, actions.Action), *OWN_ACTIONS], ids=lambda kind: kind.__name__
)
@given(data=st.data())
@examples(30, by_day=12)
def test_actions(kind: type, data: st.DataObject) -> None:
    action = data.draw(built(kind))
    assert codec.read_action(kind.__name__, codec.action_text(action)) == action


@given(st.lists(st.one_of(*map(built, classes(events, events.Event))), max_size=3).map(tuple))
@examples(200)
def test_events(happened: tuple[Any, ...]) -> None:
    again = codec.read_events(codec.events_text(happened))
    assert again == happened
    assert repr(again) == repr(happened)  # True is not 1, and a list is no tuple


@cache
def parts(system: str) -> dict[str, st.SearchStrategy[Any]]:
    """Anything that may be a part of a table of these rules, by key."""
    rules = SYSTEMS[system]
    strategies: dict[str, st.SearchStrategy[Any]] = {
        "settings": built(Settings),
        "counters": built(Counters),
        "person:p1": built(Person),
        "deck:standard": built(Piles),
        "orders:k1": built(Orders),
        "marks:k1": built(Marks),
        "scene:1": built(StoryScene),
        "cards:omens": built(Deck),
        **{f"{prefix}:1": built(kind) for prefix, kind in rules.parts.items()},
    }
    if rules.campaign.default is not None:
        strategies["campaign"] = built(type(rules.campaign.default))
    if rules.sheets is not None:
        bound = dict(zip(_variables(Character), (rules.sheets.kind,), strict=True))
        strategies["character:k1"] = built(Character, bound)
    for kind, course in rules.procedures.items():
        bound = dict(zip(_variables(Check), (course.data,), strict=True))
        strategies[f"check:{kind}"] = built(Check, bound).map(
            lambda each, kind=kind: each.replace(kind=kind)
        )
    return strategies


@pytest.mark.parametrize("system", SYSTEMS)
@given(data=st.data())
@examples(150, by_day=60)
def test_parts(system: str, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(tuple(parts(system))))
    part = data.draw(parts(system)[key])
    again = codec.read_part(system, 1, key, PART_VERSION, codec.part_text(part))
    assert again == part
    assert repr(again) == repr(part)


def _variables(kind: Any) -> tuple[Any, ...]:
    return kind.__parameters__


@given(st.dictionaries(texts, json_values, max_size=4))
def test_small_objects_of_our_own(data: dict[str, Any]) -> None:
    assert codec.load(codec.dump(data)) == data
