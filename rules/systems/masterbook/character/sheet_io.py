"""Reading and writing of character sheets (MB-CHAR-01, MB-SKILL-03, MB-SKILL-04)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader
from rules.core.name_matching import clean_name, similar_or_first
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
    read_typed_option,
    resolve_option,
    split_options,
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
from rules.systems.masterbook.character.sheet_lines import (
    arm_line,
    drowning_text,
    harm_text,
    layer_line,
    read_arm,
    read_drowning,
    read_harm,
    read_layer,
    read_skill,
    skill_line,
    split_skills,
)
from rules.systems.masterbook.character.sheet_trades import read_trade, trade_line
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, example_focus, nearest_skills
from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect
from rules.systems.masterbook.formulas.equipment import (
    ARMOR,
    CLASSES,
    CampaignRows,
    equipment_by_name,
)
from rules.systems.masterbook.formulas.gm_rules import NPC_KINDS
from rules.systems.masterbook.formulas.option_kinds import Side
from rules.systems.masterbook.formulas.reference_rows import LOCATIONS
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Lines, Rows, Scores
from rules.table.forms.fields import (
    Flag,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    plain_options,
)
from rules.table.forms.form import Form
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


def _arm_choices(asking: FormContext) -> Iterable[Option]:
    """Yield the weapons of the tables, by the skill that fires or wields them."""
    rows = equipment_by_name(asking.campaign or CampaignRows(), "weapons")
    for row in sorted(rows.values(), key=lambda row: row.skill):
        yield Option(row.name, Text("mb-pick-arm", {"name": row.name, "skill": row.skill}))


def _layer_choices(asking: FormContext) -> Iterable[Option]:
    for row in ARMOR.values():
        yield Option(row.name, Text("mb-pick-layer", {"name": row.name, "add": row.add}))


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
        Flag("drawn", default=True),
        *(Number(key, high=10_000, null=True) for key in ("rounds", "magazine")),
        *(Number(key, high=HIGHEST_VALUE, null=True) for key in ("dv", "add", "maximum")),
        short_field("skill"),
        optional_pick("kind", CLASSES),
    )
)
_LAYER_FORM: Final = Form(
    (
        Typed("name", most=LONGEST_ENTRY, needed=True, read=clean_name),
        Number("add", high=50, needed=True),
        Number("maximum", high=HIGHEST_VALUE, null=True),
        Many("covers", choices=plain_options(LOCATIONS), most=len(LOCATIONS)),
    )
)
_LABELS: Final = Labels(
    lambda key: Text("mb-hint", {"what": key}), MOST_ENTRIES, {"arms": "Weapons", "armour": "Armor"}
)
_title, hint, _rows, _names = _LABELS.title, _LABELS.hint, _LABELS.rows, _LABELS.names
#: A group of skills that skill points can be bound to.
_POINT_GROUP: Final = Pick("group", choices=plain_options(GROUPS))
_number: Final = partial(_LABELS.number, high=HIGHEST_VALUE)


def _arm_text(held: Arm) -> Text:
    """Return a weapon as the sheet shows it: its own numbers, and the rounds that are left."""
    keys = ("name", "dv", "add", "maximum", "rounds", "magazine")
    shown = {key: getattr(held, key) for key in keys}
    return Text("mb-sheet-arm", {**shown, "away": not held.drawn})


def _option_rows(key: str) -> Rows:
    """Return the field of a sheet's Advantages or Compensations (MB-BG-01)."""
    side: Side = "advantage" if key == "advantages" else "compensation"

    def line_of(row: Values) -> str:
        return option_line(row, side)

    return _rows(
        *(key, OPTION_FORM, BackgroundOption, partial(read_typed_option, side=side), line_of),
        split=split_options,
        typed=True,
        told=lambda held: Text("as-written", {"text": line_of(OPTION_FORM.all_values(held))}),
    )


#: A character's file: fields that players type, and those that play fills.
CHARACTER: Final = Form(
    (
        NAME_FIELD,
        _LABELS.typed("sketch", LONGEST_TEXT, long=True),
        PORTRAIT_FIELD,
        *(_number(key, low=1, hint=True) for key in ATTRIBUTES),
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
        *(_option_rows(key) for key in ("advantages", "compensations")),
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
            *("arms", _ARM, Arm, read_arm, arm_line),
            told=_arm_text,
            choices=_arm_choices,
            topic=Text("mb-adds-arm"),
        ),
        _rows(
            *("armour", _LAYER_FORM, Layer, read_layer, layer_line),
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
            "harm", read_harm, harm_text, told=harm_text, title=_title("harm"), help=hint("harm")
        ),
        _number("lifted", null=True),
        coded_field("drowning", read_drowning, drowning_text, most=20),
        _number("rounds_run"),
        Scores("grown", most=MOST_ENTRIES),
        Scores("taught", most=MOST_ENTRIES),
    )
)


def _check_skills(reader: Reader, sheet: MasterbookSheet) -> None:
    """Note skills that no list has, macroskills without a focus, and repetitions (MB-SKILL-03)."""
    for at, skill in enumerate(sheet.skills):
        row, name, place = SKILLS.get(skill.name), skill.name, f"skills[{at}]"
        if row is None:
            if not skill.attribute:
                near = nearest_skills(name)
                reader.add_problem("not-in-tables", place, name, "mb-name-attribute", nearest=near)
        elif row.macro and not row.magic and not skill.focus:
            example = skill_title(row.name, example_focus(row))
            reader.add_problem("mb-needs-focus", place, name, "mb-name-focus", example=example)
    reader.note_repeated_titles("skills", sheet.skills)


def _check_effects(reader: Reader, sheet: MasterbookSheet) -> None:
    """Note effects that are rolled or resisted with skills that no sheet has (MB-SFX-22)."""
    own = tuple(skill.name for skill in sheet.skills)
    for at, known in enumerate(sheet.effects):
        check_values(reader, f"effects[{at}].blueprint", known.blueprint, own)


def sheet_from_values(values: Values) -> MasterbookSheet:
    """Return the sheet of the values that could be read, without the rows that couldn't.

    A skill of the list has the list's Attribute.
    """
    sheet = CHARACTER.make_record(MasterbookSheet, values)
    skills: list[Skill] = []
    for skill in sheet.skills:
        skills.append(skill.replace(attribute="") if skill.name in SKILLS else skill)
    return sheet.replace(skills=tuple(skills))


#: Function that notes what else is wrong with a sheet that could be read.
SheetCheck = Callable[[Reader, MasterbookSheet], None]


def read_sheet(
    data: Mapping[str, object],
    campaign: CampaignRows | None = None,
    note: SheetCheck = lambda reader, sheet: None,
) -> tuple[str, MasterbookSheet]:
    """Return a character's name and sheet, read from a JSON object.

    *note* adds problems to those that make a sheet unreadable. Raises as `read_character`.
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
    advantages = _resolve_options(reader, sheet.advantages, "advantage", rows)
    compensations = _resolve_options(reader, sheet.compensations, "compensation", rows)
    return sheet.replace(advantages=advantages, compensations=compensations)


def _resolve_options(reader: Reader, options: Options, side: Side, rows: CampaignRows) -> Options:
    resolved: list[BackgroundOption] = []
    for at, option in enumerate(options):
        try:
            resolved.append(resolve_option(option, side, rows))
        except InvalidInput as error:
            resolved.append(option)
            params = {**error.params, "field": f"{side}s[{at}]"}
            reader.problems.append(InvalidInput(error.code, **params))
    return tuple(resolved)


def _check_arms(reader: Reader, sheet: MasterbookSheet, campaign: CampaignRows) -> None:
    """Note weapons that no table has, and that state no damage."""
    rows = equipment_by_name(campaign, "weapons")
    for at, arm in enumerate(sheet.arms):
        if arm.name not in rows and arm.dv is None and arm.add is None:
            near = similar_or_first(arm.name, rows)
            place = f"arms[{at}]"
            reader.add_problem("not-in-tables", place, arm.name, "mb-write-arm", nearest=near)


def write_sheet(name: str, sheet: MasterbookSheet) -> dict[str, Any]:
    """Return the JSON object that `read_sheet` reads back to the same name and sheet."""
    return {"name": name, **CHARACTER.all_values(sheet)}
