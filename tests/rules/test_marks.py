"""What is so for a while, what happens by itself when it is over, and rounds that begin with a
check.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bot.storage import codec
from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.table.actions import (
    Action,
    Actor,
    AddToEncounter,
    AdvanceTime,
    Begin,
    Choose,
    CloseChecks,
    DelayTurn,
    EndEncounter,
    ForgetPerson,
    JoinEncounter,
    NextTurn,
    RemoveFromEncounter,
    RemoveNpc,
    Retire,
    Session,
    StartEncounter,
)
from rules.table.blocks import Text
from rules.table.events import EVERYONE, GMS, BoardChanged, Event, Notice
from rules.table.journal.undo import stranded_parts
from rules.table.marks import (
    apply_tick,
    mark_total,
    marks_of,
    with_marks,
    without_marks,
    without_marks_of,
)
from rules.table.resolve import resolve
from rules.table.state import Character, Encounter, Mark, Marks, Settings, TableState
from rules.table.system import Game, System, Turns
from rules.table.turns.board import board_view
from rules.table.turns.timeline import begin_timeline_action as start
from rules.table.turns.timeline import own_slot
from rules.table.turns.turn_changes import board_holders
from tests.rules.toy_turns import HEARD, PLAIN, SKIRMISH, Plans, Sheet
from tests.sample_table import ANN, BEN, GM, PLACE, by


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    HEARD.clear()
    yield
    HEARD.clear()


def table() -> TableState:
    people = (
        Character("k1", "Anna", "p2", Sheet(speed=2)),
        Character("k2", "Boris", "p3", Sheet(speed=1)),
        Character("k3", "Orc", None, Sheet()),
    )
    return TableState(
        Settings("Hills", "skirmish", ("p1",)), characters={each.id: each for each in people}
    )


class Play:
    """A table of these rules and what happens at it."""

    def __init__(self, system: System = PLAIN, state: TableState | None = None) -> None:
        self.system = system
        self.state = state or table()
        self.events: tuple[Event, ...] = ()

    def do(self, kind: type[Action], /, who: Actor = GM, *faces: int, **fields: Any) -> Play:
        dice = ScriptedRng(faces)
        options: dict[str, Any] = {**by(who), **fields}
        outcome = resolve(self.system, self.state, kind(**options), dice)
        assert dice.left == 0
        self.state, self.events = outcome.state, outcome.events
        return self

    def refused(self, kind: type[Action], /, who: Actor = GM, **fields: Any) -> RulesError:
        with pytest.raises(RulesError) as found:
            self.do(kind, who, **fields)
        return found.value

    def fight(self) -> Play:
        self.do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN)
        return self.do(AddToEncounter, GM, name="Orc")

    def mark(self, who: str, *marks: Mark) -> Play:
        self.state = with_marks(self.state, who, *marks)
        return self

    def game(self, actor: Actor = GM) -> Game:
        return Game(self.state, self.system, ScriptedRng(()), 0, actor)

    def keys(self, who: str) -> list[str]:
        return [each.key for each in marks_of(self.state, who)]

    def order(self) -> str:
        shown = board_view(self.state, PLACE, GM)
        assert shown is not None
        return f"{shown.round}: " + " ".join(
            f"{'>' * each.acts}{each.name}" for each in shown.lines
        )

    def board_events(self) -> list[tuple[str, bool, tuple[str, ...]]]:
        found = [each for each in self.events if isinstance(each, BoardChanged)]
        return [
            (each.step, each.audience == EVERYONE, tuple(line.code for line in each.lines))
            for each in found
        ]


# --- having marks ---------------------------------------------------------------------------------


def test_marks_are_a_part_of_their_own() -> None:
    before = table()
    state = with_marks(before, "k1", Mark("stunned"), Mark("used", "rope", 2))
    assert list(state.changes_since(before)) == ["marks:k1"]
    assert marks_of(state, "k1", "used") == (Mark("used", "rope", 2),)
    assert marks_of(state, "k2") == ()
    state = with_marks(state, "k1", Mark("used", "rope", 3), Mark("used", "axe"))
    assert mark_total(state, "k1", "used") == 4
    assert mark_total(state, "k1", "used", "rope") == 3
    assert mark_total(state, "k2", "used") == 0
    assert without_marks(state, "k1", "asleep") is state
    state = without_marks(state, "k1", "used", "axe")
    assert [each.key for each in marks_of(state, "k1")] == ["stunned", "used"]
    state = without_marks(without_marks(state, "k1", "used"), "k1", "stunned")
    assert dict(state.parts()).keys() == dict(before.parts()).keys()
    assert without_marks_of(state, ("k1", "k2")) is state


def test_they_are_stored_and_read_again() -> None:
    marks = Marks((Mark("stunned", "left arm", 2, "turn", 4, "c1"), Mark("x", until="time", at=90)))
    adapter = codec.decoder(Marks)
    assert adapter.decode(codec.part_text(marks)) == marks
    kind: Any = Encounter
    adapter = codec.decoder(kind[Plans])
    encounter = Encounter(PLACE, round=2, data=Plans(2, (("k1", "run"),)))
    assert adapter.decode(codec.part_text(encounter)) == encounter


# --- what ends, and what happens by itself --------------------------------------------------------


def test_a_turn_a_round_and_the_fight_end_what_lasts_so_long() -> None:
    play = Play().fight().do(NextTurn)
    assert play.order() == "1: >Anna Boris Orc"
    for who in ("k1", "k2", "k3"):
        play.mark(
            who, Mark("t", until="turn"), Mark("a", until="action"), Mark("r"), Mark("r2", at=2)
        )
        play.mark(
            who, Mark("e", until="encounter"), Mark("u", until="used"), Mark("s", until="session")
        )
    play.do(NextTurn, ANN)
    assert play.keys("k1") == ["r", "r2", "e", "u", "s"]
    assert play.keys("k2") == ["t", "a", "r", "r2", "e", "u", "s"]
    play.do(NextTurn, BEN).do(NextTurn)
    assert play.order() == "2: >Anna Boris Orc"
    assert [play.keys(who) for who in ("k1", "k2", "k3")] == [["r2", "e", "u", "s"]] * 3
    play.do(NextTurn, ANN).do(NextTurn, BEN).do(NextTurn)
    assert play.keys("k1") == ["e", "u", "s"]
    play.do(EndEncounter)
    assert play.keys("k1") == ["u", "s"]
    play.do(Session, start=True).do(Session, start=False)
    assert play.keys("k1") == ["u"]


def test_whoever_waits_has_not_had_their_turn() -> None:
    play = Play().fight().do(NextTurn).mark("k1", Mark("t", until="turn"))
    play.do(DelayTurn, ANN)
    assert play.keys("k1") == ["t"]
    play.do(DelayTurn, ANN, back=True).do(NextTurn, ANN)
    assert play.keys("k1") == []


def test_the_fights_end_ends_its_rounds_too_also_for_those_who_left() -> None:
    play = Play().fight().do(NextTurn)
    play.mark("k2", Mark("t", until="turn", at=9), Mark("r", at=9), Mark("u", until="used"))
    play.do(RemoveFromEncounter, BEN, name="Boris").do(EndEncounter)
    assert play.keys("k2") == ["u"]


def test_the_system_reads_what_ends_and_what_it_makes_stays() -> None:
    play = Play().fight().do(NextTurn)
    play.mark("k1", Mark("stunned"), Mark("bomb")).mark("k3", Mark("stunned"))
    play.do(NextTurn, ANN).do(NextTurn, BEN)
    HEARD.clear()
    play.do(NextTurn)
    assert [(each.kind, each.at, each.place, each.who) for each in HEARD] == [
        ("turn", 1, PLACE, ("k3",)),
        ("round-end", 1, PLACE, ("k1", "k2", "k3")),
        ("round-start", 2, PLACE, ("k1", "k2", "k3")),
    ]
    assert HEARD[1].expiring == {"k1": (Mark("stunned"), Mark("bomb")), "k3": (Mark("stunned"),)}
    assert play.keys("k1") == ["burning"]
    assert play.keys("k3") == []
    assert play.board_events() == [
        ("passed", True, ("comes-round",)),
        ("passed", False, ("comes-round",)),
        ("turn", True, ()),
    ]
    assert [each.audience for each in play.events if isinstance(each, BoardChanged)][1] == GMS


def test_points_come_back_by_themselves_and_the_system_tells_of_it() -> None:
    play = Play().fight().do(NextTurn)
    play.state = play.game().with_sheet("k2", Sheet(breath=0, speed=1)).state
    play.do(NextTurn, ANN).do(NextTurn, BEN).do(NextTurn)
    assert play.state.characters["k2"].sheet.breath == 2
    assert HEARD[-1].regained == {"k2": (("breath", 2),)}
    assert ("passed", True, ("breathes",)) in play.board_events()


def test_the_storys_time_and_a_sessions_end_are_ticks_for_everybody_in_play() -> None:
    play = Play().mark("k1", Mark("drugged", until="time", at=60), Mark("stunned", until="session"))
    play.mark("k3", Mark("stunned", until="session"))
    play.do(AdvanceTime, minutes=59)
    assert play.keys("k1") == ["drugged", "stunned"]
    play.do(AdvanceTime, minutes=1)
    assert play.keys("k1") == ["stunned"]
    assert (HEARD[-1].kind, HEARD[-1].at, HEARD[-1].who) == ("time", 60, ("k1", "k2", "k3"))
    play.do(Session, start=True).do(Session, start=False)
    told = [each for each in play.events if isinstance(each, Notice)]
    assert [tuple(line.params["name"] for line in each.lines) for each in told] == [
        ("Anna",),
        ("Orc",),
    ]


def test_what_is_over_for_scenes_acts_and_adventures() -> None:
    play = Play().mark(
        "k1", *[Mark(each, until=each) for each in ("scene", "act", "adventure", "round")]
    )
    game = play.game()
    left = {
        tick: _left(apply_tick(game, tick, ["k1", "gone"]).game)
        for tick in ("scene", "act", "adventure")
    }
    assert left == {
        "scene": ["act", "adventure", "round"],
        "act": ["adventure", "round"],
        "adventure": ["round"],
    }


def _left(game: Game) -> list[str]:
    return [each.key for each in marks_of(game.state, "k1")]


def test_whoever_leaves_the_game_takes_their_marks_along() -> None:
    everybody = {who: Mark("stunned") for who in ("k1", "k2", "k3")}
    play = Play()
    for who, mark in everybody.items():
        play.mark(who, mark)
    play.do(Retire, ANN, character="Anna")
    assert sorted(play.state.own) == ["marks:k2", "marks:k3"]
    play.do(RemoveNpc, npc="Orc")
    assert sorted(play.state.own) == ["marks:k2"]
    play.do(ForgetPerson, BEN)
    assert not play.state.own


def test_undoing_that_somebody_came_needs_their_marks_undone_first() -> None:
    play = Play().mark("k3", Mark("stunned")).mark("k1", Mark("stunned"))
    assert stranded_parts(play.game(), [{"character:k3": None}]) == {"marks:k3"}
    assert stranded_parts(play.game(), [{"character:k3": None, "marks:k3": None}]) == frozenset()


# --- what an open check holds ---------------------------------------------------------------------


def begin(play: Play, who: Actor = BEN, **more: Any) -> str:
    play.do(Begin, who, kind="try", values={}, **more)
    return max(play.state.checks)


def holding_checks(play: Play) -> tuple[str, ...]:
    """The checks that hold the end of the turn, as whoever has ended it is told."""
    (told,) = [each for each in play.events if isinstance(each, BoardChanged)]
    assert told.step == "held"
    return tuple([str(line.params.get("check", "")) for line in told.lines])


def test_a_turn_goes_on_over_the_check_of_somebody_else() -> None:
    play = Play().fight().do(NextTurn)
    check = begin(play)
    play.do(NextTurn, ANN)
    assert play.order() == "1: Anna >Boris Orc"
    assert play.state.checks[check].is_open


def test_a_turn_that_is_ended_over_an_own_check_ends_with_it() -> None:
    play = Play().fight().do(NextTurn)
    check = begin(play, ANN)
    play.do(NextTurn, ANN)
    assert play.order() == "1: >Anna Boris Orc"
    assert holding_checks(play) == (check,)
    play.do(CloseChecks, GM, checks=(check,))
    assert play.state.checks[check].data.declared == (("", "clock"),)
    assert play.order() == "1: Anna >Boris Orc"
    assert play.board_events()[-1] == ("turn", True, ())


def test_a_round_ends_with_the_checks_begun_in_it() -> None:
    play = Play().fight()
    early = begin(play)
    play.do(NextTurn)
    check = begin(play)
    assert (play.state.checks[early].round, play.state.checks[check].round) == (None, 1)
    play.do(NextTurn, ANN).do(NextTurn, GM)
    assert play.order() == "1: Anna >Boris Orc", "Boris's own check is open"
    play.do(CloseChecks, GM, checks=(check,))
    assert play.order() == "1: Anna Boris >Orc"
    last = begin(play)
    play.do(NextTurn)
    assert (play.order(), holding_checks(play)) == ("1: Anna Boris >Orc", (last,))
    play.do(NextTurn)
    assert play.order() == "1: Anna Boris >Orc", "a second press changes nothing"
    play.do(CloseChecks, GM, checks=(last,))
    assert play.order() == "2: >Anna Boris Orc"
    assert play.state.checks[early].is_open, "it was begun in no round"


def test_whoever_waits_may_still_act_while_a_check_holds_the_round() -> None:
    play = Play().fight().do(NextTurn).do(DelayTurn, ANN).do(NextTurn, BEN)
    check = begin(play)
    play.do(NextTurn).do(DelayTurn, ANN, back=True)
    assert play.order() == "1: Boris Orc >Anna"
    play.do(CloseChecks, GM, checks=(check,))
    assert play.order() == "1: Boris Orc >Anna", "her turn goes on"
    assert play.do(NextTurn, ANN).order() == "2: >Boris Orc Anna"


def test_what_somebody_may_not_know_of_is_not_named() -> None:
    play = Play().do(StartEncounter).do(AddToEncounter, name="Orc").do(JoinEncounter, ANN)
    play.do(NextTurn).do(NextTurn)
    check = begin(play, GM, as_="Orc", gm_only=True)
    assert holding_checks(play.do(NextTurn, ANN)) == ("",)
    assert board_holders(play.game(), PLACE) == (Text("turn-held"),)
    assert holding_checks(play.do(NextTurn, GM)) == (check,)


def test_waiting_ends_no_turn_but_may_end_the_round() -> None:
    play = Play().fight().do(NextTurn)
    check = begin(play)
    play.do(DelayTurn, ANN).do(DelayTurn, BEN)
    assert play.order() == "1: Anna Boris >Orc"
    assert play.refused(RemoveFromEncounter, name="Orc").code == "round-open"
    assert holding_checks(play.do(NextTurn)) == (check,)


def test_whoever_leaves_the_game_at_the_end_of_a_round_ends_it() -> None:
    play = Play().fight().do(NextTurn).do(NextTurn, ANN).do(NextTurn, BEN).mark("k1", Mark("r"))
    begin(play, ANN)
    play.do(RemoveNpc, npc="Orc")
    assert play.order() == "2: >Anna Boris"
    assert play.keys("k1") == []
    assert play.state.encounters[PLACE].round == 2
    assert play.board_events()[-1] == ("turn", True, ())
    assert [each.kind for each in HEARD[-2:]] == ["round-end", "round-start"]


# --- on a timeline --------------------------------------------------------------------------------

PHASES = PLAIN.replace(turns=Turns(lambda game, character, rng: None, timeline=True, data=Plans))


def act(play: Play, who: Actor, phases: int, *, abort: int | None = None) -> Play:
    """Somebody begins something."""
    action = NextTurn(**by(who))
    slot, _ = own_slot(play.state, action, None)
    made = start(
        play.game(who), action, slot, "runs", phases=phases, score=0, lines=(), abort=abort
    )
    play.state, play.events = made.state, made.events
    return play


def test_phases_are_rounds_whose_marks_end_when_time_moves_on() -> None:
    play = (
        Play(PHASES).do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN).do(NextTurn)
    )
    play.mark("k1", Mark("t", until="turn"), Mark("r"), Mark("r3", at=3), Mark("r9", at=9))
    act(play, ANN, 3)
    assert play.order() == "1: >Boris Anna"
    assert play.keys("k1") == ["r", "r3", "r9"]
    act(play, BEN, 8)
    assert play.order() == "4: >Anna Boris"
    assert play.keys("k1") == ["r9"]
    assert [(each.kind, each.at) for each in HEARD[-3:]] == [
        ("turn", 1),
        ("round-end", 3),
        ("round-start", 4),
    ]


def test_time_does_not_move_on_over_open_checks() -> None:
    play = Play(PHASES).do(StartEncounter).do(JoinEncounter, ANN).do(NextTurn)
    check = begin(play, ANN)
    with pytest.raises(RulesError) as found:
        act(play, ANN, 3)
    assert (found.value.code, found.value.params["checks"]) == ("round-open", (check,))
    assert holding_checks(play.do(NextTurn, ANN)) == (check,)
    play.do(CloseChecks, GM, checks=(check,))
    assert play.state.encounters[PLACE].order[0].delayed, "Do nothing yet was kept"


def test_what_is_broken_off_ends_its_checks_unless_dice_have_fallen() -> None:
    play = (
        Play(PHASES).do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN).do(NextTurn)
    )
    act(play, ANN, 5)
    first, other = begin(play, ANN), begin(play, BEN)
    fallen = begin(play, ANN)
    kept = play.state.checks[fallen]
    play.state = play.state.with_check(kept.replace(data=kept.data.replace(thrown=True)))
    act(play, ANN, 2, abort=1)
    assert [play.state.checks[each].is_open for each in (first, other, fallen)] == [
        False,
        True,
        True,
    ]


# --- rounds that begin with a check ---------------------------------------------------------------


def declare(play: Play, who: Actor, option: str, *faces: int) -> Play:
    (check,) = [
        each for each in play.state.checks.values() if each.is_open and each.kind == "round"
    ]
    asked = check.prompt("declare")
    assert asked is not None
    mine = {"p2": "k1", "p3": "k2"}[who.id]
    number = asked.number
    return play.do(
        Choose,
        who,
        *faces,
        check=check.id,
        prompt="declare",
        number=number,
        option=option,
        as_=(mine,),
    )


def test_a_new_round_begins_with_a_check_and_dice_anew() -> None:
    play = Play(SKIRMISH).fight().do(NextTurn)
    encounter = play.state.encounters[PLACE]
    assert (encounter.round, encounter.opening) == (1, True)
    (check,) = play.state.checks.values()
    assert (check.kind, check.place, check.round, check.actor) == ("round", PLACE, 1, "")
    assert play.order() == "1: Anna Boris Orc", "nobody acts yet"
    shown = board_view(play.state, PLACE)
    assert shown is not None and shown.opening
    assert not [each for each in play.board_events() if each[0] == "turn"]
    assert play.refused(NextTurn).code == play.refused(NextTurn, ANN).code == "round-open"
    declare(play, ANN, "fight")
    declare(play, BEN, "run", 3, 6, 3)
    assert play.order() == "1: >Boris Anna Orc", "ties go by what comes next in the score"
    assert play.state.encounters[PLACE].data == Plans(1, (("k1", "fight"), ("k2", "run")))
    assert ("turn", True, ()) in play.board_events()
    play.do(NextTurn, BEN).do(NextTurn, ANN).do(NextTurn)
    assert play.state.encounters[PLACE].opening
    declare(play, BEN, "run")
    declare(play, ANN, "fight", 1, 2, 5)
    assert play.order() == "2: >Orc Anna Boris"


def test_a_round_that_asks_nobody_goes_on_at_once() -> None:
    play = Play(SKIRMISH).do(StartEncounter).do(AddToEncounter, GM, name="Orc")
    play.do(NextTurn, GM, 4)
    assert play.order() == "1: >Orc"
    assert [each[0] for each in play.board_events()] == ["turn"]
    (check,) = play.state.checks.values()
    assert not check.is_open


def test_whoever_joins_a_round_rolls_at_once_and_a_group_of_npcs_together() -> None:
    play = Play(SKIRMISH).do(StartEncounter).do(JoinEncounter, ANN).do(NextTurn)
    wolves = [Character(f"k{at}", f"Wolf {at}", None, Sheet(), group="Wolf") for at in (4, 5)]
    play.state = play.state.replace(
        characters={**play.state.characters, **{each.id: each for each in wolves}}
    )
    assert [each.score for each in play.state.encounters[PLACE].order] == [None]
    declare(play, ANN, "fight", 3)
    play.do(AddToEncounter, GM, 6, name="Wolf")
    assert play.order() == "1: Wolf 4 Wolf 5 >Anna"
    assert [each.score for each in play.state.encounters[PLACE].order] == [(6, 0), (6, 0), (3, 2)]


def test_a_gm_lets_the_turns_begin_where_its_check_was_ended() -> None:
    play = Play(SKIRMISH).fight().do(NextTurn)
    (check,) = play.state.checks.values()
    play.state = play.state.with_check(check.replace(stage="over", asked=()))
    assert play.refused(NextTurn, ANN).code == "gm-only"
    play.do(NextTurn)
    assert play.order() == "1: >Anna Boris Orc"
