"""The chapters of a chronicle: one for each session, and one for each week between sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from bot.presenters.chronicle.book import Chapter, Passage, Span
from bot.presenters.chronicle.passages import ToldSession
from bot.presenters.chronicle.styled_text import UTC, date_text, days_text
from bot.presenters.language.text import unescape
from bot.presenters.language.words import phrase
from bot.time_zones import local_date


def week_start(at: int, zone: str = UTC) -> date:
    """Return the Monday of the local week of a time."""
    day = local_date(zone, at)
    return day - timedelta(days=day.weekday())


def chapters_of(
    told: Iterable[Passage | ToldSession], places: Mapping[str, str], zone: str = UTC
) -> tuple[Chapter, ...]:
    """Return the chapters of a book; those without passages are left out.

    `places` has the names of the places, for books about more than one. Days and weeks are those
    of the time *zone*.
    """
    chapters: list[Chapter] = []
    passages: list[Passage] = []
    title, session, last_session = "", 0, 0
    key: tuple[int, date | None] | None = None
    for each in told:
        if isinstance(each, ToldSession):
            session, last_session = each.number if each.begins else 0, each.number
            continue
        week = None if session else week_start(each.at, zone)
        current = (session, week)
        if current != key:
            chapters += _chapter(title, passages, zone)
            passages, key = [], current
            title = _title(week, last_session)
        passages.append(each)
    chapters += _chapter(title, passages, zone)
    several = len({passage.place for chapter in chapters for passage in chapter.passages}) > 1
    if not several:
        return tuple(chapters)
    return tuple(
        chapter.replace(passages=_with_places(chapter.passages, places)) for chapter in chapters
    )


def _title(week: date | None, last_session: int) -> str:
    """Return the title of a week after the last session; without a week, of that session."""
    if week is None:
        return phrase("tale-session", number=last_session)
    return phrase("tale-week", day=date_text(week), session=last_session)


def _chapter(title: str, passages: Sequence[Passage], zone: str) -> list[Chapter]:
    if not passages:
        return []
    times = [passage.at for passage in passages]
    days = days_text(min(times), max(times), zone)
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
