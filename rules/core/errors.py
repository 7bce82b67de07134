"""Errors that the rules raise for everything that they refuse.

An error carries a code and parameters, never sentences. The presenters write the words, so that
they can be translated, shown in plain text, and checked for leaks. Nothing has changed when an
error is raised.
"""

from __future__ import annotations

from collections.abc import Sequence

#: One value of a parameter.
Plain = str | int | bool | None
#: Values that belong together, such as a name and its score. They stay apart, so that no reader has
#: to split a text.
Row = tuple[Plain, ...]
#: Value of a parameter. It is JSON-able, so that an error can be stored and shown again.
Param = Plain | tuple[Plain | Row, ...]


class RulesError(Exception):
    """Base class of all refusals.

    `code` names the reason. `params` hold the field, its value, the allowed values and the fix.
    """

    def __init__(self, code: str, /, **params: Param) -> None:
        super().__init__(code)
        self.code = code
        self.params: dict[str, Param] = params

    def __str__(self) -> str:
        return f"{self.code} {self.params}" if self.params else self.code


class InvalidInput(RulesError):
    """Error for an option whose value cannot be used.

    Params: `field`, `value` and what is `allowed`.
    """


class NotFound(RulesError):
    """Error for a name that does not exist here.

    Params: `field`, `value` and `nearest`, a tuple of suggestions.
    """


class NotPermitted(RulesError):
    """Error for an action that this participant may not take. Params say who may."""


class Outdated(RulesError):
    """Error for a button whose subject has changed since the button was shown."""


class Impossible(RulesError):
    """Error for what the rules of the game do not allow now.

    Params say why, and what is possible instead.
    """


class Problems(RulesError):
    """Several violations at once. `problems` holds an error for each, and is never empty."""

    def __init__(self, code: str, problems: Sequence[RulesError], /, **params: Param) -> None:
        if not problems:
            raise ValueError("Problems needs at least one problem")
        super().__init__(code, **params)
        self.problems: tuple[RulesError, ...] = tuple(problems)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.problems), self.__dict__
