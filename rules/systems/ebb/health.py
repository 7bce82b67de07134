"""How somebody is, as anybody can see it and as a GM keeps it (EBB-INJURY, EBB-LUCK)."""

from __future__ import annotations

from typing import Final

from rules.systems.ebb.sheet import EbbSheet, base_attribute, effective_attribute, injury_line
from rules.table.events import Line

#: The attribute that a flesh wound is paid from (EBB-INJURY).
FITNESS: Final = "Fitness"


def health(sheet: EbbSheet, *, full: bool) -> tuple[Line, ...]:
    """One line for everybody; with `full` also every injury and every attribute that has lost points.

    Any injury, or a lost point of Fitness (a flesh wound), is a hurt; a severe injury, a serious one that is
    not treated, or the last point of Fitness lost, a bad one.
    """
    lost = dict(sheet.sacrificed)
    bad = any(
        injury.severity == "severe" or (injury.severity == "serious" and not injury.treated)
        for injury in sheet.injuries
    )
    if bad or (lost.get(FITNESS) and not effective_attribute(sheet, FITNESS)):
        seen = Line("badly-hurt")
    elif sheet.injuries or lost.get(FITNESS):
        seen = Line("hurt")
    else:
        seen = Line("unhurt")
    if not full:
        return (seen,)
    lines = [seen]
    lines += map(injury_line, sheet.injuries)
    for name, points in sheet.sacrificed:
        values = {"value": effective_attribute(sheet, name), "base": base_attribute(sheet, name)}
        lines.append(Line("ebb-attribute", {"name": name, "points": points, **values}))
    return tuple(lines)
