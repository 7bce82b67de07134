"""A skill is explained through Discord."""

from __future__ import annotations

import pytest

from rules.systems.masterbook.skills import SKILLS
from tests.discord.masterbook.table import table
from tests.discord.world import World, private


@pytest.mark.rule("MB-SKILL-07", "MB-SKILL-02")
async def test_a_skill_and_its_charts(world: World) -> None:
    await table(world)

    async def told(name: str) -> str:
        return private(await world.ana.slash(world.zone, "mb skill", name=name))

    text = await told("climb")
    for part in (
        "Climbing", "you fall", "Agility", "can be tried", "What you climb", "smooth stone or metal", "difficulty 21",
        "slick surface", "+2",
    ):  # fmt: skip
        assert part in text, part
    text = await told("disguise")
    for part in (
        "can't be tried",
        "twice as much",
        "very different age",
        "+10 or more",
        "Superior or better",
    ):
        assert part in text, part
    assert "no adds" not in text
    await world.gina.slash(world.zone, "gm settings", setting="untrained_disguise", value="on")
    assert "difficulty +5" in await told("disguise")
    for part in ("12 adds or more", "14 adds"):
        assert (part in await told("language")) is (part == "14 adds")
    assert "Toughness +8" in await told("demolitions")
    assert "−5 to −1" in await told("swimming")
    assert "**Difficulty:** 3; to push, your movement rate" in await told("swimming")
    assert "**Difficulty:** your movement rate" in await told("running")
    assert "**Difficulty:** the other side's Perception" in await told("stealth")
    assert "**Difficulty:** 8\n" in await told("disguise")
    assert "−1 each" in await told("tracking")
    assert "Below that" in await told("artist")
    assert "the rarer the vehicle" in await told("vehicle")
    private(await world.ana.slash(world.zone, "mb skill", name="knitting"))


async def test_every_skill_fits_into_a_card(world: World) -> None:
    await table(world)
    for name in SKILLS:
        assert name in private(await world.ana.slash(world.zone, "mb skill", name=name)), name


@pytest.mark.rule("MB-INT-07", "MB-INT-03")
async def test_what_helps_talk_stands_with_its_skill(world: World) -> None:
    await table(world)
    text = private(await world.ana.slash(world.zone, "mb skill", name="Charm"))
    for row in (
        "hostile:** +5 to +10",
        "an enemy:** +11 to +20 or more",
        "well disposed:** −3 to −1 or less",
    ):
        assert row in text, text
