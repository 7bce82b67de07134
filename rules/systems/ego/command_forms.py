"""Forms from rows of data: of commands and their actions, of the rows of a sheet, and of small
inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeVar

from rules.core.data_rows import from_json, json_loader
from rules.core.errors import InvalidInput, RulesError
from rules.core.name_matching import split_words
from rules.core.record import Record
from rules.table.actions import Action
from rules.table.check import Values
from rules.table.commands import AS_FIELD
from rules.table.deeds import Deed
from rules.table.forms.fields import Flag, Number, Pick, Typed, plain_options
from rules.table.forms.form import Field, Form
from rules.table.lookup import acting_character, find_known, is_named_openly
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game


class FieldRow(Record):
    """A field of a form."""

    key: str
    takes: Literal["text", "number", "flag", "pick"] = "text"
    #: Lowest number.
    low: int = 0
    #: Highest number.
    high: int = 100
    #: Most characters of a text.
    most: int = 100
    needed: bool = False
    null: bool = False
    blank: bool = False
    default: bool | None = None
    #: Choices, or the name of the choices that `form` is called with.
    among: str | tuple[str, ...] = ()
    #: Name of the function that finds a choice, among those that `form` is called with.
    find: str = ""


_FORMS: Final = from_json(
    Mapping[str, tuple[FieldRow | str, ...]], json_loader("rules.systems.ego", "forms")()
)


def form(name: str, *known: Field, **named: Any) -> Form:
    """Return the form of that name.

    *known* are fields of the form that have no row. *named* are the choices and functions that rows
    name. Raises KeyError for a name that is missing there.
    """
    known_by_key = {field.key: field for field in known}
    fields: list[Field] = []
    for row in _FORMS[name]:
        fields.append(known_by_key[row] if isinstance(row, str) else _field(row, named))
    return Form(tuple(fields))


def _field(row: FieldRow, named: Mapping[str, Any]) -> Field:
    about: dict[str, Any] = {"needed": row.needed, "null": row.null}
    if row.takes == "flag":
        return Flag(row.key, default=row.default, **about)
    if row.takes == "number":
        return Number(row.key, low=row.low, high=row.high, **about)
    about["choices"] = named[row.among] if isinstance(row.among, str) else plain_options(row.among)
    if row.takes == "pick":
        return Pick(row.key, find=named[row.find] if row.find else None, **about)
    return Typed(row.key, most=row.most, blank=row.blank, **about)


# --- refusals -------------------------------------------------------------------------------------


def missing_error(what: str) -> RulesError:
    """Return the refusal of a command without this option."""
    # A panel names fields by their titles.
    return InvalidInput("ego-say", field=what, value=None, what=what)


def unwanted_error(what: str, name: str = "", value: str | int | None = None) -> RulesError:
    """Return the refusal of an option that means nothing here."""
    return InvalidInput("ego-leave-out", field=what, value=value, what=what, name=name)


# --- actions of commands --------------------------------------------------------------------------

A = TypeVar("A", bound=Action)


def customer(game: Game, as_: str | None, place: str | None = None) -> AnyCharacter:
    """Return the character who buys: a GM names any, a player one of their own.

    Raises as `acting_character` and `find_known`.
    """
    if as_ is not None and is_gm(game.state, game.actor):
        return find_known(game.state, game.actor, as_, "as")
    return acting_character(game.state, game.actor, as_, place)


def _actor(game: Game, as_: str | None) -> AnyCharacter:
    return acting_character(game.state, game.actor, as_)


def deed(
    command: str,
    kind: type[A],
    carries: Callable[[Game, A], Outcome],
    whose: Callable[[Game, str | None], AnyCharacter] = _actor,
) -> Deed[A]:
    """Return the deed of a command whose options are rows of data.

    Its answer is public for a player's character, whom *whose* finds, unless it names a character
    that not everyone knows. Raises ValueError as `Deed`.
    """
    options = tuple(_plain_field(row) for row in _FORMS[command])
    has_actor = any(option.key == AS_FIELD.key for option in options)

    def is_open(game: Game, given: Values) -> bool:
        openly = True
        if has_actor:
            openly = whose(game, given.get("as")).owner is not None
        for name in (*split_words(given.get("pilot")), *split_words(given.get("aboard"))):
            character = find_known(game.state, game.actor, name, "aboard")
            openly = is_named_openly(character, name) and openly
        return openly

    return Deed(command, kind, carries, options, is_open)


def _plain_field(row: FieldRow | str) -> Field:
    """Return a field without its choices, which are known only where the command is made."""
    if isinstance(row, str):
        return AS_FIELD if row == AS_FIELD.key else Typed(row)
    if row.takes == "flag":
        return Flag(row.key, needed=row.needed)
    if row.takes == "number":
        return Number(row.key, needed=row.needed)
    return Typed(row.key, needed=row.needed)
