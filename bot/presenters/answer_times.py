"""Answer times in words: everybody's for GMs, and one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.language.text import Markdown, listing
from bot.presenters.language.words import phrase
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from rules.table.state import DAY, HOUR
from rules.table.waits.agenda import Wait
from rules.table.waits.answer_times import THE_GMS, PersonTimes

_MINUTE: Final = 60
#: Steps to which times are rounded up, each for times up to a limit, in seconds.
_STEPS: Final = ((10 * _MINUTE, _MINUTE), (HOUR, 5 * _MINUTE), (DAY, HOUR))
_LONGEST_STEP: Final = DAY // 2
#: Least answers of a kind that show a habit.
_ENOUGH: Final = 3
#: Most lines of the list.
_MAX_LINES: Final = 25


def everybodys_times_card(
    scene: Scene, times: Sequence[PersonTimes], waits: Mapping[str, Sequence[Wait]], days: int
) -> Layout:
    """Return a line for the GMs, then one for each player, the slowest last.

    `waits` are the present waits by participant. Only GMs may read it.
    """
    known = {one.person: one for one in times}
    people = [known.get(person, PersonTimes(person)) for person in {**known, **waits}]
    people.sort(key=_sort_key)
    lines = [_line(scene, one, waits.get(one.person, ())) for one in people[:_MAX_LINES]]
    if len(people) > _MAX_LINES:
        lines.append(f"-# {phrase('more-waits', count=len(people) - _MAX_LINES)}")
    return _times_card(lines, days, yours=False)


def own_times_card(scene: Scene, times: PersonTimes, waits: Sequence[Wait], days: int) -> Layout:
    """Return the answer times of the reader."""
    lines: list[str] = []
    if times.kinds or times.missed or waits:
        lines.append(_line(scene, times, waits, yours=True))
    return _times_card(lines, days, yours=True)


def _times_card(lines: Sequence[str], days: int, *, yours: bool) -> Layout:
    body = ["\n".join(lines)] if lines else []
    return card("own", "table-pace", None, *body, yours=yours, days=days, nothing=not lines)


def _sort_key(times: PersonTimes) -> tuple[bool, int, str]:
    slowest = max((kind.median for kind in times.kinds), default=0)
    return (times.person != THE_GMS, slowest, times.person)


def _line(scene: Scene, times: PersonTimes, waits: Sequence[Wait], *, yours: bool = False) -> str:
    kinds: list[str] = []
    for kind in times.kinds:
        kinds.append(
            phrase(
                "pace-kind",
                kind=kind.kind,
                usual=kind.count >= _ENOUGH,
                yours=yours,
                within=rounded_time(kind.median),
            )
        )
    return phrase(
        "pace-line",
        scene.names,
        yours=yours,
        gms=times.person == THE_GMS,
        who=times.person or None,
        times=Markdown(listing(kinds)),
        missed=times.missed,
        waits=len(waits),
        since=min((wait.since for wait in waits if wait.since), default=None),
    )


def rounded_time(seconds: int) -> int:
    """Return a time rounded up to what can be said in few words."""
    step = next((step for most, step in _STEPS if seconds <= most), _LONGEST_STEP)
    return max(-(-seconds // step), 1) * step
