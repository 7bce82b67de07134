"""Validation of action fields: values that can't be stored or read again are refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, Final, get_type_hints

from pydantic import TypeAdapter, ValidationError

from rules.core.errors import InvalidInput, Param
from rules.table.actions import Action

#: Bound of the integers that every store, script and client keeps exactly.
_EXACT: Final = 1 << 53
#: Code of the advice for a value of a wrong type, by pydantic's error type.
_FIXES: Final = {
    "string_type": "use-text",
    "int_type": "use-whole-number",
    "bool_type": "use-true-or-false",
    "dict_type": "use-object",
    "tuple_type": "use-list",
}


@cache
def _reader(kind: type[Action]) -> tuple[tuple[str, ...], Callable[[Action], tuple[Any, ...]], Any]:
    """Return an action's field names, a reader of their values, and a validator of the values."""
    hints = get_type_hints(kind)
    types: Any = tuple[tuple(hints.values())]
    return (
        tuple(hints),
        attrgetter(*hints),
        TypeAdapter(types, config={"arbitrary_types_allowed": True}).validator.validate_python,
    )


def check_fields(action: Action) -> None:
    """Refuse values of a wrong type, invalid text, numbers out of bounds and unknown choices.

    The contents of JSON objects are checked by their readers.

    Raises InvalidInput("unprintable-text"), ("out-of-range") or ("wrong-type").
    """
    names, values_of, validate = _reader(type(action))
    values = values_of(action)
    try:
        validate(values, strict=True)
    except ValidationError as error:
        raise _wrong_type(names, error) from None
    for name, value in zip(names, values, strict=True):
        for item in value if isinstance(value, tuple) else (value,):
            _check_value(name.rstrip("_"), item)


def _wrong_type(names: tuple[str, ...], error: ValidationError) -> InvalidInput:
    first = error.errors(include_url=False)[0]
    more: dict[str, Param] = {}
    if expected := first.get("ctx", {}).get("expected"):
        more["allowed"] = tuple(re.findall("'(.*?)'", expected))
    elif fix := _FIXES.get(first["type"]):
        more["fix"] = fix
    shown = str(first["input"]).encode("utf-8", "replace").decode()[:100]
    return InvalidInput(
        "wrong-type", field=names[int(first["loc"][0])].rstrip("_"), value=shown, **more
    )


def _check_value(name: str, value: object) -> None:
    if isinstance(value, str):
        if not value.isascii() and (clean := value.encode("utf-8", "replace").decode()) != value:
            fix = "remove-control-characters"
            raise InvalidInput("unprintable-text", field=name, value=clean[:100], fix=fix)
    elif isinstance(value, int) and not -_EXACT <= value <= _EXACT:
        raise InvalidInput("out-of-range", field=name, value="…", lowest=-_EXACT, highest=_EXACT)
