"""What works in direct messages and wherever somebody brings the bot along, and what the menu of a
message offers.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.builders import ChannelHandle
from simcord.enums import ChannelType, OverwriteType

from bot.presenters.render import message_row_number
from tests.discord.world import (
    Laid,
    World,
    labels,
    menu,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)


async def _direct(world: World, who: Any, command: str, **options: Any) -> Any:
    """A command in somebody's direct messages."""
    return await who.user.slash(command, **options)


async def test_dice_in_direct_messages_are_ones_own_and_outlive_a_restart(world: World) -> None:
    world.dice.lay(4, 3)
    assert "Ana rolls 8" in texts((await _direct(world, world.ana, "roll", dice="2d6+1")).response)
    await _direct(world, world.ana, "roll-save", name="axe", dice="d20+5")
    await world.restart()
    world.dice.lay(10)
    assert "Ana rolls 15" in texts((await _direct(world, world.ana, "roll", dice="axe")).response)
    assert "isn't dice notation" in texts(
        (await _direct(world, world.ben, "roll", dice="axe")).response
    )
    assert "2d6: 7 on average" in texts(
        (await _direct(world, world.ana, "odds", dice="2d6")).response
    )
    assert "Storyguide runs" in texts((await _direct(world, world.ana, "help")).response)


async def test_nothing_else_is_offered_in_direct_messages(world: World) -> None:
    offered = {name.split()[0] for name in world.ana.user.available_commands()}
    assert offered == {"roll", "roll-save", "odds", "moves", "help", "notify", "privacy"}


async def test_ones_own_dice_are_deleted_with_everything_else(world: World) -> None:
    await _direct(world, world.ana, "roll", dice="1d6")
    asked = await _direct(world, world.ana, "privacy delete")
    await world.ana.user.click(asked.response, custom_id="sg:forget:yes")
    assert await world.bot.tables.store.memberships(None, str(world.ana.id)) == ()


async def test_what_waits_at_all_tables_is_told_anywhere(world: World) -> None:
    await world.table()
    await world.answered()
    text = texts((await _direct(world, world.ana, "moves")).response)
    assert "The Dry Canal · [open the channel](https://discord.com/channels/" in text
    assert "Roll" in text
    assert "Nothing to do right now" in texts((await _direct(world, world.ben, "moves")).response)
    await world.restart()
    elsewhere = world.guild.create_text_channel("elsewhere")
    assert "The Dry Canal" in private(await world.ana.slash(elsewhere, "moves"))
    await world.gina.slash(elsewhere, "setup", game="ebb", name="Another")
    text = private(await world.ana.slash(elsewhere, "moves"))
    assert "The Dry Canal · [open the channel]" in text
    assert "The Dry Canal ·" not in private(await world.ana.slash(world.zone, "moves"))


async def test_who_has_left_the_server_is_told_nothing_of_its_tables(world: World) -> None:
    await world.table()
    await world.answered()
    user = world.ana.user
    world.guild.remove_member(world.ana)
    assert "Nothing to do right now" in texts((await user.slash("moves")).response)


# --- help -----------------------------------------------------------------------------------------


async def test_who_may_not_read_the_channel_is_told_nothing_of_what_is_done_there(
    world: World,
) -> None:
    await world.table()
    await world.ana.slash(
        world.zone, "attack", target="Ilka", skill="Rifles", approach="secret plan"
    )
    await world.rule(level=None)
    assert "Marek attacks Ilka" in private(await world.ben.user.slash("moves"))
    denied = discord.Permissions(view_channel=True).value
    world.env.backend.set_overwrite(
        world.zone.id, Overwrite(world.ben.id, OverwriteType.MEMBER, deny=denied)
    )
    text = private(await world.ben.user.slash("moves"))
    assert "Marek" not in text and "The Dry Canal" not in text


async def test_where_the_bot_has_left_dice_are_ones_own(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that it led there, before somebody brought it along, has nothing to do with them."""
    await world.table()
    monkeypatch.setattr(type(world.bot), "get_guild", lambda bot, id: None)
    for command, said_ in (("roll", "Ben rolls"), ("roll", "Ben rolls")):
        assert said_ in texts(message_of(await world.ben.slash(world.zone, command, dice="1d6")))
    await world.ben.slash(world.zone, "roll-save", name="stab", dice="d20")
    offered = await world.ben.autocomplete(world.zone, "roll", "dice", "st")
    assert [each["name"] for each in offered][:1] == ["stab (d20)"] or offered
    assert await world.revision() == 3, "nothing at the table"


async def test_help_is_a_menu_of_topics_with_commands_to_press(world: World) -> None:
    await world.table()
    first = await world.ana.slash(world.zone, "help")
    assert "</check:" in private(first)
    await world.restart()
    page = await world.ana.select(message_of(first), ["commands"], custom_id="sg:help:topic:ebb")
    assert "</roll:" in private(page)
    assert "/gm" not in private(page)
    assert "EBB: how to play" in private(
        await world.ana.slash(world.zone, "help", topic="gm-commands")
    )
    topics = menu(page.response, "Choose: topic")["options"]
    assert "GM: answering" not in [each["label"] for each in topics]
    assert [each["label"] for each in topics if each.get("default")] == [
        "Topic: All commands: rolls and cards"
    ]
    assert "</gm undo:" in private(await world.gina.slash(world.zone, "help", topic="gm-commands"))
    rest = await world.ana.select(
        message_of(first), ["table-commands"], custom_id="sg:help:topic:ebb"
    )
    assert "</character create:" in private(rest) and "</roll:" not in private(rest)
    more = message_of(await world.press(world.ana, message_of(rest), "More"))
    last = await world.press(world.ana, more, "More")
    assert "</table undo:" in "\n".join((texts(more), private(last)))


async def test_the_rules_of_a_game_are_chosen_from_a_menu(world: World) -> None:
    asked = await _direct(world, world.ana, "help", topic="start")
    page = await world.ana.user.select(asked.response, ["barmore"], custom_id="sg:help:game")
    assert "Add Die" in texts(page.response)


# --- the menu of a message ------------------------------------------------------------------------


async def _verify(world: World, message: Any, who: Any = None) -> Any:
    return await (who or world.ana).context_menu(world.zone, "Verify this roll", message)


async def test_a_roll_is_verified_once_its_seed_is_revealed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It is thrown again in a process of its own, where ids are what they are.
    monkeypatch.setattr(Laid, "tag", lambda laid, number: laid.keyed.tag(number))
    await world.table()
    message = await world.answered()
    await world.press(world.ana, message, "Roll")
    card = world.card()
    assert message_row_number(card) is not None
    assert "can't be verified yet" in private(await _verify(world, card))
    await world.gina.slash(world.zone, "table fair rotate")
    await world.restart()
    text = private(await _verify(world, world.card(), world.ben))
    assert "✓ Verified: these dice are fair" in text
    assert "with the same result" in text


async def test_plain_dice_are_verified_too(world: World) -> None:
    await world.table()
    public(await world.ana.slash(world.zone, "roll", dice="4d6kh3"))
    message = world.last()
    await world.gina.slash(world.zone, "table fair rotate")
    assert "✓ Verified" in private(await _verify(world, message))


async def test_a_result_that_was_changed_afterwards_is_told(world: World) -> None:
    await world.table()
    public(await world.ana.slash(world.zone, "roll", dice="4d6", reason="fair"))
    await world.gina.slash(world.zone, "table fair rotate")
    with sqlite3.connect(world.path) as connection:
        connection.execute(
            "UPDATE journal SET events = replace(events, 'fair', 'foul') WHERE kind = 'RollDice'"
        )
    assert "✗ These dice don't match their seed" in private(
        await _verify(world, world.messages()[-2])
    )


async def test_what_has_no_dice_is_refused(world: World) -> None:
    await world.table()
    assert "That message has no dice" in refusal_of(await _verify(world, await world.answered()))
    typed = await world.ana.send(world.zone, "I rolled a 20, honest")
    assert "That message has no dice" in refusal_of(await _verify(world, typed))


async def test_a_post_becomes_the_idea_of_a_check(world: World) -> None:
    await world.table()
    post = await world.ana.send(world.zone, "Marek swings over the gap on the hose.")
    panel = await world.ana.context_menu(world.zone, "Check for this post", post)
    text = private(panel)
    assert "Marek: what do you try?" in text
    assert "swings over the gap" in text
    sent = await world.press(world.ana, panel.response, "Send")
    assert "> Marek swings over the gap on the hose." in texts(world.card())
    assert sent is not None and "Roll" not in labels(world.card())


@pytest.mark.parametrize("who", ["bot", "nobody"])
async def test_only_a_post_with_words_becomes_a_check(world: World, who: str) -> None:
    await world.table()
    picture = [("map.png", b"x")]
    post = await (
        world.answered() if who == "bot" else world.ana.send(world.zone, attachments=picture)
    )
    found = await world.ana.context_menu(world.zone, "Check for this post", post)
    assert "That post has no text" in refusal_of(found)


async def test_who_is_not_in_a_private_thread_is_told_nothing_of_what_is_done_there(
    world: World,
) -> None:
    await world.table()
    backend = world.env.backend
    room, me = world.guild.create_text_channel("elsewhere"), backend.bot_user.id
    made = backend.create_thread(room.id, "below", me, type=ChannelType.PRIVATE_THREAD)
    thread = ChannelHandle(world.env, world.guild, made)
    for who in (world.gina, world.ana, world.ben):
        backend.add_thread_member(made.id, who.id)
    await world.gina.slash(world.zone, "gm bind", channel=thread)
    await world.gina.slash(world.zone, "gm unbind", channel=str(world.zone.id))
    assert world.bot.tables.places.places_of(1) == (str(made.id),)
    await world.ana.slash(thread, "attack", target="Ilka", skill="Rifles", approach="secret plan")
    await world.rule(world.newest("Answer", thread), level=None)
    assert "Marek attacks Ilka" in private(await world.ben.user.slash("moves"))
    backend.remove_thread_member(made.id, world.ben.id)
    text = private(await world.ben.user.slash("moves"))
    assert "Marek" not in text and "The Dry Canal" not in text and "Nothing to do right now" in text
