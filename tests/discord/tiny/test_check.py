"""A check that takes its course, from the proposal to undo: one card, calls, private panels,
refusals.
"""

from __future__ import annotations

import re

from tests.discord.tiny.play import FINAL, answer, open_table, propose, roll_check
from tests.discord.world import (
    World,
    button,
    card,
    has_decision,
    labels,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    texts,
)


async def test_from_proposal_to_undo(world: World) -> None:
    await open_table(world)
    proposal = await propose(world)
    assert public(proposal).startswith("## Waiting for the GM\nMarek\n> up the drainpipe\n")
    assert labels(message_of(proposal)) == ["Edit", "React"]
    call = world.newest("Answer")
    assert texts(call).startswith(f"<@{world.gina.id}>, your call on Marek: “up the drainpipe”")
    assert pings(call, world.env) == [world.gina.id]
    assert "## Marek can roll now" in private(await answer(world))
    assert card(world).startswith("## Marek, roll\n> up the drainpipe\n**Level:** 8\n")
    call = world.last()
    assert texts(call) == f"<@{world.ana.id}>, Marek, roll\nRoll"
    assert pings(call, world.env) == [world.ana.id]
    world.dice.lay(4)
    await world.press(world.ana, call, "Roll")
    assert card(world).startswith("## ✗ Failure so far\nMarek\n> up the drainpipe\nd10 (4) +")
    assert has_decision(card(world), "Ana")
    assert labels(world.last()) == ["React", "Accept result"]
    panel = await world.press(world.ana, world.last(), "React")
    assert "Throw again, 1 Luck" in private(panel)
    world.dice.lay(9)
    panel = await world.press(world.ana, message_of(panel), "Throw again")
    # What is left to choose for the same question stands there at once.
    assert private(panel).startswith("## ✓ Success so far")
    assert "\n-# check c1 · #7" in private(panel)
    assert labels(message_of(panel)) == ["Throw again", "Accept result"]
    assert card(world).startswith("## ✓ Success so far")
    panel = await world.press(world.ana, world.last(), "React")
    await world.press(world.ana, message_of(panel), "Accept result")
    assert card(world).startswith("## ✓ Success\n")
    assert re.search(FINAL.pattern + " · #8\n", card(world))
    assert labels(world.last()) == ["Step in"]
    undone = await world.gina.slash(world.zone, "gm undo")
    assert private(undone).startswith("## Undone")
    assert card(world).startswith("## ✓ Success so far")
    assert "React" in labels(world.newest("React"))


async def test_a_proposal_taken_back_says_so(world: World) -> None:
    await open_table(world)
    await propose(world)
    await world.ana.slash(world.zone, "table undo")
    assert card(world).startswith("## Undone (#5): Waiting for the GM")
    assert not [each for each in world.messages() if "your call" in texts(each)]


async def test_a_check_without_options_is_a_panel(world: World) -> None:
    await open_table(world)
    panel = await world.ana.slash(world.zone, "check")
    assert "Marek: what do you try?" in private(panel)
    modal = await world.press(world.ana, message_of(panel), "Approach…")
    await world.ana.submit_modal(modal, {"approach": "over the roof"})
    await world.press(world.ana, message_of(panel), "Send")
    assert card(world).startswith("## Waiting for the GM\nMarek\n> over the roof")


async def test_an_option_that_the_rules_do_not_know_is_named(world: World) -> None:
    await open_table(world)
    text = refusal_of(await propose(world, skill="Climbing"))
    assert "This table plays Tiny, which doesn't use `skill` here. Leave it out." in text
    assert not (await world.state()).checks
    for command, options in (("attack", {"target": "Ilka"}), ("heal", {"method": "rest"})):
        text = refusal_of(await world.ana.slash(world.zone, command, **options))
        assert "Tiny" in text or "no way to recover here" in text


async def test_whoever_is_not_asked_is_told_kindly(world: World) -> None:
    await open_table(world)
    await propose(world)
    assert "Only the GM can do that" in refusal_of(
        await world.press(world.ben, world.newest("Answer"), "Answer")
    )
    call = world.newest("Answer")
    await answer(world)
    assert refusal_of(await world.press(world.ben, world.newest("Roll"), "Roll"))
    old = button(call, "Answer")
    found = world.emit(world.gina, old, world.last())
    await world.env.settle()
    assert "The GM has answered, or the roll has been adjusted." in refusal_of(found)
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    forged = world.emit(world.ben, button(panel, "Withdraw"), world.last())
    await world.env.settle()
    assert refusal_of(forged)


async def test_a_question_and_its_reply(world: World) -> None:
    await open_table(world)
    await propose(world)
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    modal = await world.press(world.gina, panel, "Ask…")
    await world.gina.submit_modal(modal, {"question": "With which rope?"})
    assert card(world).startswith("## The GM asks Marek")
    modal = await world.press(world.ana, world.last(), "Reply")
    await world.ana.submit_modal(modal, {"approach": "with the red one"})
    assert card(world).startswith("## Waiting for the GM\nMarek\n> with the red one")


async def test_a_proposal_withdrawn_or_revised(world: World) -> None:
    await open_table(world)
    await propose(world)
    panel = message_of(await world.press(world.ana, world.newest("Edit"), "Edit"))
    modal = await world.press(world.ana, panel, "Approach…")
    await world.ana.submit_modal(modal, {"approach": "otherwise"})
    await world.press(world.ana, panel, "Save changes")
    assert "> otherwise" in card(world)
    await answer(world)
    await world.spend(world.card(), "Withdraw")
    assert card(world).startswith("## Withdraw")
    assert not (await world.state()).checks["c1"].is_open


async def test_the_window_ends_by_itself(world: World) -> None:
    await open_table(world, step_in_minutes=10)
    await roll_check(world, 9)
    await world.env.advance_time(601)
    await world.env.settle()
    assert FINAL.search(card(world))


async def test_a_restart_changes_nothing(world: World) -> None:
    await open_table(world)
    await propose(world)
    await world.restart()
    await answer(world)
    await world.restart()
    world.dice.lay(4)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✗ Failure so far")


async def test_plain_answers(world: World) -> None:
    await open_table(world)
    await world.ana.slash(world.zone, "table plain", on=True)
    await roll_check(world, 4)
    panel = await world.press(world.ana, world.newest("React"), "React")
    assert private(panel).startswith("Failure so far\n")
    assert "Throw again, 1 Luck [Throw again]" in private(panel)
