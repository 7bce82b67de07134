"""What a skill's own rule makes of a total, through Discord: spot numbers, forged papers,
disguises, charges.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.discord.masterbook.table import newest, open_table, sheet
from tests.discord.world import World, dialog_values, message_of, refusal_of, texts

#: Adds of Vesna, whose Intellect, Mind, Charisma and Confidence are 8, her Agility 9.
_LEARNED: Final[dict[str, Any]] = {
    "charisma": 8,
    "skills": [
        {"name": "Stealth", "adds": 3},
        {"name": "Camouflage", "adds": 2},
        {"name": "Demolitions", "adds": 2},
        {"name": "Forgery", "adds": 2},
        {"name": "Artist", "focus": "painting", "adds": 2},
        {"name": "Disguise", "adds": 2},
        {"name": "Perception", "adds": 2},
        {"name": "Prestidigitation", "adds": 1},
        {"name": "Scholar", "focus": "chemistry", "adds": 4},
        {"name": "Scholar", "focus": "opera", "adds": 2},
        {"name": "Language", "focus": "Czech", "adds": 5},
        {"name": "Tracking", "adds": 2},
        {"name": "Survival", "focus": "forest", "adds": 3},
        {"name": "Alteration", "adds": 4},
        {"name": "Summoning", "adds": 4},
        {"name": "Faith", "focus": "saints", "adds": 2},
    ],
}


async def _table(world: World, **rules: str) -> None:
    await open_table(world, rules=rules, sheets={"Vesna": _LEARNED})


async def _check(world: World, skill: str, words: str = "", *faces: int, **options: Any) -> str:
    """Vesna's `/check` with these words and dice; what its card says."""
    world.dice.lay(*faces)
    given = {"with": words} if words else {}
    await world.ana.slash(world.zone, "check", skill=skill, approach="so", **given, **options)
    assert world.dice.left == 0, skill
    return await newest(world)


async def _answered(world: World, given: str, **typed: str) -> str:
    """The GM's answer to Ana's proposal, with this for the skill; what the card says once she has
    rolled.
    """
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    dialog = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(dialog, dialog_values(dialog) | {"given": given} | typed)
    await world.press(world.gina, panel, "Call for a roll")
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert world.dice.left == 0
    return await newest(world)


async def _refused(world: World, skill: str, words: str, **options: Any) -> str:
    given = {"with": words, "approach": "so", "difficulty": "Easy"} | options
    given = {key: each for key, each in given.items() if each is not None}
    return refusal_of(await world.ana.slash(world.zone, "check", skill=skill, **given))


@pytest.mark.rule(
    "MB-SKILL-CAMOUFLAGE", "MB-SKILL-DEMOLITIONS", "MB-SKILL-STEALTH", "MB-SKILL-PERCEPTION"
)
async def test_what_is_said_with_a_skill_makes_its_difficulty(world: World) -> None:
    await _table(world)
    # 4, 2 and 1.5 m are values 3, 2 and 1; by night whoever looks needs 3 more.
    text = await _check(world, "Camouflage", "size 4 2 1.5, rows: night", 5, 5)
    assert text.startswith("## ✓ Success, solid: 10 against 6"), text
    assert "Hidden: it takes 7 to find it." in text
    text = await _check(world, "Demolitions", "explosive 19", 5, 6)
    assert "11 against 10" in text and "The charge does 20 damage." in text, text
    text = await _check(world, "Demolitions", "toughness 14, wounds 2", 5, 5, difficulty="9")
    assert "It takes 24 damage, in the right place." in text, text
    text = await _check(world, "Stealth", "watchers 9 11 8", 6, 6)
    assert "13 against 13" in text and "It takes 13 to notice it." in text, text
    text = await _check(world, "Perception", "disguise 9 solid", 5, 5)
    assert (
        "10 against 10" in text
        and "The disguise is seen through, and the face behind it made out." in text
    )


@pytest.mark.rule("MB-DN-01", "MB-SKILL-SURVIVAL", "MB-SKILL-TRACKING")
async def test_a_row_that_is_a_number_by_itself_is_the_difficulty(world: World) -> None:
    await _table(world)
    text = await _check(world, "Survival: forest", "rows: barren", 5, 5)
    assert text.startswith("## ✗ Failure, 11 against 12"), text
    two = await _refused(world, "Survival: forest", "rows: barren, rows: easy", difficulty=None)
    assert "don't go together" in two
    await world.gina.slash(world.zone, "gm settings", live=False)
    await world.ana.slash(
        world.zone, "check", skill="Survival: forest", approach="on", **{"with": "rows: barren"}
    )
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "What helps or hinders: barren" not in texts(
        panel
    ) and "Difficulty: barren, such as desert" in texts(panel)
    world.dice.lay(5, 5)
    await world.press(world.gina, panel, "Call for a roll")
    await world.press(world.ana, world.newest("Roll"), "Roll")
    result = (await world.check()).data.result
    assert result is not None and result.number == 12, "the GM leaves it as it was said"


@pytest.mark.rule("MB-SKILL-STEALTH", "MB-MUL-02", "MB-CBN-01")
async def test_each_watcher_by_themselves_where_the_table_plays_so(world: World) -> None:
    await _table(world, stealth_many_watchers="multi_target")
    text = await _check(world, "Stealth", "watchers 9 11 8", 6, 6)
    assert "13 against 14" in text and "Unnoticed by 2 of 3." in text, text


@pytest.mark.rule("MB-SKILL-FORGERY", "MB-SKILL-ARTIST", "MB-SKILL-LANGUAGE")
async def test_where_nothing_has_to_be_reached_the_total_counts(world: World) -> None:
    await _table(world)
    text = await _check(world, "Forgery", "rows: intimate, rows: missing_tools, modifier: 1", 5, 5)
    assert text.startswith("## Total 11"), text
    assert "you know it by heart or have a sample (+5) and important tools missing (−5)" in text
    assert "An inspector needs 11." in text and "against" not in text
    text = await _check(world, "Artist: painting", "", 10, 6, 4)
    assert "A good work." in text, text
    text = await _check(world, "Artist: painting", "", 5, 5, difficulty="Easy")
    assert "10 against 5" in text
    text = await _check(world, "Language: Czech", "", 5, 5, difficulty="Average")
    assert "General: you follow and say most everyday things." in text


@pytest.mark.rule("MB-SKILL-DISGUISE", "MB-SKILL-PRESTIDIGITATION", "MB-SKILL-SCHOLAR")
async def test_how_well_it_went_means_something_else_for_each_skill(world: World) -> None:
    await _table(world)
    text = await _check(world, "Disguise", "rows: specific_person, kit 5", 5, 5, difficulty="8")
    assert "15 against 16" in text and "kit (+5)" in text, text
    assert "People who don't know the person: good." in text
    assert "A second look needs more than 15." in text
    text = await _check(world, "Disguise", "kit 5", 5, 5, difficulty="8")
    assert "It fools even a guard or a clerk across the counter." in text
    text = await _check(world, "Prestidigitation", "", 5, 5, difficulty="Average")
    assert "Only a watchful target could still notice." in text
    text = await _check(world, "Scholar: chemistry", "science", 5, 5, difficulty="Average")
    assert "10 against 8" in text and "The basics, enough to ask further." in text
    assert "takes training" in await _refused(world, "Scholar: opera", "science")


@pytest.mark.rule("MB-SKILL-TRACKING", "MB-SKILL-SURVIVAL")
async def test_the_gm_leaves_the_number_to_the_skill(world: World) -> None:
    await _table(world)
    await world.ana.slash(world.zone, "check", skill="Tracking", approach="after them")
    world.dice.lay(6, 6)
    await _answered(world, "stealth 16\nsurvival 15")
    assert "trail hidden by survival (+4)" in world.told(world.gina), await newest(world)
    assert "12" not in world.told(world.ana).split("against")[-1][:4]
    text = await _check(world, "Survival: forest", "place plains", 5, 5, difficulty="6")
    assert "Survival: forest 9" in text, text
    assert "The GM decides how near" in await _refused(world, "Survival: forest", "place polar")


@pytest.mark.rule("MB-SKILL-STEALTH")
async def test_a_difficulty_that_was_worked_out_follows_what_is_said_anew(world: World) -> None:
    await open_table(world, sheets={"Vesna": _LEARNED}, live=False)
    await world.ana.slash(
        world.zone, "check", skill="Stealth", approach="past them", **{"with": "watchers 9 11 8"}
    )
    number = (await world.check()).data.request.difficulty
    assert number
    panel = message_of(await world.press(world.ana, world.newest("Edit"), "Edit"))
    dialog = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(dialog, dialog_values(dialog) | {"given": "watchers 7"})
    await world.press(world.ana, panel, "Save changes")
    assert (await world.check()).data.request.difficulty == "7" != number
    world.dice.lay(6, 6)
    await _answered(world, "watchers 12")
    result = (await world.check()).data.result
    assert result is not None and result.number == 12


@pytest.mark.rule("MB-SKILL-DISGUISE")
async def test_the_gm_leaves_the_number_of_a_disguise_to_the_skill(world: World) -> None:
    await _table(world)
    # Whoever disguises somebody else has it 2 harder; another age is 3 more.
    for check, (words, number) in {
        "c1": ("rows: other_character", 13),
        "c2": ("rows: resembles", 8),
    }.items():
        words = {"with": f"{words}, rows: age"}
        await world.ana.slash(world.zone, "check", skill="Disguise", approach="a guard", **words)
        world.dice.lay(5, 5)
        text = await _answered(world, "kit 3")
        assert "13 against a hidden difficulty" in text, text
        result = (await world.check(check)).data.result
        assert result is not None and result.number == number, result


@pytest.mark.rule("MB-SKILL-SFX", "MB-SKILL-SUMMONING", "MB-SKILL-FAITH")
async def test_special_effects_hurt_by_their_feedback(world: World) -> None:
    await _table(world, faith_miracles_professionals_only="on")
    text = await _check(world, "Alteration", "feedback 8", 6, 6, difficulty="9")
    assert "Vesna takes 3 shock." in text, text
    assert (await sheet(world, "Vesna")).harm.shock == 3
    await world.gina.slash(world.zone, "gm undo")
    assert not (await sheet(world, "Vesna")).harm.shock
    text = await _check(world, "Summoning", "feedback 2, effect 9, mass 10", 6, 6, difficulty="9")
    assert "Effect value +2." in text and "What was called is here." in text, text
    text = await _check(world, "Summoning", "feedback 4, effect 9, mass 9", 6, 6, difficulty="9")
    assert "It doesn't come." in text
    assert "Only the ordained" in await _refused(world, "Faith: saints", "feedback 4")
    assert "GM" in await _refused(world, "Faith: saints", "feedback 4, ordained")
    await world.ana.slash(world.zone, "check", skill="Faith: saints", approach="a sign")
    world.dice.lay(6, 6)
    text = await _answered(world, "feedback 4\nordained", difficulty="5")
    assert "11 against a hidden difficulty" in text and "Effect value +2." in world.told(
        world.gina
    ), text


async def test_what_a_skill_has_no_use_for_is_refused(world: World) -> None:
    await _table(world)
    assert "Stealth doesn't use “size 4 2 1”" in await _refused(world, "Stealth", "size 4 2 1")
    assert "size 4 2 1.5" in await _refused(world, "Camouflage", "size 4 2")
    assert "wounds 2" in await _refused(world, "Demolitions", "toughness 14, wounds 7")
    shown = texts(message_of(await world.ana.slash(world.zone, "mb skill", name="Demolitions")))
    assert "explosive 20, toughness 14 and wounds 2" in shown, shown
