"""Decks of cards, read from and written to JSON objects (docs/schemas/deck.schema.json)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final, cast

from rules.core.errors import InvalidInput, NotFound, Problems
from rules.core.json_reader import Reader, value_for_error
from rules.core.record import Record

#: Most cards in a deck.
CARDS_MAX: Final = 500
#: Longest texts in characters: ids of decks and of cards, names, and the text of a card.
ID_MAX: Final = 20
CARD_ID_MAX: Final = 40
NAME_MAX: Final = 80
TEXT_MAX: Final = 1000
#: Most further fields of a card, and the longest of them in characters.
FIELDS_MAX: Final = 12
FIELD_MAX: Final = 300
#: Keys of a deck, texts of a card with their longest, and keys of a card.
_DECK: Final = ("id", "name", "cards")
_TEXTS: Final = {
    "id": CARD_ID_MAX,
    "name": NAME_MAX,
    "rank": NAME_MAX,
    "suit": NAME_MAX,
    "text": TEXT_MAX,
}
_CARD: Final = (*_TEXTS, "fields", "copies")
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]*", re.ASCII)
_CARD_ID: Final = re.compile(r"[^\s:]+")


class Card(Record):
    """One card of a deck."""

    #: Short, and unique in its deck.
    id: str
    name: str
    #: Empty if the card has none.
    rank: str = ""
    #: Empty if the card has none.
    suit: str = ""
    #: The card's own words.
    text: str = ""
    #: Further fields, each a name and a text.
    fields: tuple[tuple[str, str], ...] = ()


class Deck(Record):
    """The cards of one kind of deck, in the order of the file."""

    id: str
    name: str
    cards: tuple[Card, ...]

    def card(self, card_id: str) -> Card:
        """Return the card of that id; raises NotFound("no-such-card")."""
        for card in self.cards:
            if card.id == card_id:
                return card
        raise NotFound("no-such-card", field="card", value=card_id, nearest=())


class _Reader(Reader):
    """Reader of the parts of a deck."""

    def text(self, field: str, value: object, most: int, *, lines: bool = False) -> str:
        """Return a text that can be kept and shown; on one line unless *lines* are allowed."""
        read = self.read_text(field, value, most)
        return read.strip() if lines else " ".join(read.split())

    def card(self, field: str, row: object) -> tuple[Card, int] | None:
        """Return a card and its number of copies; None for a row that is no object."""
        data = self.read_object(field, row)
        if data is None:
            return None
        self.note_unknown(data, _CARD, f"{field}.")
        texts = {
            key: self.text(f"{field}.{key}", data.get(key, ""), most, lines=key == "text")
            for key, most in _TEXTS.items()
        }
        if texts["id"] and not _CARD_ID.fullmatch(texts["id"]):
            self.problems.append(
                InvalidInput("bad-card-id", field=f"{field}.id", value=texts["id"])
            )
        if not texts["name"]:
            self.problems.append(
                InvalidInput("empty", field=f"{field}.name", value="", wanted="name")
            )
        fields = self.fields(f"{field}.fields", data.get("fields", {}))
        copies = self.read_number(f"{field}.copies", data.get("copies", 1), 1, CARDS_MAX)
        return Card(**texts, fields=fields), copies

    def fields(self, field: str, value: object) -> tuple[tuple[str, str], ...]:
        """Return the further fields of a card, each a name and a text."""
        rows = self.read_object(field, value) or {}
        if self.note_too_many(field, len(rows), FIELDS_MAX):
            return ()
        fields: list[tuple[str, str]] = []
        for key, content in rows.items():
            place = f"{field}.{value_for_error(key)}"
            name = self.text(place, key, NAME_MAX)
            if not name:
                self.problems.append(
                    InvalidInput("empty", field=field, value="", wanted="field-name")
                )
            fields.append((name, self.text(place, content, FIELD_MAX, lines=True)))
        return tuple(fields)


def _copies(card: Card, copies: int) -> Iterable[Card]:
    """Return the copies of a card, each with an id of its own: `wolf.1`, `wolf.2`, …"""
    if copies == 1:
        return (card,)
    return (card.replace(id=f"{card.id}.{number}") for number in range(1, copies + 1))


def read_deck(data: Mapping[str, object]) -> Deck:
    """Return the deck that a JSON object describes.

    Raises Problems("deck-problems") with all violations.
    """
    reader = _Reader()
    reader.note_unknown(data, _DECK, "")
    deck_id = reader.text("id", data.get("id", ""), ID_MAX)
    name = reader.text("name", data.get("name", ""), NAME_MAX)
    for field, value in (("id", deck_id), ("name", name)):
        if not value:
            reader.problems.append(InvalidInput("empty", field=field, value="", wanted="text"))
    if deck_id and not _ID.fullmatch(deck_id):
        reader.problems.append(InvalidInput("bad-deck-id", field="id", value=deck_id))
    rows = data.get("cards")
    rows = cast("list[object]", rows) if isinstance(rows, list) else []
    cards: dict[str, Card] = {}
    count = 0
    for number, row in enumerate(rows[: CARDS_MAX + 1]):
        if reader.is_full:
            break
        entry = reader.card(f"cards[{number}]", row)
        if entry is None:
            continue
        first_card, copies = entry
        count += copies
        place = f"cards[{number}].id"
        if not first_card.id:
            reader.problems.append(InvalidInput("empty", field=place, value="", wanted="own-id"))
            continue
        for card in _copies(first_card, copies) if count <= CARDS_MAX else ():
            if card.id in cards:
                reader.problems.append(
                    InvalidInput("deck-twice", field=place, value=card.id, wanted="own-id")
                )
                break
            if len(card.id) > CARD_ID_MAX:
                reader.read_text(place, card.id, CARD_ID_MAX)
                break
            cards[card.id] = card
    if not 1 <= max(count, len(rows)) <= CARDS_MAX:
        reader.problems.append(
            InvalidInput("deck-size", field="cards", value=None, lowest=1, highest=CARDS_MAX)
        )
    if reader.problems:
        raise Problems("deck-problems", reader.problems)
    return Deck(deck_id, name, tuple(cards.values()))


def write_deck(deck: Deck) -> dict[str, object]:
    """Return the deck as `read_deck` reads it, with every copy as a card of its own."""
    return {"id": deck.id, "name": deck.name, "cards": [_card_row(card) for card in deck.cards]}


def _card_row(card: Card) -> dict[str, object]:
    """Return a card as JSON has it, without empty texts."""
    texts = {
        "id": card.id,
        "name": card.name,
        "rank": card.rank,
        "suit": card.suit,
        "text": card.text,
    }
    row: dict[str, object] = {key: value for key, value in texts.items() if value}
    if card.fields:
        row["fields"] = dict(card.fields)
    return row


@cache
def standard_deck() -> Deck:
    """Return the 54 cards of a French deck: thirteen ranks in four suits, and two jokers."""
    text = files("rules.core.cards").joinpath("data/standard.json").read_text(encoding="utf-8")
    return read_deck(json.loads(text))
