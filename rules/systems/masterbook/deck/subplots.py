"""Subplots, and the Life Points that they pay; the end of an adventure.

MB-CARD-05, MB-CARD-S00 to MB-CARD-S10, MB-CARD-P01 to MB-CARD-P03, MB-CARD-X01 to MB-CARD-X04.

The number of a "life-points" change may be negative.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from rules.core.rng import Streams
from rules.systems.masterbook.deck.card_definitions import (
    CardKind,
    Due,
)
from rules.systems.masterbook.deck.deal import (
    deal_out,
    discard_all,
    draw,
    move_to_discard,
    refuse,
    seat_after_adventure,
    spend_card,
)
from rules.systems.masterbook.deck.deck_state import (
    DRAW_PILE,
    FACE,
    REMOVED,
    Cards,
    Deal,
)
from rules.systems.masterbook.formulas.gm_rules import pay_life_points

#: Most subplots of a character that are in effect.
MAX_SUBPLOTS: Final = 2
#: Most Life Points in an adventure for subplots that could not be in effect.
MAX_REFUSAL_AWARDS: Final = 2
_MARTYR: Final = "martyr"


def subplots_in_effect(cards: Cards, who: str) -> tuple[str, ...]:
    """Return a character's subplots that take a place, the earliest first (MB-CARD-S00)."""
    pending = cards.seat(who).pending
    subplots: list[str] = []
    for card in reversed(cards.at(FACE, who)):
        if card not in pending and cards.kind(card, who).type == "subplot":
            subplots.append(card)
    return tuple(subplots)


# --- Life Points ----------------------------------------------------------------------------------


def pay(cards: Cards, who: str, points: int) -> Cards:
    """Return the cards after Life Points were paid, up to the most (MB-GM-06, MB-CARD-S05).

    A debt is paid first. The surplus becomes skill points, or waits for the player to convert it. A
    character without a seat has no debt.
    """
    seat = cards.deal.seat(who)
    debt = 0 if seat is None else min(points, seat.debt)
    paid = pay_life_points(
        who,
        cards.life_points_of(who),
        points - debt,
        convert=cards.setting("award_overflow") != "offer",
        most=cards.setting("life_points_max"),
    )
    gained = paid.life_points - cards.life_points_of(who)
    if debt:
        cards = cards.with_seat_changes(who, debt=cards.seat(who).debt - debt)
        cards = cards.with_change("owed", who, number=debt)
    if gained:
        cards = cards.with_change("life-points", who, number=gained)
    if not paid.surplus:
        return cards
    return cards.with_change("surplus" if paid.lost else "converted", who, number=paid.surplus)


def subplot_award(kind: CardKind, due: Due, earned: bool = True, reduced: bool = False) -> int:
    """Return the Life Points that a subplot pays now (MB-CARD-S00).

    It pays nothing if it is not due, or was not *earned*.
    """
    award = kind.award
    if award is None or award.when != due or not earned:
        return 0
    if reduced and award.reduced is not None:
        return award.reduced
    return award.life_points


# --- decisions and ends ---------------------------------------------------------------------------


def decide(
    cards: Cards, who: str, card: str, allows: bool, keeps: bool, overrules: bool = False
) -> Cards:
    """Return the cards after GM and player decided on a subplot (MB-CARD-05, MB-CARD-S00).

    The GM *allows* it or not, the player *keeps* it or not. A third subplot cannot be in effect,
    unless the GM *overrules* that. Raises Impossible("mb-card-not-pending"), also for a subplot
    that was drawn after another pending one.
    """
    pending = cards.seat(who).pending
    refuse(not_pending=pending[:1] != (card,))
    full = len(subplots_in_effect(cards, who)) >= MAX_SUBPLOTS and not overrules
    if allows and keeps and not full:
        return cards.with_seat_changes(who, pending=pending[1:]).with_change("kept", who, (card,))
    return _pay_for_refusal(move_to_discard(cards, who, (card,), (FACE,)), who, card)


def _pay_for_refusal(cards: Cards, who: str, card: str) -> Cards:
    """Return the cards after a Life Point was paid for a subplot that cannot be in effect.

    An adventure has two such points at most. A point without room on the sheet is not counted.
    """
    seat = cards.seat(who)
    cards = cards.with_change("declined", who, (card,))
    has_room = seat.debt or cards.life_points_of(who) < cards.setting("life_points_max")
    if seat.refusal_awards >= MAX_REFUSAL_AWARDS or not has_room:
        return cards
    return pay(cards, who, 1).with_seat_changes(who, refusal_awards=seat.refusal_awards + 1)


def use_face_up(cards: Cards, who: str, card: str) -> Cards:
    """Return the cards after the GM used one that lies face up (MB-CARD-S01, -S03, -P01).

    Raises Impossible("mb-card-precondition") for a card that is not there, is undecided, or stays.
    """
    refuse(precondition=card not in cards.at(FACE, who) or card in cards.seat(who).pending)
    kind = cards.kind(card, who)
    used = kind.award is None or kind.award.when == "end_of_adventure_if_unused"
    refuse(precondition=kind.type == "subplot" and not used and "stays")
    return move_to_discard(cards, who, (card,), (FACE,)).with_change("used", who, (card,))


def lasting_subplots(cards: Cards, who: str) -> tuple[str, ...]:
    """Return a character's subplots that Campaign may make permanent (MB-CARD-S02)."""
    subplots = subplots_in_effect(cards, who)
    return tuple(card for card in subplots if cards.kind(card, who).lasting)


def campaign(
    cards: Cards, who: str, card: str, subplot: str, approves: bool, rng: Streams
) -> Cards:
    """Return the cards after Campaign was played on the card *subplot* (MB-CARD-S02).

    If the GM *approves*, the subplot becomes permanent. Otherwise the character gets a Life Point.
    Then the character draws a card. Raises Impossible("mb-card-precondition") for a subplot that
    is not in effect or never stays.
    """
    refuse(precondition=subplot not in lasting_subplots(cards, who) and "campaign")
    kind = cards.kind(subplot, who).key
    if approves:
        # The subplot is no longer a card. Its card is discarded first, Campaign comes on top.
        cards = spend_card(_without_subplot(cards, who, subplot), who, card)
        permanent_kinds = tuple(dict.fromkeys((*cards.seat(who).permanent, kind)))
        cards = cards.with_seat_changes(who, permanent=permanent_kinds)
        cards = cards.with_change("permanent", who, (subplot,))
    else:
        cards = _pay_for_refusal(spend_card(cards, who, card), who, card)
    return draw(cards, who, rng)


def end_permanent(cards: Cards, who: str, kind: str) -> Cards:
    """Return the cards with a permanent subplot ended.

    Raises Impossible("mb-card-precondition") if the character has no such subplot.
    """
    kinds = cards.seat(who).permanent
    refuse(precondition=kind not in kinds)
    remaining = tuple(other for other in kinds if other != kind)
    return cards.with_seat_changes(who, permanent=remaining)


def _without_subplot(cards: Cards, who: str, card: str) -> Cards:
    """Return the cards with a subplot discarded. With a Martyr card, its deed is forgotten."""
    is_martyr = cards.kind(card, who).key == _MARTYR
    cards = move_to_discard(cards, who, (card,), (FACE,))
    return cards.with_seat_changes(who, martyr_points=0, deed_named=False) if is_martyr else cards


# --- Martyr ---------------------------------------------------------------------------------------


def martyr_of(cards: Cards, who: str) -> str:
    """Return a character's Martyr card (MB-CARD-S05).

    Raises Impossible("mb-card-precondition") without one in effect.
    """
    martyr = ""
    for card in subplots_in_effect(cards, who):
        if cards.kind(card, who).key == _MARTYR:
            martyr = card
            break
    refuse(precondition=not martyr and "martyr")
    return martyr


def name_martyr_deed(cards: Cards, who: str) -> Cards:
    """Return the cards after the GM named the deed in which a character is to die."""
    cards = cards.with_change("martyr-named", who, (martyr_of(cards, who),))
    return cards.with_seat_changes(who, deed_named=True)


def sacrifice(cards: Cards, who: str) -> Cards:
    """Return the cards after the deed succeeded and the character died: all cards are gone."""
    card = martyr_of(cards, who)
    return deal_out(_without_subplot(cards, who, card).with_change("martyr", who, (card,)), who)


def back_out(cards: Cards, who: str) -> Cards:
    """Return the cards after a character backed out of the deed.

    Twice the Life Points that the card has paid are due. If the character has fewer, all cards are
    discarded and the rest is owed.
    """
    card, seat = martyr_of(cards, who), cards.seat(who)
    due = 2 * seat.martyr_points
    paid = min(cards.life_points_of(who), due)
    cards = _without_subplot(cards, who, card)
    cards = cards.with_seat_changes(who, debt=seat.debt + due - paid)
    cards = cards.with_change("backed-out", who, (card,), due)
    if paid:
        cards = cards.with_change("life-points", who, number=-paid)
    return discard_all(cards, who, "lost-all") if due > paid else cards


# --- payment --------------------------------------------------------------------------------------


def permanent_subplots(cards: Cards, who: str) -> tuple[str, ...]:
    """Return the kinds of a character's permanent subplots that the deck in use has.

    A table's own deck may lack some.
    """
    return tuple(kind for kind in cards.seat(who).permanent if kind in cards.kinds)


def due_subplots(cards: Cards, who: str, dues: Collection[Due]) -> tuple[tuple[str, CardKind], ...]:
    """Return the subplots that the GM judges as played or not (MB-CARD-S00).

    They are cards, and keys of permanent subplots.
    """
    due: list[tuple[str, CardKind]] = []
    for subplot in (*subplots_in_effect(cards, who), *permanent_subplots(cards, who)):
        kind = cards.kind(subplot, who)
        if kind.award is not None and kind.award.when in dues:
            due.append((subplot, kind))
    return tuple(due)


def pay_subplots(
    cards: Cards, who: str, due: Due, unplayed: Collection[str] = (), weak: Collection[str] = ()
) -> Cards:
    """Return the cards after a character's due subplots were paid.

    *unplayed* ones pay nothing. *weak* ones came late or were hardly played. Both are cards, or
    keys of permanent subplots. The Martyr card counts what it pays.
    """
    for subplot, kind in due_subplots(cards, who, (due,)):
        points = subplot_award(kind, due, subplot not in unplayed, subplot in weak)
        if not points:
            continue
        before = len(cards.changes)
        cards = cards.with_change("paid", who, () if subplot in cards.kinds else (subplot,), points)
        cards = pay(cards, who, points)
        if kind.key == _MARTYR:
            received = 0
            for change in cards.changes[before + 1 :]:
                # A surplus doesn't count as paid by the card.
                if change.what not in ("surplus", "converted"):
                    received += change.number
            cards = cards.with_seat_changes(
                who, martyr_points=cards.seat(who).martyr_points + received
            )
    return cards


def end_adventure(cards: Cards) -> Cards:
    """Return the cards after an adventure: all are back in the deck (MB-CARD-X04).

    Counts of the adventure begin anew. A character whose deed as a martyr was named, and who is
    alive, has backed out.
    """
    for seat in cards.deal.seats:
        if seat.deed_named:
            cards = back_out(cards, seat.who)
    piles = cards.piles.gather(DRAW_PILE, lambda place: place not in (DRAW_PILE, REMOVED))
    setting = cards.setting
    seats = tuple(seat_after_adventure(seat, setting) for seat in cards.deal.seats)
    left = tuple(seat_after_adventure(seat, setting) for seat in cards.deal.left)
    cards = cards.replace(piles=piles, deal=Deal(seats=seats, left=left))
    return cards.with_change("adventure-over")
