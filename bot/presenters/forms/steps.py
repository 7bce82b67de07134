"""Steps of a form: their menu and state, number fields with stepping buttons, and the review."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from bot.presenters.control_limits import menu_entry
from bot.presenters.controls import Button, Option, Rows, Select
from bot.presenters.forms.menus import Menu, MenuEntry, menu_page
from bot.presenters.forms.panel_form import PanelForm, draft_value, field_title
from bot.presenters.language.limits import OPTION_TEXT, PLACEHOLDER, SELECT_OPTIONS, clip
from bot.presenters.language.text import bare_text
from bot.presenters.language.words import label_text, phrase, say, say_bare
from bot.presenters.layout import Body, Heading, Piece
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.fields import Number
from rules.table.people.sheets import draft_effects, draft_head, draft_holdings, draft_state
from rules.table.system import Page

#: Ends of the ids of the menu of stepped fields, and of the buttons that step one.
STEPPER_MENU: Final = "t"
STEPPER_BUTTON: Final = "u"
#: End of the id of the menu that leads to the findings of the review.
FINDING_MENU: Final = "h"
#: Most findings on a page of that menu.
_FINDINGS: Final = 5
#: Most letters of one text of a step.
STEP_TEXT_LENGTH: Final = 600


# --- stepped fields -------------------------------------------------------------------------------


def stepped_fields(filling: PanelForm) -> tuple[Number, ...]:
    """Return the number fields of the shown step that buttons step up and down."""
    step = filling.step
    if step is None:
        return ()
    shown = {field.key: field for _, field in filling.fields}
    fields = (shown.get(key) for key in step.steppers)
    return tuple(field for field in fields if isinstance(field, Number))


def stepped_number(filling: PanelForm, field: Number, draft: Values) -> int:
    """Return the number of a stepped field, or what counts where none is filled in."""
    value = draft_value(field, draft.get(field.key))
    if isinstance(value, int):
        return value
    default = field.low if field.default is None else int(field.default)
    return default if filling.step is None else filling.step.starts.get(field.key, default)


def stepper_menu(filling: PanelForm, base: str, draft: Values, at: Mapping[str, int]) -> Rows:
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


def stepper_buttons(
    filling: PanelForm, base: str, draft: Values, at: Mapping[str, int]
) -> list[Button]:
    """Return the buttons that step the chosen field down and up."""
    fields = stepped_fields(filling)
    if not fields:
        return []
    field = fields[at.get(STEPPER_MENU, 0) % len(fields)]
    number = stepped_number(filling, field, draft)
    buttons: list[Button] = []
    for by in (-1, 1):
        label = label_text("form-step-by", n=by)
        disabled = not field.low <= number + by <= field.high
        buttons.append(Button(f"{base}:{STEPPER_BUTTON}:{by}", label, disabled=disabled))
    return buttons


# --- the menu of steps ----------------------------------------------------------------------------


def step_menu(
    filling: PanelForm,
    base: str,
    draft: Values,
    texts: Sequence[tuple[str, str]],
    missing: Collection[str],
) -> Rows:
    """Return the menu of all steps, with what each holds and lacks; none in the review."""
    if filling.step is None:
        return ()
    options: list[Option] = []
    for number, step in enumerate(filling.steps, 1):
        label = f"{number}. {say_bare(step.title)}"
        short = draft_state(filling.asking.game, step, draft)
        if short is not None:
            label = f"{label} · {say_bare(short)}"
        state = clip(_step_state(filling, step, draft, texts, missing), OPTION_TEXT)
        options.append(Option(step.key, clip(label, OPTION_TEXT), state, step is filling.step))
    return ((Select(f"{base}:g", label_text("form-go-to-step"), tuple(options)),),)


def _step_state(
    filling: PanelForm,
    step: Page,
    draft: Values,
    texts: Sequence[tuple[str, str]],
    missing: Collection[str],
) -> str:
    """Return what a step holds: its numbers, or the names of the fields that are filled in."""
    lacking: list[str] = []
    filled: list[str] = []
    for field in step.form.fields:
        if field.key in missing:
            lacking.append(field_title(field))
        if str(draft.get(field.key) or "").strip():
            filled.append(field_title(field))
    held = [say_bare(line) for line in draft_holdings(filling.asking.game, step, draft)]
    wrong = sum(1 for key, _ in texts if key in step.form.keys)
    shown = {"lacking": tuple(lacking), "filled": tuple(filled), "wrong": wrong}
    return say_bare(Text("form-step-holds", {"held": held[0] if held else None, **shown}))


# --- what follows from a step ---------------------------------------------------------------------


def effect_pieces(filling: PanelForm, step: Page, draft: Values) -> tuple[Piece, ...]:
    """Return what follows from the fields of a step without a heading of its own."""
    game = filling.asking.game
    lines = [say(line) for line in draft_effects(game, step, draft)]
    if not lines or draft_head(game, step, draft) is not None:
        return ()
    return (Heading(phrase("form-effects")), Body(clip("\n".join(lines), STEP_TEXT_LENGTH)))


def head_pieces(filling: PanelForm, step: Page, draft: Values) -> list[Piece]:
    """Return the heading of a step with what follows from its fields; nothing without one."""
    game = filling.asking.game
    head = draft_head(game, step, draft)
    if head is None:
        return []
    lines = [say(line) for line in draft_effects(game, step, draft)]
    body = [Body(clip("\n".join(lines), STEP_TEXT_LENGTH))] if lines else []
    return [Heading(say(head)), *body]


# --- the review -----------------------------------------------------------------------------------


def finding_menu(
    filling: PanelForm,
    base: str,
    at: Mapping[str, int],
    missing: Sequence[str],
    texts: Sequence[tuple[str, str]],
    warnings: Sequence[tuple[str, str]],
) -> Rows:
    """Return the menu that leads to the step of each finding: errors first, then warnings."""
    findings: list[tuple[bool, str, str]] = []
    for key in missing:
        title = field_title(filling.form.by_key[key])
        findings.append((False, key, phrase("form-missing", fields=(title,))))
    findings += [(False, *pair) for pair in texts]
    findings += [(True, *pair) for pair in warnings]
    entries: list[MenuEntry] = []
    for number, (warning, key, text) in enumerate(findings):
        step = next((step for step in filling.steps if key in step.form.keys), None)
        if step is not None:
            label = Text("form-finding", {"step": say_bare(step.title), "warning": warning})
            about = clip(bare_text(text.replace("**", "")), OPTION_TEXT)
            token = f"{number}.{step.key}"
            entries.append((Option(token, clip(say_bare(label), OPTION_TEXT), about), None))
    if not entries:
        return ()
    page = menu_page(entries, at.get(FINDING_MENU, 0), _FINDINGS + 1)
    menu = Menu(f"{base}:{FINDING_MENU}", label_text("form-go-to-finding"), page)
    return ((menu.select,),)


def review_lines(filling: PanelForm, draft: Values) -> list[str]:
    """Return what the review repeats, such as the points that are left.

    That is what every step tells; if there is none, the points that each step holds.
    """
    game = filling.asking.game
    effects = [[say(line) for line in draft_effects(game, step, draft)] for step in filling.steps]
    if effects:
        common = [line for line in effects[0] if all(line in lines for lines in effects)]
        if common:
            return common
    points: dict[str, None] = {}
    for step in filling.steps:
        for line in draft_holdings(game, step, draft):
            if "left" in line.params:
                points[say(line)] = None
    return [*points]
