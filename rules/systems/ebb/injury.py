"""What a hit does and how one recovers (EBB-INJURY, EBB-ATTACK, EBB-HEAL)."""

from __future__ import annotations

from dataclasses import replace

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.names import name_key
from rules.systems.ebb.check import EbbCharacter
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


def injuries(target: EbbCharacter) -> tuple[Choice, ...]:
    """Injuries that can be treated, by the beginning of their texts."""
    return tuple(
        Choice(injury.text[:_CHOICE_MAX], Line("ebb-injury-choice", injury_shown(injury)))
        for injury in target.sheet.injuries
        if not injury.treated
    )


def _untreated(sheet: EbbSheet, text: str) -> int | None:
    """The index of the untreated injury that is meant: by its text or the beginning of it, or the only one."""
    open_ = [index for index, injury in enumerate(sheet.injuries) if not injury.treated]
    wanted = name_key(text)
    if not wanted:
        return open_[0] if len(open_) == 1 else None
    keys = {index: name_key(sheet.injuries[index].text) for index in open_}
    exact = [index for index in open_ if keys[index] == wanted]
    begun = [index for index in open_ if keys[index].startswith(wanted)]
    if exact:
        return exact[0]
    return begun[0] if begun and len({keys[index] for index in begun}) == 1 else None


def find_injury(target: EbbCharacter, text: str) -> str:
    """The text of the untreated injury that is meant, the only one if nothing is said (EBB-HEAL).

    Impossible("nothing-to-treat") where there is none, NotFound("unknown-injury") with those there are.
    """
    known = tuple(choice.value for choice in injuries(target))
    if not known:
        raise Impossible("nothing-to-treat")
    index = _untreated(target.sheet, text)
    if index is None:
        raise NotFound("unknown-injury", field="injury", value=text[:_CHOICE_MAX] or None, nearest=known)
    return target.sheet.injuries[index].text[:_CHOICE_MAX]


def treated(sheet: EbbSheet, tool: str) -> tuple[EbbSheet, str | None]:
    """The sheet with the injury that is meant treated, and its text; None where there is no such injury."""
    index = _untreated(sheet, tool)
    if index is None:
        return sheet, None
    entries = list(sheet.injuries)
    entries[index] = replace(entries[index], treated=True)
    return replace(sheet, injuries=tuple(entries)), entries[index].text
