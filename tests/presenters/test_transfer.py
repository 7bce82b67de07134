"""What the card of an exported table says."""

from __future__ import annotations

import pytest

from bot.presenters.language.systems import system_words
from bot.presenters.transfer import export_table_card
from rules.registry import PLAYABLE
from rules.table.state import Settings, TableState
from tests.presenters.scenes import everything


@pytest.mark.parametrize("key", PLAYABLE)
def test_what_stays_behind_of_a_systems_own_has_a_noun(key: str) -> None:
    """Or is left out on purpose, where something else says that it is there."""
    assert set(system_words(key).parts) == set(PLAYABLE[key].parts)


def test_what_stays_behind_is_counted_by_what_it_is() -> None:
    state = TableState(Settings("Marches", "masterbook", ("p1",)))
    parts = (
        "deal:masterbook",
        "deck-file:masterbook",
        "deck-next:masterbook",
        "task:200",
        "task:201",
    )
    card = export_table_card(state.replace(own=dict.fromkeys(parts)), "full", b"", 0)
    left = "1 card deck from a file, 1 card deck for the next adventure and 2 tasks."
    assert f"`/gm import` leaves out: {left}" in everything(card)
