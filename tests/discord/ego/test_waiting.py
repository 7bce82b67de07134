"""Who is waited for in EGO at a table that waits for nobody without need."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ego.character.combat_values import points_of
from rules.systems.ego.checks.rounds import plan_of
from tests.discord.ego.table import SWORD, attack, bring, misses, newest, open_table, sheet
from tests.discord.rounds import acts, gather, next_turn
from tests.discord.world import World, card, labels, message_of, private, public, refusal_of, texts

HOUR = 3600
HACK: dict[str, Any] = {"weapon": SWORD, "approach": "so"}
KICK: dict[str, Any] = {"weapon": "kick", "approach": "at the knee"}
#: A kick that hits leaves no Vitality.
FRAIL: dict[str, Any] = {"armour": None, "muscle": 9, "vitality": 14}


@pytest.fixture
def patience() -> bool:
    return False


async def _post(world: World, **settings: Any) -> None:
    """By post: the GM answers first, and everybody has a day."""
    await open_table(world, live=False, step_in_minutes=60 * 24, **settings)


def _new(world: World, before: list[int]) -> str:
    """What was posted since."""
    return "\n".join(texts(each) for each in world.messages() if each.id not in before)


def _known(world: World) -> list[int]:
    return [each.id for each in world.messages()]


# --- rounds ---------------------------------------------------------------------------------------


@pytest.mark.rule("EGO-CMB-01", "EGO-KAR-04")
@pytest.mark.parametrize("live", [True, False])
async def test_a_round_begins_at_once_in_one_visit(world: World, live: bool) -> None:
    await open_table(world, live=live, step_in_minutes=60)
    await gather(world)
    told = await next_turn(world, 2, *misses(7))
    assert "Vesna, you're up" in told and "Spend Karma" not in told
    assert not list((await world.state()).open_checks)
    assert await acts(world) == "Vesna"


@pytest.mark.rule("EGO-KAR-04", "EGO-KAR-02")
async def test_karma_is_planned_from_the_board_looked_at_and_taken_back(world: World) -> None:
    await _post(world)
    await gather(world)
    board = world.newest("Plan Karma")
    panel = message_of(await world.press(world.ana, board, "Plan Karma"))
    assert "Plan Karma for Vesna" in texts(panel) and "Take plan back" not in labels(panel)
    await world.choose(world.ana, panel, "Action Points", "2")
    await world.choose(world.ana, panel, "Dice for initiative", "1")
    await world.press(world.ana, panel, "Plan 3 Karma")
    assert "2 more Action Points, 1 more die for initiative" in world.told(world.ana)
    assert "more Action Points" not in world.told(world.ben)
    assert (await sheet(world, "Vesna")).karma == 5
    await world.restart()
    panel = message_of(await world.press(world.ana, board, "Plan Karma"))
    assert "Planned for the next round: 2 more Action Points" in texts(panel)
    assert "2 more Action Points" in private(await world.ana.slash(world.zone, "moves"))
    await world.press(world.ana, panel, "Take plan back")
    assert plan_of(await world.state(), "k1") is None
    await world.gina.slash(world.zone, "gm undo")
    assert plan_of(await world.state(), "k1") is not None
    told = await next_turn(world, 2, 1, 1, 1, 1, *misses(4))
    vesna = await sheet(world, "Vesna")
    assert (vesna.karma, points_of(vesna).all) == (2, 6)
    assert "2 more Action Points, 1 more die for initiative" in told, told
    # Taken back, the round is to begin again, and so is the plan.
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Vesna")).karma == 5
    assert plan_of(await world.state(), "k1") is not None
    await next_turn(world, 2, 1, 1, 1, 1, *misses(4))
    assert (await sheet(world, "Vesna")).karma == 2


@pytest.mark.rule("EGO-KAR-04")
async def test_karma_is_planned_by_command_and_from_the_answer_to_join(world: World) -> None:
    await open_table(world, step_in_minutes=5)
    await world.gina.slash(world.zone, "initiative start")
    joined = await world.ana.slash(world.zone, "initiative join")
    assert "Plan Karma" in labels(joined.response)
    told = private(await world.ana.slash(world.zone, "ego karma plan", points=2))
    assert "2 more Action Points" in told and "Nothing is spent until then" in told
    assert "You need 9 Karma, but have 5" in refusal_of(
        await world.ana.slash(world.zone, "ego karma plan", points=9)
    )
    panel = message_of(await world.ana.slash(world.zone, "ego karma plan"))
    assert "Take plan back" in labels(panel)
    private(await world.ana.slash(world.zone, "ego karma plan", back=True))
    await world.gina.slash(world.zone, "gm undo")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative end")
    assert plan_of(await world.state(), "k1") is None, "it was for that fight"
    assert (await sheet(world, "Vesna")).karma == 5


@pytest.mark.rule("EGO-KAR-04")
async def test_points_are_bought_until_the_first_act(world: World) -> None:
    await open_table(world, step_in_minutes=5)
    await gather(world)
    await next_turn(world, 2, *misses(7))
    told = public(await world.ana.slash(world.zone, "ego karma now", points=1))
    assert "1 more Action Point for Karma 5 → 4: 5 of 5 Action Points" in told.replace("**", "")
    panel = message_of(
        await world.press(world.ben, world.newest("Buy Action Points"), "Buy Action Points")
    )
    await world.restart()
    await world.choose(world.ben, panel, "Action Points", "3")
    await world.press(world.ben, panel, "Buy 3 Action Points")
    assert points_of(await sheet(world, "Boris")).all == 7
    assert "can still buy Action Points" in private(await world.ben.slash(world.zone, "moves"))
    await world.gina.slash(world.zone, "gm undo")
    assert (await sheet(world, "Boris")).karma == 5
    await attack(world, world.ana, "Orc", *misses(2), *misses(9), **HACK)
    late = refusal_of(await world.ana.slash(world.zone, "ego karma now", points=1))
    assert "Vesna has acted in this round" in late
    assert "can still buy" not in private(await world.ana.slash(world.zone, "moves"))


@pytest.mark.rule("EGO-KAR-04")
async def test_who_asked_for_it_is_called_as_a_round_begins(world: World) -> None:
    """Ben is waited for. Whether Ana has planned something shows nowhere before."""
    await _post(world)
    await gather(world)
    await world.ben.slash(world.zone, "orders ask", rounds=True)
    private(await world.ana.slash(world.zone, "ego karma plan", points=2))
    told = await next_turn(world)
    assert f"<@{world.ben.id}>" in told and f"<@{world.ana.id}>" not in told
    asked = "Boris, a round begins. Spend Karma, or pass"
    assert asked in told and "Vesna" not in told.partition("spend Karma")[0][-40:]
    world.dice.lay(2, *misses(7))
    await world.press(world.ben, world.newest("Pass"), "Pass")
    assert world.dice.left == 0
    vesna = await sheet(world, "Vesna")
    assert (vesna.karma, points_of(vesna).all) == (3, 6)


async def test_a_table_that_waits_for_everybody_asks_instead(world: World) -> None:
    await open_table(world, step_in_minutes=5)
    await world.gina.slash(world.zone, "gm settings", setting="wait for everybody", value="on")
    await gather(world)
    assert "Plan Karma" not in labels(world.newest("Join"))
    await next_turn(world)
    assert "Vesna and Boris, a round begins. Spend Karma, or pass" in card(world)
    why = refusal_of(await world.ana.slash(world.zone, "ego karma plan", points=1))
    assert "asks everybody for Karma" in why


@pytest.mark.rule("EGO-AP-01")
async def test_whoever_has_spent_all_points_is_not_called_again(world: World) -> None:
    await open_table(world, boris={"agility": 3, "karma": 0}, step_in_minutes=5)
    await gather(world)
    await next_turn(world, 6, 6, 6, 6, 1)
    await world.ana.slash(world.zone, "attack", target="Boris", **HACK)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(*misses(13))
    await world.press(world.ben, panel, "Block or dodge")
    await world.press(world.ana, world.card(), "Accept result")
    told = await next_turn(world)
    assert "Boris, you're up" not in told and "Round 2" in told, told


# --- attacks --------------------------------------------------------------------------------------


@pytest.mark.rule("EGO-CMB-01", "EGO-KAR-03")
async def test_a_sword_that_misses_stands_at_once_at_the_table(world: World) -> None:
    await open_table(world, step_in_minutes=5)
    await gather(world, "Orc")
    await next_turn(world, 2, *misses(9))
    text = await attack(world, world.ana, "Orc", *misses(2), *misses(9), **HACK)
    assert text.startswith("## ✗ Miss") and "Final" in text
    assert not list((await world.state()).open_checks)


@pytest.mark.rule("EGO-CMB-01", "EGO-KAR-03")
async def test_by_post_the_attacker_is_called_to_a_miss_and_not_to_a_hit(world: World) -> None:
    await _post(world)
    await world.ana.slash(world.zone, "attack", target="Orc", **HACK)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    before = _known(world)
    world.dice.lay(*misses(2), *misses(9))
    await world.press(world.gina, panel, "Call for a roll")
    assert world.dice.left == 0
    assert "Miss so far" in await newest(world)
    assert f"<@{world.ana.id}>" in _new(world, before), "they have Karma, and somebody rolled"
    await world.press(world.ana, world.card(), "Accept result")
    assert "Final" in await newest(world)
    await world.ana.slash(world.zone, "attack", target="Orc", **HACK)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(*misses(2), 5, *misses(8), *misses(6))
    await world.press(world.gina, panel, "Call for a roll")
    assert "Final" in await newest(world), "a hit is what they want"


@pytest.mark.rule("EGO-KAR-03", "EGO-RNG-05")
async def test_nobody_without_means_is_asked_about_a_miss(world: World) -> None:
    await _post(world, boris={"karma": 0})
    await world.ben.slash(world.zone, "attack", target="Orc", **HACK)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(*misses(2), *misses(9))
    await world.press(world.gina, panel, "Call for a roll")
    assert (await newest(world)).startswith("## ✗ Miss") and "Final" in await newest(world)


@pytest.mark.rule("EGO-DEF-02", "EGO-KAR-03")
@pytest.mark.parametrize("live", [True, False])
async def test_whoever_an_orc_hits_decides_last_and_a_miss_needs_no_accepting(
    world: World, live: bool
) -> None:
    await open_table(world, live=live, step_in_minutes=5)
    await world.gina.slash(world.zone, "attack", target="Vesna", **{"as": "Orc", "approach": "so"})
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    world.dice.lay(*misses(7), *misses(7))
    await world.press(world.ana, panel, "Parry")
    assert "Final" in await newest(world) and "Miss" in await newest(world)
    await world.gina.slash(world.zone, "attack", target="Vesna", **{"as": "Orc", "approach": "so"})
    panel = message_of(await world.press(world.ana, world.newest("Defend"), "Defend"))
    before = _known(world)
    world.dice.lay(*misses(9), 5, 5, *misses(3))
    await world.press(world.ana, panel, "Parry")
    text = await newest(world)
    assert "so far" in text.splitlines()[0] and "Hit" in text, text
    assert f"<@{world.ana.id}>" not in _new(world, before), "their own press shows it"
    await world.restart()
    world.dice.lay(*(4,) * 4)
    await world.press(world.ana, world.card(), "Accept result")
    assert "Final" in await newest(world)


@pytest.mark.rule("EGO-FX-04")
async def test_a_power_used_against_somebody_is_an_attack(world: World) -> None:
    """It goes at once where attacks do, by post too."""
    await open_table(world, live=False, attacks_at_once=True, step_in_minutes=60)
    hero: dict[str, Any] = {"muscle": 8, "agility": 8, "vitality": 8}
    hero |= {"powers": [{"name": "Energy Blast", "rating": 3}]}
    await bring(
        world, world.gina, "Nova", {"muscle": 8, "agility": 8, "vitality": 8} | hero, npc=True
    )
    await world.gina.slash(world.zone, "character give", character="Nova", to=world.ana)
    world.dice.lay(5, 5, 1, *misses(3))
    use = {"effect": "Energy Blast", "range": "short", "target": "Orc", "as": "Nova"}
    await world.ana.slash(world.zone, "ego use", **use)
    assert world.dice.left == 0
    assert "Hit" in await newest(world)


# --- trials ---------------------------------------------------------------------------------------


@pytest.mark.rule("EGO-IMP-01", "EGO-KAR-02")
async def test_a_trial_calls_whoever_has_karma_and_says_what_is_at_stake(world: World) -> None:
    await open_table(world, boris=FRAIL, step_in_minutes=5, answer_hours=2)
    await world.ana.slash(world.zone, "attack", target="Boris", **KICK)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(*misses(4), 5, *misses(5))
    await world.press(world.ben, panel, "Pass")
    assert "so far" in (await newest(world)).splitlines()[0], "Boris is hit"
    before = _known(world)
    world.dice.lay(*(6,) * 5)
    await world.env.advance_time(2 * HOUR + 1)
    assert world.dice.left == 0
    called = _new(world, before)
    assert f"<@{world.ben.id}>" in called
    assert "Boris, spend Karma: a failed roll means passing out" in called
    panel = message_of(await world.press(world.ben, world.newest("Spend Karma"), "Spend Karma"))
    world.dice.lay(5, 5, 5, *misses(3))
    await world.press(world.ben, panel, "+1 die for 1 Karma: 6 dice (4 left)")
    assert world.dice.left == 0
    assert "Boris stays conscious" in await newest(world) and "Final" in await newest(world)


@pytest.mark.rule("EGO-IMP-01", "EGO-KAR-02")
async def test_a_trial_waits_for_nobody_without_karma(world: World) -> None:
    await open_table(world, boris={**FRAIL, "karma": 0}, step_in_minutes=5)
    await world.ana.slash(world.zone, "attack", target="Boris", **KICK)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    world.dice.lay(*misses(4), 5, *misses(5), *(6,) * 5, *misses(5))
    await world.press(world.ben, panel, "Pass")
    assert world.dice.left == 0
    assert "passes out" in await newest(world) and "Final" in await newest(world)


async def test_a_turn_stands_while_its_check_waits_for_the_gm(world: World) -> None:
    """The GM's silence takes no time of the player's turn, and nobody is reminded for it."""
    await open_table(world, live=False)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative add", name="Orc")
    await next_turn(world, *(6,) * 3, 1, 1)
    assert await acts(world) == "Vesna"
    await world.env.advance_time(10 * HOUR)
    await world.ana.slash(world.zone, "attack", target="Orc")
    await world.restart()
    await world.env.advance_time(50 * HOUR)
    assert await acts(world) == "Vesna"
    assert not any("still your turn" in texts(each) for each in world.messages())
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(*misses(8))
    await world.press(world.gina, panel, "Call for a roll")
    await world.env.advance_time(13 * HOUR)
    assert not any("still your turn" in texts(each) for each in world.messages())
    await world.env.advance_time(2 * HOUR)
    assert "still your turn" in texts(world.last()), "its time goes on where it stood"
    await world.env.advance_time(25 * HOUR)
    assert await acts(world) == "Orc"


@pytest.mark.rule("EGO-AP-01")
async def test_an_npc_that_spent_all_points_out_of_turn_is_passed_over(world: World) -> None:
    await open_table(world, step_in_minutes=5, boris={"karma": 0})
    await gather(world, "Orc")
    await next_turn(world, *(6,) * 3, *misses(6))
    while points_of(await sheet(world, "Orc")).left > 0:
        await world.gina.slash(world.zone, "attack", target="Boris", **{"as": "Orc"})
        panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
        world.dice.lay(*misses(9))
        await world.press(world.ben, panel, "Pass")
        assert world.dice.left == 0, world.dice.left
    for _ in range(3):
        now = await acts(world)
        assert now != "Orc"
        if (await world.state()).encounters[str(world.zone.id)].round == 2:
            break
        await next_turn(world)


@pytest.mark.rule("EGO-KAR-04")
async def test_a_plan_of_whoever_asked_is_not_told_as_an_absence(world: World) -> None:
    await _post(world)
    await gather(world)
    await world.ana.slash(world.zone, "orders ask", rounds=True)
    await next_turn(world)
    world.dice.lay(*misses(8))
    private(await world.ana.slash(world.zone, "ego karma plan", points=3))
    assert world.dice.left == 0, "the plan answers for her, and the round begins"
    found = [texts(each) for each in world.messages()]
    assert not [each for each in found if "is away" in each], found
    assert (await sheet(world, "Vesna")).karma == 2
