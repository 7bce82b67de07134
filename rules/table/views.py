"""Challenges as events show them: one view for the GMs, one for the players, nothing hidden in the latter."""

from __future__ import annotations

from dataclasses import replace

from rules.core.errors import RulesError
from rules.table.events import EVERYONE, GMS, Audience, CheckChanged, CheckStep, CheckView, Event, Line
from rules.table.state import AnyChallenge, AnyCharacter, TableState
from rules.table.system import Described, System


def check_view(state: TableState, system: System, challenge: AnyChallenge, *, gm: bool) -> CheckView:
    """The challenge as a GM (`gm`) or as the players concerned may see it."""
    character = state.characters[challenge.character]
    told = system.describe(character, challenge, gm=gm, reveal=state.settings.reveal)
    if not gm and challenge.visibility == "blind" and challenge.rolled is not None:
        told = Described(traits=told.traits, asked=told.asked)
    return CheckView(
        challenge.id,
        challenge.step,
        challenge.status,
        challenge.visibility,
        character.name,
        character.owner,
        challenge.approach,
        told.traits,
        told.asked,
        challenge.answer,
        challenge.question,
        challenge.note,
        told.target,
        told.shifts,
        told.dice,
        told.terms,
        told.total,
        told.verdict,
        told.degree,
        told.notes,
        challenge.deadline,
    )


def stands(system: System, challenge: AnyChallenge, character: AnyCharacter) -> bool:
    """Whether a challenge is over, or the character still has everything that it names."""
    if not challenge.open:
        return True
    try:
        system.require_traits(character, challenge)
    except RulesError:
        return False
    return True


def check_events(
    state: TableState,
    system: System,
    challenge: AnyChallenge,
    step: CheckStep,
    by: str,
    *,
    ping: bool = False,
    ping_gms: bool = False,
    spent: Line | None = None,
) -> tuple[Event, ...]:
    """The events of one step: for everyone or the owner, and what only the GMs may know for them."""
    owner = state.characters[challenge.character].owner
    view = check_view(state, system, challenge, gm=False)
    called = (owner,) if ping and owner is not None and owner != by else ()
    calls_gms = ping_gms or (ping and owner is None and by not in state.settings.gms)
    if challenge.visibility == "public":
        event = CheckChanged(
            audience=EVERYONE, ping=called, ping_gms=calls_gms, step=step, view=view, by=by, spent=spent
        )
        if not challenge.hidden:
            return (event,)
        full = check_view(state, system, challenge, gm=True)
        return (event, CheckChanged(audience=GMS, quiet=True, step=step, view=full, by=by, spent=spent))
    full = check_view(state, system, challenge, gm=True)
    for_gms = CheckChanged(audience=GMS, ping_gms=calls_gms, step=step, view=full, by=by, spent=spent)
    if owner is None:
        return (for_gms,)
    told = CheckChanged(
        audience=Audience(people=(owner,)), ping=called, step=step, view=view, by=by, spent=spent
    )
    return (told, replace(for_gms, quiet=by in state.settings.gms))
