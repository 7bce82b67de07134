"""Special effects: ratings, pools, what they do by themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import Impossible
from rules.systems.ego.character.sheet import EgoSheet, Skill
from rules.systems.ego.combat.powers import Cast, lasting, spell_terms
from rules.systems.ego.formulas import effects
from rules.systems.ego.formulas.damage import damage_dice
from rules.table.check import Check
from tests.rules.ego.play import Play

small = st.integers(0, 30)


@pytest.mark.rule("EGO-FX-02", "EGO-FX-03", "EGO-FX-04")
def test_a_rating_is_its_rounds_and_its_damage_dice() -> None:
    timed = Check("", "effect", "", "", "", 0, Cast(rating=4), round=3)
    assert lasting(Play().game(), timed).at == 6, "rounds 3 to 6"
    assert damage_dice(4) == 4


@pytest.mark.rule("EGO-FX-06")
@given(small, small, small)
def test_regeneration_heals_non_lethal_damage_first(
    lethal: int, non_lethal: int, successes: int
) -> None:
    healed = effects.regenerate(lethal, non_lethal, successes)
    assert healed.points == min(successes, lethal + non_lethal)
    assert healed.points == lethal + non_lethal - healed.lethal - healed.non_lethal
    assert healed.non_lethal == 0 or healed.lethal == lethal


@pytest.mark.rule("EGO-FX-06")
def test_only_the_best_armor_counts() -> None:
    assert effects.effective_armor(5, 3) == effects.effective_armor(3, 5) == 5


@pytest.mark.rule("EGO-MAG-01", "EGO-PSI-01")
def test_pools_and_known_effects() -> None:
    assert effects.pool_most(12, 3) == 15
    assert effects.pool_most(12, 3, 2) == 17
    assert effects.known_most(3) == 6


@pytest.mark.rule("EGO-MAG-02", "EGO-PSI-01")
@given(small, small, small, st.none() | small)
def test_no_casting_takes_more_than_it_may(
    points: int, level: int, pool: int, most: int | None
) -> None:
    highest = effects.most_points(level, pool, most)
    if 1 <= points <= highest:
        assert 0 <= effects.spend_pool_points(points, level, pool, most) == pool - points
        return
    with pytest.raises(Impossible) as caught:
        effects.spend_pool_points(points, level, pool, most)
    assert caught.value.params == {"value": points, "highest": highest}


@pytest.mark.rule("EGO-MAG-03")
def test_attack_spells_have_the_dice_of_the_mind() -> None:
    mage = EgoSheet(intellect=10, skills=(Skill("Magic", 3),))
    assert spell_terms(mage, "Magic") == (("Magic", 3), ("Intellect", 4))


@pytest.mark.rule("EGO-MAG-04")
@given(small, small, st.integers(0, 48), st.integers(1, 20))
def test_sleep_never_takes_points_and_never_overfills(
    pool: int, most: int, hours: int, vitality: int
) -> None:
    after = effects.pool_after_sleep(pool, most, hours, vitality)
    assert pool <= after <= max(pool, most)
    assert after <= pool + hours * vitality // 4
