"""Texts with numbers in them, and texts with what looks like a key of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from bot.presenters.language.words import LOCALE
from rules.table.blocks import Value
from tests.presenters.sample_texts import (
    Source,
    render,
    sampler,
    sources,
)

FILES: Final = sorted(path.stem for path in LOCALE.glob("*.toml"))
#: Nouns that are counted: one, several.
NOUNS: Final = {
    "act": "acts",
    "ability": "abilities",
    "action": "actions",
    "add": "adds",
    "attribute": "attributes",
    "card": "cards",
    "character": "characters",
    "check": "checks",
    "day": "days",
    "deck": "decks",
    "die": "dice",
    "dilemma": "dilemmas",
    "draw": "draws",
    "effect": "effects",
    "entry": "entries",
    "export": "exports",
    "file": "files",
    "hex": "hexes",
    "hour": "hours",
    "level": "levels",
    "line": "lines",
    "message": "messages",
    "minute": "minutes",
    "mistake": "mistakes",
    "month": "months",
    "name": "names",
    "order": "orders",
    "package": "packages",
    "page": "pages",
    "part": "parts",
    "phase": "phases",
    "piece": "pieces",
    "player": "players",
    "point": "points",
    "result": "results",
    "roll": "rolls",
    "round": "rounds",
    "scene": "scenes",
    "second": "seconds",
    "section": "sections",
    "shot": "shots",
    "skill": "skills",
    "step": "steps",
    "success": "successes",
    "table": "tables",
    "time": "times",
    "trait": "traits",
    "way": "ways",
    "wound": "wounds",
}
_ADJECTIVE: Final = (
    r"(?:(?:more|extra|other|free|open|new|finished|spare|saved|bleeding|major|skill|damage|fate|"
    r"life|action|karma|add|bonus|penalty|stun) )*"
)
_ONE: Final = "|".join(NOUNS)
_MANY: Final = "|".join(NOUNS.values())
#: What is wrong with a number -> how it looks.
WRONG: Final = {
    "several after 1": rf"(?<![\w.,–−+/-])1 {_ADJECTIVE}(?:{_MANY})\b",
    "one after 2": rf"(?<![\w.,–−/-])2 {_ADJECTIVE}(?:{_ONE})\b(?! (?:{_ONE}|{_MANY})\b)",
    "1 are": rf"(?<![\w.,–−/-])1 (?:{_ADJECTIVE}(?:{_ONE}) )?(?:are|were|have)\b",
    "2 is": rf"(?<![\w.,–−/-])2 {_ADJECTIVE}(?:{_MANY}) (?:is|was|has)\b",
    "0 of a noun": rf"(?<![\w.,:–−/-])0 {_ADJECTIVE}(?:{_ONE}|{_MANY})\b",
}
_WRONG: Final = {name: re.compile(look, re.IGNORECASE) for name, look in WRONG.items()}
#: A plain number before a noun that may follow it.
_BEFORE_NOUN: Final = re.compile(rf"^ {_ADJECTIVE}(?:{_ONE}|{_MANY})\b", re.IGNORECASE)
#: The most and least there can be, which are many.
_LIMITS: Final = frozenset({"highest", "lowest", "most"})
#: Numbers that are never 0 or 1, or that stand before a noun by chance: the text, the number, why.
ELSEWHERE: Final[dict[tuple[str, str], str]] = {
    ("bad-frequency", "value"): "the player's own words",
    ("bar-option", "factor"): "treatment never stops healing",
    ("bar-option", "times"): "the least is twice the usual time",
    ("bar-note", "factor"): "treatment never stops healing",
    ("bar-shift", "times"): "the least is twice the usual time",
    ("bar-treated", "factor"): "treatment never stops healing",
    ("bar-wound", "factor"): "a Wound that doesn't heal has another text",
    ("ebb-step-about", "count"): "the abilities of a new character are many",
    ("ego-several", "count"): "one caught is told by name",
    ("ego-term", "dice"): "what changes nothing is no term",
    ("ego-too-often", "count"): "there twice at least",
    ("mb-bg-skill-group-size", "needed"): "a text, as halves are",
    ("mb-bg-trade-up-sum", "given"): "the rules have its words",
    ("mb-awarded", "skill_points"): "a Life Point is worth several",
    ("mb-card-moved", "number"): "an award of nothing is refused",
    ("mb-card-moved", "worth"): "a Life Point is worth several",
    ("mb-creation-theme", "needed"): "a text, as halves are",
    ("mb-fall-points", "points"): "the 0 is the outcome",
    ("mb-npc-due", "high"): "the most is several",
    ("mb-sheet-arm", "magazine"): "a weapon without a magazine has no rounds",
    ("mb-sheet-weapon", "magazine"): "a weapon without a magazine has no rounds",
    ("too-long", "length"): "longer than the shortest limit",
}


def faults(text: str) -> list[str]:
    """Return what is wrong with the numbers of a text."""
    return [f"{name}: {found[0]}" for name, look in _WRONG.items() if (found := look.search(text))]


def counted_parameters(source: Source) -> Iterator[str]:
    """Yield the parameters of a text that are numbers."""
    chooser = sampler(source)
    for key in sorted(chooser.filters):
        if chooser.is_number(key) or _stands_before_noun(source.text, key):
            yield key


def _stands_before_noun(text: str, key: str) -> bool:
    if key in _LIMITS:
        return False
    parts = text.split("{" + key + "}")
    return any(_BEFORE_NOUN.match(each) for each in parts[1:])


def numbered_texts(source: Source) -> Iterator[tuple[str, int, str]]:
    """Yield every text with 0, 1 and 2 in each of its numbers: the number's name, the number, and
    the text.
    """
    keys = list(counted_parameters(source))
    for params in sampler(source).goals():
        for key in keys:
            if isinstance(params.get(key), (str, tuple, bool, type(None))):
                continue
            for number in (0, 1, 2):
                given: dict[str, Value] = {**params, key: number}
                yield key, number, render(source, given)


@pytest.mark.parametrize("file", FILES)
def test_plurals_are_right_with_0_1_and_2(file: str) -> None:
    found: dict[str, str] = {}
    for source in sources():
        if source.file != file:
            continue
        for key, number, text in numbered_texts(source):
            if (source.key, key) in ELSEWHERE:
                continue
            for fault in faults(text):
                found.setdefault(f"{source.place} {{{key}}} = {number}: {fault}", text)
    assert found == {}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("1 point left", []),
        ("1 points left", ["several after 1: 1 points"]),
        ("2 Fate point left", ["one after 2: 2 Fate point"]),
        ("1 shot a round were declared", []),
        ("1 shot were declared", ["1 are: 1 shot were"]),
        ("2 cards is left", ["2 is: 2 cards is"]),
        ("0 cards left", ["0 of a noun: 0 cards"]),
        ("no cards left, 1 of 3 cards, d8−1 dice, 10 points", []),
    ],
)
def test_what_a_wrong_plural_is(text: str, wrong: list[str]) -> None:
    assert faults(text) == wrong
