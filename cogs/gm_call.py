"""`/gm call`: a roll of several characters at once, with a text for those who succeed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from discord import app_commands
from discord.ext import commands

from bot.ui.context import Context
from bot.ui.panels.check_start import command_values
from bot.ui.roll_call_answer import make_roll_call
from cogs import command_options
from cogs.check_completions import difficulties, option_words
from cogs.completions import (
    Completer,
    CompletionContext,
    Pairs,
    autocomplete,
    completer,
    field_pairs,
)
from rules.core.name_matching import split_words
from rules.table.actions import CallForRolls
from rules.table.checks.procedure import kind_with_role, procedure_of
from rules.table.checks.stages import HIDDEN_FIELD, TRAITS
from rules.table.forms.fields import FormContext
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.roll_calls.call_form import roll_call_form
from rules.table.roll_calls.roll_call import calls_everybody, players_characters
from rules.table.roll_calls.roll_call_actions import SEAL_MAX, TEXT_MAX
from rules.table.system import Game
from rules.table.times.duration import parse_until

if TYPE_CHECKING:
    from bot.app import Storyguide

Span = app_commands.Range[str, 1, 60]


def _traits(key: str) -> Completer:
    """Return the completer of a trait that any player's character can roll with, for GMs."""

    def pairs(asked: CompletionContext) -> Pairs:
        game = asked.game
        form = procedure_of(game, kind_with_role(game.system, "check")).form
        field = None if form is None else form.by_key.get(key)
        offered: dict[str, str] = {}
        if field is None:
            return ()
        for character in players_characters(asked.state):
            choices = field_pairs(field.choices_for(FormContext(game, None, character.id)))
            offered = dict(choices) | offered
        return offered.items()

    return completer(pairs, gms=True)


#: Players' characters, of which several may be named, for GMs.
called = completer(
    lambda asked: asked.people(players_characters(asked.state)), gms=True, several=True
)


class CallCommands(commands.Cog):
    """call."""

    bot: Storyguide

    @command_options.command(
        description="Call for a roll from several characters at once", gms=True, role="check"
    )
    @app_commands.describe(
        skill=command_options.SKILL,
        attribute=command_options.ATTRIBUTE,
        difficulty="A level or a number",
        hidden="Keep the difficulty to the GMs",
        who="Whose characters, separated by commas (default: everybody here)",
        with_=command_options.WITH,
        text="What it's about; everybody reads it",
        seal="What only those who succeed learn",
        until="When missing rolls are made for the players: 2 days, Friday or 2030-12-24",
        missing="What happens then (default: Storyguide rolls)",
        panel="Open a panel first, to write a sealed text of several lines",
    )
    @app_commands.rename(with_="with")
    @autocomplete(
        skill=_traits("skill"),
        attribute=_traits("attribute"),
        difficulty=difficulties,
        who=called,
        with_=option_words,
    )
    async def call(
        self,
        ctx: Context,
        skill: command_options.Name | None = None,
        attribute: command_options.Name | None = None,
        difficulty: command_options.Name | None = None,
        hidden: bool = False,
        who: command_options.Words | None = None,
        with_: command_options.Words | None = None,
        text: app_commands.Range[str, 1, TEXT_MAX] | None = None,
        seal: app_commands.Range[str, 1, SEAL_MAX] | None = None,
        until: Span | None = None,
        missing: Literal["roll", "none"] = "roll",
        panel: bool = False,
    ) -> None:
        by = ctx.origin
        ctx.require_gm()
        rest = ctx.table.state.settings.rest
        names = () if who is None else _named(ctx, who)
        ruling: dict[str, Any] = {}
        if difficulty is not None:
            ruling["difficulty"] = difficulty
        # Rules that always hide the difficulty have no such field.
        if hidden and HIDDEN_FIELD.key in roll_call_form(ctx.game).keys:
            ruling[HIDDEN_FIELD.key] = True
        action = CallForRolls(
            **by,
            values=_values(ctx, {"skill": skill, "attribute": attribute}, with_, names),
            ruling=ruling,
            characters=_ids(ctx, names),
            text=text or "",
            seal=seal or "",
            until=None if until is None else parse_until(until, "until", by["at"], rest),
            rolls=missing == "roll",
        )
        if panel or _is_incomplete(ctx.game, action.values):
            await self.bot.roll_call_form.open(ctx, action, until or "")
        else:
            await make_roll_call(ctx, action)


def _is_incomplete(game: Game, values: Mapping[str, Any]) -> bool:
    """Return whether a call leaves out what is rolled, in rules that have traits to choose."""
    form = procedure_of(game, kind_with_role(game.system, "check")).form or Form()
    traits = [key for key in TRAITS if key in form.keys]
    return bool(traits) and not any(values.get(key) for key in traits)


def _named(ctx: Context, who: str) -> Sequence[str]:
    """Return the names in the option `who`; none if it calls everybody here."""
    names = split_words(who)
    return () if calls_everybody(ctx.table.state, names) else names


def _ids(ctx: Context, names: Iterable[str]) -> tuple[str, ...]:
    """Return the ids of the named characters. Raises as `find_known`."""
    return tuple(find_known(ctx.table.state, ctx.actor, name, "who").id for name in names)


def _values(
    ctx: Context, options: dict[str, Any], words: str | None, names: Iterable[str]
) -> dict[str, Any]:
    """Return the options of the command as values of the check's form.

    Words are read for the first of the characters. Raises as `command_values` and `find_known`.
    """
    game, state = ctx.game, ctx.table.state
    found = [find_known(state, ctx.actor, name, "who") for name in names]
    first = next(iter(found or players_characters(state)), None)
    kind = kind_with_role(game.system, "check")
    who = "" if first is None else first.id
    return command_values(game, kind, options, split_words(words), who)
