"""What changes on a sheet: points that are spent and come back, what Fate buys, what a GM sets by
hand.

EBB-FATE, EBB-LUCK, EBB-HEAL, EBB-TIER, EBB-INJURY, EBB-DRAWBACK.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import name_key, unique_match
from rules.systems.ebb import sheet as sheets
from rules.systems.ebb.ability_lines import find_attribute
from rules.systems.ebb.reference_rows import ATTRIBUTES, DIE_SIDES, TIERS
from rules.systems.ebb.sheet import (
    Ability,
    EbbCharacter,
    EbbSheet,
    base_attributes,
    effective_attributes,
)
from rules.table.actions import Advance, Learn
from rules.table.blocks import Text
from rules.table.check import Cost
from rules.table.forms import QUOTE_MAX, Option, plain_options
from rules.table.gm_values import ONE, LabelParams, Tool, Tools, append_entry, replace_entry
from rules.table.resources import Resource, Words, read_points, sheet_resource
from rules.table.system import Game, GrowthResult

_WORDS: Final = Words("ebb-award", "ebb-award", "ebb-set-fate", "not-enough-fate")
FATE: Final = sheet_resource("fate", _WORDS, high=sheets.HIGHEST_FATE)
#: One more throw of the ability die.
REROLL: Final = Cost(FATE.key, 1)


def _attribute_resource(name: str) -> Resource[EbbSheet]:
    """Of an attribute: sacrificed for luck or a flesh wound, given back when a session ends."""

    def full(sheet: EbbSheet) -> int:
        return base_attributes(sheet)[name]

    def left(sheet: EbbSheet, points: int) -> EbbSheet:
        lost = {**dict(sheet.sacrificed), name: max(0, full(sheet) - points)}
        return sheet.replace(sacrificed=sheets.losses_in_order(lost.items()))

    def short(have: int, need: int) -> Impossible:
        # With fewer abilities than it was lost from, more may be lost than there is.
        return Impossible(
            "nothing-to-sacrifice", field="attribute", value=name, have=max(0, have), need=need
        )

    return Resource(
        name,
        of=lambda sheet: effective_attributes(sheet)[name],
        with_value=left,
        high=full,
        shortage_error=short,
        restore=("session", full),
    )


def gain_labels(back: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """`Fitness +1` for everything that came back."""
    return tuple(f"{name} +{points}" for name, points in back)


ATTRIBUTE_RESOURCES: Final = {name: _attribute_resource(name) for name in ATTRIBUTES}
RESOURCES: Final = (FATE, *ATTRIBUTE_RESOURCES.values())


# --- learning and improving -----------------------------------------------------------------------


def next_die(sides: int | None) -> int:
    """The die one tier up; from None (no ability yet) the lowest (EBB-TIER).
    Impossible("highest-die") from d12.
    """
    tier = 0 if sides is None else DIE_SIDES.index(sides) + 1
    if tier == len(DIE_SIDES):
        raise Impossible("highest-die", field="die", value=f"d{sides}", highest=sheets.DICE[-1])
    return DIE_SIDES[tier]


def advance_cost(sides: int | None) -> int:
    """Fate points for one step: a new ability (from None) or a die raised one tier (EBB-FATE).
    Raises as `next_die`.
    """
    return TIERS[next_die(sides)].cost


def learn(game: Game, character: EbbCharacter, action: Learn) -> GrowthResult:
    """A new ability at d4 with its drawback and an explanation, for 10 Fate (EBB-FATE,
    EBB-DRAWBACK).

    Raises InvalidInput("empty", "too-many-entries", and as `check_entry`), NotFound for the
    attribute, Impossible("known-already", "not-enough-fate"). Attributes follow from the abilities
    by themselves.
    """
    if not action.explanation.strip():
        raise InvalidInput("empty", field="explanation", value="", wanted="origin")
    before, group = character.sheet, find_attribute(action.attribute)
    name, drawback = " ".join(action.skill.split()), " ".join(action.drawback.split())
    sheets.check_entry("ability", name)
    sheets.check_entry("drawback", drawback)
    if name_key(name) in [name_key(each.name) for each in before.abilities]:
        raise Impossible("known-already", name=name)
    ability = Ability(name, group, next_die(None))
    abilities = append_entry(before.abilities, ability, "ability", sheets.MOST_ABILITIES)
    sheet = FATE.pay(before, advance_cost(None))
    sheet = sheet.replace(abilities=abilities, drawbacks=(*sheet.drawbacks, drawback))
    old, new = base_attributes(before)[group], base_attributes(sheet)[group]
    moved = {"group": group, "before": None if old == new else old, "value": new}
    learned = Text("ebb-learned", {"name": name, "die": ability.die, **moved})
    return _growth_result(character, sheet, learned, Text("ebb-new-drawback", {"text": drawback}))


def advance(game: Game, character: EbbCharacter, action: Advance) -> GrowthResult:
    """An ability one die up, for the maximum of the new die (EBB-FATE, EBB-TIER).

    NotFound as `find_ability`, Impossible("highest-die", "not-enough-fate").
    """
    ability = sheets.find_ability(character.sheet, action.skill)
    sides = next_die(ability.sides)
    sheet = sheets.with_die(FATE.pay(character.sheet, TIERS[sides].cost), ability, sides)
    return _growth_result(
        character,
        sheet,
        Text("ebb-advanced", {**_raise_params(ability), "title": TIERS[sides].title}),
    )


def _growth_result(
    character: EbbCharacter, sheet: EbbSheet, line: Text, *private: Text
) -> GrowthResult:
    cost = character.sheet.fate - sheet.fate
    paid = Text("ebb-fate-paid", {"cost": cost, "left": sheet.fate})
    return GrowthResult(character.replace(sheet=sheet), (line, paid), private)


def _raise_params(ability: Ability) -> dict[str, str]:
    """What a line says of an ability that goes up: the die before and after."""
    return {"name": ability.name, "before": ability.die, "die": f"d{next_die(ability.sides)}"}


def advancement_choices(game: Game, character: EbbCharacter) -> tuple[Option, ...]:
    """The abilities that have a higher die, with what it costs."""
    return tuple(
        Option(
            each.name,
            Text("ebb-advance-choice", {**_raise_params(each), "cost": advance_cost(each.sides)}),
        )
        for each in character.sheet.abilities
        if each.sides < DIE_SIDES[-1]
    )


# --- set by hand: attributes and dice -------------------------------------------------------------


def _lost(sheet: EbbSheet) -> Iterable[tuple[str, LabelParams]]:
    lost = dict(sheet.sacrificed)
    for name, most in base_attributes(sheet).items():
        if most:
            yield name, {"name": name, "points": lost.get(name, 0), "most": most}


def _offer_points(sheet: EbbSheet, name: str) -> Iterable[Option]:
    return plain_options(map(str, range(base_attributes(sheet).get(name, 0) + 1)))


def _set_lost(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
    attribute = find_attribute(name)
    base = base_attributes(sheet)[attribute]
    points = read_points(value, 0, base)
    changed = ATTRIBUTE_RESOURCES[attribute].with_value(sheet, base - points)
    return changed, {"name": attribute, "points": points, "value": base - points}


def _dice(sheet: EbbSheet) -> Iterable[tuple[str, LabelParams]]:
    return ((each.name, {"name": each.name, "die": each.die}) for each in sheet.abilities)


def _offer_dice(sheet: EbbSheet, name: str) -> Iterable[Option]:
    for tier in TIERS.values():
        yield Option(tier.die, Text("as-written", {"text": f"{tier.die} {tier.title}"}))


def _set_die(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
    ability, die = sheets.find_ability(sheet, name), value.casefold()
    if die not in sheets.DICE:
        raise InvalidInput(
            "unknown-die", field="value", value=value[:QUOTE_MAX], allowed=sheets.DICE
        )
    changed = sheets.with_die(sheet, ability, int(die[1:]))
    return changed, {"name": ability.name, "die": die, "before": ability.die}


# --- set by hand: lists ---------------------------------------------------------------------------


def _entry_index(text: str, entries: tuple[Any, ...]) -> int:
    """The index of an entry of a list: its number from 1, or as `unique_match` finds it by its
    text.
    """
    number = text.strip()
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(entries):
        return int(number[:9]) - 1
    return unique_match(
        range(len(entries)), text, lambda index: _text(entries[index]), field="value"
    )


def _text(entry: Any) -> str:
    """Of an injury, or of an entry that is nothing else."""
    return getattr(entry, "text", entry)


def _add_injury(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
    """The GM's words for a damage effect (EBB-INJURY)."""
    text, part, severity = (piece.strip() for piece in (*value.split(";", 2), "", "")[:3])
    changed, injury = sheets.add_injury(sheet, text, part, severity, "value")
    return changed, {"injury": sheets.injury_line(injury, whole=False)}


def _add_scar(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
    sheets.check_entry("value", value)
    return sheet.replace(
        scarring=append_entry(sheet.scarring, value, "value", sheets.MOST_ENTRIES)
    ), {"text": value}


def _drawbacks(sheet: EbbSheet) -> Iterable[tuple[str, LabelParams]]:
    return ((str(n), {"number": n, "text": text}) for n, text in enumerate(sheet.drawbacks, 1))


def _rewrite_drawback(
    _: Game, sheet: EbbSheet, name: str, value: str
) -> tuple[EbbSheet, LabelParams]:
    """Other words for one drawback; their number stays (EBB-DRAWBACK)."""
    index = _entry_index(name, sheet.drawbacks)
    sheets.check_entry("value", value)
    shown = {"text": value, "before": sheet.drawbacks[index]}
    return sheet.replace(drawbacks=replace_entry(sheet.drawbacks, index, value)), shown


def _list_tool(field: str, what: str, now: str, *, treated: bool | None = None) -> Tool:
    """A tool for one entry of a list, which is taken off it; where `treated` is said, an injury
    that is not so yet becomes so.
    """
    about = {"what": what, "now": now}

    def offers(sheet: EbbSheet, _: str = "") -> tuple[Option, ...]:
        numbered = enumerate(getattr(sheet, field), 1)
        found = [(n, each) for n, each in numbered if treated is None or each.treated != treated]
        return tuple(
            Option(str(n), Text("as-written", {"text": f"{n}: {_text(each)}"})) for n, each in found
        )

    def put(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
        entries = getattr(sheet, field)
        index = _entry_index(value, entries)
        entry = entries[index]
        instead = () if treated is None else (entry.replace(treated=treated),)
        changed = sheet.replace(**{field: replace_entry(entries, index, *instead)})
        return changed, {**about, "text": _text(entry)}

    return Tool("ebb-set-entry", lambda sheet: [("", about)] if offers(sheet) else (), put, offers)


#: `injury` takes a text, or `text; body part; severity`; a drawback the new text, so that there
#: stays one for each ability (EBB-DRAWBACK).
TOOLS: Final = Tools(
    {
        "lost": Tool("ebb-set-lost", _lost, _set_lost, _offer_points),
        "injury": Tool("ebb-set-injury", lambda sheet: ONE, _add_injury),
        "treated": _list_tool("injuries", "injury", "treated", treated=True),
        "untreated": _list_tool("injuries", "injury", "untreated", treated=False),
        "healed": _list_tool("injuries", "injury", "healed"),
        "scar": Tool("ebb-set-scar", lambda sheet: ONE, _add_scar),
        "scar-gone": _list_tool("scarring", "scar", "gone"),
        "die": Tool("ebb-set-die", _dice, _set_die, _offer_dice),
        "drawback": Tool("ebb-set-drawback", _drawbacks, _rewrite_drawback),
    },
    RESOURCES,
)
