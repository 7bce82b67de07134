"""`/scene` at a MasterBook table: the adventure's clock and the hands of cards go along."""

from __future__ import annotations

from rules.registry import read_only_game
from rules.systems.masterbook.rounds.adventure_clock import find_clock
from rules.table.played_scenes import open_scene, scenes_of
from tests.discord.masterbook.table import open_table
from tests.discord.world import World, private, public, texts

#: A scene of the first act, before its number.
ACT = "Act 1, scene "


async def counted(world: World) -> tuple[int, bool]:
    """How many scenes the adventure's clock has counted, and whether one is under way."""
    clock = find_clock(read_only_game(await world.state()))
    return (0, False) if clock is None else (clock.scene, clock.playing)


async def titles(world: World) -> list[tuple[str, bool]]:
    """The titles of the table's scenes, and whether each is over."""
    scenes = scenes_of(await world.state())
    return [(scene.title, scene.over is not None) for scene in scenes]


async def test_a_scene_counts_for_the_act(world: World) -> None:
    await open_table(world)
    gina, zone = world.gina, world.zone
    await gina.slash(zone, "mb adventure start", name="The Dam")
    shown = public(await gina.slash(zone, "scene start", title="The gate"))
    assert "Scene: The gate" in shown and f"{ACT}1" in shown
    assert await counted(world) == (1, True)
    shown = public(await gina.slash(zone, "scene start", title="The tower"))
    assert "Scene over: The gate" in shown and f"{ACT}1 is over" in shown
    assert f"{ACT}2" in texts(world.last())
    await world.restart()
    shown = public(await gina.slash(zone, "scene end"))
    assert "Scene over: The tower" in shown and f"{ACT}2 is over" in shown
    assert await counted(world) == (2, False)
    await gina.slash(zone, "gm undo")
    assert await counted(world) == (2, True)
    assert await titles(world) == [("The gate", True), ("The tower", False)]


async def test_the_adventures_own_command_records_a_named_scene(world: World) -> None:
    await open_table(world)
    gina, zone = world.gina, world.zone
    await gina.slash(zone, "mb adventure start")
    named = await gina.slash(zone, "mb adventure scene", what="start", name="The gate")
    assert public(named).count("The gate") == 1 and f"{ACT}1" in public(named)
    assert await titles(world) == [("The gate", False)]
    bare = public(await gina.slash(zone, "mb adventure scene", what="start"))
    assert "Scene over: The gate" in bare and f"{ACT}2" in texts(world.last())
    assert await titles(world) == [("The gate", True)]
    await gina.slash(zone, "mb adventure scene", what="start", name="The tower")
    over = public(await gina.slash(zone, "mb adventure scene", what="end"))
    assert "Scene over: The tower" in over and f"{ACT}3 is over" in over
    assert open_scene(await world.state(), str(zone.id)) is None


async def test_an_act_ends_the_scene_that_is_open(world: World) -> None:
    await open_table(world)
    gina, zone = world.gina, world.zone
    await gina.slash(zone, "mb adventure start")
    await gina.slash(zone, "scene start", title="The gate")
    await gina.slash(zone, "mb adventure act", what="end")
    assert await titles(world) == [("The gate", True)]
    assert "The gate" in private(await world.ana.slash(zone, "scene list"))
