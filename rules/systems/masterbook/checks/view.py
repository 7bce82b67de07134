"""Blocks of a check, for everyone, for those involved and for the GMs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from rules.core.errors import RulesError
from rules.systems.masterbook.checks.card_windows import notes
from rules.systems.masterbook.checks.procedure import case_of
from rules.systems.masterbook.checks.roll_stages import amount_text, training_notes
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
    """What is added to a total, by name."""
    return tuple(
        Text("mb-modifier-of", {"what": WORDS[why], "number": number})
        if why in WORDS
        else Text("mb-modifier", {"why": why, "number": number})
        for why, number in modifiers
    )


#: Facts that the death of the same moment says already.
_BEFORE_DEATH: Final = ("knocked_out", "fainted", "mortal", "dying")


def ordered_facts(facts: damage.Facts) -> damage.Facts:
    """Return facts as one sentence tells them: nothing that a worse one says already."""
    found = dict(facts)
    if "dead" in found or "drowned" in found:
        return tuple(each for each in facts if each[0] not in _BEFORE_DEATH)
    if "knockdown" in found and "knocked_out" in found:
        together = [("down_and_out", found["knocked_out"])]
        kept = [each for each in facts if each[0] not in ("knockdown", "knocked_out")]
        at = next(at for at, each in enumerate(facts) if each[0] == "knockdown")
        return (*kept[:at], *together, *kept[at:])
    return facts


def facts_lines(facts: damage.Facts) -> tuple[Text, ...]:
    """Return each fact about a character as a verb: `is knocked down`, `takes a K`."""
    told = ordered_facts(facts)
    return tuple(Text("mb-fact", {"what": what, "number": number}) for what, number in told)


def ends_text(
    ends: Iterable[tuple[str, str]], *, pending: bool = False, care: bool = False
) -> Text | None:
    """Return who is in which condition, the worst first; None if there is nobody.

    If it is *pending*, it can still change. After *care*, those who are hurt still are.
    """
    groups: dict[str, list[Ref]] = {}
    for who, end in ends:
        groups.setdefault(end, []).append(Ref(who))
    items = tuple(
        Text(
            "mb-group-end",
            {"who": tuple(groups[end]), "end": end, "pending": pending, "care": care},
        )
        for end in damage.CONDITIONS
        if end in groups
    )
    return Text("mb-ends", {"items": items, "pending": pending}) if items else None


def is_unknown(game: Game, who: str) -> bool:
    """Return whether players know nothing of a character."""
    character = game.state.characters.get(who)
    return character is None or not public_name(character)


def visible_end(game: Game, who: str, end: str) -> str:
    """Return the condition of a character as players see it without a blow to go by.

    Which of the NPCs that lie there are dying only GMs know, and of an NPC whom players don't know
    all that says more than *hurt*.
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
    found: list[Block] = []
    for block in blocks:
        if isinstance(block, Verdict) and block.what is None:
            found += verdicts_with(block, ends_text(full, care=care), ends_text(plain, care=care))
        else:
            found.append(block)
    return found


#: Kinds of checks that are about how somebody is.
_CARE: Final = ("treat", "rest")


def facts_summary(who: str, facts: damage.Facts) -> tuple[Text, ...]:
    """What happened to somebody, in one line; none where nothing did."""
    return (Text("mb-came", {"who": Ref(who), "facts": facts_lines(facts)}),) if facts else ()


def shift_lines(shifts: Iterable[tuple[str, int]]) -> tuple[Text, ...]:
    """What moves a difficulty: rows of charts, options, and what the GM says."""
    return tuple(
        Text(
            "mb-shift", {"row": None if why == "harder" else WORDS.get(why, why), "number": number}
        )
        for why, number in shifts
    )


def rated_lines(name: str, how: Rating) -> tuple[Text, ...]:
    """What somebody rolls with: `Dodge 12`, and what is added."""
    causes = (*how.modifiers, *how.bonuses)
    return (Text("mb-rated", {"name": name, "value": how.value}), *modifier_lines(causes))


def plan_name(plan: Plan) -> str:
    """What is rolled, in a word."""
    return plan.skill or plan.attribute.capitalize()


def of_npcs(game: Game, who: str | None, full: Block, **plain: Any) -> list[Block]:
    """What is told of somebody: of NPCs the whole of it for the GMs, for others what is `plain`, if
    that is less.
    """
    apart = is_npc(game, who) and full.replace(**plain) != full
    return [*shared_blocks.full_and_plain(full, **plain)] if apart else [full]


def with_of(
    game: Game, who: str, plan: Plan, how: Rating | None, seen: Viewers, title: Text
) -> list[Block]:
    """What is rolled; how good NPCs are at it only GMs read."""
    if how is None:
        return []
    full = Fact(title, rated_lines(plan_name(plan), how), seen)
    return of_npcs(game, who, full, value=(Text("as-written", {"text": plan_name(plan)}),))


def describe(game: Game, check: AnyAttempt, more: Iterable[Block] = ()) -> tuple[Block, ...]:
    """Everything about a check, the verdict first, then what led to it, `more` of its own, and what
    came of it.
    """
    data = check.data
    mine: Viewers = (check.actor,) if data.opposed and not data.throws else FOR_EVERYONE
    found = [
        *_with_ends(game, check, _outcome(game, check)),
        *with_of(game, check.actor, data.request, data.mine, mine, shared_blocks.WITH_LABEL),
        # The challenged player has to know what a contest is about.
        *shared_blocks.idea_blocks(check, FOR_EVERYONE, _level),
    ]
    if data.defense is not None and check.target is not None:
        theirs: Viewers = FOR_EVERYONE if data.throws else (check.target,)
        shown = {"who": Ref(check.target), "contest": check.kind == "contest"}
        title = Text("check-defends", shown)
        found += with_of(game, check.target, data.defense, data.theirs, theirs, title)
        if data.defense.approach:
            found.append(blocks.Quote(data.defense.approach, data.defense_by, theirs))
    found += [*_numbers(game, check), *_follows(game, check), *status_notes(check, mine)]
    return (*found, *more, *outcome_notes(game, check))


def status_notes(check: Check[Any], seen: Viewers = FOR_EVERYONE) -> tuple[Block, ...]:
    """Who waits for training; who has earned a card, and which one it took away, which lies open
    now; what was said.
    """
    data = check.data
    earned = [Text("mb-card-approves", {"who": Ref(each), "takes": False}) for each in data.earns]
    found: list[Block] = [Note(each, FOR_EVERYONE) for each in earned]
    if getattr(data, "robbed", "") and check.target is not None:
        found.append(
            Note(
                Text("mb-card-takes", {"who": Ref(check.target), "card": data.robbed}), FOR_EVERYONE
            )
        )
    return (*training_notes(check), *found, *shared_blocks.gm_quotes(check, seen))


# --- how it came out ------------------------------------------------------------------------------


def outcome_notes(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """What befell whom; how an NPC is only GMs read."""

    def tell(told: Reveal) -> tuple[Block, ...]:
        found: list[Block] = []
        for who, facts in check.data.came:
            # By how much somebody is hurt would tell how well it went.
            shown = tuple(
                [each for each in facts if told != "verdict" or each[0] not in PLAIN_FACTS]
            )
            seen: Viewers = GMS_ONLY if is_npc(game, who) else dice_viewers(check)
            found += [Note(line, seen) for line in facts_summary(who, shown)]
        return tuple(found)

    return blocks.graded_blocks(check, tell)


def _outcome(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    data, good = check.data, check.data.has_succeeded and not check.data.is_undone
    seen_as = shared_blocks.result_tone(game, check, good=good, rivals=data.opposed)
    if data.failed:
        return (
            Verdict(
                Text("mb-card-fails", {"who": Ref(data.failed)}),
                seen_as,
                FOR_EVERYONE,
                worked=False,
            ),
        )
    if data.answer in (FREE, IMPOSSIBLE):
        return (shared_blocks.no_roll_verdict(data.answer, seen_as),)
    if data.is_automatic and not check.is_open:
        return (Verdict(Text("mb-automatic"), seen_as, FOR_EVERYONE, worked=True),)
    if data.result is None:
        # Where nothing has to be reached, the total is what came of it.
        thrown = None if data.opposed or data.answer != ROLL else data.throw_of()
        total = Text("mb-total-alone", {"total": 0 if thrown is None else thrown.total})
        return () if thrown is None else (Verdict(total, "neutral", dice_viewers(check)),)
    if check.is_open and is_number_hidden(game, check) and check.stage != AFTER:
        # Before the GM tells how it came out nobody else knows (MB-DIE-03), and then no more than
        # that (MB-CARD-E07).
        full = _verdict(game, data, seen_as, "all").replace(visible_to=GMS_ONLY)
        found = _verdict(game, data, seen_as, "verdict").replace(
            visible_to=dice_viewers(check), hidden_from=GMS_ONLY
        )
        return (full, found) if check.stage == IMPACT else (full,)
    return graded_for_reveal(game, check, lambda told: _verdicts(game, data, seen_as, told))


def graded_for_reveal(
    game: Game, check: AnyAttempt, tell: Callable[[Reveal], tuple[Block, ...]]
) -> tuple[Block, ...]:
    """As `graded_blocks`; of a blind check all of it for the GMs."""
    return dice_result_blocks(
        check, blocks.graded_blocks(check.replace(hidden=is_number_hidden(game, check)), tell)
    )


def with_blocks_below(found: tuple[Block, ...], *more: Block) -> tuple[Block, ...]:
    """What a check says, with `more` below its head: below each verdict, where not everybody reads
    the same one.
    """
    heads = max(1, sum([isinstance(each, Verdict) for each in found]))
    return (*found[:heads], *more, *found[heads:])


def _verdicts(game: Game, data: Attempt, tone: blocks.Tone, told: Reveal) -> tuple[Verdict, ...]:
    """Return the verdict; if only GMs know all that moves the difficulty, one for the others, too.

    Players read the number as if nothing hidden moved it (MB-BG-15).
    """
    full = _verdict(game, data, tone, told)
    number = data.open_needed
    if told != "all" or not data.hidden_shifts or data.result is None or number is None:
        return (full,)
    shown = Text("check-numbers", {"total": data.result.total, "number": number})
    return shared_blocks.full_and_plain(full, numbers=shown)


def _verdict(game: Game, data: Attempt, tone: blocks.Tone, told: Reveal) -> Verdict:
    result = data.result
    assert result is not None, "asked only once the dice have fallen"
    worked = result.success and not data.is_undone
    degree = (
        Text("mb-level-reached", {"level": data.reached_level})
        if told != "verdict" and worked
        else None
    )
    numbers = {"total": result.total, "number": result.number}
    shown = Text("check-numbers", numbers) if told == "all" else None
    if told == "verdict":
        shown = Text("check-numbers-hidden", {"total": result.total})
    code = "mb-success" if result.success else "mb-failure"
    code = "mb-no-effect" if data.is_undone else code
    # The value that it was rolled with counts (MB-SUC-05).
    value = data.mine.value if data.mine is not None and game.setting("critical_failure") else None
    if told != "verdict" and value is not None:
        failed = success_chart.is_critical_failure(result.total, result.number, value)
        code = "mb-critical-failure" if failed else code
    return Verdict(Text(code), tone, FOR_EVERYONE, degree, worked=worked, numbers=shown)


# --- what led to it -------------------------------------------------------------------------------


def _level(difficulty: str) -> Text:
    name = "" if difficulty.removeprefix("-").isdecimal() else difficulty
    return Text("mb-level", {"name": name, "number": int(difficulty) if not name else None})


def _against(data: Attempt) -> tuple[Block, ...]:
    """The difficulty and what moves it; what players may not know of is for the GMs."""
    if not data.hidden_shifts:
        return _difficulty_facts(data)
    full = blocks.blocks_only_for(GMS_ONLY, _difficulty_facts(data))
    plain = _difficulty_facts(data.replace(hidden_shifts=()))
    return (*full, *[each.replace(hidden_from=GMS_ONLY) for each in plain])


def _difficulty_facts(data: Attempt) -> tuple[Block, ...]:
    """Return the difficulty, and all that moves it."""
    number = data.needed
    if number is None or not (data.opposed or data.ruling):
        return ()
    shifts = data.hidden_shifts if data.opposed else (*data.shifts, *data.hidden_shifts)
    shown: blocks.Value = number
    if not data.opposed:
        shown = Text("mb-level", {"name": "", "number": number})
    found: list[Block] = [Fact(shared_blocks.DIFFICULTY_LABEL, shown, FOR_EVERYONE)]
    if shifts:
        found.append(Fact(Text("check-adjustments"), shift_lines(shifts), FOR_EVERYONE))
    return tuple(found)


def _numbers(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """Difficulty, and the dice; while they lie open everybody sees them, and nobody the number that
    is hidden.
    """
    data, hidden = check.data, is_number_hidden(game, check)
    if (check.is_open and hidden and check.stage != AFTER) or data.result is None:
        known = _against(data)
        known = shared_blocks.hidden_difficulty_blocks(known) if hidden and known else known
        return (*known, *dice_result_blocks(check, dice_of(game, data)))

    def tell(told: Reveal) -> tuple[Block, ...]:
        against = _against(data) if told == "all" else (shared_blocks.HIDDEN_DIFFICULTY_FACT,)
        return (*against, *dice_of(game, data, but=MINE if told == "degree" else ""))

    return graded_for_reveal(game, check, tell)


def _follows(game: Game, check: AnyAttempt) -> tuple[Block, ...]:
    """What the skill's own rule makes of the total, once that stands."""
    data, thrown = check.data, check.data.throw_of()
    if (
        check.is_open
        or thrown is None
        or data.answer != ROLL
        or not game.state.characters.get(check.actor)
    ):
        return ()
    result = data.result
    try:
        case = case_of(game, check.actor, data.request, data.ruling or data.request)
    except RulesError:  # the sheet has it no more
        return ()
    told = consequences_of(
        case, SkillTotal(thrown.total, None if result is None else result.points)
    )

    def tell(reveal: Reveal) -> tuple[Block, ...]:
        return tuple(
            [Note(_follow(each), FOR_EVERYONE) for each in told if reveal not in each.tells]
        )

    return graded_for_reveal(game, check, tell) if told else ()


def _follow(told: Consequence) -> Text:
    if told.what == "row":
        return Text("mb-follows", {"what": told.what, "row": WORDS[told.row]})
    level = Text("mb-level-reached", {"level": told.row}) if told.row else None
    return Text(
        "mb-follows", {"what": told.what, "number": told.number, "of": told.of, "level": level}
    )


def dice_of(game: Game, data: RollData, *, but: str = "") -> list[Block]:
    """Throws that lie open, `but` those for one thing, what was spent on them, and cards.

    The dice of NPCs are for the GMs: with the total they would tell how good these are.
    """
    found: list[Block] = []
    for each in [each for each in data.throws if each.what != but]:
        roll = roll_of(each)
        if is_npc(game, each.who):
            whose = Text("roll-of", {"who": Ref(each.who), "what": roll.what})
            total = Text("mb-total-rolled", {"total": each.total})
            found += [roll.replace(visible_to=GMS_ONLY), Fact(whose, total, FOR_EVERYONE, GMS_ONLY)]
        else:
            found.append(roll)
    return [*found, *point_notes(data.points), *notes(data.effects)]


def roll_of(throw: Throw) -> blocks.Roll:
    """All dice, their bonus, the total."""
    what = None if throw.what == MINE else Text("mb-thrown", {"what": throw.what})
    result = Text("mb-total", {"bonus": throw.bonus, "total": throw.total, **_dice_causes(throw)})
    marks = tuple([at for at, each in enumerate(throw.roll.dice) if each == TEN])
    return blocks.Roll(Ref(throw.who), what, throw.roll.fallen, result, FOR_EVERYONE, marks=marks)


def _dice_causes(throw: Throw) -> dict[str, int]:
    """Return what dice beyond the first two are for; nothing if there are none."""
    roll = throw.roll
    ups, points = 2 * roll.ups, 2 * roll.points
    tens = len(roll.dice) - 2 - ups - points + roll.lost
    if not (ups or points or tens or roll.lost):
        return {}
    found = {"up": ups, "spent": points, "points": roll.points, "tens": tens}
    found |= {"lost": int(roll.lost), "first": 2}
    return {key: number for key, number in found.items() if number}


def point_notes(points: Iterable[Point]) -> list[Block]:
    """Who has spent a Life Point, and who has canceled it."""
    found: list[Block] = []
    for each in points:
        by = Ref(each.by) if each.by else None
        about = {
            "who": Ref(each.who),
            "by": by,
            "card": each.card or None,
            "with": each.with_ or None,
        }
        found.append(Note(Text("mb-point", about), FOR_EVERYONE))
    return found


def lowered_notes(game: Game, check: Check[Any]) -> list[Note]:
    """What people have taken off with a Life Point, an own one or a card; of NPCs only GMs
    read it.
    """
    found: list[Note] = []
    for each in [each for each in check.data.blows if each.dropped]:
        dropped: tuple[str, ...] = each.dropped
        counted = Counter(dropped)
        items = tuple(amount_text(each.damage, what, counted[what]) for what in counted)
        left = damage_text(each.left) if damage.packages(each.left) else None
        about = {"who": Ref(each.who), "own": each.own > 0, "items": items, "left": left}
        found.append(
            Note(
                Text("mb-lowered", about),
                GMS_ONLY if is_npc(game, each.who) else dice_viewers(check),
            )
        )
    return found


# --- how it came out ------------------------------------------------------------------------------


def damage_text(done: success_chart.Damage) -> Text:
    """What a result is made of: `2 wounds, K, 3 shock`."""
    parts = [("wound", done.wounds), ("bleeder", done.bleeders), ("knockdown", int(done.knockdown))]
    all_ = (*parts, ("ko", done.ko), ("shock", done.shock))
    items = tuple(
        [Text("mb-part", {"what": what, "number": number}) for what, number in all_ if number]
    )
    return Text("mb-damage", {"items": items})


# --- what led to it -------------------------------------------------------------------------------


PLAIN_FACTS: Final = ("wounds", "shock", "bleeders")
