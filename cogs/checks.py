"""`/check`, `/attack`, `/contest`, `/heal`: checks of a character, with options or as a panel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands

from bot.app import Storyguide
from bot.presenters.language.words import COMMANDS
from bot.ui.context import Context
from cogs import command_options
from cogs.recovery import find_heal_method
from rules.registry import read_only_game
from rules.table.checks.procedure import Role, kind_with_role
from rules.table.commands import CheckStart
from rules.table.lookup import may_heal_openly

#: Names of the options of each command, in Discord's order.
_OPTIONS: Final[Mapping[Role, str]] = {
    "check": "skill attribute difficulty approach with modifier as visibility",
    "attack": "target weapon skill attribute with difficulty approach modifier as visibility",
    "contest": "target mode skill attribute with difficulty approach modifier as visibility",
    "heal": "method target injury skill attribute with approach difficulty as",
}
#: Options that say how a check begins; the others are values of its form.
_START_OPTIONS: Final = ("with", "target", "as", "visibility")


class Checks:
    """Commands that begin checks."""

    def __init__(self, bot: Storyguide) -> None:
        self._bot = bot

    def build_command(self, name: Role) -> app_commands.Command[Any, ..., None]:
        """Return the command of that name."""

        async def run(interaction: discord.Interaction, said: dict[str, Any]) -> None:
            given = {key: value for key, value in said.items() if value}  # a modifier of 0 is none
            # Every player can read the options of a public answer. So it is public only if no
            # option names a character that may be secret, aims at one, or hides what a GM does.
            public = (
                "target" not in taken
                and bool(given.keys() - {"visibility"})
                and not given.keys() & {"as", "with"}
            )
            public = public and given.get("visibility", "public") == "public"
            async with self._bot.interactions.respond_to(interaction, public=public) as response:
                await self._begin(await self._bot.interactions.context(response), name, given)

        taken = {key: command_options.SHARED[key] for key in _OPTIONS[name].split()}
        return app_commands.guild_only()(
            command_options.build_command(name, COMMANDS["checks"], taken, run, role=name)
        )

    async def _begin(self, ctx: Context, role: Role, given: dict[str, Any]) -> None:
        method = given.pop("method", None)
        start = _read_start(kind_with_role(ctx.game.system, role), given)
        if method is not None:
            start = _recovery_start(ctx, start, method)
        await self._bot.beginnings.begin(ctx, start)


def _read_start(kind: str, given: Mapping[str, Any]) -> CheckStart:
    """Return the start of a check with the options of a command."""
    values = {key: value for key, value in given.items() if key not in _START_OPTIONS}
    return CheckStart(
        kind,
        values,
        words=given.get("with"),
        target=given.get("target"),
        as_=given.get("as"),
        visibility=given.get("visibility", "public"),
    )


def _recovery_start(ctx: Context, start: CheckStart, method: str) -> CheckStart:
    """Return the start of a recovery by the method of that name.

    Raises as `may_heal_openly` and `find_heal_method`.
    """
    game = read_only_game(ctx.table.state)
    openly = may_heal_openly(game.state, ctx.actor, start.target, start.as_, ctx.place)
    kind, values = find_heal_method(game, method)
    return start.replace(kind=kind, values={**start.values, **values}, openly=openly)


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    for name in _OPTIONS:
        bot.tree.add_command(Checks(bot).build_command(name))
