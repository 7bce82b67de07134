"""The panel in which a GM composes a call for a roll, with texts of several lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bot.presenters.forms import PanelForm, SendButton
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Body, Piece
from bot.ui.context import Context
from bot.ui.panels.form import FormPanel
from bot.ui.roll_call_answer import make_roll_call
from rules.core.errors import InvalidInput
from rules.table.actions import CallForRolls
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.checks.odds import DIFFICULTY_KEY
from rules.table.checks.procedure import AnyProcedure, kind_with_role, procedure_of
from rules.table.checks.stages import HIDDEN_FIELD, ProposalStage
from rules.table.forms.fields import FormContext, Many, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.roll_calls.roll_call import players_characters
from rules.table.roll_calls.roll_call_actions import SEAL_MAX, TEXT_MAX, characters_here
from rules.table.system import Game
from rules.table.times.duration import parse_until

KEY: Final = "rc"
_WHO: Final = "called"
_TEXT: Final = "text"
_SEAL: Final = "seal"
_UNTIL: Final = "until"
_MISSING: Final = "missing"
#: Fields of the GM's answer that a call has. All others of the form belong to the checks.
_RULING: Final = (DIFFICULTY_KEY, HIDDEN_FIELD.key)
_OWN: Final = (_WHO, _TEXT, _SEAL, _UNTIL, _MISSING)
_WHEN_OVER: Final = (
    Option("roll", Text("call-missing-roll")),
    Option("none", Text("call-missing-none")),
)


class RollCallForm:
    """Owner of the form of `/gm call`. `about` has the `place` of the call."""

    def __init__(self, forms: FormPanel) -> None:
        self._forms = forms
        forms.add(KEY, self)

    async def open(self, ctx: Context, action: CallForRolls, until: str) -> None:
        """Show the panel with everything that a command stated; `until` as it was typed."""
        draft = {
            **action.values,
            **action.ruling,
            _WHO: action.characters,
            _TEXT: action.text,
            _SEAL: action.seal,
            _UNTIL: until,
            _MISSING: "roll" if action.rolls else "none",
        }
        said = {key: value for key, value in draft.items() if value}
        await self._forms.open(ctx, KEY, {"place": action.place}, said)

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the form of the check, with who is called, the texts, and the end.

        Raises InvalidInput("call-nobody") if no player has a character.
        """
        ctx.require_gm()
        ctx.move_to(str(about["place"]))
        game, place = ctx.game, str(about["place"])
        called = characters_here(game.state, place)
        # The traits of one character stand for the choices of all.
        example = next(iter((*called, *players_characters(game.state))), None)
        if example is None:
            raise InvalidInput("call-nobody", field="who", value=None)

        def preview(values: Values) -> tuple[Piece, ...]:
            chosen = values.get(_WHO) or [character.id for character in called]
            names = tuple(game.character(who).name for who in chosen)
            return (Body(phrase("roll-call-preview", who=names, count=len(names))),)

        asking = FormContext(game, None, example.id, draft)
        sends = (SendButton("send", label_text("roll-call-send"), "primary"),)
        return PanelForm(
            roll_call_form(game), asking, label_text("roll-call-head"), sends, preview=preview
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Make the call. Raises InvalidInput("bad-until"), and as the action does."""
        ctx.require_gm()
        ctx.move_to(str(about["place"]))
        origin = ctx.origin
        rest = ctx.table.state.settings.rest
        until = str(values.get(_UNTIL) or "")
        action = CallForRolls(
            **origin,
            values={key: values[key] for key in values if key not in (*_RULING, *_OWN)},
            ruling={key: values[key] for key in _RULING if values.get(key)},
            characters=tuple(values.get(_WHO) or ()),
            text=values.get(_TEXT) or "",
            seal=values.get(_SEAL) or "",
            until=parse_until(until, _UNTIL, origin["at"], rest) if until else None,
            rolls=values.get(_MISSING) != "none",
        )
        await make_roll_call(ctx, action)


def roll_call_form(game: Game) -> Form:
    """Return the form of a call: the check's own, the GM's difficulty, and the call's fields.

    Raises Impossible("not-in-these-rules") for rules without such a check.
    """
    course = procedure_of(game, kind_with_role(game.system, "check"))
    form = course.form or Form()
    # The texts share the first dialog.
    fields: list[Any] = [
        Typed(_TEXT, most=TEXT_MAX, title=Text("field-call-text")),
        Typed(_SEAL, most=SEAL_MAX, long=True, title=Text("field-seal")),
        Typed(_UNTIL, most=60, title=Text("field-call-until")),
    ]
    fields += [field for field in form.fields if not _is_of_proposal(field)]
    fields += _ruling_fields(course)
    played = players_characters(game.state)
    people = tuple(Option(who.id, Text("named", {"name": who.name})) for who in played)
    fields += [
        Many(_WHO, choices=people, title=Text("field-called")),
        Pick(_MISSING, choices=_WHEN_OVER, title=Text("field-missing")),
    ]
    return Form(tuple(fields))


def _is_of_proposal(field: Any) -> bool:
    """Return whether a field is the player's own: how it is done, or what the GM decides."""
    return field.key in _RULING or (isinstance(field, Typed) and field.long)


def _ruling_fields(course: AnyProcedure) -> list[Any]:
    """Return the fields of the GM's answer that a call has."""
    stage = course.stages[course.first]
    if not isinstance(stage, ProposalStage):
        return []
    return [field for field in stage.rule_form.fields if field.key in _RULING]
