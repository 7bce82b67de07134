"""Success pools: how many dice, what they show, and what may change them afterwards (EGO-DIE-01 to
EGO-DIE-05).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.errors import Impossible
from rules.core.memo import memo_by_identity
from rules.core.record import Record
from rules.core.rng import Die, Rng

SIDES: Final = 6
#: Faces from here on are successes.
SUCCESS: Final = 5
#: The order in which dice are changed: nothing goes back to an earlier step (EGO-DIE-05).
FORCED, OPTIONAL, FLIP, LUCKY = 1, 2, 3, 4
#: What a GM takes a success for.
UNLUCKY: Final = "Unlucky"
#: The most Karma on one roll, and in a round (EGO-KAR-02).
MAX_KARMA_DICE: Final = 3


class RerollSource(Record):
    """What re-rolls so many dice: successes where it is `forced`, else failures."""

    name: str
    dice: int = 1
    forced: bool = False


class Pool(Record):
    """Dice as they lie. `changed` are places re-rolled, `replaced` the faces that lay there,
    `flipped` those that Karma made successes; `rank` is the last step of the order that was taken,
    `plus` what luck adds, `used` the sources, each as often as it was used, and `karma` the dice
    that were bought.
    """

    faces: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    flipped: tuple[int, ...] = ()
    rank: int = 0
    plus: int = 0
    karma: int = 0
    used: tuple[str, ...] = ()
    replaced: tuple[int, ...] = ()

    @property
    @memo_by_identity  # asked again and again while it is judged and told
    def marks(self) -> tuple[int, ...]:
        """The places of successes."""
        faces = enumerate(self.faces)
        return tuple([at for at, face in faces if face >= SUCCESS or at in self.flipped])

    @property
    def successes(self) -> int:
        """How many there are, with what luck adds or takes."""
        return max(0, len(self.marks) + self.plus)

    @property
    def dice(self) -> tuple[Die, ...]:
        """The dice by themselves."""
        return tuple([Die("d6", SIDES, face) for face in self.faces])


class Throw(Record):
    """Dice of somebody, for what, and what may re-roll some of them; `karma` before and after,
    where some was spent.
    """

    who: str
    what: str
    pool: Pool = Pool()
    sources: tuple[RerollSource, ...] = ()
    karma: tuple[int, ...] = ()


def pool_size(base: int, modifiers: Iterable[int] = (), karma: int = 0) -> int:
    """How many dice are thrown; below 1 none (EGO-DIE-01)."""
    return max(0, base + sum(modifiers) + karma)


def throw(rng: Rng, number: int, karma: int = 0, sources: Iterable[RerollSource] = ()) -> Pool:
    """So many dice, of which `karma` were bought; what has to be re-rolled is so at once."""
    pool = Pool(tuple([rng.below(SIDES) + 1 for _ in range(max(0, number))]), karma=karma)
    while forced := forced_rerolls(pool, sources):
        pool = reroll(pool, forced[0], rerollable(pool, forced[0])[0], rng)
    return pool


def karma_most(have: int, spent: int = 0) -> int:
    """The most points for dice on one roll; none where some were `spent` on another in this round
    (EGO-KAR-02).
    """
    return 0 if spent else min(MAX_KARMA_DICE, have)


def karma_after_dice(have: int, dice: int, spent: int = 0) -> int:
    """Karma after so many dice were bought. Impossible("ego-karma-once", "ego-too-much-karma")."""
    if dice and spent:
        raise Impossible("ego-karma-once", most=MAX_KARMA_DICE)
    if dice > (most := karma_most(have, spent)):
        raise Impossible("ego-too-much-karma", value=dice, highest=most)
    return have - dice


# --- changes after the roll -----------------------------------------------------------------------


def rerollable(pool: Pool, source: RerollSource) -> tuple[int, ...]:
    """The places that a source may re-roll now; none where its step is over, or it is used up."""
    step = FORCED if source.forced else OPTIONAL
    if pool.rank > step or source.dice <= pool.used.count(source.name):
        return ()
    right = [(face >= SUCCESS) == source.forced for face in pool.faces]
    return tuple([at for at, fits in enumerate(right) if fits and at not in pool.changed])


def forced_rerolls(pool: Pool, sources: Iterable[RerollSource]) -> tuple[RerollSource, ...]:
    """The forced re-rolls that come before anything else."""
    return tuple([each for each in sources if each.forced and rerollable(pool, each)])


def open_rerolls(pool: Pool, sources: Iterable[RerollSource]) -> tuple[RerollSource, ...]:
    """What may re-roll a die now: forced ones first and alone."""
    all_ = tuple(sources)
    return forced_rerolls(pool, all_) or tuple([each for each in all_ if rerollable(pool, each)])


def reroll(pool: Pool, source: RerollSource, place: int, rng: Rng) -> Pool:
    """One die again; what it shows stands. Impossible("ego-no-change")."""
    if place not in rerollable(pool, source):
        raise Impossible("ego-no-change", source=source.name)
    face = rng.below(SIDES) + 1
    return pool.replace(
        faces=(*pool.faces[:place], face, *pool.faces[place + 1 :]),
        changed=(*pool.changed, place),
        replaced=(*pool.replaced, pool.faces[place]),
        rank=max(pool.rank, FORCED if source.forced else OPTIONAL),
        used=(*pool.used, source.name),
    )


def flippable(pool: Pool, *, flipped: bool = False) -> tuple[int, ...]:
    """The failed dice that Karma may turn now: none where it has `flipped` one in this round
    (EGO-KAR-03).
    """
    if flipped or pool.rank >= FLIP:
        return ()
    return tuple([at for at in range(len(pool.faces)) if at not in pool.marks])


def flip(pool: Pool) -> Pool:
    """The first failed die as a success. Impossible("ego-no-change")."""
    if not (places := flippable(pool)):
        raise Impossible("ego-no-change")
    return pool.replace(flipped=(*pool.flipped, places[0]), rank=FLIP)


def may_be_lucky(pool: Pool) -> bool:
    """Whether luck may still add a success: once a roll (EGO-ADV-02)."""
    return pool.rank < LUCKY


def add_lucky_success(pool: Pool) -> Pool:
    """One success more. Impossible("ego-no-change")."""
    if not may_be_lucky(pool):
        raise Impossible("ego-no-change", luck=True)
    return pool.replace(plus=pool.plus + 1, rank=LUCKY)


def may_be_unlucky(pool: Pool) -> bool:
    """Whether a GM may still take a success: once a roll (EGO-ADV-02)."""
    return bool(pool.faces) and UNLUCKY not in pool.used


def take_unlucky_success(pool: Pool) -> Pool:
    """One success fewer, not below 0. It is counted last, so its owner may go on.
    Impossible("ego-no-change").
    """
    if not may_be_unlucky(pool):
        raise Impossible("ego-no-change", luck=True)
    return pool.replace(plus=pool.plus - 1, used=(*pool.used, UNLUCKY))
