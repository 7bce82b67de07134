"""Reading JSON objects that people wrote: every violation is remembered, none stops the reading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, cast

from rules.core.errors import InvalidInput, Param, RulesError
from rules.core.name_matching import matches, name_key, similar_names

_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
#: For so many unknown names what is like them is suggested.
_SUGGESTIONS: Final = 20
#: After so many violations the rest of a file is not looked at: who made it that bad may try again
#: and again.
MAX_NOTED_PROBLEMS: Final = 500
#: The least likeness of a name that is suggested, from 0 to 1.
LIKENESS: Final = 0.6
_SHOWN: Final = 100
_LARGEST: Final = 10**15
#: The most digits of a number that is typed.
_DIGITS: Final = 15
#: What stands for a space in names.
_SPACED: Final = str.maketrans("_-", "  ")
_TEXTS: Final[frozenset[type]] = frozenset((str,))
#: Nearly always the first, which costs less to ask.
_OBJECTS: Final = (dict, Mapping)


def value_for_error(value: object) -> Param:
    """A JSON value cut down to what an error may carry."""
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
    """A whole number as it is typed, with a minus of either kind.

    InvalidInput("not-a-number", "out-of-range"), both with `lowest` and `highest`.
    """
    plain = text.strip().replace("\u2212", "-").removeprefix("+")
    digits = plain.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise InvalidInput(
            "not-a-number", field=field, value=value_for_error(text), lowest=lowest, highest=highest
        )
    number = int(plain) if len(digits) <= _DIGITS else None
    if number is None or not lowest <= number <= highest:
        value = value_for_error(text.strip()) if number is None else number
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
    found = matches(allowed, text.translate(_SPACED), lambda name: name.translate(_SPACED))
    if len(found) != 1:
        bounds = {"lowest": lowest, "highest": highest}
        near = tuple(found) or similar_names(text, allowed)
        raise InvalidInput(
            unknown,
            field=field,
            value=value_for_error(text),
            allowed=allowed,
            nearest=near,
            **bounds,
        )
    return found[0]


def violation(code: str, field: str, value: object, fix: str, **params: Param) -> InvalidInput:
    """What is wrong with a field, and how it is mended."""
    return InvalidInput(code, field=field, value=value_for_error(value), fix=fix, **params)


class Reader:
    """Reads fields and notes violations in `problems`: a refusal each, with `field`, `value` and
    `fix`.

    Every one of them, as long as they are not `is_full`.
    """

    __slots__ = ("_suggested", "problems")

    def __init__(self) -> None:
        self.problems: list[RulesError] = []
        self._suggested = 0

    @property
    def is_full(self) -> bool:
        """Whether what comes next in a long list need not be looked at."""
        return len(self.problems) >= MAX_NOTED_PROBLEMS

    def add_problem(self, code: str, field: str, value: object, fix: str, **params: Param) -> None:
        """Note a violation."""
        self.problems.append(violation(code, field, value, fix, **params))

    def read_object(self, field: str, value: object) -> Mapping[str, object] | None:
        """An object, or None."""
        if isinstance(value, _OBJECTS):
            given = cast("Mapping[Any, object]", value)
            if _TEXTS.issuperset(map(type, given)):
                return given
            return {str(key): entry for key, entry in given.items()}
        self.add_problem("wrong-type", field, value, "use-object", allowed=("object",))
        return None

    def read_list(self, field: str, value: object, most: int) -> Sequence[object] | None:
        """A list of at most so many entries, or None."""
        if not isinstance(value, list | tuple):
            self.add_problem("wrong-type", field, value, "use-list", allowed=("list",))
            return None
        entries = cast("Sequence[object]", value)
        return None if self.note_too_many(field, len(entries), most) else entries

    def note_too_many(self, field: str, found: int, most: int) -> bool:
        """Whether there are more entries than may be, which is noted."""
        if found > most:
            self.add_problem(
                "too-many-entries", field, found, "remove-entries", highest=most, count=found - most
            )
        return found > most

    def read_text(
        self,
        field: str,
        value: object,
        longest: int,
        *,
        needed: bool = False,
        one_line: bool = False,
    ) -> str:
        """A text as it is written; an empty one for what is no text."""
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
        """A whole number within bounds; the lowest for what is none."""
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
        """True or false; false for what is neither."""
        if not isinstance(value, bool):
            allowed = ("true", "false")
            self.add_problem("wrong-type", field, value, "use-true-or-false", allowed=allowed)
            return False
        return value

    def suggestions_for(self, text: str, names: Iterable[str]) -> tuple[str, ...]:
        """Names like a text that is none of them; nothing for the twenty-first such text, since
        looking takes time.
        """
        if self._suggested >= _SUGGESTIONS:
            return ()
        self._suggested += 1
        return similar_names(text, names, LIKENESS)

    def note_unknown(self, data: Mapping[str, object], known: Sequence[str], prefix: str) -> None:
        """A violation for each field that does not belong there."""
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
        """A violation for each field that has to be there and is not."""
        for key in needed:
            if key not in data:
                self.add_problem("missing-field", prefix + key, None, "add-field")

    def note_repeated_names(self, field: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """A violation for each row whose name stands in one before it, too."""
        seen: dict[str, str] = {}
        for number, row in enumerate(rows):
            path = f"{field}[{number}].name"
            first = seen.setdefault(name_key(row.get("name", "")), path)
            if first != path and "name" in row:
                self.add_problem(
                    "duplicate-field", path, row["name"], "rename-or-remove", first=first
                )

    def note_repeated_titles(self, field: str, records: Iterable[Any]) -> None:
        """A violation for each record whose title one before it has, too."""
        seen: dict[str, str] = {}
        for number, each in enumerate(records):
            path = f"{field}[{number}]"
            first = seen.setdefault(name_key(each.title), path)
            if first != path:
                self.add_problem(
                    "duplicate-field", path, each.name, "rename-or-remove", first=first
                )
