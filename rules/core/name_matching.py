"""Names as participants type them: comparison, the match that is meant, and similar names."""

from __future__ import annotations

import re
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

#: Number of characters that are compared with names: the time grows with their square.
_COMPARED = 100
#: Most names that an error lists if none is like the text.
_FIRST = 5
#: Most names that an error lists if several fit.
_MOST = 10
#: Most similar names.
_LIKE = 3
#: Least likeness of a single word of a name, from 0 to 1.
_WORD = 0.7
_QUOTES: Final = frozenset("\"'\u201c\u201d\u201e")
#: Unicode categories of invisible characters: controls, joiners, and marks of text direction.
_HIDDEN: Final = frozenset({"Cf", "Cc", "Cs", "Co", "Zl", "Zp"})
#: Invisible characters that join others or pick their form, as some scripts and emoji need them.
_JOINING: Final = frozenset({"\u200c", "\u200d", "\ufe0e", "\ufe0f"})
#: Letters, marks and spaces that are invisible, too.
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
#: Cyrillic and Greek letters, and the Latin letters that they look like.
_ALIKE: Final = str.maketrans(
    "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405\u0422\u0423\u0425\u051a\u051c\u04c0"
    "\u0430\u0441\u0435\u04bb\u0456\u0458\u043e\u0440\u0455\u0443\u0445\u0501\u051b\u051d\u04cf\u043a"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b9\u03ba\u03bd\u03bf\u03c1\u03c5\u03c7\u0131",
    "ABCEHIJKMOPSTYXQWlacehijopsyxdqwlkABEZHIKMNOPTYXaikvopuxi",
)
#: Letters of other scripts that look like Latin ones, where only speakers' names are compared.
_ALIKE_IN_SPEECH: Final = str.maketrans(
    "\ua7ac\u0261\u0578\u0585\u057d\u0570\u0566"
    "\u13aa\u13f4\u13df\u13a0\u13ac\u13c0\u13bb\u13ab\u13e6\u13de\u13b7\u13e2\u13da\u13d9\u13b3\u13c3"
    "\ua4ee\ua4d0\ua4da\ua4d3\ua4f0\ua4dd\ua4d6\ua4e7\ua4f2\ua4d9\ua4d7\ua4e1\ua4df\ua4e0\ua4f3\ua4d1"
    "\ua4e2\ua4d4\ua4f4\ua4e6\ua4ea\ua4eb\ua4ec\ua4dc",
    "ggnouhqABCDEGHJKLMPSVWZABCDEFGHIJKLMNOPSTUVWXYZ",
)
#: Digits and letters that look alike once capitals are small.
_ALIKE_DIGITS: Final = str.maketrans("i10589", "llosbg")
#: Unicode names of letters that are drawn small, circled or squared.
_DRAWN_LETTER: Final = re.compile(
    r"^(?:LATIN|NEGATIVE|REGIONAL).* (?:LETTER|SMALL CAPITAL) ([A-Z])$"
)
#: Words that a name may have before or after it without looking like another name.
_TITLES_IN_SPEECH: Final = frozenset({"gm", "gms", "the", "bot", "app"})
#: Names that messages use for the GM, the bot or everyone, without spaces.
_RESERVED: Final = frozenset({"gm", "gms", "thegm", "thegms", "storyguide", "@everyone", "@here"})


@lru_cache(maxsize=2048)  # every name at a table is compared with each text that is typed
def name_key(name: str) -> str:
    """Return the form in which names are compared: without case and width of spaces."""
    return " ".join(name.casefold().split())


def clean_name(name: str) -> str:
    """Return a name that a player or GM gives.

    Joiners are allowed between characters of other scripts and in emoji.

    Raises:
        InvalidInput("hidden-sign"): The name has an invisible character.
        InvalidInput("reserved-name"): The name could pass for the GM, the bot or everyone.
    """
    if not name.isascii():
        before = ""
        for sign in name:
            joins_script = sign in _JOINING and not before.isascii()
            if _is_hidden(sign) and not joins_script:
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
    """Return whether a character is invisible."""
    return sign in _BLANK or (not sign.isascii() and unicodedata.category(sign) in _HIDDEN)


def lookalike_key(name: str) -> str:
    """Return the form in which looks of names are compared.

    It is `name_key` without invisible characters, with one letter for all that look alike.
    """
    if name.isascii():
        return name_key(name)
    visible = "".join(
        [sign for sign in unicodedata.normalize("NFKC", name) if not _is_hidden(sign)]
    )
    return name_key(visible.translate(_ALIKE))


def speaker_key(name: str) -> str:
    """Return the form in which the looks of speakers' names are compared.

    It is `lookalike_key` without accents, signs, spaces, and words such as "GM", and with one
    letter for each group that looks alike in many fonts: I, l and 1; O and 0; S and 5; B and 8;
    g and 9; rn and m; vv and w.
    """
    plain = "".join(map(_latin_letter, name)).translate(_ALIKE_IN_SPEECH)
    letters = unicodedata.normalize("NFD", lookalike_key(plain))
    spaced = "".join(sign if sign.isalnum() else " " for sign in letters if not _is_mark(sign))
    words = spaced.split()
    own_words = [word for word in words if word not in _TITLES_IN_SPEECH]
    joined = "".join(own_words or words) or name_key(name)
    alike = joined.translate(_ALIKE_DIGITS)
    return alike.replace("rn", "m").replace("vv", "w")


def _is_mark(sign: str) -> bool:
    """Return whether a character is an accent on the one before it."""
    return unicodedata.category(sign) == "Mn"


def _latin_letter(sign: str) -> str:
    """Return the letter that a small capital, circled or squared letter shows; others as is."""
    if sign.isascii():
        return sign
    drawn = _DRAWN_LETTER.search(unicodedata.name(sign, ""))
    return sign if drawn is None else drawn[1]


def matches(
    pool: Iterable[_T],
    text: str,
    name: Callable[[_T], str],
    ids: Callable[[_T], str | None] | None = None,
) -> tuple[_T, ...]:
    """Return the entries with this name or id; failing that, those whose name begins with it.

    An empty text matches nothing, and an entry with an empty name is never matched.
    """
    wanted = name_key(text)
    if not wanted:
        return ()
    keyed = [(name_key(name(entry)), entry) for entry in pool]
    exact: list[_T] = []
    for key, entry in keyed:
        if key and (key == wanted or (ids and ids(entry) == wanted)):
            exact.append(entry)
    return tuple(exact or [entry for key, entry in keyed if key.startswith(wanted)])


def similar_names(text: str, names: Iterable[str], cutoff: float = 0.6) -> tuple[str, ...]:
    """Return at most three names that are like the text or have a word like it, most similar first.

    *cutoff* is the least likeness, from 0 to 1. A single word has to be more similar, so that short
    words do not fit everything.
    """
    known = {name_key(name): name for name in names}
    wanted = name_key(text)[:_COMPARED]
    similar = [known[key] for key in get_close_matches(wanted, known, n=_LIKE, cutoff=cutoff)]
    words: dict[str, list[str]] = {}
    for key, name in known.items():
        for word in key.split():
            words.setdefault(word, []).append(name)
    for word in get_close_matches(wanted, words, n=_LIKE, cutoff=max(cutoff, _WORD)):
        similar += [name for name in words[word] if name not in similar]
    return tuple(similar[:_LIKE])


def similar_or_first(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return similar names, as `similar_names`; if there are none, the first five."""
    known = tuple(dict.fromkeys(names))
    return similar_names(text, known) or known[:_FIRST]


def without_quotes(text: str) -> str:
    """Return a name without the quotes around it. Quotes say that the name is no slip."""
    inner = text.strip()
    if len(inner) > 2 and inner[0] in _QUOTES and inner[-1] in _QUOTES:
        return inner[1:-1].strip()
    return inner


def require_no_slip(text: str, names: Iterable[str], *, field: str) -> None:
    """Raise InvalidInput("near-name") for a new name that is nearly one of the *names*.

    A name in quotes is taken as it is.
    """
    known = tuple(names)
    if text.strip() != without_quotes(text) or matches(known, text, str):
        return
    near = similar_names(text, known, _WORD)
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
    """Return the one entry that the text means, as `matches` finds it.

    Errors do not list entries with an empty name.

    Raises:
        NotFound(*unknown*): None fits. The error has the nearest names.
        InvalidInput(*ambiguous*): Several fit. The error has their names.
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
    """Return the entry that the text means, as `matches` finds it.

    Of several entries of the same name it is the first.

    Raises:
        NotFound("ambiguous-choice"): Several names fit. The error has them.
        NotFound(*unknown*): None fits. The error has the nearest names.
    """
    everything = tuple(pool)
    for entry in everything if ids is None and text else ():
        if name(entry) == text:  # the usual case: the name was picked from a list
            return entry
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
    """Return the entry of that id or name; without a text, the only one that is *likely*.

    Raises:
        NotFound(*unknown*): None fits. The error has the first ten names.
        InvalidInput("which-one"): Several fit. The error has the first ten of them.
    """
    everything = tuple(pool)
    fitting = likely
    if text:
        fitting = matches(everything, text, lambda entry: entry.name, lambda entry: entry.id)
    if len(fitting) == 1:
        return fitting[0]
    value = text[:_COMPARED] if text else None
    if fitting:
        allowed = tuple(f"{entry.id} {entry.name}" for entry in fitting[:_MOST])
        raise InvalidInput("which-one", field=field, value=value, allowed=allowed)
    nearest = tuple(entry.name for entry in everything[:_MOST])
    raise NotFound(unknown, field=field, value=value, nearest=nearest)


def split_words(text: str | None) -> tuple[str, ...]:
    """Return the parts of a text that commas separate, without empty ones."""
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())
