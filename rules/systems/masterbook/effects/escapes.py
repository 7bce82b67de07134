"""`/effect resist`: breaking free with Strength of an effect that moves a character (MB-SFX-10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.checks import attempt_values
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import require_action_left, require_turn
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.forced_rolls import CheckOutcome, outcome_stage, procedure
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result
from rules.systems.masterbook.checks.state import AnyAttempt, Attempt, Plan
from rules.systems.masterbook.checks.view import describe
from rules.systems.masterbook.effects.effect_results import is_teleport
from rules.systems.masterbook.effects.running import (
    effect_code,
    effect_names,
    matching_effects,
    which_effect_error,
    without_target,
)
from rules.systems.masterbook.effects.state import RunningEffect, find_running, running_effects
from rules.systems.masterbook.effects.value_changes import effect_value_for
from rules.table.blocks import FOR_EVERYONE, Block, Note, Ref, Text
from rules.table.check import Check, Values
from rules.table.checks.procedure import Procedure
from rules.table.checks.shared_blocks import dice_viewers
from rules.table.checks.stages import APPROACH_FIELD, ROLL, with_npc_privacy
from rules.table.commands import AS_FIELD, CheckStart, CommandResult
from rules.table.forms.fields import FormContext, Option, Typed
from rules.table.forms.form import Form
from rules.table.lookup import acting_character, playable_characters
from rules.table.system import Game, is_npc

KIND: Final = "effect-resist"
_TEXT_MOST: Final = 100


class Escape(Attempt):
    """A roll of Strength against the effect value of what moves a character."""

    caster: str = ""
    effect: int = 0
    name: str = ""


def holding_effects(game: Game, who: str) -> Iterator[RunningEffect]:
    """Yield the effects of others that move a character now."""
    for effect in running_effects(game):
        blueprint = effect.known.blueprint
        moves = blueprint.action == "movement" and not is_teleport(blueprint)
        if not moves or not effect.is_working or who in (effect.caster, *effect.disbelievers):
            continue
        if any(target.who == who for target in effect.targets):
            yield effect


def find_holding_effect(game: Game, who: str, text: str) -> RunningEffect:
    """Return the effect that a character means to break free of; without a text the only one.

    Raises Impossible("mb-effect-none-holds") if none moves the character, and
    InvalidInput("mb-effect-which") if the text names none, or several.
    """
    effects = tuple(holding_effects(game, who))
    if not effects:
        raise Impossible("mb-effect-none-holds", who=game.display_name(who))
    meant = matching_effects(effects, text) if text else effects
    if len(meant) == 1:
        return meant[0]
    raise which_effect_error(text, effect_names(meant or effects))


def _begin(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Return the roll against an effect.

    Raises as `require_turn`, `find_holding_effect` and `refresh_from_sheets`.
    """
    who = check.actor
    require_turn(game, game.character(who))
    effect = find_holding_effect(game, who, values.get("effect", ""))
    number = effect_value_for(effect.known.blueprint, effect.effect_value)
    data: Any = check.data
    data = data.replace(
        caster=effect.caster,
        effect=effect.number,
        name=effect.known.name,
        request=Plan(attribute="strength"),
        ruling=Plan(difficulty=str(number)),
        answer=ROLL,
    )
    # The effect value of an NPC is the GMs' to know.
    check = check.replace(hidden=is_npc(game, effect.caster))
    data = attempt_values.refresh_from_sheets(game, check.replace(data=data), data)
    approach = values.get(APPROACH_FIELD.key, "").strip()
    return with_npc_privacy(game, check.replace(data=data, approach=approach))


def _escaped(game: Game, check: Check[Any]) -> CheckOutcome:
    """End the effect for a character who has broken free; for its other targets it goes on."""
    data = check.data
    effect = find_running(game, data.caster, data.effect)
    if effect is not None and data.has_succeeded:
        game = without_target(game, effect, check.actor)
    return game, ()


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of the roll, with what came of it."""
    data = check.data
    about: dict[str, Any] = {"who": Ref(check.actor), "name": data.name}
    if data.over:
        text = Text("mb-effect-escaped", {**about, "free": data.has_succeeded})
        note = Note(text, dice_viewers(check))
    else:
        note = Note(Text("mb-effect-escapes", about), FOR_EVERYONE)
    return describe(game, check, [note])


def _effect_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the effects that move a participant's characters."""
    game = asking.game
    if game is None:
        return ()
    names: dict[str, None] = {}
    for character in playable_characters(game.state, game.actor):
        for effect in holding_effects(game, character.id):
            names[effect.known.name] = None
    return tuple(Option(name, Text("as-written", {"text": name})) for name in names)


_EFFECT: Final = Typed("effect", most=_TEXT_MOST, choices=_effect_options)
_ROLL: Final = AttemptAction(reads=never_reads_result, hostile=False)
PROCEDURE: Final = procedure(
    KIND,
    (*_ROLL.stages(reading=False), outcome_stage(_escaped), BadLuckStage()),
    data=Escape,
    form=Form((_EFFECT, APPROACH_FIELD)),
    begin=_begin,
    describe=_describe,
    require_start=require_action_left,
    takes_turn=lambda game, check: True,
)


def _start(game: Game, values: Values) -> CommandResult:
    """Begin to break free. Raises as `acting_character` and `find_holding_effect`."""
    who = acting_character(game.state, game.actor, values.get("as"))
    effect = find_holding_effect(game, who.id, values.get("effect", ""))
    return CheckStart(KIND, {"effect": effect_code(effect)}, as_=values.get("as"))


PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)
COMMANDS: Final = (command("effect resist", _start, _EFFECT, AS_FIELD),)
