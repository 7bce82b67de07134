"""State of the deck: where cards lie, and what each holder has done (MB-CARD-03, MB-CARD-18)."""

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

#: Places besides the draw pile and the discard pile. A character's place has the character's id
#: behind a colon. `round` has cards whose effect lasts until the end of the round, `taken` those
#: that the GM looks through.
INITIATIVE, QUEUE, ROUND, REMOVED, TAKEN = "initiative", "queue", "round", "removed", "taken"
HAND: Final = "hand"
POOL: Final = "pool"
FACE: Final = "face"
#: Places whose cards everyone sees.
FACES: Final = (DISCARD_PILE, INITIATIVE, ROUND, POOL, FACE, REMOVED)

Place = Literal["hand", "pool"]
Due = Literal["", "discard", "draw"]
Scene = Literal["standard", "dramatic"]
SCENES: Final[tuple[Scene, ...]] = get_args(Scene)
Rounds = Literal["combat", "interaction"]


def character_place(place: str, who: str) -> str:
    """Return the name of a character's own place."""
    return f"{place}:{who}"


class Flip(Record):
    """The initiative card of a round, flipped or kept. Its line follows from the card and the
    scene.

    Empty from the declaration of rounds to the first flip.
    """

    card: str = ""
    scene: Scene = "standard"
    kind: Rounds = "combat"
    #: Whether the card stays for the next round.
    kept: bool = False
    #: Where the initiative that goes by this card is kept.
    place: str = ""


class Seat(Record):
    """A character who holds cards. What counts in a round is 0 again when the next one begins.

    What counts in an adventure is 0 again when the next adventure begins.
    """

    who: str
    #: Cards, each with the first round in which it may be pooled.
    locks: tuple[tuple[str, int], ...] = ()
    #: Cards pooled in this round.
    poolings: int = 0
    #: Extra actions in this round, through haste.
    extra_actions: int = 0
    #: Cards earned in this round.
    awards: int = 0
    #: Whether this round is the player's critical moment.
    moment_declared: bool = False
    #: Subplots on which the GM or the player has not decided, in the order drawn.
    pending: tuple[str, ...] = ()
    #: Wild cards that lie face up, each with the kind that it lies there as.
    as_names: tuple[tuple[str, str], ...] = ()
    #: Whether the critical moment of this adventure is used.
    moment_used: bool = False
    #: Life Points paid in this adventure for subplots that could not be in effect.
    refusal_awards: int = 0
    #: Whether the card for exceptional roleplaying was drawn in this adventure.
    bonus_drawn: bool = False
    #: Fast Reactions used in this adventure.
    hastes: int = 0
    #: Life Points that a Martyr card has paid.
    martyr_points: int = 0
    #: Whether the GM has named the deed of the Martyr card.
    deed_named: bool = False
    #: Life Points still to be paid for backing out of that deed.
    debt: int = 0
    #: Keys of the subplots that stay for the campaign.
    permanent: tuple[str, ...] = ()
    #: What the player still has to do: discard the surplus, or also draw up to the limit.
    due: Due = ""


class Deal(Record):
    """State of the deck besides where its cards lie."""

    #: Most cards in a hand. It is 0 before an adventure begins, while nobody holds cards.
    limit: int = 0
    #: Characters who hold cards, in the order in which cards are dealt.
    seats: tuple[Seat, ...] = ()
    #: The initiative card; None out of rounds.
    round: Flip | None = None
    #: Number of the round.
    number: int = 0
    #: Whether the scene is dramatic.
    dramatic: bool = False
    #: The last card that each character has played, the newest first: character and card.
    played: tuple[tuple[str, str], ...] = ()
    #: Seats of characters who no longer hold cards, in case they come back.
    left: tuple[Seat, ...] = ()

    @property
    def holders(self) -> tuple[str, ...]:
        """Characters who hold cards, in the order in which they are dealt."""
        return tuple([seat.who for seat in self.seats])

    def seat(self, who: str) -> Seat | None:
        """Return a character's seat; None if the character holds no cards."""
        return next((seat for seat in self.seats if seat.who == who), None)

    def with_seat(self, changed: Seat) -> Deal:
        """Return the deal with one seat changed."""
        seats = [changed if seat.who == changed.who else seat for seat in self.seats]
        return self.replace(seats=tuple(seats))


class CardChange(Record):
    """A change of cards to report: its kind, the character, the cards, and a number."""

    what: str
    who: str = ""
    cards: tuple[str, ...] = ()
    number: int = 0


CardChanges = tuple[CardChange, ...]


class Cards(Record):
    """The whole deck as the rules see it: where cards lie, the deal, and what each card says."""

    piles: Piles
    deal: Deal
    faces: Mapping[str, Face]
    kinds: Mapping[str, CardKind]
    #: The table's settings.
    setting: Setting = default_setting
    #: Life Points on a character's sheet.
    points: Callable[[str], int] = lambda who: 0
    #: Changes since the cards were read from the table. Equality ignores them.
    changes: CardChanges = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cards) and self._state() == other._state()

    def _state(self) -> tuple[Any, ...]:
        return self.piles, self.deal, self.faces, self.kinds

    def at(self, place: str, who: str = "") -> tuple[str, ...]:
        """Return the cards of a place, the top one (or the one received last) first."""
        return self.piles.cards_at(character_place(place, who) if who else place)

    def held_cards(self, who: str) -> tuple[str, ...]:
        """Return the cards in a character's pool and hand."""
        return (*self.at(POOL, who), *self.at(HAND, who))

    @property
    def place(self) -> Place:
        """Place from which cards are played and traded: hands, or pools in rounds (MB-CARD-08,
        -10).
        """
        return HAND if self.deal.round is None else POOL

    def kind(self, card: str, who: str = "") -> CardKind:
        """Return the kind of a card, or of a permanent subplot by its key.

        A Wild card that lies face up before a character is of the kind that it was laid there as.
        """
        seat = self.deal.seat(who)
        names = dict(seat.as_names) if seat is not None else {}
        face = self.faces.get(card)
        return self.kinds[names.get(card) or (card if face is None else face.kind)]

    @property
    def lines(self) -> InitiativeLine:
        """Line of this round's initiative card, as far as the table plays by it.

        Out of rounds it has no effect. The order comes from it in any round (MB-CARD-00,
        MB-CARD-I04).
        """
        flip = self.deal.round
        if flip is None or not flip.card:
            return InitiativeLine()
        line = self.faces[flip.card].line(flip.scene)
        interaction_rounds = self.setting("interaction_rounds_use_cards")
        has_lines = flip.kind == "combat" or interaction_rounds in ("both", "lines")
        if has_lines and MODES[self.setting("cards_mode")].lines:
            return line
        return InitiativeLine(line.first)

    def seat(self, who: str) -> Seat:
        """Return a character's seat (MB-CARD-17). Raises Impossible("mb-card-no-seat")."""
        seat = self.deal.seat(who)
        if seat is None:
            raise Impossible("mb-card-no-seat")
        return seat

    def life_points_of(self, who: str) -> int:
        """Return a character's Life Points, with those that these changes bring or cost."""
        change = 0
        for event in self.changes:
            if (event.what, event.who) == ("life-points", who):
                change += event.number
        return self.points(who) + change

    def with_seat_changes(self, who: str, **changes: Any) -> Cards:
        """Return the cards with changed fields of a character's seat. Raises as `seat`."""
        return self.replace(deal=self.deal.with_seat(self.seat(who).replace(**changes)))

    def with_deal_changes(self, **changes: Any) -> Cards:
        """Return the cards with changed fields of the deal."""
        return self.replace(deal=self.deal.replace(**changes))

    def with_cards_moved(self, source: str, target: str, *cards: str) -> Cards:
        """Return the cards with *cards* moved, one after the other."""
        piles = self.piles
        for card in cards:
            piles = piles.move(card, source, target)
        return self.replace(piles=piles)

    def without_changes(self, what: str) -> Cards:
        """Return the cards without changes of a kind, which are reported elsewhere."""
        return self.replace(changes=tuple(event for event in self.changes if event.what != what))

    def with_change(
        self, what: str, who: str = "", cards: Sequence[str] = (), number: int = 0
    ) -> Cards:
        """Return the cards with one more change to report."""
        return self.replace(changes=(*self.changes, CardChange(what, who, tuple(cards), number)))
