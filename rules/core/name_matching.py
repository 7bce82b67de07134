"""Names as people type them: how they are compared, which one is meant, and which ones are
like it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from operator import attrgetter
from typing import Final, Protocol, TypeVar

from rules.core.errors import InvalidInput, NotFound

_T = TypeVar("_T")


class _Numbered(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...


_N = TypeVar("_N", bound=_Numbered)

#: So much of a text is compared with names, in characters: the time it takes grows with its square.
_COMPARED = 100
#: How many names are told of where none is like the text.
_FIRST = 5
#: How many are told of where somebody has to pick one.
_MOST = 10
#: How many names that are like the text, and how like one of their words has to be.
_LIKE = 3
_WORD = 0.7
_QUOTES: Final = frozenset("\"'\u201c\u201d\u201e")
#: Kinds of signs that show nothing: they control, join, or turn the direction of writing.
_HIDDEN: Final = frozenset({"Cf", "Cc", "Cs", "Co", "Zl", "Zp"})
#: What joins signs or picks their form: needed in some scripts, and in pictures.
_JOINING: Final = frozenset({"\u200c", "\u200d", "\ufe0e", "\ufe0f"})
#: Letters, marks and spaces that show nothing either.
_BLANK: Final = frozenset(
    [
        chr(code)
        for first, last in (
            *(
                (0x34F, 0x34F),
                (0x115F, 0x1160),
                (0x17B4, 0x17B5),
                (0x180B, 0x180F),
                (0x2800, 0x2800),
            ),
            *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0100, 0xE01EF)),
        )
        for code in range(first, last + 1)
    ]
)
#: Cyrillic and Greek letters, each with the Latin one that it looks like.
_ALIKE: Final = str.maketrans(
    "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0423\u0425\u051a\u051c\u04c0"
    "\u0430\u0441\u0435\u04bb\u0456\u0458\u043e\u0440\u0455\u0443\u0445\u0501\u051b\u051d\u04cf\u043a"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7\u0131",
    "ABCEHIJKMOPSTYXQWlacehijopsyxdqwlkABEZHIKMNOPTYXaikvopuxi",
)
#: Names that messages give to somebody else, without spaces.
_RESERVED: Final = frozenset({"gm", "gms", "thegm", "thegms", "storyguide", "@everyone", "@here"})


@lru_cache(maxsize=2048)  # everybody at a table is compared with whatever is typed
def name_key(name: str) -> str:
    """A name as names are compared: without regard to case and to the width of spaces."""
    return " ".join(name.casefold().split())


def clean_name(name: str) -> str:
    """A name that somebody gives. InvalidInput("hidden-sign", "reserved-name") for one that could
    pass for another.

    What nobody can see is only allowed where signs of other scripts and pictures are joined by it.
    """
    if not name.isascii():
        before = ""
        for sign in name:
            if _is_hidden(sign) and not (sign in _JOINING and not before.isascii()):
                called = unicodedata.name(sign, "").lower()
                shown = name.encode("utf-8", "replace").decode()[:_COMPARED]
                raise InvalidInput(
                    "hidden-sign",
                    field="name",
                    value=shown,
                    sign=f"U+{ord(sign):04X}",
                    called=called or None,
                )
            before = sign
    if lookalike_key(name).replace(" ", "") in _RESERVED:
        raise InvalidInput("reserved-name", field="name", value=name[:_COMPARED])
    return name


def _is_hidden(sign: str) -> bool:
    return sign in _BLANK or (not sign.isascii() and unicodedata.category(sign) in _HIDDEN)


def lookalike_key(name: str) -> str:
    """What a name looks like: `name_key` without what nobody sees, and with one letter for all that
    look alike.
    """
    if name.isascii():
        return name_key(name)
    seen = "".join([sign for sign in unicodedata.normalize("NFKC", name) if not _is_hidden(sign)])
    return name_key(seen.translate(_ALIKE))


def matches(
    pool: Iterable[_T],
    text: str,
    name: Callable[[_T], str],
    ids: Callable[[_T], str | None] | None = None,
) -> tuple[_T, ...]:
    """Those called just so, by name or by id; failing that, those whose name begins so.

    Nothing is meant by an empty text, and nobody by an empty name.
    """
    wanted = name_key(text)
    if not wanted:
        return ()
    called = [(name_key(name(each)), each) for each in pool]
    exact = [
        each for key, each in called if key and (key == wanted or (ids and ids(each) == wanted))
    ]
    return tuple(exact or [each for key, each in called if key.startswith(wanted)])


def similar_names(text: str, names: Iterable[str], cutoff: float = 0.6) -> tuple[str, ...]:
    """At most three names like the text, whole or by one of their words, the likest first.

    `cutoff` is the least likeness, from 0 to 1; a single word has to be liker, so that short ones
    do not fit all.
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
    """As `similar_names`; where none is like the text the first five."""
    known = tuple(dict.fromkeys(names))
    return similar_names(text, known) or known[:_FIRST]


def without_quotes(text: str) -> str:
    """A name as it is meant: what stands in quotes is just that, and no slip."""
    inner = text.strip()
    return (
        inner[1:-1].strip()
        if len(inner) > 2 and inner[0] in _QUOTES and inner[-1] in _QUOTES
        else inner
    )


def require_no_slip(text: str, names: Iterable[str], *, field: str) -> None:
    """InvalidInput("near-name") for what is nearly one of the names, where any other name would do
    as well.
    """
    known = tuple(names)
    near = (
        similar_names(text, known, _WORD)
        if text.strip() == without_quotes(text) and not matches(known, text, str)
        else ()
    )
    if near:
        raise InvalidInput("near-name", field=field, value=text[:_COMPARED], allowed=near)


def find_one(
    pool: Iterable[_T],
    text: str,
    name: Callable[[_T], str] = attrgetter("name"),
    ids: Callable[[_T], str | None] | None = None,
    *,
    field: str,
    unknown: str,
    ambiguous: str,
) -> _T:
    """The one that is meant, as `matches` finds them; nobody hears of those whose name is empty.

    NotFound(`unknown`) with the nearest names, InvalidInput(`ambiguous`) with those that fit.
    """
    everything = tuple(pool)
    fitting = matches(everything, text, name, ids)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = tuple(map(name, fitting))
        raise InvalidInput(ambiguous, field=field, value=text[:_COMPARED], allowed=names)
    return unique_match(everything, text, name, ids, field=field, unknown=unknown)


def unique_match(
    pool: Iterable[_T],
    text: str,
    name: Callable[[_T], str] = str,
    ids: Callable[[_T], str | None] | None = None,
    *,
    field: str,
    unknown: str = "unknown-choice",
) -> _T:
    """The one that is meant, as `matches` finds them; of several that are called the same the
    first.

    NotFound("ambiguous-choice") with those that fit, NotFound(`unknown`) with the nearest names.
    """
    everything = tuple(pool)
    for each in everything if ids is None and text else ():
        if name(each) == text:  # as it is nearly always: it was picked
            return each
    fitting = matches(everything, text, name, ids)
    near = tuple(dict.fromkeys(map(name, fitting)))
    if len(near) == 1:
        return fitting[0]
    code = "ambiguous-choice" if near else unknown
    near = near[:_MOST] or similar_or_first(text, filter(None, map(name, everything)))
    raise NotFound(code, field=field, value=text[:_COMPARED], nearest=near)


def find_or_likely(
    pool: Iterable[_N], text: str | None, likely: Sequence[_N], *, field: str, unknown: str
) -> _N:
    """The one meant by id or name; where nothing is said the only one that is `likely`.

    NotFound(`unknown`) with those there are, InvalidInput("which-one") with those that fit, ten at
    most.
    """
    there = tuple(pool)
    fitting = matches(there, text, lambda each: each.name, lambda each: each.id) if text else likely
    if len(fitting) == 1:
        return fitting[0]
    value = text[:_COMPARED] if text else None
    if fitting:
        allowed = tuple(f"{each.id} {each.name}" for each in fitting[:_MOST])
        raise InvalidInput("which-one", field=field, value=value, allowed=allowed)
    raise NotFound(
        unknown, field=field, value=value, nearest=tuple(each.name for each in there[:_MOST])
    )


def split_words(text: str | None) -> tuple[str, ...]:
    """What is listed in a text, with commas between."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())
