"""Commands `/mb skill`, `/mb value` and `/mb odds`: charts of skills, values and odds.

MB-SKILL-02, MB-SKILL-03, MB-SKILL-07, MB-VAL, MB-DN-04.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.name_matching import unique_match
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.state import difficulty_number, read_difficulty
from rules.systems.masterbook.combat import healing, odds
from rules.systems.masterbook.combat.movement import measure_digits
from rules.systems.masterbook.combat.odds import RollProfile
from rules.systems.masterbook.formulas import damage, success_chart, value_chart
from rules.systems.masterbook.formulas.dice import ACTIVE_DEFENSE_FLOOR
from rules.systems.masterbook.formulas.reference_rows import FOCUSES, OPTIONS, typed_ids
from rules.systems.masterbook.formulas.skill_rules import inputs_of
from rules.systems.masterbook.formulas.skills import (
    SKILLS,
    Chart,
    ChartRow,
    Setting,
    SkillKind,
    charts_of,
    needs_focus,
    rows_of,
    untrained_penalty,
)
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Group, Note, Text, Value
from rules.table.check import Values
from rules.table.commands import CommandView
from rules.table.forms.fields import Flag, FormContext, Number, Option, Pick, Typed, plain_options
from rules.table.system import Game


def _literal_text(text: str) -> Text:
    return Text("as-written", {"text": text})


def _untrained_text(kind: SkillKind, setting: Setting) -> Text:
    """Describe the use of a skill without adds."""
    penalty = untrained_penalty(kind, setting)
    if penalty is None:
        how = "no"
    elif kind.untrained == "gm_table":
        how = "chart"
    elif penalty:
        how = "harder"
    else:
        how = "yes"
    return Text("mb-skill-without-adds", {"how": how, "number": penalty})


def _number_text(row: ChartRow) -> Text:
    """Describe the number of a chart's row: a difficulty, a range or a modifier."""
    if row.dn is not None:
        how, low = "dn", row.dn
    elif row.low is not None:
        how, low = "each" if row.each else "from", row.low
    else:
        how, low = "each" if row.each else "modifier", row.modifier
    about = {"how": how, "low": low, "high": row.high, "open": row.open, "lower": row.lower}
    return Text("mb-skill-number", about)


def _row_texts(chart: Chart, row: ChartRow) -> tuple[Text, ...]:
    if not chart.reads:
        return (_literal_text(row.words), _number_text(row))
    if chart.reads == "adds_less":
        return (_literal_text(row.words),)
    about = {"reads": chart.reads, "id": row.id, "least": row.least, "modifier": row.modifier}
    return (Text("mb-skill-from", about), _literal_text(row.words))


def _base_text(kind: SkillKind) -> Text | None:
    """Describe what the difficulty begins with.

    None if the chart has numbers, or if the GM sets the difficulty.
    """
    if any(row.dn is not None for row in rows_of(kind.name)):
        return None
    if not (kind.against or kind.rate or kind.base is not None):
        return None
    about = {"against": kind.against or None, "base": kind.base, "rate": bool(kind.rate)}
    return Text("mb-skill-base", about)


def _charts(name: str) -> Iterable[Block]:
    for chart in charts_of(name):
        rows = tuple(_row_texts(chart, row) for row in chart.rows if not row.automatic)
        yield Group(_literal_text(chart.title), rows, FOR_EVERYONE)


def _treatment_rows(name: str) -> Iterable[tuple[Text, Text]]:
    """Yield the difficulties of treating wounds with a skill (MB-HEAL-02 to MB-HEAL-06).

    First Aid treats at once, Medicine at a healing roll.
    """
    levels = [damage.wound_level(wounds) for wounds in range(1, damage.DEAD + 1)]
    difficulties: list[tuple[str, int | None]] = []
    if name == "First Aid":
        difficulties.append(("shock", healing.SHOCK))
        difficulties.extend((level.id, level.aid) for level in levels)
        difficulties.append(("steady", healing.STEADY))
    elif name == "Medicine":
        difficulties.extend((level.id, level.medicine) for level in levels)
    for what, number in difficulties:
        if number is not None:
            yield (
                Text("mb-skill-treats", {"what": what}),
                _number_text(ChartRow(what, "", dn=number)),
            )


def _styles(name: str) -> Iterable[tuple[Text, Text]]:
    """Yield the martial arts with what they replace and add to (MB-SKILL-MARTIAL-ARTS)."""
    if name != "Martial Arts":
        return
    for style in FOCUSES.values():
        own_options: list[str] = []
        for option in OPTIONS.values():
            if option.focus == style.name:
                own_options.append(option.id.replace("_", " "))
        about = {
            "replaces": style.replaces,
            "bonus": style.bonus or None,
            "on": style.on,
            "least": style.floor or None,
            "own": tuple(own_options),
        }
        yield _literal_text(style.name), Text("mb-skill-style", about)


def _related_groups(name: str) -> Iterable[Block]:
    """Yield the rows of other charts that belong to a skill: treatment and martial arts."""
    for what, rows in (("treats", tuple(_treatment_rows(name))), ("styles", tuple(_styles(name)))):
        if rows:
            yield Group(Text("mb-skill-fact", {"what": what}), rows, FOR_EVERYONE)


def _facts(**values: Value | None) -> list[Block]:
    """Return a fact for each of these values that isn't empty, labeled by its key."""
    facts: list[Block] = []
    for what, value in values.items():
        if value:
            facts.append(Fact(Text("mb-skill-fact", {"what": what}), value, FOR_EVERYONE))
    return facts


def skill_blocks(kind: SkillKind, setting: Setting) -> tuple[Block, ...]:
    """Describe a skill in full, by the table's settings."""
    blocks: list[Block] = []
    for sentence in (kind.about, *kind.numbers):
        blocks.append(Note(_literal_text(sentence), FOR_EVERYONE))
    untrained = _untrained_text(kind, setting)
    attribute = kind.attribute.capitalize()
    blocks += _facts(attribute=attribute, untrained=untrained, base=_base_text(kind))
    learned = {
        "twice": kind.trained,
        "focus": needs_focus(kind, setting),
        "general": not kind.specialized,
    }
    for by, applies in learned.items():
        if applies:
            blocks.append(Note(Text("mb-skill-learned", {"by": by}), FOR_EVERYONE))
    given = tuple(rule_input.example for rule_input in inputs_of(kind.name))
    blocks += _facts(focuses=kind.focuses, specializations=kind.specializations, given=given)
    return (*blocks, *_charts(kind.name), *_related_groups(kind.name))


def _skill(game: Game, given: Values) -> CommandView:
    name = unique_match(SKILLS, given["name"], field="name", unknown="mb-unknown-skill")
    return CommandView(_literal_text(name), skill_blocks(SKILLS[name], game.setting))


#: Bounds of the values in `/mb value`, and of the numbers in `/mb odds`.
_MIN_VALUE, _MAX_VALUE = -50, 150
_MAX_NUMBER: Final = 100
#: Lowest chance of a result of damage that is shown.
_MIN_CHANCE: Final = Fraction(1, 1000)

#: Units that the bot itself writes in short, as they may be typed.
_SHORT: Final = {"m": "meters", "km": "kilometers", "kg": "kilograms", "km/h": "kmh"}
#: Commas between thousands.
_THOUSANDS: Final = re.compile(r",(?=\d{3}(?!\d))")

# --- values ---------------------------------------------------------------------------------------


#: A typed number. Powers of ten are no numbers here: a large one has too many digits to compute.
_NUMBER: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6}|/[1-9][0-9]{0,5})?|\.[0-9]{1,6}")


#: Ways to round a measure between two rows, by the words offered for them.
_MODES: Final[Mapping[str, value_chart.Mode]] = {
    "nearest": "nearest",
    "inclusive up": "inclusive_up",
    "down": "down",
}


def _value_of(text: str, mode: value_chart.Mode) -> int:
    """Return the value of a measure such as `30 miles` or `2.5`.

    Without a unit, the number counts as meters, which have no modifier.
    Raises InvalidInput("mb-bad-measure").
    """
    number, _, unit = _THOUSANDS.sub("", text.strip()).partition(" ")
    key = unit.strip().casefold().replace(" ", "_").replace("metres", "meters")
    key = _SHORT.get(key, key)
    amount = Fraction(number) if _NUMBER.fullmatch(number) else None
    units: list[str] = []
    if not key and amount:
        units = ["meters"]
    elif key:
        units = [name for name in value_chart.UNITS if name.startswith(key)]
    if not units or amount is None:
        raise InvalidInput(
            "mb-bad-measure", field="measure", value=text[:100], allowed=tuple(value_chart.UNITS)
        )
    return value_chart.value_in(amount, units[0], mode)


def _measures(value: int) -> Iterable[Block]:
    """Yield what a value stands for, by kinds of measures (MB-VAL-01, MB-VAL-03).

    Units that are far too large for the value are left out.
    """
    kinds: dict[str, list[Text]] = {}
    for unit in value_chart.UNITS.values():
        number, scale = value_chart.magnitude(value_chart.measure(value - unit.modifier))
        amount = measure_digits(number)
        if amount != "0" or unit.kind not in kinds:
            about = {"amount": amount, "scale": scale, "unit": unit.unit.replace("_", " ")}
            kinds.setdefault(unit.kind, []).append(Text("mb-amount", about))
    for kind, amounts in kinds.items():
        yield Fact(Text("mb-measured", {"kind": kind}), tuple(amounts), FOR_EVERYONE)


def _benchmark_facts(value: int) -> tuple[Block, ...]:
    """Return well-known things of this value."""
    benchmarks: list[Text] = []
    for row in value_chart.BENCHMARKS:
        if row.value == value:
            names = (row.time, row.weight, row.distance)
            benchmarks.extend(_literal_text(name) for name in names if name)
    if not benchmarks:
        return ()
    label = Text("mb-measured", {"kind": None})
    return (Fact(label, tuple(benchmarks), FOR_EVERYONE),)


def _value(game: Game, given: Values) -> CommandView:
    """Convert a value or a measure, or combine two measures (MB-VAL-02 to MB-VAL-05)."""
    if ("value" in given) == ("measure" in given):
        raise InvalidInput("mb-value-or-measure", field="value", value=None)
    mode = _MODES[given.get("rounding", "nearest")]
    value: int = given["value"] if "value" in given else _value_of(given["measure"], mode)
    how, other = given.get("with"), given.get("other")
    about: dict[str, Any] = {"first": value}
    if (how is None) != (other is None):
        raise InvalidInput("mb-two-measures", field="other", value=None)
    if how is not None and other is not None:
        second = _value_of(other, mode)
        about |= {"how": how, "second": second}
        if how == "impact":
            value = value_chart.impact_value(value, second)
        else:
            value = value_chart.combine(value, second, how)
    title = Text("mb-value-is", {**about, "value": value})
    if how == "impact":
        return CommandView(title, ())
    return CommandView(title, (*_measures(value), *_benchmark_facts(value)))


def _units(asking: FormContext) -> tuple[Option, ...]:
    number = str(asking.values.get("measure", "")).partition(" ")[0] or "1"
    options: list[Option] = []
    for unit in typed_ids(*value_chart.UNITS):
        label = Text("mb-amount", {"amount": number, "unit": unit})
        options.append(Option(f"{number} {unit}", label))
    return tuple(options)


# --- odds -----------------------------------------------------------------------------------------


def _percent(chance: Fraction) -> Text:
    return Text("percent", {"share": str(chance)})


def _odds_fact(what: str) -> Text:
    return Text("mb-odds-fact", {"what": what})


def _levels(hand: RollProfile, other: int | RollProfile) -> tuple[tuple[Text, Text], ...]:
    return tuple(
        (Text("mb-level-reached", {"level": name}), _percent(chance))
        for name, chance in odds.odds_by_result(hand, other)[1:]
    )


def _damages(
    hand: RollProfile, other: int | RollProfile, over: int
) -> tuple[tuple[Text, Text], ...]:
    """Return the results of a hit with their chances (MB-DMG-02).

    *over* is the damage value minus the target's Toughness.
    """
    chances: dict[str, Fraction] = {}
    for points, chance in enumerate(odds.odds_by_points(hand, other)):
        text = success_chart.damage_for_points(points + over).text
        chances[text] = chances.get(text, Fraction(0)) + chance
    rows: list[tuple[Text, Text]] = []
    for text, chance in chances.items():
        if chance >= _MIN_CHANCE:
            rows.append((_literal_text(text), _percent(chance)))
    return tuple(rows)


def _odds(game: Game, given: Values) -> CommandView:
    """Show exact odds by success level, with and without a Life Point (MB-DN-04, MB-CMB-03).

    They are against a difficulty, or against a rolled defense.
    """
    if ("dn" in given) == ("defense" in given):
        raise InvalidInput("mb-dn-or-defense", field="dn", value=None)
    hand = RollProfile(given["value"], not given.get("untrained", False))
    point = hand.replace(points=1, scope=game.setting("lp_tens_scope"))
    name = read_difficulty(given["dn"]) if "dn" in given else ""
    number = difficulty_number(name) if name else given["defense"]
    if number is None:
        raise InvalidInput("mb-dn-or-defense", field="dn", value=name)
    other = number if name else RollProfile(number, True, floor=ACTIVE_DEFENSE_FLOOR)
    blocks: list[Block] = []
    for profile in (hand, point):
        label = Text("mb-odds-way", {"points": profile.points})
        chance = odds.odds_of_reaching(profile, other)
        blocks.append(Fact(label, _percent(chance), FOR_EVERYONE))
    row = success_chart.DIFFICULTIES.get(name)
    if row is not None and row.printed is not None:
        printed = _percent(Fraction(row.printed, 100))
        blocks.append(Fact(_odds_fact("printed"), printed, FOR_EVERYONE))
    blocks.append(Group(_odds_fact("levels"), _levels(hand, other), FOR_EVERYONE))
    blocks.append(Group(_odds_fact("point"), _levels(point, other), FOR_EVERYONE))
    if "damage" in given:
        over = given["damage"] - given.get("toughness", 0)
        blocks.append(Group(_odds_fact("damage"), _damages(hand, other, over), FOR_EVERYONE))
    if not name:
        blocks.append(Fact(_odds_fact("exact"), Text("mb-odds-bound"), FOR_EVERYONE))
    return CommandView(Text("mb-odds-of", {"value": hand.value, "against": number}), tuple(blocks))


def _scale(asking: FormContext) -> tuple[Option, ...]:
    options: list[Option] = []
    for difficulty in success_chart.DIFFICULTIES.values():
        if difficulty.dn is not None:
            about = {"name": difficulty.name, "number": difficulty.dn}
            options.append(Option(difficulty.name, Text("mb-level", about)))
    return tuple(options)


COMMANDS: Final = (
    command(
        "skill",
        _skill,
        Typed("name", most=100, choices=lambda asking: plain_options(SKILLS), needed=True),
    ),
    command(
        "value",
        _value,
        Typed("measure", most=60, choices=_units),
        Number("value", low=_MIN_VALUE, high=_MAX_VALUE),
        Pick("with", choices=plain_options(("multiply", "divide", "impact"))),
        Typed("other", most=60),
        Pick("rounding", choices=plain_options(_MODES)),
    ),
    command(
        "odds",
        _odds,
        Number("value", low=-_MAX_NUMBER, high=_MAX_NUMBER, needed=True),
        Typed("dn", most=40, choices=_scale),
        Number("defense", high=_MAX_NUMBER),
        Flag("untrained"),
        Number("damage", high=_MAX_NUMBER),
        Number("toughness", high=_MAX_NUMBER),
    ),
)
