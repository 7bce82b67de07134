"""Vehicles at the table: who may steer, what a round's end does, what cannot be done; nothing is
changed then.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.vehicles import vehicles_in_play
from rules.systems.ego.vehicles.vehicles_in_play import Vehicle
from rules.table.actions import Actor
from rules.table.blocks import Ref
from rules.table.state import Character
from rules.table.system import Game, Tick
from tests.sample_table import game

ACTIONS: Any = {each.kind.__name__: each for each in vehicles_in_play.DEEDS}
AddVehicle, BoardVehicle, HurtVehicle, RemoveVehicle, RepairVehicle, SteerVehicle = [
    ACTIONS[f"{name}Vehicle"].kind for name in ("Add", "Board", "Hurt", "Remove", "Repair", "Steer")
]
GM, ANA, BEN = Actor("p1"), Actor("p2"), Actor("p3")


def _table() -> Game:
    """Ana's Uwe and Ben's Dirk, and an NPC of whom nobody knows."""
    found = game("ego")
    state = found.state
    for key, name, owner in (("k1", "Uwe", "p2"), ("k2", "Dirk", "p3"), ("k3", "Spy", None)):
        stage: Any = "revealed" if owner else "off"
        state = state.with_character(Character(key, name, owner, EgoSheet(), stage=stage))
    return found.with_state(state)


def _does(here: Game, action: Any) -> Game:
    here = here.replace(actor=action.who)
    return here.with_state(ACTIONS[type(action).__name__].carries(here, action).state)


def _by(who: Actor) -> dict[str, Any]:
    return {"who": who, "place": "1", "at": 1}


def _sedan(**options: Any) -> Game:
    return _does(_table(), AddVehicle(**_by(GM), kind="Sedan", pilot="Uwe", **options))


def _only(here: Game) -> Vehicle:
    return vehicles_in_play.vehicles_of(here.state)[0]


@pytest.mark.rule("EGO-VEH-01", "EGO-VEH-02")
def test_a_type_says_how_many_sections_there_are() -> None:
    assert _only(_sedan()).sections == (15, 15, 15)
    assert _only(_sedan(type=4)).sections == (15,) * 16


@pytest.mark.rule("EGO-VEH-03")
def test_its_pilot_and_the_gm_steer() -> None:
    here = _sedan(aboard="Dirk")
    for who in (ANA, GM):
        assert _only(_does(here, SteerVehicle(**_by(who), vehicle="Sedan", speed=2))).speed == 2
    with pytest.raises(RulesError) as caught:
        _does(here, SteerVehicle(**_by(BEN), vehicle="Sedan", speed=2))
    assert caught.value.code == "ego-not-pilot"
    moved = _does(
        here, BoardVehicle(**_by(ANA), vehicle="Sedan", pilot="Dirk", aboard="Uwe", restraints=True)
    )
    assert (_only(moved).pilot, _only(moved).aboard, _only(moved).held) == (
        "k2",
        ("k2", "k1"),
        ("k2", "k1"),
    )


@pytest.mark.rule("EGO-VEH-10")
def test_a_round_that_ends_halves_armor_that_stopped_too_much() -> None:
    here = _sedan()
    for _ in range(2):
        here = _does(here, HurtVehicle(**_by(GM), vehicle="Sedan", damage=6, section=1))
    assert (_only(here).stopped, _only(here).sections) == (12, (15, 15, 15))
    told = vehicles_in_play.apply_vehicle_tick(here, Tick("round-end", ("k1",), 1, "1"))
    after = _only(told.game)
    assert (after.ar, after.stopped) == (4, 0) and told.lines[0][1].params["before"] == 8
    # Nobody of it takes part, or it is no round: nothing happens.
    for passing in (Tick("round-end", ("k2",), 1, "1"), Tick("turn", ("k1",), 1, "1")):
        assert vehicles_in_play.apply_vehicle_tick(here, passing).game is here
    whole = _does(told.game, RepairVehicle(**_by(GM), vehicle="Sedan"))
    assert _only(whole).ar == 8


def test_what_cannot_be_done_is_refused() -> None:
    here = _sedan()
    wreck = _does(here, HurtVehicle(**_by(GM), vehicle="Sedan", damage=100, section=1))
    cases: list[tuple[Game, Any, str]] = [
        (here, AddVehicle(**_by(ANA), kind="Van"), "gm-only"),
        (here, AddVehicle(**_by(GM), kind="Sedan"), "name-is-taken"),
        (here, AddVehicle(**_by(GM), kind="Sed"), "name-is-taken"),
        (here, AddVehicle(**_by(GM), kind="Broom"), "unknown-choice"),
        (here, SteerVehicle(**_by(ANA), vehicle="Sedan", speed=9), "out-of-range"),
        (here, HurtVehicle(**_by(GM), vehicle="Sedan", damage=3, section=4), "out-of-range"),
        (here, RepairVehicle(**_by(GM), vehicle="Sedan"), "ego-nothing-to-do"),
        (here, RemoveVehicle(**_by(ANA), vehicle="Sedan"), "gm-only"),
        (wreck, SteerVehicle(**_by(ANA), vehicle="Sedan", speed=1), "ego-wreck"),
        (_table(), SteerVehicle(**_by(GM), vehicle="Sedan", speed=1), "ego-unknown-vehicle"),
    ]
    for table, action, code in cases:
        with pytest.raises(RulesError) as caught:
            _does(table, action)
        assert caught.value.code == code, action


def test_who_is_aboard_unknown_is_named_nowhere() -> None:
    here = _sedan(aboard="Dirk, Spy")
    named = [
        each
        for block in vehicles_in_play.blocks_of(here, _only(here))
        for each in (
            getattr(block, "value", ()) if isinstance(getattr(block, "value", ()), tuple) else ()
        )
    ]
    assert named == [Ref(name="Uwe"), Ref(name="Dirk")]
