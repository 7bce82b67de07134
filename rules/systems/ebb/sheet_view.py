"""Blocks of a sheet for its player and GMs, lines of health, and pages of creation.

EBB-CHAR, EBB-DRAWBACK, EBB-TIER, EBB-INJURY, EBB-LUCK.
"""

from __future__ import annotations

from typing import Final

from rules.systems.ebb import sheet as sheets
from rules.systems.ebb.reference_rows import DIE_SIDES, STARTING_ABILITIES
from rules.systems.ebb.sheet import CHARACTER, EbbCharacter, EbbSheet
from rules.table.blocks import Block, Group, Text
from rules.table.check import Values
from rules.table.people.common_fields import field_blocks, key_label
from rules.table.system import Game, Page

_POINTS: Final = CHARACTER.part("fate")
#: Pages of a sheet behind the first, with the fields of each.
SHEET_PAGES: Final = (
    (key_label("drawbacks"), CHARACTER.part("drawbacks")),
    (Text("sheet-things"), CHARACTER.part("equipment", "assets")),
    (
        Text("sheet-story"),
        CHARACTER.part("group", "country", "sex", "age", "renown", "scarring", "description"),
    ),
)


def describe_character(character: EbbCharacter) -> tuple[Block, ...]:
    """Return the sheet in short, for its player and the GMs (EBB-CHAR)."""
    sheet, seen = character.sheet, (character.id,)
    tag, role = sheet.tag.strip(), sheet.role.strip()
    blocks: list[Block] = []
    if tag or role:
        blocks.append(
            Group(None, ((Text("ebb-sheet-concept", {"tag": tag, "role": role}),),), seen)
        )
    blocks += field_blocks(_POINTS, sheet, seen)
    lines: list[tuple[Text, ...]] = []
    for name in sheets.base_attributes(sheet):
        abilities = [ability for ability in sheet.abilities if ability.group == name]
        items = tuple(
            Text("ebb-ability", {"name": ability.name, "die": ability.die}) for ability in abilities
        )
        label = _attribute_line(sheet, name)
        lines.append((label, Text("sheet-items", {"items": items})) if items else (label,))
    return (*blocks, Group(None, tuple(lines), seen))


def _attribute_line(sheet: EbbSheet, name: str, **more: int) -> Text:
    """Return an attribute as it is now, and its base value where a sacrifice has lowered it."""
    value = sheets.effective_attributes(sheet)[name]
    base = sheets.base_attributes(sheet)[name]
    shown_base = base if more or value != base else None
    return Text("ebb-attribute", {"name": name, **more, "value": value, "base": shown_base})


def health_lines(sheet: EbbSheet, *, full: bool) -> tuple[Text, ...]:
    """Return the health of a character in one line.

    With *full* all injuries and all attributes that have lost points follow.
    """
    health = sheets.health_line(sheet)
    if not full:
        return (health,)
    injuries = [sheets.injury_line(injury) for injury in sheet.injuries]
    lost = [_attribute_line(sheet, name, points=points) for name, points in sheet.sacrificed]
    return (health, *injuries, *lost)


# --- creation -------------------------------------------------------------------------------------


def _creation_lines(game: Game, values: Values) -> tuple[Text, ...]:
    """Return the attributes that a draft's abilities give, and how many there are of each die."""
    if "abilities" not in values:
        return ()
    sheet = CHARACTER.make_record(EbbSheet, {"abilities": values["abilities"]})
    dice = [ability.sides for ability in sheet.abilities]
    counted = [(dice.count(sides), sides) for sides in DIE_SIDES if sides in dice]
    spread = tuple(
        [Text("ebb-creation", {"dice": count, "sides": sides}) for count, sides in counted]
    )
    attributes = tuple(f"{name} {value}" for name, value in sheets.base_attributes(sheet).items())
    return (
        Text("ebb-creation", {"values": attributes}),
        Text("ebb-creation", {"count": len(dice), "spread": spread}),
    )


def _ability_progress(game: Game, values: Values) -> tuple[Text, ...]:
    """Return how many abilities a draft has, for the menu of steps."""
    count = len(values.get("abilities", ()))
    return (Text("ebb-holds", {"what": "abilities", "count": count, "of": STARTING_ABILITIES}),)


def _drawback_progress(game: Game, values: Values) -> tuple[Text, ...]:
    """Return how many drawbacks a draft has, for the menu of steps."""
    count, needed = len(values.get("drawbacks", ())), len(values.get("abilities", ()))
    of = needed or STARTING_ABILITIES
    return (Text("ebb-holds", {"what": "drawbacks", "count": count, "of": of}),)


CREATION_PAGES: Final = (
    Page("who", Text("step-who"), CHARACTER.part("name", "age", "country", "sex", "role")),
    Page(
        "story",
        Text("sheet-story"),
        CHARACTER.part("tag", "group", "renown", "description", "portrait"),
    ),
    Page(
        "abilities",
        Text("sheet-abilities"),
        CHARACTER.part("abilities"),
        follows=_creation_lines,
        holds=_ability_progress,
        about=Text("ebb-step-about", {"what": "abilities", "count": STARTING_ABILITIES}),
    ),
    Page(
        "drawbacks",
        key_label("drawbacks"),
        CHARACTER.part("drawbacks"),
        holds=_drawback_progress,
        about=Text("ebb-step-about", {"what": "drawbacks"}),
    ),
    Page("things", Text("step-things"), CHARACTER.part("equipment", "assets", "scarring", "notes")),
)
