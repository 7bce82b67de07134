"""Who is waited for in checks of EBB at a table that waits for nobody who has nothing to decide."""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.ebb.sheet import Injury, effective_attributes
from rules.table.actions import AskForNpc
from rules.table.check import ANY_GM as THE_GMS
from rules.table.check import PASS
from rules.table.checks.prompt_times import pending_waits
from rules.table.state import DAY
from tests.rules.ebb.play import CLIMB, DUCK, SHOOT, Play
from tests.sample_table import ANN, BEN, GM, NOON


def impatient(**settings: Any) -> Play:
    return Play(**{"wait_for_everybody": False, **settings})


def shot_at_sidor(**settings: Any) -> Play:
    """Anna's attack on Sidor, an NPC with a Fitness of 1, answered."""
    play = impatient(**settings).begin(ANN, "attack", target="Sidor", **SHOOT)
    return play.choose(GM, "rule", "roll", difficulty="Tricky")


def quarrel(*faces: int, kind: str = "contest", **settings: Any) -> Play:
    """Anna against Boris, whose answer makes the dice fall."""
    about = SHOOT if kind == "attack" else CLIMB
    play = impatient(**settings).begin(ANN, kind, target="Boris", **about)
    return play.choose(GM, "rule", "roll").choose(BEN, "face", "face", *faces, **DUCK)


def fitness(play: Play, name: str) -> int:
    return effective_attributes(play.sheet(name))["Fitness"]


# --- dice that lie open ---------------------------------------------------------------------------


def test_a_players_own_roll_is_final_at_once() -> None:
    play = impatient().begin(ANN, "check", **CLIMB).choose(GM, "rule", "roll", difficulty="Tricky")
    assert not play.choose(ANN, "ready", "roll", 4, 2).check.is_open


def test_a_players_own_roll_against_a_hidden_number_waits_an_hour_with_fate_only() -> None:
    hidden: dict[str, Any] = {"difficulty": "Tricky", "hidden": True}
    for fate, waits in ((3, 60 * 60), (0, None)):
        play = impatient().begin(ANN, "check", **CLIMB).choose(GM, "rule", "roll", **hidden)
        play.write("Anna", fate=fate).choose(ANN, "ready", "roll", 4, 2)
        ends = [each.due - NOON for each in pending_waits(play.check) if each.default == PASS]
        assert (ends[-1] if ends else None) == waits
        assert play.pings() == ((), False), "who has just pressed is there"


@pytest.mark.rule("EBB-OPPOSED", "EBB-FATE")
def test_who_loses_by_the_others_press_is_called_and_who_wins_is_not() -> None:
    play = quarrel(2, 2, 9, 6)
    assert play.asked["react"] == ("k1",)
    assert play.pings() == (("p2",), False)
    assert not quarrel(9, 6, 2, 2).check.is_open, "Boris has pressed himself, and may step in"
    play = impatient().write("Anna", fate=0).begin(ANN, "contest", target="Boris", **CLIMB)
    play.choose(GM, "rule", "roll").choose(BEN, "face", "face", 2, 2, 9, 6, **DUCK)
    assert not play.check.is_open, "nobody waits for somebody with nothing to spend"


@pytest.mark.rule("EBB-OPPOSED", "EBB-FATE")
def test_after_a_reroll_the_other_side_is_asked_if_it_now_loses() -> None:
    play = quarrel(8, 1, 9, 2).choose(ANN, "react", "reroll", 6)
    assert play.asked["react"] == ("k2",), "the dice lie so by Anna's hand"
    assert play.pings() == (("p3",), False)
    assert [each.due - play.at for each in pending_waits(play.check)][-1] == DAY
    play.choose(BEN, "react", "reroll", 6)
    assert play.asked["react"] == ("k1",)
    play.choose(ANN, "react", PASS)
    assert not play.check.is_open
    assert (play.sheet("Anna").fate, play.sheet("Boris").fate) == (2, 2)


def test_with_closed_points_somebody_with_nothing_is_waited_for_too() -> None:
    play = impatient(open_points=False).write("Anna", fate=0)
    play.begin(ANN, "contest", target="Boris", **CLIMB).choose(GM, "rule", "roll")
    play.choose(BEN, "face", "face", 2, 2, 9, 6, **DUCK)
    assert play.asked["react"] == ("k1",)


# --- hits -----------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-INJURY", "EBB-ATTACK")
@pytest.mark.parametrize(("default", "left"), [("soften", 0), ("suffer", 1)])
def test_a_hit_on_an_npc_is_as_the_table_agreed_at_once(default: str, left: int) -> None:
    play = shot_at_sidor(own={"hit_default": default}).choose(ANN, "ready", "roll", 6, 3)
    assert not play.check.is_open
    assert fitness(play, "Sidor") == left
    assert (Injury("rifle") in play.sheet("Sidor").injuries) == (default == "suffer")
    assert play.pings() == ((), False)
    assert play.options(ANN) == {}


@pytest.mark.rule("EBB-INJURY")
def test_what_a_hit_did_to_an_npc_nobody_can_tell_from_what_is_told() -> None:
    """Whether there was Fitness left to soften it is hidden."""
    heard: list[tuple[str, ...]] = []
    for fitness_left in (True, False):
        play = shot_at_sidor().write("Sidor", sacrificed=() if fitness_left else (("Fitness", 1),))
        play.choose(ANN, "ready", "roll", 6, 3)
        heard.append((play.told(), play.told(ANN), play.told(BEN), play.heard(), play.heard(BEN)))
        assert play.option(GM, "words", "keep")
    assert heard[0] == heard[1]
    assert "'words'" in heard[0][0]
    play.choose(GM, "words", "keep")
    assert "'in-full'" in play.told() and "rifle" in play.told()
    assert "keep" not in play.options(GM)["words"]


@pytest.mark.rule("EBB-INJURY")
def test_the_gm_changes_what_a_hit_did_to_an_npc_and_back() -> None:
    play = shot_at_sidor().choose(ANN, "ready", "roll", 6, 3)
    had = play.sheet("Sidor").injuries
    assert (fitness(play, "Sidor"), play.options(GM)) == (0, {"words": ("keep", "in-full")})
    play.choose(GM, "words", "in-full", text="a shot leg", part="leg", severity="serious")
    assert play.sheet("Sidor").injuries == (*had, Injury("a shot leg", "leg", "serious"))
    assert (fitness(play, "Sidor"), play.options(GM)) == (
        1,
        {"words": ("in-full", "flesh-wound")},
    )
    assert "a shot leg" in play.told()
    play.choose(GM, "words", "flesh-wound")
    assert (play.sheet("Sidor").injuries, fitness(play, "Sidor")) == (had, 0)
    assert play.refused(play.choose, BEN, "words", "in-full").code == "gm-only"


def test_what_has_become_of_a_hit_since_is_not_undone_by_other_words() -> None:
    play = shot_at_sidor(own={"hit_default": "suffer"}).choose(ANN, "ready", "roll", 6, 3)
    hurt = play.sheet("Sidor").injuries
    play.write("Sidor", injuries=(*hurt[:-1], hurt[-1].replace(treated=True)))
    assert play.options(GM) == {}
    assert play.refused(play.choose, GM, "words", "in-full", text="x").code == "not-offered"


def test_the_gm_of_an_npc_is_waited_for_only_if_they_want_to_be() -> None:
    play = impatient().do(AskForNpc, GM, npc="Sidor").begin(ANN, "attack", target="Sidor", **SHOOT)
    play.choose(GM, "rule", "roll", difficulty="Tricky").choose(ANN, "ready", "roll", 6, 3)
    assert (play.check.stage, play.asked["hit"]) == ("struck", ("k3",))
    assert play.pings() == ((), True)
    play.choose(GM, "hit", "in-full")
    assert not play.check.is_open
    assert Injury("rifle") in play.sheet("Sidor").injuries


@pytest.mark.rule("EBB-INJURY", "EBB-ATTACK")
def test_a_players_character_who_is_hit_decides_in_one_panel_with_the_whole_time() -> None:
    play = quarrel(5, 3, 4, 1, kind="attack")
    assert (play.check.stage, play.asked["hit"]) == ("struck", ("k2",))
    assert play.options(BEN) == {"hit": ("flesh-wound", "in-full"), "also": ("reroll",)}
    assert [each.due - play.at for each in pending_waits(play.check)][-1] == DAY
    saved = Play(play.state).choose(BEN, "also", "reroll", 6)
    assert saved.sheet("Boris").fate == 2
    assert saved.asked["react"] == ("k1",), "now Anna has missed, by Boris's hand"
    again = Play(play.state).choose(BEN, "also", "reroll", 1)
    assert (again.check.stage, again.asked["hit"]) == ("struck", ("k2",))


@pytest.mark.rule("EBB-INJURY")
def test_without_fitness_who_is_hit_still_decides_about_their_die() -> None:
    play = impatient().write("Boris", sacrificed=(("Fitness", 1),))
    play.begin(ANN, "attack", target="Boris", **SHOOT).choose(GM, "rule", "roll")
    play.choose(BEN, "face", "face", 9, 6, 2, 3, **DUCK)
    assert (play.check.stage, play.asked["react"]) == ("open", ("k2",))
    assert [each.due - play.at for each in pending_waits(play.check)][-1] == DAY
    assert not play.choose(BEN, "react", PASS).check.is_open
    assert play.sheet("Boris").injuries == (Injury("rifle"),)


@pytest.mark.rule("EBB-ATTACK")
def test_who_evades_rolls_with_their_answer_and_is_asked_about_a_hit_only() -> None:
    npc: dict[str, Any] = {"as_": "Lebed", "target": "Boris", "difficulty": "Tricky"}
    play = impatient().begin(GM, "attack", approach="a stab", **npc)
    assert not play.choose(BEN, "face", "face", 9, 6, **DUCK).check.is_open, "nothing hits"
    play = impatient().begin(GM, "attack", approach="a stab", **npc)
    play.choose(BEN, "face", "face", 2, 3, **DUCK)
    assert (play.check.stage, play.asked["hit"]) == ("struck", ("k2",))


def test_an_attack_goes_at_once_where_the_table_says_so_and_its_number_is_named() -> None:
    named = {**SHOOT, "difficulty": "Tricky"}
    play = impatient(attacks_at_once=True).begin(ANN, "attack", 6, 3, target="Sidor", **named)
    assert not play.check.is_open
    play = impatient(attacks_at_once=True).begin(ANN, "attack", target="Sidor", **SHOOT)
    assert play.asked["rule"] == (THE_GMS,), "an NPC's number is the GM's"
    assert impatient().begin(ANN, "attack", target="Sidor", **named).check.stage == "proposed"
    play = impatient(attacks_at_once=True).begin(ANN, "attack", target="Boris", **SHOOT)
    assert play.asked["face"] == ("k2",)


# --- fumbles --------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-FAIL", "EBB-ROLL")
def test_a_fumble_calls_the_gm_who_adds_a_complication() -> None:
    play = impatient().begin(ANN, "check", **CLIMB).choose(GM, "rule", "roll", difficulty="Tricky")
    play.choose(ANN, "ready", "roll", 1, 1)
    assert not play.check.is_open
    assert play.pings() == ((), True)
    assert (play.options(GM), play.options(ANN)) == ({"complication": ("complication",)}, {})
    assert play.refused(play.choose, ANN, "complication", "complication").code == "gm-only"
    add = (play.choose, GM, "complication", "complication")
    assert play.refused(*add, text="x" * 501).code == "too-long"
    play.choose(GM, "complication", "complication", text="The rope breaks.")
    assert "The rope breaks." in play.told()
    assert play.options(GM) == {}
    forget = play.game().system.procedures["check"].forget
    assert forget(play.check, "p1", ()).complication == ""


def test_no_other_failure_calls_anybody() -> None:
    play = impatient().begin(ANN, "check", **CLIMB).choose(GM, "rule", "roll", difficulty="Tricky")
    play.choose(ANN, "ready", "roll", 1, 4)
    assert (play.pings(), play.check.asked) == (((), False), ())


def test_a_blind_fumble_is_the_gms_alone() -> None:
    play = impatient().begin(ANN, "check", visibility="blind", **CLIMB)
    play.choose(GM, "rule", "roll", difficulty="Tricky").choose(ANN, "ready", "roll", 1, 1)
    for event in play.events:
        if event.ping_gms:
            assert event.audience.gms and not event.audience.everyone
    assert play.view(ANN).asked == ()
    play.choose(GM, "complication", "complication", text="The rope breaks.")
    assert "The rope breaks." not in play.told(ANN) + play.heard(ANN)
