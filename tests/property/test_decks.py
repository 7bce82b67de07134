"""Several people with one deck, through `perform` on a real file: no card is lost or doubled, and
none is seen.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.services.replay import replay
from rules.core.cards import read_deck, standard_deck, write_deck
from rules.core.errors import RulesError
from rules.registry import read_only_game
from rules.table.actions import (
    Action,
    Actor,
    AnswerOffer,
    DrawCards,
    ImportDeck,
    OfferCard,
    PlayCard,
    RemoveDeck,
    ShuffleDeck,
    Undo,
)
from rules.table.chance.cards import decks_of, hand_place, open_offers, piles_of
from rules.table.events import CardsMoved
from rules.table.state import TableState
from tests.example_counts import examples
from tests.sample_table import ANN, BEN, GM, Session, by, make_house, make_session

EVERYBODY = (GM, ANN, BEN)
OWN = read_deck(
    {
        "id": "omens",
        "name": "Omens",
        "cards": [
            {"id": "crow", "name": "A crow", "copies": 9},
            {"id": "dog", "name": "A dog", "fields": {"Day": "calm"}, "text": "It follows you."},
            *({"id": f"o{number}", "name": f"Omen {number}"} for number in range(8)),
        ],
    }
)
DECKS = {deck.id: deck for deck in (standard_deck(), OWN)}
ALL = {key: tuple(sorted(card.id for card in deck.cards)) for key, deck in DECKS.items()}


def _action(state: TableState, chance: random.Random, deck: str) -> Action:
    """Something that somebody may try, mostly with cards that they hold."""
    who = chance.choice(EVERYBODY)
    piles = piles_of(state, deck)
    hand = piles.cards_at(hand_place(who.id))
    card = chance.choice(hand) if hand and chance.random() < 0.9 else chance.choice(ALL[deck])
    waiting = [offer.number for offer in open_offers(piles)] or [0]
    on: Any = by(who)
    several: list[Action] = [
        DrawCards(**on, count=chance.choice((1, 1, 2, 5, 20)), deck=deck),
        PlayCard(**on, card=card, how=chance.choice(("show", "play", "discard")), deck=deck),
        OfferCard(**on, card=card, to=chance.choice(EVERYBODY).id, deck=deck),
        AnswerOffer(**on, offer=chance.choice(waiting), accept=chance.random() < 0.5, deck=deck),
        ShuffleDeck(**on, what=chance.choice(("draw", "discard", "everything")), deck=deck),
        Undo(**by(chance.choice((GM, GM, ANN))), all_dependents=chance.random() < 0.5),
    ]
    weights = [5, 4, 3, 4, 1, 2]
    if deck == OWN.id:
        several += [ImportDeck(**by(GM), data=write_deck(OWN)), RemoveDeck(**by(GM), deck=deck)]
        weights += [2 if deck not in state.own_decks else 0, 1]
    return chance.choices(several, weights)[0]


def _face_up(state: TableState, card: str, deck: str) -> bool:
    places = piles_of(state, deck).places
    return any(card in cards for place, cards in places.items() if place.startswith("open:"))


def _check_told(before: TableState, state: TableState, who: Actor, events: tuple[Any, ...]) -> None:
    """What nobody shows or plays is told to whoever moves it, and to whom it is offered; what
    stays, to nobody.
    """
    for event in events:
        if not isinstance(event, CardsMoved) or event.step == "shown":
            continue
        for card in event.cards:
            for holder in EVERYBODY:
                hand = hand_place(holder.id)
                held = [
                    card in piles_of(each, event.deck).cards_at(hand) for each in (before, state)
                ]
                assert held != [True, True], event
            if not _face_up(before, card, event.deck) and not _face_up(state, card, event.deck):
                assert not event.audience.everyone
                assert not event.audience.gms
                assert set(event.audience.people) <= {who.id, event.to, event.giver}


async def _play(session: Session, chance: random.Random, steps: int, deck: str) -> None:
    done = 0
    for _ in range(steps):
        before = await session.state()
        action = _action(before, chance, deck)
        try:
            performed = await session.do(action)
        except RulesError as error:
            assert str(error)
            assert await session.state() is before
            continue
        done += 1
        state = performed.state
        piles = piles_of(state, deck)
        assert piles.cards in (ALL[deck], ())
        if piles.places:
            assert deck in decks_of(read_only_game(state))
        now, was = piles.opened, piles_of(before, deck).opened
        assert now >= was or not piles.sealed or piles.sealed[0].number > was, (
            "an open order does not come back"
        )
        _check_told(before, state, action.who, performed.events)
        if chance.random() < 0.05:
            await session.restart()
    state = await session.state()
    assert await replay(session.tables.store, session.table_id) == state
    await session.restart()
    assert await session.state() == state


@pytest.mark.parametrize("deck", DECKS)
@given(chance=st.randoms(use_true_random=False), steps=st.integers(1, 60))
@examples(25)
def test_every_card_is_somewhere_exactly_once(deck: str, chance: random.Random, steps: int) -> None:
    async def run(folder: Path) -> None:
        async with make_house(folder) as house:
            await _play(await make_session(house), chance, steps, deck)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
