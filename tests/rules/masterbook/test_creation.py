"""Rules of creation: findings about sheets, legal and illegal (MB-CHAR-18, MB-BG-01 to -09)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from rules.core.errors import Problems
from rules.registry import read_only_game
from rules.systems.masterbook.character.creation_budget import (
    budget,
    raw_budget,
    suggestions,
)
from rules.systems.masterbook.character.creation_findings import findings
from rules.systems.masterbook.character.creation_rules import CreationRules, background_limits
from rules.systems.masterbook.character.given_options import with_given_options
from rules.systems.masterbook.character.option_lines import OPTION_FORM, read_option
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.raw_sheet import RawSheet, raw_sheet, read_raw_sheet
from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill, skill_on_sheet
from rules.systems.masterbook.character.sheet_io import write_sheet
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.character.skill_points import theme_quota
from rules.systems.masterbook.checks.sheet_view import read, ready_characters
from rules.systems.masterbook.formulas.background_balance import ColumnTrade
from rules.systems.masterbook.formulas.equipment import CampaignRows
from rules.systems.masterbook.formulas.option_kinds import (
    BackgroundRows,
    Gives,
    OptionKind,
    Preset,
    Side,
    Species,
    SpeciesOption,
)
from rules.systems.masterbook.settings import SETTINGS
from rules.systems.masterbook.system import SYSTEM
from rules.table.system import Game
from tests.property.every_option import table

LEGAL: Final = MasterbookSheet(
    agility=10,
    dexterity=9,
    endurance=9,
    strength=8,
    intellect=9,
    mind=9,
    confidence=7,
    charisma=7,
    skills=(
        Skill("Dodge", 3),
        Skill("Fire Combat", 3, specializations=(("pistols", 2),)),
        Skill("Stealth", 2),
        Skill("Perception", 2, specializations=(("find", 2),)),
        Skill("Science", 2, "chemistry"),
        Skill("Language", 3, "French"),
        Skill("Charm", 1),
        Skill("First Aid", 2),
    ),
)
BACKGROUND: Final = {"background_generation": True, "background_limits": "pulp_fiction"}


def rules_of(settings: Mapping[str, Any] = {}, rows: BackgroundRows | None = None) -> CreationRules:
    values = {**SETTINGS.defaults, **settings}
    return CreationRules(values.__getitem__, rows or BackgroundRows())


def game_of(settings: Mapping[str, Any] = {}, campaign: CampaignRows | None = None) -> Game:
    state = table(SYSTEM)
    own = {**state.settings.own, **settings}
    rows = campaign or CampaignRows()
    return read_only_game(state.replace(settings=state.settings.replace(own=own), campaign=rows))


def options(side: Side, *lines: str) -> tuple[BackgroundOption, ...]:
    return tuple(
        OPTION_FORM.make_record(BackgroundOption, OPTION_FORM.read_json(read_option(line, side)))
        for line in lines
    )


def codes(
    rules: CreationRules, sheet: MasterbookSheet | RawSheet, phase: Any = "creation"
) -> list[str]:
    raw = raw_sheet(sheet) if isinstance(sheet, MasterbookSheet) else sheet
    return [each.error.code.removeprefix("mb-") for each in findings(rules, raw, phase)]


@pytest.mark.rule("MB-CHAR-01", "MB-CHAR-18")
def test_a_legal_sheet_has_no_findings() -> None:
    assert codes(rules_of(), LEGAL) == []
    assert codes(rules_of(BACKGROUND), LEGAL) == []


def _with_skill(sheet: MasterbookSheet, which: str, /, **changes: Any) -> MasterbookSheet:
    return sheet.replace(
        skills=tuple(
            skill.replace(**changes) if skill.name == which else skill for skill in sheet.skills
        )
    )


#: A change of the legal sheet that breaks one rule, and the code of that rule alone.
BROKEN: Final[tuple[tuple[Callable[[MasterbookSheet], MasterbookSheet], str], ...]] = (
    (lambda sheet: sheet.replace(agility=4, confidence=13), "char-attr-low"),
    (lambda sheet: sheet.replace(agility=14, dexterity=5), "char-attr-high"),
    (lambda sheet: sheet.replace(agility=11), "char-attr-overspent"),
    (lambda sheet: sheet.replace(agility=9), "char-attr-unspent"),
    (lambda sheet: sheet.replace(toughness=11), "char-toughness-mismatch"),
    (lambda sheet: sheet.replace(life_points=4), "char-lp-start"),
    (lambda sheet: sheet.replace(skill_points=1), "char-sp-not-zero"),
    (lambda sheet: _with_skill(sheet, "Charm", name="Charming"), "char-skill-unknown"),
    (lambda sheet: _with_skill(sheet, "Science", focus=""), "char-skill-focus-missing"),
    (lambda sheet: _with_skill(sheet, "Charm", focus="old men"), "char-skill-focus-not-allowed"),
    (
        lambda sheet: _with_skill(_with_skill(sheet, "Dodge", adds=4), "Stealth", adds=1),
        "char-skill-general-max",
    ),
    (lambda sheet: _with_skill(sheet, "Dodge", adds=2), "char-skill-unspent"),
    (lambda sheet: _with_skill(sheet, "Stealth", adds=3), "char-skill-overspent"),
    (
        lambda sheet: sheet.replace(advantages=options("advantage", "Luck (CII)")),
        "bg-disabled",
    ),
)


@pytest.mark.rule("MB-CHAR-02", "MB-CHAR-09", "MB-CHAR-10", "MB-CHAR-11", "MB-CHAR-12")
@pytest.mark.parametrize(("change", "code"), BROKEN, ids=[code for _, code in BROKEN])
def test_each_broken_rule_has_its_code_alone(
    change: Callable[[MasterbookSheet], MasterbookSheet], code: str
) -> None:
    assert codes(rules_of(), change(LEGAL)) == [code]


#: Options that break one rule where backgrounds are on: Advantages, Compensations, the code.
BROKEN_OPTIONS: Final = (
    (("Luck (CII)",), (), "bg-comp-missing"),
    ((), ("Poverty (CI)",), "bg-comp-extra"),
    (
        ("Luck (CII)",) * 3,
        ("Bad Luck (CII)", "Debt (CII): a bank; consequence: prison"),
        "bg-column-over-limit bg-not-repeatable",
    ),
    (("Fame (CI)",), ("Poverty (CI)",), "bg-target-missing"),
    (
        ("Additional Skill Adds (CI): Dodge", "Additional Skill Adds (CII): Dodge"),
        ("Poverty (CI)", "Bad Luck (CII)"),
        "bg-stack-skill",
    ),
    (
        ("Skill Bonus (CI): Charm, Con; group name: talk; background reason: streets; approved",),
        ("Poverty (CI)",),
        "bg-skill-group-size",
    ),
    (
        ("Skill Bonus (CI): Charm, Con, Trick; group name: talk; background reason: streets",),
        ("Poverty (CI)",),
        "bg-gm-approval",
    ),
    (("Luck (CII)",), ("Advantage Flaw (CII): Wealth (CI); flaw: taxed",), "bg-link-missing"),
    (
        ("Wealth (CI)", "Wealth (CII)"),
        ("Bad Luck (CI)", "Price (CII): Wealth (CI); price: taxes"),
        "bg-excluded-pair",
    ),
    (
        ("Luck (CII)",),
        ("Language (CII): French; own language: Basque",),
        "bg-language-limit",
    ),
    (
        ("Luck (CII)",),
        ("Handicap (CII): Mind; approved",),
        "bg-handicap2-attributes",
    ),
    (
        (
            "Supranormal Knowledge (CIII): Stealth; bonus: 4; theme: night;"
            " carry-along effects: none; approved",
        ),
        ("Quirk (CIII): the moon",),
        "bg-bonus-too-high",
    ),
)


@pytest.mark.rule(
    "MB-BG-01", "MB-BG-02", "MB-BG-03", "MB-BG-04", "MB-BG-41", "MB-BG-50", "MB-BG-52"
)
@pytest.mark.parametrize(
    ("advantages", "compensations", "expected"),
    BROKEN_OPTIONS,
    ids=[code for *_, code in BROKEN_OPTIONS],
)
def test_each_broken_option_has_its_code_alone(
    advantages: tuple[str, ...], compensations: tuple[str, ...], expected: str
) -> None:
    sheet = LEGAL.replace(
        advantages=options("advantage", *advantages),
        compensations=options("compensation", *compensations),
    )
    assert codes(rules_of(BACKGROUND), sheet) == expected.split()


@pytest.mark.rule("MB-CHAR-18")
def test_random_legal_sheets_have_no_errors_and_read_back() -> None:
    game, dice = game_of(), random.Random(7)
    for _ in range(60):
        sheet = _random_sheet(dice)
        rules = rules_of()
        found = [each for each in findings(rules, raw_sheet(sheet)) if each.blocks]
        assert found == []
        name, back = read(game, write_sheet("Any", sheet), True)
        assert (name, back) == ("Any", sheet)
        assert read_raw_sheet(write_sheet("Any", sheet)) == raw_sheet(sheet)


def _random_sheet(dice: random.Random) -> MasterbookSheet:
    """A sheet that keeps all limits, with 68 points or fewer."""
    values = dict.fromkeys(ATTRIBUTES, 5)
    for _ in range(28):
        key = dice.choice(ATTRIBUTES)
        values[key] = min(13, values[key] + 1)
    sheet = MasterbookSheet(**values)
    names = dice.sample(("Dodge", "Charm", "Stealth", "Con", "Taunt", "Running"), 4)
    skills = [Skill(name, dice.randint(1, 3)) for name in names]
    skills[0] = skills[0].replace(specializations=(("any", dice.randint(1, 2)),))
    return sheet.replace(skills=tuple(sorted(skills, key=lambda skill: skill.name)))


@pytest.mark.rule("MB-CHAR-18", "MB-CHAR-07")
def test_in_play_only_what_always_counts_is_checked() -> None:
    grown = LEGAL.replace(agility=20, life_points=9, skill_points=4)
    grown = _with_skill(grown, "Dodge", adds=9)
    assert codes(rules_of(), grown, "play") == []
    high = _with_skill(grown, "Stealth", specializations=(("crowds", 5),))
    assert codes(rules_of(), high, "play") == ["char-skill-spec-gap"]
    flawed = grown.replace(
        compensations=options("compensation", "Price (CI): Luck (CII); price: x")
    )
    assert codes(rules_of(BACKGROUND), flawed, "play") == ["bg-link-missing"]


@pytest.mark.rule("MB-BG-05", "MB-BG-06", "MB-BG-07")
def test_trades_change_slots_and_dues() -> None:
    settings = {**BACKGROUND, "cross_column_selection": True, "cross_column_up": True}
    down = LEGAL.replace(trades=(ColumnTrade("down", (3,), 1),))
    assert codes(rules_of(settings), down) == ["bg-comp-missing"]
    assert codes(rules_of(BACKGROUND), down) == ["bg-trade-disabled"]
    up = LEGAL.replace(
        trades=(ColumnTrade("up", (2, 2), 3),),
        advantages=options(
            "advantage",
            "Luck (CIII)",
            "Additional Attribute Point (CIII): Mind; background reason: books",
        ),
        compensations=options("compensation", "Quirk (CIII): the moon"),
    )
    assert codes(rules_of(settings), up) == ["bg-trade-up-comp"]
    # The GM's own Compensation of column IV has no list (MB-BG-58, OP-37).
    paid = (*up.compensations, *options("compensation", "custom (CIV): the sun burns"))
    assert codes(rules_of(settings), up.replace(compensations=paid)) == []


@pytest.mark.rule("MB-BG-08", "MB-BG-58")
def test_custom_options_need_their_setting() -> None:
    sheet = LEGAL.replace(
        advantages=options("advantage", "custom (CI): a lucky coin"),
        compensations=options("compensation", "Poverty (CI)"),
    )
    assert codes(rules_of(BACKGROUND), sheet) == ["bg-comp-extra", "bg-unknown"]
    assert codes(rules_of({**BACKGROUND, "custom_columns": True}), sheet) == []


@pytest.mark.rule("MB-BG-09")
def test_a_species_brings_its_options_and_closes_targets() -> None:
    row = Species(
        "Grakka",
        advantages=(SpeciesOption("Wealth", 1, "Hoard"),),
        compensations=(SpeciesOption("Infamy", 1, "Belligerence", notes=("reason: rage",)),),
        free=(1, 1, 1, 0),
        forbidden=("Charm",),
        highest={"agility": 9},
    )
    rules = rules_of(BACKGROUND, BackgroundRows(species=(row,)))
    raw = with_given_options(rules, raw_sheet(LEGAL.replace(species="grakka")))
    assert [option.free for option in (*raw.advantages, *raw.compensations)] == [True, True]
    assert codes(rules, raw) == ["char-attr-high"]
    assert with_given_options(rules, raw) == raw
    closed = raw.replace(
        advantages=(*raw.advantages, *options("advantage", "Additional Skill Adds (CI): Charm")),
        compensations=(*raw.compensations, *options("compensation", "Bad Luck (CI)")),
    )
    assert codes(rules, closed) == ["char-attr-high", "bg-target-forbidden"]


@pytest.mark.rule("MB-BG-31")
def test_special_effects_bring_a_first_add() -> None:
    line = "Special Effects (CIII): Alteration; effect: a spark; approved"
    sheet = LEGAL.replace(
        advantages=options("advantage", line),
        compensations=options("compensation", "Quirk (CIII): the moon"),
    )
    _, made = read(game_of(BACKGROUND), write_sheet("Zed", sheet), True)
    assert skill_on_sheet(made, "Alteration").adds == 1
    _, again = read(game_of(BACKGROUND), write_sheet("Zed", made), True)
    assert again == made
    never = {**BACKGROUND, "special_effects_free_add": "never"}
    _, bare = read(game_of(never), write_sheet("Zed", sheet), True)
    assert skill_on_sheet(bare, "Alteration").adds == 0


@pytest.mark.rule("MB-CHAR-14")
def test_the_theme_quota_is_not_rounded() -> None:
    assert [str(theme_quota(points)) for points in (18, 19, 20)] == ["9/2", "19/4", "5"]


@pytest.mark.rule("MB-BG-02")
def test_limits_are_a_preset_or_four_numbers() -> None:
    rows = BackgroundRows(presets=(Preset("Noir", (5, 0, 0, 0)),))
    assert background_limits("noir", rows) == {1: 5, 2: 0, 3: 0, 4: 0}
    assert background_limits("3/2 1,0", rows) == background_limits("pulp_fiction", rows)
    assert background_limits("unset", rows) is None
    # Without limits, every Advantage has its slot and its Compensation.
    free = rules_of({"background_generation": True})
    sheet = LEGAL.replace(advantages=options("advantage", "Luck (CIV)"))
    assert codes(free, sheet) == ["bg-comp-missing"]


@pytest.mark.rule("MB-BG-01", "MB-BG-03", "MB-BG-12")
def test_the_budget_counts_both_sides_of_each_column() -> None:
    line = "Skill Bonus (CI): Charm, Con, Trick; group name: talk; background reason: streets"
    sheet = LEGAL.replace(
        advantages=options("advantage", line, "Contacts (CIV): the moon", "Luck (CII)"),
        compensations=options("compensation", "Bad Luck (CII)"),
    )
    game = game_of({**BACKGROUND, "background_limits": "1 1 1 1"})
    found = budget(game, sheet)
    assert (found.attributes.left, found.skill_halves.left) == (0, 0)
    shown = [(row.column, row.limit, row.used, row.due, row.chosen) for row in found.columns]
    assert shown == [(1, 1, 1, 1, 0), (2, 1, 1, 1, 1), (3, 1, 0, 0, 0), (4, 1, 1, 1, 0)]
    assert [(each.title, each.names) for each in suggestions(game, sheet)] == [
        ("Contacts (CIV)", ("Employed", "Price", "Enemy"))
    ]
    assert raw_budget(rules_of(), RawSheet({"agility": 8.5})).attributes.spent == 0


@pytest.mark.rule("MB-CHAR-18")
def test_reading_names_everything_at_once_and_changes_nothing() -> None:
    data = write_sheet("Zed", LEGAL) | {"agility": 50, "mind": None, "life_points": 3}
    data["advantages"] = [{"name": "Luck", "column": 4}, {"name": "Luck", "column": 2}]
    data["skills"] = [{"name": "Dodge", "adds": 40}]
    with pytest.raises(Problems) as error:
        read(game_of({**BACKGROUND, "background_limits": "0 1 0 1"}), data, True)
    found = [(each.code, each.params["field"]) for each in error.value.problems]
    assert found == [
        ("mb-char-attr-high", "agility"),
        ("mb-char-attr-missing", "mind"),
        ("mb-char-lp-start", "life_points"),
        ("mb-char-skill-general-max", "skills[0]"),
        ("mb-bg-comp-missing", "compensations"),
        ("mb-bg-comp-missing", "compensations"),
        ("mb-bg-excluded-pair", "advantages[0]"),
    ]


@pytest.mark.rule("MB-CHAR-20")
@pytest.mark.parametrize("settings", [{}, BACKGROUND, {"attribute_points": 40}])
def test_ready_characters_can_always_be_taken(settings: dict[str, Any]) -> None:
    game = game_of(settings)
    for row in ready_characters(game):
        name, sheet = read(game, {**row, "name": "Nim"}, True)
        assert name == "Nim"
        assert bool(sheet.advantages) == bool(settings.get("background_generation"))
    changed = {**ready_characters(game)[0], "agility": 20}
    with pytest.raises(Problems):
        read(game, changed, True)


#: A campaign's own Advantage.
HOUSE: Final = OptionKind("Iron Will", 2, gives=Gives(stymied_shock=-1, initiative=2))


@pytest.mark.rule("MB-BG-08")
def test_a_campaigns_own_option_keeps_what_it_gives() -> None:
    game = game_of(BACKGROUND, CampaignRows(advantages=(HOUSE,)))
    data = write_sheet("Zed", LEGAL) | {"advantages": ["Iron Will (CII)"]}
    data["compensations"] = ["Bad Luck (CII)"]
    _, sheet = read(game, data, True)
    assert sheet.advantages[0].own == (HOUSE.gives,)
    written = write_sheet("Zed", sheet)
    assert write_sheet(*read(game, written, False)) == written
    assert read(game, written, False)[1].advantages == sheet.advantages


@pytest.mark.rule("MB-BG-08")
def test_another_tables_options_are_kept_as_words_in_play() -> None:
    home = game_of(BACKGROUND, CampaignRows(advantages=(HOUSE,)))
    data = write_sheet("Zed", LEGAL) | {"advantages": ['Iron Will (CII): "Grit"']}
    data["compensations"] = ["Bad Luck (CII)"]
    written = write_sheet("Zed", read(home, data, True)[1])
    _, kept = read(game_of(BACKGROUND), written, False)
    option = kept.advantages[0]
    assert (option.name, option.column, option.label) == ("custom", 2, "Grit")
    assert option.note("text").startswith("Iron Will (CII)")
    with pytest.raises(Problems) as error:
        read(game_of(BACKGROUND), written, True)
    assert [each.code for each in error.value.problems] == ["mb-bg-unknown"]
    # A typed line that no table has is refused in play, too.
    with pytest.raises(Problems) as error:
        read(game_of(BACKGROUND), data, False)
    (problem,) = error.value.problems
    assert (problem.code, problem.params["field"]) == ("mb-background-unknown", "advantages[0]")
