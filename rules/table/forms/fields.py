"""Fields of forms with one value or a choice of values, and the context of their choices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, cast

from rules.core.errors import InvalidInput, RulesError
from rules.core.json_reader import Reader, value_for_error
from rules.core.name_matching import name_key, similar_names, unique_match
from rules.core.record import Record
from rules.core.record import field as record_field
from rules.table.blocks import Text
from rules.table.check import Values

#: Values of a menu, each with its label.
Choices = Iterable[tuple[Any, Text]]
#: Longest text, and longest part of one that an error quotes, in characters.
TEXT_MAX: Final = 1000
QUOTE_MAX: Final = 100
#: Least likeness of a suggested name. A lower one would suggest `d12` to a player who typed `d20`.
LEAST_LIKENESS: Final = 0.7
#: Pattern of a value that is a key of the data rather than a name.
_KEY_VALUE: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")
#: Number of digits from which on a typed text isn't read as a number.
_DIGITS: Final = 16
#: Words for a flag in texts of drafts.
_FLAG_TEXTS: Final = {"yes": True, "no": False}


class FormContext(Record):
    """Everything that the choices of a form may depend on."""

    #: `Game` or `PartialGame`: both have a `campaign` and a `sheet`.
    game: Any = None
    #: Check that the form belongs to.
    check: Any = None
    #: Id of the character or participant that fills the form in.
    who: str = ""
    #: Values so far: the draft of a panel, the other options of a command, the fields before.
    values: Values = record_field(default_factory=dict[str, Any])
    #: Draft of the form around an entry that is filled in as a form, without the entry.
    around: Values = record_field(default_factory=dict[str, Any])

    @property
    def campaign(self) -> Any:
        return self.game.campaign

    @property
    def subject(self) -> str:
        """Id of the choosing character; where a GM chooses, of the check's target; else empty."""
        if self.who:
            return self.who
        target = None if self.check is None else self.check.target
        return target or ""

    @property
    def sheet(self) -> Any:
        """Sheet of the subject; None without a subject."""
        game, who = self.game, self.subject
        if game is None or not (who or isinstance(game, PartialGame)):
            return None
        return game.sheet(who)


class PartialGame(Record):
    """The parts of a game that a form's choices need: the campaign and one sheet."""

    campaign: Any = None
    own: Any = None

    def sheet(self, who: str) -> Any:
        return self.own


NO_CONTEXT: Final = FormContext()


class Option(Record):
    """A value that a menu offers."""

    value: str
    #: Words for the value, at most 100 characters.
    label: Text


#: Options to pick from: constant, or a function of the context.
OptionSource = tuple[Option, ...] | Callable[[FormContext], Iterable[Option]]


def plain_options(values: Iterable[str]) -> tuple[Option, ...]:
    """Return options whose labels are the values themselves."""
    return tuple(Option(value, Text("as-written", {"text": value})) for value in values)


#: Function from a text to the value that it means; raises RulesError if it means none.
Find = Callable[[FormContext, str], str]
#: Function from the context and the typed word to the error that refuses a field; None: allowed.
HiddenIf = Callable[[FormContext, str], RulesError | None]


def never_hidden(asking: FormContext, word: str) -> RulesError | None:
    """Return None: the field is for all participants."""
    return None


class _Keyed(Record):
    key: str


class BaseField(_Keyed, kw_only=True):
    """Base class of all fields."""

    #: Label on a panel; None: the key.
    title: Text | None = None
    #: Label of a menu that several fields share; None: their titles.
    topic: Text | None = None
    #: Instruction or example beside the field.
    help: Text | None = None
    #: Example of the text that stands behind the key in words.
    example: str = "…"
    #: Whether the owner of a sheet may change the field at any time.
    free: bool = False
    #: Whether null is a value too.
    null: bool = False
    #: Value of a field that is left out.
    default: Any = None
    #: Label of the default in a menu.
    nothing: Text | None = None
    #: Name in words, if it isn't the key.
    called: str = ""
    #: Further names in words.
    also: tuple[str, ...] = ()
    hidden_if: HiddenIf = never_hidden
    needed: bool = False
    choices: OptionSource = ()
    #: Function from a form's value to the value in a record; None: the same.
    into: Callable[[Any], Any] | None = None
    #: Function from a record's value back to the form's; None: the same.
    back: Callable[[Any], Any] | None = None
    #: Function from a record's value to the value that the sheet shows.
    told: Callable[[Any], Any] = lambda held: held

    def write(self, value: Any) -> tuple[str, ...]:
        """Return the words that say a value."""
        return (f"{self.key}: {value}",)

    def options(self, asking: FormContext) -> tuple[Option, ...]:
        if callable(self.choices):
            return tuple(self.choices(asking))
        return self.choices

    def choices_for(self, asking: FormContext) -> Choices:
        """Return the values that a menu offers, with their labels."""
        return tuple((option.value, option.label) for option in self.options(asking))

    @property
    def is_typed_word(self) -> bool:
        """True if the completion of `with` offers an example, because there are no choices."""
        return self.choices == ()

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        """Return the value for `json` that a text from a dialog, or behind a word, stands for.

        Problems are noted in *reader*. An empty text gives the value that stands for nothing.
        """
        return text.strip()

    def format_text(self, value: Any) -> str:
        """Return the text that `parse_text` reads as this value; each of several is a line."""
        if isinstance(value, list | tuple):
            entries = cast("Sequence[object]", value)
            return "\n".join(" ".join(str(entry).split()) for entry in entries)
        return str(value)

    def record_value(self, value: Any) -> Any:
        """Return the value in a record for a value of the form."""
        return value if self.into is None else self.into(value)

    def form_value(self, held: Any) -> Any:
        """Return the value of the form for a value in a record."""
        return held if self.back is None else self.back(held)


class Flag(BaseField, kw_only=True):
    """A word that is said or not said.

    A flag with a `default`, or that may be null, can also be denied.
    """

    #: Label of the choice in a menu; None: not offered.
    label: Text | None = None

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> bool | None:
        if reader.read_bool(place, value):
            return True
        deniable = self.default is not None or self.null
        return False if deniable else None

    def write(self, value: Any) -> tuple[str, ...]:
        return (self.key,) if value else ()

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        return _FLAG_TEXTS.get(text.strip().casefold(), text)

    def format_text(self, value: Any) -> str:
        return "yes" if value else "no"

    def choices_for(self, asking: FormContext) -> Choices:
        return () if self.label is None else ((True, self.label),)

    @property
    def is_typed_word(self) -> bool:
        return self.label is None

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        return {"type": "boolean"}


class Number(BaseField, kw_only=True):
    """A whole number from `low` to `high`."""

    low: int = 0
    high: int = 100
    #: Numbers in the menu.
    offered: tuple[int, ...] | Callable[[FormContext], Iterable[int]] = ()
    #: Whether the field has a menu of its own, with one choice.
    apart: bool = False
    #: Function from a number to its label in the menu; None: no menu.
    label: Callable[[int], Text] | None = None
    #: Code of the remedy that an error names for a text that is no number.
    fix: str | None = None
    example: str = "1"
    #: Reads other texts than a number; returns None for a text that it can't read.
    typed: Callable[[str], int | None] | None = None
    #: Whether a panel has a text box beside the menu, for numbers that the menu doesn't offer.
    writable: bool = False

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> int | None:
        return reader.read_number(place, value, self.low, self.high)

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        plain = text.strip().replace("\u2212", "-").removeprefix("+")
        digits = plain.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < _DIGITS:
            return int(plain)
        if self.typed is not None:
            number = self.typed(plain)
            if number is not None:
                return number
        if plain:
            shown = {"field": place, "value": text.strip()[:QUOTE_MAX], "fix": self.fix}
            reader.problems.append(InvalidInput("not-a-number", **shown))
        return None

    def choices_for(self, asking: FormContext) -> Choices:
        label, offered = self.label, self.offered
        if label is None:
            return ()
        numbers = offered(asking) if callable(offered) else offered
        return tuple((number, label(number)) for number in numbers)

    @property
    def is_typed_word(self) -> bool:
        return self.label is None or self.offered == ()

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


def spoken_value(value: str) -> str:
    """Return a value as players type it: `full auto` for the key `full_auto`."""
    return value.replace("_", " ") if _KEY_VALUE.fullmatch(value) else value


class Pick(BaseField, kw_only=True):
    """One value of several."""

    #: Function that also finds values that aren't offered; None: only the offered ones.
    find: Find | None = None
    #: Pattern of the beginning of a value that is typed without the field's name (`d10-1`).
    alone: str = ""
    #: Code of the error for an unknown value. With it, a value has to be typed in full.
    unknown: str = ""
    #: Id of the rule that an unknown value breaks.
    rule: str = ""
    #: Text to put before a number in JSON; None: a number is refused.
    whole: str | None = None
    #: Whether a panel has a text box beside the menu, for values that the menu doesn't offer.
    writable: bool = False

    def find_value(self, asking: FormContext, text: str) -> str:
        """Return the value that a text means.

        Raises NotFound("unknown-choice", "ambiguous-choice"), or as `find`.
        """
        if self.find is not None:
            return self.find(asking, text)
        offered = self.options(asking)
        if self.unknown:
            return self._exact_value(text, tuple(option.value for option in offered))
        return unique_match(
            offered,
            text,
            lambda option: spoken_value(option.value),
            lambda option: option.value.casefold(),
            field=self.key,
        ).value

    def _exact_value(self, text: str, names: tuple[str, ...]) -> str:
        wanted = name_key(text)
        for name in names:
            if name_key(name) == wanted:
                return name
        near = similar_names(text, names, LEAST_LIKENESS)
        shown = {"field": self.key, "value": text[:QUOTE_MAX], "fix": "choose-allowed"}
        if self.rule:
            shown["rule"] = self.rule
        raise InvalidInput(self.unknown, **shown, allowed=names, nearest=near)

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> Any:
        return _read_text_value(self, reader, place, value, asking)

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        closed = self.find is None and (asking is not None or not callable(self.choices))
        if not closed:
            return {"type": "string", "minLength": 1, "maxLength": TEXT_MAX}
        return {"enum": [option.value for option in self.options(asking or NO_CONTEXT)]}


class Many(Pick, kw_only=True):
    """Several values, each a word of its own."""

    most: int = 25
    #: Function from a value that isn't offered to the words that the asking user would type.
    spoken: Callable[[FormContext, str], str] | None = None

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> Any:
        entries = reader.read_list(place, value, self.most) or ()
        picked: dict[str, None] = {}
        for at, entry in enumerate(entries):
            read = _read_text_value(self, reader, f"{place}[{at}]", entry, asking)
            if read is not None:
                picked[read] = None
        return tuple(picked) or None

    def parse_text(self, reader: Reader, place: str, text: str) -> object:
        return list_lines(text)

    def write(self, value: Any) -> tuple[str, ...]:
        return tuple(f"{self.key}: {entry}" for entry in value)

    def choices_for(self, asking: FormContext) -> Choices:
        return tuple(((option.value,), option.label) for option in self.options(asking))

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        return {"type": "array", "items": Pick.schema(self, asking), "maxItems": self.most}


class Typed(BaseField, kw_only=True):
    """A text as it is typed."""

    #: Most characters.
    most: int = 300
    #: Whether the text may have several lines.
    long: bool = False
    #: Whether an empty text is a value too.
    blank: bool = False
    #: Function from the typed text to its canonical form; raises RulesError for other texts.
    read: Callable[[str], str] | None = None
    #: Text to put before a number in JSON; None: a number is refused.
    whole: str | None = None

    def find_value(self, asking: FormContext, text: str) -> str:
        """Return the canonical form of a text. Raises as `read`."""
        return text if self.read is None else self.read(text)

    def json(self, reader: Reader, place: str, value: object, asking: FormContext) -> str | None:
        return _read_text_value(
            self, reader, place, value, asking, self.most, long=self.long, blank=self.blank
        )

    def schema(self, asking: FormContext | None) -> dict[str, Any]:
        least = {} if self.blank else {"minLength": 1}
        return {"type": "string", **least, "maxLength": self.most}


def _read_text_value(
    field: Pick | Typed,
    reader: Reader,
    place: str,
    value: object,
    asking: FormContext,
    most: int = TEXT_MAX,
    *,
    long: bool = False,
    blank: bool = False,
) -> str | None:
    """Return the value that a JSON text means; None if it means none, with the problem noted."""
    text = value
    # Nearly every value is a good text, and needs no more checks.
    if not isinstance(text, str) or not text.isprintable() or len(text) > most or not text.strip():
        before = len(reader.problems)
        if field.whole is not None and isinstance(value, int) and not isinstance(value, bool):
            value = f"{field.whole}{value_for_error(value)}"
        text = reader.read_text(place, value, most, needed=not blank, one_line=not long)
        if len(reader.problems) > before:
            return None
    try:
        return field.find_value(asking, text)
    except RulesError as error:
        reader.problems.append(error_with_field(error, place))
        return None


def list_lines(text: str) -> list[str]:
    """Return the lines of a list that aren't empty, without the dashes that players type first."""
    lines = (line.strip().removeprefix("- ").strip() for line in text.splitlines())
    return [line for line in lines if line.strip("-")]


def error_with_field(error: RulesError, place: str) -> RulesError:
    """Return an error with another place as its field."""
    return error.__class__(error.code, **{**error.params, "field": place})
