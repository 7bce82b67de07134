"""What a check of EGO costs and is rolled with, shown before the dice fall."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.ego.table import RIFLE, bring, misses, newest, open_table, sheet
from tests.discord.rounds import begin_confirmed, gather, next_turn
from tests.discord.world import (
    DAY,
    SHARED,
    World,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    texts,
)

LOCKPICK: dict[str, Any] = {
    "muscle": 7,
    "agility": 9,
    "intellect": 7,
    "vitality": 12,
    "karma": 0,
    "skills": [{"name": "Mechanical", "level": 2}, {"name": "Melee Combat", "level": 3}],
}
PICK = {"skill": "Mechanical", "approach": "the lock", "with": "seconds: 30"}


async def _round(world: World, **settings: Any) -> None:
    """Round 1 of Vesna, who has 3 Action Points, and Boris."""
    await world.setup(system="ego")
    await world.gina.slash(world.zone, "gm settings", **{"step_in_minutes": 0} | settings)
    await bring(world, world.ana, "Vesna", LOCKPICK)
    await bring(world, world.ben, "Boris", LOCKPICK | {"agility": 3})
    await gather(world)
    await next_turn(world, 6, 6, 6, 1)


async def _used(world: World, name: str = "Vesna") -> int:
    return (await sheet(world, name)).round.spent


@pytest.mark.rule("EGO-AP-02", "EGO-AP-04")
async def test_over_spending_is_told_before_the_roll(world: World) -> None:
    await _round(world)
    cost = "30 seconds cost 5 of 3 Action Points: −2 dice, and nothing else this round."
    given = {key: PICK[key] for key in ("skill", "with")}
    odds = message_of(await world.ana.slash(world.zone, "odds", difficulty="Moderate", **given))
    # Level 2 and 3 dice of Intellect, less 2: 3 dice for 2 successes.
    assert "26% against 2" in texts(odds) and cost in texts(odds), texts(odds)
    assert "−2: too few Action Points" in texts(odds)
    await world.ana.slash(world.zone, "check", **PICK)
    text = await newest(world)
    assert cost in text and "−2: too few Action Points: 3 dice" in text, text
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert cost in texts(panel)
    levels = {each["label"] for each in menu(panel, "Difficulty")["options"]}
    assert "Moderate: 2 successes · 26%" in levels, levels
    await world.choose(world.gina, panel, "Difficulty", "Moderate")
    assert "3 dice, 26% from the bare dice" in texts(panel), texts(panel)
    await world.press(world.gina, panel, "Call for a roll")
    text = await newest(world)
    assert text.startswith("## Vesna, roll 3 dice against Moderate (2)")
    assert cost in text and "3 dice, 26%" in text, text
    await world.restart()
    world.dice.lay(5, 5, 1)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    text = await newest(world)
    assert "Success, 2 successes against 2" in text and "3d6" in text, text
    assert "Vesna: Action Points 3 → 0" in text, text
    assert "It takes 30 seconds." in text and "cost" not in text
    await world.gina.slash(world.zone, "gm undo")
    assert await _used(world) == 0 and cost in await newest(world)


@pytest.mark.rule("EGO-AP-02")
async def test_the_panel_tells_the_cost_before_send(world: World) -> None:
    await _round(world)
    panel = message_of(await world.ana.slash(world.zone, "check"))
    dialog = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(dialog, {"approach": "the lock", "seconds": "30"})
    await world.choose(world.ana, panel, "Skill", "Mechanical")
    await world.choose(world.ana, panel, "Difficulty", "Moderate")
    text = texts(panel)
    assert "30 seconds cost 5 of 3 Action Points: −2 dice" in text and "26%" in text, text
    assert len((await world.state()).checks) == 1, "only the round's own"


@pytest.mark.rule("EGO-AP-02", "EGO-AP-04")
async def test_a_message_shows_the_current_cost_as_soon_as_it_is_edited(world: World) -> None:
    """Points that went elsewhere meanwhile change what a check that waits costs."""
    await _round(world)
    quick = {"skill": "Mechanical", "approach": "a wire"}
    for given, level in ((PICK, "Moderate"), (quick, "Easy")):
        await world.ana.slash(world.zone, "check", **given)
        panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
        await world.choose(world.gina, panel, "Difficulty", level)
        await world.press(world.gina, panel, "Call for a roll")
    number = (await world.state()).counters.check
    world.dice.lay(*misses(5))
    await world.press(world.ana, world.card(f"c{number}"), "Roll")
    late = "30 seconds cost 5 Action Points, and 2 are left this round."
    panel = message_of(await world.press(world.ana, world.card(f"c{number - 1}"), "React"))
    assert late in texts(panel), texts(panel)
    # The reminder edits the message.
    await world.env.advance_time(3 * DAY)
    assert late in texts(world.card(f"c{number - 1}"))
    told = refusal_of(await world.press(world.ana, world.card(f"c{number - 1}"), "Roll"))
    assert "That takes 5 Action Points; 2 left this round." in told


@pytest.mark.rule("EGO-AP-02")
async def test_nobody_loses_the_rest_of_a_round_unwarned(world: World) -> None:
    """In live play a named difficulty rolls at once, but not where over-spending takes dice."""
    await _round(world, live=True)
    await world.ana.slash(world.zone, "check", difficulty="Moderate", **PICK)
    text = await newest(world)
    assert text.startswith("## Vesna, roll 3 dice against Moderate") and await _used(world) == 0
    world.dice.lay(*misses(3))
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert await _used(world) == 5


@pytest.mark.rule("EGO-AP-01", "EGO-AP-04")
async def test_a_check_in_a_round_costs_a_point_unless_the_gm_says_free(world: World) -> None:
    await _round(world)
    quick = {"skill": "Mechanical", "approach": "a wire"}
    await world.ana.slash(world.zone, "check", **quick)
    assert "It costs 1 of 3 Action Points." in await newest(world)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Easy")
    await world.press(world.gina, panel, "Call for a roll")
    assert "It costs 1 of 3 Action Points." in await newest(world)
    world.dice.lay(*misses(5))
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "Vesna: Action Points 3 → 2" in await newest(world) and await _used(world) == 1
    await world.ana.slash(world.zone, "check", **quick)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Easy")
    assert "It costs 1 of 2 Action Points." in texts(panel)
    await world.choose(world.gina, panel, SHARED, "free")
    assert "It costs no Action Points." in texts(panel)
    await world.press(world.gina, panel, "Call for a roll")
    assert "It costs no Action Points." in await newest(world)
    world.dice.lay(*misses(5))
    await world.press(world.ana, world.newest("Roll"), "Roll")
    text = await newest(world)
    assert "It costs no Action Points." in text and "Action Points 2" not in text
    assert await _used(world) == 1


@pytest.mark.rule("EGO-AP-01", "EGO-AP-04")
async def test_without_points_left_only_the_gm_lets_it_happen(world: World) -> None:
    await _round(world, live=True)
    quick = {"skill": "Mechanical", "approach": "a wire", "as": "Boris"}
    world.dice.lay(*misses(5))
    await begin_confirmed(world, world.ben, "check", difficulty="Easy", **quick)
    assert await _used(world, "Boris") == 1, "all there was"
    told = refusal_of(await world.ben.slash(world.zone, "check", difficulty="Easy", **quick))
    assert "That takes 1 Action Point; 0 left this round." in told
    assert "The GM can waive the cost: propose it without `difficulty`." in told
    odds = private(await world.ben.slash(world.zone, "odds", difficulty="Easy", skill="Mechanical"))
    assert "It costs 1 Action Point, and none is left this round." in odds and "87%" in odds
    await begin_confirmed(world, world.ben, "check", **quick)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Easy")
    assert "To waive the cost, choose “It costs no Action Points”." in texts(panel), texts(panel)
    await world.choose(world.gina, panel, SHARED, "free")
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(*misses(5))
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert await _used(world, "Boris") == 1


@pytest.mark.rule("EGO-DIE-01")
async def test_a_hidden_difficulty_has_no_chance_on_the_message(world: World) -> None:
    await _round(world)
    await world.ana.slash(world.zone, "check", skill="Mechanical", approach="a wire")
    await world.rule(level="Hard", hidden=True)
    text = await newest(world)
    assert "roll 5 dice against a hidden difficulty" in text and ": 5 dice" in text
    assert "%" not in text, text


async def test_outside_rounds_nothing_costs_points(world: World) -> None:
    await world.setup(system="ego")
    await world.gina.slash(world.zone, "gm settings", step_in_minutes=0)
    await bring(world, world.ana, "Vesna", LOCKPICK)
    await world.ana.slash(world.zone, "check", skill="Mechanical", approach="a wire")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "Action Point" not in texts(panel) and "free" not in str(menu(panel, SHARED))
    assert "Call for a roll" in labels(panel)


@pytest.mark.rule("EGO-RNG-01", "EGO-RNG-05", "EGO-AP-03")
async def test_a_proposed_attack_names_all_that_was_chosen_and_what_it_is_rolled_with(
    world: World,
) -> None:
    await open_table(world, live=False)
    await gather(world)
    await next_turn(world, *misses(8))
    pool = "Pool: Gun Combat 3, Agility 4 and −1: burst: 6 dice"
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    await world.choose(world.ana, panel, "Target", "k3")
    await world.choose(world.ana, panel, "Weapon", RIFLE)
    await world.choose(world.ana, panel, "Range", "medium")
    await world.choose(world.ana, panel, "Burst, full auto", "burst")
    assert "65% from the bare dice" in texts(panel).replace("**", ""), "all on the first page"
    assert "More… (1 of 2)" in labels(panel)
    await world.press(world.ana, panel, "More…")
    assert "More… (2 of 2)" in labels(panel)
    await world.choose(world.ana, panel, SHARED, "cover")
    text = texts(panel).replace("**", "")
    # 6 dice for 2 successes of medium range and 2 of cover.
    assert f"{pool}, 10% from the bare dice" in text, text
    assert "Difficulty: 4 (medium range)" in text
    assert "Drawing it and the attack cost 2 of 4 Action Points." in text
    await world.press(world.ana, panel, "Send")
    answer = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    for shown in (await newest(world), texts(answer)):
        shown = shown.replace("**", "")
        assert "Assault rifle (6 dice, drawn first) and burst" in shown and pool in shown, shown
        assert "Difficulty: 4 (medium range)" in shown and "behind cover (+2)" in shown
    await world.choose(world.gina, answer, SHARED)
    assert "91%" not in texts(answer) and "65% from the bare dice" in texts(answer)
    world.dice.lay(5, 5, *misses(4), *misses(6))
    await world.press(world.gina, answer, "Call for a roll")
    text = await newest(world)
    assert "Hit" in text and "from the bare dice" not in text and "Drawing" not in text, text


@pytest.mark.rule("EGO-ATK-01", "EGO-AP-02")
async def test_the_panel_of_an_attack_in_live_play_tells_the_pool_too(world: World) -> None:
    await open_table(world)
    await gather(world)
    await next_turn(world, *misses(8))
    panel = message_of(await world.ana.slash(world.zone, "attack"))
    await world.choose(world.ana, panel, "Target", "k3")
    await world.choose(world.ana, panel, "Weapon", "kick")
    text = texts(panel).replace("**", "")
    assert "Roll" in labels(panel) and "Kick (6 dice)" in text
    assert "Pool: Hand-to-hand Combat 2 and Agility 4: 6 dice" in text, text
    assert "It costs 2 of 4 Action Points." in text and "%" not in text


async def test_what_was_chosen_is_named_also_where_nothing_is_known_of_the_pool(
    world: World,
) -> None:
    await open_table(world, live=False)
    shot = {"weapon": RIFLE, "with": "burst, karma: 2, karma damage: 0, skill: Gun Combat"}
    await world.ana.slash(world.zone, "attack", target="Orc", **shot)
    text = await newest(world)
    assert "burst" in text and "2 dice from Karma" in text and "with Gun Combat" in text, text
    answer = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "How far away is the target?" in texts(answer), "said before it is pressed"
    await world.choose(world.gina, answer, "Range", "short")
    assert "from the bare dice" in texts(answer)


@pytest.mark.rule("EGO-AP-02", "EGO-AP-03")
async def test_the_odds_of_an_attack_count_over_spending(world: World) -> None:
    """A kick costs 2 Action Points, and Boris has 1: 5 dice of Agility and skill, less 1."""
    slow = {"agility": 3, "skills": [{"name": "Hand-to-hand Combat", "level": 4}]}
    await open_table(world, boris=slow | {"specialties": []})
    kick = {"weapon": "kick", "defense": 0}
    free = private(await world.ben.slash(world.zone, "ego odds", **kick))
    assert "**To hit:** 87%" in free and "Action Point" not in free, free
    await gather(world)
    await next_turn(world, *misses(5))
    text = private(await world.ben.slash(world.zone, "ego odds", **kick))
    assert "**To hit:** 80%" in text, text
    assert "It costs 2 of 1 Action Point: −1 die, and nothing else this round." in text


@pytest.mark.rule("EGO-AP-02", "EGO-AP-03")
async def test_two_actions_cannot_over_spend_and_the_odds_say_so(world: World) -> None:
    """Only a single action over-spends: Boris, who has 1 point, can't draw and strike."""
    undrawn = {"agility": 3, "specialties": [], "arms": [{"name": "Sword, Long"}]}
    await open_table(world, boris=undrawn)
    await gather(world)
    await next_turn(world, *misses(5))
    sword = {"weapon": "Sword, Long"}
    text = private(await world.ben.slash(world.zone, "ego odds", defense=0, **sword))
    assert "Drawing it and the attack cost 2 Action Points, and 1 is left this round." in text
    assert "nothing else this round" not in text, text
    told = refusal_of(await begin_confirmed(world, world.ben, "attack", target="Vesna", **sword))
    assert "That takes 2 Action Points; 1 left this round" in told, told
    panel = message_of(await world.ben.slash(world.zone, "attack"))
    await world.choose(world.ben, panel, "Target", "k1")
    await world.choose(world.ben, panel, "Weapon", "Sword, Long")
    assert "nothing else this round" not in texts(panel), texts(panel)


@pytest.mark.rule("EGO-AP-04", "EGO-EFF-03")
async def test_treatment_in_a_round_tells_its_cost_before_and_after(world: World) -> None:
    await open_table(world)
    await world.gina.slash(
        world.zone, "gm adjust", character="Boris", what="non_lethal", value="24"
    )
    await gather(world)
    await next_turn(world, *misses(8))
    panel = message_of(await world.ana.slash(world.zone, "heal", method="treat"))
    await world.choose(world.ana, panel, "Target", "k2")
    assert "It costs 1 of 4 Action Points." in texts(panel), texts(panel)
    world.dice.lay(5, 5, *misses(2))
    await world.press(world.ana, panel, "Roll")
    text = await newest(world)
    assert "Vesna: Action Points 4 → 3" in text and "It costs" not in text, text
    assert (await sheet(world, "Vesna")).round.spent == 1
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).round.spent == 0


@pytest.mark.rule("EGO-AP-01", "EGO-AP-02", "EGO-AP-04")
@pytest.mark.parametrize("seconds", ["", "seconds: 40"])
async def test_points_spent_elsewhere_end_no_round_in_a_dead_end(
    world: World, seconds: str
) -> None:
    """Two checks are answered, and the points are enough for one of them."""
    await open_table(world, live=False, boris={"agility": 3})
    await gather(world)
    await next_turn(world, *misses(5))
    for how in ({}, {"with": seconds} if seconds else {}):
        await begin_confirmed(
            world, world.ben, "check", skill="Melee Combat", approach="the lock", **how
        )
        await world.rule(level="Easy")
    world.dice.lay(*misses(4))
    await world.press(world.ben, world.card("c2"), "Roll")
    answer = (await world.press(world.ben, world.card("c3"), "Roll")).response
    told = texts(answer)
    assert f"That takes {6 if seconds else 1} Action Point" in told and "0 left" in told, told
    assert "Withdraw it, or ask the GM to waive the cost: React" in told, told
    panel = message_of(await world.press(world.ben, answer, "Open c3"))
    assert "and none is left this round." in texts(panel) and "Withdraw" in labels(panel)
    if seconds:
        await world.press(world.ben, panel, "Withdraw")
        assert not (await world.state()).checks["c3"].is_open
        return
    panel = message_of(await world.press(world.gina, world.card("c3"), "React"))
    await world.press(world.gina, panel, "Call for a roll…")
    await world.choose(world.gina, panel, SHARED, "free")
    await world.press(world.gina, panel, "Call for a roll")
    assert "It costs no Action Points." in texts(world.card("c3"))
    world.dice.lay(*misses(4))
    await world.press(world.ben, world.card("c3"), "Roll")
    assert await _used(world, "Boris") == 1
