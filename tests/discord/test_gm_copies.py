"""The GM gets one copy: a private answer doesn't repeat what the GM channel has the message of."""

from __future__ import annotations

from collections.abc import Callable

import discord
import pytest
from simcord.actors import MemberActor
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from tests.discord.ego import table as ego
from tests.discord.world import World, message_of, texts


async def _gm_by_role(world: World) -> MemberActor:
    """Return somebody who leads the table by a role, and can read the GM channel."""
    masters = world.guild.create_role("masters")
    await world.gina.slash(world.zone, "gm members", add_role=masters)
    mia = world.member("mia", masters)
    world.let_read(world.gm_room, masters)
    return mia


@pytest.mark.parametrize("gm_channel", [True, False])
async def test_a_roll_that_only_gms_know_is_told_once(world: World, gm_channel: bool) -> None:
    await world.table(gm_channel=gm_channel)
    await world.gina.slash(world.zone, "gm npc add", name="Sidor")
    world.dice.lay(7, 4)
    answer = message_of(
        await world.gina.slash(
            world.zone, "gm roll", skill="Climbing", difficulty="Tricky", **{"as": "Marek"}
        )
    )
    posts = [*world.messages(world.zone), *world.messages(world.gm_room)]
    copies = [texts(each) for each in (answer, *posts) if "d10 (7)" in texts(each)]
    assert len(copies) == 1


async def test_an_answer_to_what_stands_in_the_gm_channel_is_a_short_receipt(world: World) -> None:
    await ego.open_table(world, gm_channel=True, live=False)
    await world.ana.slash(world.zone, "attack", target="Orc", weapon=ego.SWORD, approach="so")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    world.dice.lay(*[6] * 9, *[1] * 2, *[6] * 10)
    await world.press(world.gina, panel, "Call for a roll")
    posted = texts(world.last(world.gm_room))
    assert "Sword, Long" in posted
    for line in texts(panel).splitlines():
        assert not line.startswith("**") or line not in posted, line


@pytest.mark.parametrize(
    ("command", "options", "line"),
    [
        ("gm time", {"advance": "1 day"}, "1 day later."),
        ("gm award", {"kind": "fate"}, "Marek: 1 Fate point"),
        ("gm adjust", {"character": "Marek", "what": "fate", "value": "9"}, "→ 9"),
        ("gm npc add", {"name": "Sidor"}, "Players don't know about them."),
    ],
)
@pytest.mark.parametrize("by_role", [False, True])
@pytest.mark.parametrize("gm_channel", [True, False])
async def test_what_a_gm_does_is_told_once(
    world: World, gm_channel: bool, by_role: bool, command: str, options: dict[str, str], line: str
) -> None:
    await world.table(gm_channel=gm_channel)
    gm = await _gm_by_role(world) if by_role else world.gina
    answer = message_of(await gm.slash(world.zone, command, **options))
    posts = [*world.messages(world.zone), *world.messages(world.gm_room)]
    copies = [texts(each) for each in (answer, *posts) if line in texts(each)]
    assert len(copies) <= 1 + (command == "gm adjust" and not gm_channel), copies
    receipt = line not in texts(answer)
    assert not receipt or copies, "a receipt stands for a message"
    if receipt and any(line in texts(each) for each in world.messages(world.gm_room)):
        assert f"The rest is in {world.gm_room.mention}." in texts(answer)


async def test_a_gm_who_cannot_read_the_gm_channel_is_answered_in_full(world: World) -> None:
    await world.table(gm_channel=True)
    masters = world.guild.create_role("masters")
    await world.gina.slash(world.zone, "gm members", add_role=masters)
    mia = world.member("mia", masters)
    answer = message_of(await mia.slash(world.zone, "gm npc add", name="Sidor"))
    assert "Players don't know about them." in texts(answer)


def _deleted(world: World) -> None:
    world.env.backend.delete_channel(world.gm_room.id)


def _readable(world: World) -> None:
    world.let_read(world.gm_room, world.guild.default_role)


def _shut(world: World) -> None:
    """Take the bot's right to write in the GM channel."""
    bot = world.env.bot.user
    assert bot is not None
    see, write = discord.Permissions(view_channel=True), discord.Permissions(send_messages=True)
    shut = Overwrite(bot.id, OverwriteType.MEMBER, allow=see.value, deny=write.value)
    world.env.backend.set_overwrite(world.gm_room.id, shut)


@pytest.mark.parametrize("spoil", [_deleted, _readable, _shut])
async def test_a_gm_channel_that_gets_no_message_stands_for_no_answer(
    world: World, spoil: Callable[[World], None]
) -> None:
    await world.table(gm_channel=True)
    spoil(world)
    answer = message_of(await world.gina.slash(world.zone, "gm npc add", name="Sidor"))
    assert "Players don't know about them." in texts(answer)
    assert "The rest is in" not in texts(answer)
