"""Odds as a table in words, with a picture of the same."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bot.presenters.controls import Picture
from bot.presenters.layout import Gap, Layout, laid
from bot.presenters.odds_chart import Panel, odds_chart
from bot.presenters.pictures import Bar, Group, bar_chart
from bot.presenters.text import listing, name_text, percent, sentence
from bot.presenters.words import say, say_bare
from rules.core.dice.odds import Amount, Distribution
from rules.table.checks.chances import Chances
from rules.table.events import Line
from rules.table.system import Odds, OddsTable

#: The file that the picture comes in.
PICTURE = "odds.png"
_COMPARED = "Chance of success"
_SINGLE = "Chances against {}"
#: The share of rolls that the range told of a total holds.
_MOST = Fraction(4, 5)


def chance_text(chance: Fraction) -> str:
    """To a tenth of a percent: `62.5%`."""
    return percent(chance, 1)


def _in_words(chance: Fraction) -> str:
    return chance_text(chance).replace("%", " percent")


def _target(table: OddsTable) -> Line:
    return table[0][1].target


def _certain(tables: Sequence[OddsTable]) -> tuple[Line, ...]:
    """What succeeds for sure against every one of these difficulties; said once."""
    first = [label for label, odds in tables[0] if odds.success == 1]
    return tuple(label for label in first if all((label, 1) in _successes(table) for table in tables))


def _successes(table: OddsTable) -> list[tuple[Line, Fraction]]:
    return [(label, odds.success) for label, odds in table]


def _outcomes(odds: Odds) -> str:
    return " · ".join(f"{say(line)} {chance_text(chance)}" for line, chance in odds.outcomes)


def _decimal(value: Fraction) -> str:
    """`22.5`: to one place, without a needless zero."""
    return f"{float(value):.1f}".removesuffix(".0")


def _range(totals: Distribution) -> tuple[Amount, Amount]:
    """What the total lies between in most rolls."""
    beyond = (1 - _MOST) / 2
    return totals.percentile(beyond), totals.percentile(1 - beyond)


def _spread(totals: Distribution) -> str:
    low, high = _range(totals)
    return f"average {_decimal(totals.mean)}, {_MOST * 100}%: {low}–{high}"


def _row_name(label: Line) -> str:
    """A row's label as a line begins; dice stay as they are written."""
    name = say(label)
    return name if name[1:2].isdigit() else sentence(name)[:-1]


def _single_lines(table: OddsTable) -> list[str]:
    lines = [f"**Against {say(_target(table))}**"]
    for label, odds in table:
        rest = _outcomes(odds)
        lines.append(
            f"- {_row_name(label)}: **{chance_text(odds.success)}**"
            + (f" · {rest}" if rest else "")
            + (f" · {_spread(odds.totals)}" if odds.totals is not None else "")
        )
    return lines


def _compared_lines(tables: Sequence[OddsTable], certain: tuple[Line, ...]) -> list[str]:
    lines: list[str] = []
    for table in tables:
        rows = [
            f"{say(label)} {chance_text(chance)}"
            for label, chance in _successes(table)
            if label not in certain
        ]
        lines.append(f"- **{say(_target(table))}:** {', '.join(rows)}")
    spreads = [(label, odds.totals) for label, odds in tables[0] if odds.totals is not None]
    lines += [f"- {_row_name(label)}: {_spread(totals)}" for label, totals in spreads]
    if certain:
        lines.append(f"Certain against all of them: {listing(map(say, certain), 'or')}.")
    return lines


def _groups(tables: Sequence[OddsTable], certain: tuple[Line, ...]) -> tuple[Group, ...]:
    if len(tables) == 1:
        (table,) = tables
        bars = [
            Bar(f"success, {say_bare(label)}", odds.success, chance_text(odds.success), min(shade, 1))
            for shade, (label, odds) in enumerate(table)
        ]
        bars += [Bar(say_bare(line), chance, chance_text(chance), 2) for line, chance in table[0][1].outcomes]
        return (Group("", tuple(bars)),)
    return tuple(
        Group(
            say_bare(_target(table)),
            tuple(
                Bar(say_bare(label), chance, chance_text(chance), min(shade, 1))
                for shade, (label, chance) in enumerate(_successes(table))
                if label not in certain
            ),
        )
        for table in tables
    )


def _alt(title: str, groups: Sequence[Group]) -> str:
    """What the bars show, in words."""
    told: list[str] = []
    for group in groups:
        bars = ", ".join(f"{bar.label} {_in_words(bar.share)}" for bar in group.bars)
        told.append(f"{group.label}: {bars}." if group.label else f"{sentence(bars)}")
    return f"Bars. {title}. {' '.join(told)}"


def _panels(tables: Sequence[OddsTable]) -> tuple[Panel, ...]:
    """For each of several dice its chances and every total; none where the system tells no totals."""
    found: list[Panel] = []
    for row, (label, odds) in enumerate(tables[0]):
        if odds.totals is None:
            continue
        if len(tables) > 1:
            told = [(say_bare(_target(table)), table[row][1].success, 0) for table in tables]
        else:
            told = [("success", odds.success, 0)]
            told += [(say_bare(line), chance, 2) for line, chance in odds.outcomes]
        bars = tuple(Bar(name, chance, chance_text(chance), shade) for name, chance, shade in told)
        found.append(Panel(say_bare(label), bars, odds.totals))
    return tuple(found)


def _chart_picture(title: str, tables: Sequence[OddsTable], panels: tuple[Panel, ...]) -> Picture:
    needed = [table[0][1].needed for table in tables]
    marks = sorted({mark for mark in needed if mark is not None})
    name = "Difficulty" if len(marks) == 1 else "Difficulties"
    first = [bar.label for bar in panels[0].bars]
    told = [f"Bars and totals. {title}."]
    if len(tables) > 1:
        told.append(f"In percent, against {listing(first)} in turn.")
    for panel in panels:
        bars = [_in_words(bar.share) for bar in panel.bars]
        if len(tables) > 1:
            bars = [share.removesuffix(" percent") for share in bars]
        else:
            bars = [f"{label} {share}" for label, share in zip(first, bars, strict=True)]
        low, high = _range(panel.totals)
        told.append(
            f"{panel.name}: {', '.join(bars)}; average {_decimal(panel.totals.mean)}, "
            f"{_MOST * 100} percent: {low} to {high}."
        )
    alt = " ".join(told)
    return Picture(PICTURE, odds_chart(title, panels, marks, name), alt)


def _picture(tables: Sequence[OddsTable], certain: tuple[Line, ...]) -> Picture:
    title = _COMPARED if len(tables) > 1 else _SINGLE.format(say_bare(_target(tables[0])))
    panels = _panels(tables)
    if panels:
        return _chart_picture(title, tables, panels)
    groups = _groups(tables, certain)
    return Picture(PICTURE, bar_chart(title, groups), _alt(title, groups))


def odds_card(chances: Chances, *, draw: bool) -> Layout:
    """The odds in words; with `draw` also as a picture, which takes a while."""
    tables = chances.tables
    first, *others = tables
    certain = _certain(tables) if others else ()
    lines = [f"With {listing(map(say, chances.traits))}"]
    if chances.shifts:
        lines.append(f"Adjustments: {'; '.join(map(say, chances.shifts))}")
    told = _compared_lines(tables, certain) if others else _single_lines(first)
    name = name_text(chances.character.name)
    what = f"{chances.check}, {name}" if chances.check else name
    picture = _picture(tables, certain) if draw else None
    shown = [] if picture is None else [picture]
    small = "Exact, before the roll."
    return laid("own", f"Odds for {what}", *lines, *shown, Gap(), *told, small=small)
