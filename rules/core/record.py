"""Base class of all plain data: frozen, compared by value, cheap to create and to copy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self, cast, dataclass_transform

from msgspec import NODEFAULT, Struct, field
from msgspec.structs import asdict, astuple, force_setattr

__all__ = [
    "NODEFAULT",
    "Record",
    "asdict",
    "astuple",
    "field",
    "field_defaults",
    "force_setattr",
    "to_plain",
]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen `msgspec.Struct`. Writing to a field raises AttributeError."""

    if TYPE_CHECKING:

        def replace(self, **changes: Any) -> Self:
            """Return a copy with other values in the named fields.

            Raises TypeError for a field that the record does not have.
            """
            ...
    else:
        # Native: a wrapper in Python would double the cost of a copy.
        replace = Struct.__replace__


def field_defaults(record: type[Record]) -> dict[str, Any]:
    """Return the default of each field of a record class, in the order of the fields.

    A required field has `NODEFAULT`.
    """
    names = record.__struct_fields__
    defaults = record.__struct_defaults__
    required = len(names) - len(defaults)
    return dict(zip(names, (*[NODEFAULT] * required, *defaults), strict=True))


def to_plain(value: Any) -> Any:
    """Return *value* with records at any depth turned into dictionaries."""
    if isinstance(value, Record):
        return {name: to_plain(inner) for name, inner in asdict(value).items()}
    if isinstance(value, tuple):
        return tuple(to_plain(inner) for inner in cast("Iterable[Any]", value))
    if isinstance(value, list):
        return [to_plain(inner) for inner in cast("Iterable[Any]", value)]
    if isinstance(value, dict):
        return {key: to_plain(inner) for key, inner in cast("dict[Any, Any]", value).items()}
    return value
