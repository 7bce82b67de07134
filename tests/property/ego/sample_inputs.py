"""What there is to choose under EGO: weapons, effects, options, traits, vehicles, enemies,
settings.
"""

from __future__ import annotations

from typing import Any, Final

from rules.systems.ego.formulas.reference_rows import SHIPPED_ROWS
from rules.systems.ego.system import SYSTEM
from rules.systems.ego.vehicles.vehicles_in_play import DEEDS
from rules.table.actions import (
    AddNpcs,
    AddToEncounter,
    ChangeSettings,
    ImportCharacter,
    JoinEncounter,
    NextTurn,
    StartEncounter,
)
from rules.table.state import TableState
from tests.property.every_option import Course, Deed, Fare, Ordered, after, table
from tests.sample_table import ANN, BEN, GM

_KINDS = {each.command: each.kind for each in DEEDS}
AddVehicle, HurtVehicle = _KINDS["vehicle add"], _KINDS["vehicle damage"]
SteerVehicle = _KINDS["vehicle move"]

_FIELDS: Final = {
    "Pilot": "ground",
    "Area of Knowledge": "elves",
    "Language": "Elvish",
    "Psionics": "",
}
_HALF: Final = len(SHIPPED_ROWS.weapons) // 2


def _fields(row: Any) -> dict[str, str]:
    if not row.multiple:
        return {}
    return {"field": _FIELDS.get(row.name) or next(iter(row.fields), "x")}


def _sheet(name: str, *, second: bool = False) -> dict[str, Any]:
    """Somebody who has all there is, but the traits and the effects that change abilities: half of
    the weapons.
    """
    arms = SHIPPED_ROWS.weapons[_HALF:] if second else SHIPPED_ROWS.weapons[:_HALF]
    return {
        "name": name,
        "muscle": 14,
        "agility": 14,
        "intellect": 12,
        "vitality": 14,
        "skills": [
            {"name": each.name, "level": 3, **_fields(each)} for each in SHIPPED_ROWS.skills
        ],
        "specialties": [
            {"name": each.name, "level": 2, **({"field": "Sword, Long"} if each.multiple else {})}
            for row in SHIPPED_ROWS.skills
            for each in row.specialties
            if each.name != "Breakfall"
        ],
        "powers": [
            {"name": each.name, "rating": 3}
            for each in SHIPPED_ROWS.effects
            if not each.enhances and each.name not in ("Body Armor", "Regeneration")
        ]
        + [
            {"name": "Fire", "rating": 0, "source": "magic"},
            {"name": "Telepathy", "rating": 0, "source": "psionics"},
        ],
        "magic": 9,
        "psionics": 9,
        "karma": 9,
        "exp": 500,
        "exp_saved": 500,
        "funds": 9999,
        "funded": True,
        "armour": "Leather 5/5",
        "arms": [
            {"name": each.name, "drawn": True, "weight": 2}
            | ({"rounds": 40, "magazine": 40} if each.range == "bands" else {})
            for each in arms
        ],
    }


def _bring(who: Any, name: str, **more: Any) -> Any:
    return ImportCharacter, who, {"data": _sheet(name) | more, "grown": True}


_PEACE: Final = table(
    SYSTEM,
    _bring(ANN, "Anna"),
    _bring(BEN, "Boris"),
    (AddNpcs, GM, {"name": "Orc", "like": "Orc", "stage": "revealed"}),
    (AddVehicle, GM, {"kind": "Sedan", "name": "One", "pilot": "Anna", "aboard": "Anna, Orc"}),
    (AddNpcs, GM, {"name": "Guard", "data": _sheet("Guard"), "stage": "revealed"}),
    (AddVehicle, GM, {"kind": "Van", "name": "Other", "pilot": "Boris"}),
    (SteerVehicle, GM, {"vehicle": "v1", "speed": 2}),
    (AddVehicle, GM, {"kind": "Fighter craft", "name": "Ship", "pilot": "Guard"}),
    cbp=9999,
)
_ROUNDS: Final = after(
    _PEACE,
    (StartEncounter, GM, {}),
    (JoinEncounter, ANN, {}),
    (JoinEncounter, BEN, {}),
    (AddToEncounter, GM, {"name": "Orc"}),
    (NextTurn, GM, {}),
)


def _now(name: str, who: Any, **more: Any) -> TableState:
    """The table with somebody otherwise than they were."""
    said = {"data": _sheet(name) | more, "owner": who.id, "overwrite": True, "grown": True}
    return after(_PEACE, (ImportCharacter, GM, said))


_TABLES: Final = {
    "": _PEACE,
    "armed": _now("Anna", ANN, arms=_sheet("Anna", second=True)["arms"]),
    "rounds": _ROUNDS,
    "out": _now("Boris", BEN, down="passed out", non_lethal=9),
    "hurt": _now("Anna", ANN, lethal=6, non_lethal=3, magic=1),
    "gifted": _now(
        "Anna", ANN, advantages=[each.name for each in SHIPPED_ROWS.traits if not each.bad]
    ),
    "liked": _now("Boris", BEN, advantages=["Attractive", "Personable"]),
    "poor": after(
        _PEACE,
        (AddNpcs, GM, {"name": "Novice"}),
        (ChangeSettings, GM, {"values": {"starting_funds": "3d6x10"}}),
    ),
    "sheathed": _now(
        "Anna",
        ANN,
        arms=[
            {"name": each.name, "rounds": 1, "magazine": 6} for each in SHIPPED_ROWS.weapons[:_HALF]
        ],
    ),
    "wrecked": after(_PEACE, (HurtVehicle, GM, {"vehicle": "v2", "damage": 25})),
    "near": after(_PEACE, (ChangeSettings, GM, {"values": {"near_impossible_successes": 6}})),
}
_SO: Final = {"approach": "so"}
_SHORT: Final = {"range": "short"}
_SWORD: Final = {"weapon": "Sword, Long"}
_ATTACKS: Final = (
    ("", _SWORD),
    ("armed", {"weapon": "Assault rifle", "range": "medium"}),
    ("rounds", {"weapon": "Sm Cal, automatic", "range": "medium"}),
    ("armed", {"weapon": "Med Cal, automatic", "range": "10"}),
    ("armed", {"weapon": "Frag Grenade", **_SHORT}),
    ("", {"weapon": "Dagger", "thrown": True, "range": "10"}),
    ("", {"weapon": "Sword, Bastard"}),
    ("", {"weapon": "Kick"}),
    ("rounds", _SWORD),
    ("gifted", _SWORD),
)
#: Every weapon is used once as such; those that are not fired shot by shot with all they have.
_WEAPONS: Final = tuple(
    Course(
        "attack",
        {
            "weapon": each.name,
            **_SO,
            **(_SHORT if each.range else {}),
            **({} if each.rate else {"full auto": True}),
        },
        "armed" if at >= _HALF else "",
        "Boris",
        fields=(),
    )
    for at, each in enumerate(SHIPPED_ROWS.weapons)
)
_EFFECTS: Final = tuple(
    Course("effect", {"effect": each.name, **_SO}, fields=())
    for each in SHIPPED_ROWS.effects
    if not each.enhances and each.name not in ("Body Armor", "Regeneration")
)
_COURSES: Final = (
    *(
        Course("check", {"skill": each, **_SO}, place)
        for place in ("", "rounds")
        for each in ("Stealth", "Social")
    ),
    Course("check", {"skill": "Social", "toward": "Boris", **_SO}, "gifted"),
    *(
        Course("check", {"skill": "Social", key: True, **_SO})
        for key in ("attraction", "persuading")
    ),
    *(
        Course("check", {"skill": each, **_SO})
        for each in ("Persuasion", "Intimidation", "Seduction")
    ),
    Course("check", {"attribute": "vitality", **_SO}),
    Course("check", {"skill": "Diplomacy", **_SO}),
    Course("check", {"attribute": "intellect", **_SO}, "near"),
    Course("check", {"attribute": "agility", **_SO}, who=GM, as_="Guard"),
    Course("check", {"skill": "Stealth", **_SO}, who=GM, as_="Orc"),
    Course(
        "check",
        {"skill": "Stealth", "difficulty": "Hard", "hidden": True, **_SO},
        who=GM,
        as_="Guard",
    ),
    Course("contest", {"skill": "Stealth", **_SO}, target="Orc"),
    Course("contest", {"attribute": "agility", **_SO}, target="Boris"),
    Course("contest", {"attribute": "agility", **_SO}, "liked", "Boris"),
    Course("contest", {"attribute": "agility", **_SO}, target="Boris", who=GM, as_="Guard"),
    *(
        Course("contest", {"skill": each, **_SO}, place, "Boris")
        for each, place in (
            ("Stealth", ""),
            ("Stealth", "rounds"),
            ("Seduction", "gifted"),
            ("Diplomacy", ""),
        )
    ),
    *(Course("attack", {**said, **_SO}, place, "Boris") for place, said in _ATTACKS),
    Course("attack", {**_SWORD, **_SO}, target="Orc"),
    *_WEAPONS,
    Course("tumble", {}, "rounds"),
    Course("effect", {"effect": "Energy Blast", **_SHORT, **_SO}, target="Boris"),
    Course("effect", {"effect": "Flight", **_SO}),
    Course("effect", {"effect": "Flight", **_SO}, "near"),
    Course("effect", {"effect": "Fire (magic)", "points": 2, **_SO}),
    Course("effect", {"effect": "Energy Blast", **_SO}, who=GM, as_="Guard"),
    *_EFFECTS,
    Course("fall", {"damage": 12}, who=GM),
    Course("treat", _SO, "out", "Boris"),
    Course("rest", _SO, "hurt"),
    Course("rest", {"method": "sleep", **_SO}, "hurt"),
    Course("emergency", {"vehicle": "v1", "what": "stop"}),
    Course("emergency", {"vehicle": "v3", "what": "accelerate"}, as_="Guard", who=GM),
    Course("emergency", {"vehicle": "v3", "what": "brake"}, as_="Guard", who=GM),
    Course("emergency", {"vehicle": "v2", "what": "wake"}, "out", as_="Boris", who=BEN),
    Course("collision", {"vehicle": "v1", "other": "v2"}, who=GM),
    Course("collision", {"vehicle": "v1", "object": 40}, who=GM),
)
_GUARD: Final = {"as": "Guard"}
_FLIES: Final = {"effect": "Flight", **_GUARD}
_ORDERS: Final = (
    Ordered("act", {"action": "draw", "weapon": "Sm Cal, revolver"}, "sheathed", ANN),
    Ordered("act", {"action": "opens a door"}, "rounds", ANN),
    Ordered("act", {"action": "tumbling"}, "rounds", ANN),
    Ordered("use", {"effect": "Energy Blast", "target": "Boris", "range": "short", **_GUARD}),
    Ordered("use", _FLIES),
    Ordered("use", {"effect": "Fire (magic)", "points": 2, **_GUARD}),
    Ordered("odds", {"weapon": "Sword, Long", "defense": 3}, "", ANN),
    Ordered("odds", {"weapon": "Sm Cal, automatic", "range": "medium"}, "", ANN),
    *(Ordered(name, _GUARD) for name in ("lift", "move")),
    Ordered("throw", {"weight": 2, **_GUARD}),
    Ordered("funds", {"as": "Novice"}, "poor"),
    Ordered("fall", {"who": "Boris", "damage": 12}),
    Ordered("buy", {"what": "Dagger", **_GUARD}),
    Ordered("buy", {"what": "Sm Cal, revolver", "price": 25, **_GUARD}),
    Ordered("buy", {"what": "Archaic ranged 2", **_GUARD}),
    Ordered("buy", {"what": "a rope", "price": 3, **_GUARD}),
    Ordered("vehicle add", {"kind": "Sedan", "pilot": "Guard"}),
    Ordered("vehicle show", {}),
    Ordered("vehicle board", {"vehicle": "v1"}),
    Ordered("vehicle move", {"vehicle": "v1", "speed": 1}),
    Ordered("vehicle brake", {"vehicle": "v1"}),
    Ordered("vehicle maneuver", {"vehicle": "v3", "difficulty": "Easy"}),
    Ordered("vehicle emergency", {"vehicle": "v3", "what": "accelerate"}),
    Ordered("vehicle emergency", {"vehicle": "v1", "what": "stop"}),
    Ordered("vehicle emergency", {"vehicle": "v2", "what": "wake"}, "out"),
    Ordered("vehicle collide", {"vehicle": "v1", "other": "v2"}),
    Ordered("vehicle collide", {"vehicle": "v1", "object": 40}),
    Ordered("vehicle damage", {"vehicle": "v1", "damage": 30}),
    Ordered("vehicle repair", {"vehicle": "v2"}, "wrecked"),
    Ordered("vehicle remove", {"vehicle": "v2"}),
)
_NONE: Final = {
    "advantages": [],
    "disadvantages": [],
    "specialties": [],
    "powers": [],
    "armour": None,
}
_SHEETS: Final = {
    **{
        f"{place} {each.name}": ({**_NONE, place: [each.name]}, _NONE)
        for each in SHIPPED_ROWS.traits
        if each.name != "Offensive"
        for place in ("disadvantages" if each.bad else "advantages",)
    },
    **{
        f"specialty {each.name}": (
            {
                **_NONE,
                "specialties": [
                    {
                        "name": each.name,
                        "level": 3,
                        **({"field": "Sword, Long"} if each.multiple else {}),
                    }
                ],
            },
            _NONE,
        )
        for row in SHIPPED_ROWS.skills
        for each in row.specialties
    },
    **{
        f"power {each.name}": ({**_NONE, "powers": [{"name": each.name, "rating": 3}]}, _NONE)
        for each in SHIPPED_ROWS.effects
    },
    **{
        f"armor {each.name}": ({**_NONE, "armour": each.name}, _NONE)
        for each in SHIPPED_ROWS.armour
    },
}
_NEW: Final = {
    "name": "New",
    **dict.fromkeys(("muscle", "agility", "intellect", "vitality"), 10),
    "skills": [{"name": "Stealth", "level": 2}],
}


def _creates(name: str, fits: bool = True, /, **more: Any) -> Deed:
    return Deed(f"creates {name}", ((ImportCharacter, BEN, {"data": _NEW | more}),), fits=fits)


_FOUGHT: Final = (
    (StartEncounter, GM, {}),
    (JoinEncounter, ANN, {}),
    (AddToEncounter, GM, {"name": "Orc"}),
    (NextTurn, GM, {}),
)
_DEEDS: Final = (
    _creates("somebody"),
    _creates("a hero", muscle=16, agility=16),
    _creates("lucky", advantages=["Lucky", "Lucky"]),
    _creates("luckier", advantages=["Lucky"] * 3, skills=[]),
    _creates("luckiest", False, advantages=["Lucky"] * 4, skills=[]),
    _creates(
        "a psionic",
        skills=[{"name": "Psionics", "level": 1}],
        powers=[{"name": "Fire", "rating": 0, "source": "psionics"}],
    ),
    Deed("begins a round", _FOUGHT),
    Deed("rests for rounds", (*_FOUGHT, *[(NextTurn, GM, {})] * 6), "hurt"),
    *(
        Deed(
            f"brings in {each.name}",
            ((AddNpcs, GM, {"name": "Some", "like": each.name, "count": 2}),),
        )
        for each in (*SHIPPED_ROWS.enemies, *SHIPPED_ROWS.categories)
    ),
)
FARE: Final = Fare(
    SYSTEM,
    _TABLES,
    _COURSES,
    _ORDERS,
    {
        "toward": ("Boris",),
        "caught": (("Orc 3",), ("Guard",)),
        "vehicle": ("v1",),
        "other": ("v2",),
        "other_section": (2,),
        "weight": (1, 40),
        "who": ("Orc",),
        "weapon": (),
        "what": (),
        "pilot": (),
        "aboard": ("Orc", "Guard"),
        "/vehicle brake.speed": (2, 1),
        "weapons": ("Ballista",),
        "starting_funds": ("500", "3d6x10"),
    },
    deeds=_DEEDS,
    sheets=_SHEETS,
    usual={
        "rule.roll": {"difficulty": "Easy"},
        "face.face": {"skill": "Stealth"},
        "faced.face": {"skill": "Stealth"},
        "reply.reply": {"approach": "in another way"},
    },
)
#: What is refused everywhere: what a contest goes against is what the other side throws.
REFUSED: Final = {
    **{f"attack {key}": {"gm-only"} for key in ("type", "untrained")},
    "contest difficulty": {"no-difficulty-here"},
    "contest hidden": {"gm-only", "no-difficulty-here"},
    "effect non-lethal": {"gm-only", "ego-leave-out"},
    # Where no GM is asked nobody says how many successes a Near Impossible task takes.
    "/use difficulty": {"ego-how-many", "no-difficulty-here"},
    "/vehicle maneuver difficulty": {"ego-how-many"},
}
#: Whoever attacks here has learned to; that an effect stuns is told with its damage.
#: tests/discord/ego has both. What an NPC's effect takes is hidden from players anyway.
SILENT: Final = frozenset(
    (
        "attack rule.roll untrained",
        # That something is free counts in rounds: tests/discord/ego.
        "check free",
        "effect hidden",
        "effect non-lethal",
        "effect rule.roll non-lethal",
        "/use hidden",
    )
)

#: Settings that do something where this does not come: tests/rules/ego, tests/discord/ego and the
#: worked examples do.
ELSEWHERE: Final = (
    *(
        "advantage_repeat_limit",
        "aoe_measure",
        "cbp",
        "exp_buckets",
        "guest_cards",
        "live",
        "magic_pool_point_cost",
    ),
    *("max_dice_pool", "max_range_rule", "near_impossible_successes", "psionic_disciplines"),
    *("answer_time", "reveal", "silence", "starting_funds"),
    # Who is waited for: tests/discord/waiting.
    *("attacks_at_once", "block_turns", "open_points", "turn_time"),
    # Missed deadlines: tests/rules/test_missed_turns.py. Speaking: tests/discord/test_speech.py.
    *("excused", "speaking"),
)
