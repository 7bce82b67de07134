"""Messages of refusals and failures: what is wrong, what has changed, and what to do."""

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

#: Most violations that are listed: a file can have tens of thousands.
MAX_PROBLEMS: Final = 500

#: Least similarity, from 0 to 1, at which a typed name counts as a misspelling of a known one.
_MIN_SIMILARITY: Final = 0.6

#: The first sentence of a refusal, which says what is wrong. A quotation in it may have stops.
_FIRST: Final = re.compile(r"(?!```)((?:“[^”\n]*”|[^“\n])+?[.?!])(?:\s|$)", re.DOTALL)
#: A stop within a value, which ends no sentence.
_VALUE_STOP: Final = re.compile(r"[.?!](?=\s|$)")
#: Replaces such a stop while a text is split; as long as a stop, so that positions stay.
_NO_STOP: Final = "x"
#: Most letters of a sentence that becomes a head.
_HEAD_LENGTH: Final = 80

#: Codes of refusals for players without a character.
_WITHOUT_CHARACTER: Final = frozenset({"no-character", "not-of-table"})

UNCHANGED: Final = say(Text("nothing-changed"))
#: Text of a fault of the bot.
FAULT: Final = say_error(RulesError("unexpected"))

_SPECIAL_TITLES: Final[dict[str, str]] = {
    "no-table": say(Text("refused-no-table")),
    "no-character": say(Text("refused-no-character")),
    "not-of-table": say(Text("refused-not-of-table")),
    "needs-approach": say(Text("refused-say-how")),
    "describe-first": say(Text("refused-say-how")),
}


def _suggestions(error: RulesError) -> str:
    """Return the names that a misspelled one resembles, or else some of the known names."""
    nearest = TextParams(error.params).items("nearest")
    if not nearest or error.code.startswith("ambiguous-"):
        return ""
    names = listing((f"“{text}”" for text in nearest), "or")
    value = error.params.get("value")
    far = False
    if isinstance(value, str) and not matches(nearest, value, str):
        far = not similar_names(value, nearest, _MIN_SIMILARITY)
    return say(Text("suggestion", {"far": far, "names": Markdown(names)}))


def describe_error(error: RulesError, names: Names | None = None, *, in_list: bool = False) -> str:
    """Return a refusal as sentences; in a list of violations with the field in front."""
    text, before = say_error(error, names), f"{TextParams(error.params).option()}: "
    if in_list and not text.startswith(before):
        text = before + text
    parts = (sentence(text), sentence(say_fix(error)), _suggestions(error))
    return " ".join(part for part in parts if part)


def _texts(error: RulesError, names: Names | None) -> list[str]:
    """Return a whole refusal in as many texts as it needs; of very many violations the first."""
    if not isinstance(error, Problems):
        return split_pages([describe_error(error, names)], BODY)
    lines: list[str] = []
    for number, problem in enumerate(error.problems[:MAX_PROBLEMS], 1):
        lines.append(f"{number}. {describe_error(problem, names, in_list=True)}")
    more = len(error.problems) - MAX_PROBLEMS
    if more > 0:
        lines.append(say(Text("more-problems", {"count": more})))
    return split_pages(lines, BODY)


#: Most open checks that have a button each.
_MAX_OPEN_BUTTONS: Final = 3
#: Nouns for what has violations, where it isn't just a file.
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
    """Return the head of a refusal and the text below.

    The first sentence is the head if it's short enough.
    """
    if isinstance(error, Problems):
        what = None if error.code == "bad-form" else _FIX_NOUNS.get(error.code, "file")
        about = {"count": len(error.problems), "what": what}
        return say(Text("refused-problems", about)), text
    if error.code in _SPECIAL_TITLES:
        return _SPECIAL_TITLES[error.code], text
    if isinstance(error, Outdated):
        return say(Text("refused-outdated")), text
    split = _first_sentence(error, text, names)
    if split is None or not is_within(split[0], _HEAD_LENGTH):
        return say(Text("refused-other")), text
    first, rest = split
    return first.removesuffix("."), rest


#: Errors after which a GM is named to ask.
_FOR_GMS: Final = ("gm-only", "deputy-may-not")


def _refusal_cards(
    error: RulesError, names: Names | None, gms: tuple[str, ...], gm_roles: tuple[str, ...]
) -> tuple[Layout, ...]:
    if isinstance(error, Problems) and error.code == "bad-form" and len(error.problems) == 1:
        error = error.problems[0]  # of the options of a command
    texts = _texts(error, names)
    if error.code in _FOR_GMS and names is not None and (gms or gm_roles):
        texts[0] += f" Ask {gm_mentions(names, gms, gm_roles).text}."
    count = len(texts)
    title, texts[0] = _split_head(error, texts[0], names)
    layouts: list[Layout] = []
    for number, text in enumerate(texts, 1):
        page = f"Page {number} of {count}. " if count > 1 else ""
        layouts.append(build_layout("waiting", title, text, small=f"{page}{UNCHANGED}"))
    return tuple(layouts)


def open_anyway_rows(error: BaseException) -> Rows:
    """Return the button that opens a table without the GM channel that was refused."""
    opens = error.params.get("opens") if isinstance(error, RulesError) else None
    if not isinstance(opens, str):
        return ()
    return ((Button(opens, label_text("open-without-gm-channel"), "primary"),),)


def retype_rows(error: BaseException) -> Rows:
    """Return the button that opens a dialog again, with what was typed and refused."""
    again = error.params.get("retype") if isinstance(error, RulesError) else None
    if not isinstance(again, str):
        return ()
    return ((Button(again, label_text("type-again"), "primary"),),)


def fix_rows(table_id: int, error: BaseException, *, gm: bool) -> Rows:
    """Return the buttons that fix a refusal; empty if there are none.

    - Open checks keep a turn from ending: a button opens each, and for GMs one closes them.
    - The player can withdraw an open check instead: a button opens it.
    - The place has a table already: a button shows its first steps again.
    - The user has no character: a button makes one.
    - Others can read the GM channel: GMs choose another one, or do without.
    - A dialog is filled in wrongly: a button opens it again.
    """
    if again := retype_rows(error):
        return again
    if isinstance(error, NotFound | NotPermitted) and error.code in _WITHOUT_CHARACTER:
        return ((create_button(table_id),),)
    if isinstance(error, Impossible) and (check := error.params.get("react")):
        return ((Button(react_id(table_id, str(check)), f"Open {check}", "primary"),),)
    if isinstance(error, Impossible) and error.code == "round-open":
        return open_check_rows(table_id, TextParams(error.params).raw_items("checks"), gm=gm)
    if gm and isinstance(error, InvalidInput) and error.code.startswith("gm-channel-"):
        menu, (without, *_) = gm_channel_rows(table_id)
        if error.code not in ("gm-channel-role", "gm-channel-member"):
            return menu, (without,)
        return menu, (without, Button(f"sg:set:{table_id}:people:gms", label_text("open-gms")))
    if gm and isinstance(error, Impossible) and error.code == "place-taken":
        if error.params.get("here"):
            look = f"sg:first:{table_id}:look"
            return ((Button(look, label_text("open-first-steps"), "primary"),),)
    return ()


def open_check_rows(table_id: int, checks: Sequence[str], *, gm: bool) -> Rows:
    """Return the buttons that open checks which hold a turn or a round; a GM can close them all."""
    if not checks:
        return ()
    opens = tuple(
        Button(react_id(table_id, check), label_text("open-check", check=check))
        for check in checks[:_MAX_OPEN_BUTTONS]
    )
    if not gm:
        return (opens,)
    return opens, (Button(_close_id(table_id, checks), label_text("close-checks")),)


def _close_id(table_id: int, checks: Iterable[str]) -> str:
    """Return `sg:close:<table>:<check>.<check>…`, with as many checks as an id has room for."""
    custom_id = f"sg:close:{table_id}:"
    for check in checks:
        longer = f"{custom_id}{'' if custom_id.endswith(':') else '.'}{check}"
        if len(longer) > CUSTOM_ID:  # the rest is refused, and offered, again
            break
        custom_id = longer
    return custom_id


def _trouble_page(error: object) -> CatalogPage:
    """Return the page about trouble with the storage, or about a fault of the bot."""
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
    """Return an error as one message, or as many as a long list of violations needs.

    The error is a refusal of the rules, trouble with the storage, or else a fault of the bot.
    Trouble has a `reason`, and a `part` if it concerns one table. The messages ping no players.
    """
    if isinstance(error, RulesError) and error.code != "unexpected":
        return _refusal_cards(error, names, gms, gm_roles)
    page = _trouble_page(error)
    return (build_layout("waiting", page.title, page.text),)
