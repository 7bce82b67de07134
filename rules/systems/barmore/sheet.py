"""The character sheet: scores in the campaign's trees, weapons, armor, Wounds (BAR-TRAIT,
BAR-ARMOR, BAR-TRAUMA).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import InvalidInput, NotFound
from rules.core.json_reader import violation
from rules.core.name_matching import clean_name, matches, name_key
from rules.core.record import Record, to_plain
from rules.systems.barmore import trait_trees
from rules.systems.barmore import wounds as trauma
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.trait_trees import LONGEST_NAME, LONGEST_TEXT, Scores, resolve_trait
from rules.systems.barmore.wounds import LIVES, Armor, Weapon, Wound
from rules.table import forms
from rules.table.blocks import Text
from rules.table.forms import Flag, Form, FormContext, Number, Typed, Values
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
#: The highest score of an ability, and how far an attribute may lie on either side of 0.
HIGHEST_SCORE: Final = 30
#: The highest rating of armor and modifier of a weapon, on either side of 0.
HIGHEST_RATING: Final = 30
LATEST: Final = 10**9
#: The longest exact share, such as `1/3`, in characters.
_SHARE: Final = 119
_FRACTION: Final = re.compile(r"[0-9]{1,59}(?:/(?=0*[1-9])[0-9]{1,59})?")


class BarSheet(Record):
    """Scores in some of the campaign's traits, and what somebody carries; attributes may be
    negative.

    Who is `minor` never rolls (BAR-AUTO); None leaves that to the campaign. `last_wound` is the
    number of the last Wound there has been: none is used twice, so that what names a healed Wound
    never means another.
    """

    concept: str = ""
    description: str = ""
    abilities: Scores = ()
    attributes: Scores = ()
    weapons: tuple[Weapon, ...] = ()
    armour: tuple[Armor, ...] = ()
    equipment: tuple[str, ...] = ()
    wounds: tuple[Wound, ...] = ()
    minor: bool | None = None
    last_wound: int = 0

    def attribute_score(self, campaign: Campaign, name: str) -> int:
        """The score of an attribute that a rule names, along the tree (BAR-TRAIT)."""
        return resolve_trait(campaign.traits.attributes, dict(self.attributes), name).score

    # --- weapons and wounds -----------------------------------------------------------------------

    def find_weapon(self, text: str) -> Weapon:
        """The weapon that somebody attacks with.

        Bare hands where none is named: driven by Muscle Power, not lethal. What is not on the sheet
        is driven by Muscle Power and lethal, without a modifier.
        """
        wanted = text.strip()
        return self.own_weapon(wanted) or Weapon(wanted, lethal=bool(wanted))

    def own_weapon(self, text: str) -> Weapon | None:
        """The weapon of the sheet that is meant, None for bare hands and what is not on it."""
        return next(iter(matches(self.weapons, text.strip(), lambda weapon: weapon.name)), None)

    def require_weapon(self, text: str) -> None:
        """InvalidInput("which-one") for the beginning of several weapons' names: only one is
        attacked with.
        """
        names = dict.fromkeys(
            each.name for each in matches(self.weapons, text, lambda weapon: weapon.name)
        )
        if len(names) > 1:
            allowed = tuple(names)[:10]
            raise InvalidInput(
                "which-one", field="weapon", value=text[:LONGEST_NAME], allowed=allowed
            )

    def with_wound(self, wound: Wound) -> BarSheet:
        """The sheet with one more Wound, which gets a number that none on it has ever had."""
        number = 1 + self.last_wound
        return self.replace(wounds=(*self.wounds, wound.replace(number=number)), last_wound=number)

    def matching_wounds(self, text: str) -> list[Wound]:
        """The Wounds that may be meant, all where nothing is said."""
        wanted = name_key(text)
        first = wanted.partition(" ")[0].removeprefix("#")
        numbered = [each for each in self.wounds if not wanted or str(each.number) == first]
        return numbered or [each for each in self.wounds if name_key(each.name).startswith(wanted)]

    def find_wound(self, text: str, field: str) -> Wound:
        """The Wound meant by its number, its name or the beginning of it; the only one where
        nothing is said.

        NotFound("unknown-wound") with those there are; InvalidInput("which-one") where several fit.
        """
        fitting, shown = (
            self.matching_wounds(text),
            {"field": field, "value": text[:LONGEST_NAME] or None},
        )
        names = tuple([each.label for each in fitting or self.wounds][:10])
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
            key=lambda each: (not each.stabilised, each.degree, -each.number),
            default=None,
        )

    def with_changed_wound(self, wound: Wound, new: Wound | None) -> BarSheet:
        """The sheet with this Wound as it is now; None: it has healed."""
        rest = (new if each is wound else each for each in self.wounds)
        return self.replace(wounds=tuple(each for each in rest if each is not None))


# --- as lines of a dialog -----------------------------------------------------------------------

_NUMBER: Final = re.compile(r"[+-]?\d{1,4}")
#: Words that say something; with one of these in front they deny it.
_SAID: Final = ("powered", "lethal", "mental")
_DENIED: Final = re.compile(r"not |non-?|un")
#: Words before types of damage, and their field.
_BEFORE: Final = {"against": "covers", "softens": "converts"}


def _read_line(line: str, form: Form, number: str) -> dict[str, Any]:
    """The name, then in any order its `number`, what else is so, and types of damage."""
    name, *rest = [
        part.strip() for part in line.replace("\u2212", "-").replace("\u2013", "-").split(",")
    ]
    found: dict[str, Any] = {"name": name}
    for part in filter(None, rest):
        head, _, tail = part.partition(" ")
        kinds = [kind.strip() for kind in tail.split("/") if kind.strip()]
        denied, before = _DENIED.match(part.casefold()), _BEFORE.get(head.casefold(), "")
        said = part.casefold()[denied.end() if denied else 0 :]
        if _NUMBER.fullmatch(part):
            found[number] = int(part)
        elif said in _SAID and said in form.keys:
            found[said] = denied is None
        elif before in form.keys and kinds:
            found[before] = kinds
        else:
            found |= {"kind": part} if "kind" in form.keys else {"covers": [part]}
    return found


def read_weapon(line: str) -> dict[str, Any]:
    """`Sword, +2, lethal, cutting`: its name, then in any order its modifier, what it is, and the
    type of damage.
    """
    return _read_line(line, WEAPON_FORM, "modifier")


def read_armor(line: str) -> dict[str, Any]:
    """`Mail, 3, against cutting / piercing, softens cutting`: its name, its rating, and what it is
    good against.
    """
    return _read_line(line, ARMOR_FORM, "rating")


def _weapon_line(weapon: Values) -> str:
    driven, mental = "powered" if weapon["powered"] else "unpowered", weapon["mental"]
    parts = [
        weapon["name"],
        f"{weapon['modifier']:+}",
        "lethal" if weapon["lethal"] else "non-lethal",
    ]
    parts += [
        "mental" if mental else "",
        driven if weapon["powered"] == mental else "",
        weapon["kind"],
    ]
    return ", ".join(filter(None, parts))


def _armor_line(piece: Values) -> str:
    parts = [piece["name"], str(piece["rating"]), *(["mental"] if piece["mental"] else [])]
    parts += [f"{word} {' / '.join(piece[key])}" for word, key in _BEFORE.items() if piece[key]]
    return ", ".join(parts)


# --- the file -------------------------------------------------------------------------------------


def read_share(highest: int) -> Callable[[str], str]:
    """What reads an exact share up to that: `1/3`, or a whole number.
    InvalidInput("wrong-type").
    """

    def read(text: str) -> str:
        if _FRACTION.fullmatch(text) and Fraction(text) <= highest:
            return text
        allowed, shown = ("1/3", "2"), text[: forms.QUOTE_MAX]
        raise InvalidInput(
            "wrong-type", field="share", value=shown, fix="write-share", allowed=allowed
        )

    return read


_LABELS: Final = Labels(lambda key: Text("bar-hint", {"of": key}), MOST_ENTRIES, {})


def _scores(key: str, lowest: int) -> forms.Scores:
    """Scores in one of the campaign's trees. InvalidInput("not-in-tree")."""

    def find(asking: FormContext, text: str) -> str:
        try:
            return trait_trees.find_trait(getattr(asking.campaign.traits, key), text)
        except NotFound as error:
            near, shown = error.params.get("nearest", ()), text[: forms.QUOTE_MAX]
            raise violation("not-in-tree", key, shown, "use-tree-name", nearest=near) from error

    title, name = Text(f"sheet-{key}"), forms.Pick(key, find=find)
    about: dict[str, Any] = {
        "help": _LABELS.hint("scores"),
        "most": trait_trees.MOST_NODES,
        "name": name,
    }
    return forms.Scores(key, title=title, low=lowest, high=HIGHEST_SCORE, **about)


def _trimmed(text: str) -> str:
    return clean_name(text.strip())


_NAME: Final = NAME_FIELD.replace(most=LONGEST_NAME, read=_trimmed)
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
    forms.Lines("covers", most=MOST_ENTRIES),
    forms.Lines("converts", most=MOST_ENTRIES),
    Flag("mental"),
)
WOUND_FORM: Final = Form.of(
    _NAME,
    forms.Pick("kind", choices=forms.plain_options(trait_trees.ACTIVITIES), unknown="wrong-type"),
    Number("degree", low=1, high=trauma.HIGHEST_DEGREE),
    Number("penalty", high=trauma.HIGHEST_PENALTY, null=True),
    Number("other", high=trauma.HIGHEST_PENALTY, null=True),
    Number("base_days", high=trauma.HIGHEST_DAYS),
    Number("taken", high=LATEST),
    Number("as_of", high=LATEST),
    Typed("healed", most=_SHARE, whole="", read=read_share(1), into=Fraction, back=str),
    Typed("factor", most=_SHARE, whole="", read=read_share(1000), into=Fraction, back=str),
    forms.Pick("activity", choices=forms.plain_options(LIVES), unknown="wrong-type"),
    Flag("stabilised", default=True),
    Typed("effect", most=LONGEST_TEXT, long=True, blank=True),
    Number("number", high=LATEST),
)


def _weapon(row: Values) -> Weapon:
    return WEAPON_FORM.make_record(Weapon, {"powered": not row.get("mental", False), **row})


def _item_rows(key: str, *how: Any, **more: Any) -> forms.Rows:
    return _LABELS.rows(
        key, *how, told=lambda held: Text("bar-sheet", {"of": key, **to_plain(held)}), **more
    )


#: A character's file: what is typed, and what play brings.
CHARACTER: Final = Form.of(
    _NAME,
    _LABELS.typed("concept", LONGEST_CONCEPT, help=_LABELS.hint("concept"), read=str.strip),
    DESCRIPTION_FIELD,
    PORTRAIT_FIELD,
    _scores("attributes", -HIGHEST_SCORE),
    _scores("abilities", 0),
    _item_rows(
        "weapons",
        WEAPON_FORM,
        Weapon,
        read_weapon,
        _weapon_line,
        into=_weapon,
        one=Text("check-weapon"),
    ),
    _item_rows("armour", ARMOR_FORM, Armor, read_armor, _armor_line, one=_LABELS.title("armour")),
    forms.Lines(
        "equipment", title=Text("sheet-equipment"), help=HINT_LIST, most=MOST_ENTRIES, free=True
    ),
    NOTES_FIELD,
    forms.Rows(
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
    """Name and sheet from a JSON object (BAR-TRAIT).

    Abilities are 0 to 30, attributes -30 to 30, and every name is one of the campaign's. Raises
    only Problems("bad-character", count): one InvalidInput for each violation, all of them at once.
    """
    values = CHARACTER.read_file(
        data, "bad-character", asking=FormContext(forms.PartialGame(campaign))
    )
    sheet = CHARACTER.make_record(BarSheet, values)
    wounds = sheet.wounds
    if len({wound.number for wound in wounds} - {0}) != len(
        wounds
    ):  # else they are numbered as written
        wounds = tuple(each.replace(number=at) for at, each in enumerate(wounds, 1))
    last = max(sheet.last_wound, *(each.number for each in wounds), 0)
    return values["name"], sheet.replace(wounds=wounds, last_wound=last)


def write_sheet(name: str, sheet: BarSheet) -> dict[str, Any]:
    """The JSON object that `read_sheet` reads back to the same sheet."""
    return {"name": name, **CHARACTER.all_values(sheet)}
