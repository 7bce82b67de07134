"""Discord in trouble: late, refused, cut off, limited, failing, told twice; and the end in the
midst of work.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from tests.loopback.interactions import Interaction
from tests.loopback.models import SEND_MESSAGES, VIEW_CHANNEL, Channel, Message
from tests.survival.edge_of_process import ANNOUNCED, PATIENCE, Rim, has_button, number, open_rim

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

CALLBACK = "/interactions/*/callback"
CLIMB = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the drainpipe, slowly"}
#: At so many tables nobody comes to the most checks that one player may have open at one of them.
BURST = 8


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Rim]:
    async with open_rim(tmp_path_factory.mktemp("rim")) as rim:
        await rim.start()
        yield rim
        await rim.stop()
        await rim.check_files()


@pytest_asyncio.fixture(loop_scope="module")
async def rim(shared: Rim) -> AsyncIterator[Rim]:
    """The server with a bot that runs; afterwards everything was said once and nothing is left
    over.
    """
    if not shared.running:
        await shared.start()
    yield shared
    shared.standin.clear_faults()
    await settle(shared)
    shared.check_said(shared.standin.interactions)
    assert shared.standin.unknown_routes == []


async def settle(rim: Rim) -> None:
    """Wait until nothing is unsaid any more."""
    await rim.wait(rim.told)


def results(rim: Rim, place: Channel, seq: int) -> list[Message]:
    return [message for message in rim.said(place) if number(message) == seq]


def roll_calls(rim: Rim, place: Channel) -> list[Message]:
    """What calls somebody to a roll."""
    return [
        message
        for message in rim.said(place)
        if number(message) is None and ", roll" in message.content
    ]


async def open_ruling(rim: Rim, place: Channel) -> Message:
    """Gina's panel of the proposal, with only the last button left to press."""
    panel = await rim.click(rim.gina, rim.with_button(place, "Answer"), "Answer")
    return await rim.choose(rim.gina, panel, "Difficulty", "Tricky")


async def journalled_entries(rim: Rim, sent: Interaction) -> int:
    await rim.wait(lambda: rim.journalled(sent) is not None)
    found = rim.journalled(sent)
    assert found is not None
    return found


async def test_too_late_for_a_public_answer(rim: Rim) -> None:
    place = await rim.table()
    rim.standin.fail("POST", CALLBACK, status=404, code=10062)
    sent = rim.emit(rim.ana, place, "check", **CLIMB)
    seq = await journalled_entries(rim, sent)
    await rim.wait(lambda: results(rim, place, seq))
    await rim.settled()
    assert sent.response is None
    await rim.click(rim.gina, rim.with_button(place, "Answer"), "Answer")


async def test_too_late_for_a_private_answer(rim: Rim) -> None:
    place = await rim.table()
    rim.standin.fail("POST", CALLBACK, status=404, code=10062)
    sent = rim.emit(rim.ana, place, "check", visibility="private", **CLIMB)
    seq = await journalled_entries(rim, sent)
    await rim.settled()
    assert not results(rim, place, seq)
    # Whoever does it once more gets what came of it the first time.
    again = await rim.do(rim.ana, place, "check", visibility="private", **CLIMB)
    assert again.response is not None and number(again.response) == seq and again.ephemeral
    assert rim.journalled(again) is None


@pytest.mark.parametrize("visibility", ["public", "private"])
@pytest.mark.parametrize("apply", [False, True])
async def test_cut_off_while_answering(rim: Rim, visibility: str, apply: bool) -> None:
    place = await rim.table()
    rim.standin.fail("POST", CALLBACK, drop_connection=True, apply=apply)
    sent = rim.emit(rim.ana, place, "check", visibility=visibility, **CLIMB)
    seq = await journalled_entries(rim, sent)
    await rim.settled()
    assert (sent.response is not None) is apply
    await rim.do(rim.ana, place, "moves")
    await settle(rim)
    if visibility == "public":
        (message,) = results(rim, place, seq)
        assert (message is sent.response) is apply
        # The message is known, whichever it is: it changes when things move on.
        panel = await rim.click(rim.gina, rim.with_button(place, "Answer"), "Answer")
        panel = await rim.click(rim.gina, panel, "Impossible…")
        await rim.click(rim.gina, panel, "Impossible")
        await rim.wait(lambda: not has_button(message, "Edit"))


async def test_cut_off_while_looking_whether_it_was_answered(rim: Rim) -> None:
    place = await rim.table()
    rim.standin.fail("POST", CALLBACK, drop_connection=True, apply=True)
    # The client's HTTP library asks twice by itself.
    rim.standin.fail("GET", "/webhooks/*/messages/*", drop_connection=True, times=2)
    sent = rim.emit(rim.ana, place, "check", **CLIMB)
    seq = await journalled_entries(rim, sent)
    await settle(rim)
    assert results(rim, place, seq) == [sent.response]


@pytest.mark.parametrize("apply", [False, True])
async def test_cut_off_while_posting(rim: Rim, apply: bool) -> None:
    place = await rim.table()
    await rim.do(rim.ana, place, "check", **CLIMB)
    await rim.settled()
    panel = await open_ruling(rim, place)
    fault = rim.standin.fail(
        "POST", f"/channels/{place.id}/messages", drop_connection=True, apply=apply
    )
    done = rim.press(rim.gina, panel, "Call for a roll")
    await done.answered(PATIENCE)
    await settle(rim)
    assert fault.hits == 1 and len(results(rim, place, await journalled_entries(rim, done))) == 1


async def test_cut_off_while_telling_late(rim: Rim) -> None:
    place = await rim.table()
    rim.standin.fail("POST", CALLBACK, status=404, code=10062)
    sent = rim.emit(rim.ana, place, "check", visibility="private", **CLIMB)
    seq = await journalled_entries(rim, sent)
    await rim.settled()
    fault = rim.standin.fail("POST", "/webhooks/*", drop_connection=True)

    def told() -> list[Message]:
        return [
            each for each in rim.whispers(rim.ana) if each.channel is place and number(each) == seq
        ]

    await moves_until(rim, place, lambda: fault.hits)
    assert not told()
    await moves_until(rim, place, told)
    assert len(told()) == 1


async def moves_until(rim: Rim, place: Channel, condition: Callable[[], Any]) -> None:
    """Have Ana ask for her moves, again and again, until that is so: the bot tells her what she
    missed.
    """
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await rim.do(rim.ana, place, "moves")
            await rim.quiet()


async def test_failing_server(rim: Rim) -> None:
    place = await rim.table()
    rim.standin.fail("POST", CALLBACK, status=500)
    rim.standin.fail("POST", CALLBACK, status=502, apply=True)
    first, second = (rim.emit(who, place, "check", **CLIMB) for who in (rim.ana, rim.ben))
    for sent in (first, second):
        await sent.answered(PATIENCE)
        seq = await journalled_entries(rim, sent)
        await settle(rim)
        assert results(rim, place, seq) == [sent.response]


async def test_rate_limits(rim: Rim) -> None:
    place = await rim.table()
    await rim.do(rim.ana, place, "check", **CLIMB)
    await rim.settled()
    panel = await open_ruling(rim, place)
    answer = rim.standin.fail("POST", CALLBACK, status=429, retry_after=0.2)
    post = rim.standin.fail(
        "POST", f"/channels/{place.id}/messages", status=429, retry_after=0.2, times=2
    )
    edit = rim.standin.fail(
        "PATCH", f"/channels/{place.id}/messages/*", status=429, retry_after=0.2
    )
    done = rim.press(rim.gina, panel, "Call for a roll")
    await done.answered(PATIENCE)
    await settle(rim)
    assert (answer.hits, post.hits, edit.hits) == (1, 2, 1)
    assert len(results(rim, place, await journalled_entries(rim, done))) == 1


@pytest.mark.parametrize("restart", [False, True])
async def test_channel_that_may_not_be_written_in(rim: Rim, restart: bool) -> None:
    place = await rim.table()
    await rim.do(rim.ana, place, "check", **CLIMB)
    await rim.settled()
    panel = await open_ruling(rim, place)
    rim.standin.set_overwrites(place, {rim.standin.me: (0, SEND_MESSAGES)})
    done = await rim.press(rim.gina, panel, "Call for a roll").answered(PATIENCE)
    seq = await journalled_entries(rim, done)
    await rim.wait(lambda: any(row.error for row in rim.outbox()))
    # An edit needs no permission either, so the card goes on; nobody can be called to it.
    await rim.wait(lambda: results(rim, place, seq))
    assert not roll_calls(rim, place)
    # Answers to commands need no permission, so that play goes on.
    await rim.do(rim.ben, place, "check", **CLIMB)
    told = await rim.do(rim.ben, place, "table last")
    await told.until(
        lambda: any("Not posted yet" in " ".join(each.texts()) for each in told.messages)
    )
    if restart:
        await rim.stop()
    rim.standin.set_overwrites(place, {})
    if restart:
        await rim.start()
    await settle(rim)
    assert len(results(rim, place, seq)) == 1 and len(roll_calls(rim, place)) == 1


@pytest.mark.parametrize("leak", [True, False])
async def test_gm_channel_that_is_no_longer_fit(rim: Rim, leak: bool) -> None:
    place = await rim.table()
    before, known = rim.gm_room.overwrites, len(rim.said(rim.gm_room))
    changed = {rim.standin.me: (VIEW_CHANNEL, SEND_MESSAGES), rim.guild: (0, VIEW_CHANNEL)}
    rim.standin.set_overwrites(rim.gm_room, {} if leak else changed)
    try:
        sent = await rim.do(rim.ana, place, "check", visibility="private", **CLIMB)
        await settle(rim)
        assert len(rim.said(rim.gm_room)) == known
        assert CLIMB["approach"] not in str([message.texts() for message in rim.said(place)])
        stub = rim.with_button(place, "Show")
        shown = await rim.click(rim.gina, stub, "Show")
        assert number(shown) == await journalled_entries(rim, sent) and shown.ephemeral
        panel = await rim.click(rim.gina, shown, "Answer")
        panel = await rim.click(rim.gina, panel, "Impossible…")
        await rim.click(rim.gina, panel, "Impossible")
        await settle(rim)
        # It has moved on: that there was something private is nobody's business.
        assert stub not in rim.said(place)
        assert CLIMB["approach"] not in str([message.texts() for message in rim.said(place)])
    finally:
        rim.gm_room.overwrites = before
        rim.standin.channel_changed(rim.gm_room)


async def test_the_same_interaction_again(rim: Rim) -> None:
    place = await rim.table()
    sent = rim.emit(rim.ana, place, "check", **CLIMB)
    rim.standin.redeliver(sent)
    await sent.answered(PATIENCE)
    rim.standin.redeliver(sent)
    await settle(rim)
    rim.standin.redeliver(sent)
    done = rim.press(rim.gina, await open_ruling(rim, place), "Call for a roll")
    rim.standin.redeliver(done)
    await done.answered(PATIENCE)
    await settle(rim)
    rim.standin.redeliver(done)
    await rim.stop()
    await rim.start()
    rim.standin.redeliver(sent, fresh=True)
    rim.standin.redeliver(done, fresh=True)
    await rim.do(rim.ana, place, "moves")
    await settle(rim)
    # The card of the check waits for the roll, and only who tried it is called to that.
    *told, call = rim.said(place)
    assert [number(message) for message in told] == [1, 2, 3, 5]
    assert call in roll_calls(rim, place)
    assert (
        sent.refusals == []
        and sent.response is not None
        and not has_button(sent.response, "Answer")
    )


async def test_reconnected_while_answering(rim: Rim) -> None:
    place = await rim.table()
    gateway, resumed = rim.standin.gateway, rim.standin.gateway.resumed
    rim.standin.slow("POST", CALLBACK, 0.3, times=1)
    sent = rim.emit(rim.ana, place, "check", **CLIMB)
    await gateway.close_clients(4000)
    await gateway.changes.until(lambda: gateway.resumed > resumed, PATIENCE)
    rim.standin.redeliver(sent)
    await sent.answered(PATIENCE)
    await settle(rim)
    *told, call = rim.said(place)
    assert [number(message) for message in told] == [1, 2, 3, 4]
    assert number(call) is None and has_button(call, "Answer")


async def test_killed_in_the_midst_of_a_burst(rim: Rim) -> None:
    """What was only announced is not in the journal; what is there is told once the bot is back,
    once.
    """
    places = [await rim.table() for _ in range(BURST)]
    sent = [
        rim.emit(
            who, places[n % BURST], "check", visibility=("public", "private")[n % 3 == 0], **CLIMB
        )
        for n in range(200)
        for who in (rim.ana, rim.ben)
    ]
    await rim.wait(lambda: any(item.callback_type == ANNOUNCED for item in sent))
    await rim.kill()
    done = [item for item in sent if rim.journalled(item) is not None]
    assert len(done) < len(sent)
    assert all(item in done for item in sent if item.state == "answered")
    await rim.start()
    await rim.settled()
    for who in (rim.ana, rim.ben):
        for place in places:
            await rim.do(who, place, "moves")
    await rim.wait(rim.told)


async def test_told_to_end_in_the_midst_of_a_burst(rim: Rim) -> None:
    places = [await rim.table() for _ in range(BURST)]
    await rim.do(rim.gina, places[0], "gm settings", live=True, attacks_at_once=True)
    sent = [
        rim.emit(
            who,
            places[n % BURST],
            "check",
            difficulty="Tricky",
            visibility=("public", "private")[n % 3 == 0],
            **CLIMB,
        )
        for n in range(150)
        for who in (rim.ana, rim.ben)
    ]
    # So many are left that the bot can answer them in the time it has, on a busy machine, too.
    await sent[len(sent) // 2].answered(PATIENCE)
    assert rim.bot is not None
    rim.bot.send_signal(signal.SIGTERM)
    assert await rim.bot.ended() == 0
    done = [item for item in sent if rim.journalled(item) is not None]
    assert all((item.state == "answered") == (item in done) for item in sent)
    assert rim.told()
    await rim.start()
    assert "outbox.recover count=0" in rim.output()
