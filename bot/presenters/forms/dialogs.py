"""Dialogs in which the fields of a form are typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bot.presenters.controls import Input, Modal
from bot.presenters.forms.menus import BUTTON_LETTERS, leading_rank
from bot.presenters.forms.panel_form import PanelForm, field_text, field_title
from bot.presenters.language.limits import (
    INPUT_ABOUT,
    INPUT_LABEL,
    INPUT_PLACEHOLDER,
    INPUT_VALUE,
    MODAL_INPUTS,
    MODAL_TITLE,
    clip,
    clip_label,
    utf16_length,
)
from bot.presenters.language.text import bare_text
from bot.presenters.language.words import say_bare
from rules.table.check import Values
from rules.table.checks.stages import APPROACH_FIELD
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import Flag, FormContext, Many, Number, Pick, Typed
from rules.table.forms.form import Field

#: Most letters of a number or choice that is typed.
_WORD_LENGTH: Final = 100


def typed_fields(filling: PanelForm) -> tuple[Field, ...]:
    """Return the fields that are filled in by typing: texts, tables, and what no menu offers.

    A field whose choices depend on the game isn't typed while it has no choices, such as the traits
    that a GM may disallow.
    """
    typed = [field for _, field in filling.fields if _is_typed(field, filling.asking)]
    # How a character does it is what matters most.
    first = (APPROACH_FIELD.key, *filling.form.leading)
    return tuple(sorted(typed, key=lambda field: leading_rank(first, field.key)))


def _is_typed(field: Field, asking: FormContext) -> bool:
    if isinstance(field, Flag):
        return False
    if isinstance(field, Typed | Table):
        return True
    if isinstance(field, Pick | Number) and field.writable:
        return True
    if isinstance(field, Many) and callable(field.choices):
        return False
    return not [*field.choices_for(asking)]


def form_dialogs(filling: PanelForm) -> list[tuple[Field, ...]]:
    """Return the fields of each dialog."""
    fields, most = typed_fields(filling), MODAL_INPUTS
    if fields and filling.step is not None and filling.step.steppers:
        # As many in each, as they stand on a sheet.
        most = -(-len(fields) // -(-len(fields) // most))
    return [fields[at : at + most] for at in range(0, len(fields), most)]


def dialog_label(fields: Sequence[Field]) -> str:
    """Return the label of the button of a dialog: as many of its fields as a phone shows."""
    label = clip_label(field_title(fields[0]), BUTTON_LETTERS - 1)
    for field in fields[1:]:
        title = field_title(field)
        longer = f"{label}, {title[:1].lower()}{title[1:]}"
        if utf16_length(longer) >= BUTTON_LETTERS:
            break
        label = longer
    return f"{label.removesuffix('…')}…"


def dialog(
    filling: PanelForm,
    owner: str,
    draft_id: str,
    draft: Values,
    number: int,
    hints: Mapping[str, str] = MappingProxyType({}),
) -> Modal | None:
    """Return a dialog, with `hints` beside some of its fields.

    Return None if there is no such dialog, or if nothing in it is short enough for one.
    """
    dialogs = form_dialogs(filling)
    if number >= len(dialogs):
        return None
    inputs: list[Input] = []
    for field in dialogs[number]:
        text = field_text(field, draft.get(field.key), filling.asking)
        if utf16_length(text) <= INPUT_VALUE:
            inputs.append(field_input(field, text))
    if not inputs:
        return None
    if filling.question:
        hints = {inputs[0].id: filling.question, **hints}
    hinted = [input.replace(about=clip(hints.get(input.id, ""), INPUT_ABOUT)) for input in inputs]
    if filling.step is not None:
        title = say_bare(filling.step.title)
    elif len(inputs) == 1:
        title = field_title(dialogs[number][0])
    else:
        title = bare_text(filling.head)
    return Modal(f"sg:fmm:{owner}:{draft_id}", clip(title, MODAL_TITLE), tuple(hinted))


def field_input(field: Field, value: str) -> Input:
    """Return the input in which a field is typed, with its present value."""
    long, most, hint = isinstance(field, Many | Table), _WORD_LENGTH, ""
    if long:
        most = INPUT_VALUE
    elif isinstance(field, Typed):
        long, most = field.long, min(field.most, INPUT_VALUE)
    elif isinstance(field, Number):
        hint = f"{field.low} to {field.high}"
    if field.help is not None:
        hint = say_bare(field.help)
    title = clip(field_title(field), INPUT_LABEL)
    hint = clip(hint, INPUT_PLACEHOLDER)
    most = max(most, utf16_length(value))
    return Input(field.key, title, value, hint, long, required=False, most=most)
