"""Reading and writing of character sheets (MB-CHAR-01, MB-SKILL-03, MB-SKILL-04)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, cast

from rules.core.equipment_lines import ROUNDS, carried_line, read_carried
from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader, violation
from rules.core.name_matching import clean_name, name_key, similar_names, similar_or_first
from rules.core.record import field_defaults
from rules.systems.masterbook.character.bound_points import GROUPS
from rules.systems.masterbook.character.effect_io import (
    EFFECTS_MOST,
    EffectRows,
    check_values,
    effect_line,
    read_effect_line,
)
from rules.systems.masterbook.character.option_lines import (
    OPTION_FORM,
    option_line,
    read_trade,
    read_typed_option,
    resolve_option,
    split_options,
    trade_line,
)
from rules.systems.masterbook.character.options import BackgroundOption, Options
from rules.systems.masterbook.character.sheet import (
    HIGHEST_ADDS,
    HIGHEST_VALUE,
    MAX_LIFE_POINTS,
    MOST_ENTRIES,
    Arm,
    Layer,
    MasterbookSheet,
    Skill,
    skill_title,
)
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, split_list
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect
from rules.systems.masterbook.formulas.equipment import (
    ARMOR,
    CLASSES,
    CampaignRows,
    equipment_by_name,
)
from rules.systems.masterbook.formulas.gm_rules import NPC_KINDS
from rules.systems.masterbook.formulas.movement import Drowning
from rules.systems.masterbook.formulas.option_kinds import Side
from rules.systems.masterbook.formulas.reference_rows import LOCATIONS
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table import forms
from rules.table.blocks import Text
from rules.table.forms import (
    Form,
    Lines,
    Number,
    Option,
    Pick,
    Scores,
    Typed,
    Values,
    plain_options,
)
from rules.table.people.common_fields import (
    EQUIPMENT_FIELD,
    LONGEST_TEXT,
    NAME_FIELD,
    NOTES_FIELD,
    PORTRAIT_FIELD,
)
from rules.table.people.row_fields import (
    LONGEST_ENTRY,
    Labels,
    coded_field,
    optional_pick,
    read_character,
    row_finder,
    short_field,
)

_SKILL_LINE: Final = re.compile(
    r"^(?P<name>[^:(;]+?)(?:\s*:\s*(?P<focus>[^(;]+?))?\s*(?:(?<=[\s:])(?P<adds>\d{1,3}))?\s*"
    r"(?:\((?P<special>[^)]*)\))?\s*(?:;\s*(?P<attribute>.+))?$"
)
#: Focuses of examples, where the list of skills names none.
_EXAMPLE_FOCUSES: Final = {"Faith": "temple rites", "Teaching": "chemistry"}
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


def _arm_choices(asking: forms.FormContext) -> Iterable[Option]:
    """Yield the weapons of the tables, by the skill that fires or wields them."""
    rows = equipment_by_name(asking.campaign or CampaignRows(), "weapons")
    for row in sorted(rows.values(), key=lambda each: each.skill):
        yield Option(row.name, Text("mb-pick-arm", {"name": row.name, "skill": row.skill}))


def _layer_choices(asking: forms.FormContext) -> Iterable[Option]:
    for row in ARMOR.values():
        yield Option(row.name, Text("mb-pick-layer", {"name": row.name, "add": row.add}))


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


def _arm_line(row: Values) -> str:
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


def _layer_line(row: Values) -> str:
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
    """`12 3`: the difficulty that was missed, rounds since; behind that the count after passing
    out.
    """
    words = [] if state is None else [state.dn, state.rounds, state.count]
    return " ".join([str(each) for each in words if each is not None]) or None


def _drowning(text: str | None) -> Drowning | None:
    """What `_drowning_text` writes. InvalidInput("mb-unreadable")."""
    words = (text or "").split()
    if words and not _DROWNING.fullmatch(" ".join(words)):
        shown = (text or "")[:100]
        raise InvalidInput("mb-unreadable", field="drowning", value=shown, fix="mb-write-drowning")
    return Drowning(*[int(each) for each in words]) if words else None


_SKILL: Final = Form(
    (
        Pick("name", find=row_finder(lambda rows: SKILLS), needed=True),
        Number("adds", high=HIGHEST_ADDS),
        short_field("focus"),
        Scores("specializations", high=HIGHEST_ADDS, most=20),
        optional_pick("attribute", ATTRIBUTES),
    )
)
_ARM: Final = Form(
    (
        Pick(
            "name",
            find=row_finder(lambda rows: equipment_by_name(rows or CampaignRows(), "weapons")),
            needed=True,
        ),
        forms.Flag("drawn", default=True),
        *(Number(each, high=10_000, null=True) for each in ("rounds", "magazine")),
        *(Number(each, high=HIGHEST_VALUE, null=True) for each in ("dv", "add", "maximum")),
        short_field("skill"),
        optional_pick("kind", CLASSES),
    )
)
_LAYER_FORM: Final = Form(
    (
        Typed("name", most=LONGEST_ENTRY, needed=True, read=clean_name),
        Number("add", high=50, needed=True),
        Number("maximum", high=HIGHEST_VALUE, null=True),
        forms.Many("covers", choices=plain_options(LOCATIONS), most=len(LOCATIONS)),
    )
)
_LABELS: Final = Labels(
    lambda key: Text("mb-hint", {"what": key}), MOST_ENTRIES, {"arms": "Weapons", "armour": "Armor"}
)
_title, hint, _rows, _names = _LABELS.title, _LABELS.hint, _LABELS.rows, _LABELS.names
#: A group of skills that skill points can be bound to.
_POINT_GROUP: Final = forms.Pick("group", choices=plain_options(GROUPS))
_number: Final = partial(_LABELS.number, high=HIGHEST_VALUE)


def _arm_told(held: Arm) -> Text:
    """A weapon on the sheet: what its own numbers are, and the rounds that are left."""
    keys = ("name", "dv", "add", "maximum", "rounds", "magazine")
    return Text(
        "mb-sheet-arm", {**{key: getattr(held, key) for key in keys}, "away": not held.drawn}
    )


def _options(key: str) -> forms.Rows:
    """Return the field of a sheet's Advantages or Compensations (MB-BG-01)."""
    side: Side = "advantage" if key == "advantages" else "compensation"

    def said(row: Values) -> str:
        return option_line(row, side)

    return _rows(
        *(key, OPTION_FORM, BackgroundOption, partial(read_typed_option, side=side), said),
        split=split_options,
        typed=True,
        told=lambda held: Text("as-written", {"text": said(OPTION_FORM.all_values(held))}),
    )


#: A character's file: what is typed, and what play brings.
CHARACTER: Final = Form(
    (
        NAME_FIELD,
        _LABELS.typed("sketch", LONGEST_TEXT, long=True),
        PORTRAIT_FIELD,
        *(_number(each, low=1, hint=True) for each in ATTRIBUTES),
        _number("toughness", null=True, hint=True),
        short_field("species").replace(title=_title("species")),
        Lines(
            "trades",
            title=_title("trades"),
            help=hint("trades"),
            most=20,
            longest=LONGEST_ENTRY,
            find=lambda asking, text: trade_line(read_trade(text)),
            into=lambda lines: tuple(read_trade(line) for line in lines),
            back=lambda trades: [trade_line(trade) for trade in trades],
            told=trade_line,
        ),
        _number("weight", high=100_000, low=1, null=True, hint=True),
        _number("height", high=100_000, low=1, null=True, hint=True),
        _rows(
            *("skills", _SKILL, Skill, read_skill, skill_line),
            split=split_skills,
        ),
        *(_options(each) for each in ("advantages", "compensations")),
        EffectRows(
            "effects",
            Form(),
            title=_title("effects"),
            help=hint("effects"),
            most=EFFECTS_MOST,
            kind=KnownEffect,
            line=read_effect_line,
            said=effect_line,
            typed=True,
            told=lambda known: Text("as-written", {"text": known.name}),
        ),
        _rows(
            *("arms", _ARM, Arm, read_arm, _arm_line),
            told=_arm_told,
            choices=_arm_choices,
            topic=Text("mb-adds-arm"),
        ),
        _rows(
            *("armour", _LAYER_FORM, Layer, read_layer, _layer_line),
            instead={"add": 0},
            choices=_layer_choices,
            topic=Text("mb-adds-layer"),
        ),
        EQUIPMENT_FIELD,
        NOTES_FIELD,
        _number("life_points", high=MAX_LIFE_POINTS),
        _number("surplus", high=9999),
        _number("skill_points", high=9999),
        Scores("bound_points", most=len(GROUPS), high=9999, name=_POINT_GROUP),
        optional_pick("npc_kind", NPC_KINDS, _title("npc_kind")),
        coded_field(
            "harm", _harm, harm_text, told=harm_text, title=_title("harm"), help=hint("harm")
        ),
        _number("lifted", null=True),
        coded_field("drowning", _drowning, _drowning_text, most=20),
        _number("rounds_run"),
        Scores("grown", most=MOST_ENTRIES),
        Scores("taught", most=MOST_ENTRIES),
    )
)


def _check_skills(reader: Reader, sheet: MasterbookSheet) -> None:
    """A macroskill needs its focus, others have none, an own skill its Attribute; nothing twice
    (MB-SKILL-03).
    """
    for at, each in enumerate(sheet.skills):
        row, place = SKILLS.get(each.name), f"skills[{at}]"
        if row is None and not each.attribute:
            near = similar_names(each.name, SKILLS)[:1] or similar_or_first(each.name, SKILLS)
            reader.add_problem("not-in-tables", place, each.name, "mb-name-attribute", nearest=near)
        elif row is not None and row.macro and not row.magic and not each.focus:
            focus = row.focuses[0] if row.focuses else _EXAMPLE_FOCUSES.get(row.name, "…")
            example = skill_title(row.name, focus)
            reader.add_problem("mb-needs-focus", place, each.name, "mb-name-focus", example=example)
    reader.note_repeated_titles("skills", sheet.skills)


def _check_effects(reader: Reader, sheet: MasterbookSheet) -> None:
    """An effect is rolled or resisted with skills that sheets have (MB-SFX-22)."""
    own = tuple(each.name for each in sheet.skills)
    for at, known in enumerate(sheet.effects):
        check_values(reader, f"effects[{at}].blueprint", known.blueprint, own)


def sheet_from_values(values: Values) -> MasterbookSheet:
    """The sheet of what could be read; of rows with something wrong nothing. The list has its
    skills' Attributes.
    """
    sheet = CHARACTER.make_record(MasterbookSheet, values)
    skills = [each.replace(attribute="") if each.name in SKILLS else each for each in sheet.skills]
    return sheet.replace(skills=tuple(skills))


#: Notes what else is wrong with a sheet that could be read.
SheetCheck = Callable[[Reader, MasterbookSheet], None]


def read_sheet(
    data: Mapping[str, object],
    campaign: CampaignRows | None = None,
    note: SheetCheck = lambda reader, sheet: None,
) -> tuple[str, MasterbookSheet]:
    """Read a character from a JSON object; the name and the sheet. Raises as `read_character`.

    *note* adds problems to those that make a sheet unreadable.
    """
    rows = campaign or CampaignRows()

    def make(values: Values) -> MasterbookSheet:
        return _with_resolved_options(Reader(), sheet_from_values(values), rows)

    def check(reader: Reader, sheet: MasterbookSheet) -> None:
        _check_skills(reader, sheet)
        _check_effects(reader, sheet)
        _check_arms(reader, sheet, rows)
        _with_resolved_options(reader, sheet, rows)
        note(reader, sheet)

    return read_character(CHARACTER, data, rows, make, check)


def _with_resolved_options(
    reader: Reader, sheet: MasterbookSheet, rows: CampaignRows
) -> MasterbookSheet:
    """Return the sheet with what the campaign's own options give; note those that aren't there."""
    advantages = _resolved(reader, sheet.advantages, "advantage", rows)
    compensations = _resolved(reader, sheet.compensations, "compensation", rows)
    return sheet.replace(advantages=advantages, compensations=compensations)


def _resolved(reader: Reader, options: Options, side: Side, rows: CampaignRows) -> Options:
    found: list[BackgroundOption] = []
    for at, option in enumerate(options):
        try:
            found.append(resolve_option(option, side, rows))
        except InvalidInput as error:
            found.append(option)
            place = {"field": f"{side}s[{at}]"}
            reader.problems.append(InvalidInput(error.code, **{**error.params, **place}))
    return tuple(found)


def _check_arms(reader: Reader, sheet: MasterbookSheet, campaign: CampaignRows) -> None:
    """What no table has needs its damage."""
    rows = equipment_by_name(campaign, "weapons")
    for at, each in enumerate(sheet.arms):
        if each.name not in rows and each.dv is None and each.add is None:
            near = similar_or_first(each.name, rows)
            reader.add_problem(
                "not-in-tables", f"arms[{at}]", each.name, "mb-write-arm", nearest=near
            )


def write_sheet(name: str, sheet: MasterbookSheet) -> dict[str, Any]:
    """The JSON object that `read_sheet` reads back to the same name and sheet."""
    return {"name": name, **CHARACTER.all_values(sheet)}
