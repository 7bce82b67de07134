"""Everything that MasterBook offers is chosen once: skills and their charts, weapons, options, talk, settings."""

from __future__ import annotations

from typing import Any, Final

from rules.systems.masterbook import arms
from rules.systems.masterbook.arms import WEAPONS
from rules.systems.masterbook.moving import KINDS
from rules.systems.masterbook.rounds import SetPace
from rules.systems.masterbook.skills import INPUTS, SKILLS
from rules.systems.masterbook.system import SYSTEM
from rules.systems.masterbook.tables import FOCUSES, INTERACTIONS
from rules.table.actions import (
    AddNpcs,
    AddToEncounter,
    Begin,
    ChangeSettings,
    ImportCharacter,
    JoinEncounter,
    NextTurn,
    StartEncounter,
)
from rules.table.state import TableState
from tests.builders import ANN, BEN, GM
from tests.property.chosen import Course, Fare, after, table

_ROWS: Final = [*WEAPONS.values()]
_GIVEN: Final = {name for each in INPUTS.values() for name in each.skills}
_HALF: Final = len(_ROWS) // 2


def _focus(name: str) -> dict[str, str]:
    row = SKILLS[name]
    return {"focus": row.focuses[0] if row.focuses else "x"} if row.macro else {}


def _sheet(name: str, *, second: bool = False) -> dict[str, Any]:
    """Somebody who has learned all that takes training, with half of the weapons."""
    rows = sorted(SKILLS.values(), key=lambda each: (each.untrained != "no", each.name not in _GIVEN))
    learned = [
        {"name": each.name, "adds": 3, **_focus(each.name)} for each in rows if each.name != "Martial Arts"
    ]
    return {
        "name": name,
        **dict.fromkeys(("agility", "dexterity", "endurance", "strength"), 10),
        **dict.fromkeys(("intellect", "mind", "confidence", "charisma"), 9),
        "skills": [*learned[:50], *[{"name": "Martial Arts", "focus": each, "adds": 2} for each in FOCUSES]],
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
    return ImportCharacter, who, {"data": _sheet(name) | more, "grown": True}


_COAT: Final = {"name": "Mail", "add": 8, "covers": ["chest"]}
_PEACE: Final = table(
    SYSTEM,
    _bring(ANN, "Anna"),
    _bring(BEN, "Boris"),
    (AddNpcs, GM, {"name": "Knight", "data": _sheet("Knight") | {"armour": [_COAT]}, "stage": "revealed"}),
    (AddNpcs, GM, {"name": "Guard", "data": _sheet("Guard"), "stage": "revealed"}),
)


def _now(name: str, who: Any, state: TableState = _PEACE, **more: Any) -> TableState:
    """The table with somebody otherwise than they were."""
    said = {"data": _sheet(name) | more, "owner": who.id, "replace": True, "grown": True}
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


_TABLES: Final = {
    "": _PEACE,
    "armed": _now("Anna", ANN, arms=_sheet("Anna", second=True)["arms"]),
    "rounds": after(_PEACE, *_FIGHT),
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
    "burdened": _now("Anna", ANN, _ALL, armour=[_COAT], arms=_sheet("Anna", second=True)["arms"]),
    "taught": _now(
        "Boris",
        BEN,
        skills=[
            {"name": "Dodge", "adds": 9},
            {"name": "Charm", "adds": 9},
            {"name": "Teaching", "focus": "Dodge", "adds": 9},
        ],
    ),
    "held": _gripped(BEN, "Anna"),
    "holding": _gripped(ANN, "Boris"),
}
_SO: Final = {"approach": "so"}
_NEAR: Final = {"range": "short"}


def _strike(weapon: str, table: str = "", **more: Any) -> Course:
    second = weapon in [each.name for each in _ROWS[_HALF:]]
    return Course("attack", {"weapon": weapon, **more, **_SO}, table or "armed" * second, "Boris")


def _ranged(row: arms.WeaponKind) -> dict[str, Any]:
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
    Course("check", {"attribute": "agility", **_SO}, who=GM, as_="Guard"),
    *(
        Course("check", {"skill": each, "difficulty": "8", **_SO}, fields=("rows",))
        for each in SKILLS
        if each != "Martial Arts"
    ),
    *(
        Course(
            "check", {"skill": each.skills[0], "difficulty": "8", "given": (each.example,), **_SO}, fields=()
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
        "attack", {"weapon": "Fragmentation grenade", **_NEAR, **_SO}, "all", "Boris", who=GM, as_="Guard"
    ),
    Course("check", {"skill": "Faith", **_SO}, who=GM, as_="Guard", fields=("given",)),
    Course("move", {"how": "running", "difficulty": "8", **_SO}, who=GM, as_="Guard"),
    *_WEAPONS,
    *(
        Course("interact", {"skill": name, **_SO}, "" if "none" in each.rounds else "rounds", "Boris")
        for name, each in INTERACTIONS.items()
    ),
    Course("interact", {"skill": "Taunt", **_SO}, "talk", target="Boris"),
    *(
        Course("move", {"how": each, **_SO, **more})
        for each, more in {
            **{each: {"difficulty": "8"} for each in KINDS},
            "lifting": {"mass": 120},
            "driving": {"speed": 9, "skill": "Vehicle Piloting: car/truck"},
        }.items()
        if each != "hurry"
    ),
    Course("move", {"how": "running", "push": True, **_SO}),
    Course("move", {"how": "driving", "speed": 9, "gap": 30, "rival": 8, **_SO}),
    Course("fall", {"metres": 20, **_SO}),
    Course("fall", {"metres": 20, "acrobatics": True, **_SO}),
    Course("escape", _SO, "held"),
    Course("treat", _SO, "hurt", "Boris"),
    Course("treat", _SO, "dying", "Boris"),
    Course("rest", _SO, "weak"),
    Course("study", {"skill": "Dodge"}, "taught", "Boris"),
    Course("learn", {"skill": "Basketry", "attribute": "dexterity", **_SO}),
    Course("advance", {"skill": "Dodge", **_SO}),
)
FARE: Final = Fare(
    SYSTEM,
    _TABLES,
    _COURSES,
    (),
    {
        "also": (("Guard",), ("Guard 3",)),
        "together": (("Guard",),),
        "coordination": ("12",),
        "trick": ("-2 0 4",),
        "reload": ("Colt .45 revolver",),
        "strays": (1, 2, 3, 4, 5),
        "given": (),
        "contest.given": (),
        "attribute": ("agility", "strength"),
        "learn.drawback": (),
        "drawback": (),
        "study.skill": ("Dodge", "Charm"),
        "learn.skill": ("Basketry",),
        "advance.skill": ("Dodge", "Stealth"),
    },
    usual={
        "rule.roll": {"difficulty": "Average"},
        "face.face": {"skill": "Perception"},
        "faced.face": {"skill": "Perception"},
        "reply.reply": {"approach": "in another way"},
    },
)
