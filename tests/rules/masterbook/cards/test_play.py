"""Cards that are played: what may be when, from where, on what, and what comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.cards import Piles
from rules.core.errors import Impossible
from rules.core.rng import KeyedStreams, ScriptedRng
from rules.systems.masterbook.deck import play
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    Face,
    InitiativeLine,
    default_setting,
)
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    FACE,
    FACES,
    HAND,
    POOL,
    ROUND,
    Cards,
    Deal,
    Flip,
    Seat,
    character_place,
)
from rules.systems.masterbook.deck.play import CardEffect, Moment, card_causes
from rules.systems.masterbook.formulas import dice
from rules.systems.masterbook.formulas.dice import Throw

_ME, _OTHER = "me", "other"
_RNG = KeyedStreams(b"\0" * 16, b"\1" * 16, "test")
_PENDING = Moment("roll_pending", _ME, _ME, "total", attribute="agility")
_DONE = Moment("after_resolution", "foe", "foe", "total", attribute="agility", against=(_ME,))
_BETWEEN = Moment("any_between_actions", _ME, _ME)


def _setting(**changed: object) -> Any:
    return lambda key: {"cards_mode": "full", **changed}.get(key, default_setting(key))


def _lying(rounds: bool = False, line: Any = "", **about: Any) -> Cards:
    """Cards that lie in `hand` or `pool`, each called by its kind."""
    places = {character_place(place, _ME): about.pop(place, ()) for place in (HAND, POOL, FACE)}
    faces = {key: Face(key, key) for key in KINDS} | {
        "now": Face("now", "idea", InitiativeLine(players=line))
    }
    flip = Flip("now") if rounds else None
    return Cards(
        Piles({place: held for place, held in places.items() if held}, faces=FACES),
        Deal(3, (Seat(_ME, **about), Seat(_OTHER)), flip, int(rounds)),
        faces,
        KINDS,
    )


def _play(cards: Cards, card: str, moment: Moment, **more: Any) -> tuple[Cards, CardEffect]:
    setting = more.pop("setting", _setting())
    cards, effect = play.play(cards.replace(setting=setting), _ME, card, moment, _RNG, **more)
    told = cards.changes[-1]
    assert (told.what, told.who, told.cards) == ("played", _ME, (card,))
    return cards, effect


def _refused(cards: Cards, card: str, moment: Moment, **more: Any) -> str:
    with pytest.raises(Impossible) as refused:
        _play(cards, card, moment, **more)
    return refused.value.code.removeprefix("mb-card-")


@pytest.mark.rule("MB-CARD-08")
def test_out_of_rounds_any_number_of_cards_of_the_hand_is_played() -> None:
    cards, effects = _lying(hand=("adrenaline", "supporter")), list[CardEffect]()
    cards, effect = _play(cards, "adrenaline", _PENDING)
    effects.append(effect)
    cards, effect = _play(cards, "supporter", _PENDING.replace(whose=_OTHER, actor=_OTHER))
    effects.append(effect)
    assert cards.at(DISCARD_PILE) == ("supporter", "adrenaline")
    assert card_causes(effects, _ME, "total") == (("adrenaline", 3),)
    assert _refused(cards, "adrenaline", _PENDING) == "not-in-hand"
    asleep = _lying(hand=("hero",))
    assert _refused(asleep, "hero", _PENDING.replace(awake=False)) == "unconscious"
    assert _refused(asleep, "hero", _PENDING.replace(aware=False)) == "precondition"
    assert _refused(asleep, "hero", _PENDING, setting=default_setting) == "off"


@pytest.mark.rule("MB-CARD-10")
def test_in_rounds_cards_are_played_from_the_pool() -> None:
    cards = _lying(rounds=True, hand=("hero",), pool=("presence",))
    assert _refused(cards, "hero", _PENDING) == "not-in-pool"
    assert _play(cards, "presence", _PENDING.replace(attribute="charisma"))[0].at(POOL, _ME) == ()
    assert (
        _play(_lying(rounds=True, hand=("hero",), moment_declared=True), "hero", _PENDING)[1].use
        == "again"
    )
    confused = _lying(rounds=True, line="confused", pool=("hero",))
    assert _refused(confused, "hero", _PENDING) == "confused"
    assert _refused(confused, "hero", _PENDING.replace(awake=False)) == "unconscious"


@pytest.mark.rule("MB-CARD-13")
@pytest.mark.parametrize(
    ("card", "windows"),
    [
        ("action", {"any_between_actions", "pre_roll", "roll_pending"}),
        ("adrenaline", {"pre_roll", "roll_pending"}),
        ("presence", set[str]()),
        ("effect", {"effect_pending"}),
        ("double_cross", {"pre_roll", "roll_pending", "effect_pending"}),
        ("second_chance", {"after_resolution"}),
        ("haste", {"any_between_actions"}),
        ("drama", {"roll_pending", "after_resolution", "any_between_actions"}),
        ("hero", {"roll_pending", "after_resolution"}),
    ],
)
def test_each_card_has_its_windows(card: str, windows: set[str]) -> None:
    cards, found = _lying(rounds=True, pool=(card,)), set[str]()
    each: Any
    for each in (*windows, "pre_roll", "effect_pending", "initiative_revealed", "before_next_flip"):
        number: Any = "damage" if each == "effect_pending" else "total"
        moment = Moment(each, _ME, _ME, number, attribute="agility", against=(_ME,), players=True)
        try:
            _play(cards, card, moment)
        except Impossible as error:
            assert error.code in ("mb-card-wrong-window", "mb-card-precondition")
        else:
            found.add(each)
    assert found == windows


@pytest.mark.rule("MB-CARD-13")
def test_cards_come_after_the_least_bonus_of_an_active_defense() -> None:
    _, effect = _play(_lying(hand=("adrenaline",)), "adrenaline", _PENDING)
    low = Throw(
        _ME,
        "answer",
        11,
        card_causes([effect, effect], _ME, "total"),
        dice.Roll((1, 1)),
        dice.ACTIVE_DEFENSE_FLOOR,
    )
    assert low.total == 11 + 3 + 6


@pytest.mark.rule("MB-CARD-E01")
def test_action_is_on_every_number_and_lies_aside_until_the_round_ends() -> None:
    cards, effect = _play(_lying(rounds=True, pool=("action",)), "action", _BETWEEN)
    assert cards.at(ROUND) == ("action",)
    number: Any
    for number in ("total", "value", "toughness", "damage", "strength_damage"):
        assert card_causes([effect], _ME, number) == (("action", 1),)
    assert card_causes([effect], _OTHER, "total") == card_causes([effect], _ME, "result") == ()
    assert _play(_lying(hand=("action",)), "action", _PENDING)[0].at(DISCARD_PILE) == ("action",)
    known = _PENDING.replace(window="effect_pending", number="toughness")
    assert _refused(_lying(hand=("action",)), "action", known) == "wrong-window"


@pytest.mark.rule("MB-CARD-E02", "MB-CARD-E13", "MB-CARD-E18")
@pytest.mark.parametrize(
    ("card", "attributes"),
    [
        ("adrenaline", {"agility", "dexterity", "strength", "endurance"}),
        ("presence", {"charisma", "confidence"}),
        ("willpower", {"intellect", "mind"}),
    ],
)
def test_a_card_goes_on_numbers_of_its_attributes_alone(card: str, attributes: set[str]) -> None:
    cards = _lying(hand=(card,))
    for each in (
        "agility",
        "dexterity",
        "strength",
        "endurance",
        "charisma",
        "confidence",
        "intellect",
        "mind",
    ):
        moment = _PENDING.replace(attribute=each)
        if each in attributes:
            assert card_causes([_play(cards, card, moment)[1]], _ME, "total") == ((card, 3),)
        else:
            assert _refused(cards, card, moment) == "precondition"
    assert (
        _refused(cards, card, _PENDING.replace(whose=_OTHER, attribute=min(attributes)))
        == "precondition"
    )


@pytest.mark.rule("MB-CARD-E02")
def test_adrenaline_helps_what_strikes_and_what_is_struck_until_damage_is_read() -> None:
    cards = _lying(hand=("adrenaline",))
    late = _PENDING.replace(window="effect_pending", attribute="")
    number: Any
    for number in ("toughness", "strength_damage"):
        assert card_causes(
            [_play(cards, "adrenaline", late.replace(number=number))[1]], _ME, number
        )
    assert _refused(cards, "adrenaline", late.replace(number="damage")) == "wrong-window"
    assert (
        _refused(cards, "adrenaline", late.replace(number="value", attribute="agility"))
        == "wrong-window"
    )


@pytest.mark.rule("MB-CARD-E03")
def test_breakthrough_is_for_what_nobody_has_learned() -> None:
    cards = _lying(hand=("breakthrough",))
    assert _refused(cards, "breakthrough", _PENDING.replace(adds=1)) == "has-adds"
    effect = _play(cards, "breakthrough", _PENDING)[1]
    assert effect.again and card_causes([effect], _ME, "total") == (("breakthrough", 3),)
    thrown = dice.throw(ScriptedRng([10, 4]), tens=False)
    assert dice.roll_tens_again(thrown, ScriptedRng([6])).total == 20


@pytest.mark.rule("MB-CARD-E05")
def test_double_cross_comes_from_hand_too_and_only_against_a_player() -> None:
    cards = _lying(rounds=True, hand=("double_cross",))
    assert _refused(cards, "double_cross", _PENDING) == "precondition"
    effect = _play(cards, "double_cross", _PENDING.replace(players=True))[1]
    assert card_causes([effect], _ME, "total") == (("double_cross", 6),)
    damage = _PENDING.replace(window="effect_pending", number="damage", players=True)
    assert card_causes([_play(cards, "double_cross", damage)[1]], _ME, "damage") == (
        ("double_cross", 6),
    )
    late = damage.replace(number="total")
    assert _refused(cards, "double_cross", late) == "wrong-window"


@pytest.mark.rule("MB-CARD-E06", "MB-CARD-E09", "MB-CARD-L03")
def test_hero_and_drama_are_points_and_drama_is_worth_skill_points() -> None:
    for card, worth in (("hero", 0), ("drama", 3)):
        cards = _lying(hand=(card,))
        assert _play(cards, card, _PENDING)[1].use == "again"
        assert _play(cards, card, _PENDING.replace(whose="foe"), use="cancel")[1].use == "cancel"
        assert _refused(cards, card, _PENDING, use="cancel") == "precondition"
        assert _play(cards, card, _DONE)[1].use == "packages"
        assert _play(cards, card, _DONE, use="step")[1].use == "step"
        assert _refused(cards, card, _DONE.replace(against=(_OTHER,))) == "precondition"
        if worth:
            assert _play(cards, card, _BETWEEN, use="skill_points")[1].skill_points == worth
    assert (
        _refused(_lying(hand=("drama",)), "drama", _PENDING, use="skill_points") == "wrong-window"
    )


@pytest.mark.rule("MB-CARD-E07")
def test_effect_needs_a_success_that_nobody_has_read() -> None:
    cards = _lying(hand=("effect",))
    moment = _PENDING.replace(window="effect_pending", number="damage")
    assert card_causes([_play(cards, "effect", moment)[1]], _ME, "damage") == (("effect", 2),)
    assert _refused(cards, "effect", _PENDING) == "wrong-window"
    assert _refused(cards, "effect", moment.replace(actor=_OTHER, whose=_OTHER)) == "precondition"
    missed = moment.replace(succeeded=False, number="result")
    assert _refused(cards, "effect", missed) == "precondition"
    assert (
        _play(cards, "effect", missed, setting=_setting(effect_card_can_rescue=True))[1].amount == 2
    )


@pytest.mark.rule("MB-CARD-E08")
def test_haste_is_one_action_more_between_actions_of_a_round() -> None:
    assert _refused(_lying(hand=("haste",)), "haste", _BETWEEN) == "not-in-rounds"
    cards = _lying(rounds=True, pool=("haste",))
    assert _refused(cards, "haste", _PENDING) == "wrong-window"
    talking = cards.replace(deal=cards.deal.replace(round=Flip("now", kind="interaction")))
    assert _refused(
        talking, "haste", _BETWEEN, setting=_setting(combat_only_cards_in="combat_rounds")
    )
    played, effect = _play(talking, "haste", _BETWEEN)
    assert (effect.actions, played.seat(_ME).extra_actions) == (1, 1)


@pytest.mark.rule("MB-CARD-E10", "MB-CARD-P04")
def test_idea_and_opportunity_ask_the_gm() -> None:
    for card in ("idea", "opportunity"):
        assert _play(_lying(rounds=True, pool=(card,)), card, _BETWEEN)[1].asks
        assert _refused(_lying(hand=(card,)), card, _PENDING) == "wrong-window"


@pytest.mark.rule("MB-CARD-E12")
def test_opponent_fails_answers_what_was_done_to_its_holder() -> None:
    cards = _lying(hand=("opponent_fails",))
    assert _play(cards, "opponent_fails", _DONE)[1].op == "cancel_action"
    assert _refused(cards, "opponent_fails", _DONE.replace(window="roll_pending")) == "wrong-window"
    for moment in (
        _DONE.replace(simple=True),
        _DONE.replace(against=(_OTHER,)),
        _DONE.replace(actor=_ME),
    ):
        assert _refused(cards, "opponent_fails", moment) == "precondition"


@pytest.mark.rule("MB-CARD-E15")
def test_second_chance_is_for_ones_own_action() -> None:
    cards = _lying(hand=("second_chance",))
    assert _refused(cards, "second_chance", _DONE) == "precondition"
    assert _play(cards, "second_chance", _DONE.replace(actor=_ME))[1].op == "retry_action"


@pytest.mark.rule("MB-CARD-E17")
def test_supporter_helps_somebody_else_and_what_comes_of_it() -> None:
    cards = _lying(hand=("supporter",))
    assert _refused(cards, "supporter", _PENDING) == "precondition"
    effect = _play(cards, "supporter", _PENDING.replace(actor=_OTHER, whose=_OTHER))[1]
    number: Any
    for number in ("total", "damage", "strength_damage"):
        assert card_causes([effect], _OTHER, number) == (("supporter", 3),)
    assert card_causes([effect], _OTHER, "result") == ()


@pytest.mark.rule("MB-CARD-P05")
def test_wild_is_any_card_but_a_picture() -> None:
    cards = _lying(rounds=True, pool=("wild",))
    played, effect = _play(cards, "wild", _PENDING, as_name="adrenaline")
    assert played.at(DISCARD_PILE) == ("wild",) and card_causes([effect], _ME, "total") == (
        ("adrenaline", 3),
    )
    assert _refused(cards, "wild", _PENDING, as_name="disaster") == "picture-not-allowed"
    assert _refused(cards, "wild", _PENDING, as_name="wild") == "picture-not-allowed"
    assert _refused(cards, "wild", _PENDING) == "precondition"
    assert (
        _refused(_lying(rounds=True, hand=("wild",)), "wild", _PENDING, as_name="hero")
        == "not-in-pool"
    )
    betrayed = _PENDING.replace(players=True)
    assert (
        _play(_lying(rounds=True, hand=("wild",)), "wild", betrayed, as_name="double_cross")[
            1
        ].amount
        == 6
    )


@pytest.mark.rule("MB-CARD-P05")
def test_wild_lies_face_up_as_a_subplot_if_the_gm_agrees() -> None:
    cards = _lying(hand=("wild",))
    assert _refused(cards, "wild", _PENDING, as_name="romance") == "wrong-window"
    laid, _ = _play(cards, "wild", _BETWEEN, as_name="romance")
    assert laid.at(FACE, _ME) == ("wild",) and laid.kind("wild", _ME).key == "romance"
    full = _lying(hand=("wild",), face=("nemesis", "suspicion"))
    assert _refused(full, "wild", _BETWEEN, as_name="romance") == "precondition"


@pytest.mark.rule("MB-CARD-L01")
def test_luck_is_the_effect_of_a_card_that_nobody_holds() -> None:
    def lucky(
        advantages: tuple[str, ...], used: tuple[str, ...], key: str, moment: Moment, **more: Any
    ) -> str:
        try:
            effect = play.luck_card_effect(
                advantages, used, _ME, key, moment, setting=_setting(), **more
            )
        except Impossible as error:
            return error.code.removeprefix("mb-card-")
        assert effect.card == ""
        return effect.op

    assert lucky(("cii",), (), "action", _PENDING, rounds=True) == "modify_all_totals"
    assert lucky(("cii",), ("action",), "action", _PENDING, rounds=True) == "already-used"
    assert lucky(("cii",), (), "hero", _PENDING, rounds=True) == "precondition"
    assert (
        lucky(("cii", "cii"), ("action",), "action", _PENDING, rounds=False) == "modify_all_totals"
    )
    assert lucky(("civ",), ("action",), "hero", _PENDING, rounds=True) == "life_point"
    assert lucky(("civ",), ("hero",), "opponent_fails", _DONE, rounds=True) == "already-used"
    assert lucky(("ciii",), (), "haste", _BETWEEN, rounds=False) == "not-in-rounds"
    assert lucky(("ciii",), (), "second_chance", _PENDING, rounds=True) == "wrong-window"
    assert lucky(("ciii",), (), "breakthrough", _PENDING.replace(adds=2), rounds=True) == "has-adds"
    assert lucky(("ciii",), (), "alertness", _BETWEEN, rounds=False) == ""
    assert lucky(("ciii",), (), "hero", _PENDING.replace(awake=False), rounds=True) == "unconscious"
    assert len(play.remaining_luck(("cii", "ciii"), ("action",))) == 1
