"""What a table agreed on, as a panel for its GMs: whatever is pressed counts at once."""

from __future__ import annotations

from typing import Any

from bot.presenters.forms import title_of
from bot.presenters.layout import Layout
from bot.presenters.table import (
    ANOTHER,
    gm_channel_card,
    members_card,
    setting_dialogue,
    setting_field,
    settings_panel,
)
from bot.ui.context import Context
from bot.ui.router import Press, Router
from rules.core.errors import InvalidInput, Outdated
from rules.core.reading import Reader
from rules.table.actions import ChangeSettings
from rules.table.forms import Field, Flag, Number
from rules.table.permissions import require_gm
from rules.table.settings import setting_of
from rules.table.texts import is_id


def route_settings(router: Router) -> None:
    """`sg:set:<table>[:<page>:<control>]` and `sg:setm:<table>:<page>:<n>`, as the panel has them."""
    router.at_table("set", _pressed, update=True)
    router.at_table("setm", _typed, update=True)


async def _pressed(ctx: Context, press: Press) -> None:
    require_gm(ctx.table.state, ctx.actor)
    page, control = press.text(1), press.text(2)
    token = press.values[0] if press.values else ""
    if control == "p":
        await ctx.show(settings_panel(ctx.scene, token))
        return
    if control == "channel":
        await ctx.show(gm_channel_card(ctx.table.id, ctx.table.state.settings.gm_place))
        return
    if control == "gms":
        await ctx.show(members_card(ctx.scene, gm=True))
        return
    place, field = _named(ctx, control[1:])
    if control[0] == "w" or token == ANOTHER:
        modal = setting_dialogue(ctx.table.state, ctx.table.id, page, place)
        assert modal is not None
        await ctx.dialogue(modal)
    elif control[0] == "t" and isinstance(field, Flag):
        await _change(ctx, page, field, press.text(3) == "1")
    elif control[0] == "f" and token:
        await _change(ctx, page, field, int(token) if isinstance(field, Number) and is_id(token) else token)
    else:
        raise Outdated("unknown-control")


async def _typed(ctx: Context, press: Press) -> None:
    require_gm(ctx.table.state, ctx.actor)
    _, field = _named(ctx, press.text(2))
    reader = Reader()
    value = field.filled(reader, field.key, press.inputs.get(field.key, ""))
    try:
        if reader.problems:
            raise reader.problems[0]
        await _change(ctx, press.text(1), field, value)
    except InvalidInput as error:
        # Here it is not called as the option of the command is.
        raise InvalidInput(error.code, **{**error.params, "field": title_of(field)}) from None


async def _change(ctx: Context, page: str, field: Field, value: Any) -> None:
    """Change it, where it is not so already, and show the panel as things stand then."""

    def panel() -> Layout:
        return settings_panel(ctx.scene, page)

    if value == setting_of(ctx.table.state.settings, field):
        await ctx.show(panel())
        return
    await ctx.perform(ChangeSettings(**ctx.by, values={field.key: value}), instead=panel)


def _named(ctx: Context, number: str) -> tuple[int, Field]:
    place = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else -1
    field = setting_field(ctx.table.state, place) if place >= 0 else None
    if field is None:
        raise Outdated("unknown-control")
    return place, field
