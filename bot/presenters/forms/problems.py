"""Problems and warnings of a draft: the field of each, and their texts in a panel."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from bot.presenters.errors import describe_error
from bot.presenters.forms.dialogs import form_dialogs
from bot.presenters.forms.panel_form import PanelForm, field_text, field_title, is_empty
from bot.presenters.language.limits import BODY, clip, utf16_length
from bot.presenters.language.text import Markdown, Names, bare_text, user_text
from bot.presenters.language.words import phrase, say, say_bare
from bot.presenters.layout import Body, Heading, Piece, SmallPrint
from rules.core.errors import Param, Problems, RulesError
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import Typed, list_lines
from rules.table.forms.form import Field

#: Most letters of the problems of a panel, or of one step.
_PROBLEMS_LENGTH: Final = 1500
#: A field's path in a draft: key, index of an entry, rest.
_PATH: Final = re.compile(r"([^\[\].]+)(?:\[(\d+)\])?(.*)", re.DOTALL)


# --- the field of a problem -----------------------------------------------------------------------


@lru_cache(maxsize=8)
def _entry_lines(entries_of: Callable[[str], list[str]], text: str) -> tuple[int, ...]:
    """Return the line of each entry, counted from 1. One text may have thousands of problems."""
    lines: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        lines += [number] * len(entries_of(line))
    return tuple(lines)


def _place_of(path: str, fields: Mapping[str, Field], draft: Values) -> tuple[str, str]:
    """Return the key of the field a path leads to, and the path in words: `Abilities, line 4`."""
    match = _PATH.fullmatch(path)
    if match is None or match[1] not in fields:
        return "", path
    field = fields[match[1]]
    title = field_title(field)
    if match[2] is None:
        return match[1], title
    index = int(match[2])
    entries = field.entries if isinstance(field, Table) else list_lines
    lines = _entry_lines(entries, field_text(field, draft.get(match[1])))
    line = lines[index] if index < len(lines) else index + 1
    return match[1], say_bare(Text("form-line", {"field": title, "line": line}))


def problem_key(problem: RulesError, fields: Mapping[str, Field], draft: Values) -> str:
    """Return the key of the field that a problem is about; empty if it is about none."""
    return _place_of(str(problem.params.get("field", "")), fields, draft)[0]


def _located_problem(
    problem: RulesError, fields: Mapping[str, Field], draft: Values
) -> tuple[str, str, RulesError]:
    """Return a problem as a panel says it: the key of its field, that in words, and the error."""
    key, where = _place_of(str(problem.params.get("field", "")), fields, draft)
    params: dict[str, Param] = {**problem.params, "panel": True}
    if key:
        if problem.code == "missing-field":
            params.pop("fix", None)  # which speaks of files
            field = fields[key]
            if isinstance(field, Typed) and field.example != "…":
                params["example"] = field.example
        params["field"] = Markdown(user_text(where))
    if isinstance(first := params.get("first"), str):
        params["first"] = Markdown(user_text(_place_of(first, fields, draft)[1]))
    return key, where, type(problem)(problem.code, **params)


def panel_error(error: RulesError, filling: PanelForm, draft: Values) -> RulesError:
    """Return an error with its fields named as the panel names them."""
    fields = filling.form.by_key
    if isinstance(error, Problems):
        located = [_located_problem(problem, fields, draft)[2] for problem in error.problems]
        return Problems(error.code, located, **error.params)
    return _located_problem(error, fields, draft)[2]


def problem_texts(
    problems: Iterable[RulesError], filling: PanelForm, draft: Values, names: Names | None
) -> list[tuple[str, str]]:
    """Return what is wrong, each with the key of its field, in the order of the fields.

    What is about a step as a whole has the key of the step's first field.
    """
    form = filling.form
    first_fields = {step.key: step.form.keys[0] for step in filling.steps if step.form.keys}
    order = {key: number for number, key in enumerate(form.keys)}
    texts: list[tuple[str, str]] = []
    for problem in problems:
        key, where, error = _located_problem(problem, form.by_key, draft)
        text = describe_error(error, names)
        if key:
            text = _with_bold_field(text, user_text(where))
        else:
            key = first_fields.get(where, "")
        texts.append((key, text))
    return sorted(texts, key=lambda pair: order.get(pair[0], len(order)))


def _with_bold_field(text: str, field: str) -> str:
    """Return a problem's text with its field in bold before it, or at its beginning."""
    rest = text.removeprefix(field)
    if rest.startswith(" ") and rest != text:  # the field is a part of the sentence
        return f"**{field}**{rest}"
    return f"**{field}:** {rest.removeprefix(':').strip()}"


# --- missing values -------------------------------------------------------------------------------


def missing_fields(
    filling: PanelForm, draft: Values, problems: Sequence[RulesError]
) -> Mapping[str, RulesError]:
    """Return the problems by field if each is about an empty field, or nothing otherwise."""
    if filling.steps:
        return {}
    fields = {field.key: field for _, field in filling.fields}
    by_key = {problem_key(problem, fields, draft): problem for problem in problems}
    for key in by_key:
        if not key or not is_empty(fields[key], draft):
            return {}
    return by_key


def missing_dialog(
    filling: PanelForm, draft: Values, error: RulesError
) -> tuple[int | None, Mapping[str, str]]:
    """Return the dialog in which missing values are typed, and what to say there.

    The dialog is None if there is none.
    """
    problems = error.problems if isinstance(error, Problems) else (error,)
    missing = missing_fields(filling, draft, problems)
    for number, fields in enumerate(form_dialogs(filling)):
        if any(field.key in missing for field in fields):
            hints: dict[str, str] = {}
            for key, problem in missing.items():
                hints[key] = bare_text(describe_error(panel_error(problem, filling, draft)))
            return number, hints
    return None, {}


def missing_keys(filling: PanelForm, draft: Values, problems: Iterable[RulesError]) -> list[str]:
    """Return the needed fields of a form in steps that are empty, in their order."""
    places = {str(problem.params.get("field", "")) for problem in problems}
    needed = (field for field in filling.form.fields if field.needed and field.key in places)
    return [field.key for field in needed if is_empty(field, draft)]


# --- pieces ---------------------------------------------------------------------------------------


def draft_problems(filling: PanelForm, draft: Values) -> Sequence[RulesError]:
    """Return everything that is wrong with a draft, also in what would come of it."""
    values, problems = filling.read_draft(draft)
    return problems or try_preview(filling, values)[0]


def try_preview(
    filling: PanelForm, values: Values
) -> tuple[Sequence[RulesError], tuple[Piece, ...]]:
    """Return the problems of a preview, and what is shown for it."""
    try:
        return (), filling.preview(values)
    except RulesError as error:
        return getattr(error, "problems", (error,)), filling.otherwise


def problem_pieces(
    problems: Sequence[RulesError], filling: PanelForm, draft: Values, names: Names | None
) -> list[Piece]:
    """Return what is missing in a form without steps, and what is wrong."""
    missing = [problem for problem in problems if problem.code == "missing-field"]
    others = [problem for problem in problems if problem.code != "missing-field"]
    lines = [text for _, text in problem_texts(others, filling, draft, names)]
    if missing:
        fields = filling.form.by_key
        places = [_place_of(str(problem.params["field"]), fields, draft)[1] for problem in missing]
        lines.insert(0, phrase("form-missing", fields=tuple(places)))
    return [Body(clip("\n".join(lines), _PROBLEMS_LENGTH))] if lines else []


def step_problem_pieces(
    filling: PanelForm, texts: Sequence[tuple[str, str]], missing: Sequence[str], draft: Values
) -> list[Piece]:
    """Return what is wrong in one step of a form, or everywhere; what is missing comes first.

    In an empty step the problems are what is still to do.
    """
    step = filling.step
    keys = filling.form.keys if step is None else step.form.keys
    titles = [field_title(filling.form.by_key[key]) for key in missing if key in keys]
    lines = [text for key, text in texts if step is None or key in keys]
    if titles:
        lines.insert(0, phrase("form-missing", fields=tuple(titles)))
    if not lines:
        return []
    if step is None:
        title = phrase("form-fix-all", count=len(texts) + len(titles))
        return [Heading(title), Body(_clipped_list(lines, BODY - 500))]
    begun = any(str(draft.get(key) or "").strip() for key in keys)
    title = phrase("form-fix-step" if begun else "form-to-do")
    return [Heading(title), Body(_clipped_list(lines, _PROBLEMS_LENGTH))]


def warning_pieces(filling: PanelForm, warnings: Sequence[tuple[str, str]]) -> list[Piece]:
    """Return the warnings of one step, or of everything, in small print."""
    step = filling.step
    lines = [text for key, text in warnings if step is None or key in step.form.keys]
    if not lines:
        return []
    title = phrase("form-warnings", count=len(lines))
    return [SmallPrint(f"{title}\n{_clipped_list(lines, _PROBLEMS_LENGTH)}")]


def _clipped_list(lines: Sequence[str], most: int) -> str:
    """Return as many of these lines as fit, and how many more there are."""
    shown: list[str] = []
    used = -1
    for line in lines:
        item = f"- {line}"
        used += utf16_length(item) + 1
        if shown and used > most - 30:
            break
        shown.append(item)
    more = len(lines) - len(shown)
    text = clip("\n".join(shown), most - 30)
    return f"{text}\n{say(Text('form-more-mistakes', {'count': more}))}" if more else text
