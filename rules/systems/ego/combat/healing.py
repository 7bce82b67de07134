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
from rules.table.forms import Form, Number, Option, Pick
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark
from rules.table.system import Game, Tick, TickResult

MINUTES_A_DAY: Final = 24 * 60
ROUNDS_A_MINUTE: Final = 6
MOST_DAYS: Final = 365
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
    """Whoever was treated wakes, or not."""
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
    """Days of rest with care, or hours of sleep; what came of it."""

    method: str = REST
    care: str = "rest"
    days: int = 1
    hours: int = 8
    came: tuple[Text, ...] = ()


_WAYS: Final = (
    Option(REST, Text("ego-rest", {"way": REST})),
    Option(SLEEP, Text("ego-rest", {"way": SLEEP})),
)
_CARES: Final = tuple(
    Option(each, Text("ego-rest", {"care": each})) for each in ("rest", "medical")
)


def _span(key: str, most: int, *offered: int) -> Number:
    return Number(
        key, low=1, high=most, offered=offered, label=lambda span: Text("ego-rest", {key: span})
    )


_SPANS: Final = (_span("days", MOST_DAYS, 1, 2, 3, 7, 14), _span("hours", 24, 4, 6, 8, 10))
_HOW: Final = (Pick("method", choices=_WAYS), Pick("care", choices=_CARES, title=label("care")))
#: Ways to rest: `method` is the option of the command.
REST_FORM: Final = Form((*_HOW, *_SPANS, stages.APPROACH_FIELD))


class RestProposal(stages.ProposalStage[Rest]):
    """A GM says whether there is time for it, and need not ask anybody."""

    free = "rested"
    word = Form((stages.NOTE_FIELD,))
    labels = stages.REST_LABELS

    def read_request(self, game: Game, check: Check[Rest], values: Values) -> Check[Rest]:
        said: Any = check.data.asked
        check = check.replace(target=check.actor, data=check.data.replace(**said))
        sheet: EgoSheet = game.sheet(check.actor)
        if check.data.method == SLEEP and not _pools(sheet):
            raise Impossible("ego-no-pool", name=game.display_name(check.actor))
        return check


def _pools(sheet: EgoSheet) -> dict[str, int]:
    """The pools that somebody has, with the most they hold."""
    return {
        source: effects.pool_most(
            sheet.intellect, level_of(sheet, skill), getattr(sheet, f"{source}_bought")
        )
        for skill, source in POOLS.items()
        if getattr(sheet, source) is not None
    }


def _rested(game: Game, check: Check[Rest]) -> StageResult[Rest] | None:
    """Sleep fills pools at once; days of care count as the story's time passes (EGO-MAG-04,
    EGO-REC-01).
    """
    data, who = check.data, check.actor
    if data.answer != stages.FREE:
        return None
    sheet: EgoSheet = game.sheet(who)
    if data.method == REST:
        mark = Mark(CARE, data.care, data.days, until="used", by=check.id)
        state = with_marks(without_marks(game.state, who, CARE), who, mark)
        came = (Text("ego-cared-for", {"care": data.care, "days": data.days}),)
        return StageResult(state, data.replace(came=came))
    lines: list[Text] = []
    for source, most in _pools(sheet).items():
        before = getattr(sheet, source)
        after = effects.pool_after_sleep(before, most, data.hours, sheet.vitality)
        sheet = sheet.replace(**{source: after})
        shown = {"source": source, "before": before, "points": after, "most": most}
        lines.append(Text("ego-slept", shown))
    return StageResult(game.with_sheet(who, sheet).state, data.replace(came=tuple(lines)))


def _describe_rest(game: Game, check: Check[Rest]) -> tuple[Block, ...]:
    data = check.data
    found: list[Block] = []
    if data.answer:
        found.append(
            no_roll_verdict(data.answer, "good" if data.answer == stages.FREE else "bad", rest=True)
        )
    asked = {"way": data.method, "care": data.care, "days": data.days, "hours": data.hours}
    found.append(labeled_fact("rest", Text("ego-asks-rest", asked)))
    return (
        *found,
        *approach_blocks(check),
        *gm_quotes(check),
        *(Note(line, FOR_EVERYONE) for line in data.came),
    )


# --- as time passes -------------------------------------------------------------------------------


def heal_over_time(game: Game, passing: Tick) -> TickResult:
    """What the story's time heals: non-lethal damage round by round, lethal damage by the day and
    its care.
    """
    told: list[tuple[str, Text]] = []
    for who in passing.who if passing.kind == "time" and passing.minutes > 0 else ():
        sheet: EgoSheet = game.sheet(who)
        cared = sheet.lethal or marks_of(game.state, who, CARE)  # days of care pass unhurt as well
        dead = sheet.down == damage.DEAD or damage.is_dead(body_of(sheet))
        if dead or not (cared or sheet.non_lethal or sheet.down or sheet.stunned):
            continue
        rounds = passing.minutes * ROUNDS_A_MINUTE
        after = _rounds(game, who, sheet, rounds)
        if not any(
            slot.character == who for each in game.state.encounters.values() for slot in each.order
        ):
            after = with_body(
                after, damage.wake(body_of(after)).replace(stunned=max(0, after.stunned - rounds))
            )
        if sheet.stunned and not after.stunned:
            told.append((who, tick_line(game, who, "stun-over")))
        game, after = _days(game, who, after, passing.minutes)
        game = game.with_sheet(who, after)
        if after.replace(stunned=sheet.stunned) == sheet:
            continue
        shown = {
            "lethal": sheet.lethal - after.lethal,
            "non_lethal": sheet.non_lethal - after.non_lethal,
        }
        about = {"name": game.character(who).name, "woke": bool(sheet.down) and not after.down}
        body = body_of(after)
        about |= {"now": damage.vitality_left(body), "of": body.vitality}
        told.append((who, Text("ego-healed", about | shown)))
    return TickResult(game, tuple(told))


def _rounds(game: Game, who: str, sheet: EgoSheet, rounds: int) -> EgoSheet:
    """Damage after so many rounds (EGO-REC-02); with Regeneration each of them is rolled, until
    nothing is left.
    """
    back, rating = ability_dice(sheet, "vitality"), rating_of(sheet, REGENERATION)
    if not rating:
        return sheet.replace(
            non_lethal=damage.non_lethal_after_round(sheet.non_lethal, rounds * back)
        )
    for _ in range(rounds):
        if not sheet.lethal + sheet.non_lethal:
            break
        healed = dice.throw(stream_of(game, who), rating).successes
        after = effects.regenerate(
            sheet.lethal, damage.non_lethal_after_round(sheet.non_lethal, back), healed
        )
        sheet = sheet.replace(lethal=after.lethal, non_lethal=after.non_lethal)
    return sheet


def _days(game: Game, who: str, sheet: EgoSheet, minutes: int) -> tuple[Game, EgoSheet]:
    """Lethal damage after the days that are full now, each by the care of that day; the rest of a
    day is kept.
    """
    state = game.state
    days, left = divmod(mark_total(state, who, PART) + minutes, MINUTES_A_DAY)
    cares = marks_of(state, who, CARE)
    care, cared = (cares[0].what, cares[0].value) if cares else ("none", 0)
    for day in range(days):
        sheet = sheet.replace(
            lethal=damage.lethal_after_day(sheet.lethal, care if day < cared else "none")
        )
        if not sheet.lethal:
            break
    state = without_marks(without_marks(state, who, PART), who, CARE)
    if cared > days and sheet.lethal:
        state = with_marks(state, who, cares[0].replace(value=cared - days))
    if left and sheet.lethal:
        state = with_marks(state, who, Mark(PART, value=left, until="used"))
    return game.with_state(state), sheet


_REST_PROPOSAL: Final = RestProposal(REST_FORM, Form(), (stages.FREE, stages.IMPOSSIBLE))


def propose_rest(game: Game, check: Check[Rest], values: Values) -> Check[Rest]:
    """A rest as it is proposed. Impossible("nothing-to-heal") where no GM needs to be asked."""
    found, sheet = _REST_PROPOSAL.propose(game, check, values), game.sheet(check.actor)
    hurt = sheet.lethal or sheet.non_lethal or sheet.down or sheet.stunned
    if found.data.method == REST and not hurt and not is_gm(game.state, game.actor):
        raise Impossible(
            "nothing-to-heal", name=game.display_name(check.actor), pool=bool(_pools(sheet))
        )
    return stages.with_npc_privacy(game, found)


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
