"""A form as a panel: menus, switches and dialogs for what is filled in, what would come of it,
and what sends it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from bot.presenters.catalog_cards import card
from bot.presenters.control_limits import menu_entry
from bot.presenters.controls import (
    BUTTONS_PER_ROW,
    Button,
    Control,
    Input,
    Modal,
    Option,
    Select,
    Style,
    button_rows,
)
from bot.presenters.errors import describe_error
from bot.presenters.language.limits import (
    BODY,
    HEAD,
    INPUT_ABOUT,
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
    clip_label,
    utf16_length,
)
from bot.presenters.language.text import (
    Markdown,
    Names,
    bare_text,
    percent,
    user_text,
    with_capital,
)
from bot.presenters.language.words import label_text, phrase, say, say_bare
from bot.presenters.layout import (
    Accent,
    Body,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    SmallPrint,
    rows_of,
)
from rules.core.errors import Param, Problems, RulesError
from rules.core.json_reader import Reader
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.checks.stages import APPROACH_FIELD
from rules.table.forms import (
    Field,
    Flag,
    Form,
    FormContext,
    Many,
    Number,
    Pick,
    Table,
    Typed,
    Values,
    list_lines,
)
from rules.table.people.sheets import draft_effects, draft_head, draft_holdings, draft_state
from rules.table.system import Page

#: What stands in menus beside their values: nothing chosen, and further pages.
NO_CHOICE: Final = ":none"
MORE_CHOICES: Final = ":more"
#: Ends of the ids of the menus that several fields share: all, and those that lead.
SHARED_MENU: Final = "s"
LEADING_MENU: Final = "l"
#: End of the id of the menu of entries, and what the ids begin with that begin an entry.
ENTRY_MENU: Final = "e"
ENTRY_START: Final = "n"
#: Ends of the ids of the menu of stepped fields, and of the buttons that step one.
STEPPER_MENU: Final = "t"
STEPPER_BUTTON: Final = "u"
#: End of the id of the menu that leads to what was found in the last look.
FINDING_MENU: Final = "h"
#: End of the id of the menu of buttons for which there is no room.
FOLD_MENU: Final = "k"
#: So many findings stand in that menu at once.
_FINDINGS: Final = 5
#: How much of an entry a list shows.
_ENTRY_LINE: Final = 120
#: What a phone shows of a menu that is closed.
_CLOSED: Final = 26
#: Most menus below one another.
_MENUS: Final = 4
#: How long the label of a button is that opens a dialog.
_BUTTON: Final = 24
#: The longest number or choice that is typed.
_LONGEST: Final = 100
#: How much is shown of what was typed into one field, into one and into all of a form in steps.
_SHOWN: Final = 300
_SHOWN_IN_STEP: Final = 600
#: What is wrong in a step is told as a whole, as far as Discord lets it be.
_PROBLEMS_IN_STEP: Final = 1500
_SHOWN_IN_ALL: Final = 2100
#: Stands for the last look at a form in steps, where it is sent.
REVIEW_STEP: Final = "-"
#: Buttons that begin an entry, or open a dialog.
_FOLDABLE: Final = re.compile(r"n\d+:0|w\d+")
_PATH: Final = re.compile(r"([^\[\].]+)(?:\[(\d+)\])?(.*)", re.DOTALL)


class SendButton(Record):
    """A button that sends the form; `always` also while something is wrong, because nothing of it
    is needed.
    """

    value: str
    label: str
    style: Style = "secondary"
    always: bool = False


class PanelForm(Record):
    """A form to be filled in, as a panel shows it.

    `before` is what it is about; `preview` what the values would come to, or RulesError, and
    `otherwise` is shown. With `switches` flags have no menu, and all else has one of its own.
    `odds` are those that a value of a field would have, for its entry in a menu.

    A form in `steps` is filled in a step at a time, with what is wrong there, and looked over
    before it is sent; `step` is the one that is shown, None for the last look. `read` gives what is
    sent of a draft, and everything that is wrong with it, where that is not what the form reads by
    itself. `left` is the card of a panel that was left. `question` is what its dialogs ask, where
    somebody has asked something.
    """

    form: Form
    asking: FormContext
    head: str
    sends: tuple[SendButton, ...]
    before: tuple[Piece, ...] = ()
    preview: Callable[[Values], tuple[Piece, ...]] = lambda values: ()
    otherwise: tuple[Piece, ...] = ()
    small: str = ""
    accent: Accent = "own"
    switches: bool = False
    odds: Callable[[str, Any], Fraction | None] = lambda key, value: None
    cancel: str = ""
    steps: tuple[Page, ...] = ()
    step: Page | None = None
    read: Callable[[Values], tuple[Mapping[str, Any], Sequence[RulesError]]] | None = None
    left: tuple[str, str] | None = None
    question: str = ""
    #: What is allowed but odd about a draft, where that is not what the form says by itself.
    warn: Callable[[Values], Sequence[RulesError]] | None = None
    #: Fills the empty fields of a draft, for the button that does so.
    complete: Callable[[Values], Values] | None = None
    #: Head of every step, where it isn't the head with the step's title.
    headline: str = ""
    #: The draft after a choice that fills in other fields, given the drafts before and after it.
    follow: Callable[[Values, Values], Values] | None = None

    @property
    def fields(self) -> tuple[tuple[int, Field], ...]:
        """What is for whoever asks and belongs to the step that is shown, each with its place in
        the form.
        """
        shown = () if self.step is None else self.step.form.keys
        return tuple(
            (at, field)
            for at, field in enumerate(self.form.fields)
            if (not self.steps or field.key in shown)
            and field.hidden_if(self.asking, field.key) is None
        )

    def at_step(self, key: str) -> PanelForm:
        """With the step of that key: the first where there is none."""
        if key == REVIEW_STEP or not self.steps:
            return self
        return self.replace(
            step=next((each for each in self.steps if each.key == key), self.steps[0])
        )

    def read_draft(self, draft: Values) -> tuple[Mapping[str, Any], Sequence[RulesError]]:
        """What would be sent of a draft, and all that is wrong with it."""
        return self.form.read_draft(draft, self.asking) if self.read is None else self.read(draft)

    def warnings(self, draft: Values, values: Values) -> Sequence[RulesError]:
        """Return what is allowed but odd about a draft, given the values that were read of it."""
        if self.warn is not None:
            return self.warn(draft)
        return self.form.warnings(values, self.asking)


def closed_texts(filling: PanelForm) -> tuple[str, str]:
    """Return the head and the text of a panel that was closed."""
    return filling.left or (say(Text("form-closed")), say(Text("form-not-sent")))


#: How something stands in a menu, and what it means: None for what only turns pages or takes back.
MenuEntry = tuple[Option, tuple[str, Any] | None]


class Menu(Record):
    """A menu; its entries mean (key, value)."""

    id: str
    title: str
    entries: tuple[MenuEntry, ...]
    several: bool = False

    def meaning(self, token: str) -> tuple[str, Any] | None:
        """What an entry stands for."""
        return next((meant for option, meant in self.entries if option.value == token), None)

    @property
    def select(self) -> Select:
        options = tuple(option for option, _ in self.entries)
        most = len(options) if self.several else 1
        return Select(
            self.id, clip(self.title, PLACEHOLDER), options, 0 if self.several else 1, most
        )


def field_title(field: Field) -> str:
    """What a field is called, without Markdown."""
    if field.title is not None:
        return say_bare(field.title)
    return with_capital(field.key.replace("-", " "))


# --- menus ----------------------------------------------------------------------------------------


def _page(entries: Sequence[MenuEntry], at: int, room: int) -> tuple[MenuEntry, ...]:
    """As many as fit, with those that are chosen, and a way to the rest."""
    unique = list(
        {
            each[0].value: each
            for each in entries
            if each[0].value not in (NO_CHOICE, MORE_CHOICES)
        }.values()
    )
    if len(unique) <= room:
        return tuple(unique)
    chosen = [each for each in unique if each[0].default][: room - 2]
    rest = [each for each in unique if each not in chosen]
    per = room - 1 - len(chosen)
    pages = -(-len(rest) // per)
    page = at % pages
    following = (page + 1) % pages * per
    first, last = rest[following], rest[min(following + per, len(rest)) - 1]
    ends = [each[0].label.partition(": ")[0].partition(" (")[0] for each in (first, last)]
    after = Text("form-more-after", {"first": ends[0], "last": ends[1]})
    more = Option(MORE_CHOICES, _more_label(page, pages), say_bare(after))
    return (*chosen, *rest[page * per : (page + 1) * per], (more, None))


def _more_label(page: int, pages: int) -> str:
    """Return the label of what turns a page, with the page that is shown (from 0)."""
    return label_text("form-more", page=page + 1, pages=pages)


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
    found: list[tuple[int, Menu]] = []
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
        shown = _page(entries, at.get(str(place), 0), SELECT_OPTIONS - len(none))
        menu = Menu(
            f"{base}:f{place}", _menu_title(field), (*none, *shown), several=isinstance(field, Many)
        )
        found.append((_rank(leading, field.key), menu))
    if leading_shared:
        first = min(_rank(leading, field.key) for field in leading_shared)
        menu = _shared_menu(filling, f"{base}:{LEADING_MENU}", leading_shared, draft, at)
        found.append((first, menu))
    found.sort(key=lambda ranked: ranked[0])
    if shared:
        rest = filling.form.rest if len(shared) > 1 else None
        menu = _shared_menu(filling, f"{base}:{SHARED_MENU}", shared, draft, at, rest)
        found.append((len(leading), menu))
    return tuple(menu for _, menu in found)


def entry_fields(filling: PanelForm) -> tuple[tuple[int, Table], ...]:
    """Return the shown fields whose entries are pages of their own, each with its place."""
    return tuple(
        (place, field)
        for place, field in filling.fields
        if isinstance(field, Table) and field.row is not None
    )


def _entry_menus(
    filling: PanelForm, base: str, draft: Values, at: Mapping[str, int]
) -> tuple[Menu, ...]:
    """Return the menu of all entries, and a menu for each field with several ways to begin one."""
    found: list[Menu] = []
    entries: list[MenuEntry] = []
    fields = entry_fields(filling)
    for place, field in fields:
        about = field_title(field) if len(fields) > 1 else ""
        lines = field.entries(field_text(field, draft.get(field.key)))
        told = field.tells(filling.asking, lines)
        for number, (line, text) in enumerate(zip(lines, told, strict=True)):
            words = line if text is None else say_bare(text)
            label, more = clip_label(words, OPTION_TEXT), clip(about, OPTION_TEXT)
            entries.append((Option(f"{place}.{number}", label, more), None))
    if entries:
        shown = _page(entries, at.get(ENTRY_MENU, 0), SELECT_OPTIONS)
        found.append(Menu(f"{base}:{ENTRY_MENU}", label_text("form-entries"), shown))
    for place, field in fields:
        starts = field.starts(filling.asking)
        if len(starts) > 1:
            options = [
                (menu_entry(str(number), say_bare(label), "", chosen=False), None)
                for number, (label, _) in enumerate(starts)
            ]
            control = f"{ENTRY_START}{place}"
            shown = _page(options, at.get(control, 0), SELECT_OPTIONS)
            label = field.add_label or Text("form-add")
            found.append(Menu(f"{base}:{control}", say_bare(label), shown))
    return tuple(found)


def _entry_buttons(filling: PanelForm, base: str) -> list[Button]:
    """Return the buttons that begin an entry, of the fields with one way to begin one."""
    found: list[Button] = []
    for place, field in entry_fields(filling):
        starts = field.starts(filling.asking)
        if len(starts) == 1:
            label = clip_label(say_bare(starts[0][0]), _BUTTON)
            found.append(Button(f"{base}:{ENTRY_START}{place}:0", label))
    return found


def stepped_fields(filling: PanelForm) -> tuple[Number, ...]:
    """Return the number fields of the shown step that buttons step up and down."""
    step = filling.step
    if step is None:
        return ()
    shown = {field.key: field for _, field in filling.fields}
    found = (shown.get(key) for key in step.steppers)
    return tuple(field for field in found if isinstance(field, Number))


def stepped_number(filling: PanelForm, field: Number, draft: Values) -> int:
    """Return the number of a stepped field, or what counts where none is filled in."""
    said = draft_value(field, draft.get(field.key))
    if isinstance(said, int):
        return said
    usual = field.low if field.default is None else int(field.default)
    return usual if filling.step is None else filling.step.starts.get(field.key, usual)


def _stepper_menu(
    filling: PanelForm, base: str, draft: Values, at: Mapping[str, int]
) -> tuple[tuple[Control, ...], ...]:
    """Return the menu of the stepped fields, each with its number; none without such fields."""
    fields, step = stepped_fields(filling), filling.step
    if not fields or step is None:
        return ()
    what = say_bare(step.stepper or step.title)
    chosen = fields[at.get(STEPPER_MENU, 0) % len(fields)]
    options: list[Option] = []
    for field in fields[:SELECT_OPTIONS]:
        number = stepped_number(filling, field, draft)
        label = say_bare(Text("form-stepped", {"field": field_title(field), "n": number}))
        options.append(menu_entry(field.key, label, what, chosen=field is chosen))
    return ((Select(f"{base}:{STEPPER_MENU}", clip(what, PLACEHOLDER), tuple(options)),),)


def _stepper_buttons(
    filling: PanelForm, base: str, draft: Values, at: Mapping[str, int]
) -> list[Button]:
    """Return the buttons that step the chosen field down and up."""
    fields = stepped_fields(filling)
    if not fields:
        return []
    field = fields[at.get(STEPPER_MENU, 0) % len(fields)]
    number = stepped_number(filling, field, draft)
    return [
        Button(
            f"{base}:{STEPPER_BUTTON}:{by}",
            label_text("form-step-by", n=by),
            disabled=not field.low <= number + by <= field.high,
        )
        for by in (-1, 1)
    ]


def _rank(leading: Sequence[str], key: str) -> int:
    """Return the place of a field among the leading ones; fields that don't lead come last."""
    return leading.index(key) if key in leading else len(leading)


def _has_own_menu(filling: PanelForm, field: Field, choices: int) -> bool:
    if isinstance(field, Many):
        return choices > SELECT_OPTIONS
    apart = isinstance(field, Number) and field.apart
    return filling.switches or apart or isinstance(field, Pick | Typed | Table)


def _menu_title(field: Field) -> str:
    table = isinstance(field, Table)
    return say_bare(field.topic) if field.topic is not None and table else field_title(field)


def _no_choice_entries(
    field: Field, entries: Sequence[MenuEntry], wanted: Set[str]
) -> tuple[MenuEntry, ...]:
    """Return the entry for no choice, if the field can go without one."""
    if field.needed or isinstance(field, Many | Table):
        return ()
    chosen = any(option.default for option, _ in entries)
    nothing = field.nothing
    if nothing is None:
        asked = field.key in wanted and not chosen
        nothing = Text("form-choose" if asked else "form-none")
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
    shown = _page(entries, at.get(id.rpartition(":")[2], 0), SELECT_OPTIONS)
    return Menu(id, title, shown, several=True)


def _shared_title(fields: Sequence[Field]) -> str:
    """What the menu is for that these fields share: what they are about, as far as a phone shows
    it.
    """
    if len(fields) == 1:
        return field_title(fields[0])
    named = [each.title if each.topic is None else each.topic for each in fields]
    keys = [each.key.replace("-", " ") for each in fields]
    topics = [
        *dict.fromkeys(
            say_bare(line) if line else key for line, key in zip(named, keys, strict=True)
        )
    ]
    told = topics[:1]
    while len(told) < len(topics) and utf16_length(", ".join(topics[: len(told) + 1])) < _CLOSED:
        told = topics[: len(told) + 1]
    return with_capital(", ".join(told)) + ("…" if len(told) < len(topics) else "")


def draft_value(field: Field, said: Any) -> Any:
    """Return what a draft holds of a field that is chosen from menus; a text is read."""
    if not isinstance(said, str):
        return said
    if isinstance(field, Many):
        return list_lines(said)
    if isinstance(field, Number | Flag) and said.strip():
        read = field.parse_text(Reader(), field.key, said)
        return said if read is None else read
    return said


def _entries(
    filling: PanelForm,
    field: Field,
    choices: Iterable[tuple[Any, Text]],
    draft: Values,
    *,
    own: bool,
) -> list[MenuEntry]:
    """What can be chosen of a field: in a menu of its own by the value, in the one that several
    share by the word.
    """
    many, title = isinstance(field, Many), field_title(field)
    said: Any = None if isinstance(field, Table) else draft_value(field, draft.get(field.key))
    several = said if many else (said,)
    chosen = () if said is None or said is False or said == "" else tuple(several)
    labels = {(value[0] if many else value): say_bare(label) for value, label in choices}
    for value in chosen:
        word = str(value)
        if isinstance(field, Number) and field.label is not None and isinstance(value, int):
            word = say_bare(field.label(value))
        labels.setdefault(value, word if own else f"{title}: {word}")
    found: list[MenuEntry] = []
    for value, label in labels.items():
        word = str(value)
        if not own:
            word = (*field.write((value,) if many else value), field.key)[0]
        shown = title if own and not many else ""
        odds = filling.odds(field.key, value) if shown else None
        after = "" if odds is None else f" · {percent(odds)}"
        token = clip(word, OPTION_TEXT) or " "
        option = menu_entry(
            token, bare_text(label) or token, shown, chosen=value in chosen, after=after
        )
        found.append((option, (field.key, value)))
    return found


# --- dialogs ------------------------------------------------------------------------------------


def typed_fields(filling: PanelForm) -> tuple[Field, ...]:
    """What is filled in by typing: texts, tables, and what no menu offers. Where there is nothing
    to choose from, as of what a GM may refuse, nothing is asked.
    """
    found = [field for _, field in filling.fields if _is_typed(field, filling.asking)]
    # How somebody does it is what matters most.
    first = (APPROACH_FIELD.key, *filling.form.leading)
    return tuple(sorted(found, key=lambda field: _rank(first, field.key)))


def _is_typed(field: Field, asking: FormContext) -> bool:
    if isinstance(field, Typed | Flag | Table):
        return not isinstance(field, Flag)
    if isinstance(field, Pick | Number) and field.writable:
        return True
    return not (isinstance(field, Many) and callable(field.choices)) and not [
        *field.choices_for(asking)
    ]


def _dialogs(filling: PanelForm) -> list[tuple[Field, ...]]:
    fields, most = typed_fields(filling), MODAL_INPUTS
    if fields and filling.step is not None and filling.step.steppers:
        # As many in each, as they stand on a sheet.
        most = -(-len(fields) // -(-len(fields) // most))
    return [fields[at : at + most] for at in range(0, len(fields), most)]


def field_text(field: Field, value: Any, asking: FormContext | None = None) -> str:
    """Return a value as it is typed; a text that could not be read stays as it is.

    Without *asking*, the values of `Many` stay as they are kept.
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if asking is not None and isinstance(field, Many) and field.spoken is not None:
        spoken = field.spoken
        value = tuple([spoken(asking, each) for each in value])
    return field.format_text(value)


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
    dialogs = _dialogs(filling)
    if number >= len(dialogs):
        return None
    texts = [
        (field, field_text(field, draft.get(field.key), filling.asking))
        for field in dialogs[number]
    ]
    inputs = tuple(
        [field_input(field, text) for field, text in texts if utf16_length(text) <= INPUT_VALUE]
    )
    if not inputs:
        return None
    if filling.question:
        hints = {inputs[0].id: filling.question, **hints}
    inputs = tuple(
        [each.replace(about=clip(hints.get(each.id, ""), INPUT_ABOUT)) for each in inputs]
    )
    title = field_title(dialogs[number][0]) if len(inputs) == 1 else bare_text(filling.head)
    if filling.step is not None:
        title = say_bare(filling.step.title)
    return Modal(f"sg:fmm:{owner}:{draft_id}", clip(title, MODAL_TITLE), inputs)


def field_input(field: Field, value: str) -> Input:
    long, most, hint = isinstance(field, Many | Table), _LONGEST, ""
    if long:
        most = INPUT_VALUE
    elif isinstance(field, Typed):
        long, most = field.long, min(field.most, INPUT_VALUE)
    elif isinstance(field, Number):
        hint = f"{field.low} to {field.high}"
    hint = clip(say_bare(field.help) if field.help is not None else hint, INPUT_PLACEHOLDER)
    title = clip(field_title(field), INPUT_LABEL)
    return Input(
        field.key, title, value, hint, long, required=False, most=max(most, utf16_length(value))
    )


# --- problems -------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _entry_lines(entries_of: Callable[[str], list[str]], text: str) -> tuple[int, ...]:
    """Return the line of each entry, counted from 1. One text may have thousands of problems."""
    found: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        found += [number] * len(entries_of(line))
    return tuple(found)


def _place_of(path: str, fields: Mapping[str, Field], draft: Values) -> tuple[str, str]:
    """The key of the field a path leads to, and the path in words: `Abilities, line 4`."""
    found = _PATH.fullmatch(path)
    if found is None or found[1] not in fields:
        return "", path
    title = field_title(fields[found[1]])
    if found[2] is None:
        return found[1], title
    field, index = fields[found[1]], int(found[2])
    entries = field.entries if isinstance(field, Table) else list_lines
    lines = _entry_lines(entries, field_text(field, draft.get(found[1])))
    line = lines[index] if index < len(lines) else index + 1
    return found[1], say_bare(Text("form-line", {"field": title, "line": line}))


def _located_problem(
    problem: RulesError, fields: Mapping[str, Field], draft: Values
) -> tuple[str, str, RulesError]:
    """What is wrong as a panel says it: the key of its field, that in words, and the refusal."""
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


def _problem_texts(
    problems: Iterable[RulesError], filling: PanelForm, draft: Values, names: Names | None
) -> list[tuple[str, str]]:
    """Return what is wrong, each with the key of its field, in the order of the fields.

    What is about a step as a whole has the key of the step's first field.
    """
    form = filling.form
    of_steps = {step.key: step.form.keys[0] for step in filling.steps if step.form.keys}
    order = {key: number for number, key in enumerate(form.keys)}
    told: list[tuple[str, str]] = []
    for problem in problems:
        key, where, error = _located_problem(problem, form.by_key, draft)
        text = describe_error(error, names)
        if key:
            label, rest = user_text(where), text.removeprefix(user_text(where))
            own = rest.startswith(" ") and rest != text  # a sentence of which it is a part
            text = f"**{label}**{rest}" if own else f"**{label}:** {rest.removeprefix(':').strip()}"
        else:
            key = of_steps.get(where, "")
        told.append((key, text))
    return sorted(told, key=lambda each: order.get(each[0], len(order)))


def panel_error(error: RulesError, filling: PanelForm, draft: Values) -> RulesError:
    fields = filling.form.by_key
    if isinstance(error, Problems):
        told = [_located_problem(each, fields, draft)[2] for each in error.problems]
        return Problems(error.code, told, **error.params)
    return _located_problem(error, fields, draft)[2]


def _missing_fields(
    filling: PanelForm, draft: Values, problems: Sequence[RulesError]
) -> Mapping[str, RulesError]:
    """What is still to be chosen or typed, by field; nothing where something else is wrong
    as well.
    """
    fields = {field.key: field for _, field in filling.fields}
    found = {
        _place_of(str(each.params.get("field", "")), fields, draft)[0]: each for each in problems
    }
    blank = all(key and not field_text(fields[key], draft.get(key)).strip() for key in found)
    return {} if filling.steps or not blank else found


def missing_dialog(
    filling: PanelForm, draft: Values, error: RulesError
) -> tuple[int | None, Mapping[str, str]]:
    """Return the dialog in which missing values are typed, and what to say there.

    The dialog is None if there is none.
    """
    unsaid = _missing_fields(
        filling, draft, error.problems if isinstance(error, Problems) else (error,)
    )
    for number, fields in enumerate(_dialogs(filling)):
        if any(field.key in unsaid for field in fields):
            told = {
                key: bare_text(describe_error(panel_error(each, filling, draft)))
                for key, each in unsaid.items()
            }
            return number, told
    return None, {}


def draft_problems(filling: PanelForm, draft: Values) -> Sequence[RulesError]:
    """Everything that is wrong with a draft, also in what would come of it."""
    values, problems = filling.read_draft(draft)
    return problems or _try_preview(filling, values)[0]


def _try_preview(
    filling: PanelForm, values: Values
) -> tuple[Sequence[RulesError], tuple[Piece, ...]]:
    try:
        return (), filling.preview(values)
    except RulesError as error:
        return getattr(error, "problems", (error,)), filling.otherwise


def _problem_pieces(
    problems: Sequence[RulesError], filling: PanelForm, draft: Values, names: Names | None
) -> list[Piece]:
    """What is still to be filled in, and what is wrong with what is."""
    missing = [each for each in problems if each.code == "missing-field"]
    others = [each for each in problems if each.code != "missing-field"]
    lines = [text for _, text in _problem_texts(others, filling, draft, names)]
    if missing:
        places = (
            _place_of(str(each.params["field"]), filling.form.by_key, draft)[1] for each in missing
        )
        lines.insert(0, phrase("form-missing", fields=tuple(places)))
    return [Body(clip("\n".join(lines), 1500))] if lines else []


def _step_problem_pieces(
    filling: PanelForm, told: Sequence[tuple[str, str]], missing: Sequence[str], draft: Values
) -> list[Piece]:
    """Return what is wrong in one step of a form, or everywhere; what is missing comes first.

    In a step in which nothing stands yet, its problems are what is still to do.
    """
    step = filling.step
    keys = filling.form.keys if step is None else step.form.keys
    titles = [field_title(filling.form.by_key[key]) for key in missing if key in keys]
    texts = [text for key, text in told if step is None or key in keys]
    if titles:
        texts.insert(0, phrase("form-missing", fields=tuple(titles)))
    if not texts:
        return []
    if step is None:
        title = phrase("form-fix-all", count=len(told) + len(titles))
        return [Heading(title), Body(_clipped_list(texts, BODY - 500))]
    begun = any(str(draft.get(key) or "").strip() for key in keys)
    title = phrase("form-fix-step" if begun else "form-to-do")
    return [Heading(title), Body(_clipped_list(texts, _PROBLEMS_IN_STEP))]


def _warning_pieces(filling: PanelForm, warned: Sequence[tuple[str, str]]) -> list[Piece]:
    """Return the warnings of one step, or of everything, in small print."""
    step = filling.step
    texts = [text for key, text in warned if step is None or key in step.form.keys]
    if not texts:
        return []
    title = phrase("form-warnings", count=len(texts))
    return [SmallPrint(f"{title}\n{_clipped_list(texts, _PROBLEMS_IN_STEP)}")]


def _finding_menu(
    filling: PanelForm,
    base: str,
    at: Mapping[str, int],
    missing: Sequence[str],
    told: Sequence[tuple[str, str]],
    warned: Sequence[tuple[str, str]],
) -> tuple[tuple[Control, ...], ...]:
    """Return the menu that leads to the step of each finding: errors first, then warnings."""
    lacking = [
        (key, phrase("form-missing", fields=(field_title(filling.form.by_key[key]),)))
        for key in missing
    ]
    findings = [(False, *each) for each in (*lacking, *told)]
    findings += [(True, *each) for each in warned]
    entries: list[MenuEntry] = []
    for number, (warning, key, text) in enumerate(findings):
        for step in filling.steps:
            if key in step.form.keys:
                title = Text("form-finding", {"step": say_bare(step.title), "warning": warning})
                label = clip(say_bare(title), OPTION_TEXT)
                about = clip(bare_text(text.replace("**", "")), OPTION_TEXT)
                entries.append((Option(f"{number}.{step.key}", label, about), None))
                break
    if not entries:
        return ()
    shown = _page(entries, at.get(FINDING_MENU, 0), _FINDINGS + 1)
    menu = Menu(f"{base}:{FINDING_MENU}", label_text("form-go-to-finding"), shown)
    return ((menu.select,),)


def _missing_keys(filling: PanelForm, draft: Values, problems: Iterable[RulesError]) -> list[str]:
    """Return the needed fields of a form in steps in which nothing stands, in their order."""
    places = {str(problem.params.get("field", "")) for problem in problems}
    return [
        field.key
        for field in filling.form.fields
        if field.needed
        and field.key in places
        and not field_text(field, draft.get(field.key)).strip()
    ]


def _clipped_list(texts: Sequence[str], most: int) -> str:
    """As many of these lines as fit, and how many more there are."""
    shown, used = list[str](), -1
    for line in [f"- {text}" for text in texts]:
        used += utf16_length(line) + 1
        if shown and used > most - 30:
            break
        shown.append(line)
    more = len(texts) - len(shown)
    told = clip("\n".join(shown), most - 30)
    return f"{told}\n{say(Text('form-more-mistakes', {'count': more}))}" if more else told


# --- the panel ------------------------------------------------------------------------------------


def _rows_and_room(
    buttons: Sequence[Button], turns: Sequence[tuple[Control, ...]], wanted: int
) -> tuple[tuple[tuple[Control, ...], ...], int]:
    """Return the rows of buttons, and for how many menus there is room beside them.

    A row has three buttons as long as two rows hold them. All buttons stand in one row if that
    makes room for more of the `wanted` menus.
    """
    narrow = len(buttons) <= 2 * BUTTONS_PER_ROW
    rows = button_rows(buttons, BUTTONS_PER_ROW if narrow else ROW_BUTTONS)
    room = _room(rows, turns)
    if room < wanted and len(buttons) <= ROW_BUTTONS:
        rows = button_rows(buttons, ROW_BUTTONS)
        room = _room(rows, turns)
    return rows, room


def _fold_buttons(
    base: str, buttons: Sequence[Button], most: int, at: Mapping[str, int]
) -> tuple[list[Button], tuple[Menu, ...]]:
    """Return the buttons for which there is room, and a menu of the others.

    Only buttons that begin entries or open dialogs go into the menu, the last ones first.
    """
    foldable = [each for each in buttons if is_foldable(each.id.removeprefix(f"{base}:"))]
    over = len(buttons) - most
    folded = foldable[max(0, len(foldable) - over) :] if over > 0 else []
    if not folded:
        return [*buttons], ()
    entries: list[MenuEntry] = [
        (Option(each.id.removeprefix(f"{base}:"), each.label), None) for each in folded
    ]
    shown = _page(entries, at.get(FOLD_MENU, 0), SELECT_OPTIONS)
    menu = Menu(f"{base}:{FOLD_MENU}", label_text("form-folded"), shown)
    return [each for each in buttons if each not in folded], (menu,)


def is_foldable(control: str) -> bool:
    """Return whether a control is a button that may stand in a menu instead."""
    return _FOLDABLE.fullmatch(control) is not None


def _room(*taken: Sequence[tuple[Control, ...]]) -> int:
    return max(1, min(_MENUS, ROWS - sum(map(len, taken))))


def form_card(
    filling: PanelForm,
    owner: str,
    draft_id: str,
    draft: Values,
    *,
    page: int = 0,
    at: Mapping[str, int] | None = None,
    names: Names | None = None,
) -> Layout:
    """The panel: what it is about, what is chosen so far and what would come of it.

    `draft_id` is that of the draft, or `entry_draft_id` of an opened entry.

    Menus for which there is no room go on further pages: menus and rows of buttons are five
    together, so that the panel can be had as plain text as well.
    """
    base = f"sg:fm:{owner}:{draft_id}"
    values, faults = filling.read_draft(draft)
    problems: list[RulesError] = [*faults]
    step, head = filling.step, filling.head
    shown = filling.otherwise if problems and step is None else ()
    turns: tuple[tuple[Control, ...], ...] = ()
    told: Sequence[tuple[str, str]] = ()
    missing: Sequence[str] = ()
    if not problems and step is None:
        wrong_there, shown = _try_preview(filling, values)
        problems += wrong_there
    warned = _problem_texts(filling.warnings(draft, values), filling, draft, names)
    if filling.steps:
        missing = _missing_keys(filling, draft, problems)
        told = _problem_texts(
            (each for each in problems if str(each.params.get("field")) not in missing),
            filling,
            draft,
            names,
        )
        wrong = _step_problem_pieces(filling, told, missing, draft)
        state = phrase("form-state", finished=not problems)
        head = filling.headline or f"{head} · {state if step is None else say(step.title)}"
        steps = _step_menu(filling, base, draft, told, missing)
        turns = (*_stepper_menu(filling, base, draft, at or {}), *steps)
        if step is None:
            turns = _finding_menu(filling, base, at or {}, missing, told, warned)
    else:
        wrong = _problem_pieces(problems, filling, draft, names)
    wrong += _warning_pieces(filling, warned)
    if step is not None:
        shown = _effect_pieces(filling, step, draft)
    elif not problems and (left := _review_lines(filling, draft)):
        shown = (*shown, Body("\n".join(left)))
    wanted = {
        _place_of(str(each.params.get("field", "")), filling.form.by_key, draft)[0]
        for each in problems
    }
    all_menus = (
        *menus(filling, base, draft, at or {}, wanted),
        *_entry_menus(filling, base, draft, at or {}),
    )
    sound = not problems or bool(_missing_fields(filling, draft, problems))
    buttons = _stepper_buttons(filling, base, draft, at or {})
    buttons += _buttons(filling, base, {*missing, *(key for key, _ in told)}, sound=sound)
    # One row is for a menu, and one button for further menus.
    most = (ROWS - len(turns) - 1) * ROW_BUTTONS - 1
    buttons, folded = _fold_buttons(base, buttons, most, at or {})
    all_menus = (*folded, *all_menus)
    rows, room = _rows_and_room(buttons, turns, len(all_menus))
    pages = -(-len(all_menus) // room)
    if pages > 1:
        at_page = page % pages
        turn = Button(f"{base}:p", _more_label(at_page, pages))
        rows, room = _rows_and_room([*buttons[:-1], turn, buttons[-1]], turns, len(all_menus))
        pages = -(-len(all_menus) // room)
        at_page = page % pages
        turn = Button(f"{base}:p", _more_label(at_page, pages))
        rows, _ = _rows_and_room([*buttons[:-1], turn, buttons[-1]], turns, len(all_menus))
    start = (page % pages) * room if pages else 0
    selects = tuple([(each.select,) for each in all_menus[start : start + room]])
    pieces: list[Piece] = [Head(clip(head, HEAD)), *filling.before, *_typed_pieces(filling, draft)]
    pieces += rows_of(selects)
    pieces += shown
    pieces += [Gap(), *wrong] if wrong else ()
    pieces += rows_of((*turns, *rows))
    if filling.small:
        pieces.append(SmallPrint(filling.small))
    return Layout(filling.accent, tuple(pieces))


def _effect_pieces(filling: PanelForm, step: Page, draft: Values) -> tuple[Piece, ...]:
    """Return what follows from the fields of a step without a heading of its own."""
    game = filling.asking.game
    lines = [say(line) for line in draft_effects(game, step, draft)]
    if not lines or draft_head(game, step, draft) is not None:
        return ()
    return (Heading(phrase("form-effects")), Body(clip("\n".join(lines), _SHOWN_IN_STEP)))


def _review_lines(filling: PanelForm, draft: Values) -> list[str]:
    """Return what the last look repeats, such as the points that are left.

    That is what every step tells; if there is none, the points that each step holds.
    """
    game = filling.asking.game
    effects = [[say(line) for line in draft_effects(game, step, draft)] for step in filling.steps]
    if effects:
        common = [line for line in effects[0] if all(line in lines for lines in effects)]
        if common:
            return common
    holdings = (line for step in filling.steps for line in draft_holdings(game, step, draft))
    points = (say(line) for line in holdings if "left" in line.params)
    return [*dict.fromkeys(points)]


def discarding_card(
    owner: str, draft_id: str, step: str, control: str, label: str | None = None
) -> Layout:
    """Asks once before something is lost that was typed; `control` is what was pressed, `step`
    where it goes on.
    """
    base = f"sg:fm:{owner}:{draft_id}"
    rows = (
        (
            Button(f"{base}:g:{step}", label_text("form-keep"), "primary"),
            Button(f"{base}:y:{control}", label or label_text("form-discard"), "danger"),
        ),
    )
    return card("waiting", "discarding", None, rows=rows)


def _step_menu(
    filling: PanelForm,
    base: str,
    draft: Values,
    told: Sequence[tuple[str, str]],
    missing: Collection[str],
) -> tuple[tuple[Control, ...], ...]:
    """Return the menu of all steps, with what each holds and lacks; none in the last look."""
    if filling.step is None:
        return ()
    options: list[Option] = []
    for number, step in enumerate(filling.steps, 1):
        label = f"{number}. {say_bare(step.title)}"
        short = draft_state(filling.asking.game, step, draft)
        label = clip(label if short is None else f"{label} · {say_bare(short)}", OPTION_TEXT)
        state = clip(_step_state(filling, step, draft, told, missing), OPTION_TEXT)
        options.append(Option(step.key, label, state, step is filling.step))
    return ((Select(f"{base}:g", label_text("form-go-to-step"), tuple(options)),),)


def _step_state(
    filling: PanelForm,
    step: Page,
    draft: Values,
    told: Sequence[tuple[str, str]],
    missing: Collection[str],
) -> str:
    """Return what a step holds: its numbers, or the names of the fields that are filled in."""
    lacking = [field_title(field) for field in step.form.fields if field.key in missing]
    filled = [
        field_title(field) for field in step.form.fields if str(draft.get(field.key) or "").strip()
    ]
    held = [say_bare(line) for line in draft_holdings(filling.asking.game, step, draft)]
    wrong = sum(1 for key, _ in told if key in step.form.keys)
    shown = {"lacking": tuple(lacking), "filled": tuple(filled), "wrong": wrong}
    return say_bare(Text("form-step-holds", {"held": held[0] if held else None, **shown}))


def _buttons(filling: PanelForm, base: str, wrong: Set[str], *, sound: bool) -> list[Button]:
    """Return the buttons of a panel: send, dialogs, steps, and leave, in this order.

    The way back from the last look leads to the first step with a field that is `wrong`.
    """
    step, steps = filling.step, filling.steps
    found = [
        Button(
            f"{base}:b:{each.value}", each.label, each.style, disabled=not (sound or each.always)
        )
        for each in filling.sends
        if step is None
    ]
    found += _entry_buttons(filling, base)
    dialogs = _dialogs(filling)
    for number, fields in enumerate(dialogs):
        label = _dialog_label(fields)
        opens = all(isinstance(field, Table) and field.row is not None for field in fields)
        if opens and step is None:
            label = label_text("form-type-entries")
        elif len(dialogs) == 1 and (step is not None or len(fields) > 1):
            label = label_text("form-write")
        found.append(Button(f"{base}:w{number}", label, "secondary" if step is None else "primary"))
    if step is None:
        to_mend = [each for each in steps if not wrong.isdisjoint(each.form.keys)]
        found += [
            Button(f"{base}:g:{each.key}", label_text("form-back"))
            for each in (to_mend or steps)[:1]
        ]
    else:
        after = steps[steps.index(step) + 1 :]
        found += [Button(f"{base}:g:{each.key}", label_text("form-next")) for each in after[:1]]
        found.append(Button(f"{base}:g:{REVIEW_STEP}", label_text("form-review")))
    if filling.complete is not None and (step is not None or not sound):
        found.append(Button(f"{base}:m", label_text("form-complete")))
    cancel = filling.cancel or label_text("form-cancel")
    found.append(Button(f"{base}:x", cancel, "danger" if steps else "secondary"))
    return found


def _dialog_label(fields: Sequence[Field]) -> str:
    """Return the label of the button of a dialog: as many of its fields as a phone shows."""
    label = clip_label(field_title(fields[0]), _BUTTON - 1)
    for field in fields[1:]:
        longer = f"{label}, {field_title(field)[:1].lower()}{field_title(field)[1:]}"
        if utf16_length(longer) >= _BUTTON:
            break
        label = longer
    return f"{label.removesuffix('…')}…"


def _head_pieces(filling: PanelForm, step: Page, draft: Values) -> list[Piece]:
    """Return the heading of a step with what follows from its fields; nothing without one."""
    game = filling.asking.game
    head = draft_head(game, step, draft)
    if head is None:
        return []
    lines = [say(line) for line in draft_effects(game, step, draft)]
    body = [Body(clip("\n".join(lines), _SHOWN_IN_STEP))] if lines else []
    return [Heading(say(head)), *body]


def _entry_words(field: Table, asking: FormContext, text: str) -> list[str]:
    """Return the entries of a text as a list shows them."""
    found: list[str] = []
    lines = field.entries(text)
    for line, told in zip(lines, field.tells(asking, lines), strict=True):
        found.append(clip(user_text(line) if told is None else say(told), _ENTRY_LINE))
    return found


def _typed_pieces(filling: PanelForm, draft: Values) -> list[Piece]:
    """Return the typed values, a line each; in a step, the empty fields too.

    Neighboring fields with the same text share one line. Below a heading, stepped fields stand in
    what follows from them.
    """
    fields, step = typed_fields(filling), filling.step
    found: list[Piece] = []
    most = _SHOWN
    if step is not None:
        at = filling.steps.index(step) + 1
        title = say_bare(step.title) if filling.headline else None
        place = phrase("form-step-place", at=at, of=len(filling.steps), title=title)
        about = [] if step.about is None else [say(step.about)]
        found.append(Body(" ".join((place, *about))))
        if heading := _head_pieces(filling, step, draft):
            found += heading
            stepped = stepped_fields(filling)
            fields = [field for field in fields if field not in stepped]
        most = min(_SHOWN_IN_STEP, _SHOWN_IN_ALL // max(1, len(fields)))
    empty, known = list[str](), ""
    for field in fields:
        text = field_text(field, draft.get(field.key), filling.asking).strip()
        offered = (
            [str(value) for value, _ in field.choices_for(filling.asking)]
            if isinstance(field, Typed | Pick | Number)
            else ()
        )
        if text and text not in offered:
            listed = isinstance(field, Table) and field.row is not None
            if isinstance(field, Table) and listed:
                told = "\n".join(_entry_words(field, filling.asking, text))
            else:
                told = user_text(text, lines=True)
            between = "\n" if "\n" in text or listed else " "
            told = clip(told, most)
            found.append(Body(f"**{field_title(field)}:**{between}{told}"))
            empty = []
        elif step is not None and not text:
            hint = "" if field.help is None else say(field.help)
            if empty and hint == known:
                found.pop()
            else:
                empty = []
            empty, known = [*empty, field_title(field)], hint
            shown = {"fields": tuple(empty), "hint": Markdown(hint) or None}
            found.append(Body(phrase("form-empty", **shown)))
    return found
