"""What the GM keeps on a sheet: recovery and values set by hand.

EBB-HEAL, EBB-INJURY, EBB-DRAWBACK.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from rules.core.errors import InvalidInput, NotFound
from rules.core.record import record
from rules.systems.ebb.injury import added, injured
from rules.systems.ebb.resources import ATTRIBUTE, RESOURCES
from rules.systems.ebb.sheet import (
    DICE,
    EbbSheet,
    Injury,
    base_attribute,
    check_entry,
    edited,
    find_ability,
    find_attribute,
    find_entry,
    injury_line,
)
from rules.systems.ebb.tables import ATTRIBUTES, DIE_SIDES, DIE_TITLES
from rules.table import resources
from rules.table.events import Line
from rules.table.forms import as_written
from rules.table.system import Choice

#: Longest value of an option, in characters.
_LONGEST: Final = 100
#: What a line says, by name.
_Shown = dict[str, Any]
#: The only one of its kind.
_ONE: Final[tuple[tuple[str, _Shown]]] = (("", {}),)


@record
class _Tool:
    """Something that is set by hand; one of several is told by the name behind a colon.

    `there` are the names that a sheet has, each with what its label shows; `put` sets one: sheet, name, value -> the
    sheet then, and what has become of it; `offers` are the values of one of them. `says` is the code of both.
    """

    says: str
    there: Callable[[EbbSheet], Iterable[tuple[str, _Shown]]]
    put: Callable[[EbbSheet, str, str], tuple[EbbSheet, _Shown]]
    offers: Callable[[EbbSheet, str], Iterable[Choice]] = lambda sheet, name: ()


def adjustables(sheet: EbbSheet) -> tuple[Choice, ...]:
    """Everything that `adjust` sets on this sheet as it is now."""
    return (
        *resources.adjustables(RESOURCES, sheet),
        *[
            Choice(f"{key}:{name}"[:_LONGEST] if name else key, Line(f"ebb-set-{tool.says}", shown))
            for key, tool in _TOOLS.items()
            for name, shown in tool.there(sheet)
        ],
    )


def adjust_values(sheet: EbbSheet, what: str) -> tuple[Choice, ...]:
    """What there is to choose from; texts are offered as they are now, to be changed."""
    key, name = _parts(what)
    return tuple(_TOOLS[key].offers(sheet, name)) if key in _TOOLS else ()


def _parts(what: str) -> tuple[str, str]:
    key, _, name = (piece.strip() for piece in what.strip().partition(":"))
    return key.casefold(), name


def adjust(sheet: EbbSheet, what: str, value: str) -> tuple[EbbSheet, Line]:
    """Set one value, as `adjustables` names it.

    `lost:<attribute>` takes 0 to the base value; `injury` a text, or `text; body part; severity`; `treated`,
    `untreated`, `healed` and `scar-gone` the number or the beginning of an entry; `die:<ability>` a die;
    `drawback:<number>` the new text, so that there stays one for each ability (EBB-DRAWBACK).

    NotFound("unknown-adjustable") and as the names are looked up; InvalidInput for the value:
    "not-a-number", "out-of-range", "unknown-die", "already-so", "too-many-entries", and as `check_entry`.
    """
    key, name = _parts(what)
    if (tool := _TOOLS.get(key)) is not None:
        changed, shown = tool.put(sheet, name, value.strip())
        line = Line(f"ebb-set-{tool.says}", {**shown, "done": True})
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


def _offer_points(sheet: EbbSheet, name: str) -> Iterable[Choice]:
    most = base_attribute(sheet, name) if name in ATTRIBUTES else 0
    return as_written(str(points) for points in range(most + 1))


def _set_lost(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, _Shown]:
    attribute = find_attribute(name)
    base = base_attribute(sheet, attribute)
    points = resources.read_points(value, 0, base)
    changed = ATTRIBUTE[attribute].put(sheet, base - points)
    return changed, {"name": attribute, "points": points, "value": base - points}


def _offer_dice(sheet: EbbSheet, name: str) -> Iterable[Choice]:
    for die, title in zip(DICE, DIE_TITLES.values(), strict=True):
        yield Choice(die, Line("as-written", {"text": f"{die} {title}"}))


def _set_die(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, _Shown]:
    ability, die = find_ability(sheet, name), value.casefold()
    if die not in DICE:
        raise InvalidInput("unknown-die", field="value", value=value[:_LONGEST], allowed=DICE)
    changed = replace(ability, sides=DIE_SIDES[DICE.index(die)])
    abilities = edited(sheet.abilities, sheet.abilities.index(ability), changed)
    return replace(sheet, abilities=abilities), {"name": ability.name, "die": die, "before": ability.die}


# --- lists -------------------------------------------------------------------------------------------------


def _add_injury(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, _Shown]:
    """The GM's words for a damage effect (EBB-INJURY)."""
    text, part, severity = (piece.strip() for piece in (*value.split(";", 2), "", "")[:3])
    changed, injury = injured(sheet, text, part, severity, "value")
    return changed, {"injury": injury_line(injury)}


def _add_scar(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, _Shown]:
    check_entry("value", value)
    return replace(sheet, scarring=added(sheet.scarring, value, "value")), {"text": value}


def _rewrite_drawback(sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, _Shown]:
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
) -> _Tool:
    """A tool for one entry of a list, of `among` those: what stands `instead` of the one that is meant, or nothing."""
    about = {"what": what, "now": now}

    def text(entry: Any) -> str:
        return entry.text if isinstance(entry, Injury) else entry

    def offers(sheet: EbbSheet, _: str = "") -> tuple[Choice, ...]:
        numbered = ((n, each) for n, each in enumerate(getattr(sheet, field), 1) if among(each))
        return tuple(
            Choice(str(n), Line("as-written", {"text": f"{n}: {text(each)}"})) for n, each in numbered
        )

    def put(sheet: EbbSheet, _: str, value: str) -> tuple[EbbSheet, _Shown]:
        entries = getattr(sheet, field)
        index = find_entry(value, [text(each) for each in entries])
        entry = entries[index]
        changed = replace(sheet, **{field: edited(entries, index, *instead(entry))})
        return changed, {**about, "text": text(entry)}

    return _Tool("entry", lambda sheet: [("", about)] if offers(sheet) else (), put, offers)


def _treated(key: str, treated: bool) -> _Tool:
    return _one_of(
        "injuries",
        "injury",
        key,
        lambda each: each.treated != treated,
        lambda each: (replace(each, treated=treated),),
    )


_TOOLS: Final[dict[str, _Tool]] = {
    "lost": _Tool("lost", _lost, _set_lost, _offer_points),
    "injury": _Tool("injury", lambda sheet: _ONE, _add_injury),
    "treated": _treated("treated", True),
    "untreated": _treated("untreated", False),
    "healed": _one_of("injuries", "injury", "healed"),
    "scar": _Tool("scar", lambda sheet: _ONE, _add_scar),
    "scar-gone": _one_of("scarring", "scar", "gone"),
    "die": _Tool(
        "die",
        lambda sheet: ((each.name, {"name": each.name, "die": each.die}) for each in sheet.abilities),
        _set_die,
        _offer_dice,
    ),
    "drawback": _Tool(
        "drawback",
        lambda sheet: ((str(n), {"number": n, "text": text}) for n, text in enumerate(sheet.drawbacks, 1)),
        _rewrite_drawback,
    ),
}
