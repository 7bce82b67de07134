"""What `with` understands: every word there and back, in any case, with or without a colon."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import RulesError
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, Campaign
from rules.systems.barmore.check_forms import gm_form, player_form, read_factor, read_options
from rules.systems.barmore.check_state import Plan
from rules.systems.barmore.pool import DIE_TYPES
from rules.table.forms.form import Form
from tests.rules.barmore.play import MAREK, asking, sheet

ASK, ATTACK = player_form("check"), player_form("attack")
ABILITIES = tuple(node.name for node in DEFAULT_CAMPAIGN.traits.abilities)
counts = st.integers(0, 20)
steps = st.sampled_from(("phases_saved", "phases_extra", "halvings", "doublings"))
paces: st.SearchStrategy[dict[str, Any]] = st.dictionaries(steps, counts, max_size=1)
options = st.builds(
    lambda pace, **chosen: Plan(**pace, **chosen),
    paces,
    die=st.sampled_from(tuple(DIE_TYPES)),
    no_dice=st.booleans(),
    support=st.lists(st.sampled_from(ABILITIES), unique=True, max_size=3).map(tuple),
    use=st.lists(st.sampled_from(ABILITIES), unique=True, max_size=2).map(tuple),
    convert=counts,
    mental=st.booleans(),
    non_lethal=st.booleans(),
)


@pytest.mark.parametrize("die", DIE_TYPES)
@pytest.mark.rule("BAR-DIE")
def test_every_die_type(die: str) -> None:
    for word in (f"die: {die}", f"die {die}", die, f"  DIE:{die.upper()} "):
        assert read_options((word,), DEFAULT_CAMPAIGN).die == die


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("no dice", Plan(no_dice=True)),
        ("Dice phobe", Plan(no_dice=True)),
        ("support: boats", Plan(support=("Boats",))),
        ("support first aid", Plan(support=("First Aid",))),
        ("use: muscle power", Plan(use=("Muscle Power",))),
        ("convert 2", Plan(convert=2)),
        ("phases saved: 1", Plan(phases_saved=1)),
        ("phases extra 2", Plan(phases_extra=2)),
        ("extra phases: 2", Plan(phases_extra=2)),
        ("halvings: 1", Plan(halvings=1)),
        ("Doublings 3", Plan(doublings=3)),
        ("mental", Plan(mental=True)),
        ("non-lethal", Plan(non_lethal=True)),
    ],
)
@pytest.mark.rule("BAR-POOL", "BAR-TIME", "BAR-AUTO")
def test_every_word(word: str, expected: Plan) -> None:
    assert read_options((word,), DEFAULT_CAMPAIGN) == expected


@given(options)
def test_there_and_back(given_: Plan) -> None:
    said = ATTACK.changed_values(given_)
    assert (
        ATTACK.make_record(
            Plan, ATTACK.read_words(ATTACK.write_words(said), asking(DEFAULT_CAMPAIGN))
        )
        == given_
    )
    assert ATTACK.read_json(said, asking(DEFAULT_CAMPAIGN)) == said


@given(paces, st.none() | st.fractions(Fraction(1, 9), 9, max_denominator=9), st.none() | counts)
def test_there_and_back_for_gms(
    pace: dict[str, Any], factor: Fraction | None, chances: int | None
) -> None:
    granted = Plan(**pace, factor=None if factor is None else str(factor), chances=chances)
    form = gm_form(None)
    assert (
        form.make_record(Plan, form.read_words(form.write_words(form.changed_values(granted))))
        == granted
    )


@given(st.lists(st.text(max_size=30), max_size=5))
def test_anything_else_is_refused_in_order(words: list[str]) -> None:
    for form in (ASK, ATTACK, gm_form(None), gm_form("check")):
        try:
            values = form.read_words(words, asking(DEFAULT_CAMPAIGN))
        except RulesError as error:
            assert error.code
        else:
            assert form.read_words(form.write_words(values), asking(DEFAULT_CAMPAIGN)) == values


@pytest.mark.parametrize("word", ["0.3333333333", "1,2345678", "1.5/1.2345"])
def test_a_factor_is_written_as_the_fraction_that_it_is(word: str) -> None:
    values = gm_form("treat").read_words((f"factor {word}",))
    assert gm_form("treat").read_words(gm_form("treat").write_words(values)) == values


@pytest.mark.parametrize(
    ("form", "word", "code"),
    [
        (player_form("check"), "mental", "other-kind"),
        (player_form("team"), "nonlethal", "other-kind"),
        (gm_form("check"), "factor: 2", "other-kind"),
        (gm_form("contest"), "chances: 1", "other-kind"),
        (gm_form("treat"), "glory", "unknown-option"),
        (ASK, "support", "unknown-option"),
        (ASK, "no dice: 2", "unknown-option"),
        (ASK, "phases saved: x", "not-a-number"),
        (ASK, "convert: 101", "out-of-range"),
        (ASK, "d7", "unknown-choice"),
        (ASK, "use: glory", "not-in-tree"),
    ],
)
def test_what_does_not_belong_there_is_refused(form: Form, word: str, code: str) -> None:
    with pytest.raises(RulesError) as refused:
        form.read_words((word,), asking(DEFAULT_CAMPAIGN))
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("halvings: 1", "doublings: 1"), "two-paces"),
        (("halvings: 1", "saved 1"), "two-paces"),
        (("d8", "die: d10-1", "d8"), "option-twice"),
    ],
)
@pytest.mark.rule("BAR-TIME", "BAR-DIE")
def test_what_contradicts_itself_is_refused(words: tuple[str, ...], code: str) -> None:
    with pytest.raises(RulesError) as refused:
        ASK.read_words(words, asking(DEFAULT_CAMPAIGN))
    assert refused.value.code == code


def test_what_is_suggested_for_a_word_that_is_none() -> None:
    for form, word, nearest in (
        (ASK, "glory", ("die: d10-1", "no dice", "support: …", "convert: 1", "use: …")),
        # What was said behind a name that is nearly right stays.
        (ASK, "dei: d6+1", ("die: d6+1",)),
        (ASK, "halving 1", ("halvings 1",)),
        (
            gm_form("check"),
            "xyz",
            ("halvings: 1", "doublings: 1", "phases saved: 1", "phases extra: 1", "factor: 2"),
        ),
    ):
        with pytest.raises(RulesError) as refused:
            form.read_words((word,), asking(DEFAULT_CAMPAIGN))
        suggested = refused.value.params["nearest"]
        assert isinstance(suggested, tuple)
        assert suggested[: len(nearest)] == nearest


@pytest.mark.parametrize("words", [("no dice",), ("dice phobe",)])
def test_a_campaign_may_want_everybody_to_roll(words: tuple[str, ...]) -> None:
    with pytest.raises(RulesError, match="no-dice-phobes"):
        read_options(words, Campaign(dice_phobes=False))
    assert "no dice" not in [
        option.value for option in ASK.word_options(asking(Campaign(dice_phobes=False)))
    ]


@pytest.mark.parametrize(
    "text", ["0", "-1", "x", "1/0", "101", "1e9", "", "9" * 20, "\u0663", "1/x", "nan"]
)
@pytest.mark.rule("BAR-HEAL")
def test_factors_that_are_none(text: str) -> None:
    with pytest.raises(RulesError, match="bad-factor"):
        read_factor(text)


@pytest.mark.parametrize(
    ("text", "value"), [("2", 2), ("1,5", Fraction(3, 2)), (" 1/3 ", Fraction(1, 3))]
)
def test_factors(text: str, value: Any) -> None:
    assert read_factor(text) == value


@pytest.mark.parametrize("kind", [None, "check", "attack", "treat", "team"])
@pytest.mark.parametrize("gm", [True, False])
def test_everything_offered_is_read_and_written_as_it_is(gm: bool, kind: str | None) -> None:
    form, who = gm_form(kind) if gm else player_form(kind), asking(DEFAULT_CAMPAIGN, sheet(MAREK))
    offered = form.word_options(who)
    assert len({option.value for option in offered}) == len(offered)
    needed = {"factor": "2"} if gm and kind == "treat" else {}
    for option in offered:
        beside = who.replace(values={key: needed[key] for key in needed if key not in option.value})
        found = form.read_words((option.value,), beside)
        said = {key: each for key, each in found.items() if key not in beside.values}
        assert form.write_words(said) == (option.value,)


def test_to_each_kind_is_offered_what_belongs_to_it() -> None:
    who = asking(DEFAULT_CAMPAIGN, sheet(MAREK))
    assert {option.value for option in ATTACK.word_options(who)} - {
        option.value for option in ASK.word_options(who)
    } == {
        "mental",
        "non-lethal",
    }
    plain = {option.value for option in gm_form("check").word_options()}
    assert {option.value for option in gm_form("treat").word_options()} - plain == {
        f"factor: {factor}" for factor in (1, 2, 3)
    }
    assert {option.value for option in gm_form("team").word_options()} - plain == {
        "chances: 1",
        "chances: 2",
    }
