"""No measure gets worse than it is recorded, and the measures count what they say."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from rules.registry import SYSTEMS
from tests.gates.measures import (
    OTHERS,
    ROOT,
    House,
    better,
    circles,
    code_lines,
    compared_with,
    compared_with_text,
    english,
    recorded,
    word_codes,
    worse,
)


def test_nothing_is_worse_than_recorded() -> None:
    """What got better stays better once `make measures RECORD=1` has noted it."""
    assert worse(House(ROOT).figures(), recorded()) == []


def test_what_grows_or_is_new_is_found() -> None:
    record = {"a": 1, "b": 2, "gone": 3}
    assert worse({"a": 1, "b": 3, "new": 0}, record) == ["b: 3, recorded 2", "new: 0, recorded nothing"]
    assert better({"a": 0, "b": 3, "new": 5}, record) == {"a": 0, "b": 2, "new": 5}


def test_what_is_counted() -> None:
    tree = ast.parse(
        "x.kind == 'a'\ny.kind in ('b', 'c')\nx.kind == other\nx.status == 'a'\n"
        "match x.kind:\n    case 'a': pass\n    case _: pass\n"
        "WORDS: Final[dict[str, Template]] = {'a': '1', 'b': '2', **MORE}\nOTHER: dict[str, int] = {'a': 1}\n"
    )
    assert compared_with_text(tree, "kind") == 4
    assert compared_with_text(tree, "kind", frozenset({"b"})) == 4
    assert compared_with_text(tree, "kind", frozenset({"b", "c"})) == 3
    assert compared_with_text(tree, "kind", frozenset({"a"})) == 1
    assert compared_with_text(tree, "stage") == 0
    assert compared_with_text(ast.parse("_A: Final = ('a', 'b')\nx.kind in _A\nx.kind in B"), "kind") == 1
    assert compared_with(tree, frozenset({"c"})) == 1
    assert word_codes(tree) == 2
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [["a", "b", "c"]]


def test_what_is_said_in_rules_is_found_wherever_it_stands() -> None:
    tree = ast.parse(
        "f(allowed='a b')\nf(allowed=f'{x} to {y}')\nwhom = 'who' if a else 'who else'\nf(allowed=whom)\n"
        "f(allowed='one')\nf(allowed=('2h 30m', 'day 4'))\nf(value='a b')\n"
    )
    assert english(tree) == 3


def test_no_check_is_taken_for_something_else() -> None:
    """What other things are compared by is no kind of check and no stage of one."""
    courses = [course for system in SYSTEMS.values() for course in system.procedures.items()]
    assert OTHERS["kind"].isdisjoint(kind for kind, _ in courses)
    assert OTHERS["stage"].isdisjoint(name for _, course in courses for name in course.stages)


def test_a_house_is_read_wherever_its_files_stand(tmp_path: Path) -> None:
    """Folders may move: what is wanted is found below its wall, not at one path."""
    files = {
        "rules/table/deep/system.py": '"""Doc."""\n\nclass System:\n    """Doc."""\n\n    key: str\n    f: int\n',
        "rules/table/state.py": 'import rules.systems.ebb\nInvalidInput(allowed="some words")\n',
        "rules/systems/ebb/__init__.py": 'from rules.table.state import x\n\n# a comment\nx = f"{a}|{b}"\n',
        "bot/presenters/ebb_words.py": "_C: dict[str, Template] = {'a': '', 'b': ''}\n",
        "bot/locale/en/ebb.toml": "# words\na = 'b'\nc-d = 'e'\n",
        "cogs/x.py": "if key == 'ebb':\n    pass\n",
        "tests/conformance/rule_ids.json": json.dumps({"ebb.md": ["EBB-A", "EBB-B"]}),
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = House(tmp_path).figures()
    assert found["members of System"] == found["members of System without a default"] == 2
    assert found["comparisons with a system's key outside systems"] == 1
    assert found["lines of rules/table, bot/ui and shared presenters"] == 9
    assert found["text codes for ten rule ids: ebb"] == 20
    assert found["code lines a rule id: ebb"] == 2
    assert found['English in allowed="..." in rules'] == 1
    assert found["structure packed into strings in rules"] == 1
    assert found["circles of files"] == found["circles of folders"] == 1
    assert found["largest class"] == 5
    assert code_lines(tmp_path / "rules/table/deep/system.py") == 3
