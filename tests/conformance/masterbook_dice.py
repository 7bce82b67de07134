"""Adapters for the worked examples of MasterBook: dice, totals, difficulties, the charts, chances,
values.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from rules.core.errors import Impossible
from rules.systems.masterbook.advancement.life_points import convert_life_points
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks.roll_stages import LIFE_POINT
from rules.systems.masterbook.checks.sheet_damage import LIFE_POINTS, RESOURCES
from rules.systems.masterbook.checks.state import Result
from rules.systems.masterbook.combat import odds as combat_odds
from rules.systems.masterbook.combat.odds import RollProfile
from rules.systems.masterbook.formulas import dice, success_chart, value_chart
from rules.systems.masterbook.formulas.attributes import skill_value
from rules.systems.masterbook.formulas.damage import MOST_OWN_POINTS
from rules.systems.masterbook.formulas.dice import Roll, Throw
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.systems.masterbook.formulas.skills import best_skill
from rules.systems.masterbook.formulas.success_chart import DIFFICULTIES
from rules.table.resources import give_award, pay_cost
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: What the examples say of a roll on which 10s roll again although no skill is trained.
_STRAIGHT = ("tens_again", "straight_attribute_roll", "initiative", "healing")
#: What they call points by whose they are.
_SPENT = {"own": "life_points_spent", "hero": "hero_cards_spent", "drama": "drama_cards_spent"}
_PAID = {"own": "life_points_delta", "hero": "hero_cards_delta", "drama": "drama_cards_delta"}
_MEASURES = {
    "mass": "kilograms",
    "time": "seconds",
    "distance": "meters",
    "speed": "meters_per_round",
}


def _title(text: str) -> str:
    return text.replace("_", " ").title()


def _get(given: Given, *keys: str, default: Any = None) -> Any:
    """What stands under the first of these keys that is there."""
    return next((given[each] for each in keys if each in given), default)


def _of(outcomes: Any, one: str, many: str, of: Any) -> dict[str, object]:
    """One outcome, or a list where the example lists what goes in."""
    return (
        {many: [of(each) for each in outcomes]}
        if isinstance(outcomes, list)
        else {one: of(outcomes)}
    )


def _rated(given: Given) -> tuple[int, bool]:
    """The value, and whether 10s roll again."""
    if (known := _get(given, "skill_value", "value")) is not None:
        value, trained = known, False
        given.get("specialization")
    else:
        attribute = _get(given, "attribute", *ATTRIBUTES, default=0)
        inside = given.get("use_inside_specialization", True)
        special = given.get("specialization_adds", 0)
        adds = [
            given[each] for each in given if each.endswith("adds") and each != "specialization_adds"
        ]
        barred = given.get("untrained", False)
        value, trained = skill_value(
            attribute, 0 if barred else sum(adds), special if inside and not barred else 0
        )
    straight = sum(given.get(each, False) for each in _STRAIGHT) > 0
    return value, given.get("trained", trained) or straight


def _modifiers(given: Given) -> tuple[tuple[str, int], ...]:
    found = [
        ("modifier", each)
        for each in (given.get("modifier", 0), *given.get("modifiers", ()))
        if each
    ]
    if "multi_action_priority" in given:
        rank = given["multi_action_priority"]
        found.append(("multi_action", multi_action_penalty(rank, max(rank, 2))))
    return tuple(found)


def _points(given: Given) -> list[tuple[str, bool]]:
    """Each point that was spent: whose, and whether it was canceled."""
    # Who is not aware of an action cannot cancel a point of it.
    canceled = given.get("cancelled", False) and _get(
        given, "aware", "canceller_aware", default=True
    )
    found = [(whose, canceled) for whose, key in _SPENT.items() for _ in range(given.get(key, 0))]
    return [
        *found,
        *[
            (each.get("source", "own"), each.get("cancelled", False))
            for each in given.get("points", ())
        ],
    ]


def _paid(points: Iterable[tuple[str, bool]]) -> dict[str, object]:
    spent = list(points)
    found: dict[str, object] = {
        key: -sum(each == whose for each, _ in spent) for whose, key in _PAID.items()
    }
    found["spender_life_points_delta"] = found["life_points_delta"]
    return {**found, "canceller_life_points_delta": -sum(canceled for _, canceled in spent)}


def _rolled(
    given: Given, roll: MakeDice, tens: bool, points: Iterable[tuple[str, bool]]
) -> Roll | None:
    """The dice with everything on top; those of a total or a bonus number that is known already."""
    if "dice" in given:
        rng = roll(given["dice"])
        found = dice.throw(rng, tens, int(given.get("up", 0)), given.get("stymied", False))
        scope = given.get("settings", {}).get("lp_tens_scope", "all")
        for _, canceled in points:
            if not canceled:
                found = dice.spend_point(found, rng, scope)
        return found
    total = _get(given, "dice_total", "die_total")
    if total is None and "bonus" in given:
        total = dice.least_die_total(given["bonus"])
    return None if total is None else Roll((total,))


def _judged(given: Given, total: int, value: int) -> dict[str, object]:
    number = given["dn"] + sum(given.get("dn_modifiers", ()))
    result = Result(total, number)
    on = given.get("settings", {}).get("critical_failure", False)
    return {
        "success": result.success,
        "result_points": result.points,
        "missed_by": -result.points,
        "level": success_chart.success_level(result.points),
        "critical_failure": on and success_chart.is_critical_failure(total, number, value),
    }


@adapter("masterbook-core.mb-die-01")
@adapter("masterbook-core.mb-die-02")
@adapter("masterbook-core.mb-die-03")
@adapter("masterbook-core.mb-die-04")
@adapter("masterbook-core.mb-die-05")
@adapter("masterbook-core.mb-die-06")
@adapter("masterbook-core.mb-die-07")
@adapter("masterbook-core.mb-skl-01")
@adapter("masterbook-core.mb-skl-02")
@adapter("masterbook-core.mb-suc-01")
@adapter("masterbook-core.mb-suc-05")
def rolled(given: Given, roll: MakeDice) -> Outputs:
    if "die_totals" in given:
        return {"bonuses": [dice.bonus_number(each) for each in given["die_totals"]]}
    value, tens = _rated(given)
    points = _points(given)
    own = [each for each, _ in points].count("own")
    if own > MOST_OWN_POINTS or (points and given.get("initiative", False)):
        return {"allowed": False}
    outputs: dict[str, object] = {
        "allowed": True,
        "skill_value": value,
        "value": value,
        "trained": tens,
        **_paid(points),
    }
    floor = (
        dice.ACTIVE_DEFENSE_FLOOR
        if given.get("active", False)
        else _get(given, "floor", "minimum_bonus")
    )
    found = _rolled(given, roll, tens, points)
    total = given.get("total")
    if found is not None:
        throw = Throw("a", "check", value, _modifiers(given), found, floor)
        total = throw.total
        outputs |= {
            "dice": list(found.dice),
            "die_total": found.total,
            "roll_agains": len(found.dice[2:]),
            "bonus": dice.bonus_number(found.total),
            "bonus_used": throw.bonus,
            "total": total,
            "defense": total,
            # It is a mark until the next action, which is this one.
            "stymied_after": False,
        }
    return (
        outputs
        if "dn" not in given or total is None
        else {**outputs, **_judged(given, total, value)}
    )


@adapter("masterbook-core.mb-dn-01")
def difficulties(given: Given, roll: MakeDice) -> Outputs:
    levels = _get(given, "levels", "level")
    if levels is not None:
        return _of(levels, "dn", "dn", lambda each: DIFFICULTIES[_title(each)].dn)
    shifts = [("modifier", each) for each in given.get("dn_modifiers", ())]
    number = sum([each for _, each in shifts], given["base_dn"])
    return {"dn": number, "skill_modifier": given.get("skill_modifier", 0)}


@adapter("masterbook-core.mb-dn-02")
def opposed(given: Given, roll: MakeDice) -> Outputs:
    given.get("attack")
    passive = best_skill({each: given[each] for each in given if isinstance(given[each], int)})[1]
    return {"dn": given.get("active_total", passive)}


def _hand(given: Given) -> RollProfile:
    value, tens = _rated(given)
    return RollProfile(
        value + sum([each for _, each in _modifiers(given)]),
        tens,
        int(given.get("up", 0)),
        given.get("stymied", False),
        sum(not canceled for _, canceled in _points(given)),
        given.get("settings", {}).get("lp_tens_scope", "all"),
    )


@adapter("masterbook-core.mb-dn-04")
@adapter("masterbook-skills.mb-skill-06")
def odds(given: Given, roll: MakeDice) -> Outputs:
    hand, number = _hand(given), given["dn"]
    row = next((each for each in DIFFICULTIES.values() if each.dn == number), None)
    wanted = combat_odds.needed_bonus(hand, number)
    return {
        "bonus_needed": wanted,
        "die_total_needed": dice.least_die_total(wanted),
        "percent": combat_odds.odds_of_reaching(hand, number) * 100,
        "percent_without_roll_agains": combat_odds.odds_of_reaching(
            hand.replace(tens=False), number
        )
        * 100,
        "printed_percent": row and row.printed,
    }


@adapter("masterbook-core.mb-suc-02")
def levels(given: Given, roll: MakeDice) -> Outputs:
    points = given["result_points"]
    return {
        **_of(points, "level", "levels", success_chart.success_level),
        **_of(points, "rank", "ranks", success_chart.rank),
    }


@adapter("masterbook-core.mb-suc-03")
@adapter("masterbook-core.mb-suc-04")
def columns(given: Given, roll: MakeDice) -> Outputs:
    if "damage_points" in given:
        return _of(
            given["damage_points"],
            "damage",
            "damage",
            lambda each: success_chart.damage_for_points(each).text,
        )
    every: dict[str, Any] = {
        "damage": lambda each: success_chart.damage_for_points(each).text,
        "push": success_chart.push,
        **{name: _column(name) for name in success_chart.COLUMNS},
    }
    points, column = given["result_points"], given.get("column")
    if column is not None:
        return {
            **_of(points, "result", "results", every[column]),
            **_of(points, column, column, every[column]),
        }
    outputs: dict[str, object] = {}
    for name, of in every.items():
        outputs |= _of(points, name, name, of)
    return outputs


def _column(name: success_chart.Column) -> Any:
    return lambda points: success_chart.result(name, points)


@adapter("masterbook-core.mb-val-01")
def measures(given: Given, roll: MakeDice) -> Outputs:
    given.get("strength")
    number = _get(given, "values", "value")
    names = (
        ("measure", "measures"),
        *[(each, each) for each in ("meters", "kilograms", "seconds")],
    )
    outputs: dict[str, object] = {}
    for one, many in names:
        outputs |= _of(number, one, many, value_chart.measure)
    return outputs


@adapter("masterbook-core.mb-val-02")
def nearest(given: Given, roll: MakeDice) -> Outputs:
    measure = given["measure"]
    return {
        "value": value_chart.chart_value(measure, given.get("mode", "nearest")),
        "nearest": value_chart.chart_value(measure),
        "inclusive": value_chart.chart_value(measure, "inclusive_up"),
        "inclusive_up": value_chart.chart_value(measure, "inclusive_up"),
        "down": value_chart.chart_value(measure, "down"),
    }


@adapter("masterbook-core.mb-val-03")
def units(given: Given, roll: MakeDice) -> Outputs:
    unit = given["unit"].replace(" ", "_").replace("/", "")
    found = value_chart.value_in(given["amount"], unit)
    return {"value": found, _MEASURES[value_chart.UNITS[unit].kind]: value_chart.measure(found)}


@adapter("masterbook-core.mb-val-04")
def combined(given: Given, roll: MakeDice) -> Outputs:
    if "measures" in given:
        first, second = given["measures"]
        both = value_chart.chart_value(first), value_chart.chart_value(second)
        found = value_chart.combine(*both, given["operation"])
        return {
            "values": list(both),
            "sum": found,
            "difference": found,
            "measure": value_chart.measure(found),
            "exact_product": value_chart.exact_number(first) * value_chart.exact_number(second),
            "exact_quotient": value_chart.exact_number(first) / value_chart.exact_number(second),
        }
    return next(
        run(given)
        for keys, run in _TRAVEL.items()
        if all(f"{each}_value" in given for each in keys)
    )


def _travel(first: str, second: str, wanted: str, operation: Literal["multiply", "divide"]) -> Any:
    def run(given: Given) -> Outputs:
        found = value_chart.combine(given[f"{first}_value"], given[f"{second}_value"], operation)
        return {f"{wanted}_value": found, _MEASURES[wanted]: value_chart.measure(found)}

    return run


_TRAVEL = {
    ("distance", "speed"): _travel("distance", "speed", "time", "divide"),
    ("distance", "time"): _travel("distance", "time", "speed", "divide"),
    ("speed", "time"): _travel("speed", "time", "distance", "multiply"),
}


_DERIVED = (
    ("mass_kg", "mass_value"),
    ("height_m", "distance_value"),
    ("meters_per_round", "speed_value"),
)


@adapter("masterbook-core.mb-val-05")
def derived(given: Given, roll: MakeDice) -> Outputs:
    outputs: dict[str, object] = {}
    parts = {
        key: given[key]
        for key in ("strength", "speed_value", "mass_value", "rock_mass_value")
        if key in given
    }
    for unit, key in _DERIVED:
        if unit in given:
            outputs[key] = parts[key] = value_chart.chart_value(given[unit])
    if "mass_kg" in given:
        outputs["dn"] = value_chart.chart_value(given["mass_kg"], "inclusive_up")
    found = value_chart.impact_value(*parts.values())
    outputs["damage_value_before_bonus"] = found
    known = _rolled(given, roll, False, ())
    if known is not None:
        outputs["damage_value"] = Throw("", "", found, (), known).total
    return outputs


@adapter("masterbook-core.mb-time-01")
def rounds(given: Given, roll: MakeDice) -> Outputs:
    return _of(
        given["combat_rounds"],
        "seconds",
        "seconds",
        lambda number: number * value_chart.ROUND_SECONDS,
    )


@adapter("masterbook-core.mb-lp-01")
@adapter("masterbook-core.mb-lp-06")
def awarded(given: Given, roll: MakeDice) -> Outputs:
    before, given_ = MasterbookSheet(life_points=given["life_points"]), given["award"]
    sheet, _ = give_award(RESOURCES, "A", before, LIFE_POINTS.key, given_)
    return {
        "life_points": sheet.life_points,
        "lost": before.life_points + given_ - sheet.life_points,
    }


@adapter("masterbook-core.mb-lp-02")
def used(given: Given, roll: MakeDice) -> Outputs:
    have, spent = given["life_points"], given.get("spend", 1)
    try:
        if given["use"] == "skill_points":
            left, skill_points = convert_life_points(have, given.get("skill_points", 0), spent)
            return {"allowed": True, "life_points": left, "skill_points": skill_points}
        sheet = pay_cost(
            RESOURCES, MasterbookSheet(life_points=have), LIFE_POINT.replace(amount=spent)
        )
    except Impossible:
        return {"allowed": False}
    return {"allowed": True, "life_points": sheet.life_points}
