"""Button and dialog for the summary of a scene that is over."""

from __future__ import annotations

from bot.presenters.scene_summary import SUMMARY_INPUT, summary_dialog
from bot.ui.context import Context
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, Outdated
from rules.table.actions import SumUp
from rules.table.played_scenes import StoryScene, scenes_of


def add_scene_routes(router: Router) -> None:
    """Bind the routes, both for GMs.

    `sg:scene:<table>:<number>` opens the dialog, and `sg:scenesum:<table>:<number>` keeps its text.
    """
    router.add_table_route("scene", _open_dialog, gms=True)
    router.add_table_route("scenesum", _sum_up, gms=True)


async def _open_dialog(ctx: Context, press: Press) -> None:
    """Open the dialog, with the summary that the scene has."""
    await ctx.open_modal(summary_dialog(ctx.table.id, _past_scene(ctx, press)))


async def _sum_up(ctx: Context, press: Press) -> None:
    """Keep what the dialog says."""
    scene = _past_scene(ctx, press)
    text = press.inputs.get(SUMMARY_INPUT, "")
    origin = {**ctx.origin, "place": scene.place}
    await ctx.perform(SumUp(**origin, summary=text, scene=str(scene.number)))


def _past_scene(ctx: Context, press: Press) -> StoryScene:
    """Return the scene of a button.

    Raises Outdated("scene-gone"), Impossible("scene-still-open").
    """
    # The numbers of whisper scenes are negative.
    number = press.text(1)
    scenes = scenes_of(ctx.table.state)
    scene = next((kept for kept in scenes if str(kept.number) == number), None)
    if scene is None:
        raise Outdated("scene-gone")
    if scene.over is None:
        raise Impossible("scene-still-open")
    return scene
