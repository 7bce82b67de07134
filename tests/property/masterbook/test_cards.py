"""Random play with cards through `perform`, several at once, with undo and restarts: none is lost
or given away.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st

from bot.services.perform import ActionResult, perform
from rules.core.errors import RulesError
from rules.registry import read_only_game
from rules.systems.masterbook.deck.deck_state import FACE, HAND, POOL, Cards
from rules.systems.masterbook.deck.table_deck import has_deck, require_cards
from rules.table.actions import (
    Action,
    Actor,
    Begin,
    ChangeSettings,
    Choose,
    DrawCards,
    ImportDeck,
    OfferCard,
    PlayCard,
    ShuffleDeck,
    Undo,
)
from rules.table.checks.available_moves import available_moves
from rules.table.events import CardsMoved, CheckChanged
from rules.table.permissions import is_gm
from rules.table.state import TableState
from tests.example_counts import examples
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    by,
    make_house,
    make_session,
    masterbook_character,
    open_game,
    own_action,
)

PEOPLE: Final = (GM, ANN, BEN)
Arrange, Play, PoolCard, Sit, Tell, UseFaceUp = map(
    own_action, ("Arrange", "Play", "PoolCard", "Sit", "Tell", "UseFaceUp")
)
NUMBERS: Final = range(7001, 7051)
OPS: Final = (
    "all_draw",
    "give_and_draw",
    "take_discard_top",
    "life_point",
    "gm_hint",
    "modify_total",
)
LINE: Final = {"first": "P"}


def _definition(number: int) -> dict[str, Any]:
    """A kind of which there is one card, so that its name gives it away."""
    if number % 10 == 0:
        award = {"award": {"when": "end_of_act", "life_points": 1}} if number % 20 else {}
        return {"name": f"Zq{number}", "type": "subplot", "summary": f"Zq{number} lies.", **award}
    op = OPS[number % len(OPS)]
    return {
        "name": f"Zq{number}",
        "type": "enhancement",
        "summary": f"Zq{number} does.",
        "windows": ["any_between_actions"],
        "effect": {"op": op, "skill_points": 1, "count": 2},
    }


DECK: Final[dict[str, Any]] = {
    "format": "masterbook-deck",
    "format_version": 1,
    "deck_id": "each",
    "title": "Each its own",
    "definitions": {f"zq{number}": _definition(number) for number in NUMBERS},
    "cards": [
        {"number": number, "name": f"zq{number}", "standard": LINE, "dramatic": LINE}
        for number in NUMBERS
    ],
}


def _own(state: TableState, who: Actor) -> str:
    """The character of somebody; empty for nobody."""
    return next((each.id for each in state.characters.values() if each.owner == who.id), "")


class Hands:
    """A table at which people do whatever they like with their cards."""

    def __init__(self, session: Any, chance: random.Random) -> None:
        self.session, self.chance, self.requests = session, chance, 0

    async def run(self, steps: int) -> None:
        await self.do(
            ChangeSettings(
                **by(GM), values={"cards_mode": "full", "exceptional_roleplaying_card": True}
            )
        )
        await self.do(ImportDeck(**by(GM), data=DECK))
        await self.do(Tell(**by(GM), what="adventure-start"))
        for _ in range(steps):
            before = await self.session.state()
            several = [self.some(before) for _ in range(self.chance.choice((1, 1, 1, 2, 3)))]
            done = await asyncio.gather(*[self.do(each) for each in several if each is not None])
            await self.check(before, [each for each in done if each is not None])
            if self.chance.random() < 0.05:
                state = await self.session.state()
                await self.session.restart()
                assert await self.session.state() == state

    async def do(self, action: Action) -> ActionResult | None:
        """Somebody does something; what is refused changes nothing, and names no card that is
        hidden from them.
        """
        self.requests += 1
        request = f"h{self.requests}"
        table = await self.session.tables.get(self.session.table_id)
        before = table.state
        try:
            return await perform(self.session.tables, self.session.table_id, action, request)
        except RulesError as error:
            self.quiet((before, table.state), action.who, f"{error.params}")
            return None

    # --- what people do ---------------------------------------------------------------------------

    def some(self, state: TableState) -> Action | None:
        """Something that somebody may try now."""
        chance, game = self.chance, read_only_game(state)
        who = chance.choice(PEOPLE)
        if chance.random() < 0.35:
            return self.moved(state, who)
        cards = require_cards(game) if has_deck(game) else None
        mine = _own(state, who)
        held = (
            []
            if cards is None
            else [each for place in (HAND, POOL) for each in cards.at(place, mine)]
        )
        card = chance.choice(held) if held else "7001"
        other = chance.choice(held) if held else "7002"
        given: dict[str, Any] = {"card": card}
        if who.id == GM.id:
            return self.led(cards, chance)
        return chance.choice(
            (
                Play(**by(who), **given, gifts=other, to="Boris" if who.id == ANN.id else "Anna"),
                Play(**by(who), **given),
                PlayCard(**by(who), card=card, how=chance.choice(("play", "discard", "pool"))),
                PoolCard(**by(who), card=card),
                OfferCard(**by(who), card=card, to="p2" if who.id == BEN.id else "p3"),
                Begin(
                    **by(who),
                    kind="trade",
                    target="Boris" if who.id == ANN.id else "Anna",
                    values={"cards": card},
                ),
                DrawCards(**by(who)),
                Undo(**by(who)),
            )
        )

    def led(self, cards: Cards | None, chance: random.Random) -> Action:
        """Something that a GM does."""
        name = chance.choice(("Anna", "Boris"))
        faced = (
            []
            if cards is None
            else [each for seat in cards.deal.seats for each in cards.at(FACE, seat.who)]
        )
        what: Any = chance.choice(
            (
                "scene-start",
                "scene-start",
                "scene-end",
                "act-end",
                "adventure-end",
                "adventure-start",
            )
        )
        how: Any = chance.choice(("joins", "leaves", "bonus"))
        stack = cards.at("draw")[-2:] if cards is not None else ("7001",)
        return chance.choice(
            (
                Tell(**by(GM), what=what),
                Tell(**by(GM), what="scene-start"),
                Tell(**by(GM), what="scene-end"),
                Sit(**by(GM), how=how, character=name),
                UseFaceUp(**by(GM), character=name, card=chance.choice(faced) if faced else "7010"),
                Arrange(**by(GM), how="peek", number=3),
                Arrange(**by(GM), how="stack", cards=", ".join(stack) or "7001"),
                ShuffleDeck(**by(GM)),
                Undo(**by(GM), all_dependents=chance.random() < 0.6),
            )
        )

    def moved(self, state: TableState, who: Actor) -> Action | None:
        """An answer to something that somebody is asked."""
        able = [
            (move, option)
            for move in available_moves(open_game(state, who))
            for option in move.options
        ]
        if not able:
            return None
        move, option = self.chance.choice(able)
        form: Any = option.form
        values: dict[str, Any] = {}
        for each in () if form is None else form.fields:
            offered = (
                list(each.choices) if isinstance(getattr(each, "choices", None), tuple) else []
            )
            if offered:
                chosen = self.chance.sample(
                    offered, min(len(offered), self.chance.choice((1, 1, 2)), each.most)
                )
                values[each.key] = [one.value for one in chosen]
        on: Any = {
            "check": move.check,
            "prompt": move.prompt,
            "number": move.number,
            "as_": (move.who,),
        }
        return Choose(**by(who), **on, option=option.value, values=values)

    # --- what has to be so ------------------------------------------------------------------------

    async def check(self, before: TableState, done: list[ActionResult]) -> None:
        state = await self.session.state()
        game = read_only_game(state)
        if has_deck(game):
            cards = require_cards(game)
            assert cards.piles.cards == tuple(sorted(cards.faces))
            seated = {each.who for each in cards.deal.seats}
            assert {
                place.partition(":")[2] for place in cards.piles.places if ":" in place
            } <= seated
        for character in state.characters.values():
            assert 0 <= character.sheet.life_points <= 10
        states = [before, *[each.state for each in done]]
        for number, each in enumerate(done, 2):
            if any(isinstance(event, CardsMoved) and event.commitment for event in each.events):
                continue  # what everybody saw lies hidden again
            for event in each.events:
                if isinstance(event, CardsMoved) and event.step == "shown":
                    continue
                for who in (ANN, BEN):
                    if event.audience.everyone or who.id in event.audience.people:
                        trades = isinstance(event, CheckChanged) and event.kind == "trade"
                        assert not (trades and event.audience.everyone)
                        if not trades:
                            self.quiet(states[:number], who, str(event))

    def quiet(self, states: Sequence[TableState], who: Actor, said: str) -> None:
        """Nothing is said to somebody of a card that was hidden from them in all these states, one
        after the other.
        """
        if is_gm(states[-1], who):
            return
        own = _own(states[-1], who)
        secrets = set[str].intersection(*[self.hidden(each, own) for each in states])
        told = {card for card in secrets if f"Zq{card}" in said}
        assert not told, (who.id, told, said)

    def hidden(self, state: TableState, own: str) -> set[str]:
        """The cards that whoever plays this character may not know of."""
        game = read_only_game(state)
        if not has_deck(game):
            return set()
        piles = require_cards(game).piles
        return {
            card
            for place in piles.hidden_places()
            if place != f"{HAND}:{own}"
            for card in piles.cards_at(place)
        }


@examples(40)
@given(st.randoms(use_true_random=False))
def test_no_card_is_lost_or_given_away_in_random_play(chance: random.Random) -> None:
    async def run(folder: Path) -> None:
        async with make_house(folder) as house:
            session = await make_session(house, system="masterbook", character=masterbook_character)
            await Hands(session, chance).run(30)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
