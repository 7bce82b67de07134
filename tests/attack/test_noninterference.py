"""Noninterference: other secrets that lead to the same told outcome give every player byte for byte
the same.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any, Final

import pytest

from tests.attack.noninterference import (
    ALIAS,
    BARMORE,
    CARDS,
    EBB,
    EFFECTS,
    EGO,
    HANDS,
    MASTERBOOK,
    Doubts,
    Ground,
    Hidden,
    dealt,
    shown,
)
from tests.example_counts import nightly
from tests.sample_table import ego_character

pytestmark = pytest.mark.slow

SEEDS, STEPS = (20, 60) if nightly() else (1, 8)
_ATTACKS: Final = [{"name": "Melee Combat", "adds": 1}, {"name": "Taunt", "adds": 1}]
_HARD: Final = ("Dodge", "Willpower", "Unarmed Combat", "Melee Parry", "Intimidation")
#: MasterBook's: alike in what they do to others, and beyond reach each in a way of its own.
NPCS: Final = tuple(
    {
        "toughness": tough,
        "life_points": points,
        "skills": [*_ATTACKS, *[{"name": name, "adds": adds} for name in _HARD]],
        "armour": armor,
        "mind": mind,
        "confidence": mind,
        "harm": harm,
        "compensations": luck,
    }
    for tough, points, adds, armor, mind, harm, luck in (
        (60, 0, 45, [], 50, "wounds 1", []),
        (
            90,
            9,
            60,
            [{"name": "Plate", "add": 9}],
            60,
            "wounds 1, shock 2, bleeders 1",
            ["Bad Luck (CIII)"],
        ),
    )
)
#: EGO's: what somebody fights with comes to as much, and is told; how well they sneak is not.
_SNEAKS: Final = [
    {**each, "level": 4} if each["name"] == "Stealth" else each
    for each in ego_character("")["skills"]
]
#: What Ana writes where Ben cannot read it.
_VAULT: Final = ("xvaultx", "xa quite different planx")


def _caster(npc: dict[str, Any], adds: int, *, dn: int, fv: int, value: int, unreal: bool) -> Any:
    """Return the sheet of an NPC who casts; the skill comes to as much in both worlds.

    What is over the difficulty and the feedback raises the effect value.
    """
    plain: dict[str, Any] = {
        "skill": "Conjuration",
        "range_value": 9,
        "effect_value": value,
        "given": {"dn": dn, "fv": fv},
        "unreal": {"disbelief_dn": 10} if unreal else None,
    }
    lowers = {"action": "lower", "traits": ["Agility"], "duration_value": 12}
    points = {"action": "points", "resisted_by": "Willpower", "duration_value": 12}
    made = (
        {"name": "Haze"} | lowers,
        {"name": "Torpor"} | points,
        {"name": "Rod", "charges": 5 if unreal else 7} | points,
    )
    known = [{"blueprint": plain | each, "learned": True, "approved": True} for each in made]
    skills = [*npc["skills"], {"name": "Conjuration", "adds": adds}]
    return npc | {"skills": skills, "effects": known}


#: Everybody reads that great effects are harder in this world, not which ones these are.
_WORLD: Final = {
    "special_effects": {
        "magic": True,
        "adjustments": [{"skill": "Conjuration", "difficulty": 5, "from_effect_value": 28}],
    }
}
#: As much comes of both, by the world's difficulty and the effect's own.
_CASTERS: Final = (
    Hidden(
        "187",
        "Zorvath",
        1,
        _caster(NPCS[0], 20, dn=9, fv=0, value=24, unreal=True),
        world=_WORLD,
    ),
    Hidden(
        "121",
        "Ymirsson",
        3,
        _caster(NPCS[1], 10, dn=8, fv=3, value=31, unreal=False),
        world=_WORLD,
    ),
)
#: What fails whatever falls, and what succeeds and strikes as hard.
PAIRS: dict[str, tuple[Ground, Hidden, Hidden]] = {
    "ebb, too high": (
        EBB,
        Hidden("9137", "Zorvath", 1),
        Hidden("5000", "Ymirsson", 3, {"fate": 5}),
    ),
    "ebb, low": (EBB, Hidden("1", "Zorvath", 2), Hidden("2", "Zorvath", 1)),
    "barmore, too high": (
        BARMORE,
        Hidden("900", "Zorvath", 1, {"abilities": {"Firearms": 7}, "attributes": {"Speed": 3}}),
        Hidden("400", "Ymirsson", 3, {"abilities": {"Brawling": 2}, "attributes": {"Speed": 1}}),
    ),
    "barmore, low": (
        BARMORE,
        Hidden("-83", "Zorvath", 2, {"attributes": {"Toughness": -20}}),
        Hidden("-60", "Zorvath", 1, {"attributes": {"Toughness": -20}}),
    ),
    "ego, too high": (
        EGO,
        Hidden("48", "Zorvath", 1),
        Hidden("40", "Ymirsson", 3, {"karma": 4, "skills": _SNEAKS}),
    ),
    # Nothing that players do reaches the one or the other, and nothing hurts them.
    "masterbook, too high": (
        MASTERBOOK,
        Hidden("187", "Zorvath", 1, NPCS[0]),
        Hidden("121", "Ymirsson", 3, NPCS[1]),
    ),
    "masterbook, effects and a world's difficulty": (EFFECTS, *_CASTERS),
    "masterbook, hands": (
        CARDS,
        Hidden("187", "Zorvath", 1, NPCS[0], dealt(HANDS[0])),
        Hidden("187", "Zorvath", 1, NPCS[0], dealt(HANDS[1])),
    ),
    **{
        f"{ground.key}, a room that Ben cannot view": (
            ground,
            Hidden(ground.told, "Zorvath", 1, vault=_VAULT[0]),
            Hidden(ground.told, "Zorvath", 1, vault=_VAULT[1]),
        )
        for ground in (EBB, BARMORE, EGO, MASTERBOOK)
    },
    **{
        f"{ground.key}, a whisper scene with another cast": (
            ground,
            Hidden(ground.told, "Zorvath", 1, vault=_VAULT[0], cast="Marek"),
            Hidden(ground.told, "Zorvath", 1, vault=_VAULT[1], cast=f"Marek, {ALIAS}"),
        )
        for ground in (EBB, BARMORE, EGO, MASTERBOOK)
    },
    "masterbook, low": (MASTERBOOK, Hidden("-49", "Zorvath", 2), Hidden("-30", "Zorvath", 1)),
}


@pytest.fixture
def block_turns() -> bool:
    return True


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("case", PAIRS)
async def test_players_cannot_tell_secrets_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, seed: int
) -> None:
    ground, *both = PAIRS[case]
    found = []
    for number, hidden in enumerate(both):
        folder = tmp_path / str(number)
        folder.mkdir()
        # What hands tell comes out over more steps than what a number does.
        steps = STEPS * (3 if ground.holder else 1)
        found.append(await shown(folder, monkeypatch, ground, hidden, seed * 7 + 1, steps))
    one, other = found
    assert one.faults == other.faults == []
    assert one.events == other.events
    assert one.reached == other.reached
    assert one.files == other.files
    for seen, hidden in zip(found, both, strict=True):
        if hidden.vault:
            told = [*seen.files, *chain(*seen.reached.values(), *seen.events.values())]
            assert not any(hidden.vault in text for text in told)
    for texts in one.reached.values():
        assert len(texts) > STEPS / 2, "something was to be seen"


@pytest.mark.rule("MB-SFX-30")
@pytest.mark.parametrize("seed", range(SEEDS))
async def test_players_cannot_tell_an_illusion_by_doubting_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    found = []
    for number, hidden in enumerate(_CASTERS):
        folder = tmp_path / str(number)
        folder.mkdir()
        steps = max(2, STEPS // 4)
        made = await shown(folder, monkeypatch, EFFECTS, hidden, seed * 7 + 1, steps, Doubts)
        found.append(made)
    one, other = found
    assert one.faults == other.faults == []
    assert any("mb-effect-looked" in text for text in one.events["ben"]), "doubts were rolled"
    assert one.events == other.events
    assert one.reached == other.reached
    assert one.files == other.files
