"""The panel of a form: what was filled in, its menus, problems and buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.controls import BUTTONS_PER_ROW, Button, Rows, button_rows
from bot.presenters.forms.dialogs import dialog_label, form_dialogs, typed_fields
from bot.presenters.forms.menus import (
    Menu,
    entry_buttons,
    entry_menus,
    fold_buttons,
    menus,
    more_label,
)
from bot.presenters.forms.panel_form import REVIEW_STEP, PanelForm, field_text, field_title
from bot.presenters.forms.problems import (
    missing_fields,
    missing_keys,
    problem_key,
    problem_pieces,
    problem_texts,
    step_problem_pieces,
    try_preview,
    warning_pieces,
)
from bot.presenters.forms.steps import (
    STEP_TEXT_LENGTH,
    effect_pieces,
    finding_menu,
    head_pieces,
    review_lines,
    step_menu,
    stepped_fields,
    stepper_buttons,
    stepper_menu,
)
from bot.presenters.language.limits import HEAD, ROW_BUTTONS, ROWS, clip
from bot.presenters.language.text import Markdown, Names, user_text
from bot.presenters.language.words import label_text, phrase, say, say_bare
from bot.presenters.layout import Body, Gap, Head, Layout, Piece, SmallPrint, rows_of
from rules.core.errors import RulesError
from rules.core.record import Record
from rules.table.check import Values
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import FormContext, Number, Pick, Typed
from rules.table.forms.form import Field
from rules.table.system import Page

#: Most menus below one another.
_MENUS: Final = 4
#: Most letters of an entry in a list.
_ENTRY_LENGTH: Final = 120
#: Most letters of a typed field in a form without steps.
_TEXT_LENGTH: Final = 300
#: Most letters of all typed fields of a step together.
_STEP_LENGTH: Final = 2100


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
    """Return the panel: what it is about, what is chosen so far and what would come of it.

    `draft_id` is that of the draft, or `entry_draft_id` of an opened entry. `at` are the pages of
    long menus.

    Menus for which there is no room go on further pages: menus and rows of buttons are five
    together, so that the panel can be had as plain text as well.
    """
    at = at or {}
    base = f"sg:fm:{owner}:{draft_id}"
    findings = _examine(filling, draft, names)
    problems = findings.problems
    if filling.steps:
        wrong = step_problem_pieces(filling, findings.texts, findings.missing, draft)
    else:
        wrong = problem_pieces(problems, filling, draft, names)
    wrong += warning_pieces(filling, findings.warnings)

    wanted = {problem_key(problem, filling.form.by_key, draft) for problem in problems}
    all_menus = (
        *menus(filling, base, draft, at, wanted),
        *entry_menus(filling, base, draft, at),
    )
    turns = _step_rows(filling, base, draft, at, findings)
    sound = not problems or bool(missing_fields(filling, draft, problems))
    wrong_keys = {*findings.missing, *(key for key, _ in findings.texts)}
    buttons = stepper_buttons(filling, base, draft, at)
    buttons += _buttons(filling, base, wrong_keys, sound=sound)
    # One row is for a menu, and one button for further menus.
    most = (ROWS - len(turns) - 1) * ROW_BUTTONS - 1
    buttons, folded = fold_buttons(base, buttons, most, at)
    selects, rows = _menus_and_rows(base, (*folded, *all_menus), buttons, turns, page)

    head = clip(_headline(filling, finished=not problems), HEAD)
    pieces: list[Piece] = [Head(head), *filling.before, *_typed_pieces(filling, draft)]
    pieces += rows_of(selects)
    pieces += findings.shown
    pieces += [Gap(), *wrong] if wrong else ()
    pieces += rows_of((*turns, *rows))
    if filling.small:
        pieces.append(SmallPrint(filling.small))
    return Layout(filling.accent, tuple(pieces))


class _Findings(Record):
    """Results of reading a draft."""

    problems: tuple[RulesError, ...]
    #: Texts of the problems of a form in steps, each with the key of its field.
    texts: Sequence[tuple[str, str]]
    #: Keys of the empty fields that a form in steps needs.
    missing: Sequence[str]
    #: Texts of the warnings, each with the key of its field.
    warnings: Sequence[tuple[str, str]]
    #: What would come of the draft, or follows from the fields of the step.
    shown: tuple[Piece, ...]


def _examine(filling: PanelForm, draft: Values, names: Names | None) -> _Findings:
    """Read a draft, and return what is wrong with it and what would come of it."""
    values, faults = filling.read_draft(draft)
    problems: list[RulesError] = [*faults]
    if filling.step is not None:
        shown = effect_pieces(filling, filling.step, draft)
    elif problems:
        shown = filling.otherwise
    else:
        preview_problems, shown = try_preview(filling, values)
        problems += preview_problems
        if not problems and (review := review_lines(filling, draft)):
            shown = (*shown, Body("\n".join(review)))
    warnings = problem_texts(filling.warnings(draft, values), filling, draft, names)
    if not filling.steps:
        return _Findings(tuple(problems), (), (), warnings, shown)
    missing = missing_keys(filling, draft, problems)
    others = (problem for problem in problems if str(problem.params.get("field")) not in missing)
    texts = problem_texts(others, filling, draft, names)
    return _Findings(tuple(problems), texts, missing, warnings, shown)


def _headline(filling: PanelForm, *, finished: bool) -> str:
    """Return the head of the panel; in a form in steps with the step, or with its state."""
    if not filling.steps:
        return filling.head
    if filling.headline:
        return filling.headline
    if filling.step is not None:
        return f"{filling.head} · {say(filling.step.title)}"
    return f"{filling.head} · {phrase('form-state', finished=finished)}"


def _step_rows(
    filling: PanelForm, base: str, draft: Values, at: Mapping[str, int], findings: _Findings
) -> Rows:
    """Return the menus that lead through a form in steps; none for any other form."""
    texts, missing = findings.texts, findings.missing
    if not filling.steps:
        return ()
    if filling.step is None:
        return finding_menu(filling, base, at, missing, texts, findings.warnings)
    return (
        *stepper_menu(filling, base, draft, at),
        *step_menu(filling, base, draft, texts, missing),
    )


def discarding_card(
    owner: str, draft_id: str, step: str, control: str, label: str | None = None
) -> Layout:
    """Return the question before something typed is lost.

    `control` is the button that was pressed, `step` where the form goes on.
    """
    base = f"sg:fm:{owner}:{draft_id}"
    rows = (
        (
            Button(f"{base}:g:{step}", label_text("form-keep"), "primary"),
            Button(f"{base}:y:{control}", label or label_text("form-discard"), "danger"),
        ),
    )
    return card("waiting", "discarding", None, rows=rows)


# --- room for menus and buttons -------------------------------------------------------------------


def _menus_and_rows(
    base: str, all_menus: Sequence[Menu], buttons: Sequence[Button], turns: Rows, page: int
) -> tuple[Rows, Rows]:
    """Return the menus of a page and the rows of buttons.

    If there are several pages, the button before the last turns them.
    """
    count = len(all_menus)
    rows, room = _rows_and_room(buttons, turns, count)
    pages = -(-count // room)
    if pages > 1:
        # The button may take the room of a menu, and then there is a page more.
        turn = Button(f"{base}:p", more_label(page % pages, pages))
        _, room = _rows_and_room([*buttons[:-1], turn, buttons[-1]], turns, count)
        pages = -(-count // room)
        turn = Button(f"{base}:p", more_label(page % pages, pages))
        rows, _ = _rows_and_room([*buttons[:-1], turn, buttons[-1]], turns, count)
    start = (page % pages) * room if pages else 0
    selects = tuple((menu.select,) for menu in all_menus[start : start + room])
    return selects, rows


def _rows_and_room(buttons: Sequence[Button], turns: Rows, wanted: int) -> tuple[Rows, int]:
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


def _room(*taken: Rows) -> int:
    """Return how many menus fit beside these rows."""
    return max(1, min(_MENUS, ROWS - sum(map(len, taken))))


# --- buttons --------------------------------------------------------------------------------------


def _buttons(filling: PanelForm, base: str, wrong: Set[str], *, sound: bool) -> list[Button]:
    """Return the buttons of a panel: send, dialogs, steps, and leave, in this order.

    The way back from the review leads to the first step with a field that is `wrong`.
    """
    step = filling.step
    buttons: list[Button] = []
    if step is None:
        for send in filling.sends:
            disabled = not (sound or send.always)
            id = f"{base}:b:{send.value}"
            buttons.append(Button(id, send.label, send.style, disabled=disabled))
    buttons += entry_buttons(filling, base)
    buttons += _dialog_buttons(filling, base)
    buttons += _step_buttons(filling, base, wrong)
    if filling.complete is not None and (step is not None or not sound):
        buttons.append(Button(f"{base}:m", label_text("form-complete")))
    cancel = filling.cancel or label_text("form-cancel")
    buttons.append(Button(f"{base}:x", cancel, "danger" if filling.steps else "secondary"))
    return buttons


def _dialog_buttons(filling: PanelForm, base: str) -> list[Button]:
    """Return the buttons that open dialogs."""
    in_step = filling.step is not None
    dialogs = form_dialogs(filling)
    buttons: list[Button] = []
    for number, fields in enumerate(dialogs):
        label = dialog_label(fields)
        only_entries = all(isinstance(field, Table) and field.row is not None for field in fields)
        if only_entries and not in_step:
            label = label_text("form-type-entries")
        elif len(dialogs) == 1 and (in_step or len(fields) > 1):
            label = label_text("form-write")
        buttons.append(Button(f"{base}:w{number}", label, "primary" if in_step else "secondary"))
    return buttons


def _step_buttons(filling: PanelForm, base: str, wrong: Set[str]) -> list[Button]:
    """Return the buttons that lead to other steps and to the review."""
    step, steps = filling.step, filling.steps
    buttons: list[Button] = []
    if step is not None:
        following = steps.index(step) + 1
        if following < len(steps):
            buttons.append(Button(f"{base}:g:{steps[following].key}", label_text("form-next")))
        buttons.append(Button(f"{base}:g:{REVIEW_STEP}", label_text("form-review")))
    elif steps:
        to_mend = [page for page in steps if not wrong.isdisjoint(page.form.keys)]
        back = to_mend[0] if to_mend else steps[0]
        buttons.append(Button(f"{base}:g:{back.key}", label_text("form-back")))
    return buttons


# --- typed values ---------------------------------------------------------------------------------


def _typed_pieces(filling: PanelForm, draft: Values) -> list[Piece]:
    """Return the typed values, a line each; in a step, the empty fields too.

    Neighboring fields with the same text share one line. Below a heading, stepped fields stand in
    what follows from them.
    """
    fields, step = typed_fields(filling), filling.step
    pieces: list[Piece] = []
    most = _TEXT_LENGTH
    if step is not None:
        pieces.append(_step_place(filling, step))
        if heading := head_pieces(filling, step, draft):
            pieces += heading
            stepped = stepped_fields(filling)
            fields = tuple(field for field in fields if field not in stepped)
        most = min(STEP_TEXT_LENGTH, _STEP_LENGTH // max(1, len(fields)))
    # Neighboring empty fields with the same hint.
    empty: list[str] = []
    known_hint = ""
    for field in fields:
        text = field_text(field, draft.get(field.key), filling.asking).strip()
        if text and text not in _offered_values(field, filling.asking):
            pieces.append(Body(_typed_line(field, filling.asking, text, most)))
            empty = []
        elif step is not None and not text:
            hint = "" if field.help is None else say(field.help)
            if empty and hint == known_hint:
                pieces.pop()
            else:
                empty = []
            empty, known_hint = [*empty, field_title(field)], hint
            shown = {"fields": tuple(empty), "hint": Markdown(hint) or None}
            pieces.append(Body(phrase("form-empty", **shown)))
    return pieces


def _step_place(filling: PanelForm, step: Page) -> Body:
    """Return which step of how many this is, and what it is about."""
    number = filling.steps.index(step) + 1
    title = say_bare(step.title) if filling.headline else None
    line = phrase("form-step-place", at=number, of=len(filling.steps), title=title)
    return Body(line if step.about is None else f"{line} {say(step.about)}")


def _offered_values(field: Field, asking: FormContext) -> Sequence[str]:
    """Return the values of a field that its menu shows already."""
    if isinstance(field, Typed | Pick | Number):
        return [str(value) for value, _ in field.choices_for(asking)]
    return ()


def _typed_line(field: Field, asking: FormContext, text: str, most: int) -> str:
    """Return the typed text of a field with its title; a list of entries stands below the title."""
    if isinstance(field, Table) and field.row is not None:
        between, shown = "\n", "\n".join(_entry_texts(field, asking, text))
    else:
        between = "\n" if "\n" in text else " "
        shown = user_text(text, lines=True)
    return f"**{field_title(field)}:**{between}{clip(shown, most)}"


def _entry_texts(field: Table, asking: FormContext, text: str) -> list[str]:
    """Return the entries of a text as a list shows them."""
    lines = field.entries(text)
    texts: list[str] = []
    for line, entry in zip(lines, field.tells(asking, lines), strict=True):
        texts.append(clip(user_text(line) if entry is None else say(entry), _ENTRY_LENGTH))
    return texts
