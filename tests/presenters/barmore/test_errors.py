"""What the arithmetic of Barmore's dice pool refuses, as people read it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.presenters.errors import error_cards
from rules.core.errors import RulesError
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN
from rules.systems.barmore.check_forms import player_form
from rules.systems.barmore.check_state import Plan, validate_request
from rules.systems.barmore.pool import Pool, find_die_type, team_pool
from rules.systems.barmore.trait_trees import DEFAULT_TRAITS, find_trait
from tests.presenters.discord_limits import check
from tests.presenters.scenes import refusal_text
from tests.rules.barmore.play import SIDOR, built_pool, sheet
from tests.rules.barmore.trees import read_chart, read_tree

TREE = DEFAULT_TRAITS.abilities


def _use(name: str, **scores: Any) -> None:
    """To use this for Blades, with these scores."""
    request = Plan(skill="Blades", use=(name,))
    validate_request(sheet(SIDOR, **scores), DEFAULT_CAMPAIGN, request)


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda: find_die_type("d10-2"), "`die`: there's no “d10-2” to choose. Did you mean"),
        (
            lambda: built_pool(3, 0, convert=5),
            "One Add Die has to stay, so you can convert 3 Add Dice here, not 5.",
        ),
        (
            lambda: built_pool(0, 0, convert=1),
            "One Add Die has to stay, so you can convert none here",
        ),
        (lambda: built_pool(100, 9), "That makes 110 dice, and you can roll at most 100 at once."),
        (
            lambda: player_form("check").read_words(("halvings: 1", "phases saved: 1")),
            "Either rush it or take more time, in phases or by halving and doubling. Give "
            "only one: "
            "halvings or phases saved.",
        ),
        (lambda: team_pool("worst_roller", [Pool(1), Pool(0)]), "Member 2 has no Add Dice left"),
        (
            lambda: find_trait(TREE, "swrods"),
            "No trait “swrods” in this campaign. Did you mean “Swords”?",
        ),
        (
            lambda: _use("Brawling", abilities={"Rapier": 1}),
            "“Brawling” isn't below Blades in the tree, so it can't stand in. For example: "
            "“Rapier”.",
        ),
        (
            lambda: _use("Brawling", abilities={}),
            "“Brawling” isn't below Blades in the tree, so it can't stand in. No trait "
            "below it has a score.",
        ),
        (
            lambda: read_tree(
                [{"name": "A", "parent": "B"}, {"name": "B", "parent": "A"}], "abilities"
            ),
            "1. `abilities[0].parent`: these traits are each other's parents in a circle: A and B. "
            "Name another trait of this tree, or write null for a root.",
        ),
        (
            lambda: read_tree(
                [{"name": "Swords"}, {"name": "Rapier", "parent": "Sword"}], "abilities"
            ),
            "1. `abilities[1].parent`: no trait “Sword” here to be its parent. "
            "Name another trait of this tree, or write null for a root. Did you mean “Swords”?",
        ),
        (
            lambda: read_chart({"rows": [{"from": 3, "name": "Light"}]}),
            "5. `rows[0].from`: the lightest Wound starts at degree 3, so lower degrees "
            "would do nothing. "
            "Start the first row at 1.",
        ),
    ],
)
def test_refusals(act: Callable[[], object], text: str) -> None:
    with pytest.raises(RulesError) as caught:
        act()
    (card,) = error_cards(caught.value)
    check(card)
    assert text in refusal_text(card)
