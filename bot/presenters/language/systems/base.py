"""The words of one rule system besides the texts of its catalog."""

from __future__ import annotations

from collections.abc import Mapping

from bot.presenters.language.text import TextFunction
from rules.core.record import Record, field


class SystemWords(Record):
    """One rule system in words."""

    key: str
    #: Codes of the outcomes that a single line of odds names.
    brief_odds: frozenset[str] = frozenset()
    #: Names of the dice that draw from the system's tables.
    die_names: Mapping[str, str] = field(default_factory=dict[str, str])
    #: Functions that the system's texts need, by their names in the catalog.
    functions: Mapping[str, TextFunction] = field(default_factory=dict[str, TextFunction])
    #: Nouns for the parts of a table that only this system has, by the first piece of their keys.
    #: Empty if another noun covers such a part.
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    #: How a player without an action on a timeline begins one, in Markdown.
    timeline_hint: str = ""
