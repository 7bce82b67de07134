"""Times of open prompts: deadlines and reminders, also after changes, pauses and an undo."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record
from rules.table.check import AnyCheck, OpenPrompt, Prompt
from rules.table.checks.waiting import wait_seconds
from rules.table.state import Settings, TableState
from rules.table.times.reminders import SHORTEST_NOTICE, reminder_times, time_after_change
from rules.table.times.rest import NO_REST, Rest, end_time, running_time, start_time

#: Behind the id of a wait that is a reminder before the clock answers.
_REMINDER: Final = ".remind"


class CheckWait(Record):
    """Wait of a check for characters."""

    #: Name of this wait, which never comes again.
    id: str
    asked: OpenPrompt
    #: In seconds since 1970.
    due: int
    #: Answer of the clock at that time. None: the clock only reminds.
    default: str | None


def pending_waits(check: AnyCheck) -> tuple[CheckWait, ...]:
    """Return the waits of a check that end by themselves, reminders before the clock's answers.

    Reminders that are over stay in it, so that they don't come again.
    """
    waits: list[CheckWait] = []
    for asked in check.asked:
        if not asked.waiting_for:
            continue
        name = f"{check.id}.{asked.number}.{asked.prompt.key}"
        waits += [CheckWait(f"{name}.{at}{_REMINDER}", asked, at, None) for at in asked.reminders]
        if asked.due is not None:
            waits.append(CheckWait(f"{name}.{asked.due}", asked, asked.due, asked.prompt.default))
    return tuple(waits)


def open_prompt(settings: Settings, prompt: Prompt, number: int, at: int) -> OpenPrompt:
    """Return a prompt as it is opened, with its times."""
    if prompt.wait is None:
        return OpenPrompt(prompt, number, at, named=prompt.who or ())
    due, reminders = _times(settings, prompt, at)
    return OpenPrompt(prompt, number, at, due, reminders, named=prompt.awaited)


def _times(
    settings: Settings, prompt: Prompt, start: int, more: int = 0
) -> tuple[int | None, tuple[int, ...]]:
    """Return the deadline of a prompt whose time begins at *start*, and its reminders.

    *more* is the time that it has beyond the table's, in seconds.
    """
    rest, has_default = settings.rest, prompt.default is not None
    length = wait_seconds(settings, prompt.time) + more
    reminders = reminder_times(start, length, default=has_default, harms=prompt.harms, rest=rest)
    return end_time(rest, start, length) if has_default else None, reminders


def with_more_time(settings: Settings, asked: OpenPrompt, more: int, at: int) -> OpenPrompt:
    """Return a prompt that has *more* seconds beyond the table's time.

    Reminders that are over stay as they were.
    """
    due, reminders = _times(settings, asked.prompt, asked.since + asked.put_off, more)
    over = tuple(reminder for reminder in asked.reminders if reminder <= at)
    later = tuple(reminder for reminder in reminders if reminder > at)
    return asked.replace(due=due, reminders=(*over, *dict.fromkeys(later)), more=more)


def can_take_more_time(state: TableState, asked: OpenPrompt) -> bool:
    """Return whether a player who is asked can still take more time for a prompt."""
    runs = asked.due is not None and bool(asked.waiting_for)
    return runs and not asked.extended and state.settings.pause is None


def granted_seconds(settings: Settings, asked: OpenPrompt) -> int:
    """Return the whole length of a prompt's time, in seconds."""
    return wait_seconds(settings, asked.prompt.time) + asked.more


def extra_seconds_until(settings: Settings, asked: OpenPrompt, until: int) -> int:
    """Return the seconds beyond the table's time with which a prompt ends at *until*."""
    whole = running_time(settings.rest, asked.since + asked.put_off, until)
    return whole - wait_seconds(settings, asked.prompt.time)


def with_time_held(check: AnyCheck, rest: Rest, since: int, at: int) -> AnyCheck:
    """Return a check after a pause from *since* to *at*: what was left of each time is left now."""
    asked = tuple(_held_prompt(pending, rest, since, at) for pending in check.asked)
    held = check.held_death
    if held is not None:
        others = tuple(_held_prompt(pending, rest, since, at) for pending in held.asked)
        held = held.replace(asked=others)
    if asked == check.asked and held == check.held_death:
        return check
    return check.replace(asked=asked, held_death=held)


def _held_prompt(asked: OpenPrompt, rest: Rest, since: int, at: int) -> OpenPrompt:
    """Return a prompt after a pause, with its later times put off. Past reminders stay."""
    since = max(since, asked.since)
    if asked.prompt.wait is None or since >= at:
        return asked
    start = put_off_start(rest, asked.since + asked.put_off, since, at)
    due = asked.due
    if due is not None:
        due = put_off_time(rest, due, since, at)
    reminders: list[int] = []
    for time in asked.reminders:
        reminders.append(time if time <= since else put_off_time(rest, time, since, at))
    return asked.replace(
        due=due, reminders=tuple(dict.fromkeys(reminders)), put_off=start - asked.since
    )


def put_off_time(rest: Rest, time: int, since: int, at: int) -> int:
    """Return a time after a pause from *since* to *at*: as much time runs until it as before."""
    return end_time(rest, at, running_time(rest, since, time))


def put_off_start(rest: Rest, start: int, since: int, at: int) -> int:
    """Return the start of a time after a pause: as much of the time is over as before."""
    return max(start_time(rest, at, running_time(rest, start, since)), start)


def with_new_times(settings: Settings, check: AnyCheck, at: int) -> AnyCheck:
    """Return a check with the times that the table has agreed on now (`time_after_change`)."""
    prompts: list[OpenPrompt] = []
    for asked in check.asked:
        if asked.prompt.wait is None:
            prompts.append(asked)
            continue
        start = asked.since + asked.put_off
        due, reminders = _times(settings, asked.prompt, start, asked.more)
        prompts.append(_with_notice(asked, due, reminders, at))
    # A check that stays the same record is not touched by an undo of the settings either.
    return check if tuple(prompts) == check.asked else check.replace(asked=tuple(prompts))


def _with_notice(
    was: OpenPrompt, due: int | None, reminders: tuple[int, ...], at: int
) -> OpenPrompt:
    """Return an open prompt with other times, each as `time_after_change` has it.

    Reminders that are over stay as they were, and count among all of them.
    """
    over = tuple(reminder for reminder in was.reminders if reminder <= at)
    later: list[int] = []
    for number, time in enumerate(reminders[len(over) :], len(over)):
        known = number < len(was.reminders)
        before = was.reminders[number] if known else at + SHORTEST_NOTICE
        later.append(time_after_change(before, time, at))
    if was.due is not None and due is not None:
        due = time_after_change(was.due, due, at)
        later = [time for time in later if time < due]
    return was.replace(due=due, reminders=(*over, *dict.fromkeys(later)))


def reopen_check(
    check: AnyCheck, now: AnyCheck | None, at: int, was_at: int, rest: Rest = NO_REST
) -> AnyCheck:
    """Return a check that an undo brings back, in place of what it is `now` (None: it is gone).

    Each prompt gets a new number, so that no button shown before fits it. It has the time that it
    had left at `was_at`, the time of the action that is undone. If none was left, it has all of its
    time, or the clock would answer again at once. No order answers and no dice fall until a
    participant or the clock acts. A change that nobody could see leaves no trace.
    """
    if now is not None and (now.stage, now.revision) == (check.stage, check.revision):
        return _with_notice_of_undo(check, now, at)
    revision = max(check.revision, 0 if now is None else now.revision) + 1
    asked: list[OpenPrompt] = []
    for pending in check.asked:
        asked.append(_moved_prompt(pending, at, was_at, rest).replace(number=revision))
    later = at - was_at
    return check.replace(
        revision=revision, asked=tuple(asked), stage_started_at=check.stage_started_at + later
    )


def _with_notice_of_undo(check: AnyCheck, now: AnyCheck, at: int) -> AnyCheck:
    """Return a check whose times an undo of the settings brings back."""
    asked: list[OpenPrompt] = []
    for pending in check.asked:
        other = now.prompt(pending.prompt.key)
        if other is None or (other.due, other.reminders) == (
            pending.due,
            pending.reminders,
        ):
            asked.append(pending)
            continue
        timed = _with_notice(other, pending.due, pending.reminders, at)
        asked.append(pending.replace(due=timed.due, reminders=timed.reminders))
    if tuple(asked) == check.asked:
        return check
    return check.replace(asked=tuple(asked))


def _moved_prompt(asked: OpenPrompt, at: int, was_at: int, rest: Rest) -> OpenPrompt:
    """Return a prompt with the time that it had left at `was_at`; all of it if none was left."""
    times = asked.reminders if asked.due is None else (*asked.reminders, asked.due)
    anew = bool(times) and times[-1] <= was_at
    start, since = asked.since + asked.put_off, was_at
    if anew:
        since = start
    reminders: list[int] = []
    for reminder in asked.reminders:
        if anew or reminder > was_at:
            reminders.append(put_off_time(rest, reminder, since, at))
    return asked.replace(
        since=at if anew else asked.since + at - was_at,
        due=None if asked.due is None else put_off_time(rest, asked.due, since, at),
        reminders=tuple(dict.fromkeys(reminders)),
        ordered=(),
        put_off=0 if anew else put_off_start(rest, start, since, at) - asked.since - at + was_at,
    )
