"""What a random walk has to know of each system: names and numbers that fit, and what must never be
told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any, Final

import pytest

from bot.services.table_opening import ensure_free_table
from rules.core.record import Record
from rules.registry import read_only_game
from rules.systems.barmore.pool import DIE_TYPES
from rules.systems.ego.character.sheet import EgoSheet, Round
from rules.systems.ego.vehicles.vehicles_in_play import AddVehicle, vehicles_of
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.deck.card_definitions import KINDS
from rules.systems.masterbook.deck.table_deck import has_deck, require_cards
from rules.systems.masterbook.effects.state import effects_of, running_effects
from rules.systems.masterbook.effects.value_changes import passing_changes
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.system import PROCEDURES
from rules.table.actions import Action, ImportCharacter, JoinEncounter, StartEncounter
from rules.table.state import DAY, HOUR, AnyCharacter, TableState
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    GUILD,
    NOON,
    PLACE,
    USERS,
    House,
    Session,
    barmore_character,
    by,
    ebb_character,
    ego_character,
    make_session,
    masterbook_character,
    own_action,
)
from tests.tiny import playing_tiny, tiny_character


def _nothing(state: TableState) -> None:
    return None


def _as_it_is(sheet: Any) -> Any:
    return sheet


class Grounds(Record):
    """A system to walk on.

    `words` are what fits in a field of a form or an action, by its key, or by that of one action
    (`Give.to`); under the name of an action stand several fields that belong together. The number
    that may be kept `hidden` stands in the field `number`, which is one of `secret` then and found
    by `canary`. `whole` is what has to be so of these rules at every time, `lasting` a sheet
    without the counters that no file carries.
    """

    key: str
    character: Callable[..., dict[str, Any]]
    words: Mapping[str, tuple[Any, ...]]
    canary: re.Pattern[str]
    secret: tuple[Any, ...]
    number: str = "difficulty"
    whole: Callable[[TableState], None] = _nothing
    lasting: Callable[[Any], Any] = _as_it_is
    #: Kinds of check that take more than chance brings about; walks through the commands have them.
    rare: frozenset[str] = frozenset()
    settings: tuple[tuple[str, Any], ...] = ()
    #: What is said most of the time.
    often: tuple[str, ...] = ()
    #: What is done before the walk begins.
    first: tuple[Action, ...] = ()
    #: What tells grounds of one system apart.
    kind: str = ""

    @property
    def name(self) -> str:
        return f"{self.key}{self.kind}"


#: What fits everywhere.
SHARED: Final[dict[str, tuple[Any, ...]]] = {
    "answer_time": (0, HOUR, DAY),
    "step_in_time": (0, HOUR, DAY),
    "to": ("p2", "p3"),
    "Give.to": ("p2", "p3", None),
    "owner": (None, "p2", "p3"),
    "add": ("p1", "p2"),
    "remove": ("p1", "p2"),
    "until": (None, NOON + 40 * DAY),
    "alias": ("", "a shape"),
    "count": (1, 1, 2),
    "minutes": (10, 60 * 24, 60 * 24 * 30, -60),
    "note": ("", "careful"),
    "name": ("Rat", "Lone", "Anna", "the tide"),
    "description": ("Tall.", "Small."),
    "fields": ({"description": "Tall."}, {"description": "Small."}),
    "dice": ("2d6+1", "{Climbing}+d6", "3d10k2", "the axe"),
    "SaveRoll": ({"name": "the axe", "dice": "d20"}, {"name": "the axe", "dice": ""}),
    "offer": (1, 2, 3),
    "card": ("queen of hearts", "QH", "7C", "joker"),
    "keep_amount": (0, 1),
    "modifier": (0, -3, 2),
    "against": (0, 2),
    "AddToEncounter.score": (None, 2),
    "doing": ("runs", "waits"),
}

EBB: Final = Grounds(
    "ebb",
    partial(ebb_character, fate=60),
    {
        **SHARED,
        "skill": ("Climbing", "rif", "none"),
        "attribute": ("Fitness", "zone"),
        "difficulty": ("Easy", "Tricky", "13"),
        "luck": ("Fitness", "zone", "none"),
        "covers": ("Zone 1", "Fitness 1"),
        "npc_rolls": (True, False),
        "weapon": ("", "rifle", "a broken arm"),
        "injury": ("", "a broken arm"),
        "text": ("a broken arm",),
        "part": ("", "arm"),
        "severity": ("light", "severe"),
        "Learn": (
            {
                "skill": "Diving",
                "attribute": "zone",
                "drawback": "Cold",
                "explanation": "the flood",
            },
            {"skill": "Boats", "attribute": "Fitness", "drawback": "Wet", "explanation": ""},
        ),
        "drawback": ("Cold",),
        "explanation": ("", "the flood"),
        "Edit.fields": (
            {"description": "Tall."},
            {"abilities": "Climbing, Fitness, d12", "drawbacks": "Proud"},
        ),
        "Adjust": (
            {"what": "fate", "value": "30"},
            {"what": "injury", "value": "a cut; arm; severe"},
            {"what": "lost:Zone", "value": "1"},
            {"what": "die:Climbing", "value": "d10"},
        ),
        "Award.to": (None, "Anna", "Boris"),
    },
    re.compile(r"\b9[01]\d\d\b|Legendary\+30"),
    # By number and by name, shifted by some levels.
    ("9137", "Legendary+3038"),
)


def _barmore(state: TableState) -> None:
    for character in state.characters.values():
        _wounds(character)
    for check in state.checks.values():
        for throw in check.data.throws:
            _dice(throw)


def _wounds(character: AnyCharacter) -> None:
    sheet = character.sheet
    assert all(score >= 0 for _, score in sheet.abilities)
    for scores in (sheet.abilities, sheet.attributes):
        assert len(dict(scores)) == len(scores)
    assert len({wound.number for wound in sheet.wounds}) == len(sheet.wounds)
    for wound in sheet.wounds:
        assert 0 <= wound.healed < 1
        assert isinstance(wound.healed, Fraction) and isinstance(wound.factor, Fraction)
        assert wound.taken <= wound.as_of


def _dice(thrown: Any) -> None:
    """A pool keeps the best of its dice, or the worst, and comes to what they add up to."""
    pool = thrown.pool
    if not thrown.faces:
        assert pool.add > 0 or thrown.total == 0
        return
    assert len(thrown.faces) == pool.size
    die = DIE_TYPES[thrown.die]
    assert all(1 <= face <= die.sides for face in thrown.faces)
    values = [face + die.add for face in thrown.faces]
    kept = [value for value, counts in zip(values, thrown.kept_dice, strict=True) if counts]
    dropped = [value for value, counts in zip(values, thrown.kept_dice, strict=True) if not counts]
    assert len(kept) == pool.add
    assert sum(kept) == thrown.total
    if dropped and pool.modifier > 0:
        assert max(dropped) <= min(kept)
    if dropped and pool.modifier < 0:
        assert min(dropped) >= max(kept)


_WOUND: Final = {"name": "Light", "degree": 2, "penalty": 1, "base_days": 7, "healed": "1/3"}
BARMORE: Final = Grounds(
    "barmore",
    barmore_character,
    {
        **SHARED,
        "skill": ("Boats", "Brawling", "Knives", "Medicine", "none"),
        "attribute": ("Speed", "Wits", "Perception"),
        "difficulty": ("5", "10", "20", "-3"),
        "weapon": ("Boathook",),
        "injury": ("Light",),
        "factor": ("3/2", "2"),
        "die": ("d12-2", "d4+2"),
        "minor": (None, True, False),
        "wounds": ([], [], [_WOUND, _WOUND]),
        "Edit.fields": ({"description": "Tall."}, {"abilities": "Boats 2\nKnives 3"}),
        "data": (
            {"options": {"dice_phobes": True}},
            {"options": {"dice_phobes": False, "minor_npcs": True}},
        ),
        "required": (1, 12),
        "every": (60,),
        "task": ("t1", "t2", "t3"),
        "rolls": (None, 0, 1),
        "options": (
            (),
            (),
            ("die: d12-2",),
            ("halvings: 2", "doublings: 1"),
            ("support: Athletics",),
        ),
        "costs": (("3",), ("1", "5"), ("40",)),
        "BeginAction.score": (None, "Speed"),
        "Adjust": tuple(
            {"what": what, "value": value}
            for what, value in (
                ("ability", "Boats 3"),
                ("ability", "Brawling none"),
                ("attribute", "Wits -2"),
                ("new wound", "physical 4"),
                ("wound healed", ""),
                ("wound healed", "1"),
                ("wound care", "1 x 2"),
                ("wound rest", "1: slower"),
                ("wound stabilized", "1"),
                ("never rolls", "no"),
            )
        ),
    },
    re.compile(r"\b937\b"),
    # No total comes near it.
    ("937",),
    whole=_barmore,
)


def _ego(state: TableState) -> None:
    for character in state.characters.values():
        sheet = character.sheet
        assert (
            min(sheet.karma, sheet.exp, sheet.funds, sheet.lethal, sheet.non_lethal, sheet.stunned)
            >= 0
        )
        assert sheet.round.karma_dice >= 0
        assert all((arm.rounds or 0) >= 0 for arm in sheet.arms)
        assert sheet.armour is None or 0 <= sheet.armour.ar <= sheet.armour.full
    for vehicle in vehicles_of(state):
        assert min(vehicle.sections) >= 0 and vehicle.speed >= 0 and vehicle.ar >= 0
        assert not vehicle.pilot or vehicle.pilot in vehicle.aboard
        assert {*vehicle.held} <= {*vehicle.aboard}


def _beyond_the_round(sheet: EgoSheet) -> EgoSheet:
    return sheet.replace(round=Round())


EGO: Final = Grounds(
    "ego",
    ego_character,
    {
        **SHARED,
        "skill": ("Gun Combat", "Stealth", "Acrobatics", "gun", "none"),
        "attribute": ("agility", "vitality", "muscle"),
        "difficulty": ("Easy", "Hard", "2", "Automatic"),
        "harder": (-2, 1, 2),
        "weapon": ("Med Cal, automatic", "Sword, Long", "Frag Grenade", ""),
        "range": ("short", "long", "30", "max"),
        "caught": ("Anna 3", "Boris 900", "Rat"),
        "effect": ("Energy Blast", "Flight"),
        "vehicle": ("One", "One", "Other"),
        "collision.vehicle": ("One",),
        "other": ("Other",),
        "object": (1, 60),
        "pilot": ("Anna", "Anna", "Boris", "Rat"),
        "aboard": ("", "Anna, Boris", "Rat"),
        "AddVehicle.kind": ("Sedan", "Fighter jet", "Small shuttle"),
        "AddVehicle.name": ("One", "Other"),
        "AddVehicle.type": (None, 1, 3, 6),
        "SteerVehicle.speed": (None, 0, 2, 5, 50),
        "HurtVehicle.damage": (1, 12, 400),
        "HurtVehicle.section": (None, 1, 60),
        "RepairVehicle.points": (None, 1, 12),
        "Buy.what": ("Leather", "Sword, Long", "Med Cal, automatic", "a rope"),
        "Buy.price": (None, 0, 5),
        "AddNpcs": ({"name": "Rat"}, {"name": "Orc", "like": "Orc", "data": None}),
        "emergency.vehicle": ("One", "Other"),
        "emergency.what": ("stop", "stop", "brake", "wake"),
        "down": ("", "", "unconscious"),
        "Act.action": ("draw", "reload", "stand up"),
        "Act.seconds": (None, 1, 4),
        "Edit.fields": ({"description": "Tall."}, {"skills": "Stealth 3"}),
        "Adjust": tuple(
            {"what": what, "value": value}
            for what, value in (
                ("karma", "3"),
                ("karma", "-1"),
                ("ap", "0"),
                ("funds", "300"),
                ("exp", "60"),
            )
        ),
    },
    # No name of a thing and no count of entries: those have words or signs of their own before
    # them.
    re.compile(
        r"""(?<!entry=)(?<!entry['"]: )(?<!'entry', 'value': )(?<!seq['"]: )"""
        r"""(?<!"id": )(?<!#)(?<!left=)"""
        r"""(?<!"entries": \[)"""
        r"""(?<!"what": "section", "number": )\b4[37]\b(?![\d, ]*(?:\), by_gm=|\], "by_gm"))"""
    ),
    ("43", "47"),
    whole=_ego,
    lasting=_beyond_the_round,
    settings=(("cbp", 500),),
    often=("hidden", "other"),
    first=(
        AddVehicle(**by(GM), kind="Sedan", name="One", pilot="Anna"),
        AddVehicle(**by(GM), kind="Van", name="Other", pilot="Boris"),
        StartEncounter(**by(GM)),
        JoinEncounter(**by(ANN)),
        *[
            ImportCharacter(**by(BEN), grown=True, data=ego_character(name, down="unconscious"))
            for name in ("Dora", "Emil")
        ],
    ),
)


def _masterbook(state: TableState) -> None:
    for character in state.characters.values():
        sheet = character.sheet
        assert 0 <= sheet.life_points <= 10 and sheet.skill_points >= 0
        assert min(sheet.harm.wounds, sheet.harm.shock, sheet.harm.k, sheet.harm.bleeders) >= 0
        assert all((arm.rounds or 0) >= 0 for arm in sheet.arms)
        special = [(each.adds, adds) for each in sheet.skills for _, adds in each.specializations]
        assert all(more <= adds + 2 for adds, more in special)
    game = read_only_game(state)
    if has_deck(game):
        cards = require_cards(game)
        assert cards.piles.cards == tuple(sorted(cards.faces))
        seated = {each.who for each in cards.deal.seats}
        assert {place.partition(":")[2] for place in cards.piles.places if ":" in place} <= seated


MASTERBOOK: Final = Grounds(
    "masterbook",
    masterbook_character,
    {
        **SHARED,
        "skill": ("Stealth", "Dodge", "Fire Combat (pistols)", "Taunt", "agility", "none"),
        "attribute": ("agility", "charisma", "none"),
        "difficulty": ("Average", "Hard", "9", "Simple"),
        "rows": ("night", "open terrain"),
        "harder": (-2, 3),
        "stand": ("active", "passive"),
        "weapon": ("Knife", "Colt .45 revolver", "Fragmentation grenade", ""),
        "range": ("short", "long", "30"),
        "attack.skill": ("Fire Combat (pistols)", "Melee Combat"),
        "attack.options": ("aim", "head", "knockdown", "all out"),
        "interact.skill": ("Taunt", "Intimidation", "Charm", "Trick", "Willpower"),
        "interact.rows": (),
        "treat.skill": ("First Aid", "Medicine"),
        "learn.skill": ("Charm", "Climbing", "Basketry", "Persuasion"),
        "study.skill": ("Dodge", "First Aid", "Charm"),
        "weight": (70, 80),
        "harm": (
            *(
                None,
                None,
                "wounds 1",
                "wounds 2, shock 3, waited 300000",
                "wounds 5, bleeders 1",
                "shock 5",
            ),
            *(
                "wounds 4, waited 900000, tries k1+k2",
                "wounds 6, dead_for 0, shock 2",
                "k 1800, o, down 2",
            ),
        ),
        "meters": (3, 20),
        "mass": (60, 200),
        "how": ("running", "climbing", "lifting", "swimming", "driving"),
        "move.rows": (),
        "coordination": ("Average", "12"),
        "trick": ("-2 0 4",),
        "Convert.points": (1, 2, 30),
        "kind": ("life_points", "skill_points"),
        "amount": (1, 2),
        "AddNpcs": ({"name": "Rat"}, {"name": "Guard", "like": "Guard", "data": None}),
        "Learn": ({"skill": "Charm", "attribute": "", "drawback": "", "explanation": ""},),
        "Advance": (
            {"skill": "Dodge", "explanation": ""},
            {"skill": "Strength", "explanation": ""},
        ),
        "Edit.fields": ({"sketch": "Tall."}, {"skills": "Stealth 3"}),
        "Adjust": (
            {"what": "life_points", "value": "3"},
            {"what": "life_points", "value": "11"},
            {"what": "skill_points", "value": "40"},
        ),
    },
    # The numbers, what a modifier makes of them, and how far a total misses the great one; no count
    # of entries.
    re.compile(
        r"""(?<![\w.])[-\u2212](?:3[6-9]|4\d|5[0-2]|1[4-8]\d)\b"""
        r"""|(?<!entry['"]: )(?<!entry=)(?<!entries=\()(?<!seq['"]: )(?<!"id": )(?<!, )(?<!#)"""
        r"""(?<!'entry', 'value': )\b18[4-9]\b"""
    ),
    ("187", "-44"),
    whole=_masterbook,
    # What cards bring comes only to tables that play with them: `tests/property/masterbook` does.
    # Quirks and heels take characters who have them, and effects those who cast them.
    rare=frozenset(
        (
            *("cast", "effect-strike", "effect-use", "effect-maintain", "effect-resist"),
            "disbelieve",
            *("rest", "fall", "escape", "defend", "round", "study", "quirk", "exposure"),
            *(
                "subplot",
                "replenish",
                "award",
                "trade",
                "campaign",
                "wild",
                "fiat",
                "hint",
                "step",
                "ditch",
            ),
        )
    ),
    often=("hidden",),
)

_CARDS: Final = tuple([each.name for each in KINDS.values() if each.type != "blank"])
#: With its cards, and a task in steps under way.
DECKED: Final = MASTERBOOK.replace(
    kind="-cards",
    words={
        **MASTERBOOK.words,
        "card": _CARDS,
        "cards": _CARDS,
        "gifts": ("", *_CARDS),
        "subplot": ("Nemesis", "Romance", "Suspicion", "Martyr"),
        "effect": ("Haste", "Second Chance"),
        "Tell.what": (
            *("scene-start", "scene-end", "act-end") * 2,
            "adventure-start",
            "adventure-end",
        ),
        "Sit.how": ("joins", "leaves", "bonus"),
        "Arrange.how": ("peek", "stack"),
        "Arrange.number": (1, 3),
        "step.skill": ("Stealth", "Dodge"),
        "SetTask.name": ("The winch",),
        **{f"SetTask.step_{letter}": ("Stealth 8", "Dodge, Agility 9") for letter in "abcd"},
        **{f"ditch.step_{letter}": ("", "Boris", "Anna: Stealth") for letter in "abcd"},
        "ranks": ("",),
        "cards_mode": ("full",),
    },
    # What has nothing to do with cards comes about without them.
    rare=frozenset(PROCEDURES) - {"subplot", "replenish", "award", "fiat"},
    settings=(("cards_mode", "full"), ("exceptional_roleplaying_card", True)),
    first=(own_action("Tell")(**by(GM), what="adventure-start"),),
)
TINY: Final = Grounds(
    "tiny",
    tiny_character,
    {**SHARED, "difficulty": (4, 8)},
    re.compile(r"\b91377\b"),
    (91_377,),
    "difficulty",
)
#: Dice and cards, where nobody leads.
FREE: Final = Grounds("free", tiny_character, SHARED, re.compile("(?!)"), ())
#: Those with characters and checks, and all.
_FIGURES: Final = {"dn": 10, "fv": 6}
_EASY: Final = {"dn": 4, "fv": 2}
_SPARK: Final = {
    "name": "Spark",
    "skill": "Conjuration",
    "effect_value": 10,
    "range_value": 9,
    "duration_value": 9,
    "given": _FIGURES,
}
#: Effects that take time, conditions and helpers; that run out soon and may be maintained, change
#: values, strike every round, wait as charges or as a ward, deceive, and move things.
_EFFECTS: Final = (
    _SPARK,
    _SPARK | {"name": "Slow", "cast_time_value": 6},
    _SPARK
    | {
        "name": "Ritual",
        "cast_time_value": 14,
        "conditions": [
            {"kind": "concentration", "time_value": 8, "on": "fv"},
            {"kind": "community", "helpers": 2, "participation": "dn8"},
            {"kind": "gesture", "level": 3},
        ],
    },
    _SPARK
    | {
        "name": "Torch",
        "conditions": [
            {"kind": "component", "text": "a candle", "level": 1},
            {"kind": "other", "text": "only at night", "level": 3},
        ],
    },
    _SPARK
    | {
        "name": "Keep",
        "action": "raise",
        "traits": ["Strength"],
        "duration_value": 6,
        "switch": "on_off",
        "target_changes": 3,
        "maintenance": True,
        "given": _EASY,
    },
    _SPARK
    | {"name": "Wand", "charges": 6, "given": _EASY}
    | {"conditions": [{"kind": "gesture", "level": 3, "at_release": True}]},
    _SPARK | {"name": "Alarm", "charges": 2, "ward": "a door opens", "given": _EASY},
    _SPARK
    | {
        "name": "Mirage",
        "action": "damage",
        "effect_value": 14,
        "to_hit": "casting",
        "every_round": True,
        "unreal": {"disbelief_dn": 6},
        "given": _EASY,
    },
    _SPARK
    | {
        "name": "Lift",
        "action": "movement",
        "movement": True,
        "effect_value": 18,
        "given": _EASY,
    },
)
_NAMES: Final = tuple(each["name"] for each in _EFFECTS)


def _built(name: str, **changes: Any) -> dict[str, Any]:
    """A blueprint that a player writes down."""
    plain = Blueprint(name, "Conjuration", effect_value=8, range_value=3)
    return {"blueprint": plain.replace(**changes)}


def caster(name: str = "Anna", **fields: Any) -> dict[str, Any]:
    """A character of MasterBook's who knows effects, as a file has it."""
    plain = masterbook_character(name)
    known = [{"blueprint": each, "learned": True, "approved": True} for each in _EFFECTS]
    skills = [*plain["skills"], {"name": "Conjuration", "adds": 3}]
    return plain | {"skills": skills, "effects": known} | fields


def _effects_are_whole(state: TableState) -> None:
    """Every effect that runs has time left or waits to be maintained, and what works counts on the
    sheets alone.
    """
    _masterbook(state)
    game = read_only_game(state)
    numbers: list[tuple[str, int]] = []
    for effect in running_effects(game):
        numbers.append((effect.caster, effect.number))
        assert 0 <= effect.seconds_left <= effect.seconds
        assert effect.lapsing == (effect.seconds_left == 0)
        assert effect.targets or effect.known.blueprint.action == "words"
    assert len(set(numbers)) == len(numbers)
    for who in state.characters:
        assert all(each.left > 0 for each in effects_of(game, who).charges)
    changes = passing_changes(game)
    for who, character in state.characters.items():
        assert character.sheet.passing == changes.get(who, ())


def _without_passing_changes(sheet: MasterbookSheet) -> MasterbookSheet:
    """Return a sheet as files have it: without what running effects change."""
    return sheet.replace(passing=())


#: With characters who build effects and cast them.
CASTERS: Final = MASTERBOOK.replace(
    kind="-effects",
    character=caster,
    lasting=_without_passing_changes,
    words={
        **MASTERBOOK.words,
        # Maintaining takes an effect that runs out just then.
        "effect": (*_NAMES, *("Keep",) * 4),
        "effect-maintain.effect": (),
        "effect-resist.effect": (),
        "disbelieve.effect": ("Mirage", "Mirage", "Keep"),
        "charge": ("Wand", "Wand", "Alarm"),
        "on": ("k2 3", "k1 0"),
        "at": ("the gate",),
        "help": ("Boris", "Anna"),
        "into": (),
        "for": (),
        "disbelieve.for": ("Anna", "Boris"),
        "value": (10, 8),
        "extension": (),
        "have": ("0",),
        "also": ("Boris 2",),
        "HandOverCharges.give": ("Anna", "Boris"),
        "HandOverCharges.giver": ("", "Anna", "Boris"),
        "SteerEffect.do": ("off", "on", "target", "move", "value", "range"),
        "SteerEffect.meters": (1, 20, 200),
        "SteerEffect.value": (12, 14, 16),
        "TryWard.number": (1, 12),
        "TryWard.ward": ("", "Alarm"),
        "KeepEffect": (
            _built("Glow"),
            _built("Shield", action="raise", traits=("Toughness",), duration_value=9),
            _built("Spark"),
            _built("Far", range_value=90, speed_value=91),
        ),
        "GiveEffect": (_built("Gift"),),
    },
    whole=_effects_are_whole,
    # Resisting takes an effect that moves a character and still runs: walks meet it.
    rare=MASTERBOOK.rare - {"cast", "effect-strike", "effect-use", "effect-maintain", "disbelieve"},
)
PLAYED: Final = (EBB, BARMORE, EGO, MASTERBOOK, DECKED, CASTERS, TINY)
ALL: Final = (*PLAYED, FREE)


@contextmanager
def playing(grounds: Grounds) -> Iterator[None]:
    """Tables can be opened for the system meanwhile."""
    if grounds is not TINY:
        yield
        return
    with pytest.MonkeyPatch.context() as patch, playing_tiny(patch):
        yield


async def open_table(grounds: Grounds, house: House, **settings: Any) -> Session:
    """A table of that system, with two players and what they have."""
    if grounds is not FREE:
        agreed = dict(grounds.settings) | settings
        session = await make_session(
            house, system=grounds.key, character=grounds.character, **agreed
        )
        for action in grounds.first:
            await session.do(action)
        return session
    tables = await house.enter()
    session = Session(house, tables, await ensure_free_table(tables, GUILD, PLACE, NOON))
    table = await tables.get(session.table_id)
    for user in USERS:
        table.directory.ensure_participant(*user)
    return session
