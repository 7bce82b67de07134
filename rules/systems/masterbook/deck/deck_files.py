"""Deck files: a table's own cards, read with every fault told by the card's number (MB-CARD-D05,
MB-CARD-D06).

What a file looks like says the schema in `data/deck-file.json`, which is also published; here it is
gone along.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, cast

from rules.core.data_rows import from_json, json_loader
from rules.core.errors import Problems
from rules.core.json_reader import Reader
from rules.core.record import Record
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    CardKind,
    Face,
    InitiativeLine,
    Mode,
    read_list,
)
from rules.systems.masterbook.formulas.skills import SKILLS

FORMAT: Final = "masterbook-deck"
SCHEMA: Final = cast("dict[str, Any]", json_loader("rules.systems.masterbook", "deck-file")())
#: The kinds of actions that a card may approve, besides skills (MB-CARD-A02).
APPROVED: Final = ("any", "defend", "maneuver")
#: In so many more than five for each player is a deck too small; so many has the game's own.
SPARE, EACH, USUAL = 20, 5, 106

Severity = Literal["error", "warning", "info"]
Shape = Mapping[str, Any]


class Finding(Record):
    """Something about a file as a whole: one of the checks of MB-CARD-D06, and the card that it is
    about.
    """

    code: str
    severity: Severity
    card: str = ""
    name: str = ""


class DeckFile(Record):
    """A table's own deck: the cards, and the kinds of its own."""

    title: str
    faces: tuple[Face, ...]
    kinds: tuple[CardKind, ...] = ()


class _Reader(Reader):
    """Goes along a value and its schema, and notes what does not fit; of a card by its number."""

    def fits(self, field: str, value: Any, shape: Shape) -> None:
        """Notes what is wrong with a value. Texts that have to be there are of one line."""
        if "$ref" in shape:
            shape = SCHEMA["$defs"][shape["$ref"].rpartition("/")[2]]
        kind = shape.get("type", "string")
        if isinstance(kind, list):
            if value is None:
                return
            kind = cast("list[str]", kind)[0]
        if "enum" in shape:
            if value not in shape["enum"]:
                self.add_problem(
                    "wrong-type", field, value, "choose-allowed", allowed=tuple(shape["enum"])
                )
        elif "pattern" in shape:
            if not isinstance(value, str) or not re.fullmatch(shape["pattern"], value):
                self.add_problem("mb-card-bad-key", field, value, "mb-card-write-key")
        elif kind == "string":
            needed = "minLength" in shape
            self.read_text(field, value, shape["maxLength"], needed=needed, one_line=needed)
        elif kind == "integer":
            self.read_number(field, value, shape["minimum"], shape["maximum"])
        elif kind == "boolean":
            self.read_bool(field, value)
        elif kind == "array":
            self._entries(field, value, shape)
        else:
            self._parts(field, value, shape)

    def _entries(self, field: str, value: Any, shape: Shape) -> None:
        seen: list[Any] = []
        for at, each in enumerate(self.read_list(field, value, shape["maxItems"]) or ()):
            if self.is_full:
                return
            number = _number_of(each)
            place = f"card {number}" if type(number) is int else f"{field}[{at}]"
            self.fits(place, each, shape["items"])
            if "uniqueItems" in shape and each in seen:
                self.add_problem("duplicate-field", place, each, "rename-or-remove", first=field)
            seen.append(each)
        if len(seen) < shape.get("minItems", 0):
            self.note_missing({}, (field,), "")

    def _parts(self, field: str, value: Any, shape: Shape) -> None:
        found = self.read_object(field, value)
        if found is None:
            return
        if "maxProperties" in shape:
            if not self.note_too_many(field, len(found), shape["maxProperties"]):
                for key, each in found.items():
                    self.fits(f"{field}.{key}", key, shape["propertyNames"])
                    self.fits(f"{field}.{key}", each, shape["additionalProperties"])
            return
        parts: dict[str, Any] = dict(shape["properties"])
        needed: list[str] = [*shape["required"]] if "required" in shape else []
        if "if" in shape:
            asked: dict[str, Any] = shape["if"]["properties"]
            met = all(found.get(key) == each["const"] for key, each in asked.items())
            then: Shape = shape["then" if met else "else"]
            needed += then.get("required", ())
            parts = {
                key: each for key, each in parts.items() if key not in then.get("properties", ())
            }
        prefix = f"{field}." if field else ""
        self.note_unknown(found, tuple(parts), prefix)
        self.note_missing(found, needed, prefix)
        for key in [key for key in parts if key in found]:
            self.fits(f"{prefix}{key}", found[key], parts[key])


def _number_of(row: Any) -> object:
    return row.get("number") if hasattr(row, "get") else None


def _lines(row: Any) -> InitiativeLine | None:
    if row is None:
        return None
    players: dict[str, Any] = row.get("p") or {}
    gms: dict[str, Any] = row.get("g") or {}
    return InitiativeLine(
        row["first"], players.get("effect", ""), gms.get("effect", ""), gms.get("skill", "")
    )


def _face(row: Any) -> Face:
    box: dict[str, Any] = row.get("critical") or {}
    return Face(
        str(row["number"]),
        row["name"],
        _lines(row.get("standard")),
        _lines(row.get("dramatic")),
        box.get("kind"),
        tuple(box.get("letters", ())),
        tuple(row.get("approved", ())),
        row.get("text", ""),
        row.get("in_play", True),
    )


#: What is so for a definition of this type that does not say.
_USUAL: Final[Mapping[str, Mapping[str, object]]] = {
    "enhancement": {"counts_in_hand": True, "on_draw": "to_hand"},
    "subplot": {"replacement_draw": True, "on_draw": "face_up"},
    "picture": {"replacement_draw": True, "on_draw": "gamemaster"},
}


def _kind(key: str, row: Any) -> CardKind:
    """A kind of card of the file's own."""
    said = {name: each for name, each in row.items() if name != "effect"} | dict(
        row.get("effect", {})
    )
    return from_json(
        CardKind, {"key": key, "op": "gm_text", "count": 1, **_USUAL[row["type"]], **said}
    )


def read_file(file: Mapping[str, object]) -> tuple[DeckFile, Mapping[str, str]]:
    """A deck file from its JSON object, and the types that cards say to be of, by number.

    Raises Problems("deck-problems") with everything that has not the right form.
    """
    reader = _Reader()
    reader.fits("", file, SCHEMA)
    if reader.problems:
        raise Problems("deck-problems", reader.problems)
    rows: Any = file
    kinds = [_kind(key, each) for key, each in rows.get("definitions", {}).items()]
    types = {str(each["number"]): each["type"] for each in rows["cards"] if "type" in each}
    return DeckFile(rows["title"], tuple(map(_face, rows["cards"])), tuple(kinds)), types


def deck_findings(
    file: DeckFile, mode: Mode, players: int = 0, types: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """What is wrong with a deck as a whole, and what is worth knowing, in the order of
    MB-CARD-D06.
    """
    ids, there = [each.id for each in file.faces], [each for each in file.faces if each.in_play]
    own, said = {each.key: each for each in file.kinds}, types or {}
    known = {**KINDS, **own}
    other = [each for each in file.faces if each.kind in known]
    other = [
        each for each in other if said.get(each.id, known[each.kind].type) != known[each.kind].type
    ]
    shadows = [
        key for key in own if key in KINDS and not KINDS[key].type == own[key].type == "picture"
    ]
    lineless = [each for each in there if each.standard is None or each.dramatic is None]
    found = [
        Finding("dup_number", "error", each) for at, each in enumerate(ids) if each in ids[:at]
    ]
    found += [
        Finding("unknown_name", "error", *_of(each))
        for each in file.faces
        if each.kind not in known
    ]
    found += [Finding("type_mismatch", "error", *_of(each)) for each in other]
    found += [Finding("shadowed_builtin", "error", name=each) for each in shadows]
    found += [Finding("lines_missing", "error", each.id) for each in lineless if mode.lines]
    found += [Finding("box_missing", "warning", each.id) for each in there if each.box is None][:1]
    found += [Finding("blank_in_play", "error", each.id) for each in there if each.kind == "blank"]
    if "general" not in own and any(each.kind == "general" for each in there):
        found.append(Finding("general_undefined", "warning"))
    actions = {
        *APPROVED,
        *read_list("skills", str),
        *(each.lower().replace(" ", "_") for each in SKILLS),
    }
    approved = [(each.id, key) for each in there for key in each.approved if key not in actions]
    found += [Finding("unknown_approved", "warning", *each) for each in approved]
    if len(there) < EACH * players + SPARE:
        found.append(Finding("too_few_cards", "warning"))
    if len(there) != USUAL:
        found.append(Finding("size_differs", "info"))
    return tuple(found)


def _of(face: Face) -> tuple[str, str]:
    return face.id, face.kind


def load_deck(
    data: Mapping[str, object], mode: Mode, players: int = 0
) -> tuple[DeckFile, tuple[Finding, ...]]:
    """A deck file that may be played with, and what is worth knowing of it.

    Raises Problems("deck-problems") with everything that is wrong, by the card's number.
    """
    file, types = read_file(data)
    found = deck_findings(file, mode, players, types)
    reader = Reader()
    for each in found:
        if each.severity == "error":
            field = f"card {each.card}" if each.card else f"definitions.{each.name}"
            reader.add_problem(
                f"mb-card-{each.code.replace('_', '-')}", field, each.name, "mb-card-mend-deck"
            )
    if reader.problems:
        raise Problems("deck-problems", reader.problems)
    return file, tuple([each for each in found if each.severity != "error"])
