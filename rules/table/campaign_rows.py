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
#: The highest number in a row whose field has no bounds.
HIGHEST: Final = 1_000_000

Kinds = Mapping[str, type[Any]]
Bounds = Mapping[str, tuple[int, int]]
#: Notes what else is wrong with a row in its place, by kind.
Checks = Mapping[str, Callable[[Reader, str, Any], None]]
_NO_CHECKS: Final[Checks] = {}


def campaign_from_rows(
    rows: type[Any], kinds: Kinds, shipped: Any, bounds: Bounds, checks: Checks = _NO_CHECKS
) -> Campaign:
    """A campaign of added rows: `rows` has a tuple of each of these kinds, and each row a `name`;
    `bounds` are those of numbers, by field, but for kinds with a check of their own. The first row
    of each kind in `shipped` is the sample to copy from.
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
    """What gives the rows of a kind by name, given a campaign: its own in the place of those
    shipped of their name.
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
    reader, found = Reader(), dict[str, Any]()
    reader.note_unknown(data, tuple(kinds), "")
    for kind, row in kinds.items():
        entries = reader.read_list(kind, data.get(kind, ()), MOST_ROWS) or ()
        check = checks.get(kind)
        made: list[Any] = []
        for at, entry in enumerate(entries):
            place = f"{kind}[{at}]"
            made.append(_row(reader, row, entry, place, {} if check else bounds))
            if check is not None and made[-1] is not None:
                check(reader, place, made[-1])
        found[kind] = tuple(made)
    if reader.problems:
        raise Problems(
            "bad-campaign", reader.problems[:MAX_NOTED_PROBLEMS], count=len(reader.problems)
        )
    return found


def _row(reader: Reader, kind: type[Any], value: object, place: str, bounds: Bounds) -> Any:
    try:
        made = from_json(kind, value, place)
        reader.read_text(f"{place}.name", made.name, NAME_MAX, needed=True, one_line=True)
        clean_name(made.name)
        for where, number in numbers(to_plain(made), place):
            low, high = bounds.get(where.rpartition(".")[2].partition("[")[0], (-HIGHEST, HIGHEST))
            reader.read_number(where, number, low, high)
        return made
    except ValueError as error:
        where, _, wrong = str(error).partition(": ")
        reader.add_problem("bad-row", where[:NAME_MAX], wrong, "mend-row")
    except RulesError as error:
        reader.problems.append(
            InvalidInput(error.code, **{**error.params, "field": f"{place}.name"})
        )
    return None


def write_rows(campaign: Any, kinds: Kinds) -> dict[str, object]:
    """Return the JSON object that `read_rows` reads back to the same rows."""
    return {
        kind: [to_plain(row) for row in getattr(campaign, kind)]
        for kind in kinds
        if getattr(campaign, kind)
    }


def describe_rows(campaign: Any, kinds: Kinds) -> tuple[Text, ...]:
    return tuple(
        Text(
            "campaign-adds",
            {"kind": kind, "names": tuple(row.name for row in getattr(campaign, kind))},
        )
        for kind in kinds
        if getattr(campaign, kind)
    )
