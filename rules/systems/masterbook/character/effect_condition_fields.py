"""The panel of one condition of a special effect (MB-SFX-41, MB-SFX-S17 to -S23).

A condition's fields are those of its row in a file. The panel adds titles, menus, and what each
entry is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from rules.core.errors import RulesError
from rules.systems.masterbook.character.effect_conditions import (
    CONDITION_FORM,
    LEVELS_MOST,
    condition_text,
    read_condition,
)
from rules.systems.masterbook.character.effect_drafts import read_draft
from rules.systems.masterbook.character.effect_fields import DRAFT_FORM, label, measure_field
from rules.systems.masterbook.character.effect_measures import measure_text
from rules.systems.masterbook.character.effect_prices import condition_entry, condition_lines
from rules.systems.masterbook.character.effect_workbench import Workbench
from rules.systems.masterbook.formulas.effect_blueprint import (
    CONDITION_KINDS,
    Blueprint,
    Condition,
    ConditionKind,
)
from rules.systems.masterbook.formulas.effect_condition_points import counted_condition
from rules.systems.masterbook.formulas.effect_rows import (
    ADDONS,
    PARTICIPATIONS,
    SAMPLE_CONDITIONS,
    condition_fit,
    effect_kind,
)
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import EntryStart
from rules.table.forms.fields import FormContext, Option
from rules.table.forms.form import Field, Form

# --- the fields as data ---------------------------------------------------------------------------

#: Numbers that menus offer.
_HELPERS: Final = (1, 2, 4, 6, 10, 15, 25, 40, 60, 100, 1000)
_TIMES: Final = (0, 3, 5, 6, 9, 12, 15, 18, 21, 24)
_BONUSES: Final = (1, 2, 3)
_ADDONS: Final = tuple(Option(addon, Text("mb-effect-addon", {"addon": addon})) for addon in ADDONS)
_KINDS: Final = tuple(
    Option(kind, Text("mb-effect-condition-kind", {"condition": kind})) for kind in CONDITION_KINDS
)


def _panel_field(key: str, **more: Any) -> Field:
    """Return the field of a condition's row with its title."""
    return CONDITION_FORM.by_key[key].replace(**{"title": label(key), **more})


#: All fields of a condition's panel, without what depends on the condition.
PANEL_FORM: Final = Form(
    (
        _panel_field("on", needed=True),
        _panel_field("level", apart=True, needed=True),
        _panel_field("destroyed"),
        _panel_field("helpers", offered=_HELPERS, apart=True, needed=True, writable=True),
        _panel_field("participation"),
        measure_field(
            "time_value",
            "time",
            "down",
            offered=_TIMES,
            apart=True,
            needed=True,
            writable=True,
        ),
        _panel_field("addons", choices=_ADDONS),
        _panel_field("text", blank=False),
        _panel_field("skill", blank=False),
        _panel_field("bonus", offered=_BONUSES),
        _panel_field("lowered", offered=_BONUSES),
        _panel_field("at_release", label=label("at_release")),
        _panel_field("kind", choices=_KINDS, needed=True),
    )
)
#: Fields that only some kinds of conditions have.
_FIELDS_OF_KIND: Final[dict[ConditionKind, tuple[str, ...]]] = {
    "community": ("helpers", "participation", "text", "skill"),
    "component": ("level", "destroyed", "text"),
    "concentration": ("time_value",),
    "gesture": ("level", "text"),
    "incantation": ("level", "addons", "text"),
    "related_skill": ("level", "text", "skill"),
    "other": ("level", "text"),
}
#: Fields that the first page of the panel shows.
_LEADING: Final = ("on", "level", "time_value", "helpers")
#: Kinds of conditions whose invention a GM can reward (MB-SFX-S18).
_INVENTIVE: Final = ("component", "gesture")
#: Words of a number's menu entry.
_NUMBER_WORDS: Final[dict[str, Callable[[ConditionKind, int], Text]]] = {
    "level": lambda kind, level: Text("mb-effect-level", {"kind": kind, "level": level}),
    "helpers": lambda kind, helpers: Text("mb-effect-helpers", {"n": helpers}),
    "time_value": lambda kind, value: measure_text("time", value),
    "bonus": lambda kind, points: Text("mb-effect-bonus", {"n": points}),
    "lowered": lambda kind, levels: Text("mb-effect-lowered", {"n": levels}),
}
#: Fields that a new condition of each kind begins with.
_FIRST_VALUES: Final[dict[ConditionKind, dict[str, int]]] = {
    **{kind: {"level": 1} for kind in LEVELS_MOST},
    "community": {"helpers": 1},
    "concentration": {"time_value": 0},
}


# --- the panel of one condition -------------------------------------------------------------------


def _condition_form(bench: Workbench, asking: FormContext, draft: Values) -> Form:
    """Return the form of one condition: its kind's fields, with the points of each entry."""
    condition = _drafted_condition(draft)
    blueprint, _ = read_draft(asking.around, bench)
    entry = partial(_worth, bench, blueprint, condition)
    keys = _shown_keys(bench, blueprint, condition)
    return Form(tuple(_shown_field(key, condition, entry) for key in keys), leading=_LEADING)


def _drafted_condition(draft: Values) -> Condition:
    """Return the condition of an entry's draft, as far as it can be read."""
    values, _ = PANEL_FORM.read_draft(draft)
    values.setdefault("kind", "component")
    condition = CONDITION_FORM.make_record(Condition, values)
    most = LEVELS_MOST.get(condition.kind)
    if most is None:
        return condition
    return condition.replace(level=min(condition.level, most))


def _shown_keys(bench: Workbench, blueprint: Blueprint, condition: Condition) -> Iterator[str]:
    """Yield the fields of a condition in the panel's order."""
    kind_keys = _FIELDS_OF_KIND[condition.kind]
    yield "on"
    yield from kind_keys
    if condition.addons and "skill" not in kind_keys:
        yield "skill"
    if condition.bonus or (condition.kind in _INVENTIVE and bench.gives_bonus):
        yield "bonus"
    yield "lowered"
    released = blueprint.charges and condition.kind != "community"
    if released or condition.at_release:
        yield "at_release"
    yield "kind"


#: Makes a menu entry of a condition, given the words and what is changed about it.
_Entry = Callable[..., Text]


def _worth(
    bench: Workbench, blueprint: Blueprint, condition: Condition, words: Text, **changes: Any
) -> Text:
    """Return a menu entry with the points of a changed condition and the figures after it."""
    changed = condition.replace(**changes)
    return condition_entry(blueprint, changed, words, bench.rules_of(blueprint))


def _shown_field(key: str, condition: Condition, entry: _Entry) -> Field:
    """Return a field of the panel with the words that depend on the condition."""
    field, kind = PANEL_FORM.by_key[key], condition.kind
    if key in _NUMBER_WORDS:
        field = field.replace(label=partial(_number_entry, key, kind, entry))
    match key:
        case "on":
            return field.replace(choices=_figure_options(entry))
        case "level":
            most = LEVELS_MOST[kind]
            title = label("level", kind=kind)
            return field.replace(title=title, high=most, offered=tuple(range(1, most + 1)))
        case "destroyed":
            return field.replace(label=entry(label("destroyed"), destroyed=True))
        case "participation":
            options = _participation_options(entry)
            return field.replace(choices=options, nothing=options[0].label)
        case "text":
            return field.replace(title=label("text", kind=kind), help=label("text-help", kind=kind))
        case "skill":
            title = label("skill-named", kind=kind)
            return field.replace(title=title, needed=kind == "related_skill")
        case _:
            return field


def _number_entry(key: str, kind: ConditionKind, entry: _Entry, number: int) -> Text:
    return entry(_NUMBER_WORDS[key](kind, number), **{key: number})


def _figure_options(entry: _Entry) -> tuple[Option, ...]:
    return tuple(
        Option(on, entry(Text("mb-effect-lowers", {"on": on}), on=on)) for on in ("dn", "fv")
    )


def _participation_options(entry: _Entry) -> tuple[Option, ...]:
    options: list[Option] = []
    for row in PARTICIPATIONS.values():
        words = Text("mb-effect-participation", {"dn": row.dn})
        options.append(Option(row.participation, entry(words, participation=row.participation)))
    return tuple(options)


# --- the list of conditions -----------------------------------------------------------------------


def conditions_field(bench: Workbench, blueprint: Blueprint) -> Field:
    """Return the field of an effect's conditions, each of which opens a panel of its own."""
    return DRAFT_FORM.by_key["conditions"].replace(
        row=partial(_condition_form, bench),
        add=partial(_condition_starts, blueprint),
        shows=partial(_condition_shows, bench),
        tells=partial(_condition_words, bench),
    )


def _condition_starts(blueprint: Blueprint, asking: FormContext) -> Iterator[EntryStart]:
    """Yield the ways to begin a condition: each kind, then the conditions that tables often use."""
    kind = effect_kind(blueprint.skill)
    for condition in CONDITION_KINDS:
        shown = {"condition": condition, "kind": kind, "fit": condition_fit(condition, kind)}
        draft = {"kind": condition, "on": "dn", **_FIRST_VALUES[condition]}
        yield Text("mb-effect-condition-start", shown), draft
    for row in SAMPLE_CONDITIONS.values():
        shown = {"text": row.text, "level": row.level}
        draft = {"kind": "other", "on": "dn", "text": row.text, "level": row.level}
        yield Text("mb-effect-condition-sample", shown), draft


def _condition_shows(bench: Workbench, asking: FormContext) -> Iterable[Text]:
    """Return the effect of a condition on the figures, while it is filled in."""
    blueprint, _ = read_draft(asking.around, bench)
    condition = _drafted_condition(asking.values)
    return condition_lines(blueprint, condition, bench.rules_of(blueprint))


def _condition_words(
    bench: Workbench, asking: FormContext, lines: Sequence[str]
) -> Iterator[Text | None]:
    """Yield the words of typed conditions; None for a line that can't be read."""
    blueprint, _ = read_draft(asking.values, bench)
    rules = bench.rules_of(blueprint)
    for line in lines:
        try:
            row = CONDITION_FORM.read_json(read_condition(line))
        except RulesError:
            yield None
        else:
            condition = CONDITION_FORM.make_record(Condition, row)
            yield condition_text(counted_condition(blueprint, condition, rules))
