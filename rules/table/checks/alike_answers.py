"""Answers that a GM gives once more: to the next proposal of the same kind, or to several alike."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput
from rules.table.actions import AnswerAlike
from rules.table.check import ANY_GM, AnyCheck, Values
from rules.table.checks import engine
from rules.table.checks.access import find_check, may_see_check
from rules.table.checks.check_events import events_for
from rules.table.checks.procedure import has_role, procedure_of
from rules.table.checks.stages import MARGIN_ONLY, ROLL, TRAITS, ProposalData, ProposalStage
from rules.table.events import Event
from rules.table.outcome import Outcome
from rules.table.state import TableState
from rules.table.system import Game

#: Key of the prompt in which a GM answers a proposal.
RULE: Final = "rule"
#: Most proposals that are answered at once.
ALIKE_MAX: Final = 20


def _proposal_stage(game: Game, check: AnyCheck) -> ProposalStage[ProposalData] | None:
    """Return the stage in which a check of this kind is proposed; None without one."""
    course = procedure_of(game, check.kind)
    stage = course.stages[course.first]
    return stage if isinstance(stage, ProposalStage) else None


def _is_alike(check: AnyCheck, other: AnyCheck) -> bool:
    """Return whether two checks of one place ask to roll with the same."""
    if check.id == other.id or (check.kind, check.place) != (other.kind, other.place):
        return False
    if not isinstance(check.data, ProposalData) or not isinstance(other.data, ProposalData):
        return False
    asked, also = check.data.asked, other.data.asked
    return all(asked.get(trait) == also.get(trait) for trait in TRAITS)


def _is_awaiting_answer(check: AnyCheck) -> bool:
    asked = check.prompt(RULE)
    return asked is not None and bool(asked.waiting_for) and not check.data.answer


def alike_proposals(game: Game, check: AnyCheck) -> tuple[AnyCheck, ...]:
    """Return the other proposals that wait for a GM, and ask the same as a check, oldest first."""
    if not has_role(game, check.kind, "check") or not _is_awaiting_answer(check):
        return ()
    alike: list[AnyCheck] = []
    for other in game.state.open_checks:
        if _is_alike(check, other) and _is_awaiting_answer(other):
            if may_see_check(game, other, game.actor):
                alike.append(other)
    return tuple(alike[: ALIKE_MAX - 1])


def last_answer(game: Game, check: AnyCheck) -> tuple[str, Values] | None:
    """Return the actor's last answer to a proposal that asked the same as a check.

    It is the option and the values of its form. None if there is no such answer.
    """
    stage = _proposal_stage(game, check)
    if stage is None or not has_role(game, check.kind, "check") or not _is_awaiting_answer(check):
        return None
    found: AnyCheck | None = None
    for other in game.state.checks.values():
        if not _is_alike(check, other) or other.data.answer not in (ROLL, MARGIN_ONLY):
            continue
        is_own = other.data.answered_by == game.actor.id and not other.group
        if is_own and (found is None or other.number > found.number):
            found = other
    return None if found is None else (found.data.answer, stage.ruling_draft(found))


def answer_alike(state: TableState, action: AnswerAlike, game: Game) -> Outcome:
    """Give several proposals the same answer, for a GM.

    Raises InvalidInput("empty"), and as `engine.choose`.
    """
    if not action.checks or len(action.checks) > ALIKE_MAX:
        raise InvalidInput("empty", field="checks", value="", allowed="checks")
    now, events = game, list[Event]()
    for key, number in dict(action.checks).items():
        check = find_check(now, key)
        values = dict(action.values)
        made = engine.choose(now, check.id, RULE, number, action.option, (ANY_GM,), values)
        events += events_for(now.state, made)
        now = made.game
    return Outcome(now.state, tuple(events))
