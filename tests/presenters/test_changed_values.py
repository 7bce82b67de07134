"""Values of a form that differ, in words."""

from __future__ import annotations

from bot.presenters.forms import changed_values

LEVEL = ("Difficulty", "Tricky")
NOTE = ("Note", "Wet stone")
HIDDEN = ("hidden", "hidden")


def test_values_that_stay_are_left_out() -> None:
    now = {"difficulty": ("Difficulty", "Routine"), "note": NOTE}
    assert changed_values({"difficulty": LEVEL, "note": NOTE}, now) == [
        "Difficulty: Tricky → Routine"
    ]


def test_new_values_and_those_that_are_gone_are_named() -> None:
    was, now = {"difficulty": LEVEL, "note": NOTE}, {"difficulty": LEVEL, "hidden": HIDDEN}
    assert changed_values(was, now) == ["hidden", "no longer: Note"]
