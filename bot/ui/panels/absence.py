"""What GMs do about players who are away: treat them as away, act for them, take their word."""

from __future__ import annotations

from typing import Final

from bot.presenters.absence import acting_card, waiting_card
from bot.presenters.layout import Layout
from bot.ui.context import Context
from bot.ui.panels.check_start import CheckStartPanel, check_start_form
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.absence import characters_of, is_away, orders_of
from rules.table.actions import DelayTurn, SetAway
from rules.table.checks.procedure import kind_with_role
from rules.table.checks.stages import APPROACH_FIELD

#: Stands for the table's first place in an id.
_TABLE: Final = "-"
#: Beginning of the verb that lets a delayed character act now; its id follows.
_BACK: Final = "back."


class AbsencePanel:
    """Handler of the GMs' buttons about absent players.

    `sg:absent:<table>:<place or ->:<participant>:<verb>`: `treat` treats a player as away, `act`
    does so if need be and shows how to act for the player, `back.<character>` lets a delayed
    character act now, `wait` changes nothing.

    `sg:words:<table>:<place>:<character>` opens the panel of a check as a character, with the words
    that its player has left as the approach.
    """

    def __init__(self, router: Router, beginnings: CheckStartPanel) -> None:
        self._beginnings = beginnings
        router.add_table_route("absent", self._press, gms=True)
        router.add_table_route("words", self._take, gms=True)

    async def _press(self, ctx: Context, press: Press) -> None:
        _move_to(ctx, press.text(1))
        person, verb = press.text(2), press.text(3)
        if verb == "treat":
            await ctx.perform(SetAway(**ctx.origin, person=person))
        elif verb == "act":
            await _act_for(ctx, person)
        elif verb == "wait":
            await ctx.show(waiting_card(ctx.scene, person))
        elif verb.startswith(_BACK):
            who = verb.removeprefix(_BACK)
            await ctx.perform(DelayTurn(**ctx.origin, back=True, as_=who))
        else:
            raise Outdated("unknown-control")

    async def _take(self, ctx: Context, press: Press) -> None:
        _move_to(ctx, press.text(1))
        who, game = press.text(2), ctx.game
        kind = kind_with_role(game.system, "check")
        takes_words = APPROACH_FIELD.key in check_start_form(game, kind).keys
        words = orders_of(game.state, who).words
        draft = {APPROACH_FIELD.key: words} if takes_words and words else {}
        await self._beginnings.open(ctx, kind, draft, as_=who)


def _move_to(ctx: Context, place: str) -> None:
    """Switch to the place of a button. Raises as `Context.move_to`."""
    if place == _TABLE:
        ctx.move_to_table()
    else:
        ctx.move_to(place)


async def _act_for(ctx: Context, person: str) -> None:
    """Show how a GM acts for a player's characters. A player who is here is treated as away first.

    Raises as the action `SetAway`.
    """
    if not is_away(ctx.table.state, person, ctx.interactions.clock()):
        await ctx.perform(SetAway(**ctx.origin, person=person))
        await ctx.whisper(_acting_card(ctx, person))
        return
    await ctx.show(_acting_card(ctx, person))


def _acting_card(ctx: Context, person: str) -> Layout:
    own = characters_of(ctx.table.state, person)
    return acting_card(ctx.scene, person, own, ctx.place)
