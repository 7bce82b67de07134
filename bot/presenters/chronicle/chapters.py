"""The chapters of a chronicle: one for each session, and one for each week between sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.presenters.chronicle.book import Chapter, Passage, Span
from bot.presenters.chronicle.passages import ToldSession
from bot.presenters.chronicle.styled_text import day_text, days_text
from bot.presenters.language.text import unescape
from bot.presenters.language.words import phrase

_DAY: Final = 86400
_WEEK: Final = 7 * _DAY
#: Monday, January 5, 1970.
_FIRST_MONDAY: Final = 4 * _DAY


def week_start(at: int) -> int:
    """Return the beginning of the week of a time, a Monday at midnight UTC."""
    return at - (at - _FIRST_MONDAY) % _WEEK


def chapters_of(
    told: Iterable[Passage | ToldSession], places: Mapping[str, str]
) -> tuple[Chapter, ...]:
    """Return the chapters of a book; those without passages are left out.

    `places` has the names of the places, for books about more than one.
    """
    chapters: list[Chapter] = []
    passages: list[Passage] = []
    title, key, session, last_session = "", None, 0, 0
    for each in told:
        if isinstance(each, ToldSession):
            session, last_session = each.number if each.begins else 0, each.number
            continue
        current = ("session", session) if session else ("week", week_start(each.at))
        if current != key:
            chapters += _chapter(title, passages)
            passages, key = [], current
            title = _title(session, current[1], last_session)
        passages.append(each)
    chapters += _chapter(title, passages)
    several = len({passage.place for chapter in chapters for passage in chapter.passages}) > 1
    if not several:
        return tuple(chapters)
    return tuple(
        chapter.replace(passages=_with_places(chapter.passages, places)) for chapter in chapters
    )


def _title(session: int, week: int, last_session: int) -> str:
    """Return the title of a session, or of a week after the last session."""
    if session:
        return phrase("tale-session", number=session)
    return phrase("tale-week", day=day_text(week), session=last_session)


def _chapter(title: str, passages: Sequence[Passage]) -> list[Chapter]:
    if not passages:
        return []
    times = [passage.at for passage in passages]
    days = days_text(min(times), max(times))
    return [Chapter(unescape(title), days, tuple(passages))]


def _with_places(passages: Sequence[Passage], places: Mapping[str, str]) -> tuple[Passage, ...]:
    """Return passages with a mark wherever the story goes on in another place."""
    marked: list[Passage] = []
    last = None
    for passage in passages:
        name = places.get(passage.place)
        if passage.place != last and name:
            text = unescape(phrase("tale-place", place=f"#{name}"))
            marked.append(Passage(passage.at, "mark", passage.place, (Span(text),)))
        last = passage.place
        marked.append(passage)
    return tuple(marked)
