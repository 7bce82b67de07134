"""Limits of what players and campaigns may write about options."""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import InvalidInput, Problems
from rules.core.record import to_plain
from rules.core.rng import ScriptedRng
from rules.systems.masterbook.character.option_lines import LONGEST_LINE, read_typed_option
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.character.sheet_lines import split_skills
from rules.systems.masterbook.character.skill_names import split_list
from rules.systems.masterbook.formulas.option_kinds import BACKGROUND_ROWS, Gives
from rules.systems.masterbook.system import SYSTEM
from rules.table.people.sheets import read_object
from rules.table.state import Settings, TableState
from rules.table.system import Game
from tests.sample_table import ANN, GM


def _game(actor: Any, **values: Any) -> Game:
    settings = Settings("Hills", "masterbook", ("p1",), approve=True, own=values)
    return Game(TableState(settings), SYSTEM, ScriptedRng(()), 0, actor)


@pytest.mark.parametrize("filler", [" ", ",", "(", ")", "a(", ": "])
def test_a_long_line_is_cut_before_it_is_read(filler: str) -> None:
    """A line of a hundred thousand characters is read or refused at once."""
    for start in ("a", "Skill Bonus (CI): ", "Skill Bonus (CI"):
        line = f"{start}{filler * 50_000}b"
        try:
            row = read_typed_option(line, "advantage")
        except InvalidInput as error:
            assert len(str(error.params.get("value"))) <= LONGEST_LINE
        else:
            assert row["name"] == "Skill Bonus"
        split_skills(line)


def test_commas_in_parentheses_separate_nothing() -> None:
    assert split_list("Fire Combat (pistols, rifles), Dodge,, (a") == [
        "Fire Combat (pistols, rifles)",
        "Dodge",
        "(a",
    ]


@pytest.mark.rule("MB-BG-03", "MB-BG-32")
@pytest.mark.parametrize("typed", [True, False])
def test_a_player_cannot_call_an_option_free(typed: bool) -> None:
    option: Any = "Luck (CIII); free; approved"
    if not typed:
        option = {"name": "Luck", "column": 3, "free": True, "approved": True}
    data = {"name": "Eve", "advantages": [option]}
    on = {"background_generation": True}
    with pytest.raises(Problems) as error:
        read_object(_game(ANN, **on), data, new=True)
    assert [each.code for each in error.value.problems] == ["mb-bg-comp-missing"]
    brought = read_object(_game(GM, **on), data, new=True)
    assert brought["sheet"].advantages[0].free, "a GM may give one"


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("advantages", {"name": "Odd", "column": 9}),
        ("advantages", {"name": "Odd", "column": 1, "gives": {"luck": "zzz"}}),
        ("advantages", {"name": "Odd", "column": 1, "gives": {"availability": 1_000_000}}),
        (
            "compensations",
            {
                "name": "Odd",
                "column": 1,
                "gives": {
                    "situations": [
                        {
                            "key": "age",
                            "to": "difficulty",
                            "low": -1_000_000,
                            "high": 1_000_000,
                            "proposed": 0,
                        }
                    ]
                },
            },
        ),
        ("species", {"name": "Odd", "advantages": [{"name": "Luck", "column": -3}]}),
    ],
)
def test_a_campaign_keeps_to_the_ranges_of_its_numbers(kind: str, row: dict[str, Any]) -> None:
    with pytest.raises(Problems) as error:
        SYSTEM.campaign.read({kind: [row]})
    assert error.value.code == "bad-campaign"


def test_an_advantage_has_no_price_of_its_own() -> None:
    option = BackgroundOption("Odd", 1, own=(Gives(price=3, quirk=8, toughness=2),))
    effects = option_effects(MasterbookSheet(advantages=(option,)))
    assert effects.toughness == 2
    assert not effects.prices and not effects.quirks


def test_the_rows_of_the_book_keep_to_the_ranges_themselves() -> None:
    rows = {kind: found for kind, found in to_plain(BACKGROUND_ROWS).items() if found}
    campaign = SYSTEM.campaign.read(rows)
    assert campaign.advantages == BACKGROUND_ROWS.advantages
