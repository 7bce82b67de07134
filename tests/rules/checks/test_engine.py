"""The course of a check: who is asked, what becomes of an answer, and what goes on by itself."""

from __future__ import annotations

from typing import Any

import pytest

from bot.storage.codec import PART_VERSION, part_text, read_part
from rules.core.dice.no_dice import NO_DICE, DiceNeeded
from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted, Outdated
from rules.table.check import (
    ANY_GM,
    NEXT,
    OVER,
    PASS,
    Away,
    Check,
    Choice,
    Delegation,
    Order,
    Orders,
    Prompt,
)
from rules.table.checks import engine, prompt_times
from rules.table.checks.access import (
    binding_checks,
    can_go_on,
    cast_of,
    is_open_to,
    may_see_check,
    require_checks,
)
from rules.table.checks.audience_views import check_view
from rules.table.checks.available_moves import available_moves
from rules.table.checks.check_actions import drop_from_checks
from rules.table.checks.check_run import CheckStep
from rules.table.checks.engine import preview
from rules.table.checks.procedure import Procedure, Stage, StageResult
from rules.table.checks.prompt_times import pending_waits, with_new_times
from rules.table.checks.round_checks import require_round_over
from rules.table.checks.standing_orders import add_order
from rules.table.events import EVERYONE
from rules.table.state import DAY, HOUR, Encounter, from_parts
from rules.table.system import Game, System
from tests.rules.checks.toy_procedures import (
    CLOCK,
    DUEL,
    GM,
    OWNERS,
    PLACE,
    TOYS,
    Blast,
    Choosing,
    Duel,
    Idea,
    Play,
    Sheet,
    Thrown,
    add_orders,
    calls,
    owner,
    table,
)
from tests.rules.stored_checks import read_check

FIVE = ["a", "b", "c", "d", "e"]


def window(*dice: int, settings: dict[str, Any] | None = None, **sheets: Sheet) -> Play:
    return Play(table(settings, **sheets), dice).begin("window", aware=FIVE)


# --- procedures are checked at start --------------------------------------------------------------


class Named(Stage[Any]):
    def __init__(self, name: str, then: str | None = None) -> None:
        self.name, self.then = name, then


@pytest.mark.parametrize(
    "stages",
    [
        (),
        (Named("a"), Named("a")),
        (Named(""),),
        (Named(OVER),),
        (Named(NEXT),),
        (Named("a", "nowhere"), Named("b")),
    ],
)
def test_a_procedure_that_cannot_be_played_is_refused_at_start(
    stages: tuple[Stage[Any], ...],
) -> None:
    with pytest.raises(ValueError, match="kind"):
        Procedure("kind", (*stages,), data=Idea)


def test_its_data_has_to_be_a_record_made_of_nothing() -> None:
    with pytest.raises(ValueError, match="record"):
        Procedure("kind", (Named("a"),), data=dict)
    with pytest.raises(ValueError, match="nothing"):
        Procedure("kind", (Named("a"),), data=Prompt)


def test_stages_follow_in_their_order_or_where_they_say() -> None:
    found = Procedure("kind", (Named("a"), Named("b", "a"), Named("c")), data=Idea)
    assert found.first == "a"
    assert found.following == {"a": "b", "b": "a", "c": OVER}


# --- a proposal -----------------------------------------------------------------------------------


def test_a_proposal_is_answered_and_rolled() -> None:
    play = Play(table(), [7]).begin("proposal", how="by rope")
    assert play.check.data == Idea("by rope")
    assert (play.check.by, play.check.actor, play.check.place) == ("p2", "a", PLACE)
    assert play.asked == {"rule": (ANY_GM,), "own": ()}
    play.do("rule", "roll", level=12, hidden=True)
    assert play.check.stage == "ready"
    made = play.do("ready", "roll", "a")
    assert play.check.stage == OVER
    assert not play.check.is_open
    assert play.check.data.faces == (7,)
    assert [each.step for each in made.took] == ["chosen", "moved", "over"]
    assert made.took[0] == CheckStep("chosen", "ready", "a", "ready", "self", made.took[0].said)
    assert made.took[0].said is not None
    assert made.took[0].said.code == "rolled"


def test_of_the_envelope_a_stage_changes_only_its_words() -> None:
    play = Play(table({"reveal": "degree"})).begin("proposal")
    assert play.check.reveal == "verdict"
    play.do("rule", "roll", level=12, hidden=True)
    check = play.check
    assert (check.hidden, check.reveal, check.note, check.actor) == (True, "degree", "fixed", "a")
    assert check.id == "c1"


def test_a_prompt_keeps_its_number_while_others_act_and_gets_a_new_one_when_reopened() -> None:
    play = Play(table()).begin("proposal")
    first = play.number("rule")
    play.do("rule", "ask", question="how?")
    assert play.asked == {"reply": ("a",), "rule": (), "own": ()}
    assert play.number("rule") == first  # nobody is waited for any more, but it is the same prompt
    assert play.check.revision == 2
    # The GM's second word fits the panel opened first.
    play.do("rule", "ask", question="and where?")
    play.at += 50
    play.do("own", "revise", "a", how="rope")  # what the GMs are asked about has changed
    assert play.asked == {"rule": (ANY_GM,), "own": ()}
    assert play.number("rule") == play.check.revision == 4
    with pytest.raises(Outdated) as found:
        play.do("rule", "roll", number=first, level=1)
    assert found.value.code == "check-moved-on"


def test_a_prompt_that_is_asked_again_after_it_was_closed_is_a_new_one() -> None:
    play = Play(table()).begin("proposal")
    play.do("rule", "ask", question="how?")
    reply = play.number("reply")
    play.do("reply", "reply", "a", how="x")
    play.do("rule", "ask", question="how?")
    assert play.number("reply") > reply


def test_withdrawing_jumps_to_the_end() -> None:
    play = Play(table()).begin("proposal")
    made = play.do("own", "withdraw", "a")
    assert not play.check.is_open
    assert play.check.asked == ()
    assert [each.step for each in made.took] == ["chosen", "over"]
    with pytest.raises(Outdated):
        play.do("own", "withdraw", "a", number=1)


def test_only_what_is_asked_of_one_may_be_answered() -> None:
    play = Play(table()).begin("proposal")
    with pytest.raises(NotPermitted, match="gm-only"):
        play.do("rule", "roll", by=owner("a"), level=3)
    with pytest.raises(NotPermitted, match="owner-only"):
        play.do("own", "withdraw", "a", by=owner("b"))
    with pytest.raises(NotPermitted, match="not-asked"):
        play.do("own", "withdraw", "b")
    with pytest.raises(Impossible, match="not-offered"):
        play.do("rule", "reply")
    with pytest.raises(Impossible, match="not-offered"):
        play.do("rule", PASS)  # where silence is no answer, nothing to add is none
    with pytest.raises(NotFound, match="unknown-check"):
        engine.choose(play.game(), "c9", "rule", 1, "roll")


def test_only_what_the_form_reads_is_chosen() -> None:
    play = Play(table()).begin("proposal")
    with pytest.raises(InvalidInput, match="unknown-field"):
        play.do("rule", "roll", level=3, size=4)
    with pytest.raises(InvalidInput, match="wrong-type"):
        play.do("rule", "roll", level="x")
    with pytest.raises(InvalidInput, match="unknown-field"):
        play.do("own", "withdraw", "a", why="x")  # without a form nothing may be filled in
    assert play.check.revision == 1


def test_costs_are_checked_and_paid() -> None:
    play = Play(table(a=Sheet(points=3)), [4]).begin("proposal")
    play.do("rule", "roll", level=1)
    play.do("ready", "luck", "a")
    assert play.game().sheet("a").points == 1
    poor = Play(table(a=Sheet(points=1))).begin("proposal")
    poor.do("rule", "roll", level=1)
    with pytest.raises(Impossible) as found:
        poor.do("ready", "luck", "a")
    assert found.value.params == {"what": "points", "have": 1, "need": 2}


def test_a_kind_that_these_rules_have_not_is_refused() -> None:
    with pytest.raises(Impossible, match="not-in-these-rules"):
        Play(table()).begin("dance")
    with pytest.raises(InvalidInput, match="unknown-field"):
        Play(table()).begin("team", how="x")  # no form, nothing to fill in


# --- windows --------------------------------------------------------------------------------------


def test_everybody_aware_passes_and_it_goes_on() -> None:
    play = window(5)
    for who in FIVE[:-1]:
        play.do("react", PASS, who)
        assert play.check.stage == "pending"
    play.do("react", PASS, "e")
    assert play.check.stage == "naming"
    play.do("level", "level", level=4)
    assert not play.check.is_open


def test_a_pass_is_void_when_what_others_may_do_has_changed() -> None:
    play = window(5, a=Sheet(points=1), b=Sheet(points=1))
    first = play.number("react")
    play.do("react", PASS, "b")
    with pytest.raises(Impossible, match="already-answered"):
        play.do("react", PASS, "b")
    play.at += 10
    play.do("react", "more", "a")
    assert play.asked["react"] == tuple(FIVE)
    assert play.number("react") > first
    asked = play.check.asked[0]
    assert (asked.since, asked.due) == (1010, 1010 + DAY)
    play.do("react", "cancel", "b")  # a choice is no pass
    assert play.asked["react"] == tuple(FIVE)
    assert play.check.data.owed == 0


def test_panels_of_one_window_stay_good_while_others_act() -> None:
    play = window(5)
    number = play.number("react")
    for who in FIVE:
        play.do("react", PASS, who, number=number)
    assert play.check.stage == "naming"


def test_a_jump_back_enters_its_target_and_opens_anew() -> None:
    play = window(5, 9, a=Sheet(points=1))
    first = play.number("react")
    play.do("react", "more", "a")
    second = play.number("react")
    for who in FIVE:
        play.do("react", PASS, who)
    assert play.check.stage == "pending"
    assert play.check.data.faces == (5, 9)  # what it has thrown already it does not throw again
    assert play.asked["react"] == tuple(FIVE)
    assert first < second < play.number("react")
    assert [each.stage for each in play.last.took if each.step == "moved"] == ["again", "pending"]


def test_all_of_mine_pass_at_once() -> None:
    state = table()
    for who in ("b", "c"):
        state = state.with_character(state.characters[who].replace(owner="p2"))
    play = Play(state, [5]).begin("window", aware=["a", "b", "c", "d"])
    play.do("react", PASS, "a", "b", "c")
    assert play.asked["react"] == ("d",)
    with pytest.raises(NotPermitted):
        play.do("react", PASS, "d", "a", by=owner("a"))


# --- time -----------------------------------------------------------------------------------------


def test_the_clock_passes_for_whoever_has_not_answered() -> None:
    play = window(5)
    play.do("react", PASS, "c")
    reminder, wait = pending_waits(play.check)
    assert (reminder.due, reminder.default) == (1000 + DAY // 2, None)
    assert wait.asked.waiting_for == ("a", "b", "d", "e")
    assert (wait.due, wait.default) == (1000 + DAY, PASS)
    with pytest.raises(Outdated, match="not-yet-due"):
        engine.lapse(play.game(CLOCK), wait.id)
    with pytest.raises(NotPermitted, match="system-only"):
        engine.lapse(play.game(GM), wait.id)
    made = play.later(DAY)
    assert made is not None
    assert play.check.stage == "naming"
    assert [(each.who, each.how) for each in made.took if each.step == "passed"] == [
        (who, "clock") for who in "abde"
    ]
    with pytest.raises(Outdated, match="wait-over"):
        engine.lapse(play.game(CLOCK), wait.id)


def test_the_clock_answers_with_the_default_and_dice_fall() -> None:
    play = Play(table(a=Sheet(points=1)), [2, 3]).begin("duel", sides=["a", "b"])
    play.do("side", "high", "a", plus=1)
    play.later(DAY)
    assert play.check.data.chosen == (("a", "high", "self"), ("b", "low", "clock"))
    assert play.check.data.faces == (2, 3)


def test_without_a_default_the_clock_reminds_and_nothing_changes() -> None:
    play = Play(table()).begin("proposal")
    before = play.check
    waits = pending_waits(play.check)
    assert {(each.asked.prompt.key, each.default) for each in waits} == {("rule", None)}
    assert [each.due for each in waits] == [1000 + DAY, 1000 + 2 * DAY, 1000 + 4 * DAY]
    made = play.later(DAY)
    assert made is not None
    assert made.took == (CheckStep("reminded", "ruling", prompt="rule"),)
    assert play.check is before
    assert play.check.asked[0].due is None  # it ends by itself at no time


def test_a_wait_without_a_default_stalls_with_its_last_reminder() -> None:
    play = Play(table()).begin("proposal")
    steps: list[str] = []
    for _ in range(10):
        made = play.later(DAY)
        steps += [] if made is None else [each.step for each in made.took]
        play.last = made or play.last
        if made is not None:
            play.reminded |= {each.id for each in pending_waits(play.check) if each.due <= play.at}
    assert steps[:1] == ["reminded"]
    assert play.check.asked[0].is_stalled(play.at)
    assert len(play.reminded) == 3, "with the call four messages, and never another"


def test_a_clock_that_jumps_sends_the_last_reminder_alone() -> None:
    play = Play(table()).begin("proposal")
    first, second, last = pending_waits(play.check)
    play.at += 50 * DAY
    for each in (first, second):
        with pytest.raises(Outdated, match="wait-over"):
            engine.lapse(play.game(CLOCK), each.id)
    made = play.keep(engine.lapse(play.game(CLOCK), last.id))
    assert [each.step for each in made.took] == ["stalled"]


def test_a_gm_answers_for_a_player_once_the_wait_has_stalled() -> None:
    play = Play(table(), [5]).begin("proposal")
    play.do("rule", "roll", level=3)
    with pytest.raises(NotPermitted, match="owner-only"):
        play.do("ready", "roll", "a", by=GM)
    assert not any(each.who == "a" for each in available_moves(play.game(GM)))
    play.at += 4 * DAY
    (move,) = [each for each in available_moves(play.game(GM)) if each.who == "a"]
    assert move.stalled
    with pytest.raises(NotPermitted, match="owner-only"):
        play.do("ready", "roll", "a", by=owner("b"))
    play.do("ready", "roll", "a", by=GM)
    assert play.check.data.faces == (5,)


def test_what_takes_something_is_reminded_of_at_half_time_and_three_hours_before() -> None:
    play = Play(table({})).begin("team")
    play.do("start", "start", "a", struck="b")
    half, late, last = pending_waits(play.check)
    assert (half.default, half.due - play.at) == (None, DAY // 2)
    assert (late.default, late.due - play.at) == (None, DAY - 3 * HOUR)
    assert (last.default, last.due - play.at) == ("suffer", DAY)
    play.at = last.due
    for each in (half, late):
        with pytest.raises(Outdated, match="wait-over"):
            # What happens by itself has come due as well.
            engine.lapse(play.game(CLOCK), each.id)
    play.keep(engine.lapse(play.game(CLOCK), last.id))
    assert play.check.data.chosen == "suffer"


def test_without_time_to_step_in_nobody_is_waited_for_whose_choice_it_is_not() -> None:
    play = window(5, settings={"step_in_time": 0})
    assert play.check.stage == "naming"


def test_times_are_fixed_when_a_prompt_is_opened() -> None:
    play = window(5)
    play.state = play.state.replace(settings=play.state.settings.replace(step_in_time=60))
    play.do("react", PASS, "a")
    assert play.check.asked[0].due == 1000 + DAY


def test_shorter_times_leave_a_prompt_no_longer_than_it_had() -> None:
    play = window(5)
    (asked,) = play.check.asked
    assert (asked.reminders, asked.due) == ((1000 + DAY // 2,), 1000 + DAY)
    for left, expected in ((2 * HOUR, HOUR), (600, 600)):
        at = 1000 + DAY - left
        shorter = play.state.settings.replace(step_in_time=DAY // 2, answer_time=DAY // 2)
        (now,) = with_new_times(shorter, play.check, at).asked
        assert now.due == at + expected
        assert now.reminders == asked.reminders


# --- secrets --------------------------------------------------------------------------------------


def test_secret_choices_at_the_same_time_end_in_dice_without_anybody_pressing_roll() -> None:
    play = Play(table(a=Sheet(points=1)), [2, 3]).begin("duel", sides=["a", "b"])
    revision, seen = play.check.revision, calls(play.game(), play.check)
    made = play.do("side", "high", "a", plus=7)
    assert made.took[0].secret
    assert play.check.revision == revision  # nothing that others can see changes with it
    assert calls(play.game(), play.check) == seen
    assert play.asked["side"] == ("b",)
    with pytest.raises(Impossible, match="already-answered"):
        play.do("side", "low", "a")
    play.do("side", "low", "b")
    assert play.check.data.faces == (2, 3)
    assert play.check.revision > revision


def test_that_all_have_answered_in_secret_is_not_seen_before_the_stage_is_over() -> None:
    play = Play(add_orders(table(), orc=Orders(ask=True)), [2, 3]).begin("duel", sides=["a", "orc"])
    shown = calls(play.game(), play.check)
    assert [(each.prompt, len(each.who), each.people, each.gms) for each in shown] == [
        ("side", 1, ("p2",), True),
        ("judge", 0, (), False),
    ]
    play.do("side", "low", "a")
    assert calls(play.game(), play.check) == shown


class Two(Stage[Any]):
    """Two prompts: a secret one for the sides and an open one for the GMs, who are waited for as
    well.
    """

    name = "two"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        left = () if check.data.question else ("a",)
        found = [Prompt("side", left, secret=True)] if left else []
        return (*found, Prompt("gm", wait="answer"), Prompt("more", wait=None))

    def options(self, game: Game, check: Check[Any], prompt: str, who: str, /) -> tuple[Any, ...]:
        return TOYS.procedures["team"].stages["struck"].options(game, check, prompt, who)

    def choose(self, game: Game, check: Check[Any], choice: Any, /) -> StageResult[Any]:
        if choice.prompt == "side":
            return StageResult(game.state, check.data.replace(question="x"))
        return StageResult(game.state, check.data.replace(how=check.data.how + "!"))


def test_a_secret_prompt_that_is_answered_looks_open_while_others_are_waited_for() -> None:
    course = Procedure("two", (Two(),), data=Idea)
    system = System("toys", "Toys", procedures={"two": course})
    game = Game(table(), system, NO_DICE, 1000, owner("a"))
    made = engine.begin(game, "two", PLACE, {}, actor="a")
    shown = calls(made.game, made.check)
    number = made.check.asked[0].number
    made = engine.choose(made.game, "c1", "side", number, "suffer", ("a",))
    assert calls(made.game, made.check) == shown
    # And after what all can see, which gives nothing but its own prompt another number.
    made = engine.choose(made.game.replace(actor=GM), "c1", "more", number, "suffer")
    side, more = (
        calls(made.game, made.check)[:-1],
        calls(made.game, made.check)[-1],
    )
    assert (side, more.replace(number=number)) == (shown[:-1], shown[-1])
    with pytest.raises(Outdated):  # a second press
        engine.choose(made.game, "c1", "more", number, "suffer")
    assert made.check.revision == 2
    assert not any(each.who == "a" for each in available_moves(made.game.replace(actor=owner("a"))))
    with pytest.raises(Impossible, match="already-answered"):
        engine.choose(made.game.replace(actor=owner("a")), "c1", "side", number, "suffer", ("a",))


def test_to_those_who_may_not_know_of_a_prompt_the_check_has_gone_on() -> None:
    play = Play(table()).begin("team")
    play.do("start", "start", "a", struck="b")
    game = play.game()
    assert [each.people for each in calls(game, play.check, owner("b"))] == [("p3",)]
    assert [each.people for each in calls(game, play.check, GM)] == [("p3",)]
    assert calls(game, play.check, owner("c")) == calls(game, play.check) == ()
    assert is_open_to(game, play.check, owner("b"))
    assert not is_open_to(game, play.check, owner("c"))
    assert not check_view(game, play.check, EVERYONE).react
    with pytest.raises(Outdated):
        play.do("hit", "suffer", "b", by=owner("c"))


@pytest.mark.parametrize("hand", [Sheet(), Sheet(points=5, cards=("card",))])
def test_what_somebody_secretly_cannot_do_changes_nothing_that_is_asked(hand: Sheet) -> None:
    rich = Sheet(points=5, cards=("card",))
    play, other = window(5, b=hand), window(5, b=rich)
    for each in (play, other):
        each.do("react", PASS, "a")
    assert play.check == other.check
    assert pending_waits(play.check) == pending_waits(other.check)
    for actor in (owner("a"), owner("c"), None):
        assert calls(play.game(), play.check, actor) == calls(other.game(), other.check, actor)
    assert available_moves(play.game(owner("c"))) == available_moves(other.game(owner("c")))
    play.later(DAY)
    other.later(DAY)
    assert play.check == other.check


def test_an_npc_nobody_knows_of_is_named_nowhere() -> None:
    state = add_orders(table(), imp=Orders(ask=True), orc=Orders(ask=True))
    play = Play(state, [5]).begin("window", aware=["a", "orc", "imp"])
    first = calls(play.game(), play.check)[0]
    assert (first.people, first.gms) == (("p2",), True)


def test_private_checks_are_seen_by_those_who_take_part() -> None:
    play = Play(table()).begin("duel", sides=["a", "b"], visibility="private")
    game = play.game()
    assert [may_see_check(game, play.check, owner(who)) for who in "abc"] == [True, True, False]
    assert may_see_check(game, play.check, GM)
    with pytest.raises(NotFound):
        play.do("side", "low", "c")
    alone = Play(table()).begin("duel", sides=["a"], gm_only=True)
    assert not may_see_check(alone.game(), alone.check, owner("a"))
    assert available_moves(alone.game(owner("a"))) == ()


def test_hidden_dice_come_from_the_secret_stream() -> None:
    class Apart:
        public, secret, shuffle, sealed = "public", "secret", None, None

    streams: Any = Apart()
    game: Any = Play(table(), streams).game()
    check = Play(table()).begin("proposal").check
    assert game.rng_for(check) == "public"
    assert game.rng_for(check.replace(visibility="private")) == "secret"
    assert game.rng_for(check.replace(gm_only=True)) == "secret"
    assert game.rng_for(check.replace(hidden=True)) == "public"
    assert game.rng_for(check.replace(hidden=True, reveal="degree")) == "secret"


# --- orders, delegation, absence ------------------------------------------------------------------


def test_a_standing_order_answers_at_once_and_is_marked() -> None:
    state = add_orders(table(c=Sheet(cards=("card",))), c=Orders((Order("react", "card"),)))
    play = Play(state, [5]).begin("window", aware=["a", "b", "c"])
    assert play.check.data.how == ("c:card:order",)
    assert play.game().sheet("c").cards == ()
    # the card opened the window anew; the order, asked again, is no option any more, and so passes
    assert play.asked["react"] == ("a", "b")
    assert [(each.step, each.how) for each in play.last.took[2:]] == [
        ("chosen", "order"),
        ("passed", "order"),
    ]


def test_an_order_answers_always() -> None:
    never = Orders((Order("react", PASS),))
    play = Play(add_orders(table(), d=never, e=Orders((Order("react", "card"),))), [5]).begin(
        "window", aware=FIVE
    )
    assert play.asked["react"] == ("a", "b", "c")
    ask_me = add_orders(table(), e=Orders((Order("react", "card", otherwise=None),)))
    assert Play(ask_me, [5]).begin("window", aware=FIVE).asked["react"] == tuple(FIVE)
    other = Orders((Order("side", "high", {"plus": 1}, otherwise="low"),))
    duel = Play(add_orders(table(), a=other), [2, 3]).begin("duel", sides=["a", "b"])
    assert duel.check.data.chosen == (("a", "low", "order"),)  # no point to pay with


@pytest.mark.parametrize("keep", [("points", "x"), ("gold", 1), ("points", None)])
def test_an_order_of_which_nothing_can_be_made_blocks_nobody(keep: Any) -> None:
    """Whoever gave it is asked, as if it were not there."""
    order = Order("side", "high", {"plus": 1}, keep=keep, otherwise=None)
    play = Play(add_orders(table(), a=Orders((order,))), [2, 3]).begin("duel", sides=["a", "b"])
    assert play.asked["side"] == ("a", "b")


@pytest.mark.parametrize(("points", "chosen"), [(3, "high"), (2, "low")])
def test_an_order_keeps_back_what_it_should(points: int, chosen: str) -> None:
    order = Order("side", "high", {"plus": 1}, keep=("points", 2), otherwise="low")
    state = add_orders(table(a=Sheet(points=points)), a=Orders((order,)))
    play = Play(state, [2, 3]).begin("duel", sides=["a", "b"])
    assert play.check.data.chosen == (("a", chosen, "order"),)
    assert play.game().sheet("a").points == 2


def test_a_fault_behind_an_order_is_no_refusal() -> None:
    """What follows from the order breaks: nothing is stored, and whoever keeps the bot
    hears of it.
    """

    class Broken(Stage[Any]):
        name = "both"

        def enter(self, game: Game, check: Check[Any], /) -> StageResult[Any] | None:
            raise KeyError("broken")

    class Jumps(Choosing):
        def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Any]:
            return super().choose(game, check, choice).replace(to="both")

    broken = Procedure("duel", (Jumps(), Broken()), data=Duel, form=DUEL.form, begin=DUEL.begin)
    system = TOYS.replace(procedures={**TOYS.procedures, "duel": broken})
    state = add_orders(table(), a=Orders((Order("side", "low"),)))
    with pytest.raises(KeyError, match="broken"):
        engine.begin(
            Game(state, system, NO_DICE, 0, owner("a")), "duel", PLACE, {"sides": ["a", "b"]}
        )


@pytest.mark.parametrize(("points", "asked"), [(2, ()), (1, ("a",))])
def test_a_pass_by_order_holds_only_while_enough_is_left(
    points: int, asked: tuple[str, ...]
) -> None:
    """Whoever has less than that is asked, also where everybody else passes at once."""
    order = Order("react", PASS, keep=("points", 2), otherwise=None)
    state = add_orders(table(a=Sheet(points=points)), a=Orders((order,)))
    play = Play(state, [5]).begin("window", aware=["a", "orc"])
    assert play.asked.get("react", ()) == asked


def test_an_order_answers_once_an_opening() -> None:
    play = Play(add_orders(table(), a=Orders((Order("say", "yes"),)))).begin("echo")
    assert play.asked == {"say": ("a",)}
    play.keep(engine.refresh_check(play.game(), play.check))
    assert play.last.took == ()
    play.do("say", "yes", "a")
    assert [each.how for each in play.last.took] == ["self"]
    play.do("say", "anew", "a")  # opened anew, it is asked anew
    assert [each.how for each in play.last.took] == ["self", "order"]


def test_an_order_holds_for_the_kind_it_names_and_only_where_the_stage_takes_it() -> None:
    state = add_orders(table(), a=Orders((Order("react", PASS, kind="duel"),)))
    assert Play(state, [5]).begin("window", aware=["a"]).asked == {"react": ("a",)}
    state = add_orders(table(a=Sheet(points=1)), a=Orders((Order("react", "more"),)))
    play = Play(state, [5]).begin("window", aware=["a"])
    assert play.asked == {"react": ("a",)}
    assert play.check.data.owed == 0


def test_an_order_is_checked_when_it_is_given() -> None:
    game = Play(table()).game(owner("a"))
    state = add_order(game, "a", Order("react", "card"))
    assert state.own["orders:a"].given == (Order("react", "card"),)
    game = game.with_state(state)
    assert add_order(game, "a", Order("react", PASS)).own["orders:a"].given == (
        Order("react", PASS),
    )
    with pytest.raises(InvalidInput) as found:
        add_order(game, "a", Order("react", "more"))
    assert found.value.params["allowed"] == ("cancel", "card", PASS)
    with pytest.raises(InvalidInput, match="not-orderable"):
        add_order(game, "a", Order("side", "low", otherwise="card"))
    with pytest.raises(InvalidInput, match="unknown-resource"):
        add_order(game, "a", Order("react", PASS, keep=("gold", 1)))


def test_npcs_pass_by_order_unless_the_gm_says_otherwise() -> None:
    play = Play(table(), [5]).begin("window", aware=["a", "orc"])
    assert play.asked["react"] == ("a",)
    assert [(each.who, each.how) for each in play.last.took if each.step == "passed"] == [
        ("orc", "order")
    ]
    asks = Play(add_orders(table(), orc=Orders(ask=True)), [5]).begin("window", aware=["a", "orc"])
    assert asks.asked["react"] == ("a", "orc")
    asks.do("react", PASS, "orc", by=GM)
    card = Play(
        add_orders(table(orc=Sheet(cards=("card",))), orc=Orders((Order("react", "card"),))), [5]
    ).begin("window", aware=["a", "orc"])
    assert card.check.data.how == ("orc:card:order",)


def test_an_npc_does_not_pass_where_silence_is_no_answer() -> None:
    play = Play(table()).begin("team")
    play.do("start", "start", "a", struck="orc")
    assert play.asked == {"hit": ("orc",)}
    play.do("hit", "suffer", "orc", by=GM)
    assert not play.check.is_open


def test_who_may_answer_for_a_character() -> None:
    delegated = add_orders(table(), b=Orders(delegated=(Delegation("p4", until=5000),)))
    play = Play(delegated, [5]).begin("window", aware=FIVE)
    assert play.moves(owner("c")) == {("react", "b"): (PASS,), ("react", "c"): (PASS,)}
    play.do("react", PASS, "b", by=owner("c"))
    late = Play(delegated, [5], at=5000).begin("window", aware=FIVE)
    with pytest.raises(NotPermitted, match="owner-only"):
        late.do("react", PASS, "b", by=owner("c"))
    with pytest.raises(NotPermitted, match="owner-only"):
        late.do("react", PASS, "b", by=GM)


def test_who_is_away_passes_and_the_gms_may_answer() -> None:
    away = add_orders(table(), p3=Orders(away=Away(0, 9000)))
    play = Play(away, [5]).begin("window", aware=["a", "b"])
    assert play.asked["react"] == ("a",)
    team = Play(away).begin("team")
    team.do("start", "start", "a", struck="b")
    assert team.asked == {"hit": ("b",)}  # silence is no answer here
    team.do("hit", "suffer", "b", by=GM)
    back = Play(away, [5], at=9000).begin("window", aware=["a", "b"])
    assert back.asked["react"] == ("a", "b")


# --- circles --------------------------------------------------------------------------------------


def test_a_circle_is_a_fault_that_names_procedure_and_stage() -> None:
    with pytest.raises(RuntimeError, match="circle runs in a circle at round"):
        Play(table()).begin("circle")


def test_a_prompt_that_nobody_can_answer_is_a_fault() -> None:
    class Wrong(Stage[Any]):
        name = "wrong"

        def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
            return (Prompt("x", None),)

    system = System("toys", "Toys", procedures={"w": Procedure("w", (Wrong(),), data=Idea)})
    with pytest.raises(RuntimeError, match="w asks x in wrong"):
        engine.begin(Game(table(), system, NO_DICE, 0, GM), "w", PLACE, {})


# --- several people at once -----------------------------------------------------------------------


def test_a_blast_on_five_lets_everybody_change_their_own_throw() -> None:
    play = Play(table(a=Sheet(points=1), b=Sheet(points=1)), [1, 1, 5, 1, 6, 1]).begin(
        "blast", "c", targets=["a", "b", "d", "orc", "imp"]
    )
    assert play.asked == {"section": (ANY_GM,)}
    play.do("section", "random")
    assert play.check.data.section == 1
    assert play.asked == {"stay": ("a", "b", "d")}  # the NPCs have passed
    assert play.moves(owner("a")) == {("stay", "a"): ("flip", PASS)}
    assert play.moves(owner("d")) == {("stay", "d"): (PASS,)}
    play.do("stay", "flip", "b")
    assert play.asked == {"stay": ("a", "d")}
    play.do("stay", PASS, "a")
    play.do("stay", PASS, "d")
    assert play.check.data.taken == (
        ("a", 10, 7),
        ("b", 10, 10),
        ("d", 10, 7),
        ("orc", 10, 10),
        ("imp", 10, 7),
    )
    assert play.game().sheet("a").hits == 7
    assert cast_of(play.game(), play.check) == ("c", "a", "b", "d", "orc", "imp")


def test_the_clock_answers_a_gms_prompt_that_has_a_default() -> None:
    play = Play(table(), [2, 1]).begin("blast", "c", targets=["a"])
    play.later(DAY)
    assert play.check.data.section == 2
    assert play.check.stage == "stay"


# --- offers ---------------------------------------------------------------------------------------


def test_nobody_is_waited_for_in_an_offer() -> None:
    play = Play(table()).begin("team")
    assert play.asked == {"join": (), "start": ("a",)}
    assert {each.asked.prompt.key for each in pending_waits(play.check)} == {"start"}
    assert play.moves(owner("b")) == {("join", "b"): ("join",)}
    assert play.moves(GM) == {("join", "orc"): ("join",), ("join", "imp"): ("join",)}
    play.do("join", "join", "b")
    play.do("join", "join", "orc", by=GM)
    assert play.check.data.members == ("b", "orc")
    assert play.moves(owner("b")) == {("join", "b"): ("leave",)}
    assert play.moves(owner("a")) == {("start", "a"): ("start",)}
    assert [each.button for each in calls(play.game(), play.check)] == ["join", None]
    with pytest.raises(Impossible, match="not-offered"):
        play.do("join", PASS, "c")


# --- leaving, ending, rounds ----------------------------------------------------------------------


def test_who_is_only_asked_counts_as_passed_and_it_may_go_on() -> None:
    play = window(5)
    for who in "abcd":
        play.do("react", PASS, who)
    play.keep(engine.drop_characters(play.game(), play.check, ("e",)))
    assert play.check.stage == "naming"
    last = Play(table(a=Sheet(points=1)), [5, 6]).begin("window", aware=["a", "b"])
    last.do("react", "more", "a")
    last.do("react", PASS, "a")
    number = last.number("react")
    last.keep(engine.drop_characters(last.game(), last.check, ("b",)))
    assert last.check.data.faces == (5, 6)  # dice included
    assert last.number("react") > number


def test_who_has_retired_is_not_waited_for() -> None:
    play = window(5)
    state = play.state
    play.state = state.with_character(state.characters["e"].replace(retired=True))
    for who in "abcd":
        play.do("react", PASS, who)
    assert play.check.stage == "naming"


def test_who_acts_or_is_named_holds_a_check() -> None:
    play = Play(table()).begin("duel", "c", sides=["a", "b"], target="d")
    game = play.game()
    assert [who for who in OWNERS if binding_checks(game, who)] == ["a", "b", "c", "d"]
    assert binding_checks(game, "a") == (play.check,)


def test_gms_can_always_end_an_open_check() -> None:
    play = window(5)
    with pytest.raises(NotPermitted, match="gm-only"):
        engine.end(play.game(owner("a")), play.check)
    made = play.keep(engine.end(play.game(), play.check))
    assert [each.step for each in made.took] == ["ended"]
    assert not play.check.is_open
    with pytest.raises(Outdated):
        engine.end(play.game(), play.check)


def test_a_round_does_not_end_over_its_open_checks() -> None:
    state = table().replace(encounters={PLACE: Encounter(PLACE, round=2)})
    play = Play(state, [5]).begin("window", aware=["a"])
    assert play.check.round == 2
    require_round_over(play.game(), PLACE, 1)
    with pytest.raises(Impossible) as found:
        require_round_over(play.game(), PLACE, 2)
    assert found.value.params == {"checks": ("c1",), "gm": True}
    play.keep(engine.close(play.game(), play.check))  # by its defaults; what has none ends
    assert play.last.took[0].how == "clock"
    assert play.last.took[-1].step == "ended"
    require_round_over(play.game(), PLACE, 2)


def test_what_seems_over_is_not_named_as_what_keeps_a_round_open() -> None:
    play = Play(table().replace(encounters={PLACE: Encounter(PLACE, round=2)})).begin("team")
    play.do("start", "start", "a", struck="b")
    for who, named in ((owner("b"), ("c1",)), (GM, ("c1",)), (owner("c"), ()), (owner("a"), ())):
        with pytest.raises(Impossible) as found:
            require_round_over(play.game(who), PLACE, 2)
        assert found.value.params == {"checks": named, "gm": who == GM}


def test_an_action_broken_off_ends_its_check_while_no_dice_have_fallen() -> None:
    play = Play(table()).begin("proposal")
    assert not engine.break_off(play.game(), play.check).check.is_open
    thrown = window(5)
    assert engine.break_off(thrown.game(), thrown.check).check is thrown.check


def test_old_checks_make_room() -> None:
    play = Play(table())
    for _ in range(2 * engine.KEPT_CHECKS + 1):
        play.begin("proposal").do("own", "withdraw", "a")
    assert len(play.state.checks) == engine.KEPT_CHECKS + 1
    assert play.id == f"c{2 * engine.KEPT_CHECKS + 1}"
    full = Play(table())
    for _ in range(engine.MAX_OWN_CHECKS):
        full.begin("proposal")
    with pytest.raises(Impossible, match="too-many-own-checks"):
        full.begin("proposal")
    assert len(full.begin("proposal", "b").state.checks) == engine.MAX_OWN_CHECKS + 1


# --- looking ahead --------------------------------------------------------------------------------


def test_a_preview_shows_what_a_choice_changes_and_nothing_where_dice_would_fall() -> None:
    play = Play(table(b=Sheet(cards=("card",))), [5]).begin("window", aware=FIVE)
    found = preview(play.game(), play.check, "react", "card", "b", {})
    assert found is not None
    game, check = found
    assert TOYS.procedures["window"].describe(game, check) == (8,)
    assert game.sheet("b").cards == ()
    assert play.game().sheet("b").cards == ("card",)
    blast = Play(table()).begin("blast", "c", targets=["a"])
    assert preview(blast.game(), blast.check, "section", "random", ANY_GM, {}) is None
    shown = preview(blast.game(), blast.check, "section", "section", ANY_GM, {"section": 2})
    assert shown is not None
    assert shown[1].data == Blast(("a",), section=2)
    with pytest.raises(InvalidInput):
        preview(blast.game(), blast.check, "section", "section", ANY_GM, {"x": 2})


def test_who_only_looks_throws_nothing() -> None:
    game = Game(table(), TOYS, NO_DICE, 0, GM)
    with pytest.raises(DiceNeeded):
        Thrown().enter(game, Play(table()).begin("proposal").check)
    with pytest.raises(DiceNeeded):
        _ = game.rng.sealed


# --- undo -----------------------------------------------------------------------------------------


def test_what_undo_brings_back_has_new_numbers_and_the_time_left() -> None:
    play = window(5, b=Sheet(cards=("card",)))
    play.do("react", PASS, "a")
    before = play.check
    play.at = 1000 + 100  # a hundred seconds of the window are gone when the card is played
    play.do("react", "card", "b")
    after = play.check
    back = prompt_times.reopen_check(before, after, at=90_000_000, was_at=1100)
    asked = back.asked[0]
    assert asked.number == back.revision == after.revision + 1
    assert asked.due == 90_000_000 + DAY - 100
    assert asked.passed == ("a",)
    assert (back.stage, back.data) == (before.stage, before.data)
    late = prompt_times.reopen_check(before, after, at=90_000_000, was_at=1000 + 5 * DAY)
    assert late.asked[0].due == 90_000_000 + DAY  # or the clock would do at once what was undone
    gone = prompt_times.reopen_check(before, None, at=2000, was_at=1000)
    assert gone.revision == before.revision + 1


def test_that_a_secret_choice_is_undone_nobody_sees() -> None:
    play = Play(table(), [2, 3]).begin("duel", sides=["a", "b"])
    before = play.check
    play.do("side", "low", "a")
    assert play.check != before
    back = prompt_times.reopen_check(before, play.check, at=90_000_000, was_at=1000)
    assert back == before


def test_no_order_answers_before_somebody_acts_on_what_undo_brings_back() -> None:
    play = Play(table(), [5]).begin("window", aware=["a", "b", "c"])
    play.state = add_orders(play.state, b=Orders((Order("react", PASS),)))
    back = prompt_times.reopen_check(play.check, None, play.at, play.at)
    assert [each.waiting_for for each in back.asked] == [("a", "b", "c")]
    play.state = play.state.with_check(back)
    play.do("react", PASS, "a")
    assert play.asked["react"] == ("c",)  # now it did


def test_a_check_stands_as_long_as_everybody_is_there_with_what_it_names() -> None:
    def needs(game: Game, check: Check[Any]) -> None:
        if not game.sheet(check.actor).points:
            raise Impossible("gone", who=check.actor)

    course = Procedure("idea", (Named("a"), Asks()), data=Idea, require=needs)
    system = System("toys", "Toys", procedures={"idea": course})
    game = Game(table(a=Sheet(points=1)), system, NO_DICE, 0, owner("a"))
    with pytest.raises(Impossible):
        engine.begin(game, "idea", PLACE, {}, actor="b")
    made = engine.begin(game, "idea", PLACE, {}, actor="a")
    assert can_go_on(made.game, made.check)
    require_checks(made.game, "a")
    poor = made.game.with_sheet("a", Sheet())
    assert not can_go_on(poor, made.check)
    with pytest.raises(Impossible):
        require_checks(poor, "a")
    require_checks(poor, "b")
    gone = made.game.with_state(made.state.replace(characters={}))
    assert not can_go_on(gone, made.check)
    assert can_go_on(gone, engine.end(made.game.replace(actor=GM), made.check).check)


class Asks(Stage[Any]):
    name = "asks"

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        return (Prompt("x"),)


def test_standing_orders_and_checks_are_parts_of_the_table() -> None:
    play = window(5)
    play.state = add_orders(play.state, a=Orders((Order("react", "card", keep=("points", 1)),)))
    parts = dict(play.state.parts())
    assert parts["check:c1"] is play.check
    assert from_parts(parts) == play.state
    assert play.state.has_part("check:c1")
    assert read_check({"window": TOYS.procedures["window"]}, part_text(play.check)) == play.check
    before = play.state
    play.do("react", PASS, "b")
    assert play.state.changes_since(before) == {"check:c1": play.check}
    for key, part in parts.items():
        if key.startswith("orders:"):
            assert read_part("ebb", 1, key, PART_VERSION, part_text(part)) == part


def test_of_several_who_leave_at_once_the_order_does_not_count() -> None:
    ask = {"orc": Orders(ask=True), "imp": Orders(ask=True)}
    play = Play(add_orders(table(), **ask), [5]).begin("window", aware=["a", "orc", "imp"])
    found = [
        drop_from_checks(play.game(), gone)[0].state for gone in (("orc", "imp"), ("imp", "orc"))
    ]
    assert found[0] == found[1]
    assert [each.waiting_for for each in found[0].checks[play.id].asked] == [("a",)]
