"""`/notify`: a user's wishes, the test of direct messages, and what /privacy does with them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from simcord.builders import ChannelHandle

from bot.services.preferences import Preference, load_preference
from tests.discord.world import (
    World,
    button,
    dialog_values,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    texts,
)

PANEL = "Your pings"


async def wishes(world: World, who: Any) -> Preference:
    """The wishes of somebody as they are stored."""
    return await load_preference(world.bot.tables.store, str(who.id))


async def set_times(world: World, who: Any, zone: str = "", begin: str = "", end: str = "") -> Any:
    """Fill in the dialog behind *Quiet hours*."""
    panel = message_of(await who.slash(world.zone, "notify"))
    dialog = await world.press(who, panel, "Quiet hours…")
    return await who.submit_modal(dialog, {"zone": zone, "from": begin, "to": end})


def direct_messages(world: World, who: Any) -> list[Any]:
    """What the bot wrote to somebody alone, oldest first."""
    backend = world.env.backend
    channel = backend.dm_channels.get(who.id)
    if channel is None:
        return []
    found = ChannelHandle(world.env, None, backend.get_dm_channel(who.id)).history()
    return [message for message in found if message.author.bot]


async def test_wishes_are_kept_over_a_restart(world: World) -> None:
    await world.setup()
    panel = message_of(await world.ana.slash(world.zone, "notify"))
    assert PANEL in texts(panel)
    await world.choose(world.ana, panel, "How soon reminders come", "12")
    await world.choose(world.ana, panel, "Most loud pings a day", "3")
    await world.press(world.ana, panel, "One list a morning")
    await world.press(world.ana, panel, "Tell me I'm next")
    await set_times(world, world.ana, "berlin", "22:00", "7")
    await world.restart()
    assert await wishes(world, world.ana) == Preference(
        zone="Europe/Berlin",
        quiet=(22 * 60, 7 * 60),
        nudge=12,
        most=3,
        bundle="morning",
        next=True,
    )
    shown = private(await world.ana.slash(world.zone, "notify"))
    assert "22:00 to 07:00 (Europe/Berlin)" in shown
    assert "one list each morning" in shown
    assert "you're told when you're next" in shown
    assert await wishes(world, world.ben) == Preference()


@pytest.mark.parametrize(
    ("zone", "begin", "expected"),
    [
        ("Europe/Brelin", "22:00", "Did you mean “Europe/Berlin”"),
        ("Nowhere/Land of Oz", "22:00", "no time zone “Nowhere/Land of Oz”"),
        ("Europe/Berlin", "25:00", "“25:00” isn't a time of day"),
        ("Europe/Berlin", "late", "such as 22:30"),
        ("Europe/Berlin", "", "Fill in both hours"),
    ],
)
async def test_unknown_times_change_nothing(
    world: World, zone: str, begin: str, expected: str
) -> None:
    await set_times(world, world.ana, "Asia/Tokyo", "23:00", "06:00")
    before = await wishes(world, world.ana)
    refused = await set_times(world, world.ana, zone, begin, "06:00")
    assert expected in refusal_of(refused)
    assert await wishes(world, world.ana) == before


async def test_a_refused_dialog_keeps_what_was_typed(world: World) -> None:
    refused = await set_times(world, world.ana, "Europe/Berlin", "22:30", "soon")
    assert "“soon” isn't a time of day" in refusal_of(refused)
    shown = [message for message in (*refused.followups, refused.response) if message]
    message = next(message for message in shown if "Type again" in labels(message))
    dialog = await world.press(world.ana, message, "Type again")
    assert dialog_values(dialog) == {"zone": "Europe/Berlin", "from": "22:30", "to": "soon"}
    await world.ana.submit_modal(dialog, {**dialog_values(dialog), "to": "9am"})
    kept = await wishes(world, world.ana)
    assert (kept.zone, kept.quiet) == ("Europe/Berlin", (22 * 60 + 30, 9 * 60))


async def test_a_test_opens_direct_messages(world: World) -> None:
    panel = message_of(await world.ana.slash(world.zone, "notify"))
    await world.choose(world.ana, panel, "Where reminders go", "dm")
    assert "Press Send me a test once" in texts(panel)
    assert (await wishes(world, world.ana)).dm == ""
    await world.press(world.ana, panel, "Send me a test")
    (message,) = direct_messages(world, world.ana)
    assert "This works" in texts(message)
    kept = await wishes(world, world.ana)
    assert (kept.how, kept.dm) == ("dm", str(message.channel.id))
    assert "I've sent you a direct message" in texts(panel)
    assert direct_messages(world, world.ben) == []


async def test_a_refused_test_goes_back_to_the_channel(world: World) -> None:
    panel = message_of(await world.ana.slash(world.zone, "notify"))
    await world.choose(world.ana, panel, "Where reminders go", "dm")
    world.env.inject_error("POST", "/users/@me/channels", status=403, code=50007, message="No")
    await world.press(world.ana, panel, "Send me a test")
    kept = await wishes(world, world.ana)
    assert (kept.how, kept.dm, kept.refused) == ("here", "", True)
    assert "Allow direct messages" in texts(panel)


async def test_direct_messages_are_opened_one_after_another(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.delivery.direct_messages.MOST_A_MINUTE", 1)
    for who, arrives in ((world.ana, True), (world.ben, False)):
        panel = message_of(await who.slash(world.zone, "notify"))
        answer = await world.press(who, panel, "Send me a test")
        assert bool(direct_messages(world, who)) is arrives
    assert "again in a minute" in refusal_of(answer)
    await world.restart()
    await world.env.advance_time(61)
    await world.press(world.ben, panel, "Send me a test")
    assert direct_messages(world, world.ben)


async def test_forged_choices_change_nothing(world: World) -> None:
    await world.setup()
    panel = message_of(await world.ana.slash(world.zone, "notify"))
    source = world.last()
    for custom_id, value in (
        ("sg:notify:how", "sideways"),
        ("sg:notify:most", "-4"),
        ("sg:notify:nudge", "9" * 40),
        ("sg:notify:anything", "x"),
    ):
        world.emit(world.ana, custom_id, source, (value,))
        await world.env.settle()
    assert menu(panel, "Where reminders go")["custom_id"] == "sg:notify:how"
    assert await wishes(world, world.ana) == Preference()


async def test_privacy_shows_and_deletes_wishes(world: World) -> None:
    await set_times(world, world.ana, "Europe/Berlin", "22:00", "07:00")
    export = message_of(await world.ana.slash(world.zone, "privacy export"))
    assert "what you chose in" in texts(export)
    (file,) = export.attachments
    data = json.loads(await file.read())
    assert data["notify"]["zone"] == "Europe/Berlin"
    assert "dm" not in data["notify"]
    asked = message_of(await world.ana.slash(world.zone, "privacy delete"))
    await world.ana.click(asked, custom_id=button(asked, "Delete my data"))
    assert await wishes(world, world.ana) == Preference()
    assert await world.bot.tables.store.user_notices(str(world.ana.id)) == ()
