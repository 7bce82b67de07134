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

#: Id of the deck that every table has.
STANDARD_DECK: Final = "standard"
#: Most own decks of one table.
DECKS_MAX: Final = 10
#: Beginning of the places of offered cards; number, giver and receiver follow.
_OFFER: Final = "offer"


class Offer(Record):
    """A card that lies aside until its offer is answered."""

    number: int
    #: Participant who offers the card.
    giver: str
    #: Participant who may take it.
    to: str
    #: Id of the card.
    card: str


def decks_of(game: Game) -> dict[str, Deck]:
    """Return the decks of a table by id: the standard one, its own ones, and the system's."""
    decks = {STANDARD_DECK: standard_deck(), **game.state.own_decks}
    ruled = system_deck(game)
    if ruled is not None:
        decks[ruled.id] = ruled
    return decks


def system_deck(game: Game, text: str = STANDARD_DECK) -> Deck | None:
    """Return the deck whose cards move only as the system says, if a text means it.

    The system's deck is also meant where no deck is named. None otherwise.
    """
    deck = None if game.system.cards is None else game.system.cards.deck(game)
    if deck is None or text == STANDARD_DECK:
        return deck
    return deck if deck_of(game, text).id == deck.id else None


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
    offers: list[Offer] = []
    for place, cards in piles.places.items():
        if place.startswith(_OFFER):
            _, number, giver, to = place.split(":")
            offers.append(Offer(int(number), giver, to, cards[0]))
    return tuple(sorted(offers, key=lambda offer: offer.number))


def find_card(deck: Deck, cards: Iterable[str], text: str) -> Card:
    """Return one of these cards by its id, its name or the beginning of its name.

    An id of the deck means no card whose name begins like it.

    Raises NotFound("card-not-in-hand") with the nearest names, InvalidInput("ambiguous-card").
    """
    pool = [deck.card(card) for card in cards]
    for card in deck.cards:
        if name_key(card.id) == name_key(text):
            if card in pool:
                return card
            # The text is the id of a card that isn't among these, so it means no other card.
            pool.clear()
    # Copies of a card are equal but for the id: any of them will do.
    distinct = {card.replace(id=""): card for card in reversed(pool)}
    return find_one(
        [*reversed(distinct.values())],
        text,
        field="card",
        unknown="card-not-in-hand",
        ambiguous="ambiguous-card",
    )


def _new_piles(deck: Deck, before: Piles, rng: Streams) -> Piles:
    """Return the piles with all cards shuffled into the draw pile.

    The number of orders that players may compute is kept from *before*.
    """
    cards = tuple(card.id for card in deck.cards)
    piles = Piles({DRAW_PILE: cards}, opened=before.opened)
    return piles.shuffle(DRAW_PILE, rng.shuffle, rng.sealed)


def _with_commitment(event: CardsMoved, piles: Piles) -> CardsMoved:
    """Return the event with the number of the cards' order, and the commitment to its seed."""
    if not piles.sealed:
        # A participant who has seen the only card knows the order.
        return event.replace(order=piles.opened)
    return event.replace(order=piles.sealed[-1].number, commitment=piles.sealed[-1].commitment)


def _with_piles(state: TableState, key: str, piles: Piles) -> TableState:
    return state.replace(decks={**state.decks, key: piles})


def _cards_event(
    step: CardsStep, deck: Deck, piles: Piles, who: str, audience: Audience = EVERYONE, **more: Any
) -> CardsMoved:
    """Return the event of a step with cards; *more* are further fields."""
    fields: dict[str, Any] = {
        "count": 1,
        "hand": len(piles.cards_at(hand_place(who))),
        "left": len(piles.cards_at(DRAW_PILE)),
        **more,
    }
    return CardsMoved(audience=audience, step=step, deck=deck.id, by=who, **fields)


def _gather_for_shuffle(piles: Piles, what: ShuffleWhat) -> Piles:
    """Return the piles with all cards to shuffle in the draw pile."""
    if what == "draw":
        return piles
    return piles.gather(DRAW_PILE, lambda place: what == "everything" or place == DISCARD_PILE)


def draw(state: TableState, action: actions.DrawCards, game: Game) -> Outcome:
    """Draw the top cards into the actor's hand; the first draw has the deck shuffled.

    All participants read how many cards were drawn, only the actor which ones.

    Raises InvalidInput("out-of-range"), Impossible("pile-too-small"), NotFound("unknown-deck").
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
        before = _new_piles(deck, before, game.rng)
    piles, cards = before.deal(DRAW_PILE, hand_place(who), action.count)
    public = _cards_event("drawn", deck, piles, who, count=len(cards))
    private = public.replace(audience=Audience(people=(who,)), cards=cards)
    if first:
        public = _with_commitment(public, before)
    return Outcome(_with_piles(state, deck.id, piles), (private, public))


def play(state: TableState, action: actions.PlayCard, game: Game) -> Outcome:
    """Show a card, play it face up, or discard it.

    The other participants don't learn which card was discarded from the hand.

    Raises as `find_card`.
    """
    deck, who = deck_of(game, action.deck), action.who.id
    piles = piles_of(state, deck.id)
    hand, face_up = hand_place(who), open_place(who)
    cards = piles.cards_at(hand)
    if action.how == "discard":
        cards = (*cards, *piles.cards_at(face_up))
    card = find_card(deck, cards, action.card).id
    if action.how == "show":
        return Outcome(state, (_cards_event("shown", deck, piles, who, cards=(card,)),))
    if action.how == "play":
        piles = piles.move(card, hand, face_up)
        event = _cards_event("played", deck, piles, who, cards=(card,))
        return Outcome(_with_piles(state, deck.id, piles), (event,))
    hidden = card in piles.cards_at(hand)
    piles = piles.move(card, hand if hidden else face_up, DISCARD_PILE, unseen=hidden)
    changed = _with_piles(state, deck.id, piles)
    unnamed = _cards_event("discarded", deck, piles, who)
    named = unnamed.replace(cards=(card,))
    if not hidden:
        return Outcome(changed, (named,))
    return Outcome(changed, (named.replace(audience=Audience(people=(who,))), unnamed))


def offer(state: TableState, action: actions.OfferCard, game: Game) -> Outcome:
    """Lay a card aside for another participant; only the two know of it.

    Raises InvalidInput("offer-to-yourself"), and as `find_card`.
    """
    deck, who, to = deck_of(game, action.deck), action.who.id, action.to
    if to == who:
        raise InvalidInput("offer-to-yourself", field="to", value=None)
    piles = piles_of(state, deck.id)
    card = find_card(deck, piles.cards_at(hand_place(who)), action.card).id
    number = state.counters.offer + 1
    piles = piles.move(card, hand_place(who), f"{_OFFER}:{number}:{who}:{to}")
    fields = {"cards": (card,), "giver": who, "to": to, "offer": number}
    for_giver = _cards_event("offered", deck, piles, who, Audience(people=(who,)), **fields)
    for_receiver = for_giver.replace(audience=Audience(people=(to,)), ping=(to,))
    changed = _with_piles(state, deck.id, piles)
    changed = changed.replace(counters=state.counters.replace(offer=number))
    return Outcome(changed, (for_giver, for_receiver))


def answer_offer(state: TableState, action: actions.AnswerOffer, game: Game) -> Outcome:
    """Accept an offered card, or return it to the giver.

    Raises Outdated("offer-gone"), NotPermitted("offer-not-yours").
    """
    deck, who = deck_of(game, action.deck), action.who.id
    piles = piles_of(state, deck.id)
    offers = {offer.number: offer for offer in open_offers(piles)}
    answered = offers.get(action.offer)
    if answered is None:
        raise Outdated("offer-gone")
    giver, to, card = answered.giver, answered.to, answered.card
    if who != to and (action.accept or who != giver):
        raise NotPermitted("offer-not-yours")
    place = f"{_OFFER}:{answered.number}:{giver}:{to}"
    piles = piles.move(card, place, hand_place(to if action.accept else giver))
    changed = _with_piles(state, deck.id, piles)
    step = "taken" if action.accept else "returned"
    event = _cards_event(step, deck, piles, who, giver=giver, to=to, offer=answered.number)
    if action.accept:
        private = event.replace(audience=Audience(people=(who,)), cards=(card,))
        return Outcome(changed, (private, event))
    people = (who,) if who == giver else (who, giver)
    event = event.replace(audience=Audience(people=people), ping=people[1:], cards=(card,))
    return Outcome(changed, (event,))


_STEPS: Final[dict[ShuffleWhat, CardsStep]] = {
    "draw": "shuffled",
    "discard": "reshuffled",
    "everything": "gathered",
}


def shuffle(state: TableState, action: actions.ShuffleDeck, game: Game) -> Outcome:
    """Shuffle the draw pile, alone or with other cards. At a table, only GMs may empty the hands.

    Raises NotPermitted("gm-only"), NotFound("unknown-deck").
    """
    deck, what = deck_of(game, action.deck), action.what
    if what == "everything" and game.system.playable:
        require_gm(state, action.who)
    before = piles_of(state, deck.id)
    if not before.places:
        piles, returned = _new_piles(deck, before, game.rng), 0
    else:
        piles = _gather_for_shuffle(before, what)
        returned = len(piles.cards_at(DRAW_PILE)) - len(before.cards_at(DRAW_PILE))
        piles = piles.shuffle(DRAW_PILE, game.rng.shuffle, game.rng.sealed)
    event = _cards_event(_STEPS[what], deck, piles, action.who.id, count=returned)
    return Outcome(_with_piles(state, deck.id, piles), (_with_commitment(event, piles),))


def cards_before_shuffle(deck: Deck, before: Piles, what: ShuffleWhat) -> tuple[str, ...]:
    """Return the cards in the order in which a shuffle begins, the top one first."""
    if not before.places:
        return tuple(card.id for card in deck.cards)
    return _gather_for_shuffle(before, what).cards_at(DRAW_PILE)


def require_new_deck(game: Game, deck: Deck) -> None:
    """Require that a deck can be brought to the table.

    Raises Impossible("deck-there", "too-many-decks").
    """
    known = decks_of(game)
    names = {lookalike_key(other.name) for other in known.values()}
    if deck.id in known or lookalike_key(deck.name) in names:
        raise Impossible("deck-there", name=deck.name)
    if len(game.state.own_decks) >= DECKS_MAX:
        raise Impossible("too-many-decks", most=DECKS_MAX)


def import_deck(state: TableState, action: actions.ImportDeck, game: Game) -> Outcome:
    """Bring a deck to the table. Raises as `read_deck` and `require_new_deck`."""
    deck = read_deck(action.data)
    require_new_deck(game, deck)
    event = deck_notice(deck, action.who.id, there=True)
    return Outcome(state.replace(own_decks={**state.own_decks, deck.id: deck}), (event,))


def remove_deck(state: TableState, action: actions.RemoveDeck, game: Game) -> Outcome:
    """Remove a deck of which no participant holds a card.

    Raises Impossible("deck-not-own", "deck-in-use"), and as `deck_of`.
    """
    deck = deck_of(game, action.deck)
    if deck.id not in state.own_decks:
        raise Impossible("deck-not-own", name=deck.name)
    if any(place not in (DRAW_PILE, DISCARD_PILE) for place in piles_of(state, deck.id).places):
        raise Impossible("deck-in-use", name=deck.name)
    own = {key: other for key, other in state.own_decks.items() if key != deck.id}
    changed = state.replace(own_decks=own)
    if deck.id in state.decks:
        # Keep the number of orders that players may compute: such an order must not come back.
        changed = _with_piles(changed, deck.id, Piles({}, opened=state.decks[deck.id].opened))
    return Outcome(changed, (deck_notice(deck, action.who.id, there=False),))


def deck_notice(deck: Deck, by: str, *, there: bool) -> Notice:
    """Return the notice that a deck was brought to the table, or removed."""
    params = {"deck": deck.id, "name": deck.name, "count": len(deck.cards)}
    return Notice("deck-there" if there else "deck-gone", params, by=by)
