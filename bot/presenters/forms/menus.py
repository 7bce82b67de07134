"""Menus of a form: of single fields, of fields that share one, and of entries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Final

from bot.presenters.control_limits import menu_entry
from bot.presenters.controls import Button, Option, Select
from bot.presenters.forms.panel_form import (
    PanelForm,
    draft_value,
    entry_fields,
    field_text,
    field_title,
)
from bot.presenters.language.limits import (
    OPTION_TEXT,
    PLACEHOLDER,
    SELECT_OPTIONS,
    clip,
    clip_label,
    utf16_length,
)
from bot.presenters.language.text import bare_text, percent, with_capital
from bot.presenters.language.words import label_text, say_bare
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import Flag, Many, Number, Pick, Typed
from rules.table.forms.form import Field

#: Values of menu entries that stand for no choice, and for the next page.
NO_CHOICE: Final = ":none"
MORE_CHOICES: Final = ":more"
#: Ends of the ids of the menus that several fields share: all, and those that lead.
SHARED_MENU: Final = "s"
LEADING_MENU: Final = "l"
#: End of the id of the menu of entries.
ENTRY_MENU: Final = "e"
#: Beginning of the part of an id that begins an entry; the place of its field follows.
ENTRY_START: Final = "n"
#: End of the id of the menu of buttons for which there is no room.
FOLD_MENU: Final = "k"
#: Most letters of a closed menu that a phone shows.
_CLOSED_MENU: Final = 26
#: Most letters on a button that begins an entry or opens a dialog.
BUTTON_LETTERS: Final = 24
#: Buttons that begin an entry, or open a dialog.
_FOLDABLE: Final = re.compile(r"n\d+:0|w\d+")

#: An entry of a menu and its meaning (key, value); None if it only turns pages or resets.
MenuEntry = tuple[Option, tuple[str, Any] | None]


class Menu(Record):
    """A menu; its entries mean (key, value)."""

    id: str
    title: str
    entries: tuple[MenuEntry, ...]
    several: bool = False

    def meaning(self, token: str) -> tuple[str, Any] | None:
        """Return the meaning of the entry with this value."""
        return next((meaning for option, meaning in self.entries if option.value == token), None)

    @property
    def select(self) -> Select:
        """The menu as a control."""
        options = tuple(option for option, _ in self.entries)
        title = clip(self.title, PLACEHOLDER)
        if self.several:
            return Select(self.id, title, options, 0, len(options))
        return Select(self.id, title, options, 1, 1)


# --- pages of a menu ------------------------------------------------------------------------------


def menu_page(entries: Sequence[MenuEntry], at: int, room: int) -> tuple[MenuEntry, ...]:
    """Return the entries of a page, for which there is `room`.

    The chosen entries stand on every page. If there are several pages, the last entry turns them.
    """
    by_value = {entry[0].value: entry for entry in entries}
    unique = [entry for value, entry in by_value.items() if value not in (NO_CHOICE, MORE_CHOICES)]
    if len(unique) <= room:
        return tuple(unique)
    chosen = [entry for entry in unique if entry[0].default][: room - 2]
    rest = [entry for entry in unique if entry not in chosen]
    per_page = room - 1 - len(chosen)
    pages = -(-len(rest) // per_page)
    page = at % pages
    following = (page + 1) % pages * per_page
    first, last = rest[following], rest[min(following + per_page, len(rest)) - 1]
    ends = [entry[0].label.partition(": ")[0].partition(" (")[0] for entry in (first, last)]
    after = Text("form-more-after", {"first": ends[0], "last": ends[1]})
    more = Option(MORE_CHOICES, more_label(page, pages), say_bare(after))
    return (*chosen, *rest[page * per_page : (page + 1) * per_page], (more, None))


def more_label(page: int, pages: int) -> str:
    """Return the label of what turns a page, with the page that is shown (from 0)."""
    return label_text("form-more", page=page + 1, pages=pages)


# --- menus of fields ------------------------------------------------------------------------------


def menus(
    filling: PanelForm,
    base: str,
    draft: Values,
    at: Mapping[str, int],
    wanted: Set[str] = frozenset(),
) -> tuple[Menu, ...]:
    """Return every menu of the form; fields with one value have their own, all others share one.

    The menus of the form's leading fields come first. Leading fields without a menu of their own
    share one too. `at` are the pages of long menus, `wanted` the keys of fields that still need a
    choice.
    """
    leading = filling.form.leading
    ranked: list[tuple[int, Menu]] = []
    shared: list[Field] = []
    leading_shared: list[Field] = []
    for place, field in filling.fields:
        choices = tuple(field.choices_for(filling.asking))
        if not choices or (filling.switches and isinstance(field, Flag)):
            continue
        if not _has_own_menu(filling, field, len(choices)):
            (leading_shared if field.key in leading else shared).append(field)
            continue
        entries = _entries(filling, field, choices, draft, own=True)
        none = _no_choice_entries(field, entries, wanted)
        page = menu_page(entries, at.get(str(place), 0), SELECT_OPTIONS - len(none))
        several = isinstance(field, Many)
        menu = Menu(f"{base}:f{place}", _menu_title(field), (*none, *page), several)
        ranked.append((leading_rank(leading, field.key), menu))
    if leading_shared:
        first = min(leading_rank(leading, field.key) for field in leading_shared)
        menu = _shared_menu(filling, f"{base}:{LEADING_MENU}", leading_shared, draft, at)
        ranked.append((first, menu))
    ranked.sort(key=lambda pair: pair[0])
    if shared:
        rest = filling.form.rest if len(shared) > 1 else None
        menu = _shared_menu(filling, f"{base}:{SHARED_MENU}", shared, draft, at, rest)
        ranked.append((len(leading), menu))
    return tuple(menu for _, menu in ranked)


def leading_rank(leading: Sequence[str], key: str) -> int:
    """Return the place of a field among the leading ones; fields that don't lead come last."""
    return leading.index(key) if key in leading else len(leading)


def _has_own_menu(filling: PanelForm, field: Field, choices: int) -> bool:
    if isinstance(field, Many):
        return choices > SELECT_OPTIONS
    apart = isinstance(field, Number) and field.apart
    return filling.switches or apart or isinstance(field, Pick | Typed | Table)


def _menu_title(field: Field) -> str:
    if isinstance(field, Table) and field.topic is not None:
        return say_bare(field.topic)
    return field_title(field)


def _no_choice_entries(
    field: Field, entries: Sequence[MenuEntry], wanted: Set[str]
) -> tuple[MenuEntry, ...]:
    """Return the entry for no choice, if the field can go without one."""
    if field.needed or isinstance(field, Many | Table):
        return ()
    chosen = any(option.default for option, _ in entries)
    nothing = field.nothing
    if nothing is None:
        is_wanted = field.key in wanted and not chosen
        nothing = Text("form-choose" if is_wanted else "form-none")
    entry = menu_entry(NO_CHOICE, say_bare(nothing), field_title(field), chosen=not chosen)
    return ((entry, None),)


def _shared_menu(
    filling: PanelForm,
    id: str,
    fields: Sequence[Field],
    draft: Values,
    at: Mapping[str, int],
    rest: Text | None = None,
) -> Menu:
    """Return the menu that several fields share; `rest` is its label, else what they are about."""
    entries: list[MenuEntry] = []
    for field in fields:
        choices = field.choices_for(filling.asking)
        entries += _entries(filling, field, choices, draft, own=False)
    title = _shared_title(fields) if rest is None else say_bare(rest)
    page = menu_page(entries, at.get(id.rpartition(":")[2], 0), SELECT_OPTIONS)
    return Menu(id, title, page, several=True)


def _shared_title(fields: Sequence[Field]) -> str:
    """Return the topics of fields that share a menu, as many as a phone shows."""
    if len(fields) == 1:
        return field_title(fields[0])
    topics = [*dict.fromkeys(map(_topic_of, fields))]
    shown = 1
    while shown < len(topics) and utf16_length(", ".join(topics[: shown + 1])) < _CLOSED_MENU:
        shown += 1
    title = with_capital(", ".join(topics[:shown]))
    return f"{title}…" if shown < len(topics) else title


def _topic_of(field: Field) -> str:
    """Return the topic of a field, or its title, or its key in words."""
    line = field.title if field.topic is None else field.topic
    return say_bare(line) if line else field.key.replace("-", " ")


def _entries(
    filling: PanelForm,
    field: Field,
    choices: Iterable[tuple[Any, Text]],
    draft: Values,
    *,
    own: bool,
) -> list[MenuEntry]:
    """Return the choices of a field as menu entries.

    In a menu of its own (`own`) an entry's value is the field's value, in a shared menu the word
    that is typed for it.
    """
    many, title = isinstance(field, Many), field_title(field)
    chosen = _chosen_values(field, draft)
    labels = {(value[0] if many else value): say_bare(label) for value, label in choices}
    for value in chosen:
        word = str(value)
        if isinstance(field, Number) and field.label is not None and isinstance(value, int):
            word = say_bare(field.label(value))
        labels.setdefault(value, word if own else f"{title}: {word}")
    entries: list[MenuEntry] = []
    for value, label in labels.items():
        word = str(value)
        if not own:
            word = (*field.write((value,) if many else value), field.key)[0]
        about = title if own and not many else ""
        odds = filling.odds(field.key, value) if about else None
        after = "" if odds is None else f" · {percent(odds)}"
        token = clip(word, OPTION_TEXT) or " "
        option = menu_entry(
            token, bare_text(label) or token, about, chosen=value in chosen, after=after
        )
        entries.append((option, (field.key, value)))
    return entries


def _chosen_values(field: Field, draft: Values) -> tuple[Any, ...]:
    """Return the values of a field that a draft has chosen; entries of a table don't count."""
    if isinstance(field, Table):
        return ()
    value = draft_value(field, draft.get(field.key))
    if value is None or value is False or value == "":
        return ()
    return tuple(value) if isinstance(field, Many) else (value,)


# --- menus and buttons of entries -----------------------------------------------------------------


def entry_menus(
    filling: PanelForm, base: str, draft: Values, at: Mapping[str, int]
) -> tuple[Menu, ...]:
    """Return the menu of all entries, and a menu for each field with several ways to begin one."""
    found: list[Menu] = []
    entries: list[MenuEntry] = []
    fields = entry_fields(filling)
    for place, field in fields:
        about = field_title(field) if len(fields) > 1 else ""
        lines = field.entries(field_text(field, draft.get(field.key)))
        texts = field.tells(filling.asking, lines)
        for number, (line, text) in enumerate(zip(lines, texts, strict=True)):
            words = line if text is None else say_bare(text)
            label, more = clip_label(words, OPTION_TEXT), clip(about, OPTION_TEXT)
            entries.append((Option(f"{place}.{number}", label, more), None))
    if entries:
        page = menu_page(entries, at.get(ENTRY_MENU, 0), SELECT_OPTIONS)
        found.append(Menu(f"{base}:{ENTRY_MENU}", label_text("form-entries"), page))
    for place, field in fields:
        menu = _start_menu(filling, base, place, field, at)
        if menu is not None:
            found.append(menu)
    return tuple(found)


def _start_menu(
    filling: PanelForm, base: str, place: int, field: Table, at: Mapping[str, int]
) -> Menu | None:
    """Return the menu of the ways to begin an entry; None if there are fewer than two."""
    starts = field.starts(filling.asking)
    if len(starts) < 2:
        return None
    entries: list[MenuEntry] = []
    for number, (label, _) in enumerate(starts):
        entries.append((menu_entry(str(number), say_bare(label), "", chosen=False), None))
    control = f"{ENTRY_START}{place}"
    page = menu_page(entries, at.get(control, 0), SELECT_OPTIONS)
    title = field.add_label or Text("form-add")
    return Menu(f"{base}:{control}", say_bare(title), page)


def entry_buttons(filling: PanelForm, base: str) -> list[Button]:
    """Return the buttons that begin an entry, of the fields with one way to begin one."""
    buttons: list[Button] = []
    for place, field in entry_fields(filling):
        starts = field.starts(filling.asking)
        if len(starts) == 1:
            label = clip_label(say_bare(starts[0][0]), BUTTON_LETTERS)
            buttons.append(Button(f"{base}:{ENTRY_START}{place}:0", label))
    return buttons


# --- a menu of buttons ----------------------------------------------------------------------------


def fold_buttons(
    base: str, buttons: Sequence[Button], most: int, at: Mapping[str, int]
) -> tuple[list[Button], tuple[Menu, ...]]:
    """Return the buttons for which there is room, and a menu of the others.

    Only buttons that begin entries or open dialogs go into the menu, the last ones first.
    """
    foldable = [button for button in buttons if is_foldable(button.id.removeprefix(f"{base}:"))]
    over = len(buttons) - most
    folded = foldable[max(0, len(foldable) - over) :] if over > 0 else []
    if not folded:
        return [*buttons], ()
    entries: list[MenuEntry] = []
    for button in folded:
        entries.append((Option(button.id.removeprefix(f"{base}:"), button.label), None))
    page = menu_page(entries, at.get(FOLD_MENU, 0), SELECT_OPTIONS)
    menu = Menu(f"{base}:{FOLD_MENU}", label_text("form-folded"), page)
    return [button for button in buttons if button not in folded], (menu,)


def is_foldable(control: str) -> bool:
    """Return whether a control is a button that may stand in a menu instead."""
    return _FOLDABLE.fullmatch(control) is not None
