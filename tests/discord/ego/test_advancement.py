"""Growing with experience: award, raise, learn; two kinds of it; undo and restart."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.ego.play import DIRK, bring, open_table, sheet
from tests.discord.world import World, menu, message_of, private, refusal_of, texts

MAGE: dict[str, Any] = {
    "name": "Ilse",
    "muscle": 4,
    "agility": 6,
    "intellect": 12,
    "vitality": 8,
    "skills": [{"name": "Magic", "level": 2}],
    "powers": [{"name": "Fire", "rating": 0, "source": "magic"}],
}


async def _award(world: World, points: int, kind: str = "exp") -> str:
    """`/gm award`: what everybody reads."""
    await world.gina.slash(world.zone, "gm award", kind=kind, amount=points)
    return texts(world.last())


async def _advance(world: World, skill: str) -> str:
    """`/character advance` by Ana: what everybody reads."""
    private(await world.ana.slash(world.zone, "character advance", skill=skill))
    return texts(world.last())


@pytest.mark.rule("EGO-EXP-01", "EGO-EXP-02", "EGO-SPC-01", "EGO-KAR-05")
async def test_experience_raises_one_step_at_a_time(world: World) -> None:
    await open_table(world)
    await bring(world, world.ana, DIRK)
    await _award(world, 10)
    await _award(world, 10)
    raised = await _advance(world, "Gun Combat")
    assert "Gun Combat: 3 → 4" in raised and "−4 EXP, 16 left" in raised
    assert "Sharpshooter: 1 → 2" in await _advance(world, "sharp")
    raised = await _advance(world, "Vitality")
    assert "Vitality: 8 → 9" in raised and "−9 EXP, 5 left" in raised
    short = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Agility"))
    assert "That costs 9 EXP, but you have 5: 4 short." in short
    panel = message_of(await world.ana.slash(world.zone, "character improve"))
    offered = [each["label"] for each in menu(panel, "Raise or learn")["options"]]
    assert "Agility 8 → 9, 9 EXP: 4 short" in offered and not offered[0].endswith("short")
    made = await sheet(world, "Dirk")
    assert (made.vitality, made.exp, made.karma) == (9, 5, 11)
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Dirk")).vitality == 8
    assert (
        "2 Karma, 13 now" in (plain := await _award(world, 2, "karma")) and "usually" not in plain
    )
    assert "3 Karma, 16 now (more than the 2 that one deed usually brings)" in await _award(
        world, 3, "karma"
    )
    assert (await sheet(world, "Dirk")).karma == 16


@pytest.mark.rule("EGO-EXP-01", "EGO-SKL-03")
async def test_new_skills_specialties_and_fields_are_learned(world: World) -> None:
    await open_table(world)
    await bring(world, world.ana, DIRK)
    await _award(world, 10)
    assert "Pilot (space) learned, at 1" in await _advance(world, "Pilot (space)")
    assert "Fast Draw learned, at 1" in await _advance(world, "Fast Draw")
    low = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Breakfall"))
    assert "You can't raise" in low
    made = await sheet(world, "Dirk")
    assert [each.name for each in made.specialties] == ["Sharpshooter", "Fast Draw"]
    refusal_of(await world.ana.slash(world.zone, "character advance", skill="Superpowers"))


@pytest.mark.rule("EGO-EXP-03")
async def test_session_experience_is_for_what_is_known_where_the_table_has_it_so(
    world: World,
) -> None:
    await open_table(world, exp_buckets=True)
    await bring(world, world.ana, DIRK)
    await _award(world, 10)
    refusal_of(await world.ana.slash(world.zone, "character advance", skill="Medical"))
    refusal_of(await world.ana.slash(world.zone, "character advance", skill="Muscle"))
    await _advance(world, "Stealth")
    await _award(world, 9, "exp_saved")
    await _advance(world, "Muscle")
    made = await sheet(world, "Dirk")
    assert (made.muscle, made.exp, made.exp_saved) == (9, 8, 0)


@pytest.mark.rule("EGO-MAG-01", "EGO-FX-01")
async def test_a_mage_learns_effects_and_buys_points(world: World) -> None:
    await open_table(world, magic_pool_point_cost=2)
    await bring(world, world.ana, MAGE)
    assert (await sheet(world, "Ilse")).magic == 14
    for effect in ("Flight (Magic)", "Telepathy (Magic)", "Light (Magic)"):
        assert "learned" in await _advance(world, effect)
    full = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Water (Magic)"))
    assert "allows 4 known effects" in full
    await _award(world, 2)
    assert "Magic Pool" in await _advance(world, "Magic Pool")
    made = await sheet(world, "Ilse")
    assert (made.magic, made.magic_bought, made.exp) == (15, 1, 0)


@pytest.mark.rule("EGO-EXP-03", "EGO-SPC-01")
async def test_a_refusal_of_experience_says_what_it_would_take(world: World) -> None:
    await open_table(world, exp_buckets=True)
    await bring(world, world.ana, DIRK)
    await _award(world, 9)
    text = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Muscle"))
    assert "takes EXP from adventures: 9, but you have 0" in text
    assert "EXP from sessions (9) only raises what you know" in text
    high = {**DIRK, "name": "Hi", "specialties": [{"name": "Sharpshooter", "level": 2}]}
    await bring(world, world.ben, high, grown=True)
    await world.gina.slash(world.zone, "gm award", kind="exp", amount=9, to="Hi")
    text = refusal_of(await world.ben.slash(world.zone, "character advance", skill="Sharpshooter"))
    assert "Raise the skill to 4 first (4 EXP)" in text and "lower" not in text
