"""Weeks by post in which something goes wrong: silence, a player who leaves, edits refused.

`test_week_by_post.py` has a week without webhooks.
"""

from __future__ import annotations

from typing import Final

import pytest
from simcord.actors import MemberActor

from tests.discord.test_gm_call import SEAL
from tests.discord.week_steps import (
    FERRY,
    amend,
    begin_fight,
    call_everybody,
    open_ferry,
    roll_in_call,
    say,
)
from tests.discord.week_table import Week, open_week
from tests.discord.world import World, private, texts

pytestmark = pytest.mark.slow

CALL: Final = "zone: Climbing and Fitness, against 10 (Tricky)"


@pytest.fixture
def patience() -> bool:
    """Tables wait only for those who have something to decide."""
    return False


@pytest.fixture
def block_turns() -> bool:
    """By post, players' characters act in any order."""
    return True


def call_text(world: World) -> str:
    """Return what the newest message of a call says, with a line for each character."""
    found = [text for text in map(texts, world.messages()) if "**Ilka:**" in text]
    return found[-1]


async def test_a_gm_who_is_silent_in_a_call_gives_it_more_time(world: World) -> None:
    """The clock stands still on the seventh day; a call that ends on the ninth waits."""
    week = await open_week(world)
    await call_everybody(week, until="9 days")
    assert SEAL in await roll_in_call(week, world.ana, 8, 7)
    await world.propose(world.ben, skill="Climbing")
    week.forget()
    lines = await week.pass_hours(9 * 24)
    assert [line for line in lines if "No GM has answered here for 7 days" in line]
    assert week.loud == {"ben": 3, "dan": 3, "cleo": 3, "gina": 3}
    assert week.silent == {} and week.posted["zone"] <= 20
    assert "Storyguide makes" not in call_text(world) and "Tam:** not rolled" in call_text(world)
    await world.restart()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1)
    assert "zone: @gina is back" in week.read()
    assert "Storyguide makes the missing rolls" in call_text(world)
    assert [line for line in await week.pass_hours(47) if "->" in line and "Tam" in line] == []
    world.dice.lay(8, 7, 2, 2, 8, 7)
    await week.pass_hours(2)
    assert world.dice.left == 0
    assert call_text(world).count("(rolled by Storyguide)") == 3
    assert SEAL not in world.told(week.cleo), "it waits in /moves"


async def test_a_player_in_the_cast_leaves_the_server(world: World) -> None:
    """The GM is told once; the clock rolls for Tam, and the scene goes on without a player."""
    week = await open_week(world)
    ferry = await open_ferry(week)
    await say(week, week.dan, ferry, "Then who is steering?")
    await begin_fight(week)
    await call_everybody(week, until="2 days")
    week.forget()
    world.env.backend.remove_member(world.guild.id, week.dan.id)
    await world.env.settle()
    lines = await week.pass_hours(50)
    gone = "No longer on this server: the player of Tam"
    assert [line for line in lines if gone in line] == [f"gm: {gone}", f"gm: @gina: {gone} -> gina"]
    assert [line for line in lines if "-> " in line and "dan" in line.partition("-> ")[2]] == [
        "zone: @ben, @ana, @dan and @cleo, reminder: roll Climbing and Fitness against 10 (Tricky) "
        "for Ilka, Marek, Tam and Vesna. Storyguide makes the missing rolls on <time>. "
        "-> ben, ana, dan, cleo"
    ]
    assert week.loud["gina"] <= 4, "the last is the call to answer for Tam"
    assert "not rolled" not in call_text(world)
    assert "Vesna and Tam" in private(await world.ana.slash(world.zone, "scene list"))
    await world.gina.slash(ferry, "scene end", summary="They landed at dusk.")
    assert week.read() == [f"{FERRY}: Scene over: {FERRY}"]
    recap = private(await world.ana.slash(world.zone, "recap", since="8 days"))
    assert "Tam: “Then who is steering?”" in recap and f"{FERRY}** is over" in recap


async def test_a_thread_that_is_deleted_leaves_its_scene_to_the_channel(world: World) -> None:
    """The GM is called once to the scene, and once to the check that waited in the thread."""
    week = await open_week(world)
    ferry = await open_ferry(week)
    await say(week, week.cleo, ferry, "Nobody else aboard.")
    await week.dan.slash(ferry, "check", approach="look astern", skill="Climbing")
    week.forget()
    world.env.backend.delete_channel(ferry.id)
    await world.env.settle()
    assert week.read() == [
        f"zone: The scene goes on here: {FERRY}",
        f"zone: @gina: The scene goes on here: {FERRY} -> gina",
        "zone: Waiting for the GM",
        "zone: @gina, your call on Tam: “look astern” -> gina",
        f"{week.says(FERRY, 'Vesna', 'Nobody else aboard.')} (deleted)",
    ]
    await world.restart()
    await world.rule(world.newest("Answer"))
    world.dice.lay(8, 7)
    await world.press(week.dan, world.newest("Roll"), "Roll")
    assert [line for line in await week.pass_hours(50) if "->" in line] == []
    await world.gina.slash(world.zone, "scene end", summary="They landed at dusk.")
    assert week.read() == [f"zone: Scene over: {FERRY}"]
    told = [private(await who.slash(world.zone, "recap", since="8 days")) for who in readers(week)]
    assert all("Tam, Climbing d8 (veteran): Success" in recap for recap in told)
    heard = ["Vesna: “Nobody else aboard.”" in recap for recap in told]
    assert heard == [False, True], "what is gone is for those who acted there"


def readers(week: Week) -> tuple[MemberActor, MemberActor]:
    """Return a player who did nothing in the ferry's thread, and one who did."""
    return week.world.ana, week.dan


async def test_the_line_tells_what_a_message_cannot(world: World) -> None:
    """Discord refuses every edit: messages are posted anew, and no old result is left."""
    week = await open_week(world)
    await world.propose(skill="Climbing")
    await week.pass_hours(2)
    await world.rule()
    ruling = await world.revision()
    world.dice.lay(5, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    week.forget()
    refuse_edits(week)
    await begin_fight(week)
    await call_everybody(week, until="2 days")
    await roll_in_call(week, world.ana, 8, 7)
    await week.dan.slash(world.zone, "initiative next")
    assert week.posted["zone"] == 0 and len(week.read()) <= 14
    asked = len(world.requests("PATCH", "/channels"))
    assert "(it was: Near miss, " in await amend(week, ruling, 7)
    assert week.read() == [
        "zone: Corrected by @gina: Marek's result is now Success, 7 against 7",
        "zone: ✓ Success, 7 against 7",
    ]
    assert len(world.requests("PATCH", "/channels")) - asked <= 5
    shown = [texts(message) for message in world.messages()]
    assert not [text for text in shown if "Near miss" in text]
    recap = private(await world.ben.slash(world.zone, "recap", since="8 days"))
    assert "Marek, Climbing d8 (veteran): Success" in recap


def refuse_edits(week: Week) -> None:
    """Let Discord refuse all edits, as it does with old messages after some."""
    week.world.env.inject_error(
        "PATCH", "/channels/*/messages/*", status=400, code=30046, message="Too many", times=None
    )
