"""The referee of Barmore's dice pool against the published examples, and its odds against every
face of every die.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.flows import barmore_referee as referee
from tests.flows.barmore_referee import DICE, Pace, Pool, Throw

EXAMPLES = json.loads(
    (Path(__file__).parents[1] / "conformance" / "examples" / "barmore.json").read_text(
        encoding="utf-8"
    )
)["examples"]

Given = Mapping[str, Any]


def _pool(given: Given) -> Pool:
    return Pool(given["add"], given["bonus"], given["penalty"])


def _throw(given: Given) -> Throw:
    shift = DICE[given["die"]][1]
    return referee.thrown(_pool(given), given["die"], [value - shift for value in given["values"]])


def _built(given: Given) -> dict[str, Any]:
    made = referee.pool(
        given["ability"],
        given["attribute"],
        supports=[given.get("support") or 0],
        wounds=given.get("wounds") or 0,
        convert=given.get("convert") or 0,
    )
    return _told(made)


def _told(made: Pool) -> dict[str, Any]:
    left = {"bonus": max(0, made.modifier), "penalty": max(0, -made.modifier)}
    return {"add": made.add, **left, "dice": made.size}


def _rolled(given: Given) -> dict[str, Any]:
    throw = _throw(given)
    found = referee.judged(throw, given["difficulty"])
    return {
        "total": throw.total,
        "botch": found.botch,
        "success": found.success,
        "degree": found.level,
    }


def _opposed(given: Given) -> dict[str, Any]:
    throws = [_throw(given[side]) for side in ("first", "second")]
    found = referee.direct(throws)
    return {
        "first_total": throws[0].total,
        "second_total": throws[1].total,
        "winner": _side(found.winner),
        "degree": found.level,
    }


def _side(winner: int | None) -> str:
    return "nobody" if winner is None else ("first", "second")[winner]


def _indirect(given: Given) -> dict[str, Any]:
    throws = [_throw(given[side]) for side in ("first", "second")]
    found = [referee.judged(each, given["difficulty"]) for each in throws]
    return {
        "first_success": found[0].success,
        "second_success": found[1].success,
        "first_degree": found[0].level,
        "second_degree": found[1].level,
        "winner": _side(referee.indirect(throws, given["difficulty"]).winner),
    }


def _damaged(given: Given) -> dict[str, Any]:
    if given.get("lethal") is None:
        blow = referee.mental_blow(given["attack_level"], given["armour"], given["threshold"])
    else:
        blow = referee.physical_blow(
            given["attack_level"],
            given["armour"],
            given["muscle_power"] if given["physically_powered"] else 0,
            given["weapon"],
            given["toughness"],
            given["threshold"],
            given["lethal"],
        )
    final = None if blow.stopped else blow.final
    return {
        "stopped": blow.stopped,
        "final": final,
        "physical": blow.physical,
        "mental": blow.mental,
    }


def _worked(given: Given) -> dict[str, Any]:
    work = referee.Work(given["required"], 60)
    for each in given["degrees"]:
        work = work.rolled(each)
        if work.over:
            return {"done_after": work.rolls}
    return {"done_after": None}


def _paced(given: Given) -> dict[str, Any]:
    pace = Pace(
        given.get("halvings", 0),
        given.get("doublings", 0),
        given.get("phases_saved", 0),
        given.get("phases_extra", 0),
    )
    return {"add": pace.add, "bonus": pace.bonus}


def _found(given: Given) -> dict[str, Any]:
    descendant = given["accepted_descendant"]
    found = referee.looked_up(given["parents"], given["scores"], given["wanted"], descendant)
    return {"used": found.used, "score": found.score}


RUN: dict[str, Callable[[Given], Mapping[str, Any]]] = {
    "barmore.pool": _built,
    "barmore.roll": _rolled,
    "barmore.no_dice": lambda given: {"total": referee.counted(_pool(given)).total},
    "barmore.team": lambda given: _told(
        referee.team(given["mode"].replace("_", " "), [_pool(each) for each in given["members"]])
    ),
    "barmore.direct_opposition": _opposed,
    "barmore.indirect_opposition": _indirect,
    "barmore.damage": _damaged,
    "barmore.mental_damage": _damaged,
    "barmore.complex": _worked,
    "barmore.time_factor": _paced,
    "barmore.duration": lambda given: {
        "phases": referee.duration(given["base_cost"], given["score"])
    },
    "barmore.simultaneous": lambda given: {"phases": referee.together(given["durations"])},
    "barmore.simultaneous_regular": lambda given: {
        "least_time": float(referee.least_time(given["times"]))
    },
    "barmore.healing_time": lambda given: {
        "time": float(referee.healing_time(given["base"], given["attribute"]))
    },
    "barmore.trait": _found,
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_the_referee_comes_to_what_is_published(example: Given) -> None:
    found = RUN[example["procedure"]](example["given"])
    assert {key: found[key] for key in example["expect"]} == example["expect"]


@pytest.mark.parametrize(
    ("add", "bonus", "penalty"), [(1, 0, 0), (2, 1, 0), (1, 0, 3), (3, 0, 1), (2, 2, 0)]
)
@pytest.mark.parametrize("die", DICE)
def test_the_referees_odds_are_all_rolls_there_are(
    add: int, bonus: int, penalty: int, die: str
) -> None:
    made, (sides, _) = Pool(add, bonus, penalty), DICE[die]
    rolls = [
        referee.thrown(made, die, faces) for faces in product(range(1, sides + 1), repeat=made.size)
    ]
    found = Counter(each.total for each in rolls)
    assert referee.spread(made, die) == {
        total: Fraction(n, len(rolls)) for total, n in found.items()
    }
    for difficulty in (1, 5, 9):
        wins = sum(referee.judged(each, difficulty).success for each in rolls)
        assert referee.chance(made, die, difficulty) == Fraction(wins, len(rolls))
    assert referee.botching(made, die) == Fraction(sum(each.botch for each in rolls), len(rolls))
