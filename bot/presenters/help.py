"""The help, by topic."""

from __future__ import annotations

from typing import Final

from bot.presenters.layout import Gap, Heading, Layout, Piece, laid
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.words import PAGES
from rules.registry import PLAYABLE

_PAGES: Final = PAGES["help"]

#: Key -> title of each topic.
TOPICS: Final[dict[str, str]] = {key: page.title for key, page in _PAGES.items()}


def _rules(system_key: str | None) -> list[str | Piece]:
    """How a game is played; where none is named, and no table tells, which games there are."""
    if system_key not in SYSTEM_WORDS or system_key not in PAGES:
        page = _PAGES["rules"]
        told = [key for key in SYSTEM_WORDS if key in PAGES]
        games = (f"- {PLAYABLE[key].name}: `/help topic:{page.title} game:{key}`" for key in told)
        return [page.text, *games]
    return [
        part for page in PAGES[system_key].values() for part in (Heading(page.title), *_paragraphs(page.text))
    ]


def _paragraphs(text: str) -> list[str | Piece]:
    """What stands between empty lines, a little apart."""
    first, *others = text.split("\n\n")
    return [first, *(part for other in others for part in (Gap(), other))]


def help_card(topic: str, system_key: str | None = None) -> Layout:
    """One topic; the first for one that there is not. `system_key` is the system of the table asked at."""
    if topic not in _PAGES:
        topic = "start"
    page = _PAGES[topic]
    others = " · ".join(name for key, name in TOPICS.items() if key != topic)
    parts = _rules(system_key) if topic == "rules" else _paragraphs(page.text)
    return laid("own", page.title, *parts, small=f"More with /help: {others}")
