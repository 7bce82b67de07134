"""Every code that the source speaks in, found by reading it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from bot.presenters.log import done_code
from bot.ui.privacy import Leak
from bot.ui.uploads import Upload
from cogs.completion import HEALING
from rules.registry import SYSTEMS
from rules.systems.barmore.check import MODES
from rules.systems.ebb.options import RULE
from rules.systems.ebb.task import Verdict
from rules.table import actions
from rules.table.checks.stages import ANSWERS

ROOT = Path(__file__).resolve().parents[2]

#: `Part` is what a pool is made of; it becomes a line of its code.
LINES = frozenset({"Line", "Part", "Text"})
ERRORS = frozenset(
    {"RulesError", "InvalidInput", "NotFound", "NotPermitted", "Outdated", "Impossible", "Problems"}
)
#: Functions that hand a code on to a line or an error: their callers are read instead.
_ADDERS = frozenset(
    {
        *("self.add", "reader.add", "_bad_dice", "self._unexpected"),
        *("trait_line", "_remark"),
    }
)
_FIX_ARGUMENT = 3

_PACES = ("saved", "extra", "halvings", "doublings")
#: Every kind of action there is, by name.
KINDS = frozenset(
    {
        *(
            name
            for name, kind in inspect.getmembers(actions, inspect.isclass)
            if issubclass(kind, actions.Action)
            and kind not in (actions.Action, actions.OnCharacter, actions.OnCheck)
        ),
        *(kind.__name__ for system in SYSTEMS.values() for kind in system.actions),
    }
)
#: f-strings: what is put together from where.
_EXPANDED: dict[str, frozenset[str]] = {
    "f\"ebb-{verdict.replace('_', '-')}\"": frozenset(
        f"ebb-{verdict.replace('_', '-')}" for verdict in get_args(Verdict)
    ),
    "f'ebb-option-{code}'": frozenset(option.label.code for option in RULE.offers()),
    "f'ebb-sheet-{code}'": frozenset(
        f"ebb-sheet-{name}" for name in ("drawbacks", "equipment", "assets", "scarring")
    ),
    "f'answer-{value}'": frozenset(
        f"answer-{each}" for each in (*ANSWERS, "ask", "reply", "revise", "withdraw", "face", "stand")
    ),
    "f'does-{event.kind}'": frozenset(f"does-{kind}" for kind in ("attack", "contest", "treat", "rest")),
    "f'does-{event.kind}-oneself'": frozenset({"does-treat-oneself"}),
    "f\"setting-does-{field.replace('_', '-')}\"": frozenset(
        f"setting-does-{each}"
        for each in (
            *("name", "live", "reveal", "remind-after", "window", "player-undo", "approve", "hit-window"),
            *("gm-place", "house-initiative", "hit-default"),
        )
    ),
    "done_code(kind)": frozenset(map(done_code, KINDS)),
    "f'kind-{kind}'": frozenset(f"kind-{kind}" for kind in HEALING),
    "f'unknown-{field}'": frozenset({"unknown-ability", "unknown-attribute", "unknown-entry"}),
    "f'ambiguous-{field}'": frozenset({"ambiguous-ability", "ambiguous-attribute", "ambiguous-entry"}),
    "f'bar-adjust-{key}'": frozenset(f"bar-adjust-{key}" for key in ("healed", "care", "life", "stable")),
    "f'bar-creation-{key}'": frozenset({"bar-creation-attributes", "bar-creation-abilities"}),
    "f\"bar-mode-{mode.replace('_', '-')}\"": frozenset(
        f"bar-mode-{mode.replace('_', '-')}" for modes in MODES.values() for mode in modes
    ),
    "f'bar-shift-{pace}'": frozenset(f"bar-shift-{pace}" for pace in _PACES),
    "f'bar-option-{code}'": frozenset(f"bar-option-{code}" for code in (*_PACES, "convert", "chances")),
    "f'bar-sheet-{kind}'": frozenset({"bar-sheet-attributes", "bar-sheet-abilities"}),
    "f'bar-sheet-in-{kind}'": frozenset({"bar-sheet-in-attributes", "bar-sheet-in-abilities"}),
    "f\"bar-how-{mode.replace('_', '-')}\"": frozenset(
        f"bar-how-{mode.replace('_', '-')}" for modes in MODES.values() for mode in modes
    ),
    "f'bar-{kind}'": frozenset({"bar-ability", "bar-attribute"}),
    "f'{what}-file-too-large'": frozenset(f"{what}-file-too-large" for what in get_args(Upload)),
    "f'gm-channel-{kind}'": frozenset(f"gm-channel-{kind}" for kind in get_args(Leak)),
}


@cache
def _sources() -> tuple[tuple[str, ast.Module], ...]:
    paths = [path for folder in ("rules", "bot", "cogs") for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(
        (path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths
    )


def _assigned(function: ast.AST, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for part, value in zip(target.elts, node.value.elts, strict=True):
                    if isinstance(part, ast.Name) and part.id == name:
                        yield value


def _values(expression: ast.expr, function: ast.AST) -> frozenset[str]:
    """What an expression may be; empty when nobody can tell."""
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        return frozenset({expression.value})
    if isinstance(expression, ast.IfExp):
        return _values(expression.body, function) | _values(expression.orelse, function)
    if isinstance(expression, ast.JoinedStr | ast.Call):
        return _EXPANDED.get(ast.unparse(expression), frozenset())
    if isinstance(expression, ast.Name):
        found = [_values(value, function) for value in _assigned(function, expression.id)]
        return frozenset[str]().union(*found) if all(found) else frozenset()
    return frozenset()


def _parameters(function: ast.AST) -> frozenset[str]:
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset()
    return frozenset(argument.arg for argument in function.args.args)


def _calls(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Call]]:
    """Each call with the function it stands in."""
    stack: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while stack:
        function, node = stack.pop()
        if isinstance(node, ast.Call):
            yield function, node
        inner = node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        stack += [(inner, child) for child in ast.iter_child_nodes(node)]


def _speaking(where: str, tree: ast.Module) -> frozenset[str]:
    """The calls that hold a code there: without pieces of cards, which are called alike."""
    if where == "bot/presenters/layout.py":
        return frozenset()
    imported = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    pieces = (name.name for node in imported if node.module == "bot.presenters.layout" for name in node.names)
    return (LINES | ERRORS | _ADDERS).difference(pieces)


def collect() -> tuple[frozenset[str], frozenset[str], list[str]]:
    """Codes of lines and errors; codes of fixes; and where a code could not be made out."""
    codes: set[str] = set()
    fixes: set[str] = set()
    unclear: list[str] = []
    for where, tree in _sources():
        speaking = _speaking(where, tree)
        for function, call in _calls(tree):
            name = ast.unparse(call.func)
            fixed = [word.value for word in call.keywords if word.arg == "fix"]
            if name in ("self.add", "reader.add") and len(call.args) > _FIX_ARGUMENT:
                fixed.append(call.args[_FIX_ARGUMENT])
            for expression in fixed:
                handed_on = isinstance(expression, ast.Name) and expression.id in _parameters(function)
                found = _values(expression, function)
                fixes |= found
                if not found and not handed_on:
                    unclear.append(f"{where}:{call.lineno}: fix {ast.unparse(expression)}")
            if name == "Prompt":
                for word in call.keywords:
                    codes |= _values(word.value, function) if word.arg == "button" else frozenset()
            if name not in speaking or not call.args:
                continue
            expression = call.args[0]
            if isinstance(expression, ast.Name) and expression.id in _parameters(function):
                continue  # handed on: the callers are read
            if isinstance(expression, ast.Attribute) and expression.attr in ("code", "button"):
                continue  # that of a part, a prompt or an error that was made elsewhere
            if ast.unparse(expression) == "str(code)":
                continue  # that of a row, which rules have made with a line of their own
            found = _values(expression, function)
            codes |= found
            if not found:
                unclear.append(f"{where}:{call.lineno}: {ast.unparse(expression)}")
    return frozenset(codes), frozenset(fixes), unclear


def _given(call: ast.Call) -> frozenset[str] | None:
    """The parameters that a call names; None where they are put together elsewhere."""
    if len(call.args) == 1 and call.keywords:
        names = [word.arg for word in call.keywords]
    elif len(call.args) == 2 and isinstance(call.args[1], ast.Dict) and not call.keywords:
        names = [key.value if isinstance(key, ast.Constant) else None for key in call.args[1].keys]
    else:
        return None if call.args[1:] or call.keywords else frozenset()
    found = frozenset(name for name in names if isinstance(name, str))
    return found if len(found) == len(names) else None


def parameters() -> dict[str, frozenset[str]]:
    """Code -> the parameters that it is ever said with, of codes of which the source tells all."""
    found: dict[str, frozenset[str]] = {}
    unclear: set[str] = set()
    for where, tree in _sources():
        speaking = _speaking(where, tree)
        for function, call in _calls(tree):
            name = ast.unparse(call.func)
            if name not in speaking or not call.args:
                continue
            given = None if name in _ADDERS or name == "Part" else _given(call)
            for code in _values(call.args[0], function):
                found[code] = found.get(code, frozenset()) | (given or frozenset())
                unclear |= {code} if given is None else set()
    return {code: keys for code, keys in found.items() if code not in unclear}
