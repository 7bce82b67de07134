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
from rules.table.forms import FormContext, Scores, Values
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
    found: dict[str, Any] = {COLUMN_KEY: option.column, OPTION_KEY: option.title}
    found |= {"mode": option.mode, "label": option.label, "state": option.state}
    found |= {TARGETS_KEY: list(option.targets), "link": list(option.link)}
    found[TARGET_KEY] = "".join(option.targets[:1])
    found |= {f"{NOTE_PREFIX}{key}": text for key, text in option.notes}
    found |= {f"{NUMBER_PREFIX}{key}": number for key, number in option.numbers}
    found |= {SCORES_KEY: dict(option.numbers), "free": option.free, "approved": option.approved}
    kind = kind_of_title(asking.game, side, option.title)
    if kind is not None and kind.modes and option.mode == kind.modes[0].id:
        # The first one is what an option has without a choice.
        del found["mode"]
    return {key: value for key, value in found.items() if value not in ("", [], {}, False)}


def drafted_option(asking: FormContext, draft: Values, side: Side) -> BackgroundOption | None:
    """Return the option of a draft, as far as it is filled in; None before it is chosen."""
    title = str(draft.get(OPTION_KEY) or "")
    if (column := custom_column(title)) is not None:
        text = _note(draft.get(f"{NOTE_PREFIX}{CUSTOM_NOTE}"))
        return BackgroundOption(CUSTOM, column, notes=((CUSTOM_NOTE, text),))
    kind = kind_of_title(asking.game, side, title)
    if kind is None:
        return None
    mode = str(draft.get("mode") or (kind.modes[0].id if kind.modes else ""))
    option = BackgroundOption(kind.name, kind.column, mode=mode)
    option = option.replace(
        targets=_drafted_targets(kind, option, draft),
        link=_texts(draft.get("link")),
        label=_note(draft.get("label")).replace('"', "")[:LONGEST_LABEL],
        notes=tuple(
            (key.removeprefix(NOTE_PREFIX), _note(value))
            for key, value in draft.items()
            if key.startswith(NOTE_PREFIX) and str(value).strip()
        ),
        numbers=_drafted_numbers(draft),
        approved=bool(draft.get("approved")),
        free=bool(draft.get("free")),
        state=cast("Any", draft.get("state") or ""),
    )
    rows = background_rows(asking.game)
    return option if rows is None else option.replace(own=own_gives(option, side, rows))


def _drafted_targets(kind: OptionKind, option: BackgroundOption, draft: Values) -> tuple[str, ...]:
    """Return the targets, of the field that the option's form has."""
    single = any(
        takes_one_target(kind, option, each) for each in kind.inputs if each.applies(option.mode)
    )
    said = draft.get(TARGET_KEY if single else TARGETS_KEY)
    return tuple(map(canonical_target, _texts(said)))


def _drafted_numbers(draft: Values) -> tuple[tuple[str, int], ...]:
    numbers: dict[str, int] = {}
    for key, value in draft.items():
        if key.startswith(NUMBER_PREFIX) and (number := _whole(value)) is not None:
            numbers[key.removeprefix(NUMBER_PREFIX)] = number
    scores: object = draft.get(SCORES_KEY)
    if isinstance(scores, str):
        scores = Scores(SCORES_KEY).parse_text(Reader(), "", scores)
    for name, number in cast("Mapping[str, int]", scores or {}).items():
        numbers[canonical_skill(name)] = number
    return tuple(numbers.items())


def canonical_target(text: str) -> str:
    """Return a target as a sheet has it: an Attribute's key, or a skill's title."""
    return name_key(text) if name_key(text) in ATTRIBUTES else canonical_skill(text)


def _note(value: object) -> str:
    return " ".join(str(value or "").replace(";", ",").split())[:LONGEST_NOTE]


def _whole(value: object) -> int | None:
    plain = str(value).strip().replace("\u2212", "-").removeprefix("+")
    return int(plain) if plain.removeprefix("-").isdecimal() and len(plain) < 6 else None


def _texts(value: object) -> tuple[str, ...]:
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
    words = tuple(each.capitalize() if each in ATTRIBUTES else each for each in about)
    shown = {"column": ROMAN[option.column], "name": option.name, "about": words}
    return Text(
        "mb-option-line",
        {**shown, "label": option.label or None, "state": option.state or None},
    )


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


def takes_one_target(kind: OptionKind, option: BackgroundOption, each: OptionInput) -> bool:
    """Return whether an input takes one target."""
    if each.kind == "macroskill":
        return True
    if each.kind == "abilities":
        return option.column == LOWER_ABILITIES
    if each.kind not in ("skills", "attributes"):
        return False
    mode = kind.mode(option.mode)
    if mode is not None and mode.units is not None:
        return sum(mode.units) == 1
    return each.high == 1
