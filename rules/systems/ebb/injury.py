"""What a hit does and how one recovers (EBB-INJURY, EBB-ATTACK, EBB-HEAL)."""

from __future__ import annotations

from dataclasses import replace

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.names import meant, name_key
from rules.systems.ebb.sheet import MOST_ENTRIES, SEVERITIES, EbbSheet, Injury, Severity, check_entry
from rules.table.events import Line
from rules.table.system import Choice

FLESH_WOUND = "flesh-wound"
IN_FULL = "in-full"
REST = "rest"
SESSION_END = "session"

_CHOICE_MAX = 100


def injured(sheet: EbbSheet, text: str, part: str, severity: str) -> tuple[EbbSheet, Injury]:
    """The sheet with the injury that a GM's words make.

    Impossible("too-many-injuries"), InvalidInput("unknown-severity") and as `check_entry`.
    """
    check_entry("text", text)
    if part:
        check_entry("part", part)
    injury = Injury(text, part, find_severity(severity))
    if len(sheet.injuries) >= MOST_ENTRIES:
        raise Impossible("too-many-injuries", most=MOST_ENTRIES)
    return replace(sheet, injuries=(*sheet.injuries, injury)), injury


def injury_shown(injury: Injury) -> dict[str, str]:
    """What a line says of an injury."""
    return {"text": injury.text, "part": injury.part, "severity": injury.severity}


def find_severity(text: str, field: str = "severity") -> Severity:
    """How bad it is, by the beginning of the word; light where nothing is said. InvalidInput("unknown-severity")."""
    wanted = name_key(text)
    if not wanted:
        return "light"
    for severity in SEVERITIES:
        if severity.startswith(wanted) and (severity == wanted or wanted not in ("s", "se")):
            return severity
    raise InvalidInput("unknown-severity", field=field, value=text[:60], allowed=SEVERITIES)


# --- recovery ----------------------------------------------------------------------------------------------


def _untreated(sheet: EbbSheet) -> tuple[tuple[int, Injury], ...]:
    """Injuries that can be treated, with their indices."""
    return tuple((index, injury) for index, injury in enumerate(sheet.injuries) if not injury.treated)


def injuries(sheet: EbbSheet) -> tuple[Choice, ...]:
    """Injuries that can be treated, by the beginning of their texts."""
    return tuple(
        Choice(injury.text[:_CHOICE_MAX], Line("ebb-injury-choice", injury_shown(injury)))
        for _, injury in _untreated(sheet)
    )


def _meant(sheet: EbbSheet, text: str) -> tuple[int, Injury] | None:
    """The untreated injury that is meant: by its text or the beginning of it, or the only one."""
    there = _untreated(sheet)
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
    found = _meant(sheet, text)
    if found is None:
        raise NotFound("unknown-injury", field="injury", value=text[:_CHOICE_MAX] or None, nearest=known)
    return found[1].text[:_CHOICE_MAX]


def treated(sheet: EbbSheet, tool: str) -> tuple[EbbSheet, str | None]:
    """The sheet with the injury that is meant treated, and its text; None where there is no such injury."""
    found = _meant(sheet, tool)
    if found is None:
        return sheet, None
    index, injury = found
    others = sheet.injuries[:index], sheet.injuries[index + 1 :]
    return replace(sheet, injuries=(*others[0], replace(injury, treated=True), *others[1])), injury.text
