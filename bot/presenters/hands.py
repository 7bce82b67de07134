"""Cards drawn, shown, played, offered; somebody's hand, and what lies where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from bot.presenters.card_faces import can_draw, card_faces
from bot.presenters.controls import Button, Picture
from bot.presenters.layout import Accent, Beside, Layout, Piece, laid
from bot.presenters.limits import BUTTON_LABEL, ROW_BUTTONS, clip
from bot.presenters.scene import Scene
from bot.presenters.text import code_text, listing, plural, user_text
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
    return next((card for card in deck.cards if card.id == card_id), PlayingCard(card_id, card_id))


def card_name(deck: Deck, card_id: str) -> str:
    """`the queen of hearts`; cards of other decks by their names alone."""
    name = user_text(_find(deck, card_id).name)
    return f"the {name}" if deck.id == STANDARD else f"“{name}”"


def _names(deck: Deck, cards: Iterable[str]) -> str:
    return listing(card_name(deck, each) for each in cards)


def _wording(deck: Deck, cards: Iterable[str]) -> list[str]:
    """What stands on the cards that say something, each once."""
    lines: list[str] = []
    for card in dict.fromkeys(replace(_find(deck, each), id="") for each in cards):
        parts = [user_text(card.text, lines=True)] if card.text else []
        parts += [f"*{user_text(name)}:* {user_text(value, lines=True)}" for name, value in card.fields]
        if parts:
            lines.append(f"**{user_text(card.name)}** – {' · '.join(parts)}")
    return lines


def _picture(deck: Deck, cards: Iterable[str]) -> Picture | None:
    """The cards as a picture; none where a name cannot be drawn, since the text has it all."""
    shown = [_find(deck, each) for each in cards]
    if not shown or not all(map(can_draw, shown)):
        return None
    return Picture(PICTURE, card_faces(shown), f"Cards: {listing(card.name for card in shown)}.")


def _holds(event: CardsMoved, scene: Scene) -> str:
    left = f"{plural(event.left, 'card')} {'is' if event.left == 1 else 'are'} left in the draw pile"
    return f"{scene.names.mention(event.by)} now holds {plural(event.hand, 'card')}; {left}."


def _open(event: CardsMoved, scene: Scene) -> bool:
    """Whether the offer still waits for an answer."""
    waiting = offers(piles_of(scene.state, event.deck))
    return any(each.number == event.offer for each in waiting)


def _answers(event: CardsMoved, scene: Scene, *labels: tuple[str, str]) -> tuple[tuple[Button, ...], ...]:
    base = f"sg:offer:{scene.table_id}:{event.deck}:{event.offer}"
    buttons = (Button(f"{base}:{verb}", label) for verb, label in labels)
    return (tuple(buttons),) if _open(event, scene) else ()


def _offered(event: CardsMoved, scene: Scene, card: str) -> Layout:
    giver, to = event.giver or "", event.to or ""
    name, mention = scene.names.name, scene.names.mention
    if event.audience.people == (to,):
        return laid(
            "own",
            f"{name(giver)} offers you {card}",
            f"Take it into your hand, or let {mention(giver)} keep it. There is no hurry.",
            rows=_answers(event, scene, ("take", "Accept"), ("leave", "Decline")),
        )
    return laid(
        "own",
        f"You offer {name(to)} {card}",
        f"It lies aside until {mention(to)} has answered. Only the two of you know of it.",
        rows=_answers(event, scene, ("leave", "Take it back")),
    )


def _returned(event: CardsMoved, scene: Scene, card: str) -> Layout:
    giver = event.giver or ""
    if event.by == giver:
        return laid("own", f"Taken back: {card}", "It is in your hand again.")
    told = f"It is in the hand of {scene.names.mention(giver)} again. Only the two of you know of it."
    return laid("own", f"{scene.names.name(event.by)} does not take {card}", told)


def cards_card(event: CardsMoved, scene: Scene) -> Layout:
    """What was done with cards, as far as this audience may know which they are."""
    deck = _known_deck(scene.state, event.deck)
    who, names = scene.names.name(event.by), _names(deck, event.cards)
    if event.step == "offered":
        return _offered(event, scene, names)
    if event.step == "returned":
        return _returned(event, scene, names)
    mine = not event.audience.everyone
    accent: Accent = "own" if mine else "waiting"
    parts, small = [""], _holds(event, scene)
    picture = None
    if event.step == "drawn" and mine:
        head = f"You draw {names}" if event.count == 1 else f"You draw {plural(event.count, 'card')}"
        parts = ["" if event.count == 1 else f"{_capital(names)}.", *_wording(deck, event.cards)]
        picture = _picture(deck, event.cards)
    elif event.step == "drawn":
        head = f"{who} draws {'a card' if event.count == 1 else plural(event.count, 'card')}"
        parts = _fingerprint(event)
    elif event.step == "shown":
        head, small = f"{who} shows {names}", f"It stays in the hand of {scene.names.mention(event.by)}."
    elif event.step == "played":
        head, small = f"{who} plays {names}", f"It lies face up. {small}"
    elif event.step == "discarded":
        head = f"{'You discard' if mine else f'{who} discards'} {names or 'a card'}"
        parts = ["The others do not learn which it was." if mine else ""]
    elif event.step == "taken":
        giver = scene.names.name(event.giver or "")
        head = f"You take {names}" if mine else f"{who} takes a card from {giver}"
    else:
        return _shuffled(event, scene)
    if event.step in ("shown", "played"):
        parts, picture = _wording(deck, event.cards), _picture(deck, event.cards)
    return laid(accent, head, *parts, small=small, picture=picture)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _shuffled(event: CardsMoved, scene: Scene) -> Layout:
    title = {
        "shuffled": "The draw pile is shuffled",
        "reshuffled": "The discard pile is shuffled into the draw pile",
        "gathered": "All cards are back in the draw pile, shuffled",
    }[event.step]
    lines = [f"By {scene.names.mention(event.by)}. The draw pile has {plural(event.left, 'card')}."]
    if event.step != "shuffled":
        lines.insert(0, f"{_capital(plural(event.count, 'card'))} came back.")
    return laid("waiting", title, " ".join(lines), *_fingerprint(event))


def _fingerprint(event: CardsMoved) -> list[str]:
    """What is published of the order that the cards were brought into."""
    if not event.commitment:
        return []
    return [f"Fingerprint of this order (SHA-256): {code_text(event.commitment)}"]


def deck_changed_card(event: DeckChanged, scene: Scene) -> Layout:
    """A deck came to the table, or was taken away."""
    by, name = scene.names.mention(event.by), user_text(event.name)
    if not event.there:
        return laid("waiting", f"No longer here: {name}", f"{by} took this deck of cards away.")
    how = (
        f"`/draw-card deck:{event.deck}` draws from it; `/deck info deck:{event.deck}` shows what lies where."
    )
    told = f"{by} brought a deck of {plural(event.count, 'card')}. {how}"
    return laid("good", f"A deck of cards: {name}", told)


def hand_card(scene: Scene, who: str, key: str) -> Layout:
    """Somebody's own cards, for themselves; what is offered to them has its button beside it."""
    deck = deck_of(look(scene.state), key)
    key, piles = deck.id, piles_of(scene.state, deck.id)
    hand, face_up = piles.at(hand_of(who)), piles.at(open_of(who))
    parts: list[str | Piece] = [
        f"{_capital(_names(deck, hand))}." if hand else "There is nothing in it. /draw-card draws a card.",
        *_wording(deck, hand),
    ]
    if face_up:
        parts.append(f"**Face up before you:** {_names(deck, face_up)}.")
    picture = _picture(deck, hand)
    if picture is not None:
        parts.append(picture)
    declining: list[Button] = []
    for offer in offers(piles):
        card = _names(deck, (offer.card,))
        if offer.giver == who:
            parts.append(f"Offered to {scene.names.mention(offer.to)}: {card}.")
        elif offer.to == who:
            told, number = f"Offered to you by {scene.names.mention(offer.giver)}: {card}.", len(declining)
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
    if not piles.places:
        told = f"{plural(len(deck.cards), 'card')}, and nobody has drawn any yet. /draw-card draws one."
        return laid("own", user_text(deck.name), told)
    lines = [f"**Draw pile:** {plural(len(piles.at(DRAW)), 'card')}"]
    lines.append(f"**Discard pile:** {plural(len(piles.at(DISCARD)), 'card')}")
    for place, cards in sorted(piles.places.items()):
        kind, _, who = place.partition(":")
        if kind == "hand":
            lines.append(f"{scene.names.mention(who)} holds {plural(len(cards), 'card')}.")
        elif kind == "open":
            lines.append(f"Face up before {scene.names.mention(who)}: {_names(deck, cards)}.")
    aside = len(offers(piles))
    if aside:
        lines.append(
            f"{_capital(plural(aside, 'card'))} {'is' if aside == 1 else 'are'} offered to somebody."
        )
    return laid("own", user_text(deck.name), *lines)


def gather_card(table_id: int, key: str) -> Layout:
    """The question before every hand is emptied where nobody leads."""
    return laid(
        "waiting",
        "Take all cards back?",
        "Every hand is emptied, and all cards are shuffled into the draw pile. "
        "To leave the hands as they are, use /deck reshuffle without `hands`.",
        rows=((Button(f"sg:gather:{table_id}:{key}", "Take all back", "danger"),),),
    )
