"""The list of a table's scenes, and the answer to the GM who starts one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.language.words import phrase
from bot.presenters.layout import Heading, Layout, Piece, SmallPrint
from rules.table.played_scenes import StoryScene, cast_names
from rules.table.state import TableState

#: Most open scenes, and most scenes that are over, in the list.
_OPEN_MAX: Final = 10
_OVER_MAX: Final = 8


def scene_started_card(state: TableState, scene: StoryScene, *, post: bool) -> Layout:
    """Return the answer to a GM who has started a scene: where it is played, and its cast.

    *post*: the scene gets a forum post of its own.
    """
    if scene.over is not None:
        return card("own", "scene-not-private", None, title=scene.title)
    return card(
        "own",
        "scene-started",
        None,
        title=scene.title,
        cast=cast_names(state, scene.cast),
        private=scene.private,
        opening=scene.opening,
        post=post,
        place=scene.place,
    )


def scene_list_card(
    state: TableState, scenes: Sequence[StoryScene], here: str, who: str = ""
) -> Layout:
    """Return the scenes that a reader may know of, the last ones first.

    `here` is the place of the reader; the scenes come oldest first. *who*: name of the character
    whose scenes they are; empty for all scenes.
    """
    newest = scenes[::-1]
    current = [scene for scene in newest if scene.over is None]
    past = [scene for scene in newest if scene.over is not None]
    pieces: list[str | Piece] = []
    for heading, listed in (
        (phrase("scenes-open"), current[:_OPEN_MAX]),
        (phrase("scenes-over"), past[:_OVER_MAX]),
    ):
        if listed:
            lines = [_scene_line(state, scene, here) for scene in listed]
            pieces += [Heading(heading), "\n".join(lines)]
    more = max(0, len(current) - _OPEN_MAX) + max(0, len(past) - _OVER_MAX)
    if more:
        pieces.append(SmallPrint(phrase("scenes-more", count=more)))
    return card("own", "scenes", None, *pieces, count=len(scenes), who=who)


def _scene_line(state: TableState, scene: StoryScene, here: str) -> str:
    text = phrase(
        "scene-line",
        about=scene,
        cast=cast_names(state, scene.cast),
        elsewhere=scene.place != here,
    )
    return " ".join(text.split())
