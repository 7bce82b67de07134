"""What was typed into a dialogue and refused is not lost: the refusal opens the dialogue again, filled with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, replace

from bot.presenters.controls import Button, Input, Modal
from bot.ui.context import Context
from bot.ui.drafts import Drafts
from bot.ui.interactions import Interactions
from bot.ui.router import Press, Router
from rules.core.errors import InvalidInput, NotFound, Problems

KIND = "retry"
_LABEL = "Write it again"


class Retries:
    """Opens dialogues again as `sg:retry:<draft>`."""

    def __init__(self, interactions: Interactions, drafts: Drafts, router: Router) -> None:
        self._interactions = interactions
        self._drafts = drafts
        router.add("retry", self._open)

    @asynccontextmanager
    async def keeping(self, ctx: Context, modal: Modal, typed: Mapping[str, str]) -> AsyncIterator[None]:
        """Do something with what was `typed` into a dialogue; if a field of it is refused, it can be mended there.

        Refusals that no other words would change are left to the caller.
        """
        try:
            yield
        except (InvalidInput, NotFound, Problems) as error:
            inputs = tuple(replace(each, value=typed.get(each.id, each.value)) for each in modal.inputs)
            values = asdict(replace(modal, inputs=inputs))
            draft = await self._drafts.new(KIND, ctx.table.id, ctx.interaction.user.id, values)
            rows = ((Button(f"sg:retry:{draft.id}", _LABEL, "primary"),),)
            await self._interactions.refuse(ctx.response, error, rows)

    async def _open(self, press: Press) -> None:
        async with self._interactions.answering(press.interaction) as response:
            draft = await self._drafts.load(press.text(0), KIND, press.interaction.user.id)
            ctx = await self._interactions.context(response, draft.table_id)
            inputs = tuple(Input(**each) for each in draft.values["inputs"])
            await ctx.dialogue(Modal(draft.values["id"], draft.values["title"], inputs))
