"""Checks in whisper scenes: who is told of them, and who may be asked."""

from __future__ import annotations

from collections.abc import Iterable

from rules.table.check import AnyCheck, Prompt
from rules.table.checks.access import cast_of
from rules.table.played_scenes import StoryScene
from rules.table.state import TableState
from rules.table.system import Game
from rules.table.whispers import cast_players, whisper_at


def with_hearers(game: Game, check: AnyCheck) -> AnyCheck:
    """Return a new check with the whisper scene that is played in its place, if there is one."""
    scene = whisper_at(game.state, check.place)
    if scene is None or not check.is_public:
        return check
    return check.replace(scene=scene.number, hears=cast_players(game.state, scene, game.at))


def without_outsiders(game: Game, check: AnyCheck, prompts: Iterable[Prompt]) -> list[Prompt]:
    """Return prompts of a check without characters of players who aren't told of it."""
    if not check.scene:
        return list(prompts)
    kept: list[Prompt] = []
    for prompt in prompts:
        if prompt.who is None:
            kept.append(prompt)
            continue
        insiders = [who for who in prompt.who if not _is_outsider(game, check, who)]
        if len(insiders) == len(prompt.who):
            kept.append(prompt)
        elif insiders:
            kept.append(prompt.replace(who=tuple(insiders)))
    return kept


def _is_outsider(game: Game, check: AnyCheck, who: str) -> bool:
    """Return whether a character's player isn't told of a check in a whisper scene."""
    character = game.state.characters.get(who)
    if character is None or character.owner is None or character.owner in check.hears:
        return False
    return who not in cast_of(game, check)


def without_leavers(state: TableState, scene: StoryScene, at: int) -> TableState:
    """Return the table whose open checks of a scene are told to nobody who has left it."""
    staying = cast_players(state, scene, at)
    checks = dict(state.checks)
    for check in state.open_checks:
        if check.scene == scene.number:
            hears = tuple(person for person in check.hears if person in staying)
            checks[check.id] = check.replace(hears=hears)
    return state.replace(checks=checks)
