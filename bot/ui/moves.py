"""The answer to `/moves` at a table."""

from __future__ import annotations

from bot.presenters.pending_matters import todo_card
from bot.ui.context import Context
from bot.ui.interactions import Interactions
from bot.ui.other_tables import todos_at_other_tables, todos_at_table
from bot.ui.router import Press, Router


class MovesPanel:
    """Handler of `sg:moves:<table>`, the button that shows what `/moves` does."""

    def __init__(self, interactions: Interactions, router: Router) -> None:
        self._interactions = interactions
        router.add_table_route("moves", self._press)

    async def _press(self, ctx: Context, press: Press) -> None:
        await show_moves(self._interactions, ctx)


async def show_moves(interactions: Interactions, ctx: Context) -> None:
    """Show what the user can do now, here and at the user's other tables."""
    here = await todos_at_table(interactions.tables, ctx.reader, ctx.place)
    elsewhere = await todos_at_other_tables(interactions, ctx.interaction, ctx.table)
    card = todo_card(
        here.yours,
        elsewhere,
        gm=ctx.gm,
        onward=ctx.onward_button,
        offers=here.offers,
        step_ins=here.step_ins,
    )
    await ctx.show(card)
    await interactions.outbox.show_missed(ctx.response, ctx.table, ctx.actor.id)
