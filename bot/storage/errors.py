"""Errors of storage, each with a reason that tells the operator what to do."""

from __future__ import annotations

from typing import Literal

#: `lost`: the path no longer leads to the open file, or to its log. `unreachable`: a server does
#: not answer. `in-doubt`: it stopped answering in the middle of a commit.
Reason = Literal[
    "full", "read-only", "locked", "damaged", "lost", "unreachable", "in-doubt", "unknown"
]


class StorageUnavailable(Exception):
    """Failure to read or write the database. `reason` names the cause.

    Nothing has changed, with two exceptions. After the loss of its file, a change may be committed
    to the lost file; the rescued copy then contains the change. With `in-doubt`, a server may have
    committed the change.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: Reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[StorageUnavailable], tuple[Reason, str]]:
        return type(self), (self.reason, self.detail)


class ServerTooOld(Exception):
    """A server whose version is older than the store's statements need."""

    def __init__(self, found: int, needed: int) -> None:
        super().__init__(f"PostgreSQL {found}; {needed} or newer is needed")
        self.found = found
        self.needed = needed

    def __reduce__(self) -> tuple[type[ServerTooOld], tuple[int, int]]:
        return type(self), (self.found, self.needed)


class StaleTable(Exception):
    """A table that has changed since it was read."""


class DuplicateRequest(Exception):
    """A request whose id is in the journal already."""


class TableUnreadable(Exception):
    """A table with a part that is damaged or of a later release. It is never overwritten."""

    def __init__(self, table_id: int, part: str, reason: Literal["damaged", "newer"]) -> None:
        super().__init__(f"table {table_id}: part {part!r} is {reason}")
        self.table_id = table_id
        self.part = part
        self.reason: Literal["damaged", "newer"] = reason
