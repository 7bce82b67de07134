"""Making a character from typed texts, and the ready ones to choose from (EBB-CHAR, EBB-DRAWBACK, EBB-TIER)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files

from rules.core.errors import InvalidInput, NotFound
from rules.systems.ebb.sheet import (
    LONGEST_NAME,
    Ability,
    EbbSheet,
    base_attributes,
    find_attribute,
    write_sheet,
)
from rules.systems.ebb.tables import ATTRIBUTES, DIE_SIDES, STARTING_DIE
from rules.table.events import Line
from rules.table.state import Character
from rules.table.system import Creation, CreationStep, TextField

#: Longest text of one dialogue's field, in characters.
_LONG = 4000
_TEXT = 2000
_SHORT = 200
_LIST = Line("ebb-hint-list")

STEPS = (
    CreationStep(
        "who",
        Line("ebb-step-who"),
        (
            TextField("name", Line("ebb-field-name"), most=LONGEST_NAME),
            TextField("age", Line("ebb-field-age"), Line("ebb-hint-age"), most=3),
            TextField("country", Line("ebb-field-country"), most=_SHORT),
            TextField("sex", Line("ebb-field-sex"), most=_SHORT),
            TextField("role", Line("ebb-field-role"), Line("ebb-hint-role"), most=_SHORT),
        ),
    ),
    CreationStep(
        "story",
        Line("ebb-step-story"),
        (
            TextField("tag", Line("ebb-field-tag"), Line("ebb-hint-tag"), most=_SHORT, free=True),
            TextField("group", Line("ebb-field-group"), Line("ebb-hint-group"), most=_SHORT, free=True),
            TextField("renown", Line("ebb-field-renown"), Line("ebb-hint-renown"), most=_SHORT, free=True),
            TextField("description", Line("ebb-field-description"), long=True, most=_TEXT, free=True),
            TextField("portrait", Line("ebb-field-portrait"), Line("ebb-hint-portrait"), most=500, free=True),
        ),
    ),
    CreationStep(
        "abilities",
        Line("ebb-step-abilities"),
        (
            TextField(
                "abilities", Line("ebb-field-abilities"), Line("ebb-hint-abilities"), long=True, most=_LONG
            ),
        ),
    ),
    CreationStep(
        "drawbacks",
        Line("ebb-step-drawbacks"),
        (
            TextField(
                "drawbacks", Line("ebb-field-drawbacks"), Line("ebb-hint-drawbacks"), long=True, most=_LONG
            ),
        ),
    ),
    CreationStep(
        "things",
        Line("ebb-step-things"),
        (
            TextField("equipment", Line("ebb-field-equipment"), _LIST, long=True, most=_LONG, free=True),
            TextField("assets", Line("ebb-field-assets"), _LIST, long=True, most=_LONG, free=True),
            TextField("scarring", Line("ebb-field-scarring"), _LIST, long=True, most=_LONG),
            TextField(
                "notes", Line("ebb-field-notes"), Line("ebb-hint-notes"), long=True, most=_TEXT, free=True
            ),
        ),
    ),
)

_TEXTS = ("name", "country", "sex", "role", "tag", "group", "renown", "description", "portrait", "notes")
_LISTS = ("drawbacks", "equipment", "assets", "scarring")
_DIE = re.compile(r"d?(\d{1,3})", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*[,;|\t]\s*")


def entries(text: str) -> list[str]:
    """The lines of a list that are not empty, without the dashes that people put in front."""
    lines = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
    return [line for line in lines if line]


def read_ability(line: str) -> dict[str, str] | None:
    """`Climbing, Fitness, d8` as an ability; the die may be left out and is d6 then (EBB-CHAR).

    Commas, semicolons or tabs may stand between the three, or only spaces. None for what cannot be read.
    """
    parts = [part for part in _SEPARATOR.split(line) if part]
    if len(parts) == 1:
        parts = line.split()
        if len(parts) > 2 and _DIE.fullmatch(parts[-1]):
            parts = [" ".join(parts[:-2]), *parts[-2:]]
        elif len(parts) > 1:
            parts = [" ".join(parts[:-1]), parts[-1]]
    die = f"d{STARTING_DIE}"
    for place in (-1, -2):
        if len(parts) > 1 and -place <= len(parts) and (found := _DIE.fullmatch(parts[place])):
            die = f"d{found[1]}"
            del parts[place]
            break
    if len(parts) < 2:
        return None
    *name, group = parts
    with suppress(NotFound):  # the reader of sheets says so, with what it might have been
        group = find_attribute(group)
    return {"name": ", ".join(name), "group": group, "die": die}


def read_creation(values: Mapping[str, str], character: Character[EbbSheet] | None = None) -> Creation:
    """The object to import that these texts make, with what cannot be read in single lines (EBB-CHAR).

    What they leave open is as on the sheet of `character`, or empty.
    """
    data: dict[str, object] = {"name": "", "abilities": [], "drawbacks": []}
    if character is not None:
        data = write_sheet(character.name, character.sheet)
        del data["attributes"]  # they follow from the abilities
    problems: list[InvalidInput] = []
    lines: tuple[Line, ...] = ()
    for key in _TEXTS:
        if key in values:
            data[key] = values[key].strip()
    age = values.get("age", "").strip()
    if "age" in values:
        data["age"] = int(age) if age.isascii() and age.isdigit() and len(age) < 10 else None
        if age and data["age"] is None:
            problems.append(
                InvalidInput(
                    "not-a-number",
                    field="age",
                    value=age[:100],
                    fix="years-or-nothing",
                )
            )
    for key in _LISTS:
        if key in values:
            data[key] = entries(values[key])
    if "abilities" in values:
        abilities: list[dict[str, str]] = []
        for index, line in enumerate(entries(values["abilities"])):
            ability = read_ability(line)
            if ability is None:
                field, shown = f"abilities[{index}]", line[:100]
                problems.append(
                    InvalidInput("unreadable-ability", field=field, value=shown, fix="write-ability")
                )
                # Its place is kept, so that the lines after it are counted right.
                ability = {"name": line, "group": ATTRIBUTES[0], "die": f"d{STARTING_DIE}"}
            abilities.append(ability)
        data["abilities"] = abilities
        lines = _told(abilities)
    return Creation(data, tuple(problems), lines)


def _told(abilities: list[dict[str, str]]) -> tuple[Line, ...]:
    """What the abilities make of the attributes, and how they are spread over the dice."""
    sheet = EbbSheet(
        abilities=tuple(Ability(each["name"], each["group"], int(each["die"][1:])) for each in abilities)
    )
    dice = [ability.sides for ability in sheet.abilities]
    spread = tuple(f"{dice.count(sides)} at d{sides}" for sides in DIE_SIDES if sides in dice)
    values = tuple(f"{name} {value}" for name, value in base_attributes(sheet).items())
    return (
        Line("ebb-creation-attributes", {"values": values}),
        Line("ebb-creation-abilities", {"count": len(dice), "spread": spread}),
    )


def write_creation(character: Character[EbbSheet]) -> dict[str, str]:
    """The texts that would make this sheet; an entry of a list is one line."""
    sheet = character.sheet

    def joined(items: tuple[str, ...]) -> str:
        return "\n".join(" ".join(item.split()) for item in items)

    return {
        "name": character.name,
        "age": "" if sheet.age is None else str(sheet.age),
        "country": sheet.country,
        "sex": sheet.sex,
        "role": sheet.role,
        "tag": sheet.tag,
        "group": sheet.group,
        "renown": sheet.renown,
        "description": sheet.description,
        "abilities": joined(
            tuple(f"{ability.name}, {ability.group}, d{ability.sides}" for ability in sheet.abilities)
        ),
        "drawbacks": joined(sheet.drawbacks),
        "equipment": joined(sheet.equipment),
        "assets": joined(sheet.assets),
        "scarring": joined(sheet.scarring),
    }


@cache
def _roster_text() -> str:
    return files("rules.systems.ebb").joinpath("data/roster.json").read_text(encoding="utf-8")


def roster() -> tuple[dict[str, object], ...]:
    """The ready characters, each valid for a newcomer (EBB-CHAR). Made anew each time: nobody shares them."""
    return tuple(json.loads(_roster_text()))
