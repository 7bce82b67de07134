"""Work over the story's time in words: how far complex actions are, what takes how long (BAR-COMPLEX, BAR-MULTI)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from bot.presenters.controls import Button, Rows
from bot.presenters.dice import number_text
from bot.presenters.layout import Accent, Gap, Heading, Layout, Piece, laid
from bot.presenters.scene import Scene
from bot.presenters.systems.barmore import dice_text
from bot.presenters.text import duration, listing, name_text, plural, sentence, who_text
from bot.presenters.words import say
from rules.systems.barmore.tasks import TaskChanged, TaskView

_MINUTE: Final = 60
_ACCENTS: Final[dict[str, Accent]] = {"bar-success": "good", "bar-failure": "bad", "bar-botch": "bad"}


def progress_text(done: int, required: int) -> str:
    """`12 of 35`."""
    return f"{number_text(done)} of {required}"


def _progress(view: TaskView) -> str:
    if view.done is None and view.over == "done":
        return f"All of the {view.required} that were needed are reached."
    if view.done is None:
        return f"{view.required} are needed; how far it is only the GM knows."
    return progress_text(view.done, view.required)


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


def task_card(event: TaskChanged, scene: Scene) -> Layout:
    """A complex action that was begun, rolled for or given up."""
    view = event.view
    parts: list[str | Piece] = []
    accent: Accent = "gm" if event.audience.gms else "waiting"
    if event.lines:
        verdict, *rest = event.lines
        accent = _ACCENTS.get(verdict.code, accent)
        told = [say(verdict)]
        if event.total is not None:
            told.append(say(rest.pop(0)))
        parts.append(f"**{sentence(', '.join(told))}**")
        if event.total is not None:
            dice = "; ".join(dice_text(event.dice)) if event.dice else "no dice were rolled"
            parts.append(f"{dice}; total: {number_text(event.total)}")
        parts += [*map(say, event.notes), Gap()]
    small = "For the GMs only: the players do not see all of this." if event.audience.gms else ""
    return laid(
        accent,
        f"{name_text(view.name)} ({view.task})",
        *parts,
        *task_lines(view),
        small=small,
        rows=task_rows(view, scene.table_id),
    )


def tasks_card(views: Sequence[TaskView], scene: Scene) -> Layout:
    """The complex actions that somebody may know of."""
    if not views:
        told = "There are none. A GM begins one with `/barmore task start`."
        return laid("own", "Complex actions", told)
    parts: list[str | Piece] = []
    for view in views:
        parts += [Heading(f"{name_text(view.name)} ({view.task})"), *task_lines(view)]
    return laid("own", "Complex actions", *parts)


def at_once_card(minutes: Sequence[int], least: Fraction) -> Layout:
    """The least time that several things take at once (BAR-MULTI)."""
    each = listing(duration(time * _MINUTE) for time in minutes)
    least_time = duration(int(least * _MINUTE))
    told = f"All of it at once takes at least **{least_time}**. The GM may ask for more."
    return laid("own", "At once", sentence(each), told)


CARDS: Final[dict[type, Callable[[Any, Scene], Layout]]] = {TaskChanged: task_card}
