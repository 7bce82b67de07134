"""What a hit does and how one recovers (EBB-INJURY, EBB-ATTACK, EBB-HEAL)."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, cast

from rules.core.errors import Impossible, NotFound
from rules.core.names import meant, name_key
from rules.systems.ebb.sheet import (
    MOST_ENTRIES,
    SEVERITY,
    EbbSheet,
    Injury,
    Severity,
    check_entry,
    injury_line,
)
from rules.table.forms import NOBODY
from rules.table.people.by_hand import added, edited
from rules.table.system import Choice

FLESH_WOUND = "flesh-wound"
IN_FULL = "in-full"
REST = "rest"
SESSION_END = "session"

_CHOICE_MAX = 100

T = TypeVar("T")


def injured(
    sheet: EbbSheet, text: str, part: str, severity: str, field: str = "text"
) -> tuple[EbbSheet, Injury]:
    """The sheet with the injury that a GM's words make; `field` is where they are typed.

    InvalidInput("too-many-entries"), and as `find_severity` and `check_entry`.
    """
    check_entry(field, text)
    if part:
        check_entry(field, part)
    injury = Injury(text, part, find_severity(severity))
    return replace(sheet, injuries=added(sheet.injuries, injury, field, MOST_ENTRIES)), injury


def find_severity(text: str) -> Severity:
    """How bad it is; light where nothing is said. NotFound("unknown-choice", "ambiguous-choice")."""
    return cast("Severity", SEVERITY.found(NOBODY, text)) if text.strip() else "light"


# --- recovery ----------------------------------------------------------------------------------------------


def untreated(sheet: EbbSheet) -> tuple[tuple[int, Injury], ...]:
    """Injuries that can be treated, with their indices."""
    return tuple((index, injury) for index, injury in enumerate(sheet.injuries) if not injury.treated)


def injuries(sheet: EbbSheet) -> tuple[Choice, ...]:
    """Injuries that can be treated, by the beginning of their texts."""
    return tuple(Choice(injury.text[:_CHOICE_MAX], injury_line(injury)) for _, injury in untreated(sheet))


def meant_injury(sheet: EbbSheet, text: str) -> tuple[int, Injury] | None:
    """The untreated injury that is meant: by its text or the beginning of it, or the only one."""
    there = untreated(sheet)
    if not name_key(text):
        return there[0] if len(there) == 1 else None
    found = meant(there, text, lambda each: each[1].text)
    return found[0] if len({name_key(injury.text) for _, injury in found}) == 1 else None


def find_injury(sheet: EbbSheet, text: str) -> str:
    """The text of the untreated injury that is meant, the only one if nothing is said (EBB-HEAL).

    Impossible("nothing-to-treat") where there is none, NotFound("unknown-injury") with those there are.
    """
    known = tuple(choice.value for choice in injuries(sheet))
    if not known:
        raise Impossible("nothing-to-treat")
    found = meant_injury(sheet, text)
    if found is None:
        raise NotFound("unknown-injury", field="injury", value=text[:_CHOICE_MAX] or None, nearest=known)
    return found[1].text[:_CHOICE_MAX]


def treated(sheet: EbbSheet, index: int) -> EbbSheet:
    """The sheet with this injury treated."""
    injury = replace(sheet.injuries[index], treated=True)
    return replace(sheet, injuries=edited(sheet.injuries, index, injury))
