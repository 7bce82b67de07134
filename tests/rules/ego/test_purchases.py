"""Purchases: the sizes that a magazine can have."""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.systems.ego.character import purchases
from rules.systems.ego.character.sheet import Arm
from tests.rules.ego.play import PISTOL, RIFLE, Play
from tests.sample_table import ANN

_KINDS: Final[dict[str, Any]] = {each.command: each.kind for each in purchases.DEEDS}
Buy, SetMagazine = _KINDS["buy"], _KINDS["magazine"]


def _shop() -> Play:
    """Return a table where Ann's Vesna has money, and a pistol whose rounds aren't counted."""
    return Play(currency="$").write("Vesna", funds=6000, arms=(Arm(PISTOL),))


@pytest.mark.rule("EGO-RNG-05")
@pytest.mark.parametrize("size", [0, 1001])
def test_a_magazine_of_an_impossible_size_is_refused(size: int) -> None:
    play = _shop()
    wanted = {"value": size, "lowest": 1, "highest": 1000}
    error = play.refused(SetMagazine, ANN, weapon=PISTOL, holds=size)
    assert (error.code, error.params) == ("out-of-range", {"field": "holds", **wanted})
    error = play.refused(Buy, ANN, what=RIFLE, magazine=size)
    assert (error.code, error.params) == ("out-of-range", {"field": "magazine", **wanted})


@pytest.mark.rule("EGO-RNG-05")
@pytest.mark.parametrize("size", [1, 1000])
def test_a_magazine_of_the_least_and_the_largest_size_is_full(size: int) -> None:
    play = _shop().do(SetMagazine, ANN, weapon=PISTOL, holds=size)
    play.do(Buy, ANN, what=RIFLE, magazine=size)
    arms = [(arm.name, arm.rounds, arm.magazine) for arm in play.sheet("Vesna").arms]
    assert arms == [(PISTOL, size, size), (RIFLE, size, size)]
