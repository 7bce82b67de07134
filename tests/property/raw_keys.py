"""Finds codes and ids of the program in texts that people read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from bot.presenters.language.words import LOCALE

#: Names of options and commands stand in code marks; links and times have a form of their own.
_MEANT: Final = re.compile(r"`[^`]*`|<[^>]*>|https?://\S+|“[^”]*”")
_SNAKE: Final = re.compile(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b")
_KEBAB: Final = re.compile(r"(?<![\w-])[a-z]+(?:-[a-z]+)+(?![\w-])")
#: Id of a character or a participant; checks are called by theirs.
_ID: Final = re.compile(r"(?<![\w#])[kp](?=[0-9a-z]*\d)[0-9a-z]{1,10}\b")
#: A value that is an id, as an error quotes it.
_QUOTED_ID: Final = re.compile(r"“([kp]\d{1,9})”")
_HOLE: Final = re.compile(r"\{[^{}]*\}")


@cache
def _written() -> frozenset[str]:
    """Words with hyphens that stand in the texts themselves."""
    found: set[str] = set()
    for path in LOCALE.glob("*.toml"):
        for line in path.read_text("utf-8").splitlines():
            _, _, text = line.partition(" = ") if re.match(r'["\w.-]+ = ', line) else ("", "", line)
            found.update(_KEBAB.findall(_HOLE.sub(" ", text).casefold()))
    return frozenset(found)


def raw_keys(texts: Iterable[str], typed: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield each raw key or id with the text that tells it; `typed` are words that people wrote."""
    known = _written() | set(typed)
    for text in texts:
        plain = _MEANT.sub(" ", text)
        yield from ((found, text) for found in _QUOTED_ID.findall(text) if found not in known)
        for pattern in (_SNAKE, _ID):
            yield from ((found, text) for found in pattern.findall(plain))
        yield from ((found, text) for found in _KEBAB.findall(plain) if found not in known)
