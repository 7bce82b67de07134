"""Cards and decks in words: what cannot be drawn, moved or read."""

from __future__ import annotations

from typing import Final

from bot.presenters.text import Said, Template, plural


def _too_small(said: Said) -> str:
    left = said.number("left")
    there = f"{plural(left, 'card')} {'lies' if left == 1 else 'lie'} there"
    wanted = said.number("wanted")
    return (
        f"There are not enough cards: {there}, {wanted} {'is' if wanted == 1 else 'are'} wanted. Take fewer, "
        "or bring the discard pile back with /deck reshuffle."
    )


DECKS: Final[dict[str, Template]] = {
    "pile-too-small": _too_small,
    "unknown-deck": "There is no deck called {quoted} here.",
    "ambiguous-deck": "{quoted} could be {allowed}. Write more of the name.",
    "deck-there": "This table has a deck of that id or name already: {name}. Change them in the file, or take that "
    "deck away with /deck remove first.",
    "too-many-decks": "This table has {most} decks of its own already. Take one away with /deck remove first.",
    "deck-not-own": "{name} was not brought by this table, so it cannot be taken away.",
    "deck-in-use": "Somebody has cards of {name}, or was offered one. Have them all back first, with /deck reshuffle "
    "and `hands`.",
    "order-open": "That would put the cards of {name} back into an order that everybody can compute by now, hands "
    "included. Have them all back and shuffled anew instead, with /deck reshuffle and `hands`.",
    "bad-deck-id": "{quoted} is no id for a deck. Use small letters a to z, digits and hyphens.",
    "bad-card-id": "{quoted} is no id for a card. Use no spaces and no colons.",
    "card-not-in-hand": lambda said: (
        f"You do not hold the card {said.quoted()}."
        if said.items("nearest")
        else "You hold no card that could be used so. /draw-card draws one, /card hand shows what you have."
    ),
    "ambiguous-card": "{quoted} could be {allowed}. Write more of the name.",
    "offer-to-yourself": "That is you. Offer the card to somebody else.",
    "offer-gone": "That offer is over: it was answered, or the card was taken back. /card hand shows what you hold.",
    "offer-not-yours": "Only whoever a card is offered to can take it.",
    "card-not-there": "The card {quoted} does not lie there.",
    "no-such-card": "{quoted} is no card of this deck.",
    "deck-problems": "This is no deck that can be used.",
    "deck-size": "a deck has {lowest} to {highest} cards, as a list of objects",
    "deck-twice": "{quoted} stands for another card already",
}
