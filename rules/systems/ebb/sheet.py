"""Character sheet, its derived values, reading and writing (EBB-CHAR, EBB-DRAWBACK, EBB-TIER).

The character's name is not part of the sheet: `read_sheet` returns it and `write_sheet` takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

from rules.core.json_reader import Reader
from rules.core.memo import memo_by_identity
from rules.core.name_matching import unique_match
from rules.core.record import Record, to_plain
from rules.systems.ebb import sample_characters
from rules.systems.ebb.ability_lines import ability_line, read_ability
from rules.systems.ebb.reference_rows import ATTRIBUTES, DIE_SIDES, STARTING_ABILITIES, STARTING_DIE
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Lines, Rows, Scores
from rules.table.forms.fields import NO_CONTEXT, Flag, Number, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.gm_values import append_entry, replace_entry
from rules.table.people.common_fields import (
    DESCRIPTION_FIELD,
    HINT_LIST,
    LONGEST_TEXT,
    NAME_FIELD,
    NOTES_FIELD,
    PORTRAIT_FIELD,
    key_label,
)
from rules.table.state import Character

SEVERITIES: Final = ("light", "serious", "severe")
#: Attribute that pays for a flesh wound (EBB-INJURY).
FITNESS: Final = "Fitness"
LONGEST_ENTRY = 300
MOST_ABILITIES = 60
MOST_ENTRIES = 100
HIGHEST_AGE = 999
HIGHEST_FATE = 9999
HIGHEST_SACRIFICE = 99

_MOST_EXCHANGED = STARTING_ABILITIES // 2
DICE = tuple(f"d{sides}" for sides in DIE_SIDES)
_START = DIE_SIDES.index(STARTING_DIE)
_LOWERED, _USUAL, _RAISED = DICE[_START - 1 : _START + 2]


class Ability(Record):
    """An ability of a character."""

    name: str
    #: Attribute that it belongs to, in title case.
    group: str
    #: Sides of its die.
    sides: int

    @property
    def die(self) -> str:
        """Die as it is written: `d8`."""
        return f"d{self.sides}"


class Injury(Record):
    """A damage effect taken in full (EBB-INJURY)."""

    #: What happened.
    text: str
    #: Body part; empty if the GM does not say.
    part: str = ""
    #: One of `SEVERITIES`.
    severity: str = SEVERITIES[0]
    treated: bool = False

    @property
    def is_bad(self) -> bool:
        """True if it is severe, or serious and not treated."""
        return self.severity == "severe" or (self.severity == "serious" and not self.treated)


def injury_line(injury: Injury, *, whole: bool = True) -> Text:
    """Return the line for an injury; without *whole* it leaves out whether it is treated."""
    return Text("ebb-injury", {**to_plain(injury), "whole": whole})


class EbbSheet(Record):
    """A character without its name (EBB-CHAR). Base values are computed from the abilities."""

    tag: str = ""
    group: str = ""
    #: Years; None if unknown.
    age: int | None = None
    country: str = ""
    sex: str = ""
    role: str = ""
    renown: str = ""
    description: str = ""
    #: Fate points, 0 or more.
    fate: int = 0
    abilities: tuple[Ability, ...] = ()
    #: As many as there are abilities.
    drawbacks: tuple[str, ...] = ()
    injuries: tuple[Injury, ...] = ()
    scarring: tuple[str, ...] = ()
    equipment: tuple[str, ...] = ()
    assets: tuple[str, ...] = ()
    #: Attributes that have lost points, in order, each with those points (1 or more).
    sacrificed: tuple[tuple[str, int], ...] = ()


EbbCharacter = Character[EbbSheet]

# --- values ---------------------------------------------------------------------------------------


def _half_rounded_up(number: int) -> int:
    return (number + 1) // 2


def base_attributes(sheet: EbbSheet) -> Mapping[str, int]:
    """Return the eight base values by name, in order (EBB-CHAR).

    A value is half the number of abilities of that group, rounded up.
    """
    groups = [ability.group for ability in sheet.abilities]
    return {name: _half_rounded_up(groups.count(name)) for name in ATTRIBUTES}


@memo_by_identity
def effective_attributes(sheet: EbbSheet) -> Mapping[str, int]:
    """Return the eight effective values by name (EBB-LUCK).

    A value is the base value minus what is sacrificed, and never below 0.
    """
    lost = dict(sheet.sacrificed)
    return {name: max(0, base - lost.get(name, 0)) for name, base in base_attributes(sheet).items()}


@memo_by_identity
def sides_by_ability(sheet: EbbSheet) -> Mapping[str, int]:
    """Return the sides of each ability's die, by name."""
    return {ability.name: ability.sides for ability in sheet.abilities}


def trait_values(sheet: EbbSheet) -> dict[str, str]:
    """Return the values for rolls by name: effective attributes, and dice of abilities (`1d8`)."""
    dice = {name: f"1d{sides}" for name, sides in sides_by_ability(sheet).items()}
    return {name: str(value) for name, value in effective_attributes(sheet).items()} | dice


def health_line(sheet: EbbSheet) -> Text:
    """Return the health of a character as all can see it: `unhurt`, `hurt` or `badly-hurt`.

    A character is hurt by any injury, or by a lost point of Fitness (a flesh wound). A character is
    badly hurt by a severe injury, by a serious one that is not treated, or by the loss of the last
    point of Fitness.
    """
    lost = dict(sheet.sacrificed).get(FITNESS)
    if any(injury.is_bad for injury in sheet.injuries):
        return Text("badly-hurt")
    if lost and not effective_attributes(sheet)[FITNESS]:
        return Text("badly-hurt")
    return Text("hurt") if sheet.injuries or lost else Text("unhurt")


# --- lookup by name -------------------------------------------------------------------------------


def find_ability(sheet: EbbSheet, text: str) -> Ability:
    """Return the ability of the sheet that a text means.

    Raises NotFound("unknown-ability") or NotFound("ambiguous-choice").
    """
    return unique_match(
        sheet.abilities, text, attrgetter("name"), field="ability", unknown="unknown-ability"
    )


def losses_in_order(lost: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Return lost points by attribute, in the order of the sheet, without zeros (EBB-LUCK)."""
    points = dict(lost)
    return tuple((name, points[name]) for name in ATTRIBUTES if points.get(name))


# --- the file -------------------------------------------------------------------------------------


def _hint(key: str) -> Text:
    """Return the help of a field."""
    return Text("ebb-hint", {"of": key})


def _text_field(key: str, help: Text | None = None, *, free: bool = False) -> Typed:
    """Return a field for a text."""
    return Typed(key, title=key_label(key), help=help, most=LONGEST_TEXT, free=free, blank=True)


def _list_field(key: str, title: Text | None = None, help: Text = HINT_LIST, **more: Any) -> Lines:
    """Return a field for a list of texts."""
    return Lines(key, title=title or key_label(key), help=help, longest=LONGEST_ENTRY, **more)


_ATTRIBUTE = Pick(
    "group", choices=plain_options(ATTRIBUTES), unknown="unknown-attribute", needed=True
)
_ABILITY = Form.of(
    Typed("name", most=LONGEST_ENTRY, needed=True),
    _ATTRIBUTE,
    Pick(
        "die",
        choices=plain_options(DICE),
        unknown="unknown-die",
        rule="EBB-TIER",
        whole="d",
        needed=True,
    ),
)
#: Field for the severity of an injury, by the beginning of the word.
SEVERITY: Final = Pick("severity", choices=plain_options(SEVERITIES))
_INJURY = Form.of(
    Typed("text", most=LONGEST_ENTRY, long=True, needed=True),
    Typed("part", most=LONGEST_ENTRY, blank=True),
    SEVERITY.replace(unknown="unknown-choice"),
    Flag("treated"),
)


def _points_field(key: str) -> Scores:
    """Return a field for points by attribute."""
    return Scores(key, high=HIGHEST_SACRIFICE, name=_ATTRIBUTE, into=losses_in_order)


def _fate_line(points: int) -> Text:
    """Return the line for Fate points."""
    return Text("ebb-sheet-points", {"points": points})


#: Form of a character's file: what a player types, and what play adds. Attributes are derived.
CHARACTER: Final = Form.of(
    NAME_FIELD,
    Number(
        "age",
        title=key_label("age"),
        help=_hint("age"),
        high=HIGHEST_AGE,
        null=True,
        fix="years-or-nothing",
    ),
    *map(_text_field, ("country", "sex")),
    _text_field("role", _hint("role")),
    *(_text_field(key, _hint(key), free=True) for key in ("tag", "group", "renown")),
    DESCRIPTION_FIELD,
    PORTRAIT_FIELD,
    Rows(
        "abilities",
        _ABILITY,
        title=Text("sheet-abilities"),
        help=_hint("abilities"),
        topic=Text("ebb-adds", {"what": "abilities"}),
        choices=sample_characters.ability_choices,
        picked=sample_characters.with_picked_ability,
        most=MOST_ABILITIES,
        needed=True,
        line=read_ability,
        said=ability_line,
        # The line keeps its place, so that the lines after it are numbered right.
        instead=lambda line: {"name": line, "group": ATTRIBUTES[0], "die": _USUAL},
        into=lambda row: Ability(row["name"], row["group"], int(row["die"][1:])),
        back=lambda held: {"name": held.name, "group": held.group, "die": held.die},
    ),
    _list_field(
        "drawbacks",
        help=_hint("drawbacks"),
        topic=Text("ebb-adds", {"what": "drawbacks"}),
        choices=sample_characters.drawback_choices,
        most=MOST_ABILITIES,
        needed=True,
    ),
    _list_field("equipment", Text("sheet-equipment"), free=True),
    _list_field("assets", free=True),
    _list_field("scarring", key_label("scars")),
    NOTES_FIELD,
    Number("fate", title=key_label("fate"), high=HIGHEST_FATE, told=_fate_line),
    _points_field("attributes"),
    Rows(
        "injuries",
        _INJURY,
        title=key_label("injuries"),
        most=MOST_ENTRIES,
        kind=Injury,
        told=injury_line,
    ),
    _points_field("sacrificed"),
)


# --- checks across fields -------------------------------------------------------------------------


def _check_count(reader: Reader, field: str, have: int, need: int, rule: str) -> None:
    """Note a number of entries that differs from the needed one."""
    if have == need:
        return
    fix = "add-entries" if have < need else "remove-entries"
    count = abs(need - have)
    reader.add_problem("wrong-number", field, have, fix, need=need, count=count, rule=rule)


def _check_creation(reader: Reader, rows: Sequence[Values]) -> None:
    """Note what is wrong with the abilities of a new character (EBB-CHAR).

    Unreadable dice are passed over.
    """
    field, rule, low = "abilities", "EBB-CHAR", DICE[: _START + 2]
    for index, row in enumerate(rows):
        if row.get("die", low[0]) not in low:
            path = f"abilities[{index}].die"
            reader.add_problem(
                "die-too-high-for-new", path, row["die"], "choose-allowed", allowed=low, rule=rule
            )
    _check_count(reader, field, len(rows), STARTING_ABILITIES, rule)
    dice = [row["die"] for row in rows if "die" in row]
    if len(dice) < len(rows):
        return
    exchanged = sorted((dice.count(die), die) for die in (_RAISED, _LOWERED))
    (fewer, to), (more, of) = exchanged
    if fewer != more:
        about = {"to": to, "of": of, "fewer": fewer, "count": more - fewer, "rule": rule}
        reader.add_problem("uneven-dice", field, more, "even-out-dice", **about)
    for count, die in exchanged:
        if count > _MOST_EXCHANGED:
            params = {"die": die, "highest": _MOST_EXCHANGED, "count": count - _MOST_EXCHANGED}
            reader.add_problem("too-many-at-die", field, count, "return-to-d6", rule=rule, **params)


def _check_consistency(reader: Reader, values: Values, *, new: bool) -> None:
    """Note what no field can check by itself.

    Names differ, numbers and dice fit, and attributes agree with the abilities.
    """
    rows: Sequence[Values] | None = values.get("abilities")
    if rows is None:
        return
    reader.note_repeated_names("abilities", rows)
    if new:
        _check_creation(reader, rows)
    _check_count(reader, "drawbacks", len(values.get("drawbacks", rows)), len(rows), "EBB-DRAWBACK")
    groups = [row.get("group") for row in rows]
    for name, value in values.get("attributes", {}).items() if None not in groups else ():
        expected = _half_rounded_up(groups.count(name))
        if value != expected:
            fix, rule = "correct-or-remove", "EBB-CHAR"
            reader.add_problem(
                "attribute-disagrees", f"attributes.{name}", value, fix, need=expected, rule=rule
            )


def check_entry(field: str, text: str) -> None:
    """Refuse a text that is not fit for a name or an entry of a list on a sheet.

    Raises InvalidInput("empty-text"), ("too-long") for more than 300 characters, or
    ("unprintable-text").
    """
    reader = Reader()
    reader.read_text(field, text, LONGEST_ENTRY, needed=True)
    if reader.problems:
        raise reader.problems[0]


def with_die(sheet: EbbSheet, ability: Ability, sides: int) -> EbbSheet:
    """Return the sheet with another die for one of its abilities."""
    index = sheet.abilities.index(ability)
    return sheet.replace(
        abilities=replace_entry(sheet.abilities, index, ability.replace(sides=sides))
    )


def add_injury(
    sheet: EbbSheet, text: str, part: str, severity: str, field: str = "text"
) -> tuple[EbbSheet, Injury]:
    """Return the sheet with an injury in the GM's words, and the injury.

    *field* is the option where the words were typed. Raises InvalidInput("too-many-entries"), and
    as `find_severity` and `check_entry`.
    """
    check_entry(field, text)
    if part:
        check_entry(field, part)
    injury = Injury(text, part, find_severity(severity))
    return sheet.replace(injuries=append_entry(sheet.injuries, injury, field, MOST_ENTRIES)), injury


def find_severity(text: str) -> str:
    """Return the severity that a text means; light for an empty one.

    Raises NotFound("unknown-choice") or NotFound("ambiguous-choice").
    """
    if not text.strip():
        return SEVERITIES[0]
    return SEVERITY.find_value(NO_CONTEXT, text)


def read_sheet(data: Mapping[str, object], *, new: bool = True) -> tuple[str, EbbSheet]:
    """Return the name and the sheet of a JSON object (EBB-CHAR).

    Needs `name`, `abilities` (objects of `name`, `group`, `die` such as "d6") and `drawbacks`;
    everything else has a default. `attributes` is derived: if it is given, it must agree with the
    abilities (base values). With *new* the rules of creation apply. Without, any die from d4 to d12
    and any number of abilities up to 60 are allowed. Either way there is one drawback for each
    ability. Texts are kept as written.

    Raises only Problems("bad-character") with an InvalidInput for each violation. Each has `field`
    (a path such as `abilities[3].die`, counted from 0), `value`, what is allowed (`allowed`,
    `lowest`, `highest`, `need`, `nearest`), `fix`, and `rule` if a rule of the game is broken.
    """
    values = CHARACTER.read_file(
        data, "bad-character", lambda reader, values: _check_consistency(reader, values, new=new)
    )
    return values["name"], CHARACTER.make_record(EbbSheet, values)


def write_sheet(name: str, sheet: EbbSheet) -> dict[str, Any]:
    """Return the JSON object that `read_sheet` reads back as the same name and sheet."""
    return {"name": name, **CHARACTER.all_values(sheet), "attributes": dict(base_attributes(sheet))}
