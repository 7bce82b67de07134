"""Classes of plain data that are made in great numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
def record(kind: type[T], /) -> type[T]: ...
@overload
def record(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(
    kind: type[T] | None = None, /, *, kw_only: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """`dataclass(frozen=True, slots=True)` as far as the type checker can tell, which reads every line.

    At run time nothing keeps a field from being set. What would do so makes a frozen dataclass cost ten times as
    much, a tenth of a microsecond for each field of each object: a quarter of the time that resolving takes.
    """
    made = dataclass(slots=True, unsafe_hash=True, kw_only=kw_only)
    return made if kind is None else made(kind)
