"""No text of a game at random tells a code or an id of the program."""

from __future__ import annotations

import random

import pytest

from tests.property.random_play import Walk
from tests.property.raw_keys import raw_keys
from tests.property.systems import ALL, Grounds
from tests.property.test_play import walking


def test_what_is_raw_is_found() -> None:
    gone = "You have no “k1”; k1 is gone"
    texts = ("Pilot, vitality-again: 4d6", gone, "karma, exp_saved", "by p2")
    keys = [key for key, _ in raw_keys(texts)]
    assert keys == ["vitality-again", "k1", "k1", "exp_saved", "p2"]
    assert list(raw_keys(["You have no “k1”"], typed=["k1"])) == []
    fine = "Hand-to-hand Combat, check c1 · #4: leave out `other_section` <t:1:R>"
    assert list(raw_keys([fine])) == []


#: Random play types ids for names, and an error quotes what was typed.
_TYPED = frozenset(f"{kind}{number}" for kind in "kp" for number in range(1, 200))


@pytest.mark.slow
@pytest.mark.parametrize("grounds", ALL, ids=lambda each: each.name)
def test_nobody_reads_a_raw_key(grounds: Grounds) -> None:
    told: dict[str, str] = {}

    async def work(walk: Walk) -> None:
        await walk.steps(600)
        for key, text in raw_keys(walk.read, _TYPED):
            at = text.find(key)
            told.setdefault(key, text[max(0, at - 80) : at + 60])

    walking(grounds, work, random.Random(f"raw {grounds.name}"))
    assert told == {}
