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
from rules.table import forms
from rules.table.forms import Values

_SKILL_LINE: Final = re.compile(
    r"^(?P<name>[^:(;]+?)(?:\s*:\s*(?P<focus>[^(;]+?))?\s*(?:(?<=[\s:])(?P<adds>\d{1,3}))?\s*"
    r"(?:\((?P<special>[^)]*)\))?\s*(?:;\s*(?P<attribute>.+))?$"
)
_DROWNING: Final = re.compile(r"-?\d{1,3}( -?\d{1,3}){1,2}")
_LAYER: Final = re.compile(
    r"^(?P<name>.+?)\s*\+(?P<add>\d{1,2})(?:\s*(?:/|up to)\s*(?P<maximum>\d{1,3}))?$"
)


def read_skill(line: str) -> dict[str, Any]:
    """`Dodge 2`, `Martial Arts: judo 1`, `Fire Combat 2 (pistols 1, rifles 2)`, `Basketry 1;
    dexterity`.
    """
    found = _SKILL_LINE.match(line.strip())
    special = found["special"].split(",") if found is not None and found["special"] else ()
    pairs = [forms.read_score(each) for each in special]
    if found is None or None in pairs:
        raise InvalidInput("mb-unreadable", field="skills", value=line[:100], fix="mb-write-skill")
    more = {
        "focus": (found["focus"] or "").strip(),
        "specializations": dict(filter(None, pairs)),
        "attribute": (found["attribute"] or "").strip().casefold(),
    }
    made = {"name": found["name"].strip(), "adds": int(found["adds"] or 0)}
    return made | {key: each for key, each in more.items() if each}


def split_skills(text: str) -> list[str]:
    """Split a text into skills, at line ends and at commas outside parentheses."""
    found: list[str] = []
    for line in forms.list_lines(text):
        found += split_list(line)
    return found


def skill_line(row: Values) -> str:
    """Return the line that `read_skill` reads to the same row."""
    line = f"{skill_title(row['name'], row.get('focus', ''))} {row.get('adds', 0)}"
    if special := row.get("specializations"):
        line += f" ({', '.join(f'{name} {adds}' for name, adds in dict(special).items())})"
    return f"{line}; {row['attribute']}" if row.get("attribute") else line


#: What may be said of a weapon besides its name.
_ARM_WORDS: Final = {
    "dv": ("dv", int),
    "add": ("add", int),
    "max": ("maximum", int),
    "skill": ("skill", str),
    "kind": ("kind", str),
    ROUNDS: ("magazine", None),
    "sheathed": ("drawn", False),
}


def read_arm(line: str) -> dict[str, Any]:
    """`Uzi SMG (9mm)`, `Old gun; dv 15; skill Fire Combat; kind Pistol; 4/6`, `Axe; add 5; max 18;
    sheathed`.
    """
    return read_carried(line, _ARM_WORDS, fix="mb-write-arm")


def arm_line(row: Values) -> str:
    return carried_line(row, _ARM_WORDS)


def read_layer(line: str) -> dict[str, Any]:
    """`Leather armor; chest, arm`, `Buff coat +2`, `Plate +10/25`: an armor of the tables, or what
    one adds, up to its maximum; and the parts that it covers.
    """
    line, _, parts = line.partition(";")
    covers = [each for each in (part.strip().casefold() for part in parts.split(",")) if each]
    more: dict[str, Any] = {"covers": covers} if covers else {}
    found = _LAYER.match(line.strip())
    if found is not None:
        more |= {"maximum": int(found["maximum"])} if found["maximum"] else {}
        return {"name": found["name"].rstrip(",").strip(), "add": int(found["add"]), **more}
    row = next((each for each in ARMOR.values() if name_key(each.name) == name_key(line)), None)
    if row is None:
        near = similar_or_first(line, ARMOR)
        raise violation("not-in-tables", "armour", line[:100], "mb-write-layer", nearest=near)
    return {"name": row.name, "add": row.add, **more}


def layer_line(row: Values) -> str:
    line = f"{row['name']} +{row['add']}"
    line = f"{line}/{row['maximum']}" if row.get("maximum") is not None else line
    return f"{line}; {', '.join(covers)}" if (covers := row.get("covers")) else line


def harm_text(harm: Harm) -> str | None:
    """`wounds 2, shock 3, k_until 5400`: everything of it that is not as in somebody unhurt; None
    for those.
    """
    said: list[str] = []
    for name, usual in field_defaults(Harm).items():
        value = getattr(harm, name)
        if value == usual:
            continue
        shown = "+".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
        said.append(name if value is True else f"{name} {shown}")
    return ", ".join(said) or None


def read_harm(text: str | None) -> Harm:
    """What `harm_text` writes. InvalidInput("mb-unreadable")."""
    usual = field_defaults(Harm)
    found: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in (text or "").split(","))):
        key, _, value = part.partition(" ")
        known = usual.get(key)
        if known is False and not value:
            found[key] = True
        elif isinstance(known, tuple) and value:
            found[key] = tuple(value.split("+"))
        elif key in usual and value.removeprefix("-").isdecimal() and len(value) < 16:
            found[key] = int(value)
        else:
            raise InvalidInput("mb-unreadable", field="harm", value=part[:100], fix="mb-write-harm")
    return Harm(**found)


def drowning_text(state: Drowning | None) -> str | None:
    """`12 3`: the difficulty that was missed, rounds since; behind that the count after passing
    out.
    """
    words = [] if state is None else [state.dn, state.rounds, state.count]
    return " ".join([str(each) for each in words if each is not None]) or None


def read_drowning(text: str | None) -> Drowning | None:
    """What `_drowning_text` writes. InvalidInput("mb-unreadable")."""
    words = (text or "").split()
    if words and not _DROWNING.fullmatch(" ".join(words)):
        shown = (text or "")[:100]
        raise InvalidInput("mb-unreadable", field="drowning", value=shown, fix="mb-write-drowning")
    return Drowning(*[int(each) for each in words]) if words else None
