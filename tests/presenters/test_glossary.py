"""One word for one thing: no text uses a word that docs/glossary.md rules out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import pytest

from tests.presenters.played_texts import SYSTEMS, play_game
from tests.presenters.sample_texts import plain_texts, sentences, sources

#: A word that no text uses, and the word that it uses instead. Code font is left out.
NEVER: Final = {
    r"(?<!is )(?<!isn't )(?<!already )(?<!now )(?<!were )(?<!has )(?<!here )(?<!as )(?<!add )"
    r"\ba GM\b(?! (?:channel|role|here))": "the GM",
    r"\bgame ?masters?\b": "the GM",
    r"\bthese rules\b": "this game",
    r"\bwhoever\b(?! runs th)": "the player, or a name",
    r"\bthose who\b": "players who",
    r"\bparticipants?\b": "players",
    r"\bundisclosed\b": "from the GM, or hidden",
    r"\bhidden number\b": "hidden difficulty",
    r"\badjustments?\b": "modifier",
    r"\bthe dice lie\b": "the roll",
    r"\bbegin it once more\b": "re-roll",
    r"\broll-again\b": "an extra die",
    r"\bprovisional\b": "so far",
    r"\breaction (?:window|phase)\b": "time to react",
    r"\blate reaction\b": "step in",
    r"\bhave nothing to add\b": "pass",
    r"\bis struck\b": "is hit",
    r"\btakes off damage\b": "stops damage",
    r"\babsorbs\b": "stops",
    r"\border of action\b|\bturn order\b": "initiative",
    r"\bon turn\b": "it's your turn",
    r"\byour moment\b|\bwaiting for a moment\b": "act now",
    r"\bDone with\b": "End turn, or Finished",
    r"\b(?:latest|this|check's) card\b(?=.*press)": "the message",
    r"\bstub\b": "the message",
    r"\bturned up\b": "face up",
    r"\bautomatic answers?\b": "standing order",
    r"\bdelegates?\b": "stand-in",
    r"\bthe journal:": "the log",
    r"\btake(?:s|n)? back\b(?!.*\bcards?\b)": "undo",
    r"\bforbids?\b|\bforbidden\b": "refuse",
    r"\(you have \d": "… left",
    r"\bisn't a choice\b": "No … here",
    r"\bunknown way\b": "No … here",
    r"\bdoesn't belong in\b": "No … here",
    r"\bisn't in the tables\b": "isn't on the list",
    r"\bto begin with\b": "at the start",
    r"\bin the midst of\b": "during",
    r"\bis no (?:measure|choice|number|wild)\b": "isn't a …",
    r"\bis up to the GM\b": "the GM decides",
    r"(?<![\w`/#\[(-])-\d": "a real minus: −",
    r"\be\.g\.|\bi\.e\.|\betc\.": "for example",
}
_NEVER: Final = {word: re.compile(word, re.IGNORECASE) for word in NEVER}
#: Texts that may: key of a text, or the text itself, and why.
ALLOWED: Final[dict[str, str]] = {
    "barmore:bar-set": "a score is typed with a hyphen",
    "barmore:bar-step-about": "a score is typed with a hyphen",
    "ego:ego-hint": "numbers are typed with a hyphen",
    "masterbook:mb-hint": "numbers are typed with a hyphen",
    "masterbook.gm:mb-gm-act-adjust-range": "the rules' own words",
    "masterbook.cards:setting-gamemaster-fiat": "the book's name for it",
    "masterbook.background:mb-char-skill-no-specialization": "the rules have its words",
    "masterbook.background:mb-bg-gm-approval": "the rules have its words",
    "masterbook.background:mb-bg-unusual-pair": "the rules have its words",
    "masterbook.background:mb-bg-stack-skill": "the rules have its words",
    "masterbook.background:mb-bg-stack-attribute": "the rules have its words",
    "masterbook.background:mb-bg-stack-comp": "the rules have its words",
    "masterbook.background:mb-bg-trade-up-comp": "the rules have its words",
}
#: Names of the books that hold such a word.
_BOOK_NAMES: Final = ("Gamemaster fiat",)
_CODE: Final = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_QUOTED: Final = re.compile(r"“[^”]*”")
_MARKUP: Final = re.compile(r"<[^>]*>|\]\([^)]*\)|^-# |\\")


def plain_words(text: str) -> str:
    """Return a text without code, what people typed, and marks of Discord."""
    return _MARKUP.sub("", _QUOTED.sub("“”", _CODE.sub("", text)))


def ruled_out(text: str) -> list[str]:
    """Return the words of a text that the glossary rules out, each with the right one."""
    plain = plain_words(text)
    for name in _BOOK_NAMES:
        plain = plain.replace(name, "")
    return [
        f"{found[0]!r}: say {NEVER[word]!r}"
        for word, look in _NEVER.items()
        if (found := look.search(plain))
    ]


def _catalog() -> Iterator[tuple[str, str]]:
    for source in sources():
        for text in sentences(source):
            yield source.place, text
    for source in plain_texts():
        yield source.place, source.text


def _faults(texts: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for place, text in texts:
        if place in ALLOWED or place.endswith("-words"):  # by which players search
            continue
        for line in text.split("\n"):
            for fault in ruled_out(line):
                found[f"{place}: {fault}"] = line
    return found


def test_no_text_uses_a_word_that_is_ruled_out() -> None:
    assert _faults(_catalog()) == {}


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_game_shows_a_word_that_is_ruled_out(system: str) -> None:
    shown = play_game(system)
    assert _faults(("shown", each) for each in (*shown.lines, *shown.buttons, *shown.entries)) == {}
