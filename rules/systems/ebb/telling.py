"""A check of EBB in blocks: what everybody, those who take part and the GMs may read of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from rules.systems.ebb import task
from rules.systems.ebb.attempt import AGAINST_SOMEBODY, STRUCK, AnyAttempt, Attempt, EbbRolled, roller
from rules.systems.ebb.difficulty import Plan, difficulty_line, measure, parse_difficulty, shift_lines
from rules.systems.ebb.tables import DIE_TITLES
from rules.systems.ebb.task import Judgement, TaskRoll
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
    Term,
    Text,
    Tone,
    Verdict,
    graded,
    once,
)
from rules.table.checks.check import OVER
from rules.table.checks.describing import DIFFICULTY, UNKNOWN, WITH, asked_and_noted, tone, unrolled, veiled
from rules.table.checks.stages import FREE, IMPOSSIBLE, MARGIN_ONLY
from rules.table.state import Reveal
from rules.table.system import Game

_MARGIN_ONLY: Final = Note(Text("check-margin-only"), ALL)
_HIT: Final = Text("check-hit")
_MISS: Final = Text("check-miss")
_JUST: Final = Text("ebb-degree", {"just": True})


def describe(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Everything about a check, verdict first, then what led to it."""
    data = check.data
    # What both sides choose against each other is their own until the dice fall.
    mine: Seen = (check.actor,) if data.opposed and data.rolled is None else ALL
    judgement, veiled = data.verdict, _veiled(game, check)
    found = [*_outcome(game, check, judgement)]
    if check.kind != "rest":
        roll = None if data.rolled is None else data.rolled.roll
        acting = _acting(check, traits_of(data.request, data.ruling or data.request, roll), mine)
        found += _without_scores(acting, data.request) if veiled else acting
    if check.approach.strip():
        found.append(Quote(check.approach, check.by, mine))
    elif check.open and _needs_idea(check):
        found.append(Note(Text("check-no-idea"), mine))
        if not data.answer:
            found.append(Note(Text("check-no-idea-luck"), GMS_ONLY))
    if check.kind in ("attack", "treat") and data.tool:
        code = "check-weapon" if check.kind == "attack" else "check-injury"
        found.append(Fact(Text(code), data.tool, ALL))
    if check.open and not data.answer and data.request.difficulty:
        level = parse_difficulty(data.request.difficulty)
        found.append(Fact(Text("check-in-mind"), difficulty_line(level), GMS_ONLY if check.hidden else mine))
    if data.evades and data.request.approach:
        whose = Text("check-of", {"who": Ref(roller(check))})
        found.append(Quote(data.request.approach, data.defence_by, ALL, label=whose))
    if data.defence is not None and check.target is not None:
        found += _defence(check, data.defence, check.target)
    numbers = _numbers(check, mine, judgement)
    found += _without_terms(numbers) if veiled else numbers
    if data.came is not None:
        found += _only(_effects_for(check), (Note(data.came, ALL),))
    if data.answer == MARGIN_ONLY and data.rolled is None:
        found.append(_MARGIN_ONLY)
    found += asked_and_noted(check, mine)
    return tuple(found)


def _needs_idea(check: AnyAttempt) -> bool:
    data = check.data
    return check.kind != "rest" and not check.gm_only and not data.evades and data.rolled is None


def _acting(check: AnyAttempt, traits: tuple[Text, ...], seen: Seen) -> tuple[Block, ...]:
    """What whoever rolls does it with; of whoever evades, once that is known."""
    if not check.data.evades:
        return (Fact(WITH, traits, seen),)
    if check.data.rolled is None:
        return (Note(Text("ebb-note", {"how": "npc-fixed", "who": Ref(roller(check))}), seen),)
    return (Fact(Text("check-defends", {"who": Ref(roller(check))}), traits, seen),)


# --- of whom players know but an alias --------------------------------------------------------------------------


def _veiled(game: Game, check: AnyAttempt) -> bool:
    """Whether it is done by somebody whose name players do not know: nor do they learn what that one can do."""
    who = game.state.characters.get(roller(check))
    return who is not None and who.owner is None and who.stage != "revealed"


def _without_scores(found: tuple[Block, ...], plan: Plan) -> tuple[Block, ...]:
    """With what it is done, for others than GMs without how good they are at that."""
    named = [Text("as-written", {"text": each}) for each in (plan.skill, plan.attribute) if each]
    names = tuple(named) if plan.skill else (Text("ebb-main-die-alone"), *named)
    told: list[Block] = []
    for each in found:
        if isinstance(each, Fact) and each.value:
            told += veiled(each, value=names)
        else:
            told.append(each)
    return tuple(told)


def _without_terms(found: tuple[Block, ...]) -> tuple[Block, ...]:
    """The dice, for others than GMs without what is added to them by name."""
    told: list[Block] = []
    for each in found:
        if not isinstance(each, Roll) or not each.terms or each.seen == GMS_ONLY:
            told.append(each)
            continue
        if each.unless is None:
            told.append(each.but(seen=GMS_ONLY))
        added = sum([term if isinstance(term, int) else term.value for term in each.terms])
        told.append(each.but(terms=(added,) if added else (), unless=GMS_ONLY))
    return tuple(told)


# --- what it is done with --------------------------------------------------------------------------------------


def traits_of(plan: Plan, ruling: Plan, roll: TaskRoll | None = None) -> tuple[Text, ...]:
    """The traits named; the attribute as it counted once the dice have fallen."""
    value = plan.value if roll is None or roll.attribute is None else roll.attribute
    return _traits(plan.skill, plan.sides or 0, plan.attribute, value, ruling.disallow, ruling.drawback)


@lru_cache(maxsize=1024)
def _traits(
    skill: str, sides: int, attribute: str, value: int | None, disallow: tuple[str, ...], defied: bool
) -> tuple[Text, ...]:
    found: list[Text] = []
    if not skill:
        found.append(Text("ebb-main-die-alone"))
    else:
        shown = {"name": skill, "die": f"d{sides}", "title": DIE_TITLES.get(sides, "")}
        found.append(Text("ebb-ability", {**shown, "refused": "ability" in disallow}))
    if attribute:
        why = {"refused": "attribute" in disallow, "defied": defied}
        found.append(Text("ebb-attribute", {"name": attribute, "value": value, **why}))
    return tuple(found)


def shifts_of(data: Attempt) -> tuple[Text, ...]:
    """What makes it easier or harder."""
    in_points = data.opposed and data.ruling is not None
    return shift_lines(data.ruling or data.request, in_points=in_points)


def _defence(check: AnyAttempt, plan: Plan, target: str) -> list[Block]:
    """What the other side sets against it."""
    data, who = check.data, Ref(target)
    roll = None if data.rolled is None else data.rolled.other
    thrown = data.rolled is not None and (roll is not None or bool(data.rolled.other_luck))
    theirs: Seen = ALL if thrown else (target,)
    found: list[Block] = [Fact(Text("check-defends", {"who": who}), traits_of(plan, plan, roll), theirs)]
    if plan.luck and not thrown:
        found.append(Note(Text("ebb-luck", {"what": "promised", "name": plan.luck}), theirs))
    if plan.approach:
        found.append(Quote(plan.approach, data.defence_by, theirs, label=Text("check-of", {"who": who})))
    against = 0 if data.ruling is None else data.ruling.against
    shifts = shift_lines(plan.but(modifier=against, luck=""), in_points=True)
    if shifts:
        told = theirs if _numbers_for(check) is ALL else GMS_ONLY
        found.append(Fact(Text("check-defence-adjustments", {"who": who}), shifts, told))
    return found


# --- what came of it -------------------------------------------------------------------------------------------


def _numbers_for(check: AnyAttempt) -> Seen:
    """Who may read what the dice say: blind the GMs alone."""
    return GMS_ONLY if check.visibility == "blind" and check.data.rolled is not None else ALL


def _effects_for(check: AnyAttempt) -> Seen:
    """Who may read what came of it: blind whoever was hit as well."""
    seen = _numbers_for(check)
    hit = check.kind == "attack" and (check.stage == STRUCK or bool(check.data.choice))
    return (check.target,) if seen is not ALL and hit and check.target is not None else seen


def _only(seen: Seen, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """What is for everybody, for those alone."""
    if seen is ALL:
        return blocks
    found = [each for each in blocks if each.unless is None]
    return tuple([each.but(seen=seen) if each.seen is ALL else each for each in found])


def _graded(check: AnyAttempt, tell: Callable[[Reveal], tuple[Block, ...]]) -> tuple[Block, ...]:
    seen, found = _numbers_for(check), graded(check, tell)
    return found if seen is ALL else _only(seen, found)


def _outcome(game: Game, check: AnyAttempt, judgement: Judgement | None) -> tuple[Block, ...]:
    """The verdict."""
    data, good = check.data, check.data.succeeded(judgement)
    seen_as = tone(game, check, good=good, rivals=data.opposed)
    if data.answer in (FREE, IMPOSSIBLE):
        free = data.answer == FREE
        if free and check.kind == "attack":
            return (Verdict(_HIT, seen_as, ALL, what=_struck(check)),)
        return (unrolled(data.answer, seen_as, rest=check.kind == "rest"),)
    rolled = data.rolled
    if rolled is None:
        return ()
    tell = _blow if check.kind == "attack" else _verdict
    found = _graded(check, lambda told: (tell(check, rolled, judgement, seen_as, told),))
    effect = _effects_for(check)
    if effect is ALL or effect == GMS_ONLY:
        return found
    # Blind, whoever was hit learns that, and nothing of the dice.
    return (*found, Verdict(_HIT, seen_as, effect, unless=GMS_ONLY, what=_struck(check)))


def _verdict(
    check: AnyAttempt, rolled: EbbRolled, judgement: Judgement | None, tone: Tone, told: Reveal
) -> Verdict:
    data, roll = check.data, rolled.roll
    who = Ref(roller(check)) if data.evades else None
    if roll is None:
        text = Text("ebb-success-by-sacrifice", {"attribute": rolled.luck})
        return Verdict(text, tone, ALL, worked=True, who=who)
    if judgement is None and check.gm_only:
        return Verdict(Text("ebb-total", {"total": roll.total}), "neutral", ALL)
    if judgement is None or data.answer == MARGIN_ONLY:
        degree = None if judgement is None else _degree(judgement, told)
        return Verdict(Text("check-succeeds"), tone, ALL, degree, worked=True)
    if rolled.other_luck:  # against a sacrifice there is no total
        return Verdict(_verdict_text(judgement.verdict, False), tone, ALL, worked=False)
    if check.kind == "contest" and data.opposed and not judgement.automatic_failure:
        return _won(check, judgement, tone, told)
    text, degree = _verdict_text(judgement.verdict, told != "verdict"), _degree(judgement, told)
    return Verdict(text, tone, ALL, degree, None, judgement.success, _against_what(judgement, told), who=who)


def _won(check: AnyAttempt, judgement: Judgement, tone: Tone, told: Reveal) -> Verdict:
    """Who has won a contest, and the winner's total against the other's."""
    won, numbers = judgement.success, _against_what(judgement, told)
    if not won and numbers is not None:
        numbers = None if told == "verdict" else _total_against(judgement.threshold, judgement.total)
    text = Text("check-wins", {"who": Ref(check.actor if won else check.target or "")})
    return Verdict(text, tone, ALL, _degree(judgement, told) if won else None, None, won, numbers)


def _blow(
    check: AnyAttempt, rolled: EbbRolled, judgement: Judgement | None, tone: Tone, told: Reveal
) -> Verdict:
    """An attack hits or misses; whom it does what, as soon as its dice stand."""
    data, hit, over = check.data, check.data.succeeded(judgement), check.stage == OVER
    # By a sacrifice, of either side: there is no total.
    sure = rolled.roll is None or bool(rolled.other_luck)
    failed = judgement is not None and judgement.automatic_failure and data.answer != MARGIN_ONLY
    what = _struck(check) if hit else None
    if not hit and (sure or data.evades or (data.opposed and over and not failed)):
        what = Text("check-evades", {"who": Ref(check.target or "")})
    if sure or judgement is None:
        return Verdict(_HIT if hit else _MISS, tone, ALL, _JUST if sure else None, what=what)
    why, numbers = once("ebb-verdict", {"how": judgement.verdict, "why": True}), None
    degree = why if failed else _degree(judgement, told)
    if data.opposed and over and not hit and not failed:
        numbers = _total_against(judgement.threshold, judgement.total)
    elif what is None or not hit:
        numbers = _against_what(judgement, told)
    return Verdict(_HIT if hit else _MISS, tone, ALL, degree, numbers=numbers, what=what)


def _struck(check: AnyAttempt) -> Text | None:
    """What a hit does, or who has to choose that (EBB-INJURY); None while the dice can change."""
    how = check.data.choice
    if check.stage not in (STRUCK, OVER):
        return None
    if check.stage == OVER:
        how = how or "free"
    elif how:
        how = "words"
    return Text("ebb-struck", {"who": Ref(check.target or ""), "how": how})


def _verdict_text(verdict: task.Verdict, degrees: bool) -> Text:
    """The verdict, with or without how badly it failed."""
    bare = not degrees and verdict in ("near_miss", "failure")
    return once("ebb-verdict", {"how": "missed" if bare else verdict})


def _against_what(judgement: Judgement, told: Reveal) -> Text | None:
    """`8 against 10`; nothing where it was decided by something else."""
    by_total = judgement.success == (judgement.total >= judgement.threshold)
    if told == "degree" or judgement.automatic_failure or not by_total:
        return None
    if told == "verdict":
        return Text("check-numbers-hidden", {"total": judgement.total})
    return _total_against(judgement.total, judgement.threshold)


def _total_against(total: int, number: int) -> Text:
    return once("check-numbers", {"total": total, "number": number})


def _degree(judgement: Judgement, told: Reveal) -> Text | None:
    extra = judgement.extra_results
    return None if told == "verdict" or extra < 1 else once("ebb-degree", {"count": extra})


def _numbers(check: AnyAttempt, mine: Seen, judgement: Judgement | None) -> tuple[Block, ...]:
    """Difficulty and adjustments, dice, and what they mean besides."""
    data, rolled = check.data, check.data.rolled
    if rolled is None:
        known = _against(data, mine)
        if check.hidden:
            known = tuple([each.but(seen=GMS_ONLY) for each in known])
            known = (Fact(DIFFICULTY, UNKNOWN, ALL, GMS_ONLY), *known)
        return known
    result = _graded(check, lambda told: _result(check, rolled.roll, judgement, told))
    found: tuple[Block, ...] = ()
    if rolled.other is not None and data.defence is not None and check.target is not None:
        found = (_dice(check.target, data.defence, rolled.other, "all"),)
    if data.spent is not None:
        found = (*found, _whose(check, data.spent_by, data.spent))
    return (*result, *_only(_numbers_for(check), found)) if found else result


def _whose(check: AnyAttempt, who: str, what: Text) -> Note:
    """What holds of one side: whose it is stands before it where both throw dice."""
    return Note(Text("check-whose", {"who": Ref(who), "what": what}) if check.data.opposed else what, ALL)


def _against(data: Attempt, seen: Seen) -> tuple[Block, ...]:
    """The difficulty and what moves it."""
    ruling = data.ruling
    found: list[Block] = []
    if ruling is not None and (difficulty := measure(ruling)) is not None:
        value = once("ebb-against", {"name": difficulty.name, "value": difficulty.threshold})
        found.append(Fact(DIFFICULTY, value, ALL))
    if shifts := shifts_of(data):
        claimed = "check-claimed" if ruling is None else "check-adjustments"
        found.append(Fact(Text(claimed), shifts, seen))
    return tuple(found)


def _result(
    check: AnyAttempt, roll: TaskRoll | None, judgement: Judgement | None, told: Reveal
) -> tuple[Block, ...]:
    against = _against(check.data, ALL) if told == "all" else (Fact(DIFFICULTY, UNKNOWN, ALL),)
    if roll is None:
        return against
    return (*against, _dice(roller(check), check.data.request, roll, told), *_notes(check, judgement, told))


def _dice(who: str, plan: Plan, roll: TaskRoll, told: Reveal) -> Roll:
    """The dice with what is added to them. With the main die a total could be told."""
    dice = roll.dice if told != "degree" else roll.dice[len(roll.main) :]
    # All but the last ability die were rolled again.
    again = tuple(range(len(dice) - len(roll.abilities), len(dice) - 1))
    if told == "degree":
        return Roll(Ref(who), None, dice, None, ALL, dropped=again)
    terms = _terms(plan.attribute, roll.attribute, roll.bonus)
    return Roll(Ref(who), None, dice, roll.total, ALL, terms, dropped=again)


@lru_cache(maxsize=1024)
def _terms(name: str, attribute: int | None, bonus: int) -> tuple[Term, ...]:
    """What is added to the dice."""
    own = () if attribute is None else (Term(Text("as-written", {"text": name}), attribute),)
    return (*own, Term(Text("ebb-term-bonus"), bonus)) if bonus else own


def _notes(check: AnyAttempt, judgement: Judgement | None, told: Reveal) -> tuple[Block, ...]:
    """What a failure leaves behind (EBB-FAIL), and what the other side's dice mean (EBB-OPPOSED)."""
    data, ruling = check.data, check.data.ruling
    if data.answer == MARGIN_ONLY:
        return () if check.gm_only else (Note(once("ebb-note", {"how": "margin"}), ALL),)
    if judgement is None or ruling is None:
        return ()
    found: list[Block] = []
    failed = judgement.verdict

    def leaves(how: str, who: str = check.actor) -> None:
        found.append(_whose(check, who, once("ebb-note", {"how": how})))

    if not judgement.success:
        if failed == "fumble":
            leaves(failed)
        if data.evades and check.kind == "attack":
            return tuple(found)
        if ruling.urgent or check.kind in AGAINST_SOMEBODY:
            leaves("lost")
        elif told != "verdict" and not judgement.automatic_failure:
            leaves(failed)
        if told == "all":
            found.append(Note(once("ebb-note", {"how": "price"}), GMS_ONLY))
    if (both := data.opposition) is not None:
        if both.winner == "nobody":
            found.append(Note(once("ebb-note", {"how": "nobody"}), ALL))
        if both.opponent.verdict == "fumble":
            leaves("fumble", check.target or "")
    return tuple(found)
