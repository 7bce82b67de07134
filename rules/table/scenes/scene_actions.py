"""Beginning and end of scenes of the story, who is in them, and what happened in them."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.core.name_matching import find_one, name_key
from rules.table.absence import players_of
from rules.table.actions import EndScene, JoinScene, PlaceScene, StartScene, SumUp
from rules.table.blocks import EVERYONE, GMS, Audience, Text, Value
from rules.table.events import Event, Notice
from rules.table.forms.typed_texts import one_line, trimmed_text
from rules.table.lookup import acting_character, find_known
from rules.table.marks import apply_tick, lines_by_audience
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, public_name, require_system
from rules.table.played_scenes import (
    StoryScene,
    cast_names,
    open_scene,
    open_scenes,
    past_scenes,
    scenes_of,
    with_scene,
    without_cast,
)
from rules.table.scenes.whisper_players import with_leavers
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.whispers import knows_scene, scene_audience

#: Longest title and longest summary, in characters.
TITLE_MAX: Final = 100
SUMMARY_MAX: Final = 1000
#: Most characters in a scene.
CAST_MAX: Final = 25


def start_scene(state: TableState, action: StartScene, game: Game) -> Outcome:
    """Begin a scene in the place of the action, after the end of the one that is open there.

    Its characters leave the scenes that they were in.

    Raises:
        InvalidInput("scene-needs-title"): the title is empty.
        InvalidInput("too-many-entries"): more characters than a scene can have.
        Impossible("scene-in-gm-channel"): players don't read in this place.
        Impossible("whisper-in-forum"): a whisper scene would be played in a forum post.
        Impossible("scene-of-hidden"): players don't know one of the characters.
        Impossible("not-in-play"): one of the characters doesn't act.
        Impossible("whisper-initiative"): initiative runs where a whisper scene begins or ends.
    """
    title = _read_title(state, action.place, action.title)
    if action.forum and action.private:
        raise Impossible("whisper-in-forum")
    in_thread = action.thread or bool(action.forum)
    cast = tuple(dict.fromkeys(who.id for who in _named_cast(state, action)))
    events: tuple[Event, ...] = ()
    lines: tuple[Text, ...] = ()
    before = None if in_thread else open_scene(state, action.place)
    if before is not None:
        game, events = _end_open_scene(game, before)
    if action.private and not in_thread:
        _require_no_initiative(state, action.place)
    scene_rules = None if action.private else game.system.scenes
    count = None if scene_rules is None else scene_rules.begin(game, action.place)
    if count is not None:
        game, lines = count.game, count.lines
        events = (*events, *count.events)
    game, begins = _record_scene(
        game,
        action.place,
        title,
        cast,
        lines,
        in_thread=in_thread,
        private=action.private,
        forum=action.forum,
    )
    return Outcome(game.state, (*events, begins))


def _read_title(state: TableState, place: str, text: str) -> str:
    """Return the title of a scene in a place. Raises as `start_scene`."""
    title = one_line("title", text, TITLE_MAX)
    if not title:
        raise InvalidInput("scene-needs-title", field="title", value="")
    if place == state.settings.gm_place:
        raise Impossible("scene-in-gm-channel")
    return title


def _record_scene(
    game: Game,
    place: str,
    title: str,
    cast: tuple[str, ...],
    lines: tuple[Text, ...],
    *,
    in_thread: bool = False,
    private: bool = False,
    forum: str = "",
) -> tuple[Game, Notice]:
    """Return the table with a new scene, and the notice that it begins.

    The beginning of a scene in a forum post is told to all readers of the forum.
    """
    before, counters = game.state, game.state.counters
    if private:
        counters = counters.replace(whisper=counters.whisper + 1)
        number = -counters.whisper
    else:
        number = counters.scene + 1
        counters = counters.replace(scene=number)
    scene = StoryScene(
        number,
        title,
        place,
        game.at,
        game.time,
        cast,
        by=game.actor.id,
        opening=in_thread,
        private=private,
    )
    state = with_scene(without_cast(before, cast, private=private), scene)
    params: dict[str, Value] = {
        **_title_params(scene),
        "cast": cast_names(state, cast),
        "now": game.time,
        "thread": in_thread,
    }
    if forum:
        params["forum"] = forum
    begins = Notice(
        "scene-begins",
        params,
        lines=lines,
        characters=cast,
        place=forum,
        by=game.actor.id,
        audience=_audience_of(before, state, scene, game.at),
    )
    return game.with_state(state.replace(counters=counters)), begins


def _audience_of(before: TableState, after: TableState, scene: StoryScene, at: int) -> Audience:
    """Return who is told of a step of a scene: everybody, or the cast of a whisper scene."""
    return scene_audience(before, after, scene, at) if scene.private else EVERYONE


def _require_no_initiative(state: TableState, place: str) -> None:
    """Require that no initiative runs in a place; its order may hold players of other scenes.

    Raises Impossible("whisper-initiative").
    """
    if place in state.encounters:
        raise Impossible("whisper-initiative")


def place_scene(state: TableState, action: PlaceScene, game: Game) -> Outcome:
    """Note where a scene is played that was to get a thread of its own.

    Only the counters change, as an undo of the scene leaves the thread. A whisper scene that would
    stay in a place where others read is over.

    Raises NotPermitted("system-only"), Outdated("scene-gone"), Impossible("already-so").
    """
    require_system(action.who)
    scene = next((scene for scene in scenes_of(state) if scene.number == action.number), None)
    if scene is None:
        raise Outdated("scene-gone")
    if not scene.opening:
        raise Impossible("already-so")
    place = scene.place if action.thread is None else action.thread
    known = {str(kept.number): kept.place for kept in scenes_of(state) if not kept.opening}
    places = {key: at for key, at in state.counters.scene_places.items() if key in known}
    counters = state.counters.replace(scene_places={**places, str(scene.number): place})
    events: tuple[Event, ...] = ()
    after = state.replace(counters=counters)
    if action.thread is None and scene.private and action.exposed:
        over = scene.replace(over=action.at, opening=False)
        refused = Notice("scene-not-private", _title_params(scene), audience=GMS, by=action.who.id)
        return Outcome(with_scene(after, over), (refused,))
    if action.thread is None:
        params = {**_title_params(scene), "why": action.why}
        if action.forum:
            params["forum"] = action.forum
        stays = Notice(
            "scene-stays",
            params,
            place=scene.place,
            by=action.who.id,
            audience=_audience_of(state, after, scene, action.at),
        )
        events = (stays,)
    return Outcome(after, events)


def opens_thread(event: Event) -> bool:
    """Return whether the message of an event gets a thread, in which its scene is played."""
    if not isinstance(event, Notice) or event.what != "scene-begins":
        return False
    return bool(event.params.get("thread"))


def forum_of(event: Event) -> str:
    """Return the forum in which an event begins a scene in a post of its own; empty for none."""
    if not isinstance(event, Notice) or not opens_thread(event):
        return ""
    return str(event.params.get("forum") or "")


def begin_counted_scene(
    game: Game, place: str, title: str, lines: tuple[Text, ...]
) -> tuple[Game, tuple[Event, ...]]:
    """Record a scene whose beginning a system has counted, if it has a title.

    The scene that is open in the place ends. Nothing is recorded in the GM channel.

    Raises InvalidInput("too-long"), and as `one_line`.
    """
    game, events = end_counted_scene(game, place, ())
    if not title.strip() or place == game.state.settings.gm_place:
        return game, events
    game, begins = _record_scene(game, place, _read_title(game.state, place, title), (), lines)
    return game, (*events, begins)


def end_counted_scene(
    game: Game, place: str, lines: tuple[Text, ...]
) -> tuple[Game, tuple[Event, ...]]:
    """Record the end of the scene in a place, which a system has counted; none may be open."""
    scene = open_scene(game.state, place)
    if scene is None:
        return game, ()
    if scene.private:
        _require_no_initiative(game.state, place)
    state = with_scene(game.state, scene.replace(over=game.at))
    audience = _audience_of(game.state, state, scene, game.at)
    ends = Notice(
        "scene-ends", _title_params(scene), lines=lines, by=game.actor.id, audience=audience
    )
    return game.with_state(state), (ends,)


def named_players(game: Game, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the participants who play the characters with these names. Raises as `find_known`."""
    people: dict[str, None] = {}
    for name in names:
        character = find_known(game.state, game.actor, name, "who")
        people |= dict.fromkeys(players_of(game.state, character.id, game.at))
    return tuple(people)


def _named_cast(state: TableState, action: StartScene) -> list[AnyCharacter]:
    """Return the characters that an action names. Raises as `start_scene`."""
    if len(action.cast) > CAST_MAX:
        raise InvalidInput(
            "too-many-entries", field="who", value=len(action.cast), highest=CAST_MAX
        )
    cast = [find_known(state, action.who, name, "who") for name in action.cast]
    for character in cast:
        _require_known(character)
    return cast


def _require_known(character: AnyCharacter) -> None:
    """Require that a character acts and that players know it, as everybody reads the cast.

    Raises Impossible("not-in-play", "scene-of-hidden").
    """
    if not character.in_play:
        raise Impossible("not-in-play", name=character.name)
    if not public_name(character):
        raise Impossible("scene-of-hidden", name=character.name)


def _title_params(scene: StoryScene) -> dict[str, Value]:
    params: dict[str, Value] = {
        "number": scene.number,
        "title": scene.title,
        "author": scene.by,
    }
    # Notices of other scenes are as they were before there were whisper scenes.
    return {**params, "private": True} if scene.private else params


def end_scene(state: TableState, action: EndScene, game: Game) -> Outcome:
    """End the scene in the place of the action, and what lasts for it.

    Raises Impossible("no-scene", "whisper-initiative"), InvalidInput("too-long").
    """
    scene = open_scene(state, action.place)
    if scene is None:
        raise Impossible("no-scene")
    summary = trimmed_text("summary", action.summary, SUMMARY_MAX)
    game, events = _end_open_scene(game, scene, summary)
    return Outcome(game.state, events)


def _end_open_scene(
    game: Game, scene: StoryScene, summary: str = ""
) -> tuple[Game, tuple[Event, ...]]:
    """Return the table after a scene, and the events that tell so.

    What lasts for a scene ends for all characters but those who are in another one. A whisper scene
    ends it for its cast alone, and keeps nothing going, so that its end and its beginning show
    nowhere else.

    Raises Impossible("whisper-initiative").
    """
    if scene.private:
        _require_no_initiative(game.state, scene.place)
    by = game.actor.id
    before = game.state
    over = scene.replace(over=game.at, summary=summary, summed_up_by=by if summary else "")
    game = game.with_state(with_scene(game.state, over))
    scene_rules = None if scene.private else game.system.scenes
    count = None if scene_rules is None else scene_rules.end(game, scene.place)
    counted: tuple[Text, ...] = ()
    more: tuple[Event, ...] = ()
    if count is not None:
        game, counted, more = count.game, count.lines, count.events
    others = [other for other in open_scenes(game.state) if not other.private]
    elsewhere = {who for other in others for who in other.cast}
    concerned = scene.cast if scene.private else game.state.characters
    staying = [who for who in concerned if who in game.state.characters and who not in elsewhere]
    result = apply_tick(game, "scene", staying)
    params = _title_params(scene)
    events: list[Event] = []
    for audience, lines in lines_by_audience(result):
        if audience.everyone:
            told = (*counted, *lines)
            ends = Notice("scene-ends", params, lines=told, note=summary, by=by)
            hearing = _audience_of(before, game.state, scene, game.at)
            events.append(ends.replace(audience=hearing))
        elif lines:
            events.append(Notice("scene-ends-gms", params, audience=audience, lines=lines, by=by))
    return result.game, (*events, *more, *result.events)


def sum_up(state: TableState, action: SumUp, game: Game) -> Outcome:
    """Keep what happened in a scene of this place that is over, in place of an earlier summary.

    Raises:
        InvalidInput("scene-needs-summary"), InvalidInput("too-long"): no summary, or a long one.
        Impossible("scene-still-open"): the scene is still played.
        Impossible("no-past-scene"): no scene was played here.
        NotFound("unknown-scene"), InvalidInput("ambiguous-scene"): the title isn't one of those.
        Impossible("already-so"): the scene has this summary.
    """
    summary = trimmed_text("summary", action.summary, SUMMARY_MAX)
    if not summary:
        raise InvalidInput("scene-needs-summary", field="summary", value="")
    scene = _past_scene(state, action)
    if scene.summary == summary:
        raise Impossible("already-so")
    summed_up = scene.replace(summary=summary, summed_up_by=action.who.id)
    notice = Notice(
        "scene-summed-up",
        {**_title_params(scene), "over": scene.over},
        note=summary,
        by=action.who.id,
        audience=_audience_of(state, state, scene, action.at),
    )
    return Outcome(with_scene(state, summed_up), (notice,))


def _past_scene(state: TableState, action: SumUp) -> StoryScene:
    """Return the scene that an action means. Raises as `sum_up`."""
    past, current = past_scenes(state, action.place), open_scene(state, action.place)
    wanted = name_key(action.scene)
    if current is not None and wanted in (str(current.number), name_key(current.title)):
        raise Impossible("scene-still-open")
    if not past:
        raise Impossible("no-past-scene" if current is None else "scene-still-open")
    if not wanted:
        return past[0]
    for scene in past:
        if wanted in (str(scene.number), name_key(scene.title)):
            return scene
    return find_one(
        past,
        action.scene,
        _title_of,
        field="scene",
        unknown="unknown-scene",
        ambiguous="ambiguous-scene",
    )


def _title_of(scene: StoryScene) -> str:
    return scene.title


def join_scene(state: TableState, action: JoinScene, game: Game) -> Outcome:
    """Bring a character of the actor into the scene in this place, or take it out.

    It leaves the scene that it was in. Only GMs bring a character into a whisper scene; players may
    take their own out. Who joins is told of nothing that happened before.

    Raises:
        Impossible("no-scene"): no scene is open here that the actor may know of.
        Impossible("whisper-gm-joins"): a player would join a whisper scene.
        Impossible("scene-of-hidden", "not-in-play"): as `start_scene`.
        Impossible("in-scene", "not-in-scene"): the character is there already, or isn't.
        Impossible("scene-full"): the scene has no room.
    """
    scene = open_scene(state, action.place)
    if scene is None or not knows_scene(game, scene):
        raise Impossible("no-scene")
    character = _joining_character(state, action, scene)
    _require_known(character)
    name, who = public_name(character), character.id
    if action.back:
        if who not in scene.cast:
            raise Impossible("not-in-scene", name=name)
        after = without_cast(state, (who,), private=scene.private)
    else:
        if who in scene.cast:
            raise Impossible("in-scene", name=name)
        if len(scene.cast) >= CAST_MAX:
            raise Impossible("scene-full", most=CAST_MAX)
        after = without_cast(state, (who,), private=scene.private)
        after = with_scene(after, scene.replace(cast=(*scene.cast, who)))
    if scene.private:
        after = with_leavers(state, after, scene.number, action.at)
    params = {**_title_params(scene), "name": name, "leaves": action.back}
    audience = _audience_of(state, after, scene, action.at)
    event = Notice("scene-cast", params, characters=(who,), by=action.who.id, audience=audience)
    return Outcome(after, (event,))


def _joining_character(state: TableState, action: JoinScene, scene: StoryScene) -> AnyCharacter:
    """Return the character who joins or leaves a scene. Raises as `join_scene`."""
    if scene.private and is_gm(state, action.who) and action.as_ is not None:
        return find_known(state, action.who, action.as_, "as")
    if scene.private and not is_gm(state, action.who) and not action.back:
        raise Impossible("whisper-gm-joins")
    return acting_character(state, action.who, action.as_, action.place)
