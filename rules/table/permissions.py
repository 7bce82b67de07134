"""Who may do what, and who is called what by whom."""

from __future__ import annotations

from rules.core.errors import NotPermitted
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


def require_owner(state: TableState, actor: Actor, character: AnyCharacter) -> None:
    """NotPermitted("owner-only") for everybody whose character it is not."""
    if not owns(state, actor, character):
        name = known_name(state, actor, character)
        raise NotPermitted("owner-only", character=name, owner=character.owner)


def public_name(character: AnyCharacter) -> str:
    """What the players call a character; empty for an NPC of whom they know nothing."""
    if character.stage == "off":
        return ""
    return character.name if character.stage == "revealed" else character.alias


def known_name(state: TableState, actor: Actor, character: AnyCharacter) -> str:
    """What this actor calls a character: GMs know every name, players the public one."""
    return character.name if is_gm(state, actor) else public_name(character)
