"""Rows that the store takes and returns, as small frozen classes."""

from __future__ import annotations

from typing import Literal

from rules.core.record import Record

#: Kinds of outbox rows:
#:
#: - `reply`: answer to the interaction.
#: - `post`: message of its own.
#: - `stub`: public stand-in for a message that only `person` (None: the GMs) may open.
#: - `mark`: change of a message that was sent earlier.
#: - `board`: update of the message with a place's initiative.
#: - `card`: update of a check's message.
#: - `call`: short message that calls participants until they have acted.
#: - `nudge`: reminder that no channel may show; it becomes a direct message, or nothing.
#: - `say`: words of a character, under its name, or a change of them.
OutboxKind = Literal[
    "reply", "post", "stub", "mark", "board", "card", "call", "nudge", "thread", "say"
]


#: Uses of a seed: open rolls, secret rolls, or the seeds of shuffles. The last is never revealed.
SeedStream = Literal["public", "secret", "shuffle"]


class AwaitedParty(Record, array_like=True):
    """A participant or the GMs, with what a check asks them at one of its steps."""

    #: Participant's id; None: the GMs.
    person: str | None
    #: Key and number of each open prompt.
    prompts: tuple[tuple[str, int], ...] = ()
    #: Whether the step calls the party: for the first time, or again; then earlier calls are over.
    call: Literal["first", "again"] | None = None


class NewOutboxRow(Record):
    """A message to be sent."""

    kind: OutboxKind
    place: str
    public: bool
    #: Indexes into the entry's events.
    events: tuple[int, ...]
    person: str | None = None
    #: Key that messages about the same thing share.
    topic: str | None = None
    token: str | None = None
    #: Row of a check's message or call: everyone whom the step awaits or calls.
    parties: tuple[AwaitedParty, ...] = ()
    #: Call to a turn: the turn's number.
    turn: int | None = None


class OutboxRow(Record):
    """A row of the outbox."""

    id: int
    journal_id: int
    table_id: int
    kind: OutboxKind
    place: str
    person: str | None
    public: bool
    events: tuple[int, ...]
    topic: str | None
    token: str | None
    created_at: int
    attempts: int = 0
    error: str | None = None
    done_at: int | None = None
    #: `<channel id>/<message id>` once it was sent.
    message: str | None = None
    #: Whether its buttons were removed.
    closed: bool = False
    #: As in `NewOutboxRow`.
    parties: tuple[AwaitedParty, ...] = ()
    turn: int | None = None


class LiveMessages(Record):
    """The messages on a topic that still have buttons, and the calls that go with them."""

    #: Oldest first.
    messages: tuple[OutboxRow, ...]
    calls: tuple[OutboxRow, ...]
    #: Last sent row on the topic; None without one, or if its message is forgotten.
    last_sent: OutboxRow | None


class Member(Record):
    """A participant, with the Discord user's id and name."""

    id: str
    user: str
    name: str


class NewSeed(Record):
    """A seed that replaces the one in use."""

    stream: SeedStream
    seed: bytes
    #: SHA-256 of the seed, in hex.
    commitment: str
    #: Whether the replaced seed is revealed.
    reveals: bool = True


class SeedRow(Record):
    """A seed in use or retired.

    The journal's entries after number `started_seq`, up to `ended_seq`, drew from it.
    """

    id: int
    stream: SeedStream
    seed: bytes
    #: SHA-256 of the seed, in hex.
    commitment: str
    started_at: int
    #: Time of its reveal. A seed of secret rolls that a restore retired is never revealed.
    revealed_at: int | None = None
    started_seq: int = 0
    ended_seq: int | None = None


class NewTable(Record):
    """Contents of a new table."""

    guild: str
    system: str
    rules_version: int
    place: str
    seeds: tuple[tuple[SeedStream, bytes, str], ...]


class NewEntry(Record):
    """A journal entry to be written."""

    request_id: str
    at: int
    actor: str
    kind: str
    action: str
    events: str
    rules_version: int
    draws: int
    revealed: bool
    #: New texts of changed parts by key; None for a part that is gone.
    parts: dict[str, str | None]
    due_off: tuple[str, ...] = ()
    due_on: tuple[tuple[str, int], ...] = ()
    outs: tuple[NewOutboxRow, ...] = ()
    members: tuple[Member, ...] = ()
    undoes: tuple[int, ...] = ()
    #: Entries that the entry undoes. What one of them has undone counts again.
    revives: tuple[int, ...] = ()
    #: Parts that are new.
    fresh: frozenset[str] = frozenset()
    #: Parts whose earlier form needn't be kept.
    untracked: frozenset[str] = frozenset()
    #: Request id of the entry that this one builds on; empty if only the revision counts. Several
    #: entries may be on their way at once, and each must follow the one that it was made for.
    after: str = ""
    #: Places with True if the entry binds them to the table, False if it frees them.
    places: tuple[tuple[str, bool], ...] = ()
    #: Seeds that replace those in use.
    seeds: tuple[NewSeed, ...] = ()
    #: Number of the `draws` that came from the secret seed.
    secret_draws: int = 0
    #: Participant whose row, and whose texts up to this entry, are removed.
    forgets: str = ""
    #: Place of the action.
    place: str = ""


class EntryRow(Record):
    """A journal entry as stored."""

    id: int
    table_id: int
    seq: int
    request_id: str
    at: int
    actor: str
    kind: str
    action: str
    events: str
    rules_version: int
    draws: int
    revealed: bool
    undone_by: int | None
    secret_draws: int = 0
    #: Place of the action. It stays when the texts are forgotten.
    place: str = ""


class TableRow(Record):
    """A table as stored."""

    id: int
    guild: str
    system: str
    rules_version: int
    revision: int
    created_at: int
    #: Key, version and text of each part.
    parts: tuple[tuple[str, int, str], ...]
    members: tuple[Member, ...]
    seeds: tuple[SeedRow, ...]
    #: Id of the last request.
    head: str = ""
    #: Last entry that has lost a participant's texts. Entries up to it can't be undone or replayed.
    redacted_seq: int = 0


class WrittenEntry(Record):
    """A journal entry after it was written."""

    table_id: int
    #: Id of the entry's row.
    journal_id: int
    #: Number of the entry in the table's journal.
    seq: int
    outs: tuple[OutboxRow, ...]


class PanelRow(Record):
    """The draft behind a private panel."""

    id: str
    table_id: int | None
    user: str
    kind: str
    body: str
    at: int


#: Kinds of notices:
#:
#: - `call`: a user named in a call of the outbox; the call itself is the message.
#: - `nudge`: reminder by direct message.
#: - `morning`: list of what waits for a user, at the end of the user's quiet hours.
#: - `next`: a user named as the next in initiative; the call of the present turn has the message.
#: - `test`: first direct message, which the user asked for.
NoticeKind = Literal["call", "nudge", "morning", "next", "test"]


class NewNotice(Record):
    """A message to one user, planned at most once."""

    #: Unique name. A second notice of this name is not written.
    key: str
    #: Discord id of the user.
    user: str
    kind: NoticeKind
    #: Time from which it is sent, in seconds since 1970.
    at: int
    #: Contents as JSON.
    body: str = "{}"
    #: Table that it is about; None: several.
    table_id: int | None = None
    #: Whether it makes the user's device sound, and counts in the user's daily budget.
    loud: bool = True
    #: Time of sending, for a notice whose message another row sends.
    sent_at: int | None = None


class NoticeRow(Record):
    """A notice as stored."""

    id: int
    key: str
    user: str
    table_id: int | None
    #: Channel where it is sent; None before the first try.
    place: str | None
    kind: NoticeKind
    body: str
    at: int
    loud: bool
    #: Time when it was sent or dropped.
    sent_at: int | None
    #: `<channel id>/<message id>` once it was sent.
    message: str | None
    attempts: int
    error: str | None
