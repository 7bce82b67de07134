"""Which cards there are: a deck is a JSON object with an id, a name and its cards (docs/schemas/deck.schema.json)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Final, cast

from rules.core.errors import InvalidInput, NotFound, Problems, RulesError

#: Most cards in a deck, and longest texts in characters: ids of decks and of cards, names, what a card says.
CARDS_MAX: Final = 500
ID_MAX: Final = 20
CARD_ID_MAX: Final = 40
NAME_MAX: Final = 80
TEXT_MAX: Final = 1000
#: Most further fields of a card, and longest of them.
FIELDS_MAX: Final = 12
FIELD_MAX: Final = 300
_DECK: Final = ("id", "name", "cards")
_TEXTS: Final = {"id": CARD_ID_MAX, "name": NAME_MAX, "rank": NAME_MAX, "suit": NAME_MAX, "text": TEXT_MAX}
_CARD: Final = (*_TEXTS, "fields", "copies")
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]*", re.ASCII)
_CARD_ID: Final = re.compile(r"[^\s:]+")
_UNPRINTABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Card:
    """One card. `id` is short and unique in its deck; `rank` and `suit` may be empty; `text` is what it says.

    `fields` is what else stands on it, each with its name.
    """

    id: str
    name: str
    rank: str = ""
    suit: str = ""
    text: str = ""
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Deck:
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


class _Reader:
    """Reads the parts of a deck and keeps everything that is wrong with them."""

    def __init__(self) -> None:
        self.problems: list[RulesError] = []

    def refuse(self, error: RulesError) -> None:
        """One more problem."""
        self.problems.append(error)

    def known(self, data: Mapping[str, object], path: str, allowed: tuple[str, ...]) -> None:
        """No other fields than these."""
        for key in data:
            if key not in allowed:
                name = _shown(key)
                field = f"{path}.{name}" if path else name
                self.refuse(
                    InvalidInput("unknown-field", field=field, value=name, allowed=allowed, nearest=())
                )

    def text(self, value: object, path: str, most: int, *, lines: bool = False) -> str:
        """A text that can be kept and shown; on one line unless it may have several."""
        if not isinstance(value, str):
            self.refuse(InvalidInput("wrong-type", field=path, value=_shown(value), allowed=("text",)))
            return ""
        if len(value) > most:
            self.refuse(
                InvalidInput("too-long", field=path, value=_shown(value), length=len(value), highest=most)
            )
            return value[:most]
        if _UNPRINTABLE.search(value):
            self.refuse(InvalidInput("unprintable-text", field=path, value=_shown(value)))
            return ""
        return value.strip() if lines else " ".join(value.split())

    def card(self, row: object, path: str) -> tuple[Card, int] | None:
        """A card and how many there are of it."""
        if not isinstance(row, dict):
            self.refuse(InvalidInput("wrong-type", field=path, value=_shown(row), allowed=("an object",)))
            return None
        data = cast("Mapping[str, object]", row)
        self.known(data, path, _CARD)
        texts = {
            key: self.text(data.get(key, ""), f"{path}.{key}", most, lines=key == "text")
            for key, most in _TEXTS.items()
        }
        if texts["id"] and not _CARD_ID.fullmatch(texts["id"]):
            self.refuse(InvalidInput("bad-card-id", field=f"{path}.id", value=texts["id"]))
        if not texts["name"]:
            self.refuse(InvalidInput("empty", field=f"{path}.name", value="", wanted="name"))
        fields = self.fields(data.get("fields", {}), f"{path}.fields")
        return Card(**texts, fields=fields), self.copies(data.get("copies", 1), f"{path}.copies")

    def fields(self, value: object, path: str) -> tuple[tuple[str, str], ...]:
        """What else stands on a card."""
        if not isinstance(value, dict):
            self.refuse(InvalidInput("wrong-type", field=path, value=_shown(value), allowed=("an object",)))
            return ()
        rows = cast("dict[str, object]", value)
        if len(rows) > FIELDS_MAX:
            self.refuse(
                InvalidInput("out-of-range", field=path, value=len(rows), lowest=0, highest=FIELDS_MAX)
            )
            return ()
        found: list[tuple[str, str]] = []
        for key, each in rows.items():
            name = self.text(key, f"{path}.{_shown(key)}", NAME_MAX)
            if not name:
                self.refuse(InvalidInput("empty", field=path, value="", wanted="field-name"))
            found.append((name, self.text(each, f"{path}.{_shown(key)}", FIELD_MAX, lines=True)))
        return tuple(found)

    def copies(self, value: object, path: str) -> int:
        """How many there are of a card."""
        if not isinstance(value, int) or isinstance(value, bool):
            self.refuse(
                InvalidInput("wrong-type", field=path, value=_shown(value), allowed=("whole number",))
            )
            return 1
        if not 1 <= value <= CARDS_MAX:
            self.refuse(
                InvalidInput("out-of-range", field=path, value=_shown(value), lowest=1, highest=CARDS_MAX)
            )
            return 1
        return value


def _shown(value: object) -> str:
    return str(value)[:100].encode("utf-8", "replace").decode()


def _each(card: Card, copies: int) -> Iterable[Card]:
    """The copies of a card, each with an id of its own: `wolf.1`, `wolf.2`, …"""
    if copies == 1:
        return (card,)
    return (replace(card, id=f"{card.id}.{number}") for number in range(1, copies + 1))


def read_deck(data: Mapping[str, object]) -> Deck:
    """A deck from its JSON object. Raises Problems("deck-problems") with everything that is wrong."""
    reader = _Reader()
    reader.known(data, "", _DECK)
    deck_id = reader.text(data.get("id", ""), "id", ID_MAX)
    name = reader.text(data.get("name", ""), "name", NAME_MAX)
    for field, value in (("id", deck_id), ("name", name)):
        if not value:
            reader.refuse(InvalidInput("empty", field=field, value="", wanted="text"))
    if deck_id and not _ID.fullmatch(deck_id):
        reader.refuse(InvalidInput("bad-deck-id", field="id", value=deck_id))
    rows = data.get("cards")
    cards: list[Card] = []
    if not isinstance(rows, list) or not 1 <= len(cast("list[object]", rows)) <= CARDS_MAX:
        reader.refuse(InvalidInput("deck-size", field="cards", value=None, lowest=1, highest=CARDS_MAX))
        rows = []
    seen: set[str] = set()
    count = 0
    for number, row in enumerate(cast("list[object]", rows)):
        path = f"cards[{number}]"
        read = reader.card(row, path)
        if read is None:
            continue
        count += read[1]
        for card in _each(*read) if count <= CARDS_MAX else ():
            if not read[0].id or card.id in seen:
                code = "deck-twice" if read[0].id else "empty"
                value = card.id if read[0].id else ""
                reader.refuse(InvalidInput(code, field=f"{path}.id", value=value, wanted="own-id"))
                break
            if len(card.id) > CARD_ID_MAX:
                reader.refuse(
                    InvalidInput(
                        "too-long",
                        field=f"{path}.id",
                        value=card.id,
                        length=len(card.id),
                        highest=CARD_ID_MAX,
                    )
                )
                break
            seen.add(card.id)
            cards.append(card)
    if count > CARDS_MAX:
        reader.refuse(InvalidInput("deck-size", field="cards", value=None, lowest=1, highest=CARDS_MAX))
    if reader.problems:
        raise Problems("deck-problems", reader.problems)
    return Deck(deck_id, name, tuple(cards))


def write_deck(deck: Deck) -> dict[str, object]:
    """The deck as `read_deck` reads it, every card by itself."""
    return {"id": deck.id, "name": deck.name, "cards": [_written(card) for card in deck.cards]}


def _written(card: Card) -> dict[str, object]:
    texts = {"id": card.id, "name": card.name, "rank": card.rank, "suit": card.suit, "text": card.text}
    found: dict[str, object] = {key: value for key, value in texts.items() if value}
    return {**found, "fields": dict(card.fields)} if card.fields else found


@cache
def standard_deck() -> Deck:
    """The 54 cards of a French deck: thirteen ranks in four suits, and two jokers."""
    text = files("rules.core.cards").joinpath("data/standard.json").read_text(encoding="utf-8")
    return read_deck(json.loads(text))
