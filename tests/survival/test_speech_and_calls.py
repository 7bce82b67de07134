"""kill -9 while a character speaks, and while a call for a roll is made, answered and ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.loopback.interactions import Interaction
from tests.loopback.models import MANAGE_WEBHOOKS, Channel, Message
from tests.survival.edge_of_process import PATIENCE, Rim, during, has_button, open_rim

CALL = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Easy"}
SEAL = "The boots are dry."
#: Steps of an action from its begin to the note that it was told.
STEPS = (
    "table.resolved",
    "storage.committing",
    "table.committed",
    "outbox.sending",
    "outbox.sent",
    "outbox.noting",
    "outbox.noted",
)


async def _speaking_table(rim: Rim) -> Channel:
    place = await rim.table(gm_room=False)
    rim.standin.set_overwrites(place, {rim.standin.me: (MANAGE_WEBHOOKS, 0)})
    await rim.settled()
    await rim.quiet()
    return place


def _spoken(place: Channel) -> list[str]:
    """Texts of the messages of webhooks in a channel, the oldest first."""
    return [message.content for message in place.messages if message.webhook_id is not None]


async def _killed(
    rim: Rim, event: str, count: int, act: Callable[[], Interaction], done: Callable[[], bool]
) -> None:
    """Do something, with a death at an event; then start again, and do it once more if need be."""
    rim.order(event, count)
    sent = act()
    await rim.died(unless=lambda: sent.state != "none" and rim.told() and done())
    lost = rim.journalled(sent) is None
    await rim.start()
    await rim.settled()
    if lost:
        await act().answered(PATIENCE)
    await rim.settled()
    await rim.quiet()


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["Who's there?", f"{'a' * 1500}\n\n{'b' * 1500}"], ids=["one page", "two pages"]
)
async def test_words_are_said_once_wherever_the_bot_dies(text: str, tmp_path: Path) -> None:
    pages = text.split("\n\n")
    steps = [*((step, 1) for step in STEPS), *(("speech.page-sent", at + 1) for at in (0, 1))]
    async with open_rim(tmp_path) as rim:
        await rim.start()
        for event, count in steps[: len(STEPS) + len(pages)]:
            place = await _speaking_table(rim)
            dialog = await rim.do(rim.ana, place, "post")
            assert dialog.modal is not None

            def act(dialog: Interaction = dialog) -> Interaction:
                return rim.standin.emit_modal(dialog, values={"text": text})

            with during(f"{event} {count}"):
                await _killed(rim, event, count, act, lambda where=place: bool(_spoken(where)))
                assert _spoken(place) == pages
        await rim.stop()
        await rim.check_files()


@pytest.mark.slow
@pytest.mark.parametrize("label", ["Edit…", "Delete"])
async def test_a_change_of_words_is_carried_out_wherever_the_bot_dies(
    label: str, tmp_path: Path
) -> None:
    after = ["Nobody."] if label == "Edit…" else []
    async with open_rim(tmp_path) as rim:
        await rim.start()
        for event in STEPS:
            place = await _speaking_table(rim)
            receipt = (await rim.do(rim.ana, place, "say", text="Who's there?")).response
            assert receipt is not None
            await rim.settled()
            act = await _change(rim, receipt, label)
            with during(event):
                await _killed(rim, event, 1, act, lambda where=place: _spoken(where) == after)
                assert _spoken(place) == after
        await rim.stop()
        await rim.check_files()


async def _change(rim: Rim, receipt: Message, label: str) -> Callable[[], Interaction]:
    """The press that deletes what was said, or the dialog that edits it, only to be sent."""
    if label == "Delete":
        return lambda: rim.press(rim.ana, receipt, label)
    dialog = await rim.press(rim.ana, receipt, label).answered(PATIENCE)
    return lambda: rim.standin.emit_modal(dialog, values={"text": "Nobody."})


# --- calls for rolls ------------------------------------------------------------------------------


def _calls(rim: Rim, place: Channel) -> list[Message]:
    """The messages with the lines of a call."""
    return [message for message in rim.said(place) if "**Ilka:**" in "\n".join(message.texts())]


def _pings(rim: Rim, place: Channel) -> list[Message]:
    return [
        message
        for message in rim.said(place)
        if has_button(message, "Roll") and "<@" in (message.content or "")
    ]


@pytest.mark.slow
async def test_a_call_has_one_message_and_one_ping_wherever_the_bot_dies(tmp_path: Path) -> None:
    async with open_rim(tmp_path) as rim:
        await rim.start()
        for event, count in (*((step, 1) for step in STEPS), ("outbox.sent", 2)):
            place = await rim.table(gm_room=False)

            def act(place: Channel = place) -> Interaction:
                return rim.emit(rim.gina, place, "gm call", seal=SEAL, **CALL)

            with during(f"{event} {count}"):
                await _killed(rim, event, count, act, lambda: True)
                assert len(_calls(rim, place)) == len(_pings(rim, place)) == 1
        await rim.stop()
        await rim.check_files()


@pytest.mark.slow
async def test_a_sealed_text_whose_answer_was_lost_can_still_be_read(tmp_path: Path) -> None:
    async with open_rim(tmp_path) as rim:
        await rim.start()
        for event in ("storage.committing", "table.committed", "outbox.answered"):
            place = await rim.table(gm_room=False)
            await rim.do(rim.gina, place, "gm settings", setting="step_in_minutes", value="0")
            seal = f"{SEAL} {event}"
            await rim.do(rim.gina, place, "gm call", seal=seal, who="Marek", **CALL)
            await rim.settled()
            message = rim.with_button(place, "Roll")
            rim.order(event)
            sent = rim.press(rim.ana, message, "Roll")
            await rim.died(unless=lambda sent=sent: sent.state != "none" and rim.told())
            await rim.start()
            await rim.settled()
            with during(event):
                await _reads_what_was_earned(rim, place, seal)
                assert not [each for each in rim.said(place) if SEAL in str(each.texts())]
        await rim.stop()
        await rim.check_files()


async def _reads_what_was_earned(rim: Rim, place: Channel, seal: str) -> None:
    """Ana goes on until the roll is final, and then knows the text if it is a success."""
    for _ in range(4):
        moves = (await rim.do(rim.ana, place, "moves")).response
        assert moves is not None
        await rim.settled()
        label = next(
            (each for each in ("Read it", "React", "Roll") if has_button(moves, each)), None
        )
        if label is None:
            break
        shown = await rim.click(rim.ana, moves, label)
        if has_button(shown, "Accept result"):
            await rim.click(rim.ana, shown, "Accept result")
    # A lost answer follows beside the next one.
    await rim.wait(rim.told)
    table = await rim.state(rim.query("SELECT MAX(id) FROM game_table")[0][0])
    earned = any(table.counters.seals_read.values())
    told = any(seal in "\n".join(each.texts()) for each in rim.whispers(rim.ana))
    assert told == earned


@pytest.mark.slow
@pytest.mark.parametrize("event", ["scheduler.acting", "storage.committing", "table.committed"])
async def test_the_end_of_a_call_rolls_once_wherever_the_bot_dies(
    event: str, tmp_path: Path
) -> None:
    async with open_rim(tmp_path) as rim:
        await rim.start()
        place = await rim.table(gm_room=False)
        await rim.do(rim.gina, place, "gm call", seal=SEAL, until="1 day", **CALL)
        await rim.settled()
        await rim.stop()
        rim.turn_clock(1.01)
        rim.order(event)
        await rim.start(ready=False)
        await rim.died()
        await rim.start()
        await rim.settled()
        await rim.wait(lambda: "not rolled yet" not in str(_calls(rim, place)[-1].texts()))
        shown = "\n".join(_calls(rim, place)[-1].texts())
        assert shown.count("(rolled by Storyguide)") == 2 and len(_calls(rim, place)) == 1
        dues: list[Any] = rim.query("SELECT request_id FROM journal WHERE kind = 'Due'")
        assert len([row for (row,) in dues if ":rolls:" in row]) == 1
        await rim.stop()
        await rim.check_files()
