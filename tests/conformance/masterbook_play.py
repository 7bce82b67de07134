"""Adapters for the worked examples of MasterBook's deck: cards that are played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from rules.core.errors import Impossible
from rules.systems.masterbook.checks.state import Result
from rules.systems.masterbook.deck import card_lines, play, skill_resolution
from rules.systems.masterbook.deck.card_definitions import KINDS
from rules.systems.masterbook.deck.card_lines import CardReading
from rules.systems.masterbook.deck.deck_state import DISCARD_PILE, FACE, ROUND, Cards
from rules.systems.masterbook.deck.play import CardEffect, Moment, Named, Use, card_causes
from rules.systems.masterbook.deck.subplots import subplots_in_effect
from rules.systems.masterbook.formulas import damage, dice, success_chart
from rules.systems.masterbook.formulas.attributes import skill_value
from rules.systems.masterbook.formulas.dice import Roll, Throw
from rules.systems.masterbook.formulas.skills import SKILLS
from tests.conformance.masterbook_card_names import (
    ME,
    Names,
    agreed_settings,
    attempt,
    chance,
    held_cards,
    make_deck,
    number_of,
    options,
    rounds,
)
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

_OTHER, _FOE = "pc_2", "gc_1"
#: What else a point's uses are called.
#: Where a card is played unless the example says so: when it could be.
_USES: dict[str, Use] = {
    "reduce_damage": "packages",
    "lower_interaction": "step",
    "roll_again": "again",
}
_WHEN = {
    "after_resolution": ("opponent_fails", "second_chance"),
    "effect_pending": ("effect",),
    "any_between_actions": ("idea", "haste", "opportunity", "claim", "leadership", "rally"),
}
_NUMBERS: dict[str, Named] = {
    "toughness": "toughness",
    "damage_value": "damage",
    "strength_damage_value": "strength_damage",
    "effect": "damage",
    "effect_value": "damage",
    "result_points": "result",
}


def added(effects: Iterable[CardEffect], whose: str, number: Named) -> int:
    """What the cards put on a number."""
    return sum([each for _, each in card_causes(effects, whose, number)])


def _use(given: Given) -> Use:
    said: Any = given.get("use", "")
    return cast("Use", _USES.get(said, said))


def _window(given: Given, kind: str) -> Any:
    if given.get("result_revealed") or given.get("damage_read"):
        return "after_resolution"
    if given.get("action_in_progress"):
        return "roll_pending"
    if _use(given) in ("packages", "step"):
        return given.get("window", "after_resolution")
    if given.get("use") == "skill_points" or ("skill_points" in given and kind == "drama"):
        return "any_between_actions"
    if KINDS.get(kind) is not None and KINDS[kind].type == "subplot":
        return "any_between_actions"
    usual = next((window for window, kinds in _WHEN.items() if kind in kinds), "roll_pending")
    return given.get("window", usual)


def _number(given: Given, kind: str) -> Named:
    """The number that a card goes on: of a fight what it says, else the total."""
    said = given.get(
        "number", "damage_value" if "damage_value" in given and "dn" not in given else ""
    )
    if said == "damage_value" and (given.get("strength_based") or "weapon" in given):
        return "strength_damage"
    usual: Named = "result" if KINDS[kind].op == "modify_effect_value" else "total"
    return _NUMBERS.get(said, usual)


def _attribute(given: Given, kind: str) -> str:
    """The attribute of what is rolled; where the example does not say so one that fits."""
    said = given.get("attribute")
    if isinstance(said, str):
        return said
    skill = given.get("skill", given.get("number"))
    found = SKILLS.get(skill.replace("_", " ").title()) if isinstance(skill, str) else None
    return found.attribute if found is not None else (KINDS[kind].scope or ("agility",))[0]


def _moment(given: Given, kind: str, **more: Any) -> Moment:
    """What goes on, as far as the example says so."""
    succeeded = given.get("attack_succeeded", given.get("success", True))
    if "total" in given and "dn" in given and KINDS[kind].op == "modify_effect_value":
        succeeded = Result(given["total"], given["dn"]).success
    actor = more.get("actor", ME)
    about: dict[str, Any] = {
        "window": _window(given, kind),
        "actor": actor,
        "whose": actor,
        "number": _number(given, kind),
        "attribute": _attribute(given, kind),
        "adds": given.get("skill_adds", 0) + given.get("specialization_adds", 0),
        "players": given.get("action_against", "") in ("other_pc", "pc"),
        "succeeded": succeeded,
        "awake": not given.get("unconscious", False),
        "aware": given.get("aware", True),
    }
    if _use(given) in ("packages", "step", "cancel") and not more:
        # Somebody else does something to whoever has the point.
        about |= {"actor": _FOE, "whose": _FOE, "against": (ME,)}
    return Moment(**(about | more))


class _Play:
    """Cards played one after another, in rounds from the pool, else from the hand, on what goes on
    in the example.
    """

    def __init__(self, given: Given, kinds: Sequence[str], place: str = "", **moment: Any) -> None:
        self.names = Names()
        inside = given.get("in_rounds", False) or "round" in given
        there = held_cards(given, self.names) or {
            place or ("pool" if inside else "hand"): self.names.cards(kinds)
        }
        also = given.get("subplots_in_effect", 0)
        face = self.names.cards(["nemesis", "romance"][:also])
        seats = {ME: {**there, "face": face} if face else there, _OTHER: {}}
        flip = rounds({**given, "in_rounds": inside})
        self.cards: Cards = make_deck(
            self.names, seats=seats, flip=flip, number=given.get("round", 1)
        )
        use = _use(given)
        self.done: list[CardEffect] = []
        self.said: dict[str, Any] = {}
        setting = agreed_settings(given)
        mine = {self.names.name(card): card for held_ in there.values() for card in held_}
        several = iter([card for held_ in there.values() for card in held_])
        for kind in kinds:
            held_here = mine.get(kind) or self.names.card(kind)
            card = held_here if kinds.count(kind) == 1 else next(several)
            as_name = given.get("as_name", "")
            now = _moment(given, as_name if as_name in KINDS else kind, **moment)

            def run(card: str = card, now: Moment = now, as_name: str = as_name) -> Cards:
                if as_name and not given.get("gm_allows", True):
                    # The GM is asked first, and nothing is played.
                    raise Impossible("mb-card-precondition")
                cards, done = play.play(
                    self.cards.replace(setting=setting),
                    ME,
                    card,
                    now,
                    chance(),
                    as_name=as_name,
                    use=use,
                )
                self.done.append(done)
                return cards

            self.cards, self.said = attempt(run, self.cards)

    def on(self, value: int, number: Named = "total", actor: str = ME) -> int:
        """A number with what the cards put on it."""
        return value + added(self.done, actor, number)

    def lies(self) -> list[Any]:
        """What lies on the discard pile."""
        return [self.names.name(each) for each in self.cards.at(DISCARD_PILE)]


def _kinds(given: Given, usual: str = "") -> list[str]:
    return list(given.get("cards", [given.get("card", usual)] if usual else given.get("hand", ())))


def _hit(over: int) -> dict[str, object]:
    return {"damage_result_points": over, "damage": success_chart.damage_for_points(over).text}


# --- where and when -------------------------------------------------------------------------------


@adapter("masterbook-cards.mb-card-08")
def outside_rounds(given: Given, make: MakeDice) -> Outputs:
    """Any number of cards of the hand at once."""
    play = _Play(given, _kinds(given))
    seat = play.cards.seat(ME)
    found: dict[str, Any] = {
        **play.said,
        "modifier": added(play.done, ME, "total"),
        "critical_moment_used": seat.moment_used,
    }
    given.get("attribute")
    if isinstance(given.get("skill", ""), str):
        return found
    number = dice.bonus_number(_lie(given))
    total = play.on(given["skill"] + number)
    found |= {"bonus_number": number, "total_before": given["skill"] + number, "total": total}
    if "dn" not in given:
        return found
    result = Result(total, given["dn"])
    return found | {"result_points": result.points, "success_level": result.level}


@adapter("masterbook-cards.mb-card-10")
def in_rounds(given: Given, make: MakeDice) -> Outputs:
    """Only from the pool."""
    if "action_against" in given:
        return double_cross(given, make)
    return _Play(given, [given["play"]] if "play" in given else list(given["pool"])).said


def _lie(given: Given) -> int:
    """What the dice come to: as it is told, or for a bonus number that is."""
    return (
        given["dice_total"]
        if "dice_total" in given
        else dice.least_die_total(given["bonus_number"])
    )


def _thrown(given: Given, make: MakeDice, more: Sequence[tuple[str, int]] = ()) -> Throw:
    """A roll with its modifiers; dice that are there as a total are read off the chart."""
    modifiers = (
        [("multi_action", given["multi_action_modifier"])]
        if "multi_action_modifier" in given
        else []
    )
    if "dice" in given:
        roll = dice.throw(make(given["dice"]), given.get("trained", True))
    else:
        roll = Roll((_lie(given),))
    floor = dice.ACTIVE_DEFENSE_FLOOR if given.get("active") else None
    value = next(given[each] for each in ("skill", "dodge", "value") if each in given)
    return Throw(ME, "check", value, (*modifiers, *more), roll, floor)


@adapter("masterbook-cards.mb-card-13")
def total(given: Given, make: MakeDice) -> Outputs:
    """Cards and other modifiers go on the total, after the bonus number."""
    throw = _thrown(given, make, [("card", KINDS[each].amount) for each in given.get("cards", ())])
    found: dict[str, object] = {
        "dice_total": throw.roll.total,
        "bonus_number": throw.bonus,
        "bonus_number_rolled": dice.bonus_number(throw.roll.total),
        "bonus_number_used": throw.bonus,
        "total": throw.total,
    }
    if "target_dn" in given:
        points = Result(throw.total, given["target_dn"]).points
        value = damage.damage_value(strength=given["strength"], add=given["damage_modifier"])
        capped = bool(agreed_settings(given)("damage_cap"))
        struck = damage.resolve_hit(points, value, given["target_toughness"], capped=capped)
        found |= {
            "result_points": points,
            "damage_value": value,
            "modified_damage_value": struck.total,
        }
        found |= _hit(struck.over)
    return found


# --- numbers --------------------------------------------------------------------------------------


@adapter("masterbook-cards.mb-card-e01")
def action(given: Given, make: MakeDice) -> Outputs:
    """On every number of the round, from now on."""
    if "sequence" in given:
        before = list(given["sequence"]).index("action card played")
        later = _played_in_round(["action"])
        return {
            f"toughness_for_hits_{'_and_'.join(str(each + 1) for each in range(before))}": given[
                "toughness"
            ],
            "toughness_after": given["toughness"] + added(later, ME, "toughness"),
            "hits_undone": any(each.op in ("cancel_action", "retry_action") for each in later),
        }
    kinds = _kinds(given, "action")
    given.get("played")
    if "window" in given:
        said = _Play(given, kinds).said
        if not said["legal"]:
            return said
    done = _played_in_round(kinds)
    values = given.get("holder_values", given)
    found: dict[str, object] = {}
    if "rolls" in given:
        roll = Roll(tuple(given["rolls"][0]))
        more = (("card", added(done, ME, "total")),)
        found["fire_combat_total"] = Throw(ME, "check", values["fire_combat"], more, roll).total
        given["bonus_number"]
    if "toughness" in values:
        found |= dict.fromkeys(
            ("toughness", "toughness_vs_damage"), values["toughness"] + added(done, ME, "toughness")
        )
    if "total" in given:
        found["total"] = given["total"] + added(done, ME, "total")
    if "damage_value" in values:
        found["damage_value"] = values["damage_value"] + added(done, ME, "damage")
    if "weapon" in given:
        add = int(given["weapon"].removeprefix("STR"))
        value = damage.damage_value(strength=given["strength"], add=add)
        found["damage_value"] = value + added(done, ME, "damage")
    waits = all(each.op == "modify_all_totals" for each in done)
    return found | {"card_goes_to_discard": "end_of_round" if waits else "on_play"}


def _played_in_round(kinds: Sequence[str]) -> list[CardEffect]:
    """Cards played from the pool; those that last wait beside the piles."""
    names = Names()
    cards = make_deck(
        names, seats={ME: {"pool": names.cards(kinds)}}, flip=rounds({"in_rounds": True}), number=1
    )
    done: list[CardEffect] = []
    for each in cards.at("pool", ME):
        moment = Moment("pre_roll", ME, ME, "total")
        cards, played = play.play(cards.replace(setting=options()), ME, each, moment, chance())
        done.append(played)
    assert len(cards.at(ROUND)) == len(done)
    return done


@adapter("masterbook-cards.mb-card-e02")
def adrenaline(given: Given, make: MakeDice) -> Outputs:
    """On one number of the body, Toughness too."""
    if "dodge" in given:
        play = _Play(given, _kinds(given))
        throw = _thrown(given, make)
        return {
            "bonus_number_rolled": dice.bonus_number(throw.roll.total),
            "bonus_number_used": throw.bonus,
            "total": play.on(throw.total),
        }
    if "attacks" in given:
        play = _Play(Given(dict(given) | {"number": "toughness"}), _kinds(given))
        rest = given["attacks"] - 1
        return {
            "toughness": [play.on(given["toughness"], "toughness"), *([given["toughness"]] * rest)]
        }
    play = _Play(given, _kinds(given, "adrenaline"))
    given.get("skill")
    if "modified_damage_value" not in given:
        numbers: dict[str, Named] = {
            "total": "total",
            "toughness": "toughness",
            "damage_value": _number(given, "adrenaline"),
        }
        on = {key: play.on(given[key], number) for key, number in numbers.items() if key in given}
        return {**play.said, **on}
    tough = play.on(given["toughness"], "toughness")
    return {**play.said, "toughness": tough, **_hit(given["modified_damage_value"] - tough)}


@adapter("masterbook-cards.mb-card-e03")
def breakthrough(given: Given, make: MakeDice) -> Outputs:
    """Without adds: 10s roll again, and what only the trained may try."""
    play = _Play(given, ["breakthrough"])
    if "dice" not in given:
        return play.said
    (done,) = play.done
    value, trained = skill_value(given["attribute"], given.get("skill_adds", 0))
    roll = dice.throw(make(given["dice"]), trained or done.again)
    throw = Throw(ME, "check", value, (), roll)
    return {
        "attempt_allowed": not given.get("trained_only_skill", False) or bool(play.done),
        "dice_total": roll.total,
        "bonus_number": throw.bonus,
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
        found["damage_value"] = play.on(given["damage_value"], "damage")
    return found


@adapter("masterbook-cards.mb-card-e07")
def effect(given: Given, make: MakeDice) -> Outputs:
    """On what a success comes to."""
    play = _Play(given, _kinds(given, "effect"))
    found: dict[str, Any] = {**play.said, "card_kept": not play.done}
    for each in ("stealth_total", "perception_total"):
        given.get(each)
    if "damage_value" in given:
        found["damage_value"] = play.on(given["damage_value"], "damage")
    if "total" in given or "result_points" in given:
        plain = given.get("result_points")
        points = play.on(
            Result(given["total"], given["dn"]).points if plain is None else plain, "damage"
        )
        found |= {
            "result_points": points,
            "column_result": success_chart.result(given.get("column", "taunt_trick"), points),
        }
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
    helped = (
        _OTHER if given.get("target") != given.get("holder", "") or "target" not in given else ME
    )
    play = _Play(given, _kinds(given, "supporter"), actor=helped)
    if "dn" not in given:
        return play.said
    total = play.on(given["total"], "total", helped)
    result = Result(total, given["dn"])
    found: dict[str, Any] = {
        **play.said,
        "total": total,
        "result_points": result.points,
        "success": result.success,
    }
    # It is the third step of the task that the examples before it tell of.
    third = skill_resolution.Task(
        tuple([skill_resolution.TaskStep(dn=each) for each in (15, 15, given["dn"], 21)]), level=2
    )
    found["level"] = skill_resolution.with_step_tried(
        third, "letters", success=result.success
    ).level
    if "damage_value" in given:
        value = play.on(given["damage_value"], "damage", helped)
        struck = damage.resolve_hit(result.points, value, given["target_toughness"])
        found |= {"damage_value": value, "modified_damage_value": struck.total, **_hit(struck.over)}
    return found


# --- what they do besides -------------------------------------------------------------------------


@adapter("masterbook-cards.mb-card-e06")
def drama(given: Given, make: MakeDice) -> Outputs:
    """For skill points, or as a point."""
    play = _Play(given, _kinds(given, "drama"))
    have = given.get("skill_points", 0)
    gained = sum([each.skill_points for each in play.done])
    points = sum([each.op == "life_point" and each.use != "skill_points" for each in play.done])
    return {**play.said, "skill_points": have + gained, "life_point_use": points}


@adapter("masterbook-cards.mb-card-e08")
def haste(given: Given, make: MakeDice) -> Outputs:
    """One action more, between actions."""
    play = _Play(given, ["haste"])
    return {**play.said, "extra_actions": play.cards.seat(ME).extra_actions}


@adapter("masterbook-cards.mb-card-e09")
def hero(given: Given, make: MakeDice) -> Outputs:
    """As a Life Point; each may be canceled."""
    if "dice" not in given:
        return _Play(given, _kinds(given, "hero")).said
    more = (
        [("multi_action", given["multi_action_modifier"])]
        if "multi_action_modifier" in given
        else []
    )
    roll = dice.throw(make(given["dice"]), given.get("trained", True))
    spent = 0
    for whose in ("life_point", "hero", "drama"):
        canceled = given.get(
            f"{whose}_cancelled", given.get("cancelled", False) if whose == "hero" else False
        )
        spent += canceled
        fallen = given.get(f"{whose}_dice")
        if fallen is not None and not canceled:
            roll = dice.spend_point(roll, make(fallen))
    throw = Throw(ME, "check", given["skill"], tuple(more), roll)
    found: dict[str, object] = {
        "dice_total": roll.total,
        "bonus_number": throw.bonus,
        "total": throw.total,
        "own_life_points_spent": int("life_point_dice" in given),
        "opponent_life_points_spent": spent,
    }
    if "approved" in given:
        reading = CardReading(approved=tuple(given["approved"]))
        found["award"] = given.get("succeeded", True) and card_lines.is_approved(
            reading, card_lines.CardDeed("taunt")
        )
    return found


@adapter("masterbook-cards.mb-card-e10")
@adapter("masterbook-cards.mb-card-p04")
def asked(given: Given, make: MakeDice) -> Outputs:
    """A question for the GM, or an opening."""
    kinds = (
        given["hand"]
        if "hand" in given
        else given["pool"]
        if "pool" in given
        else _kinds(given, "idea")
    )
    play = _Play(given, [each for each in kinds if KINDS[each].op == "gm_hint"])
    given.get("question")
    found: dict[str, Any] = {**play.said, "gm_prompted": any(each.asks for each in play.done)}
    if play.lies():
        found |= {"card_to": "discard_pile", "discard_top": play.lies()[0]}
    return found


@adapter("masterbook-cards.mb-card-e12")
def opponent_fails(given: Given, make: MakeDice) -> Outputs:
    """Nothing comes of what an opponent has done to oneself."""
    target = given.get("target", ME if given.get("directed_at_holder", True) else "")
    aimed = bool({ME, given.get("holder", ME)} & {target, *given.get("targets", ())})
    given.get("opponent_action")
    given.get("result")
    window = "after_resolution" if given.get("result_known", True) else "roll_pending"
    play = _Play(
        given,
        ["opponent_fails"],
        actor=_FOE,
        simple=given.get("kind") == "simple",
        against=(ME,) if aimed else (),
        window=window,
    )
    done = [each.op for each in play.done]
    return {
        **play.said,
        "effects_applied": [] if "cancel_action" in done else [given.get("result")],
        "opponent_action_spent": True,
        "may_trade_card_first": play.said["refusal"] == "precondition" and target != "",
    }


@adapter("masterbook-cards.mb-card-e15")
def second_chance(given: Given, make: MakeDice) -> Outputs:
    """Once more from the start; nothing comes back."""
    first, second = given["first"], given["second"]
    play = _Play(given, ["second_chance"])
    again = [each.op for each in play.done] == ["retry_action"]
    for each in ("total", "life_point_spent", "cards_spent"):
        first.get(each)
    return {
        **play.said,
        "total_used": second["total"] if again else first["total"],
        "life_points_back": number_of(play.cards.changes, "life-points"),
        "cards_back": [play.names.name(each) for each in play.cards.at("hand", ME)],
    }


@adapter("masterbook-cards.mb-card-p05")
def wild(given: Given, make: MakeDice) -> Outputs:
    """As any card but a picture."""
    kind = KINDS[given["as_name"]]
    play = _Play(given, ["wild"])
    shown = dict(play.cards.seat(ME).as_names)
    face_up = [
        f"{play.names.name(each)}(as {shown[each]})" if each in shown else play.names.name(each)
        for each in play.cards.at(FACE, ME)
    ]
    found: dict[str, Any] = {
        **play.said,
        "face_up": face_up,
        "subplots_in_effect": len(subplots_in_effect(play.cards, ME)),
        "life_point_use": int(kind.op == "life_point" and bool(play.done)),
        "hand": [play.names.name(each) for each in play.cards.at("hand", ME)],
    }
    if "life_points" in given:
        found["life_points"] = given["life_points"] + number_of(play.cards.changes, "life-points")
    if "total" in given:
        found["total"] = play.on(given["total"])
    return found | {"discard_top": play.lies()[0]} if play.lies() else found


@adapter("masterbook-cards.mb-card-l01")
def luck(given: Given, make: MakeDice) -> Outputs:
    """The effect of a card without the card."""
    has = given["luck"] if isinstance(given["luck"], list) else [given["luck"]]
    uses = [*given.get("uses", given.get("used", []))]
    uses += [given["use"]] if "use" in given else []
    try:
        for at, each in enumerate(uses):
            fails = {"actor": _FOE, "against": (ME,)} if each == "opponent_fails" else {}
            moment = _moment(given, each, window=_window(given, each), players=True, **fails)
            inside = given.get("in_rounds", True)
            play.luck_card_effect(
                has, uses[:at], ME, each, moment, rounds=inside, setting=agreed_settings(given)
            )
    except Impossible as error:
        return {"legal": False, "refusal": error.code.removeprefix("mb-card-").replace("-", "_")}
    return {"legal": True, "refusal": None, "remaining": len(play.remaining_luck(has, uses))}


@adapter("masterbook-cards.mb-card-l03")
def with_points(given: Given, make: MakeDice) -> Outputs:
    """One own point, and any number of cards."""
    own, cards = (
        given.get("own_life_points", given.get("life_points", 0)),
        given.get("hero_cards", 0),
    )
    given.get("same_action")
    hurt = given.get("damage", {})
    ko = "".join([letter for letter in ("k", "o") if hurt.get(letter)]).upper()
    shock = hurt.get("shock", 0)
    result = success_chart.Damage(hurt.get("wounds", 0), bool(hurt.get("knockdown")), ko, shock)
    if "packages" in given:
        result = success_chart.Damage(given["packages"])
    most = damage.PACKAGES_PER_POINT * (own + cards)
    chosen = [
        "wound" if kind == "wounds" else str(kind)
        for kind, number in given.get(
            "cancel", {"wounds": min(most, given.get("packages", 0))}
        ).items()
        for _ in range(number)
    ]
    try:
        left = damage.drop_packages(result, chosen, own=own, cards=cards)
    except Impossible:
        return {"legal": False, "refusal": "precondition"}
    return {
        "legal": True,
        "packages": sum(damage.packages(result).values()),
        "packages_left": sum(damage.packages(left).values()),
        "left": {
            "wounds": left.wounds,
            "knockdown": int(left.knockdown),
            "k": int("K" in left.ko),
            "shock": left.shock,
        },
    }
