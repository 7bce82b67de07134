"""Healing: days of rest and care, sleep, and waking the unconscious (EGO-REC-01, EGO-EFF-03)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.ego.character.combat_values import body_of, with_body
from rules.systems.ego.character.creation import POOLS
from rules.systems.ego.character.labels import label, labeled_fact
from rules.systems.ego.character.sheet import EgoSheet, ability_dice, level_of, pool_of, rating_of
from rules.systems.ego.checks import casualties
from rules.systems.ego.checks.group_rolls import (
    GroupRoll,
    Trials,
    describe,
    trial,
    trial_procedure,
    trial_results,
    wake_character,
)
from rules.systems.ego.checks.procedure import KARMA
from rules.systems.ego.checks.rounds import (
    REGENERATION,
    cost_forecast,
    pay_cost,
    stream_of,
    tick_line,
)
from rules.systems.ego.checks.view import (
    blocks_by_audience,
    cost_line,
    is_unknown,
    success_verdict,
)
from rules.systems.ego.formulas import action_points, damage, dice, effects
from rules.systems.ego.formulas.action_points import Forecast
from rules.table.blocks import FOR_EVERYONE, Block, Note, Ref, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks import stages
from rules.table.checks.procedure import Procedure, StageResult
from rules.table.checks.shared_blocks import approach_blocks, gm_quotes, no_roll_verdict
from rules.table.forms.fields import Number, Option, Pick
from rules.table.forms.form import Form
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark
from rules.table.system import Game, Tick, TickResult

MINUTES_A_DAY: Final = 24 * 60
ROUNDS_A_MINUTE: Final = 6
MAX_DAYS: Final = 365
#: Skill that wakes. Marks: minutes of the day that count already, and the care of a character.
MEDICAL: Final = "Medical"
PART, CARE = "part-of-a-day", "care"
REST, SLEEP = "rest", "sleep"

# --- waking ---------------------------------------------------------------------------------------

TREAT_FORM: Final = Form((KARMA, stages.APPROACH_FIELD))


def propose_treatment(game: Game, check: Check[Trials], values: Values) -> Check[Trials]:
    """Propose to wake an unconscious target.

    Raises InvalidInput("which-target"), Impossible("ego-not-out").
    """
    target = check.target
    if target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted="patient")
    if game.sheet(target).down not in (damage.KNOCKED_OUT, damage.PASSED_OUT):
        raise Impossible("ego-not-out", name=game.display_name(target))
    data = check.data.replace(karma=values.get("karma", 0))
    return stages.with_npc_privacy(
        game, check.replace(data=data, approach=values.get(stages.APPROACH_FIELD.key, "").strip())
    )


def _begun(game: Game, check: Check[Trials]) -> StageResult[Trials] | None:
    """Pay for the treatment, whatever the result."""
    data, who = check.data, check.actor
    cost = _treatment_cost(game, check)
    game, penalty, costs = pay_cost(game, who, cost, check.round, karma=data.karma)
    number = pool_of(game.sheet(who), MEDICAL) - penalty
    roll = trial(game, who, "medical", number, damage.WAKE, "intellect", karma=data.karma)
    return StageResult(game.state, data.replace(trials=(roll,), shifts=(*data.shifts, *costs)))


def _treatment_cost(game: Game, check: Check[Trials]) -> Forecast | None:
    """Return the cost of a treatment in a round; None outside rounds (EGO-AP-04)."""
    return cost_forecast(game, check.actor, action_points.skill_use_cost(0), check.round)


def _waking(game: Game, check: Check[Trials]) -> StageResult[Trials] | None:
    """Wake the patient if the treatment succeeded."""
    data, who = check.data.replace(over=True), check.target or ""
    if trial_results(data, "medical")[check.actor] and who in game.state.characters:
        game, data = wake_character(game, data, who)
    return StageResult(game.state, data)


def _describe_treatment(game: Game, check: Check[Trials]) -> tuple[Block, ...]:
    good = trial_results(check.data, "medical").get(check.actor, False)
    verdicts = ()
    if check.data.throws:
        verdicts = (_waking_verdict(game, check, success_verdict(game, check, good=good)),)
    facts = [*approach_blocks(check)]
    if not check.data.trials and (cost := _treatment_cost(game, check)) is not None:
        facts += blocks_by_audience(game, check.actor, Note(cost_line(cost), FOR_EVERYONE))
    return describe(game, check, *facts, verdict=lambda told: verdicts)


def _waking_verdict(game: Game, check: Check[Trials], verdict: Verdict) -> Verdict:
    """Return the verdict with whether the patient wakes; it says so once that is known."""
    if not check.data.over or is_unknown(game, check.target):
        return verdict
    who = {"who": (Ref(check.target or ""),), "count": 1}
    how = casualties.AWAKE if verdict.worked else casualties.ASLEEP
    return verdict.replace(what=Text("ego-end", {**who, "how": how}))


# --- rest and sleep -------------------------------------------------------------------------------


class Rest(stages.ProposalData):
    """Data of a rest: days with care, or hours of sleep."""

    method: str = REST
    care: str = "rest"
    days: int = 1
    hours: int = 8
    #: Lines that report the result.
    consequences: tuple[Text, ...] = ()


_WAYS: Final = (
    Option(REST, Text("ego-rest", {"way": REST})),
    Option(SLEEP, Text("ego-rest", {"way": SLEEP})),
)
_CARES: Final = tuple(
    Option(care, Text("ego-rest", {"care": care})) for care in ("rest", "medical")
)


def _span(key: str, most: int, *offered: int) -> Number:
    def label_of(span: int) -> Text:
        return Text("ego-rest", {key: span})

    return Number(key, low=1, high=most, offered=offered, label=label_of)


_SPANS: Final = (_span("days", MAX_DAYS, 1, 2, 3, 7, 14), _span("hours", 24, 4, 6, 8, 10))
_HOW: Final = (Pick("method", choices=_WAYS), Pick("care", choices=_CARES, title=label("care")))
#: Ways to rest: `method` is the option of the command.
REST_FORM: Final = Form((*_HOW, *_SPANS, stages.APPROACH_FIELD))


class RestProposal(stages.ProposalStage[Rest]):
    """Proposal of a rest: the GM says whether there is time for it, and may do so alone."""

    free = "rested"
    word = Form((stages.NOTE_FIELD,))
    labels = stages.REST_LABELS

    def read_request(self, game: Game, check: Check[Rest], values: Values) -> Check[Rest]:
        said: Any = check.data.asked
        check = check.replace(target=check.actor, data=check.data.replace(**said))
        sheet: EgoSheet = game.sheet(check.actor)
        if check.data.method == SLEEP and not _pool_sizes(sheet):
            raise Impossible("ego-no-pool", name=game.display_name(check.actor))
        return check


def _pool_sizes(sheet: EgoSheet) -> dict[str, int]:
    """Return the largest sizes of a character's pools, by source."""
    sizes: dict[str, int] = {}
    for skill, source in POOLS.items():
        if getattr(sheet, source) is not None:
            bought = getattr(sheet, f"{source}_bought")
            sizes[source] = effects.pool_most(sheet.intellect, level_of(sheet, skill), bought)
    return sizes


def _rested(game: Game, check: Check[Rest]) -> StageResult[Rest] | None:
    """Apply a rest (EGO-MAG-04, EGO-REC-01).

    Sleep fills pools at once. Days of care count as the story's time passes.
    """
    data, who = check.data, check.actor
    if data.answer != stages.FREE:
        return None
    sheet: EgoSheet = game.sheet(who)
    if data.method == REST:
        mark = Mark(CARE, data.care, data.days, until="used", by=check.id)
        state = with_marks(without_marks(game.state, who, CARE), who, mark)
        line = Text("ego-cared-for", {"care": data.care, "days": data.days})
        return StageResult(state, data.replace(consequences=(line,)))
    lines: list[Text] = []
    for source, size in _pool_sizes(sheet).items():
        before = getattr(sheet, source)
        after = effects.pool_after_sleep(before, size, data.hours, sheet.vitality)
        sheet = sheet.replace(**{source: after})
        about = {"source": source, "before": before, "points": after, "most": size}
        lines.append(Text("ego-slept", about))
    return StageResult(game.with_sheet(who, sheet).state, data.replace(consequences=tuple(lines)))


def _describe_rest(game: Game, check: Check[Rest]) -> tuple[Block, ...]:
    data = check.data
    blocks: list[Block] = []
    if data.answer:
        tone = "good" if data.answer == stages.FREE else "bad"
        blocks.append(no_roll_verdict(data.answer, tone, rest=True))
    about = {"way": data.method, "care": data.care, "days": data.days, "hours": data.hours}
    blocks.append(labeled_fact("rest", Text("ego-asks-rest", about)))
    blocks += approach_blocks(check)
    blocks += gm_quotes(check)
    blocks += [Note(line, FOR_EVERYONE) for line in data.consequences]
    return tuple(blocks)


# --- as time passes -------------------------------------------------------------------------------


def heal_over_time(game: Game, passing: Tick) -> TickResult:
    """Heal characters as the story's time passes.

    Non-lethal damage heals by the round, lethal damage by the day and its care.
    """
    if passing.kind != "time" or passing.minutes <= 0:
        return TickResult(game)
    lines: list[tuple[str, Text]] = []
    for who in passing.who:
        sheet: EgoSheet = game.sheet(who)
        # Days of care pass for an unhurt character too.
        has_care = sheet.lethal or marks_of(game.state, who, CARE)
        is_dead = sheet.down == damage.DEAD or damage.is_dead(body_of(sheet))
        if is_dead or not (has_care or sheet.non_lethal or sheet.down or sheet.stunned):
            continue
        rounds = passing.minutes * ROUNDS_A_MINUTE
        after = _after_rounds(game, who, sheet, rounds)
        if not _is_in_initiative(game, who):
            awake = damage.wake(body_of(after))
            after = with_body(after, awake.replace(stunned=max(0, after.stunned - rounds)))
        if sheet.stunned and not after.stunned:
            lines.append((who, tick_line(game, who, "stun-over")))
        game, after = _after_days(game, who, after, passing.minutes)
        game = game.with_sheet(who, after)
        if after.replace(stunned=sheet.stunned) == sheet:
            continue
        lines.append((who, _healed_line(game, who, sheet, after)))
    return TickResult(game, tuple(lines))


def _is_in_initiative(game: Game, who: str) -> bool:
    """Return whether a character has a slot anywhere."""
    for encounter in game.state.encounters.values():
        if any(slot.character == who for slot in encounter.order):
            return True
    return False


def _healed_line(game: Game, who: str, before: EgoSheet, after: EgoSheet) -> Text:
    """Report what has healed, and the Vitality that is left."""
    body = body_of(after)
    about = {
        "name": game.character(who).name,
        "woke": bool(before.down) and not after.down,
        "now": damage.vitality_left(body),
        "of": body.vitality,
        "lethal": before.lethal - after.lethal,
        "non_lethal": before.non_lethal - after.non_lethal,
    }
    return Text("ego-healed", about)


def _after_rounds(game: Game, who: str, sheet: EgoSheet, rounds: int) -> EgoSheet:
    """Return the sheet after *rounds* of healing (EGO-REC-02).

    Regeneration is rolled in each round, until no damage is left.
    """
    vitality_dice, rating = ability_dice(sheet, "vitality"), rating_of(sheet, REGENERATION)
    if not rating:
        healed = rounds * vitality_dice
        left = damage.non_lethal_after_round(sheet.non_lethal, healed)
        return sheet.replace(non_lethal=left)
    for _ in range(rounds):
        if not sheet.lethal + sheet.non_lethal:
            break
        regenerated = dice.throw(stream_of(game, who), rating).successes
        left = damage.non_lethal_after_round(sheet.non_lethal, vitality_dice)
        after = effects.regenerate(sheet.lethal, left, regenerated)
        sheet = sheet.replace(lethal=after.lethal, non_lethal=after.non_lethal)
    return sheet


def _after_days(game: Game, who: str, sheet: EgoSheet, minutes: int) -> tuple[Game, EgoSheet]:
    """Heal lethal damage for each full day, by the care of that day. A part of a day is kept."""
    state = game.state
    days, minutes_left = divmod(mark_total(state, who, PART) + minutes, MINUTES_A_DAY)
    care_marks = marks_of(state, who, CARE)
    care, days_of_care = "none", 0
    if care_marks:
        care, days_of_care = care_marks[0].what, care_marks[0].value
    for day in range(days):
        care_of_day = care if day < days_of_care else "none"
        sheet = sheet.replace(lethal=damage.lethal_after_day(sheet.lethal, care_of_day))
        if not sheet.lethal:
            break
    state = without_marks(without_marks(state, who, PART), who, CARE)
    if days_of_care > days and sheet.lethal:
        state = with_marks(state, who, care_marks[0].replace(value=days_of_care - days))
    if minutes_left and sheet.lethal:
        state = with_marks(state, who, Mark(PART, value=minutes_left, until="used"))
    return game.with_state(state), sheet


_REST_PROPOSAL: Final = RestProposal(REST_FORM, Form(), (stages.FREE, stages.IMPOSSIBLE))


def propose_rest(game: Game, check: Check[Rest], values: Values) -> Check[Rest]:
    """Propose a rest.

    Raises Impossible("nothing-to-heal") for an unhurt character, unless a GM proposes it.
    """
    check, sheet = _REST_PROPOSAL.propose(game, check, values), game.sheet(check.actor)
    is_hurt = sheet.lethal or sheet.non_lethal or sheet.down or sheet.stunned
    if check.data.method == REST and not is_hurt and not is_gm(game.state, game.actor):
        name, has_pool = game.display_name(check.actor), bool(_pool_sizes(sheet))
        raise Impossible("nothing-to-heal", name=name, pool=has_pool)
    return stages.with_npc_privacy(game, check)


_TREATED: Final = (_begun, GroupRoll[Trials](), _waking)
PROCEDURES: Final = (
    trial_procedure(
        "treat",
        _TREATED,
        role="heal",
        aims=True,
        form=TREAT_FORM,
        begin=propose_treatment,
        describe=_describe_treatment,
        takes_turn=lambda game, check: _treatment_cost(game, check) is not None,
    ),
    Procedure(
        "rest",
        (_REST_PROPOSAL, _rested),
        data=Rest,
        role="heal",
        aims=True,
        form=REST_FORM,
        begin=propose_rest,
        describe=_describe_rest,
        forget=stages.without_typed_texts,
        anybody=True,
    ),
)
