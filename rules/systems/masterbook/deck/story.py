"""What cards make of the story: subplots and what they pay, Martyr, Campaign, the ends of acts and adventures.

MB-CARD-S00 to MB-CARD-S10, MB-CARD-P01 to MB-CARD-P03, MB-CARD-X01 to MB-CARD-X04, MB-CARD-L02. Life Points come out
as moves of the kind "life-points": how many more somebody has now, or fewer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from rules.core.record import Record, record
from rules.core.rng import Streams
from rules.systems.masterbook.deck.dealing import (
    discarded,
    draw,
    emptied,
    in_effect,
    lasting,
    refuse,
    spent,
)
from rules.systems.masterbook.deck.kinds import CardKind, Due
from rules.systems.masterbook.deck.state import (
    DRAW,
    FACE,
    HAND,
    POOL,
    REMOVED,
    Cards,
    Deal,
    Moved,
    Moves,
)
from rules.systems.masterbook.sheet import LIFE_POINTS_MOST

#: The most subplots of somebody that are in effect, and the most Life Points for those that cannot be.
IN_EFFECT: Final = 2
REFUSED: Final = 2
#: More for an adventure is worth a second look (MB-GM-04).
ADVENTURE_SOFT: Final = 5
#: The extra actions that Fast Reactions give in an adventure (MB-CARD-L02).
FAST: Final = 3
#: How much a GM may add to an act's award, and take off (MB-CARD-X02).
ADJUST: Final = (-1, 2)


# --- Life Points ---------------------------------------------------------------------------------------------


@record
class Gain(Record):
    """Life Points that came: how many there are now, how many more, how many were lost, and what is still owed."""

    now: int
    gained: int
    lost: int
    debt: int


def gained(have: int, points: int, debt: int = 0) -> Gain:
    """Life Points that come: a debt takes them first, and nobody holds more than ten (MB-GM-06, MB-CARD-S05)."""
    paid = min(points, debt)
    now = min(LIFE_POINTS_MOST, have + points - paid)
    now = max(now, have)
    return Gain(now, now - have, points - paid - (now - have), debt - paid)


def _gain(cards: Cards, who: str, have: int, points: int) -> tuple[Cards, Moves, Gain]:
    found = gained(have, points, cards.seat(who).debt)
    told = (Moved("life-points", who, number=found.gained),) if found.gained else ()
    if paid := cards.seat(who).debt - found.debt:
        told = (Moved("owed", who, number=paid), *told)
    return cards.but_seat(cards.seat(who).but(debt=found.debt)), told, found


def pay(cards: Cards, who: str, have: int, points: int) -> tuple[Cards, Moves]:
    """Somebody gets Life Points; a debt takes them first."""
    return _gain(cards, who, have, points)[:2]


def act_award(scenes: int, adjust: int = 0, last: bool = False) -> int:
    """Life Points of each at the end of an act; the last one pays the adventure's instead (MB-CARD-X02)."""
    return 0 if last else max(0, scenes + adjust)


def adventure_award(acts: int, bonuses: int = 0, grueling: bool = False) -> tuple[int, bool]:
    """Life Points of each at the end of an adventure, and whether that is more than is meant (MB-CARD-X03)."""
    award = acts + bonuses
    return award, award > ADVENTURE_SOFT and not grueling


def subplot_award(kind: CardKind, due: Due, earned: bool = True, reduced: bool = False) -> int:
    """What a subplot pays now: nothing where it is not due, or was not played as it should be (MB-CARD-S00)."""
    award = kind.award
    if award is None or award.when != due or not earned:
        return 0
    return award.reduced if reduced and award.reduced is not None else award.life_points


# --- subplots ------------------------------------------------------------------------------------------------


def decide(
    cards: Cards,
    who: str,
    card: str,
    allows: bool,
    keeps: bool,
    have: int,
    overrules: bool = False,
) -> tuple[Cards, Moves]:
    """The GM allows a subplot or not, the player keeps it or not; `have` are the character's Life Points.

    A third one cannot be in effect, unless the GM overrules that. Impossible("mb-card-not-pending"), for one that was
    drawn later than another too (MB-CARD-05, MB-CARD-S00).
    """
    seat = cards.seat(who)
    refuse(not_pending=seat.pending[:1] != (card,))
    full = len(in_effect(cards, who)) >= IN_EFFECT and not overrules
    if allows and keeps and not full:
        cards = cards.but_seat(seat.but(pending=seat.pending[1:]))
        return cards, (Moved("kept", who, (card,)),)
    cards = discarded(cards, who, (card,), (FACE,))
    return _consoled(cards, who, card, have, overrules)


def _consoled(cards: Cards, who: str, card: str, have: int, overrules: bool = False) -> tuple[Cards, Moves]:
    """A Life Point for a subplot that cannot be, two at the most; one that there is no room for is not counted."""
    seat, told = cards.seat(who), (Moved("declined", who, (card,)),)
    if seat.refused >= REFUSED and not overrules:
        return cards, told
    cards, moves, gain = _gain(cards, who, have, 1)
    if not gain.lost:
        cards = cards.but_seat(cards.seat(who).but(refused=seat.refused + 1))
    return cards, (*told, *moves)


def use_face_up(cards: Cards, who: str, card: str) -> tuple[Cards, Moves]:
    """A GM uses a card that lies before somebody, and it is gone (MB-CARD-S01, MB-CARD-S03, MB-CARD-P01).

    Impossible("mb-card-precondition") for one that is not there, that is not decided on, or that stays.
    """
    refuse(precondition=card not in cards.at(FACE, who) or card in cards.seat(who).pending)
    kind = cards.kind(card, who)
    used = kind.award is None or kind.award.when == "end_of_adventure_if_unused"
    refuse(precondition=kind.type == "subplot" and not used)
    return discarded(cards, who, (card,), (FACE,)), (Moved("used", who, (card,)),)


def campaign(
    cards: Cards, who: str, card: str, subplot: str, approves: bool, have: int, rng: Streams
) -> tuple[Cards, Moves]:
    """Campaign: a subplot in effect becomes permanent, or its holder gets a Life Point; then a card (MB-CARD-S02).

    `subplot` is the card. Impossible("mb-card-precondition") for one that is not in effect or never stays.
    """
    refuse(precondition=subplot not in in_effect(cards, who) or not cards.kind(subplot, who).lasting)
    kind = cards.kind(subplot, who).key
    if approves:  # what it was played on is no card any more, and Campaign comes to lie on it
        cards = discarded(cards, who, (subplot,), (FACE,))
    cards = spent(cards, who, card)
    if approves:
        seat = cards.seat(who)
        permanent = tuple(dict.fromkeys((*seat.permanent, kind)))
        cards, told = cards.but_seat(seat.but(permanent=permanent)), (Moved("permanent", who, (subplot,)),)
    else:
        cards, told = _consoled(cards, who, card, have)
    cards, moves = draw(cards, who, rng)
    return cards, (*told, *moves)


def end_permanent(cards: Cards, who: str, kind: str) -> Cards:
    """The same with a permanent subplot over. Impossible("mb-card-precondition") where there is none."""
    seat = cards.seat(who)
    refuse(precondition=kind not in seat.permanent)
    return cards.but_seat(seat.but(permanent=tuple([each for each in seat.permanent if each != kind])))


# --- Martyr --------------------------------------------------------------------------------------------------


def martyr_of(cards: Cards, who: str) -> str:
    """Somebody's Martyr card. Impossible("mb-card-precondition") without one in effect (MB-CARD-S05)."""
    found = next((each for each in in_effect(cards, who) if cards.kind(each, who).key == "martyr"), "")
    refuse(precondition=not found)
    return found


def named(cards: Cards, who: str) -> tuple[Cards, Moves]:
    """The GM names the deed that somebody is to die in."""
    card = martyr_of(cards, who)
    return cards.but_seat(cards.seat(who).but(named=True)), (Moved("martyr-named", who, (card,)),)


def sacrifice(cards: Cards, who: str) -> tuple[Cards, Moves]:
    """The deed succeeds, and the character dies of it: the card is gone, and so is everything else of theirs."""
    card = martyr_of(cards, who)
    cards = discarded(cards, who, (card,), (FACE,))
    return cards.but_seat(cards.seat(who).but(martyr=0, named=False)), (Moved("martyr", who, (card,)),)


def back_out(cards: Cards, who: str, have: int) -> tuple[Cards, Moves]:
    """The deed is left undone: twice what the card has paid is due, or everything, and the rest is owed."""
    card = martyr_of(cards, who)
    seat = cards.seat(who)
    due = 2 * seat.martyr
    paid = min(have, due)
    cards = discarded(cards, who, (card,), (FACE,))
    seat = cards.seat(who).but(martyr=0, named=False, debt=seat.debt + due - paid)
    cards = cards.but_seat(seat)
    told = [Moved("backed-out", who, (card,), due)]
    if paid:
        told.append(Moved("life-points", who, number=-paid))
    if due > paid:
        lost = (*cards.at(HAND, who), *cards.at(POOL, who))
        cards = emptied(cards, who, (HAND, POOL))
        told.append(Moved("lost-all", who, lost, len(lost)))
    return cards, tuple(told)


# --- ends ----------------------------------------------------------------------------------------------------


@record
class Judged(Record):
    """What a GM thinks of a subplot, in this act or adventure: whether it was played, and whether late or weakly."""

    earned: bool = True
    reduced: bool = False


def plot_kind(cards: Cards, who: str, plot: str) -> CardKind:
    """What a subplot is, a card or the key of a permanent one."""
    return cards.kinds.get(plot) or cards.kind(plot, who)


def awards(cards: Cards, who: str, due: Due, have: int, judged: Mapping[str, Judged]) -> tuple[Cards, Moves]:
    """The subplots of somebody that pay now, by card or by the key of a permanent one; without a word they do.

    Martyr counts what it pays.
    """
    told: Moves = ()
    for each in (*in_effect(cards, who), *cards.seat(who).permanent):
        kind = plot_kind(cards, who, each)
        opinion = judged.get(each, Judged())
        points = subplot_award(kind, due, opinion.earned, opinion.reduced)
        if not points:
            continue
        cards, moves, gain = _gain(cards, who, have, points)
        have = gain.now
        if kind.key == "martyr":
            seat = cards.seat(who)
            cards = cards.but_seat(seat.but(martyr=seat.martyr + points))
        told = (*told, Moved("paid", who, () if each in cards.kinds else (each,), points), *moves)
    return cards, told


def due_subplots(cards: Cards, who: str, dues: Collection[Due]) -> tuple[str, ...]:
    """The cards, and keys of permanent subplots, of which a GM says whether they were played (MB-CARD-S00)."""
    found = [
        each
        for each in (*in_effect(cards, who), *cards.seat(who).permanent)
        if (award := plot_kind(cards, who, each).award) is not None and award.when in dues
    ]
    return tuple(found)


def end_adventure(cards: Cards, have: Mapping[str, int]) -> tuple[Cards, Moves]:
    """All cards return to the deck, and what is counted for an adventure begins anew (MB-CARD-X04).

    `have` are Life Points. Whoever was to be a martyr and is alive has backed out, if the deed was named.
    """
    told: Moves = ()
    for seat in cards.deal.seats:
        if seat.named:
            cards, moves = back_out(cards, seat.who, have.get(seat.who, 0))
            told = (*told, *moves)
    piles = cards.piles.gather(DRAW, lambda place: place not in (DRAW, REMOVED))
    seats = tuple([lasting(each, cards.setting) for each in cards.deal.seats])
    left = tuple([lasting(each, cards.setting) for each in cards.deal.left])
    return cards.but(piles=piles, deal=Deal(seats=seats, left=left)), (*told, Moved("adventure-over"))


# --- Fast Reactions ------------------------------------------------------------------------------------------


def fast(cards: Cards, who: str) -> tuple[Cards, Moves]:
    """Fast Reactions: an extra action at once, as with Haste (MB-CARD-L02).

    Impossible("mb-card-not-in-rounds"), ("mb-card-already-used") for the fourth in an adventure.
    """
    seat = cards.seat(who)
    refuse(not_in_rounds=cards.deal.round is None, already_used=seat.hastes >= FAST)
    return cards.but_seat(seat.but(hastes=seat.hastes + 1, extra=seat.extra + 1)), (Moved("haste", who),)
