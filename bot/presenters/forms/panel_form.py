"""A form as a panel shows it, and its fields as texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from bot.presenters.controls import Style
from bot.presenters.language.text import with_capital
from bot.presenters.language.words import say, say_bare
from bot.presenters.layout import Accent, Piece
from rules.core.errors import RulesError
from rules.core.json_reader import Reader
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import Flag, FormContext, Many, Number, list_lines
from rules.table.forms.form import Field, Form
from rules.table.system import Page

#: Key of the review, the last step of a form in steps, in which it is sent.
REVIEW_STEP: Final = "-"


class SendButton(Record):
    """A button that sends a form."""

    value: str
    label: str
    style: Style = "secondary"
    #: Whether it can be pressed while something is wrong, because it needs none of the values.
    always: bool = False


class PanelForm(Record):
    """A form to be filled in, as a panel shows it.

    A form in `steps` is filled in step by step, each with its own problems, and reviewed before it
    is sent.
    """

    form: Form
    asking: FormContext
    head: str
    sends: tuple[SendButton, ...]
    #: What the form is about, at the top.
    before: tuple[Piece, ...] = ()
    #: What the values would come to. It may raise RulesError; `otherwise` is shown then.
    preview: Callable[[Values], tuple[Piece, ...]] = lambda values: ()
    otherwise: tuple[Piece, ...] = ()
    small: str = ""
    accent: Accent = "own"
    #: Whether flags are switches without a menu. All other fields have menus of their own then.
    switches: bool = False
    #: Odds of a check with this value of a field, for the value's entry in a menu.
    odds: Callable[[str, Any], Fraction | None] = lambda key, value: None
    cancel: str = ""
    steps: tuple[Page, ...] = ()
    #: The step that is shown; None for the review.
    step: Page | None = None
    #: What is sent of a draft, and all its problems, if the form alone doesn't read it.
    read: Callable[[Values], tuple[Mapping[str, Any], Sequence[RulesError]]] | None = None
    #: Head and text of the panel after it was closed.
    left: tuple[str, str] | None = None
    #: A question of the GM or a player, which the dialogs repeat.
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
        """The fields of the shown step that aren't hidden, each with its place in the form."""
        of_step = () if self.step is None else self.step.form.keys
        shown: list[tuple[int, Field]] = []
        for place, field in enumerate(self.form.fields):
            if self.steps and field.key not in of_step:
                continue
            if field.hidden_if(self.asking, field.key) is None:
                shown.append((place, field))
        return tuple(shown)

    def at_step(self, key: str) -> PanelForm:
        """Return the form at the step of that key, or at the first if there is no such step."""
        if key == REVIEW_STEP or not self.steps:
            return self
        step = next((step for step in self.steps if step.key == key), self.steps[0])
        return self.replace(step=step)

    def read_draft(self, draft: Values) -> tuple[Mapping[str, Any], Sequence[RulesError]]:
        """Return what would be sent of a draft, and all that is wrong with it."""
        if self.read is not None:
            return self.read(draft)
        return self.form.read_draft(draft, self.asking)

    def warnings(self, draft: Values, values: Values) -> Sequence[RulesError]:
        """Return what is allowed but odd about a draft, given the values that were read of it."""
        if self.warn is not None:
            return self.warn(draft)
        return self.form.warnings(values, self.asking)


def closed_texts(filling: PanelForm) -> tuple[str, str]:
    """Return the head and the text of a panel that was closed."""
    return filling.left or (say(Text("form-closed")), say(Text("form-not-sent")))


def field_title(field: Field) -> str:
    """Return the name of a field, without Markdown."""
    if field.title is not None:
        return say_bare(field.title)
    return with_capital(field.key.replace("-", " "))


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
        value = tuple(spoken(asking, choice) for choice in value)
    return field.format_text(value)


def is_empty(field: Field, draft: Values) -> bool:
    """Return whether a draft has nothing but spaces in a field."""
    return not field_text(field, draft.get(field.key)).strip()


def draft_value(field: Field, raw: Any) -> Any:
    """Return a draft's value of a field that is chosen from menus; a text is read."""
    if not isinstance(raw, str):
        return raw
    if isinstance(field, Many):
        return list_lines(raw)
    if isinstance(field, Number | Flag) and raw.strip():
        read = field.parse_text(Reader(), field.key, raw)
        return raw if read is None else read
    return raw


def entry_fields(filling: PanelForm) -> tuple[tuple[int, Table], ...]:
    """Return the shown fields whose entries are pages of their own, each with its place."""
    return tuple(
        (place, field)
        for place, field in filling.fields
        if isinstance(field, Table) and field.row is not None
    )
