"""Deals, draws, hands, pools and trades of MasterBook's deck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rules.core.errors import Impossible
from rules.systems.masterbook.deck import deal, subplots
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    DRAW_PILE,
    FACE,
    HAND,
    INITIATIVE,
    POOL,
    QUEUE,
    ROUND,
    TAKEN,
    Cards,
    Flip,
)
from tests.conformance.masterbook_card_names import Names, apart, chance, make_deck, options

ANN, BEN, CLEO = "c1", "c2", "c3"
#: Cards of the default deck: plain ones, subplots, and what befalls the players' side in a standard
#: scene.
IDEA, HERO, DRAMA, CLAIM, RALLY, LEADERSHIP = "44", "39", "25", "16", "61", "48"
ALERTNESS, CAMPAIGN, MARTYR, NEMESIS, ROMANCE = "84", "85", "89", "93", "97"
DISASTER, GENERAL, INTERLOPER, OPPORTUNITY, WILD = "101", "102", "104", "105", "106"
PLAIN, FLURRY = "1", "5"
CONFUSED = "2"  # in a dramatic scene
FULL = options()


def deck(
    *draw: str,
    hands: dict[str, tuple[str, ...]] | None = None,
    pools: dict[str, tuple[str, ...]] | None = None,
    **more: Any,
) -> Cards:
    seats = {
        who: {HAND: (hands or {}).get(who, ()), POOL: (pools or {}).get(who, ())}
        for who in (ANN, BEN, CLEO)
    }
    return make_deck(Names(), draw=draw, seats=seats, **more)


def code(run: Callable[[], object]) -> str:
    with pytest.raises(Impossible) as told:
        run()
    return told.value.code


@pytest.mark.rule("MB-CARD-04", "MB-CARD-05")
def test_an_adventure_begins_with_a_full_hand_for_each() -> None:
    cards, moves = apart(deal.start(make_deck(Names()), [ANN, BEN, CLEO], chance()))
    assert [deal.surplus(cards, each) for each in (ANN, BEN, CLEO)] == [0, 0, 0]
    assert [len(cards.at(HAND, each)) for each in (ANN, BEN, CLEO)] == [3, 3, 3]
    assert moves[0].what == "shuffled"
    assert len(cards.piles.cards) == 108 == len({*cards.piles.cards})
    assert cards.piles.sealed[-1].number == 1
    assert code(lambda: deal.start(make_deck(Names()), [], chance())) == "mb-card-bad-count"


@pytest.mark.rule("MB-CARD-04")
def test_who_joins_sits_last_and_who_leaves_discards_everything() -> None:
    cards = deck(*map(str, range(1, 20)), hands={ANN: (IDEA, HERO)}, pools={ANN: (WILD,)})
    cards = deal.join(cards, "c4", chance())
    assert [each.who for each in cards.deal.seats] == [ANN, BEN, CLEO, "c4"]
    assert len(cards.at(HAND, "c4")) == 3
    cards, moves = apart(deal.deal_out(cards, ANN))
    assert cards.at(DISCARD_PILE) == (WILD, HERO, IDEA)
    assert cards.deal.seat(ANN) is None
    assert not any(each.what == "life-points" for each in moves)


@pytest.mark.rule("MB-CARD-05", "MB-CARD-P01", "MB-CARD-P02", "MB-CARD-P03", "MB-CARD-P04")
def test_what_does_not_stay_in_the_hand_is_replaced() -> None:
    cards = deck(NEMESIS, INTERLOPER, DISASTER, GENERAL, OPPORTUNITY, IDEA)
    cards = deal.draw(cards, ANN, chance())
    assert cards.at(HAND, ANN) == (OPPORTUNITY,)
    assert cards.at(FACE, ANN)[::-1] == (NEMESIS, INTERLOPER, DISASTER, GENERAL)
    assert cards.seat(ANN).pending == (NEMESIS,)
    assert subplots.subplots_in_effect(cards, ANN) == ()


@pytest.mark.rule("MB-CARD-05", "MB-CARD-S02")
def test_campaign_waits_in_the_hand_wherever_it_was_drawn_to() -> None:
    cards = deal.draw(deck(CAMPAIGN, IDEA), ANN, chance(), POOL, 2)
    assert (cards.at(HAND, ANN), cards.at(POOL, ANN)) == ((CAMPAIGN,), (IDEA,))


@pytest.mark.rule("MB-CARD-03")
def test_used_cards_are_shuffled_when_the_deck_is_empty() -> None:
    cards = deck(
        discard=(IDEA, HERO), initiative=(WILD, PLAIN), flip=Flip(PLAIN), hands={BEN: (DRAMA,)}
    )
    cards, moves = apart(deal.draw(cards, ANN, chance(), count=3))
    assert {*cards.at(HAND, ANN)} == {IDEA, HERO, WILD}
    assert (cards.at(INITIATIVE), cards.at(HAND, BEN)) == ((PLAIN,), (DRAMA,))
    assert [each.what for each in moves] == ["reshuffled", "drawn", "drawn", "drawn"]
    moves = deal.draw(cards, ANN, chance()).changes
    assert [each.what for each in moves] == ["deck-exhausted"]
    over = deal.leave(cards)
    again = deal.draw(over, ANN, chance())
    assert again.at(INITIATIVE) == ()  # out of rounds it is a used card as well


@pytest.mark.rule("MB-CARD-03")
def test_used_cards_lie_in_the_order_in_which_they_were_named() -> None:
    cards = deal.discard(deck(hands={ANN: (IDEA, HERO, WILD)}), ANN, (HERO, IDEA))
    assert cards.at(DISCARD_PILE) == (IDEA, HERO)


@pytest.mark.rule("MB-CARD-06")
def test_what_counts_in_a_hand() -> None:
    cards = deck(hands={ANN: (OPPORTUNITY, WILD, CAMPAIGN, IDEA)}, limit=2)
    assert deal.surplus(cards, ANN) == 2
    assert deal.surplus(cards.replace(setting=options(opportunity_counts_in_hand=False)), ANN) == 1


@pytest.mark.rule("MB-CARD-07", "MB-CARD-18")
def test_rounds_are_entered_and_left_once() -> None:
    cards = deck(hands={ANN: (IDEA, HERO)})
    assert code(lambda: deal.leave(cards)) == "mb-card-not-in-rounds"
    fight = deal.enter(cards, "combat", "standard")
    assert code(lambda: deal.enter(fight, "combat", "dramatic")) == "mb-card-already-in-rounds"
    fight = deal.fresh_round(fight)
    fight = deal.pool(fight, ANN, HERO, 1)
    fight = fight.with_cards_moved(f"{HAND}:{ANN}", ROUND, IDEA)
    over, moves = apart(deal.leave(fight.replace(changes=())))
    assert (over.at(HAND, ANN), over.at(POOL, ANN), over.at(DISCARD_PILE)) == ((HERO,), (), (IDEA,))
    assert (over.deal.round, moves) == (None, ())


def in_round(card: str = PLAIN, **more: Any) -> Cards:
    scene: Any = more.pop("scene", "standard")
    hands = {ANN: (HERO, DRAMA)}
    return deck(
        IDEA, initiative=(card,), flip=Flip(card, scene), number=1, **{"hands": hands, **more}
    )


@pytest.mark.rule("MB-CARD-09", "MB-CARD-18")
def test_a_card_goes_to_the_pool_after_an_action_and_the_first_reason_is_told() -> None:
    cards = in_round()

    def reason(cards: Cards = cards, card: str = HERO, acts: int = 0, **more: Any) -> str:
        now = cards.replace(setting=more.pop("setting", FULL))
        return code(lambda: deal.pool(now, ANN, card, acts, **more))

    assert reason(deck(hands={ANN: (HERO,)}), "9", surprised=True) == "mb-card-not-in-rounds"
    assert reason(in_round(CONFUSED, scene="dramatic"), "9", surprised=True) == "mb-card-confused"
    assert reason(card="9", surprised=True) == "mb-card-surprised"
    assert reason(card="9") == "mb-card-not-in-hand"
    locked = cards.with_seat_changes(ANN, locks=((HERO, 2),))
    assert reason(locked) == "mb-card-locked"
    assert reason() == "mb-card-no-action-yet"
    assert reason(acts=1, setting=options(pool_timing="end_of_round")) == "mb-card-round-on"
    pooled = deal.pool(cards.replace(setting=FULL), ANN, HERO, 1)
    assert pooled.at(POOL, ANN) == (HERO,)
    assert reason(pooled, DRAMA, 1) == "mb-card-limit-reached"


@pytest.mark.rule("MB-CARD-09")
@pytest.mark.parametrize(
    "cards", [in_round(FLURRY), in_round(extra_actions=1)], ids=["flurry", "haste"]
)
def test_flurry_and_haste_pool_once_more(cards: Cards) -> None:
    one = deal.pool(cards.replace(setting=FULL), ANN, HERO, 1)
    assert (
        code(lambda: deal.pool(one.replace(setting=FULL), ANN, DRAMA, 1)) == "mb-card-limit-reached"
    )
    both = deal.pool(one.replace(setting=FULL), ANN, DRAMA, 2)
    assert both.at(POOL, ANN) == (DRAMA, HERO)


@pytest.mark.rule("MB-CARD-09")
def test_a_lock_is_over_with_the_round() -> None:
    cards = deal.draw(in_round(), ANN, chance(), wait=1)
    assert cards.seat(ANN).locks == ((IDEA, 2),)
    cards = deal.pool(deal.fresh_round(cards).replace(setting=FULL), ANN, IDEA, 1)
    assert cards.seat(ANN).locks == ()


@pytest.mark.rule("MB-CARD-11", "MB-CARD-18")
def test_trades_are_one_for_one() -> None:
    cards = deck(hands={ANN: (HERO, IDEA), BEN: (WILD,)}, pools={ANN: (DRAMA,)})
    now = deal.trade(cards, ANN, BEN, (HERO,), (WILD,))
    assert ({*now.at(HAND, ANN)}, now.at(HAND, BEN)) == ({WILD, IDEA}, (HERO,))
    assert code(lambda: deal.trade(cards, ANN, BEN, (HERO, IDEA), (WILD,))) == "mb-card-unequal"
    assert code(lambda: deal.trade(cards, ANN, BEN, (), ())) == "mb-card-unequal"
    assert code(lambda: deal.trade(cards, ANN, ANN, (HERO,), (HERO,))) == "mb-card-unequal"
    assert code(lambda: deal.trade(cards, ANN, BEN, (HERO,), (IDEA,))) == "mb-card-not-in-hand"
    assert code(lambda: deal.trade(cards, ANN, "c9", (HERO,), (IDEA,))) == "mb-card-no-seat"
    fight = cards.replace(deal=cards.deal.replace(round=Flip(PLAIN)))
    assert code(lambda: deal.trade(fight, ANN, BEN, (HERO,), (WILD,))) == "mb-card-not-in-pool"
    lost = cards.replace(deal=cards.deal.replace(round=Flip(CONFUSED, "dramatic")))
    assert (
        code(lambda: deal.trade(lost.replace(setting=FULL), ANN, BEN, (DRAMA,), (WILD,)))
        == "mb-card-confused"
    )


@pytest.mark.rule("MB-CARD-12", "MB-CARD-18")
def test_a_critical_moment_costs_everything_once() -> None:
    cards = in_round(pools={ANN: (WILD,)})
    assert code(lambda: deal.declare_critical_moment(deck(), ANN)) == "mb-card-not-in-rounds"
    declared = deal.declare_critical_moment(cards.replace(setting=FULL), ANN)
    over, moves = apart(deal.close_round(declared))
    assert (over.at(HAND, ANN), over.at(POOL, ANN)) == ((), ())
    assert over.at(DISCARD_PILE) == (WILD, DRAMA, HERO)
    assert moves[-1].number == 3
    assert (
        code(lambda: deal.declare_critical_moment(over.replace(setting=FULL), ANN))
        == "mb-card-already-used"
    )
    lost = in_round(CONFUSED, scene="dramatic", moment_used=True)
    assert (
        code(lambda: deal.declare_critical_moment(lost.replace(setting=FULL), ANN))
        == "mb-card-confused"
    )


@pytest.mark.rule("MB-CARD-14")
def test_replenishing_discards_first_and_draws_up_to_the_limit() -> None:
    cards = deck(CLAIM, RALLY, WILD, hands={ANN: (HERO, DRAMA, IDEA, LEADERSHIP)})
    assert code(lambda: deal.replenish(cards, ANN, (), chance())) == "mb-card-must-discard"
    assert code(lambda: deal.replenish(cards, ANN, (WILD,), chance())) == "mb-card-not-in-hand"
    now = deal.replenish(cards, ANN, (HERO, DRAMA), chance())
    assert now.at(HAND, ANN) == (CLAIM, LEADERSHIP, IDEA)
    kept, moves = apart(deal.replenish(cards, ANN, (HERO,), chance()))
    assert len(kept.at(HAND, ANN)) == 3
    assert [each.what for each in moves] == ["discarded"]


@pytest.mark.rule("MB-CARD-15")
def test_a_card_for_roleplaying_is_one_an_adventure_and_only_where_agreed() -> None:
    on = options(exceptional_roleplaying_card=True)
    cards = deck(NEMESIS, IDEA)
    assert code(lambda: deal.draw_bonus_card(cards, ANN, chance())) == "mb-card-off"
    now = deal.draw_bonus_card(cards.replace(setting=on), ANN, chance())
    assert (now.at(FACE, ANN), now.at(HAND, ANN)) == ((NEMESIS,), ())
    assert (
        code(lambda: deal.draw_bonus_card(now.replace(setting=on), ANN, chance()))
        == "mb-card-already-used"
    )


@pytest.mark.rule("MB-CARD-17")
def test_whoever_has_no_seat_holds_no_cards() -> None:
    assert code(lambda: deal.draw(deck(IDEA), "c9", chance())) == "mb-card-no-seat"
    assert code(lambda: deal.discard(deck(), "c9", (IDEA,))) == "mb-card-not-in-hand"


@pytest.mark.rule("MB-CARD-E04")
def test_claim_takes_what_was_used_last() -> None:
    cards = deck(discard=(IDEA, HERO), hands={ANN: (CLAIM,)})
    now = deal.claim(cards.replace(setting=FULL), ANN, CLAIM, chance())
    assert (now.at(HAND, ANN), now.at(DISCARD_PILE)) == ((HERO,), (CLAIM, IDEA))
    empty = deck(hands={ANN: (CLAIM,)})
    assert code(lambda: deal.claim(empty, ANN, CLAIM, chance())) == "mb-card-discard-empty"


@pytest.mark.rule("MB-CARD-E04")
def test_claim_may_take_what_another_player_played_last() -> None:
    other = options(claim_source="last_card_played_by_another")
    played = deal.spend_card(deck(hands={ANN: (CLAIM, IDEA), BEN: (HERO,)}), BEN, HERO)
    played = deal.spend_card(played, ANN, IDEA)
    now = deal.claim(played.replace(setting=other), ANN, CLAIM, chance())
    assert now.at(HAND, ANN) == (HERO,)
    thrown = deal.discard(deck(hands={ANN: (CLAIM,), BEN: (HERO,)}), BEN, (HERO,))
    assert (
        code(lambda: deal.claimable_card(thrown.replace(setting=other), ANN))
        == "mb-card-discard-empty"
    )


@pytest.mark.rule("MB-CARD-E04")
def test_a_claimed_subplot_is_handled_as_if_drawn_and_not_replaced() -> None:
    now = deal.claim(deck(IDEA, discard=(NEMESIS,), hands={ANN: (CLAIM,)}), ANN, CLAIM, chance())
    assert (now.at(FACE, ANN), now.at(HAND, ANN), now.seat(ANN).pending) == (
        (NEMESIS,),
        (),
        (NEMESIS,),
    )


@pytest.mark.rule("MB-CARD-E11")
def test_leadership_gives_two_cards_or_draws_two_or_both() -> None:
    cards = deck(CLAIM, RALLY, hands={ANN: (LEADERSHIP, HERO, IDEA, DRAMA)})

    def lead(
        gifts: list[tuple[str, tuple[str, ...]]], draws: bool = False, cards: Cards = cards
    ) -> Cards:
        return deal.leadership(cards, ANN, LEADERSHIP, gifts, draws, chance())

    now = lead([(BEN, (HERO,)), (CLEO, (IDEA,))], True)
    assert [now.at(HAND, each) for each in (ANN, BEN, CLEO)] == [
        (RALLY, CLAIM, DRAMA),
        (HERO,),
        (IDEA,),
    ]
    wrong: list[list[tuple[str, tuple[str, ...]]]] = [
        [(BEN, (HERO, IDEA, DRAMA))],
        [(BEN, (LEADERSHIP,))],
        [(ANN, (HERO,))],
        [("c9", (HERO,))],
        [],
    ]
    for gifts in wrong:
        assert code(lambda gifts=gifts: lead(gifts)) == "mb-card-precondition"


@pytest.mark.rule("MB-CARD-E11")
def test_what_leadership_gives_in_rounds_is_free_in_its_new_pool() -> None:
    fight = in_round(pools={ANN: (LEADERSHIP,)}, locks=((HERO, 2),))
    gifts = [(BEN, (HERO,))]
    now = deal.leadership(fight, ANN, LEADERSHIP, gifts, False, chance())
    assert (now.at(POOL, BEN), now.seat(ANN).locks, now.seat(BEN).locks) == ((HERO,), (), ())
    hands = options(leadership_gifts_to="hand")
    now = deal.leadership(fight.replace(setting=hands), ANN, LEADERSHIP, gifts, False, chance())
    assert now.at(HAND, BEN) == (HERO,)


@pytest.mark.rule("MB-CARD-E14")
def test_rally_lets_everybody_draw_in_their_order() -> None:
    cards = deck(CLAIM, IDEA, HERO, hands={BEN: (RALLY,)})
    now = deal.rally(cards, BEN, RALLY, chance())
    assert [now.at(HAND, each) for each in (ANN, BEN, CLEO)] == [(CLAIM,), (IDEA,), (HERO,)]
    fight = cards.replace(deal=cards.deal.replace(round=Flip(PLAIN)))
    now = deal.rally(fight, BEN, RALLY, chance())
    assert [now.at(POOL, each) for each in (ANN, BEN, CLEO)] == [(CLAIM,), (IDEA,), (HERO,)]
    now = deal.rally(fight.replace(setting=options(rally_to="hand")), BEN, RALLY, chance())
    assert now.at(HAND, ANN) == (CLAIM,)


@pytest.mark.rule("MB-CARD-I14")
def test_fiat_arranges_the_next_flips_and_nothing_else() -> None:
    cards = deal.take(deck("1", "2", discard=("3", "4", "5")), chance())
    assert len(cards.at(TAKEN)) == 4
    assert code(lambda: deal.take(cards, chance())) == "mb-card-taken"
    assert code(lambda: deal.queue_fiat_cards(cards, ("9",))) == "mb-card-precondition"
    assert code(lambda: deal.queue_fiat_cards(cards, ("1", "1"))) == "mb-card-precondition"
    now = deal.queue_fiat_cards(cards, ("2", "1"))
    assert (now.at(QUEUE), now.at(TAKEN)) == (("2", "1"), ())
    assert (len(now.at(DISCARD_PILE)), len(now.at(DRAW_PILE))) == (2, 1)
    assert (
        code(lambda: deal.take(deck("1").replace(setting=options(gamemaster_fiat=False)), chance()))
        == "mb-card-off"
    )


@pytest.mark.rule("MB-CARD-16", "MB-CARD-18")
def test_a_stacked_deck_comes_in_its_order() -> None:
    cards = deal.stack(deck("1", "2", "3", "4"), ("3", "1"))
    assert cards.at(DRAW_PILE) == ("3", "1", "2", "4")
    assert code(lambda: deal.stack(cards, ("9",))) == "mb-card-precondition"
