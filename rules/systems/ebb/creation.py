"""Making a character from typed texts, and the ready ones to choose from (EBB-CHAR, EBB-DRAWBACK, EBB-TIER)."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Final

from rules.core.errors import InvalidInput, NotFound
from rules.systems.ebb.sheet import (
    ABILITY,
    HIGHEST_AGE,
    HIGHEST_FATE,
    HIGHEST_SACRIFICE,
    INJURY,
    LONGEST_ENTRY,
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_ABILITIES,
    MOST_ENTRIES,
    Ability,
    EbbSheet,
    base_attributes,
    find_attribute,
)
from rules.systems.ebb.tables import ATTRIBUTES, DIE_SIDES, STARTING_DIE
from rules.table.events import Line
from rules.table.forms import Form, Lines, Number, Rows, Scores, Typed
from rules.table.people.sheets import PORTRAIT_MAX
from rules.table.system import Page

_LIST = Line("ebb-hint-list")

_DIE = re.compile(r"d?(\d{1,3})", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*[,;|\t]\s*")


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


def _ability_line(line: str) -> dict[str, str]:
    """The same; InvalidInput("unreadable-ability")."""
    ability = read_ability(line)
    if ability is None:
        raise InvalidInput("unreadable-ability", field="abilities", value=line[:100], fix="write-ability")
    return ability


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


def _text(
    key: str,
    title: Line,
    help_: Line | None = None,
    *,
    most: int = LONGEST_TEXT,
    long: bool = False,
    free: bool = False,
) -> Typed:
    return Typed(key, title=title, help=help_, most=most, long=long, free=free, blank=True)


def _list(key: str, title: Line, help_: Line = _LIST, *, free: bool = False) -> Lines:
    return Lines(key, title=title, help=help_, free=free, longest=LONGEST_ENTRY)


PAGES: Final = (
    Page(
        "who",
        Line("ebb-step-who"),
        Form(
            (
                Typed("name", title=Line("ebb-field-name"), most=LONGEST_NAME, needed=True),
                Number(
                    "age",
                    title=Line("ebb-field-age"),
                    help=Line("ebb-hint-age"),
                    high=HIGHEST_AGE,
                    null=True,
                    fix="years-or-nothing",
                ),
                _text("country", Line("ebb-field-country")),
                _text("sex", Line("ebb-field-sex")),
                _text("role", Line("ebb-field-role"), Line("ebb-hint-role")),
            )
        ),
    ),
    Page(
        "story",
        Line("ebb-step-story"),
        Form(
            (
                _text("tag", Line("ebb-field-tag"), Line("ebb-hint-tag"), free=True),
                _text("group", Line("ebb-field-group"), Line("ebb-hint-group"), free=True),
                _text("renown", Line("ebb-field-renown"), Line("ebb-hint-renown"), free=True),
                _text("description", Line("ebb-field-description"), long=True, free=True),
                _text(
                    "portrait",
                    Line("ebb-field-portrait"),
                    Line("ebb-hint-portrait"),
                    most=PORTRAIT_MAX,
                    free=True,
                ),
            )
        ),
    ),
    Page(
        "abilities",
        Line("ebb-step-abilities"),
        Form(
            (
                Rows(
                    "abilities",
                    ABILITY,
                    title=Line("ebb-field-abilities"),
                    help=Line("ebb-hint-abilities"),
                    most=MOST_ABILITIES,
                    needed=True,
                    line=_ability_line,
                    said=lambda row: f"{row['name']}, {row['group']}, {row['die']}",
                    # Its place is kept, so that the lines after it are counted right.
                    instead=lambda line: {"name": line, "group": ATTRIBUTES[0], "die": f"d{STARTING_DIE}"},
                ),
            )
        ),
        follows=lambda data: _told(data["abilities"]) if "abilities" in data else (),
    ),
    Page(
        "drawbacks",
        Line("ebb-step-drawbacks"),
        Form(
            (
                Lines(
                    "drawbacks",
                    title=Line("ebb-field-drawbacks"),
                    help=Line("ebb-hint-drawbacks"),
                    most=MOST_ABILITIES,
                    longest=LONGEST_ENTRY,
                    needed=True,
                ),
            )
        ),
    ),
    Page(
        "things",
        Line("ebb-step-things"),
        Form(
            (
                _list("equipment", Line("ebb-field-equipment"), free=True),
                _list("assets", Line("ebb-field-assets"), free=True),
                _list("scarring", Line("ebb-field-scarring")),
                _text("notes", Line("ebb-field-notes"), Line("ebb-hint-notes"), long=True, free=True),
            )
        ),
    ),
)


#: The whole of a character's file: what is typed, and what play brings.
CHARACTER: Final = Form(
    (
        *(field for page in PAGES for field in page.form.fields),
        Number("fate", high=HIGHEST_FATE),
        Scores("attributes", high=HIGHEST_SACRIFICE, among=ATTRIBUTES),
        Rows("injuries", INJURY, most=MOST_ENTRIES),
        Scores("sacrificed", high=HIGHEST_SACRIFICE, among=ATTRIBUTES),
    )
)


@cache
def _roster_text() -> str:
    return files("rules.systems.ebb").joinpath("data/roster.json").read_text(encoding="utf-8")


def roster() -> tuple[dict[str, object], ...]:
    """The ready characters, each valid for a newcomer (EBB-CHAR). Made anew each time: nobody shares them."""
    return tuple(json.loads(_roster_text()))
