"""Permissions of participants, and the names by which they know characters."""

from __future__ import annotations

from rules.core.errors import NotPermitted
from rules.table.actions import Actor
from rules.table.gm_office import is_deputy
from rules.table.state import SYSTEM, AnyCharacter, TableState


def is_gm(state: TableState, actor: Actor) -> bool:
    """Return whether the actor acts and reads as a GM: a GM of the table, or a deputy."""
    if leads_table(state, actor):
        return True
    return not actor.as_player and is_deputy(state, actor.id)


def leads_table(state: TableState, actor: Actor) -> bool:
    """Return whether the actor is a GM of the table, by name or by role, and no mere deputy."""
    settings = state.settings
    if actor.id in settings.gms:
        return True
    return bool(actor.roles) and any(role in settings.gm_roles for role in actor.roles)


def require_gm(state: TableState, actor: Actor) -> None:
    """Require that the actor is a GM, or a deputy within the rights of one.

    Raises NotPermitted("gm-only"), or ("deputy-may-not") for a deputy.
    """
    if is_gm(state, actor):
        return
    raise NotPermitted("deputy-may-not" if actor.as_player else "gm-only")


def require_system(actor: Actor) -> None:
    """Require that the system acts. Raises NotPermitted("system-only")."""
    if actor.id != SYSTEM:
        raise NotPermitted("system-only")


def owns(state: TableState, actor: Actor, character: AnyCharacter) -> bool:
    """Return whether a character is the actor's own; NPCs are the own characters of all GMs."""
    if character.owner is None:
        return is_gm(state, actor)
    return character.owner == actor.id


def require_owner(state: TableState, actor: Actor, character: AnyCharacter) -> None:
    """Require that a character is the actor's own. Raises NotPermitted("owner-only")."""
    if not owns(state, actor, character):
        name = known_name(state, actor, character)
        raise NotPermitted("owner-only", character=name, owner=character.owner)


def public_name(character: AnyCharacter) -> str:
    """Return the name by which players know a character; empty for an unknown NPC."""
    if character.stage == "off":
        return ""
    return character.name if character.stage == "revealed" else character.alias


def known_name(state: TableState, actor: Actor, character: AnyCharacter) -> str:
    """Return the name by which the actor knows a character; GMs know every name."""
    return character.name if is_gm(state, actor) else public_name(character)
