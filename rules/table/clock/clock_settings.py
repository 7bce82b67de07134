"""Rest of a table's clock, as a GM sets it."""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput
from rules.table.actions import ChangeRest
from rules.table.blocks import Text
from rules.table.checks.prompt_times import with_new_times
from rules.table.clock.pauses import times_shown_anew
from rules.table.events import Notice
from rules.table.outcome import Outcome
from rules.table.state import Settings, TableState
from rules.table.system import Game
from rules.table.times.reminders import SHORTEST_NOTICE
from rules.table.times.rest import Rest
from rules.table.times.typed_rest import time_text
from rules.table.times.zone_offsets import (
    DAY_MINUTES,
    WEEK_DAYS,
    ZONE_MAX,
    require_between,
    require_offsets,
)


def change_rest(state: TableState, action: ChangeRest, game: Game) -> Outcome:
    """Set the days and hours of the table's clock. What runs already has at least an hour's notice.

    Raises:
        InvalidInput("rest-every-day"): all days are rest days.
        InvalidInput("out-of-range"): a day, a minute or an offset that doesn't exist.
        InvalidInput("bad-zone"): days or hours without a zone, or offsets that aren't in order.
        Impossible("rest-unchanged"): the table's clock has this rest.
    """
    rest = _read_rest(action)
    settings = state.settings
    if rest == settings.rest:
        raise Impossible("rest-unchanged")
    now = settings.replace(
        rest=rest,
        rest_before=rest_of_turns_under_way(settings, action.at),
        turn_time_since=action.at,
        turn_time_before=turn_time_under_way(settings, action.at),
    )
    checks = {key: with_new_times(now, check, action.at) for key, check in state.checks.items()}
    after = game.with_state(state.replace(settings=now, checks=checks))
    lines = rest_lines(rest) if rest.is_set else ()
    notice = Notice("rest-changed", {"rests": rest.is_set}, lines=lines, by=action.who.id)
    return Outcome(after.state, (notice, *times_shown_anew(after)))


def rest_lines(rest: Rest) -> tuple[Text, ...]:
    """Return the days and hours of a table's clock, a line each."""
    lines: list[Text] = []
    if rest.days:
        days = tuple(Text("weekday", {"day": day}) for day in rest.days)
        lines.append(Text("rest-days", {"days": days}))
    if rest.from_ != rest.to:
        code = "rest-hours" if rest.from_ < rest.to else "rest-night"
        hours = {"from": time_text(rest.from_), "to": time_text(rest.to)}
        lines.append(Text(code, hours))
    if not lines:
        return (Text("rest-none"),)
    return (*lines, Text("rest-zone", {"zone": rest.zone.replace("_", " ")}))


def _read_rest(action: ChangeRest) -> Rest:
    """Return the rest that an action sets. Raises InvalidInput as `change_rest`."""
    days = tuple(sorted(set(action.days)))
    for day in days:
        require_between("days", day, 0, WEEK_DAYS - 1)
    if len(days) == WEEK_DAYS:
        raise InvalidInput("rest-every-day", field="days", value=None)
    require_between("from", action.from_, 0, DAY_MINUTES - 1)
    require_between("to", action.to, 0, DAY_MINUTES - 1)
    rest = Rest(days, action.from_, action.to)
    if not rest.is_set:
        return Rest()
    require_offsets(action.zone, action.offsets)
    if rest.from_ == rest.to:
        rest = rest.replace(from_=0, to=0)
    return rest.replace(zone=action.zone[:ZONE_MAX], offsets=action.offsets)


def turn_time_under_way(settings: Settings, at: int) -> int:
    """Return the time that turns under way have had until a change of it; 0: no limit."""
    if at - settings.turn_time_since >= SHORTEST_NOTICE:
        return settings.turn_time
    times = (settings.turn_time, settings.turn_time_before)
    return 0 if 0 in times else max(times)


def rest_of_turns_under_way(settings: Settings, at: int) -> Rest:
    """Return the rest that turns under way have had until a change of it.

    Of several changes within an hour, the rest before the first counts.
    """
    if at - settings.turn_time_since >= SHORTEST_NOTICE:
        return settings.rest
    return settings.rest_before
