"""Completions of command options. They show only what the asker may see."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

import discord
from discord import app_commands

from bot.app import Storyguide
from bot.delivery.channel_rights import place_name
from bot.presenters.checks import check_choice_text, resource_text
from bot.presenters.forms import field_title
from bot.presenters.language.limits import CHOICE_TEXT, CHOICES, clip
from bot.presenters.language.text import EMPTY_NAME, bare_text
from bot.presenters.language.words import say_bare
from bot.presenters.npc import bare_name, target_label
from bot.presenters.setting_search import find_settings, page_titles
from bot.presenters.standing_orders import order_choices, order_key, order_text
from bot.services.loaded_table import Table
from bot.services.readers import Reader
from bot.ui.panels.check_start import check_start_form
from rules.core.cards import standard_deck
from rules.core.errors import InvalidInput, NotFound, RulesError
from rules.core.name_matching import split_words
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table import lookup
from rules.table.absence import orders_of
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.cards import (
    STANDARD_DECK,
    deck_of,
    decks_of,
    hand_place,
    open_place,
    piles_of,
    system_deck,
)
from rules.table.check import AnyCheck
from rules.table.checks import access, odds
from rules.table.checks.access import is_open_to
from rules.table.checks.costs import SpendOption, spend_options
from rules.table.checks.procedure import kind_with_role, kinds_with_role, procedure_of
from rules.table.checks.stages import can_hold
from rules.table.forms import NO_CONTEXT, Field, Flag, FormContext, Option, Pick
from rules.table.forms import Choices as Offered
from rules.table.gm_values import Tools
from rules.table.initiative import encounter_in, slot_name
from rules.table.lookup import acting_character, playable_characters
from rules.table.people.characters import (
    editable_characters,
    find_own,
    growable_characters,
    retired_characters,
)
from rules.table.people.npcs import groups
from rules.table.people.npcs import npcs as all_npcs
from rules.table.permissions import owns
from rules.table.resources import award_options
from rules.table.settings import settings_form
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game, System
from rules.table.turns.encounters import may_handle

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

    def growing_character(self) -> AnyCharacter:
        """Return the learning character: the one in `character`, else as the command finds it.

        Raises as `find_own`.
        """
        return find_own(
            self.state,
            self.actor,
            self.option("character"),
            growable_characters(self.state, self.actor),
        )

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
_to_gms = partial(completer, gms=True)
_of_several = partial(completer, several=True)
_anywhere = partial(completer, free=True)


def _texts(choices: Iterable[Option]) -> Pairs:
    return [(choice.value, say_bare(choice.label)) for choice in choices]


def _field_texts(offered: Offered) -> Pairs:
    return [
        (str(value[0] if isinstance(value, tuple) else value), say_bare(label))
        for value, label in offered
    ]


# --- the rules' forms -----------------------------------------------------------------------------

#: Key of the field with the methods of a way to recover.
METHOD: Final = "method"
#: Fields with an option of their own in commands; `with` leaves them out.
OWN_OPTIONS: Final = frozenset(
    {
        *("skill", "attribute", "difficulty", "approach", "modifier"),
        *("weapon", "injury", "mode", METHOD),
    }
)


def _kind_of(asked: CompletionContext) -> str:
    """Return the kind of check that a command begins, or that its `method` says.

    Raises as `find_heal_method`.
    """
    command, method = asked.interaction.command, asked.option(METHOD)
    if method:
        return find_heal_method(asked.game, method)[0]
    if command is None:
        return ""
    if role := command.extras.get("role"):
        return kind_with_role(asked.game.system, role)
    return command.extras.get("kind", command.name)


def _fields(asked: CompletionContext) -> tuple[Field, ...]:
    """Return the fields for the kind of check that a command begins."""
    kind = _kind_of(asked)
    return check_start_form(asked.game, kind).fields if kind in asked.game.system.procedures else ()


def _stated_values(asked: CompletionContext, fields: Iterable[Field]) -> dict[str, Any]:
    """Return the values of these fields in the command's other options."""
    values = {field.key: asked.option(field.key) for field in fields}
    return {key: value for key, value in values.items() if value is not None}


def _offers(asked: CompletionContext, who: Sequence[str], key: str) -> dict[str, str]:
    """Return the choices of a field for any of these characters, each value once."""
    fields, offered = _fields(asked), dict[str, str]()
    said = _stated_values(asked, fields)
    for character in who:
        asking = FormContext(asked.game, None, character, said)
        for field in fields:
            if field.key == key:
                offered = dict(_field_texts(field.choices_for(asking))) | offered
    return offered


def form_completer(key: str) -> Completer:
    """Return the completer of an option by the field of that key in the rules' form."""
    return completer(lambda asked: _offers(asked, asked.possible_actors(), key).items())


def field_completer(field: Field) -> Completer:
    """Return the completer of a field of a system's own command, for the acting character."""

    @completer
    def pairs(asked: CompletionContext) -> Pairs:
        try:
            who = asked.acting_character().id
        except RulesError:
            who = ""
        return _field_texts(field.choices_for(FormContext(asked.game, None, who)))

    return pairs


def check_completer(kind: str) -> Completer:
    """Return the completer of checks of a kind that may be joined, or that wait for their roll."""

    @completer
    def pairs(asked: CompletionContext) -> Pairs:
        game = asked.game
        of_kind = [check for check in game.state.checks.values() if check.kind == kind]
        waiting = [check for check in of_kind if check.prompt("join") or check.prompt("ready")]
        return asked.checks(check for check in waiting if is_open_to(game, check, game.actor))

    return pairs


@completer
def hold_checks(asked: CompletionContext) -> Pairs:
    """Return the checks that wait for a player's say, or could."""
    game = asked.game
    seen = [check for check in game.state.checks.values() if is_open_to(game, check, game.actor)]
    return asked.checks(check for check in seen if can_hold(game, check) or check.held_for)


@completer
def difficulties(asked: CompletionContext) -> Pairs:
    """Yield a typed number as it is, then the system's levels."""
    number = asked.typed.strip()
    yield from [(number, number)] if number.isdigit() else []
    yield from _offers(asked, asked.possible_actors() or ("",), "difficulty").items()


@_of_several
def option_words(asked: CompletionContext) -> Iterator[tuple[str, str]]:
    """Yield words of `with` for the possible actors, after those already typed.

    Fields with an option of their own in the command are left out.
    """
    kind = _kind_of(asked)
    form = check_start_form(asked.game, kind)
    own = OWN_OPTIONS | asked.command_options
    offered = form.replace(fields=tuple([field for field in form.fields if field.key not in own]))
    said = _stated_values(asked, form.fields)
    offers = (
        offer
        for who in asked.possible_actors()
        for offer in offered.word_options(FormContext(asked.game, None, who, said))
    )
    for offer in offers:
        label = say_bare(offer.label)
        same = offer.value.rpartition(": ")[2].casefold() == label.casefold()
        yield offer.value, offer.value if same else f"{offer.value} – {label}"


def _ways(game: Game) -> list[tuple[str, Field | None]]:
    """Return the kinds of check for recovery in this game, each with the field of its methods."""
    kinds = kinds_with_role(game.system, "heal")
    # Rest comes first: it needs nobody's help.
    kinds = sorted(kinds, key=lambda kind: not procedure_of(game, kind).anybody)
    return [(kind, check_start_form(game, kind).by_key.get(METHOD)) for kind in kinds]


def _heal_methods(game: Game) -> Iterator[tuple[str, str]]:
    for kind, ways in _ways(game):
        if ways is None:
            yield kind, say_bare(Text(f"kind-{kind}"))
        else:
            yield from _field_texts(ways.choices_for(FormContext(game)))


#: The ways to recover that are open to the asker.
heal_methods = completer(lambda asked: _heal_methods(asked.game))


def _names_way(kind: str, wanted: str) -> bool:
    """Return whether typed words name a way to recover, such as `treat a wound`."""
    words = say_bare(Text("heal-words", {"kind": kind})).split(", ")
    return any(word in wanted for word in words if word)


def find_heal_method(game: Game, method: str) -> tuple[str, dict[str, str]]:
    """Return the kind of check for a way to recover, and its values.

    A way is found by its name, or a part of it.

    Raises NotFound("unknown-heal-method"), Impossible("not-in-these-rules").
    """
    there, wanted = _ways(game), method.strip().casefold()
    if not there:
        procedure_of(game, kind_with_role(game.system, "heal"))
    called = {label: key for key, label in _heal_methods(game)}
    same = [label for label in called if label.casefold() == wanted]
    near = same or [label for label in called if wanted and wanted in label.casefold()]
    # "First aid" means "First aid: wounds"; the first of several is the usual one.
    near = [label for label in near if label.casefold().startswith(f"{wanted}: ")][:1] or near
    meant = called[near[0]] if len(near) == 1 else method.strip()
    for kind, ways in there:
        if isinstance(ways, Pick):
            with suppress(NotFound):
                return kind, {METHOD: str(ways.found(FormContext(game), meant))}
        elif meant and (kind.startswith(meant.casefold()) or _names_way(kind, wanted)):
            return kind, {}
    raise NotFound(
        "unknown-heal-method",
        field="method",
        value=method[:CHOICE_TEXT],
        nearest=tuple(near or called),
    )


@completer
def injuries(asked: CompletionContext) -> Pairs:
    """Return the untreated injuries of `target`, or of the acting character.

    Players get those of their own characters only.
    """
    target = asked.named_character("target") if asked.option("target") else asked.acting_character()
    mine = asked.gm or owns(asked.state, asked.actor, target)
    return _offers(asked, (target.id,), "injury").items() if mine else ()


# --- of sheets ------------------------------------------------------------------------------------


def _traits(
    key: str, whose: Callable[[CompletionContext], AnyCharacter], *, gms: bool = False
) -> Completer:
    """Return the completer of a field of a check for a character."""

    def pairs(asked: CompletionContext) -> Pairs:
        fields = check_start_form(asked.game, kind_with_role(asked.game.system, "check")).fields
        asking = FormContext(asked.game, None, whose(asked).id)
        offered: list[tuple[str, str]] = []
        for field in fields:
            if field.key == key:
                offered += _field_texts(field.choices_for(asking))
        return offered

    return completer(pairs, gms=gms)


#: Abilities and attributes of the character in `as`, for GMs.
anybodys_skills = _traits("skill", lambda asked: asked.named_character("as"), gms=True)
anybodys_attributes = _traits("attribute", lambda asked: asked.named_character("as"), gms=True)


def _tools(game: Game) -> Tools:
    return game.require(game.system.tools)


#: Growth options of the learning character, with their prices, and its attributes.
advances = completer(
    lambda asked: _texts(asked.game.system.advances(asked.game, asked.growing_character()))
)
grown_attributes = _traits("attribute", CompletionContext.growing_character)
#: Awards, and the values on the sheet of `character` that can be set, for GMs.
awards = _to_gms(lambda asked: _texts(award_options(asked.game.system.resources)))
adjustables = _to_gms(
    lambda asked: _texts(_tools(asked.game).adjustables(asked.named_character("character")))
)


@_to_gms
def adjust_values(asked: CompletionContext) -> Pairs:
    """Return the values that `what` can be set to, for GMs; empty without a list of values."""
    what = asked.option("what")
    if not what:
        return ()
    return _texts(_tools(asked.game).values(asked.named_character("character"), what))


def _found_settings(asked: CompletionContext) -> Pairs:
    form = settings_form(asked.game.system)
    pages = page_titles(form)
    for field in find_settings(form, asked.typed):
        yield field.key, f"{field_title(field)}{_PAGE_MARK}{pages[field.key]}"


#: Between the name of a setting and its page.
_PAGE_MARK: Final = " · "
#: The table's settings, found by everyday words, for GMs.
settings = completer(_found_settings, gms=True, searches=True)


def setting_key(system: System, typed: str) -> str:
    """Return the key of a setting from its name, or from words that find only this one.

    Anything else is returned as it was typed.
    """
    form = settings_form(system)
    name = typed.partition(_PAGE_MARK)[0].strip().casefold()
    for field in form.fields:
        if name in (field.key, field_title(field).casefold()):
            return field.key
    found = find_settings(form, typed)
    return found[0].key if len(found) == 1 else typed


@_to_gms
def setting_values(asked: CompletionContext) -> Pairs:
    system = asked.game.system
    key = setting_key(system, asked.option("setting") or "")
    field = settings_form(system).by_key.get(key)
    if field is None:
        return ()
    if isinstance(field, Flag):
        return [("on", "on"), ("off", "off")]
    return [
        (field.format_text(value), say_bare(label))
        for value, label in field.choices_for(NO_CONTEXT)
    ]


# --- people ---------------------------------------------------------------------------------------


def pool_completer(
    pool: Callable[[TableState, Actor], Iterable[AnyCharacter]], *, gms: bool = False
) -> Completer:
    """Return the completer of characters from a pool for the asker."""
    return completer(lambda asked: asked.people(pool(asked.state, asked.actor)), gms=gms)


#: Characters that the asker may act as, or may look at; every character in play, for GMs.
characters = pool_completer(playable_characters)
presentable = completer(lambda asked: asked.people(access.viewable_characters(asked.game)))
for_gms = pool_completer(lookup.known_characters, gms=True)


@completer
def targets(asked: CompletionContext) -> Pairs:
    """Return the characters that the asker knows, with a mark on the dead."""
    return [
        (character.id, say_bare(target_label(asked.game, character, gm=asked.gm)))
        for character in lookup.known_characters(asked.state, asked.actor)
    ]


@completer
def retiring(asked: CompletionContext) -> Pairs:
    """Return the characters that the asker may retire, or bring back with `back`."""
    pool = retired_characters if asked.option("back") else editable_characters
    return asked.people(pool(asked.state, asked.actor))


def _groups(state: TableState) -> list[tuple[str, str]]:
    return [(name, f"{name} (all {len(members)})") for name, members in groups(state).items()]


#: Ready NPCs of the rules.
ready_npcs = _to_gms(lambda asked: _texts(asked.game.sheets.npcs(asked.game)))
#: Kinds of NPCs by their importance.
npc_kinds = _to_gms(lambda asked: _texts(asked.game.sheets.npc_kinds))
#: NPCs and their groups, for GMs alone.
npcs = _to_gms(lambda asked: [*_groups(asked.state), *asked.people(all_npcs(asked.state))])


@_to_gms
def newcomers(asked: CompletionContext) -> Pairs:
    """Return the characters that are not in the order of action here yet, and groups, for GMs."""
    encounter = encounter_in(asked.state, asked.place)
    there = {slot.character for slot in encounter.order} if encounter else set()
    known = lookup.known_characters(asked.state, asked.actor)
    new = [character for character in known if character.approved and character.id not in there]
    return [*_groups(asked.state), *asked.people(new)]


def _in_order(asked: CompletionContext) -> Pairs:
    state, actor = asked.state, asked.actor
    encounter = encounter_in(state, asked.place)
    order = encounter.order if encounter else ()
    names = (slot_name(state, slot, actor) for slot in order if may_handle(state, actor, slot))
    return [(name, bare_text(name)) for name in names if name and name not in asked.named]


#: Entries in the order of action here that the asker may handle; several of them.
one_in_order, several_in_order = completer(_in_order), _of_several(_in_order)


# --- orders, points, checks -----------------------------------------------------------------------


def find_order(game: Game, typed: str) -> tuple[str, str, str]:
    """Return kind, prompt and option of a standing order, by its name or a part of it.

    Raises InvalidInput("not-orderable").
    """
    offered = order_choices(game)
    wanted = typed.strip().casefold()
    labels = {key: label.casefold() for key, label in offered.items()}
    matches = [key for key, label in labels.items() if wanted in (key.casefold(), label)]
    # The cost follows the name in brackets.
    matches = matches or [
        key for key, label in labels.items() if wanted == label.partition(" (")[0]
    ]
    matches = matches or [key for key, label in labels.items() if label.startswith(wanted)]
    matches = matches or [key for key, label in labels.items() if wanted in label]
    if len(matches) == 1:
        kind, prompt, option = matches[0].split("/")
        return kind, prompt, option
    allowed = tuple([offered[key] for key in matches or offered])[:5]
    raise InvalidInput("not-orderable", field="order", value=typed[:60], allowed=allowed)


@completer
def given_orders(asked: CompletionContext) -> Pairs:
    """Yield the standing orders of `character`, or of the asker's own."""
    character = acting_character(asked.state, asked.actor, asked.option("character"), asked.place)
    labels = order_choices(asked.game)
    for order in orders_of(asked.state, character.id).given:
        key = order_key(order.kind, order.prompt, order.option)
        yield key, labels.get(key) or order_text(order.kind, order.prompt, None)


@completer
def orders(asked: CompletionContext) -> Pairs:
    """Return the possible standing orders of `character`, or of the user's own."""
    character = acting_character(asked.state, asked.actor, asked.option("character"), asked.place)
    return order_choices(asked.game, character.id).items()


def _points(game: Game) -> dict[str, str]:
    reserves = [resource for resource in game.system.resources if resource.reserve]
    return {resource.key: resource_text(resource.key) for resource in reserves}


def resource_key(game: Game, typed: str) -> str:
    """Return the key of points by their name. Raises InvalidInput("unknown-resource")."""
    points, wanted = _points(game), typed.strip().casefold()
    for key, label in points.items():
        if wanted in (key.casefold(), label.casefold()):
            return key
    raise InvalidInput(
        "unknown-resource", field="keep", value=typed[:60], allowed=tuple(points.values())
    )


#: Points that the rules keep count of.
resources = completer(lambda asked: _points(asked.game).items())
#: Checks that wait for their roll and whose odds the asker may see, newest first.
checks_with_odds = completer(
    lambda asked: asked.checks(odds.checks_awaiting_roll(asked.game, CHOICES))
)


def _spendings(asked: CompletionContext, check: str | None) -> tuple[SpendOption, ...]:
    """Return the options to spend, as far as the other options narrow them down."""
    return spend_options(asked.game, asked.option("as"), check)


@completer
def spend_names(asked: CompletionContext) -> Pairs:
    """Return what the asker can spend now."""
    spendings = _spendings(asked, asked.option("check"))
    first = {spending.what: say_bare(spending.option.label) for spending in reversed(spendings)}
    return reversed(first.items())


@completer
def spend_choices(asked: CompletionContext) -> Pairs:
    """Return the choices of `what`."""
    wanted = asked.option("what")
    spendings = _spendings(asked, asked.option("check"))
    fitting = [spending for spending in spendings if wanted in (None, spending.what)]
    offered = dict.fromkeys(spending.choice for spending in fitting if spending.choice)
    return [(choice, choice) for choice in offered]


@completer
def spend_checks(asked: CompletionContext) -> Pairs:
    """Return the checks on which the asker can spend `what`, newest first."""
    wanted = asked.option("what")
    spendings = _spendings(asked, None)
    fitting = [spending for spending in spendings if wanted in (None, spending.what)]
    names = dict.fromkeys(spending.check for spending in fitting)
    return asked.checks(asked.state.checks[name] for name in names)


# --- places, dice, cards --------------------------------------------------------------------------


@_to_gms
def places(asked: CompletionContext) -> Pairs:
    """Return the table's places, for GMs."""
    bound = asked.interaction.client.tables.places.places_of(asked.table.id)
    return [(place, place_name(asked.interaction.guild, place)) for place in bound]


@_anywhere
def saved_rolls(asked: CompletionContext) -> Pairs:
    """Return the asker's saved rolls, by name."""
    return [(name, f"{name}: {text}") for name, text in asked.state.person(asked.actor.id).rolls]


@completer
def _named_values(asked: CompletionContext) -> Pairs:
    values = asked.game.sheets.values(asked.acting_character())
    return [(name, f"{{{name}}}: {value}") for name, value in values.items()]


async def named_values(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
    """Return the acting character's named values, after an open brace."""
    head, brace, last = typed.rpartition("{")
    if not brace or "}" in last:
        return []
    return [
        app_commands.Choice(name=choice.name, value=f"{head}{{{choice.value}}}")
        for choice in await _named_values(interaction, last)
        if len(head) + len(choice.value) + 2 <= CHOICE_TEXT
    ]


async def dice(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
    """Return the asker's saved rolls, or named values after an open brace."""
    return await named_values(interaction, typed) or await saved_rolls(interaction, typed)


async def decks(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
    """Return the decks of the table, or the standard deck without a table."""
    here = await interaction.client.interactions.table_here(interaction, free=True)
    if here is None:
        known = {STANDARD_DECK: standard_deck()}
    else:
        known = decks_of(read_only_game(here[0].state))
    return matching_choices(((key, deck.name) for key, deck in known.items()), typed)


#: The table's own decks, for GMs.
own_decks = _to_gms(lambda asked: [(key, deck.name) for key, deck in asked.state.own_decks.items()])


def _cards(*places: Callable[[str], str]) -> Completer:
    """Return the completer of the asker's cards in these places; equal cards count once."""

    @_anywhere
    def pairs(asked: CompletionContext) -> Pairs:
        deck = deck_of(asked.game, asked.option("deck") or STANDARD_DECK)
        rules = asked.game.system.cards
        own = system_deck(asked.game)
        if rules is not None and own is not None and deck.id in (STANDARD_DECK, own.id):
            return [
                (held.card, held.name)
                for held in rules.held(asked.game, asked.actor.id)
                if held.verbs
            ]
        piles = piles_of(asked.state, deck.id)
        names = {card.id: card.name for card in deck.cards}
        mine = [
            card
            for place in places
            for card in piles.cards_at(place(asked.actor.id))
            if card in names
        ]
        one = {names[card]: card for card in reversed(mine)}
        return [(card, name) for name, card in reversed(one.items())]

    return pairs


#: Cards of the asker's hand; these with the asker's cards face up.
hand_cards = _cards(hand_place)
own_cards = _cards(hand_place, open_place)
