"""Adapters for the worked examples of MasterBook: backgrounds in play."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.rng import ScriptedRng
from rules.systems.masterbook.background import quirks, recognition
from rules.systems.masterbook.background.state import (
    BackgroundState,
    option_name,
    with_state_of,
)
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.checks import background_memory, card_awards
from rules.systems.masterbook.checks.state import Result
from rules.systems.masterbook.formulas import background, dice
from rules.systems.masterbook.formulas.background import Culture
from rules.systems.masterbook.formulas.option_kinds import option_kind
from rules.systems.masterbook.formulas.reference_rows import cause_total
from rules.systems.masterbook.system import SYSTEM
from rules.table.actions import Actor
from rules.table.marks import apply_tick, with_marks
from rules.table.state import Character, Mark, Settings, TableState
from rules.table.system import Game
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_WHO: Final = "k1"
_COMPENSATIONS: Final = ("Infamy", "Bad Luck", "Quirk", "Price")
_WATER: Final[dict[str, background.Water]] = {
    "near_large_body": "near",
    "in_water": "in",
    "wet": "wet",
}
_CULTURES: Final[dict[str, Culture]] = {"own_culture": "home", "other_culture": "elsewhere"}


def _sheet(name: str, column: int, **values: Any) -> MasterbookSheet:
    """Return a sheet with one option."""
    side = "compensations" if name in _COMPENSATIONS else "advantages"
    return MasterbookSheet(**{side: (BackgroundOption(name, column),)}, **values)


def _game(sheet: MasterbookSheet) -> Game:
    character = Character(_WHO, "Diane", "p2", sheet)
    state = TableState(Settings("Examples", "masterbook", ("p1",)), characters={_WHO: character})
    return Game(state, SYSTEM, ScriptedRng(()), 0, Actor("p1"))


def _faces(throws: Iterable[Iterable[int]]) -> list[int]:
    return [face for throw in throws for face in throw]


def _throw(value: int, trained: bool, given: Given, roll: MakeDice) -> dice.Throw:
    """Return what somebody with this value throws."""
    rng = roll(_faces(given["throws"]))
    return dice.Throw(_WHO, "check", value, roll=dice.throw(rng, trained))


def _recognition(given: Given, roll: MakeDice) -> recognition.RecognitionRoll:
    option = option_effects(_sheet(given["option"], given["column"])).recognitions[0]
    culture = _CULTURES[given.get("audience", "other_culture")]
    return recognition.roll_recognition(roll(_faces(given["throws"])), option, culture)


@adapter("masterbook-characters.mb-bg-14")
def recognized(given: Given, roll: MakeDice) -> Outputs:
    found = _recognition(given, roll)
    return {
        "die_total": found.dice.total,
        "target": found.target,
        "recognised": found.recognized,
    }


@adapter("masterbook-characters.mb-bg-51")
def infamous(given: Given, roll: MakeDice) -> Outputs:
    found, base = _recognition(given, roll), given["base_dn"]
    harder = (("infamy", found.recognition.difficulty),) if found.recognized else ()
    return {
        "die_total": found.dice.total,
        "recognised": found.recognized,
        "dn": base + cause_total(harder),
    }


@adapter("masterbook-characters.mb-bg-43")
def unlucky(given: Given, roll: MakeDice) -> Outputs:
    if "natural_pair_totals" in given:
        totals = given["natural_pair_totals"]
        sheets = {column: _sheet("Bad Luck", column) for column in (1, 2, 3)}
        return {
            f"column_{column}": [card_awards.is_struck(sheet, total) for total in totals]
            for column, sheet in sheets.items()
        }
    rng = roll(_faces(given["throws"]))
    thrown = dice.throw(rng, tens=True)
    if "second_throw" in given:
        assert "Life Point" in given["second_throw"]
        thrown = dice.spend_point(thrown, rng)
    sheet = _sheet(given["option"], given["column"])
    return {"triggered": card_awards.is_struck(sheet, thrown.low), "die_total": thrown.total}


@adapter("masterbook-characters.mb-bg-57")
def tempted(given: Given, roll: MakeDice) -> Outputs:
    trained = given.get("willpower_adds", 1) > 0
    value = given["confidence"] if "confidence" in given else given["willpower_value"]
    game = _game(_sheet("Quirk", given["column"]))
    quirk = quirks.find_quirk(game.sheet(_WHO), None, "Diane")
    raised = BackgroundState(raises=((option_name(quirk.option), given.get("dn_raise", 0)),))
    game = with_state_of(game, _WHO, raised)
    thrown = _throw(value, trained, given, roll)
    number = quirks.quirk_difficulty(game, _WHO, quirk)
    return {
        "bonus_number": thrown.bonus,
        "total": thrown.total,
        "dn": number,
        "gives_in": not Result(thrown.total, number).success,
    }


@adapter("masterbook-characters.mb-bg-40")
def weak(given: Given, roll: MakeDice) -> Outputs:
    if "endurance" in given:
        thrown = _throw(given["endurance"], True, given, roll)
        return {
            "bonus_number": thrown.bonus,
            "total": thrown.total,
            "dn": background.EXPOSURE_DIFFICULTY,
            "wounds": background.exposure_wounds(thrown.total),
        }
    if "situations" in given:
        harder = [background.panic_difficulty(_WATER[each]) for each in given["situations"]]
        return {"dns": [given["base_dn"] + each for each in harder]}
    if "attack_total" in given:
        return _frozen(given)
    assert given["resist_value"] <= given["active_resist_total"]
    number = given["con_total"] + _con_difficulty()
    return {
        "dn_for_resisting": number,
        "resisted": Result(given["active_resist_total"], number).success,
    }


def _con_difficulty() -> int:
    """Return what the heel of that name adds to the difficulty of resisting con."""
    heel = option_kind("compensation", "Achilles' Heel", 3)
    assert heel is not None
    (pattern,) = [pattern for pattern in heel.patterns if pattern.id == "con"]
    (situation,) = pattern.gives.situations
    return situation.proposed


def _frozen(given: Given) -> Outputs:
    """Return an attack with a firearm in the first round, and in the one after."""
    assert given["round"] == 1
    game = _game(MasterbookSheet())
    mark = Mark(background_memory.FROZEN, value=background.FROZEN_BONUS, until="round")
    game = game.with_state(with_marks(game.state, _WHO, mark))
    later = apply_tick(game, "round-end", (_WHO,), at=1).game
    first, second = [
        given["attack_total"] + cause_total(background_memory.frozen_causes(each, _WHO, "fire"))
        for each in (game, later)
    ]
    return {
        "attack_total_final": first,
        "hit": Result(first, given["dodge_value"]).success,
        "round_2_attack_total": second,
    }


@adapter("masterbook-characters.mb-bg-56")
def priced(given: Given, roll: MakeDice) -> Outputs:
    assert given["option"] == "life_points"
    sheets = [_sheet("Price", column) for column in given["price_columns_used"]]
    prices = [option_effects(sheet).prices[0].number for sheet in sheets]
    found = background.pay_prices(given["life_points"], prices)
    return {
        "life_points": found.left,
        "paid": [prices[place] for place in found.paid],
        "advantage_suspended": bool(found.unpaid),
    }
