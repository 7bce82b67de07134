"""The help, by topic."""

from __future__ import annotations

from typing import Final

from bot.presenters.card import Card
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.words import PAGES
from rules.registry import PLAYABLE

_PAGES: Final = PAGES["help"]

#: Key -> title of each topic.
TOPICS: Final[dict[str, str]] = {key: page.title for key, page in _PAGES.items()}


def _rules(system_key: str | None) -> str:
    """How a game is played; where none is named, and no table tells, which games there are."""
    if system_key not in SYSTEM_WORDS or system_key not in PAGES:
        page = _PAGES["rules"]
        told = [key for key in SYSTEM_WORDS if key in PAGES]
        games = (f"- {PLAYABLE[key].name}: `/help topic:{page.title} game:{key}`" for key in told)
        return "\n".join([page.text, *games])
    return "\n\n".join(f"**{page.title}**\n{page.text}" for page in PAGES[system_key].values())


def help_card(topic: str, system_key: str | None = None) -> Card:
    """One topic; the first for one that there is not. `system_key` is the system of the table asked at."""
    if topic not in _PAGES:
        topic = "start"
    page = _PAGES[topic]
    others = " · ".join(name for key, name in TOPICS.items() if key != topic)
    return Card(
        page.title, _rules(system_key) if topic == "rules" else page.text, footer=f"More with /help: {others}"
    )
