"""Reading of JSON objects that players and GMs write: every violation is noted, none stops it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, cast

from rules.core.errors import InvalidInput, Param, RulesError
from rules.core.name_matching import matches, name_key, similar_names

_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
#: Number of unknown names for which similar ones are suggested.
_SUGGESTIONS: Final = 20
#: Number of violations after which the rest of a file is not read. The author of such a file can
#: mend these and upload it again.
MAX_NOTED_PROBLEMS: Final = 500
#: Least likeness of a suggested name, from 0 to 1.
LIKENESS: Final = 0.6
#: Longest text in an error, in characters, and largest number in it.
_SHOWN: Final = 100
_LARGEST: Final = 10**15
#: Most digits of a typed number.
_DIGITS: Final = 15
#: Characters that stand for a space in names.
_SPACED: Final = str.maketrans("_-", "  ")
_TEXTS: Final[frozenset[type]] = frozenset((str,))
#: A dict comes first: nearly every value is one, and that check costs less.
_OBJECTS: Final = (dict, Mapping)


def value_for_error(value: object) -> Param:
    """Return a JSON value, shortened to what an error may carry."""
    if isinstance(value, str):
        return value[:_SHOWN].encode("utf-8", "replace").decode("utf-8")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -_LARGEST <= value <= _LARGEST else "…"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{…}"
    return "[…]"


def read_whole_number(text: str, field: str, lowest: int, highest: int) -> int:
    """Return a typed whole number, with either kind of minus sign.

    Raises InvalidInput("not-a-number") or InvalidInput("out-of-range"), both with `lowest` and
    `highest`.
    """
    plain = text.strip().replace("\u2212", "-").removeprefix("+")
    digits = plain.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise InvalidInput(
            "not-a-number", field=field, value=value_for_error(text), lowest=lowest, highest=highest
        )
    number = int(plain) if len(digits) <= _DIGITS else None
    if number is None or not lowest <= number <= highest:
        value = number
        if number is None:
            value = value_for_error(text.strip())
        raise InvalidInput("out-of-range", field=field, value=value, lowest=lowest, highest=highest)
    return number


def read_name_or_number(
    text: str,
    names: Iterable[str],
    lowest: int,
    highest: int,
    *,
    field: str,
    unknown: str,
    unit: str = "",
) -> str:
    """Return the canonical form of a number within bounds, or of the one name that begins so.

    The number may have its unit. Raises InvalidInput(`unknown`) with all names as `allowed`, like
    names as `nearest`, and the bounds as `lowest` and `highest`.
    """
    with suppress(InvalidInput):
        return str(
            read_whole_number(text.casefold().strip().removesuffix(unit), field, lowest, highest)
        )
    allowed = tuple(names)
    fitting = matches(allowed, text.translate(_SPACED), lambda name: name.translate(_SPACED))
    if len(fitting) != 1:
        bounds = {"lowest": lowest, "highest": highest}
        near = tuple(fitting) or similar_names(text, allowed)
        raise InvalidInput(
            unknown,
            field=field,
            value=value_for_error(text),
            allowed=allowed,
            nearest=near,
            **bounds,
        )
    return fitting[0]


def violation(code: str, field: str, value: object, fix: str, **params: Param) -> InvalidInput:
    """Return the error for a wrong field, with its *fix*."""
    return InvalidInput(code, field=field, value=value_for_error(value), fix=fix, **params)


class Reader:
    """Reader of fields that notes violations in `problems`.

    Each problem is an error with `field`, `value` and `fix`. The reader notes all of them until it
    `is_full`.
    """

    __slots__ = ("_suggested", "problems")

    def __init__(self) -> None:
        self.problems: list[RulesError] = []
        self._suggested = 0

    @property
    def is_full(self) -> bool:
        """True if no further entries of a long list need be read."""
        return len(self.problems) >= MAX_NOTED_PROBLEMS

    def add_problem(self, code: str, field: str, value: object, fix: str, **params: Param) -> None:
        """Note a violation."""
        self.problems.append(violation(code, field, value, fix, **params))

    def read_object(self, field: str, value: object) -> Mapping[str, object] | None:
        """Return an object with text keys; None for any other value."""
        if isinstance(value, _OBJECTS):
            given = cast("Mapping[Any, object]", value)
            if _TEXTS.issuperset(map(type, given)):
                return given
            return {str(key): entry for key, entry in given.items()}
        self.add_problem("wrong-type", field, value, "use-object", allowed=("object",))
        return None

    def read_list(self, field: str, value: object, most: int) -> Sequence[object] | None:
        """Return a list of at most *most* entries; None for any other value."""
        if not isinstance(value, list | tuple):
            self.add_problem("wrong-type", field, value, "use-list", allowed=("list",))
            return None
        entries = cast("Sequence[object]", value)
        if self.note_too_many(field, len(entries), most):
            return None
        return entries

    def note_too_many(self, field: str, count: int, most: int) -> bool:
        """Return whether there are more than *most* entries, and note it if so."""
        if count > most:
            self.add_problem(
                "too-many-entries", field, count, "remove-entries", highest=most, count=count - most
            )
        return count > most

    def read_text(
        self,
        field: str,
        value: object,
        longest: int,
        *,
        needed: bool = False,
        one_line: bool = False,
    ) -> str:
        """Return a text as it is written; an empty one for a value that is no text."""
        if not isinstance(value, str):
            self.add_problem("wrong-type", field, value, "use-text", allowed=("text",))
            return ""
        if needed and not value.strip():
            self.add_problem("empty-text", field, value, "write-something")
        if len(value) > longest:
            self.add_problem(
                "too-long", field, value, "shorten", highest=longest, length=len(value)
            )
        if value.isprintable():
            return value
        if _UNPRINTABLE.search(value) or (one_line and ("\n" in value or "\r" in value)):
            self.add_problem("unprintable-text", field, value, "remove-control-characters")
        return value

    def read_number(self, field: str, value: object, lowest: int, highest: int) -> int:
        """Return a whole number within the bounds; the lowest for any other value."""
        if not isinstance(value, int) or isinstance(value, bool):
            self.add_problem(
                "wrong-type", field, value, "use-whole-number", allowed=("whole-number",)
            )
            return lowest
        if not lowest <= value <= highest:
            self.add_problem(
                "out-of-range", field, value, "choose-in-range", lowest=lowest, highest=highest
            )
            return lowest
        return value

    def read_bool(self, field: str, value: object) -> bool:
        """Return a flag; False for any other value."""
        if not isinstance(value, bool):
            allowed = ("true", "false")
            self.add_problem("wrong-type", field, value, "use-true-or-false", allowed=allowed)
            return False
        return value

    def suggestions_for(self, text: str, names: Iterable[str]) -> tuple[str, ...]:
        """Return the known names that are like an unknown one.

        Returns none after the first `_SUGGESTIONS` calls, since the search takes time.
        """
        if self._suggested >= _SUGGESTIONS:
            return ()
        self._suggested += 1
        return similar_names(text, names, LIKENESS)

    def note_unknown(self, data: Mapping[str, object], known: Sequence[str], prefix: str) -> None:
        """Note a violation for each field that is not *known*."""
        for key in data:
            if key in known:
                continue
            if self.is_full:
                return
            nearest = self.suggestions_for(key, known)
            name, allowed = str(value_for_error(key)), tuple(known)
            self.add_problem(
                "unknown-field",
                prefix + name,
                name,
                "rename-or-remove",
                allowed=allowed,
                nearest=nearest,
            )

    def note_missing(self, data: Mapping[str, object], needed: Sequence[str], prefix: str) -> None:
        """Note a violation for each *needed* field that is missing."""
        for key in needed:
            if key not in data:
                self.add_problem("missing-field", prefix + key, None, "add-field")

    def note_repeated_names(self, field: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Note a violation for each row whose name an earlier row has, too."""
        seen: dict[str, str] = {}
        for number, row in enumerate(rows):
            path = f"{field}[{number}].name"
            first = seen.setdefault(name_key(row.get("name", "")), path)
            if first != path and "name" in row:
                self.add_problem(
                    "duplicate-field", path, row["name"], "rename-or-remove", first=first
                )

    def note_repeated_titles(self, field: str, records: Iterable[Any]) -> None:
        """Note a violation for each record whose title an earlier record has, too."""
        seen: dict[str, str] = {}
        for number, record in enumerate(records):
            path = f"{field}[{number}]"
            first = seen.setdefault(name_key(record.title), path)
            if first != path:
                self.add_problem(
                    "duplicate-field", path, record.name, "rename-or-remove", first=first
                )
