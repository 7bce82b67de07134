"""The buttons under the order of action: whoever presses them may be anybody, and late."""

from __future__ import annotations

from bot.ui.desk import Desk
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.actions import Action, DelayTurn, JoinEncounter, NextTurn


class BoardPanel:
    """`sg:board:<table>:<place>:<round>:<turn>:<verb>`; round and turn are those that were shown."""

    def __init__(self, desk: Desk, router: Router) -> None:
        self._desk = desk
        router.add("board", self.press)

    async def press(self, press: Press) -> None:
        """Next (its answer is the public call for the next one), Join or Delay."""
        place, verb = press.text(1), press.text(4)
        number, turn = press.number(2), press.number(3)
        async with self._desk.answering(press.interaction, public=verb == "next") as ack:
            seat = await self._desk.take_seat(ack, press.number(0))
            seat.place = place
            action: Action
            if verb == "next":
                action = NextTurn(**seat.by, round=number, turn=turn)
            elif verb == "delay":
                action = DelayTurn(**seat.by, round=number, turn=turn)
            elif verb == "join":
                action = JoinEncounter(**seat.by)
            else:
                raise Outdated("unknown-control")
            await seat.perform(action)
