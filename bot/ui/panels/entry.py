"""What stands under entries of the journal: private ones shown, and others taken back with what builds on them."""

from __future__ import annotations

from bot.services.history import events_of
from bot.services.outgoing import visible
from bot.ui.context import Context
from bot.ui.interactions import Interactions
from bot.ui.router import Press, Router
from rules.core.errors import NotPermitted, Outdated
from rules.table.actions import Undo


class EntryPanel:
    """`sg:show:<row>` under a public stub, `sg:undo:<table>:<entry>` under a question."""

    def __init__(self, interactions: Interactions, router: Router) -> None:
        self._interactions = interactions
        router.add("show", self.show)
        router.at_table("undo", self.undo, update=True)

    async def show(self, press: Press) -> None:
        """What stands behind a public stub, for those entitled to it."""
        async with self._interactions.answering(press.interaction) as response:
            out = await self._interactions.tables.store.out(press.number(0))
            if out is None:
                raise Outdated("unknown-control")
            ctx = await self._interactions.context(response, out.table_id)
            found = await events_of(self._interactions.tables, out)
            told = [] if found is None else [found[1][index] for index in out.events]
            if found is None or not told:
                raise Outdated("unknown-control")
            if not all(visible(event, ctx.table.state, ctx.actor) for event in told):
                raise NotPermitted("not-for-you")
            await ctx.show(*self._interactions.presenter.cards(told, ctx.scene, found[0].seq))

    async def undo(self, ctx: Context, press: Press) -> None:
        """The confirmation that takes an entry back together with what depends on it."""
        await ctx.perform(Undo(**ctx.by, entry=press.number(1), all_dependents=True))
