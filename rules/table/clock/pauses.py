"""Pauses of a table's clock: while one lasts nothing runs out, and everything may be done.

Beginning a pause changes nothing but the settings. Its end puts off every open prompt, every turn
and every time to step in, so that each has what was left of it when the pause began.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.table.actions import Due, PauseTable, ResumeTable
from rules.table.blocks import EVERYONE
from rules.table.check import AnyCheck
from rules.table.checks.audience_views import check_view
from rules.table.checks.prompt_times import put_off_start, with_time_held
from rules.table.checks.step_in_time import with_step_in_held
from rules.table.events import Event, Notice
from rules.table.forms.typed_texts import one_line
from rules.table.initiative import slot_on_turn
from rules.table.outcome import Outcome
from rules.table.roll_calls.roll_call import missing_checks, roll_calls, with_roll_calls_held
from rules.table.state import AnyEncounter, Pause, Settings, TableState
from rules.table.system import Game
from rules.table.whispers import open_place

#: Note of a pause that began because the GMs were silent.
SILENT: Final = "silent"
#: Longest reason for a pause, in characters.
NOTE_MAX: Final = 200
#: Beginning of the ids of waits that end a pause.
_PAUSE: Final = "pause:"


def pause_waits(state: TableState) -> dict[str, int]:
    """Return when the table's pause ends, by the id of the wait; empty without such a time."""
    pause = state.settings.pause
    if pause is None or pause.until is None:
        return {}
    return {f"{_PAUSE}{pause.place}:{pause.since}:{pause.until}": pause.until}


def clock_time(settings: Settings, at: int) -> int:
    """Return the time up to which a table's clock has run: the beginning of a pause, or *at*."""
    return at if settings.pause is None else min(at, settings.pause.since)


def is_pause_wait(wait: str) -> bool:
    """Return whether a wait ends a pause."""
    return wait.startswith(_PAUSE)


def pause_place(wait: str) -> str:
    """Return the place in which the pause that a wait ends was announced."""
    return wait.removeprefix(_PAUSE).rsplit(":", 2)[0]


def begin_pause(
    game: Game, place: str, until: int | None = None, note: str = ""
) -> tuple[Game, tuple[Event, ...]]:
    """Return the paused table, and the events that tell everyone.

    A table that is paused stays paused since then, with this end and reason.

    Raises:
        InvalidInput("bad-until"): the end isn't later.
        Impossible("already-paused"): the table is paused like this.
    """
    state, settings = game.state, game.state.settings
    if until is not None and until <= game.at:
        raise InvalidInput("bad-until", field="until", value=None)
    was = settings.pause
    pause = Pause(game.at if was is None else was.since, until, note, place)
    if was is not None and (was.until, was.note) == (until, note):
        raise Impossible("already-paused")
    after = game.with_state(state.replace(settings=settings.replace(pause=pause)))
    said = "" if note == SILENT else note
    params = {"until": until, "silent": note == SILENT, "again": was is not None}
    notice = Notice("clock-paused", params, by=game.actor.id, note=said)
    return after, (notice, *(() if was is not None else times_shown_anew(after)))


def end_pause(game: Game) -> tuple[Game, tuple[Event, ...]]:
    """Return the table whose clock runs again, and the events that tell everyone.

    Raises Impossible("not-paused").
    """
    pause = game.state.settings.pause
    if pause is None:
        raise Impossible("not-paused")
    state = _with_times_held(game.state, pause, game.at)
    after = game.with_state(state.replace(settings=state.settings.replace(pause=None)))
    params = {"seconds": game.at - pause.since, "silent": pause.note == SILENT}
    notice = Notice("clock-resumed", params, by=game.actor.id)
    return after, (notice, *times_shown_anew(after))


def _with_times_held(
    state: TableState, pause: Pause, at: int, kept: frozenset[str] = frozenset()
) -> TableState:
    """Return the table in which what was left of each time when the pause began is left at *at*.

    Checks that are *kept* have been put off already.
    """
    checks: dict[str, AnyCheck] = {}
    for key, check in state.checks.items():
        checks[key] = check
        if key not in kept:
            now = with_time_held(check, state.settings.rest, pause.since, at)
            checks[key] = with_step_in_held(state.settings, now, pause.since, at)
    if any(check is not state.checks[key] for key, check in checks.items()):
        state = state.replace(checks=checks)
    state = with_roll_calls_held(state, pause.since, at)
    for encounter in state.encounters.values():
        began = max(pause.since, encounter.since)
        # A turn that is paused by its checks stays paused.
        runs = encounter.paused_at is None and slot_on_turn(encounter) is not None
        if runs and began < at:
            state = state.with_encounter(with_time_running(state, encounter, began, at))
    return state


def with_time_running(
    state: TableState, encounter: AnyEncounter, since: int, at: int
) -> AnyEncounter:
    """Return a turn whose time goes on at *at* where it stood at *since*."""
    start = put_off_start(state.settings.rest, encounter.since + encounter.paused, since, at)
    return encounter.replace(paused=start - encounter.since)


def with_pause_undone(
    before: TableState, restored: TableState, at: int, reopened: frozenset[str]
) -> TableState:
    """Return a table that an undo has restored, with the times that it should have.

    If the undo took back the beginning of a pause, nothing has run meanwhile. If it took back the
    end of one whose time is over, the pause has no end any more. Checks that are *reopened* have
    their times already.
    """
    was, now = before.settings.pause, restored.settings.pause
    if was is not None and now is None:
        return _with_times_held(restored, was, at, reopened)
    if now is not None and now.until is not None and now.until <= at:
        pause = now.replace(until=None)
        return restored.replace(settings=restored.settings.replace(pause=pause))
    return restored


def times_shown_anew(game: Game, besides: Collection[str] = ()) -> tuple[Event, ...]:
    """Return the open public checks as everyone sees them, where a message shows a deadline.

    Checks that are named *besides* are left out.
    """
    events: list[Event] = []
    for check in game.state.open_checks:
        timed = any(pending.due is not None for pending in check.asked)
        if check.id in besides:
            continue
        if timed and check.is_public:
            events.append(check_view(game, check, EVERYONE))
    # `with_roll_calls` adds the message of each call.
    for call in roll_calls(game.state):
        for check in missing_checks(game, call)[:1]:
            if call.until is not None and check.id not in besides:
                events.append(check_view(game, check, EVERYONE))
    return tuple(events)


def pause_table(state: TableState, action: PauseTable, game: Game) -> Outcome:
    """Pause the table's clock for a GM. Raises as `begin_pause`, and as `one_line`."""
    note = one_line("note", action.note, NOTE_MAX) if action.note else ""
    place = open_place(state, action.place) or action.place
    after, events = begin_pause(game, place, action.until, note)
    return Outcome(after.state, events)


def resume_table(state: TableState, action: ResumeTable, game: Game) -> Outcome:
    """End the pause of the table's clock for a GM. Raises as `end_pause`."""
    after, events = end_pause(game)
    return Outcome(after.state, events)


def end_pause_by_clock(game: Game, action: Due) -> Outcome:
    """End a pause whose time is over. Raises Outdated("wait-over", "not-yet-due")."""
    until = pause_waits(game.state).get(action.wait)
    if until is None:
        raise Outdated("wait-over", wait=action.wait)
    if until > action.at:
        raise Outdated("not-yet-due", wait=action.wait)
    after, events = end_pause(game)
    return Outcome(after.state, events)
