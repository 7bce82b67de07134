"""Every code has its words here: one table, merged from what systems share and what is their own."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from bot.presenters.decks import DECKS
from bot.presenters.dice import DICE
from bot.presenters.people import Names
from bot.presenters.refusals import FIXES, REFUSALS
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.text import Said, Template, fill, plural, sentence, user_text
from rules.core.errors import RulesError
from rules.table.events import Line

__all__ = ["FIX_TEMPLATES", "TEMPLATES", "say", "say_bare", "say_error", "say_fix", "set_strict", "user_text"]

log = logging.getLogger("storyguide.words")

_WAITING: Final[dict[str, str]] = {
    "proposed": "waits for an answer to the GM's question",
    "answered": "waits for the roll",
    "rolled": "is rolled and open for reactions",
}

_LINES: Final[dict[str, Template]] = {
    "hidden-difficulty": "a hidden difficulty",
    "initiative-as-before": "The score is as before: {score}.",
    "initiative-of": lambda said: said["name"] + (f": {said['score']}" if "score" in said else ""),
    "initiative-free-name": "Nobody at this table has that name, so it stands on the board as you wrote it.",
    "no-spend-yet": "it waits for the GM's answer, and nothing can be spent before that",
    "no-spend-now": "nothing can be spent on it now",
    "no-spend-blind": "only the GMs see these dice",
    "waits-for-gm": lambda said: (
        "waits for the GM's words on a hit" if said.raw("status") == "hit" else "waits for the GM's answer"
    ),
    "waits-for-target": lambda said: (
        "waits for a choice what the hit does"
        if said.raw("status") == "hit"
        else "waits for the other side"
        if said.raw("kind") == "contest"
        else "waits for the defence"
    ),
    "steps-back": lambda said: sentence(f"{said['name'] or 'somebody'} steps back"),
    "step-back-as": "Step back: {name}",
    # NPCs.
    "npc-off": "The players do not know of them.",
    "npc-aliased": "The players know them as {alias}.",
    "npc-revealed": "The players know them by name.",
    "npc-mixed": "The players know some of them, or know them in different ways: /gm npc list shows how.",
    "npc-names": "They are {names}.",
    "npcs-here": lambda said: sentence(
        f"{said['names']} {'is' if len(said.items('names')) == 1 else 'are'} here"
    ),
    "npc-is": lambda said: sentence(f"{said['alias']} is {said['name']}"),
    "npc-called": lambda said: sentence(f"{said['before']} is called {said['name']} now"),
    "npc-renamed": "Before: {before}.",
    "npc-notes": lambda said: f"Notes: {said.text('text', 0, lines=True)}",
    "npc-no-notes": "There are no notes any more.",
    "npc-portrait": "There is a new portrait.",
    "npc-no-portrait": "There is no portrait any more.",
    "npc-sheet": "There is a new sheet.",
    "npc-alias": "The alias is {alias} now.",
    "npc-no-alias": "There is no alias any more.",
    "npc-checks-gone": lambda said: (
        f"{plural(said.number('count'), 'check')} that had been over went with them."
    ),
    "waits-for-owner": lambda said: _WAITING.get(str(said.raw("status")), "waits for the player"),
}

#: What is shown for a code without words; it names nothing, because what it stands for may be hidden.
_UNKNOWN_LINE: Final = "something not put into words yet"
_UNKNOWN_ERROR: Final = "That is not possible now."
_UNKNOWN_FIX: Final = "Correct it"


def merge(*tables: Mapping[str, Template]) -> dict[str, Template]:
    """One table of several; ValueError for a code that stands in two."""
    merged: dict[str, Template] = {}
    for table in tables:
        twice = merged.keys() & table.keys()
        if twice:
            raise ValueError(f"words given twice for {', '.join(sorted(twice))}")
        merged.update(table)
    return merged


TEMPLATES: Final = merge(_LINES, REFUSALS, DICE, DECKS, *(words.codes for words in SYSTEM_WORDS.values()))
FIX_TEMPLATES: Final = merge(FIXES, *(words.fixes for words in SYSTEM_WORDS.values()))

_strict = False


def set_strict(strict: bool) -> None:
    """Whether a code without words is a KeyError (in tests) or is logged and shown in neutral words."""
    global _strict
    _strict = strict


def _words(table: Mapping[str, Template], code: str, said: Said, otherwise: str) -> str:
    template = table.get(code)
    return _missing(code, otherwise) if template is None else fill(template, said)


def _missing(code: str, otherwise: str) -> str:
    if _strict:
        raise KeyError(code)
    log.error("words.missing", extra={"code": code})
    return otherwise


def say(line: Line) -> str:
    """The line in Markdown; what people typed in it is escaped."""
    template = TEMPLATES.get(line.code)
    if template is None:
        return _missing(line.code, _UNKNOWN_LINE)
    if isinstance(template, str) and "{" not in template:
        return template
    return fill(template, Said(line.params))


def say_bare(line: Line) -> str:
    """The line for buttons, menus and suggestions, which show Markdown as it is."""
    return _words(TEMPLATES, line.code, Said(line.params, bare=True), _UNKNOWN_LINE)


def say_error(error: RulesError, names: Names | None = None) -> str:
    """What is wrong, without suggestions and the way to mend it."""
    return _words(TEMPLATES, error.code, Said(error.params, names=names), _UNKNOWN_ERROR)


def say_fix(error: RulesError) -> str:
    """How a violation is mended, empty where the error does not say."""
    fix = error.params.get("fix")
    return _words(FIX_TEMPLATES, fix, Said(error.params), _UNKNOWN_FIX) if isinstance(fix, str) else ""
