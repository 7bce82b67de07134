"""Approved actions: what the round's card pays for with a card, and how often (MB-CARD-A01 to A03)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.record import Record, record
from rules.core.rng import Streams
from rules.systems.masterbook.deck.dealing import chances, close_round, confused, draw, refuse, refused
from rules.systems.masterbook.deck.lines import Reading, reading
from rules.systems.masterbook.deck.state import Cards, Moves

ANY, DEFEND = "any", "defend"
#: Words of the Act line that name a kind of deed; any other is the name of a skill.
WORDS: Final = (ANY, DEFEND, "intimidation", "maneuver", "taunt", "trick")
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
    return word in (ANY, _key(deed.kind)) or (word not in WORDS and word == _key(deed.skill))


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
