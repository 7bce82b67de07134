"""NPCs as their GMs act with them: one press attacks, another checks, whoever else may look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.presenters.board import turn_rows
from bot.presenters.layout import Layout, rows_of
from bot.presenters.npc import npcs_card
from bot.ui.context import Context
from bot.ui.panels.begin import Beginning
from bot.ui.router import Press, Router
from rules.core.errors import Outdated
from rules.table.actions import ChangeNpc
from rules.table.people.npcs import npcs
from rules.table.permissions import require_gm
from rules.table.state import AnyCharacter
from rules.table.turns.order import acting, here

#: What stands for no place in an id.
_EVERYWHERE = "-"


class NpcPanel:
    """`sg:npc:<table>:<verb>:<who or page>:<place or ->`: acting as one of them, for GMs alone, from a private list.

    `check` is a menu: whom it means is chosen. `sg:npcs:…` is what changes the list itself, a page of it or, by a menu,
    what players know. What a list shows of a place is its initiative.
    """

    def __init__(self, router: Router, beginnings: Beginning) -> None:
        self._beginnings = beginnings
        router.at_table("npc", self._act)
        router.at_table("npcs", self._turn, update=True)

    async def _act(self, ctx: Context, press: Press) -> None:
        require_gm(ctx.table.state, ctx.actor)
        verb, who = press.text(1), next(iter(press.values), press.text(2))
        if verb not in ("attack", "check"):
            raise Outdated("unknown-control")
        ctx.move_to(press.text(3).removeprefix(_EVERYWHERE) or ctx.place)
        await self._beginnings.open(ctx, verb, as_=who, aims=verb == "attack")

    async def _turn(self, ctx: Context, press: Press) -> None:
        require_gm(ctx.table.state, ctx.actor)
        verb, page, place = press.text(1), press.number(2), press.text(3).removeprefix(_EVERYWHERE)
        if verb == "reveal" and press.values:
            await ctx.perform(ChangeNpc(**ctx.by, npc=press.values[0], stage="revealed"))
            await ctx.add(npc_list(ctx, place, page))
        elif verb == "list":
            await ctx.show(npc_list(ctx, place, page))
        else:
            raise Outdated("unknown-control")


def npc_list(ctx: Context, place: str = "", page: int = 0) -> Layout:
    """All NPCs, or those in the initiative of a place with what can be done in the turn of one of them.

    NotPermitted("gm-only"), Impossible("no-encounter").
    """
    state = ctx.table.state
    require_gm(state, ctx.actor)
    found: Sequence[AnyCharacter] = npcs(state)
    if not place:
        return npcs_card(ctx.scene, found, page, plain=ctx.plain)
    encounter = here(state, place)
    order = [state.characters[slot.character] for slot in encounter.order if slot.character is not None]
    slot = acting(encounter)
    acts = "" if slot is None else slot.character or ""
    mine = [each for each in order if each.owner is None]
    card = npcs_card(ctx.scene, mine, page, place=place, acts=acts, plain=ctx.plain)
    if slot is None or (acts and state.characters[acts].owner is not None):
        return card
    return replace(card, pieces=(*card.pieces, *rows_of(turn_rows(encounter, ctx.scene))))
