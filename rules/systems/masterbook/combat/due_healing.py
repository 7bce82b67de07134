"""Healing rolls that are due: one call to the player, and a button in `/moves` from then on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.formulas.damage import (
    PLAIN_HEALING,
    Harm,
    heals_by_itself,
    seconds_to_heal,
    wound_level,
)
from rules.systems.masterbook.formulas.option_kinds import Healing
from rules.table.absence import is_absent, is_away, stand_ins
from rules.table.blocks import Text
from rules.table.commands import DueCheck, OwnWait
from rules.table.events import Reported
from rules.table.lookup import playable_characters
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Kind of check that a healing roll is.
REST: Final = "rest"
_LABEL: Final = Text("mb-heal-roll")


def seconds_until_healing(harm: Harm, healing: Healing = PLAIN_HEALING) -> int:
    """Return the seconds of the story's time until wounds may heal; 0 if they may (MB-HEAL-01)."""
    return max(0, seconds_to_heal(harm.wounds, healing) - harm.waited)


def is_due(harm: Harm, healing: Healing = PLAIN_HEALING) -> bool:
    """Return whether a healing roll may be made now (MB-HEAL-01)."""
    if harm.dead or wound_level(harm.wounds).healing is None or heals_by_itself(harm, healing):
        return False
    return not seconds_until_healing(harm, healing)


def healing_call(game: Game, character: AnyCharacter) -> Reported:
    """Return the event that calls a character's player to a healing roll."""
    state, owner = game.state, character.owner or ""
    people = (owner,)
    if is_away(state, owner, game.at):
        people = stand_ins(state, character.id, game.at)
    return Reported(
        title=Text("mb-heal-due", {"name": character.name}),
        blocks=(),
        by=game.actor.id,
        ping=people,
        ping_gms=is_absent(state, character.id, game.at),
        button=_LABEL,
        begins=(REST, character.id),
    )


def due_rolls(game: Game) -> Iterator[DueCheck]:
    """Yield the healing rolls that a player's own characters may make now."""
    rolling = {check.actor for check in game.state.open_checks if check.kind == REST}
    for character in playable_characters(game.state, game.actor):
        if character.owner != game.actor.id or character.id in rolling:
            continue
        if is_due(character.sheet.harm, option_effects(character.sheet).healing):
            due = Text("mb-heal-due", {"name": character.name})
            yield DueCheck(REST, character.id, due, _LABEL)


def healing_waits(game: Game) -> Iterator[OwnWait]:
    """Yield the healing rolls that wait for players. Nobody else knows of them but the GMs."""
    rolling = {check.actor for check in game.state.open_checks if check.kind == REST}
    for character in game.state.characters.values():
        if character.owner is None or not character.in_play or character.id in rolling:
            continue
        harm, healing = character.sheet.harm, option_effects(character.sheet).healing
        if not is_due(harm, healing):
            continue
        overdue = harm.waited - seconds_to_heal(harm.wounds, healing)
        due_at = game.time * 60 - overdue  # of the story's time, which sets this wait apart
        yield OwnWait(
            f"{REST}:{character.id}:{due_at}",
            Text("mb-heal-due", {"name": character.name}),
            (character.id,),
            visible_to=(character.id,),
        )
