"""Moves: the options of a participant in checks, and the characters a check visibly waits for."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record
from rules.table.blocks import Text, Verdict
from rules.table.check import ANY_GM, AnyCheck, OpenPrompt
from rules.table.checks.access import answers_stalled, may_answer, may_see_check, may_see_prompt
from rules.table.checks.deaths import stage_of
from rules.table.checks.procedure import CheckOption
from rules.table.checks.standing_orders import may_pass
from rules.table.system import Game, is_npc


class Move(Record):
    """Options of one prompt for one character."""

    check: str
    prompt: str
    number: int
    #: Id of the character; `ANY_GM` for the GMs.
    who: str
    options: tuple[CheckOption, ...]
    #: A pass is an answer too.
    passes: bool = False
    #: The prompt is an offer: the check waits for no answer to it.
    offer: bool = False
    #: The check waits for this character's answer.
    waited_for: bool = False
    #: The wait has stalled: for the GMs, or for a player in whose place a GM may answer.
    stalled: bool = False


def check_moves(game: Game, check: AnyCheck) -> tuple[Move, ...]:
    """Return the acting participant's moves in a check, prompt by prompt."""
    if not check.asked or not may_see_check(game, check, game.actor):
        return ()
    found: list[Move] = []
    for asked in check.asked:
        if may_see_prompt(game, asked, game.actor):
            found += _moves(game, check, asked)
    return tuple(found)


def _moves(game: Game, check: AnyCheck, asked: OpenPrompt) -> list[Move]:
    state, prompt, offer = game.state, asked.prompt, asked.prompt.wait is None
    stage = stage_of(game, check)
    asks = (*state.characters, ANY_GM) if prompt.who is None else prompt.who
    found: list[Move] = []
    for who in asks:
        own = may_answer(state, game.actor, who, game.at, gm_only=check.gm_only)
        if who in asked.passed or not (own or answers_stalled(game, asked, who)):
            continue
        options, passes = tuple(stage.options(game, check, prompt.key, who)), may_pass(prompt)
        if not own:
            options = tuple([_for_another(option) for option in options])
        if options or passes:
            waited_for = who in asked.waiting_for
            overdue = who == ANY_GM and waited_for and asked.is_stalled(game.at)
            found.append(
                Move(
                    check.id,
                    prompt.key,
                    asked.number,
                    who,
                    options,
                    passes,
                    offer,
                    waited_for=waited_for,
                    stalled=overdue or not own,
                )
            )
    return found


def _for_another(option: CheckOption) -> CheckOption:
    """Return an option with the label that it has for a GM who answers in a player's place."""
    label = _FOR_ANOTHER.get(option.label.code)
    return option if label is None else option.replace(label=label)


_FOR_ANOTHER: Final = {"answer-roll": Text("answer-roll-for-them")}


def is_losing(game: Game, check: AnyCheck, who: str, verdict: Verdict | None) -> bool:
    """Return whether a check goes against *who*, by the verdict that *who* reads.

    The verdict's tone is for players. Between two players' characters it is neutral, and only
    `worked` tells.
    """
    if verdict is None:
        return False
    if verdict.tone == "neutral":
        worked, rivals = verdict.worked, (check.actor, check.target)
        return worked is not None and who in rivals and worked == (who == check.target)
    ours = who != ANY_GM and not is_npc(game, who)
    return verdict.tone == ("bad" if ours else "good")


def available_moves(game: Game) -> tuple[Move, ...]:
    """Return the acting participant's moves in all checks, oldest check first."""
    return tuple(
        [move for check in game.state.checks.values() for move in check_moves(game, check)]
    )


def is_past_offer(game: Game, move: Move) -> bool:
    """Return whether a check has been over for longer than the time for answers.

    Then its offers stand on its message only, and in no list. An offer that called its players is
    never past.
    """
    check = game.state.checks[move.check]
    asked = check.prompt(move.prompt)
    if check.is_open or (asked is not None and asked.prompt.calls):
        return False
    return game.at - check.final_since >= game.state.settings.answer_time


def is_behind_neutral_button(asked: OpenPrompt) -> bool:
    """Return whether a prompt stands behind the neutral button. A secret one does until its
    stage is over.
    """
    prompt = asked.prompt
    who = asked.named if prompt.secret and prompt.who is not None else prompt.who
    return prompt.button is None and who not in ((ANY_GM,), ())
