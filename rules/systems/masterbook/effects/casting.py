"""`/effect cast`: from the declaration to the effect that takes hold (MB-SFX-20, -21, -31, -32)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.checks import action_economy
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import require_not_casting
from rules.systems.masterbook.checks.card_awards import BadLuckStage, check_deeds
from rules.systems.masterbook.checks.forced_rolls import procedure
from rules.systems.masterbook.checks.procedure import AttemptAction, moment
from rules.systems.masterbook.checks.roll_stages import Moments
from rules.systems.masterbook.checks.sheet_damage import condition_of, damage_character
from rules.systems.masterbook.checks.state import MINE
from rules.systems.masterbook.effects.access import (
    waits_for_consent,
    waits_for_ordination,
    with_ordination,
)
from rules.systems.masterbook.effects.cast_declaration import FORM, begin_cast, cast_names
from rules.systems.masterbook.effects.cast_odds import cast_odds
from rules.systems.masterbook.effects.cast_state import (
    KIND,
    Cast,
    CastOutcome,
    ruled_conditions,
    things_needed,
)
from rules.systems.masterbook.effects.cast_support import (
    SUPPORT_STAGES,
    all_throws,
    refresh_cast,
    support,
    supported,
)
from rules.systems.masterbook.effects.cast_time import BREAK_OFF, CastTimeStage, interrupted
from rules.systems.masterbook.effects.cast_view import cost_text, describe_cast, thing_text
from rules.systems.masterbook.effects.effect_harm import feedback_blows
from rules.systems.masterbook.effects.effect_settings import autofail_feedback, interrupt_feedback
from rules.systems.masterbook.effects.feedback_reduction import FeedbackReduction
from rules.systems.masterbook.effects.reports import answered_in_private
from rules.systems.masterbook.effects.taking_hold import take_hold
from rules.systems.masterbook.formulas.damage import Facts
from rules.systems.masterbook.formulas.effect_blueprint import Condition
from rules.systems.masterbook.formulas.effect_values import failed_result
from rules.table.blocks import Text
from rules.table.check import ANY_GM, OVER, AnyCheck, Check, Choice, Prompt, Values
from rules.table.checks.procedure import (
    CheckOption,
    Procedure,
    Stage,
    StageResult,
    StartButton,
)
from rules.table.checks.stages import IMPOSSIBLE, NOTE_FIELD
from rules.table.commands import (
    AS_FIELD,
    VISIBILITY_FIELD,
    WITH_FIELD,
    CheckStart,
    check_starter,
    known_character_options,
)
from rules.table.events import Event
from rules.table.forms.fields import Many, Option, Typed
from rules.table.forms.form import Form
from rules.table.state import AnyCharacter
from rules.table.system import Game, is_npc

#: Prompts of the declaration.
_COMPONENTS, _CONSENT = "components", "consent"
_HAVE, _WITHDRAW, _ALLOW, _REFUSE = "have", "withdraw", "allow", "refuse"
#: Value of the world's cost among the things that the caster ticks.
_COST: Final = "cost"


class CastDeclarationStage(Stage[Any]):
    """The caster ticks what has to be there; the GM is asked what only the GM can say.

    Nothing is spent before, so a caster who lacks something withdraws without a cost.
    """

    name = "declared"

    def things(self, check: Check[Any]) -> tuple[tuple[int, Condition], ...]:
        """Return the conditions that are ticked, with their indexes."""
        return things_needed(check.data.blueprint)

    def cost(self, check: Check[Any]) -> str:
        """Return the world's cost of the casting, in words; empty for none (MB-SFX-14)."""
        return check.data.cost

    def rulings(self, game: Game, check: Check[Any]) -> tuple[str | Text, ...]:
        """Return the questions to the GM: conditions, and whether the caster is ordained.

        (MB-SFX-12, MB-SFX-S23)
        """
        blueprint = check.data.blueprint
        questions: list[str | Text] = [condition.text for condition in ruled_conditions(blueprint)]
        if waits_for_ordination(game, check.actor, blueprint):
            questions.append(Text("mb-cast-ordained", {"name": game.display_name(check.actor)}))
        return tuple(questions)

    def with_consent(self, game: Game, check: Check[Any]) -> Game:
        """Return the game once the GM has agreed: an ordained caster stays one."""
        if waits_for_ordination(game, check.actor, check.data.blueprint):
            return with_ordination(game, check.actor)
        return game

    def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
        # What NPCs have is the GM's to know.
        if check.data.prepared or not is_npc(game, check.actor):
            return None
        return StageResult(game.state, check.data.replace(prepared=True))

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        data = check.data
        prompts: list[Prompt] = []
        if not data.prepared:
            prompts.append(Prompt(_COMPONENTS, (check.actor,), button="mb-cast-have"))
        if not data.consented:
            prompts.append(Prompt(_CONSENT, (ANY_GM,), button="mb-cast-consent"))
            if data.prepared:
                prompts.append(Prompt(BREAK_OFF, (check.actor,), None, button="answer-withdraw"))
        return tuple(prompts)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        withdraw = CheckOption(_WITHDRAW, Text("answer-withdraw"), helps="never")
        if prompt == BREAK_OFF:
            return (withdraw,)
        if prompt == _COMPONENTS:
            return (CheckOption(_HAVE, Text("mb-cast-have"), self._things_form(check)), withdraw)
        conditions = self.rulings(game, check)
        note = Form((NOTE_FIELD,))
        return (
            CheckOption(_ALLOW, Text("mb-cast-allow", {"conditions": conditions}), note),
            CheckOption(_REFUSE, Text("mb-cast-deny", {"conditions": conditions}), note),
        )

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
        data = check.data
        if choice.option == _WITHDRAW:
            return StageResult(game.state, data.replace(broken_off=True), OVER)
        # Another casting may have begun since this one was declared.
        require_not_casting(game, check.actor)
        if choice.option == _HAVE:
            self._require_all_things(check, choice.values[_HAVE])
            return StageResult(game.state, data.replace(prepared=True))
        note = choice.values.get(NOTE_FIELD.key, "").strip()
        data = data.replace(answered_by=game.actor.id)
        noted = check.replace(note=note)
        if choice.option == _REFUSE:
            data = data.replace(answer=IMPOSSIBLE)
            return StageResult(game.state, data, OVER, check=noted)
        game = self.with_consent(game, check)
        return StageResult(game.state, data.replace(consented=True), check=noted)

    def _things_form(self, check: Check[Any]) -> Form:
        """Return the list in which the caster ticks what is there (MB-SFX-14, MB-SFX-S18)."""
        choices: list[Option] = []
        for index, condition in self.things(check):
            choices.append(Option(str(index), thing_text(condition)))
        cost = self.cost(check)
        if cost:
            choices.append(Option(_COST, cost_text(cost)))
        title = Text("mb-cast-field", {"what": "have"})
        return Form((Many(_HAVE, title=title, choices=tuple(choices), needed=True),))

    def _require_all_things(self, check: Check[Any], ticked: Iterable[str]) -> None:
        """Raise Impossible("mb-cast-missing") if something isn't ticked (MB-SFX-31)."""
        there = {*ticked}
        missing: list[str] = []
        for index, condition in self.things(check):
            if str(index) not in there:
                missing.append(condition.text)
        cost = self.cost(check)
        if cost and _COST not in there:
            missing.append(cost)
        if missing:
            texts = tuple(text for text in missing if text)
            raise Impossible("mb-cast-missing", things=texts or None, count=len(missing))


class CastAction(AttemptAction):
    """The roll of the effect itself. Cards add to its effect value, never to its result points."""

    def _result_moments(self, game: Game, check: AnyCheck) -> Moments:
        """Return the effect value, to which a card may add 2 (MB-CARD-E07)."""
        result = check.data.cast_result
        if result is None or not (result.success or game.setting("effect_card_can_rescue")):
            return ()
        about = moment(game, check, check.actor, MINE)
        about = about.replace(window="effect_pending", number="damage")
        return (about.replace(succeeded=result.success),)


# --- feedback -------------------------------------------------------------------------------------


def feedback_left(game: Game, data: Cast) -> int:
    """Return the feedback that a casting leaves for its caster (MB-SFX-21)."""
    result = data.cast_result
    if result is not None:
        return result.feedback
    of_failure = autofail_feedback(game)
    if data.spoiled == "interrupted":
        of_failure = interrupt_feedback(game)
    return failed_result(data.figures, of_failure).feedback


# `AutomaticStage` stores the names of these functions in checks: a new name refuses old databases.
def feedback(game: Game, check: Check[Cast]) -> StageResult[Cast] | None:
    """Weigh the feedback, once: what it does to the caster (MB-SFX-21)."""
    data = check.data
    if data.feedback is not None:
        return None
    remaining = feedback_left(game, data)
    blows = feedback_blows(game, check.actor, remaining)
    return StageResult(game.state, data.replace(feedback=remaining, blows=blows))


class CastFeedbackReduction(FeedbackReduction):
    """The feedback of a casting, also of one that a card has undone."""

    def ask(self, game: Game, check: AnyCheck, /) -> tuple[Prompt, ...]:
        return super().ask(game, check.replace(data=check.data.replace(failed="")))


def released(game: Game, check: Check[Cast]) -> StageResult[Cast] | None:
    """Hurt the caster, and let the effect take hold: feedback never undoes it (MB-SFX-20)."""
    data, who = check.data, check.actor
    if data.over:
        return None
    facts: Facts = ()
    events: tuple[Event, ...] = ()
    outcome = cast_outcome(check)
    if data.blows:
        game, facts = damage_character(game, who, data.blows[0].left)
    if outcome is not None:
        game, events = take_hold(game, outcome)
    consequences = ((who, facts),) if facts else ()
    ends = ((who, condition_of(game, who)),) if facts else ()
    data = data.replace(
        consequences=(*data.consequences, *consequences), ends=(*data.ends, *ends), over=True
    )
    return StageResult(game.state, data, events=events)


def cast_outcome(check: Check[Cast]) -> CastOutcome | None:
    """Return the outcome of a successful casting; None for one that has failed."""
    data, result = check.data, check.data.cast_result
    rolled = data.result
    if result is None or rolled is None or not result.success:
        return None
    blueprint = data.blueprint
    return CastOutcome(
        data.effect,
        check.actor,
        data.final_effect_value(check.actor),
        data.aims,
        data.extension,
        rolled.total,
        result.points,
        charges=blueprint.charges > 0,
        holder=data.holder,
        bearer=data.bearer,
        ward_perception=result.points if blueprint.ward else 0,
        check=check.id,
        around=data.around,
        shift=data.effect_value - blueprint.effect_value,
    )


def _require_start(game: Game, who: str, target: str | None, values: Values) -> None:
    """Refuse a casting by a character who knows no effect, or has no action left.

    Raises Impossible("mb-cast-nothing-known"), and as `action_economy.require_action_left`.
    """
    if not game.sheet(who).effects:
        raise Impossible("mb-cast-nothing-known", who=game.display_name(who))
    action_economy.require_action_left(game, who, target, values)


def knows_effects(game: Game, character: AnyCharacter) -> bool:
    """Return whether a character has an effect to cast that the GM doesn't still look at."""
    for known in character.sheet.effects:
        if not known.refused and not waits_for_consent(game, character.id, known):
            return True
    return False


_ROLL: Final = CastAction(refresh_cast)
PROCEDURE: Final = procedure(
    KIND,
    (
        *(CastDeclarationStage(), CastTimeStage(), interrupted),
        *(support, *SUPPORT_STAGES, supported),
        *_ROLL.stages(),
        *(feedback, CastFeedbackReduction(_ROLL), released),
        BadLuckStage(check_deeds, all_throws),
    ),
    data=Cast,
    button=StartButton(Text("mb-cast-open"), {"turn": 4}, offered=knows_effects),
    aims=True,
    form=FORM,
    begin=begin_cast,
    describe=describe_cast,
    cast=cast_names,
    odds=cast_odds,
    dice_have_fallen=lambda data: bool(data.throws or data.rolled),
    require_start=_require_start,
    takes_turn=lambda game, check: True,
)
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)
_BEGINS: Final = check_starter(KIND, target="target")


def _start(game: Game, values: Values) -> CheckStart:
    """Begin a casting. Raises as `answered_in_private`."""
    return answered_in_private(game, _BEGINS(game, values))


COMMANDS: Final = (
    command(
        "effect cast",
        _start,
        Typed("target", most=100, choices=known_character_options),
        WITH_FIELD,
        AS_FIELD,
        VISIBILITY_FIELD,
        kind=KIND,
        shared=("effect",),
    ),
)
