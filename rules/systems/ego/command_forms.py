"""Forms from rows of data: of commands and what they do, of the rows of a sheet, of what has few
words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from rules.core.data_rows import from_json, json_loader
from rules.core.errors import InvalidInput, RulesError
from rules.core.name_matching import split_words
from rules.core.record import Record
from rules.table.actions import action_class
from rules.table.commands import CommandAction
from rules.table.forms import Field, Flag, Form, Number, Pick, Typed, Values, plain_options
from rules.table.lookup import acting_character, find_known, is_named_openly
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game


class FieldRow(Record):
    """A field: a text of at most `most` characters, a number from `low` to `high`, on or off, or
    one of several.

    `among` is what is offered, or the name of it; `find` names what finds it.
    """

    key: str
    takes: Literal["text", "number", "flag", "pick"] = "text"
    low: int = 0
    high: int = 100
    most: int = 100
    needed: bool = False
    null: bool = False
    blank: bool = False
    usual: bool | None = None
    among: str | tuple[str, ...] = ()
    find: str = ""


_FORMS: Final = from_json(
    Mapping[str, tuple[FieldRow | str, ...]], json_loader("rules.systems.ego", "forms")()
)


def form(name: str, *known: Field, **named: Any) -> Form:
    """The form of that name; of its fields some are `known` by their keys, and what others name is
    handed in.

    KeyError for a name that nobody has handed in.
    """
    there = {each.key: each for each in known}
    return Form(
        tuple([there[row] if isinstance(row, str) else _field(row, named) for row in _FORMS[name]])
    )


def _field(row: FieldRow, named: Mapping[str, Any]) -> Field:
    about: dict[str, Any] = {"needed": row.needed, "null": row.null}
    if row.takes == "flag":
        return Flag(row.key, default=row.usual, **about)
    if row.takes == "number":
        return Number(row.key, low=row.low, high=row.high, **about)
    about["choices"] = named[row.among] if isinstance(row.among, str) else plain_options(row.among)
    if row.takes == "pick":
        return Pick(row.key, find=named[row.find] if row.find else None, **about)
    return Typed(row.key, most=row.most, blank=row.blank, **about)


# --- refusals -------------------------------------------------------------------------------------


def missing_error(what: str) -> RulesError:
    """That this is still to be said."""
    # A panel calls fields by their titles.
    return InvalidInput("ego-say", field=what, value=None, what=what)


def unwanted_error(what: str, name: str = "", value: str | int | None = None) -> RulesError:
    """That this was said where it means nothing."""
    return InvalidInput("ego-leave-out", field=what, value=value, what=what, name=name)


# --- what is done with what was said --------------------------------------------------------------

#: What an action keeps of an option, and of one that was not said; of others a text.
_KEPT: Final[Mapping[str, tuple[Any, Any]]] = {"number": (int | None, None), "flag": (bool, False)}


def customer(game: Game, as_: str | None, place: str | None = None) -> AnyCharacter:
    """Return the character who buys: a GM names any, a player one of their own.

    Raises as `acting_character` and `find_known`.
    """
    if as_ is not None and is_gm(game.state, game.actor):
        return find_known(game.state, game.actor, as_, "as")
    return acting_character(game.state, game.actor, as_, place)


def _actor(game: Game, as_: str | None) -> AnyCharacter:
    return acting_character(game.state, game.actor, as_)


class Deed(Record):
    """A command that is done at once: the `kind` of action that keeps what its options say, and
    what carries it out. `whose` finds the acting character.
    """

    command: str
    kind: type[Any]
    carries: Callable[[Game, Any], Outcome]
    whose: Callable[[Game, str | None], AnyCharacter] = _actor

    def run(self, game: Game, given: Values) -> CommandAction:
        """Everybody reads it where whoever acts is a player's, and nobody is named whom not
        everybody knows.
        """
        openly = not hasattr(self.kind, "as_") or self.whose(game, given.get("as")).owner
        for each in (*split_words(given.get("pilot")), *split_words(given.get("aboard"))):
            openly = (
                is_named_openly(find_known(game.state, game.actor, each, "aboard"), each) and openly
            )
        return CommandAction(
            self.kind, {_called(key): each for key, each in given.items()}, openly=bool(openly)
        )


def _called(key: str) -> str:
    return "as_" if key == "as" else key


def deed(
    command: str,
    name: str,
    carries: Callable[[Game, Any], Outcome],
    whose: Callable[[Game, str | None], AnyCharacter] = _actor,
    *,
    reversible: bool = False,
) -> Deed:
    """Return the deed behind a command, with an action class of this name made of its options.

    The answer to a `reversible` deed has an *Undo* button.
    """
    rows = {each if isinstance(each, str) else each.key: each for each in _FORMS[command]}
    kept = {key: ("" if isinstance(row, str) else row.takes) for key, row in rows.items()}
    found = {_called(key): _KEPT.get(takes, (str, "")) for key, takes in kept.items()}
    found |= {"as_": (str | None, None)} if "as" in rows else {}
    fields = [(key, kind, value) for key, (kind, value) in found.items()]
    action = action_class(name, fields, __name__, reversible=reversible)
    return Deed(command, action, carries, whose)
