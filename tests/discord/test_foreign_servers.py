"""Servers on the shards of other processes: rights as the cache has them, tables of `/moves`."""

from __future__ import annotations

import itertools
from datetime import timedelta

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.builders import ChannelHandle
from simcord.enums import ChannelType, OverwriteType

from bot.delivery.foreign_servers import LIFETIME, ForeignServers
from bot.delivery.place_views import MemberViews, PlaceMemory
from bot.services.readers import PlaceAccess
from bot.storage.share import Share
from tests.discord.world import World, private, secret_room

SEE = discord.Permissions(view_channel=True).value


class Foreign:
    """The world's server as a process sees it that serves others."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.servers = ForeignServers()

    async def access(self, user: int, place: int) -> PlaceAccess | None:
        """Return a user's access to a place, looked up; None for no member."""
        client, server = self.world.bot, self.world.guild.id
        member = await self.servers.member(client, server, user)
        if member is None:
            return None
        memory = self.servers.place_memory(member.guild)
        assert memory is not None
        return await MemberViews(member, memory).access(str(place))


async def access_by_cache(world: World, user: int, place: int) -> PlaceAccess | None:
    """Return a user's access to a place as the server's own process has it; None for no member."""
    guild = world.bot.get_guild(world.guild.id)
    assert guild is not None
    try:
        member = await guild.fetch_member(user)
    except discord.NotFound:
        return None
    return await MemberViews(member, PlaceMemory()).access(str(place))


def thread_of(
    world: World, room: ChannelHandle, *, private: bool = False, archived: bool = False
) -> int:
    """A thread that Gina has opened, and Ana is in."""
    kind = ChannelType.PRIVATE_THREAD if private else ChannelType.PUBLIC_THREAD
    made = world.env.backend.create_thread(room.id, "tunnel", world.gina.id, type=kind)
    assert world.bot.user is not None
    for user in (world.bot.user.id, world.ana.id):
        world.env.backend.add_thread_member(made.id, user)
    if archived:
        world.env.backend.edit_channel(made.id, {}, thread_metadata={"archived": True})
    return made.id


async def test_rights_are_those_of_the_cache(world: World) -> None:
    backend, guild = world.env.backend, world.guild
    guests = guild.create_role("guests")
    admins = guild.create_role("admins", permissions=discord.Permissions(administrator=True))
    dora, boss = world.member("dora", guests), world.member("boss", admins)
    left, muted = world.member("left"), world.member("muted")
    vault = secret_room(world.env, guild, "vault", world.ana)
    lounge = secret_room(world.env, guild, "lounge", guests)
    shut = guild.create_text_channel("shut")
    backend.set_overwrite(shut.id, Overwrite(dora.id, OverwriteType.MEMBER, deny=SEE))
    backend.set_overwrite(shut.id, Overwrite(guests.id, OverwriteType.ROLE, allow=SEE))
    gone = guild.create_text_channel("gone")
    places = [world.zone.id, vault.id, lounge.id, shut.id, gone.id]
    for room, hidden, old in itertools.product((world.zone, vault), (False, True), (False, True)):
        places.append(thread_of(world, room, private=hidden, archived=old))
    backend.delete_channel(gone.id)
    backend.remove_member(guild.id, left.id)
    until = world.env.now() + timedelta(hours=1)
    backend.edit_member(guild.id, muted.id, {"timed_out_until": until.isoformat()})
    await world.env.settle()
    people = [each.id for each in (world.gina, world.ana, world.ben, dora, boss, left, muted)]
    people.append(backend.get_guild(guild.id).owner_id)
    foreign = Foreign(world)
    found = {
        (user, place): await foreign.access(user, place)
        for user, place in itertools.product(people, places)
    }
    expected = {key: await access_by_cache(world, *key) for key in found}
    assert found == expected
    assert {*found.values()} == {"open", "shut", "gone", None}
    assert found[world.ben.id, vault.id] == "shut" and found[left.id, world.zone.id] is None


async def test_a_server_is_looked_up_every_five_minutes(world: World) -> None:
    foreign = Foreign(world)
    server = f"/guilds/{world.guild.id}"
    assert await foreign.access(world.ana.id, world.zone.id) == "open"
    asked = len(world.requests("GET", server))
    assert asked == 3
    assert await foreign.access(world.ana.id, world.gm_room.id) == "shut"
    assert len(world.requests("GET", server)) == asked
    await foreign.access(world.ben.id, world.zone.id)
    assert len(world.requests("GET", server)) == asked + 1, "another member"
    world.let_read(world.gm_room, world.ana)
    known = foreign.servers._servers[world.guild.id]
    known.at -= LIFETIME
    assert await foreign.access(world.ana.id, world.gm_room.id) == "open"
    assert len(world.requests("GET", server)) == asked + 4


@pytest.mark.parametrize("method", ["get_guild", "get_all_guild_channels", "get_member"])
async def test_what_discord_does_not_tell_is_not_shown(
    world: World, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise OSError

    foreign = Foreign(world)
    with monkeypatch.context() as patch:
        patch.setattr(world.bot.http, method, broken)
        assert await foreign.access(world.ana.id, world.zone.id) is None
    assert await foreign.access(world.ana.id, world.zone.id) == "open", "it was not remembered"


async def test_moves_in_a_direct_message_name_tables_of_other_processes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    await world.propose()
    await world.rule()
    here = private(await world.ana.user.slash("moves"))
    assert "The Dry Canal" in here
    # Another process: the server is on none of its shards.
    monkeypatch.setattr(type(world.bot), "get_guild", lambda bot, id: None)
    assert "The Dry Canal" not in private(await world.ana.user.slash("moves")), "the bot is gone"
    owner = (world.guild.id >> 22) % 2
    store = world.bot._store
    assert store is not None
    monkeypatch.setattr(store.database, "share", Share(1 - owner, 2))
    assert private(await world.ana.user.slash("moves")) == here
    assert "The Dry Canal" not in private(await world.ben.user.slash("moves"))
    denied = Overwrite(world.ana.id, OverwriteType.MEMBER, deny=SEE)
    world.env.backend.set_overwrite(world.zone.id, denied)
    world.bot.interactions.foreign_servers = ForeignServers()
    assert "The Dry Canal" not in private(await world.ana.user.slash("moves"))
