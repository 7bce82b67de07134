"""Buttons of roll calls: roll for one's own character, details, and sealed texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bot.presenters.roll_calls import GmDetails, own_rolls_card, roll_call_details
from bot.ui.context import Context
from bot.ui.panels.prompt import PromptPanel
from bot.ui.roll_call_answer import make_roll_call
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.absence import is_away, stand_ins
from rules.table.actions import AddToRollCall, EndRollCall, OpenSeal, ReadSeal
from rules.table.check import AnyCheck
from rules.table.checks.access import find_check, may_see_check
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.available_moves import Move, check_moves
from rules.table.events import RollCallLine
from rules.table.permissions import owns
from rules.table.roll_calls.roll_call import (
    RollCall,
    characters_to_add,
    checks_of,
    entitled_checks,
    find_roll_call,
    has_rolled,
    lacked_skill,
    missing_checks,
    read_checks,
    unknown_call_error,
    unread_checks,
)
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Verbs of the controls that only GMs use.
_OF_GMS: Final = ("open", "end", "drop", "add")


class RollCallPanel:
    """Handler of `sg:rolls:<table>:<call>:<verb>`, the buttons of roll calls.

    `roll` rolls for the user's character, `show` shows all checks, and `read` the sealed text. For
    GMs, `open` tells everybody the sealed text, `end` rolls what is missing, `drop` ends it without
    a roll, and the menu `add` calls one more character.
    """

    def __init__(self, router: Router, prompts: PromptPanel) -> None:
        self._prompts = prompts
        router.add_table_route("rolls", self._press)

    async def _press(self, ctx: Context, press: Press) -> None:
        verb = press.text(2)
        call = _find_known_call(ctx, press.text(1))
        if verb == "roll":
            await self._roll(ctx, press, call)
        elif verb == "show":
            await _show(ctx, call)
        elif verb == "read":
            await ctx.perform(ReadSeal(**ctx.origin, call=call.id))
        elif verb in _OF_GMS:
            ctx.require_gm()
            await _press_as_gm(ctx, press, call, verb)
        else:
            raise Outdated("unknown-control")

    async def _roll(self, ctx: Context, press: Press, call: RollCall) -> None:
        """Roll for the only missing character for whom the user rolls, or ask for which.

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


async def _press_as_gm(ctx: Context, press: Press, call: RollCall, verb: str) -> None:
    """Carry out what a GM has pressed below the details. The message changes where it stands."""
    origin = {**ctx.origin, "place": call.place}
    if verb == "open":
        await ctx.perform(OpenSeal(**origin, call=call.id))
    elif verb == "add":
        await make_roll_call(ctx, AddToRollCall(**origin, call=call.id, character=press.choice))
    else:
        await ctx.perform(EndRollCall(**origin, call=call.id, rolls=verb == "end"))


def _find_known_call(ctx: Context, id: str) -> RollCall:
    """Return the roll call with an id, if the user may know of it.

    Ids can be guessed, and only its cast may know of a call in a whisper scene. Raises
    NotFound("unknown-roll-call").
    """
    game = ctx.game
    call = find_roll_call(game.state, id)
    if ctx.gm or unread_checks(game, call, game.actor.id):
        return call
    for check in checks_of(game.state, call):
        if may_see_check(game, check, game.actor):
            return call
    raise unknown_call_error(id)


def _own_rolls(game: Game, call: RollCall) -> list[Move]:
    """Return the rolls of a call that wait for the user: of own characters, or as a stand-in.

    A stand-in rolls for the characters of absent players, once no own one is missing.
    """
    own: list[Move] = []
    as_stand_in: list[Move] = []
    for check in missing_checks(game, call):
        if not may_see_check(game, check, game.actor):
            continue
        for move in check_moves(game, check):
            if move.who != check.actor or move.prompt != "ready" or not move.options:
                continue
            character = game.character(move.who)
            if owns(game.state, game.actor, character):
                own.append(move)
            elif _stands_in(game, character):
                as_stand_in.append(move)
    return own or as_stand_in


def _stands_in(game: Game, character: AnyCharacter) -> bool:
    """Return whether the user is called in place of an absent player."""
    owner = character.owner
    if owner is None or not is_away(game.state, owner, game.at):
        return False
    return game.actor.id in stand_ins(game.state, character.id, game.at)


async def _show(ctx: Context, call: RollCall) -> None:
    """Show a call's checks as the user may see them."""
    game = ctx.game
    lines: list[RollCallLine] = []
    for check in checks_of(game.state, call):
        found = find_check(game, check.id)
        rolled = has_rolled(game, found)
        view = view_for_actor(game, found)
        by_clock = rolled and not found.rolled_by
        lines.append(RollCallLine(view, rolled, by_clock, lacks=lacked_skill(call, found)))
    gm = _gm_details(game, call) if ctx.gm else None
    unread = bool(unread_checks(game, call, game.actor.id))
    await ctx.show(roll_call_details(ctx.scene, call, lines, unread=unread, gm=gm))


def _gm_details(game: Game, call: RollCall) -> GmDetails:
    """Return what only GMs see of a call."""
    read = read_checks(game, call)
    entitled = [check for check in entitled_checks(game, call) if check not in read]
    return GmDetails(
        entitled=_actor_names(game, entitled),
        read=_actor_names(game, read),
        others=tuple((other.id, other.name) for other in characters_to_add(game.state, call)),
    )


def _actor_names(game: Game, checks: Iterable[AnyCheck]) -> tuple[str, ...]:
    return tuple(game.character(check.actor).name for check in checks)
