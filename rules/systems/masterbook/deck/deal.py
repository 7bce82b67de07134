"""Deals, draws, pools and trades of cards, and the start of an adventure.

MB-CARD-03 to MB-CARD-07, MB-CARD-09, MB-CARD-11, MB-CARD-12, MB-CARD-14 to MB-CARD-17, MB-CARD-I14,
MB-CARD-L02.

A refusal raises Impossible and changes nothing. Of several reasons, the first is reported
(MB-CARD-18). Changes to report are in `Cards.changes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rules.core.cards import Piles
from rules.core.errors import Impossible
from rules.core.rng import Streams
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    Face,
    LineEffect,
    Setting,
    card_limit,
    counts_against_limit,
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
    QUEUE,
    REMOVED,
    ROUND,
    TAKEN,
    Cards,
    Deal,
    Flip,
    Place,
    Rounds,
    Scene,
    Seat,
    character_place,
)

#: Cards that the GM takes for fiat (MB-CARD-I14).
FIAT: Final = 4
#: Places of a character's cards, in the order in which they are discarded (MB-CARD-03).
HELD: Final = (HAND, POOL, FACE)


def refusal(code: str, why: object = None) -> Impossible:
    """Return a refusal of MB-CARD-18, with *why* if it is a word for a card's own condition."""
    params = {"why": why} if isinstance(why, str) else {}
    return Impossible(f"mb-card-{code.replace('_', '-')}", **params)


def refuse(**reasons: object) -> None:
    """Raise the refusal of the first reason that is true."""
    for code, why in reasons.items():
        if why:
            raise refusal(code, why)


def is_selection(chosen: Sequence[str], there: Iterable[str]) -> bool:
    """Return whether all *chosen* cards are *there*, each of them once."""
    return {*chosen} <= {*there} and len({*chosen}) == len(chosen)


# --- rules in effect ------------------------------------------------------------------------------


def is_confused(cards: Cards) -> bool:
    """Return whether nobody may play, trade, pool or draw cards in this round (MB-CARD-I13)."""
    return cards.lines.players == "confused"


def action_count(effect: LineEffect, extra: int = 0, *, loses: bool = False) -> int:
    """Return a character's number of actions (MB-CARD-I06, MB-CARD-I08, MB-CARD-E08).

    It is one more for flurry and for each *extra* one, and one fewer for a setback that *loses*
    one.
    """
    return 1 + extra + (effect == "flurry") - (effect == "setback" and loses)


def award_limit(cards: Cards, seat: Seat) -> int:
    """Return how many cards a character may earn, and pool, in this round (MB-CARD-09, -A03)."""
    return action_count(cards.lines.players, seat.extra_actions)


def counted_cards(cards: Cards, who: str) -> tuple[str, ...]:
    """Return the cards of a hand that count against the limit, the newest first (MB-CARD-06)."""
    counted: list[str] = []
    for card in cards.at(HAND, who):
        if counts_against_limit(cards.kind(card), cards.setting):
            counted.append(card)
    return tuple(counted)


def surplus(cards: Cards, who: str) -> int:
    """Return how many cards of a hand are too many (MB-CARD-06)."""
    return max(0, len(counted_cards(cards, who)) - cards.deal.limit)


# --- the piles ------------------------------------------------------------------------------------


def lay_out_deck(faces: Mapping[str, Face], before: Piles | None = None) -> Piles:
    """Return all cards of a deck before they are shuffled (MB-CARD-B01).

    Cards that are not in play are set aside. *before* are the piles of the deck that this one
    replaces: the count of shuffles goes on.
    """
    in_play = tuple(face.id for face in faces.values() if face.in_play)
    removed = tuple(face.id for face in faces.values() if not face.in_play)
    places = {DRAW_PILE: in_play, REMOVED: removed}
    shuffles = 0
    if before is not None:
        shuffles = before.sealed[-1].number if before.sealed else before.opened
    return Piles(
        {place: held for place, held in places.items() if held}, opened=shuffles, faces=FACES
    )


def shuffle_draw_pile(cards: Cards, rng: Streams, what: str) -> Cards:
    """Return the cards with the draw pile shuffled.

    The change to report has the order before, which becomes public.
    """
    before = cards.at(DRAW_PILE)
    cards = cards.replace(piles=cards.piles.shuffle(DRAW_PILE, rng.shuffle, rng.sealed))
    return cards.with_change(what, cards=before, number=len(before))


def refill(cards: Cards, rng: Streams) -> Cards:
    """Return the cards with a card to draw, if any is left (MB-CARD-03).

    If the draw pile is empty, used cards are shuffled into it. The initiative card of this round
    stays where it is.
    """
    if cards.at(DRAW_PILE):
        return cards
    flip = cards.deal.round
    stays = cards.at(INITIATIVE)[:1] if flip is not None and flip.card else ()
    gathered = cards.replace(
        piles=cards.piles.gather(DRAW_PILE, (DISCARD_PILE, INITIATIVE).__contains__)
    )
    gathered = gathered.with_cards_moved(DRAW_PILE, INITIATIVE, *stays)
    if not gathered.at(DRAW_PILE):
        return cards.with_change("deck-exhausted")
    return shuffle_draw_pile(gathered, rng, "reshuffled")


def move_to_discard(
    cards: Cards, who: str, chosen: Sequence[str], places: Sequence[str] = (HAND, POOL)
) -> Cards:
    """Return the cards with a character's cards discarded, the last one on top (MB-CARD-03)."""
    for card in chosen:
        cards = cards.with_cards_moved(place_of(cards, who, card, places), DISCARD_PILE, card)
    return without_card_notes(cards, who, *chosen)


def place_of(cards: Cards, who: str, card: str, places: Sequence[str] = HELD) -> str:
    """Return where a character's card lies. Raises Impossible("mb-card-not-in-hand")."""
    for place in places:
        if card in cards.at(place, who):
            return character_place(place, who)
    raise refusal("not_in_hand")


def spend_card(cards: Cards, who: str, card: str, to: str = DISCARD_PILE) -> Cards:
    """Return the cards after a character has played a card of hand or pool.

    The card goes *to* `ROUND` if it lasts until the end of the round.
    """
    cards = cards.with_cards_moved(place_of(cards, who, card, (POOL, HAND)), to, card)
    cards = without_card_notes(cards, who, card)
    played = [(who, card)]
    for other, last_card in cards.deal.played:
        if other != who and last_card != card:
            played.append((other, last_card))
    return cards.with_deal_changes(played=tuple(played))


def without_card_notes(cards: Cards, who: str, *gone: str) -> Cards:
    """Return the cards without what the character's seat notes of the cards that are *gone*."""
    seat = cards.seat(who)
    if not {*gone} & {*dict(seat.locks), *dict(seat.as_names), *seat.pending}:
        return cards
    return cards.with_seat_changes(
        who,
        locks=tuple(lock for lock in seat.locks if lock[0] not in gone),
        as_names=tuple(name for name in seat.as_names if name[0] not in gone),
        pending=tuple(card for card in seat.pending if card not in gone),
    )


def discard_all(cards: Cards, who: str, what: str, places: Sequence[str] = (HAND, POOL)) -> Cards:
    """Return the cards with all of a character's cards discarded (MB-CARD-03).

    They go in the order received. *what* is the kind of the change.
    """
    lost: list[str] = []
    for place in places:
        lost.extend(cards.at(place, who)[::-1])
    return move_to_discard(cards, who, lost, places).with_change(what, who, lost, len(lost))


# --- drawing --------------------------------------------------------------------------------------


def receive(
    cards: Cards, who: str, card: str, source: str, place: Place, wait: int | None = None
) -> Cards:
    """Return the cards after a character received one as if drawn (MB-CARD-05).

    Where the card goes follows from its kind. *wait* are the rounds before it may be pooled; by
    default as many as the table's setting says. A character with a debt keeps no Life Point card.
    """
    kind, seat = cards.kind(card), cards.seat(who)
    if kind.on_draw != "to_hand":
        cards = cards.with_cards_moved(source, character_place(FACE, who), card)
        if kind.on_draw == "gamemaster" or kind.type != "subplot":
            return cards.with_change("met", who, (card,))
        cards = cards.with_seat_changes(who, pending=(*seat.pending, card))
        return cards.with_change("subplot", who, (card,))
    if seat.debt and kind.op == "life_point":
        cards = cards.with_cards_moved(source, DISCARD_PILE, card)
        cards = cards.with_seat_changes(who, debt=seat.debt - 1)
        return cards.with_change("debt", who, (card,), 1)
    if kind.type == "subplot":
        place = HAND
    cards = cards.with_cards_moved(source, character_place(place, who), card)
    if wait is None:
        wait = cards.setting("hand_lock_other_draws")
    if wait and place == HAND and cards.deal.round is not None:
        locks = (*seat.locks, (card, cards.deal.number + wait))
        cards = cards.with_seat_changes(who, locks=locks)
    return cards.with_change("pooled" if place == POOL else "drawn", who, (card,))


def draw(
    cards: Cards,
    who: str,
    rng: Streams,
    place: Place = HAND,
    count: int = 1,
    *,
    replacement: bool = True,
    wait: int | None = None,
) -> Cards:
    """Return the cards after a character drew *count* of them.

    With *replacement*, another card is drawn for one that does not stay in the hand (MB-CARD-05).
    """
    while count:
        cards = refill(cards, rng)
        if not cards.at(DRAW_PILE):
            break
        card = cards.at(DRAW_PILE)[0]
        cards = receive(cards, who, card, DRAW_PILE, place, wait)
        if not (replacement and cards.kind(card).replacement_draw):
            count -= 1
    return cards


def draw_each(
    cards: Cards,
    numbers: Mapping[str, int],
    rng: Streams,
    place: Place = HAND,
    wait: int | None = None,
) -> Cards:
    """Return the cards after each character drew their number of them, one after the other."""
    for who, count in numbers.items():
        cards = draw(cards, who, rng, place, count, wait=wait)
    return cards


def start(before: Cards, characters: Sequence[str], rng: Streams) -> Cards:
    """Return the cards at the start of an adventure, shuffled and dealt (MB-CARD-04).

    The *characters* are dealt cards in their order. *before* is the deck after the last adventure.
    Raises Impossible("mb-card-bad-count") without a character.
    """
    refuse(bad_count=not characters)
    known_seats = (*before.deal.seats, *before.deal.left)
    kept_seats = {seat.who: seat_after_adventure(seat, before.setting) for seat in known_seats}
    seats = tuple([kept_seats.pop(who, Seat(who)) for who in characters])
    deal = Deal(card_limit(len(characters)), seats, left=tuple(kept_seats.values()))
    cards = before.replace(piles=lay_out_deck(before.faces, before.piles), deal=deal)
    cards = shuffle_draw_pile(cards, rng, "shuffled")
    return draw_each(cards, dict.fromkeys(characters, deal.limit), rng)


def seat_after_adventure(seat: Seat, setting: Setting = default_setting) -> Seat:
    """Return what remains of a seat after an adventure (MB-CARD-X04)."""
    refusals = seat.refusal_awards if setting("reject_award_scope") == "campaign" else 0
    return Seat(seat.who, refusal_awards=refusals, debt=seat.debt, permanent=seat.permanent)


def join(cards: Cards, who: str, rng: Streams) -> Cards:
    """Return the cards after a character joined, last in the order of dealing (MB-CARD-04).

    What the character has used in this adventure stays used.
    """
    left = {seat.who: seat for seat in cards.deal.left}
    seat = left.pop(who, Seat(who))
    cards = cards.with_deal_changes(seats=(*cards.deal.seats, seat), left=tuple(left.values()))
    return draw(cards, who, rng, count=cards.deal.limit)


def deal_out(cards: Cards, who: str) -> Cards:
    """Return the cards after a character died or left (MB-CARD-04).

    All cards of the character are discarded, and nothing is paid.
    """
    cards = discard_all(cards, who, "left", HELD)
    seat = cards.seat(who).replace(
        poolings=0,
        extra_actions=0,
        awards=0,
        moment_declared=False,
        martyr_points=0,
        deed_named=False,
        due="",
    )
    seats = tuple(other for other in cards.deal.seats if other.who != who)
    return cards.with_deal_changes(seats=seats, left=(*cards.deal.left, seat))


def draw_bonus_card(cards: Cards, who: str, rng: Streams) -> Cards:
    """Return the cards after a draw for exceptional roleplaying (MB-CARD-15).

    It is one card in an adventure. A subplot is not replaced by another card.
    Raises Impossible("mb-card-off") and ("mb-card-already-used").
    """
    refuse(
        off=not cards.setting("exceptional_roleplaying_card"),
        already_used=cards.seat(who).bonus_drawn,
    )
    return draw(cards.with_seat_changes(who, bonus_drawn=True), who, rng, replacement=False)


# --- rounds ---------------------------------------------------------------------------------------


def enter(cards: Cards, kind: Rounds, scene: Scene) -> Cards:
    """Return the cards after rounds were declared (MB-CARD-07).

    Hands stay as they are, and cards are no longer played from them.
    """
    refuse(already_in_rounds=cards.deal.round is not None)
    return cards.with_deal_changes(round=Flip(scene=scene, kind=kind), number=0)


def fresh_round(cards: Cards) -> Cards:
    """Return the cards at the start of the next round: counts of the last round are 0."""
    seats: list[Seat] = []
    for seat in cards.deal.seats:
        seats.append(seat.replace(poolings=0, extra_actions=0, awards=0, moment_declared=False))
    return cards.with_deal_changes(seats=tuple(seats), number=cards.deal.number + 1)


def close_round(cards: Cards) -> Cards:
    """Return the cards at the end of a round.

    Cards that lasted for the round are discarded, and all cards of characters whose critical
    moment it was. Earned cards are awarded after this (MB-CARD-12).
    """
    cards = cards.with_cards_moved(ROUND, DISCARD_PILE, *cards.at(ROUND)[::-1])
    for seat in cards.deal.seats:
        if seat.moment_declared:
            cards = discard_all(cards, seat.who, "moment-over")
            cards = cards.with_seat_changes(seat.who, moment_declared=False)
    return cards


def leave(cards: Cards) -> Cards:
    """Return the cards after the last round (MB-CARD-07).

    Pools go back to hands. Players with too many cards have to discard some.
    """
    refuse(not_in_rounds=cards.deal.round is None)
    cards = close_round(cards)
    for who in cards.deal.holders:
        pool_place, hand_place = character_place(POOL, who), character_place(HAND, who)
        cards = cards.with_cards_moved(pool_place, hand_place, *cards.at(POOL, who)[::-1])
        cards = cards.with_seat_changes(who, locks=())
    cards = fresh_round(cards).with_deal_changes(round=None, number=0)
    for who in cards.deal.holders:
        excess = surplus(cards, who)
        if excess:
            cards = cards.with_change("must-discard", who, number=excess)
    return cards


def pool(
    cards: Cards, who: str, card: str, acts: int, surprised: bool = False, ending: bool = False
) -> Cards:
    """Return the cards after a character moved one from hand to pool (MB-CARD-09).

    *acts* are the character's actions in this round; *ending* says that the round ends.

    Raises:
        Impossible: The first of mb-card-not-in-rounds, -confused, -surprised, -not-in-hand,
            -locked, -no-action-yet, -round-on, -limit-reached.
    """
    seat = cards.seat(who)
    refuse(
        not_in_rounds=cards.deal.round is None,
        confused=is_confused(cards),
        surprised=surprised,
        not_in_hand=card not in cards.at(HAND, who),
        locked=dict(seat.locks).get(card, 0) > cards.deal.number,
        no_action_yet=not acts,
        round_on=cards.setting("pool_timing") == "end_of_round" and not ending,
        limit_reached=seat.poolings >= min(acts, award_limit(cards, seat)),
    )
    hand_place, pool_place = character_place(HAND, who), character_place(POOL, who)
    cards = cards.with_cards_moved(hand_place, pool_place, card)
    cards = without_card_notes(cards, who, card)
    cards = cards.with_seat_changes(who, poolings=seat.poolings + 1)
    return cards.with_change("pooled", who, (card,))


def declare_critical_moment(cards: Cards, who: str) -> Cards:
    """Return the cards after a player declared the critical moment (MB-CARD-12).

    For the rest of the round, any card of hand and pool may be played. Raises
    Impossible("mb-card-not-in-rounds"), ("mb-card-confused") and ("mb-card-already-used").
    """
    used = cards.seat(who).moment_used
    refuse(not_in_rounds=cards.deal.round is None, confused=is_confused(cards), already_used=used)
    return cards.with_seat_changes(who, moment_used=True, moment_declared=True).with_change(
        "moment", who
    )


# --- trading and discarding -----------------------------------------------------------------------


def trade(cards: Cards, one: str, other: str, given: Sequence[str], taken: Sequence[str]) -> Cards:
    """Return the cards after two players traded equal numbers of them (MB-CARD-11).

    They trade from hands, in rounds from pools. Raises the first of
    Impossible("mb-card-confused"), ("-not-in-pool"), ("-not-in-hand"), ("-unequal").
    """
    place, sides = cards.place, ((one, other, given), (other, one, taken))
    refuse(confused=is_confused(cards))
    for who, _, chosen in sides:
        cards.seat(who)
        if not {*chosen} <= {*cards.at(place, who)}:
            raise refusal(f"not_in_{place}")
    refuse(unequal=not given or len({*given}) != len({*taken}) or one == other)
    for who, receiver, chosen in sides:
        source, target = character_place(place, who), character_place(place, receiver)
        cards = cards.with_cards_moved(source, target, *chosen)
        cards = without_card_notes(cards, who, *chosen)
    cards = cards.with_change("traded", one, given).with_change("traded", other, taken)
    return collect_debts(cards)


def collect_debts(cards: Cards) -> Cards:
    """Return the cards after characters in debt paid with the Life Point cards that they hold."""
    for who in cards.deal.holders:
        held = (*cards.at(HAND, who), *cards.at(POOL, who))
        points = [card for card in held if cards.kind(card).op == "life_point"]
        for card in points[: cards.seat(who).debt]:
            cards = cards.with_seat_changes(who, debt=cards.seat(who).debt - 1)
            cards = move_to_discard(cards, who, (card,))
            cards = cards.with_change("debt", who, (card,), 1)
    return cards


def discard(cards: Cards, who: str, chosen: Sequence[str]) -> Cards:
    """Return the cards after a character discarded some of a hand (MB-CARD-06).

    Raises Impossible("mb-card-not-in-hand").
    """
    refuse(not_in_hand=not {*chosen} <= {*cards.at(HAND, who)})
    cards = move_to_discard(cards, who, chosen, (HAND,))
    return cards.with_change("discarded", who, chosen, len(chosen))


def replenish(cards: Cards, who: str, chosen: Sequence[str], rng: Streams) -> Cards:
    """Return the cards after a character replenished at the end of a scene or act (MB-CARD-14).

    The character discards the *chosen* cards and draws up to the limit. Raises
    Impossible("mb-card-not-in-hand"), or ("mb-card-must-discard") with too many cards left.
    """
    if chosen:
        cards = discard(cards, who, chosen)
    refuse(must_discard=surplus(cards, who))
    return draw(cards, who, rng, count=cards.deal.limit - len(counted_cards(cards, who)))


# --- cards that move cards, and the GM ------------------------------------------------------------


def claimable_card(cards: Cards, who: str) -> str:
    """Return the card that a Claim would take (MB-CARD-E04).

    Raises Impossible("mb-card-discard-empty").
    """
    discards = cards.at(DISCARD_PILE)
    claimable_cards: list[str] = [*discards]
    if cards.setting("claim_source") == "last_card_played_by_another":
        claimable_cards = []
        for other, card in cards.deal.played:
            if other != who and card in discards:
                claimable_cards.append(card)
    refuse(discard_empty=not claimable_cards)
    return claimable_cards[0]


def claim(cards: Cards, who: str, card: str, rng: Streams) -> Cards:
    """Return the cards after a Claim took a used card (MB-CARD-E04). Raises as `claimable_card`."""
    taken = claimable_card(cards, who)
    cards = receive(cards.with_change("claimed", who, (taken,)), who, taken, DISCARD_PILE, HAND)
    # A claimed card is not a drawn one.
    return spend_card(cards.without_changes("drawn"), who, card)


#: Cards to give away, by the character who receives them.
Gifts = Sequence[tuple[str, Sequence[str]]]


def leadership(cards: Cards, who: str, card: str, gifts: Gifts, draws: bool, rng: Streams) -> Cards:
    """Return the cards after Leadership: gifts to others, two cards drawn, or both (MB-CARD-E11).

    Raises Impossible("mb-card-precondition") for too many gifts, or neither gifts nor cards drawn.
    """
    count = cards.kind(card).count or KINDS["leadership"].count
    most_gifts = KINDS["leadership"].amount
    given: list[str] = []
    for _, chosen in gifts:
        given.extend(chosen)
    fits = len(given) <= most_gifts and is_selection(given, {*cards.held_cards(who)} - {card})
    fits = fits and bool(given or draws)
    fits = fits and {receiver for receiver, _ in gifts} <= {*cards.deal.holders} - {who}
    refuse(precondition=not fits and "gifts")
    cards = spend_card(cards, who, card)
    for receiver, chosen in gifts:
        for gift in chosen:
            cards = without_card_notes(cards, who, gift).with_change("given", who, (gift,))
            source = place_of(cards, who, gift, (HAND, POOL))
            place = _receiving_place(cards, "leadership_gifts_to")
            cards = receive(cards, receiver, gift, source, place, 0)
    return draw(cards, who, rng, count=count) if draws else cards


def _receiving_place(cards: Cards, setting: str) -> Place:
    """Return where a card by Leadership or Rally goes: to the hand, or in rounds to the pool."""
    return cards.place if cards.setting(setting) == POOL else HAND


def rally(cards: Cards, who: str, card: str, rng: Streams) -> Cards:
    """Return the cards after a Rally: all characters draw, in their order (MB-CARD-E14)."""
    numbers = dict.fromkeys(cards.deal.holders, cards.kind(card).count or KINDS["rally"].count)
    cards = spend_card(cards, who, card)
    return draw_each(cards, numbers, rng, _receiving_place(cards, "rally_to"))


def take(cards: Cards, rng: Streams) -> Cards:
    """Return the cards after the GM took the next four aside, if there are as many (MB-CARD-I14).

    Raises Impossible("mb-card-off"), or ("mb-card-taken") while cards are aside.
    """
    refuse(off=not cards.setting("gamemaster_fiat"), taken=cards.at(TAKEN))
    for _ in range(FIAT):
        cards = refill(cards, rng)
        if not cards.at(DRAW_PILE):
            break
        cards = cards.with_cards_moved(DRAW_PILE, TAKEN, cards.at(DRAW_PILE)[0])
    return cards


def queue_fiat_cards(cards: Cards, kept: Sequence[str]) -> Cards:
    """Return the cards with those that the GM *kept* as the next flips (MB-CARD-I14).

    They are flipped in this order. The other cards taken aside are discarded. Raises
    Impossible("mb-card-precondition") for a card that was not taken.
    """
    taken = cards.at(TAKEN)[::-1]
    refuse(precondition=not is_selection(kept, taken))
    unused = [card for card in taken if card not in kept]
    cards = cards.with_cards_moved(TAKEN, DISCARD_PILE, *unused)
    cards = cards.with_cards_moved(TAKEN, QUEUE, *reversed(kept))
    return cards.with_change("fiat", number=len(kept))


def stack(cards: Cards, order: Sequence[str]) -> Cards:
    """Return the cards with some of the draw pile stacked on top of it, the first one uppermost.

    Raises Impossible("mb-card-precondition").
    """
    refuse(precondition=not is_selection(order, cards.at(DRAW_PILE)))
    cards = cards.with_cards_moved(DRAW_PILE, TAKEN, *order)
    return cards.with_cards_moved(TAKEN, DRAW_PILE, *reversed(order))


# --- Fast Reactions -------------------------------------------------------------------------------

#: Extra actions that Fast Reactions give in an adventure (MB-CARD-L02).
FAST: Final = 3


def use_fast_reactions(cards: Cards, who: str, most: int = FAST) -> Cards:
    """Return the cards after Fast Reactions: an extra action at once, as with Haste (MB-CARD-L02).

    Raises Impossible("mb-card-not-in-rounds"), or ("mb-card-already-used") if they were used
    *most* times in this adventure.
    """
    seat = cards.seat(who)
    refuse(not_in_rounds=cards.deal.round is None, already_used=seat.hastes >= most)
    cards = cards.with_seat_changes(
        who, hastes=seat.hastes + 1, extra_actions=seat.extra_actions + 1
    )
    return cards.with_change("haste", who)
