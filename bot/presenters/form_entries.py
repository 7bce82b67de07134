"""Pages of table entries, opened inside the panel of their form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.presenters.forms import PanelForm, SendButton, field_text, field_title
from bot.presenters.language.text import user_text
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import Body, Piece
from rules.core.errors import Outdated, RulesError
from rules.core.json_reader import Reader
from rules.table.check import Values
from rules.table.forms.entry_fields import ENTRY_KEY, Table
from rules.table.forms.fields import TEXT_MAX, FormContext, Typed
from rules.table.forms.form import Form

#: Values of the buttons of an entry's page.
DONE: Final = "done"
REMOVE: Final = "remove"
#: An opened entry, as a draft keeps it:
#:
#: - `field`: key of its field.
#: - `entry`: number of the entry; None for a new one.
#: - `values`: draft of the entry's own form.
#: - `text`: whether it's a line that can't be read.
OpenEntry = Mapping[str, Any]


def entry_draft_id(draft_id: str, depth: int) -> str:
    """Return the draft's part of a control's id; *depth* counts the opened entries around it."""
    return f"{draft_id}:r{depth}" if depth else draft_id


def table_field(filling: PanelForm, key: str) -> Table:
    """Return the table of an opened entry. Raises Outdated("unknown-control") without one."""
    field = filling.form.by_key.get(key)
    if not isinstance(field, Table) or field.row is None:
        raise Outdated("unknown-control")
    return field


def entry_lines(field: Table, draft: Values) -> list[str]:
    """Return the lines of a table in a draft."""
    return field.entries(field_text(field, draft.get(field.key)))


def with_entry(field: Table, draft: Values, number: int | None, line: str | None) -> str:
    """Return the text of a table with *line* in the place of an entry.

    Without a number the line is added; without a line the entry is left out.
    """
    lines = [*entry_lines(field, draft)]
    start = end = len(lines)
    if number is not None:
        start, end = number, number + 1
    lines[start:end] = [] if line is None else [line]
    return "\n".join(lines)


def opened_entry(filling: PanelForm, draft: Values, field: Table, number: int) -> dict[str, Any]:
    """Return an entry as it is opened: its form's draft, or its line if that can't be read.

    Raises Outdated("unknown-control") for an entry that is not there.
    """
    lines = entry_lines(field, draft)
    if number >= len(lines):
        raise Outdated("unknown-control")
    opened = _new_state(field, number)
    try:
        read = field.read_entry(lines[number], filling.asking)
    except RulesError:
        return opened | {"values": {ENTRY_KEY: lines[number]}, "text": True}
    return opened | {"values": _entry_draft(filling, draft, field, opened, read)}


def begun_entry(field: Table, values: Values) -> dict[str, Any]:
    """Return a new entry as it is opened, with the draft that it begins with."""
    return _new_state(field, None) | {"values": dict(values)}


def _new_state(field: Table, number: int | None) -> dict[str, Any]:
    """Return the state of an entry that is being opened, without values."""
    state: dict[str, Any] = {"values": {}, "page": 0, "at": {}, "step": ""}
    return {"field": field.key, "entry": number, "text": False, "typed": False, **state}


def _entry_draft(
    filling: PanelForm, draft: Values, field: Table, opened: OpenEntry, read: Values
) -> dict[str, Any]:
    """Return the draft of an entry's form. A value that the form refuses stays as text."""
    context = _entry_context(filling, draft, field, opened, read)
    form = _entry_form(field, context, read)
    known = {key: value for key, value in read.items() if key in form.keys}
    values = form.read_into(Reader(), known, context, "")
    unread = {key: str(value) for key, value in known.items() if key not in values and value}
    return {**unread, **form.write_draft(values)}


def _entry_context(
    filling: PanelForm, draft: Values, field: Table, opened: OpenEntry, values: Values
) -> FormContext:
    """Return the context of an entry's form: its values, with the other entries around it."""
    asking, number = filling.asking, opened["entry"]
    others = draft.get(field.key, "")
    if number is not None:
        others = with_entry(field, draft, number, None)
    around = {**asking.around, **draft, field.key: others}
    return asking.replace(values=values, around=around)


def _entry_form(field: Table, context: FormContext, values: Values) -> Form:
    """Return the form of an entry with these values."""
    if field.row is None:
        raise Outdated("unknown-control")
    return field.row(context, values)


def entry_panel(filling: PanelForm, draft: Values, opened: OpenEntry) -> PanelForm:
    """Return the page of an opened entry, given the panel around it and its draft.

    Raises Outdated("unknown-control") if the entry or its field is gone.
    """
    field, number = table_field(filling, opened["field"]), opened["entry"]
    if number is not None and number >= len(entry_lines(field, draft)):
        raise Outdated("unknown-control")
    values: Values = opened["values"]
    context = _entry_context(filling, draft, field, opened, values)
    outer = filling.asking.replace(values=context.around)
    if opened["text"]:
        title = field.add_label or field.title
        form = Form((Typed(ENTRY_KEY, title=title, help=field.help, most=TEXT_MAX, needed=True),))
    else:
        form = _entry_form(field, context, values)

    def line_of(entry: Values) -> str:
        return str(entry[ENTRY_KEY]) if opened["text"] else field.write_entry(entry, context)

    def read_entry(entry: Values) -> tuple[Values, Sequence[RulesError]]:
        read, problems = form.read_draft(entry, context)
        if problems:
            return read, problems
        line_problems = field.entry_problems(line_of(read), outer)
        return read, tuple(_for_form(problem, form) for problem in line_problems)

    read, problems = read_entry(values)
    shown: list[Piece] = []
    if not opened["text"]:
        shown += [Body(say(line)) for line in field.shows(context.replace(values=read))]
    if not problems:
        line = line_of(read)
        (words,) = field.tells(outer, (line,))
        text = phrase("form-entry-line", line=line if words is None else words)
        shown.insert(0, Body(text))
    sends = [SendButton(DONE, label_text("form-entry-done"), "primary")]
    if number is not None:
        remove = label_text("form-entry-remove")
        sends.append(SendButton(REMOVE, remove, "danger", always=True))
    head = f"{filling.head} · {user_text(field_title(field))}"
    return PanelForm(
        form,
        context,
        head,
        tuple(sends),
        preview=lambda entry: tuple(shown),
        otherwise=tuple(shown),
        small=filling.small,
        accent=filling.accent,
        cancel=label_text("button-back"),
        read=read_entry,
        left=filling.left,
    )


def _for_form(problem: RulesError, form: Form) -> RulesError:
    """Return a problem of the line, without its place if the entry's form has no such field."""
    place = str(problem.params.get("field", ""))
    if not place or place.partition("[")[0].partition(".")[0] in form.keys:
        return problem
    return problem.__class__(problem.code, **{**problem.params, "field": ""})


def entry_line(filling: PanelForm, opened: OpenEntry, read: Values) -> str:
    """Return the line of an opened entry whose values have no problems."""
    if opened["text"]:
        return " ".join(str(read[ENTRY_KEY]).split())
    return table_field(filling, opened["field"]).write_entry(read, filling.asking)
