"""Card of the entries that a player missed while away."""

from __future__ import annotations

from bot.presenters.events import event_cards
from bot.presenters.layout import Layout
from bot.presenters.table import absence_card
from bot.services.absence import events_meanwhile
from bot.ui.context import Context


async def absence_layout(ctx: Context, since: int, until: int) -> Layout:
    """Return the card of entries about the user's characters between two times.

    `since` and `until` are in seconds since 1970.
    """
    entries = await events_meanwhile(ctx.interactions.tables, ctx.reader, since, until)
    cards = [(seq, event_cards(events, ctx.scene, seq)) for seq, events in entries]
    return absence_card(ctx.table.id, cards, since)
