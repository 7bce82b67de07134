"""A server that lost what was saved to it, while a process lives on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from bot.storage.errors import DuplicateRequest, StorageUnavailable
from bot.storage.high_water_mark import RESTORED_KEY
from bot.storage.server_history import TIMELINE_KEY, SavedEntries, current_timeline
from bot.storage.server_session import Session, is_lasting
from bot.storage.store import SqlStore
from tests.storage.postgres_server import schema_for, shared_server
from tests.storage.stores import new_entry, new_out, new_table

#: Seconds in which a process notices.
PATIENCE = 10


class Bot:
    """A store as the bot has it, on a schema of its own, with what happens behind its back."""

    def __init__(self, schema: str) -> None:
        self.schema = schema
        self.table_id = 0
        self.revision = 1
        self.told = list[str]()

    async def open(self) -> None:
        self.store = await SqlStore.open(shared_server().address(self.schema), processes=1)
        self.store.database.on_older(lambda: self.told.append("older"))

    async def create(self) -> None:
        (entry,) = await self.store.create_table(new_table(), new_entry("open"))
        self.table_id = entry.table_id

    async def append(self, request: str) -> int:
        entry = new_entry(request, outs=(new_out(),))
        written = await self.store.append(self.table_id, self.revision, entry)
        self.revision += 1
        return written.journal_id

    def execute(self, *statements: str) -> None:
        """Carry statements out behind the bot's back."""
        with psycopg.connect(shared_server().address(self.schema).dsn, autocommit=True) as other:
            for sql in statements:
                other.execute(sql.encode())

    def cut(self) -> None:
        """Terminate the sessions of this schema's bot."""
        self.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name LIKE 'storyguide%'"
        )

    def lose(self, *journal_ids: int) -> None:
        """Delete entries as a replica lacks them."""
        ids = ", ".join(map(str, journal_ids))
        self.execute(
            f"DELETE FROM outbox WHERE journal_id IN ({ids})",
            f"DELETE FROM before_part WHERE journal_id IN ({ids})",
            f"DELETE FROM journal WHERE id IN ({ids})",
        )

    async def is_told(self) -> bool:
        """Return whether the bot is told that its database is older, within some seconds."""
        for _ in range(int(PATIENCE / 0.02)):
            if self.told:
                return True
            await asyncio.sleep(0.02)
        return False

    async def restored(self) -> bool:
        """Return whether another process finds the note of a restore."""
        store = await SqlStore.open(shared_server().address(self.schema), reading=True)
        try:
            return await store.note(RESTORED_KEY) is not None
        finally:
            await store.close()


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Bot]:
    """A bot with one table."""
    bot = Bot(schema_for(tmp_path))
    shared_server().create_schema(bot.schema)
    await bot.open()
    await bot.create()
    yield bot
    await bot.store.close()
    shared_server().drop_schema(bot.schema)


async def test_a_break_without_a_loss_is_none(bot: Bot) -> None:
    await bot.append("first")
    bot.cut()
    assert await bot.append("second")
    bot.cut()
    assert await bot.store.next_due() is None
    assert not bot.told and not await bot.restored()


async def test_an_entry_that_is_gone_ends_the_process(bot: Bot) -> None:
    await bot.append("first")
    last = await bot.append("second")
    bot.cut()
    bot.lose(last)
    with pytest.raises(StorageUnavailable):
        await bot.append("third")
    assert await bot.is_told()
    assert await bot.restored()
    # Nothing is read or saved after that, with the connection back.
    for call in (bot.append("third"), bot.store.next_due()):
        with pytest.raises(StorageUnavailable):
            await call
    assert bot.told == ["older"]


async def test_a_reader_notices_it_too(bot: Bot) -> None:
    last = await bot.append("first")
    bot.cut()
    bot.lose(last)
    with pytest.raises(StorageUnavailable):
        await bot.store.next_due()
    assert await bot.is_told()
    assert await bot.restored()


async def test_a_look_that_fails_is_made_again(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    last = await bot.append("first")
    look, failures = SavedEntries.are_lost, [psycopg.errors.QueryCanceled()]

    def fail_once(saved: SavedEntries, connection: Any) -> bool:
        if failures:
            raise failures.pop()
        return look(saved, connection)

    monkeypatch.setattr(SavedEntries, "are_lost", fail_once)
    bot.cut()
    bot.lose(last)
    for request in ("second", "third"):
        with pytest.raises(StorageUnavailable):
            await bot.append(request)
    assert await bot.is_told()


async def test_what_was_there_at_the_start_counts(bot: Bot) -> None:
    last = await bot.append("first")
    await bot.store.close()
    await bot.open()
    bot.cut()
    bot.lose(last)
    with pytest.raises(StorageUnavailable):
        await bot.store.next_due()
    assert await bot.is_told()


async def test_a_number_that_was_given_anew_is_no_proof(bot: Bot) -> None:
    last = await bot.append("first")
    bot.cut()
    bot.execute(f"UPDATE journal SET request_id = 'of another process' WHERE id = {last}")
    with pytest.raises(StorageUnavailable):
        await bot.store.next_due()
    assert await bot.is_told()


async def test_later_entries_of_other_processes_are_no_proof(bot: Bot) -> None:
    last = await bot.append("first")
    bot.cut()
    bot.execute("ALTER TABLE journal ALTER id RESTART WITH 900")
    bot.execute(
        "INSERT INTO journal (table_id, seq, request_id, at, actor, kind, action, events,"
        f" rules_version, draws, revealed, place) VALUES ({bot.table_id}, 99, 'other', 1, 'p1',"
        " 'X', '{}', '[]', 1, 0, 0, '200')"
    )
    bot.lose(last)
    with pytest.raises(StorageUnavailable):
        await bot.store.next_due()
    assert await bot.is_told()


async def test_entries_of_other_processes_count(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bot.storage.server_database.WATCH_INTERVAL", 0.05)
    await bot.store.close()
    await bot.open()
    last = await bot.append("first") + 1
    bot.execute(
        "INSERT INTO journal (table_id, seq, request_id, at, actor, kind, action, events,"
        f" rules_version, draws, revealed, place) VALUES ({bot.table_id}, 99, 'other', 1, 'p1',"
        " 'X', '{}', '[]', 1, 0, 0, '200')"
    )
    saved = bot.store.database._saved  # pyright: ignore[reportAttributeAccessIssue]
    for _ in range(200):
        if saved._last == (last, "other"):
            break
        await asyncio.sleep(0.02)
    bot.cut()
    bot.lose(last)
    assert await bot.is_told()


async def test_a_check_that_fails_is_made_again_in_the_next_session(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = await bot.append("first")
    check, fails = SavedEntries.are_lost, 2

    def fail_first(self: SavedEntries, connection: Session) -> bool:
        nonlocal fails
        if fails:
            fails -= 1
            raise psycopg.errors.QueryCanceled("statement timeout")
        return check(self, connection)

    monkeypatch.setattr(SavedEntries, "are_lost", fail_first)
    monkeypatch.setattr("bot.storage.server_database.WATCH_INTERVAL", 0.05)
    await bot.store.close()
    await bot.open()
    bot.cut()
    bot.lose(last)
    # The watch goes on after a failure, and asks again.
    assert await bot.is_told()
    assert not fails


async def test_only_a_write_that_was_sent_is_in_doubt(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bot.append("first")
    with pytest.raises(DuplicateRequest):
        await bot.append("first")

    def fail(self: SavedEntries, connection: Session) -> bool:
        raise psycopg.errors.QueryCanceled("statement timeout")

    monkeypatch.setattr(SavedEntries, "are_lost", fail)
    await bot.store.database._writer.run(Session.close)  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(StorageUnavailable) as refused:
        await bot.append("second")
    assert refused.value.reason != "in-doubt"


@pytest.mark.parametrize(
    ("told", "lasting"),
    [
        ("FATAL:  the database system is starting up", False),
        (
            "FATAL:  the database system is not accepting connections\n"
            "DETAIL:  Hot standby mode is disabled.",
            False,
        ),
        ('FATAL:  password authentication failed for user "storyguide"', True),
        ("connection refused", False),
    ],
)
def test_which_refusals_need_the_operator(told: str, lasting: bool) -> None:
    assert is_lasting(psycopg.OperationalError(told)) is lasting


async def test_what_was_deleted_on_purpose_is_no_loss(bot: Bot) -> None:
    await bot.append("first")
    await bot.store.drop_guild("100")
    bot.cut()
    assert await bot.store.next_due() is None
    await bot.store.set_note("some", "note")
    assert not bot.told


async def test_a_loss_is_noted_as_soon_as_the_server_takes_it(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.storage.server_database.RETRY_DELAY", 0.02)
    last = await bot.append("first")
    opens, fails = Session.open, 3

    def open_late(self: Session) -> None:
        nonlocal fails
        if bot.store.database._is_older and fails:  # pyright: ignore[reportAttributeAccessIssue]
            fails -= 1
            raise psycopg.OperationalError("gone again")
        opens(self)

    monkeypatch.setattr(Session, "open", open_late)
    bot.cut()
    bot.lose(last)
    with pytest.raises(StorageUnavailable):
        await bot.store.next_due()
    assert await bot.is_told()
    assert not fails and await bot.restored()


# --- timelines ------------------------------------------------------------------------------------


async def test_the_timeline_is_noted_at_the_first_start_and_kept(
    bot: Bot, caplog: pytest.LogCaptureFixture
) -> None:
    assert await bot.store.note(TIMELINE_KEY) == "1"
    await bot.store.set_note(TIMELINE_KEY, "7")
    await bot.store.close()
    await bot.open()
    assert await bot.store.note(TIMELINE_KEY) == "7", "the operator says what happened"
    assert "storage.timeline-changed" in caplog.messages


async def test_a_bot_that_finds_all_it_saved_accepts_a_timeline(bot: Bot) -> None:
    await bot.append("first")
    await bot.store.set_note(TIMELINE_KEY, "7")
    bot.cut()
    await bot.append("second")
    assert await bot.store.note(TIMELINE_KEY) == "1"


def test_a_role_without_the_right_is_told_nothing(bot: Bot) -> None:
    address = shared_server().address(bot.schema)

    def run(work: Callable[[Session], object]) -> object:
        session = Session(address)
        session.open()
        try:
            return work(session)
        finally:
            session.close()

    def as_guest(session: Session) -> object:
        session.execute("SET ROLE guest")
        return current_timeline(session)

    shared_server().execute("DROP ROLE IF EXISTS guest; CREATE ROLE guest")
    shared_server().execute("REVOKE EXECUTE ON FUNCTION pg_walfile_name FROM PUBLIC")
    try:
        assert run(as_guest) is None
    finally:
        shared_server().execute("GRANT EXECUTE ON FUNCTION pg_walfile_name TO PUBLIC")
    assert run(as_guest) == 1
    shared_server().execute("DROP ROLE guest")
