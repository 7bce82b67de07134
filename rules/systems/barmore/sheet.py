"""The character sheet: scores in the campaign's trees, weapons, armour, Wounds (BAR-TRAIT, BAR-ARMOR, BAR-TRAUMA)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final, cast

from rules.core.errors import InvalidInput, NotFound, Problems
from rules.core.names import meant, name_key
from rules.core.reading import Reader
from rules.core.record import record
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.traits import Scores, Tree, find_node, resolve_trait
from rules.systems.barmore.wounds import (
    HIGHEST_DAYS,
    HIGHEST_DEGREE,
    HIGHEST_PENALTY,
    Armour,
    Weapon,
    Wound,
)
from rules.table.forms import Field, Flag, Form, Lines, Number, Pick, Typed, as_written

LONGEST_NAME: Final = 60
LONGEST_TEXT: Final = 2000
LONGEST_CONCEPT: Final = 200
MOST_ENTRIES: Final = 50
#: The highest score of an ability, and how far an attribute may lie on either side of 0.
HIGHEST_SCORE: Final = 30
#: The highest rating of armour and modifier of a weapon, on either side of 0.
HIGHEST_RATING: Final = 30
LATEST: Final = 10**9
#: The longest exact share, such as `1/3`, in characters.
_SHARE: Final = 119
LONGEST_EFFECT: Final = 300
_ACTIVITIES: Final = ("rest", "slower", "stopped")

_FIELDS: Final = (
    "name",
    "portrait",
    "notes",
    "concept",
    "description",
    "abilities",
    "attributes",
    "weapons",
    "armour",
    "equipment",
    "wounds",
    "last_wound",
    "minor",
)


def _named(*fields: Field) -> Form:
    return Form((Typed("name", most=LONGEST_NAME, needed=True), *fields))


#: A row of weapons, of armour, of Wounds.
WEAPON: Final = _named(
    Number("modifier", low=-HIGHEST_RATING, high=HIGHEST_RATING),
    Flag("powered"),
    Flag("lethal"),
    Typed("kind", most=LONGEST_NAME, blank=True),
    Flag("mental"),
)
ARMOUR: Final = _named(
    Number("rating", low=-HIGHEST_RATING, high=HIGHEST_RATING),
    Lines("covers", most=MOST_ENTRIES),
    Lines("converts", most=MOST_ENTRIES),
    Flag("mental"),
)
WOUND: Final = _named(
    Pick("kind", among=as_written(("physical", "mental"))),
    Number("degree", low=1, high=HIGHEST_DEGREE),
    Number("penalty", high=HIGHEST_PENALTY, null=True),
    Number("other", high=HIGHEST_PENALTY, null=True),
    Number("base_days", high=HIGHEST_DAYS),
    Number("taken", high=LATEST),
    Number("as_of", high=LATEST),
    Typed("healed", most=_SHARE),
    Typed("factor", most=_SHARE),
    Pick("activity", among=as_written(_ACTIVITIES)),
    Flag("stabilised"),
    Typed("effect", most=LONGEST_EFFECT, blank=True),
    Number("number", high=LATEST),
)


@record
class BarSheet:
    """Scores in some of the campaign's traits, and what somebody carries; attributes may be negative.

    Who is `minor` never rolls (BAR-AUTO); None leaves that to the campaign. `last_wound` is the number of the last
    Wound there has been: none is used twice, so that what names a healed Wound never means another.
    """

    concept: str = ""
    description: str = ""
    abilities: Scores = ()
    attributes: Scores = ()
    weapons: tuple[Weapon, ...] = ()
    armour: tuple[Armour, ...] = ()
    equipment: tuple[str, ...] = ()
    wounds: tuple[Wound, ...] = ()
    minor: bool | None = None
    last_wound: int = 0


def is_minor(sheet: BarSheet, campaign: Campaign) -> bool:
    """Whether an NPC never rolls: as it is written down, else who has no scores (BAR-AUTO)."""
    if sheet.minor is not None:
        return sheet.minor
    return campaign.minor_npcs and not sheet.abilities and not sheet.attributes


def attribute_score(sheet: BarSheet, campaign: Campaign, name: str) -> int:
    """The score of an attribute that a rule names, along the tree (BAR-TRAIT)."""
    return resolve_trait(campaign.traits.attributes, dict(sheet.attributes), name).score


def with_score(scores: Scores, name: str, value: int | None) -> Scores:
    """The scores with this one changed, added, or with None taken out."""
    if value is None:
        return tuple(each for each in scores if each[0] != name)
    if any(each[0] == name for each in scores):
        return tuple((name, value) if each[0] == name else each for each in scores)
    return (*scores, (name, value))


# --- weapons and wounds ------------------------------------------------------------------------------------


def find_weapon(sheet: BarSheet, text: str) -> Weapon:
    """The weapon that somebody attacks with.

    Bare hands where none is named: driven by Muscle Power, not lethal. What is not on the sheet is driven by Muscle
    Power and lethal, without a modifier.
    """
    wanted = text.strip()
    if not wanted:
        return Weapon("", lethal=False)
    found = meant(sheet.weapons, wanted, lambda weapon: weapon.name)
    return found[0] if found else Weapon(wanted)


def require_weapon(sheet: BarSheet, text: str) -> None:
    """InvalidInput("which-weapon") for the beginning of several weapons' names: only one is attacked with."""
    found = meant(sheet.weapons, text, lambda weapon: weapon.name)
    names = tuple(dict.fromkeys(weapon.name for weapon in found))
    if len(names) > 1:
        raise InvalidInput("which-weapon", field="weapon", value=text[:LONGEST_NAME], allowed=names[:10])


def wound_text(wound: Wound) -> str:
    """What a Wound is called where one of several has to be named: `2 Light (physical)`."""
    return f"{wound.number} {wound.name} ({wound.kind})"


def with_wound(sheet: BarSheet, wound: Wound) -> BarSheet:
    """The sheet with one more Wound, which gets a number that none on it has ever had."""
    number = 1 + sheet.last_wound
    return replace(sheet, wounds=(*sheet.wounds, replace(wound, number=number)), last_wound=number)


def find_wound(sheet: BarSheet, text: str, field: str) -> Wound:
    """The Wound meant by its number, its name or the beginning of it; the only one where nothing is said.

    NotFound("unknown-wound") with those there are; InvalidInput("which-wound") where several fit.
    """
    known = tuple(wound_text(wound) for wound in sheet.wounds)
    wanted = name_key(text)
    head = wanted.partition(" ")[0]
    fitting = [wound for wound in sheet.wounds if str(wound.number) == head]
    if not wanted:
        fitting = list(sheet.wounds)
    elif not fitting:
        fitting = [wound for wound in sheet.wounds if name_key(wound.name).startswith(wanted)]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise NotFound("unknown-wound", field=field, value=text[:LONGEST_NAME] or None, nearest=known[:10])
    allowed = tuple(wound_text(wound) for wound in fitting[:10])
    raise InvalidInput("which-wound", field=field, value=text[:LONGEST_NAME] or None, allowed=allowed)


def replaced_wound(sheet: BarSheet, wound: Wound, new: Wound | None) -> BarSheet:
    """The sheet with this Wound as it is now; None: it has healed."""
    rest = (new if each is wound else each for each in sheet.wounds)
    return replace(sheet, wounds=tuple(each for each in rest if each is not None))


# --- reading -----------------------------------------------------------------------------------------------


class _SheetReader(Reader):
    """Reads the fields of a sheet."""

    __slots__ = ()

    def read_scores(self, field: str, value: object, tree: Tree, lowest: int) -> Scores:
        """An object of names and scores; every name is one of the tree's."""
        data = self.read_object(field, value) or {}
        if len(data) > len(tree.nodes):
            self.add("too-many-entries", field, len(data), "remove-entries", highest=len(tree.nodes), count=1)
            return ()
        found: dict[str, int] = {}
        for key, score in data.items():
            path = f"{field}.{key[:LONGEST_NAME]}"
            number = self.read_number(path, score, lowest, HIGHEST_SCORE)
            try:
                name = find_node(tree, key, path).name
            except NotFound as error:
                near = cast("tuple[str, ...]", error.params.get("nearest", ()))
                self.add("not-in-tree", path, key, "use-tree-name", nearest=near)
                continue
            if name in found:
                self.add("duplicate-trait", path, key, "rename-or-remove", first=f"{field}.{name}")
                continue
            found[name] = number
        return tuple(found.items())

    def read_entries(self, field: str, value: object, known: tuple[str, ...]) -> list[Mapping[str, object]]:
        """A list of objects with no other fields than those, each with a name."""
        found: list[Mapping[str, object]] = []
        for index, entry in enumerate(self.read_list(field, value, MOST_ENTRIES) or ()):
            data = self.read_object(f"{field}[{index}]", entry)
            if data is None:
                continue
            self.note_unknown(data, known, f"{field}[{index}].")
            self.note_missing(data, ("name",), f"{field}[{index}].")
            found.append({**data, "_path": f"{field}[{index}]"})
        return found

    def read_name(self, data: Mapping[str, object]) -> str:
        """The name of an entry."""
        field = f"{data['_path']}.name"
        return self.read_text(field, data.get("name", "-"), LONGEST_NAME, needed=True, one_line=True).strip()

    def flag(self, data: Mapping[str, object], key: str, default: bool) -> bool:
        """A truth of an entry."""
        return self.read_truth(f"{data['_path']}.{key}", data.get(key, default))

    def texts(self, field: str, value: object) -> tuple[str, ...]:
        """A list of single lines."""
        entries = self.read_list(field, value, MOST_ENTRIES) or ()
        read = (
            self.read_text(f"{field}[{index}]", entry, 300, needed=True, one_line=True)
            for index, entry in enumerate(entries)
        )
        return tuple(text.strip() for text in read)

    def read_weapon(self, data: Mapping[str, object]) -> Weapon:
        """A weapon (BAR-TRAUMA)."""
        path = data["_path"]
        return Weapon(
            self.read_name(data),
            self.read_number(f"{path}.modifier", data.get("modifier", 0), -HIGHEST_RATING, HIGHEST_RATING),
            self.flag(data, "powered", not data.get("mental", False)),
            self.flag(data, "lethal", True),
            self.read_text(f"{path}.kind", data.get("kind", ""), LONGEST_NAME, one_line=True).strip(),
            self.flag(data, "mental", False),
        )

    def read_armour(self, data: Mapping[str, object]) -> Armour:
        """A piece of armour (BAR-ARMOR)."""
        path = data["_path"]
        return Armour(
            self.read_name(data),
            self.read_number(f"{path}.rating", data.get("rating", 0), -HIGHEST_RATING, HIGHEST_RATING),
            self.texts(f"{path}.covers", data.get("covers", ())),
            self.texts(f"{path}.converts", data.get("converts", ())),
            self.flag(data, "mental", False),
        )

    def read_share(self, field: str, value: object, highest: int) -> Fraction:
        """An exact share, written as `1/3`, or a whole number."""
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        top, _, bottom = text.partition("/")
        parts = (top, bottom or "1")
        if all(part.isascii() and part.isdigit() and len(part) < 60 for part in parts) and int(parts[1]):
            share = Fraction(int(parts[0]), int(parts[1]))
            if share <= highest:
                return share
        self.add("wrong-type", field, value, "write-share", allowed=("1/3", "2"))
        return Fraction(0)

    def read_penalty(self, field: str, value: object) -> int | None:
        """Penalty Dice, or nothing left to do."""
        return None if value is None else self.read_number(field, value, 0, HIGHEST_PENALTY)

    def read_wound(self, data: Mapping[str, object]) -> Wound:
        """A Wound as somebody carries it (BAR-TRAUMA, BAR-HEAL)."""
        path = data["_path"]
        kind, activity = data.get("kind", "physical"), data.get("activity", "rest")
        if kind not in ("physical", "mental"):
            allowed = ("physical", "mental")
            self.add("wrong-type", f"{path}.kind", kind, "choose-allowed", allowed=allowed)
            kind = "physical"
        if activity not in _ACTIVITIES:
            self.add("wrong-type", f"{path}.activity", activity, "choose-allowed", allowed=_ACTIVITIES)
            activity = "rest"
        taken = self.read_number(f"{path}.taken", data.get("taken", 0), 0, LATEST)
        return Wound(
            kind,
            self.read_name(data),
            self.read_number(f"{path}.degree", data.get("degree", 1), 1, HIGHEST_DEGREE),
            self.read_penalty(f"{path}.penalty", data.get("penalty", 0)),
            self.read_penalty(f"{path}.other", data.get("other", 0)),
            self.read_number(f"{path}.base_days", data.get("base_days", 0), 0, HIGHEST_DAYS),
            taken,
            self.read_number(f"{path}.as_of", data.get("as_of", taken), 0, LATEST),
            self.read_share(f"{path}.healed", data.get("healed", 0), 1),
            self.read_share(f"{path}.factor", data.get("factor", 1), 1000),
            activity,
            self.flag(data, "stabilised", True),
            self.read_text(f"{path}.effect", data.get("effect", ""), LONGEST_EFFECT),
            self.read_number(f"{path}.number", data.get("number", 0), 0, LATEST),
        )


def read_sheet(data: Mapping[str, object], campaign: Campaign) -> tuple[str, BarSheet]:
    """Name and sheet from a JSON object (BAR-TRAIT).

    Abilities are 0 to 30, attributes -30 to 30, and every name is one of the campaign's. Raises only
    Problems("bad-character", count): one InvalidInput for each violation, all of them at once.
    """
    reader = _SheetReader()
    reader.note_unknown(data, _FIELDS, "")
    reader.note_missing(data, ("name",), "")
    name = reader.read_text("name", data.get("name", "-"), LONGEST_NAME, needed=True, one_line=True)
    traits = campaign.traits
    minor = data.get("minor")
    wounds = _numbered(
        tuple(map(reader.read_wound, reader.read_entries("wounds", data.get("wounds", ()), WOUND.keys)))
    )
    last = reader.read_number("last_wound", data.get("last_wound", 0), 0, LATEST)
    sheet = BarSheet(
        reader.read_text("concept", data.get("concept", ""), LONGEST_CONCEPT, one_line=True).strip(),
        reader.read_text("description", data.get("description", ""), LONGEST_TEXT),
        reader.read_scores("abilities", data.get("abilities", {}), traits.abilities, 0),
        reader.read_scores("attributes", data.get("attributes", {}), traits.attributes, -HIGHEST_SCORE),
        tuple(map(reader.read_weapon, reader.read_entries("weapons", data.get("weapons", ()), WEAPON.keys))),
        tuple(map(reader.read_armour, reader.read_entries("armour", data.get("armour", ()), ARMOUR.keys))),
        reader.texts("equipment", data.get("equipment", ())),
        wounds,
        None if minor is None else reader.read_truth("minor", minor),
        max(last, *(each.number for each in wounds)) if wounds else last,
    )
    if reader.problems:
        raise Problems("bad-character", reader.problems, count=len(reader.problems))
    return name.strip(), sheet


def _numbered(wounds: tuple[Wound, ...]) -> tuple[Wound, ...]:
    """Wounds with a number each: as written, if those are all different."""
    if len({wound.number for wound in wounds} - {0}) == len(wounds):
        return wounds
    return tuple(replace(wound, number=index) for index, wound in enumerate(wounds, 1))


def write_sheet(name: str, sheet: BarSheet) -> dict[str, object]:
    """The JSON object that `read_sheet` reads back to the same sheet."""
    found: dict[str, object] = {
        "name": name,
        "concept": sheet.concept,
        "description": sheet.description,
        "abilities": dict(sheet.abilities),
        "attributes": dict(sheet.attributes),
        "weapons": [{field: getattr(each, field) for field in WEAPON.keys} for each in sheet.weapons],
        "armour": [
            {
                "name": each.name,
                "rating": each.rating,
                "covers": list(each.covers),
                "converts": list(each.converts),
                "mental": each.mental,
            }
            for each in sheet.armour
        ],
        "equipment": list(sheet.equipment),
        "wounds": [_written(wound) for wound in sheet.wounds],
        "last_wound": sheet.last_wound,
    }
    return found if sheet.minor is None else {**found, "minor": sheet.minor}


def _written(wound: Wound) -> dict[str, object]:
    found: dict[str, object] = {field: getattr(wound, field) for field in WOUND.keys}
    return {**found, "healed": str(wound.healed), "factor": str(wound.factor)}


def find_trait(tree: Tree, text: str, field: str) -> str:
    """The trait of the campaign that is meant (BAR-TRAIT). NotFound as `find_node`."""
    return find_node(tree, text, field).name
