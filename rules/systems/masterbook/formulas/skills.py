"""Skills and their charts by name, read once from `data/skills.json` (MB-SKILL-02 to MB-SKILL-07).

Players choose rows from a chart of difficulties. A chart of results is read off by a number. Both
have the same kind of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, Literal

from rules.core.data_rows import from_json, json_loader, rows_by_key
from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import similar_or_first
from rules.core.record import Record
from rules.systems.masterbook.formulas.reference_rows import require_compatible, typed_ids

#: Returns the value of a table's setting, by its key.
Setting = Callable[[str], Any]
#: Numbers that were given with chart rows, by their ids; None: chosen without a number.
Numbers = Mapping[str, int | None]
#: Most by which the adds of a specialization exceed those of the skill (MB-SKILL-04).
SPECIALIZATION_OVER = 2
#: A range wider than this is offered with its middle, too.
_WIDE: Final = 3


class SkillKind(Record):
    """A skill (MB-SKILL-02)."""

    name: str
    attribute: str
    #: Purpose, in one line.
    about: str
    #: Numbers that are told where no chart has them.
    numbers: tuple[str, ...] = ()
    #: Whether a character without adds may use it.
    untrained: Literal["yes", "no", "penalty", "gm_table", "special"] = "yes"
    #: Added to the difficulty without adds.
    penalty: int = 0
    #: Setting that allows it without adds; empty: none does.
    setting: str = ""
    #: Whether it costs twice as much.
    trained: bool = False
    #: Whether it's learned by focus, and only with `magic_skill_focuses`.
    macro: bool = False
    magic: bool = False
    #: Setting with which it's learned by focus; empty: none.
    macro_setting: str = ""
    focuses: tuple[str, ...] = ()
    #: Whether it has specializations, and suggestions for them.
    specialized: bool = True
    specializations: tuple[str, ...] = ()
    #: Difficulty that its charts begin from.
    base: int | None = None
    #: Movement rate that it pushes.
    rate: str = ""
    #: Skill or Attribute of another character that resists it.
    against: str = ""
    charts: tuple[str, ...] = ()
    #: Whether it's used against a number; if not, its rows are subtracted from the total.
    measured: bool = True
    #: Whether its rows count later, for the consequences of a use.
    later: bool = False


class ChartRow(Record):
    """A row of a chart: a difficulty number, or a modifier of one."""

    id: str
    words: str
    #: Difficulty number; None: the row is a modifier.
    dn: int | None = None
    modifier: int | None = None
    #: Range from which the GM chooses the number; `high` None: no upper end.
    low: int | None = None
    high: int | None = None
    #: Whether the number may be above the range, and below it.
    open: bool = False
    lower: bool = False
    #: Whether it counts on the attempt, where a plus helps, instead of the difficulty.
    attempt: bool = False
    #: Whether the modifier counts for each of a number.
    each: bool = False
    #: Only one row of a group is chosen.
    group: str = ""
    #: Whether it takes the place of the others of its group.
    replaces: bool = False
    #: Least number with which it's read off; `over`: only above that number.
    least: int | None = None
    over: bool = False
    #: Whether it counts by itself, so that nobody chooses it.
    automatic: bool = False
    chart: str = ""

    @property
    def code(self) -> str:
        """Code of the row's words."""
        return f"{self.chart}-{self.id}".replace("_", "-")


class Chart(Record):
    """A chart of a skill."""

    name: str
    title: str
    rows: tuple[ChartRow, ...]
    #: Number by which it's read off; empty: its rows are chosen.
    reads: Literal["", "level", "total", "adds", "wounds", "adds_less"] = ""


class EnvironmentPair(Record):
    """Relation of two environments (MB-SKILL-SURVIVAL)."""

    one: str
    #: The other environment; empty: all others.
    other: str
    relation: str


class Input(Record):
    """An input that uses of skills take: numbers, or a place."""

    id: str
    skills: tuple[str, ...]
    example: str
    #: How many numbers it takes.
    least: int = 1
    most: int = 1
    #: Range of each number.
    low: int = 0
    high: int = 100
    #: Whether fractions are allowed.
    exact: bool = False
    #: Whether it takes a place instead of numbers.
    words: bool = False
    #: Whether its number is added to the total.
    adds: bool = False


class ValueName(Record):
    """A name of values, from the `least` one on."""

    least: int
    id: str
    words: str


_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "skills")())
SKILLS: Final = rows_by_key(from_json(tuple[SkillKind, ...], _ROWS["skills"]))
CHARTS: Final[Mapping[str, Chart]] = {
    chart.name: chart.replace(rows=tuple(row.replace(chart=chart.name) for row in chart.rows))
    for chart in from_json(tuple[Chart, ...], _ROWS["charts"])
}
#: Words of chart rows, by their codes.
WORDS: Final[Mapping[str, str]] = {
    row.code: row.words for chart in CHARTS.values() for row in chart.rows
}
ENVIRONMENTS: Final = from_json(tuple[EnvironmentPair, ...], _ROWS["environments"])
INPUTS: Final = rows_by_key(from_json(tuple[Input, ...], _ROWS["inputs"]), "id")
_QUALITIES: Final = from_json(tuple[ValueName, ...], _ROWS["qualities"])
_KNOWLEDGE: Final = from_json(tuple[ValueName, ...], _ROWS["knowledge"])


def quality(value: int) -> ValueName:
    """Return the name of an Attribute's value (MB-CHAR-03)."""
    return next(name for name in _QUALITIES if value >= name.least)


def knowledge(adds: int) -> ValueName | None:
    """Return the name of a character's skill with *adds*; None without any (MB-CHAR-15)."""
    return next((name for name in _KNOWLEDGE if adds >= name.least), None)


# --- charts ---------------------------------------------------------------------------------------


def charts_of(skill: str) -> tuple[Chart, ...]:
    """Return the charts of a skill; a campaign's own skill has none."""
    if skill not in SKILLS:
        return ()
    return tuple(CHARTS[name] for name in SKILLS[skill].charts)


def _difficulty_rows(skill: str) -> Iterator[ChartRow]:
    """Yield the rows of a skill's charts of difficulties."""
    for chart in charts_of(skill):
        if not chart.reads:
            yield from chart.rows


def rows_of(skill: str) -> tuple[ChartRow, ...]:
    """Return the rows that can be chosen for a skill."""
    return tuple(row for row in _difficulty_rows(skill) if not row.automatic)


def result_chart(skill: str) -> Chart | None:
    """Return the chart that explains a level, a total or adds of a skill; None without one."""
    for chart in charts_of(skill):
        if chart.reads in ("level", "total", "adds"):
            return chart
    return None


def _group(row: ChartRow) -> str:
    return "dn" if row.dn is not None else row.group


def chosen_rows(skill: str, ids: Iterable[str]) -> tuple[ChartRow, ...]:
    """Return the rows of these ids that count, each once.

    Raises:
        InvalidInput("mb-no-such-row"): the skill has no such row.
        InvalidInput("mb-options-exclude"): two rows exclude each other.
    """
    known = {row.id: row for row in _difficulty_rows(skill)}
    rows: list[ChartRow] = []
    for row_id in dict.fromkeys(ids):
        if row_id not in known:
            choices = [row.id for row in rows_of(skill)]
            nearest = typed_ids(*similar_or_first(row_id, choices))
            raise InvalidInput("mb-no-such-row", field="with", value=row_id[:100], nearest=nearest)
        rows.append(known[row_id])
    replaced = {_group(row) for row in rows if row.replaces}
    counted: list[ChartRow] = []
    for row in rows:
        group = _group(row)
        if row.replaces or not group or group not in replaced:
            counted.append(row)
    require_compatible("with", counted, _group)
    return tuple(counted)


def row_value(row: ChartRow, number: int | None = None) -> int:
    """Return the difficulty or the modifier of a row, with the number given for it.

    Raises InvalidInput("mb-row-number") for a number out of the row's bounds, or for none where
    the row has no usual one.
    """
    usual = row.modifier if row.dn is None else row.dn
    if number is None and usual is not None:
        return usual
    low, high = _number_bounds(row, usual)
    below = low is not None and number is not None and number < low
    above = high is not None and number is not None and number > high
    if number is None or below or above:
        limits = {"lowest": low, "highest": high}
        raise InvalidInput("mb-row-number", field="with", value=number, name=row.words, **limits)
    return (usual or 0) * number if row.each else number


def _number_bounds(row: ChartRow, usual: int | None) -> tuple[int | None, int | None]:
    """Return the lowest and the highest number of a row; None: no bound."""
    has_range = row.low is not None
    if row.lower:
        low = None
    elif row.each:
        low = 0
    else:
        low = row.low if has_range else usual
    if row.open or row.each:
        high = None
    else:
        high = row.high if has_range else usual
    return low, high


def offered_numbers(row: ChartRow) -> tuple[int, ...]:
    """Return the numbers of a row's range that are offered; players write any other.

    They are both ends, and the middle of a wide range.
    """
    if row.low is None or row.modifier is not None:
        return (row_value(row),)
    low = row.low
    high = row.low if row.high is None else row.high
    numbers = {low, high}
    if high - low > _WIDE:
        numbers.add((low + high) // 2)
    return tuple(sorted(numbers))


def rows_modifier(skill: str, ids: Iterable[str], numbers: Numbers | None = None) -> int:
    """Return the sum of these rows that are modifiers. Raises as `chosen_rows` and `row_value`."""
    given = numbers or {}
    modifiers = [row for row in chosen_rows(skill, ids) if row.dn is None]
    return sum(row_value(row, given.get(row.id)) for row in modifiers)


def number_of(skill: str, ids: Iterable[str], numbers: Numbers | None = None) -> int | None:
    """Return the difficulty number among these rows; None without any.

    Raises as `chosen_rows` and `row_value`.
    """
    given = numbers or {}
    for row in chosen_rows(skill, ids):
        if row.dn is not None:
            return row_value(row, given.get(row.id))
    return None


def difficulty(
    skill: str, ids: Iterable[str], numbers: Numbers | None = None, base: int | None = None
) -> int:
    """Return the difficulty of a skill with these rows.

    It begins from the number among the rows, else from *base*, else from the skill's own.
    *numbers* are those given with rows, by their ids.

    Raises InvalidInput("mb-no-difficulty") without any number to begin from, and as `chosen_rows`
    and `row_value`.
    """
    ids = tuple(ids)
    number = number_of(skill, ids, numbers)
    if number is None:
        number = base
    if number is None and skill in SKILLS:
        number = SKILLS[skill].base
    if number is None:
        raise InvalidInput("mb-no-difficulty", field="difficulty")
    return number + rows_modifier(skill, ids, numbers)


def read_off(rows: Iterable[ChartRow], number: int | Fraction) -> ChartRow | None:
    """Return the last row that a number reaches; None below all.

    The number is a level's rank, a total, or a load.
    """
    reached: ChartRow | None = None
    for row in rows:
        if row.least is None or number > row.least or (number == row.least and not row.over):
            reached = row
    return reached


def load_row(skill: str, percent: int | Fraction) -> str | None:
    """Return the id of the row for carrying this percentage of one's own weight.

    None if that is light enough.
    """
    rows = [row for row in _difficulty_rows(skill) if row.least is not None]
    row = read_off(rows, percent)
    return None if row is None else row.id


# --- learning and lacking -------------------------------------------------------------------------


def needs_focus(kind: SkillKind, setting: Setting) -> bool:
    """Return whether the skill is learned by focus at this table (MB-SKILL-03)."""
    if kind.macro_setting:
        return bool(setting(kind.macro_setting))
    return kind.macro and (not kind.magic or bool(setting("magic_skill_focuses")))


def untrained_penalty(kind: SkillKind, setting: Setting, rare: int = 0) -> int | None:
    """Return the penalty without adds; None if the skill can't be tried then.

    MB-SKILL-02. *rare* is the modifier of the chart of vehicles, for piloting.
    """
    if kind.setting and not setting(kind.setting):
        return None
    if kind.untrained == "gm_table":
        return rare
    if kind.untrained == "no" and not kind.setting:
        return None
    return kind.penalty


def has_specializations(skill: str) -> bool:
    """Return whether a skill has specializations; a campaign's own skill may have."""
    return skill not in SKILLS or SKILLS[skill].specialized


def raise_specialization(adds: int, special: int) -> int:
    """Return the adds of a specialization after one more is bought (MB-SKILL-04).

    Raises Impossible("mb-special-too-high") if they would exceed the skill's adds too far.
    """
    highest = adds + SPECIALIZATION_OVER
    if special >= highest:
        raise Impossible("mb-special-too-high", value=special + 1, highest=highest)
    return special + 1


def best_skill(values: Mapping[str, int]) -> tuple[str, int]:
    """Return the best of skills that serve one purpose, the first of equals (MB-SKILL-05)."""
    name = max(values, key=lambda skill: values[skill])
    return name, values[name]
