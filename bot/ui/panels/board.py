"""The buttons under the order of action, which anybody may press, and late; and what closes checks that hold it up."""

from __future__ import annotations

from bot.ui.context import Context
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.actions import CloseChecks, DelayTurn, JoinEncounter, NextTurn


def route_board(router: Router) -> None:
    """`sg:board:<table>:<place>:<round>:<turn>:<verb>`; round and turn are those that were shown.

    `sg:close:<table>:<check>.<check>…`: a GM has the checks closed over which no turn could end.
    """
    # The answer to Next is the public call for the next one.
    router.at_table("board", _press, public=lambda press: press.text(4) == "next")
    router.at_table("close", _close)


async def _press(ctx: Context, press: Press) -> None:
    ctx.place, verb = press.text(1), press.text(4)
    number, turn = press.number(2), press.number(3)
    if verb == "next":
        await ctx.perform(NextTurn(**ctx.by, round=number, turn=turn))
    elif verb == "delay":
        await ctx.perform(DelayTurn(**ctx.by, round=number, turn=turn))
    elif verb == "join":
        await ctx.perform(JoinEncounter(**ctx.by))
    else:
        raise Outdated("unknown-control")


async def _close(ctx: Context, press: Press) -> None:
    await ctx.perform(CloseChecks(**ctx.by, checks=tuple(press.text(1).split("."))))
