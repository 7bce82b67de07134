"""Skills, weapons, armor and conditions of a sheet as typed lines."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from rules.core.equipment_lines import ROUNDS, carried_line, read_carried
from rules.core.errors import InvalidInput
from rules.core.json_reader import violation
from rules.core.name_matching import name_key, similar_or_first
from rules.core.record import field_defaults
from rules.systems.masterbook.character.sheet import skill_title
from rules.systems.masterbook.character.skill_names import split_list
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.equipment import ARMOR
from rules.systems.masterbook.formulas.movement import Drowning
from rules.table.check import Values
from rules.table.forms.entry_fields import read_score
from rules.table.forms.fields import list_lines

_SKILL_LINE: Final = re.compile(
    r"^(?P<name>[^:(;]+?)(?:\s*:\s*(?P<focus>[^(;]+?))?\s*(?:(?<=[\s:])(?P<adds>\d{1,3}))?\s*"
    r"(?:\((?P<special>[^)]*)\))?\s*(?:;\s*(?P<attribute>.+))?$"
)
_DROWNING: Final = re.compile(r"-?\d{1,3}( -?\d{1,3}){1,2}")
_LAYER: Final = re.compile(
    r"^(?P<name>.+?)\s*\+(?P<add>\d{1,2})(?:\s*(?:/|up to)\s*(?P<maximum>\d{1,3}))?$"
)
#: Words of a weapon's line besides its name: field and type, or the value that the word stands for.
_ARM_WORDS: Final = {
    "dv": ("dv", int),
    "add": ("add", int),
    "max": ("maximum", int),
    "skill": ("skill", str),
    "kind": ("kind", str),
    ROUNDS: ("magazine", None),
    "sheathed": ("drawn", False),
}


# --- skills ---------------------------------------------------------------------------------------


def read_skill(line: str) -> dict[str, Any]:
    """Return the row of a skill's line.

    `Dodge 2`, `Martial Arts: judo 1`, `Fire Combat 2 (pistols 1, rifles 2)`, or with an Attribute
    `Basketry 1; dexterity`. Raises InvalidInput("mb-unreadable").
    """
    match = _SKILL_LINE.match(line.strip())
    special: list[str] = []
    if match is not None and match["special"]:
        special = match["special"].split(",")
    pairs = [read_score(part) for part in special]
    if match is None or None in pairs:
        raise InvalidInput("mb-unreadable", field="skills", value=line[:100], fix="mb-write-skill")
    row: dict[str, Any] = {"name": match["name"].strip(), "adds": int(match["adds"] or 0)}
    optional = {
        "focus": (match["focus"] or "").strip(),
        "specializations": dict(filter(None, pairs)),
        "attribute": (match["attribute"] or "").strip().casefold(),
    }
    return row | {key: value for key, value in optional.items() if value}


def split_skills(text: str) -> list[str]:
    """Split a text into skills, at line ends and at commas outside parentheses."""
    skills: list[str] = []
    for line in list_lines(text):
        skills += split_list(line)
    return skills


def skill_line(row: Values) -> str:
    """Return the line that `read_skill` reads to the same row."""
    line = f"{skill_title(row['name'], row.get('focus', ''))} {row.get('adds', 0)}"
    special: dict[str, int] = dict(row.get("specializations") or {})
    if special:
        line += f" ({', '.join(f'{name} {adds}' for name, adds in special.items())})"
    if row.get("attribute"):
        line += f"; {row['attribute']}"
    return line


# --- weapons and armor ----------------------------------------------------------------------------


def read_arm(line: str) -> dict[str, Any]:
    """Return the row of a weapon's line.

    `Uzi SMG (9mm)`, `Axe; add 5; max 18; sheathed`, or with all numbers of its own
    `Old gun; dv 15; skill Fire Combat; kind Pistol; 4/6`. Raises as `read_carried`.
    """
    return read_carried(line, _ARM_WORDS, fix="mb-write-arm")


def arm_line(row: Values) -> str:
    """Return the line that `read_arm` reads to the same row."""
    return carried_line(row, _ARM_WORDS)


def read_layer(line: str) -> dict[str, Any]:
    """Return the row of an armor's line: `Leather armor; chest, arm`, `Plate +10/25`.

    The armor is one of the tables, or has what it adds, up to its maximum. The parts of the body
    that it covers come last. Raises InvalidInput("not-in-tables").
    """
    name, _, parts = line.partition(";")
    optional: dict[str, Any] = {}
    covers = [part.strip().casefold() for part in parts.split(",") if part.strip()]
    if covers:
        optional["covers"] = covers
    match = _LAYER.match(name.strip())
    if match is not None:
        if match["maximum"]:
            optional["maximum"] = int(match["maximum"])
        own_name = match["name"].rstrip(",").strip()
        return {"name": own_name, "add": int(match["add"]), **optional}
    wanted = name_key(name)
    row = next((row for row in ARMOR.values() if name_key(row.name) == wanted), None)
    if row is None:
        near = similar_or_first(name, ARMOR)
        raise violation("not-in-tables", "armour", name[:100], "mb-write-layer", nearest=near)
    if row.maximum is not None:
        optional["maximum"] = row.maximum
    return {"name": row.name, "add": row.add, **optional}


def layer_line(row: Values) -> str:
    """Return the line that `read_layer` reads to the same row."""
    line = f"{row['name']} +{row['add']}"
    if row.get("maximum") is not None:
        line += f"/{row['maximum']}"
    if row.get("covers"):
        line += f"; {', '.join(row['covers'])}"
    return line


# --- conditions -----------------------------------------------------------------------------------


def harm_text(harm: Harm) -> str | None:
    """Return what differs from an unhurt character: `wounds 2, shock 3, k_until 5400`.

    None if nothing does.
    """
    parts: list[str] = []
    for name, default in field_defaults(Harm).items():
        value = getattr(harm, name)
        if value == default:
            continue
        if value is True:
            parts.append(name)
        elif isinstance(value, tuple):
            parts.append(f"{name} {'+'.join(cast('tuple[str, ...]', value))}")
        else:
            parts.append(f"{name} {value}")
    return ", ".join(parts) or None


def read_harm(text: str | None) -> Harm:
    """Return the harm that `harm_text` writes. Raises InvalidInput("mb-unreadable")."""
    defaults = field_defaults(Harm)
    values: dict[str, Any] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        key, _, value = part.strip().partition(" ")
        default = defaults.get(key)
        if default is False and not value:
            values[key] = True
        elif isinstance(default, tuple) and value:
            values[key] = tuple(value.split("+"))
        elif key in defaults and value.removeprefix("-").isdecimal() and len(value) < 16:
            values[key] = int(value)
        else:
            shown = part.strip()[:100]
            raise InvalidInput("mb-unreadable", field="harm", value=shown, fix="mb-write-harm")
    return Harm(**values)


def drowning_text(state: Drowning | None) -> str | None:
    """Return `12 3`: the difficulty that was missed, and the rounds since.

    After the character has passed out, the count follows. None if the character isn't drowning.
    """
    if state is None:
        return None
    numbers = [state.dn, state.rounds, state.count]
    return " ".join(str(number) for number in numbers if number is not None) or None


def read_drowning(text: str | None) -> Drowning | None:
    """Return the state that `drowning_text` writes. Raises InvalidInput("mb-unreadable")."""
    words = (text or "").split()
    if not words:
        return None
    if not _DROWNING.fullmatch(" ".join(words)):
        shown = (text or "")[:100]
        raise InvalidInput("mb-unreadable", field="drowning", value=shown, fix="mb-write-drowning")
    return Drowning(*[int(word) for word in words])
