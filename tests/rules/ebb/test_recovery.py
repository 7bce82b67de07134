"""Recovery under EBB: who may rest, what it restores, and which injuries a treatment treats."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ebb.sheet import Injury
from rules.table.actions import Adjust
from rules.table.blocks import Text
from rules.table.events import GMS
from tests.rules.ebb.play import Play
from tests.sample_table import ANN, BEN, GM

SACRIFICED = (("Fitness", 1), ("Zone", 2))
#: Health of a character whom recovery leaves badly hurt.
AS_BEFORE = {"health": Text("badly-hurt"), "was": None, "well": False}


def hurt() -> Play:
    injuries = (
        Injury("Broken arm", "left arm"),
        Injury("Burned hand"),
        Injury("Old scar", treated=True),
    )
    return Play(step_in_time=0).write("Anna", sacrificed=SACRIFICED, injuries=injuries)


def treat(play: Play) -> list[bool]:
    return [injury.treated for injury in play.sheet("Anna").injuries]


@pytest.mark.rule("EBB-HEAL")
def test_rest_restores_what_was_sacrificed_if_the_gm_says_it_is_long_enough() -> None:
    play = hurt().begin(ANN, "rest", approach="a week in the village")
    assert (play.check.stage, play.pings()) == ("proposed", ((), True))
    assert play.refused(play.choose, GM, "rule", "roll", difficulty="7").code == "not-offered"
    play.choose(GM, "rule", "impossible")
    assert play.sheet("Anna").sacrificed == SACRIFICED
    play.begin(ANN, "rest").choose(GM, "rule", "free")
    assert play.sheet("Anna").sacrificed == ()
    assert len(play.sheet("Anna").injuries) == 3
    better = {"health": Text("hurt"), "was": Text("badly-hurt"), "well": False}
    assert play.notes() == [Text("ebb-rested", {"values": ("Fitness +1", "Zone +2"), **better})]


@pytest.mark.rule("EBB-HEAL")
@pytest.mark.parametrize("method", [{}, {"method": "rest"}, {"method": "session"}])
def test_a_gm_lets_somebody_rest_at_once(method: dict[str, Any]) -> None:
    play = hurt().begin(GM, "rest", as_="Anna", **method)
    assert not play.check.is_open
    assert play.sheet("Anna").sacrificed == ()
    play.begin(GM, "rest", as_="Lebed")
    assert all(event.audience == GMS for event in play.events), "what is kept of NPCs is theirs"


def test_rest_is_never_rolled() -> None:
    play = hurt()
    assert (
        play.refused(play.begin, ANN, "rest", difficulty="Easy", approach="a week").code
        == "unknown-field"
    )
    assert play.begin(ANN, "rest", approach="a week").check.stage == "proposed"
    assert not Play().begin(GM, "rest", as_="Dog").check.data.is_rolled


def test_a_rest_that_would_give_nothing_back_asks_no_gm() -> None:
    play = Play()
    error = play.refused(play.begin, ANN, "rest", approach="a week")
    assert (error.code, error.params) == ("nothing-to-heal", {"name": "Anna", "treat": True})
    assert not play.state.checks


def test_only_a_gm_ends_a_session_and_nobody_rests_for_others() -> None:
    play = hurt()
    assert play.refused(play.begin, ANN, "rest", method="session").code == "gm-only"
    assert play.refused(play.begin, ANN, "rest", as_="Boris").code == "unknown-character"
    assert play.refused(play.begin, ANN, "rest", method="magic").code == "unknown-choice"


@pytest.mark.rule("EBB-HEAL")
def test_a_treatment_that_works_treats_the_injury() -> None:
    aid = {"injury": "broken", "skill": "First aid", "approach": "a splint"}
    play = hurt().begin(ANN, "treat", **aid)
    assert play.check.data.tool == "Broken arm"
    play.choose(GM, "rule", "roll", difficulty="Tricky").choose(ANN, "ready", "roll", 3, 2)
    assert not any(treat(play)[:2])
    play.begin(ANN, "treat", **aid)
    play.choose(GM, "rule", "roll", difficulty="Easy").choose(ANN, "ready", "roll", 9, 2)
    assert treat(play) == [True, False, True]
    assert Text("ebb-treated", {"text": "Broken arm", **AS_BEFORE, "treated": True}) in play.notes()
    # The only one that is left needs no name, and the GM's word is enough.
    play.begin(ANN, "treat", approach="ointment").choose(GM, "rule", "free")
    assert all(treat(play))
    assert play.refused(play.begin, ANN, "treat", approach="more").code == "nothing-to-treat"


@pytest.mark.rule("EBB-HEAL")
def test_the_healer_names_the_injury_else_it_is_the_worst() -> None:
    play = hurt()
    theirs: dict[str, Any] = {"as_": "Dog", "target": "Anna", "injury": "leg"}
    assert play.refused(play.begin, GM, "treat", **theirs).code == "unknown-injury"
    burned = play.sheet("Anna").injuries
    play.write("Anna", injuries=(burned[0], burned[1].replace(severity="serious"), *burned[2:]))
    play.begin(BEN, "treat", target="Anna", injury="her leg", approach="a splint")
    assert play.check.data.tool == "her leg", "who may not read the sheet is told nothing of it"
    play.choose(GM, "rule", "free")
    assert not play.check.is_open
    assert treat(play) == [False, True, True]
    assert "Burned hand" not in play.told() + play.told(BEN) + play.heard(BEN)
    assert Text("ebb-treated", {"text": None, "worst": True}) in play.notes(BEN)
    treatment = {"text": "Burned hand", **AS_BEFORE, "treated": True}
    assert Text("ebb-treated", treatment) in play.notes(ANN)
    assert play.options(BEN) == {}
    assert play.options(ANN) == {"injury": ("0:Broken arm",)}
    play.choose(ANN, "injury", "0:Broken arm")
    assert treat(play) == [True, False, True]
    assert Text("ebb-treated", {"text": "Broken arm", **AS_BEFORE, "treated": True}) in play.notes()
    play.choose(GM, "for-them", "1:Burned hand")
    assert treat(play) == [False, True, True]
    # Nothing is named where one may know: the worst, and of several the oldest.
    play = hurt().begin(ANN, "treat", approach="x").choose(GM, "rule", "free")
    assert treat(play) == [True, False, True]


@pytest.mark.rule("EBB-HEAL")
def test_rest_restores_what_the_gm_says_it_covers() -> None:
    play = hurt().begin(ANN, "rest").choose(GM, "rule", "free", covers=["Zone 1"])
    assert play.sheet("Anna").sacrificed == (("Fitness", 1), ("Zone", 1))
    assert play.notes() == [Text("ebb-rested", {"values": ("Zone +1",), **AS_BEFORE})]
    play.begin(GM, "rest", as_="Anna", covers=["Fitness 1", "Zone 1"])
    assert play.sheet("Anna").sacrificed == ()
    assert hurt().refused(hurt().begin, ANN, "rest", covers=["Zone 1"]).code == "gm-only"


def test_a_panel_from_before_the_sheet_changed_treats_no_other_injury() -> None:
    play = hurt().begin(BEN, "treat", target="Anna", injury="her leg", approach="a splint")
    play.choose(GM, "rule", "free")
    (other,) = play.options(ANN)["injury"]
    play.do(Adjust, GM, character="Anna", what="healed", value="2")
    assert play.refused(play.choose, ANN, "injury", other).code == "not-offered"
