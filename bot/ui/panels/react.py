"""What one may do next on a check: the React button, the plain buttons, and private showing."""

from __future__ import annotations

from bot.presenters.events import react_card
from bot.services.history import events_of
from bot.services.outgoing import visible
from bot.ui.context import Context
from bot.ui.interactions import Interactions
from bot.ui.panels.answer import AnswerPanel
from bot.ui.panels.hit import HitPanel
from bot.ui.panels.propose import ProposePanel
from bot.ui.panels.side import DefendPanel, JoinPanel
from bot.ui.router import Press, Router
from rules.core.errors import NotPermitted, Outdated
from rules.registry import look
from rules.table.actions import Action, Join, Roll, Settle, Spend, Undo, Withdraw
from rules.table.checks.views import check_view, find_check
from rules.table.moves import challenge_moves


class ReactPanel:
    """`sg:react|hit|roll:<table>:<challenge>:<revision>`, `sg:do:…:<verb>[:<what>[:<choice>]]`, `sg:show:<row>`."""

    def __init__(
        self,
        interactions: Interactions,
        router: Router,
        answers: AnswerPanel,
        proposals: ProposePanel,
        defences: DefendPanel,
        helpers: JoinPanel,
        hits: HitPanel,
    ) -> None:
        self._interactions = interactions
        self._defences = defences
        self._helpers = helpers
        self._hits = hits
        self._answers = answers
        self._proposals = proposals
        router.add("react", self.react)
        router.add("hit", self.react)
        router.add("roll", self.roll)
        router.add("do", self.do)
        router.add("show", self.show)
        router.add("undo", self.undo)

    async def react(self, press: Press) -> None:
        """A private panel of my legal moves; for the GMs also what is hidden."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            await self._panel(ctx, press.text(1))

    async def _panel(self, ctx: Context, name: str) -> None:
        state = ctx.table.state
        challenge = find_check(state, ctx.actor, name)
        view = check_view(state, look(state), challenge, gm=ctx.gm, who=ctx.actor.id)
        moves = challenge_moves(look(state), challenge, ctx.actor)
        await ctx.show(react_card(ctx.scene, view, moves, ctx.actor.id))

    async def roll(self, press: Press) -> None:
        """The Roll button."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            await self._act(press, ctx, "roll")

    async def do(self, press: Press) -> None:
        """A button of the private panel."""
        verb = press.text(3)
        if verb == "answer":
            await self._answers.open(press)
            return
        if verb == "ask":
            await self._answers.ask(press)
            return
        if verb == "defend":
            await self._defences.open(press)
            return
        if verb == "join":
            await self._helpers.open(press)
            return
        if verb == "hit":
            await self._hits.take(press)
            return
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            if verb == "revise":
                challenge = find_check(ctx.table.state, ctx.actor, press.text(1))
                await self._proposals.revise(ctx, challenge, press.number(2))
                return
            await self._act(press, ctx, verb)

    async def _act(self, press: Press, ctx: Context, verb: str) -> None:
        name, revision = press.text(1), press.number(2)
        challenge = find_check(ctx.table.state, ctx.actor, name)
        if challenge.visibility == "public":
            ctx.response.go_public()
        action: Action
        if verb == "roll":
            action = Roll(**ctx.by, challenge=name, revision=revision)
        elif verb == "settle":
            action = Settle(**ctx.by, challenge=name, revision=revision)
        elif verb == "withdraw":
            action = Withdraw(**ctx.by, challenge=name, revision=revision)
        elif verb == "leave":
            as_ = press.args[4] if len(press.args) > 4 else None
            action = Join(**ctx.by, challenge=name, revision=revision, as_=as_, leave=True)
        elif verb == "spend":
            choice = press.args[5] if len(press.args) > 5 else None
            action = Spend(**ctx.by, challenge=name, revision=revision, what=press.text(4), choice=choice)
        else:
            raise Outdated("unknown-control")
        await ctx.perform(action)

    async def show(self, press: Press) -> None:
        """The button of a public stub: what stands behind it, for those entitled to it."""
        async with self._interactions.answering(press.interaction) as response:
            out = await self._interactions.tables.store.out(press.number(0))
            if out is None:
                raise Outdated("unknown-control")
            ctx = await self._interactions.context(response, out.table_id)
            found = await events_of(self._interactions.tables, out)
            if found is None:
                raise Outdated("unknown-control")
            entry, events = found
            told = [events[index] for index in out.events]
            if not told:
                raise Outdated("unknown-control")
            for event in told:
                if not visible(event, ctx.table.state, ctx.actor):
                    raise NotPermitted("not-for-you")
            await ctx.show(*self._interactions.presenter.cards(told, ctx.scene, entry.seq))

    async def undo(self, press: Press) -> None:
        """The confirmation that takes an entry back together with what depends on it."""
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, press.number(0))
            await ctx.perform(Undo(**ctx.by, entry=press.number(1), all_dependents=True))
