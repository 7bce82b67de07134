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
from rules.table.check import Values
from rules.table.forms.fields import FormContext
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
from rules.table.times.duration import parse_until

KEY: Final = "rc"


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
            WHO: action.characters,
            TEXT: action.text,
            SEAL: action.seal,
            UNTIL: until,
            MISSING: ROLL_MISSING if action.rolls else END_MISSING,
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
            chosen = values.get(WHO) or [character.id for character in called]
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
        until = str(values.get(UNTIL) or "")
        action = CallForRolls(
            **origin,
            values={key: values[key] for key in values if key not in (*RULING_KEYS, *CALL_KEYS)},
            ruling={key: values[key] for key in RULING_KEYS if values.get(key)},
            characters=tuple(values.get(WHO) or ()),
            text=values.get(TEXT) or "",
            seal=values.get(SEAL) or "",
            until=parse_until(until, UNTIL, origin["at"], rest) if until else None,
            rolls=values.get(MISSING) != END_MISSING,
        )
        await make_roll_call(ctx, action)
