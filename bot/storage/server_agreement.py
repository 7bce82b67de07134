"""Advisory locks by which the processes of one bot agree, beside those of their shares."""

from __future__ import annotations

from typing import Final

from bot.storage.high_water_mark import UPSERT_NOTE
from bot.storage.server_session import AGREED_LOCK, Session

#: Kind of the lock of a bucket whose shard identifies.
_IDENTIFY_LOCK: Final = 5733
#: Kind of the lock under which the processes agree, one after the other.
_AGREEING_LOCK: Final = 5735
_SCHEMA: Final = "hashtext(current_schema())"


def try_identify_lock(session: Session, bucket: int) -> bool:
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
