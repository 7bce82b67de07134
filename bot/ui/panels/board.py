"""Buttons under the order of action, which every user may press, even late; and a GM's list of
NPCs.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.board import turn_rows
from bot.presenters.layout import Layout, rows_of
from bot.presenters.npc import npcs_card
from bot.ui.context import Context
from bot.ui.panels.check_start import CheckStartPanel
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, NotPermitted, Outdated
from rules.table.actions import (
    AddToEncounter,
    ChangeNpc,
    CloseChecks,
    DelayTurn,
    JoinEncounter,
    MoreTurnTime,
    NextTurn,
)
from rules.table.checks.procedure import start_buttons
from rules.table.initiative import (
    encounter_in,
    is_hidden,
    require_encounter,
    slot_name,
    slot_on_turn,
)
from rules.table.lookup import playable_characters
from rules.table.people.npcs import npcs
from rules.table.state import AnyCharacter
from rules.table.turns.slots import own_slot_on_turn

#: Stands for no place in an id.
_EVERYWHERE = "-"


class BoardPanel:
    """Handler of the buttons under boards and NPC lists.

    `sg:board:<table>:<place>:<round>:<turn>:<verb>[:<character>]`; round and turn are those that
    were shown, and the character is one of a block or a delayed one.
    `sg:close:<table>:<check>.<check>…`: a GM closes the checks that keep a turn from ending.

    `sg:npc:<table>:<verb>:<character or page>:<place or ->`: a GM acts as an NPC from a private
    list; `check` is a menu that chooses the NPC. `sg:npcs:…` changes the list itself: another page,
    or by a menu an NPC's stage. A list with a place shows the NPCs in its initiative.
    """

    def __init__(self, router: Router, beginnings: CheckStartPanel) -> None:
        self._beginnings = beginnings
        router.add_table_route("board", self._press)
        router.add_table_route("close", _close)
        router.add_table_route("npc", self._act, gms=True)
        router.add_table_route("npcs", _update_npc_list, update=True, gms=True)

    async def _press(self, ctx: Context, press: Press) -> None:
        ctx.move_to(press.text(1))
        number, turn, verb = press.number(2), press.number(3), press.text(4)
        member = next(iter(press.args[5:]), None)
        # The call for the next turn shows the result.
        ctx.response.brief = True
        if verb == "npcs" or (not turn and verb not in ("join", "party") and _only_gms_know(ctx)):
            await ctx.show(npc_list(ctx, ctx.place))
        elif verb == "next":
            await ctx.perform(NextTurn(**ctx.origin, round=number, turn=turn, as_=member))
        elif verb == "delay":
            await ctx.perform(DelayTurn(**ctx.origin, round=number, turn=turn, as_=member))
        elif verb == "back":
            await ctx.perform(DelayTurn(**ctx.origin, back=True, as_=member))
        elif verb == "more":
            await ctx.perform(MoreTurnTime(**ctx.origin, round=number, turn=turn))
        elif verb == "party":
            await ctx.perform(AddToEncounter(**ctx.origin, party=True))
        elif verb == "join":
            await ctx.perform(JoinEncounter(**ctx.origin))
        elif verb in start_buttons(ctx.game.system, "turn"):
            who = _acting_character(ctx, number, turn)
            if member in ctx.table.state.characters:
                who = member
            await self._beginnings.open(ctx, verb, as_=who)
        else:
            raise Outdated("unknown-control")

    async def _act(self, ctx: Context, press: Press) -> None:
        verb, who = press.text(1), press.choice or press.text(2)
        if verb not in start_buttons(ctx.game.system, "npc"):
            raise Outdated("unknown-control")
        ctx.move_to(press.text(3).removeprefix(_EVERYWHERE) or ctx.place)
        await self._beginnings.open(ctx, verb, as_=who)


def _acting_character(ctx: Context, round: int, turn: int) -> str:
    """Return the character on turn, or a player's own character in the order.

    The panel says whose turn it is. Raises as `own_slot_on_turn`, and
    Impossible("acts-without-sheet") for a name without a sheet.
    """
    state = ctx.table.state
    try:
        slot = own_slot_on_turn(state, ctx.actor, ctx.place, round, turn)
    except NotPermitted:
        order = require_encounter(state, ctx.place).order
        in_order = {slot.character for slot in order}
        playable = playable_characters(state, ctx.actor)
        own = [character.id for character in playable if character.id in in_order]
        if ctx.gm or not own:
            raise
        return own[0]
    if slot.character is None:
        raise Impossible("acts-without-sheet", name=slot_name(state, slot))
    return slot.character


def _only_gms_know(ctx: Context) -> bool:
    """Return whether a GM asks during the turn of a hidden character, which the board omits."""
    slot = slot_on_turn(encounter_in(ctx.table.state, ctx.place))
    return ctx.gm and slot is not None and is_hidden(ctx.table.state, slot)


async def _close(ctx: Context, press: Press) -> None:
    await ctx.perform(CloseChecks(**ctx.origin, checks=tuple(press.text(1).split("."))))


async def _update_npc_list(ctx: Context, press: Press) -> None:
    verb, page, place = press.text(1), press.number(2), press.text(3).removeprefix(_EVERYWHERE)
    if verb == "reveal" and press.values:
        await ctx.perform(ChangeNpc(**ctx.origin, npc=press.choice, stage="revealed"))
        await ctx.whisper(npc_list(ctx, place, page))
    elif verb == "list":
        await ctx.show(npc_list(ctx, place, page))
    else:
        raise Outdated("unknown-control")


def npc_list(ctx: Context, place: str = "", page: int = 0) -> Layout:
    """Return the list of all NPCs, or of those in a place's initiative with the turn's buttons.

    Raises NotPermitted("gm-only"), Impossible("no-encounter").
    """
    state = ctx.table.state
    ctx.require_gm()
    everyone: Sequence[AnyCharacter] = npcs(state)
    if not place:
        return npcs_card(ctx.scene, everyone, page, plain=ctx.plain)
    encounter = require_encounter(state, place)
    slot = slot_on_turn(encounter)
    acts = "" if slot is None else slot.character or ""
    order = [
        state.characters[entry.character]
        for entry in encounter.order
        if entry.character is not None
    ]
    in_order = [character for character in order if character.owner is None]
    card = npcs_card(ctx.scene, in_order, page, place=place, acts=acts, plain=ctx.plain)
    if slot is None or (acts and state.characters[acts].owner is not None):
        return card
    return card.replace(pieces=(*card.pieces, *rows_of(turn_rows(encounter, ctx.scene))))
