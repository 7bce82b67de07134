"""The button of a notice: it shows its user what waits, here and at all other tables."""

from __future__ import annotations

from bot.notices import NoticeDispatcher
from bot.presenters.pending_matters import todo_card
from bot.ui.interactions import Interactions
from bot.ui.other_tables import todos_at_other_tables
from bot.ui.router import Press, Router


class NoticePanel:
    """Handler of `sg:notice:<id>`. All who press it see what waits for themselves."""

    def __init__(
        self, interactions: Interactions, notices: NoticeDispatcher, router: Router
    ) -> None:
        self._interactions = interactions
        self._notices = notices
        router.add("notice", self._press)

    async def _press(self, press: Press) -> None:
        """Show what waits. A notice in a channel goes once its own user has seen it."""
        interactions, number = self._interactions, press.number(0)
        async with interactions.respond_to(press.interaction) as response:
            found = await todos_at_other_tables(interactions, press.interaction, None)
            await response.show(todo_card(None, found, gm=False))
            row = await interactions.tables.store.notice(number)
            if row is not None and row.user == str(press.interaction.user.id):
                await self._notices.take_away(row)
