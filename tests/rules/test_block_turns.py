"""Block turns: players' characters who follow one another act in any order."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from rules.core.rng import ScriptedRng
from rules.registry import PLAYABLE
from rules.table.actions import (
    Actor,
    AddToEncounter,
    Begin,
    ChangeNpc,
    ChangeSettings,
    CloseChecks,
    DelayTurn,
    Delegate,
    MoreTurnTime,
    NextTurn,
    OrderEncounter,
    RemoveFromEncounter,
    Retire,
    SetAway,
)
from rules.table.events import BoardChanged
from rules.table.initiative import block_of, encounter_in, out_of_turn
from rules.table.settings.table_settings import settings_form
from rules.table.state import DAY, HOUR, Character, NpcStage
from rules.table.system import Game, Sheets, System, Tick, TickResult
from rules.table.turns.board import board_view
from rules.table.turns.turn_changes import board_holders
from rules.table.turns.turn_clock import is_stalled, turn_waits, waits_of_turn
from tests.rules.test_turn_clock import ACTING, DECIDING, PHASES, PLAIN, Play
from tests.rules.toy_turns import HEARD, Sheet
from tests.sample_table import ANN, BEN, GM, NOON, PLACE

CARL = Actor("p4")


class BlockPlay(Play):
    """Anna and Boris, then an orc; block turns of two days."""

    def __init__(self, system: System = PLAIN, **settings: Any) -> None:
        super().__init__(system, **{"block_turns": True, **settings})
        self.do(AddToEncounter, name="Orc")

    def with_hidden(self, stage: NpcStage = "off") -> BlockPlay:
        """Put an NPC that players don't know between Anna and Boris."""
        shade = Character("k4", "Shade", None, Sheet(), stage=stage, alias="a shadow")
        self.state = self.state.with_character(shade)
        self.do(AddToEncounter, name="Shade")
        self.do(OrderEncounter, order=("Anna", "Shade", "Boris", "Orc"))
        return self

    def with_carl(self) -> BlockPlay:
        """Put a third player's character at the end."""
        self.state = self.state.with_character(Character("k5", "Clara", "p4", Sheet()))
        self.do(AddToEncounter, name="Clara")
        return self

    def block(self) -> list[str]:
        """The names of the block, in the order that is shown."""
        slots = block_of(self.state, encounter_in(self.state, PLACE))
        return [slot.name or self.state.characters[slot.character or ""].name for slot in slots]

    def public(self) -> str:
        """What players read of the order."""
        shown = board_view(self.state, PLACE)
        assert shown is not None
        marks = [f"{'>' * line.acts}{'~' * line.waits}{line.name}" for line in shown.lines]
        return f"{shown.round}: {' '.join(marks)}"

    def since(self) -> int:
        return self.state.encounters[PLACE].since

    def calls(self) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Who was called: the names of each call, and the players that got a ping."""
        found: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        for event in self.events:
            if isinstance(event, BoardChanged) and event.calls:
                names = tuple(member.name for member in event.block) or (event.name or "",)
                found.append((names, event.ping))
        return found


# --- any order ------------------------------------------------------------------------------------


def test_neighbors_are_called_together_and_end_their_turns_in_any_order() -> None:
    for first, second in permutations((ANN, BEN)):
        play = BlockPlay().do(NextTurn)
        assert play.calls() == [(("Anna", "Boris"), ("p2", "p3"))]
        assert play.public() == "1: >Anna >Boris Orc"
        (call,) = play.events
        assert isinstance(call, BoardChanged) and call.after == "Orc"
        since = play.since()
        play.do(NextTurn, first)
        (event,) = play.events
        assert isinstance(event, BoardChanged)
        assert (event.step, len(event.block), event.ping) == ("done", 1, ())
        assert play.since() == since, "the buttons of the call stay good"
        assert play.refused(NextTurn, first).code == "not-your-turn"
        play.do(NextTurn, second)
        assert play.order() == "1: Anna Boris >Orc"
        assert play.calls() == [(("Orc",), ())]
        assert play.since() > since
        play.do(NextTurn)
        assert play.order() == "2: >Anna >Boris Orc", "the order of before"
        assert play.calls() == [(("Anna", "Boris"), ("p2", "p3"))]


def test_without_the_setting_one_acts_after_the_other() -> None:
    play = BlockPlay(block_turns=False).do(NextTurn)
    assert play.public() == "1: >Anna Boris Orc"
    assert play.refused(NextTurn, BEN).code == "not-your-turn"


@pytest.mark.parametrize("key", PLAYABLE)
def test_the_setting_is_there_where_turns_have_no_sides_and_no_timeline(key: str) -> None:
    offered = "block_turns" in settings_form(PLAYABLE[key]).by_key
    assert offered == (key in ("ebb", "ego"))


def test_a_timeline_has_no_blocks() -> None:
    play = BlockPlay(PHASES).do(NextTurn)
    assert len(play.block()) == 1


def test_a_block_ends_before_the_first_npc_or_thing() -> None:
    play = BlockPlay().with_carl().do(NextTurn)
    assert play.block() == ["Anna", "Boris"]
    play.do(OrderEncounter, order=("Anna", "Clara", "Orc"))
    assert play.block() == ["Anna", "Clara"]
    play.do(OrderEncounter, order=("Orc",))
    assert play.block() == ["Anna", "Clara", "Boris"], "the turn stays where it is"
    play.do(RemoveFromEncounter, ANN, name="Anna")
    assert play.block() == ["Clara", "Boris"]


def test_effects_end_in_the_order_in_which_turns_end() -> None:
    play = BlockPlay().do(NextTurn)
    HEARD.clear()
    play.do(NextTurn, BEN).do(NextTurn, ANN)
    assert [tick.who for tick in HEARD if tick.kind == "turn"] == [("k2",), ("k1",)]


def test_no_check_of_the_block_is_out_of_turn() -> None:
    play = BlockPlay(ACTING).with_carl().do(NextTurn)
    for who in ("k1", "k2"):
        assert out_of_turn(play.state, PLACE, who) is None
    assert out_of_turn(play.state, PLACE, "k5") is not None
    play.do(NextTurn, BEN)
    assert out_of_turn(play.state, PLACE, "k2") is not None, "that turn is over"


def test_a_check_changes_nothing_that_others_see_of_the_order() -> None:
    play = BlockPlay(ACTING).do(NextTurn)
    before = play.state.encounters[PLACE], board_view(play.state, PLACE)
    play.do(Begin, BEN, kind="try", values={}, visibility="private")
    assert (play.state.encounters[PLACE], board_view(play.state, PLACE)) == before


# --- whose turn an action means -------------------------------------------------------------------


def test_a_gm_says_whose_turn_ends_if_several_are_left() -> None:
    play = BlockPlay().do(NextTurn)
    error = play.refused(NextTurn)
    assert (error.code, error.params["allowed"]) == ("which-turn", ("Anna", "Boris"))
    assert play.refused(NextTurn, as_="Orc").code == "not-on-turn"
    assert play.do(NextTurn, as_="Boris").block() == ["Anna"]
    assert play.do(NextTurn).order() == "1: Anna Boris >Orc"


def test_a_player_with_two_characters_ends_the_turn_of_the_one_who_acted() -> None:
    play = BlockPlay(ACTING)
    play.state = play.state.with_character(play.state.characters["k2"].replace(owner="p2"))
    play.do(NextTurn)
    assert play.calls() == [(("Anna", "Boris"), ("p2",))]
    assert play.refused(NextTurn, ANN).code == "which-turn"
    play.do(Begin, ANN, kind="try", values={}, as_="Boris").do(NextTurn, ANN)
    play.do(CloseChecks, checks=("c1",))
    assert play.block() == ["Anna"]


def test_a_press_on_an_old_call_is_refused() -> None:
    play = BlockPlay().do(NextTurn)
    since = play.since()
    play.do(NextTurn, BEN, round=1, turn=since).do(NextTurn, ANN, round=1, turn=since)
    assert play.refused(NextTurn, ANN, round=1, turn=since).code == "turn-moved-on"


# --- held, delayed, back --------------------------------------------------------------------------


def test_a_turn_that_is_held_ends_while_others_act() -> None:
    play = BlockPlay().do(NextTurn).do(Begin, ANN, kind="try", values={}).do(NextTurn, ANN)
    assert play.block() == ["Anna", "Boris"]
    play.do(Begin, BEN, kind="try", values={}).do(NextTurn, BEN)
    assert play.block() == ["Anna", "Boris"], "both wait for the GM"
    game = Game(play.state, PLAIN, ScriptedRng(()), play.at, GM)
    assert len(board_holders(game, PLACE)) == 2
    play.do(CloseChecks, checks=("c1",))
    assert play.block() == ["Boris"]
    play.do(CloseChecks, checks=("c2",))
    assert play.order() == "1: Anna Boris >Orc"
    assert not play.state.encounters[PLACE].ended


def test_a_held_turn_stays_so_while_another_one_ends() -> None:
    play = BlockPlay().with_carl().do(OrderEncounter, order=("Anna", "Boris", "Clara", "Orc"))
    play.do(NextTurn).do(Begin, ANN, kind="try", values={}).do(NextTurn, ANN)
    play.do(NextTurn, CARL)
    assert play.block() == ["Anna", "Boris"]
    assert play.do(CloseChecks, checks=("c1",)).block() == ["Boris"]
    assert play.do(NextTurn, BEN).order() == "1: Anna Boris Clara >Orc"


def test_a_delayed_turn_leaves_the_block_and_comes_back_into_it() -> None:
    play = BlockPlay().do(NextTurn)
    since = play.since()
    play.do(DelayTurn, BEN)
    assert (play.order(), play.since()) == ("1: >Anna ~Boris Orc", since)
    play.do(DelayTurn, BEN, back=True)
    assert (play.order(), play.since()) == ("1: >Anna >Boris Orc", since)
    assert play.calls() == [], "the player has come back"
    play.do(DelayTurn, ANN)
    assert (play.order(), play.since()) == ("1: ~Anna >Boris Orc", since)
    play.do(NextTurn, BEN)
    assert play.order() == "1: ~Anna Boris >Orc"
    play.do(DelayTurn, ANN, back=True)
    assert play.order() == "1: Boris >Anna Orc", "an NPC's turn is interrupted as ever"


def test_an_npc_that_acts_now_interrupts_a_block_and_its_time_begins_anew() -> None:
    play = BlockPlay().do(OrderEncounter, order=("Orc",)).do(NextTurn).do(DelayTurn)
    assert play.order() == "1: ~Orc >Anna >Boris"
    since = play.since()
    play.do(NextTurn, BEN).do(DelayTurn, back=True)
    assert play.order() == "1: >Orc Anna Boris"
    play.do(NextTurn)
    assert (play.block(), play.calls()) == (["Anna"], [(("Anna",), ("p2",))])
    assert play.since() > since


def test_a_character_that_is_added_to_the_block_is_called_alone() -> None:
    play = BlockPlay().do(OrderEncounter, order=("Orc",)).do(NextTurn).do(NextTurn)
    since = play.since()
    play.with_carl()
    assert play.block() == ["Anna", "Boris", "Clara"]
    assert (play.calls(), play.since()) == ([(("Anna", "Boris", "Clara"), ("p4",))], since)


def test_a_character_that_leaves_the_table_leaves_the_block() -> None:
    play = BlockPlay().do(NextTurn)
    since = play.since()
    play.do(Retire, ANN, character="Anna")
    assert (play.block(), play.calls(), play.since()) == (["Boris"], [], since)
    assert play.do(NextTurn, BEN).order() == "1: Boris >Orc"


# --- the clock ------------------------------------------------------------------------------------


def test_the_default_comes_for_all_who_are_left() -> None:
    play = BlockPlay().do(NextTurn)
    reminder, end = waits_of_turn(play.state, PLACE)
    assert (reminder.due, end.due) == (NOON + DAY, NOON + 2 * DAY)
    play.do(NextTurn, BEN)
    assert waits_of_turn(play.state, PLACE) == (reminder, end), "it's the block's"
    done: set[str] = set()
    play.tick(done)
    assert play.calls() == [(("Anna",), ("p2",))]
    play.lapse()
    assert play.order() == "1: ~Anna Boris >Orc"
    play = BlockPlay().do(NextTurn).lapse()
    assert play.order() == "1: ~Anna ~Boris >Orc"
    steps = [event.step for event in play.events if isinstance(event, BoardChanged)]
    assert steps == ["delayed", "turn", "stalled"], "a whole round has lapsed"
    play.do(NextTurn)
    assert play.order() == "2: >Anna >Boris Orc", "the next round calls them again"


def test_after_a_whole_round_without_an_act_the_clock_stops_and_then_gives_all_their_time() -> None:
    play = BlockPlay().do(RemoveFromEncounter, name="Orc").do(NextTurn).lapse()
    assert is_stalled(play.state, PLACE, play.at)
    assert turn_waits(play.state) == {}
    assert play.block() == ["Anna", "Boris"]
    play.at += 30 * DAY
    play.do(NextTurn, BEN)
    assert play.calls() == [(("Anna",), ("p2",))]
    (_, end) = waits_of_turn(play.state, PLACE)
    assert end.due >= play.at + 2 * DAY


def test_the_time_stands_while_all_who_are_left_wait_for_others() -> None:
    play = BlockPlay(ACTING).do(NextTurn).do(Begin, ANN, kind="try", values={})
    assert turn_waits(play.state), "Boris can still act"
    play.do(NextTurn, BEN)
    assert turn_waits(play.state) == {}
    play.at += 5 * DAY
    play.do(CloseChecks, checks=("c1",))
    (_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == NOON + 7 * DAY


def test_a_turn_that_waits_for_others_goes_on_when_the_time_of_its_block_is_up() -> None:
    play = BlockPlay(ACTING).do(NextTurn).do(Begin, ANN, kind="try", values={}).lapse()
    assert play.order() == "1: >Anna ~Boris Orc"
    assert play.calls() == [(("Anna",), ("p2",))]
    assert turn_waits(play.state) == {}
    play.at += DAY
    play.do(CloseChecks, checks=("c1",))
    (*_, end) = waits_of_turn(play.state, PLACE)
    assert end.due >= play.at + 2 * DAY - HOUR


def test_used_turns_of_a_block_are_over_when_its_time_is_up() -> None:
    play = BlockPlay(DECIDING).do(NextTurn).do(Begin, ANN, kind="try", values={}).lapse()
    assert play.order() == "1: Anna ~Boris >Orc"


def _timed_out(play: BlockPlay) -> list[str | None]:
    """Whose used turns everybody is told to be over, without a ping."""
    told = [event for event in play.events if isinstance(event, BoardChanged)]
    over = [event for event in told if event.step == "timed-out"]
    assert all(event.audience.everyone and not event.ping for event in over)
    return [event.name for event in over]


def test_a_used_turn_that_times_out_before_an_npc_is_told() -> None:
    play = BlockPlay(DECIDING, block_turns=False).do(NextTurn)
    play.do(Begin, ANN, kind="try", values={}).lapse()
    assert play.order() == "1: Anna >Boris Orc"
    assert _timed_out(play) == [], "the call of Boris tells of it"
    play.do(Begin, BEN, kind="try", values={}).lapse()
    assert play.order() == "1: Anna Boris >Orc"
    assert _timed_out(play) == ["Boris"]


def test_used_turns_of_a_whole_block_are_told_before_an_npc() -> None:
    play = BlockPlay(DECIDING).do(NextTurn).do(Begin, ANN, kind="try", values={})
    play.do(Begin, BEN, kind="try", values={}).lapse()
    assert play.order() == "1: Anna Boris >Orc"
    assert _timed_out(play) == ["Anna", "Boris"]


def test_the_clock_alone_brings_every_block_to_the_gms() -> None:
    for with_hidden in (False, True):
        play = BlockPlay()
        if with_hidden:
            play.with_hidden()
        play.do(NextTurn)
        done: set[str] = set()
        while turn_waits(play.state).keys() - done:
            play.tick(done)
        assert is_stalled(play.state, PLACE, play.at)
        assert play.at <= NOON + 30 * DAY


def _bleed(game: Game, passing: Tick) -> TickResult:
    """Anna dies of it when her turn ends."""
    if passing.kind == "turn" and "k1" in passing.who:
        game = game.with_sheet("k1", Sheet(breath=0))
    return TickResult(game)


def test_the_clock_leaves_a_block_to_the_gms_if_the_end_of_a_turn_would_kill() -> None:
    sheets = Sheets(
        Sheet,
        lambda game, data, new: ("", Sheet()),
        lambda character: {},
        lambda game, character: (),
        lambda game, character, full: (),
        is_dead=lambda sheet: sheet.breath == 0,
    )
    play = BlockPlay(DECIDING.replace(sheets=sheets, ticks=(_bleed,)))
    play.do(NextTurn).do(Begin, ANN, kind="try", values={}).lapse()
    assert play.state.encounters[PLACE].would_kill == ("k1",)
    assert [(step, gms) for step, _, _, gms in play.told()] == [("stalled", True)]
    assert turn_waits(play.state) == {}
    assert play.do(NextTurn, BEN).block() == ["Anna"]
    assert play.state.characters["k1"].sheet.breath == 2
    play.do(CloseChecks, checks=("c1",))
    play.do(NextTurn)
    assert play.state.characters["k1"].sheet.breath == 0, "a GM may"
    assert play.order() == "1: Anna Boris >Orc"


# --- absence --------------------------------------------------------------------------------------


def test_for_an_absent_player_of_the_block_a_stand_in_is_called_and_acts() -> None:
    play = BlockPlay().do(Delegate, BEN, to=CARL.id, character="Boris").do(SetAway, BEN)
    play.do(NextTurn)
    assert play.calls() == [(("Anna", "Boris"), ("p2", "p4"))]
    play.do(Begin, CARL, kind="try", values={})
    assert play.state.checks["c1"].actor == "k2"
    play.do(CloseChecks, checks=("c1",)).do(NextTurn, CARL)
    assert play.block() == ["Anna"]


def test_a_block_has_its_time_as_long_as_one_of_its_players_is_there() -> None:
    play = BlockPlay().do(SetAway, BEN).do(NextTurn)
    (*_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == play.since() + 2 * DAY
    play.do(SetAway, ANN)
    (*_, end) = waits_of_turn(play.state, PLACE)
    assert end.due == play.since() + HOUR


def test_a_stand_in_is_called_who_becomes_one_during_the_block() -> None:
    play = BlockPlay().do(Delegate, BEN, to=CARL.id, character="Boris").do(NextTurn)
    play.do(SetAway, BEN)
    assert play.calls() == [(("Anna", "Boris"), ("p4",))]


# --- characters that players don't know -----------------------------------------------------------


def test_a_hidden_character_does_not_end_a_block_and_acts_after_it() -> None:
    for first, second in permutations((ANN, BEN)):
        play = BlockPlay().with_hidden().do(NextTurn)
        plain = BlockPlay().do(NextTurn)
        assert play.events == plain.events
        assert play.public() == plain.public() == "1: >Anna >Boris Orc"
        play.do(NextTurn, first)
        plain.do(NextTurn, first)
        assert (play.events, play.public()) == (plain.events, plain.public())
        play.do(NextTurn, second)
        assert play.order() == "1: Anna >Shade Boris Orc", "the GM sees the order as it was set"
        assert play.do(NextTurn).order() == "1: Anna Shade Boris >Orc"
        assert play.do(NextTurn).order() == "2: >Anna Shade >Boris Orc"


def test_a_hidden_character_does_not_show_when_the_one_before_it_delays_or_leaves() -> None:
    for leave in (
        lambda play: play.do(DelayTurn, ANN),
        lambda play: play.do(RemoveFromEncounter, ANN, name="Anna"),
        lambda play: play.do(Retire, ANN, character="Anna"),
        lambda play: play.do(SetAway, BEN).lapse(),
    ):
        play, plain = BlockPlay().with_hidden().do(NextTurn), BlockPlay().do(NextTurn)
        leave(play)
        leave(plain)
        told = [event for event in play.events if event.audience.everyone]
        if plain.block() == ["Boris"]:
            assert told == [event for event in plain.events if event.audience.everyone]
            assert play.public() == plain.public()


def test_a_character_that_players_get_to_know_ends_the_block() -> None:
    play = BlockPlay().with_hidden().do(NextTurn)
    since = play.since()
    play.do(ChangeNpc, npc="Shade", stage="aliased")
    assert (play.block(), play.since()) == (["Anna"], since)
    assert play.do(NextTurn, ANN).order() == "1: Anna >Shade Boris Orc"


# --- settings -------------------------------------------------------------------------------------


def test_the_setting_can_change_in_a_fight() -> None:
    play = BlockPlay(ACTING).do(NextTurn).do(NextTurn, BEN)
    play.do(ChangeSettings, values={"block_turns": False})
    assert play.order() == "1: >Anna Boris Orc"
    play.do(NextTurn, ANN)
    assert play.order() == "1: Anna Boris >Orc", "Boris has acted"
    play.do(NextTurn)
    assert play.order() == "2: >Anna Boris Orc"


def test_a_turn_that_is_held_after_the_clock_has_stopped_gives_the_others_their_time() -> None:
    play = BlockPlay().do(RemoveFromEncounter, name="Orc").do(NextTurn).lapse()
    play.at += 30 * DAY
    play.do(Begin, ANN, kind="try", values={}).do(NextTurn, ANN)
    assert play.calls() == [(("Anna", "Boris"), ("p3",))]
    (_, end) = waits_of_turn(play.state, PLACE)
    assert end.due >= play.at + 2 * DAY
    play.do(NextTurn, BEN)
    assert play.block() == ["Anna"]
    assert play.do(CloseChecks, checks=("c1",)).order() == "3: >Anna >Boris"


def test_any_player_of_a_block_may_ask_for_more_time_for_all_of_it() -> None:
    play = BlockPlay().do(NextTurn)
    (*_, end) = waits_of_turn(play.state, PLACE)
    play.do(MoreTurnTime, BEN)
    (*_, later) = waits_of_turn(play.state, PLACE)
    assert later.due > end.due
    assert play.refused(MoreTurnTime, ANN).code == "more-time-taken"
