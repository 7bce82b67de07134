"""Checks at the table: traits along the trees, pools with their causes, contests, teams, and whoever never rolls."""

from __future__ import annotations

from typing import Any

import pytest

from rules.registry import look
from rules.table.actions import Answer, Defend, Join, Propose, Revise, Spend
from rules.table.events import Line
from rules.table.moves import challenge_moves
from rules.table.state import TableState
from tests.builders import ANN, BEN, GM
from tests.rules.barmore.play import Play, codes


def _pool(play: Play) -> dict[str, Any]:
    """Add, Bonus and Penalty Dice as everybody sees them."""
    return dict(next(line.params for line in play.view().notes if line.code == "bar-pool"))


def _parts(play: Play) -> list[tuple[Any, ...]]:
    return [
        (
            line.code.removeprefix("bar-part-"),
            line.params["name"],
            line.params["add"],
            line.params["modifier"],
        )
        for line in play.view().notes
        if line.code.startswith("bar-part-")
    ]


@pytest.mark.rule("BAR-TRAIT")
def test_an_ancestor_stands_in_by_itself() -> None:
    play = Play().propose(skill="Swimming", attribute="Reaction Time")
    ability, attribute = play.view().traits
    assert (ability.params["name"], ability.params["used"], ability.params["via"]) == (
        "Swimming",
        "Athletics",
        "ancestor",
    )
    assert attribute.params["score"] == 1
    assert look(play.state).course.justifications(play.check) == ()


@pytest.mark.rule("BAR-TRAIT")
def test_a_descendant_stands_in_until_the_gm_refuses_it() -> None:
    play = Play().propose(skill="Blades", attribute="Speed")
    assert _pool(play) == {"add": 5, "bonus": 2, "penalty": 0}
    assert [each.value for each in look(play.state).course.justifications(play.check)] == ["ability"]
    play.answer("10", disallow=("ability",))
    assert _pool(play) == {"add": 1, "bonus": 2, "penalty": 0}
    assert "bar-justification-refused" in codes(play.view().shifts)
    play.answer("10")
    assert _pool(play) == {"add": 5, "bonus": 2, "penalty": 0}


@pytest.mark.rule("BAR-TRAIT")
def test_of_several_descendants_one_is_named() -> None:
    play = Play().propose(skill="Close Combat")
    assert "bar-several" in codes(play.view().shifts)
    assert _pool(play)["add"] == 1
    play.do(Revise, ANN, options=("use: Rapier",))
    assert _pool(play)["add"] == 5


@pytest.mark.rule("BAR-TRAIT")
def test_no_score_either_way_counts_as_nothing() -> None:
    play = Play().propose(skill="Medicine", attribute="Charm")
    assert _pool(play) == {"add": 1, "bonus": 0, "penalty": 0}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"skill": "Swiming"}, "not-in-tree"),
        ({"attribute": "Sped"}, "not-in-tree"),
        ({"skill": "Boats", "options": ("support: Boats",)}, "not-supporting"),
        ({"skill": "Boats", "options": ("support: Medicine",)}, "not-supporting"),
        ({"skill": "Boats", "options": ("convert: 4",)}, "too-many-converted"),
        ({"skill": "Boats", "options": ("die: d7",)}, "unknown-die-type"),
        ({"skill": "Boats", "options": ("die: d8", "d6+1")}, "two-dice"),
        ({"skill": "Boats", "options": ("halvings: 1", "doublings: 1")}, "quicker-and-slower"),
        ({"skill": "Boats", "options": ("halvings: 1", "phases extra: 1")}, "other-time-mode"),
        ({"skill": "Boats", "options": ("phases extra: 100",)}, "pool-too-large"),
        ({"skill": "Boats", "options": ("glory",)}, "unknown-option"),
        ({"skill": "Boats", "options": ("chances: 1",)}, "unknown-option"),
        ({"skill": "Boats", "options": ("convert: many",)}, "not-a-number"),
        ({"skill": "Boats", "difficulty": "hard"}, "not-a-number"),
        ({"skill": "Boats", "difficulty": "9137"}, "out-of-range"),
        ({"skill": "Boats", "modifier": 21}, "out-of-range"),
    ],
)
@pytest.mark.rule("BAR-POOL")
def test_what_cannot_be_is_refused(fields: dict[str, Any], code: str) -> None:
    assert Play().refused(Propose, ANN, **fields).code == code


def test_a_misspelt_trait_has_a_suggestion() -> None:
    error = Play().refused(Propose, ANN, skill="Swiming")
    assert str(error.params["nearest"]).startswith("('Swimming'")


@pytest.mark.rule("BAR-POOL")
def test_every_die_of_a_pool_has_a_cause() -> None:
    words = ("support: Athletics", "convert: 1", "doublings: 2")
    play = (
        Play().adjust("Marek", "hurt", "physical 4").propose(skill="Boats", attribute="Speed", options=words)
    )
    assert _parts(play) == [
        ("start", "", 1, 0),
        ("ability", "Boats", 3, 0),
        ("attribute", "Speed", 0, 2),
        ("support", "Athletics", 0, 2),
        ("convert", "", -1, 1),
        ("slower", "", 1, 1),
        ("wound", "Moderate", 0, -2),
    ]
    pool = _pool(play)
    assert (pool["add"], pool["bonus"], pool["penalty"]) == (4, 4, 0)


@pytest.mark.rule("BAR-ROLL", "BAR-DIE")
def test_the_roll_shows_what_was_dropped() -> None:
    play = Play().propose(skill="Boats", attribute="Speed", options=("die: d10-1",)).answer("12")
    play.roll(10, 1, 5, 5, 2, 9)
    view = play.view()
    assert [(die.name, die.face) for die in view.dice] == [
        ("kept", 10),
        ("bonus", 1),
        ("kept", 5),
        ("kept", 5),
        ("bonus", 2),
        ("kept", 9),
    ]
    assert (view.total, view.verdict and view.verdict.code) == (25, "bar-success")
    assert view.degree is not None and view.degree.params == {"level": 2}
    assert play.check.status == "settled"


@pytest.mark.rule("BAR-ROLL")
def test_a_botch_fails_even_with_the_total() -> None:
    play = Play().propose(skill="Boats").answer("3").roll(1, 1, 1, 1)
    assert play.view().verdict == Line("bar-botch")
    assert play.view().total == 4


@pytest.mark.rule("BAR-AUTO")
def test_without_dice_nothing_is_rolled() -> None:
    play = Play().propose(skill="Boats", attribute="Speed", options=("no dice",)).answer("22").roll()
    view = play.view()
    assert (view.dice, view.total) == ((), 22)
    assert view.verdict is not None and view.verdict.code == "bar-success"


@pytest.mark.rule("BAR-TIME", "BAR-POOL")
def test_hurried_to_nothing_fails_without_a_roll() -> None:
    play = Play().propose(skill="Boats").answer("1", options=("halvings: 4",)).roll()
    view = play.view()
    assert view.verdict is not None and view.verdict.code == "bar-failure"
    assert "bar-pool-none" in codes(view.notes)


@pytest.mark.rule("BAR-DIE", "BAR-POOL")
def test_die_and_conversion_are_chosen_once_the_difficulty_is_known() -> None:
    play = Play().propose(skill="Swimming", options=("die: d4+2",))
    play.refused(Spend, ANN, what="die", choice="d8")
    play.answer("10")
    offered = {
        move.what: move.choices for move in challenge_moves(look(play.state), play.check, ANN) if move.what
    }
    assert offered == {"die": ("d8", "d10-1", "d12-2", "d6+1", "no dice"), "convert": ("1", "2")}
    play.do(Spend, ANN, what="die", choice="d12-2").do(Spend, ANN, what="convert", choice="2")
    assert _pool(play) == {"add": 1, "bonus": 2, "penalty": 0}
    assert play.refused(Spend, ANN, what="convert", choice="3").code == "too-many-converted"
    play.do(Spend, ANN, what="convert", choice="0").roll(12, 12, 12)
    assert play.view().total == 30
    assert play.refused(Spend, ANN, what="die", choice="d8").code in ("check-moved-on", "choose-before-roll")


@pytest.mark.parametrize(("reveal", "total", "degree"), [("verdict", 20, False), ("degree", None, True)])
@pytest.mark.rule("BAR-ROLL")
def test_a_hidden_difficulty_is_not_given_away(reveal: str, total: int | None, degree: bool) -> None:
    play = Play(reveal=reveal).propose(skill="Boats").answer("9", hidden=True)
    play.roll(8, 8, 2, 2)
    view = play.view()
    assert view.target is not None and view.target.code == "hidden-difficulty"
    assert (view.total, view.degree is not None) == (total, degree)
    assert (view.dice == ()) == (total is None)
    assert play.view(GM).total == 20


def test_players_hear_nothing_of_what_npcs_can_do() -> None:
    play = Play().propose(GM, skill="Brawling", attribute="Speed", as_="Sidor")
    seen = repr([event for event in play.events if event.audience.everyone])
    assert "'score'" not in seen
    assert "bar-pool" not in seen and "bar-part" not in seen


# --- against each other -------------------------------------------------------------------------------------------


def _contest(mode: str = "direct", **fields: Any) -> Play:
    given = {
        "kind": "contest",
        "target": "Ilka",
        "tool": mode,
        "skill": "Boats",
        "attribute": "Speed",
        **fields,
    }
    return Play().propose(ANN, **given)


@pytest.mark.rule("BAR-OPPOSED")
def test_directly_the_higher_total_triumphs() -> None:
    play = _contest().answer(None).do(Defend, BEN, skill="Athletics", options=("die: d6+1",))
    play.roll(8, 8, 8, 8, 1, 1, 6, 6)
    view = play.view()
    assert (view.total, view.other and view.other.total) == (32, 14)
    assert view.verdict is not None and view.verdict.code == "bar-triumph"
    assert view.degree is not None and view.degree.params == {"level": 3}


@pytest.mark.rule("BAR-OPPOSED")
def test_a_tie_leaves_nobody() -> None:
    play = _contest(attribute=None).answer(None).do(Defend, BEN, skill="Knives")
    play.roll(4, 4, 4, 3, 5, 5, 5)
    view = play.view()
    assert view.verdict is not None and view.verdict.code == "bar-nobody-triumphs"
    assert view.degree is None


@pytest.mark.rule("BAR-OPPOSED")
def test_indirectly_both_meet_the_same_difficulty() -> None:
    play = _contest("indirect", attribute=None).answer("10").do(Defend, BEN, skill="Knives")
    play.roll(8, 8, 8, 1, 3, 3, 3)
    view = play.view()
    assert view.verdict is not None and view.verdict.code == "bar-triumph"


@pytest.mark.rule("BAR-OPPOSED")
def test_what_is_chosen_against_somebody_is_told_to_nobody_else() -> None:
    play = _contest(options=("die: d12-2", "convert: 1"))
    for _ in range(2):
        for view in (play.view(), play.view(BEN)):
            assert (view.traits, view.shifts, codes(view.notes)) == ((), (), ["bar-mode-direct"])
        assert "bar-pool-of" in codes(play.view(ANN).shifts)
        play.answer(None)
    play.do(Defend, BEN, skill="Knives", attribute="Speed", options=("convert: 1",))
    other = play.view(ANN).other
    assert other is not None and (other.traits, other.shifts, other.total) == ((), (), None)


@pytest.mark.rule("BAR-TRAIT", "BAR-OPPOSED")
def test_the_gm_refuses_what_the_other_side_claims_too() -> None:
    play = _contest(attribute=None).answer(None).do(Defend, BEN, skill="Blades")
    disallowable = [choice.value for choice in look(play.state).course.justifications(play.check)]
    assert disallowable == ["ability.other"]
    play.answer(None, disallow=("ability.other",)).roll(1, 1, 1, 2, 8)
    view = play.view()
    assert view.other is not None and view.other.total == 8
    assert play.check.rolled is not None and play.check.rolled.other.pool.add == 1


@pytest.mark.rule("BAR-AUTO")
def test_who_never_rolls_is_a_difficulty() -> None:
    play = Play().propose(kind="contest", target="Rat", skill="Boats")
    assert not play.check.opposed
    offered = look(play.state).course.difficulties(play.state.characters["k4"])
    assert (offered[0].value, offered[0].label.code) == ("5", "bar-resists-bare")
    assert "5" not in [choice.value for choice in offered[1:]]


@pytest.mark.rule("BAR-AUTO", "BAR-TRAUMA")
def test_what_somebody_sets_against_it_without_a_roll_is_less_by_their_wounds() -> None:
    def offered(play: Play) -> list[str]:
        found = look(play.state).course.difficulties(play.state.characters["k3"])
        return [each.value for each in found if each.label.code.startswith("bar-resists")]

    play = Play()
    assert offered(play) == [
        "21",
        "20",
        "5",
    ]  # Brawling 3 with Speed 1, with Reaction Time, and nothing at all
    assert offered(play.adjust("Sidor", "hurt", "physical 4")) == ["19", "18", "3"]
    assert offered(play.adjust("Sidor", "hurt", "physical 10")) == []


@pytest.mark.parametrize(("faces", "verdict"), [((3, 2), "bar-defeat"), ((3, 1), "bar-triumph")])
@pytest.mark.rule("BAR-AUTO", "BAR-OPPOSED")
def test_the_total_of_who_never_rolls_is_met_by_an_equal_one(faces: tuple[int, ...], verdict: str) -> None:
    play = Play().propose(GM, kind="contest", target="Marek", as_="Rat")
    play.do(Defend, ANN, skill="Brawling").roll(*faces, who=GM)
    view = play.view()
    assert (view.total, view.dice) == (5, ())
    assert view.verdict is not None and view.verdict.code == verdict


@pytest.mark.rule("BAR-AUTO")
def test_a_minor_one_acts_without_dice_and_can_be_made_one_who_rolls() -> None:
    play = Play().propose(GM, as_="Rat", difficulty="5")
    assert (play.view(GM).total, play.view(GM).dice) == (5, ())
    play.adjust("Rat", "minor", "no").do(Propose, GM, 8, as_="Rat", difficulty="5")
    assert play.view(GM).total == 8


# --- together -----------------------------------------------------------------------------------------------------


def _team(mode: str, state: TableState | None = None) -> Play:
    return Play(state).propose(kind="team", tool=mode, skill="Boats", attribute="Speed")


@pytest.mark.parametrize(
    ("mode", "pool", "faces"),
    [
        ("simple addition", (6, 1, 0), (1, 2, 3, 4, 5, 6, 7)),
        ("combining dice", (4, 3, 0), (1, 2, 3, 4, 5, 6, 7)),
        ("worst roller", (4, 0, 1), (1, 2, 3, 4, 5)),
    ],
)
@pytest.mark.rule("BAR-TEAM")
def test_one_pool_for_all(mode: str, pool: tuple[int, int, int], faces: tuple[int, ...]) -> None:
    play = _team(mode)
    assert tuple(_pool(play).values()) == (4, 2, 0)
    play.do(Join, BEN, skill="Athletics", attribute="Speed")
    assert tuple(_pool(play).values()) == pool
    play.answer("10").roll(*faces)
    best, worst = sorted(faces, reverse=True), sorted(faces)
    assert play.view().total == sum(worst[: pool[0]] if pool[2] else best[: pool[0]])


@pytest.mark.rule("BAR-TEAM", "BAR-TRAIT")
def test_the_gm_refuses_what_a_helper_claims() -> None:
    play = _team("simple addition").do(Join, BEN, skill="Blades")
    assert [each.value for each in look(play.state).course.justifications(play.check)] == ["ability.k2"]
    assert tuple(_pool(play).values()) == (7, 2, 0)
    play.answer("10", disallow=("ability.k2",))
    assert tuple(_pool(play).values()) == (5, 2, 0)


@pytest.mark.rule("BAR-TEAM")
def test_who_had_a_chance_shows_with_the_results() -> None:
    play = _team("either/or").do(Join, BEN, skill="Knives").answer("5", options=("chances: 1",))
    assert "lucky" not in repr(play.events) and "lucky" not in repr(play.view())
    play.roll(8, 8, 8, 8, 1, 1, 2, 2, 2, 2)  # the last one draws the second: Ilka
    view = play.view()
    assert view.verdict is not None and view.verdict.code == "bar-failure"
    assert "bar-note-unlucky" in codes(view.notes)
    (ilka,) = view.helpers
    assert ilka.verdict is not None and ilka.verdict.code == "bar-success"
    assert "bar-lucky" in codes(ilka.shifts)


@pytest.mark.rule("BAR-TEAM")
def test_a_member_without_dice_cannot_bring_any() -> None:
    play = _team("simple addition")
    refused = play.refused(Join, BEN, skill="Knives", options=("halvings: 3",))
    assert refused.code == "member-without-dice"
    play.do(Join, BEN, skill="Knives").answer("10")


def test_answers_that_name_unknown_traits_are_refused() -> None:
    play = Play().propose(skill="Boats")
    assert play.refused(Answer, GM, kind="roll", difficulty="9", disallow=("glory",)).code == "unknown-trait"
    assert play.refused(Answer, GM, kind="roll").code == "no-difficulty"
    assert (
        play.refused(Answer, GM, kind="roll", difficulty="9", options=("die: d8",)).code == "unknown-option"
    )
