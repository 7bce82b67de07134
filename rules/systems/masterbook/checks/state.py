"""State of MasterBook's checks, and the result of their dice.

MB-SKL-02, MB-SUC-01, MB-SUC-02.
"""

from __future__ import annotations

from typing import Any, Final, Self

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

#: Range of difficulty numbers. Some things are easier than nothing at all.
DN_LEAST, DN_MOST = -50, 200
SIMPLE: Final = "Simple"
#: Names of rolls: the actor's, the other side's, and the one to coordinate helpers.
MINE, THEIRS, TOGETHER = "check", "answer", "coordination"


class Plan(Record):
    """Plan of one side of a check, or a GM's ruling on it, as it was said."""

    skill: str = ""
    attribute: str = ""
    difficulty: str = ""
    approach: str = ""
    #: Open modifier of the total.
    modifier: int = 0
    #: Shift of the difficulty, hidden with it.
    harder: int = 0
    #: Rows of the skill's charts.
    rows: tuple[str, ...] = ()
    #: Other inputs of the skill's uses.
    given: tuple[str, ...] = ()
    #: How a target resists: `passive`, or `active` with a roll.
    stand: str = ""
    #: Whether players may see the difficulty.
    shown: bool = False
    #: Whether no other character is aware of the action, so that nobody can cancel a point.
    unaware: bool = False
    #: Surprise of the target: `partial` or `complete`.
    surprise: str = ""
    #: Whether the target doesn't resist.
    willing: bool = False
    #: Whether a GM has ruled that nothing the target remembers counts.
    fresh: bool = False
    #: Situations of options that a GM has ruled to count, each with its number.
    situations: tuple[str, ...] = ()

    @property
    def active(self) -> bool:
        """Whether the side rolls to resist (MB-CMB-03)."""
        return self.stand == "active"


class Point(Record):
    """Life Point, or a card in its place, that a character has spent on a roll."""

    who: str
    #: Name of the roll.
    what: str
    #: Character who has canceled the point.
    by: str = ""
    #: Whether the point has had its effect.
    used: bool = False
    #: Card that was played as a point.
    card: str = ""
    #: Card with which the point was canceled.
    with_: str = ""
    #: Whether nobody can cancel the point.
    sure: bool = False


class Rating(Record):
    """Value and modifiers with which a character rolls (MB-SKL-01)."""

    value: int
    #: Whether 10s roll again.
    trained: bool = False
    #: Modifiers of the total, each with its name.
    modifiers: tuple[tuple[str, int], ...] = ()
    #: Least and highest bonus number.
    floor: int | None = None
    most: int | None = None
    #: Whether the roll takes training, for which only a card can make up.
    barred: bool = False
    #: Added to a rolled total alone, after the chart: never to a passive value (MB-BG-15).
    bonuses: tuple[tuple[str, int], ...] = ()
    #: Highest die total with which it fails all the same (MB-BG-41).
    fails_on: int = 0

    @property
    def number(self) -> int:
        """Value with all modifiers."""
        return self.value + reference_rows.cause_total(self.modifiers)

    @property
    def rolled_number(self) -> int:
        """Value with all modifiers of a rolled total."""
        return self.number + reference_rows.cause_total(self.bonuses)

    def with_floor(self, floor: int | None) -> Rating:
        """Return the rating with the higher of its own and this least bonus number."""
        floors = [number for number in (self.floor, floor) if number is not None]
        return self.replace(floor=max(floors, default=None))

    def with_causes(self, *causes: tuple[str, int], **changes: Any) -> Rating:
        """Return the rating with more modifiers, and with *changes* of other fields."""
        return self.replace(modifiers=(*self.modifiers, *causes), **changes)


class Blow(Record):
    """Result of an attack, an effect or a fall for one of its targets."""

    who: str
    kind: str
    #: Result points.
    points: int = 0
    damage: Damage = Damage()
    #: Number of attackers of a group that hit.
    count: int = 0
    #: Result of the maneuver column.
    effect: str = ""
    #: Zone of a blast, counted from its middle.
    zone: int = 0
    #: Packages of damage that points and cards have taken away.
    dropped: tuple[str, ...] = ()
    #: Life Points and cards that were used for that.
    own: int = 0
    cards: int = 0
    #: Wounds that the target's own toughness has kept off (MB-BG-30).
    kept_off: int = 0

    @property
    def left(self) -> Damage:
        """Damage without the packages that were taken away (MB-LP-03)."""
        if not self.dropped:
            return self.damage
        return drop_packages(self.damage, self.dropped, own=self.own, cards=self.cards)

    def lowered(self, dropped: tuple[str, ...], *, card: bool) -> Blow:
        """Return the blow without these packages too, for a Life Point or a *card*."""
        changed = self.replace(dropped=(*self.dropped, *dropped))
        return changed.replace(cards=self.cards + 1) if card else changed.replace(own=self.own + 1)


class RollData(ProposalData):
    """Data of a check with dice, and with the points and cards that were used on them."""

    throws: tuple[Throw, ...] = ()
    points: tuple[Point, ...] = ()
    #: Effects of cards that were played on the check.
    effects: tuple[CardEffect, ...] = ()
    #: Character whose card has made the action fail.
    failed: str = ""
    #: Whether the actor rolls once more.
    rolls_again: bool = False
    #: Characters who have earned a card by the check.
    card_earners: tuple[str, ...] = ()
    #: Characters whose bad luck in the check is ruled.
    luckless: tuple[str, ...] = ()
    #: By character that the check has changed: its `Condition` after that.
    ends: tuple[tuple[str, str], ...] = ()

    def end_of(self, who: str) -> str:
        """Return the condition in which the check left a character; empty if it did nothing."""
        return dict(self.ends).get(who, "")

    def throw_of(self, what: str = MINE, who: str | None = None) -> Throw | None:
        """Return the first throw of that name, of *who* if given; None before the roll."""
        for throw in self.throws:
            if throw.what == what and who in (None, throw.who):
                return throw
        return None

    @property
    def open_point(self) -> Point | None:
        """Point that was spent and has had no effect so far."""
        for point in self.points:
            if not point.used:
                return point
        return None

    def with_point(self, point: Point, changed: Point) -> Self:
        """Return the data with a spent point changed."""
        points = [changed if other is point else other for other in self.points]
        return self.replace(points=tuple(points))


class Attempt(RollData):
    """Data of a check or a contest."""

    #: Whether the check costs no action of a round.
    free: bool = False
    request: Plan = Plan()
    ruling: Plan | None = None
    #: Plan of the other side, and the participant who said it.
    defense: Plan | None = None
    defense_by: str = ""
    #: Ratings of actor and target, as the sheets had them at the last look.
    mine: Rating | None = None
    theirs: Rating | None = None
    #: Difficulty number with its open shifts.
    number: int | None = None
    shifts: tuple[tuple[str, int], ...] = ()
    #: Other shifts of the difficulty, for the GMs alone (MB-BG-15).
    hidden_shifts: tuple[tuple[str, int], ...] = ()
    #: Column on which the result is read.
    column: Column = "general"
    #: Most result points that count.
    most: int | None = None
    #: Card that the check took away from its target.
    stolen_card: str = ""
    #: By character: what the check has done to it.
    consequences: tuple[tuple[str, Facts], ...] = ()
    #: Whether the outcome of the roll has been applied.
    over: bool = False

    @property
    def coordination(self) -> int:
        """Number that helpers have to reach before they count."""
        return 0

    @property
    def effective_ruling(self) -> Plan:
        """Plan as the GM has it, else as it was proposed."""
        return self.request if self.ruling is None else self.ruling

    @property
    def is_resisted(self) -> bool:
        """Whether the other side rolls, too (MB-CMB-03)."""
        return self.defense is not None and self.defense.active

    @property
    def needed(self) -> int | None:
        """Number to reach, with the shifts that only GMs know (MB-BG-15)."""
        number = self.open_needed
        if number is None:
            return None
        return number + reference_rows.cause_total(self.hidden_shifts)

    @property
    def open_needed(self) -> int | None:
        """Number to reach, without hidden shifts (MB-DN-02).

        In a contest it is the other side's active total or passive value.
        """
        if not self.opposed:
            return self.number
        thrown = self.throw_of(THEIRS)
        if thrown is not None:
            return thrown.total
        return None if self.theirs is None else self.theirs.number

    @property
    def leading_total(self) -> tuple[str, int] | None:
        """Character whose total counts, and that total with the bonus of helpers (MB-CBN-02)."""
        mine = self.throw_of()
        if mine is None:
            return None
        rolls = {throw.who: throw.total for throw in self.throws if throw.what == TOGETHER}
        agreed = multi_actions.characters_reaching(rolls, self.coordination)
        totals: dict[str, int] = {}
        for throw in self.throws:
            if throw.what == MINE and throw.who in agreed:
                totals[throw.who] = throw.total
        successful = multi_actions.characters_reaching(totals, self.needed or 0)
        if not successful:
            return mine.who, mine.total
        best = max(successful, key=totals.__getitem__)
        return best, totals[best] + multi_actions.coordination_bonus(len(successful))

    @property
    def result(self) -> Result | None:
        """Result of the dice; None before the roll."""
        leading, number = self.leading_total, self.needed
        if leading is None or number is None:
            return None
        who, total = leading
        throw = self.throw_of(MINE, who)
        more = reference_rows.cause_total(card_causes(self.effects, who, "result"))
        fails = throw is not None and throw.fails
        return Result(total, number, self.most, more, fails)

    @property
    def is_automatic(self) -> bool:
        """Whether the check is so simple that nobody rolls (MB-DN-01)."""
        return self.answer == ROLL and self.ruling is not None and self.ruling.difficulty == SIMPLE

    @property
    def reached_level(self) -> str:
        """General Success level that counts; empty on a failure."""
        return "" if self.result is None else self.result.level

    @property
    def is_undone(self) -> bool:
        """Whether points have lowered a success to no effect (MB-LP-04)."""
        return False

    @property
    def has_succeeded(self) -> bool:
        """Whether the actor has succeeded."""
        if self.failed:
            return False
        if self.answer == FREE or self.is_automatic:
            return True
        result = self.result
        return result is not None and result.success


AnyAttempt = Check[Attempt]


class Result(Record):
    """Total against a difficulty number."""

    total: int
    number: int
    #: Most result points that count, those of cards included.
    most: int | None = None
    #: Result points that cards add.
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
        """Whether the total reaches the number."""
        return self.points >= 0

    @property
    def level(self) -> str:
        """General Success level; empty on a failure (MB-SUC-02)."""
        return success_chart.success_level(self.points) if self.success else ""


def read_difficulty(text: str) -> str:
    """Return a level's name or a difficulty number. Raises InvalidInput("mb-bad-difficulty")."""
    return read_name_or_number(
        text, DIFFICULTIES, DN_LEAST, DN_MOST, field="difficulty", unknown="mb-bad-difficulty"
    )


def difficulty_number(text: str) -> int | None:
    """Return the number of a difficulty; None if it is so simple that nobody rolls (MB-DN-01)."""
    return int(text) if text.removeprefix("-").isdecimal() else DIFFICULTIES[text].dn


def is_number_hidden(game: Game, check: AnyAttempt) -> bool:
    """Return whether only GMs know the number to reach: a hidden one, or an NPC's value."""
    data = check.data
    if not data.opposed:
        return check.hidden
    return is_npc(game, check.target) and data.throw_of(THEIRS) is None
