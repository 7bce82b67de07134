"""The skills and their charts by name, read once from `data/skills.json` (MB-SKILL-02 to MB-SKILL-07).

A chart of difficulties has rows that are chosen; one of results is read off by a number. Both are the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.core.names import similar_or_first
from rules.core.record import Record, record
from rules.core.rows import data, read

#: What a table has agreed on, by its key.
Setting = Callable[[str], Any]
#: By how much specialisation adds may be higher than those of the skill, always (MB-SKILL-04).
SPECIALISATION_OVER = 2


@record
class SkillKind(Record):
    """A skill: its Attribute, and what somebody without adds may do (MB-SKILL-02).

    `penalty` is added to their difficulty; `setting` is the option that allows it, where one does. `trained` skills
    cost twice as much. A `macro` skill is learned by focus, `magic` ones only with `magic_skill_focuses`, others only
    with their `macro_setting`. `base` is the difficulty that its charts begin from, `rate` the movement that is pushed,
    `against` what somebody else resists with. `stands_for` are skills that it may replace.
    """

    name: str
    attribute: str
    untrained: Literal["yes", "no", "penalty", "gm_table", "special"] = "yes"
    penalty: int = 0
    setting: str = ""
    trained: bool = False
    macro: bool = False
    magic: bool = False
    macro_setting: str = ""
    focuses: tuple[str, ...] = ()
    specialized: bool = True
    specializations: tuple[str, ...] = ()
    base: int | None = None
    rate: str = ""
    against: str = ""
    charts: tuple[str, ...] = ()
    stands_for: tuple[str, ...] = ()


@record
class ChartRow(Record):
    """A row: a difficulty number, or what it adds to one.

    From `low` to `high` the game master says how much, without a `high` that much or more; an `open` number may be
    higher too. `each` is counted. Of one `group` only one row is chosen, as of several numbers; one that `replaces`
    others takes their place. `least` is from where it is read off, `over` only above. `automatic` rows nobody chooses.
    """

    name: str
    dn: int | None = None
    mod: int = 0
    low: int | None = None
    high: int | None = None
    open: bool = False
    each: int = 0
    group: str = ""
    replaces: bool = False
    least: int | None = None
    over: bool = False
    automatic: bool = False

    @property
    def ranged(self) -> bool:
        """Whether a number may be said with it."""
        return self.open or self.low is not None or self.each != 0


@record
class Chart(Record):
    """Rows that belong together; `reads` is what they are read off by, empty where they are chosen."""

    name: str
    rows: tuple[ChartRow, ...]
    reads: Literal["", "level", "total", "adds", "wounds", "adds_less"] = ""


@record
class Environments:
    """How near two environments are to each other; no `other` stands for all of them (MB-SKILL-SURVIVAL)."""

    one: str
    other: str
    relation: str


@record
class _Rows:
    skills: tuple[SkillKind, ...]
    charts: tuple[Chart, ...]
    environments: tuple[Environments, ...]


_ALL: Final = read(_Rows, data("rules.systems.masterbook", "skills")())
SKILLS: Final[Mapping[str, SkillKind]] = {each.name: each for each in _ALL.skills}
CHARTS: Final[Mapping[str, Chart]] = {each.name: each for each in _ALL.charts}
ENVIRONMENTS: Final = _ALL.environments


def charts_of(kind: SkillKind) -> tuple[Chart, ...]:
    """The charts whose rows are chosen for this skill."""
    return tuple([CHARTS[each] for each in kind.charts if not CHARTS[each].reads])


def rows_of(kind: SkillKind) -> tuple[tuple[Chart, ChartRow], ...]:
    """The rows that can be chosen for this skill, each with its chart."""
    return tuple([(chart, row) for chart in charts_of(kind) for row in chart.rows if not row.automatic])


def result_chart(kind: SkillKind) -> Chart | None:
    """The chart that says what a level, a total or adds of this skill mean; None where there is none."""
    found = [CHARTS[each] for each in kind.charts]
    return next((each for each in found if each.reads in ("level", "total", "adds")), None)


# --- charts --------------------------------------------------------------------------------------------------


def _found(charts: Sequence[Chart], name: str) -> ChartRow:
    rows = [row for chart in charts for row in chart.rows]
    row = next((row for row in rows if row.name == name), None)
    if row is None:
        names = tuple([row.name for row in rows if not row.automatic])
        raise InvalidInput(
            "mb-no-such-row", field="with", value=name[:100], nearest=similar_or_first(name, names)
        )
    return row


def _group(row: ChartRow) -> str:
    return "dn" if row.dn is not None else row.group


def chosen(charts: Sequence[Chart], names: Iterable[str]) -> tuple[ChartRow, ...]:
    """The rows of these names that count, each once.

    InvalidInput("mb-no-such-row") and, for two that exclude each other, InvalidInput("mb-one-of-group").
    """
    rows = [_found(charts, name) for name in dict.fromkeys(names)]
    replaced = {_group(row) for row in rows if row.replaces}
    kept = [row for row in rows if row.replaces or not _group(row) or _group(row) not in replaced]
    taken: dict[str, ChartRow] = {}
    for row in kept:
        other = taken.setdefault(_group(row), row) if _group(row) else row
        if other is not row:
            raise InvalidInput("mb-one-of-group", field="with", value=row.name, other=other.name)
    return tuple(kept)


def worth(row: ChartRow, number: int | None = None) -> int:
    """What a row comes to, with the number that was said with it, or its smallest. InvalidInput("out-of-range")."""
    if row.each:
        if number is not None and number < 0:
            raise InvalidInput("out-of-range", field="with", value=number, lowest=0)
        return row.each * (1 if number is None else number)
    fixed = row.mod if row.dn is None else row.dn
    low, high = (fixed, fixed) if row.low is None else (row.low, row.high)
    if row.open:
        high = None
    if number is None:
        return high if high is not None and high < 0 else low
    if number < low or (high is not None and number > high):
        raise InvalidInput("out-of-range", field="with", value=number, lowest=low, highest=high)
    return number


def shift(charts: Sequence[Chart], names: Iterable[str], numbers: Mapping[str, int] | None = None) -> int:
    """What these rows add, without those that are a difficulty number by themselves. Errors as `difficulty`."""
    said = numbers or {}
    return sum([worth(row, said.get(row.name)) for row in chosen(charts, names) if row.dn is None])


def difficulty(
    charts: Sequence[Chart],
    names: Iterable[str],
    numbers: Mapping[str, int] | None = None,
    base: int | None = None,
) -> int:
    """The difficulty number of these rows: the one that is among them, else `base`, with all modifiers.

    `numbers` are what was said with rows, by their names. InvalidInput as `chosen` and `worth`;
    InvalidInput("mb-no-difficulty") without any number to begin from.
    """
    said, names = numbers or {}, tuple(names)
    number = next(
        (worth(row, said.get(row.name)) for row in chosen(charts, names) if row.dn is not None), base
    )
    if number is None:
        raise InvalidInput("mb-no-difficulty", field="difficulty")
    return number + shift(charts, names, said)


def difficulty_of(
    kind: SkillKind, names: Iterable[str], numbers: Mapping[str, int] | None = None, base: int | None = None
) -> int:
    """As `difficulty`, for the charts of a skill; without a `base` what its charts begin from."""
    return difficulty(charts_of(kind), names, numbers, kind.base if base is None else base)


def has_difficulty(kind: SkillKind, names: Iterable[str]) -> bool:
    """Whether these rows are enough by themselves, or the skill has a number that they begin from."""
    return kind.base is not None or any(row.dn is not None for row in chosen(charts_of(kind), names))


def read_off(rows: Iterable[ChartRow], number: int | Fraction) -> ChartRow | None:
    """The last row that a number reaches, such as that of a level's rank, a total, a load; None below all."""
    found: ChartRow | None = None
    for row in rows:
        if row.least is None or (number > row.least if row.over else number >= row.least):
            found = row
    return found


def load(kind: SkillKind, percent: int | Fraction) -> str | None:
    """The name of the row for carrying this much of one's own weight; None for what is light enough."""
    rows = [row for chart in charts_of(kind) for row in chart.rows if row.least is not None]
    found = read_off(rows, percent)
    return None if found is None else found.name


# --- learning and lacking ------------------------------------------------------------------------------------


def needs_focus(kind: SkillKind, setting: Setting) -> bool:
    """Whether the skill is learned by focus at this table (MB-SKILL-03)."""
    if kind.macro_setting:
        return bool(setting(kind.macro_setting))
    return kind.macro and (not kind.magic or bool(setting("magic_skill_focuses")))


def untrained(kind: SkillKind, setting: Setting, rare: int = 0) -> int | None:
    """What is added to the difficulty for somebody without adds; None where they cannot try (MB-SKILL-02).

    `rare` is what the chart of vehicles comes to, for piloting.
    """
    if kind.setting and not setting(kind.setting):
        return None
    if kind.untrained == "gm_table":
        return rare
    return None if kind.untrained == "no" and not kind.setting else kind.penalty


def bought(adds: int, special: int, more: int = 1) -> int:
    """Specialisation adds once `more` are bought (MB-SKILL-04). Impossible("mb-special-too-high")."""
    highest = adds + SPECIALISATION_OVER
    if special + more > highest:
        raise Impossible("mb-special-too-high", value=special + more, highest=highest)
    return special + more


def better(values: Mapping[str, int]) -> tuple[str, int]:
    """Of skills that serve the same purpose the one with the best value, the first of equals (MB-SKILL-05)."""
    name = max(values, key=lambda each: values[each])
    return name, values[name]
