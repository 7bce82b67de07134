"""Cards from the deck to people and back: deals, draws, pools, trades, ends; subplots and what they
pay.

MB-CARD-03 to MB-CARD-07, MB-CARD-09, MB-CARD-11, MB-CARD-12, MB-CARD-14 to MB-CARD-17, MB-CARD-I14,
MB-CARD-S00 to MB-CARD-S10, MB-CARD-P01 to MB-CARD-P03, MB-CARD-X01 to MB-CARD-X04, MB-CARD-L02.
Whatever is refused raises Impossible and changes nothing; of several reasons the first is told
(MB-CARD-18). What has happened the cards tell afterwards; of the kind "life-points" it is how many
more somebody has now, or fewer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from rules.core.cards import Piles
from rules.core.errors import Impossible
from rules.core.rng import Streams
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    CardKind,
    Due,
    Face,
    LineEffect,
    Setting,
    card_limit,
    counts,
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
from rules.systems.masterbook.formulas.gm_rules import pay_life_points

#: How many cards a GM takes for fiat (MB-CARD-I14).
FIAT: Final = 4
#: Everything that somebody holds, in the order in which it is discarded (MB-CARD-03).
HELD: Final = (HAND, POOL, FACE)


def refusal(code: str, why: object = None) -> Impossible:
    """A refusal of MB-CARD-18; `why`, in a word, where a card's own conditions are not met."""
    said = {"why": why} if isinstance(why, str) else {}
    return Impossible(f"mb-card-{code.replace('_', '-')}", **said)


def refuse(**reasons: object) -> None:
    """Raises the first of these refusals that applies, for a reason or because it is so."""
    for code, why in reasons.items():
        if why:
            raise refusal(code, why)


def among(chosen: Sequence[str], there: Iterable[str]) -> bool:
    """Whether all that were chosen are there, each another one."""
    return {*chosen} <= {*there} and len({*chosen}) == len(chosen)


# --- what is in force -----------------------------------------------------------------------------


def is_confused(cards: Cards) -> bool:
    """Whether nobody may play, trade, pool or draw in this round (MB-CARD-I13)."""
    return cards.lines.players == "confused"


def actions(effect: LineEffect, extra: int = 0, *, loses: bool = False) -> int:
    """How many actions somebody has: one more by flurry and each haste, one fewer by a setback that
    `loses` one.

    MB-CARD-I06, MB-CARD-I08, MB-CARD-E08.
    """
    return 1 + extra + (effect == "flurry") - (effect == "setback" and loses)


def award_limit(cards: Cards, seat: Seat) -> int:
    """How many cards somebody may earn in this round, and pool as many (MB-CARD-09,
    MB-CARD-A03).
    """
    return actions(cards.lines.players, seat.extra)


def subplots_in_effect(cards: Cards, who: str) -> tuple[str, ...]:
    """The subplots of somebody that take a place, the one laid there first at the front
    (MB-CARD-S00).
    """
    pending, lying = cards.seat(who).pending, reversed(cards.at(FACE, who))
    return tuple(
        [each for each in lying if each not in pending and cards.kind(each, who).type == "subplot"]
    )


def counted_cards(cards: Cards, who: str) -> tuple[str, ...]:
    """The cards of a hand that count against the limit, the one received last first
    (MB-CARD-06).
    """
    return tuple([each for each in cards.at(HAND, who) if counts(cards.kind(each), cards.setting)])


def surplus(cards: Cards, who: str) -> int:
    """How many cards of a hand are too many (MB-CARD-06)."""
    return max(0, len(counted_cards(cards, who)) - cards.deal.limit)


# --- the piles ------------------------------------------------------------------------------------


def lay_out_deck(faces: Mapping[str, Face], before: Piles | None = None) -> Piles:
    """All cards of a deck as they lie before they are shuffled; those not in play are out of it
    (MB-CARD-B01).

    `before` is where another deck lay of which it takes the place: it tells how many shuffles there
    were.
    """
    places = {
        DRAW_PILE: tuple([each.id for each in faces.values() if each.in_play]),
        REMOVED: tuple([each.id for each in faces.values() if not each.in_play]),
    }
    shuffles = 0 if before is None else before.sealed[-1].number if before.sealed else before.opened
    return Piles(
        {place: held for place, held in places.items() if held}, opened=shuffles, faces=FACES
    )


def shuffle_draw_pile(cards: Cards, rng: Streams, what: str) -> Cards:
    """The same with the draw pile in a new order; what is published of the one before it tells."""
    before = cards.at(DRAW_PILE)
    cards = cards.replace(piles=cards.piles.shuffle(DRAW_PILE, rng.shuffle, rng.sealed))
    return cards.tell(what, cards=before, number=len(before))


def refill(cards: Cards, rng: Streams) -> Cards:
    """The deck with something to draw: used cards are shuffled when the pile is empty (MB-CARD-03).

    The initiative card of this round stays where it is.
    """
    if cards.at(DRAW_PILE):
        return cards
    flip = cards.deal.round
    stays = cards.at(INITIATIVE)[:1] if flip is not None and flip.card else ()
    gathered = cards.replace(
        piles=cards.piles.gather(DRAW_PILE, (DISCARD_PILE, INITIATIVE).__contains__)
    )
    gathered = gathered.with_cards_moved(DRAW_PILE, INITIATIVE, *stays)
    return (
        shuffle_draw_pile(gathered, rng, "reshuffled")
        if gathered.at(DRAW_PILE)
        else cards.tell("deck-exhausted")
    )


def move_to_discard(
    cards: Cards, who: str, chosen: Sequence[str], places: Sequence[str] = (HAND, POOL)
) -> Cards:
    """The same with cards of somebody's on the discard pile, the last one on top (MB-CARD-03)."""
    for each in chosen:
        cards = cards.with_cards_moved(place_of(cards, who, each, places), DISCARD_PILE, each)
    return without_card_notes(cards, who, *chosen)


def place_of(cards: Cards, who: str, card: str, places: Sequence[str] = HELD) -> str:
    """Where a card of somebody's lies; Impossible("mb-card-not-in-hand")."""
    for place in places:
        if card in cards.at(place, who):
            return character_place(place, who)
    raise refusal("not_in_hand")


def spend_card(cards: Cards, who: str, card: str, to: str = DISCARD_PILE) -> Cards:
    """The same once somebody has played a card of hand or pool; `to` is `ROUND` for what lasts as
    long.
    """
    cards = without_card_notes(
        cards.with_cards_moved(place_of(cards, who, card, (POOL, HAND)), to, card), who, card
    )
    others = [each for each in cards.deal.played if each[0] != who and each[1] != card]
    return cards.with_deal_changes(played=((who, card), *others))


def without_card_notes(cards: Cards, who: str, *gone: str) -> Cards:
    """The same with nothing noted of these cards any more."""
    seat = cards.seat(who)
    if not {*gone} & {*dict(seat.locks), *dict(seat.as_names), *seat.pending}:
        return cards
    return cards.with_seat_changes(
        who,
        locks=tuple([each for each in seat.locks if each[0] not in gone]),
        as_names=tuple([each for each in seat.as_names if each[0] not in gone]),
        pending=tuple([each for each in seat.pending if each not in gone]),
    )


def discard_all(cards: Cards, who: str, what: str, places: Sequence[str] = (HAND, POOL)) -> Cards:
    """Everything of somebody's there comes on the discard pile, in the order received (MB-CARD-03):
    `what` it is.
    """
    lost = [each for place in places for each in cards.at(place, who)[::-1]]
    return move_to_discard(cards, who, lost, places).tell(what, who, lost, len(lost))


# --- drawing --------------------------------------------------------------------------------------


def receive(
    cards: Cards, who: str, card: str, source: str, place: Place, wait: int | None = None
) -> Cards:
    """One card comes to somebody as if drawn: where it goes follows from what it is (MB-CARD-05).

    `wait` are rounds before it may be pooled, as many as the table has agreed on where that is not
    said. Who owes for a Martyr's deed keeps no card that is a Life Point.
    """
    kind, seat = cards.kind(card), cards.seat(who)
    if kind.on_draw != "to_hand":
        cards = cards.with_cards_moved(source, character_place(FACE, who), card)
        if kind.on_draw == "gamemaster" or kind.type != "subplot":
            return cards.tell("met", who, (card,))
        return cards.with_seat_changes(who, pending=(*seat.pending, card)).tell(
            "subplot", who, (card,)
        )
    if seat.debt and kind.op == "life_point":
        return (
            cards.with_cards_moved(source, DISCARD_PILE, card)
            .with_seat_changes(who, debt=seat.debt - 1)
            .tell("debt", who, (card,), 1)
        )
    place = HAND if kind.type == "subplot" else place
    cards = cards.with_cards_moved(source, character_place(place, who), card)
    wait = cards.setting("hand_lock_other_draws") if wait is None else wait
    if wait and place == HAND and cards.deal.round is not None:
        cards = cards.with_seat_changes(who, locks=(*seat.locks, (card, cards.deal.number + wait)))
    return cards.tell("pooled" if place == POOL else "drawn", who, (card,))


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
    """Somebody draws; for what does not stay with them another card is drawn (MB-CARD-05)."""
    while count:
        cards = refill(cards, rng)
        if not cards.at(DRAW_PILE):
            break
        card = cards.at(DRAW_PILE)[0]
        cards = receive(cards, who, card, DRAW_PILE, place, wait)
        count -= not (replacement and cards.kind(card).replacement_draw)
    return cards


def draw_each(
    cards: Cards,
    numbers: Mapping[str, int],
    rng: Streams,
    place: Place = HAND,
    wait: int | None = None,
) -> Cards:
    """Each of these draws so many, one after the other."""
    for who, count in numbers.items():
        cards = draw(cards, who, rng, place, count, wait=wait)
    return cards


def start(before: Cards, characters: Sequence[str], rng: Streams) -> Cards:
    """An adventure begins: the deck is shuffled and dealt to these characters in their order
    (MB-CARD-04).

    `before` is how things stood after the adventure before it. Impossible("mb-card-bad-count") for
    nobody.
    """
    refuse(bad_count=not characters)
    known = (*before.deal.seats, *before.deal.left)
    seats = {each.who: seat_after_adventure(each, before.setting) for each in known}
    dealt = tuple([seats.pop(each, Seat(each)) for each in characters])
    deal = Deal(card_limit(len(characters)), dealt, left=tuple(seats.values()))
    cards = before.replace(piles=lay_out_deck(before.faces, before.piles), deal=deal)
    return draw_each(
        shuffle_draw_pile(cards, rng, "shuffled"), dict.fromkeys(characters, deal.limit), rng
    )


def seat_after_adventure(seat: Seat, setting: Setting = default_setting) -> Seat:
    """What stays of a seat after an adventure (MB-CARD-X04)."""
    refusals = seat.refused if setting("reject_award_scope") == "campaign" else 0
    return Seat(seat.who, refused=refusals, debt=seat.debt, permanent=seat.permanent)


def join(cards: Cards, who: str, rng: Streams) -> Cards:
    """Somebody joins and is dealt in, last in the order (MB-CARD-04); what they had used up stays
    so.
    """
    left = {each.who: each for each in cards.deal.left}
    seat = left.pop(who, Seat(who))
    cards = cards.with_deal_changes(seats=(*cards.deal.seats, seat), left=tuple(left.values()))
    return draw(cards, who, rng, count=cards.deal.limit)


def deal_out(cards: Cards, who: str) -> Cards:
    """Somebody dies or leaves: everything of theirs is discarded, and nothing is paid
    (MB-CARD-04).
    """
    cards = discard_all(cards, who, "left", HELD)
    seat = cards.seat(who).replace(
        poolings=0, extra=0, awards=0, declared=False, martyr=0, named=False, due=""
    )
    seats = tuple([each for each in cards.deal.seats if each.who != who])
    return cards.with_deal_changes(seats=seats, left=(*cards.deal.left, seat))


def draw_bonus_card(cards: Cards, who: str, rng: Streams) -> Cards:
    """One card for exceptional roleplaying, once in an adventure; a subplot stays the only one
    (MB-CARD-15).
    """
    refuse(
        off=not cards.setting("exceptional_roleplaying_card"), already_used=cards.seat(who).bonus
    )
    return draw(cards.with_seat_changes(who, bonus=True), who, rng, replacement=False)


# --- rounds ---------------------------------------------------------------------------------------


def enter(cards: Cards, kind: Rounds, scene: Scene) -> Cards:
    """Rounds are declared; what is in a hand stays there, and is no longer played from it
    (MB-CARD-07).
    """
    refuse(already_in_rounds=cards.deal.round is not None)
    return cards.with_deal_changes(round=Flip(scene=scene, kind=kind), number=0)


def fresh_round(cards: Cards) -> Cards:
    """The same with nothing counted of what each does in a round; it is the next one."""
    seats = tuple(
        [each.replace(poolings=0, extra=0, awards=0, declared=False) for each in cards.deal.seats]
    )
    return cards.with_deal_changes(seats=seats, number=cards.deal.number + 1)


def close_round(cards: Cards) -> Cards:
    """A round ends: what lasted as long is discarded, and all that those hold whose critical moment
    it was.

    Cards earned in it are awarded after this (MB-CARD-12).
    """
    cards = cards.with_cards_moved(ROUND, DISCARD_PILE, *cards.at(ROUND)[::-1])
    for seat in cards.deal.seats:
        if seat.declared:
            cards = discard_all(cards, seat.who, "moment-over").with_seat_changes(
                seat.who, declared=False
            )
    return cards


def leave(cards: Cards) -> Cards:
    """Rounds are over: pools go back to hands, and who holds too many has to discard
    (MB-CARD-07).
    """
    refuse(not_in_rounds=cards.deal.round is None)
    cards = close_round(cards)
    for who in cards.deal.holders:
        cards = cards.with_cards_moved(
            character_place(POOL, who), character_place(HAND, who), *cards.at(POOL, who)[::-1]
        ).with_seat_changes(who, locks=())
    cards = fresh_round(cards).with_deal_changes(round=None, number=0)
    for who in cards.deal.holders:
        if over := surplus(cards, who):
            cards = cards.tell("must-discard", who, number=over)
    return cards


def pool(
    cards: Cards, who: str, card: str, acts: int, surprised: bool = False, ending: bool = False
) -> Cards:
    """One card from hand to pool, after an action (MB-CARD-09).

    `acts` are somebody's actions of this round, `ending` tells that the round ends. Impossible, the
    first of:
    mb-card-not-in-rounds, -confused, -surprised, -not-in-hand, -locked, -no-action-yet, -round-on,
    -limit-reached.
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
    cards = without_card_notes(
        cards.with_cards_moved(character_place(HAND, who), character_place(POOL, who), card),
        who,
        card,
    )
    return cards.with_seat_changes(who, poolings=seat.poolings + 1).tell("pooled", who, (card,))


def declare_critical_moment(cards: Cards, who: str) -> Cards:
    """Playing for the critical moment: any card of hand and pool for the rest of the round
    (MB-CARD-12).
    """
    used = cards.seat(who).moment
    refuse(not_in_rounds=cards.deal.round is None, confused=is_confused(cards), already_used=used)
    return cards.with_seat_changes(who, moment=True, declared=True).tell("moment", who)


# --- trading and discarding -----------------------------------------------------------------------


def trade(cards: Cards, one: str, other: str, given: Sequence[str], taken: Sequence[str]) -> Cards:
    """As many cards both ways: of hands, in rounds of pools (MB-CARD-11).

    Impossible, the first of: mb-card-confused, -not-in-pool, -not-in-hand, -unequal.
    """
    place, sides = cards.place, ((one, other, given), (other, one, taken))
    refuse(confused=is_confused(cards))
    for who, _, chosen in sides:
        cards.seat(who)
        if not {*chosen} <= {*cards.at(place, who)}:
            raise refusal(f"not_in_{place}")
    refuse(unequal=not given or len({*given}) != len({*taken}) or one == other)
    for who, to, chosen in sides:
        cards = without_card_notes(
            cards.with_cards_moved(
                character_place(place, who), character_place(place, to), *chosen
            ),
            who,
            *chosen,
        )
    return collect_debts(cards.tell("traded", one, given).tell("traded", other, taken))


def collect_debts(cards: Cards) -> Cards:
    """The same once those who owe have paid with the cards that they came to hold."""
    for who in cards.deal.holders:
        held = (*cards.at(HAND, who), *cards.at(POOL, who))
        points = [each for each in held if cards.kind(each).op == "life_point"]
        for each in points[: cards.seat(who).debt]:
            cards = move_to_discard(
                cards.with_seat_changes(who, debt=cards.seat(who).debt - 1), who, (each,)
            )
            cards = cards.tell("debt", who, (each,), 1)
    return cards


def discard(cards: Cards, who: str, chosen: Sequence[str]) -> Cards:
    """Cards of a hand that somebody throws away (MB-CARD-06). Impossible("mb-card-not-in-hand")."""
    refuse(not_in_hand=not {*chosen} <= {*cards.at(HAND, who)})
    return move_to_discard(cards, who, chosen, (HAND,)).tell("discarded", who, chosen, len(chosen))


def replenish(cards: Cards, who: str, chosen: Sequence[str], rng: Streams) -> Cards:
    """A scene or act is over: somebody discards what they like and draws up to the limit
    (MB-CARD-14).

    Impossible("mb-card-not-in-hand"), ("mb-card-must-discard") with too many cards left.
    """
    cards = discard(cards, who, chosen) if chosen else cards
    refuse(must_discard=surplus(cards, who))
    return draw(cards, who, rng, count=cards.deal.limit - len(counted_cards(cards, who)))


# --- cards that move cards, and the GM ------------------------------------------------------------


def claimable(cards: Cards, who: str) -> str:
    """The card that somebody's Claim takes (MB-CARD-E04). Impossible("mb-card-discard-empty")."""
    there = cards.at(DISCARD_PILE)
    if cards.setting("claim_source") == "last_card_played_by_another":
        there = tuple([card for each, card in cards.deal.played if each != who and card in there])
    refuse(discard_empty=not there)
    return there[0]


def claim(cards: Cards, who: str, card: str, rng: Streams) -> Cards:
    """Claim: its holder takes a used card for it (MB-CARD-E04). Raises as `claimable`."""
    taken = claimable(cards, who)
    cards = receive(cards.tell("claimed", who, (taken,)), who, taken, DISCARD_PILE, HAND)
    # A claimed card is not a drawn one.
    return spend_card(cards.without_changes("drawn"), who, card)


Gifts = Sequence[tuple[str, Sequence[str]]]


def leadership(cards: Cards, who: str, card: str, gifts: Gifts, draws: bool, rng: Streams) -> Cards:
    """Leadership: cards for other players, two cards for its holder, or both (MB-CARD-E11).

    Impossible("mb-card-precondition") for too many, for nobody and nothing.
    """
    count, most = cards.kind(card).count or KINDS["leadership"].count, KINDS["leadership"].amount
    given = [each for _, chosen in gifts for each in chosen]
    fits = len(given) <= most and among(given, {*cards.held(who)} - {card}) and bool(given or draws)
    refuse(
        precondition=not (fits and {to for to, _ in gifts} <= {*cards.deal.holders} - {who})
        and "gifts"
    )
    cards = spend_card(cards, who, card)
    for to, chosen in gifts:
        for each in chosen:
            cards = without_card_notes(cards, who, each).tell("given", who, (each,))
            source = place_of(cards, who, each, (HAND, POOL))
            cards = receive(cards, to, each, source, _reached(cards, "leadership_gifts_to"), 0)
    return draw(cards, who, rng, count=count) if draws else cards


def _reached(cards: Cards, setting: str) -> Place:
    """Where a card for everybody comes to: in rounds the pool, where the table has it so."""
    return cards.place if cards.setting(setting) == POOL else HAND


def rally(cards: Cards, who: str, card: str, rng: Streams) -> Cards:
    """Rally: everybody draws, in their order, in rounds into the pool (MB-CARD-E14)."""
    numbers = dict.fromkeys(cards.deal.holders, cards.kind(card).count or KINDS["rally"].count)
    return draw_each(spend_card(cards, who, card), numbers, rng, _reached(cards, "rally_to"))


def take(cards: Cards, rng: Streams) -> Cards:
    """A GM takes the next four cards aside, fewer where there are no more (MB-CARD-I14).

    Impossible("mb-card-off"), ("mb-card-taken") while there are such cards.
    """
    refuse(off=not cards.setting("gamemaster_fiat"), taken=cards.at(TAKEN))
    for _ in range(FIAT):
        cards = refill(cards, rng)
        if not cards.at(DRAW_PILE):
            break
        cards = cards.with_cards_moved(DRAW_PILE, TAKEN, cards.at(DRAW_PILE)[0])
    return cards


def queue_fiat_cards(cards: Cards, kept: Sequence[str]) -> Cards:
    """What a GM took aside: these are the next flips in this order, the others are used
    (MB-CARD-I14).

    Impossible("mb-card-precondition") for a card that was not taken.
    """
    taken = cards.at(TAKEN)[::-1]
    refuse(precondition=not among(kept, taken))
    cards = cards.with_cards_moved(
        TAKEN, DISCARD_PILE, *[each for each in taken if each not in kept]
    )
    return cards.with_cards_moved(TAKEN, QUEUE, *reversed(kept)).tell("fiat", number=len(kept))


def stack(cards: Cards, order: Sequence[str]) -> Cards:
    """These cards of the draw pile on top of it, the first one uppermost.
    Impossible("mb-card-precondition").
    """
    refuse(precondition=not among(order, cards.at(DRAW_PILE)))
    return cards.with_cards_moved(DRAW_PILE, TAKEN, *order).with_cards_moved(
        TAKEN, DRAW_PILE, *reversed(order)
    )


# --- Life Points ----------------------------------------------------------------------------------

#: The most subplots of somebody that are in effect, and the most Life Points for those that cannot
#: be.
MAX_SUBPLOTS: Final = 2
REFUSED: Final = 2
#: The extra actions that Fast Reactions give in an adventure (MB-CARD-L02).
FAST: Final = 3
_MARTYR: Final = "martyr"


def pay(cards: Cards, who: str, points: int) -> Cards:
    """Give a player Life Points, up to the most; a debt is paid first (MB-GM-06, MB-CARD-S05).

    The surplus becomes skill points, or waits for the player to convert it. A character without a
    seat owes nothing.
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
    came = paid.life_points - cards.life_points_of(who)
    if debt:
        cards = cards.with_seat_changes(who, debt=cards.seat(who).debt - debt).tell(
            "owed", who, number=debt
        )
    cards = cards.tell("life-points", who, number=came) if came else cards
    if not paid.surplus:
        return cards
    return cards.tell("surplus" if paid.lost else "converted", who, number=paid.surplus)


def subplot_award(kind: CardKind, due: Due, earned: bool = True, reduced: bool = False) -> int:
    """What a subplot pays now: nothing where it is not due, or was not played as it should be
    (MB-CARD-S00).
    """
    award = kind.award
    if award is None or award.when != due or not earned:
        return 0
    return award.reduced if reduced and award.reduced is not None else award.life_points


# --- subplots -------------------------------------------------------------------------------------


def decide(
    cards: Cards, who: str, card: str, allows: bool, keeps: bool, overrules: bool = False
) -> Cards:
    """The GM allows a subplot or not, the player keeps it or not.

    A third one cannot be in effect, unless the GM overrules that.
    Impossible("mb-card-not-pending"), for one that was drawn later than another too (MB-CARD-05,
    MB-CARD-S00).
    """
    pending = cards.seat(who).pending
    refuse(not_pending=pending[:1] != (card,))
    full = len(subplots_in_effect(cards, who)) >= MAX_SUBPLOTS and not overrules
    if allows and keeps and not full:
        return cards.with_seat_changes(who, pending=pending[1:]).tell("kept", who, (card,))
    return _consoled(move_to_discard(cards, who, (card,), (FACE,)), who, card)


def _consoled(cards: Cards, who: str, card: str) -> Cards:
    """A Life Point for a subplot that cannot be, two at the most; one that there is no room for is
    not counted.
    """
    seat = cards.seat(who)
    cards = cards.tell("declined", who, (card,))
    room = seat.debt or cards.life_points_of(who) < cards.setting("life_points_max")
    if seat.refused >= REFUSED or not room:
        return cards
    return pay(cards, who, 1).with_seat_changes(who, refused=seat.refused + 1)


def use_face_up(cards: Cards, who: str, card: str) -> Cards:
    """A GM uses a card that lies before somebody, and it is gone (MB-CARD-S01, MB-CARD-S03,
    MB-CARD-P01).

    Impossible("mb-card-precondition") for one that is not there, that is not decided on, or that
    stays.
    """
    refuse(precondition=card not in cards.at(FACE, who) or card in cards.seat(who).pending)
    kind = cards.kind(card, who)
    used = kind.award is None or kind.award.when == "end_of_adventure_if_unused"
    refuse(precondition=kind.type == "subplot" and not used and "stays")
    return move_to_discard(cards, who, (card,), (FACE,)).tell("used", who, (card,))


def lasting_subplots(cards: Cards, who: str) -> tuple[str, ...]:
    """The subplots of somebody that Campaign may make permanent (MB-CARD-S02)."""
    return tuple([each for each in subplots_in_effect(cards, who) if cards.kind(each, who).lasting])


def campaign(
    cards: Cards, who: str, card: str, subplot: str, approves: bool, rng: Streams
) -> Cards:
    """Campaign: a subplot in effect becomes permanent, or its holder gets a Life Point; then a card
    (MB-CARD-S02).

    `subplot` is the card. Impossible("mb-card-precondition") for one that is not in effect or never
    stays.
    """
    refuse(precondition=subplot not in lasting_subplots(cards, who) and "campaign")
    kind = cards.kind(subplot, who).key
    if approves:  # what it was played on is no card any more, and Campaign comes to lie on it
        cards = spend_card(_over(cards, who, subplot), who, card)
        stay = tuple(dict.fromkeys((*cards.seat(who).permanent, kind)))
        cards = cards.with_seat_changes(who, permanent=stay).tell("permanent", who, (subplot,))
    else:
        cards = _consoled(spend_card(cards, who, card), who, card)
    return draw(cards, who, rng)


def end_permanent(cards: Cards, who: str, kind: str) -> Cards:
    """The same with a permanent subplot over. Impossible("mb-card-precondition") where there is
    none.
    """
    there = cards.seat(who).permanent
    refuse(precondition=kind not in there)
    return cards.with_seat_changes(who, permanent=tuple([each for each in there if each != kind]))


# --- Martyr ---------------------------------------------------------------------------------------


def _over(cards: Cards, who: str, card: str) -> Cards:
    """The same with a subplot of somebody's over: no deed is to be done for a Martyr card that is
    gone.
    """
    martyr = cards.kind(card, who).key == _MARTYR
    cards = move_to_discard(cards, who, (card,), (FACE,))
    return cards.with_seat_changes(who, martyr=0, named=False) if martyr else cards


def martyr_of(cards: Cards, who: str) -> str:
    """Somebody's Martyr card. Impossible("mb-card-precondition") without one in effect
    (MB-CARD-S05).
    """
    found = next(
        (each for each in subplots_in_effect(cards, who) if cards.kind(each, who).key == _MARTYR),
        "",
    )
    refuse(precondition=not found and "martyr")
    return found


def name_martyr_deed(cards: Cards, who: str) -> Cards:
    """The GM names the deed that somebody is to die in."""
    return cards.tell("martyr-named", who, (martyr_of(cards, who),)).with_seat_changes(
        who, named=True
    )


def sacrifice(cards: Cards, who: str) -> Cards:
    """The deed succeeds, and the character dies of it: the card is gone, and so is everything else
    of theirs.
    """
    card = martyr_of(cards, who)
    return deal_out(_over(cards, who, card).tell("martyr", who, (card,)), who)


def back_out(cards: Cards, who: str) -> Cards:
    """The deed is left undone: twice what the card has paid is due, or everything, and the rest is
    owed.
    """
    card, seat = martyr_of(cards, who), cards.seat(who)
    due = 2 * seat.martyr
    paid = min(cards.life_points_of(who), due)
    cards = (
        _over(cards, who, card)
        .with_seat_changes(who, debt=seat.debt + due - paid)
        .tell("backed-out", who, (card,), due)
    )
    if paid:
        cards = cards.tell("life-points", who, number=-paid)
    return discard_all(cards, who, "lost-all") if due > paid else cards


# --- ends -----------------------------------------------------------------------------------------


def permanent(cards: Cards, who: str) -> tuple[str, ...]:
    """Somebody's permanent subplots by their kinds, as far as the deck in use has them: a deck of
    one's own may not.
    """
    return tuple([each for each in cards.seat(who).permanent if each in cards.kinds])


def due_subplots(cards: Cards, who: str, dues: Collection[Due]) -> tuple[tuple[str, CardKind], ...]:
    """The subplots of which a GM says whether they were played, cards and keys of permanent ones
    (MB-CARD-S00).
    """
    there = [
        (each, cards.kind(each, who))
        for each in (*subplots_in_effect(cards, who), *permanent(cards, who))
    ]
    return tuple(
        [each for each in there if each[1].award is not None and each[1].award.when in dues]
    )


def pay_subplots(
    cards: Cards, who: str, due: Due, unplayed: Collection[str] = (), weak: Collection[str] = ()
) -> Cards:
    """The subplots of somebody that pay now, by card or by the key of a permanent one, if they were
    played.

    Those that came late or were hardly played are `weak`. Martyr counts what it pays.
    """
    for each, kind in due_subplots(cards, who, (due,)):
        points = subplot_award(kind, due, each not in unplayed, each in weak)
        if not points:
            continue
        before = len(cards.told)
        cards = cards.tell("paid", who, () if each in cards.kinds else (each,), points)
        cards = pay(cards, who, points)
        if kind.key == _MARTYR:
            # A surplus doesn't count as paid by the card.
            over = ("surplus", "converted")
            paid = [each for each in cards.told[before + 1 :] if each.what not in over]
            got = sum([each.number for each in paid])
            cards = cards.with_seat_changes(who, martyr=cards.seat(who).martyr + got)
    return cards


def end_adventure(cards: Cards) -> Cards:
    """All cards return to the deck, and what is counted for an adventure begins anew (MB-CARD-X04).

    Whoever was to be a martyr and is alive has backed out, if the deed was named.
    """
    for seat in cards.deal.seats:
        cards = back_out(cards, seat.who) if seat.named else cards
    piles = cards.piles.gather(DRAW_PILE, lambda place: place not in (DRAW_PILE, REMOVED))
    seats = tuple([seat_after_adventure(each, cards.setting) for each in cards.deal.seats])
    left = tuple([seat_after_adventure(each, cards.setting) for each in cards.deal.left])
    return cards.replace(piles=piles, deal=Deal(seats=seats, left=left)).tell("adventure-over")


# --- Fast Reactions -------------------------------------------------------------------------------


def use_fast_reactions(cards: Cards, who: str, most: int = FAST) -> Cards:
    """Fast Reactions: an extra action at once, as with Haste (MB-CARD-L02).

    Impossible("mb-card-not-in-rounds"), ("mb-card-already-used") for one more than the *most* in
    an adventure.
    """
    seat = cards.seat(who)
    refuse(not_in_rounds=cards.deal.round is None, already_used=seat.hastes >= most)
    return cards.with_seat_changes(who, hastes=seat.hastes + 1, extra=seat.extra + 1).tell(
        "haste", who
    )
