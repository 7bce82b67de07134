"""Rules objects <-> JSON text, and nothing else; the classes stay plain dataclasses.

Pydantic reads, because what is stored may be damaged or of an older version. Msgspec writes, the same text in half
the time: what is written comes from the rules and is valid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import msgspec
from pydantic import TypeAdapter, ValidationError

from bot.storage.errors import TableUnreadable
from rules.core.cards import Deck, Piles
from rules.registry import SYSTEMS, get_system
from rules.table import actions, events
from rules.table.state import (
    Challenge,
    Character,
    Counters,
    Encounter,
    GameClock,
    Part,
    Person,
    Settings,
    TableState,
    from_parts,
)

#: Version of the stored form of parts. A change of shape raises it and adds an entry to `UPGRADES`.
PART_VERSION = 2


def _plain(value: object) -> str:
    """What JSON has no form for. TypeError for what nothing reads back."""
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(type(value).__name__)


_encode = msgspec.json.Encoder(enc_hook=_plain).encode


def _off_stage(key: str, data: dict[str, Any]) -> dict[str, Any]:
    """Players did not know of NPCs before there were stages."""
    if key.startswith("character:") and data.get("owner") is None:
        return {**data, "stage": "off"}
    return data


#: Version found -> how its JSON object becomes that of the next version. 2: what else was added has defaults.
UPGRADES: dict[int, Callable[[str, dict[str, Any]], dict[str, Any]]] = {1: _off_stage}


def _subclasses(module: Any, base: type) -> dict[str, type]:
    return {
        name: kind
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, base) and kind is not base
    }


_ACTIONS = _subclasses(actions, actions.Action) | {
    kind.__name__: kind for system in SYSTEMS.values() for kind in system.handlers
}
_EVENTS = _subclasses(events, events.Event) | {
    kind.__name__: kind for system in SYSTEMS.values() for kind in system.events
}


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@cache
def _part_kinds(system_key: str) -> dict[str, TypeAdapter[Any]]:
    kinds = get_system(system_key).kinds
    challenge: Any = Challenge
    character: Any = Character
    own = {prefix: _adapter(kind) for prefix, kind in kinds.own.items()}
    if kinds.campaign is not None:
        own["campaign"] = _adapter(kinds.campaign)
    return own | {
        "settings": _adapter(Settings),
        "counters": _adapter(Counters),
        "clock": _adapter(GameClock),
        "person": _adapter(Person),
        "encounter": _adapter(Encounter),
        "deck": _adapter(Piles),
        "cards": _adapter(Deck),
        "character": _adapter(character[kinds.sheet]),
        "challenge": _adapter(challenge[kinds.request, kinds.ruling, kinds.rolled]),
    }


def part_text(part: Part) -> str:
    """The stored form of one part."""
    return _encode(part).decode()


def read_part(system_key: str, table_id: int, key: str, version: int, text: str) -> Part:
    """A part from its stored form, upgraded when it is an older one. Raises TableUnreadable."""
    if version > PART_VERSION:
        raise TableUnreadable(table_id, key, "newer")
    adapter = _part_kinds(system_key).get(key.partition(":")[0])
    if adapter is None:
        raise TableUnreadable(table_id, key, "damaged")
    try:
        if version == PART_VERSION:
            return adapter.validate_json(text)
        data = json.loads(text)
        for number in range(version, PART_VERSION):
            data = UPGRADES[number](key, data)
        return adapter.validate_python(data)
    except (ValidationError, ValueError, KeyError) as error:
        raise TableUnreadable(table_id, key, "damaged") from error


def read_state(system_key: str, table_id: int, rows: Iterable[tuple[str, int, str]]) -> TableState:
    """A whole table from its rows of key, version and text. Raises TableUnreadable."""
    if system_key not in SYSTEMS:
        raise TableUnreadable(table_id, "system", "newer")
    parts = {key: read_part(system_key, table_id, key, version, text) for key, version, text in rows}
    try:
        state = from_parts(parts)
        for challenge in state.challenges.values():
            state.characters[challenge.character]
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
