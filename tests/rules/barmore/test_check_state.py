"""Checks at the table: traits along the trees, pools with their causes, contests, teams, and
whoever never rolls.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN
from rules.systems.barmore.check_forms import disallow_options, resistance_options
from rules.table.blocks import Text, Verdict
from rules.table.forms.fields import FormContext
from rules.table.state import TableState
from tests.rules.barmore.play import Play
from tests.sample_table import ANN, BEN, GM


def _pool(play: Play) -> dict[str, Any]:
    """Add, Bonus and Penalty Dice as everybody sees them."""
    pool = play.line("bar-pool")
    assert pool is not None
    return dict(pool.params)


def _parts(play: Play) -> list[tuple[Any, ...]]:
    return [
        tuple([text.params[each] for each in ("what", "name", "add", "modifier")])
        for text in play.notes()
        if text.code == "bar-part"
    ]


def _refusable(play: Play) -> list[str]:
    return [each.value for each in disallow_options(FormContext(play.game(), play.check))]


@pytest.mark.rule("BAR-TRAIT")
def test_an_ancestor_stands_in_by_itself() -> None:
    play = Play().begin(ANN, "check", skill="Swimming", attribute="Reaction Time")
    ability, attribute = play.listed("check-with")
    assert (ability.params["name"], ability.params["used"], ability.params["via"]) == (
        "Swimming",
        "Athletics",
        "ancestor",
    )
    assert attribute.params["score"] == 1
    assert _refusable(play) == []


@pytest.mark.rule("BAR-TRAIT")
def test_a_descendant_stands_in_until_the_gm_refuses_it() -> None:
    play = Play().begin(ANN, "check", skill="Blades", attribute="Speed")
    assert _pool(play) == {"add": 5, "modifier": 2}
    assert _refusable(play) == ["ability"]
    play.answer("10", disallow=["ability"])
    assert _pool(play) == {"add": 1, "modifier": 2}
    assert play.line("bar-shift") == Text(
        "bar-shift", {"what": "instead", "name": "Blades", "used": None}
    )
    play.answer("10")
    assert _pool(play) == {"add": 5, "modifier": 2}


@pytest.mark.rule("BAR-TRAIT")
def test_of_several_descendants_one_is_named() -> None:
    play = Play().begin(ANN, "check", skill="Close Combat")
    line = play.line("bar-shift")
    assert line is not None and line.params["what"] == "instead"
    assert _pool(play)["add"] == 1
    play.choose(ANN, "own", "revise", skill="Close Combat", use=["Rapier"])
    assert _pool(play)["add"] == 5


@pytest.mark.rule("BAR-TRAIT")
def test_no_score_either_way_counts_as_nothing() -> None:
    play = Play().begin(ANN, "check", skill="Medicine", attribute="Charm")
    assert _pool(play) == {"add": 1, "modifier": 0}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"skill": "Swiming"}, "not-in-tree"),
        ({"attribute": "Sped"}, "not-in-tree"),
        ({"skill": "Boats", "with_": ("support: Boats",)}, "not-supporting"),
        ({"skill": "Boats", "with_": ("support: Medicine",)}, "not-supporting"),
        ({"skill": "Boats", "with_": ("convert: 4",)}, "too-many-converted"),
        ({"skill": "Boats", "with_": ("die: d7",)}, "unknown-choice"),
        ({"skill": "Boats", "with_": ("die: d8", "d6+1")}, "option-twice"),
        ({"skill": "Boats", "with_": ("halvings: 1", "doublings: 1")}, "two-paces"),
        ({"skill": "Boats", "with_": ("halvings: 1", "phases extra: 1")}, "two-paces"),
        ({"skill": "Boats", "with_": ("phases extra: 100",)}, "pool-too-large"),
        ({"skill": "Boats", "with_": ("glory",)}, "unknown-option"),
        ({"skill": "Boats", "with_": ("chances: 1",)}, "unknown-option"),
        ({"skill": "Boats", "with_": ("convert: many",)}, "not-a-number"),
        ({"skill": "Boats", "difficulty": "hard"}, "not-a-number"),
        ({"skill": "Boats", "difficulty": "9137"}, "out-of-range"),
        ({"skill": "Boats", "modifier": 21}, "out-of-range"),
    ],
)
@pytest.mark.rule("BAR-POOL")
def test_what_cannot_be_is_refused(fields: dict[str, Any], code: str) -> None:
    play = Play()
    assert play.refused(play.begin, ANN, "check", **fields).code == code


def test_a_misspelled_trait_has_a_suggestion() -> None:
    play = Play()
    error = play.refused(play.begin, ANN, "check", skill="Swiming")
    assert str(error.params["nearest"]).startswith("('Swimming'")


@pytest.mark.rule("BAR-POOL")
def test_every_die_of_a_pool_has_a_cause() -> None:
    words = ("support: Athletics", "convert: 1", "doublings: 2")
    play = (
        Play()
        .adjust("Marek", "new wound", "physical 4")
        .begin(ANN, "check", skill="Boats", attribute="Speed", with_=words)
    )
    assert _parts(play) == [
        ("start", "", 1, 0),
        ("ability", "Boats", 3, 0),
        ("attribute", "Speed", 0, 2),
        ("support", "Athletics", 0, 2),
        ("convert", "", -1, 1),
        ("time", "", 1, 1),
        ("wound", "Moderate", 0, -2),
    ]
    pool = _pool(play)
    assert (pool["add"], pool["modifier"]) == (4, 4)


@pytest.mark.rule("BAR-ROLL", "BAR-DIE")
def test_the_roll_shows_what_was_dropped() -> None:
    play = (
        Play()
        .begin(ANN, "check", skill="Boats", attribute="Speed", with_=("die: d10-1",))
        .answer("12")
    )
    play.roll(10, 1, 5, 5, 2, 9)
    (roll,) = play.rolls()
    assert [die.face for die in roll.dice] == [10, 1, 5, 5, 2, 9]
    assert (roll.dropped, roll.terms) == ((1, 4), (-4,))
    assert (roll.result, play.verdict()) == (25, "success")
    degree = play.degree()
    assert degree is not None and degree.params == {"level": 2}
    assert not play.check.is_open


@pytest.mark.rule("BAR-ROLL")
def test_a_botch_fails_even_with_the_total() -> None:
    play = Play().begin(ANN, "check", skill="Boats").answer("3").roll(1, 1, 1, 1)
    assert (play.verdict(), play.totals()) == ("botch", [4])


@pytest.mark.rule("BAR-AUTO")
def test_without_dice_nothing_is_rolled() -> None:
    play = (
        Play()
        .begin(ANN, "check", skill="Boats", attribute="Speed", with_=("no dice",))
        .answer("22")
        .roll()
    )
    (roll,) = play.rolls()
    assert (roll.dice, roll.result, play.verdict()) == ((), 22, "success")


@pytest.mark.rule("BAR-TIME", "BAR-POOL")
def test_hurried_to_nothing_fails_without_a_roll() -> None:
    play = Play().begin(ANN, "check", skill="Boats").answer("1", with_=("halvings: 4",)).roll()
    assert play.verdict() == "failure"
    assert _pool(play)["add"] <= 0


@pytest.mark.rule("BAR-DIE", "BAR-POOL")
def test_die_and_conversion_are_chosen_once_the_difficulty_is_known() -> None:
    play = Play().begin(ANN, "check", skill="Swimming", with_=("die: d4+2",))
    assert play.options(ANN)["own"] == ("revise", "withdraw", "roll-when-answered"), (
        "before the answer nothing is chosen anew"
    )
    play.answer("10")
    assert play.options(ANN)["ready"] == ("roll", "choose")
    play.choose(ANN, "ready", "choose", die="d12-2").choose(ANN, "ready", "choose", convert=2)
    assert _pool(play) == {"add": 1, "modifier": 2}
    assert play.refused(play.choose, ANN, "ready", "choose", convert=3).code == "too-many-converted"
    play.choose(ANN, "ready", "choose", convert=0).roll(12, 12, 12)
    assert play.totals() == [30]


@pytest.mark.parametrize(
    ("reveal", "total", "degree"), [("verdict", 20, False), ("degree", None, True)]
)
@pytest.mark.rule("BAR-ROLL")
def test_a_hidden_difficulty_is_not_given_away(
    reveal: str, total: int | None, degree: bool
) -> None:
    play = Play(reveal=reveal).begin(ANN, "check", skill="Boats").answer("9", hidden=True)
    play.roll(8, 8, 2, 2)
    (told,) = play.listed("check-difficulty")
    assert told == Text("hidden-difficulty")
    assert play.totals() == ([] if total is None else [total])
    assert (play.degree() is not None) == degree
    assert play.totals(GM) == [20]


def test_players_hear_nothing_of_what_npcs_can_do() -> None:
    play = Play().begin(GM, "check", skill="Brawling", attribute="Speed", as_="Sidor")
    seen = play.heard()
    assert "'score'" not in seen
    assert "bar-pool" not in seen and "bar-part" not in seen


@pytest.mark.parametrize(
    ("answer", "mine", "theirs"), [("free", "good", "bad"), ("impossible", "bad", "good")]
)
def test_what_a_gm_decides_for_an_npc_is_seen_from_the_players_side(
    answer: str, mine: str, theirs: str
) -> None:
    for name, seen_as in (("Marek", mine), ("Sidor", theirs)):
        who = ANN if name == "Marek" else GM
        play = Play().begin(who, "check", skill="Brawling", attribute="Speed", as_=name)
        head = play.choose(GM, "rule", answer).blocks()[0]
        assert isinstance(head, Verdict) and head.tone == seen_as


# --- against each other ---------------------------------------------------------------------------


def _contest(mode: str = "direct", **fields: Any) -> Play:
    given = {
        "target": "Ilka",
        "mode": mode,
        "skill": "Boats",
        "attribute": "Speed",
        **fields,
    }
    return Play().begin(ANN, "contest", **given)


@pytest.mark.rule("BAR-OPPOSED")
def test_directly_the_higher_total_triumphs() -> None:
    play = (
        _contest()
        .answer(None)
        .face(BEN, 8, 8, 8, 8, 1, 1, 6, 6, skill="Athletics", with_=("die: d6+1",))
    )
    assert (play.totals(), play.winner()) == ([32, 14], "Marek")
    degree = play.degree()
    assert degree is not None and degree.params == {"level": 3}


@pytest.mark.rule("BAR-OPPOSED")
def test_a_tie_leaves_nobody() -> None:
    play = _contest(attribute=None).answer(None).face(BEN, 4, 4, 4, 3, 5, 5, 5, skill="Knives")
    assert (play.verdict(), play.degree()) == ("nobody", None)


@pytest.mark.rule("BAR-OPPOSED")
def test_indirectly_both_meet_the_same_difficulty() -> None:
    play = (
        _contest("indirect", attribute=None)
        .answer("10")
        .face(BEN, 8, 8, 8, 1, 3, 3, 3, skill="Knives")
    )
    assert play.winner() == "Marek"


@pytest.mark.rule("BAR-OPPOSED")
def test_what_is_chosen_against_somebody_is_told_to_nobody_else() -> None:
    play = _contest(with_=("die: d12-2", "convert: 1"))
    mine = ("bar-pool", "bar-trait", "bar-option")
    for _ in range(2):
        for who in (None, BEN):
            assert play.notes(who) == [Text("bar-mode", {"mode": "direct", "told": True})]
            assert not [code for code in mine if code in play.told(who)]
        assert play.line("bar-pool", ANN) is not None
        play.answer(None)
    play.hold("k1").face(BEN, skill="Knives", attribute="Speed", with_=("convert: 1",))
    for who in (None, ANN):
        assert "Knives" not in play.told(who)
    assert "Knives" in play.told(BEN)


@pytest.mark.rule("BAR-TRAIT", "BAR-OPPOSED")
def test_the_gm_refuses_what_the_other_side_claims_too() -> None:
    play = _contest(attribute=None).answer(None).face(BEN, skill="Blades")
    assert _refusable(play) == ["ability.other"]
    play.choose(GM, "rule", "roll", 1, 1, 1, 2, 8, disallow=["ability.other"])
    assert play.totals()[1] == 8
    assert play.check.data.throws[1].pool.add == 1


@pytest.mark.rule("BAR-AUTO")
def test_who_never_rolls_is_a_difficulty() -> None:
    play = Play().begin(ANN, "contest", target="Rat", skill="Boats")
    assert not play.check.data.opposed
    (difficulty,) = [
        each for each in play.option(GM, "rule", "roll").form.fields if each.key == "difficulty"
    ]
    first, *others = difficulty.choices_for(FormContext(play.game(), play.check))
    bare = {"value": 5, "ability": "", "attribute": ""}
    assert first == ("5", Text("bar-resists", bare))
    assert "5" not in [value for value, _ in others]


@pytest.mark.rule("BAR-AUTO", "BAR-TRAUMA")
def test_what_somebody_sets_against_it_without_a_roll_is_less_by_their_wounds() -> None:
    def offered(play: Play) -> list[str]:
        return [each.value for each in resistance_options(play.sheet("Sidor"), DEFAULT_CAMPAIGN)]

    play = Play()
    # Brawling 3 with Speed 1, with Reaction Time, and nothing at all
    assert offered(play) == ["21", "20", "5"]
    assert offered(play.adjust("Sidor", "new wound", "physical 4")) == ["19", "18", "3"]
    assert offered(play.adjust("Sidor", "new wound", "physical 10")) == []


@pytest.mark.parametrize(("faces", "won"), [((3, 2), False), ((3, 1), True)])
@pytest.mark.rule("BAR-AUTO", "BAR-OPPOSED")
def test_the_total_of_who_never_rolls_is_met_by_an_equal_one(
    faces: tuple[int, ...], won: bool
) -> None:
    play = Play().begin(GM, "contest", target="Marek", as_="Rat")
    play.face(ANN, *faces, skill="Brawling")
    mine, _ = play.rolls()
    assert (mine.result, mine.dice, play.winner()) == (5, (), "Rat" if won else "Marek")


@pytest.mark.rule("BAR-AUTO")
def test_a_minor_one_acts_without_dice_and_can_be_made_one_who_rolls() -> None:
    play = Play().begin(GM, "check", as_="Rat", difficulty="5")
    (roll,) = play.rolls(GM)
    assert (roll.result, roll.dice) == (5, ())
    play.adjust("Rat", "never rolls", "no").begin(GM, "check", 8, as_="Rat", difficulty="5")
    assert play.totals(GM) == [8]


# --- together -------------------------------------------------------------------------------------


def _team(mode: str, state: TableState | None = None) -> Play:
    return Play(state).begin(ANN, "team", mode=mode, skill="Boats", attribute="Speed")


@pytest.mark.parametrize(
    ("mode", "pool", "faces"),
    [
        ("simple addition", (6, 1), (1, 2, 3, 4, 5, 6, 7)),
        ("combining dice", (4, 3), (1, 2, 3, 4, 5, 6, 7)),
        ("worst roller", (4, -1), (1, 2, 3, 4, 5)),
    ],
)
@pytest.mark.rule("BAR-TEAM")
def test_one_pool_for_all(mode: str, pool: tuple[int, int], faces: tuple[int, ...]) -> None:
    play = _team(mode)
    assert tuple(_pool(play).values()) == (4, 2)
    play.choose(BEN, "join", "join", skill="Athletics", attribute="Speed")
    assert tuple(_pool(play).values()) == pool
    play.answer("10").roll(*faces)
    best, worst = sorted(faces, reverse=True), sorted(faces)
    assert play.totals()[0] == sum(worst[: pool[0]] if pool[1] < 0 else best[: pool[0]])


@pytest.mark.rule("BAR-TEAM", "BAR-TRAIT")
def test_the_gm_refuses_what_a_helper_claims() -> None:
    play = _team("simple addition").choose(BEN, "join", "join", skill="Blades")
    assert _refusable(play) == ["ability.k2"]
    assert tuple(_pool(play).values()) == (7, 2)
    play.answer("10", disallow=["ability.k2"])
    assert tuple(_pool(play).values()) == (5, 2)


@pytest.mark.rule("BAR-TEAM")
def test_who_had_a_chance_shows_with_the_results() -> None:
    play = (
        _team("either/or")
        .choose(BEN, "join", "join", skill="Knives")
        .answer("5", with_=("chances: 1",))
    )
    assert "lucky" not in repr(play.events) and "lucky" not in play.told()
    play.roll(8, 8, 8, 8, 1, 1, 2, 2, 2, 2)  # the last one draws the second: Ilka
    assert play.verdict() == "failure"
    (had,) = [each.params["had"] for each in play.notes() if each.params.get("what") == "chances"]
    assert "Ilka" in repr(had) and "Marek" not in repr(had)
    assert Text("bar-verdict", {"how": "success"}) in play.consequences(), "Ilka's own"


@pytest.mark.rule("BAR-TEAM")
def test_a_member_without_dice_cannot_bring_any() -> None:
    play = _team("simple addition")
    refused = play.refused(play.choose, BEN, "join", "join", skill="Knives", halvings=3)
    assert refused.code == "member-without-dice"
    play.choose(BEN, "join", "join", skill="Knives").answer("10")


def test_answers_that_name_unknown_traits_are_refused() -> None:
    play = Play().begin(ANN, "check", skill="Boats")
    assert play.refused(play.answer, "9", disallow=["glory"]).code == "unknown-trait"
    assert play.refused(play.answer, None).code == "no-difficulty"
    assert play.refused(play.answer, "9", with_=("die: d8",)).code == "unknown-option"
