"""`/setup`: opening a table, choosing where secrets go, and what a channel must be for that."""

from __future__ import annotations

import re
from typing import Any

import discord
from simcord.actors import MemberActor
from simcord.backend.models import Overwrite
from simcord.builders import ChannelHandle, RoleHandle
from simcord.enums import OverwriteType
from simcord.env import Env

from tests.discord.world import (
    World,
    head,
    labels,
    message_of,
    private,
    public,
    refusal_of,
    secret_room,
    select,
    texts,
)

QUESTION = "Choose a text channel that only the GMs can read."
NO_CHANNEL = "Secrets for the GMs wait behind a button that only they can open."


async def open_guide(world: World) -> Any:
    """`/setup`, and what stands behind the guide's first button."""
    (guide,) = (await world.setup()).followups
    (question,) = (await world.press(world.gina, guide, "GM channel")).followups
    return question


async def test_the_table_is_announced_to_all_with_its_fingerprints(world: World) -> None:
    created = await world.setup()
    text = public(created)
    assert "The Dry Canal is open" in text
    assert f"{world.gina.mention} is the GM. The table plays EBB." in text
    assert "`/character import`" in text
    assert len(re.findall(r"`[0-9a-f]{64}`", text)) == 2
    assert "#1" in text
    table = await world.bot.tables.get(1)
    assert all(row.commitment in text for row in table.seeds if row.stream in ("public", "secret"))
    assert not any(row.seed.hex() in world.told(world.ana) for row in table.seeds)


async def test_the_channel_names_the_table_that_was_given_no_name(world: World) -> None:
    created = await world.gina.slash(world.zone, "setup", game="ebb")
    assert "zone is open" in public(created)


async def test_the_founder_alone_is_asked_for_a_gm_channel(world: World) -> None:
    question = await open_guide(world)
    assert question.ephemeral
    assert QUESTION in texts(question)
    chosen = await world.gina.select(
        question, [world.gm_room], custom_id=select(question, "A channel for GMs only")
    )
    private(chosen)
    assert f"Secrets for the GMs go to {world.gm_room.mention}." in texts(world.last())
    assert (await world.state()).settings.gm_place == str(world.gm_room.id)
    assert labels(message_of(chosen)) == [], "the question is answered"


async def test_no_gm_channel_is_an_answer_too(world: World) -> None:
    question = await open_guide(world)
    declined = await world.press(world.gina, question, "No GM channel")
    assert NO_CHANNEL in private(declined)
    assert labels(message_of(declined)) == []
    assert (await world.state()).settings.gm_place is None


async def test_a_channel_from_the_menu_is_checked_too(world: World) -> None:
    question = await open_guide(world)
    chosen = await world.gina.select(
        question, [world.zone], custom_id=select(question, "A channel for GMs only")
    )
    assert "Everybody can read that channel, so secrets can't go there." in refusal_of(chosen)
    assert (await world.state()).settings.gm_place is None
    again = await world.gina.select(
        question, [world.gm_room], custom_id=select(question, "A channel for GMs only")
    )
    assert f"GM channel: none → {world.gm_room.mention}" in texts(again.response)
    assert "go to" in texts(world.last())


async def test_only_a_gm_answers_the_question(world: World) -> None:
    question = await open_guide(world)
    pressed = world.emit(world.ana, select(question, "A channel for GMs only"), values=("5",))
    await world.env.settle()
    refusal_of(pressed)
    assert (await world.state()).settings.gm_place is None


async def test_a_gm_channel_given_at_once_is_a_step_taken(world: World) -> None:
    created = await world.setup(gm_channel=True)
    assert f"Secrets for the GMs go to {world.gm_room.mention}." in public(created)
    (guide,) = created.followups
    assert f"✓ Done: GM channel. Secrets go to {world.gm_room.mention}." in texts(guide).replace(
        "**", ""
    )


def _room(world: World, name: str, reader: MemberActor | RoleHandle) -> ChannelHandle:
    """A GM channel that somebody else can read as well."""
    room = secret_room(world.env, world.guild, name, world.gina)
    world.let_read(room, reader)
    return room


async def test_a_gm_channel_that_others_can_read_is_refused(world: World) -> None:
    players = world.guild.create_role("players")
    cases = {
        "Everybody can read that channel, so secrets can't go "
        "there.": world.guild.create_text_channel("open"),
        f"{players.mention} can read that channel and isn't one of this table's GM roles": _room(
            world, "for-players", players
        ),
        f"{world.ben.mention} can read that channel and isn't GM of this table": _room(
            world, "for-ben", world.ben
        ),
    }
    for text, room in cases.items():
        answer = await world.gina.slash(world.zone, "setup", game="ebb", gm_channel=room)
        assert text in refusal_of(answer)
        assert "Remove their permission to view it, or choose another channel." in refusal_of(
            answer
        )
    assert world.messages() == []
    public(await world.setup())


async def test_a_role_that_reads_by_its_rights_on_the_server_is_found(world: World) -> None:
    """Where @everyone may view nothing, a role needs no right in the channel itself to read it."""
    backend = world.env.backend
    everyone = world.guild.default_role
    backend.edit_role(world.guild.id, everyone.id, {"permissions": 0})
    players = world.guild.create_role(
        "players", permissions=discord.Permissions(view_channel=True, use_application_commands=True)
    )
    leads = world.guild.roles["leads"]
    rights = discord.Permissions(
        view_channel=True, manage_channels=True, use_application_commands=True
    )
    backend.edit_role(world.guild.id, leads.id, {"permissions": rights.value})
    room = world.guild.create_text_channel("plain")
    answer = await world.gina.slash(world.zone, "setup", game="ebb", gm_channel=room)
    text = refusal_of(answer)
    assert "can read that channel and isn't one of this table's GM roles" in text
    assert players.mention in text or leads.mention in text


async def test_an_administrator_is_not_held_against_a_channel(world: World) -> None:
    admins = world.guild.create_role("admins", permissions=discord.Permissions(administrator=True))
    room = _room(world, "admins-too", admins)
    public(await world.gina.slash(world.zone, "setup", game="ebb", gm_channel=room))


async def test_the_bot_must_be_able_to_write_in_the_gm_channel(world: World) -> None:
    room = secret_room(world.env, world.guild, "mute", world.gina)
    bot = world.env.bot.user
    assert bot is not None
    world.env.backend.set_overwrite(
        room.id,
        Overwrite(bot.id, OverwriteType.MEMBER, deny=discord.Permissions(send_messages=True).value),
    )
    answer = await world.gina.slash(world.zone, "setup", game="ebb", gm_channel=room)
    assert "Storyguide can't read that channel, write in it, or embed links there." in refusal_of(
        answer
    )


async def test_only_a_text_channel_is_fit(world: World) -> None:
    """The option offers text channels only; the menu could bring anything back."""
    question = await open_guide(world)
    voice = world.guild.create_voice_channel("voice")
    picked = world.emit(
        world.gina, select(question, "A channel for GMs only"), question, (str(voice.id),)
    )
    await world.env.settle()
    assert "Choose an ordinary text channel on this server for secrets." in refusal_of(picked)
    gone = world.emit(world.gina, select(question, "A channel for GMs only"), question, ("12345",))
    await world.env.settle()
    assert "That channel is gone." in refusal_of(gone)


async def test_opening_a_table_needs_manage_channels(world: World) -> None:
    """The server may hand the command to others; the bot asks for the right all the same."""
    command = world.env.backend.find_command("setup", world.guild.id, type=1)
    assert command is not None
    assert (
        int(command["default_member_permissions"])
        == discord.Permissions(manage_channels=True).value
    )
    world.guild.set_command_permissions(int(command["id"]), {world.ana: True})
    answer = await world.ana.slash(world.zone, "setup", game="ebb")
    assert "To open a table you need permission to manage channels on this server." in refusal_of(
        answer
    )
    assert "No table here" in private(await world.ana.slash(world.zone, "table show"))


async def test_a_channel_has_one_table(world: World) -> None:
    await world.setup()
    again = await world.setup()
    assert "This channel already has a table: The Dry Canal." in refusal_of(again)
    assert len(world.messages()) == 1


async def test_each_channel_may_have_a_table_of_its_own(world: World) -> None:
    await world.setup()
    other = world.guild.create_text_channel("elsewhere")
    created = await world.gina.slash(other, "setup", game="ebb", name="The Wet Canal")
    assert "The Wet Canal is open" in public(created)
    assert "The Wet Canal" in private(await world.gina.slash(other, "table show"))
    assert "The Dry Canal" in private(await world.gina.slash(world.zone, "table show"))


async def test_a_thread_plays_at_its_parents_table(world: World) -> None:
    await world.table()
    thread = world.thread()
    assert "The Dry Canal" in private(await world.ana.slash(thread, "table show"))
    proposal = await world.ana.slash(thread, "check", skill="Climbing", approach="over the wall")
    assert "Marek: Climbing d8" in public(proposal)
    call = world.last(thread)
    assert call.content.startswith(f"{world.gina.mention}, your call on Marek: “over the wall”")
    await world.rule(message_of(await world.press(world.gina, call, "Answer")))
    roll = "Marek, roll d10 + d8 against 10 (Tricky): 55%"
    assert texts(world.last(thread)) == f"{world.ana.mention}, {roll}\nRoll d10 + d8"
    assert [head(each) for each in world.messages(thread)][-2] == roll
    assert len(world.messages()) == 3, "nothing of it is posted in the parent"


async def test_a_thread_may_have_a_table_of_its_own(world: World) -> None:
    await world.setup()
    thread = world.thread()
    public(await world.gina.slash(thread, "setup", game="ebb", name="A side story"))
    assert "A side story" in private(await world.gina.slash(thread, "table show"))
    assert "The Dry Canal" in private(await world.gina.slash(world.zone, "table show"))


async def test_a_channel_without_a_table_says_who_can_open_one(world: World) -> None:
    for command in ("table show", "character list", "check", "gm members", "table last"):
        text = private(await world.ana.slash(world.zone, command))
        assert "No table here" in text, command
        assert "/setup" in text


async def test_another_server_knows_nothing_of_this_table(world: World, simcord_env: Env) -> None:
    await world.table()
    other = simcord_env.create_guild("Elsewhere")
    stranger = other.add_member(simcord_env.create_user("stranger"))
    room = other.create_text_channel("lobby")
    assert "No table here" in private(await stranger.slash(room, "table show"))
