"""Rows of notices and of users' wishes about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

from bot.storage.connection import Connection
from bot.storage.journal import Journal
from bot.storage.journal_writer import placeholders
from bot.storage.row_records import NewNotice, NoticeKind, NoticeRow
from bot.storage.share import shard_key, share_values

_COLUMNS: Final = (
    "id, key, user_id, table_id, place, kind, body, at, loud, sent_at, message, attempts, error"
)
#: Condition on a notice: its user is of a share. Its values are `share_values`.
_OF_SHARE: Final = "notice.shard_key % ? = ?"

#: SQL with its values.
_Unit = tuple[str, tuple[object, ...]]


class NoticeStore(Protocol):
    """Notices and wishes, which belong to users and not to tables.

    Lists of due notices are those of the users of the store's share.
    """

    async def preferences(self, users: Sequence[str]) -> dict[str, str]:
        """Return the wishes of those of these users who have any, as JSON."""
        ...

    async def save_preference(self, user: str, body: str) -> None:
        """Write the wishes of a user, or replace them."""
        ...

    async def forget_user_notices(self, user: str) -> None:
        """Delete a user's wishes and all notices to the user."""
        ...

    async def plan_notices(self, notices: Sequence[NewNotice]) -> None:
        """Write those of these notices whose key is new, in one transaction."""
        ...

    async def notices_named(self, keys: Sequence[str]) -> dict[str, NoticeRow]:
        """Return those of these notices that exist, by key."""
        ...

    async def notice(self, notice_id: int) -> NoticeRow | None:
        """Return the notice with this id; None if there is none."""
        ...

    async def user_notices(self, user: str) -> tuple[NoticeRow, ...]:
        """Return all notices to a user, oldest first."""
        ...

    async def next_notice(self) -> int | None:
        """Return when the first unsent notice is due; None if there is none."""
        ...

    async def due_notices(self, now: int, limit: int = 100) -> tuple[NoticeRow, ...]:
        """Return unsent notices that are due, oldest first."""
        ...

    async def count_loud_notices(self, user: str, since: int) -> int:
        """Return how many loud notices a user was sent from a time on."""
        ...

    async def count_notices(self, kind: NoticeKind, since: int) -> int:
        """Return how many notices of a kind all users were sent from a time on."""
        ...

    async def address_notice(self, notice_id: int, place: str | None, *, loud: bool) -> None:
        """Note where a notice is about to be sent, and whether it is loud."""
        ...

    async def mark_notice(
        self, notice_id: int, sent_at: int, message: str | None, error: str | None = None
    ) -> None:
        """Note a notice as sent; with *error* as dropped, for that reason."""
        ...

    async def put_off_notice(self, notice_id: int, at: int, error: str) -> None:
        """Note a failed attempt to send a notice, and when it is tried again."""
        ...

    async def drop_old_notices(self, before: int) -> None:
        """Delete the notices that were sent before a time."""
        ...


def read_notice_row(row: tuple[Any, ...]) -> NoticeRow:
    """Return a notice from its columns."""
    notice_id, key, user, table_id, place, kind, body, at, loud, *rest = row
    return NoticeRow(notice_id, key, user, table_id, place, kind, body, at, bool(loud), *rest)


class SqlNotices(Journal):
    """`NoticeStore` in SQL, on either engine."""

    async def preferences(self, users: Sequence[str]) -> dict[str, str]:
        if not users:
            return {}
        marks = placeholders(users)
        sql = f"SELECT user_id, body FROM preference WHERE user_id IN ({marks})"
        return dict(await self._rows(sql, *users))

    async def save_preference(self, user: str, body: str) -> None:
        await self._execute(
            "INSERT INTO preference (user_id, body) VALUES (?, ?)"
            " ON CONFLICT (user_id) DO UPDATE SET body = excluded.body",
            user,
            body,
        )

    async def forget_user_notices(self, user: str) -> None:
        await self._db.write(_forget_user, user)

    async def plan_notices(self, notices: Sequence[NewNotice]) -> None:
        if notices:
            await self._db.write(_insert_notices, tuple(notices))

    async def notices_named(self, keys: Sequence[str]) -> dict[str, NoticeRow]:
        if not keys:
            return {}
        found = await self._notices(f"key IN ({placeholders(keys)})", *keys)
        return {row.key: row for row in found}

    async def notice(self, notice_id: int) -> NoticeRow | None:
        found = await self._notices("id = ?", notice_id)
        return found[0] if found else None

    async def user_notices(self, user: str) -> tuple[NoticeRow, ...]:
        return await self._notices("user_id = ? ORDER BY id", user)

    async def next_notice(self) -> int | None:
        rows = await self._rows(
            f"SELECT at FROM notice WHERE sent_at IS NULL AND {_OF_SHARE} ORDER BY at LIMIT 1",
            *share_values(self._db.share),
        )
        return rows[0][0] if rows else None

    async def due_notices(self, now: int, limit: int = 100) -> tuple[NoticeRow, ...]:
        return await self._notices(
            f"sent_at IS NULL AND at <= ? AND {_OF_SHARE} ORDER BY at LIMIT ?",
            now,
            *share_values(self._db.share),
            limit,
        )

    async def count_loud_notices(self, user: str, since: int) -> int:
        rows = await self._rows(
            "SELECT COUNT(*) FROM notice WHERE user_id = ? AND sent_at >= ? AND loud = 1"
            " AND error IS NULL",
            user,
            since,
        )
        return int(rows[0][0])

    async def count_notices(self, kind: NoticeKind, since: int) -> int:
        rows = await self._rows(
            "SELECT COUNT(*) FROM notice WHERE sent_at IS NOT NULL AND sent_at >= ? AND kind = ?",
            since,
            kind,
        )
        return int(rows[0][0])

    async def address_notice(self, notice_id: int, place: str | None, *, loud: bool) -> None:
        sql = "UPDATE notice SET place = ?, loud = ? WHERE id = ?"
        await self._execute(sql, place, int(loud), notice_id)

    async def mark_notice(
        self, notice_id: int, sent_at: int, message: str | None, error: str | None = None
    ) -> None:
        sql = "UPDATE notice SET sent_at = ?, message = ?, error = ? WHERE id = ?"
        await self._execute(sql, sent_at, message, error, notice_id)

    async def put_off_notice(self, notice_id: int, at: int, error: str) -> None:
        sql = "UPDATE notice SET at = ?, error = ?, attempts = attempts + 1 WHERE id = ?"
        await self._execute(sql, at, error, notice_id)

    async def drop_old_notices(self, before: int) -> None:
        sql = "DELETE FROM notice WHERE sent_at IS NOT NULL AND sent_at < ?"
        await self._execute(sql, before)

    async def _notices(self, condition: str, *args: object) -> tuple[NoticeRow, ...]:
        rows = await self._rows(f"SELECT {_COLUMNS} FROM notice WHERE {condition}", *args)
        return tuple(map(read_notice_row, rows))

    async def _execute(self, sql: str, *args: object) -> None:
        await self._db.write(_execute_units, (sql, args))


def _execute_units(connection: Connection, units: Sequence[_Unit]) -> list[None]:
    for sql, args in units:
        connection.execute(sql, args).close()
    return [None for _ in units]


def _insert_notices(connection: Connection, units: Sequence[Iterable[NewNotice]]) -> list[None]:
    for notices in units:
        for new in notices:
            connection.execute(
                "INSERT INTO notice (key, user_id, shard_key, table_id, kind, body, at, loud,"
                " sent_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                (
                    new.key,
                    new.user,
                    shard_key(new.user),
                    new.table_id,
                    new.kind,
                    new.body,
                    new.at,
                    int(new.loud),
                    new.sent_at,
                ),
            ).close()
    return [None for _ in units]


def _forget_user(connection: Connection, users: Sequence[str]) -> list[None]:
    with connection.overwriting():
        for user in users:
            for name in ("notice", "preference"):
                sql = f"DELETE FROM {name} WHERE user_id = ?"
                connection.execute(sql, (user,)).close()
    return [None for _ in users]
