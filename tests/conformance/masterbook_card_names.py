"""Cards as the worked examples of MasterBook's deck call them: by name, by number, or as
some card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from rules.core.cards import Piles
from rules.core.errors import Impossible
from rules.core.rng import KeyedStreams
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    Face,
    Setting,
    default_faces,
    default_setting,
)
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    DRAW_PILE,
    FACE,
    FACES,
    HAND,
    INITIATIVE,
    POOL,
    CardChanges,
    Cards,
    Deal,
    Flip,
    Seat,
    character_place,
)
from rules.systems.masterbook.settings import SETTINGS

#: What stands for a card of which an example says nothing.
ANY = "idea"
#: A card whose dramatic line confuses the players.
CONFUSED: Final = "2"
_SETTINGS: Final = {field.key for field in SETTINGS.fields} - {"cards_mode"}
ME = "pc_1"


def chance() -> KeyedStreams:
    """Some order of the cards, the same each time."""
    return KeyedStreams(b"\0" * 16, b"\1" * 16, "example")


def options(**changed: object) -> Setting:
    """What the table agreed on, where an example says so; it plays with the whole deck."""
    known = {
        "cards_mode": "full",
        **{key: value for key, value in changed.items() if value is not None},
    }
    return lambda key: known[key] if key in known else default_setting(key)


def agreed_settings(given: Mapping[str, Any], **changed: object) -> Setting:
    """What the table of an example agreed on: under `settings`, or under a setting's own name."""
    own = {key: given[key] for key in given if key in _SETTINGS}
    return options(**own, **given.get("settings", {}), **changed)


class Names:
    """Card ids by the names of an example; a name that is there twice is two cards."""

    def __init__(self) -> None:
        self.faces: dict[str, Face] = dict(default_faces())
        self._names: dict[str, str] = {}

    def card(self, name: object) -> str:
        """A card of this name that no other name of the example stands for."""
        if isinstance(name, int):
            self._names[str(name)] = str(name)
            return str(name)
        text = str(name)
        kind = text if text in KINDS else ANY
        found = next(
            (
                each.id
                for each in self.faces.values()
                if each.kind == kind and each.id not in self._names
            ),
            "",
        )
        if not found:
            found = str(len(self.faces) + 1)
            self.faces[found] = Face(found, kind)
        self._names[found] = text
        return found

    def cards(self, names: Iterable[object] | int | None) -> tuple[str, ...]:
        """Cards of these names; so many of some where there is a number."""
        if isinstance(names, int):
            return tuple([self.card(ANY) for _ in range(names)])
        return tuple([self.card(each) for each in names or ()])

    def name(self, card: str) -> Any:
        """What the example calls a card."""
        found = self._names.get(card, card)
        return int(found) if found.isdigit() else found

    def shown(self, cards: Sequence[str]) -> list[Any]:
        """The names of cards that lie somewhere, the first that came there at the front."""
        return [self.name(each) for each in reversed(cards)]


def make_deck(
    names: Names,
    *,
    draw: Sequence[str] = (),
    discard: Sequence[str] = (),
    initiative: Sequence[str] = (),
    seats: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
    limit: int = 3,
    flip: Flip | None = None,
    number: int = 0,
    **about: Any,
) -> Cards:
    """A deck as an example tells it: the draw pile from its top, every other place from its bottom.

    `seats` are by character what lies in `hand`, `pool`, `face`; `about` are fields of the first
    seat.
    """
    seats = seats or {ME: {}}
    places = {
        DRAW_PILE: tuple(draw),
        DISCARD_PILE: tuple(discard)[::-1],
        INITIATIVE: tuple(initiative)[::-1],
    }
    for who, held in seats.items():
        places |= {character_place(place, who): tuple(cards)[::-1] for place, cards in held.items()}
    first, *others = seats
    deal = Deal(limit, (Seat(first, **about), *[Seat(each) for each in others]), flip, number)
    piles = Piles({place: held for place, held in places.items() if held}, faces=FACES)
    return Cards(piles, deal, names.faces, KINDS)


def held_cards(given: Mapping[str, Any], names: Names) -> dict[str, tuple[str, ...]]:
    """What an example says that somebody holds."""
    keys = {"hand": HAND, "pool": POOL, "face_up": FACE}
    return {place: names.cards(given[key]) for key, place in keys.items() if key in given}


def rounds(given: Mapping[str, Any], **more: Any) -> Flip | None:
    """The round of an example, where it is in one; the players may be confused in it."""
    if given.get("confused") or given.get("p_effect") == "confused":
        more |= {"card": CONFUSED, "scene": "dramatic"}
    return Flip(**more) if given.get("in_rounds") or given.get("round_active") else None


def attempt(run: Callable[[], Cards], before: Cards) -> tuple[Cards, dict[str, Any]]:
    """What came of an operation, and whether it was legal; nothing has changed where it was not."""
    try:
        cards = run()
    except Impossible as error:
        code = error.code.removeprefix("mb-card-").replace("-", "_")
        return before, {"legal": False, "refusal": code}
    return cards, {"legal": True, "refusal": None}


def apart(cards: Cards) -> tuple[Cards, CardChanges]:
    """The deck as if nothing had happened to it yet, and what has."""
    return cards.replace(changes=()), cards.changes


def having(cards: Cards, points: int) -> Cards:
    """The deck of people who have so many Life Points each; nothing has happened to it yet."""
    return cards.replace(points=lambda who: points, changes=())


def number_of(moves: CardChanges, what: str) -> int:
    """How many of something happened."""
    return sum(each.number for each in moves if each.what == what)
