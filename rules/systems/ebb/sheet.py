"""Characters: the sheet, its derived values, reading and writing it (EBB-CHAR, EBB-DRAWBACK, EBB-TIER).

The character's name is kept outside the sheet; `read_sheet` returns it and `write_sheet` takes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from rules.core.errors import NotFound, Problems
from rules.core.names import name_key, similar
from rules.core.reading import LIKENESS, Reader, shown
from rules.systems.ebb.tables import ATTRIBUTES, DIE_SIDES, STARTING_ABILITIES, STARTING_DIE
from rules.table.forms import Flag, Form, Pick, Typed, as_written

Severity = Literal["light", "serious", "severe"]

SEVERITIES: tuple[Severity, ...] = ("light", "serious", "severe")
LONGEST_NAME = 80
LONGEST_TEXT = 2000
LONGEST_ENTRY = 300
MOST_ABILITIES = 60
MOST_ENTRIES = 100
HIGHEST_AGE = 999
HIGHEST_FATE = 9999
HIGHEST_SACRIFICE = 99

_ATTRIBUTES = frozenset(ATTRIBUTES)
_LOWERED = DIE_SIDES[DIE_SIDES.index(STARTING_DIE) - 1]
_RAISED = DIE_SIDES[DIE_SIDES.index(STARTING_DIE) + 1]
_MOST_EXCHANGED = STARTING_ABILITIES // 2
DICE = tuple(f"d{sides}" for sides in DIE_SIDES)


@dataclass(frozen=True, slots=True)
class Ability:
    """An ability: `name`, the attribute it belongs to (`group`, title case), and the sides of its die."""

    name: str
    group: str
    sides: int


@dataclass(frozen=True, slots=True)
class Injury:
    """A damage effect taken in full (EBB-INJURY): what happened, the body part, and whether it is treated."""

    text: str
    part: str = ""
    severity: Severity = "light"
    treated: bool = False


@dataclass(frozen=True, slots=True)
class EbbSheet:
    """A character without its name (EBB-CHAR).

    `age` in years or None when unknown; `fate` in points (>= 0). `drawbacks` are as many as `abilities`.
    `sacrificed` holds (attribute, points lost) in the order of the attributes, points >= 1 only; base values
    are always computed from the abilities.
    """

    tag: str = ""
    group: str = ""
    age: int | None = None
    country: str = ""
    sex: str = ""
    role: str = ""
    renown: str = ""
    description: str = ""
    fate: int = 0
    abilities: tuple[Ability, ...] = ()
    drawbacks: tuple[str, ...] = ()
    injuries: tuple[Injury, ...] = ()
    scarring: tuple[str, ...] = ()
    equipment: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    sacrificed: tuple[tuple[str, int], ...] = ()


# --- values ------------------------------------------------------------------------------------------------


def base_attribute(sheet: EbbSheet, name: str) -> int:
    """Half the number of abilities in that group, rounded up (EBB-CHAR). NotFound as `find_attribute`."""
    attribute = find_attribute(name)
    number = 0
    for ability in sheet.abilities:
        if ability.group == attribute:
            number += 1
    return (number + 1) // 2


def effective_attribute(sheet: EbbSheet, name: str) -> int:
    """Base minus what is sacrificed, never below 0: the value that rolls use (EBB-LUCK)."""
    value = base_attribute(sheet, name)
    if sheet.sacrificed:
        attribute = find_attribute(name)
        value -= sum(points for owner, points in sheet.sacrificed if owner == attribute)
    return value if value > 0 else 0


def attributes(sheet: EbbSheet) -> dict[str, int]:
    """All eight effective values by name, in the order of the sheet."""
    return {name: effective_attribute(sheet, name) for name in ATTRIBUTES}


def trait_values(sheet: EbbSheet) -> dict[str, str]:
    """What goes into a roll, by name: the effective attributes, and the die of each ability, such as `1d8`."""
    values = {name: str(value) for name, value in attributes(sheet).items()}
    return values | {ability.name: f"1d{ability.sides}" for ability in sheet.abilities}


def base_attributes(sheet: EbbSheet) -> dict[str, int]:
    """All eight base values by name, in the order of the sheet (EBB-CHAR)."""
    return {name: base_attribute(sheet, name) for name in ATTRIBUTES}


# --- finding by name ---------------------------------------------------------------------------------------


def _find(text: str, names: Sequence[str], field: str) -> int:
    """Index of the one name equal to `text`, or else of the only one that begins with it."""
    wanted = name_key(text)
    keys = [name_key(name) for name in names]
    if wanted in keys:
        return keys.index(wanted)
    begun = [index for index, key in enumerate(keys) if wanted and key.startswith(wanted)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        matches = tuple(names[index] for index in begun[:10])
        raise NotFound(f"ambiguous-{field}", field=field, value=shown(text), nearest=matches)
    near = similar(text, names, LIKENESS) or tuple(names[:_SUGGESTIONS])
    raise NotFound(f"unknown-{field}", field=field, value=shown(text), nearest=near)


def find_attribute(text: str) -> str:
    """The attribute meant, in title case: any case, or a beginning that fits one only.

    Raises NotFound("unknown-attribute" or "ambiguous-attribute", field, value, nearest).
    """
    if text in _ATTRIBUTES:
        return text
    return ATTRIBUTES[_find(text, ATTRIBUTES, "attribute")]


def find_ability(sheet: EbbSheet, text: str) -> Ability:
    """The ability meant: any case, or a beginning that fits one of the sheet's abilities only.

    Raises NotFound("unknown-ability" or "ambiguous-ability", field, value, nearest).
    """
    for ability in sheet.abilities:
        if ability.name == text:
            return ability
    return sheet.abilities[_find(text, [ability.name for ability in sheet.abilities], "ability")]


def find_entry(text: str, entries: Sequence[str]) -> int:
    """The index of an entry of a list: its number from 1, its text, or a beginning that fits one only.

    Raises NotFound("unknown-entry" or "ambiguous-entry", field, value, nearest).
    """
    wanted = text.strip()
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted[:9]) <= len(entries):
        return int(wanted[:9]) - 1
    return _find(text, entries, "entry")


# --- sacrifices --------------------------------------------------------------------------------------------


def set_sacrificed(sheet: EbbSheet, points: Mapping[str, int]) -> EbbSheet:
    """The sheet with these points lost by attribute (EBB-LUCK); numbers are taken as they are."""
    return replace(sheet, sacrificed=tuple((name, points[name]) for name in ATTRIBUTES if points.get(name)))


# --- reading and writing -----------------------------------------------------------------------------------

_TEXTS = ("tag", "group", "country", "sex", "role", "renown", "description")
_LISTS = ("scarring", "equipment", "assets")
_FIELDS = (
    "name",
    "tag",
    "group",
    "age",
    "country",
    "sex",
    "role",
    "renown",
    "description",
    "fate",
    "attributes",
    "abilities",
    "drawbacks",
    "injuries",
    *_LISTS,
    "sacrificed",
)
#: A row of abilities and one of injuries.
ABILITY: Final = Form(
    (
        Typed("name", most=LONGEST_ENTRY, needed=True),
        Pick("group", among=as_written(ATTRIBUTES), needed=True),
        Pick("die", among=as_written(DICE), needed=True),
    )
)
INJURY: Final = Form(
    (
        Typed("text", most=LONGEST_ENTRY, needed=True),
        Typed("part", most=LONGEST_ENTRY, blank=True),
        Pick("severity", among=as_written(SEVERITIES)),
        Flag("treated"),
    )
)
_DIE = re.compile(r"[dD]?([0-9]{1,3})")
_SUGGESTIONS = 20


class _Reader(Reader):
    """Reads the fields of a sheet; what has to be read but is not usable is None, and the reason is noted."""

    __slots__ = ()

    def finish(self) -> None:
        if self.problems:
            raise Problems("bad-character", self.problems, count=len(self.problems))

    def read_attribute(self, field: str, value: object) -> str | None:
        """An attribute's name written out in any case."""
        if not isinstance(value, str):
            self.add("wrong-type", field, value, "use-text", allowed=("text",))
            return None
        wanted = name_key(value)
        for name in ATTRIBUTES:
            if name_key(name) == wanted:
                return name
        nearest = similar(value, ATTRIBUTES, LIKENESS)
        self.add("unknown-attribute", field, value, "choose-allowed", allowed=ATTRIBUTES, nearest=nearest)
        return None

    def read_die(self, field: str, value: object, *, new: bool) -> int | None:
        """A die written "d8" (or 8)."""
        sides: int | None = None
        if isinstance(value, str):
            written = _DIE.fullmatch(value.strip())
            sides = int(written[1]) if written else -1
        elif isinstance(value, int) and not isinstance(value, bool):
            sides = value
        if sides is None:
            self.add("wrong-type", field, value, "use-text", allowed=DICE)
            return None
        return sides if self.check_die(field, sides, new=new, written=value) else None

    # Rules of the game.

    def check_die(self, field: str, sides: int, *, new: bool, written: object = None) -> bool:
        """Whether such an ability die exists; a new character's die above d8 is noted but readable."""
        value = f"d{sides}" if written is None else written
        if sides not in DIE_SIDES:
            self.add("unknown-die", field, value, "choose-allowed", allowed=DICE, rule="EBB-TIER")
            return False
        if new and sides > _RAISED:
            low = DICE[: DIE_SIDES.index(_RAISED) + 1]
            self.add("die-too-high-for-new", field, value, "choose-allowed", allowed=low, rule="EBB-CHAR")
        return True

    def check_creation(self, number: int, sides: Sequence[int] | None) -> None:
        """EBB-CHAR for a new character; `sides` is None when not every die could be read."""
        field, rule = "abilities", "EBB-CHAR"
        needed = STARTING_ABILITIES
        if number != needed:
            fix = "add-abilities" if number < needed else "remove-abilities"
            missing = abs(needed - number)
            self.add("wrong-number-of-abilities", field, number, fix, need=needed, count=missing, rule=rule)
        if sides is None:
            return
        raised, lowered = sides.count(_RAISED), sides.count(_LOWERED)
        if raised > lowered:
            fix, code = "lower-to-d4-or-return-d8-to-d6", "more-d8-than-d4"
            self.add(code, field, raised, fix, d8=raised, d4=lowered, count=raised - lowered, rule=rule)
        if lowered > raised:
            fix, code = "raise-to-d8-or-return-d4-to-d6", "more-d4-than-d8"
            self.add(code, field, lowered, fix, d8=raised, d4=lowered, count=lowered - raised, rule=rule)
        for die, found in ((_RAISED, raised), (_LOWERED, lowered)):
            if found > _MOST_EXCHANGED:
                fix, more = "return-to-d6", found - _MOST_EXCHANGED
                params = {"die": f"d{die}", "highest": _MOST_EXCHANGED, "count": more}
                self.add("too-many-at-die", field, found, fix, rule=rule, **params)

    def check_drawbacks(self, number: int, needed: int) -> None:
        """EBB-DRAWBACK: one for every ability."""
        if number != needed:
            fix = "add-drawbacks" if number < needed else "remove-drawbacks"
            count = abs(needed - number)
            code, rule = "wrong-number-of-drawbacks", "EBB-DRAWBACK"
            self.add(code, "drawbacks", number, fix, need=needed, count=count, rule=rule)

    # Parts of the sheet.

    def read_abilities(self, value: object, *, new: bool) -> tuple[tuple[Ability, ...], int | None, bool]:
        """The readable abilities, the number of entries (None: no list), whether all groups are readable."""
        entries = self.read_list("abilities", value, MOST_ABILITIES)
        if entries is None:
            return (), None, False
        found: list[Ability] = []
        dice: list[int] = []
        seen: dict[str, int] = {}
        grouped = True
        for index, entry in enumerate(entries):
            field = f"abilities[{index}]"
            data = self.read_object(field, entry)
            if data is None:
                grouped = False
                continue
            self.note_unknown(data, ABILITY.keys, f"{field}.")
            for missing in ABILITY.keys:
                if missing not in data:
                    self.add("missing-field", f"{field}.{missing}", None, "add-field")
            name = ""
            if "name" in data:
                name = self.read_text(f"{field}.name", data["name"], LONGEST_ENTRY, needed=True)
            if name_key(name):
                first = seen.setdefault(name_key(name), index)
                if first != index:
                    fix, earlier = "rename-or-remove", f"abilities[{first}]"
                    self.add("duplicate-ability", f"{field}.name", name, fix, first=earlier)
            group = self.read_attribute(f"{field}.group", data["group"]) if "group" in data else None
            sides = self.read_die(f"{field}.die", data["die"], new=new) if "die" in data else None
            grouped = grouped and group is not None
            if sides is not None:
                dice.append(sides)
            found.append(Ability(name, group or ATTRIBUTES[0], sides or STARTING_DIE))
        if new:
            self.check_creation(len(entries), dice if len(dice) == len(entries) else None)
        return tuple(found), len(entries), grouped

    def read_texts(self, field: str, value: object, most: int) -> tuple[tuple[str, ...], int | None]:
        entries = self.read_list(field, value, most)
        if entries is None:
            return (), None
        read = [
            self.read_text(f"{field}[{index}]", entry, LONGEST_ENTRY, needed=True)
            for index, entry in enumerate(entries)
        ]
        return tuple(read), len(entries)

    def read_injuries(self, value: object) -> tuple[Injury, ...]:
        found: list[Injury] = []
        for index, entry in enumerate(self.read_list("injuries", value, MOST_ENTRIES) or ()):
            field = f"injuries[{index}]"
            data = self.read_object(field, entry)
            if data is None:
                continue
            self.note_unknown(data, INJURY.keys, f"{field}.")
            if "text" not in data:
                self.add("missing-field", f"{field}.text", None, "add-field")
            text = ""
            if "text" in data:
                text = self.read_text(f"{field}.text", data["text"], LONGEST_ENTRY, needed=True)
            part = self.read_text(f"{field}.part", data.get("part", ""), LONGEST_ENTRY)
            severity = self.read_severity(f"{field}.severity", data.get("severity", "light"))
            treated = self.read_truth(f"{field}.treated", data.get("treated", False))
            found.append(Injury(text, part, severity, treated))
        return tuple(found)

    def read_severity(self, field: str, value: object) -> Severity:
        if not isinstance(value, str):
            self.add("wrong-type", field, value, "use-text", allowed=SEVERITIES)
            return "light"
        for severity in SEVERITIES:
            if severity == name_key(value):
                return severity
        nearest = similar(value, SEVERITIES, LIKENESS)
        self.add("unknown-severity", field, value, "choose-allowed", allowed=SEVERITIES, nearest=nearest)
        return "light"

    def read_points(self, field: str, value: object, highest: int) -> dict[str, tuple[str, int]]:
        """An object from attribute names to numbers: attribute -> (field path, number)."""
        found: dict[str, tuple[str, int]] = {}
        for key, entry in (self.read_object(field, value) or {}).items():
            path = f"{field}.{shown(key)}"
            name = self.read_attribute(path, key)
            if name is None:
                continue
            if name in found:
                self.add("duplicate-field", path, name, "rename-or-remove", first=found[name][0])
                continue
            before = len(self.problems)
            number = self.read_number(path, entry, 0, highest)
            if len(self.problems) == before:
                found[name] = (path, number)
        return found


def check_entry(field: str, text: str) -> None:
    """Refuse a text that could not stand on a sheet as a name or an entry of a list.

    Raises InvalidInput: "empty-text", "too-long" (300 characters) or "unprintable-text".
    """
    reader = _Reader()
    reader.read_text(field, text, LONGEST_ENTRY, needed=True)
    if reader.problems:
        raise reader.problems[0]


def read_sheet(data: Mapping[str, object], *, new: bool = True) -> tuple[str, EbbSheet]:
    """Read a character from a JSON object; returns the name and the sheet (EBB-CHAR).

    Needs `name`, `abilities` (objects of `name`, `group`, `die` such as "d6") and `drawbacks`; everything
    else has a default. `attributes` is derived: if given it must agree with the abilities (base values).
    With `new` the rules of creation apply; without, any die from d4 to d12 and any number of abilities up
    to 60. There is one drawback for each ability either way. Texts are kept as written.

    Raises only Problems("bad-character", …, count): one InvalidInput for each violation, all of them at once,
    with `field` (a path such as `abilities[3].die`, counted from 0), `value`, what is allowed (`allowed`,
    `lowest`, `highest`, `need`, `nearest`), `fix`, and `rule` where a rule of the game is broken.
    """
    reader = _Reader()
    top = reader.read_object("", data)
    if top is None:
        reader.finish()
        raise AssertionError("unreachable: a problem was noted")
    reader.note_unknown(top, _FIELDS, "")
    for needed in ("name", "abilities", "drawbacks"):
        if needed not in top:
            reader.add("missing-field", needed, None, "add-field")

    name = reader.read_text("name", top["name"], LONGEST_NAME, needed=True) if "name" in top else ""
    if "\n" in name or "\r" in name:
        reader.add("unprintable-text", "name", name, "remove-control-characters")
    texts = {field: reader.read_text(field, top.get(field, ""), LONGEST_TEXT) for field in _TEXTS}
    age = top.get("age")
    if age is not None:
        age = reader.read_number("age", age, 0, HIGHEST_AGE)
    fate = reader.read_number("fate", top.get("fate", 0), 0, HIGHEST_FATE)

    abilities: tuple[Ability, ...] = ()
    number: int | None = None
    grouped = False
    if "abilities" in top:
        abilities, number, grouped = reader.read_abilities(top["abilities"], new=new)
    drawbacks: tuple[str, ...] = ()
    if "drawbacks" in top:
        drawbacks, drawn = reader.read_texts("drawbacks", top["drawbacks"], MOST_ABILITIES)
        if number is not None and drawn is not None:
            reader.check_drawbacks(drawn, number)
    injuries = reader.read_injuries(top.get("injuries", ()))
    lists = {field: reader.read_texts(field, top.get(field, ()), MOST_ENTRIES)[0] for field in _LISTS}
    sacrificed = reader.read_points("sacrificed", top.get("sacrificed", {}), HIGHEST_SACRIFICE)

    sheet = EbbSheet(
        tag=texts["tag"],
        group=texts["group"],
        age=age,
        country=texts["country"],
        sex=texts["sex"],
        role=texts["role"],
        renown=texts["renown"],
        description=texts["description"],
        fate=fate,
        abilities=abilities,
        drawbacks=drawbacks,
        injuries=injuries,
        scarring=lists["scarring"],
        equipment=lists["equipment"],
        assets=lists["assets"],
    )
    sheet = set_sacrificed(sheet, {attribute: points for attribute, (_, points) in sacrificed.items()})
    _check_derived(reader, sheet if grouped else None, top.get("attributes", {}))
    reader.finish()
    return name, sheet


def _check_derived(reader: _Reader, sheet: EbbSheet | None, given: object) -> None:
    """Attributes are derived: those given have to agree with a sheet whose groups could be read (EBB-CHAR)."""
    for attribute, (path, value) in reader.read_points("attributes", given, HIGHEST_SACRIFICE).items():
        right = value if sheet is None else base_attribute(sheet, attribute)
        if value != right:
            fix, rule = "correct-or-remove", "EBB-CHAR"
            reader.add("attribute-disagrees", path, value, fix, need=right, rule=rule)


def write_sheet(name: str, sheet: EbbSheet) -> dict[str, object]:
    """The JSON object that `read_sheet` reads back to the same name and sheet."""
    return {
        "name": name,
        "tag": sheet.tag,
        "group": sheet.group,
        "age": sheet.age,
        "country": sheet.country,
        "sex": sheet.sex,
        "role": sheet.role,
        "renown": sheet.renown,
        "description": sheet.description,
        "fate": sheet.fate,
        "attributes": base_attributes(sheet),
        "abilities": [
            {"name": ability.name, "group": ability.group, "die": f"d{ability.sides}"}
            for ability in sheet.abilities
        ],
        "drawbacks": list(sheet.drawbacks),
        "injuries": [
            {"text": injury.text, "part": injury.part, "severity": injury.severity, "treated": injury.treated}
            for injury in sheet.injuries
        ],
        "scarring": list(sheet.scarring),
        "equipment": list(sheet.equipment),
        "assets": list(sheet.assets),
        "sacrificed": dict(sheet.sacrificed),
    }
