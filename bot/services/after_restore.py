"""After a restore: every table begins with new seeds, and what was pressed before the restore is
over.
"""

from __future__ import annotations

import logging
from typing import Final

from bot.clock import Clock
from bot.services.perform import perform
from bot.services.tables import Tables
from bot.storage.errors import TableUnreadable
from bot.storage.high_water_mark import RESTORED_KEY
from rules.table.actions import Actor, BeginAnew
from rules.table.state import SYSTEM

log = logging.getLogger("storyguide.anew")

#: The note that counts the starts after a restore.
EPOCH: Final = "epoch"


async def finish_restore(tables: Tables, clock: Clock) -> int:
    """Do what a restore calls for, if there was one; returns how many there have been, which
    buttons carry.

    Told that way a table stays as it is: a copy that was never in use tells nobody anything twice.
    """
    store = tables.store
    await store.note_if_older()
    # Another process may do the same just now, so both notes are read and changed as one.
    notes = await store.notes(EPOCH, RESTORED_KEY)
    epoch = int(notes.get(EPOCH, "0"))
    if RESTORED_KEY not in notes:
        return epoch
    epoch += 1
    # Of several processes that start at once, each does the same for all tables, by the same
    # requests; so a note of one that another drops is never forgotten.
    known = await store.all_table_places()
    for table_id, place in known.items():
        # Dice and cards without a table have no channel that could be told.
        told = place if place.isdecimal() else ""
        action = BeginAnew(who=Actor(SYSTEM), place=told, at=clock())
        try:
            await perform(tables, table_id, action, f"{RESTORED_KEY}:{epoch}:{table_id}")
        except TableUnreadable:
            log.warning("anew.unreadable", extra={"table": table_id})
    await store.replace_note(RESTORED_KEY, EPOCH, str(epoch))
    log.info("anew.begun", extra={"count": len(known)})
    return epoch
