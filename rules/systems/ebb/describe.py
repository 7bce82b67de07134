"""Checks and characters in codes, for players and for GMs. What an onlooker may not know is left out here."""

from __future__ import annotations

from functools import lru_cache

from rules.systems.ebb.check import (
    EbbCharacter,
)
from rules.systems.ebb.difficulty import Adjustments
from rules.systems.ebb.ladder import Difficulty
from rules.systems.ebb.sheet import Injury, attributes, base_attributes
from rules.systems.ebb.task import Verdict
from rules.table.blocks import Block, Fact, Group, Text
from rules.table.events import Line


def difficulty_line(difficulty: Difficulty) -> Line:
    """`Tricky (10)`, or the plain number."""
    return _level(difficulty.name, difficulty.threshold)


@lru_cache(maxsize=512)
def _level(name: str | None, threshold: int) -> Line:
    if name is None:
        return Line("ebb-number", {"value": threshold})
    return Line("ebb-level", {"name": name, "value": threshold})


def shift_lines(adjustments: Adjustments) -> tuple[Line, ...]:
    """Every adjustment that is in force (EBB-PROPOSAL)."""
    found: list[Line] = []
    if adjustments.dilemmas:
        found.append(Line("ebb-shift-dilemma", {"levels": -adjustments.dilemmas}))
    if adjustments.flaw:
        found.append(Line("ebb-shift-flaw", {"levels": adjustments.flaw}))
    if adjustments.equipment < 0:
        found.append(Line("ebb-shift-superior", {"levels": adjustments.equipment}))
    elif adjustments.equipment:
        found.append(Line("ebb-shift-missing-tools", {"levels": adjustments.equipment}))
    if adjustments.drawback:
        found.append(Line("ebb-shift-drawback", {"levels": 1}))
    if adjustments.injured:
        found.append(Line("ebb-shift-injured", {"levels": 1}))
    if adjustments.bonus:
        found.append(Line("ebb-shift-bonus", {"points": adjustments.bonus}))
    return tuple(found)


@lru_cache(maxsize=32)
def verdict_line(verdict: Verdict, degrees: bool) -> Line:
    """The verdict, with or without how badly it failed."""
    if verdict in ("near_miss", "failure") and not degrees:
        return Line("ebb-failure-bare")
    return Line(f"ebb-{verdict.replace('_', '-')}")


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
