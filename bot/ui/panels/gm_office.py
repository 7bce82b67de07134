"""Buttons for what happens without a GM: deputies, and seats that need a player."""

from __future__ import annotations

from bot.presenters.catalog_cards import card
from bot.presenters.seats import request_rows
from bot.ui.context import Context
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.actions import AnswerSeat, AskForSeat, NameDeputy, OpenSeat


def add_office_routes(router: Router) -> None:
    """Bind the routes.

    `sg:deputy:<table>:<participant>:<end of the term, or 0>` names a deputy after the question.
    `sg:seat:<table>:<character>:<verb>[:<participant>]`: `ask` is open to all users of the server,
    the other verbs to GMs.
    """
    router.add_table_route("deputy", _name_deputy, update=True, gms=True)
    router.add_table_route("seat", _press_seat, guests=True)


async def _name_deputy(ctx: Context, press: Press) -> None:
    who, until = press.text(1), press.number(2)
    if ctx.table.directory.user(who) is None:
        raise Outdated("unknown-control")
    await ctx.perform(NameDeputy(**ctx.origin, to=who, until=until or None))


async def _press_seat(ctx: Context, press: Press) -> None:
    character, verb = press.text(1), press.text(2)
    if verb == "ask":
        await ctx.perform(AskForSeat(**ctx.origin, character=character))
        return
    ctx.require_gm()
    ctx.move_to_table()
    if verb == "open":
        await ctx.perform(OpenSeat(**ctx.origin, character=character))
        return
    who = press.text(3)
    if verb == "look":
        await _show_request(ctx, character, who)
    elif verb in ("give", "notes", "no"):
        answer = AnswerSeat(
            **ctx.origin,
            character=character,
            to=who,
            accept=verb != "no",
            notes=verb == "notes",
        )
        await ctx.perform(answer)
    else:
        raise Outdated("unknown-control")


async def _show_request(ctx: Context, key: str, who: str) -> None:
    """Show a GM a request for a seat once more. Raises Outdated("seat-answered")."""
    character = ctx.table.state.characters.get(key)
    if character is None or not character.open_seat or who not in character.seat_asked:
        raise Outdated("seat-answered")
    rows = request_rows(ctx.table.id, character, who)
    await ctx.show(
        card(
            "gm",
            "character-seat-asked",
            ctx.scene.names,
            rows=rows,
            name=character.name,
            owner=character.owner,
            to=who,
        )
    )
