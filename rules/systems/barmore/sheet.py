"""Character sheet: scores in the campaign's trees, weapons, armor, Wounds.

BAR-TRAIT, BAR-ARMOR, BAR-TRAUMA.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput, NotFound
from rules.core.json_reader import violation
from rules.core.name_matching import clean_name, matches, name_key
from rules.core.record import Record, to_plain
from rules.systems.barmore import sample_characters, trait_trees
from rules.systems.barmore import wounds as trauma
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.trait_trees import LONGEST_NAME, LONGEST_TEXT, Scores, resolve_trait
from rules.systems.barmore.wounds import LIVES, Armor, Weapon, Wound
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms import entry_fields
from rules.table.forms.entry_fields import Lines, Rows
from rules.table.forms.fields import (
    QUOTE_MAX,
    Flag,
    FormContext,
    Number,
    PartialGame,
    Pick,
    Typed,
    plain_options,
)
from rules.table.forms.form import Form
from rules.table.people.common_fields import (
    DESCRIPTION_FIELD,
    HINT_LIST,
    NAME_FIELD,
    NOTES_FIELD,
    PORTRAIT_FIELD,
)
from rules.table.people.row_fields import Labels

LONGEST_CONCEPT: Final = 200
MOST_ENTRIES: Final = 50
#: Highest score of an ability, and highest distance of an attribute from 0.
HIGHEST_SCORE: Final = 30
#: Highest rating of armor and modifier of a weapon, on either side of 0.
HIGHEST_RATING: Final = 30
LATEST: Final = 10**9
#: Longest exact share, such as `1/3`, in characters.
_SHARE: Final = 119
_FRACTION: Final = re.compile(r"[0-9]{1,59}(?:/(?=0*[1-9])[0-9]{1,59})?")


class BarSheet(Record):
    """A character's scores in the campaign's traits, equipment and Wounds."""

    concept: str = ""
    description: str = ""
    abilities: Scores = ()
    #: Attributes may be negative.
    attributes: Scores = ()
    weapons: tuple[Weapon, ...] = ()
    armour: tuple[Armor, ...] = ()
    equipment: tuple[str, ...] = ()
    wounds: tuple[Wound, ...] = ()
    #: Whether the character never rolls (BAR-AUTO). None leaves that to the campaign.
    minor: bool | None = None
    #: Number of the last Wound there has been. No number is used twice, so that the name of a
    #: healed Wound never means another.
    last_wound: int = 0

    def attribute_score(self, campaign: Campaign, name: str) -> int:
        """Return the score of an attribute that a rule names, along the tree (BAR-TRAIT)."""
        return resolve_trait(campaign.traits.attributes, dict(self.attributes), name).score

    # --- weapons and wounds -----------------------------------------------------------------------

    def find_weapon(self, text: str) -> Weapon:
        """Return the weapon of that name.

        Without a name it is bare hands: driven by Muscle Power, not lethal. A weapon that is not on
        the sheet is driven by Muscle Power and lethal, without a modifier.
        """
        wanted = text.strip()
        return self.own_weapon(wanted) or Weapon(wanted, lethal=bool(wanted))

    def own_weapon(self, text: str) -> Weapon | None:
        """Return the weapon of the sheet with that name; None for bare hands and any other."""
        return next(iter(matches(self.weapons, text.strip(), lambda weapon: weapon.name)), None)

    def require_weapon(self, text: str) -> None:
        """Raise InvalidInput("which-one") for the beginning of several weapons' names."""
        fitting = matches(self.weapons, text, lambda weapon: weapon.name)
        names = dict.fromkeys(weapon.name for weapon in fitting)
        if len(names) > 1:
            allowed = tuple(names)[:10]
            raise InvalidInput(
                "which-one", field="weapon", value=text[:LONGEST_NAME], allowed=allowed
            )

    def with_wound(self, wound: Wound) -> BarSheet:
        """Return the sheet with one more Wound, which gets a number that was never used on it."""
        number = 1 + self.last_wound
        return self.replace(wounds=(*self.wounds, wound.replace(number=number)), last_wound=number)

    def matching_wounds(self, text: str) -> list[Wound]:
        """Return the Wounds that a text may mean; all of them for an empty text."""
        wanted = name_key(text)
        number = wanted.partition(" ")[0].removeprefix("#")
        numbered = [wound for wound in self.wounds if not wanted or str(wound.number) == number]
        if numbered:
            return numbered
        return [wound for wound in self.wounds if name_key(wound.name).startswith(wanted)]

    def find_wound(self, text: str, field: str) -> Wound:
        """Return the Wound of that number or name, or of that beginning of a name.

        Without a text it is the only Wound. Raises NotFound("unknown-wound") with all Wounds, or
        InvalidInput("which-one") if several fit.
        """
        fitting = self.matching_wounds(text)
        shown = {"field": field, "value": text[:LONGEST_NAME] or None}
        names = tuple([wound.label for wound in fitting or self.wounds][:10])
        if not fitting:
            raise NotFound("unknown-wound", **shown, nearest=names)
        if len(fitting) > 1:
            raise InvalidInput("which-one", **shown, allowed=names)
        return fitting[0]

    def treated_wound(self, text: str) -> Wound | None:
        """Return the Wound that a treatment heals; None if the text fits no Wound (BAR-HEAL).

        Of several, one that is not stabilized comes first, then the worst.
        """
        return max(
            self.matching_wounds(text),
            key=lambda wound: (not wound.stabilised, wound.degree, -wound.number),
            default=None,
        )

    def with_changed_wound(self, wound: Wound, new: Wound | None) -> BarSheet:
        """Return the sheet with *new* in place of this Wound; None for one that has healed."""
        wounds = (new if other is wound else other for other in self.wounds)
        return self.replace(wounds=tuple(other for other in wounds if other is not None))


# --- as lines of a dialog -----------------------------------------------------------------------

_NUMBER: Final = re.compile(r"[+-]?\d{1,4}")
#: Words that set a flag; with one of these in front they clear it.
_FLAG_WORDS: Final = ("powered", "lethal", "mental")
_NEGATION: Final = re.compile(r"not |non-?|un")
#: Words before types of damage, and the fields of these.
_KIND_WORDS: Final = {"against": "covers", "softens": "converts"}


def _read_line(line: str, form: Form, number: str) -> dict[str, Any]:
    """Return the fields of a line: the name, then in any order its number, flags, and types."""
    name, *rest = [
        part.strip() for part in line.replace("\u2212", "-").replace("\u2013", "-").split(",")
    ]
    fields: dict[str, Any] = {"name": name}
    for part in filter(None, rest):
        head, _, tail = part.partition(" ")
        kinds = [kind.strip() for kind in tail.split("/") if kind.strip()]
        kind_field = _KIND_WORDS.get(head.casefold(), "")
        negation = _NEGATION.match(part.casefold())
        flag = part.casefold()[negation.end() if negation else 0 :]
        if _NUMBER.fullmatch(part):
            fields[number] = int(part)
        elif flag in _FLAG_WORDS and flag in form.keys:
            fields[flag] = negation is None
        elif kind_field in form.keys and kinds:
            fields[kind_field] = kinds
        else:
            fields |= {"kind": part} if "kind" in form.keys else {"covers": [part]}
    return fields


def read_weapon(line: str) -> dict[str, Any]:
    """Return the fields of a weapon's line, such as `Sword, +2, lethal, cutting`.

    The name comes first, then in any order the modifier, flags, and the type of damage.
    """
    return _read_line(line, WEAPON_FORM, "modifier")


def read_armor(line: str) -> dict[str, Any]:
    """Return the fields of a line such as `Mail, 3, against cutting / piercing, softens cutting`.

    The name comes first, then in any order the rating and the types of damage.
    """
    return _read_line(line, ARMOR_FORM, "rating")


def _weapon_line(weapon: Values) -> str:
    """Return the line that `read_weapon` reads as this weapon."""
    parts = [
        weapon["name"],
        f"{weapon['modifier']:+}",
        "lethal" if weapon["lethal"] else "non-lethal",
    ]
    if weapon["mental"]:
        parts.append("mental")
    # Physical weapons are powered by default, mental ones are not.
    if weapon["powered"] == weapon["mental"]:
        parts.append("powered" if weapon["powered"] else "unpowered")
    parts.append(weapon["kind"])
    return ", ".join(filter(None, parts))


def _armor_line(piece: Values) -> str:
    """Return the line that `read_armor` reads as this piece."""
    parts = [piece["name"], str(piece["rating"])]
    if piece["mental"]:
        parts.append("mental")
    for word, key in _KIND_WORDS.items():
        if piece[key]:
            parts.append(f"{word} {' / '.join(piece[key])}")
    return ", ".join(parts)


# --- the file -------------------------------------------------------------------------------------


def read_share(highest: int) -> Callable[[str], str]:
    """Return a reader of an exact share up to *highest*: `1/3`, or a whole number.

    The reader raises InvalidInput("wrong-type").
    """

    def read(text: str) -> str:
        if _FRACTION.fullmatch(text) and Fraction(text) <= highest:
            return text
        allowed, shown = ("1/3", "2"), text[:QUOTE_MAX]
        raise InvalidInput(
            "wrong-type", field="share", value=shown, fix="write-share", allowed=allowed
        )

    return read


_LABELS: Final = Labels(
    lambda key: Text("bar-hint", {"of": key}), MOST_ENTRIES, {"armour": "Armor"}
)


def _scores_field(key: str, lowest: int) -> entry_fields.Scores:
    """Return the field for scores in one of the campaign's trees.

    Its reader raises InvalidInput("not-in-tree").
    """

    def find(asking: FormContext, text: str) -> str:
        try:
            return trait_trees.find_trait(getattr(asking.campaign.traits, key), text)
        except NotFound as error:
            near, shown = error.params.get("nearest", ()), text[:QUOTE_MAX]
            raise violation("not-in-tree", key, shown, "use-tree-name", nearest=near) from error

    title, name = Text(f"sheet-{key}"), Pick(key, find=find)
    about: dict[str, Any] = {
        "help": _LABELS.hint(key),
        "topic": Text("bar-adds", {"of": key}),
        "choices": partial(sample_characters.trait_choices, key, lowest, HIGHEST_SCORE),
        "picked": sample_characters.with_picked_trait,
        "most": trait_trees.MOST_NODES,
        "name": name,
    }
    return entry_fields.Scores(key, title=title, low=lowest, high=HIGHEST_SCORE, **about)


def _read_name(text: str) -> str:
    """Return a name without space around it; raises as `clean_name`."""
    return clean_name(text.strip())


_NAME: Final = NAME_FIELD.replace(most=LONGEST_NAME, read=_read_name)
WEAPON_FORM: Final = Form.of(
    _NAME,
    Number("modifier", low=-HIGHEST_RATING, high=HIGHEST_RATING),
    Flag("powered", default=True),
    Flag("lethal", default=True),
    Typed("kind", most=LONGEST_NAME, blank=True, read=str.strip),
    Flag("mental"),
)
ARMOR_FORM: Final = Form.of(
    _NAME,
    Number("rating", low=-HIGHEST_RATING, high=HIGHEST_RATING),
    Lines("covers", most=MOST_ENTRIES),
    Lines("converts", most=MOST_ENTRIES),
    Flag("mental"),
)
WOUND_FORM: Final = Form.of(
    _NAME,
    Pick("kind", choices=plain_options(trait_trees.ACTIVITIES), unknown="wrong-type"),
    Number("degree", low=1, high=trauma.HIGHEST_DEGREE),
    Number("penalty", high=trauma.HIGHEST_PENALTY, null=True),
    Number("other", high=trauma.HIGHEST_PENALTY, null=True),
    Number("base_days", high=trauma.HIGHEST_DAYS),
    Number("taken", high=LATEST),
    Number("as_of", high=LATEST),
    Typed("healed", most=_SHARE, whole="", read=read_share(1), into=Fraction, back=str),
    Typed("factor", most=_SHARE, whole="", read=read_share(1000), into=Fraction, back=str),
    Pick("activity", choices=plain_options(LIVES), unknown="wrong-type"),
    Flag("stabilised", default=True),
    Typed("effect", most=LONGEST_TEXT, long=True, blank=True),
    Number("number", high=LATEST),
)


def _make_weapon(row: Values) -> Weapon:
    """Return the weapon of a row; Muscle Power drives it by default, unless it is mental."""
    return WEAPON_FORM.make_record(Weapon, {"powered": not row.get("mental", False), **row})


def _item_rows(key: str, *how: Any, **more: Any) -> Rows:
    """Return the field for weapons or pieces of armor."""
    return _LABELS.rows(
        key, *how, told=lambda item: Text("bar-sheet", {"of": key, **to_plain(item)}), **more
    )


#: Form of a character's file: what a player types, and what play adds.
CHARACTER: Final = Form.of(
    _NAME,
    _LABELS.typed("concept", LONGEST_CONCEPT, help=_LABELS.hint("concept"), read=str.strip),
    DESCRIPTION_FIELD,
    PORTRAIT_FIELD,
    _scores_field("attributes", -HIGHEST_SCORE),
    _scores_field("abilities", 0),
    _item_rows(
        "weapons",
        WEAPON_FORM,
        Weapon,
        read_weapon,
        _weapon_line,
        into=_make_weapon,
        one=Text("check-weapon"),
    ),
    _item_rows("armour", ARMOR_FORM, Armor, read_armor, _armor_line, one=_LABELS.title("armour")),
    Lines("equipment", title=Text("sheet-equipment"), help=HINT_LIST, most=MOST_ENTRIES, free=True),
    NOTES_FIELD,
    Rows(
        "wounds",
        WOUND_FORM,
        most=MOST_ENTRIES,
        into=lambda row: WOUND_FORM.make_record(
            Wound, {"kind": "physical", "as_of": row.get("taken", 0), **row}
        ),
    ),
    Number("last_wound", high=LATEST),
    Flag("minor", null=True),
)


def read_sheet(data: Mapping[str, object], campaign: Campaign) -> tuple[str, BarSheet]:
    """Return the name and the sheet of a JSON object (BAR-TRAIT).

    Abilities are 0 to 30, attributes -30 to 30, and every name is one of the campaign's. Raises
    only Problems("bad-character") with an error for each violation.
    """
    values = CHARACTER.read_file(data, "bad-character", asking=FormContext(PartialGame(campaign)))
    sheet = CHARACTER.make_record(BarSheet, values)
    wounds = sheet.wounds
    numbers = {wound.number for wound in wounds} - {0}
    if len(numbers) != len(wounds):  # otherwise the numbers of the file are kept
        wounds = tuple(wound.replace(number=number) for number, wound in enumerate(wounds, 1))
    last = max(sheet.last_wound, *(wound.number for wound in wounds), 0)
    return values["name"], sheet.replace(wounds=wounds, last_wound=last)


def write_sheet(name: str, sheet: BarSheet) -> dict[str, Any]:
    """Return the JSON object that `read_sheet` reads back as the same sheet."""
    return {"name": name, **CHARACTER.all_values(sheet)}
