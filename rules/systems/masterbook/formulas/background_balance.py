"""Columns of a background: slots, trades and due Compensations (MB-BG-02, -03, -05, -06, -07)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from rules.core.errors import InvalidInput, RulesError
from rules.core.record import Record, field
from rules.systems.masterbook.formulas.option_kinds import LIST_COLUMNS, MOST_COLUMN

#: Number of options, or of slots, by column.
Columns = Mapping[int, int]
#: Columns that options may have; a trade up can make a Compensation of column V due (OP-37).
ALL_COLUMNS: Final = range(1, MOST_COLUMN + 1)
#: How many Compensations a shift turns into one of the next column (MB-BG-07).
_SHIFTED: Final = 2


class ColumnTrade(Record):
    """Columns that were traded for others (MB-BG-05 to MB-BG-07)."""

    #: `down` gives up one slot of a higher column for several of `column`, `up` several for one of
    #: `column`. `shift` turns two Compensations into one of the next column.
    kind: Literal["down", "up", "shift"]
    #: Columns that are given up.
    given: tuple[int, ...]
    #: Column that is gained; 0 for a shift.
    column: int = 0


class TradeRules(Record):
    """Trades that a table allows."""

    down: bool = False
    up: bool = False
    shift: bool = False

    def allows(self, trade: ColumnTrade) -> bool:
        """Return whether the table allows trades of this kind."""
        return {"down": self.down, "up": self.up, "shift": self.shift}[trade.kind]


class Balance(Record):
    """Slots and due Compensations of a background, after its trades."""

    #: Slots by column; None if the table has set no limits.
    slots: Columns | None
    #: Slots that trades brought.
    extra: Columns
    #: Compensations due by column, without the columns where none is.
    due: Columns
    #: Columns of Compensations that trades up make due.
    traded_up: tuple[int, ...] = ()
    #: Trades that can't be carried out, each with its place in the list.
    errors: tuple[RulesError, ...] = field(default=())

    def limit(self, column: int) -> int | None:
        """Return the most Advantages of a column; None without a limit."""
        if self.slots is None:
            return None
        return self.slots.get(column, 0) + self.extra.get(column, 0)


def column_limits(limits: Sequence[int]) -> Columns:
    """Return limits by column from a list that begins with column I."""
    return dict(enumerate(limits, 1))


def balance(
    limits: Columns | None,
    advantages: Columns,
    trades: Sequence[ColumnTrade] = (),
    allowed: TradeRules | None = None,
) -> Balance:
    """Return the slots and the due Compensations of these Advantages (MB-BG-03).

    A trade with an error isn't carried out. Without *allowed*, all kinds of trades are.
    """
    books = _Books(limits, advantages)
    permitted = TradeRules(True, True, True) if allowed is None else allowed
    for at, trade in enumerate(trades):
        books.apply(trade, f"trades[{at}]", permitted.allows(trade))
    books.shift(trades, permitted)
    return books.result()


class _Books:
    """Slots and dues while trades are carried out."""

    def __init__(self, limits: Columns | None, advantages: Columns) -> None:
        self._slots = None if limits is None else dict(limits)
        self._advantages = advantages
        self._extra: dict[int, int] = {}
        self._due_extra: dict[int, int] = {}
        self._traded_up: list[int] = []
        self._errors: list[RulesError] = []
        self._due: dict[int, int] = {}

    def apply(self, trade: ColumnTrade, place: str, allowed: bool) -> None:
        """Carry out a trade of slots, or note its errors."""
        errors = list(_trade_errors(trade, place, allowed))
        if not errors and trade.kind != "shift":
            errors += self._slot_errors(trade, place)
        self._errors += errors
        if errors or trade.kind == "shift":
            return
        for column in trade.given:
            self._add_slot(column, -1)
        if trade.kind == "down":
            (given,) = trade.given
            self._add(self._extra, trade.column, given - trade.column)
            self._add(self._due_extra, given, 1)
        else:
            self._add(self._extra, trade.column, 1)
            self._add(self._due_extra, trade.column + 1, 1)
            self._traded_up.append(trade.column + 1)

    def _slot_errors(self, trade: ColumnTrade, place: str) -> Iterator[RulesError]:
        if self._slots is None:
            return
        for column in sorted(set(trade.given), reverse=True):
            needed = trade.given.count(column)
            slots = self._slots.get(column, 0)
            free = slots + self._extra.get(column, 0) - self._advantages.get(column, 0)
            if min(slots, free) < needed:
                yield _error("no-slot", place, column, column=column)

    def _add_slot(self, column: int, number: int) -> None:
        if self._slots is not None:
            self._add(self._slots, column, number)

    @staticmethod
    def _add(numbers: dict[int, int], column: int, number: int) -> None:
        numbers[column] = numbers.get(column, 0) + number

    def shift(self, trades: Sequence[ColumnTrade], allowed: TradeRules) -> None:
        """Count what is due, then turn two Compensations into one of the next column."""
        for column in ALL_COLUMNS:
            chosen = self._advantages.get(column, 0)
            if self._slots is not None:
                chosen = min(chosen, self._slots.get(column, 0))
            self._due[column] = max(0, chosen) + self._due_extra.get(column, 0)
        for at, trade in enumerate(trades):
            place = f"trades[{at}]"
            if trade.kind != "shift" or any(_trade_errors(trade, place, allowed.shift)):
                continue
            (column,) = trade.given
            if self._due[column] < _SHIFTED:
                self._errors.append(_shift_error(place, column))
                continue
            self._due[column] -= _SHIFTED
            self._due[column + 1] += 1

    def result(self) -> Balance:
        due = {column: number for column, number in self._due.items() if number}
        return Balance(self._slots, self._extra, due, tuple(self._traded_up), tuple(self._errors))


def _trade_errors(trade: ColumnTrade, place: str, allowed: bool) -> Iterator[RulesError]:
    if not allowed:
        yield _error("disabled", place, trade.kind)
    elif trade.kind == "down":
        yield from _down_errors(trade, place)
    elif trade.kind == "up":
        needed, paid = trade.column + 1, sum(trade.given)
        if paid != needed or max(trade.given, default=0) >= trade.column:
            about = {"desired": trade.column, "needed": needed, "given": paid}
            yield _error("up-sum", place, paid, **about)
    elif len(trade.given) != 1 or trade.column not in (0, trade.given[0] + 1):
        yield _shift_error(place, trade.given[0] if trade.given else 1)
    elif trade.given[0] >= MOST_COLUMN:
        yield _shift_error(place, trade.given[0])


def _down_errors(trade: ColumnTrade, place: str) -> Iterator[RulesError]:
    sacrificed = trade.given[0] if trade.given else 0
    if len(trade.given) != 1 or trade.column >= sacrificed:
        about = {"sacrificed": sacrificed, "desired": trade.column}
        yield _error("down-direction", place, trade.column, **about)


def _shift_error(place: str, column: int) -> RulesError:
    about: dict[str, int] = {"column": column, "next": column + 1}
    return InvalidInput("mb-bg-comp-shift-level", field=place, value=column, **about)


def _error(code: str, place: str, value: int | str, **shown: int) -> RulesError:
    return InvalidInput(f"mb-bg-trade-{code}", field=place, value=value, **shown)


def over_limit_errors(books: Balance, advantages: Columns) -> Iterator[RulesError]:
    """Yield an error for each column with too many Advantages (MB-BG-02)."""
    for column in ALL_COLUMNS:
        limit, count = books.limit(column), advantages.get(column, 0)
        if limit is not None and count > limit:
            about = {"column": column, "count": count, "limit": limit}
            yield InvalidInput("mb-bg-column-over-limit", field="advantages", value=count, **about)


def missing_errors(books: Balance, compensations: Columns) -> Iterator[RulesError]:
    """Yield an error for each column with too few Compensations (MB-BG-03, MB-BG-06)."""
    for column in ALL_COLUMNS:
        due, chosen = books.due.get(column, 0), compensations.get(column, 0)
        if chosen >= due:
            continue
        if column in books.traded_up:
            about = {"desired": column - 1, "needed": column}
            yield InvalidInput("mb-bg-trade-up-comp", field="compensations", value=chosen, **about)
            continue
        missing = {"column": column, "due": due, "given": chosen, "missing": due - chosen}
        yield InvalidInput("mb-bg-comp-missing", field="compensations", value=chosen, **missing)


def extra_warnings(books: Balance, compensations: Columns) -> Iterator[RulesError]:
    """Yield a warning for each column with more Compensations than are due (MB-BG-03)."""
    for column in ALL_COLUMNS:
        due, chosen = books.due.get(column, 0), compensations.get(column, 0)
        if chosen > due:
            about = {"column": column, "due": due, "given": chosen}
            yield InvalidInput("mb-bg-comp-extra", field="compensations", value=chosen, **about)


def with_custom_columns(limits: Columns, advantages: Columns) -> Columns:
    """Return the limits with those of columns above IV, which have none (MB-BG-08)."""
    higher = {column: advantages.get(column, 0) for column in ALL_COLUMNS if column > LIST_COLUMNS}
    return {**limits, **higher}
