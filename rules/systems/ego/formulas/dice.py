"""Success pools: their size, their faces, and later changes (EGO-DIE-01 to EGO-DIE-05)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.core.errors import Impossible
from rules.core.memo import memo_by_identity
from rules.core.record import Record
from rules.core.rng import Die, Rng

SIDES: Final = 6
#: Lowest face that is a success.
SUCCESS: Final = 5
#: Steps of changing dice. No change goes back to an earlier step (EGO-DIE-05).
FORCED, OPTIONAL, FLIP, LUCKY = 1, 2, 3, 4
#: Disadvantage for which a GM takes a success.
UNLUCKY: Final = "Unlucky"
#: Most dice of Karma on one roll, and in a round (EGO-KAR-02).
MAX_KARMA_DICE: Final = 3


class RerollSource(Record):
    """Source of re-rolls: of successes if it is `forced`, else of failures."""

    name: str
    dice: int = 1
    forced: bool = False


class Pool(Record):
    """Dice of a roll as they are now."""

    faces: tuple[int, ...] = ()
    #: Places of re-rolled dice.
    changed: tuple[int, ...] = ()
    #: Places of dice that Karma made successes.
    flipped: tuple[int, ...] = ()
    #: Last step of the order of changes that was taken.
    rank: int = 0
    #: Successes that luck adds or takes.
    plus: int = 0
    #: Dice bought with Karma.
    karma: int = 0
    #: Names of the sources, each as often as it was used.
    used: tuple[str, ...] = ()
    #: Faces before the re-rolls, in the order of `changed`.
    replaced: tuple[int, ...] = ()

    @property
    @memo_by_identity  # Verdict and view ask for it many times.
    def marks(self) -> tuple[int, ...]:
        """Places of the successes."""
        faces = enumerate(self.faces)
        return tuple([at for at, face in faces if face >= SUCCESS or at in self.flipped])

    @property
    def successes(self) -> int:
        """Number of successes, with those that luck adds or takes."""
        return max(0, len(self.marks) + self.plus)

    @property
    def dice(self) -> tuple[Die, ...]:
        """Dice for display."""
        return tuple([Die("d6", SIDES, face) for face in self.faces])


class Throw(Record):
    """A roll of a character."""

    who: str
    what: str
    pool: Pool = Pool()
    #: Sources that may re-roll some of the dice.
    sources: tuple[RerollSource, ...] = ()
    #: Karma before and after the roll; empty if none was spent.
    karma: tuple[int, ...] = ()


def pool_size(base: int, modifiers: Iterable[int] = (), karma: int = 0) -> int:
    """Return the number of dice; none below 1 (EGO-DIE-01)."""
    return max(0, base + sum(modifiers) + karma)


def throw(rng: Rng, number: int, karma: int = 0, sources: Iterable[RerollSource] = ()) -> Pool:
    """Roll dice, of which `karma` were bought; forced re-rolls happen at once."""
    pool = Pool(tuple([rng.below(SIDES) + 1 for _ in range(max(0, number))]), karma=karma)
    while forced := forced_rerolls(pool, sources):
        pool = reroll(pool, forced[0], rerollable(pool, forced[0])[0], rng)
    return pool


def karma_most(have: int, spent: int = 0) -> int:
    """Return the most Karma for dice on one roll (EGO-KAR-02).

    It is 0 if some was `spent` on another roll of this round.
    """
    return 0 if spent else min(MAX_KARMA_DICE, have)


def karma_after_dice(have: int, dice: int, spent: int = 0) -> int:
    """Return the Karma after buying dice.

    Raises Impossible("ego-karma-once", "ego-too-much-karma").
    """
    if dice and spent:
        raise Impossible("ego-karma-once", most=MAX_KARMA_DICE)
    if dice > (most := karma_most(have, spent)):
        raise Impossible("ego-too-much-karma", value=dice, highest=most)
    return have - dice


# --- changes after the roll -----------------------------------------------------------------------


def rerollable(pool: Pool, source: RerollSource) -> tuple[int, ...]:
    """Return the places that a source may re-roll now.

    None are left after its step, or after its last use.
    """
    step = FORCED if source.forced else OPTIONAL
    if pool.rank > step or source.dice <= pool.used.count(source.name):
        return ()
    right = [(face >= SUCCESS) == source.forced for face in pool.faces]
    return tuple([at for at, fits in enumerate(right) if fits and at not in pool.changed])


def forced_rerolls(pool: Pool, sources: Iterable[RerollSource]) -> tuple[RerollSource, ...]:
    """Return the forced re-rolls, which come before any other change."""
    return tuple([source for source in sources if source.forced and rerollable(pool, source)])


def open_rerolls(pool: Pool, sources: Iterable[RerollSource]) -> tuple[RerollSource, ...]:
    """Return the sources that may re-roll a die now; forced ones come first and alone."""
    all_ = tuple(sources)
    return forced_rerolls(pool, all_) or tuple(
        [source for source in all_ if rerollable(pool, source)]
    )


def reroll(pool: Pool, source: RerollSource, place: int, rng: Rng) -> Pool:
    """Re-roll one die; its new face stands. Raises Impossible("ego-no-change")."""
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
    """Return the failed dice that Karma may turn now (EGO-KAR-03).

    There are none if Karma has `flipped` a die in this round.
    """
    if flipped or pool.rank >= FLIP:
        return ()
    return tuple([at for at in range(len(pool.faces)) if at not in pool.marks])


def flip(pool: Pool) -> Pool:
    """Turn the first failed die into a success. Raises Impossible("ego-no-change")."""
    if not (places := flippable(pool)):
        raise Impossible("ego-no-change")
    return pool.replace(flipped=(*pool.flipped, places[0]), rank=FLIP)


def may_be_lucky(pool: Pool) -> bool:
    """Return whether luck may still add a success, once a roll (EGO-ADV-02)."""
    return pool.rank < LUCKY


def add_lucky_success(pool: Pool) -> Pool:
    """Add a success. Raises Impossible("ego-no-change")."""
    if not may_be_lucky(pool):
        raise Impossible("ego-no-change", luck=True)
    return pool.replace(plus=pool.plus + 1, rank=LUCKY)


def may_be_unlucky(pool: Pool) -> bool:
    """Return whether a GM may still take a success, once a roll (EGO-ADV-02)."""
    return bool(pool.faces) and UNLUCKY not in pool.used


def take_unlucky_success(pool: Pool) -> Pool:
    """Take a success, not below 0. Raises Impossible("ego-no-change").

    It counts last, so the owner of the dice may go on changing them.
    """
    if not may_be_unlucky(pool):
        raise Impossible("ego-no-change", luck=True)
    return pool.replace(plus=pool.plus - 1, used=(*pool.used, UNLUCKY))
