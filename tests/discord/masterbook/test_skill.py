"""A skill is explained through Discord."""

from __future__ import annotations

import pytest

from rules.systems.masterbook.formulas.skills import SKILLS
from tests.discord.masterbook.table import open_table
from tests.discord.world import World, private


@pytest.mark.rule("MB-SKILL-07", "MB-SKILL-02")
async def test_a_skill_and_its_charts(world: World) -> None:
    await open_table(world)

    async def told(name: str) -> str:
        return private(await world.ana.slash(world.zone, "mb skill", name=name))

    text = await told("climb")
    for part in (
        "Climbing",
        "you fall",
        "Agility",
        "can be tried",
        "What you climb",
        "smooth stone or metal",
        "difficulty 21",
        "slick surface",
        "+2",
    ):
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
    await open_table(world)
    for name in SKILLS:
        assert name in private(await world.ana.slash(world.zone, "mb skill", name=name)), name


@pytest.mark.rule("MB-INT-07", "MB-INT-03")
async def test_what_helps_talk_stands_with_its_skill(world: World) -> None:
    await open_table(world)
    text = private(await world.ana.slash(world.zone, "mb skill", name="Charm"))
    for row in (
        "hostile:** +5 to +10",
        "an enemy:** +11 to +20 or more",
        "well disposed:** −3 to −1 or less",
    ):
        assert row in text, text


@pytest.mark.rule(
    "MB-SKILL-MARTIAL-ARTS", "MB-SKILL-FIRST-AID", "MB-SKILL-MEDICINE", "MB-SKILL-HYPNOTISM"
)
async def test_numbers_that_stand_in_no_chart_are_explained_with_their_skill(world: World) -> None:
    await open_table(world)
    parts = {
        "Martial Arts": (
            "karate:** replaces Unarmed Combat and Unarmed Parry; +2 to unarmed attacks",
            "active defense +4 at least; may also: judo throw",
            "may also: haymaker and combination",
            "+2 with a sword",
            "+2 to kicks",
            "+2 with any surprise",
        ),
        "First Aid": (
            "shock, K and O:** difficulty 8",
            "2 wounds:** difficulty 11",
            "mortal wounds:** difficulty 18",
            "just dead:** difficulty 22",
            "steadying the dying:** difficulty 22",
        ),
        "Medicine": (
            "1 wound:** difficulty 10",
            "3 wounds:** difficulty 13",
            "mortal wounds:** difficulty 17",
        ),
        "Hypnotism": ("22 less their Mind", "8 more"),
        "Teaching": ("the student's value", "half", "a quarter"),
        "Lifting": ("3 below your Strength",),
        "Camouflage": ("length, width and height",),
        "Demolitions": ("half its damage value",),
        "Disguise": ("2 harder on somebody else", "8 easier"),
    }
    for name, found in parts.items():
        text = private(await world.ana.slash(world.zone, "mb skill", name=name))
        for part in found:
            assert part in text, (part, text)
    assert "just dead" not in private(
        await world.ana.slash(world.zone, "mb skill", name="Medicine")
    )
