"""Previews of a check: its state if it began as stated, and refusals before its panel opens."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from bot.ui.context import Context
from rules.core.dice.no_dice import NO_DICE, DiceNeeded
from rules.core.errors import RulesError
from rules.table.actions import Begin
from rules.table.check import AnyCheck
from rules.table.checks import engine
from rules.table.checks.check_run import CheckAdvance
from rules.table.checks.procedure import procedure_of
from rules.table.commands import CheckStart
from rules.table.lookup import (
    find_known,
    playable_characters,
)

#: Field of the panel for the target.
TARGET_KEY: Final = "target"


def draft_check(ctx: Context, action: Begin, who: str) -> AnyCheck:
    """Return the check that an action begins, before anything happens in it."""
    target = action.target
    if target is not None:
        target = find_known(ctx.game.state, ctx.actor, target, "target").id
    check = engine.draft_check(
        ctx.game,
        action.kind,
        ctx.place,
        action.values,
        actor=who,
        target=target,
        visibility=action.visibility,
    )
    return check.replace(out_of_turn=engine.turn_problem(ctx.game, check))


def _public_action(ctx: Context, start: CheckStart) -> Begin:
    """Return the action that begins a check in public, for the default character."""
    return Begin(**ctx.origin, kind=start.kind, target=start.target, values=dict(start.values))


def preview_check(ctx: Context, action: Begin, who: str) -> CheckAdvance | None:
    """Return the check that an action would begin, for its actor.

    None if dice would be rolled at once. Raises as the action does.
    """
    game, target = ctx.game, action.target
    if target is not None:
        target = find_known(game.state, ctx.actor, target, "target").id
    game, kind, values = game.replace(rng=NO_DICE), action.kind, action.values
    try:
        return engine.begin(
            game, kind, ctx.place, values, actor=who, target=target, visibility=action.visibility
        )
    except DiceNeeded:
        return None


def is_out_of_turn(ctx: Context, start: CheckStart, who: str) -> bool:
    """Return whether a check would begin out of turn; False if it would be refused anyway."""
    with suppress(RulesError):
        action = _public_action(ctx, start)
        if draft_check(ctx, action, who).out_of_turn is not None:
            preview_check(ctx, action, who)
            return True
    return False


def require_start(ctx: Context, start: CheckStart, who: str) -> None:
    """Refuse a panel that could never be sent. Raises as `Procedure.require_start`.

    Unless the command named the character, another one of the reader's may be chosen in the panel.
    """
    game, target = ctx.game, start.target
    if target is not None:
        target = find_known(game.state, ctx.actor, target, "target").id
    require = procedure_of(game, start.kind).require_start
    try:
        require(game, who, target, start.values)
    except RulesError:
        if start.as_ is not None:
            raise
        for other in playable_characters(game.state, ctx.actor):
            with suppress(RulesError):
                require(game, other.id, target, start.values)
                return
        raise


def require_stated(ctx: Context, start: CheckStart, who: str) -> None:
    """Refuse what a command states wrongly before the panel asks for the rest. Raises as `begin`.

    What is still missing stays for the panel.
    """
    stated = {*start.values}
    if start.target is not None:
        stated.add(TARGET_KEY)
    try:
        preview_check(ctx, _public_action(ctx, start), who)
    except RulesError as error:
        if error.params.get("field") in stated:
            raise
