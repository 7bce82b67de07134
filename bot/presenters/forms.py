"""A form as a panel: menus, switches and dialogues for what is filled in, what would come of it, and what sends it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from bot.presenters.controls import Button, Control, Input, Modal, Option, Select, Style
from bot.presenters.errors import describe_error
from bot.presenters.layout import Accent, Beside, Body, Gap, Head, Layout, Piece, Small, rows_of
from bot.presenters.limits import (
    INPUT_LABEL,
    INPUT_PLACEHOLDER,
    INPUT_VALUE,
    MODAL_INPUTS,
    MODAL_TITLE,
    OPTION_TEXT,
    PLACEHOLDER,
    ROW_BUTTONS,
    ROWS,
    SELECT_OPTIONS,
    clip,
    size,
)
from bot.presenters.people import Names
from bot.presenters.text import bare_text, capital, listing, user_text
from bot.presenters.words import say_bare
from rules.core.errors import Param, RulesError
from rules.core.record import record
from rules.table import forms
from rules.table.forms import (
    Asking,
    Field,
    Flag,
    Form,
    Lines,
    Many,
    Number,
    Pick,
    Rows,
    Scores,
    Typed,
    Values,
)

#: What stands in menus beside their values: nothing chosen, and further pages.
NONE: Final = ":none"
MORE: Final = ":more"
#: Values without a line, as a menu shows them.
_NO_NOTE: Final = ""
#: What a label of a menu may have before the rest becomes its description.
_LABEL: Final = 36
#: Most menus below one another.
_MENUS: Final = 4
#: Buttons stand three a row as long as two rows hold them.
_THREE: Final = 3
#: The longest number or choice that is typed.
_LONGEST: Final = 100
#: How much is shown of what was typed into one field.
_SHOWN: Final = 300
_PATH: Final = re.compile(r"([^\[\].]+)(?:\[(\d+)\])?(.*)", re.DOTALL)


def _nothing(values: Values) -> tuple[Piece, ...]:
    return ()


def _no_note(key: str, value: Any) -> str:
    return _NO_NOTE


@record
class Send:
    """A button that sends the form; `always` also while something is wrong, because nothing of it is needed."""

    value: str
    label: str
    style: Style = "secondary"
    always: bool = False


@record
class Filling:
    """A form to be filled in, as a panel shows it.

    `before` is what it is about; `preview` what the values would come to, RulesError where that is nothing; `noted`
    stands behind a value in a menu (`71%`). `shared` is the menu of everything that has none of its own. With
    `switches` flags are lines with a button, of which `noted` says what they mean, and all else has its own menu.
    """

    form: Form
    asking: Asking
    head: str
    sends: tuple[Send, ...]
    before: tuple[Piece, ...] = ()
    preview: Callable[[Values], tuple[Piece, ...]] = _nothing
    noted: Callable[[str, Any], str] = _no_note
    shared: str = "Anything else"
    small: str = ""
    accent: Accent = "own"
    switches: bool = False
    cancel: str = "Cancel"

    @property
    def fields(self) -> tuple[tuple[int, Field], ...]:
        """What is for whoever asks, each with its place in the form."""
        return tuple(
            (at, field)
            for at, field in enumerate(self.form.fields)
            if field.unless(self.asking, field.key) is None
        )


@record
class Menu:
    """A menu with what each of its entries means: (key, value), None for what only turns pages or takes back."""

    id: str
    title: str
    entries: tuple[tuple[str, Option, tuple[str, Any] | None], ...]
    several: bool = False

    def meaning(self, token: str) -> tuple[str, Any] | None:
        """What an entry stands for."""
        return next((meant for each, _, meant in self.entries if each == token), None)

    @property
    def select(self) -> Select:
        """The menu as a control."""
        options = tuple(option for _, option, _ in self.entries)
        most = len(options) if self.several else 1
        return Select(self.id, clip(self.title, PLACEHOLDER), options, 0 if self.several else 1, most)


def title_of(field: Field) -> str:
    """What a field is called, without Markdown."""
    if field.title is not None:
        return say_bare(field.title)
    return capital(field.key.replace("-", " "))


def base_of(owner: str, draft: str) -> str:
    """How the ids of a panel begin."""
    return f"sg:fm:{owner}:{draft}"


# --- menus --------------------------------------------------------------------------------------------------


def _entry(
    token: str, label: str, title: str, note: str, *, chosen: bool, meant: tuple[str, Any] | None
) -> tuple[str, Option, tuple[str, Any] | None]:
    """An entry; what is chosen in a menu says what the menu is for."""
    label, about = bare_text(label) or token, ""
    if size(label) > _LABEL and label.endswith(")"):
        label, _, about = label[:-1].partition(" (")
    label = f"{title}: {label}" if title and chosen else label
    label = f"{label} · {note}" if note else label
    return token, Option(token, clip(label, OPTION_TEXT), clip(capital(about), OPTION_TEXT), chosen), meant


def _token(text: str) -> str:
    return clip(text, OPTION_TEXT) or " "


def _page(
    entries: Sequence[tuple[str, Option, tuple[str, Any] | None]], at: int, room: int
) -> tuple[tuple[str, Option, tuple[str, Any] | None], ...]:
    """As many as fit, with those that are chosen, and a way to the rest."""
    unique = list({each[0]: each for each in entries if each[0] not in (NONE, MORE)}.values())
    if len(unique) <= room:
        return tuple(unique)
    chosen = [each for each in unique if each[1].default][: room - 2]
    rest = [each for each in unique if each not in chosen]
    per = room - 1 - len(chosen)
    pages = -(-len(rest) // per)
    page = at % pages
    more = Option(MORE, f"More … ({page + 1} of {pages})")
    return (*chosen, *rest[page * per : (page + 1) * per], (MORE, more, None))


def menus(filling: Filling, base: str, draft: Values, at: Mapping[str, int]) -> tuple[Menu, ...]:
    """Every menu of the form: those with one value have their own, all others share one. `at` are their pages."""
    found: list[Menu] = []
    shared: list[tuple[str, Option, tuple[str, Any] | None]] = []
    first = None
    for place, field in filling.fields:
        choices = tuple(field.choices(filling.asking))
        if not choices or (filling.switches and isinstance(field, Flag)):
            continue
        many = isinstance(field, Many)
        single = isinstance(field, Pick | Typed) or filling.switches
        if single and (not many or len(choices) > SELECT_OPTIONS):
            found.append(_own(filling, f"{base}:f{place}", field, choices, draft, at.get(str(place), 0)))
            continue
        first = len(found) if first is None else first
        shared += _shared(filling, field, choices, draft)
    if shared:
        entries = _page(shared, at.get("s", 0), SELECT_OPTIONS)
        found.append(Menu(f"{base}:s", filling.shared, entries, several=True))
    return tuple(found)


def _own(
    filling: Filling,
    custom_id: str,
    field: Field,
    choices: Sequence[tuple[Any, forms.Line]],
    draft: Values,
    at: int,
) -> Menu:
    title, many = title_of(field), isinstance(field, Many)
    said = draft.get(field.key)
    chosen: tuple[Any, ...] = tuple(said or ()) if many else () if said in (None, "") else (said,)
    labels = {(value[0] if many else value): say_bare(label) for value, label in choices}
    for value in chosen:
        labels.setdefault(value, str(value))
    entries = [
        _entry(
            _token(str(value)),
            label,
            "" if many else title,
            filling.noted(field.key, value),
            chosen=value in chosen,
            meant=(field.key, value),
        )
        for value, label in labels.items()
    ]
    if many:
        return Menu(custom_id, title, _page(entries, at, SELECT_OPTIONS), several=True)
    none = () if field.needed else (_entry(NONE, "none", title, _NO_NOTE, chosen=not chosen, meant=None),)
    return Menu(custom_id, title, (*none, *_page(entries, at, SELECT_OPTIONS - len(none))))


def _shared(
    filling: Filling, field: Field, choices: Sequence[tuple[Any, forms.Line]], draft: Values
) -> Iterable[tuple[str, Option, tuple[str, Any] | None]]:
    said = draft.get(field.key)
    many = isinstance(field, Many)
    chosen: tuple[Any, ...] = tuple(said or ()) if many else () if said in (None, False) else (said,)
    labels = {(value[0] if many else value): say_bare(label) for value, label in choices}
    for value in chosen:
        labels.setdefault(value, f"{title_of(field)}: {value}")
    for value, label in labels.items():
        word = (*field.write((value,) if many else value, filling.form.compact), field.key)[0]
        note = filling.noted(field.key, value)
        yield _entry(_token(word), label, "", note, chosen=value in chosen, meant=(field.key, value))


# --- dialogues ----------------------------------------------------------------------------------------------


def typed_fields(filling: Filling) -> tuple[Field, ...]:
    """What is filled in by typing: texts, tables, and what no menu offers. Where there is nothing to choose from, as of
    what a GM may refuse, nothing is asked."""
    return tuple(
        field
        for _, field in filling.fields
        if isinstance(field, Typed)
        or not (isinstance(field, Flag) or _chosen_of(field) or [*field.choices(filling.asking)])
    )


def _chosen_of(field: Field) -> bool:
    """Whether several are chosen of what there is just now."""
    return isinstance(field, Many) and callable(field.among)


def _dialogues(filling: Filling) -> list[tuple[Field, ...]]:
    fields = typed_fields(filling)
    return [fields[at : at + MODAL_INPUTS] for at in range(0, len(fields), MODAL_INPUTS)]


def text_of(field: Field, value: Any) -> str:
    """A value of a draft as it is typed."""
    if value is None:
        return ""
    return value if isinstance(value, str) else field.text(value)


def dialogue(filling: Filling, owner: str, draft_id: str, draft: Values, number: int) -> Modal | None:
    """One of the dialogues; None where there is none, or nothing in it is short enough for one."""
    dialogues = _dialogues(filling)
    if number >= len(dialogues):
        return None
    inputs = inputs_of(dialogues[number], draft)
    if not inputs:
        return None
    title = title_of(dialogues[number][0]) if len(inputs) == 1 else bare_text(filling.head)
    return Modal(f"sg:fmm:{owner}:{draft_id}", clip(title, MODAL_TITLE), inputs)


def inputs_of(fields: Iterable[Field], draft: Values) -> tuple[Input, ...]:
    """What is typed into a dialogue, without texts that are too long for one."""
    return tuple(
        _input(field, value)
        for field in fields
        if size(value := text_of(field, draft.get(field.key))) <= INPUT_VALUE
    )


def _input(field: Field, value: str) -> Input:
    lines = isinstance(field, Many | Lines | Scores | Rows)
    most = (
        INPUT_VALUE if lines else _LONGEST if not isinstance(field, Typed) else min(field.most, INPUT_VALUE)
    )
    return Input(
        field.key,
        clip(title_of(field), INPUT_LABEL),
        value,
        clip(say_bare(field.help) if field.help is not None else _range(field), INPUT_PLACEHOLDER),
        lines or (isinstance(field, Typed) and field.long),
        False,
        max(most, size(value)),
    )


def _range(field: Field) -> str:
    return f"{field.low} to {field.high}" if isinstance(field, Number) else ""


# --- problems -----------------------------------------------------------------------------------------------


def _line_number(text: str, index: int) -> int:
    """The line on which the entry of that index stands, counted from 1."""
    filled = [number for number, line in enumerate(text.splitlines(), 1) if line.strip().removeprefix("- ")]
    return filled[index] if index < len(filled) else index + 1


def place_of(path: str, fields: Mapping[str, Field], draft: Values) -> tuple[str, str]:
    """The key of the field a path leads to, and the path in words: `Abilities, line 4`."""
    found = _PATH.fullmatch(path)
    if found is None or found[1] not in fields:
        return "", path
    title = title_of(fields[found[1]])
    if found[2] is None:
        return found[1], title
    text = text_of(fields[found[1]], draft.get(found[1]))
    return found[1], f"{title}, line {_line_number(text, int(found[2]))}"


def problem_texts(
    problems: Iterable[RulesError], fields: Sequence[Field], draft: Values, names: Names | None = None
) -> tuple[tuple[str, str], ...]:
    """What is wrong, each with the key of its field, in the words of the panel and in the order of the fields."""
    by_key = {field.key: field for field in fields}
    order = {key: number for number, key in enumerate(by_key)}
    told: list[tuple[str, str]] = []
    for problem in problems:
        key, where = place_of(str(problem.params.get("field", "")), by_key, draft)
        params: dict[str, Param] = {**problem.params, "field": where}
        if isinstance(first := params.get("first"), str):
            params["first"] = place_of(first, by_key, draft)[1]
        told.append((key, describe_error(type(problem)(problem.code, **params), names, in_list=bool(key))))
    return tuple(sorted(told, key=lambda each: order.get(each[0], len(order))))


def _wrong(
    problems: Sequence[RulesError], filling: Filling, draft: Values, names: Names | None
) -> list[Piece]:
    """What is still to be filled in, and what is wrong with what is."""
    fields = filling.form.fields
    by_key = {field.key: field for field in fields}
    open_ = [str(each.params["field"]) for each in problems if each.code == "missing-field"]
    others = [each for each in problems if each.code != "missing-field"]
    lines = [text for _, text in problem_texts(others, fields, draft, names)]
    if open_:
        lines.insert(0, f"Still open: {listing(place_of(each, by_key, draft)[1] for each in open_)}.")
    return [Body(clip("\n".join(lines), 1500))] if lines else []


# --- the panel ----------------------------------------------------------------------------------------------


def _switches(filling: Filling, base: str, draft: Values) -> list[Piece]:
    found: list[Piece] = []
    for place, field in filling.fields:
        if filling.switches and isinstance(field, Flag):
            on = bool(draft.get(field.key))
            noted = filling.noted(field.key, on) or (say_bare(field.help) if field.help is not None else "")
            about = f"\n-# {noted}" if noted else ""
            text = f"**{title_of(field)}: {'on' if on else 'off'}**{about}"
            found.append(Beside(text, Button(f"{base}:t{place}", "Turn off" if on else "Turn on")))
    return found


def _packed(buttons: Sequence[Button]) -> tuple[tuple[Button, ...], ...]:
    wide = _THREE if len(buttons) <= 2 * _THREE else ROW_BUTTONS
    return tuple(tuple(buttons[at : at + wide]) for at in range(0, len(buttons), wide))


def form_card(
    filling: Filling,
    owner: str,
    draft_id: str,
    draft: Values,
    *,
    page: int = 0,
    at: Mapping[str, int] | None = None,
    names: Names | None = None,
) -> Layout:
    """The panel: what it is about, what is chosen so far and what would come of it.

    Menus for which there is no room go on further pages: menus and rows of buttons are five together, so that the
    panel can be had as plain text as well.
    """
    base = base_of(owner, draft_id)
    values, faults = filling.form.read_draft(draft, filling.asking)
    problems: list[RulesError] = [*faults]
    shown: tuple[Piece, ...] = ()
    if not problems:
        try:
            shown = filling.preview(values)
        except RulesError as error:
            problems += getattr(error, "problems", (error,))
    all_menus = menus(filling, base, draft, at or {})
    buttons = _buttons(filling, base, sound=not problems)
    rows = _packed(buttons)
    room = min(_MENUS, ROWS - len(rows))
    if len(all_menus) > room:
        turn = Button(f"{base}:p", "More…")
        rows = _packed([*buttons[:-1], turn, buttons[-1]])
        room = min(_MENUS, ROWS - len(rows))
    pages = -(-len(all_menus) // room)
    start = (page % pages if pages else 0) * room
    selects: list[tuple[Control, ...]] = [(each.select,) for each in all_menus[start : start + room]]
    pieces: list[Piece] = [Head(filling.head), *filling.before, *_written(filling, draft)]
    pieces += _switches(filling, base, draft)
    pieces += rows_of(tuple(selects))
    wrong = _wrong(problems, filling, draft, names)
    pieces += [Gap(), *wrong] if wrong else shown
    pieces += rows_of(rows)
    if filling.small:
        pieces.append(Small(filling.small))
    return Layout(filling.accent, tuple(pieces))


def _buttons(filling: Filling, base: str, *, sound: bool) -> list[Button]:
    """What sends it, what opens a dialogue, what leaves: in this order."""
    found = [
        Button(f"{base}:b:{each.value}", each.label, each.style, disabled=not (sound or each.always))
        for each in filling.sends
    ]
    dialogues = _dialogues(filling)
    for number, fields in enumerate(dialogues):
        label = title_of(fields[0]) if len(dialogues) > 1 or len(fields) == 1 else "Write"
        found.append(Button(f"{base}:w{number}", f"{clip(label, 20)}…"))
    found.append(Button(f"{base}:x", filling.cancel))
    return found


def _written(filling: Filling, draft: Values) -> list[Piece]:
    """What was typed, a line each."""
    found: list[Piece] = []
    for field in typed_fields(filling):
        text = text_of(field, draft.get(field.key)).strip()
        offered = [value for value, _ in field.choices(filling.asking)] if isinstance(field, Typed) else ()
        if text and text not in offered:
            found.append(Body(f"**{title_of(field)}:** {clip(user_text(text, lines=True), _SHOWN)}"))
    return found


def left_card() -> Layout:
    """The panel when whoever opened it has left it."""
    return Layout("waiting", (Head("Left"), Body("Nothing was sent.")))
