"""Drafts behind private panels, kept in the database so that a panel survives a restart."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from bot.clock import Clock
from bot.storage.codec import dump, load
from bot.storage.row_records import PanelRow
from bot.storage.store import Store
from rules.core.errors import NotPermitted, Outdated

#: Seconds for which a draft is kept after its last change.
DRAFT_LIFETIME = 30 * 24 * 3600


@dataclass(slots=True)
class Draft:
    """Choices that a user has made so far in a panel."""

    id: str
    kind: str
    table_id: int
    user: str
    values: dict[str, Any]


def new_draft(
    kind: str, table_id: int, user: int, values: dict[str, Any], draft_id: str = ""
) -> Draft:
    """Return a new draft, not saved yet.

    Without `draft_id` it gets a short unguessable id.
    """
    return Draft(draft_id or secrets.token_urlsafe(6), kind, table_id, str(user), values)


class Drafts:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def save(self, draft: Draft) -> None:
        row = PanelRow(
            draft.id, draft.table_id, draft.user, draft.kind, dump(draft.values), self._clock()
        )
        await self._store.save_panel(row)

    async def load(self, draft_id: str, kind: str, user: int) -> Draft:
        """Return a draft by id.

        Raises Outdated("panel-gone") if it no longer exists, NotPermitted("not-your-panel") for
        other users.
        """
        row = await self._store.load_panel(draft_id)
        if row is None or row.kind != kind or row.table_id is None:
            raise Outdated("panel-gone")
        if row.user != str(user):
            raise NotPermitted("not-your-panel")
        return Draft(row.id, row.kind, row.table_id, row.user, load(row.body))

    async def drop(self, draft: Draft) -> None:
        await self._store.drop_panel(draft.id)

    async def drop_old(self) -> None:
        """Delete drafts that were not saved for `DRAFT_LIFETIME` seconds."""
        await self._store.drop_panels(self._clock() - DRAFT_LIFETIME)
