"""Sheets as the table takes them: read from objects and typed texts, and written again, portrait
and notes included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rules.core.errors import Problems, RulesError
from rules.core.json_reader import Reader
from rules.table.blocks import Text
from rules.table.forms import NO_CONTEXT, Field, FormContext, Values, is_within_fields
from rules.table.people.common_fields import TABLE_FORM
from rules.table.state import AnyCharacter
from rules.table.system import Game, Page

#: A character's object, read: the name, the sheet, and what it says of portrait and notes.
CharacterFields = dict[str, Any]


def read_object(
    game: Game, data: Mapping[str, object], *, new: bool, problems: Iterable[RulesError] = ()
) -> CharacterFields:
    """What a character has by an object of the system's and the table's own keys, such as
    `character.replace` takes it.

    Problems("bad-character") with all that is wrong at once. `problems` were found before; what the
    sheet says about the same fields is left out.
    """
    reader, found, read = Reader(), list(problems), CharacterFields()
    before = [str(problem.params.get("field")) for problem in found]
    rest = {key: value for key, value in data.items() if key not in TABLE_FORM.keys}
    try:
        read["name"], read["sheet"] = game.sheets.read(game, rest, new)
    except Problems as error:
        found += [problem for problem in error.problems if not is_within_fields(problem, before)]
    own = {key: value for key, value in data.items() if key in TABLE_FORM.keys}
    read |= TABLE_FORM.read_into(reader, own, NO_CONTEXT, "")
    found += reader.problems
    if found:
        raise Problems("bad-character", found, count=len(found))
    return read


def draft_object(
    game: Game, values: Values, character: AnyCharacter | None = None
) -> tuple[dict[str, object], tuple[RulesError, ...]]:
    """The object to import that a draft makes, by the keys of the steps of creation, and what
    cannot be read.

    What they leave open is as on the sheet of `character`, or empty; on a new one, so is what was
    emptied again. Problems name their field as the system does: `abilities[3]` is the fourth line
    that is not empty.
    """
    reader = Reader()
    fields = text_fields(game).values()
    data: dict[str, object] = {
        field.key: field.parse_text(reader, field.key, "") for field in fields if field.needed
    }
    if character is not None:
        data = game.sheets.write(character)
        for key in game.sheets.derived:
            del data[key]
    else:
        values = {
            key: value
            for key, value in values.items()
            if not isinstance(value, str) or value.strip()
        }
    data |= _filled(reader, fields, values)
    return data, tuple(reader.problems)


def _filled(reader: Reader, fields: Iterable[Field], values: Values) -> dict[str, object]:
    """Return a draft as an object: typed values are read, chosen values are taken as they are."""
    return {
        field.key: field.parse_text(reader, field.key, value) if isinstance(value, str) else value
        for field in fields
        if (value := values.get(field.key)) is not None
    }


def draft_effects(game: Game, page: Page, values: Values) -> tuple[Text, ...]:
    """Return the effects that one step of creation shows for a draft."""
    return page.follows(game, _readable(game, page, values))


def draft_holdings(game: Game, page: Page, values: Values) -> tuple[Text, ...]:
    """Return what one step of creation holds so far, in numbers; empty if the step counts none."""
    return page.holds(game, _readable(game, page, values))


def draft_state(game: Game, page: Page, values: Values) -> Text | None:
    """Return the state of one step of creation in few words; None if the step has none."""
    return page.state(game, _readable(game, page, values))


def draft_head(game: Game, page: Page, values: Values) -> Text | None:
    """Return the heading of one step of creation; None if the step has none."""
    return page.head(game, _readable(game, page, values))


def is_step_shown(game: Game, page: Page, values: Values) -> bool:
    """Return whether a new character with this draft has a step of creation."""
    return page.shown(game, _readable(game, page, values))


def draft_warnings(
    game: Game, values: Values, character: AnyCharacter | None = None
) -> tuple[RulesError, ...]:
    """Return what is allowed but odd about a draft: what its steps say, then the system."""
    data, _ = draft_object(game, values, character)
    found: list[RulesError] = []
    for page in game.creation:
        read, _ = page.form.read_draft(values, FormContext(game, values=data))
        found += page.form.warnings(read, FormContext(game, values=data))
    return (*found, *game.sheets.warnings(game, data))


class _DraftObject(Mapping[str, object]):
    """A draft as an object whose typed fields are read when a step asks for them.

    Most steps ask for few fields, and one field may have thousands of lines.
    """

    def __init__(self, fields: Mapping[str, Field], values: Values) -> None:
        self._fields, self._values = fields, values
        self._read: dict[str, object] = {}

    def __getitem__(self, key: str) -> object:
        if key not in self._read:
            if key not in self:
                raise KeyError(key)
            self._read |= _filled(Reader(), (self._fields[key],), self._values)
        return self._read[key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._fields and self._values.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._fields if key in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _readable(game: Game, page: Page, values: Values) -> Mapping[str, object]:
    return _DraftObject(text_fields(game) | page.form.by_key, values)


def read_texts(
    game: Game, values: Values, *, new: bool, character: AnyCharacter | None = None
) -> CharacterFields:
    """Return a sheet from a draft; with `character`, open fields are as on that sheet.

    Raises Problems("bad-character") with all violations at once.
    """
    data, problems = draft_object(game, values, character)
    return read_object(game, data, new=new, problems=problems)


def write_object(game: Game, character: AnyCharacter) -> dict[str, object]:
    """Return the object that imports as the same character, with its portrait and notes."""
    own = {key: text for key, text in TABLE_FORM.all_values(character).items() if text}
    return {**game.sheets.write(character), **own}


def texts_of(game: Game, character: AnyCharacter) -> dict[str, str]:
    """Return the texts that would make this character, by the keys of the steps of creation."""
    written = {**game.sheets.write(character), **TABLE_FORM.all_values(character)}
    return {
        key: "" if (value := written.get(key)) is None else field.format_text(value)
        for key, field in text_fields(game).items()
    }


def is_newly_made(game: Game, character: AnyCharacter) -> bool:
    """Return whether the rules of creation allow the sheet."""
    try:
        game.sheets.read(game, game.sheets.write(character), True)
    except RulesError:
        return False
    return True


def text_fields(game: Game) -> dict[str, Field]:
    return {field.key: field for page in game.creation for field in page.form.fields}
