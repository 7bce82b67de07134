"""Scenes of the story as the table keeps them: a part each, open or over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal

from rules.core.record import Record
from rules.table.permissions import public_name
from rules.table.state import TableState

#: Beginning of the keys of the parts, without and with its colon. The scene's number follows.
SCENE_KIND: Final = "scene"
SCENE_PREFIX: Final = f"{SCENE_KIND}:"
#: Most scenes that a table keeps. The oldest that are over go first; the journal still tells them.
SCENES_MAX: Final = 200


#: What a notice tells of a scene, by its code: the scene's beginning or its end.
SCENE_PARTS: Final[Mapping[str, Literal["begins", "ends"]]] = {
    "scene-begins": "begins",
    "scene-ends": "ends",
    "scene-summed-up": "ends",
}


class StoryScene(Record):
    """A scene of the story: what is played in a place, and who is in it."""

    #: Number among all scenes of the table.
    number: int
    title: str
    #: Place in which it is played. Until its own thread is open, the place where it was started.
    place: str
    #: Beginning, in seconds since 1970.
    since: int
    #: Time of the story at the beginning, in minutes.
    time: int = 0
    #: Ids of the characters who are in it, or who were when it ended; nobody who left before.
    cast: tuple[str, ...] = ()
    #: Participant who gave the title.
    by: str = ""
    #: End, in seconds since 1970; None while it is open.
    over: int | None = None
    #: What happened in it, in a GM's words.
    summary: str = ""
    #: Participant who wrote the summary.
    summed_up_by: str = ""
    #: Its own thread is yet to be opened.
    opening: bool = False
    #: It is a whisper scene: only its cast's players and the GMs are told of it.
    private: bool = False
    #: Participants who have left a whisper scene. They keep what they were told.
    left: tuple[str, ...] = ()
    #: Channel in which it goes on if its place is gone: that of its public thread. Its readers are
    #: the same. Empty: a GM has to move it.
    home: str = ""
    #: Place that it left because the place was gone; empty for none.
    left_place: str = ""

    @property
    def key(self) -> str:
        """Key of the scene's part."""
        return f"{SCENE_PREFIX}{self.number}"


def scenes_of(state: TableState) -> tuple[StoryScene, ...]:
    """Return the scenes that a table keeps: the oldest first, whisper scenes last."""
    scenes: list[StoryScene] = []
    for key, part in state.own.items():
        if key.startswith(SCENE_PREFIX):
            scenes.append(_with_thread(state, part))
    return tuple(sorted(scenes, key=lambda scene: (scene.private, abs(scene.number))))


def _with_thread(state: TableState, scene: StoryScene) -> StoryScene:
    """Return a scene in its own thread, if that has been opened."""
    thread = state.counters.scene_places.get(str(scene.number)) if scene.opening else None
    if thread is None:
        return scene
    home = "" if thread == scene.place else scene.place
    return scene.replace(place=thread, opening=False, home=home)


def open_scenes(state: TableState) -> tuple[StoryScene, ...]:
    """Return the scenes that aren't over, the oldest first."""
    return tuple([scene for scene in scenes_of(state) if scene.over is None])


def open_scene(state: TableState, place: str) -> StoryScene | None:
    """Return the scene that is played in a place, the last one begun; None without one."""
    newest = reversed(open_scenes(state))
    return next((scene for scene in newest if scene.place == place and not scene.opening), None)


def past_scenes(state: TableState, place: str) -> tuple[StoryScene, ...]:
    """Return the scenes of a place that are over, the last one first."""
    past = [scene for scene in scenes_of(state) if scene.over is not None]
    return tuple([scene for scene in reversed(past) if scene.place == place])


def with_scene(state: TableState, scene: StoryScene) -> TableState:
    """Return the table with a scene, and without the oldest if there are too many.

    Whisper scenes are counted apart, so that they push out no scene that others know of.
    """
    state = state.with_own(scene.key, scene)
    alike = [kept for kept in scenes_of(state) if kept.private == scene.private]
    past = [old for old in alike if old.over is not None]
    for old in past[: max(0, len(alike) - SCENES_MAX)]:
        state = state.with_own(old.key, None)
    return state


def without_cast(
    state: TableState, characters: Collection[str], *, private: bool = False
) -> TableState:
    """Return the table without these characters in any open scene that is *private* or isn't.

    A character may be in a whisper scene besides. So the cast of another scene, which others read,
    doesn't tell who is in one.
    """
    for scene in open_scenes(state):
        if scene.private != private:
            continue
        left = tuple(who for who in scene.cast if who not in characters)
        if left != scene.cast:
            state = with_scene(state, scene.replace(cast=left))
    return state


def with_scenes_over(state: TableState, place: str, at: int) -> TableState:
    """Return the table after it has left a place: what was played there is over."""
    for scene in open_scenes(state):
        if scene.place == place:
            state = with_scene(state, scene.replace(over=at))
    return state


def without_scene_texts(state: TableState, who: str) -> TableState:
    """Return the table without the titles and summaries that a participant wrote."""
    for scene in scenes_of(state):
        if scene.by == who:
            scene = scene.replace(title="", by="")
        if scene.summed_up_by == who:
            scene = scene.replace(summary="", summed_up_by="")
        if who in scene.left:
            scene = scene.replace(left=tuple(person for person in scene.left if person != who))
        state = with_scene(state, scene)
    return state


def cast_names(state: TableState, cast: Collection[str]) -> tuple[str, ...]:
    """Return the names by which players know the characters of a scene.

    Characters who have left the table, and NPCs whom players don't know, are left out.
    """
    known = [state.characters[who] for who in cast if who in state.characters]
    names = [public_name(character) for character in known]
    return tuple([name for name in names if name])
