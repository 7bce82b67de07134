"""A check under MasterBook, as far as it has come, and what its dice say (MB-SKL-02, MB-SUC-01,
MB-SUC-02).
"""

from __future__ import annotations

from typing import Any, Final

from rules.core.json_reader import read_name_or_number
from rules.core.record import Record
from rules.systems.masterbook.deck.play import CardEffect, card_causes
from rules.systems.masterbook.formulas import multi_actions, reference_rows, success_chart
from rules.systems.masterbook.formulas.damage import Facts, drop_packages
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.success_chart import DIFFICULTIES, Column, Damage
from rules.table.check import Check
from rules.table.checks.stages import FREE, ROLL, ProposalData
from rules.table.system import Game, is_npc

#: How hard anything may be; easier than nothing at all is possible.
DN_LEAST, DN_MOST = -50, 200
SIMPLE: Final = "Simple"
#: What is thrown, by whom: whoever acts, the other side.
MINE, THEIRS, TOGETHER = "check", "answer", "coordination"


class Plan(Record):
    """How somebody tries, as it was said.

    `modifier` is added to the total, and told; `harder` to the difficulty, and hidden with it.
    `rows` are those of the skill's charts, `given` what its uses take besides. `stand` is how
    somebody resists: `passive`, or `active` with a roll. `shown` tells the difficulty, `unaware`
    that nobody could cancel a point. A `surprise` is partial or complete; who is `willing` does not
    resist.
    """

    skill: str = ""
    attribute: str = ""
    difficulty: str = ""
    approach: str = ""
    modifier: int = 0
    harder: int = 0
    rows: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    stand: str = ""
    shown: bool = False
    unaware: bool = False
    surprise: str = ""
    willing: bool = False
    #: A GM has ruled that nothing the target remembers counts.
    fresh: bool = False
    #: Situations of options that a GM has ruled to count, each with its number.
    situations: tuple[str, ...] = ()

    @property
    def active(self) -> bool:
        """Whether somebody rolls to resist (MB-CMB-03)."""
        return self.stand == "active"


class Point(Record):
    """A point that somebody has spent on a throw; `by` has canceled it. It is `used` once it has
    had its effect.

    `card` is what was played for one, `with_` what it was canceled with. What is `sure` nobody can
    cancel.
    """

    who: str
    what: str
    by: str = ""
    used: bool = False
    card: str = ""
    with_: str = ""
    sure: bool = False


class Rating(Record):
    """What something is rolled with: its value, whether 10s roll again, what is added besides, by
    name (MB-SKL-01).

    `floor` and `most` limit the bonus number. Who is `barred` needs a card for it: it takes
    training.
    """

    value: int
    trained: bool = False
    modifiers: tuple[tuple[str, int], ...] = ()
    floor: int | None = None
    most: int | None = None
    barred: bool = False
    #: Added to a rolled total alone, after the chart: never to a passive value (MB-BG-15).
    bonuses: tuple[tuple[str, int], ...] = ()
    #: Highest die total with which it fails all the same (MB-BG-41).
    fails_on: int = 0

    @property
    def number(self) -> int:
        """The value with everything that is added to it."""
        return self.value + reference_rows.cause_total(self.modifiers)

    @property
    def rolled_number(self) -> int:
        """The value with everything that is added to a rolled total."""
        return self.number + reference_rows.cause_total(self.bonuses)

    def with_floor(self, floor: int | None) -> Rating:
        """Return the rating with that minimum of the bonus number, if it is the higher one."""
        floors = [each for each in (self.floor, floor) if each is not None]
        return self.replace(floor=max(floors, default=None))

    def with_causes(self, *causes: tuple[str, int], **changes: Any) -> Rating:
        """With this added besides, and these changes."""
        return self.replace(modifiers=(*self.modifiers, *causes), **changes)


class Blow(Record):
    """What an attack does to one of them: how it came out, with how many result points.

    `count` is how many of a group hit, `effect` a result of the maneuver column; `dropped` are
    packages that points have taken away: an `own` one, and so many `cards`.
    """

    who: str
    kind: str
    points: int = 0
    damage: Damage = Damage()
    count: int = 0
    effect: str = ""
    zone: int = 0
    dropped: tuple[str, ...] = ()
    own: int = 0
    cards: int = 0
    #: Wounds that the target's own toughness has kept off (MB-BG-30).
    kept_off: int = 0

    @property
    def left(self) -> Damage:
        """What it does without those (MB-LP-03)."""
        damage = self.damage
        return (
            drop_packages(damage, self.dropped, own=self.own, cards=self.cards)
            if self.dropped
            else damage
        )

    def lowered(self, dropped: tuple[str, ...], *, card: bool) -> Blow:
        """Without these too, for an own point or a `card`."""
        return self.replace(
            dropped=(*self.dropped, *dropped), own=self.own + (not card), cards=self.cards + card
        )


class RollData(ProposalData):
    """Something that dice are thrown for, with the points that were spent on them.

    `effects` are cards that were played on it; `failed` is who has made it come to nothing. Whoever
    acts throws `anew`. Once it is `noticed`, `earns` are those who get a card for it. The
    `luckless` have had their bad luck.
    """

    throws: tuple[Throw, ...] = ()
    points: tuple[Point, ...] = ()
    effects: tuple[CardEffect, ...] = ()
    failed: str = ""
    anew: bool = False
    noticed: bool = False
    earns: tuple[str, ...] = ()
    luckless: tuple[str, ...] = ()
    #: Each character that it befell, with the `Condition` after it.
    ends: tuple[tuple[str, str], ...] = ()

    def end_of(self, who: str) -> str:
        """Return the condition in which it left a character; empty if it did nothing to it."""
        return dict(self.ends).get(who, "")

    def throw_of(self, what: str = MINE, who: str | None = None) -> Throw | None:
        """What was thrown for it, by anybody or by `who`; None before."""
        for each in self.throws:
            if each.what == what and who in (None, each.who):
                return each
        return None

    @property
    def open_point(self) -> Point | None:
        """The point that has been spent and has had no effect yet."""
        for each in self.points:
            if not each.used:
                return each
        return None


class Attempt(RollData):
    """What somebody tries, and how far it has come.

    It costs no action where it is `free`. `mine` and `theirs` are what both sides roll with, as the
    sheets were when they were looked at last; `number` is the difficulty and `shifts` what moves
    it. The result is read on a `column`, and its points count no higher than `most`. A card that it
    took away is `robbed`. Those who do it together have reached a `coordination` number first. Once
    it is `over`, `came` is whom it befell, and what.
    """

    free: bool = False
    request: Plan = Plan()
    ruling: Plan | None = None
    defense: Plan | None = None
    defense_by: str = ""
    mine: Rating | None = None
    theirs: Rating | None = None
    number: int | None = None
    shifts: tuple[tuple[str, int], ...] = ()
    #: What else moves the difficulty, for the GMs alone (MB-BG-15).
    hidden_shifts: tuple[tuple[str, int], ...] = ()
    column: Column = "general"
    most: int | None = None
    robbed: str = ""
    coordination: int = 0
    came: tuple[tuple[str, Facts], ...] = ()
    over: bool = False

    @property
    def effective_ruling(self) -> Plan:
        """How it is tried: as the GM has it, else as it was proposed."""
        return self.request if self.ruling is None else self.ruling

    @property
    def is_resisted(self) -> bool:
        """Whether the other side rolls, too (MB-CMB-03)."""
        return self.defense is not None and self.defense.active

    @property
    def needed(self) -> int | None:
        """What has to be reached, with what only the GMs know of (MB-BG-15)."""
        number = self.open_needed
        if number is None:
            return None
        return number + reference_rows.cause_total(self.hidden_shifts)

    @property
    def open_needed(self) -> int | None:
        """What has to be reached, as far as players may know: the other side's active total or
        passive value, else the difficulty (MB-DN-02).
        """
        if not self.opposed:
            return self.number
        thrown = self.throw_of(THEIRS)
        if thrown is not None:
            return thrown.total
        return None if self.theirs is None else self.theirs.number

    @property
    def leading_total(self) -> tuple[str, int] | None:
        """Whose total counts, and that: the best of those who coordinate, with what they add
        (MB-CBN-02).
        """
        mine = self.throw_of()
        if mine is None:
            return None
        agreed = multi_actions.characters_reaching(
            {each.who: each.total for each in self.throws if each.what == TOGETHER},
            self.coordination,
        )
        totals = {
            each.who: each.total for each in self.throws if each.what == MINE and each.who in agreed
        }
        done = multi_actions.characters_reaching(totals, self.needed or 0)
        best = max(done, key=lambda each: totals[each], default=mine.who)
        return best, totals.get(best, mine.total) + multi_actions.coordination_bonus(
            len(done)
        ) if done else mine.total

    @property
    def result(self) -> Result | None:
        """What the dice come to; None before they fall."""
        found, number = self.leading_total, self.needed
        if found is None or number is None:
            return None
        throw = self.throw_of(MINE, found[0])
        return Result(
            found[1],
            number,
            self.most,
            reference_rows.cause_total(card_causes(self.effects, found[0], "result")),
            throw is not None and throw.fails,
        )

    @property
    def is_automatic(self) -> bool:
        """Whether it is so simple that nobody rolls (MB-DN-01)."""
        return self.answer == ROLL and self.ruling is not None and self.ruling.difficulty == SIMPLE

    @property
    def reached_level(self) -> str:
        """The General Success level that counts; empty on a failure."""
        return "" if self.result is None else self.result.level

    @property
    def is_undone(self) -> bool:
        """Whether points have lowered a success to no effect (MB-LP-04)."""
        return False

    @property
    def has_succeeded(self) -> bool:
        """Whether whoever acts has reached what they wanted."""
        result = self.result
        done = self.answer == FREE or self.is_automatic or (result is not None and result.success)
        return done and not self.failed


AnyAttempt = Check[Attempt]


class Result(Record):
    """A total against a difficulty number; its points and what cards add to them count no higher
    than `most`.
    """

    total: int
    number: int
    most: int | None = None
    more: int = 0
    #: Whether the dice fail it whatever the total (MB-BG-41).
    fails: bool = False

    @property
    def points(self) -> int:
        """Result points; negative on a failure (MB-SUC-01)."""
        points = self.total - self.number + self.more
        if self.fails:
            points = min(points, -1)
        return points if self.most is None else min(points, self.most)

    @property
    def success(self) -> bool:
        """Reaching the number is enough."""
        return self.points >= 0

    @property
    def level(self) -> str:
        """The General Success level; empty on a failure (MB-SUC-02)."""
        return success_chart.success_level(self.points) if self.success else ""


def read_difficulty(text: str) -> str:
    """A level's name, or a difficulty number. InvalidInput("mb-bad-difficulty")."""
    return read_name_or_number(
        text, DIFFICULTIES, DN_LEAST, DN_MOST, field="difficulty", unknown="mb-bad-difficulty"
    )


def difficulty_number(text: str) -> int | None:
    """The number of a difficulty that has been read; None for what is so simple that nobody rolls
    (MB-DN-01).
    """
    return int(text) if text.removeprefix("-").isdecimal() else DIFFICULTIES[text].dn


def is_number_hidden(game: Game, check: AnyAttempt) -> bool:
    """Whether what has to be reached is for the GMs: their own number, or how good an NPC is."""
    data = check.data
    if not data.opposed:
        return check.hidden
    return is_npc(game, check.target) and data.throw_of(THEIRS) is None
