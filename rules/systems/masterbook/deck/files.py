"""Deck files: a table's own cards, read with every fault told by the card's number (MB-CARD-D05, MB-CARD-D06)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, cast, get_args

from rules.core.errors import Problems
from rules.core.reading import Reader, shown
from rules.core.record import Record, record
from rules.systems.masterbook.deck.faces import LETTERS, Box, Effect, Face, Lines
from rules.systems.masterbook.deck.kinds import (
    DATA,
    KINDS,
    Award,
    CardKind,
    Drawn,
    Due,
    Held,
    Mode,
    Op,
    Target,
    Type,
    Window,
    by_cards,
)
from rules.systems.masterbook.skills import SKILLS

FORMAT: Final = "masterbook-deck"
#: Most cards and definitions of a file, and longest texts, in characters.
CARDS_MOST: Final = 400
DEFINITIONS_MOST: Final = 60
TITLE_MOST, NAME_MOST, SUMMARY_MOST, TEXT_MOST, NOTES_MOST = 80, 40, 160, 300, 2000
APPROVED_MOST: Final = 6
NUMBER_MOST: Final = 9999
AMOUNT_MOST: Final = 20
#: What names look like.
KEY: Final = "[a-z][a-z0-9_]{0,39}"
ID: Final = "[a-z0-9][a-z0-9-]{0,39}"
#: The kinds of actions that a card may approve, besides skills (MB-CARD-A02).
APPROVED: Final = ("any", "defend", "maneuver")
#: In so many more than five for each player is a deck too small; so many has the game's own.
SPARE, EACH, USUAL = 20, 5, 106

EFFECTS: Final[tuple[str, ...]] = tuple(each for each in get_args(Effect) if each)
#: Which effects a side can have (MB-CARD-02).
SIDES: Final[Mapping[str, tuple[str, ...]]] = {
    "p": tuple(each for each in EFFECTS if each not in ("breaks", "skill")),
    "g": tuple(each for each in EFFECTS if each != "confused"),
}
#: The operations that a definition may have, and the pictures that it may give another result.
OPS: Final = tuple(each for each in get_args(Op) if each not in ("", "any_card", "campaign"))

#: What else may stand in a file, in the order in which it is told.
BOXES: Final[tuple[str, ...]] = get_args(Box)
TYPES: Final[tuple[str, ...]] = get_args(Type)
TARGETS: Final[tuple[str, ...]] = get_args(Target)
WINDOWS: Final[tuple[str, ...]] = get_args(Window)
HELD: Final[tuple[str, ...]] = get_args(Held)
DRAWN: Final[tuple[str, ...]] = get_args(Drawn)
DUES: Final[tuple[str, ...]] = get_args(Due)

Severity = Literal["error", "warning", "info"]


@record
class Finding(Record):
    """Something about a file as a whole: one of the checks of MB-CARD-D06, and the card that it is about."""

    code: str
    severity: Severity
    card: str = ""
    name: str = ""


@record
class DeckFile(Record):
    """A table's own deck: the cards, and the kinds of its own."""

    deck_id: str
    title: str
    faces: tuple[Face, ...]
    kinds: tuple[CardKind, ...] = ()


class _Reader(Reader):
    """Reads the parts of a deck file; what is wrong with a card is told with its number."""

    def one(self, field: str, value: object, allowed: Sequence[str]) -> str:
        """One of these; the first for what is none."""
        if value in allowed and isinstance(value, str):
            return value
        self.add("wrong-type", field, value, "choose-allowed", allowed=tuple(allowed))
        return allowed[0]

    def key(self, field: str, value: object, shape: str = KEY) -> str:
        """A name of this shape; empty for what is none."""
        if isinstance(value, str) and re.fullmatch(shape, value):
            return value
        self.add("mb-card-bad-key", field, value, "mb-card-write-key")
        return ""

    def keys(self, field: str, value: object, most: int, allowed: Sequence[str] = ()) -> tuple[str, ...]:
        """Names, each once."""
        found: list[str] = []
        for at, each in enumerate(self.read_list(field, value, most) or ()):
            place = f"{field}[{at}]"
            name = self.one(place, each, allowed) if allowed else self.key(place, each)
            if name in found:
                self.add("duplicate-field", place, name, "rename-or-remove", first=field)
            found.append(name)
        return tuple(found)

    def lines(self, field: str, value: object) -> Lines | None:
        """An initiative line, or none."""
        if value is None or (data := self.read_object(field, value)) is None:
            return None
        self.note_unknown(data, ("first", "p", "g"), f"{field}.")
        self.note_missing(data, ("first",), f"{field}.")
        first = self.one(f"{field}.first", data.get("first", "P"), ("P", "G"))
        players, _ = self.effect(f"{field}.p", data.get("p"), "p")
        gms, skill = self.effect(f"{field}.g", data.get("g"), "g")
        return Lines(cast("Any", first), cast("Any", players), cast("Any", gms), skill)

    def effect(self, field: str, value: object, side: str) -> tuple[str, str]:
        """What befalls a side, and the skill that takes cards away."""
        if value is None or (data := self.read_object(field, value)) is None:
            return "", ""
        self.note_missing(data, ("effect",), f"{field}.")
        if "effect" not in data:
            return "", ""
        effect = self.one(f"{field}.effect", data["effect"], SIDES[side])
        needed = ("effect", "skill") if effect == "skill" else ("effect",)
        self.note_unknown(data, needed, f"{field}.")
        self.note_missing(data, needed, f"{field}.")
        return effect, self.key(
            f"{field}.skill", data["skill"]
        ) if "skill" in data and effect == "skill" else ""

    def box(self, field: str, value: object) -> tuple[Box | None, tuple[str, ...]]:
        """The box of a task's steps, or none."""
        if value is None or (data := self.read_object(field, value)) is None:
            return None, ()
        self.note_missing(data, ("kind",), f"{field}.")
        kind = self.one(f"{field}.kind", data.get("kind", "letters"), BOXES)
        needed = ("kind", "letters") if kind == "letters" else ("kind",)
        self.note_unknown(data, needed, f"{field}.")
        if kind != "letters":
            return cast("Box", kind), ()
        letters = self.keys(f"{field}.letters", data.get("letters", ()), len(LETTERS), LETTERS)
        if not letters:
            self.note_missing({}, ("letters",), f"{field}.")
        return "letters", letters

    def card(self, at: int, value: object) -> tuple[Face, str] | None:
        """A card, and the type it says to be."""
        data = self.read_object(f"cards[{at}]", value)
        if data is None:
            return None
        number = data.get("number")
        whole = isinstance(number, int) and not isinstance(number, bool)
        field = f"card {number}" if whole else f"cards[{at}]"
        self.note_unknown(data, _CARD, f"{field}.")
        self.note_missing(data, ("number", "name"), f"{field}.")
        if "number" in data:
            number = self.read_number(f"{field}.number", number, 1, NUMBER_MOST)
        name = self.key(f"{field}.name", data["name"]) if "name" in data else ""
        type_ = self.one(f"{field}.type", data["type"], TYPES) if "type" in data else ""
        box, letters = self.box(f"{field}.critical", data.get("critical"))
        face = Face(
            str(number),
            name,
            self.lines(f"{field}.standard", data.get("standard")),
            self.lines(f"{field}.dramatic", data.get("dramatic")),
            box,
            letters,
            self.keys(f"{field}.approved", data.get("approved", ()), APPROVED_MOST),
            self.read_text(f"{field}.text", data.get("text", ""), TEXT_MOST),
            self.read_truth(f"{field}.in_play", data.get("in_play", True)),
        )
        return face, type_

    def definition(self, key: str, value: object) -> CardKind | None:
        """A kind of card of the file's own."""
        field = f"definitions.{key}"
        data = self.read_object(field, value)
        if data is None:
            return None
        self.key(field, key)
        self.note_unknown(data, _DEFINITION, f"{field}.")
        self.note_missing(data, ("name", "type", "summary"), f"{field}.")
        types = TYPES[:3]
        type_ = self.one(f"{field}.type", data.get("type", types[0]), types)
        effect = self.read_object(f"{field}.effect", data.get("effect", {})) or {}
        self.note_unknown(effect, _EFFECT, f"{field}.effect.")
        if "effect" in data:
            self.note_missing(effect, ("op",), f"{field}.effect.")
        award = self.award(f"{field}.award", data.get("award"))
        usual = _USUAL[type_]

        def text(name: str, longest: int) -> str:
            given = data.get(name, "…")
            return self.read_text(f"{field}.{name}", given, longest, needed=True, one_line=True)

        def truth(name: str, otherwise: bool) -> bool:
            return self.read_truth(f"{field}.{name}", data.get(name, otherwise))

        def number(name: str, otherwise: int, lowest: int, highest: int) -> int:
            return self.read_number(f"{field}.effect.{name}", effect.get(name, otherwise), lowest, highest)

        def choice(name: str, given: Mapping[str, object], allowed: Sequence[str], otherwise: str) -> Any:
            return self.one(f"{field}.{name}", given[name], allowed) if name in given else otherwise

        return CardKind(
            key,
            text("name", NAME_MOST),
            cast("Type", type_),
            op=choice("op", effect, OPS, "gm_text"),
            amount=number("amount", 0, -AMOUNT_MOST, AMOUNT_MOST),
            scope=self.keys(f"{field}.effect.scope", effect.get("scope", ()), DEFINITIONS_MOST),
            windows=cast("Any", self.keys(f"{field}.windows", data.get("windows", ()), 8, WINDOWS)),
            held=choice("in_rounds_from", data, HELD, "pool"),
            outside=truth("outside_rounds", True),
            counts=truth("counts_in_hand", usual.counts),
            replaced=truth("replacement_draw", usual.replaced),
            drawn=choice("on_draw", data, DRAWN, usual.drawn),
            count=number("count", 1, 1, 10),
            target=choice("target", effect, TARGETS, "self"),
            also_effect=number("also_effect_value", 0, -AMOUNT_MOST, AMOUNT_MOST),
            trained=self.read_truth(
                f"{field}.effect.treat_as_trained", effect.get("treat_as_trained", False)
            ),
            skill_points=number("skill_points", 0, 0, AMOUNT_MOST),
            award=award,
            summary=text("summary", SUMMARY_MOST),
        )

    def award(self, field: str, value: object) -> Award | None:
        """What a subplot of the file's own pays."""
        if value is None or (data := self.read_object(field, value)) is None:
            return None
        self.note_unknown(data, ("when", "life_points"), f"{field}.")
        self.note_missing(data, ("when", "life_points"), f"{field}.")
        when = self.one(f"{field}.when", data.get("when", "gamemaster"), DUES)
        points = self.read_number(f"{field}.life_points", data.get("life_points", 0), 0, 10)
        return Award(cast("Due", when), points)


@record
class _Usual:
    """What is so for a definition of this type that does not say."""

    counts: bool
    replaced: bool
    drawn: Drawn


_USUAL: Final = {
    "enhancement": _Usual(True, False, "to_hand"),
    "subplot": _Usual(False, True, "face_up"),
    "picture": _Usual(False, True, "gamemaster"),
}
_TOP: Final = ("format", "format_version", "deck_id", "title", "cards", "origin", "notes", "definitions")
_CARD: Final = ("number", "name", "type", "in_play", "standard", "dramatic", "critical", "approved", "text")
_DEFINITION: Final = (
    "name",
    "type",
    "summary",
    "effect",
    "windows",
    "in_rounds_from",
    "outside_rounds",
    "counts_in_hand",
    "replacement_draw",
    "on_draw",
    "award",
)
_EFFECT: Final = (
    "op",
    "amount",
    "scope",
    "count",
    "target",
    "also_effect_value",
    "treat_as_trained",
    "skill_points",
)


def read_file(data: Mapping[str, object]) -> tuple[DeckFile, Mapping[str, str]]:
    """A deck file from its JSON object, and the types that cards say to be of, by number.

    Raises Problems("deck-problems") with everything that has not the right form.
    """
    reader = _Reader()
    reader.note_unknown(data, _TOP, "")
    reader.note_missing(data, _TOP[:5], "")
    reader.one("format", data.get("format", FORMAT), (FORMAT,))
    reader.read_number("format_version", data.get("format_version", 1), 1, 1)
    deck_id = reader.key("deck_id", data.get("deck_id", "deck"), ID)
    title = reader.read_text("title", data.get("title", "…"), TITLE_MOST, needed=True, one_line=True)
    reader.one("origin", data.get("origin", "user"), ("user", "project_default"))
    reader.read_text("notes", data.get("notes", ""), NOTES_MOST)
    own = reader.read_object("definitions", data.get("definitions", {})) or {}
    kinds: list[CardKind] = []
    if not reader.too_many("definitions", len(own), DEFINITIONS_MOST):
        kinds = [kind for key, each in own.items() if (kind := reader.definition(str(shown(key)), each))]
    faces: list[Face] = []
    types: dict[str, str] = {}
    for at, row in enumerate(reader.read_list("cards", data.get("cards", ()), CARDS_MOST) or ()):
        if reader.enough:
            break
        read = reader.card(at, row)
        if read is not None:
            faces.append(read[0])
            if read[1]:
                types[read[0].id] = read[1]
    if "cards" in data and not data["cards"]:
        reader.note_missing({}, ("cards",), "")
    if reader.problems:
        raise Problems("deck-problems", reader.problems)
    return DeckFile(deck_id, title, tuple(faces), tuple(kinds)), types


def checked(
    file: DeckFile, mode: Mode, players: int = 0, types: Mapping[str, str] | None = None
) -> tuple[Finding, ...]:
    """What is wrong with a deck as a whole, and what is worth knowing, in the order of MB-CARD-D06."""
    return tuple(_findings(file, mode, players, types or {}))


def _findings(file: DeckFile, mode: Mode, players: int, types: Mapping[str, str]) -> Iterator[Finding]:
    own = {each.key: each for each in file.kinds}
    known = {**KINDS, **own}
    there, seen = [each for each in file.faces if each.in_play], set[str]()
    for each in file.faces:
        if each.id in seen:
            yield Finding("dup_number", "error", each.id)
        seen.add(each.id)
    for each in file.faces:
        if each.kind not in known:
            yield Finding("unknown_name", "error", each.id, each.kind)
    for each in file.faces:
        if each.kind in known and types.get(each.id, known[each.kind].type) != known[each.kind].type:
            yield Finding("type_mismatch", "error", each.id, each.kind)
    for key, kind in own.items():
        if key in KINDS and not KINDS[key].type == kind.type == "picture":
            yield Finding("shadowed_builtin", "error", name=key)
    if by_cards(mode.key):
        for each in there:
            if each.standard is None or each.dramatic is None:
                yield Finding("lines_missing", "error", each.id)
    if any(each.box is None for each in there):
        yield Finding("box_missing", "warning", _first(each.id for each in there if each.box is None))
    for each in there:
        if each.kind == "blank":
            yield Finding("blank_in_play", "error", each.id)
    if "general" not in own and any(each.kind == "general" for each in there):
        yield Finding("general_undefined", "warning")
    yield from _approvals(there)
    if len(there) < EACH * players + SPARE:
        yield Finding("too_few_cards", "warning")
    if len(there) != USUAL:
        yield Finding("size_differs", "info")


def _first(cards: Iterator[str]) -> str:
    return next(cards)


def _approvals(faces: Collection[Face]) -> Iterator[Finding]:
    known = {*APPROVED, *DATA.of("skills", str), *(each.lower().replace(" ", "_") for each in SKILLS)}
    for each in faces:
        for key in each.approved:
            if key not in known:
                yield Finding("unknown_approved", "warning", each.id, key)


def loaded(data: Mapping[str, object], mode: Mode, players: int = 0) -> tuple[DeckFile, tuple[Finding, ...]]:
    """A deck file that may be played with, and what is worth knowing of it.

    Raises Problems("deck-problems") with everything that is wrong, by the card's number.
    """
    file, types = read_file(data)
    found = checked(file, mode, players, types)
    reader = Reader()
    for each in found:
        if each.severity == "error":
            field = f"card {each.card}" if each.card else f"definitions.{each.name}"
            reader.add(f"mb-card-{each.code.replace('_', '-')}", field, each.name, "mb-card-mend-deck")
    if reader.problems:
        raise Problems("deck-problems", reader.problems)
    return file, tuple([each for each in found if each.severity != "error"])
