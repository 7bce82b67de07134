"""Characters in codes, for their players and for GMs."""

from __future__ import annotations

from typing import Final

from rules.systems.ebb.check import EbbCharacter
from rules.systems.ebb.sheet import CHARACTER, attributes, base_attributes
from rules.table.blocks import Block, Group, Text
from rules.table.people.fields import told_fields, told_pages
from rules.table.system import SheetPage

_POINTS: Final = CHARACTER.part("fate")
#: The pages behind the first, and what of a sheet stands there.
_PAGES: Final = (
    (Text("ebb-sheet-drawbacks"), CHARACTER.part("drawbacks")),
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
        label = Text("ebb-sheet-attribute", {"name": name, "value": values[name], "base": left})
        mine = tuple(
            Text("ebb-sheet-ability", {"name": ability.name, "sides": ability.sides})
            for ability in sheet.abilities
            if ability.group == name
        )
        lines.append((label, Text("ebb-sheet-abilities", {"items": mine})) if mine else (label,))
    found.append(Group(None, tuple(lines), seen))
    return tuple(found)


def character_pages(character: EbbCharacter) -> tuple[SheetPage, ...]:
    """The rest of the sheet."""
    return told_pages(_PAGES, character.sheet, (character.id,))
