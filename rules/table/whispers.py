"""Whisper scenes: who is in them, and who may know of them.

What happens in one is told to the players of its cast and to the GMs alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from rules.table.absence import players_of
from rules.table.blocks import Audience
from rules.table.permissions import is_gm
from rules.table.played_scenes import StoryScene, open_scene, open_scenes, scenes_of
from rules.table.state import TableState
from rules.table.system import Game


def whisper_at(state: TableState, place: str) -> StoryScene | None:
    """Return the whisper scene that is played in a place; None without one."""
    if not state.counters.whisper:
        return None
    scene = open_scene(state, place)
    return scene if scene is not None and scene.private else None


def open_place(state: TableState, place: str) -> str | None:
    """Return where the table reads what a GM says in a place; None if no such place is known.

    For the place of a whisper scene it is the channel in which the scene was started, or else one
    in which the others play.
    """
    scene = whisper_at(state, place)
    if scene is None:
        return place
    if scene.home and whisper_at(state, scene.home) is None:
        return scene.home
    places = {other.place for other in open_scenes(state) if not other.private}
    places |= {check.place for check in state.open_checks if check.is_public and not check.scene}
    places |= {where for where in state.encounters if whisper_at(state, where) is None}
    return min(places - {place, state.settings.gm_place}, default=None)


def cast_players(state: TableState, scene: StoryScene, at: int) -> tuple[str, ...]:
    """Return the participants who play a character of a scene: owners, and their stand-ins."""
    people: dict[str, None] = {}
    for who in scene.cast:
        people |= dict.fromkeys(players_of(state, who, at))
    return tuple(people)


def knows_scene(game: Game, scene: StoryScene) -> bool:
    """Return whether the actor may know that a scene exists.

    A whisper scene is known to the GMs, its cast's players, and players who have left it.
    """
    actor = game.actor
    if not scene.private or is_gm(game.state, actor):
        return True
    return actor.id in cast_players(game.state, scene, game.at) or actor.id in scene.left


def scene_as_known(game: Game, scene: StoryScene) -> StoryScene:
    """Return a scene that the actor knows, without what a player who has left it wasn't told.

    That is who came after the player left, and what happened until the end.
    """
    actor = game.actor
    has_left = scene.private and actor.id in scene.left and not is_gm(game.state, actor)
    return scene.replace(cast=(), summary="") if has_left else scene


def closed_places(state: TableState, person: str, at: int) -> frozenset[str]:
    """Return the places of whisper scenes in which a participant plays no character."""
    if not state.counters.whisper:
        return frozenset()
    closed: set[str] = set()
    for scene in open_scenes(state):
        if scene.private and not scene.opening and person not in cast_players(state, scene, at):
            closed.add(scene.place)
    return frozenset(closed)


def whisper_places(state: TableState) -> frozenset[str]:
    """Return the places of whisper scenes, open or over, and the threads opened for them."""
    if not state.counters.whisper:
        return frozenset()
    places = {scene.place for scene in scenes_of(state) if scene.private}
    for number, thread in state.counters.scene_places.items():
        if int(number) < 0:
            places.add(thread)
    return frozenset(places)


def places_left_by(state: TableState, person: str) -> frozenset[str]:
    """Return the places of whisper scenes that a participant has left."""
    if not state.counters.whisper:
        return frozenset()
    return frozenset(
        scene.place for scene in scenes_of(state) if scene.private and person in scene.left
    )


def whisper_audience(people: Iterable[str], place: str) -> Audience:
    """Return the audience of the GMs and some participants who are told in a place."""
    return Audience(gms=True, people=tuple(sorted(set(people))), whisper=place)


def scene_audience(before: TableState, after: TableState, scene: StoryScene, at: int) -> Audience:
    """Return who is told of a change of a whisper scene: its cast's players before and after it."""
    people: set[str] = set()
    for state in (before, after):
        for kept in scenes_of(state):
            if kept.number == scene.number:
                people.update(cast_players(state, kept, at))
    return whisper_audience(people, scene.place)
