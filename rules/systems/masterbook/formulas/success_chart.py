"""Difficulties, and the Success Chart that result points are read on.

MB-DN-01, MB-SUC-01 to MB-SUC-05, MB-DMG-11.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.record import Record

#: Columns that name a result.
Column = Literal["general", "intimidation", "taunt_trick", "maneuver"]
#: Result of a failure on every column.
NO_RESULT: Final = "none"


class Difficulty(Record):
    """A level of the scale of difficulties."""

    name: str
    #: Difficulty number; None: nobody rolls.
    dn: int | None
    #: Percentage that the book prints beside it, exact or not.
    printed: int | None = None


class Band(Record):
    """A result of a column, from a number of result points on."""

    id: str
    least: int


class Damage(Record):
    """Damage of a hit."""

    wounds: int = 0
    knockdown: bool = False
    #: Empty, K, O, K/O or KO.
    ko: str = ""
    shock: int = 0
    #: Whether the chart names a single wound without its number.
    bare: bool = False
    #: Wounds that bleed instead (MB-DMO-04); the chart has none.
    bleeders: int = 0

    @property
    def text(self) -> str:
        """Damage as the chart writes it: `2Wnd Knockdown K3`, `Wnd K/O 5`, `none`."""
        parts: list[str] = []
        if self.wounds:
            number = "" if self.bare and self.wounds == 1 else str(self.wounds)
            parts.append(f"{number}Wnd")
        if self.knockdown:
            parts.append("Knockdown")
        gap = " " if len(self.ko) > 1 and self.shock else ""
        ko_and_shock = f"{self.ko}{gap}{self.shock or ''}"
        if ko_and_shock:
            parts.append(ko_and_shock)
        return " ".join(parts) or NO_RESULT


class Push(NamedTuple):
    """Value that a push adds, and the shock that it costs."""

    push: int = 0
    shock: int = 0


_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "core")())
#: Results of each column, the least first.
COLUMNS: Final = from_json(dict[Column, tuple[Band, ...]], _ROWS["columns"])
DIFFICULTIES: Final = rows_by_key(from_json(tuple[Difficulty, ...], _ROWS["difficulties"]))
_DAMAGE: Final = from_json(tuple[Damage, ...], _ROWS["damage"])
#: Names of the scale's numbers.
LEVELS: Final = {row.dn: row.name for row in DIFFICULTIES.values() if row.dn is not None}


def ladder(column: Column) -> tuple[str, ...]:
    """Return the results of a column, from none at all upward."""
    return (NO_RESULT, *[band.id for band in COLUMNS[column]])


def _bands_reached(column: Column, points: int) -> int:
    return sum([points >= band.least for band in COLUMNS[column]])


def result(column: Column, points: int) -> str:
    """Return the result of points on a column; `none` below 0 (MB-SUC-03)."""
    return ladder(column)[_bands_reached(column, points)]


def success_level(points: int) -> str:
    """Return the General Success level of result points (MB-SUC-02)."""
    return result("general", points)


def rank(points: int) -> int:
    """Return the rank of the General Success level, 1 to 6, or 0 on a failure (MB-SUC-02).

    The book's "for each success level" counts ranks.
    """
    return _bands_reached("general", points)


def damage_for_points(points: int) -> Damage:
    """Return the damage of a number of damage points; none below 0 (MB-DMG-11).

    Each point past the last row is a wound more.
    """
    if points < 0:
        return Damage()
    last = len(_DAMAGE) - 1
    row = _DAMAGE[min(points, last)]
    return row.replace(wounds=row.wounds + max(0, points - last))


def push(points: int) -> Push:
    """Return the row of the Push column, or of its formula beyond the column (MB-SUC-04).

    A failure pushes nothing and costs nothing.
    """
    if points < 0:
        return Push()
    steps, rest = divmod(points, 3)
    return Push(steps + 1, steps + 3 - rest)


def is_critical_failure(total: int, number: int, value: int) -> bool:
    """Return whether a total misses the number by more than the value it was rolled with.

    (MB-SUC-05)
    """
    return total < number and number - total > value
