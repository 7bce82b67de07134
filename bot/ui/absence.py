"""Message with the entries that a player missed while away."""

from __future__ import annotations

from bot.delivery.table_scene import scene_of
from bot.presenters.events import event_cards
from bot.presenters.layout import Layout
from bot.presenters.table import absence_card
from bot.services.absence import events_meanwhile
from bot.services.readers import Reader
from bot.services.tables import Tables


async def absence_layout(tables: Tables, reader: Reader, since: int, until: int) -> Layout:
    """Return the message on the entries about the reader's characters between two times.

    `since` and `until` are in seconds since 1970.
    """
    entries = await events_meanwhile(tables, reader, since, until)
    scene = scene_of(reader.table)
    cards = [(seq, event_cards(events, scene, seq)) for seq, events in entries]
    return absence_card(reader.table.id, cards, since)
