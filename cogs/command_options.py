"""Options of commands, and commands built from a list of options."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from typing import Any, Concatenate, Final, Literal, NamedTuple, ParamSpec, TypeVar

import discord
from discord import app_commands
from discord.utils import MISSING

from bot.app import Storyguide
from bot.presenters.language.limits import CHOICE_TEXT, CHOICES
from bot.presenters.language.words import COMMANDS
from bot.time_zones import offset_at
from bot.ui.context import Context
from cogs import completions
from cogs.check_completions import (
    checks_with_odds,
    difficulties,
    form_completer,
    injuries,
    option_words,
    targets,
)
from cogs.dice_completions import dice
from cogs.recovery import heal_methods
from rules.table.checks.procedure import Role
from rules.table.forms.fields import Flag, Many, Number, Pick, Typed
from rules.table.state import TableState
from rules.table.times.duration import OffsetAt, parse_until

T = TypeVar("T")
P = ParamSpec("P")

#: A name, a level, or another text that is looked up.
Name = app_commands.Range[str, 1, 100]
#: A character's approach, in the player's own words.
Idea = app_commands.Range[str, 1, 1000]
#: Words separated by commas, a reason, dice.
Words = app_commands.Range[str, 1, 200]
Modifier = app_commands.Range[int, -20, 20]
Visibility = Literal["public", "private", "blind"]
#: A check by its number.
CheckName = app_commands.Range[str, 1, 20]


def offsets_of_table(state: TableState) -> OffsetAt:
    """Return the function from a time to the seconds by which the table is east of UTC then.

    A table without a zone has UTC.
    """
    zone = state.settings.rest.zone
    return partial(offset_at, zone or "UTC")


def read_until(ctx: Context, typed: str) -> int:
    """Return the time that `until` means, in seconds since 1970.

    A day or a date begins at midnight in the table's zone. Raises as `parse_until`.
    """
    return parse_until(typed, "until", ctx.origin["at"], ctx.table.state.settings.rest)


def command(
    of: app_commands.Group | None = None,
    *,
    name: str = MISSING,
    description: str,
    public: bool | Callable[[Mapping[str, Any]], bool] = False,
    free: bool = False,
    gms: bool = False,
    guests: bool = False,
    role: Role | None = None,
) -> Callable[
    [Callable[Concatenate[Any, Context, P], Awaitable[None]]], app_commands.Command[Any, P, None]
]:
    """Return the decorator of a command, `of` a group or of its cog. It gets the user's context.

    `public`: everybody sees the answer, but no refusal; or a function of the options decides.
    `free`: works without a table. `gms`: NotPermitted("gm-only") for others. `guests`: works for
    users without a part in the table. `role`: of the checks whose form completes the options.
    """

    def decorate(
        run: Callable[Concatenate[Any, Context, P], Awaitable[None]],
    ) -> app_commands.Command[Any, P, None]:
        @wraps(run)
        async def callback(
            cog: Any, interaction: discord.Interaction[Storyguide], *args: P.args, **given: P.kwargs
        ) -> None:
            interactions = interaction.client.interactions
            openly = public(given) if callable(public) else public
            async with interactions.respond_to(interaction, public=openly) as response:
                response.guarded = openly
                find = interactions.free_context if free else interactions.context
                ctx = await find(response, guests=guests or gms)
                if gms:
                    ctx.require_gm()
                await run(cog, ctx, *args, **given)

        # The annotations are resolved in the function's own module.
        callback.__dict__["__signature__"] = signature(run, eval_str=True)
        return (of or app_commands).command(
            name=name, description=description, extras={"role": role} if role else {}
        )(callback)

    return decorate


def allow_anywhere(command: T) -> T:
    """Return a command that works in direct messages too, and wherever a user has installed the
    bot.
    """
    installed = app_commands.allowed_installs(guilds=True, users=True)(command)
    return app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)(installed)


class Option(NamedTuple):
    """Type of an option, and its completer if Discord does not know all its values."""

    kind: Any
    find: completions.Completer | None = None
    needed: bool = False


#: Options of several commands, by name.
SHARED: Final[Mapping[str, Option]] = {
    "method": Option(Name, heal_methods, needed=True),
    "target": Option(Name, targets),
    **{key: Option(Name, form_completer(key)) for key in ("mode", "weapon", "skill", "attribute")},
    "injury": Option(Name, injuries),
    "with": Option(Words, option_words),
    "difficulty": Option(Name, difficulties),
    "approach": Option(Idea),
    "modifier": Option(Modifier),
    "as": Option(Name, completions.characters),
    "visibility": Option(Visibility),
    "check": Option(CheckName, checks_with_odds),
    "dice": Option(Words, dice),
}
_DESCRIPTIONS: Final = COMMANDS["options"]
SKILL: Final = _DESCRIPTIONS["skill"]
ATTRIBUTE: Final = _DESCRIPTIONS["attribute"]
WITH: Final = _DESCRIPTIONS["with"]
AS: Final = _DESCRIPTIONS["as"]


def option_type(field: Any, unit: int = 1) -> Any:
    """Return Discord's type for a field of a form; a number counts in *unit* of the field's own."""
    if isinstance(field, Flag):
        return bool
    if isinstance(field, Number):
        return app_commands.Range[int, field.low // unit, field.high // unit]
    if isinstance(field, Pick) and not callable(field.choices) and not isinstance(field, Many):
        return Literal[tuple(choice.value for choice in field.choices[:CHOICES])]
    return app_commands.Range[str, 1, field.most if isinstance(field, Typed) else CHOICE_TEXT]


#: Runs a command with the stated options, by name.
Run = Callable[[discord.Interaction[Any], dict[str, Any]], Coroutine[Any, Any, None]]


def build_command(
    name: str,
    words: Mapping[str, str],
    options: Mapping[str, Option],
    run: Run,
    *,
    of: str = "",
    kind: str = "",
    role: Role | None = None,
) -> app_commands.Command[Any, ..., None]:
    """Return a command with these options.

    `words` has the command's description under `of` (`name` if that is empty), and an option's
    under `of.option`, else `.option`, else the shared one. `kind` is the check whose form completes
    the options, or `role` the role of these checks.
    """
    of = of or name
    keys = {f"{key.replace(' ', '_')}_": key for key in options}

    async def callback(interaction: discord.Interaction, **given: Any) -> None:
        await run(
            interaction, {keys[key]: value for key, value in given.items() if value is not None}
        )

    taken = [
        Parameter("interaction", Parameter.POSITIONAL_OR_KEYWORD, annotation=discord.Interaction)
    ]
    for key, option_name in keys.items():
        option = options[option_name]
        default = Parameter.empty if option.needed else None
        annotation = option.kind if option.needed else option.kind | None
        taken.append(Parameter(key, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
    callback.__dict__["__signature__"] = Signature(taken)
    app_commands.rename(
        **{key: option_name.replace(" ", "-") for key, option_name in keys.items()}
    )(callback)
    descriptions = {
        key: words.get(f"{of}.{option_name}")
        or words.get(f".{option_name}")
        or _DESCRIPTIONS[option_name]
        for key, option_name in keys.items()
    }
    app_commands.describe(**descriptions)(callback)
    finding = {key: options[option_name].find for key, option_name in keys.items()}
    completions.autocomplete(**{key: find for key, find in finding.items() if find})(callback)
    return app_commands.Command(
        name=name,
        description=words[of],
        callback=callback,
        extras={"kind": kind} if kind else {"role": role},
    )
