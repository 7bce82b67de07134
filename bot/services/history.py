"""Earlier journal entries, as far as a reader may see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.services.journal_entries import undo_entry
from bot.services.loaded_table import Table
from bot.services.outbox_plan import call_topic, check_message_topic, check_of
from bot.services.readers import Reader
from bot.services.seeds import seed_for_entry
from bot.services.tables import Tables
from bot.services.undo import UNDO_REACH
from bot.storage import codec
from bot.storage.redaction import REDACTED_ACTION
from bot.storage.row_records import EntryRow, OutboxRow, SeedRow
from rules.core.errors import NotFound, Outdated
from rules.table.actions import Actor, Amend, RollDice
from rules.table.blocks import first_verdict
from rules.table.events import (
    Amended,
    Audience,
    CheckChanged,
    DiceRolled,
    Event,
    Produced,
    PromptView,
    Reported,
    StepView,
)
from rules.table.journal.undo import Entry, deed_view, latest_undoable
from rules.table.roll_calls.roll_call import roll_call_key

#: Most entries that are searched for the last results.
LAST_REACH = 100
#: Most seconds by which the bot's clock may be ahead of Discord's.
_CLOCK_TOLERANCE = 300
#: Kinds of outbox rows that report events.
_TELLING_KINDS = ("reply", "post", "stub", "card", "call", "thread", "say")

#: Kinds of rows whose messages stand for an entry.
_LINKED: Final = ("card", "post", "reply")


async def journal_ids(tables: Tables, table_id: int, numbers: Sequence[int]) -> list[int]:
    """Return the row ids of journal entries given by number."""
    return [row.id for row, _ in await tables.store.entries_at(table_id, numbers)]


async def messages_of(
    tables: Tables, table: Table, numbers: Sequence[int]
) -> tuple[OutboxRow, ...]:
    """Return the messages sent for journal entries given by number.

    These include messages of checks that vanished with the entries. An earlier undo may have sent
    such a card or call, which no entry of its own lists.
    """
    store = tables.store
    rows = await journal_ids(tables, table.id, numbers)
    topics = {topic: check_of(topic) for topic in await store.entry_topics(rows)}
    gone = [topic for topic, check in topics.items() if check and not _is_there(table, check)]
    messages = (*await store.entry_messages(rows), *await store.topic_messages(table.id, gone))
    # A card that is closed is a link to where it goes on, or marked already; a call is gone.
    done = (check_message_topic(""), call_topic(""))
    current = [
        sent for sent in messages if not (sent.closed and (sent.topic or "").startswith(done))
    ]
    return tuple({sent.id: sent for sent in current}.values())


def _is_there(table: Table, about: str) -> bool:
    """Return whether a table has the check or the roll call with an id."""
    return about in table.state.checks or roll_call_key(about) in table.state.own


async def row_of_message(
    tables: Tables, rows: Sequence[int], message: int, changed_at: int
) -> OutboxRow | None:
    """Return the row that a message was last written for, of those whose cards look alike.

    A row that notes this message is certain. Of private answers no row notes the message: then
    the newest row that existed when the message was last changed counts. *changed_at* is in
    seconds since 1970.
    """
    candidates = await tables.store.outbox_rows(rows)
    for row in reversed(candidates):
        if str(message) in (row.message or "").split("/")[1:]:
            return row
    private = [row for row in candidates if row.message is None]
    early = [row for row in private if row.created_at <= changed_at + _CLOCK_TOLERANCE]
    return early[-1] if early else None


async def displayed_row(tables: Tables, sent: OutboxRow) -> OutboxRow:
    """Return the outbox row that a message shows now.

    The card of a check shows the last row sent for it.
    """
    topic = sent.topic or ""
    if not topic.startswith(check_message_topic("")):
        return sent
    return await tables.store.last_sent_row(sent.table_id, topic) or sent


async def entry_message_links(
    tables: Tables, table: Table, numbers: Sequence[int], place: str
) -> dict[int, str]:
    """Return the web addresses of the messages of entries in a channel, by entry.

    The message of a check counts for each of its entries. Entries without one are left out.
    """
    links: dict[int, str] = {}
    for row, _ in await tables.store.entries_at(table.id, numbers):
        sent = list(await tables.store.entry_messages([row.id]))
        topics = await tables.store.entry_topics([row.id])
        sent += await tables.store.topic_messages(table.id, topics) if topics else ()
        for message in sent:
            channel, _, id = (message.message or "").partition("/")
            if channel == place and id and message.kind in _LINKED:
                address = f"https://discord.com/channels/{table.guild}/{channel}/"
                links[row.seq] = address + id.partition("/")[0]
    return links


async def recent_entries(
    tables: Tables, table_id: int, limit: int
) -> tuple[tuple[EntryRow, Entry], ...]:
    """Return the last entries of the journal, oldest first."""
    rows = await tables.store.entries(table_id, limit=limit)
    return tuple((row, undo_entry(row, keys)) for row, keys in rows)


async def entry_to_confirm(
    tables: Tables, table: Table, actor: Actor, place: str
) -> EntryRow | None:
    """Return the entry that an undo without a number would undo, if the GM must confirm it.

    The GM confirms another person's entry, and an entry with newer messages in the place.
    """
    known = [
        (row, entry)
        for row, entry in await recent_entries(tables, table.id, UNDO_REACH)
        if row.seq > table.redacted
    ]
    last = latest_undoable([entry for _, entry in known])
    if last is None:
        return None
    row = next(row for row, _ in known if row.seq == last.seq)
    if row.actor != actor.id:
        return row
    newer = [later.id for later, _ in known if later.seq > last.seq]
    posted = await tables.store.entry_messages(newer) if newer else ()
    is_buried = any(sent.public and sent.place == place for sent in posted)
    return row if is_buried else None


def entries_with_steps(rows: Iterable[EntryRow]) -> list[tuple[EntryRow, StepView | None]]:
    """Return journal entries, each with its step in a check as GMs may know it."""
    return [(row, deed_view(codec.read_events(row.events), gm=True)) for row in rows]


async def check_message_links(
    tables: Tables, table: Table, checks: Iterable[str]
) -> dict[str, str]:
    """Return the web addresses of checks' public messages, by check.

    A check of a roll call has the call's message. Checks without a posted message are left out.
    """
    topics: dict[str, list[str]] = {}
    for key in checks:
        check = table.state.checks.get(key)
        shown_by = key if check is None else check.group or key
        topics.setdefault(check_message_topic(shown_by), []).append(key)
    known = await tables.store.topic_messages(table.id, [*topics]) if topics else ()
    links: dict[str, str] = {}
    for row in known:
        if row.message is not None and row.topic in topics:
            channel_and_message = "/".join(row.message.split("/")[:2])
            address = f"https://discord.com/channels/{table.guild}/{channel_and_message}"
            links |= dict.fromkeys(topics[row.topic], address)
    return links


def _result_of(event: Event, row: EntryRow) -> str:
    """Return the check whose result an event reveals, or an empty string.

    An amendment reveals the result of each check that it shows again.
    """
    if not isinstance(event, CheckChanged):
        return ""
    is_corrected = row.kind == Amend.__name__ and first_verdict(event.blocks) is not None
    if event.revealed or is_corrected:
        return event.check
    return ""


def _is_result(event: Event) -> bool:
    """Return whether an event is a result by itself, outside a check.

    A system's own report counts if it has a verdict.
    """
    if isinstance(event, Reported):
        return first_verdict(event.blocks) is not None
    return isinstance(event, DiceRolled | Produced)


def _current_result(
    event: Event, table: Table, asked: Mapping[tuple[str, Audience], tuple[PromptView, ...]]
) -> Event:
    """Return a result as it is now for the audience that saw it.

    `asked` holds the participants it waits for, by check and audience.
    """
    if not isinstance(event, CheckChanged):
        return event
    check = table.state.checks.get(event.check)
    over = check is None or not check.is_open
    return event.replace(over=event.over or over, asked=asked[event.check, event.audience])


async def last_results(
    tables: Tables, reader: Reader, count: int
) -> tuple[tuple[int, tuple[Event, ...]], ...]:
    """Return number and shown events of the reader's last `count` results, oldest first.

    Each check counts once.
    """
    table = reader.table
    entries: list[tuple[int, tuple[Event, ...]]] = []
    checks: set[str] = set()
    asked: dict[tuple[str, Audience], tuple[PromptView, ...]] = {}
    for row in reversed([row for row, _ in await recent_entries(tables, table.id, LAST_REACH)]):
        if row.undone_by is not None or len(entries) == count:
            continue
        seen = await reader.fullest_events(row, codec.read_events(row.events))
        for event in seen:
            if isinstance(event, CheckChanged):
                asked.setdefault((event.check, event.audience), event.asked)
        results = tuple(
            _current_result(event, table, asked)
            for event in seen
            if _is_result(event) or _result_of(event, row) not in ("", *checks)
        )
        checks.update(_result_of(event, row) for event in results)
        if results:
            entries.append((row.seq, results))
    return tuple(reversed(entries))


async def undelivered_events(
    tables: Tables, reader: Reader, refused: Iterable[OutboxRow]
) -> list[tuple[str, int, tuple[Event, ...]]]:
    """Return the undelivered events that the reader may see, with channel and entry number."""
    undelivered: list[tuple[str, int, tuple[Event, ...]]] = []
    for out in refused:
        entry = await entry_and_row_events(tables, out) if out.kind in _TELLING_KINDS else None
        if entry is None or entry[0].undone_by is not None:
            continue
        seen = await reader.shown_events(*entry)
        # A card and the message that calls for it tell the same.
        if seen and (out.place, entry[0].seq, seen) not in undelivered:
            undelivered.append((out.place, entry[0].seq, seen))
    return undelivered


async def visible_events(tables: Tables, reader: Reader, seq: int) -> tuple[Event, ...]:
    """Return the events of a journal entry that the reader may see.

    Raises Outdated("unknown-control") if there are none, or if the entry is undone.
    """
    row = await tables.store.entry_at(reader.table.id, seq)
    if row is None or row.undone_by is not None:
        raise Outdated("unknown-control")
    seen = await reader.fullest_events(row, codec.read_events(row.events))
    if not seen:
        raise Outdated("unknown-control")
    return seen


async def roll_entries(tables: Tables, reader: Reader, told: OutboxRow) -> list[EntryRow]:
    """Return the entries that rolled a message's dice and that the reader may see, oldest first.

    The card of a check shows every roll of the check.
    """
    entries: list[EntryRow] = []
    for key in await tables.store.entry_ids_on_topic(told):
        row = await tables.store.entry(key)
        if row is None or not row.draws or row.undone_by is not None:
            continue
        if await reader.shown_events(row, codec.read_events(row.events)):
            entries.append(row)
    return entries


async def entry_and_seed(tables: Tables, reader: Reader, seq: int) -> tuple[EntryRow, SeedRow]:
    """Return a journal entry that rolled dice, and the seed of the dice.

    NotFound("no-dice-there") if it rolled none, or if the reader may not see it.
    """
    # A seed counts as revealed only once that is on disk.
    table = await tables.get_committed(reader.table.id)
    row = await tables.store.entry_at(table.id, seq)
    if row is None or not row.draws:
        raise NotFound("no-dice-there", field="entry", value=seq, nearest=())
    shown = await reader.shown_events(row, codec.read_events(row.events))
    if not _tells_of_dice(reader, row, shown):
        raise NotFound("no-dice-there", field="entry", value=seq, nearest=())
    return row, seed_for_entry(table.seeds, "secret" if row.secret_draws else "public", seq)


async def last_rolls(
    tables: Tables, reader: Reader, count: int
) -> list[tuple[EntryRow, StepView | None]]:
    """Return the last entries with dice that the reader may see, newest first.

    Each comes with what it did in a check.
    """
    entries: list[tuple[EntryRow, StepView | None]] = []
    for row, _ in reversed(await recent_entries(tables, reader.table.id, LAST_REACH)):
        if not row.draws or row.undone_by is not None or len(entries) == count:
            continue
        events = await reader.shown_events(row, codec.read_events(row.events))
        if _tells_of_dice(reader, row, events):
            entries.append((row, deed_view(events, gm=reader.gm)))
    return entries


def _tells_of_dice(reader: Reader, row: EntryRow, shown: Sequence[Event]) -> bool:
    """Return whether a reader who was told *shown* of an entry with dice may know of the dice.

    The new dice of a correction may have fallen for an entry that only others were told of.
    """
    if row.kind != Amend.__name__ or reader.gm:
        return bool(shown)
    return any(isinstance(event, Amended) and event.rolled for event in shown)


async def dice_roll_at(tables: Tables, reader: Reader, seq: int) -> tuple[RollDice, DiceRolled]:
    """Return the dice that entry `seq` of the journal rolled.

    Raises Outdated("unknown-control") if the entry is undone, if the reader may not see it, or if
    its person is forgotten. Open dice are refused in any other place, where others would read
    their reason.
    """
    row = await tables.store.entry_at(reader.table.id, seq)
    there = row is not None and row.undone_by is None and row.action != REDACTED_ACTION
    if row is not None and there and row.kind == RollDice.__name__:
        action = codec.read_action(row.kind, row.action)
        for event in await reader.shown_events(row, codec.read_events(row.events)):
            if not isinstance(event, DiceRolled) or not event.totals:
                continue
            if event.visibility != "public" or row.place == reader.here:
                assert isinstance(action, RollDice)
                return action, event
    raise Outdated("unknown-control")


async def entry_and_events(
    tables: Tables, out: OutboxRow
) -> tuple[EntryRow, tuple[Event, ...]] | None:
    """Return the journal entry behind an outbox row, and its events; None without an entry."""
    row = await tables.store.entry(out.journal_id)
    return None if row is None else (row, codec.read_events(row.events))


async def entry_and_row_events(
    tables: Tables, out: OutboxRow
) -> tuple[EntryRow, list[Event]] | None:
    """Return the journal entry behind an outbox row, and the events that the row reports.

    None without an entry.
    """
    known = await entry_and_events(tables, out)
    return None if known is None else (known[0], [known[1][index] for index in out.events])
