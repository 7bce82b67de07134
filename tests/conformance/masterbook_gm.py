"""Adapters for the worked examples of MasterBook: the gamemaster's procedures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bot.presenters.language.words import say, say_error
from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.sheet_damage import RESOURCES
from rules.systems.masterbook.formulas import gm_rules
from rules.systems.masterbook.formulas.gm_rules import GmWarning
from rules.table.blocks import Text
from rules.table.resources import give_award
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

#: Participation of a standard NPC, as the examples write it.
_PARTICIPATION: dict[str, gm_rules.Participation] = {
    "nearly one full act": "most_of_an_act",
    "more than one act": "several_acts",
    "showed up, did little": "brief",
    "off stage": "unused",
}
#: Adventure bonuses of one Life Point each.
_BONUSES = ("exceptional_roleplaying_or_puzzle_solving", "extremely_hard_adventure")


def _code(code: str) -> str:
    return code.removeprefix("mb-").replace("-", "_").upper()


def _warnings(warnings: Iterable[GmWarning]) -> list[dict[str, str]]:
    return [
        {"code": _code(each.code), "text": say(Text(each.code, each.params))} for each in warnings
    ]


def _or_error(run: Callable[[], Outputs]) -> Outputs:
    try:
        return run()
    except RulesError as error:
        return {"errors": [{"code": _code(error.code), "text": say_error(error)}]}


@adapter("masterbook-characters.mb-gm-01")
@adapter("masterbook-characters.mb-gm-02")
def act_structure(given: Given, dice: MakeDice) -> Outputs:
    def run() -> Outputs:
        gm_rules.require_scenes(len(given["scenes"]))
        return {"warnings": _warnings(gm_rules.act_warnings(given["act"], given["scenes"]))}

    return _or_error(run)


@adapter("masterbook-characters.mb-gm-03")
def act_award(given: Given, dice: MakeDice) -> Outputs:
    def run() -> Outputs:
        scenes, adjust = given["scenes"], given["adjust"]
        flat = given.get("act_award_mode") == "flat"
        gm_rules.require_scenes(scenes)
        gm_rules.require_paying_act(given["last_act"])
        return {"life_points_each": gm_rules.act_award(scenes, adjust, flat=flat)}

    def whole_adventure() -> Outputs:
        acts = given["acts"]
        award = gm_rules.adventure_award(acts, _bonuses(given["bonuses"]))
        paying = [act for act in range(1, acts + 1) if _pays_act_award(last=act == acts)]
        return {"act_awards": paying, "life_points": award}

    return _or_error(whole_adventure if "acts" in given else run)


def _pays_act_award(*, last: bool) -> bool:
    try:
        gm_rules.require_paying_act(last)
    except Impossible:
        return False
    return True


def _bonuses(names: list[str]) -> int:
    assert {*names} <= {*_BONUSES}, names
    return len(names)


@adapter("masterbook-characters.mb-gm-04")
def adventure_award(given: Given, dice: MakeDice) -> Outputs:
    acts: Any = given["acts"]
    bonuses, grueling = _bonuses(given["bonuses"]), given.get("grueling", False)

    def one(number: int) -> tuple[int, list[dict[str, str]]]:
        award = gm_rules.adventure_award(number, bonuses)
        return award, _warnings(gm_rules.adventure_warnings(award, grueling))

    def run() -> Outputs:
        if isinstance(acts, list):
            rows = [one(number) for number in acts]
            return {"life_points": [row[0] for row in rows], "warnings": [row[1] for row in rows]}
        award, warnings = one(acts)
        return {"life_points": award, "warnings": warnings}

    return _or_error(run)


@adapter("masterbook-characters.mb-gm-05")
def extra_reward(given: Given, dice: MakeDice) -> Outputs:
    return {"ok": [_is_extra_reward(points) for points in given["skill_points"]]}


def _is_extra_reward(points: int) -> bool:
    """Return whether a GM may award so many skill points of one group."""
    try:
        give_award(RESOURCES, "Ann", MasterbookSheet(), "skill_points_non_combat", points)
    except InvalidInput:
        return False
    return True


@adapter("masterbook-characters.mb-gm-06")
def overflow(given: Given, dice: MakeDice) -> Outputs:
    paid = gm_rules.pay_life_points(
        given.get("name", ""),
        given["life_points"],
        given["award"],
        convert=given.get("convert_overflow", False),
    )
    return {
        "life_points": paid.life_points,
        "lost": paid.lost,
        "skill_points_gained": paid.skill_points,
        "warnings": _warnings(paid.warnings),
    }


@adapter("masterbook-characters.mb-gm-08")
def life_points_by_kind(given: Given, dice: MakeDice) -> Outputs:
    return {"default_life_points": [gm_rules.NPC_LIFE_POINTS[kind] for kind in given["kinds"]]}


@adapter("masterbook-characters.mb-gm-09")
def standard_target(given: Given, dice: MakeDice) -> Outputs:
    target = gm_rules.standard_target(
        gm_rules.Development(each["skill_adds_total"], each["attribute_total"])
        for each in given["player_characters"]
    )
    assert target is not None
    return {
        "skill_adds_total_range": [target.least_adds, target.most_adds],
        "attribute_total": target.attributes,
        "life_points": gm_rules.NPC_LIFE_POINTS["standard"],
    }


@adapter("masterbook-characters.mb-gm-12")
def npc_award(given: Given, dice: MakeDice) -> Outputs:
    award = gm_rules.npc_award(
        _PARTICIPATION[given["participation"]], given.get("act_award", 0), given.get("acts", 1)
    )
    low, high = award.life_points
    return {
        "life_points": low if low == high else [low, high],
        "skill_points_range": list(award.skill_points),
    }
