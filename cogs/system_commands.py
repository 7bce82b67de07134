"""`/<key>`: the commands that a system declares for itself.

They are registered on servers where a table plays by the system.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any, Final

import discord
from discord import app_commands

from bot.app import Storyguide
from bot.presenters.blocks import command_view_card
from bot.presenters.forms import PanelForm, SendButton
from bot.presenters.language.words import COMMANDS, command_prefix, say, say_bare
from bot.presenters.layout import Body
from bot.ui.context import Context
from bot.ui.panels.prompt import answer_by_name
from bot.ui.router import Press
from cogs import command_options, completions
from cogs.check_completions import (
    check_completer,
    difficulties,
    field_completer,
    form_completer,
    option_words,
)
from rules.core.errors import InvalidInput, Outdated
from rules.registry import PLAYABLE, read_only_game
from rules.table.check import Values
from rules.table.commands import (
    AS_FIELD,
    ButtonQuestion,
    CheckStart,
    Command,
    CommandAction,
    CommandForm,
    CommandResult,
    CommandView,
    PromptAnswer,
)
from rules.table.forms.fields import Flag, FormContext, Number, Pick, Typed
from rules.table.forms.form import Field
from rules.table.lookup import own_character_on_turn
from rules.table.system import System

#: Completers of the fields of these keys, in every form.
_COMPLETES: Final = {"with": option_words, "difficulty": difficulties}
#: Key of these forms among those of panels.
_KEY: Final = "own"


def _completer_of(field: Field, command: Command) -> completions.Completer | None:
    """Return the completer of a field, or None if Discord knows all its values."""
    if field.key in command.shared:
        return _COMPLETES.get(field.key) or form_completer(field.key)
    if field.key == "check":
        return check_completer(command.kind)
    if isinstance(field, Pick) and not callable(field.choices):
        return None
    if field.key in _COMPLETES:
        return _COMPLETES[field.key]
    if isinstance(field, Flag | Number) or (isinstance(field, Typed) and field.choices is None):
        return None
    return field_completer(field)


class SystemGroup(app_commands.Group):
    """Everything under `/<key>`, or what its words call it; the same for every bot.

    With a `root` it is everything under that group, which stands beside it.
    """

    def __init__(self, system: System, root: str = "") -> None:
        self._system = system
        words = COMMANDS[system.key]
        name = root or command_prefix(system.key)
        super().__init__(name=name, description=words[root], guild_only=True)
        groups: dict[str, app_commands.Group] = {root: self}
        for command in system.commands:
            if _root(system, command) != root:
                continue
            group, _, name = command.name.rpartition(" ")
            if group not in groups:
                groups[group] = app_commands.Group(name=group, description=words[group])
                self.add_command(groups[group])
            groups[group].add_command(self._made(command, name, words))

    def _made(
        self, command: Command, name: str, words: Mapping[str, str]
    ) -> app_commands.Command[Any, ..., None]:
        fields = command.fields(self._system.procedures)

        async def callback(
            interaction: discord.Interaction[Storyguide], given: dict[str, Any]
        ) -> None:
            await self._run(interaction, command, given)

        taken = {
            field.key: command_options.Option(
                command_options.option_type(field), _completer_of(field, command), field.needed
            )
            for field in fields
        }
        return command_options.build_command(
            name, words, taken, callback, of=command.name, kind=command.kind
        )

    async def _run(
        self,
        interaction: discord.Interaction[Storyguide],
        command: Command,
        given: Mapping[str, Any],
    ) -> None:
        bot = interaction.client
        async with bot.interactions.respond_to(interaction) as response:
            ctx = await bot.interactions.context(response)
            await run_system_command(bot, ctx, self._system, command, given)


def _root(system: System, command: Command) -> str:
    """Return the group beside the system's own that a command stands under, or an empty text."""
    first = command.name.split()[0]
    return first if first in system.command_groups else ""


@cache
def system_groups(key: str) -> tuple[SystemGroup, ...]:
    """Return the groups of commands that only the system of that key has."""
    system = PLAYABLE[key]
    return tuple(SystemGroup(system, root) for root in ("", *system.command_groups))


async def run_system_command(
    bot: Storyguide,
    ctx: Context,
    system: System,
    command: Command,
    given: Mapping[str, Any],
    *,
    here: bool = True,
) -> None:
    """Run a command; with `here` off its result is a message of its own.

    `here` is off while the answer is a user's panel. Raises InvalidInput("not-this-system") if the
    table plays by another system.
    """
    game = ctx.game
    if game.system is not system:
        raise InvalidInput("not-this-system", field="system", value=None, name=system.name)
    acts = (
        None if AS_FIELD.key in given else own_character_on_turn(game.state, ctx.actor, ctx.place)
    )
    # The acting character decides what begins, and its visibility. In an answer the check decides.
    if acts is not None and AS_FIELD in command.form.fields and "check" not in command.form.keys:
        given = {**given, AS_FIELD.key: acts}
    said: CommandResult = command.run(game, given)
    match said:
        case CheckStart():
            await bot.beginnings.begin(ctx, said)
        case PromptAnswer():
            await answer_by_name(ctx, said)
        case CommandAction() if said.asks and here:
            await bot.forms.open(ctx, _KEY, {"command": command.name, "given": dict(given)})
        case CommandAction():
            # Players can't read the GM channel: results of what a GM does there go to the table.
            if ctx.in_gm_channel:
                ctx.move_to_table()
            elif said.openly and here:
                ctx.response.go_public()
                ctx.response.guarded = True
            await ctx.perform(said.action(**ctx.origin, **said.values))
        case CommandForm():
            await bot.command_forms.open(ctx, command, given, said)
        case CommandView():
            if said.openly and here:
                ctx.response.go_public()
            await ctx.show(command_view_card(ctx.scene, command.name, said))


class SystemButtons:
    """Handler of buttons on results of a system's own command.

    Their ids are `sg:own:<table>:<command>:<key>=<value>;…`.
    """

    def __init__(self, bot: Storyguide) -> None:
        self._bot = bot
        bot.router.add_table_route("own", self.press)
        bot.forms.add(_KEY, self)

    async def press(self, ctx: Context, press: Press) -> None:
        """Run the command that the button names, or ask for its values first.

        Raises Outdated("unknown-control") for an unknown command.
        """
        system = read_only_game(ctx.table.state).system
        command = next((known for known in system.commands if known.name == press.text(1)), None)
        if command is None:
            raise Outdated("unknown-control")
        asking = FormContext(ctx.game)
        said = press.text(2).replace("=", ": ").split(";") if len(press.args) > 2 else ()
        given = command.pressed.read_words(said, asking)
        if command.asks is None:
            await run_system_command(self._bot, ctx, system, command, given)
        else:
            command.asks(asking.game, given)  # raises a refusal before the form opens
            await self._bot.forms.open(ctx, _KEY, {"command": command.name, "given": given})

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the form that the button opens first."""
        asks = self._asked(ctx, about)[1]
        asking = FormContext(ctx.game, None, asks.who, draft)
        label = say_bare(asks.says(asks.form.read_draft(draft, asking)[0]))
        sends, title = (SendButton("go", label, "primary"),), say_bare(asks.title)
        if asks.back is not None:
            sends = (*sends, SendButton("back", say_bare(asks.back), always=True))
        before = () if asks.before is None else (Body(say(asks.before)),)
        return PanelForm(asks.form, asking, title, sends, before)

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Run the command with the values of the form."""
        command, asks = self._asked(ctx, about)
        words: dict[str, Any] = {}
        if option == "back":
            words = {"back": True}
        elif asks.form.fields and "with" in command.form.keys:
            words = {"with": ", ".join(asks.form.write_words(values))}
        else:
            words = {**values}
        system = read_only_game(ctx.table.state).system
        await run_system_command(
            self._bot, ctx, system, command, {**about["given"], **words}, here=False
        )

    def _asked(self, ctx: Context, about: Mapping[str, Any]) -> tuple[Command, ButtonQuestion]:
        system = read_only_game(ctx.table.state).system
        command = next((known for known in system.commands if known.name == about["command"]), None)
        if command is None or command.asks is None:
            raise Outdated("unknown-control")
        return command, command.asks(ctx.game, about["given"])


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    SystemButtons(bot)
    for key, system in PLAYABLE.items():
        if system.commands:
            bot.command_registry.set_factory(key, partial(system_groups, key))
