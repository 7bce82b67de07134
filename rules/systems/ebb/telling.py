"""A check of EBB in blocks: what everybody, those who take part and the GMs may read of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from rules.core.rng import Die
from rules.systems.ebb.attempt import STRUCK, AnyAttempt, Attempt, Stats
from rules.systems.ebb.check import EbbRequest, EbbRuling, opposition, verdict
from rules.systems.ebb.describe import difficulty_line, shift_lines, verdict_line
from rules.systems.ebb.difficulty import attribute_counts, levels
from rules.systems.ebb.injury import FLESH_WOUND, succeeded
from rules.systems.ebb.tables import DIE_TITLES, LEVEL_STEP
from rules.systems.ebb.task import Judgement, TaskRoll, aftermath
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
)
from rules.table.checks.check import OVER
from rules.table.checks.stages import FREE, IMPOSSIBLE, MARGIN_ONLY
from rules.table.state import Reveal
from rules.table.system import Game

_IN_POINTS: Final = Text("ebb-levels-in-points", {"points": LEVEL_STEP})
_HIDDEN: Final = Text("hidden-difficulty")
_WITH: Final = Text("check-with")
_DIFFICULTY: Final = Text("check-difficulty")


def describe(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Everything about a check, verdict first, then what led to it."""
    data = check.data
    # What both sides choose against each other is their own until the dice fall.
    mine: Seen = (check.actor,) if _choosing(data) else ALL
    traits = traits_of(
        data.request, data.ruling, data.mine, None if data.rolled is None else data.rolled.roll
    )
    found: list[Block] = [*_outcome(game, check)]
    if check.kind != "rest":
        found.append(Fact(_WITH, traits, mine))
    if check.approach.strip():
        found.append(Quote(check.approach, check.by, mine))
    elif check.open and check.kind != "rest" and not check.gm_only and data.rolled is None:
        found.append(Note(Text("check-no-idea"), mine))
        if not data.answer:
            found.append(Note(Text("check-no-idea-luck"), GMS_ONLY))
    if check.kind in ("attack", "treat") and data.tool:
        code = "check-weapon" if check.kind == "attack" else "check-injury"
        found.append(Fact(Text(code), data.tool, ALL))
    if check.open and not data.answer and data.request.difficulty is not None:
        found.append(Fact(Text("check-in-mind"), difficulty_line(data.request.difficulty), mine))
    found += _defence(check)
    found += _numbers(check, mine)
    if data.answer == MARGIN_ONLY and data.rolled is None:
        found.append(Note(Text("check-margin-only"), ALL))
    if data.question:
        found.append(Quote(data.question, data.asked_by, mine, label=Text("check-question")))
    if check.note:
        found.append(Quote(check.note, data.answered_by, mine, label=Text("check-note")))
    return tuple(found)


def _choosing(data: Attempt) -> bool:
    return data.opposed and data.rolled is None


# --- what it is done with --------------------------------------------------------------------------------------


def traits_of(
    request: EbbRequest, ruling: EbbRuling | None, stats: Stats, roll: TaskRoll | None
) -> tuple[Text, ...]:
    """The traits named; the attribute as it counted once the dice have fallen."""
    found: list[Text] = []
    if request.ability is not None:
        code = "ebb-ability-disallowed" if ruling is not None and ruling.disallow_ability else "ebb-ability"
        sides = stats.sides or 0
        die, title = f"d{sides}", DIE_TITLES.get(sides, "")
        found.append(Text(code, {"name": request.ability, "die": die, "title": title}))
    if request.attribute is not None:
        code = "ebb-attribute"
        adjustments = request.adjustments if ruling is None else ruling.adjustments
        if ruling is not None and ruling.disallow_attribute:
            code = "ebb-attribute-disallowed"
        elif not attribute_counts(adjustments):
            code = "ebb-attribute-defied"
        value = stats.value if roll is None or roll.attribute is None else roll.attribute
        found.append(Text(code, {"name": request.attribute, "value": value}))
    return tuple(found) or (Text("ebb-main-die-alone"),)


def shifts_of(check: AnyAttempt) -> tuple[Text, ...]:
    """What makes it easier or harder."""
    data, ruling = check.data, check.data.ruling
    adjustments = data.request.adjustments if ruling is None else ruling.adjustments
    found = [*shift_lines(adjustments)]
    if ruling is not None and data.opposed and levels(adjustments):
        found.append(_IN_POINTS)
    if ruling is not None and ruling.specialist:
        found.append(Text("ebb-specialist"))
    if ruling is not None and ruling.urgent:
        found.append(Text("ebb-urgent"))
    return tuple(found)


def _defence(check: AnyAttempt) -> list[Block]:
    """What the other side sets against it."""
    data, request = check.data, check.data.defence
    if request is None or check.target is None:
        return []
    who = Ref(check.target)
    roll = None if data.rolled is None else data.rolled.other
    theirs: Seen = (check.target,) if roll is None else ALL
    traits = traits_of(request, None, data.theirs, roll)
    found: list[Block] = [Fact(Text("check-defends", {"who": who}), traits, theirs)]
    if data.defence_approach.strip():
        found.append(Quote(data.defence_approach, data.defence_by, theirs))
    shifts = [*shift_lines(request.adjustments)]
    if levels(request.adjustments):
        shifts.append(_IN_POINTS)
    if data.ruling is not None and data.ruling.against:
        shifts.append(Text("ebb-shift-bonus", {"points": data.ruling.against}))
    if shifts:
        told = theirs if _numbers_for(check) is ALL else GMS_ONLY
        found.append(Fact(Text("check-defence-adjustments", {"who": who}), tuple(shifts), told))
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
    return _only(_numbers_for(check), graded(check, check, tell))


def _outcome(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """The verdict, and what a hit or a treatment did."""
    data, who = check.data, game.state.characters.get(check.actor)
    tone: Tone = "neutral"
    if not data.opposed or who is None or who.owner is None:
        tone = "good" if succeeded(data) == (who is not None and who.owner is not None) else "bad"
    found: tuple[Block, ...] = ()
    if data.answer in (FREE, IMPOSSIBLE):
        free = data.answer == FREE
        code = "check-free" if free else "check-cannot"
        if check.kind == "rest":
            code = "check-time-to-rest" if free else "check-no-time-to-rest"
        found = (Verdict(Text(code), "good" if free else "bad", ALL),)
    elif data.rolled is not None:
        found = _graded(check, lambda told: _verdict(check, told, tone))
    return (*found, *_only(_effects_for(check), _effects(game, check)))


def _verdict(check: AnyAttempt, told: Reveal, tone: Tone) -> tuple[Block, ...]:
    data, judgement = check.data, verdict(check.data)
    rolled = data.rolled
    assert rolled is not None, "told only of dice that have fallen"
    if rolled.roll is not None and judgement is None and check.gm_only:
        return (Verdict(Text("ebb-total", {"total": rolled.roll.total}), "neutral", ALL),)
    if rolled.roll is None:
        taken = Text("ebb-success-by-sacrifice", {"attribute": rolled.luck})
        return (Verdict(taken, tone, ALL, worked=True),)
    if data.answer == MARGIN_ONLY or judgement is None:
        degree = None
        if judgement is not None and told != "verdict":
            degree = Text("ebb-extra-results", {"count": max(0, judgement.extra_results)})
        return (Verdict(Text("ebb-margin-only"), tone, ALL, degree, worked=True),)
    line, degree = verdict_line(judgement.verdict, told != "verdict"), _degree(judgement, told)
    numbers = _against_what(judgement, told)
    return (Verdict(line, tone, ALL, degree, worked=judgement.success, numbers=numbers),)


def _against_what(judgement: Judgement, told: Reveal) -> Text | None:
    """`8 against 10`; nothing where it was decided by something else."""
    by_total = judgement.success == (judgement.total >= judgement.threshold)
    if told == "degree" or judgement.automatic_failure or not by_total:
        return None
    if told == "verdict":
        return Text("check-numbers-hidden", {"total": judgement.total})
    return Text("check-numbers", {"total": judgement.total, "number": judgement.threshold})


def _degree(judgement: Judgement, told: Reveal) -> Text | None:
    if told == "verdict" or (told == "degree" and not judgement.success):
        return None
    if judgement.success:
        return Text("ebb-extra-results", {"count": judgement.extra_results})
    if judgement.automatic_failure:
        return None
    return Text("ebb-missed-by", {"points": judgement.threshold - judgement.total})


def _numbers(check: AnyAttempt, mine: Seen) -> tuple[Block, ...]:
    """Difficulty and adjustments, dice, and what they mean besides."""
    struck = _struck(check)
    if check.data.rolled is None:
        known = _against(check, mine)
        if check.hidden:
            known = tuple([each.but(seen=GMS_ONLY) for each in known])
            return (Fact(_DIFFICULTY, _HIDDEN, ALL, GMS_ONLY), *known, *struck)
        return (*known, *struck)
    return (
        *_graded(check, lambda told: _result(check, told)),
        *_other_dice(check),
        *_only(_numbers_for(check), _spent(check)),
        *_only(_effects_for(check), struck),
    )


def _spent(check: AnyAttempt) -> tuple[Block, ...]:
    """What was spent on it last."""
    spent = check.data.spent
    if spent is None:
        return ()
    what = Text("ebb-sacrificed", {"attribute": spent.what, "left": spent.left})
    if spent.face:
        what = Text("ebb-rerolled", {"die": spent.what, "face": spent.face, "left": spent.left})
    return (_whose(check, spent.who, what),)


def _whose(check: AnyAttempt, who: str, what: Text) -> Note:
    """What holds of one side: whose it is stands before it where both throw dice."""
    return Note(Text("check-whose", {"who": Ref(who), "what": what}) if check.data.opposed else what, ALL)


def _against(check: AnyAttempt, seen: Seen) -> tuple[Block, ...]:
    """The difficulty and what moves it."""
    ruling = check.data.ruling
    found: list[Block] = []
    if ruling is not None and ruling.difficulty is not None:
        found.append(Fact(_DIFFICULTY, difficulty_line(ruling.difficulty), ALL))
    if shifts := shifts_of(check):
        claimed = "check-claimed" if ruling is None else "check-adjustments"
        found.append(Fact(Text(claimed), shifts, seen))
    return tuple(found)


def _result(check: AnyAttempt, told: Reveal) -> tuple[Block, ...]:
    data, rolled = check.data, check.data.rolled
    assert rolled is not None, "told only of dice that have fallen"
    against = _against(check, ALL) if told == "all" else (Fact(_DIFFICULTY, _HIDDEN, ALL),)
    roll = rolled.roll
    if roll is None:
        return against
    return (*against, _dice(check.actor, data.request, roll, told), *_notes(check, told))


def _dice(who: str, request: EbbRequest, roll: TaskRoll, told: Reveal) -> Roll:
    """The dice with what is added to them. With the main die a total could be told."""
    if told == "degree":
        return Roll(
            Ref(who), None, _ability_dice(roll.dice), None, ALL, dropped=_dropped(_ability_dice(roll.dice))
        )
    terms: list[Term | int] = []
    if roll.attribute is not None:
        terms.append(Term(Text("ebb-term-attribute", {"name": request.attribute}), roll.attribute))
    if roll.bonus:
        terms.append(Term(Text("ebb-term-bonus"), roll.bonus))
    return Roll(Ref(who), None, roll.dice, roll.total, ALL, tuple(terms), dropped=_dropped(roll.dice))


def _ability_dice(dice: tuple[Die, ...]) -> tuple[Die, ...]:
    return tuple(die for die in dice if die.name not in ("main", "main-again"))


def _dropped(dice: tuple[Die, ...]) -> tuple[int, ...]:
    """The places of ability dice that were rolled again."""
    places = [place for place, die in enumerate(dice) if die.name in ("ability", "ability-again")]
    return tuple(places[:-1]) if len(places) > 1 else ()


def _other_dice(check: AnyAttempt) -> tuple[Block, ...]:
    data = check.data
    roll = None if data.rolled is None else data.rolled.other
    if roll is None or data.defence is None or check.target is None:
        return ()
    return _only(_numbers_for(check), (_dice(check.target, data.defence, roll, "all"),))


def _notes(check: AnyAttempt, told: Reveal) -> tuple[Block, ...]:
    """What a failure leaves behind (EBB-FAIL), and what the other side's dice mean (EBB-OPPOSED)."""
    data, judgement, ruling = check.data, verdict(check.data), check.data.ruling
    if data.answer == MARGIN_ONLY:
        return () if check.gm_only else (_remark("ebb-note-margin"),)
    if judgement is None or ruling is None:
        return ()
    found: list[Block] = []
    after = aftermath(judgement.verdict, pressing=ruling.urgent or check.kind == "attack")
    if after is not None:
        if after.complication:
            found.append(_whose(check, check.actor, Text("ebb-note-complication")))
        if after.chance_lost:
            found.append(_whose(check, check.actor, Text("ebb-note-chance-lost")))
        elif told != "verdict" and judgement.verdict in ("near_miss", "failure"):
            others = after.same_approach == "others"
            note = Text("ebb-note-others" if others else "ebb-note-different")
            found.append(_whose(check, check.actor, note))
        if told == "all" and after.price:
            found.append(_remark("ebb-note-price", GMS_ONLY))
    both = opposition(data)
    if both is not None and both.winner == "nobody":
        found.append(_remark("ebb-note-nobody"))
    if both is not None and both.opponent.fumble:
        found.append(_remark("ebb-note-complication-other"))
    return tuple(found)


@cache
def _remark(code: str, seen: Seen = ALL) -> Note:
    return Note(Text(code), seen)


def _struck(check: AnyAttempt) -> tuple[Block, ...]:
    """Where things stand after a hit, for everybody (EBB-INJURY)."""
    data = check.data
    if check.kind != "attack" or check.stage not in (STRUCK, OVER) or not succeeded(data):
        return ()
    if check.stage != OVER:
        return (_remark("ebb-note-full-open") if data.choice else _remark("ebb-note-hit-open"),)
    if data.choice == FLESH_WOUND:
        return (_remark("ebb-note-flesh-wound"),)
    return (_remark("ebb-note-in-full") if data.choice else _remark("ebb-note-damage"),)


def _effects(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """What a hit, rest or a treatment did, as it was told when it happened."""
    hurt, healed = check.data.hurt, check.data.healed
    if hurt is not None:
        if hurt.text:
            params = {"text": hurt.text, "part": hurt.part, "severity": hurt.severity}
            return (Note(Text("ebb-hit-injured", params), ALL),)
        target = game.state.characters.get(check.target or "")
        if target is None or target.owner is None:  # how much is left to NPCs is not for the players
            return (_remark("ebb-hit-only-flesh-wound"),)
        return (Note(Text("ebb-hit-softened", {"left": hurt.after}), ALL),)
    if healed is None:
        return ()
    if check.kind == "treat":
        treated = Text("ebb-treated", {"text": healed.text})
        return (Note(treated if healed.text is not None else Text("ebb-not-treated"), ALL),)
    values = tuple([f"{attribute} +{points}" for attribute, points in healed.back])
    restored = Text("ebb-rested", {"values": values}) if values else Text("ebb-nothing-restored")
    return (Note(restored, ALL),)
