"""Work over the story's time in words: how far complex actions are, what takes how long (BAR-COMPLEX, BAR-MULTI)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from bot.presenters.card import Button, Card, Rows, Tone
from bot.presenters.dice import number_text
from bot.presenters.scene import Scene
from bot.presenters.systems.barmore import dice_text
from bot.presenters.text import duration, listing, name_text, plural, sentence, who_text
from bot.presenters.words import say
from rules.systems.barmore.tasks import TaskChanged, TaskView

#: How many squares the bar has.
BAR: Final = 12
_MINUTE: Final = 60
_TONES: Final[dict[str, Tone]] = {"bar-success": "good", "bar-failure": "bad", "bar-botch": "bad"}


def bar_text(done: int, required: int) -> str:
    """A bar that fills: `▰▰▰▱▱▱ 12 of 35`, in words too."""
    filled = max(0, min(BAR, done * BAR // required))
    return f"{'▰' * filled}{'▱' * (BAR - filled)} {done} of {required}".replace("-", "−")


def _progress(view: TaskView) -> str:
    if view.done is None and view.over == "done":
        return f"All of the {view.required} that were needed are reached."
    if view.done is None:
        return f"{view.required} are needed; how far it is only the GM knows."
    return bar_text(view.done, view.required)


def _time(view: TaskView) -> str:
    every = duration(view.every * _MINUTE)
    if not view.rolls:
        return f"One roll takes {every}."
    spent = duration(view.elapsed * _MINUTE)
    return f"{plural(view.rolls, 'roll')} so far, {spent} in all ({every} a roll)."


def task_lines(view: TaskView) -> list[str]:
    """Where a complex action stands."""
    traits = listing(say(line) for line in view.traits)
    lines = [
        f"{who_text(view.character)} with {traits}, against {say(view.difficulty)}",
        _progress(view),
        _time(view),
    ]
    if view.over == "done":
        lines.insert(0, "**It is done.**")
    elif view.over == "dropped":
        lines.insert(0, "**It was given up.**")
    return lines


def task_rows(view: TaskView, table_id: int) -> Rows:
    """Rolling again, for as long as it goes on."""
    if view.over:
        return ()
    return ((Button(f"sg:task:{table_id}:{view.task}:{view.rolls}", "Roll on", "primary"),),)


def task_card(event: TaskChanged, scene: Scene) -> Card:
    """A complex action that was begun, rolled for or given up."""
    view = event.view
    lines: list[str] = []
    tone: Tone = "neutral"
    if event.lines:
        verdict, *rest = event.lines
        tone = _TONES.get(verdict.code, "neutral")
        told = [say(verdict)]
        if event.total is not None:
            told.append(say(rest.pop(0)))
        lines.append(f"**{sentence(', '.join(told))}**")
        if event.total is not None:
            dice = "; ".join(dice_text(event.dice)) if event.dice else "no dice were rolled"
            lines.append(f"{dice}; total: {number_text(event.total)}")
        lines += [say(line) for line in event.notes]
    lines += task_lines(view)
    if event.audience.gms:
        lines.append("For the GMs only: the players do not see all of this.")
    return Card(
        f"{name_text(view.name)} ({view.task})",
        "\n".join(lines),
        tone=tone,
        rows=task_rows(view, scene.table_id),
    )


def tasks_card(views: Sequence[TaskView], scene: Scene) -> Card:
    """The complex actions that somebody may know of."""
    if not views:
        return Card("Complex actions", "There are none. A GM begins one with `/barmore task start`.")
    blocks = ["\n".join([f"**{name_text(view.name)}** ({view.task})", *task_lines(view)]) for view in views]
    return Card("Complex actions", "\n\n".join(blocks))


def at_once_card(minutes: Sequence[int], least: Fraction) -> Card:
    """The least time that several things take at once (BAR-MULTI)."""
    each = listing(duration(time * _MINUTE) for time in minutes)
    return Card(
        "At once",
        f"{sentence(each)}\nAll of it at once takes at least **{duration(int(least * _MINUTE))}**. "
        "The GM may ask for more.",
    )


CARDS: Final[dict[type, Callable[[Any, Scene], Card]]] = {TaskChanged: task_card}
