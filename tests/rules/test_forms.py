"""One vocabulary of forms: words and JSON to values and back, what is offered, and every violation
in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import InvalidInput, Problems, RulesError
from rules.core.json_reader import Reader
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import ENTRY_KEY, Lines, Rows, Scores
from rules.table.forms.fields import (
    NO_CONTEXT,
    Flag,
    FormContext,
    Many,
    Number,
    Option,
    PartialGame,
    Pick,
    Typed,
)
from rules.table.forms.form import Form
from tests.schemas import faults


def _option(name: str) -> Option:
    return Option(name, Text("as-written", {"text": name}))


def _known(asking: FormContext) -> Iterable[Option]:
    """What the sheet knows, without what was chosen as the weapon."""
    return [_option(each) for each in asking.sheet or () if each != asking.values.get("weapon")]


def _said(value: object) -> Text:
    return Text("as-written", {"text": str(value)})


def _not_both(asking: FormContext) -> Iterable[RulesError]:
    if asking.values.get("levels", 0) > 3 and "careful" in asking.values:
        yield InvalidInput(
            "out-of-range", field="levels", value=asking.values["levels"], lowest=0, highest=3
        )


def _even(text: str) -> str:
    if len(text) % 2:
        raise InvalidInput("bad-factor", field="note", value=text)
    return text.casefold()


def _gm(asking: FormContext, word: str) -> RulesError | None:
    return None if asking.who == "gm" else InvalidInput("gm-gives-that", field="with", value=word)


SHAPE = (
    Flag("careful", also=("with care",), label=_said("careful")),
    Flag("fast"),
    Number("levels", also=("level",), high=9, offered=(1, 2), label=_said),
    Pick("weapon", choices=(_option("Spear"), _option("Long Sword"), _option("Long Bow"))),
    Many("support", choices=_known, most=3),
    Typed("note", most=20, read=_even, choices=(_option("ab"),)),
    Typed("favor", hidden_if=_gm),
)
FORM = Form(SHAPE, check=_not_both, first=("careful", "levels: 1"))
PLAIN = Form(SHAPE)
WOUND = Form(
    (
        Pick("kind", choices=(_option("burn"), _option("cut")), needed=True),
        Number("degree", low=1, needed=True),
    )
)
SHEET = Form((Typed("name", needed=True), Rows("wounds", WOUND, most=2), Flag("minor")))
ANA = FormContext(PartialGame(own=("Climbing", "Boats", "Spear", "First Aid")), who="ana")
GM = FormContext(ANA.game, who="gm")

WHOLE: dict[str, Any] = {
    "careful": True,
    "levels": 2,
    "weapon": "Long Sword",
    "support": ("Climbing", "Boats"),
    "note": "abcd",
}


@pytest.mark.parametrize(
    "words",
    [
        (
            "careful",
            "levels: 2",
            "weapon: Long Sword",
            "support: Climbing",
            "support: Boats",
            "note: abcd",
        ),
        (
            "WITH  care",
            "Level 2",
            "weapon : long sw",
            "support climb",
            "Support:boats",
            "support boats",
            "note ABcd",
        ),
    ],
)
def test_words_are_read(words: tuple[str, ...]) -> None:
    assert FORM.read_words(words, ANA) == WHOLE
    assert FORM.write_words(FORM.read_words(words, ANA)) == (
        *(
            "careful",
            "levels: 2",
            "weapon: Long Sword",
            "support: Climbing",
            "support: Boats",
            "note: abcd",
        ),
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("glory",), "unknown-option"),
        (("carefully",), "unknown-option"),
        (("careful: 2",), "unknown-option"),
        (("weapon:",), "unknown-option"),
        (("levels: many",), "not-a-number"),
        (("levels: 10",), "out-of-range"),
        (("levels: 4", "careful"), "out-of-range"),
        (("weapon: Axe",), "unknown-choice"),
        (("weapon: Long",), "ambiguous-choice"),
        (("weapon: Spear", "support: Spear"), "unknown-choice"),
        (
            ("support: Climbing", "support: Boats", "support: Spear", "support: First Aid"),
            "too-many-entries",
        ),
        (("note: abc",), "bad-factor"),
        (("note: " + "ab" * 11,), "too-long"),
        (("favor: yes",), "gm-gives-that"),
    ],
)
def test_words_that_are_refused(words: tuple[str, ...], code: str) -> None:
    with pytest.raises(RulesError) as refused:
        FORM.read_words(words, ANA)
    assert refused.value.code == code


def test_only_what_whoever_asks_may_say_is_named_and_as_they_say_it() -> None:
    form = Form(
        (
            Number("missing-tools", called="missing tools", high=9),
            Pick("die", alone="d[0-9]", example="d8", find=lambda asking, text: text),
            Many("rows", called="circumstance", example="night", find=lambda asking, text: text),
            Typed("favor", hidden_if=_gm),
        )
    )
    for who, more in ((ANA, ()), (GM, ("favor: …",))):
        with pytest.raises(RulesError) as refused:
            form.read_words(("glory",), who)
        assert refused.value.params["allowed"] == (
            "missing tools: 1",
            "d8",
            "circumstance: night",
            *more,
        )
    said = form.read_words(("missing tools: 2", "circumstance: dusk", "rows: night"))
    assert (
        said
        == {"missing-tools": 2, "rows": ("dusk", "night")}
        == form.read_words(form.write_words(said))
    )


def test_a_value_can_stand_without_its_name() -> None:
    one = Form((Pick("die", alone="d[0-9]", find=lambda asking, text: text),))
    assert one.read_words(("d8",)) == one.read_words(("die: d8",)) == {"die": "d8"}


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (("levels",), {"levels": 1}),
        (("levels:",), {"levels": 1}),
        (("Levels:4",), {"levels": 4}),
        (("support:Boats", "support:Climbing"), {"support": ("Boats", "Climbing")}),
    ],
)
def test_a_number_that_is_left_out_is_one(words: tuple[str, ...], values: dict[str, Any]) -> None:
    assert FORM.read_words(words, ANA) == values


@pytest.mark.parametrize(
    "words", [("careful", "careful"), ("levels", "levels:2"), ("weapon: Spear", "weapon: Long Bow")]
)
def test_a_word_stands_once(words: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput, match="option-twice"):
        FORM.read_words(words, ANA)


def test_what_is_like_a_word_is_suggested_else_the_first_words_or_all() -> None:
    for form, word, nearest in (
        (FORM, "carful", ("careful",)),
        (FORM, "xyz", FORM.first),
        (PLAIN, "xyz", ()),
    ):
        with pytest.raises(RulesError) as refused:
            form.read_words((word,), ANA)
        assert refused.value.params["nearest"] == nearest
        allowed = refused.value.params["allowed"]
        assert isinstance(allowed, tuple)
        assert "careful" in allowed


words = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.builds(
            "{}{}{}".format,
            st.sampled_from(
                ["careful", "with care", "fast", "level", "levels", "weapon", "support", "note"]
            ),
            st.sampled_from(["", ":", " ", ": ", " : "]),
            st.one_of(
                st.sampled_from(["Spear", "long b", "boats", "climbing"]),
                st.integers(-2, 12).map(str),
            ),
        ),
    ),
    max_size=5,
)


@given(words, st.sampled_from([FORM, PLAIN]))
def test_what_is_read_is_written_so_that_it_is_read_again(words: list[str], form: Form) -> None:
    try:
        values = form.read_words(words, ANA)
    except RulesError as error:
        assert error.code
        return
    written = form.write_words(values)
    assert form.read_words(written, ANA) == values
    assert form.write_words(form.read_words(written, ANA)) == written
    assert form.read_json(values, ANA) == values
    assert faults(_as_json(values), form.schema(ANA)) == []


def _as_json(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
    }


@pytest.mark.parametrize("form", [FORM, PLAIN])
@pytest.mark.parametrize("asking", [ANA, GM, FormContext(ANA.game, values={"weapon": "Spear"})])
def test_every_word_that_is_offered_is_read(form: Form, asking: FormContext) -> None:
    offered = form.word_options(asking)
    assert len({option.value for option in offered}) == len(offered) > 5
    for option in offered:
        assert form.write_words(form.read_words((option.value,), asking)) == (option.value,)


def test_what_was_chosen_elsewhere_changes_what_is_offered() -> None:
    held = FormContext(ANA.game, values={"weapon": "Spear"})
    assert {option.value for option in FORM.word_options(ANA)} - {
        option.value for option in FORM.word_options(held)
    } == {"support: Spear"}
    assert FORM.read_words(("support: Spear",), ANA)
    with pytest.raises(RulesError, match="unknown-choice"):
        FORM.read_words(("support: Spear",), held)


# --- JSON -----------------------------------------------------------------------------------------


def test_json_is_read_as_it_was_typed_or_picked() -> None:
    typed = {
        "weapon": "long sw",
        "support": ["climb", "Boats", "boats"],
        "note": "ABcd",
        "levels": 2,
        "fast": False,
    }
    assert FORM.read_json(typed | {"careful": True}, ANA) == WHOLE
    assert FORM.read_json({}, ANA) == {}
    sheet = {"name": "Ana", "wounds": [{"kind": "Burn", "degree": 2}], "minor": True}
    assert SHEET.read_json(sheet) == {
        "name": "Ana",
        "wounds": ({"kind": "burn", "degree": 2},),
        "minor": True,
    }


@pytest.mark.parametrize(
    ("form", "data", "wrong"),
    [
        (FORM, [], {"": "wrong-type"}),
        (FORM, {"glory": 1, "careful": "yes"}, {"glory": "unknown-field", "careful": "wrong-type"}),
        (FORM, {"levels": "2"}, {"levels": "wrong-type"}),
        (
            FORM,
            {"levels": 10, "weapon": "Long"},
            {"levels": "out-of-range", "weapon": "ambiguous-choice"},
        ),
        (FORM, {"levels": 4, "careful": True}, {"levels": "out-of-range"}),
        (
            FORM,
            {"weapon": "Spear", "support": ["Boats", "Spear", 3]},
            {"support[1]": "unknown-choice", "support[2]": "wrong-type"},
        ),
        (FORM, {"support": ["Boats"] * 4}, {"support": "too-many-entries"}),
        (FORM, {"note": "abc", "favor": "yes"}, {"note": "bad-factor", "favor": "gm-gives-that"}),
        (FORM, {"note": "two\nlines"}, {"note": "unprintable-text"}),
        (FORM, dict.fromkeys(map(str, range(300)), 1), {"": "too-many-entries"}),
        (SHEET, {}, {"name": "missing-field"}),
        (
            SHEET,
            {"name": "", "wounds": [{"kind": "cut", "degree": 0}, {"kind": "bite"}]},
            {
                "name": "empty-text",
                "wounds[0].degree": "out-of-range",
                "wounds[1].degree": "missing-field",
                "wounds[1].kind": "unknown-choice",
            },
        ),
        (SHEET, {"name": "Ana", "wounds": [1, 2, 3]}, {"wounds": "too-many-entries"}),
        (SHEET, {"name": "Ana", "wounds": [1]}, {"wounds[0]": "wrong-type"}),
    ],
)
def test_every_violation_is_told_with_its_place(
    form: Form, data: object, wrong: dict[str, str]
) -> None:
    with pytest.raises(Problems, match="bad-form") as refused:
        form.read_json(data, ANA)
    assert {each.params["field"]: each.code for each in refused.value.problems} == wrong


def test_a_schema_says_what_is_read() -> None:
    schema = SHEET.schema()
    assert (
        faults({"name": "Ana", "wounds": [{"kind": "cut", "degree": 1}], "minor": True}, schema)
        == []
    )
    assert (
        len(
            faults(
                {"wounds": [{"kind": "bite", "degree": 0}, {}, 1], "minor": 1, "size": 2}, schema
            )
        )
        == 9
    )
    assert schema["required"] == ["name"]
    assert schema["properties"]["wounds"]["items"]["properties"]["kind"] == {
        "enum": ["burn", "cut"]
    }
    assert FORM.schema()["properties"]["support"]["items"]["type"] == "string"
    assert FORM.schema(ANA)["properties"]["support"]["items"]["enum"][0] == "Climbing"


def test_what_a_form_needs_has_to_be_said_in_words_too() -> None:
    with pytest.raises(InvalidInput, match="missing-field") as refused:
        WOUND.read_words(("kind: cut",))
    assert refused.value.params["field"] == "degree"
    beside = FormContext(values={"degree": 3, "kind": "burn"})
    assert WOUND.read_words(("kind: cut",), beside) == {"degree": 3, "kind": "cut"}
    assert SHEET.read_words(("name: Ana",)) == {"name": "Ana"}
    with pytest.raises(RulesError, match="unknown-option"):
        SHEET.read_words(("name: Ana", "wounds: burn"))


# --- records --------------------------------------------------------------------------------------


class Made(Record):
    careful: bool = False
    levels: int = 1
    weapon: str | None = None
    support: tuple[str, ...] = ()
    other: int = 5


def test_values_make_a_record_and_come_from_it() -> None:
    made = FORM.make_record(Made, {key: value for key, value in WHOLE.items() if key != "note"})
    assert made == Made(True, 2, "Long Sword", ("Climbing", "Boats"))
    assert FORM.changed_values(made) == {
        key: value for key, value in WHOLE.items() if key != "note"
    }
    assert FORM.changed_values(Made(other=7)) == {}


# --- entries that are filled in as forms ----------------------------------------------------------


def _wound_form(asking: FormContext, values: Values) -> Form:
    """Only a cut has a degree to choose."""
    return WOUND if values.get("kind") == "cut" else WOUND.part("kind")


_OPENED = Rows("wounds", WOUND, kind=dict, row=_wound_form)


def test_an_entry_is_read_from_its_line_and_written_back() -> None:
    line = "kind: cut, degree: 2"
    read = _OPENED.read_entry(line)
    assert read == {"kind": "cut", "degree": 2}
    assert _OPENED.write_entry(read) == line
    assert Lines("things", row=_wound_form).read_entry("a rope") == {ENTRY_KEY: "a rope"}
    assert Lines("things", row=_wound_form).write_entry({ENTRY_KEY: "a \n rope"}) == "a rope"
    score = Scores("scores", row=_wound_form)
    assert score.read_entry("Luck: -1") == {"name": "Luck", "score": -1}
    assert score.write_entry({"name": "Luck", "score": -1}) == "Luck -1"
    with pytest.raises(InvalidInput, match="unreadable-score"):
        score.read_entry("Luck")


def test_what_is_wrong_with_an_entry_has_its_place_inside_the_entry() -> None:
    assert _OPENED.entry_problems("kind: cut, degree: 2", NO_CONTEXT) == ()
    plain = _OPENED.replace(line=lambda line: {"kind": line, "degree": 999})
    (problem,) = plain.entry_problems("cut", NO_CONTEXT)
    assert (problem.code, problem.params["field"]) == ("out-of-range", "degree")
    (problem,) = _OPENED.entry_problems("kind: cut\nkind: burn", NO_CONTEXT)
    assert problem.code == "entry-is-several"


def test_an_entry_begins_as_its_field_says() -> None:
    assert _OPENED.starts(NO_CONTEXT) == ((Text("form-add"), {}),)
    assert WOUNDS_TYPED.starts(NO_CONTEXT) == ()
    several = _OPENED.replace(add=lambda asking: ((_said("A cut"), {"kind": "cut"}),))
    assert several.starts(NO_CONTEXT) == ((_said("A cut"), {"kind": "cut"}),)


WOUNDS_TYPED = Rows("wounds", WOUND)


@pytest.mark.parametrize(("text", "value"), [("yes", True), (" No ", False)])
def test_a_flag_is_a_text_too(text: str, value: bool) -> None:
    flag = Flag("careful", default=False)
    assert flag.parse_text(Reader(), "careful", text) is value
    assert flag.parse_text(Reader(), "careful", flag.format_text(value)) is value
    values, problems = Form((flag,)).read_draft({"careful": "perhaps"})
    assert values == {} and [each.code for each in problems] == ["wrong-type"]
