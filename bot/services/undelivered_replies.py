"""Answers that were not delivered to their participant."""

from __future__ import annotations

from collections.abc import Sequence

from bot.storage import codec
from bot.storage.redaction import REDACTED_ACTION
from bot.storage.row_records import OutboxRow
from bot.storage.store import Store
from rules.core.record import Record
from rules.table.actions import Action, StepIn, Undo


class UndeliveredReply(Record):
    """Result whose answer was not delivered."""

    out: OutboxRow
    #: None if the action's text is deleted.
    action: Action | None
    request_id: str
    seq: int


class UndeliveredReplies:
    """Undelivered answers by table and participant, held until the participant comes back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: dict[tuple[int, str], list[UndeliveredReply]] = {}

    async def hold(self, out: OutboxRow) -> None:
        """Hold an answer that could not be delivered.

        An answer to an undone entry is dropped.
        """
        if out.person is None:
            return
        row = await self._store.entry(out.journal_id)
        if row is None or row.undone_by is not None:
            return
        held = self._held.setdefault((out.table_id, out.person), [])
        if all(reply.out.id != out.id for reply in held):
            action = (
                None if row.action == REDACTED_ACTION else codec.read_action(row.kind, row.action)
            )
            if isinstance(action, Undo):
                action = action.replace(entries=(), kinds=(), deeds=())  # as it was asked for
            elif isinstance(action, StepIn):
                action = action.replace(entry=0, earlier=())
            held.append(UndeliveredReply(out, action, row.request_id, row.seq))

    def replies_for(self, table_id: int, person: str) -> tuple[OutboxRow, ...]:
        """Return the answers that a participant has not received, oldest first."""
        return tuple(reply.out for reply in self._held.get((table_id, person), ()))

    def request_of(self, table_id: int, action: Action) -> str | None:
        """Return the id of the participant's earlier request for the same action.

        Only requests whose answer was not delivered count. None if there is none.
        """
        for reply in self._held.get((table_id, action.who.id), ()):
            first = reply.action
            if first is None or type(first) is not type(action):
                continue
            if action.replace(at=first.at, who=first.who) == first:
                return reply.request_id
        return None

    def mark_delivered(self, out: OutboxRow) -> None:
        """Drop a held answer after its delivery."""
        key = (out.table_id, out.person or "")
        left = [reply for reply in self._held.get(key, ()) if reply.out.id != out.id]
        if left:
            self._held[key] = left
        else:
            self._held.pop(key, None)

    def withdraw(self, table_id: int, undone: Sequence[int]) -> None:
        """Drop the answers to undone entries."""
        for key, held in list(self._held.items()):
            if key[0] == table_id:
                for reply in [reply for reply in held if reply.seq in undone]:
                    self.mark_delivered(reply.out)

    def forget(self, table_id: int, person: str) -> None:
        """Drop the answers of a participant who is forgotten."""
        self._held.pop((table_id, person), None)
