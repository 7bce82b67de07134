"""A check as its procedure keeps it: what everybody brings, what the GM made of it, the dice, and what they mean.

BAR-ROLL, BAR-AUTO, BAR-TEAM, BAR-OPPOSED, BAR-TRAUMA, BAR-HEAL.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import cast

from rules.core.record import Record, record
from rules.core.rng import Rng
from rules.systems.barmore.check import (
    INDIRECT,
    OTHER_SIDE,
    PLAIN,
    BarRequest,
    BarRuling,
    Built,
    Part,
    Thrown,
    Traits,
    against_fixed,
    build,
    find_traits,
    judged,
    never_rolls,
    of_other,
    oppose,
    read_traits,
    throw,
)
from rules.systems.barmore.options import EITHER
from rules.systems.barmore.pool import Pool, TeamMode, team_pool
from rules.systems.barmore.task import Judgement, Opposition, either_or, oppose_indirect
from rules.table.checks.check import Check
from rules.table.checks.stages import FREE, MARGIN_ONLY, Idea
from rules.table.events import Line
from rules.table.system import Game


@record
class Entry(Record):
    """What somebody (`who`, a character) brings: `by` is the participant who said so.

    `approach` is in which words others do it than the one who acts; `traits` are those that counted when the dice fell.
    """

    who: str
    by: str
    request: BarRequest
    approach: str = ""
    traits: Traits | None = None


@record
class Throw(Record):
    """Somebody's pool with what it came to; of one pool of all, whoever leads it.

    The total of somebody who never rolls is `fixed`: the Difficulty of the other's roll (BAR-AUTO). Where not everybody
    has a chance, `lucky` tells who had one (BAR-TEAM).
    """

    who: str
    thrown: Thrown
    fixed: bool = False
    lucky: bool | None = None


@record
class Trial(Idea):
    """What a check is about. The first of the `entries` is the one who acts; then the other side, or those who help.

    In which words it is done stands on the check for whoever acts. `mode` is how several do it, `tool` a weapon or a
    Wound; `opposed` where both sides throw dice. `came` is what came of it for whom it is done to, `aside` what of that
    is for the GMs alone.
    """

    entries: tuple[Entry, ...] = ()
    mode: str = ""
    tool: str = ""
    opposed: bool = False
    ruling: BarRuling | None = None
    throws: tuple[Throw, ...] = ()
    came: tuple[Line, ...] = ()
    aside: tuple[Line, ...] = ()

    def entry(self, who: str) -> Entry | None:
        """What somebody brings."""
        return next((each for each in self.entries if each.who == who), None)

    @property
    def joined(self) -> tuple[Entry, ...]:
        """What all but the first bring."""
        return self.entries[1:]


BarCheck = Check[Trial]


def measured(check: BarCheck) -> bool:
    """Whether it is rolled against a Difficulty: all but direct opposition (BAR-OPPOSED)."""
    return not check.data.opposed or (check.kind == "contest" and check.data.mode == INDIRECT)


def one_pool(check: BarCheck) -> bool:
    """Whether all throw their dice together (BAR-TEAM)."""
    return check.kind == "team" and check.data.mode != EITHER


def here(game: Game, entry: Entry) -> bool:
    """Whether somebody is still there and in play."""
    character = game.state.characters.get(entry.who)
    return character is not None and not character.retired


def whose(check: BarCheck, who: str) -> str:
    """What stands behind a refusal of what somebody brings: nothing for whoever acts (BAR-TRAIT)."""
    if who == check.actor:
        return ""
    return OTHER_SIDE if check.data.opposed else who


def ruling_for(check: BarCheck, entry: Entry) -> BarRuling:
    """The ruling as it holds for somebody: what the GM grants whoever acts is theirs alone."""
    ruling = check.data.ruling
    if entry.who == check.actor:
        return ruling or PLAIN
    return of_other(ruling, entry.request, whose(check, entry.who))


def counting(game: Game, check: BarCheck, entry: Entry) -> Traits:
    """The traits of somebody that count: as the dice fell, before that as things are."""
    if entry.traits is not None:
        return entry.traits
    refused = ruling_for(check, entry).refused
    return find_traits(game.sheet(entry.who), game.campaign, entry.request, refused)


def built(game: Game, check: BarCheck, entry: Entry) -> Built:
    """The pool of one of them as it stands (BAR-POOL). Raises as `build`."""
    ruling, modifier = check.data.ruling, None
    if entry.who != check.actor:
        modifier = ruling.against if check.data.opposed and ruling is not None else 0
    found = ruling_for(check, entry)
    return build(game.sheet(entry.who), game.campaign, entry.request, found, modifier=modifier)


def together(game: Game, check: BarCheck) -> tuple[Pool, tuple[Part, ...]]:
    """The one pool of all who work together, with what each of them brings, by id (BAR-TEAM).

    InvalidInput("pool-too-large", "member-without-dice"), and what building a pool raises.
    """
    there = [each for each in check.data.entries if each.who == check.actor or here(game, each)]
    pools = [built(game, check, each).pool for each in there]
    parts = [
        Part("bar-part-member", pool.add, pool.bonus - pool.penalty, each.who)
        for each, pool in zip(there, pools, strict=True)
    ]
    return team_pool(cast("TeamMode", check.data.mode), pools), tuple(parts)


# --- the dice ----------------------------------------------------------------------------------------------


def thrown(game: Game, check: BarCheck) -> Trial:
    """With the dice of all who throw some, in order, and the traits that counted (BAR-ROLL, BAR-OPPOSED, BAR-TEAM).

    Who is gone is left out. Raises as `build`.
    """
    data, rng = check.data, game.dice(check)
    if check.kind == "team":
        there = [each for each in data.entries if each.who == check.actor or here(game, each)]
        data = data.but(entries=tuple(there))
        check = check.but(data=data)
    if one_pool(check):
        pool, parts = together(game, check)
        options = data.entries[0].request.options
        throws = (Throw(check.actor, throw(rng, pool, parts, options)),)
    else:
        throws = tuple([_throw(game, check, each, rng) for each in data.entries])
        if check.kind == "team":
            throws = _drawn(check, throws, rng)
    entries = tuple([each.but(traits=counting(game, check, each)) for each in data.entries])
    return data.but(throws=throws, entries=entries)


def _throw(game: Game, check: BarCheck, entry: Entry, rng: Rng) -> Throw:
    pool = built(game, check, entry)
    options = entry.request.options
    helps = check.kind == "team" and entry.who != check.actor
    fixed = not helps and never_rolls(game.character(entry.who), game.campaign)
    options = replace(options, no_dice=True) if fixed else options
    return Throw(entry.who, throw(rng, pool.pool, pool.parts, options), fixed)


def _drawn(check: BarCheck, throws: tuple[Throw, ...], rng: Rng) -> tuple[Throw, ...]:
    """Who has a chance at all is drawn, and known only now (BAR-TEAM)."""
    left = [each.who for each in throws]
    ruling = check.data.ruling
    chances = min(len(left), (None if ruling is None else ruling.options.chances) or 1)
    lucky = [left.pop(rng.below(len(left))) for _ in range(chances)]
    return tuple([each.but(lucky=each.who in lucky) for each in throws])


# --- what it means -----------------------------------------------------------------------------------------


def verdict(data: Trial, thrown: Throw) -> Judgement | None:
    """What somebody has achieved against the Difficulty; None without one (BAR-ROLL)."""
    ruling = data.ruling
    if ruling is None or ruling.difficulty is None:
        return None
    own = judged(thrown.thrown, ruling.difficulty)
    return own if thrown.lucky is None else either_or((own,), (thrown.lucky,))[0]


def opposition(data: Trial) -> Opposition | None:
    """Both sides against each other, directly or by the same Difficulty (BAR-OPPOSED); None before the roll."""
    if not data.opposed or len(data.throws) < 2:
        return None
    mine, other = data.throws[:2]
    first, second = verdict(data, mine), verdict(data, other)
    if first is not None and second is not None:
        return oppose_indirect(first, second)
    if mine.fixed != other.fixed:
        return against_fixed(mine.thrown, other.thrown, mine_fixed=mine.fixed)
    return oppose(mine.thrown, other.thrown)


def succeeded(data: Trial) -> bool:
    """Whether the acting side has reached its goal; what works without a roll has."""
    if data.answer in (FREE, MARGIN_ONLY):
        return True
    if data.opposed:
        found = opposition(data)
        return found is not None and found.winner == "first"
    return any(found.success for each in data.throws if (found := verdict(data, each)) is not None)


def level(data: Trial) -> int:
    """The success level of an attack that hit (BAR-ROLL, BAR-OPPOSED); 0 where nothing was rolled."""
    found = opposition(data)
    if found is not None:
        return found.degree or 0
    own = verdict(data, data.throws[0]) if data.throws else None
    return max(0, own.degree) if own is not None else 0


def forget(check: BarCheck, participant: str, characters: Collection[str]) -> Trial:
    """Without what a participant has typed, whose characters these are."""
    data = check.data

    def theirs(entry: Entry) -> bool:
        return entry.by == participant or entry.who in characters

    if any(each.approach and theirs(each) for each in data.joined):
        entries = [each.but(approach="") if theirs(each) else each for each in data.entries]
        data = data.but(entries=tuple(entries))
    return data.but(tool="") if data.tool and theirs(data.entries[0]) else data


def require(game: Game, check: BarCheck) -> None:
    """NotFound where somebody has no more what the check names of them; Impossible("gone") without whoever acts."""
    for each in check.data.entries:
        helps = check.kind == "team" and each.who != check.actor
        if helps:
            read_traits(game.campaign, each.request.ability, each.request.attribute)
        elif each.who == check.actor or each.who in game.state.characters:
            find_traits(game.sheet(each.who), game.campaign, each.request)
