"""What the GM keeps on a sheet: recovery and values set by hand.

EBB-HEAL, EBB-INJURY, EBB-DRAWBACK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.systems.ebb.resources import ATTRIBUTE, RESOURCES
from rules.systems.ebb.sheet import (
    DICE,
    MOST_ENTRIES,
    EbbSheet,
    Injury,
    base_attribute,
    check_entry,
    find_ability,
    find_attribute,
    find_entry,
    injured,
    injury_line,
)
from rules.systems.ebb.tables import ATTRIBUTES, DIE_SIDES, DIE_TITLES
from rules.table.events import Line
from rules.table.forms import SHOWN, as_written
from rules.table.people.by_hand import ONE, Shown, Tool, added, edited, tools
from rules.table.resources import read_points
from rules.table.system import Choice, Game

# --- attributes and dice -----------------------------------------------------------------------------------


def _lost(sheet: EbbSheet) -> Iterable[tuple[str, Shown]]:
    lost = dict(sheet.sacrificed)
    for name in ATTRIBUTES:
        if most := base_attribute(sheet, name):
            yield name, {"name": name, "points": lost.get(name, 0), "most": most}


def _offer_points(sheet: EbbSheet, name: str) -> Iterable[Choice]:
    most = base_attribute(sheet, name) if name in ATTRIBUTES else 0
    return as_written(str(points) for points in range(most + 1))


def _set_lost(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    attribute = find_attribute(name)
    base = base_attribute(sheet, attribute)
    points = read_points(value, 0, base)
    changed = ATTRIBUTE[attribute].put(sheet, base - points)
    return changed, {"name": attribute, "points": points, "value": base - points}


def _offer_dice(sheet: EbbSheet, name: str) -> Iterable[Choice]:
    for die, title in zip(DICE, DIE_TITLES.values(), strict=True):
        yield Choice(die, Line("as-written", {"text": f"{die} {title}"}))


def _set_die(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    ability, die = find_ability(sheet, name), value.casefold()
    if die not in DICE:
        raise InvalidInput("unknown-die", field="value", value=value[:SHOWN], allowed=DICE)
    changed = replace(ability, sides=DIE_SIDES[DICE.index(die)])
    abilities = edited(sheet.abilities, sheet.abilities.index(ability), changed)
    return replace(sheet, abilities=abilities), {"name": ability.name, "die": die, "before": ability.die}


# --- lists -------------------------------------------------------------------------------------------------


def _add_injury(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    """The GM's words for a damage effect (EBB-INJURY)."""
    text, part, severity = (piece.strip() for piece in (*value.split(";", 2), "", "")[:3])
    changed, injury = injured(sheet, text, part, severity, "value")
    return changed, {"injury": injury_line(injury)}


def _add_scar(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    check_entry("value", value)
    return replace(sheet, scarring=added(sheet.scarring, value, "value", MOST_ENTRIES)), {"text": value}


def _rewrite_drawback(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    """Other words for one drawback; their number stays (EBB-DRAWBACK)."""
    index = find_entry(name, sheet.drawbacks)
    check_entry("value", value)
    shown = {"text": value, "before": sheet.drawbacks[index]}
    return replace(sheet, drawbacks=edited(sheet.drawbacks, index, value)), shown


def _one_of(
    field: str,
    what: str,
    now: str,
    among: Callable[[Any], bool] = lambda entry: True,
    instead: Callable[[Any], tuple[Any, ...]] = lambda entry: (),
) -> Tool:
    """A tool for one entry of a list, of `among` those: what stands `instead` of the one that is meant, or nothing."""
    about = {"what": what, "now": now}

    def text(entry: Any) -> str:
        return entry.text if isinstance(entry, Injury) else entry

    def offers(sheet: EbbSheet, _: str = "") -> tuple[Choice, ...]:
        numbered = ((n, each) for n, each in enumerate(getattr(sheet, field), 1) if among(each))
        return tuple(
            Choice(str(n), Line("as-written", {"text": f"{n}: {text(each)}"})) for n, each in numbered
        )

    def put(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
        entries = getattr(sheet, field)
        index = find_entry(value, [text(each) for each in entries])
        entry = entries[index]
        changed = replace(sheet, **{field: edited(entries, index, *instead(entry))})
        return changed, {**about, "text": text(entry)}

    return Tool("ebb-set-entry", lambda sheet: [("", about)] if offers(sheet) else (), put, offers)


def _treated(key: str, treated: bool) -> Tool:
    return _one_of(
        "injuries",
        "injury",
        key,
        lambda each: each.treated != treated,
        lambda each: (replace(each, treated=treated),),
    )


#: `injury` takes a text, or `text; body part; severity`; a drawback the new text, so that there stays one for each
#: ability (EBB-DRAWBACK).
_TOOLS: Final[dict[str, Tool]] = {
    "lost": Tool("ebb-set-lost", _lost, _set_lost, _offer_points),
    "injury": Tool("ebb-set-injury", lambda sheet: ONE, _add_injury),
    "treated": _treated("treated", True),
    "untreated": _treated("untreated", False),
    "healed": _one_of("injuries", "injury", "healed"),
    "scar": Tool("ebb-set-scar", lambda sheet: ONE, _add_scar),
    "scar-gone": _one_of("scarring", "scar", "gone"),
    "die": Tool(
        "ebb-set-die",
        lambda sheet: ((each.name, {"name": each.name, "die": each.die}) for each in sheet.abilities),
        _set_die,
        _offer_dice,
    ),
    "drawback": Tool(
        "ebb-set-drawback",
        lambda sheet: ((str(n), {"number": n, "text": text}) for n, text in enumerate(sheet.drawbacks, 1)),
        _rewrite_drawback,
    ),
}
TOOLS: Final = tools(_TOOLS, RESOURCES)
