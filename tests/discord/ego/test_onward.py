"""What is next: buttons after a result and an award, growth from a menu, and what a refusal leads to."""

from __future__ import annotations

from bot.presenters.control_ids import handle
from tests.discord.ego.table import RIFLE, attack, misses, sheet, table
from tests.discord.ego.test_round import ROLLS
from tests.discord.rounds import gathered
from tests.discord.world import World, labels, refused, said, texts

AIMED = {"weapon": RIFLE, "approach": "so", "with": "range: short"}


async def test_who_accepts_a_result_in_their_turn_reads_what_is_left_and_can_go_on(world: World) -> None:
    await table(world, window_minutes=10)
    await gathered(world, "Orc")
    await world.gina.slash(world.zone, "initiative next")
    await world.press(world.ana, world.newest("Pass"), "Pass")
    world.dice.lay(*ROLLS)
    await world.press(world.ben, world.newest("Pass"), "Pass")
    assert world.dice.left == 0
    name, who = next(
        (name, who)
        for name, who in (("Vesna", world.ana), ("Boris", world.ben))
        if f"{name}, you're up" in texts(world.last())
    )
    await attack(world, who, "Orc", *misses(5), 5, 5, **AIMED)
    world.dice.lay(1, 1, 1, 1)
    (panel,) = (await world.press(who, world.card(), "Accept result")).followups
    assert panel.ephemeral
    assert texts(panel).startswith(f"## {name}'s turn") and "2 of 4 Action Points" in texts(panel)
    assert labels(panel) == ["Attack", "Check", "Delay", "Done"]
    await world.press(who, panel, "Done")
    assert f"{name}, you're up" not in texts(world.last())


async def test_an_award_of_exp_leads_to_what_it_buys(world: World) -> None:
    await table(world)
    await world.gina.slash(world.zone, "gm award", kind="karma", amount=1)
    assert "Improve" not in labels(world.last())
    await world.gina.slash(world.zone, "gm award", kind="exp", amount=5)
    panel = said(await world.press(world.ana, world.newest("Improve"), "Improve"))
    assert "Vesna: what improves?" in texts(panel) and "EXP (5 now)" in texts(panel)
    await world.choose(world.ana, panel, "Raise or learn", handle("Gun Combat"))
    assert "EXP (1 now)" in texts(panel)
    assert (await sheet(world, "Vesna")).exp == 1
    assert next(each.level for each in (await sheet(world, "Vesna")).skills if each.name == "Gun Combat") == 4
    told = refused(await world.choose(world.ana, panel, "Raise or learn", handle("Muscle")))
    assert "12 more needed" in told
    shown = said(await world.ben.slash(world.zone, "character improve"))
    assert "Boris: what improves?" in texts(shown)
