"""The two paces of play: sets of settings, each chosen by a GM with one press.

A table's pace is not stored. It follows from the settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.table.blocks import Text
from rules.table.forms.form import Form
from rules.table.state import DAY, Settings
from rules.table.times.reminders import reminder_times

AT_THE_TABLE: Final = "table"
BY_POST: Final = "post"
#: Settings of each pace, by key.
PACES: Final[Mapping[str, Mapping[str, Any]]] = {
    AT_THE_TABLE: {
        "live": True,
        "answer_time": 600,
        "step_in_time": 300,
        "turn_time": 0,
        "attacks_at_once": True,
        "block_turns": False,
    },
    BY_POST: {
        "live": False,
        "answer_time": DAY,
        "step_in_time": DAY,
        "turn_time": 2 * DAY,
        "attacks_at_once": False,
        "block_turns": True,
    },
}
PACE_LABELS: Final[Mapping[str, Text]] = {
    AT_THE_TABLE: Text("pace-table"),
    BY_POST: Text("pace-post"),
}
#: Settings that a pace sets, but that don't tell one pace from another.
_NO_MARK: Final = frozenset({"block_turns"})
#: Key of the time setting that only some systems have.
STEP_IN_TIME: Final = "step_in_time"


def pace_values(form: Form, pace: str) -> dict[str, Any]:
    """Return the settings of a pace, by key, without those that the form lacks."""
    known = form.by_key
    return {key: value for key, value in PACES[pace].items() if key in known}


def pace_of(settings: Settings, form: Form) -> str | None:
    """Return the pace whose settings a table has; None if the table has times of its own."""
    for pace in PACES:
        values = pace_values(form, pace)
        marks = [key for key in values if key not in _NO_MARK]
        if all(getattr(settings, key) == values[key] for key in marks):
            return pace
    return None


def pace_meaning(pace: str, *, steps: bool, blocks: bool = True) -> Text:
    """Return the line on what a pace means.

    *steps* if the table's rules let others step in, *blocks* if they allow turns in any order.
    """
    values = PACES[pace]
    answers = values["answer_time"]
    params = {
        "pace": pace,
        "answers": answers,
        "reminder": next(iter(reminder_times(0, answers, default=True, harms=False)), 0),
        "steps": steps,
        "stepping": values["step_in_time"],
        "turns": values["turn_time"],
        "blocks": blocks and values["block_turns"],
    }
    return Text("pace-says", params)


def pace_text(settings: Settings, form: Form) -> Text:
    """Return the line on the table's pace and its times."""
    params = {
        "pace": pace_of(settings, form) or "",
        "answers": settings.answer_time,
        "steps": STEP_IN_TIME in form.by_key,
        "stepping": settings.step_in_time,
        "turns": settings.turn_time,
    }
    return Text("pace-now", params)


def is_new_pace(before: Settings, after: Settings, form: Form) -> bool:
    """Return whether a change of settings gives the table another pace.

    Settings of no pace count as no new one.
    """
    pace = pace_of(after, form)
    return pace is not None and pace != pace_of(before, form)
