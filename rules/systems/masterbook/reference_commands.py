"""`/mb skill`, `/mb value` and `/mb odds`: skills and their charts, what numbers stand for, how
likely they come up.

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
from rules.table.commands import CommandView
from rules.table.forms import Flag, FormContext, Number, Option, Pick, Typed, Values, plain_options
from rules.table.system import Game


def _literal_text(text: str) -> Text:
    return Text("as-written", {"text": text})


def _untrained_text(kind: SkillKind, setting: Setting) -> Text:
    harder = untrained_penalty(kind, setting)
    how = (
        "no"
        if harder is None
        else "chart"
        if kind.untrained == "gm_table"
        else "harder"
        if harder
        else "yes"
    )
    return Text("mb-skill-without-adds", {"how": how, "number": harder})


def _number(row: ChartRow) -> Text:
    how, low = "each" if row.each else "modifier", row.modifier
    if row.dn is not None:
        how, low = "dn", row.dn
    elif row.low is not None:
        how, low = "each" if row.each else "from", row.low
    said = {"how": how, "low": low, "high": row.high, "open": row.open, "lower": row.lower}
    return Text("mb-skill-number", said)


def _row(chart: Chart, row: ChartRow) -> tuple[Text, ...]:
    if not chart.reads:
        return (_literal_text(row.words), _number(row))
    if chart.reads == "adds_less":
        return (_literal_text(row.words),)
    said = {"reads": chart.reads, "id": row.id, "least": row.least, "modifier": row.modifier}
    return (Text("mb-skill-from", said), _literal_text(row.words))


def _base(kind: SkillKind) -> Text | None:
    """What the difficulty begins from; None where the chart has numbers, or the game master says
    it.
    """
    if any(row.dn is not None for row in rows_of(kind.name)):
        return None
    if not (kind.against or kind.rate or kind.base is not None):
        return None
    said = {"against": kind.against or None, "base": kind.base, "rate": bool(kind.rate)}
    return Text("mb-skill-base", said)


def _charts(name: str) -> Iterable[Block]:
    for each in charts_of(name):
        rows = tuple([_row(each, row) for row in each.rows if not row.automatic])
        yield Group(_literal_text(each.title), rows, FOR_EVERYONE)


def _treatment_rows(name: str) -> Iterable[tuple[Text, Text]]:
    """What the wounded are treated against: by first aid, and with medicine at a healing roll
    (MB-HEAL-02 to -06).
    """
    levels = [damage.wound_level(wounds) for wounds in range(1, damage.DEAD + 1)]
    if name == "First Aid":
        aid = [
            ("shock", healing.SHOCK),
            *[(each.id, each.aid) for each in levels],
            ("steady", healing.STEADY),
        ]
    else:
        aid = [(each.id, each.medicine) for each in levels if name == "Medicine"]
    for what, number in aid:
        if number is not None:
            yield Text("mb-skill-treats", {"what": what}), _number(ChartRow(what, "", dn=number))


def _styles(name: str) -> Iterable[tuple[Text, Text]]:
    """What each martial art stands in for, and what it is good at (MB-SKILL-MARTIAL-ARTS)."""
    for each in FOCUSES.values() if name == "Martial Arts" else ():
        own = tuple(
            [
                option.id.replace("_", " ")
                for option in OPTIONS.values()
                if option.focus == each.name
            ]
        )
        said = {"replaces": each.replaces, "bonus": each.bonus or None, "on": each.on}
        yield (
            _literal_text(each.name),
            Text("mb-skill-style", {**said, "least": each.floor or None, "own": own}),
        )


def _related_groups(name: str) -> Iterable[Block]:
    """What stands in the rows of other things: treatment, styles of fighting."""
    for what, rows in (("treats", tuple(_treatment_rows(name))), ("styles", tuple(_styles(name)))):
        if rows:
            yield Group(Text("mb-skill-fact", {"what": what}), rows, FOR_EVERYONE)


def _facts(**found: Value | None) -> list[Block]:
    """What there is of these, each by its name."""
    return [
        Fact(Text("mb-skill-fact", {"what": what}), value, FOR_EVERYONE)
        for what, value in found.items()
        if value
    ]


def skill_blocks(kind: SkillKind, setting: Setting) -> tuple[Block, ...]:
    """A skill in full, as this table plays."""
    given = tuple([each.example for each in inputs_of(kind.name)])
    without = _untrained_text(kind, setting)
    learned = {
        "twice": kind.trained,
        "focus": needs_focus(kind, setting),
        "general": not kind.specialized,
    }
    return (
        *[Note(_literal_text(each), FOR_EVERYONE) for each in (kind.about, *kind.numbers)],
        *_facts(attribute=kind.attribute.capitalize(), untrained=without, base=_base(kind)),
        *[
            Note(Text("mb-skill-learned", {"by": by}), FOR_EVERYONE)
            for by, so in learned.items()
            if so
        ],
        *_facts(focuses=kind.focuses, specializations=kind.specializations, given=given),
        *_charts(kind.name),
        *_related_groups(kind.name),
    )


def _skill(game: Game, given: Values) -> CommandView:
    name = unique_match(SKILLS, given["name"], field="name", unknown="mb-unknown-skill")
    return CommandView(_literal_text(name), skill_blocks(SKILLS[name], game.setting))


#: The values that can be asked about.
_LEAST, _MOST = -50, 150
_HIGHEST: Final = 100
#: From which chance on damage is worth telling.
_RARE: Final = Fraction(1, 1000)

#: What the bot itself writes behind a number, where that begins another unit or none.
_SHORT: Final = {"m": "meters", "km": "kilometers", "kg": "kilograms", "km/h": "kmh"}
#: Commas between thousands.
_THOUSANDS: Final = re.compile(r",(?=\d{3}(?!\d))")

# --- values ---------------------------------------------------------------------------------------


#: No powers of ten: the largest have more digits than anybody waits for.
_NUMBER: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,6}|/[1-9][0-9]{0,5})?|\.[0-9]{1,6}")


#: How a measure between two rows is read, as it is offered.
_MODES: Final[Mapping[str, value_chart.Mode]] = {
    "nearest": "nearest",
    "inclusive up": "inclusive_up",
    "down": "down",
}


def _value_of(text: str, mode: value_chart.Mode) -> int:
    """The value of `30 miles`, `2.5`: a number and its unit; without one meters or whatever has no
    modifier.

    InvalidInput("mb-bad-measure").
    """
    number, _, unit = _THOUSANDS.sub("", text.strip()).partition(" ")
    key = unit.strip().casefold().replace(" ", "_").replace("metres", "meters")
    key = _SHORT.get(key, key)
    found = [each for each in value_chart.UNITS if each == key or (key and each.startswith(key))]
    amount = Fraction(number) if _NUMBER.fullmatch(number) else None
    if not key and amount:
        found = ["meters"]
    if not found or amount is None:
        raise InvalidInput(
            "mb-bad-measure", field="measure", value=text[:100], allowed=tuple(value_chart.UNITS)
        )
    return value_chart.value_in(amount, found[0], mode)


def _measures(value: int) -> Iterable[Block]:
    """What a value stands for, kind by kind, in every unit that isn't far too large (MB-VAL-01,
    MB-VAL-03).
    """
    kinds: dict[str, list[Text]] = {}
    for unit in value_chart.UNITS.values():
        number, scale = value_chart.magnitude(value_chart.measure(value - unit.modifier))
        amount = measure_digits(number)
        if amount != "0" or unit.kind not in kinds:
            said = {"amount": amount, "scale": scale, "unit": unit.unit.replace("_", " ")}
            kinds.setdefault(unit.kind, []).append(Text("mb-amount", said))
    for kind, found in kinds.items():
        yield Fact(Text("mb-measured", {"kind": kind}), tuple(found), FOR_EVERYONE)


def _benchmark_facts(value: int) -> tuple[Block, ...]:
    """Something that everybody knows, of this value."""
    rows = [each for each in value_chart.BENCHMARKS if each.value == value]
    named = [each for row in rows for each in (row.time, row.weight, row.distance) if each]
    return (
        (Fact(Text("mb-measured", {"kind": None}), tuple(map(_literal_text, named)), FOR_EVERYONE),)
        if named
        else ()
    )


def _value(game: Game, given: Values) -> CommandView:
    """Both ways, and two measures together (MB-VAL-02 to MB-VAL-05)."""
    if ("value" in given) == ("measure" in given):
        raise InvalidInput("mb-value-or-measure", field="value", value=None)
    mode = _MODES[given.get("rounding", "nearest")]
    value: int = given["value"] if "value" in given else _value_of(given["measure"], mode)
    how, other, said = given.get("with"), given.get("other"), dict[str, Any](first=value)
    if (how is None) != (other is None):
        raise InvalidInput("mb-two-measures", field="other", value=None)
    if how is not None and other is not None:
        second = _value_of(other, mode)
        value = (
            value_chart.impact_value(value, second)
            if how == "impact"
            else value_chart.combine(value, second, how)
        )
        said |= {"how": how, "second": second}
    blocks = () if how == "impact" else (*_measures(value), *_benchmark_facts(value))
    return CommandView(Text("mb-value-is", {**said, "value": value}), blocks)


def _units(asking: FormContext) -> tuple[Option, ...]:
    number = str(asking.values.get("measure", "")).partition(" ")[0] or "1"
    said = [{"amount": number, "unit": each} for each in typed_ids(*value_chart.UNITS)]
    return tuple([Option(f"{number} {each['unit']}", Text("mb-amount", each)) for each in said])


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
    """What a hit does whose damage value is `over` the Toughness, each result with its chance
    (MB-DMG-02).
    """
    found: dict[str, Fraction] = {}
    for points, chance in enumerate(odds.odds_by_points(hand, other)):
        text = success_chart.damage_for_points(points + over).text
        found[text] = found.get(text, Fraction(0)) + chance
    return tuple(
        [
            (_literal_text(text), _percent(chance))
            for text, chance in found.items()
            if chance >= _RARE
        ]
    )


def _odds(game: Game, given: Values) -> CommandView:
    """Exact, each success level, with and without a point; against a defense that is rolled
    (MB-DN-04, MB-CMB-03).
    """
    if ("dn" in given) == ("defense" in given):
        raise InvalidInput("mb-dn-or-defense", field="dn", value=None)
    hand = RollProfile(given["value"], not given.get("untrained", False))
    point = hand.replace(points=1, scope=game.setting("lp_tens_scope"))
    name = read_difficulty(given["dn"]) if "dn" in given else ""
    number, row = (
        difficulty_number(name) if name else given["defense"],
        success_chart.DIFFICULTIES.get(name),
    )
    if number is None:
        raise InvalidInput("mb-dn-or-defense", field="dn", value=name)
    other = number if name else RollProfile(number, True, floor=ACTIVE_DEFENSE_FLOOR)
    blocks: list[Block] = [
        Fact(
            Text("mb-odds-way", {"points": each.points}),
            _percent(odds.odds_of_reaching(each, other)),
            FOR_EVERYONE,
        )
        for each in (hand, point)
    ]
    if row is not None and row.printed is not None:
        blocks.append(
            Fact(_odds_fact("printed"), _percent(Fraction(row.printed, 100)), FOR_EVERYONE)
        )
    blocks.append(Group(_odds_fact("levels"), _levels(hand, other), FOR_EVERYONE))
    blocks.append(Group(_odds_fact("point"), _levels(point, other), FOR_EVERYONE))
    if "damage" in given:
        over = given["damage"] - given.get("toughness", 0)
        blocks.append(Group(_odds_fact("damage"), _damages(hand, other, over), FOR_EVERYONE))
    if not name:
        blocks.append(Fact(_odds_fact("exact"), Text("mb-odds-bound"), FOR_EVERYONE))
    return CommandView(Text("mb-odds-of", {"value": hand.value, "against": number}), tuple(blocks))


def _scale(asking: FormContext) -> tuple[Option, ...]:
    return tuple(
        Option(each.name, Text("mb-level", {"name": each.name, "number": each.dn}))
        for each in success_chart.DIFFICULTIES.values()
        if each.dn is not None
    )


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
        Number("value", low=_LEAST, high=_MOST),
        Pick("with", choices=plain_options(("multiply", "divide", "impact"))),
        Typed("other", most=60),
        Pick("rounding", choices=plain_options(_MODES)),
    ),
    command(
        "odds",
        _odds,
        Number("value", low=-_HIGHEST, high=_HIGHEST, needed=True),
        Typed("dn", most=40, choices=_scale),
        Number("defense", high=_HIGHEST),
        Flag("untrained"),
        Number("damage", high=_HIGHEST),
        Number("toughness", high=_HIGHEST),
    ),
)
