"""Discord's limits on controls, and menus that keep to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from bot.presenters.controls import Modal, Option, Rows, Select
from bot.presenters.language.limits import (
    BUTTON_LABEL,
    CUSTOM_ID,
    INPUT_ABOUT,
    INPUT_LABEL,
    INPUT_PLACEHOLDER,
    INPUT_VALUE,
    MODAL_INPUTS,
    MODAL_TITLE,
    OPTION_TEXT,
    PLACEHOLDER,
    ROW_BUTTONS,
    SELECT_OPTIONS,
    clip,
    clip_label,
    is_within,
    utf16_length,
)

#: Most letters of a menu's label that a phone shows. The rest becomes the description.
LABEL = 36


#: Separators at which such a label breaks, the first one first.
_BREAKS = (" (", ": ", "; ", ", ")


def _partition_outside_brackets(label: str, mark: str) -> tuple[str, str]:
    """Split a label at the first *mark* outside brackets; without one the rest is empty."""
    at = label.find(mark)
    while at >= 0:
        before = label[:at]
        if before.count("(") <= before.count(")"):
            return before, label[at + len(mark) :]
        at = label.find(mark, at + 1)
    return label, ""


def menu_entry(
    value: str,
    label: str,
    what: str,
    *,
    chosen: bool,
    after: str = "",
    breaks: Sequence[str] = _BREAKS,
) -> Option:
    """Return an entry of a menu, with `after` at the end of its label.

    A chosen entry begins with `what` the menu is for.
    """
    before, about = f"{what}: " if what and chosen else "", ""
    room = LABEL - utf16_length(before)
    for mark in breaks:
        first, rest = _partition_outside_brackets(label, mark)
        if utf16_length(label) > room and rest and (mark != " (" or rest.endswith(")")):
            rest = rest[:-1] if mark == " (" else rest
            label, about = first, f"{rest}; {about}" if about else rest
    if utf16_length(label) > room and not about:
        # Without a separator the description has the whole label.
        label, about = clip_label(label, room), label
    label, about = before + label + after, about[:1].upper() + about[1:]
    return Option(value, clip_label(label, OPTION_TEXT), clip(about, OPTION_TEXT), chosen)


def menu(
    id: str,
    title: str,
    entries: Iterable[tuple[str, str]],
    chosen: str | None = None,
    what: str = "",
) -> Select:
    """Return a menu of values with their labels, as many as fit.

    The chosen entry begins with `what` it is.
    """
    # The labels of deeds begin alike. They break late, so that they still differ.
    breaks = _BREAKS if what else _BREAKS[::-1]
    options: list[Option] = []
    for key, label in islice(entries, SELECT_OPTIONS):
        options.append(menu_entry(key, label, what, chosen=key == chosen, breaks=breaks))
    return Select(id, title, tuple(options))


def _require(fits: bool, fault: str) -> None:
    """Raise ValueError with the fault if something doesn't fit."""
    if not fits:
        raise ValueError(fault)


def check_controls(rows: Rows) -> None:
    """Raise ValueError, naming the limit, for buttons and menus that Discord would refuse."""
    ids = [control.id for row in rows for control in row]
    if len(set(ids)) < len(ids):
        raise ValueError("a custom id twice")
    for row in rows:
        if not row:
            raise ValueError("an empty row")
        if len(row) > 1 and (
            len(row) > ROW_BUTTONS or any(isinstance(control, Select) for control in row)
        ):
            raise ValueError(f"a row over {ROW_BUTTONS} wide")
        for control in row:
            if not control.id or not is_within(control.id, CUSTOM_ID):
                raise ValueError(f"custom id over {CUSTOM_ID}")
            if isinstance(control, Select):
                _check_select(control)
            elif not control.label or not is_within(control.label, BUTTON_LABEL):
                raise ValueError(f"button label over {BUTTON_LABEL}")


def _check_select(select: Select) -> None:
    _require(utf16_length(select.placeholder) <= PLACEHOLDER, f"placeholder over {PLACEHOLDER}")
    if select.kind != "text":
        return
    options = select.options
    _require(1 <= len(options) <= SELECT_OPTIONS, f"not 1 to {SELECT_OPTIONS} options")
    _require(len({option.value for option in options}) == len(options), "an option's value twice")
    _require(
        0 <= select.least <= select.most <= len(options), "a menu that asks for more than it offers"
    )
    for option in options:
        _require(1 <= utf16_length(option.label) <= OPTION_TEXT, f"option label over {OPTION_TEXT}")
        _require(1 <= utf16_length(option.value) <= OPTION_TEXT, f"option value over {OPTION_TEXT}")
        _require(
            utf16_length(option.description) <= OPTION_TEXT,
            f"option description over {OPTION_TEXT}",
        )


def check_modal(modal: Modal) -> None:
    """Raise ValueError, naming the limit, for a dialog that Discord would refuse."""
    _require(1 <= utf16_length(modal.title) <= MODAL_TITLE, f"modal title over {MODAL_TITLE}")
    _require(1 <= utf16_length(modal.id) <= CUSTOM_ID, f"custom id over {CUSTOM_ID}")
    _require(1 <= len(modal.inputs) <= MODAL_INPUTS, f"not 1 to {MODAL_INPUTS} inputs")
    _require(len({item.id for item in modal.inputs}) == len(modal.inputs), "an input's id twice")
    for item in modal.inputs:
        _require(1 <= utf16_length(item.id) <= CUSTOM_ID, f"custom id over {CUSTOM_ID}")
        _require(1 <= utf16_length(item.label) <= INPUT_LABEL, f"input label over {INPUT_LABEL}")
        _require(utf16_length(item.about) <= INPUT_ABOUT, f"input description over {INPUT_ABOUT}")
        _require(
            utf16_length(item.placeholder) <= INPUT_PLACEHOLDER,
            f"input placeholder over {INPUT_PLACEHOLDER}",
        )
        _require(1 <= item.most <= INPUT_VALUE, f"input length over {INPUT_VALUE}")
        _require(
            utf16_length(item.value) <= item.most, "an input's value is longer than the input takes"
        )
