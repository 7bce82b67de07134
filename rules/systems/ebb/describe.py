"""Characters in codes: made step by step, the sheet for its player and GMs, and how somebody is.

EBB-CHAR, EBB-DRAWBACK, EBB-TIER, EBB-INJURY, EBB-LUCK.
"""

from __future__ import annotations

from typing import Final, cast

from rules.core.rows import data
from rules.systems.ebb.attempt import EbbCharacter
from rules.systems.ebb.sheet import (
    CHARACTER,
    FITNESS,
    EbbSheet,
    ability_of,
    attributes,
    base_attribute,
    base_attributes,
    effective_attribute,
    injury_line,
)
from rules.systems.ebb.tables import DIE_SIDES
from rules.table.blocks import Block, Group, Text
from rules.table.events import Line
from rules.table.forms import Values
from rules.table.people.fields import called, told_fields, told_pages
from rules.table.system import Game, Page, SheetPage

_POINTS: Final = CHARACTER.part("fate")
#: The pages behind the first, and what of a sheet stands there.
_PAGES: Final = (
    (called("drawbacks"), CHARACTER.part("drawbacks")),
    (Text("sheet-things"), CHARACTER.part("equipment", "assets")),
    (
        Text("sheet-story"),
        CHARACTER.part("group", "country", "sex", "age", "renown", "scarring", "description"),
    ),
)


def describe_character(character: EbbCharacter) -> tuple[Block, ...]:
    """What one plays with, for its player and the GMs (EBB-CHAR)."""
    sheet, seen = character.sheet, (character.id,)
    found: list[Block] = []
    if sheet.tag.strip() or sheet.role.strip():
        said = Text("ebb-sheet-concept", {"tag": sheet.tag.strip(), "role": sheet.role.strip()})
        found.append(Group(None, ((said,),), seen))
    found += told_fields(_POINTS, sheet, seen)
    values = attributes(sheet)
    lines: list[tuple[Text, ...]] = []
    for name, base in base_attributes(sheet).items():
        left = None if values[name] == base else base
        label = Text("ebb-attribute", {"name": name, "value": values[name], "base": left})
        own = [each for each in sheet.abilities if each.group == name]
        mine = tuple(Text("ebb-ability", {"name": each.name, "die": each.die}) for each in own)
        lines.append((label, Text("sheet-items", {"items": mine})) if mine else (label,))
    found.append(Group(None, tuple(lines), seen))
    return tuple(found)


def character_pages(character: EbbCharacter) -> tuple[SheetPage, ...]:
    """The rest of the sheet."""
    return told_pages(_PAGES, character.sheet, (character.id,))


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
        code = "badly-hurt"
    else:
        code = "hurt" if sheet.injuries or lost.get(FITNESS) else "unhurt"
    lines = [Line(code)]
    if full:
        lines += [injury_line(each, whole=True) for each in sheet.injuries]
        for name, points in lost.items():
            values = {"value": effective_attribute(sheet, name), "base": base_attribute(sheet, name)}
            lines.append(Line("ebb-attribute", {"name": name, "points": points, **values}))
    return tuple(lines)


# --- making one -----------------------------------------------------------------------------------------------


def _told(game: Game, made: Values) -> tuple[Line, ...]:
    """What the abilities make of the attributes, and how they are spread over the dice."""
    if "abilities" not in made:
        return ()
    sheet = EbbSheet(abilities=tuple(map(ability_of, made["abilities"])))
    dice = [ability.sides for ability in sheet.abilities]
    spread = tuple(f"{dice.count(sides)} at d{sides}" for sides in DIE_SIDES if sides in dice)
    values = tuple(f"{name} {value}" for name, value in base_attributes(sheet).items())
    return (
        Line("ebb-creation", {"values": values}),
        Line("ebb-creation", {"count": len(dice), "spread": spread}),
    )


PAGES: Final = (
    Page("who", Line("step-who"), CHARACTER.part("name", "age", "country", "sex", "role")),
    Page("story", Line("sheet-story"), CHARACTER.part("tag", "group", "renown", "description", "portrait")),
    Page("abilities", Line("sheet-abilities"), CHARACTER.part("abilities"), follows=_told),
    Page("drawbacks", called("drawbacks"), CHARACTER.part("drawbacks")),
    Page("things", Line("step-things"), CHARACTER.part("equipment", "assets", "scarring", "notes")),
)


_ROSTER: Final = data("rules.systems.ebb", "roster")


def roster() -> tuple[dict[str, object], ...]:
    """The ready characters, each valid for a newcomer (EBB-CHAR). Made anew each time: nobody shares them."""
    return tuple(cast("list[dict[str, object]]", _ROSTER()))
