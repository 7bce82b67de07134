"""Every code that the source speaks in, found by reading it."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from bot.delivery.channel_privacy import Leak
from bot.presenters.chronicle.passages import STORY_NOTICES
from bot.presenters.first_steps import FIRST_STEPS, STEP_CALL_LABELS
from bot.presenters.log import deed_code, done_code
from bot.ui.uploads import Upload
from rules.registry import SYSTEMS
from rules.systems.ego.checks.group_rolls import BUY, STAKES
from rules.systems.masterbook.formulas.option_kinds import MATCH_RULES
from rules.table import actions
from rules.table.checks.stages import ANSWERS
from rules.table.events import BoardStep
from rules.table.forms.fields import NO_CONTEXT, Number, Pick
from rules.table.settings.table_settings import settings_form, settings_pages

ROOT = Path(__file__).resolve().parents[2]

LINES = frozenset({"Text", "shared_text", "for_all", "label_text"})
ERRORS = frozenset(
    {"RulesError", "InvalidInput", "NotFound", "NotPermitted", "Outdated", "Impossible", "Problems"}
)
#: Functions that hand a code on to a line or an error, and a record that gets more parameters
#: later: their callers are read instead.
_ADDERS = frozenset(
    {
        "GmWarning",
        *(
            "self.add_problem",
            "reader.add_problem",
            "violation",
            "_bad_dice",
            "self._unexpected_token",
        ),
    }
)
_FIX_ARGUMENT = 3
#: Fields of forms that are told what to say of what they refuse.
_FIELDS = (
    "Pick",
    "Scores",
    "read_name_or_number",
    "find_one",
    "optional_pick",
    "find_or_likely",
    "unique_match",
    "only_or_active",
)
_REFUSALS = ("unknown", "ambiguous", "twice", "several")


def _finding_codes() -> Iterator[str]:
    """Yield the codes of findings about new characters, which are written without `mb-`."""
    folder = ROOT / "rules/systems/masterbook/character"
    for path in folder.glob("*findings.py"):
        text = path.read_text(encoding="utf-8")
        yield from re.findall(r'"((?:char|bg)-[a-z0-9-]+)"', text)
    yield from (f"bg-{rule.code}" for rule in MATCH_RULES)


def _worksheet_codes() -> Iterator[str]:
    """Yield the codes of findings about special effects."""
    path = ROOT / "rules/systems/masterbook/formulas/effect_findings.py"
    yield from re.findall(r'_finding\(\s*"(mb-effect-[a-z-]+)"', path.read_text(encoding="utf-8"))


#: Every kind of action there is, by name.
KINDS = frozenset(
    {
        *(
            name
            for name, kind in inspect.getmembers(actions, inspect.isclass)
            if issubclass(kind, actions.Action)
            and kind not in (actions.Action, actions.OnCharacter, actions.OnCheck, actions.OnNpcs)
        ),
        *(kind.__name__ for system in SYSTEMS.values() for kind in system.actions),
    }
)
_FIELDS_OF_SETTINGS = {
    field.key: field for system in SYSTEMS.values() for field in settings_form(system).fields
}
_SETTINGS = tuple(key.replace("_", "-") for key in _FIELDS_OF_SETTINGS)
_TOPICS = frozenset(
    page.title.code for system in SYSTEMS.values() for page in settings_pages(settings_form(system))
)
#: Settings whose values the catalog names.
_NAMED_VALUES = frozenset(
    f"setting-{key.replace('_', '-')}-value"
    for key, field in _FIELDS_OF_SETTINGS.items()
    if isinstance(field, Pick)
    and any(choice.label.code.endswith("-value") for choice in field.options(NO_CONTEXT))
)


def _function_name(function: ast.expr) -> str:
    """Return the last name of a called function; empty if it has none."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


#: What MasterBook's cards refuse, by the names that its rules have for it.
_REFUSED = frozenset(
    f"mb-card-{name.replace('_', '-')}"
    for path in (ROOT / "rules/systems/masterbook").rglob("*.py")
    for text in (path.read_text(encoding="utf-8"),)
    if "refuse" in text  # to parse all of them takes a second in each worker
    for node in ast.walk(ast.parse(text))
    if isinstance(node, ast.Call) and _function_name(node.func) in ("refused", "refuse")
    for name in (
        *(each.arg for each in node.keywords if each.arg is not None),
        *(
            each.value
            for each in node.args
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ),
    )
) | {"mb-card-not-in-hand", "mb-card-not-in-pool"}
#: f-strings: what is put together from where.
_EXPANDED: dict[str, frozenset[str]] = {
    "tool.says": frozenset(
        {
            "mb-set-adds",
            *(f"ebb-set-{key}" for key in ("lost", "injury", "entry", "scar", "die", "drawback")),
            "bar-set",
        }
    ),
    "f'answer-death-{each}'": frozenset({"answer-death-stand", "answer-death-open"}),
    "f'answer-{value}'": frozenset(
        f"answer-{each}"
        for each in (
            *(*ANSWERS, "ask", "reply", "revise", "write", "withdraw", "face", "stand"),
            *("roll-when-answered", "roll-myself"),
        )
    ),
    "deed_code(code)": frozenset(
        deed_code(each)
        for each in (
            *(
                "begun",
                "passed",
                "ebb-spent",
                "ebb-flesh-wound",
                "ebb-take-in-full",
                "ebb-keep-hit",
            ),
            *("answer-pass", "answer-save-injury", "answer-soften-hit", "answer-complication"),
            *("mb-spent-point", "mb-canceled-point", "mb-cards-done"),
            *("mb-cast-open", "mb-cast-now", "mb-cast-break-off", "mb-cast-have"),
            "mb-cast-helped",
            *(
                f"answer-{each}"
                for each in (*ANSWERS, "ask", "reply", "revise", "withdraw", "face", "stand")
            ),
            *(
                f"answer-{each}"
                for each in (
                    *("let-roll", "roll-now", "time", "no-time", "join", "leave", "defend", "hit"),
                    *("wait-for-me", "no-more-say", "roll-when-answered", "roll-myself"),
                )
            ),
        )
    ),
    "f'does-{event.kind}'": frozenset(
        f"does-{kind}"
        for kind in (
            *(
                "attack",
                "contest",
                "interact",
                "treat",
                "rest",
                "learn",
                "advance",
                "round",
                "defend",
                "tumble",
                "effect",
                "move",
                "fall",
                "collision",
                "study",
            ),
            *("subplot", "replenish", "award", "trade", "campaign", "wild", "hint"),
            *("quirk", "exposure"),
            *(
                "cast",
                "disbelieve",
                "effect-maintain",
                "effect-resist",
                "effect-strike",
                "effect-use",
            ),
        )
    ),
    "f'mb-plot-{option}'": frozenset(
        f"mb-plot-{each}" for each in ("allow", "overrule", "refuse", "keep", "decline")
    ),
    "f\"mb-card-{code.replace('_', '-')}\"": _REFUSED,
    "f\"mb-card-{finding.code.replace('_', '-')}\"": frozenset(
        f"mb-card-{each}"
        for each in (
            *("dup-number", "unknown-name", "type-mismatch"),
            *("shadowed-builtin", "lines-missing", "blank-in-play"),
        )
    ),
    "f'begins-{kind}'": frozenset({"begins-attack", "begins-cast", "begins-contest"}),
    "f'gm-{awaited.button}'": frozenset({"gm-answer-face", "gm-answer-defend"}),
    "f'calls-{awaited.button}'": frozenset(
        f"calls-{each}"
        for each in (
            *("answer-reply", "answer-defend", "answer-face", "answer-write", "answer-revise"),
            *("mb-trade-choose", "ego-buy", *STAKES.values()),
        )
    ),
    "f'spend-or-keep-{scene.state.settings.system}'": frozenset(
        f"spend-or-keep-{key}" for key in ("ebb", "ego", "masterbook")
    ),
    "f'mb-{code}'": frozenset(f"mb-{code}" for code in _finding_codes()),
    "f'mb-bg-trade-{code}'": frozenset(
        f"mb-bg-trade-{each}" for each in ("disabled", "down-direction", "no-slot", "up-sum")
    ),
    "STAKES.get(due[0].what, BUY)": frozenset({BUY, *STAKES.values()}),
    "f'done-{said.code}'": frozenset(
        f"done-answer-{each}"
        for each in (
            *("roll", "roll-for-them", "let-roll", "roll-now", "margin-only", "free"),
            *("impossible", "time", "no-time", "allow", "forbid", "pass", "stand", "defend"),
            *("face", "join", "leave", "write", "death-stand", "death-open"),
            *("ask", "reply", "revise", "wait-for-me", "no-more-say", "let-it-stand"),
            *("roll-when-answered", "roll-myself", "save-injury"),
        )
    )
    | {
        f"done-{each}"
        for each in (
            *("bar-die-kept", "mb-spent-point", "mb-canceled-point", "mb-cards-done"),
            *("mb-cast-open", "mb-cast-now", "mb-cast-break-off"),
        )
    },
    "f'does-{event.kind}-oneself'": frozenset({"does-effect-oneself", "does-treat-oneself"}),
    **dict.fromkeys(
        (
            "f\"setting-does-{field.replace('_', '-')}\"",
            "f\"setting-does-{key.replace('_', '-')}\"",
        ),
        frozenset(f"setting-does-{each}" for each in ("gm-place", *_SETTINGS)),
    ),
    "f\"journal-{event.what.removesuffix('-gms')}\"": frozenset(
        f"journal-{each}" for each in ("places", "session-begins", "session-ends", "time-passed")
    ),
    "f'{what}-gms'": frozenset({"session-begins-gms", "session-ends-gms", "time-passed-gms"}),
    "f\"setting-says-{field.key.replace('_', '-')}\"": frozenset(
        f"setting-says-{each}"
        for each in (
            "wait-for-everybody",
            "open-points",
            "step-in-late",
            "attacks-at-once",
            "roll-when-answered",
        )
    ),
    "f'setting-{key}'": frozenset(f"setting-{each}" for each in _SETTINGS),
    "f'setting-{key}-help'": frozenset(f"setting-{each}-help" for each in _SETTINGS),
    "f'setting-{key}-words'": frozenset(f"setting-{each}-words" for each in _SETTINGS),
    "f'setting-{key}-value'": _NAMED_VALUES,
    "f'setting-{key}-none'": frozenset(
        choice.code
        for field in _FIELDS_OF_SETTINGS.values()
        if isinstance(field, Number) and field.label is not None
        for choice in (field.label(0),)
        if choice.code.endswith("-none")
    ),
    "f'settings-topic-{row.topic}'": _TOPICS,
    "f'settings-topic-{topic}'": _TOPICS,
    "f'setting-{name}-never'": frozenset(
        f"setting-{each}-never" for each in ("step-in-time", "turn-time", "silence")
    ),
    "f'tale-{event.what}'": frozenset(f"tale-{what}" for what in STORY_NOTICES),
    "done_code(kind)": frozenset(map(done_code, KINDS)),
    "f'kind-{kind}'": frozenset(("kind-rest", "kind-treat")),
    "f'sheet-{kind}'": frozenset({"sheet-attributes", "sheet-abilities"}),
    "f'sheet-{key}'": frozenset({"sheet-attributes", "sheet-abilities"}),
    "f'{what}-file-too-large'": frozenset(f"{what}-file-too-large" for what in get_args(Upload)),
    "f'gm-channel-{kind}'": frozenset(f"gm-channel-{kind}" for kind in get_args(Leak)),
    # Cards, by what happened.
    "f'board-{event.step}'": frozenset(
        f"board-{step}" for step in get_args(BoardStep) if step not in ("turn", "reminded")
    ),
    "f'cards-{event.step}'": frozenset(
        f"cards-{step}" for step in ("drawn", "shown", "played", "discarded", "taken", "returned")
    ),
    "f'hand-{verb}'": frozenset(f"hand-{verb}" for verb in ("play", "reveal", "drop", "offer")),
    "f'npc-{field}'": frozenset({"npc-notes", "npc-portrait", "npc-sheet", "npc-alias"}),
    "f'npc-no-{field}'": frozenset({"npc-no-notes", "npc-no-portrait", "npc-no-alias"}),
    "f'first-{key}'": frozenset(f"first-{key}" for key in FIRST_STEPS),
    "f'wanted-{step}'": frozenset(f"wanted-{step}" for step in STEP_CALL_LABELS),
}


@cache
def _sources() -> tuple[tuple[str, ast.Module], ...]:
    paths = [
        path
        for folder in ("rules", "bot", "cogs")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    return tuple(
        (path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8")))
        for path in paths
    )


def _assigned(function: ast.AST, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value
            elif isinstance(target, ast.Tuple):
                given = node.value
                for whole in (
                    (given.body, given.orelse) if isinstance(given, ast.IfExp) else (given,)
                ):
                    for part, value in zip(target.elts, getattr(whole, "elts", ()), strict=False):
                        if isinstance(part, ast.Name) and part.id == name:
                            yield value


def _values(
    expression: ast.expr, function: ast.AST, seen: frozenset[str] = frozenset()
) -> frozenset[str]:
    """What an expression may be, besides what the names `seen` already may; empty when nobody can
    tell.
    """
    if isinstance(expression, ast.Constant) and isinstance(expression.value, str):
        return frozenset({expression.value})
    if isinstance(expression, ast.IfExp):
        return _values(expression.body, function, seen) | _values(expression.orelse, function, seen)
    if isinstance(expression, ast.JoinedStr | ast.Call | ast.Attribute):
        return _EXPANDED.get(ast.unparse(expression), frozenset())
    if isinstance(expression, ast.Name) and expression.id not in seen:
        seen |= {expression.id}
        found = [_values(value, function, seen) for value in _assigned(function, expression.id)]
        return frozenset[str]().union(*found) if all(found) else frozenset()
    return frozenset()


def _parameters(function: ast.AST) -> frozenset[str]:
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset()
    args = function.args
    return frozenset(argument.arg for argument in (*args.posonlyargs, *args.args, *args.kwonlyargs))


def _calls(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Call]]:
    """Each call with the function it stands in."""
    stack: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
    while stack:
        function, node = stack.pop()
        if isinstance(node, ast.Call):
            yield function, node
        inner = node if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
        stack += [(inner, child) for child in ast.iter_child_nodes(node)]


@cache
def _said() -> tuple[tuple[str, frozenset[str], tuple[tuple[ast.AST, ast.Call, str], ...]], ...]:
    """Each file, the calls that hold a code there, and all its calls: where they stand and what is
    called.
    """
    return tuple(
        (
            where,
            _speaking(where, tree),
            tuple((function, call, ast.unparse(call.func)) for function, call in _calls(tree)),
        )
        for where, tree in _sources()
    )


def _speaking(where: str, tree: ast.Module) -> frozenset[str]:
    """The calls that hold a code there: without pieces of cards, which are called alike."""
    if where == "bot/presenters/layout.py":
        return frozenset()
    imported = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    pieces = (
        name.name
        for node in imported
        if node.module == "bot.presenters.layout"
        for name in node.names
    )
    return (LINES | ERRORS | _ADDERS).difference(pieces)


def _refusing(name: str, function: ast.AST, call: ast.Call) -> frozenset[str]:
    """The codes that a form, or a field of one, is given for what it refuses."""
    if name.endswith(".read_file"):
        return _values(call.args[1], function)
    said = (word.value for word in call.keywords if name in _FIELDS and word.arg in _REFUSALS)
    return frozenset[str]().union(*(_values(value, function) for value in said))


@cache
def collect(
    among: frozenset[str] = frozenset(),
) -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
    """Codes of lines and errors; codes of fixes; and where a code could not be made out."""
    codes: set[str] = set()
    fixes: set[str] = set()
    unclear: list[str] = []
    for where, speaking, calls in _said():
        if among:
            speaking &= among
        for function, call, name in calls:
            fixed = [word.value for word in call.keywords if word.arg == "fix"]
            if (
                name in ("self.add_problem", "reader.add_problem", "violation")
                and len(call.args) > _FIX_ARGUMENT
            ):
                fixed.append(call.args[_FIX_ARGUMENT])
            for expression in fixed:
                handed_on = isinstance(expression, ast.Name) and expression.id in _parameters(
                    function
                )
                found = _values(expression, function)
                fixes |= found
                if not found and not handed_on:
                    unclear.append(f"{where}:{call.lineno}: fix {ast.unparse(expression)}")
            codes |= _refusing(name, function, call)
            if name == "Words":  # the last of them is an error, the others are lines
                said = [("Line", *call.args[:-1]), ("Impossible", call.args[-1])]
                wanted = [
                    each
                    for kind, *codes_of in said
                    if not among or kind in among
                    for each in codes_of
                ]
                codes = codes.union(*(_values(each, function) for each in wanted))
            if name == "Prompt" or name.endswith(".replace"):
                for word in call.keywords:
                    codes |= _values(word.value, function) if word.arg == "button" else frozenset()
            if name not in speaking or not call.args:
                continue
            expression = call.args[0]
            if isinstance(expression, ast.Name) and expression.id in _parameters(function):
                continue  # handed on: the callers are read
            if isinstance(expression, ast.Attribute) and expression.attr in (
                "code",
                "button",
                *_REFUSALS,
            ):
                continue  # that of a part, a prompt or an error that was made elsewhere
            if isinstance(expression, ast.Attribute) and ast.unparse(expression.value) == "words":
                continue  # those of points are read where they stand
            found = _values(expression, function)
            codes |= found
            if not found:
                unclear.append(f"{where}:{call.lineno}: {ast.unparse(expression)}")
    codes.update(_worksheet_codes())
    return frozenset(codes), frozenset(fixes), tuple(unclear)


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
    for _, speaking, calls in _said():
        for function, call, name in calls:
            unclear |= _refusing(name, function, call)
            if name == "Words":
                unclear = unclear.union(*(_values(each, function) for each in call.args))
            if name not in speaking or not call.args:
                continue
            given = None if name in _ADDERS else _given(call)
            for code in _values(call.args[0], function):
                found[code] = found.get(code, frozenset()) | (given or frozenset())
                unclear |= {code} if given is None else set()
    return {code: keys for code, keys in found.items() if code not in unclear}


#: Functions that say a text of `[cards]`, and which of their arguments is its code.
_SAYING = {
    "card": 1,
    "catalog_card": 1,
    "phrase": 0,
    "book_words": 0,
    "seen_by": 0,
    "Notice": 0,
    "_notices": 0,
    "_notice": 1,
    "_arrangement_notice": 0,
    "character_event": 0,
}


def cards() -> tuple[dict[str, frozenset[str] | None], list[str]]:
    """Code of a card -> the parameters that it is said with, None where the source does not tell
    all; and the calls whose code cannot be made out.
    """
    found: dict[str, frozenset[str] | None] = {}
    unclear: list[str] = []
    for where, _, calls in _said():
        for function, call, name in calls:
            if name not in _SAYING or where == "bot/presenters/catalog_cards.py":
                continue
            code = call.args[_SAYING[name]]
            if ast.unparse(code) in ("event.what", *_parameters(function)):
                continue  # of a `Notice`: it is given where that is made
            codes = _values(code, function)
            unclear += [] if codes else [f"{where}:{call.lineno}: {ast.unparse(code)}"]
            words = [word.arg for word in call.keywords]
            whole = (
                name in ("card", "catalog_card", "phrase")
                and None not in words
                and "about" not in words
            )
            given = frozenset(filter(None, words)) if whole else None
            found |= dict.fromkeys(codes, given)
    return found, unclear
