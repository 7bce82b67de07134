"""The form that a system's own command opens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bot.presenters.control_ids import option_token
from bot.presenters.forms import PanelForm, SendButton
from bot.presenters.language.words import label_text, phrase, say, say_bare
from bot.presenters.layout import Body, Piece
from bot.ui.context import Context
from bot.ui.panels.form import FormPanel
from rules.core.errors import Outdated
from rules.registry import read_only_game
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.commands import Command, CommandForm
from rules.table.forms.fields import FormContext

#: Key of these forms among those of panels.
KEY: Final = "cmd"
_SEND: Final = "go"


class CommandFormPanel:
    """Owner of the forms of commands. `about` has the `command` and what it was `given`.

    The command is run anew for each press, so that a draft keeps no more than that.
    """

    def __init__(self, forms: FormPanel) -> None:
        self._forms = forms
        forms.add(KEY, self)

    async def open(
        self, ctx: Context, command: Command, given: Mapping[str, Any], said: CommandForm
    ) -> None:
        """Open the form that a command answers with, on its kept draft if there is one."""
        about = {"command": command.name, "given": dict(given)}
        if not said.is_kept:
            await self._forms.open(ctx, KEY, about, said.values)
            return
        draft_id = _kept_draft_id(ctx, said, about)
        kept = await self._forms.changed_values(ctx, KEY, draft_id)
        continued = any(kept.values())
        values = kept if continued else said.values
        await self._forms.open(ctx, KEY, about, values, draft_id, continued=continued)

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """The form as the command gives it now. Raises what the command raises."""
        said = _form_of(ctx, about)

        def preview(values: Values) -> tuple[Piece, ...]:
            return tuple(Body(say(line)) for line in said.shows(values))

        outcome = "\n".join(say(line) for line in said.outcome(draft))
        before = [Body(say(line)) for line in said.before]
        if outcome:
            before.append(Body(outcome))
        return PanelForm(
            said.form(draft),
            FormContext(ctx.game, None, said.who, draft),
            say_bare(said.title),
            (SendButton(_SEND, say_bare(said.label), "primary"),),
            tuple(before),
            preview,
            steps=said.steps(draft),
            headline="" if said.headline is None else say(said.headline(draft)),
            follow=said.follow,
            small=phrase("create-kept") if said.is_kept else "",
            cancel=label_text("create-discard") if said.is_kept else "",
            left=None if said.left is None else (say(said.left), say(Text("form-not-sent"))),
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Carry out the action that the command makes of the values."""
        done = _form_of(ctx, about).action(values)
        await ctx.perform(done.action(**ctx.origin, **done.values))


def _kept_draft_id(ctx: Context, said: CommandForm, about: Mapping[str, Any]) -> str:
    """Return the id of the draft of a user's character and of the options of a command.

    A copy of an effect so has a draft of its own.
    """
    given = sorted((key, str(value)) for key, value in about["given"].items())
    digest = option_token(repr((about["command"], said.who, given)))
    return f"cmd{ctx.table.id}.{ctx.interaction.user.id}.{digest}"


def _form_of(ctx: Context, about: Mapping[str, Any]) -> CommandForm:
    """Return the form of a command as it is now. Outdated("unknown-control") if it has none."""
    system = read_only_game(ctx.table.state).system
    for command in system.commands:
        if command.name == about["command"]:
            said = command.run(ctx.game, about["given"])
            if isinstance(said, CommandForm):
                return said
    raise Outdated("unknown-control")
