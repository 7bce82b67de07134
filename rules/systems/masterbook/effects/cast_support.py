"""Rolls for the conditions of a casting, before the roll of its effect (MB-SFX-31)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.checks import procedure as check_procedure
from rules.systems.masterbook.checks.attempt_values import rated_by
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result, thrown_with
from rules.systems.masterbook.checks.roll_sources import RollSource, best_source, find_source
from rules.systems.masterbook.checks.roll_stages import (
    TRAINING,
    CancelStage,
    Dice,
    Moments,
    TrainingStage,
)
from rules.systems.masterbook.checks.state import MINE, AnyAttempt, Plan, Rating
from rules.systems.masterbook.effects.access import require_access
from rules.systems.masterbook.effects.cast_state import (
    HELP,
    Cast,
    Crowd,
    Helper,
    SupportRoll,
    rolled_conditions,
)
from rules.systems.masterbook.effects.cast_time import BREAK_OFF
from rules.systems.masterbook.effects.effect_settings import (
    autofail_feedback,
    support_rolls_are_actions,
)
from rules.systems.masterbook.formulas import dice
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.effect_blueprint import Condition
from rules.systems.masterbook.formulas.effect_condition_points import (
    MASS_ROLL_FROM,
    condition_dn,
    group_dn,
)
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.table.blocks import Text
from rules.table.check import ANY_GM, OVER, AnyCheck, Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.stages import ROLL
from rules.table.forms.fields import Number
from rules.table.forms.form import Form
from rules.table.system import Game

#: Names of stages.
SUPPORT, HELPERS = "support", "helpers"
SUPPORT_TRAINING, SUPPORT_CANCEL, SUPPORT_OPEN = (
    "support-training",
    "support-cancel",
    "support-open",
)
#: Stage after a casting that fails without a roll of its effect.
FEEDBACK: Final = "feedback"
_FAILS: Final = "fails"
_WILL: Final = "Willpower"
_MOST_SKILL: Final = 100
#: Prompts of a community: helpers, the GM for helpers, the GM for a crowd.
HELP_PROMPT, HELP_GM, CROWD = "help", "help-gm", "crowd"
#: Attributes of gestures; the better one counts if the condition names neither.
_GESTURE_ATTRIBUTES: Final = ("dexterity", "agility")
#: Conditions whose rolls count as actions of one round at tables that play so.
_ACTIONS: Final = ("concentration", "related_skill")


# --- what is rolled -------------------------------------------------------------------------------


def trained_or_bare(sheet: MasterbookSheet, skill: str) -> Plan:
    """Return the plan of a roll on a skill; without adds its Attribute stands in."""
    return _plan_of(best_source(sheet, skill))


def condition_plan(game: Game, who: str, condition: Condition) -> Plan:
    """Return the plan of the caster's roll for a condition (MB-SFX-S19 to -S22)."""
    sheet: MasterbookSheet = game.sheet(who)
    match condition.kind:
        case "concentration":
            return trained_or_bare(sheet, _WILL)
        case "incantation":
            return Plan(attribute="mind")
        case "related_skill":
            return Plan(skill=find_source(sheet, condition.skill).name)
        case _:
            wanted = condition.skill.casefold()
            if wanted in _GESTURE_ATTRIBUTES:
                return Plan(attribute=wanted)
            best = max(_GESTURE_ATTRIBUTES, key=lambda key: attribute(sheet, key))
            return Plan(attribute=best)


def helper_plan(game: Game, who: str, condition: Condition) -> Plan:
    """Return the plan of a helper's roll: the condition's skill, or willpower (MB-SFX-S17)."""
    source = find_source(game.sheet(who), condition.skill or _WILL)
    return _plan_of(source) if source.skill else Plan(attribute=source.attribute)


def _plan_of(source: RollSource) -> Plan:
    """Return the plan of a roll with a source; without adds its Attribute stands in."""
    return Plan(skill=source.name) if source.all_adds else Plan(attribute=source.attribute)


def multi_action_cost(data: Cast) -> int:
    """Return the penalty of the next roll at tables where a casting's rolls are actions."""
    conditions = data.blueprint.conditions
    rolled = rolled_conditions(data.blueprint)
    actions = [index for index in rolled if _is_action(conditions[index])]
    if not actions:
        return 0
    effect_rank = len(actions) + 1
    rank = (
        actions.index(data.condition_index) + 1 if data.condition_index in actions else effect_rank
    )
    return multi_action_penalty(rank, effect_rank)


def action_cost(game: Game, data: Cast) -> int:
    """Return the penalty of a casting's next roll as one of several actions (MB-SFX-32)."""
    condition = data.condition
    is_action = condition is None or _is_action(condition)
    if not is_action or not support_rolls_are_actions(game):
        return 0
    return multi_action_cost(data)


def _is_action(condition: Condition) -> bool:
    return condition.kind in _ACTIONS


def refresh_cast(game: Game, check: AnyCheck, data: Any) -> Any:
    """Return a casting's data with what the sheets have for its next roll.

    Raises as `check_procedure.refresh_from_sheets` and `require_access`.
    """
    condition = data.condition
    if condition is not None and condition.kind == "community":
        return data.replace(request=Plan(), mine=None, number=condition_dn(condition), shifts=())
    if condition is None:
        plan = Plan(skill=require_access(game, check.actor, data.effect).source.name)
        number, modifier = data.dn, data.roll_modifier
    else:
        plan = condition_plan(game, check.actor, condition)
        number, modifier = condition_dn(condition) or 0, 0
    ruling = Plan(difficulty=str(number), modifier=modifier)
    data = data.replace(request=plan, ruling=ruling, free=condition is not None)
    data = check_procedure.refresh_from_sheets(game, check.replace(data=data), data)
    cost = action_cost(game, data)
    if cost:
        data = data.replace(mine=data.mine.with_causes(("multi_action", cost)))
    if condition is not None and condition.kind == "related_skill":
        # It takes training, which a card may stand in for (MB-SFX-S22).
        source = check_procedure.means_of(game, check.actor, plan)
        data = data.replace(mine=data.mine.replace(barred=not source.all_adds))
    return data


# --- which comes next -----------------------------------------------------------------------------


# `AutomaticStage` stores the name of this function in checks: a new name refuses old databases.
def support(game: Game, check: Check[Cast]) -> StageResult[Cast]:
    """Go to the next roll of a casting: for a condition, or of the effect itself."""
    data = check.data
    if data.spoiled:
        # After failed concentration the roll of the effect still lowers feedback.
        if data.spoiled == "concentration" and autofail_feedback(game) == "full":
            return _to_effect_roll(game, check)
        return StageResult(game.state, data, FEEDBACK)
    rolled = {roll.condition for roll in data.rolled}
    for index in rolled_conditions(data.blueprint):
        if index in rolled:
            continue
        data = data.replace(condition_index=index)
        if data.blueprint.conditions[index].kind == "community":
            return StageResult(game.state, _with_helpers(data, index), HELPERS)
        data = refresh_cast(game, check, data)
        return StageResult(game.state, data, SUPPORT_TRAINING)
    return _to_effect_roll(game, check)


def _to_effect_roll(game: Game, check: Check[Cast]) -> StageResult[Cast]:
    data = refresh_cast(game, check, check.data.replace(condition_index=-1))
    return StageResult(game.state, data, TRAINING)


# --- communities ----------------------------------------------------------------------------------


def _with_helpers(data: Cast, index: int) -> Cast:
    """Return a casting whose next group is asked: helpers by name, the rest as a crowd."""
    condition = data.blueprint.conditions[index]
    mine, later = data.named_helpers[: condition.helpers], data.named_helpers[condition.helpers :]
    helpers = tuple(Helper(index, who) for who in mine)
    rest = condition.helpers - len(mine)
    crowd = Crowd(index, rest) if rest else None
    data = data.replace(named_helpers=later, helpers=helpers, crowd=crowd)
    return data.replace(request=Plan(), mine=None, number=condition_dn(condition), shifts=())


def crowd_dn(crowd: Crowd, condition: Condition) -> int:
    """Return the difficulty of a crowd's rolls: higher for one roll of all (MB-SFX-S17)."""
    dn = condition_dn(condition) or 0
    return group_dn(crowd.number, dn) if crowd.number >= MASS_ROLL_FROM else dn


def helper_rating(game: Game, who: str, condition: Condition) -> Rating:
    """Return the rating of a helper's roll, which is no action of the round (MB-SFX-31)."""
    return rated_by(game, who, helper_plan(game, who, condition))


def has_failed_helpers(data: Cast) -> bool:
    """Return whether the GM has ruled that a helper or the crowd fails."""
    crowd = data.crowd is not None and data.crowd.fails
    return crowd or any(helper.fails for helper in data.helpers)


class HelperStage(Stage[Cast]):
    """All helpers are asked at once; their dice fall when the last of them has answered.

    No helper's silence begins or spoils a casting: the GM may roll for a helper, or let it fail.
    """

    name = HELPERS

    def ask(self, game: Game, check: Check[Cast], /) -> tuple[Prompt, ...]:
        data = check.data
        if has_failed_helpers(data):
            return ()
        prompts: list[Prompt] = []
        unanswered = tuple(helper.who for helper in data.helpers if not helper.answered)
        if unanswered:
            prompts.append(Prompt(HELP_PROMPT, unanswered, button="mb-cast-help"))
            prompts.append(Prompt(HELP_GM, (ANY_GM,), None, button="mb-cast-helpers-gm"))
        if data.crowd is not None and not data.crowd.answered:
            prompts.append(Prompt(CROWD, (ANY_GM,), button="mb-cast-crowd"))
        if prompts:
            prompts.append(Prompt(BREAK_OFF, (check.actor,), wait=None))
        return tuple(prompts)

    def options(
        self, game: Game, check: Check[Cast], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        data = check.data
        condition = data.condition
        if condition is None:
            return
        if prompt == BREAK_OFF:
            yield CheckOption(BREAK_OFF, Text("mb-cast-break-off"), helps="never")
        elif prompt == CROWD and data.crowd is not None:
            yield CheckOption(ROLL, _crowd_label(data.crowd), _CROWD_FORM)
            yield CheckOption(_FAILS, Text("mb-cast-helper-fails", {"who": None}), helps="never")
        elif prompt == HELP_PROMPT:
            yield CheckOption(ROLL, self._roll_label(game, who, condition))
        else:
            for helper in data.helpers:
                if helper.answered:
                    continue
                about = {"who": game.character(helper.who).name}
                yield CheckOption(f"{ROLL}:{helper.who}", Text("mb-cast-helper-rolls", about))
                label = Text("mb-cast-helper-fails", about)
                yield CheckOption(f"{_FAILS}:{helper.who}", label, helps="never")

    def _roll_label(self, game: Game, who: str, condition: Condition) -> Text:
        plan = helper_plan(game, who, condition)
        name = plan.skill or plan.attribute.capitalize()
        value = helper_rating(game, who, condition).number
        about = {"name": name, "value": value, "dn": condition_dn(condition)}
        return Text("mb-cast-helper-roll", about)

    def choose(self, game: Game, check: Check[Cast], choice: Choice, /) -> StageResult[Cast]:
        data = check.data
        if choice.option == BREAK_OFF:
            return StageResult(game.state, data.replace(broken_off=True), OVER)
        if choice.prompt == CROWD and data.crowd is not None:
            crowd = data.crowd.replace(fails=True)
            if choice.option == ROLL:
                crowd = data.crowd.replace(value=choice.values[_CROWD_VALUE.key])
            return StageResult(game.state, data.replace(crowd=crowd))
        answer, _, helper_id = choice.option.partition(":")
        who = helper_id or choice.who
        fails = answer == _FAILS
        helpers: list[Helper] = []
        for helper in data.helpers:
            if helper.who == who:
                helper = helper.replace(ready=answer == ROLL, fails=fails)
            helpers.append(helper)
        text = Text("mb-cast-helped", {"who": game.character(who).name, "fails": fails})
        return StageResult(game.state, data.replace(helpers=tuple(helpers)), said=text)


_CROWD_VALUE: Final = Number(
    "value",
    low=0,
    high=_MOST_SKILL,
    offered=(6, 8, 10, 12),
    needed=True,
    title=Text("mb-cast-field", {"what": "crowd"}),
)
_CROWD_FORM: Final = Form((_CROWD_VALUE,))


def _crowd_label(crowd: Crowd) -> Text:
    about = {"number": crowd.number, "together": crowd.number >= MASS_ROLL_FROM}
    return Text("mb-cast-crowd-roll", about)


# --- the dice -------------------------------------------------------------------------------------


class SupportAction(AttemptAction):
    """The dice for a condition: the caster's, or those of all helpers at once.

    What waits for the caster's next action waits for the roll of the effect.
    """

    def throws_due(self, game: Game, check: AnyCheck) -> tuple[Throw, ...]:
        data: Cast = check.data
        condition = data.condition
        if condition is None:
            return ()
        if condition.kind != "community":
            assert data.mine is not None, "looked up before it is thrown"
            return (self._throw(game, check, check.actor, MINE, data.mine),)
        throws: list[Throw] = []
        if has_failed_helpers(data):
            return ()
        for helper in data.helpers:
            if helper.ready:
                how = helper_rating(game, helper.who, condition)
                throws.append(self._throw(game, check, helper.who, HELP, how))
        return tuple(throws)

    def _throw(self, game: Game, check: AnyCheck, who: str, what: str, how: Rating) -> Throw:
        roll = dice.throw(game.rng_for(check, who), how.trained)
        return thrown_with(who, what, how, roll)

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        return game

    def untrained_moments(self, game: Game, check: AnyAttempt) -> Moments:
        return () if check.data.mine is None else super().untrained_moments(game, check)

    def open_dice_moments(self, game: Game, check: AnyAttempt) -> Moments:
        return () if check.data.mine is None else super().open_dice_moments(game, check)


_ACTION: Final = SupportAction(refresh_cast, reads=never_reads_result, hostile=False)


class SupportTraining(TrainingStage):
    """The caster waits for a card that stands in for a related skill."""

    name = SUPPORT_TRAINING


class SupportCancel(CancelStage):
    """A point on such a roll may be canceled."""

    name = SUPPORT_CANCEL
    dice = SUPPORT_OPEN


class SupportDice(Dice):
    """The dice for a condition lie open; a character that has failed decides about a Life Point.

    The next roll depends on them, so no player steps in once they are left.
    """

    name = SUPPORT_OPEN
    cancel = SUPPORT_CANCEL
    step_in = None

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        if not failed_rollers(check):
            return ()
        prompts: list[Prompt] = []
        for prompt in super().ask(game, check):
            if prompt.wait == "react":
                prompt = prompt.replace(wait="means")
            prompts.append(prompt)
        return tuple(prompts)

    def deciders(self, game: Game, check: AnyCheck, prompt: Prompt, /) -> tuple[str, ...]:
        failed = failed_rollers(check)
        return tuple(who for who in super().deciders(game, check, prompt) if who in failed)


def failed_rollers(check: AnyCheck) -> frozenset[str]:
    """Return the characters whose rolls for a condition fail it as the dice lie."""
    number = check.data.number or 0
    failed = [throw.who for throw in check.data.throws if not _meets(throw, number)]
    return frozenset(failed)


SUPPORT_STAGES: Final = (
    HelperStage(),
    SupportTraining(_ACTION),
    SupportCancel(_ACTION),
    SupportDice(_ACTION),
)


def _meets(throw: Throw, number: int) -> bool:
    return throw.total >= number and not throw.fails


# `AutomaticStage` stores the name of this function in checks: a new name refuses old databases.
def supported(game: Game, check: Check[Cast]) -> StageResult[Cast] | None:
    """Note whether a condition was met, and go on to the next roll."""
    data = check.data
    condition = data.condition
    if condition is None:
        return None
    roll = _finished_roll(game, data, condition)
    data = data.replace(
        rolled=(*data.rolled, roll),
        spoiled="" if roll.met else condition.kind,
        helpers=(),
        crowd=None,
        throws=(),
        points=(),
        effects=(),
        rolls_again=False,
    )
    return StageResult(game.state, data, SUPPORT)


def _finished_roll(game: Game, data: Cast, condition: Condition) -> SupportRoll:
    """Return the rolls for a condition, and whether they have met it.

    A crowd rolls only if all named helpers have succeeded (MB-SFX-S17).
    """
    number = condition_dn(condition) or 0
    met = all(_meets(throw, number) for throw in data.throws)
    if condition.kind != "community":
        return SupportRoll(data.condition_index, number, met, data.throws)
    all_ready = all(helper.ready for helper in data.helpers)
    met = met and all_ready and not has_failed_helpers(data)
    if data.crowd is None:
        return SupportRoll(data.condition_index, number, met, data.throws)
    totals = _crowd_totals(game, data.crowd) if met else ()
    crowd_number = crowd_dn(data.crowd, condition)
    met = met and all(total >= crowd_number for total in totals)
    return SupportRoll(data.condition_index, number, met, data.throws, totals, crowd_number)


def _crowd_totals(game: Game, crowd: Crowd) -> tuple[int, ...]:
    """Return the totals of a crowd: one for all if it is large, else one each (MB-SFX-S17)."""
    if crowd.value is None:
        return ()
    number = 1 if crowd.number >= MASS_ROLL_FROM else crowd.number
    totals: list[int] = []
    for _ in range(number):
        # A character with the average skill is trained: 10s roll again.
        roll = dice.throw(game.rng.secret, True)
        totals.append(crowd.value + dice.bonus_number(roll.total))
    return tuple(totals)


def all_throws(data: Cast) -> tuple[Throw, ...]:
    """Return every throw of a casting, those for its conditions first."""
    throws: list[Throw] = []
    for roll in data.rolled:
        throws += roll.throws
    return (*throws, *data.throws)
