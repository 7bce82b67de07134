"""Subplots, what they pay, Martyr and Campaign, the ends of acts and adventures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.systems.masterbook.deck import deal, subplots
from rules.systems.masterbook.deck.card_definitions import KINDS
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    DRAW_PILE,
    FACE,
    HAND,
    POOL,
    CardChange,
    Cards,
)
from rules.systems.masterbook.formulas import gm_rules
from tests.conformance.masterbook_card_names import (
    Names,
    apart,
    chance,
    having,
    make_deck,
    number_of,
    options,
)
from tests.rules.masterbook.cards.test_deal import (
    ALERTNESS,
    ANN,
    CAMPAIGN,
    DISASTER,
    DRAMA,
    HERO,
    IDEA,
    INTERLOPER,
    MARTYR,
    NEMESIS,
    ROMANCE,
    code,
)

COMMON_GROUND, CONNECTION, IDENTITY, STAKE, SUSPICION = "86", "87", "91", "95", "99"


def faced(*face: str, draw: tuple[str, ...] = (), hand: tuple[str, ...] = (), **more: Any) -> Cards:
    return having(make_deck(Names(), draw=draw, seats={ANN: {HAND: hand, FACE: face}}, **more), 5)


@pytest.mark.rule("MB-CARD-S00")
def test_a_third_subplot_cannot_be_unless_the_gm_overrules_it() -> None:
    cards = faced(NEMESIS, ROMANCE, SUSPICION, pending=(SUSPICION,))
    now, moves = apart(subplots.decide(cards, ANN, SUSPICION, True, True))
    assert (now.at(FACE, ANN), number_of(moves, "life-points")) == ((ROMANCE, NEMESIS), 1)
    now = subplots.decide(cards, ANN, SUSPICION, True, True, overrules=True)
    assert subplots.subplots_in_effect(now, ANN) == (NEMESIS, ROMANCE, SUSPICION)


@pytest.mark.rule("MB-CARD-S00", "MB-CARD-18")
def test_subplots_are_decided_in_the_order_drawn() -> None:
    cards = faced(NEMESIS, ROMANCE, pending=(NEMESIS, ROMANCE))
    assert code(lambda: subplots.decide(cards, ANN, ROMANCE, True, True)) == "mb-card-not-pending"
    assert code(lambda: subplots.decide(cards, ANN, IDEA, True, True)) == "mb-card-not-pending"
    cards = subplots.decide(cards, ANN, NEMESIS, True, True)
    cards = subplots.decide(cards, ANN, ROMANCE, False, True)
    assert (subplots.subplots_in_effect(cards, ANN), cards.seat(ANN).refusal_awards) == (
        (NEMESIS,),
        1,
    )


@pytest.mark.rule("MB-CARD-S00")
@given(st.lists(st.booleans(), max_size=6), st.integers(0, 10))
def test_unusable_subplots_pay_two_points_at_most_and_never_above_ten(
    keeps: list[bool], have: int
) -> None:
    names = Names()
    drawn = names.cards(["nemesis"] * len(keeps))
    cards = having(make_deck(names, seats={ANN: {FACE: drawn}}, pending=drawn), have)
    for card, keep in zip(drawn, keeps, strict=True):
        cards = subplots.decide(cards, ANN, card, True, keep)
    assert cards.life_points_of(ANN) - have == cards.seat(ANN).refusal_awards <= 2
    assert cards.life_points_of(ANN) <= 10
    assert len(subplots.subplots_in_effect(cards, ANN)) <= 2


@pytest.mark.rule("MB-CARD-S01", "MB-CARD-S03", "MB-CARD-S04", "MB-CARD-P01", "MB-CARD-P03")
@pytest.mark.parametrize("card", [ALERTNESS, COMMON_GROUND, CONNECTION, DISASTER, INTERLOPER])
def test_what_a_gm_uses_is_gone(card: str) -> None:
    now, moves = apart(subplots.use_face_up(faced(card), ANN, card))
    assert (now.at(FACE, ANN), now.at(DISCARD_PILE)) == ((), (card,))
    assert not number_of(moves, "life-points")


@pytest.mark.rule(
    "MB-CARD-S06", "MB-CARD-S07", "MB-CARD-S08", "MB-CARD-S09", "MB-CARD-S10", "MB-CARD-18"
)
@pytest.mark.parametrize("card", [IDENTITY, NEMESIS, STAKE, ROMANCE, SUSPICION])
def test_other_subplots_stay_to_the_end_of_the_adventure(card: str) -> None:
    assert code(lambda: subplots.use_face_up(faced(card), ANN, card)) == "mb-card-precondition"
    pending = faced(card, pending=(card,))
    assert code(lambda: subplots.use_face_up(pending, ANN, card)) == "mb-card-precondition"
    over = subplots.end_adventure(faced(card))
    assert (over.at(FACE, ANN), over.at(DRAW_PILE)) == ((), (card,))


PAYS: Mapping[str, tuple[str, int]] = {
    IDENTITY: ("end_of_act", 1),
    NEMESIS: ("end_of_act", 1),
    SUSPICION: ("end_of_act", 1),
    MARTYR: ("end_of_act", 1),
    STAKE: ("end_of_adventure", 2),
    ROMANCE: ("end_of_adventure", 2),
    CONNECTION: ("end_of_adventure_if_unused", 1),
}


@pytest.mark.rule(
    "MB-CARD-S04",
    "MB-CARD-S05",
    "MB-CARD-S06",
    "MB-CARD-S07",
    "MB-CARD-S08",
    "MB-CARD-S09",
    "MB-CARD-S10",
)
@pytest.mark.parametrize("card", [*PAYS, ALERTNESS, COMMON_GROUND])
def test_what_each_subplot_pays_and_when(card: str) -> None:
    dues: Any = ("end_of_act", "end_of_adventure", "end_of_adventure_if_unused")
    found: dict[str, int] = {}
    for due in dues:
        moves = subplots.pay_subplots(faced(card), ANN, due, {}).changes
        if points := number_of(moves, "life-points"):
            found[due] = points
        moves = subplots.pay_subplots(faced(card), ANN, due, {card}).changes
        assert not number_of(moves, "life-points")
    assert found == ({PAYS[card][0]: PAYS[card][1]} if card in PAYS else {})
    assert subplots.subplot_award(KINDS["personal_stake"], "end_of_adventure", reduced=True) == 1


@pytest.mark.rule("MB-CARD-S02")
def test_campaign_makes_a_subplot_permanent_and_draws_a_card() -> None:
    cards = faced(NEMESIS, ALERTNESS, draw=(IDEA,), hand=(CAMPAIGN,))
    now = subplots.campaign(cards, ANN, CAMPAIGN, NEMESIS, True, chance())
    assert (now.seat(ANN).permanent, now.at(HAND, ANN)) == (("nemesis",), (IDEA,))
    assert subplots.subplots_in_effect(now, ANN) == (ALERTNESS,)
    moves = subplots.pay_subplots(having(now, 5), ANN, "end_of_act", {}).changes
    assert number_of(moves, "life-points") == 1
    now = subplots.end_adventure(now)
    assert now.seat(ANN).permanent == ("nemesis",)
    assert subplots.end_permanent(now, ANN, "nemesis").seat(ANN).permanent == ()
    assert code(lambda: subplots.end_permanent(now, ANN, "romance")) == "mb-card-precondition"
    for wrong in (ALERTNESS, ROMANCE):
        refused = code(
            lambda wrong=wrong: subplots.campaign(cards, ANN, CAMPAIGN, wrong, True, chance())
        )
        assert refused == "mb-card-precondition"


@pytest.mark.rule("MB-CARD-S05")
def test_a_martyr_who_backs_out_owes_twice_what_the_card_paid() -> None:
    cards = faced(MARTYR, hand=(IDEA, HERO))
    for act in range(1, 4):
        cards = subplots.pay_subplots(cards, ANN, "end_of_act", {})
        assert cards.seat(ANN).martyr_points == act
    rich, moves = apart(subplots.back_out(having(cards, 8), ANN))
    assert (number_of(moves, "life-points"), rich.seat(ANN).debt, len(rich.at(HAND, ANN))) == (
        -6,
        0,
        2,
    )
    poor, moves = apart(subplots.back_out(having(cards, 4), ANN))
    assert (number_of(moves, "life-points"), poor.seat(ANN).debt, poor.at(HAND, ANN)) == (-4, 2, ())
    assert poor.at(DISCARD_PILE) == (HERO, IDEA, MARTYR)
    free, moves = apart(subplots.back_out(having(faced(MARTYR), 4), ANN))
    assert (number_of(moves, "life-points"), free.seat(ANN).debt) == (0, 0)
    assert code(lambda: subplots.back_out(free, ANN)) == "mb-card-precondition"


@pytest.mark.rule("MB-CARD-S05")
def test_debt_takes_life_points_and_cards_that_are_life_points() -> None:
    cards = faced(draw=(HERO, DRAMA, IDEA), debt=3)
    cards = deal.draw(cards, ANN, chance())
    assert (cards.seat(ANN).debt, cards.at(HAND, ANN), cards.at(DISCARD_PILE)) == (2, (), (HERO,))
    cards, moves = apart(subplots.pay(having(cards, 0), ANN, 1))
    assert (cards.seat(ANN).debt, moves) == (1, (CardChange("owed", ANN, number=1),))
    both = make_deck(Names(), seats={ANN: {HAND: (IDEA,)}, "c2": {HAND: (DRAMA,)}}, debt=1)
    both = deal.trade(both, ANN, "c2", (IDEA,), (DRAMA,))
    assert (both.seat(ANN).debt, both.at(HAND, ANN), both.at(HAND, "c2")) == (0, (), (IDEA,))


@pytest.mark.rule("MB-CARD-S05", "MB-CARD-X04")
def test_a_martyr_who_lives_owes_only_for_a_deed_that_was_named() -> None:
    cards = subplots.pay_subplots(faced(MARTYR), ANN, "end_of_act", {})
    kept, moves = apart(subplots.end_adventure(having(cards, 5)))
    assert (number_of(moves, "life-points"), kept.seat(ANN).debt) == (0, 0)
    cards = subplots.name_martyr_deed(cards, ANN)
    kept, moves = apart(subplots.end_adventure(having(cards, 5)))
    assert number_of(moves, "life-points") == -2
    dead = subplots.sacrifice(cards, ANN)
    assert (dead.at(FACE, ANN), dead.deal.seat(ANN), dead.deal.left[-1].deed_named) == (
        (),
        None,
        False,
    )


@pytest.mark.rule("MB-CARD-X01", "MB-CARD-X02", "MB-CARD-X03")
def test_awards_of_acts_and_adventures() -> None:
    adjusts = range(gm_rules.ACT_ADJUST[0], gm_rules.ACT_ADJUST[1] + 1)
    assert [gm_rules.act_award(3, adjust) for adjust in adjusts] == [2, 3, 4, 5]
    assert gm_rules.act_award(1, -1) == 0
    assert (gm_rules.adventure_award(3, 2), gm_rules.adventure_award(4, 2)) == (5, 6)


@pytest.mark.rule("MB-CARD-X04")
@pytest.mark.parametrize(("scope", "refused"), [("adventure", 0), ("campaign", 2)])
def test_what_stays_after_an_adventure(scope: str, refused: int) -> None:
    about: dict[str, Any] = {
        "moment_used": True,
        "bonus_drawn": True,
        "hastes": 3,
        "debt": 1,
        "refusal_awards": 2,
    }
    cards = faced(NEMESIS, hand=(IDEA,), permanent=("romance",), **about)
    over = subplots.end_adventure(cards.replace(setting=options(reject_award_scope=scope)))
    seat = over.seat(ANN)
    assert (seat.moment_used, seat.bonus_drawn, seat.hastes) == (False, False, 0)
    assert (seat.debt, seat.permanent, seat.refusal_awards) == (1, ("romance",), refused)
    assert {*over.at(DRAW_PILE)} == {NEMESIS, IDEA}
    assert over.at(POOL, ANN) == over.at(HAND, ANN) == ()


@pytest.mark.rule("MB-CARD-L02")
def test_fast_reactions_are_three_extra_actions() -> None:
    cards = deal.enter(faced(), "combat", "standard")
    assert code(lambda: deal.use_fast_reactions(faced(), ANN)) == "mb-card-not-in-rounds"
    for used in range(1, 4):
        cards = deal.use_fast_reactions(cards, ANN)
        assert cards.seat(ANN).hastes == cards.seat(ANN).extra_actions == used
    assert code(lambda: deal.use_fast_reactions(cards, ANN)) == "mb-card-already-used"
