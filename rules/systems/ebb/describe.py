"""Characters in codes, for their players and for GMs."""

from __future__ import annotations

from rules.systems.ebb.check import EbbCharacter
from rules.systems.ebb.sheet import Injury, attributes, base_attributes
from rules.table.blocks import Block, Fact, Group, Text


def _injury(injury: Injury) -> Text:
    about = {"part": injury.part, "severity": injury.severity, "treated": injury.treated}
    return Text("ebb-sheet-injury", {"text": injury.text, **about})


def describe_character(character: EbbCharacter) -> tuple[Block, ...]:
    """The sheet for its player and the GMs, what one plays with first (EBB-CHAR)."""
    sheet, seen = character.sheet, (character.id,)

    found: list[Block] = []
    concept = tuple(
        text for text in (sheet.role, sheet.tag, sheet.group, sheet.country, sheet.sex) if text.strip()
    )
    if concept or sheet.age is not None:
        said = Text("ebb-sheet-concept", {"parts": concept, "age": sheet.age})
        found.append(Group(None, ((said,),), seen))
    found.append(Fact(Text("ebb-sheet-fate"), Text("ebb-sheet-points", {"points": sheet.fate}), seen))
    if sheet.injuries:
        told = [_injury(injury) for injury in sheet.injuries]
        found.append(Group(Text("ebb-sheet-injuries"), tuple([(each,) for each in told]), seen))
    values = attributes(sheet)
    lines: list[tuple[Text, ...]] = []
    for name, base in base_attributes(sheet).items():
        left = None if values[name] == base else base
        label = Text("ebb-sheet-attribute", {"name": name, "value": values[name], "base": left})
        mine = [
            Text("ebb-sheet-ability", {"name": ability.name, "sides": ability.sides})
            for ability in sheet.abilities
            if ability.group == name
        ]
        lines.append((label, *mine))
    found.append(Group(None, tuple(lines), seen))
    for code, names in (
        ("drawbacks", sheet.drawbacks),
        ("equipment", sheet.equipment),
        ("assets", sheet.assets),
        ("scarring", sheet.scarring),
    ):
        if names:
            found.append(Group(Text(f"ebb-sheet-{code}"), tuple([(name,) for name in names]), seen))
    if sheet.renown:
        found.append(Fact(Text("ebb-sheet-renown"), sheet.renown, seen))
    if sheet.description:
        found.append(Group(None, ((sheet.description,),), seen))
    return tuple(found)
