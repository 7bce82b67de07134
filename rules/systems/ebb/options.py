"""What `with` may hold: short words that become adjustments (EBB-PROPOSAL, EBB-DRAWBACK, EBB-INJURY, EBB-LUCK)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from rules.core.errors import InvalidInput, RulesError
from rules.systems.ebb.difficulty import Adjustments
from rules.systems.ebb.sheet import find_attribute
from rules.systems.ebb.tables import ATTRIBUTES
from rules.table.events import Line
from rules.table.forms import Asking, Flag, Form, Number, Option, Pick, Values

#: Words that make a task easier.
_EASIER: Final = ("dilemma", "superior")
#: How many levels are offered.
_OFFERED: Final = 3


def _says(code: str) -> Callable[[int], Line]:
    return lambda levels: Line(f"ebb-option-{code}", {"levels": levels})


def _flag(key: str, levels: int = 1, *excludes: str) -> Flag:
    return Flag(key, label=_says(key)(levels), excludes=excludes)


def _levels(key: str, most: int, *excludes: str) -> Number:
    offered = tuple(range(1, min(most, _OFFERED) + 1))
    return Number(key, low=1, high=most, offered=offered, label=_says(key), excludes=excludes)


ASK: Final = Form(
    (
        _levels("dilemma", 9),
        _levels("flaw", 2),
        _flag("drawback"),
        _flag("injured"),
        _flag("superior", 1, "missing-tools"),
        _levels("missing-tools", 9, "superior"),
    ),
    compact=True,
)


def _gm_gives_that(asking: Asking, word: str) -> RulesError:
    admitted = [option.value for option in ASK.offers()]
    allowed = tuple(value for value in admitted if value.partition(":")[0] not in _EASIER)
    return InvalidInput("gm-gives-that", field="with", value=word, allowed=allowed)


#: What the defending side may have to admit; what helps it the GM gives as a bonus (EBB-OPPOSED).
DEFENCE: Final = Form(
    tuple(replace(field, unless=_gm_gives_that) if field.key in _EASIER else field for field in ASK.fields),
    compact=True,
)
#: `luck` is the attribute the GM finds most relevant for a sacrifice (EBB-LUCK).
RULE: Final = Form(
    (
        *ASK.fields,
        *(_flag(key, 0) for key in ("specialist", "specialist-luck", "urgent")),
        Pick(
            "luck",
            among=tuple(Option(name, Line("ebb-option-luck", {"name": name})) for name in ATTRIBUTES),
            find=lambda asking, text: find_attribute(text),
        ),
    ),
    compact=True,
)


def adjustments_of(values: Values, bonus: int = 0) -> Adjustments:
    """The adjustments that these values of a form make. InvalidInput("out-of-range") for the bonus."""
    found = Adjustments(
        dilemmas=values.get("dilemma", 0),
        flaw=values.get("flaw", 0),
        equipment=values.get("missing-tools", 0) - values.get("superior", False),
        drawback="drawback" in values,
        injured="injured" in values,
        bonus=bonus,
    )
    found.validate()
    return found


def values_of(adjustments: Adjustments) -> Values:
    """The values that make these adjustments, the bonus aside."""
    found = {
        "dilemma": adjustments.dilemmas,
        "flaw": adjustments.flaw,
        "missing-tools": max(0, adjustments.equipment),
        "superior": adjustments.equipment < 0,
        "drawback": adjustments.drawback,
        "injured": adjustments.injured,
    }
    return {key: value for key, value in found.items() if value}
