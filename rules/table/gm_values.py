"""Values of a sheet that a GM sets by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from rules.core.errors import InvalidInput, NotFound
from rules.core.name_matching import name_key, similar_names
from rules.core.record import Record
from rules.table import resources
from rules.table.blocks import Text
from rules.table.forms.fields import QUOTE_MAX, Option
from rules.table.resources import Resource
from rules.table.state import AnyCharacter

T = TypeVar("T")

#: Parameters of a label, by name.
LabelParams = dict[str, Any]
#: Names of a tool with a single value.
ONE: tuple[tuple[str, LabelParams]] = (("", {}),)


class Tool(Record):
    """A kind of value that a GM sets by hand.

    If a sheet has several values of the kind, a name behind a colon tells them apart.
    """

    #: Code of the label of a value, and of the line on a change.
    says: str
    #: Names of the values on a sheet, each with the parameters of its label.
    there: Callable[[Any], Iterable[tuple[str, LabelParams]]]
    #: Sets a value, given game, sheet, name and text. Returns the sheet and the line's parameters.
    put: Callable[[Any, Any, str, str], tuple[Any, LabelParams]]
    #: Values to offer, given sheet and name.
    offers: Callable[[Any, str], Iterable[Option]] = lambda sheet, name: ()


def replace_entry(entries: tuple[T, ...], index: int, *instead: T) -> tuple[T, ...]:
    """Return the entries with others, or none, in place of the one at *index*."""
    return (*entries[:index], *instead, *entries[index + 1 :])


def append_entry(entries: tuple[T, ...], entry: T, field: str, most: int) -> tuple[T, ...]:
    """Return the entries with one more. Raises InvalidInput("too-many-entries")."""
    count = len(entries)
    if count >= most:
        raise InvalidInput("too-many-entries", field=field, value=count, highest=most)
    return (*entries, entry)


class Tools(Record):
    """All values of a system's sheets that a GM sets by hand."""

    #: Tools by key.
    known: Mapping[str, Tool]
    #: Resources that are set as points.
    points: tuple[Resource[Any], ...] = ()
    #: Returns a character as it is by now, with the effects of time that haven't been applied yet.
    current: Callable[[Any, AnyCharacter], AnyCharacter] = lambda game, character: character

    def adjustables(self, character: AnyCharacter) -> tuple[Option, ...]:
        """Return the values that can be set."""
        options = list(resources.adjustables(self.points, character.sheet))
        for key, tool in self.known.items():
            for name, shown in tool.there(character.sheet):
                value = f"{key}:{name}"[:QUOTE_MAX] if name else key
                options.append(Option(value, Text(tool.says, {"tool": key, **shown})))
        return tuple(options)

    def values(self, character: AnyCharacter, what: str) -> tuple[Option, ...]:
        """Return the texts to offer for a value; none if any text may be typed."""
        key, name = _key_and_name(what)
        if key not in self.known:
            return ()
        return tuple(self.known[key].offers(character.sheet, name))

    def adjust(
        self, game: Any, character: AnyCharacter, what: str, value: str
    ) -> tuple[AnyCharacter, Text]:
        """Return the character with another value, and the line on the change.

        Raises NotFound("unknown-adjustable"), InvalidInput("already-so"), and as the tool.
        """
        character = self.current(game, character)
        key, name = _key_and_name(what)
        tool = self.known.get(key)
        if tool is not None:
            sheet, shown = tool.put(game, character.sheet, name, value.strip())
            line = Text(tool.says, {"tool": key, **shown, "done": True})
        else:
            adjusted = resources.adjust(self.points, character.sheet, what, value, game.setting)
            if adjusted is None:
                raise self._unknown_error(character, what)
            sheet, line = adjusted
        if sheet == character.sheet:
            raise InvalidInput("already-so", field="value", value=value[:QUOTE_MAX])
        return character.replace(sheet=sheet), line

    def _unknown_error(self, character: AnyCharacter, what: str) -> NotFound:
        allowed: dict[str, None] = {}
        for option in self.adjustables(character):
            key, colon, _ = option.value.partition(":")
            words = key.replace("_", " ")
            allowed[f"{words}:…" if colon else words] = None
        return NotFound(
            "unknown-adjustable",
            field="what",
            value=what[:QUOTE_MAX],
            nearest=similar_names(_key_and_name(what)[0], allowed),
            allowed=tuple(allowed),
        )


def _key_and_name(what: str) -> tuple[str, str]:
    key, _, name = what.partition(":")
    return name_key(key), name.strip()
