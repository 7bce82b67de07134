"""What things cost, and what a new character may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible, RulesError
from rules.systems.ego.character.creation import discipline_faults
from rules.systems.ego.character.sheet import EgoSheet, Skill
from rules.systems.ego.formulas import costs
from rules.systems.ego.formulas.costs import ABILITIES
from rules.systems.ego.formulas.reference_rows import Effect
from tests.rules.ego.play import Play, table

levels = st.integers(0, 20)


def _one(found: list[RulesError], code: str) -> RulesError:
    assert [each.code for each in found] == [code]
    assert found[0].params["fix"]
    return found[0]


@pytest.mark.rule("EGO-SKL-01", "EGO-EXP-01", "EGO-EXP-02")
@given(levels, levels, levels)
def test_a_price_is_the_sum_of_its_steps(one: int, two: int, three: int) -> None:
    low, middle, high = sorted((one, two, three))
    assert costs.price(low, high) == costs.price(low, middle) + costs.price(middle, high)
    assert costs.price(low, high) == sum(range(low + 1, high + 1))


@pytest.mark.rule("EGO-CHR-01", "EGO-ADV-01")
@given(
    st.lists(levels, max_size=5), st.lists(levels, max_size=5), st.integers(0, 5), st.integers(0, 5)
)
def test_what_is_left(skills: list[int], specialties: list[int], good: int, bad: int) -> None:
    made = costs.point_budget(
        100, (8, 8, 6, 8), skills, specialties, advantages=good, disadvantages=bad
    )
    assert (made.available, made.abilities, made.advantages) == (100 + 2 * bad, 90, 2 * good)
    assert made.total + made.left == made.available
    found = list(costs.budget_faults(made))
    assert bool(found) == (made.left < 0)
    if found:
        assert _one(found, "ego-over-budget").params["over"] == -made.left


@pytest.mark.rule("EGO-CHR-02", "EGO-RAC-01")
def test_scores_between_their_ends() -> None:
    most = costs.maxima({"agility": 2, "vitality": -2})
    assert list(costs.score_faults({"agility": 18, "vitality": 1, "muscle": 0}, most)) == []
    found = list(
        costs.score_faults({"agility": 19, "vitality": 0, "muscle": 16, "intellect": -1}, most)
    )
    assert [
        (each.params["field"], each.params["lowest"], each.params["highest"]) for each in found
    ] == [
        ("agility", 0, 18),
        ("vitality", 1, 14),
        ("intellect", 0, 16),
    ]


@pytest.mark.rule("EGO-RAC-01", "EGO-RAC-02")
def test_races_balance() -> None:
    assert list(costs.race_faults({"agility": 2, "vitality": -2})) == []
    assert len(list(costs.race_faults({"agility": 1, "vitality": -1}))) == 2
    _one(list(costs.race_faults({"agility": 2})), "ego-unbalanced")
    assert list(costs.race_faults({"intellect": -2}, effects=1)) == []
    _one(list(costs.race_faults({"intellect": -4}, effects=1)), "ego-unbalanced")
    unpaid = _one(list(costs.race_faults({}, effects=2, disadvantages=1)), "ego-unpaid-effects")
    assert unpaid.params["missing"] == 1
    assert list(costs.race_faults({}, effects=1, disadvantages=1)) == []
    assert costs.paid_by_maxima({"intellect": -2}) == 1


@pytest.mark.rule("EGO-SPC-01")
@given(st.integers(0, 9), st.integers(0, 9))
def test_a_specialty_stays_below_its_skill(level: int, base: int) -> None:
    found = list(costs.specialty_faults("specialties[0]", "Sharpshooter", level, base))
    assert bool(found) == (level > 0 and level > base - 1)
    if found:
        assert (found[0].params["base"], found[0].params["cost"]) == (
            level + 1,
            costs.price(base, level + 1),
        )


@pytest.mark.rule("EGO-ADV-01", "EGO-ADV-02")
def test_no_trait_more_often_than_its_entry_says() -> None:
    limits = {"Lucky": 3, "Agile": 1, "Own": None}
    assert list(costs.trait_faults("advantages", ["Lucky"] * 3 + ["Agile"], limits, 3)) == []
    found = list(
        costs.trait_faults("advantages", ["Lucky"] * 4 + ["Agile", "Agile", "Own"], limits, 3)
    )
    assert [(each.params["value"], each.params["highest"]) for each in found] == [
        ("Lucky", 3),
        ("Agile", 1),
    ]
    assert costs.trait_limit(3, 2) == costs.trait_limit(None, 2) == 2


@pytest.mark.rule("EGO-POW-01")
def test_all_that_is_wrong_with_powers_is_found_at_once() -> None:
    assert list(costs.power_faults(3, [("Fire", 6, 15)])) == []
    powers = [("Fire", 7, 15), ("Natural Weapon", 5, 4), *[(name, 1, None) for name in "abcd"]]
    found = list(costs.power_faults(3, powers))
    assert [each.code for each in found] == [
        "ego-power-rating", "ego-power-rating", "ego-too-many-powers", "ego-rating-levels",
    ]  # fmt: skip
    assert found[-1].params["level"] == 8


@pytest.mark.rule("EGO-MAG-01", "EGO-PSI-01")
def test_known_effects_and_disciplines() -> None:
    assert list(costs.known_faults("powers", "Magic", 6, 6)) == []
    _one(list(costs.known_faults("powers", "Magic", 7, 6)), "ego-too-many-powers")
    game = Play(table(psionic_disciplines=True)).game()
    learned = EgoSheet(skills=(Skill("Psionics", 2, "Mind"),))
    known = [Effect("Telepathy", discipline="Mind"), Effect("Fire", discipline="Body")]
    found = [
        each
        for row in known
        for each in discipline_faults(game, learned, "powers", "Psionics", row)
    ]
    assert _one(found, "ego-no-discipline").params["value"] == "Fire"


@pytest.mark.rule("EGO-EXP-02", "EGO-EXP-03")
@given(levels, levels, st.integers(0, 50), st.booleans())
def test_experience_is_never_below_nothing(
    session: int, saved: int, cost: int, known: bool
) -> None:
    have = saved + (session if known else 0)
    if cost > have:
        with pytest.raises(Impossible) as caught:
            costs.spend_experience(session, saved, cost, known=known)
        assert caught.value.params["missing"] == cost - have
        return
    after = costs.spend_experience(session, saved, cost, known=known)
    assert min(after) >= 0
    assert sum(after) == session + saved - cost
    assert known or after[0] == session


@pytest.mark.rule("EGO-EXP-02")
def test_nobody_rises_above_their_race() -> None:
    full = costs.maximum_error(16, 16)
    assert full is not None and full.code == "ego-at-maximum"
    assert costs.maximum_error(15, 16) is None


@pytest.mark.rule("EGO-NME-02")
@given(st.sampled_from(ABILITIES))
def test_a_category_puts_its_best_score_where_it_is_told(best: str) -> None:
    scores = costs.category_scores((16, 12, 12, 12), best)
    assert scores[best] == 16
    assert sum(scores.values()) == 52


@pytest.mark.rule("EGO-EQP-01")
def test_funds() -> None:
    assert costs.funds((3, 4, 4), 10) == 110
    assert costs.spend_money(110, (30, 25)) == 55
    with pytest.raises(Impossible) as caught:
        costs.spend_money(20, (15, 8))
    assert caught.value.params["missing"] == 3
