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
    """Begin anew at this share's tables after a restore; return the number of restores so far.

    Buttons carry that number. Several processes each do it for their share. The note of the restore
    holds who has done it, and goes with the last.

    Told that way a table stays as it is: a copy that was never in use tells nobody anything twice.
    """
    store = tables.store
    await store.note_if_older()
    epoch = int(await store.note(EPOCH) or 0)
    noted = await store.note(RESTORED_KEY)
    if noted is None:
        return epoch
    share = store.share
    if not noted:
        epoch += 1
    else:
        epoch, done = _progress(noted, share.count)
        if share.number in done:
            return epoch
    known = await store.table_places()
    for table_id, place in known.items():
        # Dice and cards without a table have no channel that could be told.
        told = place if place.isdecimal() else ""
        action = BeginAnew(who=Actor(SYSTEM), place=told, at=clock())
        try:
            await perform(tables, table_id, action, f"{RESTORED_KEY}:{epoch}:{table_id}")
        except TableUnreadable:
            log.warning("anew.unreadable", extra={"table": table_id})
    await store.set_note(EPOCH, str(epoch))
    # Another process may have noted itself meanwhile.
    noted = await store.note(RESTORED_KEY)
    others = _progress(noted, share.count)[1] if noted else frozenset[int]()
    done = others | {share.number}
    if len(done) == share.count:
        await store.drop_note(RESTORED_KEY)
    else:
        numbers = ",".join(map(str, sorted(done)))
        await store.set_note(RESTORED_KEY, f"{epoch}/{share.count}:{numbers}")
    log.info("anew.begun", extra={"count": len(known)})
    return epoch


def _progress(noted: str, count: int) -> tuple[int, frozenset[int]]:
    """Return the epoch in which a process began anew after a restore, and the shares that did.

    With another number of processes all shares do it again in the same epoch: request ids keep a
    table from beginning anew twice.
    """
    begun, _, numbers = noted.partition(":")
    epoch, _, processes = begun.partition("/")
    if int(processes) != count:
        return int(epoch), frozenset()
    return int(epoch), frozenset(map(int, numbers.split(",")))
