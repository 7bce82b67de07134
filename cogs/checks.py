"""`/check`, `/attack`, `/contest`, `/heal`: checks of a character, with options or as a panel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands

from bot.app import Storyguide
from bot.presenters.language.words import COMMANDS
from bot.ui.context import Context
from cogs import command_options, completions
from rules.registry import read_only_game
from rules.table.checks.procedure import Role, kind_with_role, procedure_of
from rules.table.lookup import may_heal_openly

#: Names of the options of each command, in Discord's order.
_OPTIONS: Final[Mapping[Role, str]] = {
    "check": "skill attribute difficulty approach with modifier as visibility",
    "attack": "target weapon skill attribute with difficulty approach modifier as visibility",
    "contest": "target mode skill attribute with difficulty approach modifier as visibility",
    "heal": "method target injury skill attribute with approach difficulty as",
}


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
        words = completions.split_words(given.pop("with", None))
        target, as_ = given.pop("target", None), given.pop("as", None)
        visibility, openly = given.pop("visibility", "public"), None
        game = read_only_game(ctx.table.state)
        kind = kind_with_role(game.system, role)
        if method := given.pop("method", None):
            openly = may_heal_openly(game.state, ctx.actor, target, as_, ctx.place)
            kind, said = completions.find_heal_method(game, method)
            given |= said
            as_, target = procedure_of(game, kind).actor_and_target(as_, target)
        await self._bot.beginnings.begin(
            ctx,
            kind,
            given,
            words=words,
            target=target,
            as_=as_,
            visibility=visibility,
            openly=openly,
        )


async def setup(bot: Storyguide) -> None:
    """Load the extension; discord.py calls this."""
    for name in _OPTIONS:
        bot.tree.add_command(Checks(bot).build_command(name))
