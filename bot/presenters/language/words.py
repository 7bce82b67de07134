"""Texts of every code, from the catalog, which is read once at the start."""

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
from rules.table.forms.typed_texts import is_id
from rules.table.resources import points_label

log = logging.getLogger("storyguide.words")

#: Texts for a code without words. They name nothing, because the code may stand for a secret.
_UNKNOWN_LINE: Final = "something this version has no words for"
_UNKNOWN_ERROR: Final = "That's not possible right now."
_UNKNOWN_FIX: Final = "Fix it"

#: Folder of the texts.
LOCALE: Final = Path(__file__).resolve().parents[2] / "locale" / "en"
#: Options of `/gm settings` whose setting has another name.
SETTING_OPTIONS: Final[dict[str, str]] = {
    "answer_time": "answer_hours",
    "step_in_time": "step_in_minutes",
    "turn_time": "turn_hours",
}
#: Seconds of the unit of each of these options.
SETTING_UNITS: Final[dict[str, int]] = {
    "answer_time": 3600,
    "step_in_time": 60,
    "turn_time": 3600,
}


def _setting(values: TextParams) -> str:
    field = str(values.raw("field"))
    return code_text(SETTING_OPTIONS[field]) if field in SETTING_OPTIONS else values.option("field")


def _gm_names(values: TextParams) -> str:
    mentions = [values.mention(gm) for gm in values.raw_items("gms")]
    mentions += [f"<@&{role}>" for role in values.raw_items("gm_roles") if is_id(role)]
    return listing(mentions) or "the GM"


def _points_name(values: TextParams) -> str:
    return say(points_label(str(values.raw("what"))))


#: Functions that texts need, by their names in the catalog.
_FUNCTIONS: Final[dict[str, TextFunction]] = {
    "leaders": _gm_names,
    "pointed": error_pointer,
    "points-name": _points_name,
    "setting": _setting,
}


def _all_functions() -> dict[str, TextFunction]:
    """Return the functions of all texts, those of each system included."""
    functions = {**_FUNCTIONS}
    for words in SYSTEM_WORDS.values():
        functions |= words.functions
    return functions


_CATALOG: Final = read_catalog(LOCALE, _all_functions())
TEMPLATES: Final = _CATALOG.codes
FIX_TEMPLATES: Final = _CATALOG.fixes
CARD_TEMPLATES: Final = _CATALOG.cards
PAGES: Final = _CATALOG.pages
COMMANDS: Final = _CATALOG.commands

_strict = False


def set_strict(strict: bool) -> None:
    """Set whether a code without words raises KeyError, as in tests.

    Otherwise the bot logs it and shows neutral words.
    """
    global _strict
    _strict = strict


def _fill_code(table: Mapping[str, Template], code: str, values: TextParams, otherwise: str) -> str:
    if (template := table.get(code)) is not None:
        return fill_template(template, values)
    if _strict:
        raise KeyError(code)
    log.error("words.missing", extra={"code": code})
    return otherwise


class _NestedParams(TextParams):
    """Parameters that may contain texts."""

    __slots__ = ()

    def say(self, text: Text) -> str:
        return say_bare(text) if self.bare else say(text)


_NO_PARAMS: Final = _NestedParams({})


@memo_by_identity  # the rules have one object for each common line
def say(line: Text) -> str:
    """Return the line in Markdown, with user text escaped."""
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
    fields = {} if about is None else asdict(about)
    values = _NestedParams(fields | params, names=names)
    return _fill_code(CARD_TEMPLATES, code, values, _UNKNOWN_LINE)


def value_text(value: Value) -> str:
    """Return a value in Markdown, with user text escaped."""
    if isinstance(value, tuple):
        return _values_text(value)
    return _NO_PARAMS.value_text(value, lines=True)


@memo_by_identity
def _values_text(values: Value) -> str:
    return _NO_PARAMS.value_text(values, lines=True)


def say_error(error: RulesError, names: Names | None = None) -> str:
    """Return what is wrong, without suggestions and the way to mend it."""
    values = _NestedParams(error.params, names=names)
    return _fill_code(TEMPLATES, error.code, values, _UNKNOWN_ERROR)


def say_fix(error: RulesError) -> str:
    """Return how to fix a violation; empty if the error doesn't say."""
    fix = error.params.get("fix")
    if not isinstance(fix, str):
        return ""
    return _fill_code(FIX_TEMPLATES, fix, _NestedParams(error.params), _UNKNOWN_FIX)


def command_prefix(system_key: str) -> str:
    """Return the first word of a system's own commands: a short name if it has one, or its key."""
    return COMMANDS.get(system_key, {}).get("/", system_key)


def command_path(system_key: str, name: str, groups: Collection[str]) -> str:
    """Return what players type after the slash for a system's own command.

    `groups` are those that stand beside the system's own (`System.command_groups`).
    """
    return name if name.split()[0] in groups else f"{command_prefix(system_key)} {name}"
