"""Trees of traits: reading them, and which score counts."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from rules.core.errors import NotFound, Problems
from rules.systems.barmore.reference_rows import NAMED_ATTRIBUTES, TREE_DATA
from rules.systems.barmore.trait_trees import (
    DEFAULT_TRAITS,
    MAX_DEPTH,
    MOST_NODES,
    Node,
    ResolvedTrait,
    Tree,
    activity_of,
    ancestors,
    find_trait,
    outline,
    resolve_stand_in,
    resolve_trait,
    supporting_abilities,
    usable_descendants,
)
from rules.systems.barmore.trait_trees import TREE_FORM as FORM
from tests.rules.barmore.trees import read_traits, read_tree

TREE = Tree(
    (
        Node("Rapier", "Swords"),
        Node("Fighting", None),
        Node("Blades", "fighting"),
        Node("Swords", "Blades"),
        Node("Knives", "Blades"),
        Node("Brawling", "Fighting"),
        Node("Sailing", None),
    )
)


def problems(act: Any) -> list[tuple[str, object]]:
    """Codes and fields of what is wrong."""
    with pytest.raises(Problems) as caught:
        act()
    assert caught.value.params["count"] == len(caught.value.problems)
    return [
        (str(each.params.get("what", each.code)), each.params["field"])
        for each in caught.value.problems
    ]


def nodes(*pairs: tuple[object, object]) -> list[dict[str, object]]:
    return [{"name": name, "parent": parent} for name, parent in pairs]


def below(tree: Tree, name: str) -> tuple[str, ...]:
    """The names below a trait, all of which have a score."""
    return usable_descendants(tree, {node.name: 1 for node in tree}, name)


@pytest.mark.rule("BAR-TRAIT")
def test_ways_through_the_tree() -> None:
    assert ancestors(TREE, "rapier") == ("Swords", "Blades", "Fighting")
    assert ancestors(TREE, "Sailing") == ()
    assert below(TREE, "Blades") == ("Swords", "Rapier", "Knives")
    assert below(TREE, "Rapier") == ()


@pytest.mark.rule("BAR-TRAIT")
@pytest.mark.parametrize(
    ("scores", "wanted", "descendant", "expected"),
    [
        ({"Swords": 3, "Fighting": 5}, "swords", None, ResolvedTrait("Swords", "Swords", 3, "own")),
        ({"Swords": 0, "Fighting": 5}, "Swords", None, ResolvedTrait("Swords", "Swords", 0, "own")),
        (
            {"Fighting": 5, "blades": -1},
            "Rapier",
            None,
            ResolvedTrait("Rapier", "Blades", -1, "ancestor"),
        ),
        ({"Knives": 4}, "Blades", None, ResolvedTrait("Blades", None, 0, "none")),
        ({"Knives": 4}, "Blades", "knives", ResolvedTrait("Blades", "Knives", 4, "descendant")),
        (
            {"Knives": 4, "Fighting": 1},
            "Blades",
            "Knives",
            ResolvedTrait("Blades", "Fighting", 1, "ancestor"),
        ),
        ({"Knives": 4}, "Blades", "Rapier", ResolvedTrait("Blades", None, 0, "none")),
        ({"Brawling": 4}, "Blades", None, ResolvedTrait("Blades", None, 0, "none")),
        ({"Brawling": 4}, "Blades", "Brawling", ResolvedTrait("Blades", None, 0, "none")),
        ({}, "Fighting", None, ResolvedTrait("Fighting", None, 0, "none")),
    ],
)
def test_which_score_counts(
    scores: dict[str, int], wanted: str, descendant: str | None, expected: ResolvedTrait
) -> None:
    assert resolve_trait(TREE, scores, wanted, descendant) == expected


@pytest.mark.rule("BAR-TRAIT")
def test_only_what_stands_below_can_be_justified() -> None:
    scores = (("Rapier", 2), ("Brawling", 3))
    for other in (("Brawling",), ("Fighting",), ("Blades", "Fighting"), ()):
        assert resolve_stand_in(TREE, scores, "Blades", other) == (
            ResolvedTrait("Blades", "Rapier", 2, "descendant"),
            (),
        )
    two = (("Rapier", 2), ("Knives", 0), ("Brawling", 3))
    for other in (("Brawling",), ("Fighting",), ("Blades", "Fighting"), ()):
        assert resolve_stand_in(TREE, two, "Blades", other) == (
            ResolvedTrait("Blades", None, 0, "none"),
            ("Rapier", "Knives"),
        )
    assert usable_descendants(TREE, {"Rapier": 2, "Knives": 0, "Sailing": 3}, "Blades") == (
        "Rapier",
        "Knives",
    )


@pytest.mark.rule("BAR-TRAIT", "BAR-POOL")
def test_what_may_support() -> None:
    scores = {"Fighting": 1, "Blades": 2, "Knives": 3, "Brawling": 2, "Sailing": 1, "Rapier": 0}
    assert supporting_abilities(TREE, scores, "Blades") == ("Knives", "Brawling", "Sailing")
    assert supporting_abilities(TREE, scores, "Blades", "Knives") == ("Brawling", "Sailing")
    assert supporting_abilities(TREE, scores, "Rapier") == ("Knives", "Brawling", "Sailing")


@pytest.mark.rule("BAR-TRAIT")
def test_names_as_people_type_them() -> None:
    assert find_trait(TREE, " SWORDS ") == "Swords"
    assert find_trait(TREE, "sai") == "Sailing"
    with pytest.raises(NotFound) as several:
        find_trait(TREE, "b")
    assert (several.value.code, several.value.params["nearest"]) == (
        "ambiguous-choice",
        ("Blades", "Brawling"),
    )
    with pytest.raises(NotFound) as none:
        find_trait(TREE, "swrods", "ability")
    assert (none.value.code, none.value.params["field"]) == ("not-in-tree", "ability")
    assert "Swords" in str(none.value.params["nearest"])
    for act in (ancestors, below, activity_of):
        with pytest.raises(NotFound):
            act(TREE, "Cooking")


@pytest.mark.rule("BAR-TRAIT")
def test_trees_that_look_alike_are_told_apart() -> None:
    for parent in ("A", "B", "A"):
        tree = Tree((Node("A", None), Node("B", None), Node("C", parent)))
        assert ancestors(tree, "C") == (parent,)
    for number in range(600):
        assert ancestors(Tree((Node("A", None), Node(f"N{number}", "A"))), f"n{number}") == ("A",)


@pytest.mark.rule("BAR-TRAIT", "BAR-TRAUMA")
def test_activity_is_inherited() -> None:
    attributes = DEFAULT_TRAITS.attributes
    assert activity_of(attributes, "Muscle Power") == "physical"
    assert activity_of(attributes, "wits") == "mental"
    assert activity_of(TREE, "Rapier") is None


@pytest.mark.rule("BAR-TRAIT")
def test_only_branches_with_scores_are_drawn() -> None:
    scores = {"Rapier": 2, "Fighting": 0, "Brawling": 1, "Juggling": 3}
    assert outline(TREE, scores) == (
        (0, "Fighting", 0),
        (1, "Blades", None),
        (2, "Swords", None),
        (3, "Rapier", 2),
        (1, "Brawling", 1),
        (0, "Juggling", 3),
    )
    assert outline(TREE, {}) == ()


@pytest.mark.rule("BAR-TRAIT")
def test_the_default_trees() -> None:
    traits = DEFAULT_TRAITS
    assert 35 <= len(traits.abilities) <= 45
    assert max(len(ancestors(traits.abilities, node.name)) for node in traits.abilities) >= 3
    names = {node.name for node in traits.attributes}
    assert set(NAMED_ATTRIBUTES) <= names
    assert all(activity_of(traits.attributes, name) for name in names)
    # None of the attributes that damage subtracts gives its score to another by standing above it.
    assert not any(below(traits.attributes, name) for name in NAMED_ATTRIBUTES)


@pytest.mark.rule("BAR-TRAIT")
def test_trees_are_written_as_they_are_read() -> None:
    written = FORM.all_values(DEFAULT_TRAITS)
    assert written == TREE_DATA
    assert read_traits(json.loads(json.dumps(written))) == DEFAULT_TRAITS


@pytest.mark.rule("BAR-TRAIT")
def test_everything_wrong_is_told_at_once() -> None:
    data = [
        *nodes(
            ("Fighting", None), ("FIGHTING ", None), ("Swords", "Fihgting"), ("A", "C"), ("B", "A")
        ),
        *nodes(("C", "b"), ("D", "A"), ("Self", "self"), ("", None), ("x" * 61, None), (7, None)),
        {"name": "Two\nlines", "parent": "", "activity": "spiritual"},
        {"parent": None, "color": "red"},
        "Sword",
    ]
    assert problems(lambda: read_tree(data, "abilities")) == [
        ("empty-text", "abilities[8].name"),
        ("too-long", "abilities[9].name"),
        ("wrong-type", "abilities[10].name"),
        ("unprintable-text", "abilities[11].name"),
        ("empty-text", "abilities[11].parent"),
        ("wrong-type", "abilities[11].activity"),
        ("unknown-field", "abilities[12].color"),
        ("missing-field", "abilities[12].name"),
        ("wrong-type", "abilities[13]"),
        ("duplicate-field", "abilities[1].name"),
        ("unknown-parent", "abilities[2].parent"),
        ("trait-circle", "abilities[3].parent"),
        ("trait-circle", "abilities[7].parent"),
    ]


@pytest.mark.rule("BAR-TRAIT")
def test_unknown_parents_and_circles_name_what_they_mean() -> None:
    with pytest.raises(Problems) as caught:
        read_tree(
            nodes(("Fighting", None), ("Swords", "Fihgting"), ("A", "B"), ("B", "A")), "abilities"
        )
    unknown, circle = caught.value.problems
    assert (unknown.params["what"], unknown.params["nearest"]) == ("unknown-parent", ("Fighting",))
    assert (circle.params["what"], circle.params["names"]) == ("trait-circle", ("A", "B"))


@pytest.mark.rule("BAR-TRAIT")
def test_bounds_of_a_tree() -> None:
    chain = nodes(("N0", None), *((f"N{n}", f"N{n - 1}") for n in range(1, MAX_DEPTH)))
    assert len(ancestors(read_tree(chain, "abilities"), f"N{MAX_DEPTH - 1}")) == MAX_DEPTH - 1
    longer = [*chain, *nodes((f"N{MAX_DEPTH}", f"N{MAX_DEPTH - 1}"), ("End", f"N{MAX_DEPTH}"))]
    assert problems(lambda: read_tree(longer, "x")) == [("tree-too-deep", f"x[{MAX_DEPTH}]")]
    many = nodes(*((f"N{n}", None) for n in range(MOST_NODES + 1)))
    assert problems(lambda: read_tree(many, "x")) == [("too-many-entries", "x")]
    assert problems(lambda: read_tree([], "x")) == [("missing-field", "x[0]")]
    assert problems(lambda: read_tree({}, "x")) == [("wrong-type", "x")]


@pytest.mark.rule("BAR-TRAIT")
def test_a_large_circle_is_found_quickly() -> None:
    ring = nodes(*((f"N{n}", f"N{(n + 1) % MOST_NODES}") for n in range(MOST_NODES)))
    start = time.process_time()
    assert problems(lambda: read_tree(ring, "x")) == [("trait-circle", "x[0].parent")]
    assert time.process_time() - start < 2


@pytest.mark.rule("BAR-TRAIT")
def test_a_campaign_needs_the_governing_attributes() -> None:
    data = FORM.all_values(DEFAULT_TRAITS)
    attributes = [dict(node) for node in data["attributes"] if node["name"] != "Stamina"]
    del attributes[0]["activity"]
    assert problems(lambda: read_traits({**data, "attributes": attributes, "origin": 3})) == [
        ("wrong-type", "origin"),
        ("missing-attribute", "attributes"),
        ("missing-field", "attributes[0].activity"),
    ]
    assert problems(lambda: read_traits({"abilties": []})) == [
        ("unknown-field", "abilties"),
        ("missing-field", "abilities"),
        ("missing-field", "attributes"),
    ]
