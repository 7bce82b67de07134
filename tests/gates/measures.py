"""How big and how tangled the code is: figures that may shrink and must not grow.

`make measures` prints each figure beside the one recorded in `measures.json`, and ends with status 1 where one is
worse. `--record` writes those that got better into the record; a figure that has to grow is raised there by hand.
Tokens and lines are counted, no meaning: a figure is a place to look at.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.conformance.test_examples import NOT_BUILT

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("measures.json")
RULE_IDS = "tests/conformance/rule_ids.json"
PRODUCT = ("rules", "bot", "cogs")

_LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENDMARKER, tokenize.ENCODING),
}
#: What other things than checks are compared by; a comparison with nothing else is not counted.
OTHERS: Mapping[str, frozenset[str]] = {
    "kind": frozenset(
        {
            *("reply", "post", "stub", "mark", "board", "card", "call"),  # messages
            *("text", "channel", "user", "role"),  # menus
            *("roll", "margin-only", ""),  # answers; an order for every kind
            *("h", "l", "<", ">"),  # which dice are chosen
            *("CreateTable", "Undo"),  # entries of the journal
        }
    ),
    "status": frozenset(),
    "stage": frozenset({"off", "aliased", "revealed"}),  # how well an NPC is known
}
_PACKED = re.compile(r'f"\{[^}"]*\}[|=]\{')


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def lines(path: Path) -> int:
    """All lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def code_lines(path: Path) -> int:
    """Lines that hold code: no blanks, comments or docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return sum(1 for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    held: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT:
            held.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
                held.difference_update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(held)


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value


def _given(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """Name -> what it is given in this file."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else ()
        for target in (node.target,) if isinstance(node, ast.AnnAssign) else targets:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                found.setdefault(ast.unparse(target), []).append(node.value)
    return found


def compared_with_text(tree: ast.AST, attribute: str, others: frozenset[str] = frozenset()) -> int:
    """Comparisons of `.attribute` with texts, and the cases of a match on it; not with `others` alone.

    A constant of the same file is read as what it holds.
    """
    found = 0
    constants = {name: values for name, values in _given(tree).items() if name.isupper()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            mine = any(isinstance(side, ast.Attribute) and side.attr == attribute for side in sides)
            sides += [value for side in sides for value in constants.get(ast.unparse(side), ())]
            found += mine and not others.issuperset(_texts(sides))
        elif isinstance(node, ast.Match) and isinstance(node.subject, ast.Attribute):
            texts = set(_texts(case.pattern for case in node.cases))
            mine = node.subject.attr == attribute and not (texts and others.issuperset(texts))
            found += len(node.cases) if mine else 0
    return found


def english(tree: ast.AST) -> int:
    """Texts of several words in what errors allow, given there or under a name of the same file; no lists of them."""
    given = _given(tree)
    allowed = (
        node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "allowed"
    )
    values = (value for each in allowed for value in (each, *given.get(ast.unparse(each), ())))
    spoken = (value for value in values if isinstance(value, ast.Constant | ast.JoinedStr | ast.IfExp))
    return sum(any(" " in text for text in _texts([value])) for value in spoken)


def compared_with(tree: ast.AST, wanted: frozenset[str]) -> int:
    """Comparisons with one of these texts."""
    compares = (node for node in ast.walk(tree) if isinstance(node, ast.Compare))
    return sum(not wanted.isdisjoint(_texts([node.left, *node.comparators])) for node in compares)


def word_codes(tree: ast.AST) -> int:
    """Codes in tables of words: the keys of dicts that are annotated as holding templates."""
    found = 0
    for node in ast.walk(tree):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.value, ast.Dict):
            continue
        if "Template" in ast.unparse(node.annotation):
            found += sum(key is not None for key in node.value.keys)
    return found


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The groups of more than one that reach each other (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            at = stack.index(name)
            group, stack[at:] = stack[at:], []
            if len(group) > 1:
                found.append(sorted(group))

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return found


class House:
    """The product below a root, read once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = sorted(path for place in PRODUCT for path in (root / place).rglob("*.py"))
        self.keys = tuple(sorted(p.parent.name for p in (root / "rules/systems").glob("*/__init__.py")))
        self.outside = [p for p in self.files if not {"systems", "storage"} & set(self._parts(p))]
        ids: dict[str, list[str]] = json.loads((root / RULE_IDS).read_text(encoding="utf-8"))
        self.named = frozenset(page.removesuffix(".md").partition("-")[0] for page in ids)
        built = {page: len(NOT_BUILT.get(page.removesuffix(".md"), found)) for page, found in ids.items()}
        self.ids = {
            key: sum(number for page, number in built.items() if page.startswith((f"{key}.", f"{key}-")))
            for key in self.keys
            if key in self.named
        }

    def _parts(self, path: Path) -> tuple[str, ...]:
        return path.relative_to(self.root).parts

    def below(self, *places: str) -> list[Path]:
        """The files in these folders."""
        return [p for p in self.files if any(p.is_relative_to(self.root / place) for place in places)]

    def own(self, key: str) -> list[Path]:
        """Everything that stands there for one system alone, words included."""
        found = [p for p in self.files if key in (*self._parts(p)[:-1], *p.stem.split("_"))]
        return found + sorted((self.root / "bot").rglob(f"{key}*.toml"))

    def members(self, *, needed: bool = False) -> int:
        """What a system is asked for: methods and fields of the largest class called System in `rules/table`.

        `needed`: fields without a default.
        """
        nodes = (node for p in self.below("rules/table") for node in ast.walk(_tree(p)))
        bodies = [node.body for node in nodes if isinstance(node, ast.ClassDef) and node.name == "System"]
        if needed:
            return max(sum(isinstance(n, ast.AnnAssign) and n.value is None for n in body) for body in bodies)
        members = ast.FunctionDef | ast.AsyncFunctionDef | ast.AnnAssign
        return max(sum(isinstance(n, members) for n in body) for body in bodies)

    def codes(self, key: str) -> int:
        """Codes of words of one system, in tables of Python or in its catalogue."""
        files = self.own(key)
        catalogue = (tomllib.loads(p.read_text(encoding="utf-8")) for p in files if p.suffix == ".toml")
        entries = (
            sum(isinstance(text, str) for text in tables.values()) + len(tables.get("fixes", {}))
            for tables in catalogue
        )
        return sum(word_codes(_tree(p)) for p in files if p.suffix == ".py") + sum(entries)

    def imports(self) -> dict[str, set[str]]:
        """Module -> the modules of the product that it imports anywhere."""
        names: dict[str, Path] = {}
        for path in self.files:
            parts = path.relative_to(self.root).with_suffix("").parts
            names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        graph: dict[str, set[str]] = {}
        for name, path in names.items():
            wanted: set[str] = set()
            for node in ast.walk(_tree(path)):
                if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    inner = (f"{node.module}.{alias.name}" for alias in node.names)
                    wanted |= {each if each in names else node.module for each in inner}
                elif isinstance(node, ast.Import):
                    wanted |= {alias.name for alias in node.names}
            graph[name] = (wanted & names.keys()) - {name}
        return graph

    def folder(self, module: str) -> str:
        """Where a module stands: `rules.table`, `rules.systems.ebb`, `bot.ui`; what is below belongs to it.

        What stands in a folder's root is by itself: it may look into all of them.
        """
        parts = module.split(".")
        if parts[:2] == ["rules", "systems"] and len(parts) > 2:
            return ".".join(parts[:3])
        return ".".join(parts[:2])

    def folders(self) -> dict[str, set[str]]:
        """Folder -> the folders that its modules import."""
        found: dict[str, set[str]] = {}
        for module, wanted in self.imports().items():
            own = self.folder(module)
            found.setdefault(own, set()).update(self.folder(each) for each in wanted)
            found[own].discard(own)
        return found

    def largest_class(self) -> int:
        """Lines of the longest class."""
        nodes = (node for p in self.files for node in ast.walk(_tree(p)))
        return max((n.end_lineno or 0) - n.lineno + 1 for n in nodes if isinstance(n, ast.ClassDef))

    def matches(self, pattern: re.Pattern[str]) -> int:
        """How often a pattern is found in the rules."""
        return sum(len(pattern.findall(p.read_text(encoding="utf-8"))) for p in self.below("rules"))

    def figures(self) -> dict[str, int]:
        """Every measure by its name; less is better. A tenth where something is counted for each rule id."""
        shared = [p for p in self.below("bot/presenters") if "systems" not in self._parts(p)]
        shared = [p for p in shared if not set(self.keys) & set(p.stem.split("_"))]

        def outside(count: Callable[[ast.Module], int]) -> int:
            return sum(count(_tree(p)) for p in self.outside)

        found = {
            "members of System": self.members(),
            "members of System without a default": self.members(needed=True),
        }
        for attribute in ("kind", "status", "stage"):
            name = f"comparisons with a check's {attribute} outside systems"
            found[name] = outside(
                lambda tree, attribute=attribute: compared_with_text(tree, attribute, OTHERS[attribute])
            )
        found |= {
            "comparisons with a system's key outside systems": outside(
                lambda tree: compared_with(tree, self.named)
            ),
            "lines of rules/table, bot/ui and shared presenters": sum(
                map(lines, [*self.below("rules/table", "bot/ui", "bot/delivery"), *shared])
            ),
        }
        for key, ids in self.ids.items():
            found[f"code lines a rule id: {key}"] = round(sum(map(code_lines, self.own(key))) / ids)
            found[f"text codes for ten rule ids: {key}"] = round(10 * self.codes(key) / ids)
        return found | {
            'English in allowed="..." in rules': sum(english(_tree(p)) for p in self.below("rules")),
            "structure packed into strings in rules": self.matches(_PACKED),
            "circles of files": len(circles(self.imports())),
            "circles of folders": len(circles(self.folders())),
            "largest class": self.largest_class(),
        }


def worse(found: Mapping[str, int], record: Mapping[str, int]) -> list[str]:
    """Figures above the record; one that is not recorded is worse than nothing."""
    return [
        f"{name}: {value}, recorded {record.get(name, 'nothing')}"
        for name, value in found.items()
        if name not in record or value > record[name]
    ]


def better(found: Mapping[str, int], record: Mapping[str, int]) -> dict[str, int]:
    """The record as it would be with what has shrunk; what is not measured any more falls away."""
    return {name: min(value, record.get(name, value)) for name, value in found.items()}


def recorded() -> dict[str, int]:
    return json.loads(RECORD.read_text(encoding="utf-8"))


def main(words: list[str]) -> int:
    house = House(ROOT)
    found, record = house.figures(), recorded() if RECORD.exists() else {}
    for name, value in found.items():
        more = "" if record.get(name) == value else f"  (recorded: {record.get(name, 'nothing')})"
        print(f"{name}: {value}{more}")
    for title, graph in (("files", house.imports()), ("folders", house.folders())):
        for circle in circles(graph):
            print(f"circle of {title}: {' <-> '.join(circle)}")
    if "--record" in words:
        RECORD.write_text(json.dumps(better(found, record), indent=2) + "\n", encoding="utf-8")
        record = recorded()
    faults = worse(found, record)
    print(*(f"worse: {fault}" for fault in faults), sep="\n", end="\n" if faults else "")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
