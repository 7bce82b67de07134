"""Attacks, opposed rolls, hits and secret rolls of EBB: who may do what when, what it does, and who
may know of it.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.rng import KeyedStreams
from rules.systems.ebb.sheet import EbbSheet, Injury, effective_attributes
from rules.table.actions import Actor, AskForNpc, Begin, CloseChecks, Due
from rules.table.check import ANY_GM as THE_GMS
from rules.table.check import PASS
from rules.table.checks.access import may_see_check
from rules.table.checks.prompt_times import pending_waits
from rules.table.events import GMS, CheckChanged
from rules.table.state import DAY, HOUR
from tests.rules.ebb.play import DUCK, SHOOT, Play, codes, hit, hold
from tests.rules.toy_table import CLOCK
from tests.sample_table import ANN, BEN, GM, NOON

EVE = Actor("p4")
#: What Anna attacks with, a flaw in it, and what Boris sets against it.
MINE = {**SHOOT, "flaw": 1}
TRAITS: dict[str, Any] = {key: value for key, value in MINE.items() if key != "weapon"}
SECRETS = ("Rifles", "Alertness", SHOOT["approach"])
THEIRS = ("Running", "Fitness", DUCK["approach"])


def attack(who: Actor = ANN, target: str = "Boris", /, **fields: Any) -> Play:
    return begin_attack(Play(), who, target, **fields)


def begin_attack(play: Play, who: Actor = ANN, target: str = "Boris", /, **fields: Any) -> Play:
    return play.begin(who, "attack", target=target, **(MINE | fields))


def answered_attack(**fields: Any) -> Play:
    """The attack, which the GM lets them roll."""
    return attack(**fields).choose(GM, "rule", "roll", flaw=1)


def met_attack(*faces: int, **settings: Any) -> Play:
    """Answered, and Boris has chosen: the dice show these faces."""
    play = begin_attack(Play(**settings)).choose(GM, "rule", "roll", flaw=1)
    return play.choose(BEN, "face", "face", *faces, **DUCK)


def held_attack() -> Play:
    """Answered, and Boris has chosen, before the dice: Anna's player wants a say first."""
    return hold(begin_attack(Play()).choose(GM, "rule", "roll", flaw=1)).choose(
        BEN, "face", "face", **DUCK
    )


# --- attacking NPCs -------------------------------------------------------------------------------


@pytest.mark.rule("EBB-ATTACK")
def test_an_attack_on_npcs_is_a_task_roll_against_the_gms_threshold() -> None:
    play = attack(ANN, "Dog")
    assert not play.check.data.opposed
    assert play.pings() == ((), True)
    play.choose(GM, "rule", "roll", difficulty="Tricky").choose(ANN, "ready", "roll", 6, 3)
    (level,) = play.listed("check-difficulty")
    assert (play.totals(), level.params["value"]) == ([10], 10)
    play.choose(ANN, "react", PASS)
    assert not play.check.is_open
    assert "'words'" in play.told(), "that there is no sheet nobody else learns"
    assert play.sheet("Dog").injuries == (Injury("rifle"),)
    play.choose(GM, "words", "in-full", text="a bitten paw")
    assert play.sheet("Dog").injuries == (Injury("a bitten paw"),)
    assert "'in-full'" in play.told(), "the damage effect applies to somebody without a sheet"


@pytest.mark.rule("EBB-ATTACK", "EBB-FAIL")
def test_who_misses_has_lost_the_chance() -> None:
    play = attack(ANN, "Dog").choose(GM, "rule", "roll", difficulty="Tricky")
    play.choose(ANN, "ready", "roll", 5, 3)
    near_miss = ["ebb-note lost", "ebb-note price"]
    assert codes(play.notes(GM)) == near_miss, "a near miss, but not against time"
    assert not play.choose(ANN, "react", PASS).check.is_open


@pytest.mark.rule("EBB-ATTACK")
def test_in_live_play_and_by_a_gm_for_npcs_it_is_rolled_at_once() -> None:
    play = Play(live=True, step_in_time=0)
    play.begin(ANN, "attack", 9, 6, target="Dog", skill="Rifles", difficulty="7", approach="so")
    assert play.totals() == [15]
    play = Play(step_in_time=0)
    play.begin(GM, "attack", 9, as_="Dog", target="Sidor", difficulty="7", approach="a bite")
    assert (play.check.stage, play.check.data.choice) == ("over", "flesh-wound"), (
        "Sidor has a sheet, and Fitness"
    )
    assert effective_attributes(play.sheet("Sidor"))["Fitness"] == 0
    assert attack(GM, "Sidor", as_="Dog", skill="none").check.stage == "proposed"


@pytest.mark.parametrize(("answer", "stage"), [("free", "struck"), ("impossible", "over")])
def test_what_the_gm_says_without_a_roll_counts(answer: str, stage: str) -> None:
    play = attack().choose(GM, "rule", answer)
    assert play.check.stage == stage
    assert play.pings()[0] == (("p3",) if stage == "struck" else ())
    assert SHOOT["approach"] not in play.told(), "what was never rolled stays secret"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"target": None}, "which-target"),
        ({"target": "Anna"}, "target-is-self"),
        ({"target": "Lebed"}, "unknown-character"),
        ({"target": "Spy"}, "unknown-character"),
        ({"target": ""}, "unknown-character"),
        ({"weapon": "x" * 101}, "too-long"),
        ({"difficulty": "Tricky"}, "no-difficulty-here"),
        ({"gm_only": True}, "gm-only"),
    ],
)
def test_an_attack_that_makes_no_sense_is_refused(fields: dict[str, Any], code: str) -> None:
    play = Play()
    assert (
        play.refused(play.begin, ANN, "attack", **({"target": "Boris"} | SHOOT | fields)).code
        == code
    )


# --- against each other ---------------------------------------------------------------------------


@pytest.mark.rule("EBB-OPPOSED", "EBB-ATTACK")
def test_both_sides_choose_and_roll_together() -> None:
    play = attack()
    assert play.check.data.opposed
    assert play.options(BEN) == {}
    play.choose(GM, "rule", "roll", flaw=1)
    assert play.pings() == (("p3",), False)
    assert play.options(BEN) == {"face": ("face",)}
    assert play.refused(play.choose, ANN, "ready", "roll").code == "not-offered"
    assert "roll" not in play.options(ANN)["ready"]
    revision = hold(play).check.revision
    play.choose(BEN, "face", "face", **DUCK)
    assert play.check.revision == revision + 1
    assert play.pings() == (("p2",), False)
    assert "roll" in play.options(ANN)["ready"]
    play.choose(BEN, "face", "face", skill="Climbing", attribute="Fitness", approach="up the wall")
    play.choose(ANN, "ready", "roll", 9, 6, 2, 8)
    mine, other = play.rolls()
    assert (mine.result, other.result) == (9 + 6 + 1 - 3, 2 + 8 + 1), "a level counts 3 points"
    assert [die.name for die in mine.dice] == ["main", "ability"]
    assert "up the wall" in play.told()
    assert play.verdict() == "check-hit"


@pytest.mark.rule("EBB-OPPOSED")
@pytest.mark.parametrize(
    ("faces", "verdict", "notes"),
    [
        # 9 + 6 + 1 - 3 against 8 + 4 + 1: a tie is the acting side's.
        ((9, 6, 8, 4), "check-hit", []),
        ((9, 5, 8, 4), "check-miss", ["ebb-note lost"]),
        ((2, 5, 8, 4), "check-miss", ["ebb-note lost"]),
        ((1, 6, 2, 4), "check-miss", ["ebb-note lost"]),
        ((2, 1, 1, 6), "check-hit", []),
        ((2, 1, 1, 1), "check-hit", ["ebb-note fumble"]),
        ((1, 6, 1, 4), "check-miss", ["ebb-note lost", "ebb-note nobody"]),
        ((1, 1, 2, 4), "check-miss", ["ebb-note fumble", "ebb-note lost"]),
    ],
)
def test_the_totals_decide(faces: tuple[int, ...], verdict: str, notes: list[str]) -> None:
    play = met_attack(*faces)
    assert play.verdict() == verdict
    assert codes(play.notes()) == notes
    play.choose(GM, "stand", "stand")
    assert (play.check.stage == "struck") == (verdict == "check-hit")


@pytest.mark.rule("EBB-OPPOSED")
def test_the_gm_gives_either_side_a_bonus_or_penalty() -> None:
    play = attack().choose(GM, "rule", "roll", modifier=2, against=-4)
    play.choose(BEN, "face", "face", 5, 3, 9, 6, **DUCK, drawback=True)
    assert play.totals() == [5 + 3 + 1 + 2, 9 + 6 - 3 - 4], "a drawback: no attribute"
    assert codes(play.listed("check-defense-adjustments")) == [
        "ebb-shift drawback",
        "ebb-points",
        "ebb-points",
    ]
    play = attack()
    assert play.refused(play.choose, GM, "rule", "roll", against=21).code == "out-of-range"
    assert play.refused(play.choose, GM, "rule", "margin-only").code == "not-offered"
    assert play.refused(play.choose, GM, "rule", "roll", hidden=True).code == "no-difficulty-here"


@pytest.mark.rule("EBB-OPPOSED", "EBB-ATTACK")
def test_an_attack_by_npcs_waits_for_whoever_evades() -> None:
    play = attack(GM, as_="Lebed", skill="none", difficulty="Tricky")
    assert (play.check.stage, play.check.data.answer) == ("ready", "roll")
    assert play.pings() == (("p3",), False)
    actor = play.view().actor
    assert actor is not None and actor.name == "the hooded man"
    assert "Lebed" not in play.heard() + play.heard(BEN)
    assert "ready" not in play.asked
    play.choose(BEN, "face", "face", 4, 3, **DUCK)
    assert play.check.data.roll.total == 4 + 3 + 1
    assert play.check.stage == "open"


def test_where_the_table_rolls_for_npcs_their_attack_waits_for_the_defense() -> None:
    play = begin_attack(Play(own={"npc_rolls": True}), GM, as_="Lebed", skill="none")
    assert (play.check.stage, play.check.data.answer) == ("ready", "roll")
    assert play.pings() == (("p3",), False)
    actor = play.view().actor
    assert actor is not None and actor.name == "the hooded man"
    assert "Lebed" not in play.heard() + play.heard(BEN)
    play.choose(BEN, "face", "face", 9, 3, 4, **DUCK)
    assert play.totals()[0] == 9 - 3


def test_in_live_play_an_attack_on_a_character_needs_no_answer() -> None:
    play = begin_attack(Play(live=True), modifier=2)
    assert play.check.stage == "ready"
    play.choose(BEN, "face", "face", 5, 3, 4, 3, **DUCK)
    assert play.totals()[0] == 5 + 3 + 1 - 3 + 2
    assert begin_attack(Play(live=True), visibility="private").check.stage == "proposed"


def test_who_may_defend_and_with_what() -> None:
    play = attack()
    assert "face" not in play.asked, "the GM has not answered yet"
    play.choose(GM, "rule", "roll")
    face = (play.choose, BEN, "face", "face")
    assert (
        play.refused(play.choose, ANN, "face", "face", as_="Boris", approach="x").code
        == "owner-only"
    )
    assert (
        play.refused(play.choose, EVE, "face", "face", as_="Boris", approach="x").code
        == "not-of-table"
    )
    assert play.refused(*face).code == "needs-approach"
    assert play.refused(*face, approach="x", skill="Dancing").code == "unknown-ability"
    assert play.refused(*face, approach="x", with_=("dilemma:2",)).code == "gm-gives-that"
    assert play.refused(*face, approach="x", superior=True).code == "gm-gives-that"
    play.choose(GM, "faced", "face", 9, 6, 4)
    assert play.totals()[1] == 4, "the main die alone"
    assert "face" not in play.asked
    play = attack(ANN, "Dog").choose(GM, "rule", "roll", difficulty="7")
    assert {*play.asked} == {"ready", "rule", "own"}


def test_a_new_answer_keeps_the_defense() -> None:
    play = held_attack().choose(GM, "rule", "roll", modifier=1)
    assert play.check.data.defense is not None
    assert play.pings() == (("p2",), False)
    assert not play.choose(ANN, "own", "withdraw").check.is_open


# --- what nobody knows before the roll ------------------------------------------------------------


def test_neither_side_knows_what_the_other_has_chosen_before_the_roll() -> None:
    mine = (*SECRETS, "'flaw'", "canary 9137")
    play = Play()
    steps: list[Any] = [
        lambda: begin_attack(play),
        lambda: play.choose(GM, "rule", "ask", question="canary 9137?"),
        lambda: play.choose(ANN, "reply", "reply", **{**TRAITS, "modifier": 1}),
        lambda: play.choose(GM, "rule", "roll", note="canary 9137", modifier=2, flaw=1),
        lambda: play.later(),
        lambda: hold(play).choose(BEN, "face", "face", **DUCK),
        lambda: play.choose(BEN, "face", "face", **DUCK),
        lambda: play.choose(GM, "rule", "roll", note="canary 9137", modifier=2),
        lambda: play.later(),
    ]
    for step in steps:
        step()
        for who in (None, BEN, EVE):
            shown = play.told(who) + play.heard(who)
            assert not [text for text in mine if text in shown], shown
        for who in (None, ANN, EVE):
            shown = play.told(who) + play.heard(who)
            assert not [text for text in (THEIRS[0], THEIRS[2]) if text in shown], shown
        assert SHOOT["approach"] in play.told(ANN)
        assert "rifle" in play.told(), "the weapon is seen by all"
    assert DUCK["approach"] in play.told(BEN)
    assert SHOOT["approach"] in play.told(GM) and DUCK["approach"] in play.told(GM)
    play.choose(ANN, "own", "withdraw")
    assert not [text for text in (*mine, *THEIRS) if text in play.told(EVE) + play.heard(EVE)]


def test_a_private_attack_is_known_to_both_sides_only() -> None:
    play = attack(visibility="private")
    assert {event.audience.people for event in play.events if not event.audience.gms} == {
        ("p2",),
        ("p3",),
    }
    assert may_see_check(play.game(), play.check, BEN)
    assert not may_see_check(play.game(), play.check, EVE)
    play.choose(GM, "rule", "roll", flaw=1).choose(BEN, "face", "face", 9, 6, 2, 3, **DUCK)
    assert all(not event.audience.everyone for event in play.events)
    assert play.totals(BEN)[0] == 13


def test_blind_dice_are_for_the_gms() -> None:
    play = (
        attack(visibility="blind")
        .choose(GM, "rule", "roll", flaw=1)
        .choose(BEN, "face", "face", 9, 6, 2, 3, **DUCK)
    )
    for who in (ANN, BEN):
        assert play.rolls(who) == []
    assert play.totals(GM)[0] == 13
    assert play.view(ANN).over, "players can do nothing about dice that they do not see"
    assert (play.options(ANN), play.options(BEN)) == ({}, {"hit": ("flesh-wound", "in-full")})


# --- after the roll -------------------------------------------------------------------------------


@pytest.mark.rule("EBB-FATE", "EBB-OPPOSED")
def test_both_sides_may_have_their_own_ability_die_again() -> None:
    play = met_attack(9, 6, 8, 1)
    assert play.asked == {"react": ("k2",), "also": (), "stand": ()}, "who lost may let it stand"
    assert (play.options(BEN), play.options(ANN)) == ({"react": ("reroll",)}, {"also": ("reroll",)})
    assert play.refused(play.choose, ANN, "also", PASS).code == "not-offered"
    assert play.refused(play.choose, BEN, "also", "reroll", as_="Anna").code == "owner-only"
    assert play.refused(play.choose, ANN, "react", "reroll", as_="Boris").code == "owner-only"
    play.choose(BEN, "react", "reroll", 6)
    assert (play.sheet("Boris").fate, play.sheet("Anna").fate) == (2, 3), "who spends pays"
    assert play.verdict() == "check-miss"
    whose = [
        event.who.name for event in play.events if isinstance(event, CheckChanged) and event.who
    ]
    assert set(whose) == {"Boris"}
    assert play.asked == {"react": ("k1",), "also": (), "stand": ()}
    assert play.refused(play.choose, EVE, "react", PASS, as_="Anna").code == "not-of-table"
    play.choose(ANN, "react", "reroll", 5)
    assert play.sheet("Anna").fate == 2
    assert not play.choose(ANN, "react", PASS).check.is_open


@pytest.mark.rule("EBB-LUCK", "EBB-ATTACK")
def test_a_sacrifice_hits_without_dice_and_without_a_defense() -> None:
    play = answered_attack().choose(ANN, "ready", "luck:Alertness")
    assert (play.check.stage, play.check.data.choice) == ("struck", "")
    assert effective_attributes(play.sheet("Anna"))["Alertness"] == 0
    assert play.options(BEN) == {"hit": ("flesh-wound", "in-full")}
    play = held_attack()
    assert "face" in play.options(BEN) and "ready" not in play.options(BEN), (
        "only who acts can sacrifice"
    )
    play.choose(ANN, "ready", "luck:Alertness")
    assert DUCK["approach"] not in play.told(ANN), "a defense that was never thrown stays secret"


# --- hits -----------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-INJURY", "EBB-ATTACK")
def test_a_flesh_wound_costs_a_point_of_fitness() -> None:
    play = hit()
    assert play.check.stage == "struck"
    assert play.options(BEN) == {"hit": ("flesh-wound", "in-full"), "also": ("reroll",)}
    assert play.options(ANN) == {}
    assert play.refused(play.choose, ANN, "hit", "flesh-wound", as_="Boris").code == "owner-only"
    assert play.refused(play.choose, BEN, "hit", "nothing").code == "not-offered"
    play.choose(BEN, "hit", "flesh-wound")
    assert (play.check.is_open, play.check.data.choice) == (False, "flesh-wound")
    assert effective_attributes(play.sheet("Boris"))["Fitness"] == 0
    assert play.sheet("Boris").injuries == ()
    assert "'flesh-wound'" in play.told()


@pytest.mark.rule("EBB-INJURY")
def test_taken_in_full_the_gm_says_what_it_is() -> None:
    play = hit().choose(BEN, "hit", "in-full")
    assert (play.check.stage, play.check.data.choice) == ("over", "in-full")
    assert play.pings() == ((), False)
    assert play.sheet("Boris").injuries == (Injury("rifle"),), "the weapon names it at once"
    assert play.refused(play.choose, BEN, "hit", "in-full").code == "not-offered"
    said = (play.choose, GM, "words", "in-full")
    assert play.option(GM, "words", "in-full").values["text"] == "rifle"
    assert play.refused(*said, text="x" * 301).code == "too-long"
    assert play.refused(*said, text="x", severity="awful").code == "unknown-choice"
    assert play.refused(play.choose, GM, "words", "flesh-wound").code == "not-offered"
    play.choose(GM, "words", "in-full", text=" Broken arm ", part="left arm", severity="sev")
    assert play.sheet("Boris").injuries == (Injury("Broken arm", "left arm", "severe"),)
    assert effective_attributes(play.sheet("Boris"))["Fitness"] == 1
    assert "'in-full'" in play.told() and "Broken arm" in play.told()


@pytest.mark.rule("EBB-INJURY")
def test_without_fitness_there_is_nothing_to_choose() -> None:
    play = answered_attack().write("Boris", sacrificed=(("Fitness", 1),))
    play.choose(BEN, "face", "face", 9, 6, 2, 3, **DUCK).choose(BEN, "react", PASS)
    assert (play.check.stage, play.check.data.choice) == ("over", "in-full")
    assert play.pings() == ((), False)
    assert play.options(BEN) == {}
    assert play.sheet("Boris").injuries == (Injury("rifle"),)
    play.choose(GM, "words", "in-full", text="Broken arm")
    assert play.sheet("Boris").injuries == (Injury("Broken arm"),)


def test_a_gm_may_choose_for_the_owner() -> None:
    assert not hit().choose(GM, "words", "flesh-wound").check.is_open
    play = hit().choose(GM, "words", "in-full", text="A hole")
    assert play.sheet("Boris").injuries == (Injury("A hole"),)


@pytest.mark.rule("EBB-INJURY")
@pytest.mark.parametrize("default", ["soften", "suffer"])
def test_who_never_chooses_gets_what_the_table_agreed_on(default: str) -> None:
    play = hit(own={"hit_default": default}, answer_time=HOUR)
    *_, end = pending_waits(play.check)
    assert end.due == NOON + HOUR
    assert play.refused(Due, CLOCK, wait=end.id).code == "not-yet-due"
    play.later(-1)
    assert not play.check.is_open
    softened = effective_attributes(play.sheet("Boris"))["Fitness"] == 0
    assert softened == (default == "soften")
    assert play.sheet("Boris").injuries == (() if softened else (Injury("rifle"),))
    assert play.refused(Due, CLOCK, wait=end.id).code == "wait-over"


def test_nobody_is_reminded_of_what_is_decided_at_the_same_moment() -> None:
    play = hit(answer_time=HOUR)
    play.at += 3 * DAY  # the clock was off meanwhile
    *reminders, end = pending_waits(play.check)
    for reminder in reminders:
        assert play.refused(Due, CLOCK, wait=reminder.id).code == "wait-over"
    assert not play.do(Due, CLOCK, wait=end.id).check.is_open


def test_who_has_chosen_the_full_hit_keeps_it_when_the_gm_says_nothing() -> None:
    play = hit(own={"hit_default": "soften"})
    play.at += DAY - HOUR
    play.choose(BEN, "hit", "in-full")
    assert pending_waits(play.check) == ()
    play.at += 9 * DAY
    assert play.options(BEN) == {}, "the time to step in is over"
    assert play.sheet("Boris").injuries == (Injury("rifle"),)


def test_a_hit_that_leaves_nothing_to_choose_any_more_is_over_as_soon_as_the_gm_closes_it() -> None:
    play = attack(ANN, "Sidor").do(AskForNpc, GM, npc="Sidor").choose(GM, "rule", "free")
    assert play.check.stage == "struck"
    sidor = play.called("Sidor")
    play.state = play.state.with_character(sidor.replace(sheet=EbbSheet()))
    assert not any(play.options(who) for who in (ANN, BEN))
    assert not play.do(CloseChecks, GM, checks=(play.check.id,)).check.is_open


def test_everybody_who_has_to_act_is_waited_for() -> None:
    play = attack()
    found = [play.asked["rule"]]
    play.choose(GM, "rule", "roll", flaw=1)
    found.append(play.asked["face"])
    play.later()
    assert play.pings() == (("p3",), False)
    hold(play).choose(BEN, "face", "face", **DUCK)
    found.append(play.asked["ready"])
    assert found == [(THE_GMS,), ("k2",), ("k1",)]


# --- what only the GMs roll -----------------------------------------------------------------------


def test_a_secret_roll_is_made_at_once_for_anybody_and_never_told() -> None:
    play = Play()
    play.begin(GM, "check", 6, 3, skill="Listening", difficulty="Tricky", as_="Anna", gm_only=True)
    assert not play.check.is_open
    assert [event.audience for event in play.events] == [GMS]
    assert not may_see_check(play.game(), play.check, ANN)
    assert play.options(ANN) == {}
    assert "'near_miss'" in play.told(GM)
    play.begin(GM, "check", 6, as_="Boris", gm_only=True)
    assert (play.check.data.answer, play.totals(GM)) == ("margin-only", [6])
    secret: dict[str, Any] = {"as_": "Boris", "gm_only": True}
    assert play.refused(play.begin, GM, "attack", target="Anna", **secret).code == "wrong-type"
    assert play.refused(play.begin, ANN, "check", gm_only=True).code == "gm-only"


def test_secret_dice_come_from_the_secret_seed() -> None:
    def streams() -> KeyedStreams:
        return KeyedStreams(b"p" * 32, b"s" * 32, "r1")

    rng, play = streams(), Play()
    play.do(Begin, GM, rng=rng, kind="check", as_="Anna", gm_only=True)
    assert (rng.public.drawn, rng.secret.drawn > 0) == (0, True)
    rng = streams()
    answered_attack().choose(BEN, "face", "face", rng=rng, **DUCK)
    assert (rng.public.drawn > 0, rng.secret.drawn) == (True, 0)
