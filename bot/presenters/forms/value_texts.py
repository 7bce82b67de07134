"""Values of a form in words, with the labels that the form shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.presenters.forms.panel_form import field_text, field_title
from bot.presenters.language.words import label_text, say_bare
from rules.table.check import Values
from rules.table.forms.entry_fields import EntriesField, Rows
from rules.table.forms.fields import Flag, FormContext, Many, Number, Pick
from rules.table.forms.form import Field, Form


def labeled_values(form: Form, values: Values, asking: FormContext) -> list[str]:
    """Return the values of a form, each with its field's title: `Difficulty: Tricky`.

    The texts are bare. A flag that is not set, and an empty value without a label, are left out.
    """
    return [_titled(*value) for value in titled_values(form, values, asking).values()]


def titled_values(form: Form, values: Values, asking: FormContext) -> dict[str, tuple[str, str]]:
    """Return the title and the text of each value by its field's key, as `labeled_values` does."""
    texts: dict[str, tuple[str, str]] = {}
    for field in form.fields:
        if field.key not in values:
            continue
        text = value_label(field, values[field.key], asking)
        if text:
            texts[field.key] = (field_title(field), text)
    return texts


def changed_values(
    was: Mapping[str, tuple[str, str]], now: Mapping[str, tuple[str, str]]
) -> list[str]:
    """Return the titled values that differ: `Difficulty: Legendary → Tricky`."""
    texts: list[str] = []
    for key, (title, text) in now.items():
        _, before = was.get(key, (title, ""))
        if text == before:
            continue
        if not before or text == title:
            texts.append(_titled(title, text))
        else:
            texts.append(label_text("value-changed", title=title, was=before, now=text))
    for key, (title, _) in was.items():
        if key not in now:
            texts.append(label_text("value-dropped", title=title))
    return texts


def _titled(title: str, text: str) -> str:
    """Return a value with its title, unless the value is called like it."""
    return text if text == title else f"{title}: {text}"


def value_label(field: Field, value: Any, asking: FormContext) -> str:
    """Return a value as the form shows it; empty for a value that it has no words for."""
    if value is None:
        return _nothing_label(field)
    if isinstance(field, Flag):
        return _flag_label(field, set_=bool(value))
    if isinstance(field, Number):
        return _number_label(field, value)
    if isinstance(field, Many):
        return ", ".join(_option_label(field, entry, asking) for entry in value)
    if isinstance(field, Pick):
        return _option_label(field, value, asking)
    if isinstance(field, EntriesField) and not isinstance(value, str):
        return "; ".join(_entry_labels(field, value, asking))
    return field_text(field, value, asking)


def _nothing_label(field: Field) -> str:
    if field.nothing is None:
        return ""
    return say_bare(field.nothing)


def _number_label(field: Number, value: Any) -> str:
    if field.label is None:
        return str(value)
    return say_bare(field.label(value))


def _flag_label(field: Flag, *, set_: bool) -> str:
    if set_ and field.label is not None:
        return say_bare(field.label)
    return label_text("form-flag", on=set_)


def _option_label(field: Pick, value: str, asking: FormContext) -> str:
    """Return the label of an option; a value that isn't offered stands as it is typed."""
    for option in field.options(asking):
        if option.value == value:
            return say_bare(option.label)
    if isinstance(field, Many):
        return field_text(field, (value,), asking)
    return field_text(field, value, asking)


def _entry_labels(field: EntriesField, value: Any, asking: FormContext) -> list[str]:
    """Return the entries of a field with several, each as a list shows it."""
    if isinstance(field, Rows) and field.said is None and isinstance(field.form, Form):
        return [_row_label(field.form, row, asking) for row in value]
    lines = field.entries(field.format_text(value))
    labels: list[str] = []
    for line, text in zip(lines, field.tells(asking, lines), strict=True):
        labels.append(line if text is None else say_bare(text))
    return labels


def _row_label(form: Form, row: Mapping[str, Any], asking: FormContext) -> str:
    return ", ".join(labeled_values(form, row, asking.replace(values=row)))
