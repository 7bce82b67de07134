"""The two paces: in one press, asked by `/setup`, told to everybody."""

from __future__ import annotations

from typing import Any

import pytest

from rules.table.settings.pace import AT_THE_TABLE, BY_POST, PACES
from rules.table.state import Settings
from tests.discord.world import (
    World,
    button,
    controls,
    labels,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

pytestmark = pytest.mark.asyncio


@pytest.fixture
def patience() -> bool:
    return False


@pytest.fixture
def block_turns() -> bool:
    return True


def pace_values(settings: Settings) -> dict[str, Any]:
    return {key: getattr(settings, key) for key in PACES[BY_POST]}


def style(message: Any, label: str) -> int:
    return next(each["style"] for each in controls(message) if each.get("label") == label)


async def panel_of(world: World) -> Any:
    return message_of(await world.gina.slash(world.zone, "gm settings"))


async def test_setup_asks_for_the_pace_and_by_post_is_what_nothing_chosen_means(
    world: World,
) -> None:
    opened = public(await world.setup())
    assert (
        "This table plays by post: answers in 1 day, stepping in for 1 day, turns in 2 days."
        in opened
    )
    assert pace_values((await world.state()).settings) == PACES[BY_POST]


async def test_setup_takes_the_pace_as_an_option(world: World) -> None:
    opened = public(
        await world.gina.slash(world.zone, "setup", game="ebb", pace="table", name="The Canal")
    )
    assert (
        "This table plays at the table: answers in 10 minutes, stepping in for 5 minutes, turns "
        "without a limit." in opened
    )
    assert pace_values((await world.state()).settings) == PACES[AT_THE_TABLE]


async def test_the_menu_of_setup_has_a_button_for_each_pace(world: World) -> None:
    menu = message_of(await world.gina.slash(world.zone, "setup"))
    assert "**By post**: People look in once a day. The GM answers first." in texts(menu)
    await world.restart()
    await world.press(world.gina, menu, "At the table")
    assert style(menu, "At the table") == 1
    assert style(menu, "By post") == 2
    forged = world.emit(world.ana, "sg:setup:-:soon", menu)
    await world.env.settle()
    assert refusal_of(forged)
    await world.press(world.gina, menu, "EBB")
    assert pace_values((await world.state()).settings) == PACES[AT_THE_TABLE]


async def test_one_press_sets_the_pace_tells_everybody_and_can_be_undone(world: World) -> None:
    await world.setup()
    await world.gina.slash(world.zone, "gm settings", open_points=False)
    panel = await panel_of(world)
    before = len(world.messages())
    await world.press(world.gina, panel, "At the table")
    settings = (await world.state()).settings
    assert pace_values(settings) == PACES[AT_THE_TABLE]
    assert not settings.open_points, "the other switches stay"
    assert len(world.messages()) == before + 1
    assert "This table plays at the table: answers in 10 minutes" in texts(world.last())
    assert texts(world.last()).count("\n") < 4, "one line says all of it"
    assert style(panel, "At the table") == 1
    revision = await world.revision()
    await world.press(world.gina, panel, "At the table")
    assert await world.revision() == revision, "it's so already"
    await world.gina.slash(world.zone, "gm undo")
    assert pace_values((await world.state()).settings) == PACES[BY_POST]
    foreign = world.emit(world.ana, button(panel, "By post"), panel)
    await world.env.settle()
    assert "Only the GM can do that." in refusal_of(foreign)


async def test_the_page_about_waiting_has_the_paces_the_times_and_the_switches(
    world: World,
) -> None:
    await world.setup()
    panel = await panel_of(world)
    shown = texts(panel)
    for line in (
        "**How do you play?**",
        "**At the table**: Everybody is here. Players set open difficulties, and dice fall at "
        "once. Answers are due in 10 minutes, others can step in for 5 minutes, and turns have no "
        "limit.",
        "**By post**: People look in once a day. The GM answers first. Answers are due in 1 day, "
        "with a reminder after 12 hours. Others can step in for 1 day. A turn waits 2 days.",
        "**Wait for everybody: off**\n-# When on, Storyguide calls and waits for everybody who "
        "could play a card, cancel a point or spend Karma, as the books say.",
        "**Open points: on**\n-# Players see each other's Fate, Karma, Life Points and number of "
        "cards, and Storyguide doesn't wait for players with nothing to spend.",
        "**Step in late: on**\n-# A final result can still be changed until the time is up or "
        "something has been built on it.",
        "**Attacks go at once: off**\n-# When on, a player's attack rolls without the GM's answer; "
        "the GM can correct it afterwards.",
        "**Roll when answered: off**\n-# When on, a check rolls as soon as the GM has answered. "
        "Players can also choose this for one check.",
    ):
        assert line in shown, line
    there = ["At the table", "By post", "Answers", "Stepping in", "Turns"]
    assert [each for each in labels(panel) if each in there] == there
    await world.press(world.gina, panel, "Stepping in")
    await world.choose(world.gina, panel, "Stepping in", "0")
    await world.press(world.gina, panel, "All settings")
    assert (
        "This table has its own times: answers in 1 day, no stepping in, turns in 2 days."
        in texts(panel)
    )
    assert {style(panel, each) for each in there[:2]} == {2}


async def test_everybody_can_read_the_pace(world: World) -> None:
    await world.setup(system="barmore")
    shown = private(await world.gina.slash(world.zone, "table show"))
    assert "This table plays by post: answers in 1 day, turns in 2 days." in shown


async def test_a_new_pace_takes_nobody_time_within_the_next_hour(world: World) -> None:
    await world.setup()
    await world.bring(world.ana, "Marek")
    await world.rolled(8, 3, hidden=True)
    (asked,) = [each for each in (await world.check()).asked if each.waiting_for]
    await world.press(world.gina, await panel_of(world), "At the table")
    (now,) = [each for each in (await world.check()).asked if each.waiting_for]
    assert now.due == asked.due, "it was an hour"
