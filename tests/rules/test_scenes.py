"""Scenes: who is in them, what their end ends, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.table.actions import (
    Action,
    Actor,
    ChangePlaces,
    EndScene,
    ForgetPerson,
    JoinScene,
    PlaceScene,
    StartScene,
    SumUp,
)
from rules.table.events import Event, Notice
from rules.table.marks import marks_of, with_marks
from rules.table.played_scenes import SCENES_MAX, open_scenes, past_scenes, scenes_of
from rules.table.resolve import resolve
from rules.table.scenes.scene_actions import CAST_MAX, SUMMARY_MAX, TITLE_MAX
from rules.table.state import Character, Mark, Settings, TableState
from tests.rules.toy_turns import PLAIN, Sheet
from tests.sample_table import ANN, CLOCK, GM, GM_PLACE, PLACE, by

BARN = "222"


class Play:
    """A table with two players' characters and two NPCs, one of them off stage."""

    def __init__(self) -> None:
        people = (
            Character("k1", "Anna", "p2", Sheet()),
            Character("k2", "Boris", "p3", Sheet()),
            Character("k3", "Orc", None, Sheet(), stage="aliased", alias="Shadow"),
            Character("k4", "Spy", None, Sheet(), stage="off"),
            Character("k5", "Cleo", "p2", Sheet(), retired=True),
        )
        self.state = TableState(
            Settings("Hills", "skirmish", ("p1",), gm_place=GM_PLACE),
            characters={each.id: each for each in people},
        )
        self.events: tuple[Event, ...] = ()
        self.at = 100

    def do(self, kind: type[Action], who: Actor = GM, **fields: Any) -> Play:
        self.at += 1
        action = kind(**{**by(who), "at": self.at, **fields})
        outcome = resolve(PLAIN, self.state, action, ScriptedRng(()))
        self.state, self.events = outcome.state, outcome.events
        return self

    def mark(self, *characters: str) -> Play:
        for who in characters:
            self.state = with_marks(self.state, who, Mark("dazed", until="scene"), Mark("sworn"))
        return self

    def marked(self) -> list[str]:
        """The characters with a mark that lasts for a scene."""
        return [who for who in self.state.characters if marks_of(self.state, who, "dazed")]

    def notices(self) -> list[tuple[str, Any]]:
        """The codes and titles that everybody is told."""
        told = [event for event in self.events if isinstance(event, Notice)]
        return [(event.what, event.params.get("title")) for event in told]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"title": "  "}, "scene-needs-title"),
        ({"title": "x" * (TITLE_MAX + 1)}, "too-long"),
        ({"title": "a\x07b"}, "unprintable-text"),
        ({"place": GM_PLACE}, "scene-in-gm-channel"),
        ({"cast": ("Spy",)}, "scene-of-hidden"),
        ({"cast": ("Anna", "Moon")}, "unknown-character"),
        ({"cast": ("Anna",) * (CAST_MAX + 1)}, "too-many-entries"),
        ({"who": ANN}, "gm-only"),
    ],
)
def test_a_scene_that_is_refused_changes_nothing(fields: dict[str, Any], code: str) -> None:
    play = Play()
    before = play.state
    with pytest.raises(RulesError) as found:
        play.do(StartScene, **{"title": "The ferry", **fields})
    assert found.value.code == code and play.state is before


def test_the_end_of_a_scene_spares_characters_of_another() -> None:
    play = Play().mark("k1", "k2", "k3")
    play.do(StartScene, title="The ferry", cast=("Anna", "Orc"))
    play.do(StartScene, place=BARN, title="The barn", cast=("Boris",))
    play.do(EndScene, place=BARN)
    assert play.marked() == ["k1", "k3"]
    play.do(EndScene)
    assert play.marked() == []
    assert [mark.key for mark in marks_of(play.state, "k1")] == ["sworn"]


def test_players_read_public_names_alone() -> None:
    play = Play().do(StartScene, title="The ferry", cast=("Orc", "Anna", "orc"))
    (event,) = play.events
    assert isinstance(event, Notice) and event.params["cast"] == ("Shadow", "Anna")
    assert "Orc" not in repr(event)


def test_a_place_has_one_scene_and_a_character_is_in_one() -> None:
    play = Play().do(StartScene, title="The ferry", cast=("Anna",))
    play.do(StartScene, place=BARN, title="The barn", cast=("Anna", "Boris"))
    assert [scene.cast for scene in open_scenes(play.state)] == [(), ("k1", "k2")]
    play.do(JoinScene, ANN, as_="Anna")
    assert [scene.cast for scene in open_scenes(play.state)] == [("k1",), ("k2",)]
    play.do(StartScene, title="The river")
    assert play.notices() == [("scene-ends", "The ferry"), ("scene-begins", "The river")]
    assert [scene.title for scene in open_scenes(play.state)] == ["The barn", "The river"]


def test_only_ones_own_characters_join() -> None:
    play = Play().do(StartScene, title="The ferry")
    for who, name, code in (
        (ANN, "Boris", "unknown-character"),
        (ANN, "Cleo", "not-in-play"),
        (GM, "Spy", "scene-of-hidden"),
    ):
        with pytest.raises(RulesError) as found:
            play.do(JoinScene, who, as_=name)
        assert found.value.code == code
    assert open_scenes(play.state)[0].cast == ()


def test_a_summary_is_for_a_scene_that_is_over() -> None:
    play = Play().do(StartScene, title="The ferry").do(EndScene, summary="They crossed.")
    play.do(StartScene, title="The river").do(EndScene).do(StartScene, title="The barn")
    play.do(SumUp, summary="They swam.")
    assert play.notices() == [("scene-summed-up", "The river")]
    play.do(SumUp, summary="They sank.", scene="the FERRY")
    play.do(SumUp, summary="They drowned.", scene="2")
    told = [(scene.title, scene.summary) for scene in past_scenes(play.state, PLACE)]
    assert told == [("The river", "They drowned."), ("The ferry", "They sank.")]
    refusals: tuple[tuple[dict[str, Any], str], ...] = (
        ({"summary": " "}, "scene-needs-summary"),
        ({"summary": "x" * (SUMMARY_MAX + 1)}, "too-long"),
        ({"summary": "Now.", "scene": "The barn"}, "scene-still-open"),
        ({"summary": "They drowned."}, "already-so"),
        ({"summary": "Now.", "scene": "The"}, "ambiguous-scene"),
        ({"summary": "Now.", "place": BARN}, "no-past-scene"),
    )
    for fields, code in refusals:
        with pytest.raises(RulesError) as found:
            play.do(SumUp, **fields)
        assert found.value.code == code


def test_old_scenes_go_and_open_ones_stay() -> None:
    play = Play().do(StartScene, place=BARN, title="The barn")
    for number in range(SCENES_MAX + 3):
        play.do(StartScene, title=f"Scene {number}")
    kept = scenes_of(play.state)
    assert len(kept) == SCENES_MAX
    assert [scene.title for scene in kept[:2]] == ["The barn", "Scene 4"]
    assert len({scene.number for scene in kept}) == SCENES_MAX


def test_a_channel_that_is_no_longer_played_in_ends_its_scene() -> None:
    play = Play().do(StartScene, place=BARN, title="The barn", cast=("Anna",))
    play.do(StartScene, place=BARN, title="The loft", thread=True)
    play.do(PlaceScene, CLOCK, number=2, thread=None).do(StartScene, title="The ferry")
    play.do(ChangePlaces, unbind=BARN)
    assert [scene.title for scene in open_scenes(play.state)] == ["The ferry"]
    assert [scene.over for scene in scenes_of(play.state)] == [play.at, play.at, None]


def test_a_scene_without_its_thread_is_played_before_the_one_that_is_open() -> None:
    play = Play().do(StartScene, title="The quay").do(StartScene, title="The ferry", thread=True)
    play.do(PlaceScene, CLOCK, number=2, thread=None)
    assert play.notices() == [("scene-stays", "The ferry")]
    assert play.do(EndScene).notices() == [("scene-ends", "The ferry")]
    assert play.do(EndScene).notices() == [("scene-ends", "The quay")]


def test_a_forgotten_gm_leaves_no_title_and_no_summary() -> None:
    play = Play().do(StartScene, title="Xtitle").do(EndScene, summary="Xsummary")
    play.do(StartScene, title="Xother").do(ForgetPerson)
    assert "X" not in repr(scenes_of(play.state))


def test_only_the_system_notes_a_thread_once() -> None:
    play = Play().do(StartScene, title="The quay").do(StartScene, title="The ferry", thread=True)
    assert [scene.place for scene in open_scenes(play.state)] == [PLACE, PLACE]
    for who, number, code in (
        (GM, 2, "system-only"),
        (CLOCK, 1, "already-so"),
        (CLOCK, 3, "scene-gone"),
    ):
        with pytest.raises(RulesError) as found:
            play.do(PlaceScene, who, number=number, thread=BARN)
        assert found.value.code == code
    before = play.state
    play.do(PlaceScene, CLOCK, number=2, thread=BARN)
    assert list(play.state.changes_since(before)) == ["counters"]
    assert [scene.place for scene in open_scenes(play.state)] == [PLACE, BARN]
    play.do(EndScene)
    assert [scene.title for scene in open_scenes(play.state)] == ["The ferry"]
