"""Messages that are layouts: sent, changed, taken back, found again, and never made anything else
of.
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.presenters.controls import Button
from bot.presenters.layout import build_layout
from bot.presenters.render import to_messages
from bot.storage.errors import StorageUnavailable
from bot.ui.router import Press
from tests.discord.world import (
    World,
    head,
    is_layout,
    labels,
    message_of,
    pings,
    private,
    public,
    texts,
)


async def _rolled(world: World, *faces: int, **options: Any) -> Any:
    world.dice.lay(*faces)
    return await world.ana.slash(world.zone, "roll", dice="2d6+1", **options)


async def test_a_result_is_a_layout_that_says_who_rolled_what_and_calls_nobody(
    world: World,
) -> None:
    await world.table()
    result = await _rolled(world, 3, 4, reason="*up* the @everyone drain")
    message = message_of(result).message
    assert is_layout(message)
    assert (message.content, message.embeds) == ("", [])
    assert head(message) == "Ana rolls 8"
    text = public(result)
    assert "2d6 (3, 4) + 1 = **8**" in text
    assert r"> \*up\* the" in text
    assert "-# #" in text
    assert labels(message) == ["Roll again"]
    assert pings(message, world.env) == []


async def test_its_buttons_work(world: World) -> None:
    await world.table()
    first = message_of(await _rolled(world, 3, 4))
    world.dice.lay(6, 6)
    again = await world.press(world.ben, first, "Roll again")
    assert head(message_of(again).message) == "Ben rolls 13"
    assert is_layout(message_of(again).message)


async def test_an_announced_answer_becomes_a_layout(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    world.slow_down(monkeypatch)
    result = await _rolled(world, 1, 1)
    assert is_layout(message_of(result).message)
    assert "= **3**" in public(result)


async def test_private_answers_are_plain_for_those_who_want_it(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "table plain", on=True)
    result = await _rolled(world, 2, 6, visibility="private")
    assert not is_layout(message_of(result).message)
    assert message_of(result).content.startswith("Ana rolls 9\n2d6 (2, 6) + 1 = 9\n")
    assert "Private: only" in private(result)
    assert labels(message_of(result).message) == ["Roll again"]


async def _awarded(world: World, note: str = "well played") -> Any:
    return await world.gina.slash(world.zone, "gm award", kind="fate", reason=note)


async def test_what_was_taken_back_says_so_and_stays_a_layout(world: World) -> None:
    await world.table()
    await _awarded(world)
    message = world.last()
    assert is_layout(message)
    assert "Award: well played" in texts(message)
    private(await world.gina.slash(world.zone, "gm undo"))
    (there,) = [each for each in world.messages() if each.id == message.id]
    assert is_layout(there)
    assert head(there) == f"Undone (#{await world.revision()}): Award: well played"


async def test_a_card_that_was_sent_but_not_noted_is_found_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every card carries its row; that two of them say the very same changes nothing."""
    await world.table()
    await _awarded(world)
    first = world.last()

    async def full(*args: Any) -> None:
        raise StorageUnavailable("full", "x")

    async def unknown(*args: Any) -> None:
        return None

    with monkeypatch.context() as patch:
        patch.setattr("bot.storage.store.SqlStore.mark_done", full)
        await _awarded(world)
        second = world.last()
        await world.bot.close()
    count = len(world.messages())
    with monkeypatch.context() as patch:
        patch.setattr("bot.delivery.channels.Channels.answer_id", unknown)
        await world.restart()
        await world.env.settle()
    assert len(world.messages()) == count, "not said again"
    private(await world.gina.slash(world.zone, "gm undo"))
    assert {
        each.id: head(each) for each in world.messages() if each.id in (first.id, second.id)
    } == {
        first.id: "Award: well played",
        second.id: f"Undone (#{await world.revision()}): Award: well played",
    }


async def test_what_becomes_readable_is_hidden_though_it_is_a_layout(world: World) -> None:
    """A card in the GM channel gives way to a stub when others can read it; it cannot become a
    text.
    """
    await world.table(gm_channel=True)
    await world.gina.slash(world.zone, "session start")
    await world.gina.slash(world.zone, "session end")
    card = world.last(world.gm_room)
    assert is_layout(card)
    assert "for the GMs" in head(card)
    world.let_read(world.gm_room, world.guild.default_role)
    private(await world.gina.slash(world.zone, "gm undo"))
    (there,) = [each for each in world.messages(world.gm_room) if each.id == card.id]
    assert is_layout(there)
    assert "for the GMs" not in texts(there)
    assert "Undone" in texts(there)


async def test_a_panel_in_a_layout_stays_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever answers a button by changing the message it is on: a text is laid out."""
    await world.table()
    message = message_of(await world.ana.slash(world.zone, "table show"))
    assert is_layout(message)

    async def changed(press: Press) -> None:
        async with world.bot.interactions.respond_to(
            press.interaction, public=True, update=True
        ) as response:
            card = build_layout(
                "own", "Changed", "Now a text", rows=((Button("sg:other:1", "More"),),)
            )
            await response.say(to_messages(card, plain=True))

    world.bot.router.add("other", changed)
    for delay in (60, 0.001):
        monkeypatch.setattr("bot.delivery.response.DEFER_AFTER", delay)
        result = world.emit(world.ana, "sg:other:1", message)
        await world.env.settle()
        assert message_of(result).id == message.id
        assert is_layout(message_of(result))
        assert texts(message_of(result)) == "Changed\nNow a text\nMore"
        assert labels(message_of(result)) == ["More"]
