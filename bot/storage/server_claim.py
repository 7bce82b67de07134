"""Advisory locks that decide which processes may write on a server, and which share each serves.

A session holds the locks, and the server frees them with it, however it ends. So a session without
its locks cannot write. Two kinds of lock are taken, each for one schema of the database:

- Every writing session holds the *terms* lock, shared. The terms are the schema, the fingerprint of
  the stored classes and the number of processes, which stand in notes. They only change under the
  exclusive lock, while nobody else writes.
- A process of the bot holds the lock of one share, its *slot*.

A frozen process keeps its connection, and so its slot: a spare has the server end its session.
"""

from __future__ import annotations

import logging
from enum import Enum
from typing import Final

from bot.storage.high_water_mark import UPSERT_NOTE
from bot.storage.move_notes import move_problem, require_startable
from bot.storage.server_health import SLOT_LOCK, SLOT_SESSION
from bot.storage.server_schema import (
    check_schema,
    is_current,
    prepare_schema,
    read_note,
    schema_version,
)
from bot.storage.server_session import Session, ShareLost, SlotHeld
from bot.storage.share import WHOLE, Share

log = logging.getLogger("storyguide.storage")

#: Kind of the advisory lock of the terms; its second key is the schema.
_TERMS: Final = 5732
_TERMS_KEYS: Final = f"{_TERMS}, hashtext(current_schema())"
#: Its value is the share's number.
_SLOT_KEY: Final = "hashtext(current_schema()) # ?::int4"
#: The note that says how many processes share the servers.
PROCESSES_KEY: Final = "processes"
#: Seconds without a word from a process that has a share, after which a spare ends its session. A
#: process that lives looks every few seconds (`server_database.WATCH_INTERVAL`).
HANG_LIMIT = 20.0


class Obstacle(Enum):
    """Obstacle that a process waits for before it may write."""

    #: Sessions of another release: this one would change the tables under them.
    RELEASE = "release"
    #: Processes that share the servers among another number of processes.
    PROCESSES = "processes"
    #: The end of a process: every share has one, so this one is a spare.
    SLOT = "slot"


class Claim:
    """The locks of one writing session. All methods run on the session's thread.

    Without *processes* the session is no bot's: it holds the terms lock, and no slot.
    """

    def __init__(self, processes: int | None) -> None:
        #: Processes that share the Discord servers.
        self.processes = processes
        self._share: Share | None = None
        self._holds_terms = False

    def take(self, session: Session) -> Share | Obstacle:
        """Take the locks, and bring the schema up to date if nobody else writes.

        Returns the share, or what to wait for before the next try. Raises SchemaTooNew,
        FingerprintMismatch, DatabaseMoved or psycopg.Error.
        """
        if not self._holds_terms:
            obstacle = self._accept_terms(session)
            if obstacle is not None:
                return obstacle
            require_startable(session)
            self._holds_terms = True
        if self.processes is None:
            self._share = WHOLE
            return WHOLE
        for number in range(self.processes):
            if _try_slot(session, number):
                self._share = Share(number, self.processes)
                return self._share
        if _end_silent_holders(session, self.processes, HANG_LIMIT):
            log.warning("storage.silent-process-ended")
        return Obstacle.SLOT

    def renew(self, session: Session) -> None:
        """Take the same locks again in a session that was just opened, if they were taken before.

        Raises SlotHeld while the session before still has the slot; ShareLost if another process
        has it, if the terms have changed, or if the database was moved meanwhile.
        """
        self._holds_terms = False
        if self._share is None:
            return
        # Somebody who holds the terms lock alone is about to change them.
        if not _try_terms(session, shared=True) or not self._agrees(session):
            raise ShareLost
        if move_problem(session) is not None:
            raise ShareLost
        self._holds_terms = True
        number = self._share.number
        if self.processes is not None and not _try_slot(session, number):
            if _slot_holder(session, number) in (None, session.name):
                raise SlotHeld
            raise ShareLost

    def noted_processes(self, session: Session) -> int:
        """Return the number of processes that the running ones were started for."""
        return read_note(session, PROCESSES_KEY)

    def _accept_terms(self, session: Session) -> Obstacle | None:
        """Take the terms lock, shared; first change the terms if nobody else holds it.

        Returns what to wait for, or None. Raises SchemaTooNew or FingerprintMismatch: tables that
        this release cannot read stay so when their bots end, so waiting would not help.
        """
        check_schema(session)
        if schema_version(session):
            require_startable(session)
        if self._agrees(session):
            if not _try_terms(session, shared=True):
                return Obstacle.RELEASE
            if self._agrees(session):
                return None
            _free_terms(session, shared=True)  # They were changed just before.
            return Obstacle.RELEASE
        if not _try_terms(session, shared=False):
            return Obstacle.PROCESSES if is_current(session) else Obstacle.RELEASE
        try:
            prepare_schema(session)
            if self.processes is not None:
                session.execute(UPSERT_NOTE, (PROCESSES_KEY, str(self.processes)))
            _try_terms(session, shared=True)
        finally:
            if not session.is_broken:
                _free_terms(session, shared=False)
        return None

    def _agrees(self, session: Session) -> bool:
        """Return whether the noted terms are those of this process."""
        if not is_current(session):
            return False
        return self.processes is None or self.noted_processes(session) == self.processes


def exclude_bots(session: Session) -> bool:
    """Keep all who write off the database as long as the session lasts; False if one is there."""
    return _try_terms(session, shared=False)


def _try_terms(session: Session, *, shared: bool) -> bool:
    kind = "_shared" if shared else ""
    taken: bool = session.execute(f"SELECT pg_try_advisory_lock{kind}({_TERMS_KEYS})").fetchone()[0]
    return taken


def _free_terms(session: Session, *, shared: bool) -> None:
    kind = "_shared" if shared else ""
    session.execute(f"SELECT pg_advisory_unlock{kind}({_TERMS_KEYS})").fetchone()


def _try_slot(session: Session, number: int) -> bool:
    sql = f"SELECT pg_try_advisory_lock({SLOT_LOCK}, {_SLOT_KEY})"
    taken: bool = session.execute(sql, (number,)).fetchone()[0]
    return taken


def _end_silent_holders(session: Session, count: int, seconds: float) -> bool:
    """Have the server end the sessions that hold slots and were silent for so long.

    A session that the server works for is not silent: its commit may wait for a replica. Returns
    whether there was one to end. Its slot is free a moment later.
    """
    sql = (
        f"SELECT pg_terminate_backend(pid) {SLOT_SESSION} AND state <> 'active'"
        " AND state_change < clock_timestamp() - ?3::int8 * INTERVAL '1 millisecond'"
    )
    silence = round(1000 * seconds)
    ended = False
    for number in range(count):
        if session.execute(sql, (SLOT_LOCK, number, silence)).fetchone() is not None:
            ended = True
    return ended


def _slot_holder(session: Session, number: int) -> str | None:
    """Return the name of the session that holds a slot; None if it has just ended."""
    sql = f"SELECT application_name {SLOT_SESSION}"
    row = session.execute(sql, (SLOT_LOCK, number)).fetchone()
    return None if row is None else row[0]
