"""Gate: numbers of rows and limits that documents state are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from rules.core.cards.decks import CARDS_MAX, standard_deck
from rules.systems.barmore.reference_rows import NAMED_ATTRIBUTES
from rules.systems.barmore.trait_trees import MAX_DEPTH, MOST_NODES
from rules.systems.ebb.sheet import MOST_ABILITIES
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.formulas.effect_rows import READY_MADE
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.chance.cards import DECKS_MAX

ROOT: Final = Path(__file__).resolve().parents[2]
WORDS: Final = {"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
#: A document, words of it with `#` for the number, and what the number has to be.
STATED: Final = (
    ("README.md", "# skills", len(SKILLS)),
    ("docs/masterbook.md", "each of the # skills", len(SKILLS)),
    ("docs/masterbook.md", "and # ready-made ones", len(READY_MADE)),
    ("bot/locale/en/masterbook.background.toml", "All # attributes", len(ATTRIBUTES)),
    ("docs/barmore.md", "the # that the rules name", len(NAMED_ATTRIBUTES)),
    ("docs/barmore.md", "# traits per tree", MOST_NODES),
    ("docs/barmore.md", "# levels deep", MAX_DEPTH),
    ("docs/characters.md", "up to # abilities", MOST_ABILITIES),
    ("docs/decks.md", "standard deck of # cards", len(standard_deck().cards)),
    ("docs/decks.md", "up to # decks per table", DECKS_MAX),
    ("docs/decks.md", "up to # cards each", CARDS_MAX),
)


@pytest.mark.parametrize(("document", "words", "count"), STATED)
def test_stated_numbers_are_true(document: str, words: str, count: int) -> None:
    text = (ROOT / document).read_text("utf-8")
    pattern = re.escape(words).replace(r"\#", r"([0-9]+|[a-z]+)")
    numbers = re.findall(rf"\b{pattern}", text)
    assert numbers, f"{document} says “{words}” no more: correct STATED"
    for number in numbers:
        stated = WORDS[number] if number in WORDS else int(number)
        assert stated == count, f"{document} says “{words}” of {number}: write {count} there"
