"""Menus of a special effect's elements, with prices (MB-SFX-S06 to -S15)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, Literal

from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.effect_fields import (
    DRAFT_FORM,
    MENU_MOST,
    TRAITS,
    label,
    shape_text,
    switch_text,
)
from rules.systems.masterbook.character.effect_prices import (
    APPORTATION_STEP,
    AREA_STEP,
    BAND_STEP,
    CHANGES_STEP,
    CHARGES_STEP,
    DURATION_STEP,
    FOCUS_STEP,
    MAINTENANCE_STEP,
    TARGETS_STEP,
    TRAITS_STEP,
    element_price,
    priced_text,
)
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, EffectArea
from rules.systems.masterbook.formulas.effect_costs import (
    STEP_COST,
    WorksheetRules,
    accuracy_bonus,
    area_bonus,
    extension_seconds,
    usable_targets,
)
from rules.systems.masterbook.formulas.effect_rows import SHAPES, SWITCHES
from rules.systems.masterbook.formulas.measures import digits
from rules.table.blocks import Text
from rules.table.forms.fields import FormContext, Option
from rules.table.forms.form import Field

#: Diameters in meters that the menu of areas offers, by dimensions: spheres, then circles.
_DIAMETERS: Final[dict[Literal[2, 3], tuple[int, ...]]] = {
    3: (1, 2, 3, 4, 5, 6, 8, 10, 15, 20),
    2: (2, 3, 4, 5, 6, 8, 10, 15, 20),
}


def element_fields(
    blueprint: Blueprint, rules: WorksheetRules, known: tuple[str, ...]
) -> dict[str, Field]:
    """Return the fields of the elements by key, with the prices for this blueprint.

    *known* are the character's skills, which an effect can meet.
    """
    fields: dict[str, Field] = {
        "area": _area_field(blueprint, rules),
        "shape": _shape_field(blueprint, rules),
        "traits": _traits_field(blueprint, rules, known),
        "switch": _switch_field(blueprint, rules),
        "movement": _flag_field(blueprint, rules, "movement", APPORTATION_STEP),
        "maintenance": _flag_field(blueprint, rules, "maintenance", MAINTENANCE_STEP),
    }
    for key in _NUMBER_MENUS:
        fields[key] = _number_field(blueprint, rules, key)
    return fields


# --- elements that are bought by a number ---------------------------------------------------------


class _NumberMenu(Record):
    """Menu of an element that is bought by a number."""

    #: Step of the worksheet in which the element is paid.
    step: int
    offered: tuple[int, ...]
    #: Words of an entry, given the blueprint and the number.
    words: Callable[[Blueprint, int], Text]
    #: Whether its own price is its number of points, as another element is paid in the same step.
    shares_step: bool = False


def _count_words(what: str) -> Callable[[Blueprint, int], Text]:
    """Return the maker of words such as *3 targets*."""

    return lambda blueprint, number: Text("mb-effect-bought", {"what": what, "n": number})


def _accuracy_words(blueprint: Blueprint, points: int) -> Text:
    return Text("mb-effect-to-hit", {"n": accuracy_bonus(points)})


def _extension_words(blueprint: Blueprint, points: int) -> Text:
    seconds = extension_seconds(points)
    whole = int(seconds) if seconds.denominator == 1 else None
    return Text("mb-effect-longer", {"seconds": whole, "n": None if whole else digits(seconds)})


def _band_words(sign: int) -> Callable[[Blueprint, int], Text]:
    def words(blueprint: Blueprint, points: int) -> Text:
        by = sign * (points // STEP_COST)
        return Text("mb-effect-band", {"by": by, "value": max(0, blueprint.effect_value + by)})

    return words


_BAND_POINTS: Final = (*range(2, 22, 2), 30, 40)
_NUMBER_MENUS: Final = {
    "targets": _NumberMenu(TARGETS_STEP, (*range(2, 11), 12, 15, 20), _count_words("targets")),
    "target_changes": _NumberMenu(
        CHANGES_STEP, (*range(2, 11), 12, 15, 20), _count_words("changes")
    ),
    "charges": _NumberMenu(CHARGES_STEP, tuple(range(1, 13)), _count_words("charges")),
    "focus_targets": _NumberMenu(FOCUS_STEP, tuple(range(1, MENU_MOST + 1)), _count_words("focus")),
    "points_down": _NumberMenu(BAND_STEP, _BAND_POINTS, _band_words(-1)),
    "points_up": _NumberMenu(BAND_STEP, _BAND_POINTS, _band_words(1)),
    "accuracy": _NumberMenu(
        APPORTATION_STEP,
        (1, 3, 4, 6, 10, 15, 25, 40, 60, 100),
        _accuracy_words,
        shares_step=True,
    ),
    "extension": _NumberMenu(DURATION_STEP, (*range(1, 13), 14, 18, 20, 25), _extension_words),
}


def _number_field(blueprint: Blueprint, rules: WorksheetRules, key: str) -> Field:
    menu = _NUMBER_MENUS[key]
    without = blueprint.replace(**{key: 0})

    def entry(number: int) -> Text:
        price = element_price(blueprint.replace(**{key: number}), without, menu.step, rules)
        if menu.shares_step:
            price = price.replace(own=number)
        return priced_text(menu.words(blueprint, number), price)

    offered = menu.offered
    if key == "focus_targets":
        offered = offered[: usable_targets(blueprint)]
    return DRAFT_FORM.by_key[key].replace(offered=offered, label=entry)


# --- elements that are chosen ---------------------------------------------------------------------


def _area_field(blueprint: Blueprint, rules: WorksheetRules) -> Field:
    without = blueprint.replace(area=None)
    shape = "none" if blueprint.area is None else blueprint.area.shape

    def choices(asking: FormContext) -> Iterator[Option]:
        for dims, diameters in _DIAMETERS.items():
            for meters in diameters:
                area = EffectArea(dims, meters, shape)
                price = element_price(blueprint.replace(area=area), without, AREA_STEP, rules)
                words = Text("mb-effect-area-words", {"kind": area.kind, "n": meters})
                bonus = area_bonus(area)
                more = Text("mb-effect-to-hit", {"n": bonus}) if bonus else None
                yield Option(f"{area.kind} {meters}", priced_text(words, price, more))

    return DRAFT_FORM.by_key["area"].replace(choices=choices)


def _shape_field(blueprint: Blueprint, rules: WorksheetRules) -> Field:
    area = blueprint.area or EffectArea()

    def with_shape(shape: Any) -> Blueprint:
        return blueprint.replace(area=area.replace(shape=shape))

    choices = _row_choices(SHAPES, with_shape, shape_text, AREA_STEP, rules)
    return DRAFT_FORM.by_key["shape"].replace(choices=choices)


def _switch_field(blueprint: Blueprint, rules: WorksheetRules) -> Field:
    def with_switch(switch: Any) -> Blueprint:
        return blueprint.replace(switch=switch)

    choices = _row_choices(SWITCHES, with_switch, switch_text, DURATION_STEP, rules)
    return DRAFT_FORM.by_key["switch"].replace(choices=choices)


def _row_choices(
    rows: Iterable[str],
    with_row: Callable[[str], Blueprint],
    words: Callable[[str], Text],
    step: int,
    rules: WorksheetRules,
) -> Callable[[FormContext], Iterator[Option]]:
    """Return the priced menu entries of a table's rows, all but `none`."""

    def choices(asking: FormContext) -> Iterator[Option]:
        without = with_row("none")
        for row in rows:
            if row != "none":
                price = element_price(with_row(row), without, step, rules)
                yield Option(row, priced_text(words(row), price))

    return choices


def _traits_field(blueprint: Blueprint, rules: WorksheetRules, known: tuple[str, ...]) -> Field:
    def choices(asking: FormContext) -> Iterator[Option]:
        held = {name_key(trait) for trait in blueprint.traits}
        for name in dict.fromkeys((*TRAITS, *known)):
            if name_key(name) not in held:
                with_trait = blueprint.replace(traits=(*blueprint.traits, name))
                price = element_price(with_trait, blueprint, TRAITS_STEP, rules)
                yield Option(name, priced_text(Text("mb-effect-name", {"name": name}), price))

    return DRAFT_FORM.by_key["traits"].replace(choices=choices)


def _flag_field(blueprint: Blueprint, rules: WorksheetRules, key: str, step: int) -> Field:
    bought, without = blueprint.replace(**{key: True}), blueprint.replace(**{key: False})
    price = element_price(bought, without, step, rules)
    return DRAFT_FORM.by_key[key].replace(label=priced_text(label(key), price))
