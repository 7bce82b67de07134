"""Characters in codes: made step by step, the sheet for its player and GMs, and how somebody is.

EBB-CHAR, EBB-DRAWBACK, EBB-TIER, EBB-INJURY, EBB-LUCK.
"""

from __future__ import annotations

from typing import Final

from rules.systems.ebb import sheet as sheets
from rules.systems.ebb.reference_rows import DIE_SIDES, STARTING_ABILITIES
from rules.systems.ebb.sheet import CHARACTER, EbbCharacter, EbbSheet
from rules.table.blocks import Block, Group, Text
from rules.table.forms import Values
from rules.table.people.common_fields import field_blocks, key_label
from rules.table.system import Game, Page

_POINTS: Final = CHARACTER.part("fate")
#: The pages behind the first, and what of a sheet stands there.
SHEET_PAGES: Final = (
    (key_label("drawbacks"), CHARACTER.part("drawbacks")),
    (Text("sheet-things"), CHARACTER.part("equipment", "assets")),
    (
        Text("sheet-story"),
        CHARACTER.part("group", "country", "sex", "age", "renown", "scarring", "description"),
    ),
)


def describe_character(character: EbbCharacter) -> tuple[Block, ...]:
    """What one plays with, for its player and the GMs (EBB-CHAR)."""
    sheet, seen = character.sheet, (character.id,)
    tag, role = sheet.tag.strip(), sheet.role.strip()
    concept = Text("ebb-sheet-concept", {"tag": tag, "role": role})
    found: list[Block] = [Group(None, ((concept,),), seen)] if tag or role else []
    found += field_blocks(_POINTS, sheet, seen)
    lines: list[tuple[Text, ...]] = []
    for name in sheets.base_attributes(sheet):
        own = [each for each in sheet.abilities if each.group == name]
        mine = tuple(Text("ebb-ability", {"name": each.name, "die": each.die}) for each in own)
        label = _attribute_line(sheet, name)
        lines.append((label, Text("sheet-items", {"items": mine})) if mine else (label,))
    return (*found, Group(None, tuple(lines), seen))


def _attribute_line(sheet: EbbSheet, name: str, **more: int) -> Text:
    """An attribute as it is now, and as it was before anything of it was sacrificed."""
    value, base = sheets.effective_attributes(sheet)[name], sheets.base_attributes(sheet)[name]
    shown = {"name": name, **more, "value": value, "base": base if more or value != base else None}
    return Text("ebb-attribute", shown)


def health_lines(sheet: EbbSheet, *, full: bool) -> tuple[Text, ...]:
    """One line for everybody; with `full` also every injury and every attribute that has lost
    points.
    """
    seen = sheets.health_line(sheet)
    if not full:
        return (seen,)
    injuries = [sheets.injury_line(each) for each in sheet.injuries]
    lost = [_attribute_line(sheet, name, points=points) for name, points in sheet.sacrificed]
    return (seen, *injuries, *lost)


# --- making one -----------------------------------------------------------------------------------


def _creation_lines(game: Game, made: Values) -> tuple[Text, ...]:
    """What the abilities make of the attributes, and how they are spread over the dice."""
    if "abilities" not in made:
        return ()
    sheet = CHARACTER.make_record(EbbSheet, {"abilities": made["abilities"]})
    dice = [ability.sides for ability in sheet.abilities]
    counted = [(dice.count(sides), sides) for sides in DIE_SIDES if sides in dice]
    spread = tuple(
        [Text("ebb-creation", {"dice": count, "sides": sides}) for count, sides in counted]
    )
    values = tuple(f"{name} {value}" for name, value in sheets.base_attributes(sheet).items())
    return (
        Text("ebb-creation", {"values": values}),
        Text("ebb-creation", {"count": len(dice), "spread": spread}),
    )


def _held_abilities(game: Game, made: Values) -> tuple[Text, ...]:
    count = len(made.get("abilities", ()))
    return (Text("ebb-holds", {"what": "abilities", "count": count, "of": STARTING_ABILITIES}),)


def _held_drawbacks(game: Game, made: Values) -> tuple[Text, ...]:
    count, needed = len(made.get("drawbacks", ())), len(made.get("abilities", ()))
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
        holds=_held_abilities,
        about=Text("ebb-step-about", {"what": "abilities", "count": STARTING_ABILITIES}),
    ),
    Page(
        "drawbacks",
        key_label("drawbacks"),
        CHARACTER.part("drawbacks"),
        holds=_held_drawbacks,
        about=Text("ebb-step-about", {"what": "drawbacks"}),
    ),
    Page("things", Text("step-things"), CHARACTER.part("equipment", "assets", "scarring", "notes")),
)
