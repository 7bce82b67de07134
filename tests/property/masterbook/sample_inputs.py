"""Everything that MasterBook offers is chosen once: skills and their charts, weapons, options,
talk, settings.
"""

from __future__ import annotations

from typing import Any, Final

from rules.systems.masterbook.combat.memory import Remember
from rules.systems.masterbook.combat.movement import MOVEMENT_KINDS
from rules.systems.masterbook.formulas import equipment
from rules.systems.masterbook.formulas.equipment import ARMOR, WEAPONS
from rules.systems.masterbook.formulas.reference_rows import FOCUSES, INTERACTIONS
from rules.systems.masterbook.formulas.skills import INPUTS, SKILLS
from rules.systems.masterbook.settings import SETTINGS
from rules.systems.masterbook.system import SYSTEM
from rules.table.actions import (
    AddNpcs,
    AddToEncounter,
    Begin,
    ChangeSettings,
    Choose,
    ImportCharacter,
    JoinEncounter,
    NextTurn,
    StartEncounter,
)
from rules.table.state import TableState
from tests.property.every_option import Course, Deed, Fare, Ordered, Step, after, table
from tests.sample_table import ANN, BEN, GM, own_action

SetPace, Tell = map(own_action, ("SetPace", "Tell"))
FACES: Final = "Forgery"
_ROWS: Final = [*WEAPONS.values()]
_GIVEN: Final = {name for each in INPUTS.values() for name in each.skills}
_HALF: Final = len(_ROWS) // 2


def _focus(name: str) -> dict[str, str]:
    row = SKILLS[name]
    return {"focus": row.focuses[0] if row.focuses else "x"} if row.macro else {}


def sheet(name: str, *, second: bool = False) -> dict[str, Any]:
    """Somebody who has learned all that takes training, with half of the weapons.

    What is usually set against somebody is better than all else: another choice changes the number.
    """
    rows = sorted(
        SKILLS.values(), key=lambda each: (each.untrained != "no", each.name not in _GIVEN)
    )
    learned = [
        {"name": each.name, "adds": 6 if each.name == FACES else 3, **_focus(each.name)}
        for each in rows
        if each.name != "Martial Arts"
    ]
    return {
        "name": name,
        **dict.fromkeys(("agility", "dexterity", "endurance", "strength"), 10),
        "intellect": 9,
        "mind": 8,
        "confidence": 7,
        "charisma": 11,
        "dexterity": 11,
        "skills": [
            *learned[:50],
            *[{"name": "Martial Arts", "focus": each, "adds": 2} for each in FOCUSES],
        ],
        "life_points": 5,
        "skill_points": 60,
        "weight": 70,
        "arms": [
            {"name": each.name, **({"rounds": 40, "magazine": 40} if each.use == "fire" else {})}
            for each in (_ROWS[_HALF:] if second else _ROWS[:_HALF])
        ],
        "armour": [{"name": "Leather armor", "add": 4}],
    }


def _bring(who: Any, name: str, **more: Any) -> Any:
    return ImportCharacter, who, {"data": sheet(name) | more, "grown": True}


_HEAVY: Final = "HK21 machinegun (7.62)"
_COAT: Final = {"name": "Mail", "add": 8, "covers": ["chest"]}
_PEACE: Final = table(
    SYSTEM,
    _bring(ANN, "Anna"),
    _bring(BEN, "Boris"),
    (
        AddNpcs,
        GM,
        {"name": "Knight", "data": sheet("Knight") | {"armour": [_COAT]}, "stage": "revealed"},
    ),
    (AddNpcs, GM, {"name": "Guard", "data": sheet("Guard"), "stage": "revealed"}),
)


def _now(name: str, who: Any, state: TableState = _PEACE, **more: Any) -> TableState:
    """The table with somebody otherwise than they were."""
    said = {"data": sheet(name) | more, "owner": who.id, "overwrite": True, "grown": True}
    return after(state, (ImportCharacter, GM, said))


def _agreed(**values: Any) -> TableState:
    return after(_PEACE, (ChangeSettings, GM, {"values": values}))


_FIGHT: Final = (
    (StartEncounter, GM, {}),
    (JoinEncounter, ANN, {}),
    (JoinEncounter, BEN, {}),
    (AddToEncounter, GM, {"name": "Guard"}),
    (NextTurn, GM, {}),
)
_ALL: Final = _agreed(
    knockout_attacks=True,
    bleeding="gm",
    weapon_handling_mods=True,
    armor_agility_penalty=True,
    grenade_deviation_method="gm",
    magic_skill_focuses=True,
    non_lethal=True,
)


def _gripped(who: Any, target: str) -> TableState:
    """Somebody has got hold of somebody."""
    values = {
        "weapon": "unarmed",
        "skill": "Martial Arts: wrestling",
        "options": ["grapple"],
        "approach": "so",
        "modifier": 20,
    }
    return after(_PEACE, (Begin, who, {"kind": "attack", "target": target, "values": values}))


_OPTIONS: Final[dict[str, Any]] = {
    "advantages": [
        "Fame (CII): a song",
        "Luck (CII)",
        "Contacts (CI): Zora",
        "Contacts (CII): the port",
        "Wealth (CI)",
    ],
    "compensations": [
        "Quirk (CI): steals",
        "Quirk (CII): drinks",
        "Achilles' Heel (CIII): the sea; pattern: water-panic",
        "Achilles' Heel (CIII): cats; pattern: allergy",
        "Advantage Flaw (CIII): Wealth (CI); flaw: bad checks",
        "Burn-out (CIII): Luck (CII); trigger: the ring breaks",
        "Price (CI): Luck (CII); price: blood; life points: 1",
        "Price (CII): Wealth (CI); price: a favor",
        "Debt (CI): the bank",
    ],
}
_BACKGROUND: Final = _now("Boris", BEN, _now("Anna", ANN, **_OPTIONS), **_OPTIONS)
_WHOSE: Final = {"character": "Anna"}
_PANICS: Final = {**_WHOSE, "heel": "Achilles' Heel (CIII): the sea", "water": "near"}

_TABLES: Final = {
    "": _PEACE,
    "background": _BACKGROUND,
    "armed": _now("Anna", ANN, arms=sheet("Anna", second=True)["arms"]),
    "rounds": after(_PEACE, *_FIGHT),
    "remembers": after(
        _PEACE,
        *(
            (Remember, GM, {"target": "Boris", "about": "Anna", "what": each})
            for each in ("hostile", "taunt")
        ),
    ),
    "turn": after(_PEACE, (StartEncounter, GM, {}), (JoinEncounter, ANN, {}), (NextTurn, GM, {})),
    "talk": after(
        _agreed(interaction_rounds=True),
        (StartEncounter, GM, {}),
        (SetPace, GM, {"rounds": "interaction", "seconds": 600}),
        *_FIGHT[1:],
    ),
    "hurt": _now("Boris", BEN, harm="wounds 2, shock 3, waited 300000, bleeders 1"),
    "dying": _now("Boris", BEN, harm="wounds 5, bleeders 1"),
    "weak": _now("Anna", ANN, harm="wounds 2, shock 3, waited 300000"),
    "all": _ALL,
    "burdened": _now("Anna", ANN, _ALL, armour=[_COAT], arms=sheet("Anna", second=True)["arms"]),
    "taught": _now(
        "Boris",
        BEN,
        skills=[
            {"name": "Dodge", "adds": 9},
            {"name": "Charm", "adds": 9},
            {"name": "Teaching", "focus": "Dodge", "adds": 9},
        ],
    ),
    "novice": _now("Anna", ANN, skills=[]),
    "emptied": _now("Anna", ANN, arms=[{"name": "Colt .45 revolver", "rounds": 1, "magazine": 6}]),
    "held": _gripped(BEN, "Anna"),
    "holding": _gripped(ANN, "Boris"),
    "capped": _agreed(interactive_cap=True),
    "soft": _now("Anna", ANN, _agreed(non_lethal=True), arms=[{"name": "Baseball bat"}]),
    "gunner": _now("Anna", ANN, skills=[], arms=[{"name": _HEAVY, "rounds": 40, "magazine": 40}]),
    "grown": _now(
        "Anna",
        ANN,
        endurance=11,
        skills=[
            {"name": "Resist Shock", "adds": 11},
            {"name": "Medicine", "adds": 2, "specializations": {"surgery": 2}},
            {"name": "Dodge", "adds": 2, "specializations": {"bullets": 1}},
        ],
    ),
}
_SO: Final = {"approach": "so"}
_NEAR: Final[Any] = {"range": "short"}


def _strike(weapon: str, table: str = "", **more: Any) -> Course:
    second = weapon in [each.name for each in _ROWS[_HALF:]]
    return Course("attack", {"weapon": weapon, **more, **_SO}, table or "armed" * second, "Boris")


def _ranged(row: equipment.WeaponKind) -> dict[str, Any]:
    return {} if row.use == "hand" else _NEAR


_WEAPONS: Final = tuple(
    Course(
        "attack",
        {"weapon": each.name, **_SO, **_ranged(each)},
        "armed" if at >= _HALF else "",
        "Boris",
        fields=(),
    )
    for at, each in enumerate(_ROWS)
)
_COURSES: Final = (
    Course("check", {"skill": "Stealth", **_SO}),
    Course("check", {"skill": "Stealth", **_SO}, "rounds"),
    Course("check", {"attribute": "agility", **_SO}),
    Course("check", {"attribute": "agility", "difficulty": "8", **_SO}, who=GM, as_="Guard"),
    Course("check", {"skill": "Vehicle Piloting", "difficulty": "8", **_SO}, "novice"),
    Course("move", {"how": "driving", "speed": 9, **_SO}, "novice"),
    Course("move", {"how": "hurry", **_SO}, "emptied"),
    Course("move", {"how": "climbing", "rows": ("ladder",), **_SO}),
    *(
        Course("check", {"skill": each, "difficulty": "8", **_SO}, fields=("rows",))
        for each in SKILLS
        if each != "Martial Arts"
    ),
    *(
        Course(
            "check",
            {"skill": each.skills[0], "difficulty": "8", "given": (each.example,), **_SO},
            fields=(),
        )
        for each in INPUTS.values()
        if each.id not in ("ordained", "place", "effect", "mass", "resisted", "wounds")
    ),
    Course("contest", {"skill": "Stealth", **_SO}, target="Boris"),
    Course("contest", {"attribute": "agility", **_SO}, target="Boris"),
    Course("contest", {"skill": "Stealth", **_SO}, "rounds", target="Boris"),
    _strike("Knife"),
    _strike("unarmed"),
    _strike("Knife", "all"),
    _strike("Knife", "rounds"),
    _strike("Colt .45 revolver", **_NEAR),
    _strike("Uzi SMG (9mm)", **_NEAR),
    _strike("M16 assault rifle (.223)", "rounds", **_NEAR),
    _strike("Fragmentation grenade", **_NEAR),
    _strike("Fragmentation grenade", "all", **_NEAR),
    _strike("unarmed", "burdened"),
    _strike("Knife", rank=2, actions=3),
    _strike("Colt .45 revolver", options=("trick_shot",), **_NEAR),
    _strike("M16 assault rifle (.223)", options=("single_as_multi",), **_NEAR),
    _strike("Colt .45 revolver", concealment="complete_plus", **_NEAR),
    _strike("unarmed", "holding", skill="Martial Arts: wrestling"),
    *(
        _strike(weapon, skill=f"Martial Arts: {name}")
        for weapon, skill in (("unarmed", "Unarmed Combat"), ("Broadsword", "Melee Combat"))
        for name, focus in FOCUSES.items()
        if skill in focus.replaces
    ),
    Course("attack", {"weapon": "unarmed", **_SO}, target="Boris", who=GM, as_="Guard"),
    Course("attack", {"weapon": "unarmed", **_SO}, "all", "Boris", who=GM, as_="Knight"),
    Course(
        "attack",
        {"weapon": "Fragmentation grenade", **_NEAR, **_SO},
        "all",
        "Boris",
        who=GM,
        as_="Guard",
    ),
    Course(
        "attack",
        {"weapon": "Fragmentation grenade", "modifier": -20, **_NEAR, **_SO},
        "all",
        "Boris",
        who=GM,
        as_="Guard",
    ),
    *(
        Course(
            "attack",
            {"weapon": "Fragmentation grenade", "modifier": -20, **_NEAR, **_SO},
            each,
            "Boris",
        )
        for each in ("", "all")
    ),
    Course(
        "attack",
        {"weapon": "Colt .45 revolver", "options": ("trick_shot",), **_NEAR, **_SO},
        target="Boris",
        who=GM,
        as_="Guard",
    ),
    Course(
        "move",
        {"how": "running", "push": True, "together": ("Knight",), **_SO},
        who=GM,
        as_="Guard",
    ),
    Course(
        "attack",
        {"weapon": "Colt .45 revolver", "together": ("Knight",), **_NEAR, **_SO},
        "",
        "Boris",
        who=GM,
        as_="Guard",
    ),
    Course("check", {"skill": "Faith", **_SO}, who=GM, as_="Guard", fields=("given",)),
    Course("move", {"how": "climbing", "difficulty": "8", **_SO}, who=GM, as_="Guard"),
    *_WEAPONS,
    *(
        Course(
            "interact", {"skill": name, **_SO}, "" if "none" in each.rounds else "rounds", "Boris"
        )
        for name, each in INTERACTIONS.items()
    ),
    Course("interact", {"skill": "Taunt", **_SO}, "talk", target="Boris"),
    Course("interact", {"skill": "Persuasion", **_SO}, "remembers", target="Boris"),
    *(
        Course("interact", {"skill": each, **_SO}, table, "Boris", who=GM, as_="Guard")
        for each, table in (("Maneuver", "rounds"), ("Hypnotism", ""))
    ),
    *(
        Course("move", {"how": each, **_SO, **more})
        for each, more in {
            **{each: {"difficulty": "8"} for each in MOVEMENT_KINDS},
            "lifting": {"mass": 120},
            "driving": {"speed": 9, "skill": "Vehicle Piloting: car/truck"},
        }.items()
        if each not in ("hurry", "running")
    ),
    Course("move", {"how": "running", "push": True, **_SO}),
    Course("move", {"how": "driving", "speed": 9, "gap": 30, "rival": 8, **_SO}),
    Course("fall", {"meters": 20, **_SO}),
    Course("fall", {"meters": 20, "acrobatics": True, **_SO}),
    Course("escape", _SO, "held"),
    Course("defend", {"skill": "Dodge", **_SO}, "turn"),
    Course("treat", _SO, "hurt", "Boris"),
    Course("treat", _SO, "dying", "Boris"),
    Course("rest", _SO, "weak"),
    Course("study", {"skill": "Dodge"}, "taught", "Boris"),
    Course("learn", {"skill": "Basketry", "attribute": "dexterity", **_SO}),
    Course("advance", {"skill": "Dodge", **_SO}),
)
_ORDERS: Final = (
    Ordered("skill", {"name": "Stealth"}, "", ANN),
    Ordered("preset", {"preset": "book"}, "all"),
    Ordered("value", {"measure": "3 kilograms"}, "", ANN),
    Ordered("value", {"measure": "3 kilograms", "rounding": "down"}, "", ANN),
    Ordered("value", {"value": 8, "with": "multiply", "other": "5 m"}, "", ANN),
    Ordered("odds", {"value": 8, "dn": "8"}, "", ANN),
    Ordered("odds", {"value": 8, "defense": 9, "damage": 12, "toughness": 9}, "", ANN),
    Ordered("rounds", {"rounds": "interaction"}, "talk"),
    Ordered("act", {"action": "draws"}, "rounds", ANN),
    Ordered("act", {"action": "defend with Dodge"}, "turn", ANN),
    Ordered("declare", {"actions": 2}, "rounds", ANN),
    Ordered("find", {"item": "Knife", "code": 1}, "", ANN),
    Ordered("reload", {"weapon": "Colt .45 revolver"}, "emptied", ANN),
    Ordered("surprise", {"target": "Boris", "total": 20}),
    Ordered("memory", {"target": "Boris"}, "remembers"),
    *(
        Ordered("memory", {"target": "Boris", "about": "Guard", "what": each}, "remembers")
        for each in ("helpful", "enemy")
    ),
    Ordered("memory", {"target": "Guard", "about": "Anna", "what": "con"}, "remembers"),
    Ordered("memory", {"target": "Boris", "about": "Anna", "what": "taunt"}, "remembers"),
    Ordered(
        "memory", {"target": "Boris", "about": "Anna", "what": "hostile", "number": 6}, "remembers"
    ),
    Ordered("convert", {"points": 1}, "", ANN),
    Ordered("background show", _WHOSE, "background"),
    Ordered("background find", {"text": "fame"}, "", ANN),
    Ordered(
        "background recognize",
        {**_WHOSE, "where": "home", "by": "Guard", "modifier": -20},
        "background",
    ),
    Ordered("background contact", {**_WHOSE, "contact": "Contacts (CII)"}, "background"),
    Ordered("background quirk", {**_WHOSE, "quirk": "Quirk (CII)"}, "background"),
    Ordered("background heel", _PANICS, "background"),
    Ordered("background flaw", {**_WHOSE, "flaw": "Advantage Flaw"}, "background"),
    Ordered("background pay", {**_WHOSE, "price": "Price (CII)", "unpaid": True}, "background"),
    Ordered("background due", {}, "background"),
    Ordered("background award", {**_WHOSE, "option": "custom (CIV): wings"}, "background"),
    Ordered("background lose", {**_WHOSE, "option": "Wealth (CI)"}, "background"),
    Ordered("move", {"how": "lifting", "mass": 30}, "", ANN),
    Ordered("move", {"how": "lifting", "mass": 120}, "", ANN),
    Ordered("move", {}, "", ANN),
    *(
        Ordered("move", {"how": each, "difficulty": "8"}, "", ANN)
        for each in ("climbing", "swimming", "jumping")
    ),
    Ordered("move", {"how": "climbing", "push": True, "difficulty": "8"}, "", ANN),
    Ordered("move", {"how": "running", "push": True, "difficulty": "8"}, "", ANN),
    Ordered("move", {"how": "escape"}, "held", ANN),
    Ordered("drive", {"speed": 9, "difficulty": "8"}, "", ANN),
    Ordered("drive", {"speed": 9, "difficulty": "8"}, "novice", ANN),
    Ordered("drive", {"speed": 9, "rival": 8, "gap": 30, "difficulty": "8"}, "", ANN),
)


def _begins(
    name: str,
    kind: str,
    table: str = "",
    *more: Step,
    who: Any = ANN,
    as_: str = "Anna",
    target: str | None = None,
    fits: bool = True,
    seed: int = 0,
    **values: Any,
) -> Deed:
    """What somebody begins, and what is done besides."""
    said = {"kind": kind, "as_": as_, "target": target, "values": {**_SO, **values}}
    return Deed(name, ((Begin, who, said), *more), table, fits, seed)


def _ruled(name: str, fits: bool = False, **values: Any) -> Deed:
    """What GMs say of an attack, where the table has not agreed on it."""
    return _begins(
        name, "attack", who=GM, as_="Guard", target="Boris", fits=fits, weapon="unarmed", **values
    )


def _advances(name: str, skill: str, times: int = 1) -> Deed:
    step: Step = (Begin, ANN, {"kind": "advance", "as_": "Anna", "values": {"skill": skill, **_SO}})
    return Deed(name, (step,) * times, "grown")


def _awards(name: str, scenes: int, **end: Any) -> Deed:
    """Scenes are played and something ends, without cards."""
    begins: Step = (Tell, GM, {"what": "scene-start"})
    return Deed(name, (*(begins,) * scenes, (Tell, GM, end)))


#: Dice of which one is a ten.
_TEN: Final = 6
#: What settings are about that is nothing usual.
_DEEDS: Final = (
    _begins("strikes hard", "attack", target="Boris", weapon="Knife", modifier=20),
    _ruled("knocks out", knockout=2),
    _ruled("makes bleed", bleeders=2),
    _ruled("counts how it lies in the hand", handling=-2),
    _ruled("counts how heavy it is", encumbered=-1),
    _begins("taunts much", "interact", "capped", target="Boris", skill="Charm", modifier=20),
    _begins("swims far", "move", how="swimming", push=True, modifier=20),
    Deed(
        "talks in rounds",
        ((SetPace, GM, {"rounds": "interaction", "seconds": 60}),),
        "rounds",
        fits=False,
    ),
    _begins(
        "adds dice to tens",
        "check",
        "novice",
        (Choose, ANN, {"option": "point:check"}),
        seed=_TEN,
        skill="Stealth",
        difficulty="8",
    ),
    *(
        _begins(
            f"shoots through cover, {more} better",
            "attack",
            target="Boris",
            weapon="Colt .45 revolver",
            concealment="three_quarter",
            modifier=more,
            range="short",
        )
        for more in range(9)
    ),
    _begins(
        "fires untrained",
        "attack",
        "gunner",
        target="Boris",
        fits=False,
        weapon=_HEAVY,
        range="short",
    ),
    _begins("disguises untrained", "check", "novice", fits=False, skill="Disguise", difficulty="8"),
    _begins("works a miracle", "check", skill="Faith: x", difficulty="8", given=("feedback 4",)),
    _begins(
        "persuades in a fight", "interact", "rounds", target="Boris", fits=False, skill="Persuasion"
    ),
    _begins("tracks several", "check", skill="Tracking", difficulty="8", rows=("per_person 4",)),
    _begins(
        "shoots from near",
        "attack",
        target="Boris",
        weapon=".30-30 lever-action rifle",
        range="point_blank",
        modifier=20,
    ),
    _begins("clubs somebody", "attack", "soft", target="Boris", weapon="Baseball bat", modifier=10),
    _begins(
        "strikes a head", "attack", target="Knight", weapon="Knife", options=("head",), modifier=15
    ),
    *(
        _advances(f"learns {each} without a focus", each)
        for each in ("Streetwise", "Computer Ops", "Conjuration")
    ),
    _begins("learns Medicine without a focus", "advance", "novice", skill="Medicine"),
    _advances("resists more", "Resist Shock"),
    _advances("learns surgery", "Medicine (surgery)"),
    _advances("learns of bullets twice", "Dodge (bullets)", 2),
    _advances("grows tougher", "Endurance"),
    _awards("ends an act of two scenes", 2, what="act-end"),
    _awards("ends an adventure that pays 5", 1, what="adventure-end", number=4),
    _awards("ends an adventure that pays 6", 1, what="adventure-end", number=5),
    Deed("comes new", ((ImportCharacter, BEN, {"data": {"name": "Cora"}}),)),
)
_BARE: Final = {"armour": [], "advantages": []}
_SHEETS: Final = {
    f"armor {each.name}": (
        {**_BARE, "armour": [{"name": each.name, "add": each.add, "maximum": each.maximum}]},
        _BARE,
    )
    for each in ARMOR.values()
}
FARE: Final = Fare(
    SYSTEM,
    _TABLES,
    _COURSES,
    _ORDERS,
    {
        "also": (("Guard",), ("Guard 3",)),
        "together": (("Guard",),),
        "coordination": ("12", "40"),
        "trick": ("-2 0 4",),
        "reload": ("Colt .45 revolver",),
        "shots": (2, 5),
        "rank": (1, 3),
        "item": ("a prototype",),
        "measure": ("10 kilograms",),
        "vehicle": ("car/truck",),
        "other": ("5 m",),
        "seconds": (10, 90),
        "action": ("looks around",),
        "ranks": ("2 1",),
        "target": ("Boris", "Guard"),
        "/background find.text": ("dodge",),
        **{
            f"/background {each}.character": ("Boris",)
            for each in (
                *("show", "recognize", "contact", "quirk", "heel"),
                *("flaw", "pay", "award", "lose"),
            )
        },
        "/background recognize.by": ("Boris",),
        "/background contact.contact": ("Contacts (CI)",),
        "/background contact.asks": ("a boat",),
        "/background quirk.quirk": ("Quirk (CI)",),
        "/background heel.heel": ("Achilles' Heel (CIII): cats",),
        "/background flaw.flaw": ("Burn-out",),
        "/background pay.price": ("Price (CI)",),
        "/background pay.used": ("Luck (CII)",),
        "/background award.option": ("Wealth (CIII)", "Enemy (CI): Orlok"),
        "/background lose.option": ("Luck (CII)",),
        "/find.skill": ("Streetwise", "Taunt"),
        "/find.with": ("rows: strict",),
        "/move.rows": ("tree",),
        "/skill.name": (),
        "/odds.dn": ("Average", "12"),
        "/move.together": ("Boris",),
        "strays": (3, 4, 5),
        "given": (),
        "contest.given": (),
        "attribute": ("agility", "strength"),
        "learn.drawback": (),
        "drawback": (),
        "study.skill": ("Dodge", "Charm"),
        "learn.skill": ("Basketry",),
        "advance.skill": ("Dodge", "Stealth"),
    },
    deeds=_DEEDS,
    sheets=_SHEETS,
    usual={
        "rule.roll": {"difficulty": "Average"},
        "face.face": {"skill": FACES},
        "faced.face": {"skill": FACES},
        "reply.reply": {"approach": "in another way"},
    },
)


#: Topics of settings that are about making characters: tests/rules/masterbook/test_creation.py.
_CREATION_TOPICS: Final = frozenset(
    f"settings-topic-{name}" for name in ("background", "barred", "characters", "new-skills")
)
_CREATION: Final = tuple(
    field.key
    for field in SETTINGS.fields
    if field.topic is not None and field.topic.code in _CREATION_TOPICS
)
#: Settings of effects, which nobody here casts: tests/rules/masterbook/test_effect_settings.py.
_EFFECTS: Final = tuple(
    field.key
    for field in SETTINGS.fields
    if field.topic is not None and field.topic.code.startswith("settings-topic-effects-")
)
#: Settings of the deck, which no table here has: walks have them (tests/discord/masterbook/cards).
DECK: Final = tuple(
    key
    for key in SETTINGS.keys[SETTINGS.keys.index("luck3_gm_rescue") :]
    if key not in (*_CREATION, *_EFFECTS)
)
#: What new characters have, nobody makes here: tests/discord/masterbook/test_experience.py.
#: All have Life Points left, and nobody's turn is waited for: tests/discord/waiting. Only subplots
#: pay more than an award at the end: tests/rules/masterbook/test_gm_rules.py.
ELSEWHERE: Final = (
    *("adventure_end_total_soft_cap", "base_availability_code", "guest_cards", "open_points"),
    *("turn_time", *DECK, *_CREATION, *_EFFECTS),
    # Missed deadlines: tests/rules/test_missed_turns.py. Silence: tests/services/test_silence.py.
    # Speaking: tests/discord/test_speech.py.
    *("excused", "silence", "speaking"),
)
#: What is refused everywhere here, by field: what a contest goes against is what the other side
#: throws; scenes take cards, as walks have them (tests/discord/masterbook/cards).
REFUSED: Final = {
    "contest difficulty": {"no-difficulty-here"},
    "contest hidden": {"gm-only"},
    "/rounds scene": {"mb-card-off"},
}
#: What tells nothing and changes nothing by itself: secrets of the GM's, what is so anyway with
#: each weapon, packages that are worth the same, a number that is named besides, where nobody
#: attacks together.
SILENT: Final = frozenset(
    (
        # The GMs read what is asked of a contact; the request is the same.
        "/background contact asks",
        *(f"{kind} rule.roll unaware" for kind in ("check", "contest", "move", "interact")),
        *(
            "attack skill",
            "attack lower.lower packages",
            "fall lower.lower packages",
            "rest method",
        ),
        *(
            "attack rule.roll coordination",
            "move reload",
            "move rule.roll rows",
            "learn attribute",
        ),
    )
)
