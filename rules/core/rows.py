"""Data as rows: JSON objects become frozen records by their type hints, or a ValueError names the place.

For files that ship with the program. What people bring along is read by `reading`, which notes every violation.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

#: What JSON makes of a file, read when it is called.
Data = Callable[[], object]


def data(package: str, name: str) -> Data:
    """`data/<name>.json` of a package, read each time it is called."""

    def load() -> object:
        return json.loads(files(package).joinpath(f"data/{name}.json").read_text(encoding="utf-8"))

    return load


def read(kind: type[T], value: object, path: str = "") -> T:
    """A value of this kind: a record, text, number, flag, `Literal`, fraction, tuple, mapping, or a union of them.

    ValueError with the place, such as `weapons[3].damage: expected a whole number, not "3"`.
    """
    return cast("T", _read(kind, value, path))


def named(rows: Iterable[T], key: str = "name") -> dict[str, T]:
    """Rows by this field of theirs."""
    return {getattr(each, key): each for each in rows}


def numbers(value: Any, place: str) -> Iterable[tuple[str, int]]:
    """Every whole number in a row as an object, wherever it stands, with its place."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield place, value
    elif isinstance(value, dict):
        for key, each in cast("dict[str, Any]", value).items():
            yield from numbers(each, _at(place, key))
    elif isinstance(value, list | tuple):
        for at, each in enumerate(cast("Iterable[Any]", value)):
            yield from numbers(each, f"{place}[{at}]")


_PLAIN: dict[Any, str] = {str: "a text", int: "a whole number", bool: "true or false", NoneType: "null"}


def _wrong(path: str, wanted: str, value: object) -> ValueError:
    return ValueError(f"{path or 'the data'}: expected {wanted}, not {json.dumps(value, default=str)[:100]}")


def _read(kind: Any, value: object, path: str) -> Any:
    if kind in _PLAIN:
        if type(value) is not kind:  # a flag is no number
            raise _wrong(path, _PLAIN[kind], value)
        return value
    if kind is Any or kind is object:
        return value
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Fraction:
        return _fraction(value, path)
    if origin is Literal:
        if value not in inner:
            raise _wrong(path, f"one of {', '.join(map(str, inner))}", value)
        return value
    if origin in (Union, UnionType):
        return _any_of(inner, value, path)
    if origin is tuple:
        return _tuple(inner, value, path)
    if origin in (dict, Mapping):
        return {name: _read(inner[1], each, _at(path, name)) for name, each in _object(value, path).items()}
    if is_dataclass(kind):
        return _record(cast("type[Any]", kind), value, path)
    raise TypeError(f"{path}: rows have no {kind}")


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _object(value: object, path: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise _wrong(path, "an object", value)
    return cast("Mapping[str, object]", value)


def _fraction(value: object, path: str) -> Fraction:
    """`3`, `"1/2"` or `"1.5"`: never a number with a point, which is none of the kind."""
    if type(value) in (int, str):
        try:
            return Fraction(cast("int | str", value))
        except (ValueError, ZeroDivisionError):
            pass
    raise _wrong(path, 'a whole number or a fraction such as "1/2"', value)


def _any_of(kinds: tuple[Any, ...], value: object, path: str) -> Any:
    """The first that fits; what is wrong with the last one is told, which is not that it is no `None`."""
    if value is None and NoneType in kinds:
        return None
    kinds = tuple(kind for kind in kinds if kind is not NoneType)
    for kind in kinds[:-1]:
        try:
            return _read(kind, value, path)
        except ValueError:
            continue
    return _read(kinds[-1], value, path)


def _tuple(kinds: tuple[Any, ...], value: object, path: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _wrong(path, "a list", value)
    entries = cast("Sequence[object]", value)
    many = len(kinds) == 2 and kinds[1] is ...
    if not many and len(entries) != len(kinds):
        raise _wrong(path, f"a list of {len(kinds)}", entries)
    return tuple(
        _read(kinds[0] if many else kinds[number], each, f"{path}[{number}]")
        for number, each in enumerate(entries)
    )


@lru_cache(maxsize=512)
def _hints(kind: type[Any]) -> dict[str, tuple[str, Any, bool]]:
    """Field in the file -> name of the record's field, its kind, whether it has to be there. `type_` is `type`."""
    hints = get_type_hints(kind)
    return {
        each.name.rstrip("_"): (
            each.name,
            hints[each.name],
            each.default is MISSING and each.default_factory is MISSING,
        )
        for each in fields(kind)
        if each.init
    }


def _record(kind: type[Any], value: object, path: str) -> Any:
    given, known = _object(value, path), _hints(kind)
    for name in given:
        if name not in known:
            raise ValueError(f"{_at(path, name)}: no such field; there are {', '.join(known)}")
    for name, (_, _, needed) in known.items():
        if needed and name not in given:
            raise ValueError(f"{_at(path, name)}: missing")
    said = {known[name][0]: _read(known[name][1], each, _at(path, name)) for name, each in given.items()}
    try:
        return kind(**said)
    except ValueError as error:  # what a record says of a field of its own
        raise ValueError(_at(path, str(error))) from error
