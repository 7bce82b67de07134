"""Calls of a check: the players and GMs to ping, at first or as a reminder."""

from __future__ import annotations

from collections.abc import Callable

from rules.table.absence import is_away, stand_ins
from rules.table.check import ANY_GM, AnyCheck, OpenPrompt, Viewers
from rules.table.checks.check_run import CheckStep
from rules.table.gm_office import deputies
from rules.table.system import Game

#: A character to call, or `ANY_GM`, and those who may know of the prompt.
Call = tuple[str, Viewers]


def calls_of(
    check: AnyCheck,
    was: AnyCheck | None,
    took: tuple[CheckStep, ...],
    players: Callable[[str], tuple[str, ...]],
) -> tuple[Call, ...]:
    """Return the calls after a step: new ones, reminders, and the GMs' for a stalled prompt.

    `was` is the check before the step, `took` the steps since. `players` returns the participants
    who may answer for a character.
    """
    stalled = [step.prompt for step in took if step.step == "stalled"]
    calling = ("reminded", "called")
    reminded = [*stalled, *[step.prompt for step in took if step.step in calling]]
    found: list[Call] = []
    for asked in check.asked:
        prompt = asked.prompt
        if not is_called(asked):
            continue
        old = None if was is None or prompt.key in reminded else was.prompt(prompt.key)
        known = called_characters(old) if old and old.number == asked.number else ()
        left = called_characters(asked)
        # Calling only the rest would show who has answered in secret.
        if prompt.secret and not known and any(players(who) for who in asked.named):
            left = asked.named
        found += [(each, prompt.visible_to) for each in left if each not in known]
        if prompt.key in stalled and ANY_GM not in left:
            found.append((ANY_GM, prompt.visible_to))
    return tuple(found)


def calls_again(check: AnyCheck) -> tuple[Call, ...]:
    """Return the calls of a check that is back after an undo, calls made before included."""
    return tuple(
        [
            (who, asked.prompt.visible_to)
            for asked in check.asked
            if is_called(asked)
            for who in (asked.named if asked.prompt.secret else called_characters(asked))
        ]
    )


def players_called(game: Game, who: str) -> tuple[tuple[str, ...], bool]:
    """Return the participants to call for a character, and whether to call the GMs.

    Those are the owner, or the stand-ins of an owner who is away. The GMs are called if there is
    none, and for an NPC. A character that is gone calls nobody.
    """
    character = game.state.characters.get(who)
    if who == ANY_GM or character is None or character.owner is None:
        return (), who == ANY_GM or character is not None
    if not is_away(game.state, character.owner, game.at):
        return (character.owner,), False
    others = stand_ins(game.state, who, game.at)
    return others, not others


def gms_away(game: Game) -> tuple[str, ...]:
    """Return the GMs and deputies who are away; none of them if the table has no others."""
    settings = game.state.settings
    called = (*settings.gms, *deputies(game.state))
    away = tuple(gm for gm in called if is_away(game.state, gm, game.at))
    alone = len(away) == len(called) and not settings.gm_roles
    return () if alone else away


def is_called(asked: OpenPrompt) -> bool:
    """Return whether a prompt calls characters by name. An offer does so only with `calls`."""
    return asked.prompt.wait is not None or asked.prompt.calls


def called_characters(asked: OpenPrompt) -> tuple[str, ...]:
    """Return the characters that a prompt waits for, or that an offer calls.

    An offer that calls nobody has none.
    """
    prompt = asked.prompt
    return asked.waiting_for if prompt.wait is not None or not prompt.calls else prompt.who or ()
