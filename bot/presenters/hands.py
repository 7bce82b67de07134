"""Cards drawn, shown, played, offered; somebody's hand, and what lies where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bot.presenters.card import Button, Card, Picture
from bot.presenters.faces import faces
from bot.presenters.limits import BUTTON_LABEL, EMBED_TITLE, ROWS, clip
from bot.presenters.scene import Scene
from bot.presenters.text import listing, plural, user_text
from rules.core.cards import Deck
from rules.core.cards.piles import DISCARD, DRAW
from rules.table.decks import deck_of, hand_of, offers, open_of, piles_of
from rules.table.events import CardsMoved

#: The file that a picture of cards comes in.
PICTURE: Final = "cards.png"
_NOBODY_ELSE: Final = "Only you see this."


def _names(deck: Deck, cards: Iterable[str]) -> str:
    return listing(f"the {user_text(deck.card(each).name)}" for each in cards)


def _picture(deck: Deck, cards: Iterable[str]) -> Picture | None:
    shown = [deck.card(each) for each in cards]
    if not shown:
        return None
    return Picture(PICTURE, faces(shown), f"Cards: {listing(card.name for card in shown)}.")


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


def _offered(event: CardsMoved, scene: Scene, card: str) -> Card:
    giver, to = event.giver or "", event.to or ""
    name, mention = scene.names.name, scene.names.mention
    if event.audience.people == (to,):
        return Card(
            clip(f"{name(giver)} offers you {card}", EMBED_TITLE),
            f"Take it into your hand, or let {mention(giver)} keep it. There is no hurry. {_NOBODY_ELSE}",
            tone="secret",
            rows=_answers(event, scene, ("take", "Accept"), ("leave", "Decline")),
        )
    return Card(
        clip(f"You offer {name(to)} {card}", EMBED_TITLE),
        f"It lies aside until {mention(to)} has answered. Only the two of you know of it.",
        tone="secret",
        rows=_answers(event, scene, ("leave", "Take it back")),
    )


def _returned(event: CardsMoved, scene: Scene, card: str) -> Card:
    giver = event.giver or ""
    if event.by == giver:
        return Card(clip(f"Taken back: {card}", EMBED_TITLE), "It is in your hand again.", tone="secret")
    body = f"It is in the hand of {scene.names.mention(giver)} again. Only the two of you know of it."
    title = f"{scene.names.name(event.by)} does not take {card}"
    return Card(clip(title, EMBED_TITLE), body, tone="secret")


def cards_card(event: CardsMoved, scene: Scene) -> Card:
    """What was done with cards, as far as this audience may know which they are."""
    deck = deck_of(event.deck)
    who, names = scene.names.name(event.by), _names(deck, event.cards)
    if event.step == "offered":
        return _offered(event, scene, names)
    if event.step == "returned":
        return _returned(event, scene, names)
    mine = not event.audience.everyone
    body, tone = _holds(event, scene), "secret" if mine else "neutral"
    if event.step == "drawn":
        if mine:
            title = f"You draw {names}" if event.count == 1 else f"You draw {plural(event.count, 'card')}"
            text = f"{_capital(names)}.\n{body} {_NOBODY_ELSE}"
            return Card(clip(title, EMBED_TITLE), text, tone=tone, picture=_picture(deck, event.cards))
        title = f"{who} draws {'a card' if event.count == 1 else plural(event.count, 'card')}"
    elif event.step == "shown":
        title, body = f"{who} shows {names}", f"It stays in the hand of {scene.names.mention(event.by)}."
    elif event.step == "played":
        title, body = f"{who} plays {names}", f"It lies face up. {body}"
    elif event.step == "discarded":
        title = f"{'You discard' if mine else f'{who} discards'} {names or 'a card'}"
        body = f"The others do not learn which it was. {body}" if mine else body
    elif event.step == "taken":
        giver = scene.names.name(event.giver or "")
        title = f"You take {names}" if mine else f"{who} takes a card from {giver}"
    else:
        return _shuffled(event, scene)
    picture = _picture(deck, event.cards) if event.step in ("shown", "played") else None
    return Card(clip(title, EMBED_TITLE), body, tone=tone, picture=picture)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _shuffled(event: CardsMoved, scene: Scene) -> Card:
    title = {
        "shuffled": "The draw pile is shuffled",
        "reshuffled": "The discard pile is shuffled into the draw pile",
        "gathered": "All cards are back in the draw pile, shuffled",
    }[event.step]
    lines = [f"By {scene.names.mention(event.by)}. The draw pile has {plural(event.left, 'card')}."]
    if event.step != "shuffled":
        lines.insert(0, f"{_capital(plural(event.count, 'card'))} came back.")
    return Card(title, " ".join(lines))


def hand_card(scene: Scene, who: str, key: str) -> Card:
    """Somebody's own cards, for themselves."""
    deck, piles = deck_of(key), piles_of(scene.state, key)
    hand, face_up = piles.at(hand_of(who)), piles.at(open_of(who))
    lines = [
        f"{_capital(_names(deck, hand))}." if hand else "There is nothing in it. /draw-card draws a card."
    ]
    if face_up:
        lines.append(f"**Face up before you:** {_names(deck, face_up)}.")
    for offer in offers(piles):
        card = _names(deck, (offer.card,))
        if offer.giver == who:
            lines.append(f"Offered to {scene.names.mention(offer.to)}: {card}.")
        elif offer.to == who:
            lines.append(f"Offered to you by {scene.names.mention(offer.giver)}: {card}.")
    rows = tuple(
        (
            Button(
                f"sg:offer:{scene.table_id}:{key}:{offer.number}:take",
                clip(f"Accept {deck.card(offer.card).name}", BUTTON_LABEL),
            ),
            Button(f"sg:offer:{scene.table_id}:{key}:{offer.number}:leave", "Decline"),
        )
        for offer in [each for each in offers(piles) if each.to == who][:ROWS]
    )
    lines.append(_NOBODY_ELSE)
    title = f"Your hand: {plural(len(hand), 'card')}"
    return Card(title, "\n".join(lines), tone="secret", rows=rows, picture=_picture(deck, hand))


def deck_card(scene: Scene, key: str) -> Card:
    """What everybody may know: how many cards lie where, and which are face up."""
    deck, piles = deck_of(key), piles_of(scene.state, key)
    if not piles.places:
        return Card(
            deck.name,
            f"{plural(len(deck.cards), 'card')}, and nobody has drawn any yet. /draw-card draws one.",
        )
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
    return Card(deck.name, "\n".join(lines))


def gather_card(table_id: int, key: str) -> Card:
    """The question before every hand is emptied where nobody leads."""
    return Card(
        "Take all cards back?",
        "Every hand is emptied, and all cards are shuffled into the draw pile. "
        "To leave the hands as they are, use /deck reshuffle without `hands`.",
        tone="warning",
        rows=((Button(f"sg:gather:{table_id}:{key}", "Take all back", "danger"),),),
    )
