"""Deck files: a table's own cards, read with every fault named by card (MB-CARD-D05, MB-CARD-D06).

The schema in `data/deck-file.json`, which is also published, says what a file looks like.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
#: Kinds of actions that a card may approve, besides skills (MB-CARD-A02).
APPROVED: Final = ("any", "defend", "maneuver")
#: Cards that a deck needs: five a player and these many more. The project's own deck has 106.
SPARE, EACH, USUAL = 20, 5, 106

Severity = Literal["error", "warning", "info"]
Shape = Mapping[str, Any]


class Finding(Record):
    """A fault or fact of a file as a whole: a check of MB-CARD-D06, and its card."""

    code: str
    severity: Severity
    card: str = ""
    name: str = ""


class DeckFile(Record):
    """A table's own deck."""

    title: str
    faces: tuple[Face, ...]
    #: Kinds of cards of its own.
    kinds: tuple[CardKind, ...] = ()


class _Reader(Reader):
    """Reader that checks a value against its schema, and names cards by number."""

    def fits(self, field: str, value: Any, shape: Shape) -> None:
        """Note what is wrong with a value. Required texts have one line."""
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
        for at, entry in enumerate(self.read_list(field, value, shape["maxItems"]) or ()):
            if self.is_full:
                return
            card_number = _number_of(entry)
            place = f"card {card_number}" if type(card_number) is int else f"{field}[{at}]"
            self.fits(place, entry, shape["items"])
            if "uniqueItems" in shape and entry in seen:
                self.add_problem("duplicate-field", place, entry, "rename-or-remove", first=field)
            seen.append(entry)
        if len(seen) < shape.get("minItems", 0):
            self.note_missing({}, (field,), "")

    def _parts(self, field: str, value: Any, shape: Shape) -> None:
        members = self.read_object(field, value)
        if members is None:
            return
        if "maxProperties" in shape:
            if not self.note_too_many(field, len(members), shape["maxProperties"]):
                for key, member in members.items():
                    self.fits(f"{field}.{key}", key, shape["propertyNames"])
                    self.fits(f"{field}.{key}", member, shape["additionalProperties"])
            return
        parts: dict[str, Any] = dict(shape["properties"])
        required: list[str] = [*shape["required"]] if "required" in shape else []
        if "if" in shape:
            conditions: dict[str, Any] = shape["if"]["properties"]
            met = all(members.get(key) == part["const"] for key, part in conditions.items())
            branch: Shape = shape["then" if met else "else"]
            required += branch.get("required", ())
            for key in branch.get("properties", ()):
                parts.pop(key, None)
        prefix = f"{field}." if field else ""
        self.note_unknown(members, tuple(parts), prefix)
        self.note_missing(members, required, prefix)
        for key, part in parts.items():
            if key in members:
                self.fits(f"{prefix}{key}", members[key], part)


def _number_of(row: Any) -> object:
    return row.get("number") if hasattr(row, "get") else None


def _lines(row: Any) -> InitiativeLine | None:
    if row is None:
        return None
    players: dict[str, Any] = row.get("p") or {}
    gms: dict[str, Any] = row.get("g") or {}
    return InitiativeLine(
        row["first"],
        players=players.get("effect", ""),
        gms=gms.get("effect", ""),
        skill=gms.get("skill", ""),
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


#: Values of a definition that does not state them, by its type.
_DEFAULTS: Final[Mapping[str, Mapping[str, object]]] = {
    "enhancement": {"counts_in_hand": True, "on_draw": "to_hand"},
    "subplot": {"replacement_draw": True, "on_draw": "face_up"},
    "picture": {"replacement_draw": True, "on_draw": "gamemaster"},
}


def _kind(key: str, row: Any) -> CardKind:
    """Return a kind of card that the file defines."""
    stated = {**row, **row.get("effect", {})}
    if "effect" in row:
        del stated["effect"]
    values = {"key": key, "op": "gm_text", "count": 1, **_DEFAULTS[row["type"]], **stated}
    return from_json(CardKind, values)


def read_file(file: Mapping[str, object]) -> tuple[DeckFile, Mapping[str, str]]:
    """Return a deck file from its JSON object, and the types that its cards state, by number.

    Raises Problems("deck-problems") with every fault of form.
    """
    reader = _Reader()
    reader.fits("", file, SCHEMA)
    if reader.problems:
        raise Problems("deck-problems", reader.problems)
    rows: Any = file
    kinds = [_kind(key, row) for key, row in rows.get("definitions", {}).items()]
    types = {str(card["number"]): card["type"] for card in rows["cards"] if "type" in card}
    return DeckFile(rows["title"], tuple(map(_face, rows["cards"])), tuple(kinds)), types


def deck_findings(
    file: DeckFile, mode: Mode, players: int = 0, types: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """Return the findings about a deck as a whole, in the order of MB-CARD-D06.

    *types* are the types that cards state, by number.
    """
    in_play = [face for face in file.faces if face.in_play]
    own_kinds = {kind.key: kind for kind in file.kinds}
    findings = [
        *_duplicate_numbers(file),
        *_kind_findings(file, {**KINDS, **own_kinds}, types or {}),
        *_shadowed_kinds(own_kinds),
    ]
    if mode.lines:
        findings += [
            Finding("lines_missing", "error", face.id)
            for face in in_play
            if face.standard is None or face.dramatic is None
        ]
    boxless = [face for face in in_play if face.box is None]
    findings += [Finding("box_missing", "warning", face.id) for face in boxless[:1]]
    blank = [face for face in in_play if face.kind == "blank"]
    findings += [Finding("blank_in_play", "error", face.id) for face in blank]
    if "general" not in own_kinds and any(face.kind == "general" for face in in_play):
        findings.append(Finding("general_undefined", "warning"))
    findings += _unknown_approvals(in_play)
    if len(in_play) < EACH * players + SPARE:
        findings.append(Finding("too_few_cards", "warning"))
    if len(in_play) != USUAL:
        findings.append(Finding("size_differs", "info"))
    return tuple(findings)


def _duplicate_numbers(file: DeckFile) -> list[Finding]:
    """Return a finding for each card whose number an earlier card has."""
    findings: list[Finding] = []
    seen: set[str] = set()
    for face in file.faces:
        if face.id in seen:
            findings.append(Finding("dup_number", "error", face.id))
        seen.add(face.id)
    return findings


def _kind_findings(
    file: DeckFile, kinds: Mapping[str, CardKind], types: Mapping[str, str]
) -> list[Finding]:
    """Return the findings about cards of unknown kinds, then about cards of another type."""
    unknown: list[Finding] = []
    mismatched: list[Finding] = []
    for face in file.faces:
        kind = kinds.get(face.kind)
        if kind is None:
            unknown.append(Finding("unknown_name", "error", face.id, face.kind))
        elif types.get(face.id, kind.type) != kind.type:
            mismatched.append(Finding("type_mismatch", "error", face.id, face.kind))
    return [*unknown, *mismatched]


def _shadowed_kinds(own_kinds: Mapping[str, CardKind]) -> list[Finding]:
    """Return a finding for each own kind with the key of a built-in one. Pictures may have it."""
    findings: list[Finding] = []
    for key, kind in own_kinds.items():
        if key in KINDS and not KINDS[key].type == kind.type == "picture":
            findings.append(Finding("shadowed_builtin", "error", name=key))
    return findings


def _unknown_approvals(in_play: Sequence[Face]) -> list[Finding]:
    """Return a finding for each approved action that is neither a kind nor a skill."""
    skills = [skill.lower().replace(" ", "_") for skill in SKILLS]
    actions = {*APPROVED, *read_list("skills", str), *skills}
    findings: list[Finding] = []
    for face in in_play:
        for action in face.approved:
            if action not in actions:
                findings.append(Finding("unknown_approved", "warning", face.id, action))
    return findings


def load_deck(
    data: Mapping[str, object], mode: Mode, players: int = 0
) -> tuple[DeckFile, tuple[Finding, ...]]:
    """Return a deck file that may be played with, and its findings that are no errors.

    Raises Problems("deck-problems") with every fault, by the card's number.
    """
    file, types = read_file(data)
    findings = deck_findings(file, mode, players, types)
    reader = Reader()
    for finding in findings:
        if finding.severity == "error":
            field = f"card {finding.card}" if finding.card else f"definitions.{finding.name}"
            reader.add_problem(
                f"mb-card-{finding.code.replace('_', '-')}",
                field,
                finding.name,
                "mb-card-mend-deck",
            )
    if reader.problems:
        raise Problems("deck-problems", reader.problems)
    return file, tuple(finding for finding in findings if finding.severity != "error")
