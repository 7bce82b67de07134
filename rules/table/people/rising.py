"""One step up for points: which one is meant, which may be taken, and what is new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from rules.core.errors import Impossible, NotFound
from rules.core.names import the_one
from rules.table.actions import Learn
from rules.table.events import Line
from rules.table.people.by_hand import edited
from rules.table.system import Choice

#: From a number (`before`) to the next, by its `title`, for its `cost`; `why` it cannot be taken now.
S = TypeVar("S", bound=Any)


def taken(step: S) -> S:
    """The step; raises why it cannot be taken."""
    if step.why is not None:
        raise step.why
    return step


def find_step(steps: Iterable[S], text: str) -> S:
    """The step that is meant. NotFound("unknown-rise", "ambiguous-choice"), and as `taken`."""
    return taken(the_one(steps, text, lambda each: each.title, field="skill", unknown="unknown-rise"))


def new_step(
    action: Learn, find: Callable[[str], S], own: Callable[[str, str], S], attributes: Sequence[str]
) -> S:
    """The first step of something new: what `find` finds, else a skill of the campaign's `own` for an attribute.

    Impossible("known-already"), NotFound("unknown-choice") for no attribute, and as `find`.
    """
    name, about = " ".join(action.skill.split()), action.attribute.strip()
    try:
        step = find(name)
    except NotFound as error:
        if not about or not name or error.code == "ambiguous-choice":
            raise
        step = own(name, the_one(attributes, about, field="attribute"))
    if step.before:
        raise Impossible("known-already", name=step.title)
    return step


def replaced(rows: tuple[S, ...], new: S, *keys: str) -> tuple[S, ...]:
    """The rows with a new one in the place of the one that has the same in these fields, or behind them."""
    same = attrgetter(*keys)
    return edited(rows, next((at for at, each in enumerate(rows) if same(each) == same(new)), len(rows)), new)


#: What so many points are called.
Price = Callable[[int], Line]


def offered(steps: Iterable[Any], have: int, price: Price) -> tuple[Choice, ...]:
    """The steps that may be taken now, each with its price; those that can be paid for first."""
    found = [each for each in steps if each.why is None]
    found.sort(key=lambda each: (each.cost > have, not each.before))

    def choice(step: Any) -> Choice:
        cost = price(step.cost) if step.cost else None
        return Choice(step.title, Line("rise-choice", {**_said(step), "price": cost}))

    return tuple(map(choice, found))


def _said(step: Any) -> dict[str, str | int]:
    return {"name": step.title, "before": step.before, "now": step.before + 1}


def rose(step: Any, *, plain: bool = False) -> Line:
    """That it was taken; `plain` where what is learned has no number."""
    return Line("rose", {**_said(step), "plain": plain})


def spent(step: Any, left: int, price: Price) -> Line:
    """What was paid for it, and what is left."""
    return Line("points-spent", {"price": price(step.cost), "left": left})
