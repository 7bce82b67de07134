"""Blocks of a check, for everyone, for those involved and for the GMs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from rules.core.errors import RulesError
from rules.systems.masterbook.checks.attempt_values import case_of
from rules.systems.masterbook.checks.card_windows import notes
from rules.systems.masterbook.checks.damage_reduction import amount_text
from rules.systems.masterbook.checks.roll_stages import training_notes
from rules.systems.masterbook.checks.state import (
    MINE,
    AnyAttempt,
    Attempt,
    Plan,
    Point,
    Rating,
    RollData,
    is_number_hidden,
)
from rules.systems.masterbook.deck.play import AFTER, IMPACT
from rules.systems.masterbook.formulas import damage, success_chart
from rules.systems.masterbook.formulas.dice import TEN, Throw
from rules.systems.masterbook.formulas.skill_rules import Consequence, SkillTotal, consequences_of
from rules.systems.masterbook.formulas.skills import WORDS
from rules.table import blocks
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Ref,
    Text,
    Verdict,
    Viewers,
)
from rules.table.check import Check
from rules.table.checks import shared_blocks
from rules.table.checks.shared_blocks import dice_result_blocks, dice_viewers
from rules.table.checks.stages import FREE, IMPOSSIBLE, ROLL
from rules.table.permissions import public_name
from rules.table.state import Reveal
from rules.table.system import Game, is_npc


def modifier_lines(modifiers: Iterable[tuple[str, int]]) -> tuple[Text, ...]:
    """Return the modifiers of a total, by name."""
    lines: list[Text] = []
    for why, number in modifiers:
        if why in WORDS:
            lines.append(Text("mb-modifier-of", {"what": WORDS[why], "number": number}))
        else:
            lines.append(Text("mb-modifier", {"why": why, "number": number}))
    return tuple(lines)


#: Facts that the death of the same moment says already.
_BEFORE_DEATH: Final = ("knocked_out", "fainted", "mortal", "dying")


def ordered_facts(facts: damage.Facts) -> damage.Facts:
    """Return facts as one sentence tells them: nothing that a worse one says already."""
    by_name = dict(facts)
    if "dead" in by_name or "drowned" in by_name:
        return tuple(fact for fact in facts if fact[0] not in _BEFORE_DEATH)
    if "knockdown" in by_name and "knocked_out" in by_name:
        others = [fact for fact in facts if fact[0] not in ("knockdown", "knocked_out")]
        at = [name for name, _ in facts].index("knockdown")
        return (*others[:at], ("down_and_out", by_name["knocked_out"]), *others[at:])
    return facts


def facts_lines(facts: damage.Facts) -> tuple[Text, ...]:
    """Return each fact about a character as a verb: `is knocked down`, `takes a K`."""
    lines: list[Text] = []
    for what, number in ordered_facts(facts):
        lines.append(Text("mb-fact", {"what": what, "number": number}))
    return tuple(lines)


def ends_text(
    ends: Iterable[tuple[str, str]], *, pending: bool = False, care: bool = False
) -> Text | None:
    """Return who is in which condition, the worst first; None if there is nobody.

    If it is *pending*, it can still change. After *care*, those who are hurt still are.
    """
    groups: dict[str, list[Ref]] = {}
    for who, end in ends:
        groups.setdefault(end, []).append(Ref(who))
    items: list[Text] = []
    for end in damage.CONDITIONS:
        if end in groups:
            about = {"who": tuple(groups[end]), "end": end, "pending": pending, "care": care}
            items.append(Text("mb-group-end", about))
    return Text("mb-ends", {"items": tuple(items), "pending": pending}) if items else None


def is_unknown(game: Game, who: str) -> bool:
    """Return whether players know nothing of a character."""
    character = game.state.characters.get(who)
    return character is None or not public_name(character)


def visible_end(game: Game, who: str, end: str) -> str:
    """Return the condition of a character as players see it without a blow to go by.

    Only GMs know which unconscious NPCs are dying. Of an NPC whom players don't know, players read
    no more than *hurt*.
    """
    if is_unknown(game, who):
        return "hurt" if end not in ("", "unhurt") else end
    return "unconscious" if end == "dying" and is_npc(game, who) else end


def verdicts_with(told: Verdict, full: Text | None, plain: Text | None) -> list[Verdict]:
    """Return a verdict with what it does: the whole of it for the GMs, *plain* for the others."""
    if full == plain or told.visible_to == GMS_ONLY:
        return [told.replace(what=full)]
    if told.hidden_from == GMS_ONLY:
        return [told.replace(what=plain)]
    return [*shared_blocks.full_and_plain(told.replace(what=full), what=plain)]


def _with_ends(game: Game, check: AnyAttempt, blocks: Iterable[Block]) -> list[Block]:
    """Return a check's blocks, each verdict with the characters put out of action.

    Care also tells how the patient is now; of an NPC only GMs read that.
    """
    full: list[tuple[str, str]] = []
    plain: list[tuple[str, str]] = []
    care = check.kind in _CARE
    for who, end in check.data.ends:
        if not care and end not in damage.OUT_CONDITIONS:
            continue
        full.append((who, end))
        if not is_npc(game, who) or not (care or is_unknown(game, who)):
            plain.append((who, visible_end(game, who, end)))
    shown: list[Block] = []
    for block in blocks:
        if isinstance(block, Verdict) and block.what is None:
            shown += verdicts_with(block, ends_text(full, care=care), ends_text(plain, care=care))
        else:
            shown.append(block)
    return shown


#: Kinds of checks that change a patient's condition.
_CARE: Final = ("treat", "rest")


def facts_summary(who: str, facts: damage.Facts) -> tuple[Text, ...]:
    """Return what happened to a character, in one line; nothing without facts."""
    return (Text("mb-came", {"who": Ref(who), "facts": facts_lines(facts)}),) if facts else ()


def shift_lines(shifts: Iterable[tuple[str, int]]) -> tuple[Text, ...]:
    """Return the shifts of a difficulty: rows of charts, options, and the GM's own."""
    lines: list[Text] = []
    for why, number in shifts:
        row = None if why == "harder" else WORDS.get(why, why)
        lines.append(Text("mb-shift", {"row": row, "number": number}))
    return tuple(lines)


def rated_lines(name: str, how: Rating) -> tuple[Text, ...]:
    """Return the lines of a rating: `Dodge 12`, and each modifier."""
    causes = (*how.modifiers, *how.bonuses)
    return (Text("mb-rated", {"name": name, "value": how.value}), *modifier_lines(causes))


def plan_name(plan: Plan) -> str:
    """Return the name of what is rolled."""
    return plan.skill or plan.attribute.capitalize()


def of_npcs(game: Game, who: str | None, full: Block, **plain: Any) -> list[Block]:
    """Return a block about a character. GMs read all of an NPC's, players what is *plain*."""
    if is_npc(game, who) and full.replace(**plain) != full:
        return [*shared_blocks.full_and_plain(full, **plain)]
    return [full]


def with_of(
    game: Game, who: str, plan: Plan, how: Rating | None, seen: Viewers, title: Text
) -> list[Block]:
    """Return what a character rolls with. Only GMs read the value of an NPC."""
    if how is None:
        return []
    full = Fact(title, rated_lines(plan_name(plan), how), seen)
    return of_npcs(game, who, full, value=(Text("as-written", {"text": plan_name(plan)}),))


def describe(game: Game, check: AnyAttempt, more: Iterable[Block] = ()) -> tuple[Block, ...]:
    """Return the blocks of a check: the verdict, what led to it, *more*, and the consequences."""
    data = check.data
    mine: Viewers = (check.actor,) if data.opposed and not data.throws else FOR_EVERYONE
    shown = [
        *_with_ends(game, check, _outcome(game, check)),
        *with_of(game, check.actor, data.request, data.mine, mine, shared_blocks.WITH_LABEL),
        # The challenged player has to know what a contest is about.
        *shared_blocks.idea_blocks(check, FOR_EVERYONE, _level),
    ]
    if data.defense is not None and check.target is not None:
        theirs: Viewers = FOR_EVERYONE if data.throws else (check.target,)
        about = {"who": Ref(check.target), "contest": check.kind == "contest"}
        title = Text("check-defends", about)
        shown += with_of(game, check.target, data.defense, data.theirs, theirs, title)
        if data.defense.approach:
            shown.append(blocks.Quote(data.defense.approach, data.defense_by, theirs))
    shown += [*_numbers(game, check), *_follows(game, check), *status_notes(check, mine)]
    return (*shown, *more, *outcome_notes(game, check))


def status_notes(check: Check[Any], seen: Viewers = FOR_EVERYONE) -> tuple[Block, ...]:
    """Return notes on missing training, cards that were earned or lost, and the GM's quotes."""
    data = check.data
    notes_: list[Block] = []
    for who in data.card_earners:
        text = Text("mb-card-approves", {"who": Ref(who), "takes": False})
        notes_.append(Note(text, FOR_EVERYONE))
    if getattr(data, "stolen_card", "") and check.target is not None:
        text = Text("mb-card-takes", {"who": Ref(check.target), "card": data.stolen_card})
        notes_.append(Note(text, FOR_EVERYONE))
    return (*training_notes(check), *notes_, *shared_blocks.gm_quotes(check, seen))


# --- how it came out ------------------------------------------------------------------------------


def outcome_notes(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return what happened to each character. Only GMs read that of an NPC."""

    def tell(reveal: Reveal) -> tuple[Block, ...]:
        lines: list[Block] = []
        for who, facts in check.data.consequences:
            shown = facts
            if reveal == "verdict":
                # The amount of damage would give the result away.
                shown = tuple(fact for fact in facts if fact[0] not in PLAIN_FACTS)
            seen: Viewers = GMS_ONLY if is_npc(game, who) else dice_viewers(check)
            lines += [Note(line, seen) for line in facts_summary(who, shown)]
        return tuple(lines)

    return blocks.graded_blocks(check, tell)


def _outcome(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Return the verdict of a check."""
    data, good = check.data, check.data.has_succeeded and not check.data.is_undone
    tone = shared_blocks.result_tone(game, check, good=good, rivals=data.opposed)
    if data.failed:
        text = Text("mb-card-fails", {"who": Ref(data.failed)})
        return (Verdict(text, tone, FOR_EVERYONE, worked=False),)
    if data.answer in (FREE, IMPOSSIBLE):
        return (shared_blocks.no_roll_verdict(data.answer, tone),)
    if data.is_automatic and not check.is_open:
        return (Verdict(Text("mb-automatic"), tone, FOR_EVERYONE, worked=True),)
    if data.result is None:
        return _total_verdict(check)
    if check.is_open and is_number_hidden(game, check) and check.stage != AFTER:
        # Before the GM tells the result, only GMs know it (MB-DIE-03). Then players read the bare
        # verdict until the impact is told (MB-CARD-E07).
        full = _verdict(game, data, tone, "all").replace(visible_to=GMS_ONLY)
        if check.stage != IMPACT:
            return (full,)
        plain = _verdict(game, data, tone, "verdict")
        return (full, plain.replace(visible_to=dice_viewers(check), hidden_from=GMS_ONLY))
    return graded_for_reveal(game, check, lambda reveal: _verdicts(game, data, tone, reveal))


def _total_verdict(check: AnyAttempt) -> tuple[Block, ...]:
    """Return the total as the verdict of a roll without a difficulty; nothing before the roll."""
    data = check.data
    throw = data.throw_of()
    if data.opposed or data.answer != ROLL or throw is None:
        return ()
    total = Text("mb-total-alone", {"total": throw.total})
    return (Verdict(total, "neutral", dice_viewers(check)),)


def graded_for_reveal(
    game: Game, check: AnyAttempt, tell: Callable[[Reveal], tuple[Block, ...]]
) -> tuple[Block, ...]:
    """Return `graded_blocks` by whether the number is hidden; of a blind check all for the GMs."""
    graded = blocks.graded_blocks(check.replace(hidden=is_number_hidden(game, check)), tell)
    return dice_result_blocks(check, graded)


def with_blocks_below(shown: tuple[Block, ...], *more: Block) -> tuple[Block, ...]:
    """Return the blocks of a check with *more* below its verdicts: readers may have different
    ones.
    """
    heads = max(1, sum(isinstance(block, Verdict) for block in shown))
    return (*shown[:heads], *more, *shown[heads:])


def _verdicts(game: Game, data: Attempt, tone: blocks.Tone, reveal: Reveal) -> tuple[Verdict, ...]:
    """Return the verdict; if only GMs know all that moves the difficulty, one for the others, too.

    Players read the number as if nothing hidden moved it (MB-BG-15).
    """
    full = _verdict(game, data, tone, reveal)
    number = data.open_needed
    if reveal != "all" or not data.hidden_shifts or data.result is None or number is None:
        return (full,)
    shown = Text("check-numbers", {"total": data.result.total, "number": number})
    return shared_blocks.full_and_plain(full, numbers=shown)


def _verdict(game: Game, data: Attempt, tone: blocks.Tone, reveal: Reveal) -> Verdict:
    """Return the verdict, with as much of degree and numbers as is told."""
    result = data.result
    assert result is not None, "asked only once the dice have fallen"
    worked = result.success and not data.is_undone
    degree: Text | None = None
    if worked and reveal != "verdict":
        degree = Text("mb-level-reached", {"level": data.reached_level})
    numbers: Text | None = None
    if reveal == "all":
        numbers = Text("check-numbers", {"total": result.total, "number": result.number})
    elif reveal == "verdict":
        numbers = Text("check-numbers-hidden", {"total": result.total})
    code = "mb-success" if result.success else "mb-failure"
    if data.is_undone:
        code = "mb-no-effect"
    if reveal != "verdict" and _is_critical_failure(game, data):
        code = "mb-critical-failure"
    return Verdict(Text(code), tone, FOR_EVERYONE, degree, worked=worked, numbers=numbers)


def _is_critical_failure(game: Game, data: Attempt) -> bool:
    """Return whether the roll failed critically, by the value that was rolled (MB-SUC-05)."""
    result = data.result
    if result is None or data.mine is None or not game.setting("critical_failure"):
        return False
    return success_chart.is_critical_failure(result.total, result.number, data.mine.value)


# --- what led to it -------------------------------------------------------------------------------


def _level(difficulty: str) -> Text:
    name = "" if difficulty.removeprefix("-").isdecimal() else difficulty
    return Text("mb-level", {"name": name, "number": int(difficulty) if not name else None})


def _against(data: Attempt) -> tuple[Block, ...]:
    """Return the difficulty and its shifts; hidden shifts are for the GMs."""
    if not data.hidden_shifts:
        return _difficulty_facts(data)
    full = blocks.blocks_only_for(GMS_ONLY, _difficulty_facts(data))
    plain = _difficulty_facts(data.replace(hidden_shifts=()))
    return (*full, *[fact.replace(hidden_from=GMS_ONLY) for fact in plain])


def _difficulty_facts(data: Attempt) -> tuple[Block, ...]:
    """Return the difficulty, and all that moves it."""
    number = data.needed
    if number is None or not (data.opposed or data.ruling):
        return ()
    shifts = data.hidden_shifts if data.opposed else (*data.shifts, *data.hidden_shifts)
    shown: blocks.Value = number
    if not data.opposed:
        shown = Text("mb-level", {"name": "", "number": number})
    facts: list[Block] = [Fact(shared_blocks.DIFFICULTY_LABEL, shown, FOR_EVERYONE)]
    if shifts:
        facts.append(Fact(Text("check-adjustments"), shift_lines(shifts), FOR_EVERYONE))
    return tuple(facts)


def _numbers(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Return the difficulty and the dice. While the dice may change, a hidden number stays so."""
    data, hidden = check.data, is_number_hidden(game, check)
    if (check.is_open and hidden and check.stage != AFTER) or data.result is None:
        difficulty = _against(data)
        if hidden and difficulty:
            difficulty = shared_blocks.hidden_difficulty_blocks(difficulty)
        return (*difficulty, *dice_result_blocks(check, dice_of(game, data)))

    def tell(reveal: Reveal) -> tuple[Block, ...]:
        against = _against(data) if reveal == "all" else (shared_blocks.HIDDEN_DIFFICULTY_FACT,)
        return (*against, *dice_of(game, data, but=MINE if reveal == "degree" else ""))

    return graded_for_reveal(game, check, tell)


def _follows(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Return what the skill's own rule makes of a final total."""
    data, throw = check.data, check.data.throw_of()
    if check.is_open or throw is None or data.answer != ROLL:
        return ()
    if check.actor not in game.state.characters:
        return ()
    try:
        case = case_of(game, check.actor, data.request, data.effective_ruling)
    except RulesError:
        # The sheet no longer has the skill.
        return ()
    points = None if data.result is None else data.result.points
    consequences = consequences_of(case, SkillTotal(throw.total, points))
    if not consequences:
        return ()

    def tell(reveal: Reveal) -> tuple[Block, ...]:
        lines: list[Block] = []
        for consequence in consequences:
            # `tells` lists the reveals under which the line would give away too much.
            if reveal not in consequence.tells:
                lines.append(Note(_consequence_text(consequence), FOR_EVERYONE))
        return tuple(lines)

    return graded_for_reveal(game, check, tell)


def _consequence_text(consequence: Consequence) -> Text:
    what = consequence.what
    if what == "row":
        return Text("mb-follows", {"what": what, "row": WORDS[consequence.row]})
    level: Text | None = None
    if consequence.row:
        level = Text("mb-level-reached", {"level": consequence.row})
    about = {"what": what, "number": consequence.number, "of": consequence.of, "level": level}
    return Text("mb-follows", about)


def dice_of(game: Game, data: RollData, *, but: str = "") -> list[Block]:
    """Return the throws, *but* those of one name, with the points and cards on them.

    The dice of NPCs are for the GMs: with the total they would give the NPC's value away.
    """
    shown: list[Block] = []
    for throw in data.throws:
        if throw.what == but:
            continue
        roll = roll_of(throw)
        if is_npc(game, throw.who):
            whose = Text("roll-of", {"who": Ref(throw.who), "what": roll.what})
            total = Text("mb-total-rolled", {"total": throw.total})
            shown += [roll.replace(visible_to=GMS_ONLY), Fact(whose, total, FOR_EVERYONE, GMS_ONLY)]
        else:
            shown.append(roll)
    return [*shown, *point_notes(data.points), *notes(data.effects)]


def roll_of(throw: Throw) -> blocks.Roll:
    """Return the block of a throw: all dice, their bonus, and the total."""
    what = None if throw.what == MINE else Text("mb-thrown", {"what": throw.what})
    result = Text("mb-total", {"bonus": throw.bonus, "total": throw.total, **_dice_causes(throw)})
    marks = tuple(at for at, face in enumerate(throw.roll.dice) if face == TEN)
    return blocks.Roll(Ref(throw.who), what, throw.roll.fallen, result, FOR_EVERYONE, marks=marks)


def _dice_causes(throw: Throw) -> dict[str, int]:
    """Return what dice beyond the first two are for; nothing if there are none."""
    roll = throw.roll
    ups, points = 2 * roll.ups, 2 * roll.points
    tens = len(roll.dice) - 2 - ups - points + roll.lost
    if not (ups or points or tens or roll.lost):
        return {}
    causes = {"up": ups, "spent": points, "points": roll.points, "tens": tens}
    causes |= {"lost": int(roll.lost), "first": 2}
    return {cause: number for cause, number in causes.items() if number}


def point_notes(points: Iterable[Point]) -> list[Block]:
    """Return a note on each spent Life Point, and on the character who canceled it."""
    lines: list[Block] = []
    for point in points:
        by = Ref(point.by) if point.by else None
        about = {
            "who": Ref(point.who),
            "by": by,
            "card": point.card or None,
            "with": point.with_ or None,
        }
        lines.append(Note(Text("mb-point", about), FOR_EVERYONE))
    return lines


def lowered_notes(game: Game, check: Check[Any]) -> list[Note]:
    """Return notes on damage that Life Points and cards took off. Those on NPCs are for GMs."""
    lines: list[Note] = []
    for blow in check.data.blows:
        if not blow.dropped:
            continue
        dropped: tuple[str, ...] = blow.dropped
        items = tuple(amount_text(blow.damage, *counted) for counted in Counter(dropped).items())
        left = damage_text(blow.left) if damage.packages(blow.left) else None
        about = {"who": Ref(blow.who), "own": blow.own > 0, "items": items, "left": left}
        seen: Viewers = GMS_ONLY if is_npc(game, blow.who) else dice_viewers(check)
        lines.append(Note(Text("mb-lowered", about), seen))
    return lines


# --- how it came out ------------------------------------------------------------------------------


def damage_text(done: success_chart.Damage) -> Text:
    """Return damage by its parts: `2 wounds, K, 3 shock`."""
    numbers = {
        "wound": done.wounds,
        "bleeder": done.bleeders,
        "knockdown": int(done.knockdown),
        "ko": done.ko,
        "shock": done.shock,
    }
    items: list[Text] = []
    for what, number in numbers.items():
        if number:
            items.append(Text("mb-part", {"what": what, "number": number}))
    return Text("mb-damage", {"items": tuple(items)})


#: Facts that the blow's damage tells already.
PLAIN_FACTS: Final = ("wounds", "shock", "bleeders")
