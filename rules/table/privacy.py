"""Deletion of a participant's data: played characters stay in the story, typed texts don't."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rules.core.cards.piles import DISCARD_PILE, Piles
from rules.core.errors import Impossible
from rules.table import marks
from rules.table.actions import Actor, ForgetPerson
from rules.table.check import AnyCheck
from rules.table.checks.check_actions import drop_holds, refresh_checks, step_checks
from rules.table.checks.engine import break_off
from rules.table.checks.procedure import procedure_of
from rules.table.checks.stages import ProposalData
from rules.table.checks.standing_orders import without_person
from rules.table.events import EVERYONE, Audience, Notice
from rules.table.gm_office import office_of, with_office, without_person_in_office
from rules.table.journal.correction_requests import without_requests_of_person
from rules.table.outcome import Outcome
from rules.table.people.characters import seat_offers
from rules.table.people.seats import without_seat_requests
from rules.table.played_scenes import without_scene_texts
from rules.table.roll_calls.roll_call import without_call_texts
from rules.table.scenes.speech import without_speeches_of
from rules.table.state import SYSTEM, AnyCharacter, AnyEncounter, Slot, TableState
from rules.table.system import Game


def forget_person(state: TableState, action: ForgetPerson, game: Game) -> Outcome:
    """Delete the actor's data.

    The actor's characters become NPCs without notes, proposals are withdrawn, and typed texts are
    deleted. The actor is no GM any more, even if the table then has none.

    Raises Impossible("nobody-to-forget") for the clock.
    """
    who = action.who.id
    if who == SYSTEM:
        raise Impossible("nobody-to-forget")
    mine = {key: character for key, character in state.characters.items() if character.owner == who}
    led = who in state.settings.gms
    checks: dict[str, AnyCheck] = {}
    for key, check in state.checks.items():
        checks[key] = _check_without(game, check, who, mine, led=led)
    given_up = {key: _given_up_character(character) for key, character in mine.items()}
    changed = state.replace(
        people={key: person for key, person in state.people.items() if key != who},
        characters={**state.characters, **given_up},
        checks=checks,
        encounters=_without_doings(state, mine),
        decks=_without_hands(state, who),
    )
    changed = without_seat_requests(changed, who)
    changed = without_requests_of_person(changed, who)
    changed = without_call_texts(changed, who)
    changed = without_speeches_of(changed, who)
    changed = marks.without_marks_of(changed, (who, *mine))
    if led:
        gms = tuple(gm for gm in state.settings.gms if gm != who)
        changed = changed.replace(settings=state.settings.replace(gms=gms))
    changed = without_person(changed, who, mine)
    changed = without_scene_texts(changed, who)
    changed = with_office(changed, without_person_in_office(office_of(changed), who))
    names = tuple(character.name for character in mine.values() if character.approved)
    audience = EVERYONE if names or led else Audience(gms=True, people=(who,))
    event = Notice(
        "person-forgotten",
        {"names": names, "led": led},
        audience=audience,
        quiet=not audience.everyone,
        by=who,
    )
    own_checks = [check.id for check in checks.values() if check.actor in mine]
    after, ended = step_checks(game.with_state(changed), own_checks, break_off)
    after, dropped = drop_holds(after, mine)
    after, asked = refresh_checks(after, mine)
    left = [given_up[key] for key, character in mine.items() if character.approved]
    offers = seat_offers(left, Actor(SYSTEM))
    return Outcome(after.state, (event, *offers, *ended, *dropped, *asked))


def _check_without(
    game: Game, check: AnyCheck, who: str, mine: Collection[str], *, led: bool
) -> AnyCheck:
    """Return a check without a participant's texts; a GM's texts stay while it is open."""
    changes: dict[str, Any] = {}
    data = procedure_of(game, check.kind).forget(check, who, mine)
    if data is not check.data:
        changes["data"] = data
    if check.approach and (check.by == who or check.actor in mine):
        changes["approach"] = ""
    answered = isinstance(data, ProposalData) and data.answered_by == who
    wrote = led or answered
    if check.note and wrote and not check.is_open:
        changes["note"] = ""
    return check.replace(**changes) if changes else check


def _given_up_character(character: AnyCharacter) -> AnyCharacter:
    """Return a character as an NPC. Players don't know it if it wasn't approved yet."""
    npc = character.replace(owner=None, notes="", sent_back="", approved=True)
    return npc if character.approved else npc.replace(stage="off")


def _without_doings(state: TableState, mine: Collection[str]) -> Mapping[str, AnyEncounter]:
    """Return the encounters without the names of these characters' actions."""

    def without_doing(slot: Slot) -> Slot:
        return slot.replace(doing="") if slot.doing and slot.character in mine else slot

    encounters: dict[str, AnyEncounter] = {}
    for place, encounter in state.encounters.items():
        if any(slot.doing and slot.character in mine for slot in encounter.order):
            encounter = encounter.replace(order=tuple(map(without_doing, encounter.order)))
        encounters[place] = encounter
    return encounters


def _without_hands(state: TableState, who: str) -> Mapping[str, Piles]:
    """Return the decks with a participant's cards, and cards offered by or to it, discarded."""

    def is_theirs(place: str) -> bool:
        return who in place.split(":")[1:]

    for piles in state.decks.values():
        if any(map(is_theirs, piles.places)):
            return {
                key: piles.gather(DISCARD_PILE, is_theirs) for key, piles in state.decks.items()
            }
    return state.decks
