"""The agenda: who is waited for, by what each audience may know."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.rng import ScriptedRng
from rules.table.actions import Actor, Delegate, EndEncounter, NextTurn, SetAway
from rules.table.blocks import EVERYONE, GMS, Ref, Text
from rules.table.check import ANY_GM
from rules.table.commands import OwnWait
from rules.table.readable_places import NOWHERE
from rules.table.state import DAY, Character, Encounter, Pause, Slot
from rules.table.system import Game
from rules.table.waits.agenda import Wait, agenda, holding
from tests.rules.checks import toy_procedures
from tests.rules.checks.toy_procedures import Sheet, owner, table
from tests.rules.test_turn_clock import ACTING, Play
from tests.sample_table import ANN, BEN, GM, NOON, PLACE

_ELSEWHERE = Actor("p9")


def _game(play: Play, actor: Actor = GM) -> Game:
    return Game(play.state, play.system, ScriptedRng(()), play.at, actor)


def _only(waits: tuple[Wait, ...]) -> Wait:
    (wait,) = waits
    return wait


def _default(wait: Wait) -> Any:
    assert wait.default is not None
    return wait.default.params["what"]


# --- checks ---------------------------------------------------------------------------------------


def _proposal(**more: Any) -> toy_procedures.Play:
    return toy_procedures.Play(table()).begin("proposal", **more)


def test_a_proposal_waits_for_the_gm_without_an_end() -> None:
    play = _proposal()
    wait = _only(agenda(play.game(), EVERYONE))
    number = play.number("rule")
    assert wait.id == f"{play.id}.{number}.rule"
    assert (wait.kind, wait.place, wait.gms, wait.people, wait.who) == (
        "answer",
        toy_procedures.PLACE,
        True,
        (),
        (),
    )
    assert (wait.since, wait.due, wait.default, wait.length) == (1000, None, None, DAY)
    assert agenda(play.game(owner("b"))) == agenda(play.game(), GMS) == (wait,)


def test_a_check_stalls_once_its_reminders_are_over() -> None:
    play = _proposal()
    play.at = 1000 + 4 * DAY - 1
    assert not _only(agenda(play.game())).stalled
    play.at += 1
    assert _only(agenda(play.game())).stalled


def test_a_player_is_named_with_whoever_may_answer() -> None:
    play = _proposal()
    play.do("rule", "roll", level=3)
    wait = _only(holding(play.game(), toy_procedures.PLACE))
    assert (wait.characters, wait.people, wait.gms) == (("a",), ("p2",), False)
    assert [ref.name for ref in wait.who] == [play.state.characters["a"].name]
    assert holding(play.game(), "elsewhere") == ()


@pytest.mark.parametrize(
    ("more", "to_others", "to_owner"),
    [({"visibility": "private"}, 0, 1), ({"visibility": "blind"}, 0, 1), ({"gm_only": True}, 0, 0)],
)
def test_nobody_else_learns_that_a_hidden_check_waits(
    more: dict[str, Any], to_others: int, to_owner: int
) -> None:
    game = toy_procedures.Play(table()).begin("proposal", "a", **more).game
    assert len(agenda(game(), EVERYONE)) == len(agenda(game(owner("b")))) == to_others
    assert len(agenda(game(owner("a")))) == to_owner
    assert len(agenda(game(), GMS)) == 1


def test_a_secret_prompt_names_all_until_it_is_over() -> None:
    play = toy_procedures.Play(table(), (1, 2)).begin("duel", sides=["a", "b"])
    play.do("side", "low", "a")
    for game in (play.game(), play.game(owner("a")), play.game(owner("b"))):
        found = [wait for wait in agenda(game) if wait.prompt == "side"]
        assert [wait.characters for wait in found] == [("a", "b")]
        assert found[0].secret
    play.do("side", "low", "b")
    assert agenda(play.game()) == ()


def test_the_clocks_answer_is_in_words_that_its_reader_may_know() -> None:
    play = toy_procedures.Play(table(), (1, 2)).begin("duel", sides=["a", "b"])
    play.state = play.state.replace(settings=play.state.settings.replace(wait_for_everybody=True))
    public, own = _only(agenda(play.game(), EVERYONE)), _only(agenda(play.game(owner("a"))))
    assert public.due == own.due is not None
    assert _default(public) == "standard"
    assert own.default == Text(
        "wait-default",
        {"what": "chosen", "who": own.who, "count": 2, "choice": Text("choose-low")},
    )


def test_the_gms_are_waited_for_while_a_player_is_away() -> None:
    play = Play(ACTING).do(NextTurn).do(SetAway, ANN)
    wait = _only(agenda(_game(play), EVERYONE))
    assert (wait.people, wait.away, wait.gms) == (("p2",), ("p2",), True)
    play.do(Delegate, ANN, character="Anna", to=BEN.id)
    wait = _only(agenda(_game(play), EVERYONE))
    assert (wait.people, wait.away, wait.gms) == (("p2", "p3"), ("p2",), False)


# --- turns ----------------------------------------------------------------------------------------


def test_a_turn_is_delayed_when_its_time_is_up() -> None:
    play = Play()
    assert agenda(_game(play)) == ()
    play.do(NextTurn)
    wait = _only(holding(_game(play), PLACE))
    assert wait.id == f"turn:{PLACE}:{NOON}"
    assert (wait.kind, wait.people, wait.due) == ("turn", ("p2",), NOON + 2 * DAY)
    assert wait.default == Text(
        "wait-default",
        {"what": "delayed", "who": (Ref(name="Anna"),), "count": 1, "choice": None},
    )
    play.lapse()
    second = _only(holding(_game(play), PLACE))
    assert second.id != wait.id
    assert second.people == ("p3",)
    assert _default(second) == "ends", "everybody else is delayed"
    play.do(EndEncounter)
    assert agenda(_game(play)) == ()


def test_turns_in_any_order_are_one_wait() -> None:
    play = Play(block_turns=True).do(NextTurn)
    wait = _only(holding(_game(play), PLACE))
    assert (wait.characters, wait.people) == (("k1", "k2"), ("p2", "p3"))
    assert _default(wait) == "delayed"
    play.do(NextTurn, BEN)
    assert _only(holding(_game(play), PLACE)).characters == ("k1",)


def test_a_paused_table_has_no_deadline() -> None:
    play = Play().do(NextTurn)
    paused = play.state.settings.replace(pause=Pause(NOON))
    play.state = play.state.replace(settings=paused)
    wait = _only(agenda(_game(play)))
    assert (wait.due, wait.default) == (None, None)


def test_a_hidden_turn_is_not_there_for_players() -> None:
    play = Play()
    hidden = play.state.characters["k3"].replace(stage="off")
    encounter = Encounter(PLACE, (Slot("", "k3"),), round=1, since=NOON)
    play.state = play.state.with_character(hidden).with_encounter(encounter)
    assert agenda(_game(play), EVERYONE) == agenda(_game(play, ANN)) == ()
    wait = _only(agenda(_game(play)))
    assert (wait.gms, wait.people, wait.due) == (True, (), None)
    assert wait.about.params["actor"] == Ref(name="Orc")


def test_places_that_a_reader_cannot_view_are_left_out() -> None:
    play = Play().do(NextTurn)
    closed = _game(play, _ELSEWHERE).replace(readable=NOWHERE)
    assert agenda(closed) == ()
    assert len(agenda(_game(play, ANN).replace(readable=NOWHERE))) == 1, "it is their own"


# --- what else waits ------------------------------------------------------------------------------


def test_new_characters_wait_for_the_gms_and_then_for_their_player() -> None:
    play = Play()
    newcomer = Character("k9", "Tam", "p3", Sheet(), approved=False, sent_at=NOON)
    play.state = play.state.with_character(newcomer)
    assert agenda(_game(play), EVERYONE) == agenda(_game(play, ANN)) == ()
    first = _only(agenda(_game(play, BEN)))
    assert (first.kind, first.gms, first.people, first.since) == ("newcomer", True, (), NOON)
    back = newcomer.replace(sent_back="Younger", sent_at=NOON + 9)
    play.state = play.state.with_character(back)
    second = _only(agenda(_game(play)))
    assert (second.gms, second.people) == (False, ("p3",))
    assert second.id != first.id


def test_a_system_can_have_waits_of_its_own() -> None:
    play = Play()
    named = Text("called", {"who": Ref("k1")})
    waits = (
        OwnWait("task:t1:0", named, (ANY_GM,), PLACE, NOON),
        OwnWait("rest:k1:5", named, ("k1",), visible_to=("k1",)),
    )
    play.system = play.system.replace(waits=lambda game: waits)
    public = _only(agenda(_game(play), EVERYONE))
    assert (public.id, public.gms) == ("task:t1:0", True)
    assert public.about == Text("called", {"who": Ref(name="Anna")})
    assert [wait.id for wait in agenda(_game(play, ANN))] == ["task:t1:0", "rest:k1:5"]
    assert [wait.id for wait in agenda(_game(play, BEN))] == ["task:t1:0"]
    assert len(agenda(_game(play))) == 2
    assert holding(_game(play), PLACE) == (public,)


def test_the_oldest_wait_comes_first_and_those_without_a_time_last() -> None:
    play = Play().do(NextTurn)
    named = Text("called")
    times = {"task:late": NOON + 5, "task:unknown": 0, "task:early": NOON - 5}
    waits = [OwnWait(id, named, (ANY_GM,), PLACE, since) for id, since in times.items()]
    play.system = play.system.replace(waits=lambda game: waits)
    found = [wait.id for wait in agenda(_game(play))]
    assert found == ["task:early", f"turn:{PLACE}:{NOON}", "task:late", "task:unknown"]
