"""Common parts of completions of command options, which show only what the asker may see."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any, TypeVar

import discord
from discord import app_commands

from bot.app import Storyguide
from bot.presenters.checks import check_choice_text
from bot.presenters.language.limits import CHOICE_TEXT, CHOICES, clip
from bot.presenters.language.text import EMPTY_NAME
from bot.presenters.language.words import say_bare
from bot.presenters.npc import bare_name
from bot.services.loaded_table import Table
from bot.services.readers import Reader
from bot.time_zones import suggest_zones
from rules.core.errors import RulesError
from rules.core.name_matching import split_words
from rules.core.record import Record
from rules.table import lookup
from rules.table.actions import Actor
from rules.table.check import AnyCheck
from rules.table.forms.fields import Choices as Offered
from rules.table.forms.fields import Option
from rules.table.lookup import acting_character, playable_characters
from rules.table.people.npcs import groups
from rules.table.people.npcs import npcs as all_npcs
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game

Choices = list[app_commands.Choice[str]]
Completer = Callable[[discord.Interaction[Storyguide], str], Coroutine[Any, Any, Choices]]
#: Values with their labels, without Markdown.
Pairs = Iterable[tuple[str, str]]
_Decorated = TypeVar("_Decorated")


class CompletionContext(Record):
    """The asker, the table and the typed text of a completion."""

    interaction: discord.Interaction[Storyguide]
    reader: Reader
    typed: str
    #: Words before the one that is being typed.
    named: frozenset[str] = frozenset()

    @property
    def table(self) -> Table:
        return self.reader.table

    @property
    def actor(self) -> Actor:
        return self.reader.actor

    @property
    def state(self) -> TableState:
        return self.table.state

    @property
    def game(self) -> Game:
        """The table as the user may look at it now."""
        return self.reader.game

    @property
    def place(self) -> str:
        return str(self.interaction.channel_id)

    @property
    def gm(self) -> bool:
        return self.reader.gm

    def option(self, name: str) -> Any:
        """Return another option of the command, or None if it is not stated."""
        return getattr(self.interaction.namespace, name, None) or None

    @property
    def command_options(self) -> frozenset[str]:
        """Names of the command's options, as Discord shows them."""
        command = self.interaction.command
        if not isinstance(command, app_commands.Command):
            return frozenset()
        return frozenset([parameter.display_name for parameter in command.parameters])

    def acting_character(self) -> AnyCharacter:
        """Return the acting character. Raises as the function of that name in the rules."""
        return acting_character(self.state, self.actor, self.option("as"), self.place)

    def named_character(self, option: str) -> AnyCharacter:
        """Return the known character that an option names, else the acting one.

        Raises as the lookup of either.
        """
        if typed := self.option(option):
            return lookup.find_known(self.state, self.actor, typed, option)
        return acting_character(self.state, self.actor, None, self.place)

    def possible_actors(self) -> tuple[str, ...]:
        """Return the ids of the acting character, or of all that may act if none is named."""
        try:
            return (self.acting_character().id,)
        except RulesError:
            mine = () if self.option("as") else playable_characters(self.state, self.actor)
            return tuple([character.id for character in mine[:CHOICES]])

    def people(self, characters: Iterable[AnyCharacter]) -> list[tuple[str, str]]:
        """Return pairs of characters, with the names that the asker knows."""
        return [(character.id, bare_name(character, gm=self.gm)) for character in characters]

    def checks(self, listed: Iterable[AnyCheck]) -> Pairs:
        """Return pairs of checks, with the names that the asker knows."""
        characters = self.state.characters
        known = [check for check in listed if check.actor in characters]
        return [
            (check.id, check_choice_text(check, bare_name(characters[check.actor], gm=self.gm)))
            for check in known
        ]


def autocomplete(**options: Completer) -> Callable[[_Decorated], _Decorated]:
    """Return the decorator that completes a command's options, by parameter name."""
    return app_commands.autocomplete(**options)


async def zone_names(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
    """Return the time zones that what is typed may mean."""
    return [app_commands.Choice(name=zone, value=zone) for zone in suggest_zones(typed)]


def matching_choices(pairs: Pairs, typed: str) -> Choices:
    """Return at most 25 choices whose label contains the typed text; prefixes come first."""
    wanted = typed.strip().casefold()
    fitting = [(value, label) for value, label in pairs if wanted in label.casefold()]
    fitting.sort(key=lambda pair: not pair[1].casefold().startswith(wanted))
    return [
        app_commands.Choice(
            name=clip(label, CHOICE_TEXT).strip() or EMPTY_NAME, value=value[:CHOICE_TEXT]
        )
        for value, label in fitting[:CHOICES]
    ]


def completer(
    pairs: Callable[[CompletionContext], Pairs],
    *,
    gms: bool = False,
    free: bool = False,
    several: bool = False,
    searches: bool = False,
) -> Completer:
    """Return the completer that offers `pairs`; nothing if computing them is refused.

    `gms`: for GMs alone. `free`: also without a table. Of `several` words separated by commas it
    completes the last, as long as all of them fit into an option. With `searches` the pairs are the
    matches of the typed text already, in their order.
    """

    async def find(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
        reader = await interaction.client.interactions.reader_here(interaction, free=free)
        if reader is None or (gms and not reader.gm):
            return []
        head, comma, last = typed.rpartition(",") if several else ("", "", typed)
        prefix = f"{head.strip()}, " if comma else ""
        asked = CompletionContext(interaction, reader, last, frozenset(split_words(head)))
        try:
            choices = matching_choices(pairs(asked), "" if searches else last)
        except RulesError:
            return []
        return [
            app_commands.Choice(
                name=clip(prefix + choice.name, CHOICE_TEXT), value=prefix + choice.value
            )
            for choice in choices
            if choice.value not in asked.named and len(prefix + choice.value) <= CHOICE_TEXT
        ]

    return find


#: Completers for GMs alone; of several words; also without a table.
to_gms = partial(completer, gms=True)
of_several = partial(completer, several=True)
anywhere = partial(completer, free=True)


def option_pairs(choices: Iterable[Option]) -> Pairs:
    return [(choice.value, say_bare(choice.label)) for choice in choices]


def field_pairs(offered: Offered) -> Pairs:
    return [
        (str(value[0] if isinstance(value, tuple) else value), say_bare(label))
        for value, label in offered
    ]


def pool_completer(
    pool: Callable[[TableState, Actor], Iterable[AnyCharacter]], *, gms: bool = False
) -> Completer:
    """Return the completer of characters from a pool for the asker."""
    return completer(lambda asked: asked.people(pool(asked.state, asked.actor)), gms=gms)


#: Characters that the asker may act as.
characters = pool_completer(playable_characters)
#: Every character in play, for GMs.
for_gms = pool_completer(lookup.known_characters, gms=True)


def group_pairs(state: TableState) -> list[tuple[str, str]]:
    return [(name, f"{name} (all {len(members)})") for name, members in groups(state).items()]


#: NPCs and their groups, for GMs alone.
npcs = to_gms(lambda asked: [*group_pairs(asked.state), *asked.people(all_npcs(asked.state))])
