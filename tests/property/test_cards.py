"""Whatever several people do with a deck, and whatever is taken back: every card is somewhere,
exactly once.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rules.core.cards import Piles, read_deck, shuffle_cards, standard_deck, write_deck
from rules.core.cards.piles import DISCARD_PILE, DRAW_PILE
from rules.core.errors import Impossible, NotFound, Problems
from rules.core.rng import KeyedRng, ScriptedRng
from tests.example_counts import examples

PEOPLE = ("hand:p1", "hand:p2", "hand:p3", "pool:p1")
places = st.sampled_from((*PEOPLE, DRAW_PILE, DISCARD_PILE))


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
            assert number > len(before.cards_at(source))
            assert self.piles == before
            return
        assert moved == before.cards_at(source)[:number]
        if source != place:
            assert piles.cards_at(place)[: len(moved)] == tuple(reversed(moved))
        self._to(piles)

    @rule(source=places, place=places, pick=st.integers(0, 60))
    def move(self, source: str, place: str, pick: int) -> None:
        there = self.piles.cards_at(source)
        card = there[pick % len(there)] if there else self.all[pick % len(self.all)]
        try:
            piles = self.piles.move(card, source, place)
        except NotFound:
            assert not there
            return
        assert card in piles.cards_at(place)
        self._to(piles)

    @rule(place=places, seed=st.binary(min_size=16, max_size=16))
    def shuffle(self, place: str, seed: bytes) -> None:
        piles = self.piles.shuffle(place, KeyedRng(seed, "shuffle"))
        assert sorted(piles.cards_at(place)) == sorted(self.piles.cards_at(place))
        self._to(piles)

    @rule(into=places, hands=st.booleans())
    def gather(self, into: str, hands: bool) -> None:
        kept = {place: self.piles.cards_at(place) for place in PEOPLE}
        piles = self.piles.gather(into, lambda place: hands or not place.startswith("hand:"))
        if not hands:
            for place, cards in kept.items():
                if place.startswith("hand:") and place != into:
                    assert piles.cards_at(place) == cards
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
TestTable.settings = examples(60, stateful_step_count=30)


def test_the_standard_deck() -> None:
    deck = standard_deck()
    assert len(deck.cards) == len({card.id for card in deck.cards}) == 54
    assert deck.card("QH").name == "queen of hearts"
    with pytest.raises(NotFound):
        deck.card("ZZ")


def test_every_order_is_equally_likely() -> None:
    """Each sequence of draws gives an order of its own: 4! orders from 4 * 3 * 2 draws."""
    orders = {
        shuffle_cards("abcd", ScriptedRng([first, second, third]))
        for first in range(1, 5)
        for second in range(1, 4)
        for third in range(1, 3)
    }
    assert len(orders) == 24


SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "docs/schemas/deck.schema.json").read_text("utf-8")
)
short = st.text("ab-:. é\x07", max_size=4)
anything = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 3), short, st.lists(short, max_size=2)
)
fields = st.one_of(anything, st.dictionaries(short, st.one_of(short, st.integers()), max_size=3))
rows = st.one_of(
    anything,
    st.fixed_dictionaries(
        {"id": st.one_of(short, anything), "name": st.one_of(short, anything)},
        optional={
            "rank": st.one_of(short, anything),
            "suit": short,
            "text": st.one_of(short, anything),
            "fields": fields,
            "copies": st.one_of(anything, st.integers(1, 3)),
            "wings": anything,
        },
    ),
)


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value fits a schema, for the keywords that ours uses."""
    kinds: dict[str, Any] = {"object": dict, "array": list, "string": str, "integer": int}
    kind = schema.get("type", "string")
    if not isinstance(value, kinds[kind]) or (kind == "integer" and isinstance(value, bool)):
        return False
    if kind == "object":
        known, rest = schema.get("properties", {}), schema["additionalProperties"]
        parts = ((key, known.get(key, rest or None)) for key in value)
        return (
            all(key in value for key in schema.get("required", ()))
            and len(value) <= schema.get("maxProperties", 99)
            and all(fits(key, schema.get("propertyNames", {})) for key in value)
            and all(part is not None and fits(value[key], part) for key, part in parts)
        )
    if kind == "array":
        inside = schema["minItems"] <= len(value) <= schema["maxItems"]
        return inside and all(fits(each, schema["items"]) for each in value)
    if kind == "integer":
        return schema["minimum"] <= value <= schema["maximum"]
    long_enough = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 9999)
    return long_enough and re.search(schema.get("pattern", ""), value) is not None


@given(
    st.fixed_dictionaries(
        {"id": short, "name": short, "cards": st.one_of(st.lists(rows, max_size=3), anything)},
        optional={"color": anything},
    )
)
@examples(400)
def test_whatever_is_read_fits_the_schema(data: dict[str, Any]) -> None:
    try:
        deck = read_deck(data)
    except Problems as error:
        assert error.problems
        return
    assert fits(data, SCHEMA)
    again = json.loads(json.dumps(write_deck(deck)))
    assert fits(again, SCHEMA)
    assert read_deck(again) == deck


def test_the_examples_fit_the_schema() -> None:
    root = Path(__file__).parents[2]
    (example,) = re.findall(
        r"```json\n(.*?)```", (root / "docs/decks.md").read_text("utf-8"), re.DOTALL
    )
    standard = json.loads((root / "rules/core/cards/data/standard.json").read_text("utf-8"))
    for data in (json.loads(example), standard):
        assert fits(data, SCHEMA)
        assert read_deck(data).id == data["id"]
    assert [card.id for card in read_deck(json.loads(example)).cards] == [
        "crow.1",
        "crow.2",
        "crow.3",
        "glow",
        "dog",
    ]


def test_copies_have_ids_of_their_own() -> None:
    twice = [{"id": "a", "name": "A", "copies": 2}, {"id": "a.2", "name": "B"}]
    long = [{"id": "x" * 39, "name": "X", "copies": 2}]
    for rows, code in ((twice, "deck-twice"), (long, "too-long")):
        with pytest.raises(Problems) as caught:
            read_deck({"id": "d", "name": "D", "cards": rows})
        assert [each.code for each in caught.value.problems] == [code]


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
