"""Controls with which a GM leads the table: settings, GMs, and the story's time."""

from __future__ import annotations

from typing import Any

from bot.presenters.forms import field_title
from bot.presenters.gm_tools import clock_card
from bot.presenters.layout import Layout
from bot.presenters.settings_panel import (
    OTHER_VALUE,
    find_dialog,
    found_settings_card,
    setting_dialog,
    settings_panel,
)
from bot.presenters.table import gm_channel_card, members_card
from bot.ui.context import Context
from bot.ui.panels.form import field_of
from bot.ui.router import Press, Router
from rules.core.errors import InvalidInput, Outdated
from rules.core.json_reader import Reader
from rules.table.actions import AdvanceTime, ChangeGms, ChangeSettings, Session
from rules.table.forms.fields import Flag, Number
from rules.table.forms.form import Field
from rules.table.forms.typed_texts import is_id
from rules.table.settings.pace import PACES, pace_of, pace_values
from rules.table.settings.table_settings import setting_value, settings_form


def add_gm_routes(router: Router) -> None:
    """Bind the routes of the settings panel, the GMs, the clock and the session.

    `sg:set:<table>[:<page>:<control>]` and `sg:setm:<table>:<page>:<n>` are the panel's;
    `sg:gms:<table>:<add|add_role|remove>`, `sg:time:<table>:<minutes>` and
    `sg:session:<table>:<start|end>`.
    """
    router.add_table_route("set", _press, update=True, gms=True)
    router.add_table_route("setm", _submit, update=True, gms=True)
    router.add_table_route("gms", _members, update=True, gms=True)
    router.add_table_route("time", _time, update=True)
    router.add_table_route("session", _session, update=True)


async def _press(ctx: Context, press: Press) -> None:
    page, control, token = press.text(1), press.text(2), press.choice
    if control == "p":
        await ctx.show(settings_panel(ctx.scene, token))
        return
    if control == "channel":
        await ctx.show(gm_channel_card(ctx.table.id, ctx.table.state.settings.gm_place))
        return
    if control == "gms":
        await ctx.show(members_card(ctx.scene, gm=True))
        return
    if control == "find":
        await ctx.open_modal(find_dialog(ctx.table.id))
        return
    if control == "one":
        await ctx.show(settings_panel(ctx.scene, page))
        return
    if control == "pace":
        await _set_pace(ctx, page, press.text(3))
        return
    field = _setting_field(ctx, control)
    if control[0] == "w" or token == OTHER_VALUE:
        id = f"sg:setm:{ctx.table.id}:{page}:{control[1:]}"
        await ctx.open_modal(setting_dialog(ctx.table.state.settings, field, id))
    elif control[0] == "t" and isinstance(field, Flag):
        await _change(ctx, page, field, press.text(3) == "1")
    elif control[0] == "f" and token:
        await _change(
            ctx, page, field, int(token) if isinstance(field, Number) and is_id(token) else token
        )
    else:
        raise Outdated("unknown-control")


async def _submit(ctx: Context, press: Press) -> None:
    if press.text(2) == "find":
        await ctx.show(found_settings_card(ctx.scene, press.inputs.get("words", "")))
        return
    field = _setting_field(ctx, f"w{press.text(2)}")
    reader = Reader()
    value = field.parse_text(reader, field.key, press.inputs.get(field.key, ""))
    try:
        if reader.problems:
            raise reader.problems[0]
        await _change(ctx, press.text(1), field, value)
    except InvalidInput as error:
        # The dialog shows the field's title, not the command's option.
        raise InvalidInput(error.code, **{**error.params, "field": field_title(field)}) from None


async def _set_pace(ctx: Context, page: str, pace: str) -> None:
    """Set the settings of a pace, unless they are so already, and show the panel again."""
    if pace not in PACES:
        raise Outdated("unknown-control")
    form = settings_form(ctx.game.system)
    if pace_of(ctx.table.state.settings, form) == pace:
        await ctx.show(settings_panel(ctx.scene, page))
        return
    await ctx.perform(
        ChangeSettings(**ctx.origin, values=pace_values(form, pace)),
        instead=lambda: settings_panel(ctx.scene, page),
    )


async def _change(ctx: Context, page: str, field: Field, value: Any) -> None:
    """Change a setting, unless it has the value already, and show the panel again."""

    def panel() -> Layout:
        return settings_panel(ctx.scene, page)

    if value == setting_value(ctx.table.state.settings, field):
        await ctx.show(panel())
        return
    await ctx.perform(ChangeSettings(**ctx.origin, values={field.key: value}), instead=panel)


def _setting_field(ctx: Context, control: str) -> Field:
    return field_of(settings_form(ctx.game.system), control)


async def _members(ctx: Context, press: Press) -> None:
    verb, chosen = press.text(1), press.choice
    changes: dict[str, str] = {}
    if verb == "add" and is_id(chosen):
        changes["add"] = ctx.chosen_participant(chosen, "add")
    elif verb == "add_role" and is_id(chosen):
        guild = press.interaction.guild
        if guild is None or guild.get_role(int(chosen)) is None:
            raise Outdated("unknown-control")
        if chosen == str(guild.id):
            raise InvalidInput(
                "not-everyone", field="add_role", value=None, allowed="a role of your GMs"
            )
        changes["add_role"] = chosen
    elif verb == "remove" and chosen:
        changes["remove_role" if chosen[0] == "@" else "remove"] = chosen.removeprefix("@")
    else:
        raise Outdated("unknown-control")
    await ctx.perform(
        ChangeGms(**ctx.origin, **changes), instead=lambda: members_card(ctx.scene, gm=ctx.gm)
    )


async def _time(ctx: Context, press: Press) -> None:
    await ctx.perform(
        AdvanceTime(**ctx.origin, minutes=press.number(1)),
        instead=lambda: clock_card(ctx.scene, gm=ctx.gm),
    )


async def _session(ctx: Context, press: Press) -> None:
    await ctx.perform(
        Session(**ctx.origin, start=press.text(1) == "start"),
        instead=lambda: clock_card(ctx.scene, gm=ctx.gm),
    )
