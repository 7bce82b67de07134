"""`/scene move` and `/initiative move`: play goes on in another place, and comes back."""

from __future__ import annotations

from typing import Any

from rules.table.played_scenes import scenes_of
from tests.discord.world import (
    World,
    head,
    is_layout,
    pings,
    private,
    refusal_of,
    secret_room,
    texts,
)

FERRY = "The *ferry*"
ESCAPED = r"The \*ferry\*"


async def moved(world: World, what: str, to: Any, **options: Any) -> str:
    """What the GM reads of a move."""
    told = private(await world.gina.slash(world.zone, f"{what} move", to=to, **options))
    await world.env.settle()
    return told


async def fight(world: World) -> None:
    """A scene in the channel, with Marek's turn in the first round."""
    await world.gina.slash(world.zone, "scene start", title=FERRY, who="Marek")
    await world.gina.slash(world.zone, "initiative start")
    await world.gina.slash(world.zone, "initiative add", name="Marek", score=9)
    await world.gina.slash(world.zone, "initiative add", name="Ilka", score=5)
    await world.gina.slash(world.zone, "initiative next")
    await world.env.settle()


def heads(world: World, room: Any = None) -> list[str]:
    """The heads of the messages in a channel."""
    return [head(message) for message in world.messages(room) if is_layout(message)]


async def test_a_scene_moves_with_its_initiative_and_its_open_checks(world: World) -> None:
    await world.table()
    thread = world.thread()
    await fight(world)
    await world.propose(world.ana)
    await world.env.settle()
    told = await moved(world, "scene", thread)
    assert f"Scene moved to <#{thread.id}>: {ESCAPED}" in told
    assert "goes on here" not in told and "drainpipe" not in told
    there = str(thread.id)
    state = await world.state()
    assert scenes_of(state)[0].place == there
    assert [*state.encounters] == [there] and state.checks["c1"].place == there
    old = "\n".join(map(texts, world.messages()))
    assert "Initiative and 1 open check went along." in old
    assert "Initiative: moved" in old and f"Continued in <#{there}>" in old
    assert "you're up" not in old
    assert f"Scene: {ESCAPED}" in heads(world, thread)
    assert sum("Round 1" in line for line in heads(world, thread)) == 1
    call = next(each for each in world.messages(thread) if "Marek, you're up" in each.content)
    assert pings(call, world.env) == [world.ana.id]


async def test_a_scene_that_moves_alone_says_nothing_of_checks(world: World) -> None:
    await world.table()
    thread = world.thread()
    await world.gina.slash(world.zone, "scene start", title=FERRY)
    await world.ana.slash(
        world.zone, "check", skill="Climbing", approach="up", visibility="private"
    )
    await world.env.settle()
    told = await moved(world, "scene", thread)
    assert f"Scene moved to <#{thread.id}>: {ESCAPED}" in told
    old = "\n".join(map(texts, world.messages()))
    assert f"Scene moved to <#{thread.id}>: {ESCAPED}" in old
    assert "went along" not in old, "nobody learns of a private check"


async def test_play_goes_on_in_the_new_place_after_a_restart(world: World) -> None:
    await world.table()
    thread = world.thread()
    await fight(world)
    await world.propose(world.ana)
    await moved(world, "scene", thread)
    count = len(world.messages(thread)), len(world.messages())
    await world.restart()
    await world.env.settle()
    assert (len(world.messages(thread)), len(world.messages())) == count
    card = next(each for each in world.messages(thread) if "drainpipe" in texts(each))
    await world.press(world.gina, card, "React")


async def test_an_undo_brings_everything_back(world: World) -> None:
    await world.table()
    thread = world.thread()
    await fight(world)
    await world.propose(world.ana)
    before = await world.state()
    await moved(world, "scene", thread)
    await world.gina.slash(world.zone, "gm undo")
    await world.env.settle()
    after, here = await world.state(), str(world.zone.id)
    assert scenes_of(after) == scenes_of(before)
    assert [*after.encounters] == [here] and after.checks["c1"].place == here
    assert "drainpipe" in texts(world.card("c1"))
    assert "Marek, you're up" in world.newest("End turn").content
    gone = "\n".join(map(texts, world.messages(thread)))
    assert "you're up" not in gone and "Continued in" in gone


async def test_initiative_moves_without_its_scene(world: World) -> None:
    await world.table()
    thread = world.thread()
    await fight(world)
    await world.propose(world.ben)
    await world.gina.slash(world.zone, "initiative next")
    told = await moved(world, "initiative", thread)
    assert "Initiative moved to <#" in told
    state = await world.state()
    assert scenes_of(state)[0].place == str(world.zone.id)
    assert [*state.encounters] == [str(thread.id)]
    back = private(
        await world.gina.slash(
            world.zone, "initiative move", **{"to": world.zone, "from": f"<#{thread.id}>"}
        )
    )
    assert "Initiative moved to <#" in back
    await world.env.settle()
    assert [*(await world.state()).encounters] == [str(world.zone.id)]


async def test_what_cannot_move_says_what_to_do(world: World) -> None:
    await world.table(gm_channel=True)
    thread, other = world.thread(), world.thread("in the attic")
    far = secret_room(world.env, world.guild, "vault", world.gina, world.ana)

    async def refused(what: str, to: Any, **options: Any) -> str:
        return refusal_of(await world.gina.slash(world.zone, f"{what} move", to=to, **options))

    assert "No scene is open here" in await refused("scene", thread)
    assert "/initiative start" in await refused("initiative", thread)
    await fight(world)
    assert "played there already" in await refused("scene", world.zone)
    assert "/gm bind" in await refused("scene", far)
    assert "GM channel" in await refused("scene", world.gm_room)
    assert "No open scene “Moon”" in await refused("scene", thread, scene="Moon")
    await world.gina.slash(thread, "scene start", title="Below")
    assert "Another scene is open there" in await refused("scene", thread)
    await world.gina.slash(other, "initiative start")
    assert "Initiative is already running there" in await refused("initiative", other)
    assert "Only the GM" in refusal_of(await world.ana.slash(world.zone, "scene move", to=other))
    assert [*(await world.state()).encounters] == [str(world.zone.id), str(other.id)]


async def test_links_and_waits_follow(world: World) -> None:
    await world.table()
    thread = world.thread()
    await fight(world)
    await world.propose(world.ana)
    await moved(world, "scene", thread)
    mine = private(await world.ana.slash(world.zone, "moves"))
    assert f"/{thread.id}" in mine or f"<#{thread.id}>" in mine
