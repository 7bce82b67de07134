"""Answers that never reached the person they were for."""

from __future__ import annotations

from collections.abc import Sequence

from bot.storage import codec
from bot.storage.redaction import REDACTED_ACTION
from bot.storage.row_records import OutboxRow
from bot.storage.store import Store
from rules.core.record import Record
from rules.table.actions import Action, StepIn, Undo


class UndeliveredReply(Record):
    """A result whose answer never reached the person it was for; `action` is None where it is
    forgotten.
    """

    out: OutboxRow
    action: Action | None
    request_id: str
    seq: int


class UndeliveredReplies:
    """What could not be said, by table and person, until they come back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: dict[tuple[int, str], list[UndeliveredReply]] = {}

    async def hold(self, out: OutboxRow) -> None:
        """Keep an answer that could not be given until its person comes back."""
        if out.person is None:
            return
        row = await self._store.entry(out.journal_id)
        if row is None or row.undone_by is not None:
            return
        held = self._held.setdefault((out.table_id, out.person), [])
        if all(each.out.id != out.id for each in held):
            action = (
                None if row.action == REDACTED_ACTION else codec.read_action(row.kind, row.action)
            )
            if isinstance(action, Undo):
                action = action.replace(entries=(), kinds=(), deeds=())  # as it was asked for
            elif isinstance(action, StepIn):
                action = action.replace(entry=0, earlier=())
            held.append(UndeliveredReply(out, action, row.request_id, row.seq))

    def replies_for(self, table_id: int, person: str) -> tuple[OutboxRow, ...]:
        """Answers that this person never got to see, oldest first."""
        return tuple(held.out for held in self._held.get((table_id, person), ()))

    def request_of(self, table_id: int, action: Action) -> str | None:
        """The request by which this person did the same already without getting to see what came of
        it.
        """
        for held in self._held.get((table_id, action.who.id), ()):
            first = held.action
            if first is None or type(first) is not type(action):
                continue
            if action.replace(at=first.at, who=first.who) == first:
                return held.request_id
        return None

    def mark_delivered(self, out: OutboxRow) -> None:
        """An answer that was held has reached its person."""
        key = (out.table_id, out.person or "")
        left = [held for held in self._held.get(key, ()) if held.out.id != out.id]
        if left:
            self._held[key] = left
        else:
            self._held.pop(key, None)

    def withdraw(self, table_id: int, undone: Sequence[int]) -> None:
        """What was taken back is not said any more."""
        for key, held in list(self._held.items()):
            if key[0] == table_id:
                for each in [each for each in held if each.seq in undone]:
                    self.mark_delivered(each.out)

    def forget(self, table_id: int, person: str) -> None:
        """Nobody is there any more to be told."""
        self._held.pop((table_id, person), None)
