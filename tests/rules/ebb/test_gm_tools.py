"""What the GM keeps on a sheet (EBB-HEAL, EBB-FATE, EBB-INJURY, EBB-DRAWBACK)."""

from __future__ import annotations

import pytest

from rules.core.errors import RulesError
from rules.systems.ebb.resources import RESOURCES, TOOLS, gain_labels
from rules.systems.ebb.sheet import EbbSheet, Injury, read_sheet, write_sheet
from rules.table import resources
from rules.table.blocks import Text
from rules.table.state import Character
from tests.sample_table import ebb_character, game


def sheet(**changes: object) -> EbbSheet:
    return read_sheet(ebb_character("Anna", **changes))[1]


def by_hand(before: EbbSheet, what: str, value: str) -> EbbSheet:
    return TOOLS.adjust(game(), Character("k1", "Anna", "p2", before), what, value)[0].sheet


def adjusted_sheet(before: EbbSheet, what: str, value: str) -> EbbSheet:
    """The sheet with one value set; it must still be one that could be imported."""
    after = by_hand(before, what, value)
    assert read_sheet(write_sheet("Anna", after), new=False) == ("Anna", after)
    return after


@pytest.mark.rule("EBB-HEAL")
def test_a_sessions_end_gives_back_every_point() -> None:
    tired = sheet(sacrificed={"Fitness": 1, "Zone": 2})
    rested, back = resources.restore_points(RESOURCES, tired, "session")
    assert rested.sacrificed == ()
    assert gain_labels(back) == ("Fitness +1", "Zone +2")
    fresh = sheet(injuries=[{"text": "a cut"}])
    again, back = resources.restore_points(RESOURCES, fresh, "session")
    assert again is fresh, "injuries stay, and nothing else is touched"
    assert back == ()


@pytest.mark.rule("EBB-FATE")
def test_fate_is_awarded() -> None:
    assert [choice.value for choice in resources.award_options(RESOURCES)] == ["fate"]
    richer, line = resources.give_award(RESOURCES, "Anna", sheet(fate=3), "Fate", 4)
    assert richer.fate == 7
    said = {"name": "Anna", "what": "fate", "points": 4, "now": 7, "usual": None}
    assert line == Text("ebb-award", said)
    for kind, amount, code in (("gold", 1, "unknown-award"), ("fate", 9997, "out-of-range")):
        with pytest.raises(RulesError) as refused:
            resources.give_award(RESOURCES, "Anna", sheet(fate=3), kind, amount)
        assert refused.value.code == code


@pytest.mark.rule("EBB-INJURY")
def test_injuries_come_are_treated_and_go() -> None:
    hurt = adjusted_sheet(sheet(), "injury", "a deep cut; left arm; Serious")
    assert hurt.injuries == (Injury("a deep cut", "left arm", "serious", False),)
    hurt = adjusted_sheet(hurt, "Injury", "burns")
    assert hurt.injuries[1] == Injury("burns")
    treated = adjusted_sheet(hurt, "treated", "a deep")
    assert [injury.treated for injury in treated.injuries] == [True, False]
    assert adjusted_sheet(treated, "untreated", "1") == hurt
    healed = adjusted_sheet(treated, "healed", "2")
    assert [injury.text for injury in healed.injuries] == ["a deep cut"]
    scarred = adjusted_sheet(healed, "scar", "A white line")
    assert scarred.scarring == ("A white line",)
    assert adjusted_sheet(scarred, "scar-gone", "a white") == healed


@pytest.mark.rule("EBB-DRAWBACK")
def test_drawbacks_are_rewritten_and_stay_as_many() -> None:
    before = sheet()
    after = adjusted_sheet(before, "drawback:3", "Afraid of the dark")
    assert after.drawbacks == (*before.drawbacks[:2], "Afraid of the dark", *before.drawbacks[3:])
    assert len(after.drawbacks) == len(after.abilities)


def test_points_and_dice_are_set() -> None:
    assert adjusted_sheet(sheet(), "fate", "9999").fate == 9999
    tired = adjusted_sheet(sheet(sacrificed={"Fitness": 1}), "lost:zone", "2")
    assert tired.sacrificed == (("Fitness", 1), ("Zone", 2))
    assert adjusted_sheet(tired, "lost:Fitness", "0").sacrificed == (("Zone", 2),)
    assert [a.sides for a in adjusted_sheet(sheet(), "die:climb", "D12").abilities[:2]] == [12, 6]


@pytest.mark.parametrize(
    ("what", "value", "code"),
    [
        ("fate", "10000", "out-of-range"),
        ("fate", "-1", "out-of-range"),
        ("fate", "3", "already-so"),
        ("lost:Fitness", "2", "out-of-range"),
        ("lost:Fitness", "0", "already-so"),
        ("lost:luck", "1", "unknown-attribute"),
        ("lost:Education", "two", "not-a-number"),
        ("injury", ";arm", "empty-text"),
        ("injury", "a cut;arm;awful", "unknown-choice"),
        ("injury", "x" * 301, "too-long"),
        ("treated", "1", "unknown-choice"),
        ("scar-gone", "", "unknown-choice"),
        ("die:Climbing", "d7", "unknown-die"),
        ("die:Climbing", "d8", "already-so"),
        ("die:Flying", "d8", "unknown-ability"),
        ("drawback:11", "x", "unknown-choice"),
        ("drawback:Drawback", "x", "ambiguous-choice"),
        ("drawback:1", " ", "empty-text"),
        ("wealth", "3", "unknown-adjustable"),
        ("", "", "unknown-adjustable"),
    ],
)
def test_what_cannot_be_set_is_refused(what: str, value: str, code: str) -> None:
    with pytest.raises(RulesError) as refused:
        by_hand(sheet(), what, value)
    assert refused.value.code == code


def test_a_list_takes_a_hundred_entries() -> None:
    full = sheet(injuries=[{"text": f"cut {n}"} for n in range(100)], scarring=["line"] * 100)
    for what in ("injury", "scar"):
        with pytest.raises(RulesError, match="too-many-entries"):
            by_hand(full, what, "one more")


def test_only_what_there_is_is_offered() -> None:
    values = [choice.value for choice in TOOLS.adjustables(Character("k1", "Anna", "p2", sheet()))]
    assert values[0] == "fate"
    assert "lost:Fitness" in values
    assert "lost:Technical" not in values, "nothing can be lost of 0"
    assert not {"treated", "untreated", "healed", "scar-gone"} & set(values)
    hurt = sheet(
        injuries=[{"text": "a cut", "treated": True}, {"text": "burns"}], scarring=["line"]
    )
    anna = Character("k1", "Anna", "p2", hurt)
    values = [choice.value for choice in TOOLS.adjustables(anna)]
    assert {"treated", "untreated", "healed", "scar-gone", "die:Climbing", "drawback:10"} <= set(
        values
    )
    offered = {what: [c.value for c in TOOLS.values(anna, what)] for what in values}
    assert offered["treated"] == ["2"]
    assert offered["untreated"] == ["1"]
    assert offered["healed"] == ["1", "2"]
    assert offered["lost:Zone"] == ["0", "1", "2"]
    assert offered["die:Climbing"] == ["d4", "d6", "d8", "d10", "d12"]
    assert offered["fate"] == offered["injury"] == []
    for what, choices in offered.items():
        for value in choices:
            try:
                by_hand(hurt, what, value)
            except RulesError as error:
                assert error.code == "already-so", (what, value)
