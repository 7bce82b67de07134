"""No card of MasterBook's deck is ever lost or doubled, whatever is done with it in
whatever order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from rules.core.cards import Piles
from rules.core.errors import Impossible
from rules.core.rng import KeyedStreams
from rules.systems.masterbook.deck import card_lines, deal, subplots
from rules.systems.masterbook.deck.card_definitions import KINDS, default_faces
from rules.systems.masterbook.deck.deck_state import DRAW_PILE, FACE, HAND, POOL, TAKEN, Cards, Deal
from tests.conformance.masterbook_card_names import apart, options

SEATS = ("c1", "c2", "c3", "c4")
WHO = st.sampled_from(SEATS)
#: Which card of those that somebody holds; of a small deck, so that it is often shuffled.
AT = st.integers(0, 9)
SMALL = {key: face for key, face in default_faces().items() if int(key) % 3 == 0 or int(key) > 83}


class Deck(RuleBasedStateMachine):
    """One table's deck in the hands of four people and a GM."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.points: dict[str, int] = dict.fromkeys(SEATS, 5)
        self.cards: Cards
        self.setting = options(exceptional_roleplaying_card=True)

    @property
    def rng(self) -> KeyedStreams:
        self.asked += 1
        return KeyedStreams(b"\0" * 16, b"\1" * 16, str(self.asked))

    @initialize(seats=st.integers(1, 4))
    def start(self, seats: int) -> None:
        new = Cards(Piles({}), Deal(), SMALL, KINDS, self.setting, self.points.__getitem__)
        self.cards = deal.start(new, SEATS[:seats], self.rng)

    def does(self, run: Callable[[], Cards]) -> None:
        """An operation: whatever it refuses changes nothing, since nothing is ever written to."""
        try:
            self.cards, moves = apart(run())
        except Impossible as error:
            assert error.code.startswith("mb-card-")
            return
        for each in moves:
            if each.what == "life-points":
                self.points[each.who] += each.number

    def card(self, who: str, at: int, *places: str) -> str:
        held = [card for place in places for card in self.cards.at(place, who)]
        return held[at % len(held)] if held else "3"

    @rule(who=WHO, pool=st.booleans(), count=st.integers(1, 4))
    def draw(self, who: str, pool: bool, count: int) -> None:
        place: Any = POOL if pool else HAND
        self.does(lambda: deal.draw(self.cards, who, self.rng, place, count))

    @rule(who=WHO, at=AT, allows=st.booleans(), keeps=st.booleans())
    def decide(self, who: str, at: int, allows: bool, keeps: bool) -> None:
        card = self.card(who, at, FACE)
        self.does(lambda: subplots.decide(self.cards, who, card, allows, keeps))

    @rule(who=WHO, at=AT)
    def use(self, who: str, at: int) -> None:
        self.does(lambda: subplots.use_face_up(self.cards, who, self.card(who, at, FACE)))

    @rule(
        kind=st.sampled_from(["combat", "interaction"]),
        scene=st.sampled_from(["standard", "dramatic"]),
    )
    def enter(self, kind: Any, scene: Any) -> None:
        self.does(lambda: deal.enter(self.cards, kind, scene))

    @rule(scene=st.sampled_from(["standard", "dramatic"]))
    def flip(self, scene: Any) -> None:
        self.does(lambda: deal.close_round(self.cards))
        self.does(lambda: card_lines.flip(self.cards, scene, self.rng))

    @rule()
    def leave(self) -> None:
        self.does(lambda: deal.leave(self.cards.replace(setting=self.setting)))

    @rule(who=WHO, at=AT, acts=st.integers(0, 3))
    def pool(self, who: str, at: int, acts: int) -> None:
        card = self.card(who, at, HAND)
        self.does(lambda: deal.pool(self.cards.replace(setting=self.setting), who, card, acts))

    @rule(who=WHO)
    def moment(self, who: str) -> None:
        self.does(
            lambda: deal.declare_critical_moment(self.cards.replace(setting=self.setting), who)
        )

    @rule(one=WHO, other=WHO, at=AT, back=AT)
    def trade(self, one: str, other: str, at: int, back: int) -> None:
        place = HAND if self.cards.deal.round is None else POOL
        given, taken = self.card(one, at, place), self.card(other, back, place)
        self.does(
            lambda: deal.trade(
                self.cards.replace(setting=self.setting), one, other, (given,), (taken,)
            )
        )

    @rule(who=WHO, at=AT)
    def replenish(self, who: str, at: int) -> None:
        held = self.cards.at(HAND, who)
        self.does(
            lambda: deal.replenish(
                self.cards.replace(setting=self.setting), who, held[:at], self.rng
            )
        )

    @rule(who=WHO, at=AT)
    def claim(self, who: str, at: int) -> None:
        card = self.card(who, at, HAND, POOL)
        self.does(lambda: deal.claim(self.cards.replace(setting=self.setting), who, card, self.rng))

    @rule(who=WHO, to=WHO, at=AT, gift=AT, draws=st.booleans())
    def leadership(self, who: str, to: str, at: int, gift: int, draws: bool) -> None:
        card, given = self.card(who, at, HAND, POOL), self.card(who, gift, HAND, POOL)
        gifts = [(to, (given,))]
        self.does(
            lambda: deal.leadership(
                self.cards.replace(setting=self.setting), who, card, gifts, draws, self.rng
            )
        )

    @rule(who=WHO, at=AT)
    def rally(self, who: str, at: int) -> None:
        card = self.card(who, at, HAND, POOL)
        self.does(lambda: deal.rally(self.cards.replace(setting=self.setting), who, card, self.rng))

    @rule(who=WHO, at=AT, subplot=AT, approves=st.booleans())
    def campaign(self, who: str, at: int, subplot: int, approves: bool) -> None:
        card, of = self.card(who, at, HAND), self.card(who, subplot, FACE)
        self.does(lambda: subplots.campaign(self.cards, who, card, of, approves, self.rng))

    @rule(who=WHO, due=st.sampled_from(["end_of_act", "end_of_adventure"]))
    def awards(self, who: str, due: Any) -> None:
        self.does(lambda: subplots.pay_subplots(self.cards, who, due))

    @rule(who=WHO, name=st.booleans())
    def martyr(self, who: str, name: bool) -> None:
        if name:
            self.does(lambda: subplots.name_martyr_deed(self.cards, who))
        else:
            self.does(lambda: subplots.back_out(self.cards, who))

    @rule()
    def take(self) -> None:
        self.does(lambda: deal.take(self.cards.replace(setting=self.setting), self.rng))

    @rule(order=st.permutations(range(4)), kept=st.integers(0, 4))
    def fiat(self, order: list[int], kept: int) -> None:
        taken = self.cards.at(TAKEN)
        chosen = [taken[at] for at in order[:kept] if at < len(taken)]
        self.does(lambda: deal.queue_fiat_cards(self.cards, chosen))

    @rule(who=WHO)
    def join(self, who: str) -> None:
        if self.cards.deal.seat(who) is None:
            self.does(lambda: deal.join(self.cards, who, self.rng))

    @rule(who=WHO)
    def part(self, who: str) -> None:
        if self.cards.deal.seat(who) is not None and len(self.cards.deal.seats) > 1:
            self.does(lambda: deal.deal_out(self.cards, who))

    @rule(seats=st.integers(1, 4))
    def again(self, seats: int) -> None:
        self.does(lambda: subplots.end_adventure(self.cards.replace(setting=self.setting)))
        self.does(lambda: deal.start(self.cards, SEATS[:seats], self.rng))

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        if hasattr(self, "cards"):
            assert self.cards.piles.cards == tuple(sorted(SMALL))
            assert len({*self.cards.at(DRAW_PILE)}) == len(self.cards.at(DRAW_PILE))

    @invariant()
    def only_those_who_play_hold_cards(self) -> None:
        if hasattr(self, "cards"):
            seated = {each.who for each in self.cards.deal.seats}
            holders = {place.partition(":")[2] for place in self.cards.piles.places if ":" in place}
            assert holders <= seated
            for seat in self.cards.deal.seats:
                assert {*seat.pending} <= {*self.cards.at(FACE, seat.who)}
                assert (
                    len(subplots.subplots_in_effect(self.cards, seat.who)) <= subplots.MAX_SUBPLOTS
                )
                assert 0 <= seat.refusal_awards <= subplots.MAX_REFUSAL_AWARDS
                assert 0 <= self.points[seat.who] <= 10
                assert {card for card, _ in seat.locks} <= {*self.cards.at(HAND, seat.who)}


TestDeck = Deck.TestCase
