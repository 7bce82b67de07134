"""What a hit does: the choice of whoever was hit, and the GM's words for it."""

from __future__ import annotations

from bot.presenters.attack import hit_modal
from bot.ui.context import Context
from bot.ui.interactions import Interactions
from bot.ui.retry import Retries
from bot.ui.router import Press, Router
from rules.registry import look
from rules.table.actions import TakeHit
from rules.table.checks.views import target_of
from rules.table.system import HitChoice


class HitPanel:
    """The dialogue comes back as `sg:hitm:<table>:<challenge>:<revision>:<choice>`."""

    def __init__(self, interactions: Interactions, router: Router, retries: Retries) -> None:
        self._interactions = interactions
        self._retries = retries
        router.add("hitm", self.typed)

    async def take(self, press: Press) -> None:
        """A choice of the private panel (`sg:do:…:hit:<choice>`): a GM is asked for words where it needs some."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            name, revision, choice = press.text(1), press.number(2), press.text(4)
            worded = _worded(ctx, name, revision, choice) if ctx.gm else None
            if worded is not None:
                weapon = ctx.table.state.challenges[name].tool
                await ctx.dialogue(hit_modal(ctx.table.id, name, revision, worded, weapon))
                return
            await self._perform(ctx, TakeHit(**ctx.by, challenge=name, revision=revision, choice=choice))

    async def typed(self, press: Press) -> None:
        """The GM's words."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            action = TakeHit(
                **ctx.by,
                challenge=press.text(1),
                revision=press.number(2),
                choice=press.text(3),
                text=press.inputs.get("text", ""),
                part=press.inputs.get("part", ""),
                severity=press.inputs.get("severity", ""),
            )
            worded = _worded(ctx, action.challenge, action.revision, action.choice)
            if worded is None:
                await self._perform(ctx, action)  # which says what has happened meanwhile
                return
            modal = hit_modal(ctx.table.id, action.challenge, action.revision, worded, "")
            async with self._retries.keeping(ctx, modal, press.inputs):
                await self._perform(ctx, action)

    async def _perform(self, ctx: Context, action: TakeHit) -> None:
        challenge = ctx.table.state.challenges.get(action.challenge)
        if challenge is not None and challenge.visibility == "public":
            ctx.response.go_public()
        await ctx.perform(action)


def _worded(ctx: Context, name: str, revision: int, choice: str) -> HitChoice | None:
    """The choice, if it can be made now and a GM has to say what it means."""
    state = ctx.table.state
    challenge = state.challenges.get(name)
    target = None if challenge is None else target_of(state, challenge)
    if challenge is None or target is None or challenge.status != "hit" or challenge.revision != revision:
        return None
    offered = look(state).course.hit_choices(target, challenge)
    return next((each for each in offered if each.value == choice and each.words), None)
