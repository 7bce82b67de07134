"""Cards drawn, shown, played, offered; somebody's hand, and what lies where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from bot.presenters.card_faces import can_draw, card_faces
from bot.presenters.cards import card
from bot.presenters.controls import Button, Picture
from bot.presenters.layout import Beside, Layout, Piece, laid
from bot.presenters.limits import BUTTON_LABEL, ROW_BUTTONS, clip
from bot.presenters.scene import Scene
from bot.presenters.text import Marked, capital, listing, plural, user_text
from rules.core.cards import Card as PlayingCard
from rules.core.cards import Deck
from rules.core.cards.piles import DISCARD, DRAW
from rules.registry import look
from rules.table.cards import STANDARD, deck_of, decks_of, hand_of, offers, open_of, piles_of
from rules.table.events import CardsMoved, DeckChanged
from rules.table.state import TableState

#: The file that a picture of cards comes in.
PICTURE: Final = "cards.png"


def _known_deck(state: TableState, key: str) -> Deck:
    """The deck an event tells of, also when it was taken away since."""
    return decks_of(look(state)).get(key) or Deck(key, key, ())


def _find(deck: Deck, card_id: str) -> PlayingCard:
    """A card of the deck; by its bare id where the deck has none of that id any more."""
    return next((each for each in deck.cards if each.id == card_id), PlayingCard(card_id, card_id))


def _names(deck: Deck, cards: Iterable[str]) -> str:
    """`the queen of hearts and the two of clubs`; cards of other decks by their names alone."""
    names = [user_text(_find(deck, each).name) for each in cards]
    return listing(f"the {name}" if deck.id == STANDARD else f"“{name}”" for name in names)


def _wording(deck: Deck, cards: Iterable[str]) -> list[str]:
    """What stands on the cards that say something, each once."""
    lines: list[str] = []
    for one in dict.fromkeys(replace(_find(deck, each), id="") for each in cards):
        parts = [user_text(one.text, lines=True)] if one.text else []
        parts += [f"*{user_text(name)}:* {user_text(value, lines=True)}" for name, value in one.fields]
        if parts:
            lines.append(f"**{user_text(one.name)}** – {' · '.join(parts)}")
    return lines


def _picture(deck: Deck, cards: Iterable[str]) -> Picture | None:
    """The cards as a picture; none where a name cannot be drawn, since the text has it all."""
    shown = [_find(deck, each) for each in cards]
    if not shown or not all(map(can_draw, shown)):
        return None
    return Picture(PICTURE, card_faces(shown), f"Cards: {listing(each.name for each in shown)}.")


def _offer_card(event: CardsMoved, scene: Scene, names: Marked) -> Layout:
    """For whoever is offered a card, and for whoever offers it; with buttons while it waits for an answer."""
    code, verbs = "card-offering", (("leave", "Withdraw offer"),)
    if event.audience.people == (event.to,):
        code, verbs = "card-offered", (("take", "Accept"), ("leave", "Decline"))
    base = f"sg:offer:{scene.table_id}:{event.deck}:{event.offer}"
    buttons = tuple([Button(f"{base}:{verb}", label) for verb, label in verbs])
    waits = any(each.number == event.offer for each in offers(piles_of(scene.state, event.deck)))
    rows = (buttons,) if waits else ()
    return card("own", code, scene.names, about=event, cards=names, rows=rows)


def cards_card(event: CardsMoved, scene: Scene) -> Layout:
    """What was done with cards, as far as this audience may know which they are."""
    deck = _known_deck(scene.state, event.deck)
    names, mine = Marked(_names(deck, event.cards)), not event.audience.everyone
    if event.step == "offered":
        return _offer_card(event, scene, names)
    code, accent = f"cards-{event.step}", "own" if mine else "waiting"
    parts: list[str] = []
    picture = None
    if event.step in ("shuffled", "reshuffled", "gathered"):
        code, accent = "cards-shuffled", "waiting"
    elif event.step == "returned":
        accent = "own"
    elif event.step == "drawn" and mine:
        code = "cards-drawn-by-you"
    if code in ("cards-drawn-by-you", "cards-shown", "cards-played"):
        parts, picture = _wording(deck, event.cards), _picture(deck, event.cards)
    told = {"cards": names, "mine": mine, "own": event.by == event.giver}
    return card(accent, code, scene.names, *parts, about=event, picture=picture, **told)


def deck_changed_card(event: DeckChanged, scene: Scene) -> Layout:
    """A deck came to the table, or was taken away."""
    accent, code = ("good", "deck-there") if event.there else ("waiting", "deck-gone")
    return card(accent, code, scene.names, about=event)


def hand_card(scene: Scene, who: str, key: str) -> Layout:
    """Somebody's own cards, for themselves; what is offered to them has its button beside it."""
    deck = deck_of(look(scene.state), key)
    key, piles = deck.id, piles_of(scene.state, deck.id)
    hand, face_up = piles.at(hand_of(who)), piles.at(open_of(who))
    parts: list[str | Piece] = [
        f"{capital(_names(deck, hand))}." if hand else "Your hand is empty. /draw-card draws a card.",
        *_wording(deck, hand),
    ]
    if face_up:
        parts.append(f"**Face up in front of you:** {_names(deck, face_up)}.")
    picture = _picture(deck, hand)
    if picture is not None:
        parts.append(picture)
    declining: list[Button] = []
    for offer in offers(piles):
        offered = _names(deck, (offer.card,))
        if offer.giver == who:
            parts.append(f"Offered to {scene.names.mention(offer.to)}: {offered}.")
        elif offer.to == who:
            told, number = f"Offered by {scene.names.mention(offer.giver)}: {offered}.", len(declining)
            if number == ROW_BUTTONS:
                parts.append(told)
                continue
            name, base = _find(deck, offer.card).name, f"sg:offer:{scene.table_id}:{key}:{offer.number}"
            parts.append(Beside(told, Button(f"{base}:take", clip(f"Accept {name}", BUTTON_LABEL))))
            declining.append(Button(f"{base}:leave", clip(f"Decline {name}", BUTTON_LABEL)))
    title = f"Your hand: {plural(len(hand), 'card')}"
    if deck.id != STANDARD:
        title = f"{title} · {user_text(deck.name)}"
    return laid("own", title, *parts, rows=(tuple(declining),) if declining else ())


def deck_card(scene: Scene, key: str) -> Layout:
    """What everybody may know: how many cards lie where, and which are face up."""
    deck = deck_of(look(scene.state), key)
    piles = piles_of(scene.state, deck.id)
    name, names = deck.name, scene.names
    if not piles.places:
        return card("own", "deck-untouched", None, name=name, count=len(deck.cards))
    lines: list[str] = []
    for place, cards in sorted(piles.places.items()):
        kind, _, who = place.partition(":")
        if kind == "hand":
            lines.append(f"{names.mention(who)} holds {plural(len(cards), 'card')}.")
        elif kind == "open":
            lines.append(f"Face up in front of {names.mention(who)}: {_names(deck, cards)}.")
    draw, discard, aside = len(piles.at(DRAW)), len(piles.at(DISCARD)), len(offers(piles))
    return card("own", "deck", None, *lines, name=name, draw=draw, discard=discard, aside=aside)
