"""The order of action: who joins, whose turn it is, who waits, and what the board shows
(EBB-ROUND).
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng, Streams
from rules.registry import get_system
from rules.systems.ebb.sheet import Ability, EbbSheet
from rules.table.actions import (
    Action,
    Actor,
    AddToEncounter,
    Begin,
    DelayTurn,
    EndEncounter,
    JoinEncounter,
    NextTurn,
    OrderEncounter,
    RemoveFromEncounter,
    RemoveNpc,
    Retire,
    StartEncounter,
)
from rules.table.events import EVERYONE, GMS, BoardChanged
from rules.table.lookup import acting_character
from rules.table.state import Character, Person, Settings, TableState
from rules.table.turns.board import board_view
from rules.table.turns.encounters import SLOTS_MAX
from tests.sample_table import ANN, BEN, GM, PLACE, by, game, patient, resolve

EBB = get_system("ebb")


def sheet(alertness: int) -> EbbSheet:
    """Somebody with this value of ALERTNESS."""
    return EbbSheet(
        abilities=tuple(Ability(f"Watch {n}", "Alertness", 6) for n in range(2 * alertness))
    )


def table(**settings: Any) -> TableState:
    """Anna and Boris are players' characters; a sniper nobody knows of, a hooded man, and two
    bandits.
    """
    people = (
        Character("k1", "Anna", "p2", sheet(2)),
        Character("k2", "Boris", "p3", sheet(1)),
        Character("k3", "Sidor", None, sheet(3), stage="off"),
        Character("k4", "Lebed", None, sheet(0), stage="aliased", alias="the hooded man"),
        Character("k5", "Bandit 1", None, sheet(0), group="Bandit"),
        Character("k6", "Bandit 2", None, sheet(0), group="Bandit"),
    )
    return TableState(
        Settings("Marshes", "ebb", ("p1",), **patient(settings)),
        characters={each.id: each for each in people},
    )


class Play:
    """A table and what happens at it."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.events: tuple[BoardChanged, ...] = ()

    def do(
        self,
        kind: type[Action],
        who: Actor = GM,
        *faces: int,
        rng: Streams | None = None,
        **fields: Any,
    ) -> Play:
        """An action; every face has to be rolled."""
        dice = ScriptedRng(faces)
        options: dict[str, Any] = {**by(who), **fields}
        outcome = resolve(self.state, kind(**options), rng or dice)
        assert dice.left == 0 or rng is not None
        self.state = outcome.state
        self.events = tuple(event for event in outcome.events if isinstance(event, BoardChanged))
        return self

    def refused(self, kind: type[Action], who: Actor = GM, **fields: Any) -> RulesError:
        """The refusal of an action, which changes nothing."""
        options: dict[str, Any] = {**by(who), **fields}
        with pytest.raises(RulesError) as found:
            resolve(self.state, kind(**options), ScriptedRng(()))
        return found.value

    def order(self, viewer: Actor | None = GM) -> str:
        """The order as somebody sees it: `>` before whoever acts, `~` before whoever waits."""
        shown = board_view(self.state, PLACE, viewer)
        assert shown is not None
        marks = (f"{'>' * line.acts}{'~' * line.waits}{line.name or '?'}" for line in shown.lines)
        return f"{shown.round}: {' '.join(marks)}"

    def called(self) -> tuple[str | None, tuple[str, ...], bool] | None:
        """Whose turn everybody was told it is, and who was called: players, and whether the GMs."""
        turns = [event for event in self.events if event.step == "turn"]
        assert len(turns) <= 1
        assert all(
            event.audience == (EVERYONE if event.name != "Sidor" else GMS) for event in turns
        )
        return (turns[0].name, turns[0].ping, turns[0].ping_gms) if turns else None


def fight(**settings: Any) -> Play:
    """Anna, Boris and a fire, in this order; nobody acts yet."""
    play = Play(table(**settings)).do(StartEncounter)
    play.do(JoinEncounter, ANN).do(JoinEncounter, BEN)
    return play.do(AddToEncounter, name="the fire")


# --- the GM's order -------------------------------------------------------------------------------


@pytest.mark.rule("EBB-ROUND")
def test_without_the_house_rule_the_order_is_the_gms() -> None:
    play = fight()
    assert play.order() == "0: Anna Boris the fire"
    assert all(slot.score is None for slot in play.state.encounters[PLACE].order)
    play.do(OrderEncounter, order=("the fire", "bor"))
    assert play.order() == "0: the fire Boris Anna"
    play.do(OrderEncounter, order=("k1",))
    assert play.order() == "0: Anna the fire Boris", "whoever is not named follows as before"
    shown = board_view(play.state, PLACE)
    assert shown is not None and not shown.house


def test_a_round_goes_from_first_to_last_and_on() -> None:
    play = fight()
    assert play.do(NextTurn).order() == "1: >Anna Boris the fire"
    assert play.called() == ("Anna", ("p2",), False)
    assert play.do(NextTurn, ANN).called() == ("Boris", ("p3",), False)
    assert play.do(NextTurn, BEN).called() == ("the fire", (), True), (
        "what is the GMs' calls the GMs"
    )
    assert play.do(NextTurn).order() == "2: >Anna Boris the fire"
    assert [event.round for event in play.events] == [2]


def test_the_turn_stays_whose_it_is_when_the_order_changes() -> None:
    play = fight().do(NextTurn).do(NextTurn)
    play.do(OrderEncounter, order=("the fire", "Boris", "Anna"))
    assert play.order() == "1: the fire >Boris Anna"
    assert play.called() is None
    play.do(AddToEncounter, name="Bandit", score=5)
    assert play.order() == "1: Bandit 1 Bandit 2 the fire >Boris Anna"
    assert play.do(NextTurn).order() == "1: Bandit 1 Bandit 2 the fire Boris >Anna"


def test_only_who_may_moves_the_turn_on() -> None:
    play = fight()
    assert play.refused(NextTurn, ANN).code == "gm-only"
    play.do(NextTurn)
    error = play.refused(NextTurn, BEN)
    assert (error.code, error.params["name"]) == ("not-your-turn", "Anna")
    assert play.refused(StartEncounter, ANN).code == "gm-only"
    assert play.refused(EndEncounter, ANN).code == "gm-only"
    assert play.refused(AddToEncounter, ANN, name="a trap").code == "gm-only"
    assert play.refused(OrderEncounter, ANN, order=("Anna",)).code == "gm-only"


def test_a_turn_that_was_shown_and_is_over_is_not_passed_on() -> None:
    play = fight().do(NextTurn)
    first = play.state.encounters[PLACE].since
    play.do(NextTurn, round=1, turn=first)
    error = play.refused(NextTurn, round=1, turn=first)
    assert (error.code, error.params) == (
        "turn-moved-on",
        {"name": "Boris", "round": 1, "timeline": False},
    )
    assert play.refused(NextTurn, ANN, round=1, turn=first).code == "turn-moved-on"
    assert play.refused(DelayTurn, round=1, turn=0).code == "turn-moved-on"
    play.do(NextTurn, round=1, turn=play.state.encounters[PLACE].since)
    assert play.order() == "1: Anna Boris >the fire"


# --- waiting --------------------------------------------------------------------------------------


def test_whoever_waits_is_passed_over_and_comes_back_before_whoever_acts() -> None:
    play = fight().do(NextTurn)
    play.do(DelayTurn, ANN)
    assert play.order() == "1: ~Anna >Boris the fire"
    assert play.called() == ("Boris", ("p3",), False)
    play.do(NextTurn, BEN).do(NextTurn)
    assert play.order() == "2: ~Anna >Boris the fire"
    play.do(NextTurn, BEN).do(DelayTurn, ANN, back=True)
    assert play.order() == "2: Boris >Anna the fire"
    assert play.called() == ("Anna", (), False), "nobody calls themselves"
    assert play.do(NextTurn, ANN).order() == "2: Boris Anna >the fire"


def test_waiting_is_refused_where_it_makes_no_sense() -> None:
    play = fight()
    assert play.refused(DelayTurn, ANN).code == "round-not-begun"
    play.do(NextTurn)
    assert play.refused(DelayTurn, BEN).code == "not-your-turn"
    assert play.refused(DelayTurn, BEN, as_="Boris").code == "not-on-turn"
    assert play.refused(DelayTurn, ANN, back=True).code == "nobody-waits"
    play.do(DelayTurn, as_="Anna").do(DelayTurn)
    assert play.order() == "1: ~Anna ~Boris >the fire"
    assert play.refused(DelayTurn).code == "nobody-else-acts"
    error = play.refused(DelayTurn, back=True)
    assert (error.code, error.params["allowed"]) == ("which-waits", ("Anna", "Boris"))
    assert play.refused(DelayTurn, ANN, back=True, as_="Boris").code == "not-your-turn"
    assert play.do(DelayTurn, back=True, as_="Boris").order() == "1: ~Anna >Boris the fire"


def test_where_all_are_left_waiting_the_first_in_line_acts() -> None:
    play = fight().do(NextTurn).do(DelayTurn).do(DelayTurn)
    play.do(RemoveFromEncounter, name="the fire")
    assert play.order() == "2: >Anna ~Boris"
    assert play.called() == ("Anna", ("p2",), False)


# --- coming and going -----------------------------------------------------------------------------


def test_players_take_out_their_own_and_gms_anybody() -> None:
    play = fight().do(NextTurn)
    assert play.refused(RemoveFromEncounter, BEN, name="Anna").code == "owner-only"
    assert play.refused(RemoveFromEncounter, BEN, name="the fire").code == "owner-only"
    play.do(RemoveFromEncounter, ANN, name="anna")
    assert play.order() == "1: >Boris the fire"
    assert play.called() == ("Boris", ("p3",), False)
    play.do(NextTurn).do(RemoveFromEncounter, name="the fire")
    assert play.order() == "2: >Boris"
    play.do(RemoveFromEncounter, BEN, name="Boris")
    assert play.order() == "2: "
    assert play.refused(NextTurn).code == "nobody-in-order"
    assert play.do(JoinEncounter, ANN).called() == ("Anna", (), False)


def test_somebody_who_is_gone_or_retired_drops_out() -> None:
    play = fight().do(NextTurn).do(NextTurn)
    left = {key: each for key, each in play.state.characters.items() if key != "k2"}
    play.state = play.state.replace(characters=left)
    assert play.order() == "1: Anna >the fire"
    play.do(NextTurn)
    assert play.order() == "2: >Anna the fire"
    play.state = play.state.with_character(left["k1"].replace(retired=True))
    assert play.order() == "2: >the fire"


def test_when_whoever_acts_leaves_the_game_the_next_one_is_called() -> None:
    play = fight().do(AddToEncounter, name="Sidor").do(NextTurn)
    play.do(Retire, ANN, place="another channel")
    assert play.order() == "1: >Boris the fire Sidor"
    assert play.called() == ("Boris", ("p3",), False)
    assert [event.place for event in play.events] == [PLACE]
    assert play.do(Retire, ANN, back=True).called() is None
    play.do(RemoveFromEncounter, name="Anna").do(OrderEncounter, order=("Boris", "Sidor"))
    play.do(NextTurn, BEN)
    assert play.do(RemoveNpc, npc="Sidor").called() == ("the fire", (), False), (
        "a GM knows it already"
    )
    assert play.do(Retire, BEN).called() is None, "it was not his turn"


def test_a_group_comes_whole_and_nobody_twice() -> None:
    play = Play(table()).do(StartEncounter)
    play.do(AddToEncounter, name="bandit 2").do(AddToEncounter, name="BANDIT")
    assert play.order() == "0: Bandit 2 Bandit 1"
    for name in ("Bandit", "k5", "bandit  1"):
        assert play.refused(AddToEncounter, name=name).code == "already-in-order"
    play.do(JoinEncounter, ANN).do(AddToEncounter, name="The Fire")
    assert play.refused(JoinEncounter, ANN).code == "already-in-order"
    assert play.refused(AddToEncounter, name="the fire").code == "already-in-order"


def test_what_cannot_be_is_refused() -> None:
    play = Play(table())
    steps: tuple[tuple[type[Action], dict[str, Any]], ...] = (
        (JoinEncounter, {}),
        (AddToEncounter, {"name": "x"}),
        (OrderEncounter, {"order": ("x",)}),
        (NextTurn, {}),
        (DelayTurn, {}),
        (RemoveFromEncounter, {"name": "x"}),
        (EndEncounter, {}),
    )
    for kind, fields in steps:
        assert play.refused(kind, **fields).code == "no-encounter"
    play.do(StartEncounter)
    assert play.refused(StartEncounter).code == "encounter-here"
    assert play.refused(NextTurn).code == "nobody-in-order"
    assert play.refused(AddToEncounter, name=" ").code == "empty"
    assert play.refused(AddToEncounter, name="x" * 81).code == "too-long"
    assert play.refused(AddToEncounter, name="x", score=1000).code == "out-of-range"
    assert play.refused(OrderEncounter, order=()).code == "empty"
    play.do(AddToEncounter, name="Bandit").do(JoinEncounter, ANN)
    error = play.refused(OrderEncounter, order=("Anna", "Bandot 1"))
    assert (error.code, error.params["nearest"]) == ("not-in-order", ("Bandit 1", "Bandit 2"))
    assert play.refused(OrderEncounter, order=("bandit",)).code == "ambiguous-in-order"
    assert play.refused(OrderEncounter, order=("Anna", "k1")).code == "named-twice"
    for number in range(SLOTS_MAX - 3):
        play.do(AddToEncounter, name=f"spark {number}")
    assert play.refused(AddToEncounter, name="one more").code == "encounter-full"
    assert play.refused(JoinEncounter, BEN).code == "encounter-full"


def test_an_end_is_an_end_and_places_are_apart() -> None:
    play = fight()
    here = play.state
    outcome = resolve(here, StartEncounter(**by(GM, place="777")), ScriptedRng(()))
    assert set(outcome.state.encounters) == {PLACE, "777"}
    play.do(EndEncounter)
    assert play.state.encounters == {}
    assert board_view(play.state, PLACE) is None


# --- who is known ---------------------------------------------------------------------------------


def test_players_see_public_names_and_their_own_scores_only() -> None:
    play = Play(table()).do(StartEncounter).do(JoinEncounter, ANN)
    for name in ("Sidor", "the hooded man", "Bandit 1"):
        play.do(AddToEncounter, name=name, score=9)
    assert play.order(None) == play.order(BEN) == "0: Bandit 1 the hooded man Anna"
    assert play.order() == "0: Bandit 1 Lebed Sidor Anna"
    shown = board_view(play.state, PLACE)
    assert shown is not None
    assert [line.score for line in shown.lines] == [None] * 3
    play.do(OrderEncounter, order=("Sidor", "Lebed")).do(NextTurn)
    assert play.called() == ("Sidor", (), False)
    shown = board_view(play.state, PLACE)
    assert shown is not None and (shown.turn, play.order(BEN)) == (
        0,
        "1: the hooded man Bandit 1 Anna",
    )
    assert play.do(NextTurn).called() == ("the hooded man", (), False)
    for name in ("Sidor", "k3", "Lebed"):
        assert play.refused(RemoveFromEncounter, ANN, name=name).code == "not-in-order"
    error = play.refused(RemoveFromEncounter, ANN, name="hood")
    assert "Sidor" not in str(error) and "Lebed" not in str(error)


def test_whoever_acts_is_told_and_nobody_else() -> None:
    play = Play(table()).do(StartEncounter).do(AddToEncounter, name="Sidor")
    (told,) = play.events
    assert (told.name, told.audience.people, told.audience.everyone) == ("Sidor", ("p1",), False)


def test_whose_turn_it_is_acts_by_default() -> None:
    state = table().with_character(Character("k9", "Anton", "p2", sheet(0)))
    state = state.replace(people={"p2": Person("p2", active="k9"), "p1": Person("p1", active="k4")})
    play = Play(state).do(StartEncounter)
    play.do(JoinEncounter, ANN, as_="Anna").do(JoinEncounter, BEN).do(AddToEncounter, name="Sidor")
    assert acting_character(play.state, ANN, None, PLACE).id == "k9", "nobody acts yet"
    play.do(NextTurn)
    assert acting_character(play.state, ANN, None, PLACE).id == "k1"
    assert acting_character(play.state, ANN, "Anton", PLACE).id == "k9"
    assert acting_character(play.state, ANN, None, "777").id == "k9"
    assert acting_character(play.state, GM, None, PLACE).id == "k4"
    outcome = resolve(
        play.state, Begin(**by(ANN), kind="check", values={"approach": "a shot"}), ScriptedRng(())
    )
    assert outcome.state.checks["c1"].actor == "k1"
    play.do(NextTurn)
    assert acting_character(play.state, ANN, None, PLACE).id == "k9"
    play.do(NextTurn)
    assert acting_character(play.state, GM, None, PLACE).id == "k3"


# --- the house rule -------------------------------------------------------------------------------


class Apart:
    """Open and secret dice that can be told apart."""

    def __init__(self, public: tuple[int, ...], secret: tuple[int, ...]) -> None:
        self.public = ScriptedRng(public)
        self.secret = self.shuffle = ScriptedRng(secret)
        self.sealed = self.public.sealed
        self.tag = self.public.tag


@pytest.mark.rule("EBB-ROUND")
def test_the_house_rule_rolls_a_d10_and_alertness() -> None:
    play = Play(table(own={"house_initiative": True})).do(StartEncounter)
    play.do(JoinEncounter, ANN, 4)
    (told,) = play.events
    (line,) = told.lines
    assert (line.code, line.params) == (
        "ebb-initiative",
        {"die": 4, "attribute": "Alertness", "value": 2},
    )
    play.do(JoinEncounter, BEN, 10, 3)
    play.do(AddToEncounter, GM, 6, 1, name="Bandit")
    order = play.state.encounters[PLACE].order
    assert [(slot.character, slot.score) for slot in order] == [
        ("k2", (14, 1)), ("k1", (6, 2)), ("k5", (6, 0)), ("k6", (1, 0)),
    ], "ties go to the higher ALERTNESS"  # fmt: skip
    shown = board_view(play.state, PLACE)
    assert shown is not None and shown.house
    assert [line.score for line in shown.lines] == [14, 6, None, None]


@pytest.mark.rule("EBB-ROUND")
def test_ties_of_score_and_alertness_go_by_name() -> None:
    play = Play(table(own={"house_initiative": True})).do(StartEncounter)
    play.do(AddToEncounter, GM, 5, name="Bandit 2").do(AddToEncounter, GM, 5, name="Bandit 1")
    play.do(AddToEncounter, GM, 5, name="Lebed").do(AddToEncounter, name="the fire")
    assert play.order() == "0: Bandit 1 Bandit 2 Lebed the fire"
    play.do(AddToEncounter, name="a storm", score=5)
    assert play.order() == "0: a storm Bandit 1 Bandit 2 Lebed the fire"


def test_npcs_are_rolled_for_in_secret() -> None:
    dice = Apart((7,), (2,))
    play = Play(table(own={"house_initiative": True})).do(StartEncounter)
    play.do(JoinEncounter, ANN, rng=dice).do(AddToEncounter, name="Sidor", rng=dice)
    assert (dice.public.left, dice.secret.left) == (0, 0)
    assert [slot.score for slot in play.state.encounters[PLACE].order] == [(9, 2), (5, 3)]


def test_leaving_and_coming_back_gives_no_better_score() -> None:
    play = Play(table(own={"house_initiative": True})).do(StartEncounter).do(JoinEncounter, ANN, 2)
    play.do(RemoveFromEncounter, ANN, name="Anna").do(JoinEncounter, ANN)
    assert play.state.encounters[PLACE].order[0].score == (4, 2)
    assert play.events[0].lines[0].code == "initiative-as-before"


def test_the_house_rule_is_that_of_the_beginning() -> None:
    play = fight()
    play.state = play.state.replace(
        settings=play.state.settings.replace(own={"house_initiative": True})
    )
    play.do(AddToEncounter, name="Sidor")
    assert play.order() == "0: Anna Boris the fire Sidor"


@pytest.mark.rule("EBB-ROUND")
def test_it_is_off_by_default() -> None:
    assert not game().setting("house_initiative")
    character = Character("k1", "Anna", "p2", sheet(2))
    turns = game().system.turns
    assert turns is not None
    assert turns.house == "house_initiative"
    rolled = turns.initiative(game(), character, ScriptedRng((10, 10, 1)))
    assert rolled is not None
    assert (rolled.score, rolled.line.params["die"]) == ((23, 2), 21)


# --- one order at a time --------------------------------------------------------------------------


def test_a_character_stands_in_one_order_at_a_time() -> None:
    play = fight().do(StartEncounter, place="777")
    there: dict[str, Any] = {"place": "777"}
    error = play.refused(JoinEncounter, ANN, **there)
    assert (error.code, error.params) == ("in-other-order", {"name": "Anna", "elsewhere": PLACE})
    assert play.refused(AddToEncounter, name="Boris", **there).code == "in-other-order"
    assert play.refused(AddToEncounter, party=True, **there).code == "party-in-order"
    play.do(AddToEncounter, name="Bandit 1", **there)
    assert play.refused(AddToEncounter, name="Bandit").code == "in-other-order"
    play.do(RemoveFromEncounter, ANN, name="Anna").do(AddToEncounter, party=True, **there)
    assert [slot.character for slot in play.state.encounters["777"].order] == ["k5", "k1"]


def test_a_thing_may_stand_in_two_orders() -> None:
    play = fight().do(StartEncounter, place="777").do(AddToEncounter, place="777", name="the fire")
    assert len(play.state.encounters) == 2


def test_an_order_that_is_over_holds_nobody() -> None:
    play = fight().do(StartEncounter, place="777").do(EndEncounter)
    play.do(JoinEncounter, ANN, place="777")
    assert [slot.character for slot in play.state.encounters["777"].order] == ["k1"]
