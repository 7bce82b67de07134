"""What characters have said, as the journal and the outbox have it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.services.loaded_table import Table
from bot.services.outbox_plan import speech_topic
from bot.services.tables import Tables
from bot.storage import codec
from bot.storage.row_records import EntryRow, OutboxRow
from bot.storage.store import Store
from rules.core.errors import NotFound, Outdated
from rules.core.record import Record
from rules.table.actions import Actor
from rules.table.events import Said
from rules.table.scenes.speech import speech_of


class SpokenWords(Record):
    """What was said, as it reads now."""

    #: The event of the last edit, or else of what was first said.
    event: Said
    #: Number of edits.
    edits: int


async def entries_about(store: Store, table: Table, said: str) -> tuple[int, ...]:
    """Return the numbers of the entries that said something and edited it, newest first."""
    rows = await _entries(store, await store.rows_on_topic(table.id, speech_topic(said)))
    return tuple(row.seq for row in reversed(rows) if row.undone_by is None)


async def present_words(store: Store, outs: Sequence[OutboxRow]) -> SpokenWords | None:
    """Return what was said as it reads now, from all rows on its topic; None if it is undone."""
    events: list[Said] = []
    for row in await _entries(store, outs):
        if row.undone_by is None:
            events += [event for event in codec.read_events(row.events) if isinstance(event, Said)]
    if not events or events[0].edited:
        return None
    return SpokenWords(events[-1], len(events) - 1)


async def words_of_message(tables: Tables, table: Table, place: str, message: int) -> SpokenWords:
    """Return what a character has said in a message of a place.

    Raises NotFound("nobody-spoke") if it is no such message of the table.
    """
    out = await tables.store.speech_row(table.id, message)
    if out is not None and out.place == place and out.topic is not None:
        outs = await tables.store.rows_on_topic(table.id, out.topic)
        words = await present_words(tables.store, outs)
        if words is not None:
            return words
    raise NotFound("nobody-spoke", field="message", value=None, nearest=())


async def words_by_id(tables: Tables, table: Table, said: str) -> SpokenWords:
    """Return what was said as it reads now. Raises Outdated("said-gone")."""
    outs = await tables.store.rows_on_topic(table.id, speech_topic(said))
    words = await present_words(tables.store, outs)
    if words is None:
        raise Outdated("said-gone")
    return words


def require_own_words(table: Table, actor: Actor, words: SpokenWords) -> None:
    """Require that the actor has said something and can still change it.

    Raises Outdated("said-gone").
    """
    if words.event.by != actor.id or speech_of(table.state, words.event.said) is None:
        raise Outdated("said-gone")


async def _entries(store: Store, outs: Sequence[OutboxRow]) -> list[EntryRow]:
    """Return the entries of rows that say something, oldest first."""
    ids = dict.fromkeys(out.journal_id for out in outs if out.kind == "say")
    rows = [await store.entry(journal_id) for journal_id in ids]
    return [row for row in rows if row is not None]
