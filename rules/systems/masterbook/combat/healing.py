"""`/heal`: first aid, medicine, healing rolls, and harm that changes as time passes.

MB-HEAL-01 to MB-HEAL-07, MB-DMO-04, MB-DMG-05 to MB-DMG-10, MB-SKILL-SWIMMING.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.checks.action_economy import has_acted, pace_of, require_awake
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.forced_rolls import (
    CheckOutcome,
    outcome_stage,
    procedure,
    with_forced_roll,
)
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result
from rules.systems.masterbook.checks.roll_sources import RollSource, best_source
from rules.systems.masterbook.checks.sheet_damage import capacity, damage_character, with_harm
from rules.systems.masterbook.checks.state import MINE, AnyAttempt, Attempt, Plan, Rating
from rules.systems.masterbook.checks.view import facts_lines
from rules.systems.masterbook.combat.due_healing import healing_call, is_due, seconds_until_healing
from rules.systems.masterbook.formulas import damage, dice, movement, success_chart
from rules.systems.masterbook.formulas.damage import (
    DEAD,
    MORTAL,
    PLAIN_HEALING,
    TOO_LATE,
    Facts,
    Harm,
    healing_level,
    wake_up,
    wound_level,
)
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.option_kinds import Healing
from rules.systems.masterbook.formulas.reference_rows import nonzero_causes
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.table.blocks import Text, Value
from rules.table.check import Check, Values
from rules.table.checks.stages import APPROACH_FIELD, MODIFIER_FIELD, ROLL, with_npc_privacy
from rules.table.events import Event
from rules.table.forms.fields import Option, Pick, plain_options
from rules.table.forms.form import Form
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark
from rules.table.system import Game, Tick, TickResult, is_npc

#: Purpose of first aid: wounds (also right after death), shock with K and O, bleeding, or to
#: stabilize a mortally wounded character.
Aid = Literal["wounds", "shock", "bleeding", "steady"]
#: Difficulty of first aid against shock, and against one bleeder.
SHOCK: Final = 8
#: What each further bleeder adds to it.
EACH_BLEEDER: Final = 2
#: Difficulty of stabilizing.
STEADY: Final = 22
#: Seconds between two tries to stabilize.
STABILIZE_RETRY_SECONDS: Final = 60


def _faults(harm: Harm, what: Aid, helper: str) -> Iterable[tuple[object, Impossible]]:
    """Yield each error of first aid, with whether it applies."""
    if what == "wounds":
        yield harm.dead and harm.wounds > DEAD, Impossible("mb-beyond-aid")
        yield (harm.dead_for or 0) >= TOO_LATE, Impossible("mb-too-late")
        yield not harm.wounds, Impossible("mb-no-wounds")
        yield harm.aided, Impossible("mb-already-aided")
        yield helper in harm.tries, Impossible("mb-already-tried")
    elif what == "steady":
        yield not harm.dying, Impossible("mb-not-mortal")
        yield harm.unsteady, Impossible("mb-too-soon", minutes=-(-harm.unsteady // 60))
    else:
        shocked = harm.shock or harm.k or harm.o or harm.out_for or harm.fainted
        yield harm.dead, Impossible("mb-dead")
        yield what == "shock" and not shocked, Impossible("mb-no-shock")
        yield what == "bleeding" and not harm.bleeders, Impossible("mb-not-bleeding")


def first_aid_difficulty(harm: Harm, what: Aid, helper: str = "") -> int:
    """Return the difficulty of first aid by a helper (MB-HEAL-02 to MB-HEAL-05, MB-HEAL-07).

    Raises Impossible("mb-no-wounds", "mb-already-aided", "mb-already-tried", "mb-beyond-aid",
    "mb-too-late", "mb-dead", "mb-no-shock", "mb-not-bleeding", "mb-not-mortal", "mb-too-soon").
    """
    for applies, error in _faults(harm, what, helper):
        if applies:
            raise error
    if what == "wounds":
        return wound_level(DEAD if harm.dead else harm.wounds).aid or 0
    if what == "bleeding":
        # MB-DMO-04.
        return SHOCK + EACH_BLEEDER * (harm.bleeders - 1)
    return STEADY if what == "steady" else SHOCK


def apply_first_aid(harm: Harm, what: Aid, total: int, helper: str = "") -> tuple[Harm, Facts]:
    """Return the harm after first aid with this total, and what that did.

    The facts are `failed` (by how much), `aided` (wounds as they count now), `revived`, `cleared`
    (shock), `stanched` (bleeders), `steady` and `awake`. Raises as `first_aid_difficulty`.
    """
    number = first_aid_difficulty(harm, what, helper)
    if what == "wounds" and helper:
        harm = harm.replace(tries=(*harm.tries, helper))
    if what == "steady":
        harm = harm.replace(unsteady=STABILIZE_RETRY_SECONDS)
    if total < number:
        return harm, (("failed", number - total),)
    if what == "steady":
        return harm.replace(stable=True), (("steady", 0),)
    if what == "bleeding":
        now, facts = harm.replace(bleeders=0), (("stanched", harm.bleeders),)
    else:
        now = harm.replace(shock=0, k=0, o=False, out_for=0, fainted=False, shock_seconds=0)
        facts = (("cleared", harm.shock),)
    if what == "wounds" and harm.dead:
        return now.replace(wounds=MORTAL, dead_for=None, stable=False, waited=0), (
            ("revived", MORTAL),
            *facts,
        )
    if what == "wounds":
        now = now.replace(aided=True)
        facts = (("aided", now.level), *facts)
    now, woken = wake_up(now, harm.out)
    return now, (*facts, *woken)


# --- healing --------------------------------------------------------------------------------------


def healing_difficulty(harm: Harm, healing: Healing = PLAIN_HEALING) -> int:
    """Return the difficulty of a healing roll.

    Raises Impossible("mb-dead", "mb-no-wounds", "mb-not-yet").
    """
    return _healing_row(harm, healing).healing or 0


def _healing_row(harm: Harm, healing: Healing) -> damage.WoundLevel:
    """Return the row by which wounds heal now (MB-HEAL-01, MB-BG-30).

    Raises as `healing_difficulty`.
    """
    if harm.dead:
        raise Impossible("mb-dead")
    if wound_level(harm.wounds).healing is None:
        raise Impossible("mb-no-wounds")
    left = seconds_until_healing(harm, healing)
    if left or damage.heals_by_itself(harm, healing):
        raise Impossible("mb-not-yet", minutes=max(1, -(-left // 60)))
    return healing_level(harm.wounds, healing)


def medicine_difficulty(harm: Harm, healing: Healing = PLAIN_HEALING) -> int:
    """Return the difficulty of helping a healing roll with medicine (MB-HEAL-06).

    Raises as `healing_difficulty`.
    """
    return _healing_row(harm, healing).medicine or 0


def medicine_bonus(points: int) -> int:
    """Return what a medic's result points add to the healing total (MB-HEAL-06)."""
    return success_chart.push(points).push


def apply_healing_roll(
    harm: Harm, total: int, healing: Healing = PLAIN_HEALING
) -> tuple[Harm, Facts]:
    """Return the harm after a healing roll, and what that did (MB-HEAL-01, MB-HEAL-02).

    A success ends the effect of first aid. The facts are `healed` or `unhealed` (wounds now), and
    `awake`. Raises as `healing_difficulty`.
    """
    if total < healing_difficulty(harm, healing):
        return harm.replace(waited=0), (("unhealed", harm.wounds),)
    now = harm.replace(wounds=harm.wounds - 1, aided=False, stable=False, waited=0)
    if not now.wounds:
        now = now.replace(tries=())
    now, woken = wake_up(now, harm.out)
    return now, (("healed", now.wounds), *woken)


# --- treatment ------------------------------------------------------------------------------------

#: Skills of a treatment.
FIRST_AID, MEDICINE = "First Aid", "Medicine"
#: Method of a healing roll.
HEALING: Final = "healing"
#: Mark of a medic's help at the next healing roll; its value is the bonus, 0 after a failure.
MEDICINE_HELP: Final = "medicine"
_AIDS: Final[tuple[Aid, ...]] = ("wounds", "shock", "bleeding", "steady")


def _methods(*keys: str) -> Pick:
    return Pick(
        "method",
        choices=tuple(Option(key, Text("mb-heal-method", {"how": key})) for key in keys),
    )


_SKILL: Final = Pick("skill", choices=plain_options((FIRST_AID, MEDICINE)))
TREAT_FORM: Final = Form((_methods(*_AIDS, MEDICINE_HELP), _SKILL, APPROACH_FIELD, MODIFIER_FIELD))
REST_FORM: Final = Form((_methods(HEALING), APPROACH_FIELD))


def _method(data: Attempt) -> Any:
    """Return the method of a treatment: a kind of first aid, or a medic's help."""
    return data.asked.get("method", _AIDS[0])


def _number(game: Game, check: AnyAttempt, method: Any) -> int:
    """Return the difficulty of a treatment.

    Raises Impossible("mb-helped-already") for a second medic, and as `first_aid_difficulty` and
    `medicine_difficulty`.
    """
    patient = check.target or ""
    sheet: MasterbookSheet = game.sheet(patient)
    if method != MEDICINE_HELP:
        return first_aid_difficulty(sheet.harm, method, check.actor)
    if marks_of(game.state, patient, MEDICINE_HELP):
        raise Impossible("mb-helped-already", who=game.display_name(patient))
    return medicine_difficulty(sheet.harm, option_effects(sheet).healing)


def _treatment_source(sheet: MasterbookSheet, skill: str | None) -> RollSource:
    """Return what a helper rolls: the skill that is said, else the better one.

    MB-SKILL-05, MB-HEAL-02. Between equals, First Aid comes first.
    """
    if skill is not None:
        return best_source(sheet, skill)
    first_aid, best = best_source(sheet, FIRST_AID), best_source(sheet, FIRST_AID, MEDICINE)
    return max(first_aid, best, key=lambda source: source.value(sheet))


#: Errors about an NPC that players don't get: a refusal would tell them of its harm for free.
_UNSEEN: Final = frozenset(
    (
        "mb-no-wounds",
        "mb-already-aided",
        "mb-no-shock",
        "mb-not-bleeding",
        "mb-not-mortal",
        "mb-not-yet",
    )
)


def _begin_treatment(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Begin a treatment.

    Raises InvalidInput("which-target") without a patient, and as `require_awake`, `_number` and
    `with_forced_roll`.
    """
    if check.target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted="patient")
    require_awake(game, check.actor)
    method = values.get("method", _AIDS[0])
    skill = MEDICINE if method == MEDICINE_HELP else values.get("skill")
    source = _treatment_source(game.sheet(check.actor), skill)
    plan = Plan(skill=source.name, modifier=values.get("modifier", 0))
    number = _begun_number(game, check, method)
    check = check.replace(data=check.data.replace(asked={"method": method}))
    return with_npc_privacy(game, with_forced_roll(game, check, plan, number, values))


def _begun_number(game: Game, check: AnyAttempt, method: Any) -> int:
    """Return the difficulty of a treatment as it begins. Raises as `_number`.

    A player may try a treatment that an NPC doesn't need; nothing comes of it.
    """
    try:
        return _number(game, check, method)
    except Impossible as error:
        may_know = not is_npc(game, check.target) or is_gm(game.state, game.actor)
        if may_know or error.code not in _UNSEEN:
            raise
    return STEADY if method == "steady" else SHOCK


def _treatment_outcome(game: Game, check: Check[Any]) -> CheckOutcome:
    """Apply a treatment to the patient, unless it comes too late."""
    patient, result, method = check.target or "", check.data.result, _method(check.data)
    if result is None or patient not in game.state.characters:
        return game, ()
    harm: Harm = game.sheet(patient).harm
    try:
        _number(game, check, method)
    except Impossible:
        return game, (("late", 0),)
    if method == MEDICINE_HELP:
        bonus = medicine_bonus(result.points)
        mark = Mark(MEDICINE_HELP, value=bonus, until="used", by=check.id)
        return game.with_state(with_marks(game.state, patient, mark)), (("helped", bonus),)
    now, facts = apply_first_aid(harm, method, result.total, check.actor)
    return with_harm(game, patient, now), facts


# --- healing rolls --------------------------------------------------------------------------------


def _begin_healing_roll(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Begin the actor's own healing roll (MB-HEAL-01). Raises as `healing_difficulty`.

    It is bare Endurance without the penalty of wounds, with a medic's help.
    """
    who = check.actor
    sheet: MasterbookSheet = game.sheet(who)
    ability = option_effects(sheet).healing
    number = healing_difficulty(sheet.harm, ability)
    help_bonus = mark_total(game.state, who, MEDICINE_HELP)
    causes = nonzero_causes(("help", help_bonus), ("fast_healing", ability.bonus))
    data = check.data.replace(
        request=Plan(attribute="endurance"),
        ruling=Plan(difficulty=str(number)),
        answer=ROLL,
        mine=Rating(attribute(sheet, "endurance"), True, causes),
        number=number,
    )
    approach = values.get(APPROACH_FIELD.key, "")
    check = check.replace(data=data, approach=approach, hidden=is_npc(game, who))
    return with_npc_privacy(game, check)


class HealingRoll(AttemptAction):
    """Dice of a healing roll. Effects that wait for the next action stay (MB-INT-11)."""

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        return data

    def throws_due(self, game: Game, check: AnyAttempt) -> tuple[Throw, ...]:
        mine = check.data.mine
        assert mine is not None, "looked up as it began"
        roll = dice.throw(game.rng_for(check, check.actor), mine.trained)
        return (Throw(check.actor, MINE, mine.value, mine.modifiers, roll),)

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        return game


def _healing_outcome(game: Game, check: Check[Any]) -> CheckOutcome:
    """Heal a level, or not. Then the same time has to pass again."""
    who, result = check.actor, check.data.result
    harm: Harm = game.sheet(who).harm
    ability = option_effects(game.sheet(who)).healing
    if result is None or harm.dead or not harm.wounds or seconds_until_healing(harm, ability):
        return game, ()
    now, facts = apply_healing_roll(harm, result.total, ability)
    game = game.with_state(without_marks(game.state, who, MEDICINE_HELP))
    return with_harm(game, who, now), facts


#: Stages of a treatment's dice. Only a medic's help depends on the result points.
_TREATING: Final = AttemptAction(
    reads=lambda check: _method(check.data) == MEDICINE_HELP, hostile=False
).stages()
_RESTING: Final = HealingRoll(reads=never_reads_result).stages(reading=False)
PROCEDURES: Final = (
    procedure(
        "treat",
        (*_TREATING, outcome_stage(_treatment_outcome, to_target=True), BadLuckStage()),
        role="heal",
        aims=True,
        form=TREAT_FORM,
        begin=_begin_treatment,
    ),
    procedure(
        "rest",
        (*_RESTING, outcome_stage(_healing_outcome), BadLuckStage()),
        role="heal",
        aims=True,
        form=REST_FORM,
        begin=_begin_healing_roll,
        anybody=True,
    ),
)


# --- as time goes by ------------------------------------------------------------------------------

_MINUTE: Final = 60
_ROUNDS_A_MINUTE: Final = 6
#: Mark of a round in which a character under water has rolled to come up.
GASPED: Final = "gasped"
#: Mark of the hidden part of the number to come up, which the sheet doesn't tell.
SUNK: Final = "sunk"


def apply_harm_tick(game: Game, passing: Tick) -> TickResult:
    """Apply bleeding, dying, shock and waking, as a round changes or time passes.

    Each character that changes gets one line.
    """
    lines: list[tuple[str, Text]] = []
    calls: list[Event] = []
    for who in passing.who:
        before = game.sheet(who).harm
        ability = option_effects(game.sheet(who)).healing
        game, facts_underwater = _spend_rounds_underwater(game, who, passing)
        ended = pace_of(game, passing.place, passing.at - 1)
        longer = 0 if ended is None else ended.seconds - ROUND_SECONDS
        if passing.kind == "round-end" and not has_acted(game, who):
            now, facts = damage.rest_a_round(game.sheet(who).harm, ability)
        else:
            most = capacity(game, who)
            now, facts = _harm_after(game.sheet(who).harm, passing, most, longer, ability)
        game = with_harm(game, who, now)
        facts = (*facts_underwater, *facts)
        if facts:
            lines.append((who, _tick_line(game.character(who).name, before, now, facts)))
        character = game.character(who)
        if character.owner is not None and is_due(now, ability) and not is_due(before, ability):
            calls.append(healing_call(game, character))
    return TickResult(game, tuple(lines), tuple(calls))


def _tick_line(name: str, before: Harm, now: Harm, facts: Facts) -> Text:
    """Return the line about a character's harm that has changed."""
    end = damage.condition(now)
    about: dict[str, Value] = {"name": name, "facts": facts_lines(facts)}
    is_worse = end != damage.condition(before) or "dying" in dict(facts)
    if is_worse and end in damage.OUT_CONDITIONS:
        about["fate"] = Text("mb-group-end", {"who": (name,), "end": end})
    return Text("mb-passes", about)


def _harm_after(
    now: Harm, passing: Tick, most: int, longer: int, healing: Healing
) -> tuple[Harm, Facts]:
    """Return a character's harm after that time.

    A round of talk takes so many seconds *longer* than one of combat (MB-TIME-01).
    """
    match passing.kind:
        case "round-start" if passing.at > 1:
            now, facts = damage.begin_round(now, most, healing=healing)
            if longer <= 0:
                return now, facts
            now, more = damage.pass_time(now, longer, most, healing=healing)
            return now, (*facts, *more)
        case "time" if passing.minutes > 0:
            return damage.pass_time(now, passing.minutes * _MINUTE, most, healing=healing)
        case "encounter-end":
            # O and being down last for rounds only.
            return now.replace(o=False, down=0), ()
        case _:
            return now, ()


def _spend_rounds_underwater(game: Game, who: str, passing: Tick) -> tuple[Game, Facts]:
    """Spend the rounds of that time in which a character under water has not come up.

    A roll to come up was a round of its own.
    """
    rounds = passing.minutes * _ROUNDS_A_MINUTE if passing.kind == "time" else 0
    if passing.kind == "round-end" and not marks_of(game.state, who, GASPED):
        rounds = 1
    totals: dict[str, int] = {}
    while rounds and game.sheet(who).drowning is not None and not game.sheet(who).harm.dead:
        game, facts = gasp_for_air(game, who, None)
        rounds -= 1
        for what, number in facts:
            totals[what] = totals.get(what, 0) + number
    return game, tuple(totals.items())


def gasp_for_air(game: Game, who: str, total: int | None) -> tuple[Game, Facts]:
    """Spend another round under water, with the *total* of a roll to come up, if there is one.

    Nothing happens to a character above water.
    """
    sheet: MasterbookSheet = game.sheet(who)
    state = drowning_state(game, who)
    if state is None or sheet.harm.dead:
        return game, ()
    if option_effects(sheet).cannot_drown:
        game = game.with_sheet(who, sheet.replace(drowning=None))
        return game.with_state(without_marks(game.state, who, SUNK)), (("surfaced", 0),)
    gasp = movement.resolve_drowning_round(
        state, total, sheet.harm.shock, capacity(game, who), attribute(sheet, "endurance")
    )
    if gasp.state is None:
        game = game.with_sheet(who, sheet.replace(drowning=None))
        return game.with_state(without_marks(game.state, who, SUNK)), (("surfaced", 0),)
    hidden = mark_total(game.state, who, SUNK)
    drowning = gasp.state.replace(dn=gasp.state.dn - hidden)
    game = game.with_sheet(who, sheet.replace(drowning=drowning))
    if gasp.died:
        return with_harm(game, who, sheet.harm.replace(dead_for=0)), (("drowned", 0),)
    return damage_character(game, who, Damage(shock=gasp.shock))


def drowning_state(game: Game, who: str) -> movement.Drowning | None:
    """Return how a character is drowning, with the hidden part of its number; None above water."""
    state = game.sheet(who).drowning
    if state is None:
        return None
    return state.replace(dn=state.dn + mark_total(game.state, who, SUNK))
