"""Where the cards of a deck lie: piles and hands by name. Every change moves cards, none makes or loses one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.core.errors import Impossible, NotFound
from rules.core.rng import Rng

DRAW = "draw"
DISCARD = "discard"


def shuffled(cards: Sequence[str], rng: Rng) -> tuple[str, ...]:
    """The cards in a random order, each order equally likely (Fisher and Yates): n - 1 draws for n cards."""
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        chosen = rng.below(last + 1)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)


@dataclass(frozen=True, slots=True)
class Piles:
    """Cards by the place where they lie: a pile such as `draw`, a hand such as `hand:p2`; the top comes first.

    Places that hold nothing need not be there.
    """

    places: Mapping[str, tuple[str, ...]]

    @staticmethod
    def of(cards: Iterable[str]) -> Piles:
        """All cards in the draw pile, in this order."""
        return Piles({DRAW: tuple(cards)})

    def at(self, place: str) -> tuple[str, ...]:
        """The cards there, top first."""
        return self.places.get(place, ())

    @property
    def cards(self) -> tuple[str, ...]:
        """Every card, wherever it lies, in ascending order."""
        return tuple(sorted(card for cards in self.places.values() for card in cards))

    def _put(self, changes: Mapping[str, tuple[str, ...]]) -> Piles:
        return Piles({place: cards for place, cards in {**self.places, **changes}.items() if cards})

    def shuffle(self, place: str, rng: Rng) -> Piles:
        """The same cards there in a new order."""
        return self._put({place: shuffled(self.at(place), rng)})

    def deal(self, source: str, target: str, number: int = 1) -> tuple[Piles, tuple[str, ...]]:
        """Move the top cards one after another; the last moved lies on top. Returns them in that order.

        Raises Impossible("pile-too-small") when there are fewer than `number`.
        """
        there = self.at(source)
        if number > len(there):
            raise Impossible("pile-too-small", left=len(there), wanted=number)
        moved = there[:number]
        if source == target:
            return self, moved
        changed = {source: there[number:], target: (*reversed(moved), *self.at(target))}
        return self._put(changed), moved

    def move(self, card: str, source: str, target: str) -> Piles:
        """Move one card onto another pile or into another hand. Raises NotFound("card-not-there")."""
        there = self.at(source)
        if card not in there:
            raise NotFound("card-not-there", field="card", value=card, nearest=())
        if source == target:
            return self
        at = there.index(card)
        return self._put({source: there[:at] + there[at + 1 :], target: (card, *self.at(target))})

    def gather(self, target: str, wanted: Callable[[str], bool]) -> Piles:
        """Put everything that lies in the places `wanted` beneath the target, in the order of their names."""
        sources = sorted(place for place in self.places if place != target and wanted(place))
        gathered = [card for place in sources for card in self.places[place]]
        return self._put({target: (*self.at(target), *gathered), **dict.fromkeys(sources, ())})
