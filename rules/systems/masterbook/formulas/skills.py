"""The skills and their charts by name, read once from `data/skills.json` (MB-SKILL-02 to
MB-SKILL-07).

A chart of difficulties has rows that are chosen; one of results is read off by a number. Both are
the same rows.
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

#: What a table has agreed on, by its key.
Setting = Callable[[str], Any]
#: What was said with rows, by their ids; None with those that were said without a number.
Numbers = Mapping[str, int | None]
#: By how much specialization adds may be higher than those of the skill, always (MB-SKILL-04).
SPECIALIZATION_OVER = 2
#: From which width on a range is offered with its middle, too.
_WIDE: Final = 3


class SkillKind(Record):
    """A skill: its Attribute, what it is for, and what somebody without adds may do (MB-SKILL-02).

    `penalty` is added to their difficulty; `setting` is the option that allows it, where one does.
    `numbers` are told where no chart has them. `trained` skills cost twice as much. A `macro` skill
    is learned by focus, `magic` ones only with `magic_skill_focuses`, others only with their
    `macro_setting`. `base` is the difficulty that its charts begin from, `rate` the movement that
    is pushed, `against` what somebody else resists with. One that is not `measured` goes against
    nothing: its rows are taken off the total. Rows of others count `later`, for what follows.
    """

    name: str
    attribute: str
    about: str
    numbers: tuple[str, ...] = ()
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
    measured: bool = True
    later: bool = False


class ChartRow(Record):
    """A row: a difficulty number, `dn`, or a `modifier` of one.

    From `low` to `high` the game master says how much, without a `high` that much or more; an
    `open` number may be higher too; where it is counted, the modifier is for `each`. Of one `group`
    only one row is chosen, as of several numbers; one that `replaces` others takes their place.
    `least` is from where it is read off, `over` only above. `automatic` rows nobody chooses. A
    `lower` number may be lower too. On the `attempt` plus helps whoever tries.
    """

    id: str
    words: str
    dn: int | None = None
    modifier: int | None = None
    low: int | None = None
    high: int | None = None
    open: bool = False
    lower: bool = False
    attempt: bool = False
    each: bool = False
    group: str = ""
    replaces: bool = False
    least: int | None = None
    over: bool = False
    automatic: bool = False
    chart: str = ""

    @property
    def code(self) -> str:
        """What its words are found by."""
        return f"{self.chart}-{self.id}".replace("_", "-")


class Chart(Record):
    """Rows that belong together; `reads` is what they are read off by, empty where they are
    chosen.
    """

    name: str
    title: str
    rows: tuple[ChartRow, ...]
    reads: Literal["", "level", "total", "adds", "wounds", "adds_less"] = ""


class Environments(Record):
    """How near two environments are to each other; no `other` stands for all of them
    (MB-SKILL-SURVIVAL).
    """

    one: str
    other: str
    relation: str


class Input(Record):
    """Something that uses of these skills take: how many numbers, from where to where; `exact` ones
    may have fractions.

    `words` are places in the place of numbers; what `adds` does so to the total.
    """

    id: str
    skills: tuple[str, ...]
    example: str
    least: int = 1
    most: int = 1
    low: int = 0
    high: int = 100
    exact: bool = False
    words: bool = False
    adds: bool = False


class ValueName(Record):
    """What values are called from the `least` one on."""

    least: int
    id: str
    words: str


_ROWS: Final = from_json(dict[str, object], json_loader("rules.systems.masterbook", "skills")())
SKILLS: Final = rows_by_key(from_json(tuple[SkillKind, ...], _ROWS["skills"]))
CHARTS: Final[Mapping[str, Chart]] = {
    each.name: each.replace(rows=tuple([row.replace(chart=each.name) for row in each.rows]))
    for each in from_json(tuple[Chart, ...], _ROWS["charts"])
}
#: What rows are called, by their codes.
WORDS: Final[Mapping[str, str]] = {
    row.code: row.words for each in CHARTS.values() for row in each.rows
}
ENVIRONMENTS: Final = from_json(tuple[Environments, ...], _ROWS["environments"])
INPUTS: Final = rows_by_key(from_json(tuple[Input, ...], _ROWS["inputs"]), "id")
_QUALITIES: Final = from_json(tuple[ValueName, ...], _ROWS["qualities"])
_KNOWLEDGE: Final = from_json(tuple[ValueName, ...], _ROWS["knowledge"])


def quality(value: int) -> ValueName:
    """What a value of an Attribute is called (MB-CHAR-03)."""
    return next(each for each in _QUALITIES if value >= each.least)


def knowledge(adds: int) -> ValueName | None:
    """What somebody with that many adds is called; None without any (MB-CHAR-15)."""
    return next((each for each in _KNOWLEDGE if adds >= each.least), None)


# --- charts ---------------------------------------------------------------------------------------


def charts_of(skill: str) -> tuple[Chart, ...]:
    """The charts of a skill; none of one that is a campaign's own."""
    return tuple([CHARTS[each] for each in SKILLS[skill].charts]) if skill in SKILLS else ()


def _rows(skill: str) -> Iterator[ChartRow]:
    return (row for chart in charts_of(skill) if not chart.reads for row in chart.rows)


def rows_of(skill: str) -> tuple[ChartRow, ...]:
    """The rows that can be chosen for a skill."""
    return tuple([row for row in _rows(skill) if not row.automatic])


def result_chart(skill: str) -> Chart | None:
    """The chart that says what a level, a total or adds of this skill mean; None where there is
    none.
    """
    return next(
        (each for each in charts_of(skill) if each.reads in ("level", "total", "adds")), None
    )


def _group(row: ChartRow) -> str:
    return "dn" if row.dn is not None else row.group


def chosen_rows(skill: str, ids: Iterable[str]) -> tuple[ChartRow, ...]:
    """The rows of these ids that count, each once.

    InvalidInput("mb-no-such-row") and, for two that exclude each other,
    InvalidInput("mb-options-exclude").
    """
    known = {row.id: row for row in _rows(skill)}
    rows: list[ChartRow] = []
    for each in dict.fromkeys(ids):
        if each not in known:
            nearest = typed_ids(*similar_or_first(each, [row.id for row in rows_of(skill)]))
            raise InvalidInput("mb-no-such-row", field="with", value=each[:100], nearest=nearest)
        rows.append(known[each])
    replaced = {_group(row) for row in rows if row.replaces}
    kept = [row for row in rows if row.replaces or not _group(row) or _group(row) not in replaced]
    require_compatible("with", kept, _group)
    return tuple(kept)


def row_value(row: ChartRow, number: int | None = None) -> int:
    """What a row comes to, with the number that was said with it, or usually.
    InvalidInput("mb-row-number").
    """
    usual = row.modifier if row.dn is None else row.dn
    if number is None and usual is not None:
        return usual
    low = None if row.lower else 0 if row.each else usual if row.low is None else row.low
    high = None if row.open or row.each else usual if row.low is None else row.high
    if number is None or (low is not None and number < low) or (high is not None and number > high):
        limits = {"lowest": low, "highest": high}
        raise InvalidInput("mb-row-number", field="with", value=number, name=row.words, **limits)
    return (usual or 0) * number if row.each else number


def offered_numbers(row: ChartRow) -> tuple[int, ...]:
    """Those of its range that are offered: both ends, and the middle of a wide one; any other is
    written.
    """
    if row.low is None or row.modifier is not None:
        return (row_value(row),)
    ends = row.low, row.low if row.high is None else row.high
    return tuple(sorted({*ends, *([sum(ends) // 2] if ends[1] - ends[0] > _WIDE else [])}))


def rows_modifier(skill: str, ids: Iterable[str], numbers: Numbers | None = None) -> int:
    """What these rows add, without those that are a difficulty number by themselves. Errors as
    `difficulty`.
    """
    said = numbers or {}
    return sum(
        [row_value(row, said.get(row.id)) for row in chosen_rows(skill, ids) if row.dn is None]
    )


def number_of(skill: str, ids: Iterable[str], numbers: Numbers | None = None) -> int | None:
    """The difficulty number among these rows; None without any."""
    said = numbers or {}
    return next(
        (row_value(row, said.get(row.id)) for row in chosen_rows(skill, ids) if row.dn is not None),
        None,
    )


def difficulty(
    skill: str, ids: Iterable[str], numbers: Numbers | None = None, base: int | None = None
) -> int:
    """The difficulty number of these rows of a skill.

    It begins from the number among them, else from `base`, else from the one that the skill has.

    `numbers` are what was said with rows, by their ids. InvalidInput as `chosen_rows` and `worth`;
    InvalidInput("mb-no-difficulty") without any number to begin from.
    """
    ids, kind = tuple(ids), SKILLS.get(skill)
    own = number_of(skill, ids, numbers)
    number = (
        own
        if own is not None
        else base
        if base is not None
        else None
        if kind is None
        else kind.base
    )
    if number is None:
        raise InvalidInput("mb-no-difficulty", field="difficulty")
    return number + rows_modifier(skill, ids, numbers)


def read_off(rows: Iterable[ChartRow], number: int | Fraction) -> ChartRow | None:
    """The last row that a number reaches, such as that of a level's rank, a total, a load; None
    below all.
    """
    found: ChartRow | None = None
    for row in rows:
        if row.least is None or (number > row.least if row.over else number >= row.least):
            found = row
    return found


def load_row(skill: str, percent: int | Fraction) -> str | None:
    """The id of the row for carrying this much of one's own weight; None for what is light
    enough.
    """
    found = read_off([row for row in _rows(skill) if row.least is not None], percent)
    return None if found is None else found.id


# --- learning and lacking -------------------------------------------------------------------------


def needs_focus(kind: SkillKind, setting: Setting) -> bool:
    """Whether the skill is learned by focus at this table (MB-SKILL-03)."""
    if kind.macro_setting:
        return bool(setting(kind.macro_setting))
    return kind.macro and (not kind.magic or bool(setting("magic_skill_focuses")))


def untrained_penalty(kind: SkillKind, setting: Setting, rare: int = 0) -> int | None:
    """What is added to the difficulty for somebody without adds; None where they cannot try
    (MB-SKILL-02).

    `rare` is what the chart of vehicles comes to, for piloting.
    """
    if kind.setting and not setting(kind.setting):
        return None
    if kind.untrained == "gm_table":
        return rare
    return None if kind.untrained == "no" and not kind.setting else kind.penalty


def has_specializations(skill: str) -> bool:
    """Whether there are specializations of a skill; of a campaign's own there may be."""
    return skill not in SKILLS or SKILLS[skill].specialized


def raise_specialization(adds: int, special: int) -> int:
    """Specialization adds once another is bought (MB-SKILL-04).
    Impossible("mb-special-too-high").
    """
    highest = adds + SPECIALIZATION_OVER
    if special >= highest:
        raise Impossible("mb-special-too-high", value=special + 1, highest=highest)
    return special + 1


def best_skill(values: Mapping[str, int]) -> tuple[str, int]:
    """Of skills that serve the same purpose the one with the best value, the first of equals
    (MB-SKILL-05).
    """
    name = max(values, key=lambda each: values[each])
    return name, values[name]
