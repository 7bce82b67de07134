"""What a table agreed on, as a panel for its GMs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bot.presenters.forms import Filling, Send
from bot.presenters.layout import Body, Piece
from bot.presenters.table import setting_meaning
from bot.ui.context import Context
from bot.ui.panels.form import FormPanel
from bot.ui.router import Press, Router
from rules.registry import look
from rules.table.actions import ChangeSettings
from rules.table.forms import Asking, Form, Values
from rules.table.permissions import require_gm
from rules.table.settings import setting_of, settings_form, settings_values

KEY: Final = "set"


class SettingsPanel:
    """Opens with `sg:set:<table>`. `about` has the values as they were then (`base`)."""

    def __init__(self, forms: FormPanel, router: Router) -> None:
        self._forms = forms
        forms.add(KEY, self)
        router.at_table(KEY, self.open, update=True)

    async def open(self, ctx: Context, press: Press) -> None:
        """Everything that can be changed, as it is now."""
        now = settings_values(ctx.table.state.settings, _form(ctx))
        await self._forms.open(ctx, KEY, {"base": now}, now)

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> Filling:
        """The settings of the table; what would change stands below."""
        require_gm(ctx.table.state, ctx.actor)
        form = _form(ctx)

        def preview(values: Values) -> tuple[Piece, ...]:
            changes = _changes(ctx, form, about, values)
            return tuple(Body(setting_meaning(key, value)) for key, value in changes.items())

        return Filling(
            form,
            Asking(),
            "Table settings",
            (Send("save", "Save", "primary"),),
            preview=preview,
            accent="gm",
            switches=True,
            noted=setting_meaning,
        )

    async def send(self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /) -> None:
        """Change what is not as it was."""
        await ctx.perform(ChangeSettings(**ctx.by, values=_changes(ctx, _form(ctx), about, values)))


def _form(ctx: Context) -> Form:
    return settings_form(look(ctx.table.state).system)


def _changes(ctx: Context, form: Form, about: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """What was chosen otherwise than it was when the panel was opened, and is not so by now."""
    now = {field.key: setting_of(ctx.table.state.settings, field) for field in form.fields}
    base: Values = about["base"]
    chosen = {key: values.get(key, False) for key in now}
    return {key: value for key, value in chosen.items() if value not in (base.get(key, False), now[key])}
