"""Maintaining an effect that has just run out (MB-SFX-28)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.checks import attempt_values
from rules.systems.masterbook.checks.action_economy import require_action_left, require_turn
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.forced_rolls import CheckOutcome, outcome_stage, procedure
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result
from rules.systems.masterbook.checks.sheet_damage import damage_character
from rules.systems.masterbook.checks.state import AnyAttempt, Attempt, Blow, Plan
from rules.systems.masterbook.checks.view import damage_text, describe, lowered_notes
from rules.systems.masterbook.effects.access import require_access
from rules.systems.masterbook.effects.effect_harm import feedback_blows
from rules.systems.masterbook.effects.feedback_reduction import FeedbackReduction
from rules.systems.masterbook.effects.running import (
    duration_in_seconds,
    figures_to_maintain,
    may_be_maintained,
)
from rules.systems.masterbook.effects.state import (
    RunningEffect,
    effects_of,
    find_running,
    with_running,
    without_running,
)
from rules.systems.masterbook.effects.value_changes import with_changes_on_sheets
from rules.systems.masterbook.formulas import damage
from rules.systems.masterbook.formulas.effect_values import remaining_feedback
from rules.table.blocks import FOR_EVERYONE, Block, Note, Ref, Text
from rules.table.check import Check, Values
from rules.table.checks.procedure import Procedure, StageResult
from rules.table.checks.shared_blocks import dice_viewers
from rules.table.checks.stages import APPROACH_FIELD, ROLL, with_npc_privacy
from rules.table.forms.fields import Number
from rules.table.forms.form import Form
from rules.table.system import Game

KIND: Final = "effect-maintain"
_EXTENSION_MOST: Final = 60
#: Points of extension that a caster takes as an effect is maintained (MB-SFX-S11).
EXTENSION: Final = Number(
    "extension",
    title=Text("mb-cast-field", {"what": "extension"}),
    low=0,
    high=_EXTENSION_MOST,
)


class Maintenance(Attempt):
    """The roll that keeps an effect up, with the effect's name, number and figures."""

    effect: int = 0
    name: str = ""
    dn: int = 0
    fv: int = 0
    #: Points of extension that the caster takes this time.
    extension: int = 0
    feedback: int | None = None
    blows: tuple[Blow, ...] = ()


def lapsing_effect(game: Game, who: str, number: int | None) -> RunningEffect:
    """Return the effect of a caster that has run out; without a number the only one.

    Raises Impossible("mb-effect-lapsed") if it can't be maintained any more.
    """
    lapsing = (effect for effect in effects_of(game, who).running if effect.lapsing)
    meant = [effect for effect in lapsing if number in (None, effect.number)]
    if len(meant) != 1 or not may_be_maintained(game, meant[0]):
        raise Impossible("mb-effect-lapsed")
    return meant[0]


def _chosen_extension(effect: RunningEffect, points: int | None) -> int:
    """Return the points of extension that are chosen anew (MB-SFX-28, MB-SFX-S11).

    Raises InvalidInput("out-of-range") for more than were bought.
    """
    if points is None:
        return effect.extension
    most = effect.known.blueprint.extension
    if points > most:
        raise InvalidInput("out-of-range", field="extension", value=points, lowest=0, highest=most)
    return points


def _begin(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Return the roll that maintains an effect.

    Without an extension in the values it is that of the casting. Raises as `lapsing_effect`,
    `require_turn`, `_chosen_extension`, `require_access` and `refresh_from_sheets`.
    """
    who = check.actor
    effect = lapsing_effect(game, who, values.get("effect"))
    require_turn(game, game.character(who))
    extension = _chosen_extension(effect, values.get("extension"))
    figures = figures_to_maintain(game, effect)
    source = require_access(game, who, effect.known).source
    plan = Plan(skill=source.name)
    ruling = Plan(difficulty=str(figures.dn))
    data: Any = check.data
    data = data.replace(
        effect=effect.number,
        name=effect.known.name,
        dn=figures.dn,
        fv=figures.fv,
        extension=extension,
        request=plan,
        ruling=ruling,
        answer=ROLL,
    )
    data = attempt_values.refresh_from_sheets(game, check.replace(data=data), data)
    approach = values.get(APPROACH_FIELD.key, "").strip()
    return with_npc_privacy(game, check.replace(data=data, approach=approach))


# `AutomaticStage` stores the names of such functions in checks: a new name refuses old databases.
def _fed_back(game: Game, check: Check[Any]) -> StageResult[Any] | None:
    """Weigh the feedback, once (MB-SFX-21, MB-SFX-28)."""
    data, result = check.data, check.data.result
    if data.feedback is not None or result is None:
        return None
    remaining = remaining_feedback(result.points, data.fv)
    blows = feedback_blows(game, check.actor, remaining)
    return StageResult(game.state, data.replace(feedback=remaining, blows=blows))


def _maintained(game: Game, check: Check[Any]) -> CheckOutcome:
    """Let the effect run for its whole duration again, or lapse; then hurt the caster.

    The surplus of the roll changes no effect value (MB-SFX-28).
    """
    data, who = check.data, check.actor
    effect = find_running(game, who, data.effect)
    if effect is not None and effect.lapsing:
        if data.has_succeeded:
            seconds = duration_in_seconds(effect.known.blueprint, data.extension)
            effect = effect.replace(seconds_left=seconds, seconds=seconds, lapsing=False)
            game = with_running(game, effect.replace(extension=data.extension))
        else:
            game = without_running(game, effect)
        game = with_changes_on_sheets(game)
    facts: damage.Facts = ()
    if data.blows:
        game, facts = damage_character(game, who, data.blows[0].left)
    return game, facts


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of the roll, with what it is for and what feedback leaves."""
    data = check.data
    about = {"name": data.name, "dn": data.dn, "fv": data.fv, "extension": data.extension or None}
    blocks: list[Block] = [Note(Text("mb-effect-maintains", about), FOR_EVERYONE)]
    if data.over:
        about = {"name": data.name, "works": data.has_succeeded}
        blocks.insert(0, Note(Text("mb-effect-maintained", about), dice_viewers(check)))
    if data.blows:
        remaining = data.blows[0].left
        hurt = damage_text(remaining) if damage.packages(remaining) else None
        about = {"who": Ref(check.actor), "damage": hurt, "points": data.feedback}
        blocks.append(Note(Text("mb-effect-maintain-feedback", about), dice_viewers(check)))
    return (*describe(game, check, blocks), *lowered_notes(game, check))


_ROLL: Final = AttemptAction(reads=never_reads_result, hostile=False)
PROCEDURE: Final = procedure(
    KIND,
    (
        *_ROLL.stages(reading=False),
        _fed_back,
        FeedbackReduction(_ROLL),
        outcome_stage(_maintained),
        BadLuckStage(),
    ),
    data=Maintenance,
    form=Form((Number("effect", low=1, high=1_000_000), EXTENSION, APPROACH_FIELD)),
    begin=_begin,
    describe=_describe,
    require_start=require_action_left,
    takes_turn=lambda game, check: True,
)
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)
