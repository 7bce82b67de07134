"""Who may do what: GMs, owners, and the character somebody acts as."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from rules.core.errors import InvalidInput, NotFound, NotPermitted
from rules.table.actions import Actor
from rules.table.state import SYSTEM, AnyCharacter, TableState


def is_gm(state: TableState, actor: Actor) -> bool:
    """Whether the actor leads this table, by name or by role."""
    settings = state.settings
    if actor.id in settings.gms:
        return True
    return bool(actor.roles) and any(role in settings.gm_roles for role in actor.roles)


def require_gm(state: TableState, actor: Actor) -> None:
    """NotPermitted("gm-only") for everybody but the GMs."""
    if not is_gm(state, actor):
        raise NotPermitted("gm-only")


def require_system(actor: Actor) -> None:
    """NotPermitted("system-only") unless the clock itself acts."""
    if actor.id != SYSTEM:
        raise NotPermitted("system-only")


def owns(state: TableState, actor: Actor, character: AnyCharacter) -> bool:
    """Whether the character is the actor's: their own, or the table's when they are a GM."""
    if character.owner is None:
        return is_gm(state, actor)
    return character.owner == actor.id


def playable(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """The characters the actor may act as, by name."""
    own = (character for character in state.characters.values() if owns(state, actor, character))
    return tuple(sorted(own, key=lambda character: character.name.casefold()))


def readable(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """The characters whose sheets the actor may read, by name: their own, for a GM all."""
    if not is_gm(state, actor):
        return playable(state, actor)
    return tuple(sorted(state.characters.values(), key=lambda character: character.name.casefold()))


def find_character(candidates: Iterable[AnyCharacter], text: str, field: str = "character") -> AnyCharacter:
    """The one meant by an id, a name or the beginning of a name, capitals aside.

    NotFound("unknown-character") with the nearest names, InvalidInput("ambiguous-character") when several fit.
    """
    pool = tuple(candidates)
    wanted = text.strip().casefold()
    for character in pool:
        if character.id == wanted:
            return character
    exact = [character for character in pool if character.name.casefold() == wanted]
    fitting = exact or [c for c in pool if wanted and c.name.casefold().startswith(wanted)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = tuple(character.name for character in fitting)
        raise InvalidInput("ambiguous-character", field=field, value=text, allowed=names)
    names = {character.name.casefold(): character.name for character in pool}
    near = get_close_matches(wanted, names, n=3, cutoff=0.5)
    raise NotFound(
        "unknown-character",
        field=field,
        value=text,
        nearest=tuple(names[key] for key in near) or tuple(sorted(names.values()))[:5],
    )


def acting_as(state: TableState, actor: Actor, as_: str | None) -> AnyCharacter:
    """The character named by `as`, else the active one, else the only one.

    NotFound("no-character") for somebody without any, InvalidInput("which-character") when it is not clear.
    """
    wanted = state.person(actor.id).active if as_ is None else as_
    known = None if wanted is None else state.characters.get(wanted)
    if known is not None and owns(state, actor, known):
        return known
    mine = playable(state, actor)
    if as_ is not None:
        return find_character(mine, as_, "as")
    own = tuple(character for character in mine if character.owner is not None) or mine
    if len(own) == 1:
        return own[0]
    if not own:
        raise NotFound("no-character", field="as", value=None)
    raise InvalidInput(
        "which-character", field="as", value=None, allowed=tuple(character.name for character in own)
    )
