"""Rules objects as JSON text and back: the parts of a table, actions and events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import msgspec

from bot.storage.errors import TableUnreadable
from rules.core.cards import Deck, Piles
from rules.registry import SYSTEMS, get_system
from rules.table import actions, events
from rules.table.check import Check, Orders, StepInQuestion
from rules.table.checks.procedure import AnyProcedure
from rules.table.gm_office import OFFICE_KIND, GmOffice
from rules.table.played_scenes import SCENE_KIND, StoryScene
from rules.table.roll_calls.roll_call import ROLL_CALL_KIND, SEAL_KIND, RollCall, SealReading
from rules.table.scenes.speech import SPEECH_KIND, Speech
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


def _encode_other(value: object) -> str:
    """Return a fraction as text. Raises TypeError for anything else that JSON cannot hold."""
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(type(value).__name__)


def _decode_other(type_: type, value: Any) -> Any:
    """Return a fraction from its text. Raises ValueError, or TypeError for another type."""
    if type_ is Fraction:
        return Fraction(value)
    raise TypeError(type_.__name__)


_encode = msgspec.json.Encoder(enc_hook=_encode_other).encode


@cache
def decoder(type_: Any) -> msgspec.json.Decoder[Any]:
    """Return the decoder of a type, and keep it for the next call."""
    return msgspec.json.Decoder(type_, dec_hook=_decode_other)


def _subclasses(module: Any, base: type) -> dict[str, type]:
    return {
        name: class_
        for name, class_ in vars(module).items()
        if isinstance(class_, type) and issubclass(class_, base) and class_ is not base
    }


def _action_classes() -> dict[str, type]:
    """Return all action classes by name, the name by which the journal stores them.

    Raises ValueError if two classes have one name.
    """
    classes = _subclasses(actions, actions.Action)
    for system in SYSTEMS.values():
        for class_ in system.actions:
            if classes.setdefault(class_.__name__, class_) is not class_:
                raise ValueError(f"two classes of actions are called {class_.__name__}")
    return classes


_ACTIONS = _action_classes()
_EVENTS = _subclasses(events, events.Event)


@cache
def part_classes(system_key: str) -> dict[str, Any]:
    """Return the classes of the parts of a system's tables, by kind.

    The kind is what the part's key begins with; a check's kind is `check:` and the kind of its
    procedure.
    """
    system = get_system(system_key)
    character: Any = Character
    encounter: Any = Encounter
    round_data = None if system.turns is None else system.turns.data
    classes: dict[str, Any] = dict(system.parts)
    if system.campaign.default is not None:
        classes["campaign"] = type(system.campaign.default)
    if system.sheets is not None:
        classes["character"] = character[system.sheets.kind]
    classes |= _check_classes(system.procedures)
    return classes | {
        "settings": Settings,
        "counters": Counters,
        "clock": GameClock,
        "person": Person,
        "encounter": encounter[round_data or type(None)],
        "deck": Piles,
        "orders": Orders,
        OFFICE_KIND: GmOffice,
        SCENE_KIND: StoryScene,
        ROLL_CALL_KIND: RollCall,
        SEAL_KIND: SealReading,
        SPEECH_KIND: Speech,
        "step-in": StepInQuestion,
        "marks": Marks,
        "cards": Deck,
    }


class _CheckHead(msgspec.Struct):
    """The field of a stored check that names its procedure, and so its class."""

    kind: str


def _check_classes(procedures: Mapping[str, AnyProcedure]) -> dict[str, Any]:
    check: Any = Check
    return {f"check:{kind}": check[procedure.data] for kind, procedure in procedures.items()}


def _part_kind(key: str, text: str) -> str:
    prefix = key.partition(":")[0]
    if prefix != "check":
        return prefix
    return f"check:{decoder(_CheckHead).decode(text).kind}"


def stored_classes() -> Iterator[tuple[str, Any]]:
    """Yield every class that is stored, with what it is stored as."""
    for key in SYSTEMS:
        yield from ((f"{key} {kind}", class_) for kind, class_ in part_classes(key).items())
    yield from _ACTIONS.items()
    yield from _EVENTS.items()


def part_text(part: Any) -> str:
    """Return the stored form of one part of a table."""
    return _encode(part).decode()


def read_part(system_key: str, table_id: int, key: str, version: int, text: str) -> Part:
    """Return a part from its stored form. Raises TableUnreadable."""
    if version > PART_VERSION:
        raise TableUnreadable(table_id, key, "newer")
    try:
        class_ = part_classes(system_key).get(_part_kind(key, text))
        if class_ is None or version != PART_VERSION:
            raise TableUnreadable(table_id, key, "damaged")
        return decoder(class_).decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise TableUnreadable(table_id, key, "damaged") from error


class _Owned(msgspec.Struct):
    """The owner in the stored form of a character."""

    owner: str | None


def read_owner(table_id: int, key: str, text: str) -> str | None:
    """Return the owner in a character's part, without reading its sheet. Raises TableUnreadable."""
    try:
        return decoder(_Owned).decode(text).owner
    except (msgspec.MsgspecError, UnicodeEncodeError) as error:
        raise TableUnreadable(table_id, key, "damaged") from error


def read_state(system_key: str, table_id: int, rows: Iterable[tuple[str, int, str]]) -> TableState:
    """Return a whole table from its rows of key, version and text. Raises TableUnreadable."""
    if system_key not in SYSTEMS:
        raise TableUnreadable(table_id, "system", "newer")
    parts = {
        key: read_part(system_key, table_id, key, version, text) for key, version, text in rows
    }
    try:
        state = from_parts(parts)
        for check in state.checks.values():
            if check.actor:
                state.characters[check.actor]
    except (KeyError, ValueError) as error:
        raise TableUnreadable(table_id, str(error), "damaged") from error
    return state


def action_text(action: actions.Action) -> str:
    """Return the stored form of an action, without its class name, which is stored beside it."""
    return _encode(action).decode()


def read_action(name: str, text: str) -> actions.Action:
    """Return an action from its class name and stored form."""
    return decoder(_ACTIONS[name]).decode(text)


def events_text(happened: Iterable[events.Event]) -> str:
    """Return the stored form of events: a JSON array of [class name, fields]."""
    return _encode([(type(event).__name__, event) for event in happened]).decode()


def read_events(text: str) -> tuple[events.Event, ...]:
    """Return events from their stored form."""
    rows: list[tuple[str, msgspec.Raw]] = decoder(list[tuple[str, msgspec.Raw]]).decode(text)
    return tuple(decoder(_EVENTS[name]).decode(fields) for name, fields in rows)


def encode_text(record: object) -> str:
    """Return a record of our own that is no part of a table as JSON."""
    return _encode(record).decode()


def dump(data: Mapping[str, Any]) -> str:
    """Compact JSON for small objects of our own, such as panel drafts."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def load(text: str) -> dict[str, Any]:
    """Read what `dump` wrote."""
    return json.loads(text)
