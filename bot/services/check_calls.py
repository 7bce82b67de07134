"""Parties that a check awaits at a step, and the calls of the check that are over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from bot.storage.row_records import AwaitedParty
from rules.table.events import (
    CheckChanged,
    Event,
    PromptView,
    RollCallChanged,
    RollCallLine,
)

#: Steps that call players or GMs anew, so that earlier calls to them are over.
_CALLING_ANEW = ("reminded", "stalled", "called")

#: Key and number of a prompt.
_Prompt = tuple[str, int]


def awaited_parties(event: CheckChanged) -> tuple[AwaitedParty, ...]:
    """Return the parties that a check awaits or calls at a step."""
    again = event.step in _CALLING_ANEW
    return _parties(_prompts_in(event, ""), _calls_of(event, again=again))


def roll_call_parties(event: RollCallChanged) -> tuple[AwaitedParty, ...]:
    """Return the parties that the checks of a roll call await, and those that the call names."""
    asked = [prompt for line in event.lines for prompt in _prompts_in(line.view, line.view.check)]
    return _parties(asked, _calls_of(event, again=event.again))


def _prompts_in(event: CheckChanged, check: str) -> list[tuple[str | None, _Prompt]]:
    """Return the prompts of a check, each with a party that it awaits; None stands for the GMs.

    The *check* tells apart prompts of several checks.
    """
    found: list[tuple[str | None, _Prompt]] = []
    for awaited in event.asked:
        key = f"{check}.{awaited.prompt}" if check else awaited.prompt
        parties: list[str | None] = [*awaited.people]
        if awaited.gms:
            parties.append(None)
        found += [(party, (key, awaited.number)) for party in parties]
    return found


def _parties(
    asked: Iterable[tuple[str | None, _Prompt]],
    calls: Mapping[str | None, Literal["first", "again"]],
) -> tuple[AwaitedParty, ...]:
    prompts: dict[str | None, list[_Prompt]] = {}
    for party, prompt in asked:
        prompts.setdefault(party, []).append(prompt)
    for party in calls:
        prompts.setdefault(party, [])
    return tuple(
        AwaitedParty(party, tuple(found), calls.get(party)) for party, found in prompts.items()
    )


def _calls_of(event: Event, *, again: bool) -> dict[str | None, Literal["first", "again"]]:
    """Return the parties that an event calls, and whether it calls them again."""
    called: list[str | None] = [*event.ping]
    if event.ping_gms:
        called.append(None)
    return dict.fromkeys(called, "again" if again else "first")


def is_still_called(call: Sequence[AwaitedParty], now: Sequence[AwaitedParty]) -> bool:
    """Return whether a check still asks the called parties what their call asked them.

    A reminder takes the older call away itself: whether it's sent depends on its users' wishes.
    """
    called = {party.person for party in call if party.call is not None}
    return not _prompts_of(call, called).isdisjoint(_prompts_of(now, called))


def replaces_call(new: Sequence[AwaitedParty], old: Sequence[AwaitedParty]) -> bool:
    """Return whether a new call names all parties of an old one that still have to answer.

    If not, the old call stays: it is the only message that names the others.
    """
    newly_called = {party.person for party in new if party.call is not None}
    for party in old:
        if party.call is None or party.person in newly_called:
            continue
        if not _prompts_of(new, {party.person}).isdisjoint(party.prompts):
            return False
    return True


def still_called_prompts(
    call: Sequence[AwaitedParty], now: Sequence[AwaitedParty]
) -> frozenset[tuple[str | None, _Prompt]]:
    """Return the called parties with the prompts of their call that are still open to them."""
    awaited = _awaited_prompts(now)
    called = [party for party in call if party.call is not None]
    return frozenset(awaited & _awaited_prompts(called))


def _awaited_prompts(parties: Iterable[AwaitedParty]) -> set[tuple[str | None, _Prompt]]:
    return {(party.person, prompt) for party in parties for prompt in party.prompts}


def call_to_missing(call: RollCallChanged, now: Sequence[AwaitedParty]) -> RollCallChanged:
    """Return a call to a roll call without the parties who have done what it asks them."""
    awaited = _awaited_prompts(now)
    people: set[str] = set()
    asks_gms = False
    lines: list[RollCallLine] = []
    for line in call.lines:
        prompts: list[PromptView] = []
        for prompt in line.view.asked:
            open_prompt = _still_open(prompt, line.view.check, awaited)
            if open_prompt is not None:
                prompts.append(open_prompt)
                people.update(open_prompt.people)
                asks_gms = asks_gms or open_prompt.gms or bool(open_prompt.away)
        lines.append(line.replace(view=line.view.replace(asked=tuple(prompts))))
    return call.replace(
        lines=tuple(lines),
        ping=tuple(person for person in call.ping if person in people),
        ping_gms=call.ping_gms and asks_gms,
    )


def _still_open(
    prompt: PromptView, check: str, awaited: set[tuple[str | None, _Prompt]]
) -> PromptView | None:
    """Return a prompt for those of its parties who are still awaited; None without any."""
    key = (f"{check}.{prompt.prompt}", prompt.number)
    people = tuple(person for person in prompt.people if (person, key) in awaited)
    gms = prompt.gms and (None, key) in awaited
    return prompt.replace(people=people, gms=gms) if people or gms else None


def _prompts_of(parties: Sequence[AwaitedParty], people: set[str | None]) -> set[_Prompt]:
    """Return the prompts of some of the parties, named by participant (None: the GMs)."""
    mine = [party for party in parties if party.person in people]
    return {prompt for party in mine for prompt in party.prompts}
