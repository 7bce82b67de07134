"""Sheets as the table takes them: read from objects and typed texts, and written again, portrait and notes included."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.core.errors import InvalidInput, Problems, RulesError
from rules.core.reading import Reader
from rules.table.events import Line
from rules.table.forms import Field, Values
from rules.table.state import AnyCharacter
from rules.table.system import Game, Page

#: Longest web address of a portrait, and longest notes, in characters.
PORTRAIT_MAX = 500
NOTES_MAX = 2000

#: The keys of an imported object that are the table's and not the system's.
OWN_KEYS = ("portrait", "notes")

_ADDRESS = re.compile(
    r"https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?\.[A-Za-z]{2,}(?::\d{1,5})?"
    r"(?:[/?#][A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*)?"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def shown(value: object) -> str:
    """A value as errors tell it: at most 100 characters, all of which can be kept."""
    return str(value)[:100].encode("utf-8", "replace").decode()


def _text_problem(field: str, value: object, longest: int) -> InvalidInput | None:
    if not isinstance(value, str):
        return InvalidInput("wrong-type", field=field, value=shown(value), allowed=("text",), fix="use-text")
    if len(value) > longest:
        return InvalidInput(
            "too-long", field=field, value=shown(value), highest=longest, length=len(value), fix="shorten"
        )
    if _CONTROL.search(value):
        return InvalidInput(
            "unprintable-text", field=field, value=shown(value), fix="remove-control-characters"
        )
    return None


def portrait_problem(value: object) -> InvalidInput | None:
    """What is wrong with the address of a portrait: https, 500 characters at most; empty is none."""
    problem = _text_problem("portrait", value, PORTRAIT_MAX)
    if problem is None and value and not _ADDRESS.fullmatch(str(value)):
        return InvalidInput("bad-portrait", field="portrait", value=shown(value), fix="write-address")
    return problem


def notes_problem(value: object) -> InvalidInput | None:
    """What is wrong with notes: text of 2000 characters at most."""
    return _text_problem("notes", value, NOTES_MAX)


@dataclass(frozen=True, slots=True)
class Read:
    """A character's object, read. What the object does not say of portrait and notes is None."""

    name: str
    sheet: Any
    portrait: str | None
    notes: str | None


def updated(character: AnyCharacter, read: Read) -> AnyCharacter:
    """The character with what was read; what it does not say stays as it is."""
    return replace(
        character,
        name=read.name,
        sheet=read.sheet,
        portrait=character.portrait if read.portrait is None else read.portrait,
        notes=character.notes if read.notes is None else read.notes,
    )


def read_object(
    game: Game, data: Mapping[str, object], *, new: bool, problems: tuple[RulesError, ...] = ()
) -> Read:
    """A sheet with the table's own keys. Problems("bad-character") with all that is wrong at once.

    `problems` were found before; what the sheet says about the same fields is left out.
    """
    own = {key: data[key] for key in OWN_KEYS if key in data}
    rest = {key: value for key, value in data.items() if key not in OWN_KEYS}
    before = tuple(str(problem.params.get("field")) for problem in problems)
    found = list(problems)
    read: tuple[str, Any] | None = None
    try:
        read = game.sheets.read(game, rest, new)
    except Problems as error:
        for each in error.problems:
            field = str(each.params.get("field"))
            if not any(field == known or field.startswith(f"{known}.") for known in before):
                found.append(each)
    for key, check in (("portrait", portrait_problem), ("notes", notes_problem)):
        problem = check(own[key]) if key in own else None
        if problem is not None:
            found.append(problem)
    if found or read is None:
        raise Problems("bad-character", found, count=len(found))
    texts = {key: str(value) for key, value in own.items()}
    return Read(*read, texts.get("portrait"), texts.get("notes"))


def drafted(
    game: Game, values: Values, character: AnyCharacter | None = None
) -> tuple[dict[str, object], tuple[InvalidInput, ...]]:
    """The object to import that a draft makes, by the keys of the steps of creation, and what cannot be read.

    What they leave open is as on the sheet of `character`, or empty. Problems name their field as the system does:
    `abilities[3]` is the fourth line that is not empty.
    """
    reader = Reader()
    fields = text_fields(game).values()
    data: dict[str, object] = {each.key: each.filled(reader, each.key, "") for each in fields if each.needed}
    if character is not None:
        data = game.sheets.write(character)
        for key in game.sheets.derived:
            del data[key]
    data |= _filled(reader, fields, values)
    return data, tuple(reader.problems)


def _filled(reader: Reader, fields: Iterable[Field], values: Values) -> dict[str, object]:
    """A draft as an object: what is typed is read, what was chosen is there already."""
    return {
        field.key: field.filled(reader, field.key, value) if isinstance(value, str) else value
        for field in fields
        if (value := values.get(field.key)) is not None
    }


def following(page: Page, values: Values) -> tuple[Line, ...]:
    """What follows from what a draft has of one step of creation."""
    return page.follows(_filled(Reader(), page.form.fields, values))


def read_texts(game: Game, values: Values, *, new: bool, character: AnyCharacter | None = None) -> Read:
    """A sheet from a draft; with `character` what they leave open is as on that sheet.

    Problems("bad-character") with all that is wrong at once.
    """
    data, problems = drafted(game, values, character)
    return read_object(game, data, new=new, problems=problems)


def write_object(game: Game, character: AnyCharacter) -> dict[str, object]:
    """The object that imports again as the same character, its portrait and notes included."""
    own = {"portrait": character.portrait, "notes": character.notes}
    return {**game.sheets.write(character), **{key: text for key, text in own.items() if text}}


def texts_of(game: Game, character: AnyCharacter) -> dict[str, str]:
    """The texts that would make this character, by the keys of the steps of creation."""
    written = {**game.sheets.write(character), "portrait": character.portrait, "notes": character.notes}
    return {
        key: "" if (value := written.get(key)) is None else field.text(value)
        for key, field in text_fields(game).items()
    }


def newly_made(game: Game, character: AnyCharacter) -> bool:
    """Whether the sheet is one that the rules of creation allow."""
    try:
        game.sheets.read(game, game.sheets.write(character), True)
    except RulesError:
        return False
    return True


def text_fields(game: Game) -> dict[str, Field]:
    """Every field of every step of creation, by key."""
    return {field.key: field for page in game.creation for field in page.form.fields}
