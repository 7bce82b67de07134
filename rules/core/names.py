"""Names as people type them: how they are compared, which one is meant, and which ones are like it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import TypeVar

from rules.core.errors import InvalidInput, NotFound

_T = TypeVar("_T")

#: So much of a text is compared with names, in characters: the time it takes grows with its square.
_COMPARED = 100
#: How many names are told of where none is like the text.
_FIRST = 5
#: How many names that are like the text, and how like one of their words has to be.
_LIKE = 3
_WORD = 0.7


def name_key(name: str) -> str:
    """A name as names are compared: without regard to case and to the width of spaces."""
    return " ".join(name.casefold().split())


def meant(
    pool: Iterable[_T], text: str, name: Callable[[_T], str], ids: Callable[[_T], str | None] = lambda _: None
) -> tuple[_T, ...]:
    """Those called just so, by name or by id; failing that, those whose name begins so.

    Nothing is meant by an empty text, and nobody by an empty name.
    """
    wanted = name_key(text)
    if not wanted:
        return ()
    called = [(name_key(name(each)), each) for each in pool]
    exact = [each for key, each in called if key and wanted in (key, ids(each))]
    return tuple(exact or [each for key, each in called if key.startswith(wanted)])


def similar(text: str, names: Iterable[str], cutoff: float = 0.6) -> tuple[str, ...]:
    """At most three names like the text, whole or by one of their words, the likest first.

    `cutoff` is the least likeness, from 0 to 1; a single word has to be liker, so that short ones do not fit all.
    """
    known = {name_key(name): name for name in names}
    wanted = name_key(text)[:_COMPARED]
    found = [known[key] for key in get_close_matches(wanted, known, n=_LIKE, cutoff=cutoff)]
    words: dict[str, list[str]] = {}
    for key, name in known.items():
        for word in key.split():
            words.setdefault(word, []).append(name)
    for word in get_close_matches(wanted, words, n=_LIKE, cutoff=max(cutoff, _WORD)):
        found += [name for name in words[word] if name not in found]
    return tuple(found[:_LIKE])


def similar_or_first(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """As `similar`; where none is like the text the first five."""
    known = tuple(dict.fromkeys(names))
    return similar(text, known) or known[:_FIRST]


def one_of(
    pool: Iterable[_T],
    text: str,
    name: Callable[[_T], str],
    ids: Callable[[_T], str | None] = lambda _: None,
    *,
    field: str,
    unknown: str,
    ambiguous: str,
) -> _T:
    """The one that is meant, as `meant` finds them; nobody hears of those whose name is empty.

    NotFound(`unknown`) with the nearest names, InvalidInput(`ambiguous`) with those that fit.
    """
    everything = tuple(pool)
    fitting = meant(everything, text, name, ids)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = tuple(map(name, fitting))
        raise InvalidInput(ambiguous, field=field, value=text[:_COMPARED], allowed=names)
    near = similar_or_first(text, filter(None, map(name, everything)))
    raise NotFound(unknown, field=field, value=text[:_COMPARED], nearest=near)
