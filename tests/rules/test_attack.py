"""Attacks, opposed rolls, hits and recovery: who may do what when, what it does, and who may know of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import KeyedStreams, Scripted, Streams
from rules.registry import get_system, look
from rules.systems.ebb.sheet import EbbSheet, Injury, effective_attribute, read_sheet
from rules.table.actions import (
    Action,
    Actor,
    Answer,
    AskBack,
    Defend,
    Due,
    Propose,
    Revise,
    Roll,
    Settle,
    Spend,
    TakeHit,
    Withdraw,
)
from rules.table.checks.views import check_view
from rules.table.checks.waits import waits_for
from rules.table.events import GMS, ChallengeChanged, CheckView, Event
from rules.table.moves import challenge_moves, may_see
from rules.table.state import DAY, HOUR, SYSTEM, AnyChallenge, Character, Settings, TableState
from tests.builders import ANN, BEN, GM, NOON, by, ebb_character, resolve
from tests.rules.ebb.twins import Twins

CLOCK, EVE = Actor(SYSTEM), Actor("p4")
EBB = get_system("ebb")
#: Ability, attribute, idea and switch of the attack; ability, attribute and idea of the defence.
MINE = ("Rifles", "Alertness", "from behind the rusted bus", "flaw")
THEIRS = ("Running", "Fitness", "flat behind the kerb")


def table(**settings: Any) -> TableState:
    """Anna and Boris are players' characters; Sidor has a sheet, nobody knows Lebed by name, a dog has nothing."""
    sheet = read_sheet(ebb_character("Anna"))[1]
    people = (
        Character("k1", "Anna", "p2", sheet),
        Character("k2", "Boris", "p3", sheet),
        Character("k3", "Sidor", None, sheet),
        Character("k4", "Lebed", None, EbbSheet(), stage="aliased", alias="the hooded man"),
        Character("k5", "Dog", None, EbbSheet()),
        Character("k6", "Spy", None, EbbSheet(), stage="off"),
    )
    return TableState(
        Settings("Marshes", "ebb", ("p1",), **settings), characters={each.id: each for each in people}
    )


class Play:
    """A table and what happens at it; the same happens by procedures, until somebody changes the table by hand."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.twins = Twins(state)
        self.events: tuple[Event, ...] = ()
        self.at = NOON

    def do(
        self, deed: type[Action], who: Actor, /, *faces: int, rng: Streams | None = None, **fields: Any
    ) -> Play:
        """An action on the newest challenge, unless it proposes one; every face has to be rolled."""
        if deed is not Propose and deed is not Due:
            fields = {"challenge": self.check.id, "revision": self.check.revision, **fields}
        dice, action = Scripted(faces), deed(**by(who, at=self.at), **fields)
        followed = self.twins.old is self.state and rng is None
        try:
            outcome = resolve(self.state, action, rng or dice)
        except RulesError as error:
            if followed:
                self.twins.refuse(action, error)
            raise
        assert rng is not None or dice.left == 0
        if followed:
            self.twins.follow(action, outcome, Scripted(faces))
        self.state, self.events = outcome.state, outcome.events
        return self

    def refused(self, deed: type[Action], who: Actor, /, **fields: Any) -> str:
        """The code of the refusal; nothing has changed."""
        before = self.state
        with pytest.raises(RulesError) as caught:
            self.do(deed, who, **fields)
        assert self.state is before
        return caught.value.code

    @property
    def check(self) -> AnyChallenge:
        return self.state.challenges[f"c{self.state.counters.challenge}"]

    def sheet(self, name: str) -> EbbSheet:
        return next(each.sheet for each in self.state.characters.values() if each.name == name)

    def view(self, who: Actor | None = None) -> CheckView:
        gm = who == GM
        return check_view(self.state, look(self.state), self.check, gm=gm, who=who.id if who else None)

    def verbs(self, who: Actor) -> list[str]:
        return [move.what or move.verb for move in challenge_moves(look(self.state), self.check, who)]

    def pings(self) -> tuple[tuple[str, ...], bool]:
        """Whom the events call: participants, and whether the GMs."""
        found = [event for event in self.events if event.ping or event.ping_gms]
        return tuple(p for event in found for p in event.ping), any(event.ping_gms for event in found)

    def notes(self) -> list[str]:
        return [line.code for line in self.view(GM).notes]

    # --- shortcuts ------------------------------------------------------------------------------------------

    def attack(self, who: Actor = ANN, target: str = "Boris", **options: Any) -> Play:
        skill, attribute, approach, switch = MINE
        given: dict[str, Any] = {"skill": skill, "attribute": attribute, "approach": approach}
        given |= {"options": (switch,), "tool": "rifle"}
        return self.do(Propose, who, kind="attack", target=target, **(given | options))

    def answer(self, **options: Any) -> Play:
        given: dict[str, Any] = {"kind": "roll", "options": (MINE[3],) if self.check.opposed else ()}
        return self.do(Answer, GM, **(given | options))

    def defend(self, who: Actor = BEN, **options: Any) -> Play:
        skill, attribute, approach = THEIRS
        given: dict[str, Any] = {"skill": skill, "attribute": attribute, "approach": approach}
        return self.do(Defend, who, **(given | options))

    def due(self, index: int = 0) -> Play:
        """The clock reaches a wait of the newest challenge."""
        wait = waits_for(self.state, self.check)[index]
        assert wait.due is not None
        self.at = wait.due
        return self.do(Due, CLOCK, wait=wait.id)


def ready(**settings: Any) -> Play:
    """Anna's attack on Boris, answered and met."""
    return Play(table(**settings)).attack().answer().defend()


def hit(**settings: Any) -> Play:
    """Anna has hit Boris."""
    return ready(**settings).do(Roll, ANN, 9, 6, 2, 3).do(Settle, BEN)


# --- attacking NPCs ------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-ATTACK")
def test_an_attack_on_npcs_is_a_task_roll_against_the_gms_threshold() -> None:
    play = Play(table()).attack(target="Dog")
    assert not play.check.opposed
    assert play.pings() == ((), True)
    play.answer(difficulty="Tricky").do(Roll, ANN, 6, 3)
    view = play.view()
    assert (view.total, view.target and view.target.params["value"]) == (10, 10)
    play.do(Settle, ANN)
    assert play.check.status == "settled"
    assert play.notes() == ["ebb-note-damage"], "the damage effect applies to somebody without a sheet"


@pytest.mark.rule("EBB-ATTACK", "EBB-FAIL")
def test_who_misses_has_lost_the_chance() -> None:
    play = Play(table()).attack(target="Dog").answer(difficulty="Tricky").do(Roll, ANN, 5, 3)
    assert play.notes() == ["ebb-note-chance-lost", "ebb-note-price"], "a near miss, but not against time"
    play.do(Settle, ANN)
    assert play.check.status == "settled"


@pytest.mark.rule("EBB-ATTACK")
def test_in_live_play_and_by_a_gm_for_npcs_it_is_rolled_at_once() -> None:
    play = Play(table(live=True, window=0))
    play.do(Propose, ANN, 9, 6, kind="attack", target="Dog", skill="Rifles", difficulty="7", approach="so")
    assert play.check.status == "settled"
    play = Play(table(window=0))
    play.do(Propose, GM, 9, kind="attack", as_="Dog", target="Sidor", difficulty="7", approach="a bite")
    assert (play.check.status, play.check.choice) == ("hit", ""), "Sidor has a sheet, and Fitness"
    assert play.verbs(GM) == ["flesh-wound", "in-full"]
    assert play.verbs(ANN) == []
    play.do(TakeHit, GM, choice="flesh-wound")
    assert effective_attribute(play.sheet("Sidor"), "Fitness") == 0
    assert Play(table()).attack(GM, "Sidor", as_="Dog", skill=None).check.status == "proposed"


@pytest.mark.parametrize(("answer", "status"), [("free", "hit"), ("cannot", "settled")])
def test_what_the_gm_says_without_a_roll_counts(answer: str, status: str) -> None:
    play = Play(table()).attack().answer(kind=answer)
    assert play.check.status == status
    assert play.pings()[0] == (("p2", "p3") if status == "hit" else ("p2",))
    assert MINE[2] not in str(play.view()), "what was never rolled stays secret"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"target": None}, "which-target"),
        ({"target": "Anna"}, "target-is-self"),
        ({"target": "Lebed"}, "unknown-character"),
        ({"target": "Spy"}, "unknown-character"),
        ({"target": ""}, "unknown-character"),
        ({"tool": "x" * 101}, "too-long"),
        ({"difficulty": "Tricky"}, "no-difficulty-here"),
        ({"gm_only": True}, "gm-only"),
    ],
)
def test_an_attack_that_makes_no_sense_is_refused(fields: dict[str, Any], code: str) -> None:
    skill, attribute, approach, _ = MINE
    given: dict[str, Any] = {"target": "Boris", "skill": skill, "attribute": attribute, "approach": approach}
    assert Play(table()).refused(Propose, ANN, kind="attack", **(given | fields)) == code


# --- against each other -------------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-OPPOSED", "EBB-ATTACK")
def test_both_sides_choose_and_roll_together() -> None:
    play = Play(table()).attack()
    assert play.check.opposed
    assert play.verbs(BEN) == []
    play.answer()
    assert play.pings() == (("p3",), False)
    assert play.verbs(BEN) == ["defend"]
    assert play.refused(Roll, ANN) == "needs-defence"
    assert "roll" not in play.verbs(ANN)
    revision = play.check.revision
    play.defend()
    assert play.check.revision == revision + 1
    assert play.pings() == (("p2",), False)
    assert "roll" in play.verbs(ANN)
    play.defend(skill="Climbing", approach="up the wall").do(Roll, ANN, 9, 6, 2, 8)
    view = play.view()
    assert view.other is not None
    assert (view.total, view.other.total) == (9 + 6 + 1 - 3, 2 + 8 + 1), "a level counts 3 points"
    assert [die.name for die in view.dice] == ["main", "ability"]
    assert view.other.approach == "up the wall"
    assert view.verdict is not None and view.verdict.code == "ebb-success"


@pytest.mark.rule("EBB-OPPOSED")
@pytest.mark.parametrize(
    ("faces", "verdict", "notes"),
    [
        # 9 + 6 + 1 - 3 against 8 + 4 + 1: a tie is the acting side's.
        ((9, 6, 8, 4), "ebb-success", []),
        ((9, 5, 8, 4), "ebb-near-miss", ["ebb-note-chance-lost"]),
        ((2, 5, 8, 4), "ebb-failure", ["ebb-note-chance-lost"]),
        ((1, 6, 2, 4), "ebb-automatic-failure", ["ebb-note-chance-lost"]),
        ((2, 1, 1, 6), "ebb-success", []),
        ((2, 1, 1, 1), "ebb-success", ["ebb-note-complication-other"]),
        ((1, 6, 1, 4), "ebb-automatic-failure", ["ebb-note-chance-lost", "ebb-note-nobody"]),
        ((1, 1, 2, 4), "ebb-fumble", ["ebb-note-complication", "ebb-note-chance-lost"]),
    ],
)
def test_the_totals_decide(faces: tuple[int, ...], verdict: str, notes: list[str]) -> None:
    play = ready().do(Roll, ANN, *faces)
    view = play.view()
    assert view.verdict is not None and view.verdict.code == verdict
    assert [line.code for line in view.notes] == notes
    play.do(Settle, GM)
    assert (play.check.status == "hit") == (verdict == "ebb-success")


@pytest.mark.rule("EBB-OPPOSED")
def test_the_gm_gives_either_side_a_bonus_or_penalty() -> None:
    play = Play(table()).attack().answer(options=(), modifier=2, against=-4).defend(options=("drawback",))
    play.do(Roll, ANN, 5, 3, 9, 6)
    view = play.view()
    assert view.other is not None
    assert (view.total, view.other.total) == (5 + 3 + 1 + 2, 9 + 6 - 3 - 4), "a drawback: no attribute"
    assert [line.code for line in view.other.shifts] == [
        "ebb-shift-drawback",
        "ebb-levels-in-points",
        "ebb-shift-bonus",
    ]
    assert Play(table()).attack().refused(Answer, GM, kind="roll", against=21) == "out-of-range"
    assert Play(table()).attack().refused(Answer, GM, kind="margin-only") == "answer-does-not-fit"
    assert Play(table()).attack().answer(hidden=True).check.hidden is False


@pytest.mark.rule("EBB-OPPOSED", "EBB-ATTACK")
def test_an_attack_by_npcs_waits_for_the_defence_at_once() -> None:
    play = Play(table()).attack(GM, as_="Lebed", skill=None)
    assert (play.check.status, play.check.answer) == ("answered", "roll")
    assert play.pings() == (("p3",), False)
    assert play.view().character == "the hooded man"
    assert "Lebed" not in "".join(str(e) for e in play.events if e.audience != GMS)
    play.defend().do(Roll, GM, 9, 3, 4)
    assert play.view().total == 9 - 3


def test_in_live_play_an_attack_on_a_character_needs_no_answer() -> None:
    play = Play(table(live=True)).attack(modifier=2)
    assert play.check.status == "answered"
    play.defend().do(Roll, ANN, 5, 3, 4, 3)
    assert play.view().total == 5 + 3 + 1 - 3 + 2
    assert Play(table(live=True)).attack(visibility="private").check.status == "proposed"


def test_who_may_defend_and_with_what() -> None:
    play = Play(table()).attack()
    assert play.refused(Defend, BEN, approach="x") == "check-moved-on", "the GM has not answered yet"
    play.answer()
    assert play.refused(Defend, ANN, approach="x") == "owner-only"
    assert play.refused(Defend, EVE, approach="x") == "owner-only"
    assert play.refused(Defend, BEN) == "needs-approach"
    assert play.refused(Defend, BEN, approach="x", skill="Dancing") == "unknown-ability"
    assert play.refused(Defend, BEN, approach="x", options=("dilemma:2",)) == "gm-gives-that"
    assert play.refused(Defend, BEN, approach="x", options=("superior",)) == "gm-gives-that"
    play.do(Defend, GM).do(Roll, ANN, 9, 6, 4)
    other = play.view().other
    assert other is not None and other.total == 4, "the main die alone"
    assert play.refused(Defend, BEN, approach="x") == "check-moved-on"
    assert Play(table()).attack(target="Dog").answer(difficulty="7").refused(Defend, GM) == "not-opposed"


def test_a_new_answer_keeps_the_defence() -> None:
    play = ready().answer(modifier=1)
    assert play.check.defence is not None
    assert play.pings() == (("p2",), False)
    assert play.do(Withdraw, ANN).check.status == "withdrawn"


# --- what nobody knows before the roll ----------------------------------------------------------------------------


def _told(play: Play, who: Actor) -> str:
    return "\n".join(
        str(event) for event in play.events if event.audience.everyone or who.id in event.audience.people
    )


def test_neither_side_knows_what_the_other_has_chosen_before_the_roll() -> None:
    mine = (*MINE[:3], "ebb-shift-flaw", "canary 9137")
    play = Play(table())
    steps: list[Any] = [
        lambda: play.attack(),
        lambda: play.do(AskBack, GM, question="canary 9137?"),
        lambda: play.do(Revise, ANN, approach=MINE[2]),
        lambda: play.answer(note="canary 9137", modifier=2, options=("flaw",)),
        lambda: play.due(),
        lambda: play.defend(),
        lambda: play.defend(),
        lambda: play.answer(note="canary 9137", modifier=2),
        lambda: play.due(),
    ]
    for step in steps:
        step()
        for who in (None, BEN, EVE):
            shown = str(play.view(who)) + (_told(play, who) if who else "")
            assert not [text for text in mine if text in shown], shown
        for who in (None, ANN, EVE):
            shown = str(play.view(who)) + (_told(play, who) if who else "")
            assert not [text for text in THEIRS if text in shown], shown
        assert MINE[2] in str(play.view(ANN))
        assert play.check.tool in str(play.view()), "the weapon is seen by all"
    assert THEIRS[2] in str(play.view(BEN))
    assert MINE[2] in str(play.view(GM)) and THEIRS[2] in str(play.view(GM))
    play.do(Withdraw, ANN)
    assert not [text for text in (*mine, *THEIRS) if text in str(play.view(EVE)) + _told(play, EVE)]


def test_a_private_attack_is_known_to_both_sides_only() -> None:
    play = Play(table()).attack(visibility="private")
    assert {event.audience.people for event in play.events if not event.audience.gms} == {("p2",), ("p3",)}
    assert may_see(play.state, play.check, BEN)
    assert not may_see(play.state, play.check, EVE)
    play.answer().defend().do(Roll, ANN, 9, 6, 2, 3)
    assert all(not event.audience.everyone for event in play.events)
    assert play.view(BEN).total == 13


def test_blind_dice_are_for_the_gms() -> None:
    play = Play(table()).attack(visibility="blind").answer().defend().do(Roll, ANN, 9, 6, 2, 3)
    for who in (ANN, BEN):
        view = play.view(who)
        assert view.total is None and view.other is not None and view.other.total is None
        assert play.verbs(who) in ([], ["settle"])
    assert play.view(GM).total == 13


# --- after the roll -----------------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-FATE", "EBB-OPPOSED")
def test_both_sides_may_have_their_own_ability_die_again() -> None:
    play = ready().do(Roll, ANN, 9, 6, 8, 1)
    assert play.verbs(BEN) == ["settle", "reroll-other"], "who lost may let it stand"
    assert play.verbs(ANN) == ["reroll"]
    assert play.refused(Settle, ANN) == "other-side-may-react"
    assert play.refused(Spend, BEN, what="reroll") == "owner-only"
    assert play.refused(Spend, ANN, what="reroll-other") == "owner-only"
    play.do(Spend, BEN, 6, what="reroll-other")
    assert (play.sheet("Boris").fate, play.sheet("Anna").fate) == (2, 3), "who spends pays"
    view = play.view()
    assert view.verdict is not None and view.verdict.code == "ebb-near-miss"
    assert [event.side for event in play.events if isinstance(event, ChallengeChanged)] == ["other"]
    assert play.refused(Settle, BEN) == "other-side-may-react"
    assert play.refused(Settle, EVE) == "owner-only"
    play.do(Spend, ANN, 5, what="reroll")
    assert play.sheet("Anna").fate == 2
    assert play.do(Settle, ANN).check.status == "settled"


@pytest.mark.rule("EBB-LUCK", "EBB-ATTACK")
def test_a_sacrifice_hits_without_dice_and_without_a_defence() -> None:
    play = Play(table()).attack().answer().do(Spend, ANN, what="luck", choice="Alertness")
    assert (play.check.status, play.check.choice) == ("hit", "")
    assert effective_attribute(play.sheet("Anna"), "Alertness") == 0
    assert play.refused(Spend, BEN, what="luck-other", choice="Fitness") == "check-moved-on"
    play = ready().do(Spend, ANN, what="luck", choice="Alertness")
    assert THEIRS[2] not in str(play.view(ANN)), "a defence that was never thrown stays secret"
    assert ready().refused(Spend, BEN, what="luck-other") == "unknown-spend"


# --- hits ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-INJURY", "EBB-ATTACK")
def test_a_flesh_wound_costs_a_point_of_fitness() -> None:
    play = hit()
    assert play.check.status == "hit"
    assert play.verbs(BEN) == ["flesh-wound", "in-full"]
    assert play.verbs(ANN) == []
    assert play.refused(TakeHit, ANN, choice="flesh-wound") == "owner-only"
    assert play.refused(TakeHit, BEN, choice="nothing") == "unknown-hit-choice"
    play.do(TakeHit, BEN, choice="flesh-wound")
    assert (play.check.status, play.check.choice) == ("settled", "flesh-wound")
    assert effective_attribute(play.sheet("Boris"), "Fitness") == 0
    assert play.sheet("Boris").injuries == ()
    assert play.notes() == ["ebb-note-flesh-wound"]


@pytest.mark.rule("EBB-INJURY")
def test_taken_in_full_the_gm_says_what_it_is() -> None:
    play = hit()
    play.do(TakeHit, BEN, choice="in-full", text="a scratch")
    assert (play.check.status, play.check.choice) == ("hit", "in-full"), "the words are the GM's"
    assert play.pings() == ((), True)
    assert play.sheet("Boris").injuries == ()
    assert play.refused(TakeHit, BEN, choice="in-full") == "hit-waits-for-gm"
    assert play.refused(TakeHit, GM, choice="in-full") == "empty"
    assert play.refused(TakeHit, GM, choice="in-full", text="x" * 301) == "too-long"
    assert play.refused(TakeHit, GM, choice="in-full", text="x", severity="awful") == "unknown-severity"
    play.do(TakeHit, GM, choice="in-full", text=" Broken arm ", part="left arm", severity="sev")
    assert play.sheet("Boris").injuries == (Injury("Broken arm", "left arm", "severe"),)
    assert effective_attribute(play.sheet("Boris"), "Fitness") == 1
    assert play.notes() == ["ebb-note-in-full"]


@pytest.mark.rule("EBB-INJURY")
def test_without_fitness_there_is_nothing_to_choose() -> None:
    play = ready()
    tired = replace(
        play.state.characters["k2"], sheet=replace(play.sheet("Boris"), sacrificed=(("Fitness", 1),))
    )
    play.state = play.state.with_character(tired)
    play.do(Roll, ANN, 9, 6, 2, 3).do(Settle, BEN)
    assert (play.check.status, play.check.choice) == ("hit", "in-full")
    assert play.pings() == ((), True)
    assert play.refused(TakeHit, BEN, choice="flesh-wound") == "unknown-hit-choice"
    play.do(TakeHit, GM, choice="in-full", text="Broken arm")
    assert play.sheet("Boris").injuries == (Injury("Broken arm"),)


def test_a_gm_may_choose_for_the_owner() -> None:
    assert hit().do(TakeHit, GM, choice="flesh-wound").check.status == "settled"
    play = hit().do(TakeHit, GM, choice="in-full", text="A hole")
    assert play.sheet("Boris").injuries == (Injury("A hole"),)


def test_who_changes_their_mind_before_the_gm_speaks_may_still_soften_it() -> None:
    play = hit().do(TakeHit, BEN, choice="in-full").do(TakeHit, BEN, choice="flesh-wound")
    assert play.sheet("Boris").injuries == ()


@pytest.mark.rule("EBB-INJURY")
@pytest.mark.parametrize("default", ["soften", "suffer"])
def test_who_never_chooses_gets_what_the_table_agreed_on(default: str) -> None:
    play = hit(own={"hit_default": default}, remind_after=HOUR, hit_window=2 * DAY)
    reminder, end = waits_for(play.state, play.check)
    assert (reminder.due, end.due) == (NOON + HOUR, NOON + 2 * DAY)
    assert reminder.id != end.id
    assert play.refused(Due, CLOCK, wait=end.id) == "not-yet-due"
    play.due(0)
    assert play.pings() == (("p3",), False)
    play.due(1)
    assert play.check.status == "settled"
    softened = effective_attribute(play.sheet("Boris"), "Fitness") == 0
    assert softened == (default == "soften")
    assert play.sheet("Boris").injuries == (() if softened else (Injury("rifle"),))
    assert play.refused(Due, CLOCK, wait=end.id) == "wait-over"


def test_nobody_is_reminded_of_what_is_decided_at_the_same_moment() -> None:
    play = hit(remind_after=HOUR, hit_window=2 * DAY)
    play.at += 3 * DAY  # the clock was off meanwhile
    reminder, end = waits_for(play.state, play.check)
    assert play.refused(Due, CLOCK, wait=reminder.id) == "wait-over"
    play.do(Due, CLOCK, wait=end.id)
    assert play.check.status == "settled"


def test_who_has_chosen_the_full_hit_keeps_it_when_the_gm_says_nothing() -> None:
    play = hit(own={"hit_default": "soften"})
    play.at += DAY
    play.do(TakeHit, BEN, choice="in-full")
    reminder, end = waits_for(play.state, play.check)
    assert (reminder.by, end.due) == ("gm", NOON + 4 * DAY), "the GM has the whole time"
    play.due(1)
    assert play.sheet("Boris").injuries == (Injury("rifle"),)


def test_without_a_window_a_hit_waits_for_ever() -> None:
    play = hit(hit_window=0, remind_after=0)
    (wait,) = waits_for(play.state, play.check)
    assert (wait.due, wait.by) == (None, "target")


def test_a_hit_that_leaves_nothing_to_choose_any_more_is_for_the_gm_to_close() -> None:
    play = Play(table()).attack(target="Sidor").answer(kind="free")
    play.state = play.state.with_character(replace(play.state.characters["k3"], sheet=EbbSheet()))
    assert play.verbs(GM) == ["settle"]
    assert play.refused(Settle, ANN) == "gm-only"
    assert play.do(Settle, GM).check.status == "settled"


def test_waits_name_who_has_to_act() -> None:
    play = Play(table()).attack()
    found = [waits_for(play.state, play.check)[0].by]
    play.answer()
    found.append(waits_for(play.state, play.check)[0].by)
    play.due()
    assert play.pings() == (("p3",), False)
    play.defend()
    found.append(waits_for(play.state, play.check)[0].by)
    assert found == ["gm", "target", "owner"]


# --- recovery -----------------------------------------------------------------------------------------------------


def _hurt(**changes: Any) -> Play:
    play = Play(table(window=0))
    sheet = replace(
        play.sheet("Anna"),
        sacrificed=(("Fitness", 1), ("Zone", 2)),
        injuries=(Injury("Broken arm", "left arm"), Injury("Burnt hand"), Injury("Old scar", treated=True)),
    )
    play.state = play.state.with_character(
        replace(play.state.characters["k1"], sheet=replace(sheet, **changes))
    )
    return play


@pytest.mark.rule("EBB-HEAL")
def test_rest_restores_what_was_sacrificed_if_the_gm_says_it_is_long_enough() -> None:
    play = _hurt().do(Propose, ANN, kind="rest", approach="a week in the village")
    assert (play.check.status, play.pings()) == ("proposed", ((), True))
    assert play.refused(Answer, GM, kind="roll", difficulty="7") == "answer-does-not-fit"
    play.answer(kind="cannot")
    assert play.sheet("Anna").sacrificed == (("Fitness", 1), ("Zone", 2))
    play.do(Propose, ANN, kind="rest").answer(kind="free")
    assert play.sheet("Anna").sacrificed == ()
    assert len(play.sheet("Anna").injuries) == 3
    (event,) = play.events
    assert isinstance(event, ChallengeChanged)
    assert [line.code for line in event.lines] == ["ebb-rested"]


@pytest.mark.rule("EBB-HEAL")
@pytest.mark.parametrize("tool", ["", "rest", "session"])
def test_a_gm_lets_somebody_rest_at_once(tool: str) -> None:
    play = _hurt().do(Propose, GM, kind="rest", target="Anna", tool=tool)
    assert play.check.status == "settled"
    assert play.sheet("Anna").sacrificed == ()
    play.do(Propose, GM, kind="rest", target="Lebed")
    assert all(event.audience == GMS for event in play.events), "what is kept of NPCs is theirs"


def test_rest_is_never_rolled() -> None:
    play = Play(table(live=True)).do(Propose, ANN, kind="rest", difficulty="Easy", approach="a week")
    assert play.check.status == "proposed"
    assert Play(table()).do(Propose, GM, kind="rest", target="Dog", difficulty="7").check.rolled is None


def test_only_a_gm_ends_a_session_and_nobody_rests_for_others() -> None:
    assert _hurt().refused(Propose, ANN, kind="rest", tool="session") == "gm-only"
    assert _hurt().refused(Propose, ANN, kind="rest", target="Boris") == "unknown-character"
    assert _hurt().refused(Propose, ANN, kind="rest", tool="magic") == "unknown-heal-method"


@pytest.mark.rule("EBB-HEAL")
def test_a_treatment_that_works_treats_the_injury() -> None:
    play = _hurt().do(Propose, ANN, kind="treat", tool="broken", skill="First aid", approach="a splint")
    assert play.check.tool == "Broken arm"
    play.answer(difficulty="Tricky").do(Roll, ANN, 3, 2)
    assert not play.sheet("Anna").injuries[0].treated
    play.do(Propose, ANN, kind="treat", tool="broken", skill="First aid", approach="a splint")
    play.answer(difficulty="Easy").do(Roll, ANN, 9, 2)
    assert [injury.treated for injury in play.sheet("Anna").injuries] == [True, False, True]
    (event,) = play.events
    assert isinstance(event, ChallengeChanged)
    assert [line.code for line in event.lines] == ["ebb-treated"]
    # The only one that is left needs no name, and the GM's word is enough.
    play.do(Propose, ANN, kind="treat", approach="ointment").answer(kind="free")
    assert all(injury.treated for injury in play.sheet("Anna").injuries)
    assert play.refused(Propose, ANN, kind="treat", approach="more") == "nothing-to-treat"


def test_which_injury_is_meant_has_to_be_clear_to_those_who_may_know() -> None:
    assert _hurt().refused(Propose, ANN, kind="treat", approach="x") == "unknown-injury"
    assert (
        _hurt().refused(Propose, GM, kind="treat", as_="Dog", target="Anna", tool="leg") == "unknown-injury"
    )
    play = _hurt().do(Propose, BEN, kind="treat", target="Anna", tool="her leg", approach="a splint")
    assert play.check.tool == "her leg", "who may not read the sheet is told nothing of it"
    play.answer(kind="free")
    assert [injury.treated for injury in play.sheet("Anna").injuries] == [False, False, True]
    (event,) = play.events
    assert isinstance(event, ChallengeChanged)
    assert [line.code for line in event.lines] == ["ebb-not-treated"]


# --- what only the GMs roll ---------------------------------------------------------------------------------------


def test_a_secret_roll_is_made_at_once_for_anybody_and_never_told() -> None:
    play = Play(table())
    play.do(Propose, GM, 6, 3, skill="Listening", difficulty="Tricky", as_="Anna", gm_only=True)
    assert play.check.status == "settled"
    assert [event.audience for event in play.events] == [GMS]
    assert not may_see(play.state, play.check, ANN)
    assert play.verbs(ANN) == []
    assert play.refused(Settle, ANN) == "unknown-check"
    assert play.view(GM).verdict is not None
    play.do(Propose, GM, 6, as_="Boris", gm_only=True)
    assert (play.check.answer, play.view(GM).total) == ("margin-only", 6)
    assert play.refused(Propose, GM, kind="attack", target="Anna", as_="Boris", gm_only=True) == "wrong-type"
    assert play.refused(Propose, ANN, gm_only=True) == "gm-only"


def test_secret_dice_come_from_the_secret_seed() -> None:
    rng = KeyedStreams(b"p" * 32, b"s" * 32, "r1")
    Play(table()).do(Propose, GM, rng=rng, as_="Anna", gm_only=True)
    assert (rng.public.drawn, rng.secret.drawn > 0) == (0, True)
    rng = KeyedStreams(b"p" * 32, b"s" * 32, "r1")
    ready().do(Roll, ANN, rng=rng)
    assert rng.secret.drawn == 0
