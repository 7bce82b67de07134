"""Where the cards of a deck lie: piles and hands by name. Every change moves cards, none makes or
loses one.
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
    """The cards in a random order, each order equally likely (Fisher and Yates): n - 1 draws for n
    cards.
    """
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        chosen = rng.below(last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


class Shuffle(Record):
    """One shuffle of a deck's draw pile; `number` counts them. `key` and `commitment` are those of
    its seed.
    """

    number: int
    key: str
    commitment: str


#: What the names of places begin with where everybody sees the cards, unless the owner of the piles
#: says otherwise.
FACE_UP: Final = (DISCARD_PILE, "open")


class Piles(Record):
    """Cards by the place where they lie: a pile such as `draw`, a hand such as `hand:p2`; the top
    comes first.

    Places that hold nothing need not be there. The rest says which shuffles anybody may compute
    again because nothing that is hidden now follows from them, judged only by what everybody sees
    (how many cards go where): `unseen` are face-up places with cards that nobody saw; `older` are
    places where hidden cards may lie that came there before the last shuffle; `sealed` are the
    shuffles whose seeds stay closed, the last one at the end; all shuffles up to number `opened`
    are open. `faces` is what the names of places begin with where cards lie face up.

    They open together, when no place is `older`: every card that is hidden then took part in the
    last shuffle, whose seed tells nothing of the earlier ones. The last order opens when no card is
    hidden at all.
    """

    places: Mapping[str, tuple[str, ...]]
    unseen: tuple[str, ...] = ()
    older: tuple[str, ...] = ()
    sealed: tuple[Shuffle, ...] = ()
    opened: int = 0
    faces: tuple[str, ...] = FACE_UP

    @staticmethod
    def of(cards: Iterable[str]) -> Piles:
        """All cards in the draw pile, in this order."""
        return Piles({DRAW_PILE: tuple(cards)})

    def is_face_up(self, place: str) -> bool:
        """Whether everybody sees the cards there, but for those laid there unseen."""
        return place.partition(":")[0] in self.faces

    def cards_at(self, place: str) -> tuple[str, ...]:
        """The cards there, top first."""
        return self.places.get(place, ())

    @property
    def cards(self) -> tuple[str, ...]:
        """Every card, wherever it lies, in ascending order."""
        return tuple(sorted(card for cards in self.places.values() for card in cards))

    def hidden_places(self) -> tuple[str, ...]:
        """The places where cards lie that not everybody knows."""
        return tuple(
            place for place in self.places if not self.is_face_up(place) or place in self.unseen
        )

    def _put(self, changes: Mapping[str, tuple[str, ...]], **marks: Any) -> Piles:
        places = {place: cards for place, cards in {**self.places, **changes}.items() if cards}
        return self.replace(places=places, **marks)._settled()

    def _settled(self) -> Piles:
        """The same, with the marks of empty places gone and every order opened that may be."""
        unseen = tuple(place for place in self.unseen if place in self.places)
        older = tuple(place for place in self.older if place in self.places)
        now = self.replace(unseen=unseen, older=older)
        if not now.sealed or older:
            return now
        if not now.hidden_places():
            return now.replace(sealed=(), opened=now.sealed[-1].number)
        return now.replace(sealed=now.sealed[-1:], opened=now.sealed[-1].number - 1)

    def shuffle(self, place: str, rng: Rng, sealed: Sealed | None = None) -> Piles:
        """The same cards there in a new order. Of the draw pile `sealed` is what is published of
        the seed.
        """
        order = {place: shuffle_cards(self.cards_at(place), rng)}
        if sealed is None or place != DRAW_PILE:
            return self._put(order)
        number = (self.sealed[-1].number if self.sealed else self.opened) + 1
        older = tuple(each for each in self.hidden_places() if each != DRAW_PILE)
        return self._put(
            order,
            older=older,
            sealed=(*self.sealed, Shuffle(number, sealed.key, sealed.commitment)),
        )

    def deal(self, source: str, target: str, number: int = 1) -> tuple[Piles, tuple[str, ...]]:
        """Move the top cards one after another; the last moved lies on top. Returns them in that
        order.

        Raises Impossible("pile-too-small") when there are fewer than `number`.
        """
        there = self.cards_at(source)
        if number > len(there):
            raise Impossible("pile-too-small", left=len(there), wanted=number)
        moved = there[:number]
        if source == target or not moved:
            return self, moved
        changed = {source: there[number:], target: (*reversed(moved), *self.cards_at(target))}
        return self._put(changed, **self._marked({source}, target, unseen=False)), moved

    def move(self, card: str, source: str, target: str, *, unseen: bool = False) -> Piles:
        """Move one card onto another pile or into another hand; `unseen` tells that nobody sees
        which.

        Raises NotFound("card-not-there").
        """
        there = self.cards_at(source)
        if card not in there:
            raise NotFound("card-not-there", field="card", value=card, nearest=())
        if source == target:
            return self
        at = there.index(card)
        changed = {source: there[:at] + there[at + 1 :], target: (card, *self.cards_at(target))}
        return self._put(changed, **self._marked({source}, target, unseen=unseen))

    def gather(self, target: str, wanted: Callable[[str], bool]) -> Piles:
        """Put everything that lies in the places `wanted` beneath the target, in the order of their
        names.
        """
        sources = sorted(place for place in self.places if place != target and wanted(place))
        gathered = [card for place in sources for card in self.places[place]]
        unseen = any(place in self.hidden_places() for place in sources)
        marks = self._marked(set(sources), target, unseen=unseen)
        return self._put(
            {target: (*self.cards_at(target), *gathered), **dict.fromkeys(sources, ())}, **marks
        )

    def _marked(
        self, sources: set[str], target: str, *, unseen: bool
    ) -> dict[str, tuple[str, ...]]:
        """The marks after cards went from there to the target: what may be old stays so, unless
        everybody sees it.
        """
        marks = {"unseen": self.unseen, "older": self.older}
        if self.is_face_up(target) and not unseen:
            return marks
        if self.is_face_up(target):
            marks["unseen"] = tuple(dict.fromkeys((*self.unseen, target)))
        if sources & {*self.older}:
            marks["older"] = tuple(dict.fromkeys((*self.older, target)))
        return marks
