"""Moves of play by the rules: who may, what goes along, and what waits."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.table.actions import LeavePlace, MovePlay, StartEncounter, StartScene
from rules.table.events import Notice
from rules.table.played_scenes import open_scene, scenes_of
from tests.rules.test_scenes import BARN, Play
from tests.sample_table import ANN, CLOCK, GM_PLACE, PLACE

LOFT = "333"


def refused(play: Play, kind: type[Any], **fields: Any) -> str:
    """The code of a refusal, after which nothing has changed."""
    before = play.state
    with pytest.raises(RulesError) as found:
        play.do(kind, **fields)
    assert play.state is before
    return found.value.code


def test_a_scene_in_a_thread_remembers_its_channel() -> None:
    play = Play().do(StartScene, title="The ferry")
    play.do(MovePlay, what="scene", to=BARN, parent=PLACE)
    assert [(each.place, each.home) for each in scenes_of(play.state)] == [(BARN, PLACE)]
    play.do(LeavePlace, CLOCK, left=BARN, to=PLACE, why="gone")
    (scene,) = scenes_of(play.state)
    assert (scene.place, scene.home, scene.left_place) == (PLACE, "", BARN)
    assert play.notices() == [("place-left", "The ferry")]
    assert refused(play, LeavePlace, who=CLOCK, left=BARN, to=PLACE, why="gone") == "nothing-there"


def test_a_private_thread_has_no_channel_to_go_back_to() -> None:
    play = Play().do(StartScene, title="The ferry")
    play.do(MovePlay, what="scene", to=BARN, parent=PLACE, private=True)
    assert [each.home for each in scenes_of(play.state)] == [""]


def test_initiative_waits_in_a_lost_place_if_the_channel_has_its_own() -> None:
    play = Play().do(StartScene, place=BARN, title="The barn")
    play.do(StartEncounter, place=BARN).do(StartEncounter)
    play.do(LeavePlace, CLOCK, left=BARN, to=PLACE, why="closed")
    assert [*play.state.encounters] == [BARN, PLACE]
    scene = open_scene(play.state, PLACE)
    assert scene is not None and scene.title == "The barn"
    (told,) = [event for event in play.events if isinstance(event, Notice)]
    assert told.params["stays"] and told.ping_gms


def test_a_whisper_scene_goes_whole_and_never_back_to_a_channel() -> None:
    play = Play().do(StartScene, place=BARN, title="The vault", private=True)
    play.do(StartEncounter, place=BARN).do(StartEncounter)
    move: dict[str, Any] = {"what": "initiative", "to": LOFT, "source": BARN}
    assert refused(play, MovePlay, **move) == "whisper-moves-whole"
    move = {"what": "initiative", "to": BARN}
    assert refused(play, MovePlay, **move) == "whisper-initiative-there"
    move = {"what": "scene", "to": PLACE, "place": BARN}
    assert refused(play, MovePlay, **move) == "initiative-there"
    play.do(MovePlay, what="scene", place=BARN, to=LOFT, parent=PLACE)
    assert [(each.place, each.home) for each in scenes_of(play.state)] == [(LOFT, "")]
    assert {event.audience.everyone for event in play.events} == {False}
    before = play.state
    play.do(LeavePlace, CLOCK, left=LOFT, to=PLACE, why="gone")
    assert play.state is before and play.notices() == [("place-lost", "The vault")]


def test_what_is_refused_changes_nothing() -> None:
    play = Play()
    move: dict[str, Any] = {"what": "scene", "to": BARN}
    assert refused(play, MovePlay, **move) == "no-scene"
    assert refused(play, MovePlay, what="initiative", to=BARN) == "no-encounter"
    play.do(StartScene, title="The ferry").do(StartScene, place=LOFT, title="The loft")
    assert refused(play, MovePlay, what="scene", to=LOFT) == "scene-there"
    assert refused(play, MovePlay, what="scene", to=PLACE) == "already-there"
    assert refused(play, MovePlay, what="scene", to=GM_PLACE) == "move-to-gm-channel"
    assert refused(play, MovePlay, who=ANN, **move) == "gm-only"
    assert refused(play, LeavePlace, left=PLACE, to=BARN, why="gone") == "system-only"
    play.do(StartScene, place=BARN, title="The barn", thread=True)
    opening = {"what": "scene", "to": "444", "scene": "The barn"}
    assert refused(play, MovePlay, **opening) == "scene-opening"
