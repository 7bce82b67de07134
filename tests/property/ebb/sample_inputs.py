"""What there is to choose under EBB: abilities, adjustments, defenses, hits, ways to heal and to
grow, what GMs set.
"""

from __future__ import annotations

from typing import Any, Final

from rules.systems.ebb.reference_rows import ATTRIBUTES
from rules.systems.ebb.sample_characters import roster
from rules.systems.ebb.system import SYSTEM
from rules.table.actions import (
    AddNpcs,
    AddToEncounter,
    Award,
    ImportCharacter,
    JoinEncounter,
    Produce,
    Session,
    StartEncounter,
)
from tests.property.every_option import Course, Deed, Fare, Ordered, after, set_by_hand, table
from tests.sample_table import ANN, BEN, GM

EVADES: Final = "Fitness 2"


def _sheet(name: str, **more: Any) -> dict[str, Any]:
    """Somebody with abilities of every attribute, and with hurts.

    What is usually set against somebody has a die of its own: another choice rolls something else.
    """
    abilities = [
        {"name": f"{each} {n}", "group": each, "die": "d10" if f"{each} {n}" == EVADES else "d6"}
        for each in ATTRIBUTES
        for n in (1, 2, 3)
    ]
    return {
        "name": name,
        "abilities": abilities,
        "drawbacks": [f"Afraid {n}" for n in range(len(abilities))],
        "fate": 30,
        "injuries": [
            {"text": "Broken arm", "part": "arm", "severity": "serious"},
            {"text": "Burn", "severity": "light"},
            {"text": "Old cut", "treated": True},
        ],
        "scarring": ["A scar"],
        "sacrificed": {"Fitness": 1, "Zone": 1},
    } | more


def _bring(who: Any, name: str, **more: Any) -> Any:
    return (
        ImportCharacter,
        GM,
        {"data": _sheet(name, **more), "grown": True, "owner": who.id, "overwrite": True},
    )


_PEACE: Final = table(
    SYSTEM,
    _bring(ANN, "Anna"),
    _bring(BEN, "Boris"),
    (AddNpcs, GM, {"name": "Orc", "data": _sheet("Orc"), "stage": "revealed"}),
    (AddNpcs, GM, {"name": "Rat", "stage": "aliased", "alias": "a shape"}),
)
_HALF: Final = {"skill": "Fitness 1", "attribute": "Alertness", "approach": "so"}
_AT: Final = {**_HALF, "weapon": "a stick"}
_LEVEL: Final = {"difficulty": "Tricky"}
_FOUGHT: Final = (
    (StartEncounter, GM, {}),
    (JoinEncounter, ANN, {}),
    (AddToEncounter, GM, {"name": "Orc"}),
)
FARE: Final = Fare(
    SYSTEM,
    {
        "": _PEACE,
        "worn": after(_PEACE, _bring(BEN, "Boris", sacrificed=dict.fromkeys(ATTRIBUTES, 2))),
        "one": after(_PEACE, _bring(BEN, "Boris", injuries=[{"text": "Burn"}], sacrificed={})),
    },
    (
        Course("check", _HALF),
        Course("check", {"attribute": "Zone", **_LEVEL, "approach": "so"}),
        Course("check", {**_HALF, **_LEVEL}, who=GM, as_="Orc"),
        Course("check", {**_HALF, **_LEVEL, "hidden": True}, who=GM, as_="Orc"),
        Course("check", {"attribute": "Zone", **_LEVEL, "approach": "so"}, who=GM, as_="Rat"),
        *(
            Course(kind, values, place, whom, as_, who)
            for kind, values in (("attack", _AT), ("contest", _HALF))
            for place, whom, as_, who in (
                ("", "Boris", "Anna", ANN),
                ("worn", "Boris", "Anna", ANN),
                ("", "Orc", "Anna", ANN),
                ("", "Boris", "Orc", GM),
            )
        ),
        Course("treat", {**_HALF, "injury": "Broken arm"}, target="Boris", who=GM, as_="Orc"),
        Course("treat", _HALF, target="Boris"),
        Course("treat", _HALF, "one", "Boris"),
        Course("rest", {"approach": "so"}, "worn", as_="Boris", who=BEN),
        Course("rest", {"approach": "so"}, "worn", as_="Boris", who=GM),
        Course(
            "learn",
            {"skill": "Rafts", "attribute": "Zone", "drawback": "Seasick", "approach": "so"},
        ),
        Course("advance", {"skill": "Zone 1", "approach": "so"}),
    ),
    tuple(Ordered(each) for each in SYSTEM.tables),
    {
        "weapon": ("a knife",),
        "injury": ("Burn",),
        "learn.skill": ("Boats",),
        "learn.drawback": ("Shy",),
        "advance.skill": ("Fitness 1", "Alertness 2"),
        "attribute": ATTRIBUTES,
        "text": ("A cut",),
        "part": ("leg",),
        "severity": ("light", "serious", "severe"),
    },
    deeds=(
        *(Deed(f"draws an {each}", ((Produce, GM, {"what": each}),)) for each in SYSTEM.tables),
        Deed("somebody new", ((ImportCharacter, BEN, {"data": roster()[0]}),)),
        Deed("an order of action", _FOUGHT),
        Deed("a session ends", ((Session, GM, {"start": True}), (Session, GM, {"start": False}))),
        Deed("gives Fate", ((Award, GM, {"kind": "fate", "amount": 2, "to": "Anna"}),)),
        *set_by_hand(
            _PEACE,
            "Anna",
            {"injury": ("cut; leg; severe",), "scar": ("burned",), "drawback:1": ("new",)},
        ),
    ),
    usual={
        "rule.roll": _LEVEL,
        "rule.margin-only": _LEVEL,
        "face.face": {"skill": EVADES, "approach": "away"},
        "faced.face": {"skill": EVADES, "approach": "away"},
        "reply.reply": {"approach": "in another way"},
        "words.in-full": {"text": "A wound"},
    },
)
REFUSED: Final[dict[str, set[str]]] = {}
#: Who hears of something; how one rests is told by what comes back; both answers to a rest share
#: their form.
SILENT: Final = frozenset(
    ("/anomaly visibility", "/artefact visibility", "rest method", "rest rule.impossible covers")
)
#: What becomes of a hit on whom nobody chooses is for the clock, and here somebody always does. All
#: have Fate left, and nobody's turn is waited for: tests/discord/waiting. Missed deadlines:
#: tests/rules/test_missed_turns.py. GMs who are silent: tests/services/test_silence.py.
#: Speaking: tests/discord/test_speech.py.
ELSEWHERE: Final = (
    "block_turns",
    "excused",
    "guest_cards",
    "hit_default",
    "open_points",
    "silence",
    "speaking",
    "turn_time",
)
