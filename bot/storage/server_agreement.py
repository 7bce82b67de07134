"""Locks and notes by which the processes of one bot on a server agree, beside those of shares."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import psycopg

from bot.storage.high_water_mark import RESTORED_KEY, UPSERT_NOTE
from bot.storage.location import ServerAddress
from bot.storage.server_history import note_timeline
from bot.storage.server_session import AGREED_LOCK, Session, SessionThread, storage_error

#: Kind of the lock of a bucket whose shard identifies.
_IDENTIFY_LOCK: Final = 5733
#: Kind of the lock under which the processes agree, one after the other.
_AGREEING_LOCK: Final = 5735
_SCHEMA: Final = "hashtext(current_schema())"
#: Seconds between two looks whether it is a shard's turn to identify.
TURN_DELAY: Final = 0.2
#: Seconds that the session of such a turn has to end.
CLOSING: Final = 10.0


@asynccontextmanager
async def hold_identify_turn(address: ServerAddress, bucket: int) -> AsyncIterator[None]:
    """Wait for a bucket's turn to identify, and hold it. Raises StorageUnavailable."""
    thread = SessionThread(Session(address, on_primary=True))
    try:
        try:
            await thread.run(Session.open)
            while True:
                if await thread.run(lambda session: _try_identify_lock(session, bucket)):
                    break
                await asyncio.sleep(TURN_DELAY)
        except psycopg.Error as error:
            raise storage_error(error) from error
        yield
    finally:
        await thread.end(CLOSING)  # The lock ends with the session.


def _try_identify_lock(session: Session, bucket: int) -> bool:
    """Take the lock of a bucket's turn to identify, if it is free. It ends with the session."""
    sql = "SELECT pg_try_advisory_lock(?1::int4, hashtext(current_schema() || ?2::text))"
    return bool(session.execute(sql, (_IDENTIFY_LOCK, bucket)).fetchone()[0])


def agree_on_note(session: Session, key: str, proposal: str) -> str:
    """Return the note of the processes that agreed and run, or note the proposal and return it.

    From now on this process is one of them, as long as its session is there. Raises psycopg.Error.
    """
    session.execute("BEGIN IMMEDIATE")
    try:
        session.execute(f"SELECT pg_advisory_xact_lock({_AGREEING_LOCK}, {_SCHEMA})")
        lock = f"({AGREED_LOCK}, {_SCHEMA})"
        alone = session.execute(f"SELECT pg_try_advisory_lock{lock}").fetchone()[0]
        if alone:
            session.execute(UPSERT_NOTE, (key, proposal))
            session.execute(f"SELECT pg_advisory_unlock{lock}")
        (noted,) = session.execute("SELECT value FROM note WHERE key = ?", (key,)).fetchone()
        session.hold_agreed_lock()
        session.execute("COMMIT")
    except BaseException:
        if session.in_transaction and not session.is_broken:
            session.execute("ROLLBACK")
        raise
    return str(noted)


def note_restored(address: ServerAddress) -> None:
    """Note that the server holds an older state, in a session without a share.

    Another process may have the share of the one that noticed it. Raises psycopg.Error.
    """
    session = Session(address, on_primary=True)
    session.open()
    try:
        session.execute(UPSERT_NOTE, (RESTORED_KEY, ""))
        note_timeline(session)
    finally:
        session.close()
