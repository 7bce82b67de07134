"""Which cards there are: a deck is a JSON object with an id, a name and its cards
(docs/schemas/deck.schema.json).
"""

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

#: Most cards in a deck, and longest texts in characters: ids of decks and of cards, names, what a
#: card says.
CARDS_MAX: Final = 500
ID_MAX: Final = 20
CARD_ID_MAX: Final = 40
NAME_MAX: Final = 80
TEXT_MAX: Final = 1000
#: Most further fields of a card, and longest of them.
FIELDS_MAX: Final = 12
FIELD_MAX: Final = 300
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
    """One card. `id` is short and unique in its deck; `rank` and `suit` may be empty; `text` is
    what it says.

    `fields` is what else stands on it, each with its name.
    """

    id: str
    name: str
    rank: str = ""
    suit: str = ""
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class Deck(Record):
    """The cards of one kind of deck, in the order of the file."""

    id: str
    name: str
    cards: tuple[Card, ...]

    def card(self, card_id: str) -> Card:
        """The card of that id; NotFound("no-such-card")."""
        found = next((card for card in self.cards if card.id == card_id), None)
        if found is None:
            raise NotFound("no-such-card", field="card", value=card_id, nearest=())
        return found


class _Reader(Reader):
    """Reads the parts of a deck."""

    def text(self, field: str, value: object, most: int, *, lines: bool = False) -> str:
        """A text that can be kept and shown; on one line unless it may have several."""
        read = self.read_text(field, value, most)
        return read.strip() if lines else " ".join(read.split())

    def card(self, field: str, row: object) -> tuple[Card, int] | None:
        """A card and how many there are of it."""
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
        """What else stands on a card."""
        rows = self.read_object(field, value) or {}
        if self.note_too_many(field, len(rows), FIELDS_MAX):
            return ()
        found: list[tuple[str, str]] = []
        for key, each in rows.items():
            place = f"{field}.{value_for_error(key)}"
            name = self.text(place, key, NAME_MAX)
            if not name:
                self.problems.append(
                    InvalidInput("empty", field=field, value="", wanted="field-name")
                )
            found.append((name, self.text(place, each, FIELD_MAX, lines=True)))
        return tuple(found)


def _each(card: Card, copies: int) -> Iterable[Card]:
    """The copies of a card, each with an id of its own: `wolf.1`, `wolf.2`, …"""
    if copies == 1:
        return (card,)
    return (card.replace(id=f"{card.id}.{number}") for number in range(1, copies + 1))


def read_deck(data: Mapping[str, object]) -> Deck:
    """A deck from its JSON object. Raises Problems("deck-problems") with everything that is
    wrong.
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
        read = reader.card(f"cards[{number}]", row)
        if read is None:
            continue
        count += read[1]
        place = f"cards[{number}].id"
        if not read[0].id:
            reader.problems.append(InvalidInput("empty", field=place, value="", wanted="own-id"))
            continue
        for card in _each(*read) if count <= CARDS_MAX else ():
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
    """The deck as `read_deck` reads it, every card by itself."""
    return {"id": deck.id, "name": deck.name, "cards": [_written(card) for card in deck.cards]}


def _written(card: Card) -> dict[str, object]:
    texts = {
        "id": card.id,
        "name": card.name,
        "rank": card.rank,
        "suit": card.suit,
        "text": card.text,
    }
    found: dict[str, object] = {key: value for key, value in texts.items() if value}
    return {**found, "fields": dict(card.fields)} if card.fields else found


@cache
def standard_deck() -> Deck:
    """The 54 cards of a French deck: thirteen ranks in four suits, and two jokers."""
    text = files("rules.core.cards").joinpath("data/standard.json").read_text(encoding="utf-8")
    return read_deck(json.loads(text))
