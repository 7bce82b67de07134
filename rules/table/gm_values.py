"""What a GM sets by hand on a sheet: what there is to set, the values worth offering, and what has
become of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from rules.core.errors import InvalidInput, NotFound
from rules.core.name_matching import name_key, similar_names
from rules.core.record import Record
from rules.table import resources
from rules.table.blocks import Text
from rules.table.forms import QUOTE_MAX, Option
from rules.table.resources import Resource
from rules.table.state import AnyCharacter

T = TypeVar("T")

#: What a line says, by name.
LabelParams = dict[str, Any]
#: There is one of its kind.
ONE: tuple[tuple[str, LabelParams]] = (("", {}),)


class Tool(Record):
    """Something that is set by hand; one of several is told by the name behind a colon.

    `there` are the names that a sheet has, each with what its label shows; `put` sets one: game,
    sheet, name, value -> the sheet then, and what has become of it; `offers` are the values of one
    of them. `says` is the code of both.
    """

    says: str
    there: Callable[[Any], Iterable[tuple[str, LabelParams]]]
    put: Callable[[Any, Any, str, str], tuple[Any, LabelParams]]
    offers: Callable[[Any, str], Iterable[Option]] = lambda sheet, name: ()


def replace_entry(entries: tuple[T, ...], index: int, *instead: T) -> tuple[T, ...]:
    """The entries with others, or nothing, in the place of one."""
    return (*entries[:index], *instead, *entries[index + 1 :])


def append_entry(entries: tuple[T, ...], entry: T, field: str, most: int) -> tuple[T, ...]:
    """One more of them. InvalidInput("too-many-entries")."""
    if (count := len(entries)) >= most:
        raise InvalidInput("too-many-entries", field=field, value=count, highest=most)
    return (*entries, entry)


class Tools(Record):
    """What is set by what is `known` and as `points`; `current` is somebody as they are by now."""

    known: Mapping[str, Tool]
    points: tuple[Resource[Any], ...] = ()
    current: Callable[[Any, AnyCharacter], AnyCharacter] = lambda game, character: character

    def adjustables(self, character: AnyCharacter) -> tuple[Option, ...]:
        """What there is to set."""
        own = [
            Option(
                f"{key}:{name}"[:QUOTE_MAX] if name else key,
                Text(tool.says, {"tool": key, **shown}),
            )
            for key, tool in self.known.items()
            for name, shown in tool.there(character.sheet)
        ]
        return (*resources.adjustables(self.points, character.sheet), *own)

    def values(self, character: AnyCharacter, what: str) -> tuple[Option, ...]:
        """The values worth offering; none where anything may be written."""
        key, name = _parts(what)
        return tuple(self.known[key].offers(character.sheet, name)) if key in self.known else ()

    def adjust(
        self, game: Any, character: AnyCharacter, what: str, value: str
    ) -> tuple[AnyCharacter, Text]:
        """Somebody with another value, and what has become of it.

        NotFound("unknown-adjustable"), InvalidInput("already-so"), and what a tool raises.
        """
        character, (key, name) = self.current(game, character), _parts(what)
        if (tool := self.known.get(key)) is not None:
            sheet, shown = tool.put(game, character.sheet, name, value.strip())
            line = Text(tool.says, {"tool": key, **shown, "done": True})
        elif (
            done := resources.adjust(self.points, character.sheet, what, value, game.setting)
        ) is not None:
            sheet, line = done
        else:
            there = [adjustable.value.partition(":") for adjustable in self.adjustables(character)]
            words = [(key.replace("_", " "), colon) for key, colon, _ in there]
            allowed = tuple(dict.fromkeys(f"{key}:…" if colon else key for key, colon in words))
            raise NotFound(
                "unknown-adjustable",
                field="what",
                value=what[:QUOTE_MAX],
                nearest=similar_names(_parts(what)[0], allowed),
                allowed=allowed,
            )
        if sheet == character.sheet:
            raise InvalidInput("already-so", field="value", value=value[:QUOTE_MAX])
        return character.replace(sheet=sheet), line


def _parts(what: str) -> tuple[str, str]:
    key, _, name = what.partition(":")
    return name_key(key), name.strip()
