"""What Discord refuses is not lost: it is tries again within a day, told meanwhile, and said in the
end, once.
"""

from __future__ import annotations

import discord
import pytest
from simcord.actors import MemberActor
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from bot.delivery.refused_messages import REFUSED_RETRY_DELAYS
from tests.discord.world import DAY, HOUR, World, button, labels, message_of, pings, private, texts

DICE = "d10 (4) + d8 (3) + Fitness 1 = **8**"


def close(world: World, *, allow: bool = False) -> None:
    """Take the right to write in the channel away from the bot, or give it back."""
    assert world.bot.user is not None
    right = discord.Permissions(send_messages=True).value
    overwrite = Overwrite(world.bot.user.id, OverwriteType.MEMBER, deny=0 if allow else right)
    world.env.backend.set_overwrite(world.zone.id, overwrite)


def refuse(world: World, times: int, code: int = 50013) -> None:
    """Refuse the next messages in the channel; what stands there may still be edited."""
    world.env.inject_error(
        "POST",
        f"/channels/{world.zone.id}/messages",
        status=403,
        code=code,
        message="Missing",
        times=times,
    )


def tries(world: World) -> int:
    """How often the bot tried to write in the channel."""
    return len(world.requests("POST", f"/channels/{world.zone.id}/messages"))


async def quiet_table(world: World) -> None:
    """A table at which nobody is reminded of anything."""
    await world.table(step_in_minutes=0, answer_hours=60 * 24)


async def propose_check(world: World, who: MemberActor | None = None) -> discord.Message:
    """A proposal; the message that calls the GM to answer it."""
    await world.propose(who, skill="Climbing")
    return world.newest("Answer")


def calls(world: World) -> int:
    """Return how many messages in the channel call a player to roll."""
    return sum(", roll" in message.content for message in world.messages())


async def test_after_an_hour_it_is_tried_by_itself(world: World) -> None:
    await quiet_table(world)
    call = await propose_check(world)
    refuse(world, 2)
    await world.rule(call)
    assert calls(world) == 0
    await world.env.advance_time(REFUSED_RETRY_DELAYS[0] + 1)
    assert calls(world) == 0, "refused once more"
    await world.env.advance_time(REFUSED_RETRY_DELAYS[1] + 1)
    assert calls(world) == 1
    assert pings(world.last(), world.env) == [world.ana.id]
    await world.env.advance_time(30 * DAY)
    assert calls(world) == 1
    world.dice.lay(9, 5)
    await world.press(world.ana, world.last(), "Roll")
    assert "(9)" in texts(world.card()) and "(5)" in texts(world.card())


async def test_it_is_not_tried_for_ever(world: World) -> None:
    await quiet_table(world)
    call = await propose_check(world)
    refuse(world, 1000)
    await world.rule(call)
    before = tries(world)
    for wait in REFUSED_RETRY_DELAYS:
        await world.env.advance_time(wait + 1)
    assert tries(world) == before + len(REFUSED_RETRY_DELAYS)
    for _ in range(10):
        await world.env.advance_time(DAY)
    assert tries(world) == before + len(REFUSED_RETRY_DELAYS)
    assert "the bot won't try again" in private(await world.gina.slash(world.zone, "table doctor"))


async def test_it_is_tried_as_soon_as_the_rights_are_back(world: World) -> None:
    await quiet_table(world)
    call = await propose_check(world)
    close(world)
    await world.env.settle()
    refuse(world, 1)
    await world.rule(call)
    before = tries(world)
    assert "tries again within a day" in private(await world.gina.slash(world.zone, "table doctor"))
    assert world.bot.get_channel(world.zone.id) is not None
    close(world)  # something else about the channel changes
    await world.env.settle()
    assert tries(world) == before, "there is no use in it yet"
    close(world, allow=True)
    await world.env.settle()
    assert calls(world) == 1
    private(await world.gina.slash(world.zone, "table doctor"))
    await world.restart()
    await world.env.advance_time(2 * HOUR)
    assert calls(world) == 1


async def test_where_one_gets_through_the_others_follow_in_order(world: World) -> None:
    await quiet_table(world)
    await world.gina.slash(
        world.zone, "gm bind", channel=world.guild.create_text_channel("elsewhere")
    )
    first, second = [await propose_check(world, who) for who in (world.ana, world.ben)]
    refuse(world, 2)
    await world.rule(first)
    await world.rule(second)
    assert calls(world) == 0
    third = await propose_check(world)
    assert calls(world) == 2, "the call for the GM got through"
    await world.rule(third)
    assert calls(world) == 3
    owed = [
        pings(message, world.env) for message in world.messages() if ", roll" in message.content
    ]
    assert owed == [[world.ana.id], [world.ben.id], [world.ana.id]]
    await world.env.advance_time(2 * DAY)
    assert calls(world) == 3


async def test_what_waits_is_told_by_table_last(world: World) -> None:
    await quiet_table(world)
    openly = await propose_check(world)
    await world.propose(skill="Running", visibility="private", approach="poison")
    shown = message_of(await world.press(world.gina, world.newest("Show"), "Show"))
    refuse(world, 2)
    await world.rule(openly)
    await world.rule(shown)
    for who in (world.ben, world.gina, world.ana):
        told = await who.slash(world.zone, "table last")
        text = private(told)
        assert "Not posted yet" in text and f"<#{world.zone.id}>" in text and "Marek, roll" in text
        assert "Roll" not in labels(message_of(told))
    assert "poison" in world.told(world.ana) and "poison" not in world.told(world.ben)
    await world.env.advance_time(REFUSED_RETRY_DELAYS[0] + 1)
    assert "Not posted yet" not in private(await world.ana.slash(world.zone, "table last"))
    assert "Show" not in labels(world.last()), "what was told in private needs no button any more"


async def test_what_was_taken_back_is_not_posted_late(world: World) -> None:
    await quiet_table(world)
    call = await propose_check(world)
    refuse(world, 1)
    await world.rule(call)
    await world.gina.slash(world.zone, "gm undo")
    assert "Not posted yet" not in private(await world.ana.slash(world.zone, "table last"))
    await world.env.advance_time(2 * DAY)
    assert calls(world) == 0


@pytest.mark.parametrize("restart", [False, True])
async def test_a_public_answer_is_public_in_the_end(world: World, restart: bool) -> None:
    """Whoever acted is told at once that it happened; everybody else as soon as it can be said."""
    await quiet_table(world)
    message = await world.answered()
    world.env.inject_error(
        "POST", "/interactions/*", status=404, code=10062, message="Unknown interaction"
    )
    refuse(world, 1)
    path = f"/channels/{world.zone.id}/messages/*"
    world.env.inject_error("PATCH", path, status=403, code=50013, message="Missing", times=1)
    world.dice.lay(4, 3)
    lost = world.emit(world.ana, button(message, "Roll"), message)
    await world.env.settle()
    assert lost.response is None and DICE not in texts(world.card())
    assert DICE in private(await world.ana.slash(world.zone, "moves"))
    assert DICE not in private(await world.ana.slash(world.zone, "moves")), "told once"
    if restart:
        await world.restart()
    await world.env.advance_time(REFUSED_RETRY_DELAYS[0] + 1)
    assert sum(DICE in texts(each) for each in world.messages()) == 1
    await world.env.advance_time(2 * DAY)
    assert sum(DICE in texts(each) for each in world.messages()) == 1


async def test_a_channel_that_is_gone_is_not_tried(world: World) -> None:
    await quiet_table(world)
    call = await propose_check(world)
    refuse(world, 1000, 10003)
    await world.rule(call)
    before = tries(world)
    await world.env.advance_time(3 * DAY)
    assert tries(world) == before
