"""What the fields of an action may hold: what could not be kept, or read again, is refused at the
door.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, Final, get_type_hints

from pydantic import TypeAdapter, ValidationError

from rules.core.errors import InvalidInput, Param
from rules.table.actions import Action

#: Numbers that every store, script and client keeps exactly.
_EXACT: Final = 1 << 53
#: What is done about a value of another kind than its field's.
_FIXES: Final = {
    "string_type": "use-text",
    "int_type": "use-whole-number",
    "bool_type": "use-true-or-false",
    "dict_type": "use-object",
    "tuple_type": "use-list",
}


@cache
def _reader(kind: type[Action]) -> tuple[tuple[str, ...], Callable[[Action], tuple[Any, ...]], Any]:
    """The names of an action's fields, what reads their values, and what holds these against their
    types.
    """
    hints = get_type_hints(kind)
    held: Any = tuple[tuple(hints.values())]
    return (
        tuple(hints),
        attrgetter(*hints),
        TypeAdapter(held, config={"arbitrary_types_allowed": True}).validator.validate_python,
    )


def check_fields(action: Action) -> None:
    """Refuse values of another kind, text that is no text, numbers out of all bounds, unknown
    choices.

    What objects hold is for those who read them. InvalidInput("unprintable-text"), ("out-of-range")
    or ("wrong-type").
    """
    names, values_of, validate = _reader(type(action))
    values = values_of(action)
    try:
        validate(values, strict=True)
    except ValidationError as error:
        raise _wrong_type(names, error) from None
    for name, value in zip(names, values, strict=True):
        for each in value if isinstance(value, tuple) else (value,):
            _check_value(name.rstrip("_"), each)


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
