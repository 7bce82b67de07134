"""The exact chances of a check or of dice.

A card says the number that matters and its picture the rest; whoever reads gets all of it in words,
and so does the picture's alt text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from bot.presenters.controls import BUTTONS_PER_ROW, Button, Drawing, Picture, button_rows
from bot.presenters.drawing.charts import MAX_BARS, Bar, bar_chart, fits_grid, grid
from bot.presenters.language.dice_text import number_text, range_text
from bot.presenters.language.text import (
    Markdown,
    name_text,
    percent,
    with_capital,
    with_stop,
)
from bot.presenters.language.words import label_text, say, say_bare
from bot.presenters.layout import Gap, Layout, Piece, build_layout, spoken_text
from rules.core.dice import Notation
from rules.core.dice.notation import Dice
from rules.core.dice.odds import Amount
from rules.core.dice.odds_summary import MIDDLE_SHARE, Summary
from rules.table.blocks import Text
from rules.table.checks.odds import OddsReport
from rules.table.system import Odds, OddsTable

#: The file that the picture comes in.
ODDS_FILENAME: Final = "odds.png"
#: So many difficulties stand side by side in a picture of all dice.
_ACROSS: Final = 5
#: Columns of totals in a picture, at most.
_COLUMNS: Final = 3
#: More totals than these are put together into as many ranges: in words, and in a picture of so
#: many columns.
_ROWS: Final = 20
_ROWS_OF: Final = {columns: min(_ROWS, columns * MAX_BARS) for columns in range(1, _COLUMNS + 1)}
#: As many as are wanted of a summary.
SUMMARY_SIZES: Final = (*_ROWS_OF.values(), _ROWS)
_NUMBER: Final = re.compile(r" \((\d+)\)$")
_SIDES: Final = re.compile(r"d(\d+)")


def exact_percent(chance: Fraction) -> str:
    """To a tenth of a percent: `62.5%`."""
    return percent(chance, 1)


def _short_percent(chance: Fraction) -> str:
    """As a picture has it: `<1%`."""
    return percent(chance).replace("under ", "<").replace("over ", ">")


def _decimal(value: Fraction, places: int) -> str:
    """`22.5`: without needless zeros, with a real minus."""
    return f"{float(value):.{places}f}".rstrip("0").rstrip(".").replace("-", "−")


def _likely_range(low: Amount, high: Amount) -> str:
    """What the total lies between in most rolls: `80%: 7–14`."""
    return f"{percent(MIDDLE_SHARE)}: {range_text(low, high)}"


def _alt(what: str, lines: Sequence[str]) -> str:
    return " ".join(
        [f"{what}.", *(with_stop(spoken_text(line).removeprefix("- ")) for line in lines)]
    )


# --- of a check -----------------------------------------------------------------------------------


def _target(table: OddsTable) -> str:
    """`Tricky 10`."""
    return _NUMBER.sub(r" \1", say_bare(table[0][1].target))


def _way(name: str) -> str:
    return name if name[1:2].isdigit() else with_capital(name)  # dice stay as they are written


def _bar(label: Text, chance: Fraction, *, marked: bool = False) -> Bar:
    return Bar(_way(say_bare(label)), chance, _short_percent(chance), marked)


def _certain_labels(tables: Sequence[OddsTable]) -> tuple[Text, ...]:
    """What succeeds for sure against every one of several difficulties; said once."""
    sure = [[label for label, odds in table if odds.success == 1] for table in tables]
    return (
        tuple([label for label in sure[0] if all(label in each for each in sure)])
        if sure[1:]
        else ()
    )


def _totals(odds: Odds) -> list[str]:
    """`average 27.4, 80%: 21–34`; nothing where the system tells none."""
    if odds.totals is None:
        return []
    beyond = (1 - MIDDLE_SHARE) / 2
    likely = _likely_range(odds.totals.percentile(beyond), odds.totals.percentile(1 - beyond))
    return [
        say(
            Text(
                "odds-average", {"mean": _decimal(odds.totals.mean, 1), "likely": Markdown(likely)}
            )
        )
    ]


def ways_by_size(table: OddsTable) -> OddsTable:
    """Return the ways of rolling sorted by their die, smallest first; a way without dice is last.

    A table without columns keeps its order.
    """
    if not any(odds.columns for _, odds in table):
        return table

    def size(row: tuple[Text, Odds]) -> tuple[bool, int]:
        found = _SIDES.match(say_bare(row[0]))
        return found is None, int(found[1]) if found else 0

    return tuple(sorted(table, key=size))


def _sure_lines(tables: Sequence[OddsTable]) -> list[str]:
    sure = _certain_labels(tables)
    return [say(Text("odds-sure", {"labels": tuple(sure)}))] if sure else []


def _all_lines(tables: Sequence[OddsTable]) -> list[str]:
    """Every number: of one difficulty all that can come of it, of several the chances of
    success.
    """
    first, certain = tables[0], _certain_labels(tables)
    if len(tables) == 1:
        return [
            f"- {_way(say(label))}: **{exact_percent(odds.success)}**"
            + "".join(f" · {say(line)} {exact_percent(chance)}" for line, chance in odds.outcomes)
            + "".join(f" · {told}" for told in _totals(odds))
            + (f" · {say(odds.note)}" if odds.note is not None else "")
            for label, odds in ways_by_size(first)
        ]
    lines: list[str] = []
    for table in tables:
        shown = [
            f"{say(label)} {exact_percent(odds.success)}"
            for label, odds in table
            if label not in certain
        ]
        lines.append(f"- **{_target(table)}:** {', '.join(shown)}")
    lines += [
        f"- {_way(say(label))}: {_totals(odds)[0]}"
        for label, odds in first
        if odds.totals is not None
    ]
    return lines + _sure_lines(tables)


def _headline_index(tables: Sequence[OddsTable]) -> int:
    """The place of the difficulty that the head is about: of several the hardest that rather
    succeeds.
    """
    return max([at for at, table in enumerate(tables) if 2 * table[0][1].success > 1], default=0)


def _picture(tables: Sequence[OddsTable]) -> tuple[Picture, list[str]]:
    """The picture, and what stands beside it because it does not hold it."""
    at = _headline_index(tables)
    (label, odds), *others = tables[at]
    choice = odds.totals is not None
    with_it = f"With {say(label)}: " if choice else ""
    beside: list[str] = []
    if len(tables) == 1:
        bars = [_bar(way, each.success, marked=way is label) for way, each in tables[0]]
        room = 0 if choice else max(0, MAX_BARS - len(bars))
        possible = [(line, chance) for line, chance in odds.outcomes if chance]
        bars += [_bar(line, chance) for line, chance in possible[:room]]
        rest = [f"{say(line)} {percent(chance)}" for line, chance in possible[room:]]
        if rest or choice:
            beside.append(with_it + " · ".join([*rest, *_totals(odds)]))
        beside += [
            f"{_way(say(way))}: {say(each.note)}."
            for way, each in tables[0]
            if each.note is not None
        ]
        drawing = _grid_of_ways(tables[0]) or Drawing(bar_chart, (tuple(bars[:MAX_BARS]),))
    else:
        sure = _certain_labels(tables)
        if choice:
            start = max(0, min(at - _ACROSS // 2, len(tables) - _ACROSS))
            drawing = _grid_of_dice(tables[start : start + _ACROSS])
            beside.append(with_it + _totals(odds)[0])
        else:
            shown = [(_target(table), table[0][1].success) for table in tables[:MAX_BARS]]
            bars = [
                Bar(name, each, _short_percent(each), at == n)
                for n, (name, each) in enumerate(shown)
            ]
            drawing = Drawing(bar_chart, (tuple(bars),))
        told = [
            f"{say(way)} {percent(each.success)}"
            for way, each in others
            if way not in sure and not (choice and each.totals is not None)
        ]
        if told:
            beside.append(f"Against {_target(tables[at])}: {' · '.join(told)}")
        beside += _sure_lines(tables)
    return Picture(
        ODDS_FILENAME, drawing, _alt(say(Text("odds-chances")), _all_lines(tables))
    ), beside


def _grid_of_ways(table: OddsTable) -> Drawing | None:
    """Return a grid with a row for each way of rolling; None without columns or without room."""
    columns = [say_bare(line) for line, _ in table[0][1].columns]
    if not columns:
        return None
    rows = [["", "success", *columns]]
    for label, odds in ways_by_size(table):
        chances = (odds.success, *[chance for _, chance in odds.columns])
        name = Text(label.code, {**label.params, "short": True})
        rows.append([_way(say_bare(name)), *map(_short_percent, chances)])
    return Drawing(grid, (rows, range(1, len(rows[0])))) if fits_grid(rows) else None


def _grid_of_dice(tables: Sequence[OddsTable]) -> Drawing:
    """A row for each die, a column for each difficulty."""
    rows = [["", *(str(table[0][1].needed) for table in tables)]]
    for place, (way, odds) in enumerate(tables[0]):
        if odds.totals is not None:
            rows.append(
                [say_bare(way), *(_short_percent(table[place][1].success) for table in tables)]
            )
    return Drawing(grid, (rows, range(1, len(tables) + 1)))


def _near_line(chances: OddsReport, near: Sequence[OddsTable]) -> str:
    """`Easier: Routine 7, 86% · Harder: Difficult 13, 45%`."""
    own = chances.tables[0][0][1].needed
    told: list[str] = []
    for table in near:
        odds = table[0][1]
        easier = odds.needed is not None and own is not None and odds.needed < own
        text = say(
            Text(
                "odds-near",
                {
                    "easier": easier,
                    "target": Markdown(_target(table)),
                    "chance": percent(odds.success),
                },
            )
        )
        told.append(text.replace(" ", "\u00a0"))  # a phone breaks between the two
    return " · ".join(told)


def odds_card(
    chances: OddsReport,
    *,
    draw: bool,
    near: Sequence[OddsTable] = (),
    propose: str = "",
    rolls: Sequence[Button] = (),
) -> Layout:
    """Return a character's odds, all in words, or with `draw` as a picture.

    `near` are the odds against easier and harder levels. `propose` is the id of the button that
    makes a check of it. `rolls` are buttons that roll in each of the ways.
    """
    tables = chances.tables
    label, odds = tables[_headline_index(tables)][0]
    against = odds.needed if odds.needed is not None else say(odds.target)
    traits = [say(line) for line in chances.traits]
    if odds.totals is not None:
        traits.append(say(label))
    lines = [with_capital(", ".join(traits))] if traits else []
    if chances.shifts:
        lines.append(say(Text("odds-modifiers", {"modifiers": tuple(chances.shifts)})))
    lines += map(say, chances.notes)
    if chances.hardest is not None:
        lines.append(say(Text("odds-hardest", {"number": chances.hardest})))
    told: list[str | Piece] = [Gap(), *_all_lines(tables)]
    if draw:
        picture, beside = _picture(tables)
        told = [picture, *beside]
    head = f"{name_text(chances.character.name)}: {percent(odds.success)} against {against}"
    small = say(Text("odds-exact", {"check": chances.check or None}))
    rows = ((Button(propose, label_text("odds-propose"), "primary"),),) if propose else ()
    rows = (*rows, *button_rows(list(rolls), BUTTONS_PER_ROW))
    return build_layout(
        "own", head, *lines, *told, _near_line(chances, near), small=small, rows=rows
    )


# --- of dice --------------------------------------------------------------------------------------


def _summary(notation: Notation, found: Summary) -> list[str]:
    lowest, highest = number_text(found.lowest), number_text(found.highest)
    lines = [f"From {lowest} to {highest} · {_likely_range(*found.likely)}"]
    if notation.times > 1:
        lines.insert(0, say(Text("odds-each-roll", {"count": notation.times})))
    if isinstance(notation.root, Dice) and notation.root.successes is not None:
        lines.append(say(Text("odds-counts-successes")))
    return lines


def _omission_lines(found: Summary) -> list[str]:
    if not found.left_out:
        return []
    bound = f"{int(1 / found.left_out):,}".replace(",", " ")
    return [say(Text("odds-left-out", {"bound": bound}))]


def _cumulative_drawing(found: Summary) -> Drawing:
    """How likely each total or more is: side by side as far as that can be read, else for fewer
    totals.
    """
    for columns in range(_COLUMNS, 1, -1):
        rows = found.rows[_ROWS_OF[columns]]
        if len(rows) <= MAX_BARS:
            break
        cells = [(f"{number_text(row.low)}+", _short_percent(row.at_least)) for row in rows]
        deep = -(-len(cells) // columns)
        cells += [("", "")] * (columns * deep - len(cells))
        lines = [[text for cell in cells[at::deep] for text in cell] for at in range(deep)]
        if fits_grid(lines):
            return Drawing(grid, (lines, range(1, 2 * columns, 2)))
    rows = found.rows[MAX_BARS]
    bars = [
        Bar(f"{number_text(row.low)}+", row.at_least, _short_percent(row.at_least)) for row in rows
    ]
    return Drawing(bar_chart, (tuple(bars),))


def dice_odds_card(notation: Notation, found: Summary, *, draw: bool) -> Layout:
    """The chances of an expression, summarized in rows of SIZES; with `draw` as a picture, else in
    words.
    """
    each = [
        say(
            Text(
                "odds-row",
                {
                    "label": Markdown(range_text(row.low, row.high)),
                    "chance": exact_percent(row.chance),
                    "low": Markdown(number_text(row.low)),
                    "at_least": exact_percent(row.at_least),
                },
            )
        )
        for row in found.rows[_ROWS]
    ]
    told: list[str | Piece] = [Gap(), *each]
    if draw:
        told = [
            say(Text("odds-at-least")),
            Picture(
                ODDS_FILENAME, _cumulative_drawing(found), _alt(say(Text("odds-each-total")), each)
            ),
        ]
    return build_layout(
        "own",
        say(Text("odds-dice", {"text": notation.text, "mean": _decimal(found.mean, 2)})),
        *_summary(notation, found),
        *told,
        *_omission_lines(found),
        small=say(
            Text("odds-exact-totals", {"left_out": bool(found.left_out), "count": found.totals})
        ),
    )
