"""Search for settings by everyday words: in names, descriptions, and search words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from bot.presenters.forms import field_title
from bot.presenters.language.words import say_bare
from rules.core.name_matching import name_key
from rules.table.blocks import Text
from rules.table.forms.form import Field, Form
from rules.table.settings.table_settings import settings_pages

_WORD: Final = re.compile(r"[\w$]+")
#: Words that say nothing about a setting.
_FILLERS: Final = frozenset(
    ("a", "an", "the", "of", "for", "to", "in", "on", "how", "what", "is", "setting", "settings")
)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(name_key(text)))


def _search_texts(field: Field) -> tuple[str, ...]:
    """Return the texts by which a setting is found, the most telling first."""
    key = field.key.replace("_", "-")
    texts = (Text(f"setting-{key}-words"), Text(f"setting-{key}-help"))
    return field_title(field), field.key, *map(say_bare, texts)


def _has_start(words: Iterable[str], start: str) -> bool:
    return any(word.startswith(start) for word in words)


def _rank(field: Field, wanted: Iterable[str]) -> int | None:
    """Return the place of the first text with a wanted word; None if a word is in no text."""
    best: list[int] = []
    texts = [_words(text.replace("_", " ")) for text in _search_texts(field)]
    for start in wanted:
        places = [place for place, words in enumerate(texts) if _has_start(words, start)]
        if not places:
            return None
        best.append(places[0])
    return min(best, default=0)


def find_settings(form: Form, text: str) -> tuple[Field, ...]:
    """Return the settings with all words of a text, or of the start of a text still being typed.

    Those with a word in their name come first.
    """
    words = _words(text.replace("_", " "))
    wanted = tuple(word for word in words if word not in _FILLERS) or words
    ranked: list[tuple[int, Field]] = []
    for field in form.fields:
        rank = _rank(field, wanted)
        if rank is not None:
            ranked.append((rank, field))
    ranked.sort(key=lambda pair: pair[0])
    return tuple(field for _, field in ranked)


def page_titles(form: Form) -> dict[str, str]:
    """Return the title of the page of each setting, by the setting's key."""
    titles: dict[str, str] = {}
    for page in settings_pages(form):
        titles |= dict.fromkeys(page.form.keys, say_bare(page.title))
    return titles
