"""Rows that the store takes and returns, as small frozen classes."""

from __future__ import annotations

from typing import Literal

from rules.core.record import Record

#: `reply` answers the interaction; `post` is a message of its own; `stub` stands in public for
#: something that only `person` (or, with None, the GMs) may open; `mark` changes a message sent
#: earlier; `board` brings a place's order of action up to date, in the one message that shows it;
#: `card` does so with that of a check; `call` is a short message that calls somebody, until they
#: have acted.
OutboxKind = Literal["reply", "post", "stub", "mark", "board", "card", "call"]


#: What a seed is for: open rolls; secret rolls; or to make the seeds of shuffles, and that one is
#: never revealed.
SeedStream = Literal["public", "secret", "shuffle"]


class NewOutboxRow(Record):
    """Something to be said. `events` are indexes into the entry's events; `topic` groups
    messages.
    """

    kind: OutboxKind
    place: str
    public: bool
    events: tuple[int, ...]
    person: str | None = None
    topic: str | None = None
    token: str | None = None


class OutboxRow(Record):
    """A row of the outbox.

    `message` is `<channel id>/<message id>` once it was sent; `closed` tells that its buttons were
    taken off.
    """

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
    message: str | None = None
    closed: bool = False


class Member(Record):
    """A participant and who that is on Discord."""

    id: str
    user: str
    name: str


class NewSeed(Record):
    """A seed that takes the place of the one in use, which it `reveals`. `commitment` is its
    SHA-256 in hex.
    """

    stream: SeedStream
    seed: bytes
    commitment: str
    reveals: bool = True


class SeedRow(Record):
    """A seed in use or retired. `commitment` is the SHA-256 of the seed, in hex.

    The journal's entries after number `started_seq`, up to `ended_seq`, drew from it. It was
    revealed at `revealed_at`; one that was retired after a restore, and whose rolls were secret,
    never is.
    """

    id: int
    stream: SeedStream
    seed: bytes
    commitment: str
    started_at: int
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
    """A journal entry about to be written; `parts` maps keys to new texts, None for parts that are
    gone.

    `fresh` names the parts that were not there before, `untracked` those whose earlier form need
    not be kept. `after` is the request id of the entry that this one builds on, empty when only the
    revision counts: several entries may be on their way at once, and each must follow the very one
    it was made for. `places` are bound to the table (True) or given back; `seeds` take the place of
    those in use. `secret_draws` tells how many of the `draws` came from the secret seed. `place` is
    where it was said. `forgets` is the participant whose row and texts go with this entry, the
    journal's up to here included.
    """

    request_id: str
    at: int
    actor: str
    kind: str
    action: str
    events: str
    rules_version: int
    draws: int
    revealed: bool
    parts: dict[str, str | None]
    due_off: tuple[str, ...] = ()
    due_on: tuple[tuple[str, int], ...] = ()
    outs: tuple[NewOutboxRow, ...] = ()
    members: tuple[Member, ...] = ()
    undoes: tuple[int, ...] = ()
    fresh: frozenset[str] = frozenset()
    untracked: frozenset[str] = frozenset()
    after: str = ""
    places: tuple[tuple[str, bool], ...] = ()
    seeds: tuple[NewSeed, ...] = ()
    secret_draws: int = 0
    forgets: str = ""
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
    #: Where it was said; it stays when what was said is forgotten.
    place: str = ""


class TableRow(Record):
    """A table as stored: its parts (key, version, text), its people, its seeds; `head` is its last
    request.

    Entries up to `redacted_seq` have lost what somebody typed, and can neither be taken back nor be
    carried out again.
    """

    id: int
    guild: str
    system: str
    rules_version: int
    revision: int
    created_at: int
    parts: tuple[tuple[str, int, str], ...]
    members: tuple[Member, ...]
    seeds: tuple[SeedRow, ...]
    head: str = ""
    redacted_seq: int = 0


class WrittenEntry(Record):
    """What a write gave: the table, the entry's row id and number, and the rows of its outbox."""

    table_id: int
    journal_id: int
    seq: int
    outs: tuple[OutboxRow, ...]


class PanelRow(Record):
    """The draft behind a private panel: whose it is, of which kind, and what has been chosen so
    far.
    """

    id: str
    table_id: int | None
    user: str
    kind: str
    body: str
    at: int
