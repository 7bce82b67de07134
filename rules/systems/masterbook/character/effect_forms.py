"""A special effect as a form: its fields with their prices, and what is wrong (MB-SFX-40, -41)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput, NotFound, RulesError
from rules.core.name_matching import similar_or_first
from rules.systems.masterbook.character.effect_condition_fields import conditions_field
from rules.systems.masterbook.character.effect_drafts import read_draft
from rules.systems.masterbook.character.effect_elements import element_fields
from rules.systems.masterbook.character.effect_fields import (
    CASTING,
    DRAFT_FORM,
    MENU_MOST,
    label,
    measure_field,
)
from rules.systems.masterbook.character.effect_io import unknown_values
from rules.systems.masterbook.character.effect_prices import (
    division_entry,
    figures_text,
    unreal_entry,
)
from rules.systems.masterbook.character.effect_workbench import Workbench
from rules.systems.masterbook.character.skill_names import ROLLED_NAMES
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Unreal
from rules.systems.masterbook.formulas.effect_condition_points import unreal_reduction
from rules.systems.masterbook.formulas.effect_costs import even_split, largest_share
from rules.systems.masterbook.formulas.effect_findings import WorksheetFinding
from rules.systems.masterbook.formulas.effect_rows import UNREAL, effect_kind
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.fields import QUOTE_MAX, FormContext, Option, plain_options
from rules.table.forms.form import Field, Form

#: Splits that a menu offers on each side of the even one.
_SPLITS: Final = 30
#: Entries of the menu of rolls to hit besides the character's skills: none, and the casting.
_OTHER_ROLLS: Final = 2


# --- the form -------------------------------------------------------------------------------------


def effect_form(bench: Workbench, draft: Values) -> Form:
    """Return the form of an effect, with the prices for the blueprint of this draft."""
    blueprint, _ = read_draft(draft, bench)
    priced = _priced_fields(bench, blueprint, draft)
    fields = tuple(
        priced.get(key, field)
        for key, field in DRAFT_FORM.by_key.items()
        if _is_shown(key, bench, blueprint, draft)
    )
    return Form(fields, check=partial(_errors, bench), warns=partial(_warnings, bench))


def _is_shown(key: str, bench: Workbench, blueprint: Blueprint, draft: Values) -> bool:
    """Return whether a field fits the draft; one that is filled in stays."""
    match key:
        case "shape":
            return blueprint.area is not None or bool(draft.get("shape"))
        case "holder":
            return blueprint.charges > 0
        case "ward":
            return blueprint.charges > 0 or bool(str(draft.get("ward") or "").strip())
        case "unreal_division":
            return blueprint.unreal is not None or bool(draft.get("unreal_division"))
        case "rush_steps":
            return bench.rushes
        case "rush_division":
            return bench.rushes and _rush_steps(draft) != 0
        case _:
            return True


def _rush_steps(draft: Values) -> int:
    return int(draft.get("rush_steps") or 0)


def _priced_fields(bench: Workbench, blueprint: Blueprint, draft: Values) -> dict[str, Field]:
    """Return the fields that depend on the blueprint or the character, by key."""
    fields = {
        **element_fields(blueprint, bench.rules_of(blueprint), bench.known),
        "skill": _skill_field(bench),
        "dn_share": _split_field(bench, blueprint),
        "conditions": conditions_field(bench, blueprint),
        "unreal": _unreal_field(bench, blueprint),
        "unreal_division": _division_field(bench, blueprint),
        "resisted_by": _resistance_field(blueprint),
        "to_hit": _to_hit_field(bench),
        "rush_division": _rush_division_field(draft),
    }
    if blueprint.action == "movement":
        fields["resisting_number"] = measure_field(
            "resisting_number", "mass", title=label("mass"), help=label("mass-help")
        )
    return fields


def _skill_field(bench: Workbench) -> Field:
    options: list[Option] = []
    for name, value in bench.skills:
        shown = {"name": name, "value": value, "kind": effect_kind(name)}
        options.append(Option(name, Text("mb-effect-skill", shown)))
    return DRAFT_FORM.by_key["skill"].replace(choices=tuple(options))


# --- the split and illusions ----------------------------------------------------------------------


def _split_field(bench: Workbench, blueprint: Blueprint) -> Field:
    """Return the menu of the difficulty's shares, the even one first (MB-SFX-S16)."""
    even_sheet = bench.work_out(blueprint.replace(dn_share=None))
    high = largest_share(even_sheet.subtotal)
    low = even_sheet.subtotal - high

    def entry(share: int) -> Text:
        sheet = bench.work_out(blueprint.replace(dn_share=share))
        shown = {"dn": sheet.dn_split, "fv": sheet.fv_split, "figures": figures_text(sheet)}
        return Text("mb-effect-split-entry", shown)

    even_shown = {
        "dn": even_sheet.dn_split,
        "fv": even_sheet.fv_split,
        "figures": figures_text(even_sheet),
        "even": True,
    }
    middle = even_split(even_sheet.subtotal)
    around = range(max(low, middle - _SPLITS), min(high, middle + _SPLITS) + 1)
    return DRAFT_FORM.by_key["dn_share"].replace(
        subtotal=even_sheet.subtotal,
        least=low,
        largest=high,
        help=label("dn_share-help", low=low, high=high),
        offered=tuple(sorted(around, key=lambda share: abs(share - middle))),
        label=entry,
        nothing=Text("mb-effect-split-entry", even_shown),
    )


def _unreal_field(bench: Workbench, blueprint: Blueprint) -> Field:
    rules = bench.rules_of(blueprint)
    options = tuple(
        Option(str(dn), unreal_entry(blueprint, dn, rules)) for dn in sorted(UNREAL, reverse=True)
    )
    return DRAFT_FORM.by_key["unreal"].replace(choices=options)


def _division_field(bench: Workbench, blueprint: Blueprint) -> Field:
    """Return the menu of ways to divide an illusion's points (MB-SFX-S24)."""
    rules, unreal = bench.rules_of(blueprint), blueprint.unreal or Unreal()
    points = unreal_reduction(blueprint.effect_value, unreal.disbelief_dn)

    def entry(to_dn: int) -> Text:
        divided = unreal.replace(to_dn=to_dn, to_fv=points - to_dn)
        return division_entry(blueprint, divided, rules)

    def choices(asking: FormContext) -> Iterator[Option]:
        for to_dn in range(points + 1):
            yield Option(f"{to_dn}/{points - to_dn}", entry(to_dn))

    field = DRAFT_FORM.by_key["unreal_division"]
    return field.replace(choices=choices, nothing=entry(points // 2))


# --- in play, and in a hurry ----------------------------------------------------------------------


def _resistance_field(blueprint: Blueprint) -> Field:
    title = label("resisted_by", action=blueprint.action)
    return DRAFT_FORM.by_key["resisted_by"].replace(title=title)


def _to_hit_field(bench: Workbench) -> Field:
    skills = plain_options(bench.known[: MENU_MOST - _OTHER_ROLLS])
    casting = Option(CASTING, Text("mb-effect-casting"))
    return DRAFT_FORM.by_key["to_hit"].replace(choices=(casting, *skills))


def _rush_division_field(draft: Values) -> Field:
    """Return the menu of ways to divide the steps of time saved (MB-SFX-92)."""
    steps = _rush_steps(draft)
    options: list[Option] = []
    for to_dn in range(steps + 1):
        shown = {"to_dn": to_dn, "to_fv": steps - to_dn}
        words = Text("mb-effect-rush-division", shown)
        options.append(Option(f"{to_dn}/{steps - to_dn}", words))
    return DRAFT_FORM.by_key["rush_division"].replace(choices=tuple(options))


# --- findings -------------------------------------------------------------------------------------


def finding_error(finding: WorksheetFinding) -> RulesError:
    """Return a finding of the worksheet as an error of the form."""
    numbers: dict[str, Any] = dict(finding.numbers)
    field = "points_down" if finding.field == "variable_effect" else finding.field
    return InvalidInput(finding.code, **{**numbers, "field": field})


def _errors(bench: Workbench, asking: FormContext) -> Iterator[RulesError]:
    """Yield the worksheet's errors, as far as the draft's typed texts can be read."""
    blueprint, rush = read_draft(asking.values, bench)
    yield from map(finding_error, bench.work_out(blueprint).errors)
    names = (*bench.known, *ROLLED_NAMES)
    for key, text in unknown_values(blueprint, bench.known):
        near = similar_or_first(text, names)
        yield NotFound("unknown-choice", field=key, value=text[:QUOTE_MAX], nearest=near)
    if rush.to_dn + rush.to_fv != rush.steps:
        shown = {"value": rush.to_dn + rush.to_fv, "most": rush.steps}
        yield InvalidInput("mb-effect-rush-points", field="rush_division", **shown)


def _warnings(bench: Workbench, asking: FormContext) -> Iterator[RulesError]:
    """Yield the worksheet's warnings, as far as the draft's typed texts can be read."""
    blueprint, _ = read_draft(asking.values, bench)
    yield from map(finding_error, bench.work_out(blueprint).warnings)
