"""Amendments: the preview of a changed entry, and the buttons under it."""

from __future__ import annotations

from typing import Any, Final

from bot.presenters.amendments import (
    CheckVerdict,
    PreviewedAmendment,
    answer_card,
    preview_card,
)
from bot.presenters.catalog_cards import card
from bot.presenters.log import verdict_summary
from bot.services.amend_requests import answer_in, past_entry, preview
from bot.services.amendment import Amendment
from bot.services.past_entries import PastEntry
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts, new_draft
from bot.ui.router import Press, Router
from rules.core.errors import NotPermitted, Outdated
from rules.core.name_matching import split_words
from rules.registry import read_only_game
from rules.table.actions import Amend
from rules.table.amendments import RedoneEntry, require_amender, told_events
from rules.table.checks.audience_views import view_for_actor
from rules.table.events import Amended
from rules.table.readable_places import EVERYWHERE
from rules.table.state import TableState

_KIND: Final = "amend"


class AmendPanel:
    """Handler of amendments and their buttons, for GMs.

    `sg:amu:<table>:<entry>` previews the undo of one entry alone. Under a preview,
    `sg:amy:<table>:<draft>` carries it out, `sg:aml:…` drops it, and `sg:amo:…:<entry>` leaves a
    later entry out, or keeps it after all.
    """

    def __init__(self, drafts: Drafts, router: Router) -> None:
        self._drafts = drafts
        router.add_table_route("amu", self.undo, update=True, gms=True)
        router.add_table_route("amy", self.carry_out, update=True, gms=True)
        router.add_table_route("aml", self.leave, update=True, gms=True)
        router.add_table_route("amo", self.toggle, update=True, gms=True)

    async def begin(self, ctx: Context, number: int, words: str | None) -> None:
        """Preview a GM's answer with the values that *words* say, or the undo of an entry alone.

        Without words, an answer is shown with what can be changed about it. Raises
        NotPermitted("amend-not-an-answer"), and as the answer's form and `preview` do.
        """
        require_amender(ctx.table.state, Amend(**ctx.origin, entry=number))
        entry = await past_entry(ctx.interactions.tables, ctx.table, ctx.actor, number)
        answer = answer_in(entry)
        if answer is None or answer.option.form is None:
            if words:
                raise NotPermitted("amend-not-an-answer", entry=number)
            await self._preview(ctx, await self._new_draft(ctx, number, undo=True))
            return
        if not words:
            shown = "; ".join(answer.words)
            await ctx.show(answer_card(ctx.table.id, _as_it_was(entry), shown, ctx.scene.names))
            return
        values = answer.option.form.read_words(split_words(words), answer.context)
        draft = await self._new_draft(ctx, number, undo=False, values=values)
        await self._preview(ctx, draft)

    async def undo(self, ctx: Context, press: Press) -> None:
        """Preview the undo of one entry alone."""
        await self._preview(ctx, await self._new_draft(ctx, press.number(1), undo=True))

    async def toggle(self, ctx: Context, press: Press) -> None:
        """Leave a later entry out, or keep it after all, and preview that."""
        draft = await self._load(ctx, press)
        number, left_out = press.number(2), set(draft.values["left_out"])
        draft.values["left_out"] = sorted(left_out ^ {number})
        await self._preview(ctx, draft)

    async def leave(self, ctx: Context, press: Press) -> None:
        """Drop an amendment."""
        await self._drafts.drop(await self._load(ctx, press))
        await ctx.show(card("gm", "amend-left", None))

    async def carry_out(self, ctx: Context, press: Press) -> None:
        """Carry out what was previewed; if something has happened since, preview it anew."""
        draft = await self._load(ctx, press)
        action = _action(ctx, draft)
        try:
            await ctx.perform(action)
        except Outdated as error:
            if error.code != "amend-changed":
                raise
            await self._preview(ctx, draft)
            return
        await self._drafts.drop(draft)

    async def _new_draft(
        self, ctx: Context, number: int, *, undo: bool, values: dict[str, Any] | None = None
    ) -> Draft:
        known = {"entry": number, "undo": undo, "values": values or {}, "left_out": []}
        return new_draft(_KIND, ctx.table.id, ctx.interaction.user.id, {**known, "preview": ""})

    async def _load(self, ctx: Context, press: Press) -> Draft:
        draft = await self._drafts.load(press.text(1), _KIND, ctx.interaction.user.id)
        if draft.table_id != ctx.table.id:
            raise Outdated("panel-gone")
        return draft

    async def _preview(self, ctx: Context, draft: Draft) -> None:
        """Show what an amendment would change, and keep what was shown in the draft."""
        action, table = _action(ctx, draft), ctx.table
        entry, amendment = await preview(ctx.interactions.tables, table, action)
        draft.values["preview"] = amendment.digest(action)
        await self._drafts.save(draft)
        told = told_events(table.state, action, amendment.entries, rolled=amendment.rolled)
        public: set[int] = set()
        for event in told:
            if isinstance(event, Amended) and event.audience.everyone:
                public.update(entry.seq for entry in event.entries)
        shown = PreviewedAmendment(
            draft.id,
            action.entry,
            action.undo,
            _new_words(entry, action),
            amendment.entries,
            _verdicts(ctx, table.state, amendment),
            sorted(public),
        )
        await ctx.show(preview_card(table.id, shown, ctx.scene.names))


def _action(ctx: Context, draft: Draft) -> Amend:
    values = draft.values
    return Amend(
        **ctx.origin,
        entry=values["entry"],
        undo=values["undo"],
        values=values["values"],
        left_out=tuple(values["left_out"]),
        preview=values["preview"],
    )


def _as_it_was(entry: PastEntry) -> RedoneEntry:
    kind, who = type(entry.action).__name__, entry.action.who.id
    return RedoneEntry(entry.seq, entry.at, kind, who, entry.place, "same", entry.events)


def _new_words(entry: PastEntry, action: Amend) -> str:
    """Return the new answer as it is typed; empty for an undo."""
    answer = None if action.undo else answer_in(entry)
    if answer is None or answer.option.form is None:
        return ""
    values = {**answer.action.values, **action.values}
    return "; ".join(answer.option.form.write_words(values))


def _verdicts(ctx: Context, state: TableState, amendment: Amendment) -> tuple[CheckVerdict, ...]:
    """Return the checks whose results would differ, as the GM reads them."""
    if amendment.state is None:
        return ()
    verdicts: list[CheckVerdict] = []
    for key, check in amendment.state.checks.items():
        present = state.checks.get(key)
        if present == check or present is None:
            continue
        now = read_only_game(amendment.state, ctx.actor, ctx.reader.at, EVERYWHERE)
        text = verdict_summary(view_for_actor(now, check).blocks)
        before = read_only_game(state, ctx.actor, ctx.reader.at, EVERYWHERE)
        was = verdict_summary(view_for_actor(before, present).blocks)
        if text != was:
            verdicts.append(CheckVerdict(key, was, text))
    return tuple(verdicts)
