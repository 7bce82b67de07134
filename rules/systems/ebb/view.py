"""Blocks of an EBB check, with those who may read each: all, participants of the check, GMs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.systems.ebb.difficulty import (
    Plan,
    level_line,
    level_name,
    parse_difficulty,
    plan_threshold,
    shift_lines,
)
from rules.systems.ebb.procedure import STRUCK, TARGETED_KINDS, AnyAttempt, Attempt, roller
from rules.systems.ebb.reference_rows import TIERS
from rules.systems.ebb.sheet import health_line
from rules.systems.ebb.task_roll import Judgment, TaskRoll
from rules.table import blocks
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Quote,
    Ref,
    Roll,
    Term,
    Text,
    Verdict,
    shared_text,
)
from rules.table.check import OVER, Viewers
from rules.table.checks import shared_blocks
from rules.table.checks.stages import FREE, IMPOSSIBLE, MARGIN_ONLY
from rules.table.permissions import public_name
from rules.table.state import Reveal
from rules.table.system import Game, is_npc

_HIT: Final = Text("check-hit")
_MISS: Final = Text("check-miss")


def describe(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Return everything about a check, the verdict first, then what led to it."""
    data = check.data
    # Until the roll, choices of opposed sides are for their owners alone.
    mine: Viewers = (check.actor,) if data.opposed and not data.is_rolled else FOR_EVERYONE
    # The challenged player has to know what a contest is about.
    matter = FOR_EVERYONE if check.kind == "contest" else mine
    judgment, veil, seen = data.judgment, _is_veiled(game, check), _numbers_audience(check)
    described = [*_outcome_blocks(game, check, judgment, seen)]
    if check.kind != "rest":
        described += _roller_blocks(check, mine, veil=veil)
    needs_no_idea = check.kind == "rest" or check.gm_only or data.evades or data.is_rolled
    if check.is_open and not check.approach and not needs_no_idea:
        described.append(Note(Text("check-no-idea"), mine))
        if not data.answer:
            described.append(Note(Text("check-no-idea-luck"), GMS_ONLY))
    if data.tool:
        code = "check-weapon" if check.kind == "attack" else "check-injury"
        described.append(Fact(Text(code), blocks.typed_text(data.tool, check.by), FOR_EVERYONE))
    described += shared_blocks.idea_blocks(
        check,
        matter,
        lambda level: level_line(parse_difficulty(level)),
    )
    if data.evades and data.request.approach:
        described.append(_approach_quote(check, data.request, roller(check), FOR_EVERYONE))
    if data.defense is not None and check.target is not None:
        described += _defense_blocks(check, data.defense, check.target)
    described += blocks.blocks_only_for(seen, _number_blocks(check, mine, judgment, veil=veil))
    if data.consequences is not None:
        notes = _effect_notes(check, data.consequences)
        described += blocks.blocks_only_for(_effects_audience(check, seen), notes)
    if data.complication:
        label = Text("ebb-complication")
        quote = Quote(data.complication, data.complication_by, FOR_EVERYONE, label=label)
        described += blocks.blocks_only_for(seen, [quote])
    if data.answer == MARGIN_ONLY and not data.is_rolled:
        described.append(Note(Text("check-margin-only"), FOR_EVERYONE))
    return (*described, *shared_blocks.gm_quotes(check, mine))


def _is_veiled(game: Game, check: AnyAttempt) -> bool:
    """Return whether players do not know the name of the roller, an NPC.

    Then they do not learn its values either.
    """
    who = game.state.characters.get(roller(check))
    return who is not None and who.owner is None and who.stage != "revealed"


# --- traits ---------------------------------------------------------------------------------------


def _roller_blocks(check: AnyAttempt, seen: Viewers, *, veil: bool) -> tuple[Block, ...]:
    """Return the traits that the roller uses; of a target who evades, once they are known.

    With *veil* players see no values.
    """
    data, label = check.data, shared_blocks.WITH_LABEL
    if data.evades:
        who = Ref(roller(check))
        if not data.is_rolled:
            note = Note(Text("ebb-note", {"how": "npc-fixed", "who": who}), seen)
            if not data.defense_by or data.request.luck:
                return (note,)
            # Only the panel in which the defense is chosen shows it before the roll.
            traits = trait_lines(data.request, data.ruling or data.request)
            return (note, Fact(shared_blocks.WITH_LABEL, traits, seen))
        label = Text("check-defends", {"who": who, "contest": check.kind == "contest"})
    plan = data.request
    traits = trait_lines(plan, data.ruling or plan, data.roll)
    fact = Fact(label, traits, seen)
    if not veil:
        return (fact,)
    named = [Text("as-written", {"text": name}) for name in (plan.skill, plan.attribute) if name]
    if not plan.skill:
        named.insert(0, Text("ebb-main-die-alone"))
    return shared_blocks.full_and_plain(fact, value=tuple(named))


def trait_lines(plan: Plan, ruling: Plan, roll: TaskRoll | None = None) -> tuple[Text, ...]:
    """Return the named traits; after the roll, with the attribute value that counted."""
    lines = [Text("ebb-main-die-alone")]
    if plan.skill:
        title = TIERS[plan.sides].title if plan.sides in TIERS else ""
        about = {"name": plan.skill, "die": f"d{plan.sides or 0}", "title": title}
        lines = [Text("ebb-ability", {**about, "refused": "ability" in ruling.disallow})]
    if plan.attribute:
        value = plan.value if roll is None or roll.attribute is None else roll.attribute
        why = {"refused": "attribute" in ruling.disallow, "defied": ruling.drawback}
        lines.append(Text("ebb-attribute", {"name": plan.attribute, "value": value, **why}))
    return tuple(lines)


def adjustment_lines(data: Attempt) -> tuple[Text, ...]:
    """Return what makes the task easier or harder."""
    in_points = data.opposed and data.ruling is not None
    return shift_lines(data.ruling or data.request, in_points=in_points)


def _defense_blocks(check: AnyAttempt, plan: Plan, target: str) -> list[Block]:
    """Return the defense of the other side."""
    data, who = check.data, {"who": Ref(target)}
    rolled = data.other is not None or bool(data.other_luck)
    theirs: Viewers = FOR_EVERYONE if rolled else (target,)
    traits = trait_lines(plan, plan, data.other)
    label = Text("check-defends", {**who, "contest": check.kind == "contest"})
    defense_blocks: list[Block] = [Fact(label, traits, theirs)]
    if plan.luck and not rolled:
        defense_blocks.append(
            Note(Text("ebb-luck", {"what": "promised", "name": plan.luck}), theirs)
        )
    if plan.approach:
        defense_blocks.append(_approach_quote(check, plan, target, theirs))
    adjusted = plan.replace(modifier=data.effective_ruling.against, luck="")
    shifts = shift_lines(adjusted, in_points=True)
    if shifts:
        viewers = theirs if _numbers_audience(check) is FOR_EVERYONE else GMS_ONLY
        defense_blocks.append(Fact(Text("check-defense-adjustments", who), shifts, viewers))
    return defense_blocks


def _approach_quote(check: AnyAttempt, plan: Plan, who: str, seen: Viewers) -> Quote:
    """Return the idea of the other side as a quote."""
    label = Text("check-of", {"who": Ref(who)})
    return Quote(plan.approach, check.data.defense_by, seen, label=label)


# --- result and effect ----------------------------------------------------------------------------


def _numbers_audience(check: AnyAttempt) -> Viewers:
    """Return who may read the result of the dice: of a blind check the GMs alone."""
    if check.visibility == "blind" and check.data.is_rolled:
        return GMS_ONLY
    return FOR_EVERYONE


def _effects_audience(check: AnyAttempt, seen: Viewers) -> Viewers:
    """Return who may read the effect: the viewers of the dice, or else the target who was hit."""
    hit = check.kind == "attack" and (check.stage == STRUCK or bool(check.data.choice))
    if seen is not FOR_EVERYONE and hit and check.target is not None:
        return (check.target,)
    return seen


def _effect_notes(check: AnyAttempt, consequences: Text) -> list[Note]:
    """Return what a hit, rest or treatment did; what a sheet says only once it is revealed."""
    if consequences.params.get("failed"):
        return []
    if not check.data.veiled:
        return [Note(consequences, FOR_EVERYONE)]
    if check.kind != "treat" or check.target is None:
        return []
    worst = Text("ebb-treated", {"text": None, "worst": True})
    return [Note(worst, FOR_EVERYONE), Note(consequences, (check.target,))]


def _outcome_blocks(
    game: Game, check: AnyAttempt, judgment: Judgment | None, seen: Viewers
) -> Iterable[Block]:
    """Return the verdict, for the viewers of the dice."""
    data = check.data
    succeeds = data.has_succeeded(judgment)
    tone = shared_blocks.result_tone(game, check, good=succeeds, rivals=data.opposed)
    if data.answer == FREE and check.kind == "attack":
        return (Verdict(_HIT, tone, FOR_EVERYONE, what=_hit_effect(game, check)),)
    if data.answer in (FREE, IMPOSSIBLE):
        verdict = shared_blocks.no_roll_verdict(data.answer, tone, rest=check.kind == "rest")
        return (verdict.replace(what=_healing_effect(game, check)),)
    if not data.is_rolled:
        return ()
    tell = _attack_verdict if check.kind == "attack" else _verdict
    graded = blocks.graded_blocks(
        check, lambda reveal: (tell(game, check, judgment, tone, reveal),)
    )
    verdicts = blocks.blocks_only_for(seen, graded)
    target = _effects_audience(check, seen)
    if not target:
        return verdicts
    # Of a blind check, the target who was hit learns the hit, and nothing of the dice.
    what = _hit_effect(game, check)
    return (*verdicts, Verdict(_HIT, tone, target, hidden_from=GMS_ONLY, what=what))


def _verdict(
    game: Game, check: AnyAttempt, judgment: Judgment | None, tone: blocks.Tone, reveal: Reveal
) -> Verdict:
    """Return the verdict of a check without a hit, with as much as *reveal* allows."""
    data, roll = check.data, check.data.roll
    who = Ref(roller(check)) if data.evades else None
    what = _healing_effect(game, check)
    if roll is None:
        text = Text("ebb-success-by-sacrifice", {"attribute": data.luck})
        return Verdict(text, tone, FOR_EVERYONE, worked=True, who=who, what=what)
    if judgment is None and check.gm_only:
        return Verdict(Text("ebb-total", {"total": roll.total}), "neutral", FOR_EVERYONE)
    degree = None if judgment is None else _degree_line(judgment, reveal)
    if judgment is None or data.answer == MARGIN_ONLY:
        return Verdict(Text("check-succeeds"), tone, FOR_EVERYONE, degree, worked=True, what=what)
    won, how = judgment.success, judgment.verdict
    if (reveal == "verdict" or data.other_luck) and how in ("near_miss", "failure"):
        how = "missed"
    text = shared_text("ebb-verdict", {"how": how})
    # Against a sacrifice there is no total.
    has_totals = not (judgment.automatic_failure or data.other_luck)
    rivals = check.kind == "contest" and data.opposed and has_totals
    if rivals:
        text = Text("check-wins", {"who": Ref(check.actor if won else check.target or "")})
    numbers: Text | None = None
    if not data.other_luck:
        numbers = _numbers_line(judgment, reveal, theirs=rivals and not won)
    return Verdict(text, tone, FOR_EVERYONE, degree, None, won, numbers, what, who)


def _attack_verdict(
    game: Game, check: AnyAttempt, judgment: Judgment | None, tone: blocks.Tone, reveal: Reveal
) -> Verdict:
    """Return the hit or miss of an attack, and its effect once the dice are final."""
    data, hit = check.data, check.data.has_succeeded(judgment)
    # One side has sacrificed a point: there is no total.
    sure = data.roll is None or bool(data.other_luck)
    failed = judgment is not None and judgment.automatic_failure and data.answer != MARGIN_ONLY
    beaten = not hit and data.opposed and check.stage == OVER and not failed
    what = _hit_effect(game, check) if hit else None
    degree: Text | None = None
    numbers: Text | None = None
    if not hit:
        evades = sure or data.evades or beaten
        who = Ref(check.target or "")
        what = Text("check-evades", {"who": who})
        if not evades:
            what = Text("ebb-struck", {"who": who, "how": "missed"})
    if sure:
        degree = Text("ebb-degree", {"just": True})
    elif judgment is not None:
        why = {"how": judgment.verdict, "why": True}
        degree = shared_text("ebb-verdict", why) if failed else _degree_line(judgment, reveal)
        stands = hit and check.stage in (STRUCK, OVER)
        numbers = None if stands else _numbers_line(judgment, reveal, theirs=beaten)
    return Verdict(_HIT if hit else _MISS, tone, FOR_EVERYONE, degree, numbers=numbers, what=what)


def _hit_effect(game: Game, check: AnyAttempt) -> Text | None:
    """Return what a hit does, or will do, or who has to choose that (EBB-INJURY)."""
    data, target = check.data, Ref(check.target or "")
    if check.stage not in (STRUCK, OVER):
        return Text("ebb-struck", {"who": target, "how": "would"})
    if data.veiled:
        return Text("ebb-struck", {"who": target, "how": "words"})
    if check.stage != OVER:
        npc = is_npc(game, check.target)
        return Text("ebb-struck", {"who": target, "how": "", "npc": npc})
    struck = game.state.characters.get(check.target or "")
    known = struck is not None and bool(public_name(struck))
    health = None
    if known and data.consequences is not None:
        health = data.consequences.params.get("health")
    return Text("ebb-struck", {"who": target, "how": data.choice or "free", "health": health})


def _healing_effect(game: Game, check: AnyAttempt) -> Text | None:
    """Return how a patient is after a treatment or rest, or will be if the dice stand."""
    data, target = check.data, check.target or ""
    if check.kind not in ("treat", "rest"):
        return None
    if data.consequences is not None:
        return shared_blocks.health_line(target, data.consequences.params)
    if check.kind == "rest" or not check.is_open or target not in game.state.characters:
        return None
    if data.has_succeeded():
        return Text("ebb-treating", {"who": Ref(target)})
    health = health_line(game.sheet(target))
    if health.code == "unhurt":
        return None
    return Text("ebb-treating", {"who": Ref(target), "health": health})


def _numbers_line(judgment: Judgment, reveal: Reveal, *, theirs: bool) -> Text | None:
    """Return `8 against 10`; with *theirs* the other way round.

    Returns None if something else than the total decided, or if only the degree is revealed.
    """
    total, number = judgment.total, judgment.threshold
    if reveal == "degree" or judgment.automatic_failure or judgment.success != (total >= number):
        return None
    if reveal == "verdict":
        return Text("check-numbers-hidden", {"total": total})
    total, number = (number, total) if theirs else (total, number)
    return shared_text("check-numbers", {"total": total, "number": number})


def _degree_line(judgment: Judgment, reveal: Reveal) -> Text | None:
    """Return the number of extra results; None without any, and if only the verdict is revealed."""
    extra = judgment.extra_results
    if reveal == "verdict" or extra < 1:
        return None
    return shared_text("ebb-degree", {"count": extra})


def _number_blocks(
    check: AnyAttempt, mine: Viewers, judgment: Judgment | None, *, veil: bool
) -> Iterable[Block]:
    """Return difficulty and adjustments, the dice, and further results."""
    data = check.data
    if not data.is_rolled:
        known = _difficulty_blocks(data, mine)
        return shared_blocks.hidden_difficulty_blocks(known) if check.hidden else known
    number_blocks = [
        *blocks.graded_blocks(
            check, lambda reveal: _result_blocks(check, judgment, reveal, veil=veil)
        )
    ]
    if data.other is not None and data.defense is not None:
        number_blocks += _dice_blocks(check.target or "", data.defense, data.other, veil=veil)
    if data.spent is not None:
        number_blocks.append(_side_note(check, data.spent_by, data.spent))
    return number_blocks


def _side_note(check: AnyAttempt, who: str, what: Text) -> Note:
    """Return a note about one side; if both sides roll, with the side's name."""
    if check.data.opposed:
        what = Text("check-whose", {"who": Ref(who), "what": what})
    return Note(what, FOR_EVERYONE)


def _difficulty_blocks(
    data: Attempt, seen: Viewers, judgment: Judgment | None = None
) -> tuple[Block, ...]:
    """Return the difficulty, and its adjustments for *seen*."""
    difficulty_blocks: list[Block] = []
    if judgment is None or data.opposed:
        number = plan_threshold(data.effective_ruling)
    else:
        number = judgment.threshold
    if number is not None:
        level = shared_text("ebb-against", {"name": level_name(number), "value": number})
        difficulty_blocks.append(Fact(shared_blocks.DIFFICULTY_LABEL, level, FOR_EVERYONE))
    shifts = adjustment_lines(data)
    if shifts:
        label = "check-claimed" if data.ruling is None else "check-adjustments"
        difficulty_blocks.append(Fact(Text(label), shifts, seen))
    return tuple(difficulty_blocks)


def _result_blocks(
    check: AnyAttempt, judgment: Judgment | None, reveal: Reveal, *, veil: bool
) -> tuple[Block, ...]:
    """Return the difficulty and the roller's dice, as much as *reveal* allows."""
    against: tuple[Block, ...] = (shared_blocks.HIDDEN_DIFFICULTY_FACT,)
    if reveal == "all":
        against = _difficulty_blocks(check.data, FOR_EVERYONE, judgment)
    if check.data.roll is None:
        return against
    dice = _dice_blocks(roller(check), check.data.request, check.data.roll, reveal, veil=veil)
    return (*against, *dice, *_result_notes(check, judgment, reveal))


def _dice_blocks(
    who: str, plan: Plan, roll: TaskRoll, reveal: Reveal = "all", *, veil: bool
) -> tuple[Block, ...]:
    """Return the dice with what is added to them; with *veil* in one sum without names.

    If only the degree is revealed, the main die is left out, since it would reveal the total.
    """
    dice = roll.dice if reveal != "degree" else roll.dice[len(roll.main) :]
    # All but the last ability die were rolled again.
    again = max(0, len(roll.abilities) - 1)
    if again:
        dice = (*dice[: -again - 1], dice[-1])
    before = tuple((len(dice) - 1, face) for face in roll.abilities[:-1])
    if reveal == "degree":
        return (Roll(Ref(who), None, dice, None, FOR_EVERYONE, replaced=before),)
    own, bonus = Text("as-written", {"text": plan.attribute}), Text("ebb-term-bonus")
    added = (own, roll.attribute), (bonus, roll.bonus or None)
    terms = tuple([Term(what, number) for what, number in added if number is not None])
    block = Roll(Ref(who), None, dice, roll.total, FOR_EVERYONE, terms, replaced=before)
    if not veil or not terms:
        return (block,)
    bare = sum([term.value for term in terms])
    return shared_blocks.full_and_plain(block, terms=(bare,) if bare else ())


def _result_notes(check: AnyAttempt, judgment: Judgment | None, reveal: Reveal) -> list[Block]:
    """Return notes on a failure (EBB-FAIL), and on the other side's dice (EBB-OPPOSED)."""
    data = check.data
    notes: list[Block] = []
    if data.answer == MARGIN_ONLY:
        if not check.gm_only:
            notes.append(Note(shared_text("ebb-note", {"how": "margin"}), FOR_EVERYONE))
        return notes
    if judgment is None:
        return notes
    failed = judgment.verdict

    def add_note(how: str, who: str = check.actor) -> None:
        notes.append(_side_note(check, who, shared_text("ebb-note", {"how": how})))

    if not judgment.success:
        if failed == "fumble":
            add_note(failed)
        if data.evades and check.kind == "attack":
            return notes
        if data.effective_ruling.urgent or check.kind in TARGETED_KINDS:
            add_note("lost")
        elif reveal != "verdict" and not judgment.automatic_failure:
            add_note(failed)
        if reveal == "all":
            notes.append(Note(shared_text("ebb-note", {"how": "price"}), GMS_ONLY))
    both = data.opposed_judgment
    if both is not None:
        if both.winner == "nobody":
            notes.append(Note(shared_text("ebb-note", {"how": "nobody"}), FOR_EVERYONE))
        if both.opponent.verdict == "fumble":
            add_note("fumble", check.target or "")
    return notes
