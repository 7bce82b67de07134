"""Players of a whisper scene who change without a step of the scene.

A character of the cast is handed over, or a stand-in comes or goes.
"""

from __future__ import annotations

from rules.table.absence import players_of
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


def _with_players_of(game: Game, outcome: Outcome, scene: StoryScene) -> Outcome:
    """Return an outcome with a notice about each character of a scene that others play now."""
    notices: list[Notice] = []
    for who in scene.cast:
        character_before, character = [
            state.characters.get(who) for state in (game.state, outcome.state)
        ]
        if character_before is None or character is None or not _has_others(game, outcome, who):
            continue
        params = {
            "name": public_name(character),
            "owner": character.owner or "",
            "given": character.owner != character_before.owner,
        }
        audience = scene_audience(game.state, outcome.state, scene, game.at)
        notice = Notice(
            "scene-players",
            params,
            characters=(who,),
            by=game.actor.id,
            audience=audience,
            place=scene.place,
        )
        notices.append(notice)
    if not notices:
        return outcome
    state = with_leavers(game.state, outcome.state, scene.number, game.at)
    return outcome.replace(state=state, events=(*outcome.events, *notices))


def _has_others(game: Game, outcome: Outcome, who: str) -> bool:
    """Return whether other participants play a character than before."""
    players = [{*players_of(state, who, game.at)} for state in (game.state, outcome.state)]
    return players[0] != players[1]
