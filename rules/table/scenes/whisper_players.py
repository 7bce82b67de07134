"""Players of a whisper scene who change without a step of the scene.

A character of the cast is handed over, a stand-in comes or goes, or a GM undoes or corrects such a
change or a step of the scene.
"""

from __future__ import annotations

from rules.table.absence import players_of
from rules.table.blocks import Value
from rules.table.checks.whispered_checks import without_leavers
from rules.table.events import Notice
from rules.table.outcome import Outcome
from rules.table.permissions import public_name
from rules.table.played_scenes import StoryScene, open_scenes, with_scene
from rules.table.state import TableState
from rules.table.system import Game
from rules.table.whispers import cast_players, scene_audience


def with_leavers(before: TableState, after: TableState, number: int, at: int) -> TableState:
    """Return the table with the players who have left a whisper scene, and without those back."""
    was = next(scene for scene in open_scenes(before) if scene.number == number)
    now = next(scene for scene in open_scenes(after) if scene.number == number)
    present = cast_players(after, now, at)
    gone = [person for person in cast_players(before, was, at) if person not in present]
    left = [person for person in dict.fromkeys((*was.left, *gone)) if person not in present]
    after = with_scene(after, now.replace(left=tuple(left)))
    return without_leavers(after, now, at)


def with_changed_players(game: Game, outcome: Outcome) -> Outcome:
    """Return an outcome that tells whisper scenes who plays their characters now.

    Only scenes whose cast is the same as before have such news. Who has left reads nothing more,
    and the notice makes the bot match the members of the scene's thread. *game* is the table before
    the action.
    """
    if not outcome.state.counters.whisper:
        return outcome
    scenes_before = {scene.number: scene for scene in open_scenes(game.state)}
    for scene in open_scenes(outcome.state):
        before = scenes_before.get(scene.number)
        if scene.private and before is not None and before.cast == scene.cast:
            outcome = _with_players_of(game, outcome, scene)
    return outcome


def with_players_put_back(game: Game, outcome: Outcome) -> Outcome:
    """Return an outcome of an undo or a correction that tells whisper scenes who plays there now.

    *game* is the table before it. The earlier parts of the scenes don't name the players who leave
    by the undo. A change of a cast is told in the scene's place unless *outcome* has news there.
    """
    if not outcome.state.counters.whisper:
        return outcome
    told_in = {event.audience.whisper for event in outcome.events}
    scenes_before = {scene.number: scene for scene in open_scenes(game.state)}
    for scene in open_scenes(outcome.state):
        before = scenes_before.get(scene.number)
        if not scene.private or before is None:
            continue
        notices = _player_notices(game, outcome.state, scene)
        if scene.place not in told_in:
            notices += _cast_notices(game, outcome.state, before, scene)
        players_before = {*cast_players(game.state, before, game.at)}
        if notices or players_before != {*cast_players(outcome.state, scene, game.at)}:
            state = with_leavers(game.state, outcome.state, scene.number, game.at)
            outcome = outcome.replace(state=state, events=(*outcome.events, *notices))
    return outcome


def _with_players_of(game: Game, outcome: Outcome, scene: StoryScene) -> Outcome:
    """Return an outcome with a notice about each character of a scene that others play now."""
    notices = _player_notices(game, outcome.state, scene)
    if not notices:
        return outcome
    state = with_leavers(game.state, outcome.state, scene.number, game.at)
    return outcome.replace(state=state, events=(*outcome.events, *notices))


def _player_notices(game: Game, after: TableState, scene: StoryScene) -> list[Notice]:
    """Return a notice about each character of a scene that others play than before."""
    notices: list[Notice] = []
    for who in scene.cast:
        character_before, character = [state.characters.get(who) for state in (game.state, after)]
        if character_before is None or character is None or not _has_others(game, after, who):
            continue
        params: dict[str, Value] = {
            "name": public_name(character),
            "owner": character.owner or "",
            "given": character.owner != character_before.owner,
        }
        notice = Notice(
            "scene-players",
            params,
            characters=(who,),
            by=game.actor.id,
            audience=scene_audience(game.state, after, scene, game.at),
            place=scene.place,
        )
        notices.append(notice)
    return notices


def _cast_notices(
    game: Game, after: TableState, before: StoryScene, scene: StoryScene
) -> list[Notice]:
    """Return a notice about each character who is in a scene now, or is no longer."""
    notices: list[Notice] = []
    for who in dict.fromkeys((*before.cast, *scene.cast)):
        leaves = who not in scene.cast
        character = after.characters.get(who) or game.state.characters.get(who)
        if character is None or leaves == (who not in before.cast):
            continue
        params: dict[str, Value] = {
            "number": scene.number,
            "title": scene.title,
            "name": public_name(character),
            "leaves": leaves,
        }
        notice = Notice(
            "scene-cast",
            params,
            characters=(who,),
            by=game.actor.id,
            audience=scene_audience(game.state, after, scene, game.at),
            place=scene.place,
        )
        notices.append(notice)
    return notices


def _has_others(game: Game, after: TableState, who: str) -> bool:
    """Return whether other participants play a character than before."""
    players = [{*players_of(state, who, game.at)} for state in (game.state, after)]
    return players[0] != players[1]
