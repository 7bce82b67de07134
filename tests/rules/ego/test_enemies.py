"""Enemies of EGO: by sample, category and profile, alone and in groups."""

from __future__ import annotations

import pytest

from rules.core.errors import Problems, RulesError
from rules.systems.ego.character import enemies
from rules.systems.ego.character.sheet import EgoSheet, Profile, pool_of
from rules.systems.ego.formulas.reference_rows import CATEGORIES, Rows, rows_of
from rules.table.actions import AddNpcs
from tests.rules.ego.test_rounds import Play
from tests.sample_table import GM, game

ENEMIES = rows_of(Rows(), "enemies")


def add_enemy(**fields: object) -> list[tuple[str, EgoSheet]]:
    play = Play().do(AddNpcs, GM, **{"name": "", **fields})
    return [
        (each.name, each.sheet) for each in play.state.characters.values() if each.owner is None
    ]


@pytest.mark.rule("EGO-NME-01", "EGO-NME-03")
def test_every_sample_comes_in_by_its_name() -> None:
    for row in ENEMIES.values():
        ((name, sheet),) = add_enemy(like=row.name)
        assert name == row.name
        assert sheet.profile == Profile(
            row.att, row.defence, row.damage, row.vitality, row.ar, attacks=row.attacks
        )


def test_a_group_of_them_and_one_that_is_called_otherwise() -> None:
    assert [name for name, _ in add_enemy(name="orc", count=3)] == ["orc 1", "orc 2", "orc 3"]
    ((name, sheet),) = add_enemy(name="Grub", like="goblin")
    assert (name, sheet.profile) == ("Grub", Profile(3, 3, (2,), 6, 3))
    ((name, sheet),) = add_enemy(name="Marla")
    assert sheet == EgoSheet(), "who is like nobody has a blank sheet"


@pytest.mark.rule("EGO-NME-02")
def test_a_category_has_its_scores_and_skills() -> None:
    """The GM says which."""
    for row in CATEGORIES.values():
        ((_, sheet),) = add_enemy(like=row.name)
        assert sorted((sheet.muscle, sheet.agility, sheet.intellect, sheet.vitality)) == sorted(
            row.abilities
        )
        assert [each.level for each in sheet.skills] == [row.level] * row.skills
    ((name, sheet),) = add_enemy(like="Elites: agility, Stealth, gun combat")
    assert (name, sheet.agility, sheet.muscle) == ("Elite", 16, 12)
    assert pool_of(sheet, "Gun Combat") == pool_of(sheet, "Stealth") == 10
    assert sheet.karma == 18


@pytest.mark.rule("EGO-NME-01")
def test_an_enemy_may_have_numbers_of_its_own() -> None:
    """Also initiative, AP and a guard."""
    ((name, sheet),) = add_enemy(
        name="Ogre",
        like="att 6, defense 2, vitality 20, ar 4, damage 6, initiative 3, bonus 1, ap 2, guard 4",
    )
    assert name == "Ogre"
    assert sheet.profile == Profile(6, 2, (6,), 20, 4, 3, 1, 2, 4)


@pytest.mark.parametrize(
    ("like", "code"),
    [
        ("Basilisk", "unknown-choice"),
        ("Rookies: Stealth, Climbing, Survival", "ego-too-many-skills"),
        ("Rookies: Juggling", "unknown-choice"),
        ("att 5, damage x", "bad-character"),
    ],
)
def test_what_no_rule_knows_is_refused(like: str, code: str) -> None:
    assert Play().refused(AddNpcs, GM, name="X", like=like).code == code


@pytest.mark.parametrize(
    ("like", "said", "bounds"),
    [
        ("att 250, defense 2, vitality 12, damage 4", "att 250", (0, 100)),
        ("att 5, defense 2, vitality 0, damage 4", "vitality 0", (1, 100)),
        ("att 5, defense 2, vitality 12, damage claw 4/bite 101", "damage 101", (0, 100)),
    ],
)
def test_a_number_beyond_its_bounds_is_named(like: str, said: str, bounds: tuple[int, int]) -> None:
    error = Play().refused(AddNpcs, GM, name="X", like=like)
    assert isinstance(error, Problems)
    (problem,) = error.problems
    assert (problem.code, problem.params["value"]) == ("out-of-range", said)
    assert (problem.params["lowest"], problem.params["highest"]) == bounds


def test_what_is_offered_is_found() -> None:
    table = game("ego")
    for each in enemies.enemy_choices(table):
        assert enemies.enemy_sheet(table, each.value) is not None
    with pytest.raises(RulesError):
        enemies.enemy_sheet(table, "Rookies: agility, muscle")


@pytest.mark.parametrize("key", ["att", "defence", "damage", "vitality", "ar"])
@pytest.mark.parametrize("number", [-1, 0, 1, 100, 101, 1_000_000])
def test_a_campaign_has_the_enemies_that_npcs_can_be_made_like(key: str, number: int) -> None:
    row = {"name": "Warg", "att": 5, "defence": 2, "damage": [4], "vitality": 9, "ar": 1}
    row[key] = [number] if key == "damage" else number
    in_bounds = (1 if key == "vitality" else 0) <= number <= 100
    data = {"enemies": [row]}
    table = game("ego")
    try:
        table = game("ego", table.system.campaign.read(data))
    except Problems as error:
        (problem,) = error.problems
        assert (
            not in_bounds
            and problem.code == "out-of-range"
            and f"enemies[0].{key}" in str(problem.params)
        )
        return
    made = enemies.enemy_sheet(table, "Warg")
    assert in_bounds and made is not None
    _, sheet = table.sheets.read(table, made, False)
    assert sheet.profile is not None


@pytest.mark.parametrize("word", ["defense", "defence"])
def test_a_profile_is_read_in_both_spellings(word: str) -> None:
    ((_, sheet),) = add_enemy(name="Ogre", like=f"att 5, {word} 2, vitality 9, damage 4")
    assert sheet.profile == Profile(5, 2, (4,), 9)
