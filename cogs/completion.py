"""What the options of commands complete to. Never anything hidden: only what the asker may see."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import discord
from discord import app_commands

from bot.app import Storyguide
from bot.presenters.checks import named_check, resource_text
from bot.presenters.limits import CHOICE_TEXT, CHOICES, clip
from bot.presenters.npc import bare_name
from bot.presenters.orders import order_text
from bot.presenters.text import NAMELESS, bare_text
from bot.presenters.words import say_bare
from bot.services.table import Table
from bot.ui.interactions import Interactions
from bot.ui.panels.begin import form_of
from bot.ui.places import place_name
from rules.core.cards import standard_deck
from rules.core.errors import InvalidInput, NotFound, RulesError
from rules.registry import look
from rules.table import lookup, permissions
from rules.table.actions import Actor
from rules.table.cards import STANDARD, deck_of, decks_of, hand_of, open_of, piles_of
from rules.table.checks import chances
from rules.table.checks.access import is_open_to
from rules.table.checks.check import PASS, AnyCheck
from rules.table.checks.costs import Spending, spendings
from rules.table.checks.orders import orders_of
from rules.table.checks.procedure import orderable, procedure_of
from rules.table.events import Line
from rules.table.forms import Asking, Field, Pick
from rules.table.lookup import acting_as, playable
from rules.table.people.characters import editable, find_own, growing, returnable
from rules.table.people.npcs import groups
from rules.table.people.npcs import npcs as everybody
from rules.table.permissions import is_gm
from rules.table.resources import awards as award_kinds
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Choice, Game
from rules.table.turns.encounters import handles
from rules.table.turns.order import encounter_in, name_of

Choices = list[app_commands.Choice[str]]
Find = Callable[[Interactions, discord.Interaction, str], Coroutine[Any, Any, Choices]]
_Whose = Callable[[Interactions, discord.Interaction], Coroutine[Any, Any, tuple[Game, AnyCharacter] | None]]
_Decorated = TypeVar("_Decorated")


def completes(**options: Find) -> Callable[[_Decorated], _Decorated]:
    """What completes the options of a command, by the names of its parameters."""
    return app_commands.autocomplete(**{name: _callback(find) for name, find in options.items()})


def _callback(find: Find) -> Callable[[discord.Interaction[Storyguide], str], Coroutine[Any, Any, Choices]]:
    async def complete(interaction: discord.Interaction[Storyguide], typed: str) -> Choices:
        return await find(interaction.client.interactions, interaction, typed)

    return complete


def matching(pairs: Iterable[tuple[str, str]], typed: str) -> Choices:
    """At most 25 choices whose label holds what was typed, those that begin with it first."""
    wanted = typed.strip().casefold()
    fitting = [(value, label) for value, label in pairs if wanted in label.casefold()]
    fitting.sort(key=lambda pair: not pair[1].casefold().startswith(wanted))
    return [
        app_commands.Choice(name=clip(label, CHOICE_TEXT).strip() or NAMELESS, value=value[:CHOICE_TEXT])
        for value, label in fitting[:CHOICES]
    ]


def following(typed: str, find: Callable[[str, frozenset[str]], Choices]) -> Choices:
    """Choices for the last of several words separated by commas, behind those already typed.

    `find` gets that last word and the ones before it. A list too long for an option is not offered.
    """
    head, comma, last = typed.rpartition(",")
    prefix = f"{head.strip()}, " if comma else ""
    return [
        app_commands.Choice(name=clip(prefix + choice.name, CHOICE_TEXT), value=prefix + choice.value)
        for choice in find(last, frozenset(split_words(head)))
        if len(prefix + choice.value) <= CHOICE_TEXT
    ]


async def _acting(
    interactions: Interactions, interaction: discord.Interaction
) -> tuple[Game, AnyCharacter] | None:
    looked = await interactions.look(interaction)
    if looked is None:
        return None
    table, actor = looked
    try:
        place = str(interaction.channel_id)
        character = acting_as(table.state, actor, getattr(interaction.namespace, "as", None), place)
    except RulesError:
        return None
    return look(table.state), character


async def _whoever(
    interactions: Interactions, interaction: discord.Interaction
) -> tuple[Game, tuple[str, ...]] | None:
    """Who may act: whoever is meant, else, where nobody is named, all whom one may act as. None without a table."""
    looked = await interactions.look(interaction)
    if looked is None:
        return None
    found = await _acting(interactions, interaction)
    if found is not None:
        return found[0], (found[1].id,)
    mine = () if getattr(interaction.namespace, "as", None) else playable(looked[0].state, looked[1])
    return look(looked[0].state), tuple([each.id for each in mine[:CHOICES]])


def choice_texts(choices: Iterable[Choice]) -> list[tuple[str, str]]:
    """Values with their labels, without Markdown."""
    return [(choice.value, say_bare(choice.label)) for choice in choices]


def _offered(
    whose: _Whose,
    what: Callable[[Game, AnyCharacter], Sequence[Choice]],
) -> Find:
    """What the table's system offers for a character."""

    async def find(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
        found = await whose(interactions, interaction)
        return [] if found is None else matching(choice_texts(what(*found)), typed)

    return find


#: The abilities and attributes of whoever acts.
skills = _offered(_acting, lambda game, character: game.sheets.skills(game, character))
attributes = _offered(_acting, lambda game, character: game.sheets.attributes(game, character))
#: The kinds of check that `/heal` begins.
HEALING: Final = ("rest", "treat")
#: The field of their forms that tells ways to recover apart.
METHOD: Final = "method"
#: What commands have options of their own for: it does not stand in `with`.
OWN_OPTIONS: Final = frozenset(
    {*("skill", "attribute", "difficulty", "approach", "modifier"), *("weapon", "injury", "mode", METHOD)}
)


def _field_pairs(game: Game, who: str, kind: str, key: str, namespace: Any) -> list[tuple[str, str]]:
    """What the form of a kind of check offers for one of its fields."""
    if kind not in game.system.procedures:
        return []
    form = form_of(game, kind)
    values = {each.key: getattr(namespace, each.key, None) for each in form.fields}
    asking = Asking(game, None, who, {name: value for name, value in values.items() if value is not None})
    field = next((each for each in form.fields if each.key == key), None)
    if field is None:
        return []
    return [
        (str(value[0] if isinstance(value, tuple) else value), say_bare(label))
        for value, label in field.choices(asking)
    ]


def of_field(field: Field) -> Find:
    """What a field of a system's own command offers whoever asks, as the character who acts."""

    async def find(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
        looked = await interactions.look(interaction)
        if looked is None:
            return []
        acting = await _acting(interactions, interaction)
        game = look(looked[0].state).but(actor=looked[1])
        asking = Asking(game, None, "" if acting is None else acting[1].id)
        try:
            found = [(str(value), say_bare(label)) for value, label in field.choices(asking)]
        except RulesError:
            return []  # nobody acts whose sheet would say
        return matching(found, typed)

    return find


def _pairs(
    game: Game, who: Sequence[str], key: str, interaction: discord.Interaction
) -> list[tuple[str, str]]:
    """What a field of the form offers to any of these, each value once."""
    kind, found = _kind_of(game, interaction), dict[str, str]()
    for each in who:
        for value, label in _field_pairs(game, each, kind, key, interaction.namespace):
            found.setdefault(value, label)
    return list(found.items())


def checks_of(kind: str) -> Find:
    """The checks of a kind in which one may join, or which wait to be rolled."""

    async def find(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
        looked = await interactions.look(interaction)
        if looked is None:
            return []
        game = look(looked[0].state).but(actor=looked[1])
        found = (
            each
            for each in game.state.checks.values()
            if each.kind == kind
            and (each.prompt("join") or each.prompt("ready"))
            and is_open_to(game, each, game.actor)
        )
        return matching(check_pairs(found, game), typed)

    return find


def of_form(key: str) -> Find:
    """What the rules' own form offers for an option of the command."""

    async def find(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
        found = await _whoever(interactions, interaction)
        return [] if found is None else matching(_pairs(*found, key, interaction), typed)

    return find


def _kind_of(game: Game, interaction: discord.Interaction) -> str:
    """The kind of check that a command begins: its own name, or what `method` says."""
    command, method = interaction.command, getattr(interaction.namespace, METHOD, None)
    if method:
        try:
            return heal_method(game, method)[0]
        except NotFound:
            return ""
    return "" if command is None else command.extras.get("kind", command.name)


def _heal_offers(game: Game) -> list[tuple[str, str, dict[str, str]]]:
    """The ways to recover: the kind of check, what it is called, and what is said with it."""
    found: list[tuple[str, str, dict[str, str]]] = []
    for kind in HEALING:
        if kind not in game.system.procedures:
            continue
        ways = next((each for each in form_of(game, kind).fields if each.key == METHOD), None)
        named = () if ways is None else ways.choices(Asking(game))
        offers = [(kind, say_bare(label), {METHOD: str(value)}) for value, label in named]
        found += offers or [(kind, say_bare(Line(f"kind-{kind}")), {})]
    return found


def heal_method(game: Game, method: str) -> tuple[str, dict[str, str]]:
    """The kind of check that a way to recover is, and what is said with it.

    NotFound("unknown-heal-method"), Impossible("not-in-these-rules").
    """
    if not any(kind in game.system.procedures for kind in HEALING):
        procedure_of(game, HEALING[0])
    wanted = method.strip().casefold()
    known: list[str] = []
    for kind in HEALING:
        if kind not in game.system.procedures:
            continue
        ways = next((each for each in form_of(game, kind).fields if each.key == METHOD), None)
        if isinstance(ways, Pick):
            try:
                return kind, {METHOD: str(ways.found(Asking(game), method))}
            except NotFound as error:
                nearest = error.params["nearest"]
                known += [str(each) for each in nearest] if isinstance(nearest, tuple) else []
        elif wanted and (kind.startswith(wanted) or say_bare(Line(f"kind-{kind}")).casefold() == wanted):
            return kind, {}
        else:
            known.append(kind)
    raise NotFound("unknown-heal-method", field="method", value=method[:100], nearest=tuple(known))


async def difficulties(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """The levels of the table's system; a number is as it is."""
    found = await _whoever(interactions, interaction)
    if found is None:
        return []
    number = [(typed.strip(), typed.strip())] if typed.strip().isdigit() else []
    return matching(number + _pairs(found[0], found[1] or ("",), "difficulty", interaction), typed)


async def options(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """The words of `with` for whoever acts, after those already typed."""
    found = await _whoever(interactions, interaction)
    return [] if found is None else _words(found[0], found[1], interaction, typed)


def _words(game: Game, who: Sequence[str], interaction: discord.Interaction, typed: str) -> Choices:
    """The words of the rules' own form that the command has no option for."""
    kind = _kind_of(game, interaction)
    if kind not in game.system.procedures:
        return []
    form = form_of(game, kind)
    others = tuple(field for field in form.fields if field.key not in OWN_OPTIONS)
    offered = replace(form, fields=others)
    words = {
        offer.value: f"{offer.value} – {say_bare(offer.label)}"
        for each in who
        for offer in offered.offers(Asking(game, None, each))
    }
    return following(typed, lambda last, _: matching(words.items(), last))


def of_pool(pool: Callable[[TableState, Actor], Iterable[AnyCharacter]]) -> Find:
    """Whoever is in a pool of characters that the asker may choose from."""

    async def find(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
        looked = await interactions.look(interaction)
        if looked is None:
            return []
        table, actor = looked
        return matching(_named(pool(table.state, actor), table.state, actor), typed)

    return find


#: The characters one may act as, those one may look at, and whomever one knows of.
characters = of_pool(playable)
presentable = of_pool(lookup.presentable)
targets = of_pool(lookup.known)


async def retiring(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """Whom one may retire; with `back` whom one may bring back."""
    back = getattr(interaction.namespace, "back", False)
    return await of_pool(returnable if back else editable)(interactions, interaction, typed)


async def _grower(
    interactions: Interactions, interaction: discord.Interaction
) -> tuple[Game, AnyCharacter] | None:
    """Who learns: the one that `character` names, else as the command finds them."""
    looked = await interactions.look(interaction)
    if looked is None:
        return None
    table, actor = looked
    try:
        named = getattr(interaction.namespace, "character", None)
        character = find_own(table.state, actor, named, growing(table.state, actor))
    except RulesError:
        return None
    return look(table.state), character


#: What whoever learns something can raise, with its price, and their attributes.
advances = _offered(_grower, lambda game, character: game.advances(character))
grown_attributes = _offered(_grower, lambda game, character: game.sheets.attributes(game, character))


def order_key(kind: str, prompt: str, option: str) -> str:
    """How an order is written as one word."""
    return f"{kind}/{prompt}/{option}"


def _orders(game: Game) -> list[tuple[str, str]]:
    """What may be ordered here, and to have nothing to add wherever something may be."""
    found: dict[str, str] = {}
    for kind, prompt, option in orderable(game):
        found[order_key(kind, prompt, option.value)] = order_text(kind, prompt, option)
        found.setdefault(order_key(kind, prompt, PASS), order_text(kind, prompt, None))
    if game.system.procedures:
        found[order_key("", "react", PASS)] = order_text("", "react", None)
    return list(found.items())


def meant_order(game: Game, typed: str) -> tuple[str, str, str]:
    """Kind, prompt and option of an order as it is offered. InvalidInput("not-orderable")."""
    offered = _orders(game)
    wanted = typed.strip().casefold()
    for key, label in offered:
        if wanted in (key.casefold(), label.casefold()):
            kind, prompt, option = key.split("/")
            return kind, prompt, option
    allowed = tuple(label for _, label in offered)[:10]
    raise InvalidInput("not-orderable", field="order", value=typed[:60], allowed=allowed)


async def orders(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """What may be ordered beforehand here."""
    looked = await interactions.look(interaction)
    return [] if looked is None else matching(_orders(look(looked[0].state)), typed)


async def given_orders(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """The standing orders of `character`, or of whoever acts; one's own alone."""
    looked = await interactions.look(interaction)
    if looked is None:
        return []
    (table, actor), place = looked, str(interaction.channel_id)
    try:
        character = acting_as(table.state, actor, getattr(interaction.namespace, "character", None), place)
    except RulesError:
        return []
    labels = dict(_orders(look(table.state)))
    given = [(each.kind, each.prompt, each.option) for each in orders_of(table.state, character.id).given]
    return matching(
        (
            (order_key(*each), labels.get(order_key(*each), order_text(each[0], each[1], None)))
            for each in given
        ),
        typed,
    )


async def resources(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """The points of which these rules keep count."""
    looked = await interactions.look(interaction)
    found = () if looked is None else look(looked[0].state).system.resources
    return matching(((each.key, resource_text(each.key)) for each in found), typed)


async def npcs(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """NPCs and their groups, for GMs alone."""
    looked = await interactions.look(interaction)
    if looked is None or not permissions.is_gm(looked[0].state, looked[1]):
        return []
    table, actor = looked
    whole = [(name, f"{name} (all {len(found)})") for name, found in groups(table.state).items()]
    return matching([*whole, *_named(everybody(table.state), table.state, actor)], typed)


def _named(found: Iterable[AnyCharacter], state: TableState, actor: Actor) -> list[tuple[str, str]]:
    gm = permissions.is_gm(state, actor)
    return [(each.id, bare_name(each, gm=gm)) for each in found]


async def _led(
    interactions: Interactions, interaction: discord.Interaction
) -> tuple[Table, Actor, Game] | None:
    """The table, if whoever asks leads it."""
    looked = await interactions.look(interaction)
    if looked is None or not is_gm(looked[0].state, looked[1]):
        return None
    return *looked, look(looked[0].state)


async def _meant(
    interactions: Interactions, interaction: discord.Interaction, option: str
) -> tuple[Game, AnyCharacter] | None:
    """For GMs: whomever of all the characters an option names, else whoever acts."""
    led = await _led(interactions, interaction)
    if led is None:
        return None
    table, actor, game = led
    typed = getattr(interaction.namespace, option, None)
    try:
        if typed:
            return game, lookup.find_known(table.state, actor, typed, option)
        return game, acting_as(table.state, actor, None, str(interaction.channel_id))
    except RulesError:
        return None


def _meant_by(option: str) -> _Whose:
    return lambda interactions, interaction: _meant(interactions, interaction, option)


async def for_gms(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """For GMs: every character in play."""
    led = await _led(interactions, interaction)
    if led is None:
        return []
    table, actor, _ = led
    return matching(_named(lookup.known(table.state, actor), table.state, actor), typed)


async def awards(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """For GMs: what can be awarded."""
    led = await _led(interactions, interaction)
    return [] if led is None else matching(choice_texts(award_kinds(led[2].system.resources)), typed)


#: For GMs: what can be set on the sheet of `character`.
adjustables = _offered(
    _meant_by("character"), lambda game, character: game.require(game.system.tools).adjustables(character)
)


async def adjust_values(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """For GMs: the values there are for `what`; anything typed where there is no choice."""
    found = await _meant(interactions, interaction, "character")
    what = getattr(interaction.namespace, "what", None)
    if found is None or not what:
        return []
    tools = found[0].require(found[0].system.tools)
    return matching(choice_texts(tools.values(found[1], what)), typed)


#: For GMs: the abilities and attributes of whomever `as` names.
anybodys_skills = _offered(_meant_by("as"), lambda game, character: game.sheets.skills(game, character))
anybodys_attributes = _offered(
    _meant_by("as"), lambda game, character: game.sheets.attributes(game, character)
)


async def places(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """For GMs: where the table is played."""
    led = await _led(interactions, interaction)
    if led is None:
        return []
    bound = interactions.tables.places.of(led[0].id)
    return matching(((place, place_name(interaction.guild, place)) for place in bound), typed)


async def checks_with_odds(
    interactions: Interactions, interaction: discord.Interaction, typed: str
) -> Choices:
    """The checks that wait for their roll and whose odds one may ask for, newest first."""
    looked = await interactions.look(interaction)
    if looked is None:
        return []
    game = look(looked[0].state).but(actor=looked[1])
    return matching(check_pairs(chances.checks_that_wait(game), game), typed)


def check_pairs(found: Iterable[AnyCheck], game: Game) -> list[tuple[str, str]]:
    """Checks for a list of suggestions, by the names that whoever looks knows."""
    characters, gm = game.state.characters, permissions.is_gm(game.state, game.actor)
    return [
        (each.id, named_check(each, bare_name(characters[each.actor], gm=gm)))
        for each in found
        if each.actor in characters
    ]


async def _spendings(
    interactions: Interactions, interaction: discord.Interaction, *, named: bool = True
) -> tuple[Spending, ...]:
    """What could be spent, as far as the other options narrow it down; on all checks where it is not `named`."""
    looked = await interactions.look(interaction)
    if looked is None:
        return ()
    game, options = look(looked[0].state).but(actor=looked[1]), interaction.namespace
    check = getattr(options, "check", None) or None
    try:
        return spendings(game, getattr(options, "as", None) or None, check if named else None)
    except RulesError:
        return ()


async def spends(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """What one can spend now."""
    found = await _spendings(interactions, interaction)
    first = {each.what: say_bare(each.option.label) for each in reversed(found)}
    return matching(reversed(first.items()), typed)


async def spend_choices(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """What there is to choose of what one spends."""
    found = await _spendings(interactions, interaction)
    wanted = getattr(interaction.namespace, "what", None) or None
    offered = dict.fromkeys(each.choice for each in found if wanted in (None, each.what) and each.choice)
    return matching(((each, each) for each in offered), typed)


async def spend_checks(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """The checks on which one can spend something, newest first."""
    looked = await interactions.look(interaction)
    if looked is None:
        return []
    game, what = look(looked[0].state).but(actor=looked[1]), getattr(interaction.namespace, "what", None)
    found = await _spendings(interactions, interaction, named=False)
    there = dict.fromkeys(each.check for each in found if not what or what == each.what)
    return matching(check_pairs((game.state.checks[name] for name in there), game), typed)


async def newcomers(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """For GMs: who is not in the order of action here yet, and groups."""
    led = await _led(interactions, interaction)
    if led is None:
        return []
    state, actor = led[0].state, led[1]
    encounter = encounter_in(state, str(interaction.channel_id))
    there = {slot.character for slot in encounter.order} if encounter else set()
    new = (each for each in lookup.known(state, actor) if each.approved and each.id not in there)
    whole = [(name, f"{name} (all {len(found)})") for name, found in groups(state).items()]
    return matching([*whole, *_named(new, state, actor)], typed)


async def _in_order(interactions: Interactions, interaction: discord.Interaction) -> list[str]:
    """The names of those whom one may handle in the order of action here."""
    looked = await interactions.look(interaction)
    encounter = encounter_in(looked[0].state, str(interaction.channel_id)) if looked else None
    if looked is None or encounter is None:
        return []
    state, actor = looked[0].state, looked[1]
    names = (name_of(state, slot, actor) for slot in encounter.order if handles(state, actor, slot))
    return [name for name in names if name]


async def one_in_order(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """Whom one may handle in the order of action here."""
    return matching(((name, bare_text(name)) for name in await _in_order(interactions, interaction)), typed)


async def several_in_order(
    interactions: Interactions, interaction: discord.Interaction, typed: str
) -> Choices:
    """The same, after the names already typed."""
    names = await _in_order(interactions, interaction)

    def others(last: str, named: frozenset[str]) -> Choices:
        return matching(((name, bare_text(name)) for name in names if name not in named), last)

    return following(typed, others)


def split_words(text: str | None) -> tuple[str, ...]:
    """The words of `with`, separated by commas."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


async def heal_methods(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """The ways to recover that are open to the asker."""
    looked = await interactions.look(interaction)
    if looked is None:
        return []
    offers = _heal_offers(look(looked[0].state).but(actor=looked[1]))
    return matching(((said.get(METHOD, kind), label) for kind, label, said in offers), typed)


async def injuries(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """The untreated injuries of `target`, or of whoever acts: one's own character's, for a GM anybody's."""
    looked = await interactions.look(interaction)
    found = await _acting(interactions, interaction)
    if looked is None:
        return []
    state, actor = looked[0].state, looked[1]
    typed_target = getattr(interaction.namespace, "target", None)
    try:
        if typed_target:
            target = lookup.find_known(state, actor, typed_target, "target")
        elif found is not None:
            target = found[1]
        else:
            return []
    except RulesError:
        return []
    if not is_gm(state, actor) and not permissions.owns(state, actor, target):
        return []
    game = look(state)
    kind = _kind_of(game, interaction)
    return matching(_field_pairs(game, target.id, kind, "injury", interaction.namespace), typed)


async def saved_rolls(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """One's own saved rolls, by name."""
    looked = await interactions.look(interaction, free=True)
    if looked is None:
        return []
    rolls = looked[0].state.person(looked[1].id).rolls
    return matching(((name, f"{name}: {text}") for name, text in rolls), typed)


async def values(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """After an open brace: what can be named of whoever acts."""
    head, brace, last = typed.rpartition("{")
    found = await _acting(interactions, interaction) if brace and "}" not in last else None
    if found is None:
        return []
    game, character = found
    names = ((name, f"{{{name}}}: {value}") for name, value in game.sheets.values(character).items())
    return [
        app_commands.Choice(name=choice.name, value=f"{head}{{{choice.value}}}")
        for choice in matching(names, last)
        if len(head) + len(choice.value) + 2 <= 100
    ]


async def dice(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """One's own saved rolls; after an open brace what can be named."""
    return await values(interactions, interaction, typed) or await saved_rolls(
        interactions, interaction, typed
    )


async def decks(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """The decks there are here."""
    looked = await interactions.look(interaction, free=True)
    found = {STANDARD: standard_deck()} if looked is None else decks_of(look(looked[0].state))
    return matching(((key, deck.name) for key, deck in found.items()), typed)


async def own_decks(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
    """For GMs: the decks that this table has brought."""
    led = await _led(interactions, interaction)
    found = {} if led is None else led[0].state.own_decks
    return matching(((key, deck.name) for key, deck in found.items()), typed)


def _cards(*places: Callable[[str], str]) -> Find:
    """The cards that lie in these places of whoever asks."""

    async def find(interactions: Interactions, interaction: discord.Interaction, typed: str) -> Choices:
        looked = await interactions.look(interaction, free=True)
        if looked is None:
            return []
        try:
            deck = deck_of(look(looked[0].state), getattr(interaction.namespace, "deck", None) or STANDARD)
        except RulesError:
            return []
        piles = piles_of(looked[0].state, deck.id)
        names = {card.id: card.name for card in deck.cards}
        mine = [card for place in places for card in piles.at(place(looked[1].id)) if card in names]
        # Of copies one is offered.
        one = {names[card]: card for card in reversed(mine)}
        return matching(((card, name) for name, card in reversed(one.items())), typed)

    return find


#: The cards of one's own hand; and those together with the cards face up before oneself.
hand_cards = _cards(hand_of)
own_cards = _cards(hand_of, open_of)
