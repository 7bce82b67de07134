"""A sheet as blocks, for its player and for GMs; how one is made step by step, and the ready ones
(BAR-TRAIT).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from rules.systems.barmore.check_state import BarCharacter
from rules.systems.barmore.sheet import CHARACTER
from rules.systems.barmore.trait_trees import outline
from rules.table.blocks import Block, Fact, Group, Note, Text
from rules.table.forms import Values
from rules.table.people.common_fields import field_blocks, field_pages, key_label
from rules.table.system import Game, Page, SheetPage

_SHEET_PAGES: Final = ((Text("sheet-story"), CHARACTER.part("description")),)


def _trees(
    game: Game, character: BarCharacter
) -> Iterator[tuple[str, list[tuple[int, dict[str, Any]]]]]:
    """Both trees as far as there are scores: each line with its depth."""
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
    """What one plays with, for its player and the GMs: of the trees a line for each root, with all
    scores below it.
    """
    sheet, seen = character.sheet, (character.id,)
    found: list[Block] = [Group(None, ((sheet.concept,),), seen)] if sheet.concept else []
    if sheet.minor:
        found.append(Note(Text("bar-sheet", {"of": "minor"}), seen))
    for _, lines in _trees(game, character):
        roots: list[tuple[dict[str, Any], list[Text]]] = []
        for depth, said in lines:
            if depth == 0:
                roots.append((said, []))
            elif said["score"] is not None:
                roots[-1][1].append(Text("bar-sheet", {"of": "trait", **said, "listed": True}))
        rows = [
            (Text("bar-sheet", {"of": "root", **said, "items": tuple(below)}),)
            for said, below in roots
        ]
        found += [Group(None, tuple(rows), seen)] if rows else []
    return (*found, *field_blocks(CHARACTER.part("weapons", "armour"), sheet, seen))


def character_pages(game: Game, character: BarCharacter) -> tuple[SheetPage, ...]:
    """The rest of the sheet: the trees with what lies between, things and the story."""
    sheet, seen = character.sheet, (character.id,)
    trees: list[Block] = []
    for key, lines in _trees(game, character):
        rows = [
            (Text("bar-sheet", {"of": "trait", **said, "depth": depth}),) for depth, said in lines
        ]
        trees += [Group(Text(f"sheet-{key}"), tuple(rows), seen)] if rows else []
    found: list[SheetPage] = [(key_label("traits"), tuple(trees))] if trees else []
    if sheet.equipment:
        found.append(
            (Text("sheet-things"), (Fact(Text("sheet-equipment"), sheet.equipment, seen),))
        )
    return (*found, *field_pages(_SHEET_PAGES, sheet, seen))


# --- making one -----------------------------------------------------------------------------------


def _creation_lines(key: str, game: Game, made: Values) -> tuple[Text, ...]:
    scores: Mapping[str, int] = made.get(key, {})
    counted = Text(
        "bar-creation-scores", {"of": key, "count": len(scores), "sum": sum(scores.values())}
    )
    return (counted,) if key in made else ()


def _held_scores(key: str, game: Game, made: Values) -> tuple[Text, ...]:
    scores: Mapping[str, int] = made.get(key, {})
    return (Text("bar-holds", {"of": key, "count": len(scores), "sum": sum(scores.values())}),)


CREATION_PAGES: Final = (
    Page("who", Text("step-who"), CHARACTER.part("name", "concept", "description", "portrait")),
    *[
        Page(
            key,
            Text(f"sheet-{key}"),
            CHARACTER.part(key),
            partial(_creation_lines, key),
            partial(_held_scores, key),
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
