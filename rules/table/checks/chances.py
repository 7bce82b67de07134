"""Odds before the roll: of what somebody has in mind, and of a check that waits for its roll."""

from __future__ import annotations

from dataclasses import dataclass

from rules.core.errors import Impossible, Outdated, RulesError
from rules.table.actions import Actor, Propose
from rules.table.checks.access import find_check as find_any
from rules.table.checks.access import may_see as may_see_check
from rules.table.checks.check import AnyCheck
from rules.table.checks.procedure import Forecast, procedure_of
from rules.table.checks.views import cast_of, find_check, may_see
from rules.table.events import Line
from rules.table.lookup import acting_as
from rules.table.permissions import is_gm, owns, require_owner
from rules.table.state import AnyChallenge, AnyCharacter, Challenge, TableState
from rules.table.system import Cast, Game, OddsTable

#: So many levels of difficulty are compared side by side; more would not be readable.
COMPARED = 7


@dataclass(frozen=True, slots=True)
class Chances:
    """Odds with what they are of: who acts, with what, and what makes it easier or harder.

    One table for each difficulty. `check` is the check's id, None for something that was only asked about.
    """

    character: AnyCharacter
    traits: tuple[Line, ...]
    shifts: tuple[Line, ...]
    tables: tuple[OddsTable, ...]
    check: str | None = None


def chances_of(game: Game, action: Propose) -> Chances:
    """What a proposal like this would have for odds: against its difficulty, or against each of the first levels.

    Raises what proposing it would.
    """
    state = game.state
    character = acting_as(state, action.who, action.as_, action.place)
    request = game.course.propose(character, action)
    asked: AnyChallenge = Challenge(
        id="",
        place=action.place,
        character=character.id,
        by=action.who.id,
        approach="",
        request=request,
        visibility="private",
        status="proposed",
        since=action.at,
    )
    told = game.course.describe(Cast(character), asked, gm=False)
    return Chances(character, told.traits, told.shifts, compare(game, character, action))


def compare(game: Game, character: AnyCharacter, action: Propose) -> tuple[OddsTable, ...]:
    """The odds of a proposal against its difficulty, or against each of the first levels, all that differ.

    Raises what the system's `odds_table` raises.
    """
    levels = [choice.value for choice in game.course.difficulties()[:COMPARED]]
    found: list[OddsTable] = []
    for level in levels if action.difficulty is None else [action.difficulty]:
        table = game.course.odds_table(character, action, level)
        if table not in found:  # levels may come to the same once they are shifted
            found.append(table)
    return tuple(found)


def checks_that_wait(game: Game) -> tuple[AnyCheck, ...]:
    """The checks waiting for their roll whose odds the actor may ask for, newest first."""
    found: list[AnyCheck] = []
    for check in reversed(tuple(game.state.checks.values())):
        try:
            _forecast(game, check)
        except RulesError:
            continue
        if may_see_check(game, check, game.actor):
            found.append(check)
    return tuple(found)


def chances_of_check(game: Game, text: str) -> Chances:
    """The odds of a check exactly as the GM has ruled it.

    NotFound("unknown-check"), NotPermitted("owner-only") for others than its player and the GMs,
    Impossible("hidden-odds") for players where the difficulty is hidden, ("odds-unmeasured") where there are none,
    and as its procedure's `odds`.
    """
    check = find_any(game, text)
    found = _forecast(game, check)
    return Chances(game.character(check.actor), found.traits, found.shifts, (found.table,), check.id)


def _forecast(game: Game, check: AnyCheck) -> Forecast:
    gm = is_gm(game.state, game.actor)
    if not gm:
        require_owner(game.state, game.actor, game.character(check.actor))
    odds = procedure_of(game, check.kind).odds
    if odds is None:
        raise Impossible("odds-unmeasured")
    found = odds(game, check)
    if check.hidden and not gm:
        raise Impossible("hidden-odds", check=check.id)
    return found


def checks_with_odds(state: TableState, actor: Actor) -> tuple[AnyChallenge, ...]:
    """The checks waiting for their roll whose odds the actor may ask for, newest first."""
    gm = is_gm(state, actor)
    found = [
        challenge
        for challenge in state.challenges.values()
        if challenge.status == "answered"
        and may_see(state, challenge, actor)
        and (gm or (owns(state, actor, state.characters[challenge.character]) and not challenge.hidden))
    ]
    return tuple(reversed(found))


def odds_of_check(game: Game, actor: Actor, text: str) -> Chances:
    """The odds of a check exactly as the GM has ruled it.

    NotFound("unknown-check"), NotPermitted("owner-only") for others than its player and the GMs,
    Impossible("not-answered") before there is a ruling, Outdated("check-moved-on") after the roll,
    Impossible("hidden-odds") for players where the difficulty is hidden.
    """
    state = game.state
    challenge = find_check(state, actor, text)
    character = state.characters[challenge.character]
    gm = is_gm(state, actor)
    if not gm:
        require_owner(state, actor, character)
    if challenge.status == "proposed":
        raise Impossible("not-answered", check=challenge.id)
    if challenge.status != "answered":
        raise Outdated("check-moved-on", check=challenge.id, status=challenge.status)
    if challenge.hidden and not gm:
        raise Impossible("hidden-odds", check=challenge.id)
    told = game.course.describe(cast_of(state, challenge), challenge, gm=gm)
    table = game.course.odds_of(cast_of(state, challenge), challenge)
    return Chances(character, told.traits, told.shifts, (table,), challenge.id)
