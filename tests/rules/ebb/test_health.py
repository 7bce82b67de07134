"""How somebody is, in words for everybody and in full for GMs."""

from __future__ import annotations

import pytest

from rules.systems.ebb.sheet import Ability, EbbSheet, Injury
from rules.systems.ebb.sheet_view import health_lines
from tests.sample_table import game

SHEET = EbbSheet(abilities=(Ability("Climbing", "Fitness", 6), Ability("Running", "Fitness", 6)))
TWICE = SHEET.replace(abilities=(*SHEET.abilities, Ability("Brawl", "Fitness", 6)))


@pytest.mark.rule("EBB-INJURY")
@pytest.mark.parametrize(
    ("sheet", "code"),
    [
        (SHEET, "unhurt"),
        (EbbSheet(), "unhurt"),
        (SHEET.replace(sacrificed=(("Zone", 1),)), "unhurt"),
        (TWICE.replace(sacrificed=(("Fitness", 1),)), "hurt"),
        (SHEET.replace(sacrificed=(("Fitness", 1),)), "badly-hurt"),
        (SHEET.replace(injuries=(Injury("a scratch"),)), "hurt"),
        (SHEET.replace(injuries=(Injury("a cut", "arm", "serious", treated=True),)), "hurt"),
        (SHEET.replace(injuries=(Injury("a cut", "arm", "serious"),)), "badly-hurt"),
        (
            SHEET.replace(injuries=(Injury("a hole", "chest", "severe", treated=True),)),
            "badly-hurt",
        ),
    ],
)
def test_one_line_for_everybody(sheet: EbbSheet, code: str) -> None:
    (line,) = health_lines(sheet, full=False)
    assert (line.code, line.params) == (code, {})


def test_everything_for_gms() -> None:
    sheet = TWICE.replace(
        injuries=(Injury("a cut", "arm", "serious"),), sacrificed=(("Fitness", 1),)
    )
    seen, injury, lost = health_lines(sheet, full=True)
    assert seen.code == "badly-hurt"
    assert injury.params == {
        "text": "a cut",
        "part": "arm",
        "severity": "serious",
        "treated": False,
        "whole": True,
    }
    assert lost.params == {"name": "Fitness", "points": 1, "value": 1, "base": 2}


def test_a_blank_sheet_can_be_written_and_read() -> None:
    sheet = game().sheets.kind()
    from_file = game().sheets.read(game(), {"name": "Rat", "abilities": [], "drawbacks": []}, False)
    assert from_file == ("Rat", sheet)
