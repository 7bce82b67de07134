"""Steps of making a character's background: Advantages, Compensations and trades (MB-BG-01)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final, cast

from rules.core.errors import RulesError
from rules.systems.masterbook.character import option_drafts, option_forms
from rules.systems.masterbook.character.creation_budget import Budget, budget
from rules.systems.masterbook.character.creation_rules import creation_rules
from rules.systems.masterbook.character.drafts import Draft, drafted_sheet, hidden_field_error
from rules.systems.masterbook.character.option_changes import option_changes
from rules.systems.masterbook.character.sheet_io import CHARACTER
from rules.systems.masterbook.character.sheet_trades import trade_line
from rules.systems.masterbook.formulas.background_balance import ColumnTrade
from rules.systems.masterbook.formulas.option_kinds import (
    BACKGROUND_ROWS,
    LIST_COLUMNS,
    ROMAN,
    Side,
)
from rules.table.blocks import Text
from rules.table.forms.entry_fields import Rows
from rules.table.forms.fields import FormContext, Option
from rules.table.forms.form import Form
from rules.table.system import Game, Page


def _plays_backgrounds(key: str, game: Game, draft: Draft) -> bool:
    """Return whether the table has the step, or the draft something in it."""
    return bool(game.setting("background_generation") or draft.get(key))


def _sheet_budget(game: Game, draft: Draft) -> Budget:
    return budget(game, drafted_sheet(game, draft))


def _advantages_head(game: Game, draft: Draft) -> Text:
    """Return the Advantages of each column, and how many there may be (MB-BG-02)."""
    columns: list[Text] = []
    for column in _sheet_budget(game, draft).columns:
        if column.limit != 0 or column.used:
            shown = {"column": ROMAN[column.column], "used": column.used, "limit": column.limit}
            columns.append(Text("mb-column-used", shown))
    about = {"preset": _preset_name(game), "columns": tuple(columns)}
    return Text("mb-head-advantages", about)


def _preset_name(game: Game) -> str | None:
    """Return the name of the table's limits; None if they are numbers of its own."""
    name = str(game.setting("background_limits"))
    presets = (*creation_rules(game).rows.presets, *BACKGROUND_ROWS.presets)
    if all(preset.name != name for preset in presets):
        return None
    return name.replace("_", " ")


def _advantages_state(game: Game, draft: Draft) -> Text | None:
    over = sum(column.over for column in _sheet_budget(game, draft).columns)
    return Text("mb-state", {"what": "over", "n": over}) if over else None


def _advantage_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return the lines on what the Advantages change in play."""
    sheet = drafted_sheet(game, draft)
    return tuple(option_changes(sheet.replace(advantages=()), sheet))


def _compensations_head(game: Game, draft: Draft) -> Text:
    """Return the Compensations that are due and chosen by column (MB-BG-03)."""
    columns: list[Text] = []
    for column in _sheet_budget(game, draft).columns:
        if column.due or column.chosen:
            shown = {"column": ROMAN[column.column], "due": column.due, "chosen": column.chosen}
            columns.append(Text("mb-column-due", shown))
    return Text("mb-head-compensations", {"columns": tuple(columns)})


def _compensations_state(game: Game, draft: Draft) -> Text | None:
    missing = sum(column.missing for column in _sheet_budget(game, draft).columns)
    return Text("mb-state", {"what": "missing", "n": missing}) if missing else None


def _compensation_lines(game: Game, draft: Draft) -> tuple[Text, ...]:
    """Return the lines on what the Compensations change in play."""
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
    """Return the error for the field of trades if the table allows none (MB-BG-05 to MB-BG-07)."""
    trades = creation_rules(asking.game).trades
    if trades.down or trades.up or trades.shift:
        return None
    return hidden_field_error(asking, word)


def _trade_choices(asking: FormContext) -> Iterable[Option]:
    """Yield the trades that the table allows."""
    allowed = creation_rules(asking.game).trades
    if allowed.down:
        yield from _trades_down()
    if allowed.up:
        yield from _trades_up()
    if allowed.shift:
        yield from _shifts()


def _trades_down() -> Iterable[Option]:
    for given in range(2, LIST_COLUMNS + 1):
        for wanted in range(1, given):
            shown = {"given": ROMAN[given], "column": ROMAN[wanted], "n": given - wanted + 1}
            line = trade_line(ColumnTrade("down", (given,), wanted))
            yield Option(line, Text("mb-trade-choice", {"way": "down", **shown}))


def _trades_up() -> Iterable[Option]:
    """Yield the trades of slots of column I for one of a higher column."""
    for wanted in range(2, LIST_COLUMNS + 1):
        given = (1,) * (wanted + 1)
        shown = {"given": " + ".join(ROMAN[column] for column in given), "column": ROMAN[wanted]}
        line = trade_line(ColumnTrade("up", given, wanted))
        yield Option(line, Text("mb-trade-choice", {"way": "up", **shown}))


def _shifts() -> Iterable[Option]:
    for given in range(1, LIST_COLUMNS + 1):
        shown = {"given": ROMAN[given], "column": ROMAN[given + 1]}
        line = trade_line(ColumnTrade("shift", (given,)))
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
