"""Labels are short enough for a phone: buttons, and entries of menus."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.presenters.played_texts import SYSTEMS, play_game
from tests.presenters.sample_texts import sentences, sources

#: Letters that a phone shows of a button, and of an entry of a menu.
BUTTON: Final = 24
ENTRY: Final = 36
#: Labels that hold what a player or the GM named, which can be longer.
NAMED: Final = re.compile(r"^(Answer|Join|Leave|Defend|Approve|Cancel it as|React as|Open) ")
#: Labels that say what is spent or rolled, for nothing beside them does: how they begin, and why.
LONGER: Final = {
    "Active: ": "what the defense is rolled with",
    "Cancel it with ": "what it costs",
    "Flip a die": "what it costs, and how much is left",
    "Luck as ": "the card, and what it does",
    "Play ": "the card, and what it does",
    "Accept result for ": "whose result it is",
    "Re-roll a die": "whose re-roll it is",
    "Resist ": "what is rolled, and what it costs",
    "Spend a Life Point": "what it brings, and how many are left",
    "Yes, ": "what the lesson is worth",
}


def too_long(labels: frozenset[str], most: int) -> list[str]:
    """Return the labels that a phone cuts off."""
    return sorted(
        label
        for label in labels
        if len(label.removesuffix("…")) > most
        and not NAMED.match(label)
        and not label.startswith(tuple(LONGER))
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_buttons_fit_a_phone(system: str) -> None:
    assert too_long(play_game(system).buttons, BUTTON) == []


@pytest.mark.parametrize("system", SYSTEMS)
def test_entries_of_menus_fit_a_phone(system: str) -> None:
    assert too_long(play_game(system).entries, ENTRY) == []


def test_what_the_gm_answers_fits_a_button() -> None:
    answers = [source for source in sources() if source.key.startswith("answer-")]
    assert len(answers) > 20
    labels = frozenset(label for source in answers for label in sentences(source))
    assert too_long(labels, BUTTON) == []


def test_a_label_that_is_too_long_is_found() -> None:
    long = "Accept the result and everything else"
    assert too_long(frozenset({"Roll", "Keep the die, roll later…", long}), BUTTON) == [long]
