"""A sheet as blocks, for its player and for GMs."""

from __future__ import annotations

from rules.systems.barmore.check import BarCharacter
from rules.systems.barmore.harm import wound_line
from rules.systems.barmore.sheet import CHARACTER
from rules.systems.barmore.traits import outline
from rules.table.blocks import Block, Fact, Group, Note, Text
from rules.table.people.fields import told_fields
from rules.table.system import Game


def describe_character(game: Game, character: BarCharacter) -> tuple[Block, ...]:
    """The sheet for its player and the GMs, what one plays with first."""
    sheet, campaign = character.sheet, game.campaign
    seen, traits = (character.id,), campaign.traits
    found: list[Block] = []
    if sheet.concept:
        found.append(Group(None, ((sheet.concept,),), seen))
    found += [Note(wound_line(sheet, campaign, wound), seen) for wound in sheet.wounds]
    for title, signed, tree, scores in (
        (Text("sheet-attributes"), True, traits.attributes, sheet.attributes),
        (Text("sheet-abilities"), False, traits.abilities, sheet.abilities),
    ):
        rows = [
            (Text("bar-sheet-trait", {"depth": depth, "name": name, "score": score, "signed": signed}),)
            for depth, name, score in outline(tree, dict(scores))
        ]
        found += [Group(title, tuple(rows), seen)] if rows else []
    found += told_fields(CHARACTER.part("weapons", "armour"), sheet, seen)
    if sheet.equipment:
        found.append(Fact(Text("sheet-equipment"), sheet.equipment, seen))
    found += told_fields(CHARACTER.part("description"), sheet, seen)
    if sheet.minor:
        found.append(Note(Text("bar-sheet-minor"), seen))
    return tuple(found)
