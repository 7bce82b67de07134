"""Characters: the sheet, reading and writing it (MB-CHAR-01, MB-SKILL-03, MB-SKILL-04).

The character's name is kept outside the sheet; `read_sheet` returns it and `write_sheet` takes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final, Literal, cast

from rules.core.carried import ROUNDS, carried_line, read_carried
from rules.core.errors import InvalidInput
from rules.core.names import clean_name, name_key, similar_or_first
from rules.core.reading import Reader, violation
from rules.core.record import Record, field_defaults
from rules.systems.masterbook.arms import ARMOUR, CLASSES, ArmourKind, Rows, WeaponKind, of
from rules.systems.masterbook.harm import Harm
from rules.systems.masterbook.skills import SKILLS
from rules.systems.masterbook.tables import LOCATIONS
from rules.systems.masterbook.uses import Drowning
from rules.table import forms
from rules.table.events import Line
from rules.table.forms import Form, Lines, Number, Pick, Scores, Typed, Values, as_written
from rules.table.people.entries import LONGEST_ENTRY, Labels, by_name, coded, one_of, read_character, short
from rules.table.people.fields import HINT_LIST, LONGEST_TEXT, NAME, NOTES, PORTRAIT

#: In the order of the sheet.
BODY: Final = ("agility", "dexterity", "endurance", "strength")
SPIRIT: Final = ("intellect", "mind", "confidence", "charisma")
ATTRIBUTES: Final = (*BODY, *SPIRIT)
MOST_ENTRIES: Final = 80
HIGHEST_VALUE: Final = 100
HIGHEST_ADDS: Final = 60
LIFE_POINTS_MOST: Final = 10
#: How somebody takes to learning, by their background; empty as everybody (MB-SKILL-IMP-07).
Curve = Literal["", "positive", "negative"]


class Skill(Record):
    """A skill with its general adds; `focus` of a macroskill, `attribute` of one of the campaign's own."""

    name: str
    adds: int = 0
    focus: str = ""
    specializations: tuple[tuple[str, int], ...] = ()
    attribute: str = ""

    @property
    def title(self) -> str:
        """`Martial Arts: judo`."""
        return titled(self.name, self.focus)


class Arm(Record):
    """A carried weapon: a row's name, or numbers of its own; `rounds` of a `magazine` are counted where entered.

    `dv` is a damage value that stands, `add` is added to Strength, up to `maximum`. `kind` is the class whose ranges
    and ways to fire it has.
    """

    name: str
    drawn: bool = True
    rounds: int | None = None
    magazine: int | None = None
    dv: int | None = None
    add: int | None = None
    maximum: int | None = None
    skill: str = ""
    kind: str = ""


class Layer(ArmourKind):
    """Armour that is worn: the parts of the body it `covers`, without any all."""

    covers: tuple[str, ...] = ()


class MasterbookSheet(Record):
    """A character without its name. `toughness` None: as Strength and Endurance have it (MB-CHAR-04).

    `limit_up` raises the maxima of movement rates (MB-CHAR-05). `weight` is in kilograms, `height` in centimetres.
    `lifted` is the value to which a lift was pushed (MB-LIFT-02), `rounds_run` those at a full run; `grown` are skills
    raised since the last adventure, each with by how many adds (MB-SKILL-IMP-05), `taught` those raised by a lesson in
    the midst of one (MB-SKILL-IMP-06).
    """

    agility: int = 8
    dexterity: int = 8
    endurance: int = 8
    strength: int = 8
    intellect: int = 8
    mind: int = 8
    confidence: int = 8
    charisma: int = 8
    toughness: int | None = None
    limit_up: int = 0
    learning_curve: Curve = ""
    weight: int | None = None
    height: int | None = None
    sketch: str = ""
    skills: tuple[Skill, ...] = ()
    life_points: int = 5
    skill_points: int = 0
    advantages: tuple[str, ...] = ()
    compensations: tuple[str, ...] = ()
    arms: tuple[Arm, ...] = ()
    armour: tuple[Layer, ...] = ()
    equipment: tuple[str, ...] = ()
    harm: Harm = Harm()
    lifted: int | None = None
    drowning: Drowning | None = None
    rounds_run: int = 0
    grown: tuple[tuple[str, int], ...] = ()
    taught: tuple[tuple[str, int], ...] = ()


def attribute(sheet: MasterbookSheet, key: str) -> int:
    """The value of an Attribute."""
    return getattr(sheet, key)


def learned(sheet: MasterbookSheet, name: str, focus: str = "") -> Skill:
    """A skill by name and focus as somebody has it; without adds where they lack it."""
    found = [each for each in sheet.skills if each.name == name and name_key(each.focus) == name_key(focus)]
    return (*found, Skill(name, 0, focus))[0]


def titled(name: str, focus: str) -> str:
    """`Martial Arts: judo`, `Stealth`."""
    return f"{name}: {focus}" if focus else name


def weapon_of(arm: Arm, campaign: Rows | None) -> WeaponKind:
    """A weapon that somebody carries: a row's, or one of its own, with the numbers that were entered for it."""
    held = CLASSES[arm.kind].skill if arm.kind else "Melee Combat"
    row = of(campaign or Rows(), "weapons").get(arm.name)
    found = row or WeaponKind(arm.name, arm.skill or held, arm.kind)
    if arm.dv is not None:
        found = found.replace(dv=arm.dv, add=0, maximum=None)
    if arm.add is not None:
        found = found.replace(dv=None, add=arm.add)
    maximum = found.maximum if arm.maximum is None else arm.maximum
    return found.replace(maximum=maximum, skill=arm.skill or found.skill, kind=arm.kind or found.kind)


# --- lines of a dialogue, and texts --------------------------------------------------------------------------

_SKILL_LINE: Final = re.compile(
    r"^(?P<name>[^:(;]+?)(?:\s*:\s*(?P<focus>[^(;]+?))?\s*(?:(?<=[\s:])(?P<adds>\d{1,3}))?\s*"
    r"(?:\((?P<special>[^)]*)\))?\s*(?:;\s*(?P<attribute>.+))?$"
)
_DROWNING: Final = re.compile(r"-?\d{1,3}( -?\d{1,3}){1,2}")
_LAYER: Final = re.compile(r"^(?P<name>.+?)\s*\+(?P<add>\d{1,2})(?:\s*(?:/|up to)\s*(?P<maximum>\d{1,3}))?$")


def read_skill(line: str) -> dict[str, Any]:
    """`Dodge 2`, `Martial Arts: judo 1`, `Fire Combat 2 (pistols 1, rifles 2)`, `Basketry 1; dexterity`."""
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


def _skill_line(row: Values) -> str:
    line = f"{titled(row['name'], row.get('focus', ''))} {row.get('adds', 0)}"
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
    """`Uzi SMG (9mm)`, `Old gun; dv 15; skill Fire Combat; kind Pistol; 4/6`, `Axe; add 5; max 18; sheathed`."""
    return read_carried(line, _ARM_WORDS, fix="mb-write-arm")


def read_layer(line: str) -> dict[str, Any]:
    """`Leather armor; chest, arm`, `Buff coat +2`, `Plate +10/25`: an armour of the tables, or what one adds, up to
    its maximum; and the parts that it covers.
    """
    line, _, parts = line.partition(";")
    covers = [each for each in (part.strip().casefold() for part in parts.split(",")) if each]
    more: dict[str, Any] = {"covers": covers} if covers else {}
    found = _LAYER.match(line.strip())
    if found is not None:
        more |= {"maximum": int(found["maximum"])} if found["maximum"] else {}
        return {"name": found["name"].rstrip(",").strip(), "add": int(found["add"]), **more}
    row = next((each for each in ARMOUR.values() if name_key(each.name) == name_key(line)), None)
    if row is None:
        near = similar_or_first(line, ARMOUR)
        raise violation("not-in-tables", "armour", line[:100], "mb-write-layer", nearest=near)
    return {"name": row.name, "add": row.add, **more}


def _layer_line(row: Values) -> str:
    line = f"{row['name']} +{row['add']}"
    line = f"{line}/{row['maximum']}" if row.get("maximum") is not None else line
    return f"{line}; {', '.join(covers)}" if (covers := row.get("covers")) else line


def harm_text(harm: Harm) -> str | None:
    """`wounds 2, shock 3, k_until 5400`: everything of it that is not as in somebody unhurt; None for those."""
    said: list[str] = []
    for name, usual in field_defaults(Harm).items():
        value = getattr(harm, name)
        if value == usual:
            continue
        shown = "+".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else value
        said.append(name if value is True else f"{name} {shown}")
    return ", ".join(said) or None


def _harm(text: str | None) -> Harm:
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


def _drowning_text(state: Drowning | None) -> str | None:
    """`12 3`: the difficulty that was missed, rounds since; behind that the count after passing out."""
    words = [] if state is None else [state.dn, state.rounds, state.count]
    return " ".join([str(each) for each in words if each is not None]) or None


def _drowning(text: str | None) -> Drowning | None:
    """What `_drowning_text` writes. InvalidInput("mb-unreadable")."""
    words = (text or "").split()
    if words and not _DROWNING.fullmatch(" ".join(words)):
        shown = (text or "")[:100]
        raise InvalidInput("mb-unreadable", field="drowning", value=shown, fix="mb-write-drowning")
    return Drowning(*[int(each) for each in words]) if words else None


# --- the file ------------------------------------------------------------------------------------------------


_SKILL: Final = Form(
    (
        Pick("name", find=by_name(lambda rows: SKILLS), needed=True),
        Number("adds", high=HIGHEST_ADDS),
        short("focus"),
        Scores("specializations", high=HIGHEST_ADDS, most=20),
        one_of("attribute", ATTRIBUTES),
    )
)
_ARM: Final = Form(
    (
        Pick("name", find=by_name(lambda rows: of(rows or Rows(), "weapons")), needed=True),
        forms.Flag("drawn", usual=True),
        *(Number(each, high=10_000, null=True) for each in ("rounds", "magazine")),
        *(Number(each, high=HIGHEST_VALUE, null=True) for each in ("dv", "add", "maximum")),
        short("skill"),
        one_of("kind", CLASSES),
    )
)
_LAYER_FORM: Final = Form(
    (
        Typed("name", most=LONGEST_ENTRY, needed=True, read=clean_name),
        Number("add", high=50, needed=True),
        Number("maximum", high=HIGHEST_VALUE, null=True),
        forms.Many("covers", among=as_written(LOCATIONS), most=len(LOCATIONS)),
    )
)
_LABELS: Final = Labels(
    lambda key: Line("mb-hint", {"what": key}), MOST_ENTRIES, {"arms": "Weapons", "armour": "Armor"}
)
_title, hint, _rows, _names = _LABELS.title, _LABELS.hint, _LABELS.rows, _LABELS.names
_number: Final = partial(_LABELS.number, high=HIGHEST_VALUE)


def _arm_told(held: Arm) -> Line:
    """A weapon on the sheet: what its own numbers are, and the rounds that are left."""
    keys = ("name", "dv", "add", "maximum", "rounds", "magazine")
    return Line("mb-sheet-arm", {**{key: getattr(held, key) for key in keys}, "away": not held.drawn})


#: A character's file: what is typed, and what play brings.
CHARACTER: Final = Form(
    (
        NAME,
        _LABELS.typed("sketch", LONGEST_TEXT, long=True),
        PORTRAIT,
        *(_number(each, low=1, hint=True) for each in ATTRIBUTES),
        _number("toughness", null=True, hint=True),
        _number("limit_up", high=10),
        one_of("learning_curve", ("positive", "negative"), _title("learning_curve")),
        _number("weight", high=100_000, low=1, null=True, hint=True),
        _number("height", high=100_000, low=1, null=True, hint=True),
        _rows("skills", _SKILL, Skill, read_skill, _skill_line),
        _names("advantages"),
        _names("compensations"),
        _rows("arms", _ARM, Arm, read_arm, lambda row: carried_line(row, _ARM_WORDS), told=_arm_told),
        _rows("armour", _LAYER_FORM, Layer, read_layer, _layer_line, instead={"add": 0}),
        Lines("equipment", title=Line("sheet-equipment"), help=HINT_LIST, longest=300, free=True, into=tuple),
        NOTES,
        _number("life_points", high=LIFE_POINTS_MOST),
        _number("skill_points", high=9999),
        coded("harm", _harm, harm_text, told=harm_text, title=_title("harm"), help=hint("harm")),
        _number("lifted", null=True),
        coded("drowning", _drowning, _drowning_text, most=20),
        _number("rounds_run"),
        Scores("grown", most=MOST_ENTRIES),
        Scores("taught", most=MOST_ENTRIES),
    )
)


def _check_skills(reader: Reader, sheet: MasterbookSheet) -> None:
    """A macroskill needs its focus, others have none, an own skill its Attribute; nothing twice (MB-SKILL-03)."""
    for at, each in enumerate(sheet.skills):
        row, place = SKILLS.get(each.name), f"skills[{at}]"
        if row is None and not each.attribute:
            near = similar_or_first(each.name, SKILLS)
            reader.add("not-in-tables", place, each.name, "mb-name-attribute", nearest=near)
        elif row is not None and row.macro and not row.magic and not each.focus:
            example = titled(row.name, row.focuses[0] if row.focuses else "…")
            reader.add("mb-needs-focus", place, each.name, "mb-name-focus", example=example)
    reader.note_same("skills", sheet.skills)


def made(values: Values) -> MasterbookSheet:
    """The sheet of what could be read; of rows with something wrong nothing. The list has its skills' Attributes."""
    sheet = CHARACTER.make(MasterbookSheet, values)
    skills = [each.replace(attribute="") if each.name in SKILLS else each for each in sheet.skills]
    return sheet.replace(skills=tuple(skills))


def read_sheet(data: Mapping[str, object], campaign: Rows | None = None) -> tuple[str, MasterbookSheet]:
    """Read a character from a JSON object; the name and the sheet. Raises as `read_character`."""

    def check(reader: Reader, sheet: MasterbookSheet) -> None:
        _check_skills(reader, sheet)
        _check_arms(reader, sheet, campaign or Rows())

    return read_character(CHARACTER, data, campaign or Rows(), made, check)


def _check_arms(reader: Reader, sheet: MasterbookSheet, campaign: Rows) -> None:
    """What no table has needs its damage."""
    rows = of(campaign, "weapons")
    for at, each in enumerate(sheet.arms):
        if each.name not in rows and each.dv is None and each.add is None:
            near = similar_or_first(each.name, rows)
            reader.add("not-in-tables", f"arms[{at}]", each.name, "mb-write-arm", nearest=near)


def write_sheet(name: str, sheet: MasterbookSheet) -> dict[str, Any]:
    """The JSON object that `read_sheet` reads back to the same name and sheet."""
    return {"name": name, **CHARACTER.written(sheet)}
