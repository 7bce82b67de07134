"""A new character before it is a sheet: values as they were given, whole numbers or not.

The findings of MB-CHAR-18 speak of values that a sheet can't hold. A file, a draft and a finished
sheet are all turned into a `RawSheet` for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, TypeGuard, cast

from rules.core.errors import RulesError
from rules.core.json_reader import Reader
from rules.core.record import Record, field
from rules.systems.masterbook.character.option_fold import folded_options
from rules.systems.masterbook.character.option_lines import (
    OPTION_FORM,
    read_typed_option,
    resolve_option,
)
from rules.systems.masterbook.character.options import BackgroundOption, Options
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    Skill,
    skill_title,
    toughness_points,
    with_option_adds,
)
from rules.systems.masterbook.character.sheet_lines import read_skill
from rules.systems.masterbook.character.sheet_trades import read_trade
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, listed_skill
from rules.systems.masterbook.formulas.background_balance import ColumnTrade
from rules.systems.masterbook.formulas.option_kinds import BackgroundRows, Side
from rules.table.forms.fields import NO_CONTEXT

#: Most rows of a list that are looked at.
_MOST: Final = 200


class RawSkill(Record):
    """A skill as it was given."""

    name: str
    focus: str = ""
    adds: Any = 0
    specializations: tuple[tuple[str, Any], ...] = ()
    #: Attribute and value that the sheet states; empty and None if it states none.
    attribute: str = ""
    value: Any = None

    @property
    def title(self) -> str:
        """`Martial Arts: judo`."""
        return skill_title(self.name, self.focus)

    @property
    def whole(self) -> Skill | None:
        """The skill as a sheet holds it; None if its adds aren't whole numbers from 0 up."""
        if not all(is_whole(number) and number >= 0 for number in self._numbers()):
            return None
        return Skill(self.name, self.adds, self.focus, self.specializations)

    def _numbers(self) -> Iterable[Any]:
        yield self.adds
        yield from (number for _, number in self.specializations)


class RawSheet(Record):
    """A character as it was given."""

    #: Attributes by key; those without a value are left out.
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    skills: tuple[RawSkill, ...] = ()
    advantages: Options = ()
    compensations: Options = ()
    trades: tuple[ColumnTrade, ...] = ()
    species: str = ""
    #: Points that the sheet states; None if it states none.
    life_points: Any = None
    skill_points: Any = None
    #: Values that follow from others, if the sheet states them: `toughness`, the movement rates by
    #: their names, `shock_capacity`.
    derived: Mapping[str, Any] = field(default_factory=dict[str, Any])


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a JSON value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def whole_attributes(raw: RawSheet) -> Mapping[str, int] | None:
    """Return all eight Attributes; None if one is missing or no whole number."""
    values: dict[str, int] = {}
    for key in ATTRIBUTES:
        value = raw.attributes.get(key)
        if not is_whole(value):
            return None
        values[key] = value
    return values


def option_points(raw: RawSheet) -> Mapping[str, int]:
    """Return the Additional Attribute Points by Attribute (MB-BG-21)."""
    return folded_options(raw.advantages, raw.compensations).attributes


def final_attribute(raw: RawSheet, key: str) -> int | None:
    """Return an Attribute with Additional Attribute Points; None if it has no whole value."""
    value = raw.attributes.get(key)
    if not is_whole(value):
        return None
    return value + option_points(raw).get(key, 0)


def final_skills(raw: RawSheet) -> tuple[Skill, ...]:
    """Return the skills with the adds of options, without those whose adds can't be counted."""
    whole = (skill.whole for skill in raw.skills if skill.name)
    bought = tuple(skill for skill in whole if skill is not None)
    return with_option_adds(folded_options(raw.advantages, raw.compensations), bought)


def raw_sheet(sheet: MasterbookSheet) -> RawSheet:
    """Return a finished sheet as it was given."""
    derived: dict[str, int] = {}
    if sheet.toughness is not None:
        derived["toughness"] = sheet.toughness + toughness_points(sheet)
    return RawSheet(
        attributes={key: getattr(sheet, key) for key in ATTRIBUTES},
        skills=tuple(_raw_skill(skill) for skill in sheet.skills),
        advantages=sheet.advantages,
        compensations=sheet.compensations,
        trades=sheet.trades,
        species=sheet.species,
        life_points=sheet.life_points,
        skill_points=sheet.skill_points,
        derived=derived,
    )


def _raw_skill(skill: Skill) -> RawSkill:
    return RawSkill(
        skill.name, skill.focus, skill.adds, skill.specializations, attribute=skill.attribute
    )


def read_raw_sheet(data: Mapping[str, object], campaign: BackgroundRows | None = None) -> RawSheet:
    """Return the character of a file; a row that can't be read becomes one without a name.

    An Attribute that the file lacks is as on a blank sheet.
    """
    rows = campaign or BackgroundRows()
    blank = MasterbookSheet()
    values = {key: data.get(key, getattr(blank, key)) for key in ATTRIBUTES}
    toughness = data.get("toughness")
    return RawSheet(
        attributes={key: value for key, value in values.items() if value is not None},
        skills=tuple(_read_skill(row) for row in _objects(data.get("skills"), read_skill)),
        advantages=tuple(_options(data.get("advantages"), "advantage", rows)),
        compensations=tuple(_options(data.get("compensations"), "compensation", rows)),
        trades=tuple(_trades(data.get("trades"))),
        species=str(data.get("species") or ""),
        life_points=data.get("life_points"),
        skill_points=data.get("skill_points"),
        derived={} if toughness is None else {"toughness": toughness},
    )


def _objects(
    value: object, read_line: Callable[[str], Mapping[str, Any]]
) -> Iterable[Mapping[str, Any]]:
    """Yield the rows of a list, also of typed lines; an empty row for another value."""
    if not isinstance(value, list | tuple):
        return
    for entry in cast("list[object]", value)[:_MOST]:
        if isinstance(entry, Mapping):
            yield cast("Mapping[str, Any]", entry)
            continue
        try:
            yield read_line(entry) if isinstance(entry, str) else {}
        except RulesError:
            yield {}


def _read_skill(row: Mapping[str, Any]) -> RawSkill:
    special: object = row.get("specializations")
    pairs: Mapping[str, Any] = {}
    if isinstance(special, Mapping):
        pairs = cast("Mapping[str, Any]", special)
    return RawSkill(
        name=listed_skill(str(row.get("name") or "")),
        focus=str(row.get("focus") or ""),
        adds=row.get("adds", 0),
        specializations=tuple((str(name), adds) for name, adds in pairs.items()),
        attribute=str(row.get("attribute") or "").casefold(),
        value=row.get("value"),
    )


def _options(value: object, side: Side, rows: BackgroundRows) -> Iterable[BackgroundOption]:
    """Yield the options of a list; an unreadable one keeps its place, without a name."""
    for row in _objects(value, partial(read_typed_option, side=side)):
        option = _read_option(row, side, rows)
        yield BackgroundOption("", 0) if option is None else option


def _read_option(
    row: Mapping[str, Any], side: Side, rows: BackgroundRows
) -> BackgroundOption | None:
    reader = Reader()
    values = OPTION_FORM.read_into(reader, row, NO_CONTEXT, "")
    if reader.problems or not OPTION_FORM.is_complete(values):
        return None
    try:
        return resolve_option(OPTION_FORM.make_record(BackgroundOption, values), side, rows)
    except RulesError:
        return None


def _trades(value: object) -> Iterable[ColumnTrade]:
    if not isinstance(value, list | tuple):
        return
    for line in cast("list[object]", value)[:_MOST]:
        try:
            yield read_trade(str(line))
        except RulesError:
            continue
