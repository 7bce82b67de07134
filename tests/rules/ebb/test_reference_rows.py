"""The tables as loaded."""

from __future__ import annotations

import pytest

from rules.systems.ebb import reference_rows


@pytest.mark.rule("EBB-LADDER")
def test_ladder() -> None:
    assert reference_rows.LADDER == (
        ("Easy", 4),
        ("Routine", 7),
        ("Tricky", 10),
        ("Difficult", 13),
        ("Very Difficult", 16),
        ("Near Impossible", 19),
        ("Legendary", 22),
    )
    assert (reference_rows.LEVEL_STEP, reference_rows.FLOOR) == (3, 4)


@pytest.mark.rule("EBB-TIER")
def test_dice() -> None:
    assert reference_rows.DIE_SIDES == (4, 6, 8, 10, 12)
    titles = {sides: tier.title for sides, tier in reference_rows.TIERS.items()}
    assert titles == {4: "student", 6: "professional", 8: "veteran", 10: "expert", 12: "master"}


@pytest.mark.rule("EBB-CHAR")
def test_character_numbers() -> None:
    assert reference_rows.ATTRIBUTES == (
        "Fitness",
        "Alertness",
        "Intellect",
        "Willpower",
        "Charisma",
        "Education",
        "Technical",
        "Zone",
    )
    assert (reference_rows.STARTING_ABILITIES, reference_rows.STARTING_DIE) == (10, 6)


@pytest.mark.rule("EBB-ANOMALY", "EBB-ARTEFACT")
def test_generator_tables_are_complete() -> None:
    assert set(reference_rows.GENERATORS) == {"anomaly", "artefact"}
    for generator in reference_rows.GENERATORS.values():
        assert [*generator] == ["first", "second"]
        for column in generator.values():
            assert (len(column.common), len(column.rare)) == (19, 10)
            assert all(entry == entry.strip() and entry for entry in column.common + column.rare)
