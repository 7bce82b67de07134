"""Characters read from objects and typed texts, and written again, with portrait and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rules.core.errors import Problems, RulesError
from rules.core.json_reader import Reader
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.fields import NO_CONTEXT, FormContext
from rules.table.forms.form import Field, is_within_fields
from rules.table.people.common_fields import TABLE_FORM
from rules.table.state import AnyCharacter
from rules.table.system import Game, Page

#: Fields of a `Character` that were read: name, sheet, and those of portrait and notes.
CharacterFields = dict[str, Any]


def read_object(
    game: Game, data: Mapping[str, object], *, new: bool, problems: Iterable[RulesError] = ()
) -> CharacterFields:
    """Return the fields of a character from an object of the system's and the table's keys.

    *problems* were found before. The sheet's problems with the same fields are left out.

    Raises Problems("bad-character") with all problems at once.
    """
    reader, all_problems, fields = Reader(), list(problems), CharacterFields()
    known = [str(problem.params.get("field")) for problem in all_problems]
    of_system = {key: value for key, value in data.items() if key not in TABLE_FORM.keys}
    of_table = {key: value for key, value in data.items() if key in TABLE_FORM.keys}
    try:
        fields["name"], fields["sheet"] = game.sheets.read(game, of_system, new)
    except Problems as error:
        for problem in error.problems:
            if not is_within_fields(problem, known):
                all_problems.append(problem)
    fields |= TABLE_FORM.read_into(reader, of_table, NO_CONTEXT, "")
    all_problems += reader.problems
    if all_problems:
        raise Problems("bad-character", all_problems, count=len(all_problems))
    return fields


def draft_object(
    game: Game, values: Values, character: AnyCharacter | None = None
) -> tuple[dict[str, object], tuple[RulesError, ...]]:
    """Return the object to import that a draft makes, and the problems of what cannot be read.

    Fields that the draft leaves open are as on the sheet of *character*, or empty. Problems name
    their field as the system does: `abilities[3]` is the fourth line that is not empty.
    """
    reader = Reader()
    fields = text_fields(game).values()
    data: dict[str, object] = {}
    for field in fields:
        if field.needed:
            data[field.key] = field.parse_text(reader, field.key, "")
    if character is not None:
        data = game.sheets.write(character)
        for key in game.sheets.derived:
            del data[key]
    else:
        # On a new character, a text that was emptied again counts as left open.
        values = {key: value for key, value in values.items() if not _is_empty_text(value)}
    data |= _read_values(reader, fields, values)
    return data, tuple(reader.problems)


def _is_empty_text(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _read_values(reader: Reader, fields: Iterable[Field], values: Values) -> dict[str, object]:
    """Return a draft as an object: typed values are read, chosen values are taken as they are."""
    data: dict[str, object] = {}
    for field in fields:
        value = values.get(field.key)
        if isinstance(value, str):
            value = field.parse_text(reader, field.key, value)
            data[field.key] = value
        elif value is not None:
            data[field.key] = value
    return data


def draft_effects(game: Game, page: Page, values: Values) -> tuple[Text, ...]:
    """Return the effects that one step of creation shows for a draft."""
    return page.follows(game, _readable(game, page, values))


def draft_holdings(game: Game, page: Page, values: Values) -> tuple[Text, ...]:
    """Return the contents of one step of creation so far; empty if the step counts nothing."""
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
    """Return the warnings about allowed but odd values of a draft: of its steps, then others."""
    data, _ = draft_object(game, values, character)
    context = FormContext(game, values=data)
    warnings: list[RulesError] = []
    for page in game.creation:
        read, _ = page.form.read_draft(values, context)
        warnings += page.form.warnings(read, context)
    return (*warnings, *game.sheets.warnings(game, data))


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
            self._read |= _read_values(Reader(), (self._fields[key],), self._values)
        return self._read[key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key in self._fields and self._values.get(key) is not None

    def __iter__(self) -> Iterator[str]:
        return (key for key in self._fields if key in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _readable(game: Game, page: Page, values: Values) -> Mapping[str, object]:
    """Return a draft as the object that a page's functions take."""
    return _DraftObject(text_fields(game) | page.form.by_key, values)


def read_texts(
    game: Game, values: Values, *, new: bool, character: AnyCharacter | None = None
) -> CharacterFields:
    """Return a character's fields from a draft; open fields are as on the sheet of *character*.

    Raises Problems("bad-character") with all problems at once.
    """
    data, problems = draft_object(game, values, character)
    return read_object(game, data, new=new, problems=problems)


def write_object(game: Game, character: AnyCharacter) -> dict[str, object]:
    """Return the object that imports as the same character, with its portrait and notes."""
    own = {key: text for key, text in TABLE_FORM.all_values(character).items() if text}
    return {**game.sheets.write(character), **own}


def texts_of(game: Game, character: AnyCharacter) -> dict[str, str]:
    """Return the texts that would make this character, by the keys of the steps of creation."""
    values = {**game.sheets.write(character), **TABLE_FORM.all_values(character)}
    texts: dict[str, str] = {}
    for key, field in text_fields(game).items():
        value = values.get(key)
        texts[key] = "" if value is None else field.format_text(value)
    return texts


def is_newly_made(game: Game, character: AnyCharacter) -> bool:
    """Return whether the rules of creation allow the sheet."""
    try:
        game.sheets.read(game, game.sheets.write(character), True)
    except RulesError:
        return False
    return True


def text_fields(game: Game) -> dict[str, Field]:
    """Return the fields of all steps of creation, by key."""
    fields: dict[str, Field] = {}
    for page in game.creation:
        fields |= page.form.by_key
    return fields
