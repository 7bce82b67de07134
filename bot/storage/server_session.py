"""A session with a PostgreSQL server: the store's connection, on a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from queue import SimpleQueue
from typing import Any, Final, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8Dumper

from bot.storage.errors import Reason, StorageUnavailable
from bot.storage.location import ServerAddress
from bot.storage.server_health import Pool, pooling

log = logging.getLogger("storyguide.storage")
T = TypeVar("T")

#: Text for an address that the driver refuses.
UNREADABLE_ADDRESS: Final = (
    "the address can't be read; in a password, write signs other than letters and digits as %20, "
    "%40 and so on"
)
#: Pause between two tries to connect, in seconds.
RECONNECT_PAUSE: Final = 0.1
#: Kind of the lock that each process shares which agreed with the others.
AGREED_LOCK: Final = 5734
_PLACEHOLDER: Final = re.compile(r"\?(\d*)")
#: Statements that begin (True) or end a transaction.
_TRANSACTION: Final = {"BEGIN IMMEDIATE": True, "COMMIT": False, "ROLLBACK": False}
#: Pieces of the driver's text on a connection that failed: what the operator is told, and whether
#: it takes an operator to end it. The driver's own text may quote a part of the password.
_TROUBLES: Final = (
    ("no password supplied", "it asks for a password, and none is set", True),
    ("root certificate file", "the certificate of its authority (sslrootcert) isn't there", True),
    ("certificate verify failed", "its certificate isn't trusted", True),
    ("does not match host name", "its certificate is for another host name", True),
    ("does not support SSL", "it doesn't offer TLS", True),
    ("session is read-only", "it's a replica and takes no writes", False),
    ("ould not translate host", "its name isn't found", False),
    ("failed to resolve host", "its name isn't found", False),
    ("refused", "nothing answers at its port", False),
    ("No such file", "nothing answers at its socket", False),
    ("timeout", "it doesn't answer", False),
)
#: Refusals of a connection that pass by themselves.
_PASSING: Final = (
    "starting up",
    "shutting down",
    "recovery",
    "accepting connections",
    "too many",
    "remaining connection",
)
#: Nothing is held for ever: a hung server or network shows within seconds. The last four have the
#: server end a session that is cut off, and free its locks.
_OPTIONS: Final = " ".join(
    f"-c {name}={value}"
    for name, value in (
        ("statement_timeout", 15000),
        ("idle_in_transaction_session_timeout", 20000),
        ("tcp_keepalives_idle", 5),
        ("tcp_keepalives_interval", 2),
        ("tcp_keepalives_count", 3),
        ("tcp_user_timeout", 6000),
    )
)
_REASONS: Final[dict[str, Reason]] = {
    "08": "unreachable",
    "25": "read-only",
    "40": "locked",
    "53": "full",
    "55": "locked",
    "57": "unreachable",
    "XX": "damaged",
}


class SlotHeld(Exception):
    """A slot that the server still holds for the session before this one."""


class ShareLost(Exception):
    """Another process has this one's share, or another release took the tables over."""


@cache
def translate(sql: str) -> str:
    """Return a statement with `?` and `?1` as PostgreSQL numbers its values."""
    count = 0

    def number(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"${found[1] or count}"

    return "BEGIN" if sql == "BEGIN IMMEDIATE" else _PLACEHOLDER.sub(number, sql)


def storage_error(error: psycopg.Error) -> StorageUnavailable:
    """Return an error of the driver in the store's terms."""
    code = error.sqlstate or ("08" if isinstance(error, psycopg.OperationalError) else "")
    return StorageUnavailable(_REASONS.get(code[:2], "unknown"), str(error).strip())


def connection_error(error: psycopg.Error) -> StorageUnavailable:
    """Return why a server could not be connected to or used, without pieces of its address.

    The driver quotes what it takes for the host, which may be a part of the password.
    """
    if error.diag.message_primary is not None:
        return StorageUnavailable(storage_error(error).reason, error.diag.message_primary)
    if isinstance(error, psycopg.ProgrammingError):
        return StorageUnavailable("unknown", UNREADABLE_ADDRESS)
    text = str(error)
    _, fatal, message = text.partition("FATAL:")
    if fatal:
        reason: Reason = "unknown" if is_lasting(error) else "unreachable"
        return StorageUnavailable(reason, message.strip().splitlines()[0])
    for piece, meaning, lasting in _TROUBLES:
        if piece in text:
            return StorageUnavailable("unknown" if lasting else "unreachable", meaning)
    return StorageUnavailable("unreachable", "it can't be reached")


def is_lasting(error: psycopg.Error) -> bool:
    """Return whether a refused connection needs the operator: a password, a missing database."""
    if not isinstance(error, psycopg.OperationalError):
        return True
    text = str(error)
    if "FATAL" in text:
        return not any(word in text for word in _PASSING)
    return any(lasting and piece in text for piece, _, lasting in _TROUBLES)


class _BigInteger(Int8Dumper):
    """Every number is a bigint, so that a statement is prepared once for all sizes of numbers."""

    def dump(self, obj: int) -> bytes:
        if not -(2**63) <= obj < 2**63:
            raise OverflowError(obj)
        return b"%d" % obj


class Session:
    """A connection to the server, which is opened again after it broke.

    Each time it is opened, it is passed to *on_open*; what that raises closes it again. With
    *on_primary*, a replica counts as a server that is down: its locks exclude no process, and its
    data may be late.
    """

    Error = psycopg.Error
    IntegrityError = psycopg.IntegrityError
    DataError = psycopg.DataError

    def __init__(
        self,
        address: ServerAddress,
        *,
        on_open: Callable[[Session], None] | None = None,
        on_primary: bool = False,
    ) -> None:
        self._address = address
        self._on_open = on_open
        self._on_primary = on_primary
        #: Name at the server, the same each time it is opened.
        self.name = f"storyguide {secrets.token_hex(4)}"
        self._raw: psycopg.Connection[Any] | None = None
        self._within = False
        self._has_agreed = False
        #: Whether the last transaction got as far as its COMMIT.
        self.commit_sent = False

    def open(self) -> None:
        """Connect once. Raises psycopg.Error, and what `on_open` raises."""
        self.close()
        given = conninfo_to_dict(self._address.dsn)
        wanted = given.get("target_session_attrs")
        if self._on_primary and wanted != "read-write":
            wanted = "primary"
        raw = psycopg.connect(
            self._address.dsn,
            autocommit=True,
            cursor_factory=psycopg.RawCursor,
            prepare_threshold=0,
            connect_timeout=3,
            application_name=self.name,
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
            tcp_user_timeout=6000,
            target_session_attrs=wanted,
            options=f"{given.get('options') or ''} {_OPTIONS}",
        )
        raw.prepared_max = 500
        raw.adapters.register_dumper(int, _BigInteger)
        self._raw, self._within, self.commit_sent = raw, False, False
        try:
            if self._on_open is not None:
                self._on_open(self)
            if self._has_agreed:
                self.hold_agreed_lock()
        except BaseException:
            self.close()
            raise

    def hold_agreed_lock(self) -> None:
        """Show others that this process agreed with them, also after the session was reopened."""
        self._has_agreed = True
        lock = f"({AGREED_LOCK}, hashtext(current_schema()))"
        self.execute(f"SELECT pg_advisory_lock_shared{lock}").fetchone()

    def reopen(self, patience: float) -> None:
        """Connect, and try again for so many seconds. Raises as `open`."""
        end = time.monotonic() + patience
        while True:
            try:
                self.open()
            except (psycopg.Error, SlotHeld) as error:
                lasting = isinstance(error, psycopg.Error) and is_lasting(error)
                if lasting or time.monotonic() > end:
                    raise
                time.sleep(RECONNECT_PAUSE)
            else:
                log.info("storage.reconnected")
                return

    @property
    def is_broken(self) -> bool:
        """True if the session has to be opened again."""
        return self._raw is None or self._raw.closed or self._raw.broken

    def backend_pids(self) -> tuple[int, int]:
        """Return the server's process id as it was told when connecting, and the real one.

        A pool of connections in between tells a number of its own. Raises psycopg.Error.
        """
        raw = self._open_connection()
        # Two sessions with one process of the server can't prepare a statement of one name.
        row = raw.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
        assert row is not None
        return raw.info.backend_pid, row[0]

    @property
    def in_transaction(self) -> bool:
        return self._within and not self.is_broken

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        # Noted before it is sent: a COMMIT without an answer may have arrived or not.
        if sql == "COMMIT":
            self.commit_sent = True
        elif sql == "BEGIN IMMEDIATE":
            self.commit_sent = False
        cursor = self._open_connection().execute(translate(sql), parameters or None)  # pyright: ignore[reportArgumentType]
        if sql in _TRANSACTION:  # In a pipeline the server's answer comes later.
            self._within = _TRANSACTION[sql]
        return cursor

    def copy_rows(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Send rows to a `COPY … FROM STDIN`; outside a transaction, all of them or none."""
        with self._open_connection().cursor() as cursor, cursor.copy(sql.encode()) as copy:
            for row in rows:
                copy.write_row(row)

    def insert(self, sql: str, parameters: Sequence[Any], count: int, /) -> list[int]:
        # Other sessions take ids in between.
        inserted = self.execute(f"{sql} RETURNING id", parameters).fetchall()
        return sorted(row_id for (row_id,) in inserted)

    def change(self, sql: str, parameters: Sequence[Any], /) -> int:
        # In a pipeline the driver counts no rows.
        return len(self.execute(f"{sql} RETURNING 1", parameters).fetchall())

    def overwriting(self) -> AbstractContextManager[None]:
        """Do nothing: a server's pages, log and copies keep deleted rows as it is set up."""
        return nullcontext()

    def pipeline(self) -> AbstractContextManager[Any]:
        """Send statements without waiting for the one before, as long as no row is fetched."""
        return self._open_connection().pipeline()

    def close(self) -> None:
        if self._raw is not None:
            self._raw.close()
        self._raw, self._within = None, False

    def _open_connection(self) -> psycopg.Connection[Any]:
        if self._raw is None:
            raise psycopg.OperationalError("not connected")
        return self._raw


def find_pool(address: ServerAddress) -> Pool:
    """Return what stands between a bot's sessions and the server. Raises psycopg.Error."""
    sessions = [Session(address), Session(address)]
    try:
        for session in sessions:
            session.open()
        return pooling([session.backend_pids() for _ in range(3) for session in sessions])
    finally:
        for session in sessions:
            session.close()


class SessionThread:
    """A session on a thread of its own; calls are carried out in their order."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="postgresql", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
        self.session.close()

    def put(self, call: Callable[[], None]) -> None:
        """Have this called; it must not raise."""
        self._calls.put(call)

    def run(
        self, work: Callable[[Session], T], future: asyncio.Future[T] | None = None
    ) -> asyncio.Future[T]:
        """Run `work` on the thread; the future gets what it returns or raises."""
        loop = asyncio.get_running_loop()
        outcome: asyncio.Future[T] = loop.create_future() if future is None else future

        def call() -> None:
            try:
                result = work(self.session)
            except BaseException as error:
                _call_soon(loop, _settle, outcome, None, error)
            else:
                _call_soon(loop, _settle, outcome, result, None)

        self.put(call)
        return outcome

    async def end(self, seconds: float) -> None:
        """Let the thread finish what it was given, and wait for it for so many seconds."""
        self._calls.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join, seconds)


def _call_soon(loop: asyncio.AbstractEventLoop, *call: Any) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(*call)


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
