"""What the GM keeps on a sheet: recovery and values set by hand.

EBB-HEAL, EBB-INJURY, EBB-DRAWBACK.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.names import the_one
from rules.systems.ebb.resources import ATTRIBUTE, RESOURCES
from rules.systems.ebb.sheet import (
    DICE,
    MOST_ENTRIES,
    EbbSheet,
    base_attributes,
    check_entry,
    find_ability,
    find_attribute,
    injured,
    injury_line,
    with_die,
)
from rules.systems.ebb.tables import DIE_SIDES, DIE_TITLES
from rules.table.events import Line
from rules.table.forms import SHOWN, as_written
from rules.table.people.by_hand import ONE, Shown, Tool, added, edited, tools
from rules.table.resources import read_points
from rules.table.system import Choice, Game

# --- attributes and dice -----------------------------------------------------------------------------------


def _lost(sheet: EbbSheet) -> Iterable[tuple[str, Shown]]:
    lost = dict(sheet.sacrificed)
    for name, most in base_attributes(sheet).items():
        if most:
            yield name, {"name": name, "points": lost.get(name, 0), "most": most}


def _offer_points(sheet: EbbSheet, name: str) -> Iterable[Choice]:
    return as_written(map(str, range(base_attributes(sheet).get(name, 0) + 1)))


def _set_lost(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    attribute = find_attribute(name)
    base = base_attributes(sheet)[attribute]
    points = read_points(value, 0, base)
    changed = ATTRIBUTE[attribute].put(sheet, base - points)
    return changed, {"name": attribute, "points": points, "value": base - points}


def _dice(sheet: EbbSheet) -> Iterable[tuple[str, Shown]]:
    return ((each.name, {"name": each.name, "die": each.die}) for each in sheet.abilities)


def _offer_dice(sheet: EbbSheet, name: str) -> Iterable[Choice]:
    for die, title in zip(DICE, DIE_TITLES.values(), strict=True):
        yield Choice(die, Line("as-written", {"text": f"{die} {title}"}))


def _set_die(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    ability, die = find_ability(sheet, name), value.casefold()
    if die not in DICE:
        raise InvalidInput("unknown-die", field="value", value=value[:SHOWN], allowed=DICE)
    changed = with_die(sheet, ability, DIE_SIDES[DICE.index(die)])
    return changed, {"name": ability.name, "die": die, "before": ability.die}


# --- lists -------------------------------------------------------------------------------------------------


def _place(text: str, entries: tuple[Any, ...]) -> int:
    """The index of an entry of a list: its number from 1, or as `the_one` finds it by its text."""
    number = text.strip()
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(entries):
        return int(number[:9]) - 1
    return the_one(range(len(entries)), text, lambda index: _text(entries[index]), field="value")


def _text(entry: Any) -> str:
    """Of an injury, or of an entry that is nothing else."""
    return getattr(entry, "text", entry)


def _add_injury(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    """The GM's words for a damage effect (EBB-INJURY)."""
    text, part, severity = (piece.strip() for piece in (*value.split(";", 2), "", "")[:3])
    changed, injury = injured(sheet, text, part, severity, "value")
    return changed, {"injury": injury_line(injury)}


def _add_scar(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    check_entry("value", value)
    return sheet.but(scarring=added(sheet.scarring, value, "value", MOST_ENTRIES)), {"text": value}


def _drawbacks(sheet: EbbSheet) -> Iterable[tuple[str, Shown]]:
    return ((str(n), {"number": n, "text": text}) for n, text in enumerate(sheet.drawbacks, 1))


def _rewrite_drawback(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
    """Other words for one drawback; their number stays (EBB-DRAWBACK)."""
    index = _place(name, sheet.drawbacks)
    check_entry("value", value)
    shown = {"text": value, "before": sheet.drawbacks[index]}
    return sheet.but(drawbacks=edited(sheet.drawbacks, index, value)), shown


def _one_of(field: str, what: str, now: str, *, treated: bool | None = None) -> Tool:
    """A tool for one entry of a list, which is taken off it; where `treated` is said, an injury that is not so yet
    becomes so."""
    about = {"what": what, "now": now}

    def offers(sheet: EbbSheet, _: str = "") -> tuple[Choice, ...]:
        numbered = enumerate(getattr(sheet, field), 1)
        found = [(n, each) for n, each in numbered if treated is None or each.treated != treated]
        return tuple(Choice(str(n), Line("as-written", {"text": f"{n}: {_text(each)}"})) for n, each in found)

    def put(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, Shown]:
        entries = getattr(sheet, field)
        index = _place(value, entries)
        entry = entries[index]
        instead = () if treated is None else (entry.but(treated=treated),)
        changed = sheet.but(**{field: edited(entries, index, *instead)})
        return changed, {**about, "text": _text(entry)}

    return Tool("ebb-set-entry", lambda sheet: [("", about)] if offers(sheet) else (), put, offers)


#: `injury` takes a text, or `text; body part; severity`; a drawback the new text, so that there stays one for each
#: ability (EBB-DRAWBACK).
TOOLS: Final = tools(
    {
        "lost": Tool("ebb-set-lost", _lost, _set_lost, _offer_points),
        "injury": Tool("ebb-set-injury", lambda sheet: ONE, _add_injury),
        "treated": _one_of("injuries", "injury", "treated", treated=True),
        "untreated": _one_of("injuries", "injury", "untreated", treated=False),
        "healed": _one_of("injuries", "injury", "healed"),
        "scar": Tool("ebb-set-scar", lambda sheet: ONE, _add_scar),
        "scar-gone": _one_of("scarring", "scar", "gone"),
        "die": Tool("ebb-set-die", _dice, _set_die, _offer_dice),
        "drawback": Tool("ebb-set-drawback", _drawbacks, _rewrite_drawback),
    },
    RESOURCES,
)
