"""Values of a form in words: every kind of field with the labels of the form."""

from __future__ import annotations

import pytest

from bot.presenters.forms import labeled_values
from rules.table.blocks import Text
from rules.table.forms.entry_fields import Lines, Rows, Scores
from rules.table.forms.fields import NO_CONTEXT, Flag, Many, Number, Option, Pick, Typed
from rules.table.forms.form import Field, Form


def written(text: str) -> Text:
    """A label that says a text as it is."""
    return Text("as-written", {"text": text})


OPTIONS = (Option("full_auto", written("Full auto")), Option("k7", written("Marek")))
ROW = Form.of(Pick("kind", choices=OPTIONS, title=written("Kind")), Number("amount"))


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        (Pick("mode", choices=OPTIONS, title=written("Fire")), "full_auto", "Fire: Full auto"),
        (Pick("who", choices=OPTIONS, find=lambda asking, text: text), "Ilka", "Who: Ilka"),
        (Pick("who", choices=OPTIONS, null=True, nothing=written("nobody")), None, "Who: nobody"),
        (Many("with", choices=OPTIONS), ("k7", "full_auto"), "With: Marek, Full auto"),
        (Flag("no-dice", label=written("No dice")), True, "No dice"),
        (Flag("trick", title=written("Trick shot")), True, "Trick shot: yes"),
        (Flag("hidden", default=True), False, "Hidden: no"),
        (Number("modifier", low=-9), -2, "Modifier: -2"),
        (Number("dice", label=lambda number: written(f"{number} dice")), 4, "Dice: 4 dice"),
        (Typed("minutes", title=written("Time that passes")), "3 days", "Time that passes: 3 days"),
        (Lines("notes"), ("first", "second"), "Notes: first; second"),
        (Scores("skills"), {"Climbing": 3, "Speed": -1}, "Skills: Climbing 3; Speed -1"),
        (
            Rows("awards", form=ROW),
            ({"kind": "k7", "amount": 2}, {"kind": "full_auto"}),
            "Awards: Kind: Marek, Amount: 2; Kind: Full auto",
        ),
    ],
)
def test_a_value_has_the_labels_of_the_form(field: Field, value: object, text: str) -> None:
    assert labeled_values(Form.of(field), {field.key: value}, NO_CONTEXT) == [text]


def test_values_without_words_and_values_of_other_forms_are_left_out() -> None:
    form = Form.of(Typed("reason"), Pick("who", choices=OPTIONS, null=True))
    assert labeled_values(form, {"reason": "", "who": None, "other": 3}, NO_CONTEXT) == []
