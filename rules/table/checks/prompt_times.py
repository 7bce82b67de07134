"""Times of open prompts: deadlines and reminders, also after a change of settings and an undo."""

from __future__ import annotations

from typing import Final

from rules.core.record import Record
from rules.table.check import AnyCheck, OpenPrompt, Prompt
from rules.table.checks.waiting import wait_seconds
from rules.table.reminders import SHORTEST_NOTICE, reminder_times, time_after_change
from rules.table.state import Settings

#: Behind the id of a wait that is a reminder before the clock answers.
_REMINDER: Final = ".remind"


class CheckWait(Record):
    """Wait of a check for characters.

    `id` names this wait and never comes again. `due` is in seconds since 1970. `default` is the
    clock's answer at that time; None: the clock only reminds.
    """

    id: str
    asked: OpenPrompt
    due: int
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
    length, has_default = wait_seconds(settings, prompt.time), prompt.default is not None
    due = at + length if has_default else None
    reminders = reminder_times(at, length, default=has_default, harms=prompt.harms)
    return OpenPrompt(prompt, number, at, due, reminders, named=prompt.awaited)


def with_new_times(settings: Settings, check: AnyCheck, at: int) -> AnyCheck:
    """Return a check with the times that the table has agreed on now (`time_after_change`)."""
    prompts: list[OpenPrompt] = []
    for asked in check.asked:
        now = open_prompt(settings, asked.prompt, asked.number, asked.since)
        prompts.append(_with_notice(asked, now.due, now.reminders, at))
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


def reopen_check(check: AnyCheck, now: AnyCheck | None, at: int, was_at: int) -> AnyCheck:
    """Return a check that an undo brings back, in place of what it is `now` (None: it is gone).

    Each prompt gets a new number, so that no button shown before fits it. It has the time that it
    had left at `was_at`, the time of the action that is undone. If none was left, it has all of its
    time, or the clock would answer again at once. No order answers and no dice fall until a
    participant or the clock acts. A change that nobody could see leaves no trace.
    """
    if now is not None and (now.stage, now.revision) == (check.stage, check.revision):
        return _with_notice_of_undo(check, now, at)
    revision = max(check.revision, 0 if now is None else now.revision) + 1
    asked = [_moved_prompt(pending, at, was_at).replace(number=revision) for pending in check.asked]
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


def _moved_prompt(asked: OpenPrompt, at: int, was_at: int) -> OpenPrompt:
    """Return a prompt with the time that it had left at `was_at`; all of it if none was left."""
    later = at - was_at
    times = asked.reminders if asked.due is None else (*asked.reminders, asked.due)
    anew = bool(times) and times[-1] <= was_at
    move = at - asked.since if anew else later
    return asked.replace(
        since=asked.since + move,
        due=None if asked.due is None else asked.due + move,
        reminders=tuple(
            reminder + move for reminder in asked.reminders if anew or reminder > was_at
        ),
        ordered=(),
    )
