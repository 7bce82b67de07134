"""What the GM keeps on a sheet: recovery and values set by hand.

EBB-HEAL, EBB-INJURY, EBB-DRAWBACK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from rules.core.errors import InvalidInput, NotFound
from rules.core.record import record
from rules.systems.ebb.injury import find_severity, injury_shown
from rules.systems.ebb.resources import ATTRIBUTE, RESOURCES, gained
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
)
from rules.systems.ebb.tables import ATTRIBUTES, DIE_SIDES, DIE_TITLES
from rules.table import resources
from rules.table.events import Line
from rules.table.system import Choice

T = TypeVar("T")

#: Longest value of an option, in characters.
_LONGEST: Final = 100
#: What a line says, by name.
_Shown = dict[str, Any]


@record
class _Tool:
    """Something that is set by hand; one of several is told by the name behind a colon.

    `there` are the names that a sheet has, each with what its label shows; `offers` the values of one of them, each
    with its label; `put` sets one: sheet, name, value -> the sheet then, and what has become of it.
    """

    there: Callable[[EbbSheet], Iterable[tuple[str, _Shown]]]
    put: Callable[[EbbSheet, str, str], tuple[EbbSheet, _Shown]]
    offers: Callable[[EbbSheet, str], Iterable[tuple[str, Line]]] = lambda sheet, name: ()


def came_back(name: str, back: Iterable[tuple[str, int]]) -> Line:
    """That somebody has these points again: attribute, how many."""
    return Line("ebb-restored", {"name": name, "values": gained(back)})


def adjustables(sheet: EbbSheet) -> tuple[Choice, ...]:
    """Everything that `adjust` sets on this sheet as it is now."""
    found = [*resources.adjustables(RESOURCES, sheet)]
    for key, tool in _TOOLS.items():
        for name, shown in tool.there(sheet):
            value = f"{key}:{name}"[:_LONGEST] if name else key
            found.append(Choice(value, Line(f"ebb-set-{key}", shown)))
    return tuple(found)


def adjust_values(sheet: EbbSheet, what: str) -> tuple[Choice, ...]:
    """What there is to choose from; texts are offered as they are now, to be changed."""
    key, name = _parts(what)
    tool = _TOOLS.get(key)
    return () if tool is None else tuple(Choice(value, label) for value, label in tool.offers(sheet, name))


def _parts(what: str) -> tuple[str, str]:
    key, _, name = (piece.strip() for piece in what.strip().partition(":"))
    return key.casefold(), name


def adjust(sheet: EbbSheet, what: str, value: str) -> tuple[EbbSheet, Line]:
    """Set one value, as `adjustables` names it.

    `lost:<attribute>` takes 0 to the base value; `injury` a text, or `text; body part; severity`; `treated`,
    `untreated`, `healed` and `scar-gone` the number or the beginning of an entry; `die:<ability>` a die;
    `drawback:<number>` the new text, so that there stays one for each ability (EBB-DRAWBACK).

    NotFound("unknown-adjustable") and as the names are looked up; InvalidInput for the value:
    "not-a-number", "out-of-range", "unknown-die", "unknown-severity", "already-so", "too-many-entries", and
    as `check_entry`.
    """
    key, name = _parts(what)
    if key in _TOOLS:
        changed, shown = _TOOLS[key].put(sheet, name, value.strip())
        line = Line(f"ebb-set-{key}", {**shown, "done": True})
    elif (done := resources.adjust(RESOURCES, sheet, what, value)) is not None:
        changed, line = done
    else:
        known = tuple(choice.value for choice in adjustables(sheet) if ":" not in choice.value)
        raise NotFound(
            "unknown-adjustable", field="what", value=what[:_LONGEST], nearest=(), allowed=(*known, "die:…")
        )
    if changed == sheet:
        raise InvalidInput("already-so", field="value", value=value[:_LONGEST])
    return changed, line


# --- attributes and dice -----------------------------------------------------------------------------------


def _lost(sheet: EbbSheet) -> Iterable[tuple[str, _Shown]]:
    lost = dict(sheet.sacrificed)
    for name in ATTRIBUTES:
        if most := base_attribute(sheet, name):
            yield name, {"name": name, "points": lost.get(name, 0), "most": most}


def _offer_points(sheet: EbbSheet, name: str) -> Iterable[tuple[str, Line]]:
    most = base_attribute(sheet, name) if name in ATTRIBUTES else 0
    return ((str(points), Line("ebb-level", {"value": points})) for points in range(most + 1))


def _set_lost(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, _Shown]:
    attribute = find_attribute(name)
    base = base_attribute(sheet, attribute)
    points = resources.read_points(value, 0, base)
    changed = ATTRIBUTE[attribute].put(sheet, base - points)
    return changed, {"name": attribute, "points": points, "value": base - points}


def _offer_dice(sheet: EbbSheet, name: str) -> Iterable[tuple[str, Line]]:
    for die, title in zip(DICE, DIE_TITLES.values(), strict=True):
        yield die, Line("ebb-die-choice", {"die": die, "title": title})


def _set_die(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, _Shown]:
    ability, die = find_ability(sheet, name), value.casefold()
    if die not in DICE:
        raise InvalidInput("unknown-die", field="value", value=value[:_LONGEST], allowed=DICE)
    changed = replace(ability, sides=DIE_SIDES[DICE.index(die)])
    abilities = _edited(sheet.abilities, sheet.abilities.index(ability), changed)
    shown = {"name": ability.name, "die": die, "before": f"d{ability.sides}"}
    return replace(sheet, abilities=abilities), shown


# --- lists -------------------------------------------------------------------------------------------------


def _edited(entries: tuple[T, ...], index: int, *instead: T) -> tuple[T, ...]:
    """The entries with others, or nothing, in the place of one."""
    return (*entries[:index], *instead, *entries[index + 1 :])


def _entry(text: str, present: int) -> str:
    check_entry("value", text)
    if present >= MOST_ENTRIES:
        raise InvalidInput("too-many-entries", field="value", value=present, highest=MOST_ENTRIES)
    return text


def _add_injury(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, _Shown]:
    """The GM's words for a damage effect (EBB-INJURY)."""
    text, part, severity = (piece.strip() for piece in (*value.split(";", 2), "", "")[:3])
    _entry(text, len(sheet.injuries))
    if part:
        check_entry("value", part)
    injury = Injury(text, part, find_severity(severity, "value"))
    return replace(sheet, injuries=(*sheet.injuries, injury)), injury_shown(injury)


def _add_scar(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, _Shown]:
    scar = _entry(value, len(sheet.scarring))
    return replace(sheet, scarring=(*sheet.scarring, scar)), {"text": scar}


def _rewrite_drawback(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, _Shown]:
    """Other words for one drawback; their number stays (EBB-DRAWBACK)."""
    index = find_entry(name, sheet.drawbacks)
    check_entry("value", value)
    shown = {"text": value, "before": sheet.drawbacks[index]}
    return replace(sheet, drawbacks=_edited(sheet.drawbacks, index, value)), shown


def _one_of(
    field: str,
    among: Callable[[Any], bool] = lambda entry: True,
    instead: Callable[[Any], tuple[Any, ...]] = lambda entry: (),
) -> _Tool:
    """A tool for one entry of a list, of `among` those: what stands `instead` of the one that is meant, or nothing."""

    def text(entry: Any) -> str:
        return entry.text if isinstance(entry, Injury) else entry

    def offers(sheet: EbbSheet, _: str = "") -> Sequence[tuple[str, Line]]:
        numbered = ((n, each) for n, each in enumerate(getattr(sheet, field), 1) if among(each))
        return [(str(n), Line("ebb-entry-choice", {"number": n, "text": text(each)})) for n, each in numbered]

    def put(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, _Shown]:
        entries = getattr(sheet, field)
        index = find_entry(value, [text(each) for each in entries])
        entry = entries[index]
        return replace(sheet, **{field: _edited(entries, index, *instead(entry))}), {"text": text(entry)}

    return _Tool(lambda sheet: _one(sheet) if offers(sheet) else (), put, offers)


def _one(sheet: EbbSheet) -> Iterable[tuple[str, _Shown]]:
    return [("", {})]


_TOOLS: Final[dict[str, _Tool]] = {
    "lost": _Tool(_lost, _set_lost, _offer_points),
    "injury": _Tool(_one, _add_injury),
    "treated": _one_of(
        "injuries", lambda each: not each.treated, lambda each: (replace(each, treated=True),)
    ),
    "untreated": _one_of("injuries", lambda each: each.treated, lambda each: (replace(each, treated=False),)),
    "healed": _one_of("injuries"),
    "scar": _Tool(_one, _add_scar),
    "scar-gone": _one_of("scarring"),
    "die": _Tool(
        lambda sheet: ((each.name, {"name": each.name, "die": f"d{each.sides}"}) for each in sheet.abilities),
        _set_die,
        _offer_dice,
    ),
    "drawback": _Tool(
        lambda sheet: ((str(n), {"number": n, "text": text}) for n, text in enumerate(sheet.drawbacks, 1)),
        _rewrite_drawback,
    ),
}
