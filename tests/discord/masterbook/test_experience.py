"""Growing under MasterBook through Discord: adds for skill points, a teacher, Life Points turned
in, awards.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.systems.masterbook.character.sheet import MasterbookSheet
from tests.discord.masterbook.table import bring, newest, open_table, sheet
from tests.discord.world import World, labels, message_of, private, public, refusal_of, texts

#: Somebody who teaches how to dodge.
MASTER: Final = {
    "intellect": 9,
    "skills": [{"name": "Dodge", "adds": 5}, {"name": "Teaching", "focus": "Dodge", "adds": 4}],
}


#: Options of the two learning curves.
CURVES: Final = {
    "positive": {"advantages": ["Learning Curve (Positive) (CIII)"]},
    "negative": {"compensations": ["Learning Curve (Negative) (CII)"]},
}


def _adds(found: MasterbookSheet, name: str) -> int:
    return next((each.adds for each in found.skills if each.name == name), 0)


@pytest.mark.rule(
    "MB-SKILL-IMP-01",
    "MB-SKILL-IMP-02",
    "MB-SKILL-IMP-03",
    "MB-SKILL-IMP-05",
    "MB-LP-06",
    "MB-CHAR-07",
)
async def test_skill_points_become_adds_once_between_adventures(world: World) -> None:
    await open_table(world, life_points=5)
    unknown = refusal_of(await world.gina.slash(world.zone, "gm award", kind="gold"))
    assert "Use life points, skill points, skill points non combat," in unknown, "as people write"
    await world.gina.slash(world.zone, "gm award", kind="Skill points", amount=9, to="Vesna")
    await world.ana.slash(world.zone, "mb convert", points=2)
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.skill_points) == (3, 15)
    await world.ana.slash(world.zone, "character advance", skill="Dodge")
    vesna = await sheet(world, "Vesna")
    assert (_adds(vesna, "Dodge"), vesna.skill_points) == (3, 12)
    again = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Dodge"))
    assert "has gained 1 add since the last adventure" in again
    await world.ana.slash(world.zone, "character learn", skill="Charm")
    assert _adds(await sheet(world, "Vesna"), "Charm") == 1
    await world.ana.slash(world.zone, "character learn", skill="Martial Arts: judo")
    assert (await sheet(world, "Vesna")).skill_points == 0
    poor = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Stealth"))
    assert "That costs 4 points, and you have 0 skill points" in poor
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).skill_points == 8
    too_many = refusal_of(await world.ana.slash(world.zone, "mb convert", points=9))
    assert "You have 3 Life Points" in too_many or "Life Points" in too_many
    await world.gina.slash(world.zone, "mb convert", points=1, **{"as": "Vesna"})
    assert (await sheet(world, "Vesna")).life_points == 2, "GMs do it for any character"


@pytest.mark.rule("MB-SKILL-IMP-08", "MB-CHAR-17", "MB-CHAR-04")
async def test_an_attribute_grows_and_toughness_with_it(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10, to="Vesna")
    for _ in range(2):
        await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10, to="Vesna")
    await world.ana.slash(world.zone, "character advance", skill="Strength")
    vesna = await sheet(world, "Vesna")
    assert (vesna.strength, vesna.skill_points, vesna.toughness) == (10, 0, 11)


@pytest.mark.rule("MB-SKILL-IMP-04", "MB-SKILL-IMP-06", "MB-SKILL-TEACHING")
async def test_a_lesson_from_a_teacher(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=9, to="Vesna")
    await bring(world, world.gina, "Master", MASTER, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Master")
    await world.ana.slash(world.zone, "mb study", skill="Dodge", teacher="Master", during=True)
    assert "your call: Vesna takes a lesson" in texts(world.last()), texts(world.last())
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(9, 4)
    await world.press(world.gina, panel, "Yes, just the right teacher")
    text = await newest(world)
    vesna = await sheet(world, "Vesna")
    assert (_adds(vesna, "Dodge"), vesna.skill_points) == (3, 6), text
    assert "A lesson in Dodge from Master, in mid-adventure" in text
    await world.restart()
    await world.gina.slash(world.zone, "gm undo")
    assert _adds(await sheet(world, "Vesna"), "Dodge") == 2


@pytest.mark.rule("MB-DMG-08", "MB-SKILL-IMP-04")
async def test_a_teacher_who_is_hurt_teaches_worse(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=9, to="Vesna")
    await bring(world, world.ben, "Master", MASTER | {"harm": "wounds 3"})
    await world.ana.slash(world.zone, "mb study", skill="Dodge", teacher="Master")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(5, 5)
    await world.press(world.gina, panel, "Yes, just the right teacher")
    assert "Master, teaching: 2d10 (5, 5): bonus 0, total **11**" in await newest(world)


async def test_a_skill_has_a_name(world: World) -> None:
    """One without would keep the table's file from being read again."""
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=9, to="Vesna")
    before = await sheet(world, "Vesna")
    await world.ana.slash(world.zone, "character learn", skill=" ", attribute="Agility")
    await world.env.settle()
    assert await sheet(world, "Vesna") == before
    assert [each.kind for each in (await world.state()).checks.values()] == []


async def test_a_lesson_tells_no_name_that_is_hidden(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=9, to="Vesna")
    await bring(world, world.gina, "Zorvath", {"harm": "out_for 60"}, npc=True)
    await world.gina.slash(world.zone, "gm npc alias", npc="Zorvath", alias="the pale one")
    await world.gina.slash(world.zone, "gm npc reveal", npc="Zorvath", stage="aliased")
    so = {"skill": "Dodge", "teacher": "the pale one"}
    assert "from the pale one" in public(await world.ana.slash(world.zone, "mb study", **so))
    assert "Zorvath" not in world.told(world.ana)


@pytest.mark.rule("MB-SKILL-IMP-04")
async def test_a_teacher_of_the_gms_halves_the_price(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=9, to="Vesna")
    await world.ana.slash(world.zone, "mb study", skill="Charm")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Yes, just the right teacher")
    vesna = await sheet(world, "Vesna")
    assert (_adds(vesna, "Charm"), vesna.skill_points) == (1, 7)
    assert (await newest(world)).startswith("## ✓ Charm learned, at 1")
    await world.gina.slash(world.zone, "gm undo")
    assert _adds(await sheet(world, "Vesna"), "Charm") == 0


async def test_npcs_are_made_like_samples(world: World) -> None:
    await open_table(world, life_points=5)
    private(await world.gina.slash(world.zone, "gm npc add", like="Guard", count=2))
    guard = await sheet(world, "Guard 1")
    assert guard.arms[0].name == "Billyclub"


@pytest.mark.rule("MB-SKILL-IMP-02", "MB-SKILL-IMP-03")
async def test_growing_with_an_explanation_waits_for_the_gms_yes(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=9, to="Vesna")
    why = {"skill": "Dodge", "explanation": "A winter of snowball fights."}
    await world.ana.slash(world.zone, "character advance", **why)
    text = await newest(world)
    assert "Vesna wants to improve" in text and "> A winter of snowball fights." in text, text
    assert (await sheet(world, "Vesna")).skill_points == 9, "it costs nothing before"
    await world.restart()
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Allow")
    text = await newest(world)
    assert "The GM allows it" in text and "Dodge: 2 → 3" in text, text
    assert (await sheet(world, "Vesna")).skill_points == 6
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).skill_points == 9
    await world.ana.slash(
        world.zone, "character learn", skill="Charm", explanation="A good teacher."
    )
    assert "wants to learn something new" in await newest(world)
    poor = why | {"skill": "Strength"}
    assert "skill points" in refusal_of(
        await world.ana.slash(world.zone, "character advance", **poor)
    )


async def test_a_gm_sets_points_by_hand(world: World) -> None:
    await open_table(world, life_points=5)
    before = (await sheet(world, "Vesna")).life_points
    await world.gina.slash(
        world.zone, "gm adjust", character="Vesna", what="life_points", value="2"
    )
    assert (await sheet(world, "Vesna")).life_points == 2 != before
    refusal_of(
        await world.gina.slash(
            world.zone, "gm adjust", character="Vesna", what="life_points", value="11"
        )
    )
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).life_points == before


@pytest.mark.rule("MB-SKILL-IMP-04", "MB-SKILL-IMP-08")
@pytest.mark.parametrize(
    ("answer", "spent"),
    [
        ("Yes, at half the price", 5),
        ("Yes, at a third of the price", 3),
        ("Yes, but it costs the full price", 9),
    ],
)
async def test_above_sixteen_the_gm_decides_what_a_teacher_is_worth(
    world: World, answer: str, spent: int
) -> None:
    skills = [
        {"name": "Dodge", "adds": 8},
        {"name": "Fire Combat", "adds": 6, "specializations": {"pistols": 1}},
    ]
    await open_table(world, sheets={"Vesna": {"skills": skills, "skill_points": 30}})
    # Agility 9 and 8 adds.
    await world.ana.slash(world.zone, "mb study", skill="Dodge")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "just the right teacher" not in texts(panel)
    await world.press(world.gina, panel, answer)
    vesna = await sheet(world, "Vesna")
    assert (_adds(vesna, "Dodge"), vesna.skill_points) == (9, 30 - spent)
    # Dexterity 10, 6 adds, and one of the specialization's.
    await world.ana.slash(world.zone, "mb study", skill="Fire Combat (pistols)")
    assert answer in texts(
        message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    )
    no = refusal_of(await world.ana.slash(world.zone, "mb study", skill="Strength"))
    assert "Nobody teaches Strength" in no, no


@pytest.mark.rule("MB-SKILL-IMP-04")
async def test_a_gm_who_asks_for_the_lesson_decides_as_well(world: World) -> None:
    skilled = {"agility": 9, "skills": [{"name": "Dodge", "adds": 8}], "skill_points": 9}
    await open_table(world, gm_channel=True, sheets={"Thug": skilled})
    done = message_of(
        await world.gina.slash(world.zone, "mb study", skill="Dodge", **{"as": "Thug"})
    )
    panel = message_of(await world.press(world.gina, done, "Answer"))
    assert "a third of the price" in texts(panel), texts(panel)
    await world.press(world.gina, panel, "No")
    thug = await sheet(world, "Thug")
    assert (_adds(thug, "Dodge"), thug.skill_points) == (8, 9)


@pytest.mark.rule("MB-SKILL-IMP-06")
async def test_a_lesson_in_an_adventure_says_that_it_costs_the_full_price(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10, to="Vesna")
    await world.ana.slash(world.zone, "mb study", skill="Dodge", during=True)
    before = (await sheet(world, "Vesna")).skill_points
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Yes, just the right teacher")
    assert before - (await sheet(world, "Vesna")).skill_points == 3
    last = message_of(await world.ana.slash(world.zone, "table last"))
    shown = texts(message_of(await world.press(world.ana, last, labels(last)[0])))
    assert "3 skill points spent: the full price" in shown and "half" not in shown


@pytest.mark.rule("MB-SKILL-IMP-05", "MB-SKILL-IMP-06")
async def test_a_lesson_in_an_adventure_counts_apart_from_what_is_gained_between(
    world: World,
) -> None:
    await open_table(
        world, sheets={"Vesna": {"skills": [{"name": "Dodge", "adds": 2}], "skill_points": 40}}
    )

    async def lesson() -> None:
        await world.ana.slash(world.zone, "mb study", skill="Dodge", during=True)
        panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
        await world.press(world.gina, panel, "Yes, just the right teacher")

    await world.ana.slash(world.zone, "character advance", skill="Dodge")
    await lesson()
    again = refusal_of(await world.ana.slash(world.zone, "mb study", skill="Dodge", during=True))
    assert "Dodge has gained 1 add in this adventure" in again, again
    again = refusal_of(await world.ana.slash(world.zone, "character advance", skill="Dodge"))
    assert "since the last adventure" in again, again
    await world.gina.slash(world.zone, "gm undo")
    await lesson()
    vesna = await sheet(world, "Vesna")
    assert (_adds(vesna, "Dodge"), vesna.grown, vesna.taught) == (
        4,
        (("Dodge", 1),),
        (("Dodge", 1),),
    )
    await world.gina.slash(world.zone, "mb adventure start")
    await world.ana.slash(world.zone, "character advance", skill="Dodge")
    assert _adds(await sheet(world, "Vesna"), "Dodge") == 5


#: Options of a sheet with each learning curve.
_CURVES: Final[dict[str, dict[str, Any]]] = {
    "positive": {"advantages": ["Learning Curve (Positive) (CIII)"]},
    "negative": {"compensations": ["Learning Curve (Negative) (CII)"]},
}


@pytest.mark.rule("MB-SKILL-IMP-07", "MB-BG-26", "MB-BG-53")
@pytest.mark.parametrize(("curve", "alone", "taught"), [("positive", 6, 3), ("negative", 14, 7)])
async def test_the_learning_curve_is_in_the_price(
    world: World, curve: str, alone: int, taught: int
) -> None:
    await open_table(world, life_points=5)
    pupil = {"skills": [{"name": "Dodge", "adds": 6}], "skill_points": 20, **_CURVES[curve]}
    for name in ("Pupil", "Loner"):
        await bring(world, world.gina, name, pupil, npc=True)
    await world.gina.slash(world.zone, "mb study", skill="Dodge", **{"as": "Pupil"})
    assert (await sheet(world, "Pupil")).skill_points == 20 - taught
    await world.gina.slash(world.zone, "character advance", skill="Dodge", character="Loner")
    assert (await sheet(world, "Loner")).skill_points == 20 - alone


@pytest.mark.rule("MB-SKILL-04")
async def test_a_specialization_of_a_skill_without_any_takes_the_gm(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm award", kind="skill_points", amount=10, to="Vesna")
    no = refusal_of(await world.ana.slash(world.zone, "character learn", skill="Taunt (insults)"))
    assert "The book has no specializations of Taunt" in no and "explanation" in no
    assert "no specializations of it" in private(
        await world.ana.slash(world.zone, "mb skill", name="Taunt")
    )
    await world.ana.slash(
        world.zone, "character learn", skill="Taunt (insults)", explanation="A week among sailors"
    )
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.press(world.gina, panel, "Allow")
    found = {each.name: dict(each.specializations) for each in (await sheet(world, "Vesna")).skills}
    assert found["Taunt"] == {"insults": 1}
    await world.ana.slash(world.zone, "character advance", skill="Taunt (insults)")
    await world.gina.slash(
        world.zone, "character learn", skill="Survival: urban (food)", character="Vesna"
    )
    found = {each.name: dict(each.specializations) for each in (await sheet(world, "Vesna")).skills}
    assert (found["Taunt"], found["Survival"]) == ({"insults": 2}, {"food": 1}), (
        "GMs take the step themselves"
    )


@pytest.mark.rule("MB-SKILL-IMP-08")
async def test_a_learning_curve_is_no_matter_for_attributes(world: World) -> None:
    await open_table(world, life_points=5)
    for name, curve in (("Quick", "positive"), ("Slow", "negative")):
        await bring(
            world,
            world.gina,
            name,
            {"skill_points": 40, "strength": 8, **_CURVES[curve]},
            npc=True,
        )
        await world.gina.slash(world.zone, "character advance", skill="Strength", character=name)
        assert (await sheet(world, name)).skill_points == 40 - 27, name


@pytest.mark.rule("MB-GM-06", "MB-LP-01", "MB-SKILL-IMP-01")
async def test_surplus_life_points_are_offered_as_skill_points(world: World) -> None:
    await open_table(world, life_points=5)
    await world.gina.slash(world.zone, "gm settings", setting="award_overflow", value="offer")
    await world.gina.slash(world.zone, "gm award", kind="life_points", amount=8, to="Vesna")
    told = texts(world.last())
    lost = "Vesna can hold only 10 Life Points; 3 would be lost unless converted to 9 skill points."
    assert f"5 Life Points, 10 now. {lost}" in told and "`/mb convert`" in told, told
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.surplus) == (10, 3)
    await world.restart()
    waits = message_of(await world.ana.slash(world.zone, "moves"))
    assert "Vesna: 3 Life Points more than 10, lost when the next adventure begins." in texts(waits)
    shown = private(await world.ana.slash(world.zone, "character show"))
    assert "10 and a surplus of 3, lost when the next adventure begins" in shown, shown
    many = refusal_of(await world.ana.slash(world.zone, "mb convert", points=14))
    assert "You have 10 Life Points and a surplus of 3, so" in many, many
    assert "more than 10" not in private(await world.ben.slash(world.zone, "moves"))
    await world.press(world.ana, waits, "Turn into 9 skill points")
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.surplus, vesna.skill_points) == (10, 0, 9)
    await world.gina.slash(world.zone, "gm undo")
    await world.ana.slash(world.zone, "mb convert", points=4)
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.surplus, vesna.skill_points) == (9, 0, 12)
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "mb adventure start", name="The next one")
    vesna = await sheet(world, "Vesna")
    assert (vesna.life_points, vesna.surplus, vesna.skill_points) == (10, 0, 0)
