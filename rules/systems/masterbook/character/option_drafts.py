"""Drafts of options, and the lines that they are read from and written as (MB-BG-01, MB-BG-08)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from rules.core.errors import RulesError
from rules.core.json_reader import Reader
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.creation_rules import background_rows
from rules.systems.masterbook.character.option_lines import (
    CUSTOM_NOTE,
    LONGEST_NOTE,
    OPTION_FORM,
    canonical_target,
    option_line,
    read_option,
)
from rules.systems.masterbook.character.options import BackgroundOption, own_gives
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, canonical_skill
from rules.systems.masterbook.formulas.option_kinds import (
    CUSTOM,
    LOWER_ABILITIES,
    ROMAN,
    OptionInput,
    OptionKind,
    Side,
    option_kinds,
    option_title,
)
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Scores
from rules.table.forms.fields import FormContext
from rules.table.system import Game

#: Key of the column whose options are offered; 0 for a search. No field of the form has it.
COLUMN_KEY: Final = "column"
#: Key of the option's title: `Skill Bonus (CI)`.
OPTION_KEY: Final = "option"
#: Key of the only target, and of several.
TARGET_KEY: Final = "target"
TARGETS_KEY: Final = "targets"
#: Beginning of the keys of notes and of numbers; the input's key follows.
NOTE_PREFIX: Final = "note:"
NUMBER_PREFIX: Final = "number:"
#: Key of a list of skills with a number each.
SCORES_KEY: Final = "scores"
#: Longest name that a player gives an option, in characters.
LONGEST_LABEL: Final = 100


def opened_line(side: Side, asking: FormContext, line: str) -> dict[str, Any]:
    """Return the draft of an option, read from its line. Raises as `read_option`."""
    row = OPTION_FORM.read_json(read_option(line, side, background_rows(asking.game)))
    option: BackgroundOption = OPTION_FORM.make_record(BackgroundOption, row)
    draft: dict[str, Any] = {
        COLUMN_KEY: option.column,
        OPTION_KEY: option.title,
        "mode": option.mode,
        "label": option.label,
        "state": option.state,
        TARGETS_KEY: list(option.targets),
        "link": list(option.link),
        TARGET_KEY: "".join(option.targets[:1]),
    }
    draft |= {f"{NOTE_PREFIX}{key}": text for key, text in option.notes}
    draft |= {f"{NUMBER_PREFIX}{key}": number for key, number in option.numbers}
    draft |= {SCORES_KEY: dict(option.numbers), "free": option.free, "approved": option.approved}
    kind = kind_of_title(asking.game, side, option.title)
    if kind is not None and kind.modes and option.mode == kind.modes[0].id:
        # The first mode is the one that an option has without a choice.
        del draft["mode"]
    return {key: value for key, value in draft.items() if value not in ("", [], {}, False)}


def drafted_option(asking: FormContext, draft: Values, side: Side) -> BackgroundOption | None:
    """Return the option of a draft, as far as it is filled in; None before it is chosen."""
    title = str(draft.get(OPTION_KEY) or "")
    column = custom_column(title)
    if column is not None:
        text = _note(draft.get(f"{NOTE_PREFIX}{CUSTOM_NOTE}"))
        return BackgroundOption(CUSTOM, column, notes=((CUSTOM_NOTE, text),))
    kind = kind_of_title(asking.game, side, title)
    if kind is None:
        return None
    mode = str(draft.get("mode") or "")
    if not mode and kind.modes:
        mode = kind.modes[0].id
    option = BackgroundOption(kind.name, kind.column, mode=mode)
    option = option.replace(
        targets=_drafted_targets(kind, option, draft),
        link=_texts(draft.get("link")),
        label=_note(draft.get("label")).replace('"', "")[:LONGEST_LABEL],
        notes=_drafted_notes(draft),
        numbers=_drafted_numbers(draft),
        approved=bool(draft.get("approved")),
        free=bool(draft.get("free")),
        state=cast("Any", draft.get("state") or ""),
    )
    rows = background_rows(asking.game)
    return option if rows is None else option.replace(own=own_gives(option, side, rows))


def _drafted_targets(kind: OptionKind, option: BackgroundOption, draft: Values) -> tuple[str, ...]:
    """Return the targets, of the field that the option's form has."""
    applying = (row for row in kind.inputs if row.applies(option.mode))
    is_single = any(takes_one_target(kind, option, row) for row in applying)
    value = draft.get(TARGET_KEY if is_single else TARGETS_KEY)
    return tuple(map(canonical_target, _texts(value)))


def _drafted_notes(draft: Values) -> tuple[tuple[str, str], ...]:
    notes: dict[str, str] = {}
    for key, value in draft.items():
        if key.startswith(NOTE_PREFIX) and str(value).strip():
            notes[key.removeprefix(NOTE_PREFIX)] = _note(value)
    return tuple(notes.items())


def _drafted_numbers(draft: Values) -> tuple[tuple[str, int], ...]:
    numbers: dict[str, int] = {}
    for key, value in draft.items():
        number = _whole(value)
        if key.startswith(NUMBER_PREFIX) and number is not None:
            numbers[key.removeprefix(NUMBER_PREFIX)] = number
    scores: object = draft.get(SCORES_KEY)
    if isinstance(scores, str):
        scores = Scores(SCORES_KEY).parse_text(Reader(), "", scores)
    for name, number in cast("Mapping[str, int]", scores or {}).items():
        numbers[canonical_skill(name)] = number
    return tuple(numbers.items())


def _note(value: object) -> str:
    """Return a text as a note of a line: without semicolons, cut to what a note holds."""
    return " ".join(str(value or "").replace(";", ",").split())[:LONGEST_NOTE]


def _whole(value: object) -> int | None:
    """Return a typed whole number; None for another text."""
    plain = str(value).strip().replace("\u2212", "-").removeprefix("+")
    if not plain.removeprefix("-").isdecimal() or len(plain) >= 6:
        return None
    return int(plain)


def _texts(value: object) -> tuple[str, ...]:
    """Return the entries of a list that is typed, one a line, or chosen."""
    if isinstance(value, str):
        return tuple(line.strip() for line in value.splitlines() if line.strip())
    return tuple(map(str, cast("Iterable[object]", value or ())))


def closed_line(side: Side, asking: FormContext, values: Values) -> str:
    """Return the line of a draft that has no problems."""
    option = drafted_option(asking, values, side)
    if option is None:
        return str(values.get(OPTION_KEY) or "")
    row = OPTION_FORM.all_values(option)
    return option_line(row, side, background_rows(asking.game))


def option_words(side: Side, asking: FormContext, lines: Sequence[str]) -> Iterable[Text | None]:
    """Yield lines as a list shows them, the column first: `I · Luck`."""
    for line in lines:
        try:
            row = OPTION_FORM.read_json(read_option(line, side, background_rows(asking.game)))
        except RulesError:
            yield None
        else:
            yield option_text(OPTION_FORM.make_record(BackgroundOption, row))


def option_text(option: BackgroundOption) -> Text:
    """Return an option in one line: `I · Skill Bonus: Charm, Persuasion, Willpower`."""
    about = option.targets or tuple(text for _, text in option.notes)[:1] or option.link
    words = tuple(text.capitalize() if text in ATTRIBUTES else text for text in about)
    shown = {
        "column": ROMAN[option.column],
        "name": option.name,
        "about": words,
        "label": option.label or None,
        "state": option.state or None,
    }
    return Text("mb-option-line", shown)


def custom_column(title: str) -> int | None:
    """Return the column of an option in the GM's own words; None for another option."""
    for column in range(1, len(ROMAN)):
        if title == option_title(CUSTOM, column):
            return column
    return None


def kind_of_title(game: Game, side: Side, title: str) -> OptionKind | None:
    rows = background_rows(game)
    wanted = name_key(title)
    return next((kind for kind in option_kinds(side, rows) if name_key(kind.title) == wanted), None)


def takes_one_target(kind: OptionKind, option: BackgroundOption, option_input: OptionInput) -> bool:
    """Return whether an input takes one target."""
    if option_input.kind == "macroskill":
        return True
    if option_input.kind == "abilities":
        return option.column == LOWER_ABILITIES
    if option_input.kind not in ("skills", "attributes"):
        return False
    mode = kind.mode(option.mode)
    if mode is not None and mode.units is not None:
        return sum(mode.units) == 1
    return option_input.high == 1
