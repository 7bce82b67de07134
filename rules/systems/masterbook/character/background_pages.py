"""Steps of making a character's background: Advantages, Compensations and trades (MB-BG-01)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Final, cast

from rules.core.errors import RulesError
from rules.systems.masterbook.character import option_drafts, option_forms
from rules.systems.masterbook.character.creation_budget import Budget, ColumnBudget, budget
from rules.systems.masterbook.character.creation_rules import CreationRules, creation_rules
from rules.systems.masterbook.character.drafts import Draft, drafted_sheet, hidden_field_error
from rules.systems.masterbook.character.option_changes import option_changes
from rules.systems.masterbook.character.sheet_io import CHARACTER
from rules.systems.masterbook.formulas.option_kinds import (
    BACKGROUND_ROWS,
    LIST_COLUMNS,
    ROMAN,
    Side,
)
from rules.table.blocks import Text
from rules.table.forms import Form, FormContext, Option, Rows
from rules.table.system import Game, Page


def _plays_backgrounds(key: str, game: Game, draft: Draft) -> bool:
    """Return whether the table has the step, or the draft something in it."""
    return bool(game.setting("background_generation") or draft.get(key))


def _sheet_budget(game: Game, draft: Draft) -> Budget:
    return budget(game, drafted_sheet(game, draft))


def _advantages_head(game: Game, draft: Draft) -> Text:
    """Return the Advantages of each column, and how many there may be (MB-BG-02)."""
    columns = tuple(
        Text(
            "mb-column-used",
            {"column": ROMAN[each.column], "used": each.used, "limit": each.limit},
        )
        for each in _sheet_budget(game, draft).columns
        if each.limit is None or each.limit or each.used
    )
    preset = str(game.setting("background_limits"))
    named = any(row.name == preset for row in _presets(game))
    shown = preset.replace("_", " ") if named else None
    return Text("mb-head-advantages", {"preset": shown, "columns": columns})


def _presets(game: Game) -> Sequence[Any]:
    return (*creation_rules(game).rows.presets, *BACKGROUND_ROWS.presets)


def _advantages_state(game: Game, draft: Draft) -> Text | None:
    over = sum(column.over for column in _sheet_budget(game, draft).columns)
    return Text("mb-state", {"what": "over", "n": over}) if over else None


def _advantage_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return what the Advantages change in play."""
    sheet = drafted_sheet(game, draft)
    plain = sheet.replace(advantages=())
    return tuple(option_changes(plain, sheet))


def _compensations_head(game: Game, draft: Draft) -> Text:
    """Return the Compensations that are due and chosen by column (MB-BG-03)."""
    columns = tuple(
        _column_due(each) for each in _sheet_budget(game, draft).columns if each.due or each.chosen
    )
    return Text("mb-head-compensations", {"columns": columns})


def _column_due(each: ColumnBudget) -> Text:
    return Text(
        "mb-column-due", {"column": ROMAN[each.column], "due": each.due, "chosen": each.chosen}
    )


def _compensations_state(game: Game, draft: Draft) -> Text | None:
    missing = sum(column.missing for column in _sheet_budget(game, draft).columns)
    return Text("mb-state", {"what": "missing", "n": missing}) if missing else None


def _compensation_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return what the Compensations change in play."""
    sheet = drafted_sheet(game, draft)
    return tuple(option_changes(sheet.replace(compensations=()), sheet))


def _option_field(key: str) -> Rows:
    """Return the field of one side, whose entries are pages of their own."""
    side: Side = "advantage" if key == "advantages" else "compensation"
    field = cast("Rows", CHARACTER.by_key[key])
    return field.replace(
        row=option_forms.option_form(side),
        add=option_forms.option_starts(side),
        add_label=Text("mb-option-add", {"side": side}),
        shows=partial(option_forms.option_preview, side),
        tells=partial(option_drafts.option_words, side),
        opens=partial(option_drafts.opened_line, side),
        closes=partial(option_drafts.closed_line, side),
    )


def _without_trades(asking: FormContext, word: str) -> RulesError | None:
    """Return why there are no trades: the table allows none (MB-BG-05 to MB-BG-07)."""
    keys = ("cross_column_selection", "cross_column_up", "compensation_shift")
    if any(asking.game.setting(key) for key in keys):
        return None
    return hidden_field_error(asking, word)


def _trade_choices(asking: FormContext) -> Iterable[Option]:
    """Yield the trades that the table allows."""
    rules: CreationRules = creation_rules(asking.game)
    columns = range(1, LIST_COLUMNS + 1)
    for given in columns if rules.trades.down else ():
        for wanted in range(1, given):
            shown = {"given": ROMAN[given], "column": ROMAN[wanted], "n": given - wanted + 1}
            line = f"{ROMAN[given]} for {ROMAN[wanted]}"
            yield Option(line, Text("mb-trade-choice", {"way": "down", **shown}))
    for wanted in columns if rules.trades.up else ():
        if wanted > 1:
            given_up = " + ".join([ROMAN[1]] * (wanted + 1))
            shown = {"given": given_up, "column": ROMAN[wanted]}
            line = f"{given_up} for {ROMAN[wanted]}"
            yield Option(line, Text("mb-trade-choice", {"way": "up", **shown}))
    for given in columns if rules.trades.shift else ():
        shown = {"given": ROMAN[given], "column": ROMAN[given + 1]}
        line = f"two Compensations {ROMAN[given]}"
        yield Option(line, Text("mb-trade-choice", {"way": "shift", **shown}))


_TRADES: Final = CHARACTER.by_key["trades"].replace(
    choices=_trade_choices, topic=Text("mb-trade-add"), hidden_if=_without_trades
)


# --- the steps ------------------------------------------------------------------------------------

ADVANTAGES_PAGE: Final = Page(
    "advantages",
    Text("mb-step", {"what": "advantages"}),
    Form((_option_field("advantages"), _TRADES)),
    follows=_advantage_lines,
    about=Text("mb-step-about", {"what": "advantages"}),
    state=_advantages_state,
    head=_advantages_head,
    shown=partial(_plays_backgrounds, "advantages"),
)
COMPENSATIONS_PAGE: Final = Page(
    "compensations",
    Text("mb-step", {"what": "compensations"}),
    Form((_option_field("compensations"),)),
    follows=_compensation_lines,
    about=Text("mb-step-about", {"what": "compensations"}),
    state=_compensations_state,
    head=_compensations_head,
    shown=partial(_plays_backgrounds, "compensations"),
)
