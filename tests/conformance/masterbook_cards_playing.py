"""Adapters for the worked examples of MasterBook's deck: cards that are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from rules.core.errors import Impossible
from rules.systems.masterbook import chart, damage, dice, skills, turns
from rules.systems.masterbook.arms import damage_value, weapon_of
from rules.systems.masterbook.body import skill_value
from rules.systems.masterbook.check import Result
from rules.systems.masterbook.dice import Roll, Throw
from rules.systems.masterbook.deck import approving, playing, story, task
from rules.systems.masterbook.deck.kinds import KINDS, Op
from rules.systems.masterbook.deck.playing import EFFECT, TOTAL, TOUGHNESS, Moment, Played, added
from rules.systems.masterbook.deck.state import DISCARD, FACE, ROUND, Cards, Moves
from tests.conformance.masterbook_cards_names import ME, Names, attempt, dealt, held, number_of, options, rounds
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_OTHER = "pc_2"
#: Where a card is played unless the example says so: when it could be.
_WHEN = {
    "after_resolution": ("opponent_fails", "second_chance"),
    "effect_pending": ("effect",),
    "any_between_actions": ("idea", "haste", "opportunity", "claim", "leadership", "rally"),
}
_NUMBERS = {"toughness": TOUGHNESS, "damage_value": EFFECT, "effect": EFFECT}
_SIDES = {"other_pc": "player", "pc": "player", "gamemaster_character": "gm"}


def _window(given: Given, kind: str) -> Any:
    if given.get("result_revealed") or given.get("damage_read"):
        return "after_resolution"
    if given.get("action_in_progress"):
        return "roll_pending"
    usual = next((window for window, kinds in _WHEN.items() if kind in kinds), "roll_pending")
    return given.get("window", usual)


def _moment(given: Given, kind: str, **more: Any) -> Moment:
    """What goes on, as far as the example says so."""
    number = given.get("number", "damage_value" if "damage_value" in given else "")
    adds = given.get("skill_adds", 0) + given.get("specialization_adds", 0)
    succeeded = given.get("attack_succeeded", given.get("success", True))
    if "total" in given and "dn" in given and KINDS[kind].op == "modify_effect_value":
        succeeded = Result(given["total"], given["dn"]).success
    about: dict[str, Any] = {
        "window": _window(given, kind),
        "actor": ME,
        "number": _NUMBERS.get(number, TOTAL),
        "attribute": given.get("attribute", "agility"),
        "adds": adds > 0,
        "against": _SIDES.get(given.get("action_against", ""), ""),
        "succeeded": succeeded,
        "awake": not given.get("unconscious", False),
    }
    return Moment(**(about | more))


class _Play:
    """Cards played one after another, in rounds from the pool, else from the hand, on what goes on in the example."""

    def __init__(self, given: Given, kinds: Sequence[str], place: str = "", **moment: Any) -> None:
        self.names = Names()
        inside = given.get("in_rounds", False) or "round" in given
        there = held(given, self.names) or {place or ("pool" if inside else "hand"): self.names.cards(kinds)}
        seats = {ME: there, _OTHER: {}}
        flip = rounds({"in_rounds": inside})
        self.cards: Cards = dealt(self.names, seats=seats, flip=flip, number=given.get("round", 1))
        self.done: list[Played] = []
        self.moves: Moves = ()
        self.said: dict[str, Any] = {}
        setting = options(effect_card_can_rescue=given.get("effect_card_can_rescue"))
        mine = {self.names.name(card): card for held_ in there.values() for card in held_}
        several = iter([card for held_ in there.values() for card in held_])
        for kind in kinds:
            card = mine[kind] if kinds.count(kind) == 1 else next(several)
            as_name = given.get("as_name", "")
            now = _moment(given, as_name if as_name in KINDS else kind, **moment)

            def run(card: str = card, now: Moment = now, as_name: str = as_name) -> tuple[Cards, Moves]:
                cards, moves, done = playing.play(self.cards, ME, card, now, as_name, setting)
                self.done.append(done)
                return cards, moves

            self.cards, moves, self.said = attempt(run, self.cards)
            self.moves = (*self.moves, *moves)

    def on(self, value: int, number: Any = TOTAL, actor: str = ME) -> int:
        """A number with what the cards put on it."""
        return value + added(self.done, actor, number)

    def lies(self) -> list[Any]:
        """What lies on the discard pile."""
        return [self.names.name(each) for each in self.cards.at(DISCARD)]


def _kinds(given: Given, usual: str = "") -> list[str]:
    return list(given.get("cards", [given.get("card", usual)]))


def _hit(over: int) -> dict[str, object]:
    return {"damage_result_points": over, "damage": chart.damage(over).text}


# --- where and when ----------------------------------------------------------------------------------------------


@adapter("masterbook-cards.mb-card-08")
def outside_rounds(given: Given, make: MakeDice) -> Outputs:
    """Any number of cards of the hand at once."""
    play = _Play(given, _kinds(given))
    seat = play.cards.seat(ME)
    found = {**play.said, "modifier": added(play.done, ME, TOTAL), "critical_moment_used": seat.moment}
    given.get("attribute")
    if isinstance(given["skill"], str):
        return found
    number = dice.bonus(given["dice_total"])
    total = play.on(given["skill"] + number)
    result = Result(total, given["dn"])
    return found | {
        "bonus_number": number,
        "total_before": given["skill"] + number,
        "total": total,
        "result_points": result.points,
        "success_level": result.level,
    }


@adapter("masterbook-cards.mb-card-10")
def in_rounds(given: Given, make: MakeDice) -> Outputs:
    """Only from the pool."""
    return _Play(given, [given["play"]]).said


def _thrown(given: Given, make: MakeDice, more: Sequence[tuple[str, int]] = ()) -> Throw:
    """A roll with its modifiers; dice that are there as a total are read off the chart."""
    modifiers = [("multi_action", given["multi_action_modifier"])] if "multi_action_modifier" in given else []
    if "dice" in given:
        roll = dice.throw(make(given["dice"]), given.get("trained", True))
    else:
        roll = Roll((given["dice_total"],))
    floor = dice.ACTIVE if given.get("active") else None
    return Throw(ME, TOTAL, given["skill"], (*modifiers, *more), roll, floor)


@adapter("masterbook-cards.mb-card-13")
def total(given: Given, make: MakeDice) -> Outputs:
    """Cards and other modifiers go on the total, after the bonus number."""
    throw = _thrown(given, make, [("card", KINDS[each].amount) for each in given.get("cards", ())])
    found: dict[str, object] = {
        "dice_total": throw.roll.total,
        "bonus_number": throw.bonus,
        "total": throw.total,
    }
    if "target_dn" in given:
        points = Result(throw.total, given["target_dn"]).points
        value = damage.damage_value(strength=given["strength"], add=given["damage_modifier"])
        struck = damage.struck(points, value, given["target_toughness"])
        found |= {"result_points": points, "damage_value": value, "modified_damage_value": struck.total}
        found |= _hit(struck.over)
    return found


# --- numbers -----------------------------------------------------------------------------------------------------


@adapter("masterbook-cards.mb-card-e01")
def action(given: Given, make: MakeDice) -> Outputs:
    """On every number of the round, from now on."""
    if "sequence" in given:
        sequence = list(given["sequence"])
        play = _Play(given, ["action"], in_rounds=True) if False else None
        before = sequence.index("action card played")
        later = _played_in_round(["action"])
        del play
        return {
            f"toughness_for_hits_{'_and_'.join(str(each + 1) for each in range(before))}": given["toughness"],
            "toughness_after": given["toughness"] + added(later, ME, TOUGHNESS),
            "hits_undone": any(KINDS[each.kind].op in ("cancel_action", "retry_action") for each in later),
        }
    kinds = _kinds(given)
    given.get("played")
    done = _played_in_round(kinds)
    values = given.get("holder_values", given)
    found: dict[str, object] = {}
    if "rolls" in given:
        roll = Roll(tuple(given["rolls"][0]))
        more = (("card", added(done, ME, TOTAL)),)
        found["fire_combat_total"] = Throw(ME, TOTAL, values["fire_combat"], more, roll).total
        given["bonus_number"]
    if "toughness" in values:
        found |= dict.fromkeys(
            ("toughness", "toughness_vs_damage"), values["toughness"] + added(done, ME, TOUGHNESS)
        )
    if "total" in given:
        found["total"] = given["total"] + added(done, ME, TOTAL)
    if "damage_value" in values:
        found["damage_value"] = values["damage_value"] + added(done, ME, EFFECT)
    if "weapon" in given:
        add = int(given["weapon"].removeprefix("STR"))
        value = damage.damage_value(strength=given["strength"], add=add)
        found["damage_value"] = value + added(done, ME, EFFECT)
    waits = all(KINDS[each.kind].op == "modify_all_totals" for each in done)
    return found | {"card_goes_to_discard": "end_of_round" if waits else "on_play"}


def _played_in_round(kinds: Sequence[str]) -> list[Played]:
    """Cards played from the pool; those that last wait beside the piles."""
    names = Names()
    cards = dealt(names, seats={ME: {"pool": names.cards(kinds)}}, flip=rounds({"in_rounds": True}), number=1)
    done: list[Played] = []
    for each in cards.at("pool", ME):
        cards, _, played = playing.play(cards, ME, each, Moment(window="pre_roll", actor=ME, number=TOTAL))
        done.append(played)
    assert len(cards.at(ROUND)) == len(done)
    return done


@adapter("masterbook-cards.mb-card-e02")
def adrenaline(given: Given, make: MakeDice) -> Outputs:
    """On one number of the body, Toughness too."""
    if "dodge" in given:
        play = _Play(given, _kinds(given))
        throw = _thrown(Given(dict(given) | {"skill": given["dodge"]}), make)
        return {
            "bonus_number_rolled": throw.roll.bonus,
            "bonus_number_used": throw.bonus,
            "total": play.on(throw.total),
        }
    if "attacks" in given:
        play = _Play(Given(dict(given) | {"number": "toughness"}), _kinds(given))
        rest = given["attacks"] - 1
        return {"toughness": [play.on(given["toughness"], TOUGHNESS), *([given["toughness"]] * rest)]}
    play = _Play(given, _kinds(given))
    if "modified_damage_value" not in given:
        return play.said
    tough = play.on(given["toughness"], TOUGHNESS)
    return {**play.said, "toughness": tough, **_hit(given["modified_damage_value"] - tough)}


@adapter("masterbook-cards.mb-card-e03")
def breakthrough(given: Given, make: MakeDice) -> Outputs:
    """Without adds: 10s roll again, and what only the trained may try."""
    play = _Play(given, ["breakthrough"])
    if "dice" not in given:
        return play.said
    (done,) = play.done
    value, trained = skill_value(given["attribute"], given["skill_adds"])
    roll = dice.throw(make(given["dice"]), trained or done.trained)
    throw = Throw(ME, TOTAL, value, (), roll)
    return {
        "attempt_allowed": play.said["legal"] or not given["trained_only_skill"],
        "dice_total": roll.total,
        "bonus_number": roll.bonus,
        "total": play.on(throw.total),
    }


@adapter("masterbook-cards.mb-card-e05")
def double_cross(given: Given, make: MakeDice) -> Outputs:
    """Against another player's character, from hand or pool."""
    play = _Play(given, ["double_cross"])
    found: dict[str, Any] = dict(play.said)
    if "total" in given:
        found["total"] = play.on(given["total"])
    if "damage_value" in given:
        found["damage_value"] = play.on(given["damage_value"], EFFECT)
    return found


@adapter("masterbook-cards.mb-card-e07")
def effect(given: Given, make: MakeDice) -> Outputs:
    """On what a success comes to."""
    play = _Play(given, _kinds(given, "effect"))
    found: dict[str, Any] = {**play.said, "card_kept": not play.done}
    for each in ("stealth_total", "perception_total"):
        given.get(each)
    if "damage_value" in given:
        found["damage_value"] = play.on(given["damage_value"], EFFECT)
    if "total" in given:
        points = play.on(Result(given["total"], given["dn"]).points, EFFECT)
        found |= {"result_points": points, "column_result": chart.result("taunt_trick", points)}
    return found


def _of_attribute(kind: str) -> Any:
    def run(given: Given, make: MakeDice) -> Outputs:
        attribute = given.get("attribute", {"presence": "charisma", "willpower": "mind"}[kind])
        play = _Play(Given(dict(given) | {"attribute": attribute}), _kinds(given, kind))
        if "total" in given:
            return {**play.said, "total": play.on(given["total"])}
        if "bonus_number" in given:
            return {**play.said, "total": play.on(given["skill"] + given["bonus_number"])}
        given.get("skill")
        return play.said

    return run


adapter("masterbook-cards.mb-card-e13")(_of_attribute("presence"))
adapter("masterbook-cards.mb-card-e18")(_of_attribute("willpower"))


@adapter("masterbook-cards.mb-card-e17")
def supporter(given: Given, make: MakeDice) -> Outputs:
    """For somebody else, on the total and on what comes of it."""
    helped = _OTHER if given.get("target") != given.get("holder", "") or "target" not in given else ME
    play = _Play(given, _kinds(given, "supporter"), actor=helped)
    if "dn" not in given:
        return play.said
    total = play.on(given["total"], TOTAL, helped)
    result = Result(total, given["dn"])
    found: dict[str, Any] = {**play.said, "total": total, "result_points": result.points, "success": result.success}
    found["level"] = task.Task(level=2).level + result.success
    if "damage_value" in given:
        value = play.on(given["damage_value"], EFFECT, helped)
        struck = damage.struck(result.points, value, given["target_toughness"])
        found |= {"damage_value": value, "modified_damage_value": struck.total, **_hit(struck.over)}
    return found
