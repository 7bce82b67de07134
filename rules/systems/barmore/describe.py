"""A sheet as blocks, for its player and for GMs."""

from __future__ import annotations

from dataclasses import asdict

from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check import BarCharacter
from rules.systems.barmore.harm import wound_line
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.traits import outline
from rules.table.blocks import Block, Fact, Group, Note, Text


def describe_character(character: BarCharacter, campaign: Campaign) -> tuple[Block, ...]:
    """The sheet for its player and the GMs, what one plays with first."""
    sheet: BarSheet = character.sheet
    seen, traits = (character.id,), campaign.traits
    found: list[Block] = []
    if sheet.concept:
        found.append(Group(None, ((sheet.concept,),), seen))
    found += [Note(wound_line(sheet, campaign, wound), seen) for wound in sheet.wounds]
    for title, signed, tree, scores in (
        (Text("bar-sheet-attributes"), True, traits.attributes, sheet.attributes),
        (Text("bar-sheet-abilities"), False, traits.abilities, sheet.abilities),
    ):
        rows = [
            (Text("bar-sheet-trait", {"depth": depth, "name": name, "score": score, "signed": signed}),)
            for depth, name, score in outline(tree, dict(scores))
        ]
        found += [Group(title, tuple(rows), seen)] if rows else []
    for weapon in sheet.weapons:
        found.append(Fact(Text("check-weapon"), Text("bar-sheet-weapon-is", asdict(weapon)), seen))
    for piece in sheet.armour:
        found.append(Fact(Text("bar-sheet-armour"), Text("bar-sheet-armour-is", asdict(piece)), seen))
    if sheet.equipment:
        found.append(Fact(Text("bar-sheet-equipment"), sheet.equipment, seen))
    if sheet.description:
        found.append(Group(None, ((sheet.description,),), seen))
    if sheet.minor:
        found.append(Note(Text("bar-sheet-minor"), seen))
    return tuple(found)
