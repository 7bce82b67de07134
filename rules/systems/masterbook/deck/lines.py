"""The initiative card of a round: which one it is, what it says, what its line does (MB-CARD-I01 to -I13, -E16)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from rules.core.record import Record, record
from rules.core.rng import Rng, Streams
from rules.systems.masterbook import harm as harms
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.deck.dealing import (
    chances,
    close_round,
    confused,
    discarded,
    draw,
    fresh_round,
    line_effects,
    refill,
    refuse,
    refused,
    spent,
)
from rules.systems.masterbook.deck.kinds import MODES, Box, Effect, Face, Lines
from rules.systems.masterbook.deck.state import (
    DRAW,
    HAND,
    INITIATIVE,
    POOL,
    QUEUE,
    Cards,
    Flip,
    Moved,
    Moves,
    Scene,
    Side,
)
from rules.systems.masterbook.harm import Facts, Harm

#: Shock of the fatigued; what a side that should have broken off and could not adds to its difficulties.
_FATIGUE: Final = 2
TRAPPED: Final = 4
Seizing = Literal["flip", "keep"]


@record
class Reading(Record):
    """What a card says as the initiative card of a `scene`.

    That is who acts first, what befalls each side, what earns a card, and its box.
    """

    first: Side = "P"
    players: Effect = ""
    gms: Effect = ""
    skill: str = ""
    approved: tuple[str, ...] = ()
    box: Box | None = None
    letters: tuple[str, ...] = ()
    scene: Scene = "standard"

    def of(self, side: Side) -> Effect:
        """What befalls a side."""
        return self.players if side == "P" else self.gms

    @property
    def sides(self) -> tuple[Side, Side]:
        """The sides in the order in which they act (MB-CARD-I02)."""
        return ("P", "G") if self.first == "P" else ("G", "P")


def read(face: Face, scene: Scene, *, lines: bool = True, approved: bool = True) -> Reading:
    """A card by the line of its scene (MB-CARD-I01, MB-CARD-I04); without `lines` it tells the order alone."""
    line = (face.dramatic if scene == "dramatic" else face.standard) or Lines()
    earns = face.approved if approved else ()
    if not lines:
        line = Lines(line.first)
    return Reading(line.first, line.players, line.gms, line.skill, earns, face.box, face.letters, scene)


def reading(cards: Cards) -> Reading | None:
    """What the card of this round says, as far as the table plays by it; None where there is none (MB-CARD-00)."""
    now = cards.deal.round
    if now is None or not now.card:
        return None
    awards = MODES[cards.setting("cards_mode")].awards
    talks = now.kind == "interaction" and cards.setting("interaction_rounds_use_cards") not in (
        "both",
        "approved",
    )
    return read(cards.faces[now.card], now.scene, lines=line_effects(cards), approved=awards and not talks)


# --- which card it is ----------------------------------------------------------------------------------------


def _round(cards: Cards) -> Flip:
    """Impossible("mb-card-not-in-rounds")."""
    if cards.deal.round is None:
        raise refused("not_in_rounds")
    return cards.deal.round


def _turned(cards: Cards, rng: Streams) -> tuple[Cards, Moves, str]:
    """The next initiative card lies on its pile: one that a GM has kept for it, else the top of the draw pile.

    Impossible("mb-card-deck-exhausted").
    """
    moves: Moves = ()
    source = QUEUE
    if not cards.at(QUEUE):
        source = DRAW
        cards, moves = refill(cards, rng)
        if not cards.at(DRAW):
            raise refused("deck_exhausted")
    card = cards.at(source)[0]
    return cards.moved(card, source, INITIATIVE), (*moves, Moved("flipped", cards=(card,))), card


def flip(cards: Cards, scene: Scene, rng: Streams) -> tuple[Cards, Moves]:
    """A round begins with its card, and everybody's counts anew; a card that was kept stays (MB-CARD-I01).

    Impossible("mb-card-not-in-rounds", "mb-card-deck-exhausted").
    """
    before = _round(cards)
    card, moves = before.card, (Moved("kept", cards=(before.card,)),)
    if not before.kept:
        # The round before is over: its card may be shuffled in.
        cards, moves, card = _turned(cards.but(deal=cards.deal.but(round=before.but(card=""))), rng)
    cards = fresh_round(cards)
    now = before.but(card=card, scene=scene, kept=False)
    return cards.but(deal=cards.deal.but(round=now)), moves


def seize(cards: Cards, who: str, card: str, how: Seizing, rng: Streams) -> tuple[Cards, Moves]:
    """Seize Initiative: another card in place of the one just flipped, or this one for a round more (MB-CARD-E16).

    From the pool, in somebody's critical moment from the hand as well. Impossible("mb-card-not-in-rounds",
    "mb-card-confused", "mb-card-not-in-pool", "mb-card-wrong-window", "mb-card-deck-exhausted").
    """
    now = _round(cards)
    seat = cards.seat(who)
    refuse(
        confused=confused(cards),
        not_in_pool=card not in (*cards.at(POOL, who), *(cards.at(HAND, who) if seat.declared else ())),
        not_in_rounds=cards.setting("combat_only_cards_in") == "combat_rounds" and now.kind != "combat",
        wrong_window=cards.kind(card).op not in ("initiative_control", "any_card")
        or (how == "keep" and now.kept),
    )
    cards = spent(cards, who, card)
    if how == "keep":
        return _with(cards, now.but(kept=True)), (Moved("seized-keep", who, (card,)),)
    cards, moves, new = _turned(cards, rng)
    return _with(cards, now.but(card=new)), (Moved("seized", who, (card,)), *moves)


def _with(cards: Cards, now: Flip) -> Cards:
    return cards.but(deal=cards.deal.but(round=now))


# --- what its line does --------------------------------------------------------------------------------------


def fatigued(harm: Harm, capacity: int) -> tuple[Harm, Facts]:
    """2 shock at once, with what follows (MB-CARD-I05)."""
    return harms.apply(harm, Damage(shock=_FATIGUE), capacity)


def inspired(harm: Harm) -> tuple[Harm, Facts]:
    """Without shock, K, O and knockdown; whoever wakes is knocked down (MB-CARD-I07). Facts: `inspired`, `woken`."""
    if harm.dead:
        return harm, ()
    now = harm.but(shock=0, k=0, o=False, out_for=0, fainted=False, down=0, step=0)
    if harm.out and not now.out:
        return now.but(down=harms.KNOCKED_DOWN), (("woken", 0),)
    return now, (("inspired", 0),) if now != harm else ()


def actions(effect: Effect, extra: int = 0, *, loses: bool = True) -> int:
    """How many actions somebody has: one more by flurry and each haste, one fewer by a setback that `loses` one.

    MB-CARD-I06, MB-CARD-I08, MB-CARD-E08.
    """
    return 1 + extra + (effect == "flurry") - (effect == "setback" and loses)


@record
class Breaking:
    """Whether a side that had to achieve something goes on, and what is added to all its difficulties then."""

    stays: bool
    harder: int = 0


def breaking(*, achieved: bool, can_leave: bool) -> Breaking:
    """A side under `breaks` at the end of the round (MB-CARD-I11)."""
    if achieved:
        return Breaking(True)
    return Breaking(not can_leave, 0 if can_leave else TRAPPED)


def taken(cards: Cards, who: str, card: str | None, rng: Rng, skill: str) -> tuple[Cards, Moves]:
    """The GM's side has succeeded with this skill against somebody: a card of theirs goes (MB-CARD-I12).

    One of the pool that the GM has chosen, without one a random card of the hand.
    Impossible("mb-card-effect-not-active", "mb-card-no-cards", "mb-card-not-in-pool").
    """
    line = cards.lines
    held = cards.at(HAND if card is None else POOL, who)
    refuse(
        effect_not_active=not line_effects(cards) or (line.gms, line.skill) != ("skill", skill),
        no_cards=not held,
        not_in_pool=card is not None and card not in held,
    )
    # The first received lies at the bottom.
    gone = held[::-1][rng.below(len(held))] if card is None else card
    return discarded(cards, who, (gone,)), (Moved("taken", who, (gone,)),)


# --- what from elsewhere is like it --------------------------------------------------------------------------

#: What a thrown pair comes to at most for bad luck, by the column of the compensation (MB-CARD-L04, MB-BG-43).
_UNLUCKY: Final = {1: 2, 2: 3, 3: 4}


def unlucky(column: int, low: int) -> bool:
    """Whether a throw of two dice, the first or a later one, that came to so little sets bad luck off."""
    return low <= _UNLUCKY[column]


# --- approved actions ----------------------------------------------------------------------------------------

ANY, DEFEND = "any", "defend"
#: Words of the Act line that name a kind of deed; any other is the name of a skill.
DEEDS: Final = (ANY, DEFEND, "intimidation", "maneuver", "taunt", "trick")
#: Rounds before a card that was earned may be pooled (MB-CARD-09).
_LOCKED: Final = 1


@record
class Deed(Record):
    """Something that somebody has done.

    `kind` is what it counts as (a word of the Act line, such as `maneuver` for acrobatics used so), `skill` what was
    rolled; a simple action is not `rolled`. A defence has succeeded where it has `stopped` an attack.
    """

    kind: str = ""
    skill: str = ""
    rolled: bool = True
    succeeded: bool = False


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def matches(word: str, deed: Deed) -> bool:
    """Whether a word of the Act line means it (MB-CARD-A02)."""
    return word in (ANY, _key(deed.kind)) or (word not in DEEDS and word == _key(deed.skill))


def stopped(total: int, attacks: Iterable[int]) -> bool:
    """Whether an active defence has kept off an attack: at least one was made and missed it (MB-CARD-A02)."""
    return any(each < total for each in attacks)


def listed(reading: Reading, deed: Deed) -> bool:
    """Whether the round's card pays for what was done, if it succeeds."""
    return deed.rolled and any(matches(each, deed) for each in reading.approved)


def earned(cards: Cards, who: str, deed: Deed, *, agrees: bool = True) -> Cards:
    """A card more is due to somebody at the end of the round (MB-CARD-A01, MB-CARD-A03).

    Impossible("mb-card-no-seat", "mb-card-not-in-rounds", "mb-card-confused", "mb-card-limit-reached",
    "mb-card-not-rolled", "mb-card-not-listed", "mb-card-failed", "mb-card-gm-denied").
    """
    seat, now = cards.seat(who), reading(cards)
    if now is None:
        raise refused("not_in_rounds")
    refuse(
        confused=confused(cards) and cards.setting("confused_blocks_awards"),
        limit_reached=seat.awards >= chances(cards, seat),
        not_rolled=not deed.rolled,
        not_listed=not listed(now, deed),
        failed=not deed.succeeded,
        gm_denied=not agrees,
    )
    return cards.but_seat(seat.but(awards=seat.awards + 1))


def denied(cards: Cards, who: str) -> Cards:
    """A GM takes back what an approved action has earned. Impossible("mb-card-precondition") for nothing earned."""
    seat = cards.seat(who)
    refuse(precondition=not seat.awards)
    return cards.but_seat(seat.but(awards=seat.awards - 1))


def round_over(cards: Cards, rng: Streams) -> tuple[Cards, Moves]:
    """A round ends: what lasted as long goes, then everybody draws what they have earned, locked (MB-CARD-A01)."""
    cards, told = close_round(cards)
    for seat in cards.deal.seats:
        if seat.awards:
            cards, moves = draw(cards, seat.who, rng, count=seat.awards, wait=_LOCKED)
            cards = cards.but_seat(cards.seat(seat.who).but(awards=0))
            told = (*told, *moves)
    return cards, told
