"""Ids that reach players: from them nobody can tell how many there are of whom they know
nothing.
"""

from __future__ import annotations

from rules.core.rng import KeyedStreams
from rules.table.actions import AddNpcs, ImportCharacter
from rules.table.state import Settings, TableState
from tests.sample_table import ANN, GM, by, ebb_character, resolve


def _newcomer(hidden: int) -> str:
    """The id of Ann's character where so many NPCs were there before, off stage."""
    state = TableState(Settings("T", "ebb", ("p1",)))
    if hidden:
        brought = AddNpcs(**by(GM), name="Guard", count=hidden)
        state = resolve(state, brought, KeyedStreams(b"p" * 32, b"s" * 32, "before")).state
    action = ImportCharacter(**by(ANN), data=ebb_character("Marek"))
    found = resolve(state, action, KeyedStreams(b"p" * 32, b"s" * 32, "request")).state
    return next(each.id for each in found.characters.values() if each.name == "Marek")


def test_an_id_counts_nobody() -> None:
    ids = [_newcomer(hidden) for hidden in range(10)]
    assert len(set(ids)) == 10
    assert all(len(each) == 9 and not each[1:].isdigit() for each in ids), ids
    assert sorted(ids) != ids


def test_the_same_request_makes_the_same_id() -> None:
    assert _newcomer(3) == _newcomer(3)
