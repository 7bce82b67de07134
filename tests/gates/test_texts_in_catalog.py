"""What players read stands in `bot/locale`, and not in the code that shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDERS: Final = ("bot/presenters", "bot/ui", "cogs", "rules")
#: A literal with two words in a row is a sentence or a label.
SENTENCE: Final = re.compile(r"[A-Za-z’']{2,}[,.:;]? [A-Za-z]{2,}")
#: In the rules two or three words are a name of the book, of a command or of the data.
RULES_SENTENCE: Final = re.compile(
    r"(?:[A-Za-z’']{2,}[,.:;]? ){3}[A-Za-z]{2,}|[a-z]{2,} [a-z]{2,}[.?]$"
)
#: A single word with a capital is a label in the code that shows messages; in the rules it is the
#: name of something on a sheet.
LABEL: Final = re.compile(r"[A-Z][a-z]+(?:…|\.)?")
LABELED: Final = ("bot/presenters", "bot/ui")
#: Calls that say nothing to players: the log, patterns, and what a programmer reads.
SILENT: Final = re.compile(r"^(?:log|logging|re|warnings)\.|(?:ValueError|TypeError|Error)$")
#: Classes of the rules' refusals; their codes have words of their own.
REFUSALS: Final = frozenset(
    {"InvalidInput", "NotFound", "NotPermitted", "Outdated", "Impossible", "RulesError"}
)
#: Calls of the command framework: Discord shows these descriptions, which belong to the command.
DESCRIPTIONS: Final = re.compile(
    r"(?:^|\.)(?:command|Group|GroupCog|group|describe|context_menu|ContextMenu|Choice|rename)$"
)
#: File -> why literals remain there.
REMAINING: Final[dict[str, str]] = {
    "bot/presenters/chronicle/epub_book.py": "markup of pages and lists of files",
    "bot/presenters/chronicle/html_book.py": "markup and styles of a page",
    "bot/presenters/control_limits.py": "faults that only tests and the log show",
    "bot/presenters/hands.py": "keys of places of cards",
    "bot/presenters/help.py": "names of commands",
    "bot/presenters/language/systems/barmore.py": "words that its texts are composed of",
    "bot/presenters/language/systems/ebb.py": "words that its texts are composed of",
    "bot/presenters/language/systems/masterbook.py": "words that its texts are composed of",
    "bot/presenters/language/text.py": "words that all texts are composed of",
    "bot/presenters/language/words.py": "what is said where the catalog has no words",
    "bot/presenters/names.py": "words that all texts are composed of",
    "bot/presenters/transfer.py": "nouns that are counted",
    "bot/ui/deputy_commands.py": "names of commands",
    "bot/ui/interactions.py": "the name of a table without one",
    "bot/ui/panels/table_settings.py": "a parameter of a refusal",
    "cogs/character.py": "a parameter of a refusal",
    "cogs/checks.py": "keys of options",
    "cogs/gm.py": "descriptions of a command, and a parameter of a refusal",
    "cogs/orders.py": "the description of an option",
    "rules/core/data_rows.py": "faults of data files, which stop the start",
}


def _silent(tree: ast.AST, *, descriptions: bool) -> set[int]:
    """Return the nodes that no player reads: docstrings, annotations, faults, patterns, keys."""
    found: set[int] = set()
    skipped: list[ast.AST] = []
    for node in ast.walk(tree):
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) or isinstance(
            node, ast.Assert
        ):
            skipped.append(node)
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if (SILENT.search(name) and name not in REFUSALS) or (
                descriptions and DESCRIPTIONS.search(name)
            ):
                skipped.append(node)
        elif isinstance(node, ast.ClassDef):
            skipped += node.keywords if descriptions else []
        for name in ("annotation", "returns"):
            if isinstance(part := getattr(node, name, None), ast.AST):
                skipped.append(part)
    for each in skipped:
        found.update(id(part) for part in ast.walk(each))
    return found


def literals(
    source: str,
    *,
    looks: re.Pattern[str] = SENTENCE,
    labels: bool = False,
    descriptions: bool = False,
) -> Iterator[str]:
    """Yield `line: literal` for what players read in a file."""
    tree = ast.parse(source)
    silent = _silent(tree, descriptions=descriptions)
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if id(node) in silent or id(node) in parts:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(each.value) if isinstance(each, ast.Constant) else "…" for each in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if looks.search(text) or (labels and LABEL.fullmatch(text)):
            yield f"{node.lineno}: {text!r}"


def _found(folder: str) -> dict[str, list[str]]:
    """Return what players read in the files of a folder, by file."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        told = literals(
            path.read_text(encoding="utf-8"),
            looks=RULES_SENTENCE if folder == "rules" else SENTENCE,
            labels=folder in LABELED,
            descriptions=folder == "cogs",
        )
        if lines := list(told):
            found[name] = lines
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_players_read_stands_in_the_catalog(folder: str) -> None:
    found = _found(folder)
    assert {name: lines for name, lines in found.items() if name not in REMAINING} == {}
    there = {name for name in REMAINING if name.startswith(f"{folder}/")}
    assert there - found.keys() == set(), "nothing remains there: take it off the list"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Say what happened."""', []),
        ('x = "Accept result"', ["1: 'Accept result'"]),
        ('x = f"{name} rolls blind"', ["1: '… rolls blind'"]),
        ('x = "Undo"', ["1: 'Undo'"]),
        ('x = "answer-roll"', []),
        ('raise ValueError("this is no text")', []),
        ('log.error("words are missing")', []),
        ('raise InvalidInput("bad", value="a role of the table")', ["1: 'a role of the table'"]),
    ],
)
def test_what_is_a_text(source: str, found: list[str]) -> None:
    assert list(literals(source, labels=True)) == found
