"""The exact chances of a check or of dice.

The message says the number that matters, and its picture the rest. A reader who wants words gets
all of it in words, as the picture's alt text has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from typing import Final

from bot.presenters.controls import BUTTONS_PER_ROW, Button, Drawing, Picture, button_rows
from bot.presenters.drawing.charts import MAX_BARS, Bar, bar_chart, fits_grid, grid
from bot.presenters.language.dice_text import number_text, range_text
from bot.presenters.language.systems import SYSTEM_WORDS
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
from rules.core.dice.odds_summary import MIDDLE_SHARE, Range, Summary
from rules.table.blocks import Text
from rules.table.checks.odds import OddsReport
from rules.table.system import Odds, OddsTable

#: File name of the picture.
ODDS_FILENAME: Final = "odds.png"
#: Most difficulties side by side in a picture of all dice.
_ACROSS: Final = 5
#: Most columns of totals in a picture.
_COLUMNS: Final = 3
#: Most rows of totals in words; more totals are summed up in ranges.
_ROWS: Final = 20
#: The same in a picture, by its number of columns.
_ROWS_OF: Final = {columns: min(_ROWS, columns * MAX_BARS) for columns in range(1, _COLUMNS + 1)}
#: Sizes of the summaries of totals that messages need.
SUMMARY_SIZES: Final = (*_ROWS_OF.values(), _ROWS)
_NUMBER: Final = re.compile(r" \((\d+)\)$")
_SIDES: Final = re.compile(r"d(\d+)")


def exact_percent(chance: Fraction) -> str:
    """Return a chance to a tenth of a percent: `62.5%`."""
    return percent(chance, 1)


def _short_percent(chance: Fraction) -> str:
    """Return a chance as a picture has it: `<1%`."""
    return percent(chance).replace("under ", "<").replace("over ", ">")


def _decimal(value: Fraction, places: int) -> str:
    """Return a number without needless zeros, with a real minus: `22.5`."""
    return f"{float(value):.{places}f}".rstrip("0").rstrip(".").replace("-", "−")


def _likely_range(low: Amount, high: Amount) -> str:
    """Return the range of the total in most rolls: `80%: 7–14`."""
    return f"{percent(MIDDLE_SHARE)}: {range_text(low, high)}"


def _alt_text(what: str, lines: Sequence[str]) -> str:
    sentences = [with_stop(spoken_text(line).removeprefix("- ")) for line in lines]
    return " ".join([f"{what}.", *sentences])


# --- of a check -----------------------------------------------------------------------------------


def _target(table: OddsTable) -> str:
    """Return what a table's odds are against: `Tricky 10`."""
    return _NUMBER.sub(r" \1", say_bare(table[0][1].target))


def _way(name: str) -> str:
    return name if name[1:2].isdigit() else with_capital(name)  # dice stay as they are written


def _bar(label: Text, chance: Fraction, *, marked: bool = False) -> Bar:
    return Bar(_way(say_bare(label)), chance, _short_percent(chance), marked)


def _certain_labels(tables: Sequence[OddsTable]) -> tuple[Text, ...]:
    """Return the ways that are certain to succeed against each of several difficulties."""
    if len(tables) == 1:
        return ()
    sure = [[label for label, odds in table if odds.success == 1] for table in tables]
    return tuple(label for label in sure[0] if all(label in labels for labels in sure))


def _average_text(odds: Odds) -> str:
    """Return the average and the likely range: `average 27.4, 80%: 21–34`; empty without totals."""
    if odds.totals is None:
        return ""
    beyond = (1 - MIDDLE_SHARE) / 2
    likely = _likely_range(odds.totals.percentile(beyond), odds.totals.percentile(1 - beyond))
    mean = _decimal(odds.totals.mean, 1)
    return say(Text("odds-average", {"mean": mean, "likely": Markdown(likely)}))


def ways_by_size(table: OddsTable) -> OddsTable:
    """Return the ways of rolling sorted by their die, smallest first; a way without dice is last.

    A table without columns keeps its order.
    """
    if not any(odds.columns for _, odds in table):
        return table

    def size(row: tuple[Text, Odds]) -> tuple[bool, int]:
        die = _SIDES.match(say_bare(row[0]))
        return (True, 0) if die is None else (False, int(die[1]))

    return tuple(sorted(table, key=size))


def _sure_lines(tables: Sequence[OddsTable]) -> list[str]:
    sure = _certain_labels(tables)
    return [say(Text("odds-sure", {"labels": tuple(sure)}))] if sure else []


def _all_lines(tables: Sequence[OddsTable]) -> list[str]:
    """Return every number in words.

    Of one difficulty these are the chances of all outcomes, of several the chances of success.
    """
    first, certain = tables[0], _certain_labels(tables)
    if len(tables) == 1:
        return [_way_line(label, odds) for label, odds in ways_by_size(first)]
    lines: list[str] = []
    for table in tables:
        chances: list[str] = []
        for label, odds in table:
            if label not in certain:
                chances.append(f"{say(label)} {exact_percent(odds.success)}")
        lines.append(f"- **{_target(table)}:** {', '.join(chances)}")
    for label, odds in first:
        if odds.totals is not None:
            lines.append(f"- {_way(say(label))}: {_average_text(odds)}")
    return lines + _sure_lines(tables)


def _way_line(label: Text, odds: Odds) -> str:
    """Return the chances of one way of rolling against one difficulty."""
    parts = [f"- {_way(say(label))}: **{exact_percent(odds.success)}**"]
    parts += [f"{say(line)} {exact_percent(chance)}" for line, chance in odds.outcomes]
    if odds.totals is not None:
        parts.append(_average_text(odds))
    if odds.note is not None:
        parts.append(say(odds.note))
    return " · ".join(parts)


def odds_line(table: OddsTable) -> str:
    """Return the odds of the present choices; of several dice the die is named too.

    `Tricky (10): 63% · 1+ extra 33% · automatic failure 10%`.
    """
    label, odds = table[0]
    several_dice = sum(other.totals is not None for _, other in table) > 1
    brief = {code for words in SYSTEM_WORDS.values() for code in words.brief_odds}
    target = say(odds.target)
    if several_dice:
        target = f"{say(label)} against {target}"
    parts = [f"{target}: {percent(odds.success)}"]
    for line, chance in odds.outcomes:
        if line.code in brief:
            parts.append(f"{say(line)} {percent(chance)}")
            brief.discard(line.code)
    return " · ".join(parts)


def _headline_index(tables: Sequence[OddsTable]) -> int:
    """Return the place of the difficulty in the head: the hardest that more likely succeeds."""
    likely = [at for at, table in enumerate(tables) if 2 * table[0][1].success > 1]
    return max(likely, default=0)


def _picture(tables: Sequence[OddsTable]) -> tuple[Picture, list[str]]:
    """Return the picture, and the lines for what it doesn't show."""
    if len(tables) == 1:
        drawing, beside = _picture_of_one(tables[0])
    else:
        drawing, beside = _picture_of_several(tables)
    alt = _alt_text(say(Text("odds-chances")), _all_lines(tables))
    return Picture(ODDS_FILENAME, drawing, alt), beside


def _with_text(label: Text, odds: Odds) -> str:
    """Return the beginning of a line about the way in the head, where there are several dice."""
    return "" if odds.totals is None else f"With {say(label)}: "


def _picture_of_one(table: OddsTable) -> tuple[Drawing, list[str]]:
    """Return the picture of one difficulty, with bars for the outcomes of the first way."""
    label, odds = table[0]
    choice = odds.totals is not None
    bars = [_bar(way, way_odds.success, marked=way is label) for way, way_odds in table]
    room = 0 if choice else max(0, MAX_BARS - len(bars))
    possible = [(line, chance) for line, chance in odds.outcomes if chance]
    bars += [_bar(line, chance) for line, chance in possible[:room]]
    rest = [f"{say(line)} {percent(chance)}" for line, chance in possible[room:]]
    if choice:
        rest.append(_average_text(odds))
    beside: list[str] = []
    if rest:
        beside.append(_with_text(label, odds) + " · ".join(rest))
    for way, way_odds in table:
        if way_odds.note is not None:
            beside.append(f"{_way(say(way))}: {say(way_odds.note)}.")
    drawing = _grid_of_ways(table) or Drawing(bar_chart, (tuple(bars[:MAX_BARS]),))
    return drawing, beside


def _picture_of_several(tables: Sequence[OddsTable]) -> tuple[Drawing, list[str]]:
    """Return the picture of several difficulties, and the lines about the one in the head."""
    at = _headline_index(tables)
    (label, odds), *others = tables[at]
    choice = odds.totals is not None
    beside: list[str] = []
    if choice:
        start = max(0, min(at - _ACROSS // 2, len(tables) - _ACROSS))
        drawing = _grid_of_dice(tables[start : start + _ACROSS])
        beside.append(_with_text(label, odds) + _average_text(odds))
    else:
        bars: list[Bar] = []
        for place, table in enumerate(tables[:MAX_BARS]):
            chance = table[0][1].success
            bars.append(Bar(_target(table), chance, _short_percent(chance), place == at))
        drawing = Drawing(bar_chart, (tuple(bars),))
    sure = _certain_labels(tables)
    chances: list[str] = []
    for way, way_odds in others:
        in_picture = choice and way_odds.totals is not None
        if way not in sure and not in_picture:
            chances.append(f"{say(way)} {percent(way_odds.success)}")
    if chances:
        beside.append(f"Against {_target(tables[at])}: {' · '.join(chances)}")
    return drawing, [*beside, *_sure_lines(tables)]


def _grid_of_ways(table: OddsTable) -> Drawing | None:
    """Return a grid with a row for each way of rolling; None without columns or without room."""
    columns = [say_bare(line) for line, _ in table[0][1].columns]
    if not columns:
        return None
    rows = [["", "success", *columns]]
    for label, odds in ways_by_size(table):
        chances = [odds.success, *(chance for _, chance in odds.columns)]
        name = Text(label.code, {**label.params, "short": True})
        rows.append([_way(say_bare(name)), *map(_short_percent, chances)])
    return Drawing(grid, (rows, range(1, len(rows[0])))) if fits_grid(rows) else None


def _grid_of_dice(tables: Sequence[OddsTable]) -> Drawing:
    """Return a grid with a row for each die and a column for each difficulty."""
    rows = [["", *(str(table[0][1].needed) for table in tables)]]
    for place, (way, odds) in enumerate(tables[0]):
        if odds.totals is not None:
            chances = [_short_percent(table[place][1].success) for table in tables]
            rows.append([say_bare(way), *chances])
    return Drawing(grid, (rows, range(1, len(tables) + 1)))


def _near_line(chances: OddsReport, near: Sequence[OddsTable]) -> str:
    """Return the odds of other levels: `Easier: Routine 7, 86% · Harder: Difficult 13, 45%`."""
    own = chances.tables[0][0][1].needed
    parts: list[str] = []
    for table in near:
        odds = table[0][1]
        easier = odds.needed is not None and own is not None and odds.needed < own
        target, chance = Markdown(_target(table)), percent(odds.success)
        text = say(Text("odds-near", {"easier": easier, "target": target, "chance": chance}))
        parts.append(text.replace(" ", "\u00a0"))  # a phone breaks lines between the parts
    return " · ".join(parts)


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
    parts: list[str | Piece] = [Gap(), *_all_lines(tables)]
    if draw:
        picture, beside = _picture(tables)
        parts = [picture, *beside]
    head = f"{name_text(chances.character.name)}: {percent(odds.success)} against {against}"
    small = say(Text("odds-exact", {"check": chances.check or None}))
    rows = ((Button(propose, label_text("odds-propose"), "primary"),),) if propose else ()
    rows = (*rows, *button_rows(list(rolls), BUTTONS_PER_ROW))
    return build_layout(
        "own", head, *lines, *parts, _near_line(chances, near), small=small, rows=rows
    )


# --- of dice --------------------------------------------------------------------------------------


def _summary_lines(notation: Notation, summary: Summary) -> list[str]:
    lowest, highest = number_text(summary.lowest), number_text(summary.highest)
    lines = [f"From {lowest} to {highest} · {_likely_range(*summary.likely)}"]
    if notation.times > 1:
        lines.insert(0, say(Text("odds-each-roll", {"count": notation.times})))
    if isinstance(notation.root, Dice) and notation.root.successes is not None:
        lines.append(say(Text("odds-counts-successes")))
    return lines


def _omission_lines(summary: Summary) -> list[str]:
    if not summary.left_out:
        return []
    bound = f"{int(1 / summary.left_out):,}".replace(",", " ")
    return [say(Text("odds-left-out", {"bound": bound}))]


def _cumulative_drawing(summary: Summary) -> Drawing:
    """Return a picture of the chances of each total or more.

    As many columns stand side by side as a phone shows; otherwise a chart has fewer totals.
    """
    for columns in range(_COLUMNS, 1, -1):
        rows = summary.rows[_ROWS_OF[columns]]
        if len(rows) <= MAX_BARS:
            break
        cells = [(f"{number_text(row.low)}+", _short_percent(row.at_least)) for row in rows]
        depth = -(-len(cells) // columns)
        cells += [("", "")] * (columns * depth - len(cells))
        lines = [[*chain.from_iterable(cells[at::depth])] for at in range(depth)]
        if fits_grid(lines):
            return Drawing(grid, (lines, range(1, 2 * columns, 2)))
    bars: list[Bar] = []
    for row in summary.rows[MAX_BARS]:
        bars.append(Bar(f"{number_text(row.low)}+", row.at_least, _short_percent(row.at_least)))
    return Drawing(bar_chart, (tuple(bars),))


def _row_text(row: Range) -> str:
    """Return the chances of a range of totals, and of its lowest total or more."""
    return say(
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


def dice_odds_card(notation: Notation, summary: Summary, *, draw: bool) -> Layout:
    """Return the chances of an expression, with `draw` as a picture, otherwise in words.

    The summary has rows of `SUMMARY_SIZES`.
    """
    rows = [_row_text(row) for row in summary.rows[_ROWS]]
    parts: list[str | Piece] = [Gap(), *rows]
    if draw:
        alt = _alt_text(say(Text("odds-each-total")), rows)
        picture = Picture(ODDS_FILENAME, _cumulative_drawing(summary), alt)
        parts = [say(Text("odds-at-least")), picture]
    omitted, count = bool(summary.left_out), summary.totals
    return build_layout(
        "own",
        say(Text("odds-dice", {"text": notation.text, "mean": _decimal(summary.mean, 2)})),
        *_summary_lines(notation, summary),
        *parts,
        *_omission_lines(summary),
        small=say(Text("odds-exact-totals", {"left_out": omitted, "count": count})),
    )
