"""Karma, re-rolls and odds of EGO through Discord: what is offered only while it is legal."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import pytest

from tests.discord.ego.table import FIGHTER, PISTOL, SWORD, bring, misses, open_table, sheet
from tests.discord.ego.test_check import MAREK
from tests.discord.world import World, card, message_of, private, refusal_of, texts

CHECK: dict[str, Any] = {"skill": "Stealth", "difficulty": "Moderate", "approach": "slowly"}


async def _table(world: World, **more: Any) -> None:
    await world.setup(system="ego")
    await world.gina.slash(
        world.zone, "gm settings", live=True, attacks_at_once=True, step_in_minutes=10
    )
    await bring(world, world.ana, "Marek", MAREK | {"karma": 2} | more)


@pytest.mark.rule("EGO-KAR-02")
async def test_more_karma_than_there_is_is_refused_before_anybody_is_asked(world: World) -> None:
    await _table(world)
    text = refusal_of(await world.ana.slash(world.zone, "check", **CHECK, **{"with": "karma: 3"}))
    assert "2 Karma" in text
    assert (await sheet(world, "Marek")).karma == 2 and not (await world.state()).checks


@pytest.mark.rule("EGO-DIE-01", "EGO-KAR-02")
async def test_whoever_buys_dice_for_a_roll_without_any_is_warned_before(world: World) -> None:
    await _table(world)
    await world.ana.slash(world.zone, "check", **CHECK, **{"with": "karma: 1, modifier: -7"})
    assert "the Karma is spent all the same" in card(world), "even in live play it waits"
    assert (await sheet(world, "Marek")).karma == 2
    await world.press(world.ana, world.card(), "Roll")
    assert "no dice: no successes" in card(world) and "Marek: Karma 2 → 1" in card(world)
    # With one die left it falls at once.
    world.dice.lay(1)
    await world.ana.slash(world.zone, "check", **CHECK, **{"with": "karma: 1, modifier: -5"})
    assert world.dice.left == 0 and "all the same" not in card(world, "c2")


@pytest.mark.rule("EGO-KAR-02")
async def test_karma_is_for_one_roll_of_a_round(world: World) -> None:
    """Even where fewer than three dice were bought for it."""
    await _table(world, karma=6)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    world.dice.lay(*misses(3))
    await world.gina.slash(world.zone, "initiative next")
    await world.press(world.ana, world.newest("Pass"), "Pass")
    assert world.dice.left == 0
    world.dice.lay(*misses(6))
    await world.ana.slash(world.zone, "check", **CHECK, **{"with": "karma: 1"})
    assert world.dice.left == 0
    text = refusal_of(await world.ana.slash(world.zone, "check", **CHECK, **{"with": "karma: 1"}))
    assert "Karma" in text
    assert (await sheet(world, "Marek")).karma == 5


@pytest.mark.rule("EGO-DIE-05", "EGO-ADV-02")
async def test_what_has_to_be_rolled_again_is_so_before_anybody_is_asked(world: World) -> None:
    await _table(world, disadvantages=["Unattractive"], advantages=[])
    world.dice.lay(5, 5, 1, 2)
    await world.ana.slash(
        world.zone,
        "check",
        skill="Persuasion",
        difficulty="Moderate",
        approach="a smile",
        **{"with": "attraction"},
    )
    assert world.dice.left == 0, "three dice of Persuasion, and the first success again"
    assert card(world).startswith("## ✗ Failure so far: 1 success against 2"), card(world)
    assert "3d6 (5→2, **5**, 1)" in card(world), card(world)
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(6)
    await world.press(world.ana, panel, "Re-roll a die: Persuasion")
    assert card(world).startswith("## ✓ Success so far: 2 successes against 2"), card(world)
    assert "Re-roll" not in texts(
        message_of(await world.press(world.ana, world.newest("React"), "React"))
    )


@pytest.mark.rule("EGO-SPC-03", "EGO-DIE-03")
async def test_odds_count_what_is_known_before(world: World) -> None:
    """Diplomacy's two dice, with those that Intellect's four dice add, and its re-roll; Karma side
    by side.
    """
    await _table(world)
    await world.ana.slash(world.zone, "table plain", on=True)
    so = {"skill": "Diplomacy", "difficulty": "Easy"}
    alone = texts(message_of(await world.ana.slash(world.zone, "odds", **so)))
    # Two dice, one of the failed again: 1 - (2/3)^3.
    assert "70%" in alone and "With 1 Karma: " in alone and "With a flip (1 Karma): " in alone, (
        alone
    )
    known = texts(
        message_of(
            await world.ana.slash(world.zone, "odds", **so, **{"with": "knowledge: Intellect"})
        )
    )
    # (2/3)^3 of each way that four dice may fall: (2/3 + 1/3 * 2/3)^4 of it.
    assert "82%" in known, known


@pytest.mark.rule("EGO-DIE-02")
async def test_what_needs_no_roll_has_no_odds(world: World) -> None:
    await open_table(world)
    sure = refusal_of(
        await world.ana.slash(world.zone, "odds", skill="Acrobatics", difficulty="Automatic")
    )
    assert "That needs no roll" in sure, sure


@pytest.mark.rule("EGO-ATK-01", "EGO-RNG-01", "EGO-DMG-01")
async def test_the_odds_of_an_attack(world: World) -> None:
    await open_table(world)
    text = private(await world.ana.slash(world.zone, "ego odds", weapon=SWORD, defense=4, armor=5))
    # 9 dice against 4, then 6 damage dice of 1 to 3 each.
    assert "**To hit:** 75%" in text and "+ damage on a hit" in text, text
    near = private(await world.ana.slash(world.zone, "ego odds", weapon=PISTOL, range="short"))
    far = private(await world.ana.slash(world.zone, "ego odds", weapon=PISTOL, range="extended"))
    assert near != far
    await bring(world, world.ana, "Gunner", FIGHTER | {"arms": [{"name": "Lgt machine gun"}]})
    gun = {"weapon": "Lgt machine gun", "range": "short", "as": "Gunner"}
    text = private(await world.ana.slash(world.zone, "ego odds", **gun))
    # Agility's 4 dice less 1, for it fires nothing but bursts.
    assert "Lgt machine gun, a burst" in text and "**To hit:** 70%" in text, text
    assert "`defense`" in refusal_of(await world.ana.slash(world.zone, "ego odds", weapon=SWORD))
    assert "range" in refusal_of(await world.ana.slash(world.zone, "ego odds", weapon=PISTOL))


@pytest.mark.rule("EGO-DIE-05", "EGO-ADV-02", "EGO-DMG-04", "EGO-CHR-05")
async def test_the_odds_of_an_attack_count_all_that_is_known(world: World) -> None:
    """A re-roll, what the lack of a skill costs, and damage dice of successes, where the table has
    it so.
    """
    await open_table(world)
    await bring(
        world,
        world.gina,
        "Vesna",
        {"muscle": 3, "agility": 3, "intellect": 9, "vitality": 9, "advantages": ["Agile"]},
        replace=True,
    )
    bare: dict[str, Any] = {"weapon": "punch", "defense": 0}
    # One die, and once more where that has failed: 1 - (2/3)^2.
    shown = private(await world.ana.slash(world.zone, "ego odds", **bare)).replace("**", "")
    assert "To hit: 56%" in shown and "1+ damage on a hit: 100%" in shown, shown
    shown = private(await world.ana.slash(world.zone, "ego odds", skill="Agility", defense=0))
    assert "**Won:** 56%" in shown, shown
    await world.gina.slash(
        world.zone, "gm settings", setting="excess_successes_to_damage", value="on"
    )
    shown = private(await world.ana.slash(world.zone, "ego odds", **bare)).replace("**", "")
    assert "To hit: 56%" in shown and "2+ damage on a hit: 100%" in shown, shown
    await world.gina.slash(world.zone, "gm settings", setting="untrained_plus_one", value="on")
    shown = private(await world.ana.slash(world.zone, "ego odds", **bare)).replace("**", "")
    assert "To hit: 0%" in shown, shown


@pytest.mark.rule("EGO-DMG-04", "EGO-ARM-01")
async def test_the_odds_of_damage_count_what_armor_stops(world: World) -> None:
    """Six dice of 1 to 3 come to 6 to 18: armor 10 lets through 1 to 8, armor 18 nothing."""
    await open_table(world)
    totals = Counter(map(sum, product((1, 2, 3), repeat=6)))
    whole = sum(totals.values())

    async def shown(armor: int) -> dict[str, str]:
        given = {"weapon": SWORD, "defense": 2, "armor": armor}
        text = private(await world.ana.slash(world.zone, "ego odds", **given))
        lines = [each.replace("**", "") for each in text.splitlines() if "on a hit" in each]
        return dict(each.split(" on a hit: ") for each in lines)

    def at_least(points: int, armor: int) -> str:
        share = sum(count for total, count in totals.items() if total - armor >= points) / whole
        return f"{round(100 * share)}%"

    for armor in (0, 5, 10, 15):
        found = await shown(armor)
        stopped = round(100 * sum(n for total, n in totals.items() if total <= armor) / whole)
        assert found.pop("No damage", "0%") == f"{stopped}%"
        assert found, armor
        for line, chance in found.items():
            assert chance == at_least(int(line.partition("+")[0]), armor), (armor, line)
    assert await shown(18) == {"No damage": "100%"}


@pytest.mark.rule("EGO-IMP-01", "EGO-KAR-02")
async def test_karma_for_staying_conscious_says_what_for_and_against_what(world: World) -> None:
    await open_table(world, step_in_minutes=60, live=True)
    for what, value in (("lethal", "4"), ("non_lethal", "2")):
        await world.gina.slash(world.zone, "gm adjust", character="Boris", what=what, value=value)
    world.dice.lay(5, *misses(7), 6, 6, 6)
    await world.ana.slash(
        world.zone, "attack", target="Boris", weapon=PISTOL, **{"with": "range: short"}
    )
    await world.press(world.ana, world.card(), "Accept result")
    panel = message_of(await world.press(world.ben, world.card(), "Spend Karma"))
    for shown in (texts(world.card()), texts(panel)):
        assert "Boris: Stay conscious: 4 dice against 3" in shown.replace("**", ""), shown
