"""Worksheets of effects: figures worked out by hand.

The plain effect has effect value 10, range 9, speed 9 and duration 8: 36 after step 4, so that its
figures never fall below 18 together.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.systems.masterbook.character.sheet_io import read_sheet
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.effect_condition_points import condition_dn
from rules.systems.masterbook.formulas.effect_costs import BOOK, WorksheetRules
from rules.systems.masterbook.formulas.effect_worksheet import work_out

PLAIN: Final[dict[str, Any]] = {
    "name": "Plain",
    "skill": "Conjuration",
    "effect_value": 10,
    "range_value": 9,
    "speed_value": 9,
    "duration_value": 8,
}
TWO: Final = ["Strength", "Agility"]


def condition(kind: str, on: str = "dn", **more: Any) -> dict[str, Any]:
    return {"conditions": [{"kind": kind, "on": on} | more]}


def area(dims: int, diameter: int, shape: str = "none") -> dict[str, Any]:
    return {"dims": dims, "diameter": diameter, "shape": shape}


def group(helpers: int, participation: str) -> dict[str, Any]:
    return condition("community", helpers=helpers, participation=participation)


def blueprint_of(changes: dict[str, Any]) -> Blueprint:
    """Return the plain effect with these changes, read as from a file."""
    row = {"blueprint": PLAIN | changes}
    return read_sheet({"name": "Vesna", "effects": [row]})[1].effects[0].blueprint


def figures_of(changes: dict[str, Any], rules: WorksheetRules = BOOK) -> tuple[int, int]:
    """Return DN and FV of the plain effect with these changes."""
    sheet = work_out(blueprint_of(changes), rules)
    return sheet.dn, sheet.fv


@pytest.mark.rule("MB-SFX-40", "MB-SFX-S05", "MB-SFX-S16")
@pytest.mark.parametrize(
    ("changes", "dn", "fv"),
    [
        ({}, 18, 18),
        ({"dn_share": 12}, 12, 24),
        ({"cast_time_value": 18}, 9, 9),
        # Elements that cost points.
        ({"area": area(2, 3)}, 21, 21),  # 6
        ({"area": area(3, 2, "any")}, 24, 25),  # 10 and 3
        ({"area": area(3, 2, "fluid")}, 26, 26),  # 10 and 6
        ({"targets": 2}, 21, 21),
        ({"targets": 2, "area": area(2, 3)}, 27, 27),  # 6 and 12
        ({"traits": [*TWO, "Mind"]}, 21, 21),
        ({"targets": 3, "target_changes": 2}, 37, 38),  # 9 and 5 · 2 · 3
        ({"traits": TWO, "target_changes": 1}, 23, 24),  # 3 and 7.5
        ({"traits": TWO, "target_changes": 3, "area": area(2, 1)}, 35, 36),  # 2, 3 and 30
        ({"points_up": 3, "points_down": 2}, 20, 21),
        ({"switch": "on_off", "extension": 9}, 26, 27),
        ({"switch": "off"}, 20, 20),
        ({"accuracy": 4, "movement": True}, 22, 22),  # 10 % of 40
        ({"movement": True, "maintenance": True}, 22, 22),  # 3.6, then 4
        ({"accuracy": 5, "movement": True, "maintenance": True}, 25, 26),  # 4.1, then 4.6
        ({"focus_targets": 1}, 19, 20),  # 18 / 5
        ({"targets": 2, "focus_targets": 2}, 24, 24),
        ({"charges": 1}, 19, 19),
        ({"charges": 2}, 19, 20),  # 2.5
        ({"charges": 7}, 30, 31),
        ({"charges": 7, "ward": "a step"}, 32, 32),  # 25 and 2.5
        ({"charges": 8, "ward": "a step"}, 40, 40),  # 40 and 4
        # 51, 63, 66, 106, 110, 114, 117, 129, 142, 148.
        (
            {
                "area": area(3, 3),
                "targets": 2,
                "traits": TWO,
                "target_changes": 2,
                "points_up": 4,
                "switch": "off",
                "accuracy": 3,
                "movement": True,
                "maintenance": True,
                "focus_targets": 2,
            },
            74,
            74,
        ),
    ],
)
def test_costs(changes: dict[str, Any], dn: int, fv: int) -> None:
    assert figures_of(changes) == (dn, fv)


@pytest.mark.rule("MB-SFX-41", "MB-SFX-S17", "MB-SFX-S18", "MB-SFX-S19", "MB-SFX-S20")
@pytest.mark.parametrize(
    ("changes", "dn", "fv"),
    [
        (condition("component", level=4), 14, 18),
        (condition("component", "fv", level=3, destroyed=True, bonus=2), 18, 10),  # 3 · 2 + 2
        (condition("gesture", level=6, bonus=3), 9, 18),
        (condition("incantation", "fv", level=4, addons=["foreign_tongue", "very_loud"]), 18, 12),
        (condition("related_skill", level=5, skill="Stealth"), 13, 18),
        (condition("other", level=3, text="at night"), 15, 18),
        # 18 concentrated on and 18 cast: 9 and 9 are the least already.
        (condition("concentration", time_value=18) | {"cast_time_value": 18}, 9, 9),
        # 29 are 14 and 15; a third of 7 is 3.
        (condition("concentration", time_value=7) | {"cast_time_value": 7}, 11, 15),
        # Groups of 5 without a roll, 2, 3, 4, 7 and 16.
        (group(5, "simple"), 16, 18),
        (group(7, "simple"), 15, 18),  # 2.5
        (group(2, "dn8"), 16, 18),
        (group(3, "dn10"), 13, 18),  # 4.5
        (group(4, "dn12"), 12, 18),
        (group(6, "dn8"), 14, 18),
        (group(3, "dn18"), 9, 18),
        (group(16, "dn12"), 9, 18),  # 14, of which 9 fit
        # 26 are 13 and 13, with 18 the least together.
        (
            {
                "cast_time_value": 10,
                "conditions": [
                    {"kind": "gesture", "on": "dn", "level": 6},
                    {"kind": "incantation", "on": "fv", "level": 4},
                ],
            },
            7,
            11,
        ),
        ({"unreal": {"disbelief_dn": 6, "to_dn": 2, "to_fv": 3}}, 16, 15),
        ({"unreal": {"disbelief_dn": 10, "to_dn": 0, "to_fv": 3}}, 18, 15),  # 2.5
        ({"unreal": {"disbelief_dn": 0, "to_dn": 8, "to_fv": 0}}, 10, 18),  # 7.5
    ],
)
def test_conditions_lower_figures(changes: dict[str, Any], dn: int, fv: int) -> None:
    assert figures_of(changes) == (dn, fv)


@pytest.mark.rule("MB-SFX-41")
@pytest.mark.parametrize("step", [0, 1, 2])
@pytest.mark.parametrize(
    ("skill", "changes", "fits"),
    [
        ("Super-science", condition("incantation", level=4), False),
        ("Conjuration", condition("incantation", level=4), True),
        ("Psionic Manipulation", condition("incantation", level=4), True),
        ("Psionic Manipulation", condition("gesture", level=4), False),
        ("Super-science", condition("gesture", level=4), True),
        ("Psionic Manipulation", group(5, "dn8"), True),  # base 4
        ("Faith", condition("incantation", level=4), True),
        ("Psionic Manipulation", condition("component", level=4), True),
    ],
)
def test_ill_fitting_conditions(step: int, skill: str, changes: dict[str, Any], fits: bool) -> None:
    """Four points, less what the table takes off those that fit ill."""
    rules = WorksheetRules(ill_fitting_step=step)
    dn = 14 if fits else 14 + step
    assert figures_of({"skill": skill} | changes, rules) == (dn, 18)


@pytest.mark.rule("MB-SFX-S19", "MB-SFX-S20", "MB-SFX-S21", "MB-SFX-S22")
@pytest.mark.parametrize(
    ("changes", "dn"),
    [
        (condition("concentration", time_value=0), 6),
        (condition("concentration", time_value=3), 7),
        (condition("concentration", time_value=4), 8),
        (condition("concentration", time_value=12), 10),
        (condition("concentration", time_value=13), 11),
        (condition("related_skill", level=1, skill="Stealth"), 6),
        (condition("related_skill", level=3, skill="Stealth"), 9),
        (condition("related_skill", level=6, skill="Stealth"), 17),
        (condition("gesture", level=3), 8),
        (condition("gesture", level=4), 12),
        (condition("gesture", level=5), 16),
        (condition("gesture", level=6), 20),
        (condition("incantation", level=1), None),
        (condition("incantation", level=3), 8),
        (condition("incantation", level=4), 12),
        (condition("incantation", level=5), 16),
        (group(3, "dn14"), 14),
    ],
)
def test_difficulties_of_conditions(changes: dict[str, Any], dn: int | None) -> None:
    (one,) = blueprint_of(changes).conditions
    assert condition_dn(one) == dn
