"""Choice of the characters that a prompt of a check waits for, and of the time they have.

The choice reads public facts only: the roller, the target that is hit, whether the number is open,
points, the number of cards, and players' requests for a say.
"""

from __future__ import annotations

from typing import Any, Final

from rules.table.absence import is_absent, orders_of, players_of
from rules.table.blocks import public_verdict
from rules.table.check import ANY_GM, AnyCheck, Prompt, WaitTime
from rules.table.checks.available_moves import is_losing
from rules.table.checks.procedure import Stage, procedure_of
from rules.table.state import HOUR, Settings
from rules.table.system import Game, is_npc

#: Seconds that a player has after rolling against a hidden number: by post, and in live play.
OWN_ROLL_TIME: Final = HOUR
LIVE_OWN_ROLL_TIME: Final = 120


def decide_waits(game: Game, check: AnyCheck, stage: Stage[Any], prompt: Prompt) -> Prompt:
    """Return a prompt with `who`, `waits`, `time` and `harms` filled in.

    An offer and an `answer` prompt come back unchanged. The prompt gets the longest time of all
    characters in its `waits`. It keeps that time while it is open, unless a player's say ends.
    """
    if prompt.wait in (None, "answer") or prompt.who is None:
        return prompt
    who = (*prompt.who, *_characters_wanting_say(game, check, stage, prompt))
    found = {each: _wait_time(game, check, stage, prompt, each) for each in who}
    waits = tuple([key for key, time in found.items() if time is not None])
    times = {time for time in found.values() if time is not None}
    # A prompt has one deadline: the longest of all characters that it waits for.
    time = next((each for each in _LONGEST_FIRST if each in times), prompt.time)
    harms = prompt.harms or any(stage.is_hurt(game, check, wait) for wait in waits)
    return prompt.replace(who=who, waits=waits, time=time, harms=harms)


_LONGEST_FIRST: Final[tuple[WaitTime, ...]] = ("answer", "step-in", "own-roll")


def _characters_wanting_say(
    game: Game, check: AnyCheck, stage: Stage[Any], prompt: Prompt
) -> tuple[str, ...]:
    """Return the characters to add to a prompt because their players want a say.

    A player wants a say in one check (*Wait for me*), or in every public result in the place (*Ask
    me*).
    """
    asked = prompt.who or ()
    if prompt.wait != "react" or prompt.visible_to is not None:
        return ()
    there = game.state.characters
    found = [*check.held_for]
    # At the start of a round the stage itself knows who can still do something.
    results = stage.can_be_asked_for and stage.asked_by == "ask_results"
    if results and check.is_public:
        found += [each for each in there if _asks_here(game, check, each)]
    return tuple([each for each in dict.fromkeys(found) if each in there and each not in asked])


def _asks_here(game: Game, check: AnyCheck, who: str) -> bool:
    """Return whether a character's player is asked before every result in a check's place.

    Where initiative runs, the character has to take part in it.
    """
    character = game.state.characters[who]
    if character.owner is None or not character.in_play:
        return False
    if not orders_of(game.state, who).ask_results:
        return False
    encounter = game.state.encounters.get(check.place)
    return encounter is None or any(entry.character == who for entry in encounter.order)


def _wait_time(
    game: Game, check: AnyCheck, stage: Stage[Any], prompt: Prompt, who: str
) -> WaitTime | None:
    """Return the time for which a prompt waits for a character; None if it doesn't wait."""
    settings = game.state.settings
    if who != ANY_GM and who in stage.deciders(game, check, prompt):
        time = _decision_time(game, check, stage, prompt, who)
        if time is not None:
            return time
    if not settings.step_in_time:
        return None
    if is_absent(game.state, who, game.at):
        # An absent player's wish to be asked lapses, except at a table that waits for all players.
        return "step-in" if settings.wait_for_everybody else None
    if settings.wait_for_everybody or who in check.held_for:
        return "step-in"
    return "step-in" if getattr(orders_of(game.state, who), stage.asked_by) else None


def _decision_time(
    game: Game, check: AnyCheck, stage: Stage[Any], prompt: Prompt, who: str
) -> WaitTime | None:
    """Return the time for which a prompt waits for a decider; None if it doesn't wait.

    It doesn't wait for an NPC without `Orders.ask`, or for a decider without means. Against an open
    number, it doesn't wait for a player who has just rolled, or who wants the result as it is.
    """
    settings = game.state.settings
    if is_npc(game, who):
        return "answer" if orders_of(game.state, who).ask else None
    if settings.open_points and not stage.has_means(game, check, who):
        return None
    if prompt.wait == "means" or stage.is_hurt(game, check, who):
        return "answer"
    own = check.rolled_by in players_of(game.state, who, game.at)
    if stage.has_secret_number(game, check):
        return "own-roll" if own else "answer"
    return None if own or _has_wanted_result(game, check, stage, who) else "answer"


def _has_wanted_result(game: Game, check: AnyCheck, stage: Stage[Any], who: str) -> bool:
    """Return whether a character wants the result that all participants see.

    False if the verdict doesn't say which side it favors, as between two players' characters.
    """
    known = stage.has_wanted_result(game, check, who)
    if known is not None:
        return known
    verdict = public_verdict(procedure_of(game, check.kind).describe(game, check))
    if verdict is None or (verdict.tone == "neutral" and verdict.worked is None):
        return False
    return not is_losing(game, check, who, verdict)


def wait_seconds(settings: Settings, time: WaitTime) -> int:
    """Return the length of a wait at this table, in seconds."""
    if time == "own-roll":
        return LIVE_OWN_ROLL_TIME if settings.live else OWN_ROLL_TIME
    return settings.step_in_time if time == "step-in" else settings.answer_time
