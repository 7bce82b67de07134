"""Checks of EGO through Discord: from the proposal to the last change of dice, contests, odds."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.discord.ego.table import bring, misses, sheet, stand
from tests.discord.ego.table import open_table as fight
from tests.discord.world import SHARED, World, card, labels, message_of, refusal_of, texts

MAREK: Final[dict[str, Any]] = {
    "muscle": 9,
    "agility": 9,
    "intellect": 12,
    "vitality": 10,
    "karma": 6,
    "skills": [
        {"name": "Stealth", "level": 2},
        {"name": "Social Skills", "level": 4},
        {"name": "Area of Knowledge", "level": 2, "field": "the Rim"},
    ],
    "specialties": [
        {"name": "Persuasion", "level": 3},
        {"name": "Diplomacy", "level": 2},
        {"name": "Seduction", "level": 2},
    ],
    "advantages": ["Agile", "Lucky"],
    "disadvantages": ["Unlucky"],
}


async def _table(world: World, **settings: Any) -> None:
    await world.setup(system="ego")
    await world.gina.slash(
        world.zone,
        "gm settings",
        **{"live": True, "attacks_at_once": True, "step_in_minutes": 10} | settings,
    )
    await bring(world, world.ana, "Marek", MAREK)
    await bring(world, world.ben, "Boris", {"vitality": 10, "agility": 12, "karma": 2})


@pytest.mark.rule(
    "EGO-DIE-01", "EGO-DIE-02", "EGO-DIE-03", "EGO-DIE-05", "EGO-KAR-02", "EGO-KAR-03", "EGO-ADV-02"
)
async def test_from_the_idea_to_the_last_change(world: World) -> None:
    await _table(world)
    world.dice.lay(5, 1, 2, 3, 4, 1)
    await world.ana.slash(
        world.zone,
        "check",
        skill="Stealth",
        difficulty="Hard",
        approach="along the wall",
        **{"with": "karma: 1"},
    )
    text = card(world)
    assert text.startswith("## ✗ Failure so far: 1 success against 3"), text
    assert (await sheet(world, "Marek")).karma == 5
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(6)
    await world.press(world.ana, panel, "Re-roll a die: Agile")
    assert card(world).startswith("## ✗ Failure so far: 2 successes against 3")
    assert "6d6 (**5**, 1→**6**, 2, 3, 4, 1)" in card(world), card(world)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    assert "a die: Agile" not in texts(panel), "one die a roll"
    await world.press(world.ana, panel, "Flip a die: 1 of 5 Karma")
    text = card(world)
    assert text.startswith("## ✓ Success so far: 3 successes against 3")
    assert "3 successes, 1 by Karma; re-rolled Agile" in text and "Marek: Karma 6 → 4" in text, text
    await world.restart()
    panel = message_of(await world.press(world.gina, world.newest("React"), "React"))
    await world.press(world.gina, panel, "Unlucky: −1 success, Marek")
    assert card(world).startswith("## ✗ Failure so far: 2 successes against 3")
    marek = await sheet(world, "Marek")
    assert (marek.karma, marek.unlucky) == (4, 1)
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Marek")).unlucky == 0
    assert card(world).startswith("## ✓ Success so far")
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Lucky: +1 success, 1 left")
    assert card(world).startswith("## ✓ Success so far, by 1: 4 successes against 3")
    assert (await sheet(world, "Marek")).lucky == 1


@pytest.mark.rule("EGO-SPC-02", "EGO-SPC-03", "EGO-SKL-03", "EGO-CHR-05")
async def test_what_is_rolled_with_what(world: World) -> None:
    await _table(world, step_in_minutes=0)
    for number, (options, dice, text) in enumerate(
        (
            ({"skill": "Stealth", "attribute": "intellect"}, 6, "Stealth 2 and Intellect 4"),
            ({"skill": "Persuasion"}, 3, "Persuasion 3"),
            ({"attribute": "vitality"}, 4, "Vitality 4"),
            ({"skill": "Climbing"}, 3, "Climbing untrained and Muscle 3"),
        )
    ):
        world.dice.lay(*misses(dice))
        await world.ana.slash(world.zone, "check", difficulty="Easy", approach="somehow", **options)
        assert world.dice.left == 0
        assert text in card(world, f"c{number + 1}")
    so = {"skill": "Stealth", "attribute": "muscle", "difficulty": "1", "approach": "so"}
    assert "Stealth goes with Agility or Intellect, not Muscle." in refusal_of(
        await world.ana.slash(world.zone, "check", **so)
    )


@pytest.mark.rule("EGO-SPC-03")
async def test_diplomacy_begins_with_what_is_known(world: World) -> None:
    await _table(world, step_in_minutes=0)
    world.dice.lay(5, 6, *misses(4), 1, 5, 6, 2)
    await world.ana.slash(
        world.zone,
        "check",
        skill="Diplomacy",
        difficulty="2",
        approach="as they do here",
        **{"with": "knowledge: Area of Knowledge (the Rim)"},
    )
    assert card(world).startswith("## ✓ Success, 2 successes against 2"), card(world)


@pytest.mark.rule("EGO-DIE-04")
async def test_a_tie_is_for_the_gm(world: World) -> None:
    await _table(world, step_in_minutes=0)
    await world.ana.slash(
        world.zone, "contest", target="Boris", skill="Stealth", approach="slip past"
    )
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    assert "with 6 dice" not in world.told(world.ana)
    await world.choose(world.ben, panel, "Ability", "agility")
    world.dice.lay(5, *misses(4), 6, *misses(3))
    await world.press(world.ben, panel, "Respond")
    await stand(world)
    assert card(world).startswith("## Tied"), card(world)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(5, 5, *misses(3), 6, *misses(3))
    await world.press(world.gina, panel, "Roll again")
    await stand(world)
    assert card(world).startswith("## ✓ Marek wins, by 1"), card(world)
    assert "It was tied, and rolled again." in card(world)
    told = card(world).replace("**", "")
    assert "Tied before: Marek, 1 success (5, 1, 1, 1, 1)" in told, told


@pytest.mark.rule("EGO-SPC-03")
async def test_who_was_seduced_is_easier_to_talk_to(world: World) -> None:
    await _table(world, step_in_minutes=0)

    async def asked(check: str, **more: str) -> str:
        world.dice.lay(6, 6, 6)
        given = {"skill": "Persuasion", "difficulty": "Hard", "approach": "one more favor"}
        await world.ana.slash(world.zone, "check", **given, **more)
        return card(world, check)

    assert "3 successes against 3" in await asked("c1", **{"with": "toward: Boris"})
    await world.ana.slash(
        world.zone, "contest", target="Boris", skill="Seduction", approach="a smile"
    )
    panel = message_of(await world.press(world.ben, world.newest("Respond"), "Respond"))
    await world.choose(world.ben, panel, "Ability", "intellect")
    world.dice.lay(5, 5, *misses(4))
    await world.press(world.ben, panel, "Respond")
    assert card(world, "c2").startswith("## ✓ Marek wins"), card(world, "c2")
    assert "3 successes against 2" in await asked("c3", **{"with": "toward: Boris"})
    assert "3 successes against 3" in await asked("c4"), "somebody else is not"


@pytest.mark.rule("EGO-CHR-05")
@pytest.mark.parametrize(
    ("rolled", "number"),
    [({"attribute": "muscle"}, 2), ({"skill": "Climbing"}, 2), ({"skill": "Stealth"}, 1)],
)
async def test_a_gm_makes_it_harder_without_the_skill(
    world: World, rolled: dict[str, str], number: int
) -> None:
    """An ability by itself may stand for a skill that is not there."""
    await _table(world, live=False)
    await world.ana.slash(world.zone, "check", approach="up the wall", **rolled)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Easy")
    await world.choose(world.gina, panel, SHARED, "untrained")
    await world.press(world.gina, panel, "Call for a roll")
    text = card(world)
    assert f" dice against Easy ({number})" in text and ("untrained (+1)" in text) is (
        number == 2
    ), text
    # The table's setting is for skills alone.
    await world.gina.slash(world.zone, "gm settings", setting="untrained_plus_one", value="on")
    await world.gina.slash(world.zone, "gm settings", live=True, attacks_at_once=True)
    await world.ana.slash(world.zone, "check", approach="so", difficulty="Easy", **rolled)
    assert ("untrained (+1)" in card(world, "c2")) is (rolled.get("skill") == "Climbing")


@pytest.mark.rule("EGO-ADV-02")
async def test_bad_luck_is_not_offered_where_it_takes_nothing(world: World) -> None:
    await fight(world, step_in_minutes=60, boris={"disadvantages": ["Unlucky"]})
    for faces, offered in (((1,) * 7, False), ((5, *(1,) * 6), True)):
        world.dice.lay(*faces)
        await world.ben.slash(
            world.zone, "check", skill="Gun Combat", approach="a can", difficulty="Easy"
        )
        panel = message_of(await world.press(world.gina, world.newest("React"), "React"))
        assert ("Unlucky: −1 success, Boris" in labels(panel)) is offered, labels(panel)
