"""Several people with one deck, through `perform` on a real file: no card is lost or doubled, and none is seen."""

from __future__ import annotations

import asyncio
import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.services.replay import replay
from rules.core.cards import standard_deck
from rules.core.errors import RulesError
from rules.table.actions import Action, Actor, AnswerOffer, DrawCards, OfferCard, PlayCard, ShuffleDeck, Undo
from rules.table.decks import hand_of, offers, piles_of
from rules.table.events import CardsMoved
from rules.table.state import TableState
from tests.builders import ANN, BEN, GM, Session, by, make_house, make_session

EVERYBODY = (GM, ANN, BEN)
ALL = tuple(sorted(card.id for card in standard_deck().cards))


def _action(state: TableState, chance: random.Random) -> Action:
    """Something that somebody may try, mostly with cards that they hold."""
    who = chance.choice(EVERYBODY)
    piles = piles_of(state, "standard")
    hand = piles.at(hand_of(who.id))
    card = chance.choice(hand) if hand and chance.random() < 0.9 else chance.choice(ALL)
    waiting = [offer.number for offer in offers(piles)] or [0]
    on: Any = by(who)
    several: list[Action] = [
        DrawCards(**on, count=chance.choice((1, 1, 2, 5, 20))),
        PlayCard(**on, card=card, how=chance.choice(("show", "play", "discard"))),
        OfferCard(**on, card=card, to=chance.choice(EVERYBODY).id),
        AnswerOffer(**on, offer=chance.choice(waiting), accept=chance.random() < 0.5),
        ShuffleDeck(**on, what=chance.choice(("draw", "discard", "everything"))),
        Undo(**by(chance.choice((GM, GM, ANN))), all_dependents=chance.random() < 0.5),
    ]
    return chance.choices(several, (5, 4, 3, 4, 1, 2))[0]


def _face_up(state: TableState, card: str) -> bool:
    places = piles_of(state, "standard").places
    return any(card in cards for place, cards in places.items() if place.startswith("open:"))


def _check_told(before: TableState, state: TableState, who: Actor, events: tuple[Any, ...]) -> None:
    """What nobody shows or plays is told to whoever moves it, and to whom it is offered; what stays, to nobody."""
    for event in events:
        if not isinstance(event, CardsMoved) or event.step == "shown":
            continue
        for card in event.cards:
            for holder in EVERYBODY:
                hand = hand_of(holder.id)
                held = [card in piles_of(each, "standard").at(hand) for each in (before, state)]
                assert held != [True, True], event
            if not _face_up(before, card) and not _face_up(state, card):
                assert not event.audience.everyone
                assert not event.audience.gms
                assert set(event.audience.people) <= {who.id, event.to, event.giver}


async def _play(session: Session, chance: random.Random, steps: int) -> None:
    done = 0
    for _ in range(steps):
        before = await session.state()
        action = _action(before, chance)
        try:
            performed = await session.do(action)
        except RulesError as error:
            assert str(error)
            assert await session.state() is before
            continue
        done += 1
        state = performed.state
        if "standard" in state.decks:
            assert state.decks["standard"].cards == ALL
        _check_told(before, state, action.who, performed.events)
        if chance.random() < 0.05:
            await session.restart()
    state = await session.state()
    assert await replay(session.tables.store, session.table_id) == state
    await session.restart()
    assert await session.state() == state


@given(st.randoms(use_true_random=False), st.integers(1, 60))
@settings(deadline=None, max_examples=25, suppress_health_check=(HealthCheck.too_slow,))
def test_every_card_is_somewhere_exactly_once(chance: random.Random, steps: int) -> None:
    async def run(folder: Path) -> None:
        async with make_house(folder) as house:
            await _play(await make_session(house), chance, steps)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
