"""What a hit does and how one recovers (EBB-INJURY, EBB-ATTACK, EBB-HEAL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.names import name_key
from rules.systems.ebb.check import EbbCharacter, Tried, verdict
from rules.systems.ebb.sheet import (
    MOST_ENTRIES,
    SEVERITIES,
    EbbSheet,
    Injury,
    Severity,
    check_entry,
)
from rules.table.events import Line
from rules.table.system import Choice

FLESH_WOUND = "flesh-wound"
IN_FULL = "in-full"
REST = "rest"
SESSION_END = "session"

_CHOICE_MAX = 100


def succeeded(tried: Tried) -> bool:
    """Whether the goal was reached: by the GM's word, by dice, or by a sacrifice (EBB-ROLL, EBB-OPPOSED)."""
    if tried.answer == "free":
        return True
    if tried.rolled is None:
        return False
    if tried.answer == "margin-only":
        return True
    judgement = verdict(tried)
    return judgement is not None and judgement.success


# --- hits --------------------------------------------------------------------------------------------------


def has_sheet(sheet: EbbSheet) -> bool:
    """Whether somebody has values of their own: NPCs often have not (EBB-ATTACK)."""
    return bool(sheet.abilities)


def injured(sheet: EbbSheet, tool: str, words: Mapping[str, str]) -> tuple[EbbSheet, Injury]:
    """The sheet with the injury that a GM's words make, or the `tool` without them.

    Impossible("too-many-injuries"), InvalidInput("unknown-severity") and as `check_entry`.
    """
    text, part = words.get("text", "").strip(), words.get("part", "").strip()
    text = text or tool or "injury"
    check_entry("text", text)
    if part:
        check_entry("part", part)
    severity = find_severity(words.get("severity", ""))
    if len(sheet.injuries) >= MOST_ENTRIES:
        raise Impossible("too-many-injuries", most=MOST_ENTRIES)
    injury = Injury(text, part, severity)
    return replace(sheet, injuries=(*sheet.injuries, injury)), injury


def find_severity(text: str) -> Severity:
    """How bad it is, by the beginning of the word; light where nothing is said. InvalidInput("unknown-severity")."""
    wanted = name_key(text)
    if not wanted:
        return "light"
    for severity in SEVERITIES:
        if severity.startswith(wanted) and (severity == wanted or wanted not in ("s", "se")):
            return severity
    raise InvalidInput("unknown-severity", field="severity", value=text[:60], allowed=SEVERITIES)


# --- recovery ----------------------------------------------------------------------------------------------


def injuries(target: EbbCharacter) -> tuple[Choice, ...]:
    """Injuries that can be treated, by the beginning of their texts."""
    return tuple(
        Choice(
            injury.text[:_CHOICE_MAX],
            Line(
                "ebb-injury-choice", {"text": injury.text, "part": injury.part, "severity": injury.severity}
            ),
        )
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
