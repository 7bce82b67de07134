"""Characters in codes: the sheet for its player and GMs, and how somebody is (MB-CHAR-01, MB-CHAR-19, MB-DMG-08)."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook import arms, body, harm
from rules.systems.masterbook.means import known
from rules.systems.masterbook.sheet import ATTRIBUTES, CHARACTER, MasterbookSheet, attribute
from rules.table.blocks import Block, Fact, Group, Text
from rules.table.events import Line
from rules.table.people.fields import told_fields, told_pages
from rules.table.state import Character
from rules.table.system import Game, SheetPage

MasterbookCharacter = Character[MasterbookSheet]
_PAGES: Final = (
    (Text("sheet-things"), CHARACTER.part("equipment")),
    (Text("mb-sheet-traits"), CHARACTER.part("advantages", "compensations")),
    (Text("sheet-story"), CHARACTER.part("sketch", "weight", "height")),
)
_POINTS: Final = ("life_points", "skill_points")
#: By which nobody can do anything.
OUT: Final = ("mb-is-out",)


def toughness_of(sheet: MasterbookSheet) -> int:
    """Toughness without armour (MB-CHAR-04)."""
    return sheet.toughness if sheet.toughness is not None else body.toughness(sheet.strength, sheet.endurance)


def armoured(sheet: MasterbookSheet) -> int:
    """Toughness with everything that is worn (MB-EQ-30)."""
    return arms.armoured(toughness_of(sheet), sheet.armour)


def capacity_of(sheet: MasterbookSheet, capped: bool = False) -> int:
    """How much shock it takes to knock somebody out (MB-CHAR-06)."""
    adds = next((each.adds for each in sheet.skills if each.name == "Resist Shock"), 0)
    return body.capacity(sheet.endurance, adds, capped)


def describe_character(game: Game, character: MasterbookCharacter) -> tuple[Block, ...]:
    """What one plays with: points first, then Attributes with the skills that go with them, defences, weapons."""
    sheet, seen = character.sheet, (character.id,)
    points = tuple(
        [(Text("mb-sheet-points", {"what": key, "points": getattr(sheet, key)}),) for key in _POINTS]
    )
    rows: list[tuple[Text, ...]] = []
    for key in ATTRIBUTES:
        mine = tuple(
            [
                Text(
                    "mb-sheet-skill",
                    {"name": each.name, "value": attribute(sheet, key) + each.all_adds},
                )
                for each in known(sheet)
                if each.attribute == key
            ]
        )
        label = Text("mb-sheet-attribute", {"name": key.capitalize(), "value": attribute(sheet, key)})
        rows.append((label, Text("sheet-items", {"items": mine})) if mine else (label,))
    rates = body.rates(sheet.agility, sheet.strength, sheet.limit_up)
    plain, worn = toughness_of(sheet), armoured(sheet)
    return (
        Group(None, points, seen),
        Group(None, tuple(rows), seen),
        Fact(
            Text("mb-sheet-toughness"),
            Text("mb-toughness", {"plain": plain, "armoured": worn if worn != plain else None}),
            seen,
        ),
        Fact(Text("mb-sheet-rates"), Text("mb-rates", rates), seen),
        *told_fields(CHARACTER.part("arms", "armour"), sheet, seen),
    )


def character_pages(character: MasterbookCharacter) -> tuple[SheetPage, ...]:
    """The rest of the sheet."""
    return told_pages(_PAGES, character.sheet, (character.id,))


def health(game: Game, character: MasterbookCharacter, full: bool) -> tuple[Line, ...]:
    """One line for everybody; in `full` also wounds, shock and what they do."""
    sheet = character.sheet
    now = sheet.harm
    if now.out:
        lines = [Line("mb-is-out", {"dead": now.dead})]
    else:
        hurt = "badly-hurt" if now.wounds > 2 else "hurt" if now.wounds or now.shock else "unhurt"
        lines = [Line(hurt)]
    if not full:
        return tuple(lines)
    most = capacity_of(sheet, game.setting("resist_shock_add_cap"))
    lines.append(Line("mb-shock", {"shock": now.shock, "capacity": most}))
    if now.wounds:
        shown = {"wounds": now.wounds, "level": harm.level(now.wounds)}
        hampered = {"physical": harm.penalty(now, True), "other": harm.penalty(now, False)}
        lines.append(Line("mb-wounds", shown | hampered))
    return tuple(lines)
