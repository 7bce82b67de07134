"""Talk and feints through Discord: circumstances, how the target resists, points, effects until
they are used.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.masterbook.table import bring, newest, open_table, sheet
from tests.discord.world import World, message_of, private, refusal_of, texts

TALKER: dict[str, Any] = {
    "charisma": 11,
    "mind": 10,
    "skills": [
        {"name": "Charm", "adds": 2},
        {"name": "Interrogation", "adds": 1},
        {"name": "Con", "adds": 1},
        {"name": "Hypnotism", "adds": 2},
        {"name": "Acrobatics", "adds": 3},
    ],
}


async def _talks(world: World) -> None:
    """Ana plays Nora, who talks."""
    await bring(world, world.ana, "Nora", TALKER)


async def _fight(world: World) -> None:
    """Vesna and Boris in the first round of a fight, Vesna first."""
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    world.dice.lay(9, 8, 5, 4)
    await world.gina.slash(world.zone, "initiative next")


async def _interacts(world: World, who: Any, **said_: Any) -> Any:
    return await who.slash(world.zone, "mb interact", **{"approach": "so", **said_})


async def _holds(world: World, who: Any) -> None:
    """Who is asked holds their value against it."""
    panel = message_of(await world.press(who, world.newest("Defend"), "Defend"))
    await world.press(who, panel, "Pass")


async def _marks(world: World, name: str) -> set[str]:
    state = await world.state()
    who = next(each.id for each in state.characters.values() if each.name == name)
    found = state.own.get(f"marks:{who}")
    return set() if found is None else {each.key for each in found.given}


async def test_what_takes_rounds_says_how_they_begin(world: World) -> None:
    await open_table(world)
    told = refusal_of(await _interacts(world, world.ana, target="Boris", skill="Taunt"))
    assert "Taunt doesn't work outside rounds. The GM begins them with `/initiative start`." in told


@pytest.mark.rule(
    "MB-INT-01", "MB-INT-04", "MB-INT-11", "MB-DIE-05", "MB-SKILL-TAUNT", "MB-SKILL-WILLPOWER"
)
async def test_a_taunt_leaves_somebody_stymied_until_that_is_used_up(world: World) -> None:
    await open_table(world)
    await _fight(world)
    world.dice.lay(6, 6)
    await _interacts(world, world.ana, skill="Taunt", target="Boris", approach="his hat")
    await _holds(world, world.ben)
    text = await newest(world)
    assert text.startswith("## ✓ Success, solid: 10 against 9"), text
    assert "Boris is stymied: one extra die fewer on the next action." in text
    assert "stymied" in await _marks(world, "Boris")
    await world.gina.slash(world.zone, "gm undo")
    assert await _marks(world, "Boris") <= {"acted"}
    world.dice.lay(6, 6)
    await _holds(world, world.ben)
    await world.restart()
    world.dice.lay(10, 3)
    await world.ben.slash(
        world.zone, "check", skill="Dodge", difficulty="Average", approach="aside"
    )
    text = await newest(world)
    assert "2d10 (**10**, 3)" in text, text
    assert await _marks(world, "Boris") <= {"acted", "sets", "tried-taunt"}


@pytest.mark.rule("MB-INT-01", "MB-CMB-03", "MB-DIE-07", "MB-SKILL-INT-01")
async def test_who_is_taunted_resists_with_an_action(world: World) -> None:
    await open_table(world)
    await _fight(world)
    world.dice.lay(9, 4, 1, 1)
    said_ = {"with": "rows: tried before, rows: appropriate 2"}
    await _interacts(world, world.ana, skill="Taunt", target="Boris", **said_)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    await world.press(
        world.ben, panel, "Resist actively: roll Willpower, at least +3 (uses your action)"
    )
    text = await newest(world)
    assert text.startswith("## ✗ Failure, 10 against 12"), text
    assert "tried before (−3)" in text and "it fits the target well (+2)" in text
    wrong = {"skill": "Taunt", "target": "Boris"}
    answer = refusal_of(
        await _interacts(world, world.ana, **wrong, **{"with": "rows: appropriate 5"})
    )
    assert "takes a number from +1 to +3" in answer
    answer = refusal_of(await _interacts(world, world.ana, **wrong, **{"with": "rows: hostile 5"}))
    assert "isn't on this skill's charts" in answer and "“element of truth”" in answer
    assert "doesn't work on people" in refusal_of(
        await _interacts(world, world.ana, skill="Dodge", target="Boris")
    )


@pytest.mark.rule("MB-LP-04", "MB-INT-04", "MB-SKILL-TRICK")
async def test_a_trick_to_a_players_call_and_a_life_point_against_it(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    await _fight(world)
    world.dice.lay(10, 7)
    await _interacts(
        world, world.ana, skill="Trick", target="Boris", approach="look behind you, he jumps"
    )
    await _holds(world, world.ben)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    await world.press(world.ana, panel, "Spend a Life Point: 2 more dice (5 left)")
    world.dice.lay(10, 10, 10, 10, 10, 9, 9, 9)
    await world.press(world.ben, world.newest("Pass"), "Pass")
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    assert "has no effect" not in await newest(world), "nobody knows yet what Boris does about it"
    await world.restart()
    await world.press(
        world.ben,
        panel,
        "Spend a Life Point: player's call → up and setback",
    )
    text = await newest(world)
    assert (await sheet(world, "Boris")).life_points == 4
    assert "Boris spends a Life Point: up and setback instead." in text, text
    assert "set back: loses the next action" in text
    assert (await _marks(world, "Boris"), await _marks(world, "Vesna") - {"acted"}) == (
        {"setback", "tried-trick"},
        {"up"},
    )
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).life_points == 5
    await world.press(world.ben, world.newest("Pass"), "Pass")
    assert "Boris has to let it happen: player's call" in await newest(world)


@pytest.mark.rule("MB-INT-07", "MB-INT-08", "MB-SKILL-CHARM", "MB-SKILL-PERSUASION", "MB-CMB-04")
async def test_charm_by_an_attitude_that_only_the_gm_knows(world: World) -> None:
    await open_table(world, live=False)
    await _talks(world)
    await _interacts(world, world.ana, skill="Charm", target="Thug", **{"as": "Nora"})
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "hostile (+7)" in texts(panel)
    await world.choose(world.gina, panel, "All the rest", "rows: hostile 5")
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(8, 8)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    text = await newest(world)
    assert text.startswith("## ✓ Success"), text
    assert "against a hidden difficulty" in text
    assert "hostile" not in world.told(world.ana)


async def _live(world: World, dice: tuple[int, ...], **said_: Any) -> str:
    """The GM's Thug is talked to in live play: the GM answers as it is, where one is asked."""
    world.dice.lay(*dice)
    await _interacts(world, world.gina, target="Vesna", **{"as": "Nora"} | said_)
    await _holds(world, world.ana)
    return await newest(world)


@pytest.mark.rule("MB-INT-09", "MB-INT-10", "MB-SKILL-INTERROGATION", "MB-SKILL-HYPNOTISM")
async def test_interrogation_and_a_trance(world: World) -> None:
    await open_table(world)
    await bring(world, world.gina, "Nora", TALKER, npc=True)
    questions = {"with": "rows: superior, rows: die first 9"}
    text = await _live(world, (10, 10, 10, 5), skill="Interrogation", **questions)
    assert text.startswith("## ✓ Success"), text
    text = await _live(world, (10, 9), skill="Hypnotism")
    assert "Vesna is in a trance." in text, text
    assert "trance" in await _marks(world, "Vesna")
    await world.restart()
    await _interacts(
        world, world.gina, skill="Hypnotism", target="Boris", **{"as": "Nora", "with": "willing"}
    )
    assert "Defend" not in await newest(world), "who goes along with it resists nothing"


@pytest.mark.rule("MB-INT-02", "MB-INT-06", "MB-SKILL-CON", "MB-SUC-03")
async def test_a_con_on_its_column_and_no_better_than_the_skill(world: World) -> None:
    await open_table(world, rules={"con_column": "general", "interactive_cap": "on"})
    await bring(world, world.gina, "Nora", TALKER, npc=True)
    text = await _live(world, (10, 10, 10, 10, 10, 10, 10, 10, 9, 9), skill="Con")
    assert "good" not in text and "stymied" not in text, text
    await world.gina.slash(world.zone, "gm settings", setting="con_column", value="taunt_trick")
    text = await _live(world, (8, 8), skill="Con")
    assert "Vesna is stymied" in text and "tried before" not in world.told(world.ana), text


@pytest.mark.rule("MB-INT-05", "MB-INT-11", "MB-SKILL-MANEUVER", "MB-SKILL-ACROBATICS", "MB-EQ-31")
async def test_a_maneuver_wears_somebody_out(world: World) -> None:
    await open_table(world)
    assert "Who do you face?" in refusal_of(await _interacts(world, world.ana, skill="Maneuver"))
    assert "doesn't work" in refusal_of(
        await _interacts(world, world.ana, skill="Maneuver", target="Boris")
    )
    await _fight(world)
    for words in ("surprise: partial", "willing"):  # neither is whoever acts to say
        told = await _interacts(
            world, world.ana, skill="Maneuver", target="Boris", **{"with": words}
        )
        assert "Only the GM" in refusal_of(told), texts(message_of(told))
    world.dice.lay(4, 4)  # Intellect 8 and −1 against 9: missed by 2
    private(await world.gina.slash(world.zone, "mb surprise", target="Boris", total=9))
    world.dice.lay(9, 4)
    await _interacts(world, world.ana, skill="Maneuver", target="Boris")
    await _holds(world, world.ben)
    text = await newest(world)
    assert text.startswith("## ✓ Success, solid: 13 against 9"), text
    assert "partial surprise (+2)" in text and "Boris takes 2 shock." in text
    assert (await sheet(world, "Boris")).harm.shock == 2
    assert "Taunt doesn't work" not in text


async def test_odds_do_not_tell_players_how_well_an_npc_resists(world: World) -> None:
    await open_table(world, gm_channel=True, live=False)
    await _interacts(world, world.ana, skill="Charm", target="Thug")
    panel = message_of(
        await world.press(world.gina, world.newest("Answer", world.gm_room), "Answer")
    )
    await world.press(world.gina, panel, "Call for a roll")
    assert "keeps this difficulty hidden" in refusal_of(
        await world.ana.slash(world.zone, "odds", check="c1")
    )
    assert "against 8" in private(await world.gina.slash(world.zone, "odds", check="c1"))


@pytest.mark.rule("MB-DN-04", "MB-SUC-03")
async def test_odds_say_results_in_words(world: World) -> None:
    await open_table(world, gm_channel=True, live=False, life_points=5)
    await world.gina.slash(world.zone, "table plain", on=True)
    await _interacts(world, world.ana, skill="Con", target="Thug")
    panel = message_of(
        await world.press(world.gina, world.newest("Answer", world.gm_room), "Answer")
    )
    await world.press(world.gina, panel, "Call for a roll")
    odds = private(await world.gina.slash(world.zone, "odds", check="c1"))
    assert "Up and setback 2.3%, Player's call under 0.1%" in odds, odds


@pytest.mark.rule("MB-LP-04")
async def test_a_result_lowered_to_no_effect_reads_so_for_everybody(world: World) -> None:
    await open_table(world, gm_channel=True, live=False, step_in_minutes=10)
    await _talks(world)
    await world.gina.slash(world.zone, "orders npc", npc="Thug", ask=True)
    # Confidence 8 resists; Charm 13 and −5: minimal.
    await _interacts(world, world.ana, skill="Charm", target="Thug", **{"as": "Nora"})
    panel = message_of(
        await world.press(world.gina, world.newest("Answer", world.gm_room), "Answer")
    )
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(4, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    panel = message_of(
        await world.press(world.gina, world.newest("Defend", world.gm_room), "Defend")
    )
    await world.press(world.gina, panel, "Pass")
    await world.press(world.ana, world.newest("Accept result"), "Accept result")
    panel = message_of(await world.press(world.gina, world.newest("React", world.gm_room), "React"))
    lower = "Spend a Life Point: minimal → no effect"
    private(await world.press(world.gina, panel, lower))
    text = await newest(world)
    assert text.startswith("## ✗ No effect, 8 against a hidden difficulty"), text
    assert "Life Point" not in text, text
    secret = texts(world.last(world.gm_room))
    assert secret.startswith("## ✗ No effect, 8 against 8"), secret
    assert "Thug spends a Life Point: no effect instead." in secret
    await world.gina.slash(world.zone, "gm undo")
    assert (await newest(world)).startswith("## Waiting for the GM"), await newest(world)
    assert (await sheet(world, "Thug")).life_points == 1


async def test_the_gm_channel_gets_the_final_verdict(world: World) -> None:
    await open_table(world, gm_channel=True, live=False, step_in_minutes=10)
    await bring(world, world.ana, "Nora", TALKER)
    await world.gina.slash(world.zone, "orders npc", npc="Thug", ask=True)
    talk: dict[str, Any] = {"skill": "Charm", "target": "Thug", "approach": "x", "as": "Nora"}
    await world.ana.slash(world.zone, "mb interact", **talk)
    for opens, answer in (("Answer", "Call for a roll"), ("Defend", "Pass"), ("React", "Pass")):
        panel = message_of(await world.press(world.gina, world.newest(opens, world.gm_room), opens))
        await world.press(world.gina, panel, answer)
        if opens == "Answer":
            world.dice.lay(4, 2)
            await world.press(world.ana, world.newest("Roll"), "Roll")
        elif opens == "Defend":
            await world.press(world.ana, world.newest("Accept result"), "Accept result")
    text = texts(world.last(world.gm_room))
    assert "Success, minimal: 8 against 8" in text and "Final" in text, text
