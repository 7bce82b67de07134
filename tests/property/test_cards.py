"""Whatever several people do with a deck, and whatever is taken back: every card is somewhere, exactly once."""

from __future__ import annotations

import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rules.core.cards import Piles, read_deck, shuffled, standard_deck
from rules.core.cards.piles import DISCARD, DRAW
from rules.core.errors import Impossible, NotFound, Problems
from rules.core.rng import Keyed, Scripted

PEOPLE = ("hand:p1", "hand:p2", "hand:p3", "pool:p1")
places = st.sampled_from((*PEOPLE, DRAW, DISCARD))


class Table(RuleBasedStateMachine):
    """Several hands, an open pool, and undo to any earlier moment."""

    @initialize(seed=st.integers(0, 1000))
    def open(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.all = tuple(sorted(card.id for card in standard_deck().cards))
        self.piles = Piles.of(self.all)
        self.past: list[Piles] = []

    def _to(self, piles: Piles) -> None:
        self.past.append(self.piles)
        self.piles = piles

    @rule(place=places, number=st.integers(0, 9), source=places)
    def deal(self, source: str, place: str, number: int) -> None:
        before = self.piles
        try:
            piles, moved = self.piles.deal(source, place, number)
        except Impossible:
            assert number > len(before.at(source))
            assert self.piles == before
            return
        assert moved == before.at(source)[:number]
        if source != place:
            assert piles.at(place)[: len(moved)] == tuple(reversed(moved))
        self._to(piles)

    @rule(source=places, place=places, pick=st.integers(0, 60))
    def move(self, source: str, place: str, pick: int) -> None:
        there = self.piles.at(source)
        card = there[pick % len(there)] if there else self.all[pick % len(self.all)]
        try:
            piles = self.piles.move(card, source, place)
        except NotFound:
            assert not there
            return
        assert card in piles.at(place)
        self._to(piles)

    @rule(place=places, seed=st.binary(min_size=16, max_size=16))
    def shuffle(self, place: str, seed: bytes) -> None:
        piles = self.piles.shuffle(place, Keyed(seed, "shuffle"))
        assert sorted(piles.at(place)) == sorted(self.piles.at(place))
        self._to(piles)

    @rule(into=places, hands=st.booleans())
    def gather(self, into: str, hands: bool) -> None:
        kept = {place: self.piles.at(place) for place in PEOPLE}
        piles = self.piles.gather(into, lambda place: hands or not place.startswith("hand:"))
        if not hands:
            for place, cards in kept.items():
                if place.startswith("hand:") and place != into:
                    assert piles.at(place) == cards
        self._to(piles)

    @precondition(lambda self: self.past)
    @rule()
    def undo(self) -> None:
        self.piles = self.past.pop()

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        if hasattr(self, "piles"):
            assert self.piles.cards == self.all
            assert all(self.piles.places.values())


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_the_standard_deck() -> None:
    deck = standard_deck()
    assert len(deck.cards) == len({card.id for card in deck.cards}) == 54
    assert deck.card("QH").name == "queen of hearts"
    with pytest.raises(NotFound):
        deck.card("ZZ")


def test_every_order_is_equally_likely() -> None:
    """Each sequence of draws gives an order of its own: 4! orders from 4 * 3 * 2 draws."""
    orders = {
        shuffled("abcd", Scripted([first, second, third]))
        for first in range(1, 5)
        for second in range(1, 4)
        for third in range(1, 3)
    }
    assert len(orders) == 24


def test_a_deck_file_with_everything_wrong() -> None:
    rows = [{"id": "a", "name": "A"}, {"id": "a", "name": 3}, "x", {"id": "b" * 50, "name": ""}]
    with pytest.raises(Problems) as caught:
        read_deck({"id": "", "name": "Deck", "cards": rows})
    found = {(each.params["field"], each.code) for each in caught.value.problems}
    assert found == {
        ("id", "empty"),
        ("cards[1].id", "deck-twice"),
        ("cards[1].name", "wrong-type"),
        ("cards[1].name", "empty"),
        ("cards[2]", "wrong-type"),
        ("cards[3].id", "too-long"),
        ("cards[3].name", "empty"),
    }
    for cards in (None, [], [{"id": str(number), "name": "x"} for number in range(501)]):
        with pytest.raises(Problems):
            read_deck({"id": "d", "name": "D", "cards": cards})
