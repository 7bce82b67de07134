"""Plan and data of an attack, and its forms (MB-CMB-01, MB-OPT-01 to MB-OPT-05, MB-COV-01)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotPermitted, RulesError
from rules.core.json_reader import read_name_or_number
from rules.core.name_matching import matches, similar_names
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import (
    Arm,
    MasterbookSheet,
    natural_weapons,
    option_effects,
    weapon_of,
)
from rules.systems.masterbook.character.sheet_io import hint
from rules.systems.masterbook.checks.action_economy import SURPRISED
from rules.systems.masterbook.checks.check_forms import (
    COORDINATION,
    SKILL,
    actor_sheet,
    helper,
    skills_of,
)
from rules.systems.masterbook.checks.roll_sources import (
    RollSource,
    attributes,
    learned_sources,
    unlearned_sources,
)
from rules.systems.masterbook.checks.state import Blow, Rating, RollData
from rules.systems.masterbook.deck.play import Named
from rules.systems.masterbook.formulas import attack_options, equipment
from rules.systems.masterbook.formulas.damage import Facts
from rules.systems.masterbook.formulas.equipment import GROUNDS, SPOTS, WeaponKind
from rules.systems.masterbook.formulas.reference_rows import (
    CONCEALMENTS,
    COVERS,
    FOCUSES,
    OPTIONS,
    Use,
    typed_ids,
)
from rules.table.blocks import Text
from rules.table.check import Check
from rules.table.checks.shared_blocks import NumberChange
from rules.table.checks.stages import (
    APPROACH_FIELD,
    HIDDEN_BY_GM_FIELD,
    IN_HAND_LABEL,
    MODIFIER_FIELD,
    NOTE_FIELD,
)
from rules.table.commands import distance_field, spoken_distance
from rules.table.forms.fields import (
    FormContext,
    HiddenIf,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    never_hidden,
)
from rules.table.forms.form import Field, Form
from rules.table.permissions import is_gm
from rules.table.system import Game

#: Names of rolls: the attacker's, and the target's.
STRIKE, DEFEND = "attack", "answer"
UNARMED: Final = "unarmed"
#: Prefix of a concealment's id where it is told.
HIDDEN_PREFIX: Final = "hidden_"
THROWING_SKILL: Final = "Thrown Weapons"
#: Words that players may say besides the options of the rules.
THROWN, INDIRECT, BARE, SOFT, MANEUVER = (
    "thrown",
    "indirect",
    "unarmored",
    "non_lethal",
    "maneuver",
)
_WORDS: Final = (*OPTIONS, *GROUNDS, THROWN, INDIRECT, BARE, SOFT, MANEUVER)
#: Highest number of most fields, farthest range in meters, and most targets of a blast.
_MOST, _FARTHEST, _CAUGHT = 50, 10_000, 20
#: Key of the setting for special attacks, cover, concealment and surprise.
COMBAT_OPTIONS: Final = "combat_options"


class AttackPlan(Record):
    """Plan of an attack, as the player has said it and as the GM has it."""

    weapon: str = ""
    skill: str = ""
    #: Options of the rules, ground under a grenade, and words such as `thrown`.
    options: tuple[str, ...] = ()
    #: Range band, or distance in meters.
    range: str = ""
    cover: str = ""
    concealment: str = ""
    #: Square meters of further concealment.
    more: int = 0
    #: Rank of this action, and number of actions in the round.
    rank: int = 0
    actions: int = 0
    #: Size of a group for which the GM rolls once.
    group: int = 0
    #: Shots of a mode with several single shots; 0: two.
    shots: int = 0
    #: Further targets; of a blast each with its meters from the middle.
    also: tuple[str, ...] = ()
    #: Helpers who coordinate.
    together: tuple[str, ...] = ()
    modifier: int = 0
    # The fields from here on are the GM's.
    #: Number in the place of the target's defense.
    defense: int = 0
    #: Shift of the difficulty.
    harder: int = 0
    #: Modifier of the weapon's handling.
    handling: int = 0
    #: Modifier of an attack by Agility or Dexterity in heavy armor.
    encumbered: int = 0
    #: Shift of the difficulty for an attack that knocks out.
    knockout: int = 0
    #: Number of wounds that bleed.
    bleeders: int = 0
    #: Numbers of a trick shot: modifiers of attack, defense and damage.
    trick: str = ""
    #: Meters by which a thrown explosive misses its place.
    strays: int = 0
    #: Difficulty of coordinating.
    coordination: str = ""
    #: Situations of options that a GM has ruled to count, each with its number.
    situations: tuple[str, ...] = ()

    def has_option(self, word: str) -> bool:
        """Return whether the plan has an option or a word."""
        return word in self.options


class AttackingSide(Record):
    """Attacker with its weapon and its numbers."""

    who: str
    weapon: str = ""
    skill: str = ""
    rating: Rating = Rating(0)
    #: Mode of fire.
    mode: str = ""
    #: Range band.
    band: str = ""
    use: Use = "hand"
    damage_value: int = 0
    #: Modifier of the result points for damage.
    more: int = 0
    blast: bool = False
    #: Whether the attack is non-lethal.
    soft: bool = False
    #: Kind of wounds, which decides how many of them bleed.
    bleeds: str = ""
    #: Whether the damage value depends on Strength.
    strong: bool = False
    #: Kind of damage of the weapon, if the campaign names one.
    deals: str = ""
    #: What its options add to the difficulty, for the GMs alone (MB-BG-15).
    hidden_shifts: tuple[tuple[str, int], ...] = ()

    @property
    def damage_number(self) -> Named:
        """Number on which a card is played that raises the damage value."""
        return "strength_damage" if self.strong else "damage"


class Foe(Record):
    """Target of an attack, with its defense."""

    who: str
    #: Source of the defense, and its passive rating.
    source: RollSource
    rating: Rating = Rating(0)
    #: Whether the target defends actively.
    active: bool = False
    #: Total of an earlier active defense in this round.
    earlier_defense: int | None = None
    #: Modifier of the attacker's total by the target's rank among several.
    total_modifier: int = 0
    #: Meters from the middle of a blast.
    meters: int = 0
    #: What its options add to the attacker's total, for the GMs alone (MB-BG-50).
    hidden_shifts: tuple[tuple[str, int], ...] = ()
    #: Bonus numbers of its active defense.
    bonuses: tuple[tuple[str, int], ...] = ()


class Attack(RollData):
    """Data of an attack."""

    plan: AttackPlan = AttackPlan()
    #: Attackers, the leader first; empty before the attack is declared.
    sides: tuple[AttackingSide, ...] = ()
    foes: tuple[Foe, ...] = ()
    #: Helpers whose players have agreed.
    joined: tuple[str, ...] = ()
    #: Direction and meters of a throw that missed its place.
    strayed: tuple[str, int] | None = None
    #: Whether the GM has said who is near that place.
    placed: bool = False
    #: By target: whether its skin has no protection against the attack (MB-BG-30).
    gaps: tuple[tuple[str, bool], ...] = ()
    blows: tuple[Blow, ...] = ()
    #: Numbers on sheets that the attack has changed.
    shifts: tuple[NumberChange, ...] = ()
    #: By character: what the attack has done to it.
    consequences: tuple[tuple[str, Facts], ...] = ()

    def with_foe(self, who: str, change: Callable[[Foe], Foe]) -> Attack:
        """Return the attack with one of its targets changed."""
        foes = tuple(change(foe) if foe.who == who else foe for foe in self.foes)
        return self.replace(foes=foes)


AnyAttack = Check[Attack]

# --- weapons --------------------------------------------------------------------------------------


def arm_of(sheet: MasterbookSheet, name: str) -> Arm | None:
    """Return a carried weapon; None for bare hands."""
    return next((arm for arm in sheet.arms if arm.name == name), None)


def weapon_named(game: Game, sheet: MasterbookSheet, name: str) -> WeaponKind:
    """Return the numbers of a carried or natural weapon; bare hands where it is none."""
    arm = arm_of(sheet, name)
    if arm is not None:
        return weapon_of(arm, game.campaign)
    natural = {weapon.name: weapon for weapon in natural_weapons(sheet)}
    return natural.get(name, equipment.UNARMED)


def weapon_in_hand(sheet: MasterbookSheet) -> str:
    """Return the weapon of an attack that names none.

    That is the first one drawn, else one of the body, else bare hands.
    """
    for arm in sheet.arms:
        if arm.drawn:
            return arm.name
    for weapon in natural_weapons(sheet):
        if weapon.use == "hand":
            return weapon.name
    return UNARMED


def lessened_surprise(game: Game, target: str, options: Iterable[str]) -> list[str]:
    """Return options as a GM declares them, with a surprise as it is for the target (MB-BG-30)."""
    known = target in game.state.characters
    steps = option_effects(game.sheet(target)).surprise_steps if known else 0
    lessened = [attack_options.lessened_surprise(option, steps) for option in options]
    return [option for option in lessened if option != attack_options.NO_SURPRISE]


# --- forms ----------------------------------------------------------------------------------------


def _range(text: str) -> str:
    """Return a band's name or a distance in meters. Raises InvalidInput("mb-bad-range")."""
    return read_name_or_number(
        text, SPOTS, 0, _FARTHEST, field="range", unknown="mb-bad-range", unit="m"
    )


def _id(field: str, ids: Collection[str], text: str) -> str:
    """Return the id that *text* names, or the only one that begins so.

    Raises InvalidInput("mb-option-unknown").
    """
    key = "_".join(text.casefold().replace("-", " ").split())
    if key in ids:
        return key
    longer = [id_ for id_ in ids if id_.startswith(f"{key}_")]
    if len(longer) != 1:
        names = typed_ids(*ids)
        near = similar_names(text, names)
        raise InvalidInput(
            "mb-option-unknown", field=field, value=text[:100], allowed=names, nearest=near
        )
    return longer[0]


def _word_refusal(asking: FormContext, key: str) -> RulesError | None:
    """Return why a word may not be said here; None if it may.

    Only GMs say how a target is surprised. Some options need the table's setting.
    """
    option, game = OPTIONS.get(key), asking.game
    if option is None:
        return None
    if option.group == SURPRISED and game is not None and not is_gm(game.state, game.actor):
        return NotPermitted("gm-only")
    return combat_option_refusal(asking, key) if attack_options.is_extra(option) else None


def _word(asking: FormContext, text: str) -> str:
    """Return the id of an attack's word.

    Raises InvalidInput("mb-option-unknown"), NotPermitted("gm-only").
    """
    fitting = [option.value for option in _words(asking)]
    try:
        key = _id("options", fitting, text)
    except InvalidInput:
        key = _id("options", _WORDS, text)
    error = _word_refusal(asking, key)
    if error is not None:
        raise error
    return key


def _word_option(key: str) -> Option:
    return Option(key, Text("mb-option", {"why": key}))


def _words(asking: FormContext) -> tuple[Option, ...]:
    """Return the words for the named weapon, or for any, that the asking player may say."""
    sheet, name, words = actor_sheet(asking), asking.values.get("weapon"), _WORDS
    if not name and asking.check is not None:
        name = asking.check.data.plan.weapon
    if sheet is not None and name in available_weapons(sheet):
        fitting = attack_options.options_for_weapon(weapon_named(asking.game, sheet, str(name)))
        words = (*[option.id for option in fitting], *_WORDS[len(OPTIONS) :])
    return tuple(_word_option(word) for word in words if _word_refusal(asking, word) is None)


def _trick(text: str) -> str:
    """Return the three numbers of a trick shot. Raises InvalidInput("mb-bad-trick")."""
    numbers = text.replace("\u2212", "-").replace("/", " ").split()
    if len(numbers) != 3 or not all(re.fullmatch(r"[+-]?\d{1,2}", word) for word in numbers):
        raise InvalidInput("mb-bad-trick", field="trick", value=text[:100])
    return " ".join(str(int(number)) for number in numbers)


def hidden_unless_agreed(
    key: str, value: Any = True, *, of: HiddenIf = HIDDEN_BY_GM_FIELD.hidden_if
) -> HiddenIf:
    """Return a field's rule that hides it, unless a setting has a value.

    *of* hides the field as well: by default from players.
    """

    def hidden_if(asking: FormContext, word: str) -> RulesError | None:
        error = of(asking, word)
        if error is not None or asking.game is None or asking.game.setting(key) == value:
            return error
        return Impossible("mb-not-agreed", setting=key)

    return hidden_if


#: Rule of fields at tables that play with combat options.
combat_option_refusal: Final = hidden_unless_agreed(COMBAT_OPTIONS, of=never_hidden)


def _about(key: str) -> dict[str, Any]:
    return {"title": Text("mb-field", {"what": key}), "help": hint(key)}


def _number(
    key: str, low: int, high: int, unless: HiddenIf = HIDDEN_BY_GM_FIELD.hidden_if
) -> Number:
    return Number(key, low=low, high=high, hidden_if=unless, **_about(key))


def _rows(key: str, rows: Collection[str], prefix: str = "") -> Pick:
    return Pick(
        key,
        choices=tuple(Option(row, _word_option(f"{prefix}{row}").label) for row in rows),
        find=lambda asking, text: _id(key, rows, text),
        hidden_if=combat_option_refusal,
    )


def available_weapons(sheet: MasterbookSheet) -> tuple[str, ...]:
    """Return what a character may attack with: carried and natural weapons, or bare hands."""
    natural = [weapon.name for weapon in natural_weapons(sheet)]
    return (*[arm.name for arm in sheet.arms], *natural, UNARMED)


def _skills(asking: FormContext) -> tuple[Option, ...]:
    """Return the skills for the named weapon, or for any that the character has."""
    sheet, game = asking.sheet, asking.game
    if sheet is None:
        return ()
    said = asking.values.get("weapon")
    skills: set[str] = set()
    for name in [said] if said else available_weapons(sheet):
        weapon = weapon_named(game, sheet, str(name))
        skills.add(weapon.skill)
        if weapon.thrown:
            skills.add(THROWING_SKILL)
    focuses = {name for name, focus in FOCUSES.items() if skills.intersection(focus.replaces)}
    fitting: set[str] = set()
    for source in (*learned_sources(sheet), *unlearned_sources(sheet), *attributes()):
        if (source.skill or source.name) in skills or source.focus.casefold() in focuses:
            fitting.add(source.name)
    return tuple(option for option in skills_of(game, sheet) if option.value in fitting)


def _find_weapon(asking: FormContext, text: str) -> str:
    """Return the weapon that *text* names. Raises InvalidInput("mb-unknown-weapon")."""
    return unique_weapon(available_weapons(asking.sheet), text)


def unique_weapon(names: tuple[str, ...], text: str) -> str:
    """Return the only name that *text* matches. Raises InvalidInput("mb-unknown-weapon")."""
    matching = matches(names, text, str)
    if len(matching) != 1:
        near = similar_names(text, names)
        raise InvalidInput(
            "mb-unknown-weapon", field="weapon", value=text[:100], allowed=names, nearest=near
        )
    return matching[0]


def _weapon_options(asking: FormContext) -> tuple[Option, ...]:
    sheet = asking.sheet
    return () if sheet is None else tuple(_word_option(name) for name in available_weapons(sheet))


def _beginnings(ids: Iterable[str]) -> set[str]:
    """Return each id and its beginnings, by whole words."""
    beginnings: set[str] = set()
    for id_ in ids:
        words = id_.split("_")
        for count in range(1, len(words) + 1):
            beginnings.add("_".join(words[:count]))
    return beginnings


def _word_pattern() -> str:
    """Return the pattern of a word or its beginning, the longest first.

    `sweep` is another option with a gun than by hand.
    """
    patterns = [id_.replace("_", "[ _-]") for id_ in _beginnings(_WORDS) if len(id_) > 2]
    return "|".join(sorted(patterns, key=len, reverse=True))


#: Fields of players, on which GMs have the last word.
_PLAYER_FIELDS: Final[tuple[Field, ...]] = (
    Many(
        "options",
        choices=_words,
        find=_word,
        alone=f"({_word_pattern()})$",
        most=len(_WORDS),
        example="full auto",
    ),
    Typed(
        "range",
        most=20,
        read=_range,
        choices=tuple(map(_word_option, SPOTS)),
        help=hint("range"),
        example="12",
    ),
    _rows("concealment", CONCEALMENTS, HIDDEN_PREFIX),
    _rows("cover", COVERS),
    _number("more", 1, _MOST, combat_option_refusal),
    distance_field("also", "name 3", **_about("also")),
    MODIFIER_FIELD,
)
#: Fields of GMs only.
_GM_FIELDS: Final[tuple[Field, ...]] = (
    _number("defense", 1, 100),
    _number("harder", -_MOST, _MOST),
    _number("knockout", 1, 5, hidden_unless_agreed("knockout_attacks")),
    _number("bleeders", 1, _MOST, hidden_unless_agreed("bleeding", "gm")),
    _number("handling", -5, 5, hidden_unless_agreed("weapon_handling_mods")),
    _number("encumbered", -4, -1, hidden_unless_agreed("armor_agility_penalty")),
    _number("strays", 1, 15, hidden_unless_agreed("grenade_deviation_method", "gm")),
    Typed(
        "trick",
        most=20,
        read=_trick,
        hidden_if=HIDDEN_BY_GM_FIELD.hidden_if,
        example="−2 0 4",
        **_about("trick"),
    ),
    COORDINATION,
)
FORM: Final = Form(
    (
        Pick("weapon", choices=_weapon_options, find=_find_weapon, nothing=IN_HAND_LABEL),
        SKILL.replace(choices=_skills),
        _number("rank", 1, 10, never_hidden),
        _number("actions", 1, 10, never_hidden),
        _number("shots", 2, 100, never_hidden),
        _number("group", 2, 100),  # the GM rolls once for all of them (MB-CBN-01)
        Many(
            "together",
            find=helper,
            spoken=spoken_distance,
            most=_CAUGHT,
            help=hint("together"),
            example="name",
        ),
        APPROACH_FIELD,
        *_PLAYER_FIELDS,
        *_GM_FIELDS,
    ),
    first=("range: 12", "full auto", "aim", "head", "all out", "cover: strong"),
    leading=("weapon", "range", "options"),
)
RULING: Final = Form((*_PLAYER_FIELDS, *_GM_FIELDS, NOTE_FIELD))
#: Form for where a thrown explosive has come down that missed its place.
PLACING_FORM: Final = RULING.part("also", "strays")


def meters_by_target(also: Iterable[str]) -> dict[str, int]:
    """Return each further target's meters from the middle of a blast."""
    meters: dict[str, int] = {}
    for target in also:
        who, _, number = target.rpartition(" ")
        meters[who] = int(number)
    return meters


def involved_characters(check: AnyAttack) -> tuple[str, ...]:
    """Return the targets of an attack, and its helpers."""
    plan = check.data.plan
    involved = (check.target, *meters_by_target(plan.also), *plan.together)
    return tuple(dict.fromkeys(who for who in involved if who))
