"""The buttons under the order of action, which anybody may press, and late; and what closes checks that hold it up."""

from __future__ import annotations

from bot.ui.interactions import Interactions
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.actions import Action, CloseChecks, DelayTurn, JoinEncounter, NextTurn


class BoardPanel:
    """`sg:board:<table>:<place>:<round>:<turn>:<verb>`; round and turn are those that were shown."""

    def __init__(self, interactions: Interactions, router: Router) -> None:
        self._interactions = interactions
        router.add("board", self.press)
        router.add("close", self.close)

    async def press(self, press: Press) -> None:
        """Next (its answer is the public call for the next one), Join or Delay."""
        place, verb = press.text(1), press.text(4)
        number, turn = press.number(2), press.number(3)
        async with self._interactions.answering(press.interaction, public=verb == "next") as response:
            ctx = await self._interactions.context(response, press.number(0))
            ctx.place = place
            action: Action
            if verb == "next":
                action = NextTurn(**ctx.by, round=number, turn=turn)
            elif verb == "delay":
                action = DelayTurn(**ctx.by, round=number, turn=turn)
            elif verb == "join":
                action = JoinEncounter(**ctx.by)
            else:
                raise Outdated("unknown-control")
            await ctx.perform(action)

    async def close(self, press: Press) -> None:
        """`sg:close:<table>:<check>.<check>…`: a GM has the checks closed over which no turn could end."""
        checks = tuple(press.text(1).split("."))
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, press.number(0))
            await ctx.perform(CloseChecks(**ctx.by, checks=checks))
