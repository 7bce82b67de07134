"""The exact chances of a check or of dice: in words, and as a picture of the same."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Final, NamedTuple

from bot.presenters.controls import Picture
from bot.presenters.dice import number_text
from bot.presenters.layout import Gap, Heading, Layout, laid
from bot.presenters.pictures import Bar, Group, bar_chart, odds_chart
from bot.presenters.text import listing, name_text, percent, plural, sentence, user_text
from bot.presenters.words import say, say_bare
from rules.core.dice import Notation, parse
from rules.core.dice.notation import Dice
from rules.core.dice.odds import Amount, Distribution, distribution
from rules.table.checks.chances import Chances
from rules.table.events import Line
from rules.table.system import Odds, OddsTable

#: The file that the picture comes in.
PICTURE: Final = "odds.png"
#: The share of rolls that the range told of a total holds.
_MOST: Final = Fraction(4, 5)
#: More totals than these are put together into as many ranges, two of them for what is rare at both ends.
_ROWS: Final = 20
_RARE: Final = Fraction(1, 200)
_PERCENTILES: Final = (5, 25, 50, 75, 95)


def chance_text(chance: Fraction) -> str:
    """To a tenth of a percent: `62.5%`."""
    return percent(chance, 1)


def _decimal(value: Fraction, places: int) -> str:
    """`22.5`: without needless zeros, with a real minus."""
    return f"{float(value):.{places}f}".rstrip("0").rstrip(".").replace("-", "−")


def _in_words(bar: Bar) -> str:
    return bar.text.replace("%", " percent")


def _told(bars: Iterable[Bar], between: str = " ") -> str:
    """What bars show, in words."""
    return ", ".join(f"{bar.label}{between}{_in_words(bar)}" for bar in bars)


def _bar(label: Line, chance: Fraction, shade: int, before: str = "") -> Bar:
    return Bar(before + say_bare(label), chance, chance_text(chance), shade)


# --- of a check ---------------------------------------------------------------------------------------------


def _target(table: OddsTable) -> Line:
    return table[0][1].target


def _certain(tables: Sequence[OddsTable]) -> tuple[Line, ...]:
    """What succeeds for sure against every one of several difficulties; said once."""
    sure = [[label for label, odds in table if odds.success == 1] for table in tables]
    return tuple([label for label in sure[0] if all(label in each for each in sure)]) if sure[1:] else ()


def _range(totals: Distribution) -> tuple[Amount, Amount]:
    """What the total lies between in most rolls."""
    beyond = (1 - _MOST) / 2
    return totals.percentile(beyond), totals.percentile(1 - beyond)


def _row_lines(table: OddsTable, *, single: bool) -> list[str]:
    """A line for each row: of a `single` difficulty its chances, and wherever they are told what its totals are."""
    lines: list[str] = []
    for label, odds in table:
        told: list[str] = []
        if single:
            told = [f"**{chance_text(odds.success)}**"]
            told += [f"{say(line)} {chance_text(chance)}" for line, chance in odds.outcomes]
        if odds.totals is not None:
            low, high = _range(odds.totals)
            mean = _decimal(odds.totals.mean, 1)
            told.append(f"average {mean}, {_MOST * 100}%: {low}–{high}")
        name = say(label)
        name = name if name[1:2].isdigit() else sentence(name)[:-1]  # dice stay as they are written
        lines += [f"- {name}: {' · '.join(told)}"] if told else []
    return lines


def _lines(tables: Sequence[OddsTable], certain: tuple[Line, ...]) -> list[str]:
    if len(tables) == 1:
        return [f"**Against {say(_target(tables[0]))}**", *_row_lines(tables[0], single=True)]
    lines: list[str] = []
    for table in tables:
        shown = [f"{say(label)} {chance_text(odds.success)}" for label, odds in table if label not in certain]
        lines.append(f"- **{say(_target(table))}:** {', '.join(shown)}")
    lines += _row_lines(tables[0], single=False)
    if certain:
        lines.append(f"Certain against all of them: {listing(map(say, certain), 'or')}.")
    return lines


def _outcomes(odds: Odds) -> tuple[Bar, ...]:
    return tuple([_bar(line, chance, 2) for line, chance in odds.outcomes])


def _groups(tables: Sequence[OddsTable], certain: tuple[Line, ...]) -> list[Group]:
    """What succeeds: against each difficulty; of several dice whose totals are told, for each of these."""
    first, *others = tables
    found: list[Group] = []
    for row, (label, odds) in enumerate(first):
        if odds.totals is None:
            continue
        bars = tuple([_bar(_target(table), table[row][1].success, 0) for table in tables])
        if not others:
            bars = (Bar("success", odds.success, chance_text(odds.success)), *_outcomes(odds))
        found.append(Group(say_bare(label), bars, odds.totals))
    if found:
        return found
    before = "" if others else "success, "
    for table in tables:
        bars = tuple(
            [
                _bar(label, odds.success, min(shade, 1), before)
                for shade, (label, odds) in enumerate(table)
                if label not in certain
            ]
        )
        found.append(Group(say_bare(_target(table)) if others else "", bars))
    return found if others else [Group("", (*found[0].bars, *_outcomes(first[0][1])))]


def _picture(tables: Sequence[OddsTable], certain: tuple[Line, ...]) -> Picture:
    """The bars, beside those of dice every total; `alt` tells the same."""
    several = len(tables) > 1
    title = "Chance of success" if several else f"Chances against {say_bare(_target(tables[0]))}"
    groups = _groups(tables, certain)
    if groups[0].totals is None:
        told = [
            f"{each.label}: {_told(each.bars)}." if each.label else sentence(_told(each.bars))
            for each in groups
        ]
        return Picture(PICTURE, bar_chart(title, groups), f"Bars. {title}. {' '.join(told)}")
    marks = sorted({mark for table in tables if (mark := table[0][1].needed) is not None})
    told = [f"Bars and totals. {title}."]
    if several:
        first = listing(bar.label for bar in groups[0].bars)
        told.append(f"In percent, against {first} in turn.")
    for each in groups:
        bars = _told(each.bars)
        if several:
            bars = ", ".join(_in_words(bar).removesuffix(" percent") for bar in each.bars)
        assert each.totals is not None
        low, high = _range(each.totals)
        mean = _decimal(each.totals.mean, 1)
        told.append(f"{each.label}: {bars}; average {mean}, {_MOST * 100} percent: {low} to {high}.")
    name = "Difficulty" if len(marks) == 1 else "Difficulties"
    return Picture(PICTURE, odds_chart(title, groups, marks, name), " ".join(told))


def odds_card(chances: Chances, *, draw: bool) -> Layout:
    """The odds in words; with `draw` also as a picture, which takes a while."""
    tables = chances.tables
    certain = _certain(tables)
    lines = [f"With {listing(map(say, chances.traits))}"]
    if chances.shifts:
        lines.append(f"Adjustments: {'; '.join(map(say, chances.shifts))}")
    name = name_text(chances.character.name)
    what = f"{chances.check}, {name}" if chances.check else name
    shown = [_picture(tables, certain)] if draw else []
    told = _lines(tables, certain)
    return laid("own", f"Odds for {what}", *lines, *shown, Gap(), *told, small="Exact, before the roll.")


# --- of dice ------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """Totals from `low` to `high`: their chance, and that of `low` or more."""

    low: Amount
    high: Amount
    chance: Fraction
    at_least: Fraction


def _rows(found: Distribution) -> list[_Row]:
    """Each total, or ranges of the same width between the rare ends."""
    totals = list(found.weights)
    if len(totals) <= _ROWS:
        starts = totals
    else:
        low, high = int(found.percentile(_RARE)), int(found.percentile(1 - _RARE))
        width = -(-(high - low + 1) // (_ROWS - 2))
        starts = [*dict.fromkeys((totals[0], *range(low, high + 1, width), high + 1))]
    weights = dict.fromkeys(starts, 0)
    tops: dict[Amount, Amount] = {}
    for total, weight in found.weights.items():
        start = starts[bisect(starts, total) - 1]
        weights[start] += weight
        tops[start] = total
    sums = list(accumulate(reversed(weights.values())))[::-1]
    return [
        _Row(start, tops[start], Fraction(weight, found.ways), Fraction(more, found.ways))
        for (start, weight), more in zip(weights.items(), sums, strict=True)
        if start in tops
    ]


def _label(row: _Row) -> str:
    low, high = number_text(row.low), number_text(row.high)
    return low if row.low == row.high else f"{low} to {high}"


def _summary(notation: Notation, found: Distribution, rows: list[_Row]) -> list[str]:
    low, high = number_text(rows[0].low), number_text(rows[-1].high)
    lines: list[str] = []
    if notation.times > 1:
        lines.append(f"For each of the {notation.times} rolls:")
    lines.append(f"**Average:** {_decimal(found.mean, 2)}; from {low} to {high}")
    spread = (f"{number_text(found.percentile(Fraction(share, 100)))} ({share}%)" for share in _PERCENTILES)
    lines.append(f"**This total or less:** {', '.join(spread)}")
    if isinstance(notation.root, Dice) and notation.root.successes is not None:
        lines.append("This counts successes.")
    return lines


def _left_out(found: Distribution) -> list[str]:
    if not found.left_out:
        return []
    bound = f"{int(1 / found.left_out):,}".replace(",", " ")
    return [
        "Exploding dice could go on forever. All totals left out here together have a chance of at most "
        f"1 in {bound}."
    ]


def _totals_picture(rows: list[_Row]) -> Picture:
    highest = max(row.chance for row in rows)
    title = "Chance of each total" if all(row.low == row.high for row in rows) else "Chance of totals"
    bars = tuple(
        Bar(_label(row), row.chance / highest if highest else row.chance, chance_text(row.chance))
        for row in rows
    )
    alt = f"Bars. {title}. {_told(bars, ': ')}."
    return Picture(PICTURE, bar_chart(title, [Group("", bars)]), alt)


def dice_odds_card(text: str, *, draw: bool) -> Layout:
    """The chances of an expression; with `draw` also as a picture. Takes up to some seconds.

    Raises what `parse` and `distribution` raise.
    """
    notation = parse(text)
    found = distribution(notation)
    rows = _rows(found)
    lines = _summary(notation, found, rows)
    shown = [_totals_picture(rows)] if draw else []
    each = [
        f"- {_label(row)}: {chance_text(row.chance)}; {number_text(row.low)} or more: {chance_text(row.at_least)}"
        for row in rows
    ]
    many = plural(len(found.weights), "possible total")
    return laid(
        "own",
        f"Odds of {user_text(notation.text)}",
        *lines,
        *shown,
        Heading("Chance of each total, or more"),
        *each,
        *_left_out(found),
        small=f"Exact except for what is left out; {many}." if found.left_out else f"Exact; {many}.",
    )
