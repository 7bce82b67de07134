"""Buttons of roll calls: roll for one's own character, details, and sealed texts."""

from __future__ import annotations

from bot.presenters.roll_calls import own_rolls_card, roll_call_details
from bot.ui.context import Context
from bot.ui.panels.prompt import PromptPanel
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.actions import OpenSeal, ReadSeal
from rules.table.checks.access import find_check, may_see_check
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.available_moves import Move, check_moves
from rules.table.checks.roll_calls import (
    RollCall,
    checks_of,
    entitled_checks,
    find_roll_call,
    has_rolled,
    missing_checks,
)
from rules.table.events import RollCallLine
from rules.table.permissions import owns
from rules.table.system import Game


class RollCallPanel:
    """Handler of `sg:rolls:<table>:<call>:<verb>`, the buttons of roll calls.

    `roll` rolls for the user's character, `show` shows all checks, `read` the sealed text, and
    `open` tells it to everybody, for a GM.
    """

    def __init__(self, router: Router, prompts: PromptPanel) -> None:
        self._prompts = prompts
        router.add_table_route("rolls", self._press)

    async def _press(self, ctx: Context, press: Press) -> None:
        verb = press.text(2)
        call = find_roll_call(ctx.table.state, press.text(1))
        if verb == "roll":
            await self._roll(ctx, press, call)
        elif verb == "show":
            await _show(ctx, call)
        elif verb == "read":
            await ctx.perform(ReadSeal(**ctx.origin, call=call.id))
        elif verb == "open":
            ctx.require_gm()
            await ctx.perform(OpenSeal(**ctx.origin, call=call.id))
        else:
            raise Outdated("unknown-control")

    async def _roll(self, ctx: Context, press: Press, call: RollCall) -> None:
        """Roll for the user's only character that is missing, or ask for which.

        A user without one sees the details.
        """
        game = ctx.game
        rolls = _own_rolls(game, call)
        if not rolls:
            await _show(ctx, call)
            return
        if len(rolls) > 1:
            choices = [
                (move.check, move.prompt, move.number, game.character(move.who).name)
                for move in rolls
            ]
            await ctx.show(own_rolls_card(ctx.scene, choices))
            return
        move = rolls[0]
        where = (press.text(0), f"{move.check}.{move.number}", move.prompt)
        await self._prompts.prompt(ctx, press.replace(args=where))


def _own_rolls(game: Game, call: RollCall) -> list[Move]:
    """Return the rolls of a call that wait for the user's own characters."""
    rolls: list[Move] = []
    for check in missing_checks(game, call):
        if not may_see_check(game, check, game.actor):
            continue
        for move in check_moves(game, check):
            own = move.who == check.actor and owns(game.state, game.actor, game.character(move.who))
            if own and move.prompt == "ready" and move.options:
                rolls.append(move)
    return rolls


async def _show(ctx: Context, call: RollCall) -> None:
    """Show a call's checks as the user may see them."""
    game = ctx.game
    lines: list[RollCallLine] = []
    for check in checks_of(game.state, call):
        found = find_check(game, check.id)
        rolled = has_rolled(game, found)
        view = view_for_actor(game, found)
        lines.append(RollCallLine(view, rolled, rolled and not found.rolled_by))
    readers: list[str] | None = None
    if ctx.gm and call.seal:
        readers = [game.character(check.actor).name for check in entitled_checks(game, call)]
    await ctx.show(roll_call_details(ctx.scene, call, lines, readers=readers))
