"""Rules objects <-> JSON text, and nothing else; the classes stay plain dataclasses.

Pydantic reads, because what is stored may be damaged. Msgspec writes, the same text in half
the time: what is written comes from the rules and is valid.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any

import msgspec
from pydantic import Discriminator, Tag, TypeAdapter, ValidationError

from bot.storage.errors import TableUnreadable
from rules.core.cards import Deck, Piles
from rules.registry import SYSTEMS, get_system
from rules.table import actions, events
from rules.table.checks.check import Check, Orders
from rules.table.checks.procedure import AnyProcedure
from rules.table.state import (
    Character,
    Counters,
    Encounter,
    GameClock,
    Marks,
    Part,
    Person,
    Settings,
    TableState,
    from_parts,
)

#: Version of the stored form of parts.
PART_VERSION = 1


def _plain(value: object) -> str:
    """What JSON has no form for. TypeError for what nothing reads back."""
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(type(value).__name__)


_encode = msgspec.json.Encoder(enc_hook=_plain).encode


def _subclasses(module: Any, base: type) -> dict[str, type]:
    return {
        name: kind
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, base) and kind is not base
    }


_ACTIONS = _subclasses(actions, actions.Action) | {
    kind.__name__: kind for system in SYSTEMS.values() for kind in system.actions
}
_EVENTS = _subclasses(events, events.Event)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _part_kinds(system_key: str) -> dict[str, Any]:
    """What the keys of parts begin with, and the classes of these parts."""
    system = get_system(system_key)
    character: Any = Character
    own: dict[str, Any] = dict(system.parts)
    if system.campaign.default is not None:
        own["campaign"] = type(system.campaign.default)
    if system.sheets is not None:
        own["character"] = character[system.sheets.kind]
    if system.procedures:
        own["check"] = check_kinds(system.procedures)
    encounter: Any = Encounter
    declared = None if system.turns is None else system.turns.data
    return own | {
        "settings": Settings,
        "counters": Counters,
        "clock": GameClock,
        "person": Person,
        "encounter": encounter[declared or type(None)],
        "deck": Piles,
        "orders": Orders,
        "marks": Marks,
        "cards": Deck,
    }


def check_kinds(procedures: Mapping[str, AnyProcedure]) -> Any:
    """The checks of these kinds: each with the data of its procedure."""
    check: Any = Check
    annotated: Any = Annotated
    found = [annotated[check[each.data], Tag(kind)] for kind, each in procedures.items()]
    return found[0] if len(found) == 1 else annotated[reduce(or_, found), Discriminator(_kind)]


def _kind(value: Any) -> Any:
    return value.get("kind") if isinstance(value, dict) else value.kind


@cache
def _part_readers(system_key: str) -> dict[str, TypeAdapter[Any]]:
    return {prefix: _adapter(kind) for prefix, kind in _part_kinds(system_key).items()}


def stored() -> Iterator[tuple[str, Any]]:
    """Every class that is stored, by what it is stored as."""
    for key in SYSTEMS:
        yield from ((f"{key} {prefix}", kind) for prefix, kind in _part_kinds(key).items())
    yield from _ACTIONS.items()
    yield from _EVENTS.items()


def part_text(part: Part) -> str:
    """The stored form of one part."""
    return _encode(part).decode()


def read_part(system_key: str, table_id: int, key: str, version: int, text: str) -> Part:
    """A part from its stored form. Raises TableUnreadable."""
    if version > PART_VERSION:
        raise TableUnreadable(table_id, key, "newer")
    adapter = _part_readers(system_key).get(key.partition(":")[0])
    if adapter is None or version != PART_VERSION:
        raise TableUnreadable(table_id, key, "damaged")
    try:
        return adapter.validate_json(text)
    except ValidationError as error:
        raise TableUnreadable(table_id, key, "damaged") from error


def read_state(system_key: str, table_id: int, rows: Iterable[tuple[str, int, str]]) -> TableState:
    """A whole table from its rows of key, version and text. Raises TableUnreadable."""
    if system_key not in SYSTEMS:
        raise TableUnreadable(table_id, "system", "newer")
    parts = {key: read_part(system_key, table_id, key, version, text) for key, version, text in rows}
    try:
        state = from_parts(parts)
        for check in state.checks.values():
            if check.actor:
                state.characters[check.actor]
    except (KeyError, ValueError) as error:
        raise TableUnreadable(table_id, str(error), "damaged") from error
    return state


def action_text(action: actions.Action) -> str:
    """The stored form of an action, without its class (which is stored beside it)."""
    return _encode(action).decode()


def read_action(kind: str, text: str) -> actions.Action:
    """An action from its class name and stored form."""
    return _adapter(_ACTIONS[kind]).validate_json(text)


def events_text(happened: Iterable[events.Event]) -> str:
    """The stored form of a list of events: a JSON array of [class name, fields]."""
    return _encode([(type(event).__name__, event) for event in happened]).decode()


def read_events(text: str) -> tuple[events.Event, ...]:
    """Events from their stored form."""
    return tuple(_adapter(_EVENTS[kind]).validate_python(fields) for kind, fields in json.loads(text))


def dump(data: Mapping[str, Any]) -> str:
    """Compact JSON for small objects of our own, such as panel drafts."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def load(text: str) -> dict[str, Any]:
    """What `dump` wrote."""
    return json.loads(text)
