"""Changes of a sheet: points that are spent and restored, growth for Fate, and values set by GMs.

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
from rules.table.forms.fields import QUOTE_MAX, Option, plain_options
from rules.table.gm_values import ONE, LabelParams, Tool, Tools, append_entry, replace_entry
from rules.table.resources import Resource, Words, read_points, sheet_resource
from rules.table.system import Game, GrowthResult

_WORDS: Final = Words("ebb-award", "ebb-award", "ebb-set-fate", "not-enough-fate")
FATE: Final = sheet_resource("fate", _WORDS, high=sheets.HIGHEST_FATE)
#: Cost of one more throw of the ability die.
REROLL: Final = Cost(FATE.key, 1)


def _attribute_resource(name: str) -> Resource[EbbSheet]:
    """Return the resource of an attribute.

    Points are sacrificed for luck or a flesh wound, and restored when a session ends.
    """

    def full(sheet: EbbSheet) -> int:
        return base_attributes(sheet)[name]

    def with_points(sheet: EbbSheet, points: int) -> EbbSheet:
        lost = {**dict(sheet.sacrificed), name: max(0, full(sheet) - points)}
        return sheet.replace(sacrificed=sheets.losses_in_order(lost.items()))

    def shortage_error(have: int, need: int) -> Impossible:
        # A character who has fewer abilities than at the loss may have lost more than there is.
        return Impossible(
            "nothing-to-sacrifice", field="attribute", value=name, have=max(0, have), need=need
        )

    return Resource(
        name,
        of=lambda sheet: effective_attributes(sheet)[name],
        with_value=with_points,
        high=full,
        shortage_error=shortage_error,
        restore=("session", full),
    )


def gain_labels(gains: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return a label such as `Fitness +1` for each restored attribute."""
    return tuple(f"{name} +{points}" for name, points in gains)


ATTRIBUTE_RESOURCES: Final = {name: _attribute_resource(name) for name in ATTRIBUTES}
RESOURCES: Final = (FATE, *ATTRIBUTE_RESOURCES.values())


# --- learning and improving -----------------------------------------------------------------------


def next_die(sides: int | None) -> int:
    """Return the sides of the die one tier up; of the lowest die for None (EBB-TIER).

    Raises Impossible("highest-die") for a d12.
    """
    tier = 0 if sides is None else DIE_SIDES.index(sides) + 1
    if tier == len(DIE_SIDES):
        raise Impossible("highest-die", field="die", value=f"d{sides}", highest=sheets.DICE[-1])
    return DIE_SIDES[tier]


def advance_cost(sides: int | None) -> int:
    """Return the Fate points for one step up, or for a new ability (None) (EBB-FATE).

    Raises as `next_die`.
    """
    return TIERS[next_die(sides)].cost


def learn(game: Game, character: EbbCharacter, action: Learn) -> GrowthResult:
    """Add an ability at d4, its drawback and an explanation, for 10 Fate (EBB-FATE, EBB-DRAWBACK).

    The attributes follow from the abilities.

    Raises:
        InvalidInput("empty"): There is no explanation.
        InvalidInput: A text is not fit for a sheet, as `check_entry`, or "too-many-entries".
        NotFound: There is no such attribute, as `find_attribute`.
        Impossible("known-already"): The sheet has an ability of that name.
        Impossible("not-enough-fate"): The character has too few points.
    """
    if not action.explanation.strip():
        raise InvalidInput("empty", field="explanation", value="", wanted="origin")
    before, group = character.sheet, find_attribute(action.attribute)
    name, drawback = " ".join(action.skill.split()), " ".join(action.drawback.split())
    sheets.check_entry("ability", name)
    sheets.check_entry("drawback", drawback)
    if name_key(name) in [name_key(known.name) for known in before.abilities]:
        raise Impossible("known-already", name=name)
    ability = Ability(name, group, next_die(None))
    abilities = append_entry(before.abilities, ability, "ability", sheets.MOST_ABILITIES)
    sheet = FATE.pay(before, advance_cost(None))
    sheet = sheet.replace(abilities=abilities, drawbacks=(*sheet.drawbacks, drawback))
    old, new = base_attributes(before)[group], base_attributes(sheet)[group]
    change = {"group": group, "before": None if old == new else old, "value": new}
    line = Text("ebb-learned", {"name": name, "die": ability.die, **change})
    return _growth_result(character, sheet, line, Text("ebb-new-drawback", {"text": drawback}))


def advance(game: Game, character: EbbCharacter, action: Advance) -> GrowthResult:
    """Raise an ability's die one tier, for the price of the new die.

    EBB-FATE, EBB-TIER. Raises NotFound as `find_ability`, Impossible("highest-die") or
    Impossible("not-enough-fate").
    """
    ability = sheets.find_ability(character.sheet, action.skill)
    sides = next_die(ability.sides)
    cost = advance_cost(ability.sides)
    sheet = sheets.with_die(FATE.pay(character.sheet, cost), ability, sides)
    line = Text("ebb-advanced", {**_raise_params(ability), "title": TIERS[sides].title})
    return _growth_result(character, sheet, line)


def _growth_result(
    character: EbbCharacter, sheet: EbbSheet, line: Text, *private: Text
) -> GrowthResult:
    """Return the character after growth, with a line about the price.

    *private* lines are for the player and the GMs.
    """
    cost = character.sheet.fate - sheet.fate
    paid = Text("ebb-fate-paid", {"cost": cost, "left": sheet.fate})
    return GrowthResult(character.replace(sheet=sheet), (line, paid), private)


def _raise_params(ability: Ability) -> dict[str, str]:
    """Return the parameters of a line about a raised die: the die before and after."""
    return {"name": ability.name, "before": ability.die, "die": f"d{next_die(ability.sides)}"}


def advancement_choices(game: Game, character: EbbCharacter) -> tuple[Option, ...]:
    """Return the abilities that have a higher die, with its price."""
    options: list[Option] = []
    for ability in character.sheet.abilities:
        if ability.sides < DIE_SIDES[-1]:
            about = {**_raise_params(ability), "cost": advance_cost(ability.sides)}
            options.append(Option(ability.name, Text("ebb-advance-choice", about)))
    return tuple(options)


# --- set by hand: attributes and dice -------------------------------------------------------------


def _losses(sheet: EbbSheet) -> Iterable[tuple[str, LabelParams]]:
    """Yield the attributes that can lose points, with the points lost."""
    lost = dict(sheet.sacrificed)
    for name, most in base_attributes(sheet).items():
        if most:
            yield name, {"name": name, "points": lost.get(name, 0), "most": most}


def _offer_points(sheet: EbbSheet, name: str) -> Iterable[Option]:
    """Return the numbers of points that an attribute can have lost."""
    return plain_options(map(str, range(base_attributes(sheet).get(name, 0) + 1)))


def _set_loss(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
    """Set how many points of an attribute are lost."""
    attribute = find_attribute(name)
    base = base_attributes(sheet)[attribute]
    points = read_points(value, 0, base)
    changed = ATTRIBUTE_RESOURCES[attribute].with_value(sheet, base - points)
    return changed, {"name": attribute, "points": points, "value": base - points}


def _ability_dice(sheet: EbbSheet) -> Iterable[tuple[str, LabelParams]]:
    """Yield the abilities with their dice."""
    for ability in sheet.abilities:
        yield ability.name, {"name": ability.name, "die": ability.die}


def _offer_dice(sheet: EbbSheet, name: str) -> Iterable[Option]:
    """Yield all dice of abilities."""
    for tier in TIERS.values():
        yield Option(tier.die, Text("as-written", {"text": f"{tier.die} {tier.title}"}))


def _set_die(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
    """Set the die of an ability."""
    ability, die = sheets.find_ability(sheet, name), value.casefold()
    if die not in sheets.DICE:
        raise InvalidInput(
            "unknown-die", field="value", value=value[:QUOTE_MAX], allowed=sheets.DICE
        )
    changed = sheets.with_die(sheet, ability, int(die[1:]))
    return changed, {"name": ability.name, "die": die, "before": ability.die}


# --- set by hand: lists ---------------------------------------------------------------------------


def _entry_index(text: str, entries: tuple[Any, ...]) -> int:
    """Return the index of an entry of a list, by its number from 1 or by its text.

    Raises as `unique_match`.
    """
    number = text.strip()
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(entries):
        return int(number[:9]) - 1
    return unique_match(
        range(len(entries)), text, lambda index: _text(entries[index]), field="value"
    )


def _text(entry: Any) -> str:
    """Return the words of an injury, or of an entry that is a text."""
    return getattr(entry, "text", entry)


def _add_injury(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
    """Add an injury in the GM's words (EBB-INJURY): `text`, or `text; body part; severity`."""
    text, part, severity = (piece.strip() for piece in (*value.split(";", 2), "", "")[:3])
    changed, injury = sheets.add_injury(sheet, text, part, severity, "value")
    return changed, {"injury": sheets.injury_line(injury, whole=False)}


def _add_scar(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
    """Add a scar."""
    sheets.check_entry("value", value)
    scars = append_entry(sheet.scarring, value, "value", sheets.MOST_ENTRIES)
    return sheet.replace(scarring=scars), {"text": value}


def _numbered_drawbacks(sheet: EbbSheet) -> Iterable[tuple[str, LabelParams]]:
    """Yield the drawbacks with their numbers from 1."""
    for number, text in enumerate(sheet.drawbacks, 1):
        yield str(number), {"number": number, "text": text}


def _rewrite_drawback(
    _: Game, sheet: EbbSheet, name: str, value: str
) -> tuple[EbbSheet, LabelParams]:
    """Replace the words of one drawback; the number of drawbacks stays (EBB-DRAWBACK)."""
    index = _entry_index(name, sheet.drawbacks)
    sheets.check_entry("value", value)
    shown = {"text": value, "before": sheet.drawbacks[index]}
    return sheet.replace(drawbacks=replace_entry(sheet.drawbacks, index, value)), shown


def _list_tool(field: str, what: str, now: str, *, treated: bool | None = None) -> Tool:
    """Return a tool that removes an entry of a list.

    With *treated* it sets that flag of an injury instead, and offers the injuries that differ.
    """
    about = {"what": what, "now": now}

    def offers(sheet: EbbSheet, _: str = "") -> tuple[Option, ...]:
        entries = enumerate(getattr(sheet, field), 1)
        options: list[Option] = []
        for number, entry in entries:
            if treated is None or entry.treated != treated:
                label = Text("as-written", {"text": f"{number}: {_text(entry)}"})
                options.append(Option(str(number), label))
        return tuple(options)

    def change(_: Game, sheet: EbbSheet, name: str, value: str) -> tuple[EbbSheet, LabelParams]:
        entries = getattr(sheet, field)
        index = _entry_index(value, entries)
        entry = entries[index]
        instead = () if treated is None else (entry.replace(treated=treated),)
        changed = sheet.replace(**{field: replace_entry(entries, index, *instead)})
        return changed, {**about, "text": _text(entry)}

    return Tool(
        "ebb-set-entry", lambda sheet: [("", about)] if offers(sheet) else (), change, offers
    )


#: Tools of GMs by name. A drawback is only reworded, so that each ability keeps one (EBB-DRAWBACK).
TOOLS: Final = Tools(
    {
        "lost": Tool("ebb-set-lost", _losses, _set_loss, _offer_points),
        "injury": Tool("ebb-set-injury", lambda sheet: ONE, _add_injury),
        "treated": _list_tool("injuries", "injury", "treated", treated=True),
        "untreated": _list_tool("injuries", "injury", "untreated", treated=False),
        "healed": _list_tool("injuries", "injury", "healed"),
        "scar": Tool("ebb-set-scar", lambda sheet: ONE, _add_scar),
        "scar-gone": _list_tool("scarring", "scar", "gone"),
        "die": Tool("ebb-set-die", _ability_dice, _set_die, _offer_dice),
        "drawback": Tool("ebb-set-drawback", _numbered_drawbacks, _rewrite_drawback),
    },
    RESOURCES,
)
