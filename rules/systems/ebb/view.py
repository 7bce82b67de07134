"""A check of EBB in blocks: what everybody, those who take part and the GMs may read of it."""

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
    """Everything about a check, verdict first, then what led to it."""
    data = check.data
    # What both sides choose against each other is their own until the dice fall.
    mine: Viewers = (check.actor,) if data.opposed and not data.is_rolled else FOR_EVERYONE
    # The challenged player has to know what a contest is about.
    matter = FOR_EVERYONE if check.kind == "contest" else mine
    judgment, veil, seen = data.judgment, _is_veiled(game, check), _numbers_audience(check)
    found = [*_outcome(game, check, judgment, seen)]
    if check.kind != "rest":
        found += _roller_blocks(check, mine, veil=veil)
    told = check.approach or check.kind == "rest" or check.gm_only or data.evades or data.is_rolled
    if check.is_open and not told:
        found.append(Note(Text("check-no-idea"), mine))
        if not data.answer:
            found.append(Note(Text("check-no-idea-luck"), GMS_ONLY))
    if data.tool:
        code = "check-weapon" if check.kind == "attack" else "check-injury"
        found.append(Fact(Text(code), blocks.typed_text(data.tool, check.by), FOR_EVERYONE))
    found += shared_blocks.idea_blocks(
        check,
        matter,
        lambda level: level_line(parse_difficulty(level)),
    )
    if data.evades and data.request.approach:
        found.append(_approach_quote(check, data.request, roller(check), FOR_EVERYONE))
    if data.defense is not None and check.target is not None:
        found += _defense_blocks(check, data.defense, check.target)
    found += blocks.blocks_only_for(seen, _numbers(check, mine, judgment, veil=veil))
    if data.came is not None:
        told = _effect_notes(check, data.came)
        found += blocks.blocks_only_for(_effects_audience(check, seen), told)
    if data.complication:
        label = Text("ebb-complication")
        told = Quote(data.complication, data.complication_by, FOR_EVERYONE, label=label)
        found += blocks.blocks_only_for(seen, [told])
    if data.answer == MARGIN_ONLY and not data.is_rolled:
        found.append(Note(Text("check-margin-only"), FOR_EVERYONE))
    return (*found, *shared_blocks.gm_quotes(check, mine))


def _is_veiled(game: Game, check: AnyAttempt) -> bool:
    """Whether it is done by somebody whose name players do not know: nor do they learn what that
    one can do.
    """
    who = game.state.characters.get(roller(check))
    return who is not None and who.owner is None and who.stage != "revealed"


# --- what it is done with -------------------------------------------------------------------------


def _roller_blocks(check: AnyAttempt, seen: Viewers, *, veil: bool) -> tuple[Block, ...]:
    """What whoever rolls does it with; of whoever evades, once that is known. `veil`: not how good
    they are at that.
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
    told = Fact(label, traits, seen)
    if not veil:
        return (told,)
    named = [Text("as-written", {"text": each}) for each in (plan.skill, plan.attribute) if each]
    return shared_blocks.full_and_plain(
        told, value=tuple(named) if plan.skill else (Text("ebb-main-die-alone"), *named)
    )


def trait_lines(plan: Plan, ruling: Plan, roll: TaskRoll | None = None) -> tuple[Text, ...]:
    """The traits named; the attribute as it counted once the dice have fallen."""
    found, title = (
        [Text("ebb-main-die-alone")],
        TIERS[plan.sides].title if plan.sides in TIERS else "",
    )
    if plan.skill:
        shown = {"name": plan.skill, "die": f"d{plan.sides or 0}", "title": title}
        found = [Text("ebb-ability", {**shown, "refused": "ability" in ruling.disallow})]
    if plan.attribute:
        value = plan.value if roll is None or roll.attribute is None else roll.attribute
        why = {"refused": "attribute" in ruling.disallow, "defied": ruling.drawback}
        found.append(Text("ebb-attribute", {"name": plan.attribute, "value": value, **why}))
    return tuple(found)


def adjustment_lines(data: Attempt) -> tuple[Text, ...]:
    """What makes it easier or harder."""
    return shift_lines(
        data.ruling or data.request, in_points=data.opposed and data.ruling is not None
    )


def _defense_blocks(check: AnyAttempt, plan: Plan, target: str) -> list[Block]:
    """What the other side sets against it."""
    data, who = check.data, {"who": Ref(target)}
    thrown = data.other is not None or bool(data.other_luck)
    theirs: Viewers = FOR_EVERYONE if thrown else (target,)
    traits = trait_lines(plan, plan, data.other)
    label = Text("check-defends", {**who, "contest": check.kind == "contest"})
    found: list[Block] = [Fact(label, traits, theirs)]
    if plan.luck and not thrown:
        found.append(Note(Text("ebb-luck", {"what": "promised", "name": plan.luck}), theirs))
    if plan.approach:
        found.append(_approach_quote(check, plan, target, theirs))
    if shifts := shift_lines(
        plan.replace(modifier=data.effective_ruling.against, luck=""), in_points=True
    ):
        told = theirs if _numbers_audience(check) is FOR_EVERYONE else GMS_ONLY
        found.append(Fact(Text("check-defense-adjustments", who), shifts, told))
    return found


def _approach_quote(check: AnyAttempt, plan: Plan, who: str, seen: Viewers) -> Quote:
    """The idea of whoever is set against it."""
    label = Text("check-of", {"who": Ref(who)})
    return Quote(plan.approach, check.data.defense_by, seen, label=label)


# --- what came of it ------------------------------------------------------------------------------


def _numbers_audience(check: AnyAttempt) -> Viewers:
    """Who may read what the dice say: blind the GMs alone."""
    return GMS_ONLY if check.visibility == "blind" and check.data.is_rolled else FOR_EVERYONE


def _effects_audience(check: AnyAttempt, seen: Viewers) -> Viewers:
    """Who may read what came of it: besides those who have `seen` the dice whoever was hit."""
    hit = check.kind == "attack" and (check.stage == STRUCK or bool(check.data.choice))
    return (
        (check.target,) if seen is not FOR_EVERYONE and hit and check.target is not None else seen
    )


def _effect_notes(check: AnyAttempt, came: Text) -> list[Note]:
    """Say what a hit, rest or treatment did; what stands on a sheet only once it is told."""
    if came.params.get("failed"):
        return []
    if not check.data.veiled:
        return [Note(came, FOR_EVERYONE)]
    if check.kind != "treat" or check.target is None:
        return []
    worst = Text("ebb-treated", {"text": None, "worst": True})
    return [Note(worst, FOR_EVERYONE), Note(came, (check.target,))]


def _outcome(
    game: Game, check: AnyAttempt, judgment: Judgment | None, seen: Viewers
) -> Iterable[Block]:
    """The verdict, for those who have `seen` the dice."""
    data = check.data
    seen_as = shared_blocks.result_tone(
        game, check, good=data.has_succeeded(judgment), rivals=data.opposed
    )
    if data.answer == FREE and check.kind == "attack":
        return (Verdict(_HIT, seen_as, FOR_EVERYONE, what=_hit_effect(game, check)),)
    if data.answer in (FREE, IMPOSSIBLE):
        found = shared_blocks.no_roll_verdict(data.answer, seen_as, rest=check.kind == "rest")
        return (found.replace(what=_healing_effect(game, check)),)
    if not data.is_rolled:
        return ()
    tell = _attack_verdict if check.kind == "attack" else _verdict
    told = blocks.graded_blocks(check, lambda told: (tell(game, check, judgment, seen_as, told),))
    found = blocks.blocks_only_for(seen, told)
    if not (effect := _effects_audience(check, seen)):
        return found
    # Blind, whoever was hit learns that, and nothing of the dice.
    what = _hit_effect(game, check)
    return (*found, Verdict(_HIT, seen_as, effect, hidden_from=GMS_ONLY, what=what))


def _verdict(
    game: Game, check: AnyAttempt, judgment: Judgment | None, tone: blocks.Tone, told: Reveal
) -> Verdict:
    data, roll = check.data, check.data.roll
    who = Ref(roller(check)) if data.evades else None
    what = _healing_effect(game, check)
    if roll is None:
        text = Text("ebb-success-by-sacrifice", {"attribute": data.luck})
        return Verdict(text, tone, FOR_EVERYONE, worked=True, who=who, what=what)
    if judgment is None and check.gm_only:
        return Verdict(Text("ebb-total", {"total": roll.total}), "neutral", FOR_EVERYONE)
    degree = None if judgment is None else _degree(judgment, told)
    if judgment is None or data.answer == MARGIN_ONLY:
        return Verdict(Text("check-succeeds"), tone, FOR_EVERYONE, degree, worked=True, what=what)
    won, how = judgment.success, judgment.verdict
    if (told == "verdict" or data.other_luck) and how in ("near_miss", "failure"):
        how = "missed"
    text = shared_text("ebb-verdict", {"how": how})
    # Against a sacrifice there is no total.
    rivals = (
        check.kind == "contest"
        and data.opposed
        and not (judgment.automatic_failure or data.other_luck)
    )
    if rivals:
        text = Text("check-wins", {"who": Ref(check.actor if won else check.target or "")})
    numbers = None if data.other_luck else _numbers_line(judgment, told, theirs=rivals and not won)
    return Verdict(text, tone, FOR_EVERYONE, degree, None, won, numbers, what, who)


def _attack_verdict(
    game: Game, check: AnyAttempt, judgment: Judgment | None, tone: blocks.Tone, told: Reveal
) -> Verdict:
    """An attack hits or misses; whom it does what, as soon as its dice stand."""
    data, hit = check.data, check.data.has_succeeded(judgment)
    # By a sacrifice, of either side: there is no total.
    sure = data.roll is None or bool(data.other_luck)
    failed = judgment is not None and judgment.automatic_failure and data.answer != MARGIN_ONLY
    beaten = not hit and data.opposed and check.stage == OVER and not failed
    what, degree, numbers = _hit_effect(game, check) if hit else None, None, None
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
        degree = shared_text("ebb-verdict", why) if failed else _degree(judgment, told)
        stands = hit and check.stage in (STRUCK, OVER)
        numbers = None if stands else _numbers_line(judgment, told, theirs=beaten)
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
    health = data.came.params.get("health") if known and data.came is not None else None
    return Text("ebb-struck", {"who": target, "how": data.choice or "free", "health": health})


def _healing_effect(game: Game, check: AnyAttempt) -> Text | None:
    """Return how a patient is after a treatment or rest, or will be if the dice stand."""
    data, target = check.data, check.target or ""
    if check.kind not in ("treat", "rest"):
        return None
    if data.came is not None:
        return shared_blocks.health_line(target, data.came.params)
    if check.kind == "rest" or not check.is_open or target not in game.state.characters:
        return None
    if data.has_succeeded():
        return Text("ebb-treating", {"who": Ref(target)})
    health = health_line(game.sheet(target))
    if health.code == "unhurt":
        return None
    return Text("ebb-treating", {"who": Ref(target), "health": health})


def _numbers_line(judgment: Judgment, told: Reveal, *, theirs: bool) -> Text | None:
    """`8 against 10`, `theirs` the other way round; nothing where it was decided by
    something else.
    """
    total, number = judgment.total, judgment.threshold
    if told == "degree" or judgment.automatic_failure or judgment.success != (total >= number):
        return None
    if told == "verdict":
        return Text("check-numbers-hidden", {"total": total})
    total, number = (number, total) if theirs else (total, number)
    return shared_text("check-numbers", {"total": total, "number": number})


def _degree(judgment: Judgment, told: Reveal) -> Text | None:
    extra = judgment.extra_results
    return None if told == "verdict" or extra < 1 else shared_text("ebb-degree", {"count": extra})


def _numbers(
    check: AnyAttempt, mine: Viewers, judgment: Judgment | None, *, veil: bool
) -> Iterable[Block]:
    """Difficulty and adjustments, dice, and what they mean besides."""
    data = check.data
    if not data.is_rolled:
        known = _difficulty_blocks(data, mine)
        return shared_blocks.hidden_difficulty_blocks(known) if check.hidden else known
    found = [*blocks.graded_blocks(check, lambda told: _result(check, judgment, told, veil=veil))]
    if data.other is not None and data.defense is not None:
        found += _dice(check.target or "", data.defense, data.other, veil=veil)
    if data.spent is not None:
        found.append(_side_note(check, data.spent_by, data.spent))
    return found


def _side_note(check: AnyAttempt, who: str, what: Text) -> Note:
    """What holds of one side: whose it is stands before it where both throw dice."""
    return Note(
        Text("check-whose", {"who": Ref(who), "what": what}) if check.data.opposed else what,
        FOR_EVERYONE,
    )


def _difficulty_blocks(
    data: Attempt, seen: Viewers, judgment: Judgment | None = None
) -> tuple[Block, ...]:
    """The difficulty and what moves it."""
    found: list[Block] = []
    number = (
        plan_threshold(data.effective_ruling)
        if judgment is None or data.opposed
        else judgment.threshold
    )
    if number is not None:
        level = shared_text("ebb-against", {"name": level_name(number), "value": number})
        found.append(Fact(shared_blocks.DIFFICULTY_LABEL, level, FOR_EVERYONE))
    if shifts := adjustment_lines(data):
        claimed = "check-claimed" if data.ruling is None else "check-adjustments"
        found.append(Fact(Text(claimed), shifts, seen))
    return tuple(found)


def _result(
    check: AnyAttempt, judgment: Judgment | None, told: Reveal, *, veil: bool
) -> tuple[Block, ...]:
    against = (
        _difficulty_blocks(check.data, FOR_EVERYONE, judgment)
        if told == "all"
        else (shared_blocks.HIDDEN_DIFFICULTY_FACT,)
    )
    if check.data.roll is None:
        return against
    dice = _dice(roller(check), check.data.request, check.data.roll, told, veil=veil)
    return (*against, *dice, *_notes(check, judgment, told))


def _dice(
    who: str, plan: Plan, roll: TaskRoll, told: Reveal = "all", *, veil: bool
) -> tuple[Block, ...]:
    """The dice with what is added to them, `veil`: not by name. With the main die a total could be
    told.
    """
    dice = roll.dice if told != "degree" else roll.dice[len(roll.main) :]
    # All but the last ability die were rolled again.
    again = max(0, len(roll.abilities) - 1)
    if again:
        dice = (*dice[: -again - 1], dice[-1])
    before = tuple((len(dice) - 1, face) for face in roll.abilities[:-1])
    if told == "degree":
        return (Roll(Ref(who), None, dice, None, FOR_EVERYONE, replaced=before),)
    own, bonus = Text("as-written", {"text": plan.attribute}), Text("ebb-term-bonus")
    added = (own, roll.attribute), (bonus, roll.bonus or None)
    terms = tuple([Term(what, number) for what, number in added if number is not None])
    found = Roll(Ref(who), None, dice, roll.total, FOR_EVERYONE, terms, replaced=before)
    if not veil or not terms:
        return (found,)
    bare = sum([term.value for term in terms])
    return shared_blocks.full_and_plain(found, terms=(bare,) if bare else ())


def _notes(check: AnyAttempt, judgment: Judgment | None, told: Reveal) -> list[Block]:
    """What a failure leaves behind (EBB-FAIL), and what the other side's dice mean
    (EBB-OPPOSED).
    """
    data, found = check.data, list[Block]()
    if data.answer == MARGIN_ONLY:
        return (
            []
            if check.gm_only
            else [Note(shared_text("ebb-note", {"how": "margin"}), FOR_EVERYONE)]
        )
    if judgment is None:
        return found
    failed = judgment.verdict

    def leaves(how: str, who: str = check.actor) -> None:
        found.append(_side_note(check, who, shared_text("ebb-note", {"how": how})))

    if not judgment.success:
        if failed == "fumble":
            leaves(failed)
        if data.evades and check.kind == "attack":
            return found
        if data.effective_ruling.urgent or check.kind in TARGETED_KINDS:
            leaves("lost")
        elif told != "verdict" and not judgment.automatic_failure:
            leaves(failed)
        if told == "all":
            found.append(Note(shared_text("ebb-note", {"how": "price"}), GMS_ONLY))
    if (both := data.opposed_judgment) is not None:
        if both.winner == "nobody":
            found.append(Note(shared_text("ebb-note", {"how": "nobody"}), FOR_EVERYONE))
        if both.opponent.verdict == "fumble":
            leaves("fumble", check.target or "")
    return found
