"""The one card of a check: found again after a crash, posted again where somebody deleted it, never
behind.
"""

from __future__ import annotations

from bot.services.perform import perform
from rules.table.actions import Actor, Choose
from tests.discord.tiny.play import answer, open_table, propose, roll_check
from tests.discord.world import World, card, message_of, private, texts


async def test_a_deleted_card_is_posted_again(world: World) -> None:
    await open_table(world)
    await propose(world)
    await world.card().delete()
    await answer(world)
    assert card(world).startswith("## Marek, roll")
    world.dice.lay(4)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert card(world).startswith("## ✗ Failure so far")


async def test_a_card_that_was_committed_and_not_shown_is_shown_at_the_next_start(
    world: World,
) -> None:
    await open_table(world)
    await propose(world)
    await world.env.settle()
    state = await world.state()
    asked = state.checks["c1"].prompt("rule")
    assert asked is not None
    # What is committed here is dispatched by nobody.
    table_id = world.bot.tables.places.table_id(str(world.zone.id))
    assert table_id is not None
    gm = state.settings.gms[0]
    await perform(
        world.bot.tables,
        table_id,
        Choose(
            who=Actor(gm),
            place=str(world.zone.id),
            at=world.bot.clock(),
            check="c1",
            prompt="rule",
            number=asked.number,
            option="roll",
            as_=("",),
            values={"difficulty": 8},
        ),
        "lost",
    )
    assert card(world).startswith("## Waiting for the GM")
    await world.restart()
    await world.env.settle()
    assert card(world).startswith("## Marek, roll")
    calls = [each for each in world.messages() if texts(each).startswith("<@")]
    assert [texts(each).partition("\n")[0] for each in calls] == [f"<@{world.ana.id}>, Marek, roll"]


async def test_two_checks_have_a_card_each(world: World) -> None:
    await open_table(world)
    await propose(world)
    await propose(world, world.ben, approach="over the wall")
    assert "> up the drainpipe" in card(world)
    assert "> over the wall" in card(world, "c2")


async def test_the_gm_channel_gets_what_players_do_not_see(world: World) -> None:
    await open_table(world, gm_channel=True)
    await roll_check(world, 4, level=6, hidden=True)
    shown = world.last(world.gm_room)
    assert "**Level:** 6" in texts(shown)
    assert "Only GMs see this" in texts(shown)
    assert "Level" not in card(world)


async def test_a_secret_check_calls_the_gms_in_their_channel(world: World) -> None:
    await open_table(world, gm_channel=True)
    await propose(world, visibility="private")
    sent = [texts(each) for each in world.messages(world.gm_room)]
    assert any("> up the drainpipe" in each for each in sent)
    assert any(each.startswith(f"<@{world.gina.id}>") for each in sent)
    panel = await world.press(world.gina, world.newest("Answer", world.gm_room), "Answer")
    assert "Answer Marek" in private(panel)
    assert message_of(panel).ephemeral
