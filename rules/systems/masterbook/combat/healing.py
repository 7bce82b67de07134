"""`/heal`: first aid and medicine for wounds, shock, bleeding and the dying, healing rolls, and
what time does.

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
from rules.systems.masterbook.combat.due_healing import (
    healing_call,
    is_due,
    seconds_until_healing,
)
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
from rules.table.forms import Form, Option, Pick, plain_options
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark
from rules.table.system import Game, Tick, TickResult, is_npc

#: What first aid is given for: wounds (a death that is just over too), shock with K and O,
#: bleeding, or to stop the clock of somebody mortally wounded.
Aid = Literal["wounds", "shock", "bleeding", "steady"]
#: Difficulties against shock, against bleeding for each bleeder past the first, and to stabilize.
SHOCK, EACH_BLEEDER, STEADY = 8, 2, 22
#: Seconds between two tries to stabilize.
STABILIZE_RETRY_SECONDS: Final = 60


def _faults(harm: Harm, what: Aid, helper: str) -> Iterable[tuple[object, Impossible]]:
    """Why it can be of no use, each with whether it is so."""
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
    """The difficulty of first aid for this, by this helper (MB-HEAL-02 to MB-HEAL-05, MB-HEAL-07,
    MB-DMO-04).

    Impossible("mb-no-wounds", "mb-already-aided", "mb-already-tried", "mb-beyond-aid",
    "mb-too-late", "mb-dead", "mb-no-shock", "mb-not-bleeding", "mb-not-mortal", "mb-too-soon").
    """
    for so, fault in _faults(harm, what, helper):
        if so:
            raise fault
    wounds = wound_level(DEAD if harm.dead else harm.wounds).aid or 0
    bleeding = SHOCK + EACH_BLEEDER * (harm.bleeders - 1)
    return {"wounds": wounds, "shock": SHOCK, "bleeding": bleeding, "steady": STEADY}[what]


def apply_first_aid(harm: Harm, what: Aid, total: int, helper: str = "") -> tuple[Harm, Facts]:
    """After first aid with this total, of a helper known by an id. Errors of
    `first_aid_difficulty`.

    Facts: `failed` (by how much), `aided` (wounds as they count now), `revived`, `cleared` (shock),
    `stanched` (bleeders), `steady`, `awake`.
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
        now = harm.replace(shock=0, k=0, o=False, out_for=0, fainted=False, step=0)
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
    """The difficulty of a healing roll. Impossible("mb-dead", "mb-no-wounds", "mb-not-yet")."""
    return _healing_row(harm, healing).healing or 0


def _healing_row(harm: Harm, healing: Healing) -> damage.Level:
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
    """The difficulty of helping at it with medicine (MB-HEAL-06). Errors of
    `healing_difficulty`.
    """
    return _healing_row(harm, healing).medicine or 0


def medicine_bonus(points: int) -> int:
    """What a medic's result points add to the healing total (MB-HEAL-06)."""
    return success_chart.push(points).push


def apply_healing_roll(
    harm: Harm, total: int, healing: Healing = PLAIN_HEALING
) -> tuple[Harm, Facts]:
    """After a healing roll; it ends first aid where it succeeds (MB-HEAL-01, MB-HEAL-02). Errors of
    `healing_difficulty`.

    Facts: `healed` or `unhealed` (wounds now), `awake`.
    """
    if total < healing_difficulty(harm, healing):
        return harm.replace(waited=0), (("unhealed", harm.wounds),)
    now = harm.replace(wounds=harm.wounds - 1, aided=False, stable=False, waited=0)
    if not now.wounds:
        now = now.replace(tries=())
    now, woken = wake_up(now, harm.out)
    return now, (("healed", now.wounds), *woken)


# --- what is done ---------------------------------------------------------------------------------

FIRST_AID, MEDICINE, HEALING = "First Aid", "Medicine", "healing"
#: Help of a medic at the next healing roll, as a mark; its value is what that adds, 0 for a try
#: that failed.
MEDICINE_HELP: Final = "medicine"
_AIDS: Final[tuple[Aid, ...]] = ("wounds", "shock", "bleeding", "steady")


def _methods(*keys: str) -> Pick:
    return Pick(
        "method",
        choices=tuple([Option(each, Text("mb-heal-method", {"how": each})) for each in keys]),
    )


_SKILL: Final = Pick("skill", choices=plain_options((FIRST_AID, MEDICINE)))
TREAT_FORM: Final = Form((_methods(*_AIDS, MEDICINE_HELP), _SKILL, APPROACH_FIELD, MODIFIER_FIELD))
REST_FORM: Final = Form((_methods(HEALING), APPROACH_FIELD))


def _way(data: Attempt) -> Any:
    """What is done for the patient: a kind of first aid, or a medic's help."""
    return data.asked.get("method", _AIDS[0])


def _number(game: Game, check: AnyAttempt, way: Any) -> int:
    """What has to be reached. Impossible("mb-helped-already"), and as
    `first_aid_difficulty`, `medicine_difficulty`.
    """
    patient = check.target or ""
    sheet: MasterbookSheet = game.sheet(patient)
    if way != MEDICINE_HELP:
        return first_aid_difficulty(sheet.harm, way, check.actor)
    if marks_of(game.state, patient, MEDICINE_HELP):
        raise Impossible("mb-helped-already", who=game.display_name(patient))
    return medicine_difficulty(sheet.harm, option_effects(sheet).healing)


def _care(sheet: MasterbookSheet, skill: str | None) -> RollSource:
    """What somebody treats with: what is said, else the better of what they have (MB-SKILL-05,
    MB-HEAL-02).
    """
    ways = ((FIRST_AID,), (FIRST_AID, MEDICINE)) if skill is None else ((skill,),)
    return max([best_source(sheet, *each) for each in ways], key=lambda each: each.value(sheet))


#: What players don't see of an NPC: a refusal would tell it, for nothing and unnoticed.
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
    """InvalidInput("which-target"), Impossible as `require_awake`, `_number` and
    `with_forced_roll`.
    """
    if check.target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted="patient")
    require_awake(game, check.actor)
    way = values.get("method", _AIDS[0])
    means = _care(
        game.sheet(check.actor), MEDICINE if way == MEDICINE_HELP else values.get("skill")
    )
    plan = Plan(skill=means.name, modifier=values.get("modifier", 0))
    found = check.replace(data=check.data.replace(asked={"method": way}))
    try:
        number = _number(game, check, way)
    except Impossible as error:
        if (
            error.code not in _UNSEEN
            or not is_npc(game, check.target)
            or is_gm(game.state, game.actor)
        ):
            raise
        number = STEADY if way == "steady" else SHOCK  # they try, and nothing comes of it
    return with_npc_privacy(game, with_forced_roll(game, found, plan, number, values))


def _treated(game: Game, check: Check[Any]) -> CheckOutcome:
    """The patient after it; nothing where it came too late for that."""
    patient, result, way = check.target or "", check.data.result, _way(check.data)
    if result is None or patient not in game.state.characters:
        return game, ()
    harm: Harm = game.sheet(patient).harm
    try:
        _number(game, check, way)
    except Impossible:
        return game, (("late", 0),)
    if way == MEDICINE_HELP:
        more = medicine_bonus(result.points)
        mark = Mark(MEDICINE_HELP, value=more, until="used", by=check.id)
        return game.with_state(with_marks(game.state, patient, mark)), (("helped", more),)
    now, facts = apply_first_aid(harm, way, result.total, check.actor)
    return with_harm(game, patient, now), facts


# --- healing rolls --------------------------------------------------------------------------------


def _begin_healing_roll(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """A healing roll of the actor's own: bare Endurance, whatever wounds take, and a medic's help
    (MB-HEAL-01).
    """
    who = check.actor
    sheet: MasterbookSheet = game.sheet(who)
    ability = option_effects(sheet).healing
    number = healing_difficulty(sheet.harm, ability)
    help_ = mark_total(game.state, who, MEDICINE_HELP)
    causes = nonzero_causes(("help", help_), ("fast_healing", ability.bonus))
    mine = Rating(attribute(sheet, "endurance"), True, causes)
    ruling = Plan(difficulty=str(number))
    plan = Plan(attribute="endurance")
    data = check.data.replace(request=plan, ruling=ruling, answer=ROLL, mine=mine, number=number)
    found = check.replace(
        data=data, approach=values.get(APPROACH_FIELD.key, ""), hidden=is_npc(game, who)
    )
    return with_npc_privacy(game, found)


class HealingRoll(AttemptAction):
    """The dice of a healing roll: what waits for the next action stays untouched (MB-INT-11)."""

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        return data

    def throws_due(self, game: Game, check: AnyAttempt) -> tuple[Throw, ...]:
        mine = check.data.mine
        assert mine is not None, "looked up as it began"
        roll = dice.throw(game.rng_for(check, check.actor), mine.trained)
        return (Throw(check.actor, MINE, mine.value, mine.modifiers, roll),)

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        return game


def _mended(game: Game, check: Check[Any]) -> CheckOutcome:
    """A level better, or not; then the same time has to pass again."""
    who, result = check.actor, check.data.result
    harm: Harm = game.sheet(who).harm
    ability = option_effects(game.sheet(who)).healing
    if result is None or harm.dead or not harm.wounds or seconds_until_healing(harm, ability):
        return game, ()
    now, facts = apply_healing_roll(harm, result.total, ability)
    game = game.with_state(without_marks(game.state, who, MEDICINE_HELP))
    return with_harm(game, who, now), facts


#: Only a medic's help is worth as much as it was good.
_TREATING: Final = AttemptAction(
    reads=lambda check: _way(check.data) == MEDICINE_HELP, hostile=False
).stages()
_RESTING: Final = HealingRoll(reads=never_reads_result).stages(reading=False)
PROCEDURES: Final = (
    procedure(
        "treat",
        (*_TREATING, outcome_stage(_treated, to_target=True), BadLuckStage()),
        role="heal",
        aims=True,
        form=TREAT_FORM,
        begin=_begin_treatment,
    ),
    procedure(
        "rest",
        (*_RESTING, outcome_stage(_mended), BadLuckStage()),
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
#: The mark of a round in which somebody under water has had their try; of how much only GMs know of
#: the number against which they come up, which no sheet tells then.
GASPED, SUNK = "gasped", "sunk"


def apply_harm_tick(game: Game, passing: Tick) -> TickResult:
    """A round begins or time goes by: what bleeding, dying, shock, waking make of everybody, in one
    line each.
    """
    told: list[tuple[str, Text]] = []
    calls: list[Event] = []
    for who in passing.who:
        was = game.sheet(who).harm
        ability = option_effects(game.sheet(who)).healing
        game, sunk = _spend_rounds_underwater(game, who, passing)
        pace = pace_of(game, passing.place, passing.at - 1)  # of the round that is over
        long = 0 if pace is None else pace.seconds - ROUND_SECONDS
        most = capacity(game, who)
        if passing.kind == "round-end" and not has_acted(game, who):
            now, facts = damage.rest_a_round(game.sheet(who).harm, ability)
        else:
            now, facts = _harm_after(game.sheet(who).harm, passing, most, long, ability)
        game = with_harm(game, who, now)
        if found := (*sunk, *facts):
            name, end = game.character(who).name, damage.condition(now)
            shown: dict[str, Value] = {"name": name, "facts": facts_lines(found)}
            worse = end != damage.condition(was) or "dying" in dict(found)
            if worse and end in damage.OUT_CONDITIONS:
                shown["fate"] = Text("mb-group-end", {"who": (name,), "end": end})
            told.append((who, Text("mb-passes", shown)))
        character = game.character(who)
        if character.owner is not None and is_due(now, ability) and not is_due(was, ability):
            calls.append(healing_call(game, character))
    return TickResult(game, tuple(told), tuple(calls))


def _harm_after(
    now: Harm, passing: Tick, most: int, longer: int, healing: Healing
) -> tuple[Harm, Facts]:
    """Somebody after that; rounds of talk take so many seconds `longer` than one of combat
    (MB-TIME-01).
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
        case "encounter-end":  # with the rounds goes what lasts for rounds alone
            return now.replace(o=False, down=0), ()
        case _:
            return now, ()


def _spend_rounds_underwater(game: Game, who: str, passing: Tick) -> tuple[Game, Facts]:
    """Rounds in which somebody under water has not come up; a try of theirs was a round of
    its own.
    """
    rounds = passing.minutes * _ROUNDS_A_MINUTE if passing.kind == "time" else 0
    if passing.kind == "round-end" and not marks_of(game.state, who, GASPED):
        rounds = 1
    said: dict[str, int] = {}
    while rounds and game.sheet(who).drowning is not None and not game.sheet(who).harm.dead:
        game, facts = gasp_for_air(game, who, None)
        rounds -= 1
        said |= {what: number + said.get(what, 0) for what, number in facts}
    return game, tuple(said.items())


def gasp_for_air(game: Game, who: str, total: int | None) -> tuple[Game, Facts]:
    """Another round under water, with the total of somebody's try to come up; nothing for whoever
    is above it.
    """
    sheet: MasterbookSheet = game.sheet(who)
    state = drowning_state(game, who)
    if state is None or sheet.harm.dead:
        return game, ()
    if option_effects(sheet).cannot_drown:
        game = game.with_sheet(who, sheet.replace(drowning=None))
        return game.with_state(without_marks(game.state, who, SUNK)), (("surfaced", 0),)
    gasp = movement.under_water(
        state, total, sheet.harm.shock, capacity(game, who), attribute(sheet, "endurance")
    )
    known = mark_total(game.state, who, SUNK)
    game = game.with_sheet(
        who, sheet.replace(drowning=gasp.state and gasp.state.replace(dn=gasp.state.dn - known))
    )
    if gasp.state is None:
        return game.with_state(without_marks(game.state, who, SUNK)), (("surfaced", 0),)
    if gasp.died:
        return with_harm(game, who, sheet.harm.replace(dead_for=0)), (("drowned", 0),)
    return damage_character(game, who, Damage(shock=gasp.shock))


def drowning_state(game: Game, who: str) -> movement.Drowning | None:
    """How somebody is under water, with what only GMs know; None for whoever is above it."""
    state = game.sheet(who).drowning
    return state and state.replace(dn=state.dn + mark_total(game.state, who, SUNK))
