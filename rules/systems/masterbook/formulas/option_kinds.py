"""Advantages, Compensations and abilities that there are, read once from `data/background.json`.

MB-BG-01, MB-BG-02, MB-BG-08, MB-BG-20 to MB-BG-58. A row says in `Gives` what its option changes;
`character.option_effects` folds the options of one sheet.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

from rules.core.data_rows import from_json, json_loader
from rules.core.name_matching import name_key
from rules.core.record import Record, field

Side = Literal["advantage", "compensation"]
SIDES: Final[tuple[Side, ...]] = ("advantage", "compensation")
#: How an option acts: by itself; by a question with a proposed answer; by a reminder or a count;
#: on the sheet alone.
Acts = Literal["applied", "asked", "reminded", "shown"]
#: When the GM is reminded of an option.
Moment = Literal["adventure-start", "act-end", "adventure-end"]
#: What a situational modifier is added to: the difficulty number, the bonus number after the
#: chart, the total.
AddedTo = Literal["difficulty", "bonus", "total"]
#: What is filled in: free text, skills, Attributes, abilities, a macroskill, an Advantage of the
#: sheet, a number, a number for each of some skills, a mode of the option, one of some words.
InputType = Literal[
    "text",
    "skills",
    "attributes",
    "abilities",
    "macroskill",
    "link",
    "number",
    "scores",
    "mode",
    "choice",
]

ROMAN: Final = ("", "I", "II", "III", "IV", "V")
#: Option of a column that has no list: the GM's own words, without effect (MB-BG-08, OP-37).
CUSTOM: Final = "custom"
#: The highest column of the lists, and of free options.
LIST_COLUMNS: Final = 4
MOST_COLUMN: Final = 5
#: Column of the abilities that Multiple Abilities gives (MB-BG-30).
LOWER_ABILITIES: Final = 3


class OptionInput(Record):
    """Input of an option: what its player fills in."""

    #: Key in a file, and on a line (`motive: revenge`).
    key: str
    #: Name in error texts; the key if empty.
    name: str = ""
    kind: InputType = "text"
    #: Mode in which it is asked for; all if empty.
    mode: str = ""
    #: Mode in which it isn't asked for.
    unless_mode: str = ""
    #: Range of a number; most entries of a list.
    low: int = 0
    high: int = 20
    #: Size of a group of skills, in skills: two specializations count as one. 0: free.
    units: int = 0
    least_units: int = 0
    #: Whether specializations are refused, or demanded.
    whole: bool = False
    special: bool = False
    #: Only the special effects skills.
    effects: bool = False
    optional: bool = False
    choices: tuple[str, ...] = ()
    #: Whether it takes one physical or two mental Attributes, no others.
    balanced: bool = False
    #: Adds that the character should have in the language that it names.
    least_adds: int = 0
    #: Whether a listed ability answers it by its own inputs.
    by_ability: bool = False

    @property
    def title(self) -> str:
        return self.name or self.key

    def applies(self, mode: str) -> bool:
        """Return whether the input is asked for in this mode of its option."""
        if self.unless_mode and mode == self.unless_mode:
            return False
        return not self.mode or mode == self.mode


class Situation(Record):
    """A modifier that depends on the situation: proposed to the GM, who may change it.

    Without `skills`, `attributes`, a `group` or `first_round_of` it may apply to any roll. It is
    proposed for those rolls that it names, and merely offered for others.
    """

    #: Question in the catalog: `mb-situation-<key>`.
    key: str
    to: AddedTo
    #: Range of its number if it counts, and the one that is proposed.
    low: int
    high: int
    proposed: int
    skills: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    group: Literal["", "interaction"] = ""
    #: Skills with which it is proposed; others get 0 as the proposal. Empty: all.
    likely: tuple[str, ...] = ()
    likely_attacks: bool = False
    #: Rows of the skill's charts without which it isn't proposed.
    rows: tuple[str, ...] = ()
    #: Whether it is about what others try against the character.
    against: bool = False
    #: Uses of weapons that it is about. It is proposed in the first round.
    first_round_of: tuple[str, ...] = ()
    #: Whether the attempt is impossible.
    rules_out: bool = False
    #: Whether the answer is kept for each target.
    remembered: bool = False


class Recognition(Record):
    """Recognition of a character: die totals needed, and what follows (MB-BG-14, -25, -51)."""

    own: int
    elsewhere: int
    #: Added to the difficulty of talk with characters who recognize this one.
    difficulty: int = 0
    #: Skills that it counts for; every interaction if empty.
    skills: tuple[str, ...] = ()
    #: Whether the character needs no roll in the own culture after giving the name (MB-BG-25).
    announced: bool = False


class Healing(Record):
    """Faster healing (MB-BG-30)."""

    bonus: int = 0
    #: Rows of the table of wounds by which a wound heals more easily.
    rows: int = 0
    shock_each_round: int = 0
    all_shock: bool = False
    #: Hours between the rolls for a light wound; None: as everybody.
    light_hours: int | None = None
    #: Whether light wounds heal without a roll after `light_hours`.
    light_by_itself: bool = False


class Gives(Record):
    """What an option changes; a field that is not set changes nothing."""

    #: Adds in each target: a skill or focus, and a specialization (MB-BG-20).
    adds: int = 0
    special_adds: int = 0
    #: Bonus number with the targets, after the chart (MB-BG-28, -33); `bonus_from` is the input
    #: that says it.
    bonus: int = 0
    bonus_from: str = ""
    #: Least bonus number with the targets (MB-BG-29).
    floor: int | None = None
    #: Points of the target Attribute and its limit (MB-BG-21).
    attribute: int = 0
    #: Difficulty with the targets, skills or Attributes; hidden from players (MB-BG-50).
    difficulty: int = 0
    #: Difficulty with skills that the option itself names.
    listed: Mapping[str, int] = field(default_factory=dict[str, int])
    #: Whether its numbers are difficulties with skills.
    listed_numbers: bool = False
    #: Added to the total of a skill.
    totals: Mapping[str, int] = field(default_factory=dict[str, int])
    situations: tuple[Situation, ...] = ()
    recognition: Recognition | None = None
    #: Whether the culture is known as if by scholar, on Mind (MB-BG-23).
    scholar: bool = False
    #: Column of a contact (MB-BG-22).
    contact: int = 0
    #: Availability codes above the table's own (MB-BG-24).
    availability: int = 0
    #: Column of Wealth; no gear at the start (MB-BG-34, -54).
    wealth: int = 0
    poverty: bool = False
    #: Luck by its column: `cii`, `ciii`, `civ` (MB-BG-27).
    luck: Literal["", "cii", "ciii", "civ"] = ""
    curve: Literal["", "positive", "negative"] = ""
    effects_access: bool = False
    #: Column of a flaw; Life Points of a price; difficulty of a quirk (MB-BG-41, -56, -57).
    flaw: int = 0
    price: int = 0
    quirk: int = 0
    heel: bool = False
    burns_out: bool = False
    #: Column of Bad Luck (MB-BG-43).
    bad_luck: int = 0
    #: Shock when stymied (MB-BG-42).
    stymied_shock: int = 0
    #: Whether one language is limited to 1 add at first (MB-BG-52).
    language: bool = False
    reminds: tuple[Moment, ...] = ()
    #: What is owed when an adventure ends: a share of the profit, all goods, the loot.
    owes: Literal["", "share", "goods", "loot"] = ""
    #: Abilities (MB-BG-30).
    healing: Healing | None = None
    cannot_drown: bool = False
    surprise_steps: int = 0
    #: Initiative without cards; hastes in an adventure with them.
    initiative: int = 0
    hastes: int = 0
    natural_weapon: Literal["", "hand", "ranged"] = ""
    #: Name of the natural weapon, where the player has none for it.
    weapon_name: str = ""
    #: Toughness, or the input that says it.
    toughness: int = 0
    toughness_from: str = ""
    immunity: bool = False
    wounds_less: int = 0
    #: Number of abilities of column III.
    several: int = 0
    permanent_effect: bool = False


class OptionMode(Record):
    """One of several forms of an option; exactly one is chosen."""

    id: str
    about: str = ""
    gives: Gives = Gives()
    #: How many skills and specializations are its targets; None: as the input says.
    units: tuple[int, int] | None = None
    #: How often it may be taken; None: as the option may.
    most: int | None = None


class OptionKind(Record):
    """An Advantage or Compensation of one column."""

    name: str
    column: int
    kind: Side = "advantage"
    #: One line for a menu, at most 60 characters.
    about: str = ""
    rule: str = "MB-BG-08"
    acts: Acts = "shown"
    inputs: tuple[OptionInput, ...] = ()
    modes: tuple[OptionMode, ...] = ()
    #: What the words of its `pattern` give, beside what all such options give.
    patterns: tuple[OptionMode, ...] = ()
    gives: Gives = Gives()
    #: How often it may be taken; None: any number of times, for other targets.
    most: int | None = None
    #: Whether the limit isn't stated by the rules: breaking it is a warning.
    inferred: bool = False
    #: Whether the GM has to agree to it.
    consent: bool = False
    #: Whether the GM has to agree to a second one of its name.
    consent_again: bool = False
    #: How often it may be taken with `learning_curve_by_attribute`; 0: as `most` says.
    most_by_attribute: int = 0
    #: Whether no other Advantage may touch its targets.
    alone: bool = False
    #: The most adds that a raised skill may have; 0: no such limit.
    adds_most: int = 0
    #: Compensations that go well with it (MB-BG-12).
    suggests: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return option_title(self.name, self.column)

    def mode(self, mode_id: str) -> OptionMode | None:
        return next((mode for mode in self.modes if mode.id == mode_id), None)

    def has_input(self, *kinds: InputType) -> bool:
        """Return whether the option asks for an input of one of these kinds."""
        return any(option_input.kind in kinds for option_input in self.inputs)


class AbilityKind(Record):
    """A special ability (MB-BG-30)."""

    name: str
    column: int = 3
    about: str = ""
    acts: Acts = "applied"
    inputs: tuple[OptionInput, ...] = ()
    modes: tuple[OptionMode, ...] = ()
    gives: Gives = Gives()

    @property
    def title(self) -> str:
        return option_title(self.name, self.column)


class Preset(Record):
    """Number of Advantages allowed in each of the columns I to IV (MB-BG-02)."""

    name: str
    limits: tuple[int, int, int, int]


class SpeciesOption(Record):
    """An option that every member of a species has."""

    name: str
    column: int
    label: str = ""
    targets: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Species(Record):
    """A species: what its members have, and what is open to them (MB-BG-09)."""

    name: str
    about: str = ""
    advantages: tuple[SpeciesOption, ...] = ()
    compensations: tuple[SpeciesOption, ...] = ()
    #: Free Advantages by column, instead of the table's own limits.
    free: tuple[int, int, int, int] | None = None
    #: Skills that no chosen option may name.
    forbidden: tuple[str, ...] = ()
    lowest: Mapping[str, int] = field(default_factory=dict[str, int])
    highest: Mapping[str, int] = field(default_factory=dict[str, int])


class PairRule(Record):
    """Two options that exclude each other, or do not normally go together (MB-BG-04)."""

    names: tuple[str, str]
    #: Columns of the one and of the other; two of one column are a matter of `OptionKind.most`.
    columns: tuple[tuple[int, ...], tuple[int, ...]]
    excluded: bool = False
    #: Setting that lifts the rule.
    unless: str = ""

    def joins(self, one: tuple[str, int], other: tuple[str, int]) -> bool:
        """Return whether the rule speaks of these two options, in this order.

        Each is given by the key of its name, and its column.
        """
        if one == other:
            return False
        first = name_key(self.names[0]) == one[0] and one[1] in self.columns[0]
        return first and name_key(self.names[1]) == other[0] and other[1] in self.columns[1]


class MatchRule(Record):
    """What should stand beside an option, or should not (MB-BG-12)."""

    #: End of the code of the warning, `mb-bg-<code>`.
    code: str
    name: str
    columns: tuple[int, ...]
    #: Options of which one should be there.
    needs: tuple[str, ...] = ()
    #: Whether any Compensation will do that is linked to it.
    linked: bool = False
    #: Options that contradict it.
    without: tuple[str, ...] = ()


class BackgroundRows(Record):
    """Rows of backgrounds; a campaign adds its own."""

    advantages: tuple[OptionKind, ...] = ()
    compensations: tuple[OptionKind, ...] = ()
    abilities: tuple[AbilityKind, ...] = ()
    species: tuple[Species, ...] = ()
    presets: tuple[Preset, ...] = ()


_DATA: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "background")())
_OPTIONS: Final = from_json(tuple[OptionKind, ...], _DATA["options"])
BACKGROUND_ROWS: Final = BackgroundRows(
    tuple(row for row in _OPTIONS if row.kind == "advantage"),
    tuple(row for row in _OPTIONS if row.kind == "compensation"),
    from_json(tuple[AbilityKind, ...], _DATA["abilities"]),
    from_json(tuple[Species, ...], _DATA["species"]),
    from_json(tuple[Preset, ...], _DATA["presets"]),
)
PAIR_RULES: Final = from_json(tuple[PairRule, ...], _DATA["pairs"])
MATCH_RULES: Final = from_json(tuple[MatchRule, ...], _DATA["matches"])
#: Guideline for what Advantages give one skill, and one specialization of it (MB-BG-04).
STACKING_LIMITS: Final = from_json(dict[str, tuple[int, int]], _DATA["stacking_limits"])
#: Highest bonus of a custom ability (MB-BG-30).
CUSTOM_BONUS_LIMITS: Final = from_json(dict[str, int], _DATA["custom_bonus_limits"])
#: Skills of attack and defense, for the guideline on stacking and the theme quota.
COMBAT_SKILLS: Final = from_json(tuple[str, ...], _DATA["combat_skills"])
#: Skills of special effects (MB-BG-31).
EFFECTS_SKILLS: Final = from_json(tuple[str, ...], _DATA["effects_skills"])


#: Range of each number in a campaign's rows, by the name of its field.
NUMBER_BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    "column": (1, MOST_COLUMN),
    "most": (1, 20),
    "most_by_attribute": (0, 20),
    "adds_most": (0, 60),
    "limits": (0, 20),
    "free": (0, 20),
    "units": (0, 20),
    "least_units": (0, 20),
    "low": (-20, 100),
    "high": (-20, 100),
    "proposed": (-20, 100),
    "own": (2, 100),
    "elsewhere": (2, 100),
    "adds": (0, 10),
    "special_adds": (0, 10),
    "bonus": (-10, 10),
    "floor": (-20, 20),
    "attribute": (0, 10),
    "difficulty": (-30, 30),
    "contact": (0, LIST_COLUMNS),
    "availability": (0, LIST_COLUMNS),
    "wealth": (0, 3),
    "flaw": (0, 3),
    "bad_luck": (0, 3),
    "price": (0, 10),
    "quirk": (0, 50),
    "stymied_shock": (0, 20),
    "rows": (0, 5),
    "shock_each_round": (0, 20),
    "light_hours": (1, 1000),
    "surprise_steps": (0, 2),
    "initiative": (-20, 20),
    "hastes": (0, 20),
    "toughness": (-20, 20),
    "wounds_less": (0, 10),
    "several": (0, 3),
}


def option_title(name: str, column: int) -> str:
    """Return the name with its column: `Skill Bonus (CI)`."""
    return f"{name} (C{ROMAN[column]})"


@cache
def _book_options() -> dict[tuple[Side, str, int], OptionKind]:
    return {(row.kind, name_key(row.name), row.column): row for row in _OPTIONS}


def option_kind(
    side: Side, name: str, column: int, rows: BackgroundRows | None = None
) -> OptionKind | None:
    """Return the row of that name and column, the campaign's own first; None without one."""
    own = () if rows is None else _rows_of(rows, side)
    wanted = name_key(name)
    for row in own:
        if name_key(row.name) == wanted and row.column == column:
            return row.replace(kind=side)
    return _book_options().get((side, wanted, column))


def _rows_of(rows: BackgroundRows, side: Side) -> tuple[OptionKind, ...]:
    return rows.advantages if side == "advantage" else rows.compensations


def option_kinds(side: Side, rows: BackgroundRows | None = None) -> tuple[OptionKind, ...]:
    """Return all rows of one side, the campaign's own in the place of those of their title."""
    kinds = {row.title: row for row in _OPTIONS if row.kind == side}
    for row in () if rows is None else _rows_of(rows, side):
        kinds[row.title] = row.replace(kind=side)
    return tuple(kinds.values())


def ability_kinds(column: int, rows: BackgroundRows | None = None) -> tuple[AbilityKind, ...]:
    """Return the abilities of a column."""
    own = () if rows is None else rows.abilities
    rows_of_column = (row for row in (*BACKGROUND_ROWS.abilities, *own) if row.column == column)
    kinds = {row.name: row for row in rows_of_column}
    return tuple(kinds.values())


def ability_kind(name: str, column: int, rows: BackgroundRows | None = None) -> AbilityKind | None:
    """Return the ability of that name; `Fast` is the list's name for Fast Reactions."""
    wanted = _ALIASES.get(name_key(name), name_key(name))
    for row in ability_kinds(column, rows):
        if name_key(row.name) == wanted:
            return row
    return None


#: Other names of abilities in the lists.
_ALIASES: Final = {name_key("Fast"): name_key("Fast Reactions")}
