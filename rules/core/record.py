"""Classes of plain data that are made in great numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(kind: type[T]) -> type[T]:
    """`dataclass(frozen=True, slots=True)` as far as the type checker can tell, which reads every line.

    At run time nothing keeps a field from being set. What would do so makes a frozen dataclass cost ten times as
    much, a tenth of a microsecond for each field of each object: a quarter of the time that resolving takes.
    """
    return dataclass(slots=True, unsafe_hash=True)(kind)
