"""Which cards there are: a deck is a JSON object with an id, a name and its cards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, cast

from rules.core.errors import InvalidInput, NotFound, Problems, RulesError

#: Most cards in a deck, and longest id and name in characters.
CARDS_MAX: Final = 500
ID_MAX: Final = 20
NAME_MAX: Final = 80
_FIELDS: Final = ("id", "name", "rank", "suit", "text")


@dataclass(frozen=True, slots=True)
class Card:
    """One card. `id` is short and unique in its deck; `rank` and `suit` may be empty; `text` is what it says."""

    id: str
    name: str
    rank: str = ""
    suit: str = ""
    text: str = ""


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


def _text(data: Mapping[str, object], field: str, path: str, most: int, problems: list[RulesError]) -> str:
    value = data.get(field, "")
    if not isinstance(value, str):
        problems.append(InvalidInput("wrong-type", field=path, value=str(value)[:100], allowed=("text",)))
        return ""
    if len(value) > most:
        problems.append(
            InvalidInput("too-long", field=path, value=len(value), length=len(value), highest=most)
        )
    return value.strip()


def read_deck(data: Mapping[str, object]) -> Deck:
    """A deck from its JSON object. Raises Problems("deck-problems") with everything that is wrong."""
    problems: list[RulesError] = []
    deck_id = _text(data, "id", "id", ID_MAX, problems)
    name = _text(data, "name", "name", NAME_MAX, problems)
    for field, value in (("id", deck_id), ("name", name)):
        if not value:
            problems.append(InvalidInput("empty", field=field, value="", allowed="a text"))
    rows = data.get("cards")
    cards: list[Card] = []
    if not isinstance(rows, list) or not 1 <= len(cast("list[object]", rows)) <= CARDS_MAX:
        problems.append(InvalidInput("deck-size", field="cards", value=None, lowest=1, highest=CARDS_MAX))
        rows = []
    seen: dict[str, int] = {}
    for number, row in enumerate(cast("list[object]", rows)):
        path = f"cards[{number}]"
        if not isinstance(row, dict):
            problems.append(InvalidInput("wrong-type", field=path, value=None, allowed=("an object",)))
            continue
        fields = cast("Mapping[str, object]", row)
        texts = [
            _text(
                fields,
                field,
                f"{path}.{field}",
                ID_MAX if field == "id" else 1000 if field == "text" else NAME_MAX,
                problems,
            )
            for field in _FIELDS
        ]
        card = Card(*texts)
        if not card.id or card.id in seen:
            code = "deck-twice" if card.id else "empty"
            problems.append(InvalidInput(code, field=f"{path}.id", value=card.id, allowed="an id of its own"))
        seen[card.id] = number
        if not card.name:
            problems.append(InvalidInput("empty", field=f"{path}.name", value="", allowed="a name"))
        cards.append(card)
    if problems:
        raise Problems("deck-problems", problems)
    return Deck(deck_id, name, tuple(cards))


@cache
def standard_deck() -> Deck:
    """The 54 cards of a French deck: thirteen ranks in four suits, and two jokers."""
    text = files("rules.core.cards").joinpath("data/standard.json").read_text(encoding="utf-8")
    return read_deck(json.loads(text))
