"""Making a character from typed texts, and the ready ones to choose from (BAR-TRAIT, BAR-ARMOR, BAR-TRAUMA)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from rules.core.errors import InvalidInput
from rules.systems.barmore.campaign import DEFAULT, Campaign
from rules.systems.barmore.sheet import LONGEST_NAME, LONGEST_TEXT, BarSheet, Scores, write_sheet
from rules.systems.barmore.wounds import Armour, Weapon
from rules.table.events import Line
from rules.table.state import Character
from rules.table.system import Creation, CreationStep, TextField

_LONG: Final = 4000

STEPS: Final = (
    CreationStep(
        "who",
        Line("bar-step-who"),
        (
            TextField("name", Line("bar-field-name"), most=LONGEST_NAME),
            TextField("concept", Line("bar-field-concept"), Line("bar-hint-concept"), most=200, free=True),
            TextField("description", Line("bar-field-description"), long=True, most=LONGEST_TEXT, free=True),
            TextField("portrait", Line("bar-field-portrait"), Line("bar-hint-portrait"), most=500, free=True),
        ),
    ),
    CreationStep(
        "attributes",
        Line("bar-step-attributes"),
        (
            TextField(
                "attributes", Line("bar-field-attributes"), Line("bar-hint-scores"), long=True, most=_LONG
            ),
        ),
    ),
    CreationStep(
        "abilities",
        Line("bar-step-abilities"),
        (
            TextField(
                "abilities", Line("bar-field-abilities"), Line("bar-hint-scores"), long=True, most=_LONG
            ),
        ),
    ),
    CreationStep(
        "things",
        Line("bar-step-things"),
        (
            TextField("weapons", Line("bar-field-weapons"), Line("bar-hint-weapons"), long=True, most=_LONG),
            TextField("armour", Line("bar-field-armour"), Line("bar-hint-armour"), long=True, most=_LONG),
            TextField(
                "equipment",
                Line("bar-field-equipment"),
                Line("bar-hint-list"),
                long=True,
                most=_LONG,
                free=True,
            ),
            TextField(
                "notes", Line("bar-field-notes"), Line("bar-hint-notes"), long=True, most=2000, free=True
            ),
        ),
    ),
)

_TEXTS: Final = ("name", "concept", "description", "portrait", "notes")
_SCORE: Final = re.compile(r"^(?P<name>.*?)[\s:,=]+(?P<score>[+-]?\d{1,4})$")
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


def entries(text: str) -> list[str]:
    """The lines of a list that are not empty, without the dashes that people put in front."""
    lines = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
    return [line for line in lines if line.strip("-")]


def _plain(text: str) -> str:
    return text.replace("\u2212", "-").replace("\u2013", "-")


def read_score(line: str) -> tuple[str, int] | None:
    """`Climbing 3`, `Climbing: -1`: a trait and its score; None for what cannot be read."""
    found = _SCORE.match(_plain(line).strip())
    if found is None or not found["name"].strip():
        return None
    return found["name"].strip(), int(found["score"])


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


def read_creation(
    values: Mapping[str, str], campaign: Campaign, character: Character[BarSheet] | None = None
) -> Creation:
    """The object to import that these texts make, with what cannot be read in single lines.

    What they leave open is as on the sheet of `character`, or empty.
    """
    data: dict[str, object] = {"name": ""}
    if character is not None:
        data = write_sheet(character.name, character.sheet)
    problems: list[InvalidInput] = []
    lines: list[Line] = []
    for key in _TEXTS:
        if key in values:
            data[key] = values[key].strip()
    for key in ("attributes", "abilities"):
        if key not in values:
            continue
        scores: dict[str, int] = {}
        for index, line in enumerate(entries(values[key])):
            found = read_score(line)
            if found is None:
                problems.append(
                    InvalidInput(
                        "unreadable-score", field=f"{key}[{index}]", value=line[:100], fix="write-score"
                    )
                )
            elif found[0] in scores:
                problems.append(
                    InvalidInput(
                        "duplicate-trait",
                        field=f"{key}[{index}]",
                        value=found[0][:100],
                        fix="rename-or-remove",
                        first=key,
                    )
                )
            else:
                scores[found[0]] = found[1]
        data[key] = scores
        lines.append(Line(f"bar-creation-{key}", {"count": len(scores), "sum": sum(scores.values())}))
    if "weapons" in values:
        data["weapons"] = [read_weapon(line) for line in entries(values["weapons"])]
    if "armour" in values:
        data["armour"] = [read_armour(line) for line in entries(values["armour"])]
    if "equipment" in values:
        data["equipment"] = entries(values["equipment"])
    return Creation(data, tuple(problems), tuple(lines))


def _scores(scores: Scores) -> str:
    return "\n".join(f"{name} {score}" for name, score in scores)


def _weapon(weapon: Weapon) -> str:
    parts = [weapon.name, f"{weapon.modifier:+}", "lethal" if weapon.lethal else "non-lethal"]
    if weapon.mental:
        parts.append("mental")
    if weapon.powered == weapon.mental:
        parts.append("powered" if weapon.powered else "unpowered")
    return ", ".join([*parts, *([weapon.kind] if weapon.kind else [])])


def _armour(piece: Armour) -> str:
    parts = [piece.name, str(piece.rating)]
    if piece.mental:
        parts.append("mental")
    if piece.covers:
        parts.append(f"against {' / '.join(piece.covers)}")
    if piece.converts:
        parts.append(f"softens {' / '.join(piece.converts)}")
    return ", ".join(parts)


def write_creation(character: Character[BarSheet]) -> dict[str, str]:
    """The texts that would make this sheet; an entry of a list is one line."""
    sheet = character.sheet
    return {
        "name": character.name,
        "concept": sheet.concept,
        "description": sheet.description,
        "attributes": _scores(sheet.attributes),
        "abilities": _scores(sheet.abilities),
        "weapons": "\n".join(_weapon(each).replace("\n", " ") for each in sheet.weapons),
        "armour": "\n".join(_armour(each).replace("\n", " ") for each in sheet.armour),
        "equipment": "\n".join(" ".join(item.split()) for item in sheet.equipment),
    }


@cache
def _roster_text() -> str:
    return files("rules.systems.barmore").joinpath("data/roster.json").read_text(encoding="utf-8")


def roster(campaign: Campaign) -> tuple[dict[str, object], ...]:
    """The ready characters, made for the trees that ship: none for a campaign with trees of its own."""
    if campaign.traits != DEFAULT.traits:
        return ()
    return tuple(json.loads(_roster_text()))
