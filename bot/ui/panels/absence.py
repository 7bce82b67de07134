"""What GMs do about players who are away: treat them as away, act for them, take their word."""

from __future__ import annotations

from typing import Final

from bot.presenters.absence import acting_card, cover_card, no_cover_card, waiting_card
from bot.presenters.deputies import deputy_question
from bot.presenters.layout import Layout
from bot.ui.context import Context
from bot.ui.panels.check_start import CheckStartPanel, check_start_form
from bot.ui.router import Press, Router, parse_number
from rules.core.errors import Outdated
from rules.table.absence import characters_of, has_present_gm, is_away, orders_of
from rules.table.actions import DelayTurn, NextTurn, PauseTable, SetAway
from rules.table.checks.procedure import kind_with_role
from rules.table.checks.stages import APPROACH_FIELD
from rules.table.permissions import leads_table

#: Stands for the table's first place in an id.
_TABLE: Final = "-"
#: Beginning of the verb that lets a delayed character act now; its id follows.
_BACK: Final = "back."
#: Beginning of the verb that ends a turn; the turn's number and the character's id follow.
_END: Final = "end."


class AbsencePanel:
    """Handler of the GMs' buttons about absent players.

    `sg:absent:<table>:<place or ->:<participant>:<verb>`: `treat` treats a player as away, `act`
    does so if need be and shows how to act for the player, `back.<character>` lets a delayed
    character act now, `end.<turn>.<character>` ends its turn, `wait` changes nothing.

    `sg:words:<table>:<place>:<character>` opens the panel of a check as a character, with the words
    that its player has left as the approach.

    `sg:cover:<table>:<pause|deputy|neither>:<end of the absence, or 0>` says who runs the table
    while the GM is away.
    """

    def __init__(self, router: Router, beginnings: CheckStartPanel) -> None:
        self._beginnings = beginnings
        router.add_table_route("absent", self._press, gms=True)
        router.add_table_route("words", self._take, gms=True)
        router.add_table_route("cover", _cover, update=True, gms=True)

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
        elif verb.startswith(_END):
            turn, _, who = verb.removeprefix(_END).partition(".")
            await ctx.perform(NextTurn(**ctx.origin, turn=parse_number(turn), as_=who))
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


async def ask_for_cover(ctx: Context, until: int | None) -> None:
    """Ask a GM who has gone away who runs the table meanwhile, if no other GM or deputy is here."""
    state = ctx.table.state
    if not leads_table(state, ctx.actor) or state.settings.pause is not None:
        return
    if not has_present_gm(state, ctx.interactions.clock(), besides=ctx.actor.id):
        await ctx.whisper(cover_card(ctx.scene, until))


async def _cover(ctx: Context, press: Press) -> None:
    verb, until = press.text(1), press.number(2) or None
    ctx.move_to_table()
    if verb == "pause":
        await ctx.perform(PauseTable(**ctx.origin, until=until))
    elif verb == "deputy":
        who = ctx.chosen_participant(press.choice, "user")
        await ctx.show(deputy_question(ctx.scene, who, until))
    elif verb == "neither":
        await ctx.show(no_cover_card())
    else:
        raise Outdated("unknown-control")


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
