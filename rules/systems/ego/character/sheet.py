"""Characters: the sheet, what follows from it, reading and writing it (EGO-SHT-01, EGO-CHR-03,
EGO-SKL-02).

The character's name is kept outside the sheet; `read_sheet` returns it and `write_sheet` takes it.
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
from rules.table.forms import (
    Find,
    Flag,
    Form,
    FormContext,
    Lines,
    Number,
    Option,
    Pick,
    Scores,
    Typed,
    Values,
    list_lines,
    plain_options,
)
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
#: What examples of skills are about, where the tables name no fields.
_EXAMPLE_FIELDS: Final = {
    "Area of Knowledge": "old roads",
    "Language": "Elvish",
    "Science": "chemistry",
    "Technical": "radios",
}
#: The weapon that an example of a specialty is about.
_EXAMPLE_WEAPON: Final = "Dagger"
#: A language that is only spoken has a level more (EGO-SKL-03).
_LANGUAGE, SPOKEN = "Language", "spoken"


class Skill(Record):
    """A skill at a level; `field` is what it is about, `ability` that of one of the
    campaign's own.
    """

    name: str
    level: int
    field: str = ""
    ability: str = ""

    @property
    def title(self) -> str:
        """`Pilot (ground)`."""
        return title_with_field(self.name, self.field)


#: A specialty at a level; `field` is the weapon of Melee Weapon.
Specialty = Skill


#: Source of effects that nothing else is said of.
SUPERPOWERS: Final = "superpowers"


class Power(Record):
    """A special effect; what is only known has rating 0."""

    name: str
    rating: int = 1
    source: str = SUPERPOWERS


class Arm(Record):
    """A carried weapon; `rounds` of a `magazine` are counted where they were entered. `weight` is
    in pounds.

    `spare` are rounds to reload with; None if they are not counted.
    """

    name: str
    drawn: bool = False
    rounds: int | None = None
    magazine: int | None = None
    spare: int | None = None
    skill: str = ""
    weight: int | None = None


class WornArmor(Record):
    """Armor: its rating now, and when whole."""

    name: str
    ar: int
    full: int


class Profile(Record):
    """An enemy's numbers, in the place of abilities (EGO-NME-01); `guard` are dice to parry with.

    `attacks` name the damages, where they have names.
    """

    att: int
    defence: int
    damage: tuple[int, ...]
    vitality: int
    ar: int = 0
    initiative: int | None = None
    bonus: int = 0
    ap: int | None = None
    guard: int = 0
    muscle: int | None = None
    attacks: tuple[str, ...] = ()


class Round(Record):
    """Counters of the encounter's round of that number; `shots` are weapon, shots declared, shots
    fired.
    """

    number: int = 0
    spent: int = 0
    bonus: int = 0
    karma_dice: int = 0
    flipped: bool = False
    stun: int = 0
    stopped: int = 0
    tumbling: int = 0
    alone: bool = False
    shots: tuple[tuple[str, int, int], ...] = ()
    automatic: bool = False


class EgoSheet(Record):
    """A character without its name. `maxima` are what the race adds to 16, `height` is in inches.

    `armor` is the suit that the character wears, `spare_armor` are the others.

    `exp` came from sessions, `exp_saved` from adventures. `magic` and `psionics` are points left in
    a pool, None without one; `…_bought` those added to its maximum. `lucky` and `unlucky` are uses
    in this session.
    """

    muscle: int = 10
    agility: int = 10
    intellect: int = 10
    vitality: int = 10
    race: str = "Human"
    maxima: tuple[tuple[str, int], ...] = ()
    height: int = 72
    sketch: str = ""
    skills: tuple[Skill, ...] = ()
    specialties: tuple[Specialty, ...] = ()
    advantages: tuple[str, ...] = ()
    disadvantages: tuple[str, ...] = ()
    powers: tuple[Power, ...] = ()
    karma: int = 0
    exp: int = 0
    exp_saved: int = 0
    funds: int = 0
    funded: bool = False
    lethal: int = 0
    non_lethal: int = 0
    stunned: int = 0
    down: str = ""
    armour: WornArmor | None = None
    spare_armour: tuple[WornArmor, ...] = ()
    arms: tuple[Arm, ...] = ()
    equipment: tuple[str, ...] = ()
    magic: int | None = None
    psionics: int | None = None
    magic_bought: int = 0
    psionics_bought: int = 0
    lucky: int = 0
    unlucky: int = 0
    profile: Profile | None = None
    round: Round = Round()


# --- what follows from it -------------------------------------------------------------------------


def rating_of(sheet: EgoSheet, name: str) -> int:
    """The highest rating of an effect, 0 without it."""
    return max([each.rating for each in sheet.powers if each.name == name], default=0)


def enhanced_levels(sheet: EgoSheet, key: str) -> int:
    """The levels of the effect that enhances an ability, from wherever they come (EGO-FX-05)."""
    name = f"Enhanced {key.capitalize()}"
    return sum([each.rating for each in sheet.powers if each.name == name])


def ability_dice(sheet: EgoSheet, key: str) -> int:
    """The dice of an ability; an enemy's Def stands for Agility, and it has none but its Vitality
    besides.
    """
    profile = sheet.profile
    if profile is None:
        return body.dice_for_score(getattr(sheet, key), enhanced_levels(sheet, key))
    if key == "agility":
        return profile.defence
    score = {"vitality": profile.vitality, "muscle": profile.muscle}.get(key)
    return 0 if score is None else body.dice_for_score(score)


def lift(sheet: EgoSheet) -> int:
    """Pounds lifted overhead (EGO-LFT-01)."""
    return body.lift(sheet.muscle, enhanced_levels(sheet, "muscle"))


def level_of(sheet: EgoSheet, name: str, field: str = "") -> int:
    """The level of a skill or specialty; without a field the highest of that name. A spoken
    language has one more.
    """
    found = [each for each in (*sheet.skills, *sheet.specialties) if each.name == name]
    levels = [each.level for each in found if not field or name_key(each.field) == name_key(field)]
    level = max(levels, default=0)
    return level + 1 if level and name == _LANGUAGE and SPOKEN in field.casefold() else level


def ability_of(sheet: EgoSheet, name: str) -> str:
    """The ability that a skill goes with; empty for Superpowers and what nobody knows."""
    row = SKILLS.get(name)
    if row is not None:
        return row.ability
    return next((each.ability for each in sheet.skills if each.name == name), "")


def pool_of(sheet: EgoSheet, name: str, field: str = "") -> int:
    """Dice of a skill: its level and those of its ability (EGO-SKL-02)."""
    key = ability_of(sheet, name)
    return level_of(sheet, name, field) + (ability_dice(sheet, key) if key else 0)


def title_with_field(name: str, field: str) -> str:
    """`Pilot (ground)`, `Stealth`."""
    return f"{name} ({field})" if field else name


_OF: Final = re.compile(r"^(?P<name>.+?)\s*\((?P<field>[^()]+)\)$")


def split_title(text: str) -> tuple[str, str]:
    """Name and what it is about, of `Pilot (ground)`."""
    found = _OF.match(text.strip())
    return (found["name"], found["field"].strip()) if found else (text.strip(), "")


# --- lines of a dialog, and texts ---------------------------------------------------------------

_LEVEL: Final = re.compile(r"^(?P<name>.*?)\s*[:=]?\s*(?P<level>\d{1,3})?$")
_RATING: Final = re.compile(
    r"^(?P<name>.*?)[\s,:]+(?P<ar>\d{1,3})(?:\s*(?:/|of)\s*(?P<full>\d{1,3}))?$"
)


def _leveled(line: str, key: str) -> dict[str, Any]:
    head, _, rest = line.partition(";")
    found = _LEVEL.match(head.strip())
    name, field = split_title(found["name"].rstrip(",") if found else head)
    made: dict[str, Any] = {
        "name": name,
        key: int(found["level"]) if found and found["level"] else 0,
    }
    return (
        made
        | ({"field": field} if field else {})
        | ({"rest": rest.strip()} if rest.strip() else {})
    )


def read_skill(line: str) -> dict[str, Any]:
    """`Pilot (ground) 2`, `Basketry 1; intellect`."""
    made = _leveled(line, "level")
    rest = made.pop("rest", "")
    return made | ({"ability": rest.casefold()} if rest else {})


def read_power(line: str) -> dict[str, Any]:
    """`Fire 3`, `Fire; magic`, `Body Armor 2; race`."""
    made = _leveled(line, "rating")
    rest, field = made.pop("rest", ""), made.pop("field", "")
    return (
        made
        | {"name": title_with_field(made["name"], field)}
        | ({"source": rest.casefold()} if rest else {})
    )


#: What may be said of a weapon besides its name.
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
    return f"{line}; {row['ability']}" if row.get("ability") else line


#: How a row with a level is read and written.
_LEVELED: Final = (read_skill, _skill_line)


def _power_line(row: Values) -> str:
    line = f"{row['name']} {row['rating']}" if row["rating"] else row["name"]
    return line if row["source"] == SUPERPOWERS else f"{line}; {row['source']}"


def _worn_text(worn: WornArmor | None) -> str | None:
    return None if worn is None else armor_line(worn)


def _worn(text: str | None) -> WornArmor | None:
    found = _RATING.match(text or "")
    return (
        WornArmor(found["name"], int(found["ar"]), int(found["full"] or found["ar"]))
        if found
        else None
    )


def _read_suits(lines: Iterable[str]) -> tuple[WornArmor, ...]:
    return tuple(suit for line in lines if (suit := _worn(line)) is not None)


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
    """Armor by its name, or with its rating: `Leather`, `Leather 4/5`, `Old coat 2`."""
    found = _RATING.match(text.strip())
    name = found["name"].rstrip(",") if found else text.strip()
    rows: Mapping[str, ArmorKind] = rows_of(asking.campaign or Rows(), "armour")
    row = next((each for each in rows.values() if name_key(each.name) == name_key(name)), None)
    if found is None and row is None:
        near, names = similar_or_first(text, rows), tuple(rows)
        raise violation(
            "not-in-tables", "armour", text[:100], "choose-allowed", allowed=names, nearest=near
        )
    if row is not None:
        name = row.name
    full = row.ar if row is not None else int(found["full"] or found["ar"]) if found else 0
    now = int(found["ar"]) if found else full
    return f"{name} {now}/{max(now, full)}"


#: Numbers of a profile that need not be said where they are 0.
_NOTHING: Final = ("ar", "bonus", "guard")
#: What an enemy's profile says, besides its damage (EGO-NME-01).
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
#: Words of a written profile for numbers that are called otherwise here.
_PROFILE_WORDS: Final = {"defense": "defence"}
_WRITTEN: Final = {number: word for word, number in _PROFILE_WORDS.items()}
#: What a profile may say, as it is written.
PROFILE_WORDS: Final = frozenset((*PROFILE, *_PROFILE_WORDS, "damage"))


def _profile(text: str | None) -> Profile | None:
    """`att 5, defense 2, damage claw 7/bite 5, vitality 12, ar 5` as a profile.

    A number may be called as in `PROFILE`, too. InvalidInput("ego-unreadable-profile",
    "out-of-range").
    """
    if not text:
        return None
    words = [part.strip().casefold().partition(" ") for part in text.split(",")]
    said: dict[str, str] = {_PROFILE_WORDS.get(key, key): value for key, _, value in words}
    try:
        parts = [each.strip().rpartition(" ") for each in said.pop("damage").split("/")]
        damage, names = (
            tuple(int(each[2]) for each in parts),
            tuple(each[0].strip() for each in parts),
        )
        numbers: dict[str, Any] = {key: int(said.pop(key)) for key in PROFILE if key in said}
        made = Profile(damage=damage, attacks=names if any(names) else (), **numbers)
    except (KeyError, ValueError, TypeError):
        made = None
    if made is None or said:
        raise violation("ego-unreadable-profile", "profile", text[:100], "ego-write-profile")
    numbered = [
        *[(key, getattr(made, key)) for key in PROFILE],
        *[("damage", each) for each in made.damage],
    ]
    for key, number in numbered:
        lowest = 1 if key == "vitality" else 0
        if number is not None and not lowest <= number <= HIGHEST_SCORE:
            bounds = {"lowest": lowest, "highest": HIGHEST_SCORE}
            word = _WRITTEN.get(key, key)
            raise violation(
                "out-of-range", "profile", f"{word} {number}", "choose-in-range", **bounds
            )
    return made


def _profile_text(made: Profile | None) -> str | None:
    if made is None:
        return None
    numbers = {key: getattr(made, key) for key in PROFILE}
    said = [
        f"{_WRITTEN.get(key, key)} {value}"
        for key, value in numbers.items()
        if value or (value == 0 and key not in _NOTHING)
    ]
    return ", ".join([*said, damages(made.damage, made.attacks)])


def damages(numbers: Iterable[int], names: Sequence[str]) -> str:
    """`damage 4`, `damage fire breath 12/claw 7`."""
    told = [
        f"{name} {number}".strip() for number, name in zip_longest(numbers, names, fillvalue="")
    ]
    return f"damage {'/'.join(told)}"


# --- the file -------------------------------------------------------------------------------------


def _specialties(campaign: Rows | None) -> dict[str, SpecialtyKind]:
    """All that there are, by name."""
    return {
        each.name: each
        for row in skills_of(campaign or Rows()).values()
        for each in row.specialties
    }


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
    """Something that may be said, with what it means."""
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


# --- what there is to choose from -----------------------------------------------------------------


def choices_from_sheet(
    names: Callable[[Game, EgoSheet], Iterable[str]],
) -> Callable[[FormContext], tuple[Option, ...]]:
    """What is offered by what whoever acts has."""
    return lambda asking: (
        () if asking.sheet is None else plain_options(names(asking.game, asking.sheet))
    )


def _levels(asking: FormContext, key: str) -> dict[str, int]:
    """What a draft has so far, by name."""
    rows = [read_skill(line) for line in list_lines(asking.values.get(key) or "")]
    return {title_with_field(row["name"], row.get("field", "")): row["level"] for row in rows}


def _raised(text: str, chosen: str) -> str:
    """The lines of a draft with this one in the place of the one that is called so, or
    behind them.
    """
    lines = {_named(line): line for line in list_lines(text)}
    return "\n".join({**lines, _named(chosen): chosen}.values())


def _named(line: str) -> str:
    row = read_skill(line)
    return name_key(title_with_field(row["name"], row.get("field", "")))


def _raises(
    name: str, about: str, had: Mapping[str, int], *, needs: int = 0, free: bool = False
) -> Option:
    """One more level of something, at its price."""
    level = had.get(name, 0) + 1
    shown = {
        "name": name,
        "about": about,
        "level": level,
        "needs": needs,
        "points": 0 if free else level,
    }
    # What is chosen is otherwise each time: a menu shows what was chosen in it last as long as that
    # is there.
    return Option(f"{name} {level}", Text("ego-raise", shown))


def _skills_there(asking: FormContext) -> Iterable[Option]:
    """Every skill by its ability, with what somebody has of those that are about something."""
    had = _levels(asking, "skills")
    for ability in (*ABILITIES, ""):
        for row in skills_of(asking.campaign).values():
            if row.ability == ability:
                mine = [
                    each for each in had if each != row.name and split_title(each)[0] == row.name
                ]
                names = [title_with_field(row.name, each) for each in row.fields]
                # What is about something needs that said: its player writes it.
                bare = [] if row.multiple or names else [row.name]
                for each in dict.fromkeys((*mine, *names, *bare)):
                    yield _raises(each, ability or "powers", had)


def _weapon_titles(asking: FormContext, name: str) -> list[str]:
    """Return a specialty with each weapon of the draft as its field, or with an example."""
    arms = [_read_arm(line)["name"] for line in list_lines(asking.values.get("arms") or "")]
    return [title_with_field(name, each) for each in arms or [_EXAMPLE_WEAPON]]


def _specialties_there(asking: FormContext) -> Iterable[Option]:
    """Every specialty by its skill, and which level of that it needs still."""
    had, base = _levels(asking, "specialties"), _levels(asking, "skills")
    for row in skills_of(asking.campaign).values():
        for each in row.specialties:
            mine = [name for name in had if name != each.name and split_title(name)[0] == each.name]
            own = _weapon_titles(asking, each.name) if each.multiple else [each.name]
            for name in dict.fromkeys((*mine, *own)):
                needed = had.get(name, 0) + 2
                short = base.get(row.name, 0) < needed
                yield _raises(name, row.name, had, needs=needed if short else 0)


def _powers_there(asking: FormContext) -> Iterable[Option]:
    """Every effect, by the skills of the draft that give effects: rated, or known."""
    skills, had = _levels(asking, "skills"), _levels(asking, "powers")
    for row in rows_of(asking.campaign, "effects").values():
        if "Superpowers" in skills:
            yield _raises(row.name, row.category, had, free=True)
        for source in ("magic", "psionics"):
            if source.capitalize() in skills:
                shown = {"name": row.name, "about": row.category, "source": source}
                yield Option(f"{row.name}; {source}", Text("ego-known", shown))


def trait_names(campaign: Rows, key: str) -> list[str]:
    """The advantages, or the disadvantages, there are."""
    rows = rows_of(campaign, "traits").values()
    return [row.name for row in rows if row.bad == (key == TRAITS[1]) and (row.limit or row.text)]


def _traits_there(key: str, asking: FormContext) -> Iterable[Option]:
    had = list_lines(asking.values.get(key) or "")
    for name in trait_names(asking.campaign, key):
        times = had.count(name) + 1
        yield Option(f"{name} ({times})", Text("ego-trait", {"name": name, "times": times}))


def _taken(text: str, chosen: str) -> str:
    return "\n".join((*list_lines(text), split_title(chosen)[0]))


def currency_of(row: Weapon | ArmorKind, own: str) -> str:
    """Return the currency of a price, given the table's `own` money (EGO-EQP-01)."""
    currencies = row.currencies if isinstance(row, Weapon) else ()
    return own if not currencies or own in currencies else currencies[0]


def priced(rows: Iterable[Weapon | ArmorKind], own: str) -> tuple[Option, ...]:
    """List goods with their prices, given the table's `own` money."""
    found: list[Option] = []
    for row in rows:
        cost = costs.money_label(row.cost, currency_of(row, own))
        found.append(Option(row.name, Text("ego-good", {"name": row.name, "cost": cost})))
    return tuple(found)


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


def _chosen(key: str, form: Form, kind: type[Any], *ways: Any, **more: Any) -> Any:
    """Rows that are chosen from a menu, one after the other; `ways` read and write a line
    of one.
    """
    return _rows(key, form, kind, *ways, topic=Text("ego-adds", {"what": key}), **more)


def _hinted(kind: Callable[..., Any], key: str, **more: Any) -> Any:
    """A field of that kind, with its title and what to write."""
    return kind(key, title=_title(key), help=hint(key), **more)


_ABILITY: Final = Pick("ability", choices=plain_options(ABILITIES))
#: A character's file: what is typed, and what play brings.
CHARACTER: Final = Form.of(
    NAME_FIELD,
    Typed("race", title=_title("race"), most=LONGEST_ENTRY),
    _hinted(Scores, "maxima", low=-16, high=16, most=len(ABILITIES), name=_ABILITY),
    _number("height", high=10_000, hint=True, typed=body.read_height),
    _LABELS.typed("sketch", LONGEST_TEXT, long=True),
    PORTRAIT_FIELD,
    *(_number(each, high=HIGHEST_SCORE, hint=True) for each in ABILITIES),
    _chosen("skills", _SKILL, Skill, *_LEVELED, choices=_skills_there, picked=_raised),
    _chosen(
        "specialties", _SPECIALTY, Specialty, *_LEVELED, choices=_specialties_there, picked=_raised
    ),
    _chosen(
        "powers", _POWER, Power, read_power, _power_line, choices=_powers_there, picked=_raised
    ),
    *(
        _names(each, choices=partial(_traits_there, each), picked=_taken, commas=True)
        for each in TRAITS
    ),
    _hinted(
        Pick,
        "armour",
        find=_find_armor,
        into=_worn,
        back=_worn_text,
        null=True,
        choices=suits_on_sale,
        writable=True,
    ),
    _hinted(
        Lines,
        "spare_armour",
        most=MAX_ENTRIES,
        longest=LONGEST_ENTRY,
        find=_find_armor,
        into=_read_suits,
        back=_suit_lines,
        told=_suit_text,
    ),
    _chosen("arms", _ARM, Arm, _read_arm, _arm_line, choices=arms_on_sale),
    EQUIPMENT_FIELD,
    NOTES_FIELD,
    *(_number(each) for each in ("karma", "exp", "exp_saved", "funds")),
    Flag("funded", default=False),
    *(_number("lethal", high=9_999), _number("non_lethal", high=999), _number("stunned")),
    optional_pick("down", DOWN, title=_title("down")),
    *(_number(each, null=True) for each in ("magic", "psionics")),
    *(_number(each) for each in ("magic_bought", "psionics_bought", "lucky", "unlucky")),
    _hinted(coded_field, "profile", into=_profile, back=_profile_text, told=_profile_text),
)

#: What else has to hold of a sheet: of a new one.
Spans = Callable[[Reader, EgoSheet], None]


def _check_skills(reader: Reader, sheet: EgoSheet, campaign: Rows) -> None:
    rows = skills_of(campaign)
    for at, each in enumerate(sheet.skills):
        row, place = rows.get(each.name), f"skills[{at}]"
        if row is None and not each.ability:
            near = similar_or_first(each.name, rows)
            reader.add_problem("not-in-tables", place, each.name, "ego-name-ability", nearest=near)
        elif row is None and "," in each.name and rows.get(_first_of(each.name)) is not None:
            reader.add_problem("not-in-tables", place, each.name, "ego-split-lines")
        elif row is not None and row.multiple and not each.field:
            reader.add_problem(
                "ego-needs-field", place, each.name, "ego-name-field", example=example_of(row)
            )
    reader.note_repeated_titles("skills", sheet.skills)
    reader.note_repeated_titles("specialties", sheet.specialties)
    special = _specialties(campaign)
    for at, each in enumerate(sheet.specialties):
        if special[each.name].multiple and not each.field:
            example, place = title_with_field(each.name, _EXAMPLE_WEAPON), f"specialties[{at}]"
            reader.add_problem(
                "ego-needs-field", place, each.name, "ego-name-field", example=example
            )


def _first_of(name: str) -> str:
    """The first of several skills that somebody has put on one line, without its level."""
    return name.partition(",")[0].rstrip("0123456789 ")


def example_of(row: SkillKind) -> str:
    """How one of what there is several of is written: `Pilot (ground)`."""
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


def _canonical(names: Iterable[str], rows: Mapping[str, Any]) -> tuple[str, ...]:
    by_key = {name_key(each): each for each in rows}
    return tuple([by_key.get(name_key(each), each) for each in names])


def with_table_names(sheet: EgoSheet, campaign: Rows) -> EgoSheet:
    """With names as the tables have them, and the abilities of the campaign's own skills."""
    rows, traits = skills_of(campaign), rows_of(campaign, "traits")
    # Of what ships the ability is in the tables; of the campaign's own that is kept beside the
    # level.
    own = {each.name: each.ability for each in sheet.skills}
    own |= {name: "" if name in SKILLS else row.ability for name, row in rows.items()}
    return sheet.replace(
        skills=tuple([each.replace(ability=own[each.name]) for each in sheet.skills]),
        advantages=_canonical(sheet.advantages, traits),
        disadvantages=_canonical(sheet.disadvantages, traits),
    )


def read_sheet(
    data: Mapping[str, object], campaign: Rows | None = None, *, new: Spans | None = None
) -> tuple[str, EgoSheet]:
    """Read a character from a JSON object; the name and the sheet. `new` notes what a new one
    breaks besides.

    Raises as `read_character`.
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
    return sheet if worn else with_suits(sheet, suits_of(sheet))


def sheet_of_draft(game: Game, draft: Values) -> EgoSheet:
    """Return what can be read of a draft, with the least scores where nothing is said."""
    known = {
        key: value for key, value in draft.items() if value is not None and key in CHARACTER.keys
    }
    return sheet_from_values(
        CHARACTER.read_into(Reader(), {**costs.MIN_SCORES, **known}, FormContext(game), ""),
        game.campaign,
    )


def write_sheet(name: str, sheet: EgoSheet) -> dict[str, Any]:
    """The JSON object that `read_sheet` reads back to the same name and sheet, without the counters
    of a round.
    """
    return {"name": name, **CHARACTER.all_values(sheet)}
