"""The buttons under the order of action, which anybody may press, and late; and what closes checks that hold it up."""

from __future__ import annotations

from bot.ui.context import Context
from bot.ui.panels.begin import Beginning
from bot.ui.panels.npcs import npc_list
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, Outdated
from rules.table.actions import CloseChecks, DelayTurn, JoinEncounter, NextTurn
from rules.table.turns.encounters import on_turn
from rules.table.turns.order import acting, encounter_in, is_hidden, name_of


class BoardPanel:
    """`sg:board:<table>:<place>:<round>:<turn>:<verb>`; round and turn are those that were shown.

    `sg:close:<table>:<check>.<check>…`: a GM has the checks closed over which no turn could end.
    """

    def __init__(self, router: Router, beginnings: Beginning) -> None:
        self._beginnings = beginnings
        router.at_table("board", self._press)
        router.at_table("close", _close)

    async def _press(self, ctx: Context, press: Press) -> None:
        ctx.move_to(press.text(1))
        verb = press.text(4)
        number, turn = press.number(2), press.number(3)
        # What comes of it is the call for the next one.
        ctx.response.brief = True
        if verb == "npcs" or (not turn and verb != "join" and _only_gms_know(ctx)):
            await ctx.show(npc_list(ctx, ctx.place))
        elif verb == "next":
            await ctx.perform(NextTurn(**ctx.by, round=number, turn=turn))
        elif verb == "delay":
            await ctx.perform(DelayTurn(**ctx.by, round=number, turn=turn))
        elif verb == "back":
            await ctx.perform(DelayTurn(**ctx.by, back=True))
        elif verb == "join":
            await ctx.perform(JoinEncounter(**ctx.by))
        elif verb in ("attack", "check"):
            slot = on_turn(ctx.table.state, ctx.actor, ctx.place, number, turn)
            if slot.character is None:
                raise Impossible("acts-without-sheet", name=name_of(ctx.table.state, slot))
            await self._beginnings.open(ctx, verb, as_=slot.character, aims=verb == "attack")
        else:
            raise Outdated("unknown-control")


def _only_gms_know(ctx: Context) -> bool:
    """Whether it is the turn of somebody hidden, which the board does not tell, and a GM asks."""
    state = ctx.table.state
    slot = acting(encounter_in(state, ctx.place))
    return ctx.gm and slot is not None and is_hidden(state, slot)


async def _close(ctx: Context, press: Press) -> None:
    await ctx.perform(CloseChecks(**ctx.by, checks=tuple(press.text(1).split("."))))
