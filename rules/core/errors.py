"""One tree of errors for everything the rules refuse.

An error carries a code and parameters, never sentences: the presenters write the words, so that
they can be translated, shown in plain text, and checked for leaks. Raising one changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

#: One value of a parameter.
Plain = str | int | bool | None
#: What belongs together, such as a name with its score: nothing is ever put into one text to be
#: taken apart again.
Row = tuple[Plain, ...]
#: JSON-able, so that an error can be stored and shown again.
Param = Plain | tuple[Plain | Row, ...]


class RulesError(Exception):
    """Base of all refusals. `code` names the reason; `params` hold field, value, allowed values and
    the fix.
    """

    def __init__(self, code: str, /, **params: Param) -> None:
        super().__init__(code)
        self.code = code
        self.params: dict[str, Param] = params

    def __str__(self) -> str:
        return f"{self.code} {self.params}" if self.params else self.code


class InvalidInput(RulesError):
    """An option has a value that cannot be used. Params: `field`, `value`, and what is
    `allowed`.
    """


class NotFound(RulesError):
    """Something named does not exist here. Params: `field`, `value`, `nearest` (tuple of
    suggestions).
    """


class NotPermitted(RulesError):
    """This person may not do this. Params say who may."""


class Outdated(RulesError):
    """The thing acted on has moved on since the button was shown."""


class Impossible(RulesError):
    """The rules of the game do not allow this now. Params say why and what is possible instead."""


class Problems(RulesError):
    """Several violations found at once, each an error of its own (`problems`, never empty)."""

    def __init__(self, code: str, problems: Sequence[RulesError], /, **params: Param) -> None:
        if not problems:
            raise ValueError("Problems needs at least one problem")
        super().__init__(code, **params)
        self.problems: tuple[RulesError, ...] = tuple(problems)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.problems), self.__dict__
