"""Blocks of a sheet for its player and for GMs, and pages of its creation (BAR-TRAIT)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from rules.systems.barmore.check_state import BarCharacter
from rules.systems.barmore.sheet import CHARACTER
from rules.systems.barmore.trait_trees import outline
from rules.table.blocks import Block, Fact, Group, Note, Text
from rules.table.check import Values
from rules.table.people.common_fields import field_blocks, field_pages, key_label
from rules.table.system import Game, Page, SheetPage

_SHEET_PAGES: Final = ((Text("sheet-story"), CHARACTER.part("description")),)


def _tree_lines(
    game: Game, character: BarCharacter
) -> Iterator[tuple[str, list[tuple[int, dict[str, Any]]]]]:
    """Yield both trees as far as they have scores: the field, then each line with its depth."""
    for of, signed in (("attributes", True), ("abilities", False)):
        lines = outline(getattr(game.campaign.traits, of), dict(getattr(character.sheet, of)))
        yield (
            of,
            [
                (depth, {"name": name, "score": score, "signed": signed})
                for depth, name, score in lines
            ],
        )


def describe_character(game: Game, character: BarCharacter) -> tuple[Block, ...]:
    """Return the sheet in short, for its player and the GMs.

    Each tree has a line for each root, with all scores below the root.
    """
    sheet, seen = character.sheet, (character.id,)
    blocks: list[Block] = []
    if sheet.concept:
        blocks.append(Group(None, ((sheet.concept,),), seen))
    if sheet.minor:
        blocks.append(Note(Text("bar-sheet", {"of": "minor"}), seen))
    for _, lines in _tree_lines(game, character):
        roots: list[tuple[dict[str, Any], list[Text]]] = []
        for depth, params in lines:
            if depth == 0:
                roots.append((params, []))
            elif params["score"] is not None:
                trait = {"of": "trait", **params, "listed": True}
                roots[-1][1].append(Text("bar-sheet", trait))
        rows = [
            (Text("bar-sheet", {"of": "root", **params, "items": tuple(below)}),)
            for params, below in roots
        ]
        if rows:
            blocks.append(Group(None, tuple(rows), seen))
    return (*blocks, *field_blocks(CHARACTER.part("weapons", "armour"), sheet, seen))


def character_pages(game: Game, character: BarCharacter) -> tuple[SheetPage, ...]:
    """Return the rest of the sheet: the whole trees, things and the story."""
    sheet, seen = character.sheet, (character.id,)
    trees: list[Block] = []
    for key, lines in _tree_lines(game, character):
        rows = [
            (Text("bar-sheet", {"of": "trait", **params, "depth": depth}),)
            for depth, params in lines
        ]
        if rows:
            trees.append(Group(Text(f"sheet-{key}"), tuple(rows), seen))
    pages: list[SheetPage] = []
    if trees:
        pages.append((key_label("traits"), tuple(trees)))
    if sheet.equipment:
        equipment = Fact(Text("sheet-equipment"), sheet.equipment, seen)
        pages.append((Text("sheet-things"), (equipment,)))
    return (*pages, *field_pages(_SHEET_PAGES, sheet, seen))


# --- creation -------------------------------------------------------------------------------------


def _creation_lines(key: str, game: Game, values: Values) -> tuple[Text, ...]:
    """Return a line with the number and sum of a draft's scores, if it has any."""
    if key not in values:
        return ()
    scores: Mapping[str, int] = values[key]
    about = {"of": key, "count": len(scores), "sum": sum(scores.values())}
    return (Text("bar-creation-scores", about),)


def _score_totals(key: str, game: Game, values: Values) -> tuple[Text, ...]:
    """Return a line with the number and sum of a draft's scores, for the menu of steps."""
    scores: Mapping[str, int] = values.get(key, {})
    return (Text("bar-holds", {"of": key, "count": len(scores), "sum": sum(scores.values())}),)


CREATION_PAGES: Final = (
    Page("who", Text("step-who"), CHARACTER.part("name", "concept", "description", "portrait")),
    *[
        Page(
            key,
            Text(f"sheet-{key}"),
            CHARACTER.part(key),
            partial(_creation_lines, key),
            partial(_score_totals, key),
            Text("bar-step-about", {"of": key}),
        )
        for key in ("attributes", "abilities")
    ],
    Page(
        "things",
        Text("step-things"),
        CHARACTER.part("weapons", "armour", "equipment", "notes"),
        about=Text("bar-step-about", {"of": "things"}),
    ),
)
