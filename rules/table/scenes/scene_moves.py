"""Moves of what is played in one place to another: a scene, initiative, and open checks."""

from __future__ import annotations

from collections.abc import Sequence

from rules.core.errors import Impossible, Outdated
from rules.core.name_matching import find_one, name_key
from rules.core.record import Record
from rules.table.actions import LeavePlace, MovePlay
from rules.table.blocks import GMS, Value
from rules.table.check import AnyCheck
from rules.table.checks.check_events import carried_events
from rules.table.events import Event, Notice
from rules.table.initiative import encounter_in
from rules.table.outcome import Outcome
from rules.table.permissions import require_system
from rules.table.played_scenes import StoryScene, open_scene, open_scenes, with_scene
from rules.table.roll_calls.roll_call import RollCall, checks_of, roll_call_key, roll_calls
from rules.table.state import AnyEncounter, TableState
from rules.table.system import Game
from rules.table.turns.turn_calls import call_events
from rules.table.whispers import whisper_at


class _Luggage(Record):
    """What a move takes along from one place to another."""

    old: str
    new: str
    scene: StoryScene | None = None
    encounter: AnyEncounter | None = None
    checks: tuple[AnyCheck, ...] = ()
    calls: tuple[RollCall, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to move."""
        return self.scene is None and self.encounter is None and not (self.checks or self.calls)


def move_play(state: TableState, action: MovePlay, game: Game) -> Outcome:
    """Move a scene with all that is played in its place, or initiative with its checks.

    The caller checks that the new place belongs to the table.

    Raises:
        Impossible("move-to-gm-channel", "already-there"): the new place isn't one to move to.
        Impossible("scene-there", "initiative-there"): the new place has its own.
        Impossible("no-scene", "scene-opening"), NotFound("unknown-open-scene"): as
            `scene_to_move`.
        Impossible("no-encounter"): there is no initiative to move.
        Impossible("whisper-moves-whole", "whisper-initiative-there"): initiative would enter or
            leave the place of a whisper scene without the scene.
    """
    if action.to == state.settings.gm_place:
        raise Impossible("move-to-gm-channel")
    scene: StoryScene | None = None
    old = action.source or action.place
    if action.what == "scene":
        scene = scene_to_move(state, action)
        old = scene.place
    elif old not in state.encounters:
        raise Impossible("no-encounter")
    if old == action.to:
        raise Impossible("already-there")
    if scene is not None and open_scene(state, action.to) is not None:
        raise Impossible("scene-there")
    _require_apart(state, action, old, scene)
    luggage = _pack(game, old, action.to, scene, everything=scene is not None)
    if luggage.encounter is not None and action.to in state.encounters:
        raise Impossible("initiative-there")
    if luggage.scene is not None:
        # A lost thread is left for its channel; a forum has no messages of its own.
        closed = action.private or action.in_forum or luggage.scene.private
        home = "" if closed else action.parent or ""
        luggage = luggage.replace(scene=luggage.scene.replace(home=home, left_place=""))
    after = _unpack(game, luggage)
    params = _move_params(luggage)
    by = game.actor.id
    notices = (
        Notice("play-moved-on", params, place=old, by=by),
        Notice("play-moved-here", params, place=action.to, by=by),
    )
    return Outcome(after.state, (*notices, *_events_in_new_place(after, luggage)))


def _require_apart(state: TableState, action: MovePlay, old: str, scene: StoryScene | None) -> None:
    """Require that initiative doesn't enter or leave a whisper scene.

    Its order may hold players of other scenes, and it tells who is in this one. Raises
    Impossible("whisper-moves-whole", "whisper-initiative-there").
    """
    if scene is None and whisper_at(state, old) is not None:
        raise Impossible("whisper-moves-whole")
    if scene is None and whisper_at(state, action.to) is not None:
        raise Impossible("whisper-initiative-there")
    if scene is not None and scene.private and action.to in state.encounters:
        raise Impossible("initiative-there")


def scene_to_move(state: TableState, action: MovePlay) -> StoryScene:
    """Return the open scene that an action names, or the one in its place.

    Raises:
        Impossible("no-scene"): no scene is open here, or at all.
        Impossible("scene-opening"): the scene's thread is still to be opened.
        NotFound("unknown-open-scene"), InvalidInput("ambiguous-scene"): the name isn't one of an
            open scene.
    """
    if not name_key(action.scene):
        scene = open_scene(state, action.place)
        if scene is None:
            raise Impossible("no-scene")
        return scene
    scene = _named_scene(open_scenes(state), action.scene)
    if scene.opening:
        raise Impossible("scene-opening")
    return scene


def _named_scene(scenes: Sequence[StoryScene], text: str) -> StoryScene:
    """Return the scene with a number or title; of several, the last one.

    Raises as `_scene_to_move`.
    """
    if not scenes:
        raise Impossible("no-scene")
    wanted = name_key(text)
    for scene in reversed(scenes):
        if wanted in (str(scene.number), name_key(scene.title)):
            return scene
    return find_one(
        scenes,
        text,
        _title_of,
        field="scene",
        unknown="unknown-open-scene",
        ambiguous="ambiguous-scene",
    )


def _title_of(scene: StoryScene) -> str:
    return scene.title


def leave_place(state: TableState, action: LeavePlace, game: Game) -> Outcome:
    """Take everything out of a place that is gone or closed. Only the system does it.

    Initiative stays where it is if the new place has its own, until a GM moves it. Without a new
    place everything stays, and the GMs are told; so it does if the scene in either place is a
    whisper scene.

    Raises NotPermitted("system-only"), Outdated("nothing-there").
    """
    require_system(action.who)
    scene = open_scene(state, action.left)
    is_whispered = any(whisper_at(state, place) for place in (action.left, action.to))
    if not action.to or is_whispered:
        return _lost(state, action, scene)
    luggage = _pack(game, action.left, action.to, scene, everything=True)
    stays = luggage.encounter is not None and action.to in state.encounters
    if stays:
        others = tuple(check for check in luggage.checks if check.round is None)
        luggage = luggage.replace(encounter=None, checks=others)
    if luggage.is_empty:
        raise Outdated("nothing-there")
    if luggage.scene is not None:
        luggage = luggage.replace(scene=luggage.scene.replace(home="", left_place=action.left))
    after = _unpack(game, luggage)
    params = {**_move_params(luggage), "why": action.why, "stays": stays}
    notice = Notice("place-left", params, place=action.to, by=action.who.id, ping_gms=True)
    return Outcome(after.state, (notice, *_events_in_new_place(after, luggage)))


def _lost(state: TableState, action: LeavePlace, scene: StoryScene | None) -> Outcome:
    """Tell the GMs of a lost place that only they can leave. Raises Outdated("nothing-there")."""
    if scene is None:
        raise Outdated("nothing-there")
    params: dict[str, Value] = {
        "old": action.left,
        "number": scene.number,
        "title": scene.title,
        "author": scene.by,
        "why": action.why,
    }
    notice = Notice("place-lost", params, by=action.who.id, ping_gms=True, audience=GMS)
    return Outcome(state, (notice,))


def is_played_in(state: TableState, place: str) -> bool:
    """Return whether a place has a scene, initiative or an open check."""
    if open_scene(state, place) is not None or place in state.encounters:
        return True
    return any(check.place == place for check in state.open_checks)


# --- what goes along ------------------------------------------------------------------------------


def _pack(
    game: Game, old: str, new: str, scene: StoryScene | None, *, everything: bool
) -> _Luggage:
    """Return what a move takes along: with *everything*, checks outside of rounds too."""
    state = game.state
    encounter = state.encounters.get(old)
    calls = _open_roll_calls(state, old) if everything else ()
    called: set[str] = set()
    for call in calls:
        called.update(check.id for check in checks_of(state, call))
    moved: list[AnyCheck] = []
    for check in state.checks.values():
        if check.place != old:
            continue
        goes_along = check.id in called or (everything and check.is_open)
        if goes_along or _goes_with_initiative(check, encounter):
            moved.append(check)
    return _Luggage(old, new, scene, encounter, tuple(moved), calls)


def _open_roll_calls(state: TableState, place: str) -> tuple[RollCall, ...]:
    """Return the roll calls of a place that have an open check."""
    calls: list[RollCall] = []
    for call in roll_calls(state):
        if call.place == place and any(check.is_open for check in checks_of(state, call)):
            calls.append(call)
    return tuple(calls)


def _goes_with_initiative(check: AnyCheck, encounter: AnyEncounter | None) -> bool:
    """Return whether a check moves with the initiative of its place.

    What was done in the present round counts until the round is over, so closed checks of that
    round go along.
    """
    if encounter is None or check.round is None:
        return False
    return check.is_open or check.round == encounter.round


def _unpack(game: Game, luggage: _Luggage) -> Game:
    """Return the table with what a move takes along in its new place."""
    state, old, new = game.state, luggage.old, luggage.new
    if luggage.scene is not None:
        state = with_scene(state, luggage.scene.replace(place=new))
    if luggage.checks:
        moved = {check.id: check.replace(place=new) for check in luggage.checks}
        state = state.replace(checks={**state.checks, **moved})
    for call in luggage.calls:
        state = state.with_own(roll_call_key(call.id), call.replace(place=new))
    if luggage.encounter is not None:
        encounters = {key: kept for key, kept in state.encounters.items() if key != old}
        state = state.replace(encounters=encounters)
        state = state.with_encounter(luggage.encounter.replace(place=new, moved_from=old))
    game = game.with_state(state)
    if luggage.encounter is None and luggage.scene is None:
        return game
    return game.system.moves(game, old, new)


def _move_params(luggage: _Luggage) -> dict[str, Value]:
    """Return the parameters of a notice about a move."""
    scene = luggage.scene
    about: dict[str, Value] = {"old": luggage.old, "new": luggage.new}
    if scene is not None:
        about |= {"number": scene.number, "title": scene.title, "author": scene.by}
    # Everybody in the place reads the number.
    known = [check for check in luggage.checks if check.is_open and check.is_public]
    return {
        **about,
        "scene": scene is not None,
        "initiative": luggage.encounter is not None,
        "checks": len(known),
    }


def _events_in_new_place(game: Game, luggage: _Luggage) -> tuple[Event, ...]:
    """Return the events by which open checks and the present turn are shown in the new place."""
    events: list[Event] = []
    for check in luggage.checks:
        if check.is_open:
            events += carried_events(game, game.state.checks[check.id])
    encounter = None if luggage.encounter is None else encounter_in(game.state, luggage.new)
    if encounter is not None:
        events += call_events(game, encounter)
    return tuple(events)
