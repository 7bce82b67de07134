"""Late rulings on situations that counted without a GM's answer.

MB-BG-15, MB-BG-42, MB-BG-46, MB-BG-55, MB-BG-57.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.systems.masterbook.checks.attempt_values import attempt_subject
from rules.systems.masterbook.checks.background_causes import (
    Causes,
    OfferedSituation,
    RollCauses,
    RollSubject,
    counted_situations,
    is_named,
    offered_situations,
    roll_causes,
    situation_numbers,
    situation_word,
)
from rules.systems.masterbook.checks.late_rulings import LateRulingStage, is_newest_of_actor
from rules.systems.masterbook.checks.state import MINE, THEIRS, AnyAttempt, Attempt
from rules.systems.masterbook.formulas.dice import Throw
from rules.table.blocks import GMS_ONLY, Text, Viewers
from rules.table.check import Check, Choice
from rules.table.checks.procedure import CheckOption, StageResult
from rules.table.checks.stages import ROLL
from rules.table.system import Game

#: Separator of a situation's name and its number in an option.
_SEPARATOR: Final = "."


class SituationStage(LateRulingStage):
    """Stage at which a GM may change the situations that counted as proposed.

    The stage never asks: a check must not wait longer because of options that only GMs know.
    """

    name = "situations"
    changes_outcome = True

    def late_options(self, game: Game, check: Check[Any]) -> tuple[CheckOption, ...]:
        data = check.data
        if data is None or data.answer != ROLL or data.answered_by or not data.throws:
            return ()
        subject = attempt_subject(game, check)
        if subject is None or data.consequences or not is_newest_of_actor(game, check):
            return ()
        counted = _numbers_by_token(game, subject)
        options: list[CheckOption] = []
        for offered in offered_situations(game, subject):
            now = counted.get(offered.token, 0)
            numbers = _other_numbers(offered, now, subject)
            options += [_option(offered, number) for number in numbers]
        return tuple(options)

    def ruling_viewers(self, game: Game, check: AnyAttempt, option: str = "") -> Viewers:
        """Hide a ruling that changes a difficulty from players."""
        offered = _find_offered(game, check, option)
        if offered is None or offered.active.situation.to == "difficulty":
            return GMS_ONLY
        return super().ruling_viewers(game, check, option)

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> StageResult[Any]:
        subject = attempt_subject(game, check)
        if subject is None:
            return StageResult(game.state, check.data)
        token, _, number = choice.option.partition(_SEPARATOR)
        before = roll_causes(game, subject, (), answered=False)
        numbers = _numbers_by_token(game, subject) | {token: int(number)}
        words = tuple(situation_word(key, value) for key, value in numbers.items() if value)
        after = roll_causes(game, subject, words, answered=True)
        data = _with_changed_causes(check.data, before, after)
        ruling = data.effective_ruling.replace(situations=words)
        data = data.replace(ruling=ruling, answered_by=game.actor.id)
        return StageResult(game.state, data)


def _numbers_by_token(game: Game, subject: RollSubject) -> dict[str, int]:
    """Return the situations that have counted without an answer."""
    counted = counted_situations(game, subject, (), answered=False)
    return {offered.token: number for offered, number in counted}


def _other_numbers(offered: OfferedSituation, now: int, subject: RollSubject) -> Iterable[int]:
    """Return the numbers that a GM may rule instead; for an uncounted situation, the highest."""
    situation = offered.active.situation
    if now:
        return [number for number in (0, *situation_numbers(situation)) if number != now]
    return [situation.high] if situation.high and is_named(offered.active, subject) else []


def _option(offered: OfferedSituation, number: int) -> CheckOption:
    situation = offered.active.situation
    about = {"why": offered.active.cause, "number": number, "to": situation.to}
    about["drops"] = not number
    return CheckOption(f"{offered.token}{_SEPARATOR}{number}", Text("mb-situation-late", about))


def _find_offered(game: Game, check: AnyAttempt, option: str) -> OfferedSituation | None:
    subject = attempt_subject(game, check)
    token = option.partition(_SEPARATOR)[0]
    if subject is None:
        return None
    for offered in offered_situations(game, subject):
        if offered.token == token:
            return offered
    return None


def _with_changed_causes(data: Attempt, before: RollCauses, after: RollCauses) -> Attempt:
    """Return an attempt with its causes exchanged; its dice stay."""
    shifts = _exchange_causes(data.hidden_shifts, before.difficulty, after.difficulty)
    throws: list[Throw] = []
    for throw in data.throws:
        if throw.what == MINE:
            modifiers = _exchange_causes(throw.modifiers, before.total, after.total)
            bonuses = _exchange_causes(throw.bonuses, before.bonus, after.bonus)
            throw = throw.replace(modifiers=modifiers, bonuses=bonuses)
        if throw.what == THEIRS:
            bonuses = _exchange_causes(throw.bonuses, before.target_bonus, after.target_bonus)
            throw = throw.replace(bonuses=bonuses)
        throws.append(throw)
    mine = data.mine
    if mine is not None:
        mine = mine.replace(
            modifiers=_exchange_causes(mine.modifiers, before.total, after.total),
            bonuses=_exchange_causes(mine.bonuses, before.bonus, after.bonus),
        )
    return data.replace(hidden_shifts=shifts, throws=tuple(throws), mine=mine)


def _exchange_causes(causes: Causes, before: Causes, after: Causes) -> Causes:
    """Return causes without those of *before*, and with those of *after*."""
    left = list(causes)
    for cause in before:
        if cause in left:
            left.remove(cause)
    return (*left, *after)
