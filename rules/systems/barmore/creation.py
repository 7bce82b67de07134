"""Making a character from typed texts, and the ready ones to choose from (BAR-TRAIT, BAR-ARMOR, BAR-TRAUMA)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from rules.systems.barmore.campaign import DEFAULT, Campaign
from rules.systems.barmore.sheet import (
    ARMOUR,
    HIGHEST_SCORE,
    LATEST,
    LONGEST_CONCEPT,
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_ENTRIES,
    WEAPON,
    WOUND,
)
from rules.table.events import Line
from rules.table.forms import Flag, Form, Lines, Number, Rows, Scores, Typed
from rules.table.people.sheets import NOTES_MAX, PORTRAIT_MAX
from rules.table.system import Page

_NUMBER: Final = re.compile(r"[+-]?\d{1,4}")
#: Words that say something of a weapon, and the field of the weapon with its value.
_SAID: Final[dict[str, tuple[str, bool]]] = {
    "powered": ("powered", True),
    "unpowered": ("powered", False),
    "not powered": ("powered", False),
    "lethal": ("lethal", True),
    "non-lethal": ("lethal", False),
    "nonlethal": ("lethal", False),
    "mental": ("mental", True),
}


def _plain(text: str) -> str:
    return text.replace("\u2212", "-").replace("\u2013", "-")


def read_weapon(line: str) -> dict[str, object]:
    """`Sword, +2, lethal, cutting`: its name, then in any order its modifier, what it is, and the type of damage."""
    name, *rest = [part.strip() for part in _plain(line).split(",")]
    found: dict[str, object] = {"name": name}
    for part in rest:
        said = _SAID.get(part.casefold())
        if _NUMBER.fullmatch(part):
            found["modifier"] = int(part)
        elif said is not None:
            found[said[0]] = said[1]
        elif part:
            found["kind"] = part
    return found


def read_armour(line: str) -> dict[str, object]:
    """`Mail, 3, against cutting / piercing, softens cutting`: its name, its rating, and what it is good against."""
    name, *rest = [part.strip() for part in _plain(line).split(",")]
    found: dict[str, object] = {"name": name}
    for part in rest:
        head, _, tail = part.partition(" ")
        kinds = [kind.strip() for kind in tail.split("/") if kind.strip()]
        if _NUMBER.fullmatch(part):
            found["rating"] = int(part)
        elif part.casefold() == "mental":
            found["mental"] = True
        elif head.casefold() == "against" and kinds:
            found["covers"] = kinds
        elif head.casefold() == "softens" and kinds:
            found["converts"] = kinds
        elif part:
            found["covers"] = [part]
    return found


def _weapon(weapon: Mapping[str, Any]) -> str:
    parts = [weapon["name"], f"{weapon['modifier']:+}", "lethal" if weapon["lethal"] else "non-lethal"]
    if weapon["mental"]:
        parts.append("mental")
    if weapon["powered"] == weapon["mental"]:
        parts.append("powered" if weapon["powered"] else "unpowered")
    return ", ".join([*parts, *([weapon["kind"]] if weapon["kind"] else [])])


def _armour(piece: Mapping[str, Any]) -> str:
    parts = [piece["name"], str(piece["rating"])]
    if piece["mental"]:
        parts.append("mental")
    if piece["covers"]:
        parts.append(f"against {' / '.join(piece['covers'])}")
    if piece["converts"]:
        parts.append(f"softens {' / '.join(piece['converts'])}")
    return ", ".join(parts)


def _follows(key: str) -> Callable[[Mapping[str, Any]], tuple[Line, ...]]:
    def lines(data: Mapping[str, Any]) -> tuple[Line, ...]:
        scores: Mapping[str, int] = data.get(key, {})
        counted = Line(f"bar-creation-{key}", {"count": len(scores), "sum": sum(scores.values())})
        return (counted,) if key in data else ()

    return lines


PAGES: Final = (
    Page(
        "who",
        Line("bar-step-who"),
        Form(
            (
                Typed("name", title=Line("bar-field-name"), most=LONGEST_NAME, needed=True),
                Typed(
                    "concept",
                    title=Line("bar-field-concept"),
                    help=Line("bar-hint-concept"),
                    most=LONGEST_CONCEPT,
                    free=True,
                    blank=True,
                ),
                Typed(
                    "description",
                    title=Line("bar-field-description"),
                    long=True,
                    most=LONGEST_TEXT,
                    free=True,
                    blank=True,
                ),
                Typed(
                    "portrait",
                    title=Line("bar-field-portrait"),
                    help=Line("bar-hint-portrait"),
                    most=PORTRAIT_MAX,
                    free=True,
                    blank=True,
                ),
            )
        ),
    ),
    Page(
        "attributes",
        Line("bar-step-attributes"),
        Form(
            (
                Scores(
                    "attributes",
                    title=Line("bar-field-attributes"),
                    help=Line("bar-hint-scores"),
                    low=-HIGHEST_SCORE,
                    high=HIGHEST_SCORE,
                ),
            )
        ),
        follows=_follows("attributes"),
    ),
    Page(
        "abilities",
        Line("bar-step-abilities"),
        Form(
            (
                Scores(
                    "abilities",
                    title=Line("bar-field-abilities"),
                    help=Line("bar-hint-scores"),
                    high=HIGHEST_SCORE,
                ),
            )
        ),
        follows=_follows("abilities"),
    ),
    Page(
        "things",
        Line("bar-step-things"),
        Form(
            (
                Rows(
                    "weapons",
                    WEAPON,
                    title=Line("bar-field-weapons"),
                    help=Line("bar-hint-weapons"),
                    most=MOST_ENTRIES,
                    line=read_weapon,
                    said=_weapon,
                ),
                Rows(
                    "armour",
                    ARMOUR,
                    title=Line("bar-field-armour"),
                    help=Line("bar-hint-armour"),
                    most=MOST_ENTRIES,
                    line=read_armour,
                    said=_armour,
                ),
                Lines(
                    "equipment",
                    title=Line("bar-field-equipment"),
                    help=Line("bar-hint-list"),
                    most=MOST_ENTRIES,
                    free=True,
                ),
                Typed(
                    "notes",
                    title=Line("bar-field-notes"),
                    help=Line("bar-hint-notes"),
                    long=True,
                    most=NOTES_MAX,
                    free=True,
                    blank=True,
                ),
            )
        ),
    ),
)


#: The whole of a character's file: what is typed, and what play brings.
CHARACTER: Final = Form(
    (
        *(field for page in PAGES for field in page.form.fields),
        Rows("wounds", WOUND, most=MOST_ENTRIES),
        Number("last_wound", high=LATEST),
        Flag("minor", null=True),
    )
)


@cache
def _roster_text() -> str:
    return files("rules.systems.barmore").joinpath("data/roster.json").read_text(encoding="utf-8")


def roster(campaign: Campaign) -> tuple[dict[str, object], ...]:
    """The ready characters, made for the trees that ship: none for a campaign with trees of its own."""
    if campaign.traits != DEFAULT.traits:
        return ()
    return tuple(json.loads(_roster_text()))
