"""The GM's answer to a call for a roll: who is called, for what, and until when."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import partial

from bot.delivery.response import DISCORD_ERRORS
from bot.presenters.layout import Layout, rows_of, with_entry_number
from bot.presenters.roll_calls import roll_call_receipt
from bot.services.history import check_message_links
from bot.services.perform import ActionResult
from bot.storage.errors import StorageUnavailable
from bot.ui.context import Context
from rules.table.actions import AddToRollCall, CallForRolls
from rules.table.checks.access import find_check
from rules.table.checks.audience_views import view_for_actor
from rules.table.events import CheckChanged, RollCallChanged
from rules.table.roll_calls.roll_call import find_roll_call, lacked_skill


async def make_roll_call(ctx: Context, action: CallForRolls | AddToRollCall) -> None:
    """Call for a roll. The private answer links to the message of the call once it's posted.

    Raises as `call_for_rolls` and `add_to_roll_call`.
    """
    done = await ctx.perform(action, receipt=partial(_receipt, ctx))

    async def tell() -> None:
        # The answer stands without the link in any case.
        with suppress(*DISCORD_ERRORS, StorageUnavailable):
            await _add_link(ctx, action, done)

    ctx.interactions.outbox.run_in_background(tell())


async def _add_link(ctx: Context, action: CallForRolls | AddToRollCall, done: ActionResult) -> None:
    event = _event_of(done)
    if event is None:
        return
    outbox = ctx.interactions.outbox
    # The message of the call has its turn in the channel before this.
    async with outbox.beside(event.place):
        await outbox.delivery_log.flush()
    checks = [line.view.check for line in event.lines]
    links = await check_message_links(ctx.interactions.tables, done.table, checks[:1])
    drawn = _receipt(ctx, done, link=next(iter(links.values()), ""))
    if not links or drawn is None:
        return
    rows = await ctx.take_back_rows(action, done)
    drawn = drawn.replace(pieces=(*drawn.pieces, *rows_of(rows)))
    await ctx.replace_answer(with_entry_number(drawn, done.seq))


def _receipt(ctx: Context, done: ActionResult, link: str = "") -> Layout | None:
    """Return the answer with the GM's own view of the call; None if it's gone already."""
    event = _event_of(done)
    if event is None:
        return None
    game = ctx.game
    begun = _begun_checks(done)
    call = find_roll_call(game.state, event.call)
    lines = []
    for line in event.lines:
        if line.view.check in begun:
            check = find_check(game, line.view.check)
            lines.append(
                line.replace(view=view_for_actor(game, check), lacks=lacked_skill(call, check))
            )
    return roll_call_receipt(ctx.scene, event, lines, seals=bool(call.seal), link=link)


def _begun_checks(done: ActionResult) -> Collection[str]:
    """Return the checks that an action has begun."""
    begun = set()
    for event in done.events:
        if isinstance(event, CheckChanged) and event.step == "begun":
            begun.add(event.check)
    return begun


def _event_of(done: ActionResult) -> RollCallChanged | None:
    """Return what an action has made of its call."""
    for event in done.events:
        if isinstance(event, RollCallChanged):
            return event
    return None
