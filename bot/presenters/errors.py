"""Refusals and trouble as messages: what is wrong, what state things are in, and who has to do
what.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

from bot.presenters.controls import Button, Rows, create_button, gm_channel_rows, react_id
from bot.presenters.language.catalog import CatalogPage
from bot.presenters.language.limits import BODY, CUSTOM_ID, is_within, split_pages
from bot.presenters.language.text import (
    Markdown,
    Names,
    TextParams,
    listing,
    sentence,
)
from bot.presenters.language.words import PAGES, label_text, say, say_error, say_fix
from bot.presenters.layout import Layout, build_layout
from bot.presenters.names import gm_mentions
from rules.core.errors import (
    Impossible,
    InvalidInput,
    NotFound,
    NotPermitted,
    Outdated,
    Problems,
    RulesError,
)
from rules.core.name_matching import matches, similar_names
from rules.table.blocks import Text

#: Of so many violations all are told: a file can have tens of thousands.
MAX_PROBLEMS: Final = 500

#: How like what was typed a name has to be, from 0 to 1, to be taken for what was meant.
_MIN_SIMILARITY: Final = 0.6

#: What is wrong, and what to do about it: the first sentence, in which a quotation may have stops,
#: and the others.
_FIRST: Final = re.compile(r"(?!```)((?:“[^”\n]*”|[^“\n])+?[.?!])(?:\s|$)", re.DOTALL)
#: A stop within a value, which ends no sentence.
_VALUE_STOP: Final = re.compile(r"[.?!](?=\s|$)")
#: Replaces such a stop while a text is split; as long as a stop, so that positions stay.
_NO_STOP: Final = "x"
#: How long such a sentence may be to stand as a head.
_HEADED: Final = 80

#: Codes of refusals for players without a character.
_WITHOUT_CHARACTER: Final = frozenset({"no-character", "not-of-table"})

UNCHANGED: Final = say(Text("nothing-changed"))
#: For what should never happen.
FAULT: Final = say_error(RulesError("unexpected"))

_SPECIAL_TITLES: Final[dict[str, str]] = {
    "no-table": say(Text("refused-no-table")),
    "no-character": say(Text("refused-no-character")),
    "not-of-table": say(Text("refused-not-of-table")),
    "needs-approach": say(Text("refused-say-how")),
    "describe-first": say(Text("refused-say-how")),
}


def _suggestions(error: RulesError) -> str:
    """What may have been meant; where nothing there is comes near it, some of what there is."""
    near = TextParams(error.params).items("nearest")
    if not near or error.code.startswith("ambiguous-"):
        return ""
    named = listing((f"“{text}”" for text in near), "or")
    value = error.params.get("value")
    far = (
        isinstance(value, str)
        and not matches(near, value, str)
        and not similar_names(value, near, _MIN_SIMILARITY)
    )
    return say(Text("suggestion", {"far": far, "names": Markdown(named)}))


def describe_error(error: RulesError, names: Names | None = None, *, in_list: bool = False) -> str:
    """The refusal as one or more sentences; in a list of violations with the field in front."""
    text, before = say_error(error, names), f"{TextParams(error.params).option()}: "
    if in_list and not text.startswith(before):
        text = before + text
    parts = (sentence(text), sentence(say_fix(error)), _suggestions(error))
    return " ".join(part for part in parts if part)


def _texts(error: RulesError, names: Names | None) -> list[str]:
    """Everything a refusal has to say, in as many texts as it needs; of very many violations the
    first.
    """
    lines = [describe_error(error, names)]
    if isinstance(error, Problems):
        told, more = enumerate(error.problems[:MAX_PROBLEMS], 1), len(error.problems) - MAX_PROBLEMS
        lines = [f"{number}. {describe_error(each, names, in_list=True)}" for number, each in told]
        lines += [say(Text("more-problems", {"count": more}))] if more > 0 else []
    return split_pages(lines, BODY)


#: How many open checks have a button each.
_OPENED: Final = 3
#: What is to be mended, where it is not just a file.
_FIX_NOUNS: Final = {"bad-character": "sheet", "deck-problems": "deck"}


class _NamesWithoutStops:
    """Names without stops, so that a text can be split at its own."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def mention(self, participant: str) -> str:
        return _without_stops(self._names.mention(participant))

    def user_id(self, participant: str) -> int | None:
        return self._names.user_id(participant)

    def name(self, participant: str) -> str:
        return _without_stops(self._names.name(participant))


def _without_stops(text: str) -> str:
    """Return a text of the same length without stops."""
    return _VALUE_STOP.sub(_NO_STOP, text)


def _value_without_stops(value: Any) -> Any:
    """Return a parameter with all its texts without stops."""
    if isinstance(value, tuple):
        return tuple(map(_value_without_stops, cast("tuple[Any, ...]", value)))
    return _without_stops(value) if isinstance(value, str) else value


def _first_sentence(error: RulesError, text: str, names: Names | None) -> tuple[str, str] | None:
    """Return the first sentence of a refusal and the rest, or None without such a sentence.

    A stop in a name, such as "Dr.", ends no sentence.
    """
    params = {key: _value_without_stops(value) for key, value in error.params.items()}
    marked = describe_error(
        type(error)(error.code, **params), None if names is None else _NamesWithoutStops(names)
    )
    first = _FIRST.match(marked)
    if first is None:
        return None
    end = first.end(1)
    return text[:end], text[end:].lstrip()


def _split_head(error: RulesError, text: str, names: Names | None) -> tuple[str, str]:
    """The head of a refusal, and what stands below: what is wrong is the head, where it is short
    enough for one.
    """
    if isinstance(error, Problems):
        told = {
            "count": len(error.problems),
            "what": None if error.code == "bad-form" else _FIX_NOUNS.get(error.code, "file"),
        }
        return say(Text("refused-problems", told)), text
    if error.code in _SPECIAL_TITLES:
        return _SPECIAL_TITLES[error.code], text
    if isinstance(error, Outdated):
        return say(Text("refused-outdated")), text
    told = _first_sentence(error, text, names)
    if told is None or not is_within(told[0], _HEADED):
        return say(Text("refused-other")), text
    return told[0].removesuffix("."), told[1]


def _refusal_cards(
    error: RulesError, names: Names | None, gms: tuple[str, ...], gm_roles: tuple[str, ...]
) -> tuple[Layout, ...]:
    if isinstance(error, Problems) and error.code == "bad-form" and len(error.problems) == 1:
        error = error.problems[0]  # of the options of a command
    texts = _texts(error, names)
    if error.code == "gm-only" and names is not None and (gms or gm_roles):
        texts[0] += f" Ask {gm_mentions(names, gms, gm_roles).text}."
    count = len(texts)
    title, texts[0] = _split_head(error, texts[0], names)
    pages = [f"Page {number} of {count}. " if count > 1 else "" for number in range(1, count + 1)]
    told = zip(texts, pages, strict=True)
    return tuple(
        build_layout("waiting", title, text, small=f"{page}{UNCHANGED}") for text, page in told
    )


def open_anyway_rows(error: BaseException) -> Rows:
    """Where a table was not opened for its GM channel, the button that opens it without one."""
    opens = error.params.get("opens") if isinstance(error, RulesError) else None
    return (
        ((Button(opens, label_text("open-without-gm-channel"), "primary"),),)
        if isinstance(opens, str)
        else ()
    )


def fix_rows(table_id: int, error: BaseException, *, gm: bool) -> Rows:
    """Return the buttons that fix a refusal; empty if there are none.

    - Open checks keep a turn from ending: a button opens each, and for GMs one closes them.
    - The player can withdraw an open check instead: a button opens it.
    - The place has a table already: a button shows its first steps again.
    - The user has no character: a button makes one.
    - Others can read the GM channel: GMs choose another one, or do without.
    """
    if isinstance(error, NotFound | NotPermitted) and error.code in _WITHOUT_CHARACTER:
        return ((create_button(table_id),),)
    if isinstance(error, Impossible) and (check := error.params.get("react")):
        return ((Button(react_id(table_id, str(check)), f"Open {check}", "primary"),),)
    if isinstance(error, Impossible) and error.code == "round-open":
        return open_check_rows(table_id, TextParams(error.params).raw_items("checks"), gm=gm)
    if gm and isinstance(error, InvalidInput) and error.code.startswith("gm-channel-"):
        leaders = Button(f"sg:set:{table_id}:people:gms", label_text("open-gms"))
        own = (leaders,) if error.code in ("gm-channel-role", "gm-channel-member") else ()
        menu, (without, *_) = gm_channel_rows(table_id)
        return menu, (without, *own)
    if (
        gm
        and isinstance(error, Impossible)
        and error.code == "place-taken"
        and error.params.get("here")
    ):
        return ((Button(f"sg:first:{table_id}:look", label_text("open-first-steps"), "primary"),),)
    return ()


def open_check_rows(table_id: int, checks: Sequence[str], *, gm: bool) -> Rows:
    """Return the buttons that open checks which hold a turn or a round; a GM can close them all."""
    opens = tuple(
        [
            Button(react_id(table_id, each), label_text("open-check", check=each))
            for each in checks[:_OPENED]
        ]
    )
    close = Button(_close_id(table_id, checks), label_text("close-checks"))
    return tuple(filter(None, (opens, (close,) if gm and checks else ())))


def _close_id(table_id: int, checks: Iterable[str]) -> str:
    """`sg:close:<table>:<check>.<check>…`, with as many as an id has room for."""
    custom_id = f"sg:close:{table_id}:"
    for check in checks:
        longer = f"{custom_id}{'' if custom_id.endswith(':') else '.'}{check}"
        if len(longer) > CUSTOM_ID:  # the rest is refused, and offered, again
            break
        custom_id = longer
    return custom_id


def _trouble(error: object) -> CatalogPage:
    known = PAGES["trouble"]
    if type(error).__name__ == "StaleTable":
        return known["busy"]
    reason = getattr(error, "reason", None)
    if not isinstance(reason, str):
        return CatalogPage(say(Text("refused-fault")), FAULT)
    if hasattr(error, "part"):
        return known["newer" if reason == "newer" else "table-damaged"]
    return known.get(reason, known["unknown"])


def error_cards(
    error: BaseException,
    names: Names | None = None,
    *,
    gms: tuple[str, ...] = (),
    gm_roles: tuple[str, ...] = (),
) -> tuple[Layout, ...]:
    """The whole of an error: one card, or as many as a long list of violations needs.

    Takes refusals of the rules, storage in trouble (anything with a `reason`, and a `part` when it
    concerns one table), and any other exception as a fault of the bot. Nobody is pinged by it.
    """
    if isinstance(error, RulesError) and error.code != "unexpected":
        return _refusal_cards(error, names, gms, gm_roles)
    page = _trouble(error)
    return (build_layout("waiting", page.title, page.text),)
