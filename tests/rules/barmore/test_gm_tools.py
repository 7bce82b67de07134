"""What GMs set by hand: scores, Wounds, care and life, who never rolls; and what is no value."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rules.core.errors import RulesError
from rules.table.actions import Adjust
from tests.rules.barmore.play import Play
from tests.sample_table import ANN, GM


@pytest.mark.parametrize(
    ("what", "value", "scores"),
    [
        ("ability", "Boats 5", ("Boats", 5)),
        ("ability", "first aid: 2", ("First Aid", 2)),
        ("Ability", "climbing = 0", ("Climbing", 0)),
        ("attribute", "Speed -3", ("Speed", -3)),
        ("attribute", "Speed \u22123", ("Speed", -3)),
    ],
)
@pytest.mark.rule("BAR-TRAIT")
def test_scores_are_set(what: str, value: str, scores: tuple[str, int]) -> None:
    sheet = Play().adjust("Marek", what, value).sheet("Marek")
    assert scores in (*sheet.abilities, *sheet.attributes)


def test_scores_change_in_their_place_and_are_taken_away() -> None:
    play = Play().adjust("Ilka", "ability", "Knives 3").adjust("Ilka", "ability", "Boats 1")
    assert play.sheet("Ilka").abilities == (
        ("Medicine", 3),
        ("Knives", 3),
        ("Athletics", 1),
        ("Boats", 1),
    )
    play.adjust("Ilka", "ability", "Knives none")
    assert play.sheet("Ilka").abilities == (("Medicine", 3), ("Athletics", 1), ("Boats", 1))


@pytest.mark.rule("BAR-TRAUMA", "BAR-HEAL")
def test_wounds_are_kept_one_by_one() -> None:
    play = (
        Play().adjust("Marek", "new wound", "physical 2").adjust("Marek", "new wound", "mental 2")
    )
    play.adjust("Marek", "wound care", "1 Light x 3").adjust(
        "Marek", "wound rest", "2: slower"
    ).adjust("Marek", "wound stabilized", "2")
    first, second = play.sheet("Marek").wounds
    assert (first.number, first.factor, first.activity, first.stabilised) == (
        1,
        Fraction(3),
        "rest",
        True,
    )
    assert (second.number, second.factor, second.activity, second.stabilised) == (
        2,
        Fraction(1),
        "slower",
        False,
    )
    play.adjust("Marek", "wound healed", "1").adjust("Marek", "new wound", "physical 9")
    assert [wound.number for wound in play.sheet("Marek").wounds] == [2, 3]


@pytest.mark.rule("BAR-HEAL")
def test_what_healed_until_now_healed_at_the_old_rate() -> None:
    play = (
        Play()
        .adjust("Marek", "new wound", "physical 4")
        .days(10)
        .adjust("Marek", "wound care", "1 x 2")
    )
    (wound,) = play.sheet("Marek").wounds  # 21 days by Body 1
    assert (wound.healed, wound.factor) == (Fraction(10, 21), 2)
    assert play.days(5).sheet("Marek").wounds != ()
    assert play.days(1).sheet("Marek").wounds == ()


@pytest.mark.parametrize(
    ("what", "value", "code"),
    [
        ("luck", "1", "unknown-adjustable"),
        ("ability", "Boats", "unreadable-score"),
        ("ability", "3", "unreadable-score"),
        ("ability", "Flying 3", "not-in-tree"),
        ("ability", "Boats -1", "out-of-range"),
        ("attribute", "Speed 31", "out-of-range"),
        ("new wound", "spiritual 3", "unknown-choice"),
        ("new wound", "physical", "ambiguous-choice"),
        ("new wound", "physical 0", "out-of-range"),
        ("new wound", "physical 5000", "out-of-range"),
        ("wound healed", "7", "unknown-wound"),
        ("wound healed", "Light", "which-one"),
        ("wound healed", "", "which-one"),
        ("wound care", "1", "bad-factor"),
        ("wound care", "1 x fast", "bad-factor"),
        ("wound rest", "1", "unknown-choice"),
        ("wound rest", "1: wild", "unknown-choice"),
        ("never rolls", "perhaps", "unknown-choice"),
    ],
)
def test_what_is_no_value_is_refused(what: str, value: str, code: str) -> None:
    play = (
        Play().adjust("Marek", "new wound", "physical 2").adjust("Marek", "new wound", "physical 3")
    )
    assert play.refused(Adjust, GM, character="Marek", what=what, value=value).code == code


def test_players_set_nothing() -> None:
    assert (
        Play().refused(Adjust, ANN, character="Marek", what="ability", value="Boats 9").code
        == "gm-only"
    )


def test_everything_offered_can_be_set() -> None:
    play = (
        Play().adjust("Marek", "new wound", "physical 2").adjust("Marek", "new wound", "mental 9")
    )
    tools, marek = play.game().require(play.game().system.tools), play.state.characters["k1"]
    offered = [
        (what.value, value.value)
        for what in tools.adjustables(marek)
        for value in tools.values(marek, what.value)
    ]
    assert len(offered) > 25
    for what, value in offered:
        try:
            assert tools.adjust(play.game(), marek, what, value)[1].code == "bar-set"
        except RulesError as error:
            assert error.code == "already-so", (what, value)
