"""Two processes on one PostgreSQL server: each sends the notices of its own users, and no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from bot.notices import NoticeDispatcher
from bot.services.tables import Tables
from bot.storage.row_records import NewNotice
from bot.storage.store import SqlStore
from tests.storage.postgres_server import schema_for, shared_server

NOW = 1_800_000_000


async def over(store: SqlStore, users: list[str]) -> set[str]:
    """The users whose notices are no longer open."""
    return {
        user for user in users for row in await store.user_notices(user) if row.sent_at is not None
    }


async def test_each_process_handles_the_notices_of_its_users(tmp_path: Path) -> None:
    server, schema = shared_server(), schema_for(tmp_path)
    server.create_schema(schema)
    stores = [await SqlStore.open(server.address(schema), processes=2) for _ in range(2)]
    try:
        users = [str(number << 22) for number in range(8)]
        notices = [NewNotice(user, user, "nudge", NOW - 5) for user in users]
        # Any process may plan for any user.
        await stores[0].plan_notices(notices)
        await stores[1].plan_notices(notices)
        handled: list[set[str]] = []
        for store in stores:
            before = await over(store, users)
            # These notices are about nothing that waits, so none is sent.
            nobody = cast("Any", None)
            dispatcher = NoticeDispatcher(Tables(store), nobody, lambda: NOW)
            await dispatcher.start()
            await dispatcher.close()
            handled.append(await over(store, users) - before)
        assert [len(each) for each in handled] == [4, 4]
        assert not handled[0] & handled[1]
        for store in stores:
            assert await store.next_notice() is None
    finally:
        for store in stores:
            await store.close()
