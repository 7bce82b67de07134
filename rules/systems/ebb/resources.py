"""What is spent and comes back: Fate points, and the points of attributes (EBB-FATE, EBB-LUCK, EBB-HEAL)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from rules.core.errors import Impossible
from rules.systems.ebb.sheet import (
    HIGHEST_FATE,
    EbbSheet,
    base_attribute,
    effective_attribute,
    set_sacrificed,
)
from rules.systems.ebb.tables import ATTRIBUTES
from rules.table.checks.check import Cost
from rules.table.events import Line
from rules.table.resources import Award, ByHand, Resource

FATE: Final = Resource[EbbSheet](
    "fate",
    of=lambda sheet: sheet.fate,
    put=lambda sheet, points: replace(sheet, fate=points),
    high=HIGHEST_FATE,
    award=Award(
        Line("ebb-award"),
        lambda name, points, sheet: Line("ebb-award", {"name": name, "points": points, "fate": sheet.fate}),
    ),
    by_hand=ByHand(
        lambda sheet: Line("ebb-set-fate", {"points": sheet.fate}),
        lambda before, now: Line("ebb-set-fate", {"points": now.fate, "before": before.fate, "done": True}),
    ),
    short=lambda have, need: Impossible("not-enough-fate", have=have, need=need),
)
#: One more throw of the ability die.
REROLL: Final = Cost(FATE.key, 1)


def _points(name: str) -> Resource[EbbSheet]:
    """Of an attribute: sacrificed for luck or a flesh wound, given back when a session ends."""
    return Resource(
        name,
        # With fewer abilities than it was lost from, more may be lost than there is.
        of=lambda sheet: effective_attribute(sheet, name),
        put=lambda sheet, points: set_sacrificed(
            sheet, {**dict(sheet.sacrificed), name: max(0, base_attribute(sheet, name) - points)}
        ),
        high=lambda sheet: base_attribute(sheet, name),
        short=lambda have, need: Impossible(
            "nothing-to-sacrifice", field="attribute", value=name, have=max(0, have), need=need
        ),
        restore=("session", lambda sheet: base_attribute(sheet, name)),
    )


def gained(back: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """`Fitness +1` for everything that came back."""
    return tuple(f"{name} +{points}" for name, points in back)


ATTRIBUTE: Final = {name: _points(name) for name in ATTRIBUTES}
RESOURCES: Final = (FATE, *ATTRIBUTE.values())
