"""Every code has words, every text is used, plurals are right, and nothing typed gets through as
Markdown.
"""

from __future__ import annotations

import ast
import logging
import re
import tomllib
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presenters.language import catalog, words
from bot.presenters.language.systems import SYSTEM_WORDS
from bot.presenters.language.text import (
    TextParams,
    bare_text,
    code_text,
    duration,
    fill_template,
    listing,
    plural,
    quoted_text,
    signed_text,
    unescape,
    user_text,
)
from bot.presenters.language.words import (
    CARD_TEMPLATES,
    FIX_TEMPLATES,
    LOCALE,
    PAGES,
    TEMPLATES,
    say,
    say_bare,
)
from bot.presenters.log import done_code
from rules.core.errors import RulesError
from rules.table.blocks import Text, Value
from tests.presenters.code_list import KINDS, ROOT, cards, collect, parameters


def test_every_code_has_words_and_every_text_is_used() -> None:
    codes, fixes, unclear = collect()
    assert not unclear, "codes that cannot be read from the source are listed in code_list.py"
    assert sorted(codes - TEMPLATES.keys()) == [], "codes without words"
    assert sorted(TEMPLATES.keys() - codes) == [], "words for codes that nothing speaks in"
    assert sorted(fixes - FIX_TEMPLATES.keys()) == []
    assert sorted(FIX_TEMPLATES.keys() - fixes) == []


def test_every_card_has_words_and_every_text_of_a_card_is_used() -> None:
    said, unclear = cards()
    assert not unclear, "codes that cannot be read from the source are listed in code_list.py"
    assert sorted(said.keys() ^ CARD_TEMPLATES.keys()) == []
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in LOCALE.glob("*.toml")]
    parts: dict[str, str] = {
        name: text for file in files for name, text in catalog.read_parts("", file).items()
    }
    texts: dict[str, str] = {
        code: text for file in files for code, text in file.get("cards", {}).items()
    }
    unknown = {
        code: _holes(texts[code], parts) - given
        for code, given in said.items()
        if given is not None
    }
    assert {code: holes for code, holes in unknown.items() if holes} == {}


def test_what_is_wanted_is_said_by_its_code() -> None:
    """Nothing that is said stands in the rules: an error has a code for what is missing, and each
    has its words.
    """
    said = tomllib.loads((LOCALE / "checks.toml").read_text(encoding="utf-8"))["enum"]["wanted"]
    trees = (
        ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted((ROOT / "rules").rglob("*.py"))
    )
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.keyword))
    values = [node.value for node in nodes if node.arg == "wanted"]
    values += [
        each
        for value in values
        if isinstance(value, ast.IfExp)
        for each in (value.body, value.orelse)
    ]
    wanted = {str(value.value) for value in values if isinstance(value, ast.Constant)}
    assert wanted == said.keys() - {"?", ""}


def _holes(text: str, parts: dict[str, str]) -> set[str]:
    """The parameters that a text and its parts name."""
    found = set(re.findall(r"\{\?*!?(\w+)", text))
    for part in re.findall(r"\{>([\w-]+)\}", text):
        found |= _holes(parts.get(part, ""), parts)
    return found


def test_no_text_names_what_nothing_gives_it() -> None:
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in LOCALE.glob("*.toml")]
    parts: dict[str, str] = {
        name: text for file in files for name, text in catalog.read_parts("", file).items()
    }
    texts = {code: text for file in files for code, text in file.items() if isinstance(text, str)}
    given = parameters()  # besides what every panel gives
    assert len(given) > len(texts) / 2
    unknown = {
        code: _holes(texts[code], parts) - keys - {"panel"}
        for code, keys in given.items()
        if code in texts
    }
    assert {code: holes for code, holes in unknown.items() if holes} == {}


def test_every_game_has_its_pages_of_help() -> None:
    assert PAGES.keys() >= SYSTEM_WORDS.keys()
    assert all(PAGES[key] for key in (*SYSTEM_WORDS, "help", "trouble"))


def test_every_action_has_words() -> None:
    assert {done_code(kind) for kind in KINDS} == {
        code for code in TEMPLATES if code.startswith("did-")
    }


def test_a_code_without_words_is_neutral_in_production(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(KeyError):
        say(Text("no-such-code", {"secret": 9137}))
    words.set_strict(False)
    with caplog.at_level(logging.ERROR):
        text = say(Text("no-such-code", {"secret": 9137}))
    assert text == "something this version has no words for"
    assert "9137" not in caplog.text
    assert (
        words.say_error(RulesError("no-such-code", secret=9137)) == "That's not possible right now."
    )


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (Text("ebb-degree", {"count": 0}), "no extra results"),
        (Text("ebb-degree", {"count": 1}), "1 extra result"),
        (Text("ebb-degree", {"count": 4}), "4 extra results"),
        (
            Text("ebb-shift", {"what": "dilemma", "levels": -1}),
            "removes 1 major dilemma (1 level easier)",
        ),
        (
            Text("ebb-shift", {"what": "dilemma", "levels": -3}),
            "removes 3 major dilemmas (3 levels easier)",
        ),
        (
            Text("ebb-shift", {"what": "missing-tools", "levels": 2}),
            "missing tools (2 levels harder)",
        ),
        (
            Text("ebb-shift", {"what": "superior", "levels": -1}),
            "superior equipment (1 level easier)",
        ),
        (Text("ebb-points", {"points": -2}), "−2 to the total"),
        (Text("ebb-points", {"points": 2}), "+2 to the total"),
        (Text("ebb-sheet-points", {"points": 1}), "1 point"),
        (Text("ebb-level", {"name": "Tricky", "value": 10}), "Tricky (10)"),
        (Text("ebb-level", {"value": 14}), "14"),
        (
            Text("ebb-spent", {"die": "d6", "face": 5, "left": 1}),
            "1 Fate point spent: d6 re-rolled, shows 5; 1 Fate point left",
        ),
        (
            Text("ebb-spent", {"attribute": "Fitness", "left": 0}),
            "1 Fitness sacrificed, counts as 0 until restored",
        ),
    ],
)
def test_words(line: Text, text: str) -> None:
    assert say(line) == text


def test_numbers_lists_and_durations() -> None:
    assert [plural(n, "point") for n in (0, 1, 2)] == ["no points", "1 point", "2 points"]
    assert plural(2, "ability", "abilities") == "2 abilities"
    assert [signed_text(n) for n in (-3, 0, 3)] == ["−3", "0", "+3"]
    assert listing([]) == ""
    assert listing(["a"]) == "a"
    assert listing(["a", "b", "c"], "or") == "a, b or c"
    assert duration(86400) == "1 day"
    assert duration(90) == "1 minute and 30 seconds"
    assert duration(2 * 86400 + 3600 + 60) == "2 days, 1 hour and 1 minute"
    assert duration(0) == "no time"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("**bold** _it_ ~~gone~~ ||spoiler||", r"\*\*bold\*\* \_it\_ \~\~gone\~\~ \|\|spoiler\|\|"),
        ("`code` and ```block```", r"\`code\` and \`\`\`block\`\`\`"),
        ("@everyone @here", "@\u200beveryone @\u200bhere"),
        (
            "<@123> <@&4> <#5> <:smile:6> <t:7:R>",
            "\\<@\u200b123> \\<@\u200b&4> \\<#5> \\<:smile:6> \\<t:7:R>",
        ),
        ("[click](https://example.org)", r"\[click\](https://example.org)"),
        ("# big", r"\# big"),
        ("-# small", r"\-# small"),
        ("> quoted", r"\> quoted"),
        ("1. first", r"1\. first"),
        ("plain text, nothing else.", "plain text, nothing else."),
        ("two\nlines", "two lines"),
        ("turn\u202earound\x07", "turnaround"),
        ("half \ud83d", "half \ufffd"),
    ],
)
def test_what_people_type_is_harmless(typed: str, shown: str) -> None:
    assert user_text(typed) == shown


def test_lines_are_kept_where_they_are_wanted() -> None:
    assert user_text("one\r\n- two\n3. three", lines=True) == "one\n\\- two\n3\\. three"
    assert quoted_text("one\ntwo") == "one\ntwo"
    assert quoted_text("\n".join("abcdefghijklmnop")).count("\n") == 0, (
        "very many lines are run together"
    )


def test_bare_text_is_as_typed() -> None:
    assert bare_text("**Rope** & <tools>\x00") == "**Rope** & <tools>"
    assert say_bare(Text("ebb-ability", {"name": "*Climbing*", "die": "d6"})) == "*Climbing* d6"
    assert say(Text("ebb-ability", {"name": "*Climbing*", "die": "d6"})) == r"\*Climbing\* d6"
    assert unescape(user_text("a*b @c")) == "a*b @c"


@given(st.text(max_size=60))
def test_code_cannot_be_left(text: str) -> None:
    shown = code_text(text)
    assert shown == "the file itself" or (shown.count("`") == 2 and "\n" not in shown)


@given(st.text(max_size=200))
def test_escaping_leaves_no_mark_bare(text: str) -> None:
    shown = user_text(text)
    index = 0
    while index < len(shown):
        if shown[index] == "\\":
            index += 2
            continue
        assert shown[index] not in "*_~|`[]<\n"
        assert not (shown[index] == "@" and shown[index + 1 : index + 2] != "\u200b")
        index += 1


#: Codes of the catalog by file.
CODES_BY_FILE: Final = {
    path.name: [
        code for code in tomllib.loads(path.read_text(encoding="utf-8")) if code in TEMPLATES
    ]
    for path in sorted(LOCALE.glob("*.toml"))
}
_NASTY: Final = "||boo||**@everyone** a|b=c `<@1>`"
_TEXT_KEYS: Final = ("name", "value", "allowed", "die", "character", "text", "attribute")
_LIST_KEYS: Final = ("names", "values", "allowed", "others", "parts", "nearest")
NASTY_PARAMS: tuple[dict[str, Value], ...] = (
    {},
    dict.fromkeys(_TEXT_KEYS, _NASTY),
    {"count": 2, **dict.fromkeys(_LIST_KEYS, (_NASTY, _NASTY))},
    {"causes": (Text("bar-part", {"what": "ability", "add": 1, "name": _NASTY}),) * 2},
)
_CODE_SPAN: Final = re.compile(r"(?<!\\)(`+)[\s\S]*?(?<!\\)\1")


def is_unsafe(shown: str) -> bool:
    """Return whether a text holds a live mention, a live spoiler outside of code, or a hole."""
    return "@everyone" in shown or "||boo" in _CODE_SPAN.sub("", shown) or "{" in shown


@pytest.mark.parametrize("file", CODES_BY_FILE)
def test_every_text_can_be_said_with_anything_in_it(file: str) -> None:
    shown = {
        (code, number): fill_template(TEMPLATES[code], TextParams(params))
        for code in CODES_BY_FILE[file]
        for number, params in enumerate(NASTY_PARAMS)
    }
    assert {place: text for place, text in shown.items() if is_unsafe(text)} == {}


def test_every_code_stands_in_a_file() -> None:
    assert {code for codes in CODES_BY_FILE.values() for code in codes} == {*TEMPLATES}
