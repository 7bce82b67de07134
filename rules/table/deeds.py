"""Actions that commands of a system's own carry out at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

from rules.core.record import Record, field_defaults
from rules.table.actions import Action
from rules.table.check import Values
from rules.table.commands import AS_FIELD, Command, CommandAction
from rules.table.forms.fields import NO_CONTEXT, Flag, Number, Pick
from rules.table.forms.form import Field, Form
from rules.table.outcome import Outcome
from rules.table.system import Game

A = TypeVar("A", bound=Action)


class Deed(Record, Generic[A]):
    """A command that is carried out at once. Its options are the fields of an action.

    Raises ValueError if the action has other fields than the command has options.
    """

    #: Name of the command, or of one of several that share the action.
    command: str
    #: Class of the action.
    kind: type[A]
    #: Function that carries out the action. It checks who may act.
    carries: Callable[[Game, A], Outcome]
    #: All options, also those that only buttons fill in.
    options: tuple[Field, ...] = ()
    #: Whether everyone reads the answer, or a function that returns it for the values.
    openly: bool | Callable[[Game, Values], bool] = True

    def __post_init__(self) -> None:
        common = field_defaults(Action)
        fields = field_defaults(self.kind)
        own = {name: default for name, default in fields.items() if name not in common}
        options = {_attribute_name(option.key): option for option in self.options}
        if own.keys() != options.keys():
            raise ValueError(f"{self.command}: {self.kind.__name__} has not the command's options")
        for name, option in options.items():
            if not option.needed and own[name] not in _empty_values(option):
                raise ValueError(f"{self.command}: {self.kind.__name__}.{name} has another default")
        self._require_choices(options)

    def _require_choices(self, options: dict[str, Field]) -> None:
        """Raise ValueError if a field allows other values than its option offers."""
        picks = {name: option for name, option in options.items() if isinstance(option, Pick)}
        hints = get_type_hints(self.kind) if picks else {}
        for name, pick in picks.items():
            if get_origin(hints[name]) is not Literal:
                continue
            values = {option.value for option in pick.options(NO_CONTEXT)}
            if not pick.needed:
                values.add("")
            if values != set(get_args(hints[name])):
                raise ValueError(f"{self.command}: {self.kind.__name__}.{name} has other choices")

    def run(self, game: Game, given: Values) -> CommandAction:
        """Return the action of the command with these values. Raises as `openly`."""
        openly = self.openly if isinstance(self.openly, bool) else self.openly(game, given)
        values = {_attribute_name(key): value for key, value in given.items()}
        return CommandAction(self.kind, values, openly=openly)

    def as_command(self, **about: Any) -> Command:
        """Return the command with all options; *about* are more fields of `Command`."""
        return Command(self.command, self.run, Form(self.options), **about)


def deed_actions(
    deeds: Iterable[Deed[Any]],
) -> dict[type[Action], Callable[[Game, Any], Outcome]]:
    """Return the functions that carry out deeds, by the class of the action."""
    return {deed.kind: deed.carries for deed in deeds}


def deed_forms(deeds: Iterable[Deed[Any]]) -> dict[type[Action], Form]:
    """Return the forms of deeds with options, by the class of the action, without who acts."""
    forms: dict[type[Action], Form] = {}
    for deed in deeds:
        options = tuple(option for option in deed.options if option.key != AS_FIELD.key)
        if options:
            forms[deed.kind] = Form(options)
    return forms


def _attribute_name(key: str) -> str:
    """Return the field of an action for an option's key."""
    return "as_" if key == AS_FIELD.key else key


def _empty_values(option: Field) -> tuple[Any, ...]:
    """Return what an action may keep of an option that is left out."""
    if isinstance(option, Flag):
        return (False,)
    if isinstance(option, Number):
        return (None,)
    return ("", None) if option.key == AS_FIELD.key else ("",)
