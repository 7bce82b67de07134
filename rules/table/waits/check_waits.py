"""Waits of checks that have run out: answers by the clock, reminders, and stalls."""

from __future__ import annotations

from rules.table.actions import Due
from rules.table.checks import engine
from rules.table.checks.check_events import events_for
from rules.table.checks.check_run import CheckAdvance
from rules.table.checks.deaths import players_dying
from rules.table.events import Event, Notice
from rules.table.outcome import Outcome
from rules.table.roll_calls.call_reminders import reminders_together
from rules.table.system import Game
from rules.table.turns.missed_turns import with_missed


def handle_check_wait(action: Due, game: Game) -> Outcome:
    """Act on a wait that has run out. Participants for whom it does not wait hear nothing of it.

    Raises as `engine.lapse` and `reminders_together`.
    """
    made = engine.lapse(game, action.wait)
    outcome = Outcome(made.state, events_for(game.state, made))
    if any(step.step not in ("reminded", "stalled") for step in made.took):
        outcome = outcome.replace(events=(*outcome.events, *_dying_notices(game, made.game)))
        return with_missed(game, outcome, _missed_by(made), made.check.place)
    events = list[Event]()
    for wait in reminders_together(game, action.wait):
        events += events_for(game.state, engine.lapse(game, wait))
    called = [event for event in events if event.audience.everyone or event.ping or event.ping_gms]
    return Outcome(outcome.state, tuple(called))


def _missed_by(made: CheckAdvance) -> tuple[str, ...]:
    """Return the characters for whom the clock has answered, without secret prompts."""
    missed = [step.who for step in made.took if step.how == "clock" and not step.secret]
    return tuple(missed)


def _dying_notices(before: Game, after: Game) -> tuple[Notice, ...]:
    """Call the GMs and the player of each player's character who is dying by the clock's answer."""
    found: list[Notice] = []
    for key in players_dying(before, after):
        character = after.character(key)
        notice = Notice(
            "character-dying",
            {"name": character.name},
            by=after.actor.id,
            ping=() if character.owner is None else (character.owner,),
            ping_gms=True,
            characters=(key,),
        )
        found.append(notice)
    return tuple(found)
