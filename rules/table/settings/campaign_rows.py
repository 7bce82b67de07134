"""Rows that a campaign adds to a system's tables, as JSON: a list of rows for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rules.core.data_rows import from_json, numbers, rows_by_key
from rules.core.errors import InvalidInput, Problems, RulesError
from rules.core.json_reader import MAX_NOTED_PROBLEMS, Reader
from rules.core.memo import memo_by_identity
from rules.core.name_matching import clean_name
from rules.core.record import to_plain
from rules.table.blocks import Text
from rules.table.system import Campaign

MOST_ROWS: Final = 200
NAME_MAX: Final = 80
#: Highest number in a field without bounds.
HIGHEST: Final = 1_000_000

#: Class of the rows of each kind.
Kinds = Mapping[str, type[Any]]
#: Lowest and highest number of each field.
Bounds = Mapping[str, tuple[int, int]]
#: Functions that note further problems of a row, given its place, by kind.
Checks = Mapping[str, Callable[[Reader, str, Any], None]]
_NO_CHECKS: Final[Checks] = {}


def campaign_from_rows(
    rows: type[Any], kinds: Kinds, shipped: Any, bounds: Bounds, checks: Checks = _NO_CHECKS
) -> Campaign:
    """Return the `Campaign` of a system whose campaigns add rows to its tables.

    *rows* is the record of a campaign: it has a tuple of rows for each kind. Each row has a `name`.
    *bounds* hold for kinds without a check of their own. The first row of each kind in *shipped* is
    the sample to copy from.
    """
    first = rows(**{kind: getattr(shipped, kind)[:1] for kind in kinds})
    return Campaign(
        rows(),
        lambda data: rows(**read_rows(data, kinds, bounds, checks)),
        lambda campaign: write_rows(campaign, kinds),
        lambda campaign: describe_rows(campaign, kinds),
        lambda game: {},
        lambda: write_rows(first, kinds),
    )


def row_lookup(shipped: Any, kinds: Iterable[str]) -> Callable[[Any, str], Mapping[str, Any]]:
    """Return a function from a campaign and a kind to the rows of that kind, by name.

    A campaign's row replaces the shipped one of the same name.
    """

    @memo_by_identity
    def all_rows(campaign: Any) -> Mapping[str, Mapping[str, Any]]:
        return {
            kind: rows_by_key((*getattr(shipped, kind), *getattr(campaign, kind))) for kind in kinds
        }

    return lambda campaign, kind: all_rows(campaign)[kind]


def read_rows(
    data: Mapping[str, object], kinds: Kinds, bounds: Bounds, checks: Checks = _NO_CHECKS
) -> dict[str, tuple[Any, ...]]:
    """Return a campaign's rows by kind.

    Raises Problems("bad-campaign", count) with a problem for each row that is wrong.
    """
    reader, rows_by_kind = Reader(), dict[str, Any]()
    reader.note_unknown(data, tuple(kinds), "")
    for kind, row_class in kinds.items():
        entries = reader.read_list(kind, data.get(kind, ()), MOST_ROWS) or ()
        check = checks.get(kind)
        rows: list[Any] = []
        for index, entry in enumerate(entries):
            place = f"{kind}[{index}]"
            row = _read_row(reader, row_class, entry, place, {} if check else bounds)
            if check is not None and row is not None:
                check(reader, place, row)
            rows.append(row)
        rows_by_kind[kind] = tuple(rows)
    if reader.problems:
        raise Problems(
            "bad-campaign", reader.problems[:MAX_NOTED_PROBLEMS], count=len(reader.problems)
        )
    return rows_by_kind


def _read_row(
    reader: Reader, row_class: type[Any], value: object, place: str, bounds: Bounds
) -> Any:
    """Return a row from JSON; None if it can't be read, with the problem noted."""
    try:
        row = from_json(row_class, value, place)
        reader.read_text(f"{place}.name", row.name, NAME_MAX, needed=True, one_line=True)
        clean_name(row.name)
        for where, number in numbers(to_plain(row), place):
            field = where.rpartition(".")[2].partition("[")[0]
            low, high = bounds.get(field, (-HIGHEST, HIGHEST))
            reader.read_number(where, number, low, high)
        return row
    except ValueError as error:
        where, _, wrong = str(error).partition(": ")
        reader.add_problem("bad-row", where[:NAME_MAX], wrong, "mend-row")
    except RulesError as error:
        params = {**error.params, "field": f"{place}.name"}
        reader.problems.append(InvalidInput(error.code, **params))
    return None


def write_rows(campaign: Any, kinds: Kinds) -> dict[str, object]:
    """Return the JSON object that `read_rows` reads back to the same rows."""
    data: dict[str, object] = {}
    for kind in kinds:
        rows = getattr(campaign, kind)
        if rows:
            data[kind] = [to_plain(row) for row in rows]
    return data


def describe_rows(campaign: Any, kinds: Kinds) -> tuple[Text, ...]:
    """Return a line for each kind of rows that a campaign adds."""
    lines: list[Text] = []
    for kind in kinds:
        rows = getattr(campaign, kind)
        if rows:
            names = tuple(row.name for row in rows)
            lines.append(Text("campaign-adds", {"kind": kind, "names": names}))
    return tuple(lines)
