"""Whisper scenes: who is told, who may take part, and what their beginning and end show nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.dice.no_dice import NO_DICE
from rules.core.errors import RulesError
from rules.table.actions import (
    Action,
    AddToEncounter,
    AdvanceTime,
    ChangeSettings,
    Due,
    EditSaid,
    EndEncounter,
    EndScene,
    ForgetPerson,
    JoinEncounter,
    JoinScene,
    NextTurn,
    PauseTable,
    PlaceScene,
    ResumeTable,
    RollDice,
    Say,
    Session,
    StartEncounter,
    StartScene,
    SumUp,
)
from rules.table.blocks import EVERYONE, GMS, Audience
from rules.table.clock.pauses import pause_place, pause_waits
from rules.table.events import DiceRolled, Notice, Said
from rules.table.gm_office import SILENCE
from rules.table.gms.gm_acts import told_where_play_stands
from rules.table.played_scenes import SCENES_MAX, StoryScene, open_scene, scenes_of
from rules.table.state import DAY
from rules.table.system import Game
from rules.table.waits.agenda import agenda, holding
from rules.table.waits.silence import silence_waits
from rules.table.whispers import closed_places, places_left_by
from tests.rules.test_scenes import BARN, Play
from tests.rules.toy_turns import PLAIN
from tests.sample_table import ANN, BEN, CLOCK, GM, PLACE

CAST = Audience(gms=True, people=("p2",), whisper=PLACE)


def whispered(*cast: str, **more: Any) -> Play:
    """A table with a whisper scene in the place."""
    return Play().do(StartScene, title="Fence", cast=cast or ("Anna",), private=True, **more)


def scene_of(play: Play) -> StoryScene:
    scene = open_scene(play.state, PLACE)
    assert scene is not None
    return scene


def game_of(play: Play) -> Game:
    """The table as the clock reads it."""
    return Game(play.state, PLAIN, NO_DICE, play.at, CLOCK)


def refusal(play: Play, *args: Any, **fields: Any) -> str:
    before = play.state
    with pytest.raises(RulesError) as refused:
        play.do(*args, **fields)
    assert play.state is before
    return refused.value.code


def test_the_scene_is_told_to_its_cast_and_counts_apart() -> None:
    play = whispered()
    assert [event.audience for event in play.events] == [CAST]
    assert (scene_of(play).number, play.state.counters.scene) == (-1, 0)
    play.do(EndScene, summary="Sold.")
    assert {event.audience for event in play.events} == {CAST}
    play.do(SumUp, summary="Bought.")
    assert [event.audience for event in play.events] == [CAST]
    play.do(StartScene, title="Quay")
    assert [event.audience for event in play.events] == [EVERYONE]
    assert [scene.number for scene in scenes_of(play.state)] == [1, -1]


def test_events_of_the_place_are_narrowed_and_no_others() -> None:
    play = whispered()
    play.do(RollDice, ANN, dice="2")
    assert [event.audience for event in play.events if isinstance(event, DiceRolled)] == [CAST]
    play.do(RollDice, BEN, dice="2", place=BARN)
    assert [event.audience for event in play.events] == [EVERYONE]
    play.do(StartEncounter)
    assert {event.audience.everyone for event in play.events} == {False}
    play.do(StartEncounter, place=BARN)
    assert not any(event.audience.whisper for event in play.events)


def test_words_stay_with_those_who_heard_them() -> None:
    play = whispered().do(Say, ANN, text="Psst")
    (said,) = [event for event in play.events if isinstance(event, Said)]
    play.do(EndScene).do(EditSaid, ANN, said=said.said, text="Pst")
    assert [event.audience for event in play.events] == [CAST]


def test_outsiders_take_no_part() -> None:
    play = whispered()
    assert refusal(play, RollDice, BEN, dice="2") == "not-in-whisper-yourself"
    assert refusal(play, Say, BEN, text="Hello") == "not-in-whisper-yourself"
    play.do(StartEncounter)
    assert refusal(play, JoinEncounter, BEN) == "not-in-whisper-yourself"
    play.do(JoinEncounter, ANN)
    assert refusal(play, EndScene) == "whisper-initiative"
    play.do(EndEncounter).do(EndScene)


def test_no_initiative_runs_where_a_whisper_scene_begins() -> None:
    play = Play().do(StartEncounter)
    fields = {"title": "Fence", "private": True}
    assert refusal(play, StartScene, **fields) == "whisper-initiative"
    play.do(StartScene, thread=True, **fields)


def test_gms_bring_characters_in_and_players_leave() -> None:
    play = whispered()
    assert refusal(play, JoinScene, BEN) == "no-scene"
    assert refusal(play, JoinScene, ANN, as_="Anna") == "whisper-gm-joins"
    play.do(JoinScene, GM, as_="Boris")
    both = CAST.replace(people=("p2", "p3"))
    assert [event.audience for event in play.events] == [both]
    assert closed_places(play.state, "p3", play.at) == frozenset()
    play.do(JoinScene, BEN, back=True)
    assert [event.audience for event in play.events] == [both]
    assert (scene_of(play).cast, scene_of(play).left) == (("k1",), ("p3",))
    assert closed_places(play.state, "p3", play.at) == places_left_by(play.state, "p3") == {PLACE}
    assert closed_places(play.state, "p2", play.at) == frozenset()
    play.do(JoinScene, GM, as_="Boris")
    assert scene_of(play).left == ()


def test_another_scene_keeps_its_cast() -> None:
    play = Play().do(StartScene, title="Quay", cast=("Anna", "Boris"), place=BARN)
    play.do(StartScene, title="Fence", cast=("Anna",), private=True)
    quay, fence = scenes_of(play.state)
    assert (quay.cast, fence.cast) == (("k1", "k2"), ("k1",))
    play.do(JoinScene, GM, as_="Boris")
    assert scenes_of(play.state)[0].cast == ("k1", "k2")


def test_its_end_ends_effects_of_its_cast_alone() -> None:
    play = whispered().mark("k1", "k2").do(EndScene)
    assert play.marked() == ["k2"]
    assert {event.audience for event in play.events} == {CAST}


def test_the_end_of_another_scene_ends_effects_of_a_whispering_character() -> None:
    play = Play().do(StartScene, title="Quay", cast=("Anna",), place=BARN)
    play.do(StartScene, title="Fence", cast=("Anna", "Boris"), private=True)
    play.mark("k1", "k2").do(EndScene, place=BARN)
    assert play.marked() == []


@pytest.mark.parametrize("exposed", [False, True])
def test_without_a_thread_it_stays_only_where_nobody_else_reads(exposed: bool) -> None:
    play = whispered(thread=True)
    assert open_scene(play.state, PLACE) is None
    play.do(PlaceScene, CLOCK, number=-1, thread=None, exposed=exposed)
    (event,) = play.events
    if exposed:
        assert event.audience == Audience(gms=True)
        assert scenes_of(play.state)[0].over == play.at
    else:
        assert event.audience == CAST and scene_of(play).title == "Fence"


def test_whisper_scenes_push_out_no_other_scene() -> None:
    play = Play().do(StartScene, title="Quay", place=BARN).do(EndScene, place=BARN)
    for _ in range(SCENES_MAX + 2):
        play.do(StartScene, title="Fence", private=True)
    kept = scenes_of(play.state)
    assert kept[0].title == "Quay" and len(kept) == SCENES_MAX + 1


def test_a_player_who_is_forgotten_is_forgotten_by_the_scene() -> None:
    play = whispered("Anna", "Boris").do(JoinScene, BEN, back=True)
    assert scene_of(play).left == ("p3",)
    play.do(ForgetPerson, BEN)
    assert scene_of(play).left == ()


def test_a_turn_in_a_whisper_scene_makes_no_silence() -> None:
    play = whispered().do(StartEncounter).do(AddToEncounter, name="Orc", score=1).do(NextTurn)
    (wait,) = agenda(game_of(play), GMS)
    assert (wait.kind, wait.place, wait.gms) == ("turn", PLACE, True)
    assert [held.id for held in holding(game_of(play), PLACE)] == [wait.id]
    assert agenda(game_of(play), EVERYONE) == () and silence_waits(game_of(play)) == {}
    play.do(StartEncounter, place=BARN).do(AddToEncounter, place=BARN, name="Spy", score=1)
    play.do(AddToEncounter, place=BARN, name="Boris", score=2).do(NextTurn, place=BARN)
    assert [wait.place for wait in agenda(game_of(play), EVERYONE)] == [BARN]
    lines = told_where_play_stands(play.state, "333", (Notice("gm-silent"),))
    assert [line.place for line in lines if isinstance(line, Notice)] == ["333", BARN]


def test_a_turn_in_the_open_makes_a_silence() -> None:
    play = Play().do(StartEncounter).do(AddToEncounter, name="Orc", score=1).do(NextTurn)
    assert [*silence_waits(game_of(play))] == [f"{SILENCE}{PLACE}:2:{play.at}"]


def test_what_is_about_the_table_is_told_where_everybody_reads() -> None:
    play = Play().do(StartScene, title="Fence", cast=("Anna",), private=True, thread=True)
    play.do(PlaceScene, CLOCK, number=-1, thread="300")
    about_the_table: tuple[tuple[type[Action], dict[str, Any]], ...] = (
        (PauseTable, {"note": "Holiday"}),
        (ResumeTable, {}),
        (AdvanceTime, {"minutes": 60}),
        (ChangeSettings, {"values": {"answer_time": DAY * 3}}),
        (Session, {"start": True}),
    )
    for kind, fields in about_the_table:
        play.do(kind, place="300", **fields)
        told = [event for event in play.events if isinstance(event, Notice)]
        assert [(event.place, event.audience) for event in told] == [(PLACE, EVERYONE)], kind


def test_a_pause_ends_where_everybody_reads() -> None:
    play = Play().do(StartScene, title="Fence", cast=("Anna",), private=True, thread=True)
    play.do(PlaceScene, CLOCK, number=-1, thread="300")
    play.do(PauseTable, place="300", until=play.at + 50)
    play.do(EndScene, place="300")
    ((wait, until),) = pause_waits(play.state).items()
    play.at = until
    play.do(Due, CLOCK, wait=wait, place=pause_place(wait))
    (told,) = [event for event in play.events if isinstance(event, Notice)]
    assert (told.what, pause_place(wait), told.audience) == ("clock-resumed", PLACE, EVERYONE)


def test_without_another_place_the_cast_alone_is_told() -> None:
    play = whispered().do(PauseTable)
    assert [event.audience for event in play.events] == [CAST]
    play.do(StartScene, title="Quay", cast=("Boris",), place=BARN).do(ResumeTable)
    (told,) = [event for event in play.events if isinstance(event, Notice)]
    assert (told.place, told.audience) == (BARN, EVERYONE)
