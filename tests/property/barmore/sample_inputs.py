"""What there is to choose under Barmore's rules: traits, dice, pace, what GMs grant, teams, work,
phases, Wounds.
"""

from __future__ import annotations

from typing import Any, Final

from rules.systems.barmore.complex_actions import RollTask, StartTask
from rules.systems.barmore.system import SYSTEM
from rules.systems.barmore.timed_actions import BeginAction
from rules.table.actions import (
    AddNpcs,
    AddToEncounter,
    AdvanceTime,
    ChangeCampaign,
    ImportCharacter,
    JoinEncounter,
    NextTurn,
    StartEncounter,
)
from tests.property.every_option import Course, Deed, Fare, Ordered, after, set_by_hand, table
from tests.sample_table import ANN, BEN, GM


def _sheet(name: str, **more: Any) -> dict[str, Any]:
    """Somebody who has most of what counts, a weapon, armor and two Wounds."""
    return {
        "name": name,
        "attributes": {
            "Body": 1,
            "Speed": 2,
            "Wits": 3,
            "Reaction Time": 1,
            "Muscle Power": 2,
            "Stamina": 1,
        },
        "abilities": {
            "Brawling": 3,
            "Handguns": 2,
            "Rifles": 1,
            "First Aid": 3,
            "Athletics": 4,
            "Boats": 2,
        },
        "weapons": [{"name": "Boathook", "modifier": 2, "kind": "piercing"}],
        "armour": [{"name": "Coat", "rating": 1, "covers": ["cutting"]}],
        "wounds": [
            {
                "name": "Light",
                "kind": "physical",
                "degree": 2,
                "penalty": 1,
                "base_days": 7,
                "stabilised": False,
            },
            {
                "name": "Scratch",
                "kind": "mental",
                "degree": 1,
                "base_days": 1,
                "activity": "slower",
            },
        ],
    } | more


def _bring(who: Any, name: str, **more: Any) -> Any:
    return (
        ImportCharacter,
        GM,
        {"data": _sheet(name, **more), "grown": True, "owner": who.id, "overwrite": True},
    )


_WHOLE: Final = {"wounds": []}
_PEACE: Final = table(
    SYSTEM,
    _bring(ANN, "Anna", **_WHOLE),
    _bring(BEN, "Boris"),
    (AddNpcs, GM, {"name": "Orc", "data": _sheet("Orc", **_WHOLE), "stage": "revealed"}),
    (AddNpcs, GM, {"name": "Rat", "stage": "revealed"}),
    (
        AddNpcs,
        GM,
        {"name": "Shade", "data": _sheet("Shade", **_WHOLE), "stage": "aliased", "alias": "it"},
    ),
)
_FOUGHT: Final = (
    (StartEncounter, GM, {}),
    (JoinEncounter, ANN, {}),
    (JoinEncounter, BEN, {}),
    (AddToEncounter, GM, {"name": "Orc"}),
    (NextTurn, GM, {}),
)
_WORK: Final[dict[str, Any]] = {
    "name": "Mend",
    "difficulty": "12",
    "required": 9,
    "every": 60,
    "skill": "Boats",
    "attribute": "Wits",
}
_MEND: Final = (StartTask, GM, {**_WORK, "as_": "Anna"})
_SO: Final = {"approach": "so"}
_ROWS: Final = {"skill": "Boats", "attribute": "Speed", **_SO}
_CLAIMS: Final = {
    "skill": "Firearms",
    "attribute": "Wits",
    "use": ("Rifles",),
    "support": ("Athletics", "Boats"),
    "halvings": 1,
    **_SO,
}
_OTHERS: Final = ("check", "contest", "team", "treat")
_DUCKS: Final = {"action": "ducks", "cost": "5"}
_HOOK: Final = {"skill": "Brawling", "attribute": "Speed", "weapon": "Boathook", **_SO}
_HAND: Final = {"skill": "Brawling", "attribute": "Speed", "weapon": "a stick", **_SO}
FARE: Final = Fare(
    SYSTEM,
    {
        "": _PEACE,
        "phases": after(_PEACE, *_FOUGHT),
        "busy": after(
            _PEACE,
            *_FOUGHT,
            *(
                (BeginAction, GM, {"doing": "aims", "costs": ("9",), "as_": each})
                for each in ("Orc", "Anna")
            ),
        ),
        "rolled": after(
            _PEACE, (ChangeCampaign, GM, {"data": {"options": {"dice_phobes": False}}})
        ),
        "work": after(_PEACE, _MEND),
        "wished": after(
            _PEACE,
            _MEND,
            (RollTask, ANN, {"task": "Mend", "options": ("support: Athletics", "halvings: 1")}),
        ),
    },
    (
        Course("check", _ROWS),
        Course("check", _CLAIMS),
        Course("check", _ROWS, "phases"),
        Course("check", {**_ROWS, "difficulty": "12"}, who=GM, as_="Orc"),
        Course("check", {**_ROWS, "difficulty": "12"}, who=GM, as_="Shade"),
        *(
            Course(kind, values, "", whom, as_, who)
            for kind, values in (("attack", _HOOK), ("attack", _HAND), ("contest", _ROWS))
            for whom, as_, who in (
                ("Boris", "Anna", ANN),
                ("Orc", "Anna", ANN),
                ("Rat", "Anna", ANN),
                ("Anna", "Orc", GM),
            )
        ),
        Course("contest", {**_ROWS, "mode": "indirect"}, target="Boris"),
        *(
            Course("team", {**_ROWS, "mode": mode})
            for mode in ("simple_addition", "combining_dice", "worst_roller", "either_or")
        ),
        Course("treat", {"skill": "First Aid", "attribute": "Wits", **_SO}, target="Boris"),
        Course(
            "treat",
            {"skill": "First Aid", "attribute": "Wits", **_SO, "injury": "2"},
            target="Boris",
        ),
        Course("rest", _SO, as_="Boris", who=BEN),
    ),
    (
        Ordered("team start", {"mode": "simple addition", **_ROWS, "as": "Orc"}),
        Ordered("task start", {**_WORK, "every": "1 hour", "required": 4, "who": "Anna"}),
        *(
            Ordered(name, {"task": "Mend"}, "work", ANN)
            for name in ("task roll", "task show", "task drop")
        ),
        Ordered("task accept", {"task": "Mend"}, "wished"),
        Ordered("act", {**_DUCKS, "as": "Orc"}, "phases"),
        Ordered("switch", {**_DUCKS, "as": "Orc"}, "busy"),
        Ordered("at-once", {"times": "1 hour, 20 minutes"}),
    ),
    {
        "difficulty": ("12",),
        "weapon": ("a chair",),
        "injury": ("Scratch",),
        "target": ("Boris",),
        "who": ("Orc",),
        "with": ("support: Athletics",),
        "skill": ("Brawling", "Boats", "none"),
        "attribute": ("Speed", "Mind", "none"),
        "support": (("Athletics",),),
        "task": ("Mend",),
        "refuse": ("support", "time"),
        "cost": ("7", "3, 4"),
        "times": ("10 minutes, 20 minutes",),
        "every": ("2 hours",),
        "score": ("Speed", "Wits"),
        "name": ("Row",),
        "required": (3,),
    },
    deeds=(
        Deed("an order of action", _FOUGHT),
        Deed("time passes", ((AdvanceTime, GM, {"minutes": 20_000}),)),
        *set_by_hand(
            _PEACE,
            "Boris",
            {
                "ability": ("Boats 5", "Boats none"),
                "attribute": ("Speed -1", "Mind 1"),
                "new wound": ("mental 4",),
            },
        ),
    ),
    usual={
        "rule.roll": {"difficulty": "12"},
        "rule.margin-only": {"difficulty": "12"},
        # Nothing else is worth as much.
        "face.face": {"skill": "Rifles", "approach": "away"},
        "faced.face": {"skill": "Rifles", "approach": "away"},
        "join.join": {"skill": "Athletics"},
        "reply.reply": {"approach": "in another way"},
    },
)
#: What is for attacks alone; what players propose is no secret, and two who roll against each other
#: need no number.
REFUSED: Final = {
    **{f"{kind} {key}": {"other-kind"} for kind in _OTHERS for key in ("mental", "non-lethal")},
    **{f"{kind} hidden": {"gm-only"} for kind in ("team", "treat")},
    **{f"{kind} hidden": {"gm-only", "no-difficulty-here"} for kind in ("attack", "contest")},
}
#: How many have a chance where one does it alone.
SILENT: Final = frozenset(f"team rule.{answer} chances" for answer in ("roll", "margin-only"))

#: Settings that do something where this does not come.
ELSEWHERE: Final = ("excused", "silence", "speaking")
