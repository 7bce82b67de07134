"""Who is waited for and called at a table of EBB that waits for nobody without a decision."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ebb.sheet import effective_attributes
from tests.discord.world import World, card, labels, message_of, pings, private, refusal_of, texts


@pytest.fixture
def patience() -> bool:
    return False


def calls(world: World, who: Any) -> list[str]:
    """The messages in the channel that call somebody now."""
    return [each.content for each in world.messages() if who.id in pings(each, world.env)]


async def fate(world: World, name: str) -> int:
    found = (await world.state()).characters.values()
    return next(each.sheet.fate for each in found if each.name == name)


async def oppose_by_post(world: World, command: str, *faces: int) -> None:
    """Marek against Ilka, by post: Ben answers last, and the dice show these faces."""
    given = {"target": "Ilka", "skill": "Running", "attribute": "Fitness", "approach": "downhill"}
    await world.ana.slash(world.zone, command, **given)
    await world.rule(level=None)
    label = "Defend" if command == "attack" else "Respond"
    panel = message_of(await world.press(world.ben, world.newest(label), label))
    await world.choose(world.ben, panel, "Skill", "Running")
    await world.choose(world.ben, panel, "Attribute", "Fitness")
    modal = await world.press(world.ben, panel, "Approach…")
    await world.ben.submit_modal(modal, {"approach": "through the wood"})
    world.dice.lay(*faces)
    await world.press(world.ben, panel, label)
    assert world.dice.left == 0


@pytest.mark.rule("EBB-OPPOSED", "EBB-FATE")
async def test_a_contest_goes_back_and_forth_as_long_as_the_loser_spends(world: World) -> None:
    await world.table()
    await oppose_by_post(world, "contest", 5, 1, 5, 3)
    assert card(world).startswith("## ✗ Ilka wins so far")
    assert (len(calls(world, world.ana)), calls(world, world.ben)) == (1, [])
    await world.restart()
    panel = message_of(await world.press(world.ana, world.newest("React"), "React"))
    world.dice.lay(6)
    await world.press(world.ana, panel, "Re-roll d6")
    assert card(world).startswith("## ✓ Marek wins so far")
    assert (calls(world, world.ana), len(calls(world, world.ben))) == ([], 1)
    panel = message_of(await world.press(world.ben, world.newest("React"), "React"))
    await world.press(world.ben, panel, "Accept result")
    assert card(world).startswith("## ✓ Marek wins, 1 extra result:") and "Final" in card(world)
    assert (await fate(world, "Marek"), await fate(world, "Ilka")) == (2, 3)
    assert not (calls(world, world.ana) or calls(world, world.ben))


@pytest.mark.rule("EBB-OPPOSED")
async def test_whoever_answers_last_and_loses_is_not_waited_for(world: World) -> None:
    await world.table()
    await oppose_by_post(world, "contest", 9, 3, 5, 3)
    assert card(world).startswith("## ✓ Marek wins, 1 extra result:") and "Final" in card(world)
    assert not (calls(world, world.ana) or calls(world, world.ben))
    assert not (await world.check()).is_open


@pytest.mark.rule("EBB-INJURY", "EBB-FATE")
async def test_whoever_is_hit_rolls_again_or_takes_it_on_one_card(world: World) -> None:
    await world.table()
    await oppose_by_post(world, "attack", 5, 3, 4, 1)
    assert card(world).startswith(
        "## Hit, 1 extra result: Ilka chooses between a flesh wound and full damage"
    )
    assert labels(world.card()) == ["Flesh wound", "Full damage", "React"]
    await world.restart()
    panel = message_of(await world.press(world.ben, world.card(), "React"))
    world.dice.lay(6)
    await world.press(world.ben, panel, "Re-roll d6")
    assert "Miss so far" in card(world), card(world)
    assert len(calls(world, world.ana)) == 1, "the dice lie so by Ben's hand"
    await world.gina.slash(world.zone, "gm undo")
    assert labels(world.card()) == ["Flesh wound", "Full damage", "React"]
    assert await fate(world, "Ilka") == 3
    await world.press(world.ben, world.card(), "Flesh wound")
    state = await world.state()
    assert effective_attributes(state.characters["k2"].sheet)["Fitness"] == 0
    assert "Final" in card(world)


@pytest.mark.rule("EBB-FAIL", "EBB-ROLL")
async def test_a_fumble_calls_the_gm_to_add_a_complication(world: World) -> None:
    await world.table()
    await world.rolled(1, 1)
    told = card(world)
    assert told.startswith("## ✗ Fumble") and "Final" in told
    (call,) = [each for each in world.messages() if world.gina.id in pings(each, world.env)]
    assert "Fumble" in call.content and labels(call) == ["Add a complication"]
    assert "Yours to decide" not in private(await world.ana.slash(world.zone, "moves"))
    assert "GM" in refusal_of(await world.press(world.ana, call, "Add a complication"))
    await world.restart()
    dialog = await world.press(world.gina, call, "Add a complication")
    await world.gina.submit_modal(dialog, {"text": "The drainpipe *breaks*."})
    assert "The drainpipe \\*breaks\\*." in card(world)
    assert calls(world, world.gina) == [], "the call has done its work"
    assert "Add a complication" not in labels(world.card())
    await world.gina.slash(world.zone, "gm undo")
    assert "drainpipe \\*" not in card(world)
    assert "Add a complication" in labels(world.card())


async def test_no_other_failure_calls_the_gm(world: World) -> None:
    await world.table()
    await world.rolled(1, 4)
    assert card(world).startswith("## ✗ Automatic failure") and calls(world, world.gina) == []


@pytest.mark.rule("EBB-ATTACK", "EBB-INJURY")
async def test_an_attack_goes_at_once_and_hits_without_the_gm(world: World) -> None:
    await world.table(attacks_at_once=True)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    world.dice.lay(6, 3)
    given = {"target": "Sidor", "skill": "Rifles", "difficulty": "Easy", "approach": "low"}
    await world.ana.slash(world.zone, "attack", **given)
    assert world.dice.left == 0
    assert card(world).startswith("## ✓ Hit, 1 extra result: Sidor is hit; the GM says how badly")
    assert "Final" in card(world) and calls(world, world.gina) == []
    assert "Change the hit" in texts(world.card())
