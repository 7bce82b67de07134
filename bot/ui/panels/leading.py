"""What a GM presses on the cards that say how a table stands: who leads it, and the story's time."""

from __future__ import annotations

from bot.presenters.gm_tools import clock_card
from bot.presenters.table import members_card
from bot.ui.context import Context
from bot.ui.router import Press, Router
from rules.core.errors import InvalidInput, Outdated
from rules.table.actions import AdvanceTime, ChangeGms, Session
from rules.table.permissions import require_gm
from rules.table.texts import is_id


def route_leading(router: Router) -> None:
    """`sg:gms:<table>:<add|add_role|remove>`, `sg:time:<table>:<minutes>` and `sg:session:<table>:<start|end>`."""
    router.at_table("gms", _members, update=True)
    router.at_table("time", _time, update=True)
    router.at_table("session", _session, update=True)


async def _members(ctx: Context, press: Press) -> None:
    require_gm(ctx.table.state, ctx.actor)
    verb, chosen = press.text(1), press.values[0] if press.values else ""
    changes: dict[str, str] = {}
    if verb == "add" and is_id(chosen):
        changes["add"] = ctx.chosen(chosen, "add")
    elif verb == "add_role" and is_id(chosen):
        guild = press.interaction.guild
        if guild is None or guild.get_role(int(chosen)) is None:
            raise Outdated("unknown-control")
        if chosen == str(guild.id):
            raise InvalidInput("not-everyone", field="add_role", value=None, allowed="a role of your GMs")
        changes["add_role"] = chosen
    elif verb == "remove" and chosen:
        changes["remove_role" if chosen[0] == "@" else "remove"] = chosen.removeprefix("@")
    else:
        raise Outdated("unknown-control")
    await ctx.perform(ChangeGms(**ctx.by, **changes), instead=lambda: members_card(ctx.scene, gm=ctx.gm))


async def _time(ctx: Context, press: Press) -> None:
    require_gm(ctx.table.state, ctx.actor)
    await ctx.perform(
        AdvanceTime(**ctx.by, minutes=press.number(1)), instead=lambda: clock_card(ctx.scene, gm=ctx.gm)
    )


async def _session(ctx: Context, press: Press) -> None:
    await ctx.perform(
        Session(**ctx.by, start=press.text(1) == "start"), instead=lambda: clock_card(ctx.scene, gm=ctx.gm)
    )
