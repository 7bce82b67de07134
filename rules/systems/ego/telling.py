"""A check of EGO in blocks: what everybody, those who take part and the GMs may read of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rules.core.kept import kept
from rules.systems.ego.check import (
    AGAIN,
    BOTH,
    MINE,
    NOBODY,
    AnyAttempt,
    Attempt,
    Plan,
    is_automatic,
    opposition_of,
    pool_of,
    result_of,
    succeeded,
    topics,
)
from rules.systems.ego.dice import UNLUCKY, Pool, Throw
from rules.table.blocks import (
    ALL,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Quote,
    Ref,
    Roll,
    Seen,
    Text,
    Tone,
    Value,
    Verdict,
    graded,
)
from rules.table.checks.check import OVER, Check
from rules.table.checks.describing import DIFFICULTY, UNKNOWN, WITH, Shift, asked_and_noted, tone, unrolled
from rules.table.checks.describing import shifted as numbers_shifted
from rules.table.checks.stages import FREE, IMPOSSIBLE
from rules.table.events import Line
from rules.table.permissions import public_name
from rules.table.state import Reveal
from rules.table.system import Game
from rules.table.system import is_npc as is_npc


def term_lines(terms: Iterable[tuple[str, int]]) -> tuple[Line, ...]:
    """What a pool consists of."""
    return tuple([Line("ego-term", {"name": name, "dice": number}) for name, number in terms])


def shift_lines(shifts: Iterable[tuple[str, int]]) -> tuple[Line, ...]:
    """What makes it harder or easier."""
    return tuple([Line("ego-shift", {"why": why, "number": number}) for why, number in shifts])


def label(what: str, **more: Value) -> Text:
    """What something is called."""
    return Text("ego-label", {"what": what, **more})


def labelled(what: str, value: Value, seen: Seen = ALL) -> Fact:
    """`Recovery: 3 days of rest`: something that is so, by the name of a label."""
    return Fact(Text("ego-label", {"what": what}), value, seen)


def outcome(good: bool) -> Text:
    """Whether it has worked, in a word."""
    return Text("ego-outcome", {"how": "success" if good else "failure"})


def worked(game: Game, check: Check[Any], *, good: bool) -> Verdict:
    """Whether somebody has done what they tried, against nobody."""
    seen_as = tone(game, check, good=good, rivals=False)
    return Verdict(outcome(good), seen_as, ALL, worked=good)


def is_unknown(game: Game, who: str | None) -> bool:
    """Whether players know nothing of somebody: nor do they read what happens to them."""
    character = game.state.characters.get(who or "")
    return character is None or not public_name(character)


def told(game: Game, who: str, full: Any, plain: Any = None) -> list[Any]:
    """What everybody reads of a player's character; of an NPC only GMs do, and others what is `plain`."""
    if not is_npc(game, who):
        return [full]
    return [full.but(seen=GMS_ONLY), *([] if plain is None else [plain.but(unless=GMS_ONLY)])]


def to_gms(blocks: Iterable[Block]) -> tuple[Any, ...]:
    """The same for GMs alone, without what others would have read in its place."""
    return tuple([each.but(seen=GMS_ONLY) for each in blocks if each.unless is None])


def describe(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Everything about a check, the verdict first, then what led to it."""
    data = check.data
    thrown = pool_of(data) is not None
    mine: Seen = (check.actor,) if data.opposed and not thrown else ALL
    found = [*_outcome(game, check)]
    found += _pool(game, check.actor, data.request, data.terms, mine, WITH)
    if check.approach:
        found.append(Quote(check.approach, check.by, mine))
    if check.open and not data.answer and data.request.difficulty:
        level = _level(data.request.difficulty, None)
        found.append(Fact(Text("check-in-mind"), level, GMS_ONLY if check.hidden else mine))
    found += _wishes(data.request, mine, data.ruling)
    if data.defence is not None and check.target is not None:
        theirs: Seen = ALL if thrown else (check.target,)
        title = Text("check-defends", {"who": Ref(check.target)})
        found += _pool(game, check.target, data.defence, data.against, theirs, title)
        if data.defence.approach:
            found.append(Quote(data.defence.approach, data.defence_by, theirs))
        found += _wishes(data.defence, theirs)
    found += _numbers(game, check)
    found += thrown_for(check, shifted(game, (), data.throws))
    found += asked_and_noted(check, mine)
    return tuple(found)


def _pool(
    game: Game, who: str, plan: Plan, terms: Iterable[tuple[str, int]], seen: Seen, title: Text
) -> list[Block]:
    """What is rolled; how good NPCs are at it only GMs read."""
    bought = (("karma", plan.karma),) if plan.karma else ()
    full = Fact(title, term_lines((*terms, *bought)), seen)
    said = (plan.skill, plan.attribute.capitalize())
    names = tuple([Text("as-written", {"text": each}) for each in said if each])
    return told(game, who, full, full.but(value=names) if names else None)


def _wishes(plan: Plan, seen: Seen, ruling: Plan | None = None) -> list[Block]:
    """What else was said of it, and what a GM has added."""
    found = [Text("ego-option", {"what": key}) for key in topics(plan, ruling)]
    if plan.toward:
        found.append(Text("ego-wish", {"who": Ref(plan.toward)}))
    if plan.seconds:
        found.append(Text("ego-wish", {"seconds": plan.seconds}))
    return [Note(each, seen) for each in found]


# --- how it came out -------------------------------------------------------------------------------------------


def thrown_for(check: Check[Any], blocks: Iterable[Block]) -> tuple[Block, ...]:
    """What the dice say: blind for the GMs alone."""
    return to_gms(blocks) if check.visibility == "blind" and check.data.throws else tuple(blocks)


def hiding(check: Check[Any], tell: Callable[[Reveal], tuple[Block, ...]]) -> tuple[Block, ...]:
    """What the dice say against a number that may be hidden."""

    def told(reveal: Reveal) -> tuple[Block, ...]:
        # What stands in the place of something else would be told to GMs as well.
        both = reveal != "all" or check.reveal == "all" or not check.hidden
        return tuple([each for each in tell(reveal) if both or each.unless is None])

    return thrown_for(check, graded(check, told))


def _outcome(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    data, good = check.data, succeeded(check.data)
    seen_as = tone(game, check, good=good, rivals=data.opposed)
    if data.answer in (FREE, IMPOSSIBLE):
        return (unrolled(data.answer, seen_as),)
    if is_automatic(data) and not check.open:
        return (Verdict(Text("ego-outcome", {"how": "automatic"}), seen_as, ALL, worked=True),)
    if pool_of(data) is None:
        return ()
    if data.opposed:
        return thrown_for(check, _opposed(check, seen_as))
    return hiding(check, lambda told: (_verdict(data, seen_as, told),))


def _verdict(data: Attempt, tone: Tone, told: Reveal) -> Verdict:
    result = result_of(data)
    assert result is not None, "asked only once the dice have fallen"
    degree = (
        Text("ego-by", {"count": abs(result.margin)})
        if told != "verdict" and result.success and result.margin
        else None
    )
    numbers = None if told == "degree" else numbers_of(result.successes, result.needed, told)
    return Verdict(outcome(result.success), tone, ALL, degree, worked=result.success, numbers=numbers)


def numbers_of(total: int, number: int, told: Reveal) -> Text:
    """Successes, and against how many: a number that is not told is not sent either."""
    return Text("ego-numbers", {"total": total, "number": number if told == "all" else None})


def _opposed(check: AnyAttempt, tone: Tone) -> tuple[Verdict, ...]:
    """Who wins, by how much."""
    data, both = check.data, opposition_of(check.data)
    assert both is not None, "asked only once both sides have thrown"
    if both.winner is None:
        how = "tie" if both.tie and data.tie not in (BOTH, NOBODY) else "none"
        how = BOTH if data.tie == BOTH else how
        return (Verdict(Text("ego-outcome", {"how": how}), "neutral", ALL, worked=data.tie == BOTH or None),)
    winner = check.actor if both.winner == "a" else check.target or ""
    text = Text("check-wins", {"who": Ref(winner)})
    return (Verdict(text, tone, ALL, Text("ego-by", {"count": both.margin}), worked=both.winner == "a"),)


# --- what led to it --------------------------------------------------------------------------------------------


def _level(difficulty: str, number: int | None) -> Text:
    name = "" if difficulty.isdigit() else difficulty
    known = number if number is not None or name else int(difficulty)
    return Text("ego-level", {"name": name, "number": known})


def _against(data: Attempt) -> tuple[Block, ...]:
    """The difficulty and what moves it."""
    ruling = data.ruling
    if ruling is None or not ruling.difficulty or data.opposed:
        return ()
    found: list[Block] = [Fact(DIFFICULTY, _level(ruling.difficulty, data.needed), ALL)]
    if data.shifts:
        found.append(Fact(Text("check-adjustments"), shift_lines(data.shifts), ALL))
    return tuple(found)


def _numbers(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Difficulty, and the dice."""
    data = check.data
    if pool_of(data) is None:
        known = _against(data)
        if check.hidden:
            known = (
                Fact(DIFFICULTY, UNKNOWN, ALL, GMS_ONLY),
                *[each.but(seen=GMS_ONLY) for each in known],
            )
        return (*known, *thrown_for(check, _dice(game, data, told="all")))

    def tell(told: Reveal) -> tuple[Block, ...]:
        against = (
            _against(data) if told == "all" else (Fact(DIFFICULTY, UNKNOWN, ALL),) if not data.opposed else ()
        )
        return (*against, *_dice(game, data, told))

    ended = Note(Text("ego-outcome", {"how": "again" if data.tie == AGAIN else "tied"}), ALL)
    tied = data.tie and check.stage == OVER
    return (*hiding(check, tell), *thrown_for(check, (ended,) if tied else ()))


def _dice(game: Game, data: Attempt, told: Reveal) -> Iterable[Block]:
    """The dice; with how well it went the number of successes would tell the difficulty."""
    shown = [each for each in data.throws if told != "degree" or each.what != MINE]
    return [block for each in shown for block in dice_of(game, each)]


def dice_of(game: Game, throw: Throw) -> list[Block]:
    """A pool that lies open; how many dice an NPC has only GMs read, others what they came to."""
    roll = roll_of(throw)
    about = {"who": Ref(throw.who), "what": roll.what}
    plain = Fact(Text("ego-roll-of", about), successes(throw.pool), ALL)
    return told(game, throw.who, roll, None if is_unknown(game, throw.who) else plain)


def shifted(game: Game, shifts: Iterable[Shift], throws: Iterable[Throw]) -> list[Block]:
    """The numbers that are others now, and the Karma that was spent on dice."""
    spent = [Shift(each.who, "karma", *each.karma) for each in throws if each.karma]
    found = (*shifts, *spent)
    return numbers_shifted(game, found, lambda what, name: Text("ego-number", {"what": what, "name": name}))


def successes(pool: Pool, **more: Any) -> Text:
    """How many there are, and what made some of them."""
    return Text("ego-successes", {"count": pool.successes, "plus": pool.plus or None, **more})


@kept
def roll_of(throw: Throw) -> Roll:
    """A pool, its successes marked."""
    what = None if throw.what == MINE else Text("ego-thrown", {"what": throw.what})
    pool = throw.pool
    again = tuple([each for each in pool.used if each != UNLUCKY])
    result = successes(pool, flips=len(pool.flipped) or None, again=again)
    return Roll(Ref(throw.who), what, pool.dice, result, ALL, marks=pool.marks)
