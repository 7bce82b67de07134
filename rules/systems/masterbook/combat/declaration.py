"""What an attack consists of, and how it is said (MB-CMB-01, MB-OPT-01 to MB-OPT-05, MB-COV-01)."""

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
from rules.systems.masterbook.checks.procedure import (
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
from rules.table.forms import (
    Field,
    Form,
    FormContext,
    HiddenIf,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    never_hidden,
)
from rules.table.permissions import is_gm
from rules.table.system import Game

#: What is thrown: by whoever attacks, by whom it is done to, and to do it together.
STRIKE, DEFEND = "attack", "answer"
UNARMED: Final = "unarmed"
#: Before the id of what conceals, where it is told.
HIDDEN_PREFIX: Final = "hidden_"
#: What may be said besides the options of the rules.
THROWING_SKILL: Final = "Thrown Weapons"
THROWN, INDIRECT, BARE, SOFT, MANEUVER = (
    "thrown",
    "indirect",
    "unarmored",
    "non_lethal",
    "maneuver",
)
_WORDS: Final = (*OPTIONS, *GROUNDS, THROWN, INDIRECT, BARE, SOFT, MANEUVER)
_MOST, _FARTHEST, _CAUGHT = 50, 10_000, 20
#: The setting with which a table plays special attacks, cover, concealment and surprise.
COMBAT_OPTIONS: Final = "combat_options"


class AttackPlan(Record):
    """How somebody attacks, as it was said and as GMs have it.

    `options` are those of the rules, grounds that a grenade falls on, and words. `more` square
    meters conceal. `also` are further targets, of a blast with the meters from its middle;
    `together` those who coordinate. What GMs say: `defense` in the place of the target's, `harder`,
    `handling`, `encumbered`, `knockout` (what that is harder by), how many `bleeders`, the numbers
    of a `trick`, how far a grenade `strays`, what coordinating goes against.
    """

    weapon: str = ""
    skill: str = ""
    options: tuple[str, ...] = ()
    range: str = ""
    cover: str = ""
    concealment: str = ""
    more: int = 0
    rank: int = 0
    actions: int = 0
    group: int = 0
    shots: int = 0
    also: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    modifier: int = 0
    defense: int = 0
    harder: int = 0
    handling: int = 0
    encumbered: int = 0
    knockout: int = 0
    bleeders: int = 0
    trick: str = ""
    strays: int = 0
    coordination: str = ""
    #: Situations of options that a GM has ruled to count, each with its number.
    situations: tuple[str, ...] = ()

    def has_option(self, word: str) -> bool:
        """Whether that was said."""
        return word in self.options


class AttackingSide(Record):
    """Somebody who attacks: with what, in which `mode`, from which `band`, and what they roll.

    `damage_value` goes by Strength if `strong`, `more` is added to the result points for
    it; `bleeds` is what kind of wounds it deals.
    """

    who: str
    weapon: str = ""
    skill: str = ""
    rating: Rating = Rating(0)
    mode: str = ""
    band: str = ""
    use: Use = "hand"
    damage_value: int = 0
    more: int = 0
    blast: bool = False
    soft: bool = False
    bleeds: str = ""
    strong: bool = False
    #: Kind of damage of the weapon, where it has one.
    deals: str = ""
    #: What its options add to the difficulty, for the GMs alone (MB-BG-15).
    hidden_shifts: tuple[tuple[str, int], ...] = ()

    @property
    def damage_number(self) -> Named:
        """What a card has to go on to add to its damage value."""
        return "strength_damage" if self.strong else "damage"


class Foe(Record):
    """Somebody an attack is made at: what they defend with, passively, unless they are `active`.

    `held` is the total of an earlier active defense in this round; `total_modifier` what the attack
    loses by their rank among its targets; `meters` how far they are from the middle of a blast.
    """

    who: str
    means: RollSource
    rating: Rating = Rating(0)
    active: bool = False
    held: int | None = None
    total_modifier: int = 0
    meters: int = 0
    #: What its options add to the attacker's total, for the GMs alone (MB-BG-50).
    hidden_shifts: tuple[tuple[str, int], ...] = ()
    #: Bonus numbers of its active defense.
    bonuses: tuple[tuple[str, int], ...] = ()


class Attack(RollData):
    """An attack as far as it has come: its sides, at whom it is made; blows, numbers changed,
    facts.
    """

    plan: AttackPlan = AttackPlan()
    sides: tuple[AttackingSide, ...] = ()
    foes: tuple[Foe, ...] = ()
    joined: tuple[str, ...] = ()
    strayed: tuple[str, int] | None = None
    placed: bool = False
    #: By target: whether its skin has no protection against the attack (MB-BG-30).
    gaps: tuple[tuple[str, bool], ...] = ()
    blows: tuple[Blow, ...] = ()
    shifts: tuple[NumberChange, ...] = ()
    came: tuple[tuple[str, Facts], ...] = ()

    def with_foe(self, who: str, change: Callable[[Foe], Foe]) -> Attack:
        """The same with one of those it is made at changed."""
        return self.replace(
            foes=tuple([change(each) if each.who == who else each for each in self.foes])
        )


AnyAttack = Check[Attack]

# --- what is carried ------------------------------------------------------------------------------


def arm_of(sheet: MasterbookSheet, name: str) -> Arm | None:
    """A carried weapon; None for bare hands."""
    return next((each for each in sheet.arms if each.name == name), None)


def weapon_named(game: Game, sheet: MasterbookSheet, name: str) -> WeaponKind:
    """Return the numbers of a carried or natural weapon; bare hands where it is none."""
    arm = arm_of(sheet, name)
    if arm is not None:
        return weapon_of(arm, game.campaign)
    natural = {each.name: each for each in natural_weapons(sheet)}
    return natural.get(name, equipment.UNARMED)


def weapon_in_hand(sheet: MasterbookSheet) -> str:
    """Return the weapon that an attack is made with where nothing is said.

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
    lessened = [attack_options.lessened_surprise(each, steps) for each in options]
    return [each for each in lessened if each != attack_options.NO_SURPRISE]


# --- forms ----------------------------------------------------------------------------------------


def _range(text: str) -> str:
    """A band by its name, or a distance in meters. InvalidInput("mb-bad-range")."""
    return read_name_or_number(
        text, SPOTS, 0, _FARTHEST, field="range", unknown="mb-bad-range", unit="m"
    )


def _id(field: str, among: Collection[str], text: str) -> str:
    """What is called so, or the only one that begins so, by its id.
    InvalidInput("mb-option-unknown").
    """
    key = "_".join(text.casefold().replace("-", " ").split())
    longer = [each for each in among if each.startswith(f"{key}_")] if key not in among else [key]
    if len(longer) != 1:
        names = typed_ids(*among)
        near = similar_names(text, names)
        raise InvalidInput(
            "mb-option-unknown", field=field, value=text[:100], allowed=names, nearest=near
        )
    return longer[0]


def _word_refusal(asking: FormContext, key: str) -> RulesError | None:
    """Why a word may not be said: how somebody is surprised GMs say, some say only tables that play
    so.
    """
    option, game = OPTIONS.get(key), asking.game
    if option is None:
        return None
    if option.group == SURPRISED and game is not None and not is_gm(game.state, game.actor):
        return NotPermitted("gm-only")
    return combat_option_refusal(asking, key) if attack_options.is_extra(option) else None


def _word(asking: FormContext, text: str) -> str:
    """A word of an attack by its id. InvalidInput("mb-option-unknown"), NotPermitted("gm-only")."""
    fitting = [each.value for each in _words(asking)]
    try:
        key = _id("options", fitting, text)
    except InvalidInput:
        key = _id("options", _WORDS, text)
    if error := _word_refusal(asking, key):
        raise error
    return key


def _word_option(key: str) -> Option:
    return Option(key, Text("mb-option", {"why": key}))


def _words(asking: FormContext) -> tuple[Option, ...]:
    """What goes with the weapon that is named, or with any, and whoever asks may say."""
    sheet, name, rows = actor_sheet(asking), asking.values.get("weapon"), _WORDS
    if not name and asking.check is not None:
        name = asking.check.data.plan.weapon
    if sheet is not None and name in available_weapons(sheet):
        fitting = attack_options.options_for_weapon(weapon_named(asking.game, sheet, str(name)))
        rows = (*[each.id for each in fitting], *_WORDS[len(OPTIONS) :])
    return tuple([_word_option(each) for each in rows if _word_refusal(asking, each) is None])


def _trick(text: str) -> str:
    """The three numbers of a trick shot. InvalidInput("mb-bad-trick")."""
    found = text.replace("\u2212", "-").replace("/", " ").split()
    if len(found) != 3 or not all(re.fullmatch(r"[+-]?\d{1,2}", each) for each in found):
        raise InvalidInput("mb-bad-trick", field="trick", value=text[:100])
    return " ".join([str(int(each)) for each in found])


def hidden_unless_agreed(
    key: str, value: Any = True, *, of: HiddenIf = HIDDEN_BY_GM_FIELD.hidden_if
) -> HiddenIf:
    """Where the table plays so, of those who may say it at all: as a rule GMs."""

    def refused(asking: FormContext, word: str) -> RulesError | None:
        error = of(asking, word)
        if error is not None or asking.game is None or asking.game.setting(key) == value:
            return error
        return Impossible("mb-not-agreed", setting=key)

    return refused


#: Where the table plays with combat options.
combat_option_refusal: Final = hidden_unless_agreed(COMBAT_OPTIONS, of=never_hidden)


def _about(key: str) -> dict[str, Any]:
    return {"title": Text("mb-field", {"what": key}), "help": hint(key)}


def _number(
    key: str, low: int, high: int, unless: HiddenIf = HIDDEN_BY_GM_FIELD.hidden_if
) -> Number:
    return Number(key, low=low, high=high, hidden_if=unless, **_about(key))


def _rows(key: str, rows: Collection[str], prefix: str = "") -> Pick:
    found = tuple([Option(each, _word_option(f"{prefix}{each}").label) for each in rows])
    return Pick(
        key,
        choices=found,
        find=lambda asking, text: _id(key, rows, text),
        hidden_if=combat_option_refusal,
    )


def available_weapons(sheet: MasterbookSheet) -> tuple[str, ...]:
    """Return what a character may attack with: carried and natural weapons, or bare hands."""
    natural = [each.name for each in natural_weapons(sheet)]
    return (*[each.name for each in sheet.arms], *natural, UNARMED)


def _skills(asking: FormContext) -> tuple[Option, ...]:
    """What somebody may attack with the weapon that is named, or with any that they have."""
    sheet, game = asking.sheet, asking.game
    if sheet is None:
        return ()
    said = asking.values.get("weapon")
    weapons = [
        weapon_named(game, sheet, str(each))
        for each in ([said] if said else available_weapons(sheet))
    ]
    use = {each.skill for each in weapons} | {THROWING_SKILL for each in weapons if each.thrown}
    stand = {name for name, each in FOCUSES.items() if use & {*each.replaces}}
    mine = (*learned_sources(sheet), *unlearned_sources(sheet), *attributes())
    fitting = {
        each.name
        for each in mine
        if (each.skill or each.name) in use or each.focus.casefold() in stand
    }
    return tuple([each for each in skills_of(game, sheet) if each.value in fitting])


def _find_weapon(asking: FormContext, text: str) -> str:
    names = available_weapons(asking.sheet)
    found = matches(names, text, str)
    if len(found) != 1:
        near = similar_names(text, names)
        raise InvalidInput(
            "mb-unknown-weapon", field="weapon", value=text[:100], allowed=names, nearest=near
        )
    return found[0]


def _weapon_options(asking: FormContext) -> tuple[Option, ...]:
    sheet = asking.sheet
    return () if sheet is None else tuple([_word_option(each) for each in available_weapons(sheet)])


#: A word, or how it begins: `sweep` is another with a gun than by hand.
_BEGINNINGS: Final = {
    "_".join(each.split("_")[: at + 1]) for each in _WORDS for at in range(each.count("_") + 1)
}
_WORD_PATTERN: Final = "|".join(
    sorted(
        [each.replace("_", "[ _-]") for each in _BEGINNINGS if len(each) > 2], key=len, reverse=True
    )
)
#: What players may say, and GMs have the last word on.
_PLAYER_FIELDS: Final[tuple[Field, ...]] = (
    Many(
        "options",
        choices=_words,
        find=_word,
        alone=f"({_WORD_PATTERN})$",
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
#: What only GMs say.
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
#: Where a grenade that missed its place has come down.
PLACING_FORM: Final = RULING.part("also", "strays")


def meters_by_target(also: Iterable[str]) -> dict[str, int]:
    """How many meters from the middle somebody is, of those who are named besides."""
    return {who: int(meters) for who, _, meters in [each.rpartition(" ") for each in also]}


def involved_characters(check: AnyAttack) -> tuple[str, ...]:
    """At whom it is made, and who coordinates."""
    plan = check.data.plan
    return tuple(
        dict.fromkeys(
            [each for each in (check.target, *meters_by_target(plan.also), *plan.together) if each]
        )
    )
