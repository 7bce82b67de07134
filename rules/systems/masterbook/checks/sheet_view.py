"""Characters: the sheet told to its player and GMs, made step by step, or ready-made.

MB-CHAR-01, MB-CHAR-02, MB-CHAR-08, MB-CHAR-19, MB-CHAR-20, MB-DMG-08.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any, Final

from rules.core import data_rows
from rules.core.json_reader import Reader
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.sheet import (
    ATTRIBUTES,
    BODY,
    SPIRIT,
    MasterbookSheet,
    attribute,
    weapon_of,
)
from rules.systems.masterbook.character.sheet_io import CHARACTER, read_sheet, sheet_from_values
from rules.systems.masterbook.checks.action_economy import FURTHER, has_done_all, turn_over
from rules.systems.masterbook.checks.roll_sources import RollSource, learned_sources
from rules.systems.masterbook.formulas import attributes, damage, equipment, skills
from rules.table.blocks import Block, Fact, Group, Text, Viewers
from rules.table.forms import FormContext, Option, Values, plain_options
from rules.table.marks import marks_of
from rules.table.people.common_fields import field_blocks
from rules.table.state import Character
from rules.table.system import Game, Page

MasterbookCharacter = Character[MasterbookSheet]
#: The rest of the sheet.
REST: Final = (
    (Text("sheet-things"), CHARACTER.part("equipment")),
    (Text("mb-sheet-label", {"what": "traits"}), CHARACTER.part("advantages", "compensations")),
    (Text("sheet-story"), CHARACTER.part("sketch", "weight", "height")),
)
_POINTS: Final = ("life_points", "skill_points")
#: By which nobody can do anything.
OUT: Final = ("mb-is-out",)


def toughness_of(sheet: MasterbookSheet) -> int:
    """Toughness without armor (MB-CHAR-04)."""
    return (
        sheet.toughness
        if sheet.toughness is not None
        else attributes.toughness(sheet.strength, sheet.endurance)
    )


def rates_of(sheet: MasterbookSheet) -> Mapping[str, int]:
    """The movement rates that count (MB-CHAR-05)."""
    return attributes.rates(sheet.agility, sheet.strength, sheet.limit_up)


def toughness_in_armor(sheet: MasterbookSheet) -> int:
    """Toughness with everything that is worn (MB-EQ-30)."""
    return equipment.armored_toughness(toughness_of(sheet), sheet.armour)


def capacity_of(sheet: MasterbookSheet, capped: bool = False) -> int:
    """How much shock it takes to knock somebody out (MB-CHAR-06)."""
    adds = next((each.adds for each in sheet.skills if each.name == "Resist Shock"), 0)
    return attributes.shock_capacity(sheet.endurance, adds, capped)


def describe_character(game: Game, character: MasterbookCharacter) -> tuple[Block, ...]:
    """What one plays with: points first, then Attributes with the skills that go with them,
    defenses, weapons.
    """
    sheet, seen = character.sheet, (character.id,)
    surplus = {"life_points": sheet.surplus or None}
    points = [
        Text(
            "mb-sheet-points",
            {"what": key, "points": getattr(sheet, key), "surplus": surplus.get(key)},
        )
        for key in _POINTS
    ]
    rows: list[tuple[Text, ...]] = []
    for key in ATTRIBUTES:
        mine = tuple(
            _skill_text(sheet, each) for each in learned_sources(sheet) if each.attribute == key
        )
        label = Text("mb-rated", {"name": key.capitalize(), "value": attribute(sheet, key)})
        rows.append((label, Text("sheet-items", {"items": mine})) if mine else (label,))
    plain, worn = toughness_of(sheet), toughness_in_armor(sheet)
    tough = Text("mb-toughness", {"plain": plain, "armored": worn if worn != plain else None})
    return (
        Group(None, tuple([(each,) for each in points]), seen),
        Group(None, tuple(rows), seen),
        Fact(Text("mb-sheet-label", {"what": "toughness"}), tough, seen),
        Fact(Text("mb-sheet-label", {"what": "rates"}), Text("mb-rates", rates_of(sheet)), seen),
        *_weapon_blocks(game, sheet, seen),
        *field_blocks(CHARACTER.part("armour"), sheet, seen),
    )


def _skill_text(sheet: MasterbookSheet, means: RollSource) -> Text:
    """Return a skill with its value, and the adds in it: `Climbing 10 (+1)`."""
    about = {"name": means.name, "value": means.value(sheet), "adds": means.adds}
    return Text("mb-sheet-skill", {**about, "special": means.special_adds or None})


def _weapon_blocks(game: Game, sheet: MasterbookSheet, seen: Viewers) -> list[Block]:
    """Return a character's weapons with their damage and rounds (MB-DMG-01)."""
    rows: list[tuple[Text]] = []
    for held in sheet.arms:
        weapon = weapon_of(held, game.campaign)
        strong = weapon.dv is None
        about = {
            "name": held.name,
            "damage": equipment.damage_value(weapon, sheet.strength),
            "add": weapon.add if strong else None,
            "maximum": weapon.maximum if strong else None,
            "rounds": held.rounds,
            "magazine": held.magazine,
            "away": not held.drawn,
        }
        rows.append((Text("mb-sheet-weapon", about),))
    title = CHARACTER.by_key["arms"].title
    return [Group(title, tuple(rows), seen)] if rows else []


def health(game: Game, character: MasterbookCharacter, full: bool) -> tuple[Text, ...]:
    """One line for everybody; in `full` also wounds, shock and what they do."""
    sheet = character.sheet
    now = sheet.harm
    hurt = "badly-hurt" if now.wounds > 2 else "hurt" if now.wounds or now.shock else "unhurt"
    lines = [Text("mb-is-out", {"dead": now.dead}) if now.out else Text(hurt)]
    if full:
        most = capacity_of(sheet, game.setting("resist_shock_add_cap"))
        lines.append(Text("mb-shock", {"shock": now.shock, "capacity": most}))
    if full and now.wounds:
        shown = {"wounds": now.wounds, "level": damage.wound_level_name(now.wounds)}
        hampered = {"physical": damage.penalty(now, True), "other": damage.penalty(now, False)}
        lines.append(Text("mb-wounds", shown | hampered))
    if full and has_done_all(game, character.id) and not turn_over(game, character.id):
        again = bool(marks_of(game.state, character.id, FURTHER))
        lines.append(Text("mb-no-action-now", {"again": again}))
    return tuple(lines)


# --- made step by step ----------------------------------------------------------------------------

#: How many skills are told in words.
_SHOWN: Final = 12
#: What play brings.
_OF_PLAY: Final = (
    "harm",
    "lifted",
    "drowning",
    "rounds_run",
    "grown",
    "taught",
    "life_points",
    "surplus",
)


def read(game: Game, data: Mapping[str, object], new: bool) -> tuple[str, MasterbookSheet]:
    """A character's name and sheet; a new one unhurt and with full Life Points. Raises as
    `read_sheet`.
    """
    name, sheet = read_sheet(data, game.campaign)
    if not new:
        return name, sheet
    fresh = MasterbookSheet()
    return name, sheet.replace(**{key: getattr(fresh, key) for key in _OF_PLAY})


def _sheet(game: Game, draft: Values) -> MasterbookSheet:
    """What can be read of a draft."""
    known = {
        key: value for key, value in draft.items() if value is not None and key in CHARACTER.keys
    }
    return sheet_from_values(CHARACTER.read_into(Reader(), known, FormContext(game), ""))


def _words(items: Iterable[tuple[str, skills.ValueName | None]]) -> tuple[Text, ...]:
    """What things are called, behind the names of all that are called the same."""
    named: dict[str, tuple[str, ...]] = {}
    for name, word in items:
        if word is not None:
            named[word.words] = (*named.get(word.words, ()), name)
    return tuple(
        [Text("mb-creation-word", {"names": each, "word": word}) for word, each in named.items()]
    )


def _derived(game: Game, draft: Values) -> tuple[Text, ...]:
    sheet = _sheet(game, draft)
    found = {each.capitalize(): attribute(sheet, each) for each in ATTRIBUTES}
    words = _words((name, skills.quality(value)) for name, value in found.items())
    numbers = {"toughness": toughness_of(sheet), "capacity": capacity_of(sheet), **rates_of(sheet)}
    return (
        Text("mb-creation-attributes", {"total": sum(found.values())}),
        Text("mb-creation-words", {"items": words}),
        Text("mb-creation-derived", numbers),
    )


def _points(game: Game, draft: Values) -> tuple[Text, ...]:
    sheet = _sheet(game, draft)
    # A skill that no table lists, without an Attribute of its own, is a misspelling.
    listed = [each for each in sheet.skills if each.name in skills.SKILLS or each.attribute]
    spent = sum([each.adds for each in listed])
    special = sum([adds for each in listed for _, adds in each.specializations])
    start = attributes.starting_skill_points(sheet.intellect, sheet.mind)
    known = _words((each.title, skills.knowledge(each.adds)) for each in listed[:_SHOWN])
    unlisted = [
        each for each in listed if each.specializations and not skills.specialized(each.name)
    ]
    # What one may begin with, by the grade of the advantage (MB-EQ-51).
    grades = [
        each.split()[-1] for each in sheet.advantages if each.casefold().startswith("equipment ")
    ]
    code = equipment.reachable(
        game.setting("base_availability_code"), grades[0].upper() if grades else ""
    )
    return (
        Text("mb-creation-skills", {"start": start, "adds": spent, "special": special}),
        *([Text("mb-creation-words", {"items": known})] if known else ()),
        *[Text("mb-creation-unlisted", {"name": each.name}) for each in unlisted],
        Text("mb-creation-equipment", {"anything": code is None, "code": code}),
    )


_SKILLS: Final = CHARACTER.part("skills", "advantages", "compensations")
PAGES: Final = (
    Page("who", Text("step-who"), CHARACTER.part("name", "height", "weight", "portrait", "sketch")),
    Page("body", Text("mb-step", {"what": "body"}), CHARACTER.part(*BODY), follows=_derived),
    Page("spirit", Text("mb-step", {"what": "spirit"}), CHARACTER.part(*SPIRIT), follows=_derived),
    Page("skills", Text("mb-step", {"what": "skills"}), _SKILLS, follows=_points),
    Page("things", Text("step-things"), CHARACTER.part("armour", "arms", "equipment", "notes")),
)


# --- ready ones -----------------------------------------------------------------------------------

_PEOPLE: Final = data_rows.from_json(
    Mapping[str, tuple[dict[str, Any], ...]],
    data_rows.json_loader("rules.systems.masterbook", "people")(),
)


def ready_characters(game: Game) -> tuple[dict[str, object], ...]:
    """Characters to choose from, as a file has them."""
    return copy.deepcopy(_PEOPLE["ready"])


def npc_choices(game: Game) -> tuple[Option, ...]:
    """Whom an NPC may be made like."""
    return plain_options([each["name"] for each in _PEOPLE["npcs"]])


def npc_template(game: Game, text: str) -> dict[str, Any] | None:
    """A sheet as a file has it, of who is named so; None where it is nobody of these."""
    found = [each for each in _PEOPLE["npcs"] if name_key(each["name"]) == name_key(text)]
    return copy.deepcopy(found[0]) if found else None
