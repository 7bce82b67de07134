"""Cards from the deck to people and back: deals, draws, pools, trades, ends; subplots and what they pay.

MB-CARD-03 to MB-CARD-07, MB-CARD-09, MB-CARD-11, MB-CARD-12, MB-CARD-14 to MB-CARD-17, MB-CARD-I14, MB-CARD-S00 to
MB-CARD-S10, MB-CARD-P01 to MB-CARD-P03, MB-CARD-X01 to MB-CARD-X04, MB-CARD-L02. Whatever is refused raises Impossible
and changes nothing; of several reasons the first is told (MB-CARD-18). Life Points come out as moves of the kind
"life-points": how many more somebody has now, or fewer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal

from rules.core.cards import Piles
from rules.core.errors import Impossible
from rules.core.rng import Streams
from rules.systems.masterbook.deck import kinds
from rules.systems.masterbook.deck.kinds import KINDS, CardKind, Due, Face, Setting, card_limit, usual
from rules.systems.masterbook.deck.state import (
    DISCARD,
    DRAW,
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
    Moved,
    Moves,
    Rounds,
    Scene,
    Seat,
    Side,
    of,
)
from rules.systems.masterbook.sheet import LIFE_POINTS_MOST

#: How many cards a GM takes for fiat (MB-CARD-I14).
FIAT: Final = 4
#: Everything that somebody holds, in the order in which it is discarded (MB-CARD-03).
HELD: Final = (HAND, POOL, FACE)

Place = Literal["hand", "pool"]


def refused(code: str, why: object = None) -> Impossible:
    """A refusal of MB-CARD-18; `why`, in a word, where a card's own conditions are not met."""
    said = {"why": why} if isinstance(why, str) else {}
    return Impossible(f"mb-card-{code.replace('_', '-')}", **said)


def refuse(**reasons: object) -> None:
    """Raises the first of these refusals that applies, for a reason or because it is so."""
    for code, why in reasons.items():
        if why:
            raise refused(code, why)


# --- what is in force ---------------------------------------------------------------------------------------


def line_effects(cards: Cards) -> bool:
    """Whether the lines of this round's card have effects; the order comes from it in any round (MB-CARD-00)."""
    flip = cards.deal.round
    if flip is None or not kinds.MODES[cards.setting("cards_mode")].lines:
        return False
    return flip.kind == "combat" or cards.setting("interaction_rounds_use_cards") in ("both", "lines")


def effect_on(cards: Cards, side: Side) -> str:
    """What befalls a side in this round; empty for nothing."""
    return cards.lines.of(side) if line_effects(cards) else ""


def confused(cards: Cards) -> bool:
    """Whether nobody may play, trade, pool or draw in this round (MB-CARD-I13)."""
    return effect_on(cards, "P") == "confused"


def flurry(cards: Cards) -> bool:
    """Whether players' characters act twice (MB-CARD-I06)."""
    return effect_on(cards, "P") == "flurry"


def chances(cards: Cards, seat: Seat) -> int:
    """How many cards somebody may earn in this round, and pool as many (MB-CARD-09, MB-CARD-A03)."""
    return 1 + seat.extra + flurry(cards)


def in_effect(cards: Cards, who: str) -> tuple[str, ...]:
    """The subplots of somebody that take a place, the one laid there first at the front (MB-CARD-S00)."""
    pending = cards.seat(who).pending
    return tuple(
        each
        for each in reversed(cards.at(FACE, who))
        if each not in pending and cards.kind(each, who).type == "subplot"
    )


def surplus(cards: Cards, who: str) -> int:
    """How many cards of a hand are too many (MB-CARD-06)."""
    counted = sum(kinds.counts(cards.kind(each), cards.setting) for each in cards.at(HAND, who))
    return max(0, counted - cards.deal.limit)


# --- the piles -----------------------------------------------------------------------------------------------


def laid(faces: Mapping[str, Face], before: Piles | None = None) -> Piles:
    """All cards of a deck as they lie before they are shuffled; those not in play are out of it (MB-CARD-B01).

    `before` is where another deck lay of which it takes the place: it tells how many shuffles there were.
    """
    places = {
        DRAW: tuple([each.id for each in faces.values() if each.in_play]),
        REMOVED: tuple([each.id for each in faces.values() if not each.in_play]),
    }
    shuffles = 0 if before is None else before.sealed[-1].number if before.sealed else before.opened
    return Piles({place: held for place, held in places.items() if held}, opened=shuffles, faces=FACES)


def shuffled(piles: Piles, rng: Streams, what: str) -> tuple[Piles, Moved]:
    """The draw pile in a new order, and what is published of the one before."""
    before = piles.at(DRAW)
    piles = piles.shuffle(DRAW, rng.shuffle, rng.sealed)
    return piles, Moved(what, cards=before, number=len(before))


def refill(cards: Cards, rng: Streams) -> tuple[Cards, Moves]:
    """The deck with something to draw: used cards are shuffled when the pile is empty (MB-CARD-03).

    The initiative card of this round stays where it is.
    """
    piles = cards.piles
    if piles.at(DRAW):
        return cards, ()
    flip = cards.deal.round
    stays = piles.at(INITIATIVE)[:1] if flip is not None and flip.card else ()
    piles = piles.gather(DRAW, (DISCARD, INITIATIVE).__contains__)
    for each in stays:
        piles = piles.move(each, DRAW, INITIATIVE)
    if not piles.at(DRAW):
        return cards, (Moved("deck-exhausted"),)
    piles, moved = shuffled(piles, rng, "reshuffled")
    return cards.but(piles=piles), (moved,)


def discarded(cards: Cards, who: str, chosen: Iterable[str], places: Sequence[str] = (HAND, POOL)) -> Cards:
    """The same with cards of somebody's on the discard pile, the last one on top (MB-CARD-03)."""
    for each in chosen:
        cards = cards.moved(each, place_of(cards, who, each, places), DISCARD)
    return cards.but_seat(_without(cards.seat(who), *chosen))


def place_of(cards: Cards, who: str, card: str, places: Sequence[str] = HELD) -> str:
    """Where a card of somebody's lies; Impossible("mb-card-not-in-hand")."""
    for place in places:
        if card in cards.at(place, who):
            return of(place, who)
    raise refused("not_in_hand")


def spent(cards: Cards, who: str, card: str, to: str = DISCARD) -> Cards:
    """The same once somebody has played a card of hand or pool; `to` is `ROUND` for what lasts as long."""
    cards = cards.moved(card, place_of(cards, who, card, (POOL, HAND)), to)
    deal = cards.deal.with_seat(_without(cards.seat(who), card))
    played = ((who, card), *[each for each in deal.played if each[0] != who and each[1] != card])
    return cards.but(deal=deal.but(played=played))


def _without(seat: Seat, *gone: str) -> Seat:
    """A seat with nothing noted of these cards."""
    if not any(card in gone for card, _ in (*seat.locks, *seat.as_names)) and not {*seat.pending} & {*gone}:
        return seat
    return seat.but(
        locks=tuple([each for each in seat.locks if each[0] not in gone]),
        as_names=tuple([each for each in seat.as_names if each[0] not in gone]),
        pending=tuple([each for each in seat.pending if each not in gone]),
    )


def emptied(cards: Cards, who: str, places: Sequence[str] = (HAND, POOL)) -> tuple[Cards, tuple[str, ...]]:
    """Everything of somebody's there comes on the discard pile, in the order received (MB-CARD-03): which cards."""
    lost = [each for place in places for each in cards.at(place, who)[::-1]]
    return discarded(cards, who, lost, places), tuple(lost)


# --- drawing -------------------------------------------------------------------------------------------------


def receive(
    cards: Cards, who: str, card: str, source: str, place: Place, wait: int | None = None
) -> tuple[Cards, Moves]:
    """One card comes to somebody as if drawn: where it goes follows from what it is (MB-CARD-05).

    `wait` are rounds before it may be pooled, as many as the table has agreed on where that is not said. Who owes for a
    Martyr's deed keeps no card that is a Life Point.
    """
    kind, seat = cards.kind(card), cards.seat(who)
    if kind.drawn != "to_hand":
        cards = cards.moved(card, source, of(FACE, who))
        if kind.drawn == "gamemaster" or kind.type != "subplot":
            return cards, (Moved("met", who, (card,)),)
        return cards.but_seat(seat.but(pending=(*seat.pending, card))), (Moved("subplot", who, (card,)),)
    if seat.debt and kind.op == "life_point":
        cards = cards.moved(card, source, DISCARD)
        return cards.but_seat(seat.but(debt=seat.debt - 1)), (Moved("debt", who, (card,), 1),)
    place = HAND if kind.type == "subplot" else place
    cards = cards.moved(card, source, of(place, who))
    wait = cards.setting("hand_lock_other_draws") if wait is None else wait
    if wait and place == HAND and cards.deal.round is not None:
        cards = cards.but_seat(seat.but(locks=(*seat.locks, (card, cards.deal.number + wait))))
    return cards, (Moved("pooled" if place == POOL else "drawn", who, (card,)),)


def draw(
    cards: Cards,
    who: str,
    rng: Streams,
    place: Place = HAND,
    count: int = 1,
    *,
    replacement: bool = True,
    wait: int | None = None,
) -> tuple[Cards, Moves]:
    """Somebody draws; for what does not stay with them another card is drawn (MB-CARD-05)."""
    told: list[Moved] = []
    while count:
        cards, moves = refill(cards, rng)
        told += moves
        if not cards.at(DRAW):
            break
        card = cards.at(DRAW)[0]
        cards, moves = receive(cards, who, card, DRAW, place, wait)
        told += moves
        count -= not (replacement and cards.kind(card).replaced)
    return cards, tuple(told)


def draw_each(
    cards: Cards, counts: Mapping[str, int], rng: Streams, place: Place = HAND, wait: int | None = None
) -> tuple[Cards, Moves]:
    """Each of these draws so many, one after the other."""
    told: Moves = ()
    for who, count in counts.items():
        cards, moves = draw(cards, who, rng, place, count, wait=wait)
        told += moves
    return cards, told


def start(
    faces: Mapping[str, Face],
    characters: Sequence[str],
    rng: Streams,
    before: Cards | None = None,
    own: Mapping[str, CardKind] | None = None,
    setting: Setting = usual,
) -> tuple[Cards, Moves]:
    """An adventure begins: the deck is shuffled and dealt to these characters in their order (MB-CARD-04).

    `before` is how things stood after the adventure before it. Impossible("mb-card-bad-count") for nobody.
    """
    refuse(bad_count=not characters)
    piles, moved = shuffled(laid(faces, before and before.piles), rng, "shuffled")
    known = (*before.deal.seats, *before.deal.left) if before is not None else ()
    seats = {each.who: lasting(each, setting) for each in known}
    deal = Deal(
        card_limit(len(characters)),
        tuple([seats.pop(each, Seat(each)) for each in characters]),
        act=1,
        left=tuple(seats.values()),
    )
    cards = Cards(piles, deal, faces, {**KINDS, **(own or {})}, setting)
    cards, told = draw_each(cards, dict.fromkeys(characters, deal.limit), rng)
    return cards, (moved, *told)


def lasting(seat: Seat, setting: Setting = usual) -> Seat:
    """What stays of a seat after an adventure (MB-CARD-X04)."""
    refusals = seat.refused if setting("reject_award_scope") == "campaign" else 0
    return Seat(seat.who, refused=refusals, debt=seat.debt, permanent=seat.permanent)


def join(cards: Cards, who: str, rng: Streams) -> tuple[Cards, Moves]:
    """Somebody joins and is dealt in, last in the order (MB-CARD-04); what they had used up stays so."""
    left = {each.who: each for each in cards.deal.left}
    seat = left.pop(who, Seat(who))
    deal = cards.deal.but(seats=(*cards.deal.seats, seat), left=tuple(left.values()))
    return draw(cards.but(deal=deal), who, rng, count=deal.limit)


def part(cards: Cards, who: str) -> tuple[Cards, Moves]:
    """Somebody dies or leaves: everything of theirs is discarded, and nothing is paid (MB-CARD-04)."""
    cards, lost = emptied(cards, who, HELD)
    seat = cards.seat(who).but(poolings=0, extra=0, awards=0, declared=False, martyr=0, named=False, due="")
    seats = tuple([each for each in cards.deal.seats if each.who != who])
    deal = cards.deal.but(seats=seats, left=(*cards.deal.left, seat))
    return cards.but(deal=deal), (Moved("left", who, number=len(lost)),)


def bonus(cards: Cards, who: str, rng: Streams) -> tuple[Cards, Moves]:
    """One card for exceptional roleplaying, once in an adventure; a subplot stays the only one (MB-CARD-15)."""
    seat = cards.seat(who)
    refuse(off=not cards.setting("exceptional_roleplaying_card"), already_used=seat.bonus)
    return draw(cards.but_seat(seat.but(bonus=True)), who, rng, replacement=False)


# --- rounds --------------------------------------------------------------------------------------------------


def enter(cards: Cards, kind: Rounds, scene: Scene) -> tuple[Cards, Moves]:
    """Rounds are declared; what is in a hand stays there, and is no longer played from it (MB-CARD-07)."""
    refuse(already_in_rounds=cards.deal.round is not None)
    return cards.dealt(round=Flip(scene=scene, kind=kind), number=0), ()


def fresh_round(cards: Cards) -> Cards:
    """The same with nothing counted of what each does in a round; it is the next one."""
    seats = tuple([each.but(poolings=0, extra=0, awards=0, declared=False) for each in cards.deal.seats])
    return cards.dealt(seats=seats, number=cards.deal.number + 1)


def close_round(cards: Cards) -> tuple[Cards, Moves]:
    """A round ends: what lasted as long is discarded, and all that those hold whose critical moment it was.

    Cards earned in it are awarded after this (MB-CARD-12).
    """
    told: list[Moved] = []
    for each in cards.at(ROUND)[::-1]:
        cards = cards.moved(each, ROUND, DISCARD)
    for seat in cards.deal.seats:
        if seat.declared:
            cards, lost = emptied(cards, seat.who)
            cards = cards.but_seat(cards.seat(seat.who).but(declared=False))
            told.append(Moved("moment-over", seat.who, lost, len(lost)))
    return cards, tuple(told)


def leave(cards: Cards) -> tuple[Cards, Moves]:
    """Rounds are over: pools go back to hands, and who holds too many has to discard (MB-CARD-07)."""
    refuse(not_in_rounds=cards.deal.round is None)
    cards, told = close_round(cards)
    for seat in cards.deal.seats:
        for each in cards.at(POOL, seat.who)[::-1]:
            cards = cards.moved(each, of(POOL, seat.who), of(HAND, seat.who))
        cards = cards.but_seat(cards.seat(seat.who).but(locks=()))
    cards = cards.but(deal=fresh_round(cards).deal.but(round=None, number=0))
    over = {seat.who: surplus(cards, seat.who) for seat in cards.deal.seats}
    return cards, (*told, *[Moved("must-discard", who, number=each) for who, each in over.items() if each])


def pool(
    cards: Cards, who: str, card: str, acts: int, surprised: bool = False, ending: bool = False
) -> tuple[Cards, Moves]:
    """One card from hand to pool, after an action (MB-CARD-09).

    `acts` are somebody's actions of this round, `ending` tells that the round ends. Impossible, the first of:
    mb-card-not-in-rounds, -confused, -surprised, -not-in-hand, -locked, -no-action-yet, -round-on,
    -limit-reached.
    """
    seat = cards.seat(who)
    refuse(
        not_in_rounds=cards.deal.round is None,
        confused=confused(cards),
        surprised=surprised,
        not_in_hand=card not in cards.at(HAND, who),
        locked=dict(seat.locks).get(card, 0) > cards.deal.number,
        no_action_yet=not acts,
        round_on=cards.setting("pool_timing") == "end_of_round" and not ending,
        limit_reached=seat.poolings >= min(acts, chances(cards, seat)),
    )
    cards = cards.moved(card, of(HAND, who), of(POOL, who))
    return cards.but_seat(_without(seat, card).but(poolings=seat.poolings + 1)), (
        Moved("pooled", who, (card,)),
    )


def moment(cards: Cards, who: str) -> tuple[Cards, Moves]:
    """Playing for the critical moment: any card of hand and pool for the rest of the round (MB-CARD-12)."""
    seat = cards.seat(who)
    refuse(not_in_rounds=cards.deal.round is None, confused=confused(cards), already_used=seat.moment)
    return cards.but_seat(seat.but(moment=True, declared=True)), (Moved("moment", who),)


# --- trading and discarding ----------------------------------------------------------------------------------


def trade(
    cards: Cards, one: str, other: str, given: Sequence[str], taken: Sequence[str]
) -> tuple[Cards, Moves]:
    """As many cards both ways: of hands, in rounds of pools (MB-CARD-11).

    Impossible, the first of: mb-card-confused, -not-in-pool, -not-in-hand, -unequal.
    """
    place = HAND if cards.deal.round is None else POOL
    refuse(confused=confused(cards))
    for who, chosen in ((one, given), (other, taken)):
        cards.seat(who)
        if not set(chosen) <= {*cards.at(place, who)}:
            raise refused(f"not_in_{place}")
    refuse(unequal=not given or len({*given}) != len({*taken}) or one == other)
    for source, target, chosen in ((one, other, given), (other, one, taken)):
        for each in chosen:
            cards = cards.moved(each, of(place, source), of(place, target))
        cards = cards.but_seat(_without(cards.seat(source), *chosen))
    return owed(cards, (Moved("traded", one, tuple(given)), Moved("traded", other, tuple(taken))))


def owed(cards: Cards, told: Moves) -> tuple[Cards, Moves]:
    """The same once those who owe have paid with the cards that they came to hold."""
    for seat in cards.deal.seats:
        held = (*cards.at(HAND, seat.who), *cards.at(POOL, seat.who)) if seat.debt else ()
        for each in [each for each in held if cards.kind(each).op == "life_point"][: seat.debt]:
            now = cards.seat(seat.who)
            cards = discarded(cards.but_seat(now.but(debt=now.debt - 1)), seat.who, (each,))
            told = (*told, Moved("debt", seat.who, (each,), 1))
    return cards, told


def discard(cards: Cards, who: str, chosen: Sequence[str]) -> tuple[Cards, Moves]:
    """Cards of a hand that somebody throws away (MB-CARD-06). Impossible("mb-card-not-in-hand")."""
    refuse(not_in_hand=not set(chosen) <= {*cards.at(HAND, who)})
    return discarded(cards, who, chosen, (HAND,)), (Moved("discarded", who, tuple(chosen), len(chosen)),)


def replenish(cards: Cards, who: str, chosen: Sequence[str], rng: Streams) -> tuple[Cards, Moves]:
    """A scene or act is over: somebody discards what they like and draws up to the limit (MB-CARD-14).

    Impossible("mb-card-not-in-hand"), ("mb-card-must-discard") with too many cards left.
    """
    now, told = discard(cards, who, chosen) if chosen else (cards, ())
    refuse(must_discard=surplus(now, who))
    held = sum(kinds.counts(now.kind(each), cards.setting) for each in now.at(HAND, who))
    now, moves = draw(now, who, rng, count=now.deal.limit - held)
    return now, (*told, *moves)


# --- cards that move cards, and the GM ------------------------------------------------------------------------


def claimable(cards: Cards, who: str) -> str:
    """The card that somebody's Claim takes (MB-CARD-E04). Impossible("mb-card-discard-empty")."""
    there = cards.at(DISCARD)
    if cards.setting("claim_source") == "last_card_played_by_another":
        there = tuple([card for each, card in cards.deal.played if each != who and card in there])
    refuse(discard_empty=not there)
    return there[0]


def claim(cards: Cards, who: str, card: str, rng: Streams) -> tuple[Cards, Moves]:
    """Claim: its holder takes a used card for it (MB-CARD-E04). Raises as `claimable`."""
    taken = claimable(cards, who)
    cards, told = receive(cards, who, taken, DISCARD, HAND)
    return spent(cards, who, card), (Moved("claimed", who, (taken,)), *told)


Gifts = Sequence[tuple[str, Sequence[str]]]


def leadership(
    cards: Cards, who: str, card: str, gifts: Gifts, draws: bool, rng: Streams
) -> tuple[Cards, Moves]:
    """Leadership: cards for other players, two cards for its holder, or both (MB-CARD-E11).

    Impossible("mb-card-precondition") for too many, for nobody and nothing.
    """
    row = cards.kind(card)
    given = [each for _, chosen in gifts for each in chosen]
    held = {*cards.at(HAND, who), *cards.at(POOL, who)} - {card}
    seated = {each.who for each in cards.deal.seats} - {who}
    unfit = (
        len(given) > KINDS["leadership"].amount
        or len({*given}) != len(given)
        or not {*given} <= held
        or not {to for to, _ in gifts} <= seated
        or not (given or draws)
    )
    refuse(precondition=unfit and "gifts")
    in_rounds = cards.deal.round is not None
    place: Place = POOL if in_rounds and cards.setting("leadership_gifts_to") == "pool" else HAND
    cards, told = spent(cards, who, card), list[Moved]()
    for to, chosen in gifts:
        for each in chosen:
            source = place_of(cards, who, each, (HAND, POOL))
            cards = cards.but_seat(_without(cards.seat(who), each))
            cards, moves = receive(cards, to, each, source, place, 0)
            told += (Moved("given", who, (each,)), *moves)
    if draws:
        cards, moves = draw(cards, who, rng, count=row.count or KINDS["leadership"].count)
        told += moves
    return cards, tuple(told)


def rally(cards: Cards, who: str, card: str, rng: Streams) -> tuple[Cards, Moves]:
    """Rally: everybody draws, in their order, in rounds into the pool (MB-CARD-E14)."""
    in_rounds = cards.deal.round is not None
    place: Place = POOL if in_rounds and cards.setting("rally_to") == "pool" else HAND
    count = cards.kind(card).count or KINDS["rally"].count
    everybody = {seat.who: count for seat in cards.deal.seats}
    return draw_each(spent(cards, who, card), everybody, rng, place)


def take(cards: Cards, rng: Streams) -> tuple[Cards, Moves]:
    """A GM takes the next four cards aside, fewer where there are no more (MB-CARD-I14).

    Impossible("mb-card-off"), ("mb-card-taken") while there are such cards.
    """
    refuse(off=not cards.setting("gamemaster_fiat"), taken=cards.at(TAKEN))
    told: Moves = ()
    for _ in range(FIAT):
        cards, moves = refill(cards, rng)
        told = (*told, *moves)
        if not cards.at(DRAW):
            break
        cards = cards.moved(cards.at(DRAW)[0], DRAW, TAKEN)
    return cards, told


def fiat(cards: Cards, kept: Sequence[str]) -> tuple[Cards, Moves]:
    """What a GM took aside: these are the next flips in this order, the others are used (MB-CARD-I14).

    Impossible("mb-card-precondition") for a card that was not taken.
    """
    taken = cards.at(TAKEN)[::-1]
    refuse(precondition=not {*kept} <= {*taken} or len({*kept}) != len(kept))
    for each in taken:
        if each not in kept:
            cards = cards.moved(each, TAKEN, DISCARD)
    for each in reversed(kept):
        cards = cards.moved(each, TAKEN, QUEUE)
    return cards, (Moved("fiat", number=len(kept)),)


def stack(cards: Cards, order: Sequence[str]) -> Cards:
    """These cards of the draw pile on top of it, the first one uppermost. Impossible("mb-card-precondition")."""
    there = cards.at(DRAW)
    refuse(precondition=not {*order} <= {*there} or len({*order}) != len(order))
    for each in reversed(order):
        cards = cards.moved(each, DRAW, TAKEN).moved(each, TAKEN, DRAW)
    return cards


# --- the story -----------------------------------------------------------------------------------------------

#: The most subplots of somebody that are in effect, and the most Life Points for those that cannot be.
IN_EFFECT: Final = 2
REFUSED: Final = 2
#: More for an adventure is worth a second look (MB-GM-04).
ADVENTURE_SOFT: Final = 5
#: The extra actions that Fast Reactions give in an adventure (MB-CARD-L02).
FAST: Final = 3
#: How much a GM may add to an act's award, and take off (MB-CARD-X02).
ADJUST: Final = (-1, 2)
_MARTYR: Final = "martyr"


# --- Life Points ---------------------------------------------------------------------------------------------


def pay(cards: Cards, who: str, have: int, points: int) -> tuple[Cards, Moves]:
    """Somebody gets Life Points: a debt takes them first, and nobody holds more than ten (MB-GM-06, MB-CARD-S05)."""
    seat = cards.seat(who)
    debt = min(points, seat.debt)
    came = max(0, min(points - debt, LIFE_POINTS_MOST - have))
    told = (Moved("owed", who, number=debt), Moved("life-points", who, number=came))
    return cards.but_seat(seat.but(debt=seat.debt - debt)), tuple([each for each in told if each.number])


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
    cards: Cards, who: str, card: str, allows: bool, keeps: bool, have: int, overrules: bool = False
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
    return _consoled(cards, who, card, have)


def _consoled(cards: Cards, who: str, card: str, have: int) -> tuple[Cards, Moves]:
    """A Life Point for a subplot that cannot be, two at the most; one that there is no room for is not counted."""
    seat, told = cards.seat(who), (Moved("declined", who, (card,)),)
    if seat.refused >= REFUSED:
        return cards, told
    cards, moves = pay(cards, who, have, 1)
    if moves:
        cards = cards.but_seat(cards.seat(who).but(refused=seat.refused + 1))
    return cards, (*told, *moves)


def use_face_up(cards: Cards, who: str, card: str) -> tuple[Cards, Moves]:
    """A GM uses a card that lies before somebody, and it is gone (MB-CARD-S01, MB-CARD-S03, MB-CARD-P01).

    Impossible("mb-card-precondition") for one that is not there, that is not decided on, or that stays.
    """
    refuse(precondition=card not in cards.at(FACE, who) or card in cards.seat(who).pending)
    kind = cards.kind(card, who)
    used = kind.award is None or kind.award.when == "end_of_adventure_if_unused"
    refuse(precondition=kind.type == "subplot" and not used and "stays")
    return discarded(cards, who, (card,), (FACE,)), (Moved("used", who, (card,)),)


def campaign(
    cards: Cards, who: str, card: str, subplot: str, approves: bool, have: int, rng: Streams
) -> tuple[Cards, Moves]:
    """Campaign: a subplot in effect becomes permanent, or its holder gets a Life Point; then a card (MB-CARD-S02).

    `subplot` is the card. Impossible("mb-card-precondition") for one that is not in effect or never stays.
    """
    lasts = subplot in in_effect(cards, who) and cards.kind(subplot, who).lasting
    refuse(precondition=not lasts and "campaign")
    kind = cards.kind(subplot, who).key
    if approves:  # what it was played on is no card any more, and Campaign comes to lie on it
        cards = _over(cards, who, subplot)
    cards = spent(cards, who, card)
    if approves:
        seat = cards.seat(who)
        stay = tuple(dict.fromkeys((*seat.permanent, kind)))
        cards, told = cards.but_seat(seat.but(permanent=stay)), (Moved("permanent", who, (subplot,)),)
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


def _over(cards: Cards, who: str, card: str) -> Cards:
    """The same with a subplot of somebody's over: no deed is to be done for a Martyr card that is gone."""
    martyr = cards.kind(card, who).key == _MARTYR
    cards = discarded(cards, who, (card,), (FACE,))
    return cards.but_seat(cards.seat(who).but(martyr=0, named=False)) if martyr else cards


def martyr_of(cards: Cards, who: str) -> str:
    """Somebody's Martyr card. Impossible("mb-card-precondition") without one in effect (MB-CARD-S05)."""
    found = next((each for each in in_effect(cards, who) if cards.kind(each, who).key == _MARTYR), "")
    refuse(precondition=not found and "martyr")
    return found


def named(cards: Cards, who: str) -> tuple[Cards, Moves]:
    """The GM names the deed that somebody is to die in."""
    card = martyr_of(cards, who)
    return cards.but_seat(cards.seat(who).but(named=True)), (Moved("martyr-named", who, (card,)),)


def sacrifice(cards: Cards, who: str) -> tuple[Cards, Moves]:
    """The deed succeeds, and the character dies of it: the card is gone, and so is everything else of theirs."""
    card = martyr_of(cards, who)
    return _over(cards, who, card), (Moved("martyr", who, (card,)),)


def back_out(cards: Cards, who: str, have: int) -> tuple[Cards, Moves]:
    """The deed is left undone: twice what the card has paid is due, or everything, and the rest is owed."""
    card = martyr_of(cards, who)
    seat = cards.seat(who)
    due = 2 * seat.martyr
    paid = min(have, due)
    cards = _over(cards, who, card)
    cards = cards.but_seat(cards.seat(who).but(debt=seat.debt + due - paid))
    told = [Moved("backed-out", who, (card,), due)]
    if paid:
        told.append(Moved("life-points", who, number=-paid))
    if due > paid:
        cards, lost = emptied(cards, who)
        told.append(Moved("lost-all", who, lost, len(lost)))
    return cards, tuple(told)


# --- ends ----------------------------------------------------------------------------------------------------


def permanent(cards: Cards, who: str) -> tuple[str, ...]:
    """Somebody's permanent subplots by their kinds, as far as the deck in use has them: a deck of one's own may not."""
    return tuple([each for each in cards.seat(who).permanent if each in cards.kinds])


def plot_kind(cards: Cards, who: str, plot: str) -> CardKind:
    """What a subplot is, a card or the key of a permanent one."""
    return cards.kinds.get(plot) or cards.kind(plot, who)


def awards(
    cards: Cards, who: str, due: Due, have: int, unplayed: Collection[str] = (), weak: Collection[str] = ()
) -> tuple[Cards, Moves]:
    """The subplots of somebody that pay now, by card or by the key of a permanent one, if they were played.

    Those that came late or were hardly played are `weak`. Martyr counts what it pays.
    """
    told: Moves = ()
    for each in (*in_effect(cards, who), *permanent(cards, who)):
        kind = plot_kind(cards, who, each)
        points = subplot_award(kind, due, each not in unplayed, each in weak)
        if not points:
            continue
        cards, moves = pay(cards, who, have, points)
        have += sum([each.number for each in moves if each.what == "life-points"])
        if kind.key == _MARTYR:
            seat = cards.seat(who)
            cards = cards.but_seat(seat.but(martyr=seat.martyr + sum([each.number for each in moves])))
        told = (*told, Moved("paid", who, () if each in cards.kinds else (each,), points), *moves)
    return cards, told


def due_subplots(cards: Cards, who: str, dues: Collection[Due]) -> tuple[str, ...]:
    """The cards, and keys of permanent subplots, of which a GM says whether they were played (MB-CARD-S00)."""
    return tuple(
        each
        for each in (*in_effect(cards, who), *permanent(cards, who))
        if (award := plot_kind(cards, who, each).award) is not None and award.when in dues
    )


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
