"""Reading and writing of character sheets (MB-CHAR-01, MB-SKILL-03, MB-SKILL-04)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.json_reader import Reader
from rules.core.name_matching import clean_name, similar_names, similar_or_first
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
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
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

#: Focuses of examples, where the list of skills names none.
_EXAMPLE_FOCUSES: Final = {"Faith": "temple rites", "Teaching": "chemistry"}


def _arm_choices(asking: forms.FormContext) -> Iterable[Option]:
    """Yield the weapons of the tables, by the skill that fires or wields them."""
    rows = equipment_by_name(asking.campaign or CampaignRows(), "weapons")
    for row in sorted(rows.values(), key=lambda each: each.skill):
        yield Option(row.name, Text("mb-pick-arm", {"name": row.name, "skill": row.skill}))


def _layer_choices(asking: forms.FormContext) -> Iterable[Option]:
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
            *("arms", _ARM, Arm, read_arm, arm_line),
            told=_arm_told,
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
