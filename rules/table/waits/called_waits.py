"""Waits for the missing rolls of a roll call, as one wait for the whole call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules.table.blocks import Ref, Text, Value
from rules.table.roll_calls.roll_call import RollCall, roll_call_key
from rules.table.state import TableState
from rules.table.waits.agenda import Wait


def with_calls_once(state: TableState, waits: Iterable[Wait]) -> tuple[Wait, ...]:
    """Return waits with one for each roll call in place of its missing rolls.

    The wait of a call stands where the first of its rolls stood. Results that wait for a decision
    stay by themselves.
    """
    found: dict[str, list[Wait]] = {}
    for wait in waits:
        found.setdefault(wait.call or wait.id, []).append(wait)
    merged: list[Wait] = []
    for key, group in found.items():
        call = state.own.get(roll_call_key(key)) if group[0].call else None
        merged.append(_wait_for(call, group) if isinstance(call, RollCall) else group[0])
    return tuple(merged)


def _wait_for(call: RollCall, rolls: Sequence[Wait]) -> Wait:
    """Return the wait for the missing rolls of a call."""
    who: dict[str, Ref] = {}
    for wait in rolls:
        who |= dict(zip(wait.characters, wait.who, strict=True))
    dated = [wait for wait in rolls if wait.due is not None]
    first = min(dated, key=lambda wait: wait.due or 0, default=rolls[0])
    about: dict[str, Value] = {"kind": "call", "traits": call.traits}
    return first.replace(
        id=call.id,
        who=tuple(who.values()),
        characters=tuple(who),
        people=_union(wait.people for wait in rolls),
        away=_union(wait.away for wait in rolls),
        gms=any(wait.gms for wait in rolls),
        since=min((wait.since for wait in rolls if wait.since), default=0),
        default=_default_of_all(rolls, tuple(who.values())),
        about=Text("wait-about", about),
        stalled=any(wait.stalled for wait in rolls),
    )


def _default_of_all(rolls: Sequence[Wait], who: tuple[Ref, ...]) -> Text | None:
    """Return what the clock does with all missing rolls; None if it isn't one thing."""
    defaults = [wait.default for wait in rolls]
    if None in defaults or not defaults:
        return None
    first = defaults[0]
    assert first is not None
    alike = all(text is not None and _what(text) == _what(first) for text in defaults)
    return first.replace(params={**first.params, "who": who, "count": len(who)}) if alike else None


def _what(default: Text) -> tuple[object, object]:
    return default.params.get("what"), default.params.get("choice")


def _union(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the participants of several waits, each once."""
    people: dict[str, None] = {}
    for group in groups:
        people |= dict.fromkeys(group)
    return tuple(people)
