"""`/mb skill` in codes."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import NotFound
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.systems.masterbook.reference_commands import skill_blocks
from rules.table.blocks import Block, Fact, Group, Note


def usual(key: str) -> Any:
    return key == "untrained_vehicle_piloting"


def facts(name: str) -> dict[Any, Any]:
    return {
        each.what.params["what"]: each.value
        for each in skill_blocks(SKILLS[name], usual)
        if isinstance(each, Fact)
    }


def groups(name: str) -> list[Group]:
    return [each for each in skill_blocks(SKILLS[name], usual) if isinstance(each, Group)]


@pytest.mark.rule("MB-SKILL-07")
def test_every_skill_is_explained() -> None:
    # Their numbers stand with styles and wounds.
    elsewhere = (
        "Martial Arts",
        "First Aid",
        "Medicine",
    )
    for kind in SKILLS.values():
        told: tuple[Block, ...] = skill_blocks(kind, usual)
        assert isinstance(told[0], Note)
        assert len(groups(kind.name)) == len(kind.charts) + (kind.name in elsewhere)
        assert facts(kind.name)["attribute"] == kind.attribute.capitalize()


@pytest.mark.rule("MB-SKILL-02", "MB-SKILL-03")
def test_who_may_try() -> None:
    assert facts("Climbing")["untrained"].params == {"how": "yes", "number": 0}
    assert facts("Flight")["untrained"].params == {"how": "harder", "number": 8}
    assert facts("Science")["untrained"].params["how"] == "no"
    assert facts("Vehicle Piloting")["untrained"].params["how"] == "chart"
    assert "chemistry" in facts("Science")["focuses"]


def test_charts_have_their_numbers() -> None:
    (surface, _) = groups("Climbing")
    ladder = surface.rows[0][1]
    assert getattr(ladder, "params", {}) == {
        "how": "dn",
        "low": 0,
        "high": None,
        "open": False,
        "lower": False,
    }
    assert all(len(row) == 2 for row in surface.rows)
    assert len(groups("Disguise")[0].rows) == 12, "not the row for no adds"


def test_a_skill_is_meant_by_its_beginning() -> None:

    class Playing:
        setting = staticmethod(usual)

    from rules.systems.masterbook.reference_commands import COMMANDS

    skill = next(each for each in COMMANDS if each.name == "skill")
    shown: Any = skill.run(Playing(), {"name": "camou"})
    assert shown.title.params == {"text": "Camouflage"}
    with pytest.raises(NotFound, match="mb-unknown-skill"):
        skill.run(Playing(), {"name": "knitting"})
