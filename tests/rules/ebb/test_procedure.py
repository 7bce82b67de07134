"""EBB's checks: what is asked of whom, orders, costs, drafts, previews, and what is kept."""

from __future__ import annotations

from typing import Any

import pytest

from bot.storage.codec import events_text, part_text
from rules.core.errors import Impossible, InvalidInput, NotPermitted, Problems
from rules.systems.ebb.procedure import PROPOSAL, RULING
from rules.systems.ebb.sheet import Injury, effective_attributes, health_line, injury_line
from rules.systems.ebb.system import SYSTEM
from rules.table.actions import Actor, AddNpcs, AskForNpc, ForgetPerson
from rules.table.blocks import GMS, Fact, Quote, Ref, Text, Verdict, blocks_for_audience
from rules.table.check import ANY_GM as THE_GMS
from rules.table.check import OVER, PASS, Cost, Order, Orders
from rules.table.checks import engine, prompt_times
from rules.table.checks.access import may_see_check
from rules.table.checks.audience_names import TableNames
from rules.table.checks.standing_orders import add_order, with_orders
from rules.table.events import CheckChanged
from rules.table.forms.fields import FormContext
from rules.table.journal.undo import stranded_parts
from rules.table.state import DAY, HOUR, TableState
from tests.rules.ebb.play import CLIMB, DUCK, SHOOT, Play, duel, held_duel, hit, ready, table
from tests.rules.stored_checks import read_check
from tests.sample_table import ANN, BEN, GM


@pytest.mark.rule("EBB-ROLL")
def test_a_check_from_the_idea_to_what_comes_of_it() -> None:
    play = Play().begin(ANN, "check", **CLIMB, difficulty="near", flaw=1)
    assert play.asked == {"rule": (THE_GMS,), "own": ()}
    assert "up the rope" in play.told()
    play.choose(GM, "rule", "roll", difficulty="Tricky", flaw=1, note="careful").choose(
        ANN, "ready", "roll", 9, 8
    )
    assert play.asked == {"react": ("k1",), "stand": ()}
    assert play.options(GM) == {"stand": ("stand",)}
    play.choose(ANN, "react", PASS)
    assert (play.check.stage, play.check.data.answer) == (OVER, "roll")
    verdicts = [
        each
        for event in play.events
        for each in getattr(event, "blocks", ())
        if isinstance(each, Verdict)
    ]
    assert verdicts[0].text == Text("ebb-verdict", {"how": "success"})
    assert verdicts[0].tone == "good"


@pytest.mark.rule("EBB-PROPOSAL")
def test_drafts_are_what_was_said_and_make_the_same_again() -> None:
    play = Play().begin(ANN, "check", **CLIMB, difficulty="Tricky", dilemma=2, modifier=-1)
    said = play.option(ANN, "own", "revise").values
    assert said == {**CLIMB, "difficulty": "Tricky", "dilemma": 2, "modifier": -1}
    asking = FormContext(play.game(ANN), play.check, "k1", said)
    assert PROPOSAL.read_json(said, asking) == said
    offered = play.option(GM, "rule", "roll").values
    assert offered == {"difficulty": "Tricky", "dilemma": 2, "modifier": -1}
    play.choose(
        GM,
        "rule",
        "roll",
        **offered,
        disallow=["attribute"],
        hidden=True,
        urgent=True,
        note="quick",
    )
    again = play.option(GM, "rule", "roll").values
    assert {"difficulty", "dilemma", "modifier", "disallow", "hidden", "urgent", "note"} == {*again}
    before = play.check.data.ruling
    play.choose(
        GM,
        "rule",
        "roll",
        **RULING.read_json(again, FormContext(play.game(), play.check, "", again)),
    )
    assert (play.check.data.ruling, play.check.hidden, play.check.note) == (before, True, "quick")
    play.choose(GM, "rule", "free")
    assert (play.check.stage, play.check.data.ruling, play.check.note) == (OVER, None, "")


def test_what_the_form_of_a_kind_has_not_is_refused() -> None:
    for kind, values in (
        ("check", {"weapon": "rifle"}),
        ("rest", {"skill": "Climbing"}),
        ("check", {"luck": "Fitness"}),
    ):
        with pytest.raises(Problems):
            Play().begin(ANN, kind, **values)
    with pytest.raises(InvalidInput, match="no-difficulty-here"):  # the other side's total decides
        Play().begin(ANN, "attack", target="Boris", **SHOOT, difficulty="Tricky")
    with pytest.raises(Problems):
        Play().begin(ANN, "check", **CLIMB).choose(
            GM, "rule", "roll", difficulty="Tricky", against=2
        )


def test_without_an_idea_nothing_is_rolled() -> None:
    play = (
        Play().begin(ANN, "check", skill="Climbing").choose(GM, "rule", "roll", difficulty="Tricky")
    )
    assert play.options(ANN)["ready"][0] == "write"
    with pytest.raises(Impossible, match="not-offered"):
        play.choose(ANN, "ready", "roll")
    play.choose(ANN, "ready", "write", skill="Climbing", approach="up the rope")
    assert (play.check.stage, play.check.approach, play.check.data.answer) == (
        "proposed",
        "up the rope",
        "",
    )
    play.choose(GM, "rule", "roll", difficulty="Tricky")
    assert "roll" in play.options(ANN)["ready"]


@pytest.mark.rule("EBB-FATE")
@pytest.mark.parametrize(
    ("dice", "hidden", "wins"),
    [((9, 8), False, True), ((1, 2), False, False), ((9, 8), True, False)],
)
def test_a_reroll_says_where_it_goes_well_already(
    dice: tuple[int, ...], hidden: bool, wins: bool
) -> None:
    asked = Play(step_in_time=60).begin(
        ANN, "check", skill="Climbing", attribute="Fitness", approach="up the rope"
    )
    answer: dict[str, Any] = {"difficulty": "7"} | ({"hidden": True} if hidden else {})
    play = asked.choose(GM, "rule", "roll", **answer)
    play.choose(ANN, "ready", "roll", *dice)
    assert play.option(ANN, "react", "reroll").label.params["wins"] == wins, (
        "a hidden number tells nothing"
    )


@pytest.mark.rule("EBB-FATE")
def test_a_reroll_costs_fate_and_leaves_the_window_as_it_is() -> None:
    play = ready().choose(ANN, "ready", "roll", 4, 2)
    due, fate = prompt_times.pending_waits(play.check)[0].due, play.sheet("Anna").fate
    assert play.option(ANN, "react", "reroll").cost == Cost("fate")
    play.at += HOUR
    play.choose(ANN, "react", "reroll", 8)
    assert play.sheet("Anna").fate == fate - 1
    assert prompt_times.pending_waits(play.check)[0].due == due
    said = [event.said for event in play.events if isinstance(event, CheckChanged)]
    assert said[0] is not None
    assert said[0].code == "ebb-spent"
    play.later(-1)
    assert play.check.stage == OVER


@pytest.mark.rule("EBB-LUCK")
def test_luck_costs_a_point_of_what_is_relevant_and_needs_no_roll() -> None:
    play = ready(luck="Alertness")
    assert play.options(ANN)["ready"] == ("roll", "luck:Alertness")
    assert play.option(ANN, "ready", "luck:Alertness").cost == Cost("Alertness")
    before = effective_attributes(play.sheet("Anna"))["Alertness"]
    play.choose(ANN, "ready", "luck:Alertness")
    assert effective_attributes(play.sheet("Anna"))["Alertness"] == before - 1
    assert play.check.stage == OVER
    assert "ebb-success-by-sacrifice" in play.told()
    assert ready(specialist=True, disallow=["ability"]).options(ANN)["ready"] == ("revise",)


@pytest.mark.rule("EBB-INJURY")
def test_a_flesh_wound_costs_fitness_and_what_it_was_is_kept() -> None:
    play = hit()
    assert play.asked == {"hit": ("k2",), "words": (), "also": ()}
    before = effective_attributes(play.sheet("Boris"))["Fitness"]
    assert play.option(BEN, "hit", "flesh-wound").cost == Cost("Fitness", who="k2")
    play.choose(BEN, "hit", "flesh-wound")
    told = {"left": before - 1, "came": True, "health": health_line(play.sheet("Boris"))}
    assert play.check.data.consequences == Text("ebb-flesh-wound", told)
    told = play.told()
    play.state = play.state.with_character(
        play.state.characters["k2"].replace(sheet=table().characters["k2"].sheet)
    )
    assert play.told() == told  # whatever has become of them since


@pytest.mark.rule("EBB-INJURY")
def test_in_full_is_written_at_once_and_can_be_softened_until_the_gm_rewords_it() -> None:
    play = hit().choose(BEN, "hit", "in-full")
    assert play.asked == {"words": (), "hit": ()}
    with pytest.raises(Impossible, match="not-offered"):
        play.choose(BEN, "hit", "in-full")
    saved = Play(play.state).choose(BEN, "hit", "flesh-wound")
    assert saved.check.data.choice == "flesh-wound"
    assert (saved.sheet("Boris").injuries, saved.options(GM), saved.options(BEN)) == ((), {}, {})
    play.choose(GM, "words", "in-full", text="a broken arm", part="arm", severity="ser")
    assert play.sheet("Boris").injuries == (Injury("a broken arm", "arm", "serious"),)
    injury = injury_line(Injury("a broken arm", "arm", "serious"), whole=False)
    told = {"injury": injury, "health": Text("badly-hurt"), "done": True}
    assert play.check.data.consequences == Text("ebb-set-injury", told)
    assert play.options(BEN) == {}, "the GM has spoken"


def test_nobody_who_has_won_cuts_the_time_of_who_has_lost_short() -> None:
    play = duel(9, 6, 2, 3)
    assert play.asked == {"react": ("k2",), "also": (), "stand": ()}
    with pytest.raises(Impossible, match="not-offered"):
        Play(play.state).choose(ANN, "also", PASS)
    play.choose(BEN, "react", "reroll", 6)
    assert play.asked["react"] == ("k2",)
    assert Play(play.state).choose(GM, "stand", "stand").check.stage == "struck"


@pytest.mark.rule("EBB-FATE")
def test_who_has_lost_by_a_reroll_has_the_whole_time_for_one() -> None:
    play = duel(4, 4, 4, 2)
    before = play.check
    play.at += DAY - 10
    play.choose(BEN, "react", "reroll", 6)
    assert play.asked == {"react": ("k1",), "also": (), "stand": ()}
    assert [each.due - play.at for each in prompt_times.pending_waits(play.check)] == [
        DAY // 2,
        DAY,
    ]
    assert all(
        each.number > asked.number
        for each, asked in zip(play.check.asked, before.asked, strict=True)
    )
    # As has whoever would have won, and has thrown worse.
    play.at += DAY - 10
    play.choose(BEN, "also", "reroll", 1)
    assert play.asked["react"] == ("k2",)
    assert prompt_times.pending_waits(play.check)[-1].due - play.at == DAY


# --- orders ---------------------------------------------------------------------------------------


def test_npcs_pass_unless_the_gms_want_to_be_asked() -> None:
    def attack(state: TableState) -> Play:
        return Play(state).begin(GM, "check", 4, 2, as_="Sidor", **CLIMB, difficulty="Tricky")

    assert attack(table()).check.stage == OVER
    assert attack(with_orders(table(), "k3", Orders(ask=True))).asked == {"react": ("k3",)}


def test_a_standing_order_lets_every_result_stand() -> None:
    play = ready()
    play.state = add_order(play.game(ANN), "k1", Order("react"))
    assert play.choose(ANN, "ready", "roll", 4, 2).check.stage == OVER


# --- who may know ---------------------------------------------------------------------------------


def test_what_both_sides_choose_is_their_own_until_the_dice_fall() -> None:
    play = held_duel()
    for secret in (SHOOT["approach"], "Rifles"):
        assert secret not in play.told()
        assert secret in play.told(ANN)
        assert secret not in play.told(BEN)
    for secret in (DUCK["approach"], "Running"):
        assert secret not in play.told()
        assert secret not in play.told(ANN)
        assert secret in play.told(BEN)
    assert all(secret in play.told(GM) for secret in ("Rifles", "Running"))
    play.choose(ANN, "ready", "roll", 9, 6, 2, 3)
    assert all(
        secret in play.told()
        for secret in ("Rifles", "Running", SHOOT["approach"], DUCK["approach"])
    )


@pytest.mark.parametrize("reveal", ["verdict", "degree"])
def test_a_hidden_difficulty_is_told_to_nobody_but_the_gms(reveal: Any) -> None:
    play = Play(reveal=reveal).begin(ANN, "check", **CLIMB)
    play.choose(GM, "rule", "roll", difficulty="9137", hidden=True, modifier=3)
    for _ in range(3):
        assert "9137" in play.told(GM)
        assert "9137" not in play.told() + play.told(ANN)
        assert "9137" not in str([e for e in play.events if not e.audience.gms])
        if play.check.stage == "ready":
            play.choose(ANN, "ready", "roll", 4, 2)
        elif play.check.is_open:
            play.choose(ANN, "react", PASS)
    assert ("'missed'" in play.told()) == (reveal == "verdict")


def test_a_blind_hit_is_told_to_whoever_was_hit_and_to_nobody_else() -> None:
    play = (
        Play()
        .begin(ANN, "attack", target="Boris", visibility="blind", **SHOOT)
        .choose(GM, "rule", "roll")
    )
    play.choose(BEN, "face", "face", 9, 6, 2, 3, **DUCK)
    assert play.check.stage == "struck"
    assert "ebb-struck" not in play.told(ANN)
    assert play.view(ANN).over
    assert "ebb-struck" in play.told(BEN)
    assert play.options(ANN) == {}
    assert play.options(BEN) == {"hit": ("flesh-wound", "in-full")}


def test_a_private_treatment_is_not_told_to_whoever_is_treated() -> None:
    play = Play().begin(
        BEN, "treat", target="Anna", injury="a cut", visibility="private", approach="a bandage"
    )
    game = play.game()
    assert [may_see_check(game, play.check, who) for who in (GM, BEN, ANN)] == [True, True, False]


@pytest.mark.rule("EBB-HEAL")
def test_rest_is_never_rolled_and_gms_let_anybody_rest() -> None:
    play = ready().choose(ANN, "ready", "luck:Fitness").begin(ANN, "rest", approach="a week")
    assert play.options(GM)["rule"] == ("free", "impossible", "ask")
    play.choose(GM, "rule", "free")
    told = {"values": ("Fitness +1",), "was": Text("badly-hurt"), "health": Text("hurt")}
    assert play.check.data.consequences == Text("ebb-rested", {**told, "well": False})
    assert "ebb-rested" in play.told()
    assert Play().begin(GM, "rest", as_="Anna", method="session").check.stage == OVER
    with pytest.raises(NotPermitted, match="gm-only"):
        Play().begin(ANN, "rest", method="session")


# --- what is kept ---------------------------------------------------------------------------------


def test_a_preview_shows_the_answer_and_never_dice() -> None:
    play = Play().begin(ANN, "check", **CLIMB)
    found = engine.preview(play.game(), play.check, "rule", "roll", "", {"difficulty": "Tricky"})
    assert found is not None
    game, check = found
    blocks = blocks_for_audience(
        SYSTEM.procedures["check"].describe(game, check), GMS, TableNames(game.state)
    )
    assert (
        Fact(Text("check-difficulty"), Text("ebb-against", {"name": "Tricky", "value": 10}), None)
        in blocks
    )
    rolled = ready().choose(ANN, "ready", "roll", 4, 2)
    assert engine.preview(rolled.game(ANN), rolled.check, "react", "reroll", "k1", {}) is None


def test_checks_are_read_as_they_were_written() -> None:
    plays = [
        held_duel(),
        hit(),
        hit().choose(BEN, "hit", "flesh-wound"),
        ready().choose(ANN, "ready", "roll", 4, 2),
    ]
    plays.append(Play().begin(GM, "rest", as_="Anna"))
    plays.append(
        hit().choose(BEN, "hit", "in-full").choose(GM, "words", "in-full", text="a broken arm")
    )
    for play in plays:
        assert read_check(SYSTEM.procedures, part_text(play.check)) == play.check


def test_who_is_forgotten_leaves_no_words() -> None:
    play = held_duel()
    assert SYSTEM.procedures["attack"].forget(play.check, "p3", ("k2",)).defense.approach == ""
    assert SYSTEM.procedures["attack"].forget(play.check, "p2", ("k1",)).tool == ""
    assert SYSTEM.procedures["attack"].forget(play.check, "p9", ()) == play.check.data


def test_what_gms_write_is_quoted_by_whoever_wrote_it() -> None:
    play = Play().begin(ANN, "check", **CLIMB).choose(GM, "rule", "ask", question="How?")
    blocks = SYSTEM.procedures["check"].describe(play.game(), play.check)
    assert blocks[-1] == Quote("How?", "p1", None, label=Text("check-question"))
    play.choose(ANN, "reply", "reply", **{**CLIMB, "approach": "so"}).choose(
        GM, "rule", "roll", difficulty="Easy", note="careful"
    )
    blocks = SYSTEM.procedures["check"].describe(play.game(), play.check)
    assert blocks[-1] == Quote("careful", "p1", None, label=Text("check-note"))
    assert Ref("k1") not in blocks


def test_reminders_come_until_somebody_has_answered() -> None:
    play = Play(answer_time=DAY).begin(ANN, "check", **CLIMB).later()
    event = play.events[0]
    assert isinstance(event, CheckChanged)
    assert (event.step, event.ping_gms) == ("reminded", True)


def _sidor(**changes: Any) -> Play:
    """Sidor has 3 Fate points, and the GM is asked for him."""
    state = table()
    sidor = state.characters["k3"]
    sidor = sidor.replace(sheet=sidor.sheet.replace(fate=3), **changes)
    return Play(state.with_character(sidor)).do(AskForNpc, GM, npc="Sidor")


def test_how_much_fate_is_left_to_an_npc_players_do_not_hear() -> None:
    play = _sidor().begin(GM, "check", 5, 3, as_="Sidor", difficulty="13", **CLIMB)
    play.choose(GM, "react", "reroll", 4)
    assert Text("ebb-spent", {"die": "d8", "face": 4, "left": None}) in play.notes()
    assert '"left":2' not in events_text(play.events) and play.sheet("Sidor").fate == 2


def test_what_is_left_of_an_npcs_attribute_players_do_not_hear() -> None:
    play = _sidor(stage="aliased", alias="the stranger").begin(GM, "check", as_="Sidor", **CLIMB)
    play.choose(GM, "rule", "roll", difficulty="13").choose(GM, "ready", "luck:Fitness")
    assert Text("ebb-spent", {"attribute": "Fitness", "left": None}) in play.notes()


def test_the_note_of_somebody_who_leads_by_a_role_is_forgotten_with_them() -> None:
    role = Actor("p7", ("9",))
    play = Play(gm_roles=("9",)).begin(ANN, "check", **CLIMB)
    play.choose(role, "rule", "impossible", note="Too steep for you.")
    assert play.do(ForgetPerson, role).check.note == ""


def test_what_was_ordered_for_a_newcomer_does_not_outlive_them_in_an_undo() -> None:
    play = Play().do(AddNpcs, GM, name="Wolf").do(AskForNpc, GM, npc="Wolf")
    (key,) = [key for key in play.state.own if key.startswith("orders:")]
    assert stranded_parts(play.game(), [{f"character:{key.partition(':')[2]}": None}]) == {key}
