"""The kinds of check: who chooses what when, what is told of it, what forms start from, and what is
kept.
"""

from __future__ import annotations

from typing import Any

import pytest

from bot.storage.codec import events_text, part_text, read_events
from rules.core.errors import Problems
from rules.core.rng import KeyedStreams
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, write_campaign
from rules.systems.barmore.check_forms import gm_form
from rules.systems.barmore.check_state import MODES
from rules.systems.barmore.odds import odds_for_check
from rules.systems.barmore.pool import DIE_TYPES, Pool
from rules.systems.barmore.pool_odds import success_odds
from rules.systems.barmore.procedure import PROCEDURES
from rules.systems.barmore.system import SYSTEM
from rules.systems.barmore.trait_trees import TREE_FORM
from rules.table.actions import (
    AddToEncounter,
    ChangeCampaign,
    ForgetPerson,
    JoinEncounter,
    NextTurn,
    RemoveNpc,
    StartEncounter,
)
from rules.table.blocks import Text, Verdict
from rules.table.checks import engine
from rules.table.checks.available_moves import check_moves
from rules.table.forms.fields import FormContext
from tests.rules.barmore.play import Play
from tests.rules.stored_checks import read_check
from tests.sample_table import ANN, BEN, GM, PLACE

EVERYBODY = (None, ANN, BEN, GM)


@pytest.mark.rule("BAR-OPPOSED", "BAR-TRAUMA")
def test_an_attack_is_chosen_in_secret_and_told_at_once() -> None:
    play = Play().begin(
        ANN, "attack", target="Ilka", skill="Rapier", attribute="Speed", weapon="Boathook"
    )
    assert "bar-trait" not in play.heard() and "bar-trait" in play.heard(ANN)
    play.answer(None, against=1)
    assert [prompt for prompt, left in play.asked.items() if left] == ["face"]
    play.hold("k1").face(BEN, skill="Knives", approach="steps aside")
    assert "steps aside" not in play.heard() and "steps aside" in play.heard(BEN)
    play.roll(8, 8, 8, 8, 8, 8, 8, 1, 1, 1, 1)
    first = play.blocks()[0]
    assert isinstance(first, Verdict) and first.text.code == "check-hit"
    assert "steps aside" in play.heard() and play.how() == ["wound"]
    assert not play.check.is_open and play.sheet("Ilka").wounds


@pytest.mark.rule("BAR-OPPOSED")
def test_a_gm_may_choose_for_whoever_is_attacked() -> None:
    play = Play().begin(ANN, "attack", target="Ilka", skill="Rapier").answer(None)
    play.hold("k1").choose(GM, "faced", "face", skill="Knives")
    assert play.check.data.entry("k2").by == "p1"
    # It may be changed until the roll.
    play.face(BEN, skill="Athletics")
    assert play.check.data.entry("k2").request.skill == "Athletics"


@pytest.mark.rule("BAR-DIE", "BAR-POOL")
def test_die_and_conversion_go_with_the_roll() -> None:
    play = (
        Play().begin(ANN, "check", skill="Boats", attribute="Speed", approach="rows").answer("12")
    )
    play.choose(ANN, "ready", "roll", 12, 12, 1, 1, 1, 1, die="d12-2", convert=2)
    throw = play.check.data.throws[0]
    assert (throw.pool.add, throw.pool.modifier, throw.die, throw.total) == (2, 4, "d12-2", 20)


@pytest.mark.rule("BAR-DIE")
def test_a_check_has_the_odds_of_its_pool_with_every_die() -> None:
    play = Play().begin(ANN, "check", skill="Boats", attribute="Speed").answer("14", halvings=1)
    rows = odds_for_check(play.game(ANN), play.check).table
    found = [odds.success for _, odds in rows if odds.outcomes]
    pool = Pool(3, 2)  # an Add Dice less for the hurry
    assert found[: len(DIE_TYPES)] == [success_odds(pool, die, 14) for die in DIE_TYPES.values()]
    for _, odds in rows:
        *_, failure, botched = [chance for _, chance in odds.outcomes]
        certain = odds.success + failure + (botched if odds.totals else 0)
        assert certain == 1, "a botch is told apart from other failures"


@pytest.mark.rule("BAR-TEAM")
def test_a_team_that_rolls_one_pool_has_odds_and_contests_have_none() -> None:
    play = Play().begin(ANN, "team", mode="simple addition", skill="Boats")
    play.choose(BEN, "join", "join", skill="Athletics").answer("12")
    rows = odds_for_check(play.game(ANN), play.check).table
    assert rows[0][1].success == success_odds(Pool(6), DIE_TYPES["d8"], 12)
    play.begin(ANN, "contest", target="Ilka", skill="Boats")
    assert play.refused(odds_for_check, play.game(ANN), play.check).code == "not-answered"
    play.answer(None)
    assert play.refused(odds_for_check, play.game(ANN), play.check).code == "odds-unmeasured"


@pytest.mark.rule("BAR-TEAM")
def test_a_helper_who_is_gone_is_left_out() -> None:
    play = Play().begin(ANN, "team", mode="simple addition", skill="Boats")
    play.choose(GM, "join", "join", as_="Sidor", skill="Brawling", approach="pulls")
    play.choose(BEN, "join", "join", skill="Athletics")
    play.do(RemoveNpc, GM, npc="Sidor")
    (chance,) = gm_form("team").part("chance").fields
    assert [value for value, _ in chance.choices_for(FormContext(play.game(), play.check, ""))] == [
        ("k1",),
        ("k2",),
    ]
    play.answer("12").roll(1, 2, 3, 4, 5, 6)
    assert [each.who for each in play.check.data.entries] == ["k1", "k2"]


@pytest.mark.rule("BAR-TEAM")
def test_a_helper_steps_back_and_nobody_speaks_for_another() -> None:
    play = Play().begin(ANN, "team", skill="Boats").choose(BEN, "join", "join", skill="Athletics")
    assert play.options(BEN)["join"] == ("join", "leave")
    assert play.refused(play.choose, ANN, "join", "leave", as_="Ilka").code == "owner-only"
    play.choose(BEN, "join", "leave")
    assert play.options(BEN)["join"] == ("join",)
    assert [each.who for each in play.check.data.entries] == ["k1"]


@pytest.mark.rule("BAR-TEAM")
def test_what_a_helper_typed_is_forgotten_with_them() -> None:
    play = Play().begin(ANN, "team", skill="Boats", approach="rows")
    play.choose(BEN, "join", "join", skill="Athletics", approach="steers").do(ForgetPerson, BEN)
    assert "steers" not in repr(play.state.checks) and play.check.approach == "rows"


def test_what_one_fills_in_is_tried_before_it_is_sent() -> None:
    play = Play().begin(ANN, "check", skill="Boats", attribute="Speed", approach="rows")
    game = play.game()
    found = engine.preview(
        game, play.check, "rule", "roll", "", {"difficulty": "12", "modifier": 2}
    )
    assert found is not None
    after, check = found
    assert "'what': 'granted'" in repr(PROCEDURES["check"].describe(after, check))
    with pytest.raises(Problems):
        engine.preview(game, play.check, "rule", "roll", "", {"against": 2})


def test_forms_can_be_read_by_anybody() -> None:
    """What is offered to nobody in particular, as for a schema."""
    for kind, each in PROCEDURES.items():
        form: Any = each.form
        assert form.schema()["type"] == "object"
        # Nobody treats a Wound without a skill by mistake.
        needed = ["skill"] if kind == "treat" else []
        assert [field.key for field in form.fields if field.needed] == needed


# --- all kinds, however far they have come --------------------------------------------------------


def _begun() -> list[Play]:
    """One of every kind, as proposed."""
    traits: dict[str, Any] = {"skill": "Blades", "attribute": "Speed", "approach": "with care"}
    more = ("die: d10-1", "support: Athletics", "doublings: 1")
    hurt = Play().adjust("Ilka", "new wound", "physical 4")
    return [
        Play().begin(ANN, "check", difficulty="12", modifier=1, with_=more, **traits),
        Play().begin(
            ANN, "attack", target="Ilka", weapon="Boathook", with_=("non-lethal",), **traits
        ),
        Play().begin(ANN, "attack", target="Sidor", **traits),
        Play().begin(ANN, "attack", target="Rat", **traits),
        *[
            Play().begin(ANN, "contest", target="Ilka", mode=mode, **traits)
            for mode in MODES["contest"]
        ],
        *[Play().begin(ANN, "team", mode=mode, **traits) for mode in MODES["team"]],
        hurt.begin(ANN, "treat", target="Ilka", injury="light", **traits),
        Play().begin(ANN, "rest", approach="by the fire"),
    ]


def _answered(play: Play) -> Play:
    check = play.check
    if check.kind == "rest":
        return play.choose(GM, "rule", "free")
    measured = not check.data.opposed or check.data.mode == "indirect"
    care = {"factor": "2"} if check.kind == "treat" else {}
    play.answer("12" if measured else None, note="mind the mud", modifier=-1, **care)
    if "face" in play.asked:
        play.hold("k1").face(GM if check.target == "k3" else BEN, skill="Athletics", die="d6+1")
    if "join" in play.asked:
        play.choose(BEN, "join", "join", skill="Athletics", approach="steers")
    return play


def _steps(play: Play) -> list[Play]:
    """A check as it is at every step."""
    found = [Play(play.state)]
    if play.check.kind != "rest":
        found.append(Play(play.choose(GM, "rule", "ask", question="Which rope?").state))
        reply = {**play.option(ANN, "reply", "reply").values, "approach": "with the new rope"}
        found.append(Play(play.choose(ANN, "reply", "reply", **reply).state))
    found.append(Play(_answered(play).state))
    return found


@pytest.mark.parametrize("number", range(len(_begun())))
def test_what_a_form_starts_from_is_read_as_it_stands(number: int) -> None:
    seen = 0
    for play in _steps(_begun()[number]):
        for who in (ANN, BEN, GM):
            game = play.game(who)
            for move in check_moves(game, play.check):
                for option in move.options:
                    form: Any = option.form
                    if form is not None and option.values and form.is_complete(option.values):
                        seen += 1
                        assert (
                            form.read_json(option.values, FormContext(game, play.check, move.who))
                            == option.values
                        )
    assert seen


@pytest.mark.parametrize("number", range(len(_begun())))
def test_checks_and_what_is_told_are_read_as_they_were_written(number: int) -> None:
    plays = _steps(_begun()[number])
    plays.append(_rolled(Play(plays[-1].state)))
    for play in plays:
        assert read_check(SYSTEM.procedures, part_text(play.check)) == play.check
        for who in EVERYBODY:
            told = play.view(who)
            assert read_events(events_text([told])) == (told,)
    assert not plays[-1].check.is_open


def _rolled(play: Play) -> Play:
    """With whatever falls."""
    if not play.check.is_open:
        return play
    return play.choose(ANN, "ready", "roll", rng=KeyedStreams(b"p" * 32, b"s" * 32, "1"))


@pytest.mark.parametrize("number", range(len(_begun())))
def test_who_may_see_nothing_of_a_private_check_is_told_nothing(number: int) -> None:
    kind = _begun()[number].check.kind
    if kind == "team":
        play = Play()
        refused = play.refused(play.begin, ANN, "team", skill="Boats", visibility="private")
        assert refused.code == "wrong-type"
        return
    target = None if kind in ("check", "rest") else "Ilka"
    play = (
        Play()
        .adjust("Ilka", "new wound", "physical 4")
        .begin(
            ANN,
            kind,
            target=target,
            visibility="private",
            **{"skill": "none"} if kind == "treat" else {},
        )
    )
    assert not any(event.audience.everyone for event in play.events)
    heard = {each for event in play.events for each in event.audience.people}
    assert heard == ({"p2", "p3"} if kind in ("attack", "contest") else {"p2"})


def test_what_a_gm_has_asked_is_forgotten_with_them() -> None:
    play = Play().begin(ANN, "check", skill="Boats", approach="x")
    play.choose(GM, "rule", "ask", question="By which way?").choose(ANN, "own", "withdraw")
    assert play.do(ForgetPerson, GM).check.data.question == ""


def test_a_check_that_is_over_can_be_told_of_when_the_trees_are_others() -> None:
    """Who leads a table may give it other trees as soon as nothing open needs the old ones."""
    play = Play().begin(
        ANN, "check", skill="Boats", attribute="Speed", approach="x", difficulty="10"
    )
    play.choose(ANN, "own", "withdraw")
    trees = write_campaign(DEFAULT_CAMPAIGN)
    trees["traits"] = {
        **TREE_FORM.all_values(DEFAULT_CAMPAIGN.traits),
        "abilities": [{"name": "Zeal", "parent": None}],
    }
    play.do(ChangeCampaign, GM, data=trees)
    named = [each.params["name"] for each in play.listed("check-with") if isinstance(each, Text)]
    assert named == ["Boats", "Speed"]


def test_time_that_a_roll_takes_counts_beside_somebody_who_has_left_the_game() -> None:
    play = Play().do(StartEncounter, GM).do(JoinEncounter, ANN).do(AddToEncounter, GM, name="Sidor")
    play.do(NextTurn, GM).do(RemoveNpc, GM, npc="Sidor")
    play.begin(ANN, "check", with_=["phases extra 1"], skill="Boats", approach="x")
    play.answer("10", with_=["phases extra 1"]).roll(8, 8, 8, 8, 1)
    assert [each.ends for each in play.state.encounters[PLACE].order if each.character == "k1"] == [
        2
    ]
