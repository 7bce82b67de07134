"""What the table shows: sheets as trees, pools with their causes, and nothing that somebody may not
know.
"""

from __future__ import annotations

import pytest

from rules.table.blocks import Group, Text
from tests.rules.barmore.play import Play
from tests.sample_table import ANN, BEN, GM


@pytest.mark.rule("BAR-TRAIT")
def test_the_sheet_draws_its_trees_with_what_lies_between() -> None:
    play = Play()
    title, blocks = play.game().sheets.pages(play.game(), play.state.characters["k1"])[0]
    assert title == Text("as-written", {"text": "Traits"})
    (tree,) = [
        block
        for block in blocks
        if isinstance(block, Group) and block.title == Text("sheet-abilities")
    ]
    texts = [text for (text,) in tree.rows if isinstance(text, Text)]
    assert not any(text.params["signed"] for text in texts)
    assert tuple(
        tuple(text.params[key] for key in ("depth", "name", "score")) for text in texts
    ) == (
        (0, "Fighting", None),
        (1, "Close Combat", None),
        (2, "Brawling", 1),
        (2, "Blades", None),
        (3, "Swords", None),
        (4, "Rapier", 4),
        (0, "Athletics", 2),
        (0, "Driving", None),
        (1, "Boats", 3),
    )


@pytest.mark.rule("BAR-TRAUMA")
def test_wounds_stand_first_with_what_they_cost() -> None:
    play = Play().adjust("Marek", "new wound", "physical 8")
    how, first, *rest = play.game().sheets.health(play.game(), play.state.characters["k1"], True)
    assert (how.code, first.code, rest) == ("badly-hurt", "bar-wound", [])
    wound = first.params
    assert (wound["penalty"], wound["other"], wound["healed_at"]) == (5, 2, 120 * 24 * 60)


@pytest.mark.rule("BAR-TRAIT")
def test_what_one_plays_with_is_a_line_for_each_root() -> None:
    play = Play()
    blocks = play.game().sheets.describe(play.game(), play.state.characters["k1"])
    lines = [
        text.params
        for block in blocks
        if isinstance(block, Group)
        for (text, *_) in block.rows
        if isinstance(text, Text)
    ]
    (fighting,) = [each for each in lines if each.get("name") == "Fighting"]
    assert fighting["score"] is None
    below = fighting["items"]
    assert isinstance(below, tuple)
    assert [
        (each.params["name"], each.params["score"]) for each in below if isinstance(each, Text)
    ] == [
        ("Brawling", 1),
        ("Rapier", 4),
    ]


@pytest.mark.parametrize(
    ("wounds", "word"),
    [
        ((), "unhurt"),
        (("physical 4",), "hurt"),
        (("mental 6",), "badly-hurt"),
        (("physical 12",), "bar-dying"),
    ],
)
def test_how_somebody_is_in_a_word(wounds: tuple[str, ...], word: str) -> None:
    play = Play()
    for wound in wounds:
        play.adjust("Sidor", "new wound", wound)
    rules, sidor = play.game(), play.state.characters["k3"]
    assert rules.sheets.health(rules, sidor, False) == (Text(word),)
    assert len(rules.sheets.health(rules, sidor, True)) == 1 + len(wounds)


def test_who_was_stabilized_is_out_of_action() -> None:
    play = (
        Play().adjust("Sidor", "new wound", "physical 12").adjust("Sidor", "wound stabilized", "1")
    )
    (how,) = play.game().sheets.health(play.game(), play.state.characters["k3"], False)
    assert how == Text("bar-out")


@pytest.mark.rule("BAR-POOL")
def test_causes_of_both_sides_stand_with_their_dice() -> None:
    play = (
        Play()
        .begin(ANN, "contest", target="Ilka", skill="Boats")
        .answer(None)
        .face(BEN, 8, 8, 8, 8, 1, 2, 3, skill="Knives")
    )
    pools = [each for each in play.listed("bar-pool") if each.code == "bar-pool"]
    _, pool = pools
    assert pool.params == {
        "add": 3,
        "modifier": 0,
        "beside": True,
        "causes": (
            Text("bar-part", {"what": "start", "add": 1, "modifier": 0, "name": ""}),
            Text("bar-part", {"what": "ability", "add": 2, "modifier": 0, "name": "Knives"}),
        ),
    }


def test_of_npcs_only_what_they_try_is_told() -> None:
    play = (
        Play()
        .adjust("Sidor", "new wound", "physical 6")
        .begin(GM, "check", skill="Close Combat", attribute="Speed", as_="Sidor")
    )
    for who in (None, ANN):
        texts = play.listed("check-with", who)
        assert [text.params for text in texts] == [{"name": "Close Combat"}, {"name": "Speed"}]
        assert play.notes(who) == []
    assert "wound" in [each.params.get("what") for each in play.notes(GM)]


@pytest.mark.rule("BAR-ROLL")
def test_who_may_choose_the_sign_is_reminded_of_it() -> None:
    play = Play().begin(ANN, "check", skill="Boats").answer("10").roll(8, 8, 8, 8)
    assert Text("bar-note", {"what": "sign"}) in play.notes()
    play.begin(ANN, "check", skill="Boats").answer("30").roll(8, 8, 8, 8)
    assert Text("bar-note", {"what": "sign"}) not in play.notes()
