"""Words that players leave for a character, shown to the GMs when they are asked in their place."""

from __future__ import annotations

from collections.abc import Iterator

from rules.table.absence import is_absent, orders_of
from rules.table.check import AnyCheck
from rules.table.events import GMS, Notice
from rules.table.initiative import absent_owner, turn_number
from rules.table.outcome import Outcome
from rules.table.state import AnyEncounter, TableState
from rules.table.system import Game
from rules.table.turns.turn_block import slots_to_act

#: A character, and the key and number of the prompt that asks it.
_Asked = tuple[str, str, int]


def with_words_left(before: Game, outcome: Outcome) -> Outcome:
    """Return the outcome with the words for each turn and prompt that has just become the GMs'.

    Those are of characters whose player is away, without a present stand-in.
    """
    notices = (*_for_turns(before, outcome.state), *_for_prompts(before, outcome.state))
    if not notices:
        return outcome
    return outcome.replace(events=(*outcome.events, *notices))


def _for_turns(before: Game, state: TableState) -> Iterator[Notice]:
    """Yield the words for each turn of an absent player's character that has just become the GMs'.

    A turn that ends already needs none.
    """
    for place, encounter in state.encounters.items():
        turns = gms_turns(state, encounter)
        if not turns:
            continue
        was = before.state.encounters.get(place)
        known: tuple[str, ...] = ()
        if was is not None and was.since == encounter.since:
            known = gms_turns(before.state, was)
        for who in turns:
            if who not in known:
                yield from _words_notice(state, who, place, turn=turn_number(encounter))


def gms_turns(state: TableState, encounter: AnyEncounter) -> tuple[str, ...]:
    """Return the characters on turn whom the GMs act for in place of absent players."""
    found: list[str] = []
    for slot in slots_to_act(state, encounter):
        away = absent_owner(state, encounter, slot)
        if away is not None and not away.stand_ins and slot.character is not None:
            found.append(slot.character)
    return tuple(found)


def _for_prompts(before: Game, state: TableState) -> Iterator[Notice]:
    """Yield the words for each prompt that now waits for the GMs in place of an absent player."""
    at, arranged = before.at, before.state.own is not state.own
    for check in state.open_checks:
        was = before.state.checks.get(check.id)
        if was is check and not arranged:
            continue
        known: set[_Asked] = set()
        if was is not None:
            known.update(_gms_prompts(before.state, was, at))
        told: set[str] = set()
        for asked in _gms_prompts(state, check, at):
            who = asked[0]
            if who not in told and asked not in known:
                told.add(who)
                yield from _words_notice(state, who, check.place, check=check.id)


def _gms_prompts(state: TableState, check: AnyCheck, at: int) -> Iterator[_Asked]:
    """Yield each absent player's character whom a check waits for, with its prompt."""
    for asked in check.asked:
        for who in asked.waiting_for:
            if is_absent(state, who, at):
                yield who, asked.prompt.key, asked.number


def _words_notice(
    state: TableState, who: str, place: str, *, turn: int = 0, check: str = ""
) -> Iterator[Notice]:
    """Yield the notice to the GMs, if there are words for the character."""
    character, words = state.characters[who], orders_of(state, who).words
    if not words or character.owner is None:
        return
    yield Notice(
        "words-left",
        {"name": character.name, "place": place, "turn": turn, "check": check},
        audience=GMS,
        # Without a channel of the GMs, the button for them would tell everybody that words exist.
        quiet=state.settings.gm_place is None,
        by=character.owner,
        note=words,
        characters=(who,),
    )
