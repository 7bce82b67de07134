"""Character sheets: their record, derived values, and their file (EGO-SHT-01, EGO-CHR-03,
EGO-SKL-02).

The character's name is kept outside the sheet. `read_sheet` returns it and `write_sheet` takes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, Final

from rules.core.equipment_lines import ROUNDS, carried_line, read_carried
from rules.core.json_reader import Reader, violation
from rules.core.name_matching import name_key, similar_or_first
from rules.core.record import Record
from rules.systems.ego.command_forms import form
from rules.systems.ego.formulas import body, costs
from rules.systems.ego.formulas.costs import ABILITIES
from rules.systems.ego.formulas.reference_rows import (
    SKILLS,
    ArmorKind,
    Rows,
    SkillKind,
    SpecialtyKind,
    Weapon,
    rows_of,
    skills_of,
)
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Lines, Scores
from rules.table.forms.fields import (
    Find,
    Flag,
    FormContext,
    Number,
    Option,
    Pick,
    Typed,
    list_lines,
    plain_options,
)
from rules.table.forms.form import Form
from rules.table.people.common_fields import (
    EQUIPMENT_FIELD,
    LONGEST_TEXT,
    NAME_FIELD,
    NOTES_FIELD,
    PORTRAIT_FIELD,
)
from rules.table.people.row_fields import (
    LONGEST_ENTRY,
    Labels,
    coded_field,
    optional_pick,
    read_character,
    row_finder,
)
from rules.table.system import Game

TRAITS: Final = ("advantages", "disadvantages")
DOWN: Final = ("unconscious", "passed out", "dead")
MAX_ENTRIES: Final = 60
HIGHEST_SCORE: Final = 100
HIGHEST_POINTS: Final = 1_000_000
#: Fields in examples of skills, where the tables name none.
_EXAMPLE_FIELDS: Final = {
    "Area of Knowledge": "old roads",
    "Language": "Elvish",
    "Science": "chemistry",
    "Technical": "radios",
}
#: Weapon in an example of a specialty.
_EXAMPLE_WEAPON: Final = "Dagger"
#: A language that is only spoken has a level more (EGO-SKL-03).
_LANGUAGE, SPOKEN = "Language", "spoken"


class Skill(Record):
    """A skill at a level."""

    name: str
    level: int
    #: Field of the skill, such as `ground` of `Pilot (ground)`; empty for none.
    field: str = ""
    #: Ability of a skill that only the campaign has; otherwise empty.
    ability: str = ""

    @property
    def title(self) -> str:
        """Name with its field: `Pilot (ground)`."""
        return title_with_field(self.name, self.field)


#: A specialty at a level. Its `field` is the weapon of Melee Weapon.
Specialty = Skill


#: Source of an effect whose line names none.
SUPERPOWERS: Final = "superpowers"


class Power(Record):
    """A special effect. A spell that is only known has rating 0."""

    name: str
    rating: int = 1
    source: str = SUPERPOWERS


class Arm(Record):
    """A carried weapon."""

    name: str
    drawn: bool = False
    #: Rounds in the magazine; None if they are not counted.
    rounds: int | None = None
    #: Rounds that the magazine holds; None if they are not counted.
    magazine: int | None = None
    #: Rounds to reload with; None if they are not counted.
    spare: int | None = None
    #: Skill that the weapon is used with; empty for that of the tables.
    skill: str = ""
    #: Weight in pounds.
    weight: int | None = None


class WornArmor(Record):
    """A suit of armor."""

    name: str
    #: Armor rating now.
    ar: int
    #: Armor rating of the whole suit.
    full: int


class Profile(Record):
    """An enemy's numbers, in place of abilities (EGO-NME-01)."""

    att: int
    defence: int
    damage: tuple[int, ...]
    vitality: int
    ar: int = 0
    initiative: int | None = None
    bonus: int = 0
    ap: int | None = None
    #: Dice to parry with.
    guard: int = 0
    muscle: int | None = None
    #: Names of the damages, if they have names.
    attacks: tuple[str, ...] = ()


class Round(Record):
    """Counters of one round of the encounter."""

    #: Number of the round that is counted.
    number: int = 0
    spent: int = 0
    bonus: int = 0
    karma_dice: int = 0
    flipped: bool = False
    stun: int = 0
    stopped: int = 0
    tumbling: int = 0
    alone: bool = False
    #: Weapon, shots declared and shots fired.
    shots: tuple[tuple[str, int, int], ...] = ()
    automatic: bool = False


class EgoSheet(Record):
    """A character without its name."""

    muscle: int = 10
    agility: int = 10
    intellect: int = 10
    vitality: int = 10
    race: str = "Human"
    #: Points that the race adds to the maximum of 16, by ability.
    maxima: tuple[tuple[str, int], ...] = ()
    #: Height in inches.
    height: int = 72
    sketch: str = ""
    skills: tuple[Skill, ...] = ()
    specialties: tuple[Specialty, ...] = ()
    advantages: tuple[str, ...] = ()
    disadvantages: tuple[str, ...] = ()
    powers: tuple[Power, ...] = ()
    karma: int = 0
    #: EXP from sessions.
    exp: int = 0
    #: EXP from adventures.
    exp_saved: int = 0
    funds: int = 0
    funded: bool = False
    lethal: int = 0
    non_lethal: int = 0
    stunned: int = 0
    down: str = ""
    #: Suit of armor that the character wears.
    armour: WornArmor | None = None
    #: Other suits of armor.
    spare_armour: tuple[WornArmor, ...] = ()
    arms: tuple[Arm, ...] = ()
    equipment: tuple[str, ...] = ()
    #: Points left in the pool of magic; None without one.
    magic: int | None = None
    #: Points left in the pool of psionics; None without one.
    psionics: int | None = None
    #: Points added to the maximum of magic.
    magic_bought: int = 0
    #: Points added to the maximum of psionics.
    psionics_bought: int = 0
    #: Uses of good luck in this session.
    lucky: int = 0
    #: Uses of bad luck in this session.
    unlucky: int = 0
    profile: Profile | None = None
    round: Round = Round()


# --- derived values -------------------------------------------------------------------------------


def rating_of(sheet: EgoSheet, name: str) -> int:
    """Return the highest rating of an effect; 0 without it."""
    return max([power.rating for power in sheet.powers if power.name == name], default=0)


def enhanced_levels(sheet: EgoSheet, key: str) -> int:
    """Return the levels of the effect that enhances an ability, from all sources (EGO-FX-05)."""
    name = f"Enhanced {key.capitalize()}"
    return sum([power.rating for power in sheet.powers if power.name == name])


def ability_dice(sheet: EgoSheet, key: str) -> int:
    """Return the dice of an ability.

    An enemy's Def stands for its Agility. Beside that, an enemy has the dice of its Vitality, and
    of its Muscle where the profile names it.
    """
    profile = sheet.profile
    if profile is None:
        return body.dice_for_score(getattr(sheet, key), enhanced_levels(sheet, key))
    if key == "agility":
        return profile.defence
    score = {"vitality": profile.vitality, "muscle": profile.muscle}.get(key)
    if score is None:
        return 0
    return body.dice_for_score(score)


def lift(sheet: EgoSheet) -> int:
    """Return the pounds that a character lifts overhead (EGO-LFT-01)."""
    return body.lift(sheet.muscle, enhanced_levels(sheet, "muscle"))


def level_of(sheet: EgoSheet, name: str, field: str = "") -> int:
    """Return the level of a skill or specialty; 0 without it.

    Without a field, that is the highest level of the name. A spoken language has one level more.
    """
    level = 0
    for skill in (*sheet.skills, *sheet.specialties):
        if skill.name == name and (not field or name_key(skill.field) == name_key(field)):
            level = max(level, skill.level)
    if level and name == _LANGUAGE and SPOKEN in field.casefold():
        return level + 1
    return level


def ability_of(sheet: EgoSheet, name: str) -> str:
    """Return the ability of a skill; empty for Superpowers and for unknown skills."""
    row = SKILLS.get(name)
    if row is not None:
        return row.ability
    return next((skill.ability for skill in sheet.skills if skill.name == name), "")


def pool_of(sheet: EgoSheet, name: str, field: str = "") -> int:
    """Return the dice of a skill: its level and those of its ability (EGO-SKL-02)."""
    key = ability_of(sheet, name)
    return level_of(sheet, name, field) + (ability_dice(sheet, key) if key else 0)


def title_with_field(name: str, field: str) -> str:
    """Return a name with its field, if any: `Pilot (ground)`, `Stealth`."""
    return f"{name} ({field})" if field else name


_TITLE: Final = re.compile(r"^(?P<name>.+?)\s*\((?P<field>[^()]+)\)$")


def split_title(text: str) -> tuple[str, str]:
    """Return the name and the field of a title such as `Pilot (ground)`."""
    match = _TITLE.match(text.strip())
    if match is None:
        return text.strip(), ""
    return match["name"], match["field"].strip()


# --- lines of a dialog, and texts ---------------------------------------------------------------

_LEVEL: Final = re.compile(r"^(?P<name>.*?)\s*[:=]?\s*(?P<level>\d{1,3})?$")
_RATING: Final = re.compile(
    r"^(?P<name>.*?)[\s,:]+(?P<ar>\d{1,3})(?:\s*(?:/|of)\s*(?P<full>\d{1,3}))?$"
)


def _leveled_row(line: str, key: str) -> dict[str, Any]:
    """Return the values of a line with a level; *key* is the key of the level.

    `field` and `rest`, the text behind a semicolon, are there only if the line has them.
    """
    head, _, rest = line.partition(";")
    match = _LEVEL.match(head.strip())
    name, field = split_title(match["name"].rstrip(",") if match else head)
    row: dict[str, Any] = {"name": name, key: 0}
    if match and match["level"]:
        row[key] = int(match["level"])
    if field:
        row["field"] = field
    if rest.strip():
        row["rest"] = rest.strip()
    return row


def read_skill(line: str) -> dict[str, Any]:
    """Return the values of a line such as `Pilot (ground) 2` or `Basketry 1; intellect`."""
    row = _leveled_row(line, "level")
    ability = row.pop("rest", "")
    if ability:
        row["ability"] = ability.casefold()
    return row


def read_power(line: str) -> dict[str, Any]:
    """Return the values of a line such as `Fire 3`, `Fire; magic` or `Body Armor 2; race`."""
    row = _leveled_row(line, "rating")
    source = row.pop("rest", "")
    row["name"] = title_with_field(row["name"], row.pop("field", ""))
    if source:
        row["source"] = source.casefold()
    return row


#: Words of a weapon's line beside its name.
_ARM_WORDS: Final = {
    "drawn": ("drawn", True),
    ROUNDS: ("magazine", None),
    "spare": ("spare", int),
    "weight": ("weight", int),
    "skill": ("skill", str),
}
#: Reads and writes `Sword, Long`, `Assault rifle; drawn; 20/30; weight 9; skill Gunnery`.
_read_arm: Final = partial(read_carried, words=_ARM_WORDS, fix="ego-write-arm")
_arm_line: Final = partial(carried_line, words=_ARM_WORDS)


def _skill_line(row: Values) -> str:
    line = f"{title_with_field(row['name'], row.get('field', ''))} {row['level']}"
    if not row.get("ability"):
        return line
    return f"{line}; {row['ability']}"


#: Functions that read and write a line with a level.
_LEVELED: Final = (read_skill, _skill_line)


def _power_line(row: Values) -> str:
    line = f"{row['name']} {row['rating']}" if row["rating"] else row["name"]
    if row["source"] == SUPERPOWERS:
        return line
    return f"{line}; {row['source']}"


def _worn_text(worn: WornArmor | None) -> str | None:
    return None if worn is None else armor_line(worn)


def _read_suit(text: str | None) -> WornArmor | None:
    match = _RATING.match(text or "")
    if match is None:
        return None
    return WornArmor(match["name"], int(match["ar"]), int(match["full"] or match["ar"]))


def _read_suits(lines: Iterable[str]) -> tuple[WornArmor, ...]:
    return tuple(suit for line in lines if (suit := _read_suit(line)) is not None)


def _suit_lines(suits: Iterable[WornArmor]) -> list[str]:
    return [armor_line(suit) for suit in suits]


def armor_line(armor: WornArmor) -> str:
    """Return `Leather 4/5`: the name, the rating now, and the rating when whole."""
    return f"{armor.name} {armor.ar}/{armor.full}"


def _suit_text(suit: WornArmor) -> Text:
    return Text("as-written", {"text": armor_line(suit)})


def with_suits(sheet: EgoSheet, suits: Iterable[WornArmor]) -> EgoSheet:
    """Return the sheet with these suits of armor, the best one worn (EGO-ARM-01)."""
    best, *others = (*sorted(suits, key=lambda suit: -suit.ar), None)
    spare = tuple(suit for suit in others if suit is not None)
    return sheet.replace(armour=best, spare_armour=spare)


def suits_of(sheet: EgoSheet) -> tuple[WornArmor, ...]:
    """Return all suits of armor that a character owns, the worn one first."""
    return sheet.spare_armour if sheet.armour is None else (sheet.armour, *sheet.spare_armour)


def _find_armor(asking: FormContext, text: str) -> str:
    """Return a suit of armor, by its name or with its rating, as `Leather 4/5`.

    *text* is such as `Leather`, `Leather 4/5` or `Old coat 2`.
    """
    match = _RATING.match(text.strip())
    name = match["name"].rstrip(",") if match else text.strip()
    rows: Mapping[str, ArmorKind] = rows_of(asking.campaign or Rows(), "armour")
    row = next((kind for kind in rows.values() if name_key(kind.name) == name_key(name)), None)
    if match is None and row is None:
        near, names = similar_or_first(text, rows), tuple(rows)
        raise violation(
            "not-in-tables", "armour", text[:100], "choose-allowed", allowed=names, nearest=near
        )
    full = 0
    if row is not None:
        name, full = row.name, row.ar
    elif match is not None:
        full = int(match["full"] or match["ar"])
    now = int(match["ar"]) if match else full
    return f"{name} {now}/{max(now, full)}"


#: Numbers of a profile that are not written where they are 0.
_OMITTED_IF_ZERO: Final = ("ar", "bonus", "guard")
#: Numbers of an enemy's profile, besides its damage (EGO-NME-01).
PROFILE: Final = (
    "att",
    "defence",
    "vitality",
    "ar",
    "initiative",
    "bonus",
    "ap",
    "guard",
    "muscle",
)
#: Words of a written profile, for numbers that have another name in code.
_PROFILE_WORDS: Final = {"defense": "defence"}
_WRITTEN: Final = {number: word for word, number in _PROFILE_WORDS.items()}
#: Words of a written profile.
PROFILE_WORDS: Final = frozenset((*PROFILE, *_PROFILE_WORDS, "damage"))


def _read_profile(text: str | None) -> Profile | None:
    """Read a profile such as `att 5, defense 2, damage claw 7/bite 5, vitality 12, ar 5`.

    A number may have its name of `PROFILE`, too. Raises InvalidInput("ego-unreadable-profile",
    "out-of-range").
    """
    if not text:
        return None
    words = [part.strip().casefold().partition(" ") for part in text.split(",")]
    values: dict[str, str] = {_PROFILE_WORDS.get(key, key): value for key, _, value in words}
    try:
        attacks = [attack.strip().rpartition(" ") for attack in values.pop("damage").split("/")]
        damage = tuple(int(dice) for _, _, dice in attacks)
        names = tuple(name.strip() for name, _, _ in attacks)
        numbers: dict[str, Any] = {key: int(values.pop(key)) for key in PROFILE if key in values}
        profile = Profile(damage=damage, attacks=names if any(names) else (), **numbers)
    except (KeyError, ValueError, TypeError):
        profile = None
    if profile is None or values:
        raise violation("ego-unreadable-profile", "profile", text[:100], "ego-write-profile")
    numbered = [(key, getattr(profile, key)) for key in PROFILE]
    numbered += [("damage", dice) for dice in profile.damage]
    for key, number in numbered:
        lowest = 1 if key == "vitality" else 0
        if number is not None and not lowest <= number <= HIGHEST_SCORE:
            bounds = {"lowest": lowest, "highest": HIGHEST_SCORE}
            word = _WRITTEN.get(key, key)
            raise violation(
                "out-of-range", "profile", f"{word} {number}", "choose-in-range", **bounds
            )
    return profile


def _profile_line(profile: Profile | None) -> str | None:
    if profile is None:
        return None
    parts: list[str] = []
    for key in PROFILE:
        number = getattr(profile, key)
        if number or (number == 0 and key not in _OMITTED_IF_ZERO):
            parts.append(f"{_WRITTEN.get(key, key)} {number}")
    return ", ".join([*parts, damages(profile.damage, profile.attacks)])


def damages(numbers: Iterable[int], names: Sequence[str]) -> str:
    """Return the damages of a profile: `damage 4`, `damage fire breath 12/claw 7`."""
    pairs = zip_longest(numbers, names, fillvalue="")
    attacks = [f"{name} {number}".strip() for number, name in pairs]
    return f"damage {'/'.join(attacks)}"


# --- the file -------------------------------------------------------------------------------------


def _specialties(campaign: Rows | None) -> dict[str, SpecialtyKind]:
    """Return all specialties by name."""
    specialties: dict[str, SpecialtyKind] = {}
    for skill in skills_of(campaign or Rows()).values():
        specialties |= {specialty.name: specialty for specialty in skill.specialties}
    return specialties


def _by_name(kind: str, *, strict: bool = False) -> Find:
    return row_finder(lambda campaign: rows_of(campaign or Rows(), kind), strict=strict)


_SKILL: Final = form("skill", optional_pick("ability", ABILITIES), skills=_by_name("skills"))
_SPECIALTY: Final = form("specialty", specialties=row_finder(_specialties, strict=True))
_POWER: Final = form("power", effects=_by_name("effects", strict=True))
_ARM: Final = form("arm", weapons=_by_name("weapons", strict=True))
_LABELS: Final = Labels(
    lambda key: Text("ego-hint", {"what": key}),
    MAX_ENTRIES,
    {
        "arms": "Weapons",
        "armour": "Armor",
        "spare_armour": "Other armor",
        "exp": "EXP",
        "exp_saved": "EXP from adventures",
    },
)
_title, hint, _rows, _names = _LABELS.title, _LABELS.hint, _LABELS.rows, _LABELS.names
_number: Final = partial(_LABELS.number, high=HIGHEST_POINTS)


def flag(key: str, **more: Any) -> Flag:
    """Return a field for an option without a value, with its explanation."""
    return Flag(key, label=Text("ego-option", {"what": key}), **more)


def number_field(
    key: str,
    high: int,
    *numbers: int,
    offered: Callable[[FormContext], Iterable[int]] | None = None,
    what: str = "",
    **more: Any,
) -> Number:
    """Return a field for a number. Its menu offers fixed *numbers*, or `offered` by asker."""

    def label(number: int) -> Text:
        return Text("ego-option", {"what": what or key, "n": number})

    return Number(key, high=high, offered=offered or numbers, label=label, **more)


# --- choices of menus -----------------------------------------------------------------------------


def choices_from_sheet(
    names: Callable[[Game, EgoSheet], Iterable[str]],
) -> Callable[[FormContext], tuple[Option, ...]]:
    """Return a function that lists the names that the sheet of the acting character gives."""
    return lambda asking: (
        () if asking.sheet is None else plain_options(names(asking.game, asking.sheet))
    )


def _levels(asking: FormContext, key: str) -> dict[str, int]:
    """Return the levels of a draft so far, by title."""
    rows = [read_skill(line) for line in list_lines(asking.values.get(key) or "")]
    return {title_with_field(row["name"], row.get("field", "")): row["level"] for row in rows}


def _with_line(text: str, chosen: str) -> str:
    """Return the lines of a draft with *chosen* among them.

    It replaces the line with the same title, or else stands last.
    """
    lines = {_title_key(line): line for line in list_lines(text)}
    return "\n".join({**lines, _title_key(chosen): chosen}.values())


def _title_key(line: str) -> str:
    row = read_skill(line)
    return name_key(title_with_field(row["name"], row.get("field", "")))


def _level_option(
    name: str, about: str, had: Mapping[str, int], *, needs: int = 0, free: bool = False
) -> Option:
    """Return the option of one more level, with its price."""
    level = had.get(name, 0) + 1
    shown = {
        "name": name,
        "about": about,
        "level": level,
        "needs": needs,
        "points": 0 if free else level,
    }
    # The value differs at each level, or the menu would go on showing the last choice.
    return Option(f"{name} {level}", Text("ego-raise", shown))


def _skill_options(asking: FormContext) -> Iterable[Option]:
    """List every skill by its ability, with those of the draft that have a field."""
    had = _levels(asking, "skills")
    for ability in (*ABILITIES, ""):
        for row in skills_of(asking.campaign).values():
            if row.ability == ability:
                own = [title for title in had if _is_title_of(title, row.name)]
                titles = [title_with_field(row.name, field) for field in row.fields]
                # A skill with a free field is missing here: its player writes the field.
                bare = [] if row.multiple or titles else [row.name]
                for title in dict.fromkeys((*own, *titles, *bare)):
                    yield _level_option(title, ability or "powers", had)


def _is_title_of(title: str, name: str) -> bool:
    """Return whether a title is that name with a field."""
    return title != name and split_title(title)[0] == name


def _weapon_titles(asking: FormContext, name: str) -> list[str]:
    """Return a specialty with each weapon of the draft as its field, or with an example."""
    arms = [_read_arm(line)["name"] for line in list_lines(asking.values.get("arms") or "")]
    return [title_with_field(name, arm) for arm in arms or [_EXAMPLE_WEAPON]]


def _specialty_options(asking: FormContext) -> Iterable[Option]:
    """List every specialty by its skill, with the level that the skill still needs."""
    had, base = _levels(asking, "specialties"), _levels(asking, "skills")
    for row in skills_of(asking.campaign).values():
        for specialty in row.specialties:
            name = specialty.name
            own = [title for title in had if _is_title_of(title, name)]
            offered = _weapon_titles(asking, name) if specialty.multiple else [name]
            for title in dict.fromkeys((*own, *offered)):
                needed = had.get(title, 0) + 2
                short = base.get(row.name, 0) < needed
                yield _level_option(title, row.name, had, needs=needed if short else 0)


def _power_options(asking: FormContext) -> Iterable[Option]:
    """List every effect, rated or known, that the skills of the draft give."""
    skills, had = _levels(asking, "skills"), _levels(asking, "powers")
    for row in rows_of(asking.campaign, "effects").values():
        if "Superpowers" in skills:
            yield _level_option(row.name, row.category, had, free=True)
        for source in ("magic", "psionics"):
            if source.capitalize() in skills:
                shown = {"name": row.name, "about": row.category, "source": source}
                yield Option(f"{row.name}; {source}", Text("ego-known", shown))


def trait_names(campaign: Rows, key: str) -> list[str]:
    """Return the names of the advantages, or of the disadvantages."""
    rows = rows_of(campaign, "traits").values()
    return [row.name for row in rows if row.bad == (key == TRAITS[1]) and (row.limit or row.text)]


def _trait_options(key: str, asking: FormContext) -> Iterable[Option]:
    had = list_lines(asking.values.get(key) or "")
    for name in trait_names(asking.campaign, key):
        times = had.count(name) + 1
        yield Option(f"{name} ({times})", Text("ego-trait", {"name": name, "times": times}))


def _with_trait(text: str, chosen: str) -> str:
    return "\n".join((*list_lines(text), split_title(chosen)[0]))


def currency_of(row: Weapon | ArmorKind, own: str) -> str:
    """Return the currency of a price, given the table's `own` money (EGO-EQP-01)."""
    currencies = row.currencies if isinstance(row, Weapon) else ()
    return own if not currencies or own in currencies else currencies[0]


def priced(rows: Iterable[Weapon | ArmorKind], own: str) -> tuple[Option, ...]:
    """List goods with their prices, given the table's `own` money."""
    options: list[Option] = []
    for row in rows:
        cost = costs.money_label(row.cost, currency_of(row, own))
        options.append(Option(row.name, Text("ego-good", {"name": row.name, "cost": cost})))
    return tuple(options)


def arms_on_sale(asking: FormContext) -> tuple[Option, ...]:
    """List the weapons; at a table with fixed starting funds, only those in its own money."""
    own: str = asking.game.setting("currency")
    rows: Iterable[Weapon] = rows_of(asking.campaign, "weapons").values()
    if asking.game.setting("starting_funds").isdecimal():
        rows = [row for row in rows if currency_of(row, own) == own]
    return priced(rows, own)


def suits_on_sale(asking: FormContext) -> tuple[Option, ...]:
    """List the suits of armor with their prices."""
    rows: Iterable[ArmorKind] = rows_of(asking.campaign, "armour").values()
    return priced(rows, asking.game.setting("currency"))


def _menu_rows(key: str, form: Form, kind: type[Any], *ways: Any, **more: Any) -> Any:
    """Return a field of rows that a menu offers, one after the other.

    `ways` are the functions that read and write a line.
    """
    return _rows(key, form, kind, *ways, topic=Text("ego-adds", {"what": key}), **more)


def _titled(kind: Callable[..., Any], key: str, **more: Any) -> Any:
    """Return a field of that kind, with its title and a hint."""
    return kind(key, title=_title(key), help=hint(key), **more)


_ABILITY: Final = Pick("ability", choices=plain_options(ABILITIES))
#: Fields of a character's file: those that players type, and those that play changes.
CHARACTER: Final = Form.of(
    NAME_FIELD,
    Typed("race", title=_title("race"), most=LONGEST_ENTRY),
    _titled(Scores, "maxima", low=-16, high=16, most=len(ABILITIES), name=_ABILITY),
    _number("height", high=10_000, hint=True, typed=body.read_height),
    _LABELS.typed("sketch", LONGEST_TEXT, long=True),
    PORTRAIT_FIELD,
    *(_number(key, high=HIGHEST_SCORE, hint=True) for key in ABILITIES),
    _menu_rows("skills", _SKILL, Skill, *_LEVELED, choices=_skill_options, picked=_with_line),
    _menu_rows(
        "specialties",
        _SPECIALTY,
        Specialty,
        *_LEVELED,
        choices=_specialty_options,
        picked=_with_line,
    ),
    _menu_rows(
        "powers", _POWER, Power, read_power, _power_line, choices=_power_options, picked=_with_line
    ),
    *(
        _names(key, choices=partial(_trait_options, key), picked=_with_trait, commas=True)
        for key in TRAITS
    ),
    _titled(
        Pick,
        "armour",
        find=_find_armor,
        into=_read_suit,
        back=_worn_text,
        null=True,
        choices=suits_on_sale,
        writable=True,
    ),
    _titled(
        Lines,
        "spare_armour",
        most=MAX_ENTRIES,
        longest=LONGEST_ENTRY,
        find=_find_armor,
        into=_read_suits,
        back=_suit_lines,
        told=_suit_text,
    ),
    _menu_rows("arms", _ARM, Arm, _read_arm, _arm_line, choices=arms_on_sale),
    EQUIPMENT_FIELD,
    NOTES_FIELD,
    *(_number(key) for key in ("karma", "exp", "exp_saved", "funds")),
    Flag("funded", default=False),
    *(_number("lethal", high=9_999), _number("non_lethal", high=999), _number("stunned")),
    optional_pick("down", DOWN, title=_title("down")),
    *(_number(key, null=True) for key in ("magic", "psionics")),
    *(_number(key) for key in ("magic_bought", "psionics_bought", "lucky", "unlucky")),
    _titled(coded_field, "profile", into=_read_profile, back=_profile_line, told=_profile_line),
)

#: Further check of a new sheet.
Spans = Callable[[Reader, EgoSheet], None]


def _check_skills(reader: Reader, sheet: EgoSheet, campaign: Rows) -> None:
    rows = skills_of(campaign)
    for at, skill in enumerate(sheet.skills):
        row, place = rows.get(skill.name), f"skills[{at}]"
        if row is None and not skill.ability:
            near = similar_or_first(skill.name, rows)
            reader.add_problem("not-in-tables", place, skill.name, "ego-name-ability", nearest=near)
        elif (
            row is None and "," in skill.name and rows.get(_first_skill_of(skill.name)) is not None
        ):
            reader.add_problem("not-in-tables", place, skill.name, "ego-split-lines")
        elif row is not None and row.multiple and not skill.field:
            reader.add_problem(
                "ego-needs-field", place, skill.name, "ego-name-field", example=example_of(row)
            )
    reader.note_repeated_titles("skills", sheet.skills)
    reader.note_repeated_titles("specialties", sheet.specialties)
    special = _specialties(campaign)
    for at, specialty in enumerate(sheet.specialties):
        if special[specialty.name].multiple and not specialty.field:
            example, place = title_with_field(specialty.name, _EXAMPLE_WEAPON), f"specialties[{at}]"
            reader.add_problem(
                "ego-needs-field", place, specialty.name, "ego-name-field", example=example
            )


def _first_skill_of(name: str) -> str:
    """Return the first of several skills on one line, without its level."""
    return name.partition(",")[0].rstrip("0123456789 ")


def example_of(row: SkillKind) -> str:
    """Return an example of a skill that needs a field: `Pilot (ground)`."""
    known = row.fields[0] if row.fields else _EXAMPLE_FIELDS.get(row.name, "…")
    return title_with_field(row.name, known)


def _check_traits(reader: Reader, sheet: EgoSheet, campaign: Rows) -> None:
    for place in TRAITS:
        allowed = trait_names(campaign, place)
        for at, name in enumerate(getattr(sheet, place)):
            if name not in allowed:
                near = similar_or_first(name, allowed)
                reader.add_problem(
                    "not-in-tables", f"{place}[{at}]", name, "rename-or-remove", nearest=near
                )


def _table_names(names: Iterable[str], rows: Mapping[str, Any]) -> tuple[str, ...]:
    by_key = {name_key(row): row for row in rows}
    return tuple(by_key.get(name_key(name), name) for name in names)


def with_table_names(sheet: EgoSheet, campaign: Rows) -> EgoSheet:
    """Return the sheet with names as the tables have them.

    Skills of the campaign's own have their ability on the sheet.
    """
    rows, traits = skills_of(campaign), rows_of(campaign, "traits")
    # The shipped tables have the ability of their skills; of the campaign's own skills the sheet
    # keeps it.
    own = {skill.name: skill.ability for skill in sheet.skills}
    own |= {name: "" if name in SKILLS else row.ability for name, row in rows.items()}
    return sheet.replace(
        skills=tuple(skill.replace(ability=own[skill.name]) for skill in sheet.skills),
        advantages=_table_names(sheet.advantages, traits),
        disadvantages=_table_names(sheet.disadvantages, traits),
    )


def read_sheet(
    data: Mapping[str, object], campaign: Rows | None = None, *, new: Spans | None = None
) -> tuple[str, EgoSheet]:
    """Return the name and the sheet of a character's JSON object.

    `new` notes what a new character breaks besides. Raises as `read_character`.
    """
    rows = campaign or Rows()

    def check(reader: Reader, sheet: EgoSheet) -> None:
        _check_skills(reader, sheet, rows)
        _check_traits(reader, sheet, rows)
        if new is not None:
            new(reader, sheet)

    return read_character(
        CHARACTER,
        data,
        rows,
        lambda values: sheet_from_values(values, rows, new=new is not None),
        check,
    )


def sheet_from_values(values: Values, campaign: Rows, *, new: bool = True) -> EgoSheet:
    """Return the sheet of the values that could be read, without faulty rows.

    A `new` character wears the best suit of armor (EGO-ARM-01).
    """
    sheet = with_table_names(CHARACTER.make_record(EgoSheet, values), campaign)
    # An imported sheet names the worn suit, which damage may have made worse than a spare one.
    worn = sheet.armour is not None and not new
    if worn:
        return sheet
    return with_suits(sheet, suits_of(sheet))


def sheet_of_draft(game: Game, draft: Values) -> EgoSheet:
    """Return the readable part of a draft as a sheet, with the least scores where it has none."""
    known = {
        key: value for key, value in draft.items() if value is not None and key in CHARACTER.keys
    }
    return sheet_from_values(
        CHARACTER.read_into(Reader(), {**costs.MIN_SCORES, **known}, FormContext(game), ""),
        game.campaign,
    )


def write_sheet(name: str, sheet: EgoSheet) -> dict[str, Any]:
    """Return the JSON object that `read_sheet` reads back to the same name and sheet.

    The counters of a round are left out.
    """
    return {"name": name, **CHARACTER.all_values(sheet)}
