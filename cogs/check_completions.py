"""Completions of options that are fields of a check's form, and of checks themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from bot.presenters.language.limits import CHOICES
from bot.presenters.language.words import say_bare
from bot.presenters.npc import target_label
from bot.ui.panels.check_start import check_start_form
from cogs.completions import Completer, CompletionContext, Pairs, completer, field_pairs, of_several
from cogs.recovery import METHOD, find_heal_method
from rules.core.errors import RulesError
from rules.table import lookup
from rules.table.checks import odds
from rules.table.checks.access import is_open_to
from rules.table.checks.procedure import kind_with_role
from rules.table.forms.fields import FormContext
from rules.table.forms.form import Field
from rules.table.permissions import owns
from rules.table.state import AnyCharacter

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
                offered = dict(field_pairs(field.choices_for(asking))) | offered
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
        return field_pairs(field.choices_for(FormContext(asked.game, None, who)))

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
def difficulties(asked: CompletionContext) -> Pairs:
    """Yield a typed number as it is, then the system's levels."""
    number = asked.typed.strip()
    yield from [(number, number)] if number.isdigit() else []
    yield from _offers(asked, asked.possible_actors() or ("",), "difficulty").items()


@of_several
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


@completer
def injuries(asked: CompletionContext) -> Pairs:
    """Return the untreated injuries of `target`, or of the acting character.

    Players get those of their own characters only.
    """
    target = asked.named_character("target") if asked.option("target") else asked.acting_character()
    mine = asked.gm or owns(asked.state, asked.actor, target)
    return _offers(asked, (target.id,), "injury").items() if mine else ()


def trait_completer(
    key: str, whose: Callable[[CompletionContext], AnyCharacter], *, gms: bool = False
) -> Completer:
    """Return the completer of a field of a check for a character."""

    def pairs(asked: CompletionContext) -> Pairs:
        fields = check_start_form(asked.game, kind_with_role(asked.game.system, "check")).fields
        asking = FormContext(asked.game, None, whose(asked).id)
        offered: list[tuple[str, str]] = []
        for field in fields:
            if field.key == key:
                offered += field_pairs(field.choices_for(asking))
        return offered

    return completer(pairs, gms=gms)


@completer
def targets(asked: CompletionContext) -> Pairs:
    """Return the characters that the asker knows, with a mark on the dead."""
    return [
        (character.id, say_bare(target_label(asked.game, character, gm=asked.gm)))
        for character in lookup.known_characters(asked.state, asked.actor)
    ]


#: Checks that wait for their roll and whose odds the asker may see, newest first.
checks_with_odds = completer(
    lambda asked: asked.checks(odds.checks_awaiting_roll(asked.game, CHOICES))
)
