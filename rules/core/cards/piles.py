"""Places of a deck's cards: piles and hands by name.

Every change moves cards. None adds or loses a card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from rules.core.errors import Impossible, NotFound
from rules.core.record import Record
from rules.core.rng import Rng, Sealed

DRAW_PILE = "draw"
DISCARD_PILE = "discard"


def shuffle_cards(cards: Sequence[str], rng: Rng) -> tuple[str, ...]:
    """Return the cards in a random order, each order equally likely (Fisher and Yates).

    Takes n - 1 draws for n cards.
    """
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        chosen = rng.below(last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


class Shuffle(Record):
    """One shuffle of a deck's draw pile."""

    #: Number of the shuffle, counted from 1.
    number: int
    #: Request that drew from the seed.
    key: str
    #: SHA-256 of the seed in hex.
    commitment: str


#: Beginnings of the names of places whose cards everyone sees, by default.
FACE_UP: Final = (DISCARD_PILE, "open")


class Piles(Record):
    """Cards by the place where they lie.

    Besides the cards, the record says which shuffles may be computed again by everyone. A shuffle
    is opened only when nothing that is hidden now follows from it. That is judged by what everyone
    sees: how many cards go where.

    Shuffles open together, when no place is `older`. Every hidden card then took part in the last
    shuffle, whose seed reveals nothing about the earlier ones. The last shuffle opens when no card
    is hidden at all.
    """

    #: Cards by place, top first. A place is a pile such as `draw` or a hand such as `hand:p2`;
    #: empty places are left out.
    places: Mapping[str, tuple[str, ...]]
    #: Face-up places with cards that were laid there unseen.
    unseen: tuple[str, ...] = ()
    #: Places where hidden cards may lie that came there before the last shuffle.
    older: tuple[str, ...] = ()
    #: Shuffles whose seeds stay closed, the last one at the end.
    sealed: tuple[Shuffle, ...] = ()
    #: Number of the last shuffle that is open. All before it are open, too.
    opened: int = 0
    #: Beginnings of the names of places whose cards lie face up.
    faces: tuple[str, ...] = FACE_UP

    @staticmethod
    def of(cards: Iterable[str]) -> Piles:
        """Return piles with all cards in the draw pile, in this order."""
        return Piles({DRAW_PILE: tuple(cards)})

    def is_face_up(self, place: str) -> bool:
        """Return whether everyone sees the cards there, except those that were laid unseen."""
        return place.partition(":")[0] in self.faces

    def cards_at(self, place: str) -> tuple[str, ...]:
        """Return the cards there, top first."""
        return self.places.get(place, ())

    @property
    def cards(self) -> tuple[str, ...]:
        """Every card, wherever it lies, in ascending order."""
        return tuple(sorted(card for cards in self.places.values() for card in cards))

    def hidden_places(self) -> tuple[str, ...]:
        """Return the places with cards that not everyone knows."""
        return tuple(
            place for place in self.places if not self.is_face_up(place) or place in self.unseen
        )

    def _with_places(self, changes: Mapping[str, tuple[str, ...]], **marks: Any) -> Piles:
        """Return the piles with other cards in some places, and other marks."""
        places = {place: cards for place, cards in {**self.places, **changes}.items() if cards}
        return self.replace(places=places, **marks)._without_stale_marks()

    def _without_stale_marks(self) -> Piles:
        """Return the piles without marks of empty places, and with every shuffle opened that may
        be.
        """
        unseen = tuple(place for place in self.unseen if place in self.places)
        older = tuple(place for place in self.older if place in self.places)
        now = self.replace(unseen=unseen, older=older)
        if not now.sealed or older:
            return now
        if not now.hidden_places():
            return now.replace(sealed=(), opened=now.sealed[-1].number)
        return now.replace(sealed=now.sealed[-1:], opened=now.sealed[-1].number - 1)

    def shuffle(self, place: str, rng: Rng, sealed: Sealed | None = None) -> Piles:
        """Return the piles with the cards of one place in a random order.

        For the draw pile, *sealed* is the published part of the shuffle's seed.
        """
        order = {place: shuffle_cards(self.cards_at(place), rng)}
        if sealed is None or place != DRAW_PILE:
            return self._with_places(order)
        number = (self.sealed[-1].number if self.sealed else self.opened) + 1
        older = tuple(place for place in self.hidden_places() if place != DRAW_PILE)
        return self._with_places(
            order,
            older=older,
            sealed=(*self.sealed, Shuffle(number, sealed.key, sealed.commitment)),
        )

    def deal(self, source: str, target: str, number: int = 1) -> tuple[Piles, tuple[str, ...]]:
        """Move the top cards one after another, so that the last one moved lies on top.

        Returns the new piles and the moved cards in that order. Raises Impossible("pile-too-small")
        if there are fewer than *number*.
        """
        there = self.cards_at(source)
        if number > len(there):
            raise Impossible("pile-too-small", left=len(there), wanted=number)
        moved = there[:number]
        if source == target or not moved:
            return self, moved
        changed = {source: there[number:], target: (*reversed(moved), *self.cards_at(target))}
        return self._with_places(
            changed, **self._marks_after({source}, target, unseen=False)
        ), moved

    def move(self, card: str, source: str, target: str, *, unseen: bool = False) -> Piles:
        """Move one card onto another pile or into another hand.

        *unseen* says that nobody sees which card it is. Raises NotFound("card-not-there").
        """
        there = self.cards_at(source)
        if card not in there:
            raise NotFound("card-not-there", field="card", value=card, nearest=())
        if source == target:
            return self
        at = there.index(card)
        changed = {source: there[:at] + there[at + 1 :], target: (card, *self.cards_at(target))}
        return self._with_places(changed, **self._marks_after({source}, target, unseen=unseen))

    def gather(self, target: str, wanted: Callable[[str], bool]) -> Piles:
        """Put all cards of the places that *wanted* accepts beneath the target's own.

        The places follow one another by name.
        """
        sources = sorted(place for place in self.places if place != target and wanted(place))
        gathered = [card for place in sources for card in self.places[place]]
        unseen = any(place in self.hidden_places() for place in sources)
        marks = self._marks_after(set(sources), target, unseen=unseen)
        return self._with_places(
            {target: (*self.cards_at(target), *gathered), **dict.fromkeys(sources, ())}, **marks
        )

    def _marks_after(
        self, sources: set[str], target: str, *, unseen: bool
    ) -> dict[str, tuple[str, ...]]:
        """Return the marks after cards went from *sources* to the target.

        The target becomes `older` if a source was, unless everyone sees the cards.
        """
        marks = {"unseen": self.unseen, "older": self.older}
        if self.is_face_up(target) and not unseen:
            return marks
        if self.is_face_up(target):
            marks["unseen"] = tuple(dict.fromkeys((*self.unseen, target)))
        if sources & {*self.older}:
            marks["older"] = tuple(dict.fromkeys((*self.older, target)))
        return marks
