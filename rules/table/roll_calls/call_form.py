"""Form of a roll call: the check's own fields, the GM's difficulty, and the call's texts."""

from __future__ import annotations

from typing import Final

from rules.table.blocks import Text
from rules.table.checks.odds import DIFFICULTY_KEY
from rules.table.checks.procedure import AnyProcedure, kind_with_role, procedure_of
from rules.table.checks.stages import HIDDEN_FIELD, ProposalStage
from rules.table.forms.fields import Many, Option, Pick, Typed
from rules.table.forms.form import Field, Form
from rules.table.roll_calls.roll_call import players_characters
from rules.table.roll_calls.roll_call_actions import SEAL_MAX, TEXT_MAX
from rules.table.system import Game

#: Keys of the fields of a call that are neither the check's nor the GM's answer.
WHO: Final = "called"
TEXT: Final = "text"
SEAL: Final = "seal"
UNTIL: Final = "until"
MISSING: Final = "missing"
CALL_KEYS: Final = (WHO, TEXT, SEAL, UNTIL, MISSING)
#: Values of the field for what happens at the end of a call.
ROLL_MISSING: Final = "roll"
END_MISSING: Final = "none"
#: Fields of the GM's answer that a call has. All others of the form belong to the checks.
RULING_KEYS: Final = (DIFFICULTY_KEY, HIDDEN_FIELD.key)
_WHEN_OVER: Final = (
    Option(ROLL_MISSING, Text("call-missing-roll")),
    Option(END_MISSING, Text("call-missing-none")),
)


def roll_call_form(game: Game) -> Form:
    """Return the form of a call: the check's own, the GM's difficulty, and the call's fields.

    Raises Impossible("not-in-these-rules") for rules without such a check.
    """
    course = procedure_of(game, kind_with_role(game.system, "check"))
    form = course.form or Form()
    # The texts share the first dialog.
    fields: list[Field] = [
        Typed(TEXT, most=TEXT_MAX, title=Text("field-call-text")),
        Typed(SEAL, most=SEAL_MAX, long=True, title=Text("field-seal")),
        Typed(UNTIL, most=60, title=Text("field-call-until")),
    ]
    fields += [field for field in form.fields if not _is_of_proposal(field)]
    fields += _ruling_fields(course)
    played = players_characters(game.state)
    people = tuple(Option(who.id, Text("named", {"name": who.name})) for who in played)
    fields += [
        Many(WHO, choices=people, title=Text("field-called")),
        Pick(MISSING, choices=_WHEN_OVER, title=Text("field-missing")),
    ]
    return Form(tuple(fields))


def _is_of_proposal(field: Field) -> bool:
    """Return whether a field is the player's own: how it is done, or what the GM decides."""
    return field.key in RULING_KEYS or (isinstance(field, Typed) and field.long)


def _ruling_fields(course: AnyProcedure) -> list[Field]:
    """Return the fields of the GM's answer that a call has."""
    stage = course.stages[course.first]
    if not isinstance(stage, ProposalStage):
        return []
    return [field for field in stage.rule_form.fields if field.key in RULING_KEYS]
