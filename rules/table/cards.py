"""Cards of a table: hidden hands, open cards, offers, and the piles of decks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.cards import Card, Deck, Piles, read_deck, standard_deck
from rules.core.cards.piles import DISCARD_PILE, DRAW_PILE
from rules.core.errors import Impossible, InvalidInput, NotPermitted, Outdated
from rules.core.name_matching import find_one, lookalike_key, name_key
from rules.core.record import Record
from rules.core.rng import Streams
from rules.table import actions
from rules.table.checks.access import require_of_table
from rules.table.events import EVERYONE, Audience, CardsMoved, CardsStep, Notice
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.state import ShuffleWhat, TableState
from rules.table.system import Game

#: The deck that is everywhere.
STANDARD_DECK: Final = "standard"
#: Most decks that one table may bring.
DECKS_MAX: Final = 10
_OFFER: Final = "offer"


class Offer(Record):
    """A card that lies aside until `to` takes it or not."""

    number: int
    giver: str
    to: str
    card: str


def decks_of(game: Game) -> dict[str, Deck]:
    """Return the decks of a table by id: the standard one, those it brought, and the system's."""
    ruled = system_deck(game)
    own = {} if ruled is None else {ruled.id: ruled}
    return {STANDARD_DECK: standard_deck(), **game.state.own_decks, **own}


def system_deck(game: Game, text: str = STANDARD_DECK) -> Deck | None:
    """The deck whose cards move only as the system says, if it is meant: by any name, and where
    none is named.
    """
    found = None if game.system.cards is None else game.system.cards.deck(game)
    return (
        found
        if found is None or text == STANDARD_DECK or deck_of(game, text).id == found.id
        else None
    )


def deck_of(game: Game, text: str) -> Deck:
    """Return a deck by its id, its name or the beginning of its name.

    Raises NotFound("unknown-deck"), InvalidInput("ambiguous-deck").
    """
    known = decks_of(game)
    if text in known:
        return known[text]
    return find_one(
        known.values(), text, field="deck", unknown="unknown-deck", ambiguous="ambiguous-deck"
    )


def require_deck_access(game: Game, text: str) -> None:
    """Raise NotPermitted("not-of-table") for a guest who may not use this deck.

    Guests may use the standard deck if the table's settings say so.
    """
    guests = game.state.settings.guest_cards and system_deck(game) is None
    if not guests or deck_of(game, text).id != STANDARD_DECK:
        require_of_table(game)


def hand_place(who: str) -> str:
    """Return the place of a participant's hidden cards."""
    return f"hand:{who}"


def open_place(who: str) -> str:
    """Return the place of the cards that lie face up before a participant."""
    return f"open:{who}"


def piles_of(state: TableState, key: str) -> Piles:
    """Return the piles of a deck; empty before its first card is drawn."""
    return state.decks.get(key) or Piles({})


def open_offers(piles: Piles) -> tuple[Offer, ...]:
    """Return the open offers, oldest first."""
    laid = [
        (place.split(":"), cards)
        for place, cards in piles.places.items()
        if place.startswith(_OFFER)
    ]
    found = [Offer(int(number), giver, to, cards[0]) for (_, number, giver, to), cards in laid]
    return tuple(sorted(found, key=lambda offer: offer.number))


def find_card(deck: Deck, cards: Iterable[str], text: str) -> Card:
    """One of these cards by its id, its name or the beginning of its name; an id means no other
    card that begins so.

    NotFound("card-not-in-hand") with the nearest of them, InvalidInput("ambiguous-card").
    """
    pool = [deck.card(card) for card in cards]
    for card in deck.cards:
        if name_key(card.id) == name_key(text):
            if card in pool:
                return card
            pool.clear()  # no other is meant, however it is called
    unlike = {
        card.replace(id=""): card for card in reversed(pool)
    }  # of the copies of a card any will do
    pool = [*reversed(unlike.values())]
    return find_one(
        pool, text, field="card", unknown="card-not-in-hand", ambiguous="ambiguous-card"
    )


def _fresh(deck: Deck, before: Piles, rng: Streams) -> Piles:
    """Return the piles with all cards shuffled into the draw pile.

    `before` is the number of shuffles that the deck has had.
    """
    cards = tuple(card.id for card in deck.cards)
    return Piles({DRAW_PILE: cards}, opened=before.opened).shuffle(
        DRAW_PILE, rng.shuffle, rng.sealed
    )


def _published(event: CardsMoved, piles: Piles) -> CardsMoved:
    """The same with what is published of the order that the cards lie in now."""
    if not piles.sealed:
        return event.replace(order=piles.opened)  # whoever saw the only card knows all of it
    return event.replace(order=piles.sealed[-1].number, commitment=piles.sealed[-1].commitment)


def _with(state: TableState, key: str, piles: Piles) -> TableState:
    return state.replace(decks={**state.decks, key: piles})


def _moved(
    step: CardsStep, deck: Deck, piles: Piles, who: str, audience: Audience = EVERYONE, **more: Any
) -> CardsMoved:
    more = {
        "count": 1,
        "hand": len(piles.cards_at(hand_place(who))),
        "left": len(piles.cards_at(DRAW_PILE)),
        **more,
    }
    return CardsMoved(audience=audience, step=step, deck=deck.id, by=who, **more)


def _gathered(piles: Piles, what: ShuffleWhat) -> Piles:
    """With everything in the draw pile that is to be shuffled."""
    if what == "draw":
        return piles
    return piles.gather(DRAW_PILE, lambda place: what == "everything" or place == DISCARD_PILE)


def draw(state: TableState, action: actions.DrawCards, game: Game) -> Outcome:
    """Take the top cards into one's hand; the first who draws has the deck shuffled.

    Everybody hears how many, only whoever draws which. InvalidInput("out-of-range"),
    Impossible("pile-too-small"), NotFound("unknown-deck").
    """
    deck, who = deck_of(game, action.deck), action.who.id
    most = len(deck.cards)
    if not 1 <= action.count <= most:
        raise InvalidInput(
            "out-of-range", field="count", value=action.count, lowest=1, highest=most
        )
    before = piles_of(state, deck.id)
    first = not before.places
    if first:
        before = _fresh(deck, before, game.rng)
    piles, cards = before.deal(DRAW_PILE, hand_place(who), action.count)
    told = _moved("drawn", deck, piles, who, count=len(cards))
    mine = told.replace(audience=Audience(people=(who,)), cards=cards)
    if first:
        told = _published(told, before)
    return Outcome(_with(state, deck.id, piles), (mine, told))


def play(state: TableState, action: actions.PlayCard, game: Game) -> Outcome:
    """Show a card to everybody, lay it face up before oneself, or discard it.

    Of a card discarded from the hand the others do not learn which it was. Raises as `find_card`.
    """
    deck, who = deck_of(game, action.deck), action.who.id
    piles = piles_of(state, deck.id)
    hand, face_up = hand_place(who), open_place(who)
    cards = (
        (*piles.cards_at(hand), *piles.cards_at(face_up))
        if action.how == "discard"
        else piles.cards_at(hand)
    )
    card = find_card(deck, cards, action.card).id
    if action.how == "show":
        return Outcome(state, (_moved("shown", deck, piles, who, cards=(card,)),))
    if action.how == "play":
        piles = piles.move(card, hand, face_up)
        event = _moved("played", deck, piles, who, cards=(card,))
        return Outcome(_with(state, deck.id, piles), (event,))
    hidden = card in piles.cards_at(hand)
    piles = piles.move(card, hand if hidden else face_up, DISCARD_PILE, unseen=hidden)
    told = _moved("discarded", deck, piles, who)
    known = told.replace(cards=(card,))
    events = (known.replace(audience=Audience(people=(who,))), told) if hidden else (known,)
    return Outcome(_with(state, deck.id, piles), events)


def offer(state: TableState, action: actions.OfferCard, game: Game) -> Outcome:
    """Lay a card aside for somebody; only the two know of it.

    InvalidInput("offer-to-yourself"), and as `find_card`.
    """
    deck, who, to = deck_of(game, action.deck), action.who.id, action.to
    if to == who:
        raise InvalidInput("offer-to-yourself", field="to", value=None)
    piles = piles_of(state, deck.id)
    card = find_card(deck, piles.cards_at(hand_place(who)), action.card).id
    number = state.counters.offer + 1
    piles = piles.move(card, hand_place(who), f"{_OFFER}:{number}:{who}:{to}")
    only = Audience(people=(who,))
    mine = _moved("offered", deck, piles, who, only, cards=(card,), giver=who, to=to, offer=number)
    theirs = mine.replace(audience=Audience(people=(to,)), ping=(to,))
    changed = _with(state, deck.id, piles).replace(counters=state.counters.replace(offer=number))
    return Outcome(changed, (mine, theirs))


def answer_offer(state: TableState, action: actions.AnswerOffer, game: Game) -> Outcome:
    """Take the offered card, or have it go back to whoever offered it.

    Outdated("offer-gone"), NotPermitted("offer-not-yours").
    """
    deck, who = deck_of(game, action.deck), action.who.id
    piles = piles_of(state, deck.id)
    found = next((offer for offer in open_offers(piles) if offer.number == action.offer), None)
    if found is None:
        raise Outdated("offer-gone")
    if who != found.to and (action.accept or who != found.giver):
        raise NotPermitted("offer-not-yours")
    place = f"{_OFFER}:{found.number}:{found.giver}:{found.to}"
    piles = piles.move(found.card, place, hand_place(found.to if action.accept else found.giver))
    changed = _with(state, deck.id, piles)
    step = "taken" if action.accept else "returned"
    about = _moved(step, deck, piles, who, giver=found.giver, to=found.to, offer=found.number)
    if action.accept:
        mine = about.replace(audience=Audience(people=(who,)), cards=(found.card,))
        return Outcome(changed, (mine, about))
    people = (who,) if who == found.giver else (who, found.giver)
    event = about.replace(audience=Audience(people=people), ping=people[1:], cards=(found.card,))
    return Outcome(changed, (event,))


_STEPS: Final[dict[ShuffleWhat, CardsStep]] = {
    "draw": "shuffled",
    "discard": "reshuffled",
    "everything": "gathered",
}


def shuffle(state: TableState, action: actions.ShuffleDeck, game: Game) -> Outcome:
    """Shuffle the draw pile, with what belongs into it. Everybody may, but at a table only GMs
    empty the hands.

    NotPermitted("gm-only"), NotFound("unknown-deck").
    """
    deck, what = deck_of(game, action.deck), action.what
    if what == "everything" and game.system.playable:
        require_gm(state, action.who)
    before = piles_of(state, deck.id)
    if not before.places:
        piles, back = _fresh(deck, before, game.rng), 0
    else:
        piles = _gathered(before, what)
        back = len(piles.cards_at(DRAW_PILE)) - len(before.cards_at(DRAW_PILE))
        piles = piles.shuffle(DRAW_PILE, game.rng.shuffle, game.rng.sealed)
    event = _published(_moved(_STEPS[what], deck, piles, action.who.id, count=back), piles)
    return Outcome(_with(state, deck.id, piles), (event,))


def cards_before_shuffle(deck: Deck, before: Piles, what: ShuffleWhat) -> tuple[str, ...]:
    """The cards as they lie when a shuffle begins, the one on top first."""
    if not before.places:
        return tuple(card.id for card in deck.cards)
    return _gathered(before, what).cards_at(DRAW_PILE)


def require_new_deck(game: Game, deck: Deck) -> None:
    """Require that a deck can be brought to the table.

    Raises Impossible("deck-there", "too-many-decks").
    """
    known = decks_of(game)
    if deck.id in known or lookalike_key(deck.name) in {
        lookalike_key(other.name) for other in known.values()
    }:
        raise Impossible("deck-there", name=deck.name)
    if len(game.state.own_decks) >= DECKS_MAX:
        raise Impossible("too-many-decks", most=DECKS_MAX)


def import_deck(state: TableState, action: actions.ImportDeck, game: Game) -> Outcome:
    """Bring a deck. Raises as `read_deck` and `require_new_deck`; NotPermitted("gm-only")."""
    deck = read_deck(action.data)
    require_new_deck(game, deck)
    event = deck_notice(deck, action.who.id, there=True)
    return Outcome(state.replace(own_decks={**state.own_decks, deck.id: deck}), (event,))


def remove_deck(state: TableState, action: actions.RemoveDeck, game: Game) -> Outcome:
    """Take a deck away of which nobody holds a card.

    NotPermitted("gm-only"), Impossible("deck-not-own", "deck-in-use"), and as `deck_of`.
    """
    deck = deck_of(game, action.deck)
    if deck.id not in state.own_decks:
        raise Impossible("deck-not-own", name=deck.name)
    if any(place not in (DRAW_PILE, DISCARD_PILE) for place in piles_of(state, deck.id).places):
        raise Impossible("deck-in-use", name=deck.name)
    own = {key: other for key, other in state.own_decks.items() if key != deck.id}
    changed = state.replace(own_decks=own)
    if deck.id in state.decks:
        # What remains is how many shuffles everybody may compute: those must not come back.
        changed = _with(changed, deck.id, Piles({}, opened=state.decks[deck.id].opened))
    return Outcome(changed, (deck_notice(deck, action.who.id, there=False),))


def deck_notice(deck: Deck, by: str, *, there: bool) -> Notice:
    """Return the notice that a deck came to the table or was taken away."""
    told = {"deck": deck.id, "name": deck.name, "count": len(deck.cards)}
    return Notice("deck-there" if there else "deck-gone", told, by=by)
