"""The deck as it lies, and what is known of those who hold its cards (MB-CARD-03, MB-CARD-18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from rules.core.cards import Piles
from rules.core.cards.piles import DISCARD_PILE as DISCARD_PILE
from rules.core.cards.piles import DRAW_PILE as DRAW_PILE
from rules.core.errors import Impossible
from rules.core.record import Record
from rules.systems.masterbook.deck.card_definitions import (
    MODES,
    CardKind,
    Face,
    InitiativeLine,
    Setting,
    default_setting,
)

#: Places besides the draw pile and the discard pile; those of somebody have the id of the character
#: behind a colon. `round` holds cards whose effect lasts until the end of the round, `taken` those
#: that a GM looks through.
INITIATIVE, QUEUE, ROUND, REMOVED, TAKEN = "initiative", "queue", "round", "removed", "taken"
HAND: Final = "hand"
POOL: Final = "pool"
FACE: Final = "face"
#: Where cards lie that everybody sees.
FACES: Final = (DISCARD_PILE, INITIATIVE, ROUND, POOL, FACE, REMOVED)

Place = Literal["hand", "pool"]
Due = Literal["", "discard", "draw"]
Scene = Literal["standard", "dramatic"]
SCENES: Final[tuple[Scene, ...]] = get_args(Scene)
Rounds = Literal["combat", "interaction"]


def character_place(place: str, who: str) -> str:
    """A place of somebody's."""
    return f"{place}:{who}"


class Flip(Record):
    """The initiative card of a round, as it was flipped or kept: how it reads follows from the card
    and the scene.

    Empty from when rounds are declared to the first flip. With `kept` it stays for the next round;
    `place` is where the order of action is kept that goes by it.
    """

    card: str = ""
    scene: Scene = "standard"
    kind: Rounds = "combat"
    kept: bool = False
    place: str = ""


class Seat(Record):
    """Somebody who holds cards. What counts in a round is 0 again when the next one begins.

    `locks` are cards with the first round in which they may be pooled. `pending` are subplots that
    a GM or the player has not decided on, in the order drawn; `as_names` is what a Wild card lies
    face up as. `extra` are actions through haste, `declared` the critical moment of this round;
    `moment`, `refused` (Life Points for unusable subplots), `bonus`, `hastes` are counted for the
    adventure. `martyr` are Life Points that a Martyr card has paid, `named` tells that a GM has
    named its deed, `debt` what backing out of it left to pay. `permanent` subplots stay for the
    campaign. `due` tells that they have to discard what is too much, or fill up the hand besides.
    """

    who: str
    locks: tuple[tuple[str, int], ...] = ()
    poolings: int = 0
    extra: int = 0
    awards: int = 0
    declared: bool = False
    pending: tuple[str, ...] = ()
    as_names: tuple[tuple[str, str], ...] = ()
    moment: bool = False
    refused: int = 0
    bonus: bool = False
    hastes: int = 0
    martyr: int = 0
    named: bool = False
    debt: int = 0
    permanent: tuple[str, ...] = ()
    due: Due = ""


class Deal(Record):
    """What is known besides where the cards lie. Nobody holds cards before an adventure begins:
    `limit` is 0 then.

    `seats` are in the order in which cards are dealt. `round` is None out of rounds, `number`
    counts them. `dramatic` tells what the scene is. `played` is the last card that each has played,
    the newest first; `left` are the seats of those who hold no cards any more, for when they come
    back.
    """

    limit: int = 0
    seats: tuple[Seat, ...] = ()
    round: Flip | None = None
    number: int = 0
    dramatic: bool = False
    played: tuple[tuple[str, str], ...] = ()
    left: tuple[Seat, ...] = ()

    @property
    def holders(self) -> tuple[str, ...]:
        """Those who hold cards, in the order in which they are dealt."""
        return tuple([each.who for each in self.seats])

    def seat(self, who: str) -> Seat | None:
        """Somebody's; None for those who hold no cards."""
        return next((each for each in self.seats if each.who == who), None)

    def with_seat(self, seat: Seat) -> Deal:
        """The same with this seat as it is now."""
        return self.replace(
            seats=tuple([seat if each.who == seat.who else each for each in self.seats])
        )


class CardChange(Record):
    """Something that happened to cards: `what` it was, to whom, which cards, and how many of
    something.
    """

    what: str
    who: str = ""
    cards: tuple[str, ...] = ()
    number: int = 0


CardChanges = tuple[CardChange, ...]


class Cards(Record):
    """The whole deck as the rules see it: where the cards lie, what is known besides, and what
    stands on each card.

    `setting` is what the table has agreed on, `points` are the Life Points on somebody's sheet, and
    `told` is what has happened to the cards since they were looked at: none of it is what lies
    there.
    """

    piles: Piles
    deal: Deal
    faces: Mapping[str, Face]
    kinds: Mapping[str, CardKind]
    setting: Setting = default_setting
    points: Callable[[str], int] = lambda who: 0
    told: CardChanges = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cards) and self._lies() == other._lies()

    def _lies(self) -> tuple[Any, ...]:
        return self.piles, self.deal, self.faces, self.kinds

    def at(self, place: str, who: str = "") -> tuple[str, ...]:
        """The cards there, top (or the one received last) first."""
        return self.piles.cards_at(character_place(place, who) if who else place)

    def held(self, who: str) -> tuple[str, ...]:
        """What somebody holds in pool and hand."""
        return (*self.at(POOL, who), *self.at(HAND, who))

    @property
    def place(self) -> Place:
        """From where cards are played and traded: out of hands, in rounds from pools (MB-CARD-08,
        MB-CARD-10).
        """
        return HAND if self.deal.round is None else POOL

    def kind(self, card: str, who: str = "") -> CardKind:
        """What a card is, or a permanent subplot by its key.

        A Wild card that lies face up before somebody is what it was laid there as.
        """
        seat = self.deal.seat(who)
        names = dict(seat.as_names) if seat is not None else {}
        face = self.faces.get(card)
        return self.kinds[names.get(card) or (card if face is None else face.kind)]

    @property
    def lines(self) -> InitiativeLine:
        """What the initiative card of this round does, as far as the table plays by it; nothing out
        of rounds.

        The order comes from it in any round (MB-CARD-00, MB-CARD-I04).
        """
        flip = self.deal.round
        if flip is None or not flip.card:
            return InitiativeLine()
        line = self.faces[flip.card].line(flip.scene)
        plays = flip.kind == "combat" or self.setting("interaction_rounds_use_cards") in (
            "both",
            "lines",
        )
        return (
            line
            if plays and MODES[self.setting("cards_mode")].lines
            else InitiativeLine(line.first)
        )

    def seat(self, who: str) -> Seat:
        """Somebody's. Impossible("mb-card-no-seat") for those who hold no cards (MB-CARD-17)."""
        found = self.deal.seat(who)
        if found is None:
            raise Impossible("mb-card-no-seat")
        return found

    def life_points_of(self, who: str) -> int:
        """Somebody's Life Points, with those that came and went by what has happened to the
        cards.
        """
        came = [each.number for each in self.told if (each.what, each.who) == ("life-points", who)]
        return self.points(who) + sum(came)

    def with_seat_changes(self, who: str, **changes: Any) -> Cards:
        """The same with other things known of somebody's seat. Raises as `seat`."""
        return self.replace(deal=self.deal.with_seat(self.seat(who).replace(**changes)))

    def with_deal_changes(self, **changes: Any) -> Cards:
        """The same with other things known besides where the cards lie."""
        return self.replace(deal=self.deal.replace(**changes))

    def with_cards_moved(self, source: str, target: str, *cards: str) -> Cards:
        """The same with cards elsewhere, one after the other."""
        piles = self.piles
        for each in cards:
            piles = piles.move(each, source, target)
        return self.replace(piles=piles)

    def without_changes(self, what: str) -> Cards:
        """The same where everybody hears elsewhere of what has happened so."""
        return self.replace(told=tuple([each for each in self.told if each.what != what]))

    def tell(self, what: str, who: str = "", cards: Sequence[str] = (), number: int = 0) -> Cards:
        """The same with something more that has happened."""
        return self.replace(told=(*self.told, CardChange(what, who, tuple(cards), number)))
