"""Which orders of a deck are open: nothing that is hidden follows from them, and their opening
itself tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rules.core.cards import Deck, Piles, shuffle_cards
from rules.core.errors import RulesError
from rules.core.rng import KeyedRng, KeyedStreams, shuffle_seed
from rules.registry import read_only_game
from rules.table.actions import (
    Action,
    Actor,
    AnswerOffer,
    DrawCards,
    ImportDeck,
    OfferCard,
    PlayCard,
    ShuffleDeck,
)
from rules.table.chance.cards import (
    cards_before_shuffle,
    decks_of,
    hand_place,
    open_offers,
    open_place,
    piles_of,
)
from rules.table.events import CardsMoved
from rules.table.state import Character, Settings, ShuffleWhat, TableState
from tests.example_counts import examples
from tests.sample_table import ANN, BEN, GM, by, resolve

PEOPLE = (GM, ANN, BEN)
#: Whoever plays nobody would not be of the table, and have no cards there.
PLAYED = {
    key: Character(key, name, owner.id, None)
    for key, name, owner in (("k1", "Vesna", ANN), ("k2", "Boris", BEN))
}
DECK = {
    "id": "few",
    "name": "Few",
    "cards": [{"id": f"c{number}", "name": f"N{number}"} for number in range(7)],
}
KINDS = {
    "draw": 3,
    "play": 2,
    "discard": 2,
    "unplay": 1,
    "offer": 1,
    "answer": 2,
    "shuffle": 1,
    "again": 2,
    "everything": 1,
}
SHUFFLES: dict[str, ShuffleWhat] = {
    "shuffle": "draw",
    "again": "discard",
    "everything": "everything",
}
#: What is done, by whom, with which card of theirs, and with whom: told by places alone, never by a
#: card's name.
STEPS = st.lists(
    st.tuples(
        st.sampled_from([kind for kind, weight in KINDS.items() for _ in range(weight)]),
        st.integers(0, 2),
        st.integers(0, 6),
        st.booleans(),
    ),
    min_size=1,
    max_size=50,
)


@dataclass
class Game:
    """A deck in play, with what really happened to every card."""

    seed: bytes
    state: TableState = field(
        default_factory=lambda: TableState(Settings("T", "ebb", ("p1",)), characters=PLAYED)
    )
    requests: int = 0
    #: The last order each card took part in, and the cards discarded without anybody having seen
    #: them.
    last: dict[str, int] = field(default_factory=dict[str, int])
    unseen: set[str] = field(default_factory=set[str])
    made: dict[int, tuple[str, tuple[str, ...], tuple[str, ...]]] = field(
        default_factory=dict[int, Any]
    )

    @property
    def piles(self) -> Piles:
        return piles_of(self.state, "few")

    def do(self, action: Action) -> bool:
        """Carry it out; whether it was allowed."""
        self.requests += 1
        before, request = self.piles, f"r{self.requests}"
        rng = KeyedStreams(self.seed, self.seed[::-1], request)
        try:
            outcome = resolve(self.state, action, rng)
        except RulesError:
            return False
        self.state = outcome.state
        for event in outcome.events:
            if isinstance(event, CardsMoved) and event.order and event.audience.everyone:
                self._shuffled(event, before, action, request)
        if isinstance(action, PlayCard) and action.how == "discard":
            self.unseen |= {action.card} & {*before.cards_at(hand_place(action.who.id))}
        self.unseen &= {*self.piles.cards_at("discard")}
        return True

    def _shuffled(self, event: CardsMoved, before: Piles, action: Action, request: str) -> None:
        deck: Deck = decks_of(read_only_game(self.state))["few"]
        what = action.what if isinstance(action, ShuffleDeck) else "draw"
        cards = cards_before_shuffle(deck, before, what)
        after = shuffle_cards(cards, KeyedRng(shuffle_seed(self.seed[::-1], request), request))
        self.made[event.order] = (request, cards, after)
        self.last.update(dict.fromkeys(after, event.order))
        if isinstance(action, ShuffleDeck):
            assert self.piles.cards_at("draw") == after

    def hidden(self) -> set[str]:
        """The cards of which not everybody knows where they lie."""
        places = self.piles.places.items()
        covered = {
            card
            for place, cards in places
            if not place.startswith(("open", "discard"))
            for card in cards
        }
        return covered | self.unseen

    def step(self, kind: str, who: Actor, index: int, yes: bool) -> bool:
        """One step, told by places."""
        on: Any = by(who)
        hand, face_up = (
            self.piles.cards_at(hand_place(who.id)),
            self.piles.cards_at(open_place(who.id)),
        )
        if kind == "draw":
            return self.do(DrawCards(**on, count=1 + index % 3, deck="few"))
        if kind in ("play", "discard") and hand:
            return self.do(PlayCard(**on, card=hand[index % len(hand)], how=kind, deck="few"))
        if kind == "unplay" and face_up:
            return self.do(
                PlayCard(**on, card=face_up[index % len(face_up)], how="discard", deck="few")
            )
        if kind == "offer" and hand:
            to = PEOPLE[(PEOPLE.index(who) + 1 + yes) % 3].id
            return self.do(OfferCard(**on, card=hand[index % len(hand)], to=to, deck="few"))
        waiting = open_offers(self.piles)
        if kind == "answer" and waiting:
            offer = waiting[index % len(waiting)]
            answer = AnswerOffer(**by(Actor(offer.to)), offer=offer.number, accept=yes, deck="few")
            return self.do(answer)
        if kind not in SHUFFLES:
            return False
        by_whom = by(GM if kind == "everything" else who)
        return self.do(ShuffleDeck(**by_whom, what=SHUFFLES[kind], deck="few"))


def _begin(seed: int) -> Game:
    game = Game(seed.to_bytes(4, "big") * 8)
    assert game.do(ImportDeck(**by(GM), data=DECK))
    return game


@given(STEPS, st.integers(0, 1 << 30))
@examples(300)
def test_no_hidden_card_lies_as_an_open_order_tells(steps: list[Any], seed: int) -> None:
    game = _begin(seed)
    for kind, who, index, yes in steps:
        before = game.piles.opened
        game.step(kind, PEOPLE[who], index, yes)
        piles, hidden = game.piles, game.hidden()
        assert piles.opened >= before
        assert [order.number for order in piles.sealed] == [
            number for number in sorted(game.made) if number > piles.opened
        ]
        assert not [card for card in hidden if game.last[card] <= piles.opened], (
            "it could be located"
        )
        if not hidden and game.made:
            assert piles.sealed == ()
        if kind == "everything" and game.made:
            assert piles.opened == max(game.made) - 1, "whatever was before is over"
    for number, (request, _, _) in game.made.items():
        sealed = KeyedStreams(game.seed, game.seed[::-1], request).sealed
        known = {order.number: order for order in game.piles.sealed}.get(number)
        assert known is None or (known.key, known.commitment) == (request, sealed.commitment)


@given(STEPS, st.integers(0, 1 << 30), st.integers(0, 1 << 30))
@examples(200)
def test_when_an_order_opens_depends_on_nothing_hidden(
    steps: list[Any], seed: int, other: int
) -> None:
    """The same steps with other cards: everybody sees the same, so the same opens at the
    same time.
    """
    games = [_begin(seed), _begin(other)]
    for kind, who, index, yes in steps:
        assert len({game.step(kind, PEOPLE[who], index, yes) for game in games}) == 1
        one, two = (game.piles for game in games)
        assert (one.opened, one.older, one.unseen) == (two.opened, two.older, two.unseen)
        assert {place: len(cards) for place, cards in one.places.items()} == {
            place: len(cards) for place, cards in two.places.items()
        }


def test_a_card_kept_from_an_old_order_keeps_it_closed() -> None:
    game = _begin(1)
    game.step("draw", ANN, 1, True)
    assert game.step("again", BEN, 0, True)
    assert (game.piles.older, game.piles.opened) == ((hand_place("p2"),), 0)
    game.step("offer", ANN, 0, False)
    game.step("answer", BEN, 0, True)
    game.step("play", ANN, 0, True)
    assert (game.piles.older, game.piles.opened) == ((hand_place("p3"),), 0), (
        "what was given goes on being old"
    )
    game.step("discard", BEN, 0, True)
    assert (game.piles.older, game.piles.opened) == (("discard",), 0), "nobody saw it"
    game.step("again", BEN, 0, True)
    assert (game.piles.older, game.piles.opened) == ((), 2)


def test_all_cards_face_up_opens_everything() -> None:
    game = _begin(2)
    game.do(DrawCards(**by(ANN), count=7, deck="few"))
    for _ in range(6):
        game.step("play", ANN, 0, True)
    assert game.piles.opened == 0
    game.step("play", ANN, 0, True)
    assert (game.piles.opened, game.piles.sealed) == (1, ())
    assert game.step("everything", GM, 0, True)
    assert [order.number for order in game.piles.sealed] == [2]
