"""Amendments in tests: previewed, then carried out as they were previewed."""

from __future__ import annotations

from typing import Any

from bot.services.amend_requests import preview
from bot.services.amendment import Amendment
from bot.services.perform import ActionResult
from rules.table.actions import Actor, Amend
from tests.sample_table import GM, NOON, Session, by


async def previewed(
    session: Session, entry: int, who: Actor = GM, *, at: int = NOON, **changes: Any
) -> tuple[Amend, Amendment]:
    """An amendment as a GM confirms it, and what was previewed."""
    action = Amend(**by(who, at=at), entry=entry, **changes)
    table = await session.tables.get(session.table_id)
    _, amendment = await preview(session.tables, table, action)
    return action.replace(preview=amendment.digest(action)), amendment


async def amend(
    session: Session, entry: int, who: Actor = GM, *, at: int = NOON, **changes: Any
) -> ActionResult:
    """An entry is amended."""
    action, _ = await previewed(session, entry, who, at=at, **changes)
    return await session.do(action)
