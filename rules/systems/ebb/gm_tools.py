"""What the GM keeps on a sheet: recovery and values set by hand.

EBB-HEAL, EBB-INJURY, EBB-DRAWBACK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from rules.core.errors import InvalidInput, NotFound
from rules.core.names import name_key
from rules.systems.ebb.resources import ATTRIBUTE, RESOURCES
from rules.systems.ebb.sheet import (
    MOST_ENTRIES,
    SEVERITIES,
    EbbSheet,
    Injury,
    Severity,
    base_attribute,
    check_entry,
    find_ability,
    find_attribute,
    find_entry,
)
from rules.systems.ebb.tables import ATTRIBUTES, DIE_SIDES, DIE_TITLES
from rules.table import resources
from rules.table.events import Line
from rules.table.system import Choice

#: Longest value of an option, in characters.
_LONGEST: Final = 100

#: Sheet, the name behind the colon, value -> the sheet as it is then, and what has become of it.
_Setter = Callable[[EbbSheet, str, str], tuple[EbbSheet, Line]]


def came_back(name: str, back: Iterable[tuple[str, int]]) -> Line:
    """That somebody has these points again: attribute, how many."""
    values = tuple(f"{attribute} +{points}" for attribute, points in back)
    return Line("ebb-restored", {"name": name, "values": values})


# --- what can be set ---------------------------------------------------------------------------------------


def adjustables(sheet: EbbSheet) -> tuple[Choice, ...]:
    """Everything that `adjust` sets on this sheet as it is now."""
    found = [*resources.adjustables(RESOURCES, sheet)]
    lost = dict(sheet.sacrificed)
    for name in ATTRIBUTES:
        base = base_attribute(sheet, name)
        if base:
            label = Line("ebb-adjust-lost", {"name": name, "points": lost.get(name, 0), "most": base})
            found.append(Choice(f"lost:{name}", label))
    found.append(Choice("injury", Line("ebb-adjust-injury")))
    if any(not injury.treated for injury in sheet.injuries):
        found.append(Choice("treated", Line("ebb-adjust-treated")))
    if any(injury.treated for injury in sheet.injuries):
        found.append(Choice("untreated", Line("ebb-adjust-untreated")))
    if sheet.injuries:
        found.append(Choice("healed", Line("ebb-adjust-healed")))
    found.append(Choice("scar", Line("ebb-adjust-scar")))
    if sheet.scarring:
        found.append(Choice("scar-gone", Line("ebb-adjust-scar-gone")))
    for ability in sheet.abilities:
        label = Line("ebb-adjust-die", {"name": ability.name, "die": f"d{ability.sides}"})
        found.append(Choice(f"die:{ability.name}"[:_LONGEST], label))
    for number, drawback in enumerate(sheet.drawbacks, 1):
        label = Line("ebb-adjust-drawback", {"number": number, "text": drawback})
        found.append(Choice(f"drawback:{number}", label))
    return tuple(found)


def adjust_values(sheet: EbbSheet, what: str) -> tuple[Choice, ...]:
    """What there is to choose from; texts are offered as they are now, to be changed."""
    key, _, name = _parts(what)
    if key == "lost":
        most = base_attribute(sheet, name) if name in ATTRIBUTES else 0
        return tuple(Choice(str(n), Line("ebb-number", {"value": n})) for n in range(most + 1))
    if key == "die":
        return tuple(
            Choice(f"d{sides}", Line("ebb-die-choice", {"die": f"d{sides}", "title": DIE_TITLES[sides]}))
            for sides in DIE_SIDES
        )
    if key in ("treated", "untreated", "healed"):
        offered = [
            (number, injury.text)
            for number, injury in enumerate(sheet.injuries, 1)
            if key == "healed" or injury.treated == (key == "untreated")
        ]
    elif key == "scar-gone":
        offered = list(enumerate(sheet.scarring, 1))
    else:
        return ()
    return tuple(
        Choice(str(number), Line("ebb-entry-choice", {"number": number, "text": text}))
        for number, text in offered
    )


def _parts(what: str) -> tuple[str, str, str]:
    key, colon, name = (piece.strip() for piece in what.strip().partition(":"))
    return key.casefold(), colon, name


# --- setting it --------------------------------------------------------------------------------------------


def adjust(sheet: EbbSheet, what: str, value: str) -> tuple[EbbSheet, Line]:
    """Set one value, as `adjustables` names it.

    `lost:<attribute>` takes 0 to the base value; `injury` a text, or `text; body part; severity`; `treated`,
    `untreated`, `healed` and `scar-gone` the number or the beginning of an entry; `die:<ability>` a die;
    `drawback:<number>` the new text, so that there stays one for each ability (EBB-DRAWBACK).

    NotFound("unknown-adjustable") and as the names are looked up; InvalidInput for the value:
    "not-a-number", "out-of-range", "unknown-die", "unknown-severity", "already-so", "too-many-entries", and
    as `check_entry`.
    """
    key, _, name = _parts(what)
    setter = _SETTERS.get(key)
    done = setter(sheet, name, value.strip()) if setter else resources.adjust(RESOURCES, sheet, what, value)
    if done is None:
        known = tuple(choice.value for choice in adjustables(sheet) if ":" not in choice.value)
        raise NotFound(
            "unknown-adjustable", field="what", value=what[:_LONGEST], nearest=(), allowed=(*known, "die:…")
        )
    changed, line = done
    if changed == sheet:
        raise InvalidInput("already-so", field="value", value=value[:_LONGEST])
    return changed, line


def _set_lost(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Line]:
    attribute = find_attribute(name)
    base = base_attribute(sheet, attribute)
    points = resources.read_points(value, 0, base)
    changed = ATTRIBUTE[attribute].put(sheet, base - points)
    return changed, Line("ebb-now-lost", {"name": attribute, "points": points, "value": base - points})


def _entry(text: str, present: int) -> str:
    check_entry("value", text)
    if present >= MOST_ENTRIES:
        raise InvalidInput("too-many-entries", field="value", value=present, highest=MOST_ENTRIES)
    return text


def _severity(text: str) -> Severity:
    for severity in SEVERITIES:
        if name_key(text) in ("", severity):
            return severity
    raise InvalidInput("unknown-severity", field="value", value=text[:_LONGEST], allowed=SEVERITIES)


def _add_injury(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, Line]:
    """The GM's words for a damage effect (EBB-INJURY)."""
    text, part, severity = (piece.strip() for piece in (*value.split(";", 2), "", "")[:3])
    _entry(text, len(sheet.injuries))
    if part:
        check_entry("value", part)
    chosen = _severity(severity)
    changed = replace(sheet, injuries=(*sheet.injuries, Injury(text, part, chosen)))
    return changed, Line("ebb-now-injured", {"text": text, "part": part, "severity": chosen})


def _set_treated(treated: bool) -> _Setter:
    def setter(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, Line]:
        index = find_entry(value, [injury.text for injury in sheet.injuries])
        injuries = list(sheet.injuries)
        injuries[index] = replace(injuries[index], treated=treated)
        line = Line("ebb-now-treated" if treated else "ebb-now-untreated", {"text": injuries[index].text})
        return replace(sheet, injuries=tuple(injuries)), line

    return setter


def _heal(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, Line]:
    index = find_entry(value, [injury.text for injury in sheet.injuries])
    left = (*sheet.injuries[:index], *sheet.injuries[index + 1 :])
    return replace(sheet, injuries=left), Line("ebb-now-healed", {"text": sheet.injuries[index].text})


def _add_scar(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, Line]:
    scar = _entry(value, len(sheet.scarring))
    return replace(sheet, scarring=(*sheet.scarring, scar)), Line("ebb-now-scarred", {"text": scar})


def _remove_scar(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, Line]:
    index = find_entry(value, sheet.scarring)
    left = (*sheet.scarring[:index], *sheet.scarring[index + 1 :])
    return replace(sheet, scarring=left), Line("ebb-now-unscarred", {"text": sheet.scarring[index]})


def _set_die(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Line]:
    ability = find_ability(sheet, name)
    dice = tuple(f"d{sides}" for sides in DIE_SIDES)
    if value.casefold() not in dice:
        raise InvalidInput("unknown-die", field="value", value=value[:_LONGEST], allowed=dice)
    changed = replace(ability, sides=DIE_SIDES[dice.index(value.casefold())])
    abilities = tuple(changed if entry == ability else entry for entry in sheet.abilities)
    line = Line("ebb-now-die", {"name": ability.name, "die": value.casefold(), "before": f"d{ability.sides}"})
    return replace(sheet, abilities=abilities), line


def _rewrite_drawback(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Line]:
    """Other words for one drawback; their number stays (EBB-DRAWBACK)."""
    index = find_entry(name, sheet.drawbacks)
    check_entry("value", value)
    drawbacks = list(sheet.drawbacks)
    drawbacks[index] = value
    line = Line("ebb-now-drawback", {"text": value, "before": sheet.drawbacks[index]})
    return replace(sheet, drawbacks=tuple(drawbacks)), line


_SETTERS: Final[dict[str, _Setter]] = {
    "lost": _set_lost,
    "injury": _add_injury,
    "treated": _set_treated(True),
    "untreated": _set_treated(False),
    "healed": _heal,
    "scar": _add_scar,
    "scar-gone": _remove_scar,
    "die": _set_die,
    "drawback": _rewrite_drawback,
}
