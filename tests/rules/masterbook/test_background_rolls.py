"""Options on rolls: bonus numbers, difficulties that players don't see, situations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rules.core.errors import Impossible
from rules.systems.masterbook.advancement.advancement import (
    exceeds_language_limit,
    find_rise,
    possible_rises,
)
from rules.systems.masterbook.advancement.costs import next_add_cost
from rules.systems.masterbook.character.sheet import Arm, MasterbookSheet, Skill
from rules.systems.masterbook.checks.background_memory import with_recognition
from tests.rules.masterbook.option_table import OptionTable, with_options
from tests.sample_table import ANN, BEN, GM

STEALTH = (Skill("Stealth", 2),)
TALK = (Skill("Persuasion", 2), Skill("Taunt", 2), Skill("Con", 2))


def total(table: OptionTable) -> int:
    return table.newest.data.throw_of().total


@pytest.mark.rule("MB-BG-15", "MB-BG-28")
@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("Skill Bonus (CI): Stealth, Charm, Con; group name: shadows", 1),
        ("Skill Bonus (CIII): Stealth, Charm, Con", 2),
        ("Equipment (CIII): soft boots; bonus: 3; skill: Stealth", 3),
        ('Supranormal Knowledge (CIII): Stealth; bonus: 2; theme: shadows; "Shadow"', 2),
    ],
)
def test_bonus_numbers_come_after_the_chart(line: str, more: int) -> None:
    plain = OptionTable.with_lines(skills=STEALTH)
    plain.begin("check", 6, 7, skill="Stealth", difficulty="10")
    table = OptionTable.with_lines(line, skills=STEALTH)
    table.begin("check", 6, 7, skill="Stealth", difficulty="10")
    assert total(table) == total(plain) + more == 12 + more
    assert table.newest.data.throw_of().bonus == 2
    assert table.causes(gm=False), "the roller reads of it"


@pytest.mark.rule("MB-BG-28", "MB-BG-33")
def test_bonus_numbers_neither_train_nor_raise_passive_values() -> None:
    table = OptionTable.with_lines("Trademark Specialization (CII): Stealth (rooftops)")
    check = table.begin("check", 10, 4, skill="Stealth (rooftops)", difficulty="8")
    assert total(table) == 8 + 3 + 3, "the 10 is not rolled again"
    assert not check.data.mine.trained
    dodge = with_options(
        MasterbookSheet(skills=(Skill("Dodge", 2),)), "Skill Bonus (CIII): Dodge, Charm, Con"
    )
    table = OptionTable(boris=dodge)
    plain = OptionTable(boris=MasterbookSheet(skills=(Skill("Dodge", 2),)))
    for each in (table, plain):
        each.begin("contest", target="boris", skill="Stealth")
        each.choose("face", "face", BEN, 3, 3, skill="Dodge", stand="passive")
    assert table.newest.data.needed == plain.newest.data.needed == 10
    with pytest.raises(Impossible) as refused:
        OptionTable.with_lines("Skill Bonus (CIII): Science").begin(
            "check", skill="Science: chemistry", difficulty="8"
        )
    assert refused.value.code == "mb-trained-only"


@pytest.mark.rule("MB-BG-29")
def test_a_minimum_comes_before_modifiers() -> None:
    table = OptionTable.with_lines(
        "Skill Minimum (CIV): Stealth, Charm, Con", skills=STEALTH, agility=8
    )
    table.begin("check", 1, 2, skill="Stealth", difficulty="8", modifier=-1)
    assert total(table) == 10 + 0 - 1


@pytest.mark.rule("MB-BG-50", "MB-BG-15")
@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("Handicap (CI): Stealth, Charm, Con, Taunt, Dodge", 2),
        ("Handicap (CII): Agility", 3),
        ("Handicap (CII): list: Stealth 5", 5),
    ],
)
def test_a_handicap_is_harder_and_only_gms_read_of_it(line: str, more: int) -> None:
    table = OptionTable.with_lines(line, skills=STEALTH)
    check = table.begin("check", 6, 7, skill="Stealth", difficulty="8")
    assert check.data.needed == 8 + more
    succeeds = 8 + more <= 12
    assert table.numbers(gm=True) == (succeeds, {"total": 12, "number": 8 + more})
    assert table.numbers(gm=False) == (succeeds, {"total": 12, "number": 8})
    assert line.partition(":")[0] in table.causes(gm=True)
    assert not table.causes(gm=False)


@pytest.mark.rule("MB-BG-50")
def test_a_list_can_forbid_a_skill() -> None:
    table = OptionTable.with_lines("Handicap (CII): list: Running impossible, Dodge 3")
    with pytest.raises(Impossible) as refused:
        table.begin("check", skill="Running", difficulty="8")
    assert refused.value.code == "mb-ruled-out"


def attack_boris(table: OptionTable, *faces: int, weapon: str = "unarmed") -> Any:
    """Let Anna attack Boris, who defends passively; return the attack."""
    table.begin("attack", target="boris", weapon=weapon)
    return table.choose(f"defend-{table.newest.data.sides[0].use}", "pass", BEN, *faces)


#: Options of an attacker, of its target, and by how much it is harder to hit.
ATTACKS = (
    ("Handicap (CI): Unarmed Combat, Charm, Con, Taunt, Dodge", "", 2),
    ("Handicap (CII): Agility", "", 3),
    ("Age (CII): old", "", 2),
    ("", "Handicap (CII): list: Unarmed Parry 3", -3),
    ("", "Handicap (CI): Unarmed Parry, Charm, Con, Taunt, Dodge", -2),
)


@pytest.mark.rule("MB-BG-50", "MB-BG-42")
@pytest.mark.parametrize(("mine", "theirs", "harder"), ATTACKS)
def test_attacks_are_harder_or_easier_in_secret(mine: str, theirs: str, harder: int) -> None:
    sheets = [with_options(MasterbookSheet(), *filter(None, [each])) for each in (mine, theirs)]
    table = OptionTable(anna=sheets[0], boris=sheets[1])
    check = attack_boris(table, 1, 2)
    assert check.data.throws[0].total == 0
    assert table.numbers(gm=True) == (False, {"total": 0, "number": 8 + harder})
    assert table.numbers(gm=False) == (False, {"total": 0, "number": 8})
    assert table.causes(gm=True) and not table.causes(gm=False)


@pytest.mark.rule("MB-BG-28", "MB-BG-33")
def test_an_attack_takes_the_best_specialization() -> None:
    arms = (Arm("Knife"),)
    sheet = with_options(
        MasterbookSheet(arms=arms), "Trademark Specialization (CII): Melee Combat (knife)"
    )
    check = attack_boris(OptionTable(anna=sheet), 6, 7, weapon="Knife")
    assert check.data.throws[0].total == 8 + 2 + 3


@pytest.mark.rule("MB-BG-41")
def test_a_weapon_that_jams_misses() -> None:
    sheet = with_options(
        MasterbookSheet(agility=30),
        "Equipment (CIII): claws; bonus: 1; skill: Unarmed Combat",
        "Advantage Flaw (CI): Equipment (CIII); flaw: they break; fails on: 3",
    )
    for faces, kind in (((1, 2), "miss"), ((2, 2), "clear_hit")):
        check = attack_boris(OptionTable(anna=sheet), *faces)
        assert check.data.blows[0].kind == kind


@pytest.mark.rule("MB-BG-46")
@pytest.mark.parametrize("column", ["CII", "CIII"])
def test_cultural_unfamiliarity_counts_on_streetwise(column: str) -> None:
    table = OptionTable.with_lines(f"Cultural Unfamiliarity ({column}): the moon")
    check = table.begin("check", 6, 6, skill="Streetwise", difficulty="8")
    assert check.data.needed == 12 and table.numbers(gm=False)[0] is False


@pytest.mark.rule("MB-BG-30", "OP-19")
def test_an_ability_adds_to_totals() -> None:
    table = OptionTable.with_lines("Breathe Water (CIII)", skills=(Skill("Swimming", 1),))
    table.begin("check", 6, 7, skill="Swimming", difficulty="8")
    assert total(table) == 9 + 2 + 2


@pytest.mark.rule("MB-BG-23", "OP-29")
def test_a_known_culture_is_rolled_on_mind() -> None:
    table = OptionTable.with_lines("Cultures (CI): Ainu", mind=9)
    check = table.begin("check", 6, 7, skill="Scholar: Ainu", difficulty="8")
    assert total(table) == 11 and not check.data.mine.trained


@pytest.mark.rule("MB-BG-31")
def test_special_effects_open_a_skill_with_an_add() -> None:
    table = OptionTable.with_lines("Special Effects (CIII): Conjuration", mind=9)
    check = table.begin("check", 6, 7, skill="Conjuration", difficulty="8")
    assert total(table) == 9 + 1 + 2 and check.data.mine.trained
    closed = OptionTable()
    with pytest.raises(Impossible):
        closed.begin("check", skill="Conjuration", difficulty="8")


@pytest.mark.rule("MB-BG-41")
@pytest.mark.parametrize(
    ("flaw", "needed", "rolled"),
    [("difficulty: 2", 10, 13), ("bonus: -2", 8, 11), ("fails on: 3", 8, 13)],
)
def test_a_flaw_counts_with_the_skills_of_its_advantage(
    flaw: str, needed: int, rolled: int
) -> None:
    table = OptionTable.with_lines(
        "Skill Bonus (CI): Stealth, Charm, Con",
        f"Advantage Flaw (CI): Skill Bonus (CI); flaw: it shows; {flaw}",
        skills=STEALTH,
    )
    check = table.begin("check", 6, 7, skill="Stealth", difficulty="8")
    assert (check.data.needed, total(table)) == (needed, rolled)


@pytest.mark.rule("MB-BG-41")
@pytest.mark.parametrize(("faces", "worked"), [((1, 1), False), ((1, 2), False), ((2, 2), True)])
def test_a_flaw_fails_on_low_dice(faces: tuple[int, int], worked: bool) -> None:
    table = OptionTable.with_lines(
        "Skill Bonus (CI): Stealth, Charm, Con",
        "Advantage Flaw (CI): Skill Bonus (CI); flaw: it jams; fails on: 3",
        skills=STEALTH,
    )
    table.begin("check", *faces, skill="Stealth", difficulty="0")
    assert table.numbers(gm=False)[0] is worked


# --- situations -----------------------------------------------------------------------------------


def needed_total(table: OptionTable, skill: str, **values: str) -> int:
    """Roll a skill against 8 without a GM, and return what has to be reached."""
    return table.begin("check", 6, 7, skill=skill, difficulty="8", **values).data.needed


#: Options, a skill that they count for where nobody answers, and by how much.
UNASKED = (
    ("Prejudice (CI): her accent", "Persuasion", 2),
    ("Prejudice (CII): her accent", "Persuasion", 3),
    ("Age (CII): old", "Climbing", 2),
    ("Quirk (CI): sticky fingers; pattern: kleptomania", "Prestidigitation", 2),
    ("Quirk (CI): stutters; pattern: stutter", "Persuasion", 2),
)


@pytest.mark.rule("MB-BG-42", "MB-BG-55", "MB-BG-57", "OP-46")
@pytest.mark.parametrize(("line", "skill", "more"), UNASKED)
def test_situations_count_where_nobody_answers(line: str, skill: str, more: int) -> None:
    table = OptionTable.with_lines(line)
    assert needed_total(table, skill) == 8 + more
    assert table.causes(gm=True) == {line.partition(":")[0]}
    assert not table.causes(gm=False)
    assert needed_total(table, "Perception") == 8, "other skills are not meant"


@pytest.mark.rule("MB-BG-23")
def test_a_culture_helps_in_talk() -> None:
    table = OptionTable.with_lines("Cultures (CI): Ainu")
    table.begin("check", 6, 7, skill="Persuasion", difficulty="8")
    assert total(table) == 8 + 2 + 1


#: Options, a skill, and the situations that are proposed to a GM who answers.
PROPOSED = (
    ("Prejudice (CI): her accent", "Persuasion", ("outsiders 2",)),
    ("Cultural Unfamiliarity (CI): the moon", "Persuasion", ()),
    ("Cultural Unfamiliarity (CII): the moon", "Business", ()),
    ("Age (CI): old", "Climbing", ()),
    ("Age (CII): old", "Running", ("exertion 2",)),
    ("Age (CII): old", "Dodge", ()),
    ("Age (CII): young", "Business", ()),
    ("Supranormal Knowledge (CIII): Stealth; bonus: 2; theme: night", "Stealth", ("theme 2",)),
    ("Supranormal Knowledge (CIII): Stealth; bonus: 2; theme: night", "Climbing", ()),
    ("Infravision/Ultravision (CIII): mode: ultravision", "Perception", ()),
    ("Handicap (CIII): all music", "Business", ()),
    ("Achilles' Heel (CIII): water; pattern: water-panic", "Swimming", ()),
)


@pytest.mark.rule("MB-BG-15")
@pytest.mark.parametrize(("line", "skill", "words"), PROPOSED)
def test_a_gm_is_proposed_what_is_likely(line: str, skill: str, words: tuple[str, ...]) -> None:
    table = OptionTable.with_lines(line)
    table.begin("check", skill=skill)
    assert table.proposed() == words


#: Options, a skill, what a GM answers, and by how much the difficulty and the total differ.
ANSWERED = (
    ("Prejudice (CI): her accent", "Persuasion", "outsiders 3", 3, 0),
    ("Cultural Unfamiliarity (CI): the moon", "Persuasion", "origin 3", 3, 0),
    ("Cultural Unfamiliarity (CII): the moon", "Business", "similar-skills 4", 4, 0),
    ("Age (CI): old", "Climbing", "age 1", 1, 0),
    ("Age (CII): old", "Dodge", "exertion 2", 2, 0),
    ("Age (CII): young", "Business", "adult-matters 3", 3, 0),
    ("Supranormal Knowledge (CIII): Stealth; bonus: 2; theme: x", "Climbing", "theme 1", 0, 1),
    ("Infravision/Ultravision (CIII): mode: ultravision", "Perception", "dark 3", 0, 3),
    ("Achilles' Heel (CIII): water; pattern: water-panic", "Swimming", "water 4", 4, 0),
)


@pytest.mark.rule("MB-BG-15", "MB-BG-40", "MB-BG-42", "MB-BG-46")
@pytest.mark.parametrize(("line", "skill", "word", "harder", "more"), ANSWERED)
def test_what_a_gm_answers_counts(line: str, skill: str, word: str, harder: int, more: int) -> None:
    for situations in ((word,), ()):
        table = OptionTable.with_lines(line)
        table.begin("check", skill=skill)
        table.choose("rule", "roll", GM, difficulty="8", situations=situations)
        counts = bool(situations)
        check = table.choose("ready", "roll", ANN, 6, 7)
        assert check.data.needed == 8 + harder * counts
        assert total(table) == 8 + 2 + more * counts


@pytest.mark.rule("MB-BG-50")
def test_a_gm_rules_out_what_a_handicap_forbids() -> None:
    table = OptionTable.with_lines("Handicap (CIII): all climbing")
    table.begin("check", skill="Climbing")
    check = table.choose("rule", "roll", GM, difficulty="8", situations=("impossible 0",))
    assert check.data.answer == "impossible" and not check.is_open


@pytest.mark.rule("MB-BG-15", "MB-BG-55")
def test_an_answer_is_kept_for_the_same_two_characters() -> None:
    table = OptionTable.with_lines("Prejudice (CI): her accent", skills=TALK).asking()
    table.begin("interact", skill="Con", target="thug")
    assert table.proposed() == ("outsiders 2",)
    table.choose("rule", "roll", GM, situations=())
    table.choose("ready", "roll", ANN, 6, 7)
    table.begin("interact", skill="Con", target="thug")
    assert table.proposed() == ()
    table.choose("rule", "roll", GM, situations=("outsiders 1",))
    table.choose("ready", "roll", ANN, 6, 7)
    table.begin("interact", skill="Con", target="thug")
    assert table.proposed() == ("outsiders 1",)


@pytest.mark.rule("MB-BG-40", "MB-BG-57")
def test_a_target_resists_worse_or_better() -> None:
    weak = with_options(MasterbookSheet(), "Achilles' Heel (CIII): lies; pattern: con")
    wary = with_options(MasterbookSheet(), "Quirk (CIII): trusts nobody; pattern: paranoia")
    found: list[tuple[int, int]] = []
    for sheet in (MasterbookSheet(), weak, wary):
        table = OptionTable(anna=MasterbookSheet(skills=TALK), boris=sheet).asking()
        table.begin("interact", skill="Con", target="boris")
        table.choose("rule", "roll", GM)
        table.choose("ready", "roll", ANN)
        check = table.choose("resist", "active", BEN, 6, 7, 6, 7)
        found.append((check.data.needed, check.data.open_needed))
    assert found == [(11, 11), (3, 11), (15, 15)]


@pytest.mark.rule("MB-BG-25", "MB-BG-51")
@pytest.mark.parametrize(
    ("line", "skill", "more"),
    [
        ("Fame (CI): the big fight", "Persuasion", -2),
        ("Fame (CI): the big fight", "Con", 0),
        ("Infamy (CI): the robbery", "Persuasion", 2),
        ("Infamy (CII): the robbery", "Con", 4),
    ],
)
def test_those_who_recognize_a_character_are_easier_or_harder(
    line: str, skill: str, more: int
) -> None:
    found: list[int] = []
    for recognized in (False, True):
        table = OptionTable.with_lines(line, skills=TALK).asking()
        cause = line.partition(":")[0]
        table.state = with_recognition(table.game(), "anna", cause, "thug", recognized).state
        table.begin("interact", skill=skill, target="thug")
        table.choose("rule", "roll", GM)
        check = table.choose("ready", "roll", ANN, 6, 7)
        found.append(check.data.needed)
        assert not table.causes(gm=False)
    assert found[1] == found[0] + more


# --- rulings afterwards ---------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-15", "MB-BG-55")
def test_a_gm_changes_afterwards_what_has_counted() -> None:
    table = OptionTable.with_lines("Prejudice (CI): her accent")
    assert needed_total(table, "Persuasion") == 10 and table.numbers(gm=True)[1]["number"] == 10
    assert table.rulings(ANN) == []
    assert table.rulings(GM) == ["outsiders.0", "outsiders.1", "outsiders.3"]
    table.rule("outsiders.0")
    assert table.newest.data.needed == 8 and table.numbers(gm=True)[1]["number"] == 8
    assert table.rulings(GM) == [], "it is answered"
    table = OptionTable.with_lines("Cultures (CI): Ainu")
    table.begin("check", 6, 7, skill="Persuasion", difficulty="8")
    table.rule("culture.0")
    assert total(table) == 10
    needed_total(table, "Perception")
    assert table.rulings(GM) == [], "another check has begun since"


# --- odds -----------------------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-15", "MB-DN-04")
def test_odds_count_what_is_ones_own_and_keep_the_rest() -> None:
    lines = ("Skill Bonus (CI): Stealth, Charm, Con", "Handicap (CII): Agility")
    chances: list[tuple[Fraction, Fraction]] = []
    for some in ((), lines[:1], lines[1:], lines):
        table = OptionTable.with_lines(*some, skills=STEALTH)
        table.begin("check", skill="Stealth")
        table.choose("rule", "roll", GM, difficulty="14", shown=True)
        chances.append((table.odds(ANN)[0][1].success, table.odds(GM)[0][1].success))
    plain, bonus, harder, both = chances
    assert plain[0] == plain[1] == harder[0] and bonus[0] == bonus[1] == both[0]
    assert plain[0] < bonus[0] and harder[1] < plain[1] and both[1] < bonus[1]


# --- learning -------------------------------------------------------------------------------------


@pytest.mark.rule("MB-BG-26", "MB-BG-53", "OP-48")
def test_a_curve_counts_by_attribute_and_shows_in_prices() -> None:
    def prices(*lines: str) -> dict[str, int]:
        sheet = with_options(MasterbookSheet(skills=(Skill("Stealth", 2),)), *lines)
        game = OptionTable(anna=sheet).game()
        return {each.title: each.cost for each in possible_rises(game, sheet)}

    plain = prices()
    easy = prices("Learning Curve (Positive) (CIII): attributes: Agility")
    hard = prices("Learning Curve (Negative) (CII): attributes: Mind, Charisma")
    assert (plain["Stealth"], easy["Stealth"], hard["Stealth"]) == (3, 2, 3)
    assert (plain["Climbing"], easy["Climbing"]) == (4, 2)
    assert (plain["Charm"], easy["Charm"], hard["Charm"]) == (4, 4, 8)
    assert next_add_cost("general", False, 0, curve="positive", during=True) == 4
    assert next_add_cost("general", False, 3, curve="positive", during=True) == 3


@pytest.mark.rule("MB-BG-52")
def test_a_second_add_of_the_local_language_is_warned_of() -> None:
    skill = Skill("Language", 1, "French")
    sheet = with_options(MasterbookSheet(skills=(skill,)), "Language (CII): French")
    game = OptionTable(anna=sheet).game()
    rise = find_rise(game, sheet, "Language: French")
    assert not exceeds_language_limit(sheet, rise)
    taught = sheet.replace(taught=(("Language: French", 1),))
    assert exceeds_language_limit(taught, rise)
    assert not exceeds_language_limit(taught.replace(compensations=()), rise)
