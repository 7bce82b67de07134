"""Lines of the initiative card, and their effects on the deck (MB-CARD-I, MB-CARD-A)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from rules.core.record import Record
from rules.core.rng import Rng, Streams
from rules.systems.masterbook.deck import deal, play
from rules.systems.masterbook.deck.card_definitions import MODES, Box, Face, InitiativeLine
from rules.systems.masterbook.deck.deck_state import (
    DRAW_PILE,
    HAND,
    INITIATIVE,
    POOL,
    QUEUE,
    Cards,
    Flip,
    Scene,
)
from rules.systems.masterbook.formulas import damage as harms
from rules.systems.masterbook.formulas.damage import Facts, Harm
from rules.systems.masterbook.formulas.success_chart import Damage

#: Shock that fatigue deals (MB-CARD-I05).
_FATIGUE: Final = 2
#: Added to all difficulties of a side that had to break off and could not (MB-CARD-I11).
TRAPS: Final = 4
#: Uses of Seize Initiative: flip another card, or keep this one for another round.
Seizing = Literal["flip", "keep"]
SEIZING_EFFECTS: Final = ("initiative_control", "any_card")


class CardReading(InitiativeLine):
    """A card read as the initiative card of a scene."""

    #: Actions that earn a card.
    approved: tuple[str, ...] = ()
    #: What the critical box shows.
    box: Box | None = None
    letters: tuple[str, ...] = ()
    scene: Scene = "standard"


def read_face(face: Face, scene: Scene) -> CardReading:
    """Return a card with the line of its scene (MB-CARD-I01, MB-CARD-I04)."""
    line = face.line(scene)
    return CardReading(
        line.first, line.players, line.gms, line.skill, face.approved, face.box, face.letters, scene
    )


def current_reading(cards: Cards) -> CardReading | None:
    """Return what this round's card says, as far as the table plays by it (MB-CARD-00).

    None if there is no card.
    """
    flip, line = cards.deal.round, cards.lines
    if flip is None or not flip.card:
        return None
    reading = read_face(cards.faces[flip.card], flip.scene)
    interaction_rounds = cards.setting("interaction_rounds_use_cards")
    has_awards = flip.kind == "combat" or interaction_rounds in ("both", "approved")
    approved: tuple[str, ...] = ()
    if has_awards and MODES[cards.setting("cards_mode")].awards:
        approved = reading.approved
    return reading.replace(players=line.players, gms=line.gms, skill=line.skill, approved=approved)


def current_round(cards: Cards) -> Flip:
    """Return the initiative card. Raises Impossible("mb-card-not-in-rounds") without rounds."""
    if cards.deal.round is None:
        raise deal.refusal("not_in_rounds")
    return cards.deal.round


def _flip_next_card(cards: Cards, rng: Streams) -> Cards:
    """Return the cards with the next initiative card flipped.

    It is one that the GM has kept for it, else the top of the draw pile.
    Raises Impossible("mb-card-deck-exhausted").
    """
    source = QUEUE if cards.at(QUEUE) else DRAW_PILE
    if source == DRAW_PILE:
        cards = deal.refill(cards, rng)
    deal.refuse(deck_exhausted=not cards.at(source))
    card = cards.at(source)[0]
    flipped = current_round(cards).replace(card=card)
    cards = cards.with_cards_moved(source, INITIATIVE, card)
    return cards.with_deal_changes(round=flipped).with_change("flipped", cards=(card,))


def flip(cards: Cards, scene: Scene, rng: Streams) -> Cards:
    """Return the cards at the start of a round, with its card flipped (MB-CARD-I01).

    A card that was kept stays. Counts of the last round are 0.
    Raises Impossible("mb-card-not-in-rounds"), ("mb-card-deck-exhausted").
    """
    before = current_round(cards)
    if before.kept:
        cards = cards.with_change("kept", cards=(before.card,))
    else:
        # The last round is over: its card may be shuffled in.
        cards = cards.with_deal_changes(round=before.replace(card=""))
        cards = _flip_next_card(cards, rng)
    flipped = current_round(cards).replace(scene=scene, kept=False)
    return deal.fresh_round(cards).with_deal_changes(round=flipped)


def seizing_from(cards: Cards, who: str) -> tuple[str, ...]:
    """Return the cards from which a character may seize the initiative.

    They are those of the pool, and in a critical moment those of the hand, too.
    """
    hand = cards.at(HAND, who) if cards.seat(who).moment_declared else ()
    return (*cards.at(POOL, who), *hand)


def seize(cards: Cards, who: str, card: str, how: Seizing, rng: Streams) -> Cards:
    """Return the cards after a character seized the initiative (MB-CARD-E16).

    Another card takes the place of the one just flipped, or that one stays for another round.

    Raises:
        Impossible: The first of mb-card-not-in-rounds, -confused, -not-in-pool, -wrong-window,
            -deck-exhausted.
    """
    flipped = current_round(cards)
    deal.refuse(
        not_in_rounds=not play.may_play_combat_cards(cards),
        confused=deal.is_confused(cards),
        not_in_pool=card not in seizing_from(cards, who),
        wrong_window=cards.kind(card).op not in SEIZING_EFFECTS or (how == "keep" and flipped.kept),
    )
    cards = deal.spend_card(cards, who, card).with_change("seized", who, (card,))
    if how == "keep":
        return cards.with_deal_changes(round=flipped.replace(kept=True))
    return _flip_next_card(cards, rng)


def apply_fatigue(harm: Harm, capacity: int) -> tuple[Harm, Facts]:
    """Return the harm after 2 shock, and the facts that follow (MB-CARD-I05)."""
    return harms.apply_damage(harm, Damage(shock=_FATIGUE), capacity)


def apply_inspiration(harm: Harm) -> tuple[Harm, Facts]:
    """Return the harm without shock, K, O and knockdown, and the facts (MB-CARD-I07).

    A character who wakes is knocked down. Facts are `inspired` and `woken`.
    """
    if harm.dead:
        return harm, ()
    inspired = harm.replace(
        shock=0, k=0, o=False, out_for=0, fainted=False, down=0, shock_seconds=0
    )
    if harm.out and not inspired.out:
        return inspired.replace(down=harms.KNOCKED_DOWN), (("woken", 0),)
    return inspired, (("inspired", 0),) if inspired != harm else ()


def trap_penalty(*, achieved: bool, can_leave: bool) -> int:
    """Return the penalty for a side that had to break off and could not (MB-CARD-I11)."""
    return 0 if achieved or can_leave else TRAPS


def take_card(cards: Cards, who: str, card: str | None, rng: Rng, skill: str) -> Cards:
    """Return the cards after the GM's side used *skill* against a character (MB-CARD-I12).

    The character loses the pool card that the GM chose, or without one a random card of the hand.
    Raises Impossible("mb-card-effect-not-active"), ("mb-card-no-cards"), ("mb-card-not-in-pool").
    """
    line = cards.lines
    held = cards.at(HAND if card is None else POOL, who)
    deal.refuse(
        effect_not_active=(line.gms, line.skill) != ("skill", skill),
        no_cards=not held,
        not_in_pool=card is not None and card not in held,
    )
    # The first received lies at the bottom.
    gone = held[::-1][rng.below(len(held))] if card is None else card
    return deal.move_to_discard(cards, who, (gone,)).with_change("taken", who, (gone,))


#: Highest sum of two dice that sets off bad luck, by the column of the compensation (MB-CARD-L04,
#: MB-BG-43).
_UNLUCKY: Final = {1: 2, 2: 3, 3: 4}


def is_unlucky(column: int, low: int) -> bool:
    """Return whether a sum of two dice, of the first roll or a later one, sets off bad luck."""
    return low <= _UNLUCKY[column]


ANY, DEFEND = "any", "defend"
#: Words of the Act line that name a kind of deed. Any other word is the name of a skill.
DEEDS: Final = (ANY, DEFEND, "intimidation", "maneuver", "taunt", "trick")
#: Rounds before an earned card may be pooled (MB-CARD-09).
_LOCKED: Final = 1


class CardDeed(Record):
    """A character's action as the Act line sees it."""

    #: What the action counts as, such as `maneuver` for acrobatics used as one.
    kind: str = ""
    #: The skill rolled.
    skill: str = ""
    #: Whether it needed a roll; a simple action does not.
    rolled: bool = True
    #: Whether it succeeded. For a defense see `has_stopped_attack`.
    succeeded: bool = False
    #: Number of the action in the round; 0 for the latest.
    during: int = 0


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def matches(word: str, deed: CardDeed) -> bool:
    """Return whether a word of the Act line means the deed (MB-CARD-A02)."""
    return word in (ANY, _key(deed.kind)) or (word not in DEEDS and word == _key(deed.skill))


def has_stopped_attack(total: int, attacks: Iterable[int]) -> bool:
    """Return whether an active defense stopped an attack, so that it earns a card (MB-CARD-A02)."""
    return any(attack < total for attack in attacks)


def is_approved(reading: CardReading, deed: CardDeed) -> bool:
    """Return whether the round's card rewards the deed, if it succeeds."""
    return deed.rolled and any(matches(word, deed) for word in reading.approved)


def earn_card(cards: Cards, who: str, deed: CardDeed) -> Cards:
    """Return the cards with one more earned by a character (MB-CARD-A01, MB-CARD-A03).

    The character draws it at the end of the round, unless the GM takes it back.

    Raises:
        Impossible: The first of mb-card-no-seat, -not-in-rounds, -confused, -limit-reached,
            -not-rolled, -not-listed, -failed.
    """
    seat, now = cards.seat(who), current_reading(cards)
    deal.refuse(
        not_in_rounds=now is None,
        confused=deal.is_confused(cards) and cards.setting("confused_blocks_awards"),
        limit_reached=seat.awards >= deal.award_limit(cards, seat),
        not_rolled=not deed.rolled,
        not_listed=not is_approved(now or CardReading(), deed),
        failed=not deed.succeeded,
    )
    return cards.with_seat_changes(who, awards=seat.awards + 1)


def deny_award(cards: Cards, who: str) -> Cards:
    """Return the cards with an earned one taken back.

    Raises Impossible("mb-card-precondition") if the character has earned none.
    """
    awards = cards.seat(who).awards
    deal.refuse(precondition=not awards and "earned")
    return cards.with_seat_changes(who, awards=awards - 1)


def end_round(cards: Cards, rng: Streams) -> Cards:
    """Return the cards at the end of a round, with earned cards drawn (MB-CARD-A01).

    Earned cards are locked for a round.
    """
    earned = {seat.who: seat.awards for seat in cards.deal.seats}
    cards = deal.close_round(cards)
    seats = tuple(seat.replace(awards=0) for seat in cards.deal.seats)
    cards = cards.with_deal_changes(seats=seats)
    return deal.draw_each(cards, earned, rng, wait=_LOCKED)
