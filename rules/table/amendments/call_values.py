"""Values of a roll call by the keys of its form, as a GM may correct them.

Who was called stays: the checks of the call are theirs.
"""

from __future__ import annotations

from typing import Any

from rules.table.actions import CallForRolls
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.fields import Typed
from rules.table.forms.form import Field, Form
from rules.table.lookup import find_known
from rules.table.roll_calls.call_form import (
    CALL_KEYS,
    END_MISSING,
    MISSING,
    ROLL_MISSING,
    RULING_KEYS,
    SEAL,
    TEXT,
    UNTIL,
    WHO,
    roll_call_form,
)
from rules.table.roll_calls.roll_call import players_characters
from rules.table.roll_calls.roll_call_actions import characters_here
from rules.table.system import Game
from rules.table.times.duration import parse_until, span_text


def call_entry_form(game: Game, action: CallForRolls) -> Form:
    """Return the form of a call's entry; *game* is the table before it."""
    fields: list[Field] = []
    for field in roll_call_form(game).fields:
        if field.key == UNTIL:
            fields.append(_until_field(game, action))
        elif field.key != WHO:
            fields.append(field)
    return Form(tuple(fields))


def _until_field(game: Game, action: CallForRolls) -> Typed:
    """Return the field for the end of a call, as the time that it leaves from the call on."""

    def moment(text: str) -> int:
        return parse_until(text, UNTIL, action.at, game.state.settings.rest)

    def span(moment: int) -> str:
        return span_text((moment - action.at) // 60)

    return Typed(
        UNTIL,
        most=60,
        title=Text("field-call-until"),
        read=lambda text: span(moment(text)),
        into=moment,
        back=span,
    )


def shown_call_value(field: Field, held: Any) -> Any:
    """Return the form's value for one that a call holds: only its end differs."""
    return field.form_value(held) if field.key == UNTIL else held


def held_call_value(field: Field, value: Any) -> Any:
    """Return what a call holds for a value of its form."""
    return field.record_value(value) if field.key == UNTIL else value


def example_character(game: Game, action: CallForRolls) -> str:
    """Return the id of the character whose traits stand for the choices of all; empty for none."""
    if action.characters:
        return find_known(game.state, action.who, action.characters[0], "who").id
    called = (*characters_here(game.state, action.place), *players_characters(game.state))
    return called[0].id if called else ""


def call_values(action: CallForRolls) -> dict[str, Any]:
    """Return the values that a call holds by the keys of its form; its end is a time."""
    values: dict[str, Any] = {**action.values, **action.ruling}
    values[MISSING] = ROLL_MISSING if action.rolls else END_MISSING
    if action.text:
        values[TEXT] = action.text
    if action.seal:
        values[SEAL] = action.seal
    if action.until is not None:
        values[UNTIL] = action.until
    return values


def with_call_values(action: CallForRolls, values: Values) -> CallForRolls:
    """Return a call with other values by the keys of its form; who is called stays."""
    of_check: dict[str, Any] = {}
    ruling: dict[str, Any] = {}
    for key, value in values.items():
        if key in RULING_KEYS:
            ruling[key] = value
        elif key not in CALL_KEYS:
            of_check[key] = value
    return action.replace(
        values=of_check,
        ruling=ruling,
        text=values.get(TEXT, ""),
        seal=values.get(SEAL, ""),
        until=values.get(UNTIL),
        rolls=values.get(MISSING) != END_MISSING,
    )
