"""Forgetting a participant: what they played stays in the story, what they wrote about it goes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rules.core.cards.piles import DISCARD_PILE, Piles
from rules.core.errors import Impossible
from rules.table import marks
from rules.table.actions import ForgetPerson
from rules.table.check import AnyCheck
from rules.table.checks.check_actions import drop_holds, refresh_checks, step_checks
from rules.table.checks.engine import break_off
from rules.table.checks.procedure import procedure_of
from rules.table.checks.stages import ProposalData
from rules.table.checks.standing_orders import without_person
from rules.table.events import EVERYONE, Audience, Notice
from rules.table.outcome import Outcome
from rules.table.state import SYSTEM, AnyCharacter, AnyEncounter, TableState
from rules.table.system import Game


def forget_person(state: TableState, action: ForgetPerson, game: Game) -> Outcome:
    """Their characters become the GMs' without their notes, their proposals are withdrawn, their
    texts go.

    They lead the table no more, even if nobody else does. Impossible("nobody-to-forget") for the
    clock.
    """
    who = action.who.id
    if who == SYSTEM:
        raise Impossible("nobody-to-forget")
    mine = {key: character for key, character in state.characters.items() if character.owner == who}
    led = who in state.settings.gms
    checks = {
        key: _check_without(game, check, who, mine, led=led) for key, check in state.checks.items()
    }
    changed = state.replace(
        people={key: person for key, person in state.people.items() if key != who},
        characters={
            key: _given_up(character) if key in mine else character
            for key, character in state.characters.items()
        },
        checks=checks,
        encounters=_without_doings(state, mine),
        decks=_without_hands(state, who),
    )
    changed = marks.without_marks_of(changed, (who, *mine))
    if led:
        gms = tuple(gm for gm in state.settings.gms if gm != who)
        changed = changed.replace(settings=state.settings.replace(gms=gms))
    changed = without_person(changed, who, mine)
    names = tuple(character.name for character in mine.values() if character.approved)
    audience = EVERYONE if names or led else Audience(gms=True, people=(who,))
    told = {"names": names, "led": led}
    event = Notice("person-forgotten", told, audience=audience, quiet=not audience.everyone, by=who)
    theirs = [check.id for check in checks.values() if check.actor in mine]
    after, ended = step_checks(game.with_state(changed), theirs, break_off)
    after, dropped = drop_holds(after, mine)
    after, asked = refresh_checks(after, mine)
    return Outcome(after.state, (event, *ended, *dropped, *asked))


def _check_without(
    game: Game, check: AnyCheck, who: str, mine: Collection[str], *, led: bool
) -> AnyCheck:
    """The check without what they wrote; what a GM wrote stays while it is open."""
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


def _given_up(character: AnyCharacter) -> AnyCharacter:
    """The GMs' from now on; whoever was not let in yet is nobody that players know of."""
    given = character.replace(owner=None, notes="", sent_back="", approved=True)
    return given if character.approved else given.replace(stage="off")


def _without_doings(state: TableState, mine: Collection[str]) -> Mapping[str, AnyEncounter]:
    """The orders of action, where it is not said any more what these characters are doing."""

    def quiet(encounter: AnyEncounter) -> AnyEncounter:
        if not any(slot.doing and slot.character in mine for slot in encounter.order):
            return encounter
        order = [
            slot.replace(doing="") if slot.character in mine else slot for slot in encounter.order
        ]
        return encounter.replace(order=tuple(order))

    return {place: quiet(each) for place, each in state.encounters.items()}


def _without_hands(state: TableState, who: str) -> Mapping[str, Piles]:
    """The decks, where cards that were theirs, or offered by or to them, lie on the discard
    pile.
    """

    def theirs(place: str) -> bool:
        return who in place.split(":")[1:]

    if not any(theirs(place) for piles in state.decks.values() for place in piles.places):
        return state.decks
    return {key: piles.gather(DISCARD_PILE, theirs) for key, piles in state.decks.items()}
