"""Lines of the initiative card, and what they do to the deck (MB-CARD-I, MB-CARD-A)."""

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
#: Added to all difficulties of a side that should have broken off and could not (MB-CARD-I11).
TRAPS: Final = 4
#: Uses of Seize Initiative: flip another card, or keep this one for a round more.
Seizing = Literal["flip", "keep"]
SEIZING_EFFECTS: Final = ("initiative_control", "any_card")


class CardReading(InitiativeLine):
    """What a card says as the initiative card of a `scene`: its line, what earns a card, and its
    box.
    """

    approved: tuple[str, ...] = ()
    box: Box | None = None
    letters: tuple[str, ...] = ()
    scene: Scene = "standard"


def read(face: Face, scene: Scene) -> CardReading:
    """A card by the line of its scene (MB-CARD-I01, MB-CARD-I04)."""
    line = face.line(scene)
    return CardReading(
        line.first, line.players, line.gms, line.skill, face.approved, face.box, face.letters, scene
    )


def current_reading(cards: Cards) -> CardReading | None:
    """What the card of this round says, as far as the table plays by it; None where there is none
    (MB-CARD-00).
    """
    now, line = cards.deal.round, cards.lines
    if now is None or not now.card:
        return None
    found = read(cards.faces[now.card], now.scene)
    earns = now.kind == "combat" or cards.setting("interaction_rounds_use_cards") in (
        "both",
        "approved",
    )
    approved = found.approved if earns and MODES[cards.setting("cards_mode")].awards else ()
    return found.replace(players=line.players, gms=line.gms, skill=line.skill, approved=approved)


def current_round(cards: Cards) -> Flip:
    """Impossible("mb-card-not-in-rounds")."""
    if cards.deal.round is None:
        raise deal.refusal("not_in_rounds")
    return cards.deal.round


def _turned(cards: Cards, rng: Streams) -> Cards:
    """The next initiative card lies on its pile: one that a GM has kept for it, else the top of the
    draw pile.

    Impossible("mb-card-deck-exhausted").
    """
    source = QUEUE if cards.at(QUEUE) else DRAW_PILE
    cards = deal.refill(cards, rng) if source == DRAW_PILE else cards
    deal.refuse(deck_exhausted=not cards.at(source))
    card = cards.at(source)[0]
    now = current_round(cards).replace(card=card)
    return (
        cards.with_cards_moved(source, INITIATIVE, card)
        .with_deal_changes(round=now)
        .tell("flipped", cards=(card,))
    )


def flip(cards: Cards, scene: Scene, rng: Streams) -> Cards:
    """A round begins with its card, and everybody's counts anew; a card that was kept stays
    (MB-CARD-I01).

    Impossible("mb-card-not-in-rounds", "mb-card-deck-exhausted").
    """
    before = current_round(cards)
    if before.kept:
        cards = cards.tell("kept", cards=(before.card,))
    else:  # the round before is over: its card may be shuffled in
        cards = _turned(cards.with_deal_changes(round=before.replace(card="")), rng)
    return deal.fresh_round(cards).with_deal_changes(
        round=current_round(cards).replace(scene=scene, kept=False)
    )


def seizing_from(cards: Cards, who: str) -> tuple[str, ...]:
    """The cards by which somebody may seize the initiative where they are for it: of the pool, as a
    rule.
    """
    return (*cards.at(POOL, who), *(cards.at(HAND, who) if cards.seat(who).declared else ()))


def seize(cards: Cards, who: str, card: str, how: Seizing, rng: Streams) -> Cards:
    """Seize Initiative: another card in place of the one just flipped, or this one for a round more
    (MB-CARD-E16).

    From the pool, in somebody's critical moment from the hand as well.
    Impossible("mb-card-not-in-rounds", "mb-card-confused", "mb-card-not-in-pool",
    "mb-card-wrong-window", "mb-card-deck-exhausted").
    """
    now = current_round(cards)
    deal.refuse(
        not_in_rounds=not play.may_play_combat_cards(cards),
        confused=deal.is_confused(cards),
        not_in_pool=card not in seizing_from(cards, who),
        wrong_window=cards.kind(card).op not in SEIZING_EFFECTS or (how == "keep" and now.kept),
    )
    cards = deal.spend_card(cards, who, card).tell("seized", who, (card,))
    return (
        cards.with_deal_changes(round=now.replace(kept=True))
        if how == "keep"
        else _turned(cards, rng)
    )


def apply_fatigue(harm: Harm, capacity: int) -> tuple[Harm, Facts]:
    """2 shock at once, with what follows (MB-CARD-I05)."""
    return harms.apply_damage(harm, Damage(shock=_FATIGUE), capacity)


def apply_inspiration(harm: Harm) -> tuple[Harm, Facts]:
    """Without shock, K, O and knockdown; whoever wakes is knocked down (MB-CARD-I07). Facts:
    `inspired`, `woken`.
    """
    if harm.dead:
        return harm, ()
    now = harm.replace(shock=0, k=0, o=False, out_for=0, fainted=False, down=0, shock_seconds=0)
    if harm.out and not now.out:
        return now.replace(down=harms.KNOCKED_DOWN), (("woken", 0),)
    return now, (("inspired", 0),) if now != harm else ()


def trap_penalty(*, achieved: bool, can_leave: bool) -> int:
    """What is added to all difficulties of a side that should have broken off and could not
    (MB-CARD-I11).
    """
    return 0 if achieved or can_leave else TRAPS


def take_card(cards: Cards, who: str, card: str | None, rng: Rng, skill: str) -> Cards:
    """The GM's side has succeeded with this skill against somebody: a card of theirs goes
    (MB-CARD-I12).

    One of the pool that the GM has chosen, without one a random card of the hand.
    Impossible("mb-card-effect-not-active", "mb-card-no-cards", "mb-card-not-in-pool").
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
    return deal.move_to_discard(cards, who, (gone,)).tell("taken", who, (gone,))


#: What a thrown pair comes to at most for bad luck, by the column of the compensation (MB-CARD-L04,
#: MB-BG-43).
_UNLUCKY: Final = {1: 2, 2: 3, 3: 4}


def unlucky(column: int, low: int) -> bool:
    """Whether a throw of two dice, the first or a later one, that came to so little sets bad luck
    off.
    """
    return low <= _UNLUCKY[column]


ANY, DEFEND = "any", "defend"
#: Words of the Act line that name a kind of deed; any other is the name of a skill.
DEEDS: Final = (ANY, DEFEND, "intimidation", "maneuver", "taunt", "trick")
#: Rounds before a card that was earned may be pooled (MB-CARD-09).
_LOCKED: Final = 1


class Deed(Record):
    """Something that somebody has done.

    `kind` is what it counts as (a word of the Act line, such as `maneuver` for acrobatics used so),
    `skill` what was rolled; a simple action is not `rolled`. A defense has `succeeded` where it has
    stopped an attack, as `has_stopped_attack` tells.
    """

    kind: str = ""
    skill: str = ""
    rolled: bool = True
    succeeded: bool = False
    #: Number of the action in the round; 0 for the latest.
    during: int = 0


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def matches(word: str, deed: Deed) -> bool:
    """Whether a word of the Act line means it (MB-CARD-A02)."""
    return word in (ANY, _key(deed.kind)) or (word not in DEEDS and word == _key(deed.skill))


def has_stopped_attack(total: int, attacks: Iterable[int]) -> bool:
    """Whether an active defense has kept off an attack: at least one was made and missed it
    (MB-CARD-A02).
    """
    return any(each < total for each in attacks)


def is_approved(reading: CardReading, deed: Deed) -> bool:
    """Whether the round's card pays for what was done, if it succeeds."""
    return deed.rolled and any(matches(each, deed) for each in reading.approved)


def earn_card(cards: Cards, who: str, deed: Deed) -> Cards:
    """A card more is due to somebody at the end of the round, unless a GM takes it back
    (MB-CARD-A01, MB-CARD-A03).

    Impossible("mb-card-no-seat", "mb-card-not-in-rounds", "mb-card-confused",
    "mb-card-limit-reached", "mb-card-not-rolled", "mb-card-not-listed", "mb-card-failed").
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
    """A GM takes back what an approved action has earned. Impossible("mb-card-precondition") for
    nothing earned.
    """
    awards = cards.seat(who).awards
    deal.refuse(precondition=not awards and "earned")
    return cards.with_seat_changes(who, awards=awards - 1)


def end_round(cards: Cards, rng: Streams) -> Cards:
    """A round ends: what lasted as long goes, then everybody draws what they have earned, locked
    (MB-CARD-A01).
    """
    earned = {seat.who: seat.awards for seat in cards.deal.seats}
    cards = deal.close_round(cards)
    cards = cards.with_deal_changes(
        seats=tuple([seat.replace(awards=0) for seat in cards.deal.seats])
    )
    return deal.draw_each(cards, earned, rng, wait=_LOCKED)
