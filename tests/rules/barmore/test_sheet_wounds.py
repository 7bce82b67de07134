"""Attacks, armor, Wounds and their penalties, treatment, rest and the story's time."""

from __future__ import annotations

from typing import Any, cast

import pytest

from rules.table.actions import Adjust
from rules.table.blocks import Text
from rules.table.events import Notice
from tests.rules.barmore.play import MAREK, Play, sheet, table
from tests.sample_table import ANN, BEN, GM


def _attack(play: Play | None = None, **fields: Any) -> Play:
    given = {"target": "Rat", "weapon": "Boathook", "skill": "Boats", **fields}
    return (play or Play()).begin(ANN, "attack", **given)


def _sum(line: Text) -> tuple[dict[object, object], object]:
    """The terms of a hit by name, and its final degree."""
    terms = cast("tuple[Text, ...]", line.params["sum"])
    return {each.params["what"]: each.params["value"] for each in terms}, line.params["final"]


@pytest.mark.rule("BAR-TRAUMA")
def test_a_hit_leaves_the_wound_that_the_chart_has() -> None:
    play = _attack().answer("10").roll(8, 8, 8, 8)  # level 4, Muscle Power 2, Boathook 1
    (wound,) = play.sheet("Rat").wounds
    assert (wound.kind, wound.name, wound.degree, wound.penalty) == (
        "physical",
        "Serious",
        4 + 2 + 1,
        3,
    )
    assert play.how() == ["wound"]
    assert "sum" not in play.consequences()[0].params  # what NPCs can bear is theirs


@pytest.mark.rule("BAR-TRAUMA")
def test_everything_that_counts_is_told_of_players_characters() -> None:
    play = _attack(target="Ilka").answer(None).face(BEN, 8, 8, 8, 8, 5)
    # 32 against 5: level 5, Muscle Power 2, weapon 1, Toughness 1, threshold 0 (Body).
    terms = {"level": 5, "muscle": 2, "weapon": 1, "toughness": -1}
    assert _sum(play.consequences()[0]) == (terms, 7)
    assert play.sheet("Ilka").wounds[0].degree == 7


@pytest.mark.rule("BAR-TRAUMA")
def test_a_weapon_is_named_so_that_one_is_meant() -> None:
    weapons = [{"name": "Knife, long", "modifier": 2}, {"name": "Knife, thrown"}, {"name": "Hook"}]
    play = Play(table())
    marek = play.state.characters["k1"]
    play.state = play.state.with_character(marek.replace(sheet=sheet(MAREK, weapons=weapons)))
    refused = play.refused(_attack, play, weapon="knife")
    assert (refused.code, refused.params["allowed"]) == (
        "which-one",
        ("Knife, long", "Knife, thrown"),
    )
    for weapon, modifier in (("knife, long", 2), ("Knife, t", 0), ("a stone", 0)):
        play = _attack(play, weapon=weapon).answer("5").roll(8, 8, 8, 8)
        blow = play.line("bar-note", GM)
        assert blow is not None
        assert _sum(blow)[0].get("weapon", 0) == modifier


@pytest.mark.rule("BAR-ARMOR")
def test_armor_stops_and_converts() -> None:
    play = Play().begin(BEN, "attack", target="Marek", weapon="Scalpel", skill="Knives")
    play.answer(None).face(ANN, 8, 8, 8, 5, 5, 6, 8, skill="Boats")
    assert (play.check.is_open, play.sheet("Marek").wounds) == (False, ())
    play.begin(BEN, "attack", target="Marek", weapon="Scalpel", skill="Knives")
    play.answer(None).face(ANN, 8, 8, 8, 6)
    # 24 against 6: level 3, armor 1, weapon 2, threshold 1 by Body, Toughness 1 by Body: 2, made
    # non-lethal.
    assert [(wound.kind, wound.degree) for wound in play.sheet("Marek").wounds] == [
        ("physical", 1),
        ("mental", 1),
    ]
    play.begin(BEN, "attack", target="Marek", weapon="Scalpel", skill="Knives")
    play.answer(None).face(ANN, 3, 3, 2, 7)
    assert len(play.sheet("Marek").wounds) == 2  # a defense that holds
    play.begin(BEN, "attack", target="Marek", weapon="Scalpel", skill="Knives")
    play.answer(None).face(ANN, 3, 3, 2, 6)
    assert play.how() == ["stopped"]


@pytest.mark.rule("BAR-TRAUMA")
def test_attacks_on_the_mind_know_no_muscles() -> None:
    play = (
        _attack(target="Ilka", weapon="Dread", attribute="Mind")
        .answer(None)
        .face(BEN, 8, 8, 8, 8, 5)
    )
    assert [(wound.kind, wound.degree) for wound in play.sheet("Ilka").wounds] == [
        ("mental", 5 - 2)
    ]


@pytest.mark.rule("BAR-TRAUMA")
def test_bare_hands_do_not_kill() -> None:
    play = _attack(weapon=None).answer("10").roll(8, 8, 8, 8)
    assert [(wound.kind, wound.degree) for wound in play.sheet("Rat").wounds] == [
        ("physical", 3),
        ("mental", 3),
    ]


@pytest.mark.rule("BAR-TRAUMA")
def test_who_misses_does_nothing() -> None:
    play = _attack().answer("30").roll(1, 2, 2, 2)
    assert (play.sheet("Rat").wounds, play.consequences()) == ((), [])


@pytest.mark.rule("BAR-TRAUMA")
def test_a_full_sheet_takes_no_more_and_says_so() -> None:
    play = Play()
    for _ in range(50):
        play.adjust("Rat", "new wound", "physical 1")
    assert (
        play.refused(Adjust, GM, character="Rat", what="new wound", value="mental 1").code
        == "too-many-entries"
    )
    play = _attack(play).answer("10").roll(8, 8, 8, 8)
    assert (len(play.sheet("Rat").wounds), play.how()) == (50, ["no-room"])


@pytest.mark.rule("BAR-TRAUMA")
def test_wounds_count_on_their_own_kind_of_activity() -> None:
    play = (
        Play()
        .adjust("Marek", "new wound", "physical 6")
        .begin(ANN, "check", skill="Boats", attribute="Speed")
    )
    pool = play.line("bar-pool")
    assert pool is not None
    assert pool.params["modifier"] == -1
    play.begin(ANN, "check", skill="Boats", attribute="Mind")
    pool = play.line("bar-pool")
    assert pool is not None
    assert pool.params["modifier"] == -1  # a serious one on the other kind too


@pytest.mark.rule("BAR-TRAUMA", "BAR-HEAL")
def test_the_dying_are_stabilized_by_others_and_heal_then() -> None:
    play = Play().adjust("Ilka", "new wound", "physical 12")
    assert play.refused(play.begin, BEN, "check", skill="Knives").code == "incapacitated"
    assert play.days(1000).sheet("Ilka").wounds != ()
    play.begin(ANN, "treat", target="Ilka", skill="Medicine").answer(
        "3", with_=("factor: 2",)
    ).roll(8)
    assert play.how() == ["stabilized"]
    (wound,) = play.sheet("Ilka").wounds
    assert wound.stabilised and wound.factor == 2
    # 240 days, Immune System 2, twice as fast.
    assert play.days(59).sheet("Ilka").wounds != ()
    assert play.days(1).sheet("Ilka").wounds == ()
    (event,) = (event for event in play.events if isinstance(event, Notice))
    assert event.audience.everyone and [each.params["how"] for each in event.lines] == ["healed"]


@pytest.mark.rule("BAR-HEAL")
def test_a_healer_who_does_not_name_it_treats_the_worst() -> None:
    play = Play().adjust("Ilka", "new wound", "physical 2").adjust("Ilka", "new wound", "mental 4")
    play.begin(ANN, "treat", target="Ilka", skill="Medicine").answer("3", factor="2").roll(8)
    assert [str(wound.factor) for wound in play.sheet("Ilka").wounds] == ["1", "2"]
    play.begin(ANN, "treat", target="Ilka", injury="light", skill="Medicine").answer(
        "3", factor="3"
    ).roll(8)
    assert [str(wound.factor) for wound in play.sheet("Ilka").wounds] == ["3", "2"]
    play.begin(ANN, "treat", target="Ilka", injury="broken heart", skill="Medicine").answer(
        "3", factor="2"
    ).roll(8)
    assert play.how() == ["gone"]


@pytest.mark.rule("BAR-HEAL")
def test_a_contest_heals_nobody() -> None:
    play = Play().adjust("Ilka", "new wound", "physical 4")
    play.begin(ANN, "contest", target="Ilka", skill="Boats").answer(None).face(
        BEN, 8, 8, 8, 8, 2, 2, 2, 2, skill="Athletics"
    )
    assert (play.consequences(), play.sheet("Ilka").wounds[0].factor) == ([], 1)


@pytest.mark.rule("BAR-HEAL")
def test_life_slows_healing_until_there_is_rest() -> None:
    play = (
        Play().adjust("Ilka", "new wound", "physical 2").adjust("Ilka", "wound rest", "1: stopped")
    )
    assert play.days(100).sheet("Ilka").wounds != ()
    play.begin(GM, "rest", as_="Ilka")
    assert play.how() == ["rests"]
    assert play.days(3).sheet("Ilka").wounds != ()  # 7 days by Immune System 2
    assert play.days(1).sheet("Ilka").wounds == ()


@pytest.mark.rule("BAR-HEAL")
def test_the_gms_hear_of_their_npcs_alone() -> None:
    play = Play().adjust("Spy", "new wound", "physical 1").days(2)
    public, secret = play.events
    assert isinstance(public, Notice) and isinstance(secret, Notice)
    assert (public.lines, public.audience.everyone, secret.audience.gms) == ((), True, True)
    assert [each.params["how"] for each in secret.lines] == ["healed"]


@pytest.mark.rule("BAR-TRAUMA")
def test_what_npcs_bring_is_not_told() -> None:
    play = Play().adjust("Sidor", "attribute", "Muscle Power 7")
    play.begin(GM, "attack", target="Marek", skill="Brawling", as_="Sidor")
    play.face(ANN, 8, 8, 8, 8, 1, 1, skill="Brawling")
    (line,) = play.consequences()
    assert _sum(line) == ({"level": 6, "toughness": -1, "threshold": -1}, None)
    assert play.line("bar-note") is None
    gm = play.line("bar-note", GM)
    assert gm is not None
    assert _sum(gm) == ({"level": 6, "muscle": 7, "toughness": -1, "threshold": -1}, 11)


@pytest.mark.rule("BAR-TRAUMA")
def test_gms_read_what_a_hit_on_npcs_is_made_of() -> None:
    play = _attack().answer("10").roll(8, 8, 8, 8)
    assert "sum" not in play.consequences()[0].params
    gm = play.line("bar-note", GM)
    assert gm is not None
    assert _sum(gm) == ({"level": 4, "muscle": 2, "weapon": 1}, 7)
    assert play.line("bar-note", ANN) is None


@pytest.mark.rule("BAR-HEAL", "BAR-TEAM")
def test_what_a_gm_grants_fits_what_is_done() -> None:
    play = Play().begin(ANN, "check", skill="Boats")
    for word, code in (("factor: 2", "other-kind"), ("chances: 1", "other-kind")):
        assert play.refused(play.answer, with_=(word,)).code == code
