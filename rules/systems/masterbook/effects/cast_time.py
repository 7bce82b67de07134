"""Cast times longer than an action: the caster is busy until they are over (MB-SFX-20, MB-SFX-31).

Seconds pass by rounds and by the story's clock alike.
"""

from __future__ import annotations

from math import ceil
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.checks.action_economy import (
    CASTING,
    CONCENTRATING,
    PLAIN_CASTING,
    break_casting,
    has_done_all,
    is_own_action,
    require_awake,
    require_not_casting,
    round_of,
    spend_action,
)
from rules.systems.masterbook.effects.cast_declaration import (
    concentration_seconds,
    with_designed_effect,
)
from rules.systems.masterbook.effects.cast_state import KIND, Cast
from rules.systems.masterbook.effects.running import seconds_of_tick
from rules.systems.masterbook.effects.state import (
    CastInProgress,
    effects_of,
    with_effects_of,
)
from rules.systems.masterbook.formulas.effect_values import rounds_of
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.table.blocks import Text
from rules.table.check import ANY_GM, NEXT, OVER, Check, Choice, Prompt, Values
from rules.table.checks import engine
from rules.table.checks.check_actions import step_checks
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.marks import marks_of, with_marks
from rules.table.outcome import Outcome
from rules.table.state import Mark
from rules.table.system import Game, Tick, TickResult, is_npc

#: Name of the stage, and key of its prompts.
CASTING_STAGE: Final = "casting"
_GM: Final = "casting-gm"
CAST, GO_ON, BREAK_OFF = "cast", "go-on", "break-off"
_DISTRACT, _ELAPSE = "distract", "elapse"
_SECONDS_A_MINUTE: Final = 60


def round_of_casting(casting: CastInProgress) -> int:
    """Return the number of a casting's present round, from 1 on."""
    return rounds_of(casting.seconds) - rounds_of(casting.seconds_left) + 1


def story_minute(game: Game, casting: CastInProgress) -> int:
    """Return the minute of the story in which a casting is over."""
    return game.time + ceil(casting.seconds_left / _SECONDS_A_MINUTE)


# --- castings under way ---------------------------------------------------------------------------


def casting_of(game: Game, check: Check[Any]) -> CastInProgress | None:
    """Return the casting of a check that takes its time; None once it is broken off."""
    casting = effects_of(game, check.actor).casting
    if casting is None or casting.check != check.id:
        return None
    return casting if marks_of(game.state, check.actor, CASTING, check.id) else None


def _with_casting(game: Game, who: str, casting: CastInProgress | None) -> Game:
    """Return the game with a character's casting, and the mark that others know it by."""
    game = with_effects_of(game, who, effects_of(game, who).replace(casting=casting))
    game = break_casting(game, who)
    if casting is None:
        return game
    value = CONCENTRATING if casting.concentrates else PLAIN_CASTING
    rounds_left = rounds_of(casting.seconds_left)
    mark = Mark(CASTING, casting.check, value, until="used", at=rounds_left)
    return game.with_state(with_marks(game.state, who, mark))


def without_casting(game: Game, check: Check[Any]) -> Game:
    """Return the game once the caster of a check isn't busy any more."""
    casting = effects_of(game, check.actor).casting
    if casting is None or casting.check != check.id:
        return game
    return _with_casting(game, check.actor, None)


def time_is_over(game: Game, check: Check[Any]) -> bool:
    """Return whether the time of a casting has come.

    In rounds it comes with the last one, in which the caster rolls.
    """
    casting = casting_of(game, check)
    if casting is None:
        return check.data.seconds <= ROUND_SECONDS
    least = ROUND_SECONDS if round_of(game, check.actor) is not None else 0
    return casting.seconds_left <= least


# --- the stage ------------------------------------------------------------------------------------


class CastTimeStage(Stage[Cast]):
    """The caster casts, for as long as it takes; then the caster's player lets it go.

    Rounds pass as they do. In a turn of the caster the player can only go on, or break off.
    """

    name = CASTING_STAGE

    def enter(self, game: Game, check: Check[Cast], /) -> StageResult[Cast] | None:
        data = check.data
        if data.ready or not _is_slow(check):
            if not self._goes_at_once(game, check):
                return None
            return StageResult(game.state, data.replace(ready=True), NEXT)
        if effects_of(game, check.actor).casting is not None:
            return None
        casting = CastInProgress(
            check.id, data.seconds, data.seconds, concentration_seconds(data.effect)
        )
        game = _with_casting(game, check.actor, casting)
        if _is_on_turn(game, check.actor):
            game = spend_action(game, check.actor)
        return StageResult(game.state, data)

    def _goes_at_once(self, game: Game, check: Check[Cast]) -> bool:
        """Return whether a casting that takes one action rolls without a further press."""
        settings = game.state.settings
        return settings.live or settings.roll_when_answered or is_npc(game, check.actor)

    def is_broken(self, game: Game, check: Check[Cast]) -> bool:
        """Return whether a casting that takes its time was broken off by something else."""
        slow = _is_slow(check) and not check.data.ready
        return slow and casting_of(game, check) is None

    def stays(self, game: Game, check: Check[Cast], /) -> bool:
        return not check.data.ready and not self.is_broken(game, check)

    def ask(self, game: Game, check: Check[Cast], /) -> tuple[Prompt, ...]:
        if check.data.ready or self.is_broken(game, check):
            return ()
        over = time_is_over(game, check)
        in_rounds = round_of(game, check.actor) is not None
        # In rounds the turn's own call asks for it, so that no player is waited for twice.
        waits = over and (not _is_slow(check) or not in_rounds)
        if over:
            button = "mb-cast-open"
        elif in_rounds:
            button = "mb-cast-turn"
        else:
            button = "mb-cast-break-off"
        own = Prompt(CASTING_STAGE, (check.actor,), wait="answer" if waits else None, button=button)
        if over and not _is_slow(check):
            # One press casts it, so that breaking off has a button of its own.
            return (own, Prompt(BREAK_OFF, (check.actor,), None, button="mb-cast-break-off"))
        if over:
            return (own,)
        return (own, Prompt(_GM, (ANY_GM,), wait=None, button="mb-cast-gm"))

    def options(
        self, game: Game, check: Check[Cast], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        if prompt == _GM:
            return self._gm_options(game, check)
        break_off = CheckOption(BREAK_OFF, Text("mb-cast-break-off"), helps="never")
        if prompt == BREAK_OFF:
            return (break_off,)
        if not _is_slow(check):
            # With the label of its button, it takes a single press.
            return (CheckOption(CAST, Text("mb-cast-open")),)
        options: list[CheckOption] = []
        if time_is_over(game, check):
            if is_own_action(game, check.actor):
                options.append(CheckOption(CAST, Text("mb-cast-now")))
        elif _is_on_turn(game, check.actor) and not has_done_all(game, check.actor):
            options.append(CheckOption(GO_ON, Text("mb-cast-go-on")))
        return (*options, break_off)

    def _gm_options(self, game: Game, check: Check[Cast]) -> tuple[CheckOption, ...]:
        """Return the GM's options while a casting takes its time."""
        casting = casting_of(game, check)
        options = [CheckOption(_ELAPSE, Text("mb-cast-elapse"))]
        if casting is not None and casting.concentrates:
            options.append(CheckOption(_DISTRACT, Text("mb-cast-distract"), helps="never"))
        return tuple(options)

    def choose(self, game: Game, check: Check[Cast], choice: Choice, /) -> StageResult[Cast]:
        data = check.data
        if choice.option == BREAK_OFF:
            game = without_casting(game, check)
            return StageResult(game.state, data.replace(broken_off=True), OVER)
        if choice.option == GO_ON:
            game = spend_action(game, check.actor)
            return StageResult(game.state, data, said=Text("mb-cast-goes-on"))
        if choice.option == _DISTRACT:
            game = break_casting(game, check.actor)
            return StageResult(game.state, data, said=Text("mb-cast-distracted"))
        if choice.option == _ELAPSE:
            return StageResult(
                self._with_time_over(game, check).state, data, said=Text("mb-cast-elapsed")
            )
        require_awake(game, check.actor)
        game = without_casting(game, check)
        if data.effect.undesigned:
            game = with_designed_effect(game, check.actor, data.effect)
        return StageResult(game.state, data.replace(ready=True), NEXT)

    def _with_time_over(self, game: Game, check: Check[Cast]) -> Game:
        """Return the game once the GM lets the time of a casting pass, without the clock.

        Raises Impossible("not-offered") if no casting takes its time.
        """
        casting = casting_of(game, check)
        if casting is None:
            raise Impossible("not-offered", check=check.id)
        least = min(casting.seconds_left, ROUND_SECONDS)
        seconds_left = least if round_of(game, check.actor) is not None else 0
        return _with_casting(game, check.actor, casting.replace(seconds_left=seconds_left))


def _is_slow(check: Check[Any]) -> bool:
    """Return whether a casting takes longer than an action."""
    return check.data.seconds > ROUND_SECONDS


def _is_on_turn(game: Game, who: str) -> bool:
    """Return whether it is a character's turn in rounds."""
    return round_of(game, who) is not None and is_own_action(game, who)


# `AutomaticStage` stores the name of this function in checks: a new name refuses old databases.
def interrupted(game: Game, check: Check[Cast]) -> StageResult[Cast] | None:
    """Note that the casting was broken off before its time was over (MB-SFX-31)."""
    if check.data.ready:
        return None
    game = without_casting(game, check)
    return StageResult(game.state, check.data.replace(spoiled="interrupted"))


# --- as time goes by ------------------------------------------------------------------------------


def apply_cast_tick(game: Game, passing: Tick) -> TickResult:
    """Let the time of a round or of the story's clock pass for castings."""
    changed: list[str] = []
    for who in passing.who:
        casting = effects_of(game, who).casting
        if casting is None:
            continue
        seconds = seconds_of_tick(game, passing)
        if seconds <= 0:
            continue
        seconds_left = max(0, casting.seconds_left - seconds)
        if marks_of(game.state, who, CASTING, casting.check):
            game = _with_casting(game, who, casting.replace(seconds_left=seconds_left))
            changed.append(casting.check)
    game, events = step_checks(game, changed, engine.show_anew)
    return TickResult(game, events=events)


def follow_castings(game: Game, outcome: Outcome) -> Outcome:
    """Let castings that something has broken off go on to their end (MB-SFX-31).

    The caster of a check that a GM has ended is busy no more.
    """
    after = game.with_state(outcome.state)
    for check in game.state.open_checks:
        now = outcome.state.checks.get(check.id)
        if check.kind == KIND and (now is None or not now.is_open):
            after = without_casting(after, check)
    broken = [check.id for check in after.state.open_checks if _is_cut_short(after, check)]
    if not broken:
        if after.state is outcome.state:
            return outcome
        return Outcome(after.state, outcome.events)
    now, events = step_checks(after, broken, engine.refresh_check)
    return Outcome(now.state, (*outcome.events, *events))


def _is_cut_short(game: Game, check: Check[Any]) -> bool:
    """Return whether a casting still waits although it is broken off."""
    if check.kind != KIND or check.stage != CASTING_STAGE or check.data.ready:
        return False
    return _is_slow(check) and casting_of(game, check) is None


# --- what else a caster can't do ------------------------------------------------------------------

#: Checks that take another skill than the casting's.
_OTHER_DEEDS: Final = frozenset(
    ("check", "contest", "attack", "interact", "move", "treat", "escape", "step", KIND)
)


def refusing_casters(procedure: Procedure[Any]) -> Procedure[Any]:
    """Return a procedure that a character who is casting can't begin (MB-SFX-20)."""
    if procedure.kind not in _OTHER_DEEDS:
        return procedure
    require_before, begin_before = procedure.require_start, procedure.begin

    def require_start(game: Game, who: str, target: str | None, values: Values) -> None:
        require_not_casting(game, who)
        require_before(game, who, target, values)

    def begin(game: Game, check: Check[Any], values: Values) -> Check[Any]:
        require_not_casting(game, check.actor)
        return begin_before(game, check, values)

    return procedure.replace(require_start=require_start, begin=begin)
