"""A special effect in words: its stat block and its worksheet (MB-SFX-11, MB-SFX-S25)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rules.systems.masterbook.character.effect_conditions import condition_text
from rules.systems.masterbook.character.effect_measures import measure_text
from rules.systems.masterbook.character.effect_prices import figures_text, total_lines
from rules.systems.masterbook.formulas.effect_blueprint import CHANGES, Blueprint, Condition
from rules.systems.masterbook.formulas.effect_condition_points import (
    condition_dn,
    counted_conditions,
)
from rules.systems.masterbook.formulas.effect_costs import (
    BOOK,
    WorksheetRules,
    accuracy_bonus,
    area_bonus,
    effect_value_band,
    extension_seconds,
    speed_of,
)
from rules.systems.masterbook.formulas.effect_values import detours_of
from rules.systems.masterbook.formulas.effect_worksheet import (
    Figures,
    applied_effect_values,
    work_out,
)
from rules.systems.masterbook.formulas.measures import digits
from rules.table.blocks import FOR_EVERYONE, Group, Text


def stat_block(
    blueprint: Blueprint, rules: WorksheetRules = BOOK, figures: Figures | None = None
) -> tuple[Text, ...]:
    """Return the stat block of an effect: its entries, casting, rolls and results (MB-SFX-11).

    *figures* are those of a known effect; without them the worksheet's figures are shown.
    """
    if figures is None:
        sheet = work_out(blueprint, rules)
        figures = Figures(sheet.dn, sheet.fv)
    lines = [_entries(blueprint, figures)]
    if blueprint.description:
        lines.append(Text("mb-effect-sheet-text", {"text": blueprint.description}))
    parts = {
        "cast": tuple(_cast_lines(blueprint, rules)),
        "roll": tuple(_roll_lines(blueprint, figures)),
        "does": tuple(_effect_lines(blueprint)),
    }
    for part, part_lines in parts.items():
        lines.append(Text("mb-effect-sheet-head", {"part": part}))
        lines += (Text("mb-effect-sheet-line", {"line": line}) for line in part_lines)
    return tuple(lines)


def stat_groups(lines: Iterable[Text]) -> tuple[Group, ...]:
    """Return the lines of a stat block as groups: the entries, then its parts with their titles."""
    groups: list[tuple[Text | None, list[tuple[Text]]]] = [(None, [])]
    for line in lines:
        if line.code == "mb-effect-sheet-head":
            groups.append((Text("mb-effect-sheet-part", line.params), []))
        else:
            groups[-1][1].append((line,))
    return tuple(Group(title, tuple(rows), FOR_EVERYONE) for title, rows in groups)


def _entries(blueprint: Blueprint, figures: Figures) -> Text:
    low, _ = effect_value_band(blueprint)
    shown: dict[str, Any] = {
        "skill": blueprint.skill,
        "focus": blueprint.focus or None,
        "dn": figures.dn,
        "fv": figures.fv,
        "value": blueprint.effect_value,
        "low": low if low < blueprint.effect_value else None,
        "duration": measure_text("time", blueprint.duration_value),
        "range": measure_text("distance", blueprint.range_value),
        "cast": measure_text("time", blueprint.cast_time_value),
        "summary": blueprint.summary or None,
    }
    return Text("mb-effect-sheet", shown)


def _cast_lines(blueprint: Blueprint, rules: WorksheetRules) -> Iterator[Text]:
    if not blueprint.conditions:
        yield Text("mb-effect-sheet-nothing")
    yield from map(condition_text, counted_conditions(blueprint, rules))


def _roll_lines(blueprint: Blueprint, figures: Figures) -> Iterator[Text]:
    for condition in blueprint.conditions:
        if condition_dn(condition) is not None:
            yield _support_line(condition)
    yield Text("mb-effect-sheet-casting", {"skill": blueprint.skill, "dn": figures.dn})
    if blueprint.to_hit:
        bonus = area_bonus(blueprint.area) + accuracy_bonus(blueprint.accuracy)
        shown = {"skill": blueprint.to_hit, "bonus": bonus or None}
        yield Text("mb-effect-sheet-to-hit", shown)


def _support_line(condition: Condition) -> Text:
    shown = {
        "kind": condition.kind,
        "dn": condition_dn(condition),
        "skill": condition.skill or None,
        "text": condition.text or None,
        "at_release": condition.at_release,
    }
    return Text("mb-effect-sheet-support", shown)


def _element(what: str, **more: Any) -> Text:
    return Text("mb-effect-sheet-element", {"what": what, **more})


def _effect_lines(blueprint: Blueprint) -> Iterator[Text]:
    """Yield how an effect takes hold, its values for several traits, and its elements."""
    yield _hold_line(blueprint)
    if len(blueprint.traits) > 1:
        yield _traits_line(blueprint)
    yield from _element_lines(blueprint)


def _hold_line(blueprint: Blueprint) -> Text:
    shown: dict[str, Any] = {
        "action": blueprint.action,
        "value": blueprint.effect_value,
        "resists": blueprint.resisted_by or None,
        "number": blueprint.resisting_number,
    }
    if blueprint.action in CHANGES:
        resisted = (blueprint.resisted_by,) if blueprint.resisted_by else ()
        changed = blueprint.traits or resisted
        shown["changes"] = changed or None
        # A changed value need not be named again as the value that resists.
        if blueprint.resisted_by in changed:
            shown["resists"] = None
    return Text("mb-effect-sheet-takes", shown)


def _traits_line(blueprint: Blueprint) -> Text:
    """Return the effect value that meets each trait (MB-SFX-S08)."""
    values = applied_effect_values(blueprint.effect_value, len(blueprint.traits))
    traits = tuple(
        Text("mb-effect-sheet-trait", {"name": name, "value": value})
        for name, value in zip(blueprint.traits, values, strict=True)
    )
    return Text("mb-effect-sheet-traits", {"traits": traits})


def _element_lines(blueprint: Blueprint) -> Iterator[Text]:
    if (area := blueprint.area) is not None:
        yield _element("area", kind=area.kind, n=area.diameter, shape=area.shape)
    if blueprint.targets > 1:
        yield _element("targets", n=blueprint.targets)
    if blueprint.target_changes:
        yield _element("changes", n=blueprint.target_changes)
    low, high = effect_value_band(blueprint)
    if low < high:
        yield _element("band", low=low, high=high)
    if blueprint.switch != "none":
        yield _element("switch", switch=blueprint.switch)
    if blueprint.extension:
        seconds = extension_seconds(blueprint.extension)
        whole = int(seconds) if seconds.denominator == 1 else None
        yield _element("extension", seconds=whole, n=digits(seconds))
    if speed_of(blueprint) != blueprint.range_value:
        yield _element("speed", speed=measure_text("speed", speed_of(blueprint)))
    ways = detours_of(accuracy_bonus(blueprint.accuracy))
    if ways:
        yield _element("around", way=ways[-1])
    for what in ("movement", "maintenance", "on_self", "every_round"):
        if getattr(blueprint, what):
            yield _element(what)
    if blueprint.focus_targets:
        yield _element("focus", n=blueprint.focus_targets)
    if blueprint.charges:
        yield _element("charges", n=blueprint.charges, holder=blueprint.holder)
    if blueprint.ward:
        yield _element("ward", text=blueprint.ward)
    for extra in blueprint.extras:
        yield _element("extra", text=extra.name)
    if blueprint.unreal is not None:
        yield _element("unreal", n=blueprint.unreal.disbelief_dn)


def worksheet_lines(blueprint: Blueprint, rules: WorksheetRules = BOOK) -> tuple[Text, ...]:
    """Return the worksheet: totals of all steps, every condition with its points, the figures."""
    sheet = work_out(blueprint, rules)
    conditions = tuple(map(condition_text, counted_conditions(blueprint, rules)))
    return (*total_lines(sheet), *conditions, figures_text(sheet))
