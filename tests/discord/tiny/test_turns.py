"""Turns and open checks: what was begun in a turn comes first, or a GM has it closed."""

from __future__ import annotations

from tests.discord.tiny.play import open_table, propose
from tests.discord.world import World, button, card, labels, message_of, private, refusal_of


async def test_no_turn_ends_over_an_open_check_and_a_gm_closes_it(world: World) -> None:
    await open_table(world)
    private(await world.gina.slash(world.zone, "initiative start"))
    for who in (world.ana, world.ben):
        private(await who.slash(world.zone, "initiative join"))
    assert "Marek's turn" in private(await world.gina.slash(world.zone, "initiative next"))
    call = world.newest("End turn")
    assert "Marek, you're up." in call.content and labels(call) == ["Check", "Delay", "End turn"]
    await propose(world)
    told = await world.ana.slash(world.zone, "initiative next")
    text = private(told)
    assert "Marek's turn is about to end" in text and "`c1` waits for the GM" in text, text
    # Whoever may close nothing gets to what is open at least.
    assert labels(message_of(told)) == ["Open c1"]
    assert "check c1" in private(await world.press(world.ana, message_of(told), "Open c1"))
    told = await world.press(world.gina, world.newest("End turn"), "End turn")
    assert "`c1` waits for the GM" in private(told)
    assert labels(message_of(told)) == ["Open c1", "Close them"]
    private(await world.press(world.gina, message_of(told), "Close them"))
    assert not (await world.state()).checks["c1"].is_open
    assert "Final" in card(world)
    # Nothing is open any more: the turn that was said to be over is.
    assert "Ilka, you're up." in world.newest("End turn").content


async def test_whoever_is_no_gm_closes_nothing(world: World) -> None:
    await open_table(world)
    private(await world.gina.slash(world.zone, "initiative start"))
    private(await world.ana.slash(world.zone, "initiative join"))
    await world.gina.slash(world.zone, "initiative next")
    await propose(world)
    told = await world.press(world.gina, world.newest("End turn"), "End turn")
    found = world.emit(world.ana, button(message_of(told), "Close them"), world.last())
    await world.env.settle()
    assert "Only the GM can do that" in refusal_of(found)
    assert (await world.state()).checks["c1"].is_open
