"""Drafts of special effects: blueprints read of them, and written to them (MB-SFX-40)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from rules.systems.masterbook.character.effect_conditions import CONDITION_FORM, condition_line
from rules.systems.masterbook.character.effect_fields import BASIC_KEYS, DRAFT_FORM, TEMPLATE
from rules.systems.masterbook.character.effect_workbench import BARE, Workbench
from rules.systems.masterbook.formulas.effect_blueprint import (
    Blueprint,
    Condition,
    EffectArea,
    ExtraElement,
    Rush,
    Unreal,
)
from rules.systems.masterbook.formulas.effect_condition_points import unreal_reduction
from rules.systems.masterbook.formulas.effect_templates import TEMPLATES
from rules.table.check import Values

#: Effect value of a new blueprint.
_FIRST_VALUE: Final = 15
#: Fields of a blueprint that a draft writes in a form of its own, or at times, or never.
_FORMATTED_KEYS: Final = frozenset(
    ("area", "traits", "switch", "holder", "extras", "conditions", "unreal", "given")
)
#: Fields that a draft has as the blueprint has them: all others.
_PLAIN_KEYS: Final = tuple(key for key in Blueprint.__struct_fields__ if key not in _FORMATTED_KEYS)
#: Fields of which a 0 is said; of all others an empty field means the same.
_ZERO_KEYS: Final = (*BASIC_KEYS, "resisting_number")
#: Fields of a blueprint whose values in a draft have another form, such as `sphere 2` for an area.
_REWRITTEN_KEYS: Final = ("area", "unreal", "extras")


# --- from a blueprint to a draft ------------------------------------------------------------------


def blueprint_draft(blueprint: Blueprint) -> dict[str, Any]:
    """Return the draft of a blueprint, from whose values `blueprint_from` makes it again."""
    draft: dict[str, Any] = {key: getattr(blueprint, key) for key in _PLAIN_KEYS}
    if blueprint.area is not None:
        draft |= _area_draft(blueprint.area)
    if blueprint.switch != "none":
        draft["switch"] = blueprint.switch
    if blueprint.charges and blueprint.holder != "object":
        draft["holder"] = blueprint.holder
    draft["traits"] = "\n".join(blueprint.traits)
    draft["extras"] = "\n".join(f"{extra.name} {extra.cost}" for extra in blueprint.extras)
    rows = (CONDITION_FORM.all_values(condition) for condition in blueprint.conditions)
    draft["conditions"] = "\n".join(map(condition_line, rows))
    if (unreal := blueprint.unreal) is not None:
        draft["unreal"] = str(unreal.disbelief_dn)
        draft["unreal_division"] = f"{unreal.to_dn}/{unreal.to_fv}"
    return {key: value for key, value in draft.items() if value or _says_zero(key, value)}


def _area_draft(area: EffectArea) -> dict[str, Any]:
    draft: dict[str, Any] = {"area": f"{area.kind} {area.diameter}"}
    if area.shape != "none":
        draft["shape"] = area.shape
    return draft


def _says_zero(key: str, value: object) -> bool:
    """Return whether a value is a 0 that differs from an empty field."""
    return value == 0 and value is not False and key in _ZERO_KEYS


# --- from a draft to a blueprint ------------------------------------------------------------------


def read_draft(draft: Values, bench: Workbench = BARE) -> tuple[Blueprint, Rush]:
    """Return the blueprint of a draft as far as it can be read, and the time saved."""
    values, _ = DRAFT_FORM.read_draft(draft)
    return blueprint_from(values, bench), rush_from(values)


def blueprint_from(values: Values, bench: Workbench = BARE) -> Blueprint:
    """Return the blueprint of values that were read of a draft."""
    fields: dict[str, Any] = {
        "name": "",
        "skill": bench.skills[0][0],
        "effect_value": _FIRST_VALUE,
    }
    for key, value in values.items():
        if key in Blueprint.__struct_fields__ and key not in _REWRITTEN_KEYS:
            fields[key] = value
    fields["traits"] = tuple(values.get("traits", ()))
    fields["conditions"] = _conditions_from(values.get("conditions", ()))
    extras: dict[str, int] = dict(values.get("extras", {}))
    fields["extras"] = tuple(ExtraElement(name, cost) for name, cost in extras.items())
    blueprint = Blueprint(**fields)
    if "area" in values:
        blueprint = blueprint.replace(area=_area_from(values))
    if "unreal" in values:
        blueprint = blueprint.replace(unreal=_unreal_from(blueprint, values))
    return blueprint


def _conditions_from(rows: Iterable[Values]) -> tuple[Condition, ...]:
    complete = (row for row in rows if CONDITION_FORM.is_complete(row))
    return tuple(CONDITION_FORM.make_record(Condition, row) for row in complete)


def _area_from(values: Values) -> EffectArea:
    kind, _, meters = str(values["area"]).partition(" ")
    dims = 2 if kind == "circle" else 3
    return EffectArea(dims, int(meters), values.get("shape", "none"))


def _unreal_from(blueprint: Blueprint, values: Values) -> Unreal:
    """Return an illusion; without a division its points are divided evenly, the odd one to FV."""
    dn = cast("Any", int(values["unreal"]))
    points = unreal_reduction(blueprint.effect_value, dn)
    to_dn, to_fv = _divide(values.get("unreal_division"), points)
    return Unreal(dn, to_dn, to_fv)


def rush_from(values: Values) -> Rush:
    """Return the time saved at the design; without a division, the odd point goes to the FV."""
    steps = values.get("rush_steps", 0)
    if not steps:
        return Rush()
    to_dn, to_fv = _divide(values.get("rush_division"), steps)
    return Rush(steps, to_dn, to_fv)


def _divide(division: object, points: int) -> tuple[int, int]:
    """Return a division such as `2/3`; without one, points divided evenly."""
    if not division:
        return points // 2, points - points // 2
    to_dn, _, to_fv = str(division).partition("/")
    return int(to_dn), int(to_fv)


# --- templates ------------------------------------------------------------------------------------


def with_template(before: Values, after: Values) -> dict[str, Any]:
    """Return a draft after a choice: a new template fills in the untouched fields.

    A field that is empty, or holds the value of the former template, counts as untouched.
    """
    chosen = after.get(TEMPLATE)
    if chosen == before.get(TEMPLATE):
        return dict(after)
    given, former = _template_draft(chosen), _template_draft(before.get(TEMPLATE))
    draft = dict(after)
    for key in (*given, *former):
        held = draft.get(key)
        if held in (None, "", False) or held == former.get(key):
            draft[key] = given.get(key)
    return {key: value for key, value in draft.items() if value is not None}


def _template_draft(template: object) -> dict[str, Any]:
    row = TEMPLATES.get(str(template))
    if row is None:
        return {}
    draft = blueprint_draft(row.blueprint)
    return {key: value for key, value in draft.items() if key not in ("name", "skill")}
