"""The words of every code, from the catalog, which is read once at the start."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from bot.presenters.language.catalog import read_catalog
from bot.presenters.language.dice_text import error_pointer
from bot.presenters.language.systems import SYSTEM_WORDS
from bot.presenters.language.text import (
    Names,
    Template,
    TextFunction,
    TextParams,
    code_text,
    fill_template,
    listing,
)
from rules.core.errors import RulesError
from rules.core.memo import memo_by_identity
from rules.core.record import asdict
from rules.table.blocks import Text, Value
from rules.table.resources import points_label
from rules.table.typed_texts import is_id

log = logging.getLogger("storyguide.words")

#: What is shown for a code without words; it names nothing, because what it stands for may be
#: hidden.
_UNKNOWN_LINE: Final = "something this version has no words for"
_UNKNOWN_ERROR: Final = "That's not possible right now."
_UNKNOWN_FIX: Final = "Fix it"

#: Where the texts are.
LOCALE: Final = Path(__file__).resolve().parents[2] / "locale" / "en"
#: Settings that are called otherwise in `/gm settings`.
SETTING_OPTIONS: Final[dict[str, str]] = {
    "answer_time": "answer_hours",
    "step_in_time": "step_in_minutes",
    "turn_time": "turn_hours",
}
#: How many seconds one of their units there has.
SETTING_UNITS: Final[dict[str, int]] = {
    "answer_time": 3600,
    "step_in_time": 60,
    "turn_time": 3600,
}


def _setting(said: TextParams) -> str:
    field = str(said.raw("field"))
    return code_text(SETTING_OPTIONS[field]) if field in SETTING_OPTIONS else said.option("field")


def _gm_names(said: TextParams) -> str:
    named = [said.mention(gm) for gm in said.raw_items("gms")]
    named += [f"<@&{role}>" for role in said.raw_items("gm_roles") if is_id(role)]
    return listing(named) or "the GM"


def _points_name(said: TextParams) -> str:
    return say(points_label(str(said.raw("what"))))


#: Functions that texts need, by their names in the catalog.
_FUNCTIONS: Final[dict[str, TextFunction]] = {
    "leaders": _gm_names,
    "pointed": error_pointer,
    "points-name": _points_name,
    "setting": _setting,
}
_OWN: Final = {
    name: function for words in SYSTEM_WORDS.values() for name, function in words.functions.items()
}
_CATALOG: Final = read_catalog(LOCALE, _FUNCTIONS | _OWN)
TEMPLATES: Final = _CATALOG.codes
FIX_TEMPLATES: Final = _CATALOG.fixes
CARD_TEMPLATES: Final = _CATALOG.cards
PAGES: Final = _CATALOG.pages
COMMANDS: Final = _CATALOG.commands

_strict = False


def set_strict(strict: bool) -> None:
    """Whether a code without words is a KeyError (in tests) or is logged and shown in neutral
    words.
    """
    global _strict
    _strict = strict


def _fill_code(table: Mapping[str, Template], code: str, said: TextParams, otherwise: str) -> str:
    if (template := table.get(code)) is not None:
        return fill_template(template, said)
    if _strict:
        raise KeyError(code)
    log.error("words.missing", extra={"code": code})
    return otherwise


class _NestedParams(TextParams):
    """Parameters among which there may be texts."""

    __slots__ = ()

    def say(self, text: Text) -> str:
        return say_bare(text) if self.bare else say(text)


_NO_PARAMS: Final = _NestedParams({})


@memo_by_identity  # rules make lines that come again and again only once
def say(line: Text) -> str:
    """Return the line in Markdown, with the text that people typed escaped."""
    return _fill_code(TEMPLATES, line.code, _NestedParams(line.params), _UNKNOWN_LINE)


def say_bare(line: Text) -> str:
    """Return the line for buttons, menus and suggestions, which don't render Markdown."""
    return _fill_code(TEMPLATES, line.code, _NestedParams(line.params, bare=True), _UNKNOWN_LINE)


def label_text(code: str, **params: Value) -> str:
    """Return the text of a button, a menu or a menu entry."""
    return say_bare(Text(code, params))


def phrase(code: str, names: Names | None = None, /, *, about: Any = None, **params: Value) -> str:
    """Return a text of `[cards]`, for sentences and headlines; for labels see `label_text`.

    Its parameters are the fields of the record `about`, and `params`.
    """
    told = {} if about is None else asdict(about)
    return _fill_code(
        CARD_TEMPLATES, code, _NestedParams(told | params, names=names), _UNKNOWN_LINE
    )


def value_text(value: Value) -> str:
    """Return a value in Markdown, with the text that people typed escaped."""
    return (
        _values_text(value)
        if isinstance(value, tuple)
        else _NO_PARAMS.value_text(value, lines=True)
    )


@memo_by_identity
def _values_text(values: Value) -> str:
    return _NO_PARAMS.value_text(values, lines=True)


def say_error(error: RulesError, names: Names | None = None) -> str:
    """Return what is wrong, without suggestions and the way to mend it."""
    return _fill_code(
        TEMPLATES, error.code, _NestedParams(error.params, names=names), _UNKNOWN_ERROR
    )


def say_fix(error: RulesError) -> str:
    """How a violation is mended, empty where the error does not say."""
    fix = error.params.get("fix")
    return (
        _fill_code(FIX_TEMPLATES, fix, _NestedParams(error.params), _UNKNOWN_FIX)
        if isinstance(fix, str)
        else ""
    )


def command_prefix(system_key: str) -> str:
    """What a system's own commands stand under: its key, unless its words have a shorter name."""
    return COMMANDS.get(system_key, {}).get("/", system_key)


def command_path(system_key: str, name: str, groups: Collection[str]) -> str:
    """Return what players type after the slash for a system's own command.

    `groups` are those that stand beside the system's own (`System.command_groups`).
    """
    return name if name.split()[0] in groups else f"{command_prefix(system_key)} {name}"
