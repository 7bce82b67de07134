"""Drafts of amendments: what a GM has decided so far, behind the buttons of a preview."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any, Final

from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts
from rules.core.errors import Outdated
from rules.core.record import Record, to_plain
from rules.table.actions import Amend, EntryChange, LateStep
from rules.table.amendments.entry_forms import is_empty_change
from rules.table.check import StepInChoice

#: Kind of these drafts among all.
_KIND: Final = "amend"


class AmendDraft(Record):
    """An amendment that isn't carried out yet."""

    id: str
    #: Number of the entry to amend.
    entry: int
    #: Other values of the entry; empty so far, or for an undo.
    change: EntryChange
    #: Whether the entry is undone alone.
    undo: bool = False
    #: Later entries that get other values too, by their numbers.
    also: tuple[EntryChange, ...] = ()
    #: Numbers of later entries that the GM leaves out.
    left_out: tuple[int, ...] = ()
    #: A late choice that the GM lets in at the entry.
    late: LateStep | None = None
    #: Place in which the amendment is told, if not where the GM is.
    place: str = ""
    #: Digest of what was previewed.
    preview: str = ""
    #: Page of decisions that is shown.
    page: int = 0
    #: The GM's reason.
    reason: str = ""

    def action(self, ctx: Context) -> Amend:
        """Return the amendment that this draft stands for."""
        return Amend(
            **ctx.origin,
            entry=self.entry,
            undo=self.undo,
            option=self.change.option,
            values=self.change.values,
            without=self.change.without,
            also=self.also,
            left_out=self.left_out,
            late=self.late,
            preview=self.preview,
            reason=self.reason,
        )

    def with_change(self, change: EntryChange) -> AmendDraft:
        """Return this draft with other values of its entry, or of a later one."""
        if change.entry == self.entry:
            return self.replace(change=change)
        others = [other for other in self.also if other.entry != change.entry]
        if not is_empty_change(change):
            others.append(change)
        return self.replace(also=tuple(sorted(others, key=lambda other: other.entry)))

    def with_toggled(self, number: int) -> AmendDraft:
        """Return this draft with a later entry left out, or kept after all."""
        return self.replace(left_out=tuple(sorted({*self.left_out} ^ {number})))


def new_amend_draft(entry: int, *, undo: bool = False, reason: str = "") -> AmendDraft:
    """Return a draft for an entry, not saved yet."""
    id = secrets.token_urlsafe(6)
    return AmendDraft(id, entry, EntryChange(entry), undo=undo, reason=reason)


class AmendDrafts:
    """Drafts of amendments in the database."""

    def __init__(self, drafts: Drafts) -> None:
        self._drafts = drafts

    async def load(self, ctx: Context, draft_id: str) -> AmendDraft:
        """Return a draft of the context's user and table.

        Raises Outdated("panel-gone"), NotPermitted("not-your-panel").
        """
        draft = await self._drafts.load(draft_id, _KIND, ctx.interaction.user.id)
        if draft.table_id != ctx.table.id:
            raise Outdated("panel-gone")
        return _read_draft(draft)

    async def save(self, ctx: Context, draft: AmendDraft) -> None:
        """Keep a draft for its buttons."""
        await self._drafts.save(_stored_draft(ctx, draft))

    async def drop(self, ctx: Context, draft: AmendDraft) -> None:
        """Delete a draft that was carried out or left."""
        await self._drafts.drop(_stored_draft(ctx, draft))


def _stored_draft(ctx: Context, draft: AmendDraft) -> Draft:
    values: dict[str, Any] = {
        "entry": draft.entry,
        "change": _plain_change(draft.change),
        "undo": draft.undo,
        "also": [_plain_change(change) for change in draft.also],
        "left_out": list(draft.left_out),
        "late": None if draft.late is None else to_plain(draft.late),
        "place": draft.place,
        "preview": draft.preview,
        "page": draft.page,
        "reason": draft.reason,
    }
    return Draft(draft.id, _KIND, ctx.table.id, str(ctx.interaction.user.id), values)


def _read_draft(draft: Draft) -> AmendDraft:
    """Return a draft as it was stored; one from before an update has no reason and no place."""
    values: Mapping[str, Any] = draft.values
    return AmendDraft(
        draft.id,
        values["entry"],
        _read_change(values["change"]),
        undo=values["undo"],
        also=tuple(_read_change(kept) for kept in values["also"]),
        left_out=tuple(values["left_out"]),
        late=_read_late(values.get("late")),
        place=values.get("place", ""),
        preview=values["preview"],
        page=values.get("page", 0),
        reason=values.get("reason", ""),
    )


def _plain_change(change: EntryChange) -> dict[str, Any]:
    return {**to_plain(change), "values": dict(change.values)}


def _read_change(kept: Mapping[str, Any]) -> EntryChange:
    """Return a change from its draft, in which lists stand for tuples."""
    values = {key: _with_tuples(value) for key, value in kept["values"].items()}
    return EntryChange(kept["entry"], kept["option"], values, tuple(kept["without"]))


def _read_late(kept: Mapping[str, Any] | None) -> LateStep | None:
    """Return a late choice from its draft."""
    if kept is None:
        return None
    earlier = tuple(StepInChoice(**choice) for choice in kept["earlier"])
    return LateStep(**{**kept, "earlier": earlier})


def _with_tuples(value: Any) -> Any:
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value
