"""The panel in which a character is made or changed, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.presenters.blocks import lines_of
from bot.presenters.controls import Button, Input, Modal, Option, Select
from bot.presenters.forms import inputs_of, title_of
from bot.presenters.layout import Body, Gap, Heading, Layout, Piece, Row, Small, laid, rows_of
from bot.presenters.limits import BODY, MODAL_TITLE, OPTION_TEXT, SELECT_OPTIONS, clip, pages, size
from bot.presenters.npc import sheet_top
from bot.presenters.text import bare_text, name_text, plural, user_text
from bot.presenters.words import say, say_bare
from rules.table import forms
from rules.table.blocks import Block
from rules.table.events import Line
from rules.table.system import Page

#: How much of one text is shown, and of all of a step: the rest of a message needs room too.
_SHOWN = 600
_SHOWN_IN_ALL = 2100
_KEPT = "Only you see this panel. What you write is kept for 30 days."


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft as the panel shows it. `edits` names who is changed, None for somebody new; `send` is the last button.

    `problems` are (key of the field, what is wrong with it) in the order of the steps.
    """

    draft: str
    steps: tuple[Page, ...]
    values: Mapping[str, str]
    problems: tuple[tuple[str, str], ...] = ()
    lines: tuple[Line, ...] = ()
    edits: str | None = None
    send: str = "Send"

    @property
    def heading(self) -> str:
        """Whom it is about."""
        return name_text(self.edits or self.values.get("name", "") or "A new character")


def _in_step(form: Drafted, step: Page) -> list[str]:
    keys = {field.key for field in step.form.fields}
    return [text for key, text in form.problems if key in keys]


def _step_option(form: Drafted, number: int, step: Page, *, current: bool) -> Option:
    filled = sum(1 for field in step.form.fields if form.values.get(field.key, "").strip())
    wrong = len(_in_step(form, step))
    state = f"{filled} of {plural(len(step.form.fields), 'field')} filled"
    if wrong:
        state += f", {wrong} to mend"
    return Option(step.key, clip(f"{number}. {say_bare(step.title)}", OPTION_TEXT), state, current)


def _field(form: Drafted, field: forms.Field, most: int) -> tuple[Piece, ...]:
    value = form.values.get(field.key, "").strip()
    hint = f"Nothing yet. {say(field.help)}" if field.help is not None else "Nothing yet."
    told = clip(user_text(value, lines=True), most) if value else hint
    return Heading(title_of(field)), Body(told)


def _listed(texts: Sequence[str], most: int) -> str:
    """As many of these lines as fit, and how many more there are."""
    shown = [f"- {text}" for text in texts]
    while len(shown) > 1 and size("\n".join(shown)) > most - 30:
        shown.pop()
    more = len(texts) - len(shown)
    return clip("\n".join(shown), most - 30) + (f"\nAnd {more} more." if more else "")


def step_card(form: Drafted, key: str) -> Layout:
    """One step: what is filled, what follows from it, and what is wrong."""
    base = f"sg:cr:{form.draft}"
    index = next((number for number, step in enumerate(form.steps) if step.key == key), 0)
    step = form.steps[index]
    most = min(_SHOWN, _SHOWN_IN_ALL // len(step.form.fields))
    pieces: list[str | Piece] = [f"Step {index + 1} of {len(form.steps)}."]
    for field in step.form.fields:
        pieces += _field(form, field, most)
    if form.lines:
        pieces += [Heading("What follows from it"), clip("\n".join(map(say, form.lines)), _SHOWN)]
    wrong = _in_step(form, step)
    if wrong:
        pieces += [Heading("To mend here"), _listed(wrong, _SHOWN)]
    buttons = [Button(f"{base}:write:{step.key}", "Write…", "primary")]
    if index + 1 < len(form.steps):
        buttons.append(Button(f"{base}:next", "Next step"))
    buttons.append(Button(f"{base}:review", "Look it over"))
    buttons.append(Button(f"{base}:drop", "Throw away", "danger"))
    options = tuple(
        _step_option(form, number, each, current=each is step) for number, each in enumerate(form.steps, 1)
    )
    return laid(
        "own",
        f"{form.heading} · {say(step.title)}",
        *pieces,
        small=_KEPT,
        rows=((Select(f"{base}:step", "Go to a step", options),), tuple(buttons)),
    )


def _shown(sheet: Sequence[Block]) -> Body:
    """As much of a sheet as one message holds: a panel stays one."""
    texts = pages(lines_of(sheet), BODY - 400) or [""]
    return Body(texts[0] + ("\n…" if texts[1:] else ""))


def review_card(form: Drafted, sheet: Sequence[Block], portrait: str = "") -> Layout:
    """The finished sheet, or everything that is to be mended first."""
    base = f"sg:cr:{form.draft}"
    title = f"{form.heading} · {'not finished' if form.problems else 'finished'}"
    pieces = sheet_top(title, "" if form.problems else portrait, ())
    if form.problems:
        many = "1 thing is" if len(form.problems) == 1 else f"{len(form.problems)} things are"
        texts = [text for _, text in form.problems]
        pieces.append(Body(f"{many} to mend first:\n{_listed(texts, BODY - 500)}"))
    else:
        pieces.append(_shown(sheet))
    buttons = (
        Button(f"{base}:send", form.send, "success", disabled=bool(form.problems)),
        Button(f"{base}:back", "Back to the steps"),
        Button(f"{base}:drop", "Throw away", "danger"),
    )
    return Layout("own", (*pieces, Gap(), Small(_KEPT), Row(buttons)))


def _roster_select(draft: str, roster: Sequence[Mapping[str, object]], pick: int | None) -> Select:
    return Select(
        f"sg:cr:{draft}:pick",
        "A ready character",
        tuple(
            Option(
                str(number),
                clip(bare_text(str(each["name"])), OPTION_TEXT),
                clip(bare_text(str(each.get("role", ""))), OPTION_TEXT),
                number == pick,
            )
            for number, each in enumerate(roster[:SELECT_OPTIONS])
        ),
    )


def home_card(draft: str, roster: Sequence[Mapping[str, object]], begun: str | None) -> Layout:
    """The two ways to a character. `begun` is the name in a saved draft, None without one."""
    base = f"sg:cr:{draft}"
    lines = []
    if roster:
        lines.append("Choose a ready character from the list to look at them, or make your own step by step.")
    else:
        lines.append("Make your own character step by step.")
    if begun is None:
        buttons = [Button(f"{base}:begin", "Make your own", "primary")]
    else:
        who = f"the draft of {name_text(begun)}" if begun else "a draft without a name yet"
        lines.append(f"There is {who}: go on with it, or begin anew.")
        buttons = [
            Button(f"{base}:begin", "Go on with the draft", "primary"),
            Button(f"{base}:anew", "Begin anew", "danger"),
        ]
    rows = ((_roster_select(draft, roster, None),), tuple(buttons)) if roster else (tuple(buttons),)
    return laid("own", "A new character", *lines, small=_KEPT, rows=rows)


def pick_card(
    draft: str,
    roster: Sequence[Mapping[str, object]],
    pick: int,
    name: str,
    sheet: Sequence[Block],
    portrait: str,
    *,
    taken: bool,
) -> Layout:
    """A ready character to take, under another name where theirs is taken."""
    base = f"sg:cr:{draft}"
    pieces = sheet_top(name_text(name), portrait, ())
    if taken:
        who = f"**Somebody at this table is called {name_text(name)} already.**"
        pieces.append(Body(f"{who} Take this one under another name."))
    buttons = (
        Button(f"{base}:take", "Take", "success", disabled=taken),
        Button(f"{base}:rename", "Under another name…", "primary" if taken else "secondary"),
        Button(f"{base}:home", "Back"),
    )
    rows = rows_of(((_roster_select(draft, roster, pick),), buttons))
    return Layout("own", (*pieces, _shown(sheet), Gap(), Small("Only you see this panel."), *rows))


def dropped_card(*, edits: bool) -> Layout:
    """The draft is gone."""
    if edits:
        return laid("own", "Nothing has changed", "The sheet is as it was.")
    return laid("own", "Thrown away", "The draft is gone. `/character create` begins a new one.")


def step_modal(form: Drafted, key: str) -> Modal | None:
    """The texts of one step to write; None when none of them fits into a dialogue."""
    step = next((each for each in form.steps if each.key == key), form.steps[0])
    inputs = inputs_of(step.form.fields, form.values)
    title = clip(say_bare(step.title), MODAL_TITLE)
    return Modal(f"sg:crm:{form.draft}:{step.key}", title, inputs) if inputs else None


def rename_modal(draft: str, name: str) -> Modal:
    """Another name for a ready character."""
    return Modal(f"sg:crn:{draft}", "Under another name", (Input("name", "Name", name, most=80),))
