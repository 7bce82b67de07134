"""A referee of Barmore's dice pool: its arithmetic written down a second time, from the rules
alone.

Nothing here comes from `rules.systems.barmore`: what a flow (`test_barmore`) saw fall is counted
again with this, and has to come to the same. Faces are what is read off a die (1 to its sides); a
die's value is the face with its shift.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import Any

#: A die's sides, and what is added to each face.
DICE = {"d8": (8, 0), "d10-1": (10, -1), "d12-2": (12, -2), "d6+1": (6, 1), "d4+2": (4, 2)}
#: Points to a level of success or failure.
STEP = 5
#: What each Add Die counts without dice.
PHOBE = 5
#: Phases that breaking off takes.
ABORT = 2

Tree = Mapping[str, str | None]
Scores = Mapping[str, int]


# --- traits ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trait:
    """What counts for a trait: the one used (none: nothing does), its score, whether it is claimed
    from below.
    """

    used: str | None = None
    score: int = 0
    claimed: bool = False


def ancestors(tree: Tree, name: str) -> list[str]:
    """Those above, the nearest first."""
    found: list[str] = []
    above = tree[name]
    while above is not None:
        found.append(above)
        above = tree[above]
    return found


def descendants(tree: Tree, name: str) -> list[str]:
    return [each for each in tree if name in ancestors(tree, each)]


def looked_up(
    tree: Tree, scores: Scores, wanted: str | None, descendant: str | None = None
) -> Trait:
    """What counts for a wanted trait; a descendant only where it is named and nothing above is
    defined.
    """
    if wanted is None:
        return Trait()
    for each in (wanted, *ancestors(tree, wanted)):
        if each in scores:
            return Trait(each, scores[each])
    if descendant is not None:
        assert descendant in descendants(tree, wanted)
        return Trait(descendant, scores[descendant], claimed=True)
    return Trait()


def stand_ins(tree: Tree, scores: Scores, wanted: str | None) -> list[str]:
    """Which scores below it may be claimed for a trait."""
    if wanted is None or looked_up(tree, scores, wanted).used is not None:
        return []
    return [each for each in descendants(tree, wanted) if each in scores]


def root(tree: Tree, name: str) -> str:
    return [name, *ancestors(tree, name)][-1]


# --- pools ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pace:
    """More or less time than usual: at most one of the four."""

    halvings: int = 0
    doublings: int = 0
    saved: int = 0
    extra: int = 0

    @property
    def add(self) -> int:
        return -self.halvings - self.saved + (1 if self.doublings else 0)

    @property
    def bonus(self) -> int:
        return self.extra + max(0, self.doublings - 1)

    def minutes(self, usual: Fraction) -> Fraction:
        """How long something takes at this pace."""
        return usual * 2**self.doublings / 2**self.halvings


#: The pace of everything that is neither rushed nor drawn out.
USUAL = Pace()


@dataclass(frozen=True)
class Pool:
    """Dice before Bonus and Penalty Dice cancel."""

    add: int
    bonus: int = 0
    penalty: int = 0

    @property
    def modifier(self) -> int:
        """What is left: Bonus Dice, or Penalty Dice below 0."""
        return self.bonus - self.penalty

    @property
    def size(self) -> int:
        return self.add + abs(self.modifier) if self.add > 0 else 0


def pool(
    ability: int,
    attribute: int,
    *,
    supports: Iterable[int] = (),
    wounds: int = 0,
    modifiers: Iterable[int] = (),
    pace: Pace = USUAL,
    convert: int = 0,
) -> Pool:
    """Somebody's own pool; a conversion is cut so that an Add Die stays, before the time counts and
    after.
    """
    counts = [attribute, *supports, *modifiers, -wounds]
    add = 1 + ability
    converted = max(0, min(convert, add - 1, add + pace.add - 1))
    return Pool(
        add - converted + pace.add,
        sum(each for each in counts if each > 0) + converted + pace.bonus,
        -sum(each for each in counts if each < 0),
    )


def team(mode: str, members: Sequence[Pool]) -> Pool:
    """One pool of several members; not for either/or, where each rolls their own."""
    add, bonus, penalty = (
        sum(getattr(each, key) for each in members) for key in ("add", "bonus", "penalty")
    )
    if mode == "simple addition":
        return Pool(add, bonus, penalty)
    most = max(each.add for each in members)
    if mode == "combining dice":
        return Pool(most, bonus + add - most, penalty)
    assert mode == "worst roller"
    return Pool(most, bonus, penalty + add - most)


# --- rolls ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Throw:
    """What a pool came to: the values kept and dropped (none without dice), and whether it is a
    botch.
    """

    total: int
    add: int
    kept: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()

    @property
    def botch(self) -> bool:
        return bool(self.kept) and self.total <= self.add


#: What somebody who is out of action sets against something directly.
NOTHING = Throw(0, 0)


def thrown(made: Pool, die: str, faces: Sequence[int]) -> Throw:
    """A pool rolled: Bonus Dice drop the lowest, Penalty Dice the highest."""
    sides, shift = DICE[die]
    assert len(faces) == made.size and all(1 <= face <= sides for face in faces)
    values = sorted((face + shift for face in faces), reverse=made.modifier >= 0)
    kept, dropped = tuple(values[: made.add]), tuple(values[made.add :])
    return Throw(sum(kept), made.add, kept, dropped)


def counted(made: Pool) -> Throw:
    """A pool without dice."""
    return Throw(PHOBE * made.add + made.modifier, made.add)


@dataclass(frozen=True)
class Outcome:
    """Success or not, a botch or not, and the level: below 0 of a failure."""

    success: bool
    level: int
    botch: bool = False


def judged(throw: Throw | None, difficulty: int, least: int = 0) -> Outcome:
    """A throw against a Difficulty; None: rushed down to nothing, which fails as a total of 0
    would.

    `least` is the level that success takes.
    """
    if throw is None:
        return Outcome(False, -(max(0, difficulty) // STEP))
    short = difficulty - throw.total
    level = -(short // STEP) if short >= 0 else -short // STEP
    if throw.botch:
        return Outcome(False, min(level, 0) if short > 0 else 0, botch=True)
    if short > 0:
        return Outcome(False, level)
    return Outcome(True, level) if level >= least else Outcome(False, 0)


@dataclass(frozen=True)
class Triumph:
    """Who wins, 0 or 1 (None: nobody), and by which level."""

    winner: int | None
    level: int | None = None


def direct(throws: Sequence[Throw]) -> Triumph:
    """The higher total; a botch loses to what is none."""
    one, other = throws
    if (one.botch and other.botch) or (one.total == other.total and one.botch == other.botch):
        return Triumph(None)
    won = other.botch if one.botch != other.botch else one.total > other.total
    return Triumph(0 if won else 1, max(0, (one.total - other.total) * (1 if won else -1)) // STEP)


def indirect(throws: Sequence[Throw | None], difficulty: int, least: int = 0) -> Triumph:
    """Both against one Difficulty: the higher level, then the higher total. None: does not roll."""
    found = [judged(each, difficulty, least) for each in throws]
    ranks = [
        (outcome.level, throw.total)
        for outcome, throw in zip(found, throws, strict=True)
        if outcome.success and throw is not None
    ]
    if not ranks or (len(ranks) == 2 and ranks[0] == ranks[1]):
        return Triumph(None)
    winner = (
        [each.success for each in found].index(True) if len(ranks) == 1 else ranks.index(max(ranks))
    )
    return Triumph(winner, found[winner].level)


# --- odds -----------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def totals(add: int, modifier: int, die: str) -> Mapping[int, Fraction]:
    """The exact chance of each total of a pool, by counting how many dice show each value."""
    sides, shift = DICE[die]
    dice = add + abs(modifier)
    order = range(sides, 0, -1) if modifier >= 0 else range(1, sides + 1)
    # From what is kept first to what is dropped: dice not yet placed, places not yet filled, sum so
    # far -> ways.
    ways: dict[tuple[int, int, int], int] = {(dice, add, 0): 1}
    for face in order:
        last = face == order[-1]
        after: dict[tuple[int, int, int], int] = {}
        for (left, room, total), count in ways.items():
            for here in (left,) if last else range(left + 1):
                taken = min(here, room)
                key = (left - here, room - taken, total + taken * (face + shift))
                after[key] = after.get(key, 0) + count * comb(left, here)
        ways = after
    found: dict[int, Fraction] = {}
    for (_, _, total), count in ways.items():
        found[total] = found.get(total, Fraction()) + Fraction(count, sides**dice)
    return found


def chance(made: Pool, die: str | None, difficulty: int, least: int = 0) -> Fraction:
    """The chance of success; without dice it is certain or none."""
    return sum(
        (
            share
            for total, share in spread(made, die).items()
            if judged(_of(made, die, total), difficulty, least).success
        ),
        Fraction(),
    )


def spread(made: Pool, die: str | None) -> Mapping[int, Fraction]:
    """The chance of each total; of none where nothing is left to roll."""
    if made.add <= 0:
        return {}
    return (
        {counted(made).total: Fraction(1)} if die is None else totals(made.add, made.modifier, die)
    )


def botching(made: Pool, die: str) -> Fraction:
    return sum(
        (share for total, share in spread(made, die).items() if total <= made.add), Fraction()
    )


def _of(made: Pool, die: str | None, total: int) -> Throw:
    return Throw(total, made.add, () if die is None else (total,))


# --- wounds ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A row of the Wound chart; penalties of None: no such activity."""

    start: int
    name: str
    penalty: int | None
    other: int | None
    physical_days: int
    mental_days: int

    def days(self, kind: str) -> int:
        return self.physical_days if kind == "physical" else self.mental_days


def chart_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Row, ...]:
    """A chart as a campaign's file has it."""
    keys = ("from", "name", "penalty", "other_penalty", "healing_days", "mental_healing_days")
    return tuple(Row(*(each[key] for key in keys)) for each in rows)


def row_of(chart: Sequence[Row], degree: int) -> int | None:
    """The place of the row of a degree; None: no Wound."""
    found = [at for at, row in enumerate(chart) if row.start <= degree]
    return found[-1] if found else None


@dataclass(frozen=True)
class Armor:
    rating: int
    covers: frozenset[str] = frozenset()
    converts: frozenset[str] = frozenset()
    mental: bool = False


@dataclass(frozen=True)
class Weapon:
    """What does the damage; a kind of "" is none that armor names."""

    modifier: int = 0
    powered: bool = True
    lethal: bool = True
    kind: str = ""
    mental: bool = False


def armor_against(worn: Iterable[Armor], weapon: Weapon) -> int:
    """The rating of all that can affect it."""
    return sum(
        each.rating
        for each in worn
        if each.mental == weapon.mental and (not each.covers or weapon.kind in each.covers)
    )


@dataclass(frozen=True)
class Blow:
    """What a hit does: stopped by armor, or a final degree, and that of the Wounds of each kind
    (0: none).
    """

    stopped: bool = False
    final: int = 0
    physical: int = 0
    mental: int = 0


def physical_blow(
    level: int, armor: int, muscle: int, weapon: int, toughness: int, threshold: int, lethal: bool
) -> Blow:
    """`muscle` is 0 where Muscle Power does not drive the weapon."""
    if level - armor < 0:
        return Blow(stopped=True)
    final = level - armor + muscle + weapon - toughness - threshold
    if final <= 0:
        return Blow(final=final)
    return (
        Blow(final=final, physical=final)
        if lethal
        else Blow(False, final, -(-final // 2), final // 2)
    )


def mental_blow(level: int, armor: int, threshold: int) -> Blow:
    if level - armor < 0:
        return Blow(stopped=True)
    final = level - armor - threshold
    return Blow(final=final, mental=max(0, final))


@dataclass(frozen=True)
class Wound:
    """A Wound with the share of it that has healed."""

    kind: str
    degree: int
    row: int
    healed: Fraction = Fraction()
    factor: Fraction = Fraction(1)
    life: str = "rest"
    stabilised: bool = True


def wounded(chart: Sequence[Row], kind: str, degree: int) -> Wound | None:
    """A new Wound of a degree; who cannot do anything any more is dying until stabilized."""
    row = row_of(chart, degree)
    if row is None:
        return None
    return Wound(kind, degree, row, stabilised=chart[row].penalty is not None)


def penalties(chart: Sequence[Row], wounds: Iterable[Wound], activity: str) -> int | None:
    """Penalty Dice on an activity; None: it is not possible at all."""
    found = [
        chart[each.row].penalty if each.kind == activity else chart[each.row].other
        for each in wounds
    ]
    return None if None in found else sum(each or 0 for each in found)


# --- healing --------------------------------------------------------------------------------------

#: What governs the healing of each kind.
HEALS_BY = {"physical": "Immune System", "mental": "Stamina"}
DAY = 24 * 60


def healing_time(base: int, attribute: int) -> Fraction:
    return Fraction(base, attribute) if attribute > 0 else Fraction(base * max(1, abs(attribute)))


def healing_days(chart: Sequence[Row], wound: Wound, attribute: int) -> Fraction | None:
    """How long all of a Wound takes to heal; None: it does not."""
    if not wound.stabilised or wound.life == "stopped":
        return None
    row = min(wound.row + 1, len(chart) - 1) if wound.life == "slower" else wound.row
    return healing_time(chart[row].days(wound.kind), attribute) / wound.factor


def later(
    chart: Sequence[Row], wounds: Iterable[Wound], governing: Mapping[str, int], minutes: int
) -> tuple[Wound, ...]:
    """Wounds after some of the story's time; those that have healed are gone."""
    left: list[Wound] = []
    for each in wounds:
        days = healing_days(chart, each, governing[each.kind])
        healed = each.healed
        if days is not None:
            healed = healed + Fraction(minutes, DAY) / days if days else Fraction(1)
        if healed < 1:
            left.append(replace(each, healed=healed))
    return tuple(left)


def treated(wound: Wound, factor: Fraction) -> Wound:
    """After a success: stabilized, and never slower than before."""
    return replace(wound, stabilised=True, factor=max(wound.factor, factor))


# --- time -----------------------------------------------------------------------------------------


def duration(cost: int, score: int) -> int:
    return max(1, cost - score)


def together(durations: Sequence[int]) -> int:
    """Phases of several things at once."""
    return max(durations) + len(durations)


def least_time(times: Sequence[Fraction | int]) -> Fraction:
    longest = max(times)
    return Fraction(longest) + Fraction(sum(times) - longest) / 2


@dataclass(frozen=True)
class Work:
    """A complex action: levels so far, rolls made, minutes spent."""

    required: int
    every: int
    done: int = 0
    rolls: int = 0
    minutes: Fraction = Fraction()

    @property
    def over(self) -> bool:
        return self.rolls > 0 and self.done >= self.required

    def rolled(self, level: int, pace: Pace = USUAL) -> Work:
        return replace(
            self,
            done=self.done + level,
            rolls=self.rolls + 1,
            minutes=self.minutes + pace.minutes(Fraction(self.every)),
        )
