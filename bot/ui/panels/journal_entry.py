"""Buttons under entries of the journal: show a private one, undo one with its dependents."""

from __future__ import annotations

from typing import cast

from bot.presenters.events import event_cards
from bot.presenters.hands import Hand, hand_panel
from bot.presenters.language.text import TextParams
from bot.presenters.language.words import phrase
from bot.presenters.layout import Layout, without_call
from bot.presenters.log import undo_others_card, undo_question_card
from bot.services.history import (
    entries_with_steps,
    entry_and_row_events,
    entry_to_confirm,
    recent_entries,
)
from bot.services.take_back import require_take_back
from bot.services.undo import UNDO_REACH
from bot.ui.absence import absence_layout
from bot.ui.context import Context
from bot.ui.interactions import Interactions
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, NotPermitted, Outdated
from rules.table.actions import PlayCard, Undo
from rules.table.checks.access import require_of_table
from rules.table.events import Notice


class EntryPanel:
    """Handler of `sg:show:<row>`, a public stub's entry, and of the undo buttons.

    `sg:back:<table>:<entry>` undoes the user's own entry. `sg:undo:<table>:<entry>:<newest>` is for
    GMs. *newest* is the newest dependent that the card showed, or `one` for a single entry.
    """

    def __init__(self, interactions: Interactions, router: Router) -> None:
        self._interactions = interactions
        router.add("show", self.show)
        router.add_table_route("undo", self.undo, update=True)
        router.add_table_route("back", self.take_back, update=True)

    async def show(self, press: Press) -> None:
        """Show the private message behind a public stub.

        Users without a part in the table see only their own actions, and what was addressed to
        them.
        """
        async with self._interactions.respond_to(press.interaction) as response:
            out = await self._interactions.tables.store.outbox_row(press.number(0))
            if out is None:
                raise Outdated("unknown-control")
            ctx = await self._interactions.context(response, out.table_id, guests=True)
            entry = await entry_and_row_events(self._interactions.tables, out)
            if entry is None or not entry[1]:
                raise Outdated("unknown-control")
            row, events = entry
            shown = len(await ctx.reader.shown_events(row, events)) == len(events)
            if not (shown and ctx.reader.are_addressed(events, row)):
                require_of_table(ctx.game)
            if not shown:
                raise NotPermitted("not-for-you")
            undone = row.undone_by
            cards = event_cards(
                events, ctx.scene, row.seq, closed=undone is not None, undone_by=undone
            )
            over = events[0]
            if isinstance(over, Notice) and over.what == "absence-over":
                since, until = over.params["since"], over.params["until"]
                if isinstance(since, int) and isinstance(until, int):
                    tables = self._interactions.tables
                    cards = [await absence_layout(tables, ctx.reader, since, until)]
            # The user who pressed needs no ping.
            await ctx.show(*[without_call(shown_card) for shown_card in cards])

    async def undo(self, ctx: Context, press: Press) -> None:
        """Undo an entry, with its dependents if the pressed button listed them; else ask first."""
        await perform_undo(ctx, press.number(1), read=f"#{press.text(2)}")

    async def take_back(self, ctx: Context, press: Press) -> None:
        """Undo the player's own action within a minute: `sg:back:<table>:<entry>`.

        A card that was taken back lies in the hand again, and the answer shows the hand.
        """
        entry, origin = press.number(1), ctx.origin
        action = await require_take_back(
            self._interactions.tables, ctx.table, ctx.actor, entry, origin["at"]
        )

        def hand() -> Layout:
            held = Hand(ctx.scene, ctx.actor.id, cast(PlayCard, action).deck)
            return hand_panel(held, said=phrase("hand-back"))

        await ctx.perform(
            Undo(**origin, entry=entry), instead=hand if isinstance(action, PlayCard) else None
        )


async def perform_undo(
    ctx: Context, entry: int | None, *, dependents: bool = False, read: str = ""
) -> None:
    """Undo an entry, or the last one. *read*: the newest dependent that the GM has confirmed.

    The GM is asked first if the last entry is another person's, or has newer messages below it.
    """
    ctx.require_gm()
    if entry is None and not dependents:
        tables = ctx.interactions.tables
        asked = await entry_to_confirm(tables, ctx.table, ctx.actor, ctx.place)
        if asked is not None:
            ((row, step),) = entries_with_steps([asked])
            others = row.actor != ctx.actor.id
            await ctx.show(
                undo_question_card(ctx.table.id, row, step, ctx.scene.names, others=others)
            )
            return
    try:
        await ctx.perform(Undo(**ctx.origin, entry=entry, all_dependents=dependents))
    except Impossible as error:
        if error.code != "undo-others-first":
            raise
        if TextParams(error.params).raw_items("others")[-1:] == (read,):
            return await perform_undo(ctx, entry, dependents=True)
        done = entries_with_steps(
            row
            for row, _ in await recent_entries(ctx.interactions.tables, ctx.table.id, UNDO_REACH)
        )
        await ctx.show(undo_others_card(ctx.table.id, error, done, ctx.scene.names))
