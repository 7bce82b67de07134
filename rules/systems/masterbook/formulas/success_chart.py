"""Difficulties, and the Success Chart that result points are read on (MB-DN-01, MB-SUC-01 to -05,
MB-DMG-11).
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.record import Record

#: The columns that name a result.
Column = Literal["general", "intimidation", "taunt_trick", "maneuver"]
#: What a failure comes to on every column.
NO_RESULT: Final = "none"


class Difficulty(Record):
    """A level of the scale; no number where nobody rolls. `printed` is the percentage beside it,
    exact or not.
    """

    name: str
    dn: int | None
    printed: int | None = None


class Band(Record):
    """A result from so many points on."""

    id: str
    least: int


class Damage(Record):
    """What a blow does: `ko` is empty, K, O, K/O or KO. A `bare` one names a single wound without
    its number.

    `bleeders` are wounds that bleed instead (MB-DMO-04); the chart knows none.
    """

    wounds: int = 0
    knockdown: bool = False
    ko: str = ""
    shock: int = 0
    bare: bool = False
    bleeders: int = 0

    @property
    def text(self) -> str:
        """As the chart writes it: `2Wnd Knockdown K3`, `Wnd K/O 5`, `none`."""
        wounds = (
            ("" if self.bare and self.wounds == 1 else str(self.wounds)) + "Wnd"
            if self.wounds
            else ""
        )
        gap = " " if len(self.ko) > 1 and self.shock else ""
        last = f"{self.ko}{gap}{self.shock or ''}"
        return (
            " ".join(filter(None, (wounds, "Knockdown" if self.knockdown else "", last)))
            or NO_RESULT
        )


class Push(NamedTuple):
    """How far a push goes, and the shock it costs."""

    push: int = 0
    shock: int = 0


_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "core")())
#: Their results from the least on.
COLUMNS: Final = from_json(dict[Column, tuple[Band, ...]], _ROWS["columns"])
DIFFICULTIES: Final = rows_by_key(from_json(tuple[Difficulty, ...], _ROWS["difficulties"]))
_DAMAGE: Final = from_json(tuple[Damage, ...], _ROWS["damage"])
#: What the scale calls its numbers.
LEVELS: Final = {each.dn: each.name for each in DIFFICULTIES.values() if each.dn is not None}


def ladder(column: Column) -> tuple[str, ...]:
    """The results of a column from none at all up."""
    return (NO_RESULT, *[each.id for each in COLUMNS[column]])


def _reached(column: Column, points: int) -> int:
    return sum([points >= each.least for each in COLUMNS[column]])


def result(column: Column, points: int) -> str:
    """What so many result points are on a column; `none` below 0 (MB-SUC-03)."""
    return ladder(column)[_reached(column, points)]


def success_level(points: int) -> str:
    """The General Success level (MB-SUC-02)."""
    return result("general", points)


def rank(points: int) -> int:
    """Its rank from 1 to 6, 0 on a failure: what "for each success level" counts (MB-SUC-02)."""
    return _reached("general", points)


def damage_for_points(points: int) -> Damage:
    """What so many damage points do, nothing below 0; past the last row a wound more for each
    (MB-DMG-11).
    """
    if points < 0:
        return Damage()
    last = len(_DAMAGE) - 1
    row = _DAMAGE[min(points, last)]
    return row.replace(wounds=row.wounds + max(0, points - last))


def push(points: int) -> Push:
    """The Push column and its formula beyond it; a failure pushes nothing and costs nothing
    (MB-SUC-04).
    """
    if points < 0:
        return Push()
    steps, over = divmod(points, 3)
    return Push(steps + 1, steps + 3 - over)


def is_critical_failure(total: int, number: int, value: int) -> bool:
    """Whether a total misses the number, and by more than the value it was rolled with
    (MB-SUC-05).
    """
    return total < number and number - total > value
