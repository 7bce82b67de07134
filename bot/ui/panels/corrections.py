"""Ways to an amendment: from a message, and the requests of players."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.delivery.table_scene import scene_of
from bot.presenters.control_ids import rows_numbered
from bot.presenters.corrections import entries_card, request_dialog, request_lines
from bot.presenters.log import entry_options
from bot.presenters.render import message_row_number
from bot.services.amendable_entries import (
    entries_of_checks,
    entry_of_message,
    no_entry_error,
    related_entries,
    require_told,
)
from bot.services.history import entries_with_steps, row_of_message
from bot.storage.row_records import EntryRow
from bot.ui.context import Context
from bot.ui.panels.amendment import AmendPanel
from bot.ui.router import Press, Router
from rules.table.actions import AskForCorrection, DismissCorrection
from rules.table.checks.access import find_check
from rules.table.permissions import leads_table, require_gm
from rules.table.roll_calls.roll_call import checks_of, find_roll_call, is_roll_call


class CorrectionPanel:
    """Handler of requests for corrections.

    - `sg:request-text:<table>:<entry>` is the dialog of a player.
    - `sg:request-entries:<table>:<entry>` shows a GM the entries behind a request.
    - `sg:request-dismiss:<table>:<entry>:<participant>` leaves the entry as it is.
    - `sg:result-entries:<table>:<check or roll call>` shows a GM the entries behind a result.
    - `sg:entries-page:<table>:<entry, check or roll call>:<page>` turns the page of such a list.
    """

    def __init__(self, amendments: AmendPanel, router: Router) -> None:
        self._amendments = amendments
        router.add_table_route("request-entries", self.show_entries, gms=True)
        router.add_table_route("entries-page", self.turn_page, update=True, gms=True)
        router.add_table_route("result-entries", self.show_result, gms=True)
        router.add_table_route("request-dismiss", self.dismiss, update=True, gms=True)
        router.add_table_route("request-text", self.ask)

    async def open_message(self, ctx: Context, message: discord.Message, *, ours: bool) -> None:
        """Open the entry behind a message for a GM; others are asked what should change.

        A deputy corrects nothing, but asks as a player does.

        Raises NotFound("no-entry-in-message").
        """
        await ctx.interactions.outbox.delivery_log.flush()
        tables = ctx.interactions.tables
        number = message_row_number(message) if ours else None
        changed = int((message.edited_at or message.created_at).timestamp())
        row = None
        if number is not None:
            row = await row_of_message(tables, rows_numbered(number), message.id, changed)
        elif not ours:
            # A character's words may stand in a message of a webhook.
            row = await tables.store.speech_row(ctx.table.id, message.id)
        if row is None or row.table_id != ctx.table.id:
            raise no_entry_error()
        entry = await entry_of_message(tables, ctx.reader, row)
        if leads_table(ctx.table.state, ctx.actor):
            await self._choose_entry(ctx, entry)
        else:
            await ctx.open_modal(request_dialog(ctx.table.id, entry))

    async def show_entries(self, ctx: Context, press: Press) -> None:
        """Show the entries of a request's check, or open its only entry. Raises as `_show_rows`."""
        await self._choose_entry(ctx, press.number(1))

    async def turn_page(self, ctx: Context, press: Press) -> None:
        """Show another page of entries. Raises as `show_entries` or `show_result`."""
        key, page = press.text(1), press.number(2)
        if key.isdecimal():
            await self._choose_entry(ctx, int(key), page)
        else:
            await self._choose_of_result(ctx, key, page)

    async def show_result(self, ctx: Context, press: Press) -> None:
        """Show the entries of a check, or of all checks of a roll call.

        Raises NotFound("unknown-check", "unknown-roll-call", "no-entry-in-message").
        """
        await self._choose_of_result(ctx, press.text(1))

    async def dismiss(self, ctx: Context, press: Press) -> None:
        """Leave an entry as it is, and tell who asked."""
        who = press.text(2)
        await ctx.perform(DismissCorrection(**ctx.origin, entry=press.number(1), to=who))

    async def ask(self, ctx: Context, press: Press) -> None:
        """Ask the GMs for a correction. Raises as `require_told`."""
        number = press.number(1)
        await require_told(ctx.interactions.tables, ctx.reader, number)
        text = press.inputs.get("text", "")
        await ctx.perform(AskForCorrection(**ctx.origin, entry=number, text=text))

    async def _choose_entry(self, ctx: Context, number: int, page: int = 0) -> None:
        """Open an entry, or a menu of those of its check."""
        rows = await related_entries(ctx.interactions.tables, ctx.table, number)
        await self._show_rows(ctx, rows, str(number), page)

    async def _choose_of_result(self, ctx: Context, key: str, page: int = 0) -> None:
        """Open the only entry of a check or a roll call, or a menu of its entries."""
        game = ctx.game
        if is_roll_call(key):
            shown = checks_of(game.state, find_roll_call(game.state, key))
        else:
            shown = (find_check(game, key),)
        tables = ctx.interactions.tables
        rows = await entries_of_checks(tables, ctx.table, [check.id for check in shown])
        await self._show_rows(ctx, rows, key, page)

    async def _show_rows(self, ctx: Context, rows: Sequence[EntryRow], key: str, page: int) -> None:
        """Open the only entry of these, or show a menu of them; *key* finds them again.

        Raises NotPermitted("deputy-may-not").
        """
        require_gm(ctx.table.state, ctx.actor.replace(as_player=True))
        if not rows:
            raise no_entry_error()
        if len(rows) == 1:
            await self._amendments.begin(ctx, rows[0].seq, None)
            return
        scene = scene_of(ctx.table)
        entries = entry_options(entries_with_steps(rows), scene.names)
        requests = request_lines(scene, int(key)) if key.isdecimal() else ()
        await ctx.show(entries_card(ctx.table.id, key, entries, page, requests))
