"""Options of a sheet as typed lines and as JSON rows (MB-BG-01, MB-BG-08).

A line names the option with its column, then its inputs: `Enemy (CII): Count Orlok; motive:
revenge`. The first input needs no key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.name_matching import name_key, similar_or_first
from rules.systems.masterbook.character.option_effects import IMPOSSIBLE
from rules.systems.masterbook.character.options import (
    BackgroundOption,
    abilities_of,
    kind_of,
    own_gives,
)
from rules.systems.masterbook.character.sheet_trades import column_number
from rules.systems.masterbook.character.skill_names import ATTRIBUTES, canonical_skill, split_list
from rules.systems.masterbook.formulas.option_kinds import (
    CUSTOM,
    LOWER_ABILITIES,
    MOST_COLUMN,
    AbilityKind,
    BackgroundRows,
    OptionInput,
    OptionKind,
    Side,
    ability_kind,
    option_kind,
    option_kinds,
    option_title,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.forms.entry_fields import Lines, Scores
from rules.table.forms.fields import Flag, Number, Pick, Typed, list_lines, plain_options
from rules.table.forms.form import Form

#: Longest text of an input, in characters, and most targets of one option.
LONGEST_NOTE: Final = 200
MOST_TARGETS: Final = 20
#: Longest typed line that is read, in characters.
LONGEST_LINE: Final = 1000
#: Key of the input of a custom option.
CUSTOM_NOTE: Final = "text"
#: The Advantage that gives a special ability (MB-BG-30).
_ABILITIES: Final = "Special Abilities"
#: Key of the note that holds a typed line until the campaign is known.
_TYPED: Final = "typed line"
#: Keys of targets and of numbers that stand for any input.
_ANY_TARGETS: Final = "targets"
_ANY_NUMBERS: Final = "numbers"
#: Word of a skill that a handicap rules out.
_IMPOSSIBLE: Final = "impossible"
_FLAGS: Final = ("approved", "refused", "free")
#: Key of what the GM said about an option that is refused.
_RULING: Final = "gm"
_STATES: Final = ("suspended", "lost")
_HEAD: Final = re.compile(
    r"^(?P<name>[^:;]+?)\s*\(\s*(?:c|column\s*)?(?P<column>[ivx]{1,3}|[1-5])\s*\)\s*"
    r"(?:[:,;]\s*(?P<rest>.*))?$",
    re.IGNORECASE | re.DOTALL,
)
_LABEL: Final = re.compile(r'^"(?P<label>[^"]+)"$')

#: An option in a file.
OPTION_FORM: Final = Form(
    (
        Typed("name", most=100, needed=True),
        Number("column", low=1, high=MOST_COLUMN, needed=True),
        Typed("mode", most=40, blank=True),
        Lines("targets", most=MOST_TARGETS, longest=100, into=tuple),
        Lines(
            "notes",
            most=MOST_TARGETS,
            longest=LONGEST_NOTE + 60,
            into=lambda lines: tuple(_note_pair(line) for line in lines),
            back=lambda pairs: [f"{key}: {text}" for key, text in pairs],
        ),
        Scores("numbers", low=-10, high=100, most=MOST_TARGETS),
        Typed("label", most=100, blank=True),
        Lines("link", most=MOST_TARGETS, longest=140, into=tuple),
        Flag("approved", default=False),
        Flag("free", default=False),
        Flag("refused", default=False),
        Typed("ruling", most=LONGEST_NOTE, blank=True),
        Pick(
            "state",
            choices=plain_options(_STATES),
            null=True,
            into=lambda value: value or "",
            back=lambda held: held or None,
        ),
    )
)


def _note_pair(line: str) -> tuple[str, str]:
    key, _, text = line.partition(":")
    return key.strip(), text.strip()


# --- reading --------------------------------------------------------------------------------------


def read_option(line: str, side: Side, rows: BackgroundRows | None = None) -> dict[str, Any]:
    """Return the row of a typed line.

    Raises:
        InvalidInput("mb-background-unreadable"): the line has no column.
        InvalidInput("mb-background-unknown"): neither the book nor the campaign has the option.
        InvalidInput("mb-background-part"): a part is none of the option's inputs.
        InvalidInput("mb-background-number"): a number can't be read.
    """
    field = f"{side}s"
    match = _HEAD.match(_one_line(line))
    if match is None:
        near = _nearest_titles(line, side, rows)
        raise InvalidInput("mb-background-unreadable", field=field, value=line[:100], nearest=near)
    column = column_number(match["column"])
    option = BackgroundOption(match["name"].strip(), column)
    parts = [part.strip() for part in (match["rest"] or "").split(";") if part.strip()]
    if name_key(option.name) == CUSTOM:
        return _row(option.replace(name=CUSTOM, notes=((CUSTOM_NOTE, "; ".join(parts)),)))
    kind = kind_of(option, side, rows)
    if kind is None and side == "advantage":
        ability = find_ability(option.name, column, rows)
        if ability is not None:
            # An ability by its own name is short for the Advantage that gives it.
            parts.insert(0, ability.name)
            kind = option_kind(side, _ABILITIES, column, rows)
    if kind is None:
        near = _nearest_titles(option.title, side, rows)
        shown = option.title[:100]
        raise InvalidInput("mb-background-unknown", field=field, value=shown, nearest=near)
    reader = _PartReader(kind, side, column, rows)
    for part in parts:
        reader.read(part)
    return _row(reader.option())


def _one_line(line: str) -> str:
    """Return a typed line with single spaces, cut to the longest that is read.

    Reading takes time by the square of a line's length.
    """
    return " ".join(line[: 2 * LONGEST_LINE].split())[:LONGEST_LINE]


def read_typed_option(line: str, side: Side) -> dict[str, Any]:
    """Return the row of a typed line, read without the campaign.

    An option that the book lacks keeps its line as a note: `resolve_option` reads the note once the
    campaign is known. Raises as `read_option`, except for an unknown name.
    """
    try:
        return read_option(line, side)
    except InvalidInput as error:
        match = _HEAD.match(_one_line(line))
        if error.code != "mb-background-unknown" or match is None or len(line) > LONGEST_NOTE:
            raise
        option = BackgroundOption(match["name"].strip()[:100], column_number(match["column"]))
        return _row(option.replace(notes=((_TYPED, line.strip()),)))


def resolve_option(option: BackgroundOption, side: Side, rows: BackgroundRows) -> BackgroundOption:
    """Return the option with what the campaign's own row gives (MB-BG-08).

    Raises as `read_option` for a typed line that the campaign can't read, either.
    """
    typed = option.note(_TYPED)
    if typed:
        row = OPTION_FORM.read_json(read_option(typed, side, rows))
        option = OPTION_FORM.make_record(BackgroundOption, row)
    return option.replace(own=own_gives(option, side, rows))


def _nearest_titles(text: str, side: Side, rows: BackgroundRows | None) -> tuple[str, ...]:
    titles = [kind.title for kind in option_kinds(side, rows)]
    head = text.partition(":")[0].strip()
    return similar_or_first(head, titles)


def _row(option: BackgroundOption) -> dict[str, Any]:
    """Return the JSON row of an option, without default values."""
    row = OPTION_FORM.all_values(option)
    defaults = OPTION_FORM.all_values(BackgroundOption("", 0))
    needed = ("name", "column")
    return {key: value for key, value in row.items() if key in needed or value != defaults[key]}


class _PartReader:
    """Reader of the parts of one option's line."""

    def __init__(
        self, kind: OptionKind, side: Side, column: int, rows: BackgroundRows | None
    ) -> None:
        self._kind = kind
        self._side = side
        self._rows = rows
        self._option = BackgroundOption(kind.name, column)
        #: Whether the next part may be the first input, without its key.
        self._first = True

    def option(self) -> BackgroundOption:
        """Return the option of the parts read; without a mode, with the implied one."""
        if self._option.mode:
            return self._option
        return self._option.replace(mode=implied_mode(self._kind, self._option))

    def read(self, part: str) -> None:
        """Read one part.

        Raises InvalidInput("mb-background-part"), and as `with_input`.
        """
        first, self._first = self._first, False
        word, label = part.casefold(), _LABEL.match(part)
        if label is not None:
            self._option = self._option.replace(label=label["label"].strip()[:100])
        elif word in _FLAGS:
            self._option = self._option.replace(**{word: True})
        elif word in _STATES:
            self._option = self._option.replace(state=word)
        elif not self._read_keyed(part) and not (first and self._read_first(part)):
            raise InvalidInput(
                "mb-background-part",
                field=f"{self._side}s",
                value=part[:100],
                name=self._kind.title,
                allowed=tuple(f"{row.key}: …" for row in self._inputs()),
            )

    def _inputs(self) -> tuple[OptionInput, ...]:
        return inputs_of(self._kind, self._option, self._rows)

    def _read_keyed(self, part: str) -> bool:
        """Read a part such as `motive: revenge`; return whether it's one of the option's."""
        key, colon, text = part.partition(":")
        wanted = name_key(key)
        if not colon or not text.strip():
            return False
        if wanted == "mode":
            self._option = self._option.replace(mode=mode_id(text))
            if self._kind.mode(self._option.mode) is not None:
                self._first = True
            return True
        if wanted == _RULING:
            self._option = self._option.replace(ruling=text.strip()[:LONGEST_NOTE])
            return True
        if wanted == "link":
            self._option = self._option.replace(link=_split(text))
            return True
        for option_input in self._inputs():
            if wanted in (name_key(option_input.key), name_key(option_input.title)):
                self._option = with_input(self._option, option_input, text)
                return True
        return self._read_general(wanted, text)

    def _read_general(self, wanted: str, text: str) -> bool:
        """Read a part by a key that any option has."""
        if wanted == _ANY_TARGETS:
            targets = tuple(canonical_target(name) for name in _split(text))
            self._option = self._option.replace(targets=targets)
            return True
        if wanted == _ANY_NUMBERS:
            numbers = tuple(_score(self._option, part) for part in _split(text))
            self._option = self._option.replace(numbers=numbers)
            return True
        return False

    def _read_first(self, part: str) -> bool:
        """Read the part as the option's first input; a mode may stand there, too."""
        if self._kind.mode(mode_id(part)) is not None:
            self._option = self._option.replace(mode=mode_id(part))
            self._first = True
            return True
        mode = self._option.mode
        for option_input in self._inputs():
            if option_input.applies(mode) or not mode:
                self._option = with_input(self._option, option_input, part)
                return True
        return False


def inputs_of(
    kind: OptionKind, option: BackgroundOption, rows: BackgroundRows | None = None
) -> tuple[OptionInput, ...]:
    """Return the inputs that an option asks for: its own and those of its abilities."""
    inputs = kind.inputs
    if kind.has_input("abilities"):
        for ability in abilities_of(option, rows):
            inputs = (*inputs, *ability.inputs)
    return inputs


def find_ability(name: str, column: int, rows: BackgroundRows | None = None) -> AbilityKind | None:
    """Return an ability of that column, or of column III for Multiple Abilities (MB-BG-30)."""
    return ability_kind(name, column, rows) or ability_kind(name, LOWER_ABILITIES, rows)


def mode_id(text: str) -> str:
    """Return the id of a mode as it is typed: `two_specializations` of `two specializations`."""
    return "_".join(text.strip().casefold().replace("-", " ").split())


def implied_mode(kind: OptionKind, option: BackgroundOption) -> str:
    """Return the mode that an option's targets imply, else its first; empty if it has none."""
    if not kind.modes:
        return ""
    special = sum("(" in target for target in option.targets)
    whole = len(option.targets) - special
    for mode in kind.modes:
        if mode.units == (whole, special) and option.targets:
            return mode.id
    if kind.mode("macroskill") is not None and len(option.targets) == 1:
        row = SKILLS.get(option.targets[0])
        is_macroskill = row is not None and row.macro
        return "macroskill" if is_macroskill else kind.modes[0].id
    if kind.mode("custom_list") is not None and option.numbers:
        return "custom_list"
    return kind.modes[0].id


def split_options(text: str) -> list[str]:
    """Return the options of a typed text: one a line."""
    return list_lines(text)


def canonical_target(text: str) -> str:
    """Return a target as a sheet has it: an Attribute's key, or a skill's title."""
    key = name_key(text)
    return key if key in ATTRIBUTES else canonical_skill(text)


def _split(text: str) -> tuple[str, ...]:
    return tuple(split_list(text))


def with_input(option: BackgroundOption, option_input: OptionInput, text: str) -> BackgroundOption:
    """Return the option with one input read from its text.

    Raises InvalidInput("mb-background-number").
    """
    text = " ".join(text.split())
    match option_input.kind:
        case "skills" | "macroskill":
            return option.replace(targets=tuple(canonical_skill(name) for name in _split(text)))
        case "attributes":
            return option.replace(targets=tuple(name_key(name)[:100] for name in _split(text)))
        case "abilities":
            return option.replace(targets=tuple(_ability(option, name) for name in _split(text)))
        case "link":
            return option.replace(link=_split(text))
        case "mode":
            return option.replace(mode=mode_id(text))
        case "number":
            number = _whole_number(option, option_input, text)
            return option.replace(numbers=_with_pair(option.numbers, option_input.key, number))
        case "scores":
            return option.replace(numbers=tuple(_score(option, part) for part in _split(text)))
        case "text" | "choice":
            note = text.replace(";", ",")[:LONGEST_NOTE]
            return option.replace(notes=_with_pair(option.notes, option_input.key, note))


def _ability(option: BackgroundOption, name: str) -> str:
    """Return an ability's name as its table writes it; a name that none has stays."""
    row = find_ability(name, option.column)
    return name if row is None else row.name


def _with_pair(pairs: tuple[tuple[str, Any], ...], key: str, value: Any) -> Any:
    return tuple({**dict(pairs), key: value}.items())


def _whole_number(option: BackgroundOption, option_input: OptionInput, text: str) -> int:
    plain = text.replace("\u2212", "-").removeprefix("+").removeprefix("STR+")
    if plain.removeprefix("-").isdecimal() and len(plain) < 6:
        return int(plain)
    raise InvalidInput(
        "mb-background-number", field=option_input.title, value=text[:100], name=option.title
    )


def _score(option: BackgroundOption, part: str) -> tuple[str, int]:
    """Return a skill and its number: `Stealth 2`. Raises InvalidInput("mb-background-number")."""
    name, _, number = part.rpartition(" ")
    if number.casefold() == _IMPOSSIBLE:
        return canonical_skill(name), IMPOSSIBLE
    plain = number.removeprefix("+")
    if name.strip() and plain.isdecimal() and len(plain) < 6:
        return canonical_skill(name), int(plain)
    raise InvalidInput("mb-background-number", field="list", value=part[:100], name=option.title)


# --- writing --------------------------------------------------------------------------------------


def option_line(row: Mapping[str, Any], side: Side, rows: BackgroundRows | None = None) -> str:
    """Return the line that `read_option` reads to the same row."""
    option = OPTION_FORM.make_record(BackgroundOption, row)
    parts = [*_input_parts(option, side, rows)]
    if option.label:
        parts.append(f'"{option.label}"')
    parts += [flag for flag in _FLAGS if getattr(option, flag)]
    if option.ruling:
        parts.append(f"{_RULING}: {option.ruling}")
    if option.state:
        parts.append(option.state)
    head = option_title(option.name, option.column)
    return f"{head}: {'; '.join(parts)}" if parts else head


def _input_parts(
    option: BackgroundOption, side: Side, rows: BackgroundRows | None
) -> Iterable[str]:
    """Yield the inputs of an option: the first without its key, if it has a value."""
    if option.name == CUSTOM:
        yield option.note(CUSTOM_NOTE)
        return
    kind = kind_of(option, side, rows)
    if kind is None:
        # Another table's option: everything with a key, so that nothing is lost.
        yield from _keyed_parts(option)
        return
    inputs = inputs_of(kind, option, rows)
    mode = f"mode: {option.mode.replace('_', ' ')}"
    leads = _mode_leads(inputs, option.mode)
    if leads:
        yield mode
    first = True
    for option_input in inputs:
        if not option_input.applies(option.mode):
            continue
        text = input_text(option, option_input)
        if text:
            yield text if first else f"{option_input.key}: {text}"
        first = False
    if not leads and option.mode != implied_mode(kind, option.replace(mode="")):
        yield mode
    if option.link and not kind.has_input("link"):
        yield f"link: {', '.join(option.link)}"


#: Inputs that are kept as targets.
_TARGETED: Final = ("skills", "macroskill", "attributes", "abilities")


def _mode_leads(inputs: tuple[OptionInput, ...], mode: str) -> bool:
    """Return whether a line must begin with its mode: the mode decides which input is first."""
    first = next((row for row in inputs if row.applies(mode)), None)
    if not mode or first is None or first is inputs[0]:
        return False
    return first.kind not in _TARGETED or inputs[0].kind not in _TARGETED


def _keyed_parts(option: BackgroundOption) -> Iterable[str]:
    """Yield the parts of an option that no table has, each with a general key."""
    if option.targets:
        yield f"{_ANY_TARGETS}: {', '.join(option.targets)}"
    if option.numbers:
        numbers = (f"{key} {number}" for key, number in option.numbers)
        yield f"{_ANY_NUMBERS}: {', '.join(numbers)}"
    yield from (f"{key}: {text}" for key, text in option.notes)
    if option.mode:
        yield f"mode: {option.mode.replace('_', ' ')}"
    if option.link:
        yield f"link: {', '.join(option.link)}"


def _score_text(name: str, number: int) -> str:
    return f"{name} {_IMPOSSIBLE if number == IMPOSSIBLE else number}"


def input_text(option: BackgroundOption, option_input: OptionInput) -> str:
    """Return the value of one input as it is typed; empty without one."""
    match option_input.kind:
        case "skills" | "macroskill" | "abilities":
            return ", ".join(option.targets)
        case "attributes":
            return ", ".join(target.capitalize() for target in option.targets)
        case "link":
            return ", ".join(option.link)
        case "mode":
            return option.mode
        case "number":
            numbers = dict(option.numbers)
            return str(numbers[option_input.key]) if option_input.key in numbers else ""
        case "scores":
            return ", ".join(_score_text(name, number) for name, number in option.numbers)
        case "text" | "choice":
            return option.note(option_input.key)
