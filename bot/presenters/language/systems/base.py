"""What the presenters of one rule system bring: its words."""

from __future__ import annotations

from collections.abc import Mapping

from bot.presenters.language.text import TextFunction
from rules.core.record import Record, field


class SystemWords(Record):
    """One rule system in words.

    `functions` are the parts of its texts that need one. `brief_odds` are the outcomes worth a
    place in one line of odds. `die_names` name the dice of what is drawn from the system's tables.
    `parts` are the table's parts that only this system has, by the first piece of their keys: what
    one of them is called, nothing where something else says that it is there. `timeline_hint` tells
    those who do nothing on a timeline how they begin something, in Markdown.
    """

    key: str
    brief_odds: frozenset[str] = frozenset()
    die_names: Mapping[str, str] = field(default_factory=dict[str, str])
    functions: Mapping[str, TextFunction] = field(default_factory=dict[str, TextFunction])
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    timeline_hint: str = ""
