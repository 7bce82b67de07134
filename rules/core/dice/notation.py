"""The dice notation: text -> an immutable tree.

    repeats     6x 4d6kh3
    comparison  a > b  a >= b  a == b  a != b  a <= b  a < b      1 when it holds, 0 otherwise
    sum         a + b  a - b
    product     a * b  a / b  a // b  a % b
    sign        -a  +a
    value       12  1.5  4d6  d20  d%  (a)  (a, b, c)             each may have [remarks] behind it

Behind dice: `kh3 kl1 k5 k>4` keep, `p…` drop, `rr1` roll again until it is none, `ro<3` roll again once, `ra6` roll one
more for the first, `e6` roll one more for each, `mi2 ma5` at least, at most. Behind sets: keep and drop. Two of the
same operation behind one another select together: `kh1kl1` keeps the highest and the lowest. A `d%` shows
00 to 90.

Plain dice compared with a plain number are counted: `6d6>4` is how many show more than 4; `(6d6)>20` compares the sum.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from rules.core.errors import InvalidInput

#: Longest expression, in characters.
TEXT_MAX: Final = 200
#: Most dice an expression may name, and most rolls it may come to.
DICE_MAX: Final = 1000
SIDES_MAX: Final = 1_000_000
#: Largest plain number.
NUMBER_MAX: Final = 1_000_000_000
#: How deep brackets and signs may be nested.
DEPTH_MAX: Final = 20
REPEATS_MAX: Final = 20
#: The sides of a `d%`, whose faces are 00, 10, … 90.
PERCENT: Final = 100

SelectorKind = Literal["", "l", "h", "<", ">"]
OperationName = Literal["k", "p", "rr", "ro", "ra", "e", "mi", "ma"]
Comparator = Literal["<", ">", "<=", ">=", "==", "!="]
BinaryName = Literal["+", "-", "*", "/", "//", "%", "<", ">", "<=", ">=", "==", "!="]


class Selector(NamedTuple):
    """Which of several values are meant: equal to, above or below `number`, or so many highest or lowest."""

    kind: SelectorKind
    number: int


class Operation(NamedTuple):
    """What is done with the values selected."""

    name: OperationName
    selectors: tuple[Selector, ...]


class Count(NamedTuple):
    """Which dice are successes."""

    comparator: Comparator
    number: int


class Number(NamedTuple):
    """A plain number."""

    value: int | float
    note: str = ""


class Dice(NamedTuple):
    """`number` dice of `sides` (or `percent` dice); with `successes` they are counted instead of added.

    `text` is the dice with everything behind them as they would be typed, without remarks.
    """

    number: int
    sides: int
    percent: bool = False
    operations: tuple[Operation, ...] = ()
    successes: Count | None = None
    note: str = ""
    text: str = ""


class Group(NamedTuple):
    """Values in brackets. A `plain` pair of brackets holds one value and stands for it."""

    items: tuple[Node, ...]
    plain: bool
    operations: tuple[Operation, ...] = ()
    note: str = ""


class Sign(NamedTuple):
    """A value with its sign."""

    negative: bool
    operand: Node


class Binary(NamedTuple):
    """Two values and what is done with them; comparisons give 1 or 0."""

    name: BinaryName
    left: Node
    right: Node


Node = Number | Dice | Group | Sign | Binary


class Notation(NamedTuple):
    """An expression as typed, how often it is rolled, and its tree."""

    text: str
    times: int
    root: Node


_TOKEN = re.compile(
    r"""[ \t]*(?:
    (?P<count>\d*)d(?P<sides>\d+|%)
    |(?P<number>\d+(?:\.\d+)?|\.\d+)
    |(?P<operation>rr|ro|ra|mi|ma|e|k|p)(?P<selector>[lh<>])?(?P<selected>\d+)
    |(?P<sign>//|[<>=!]=|[-+*/%<>(),])
    |\[(?P<note>[^\]]*)\]
    |(?P<end>[ \t]*$)
    )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_REPEATS = re.compile(r"[ \t]*(\d{1,9})[ \t]*x(?=[ \t\d(d+-])", re.IGNORECASE | re.ASCII)
_COMPARATORS: Final = frozenset({"<", ">", "<=", ">=", "==", "!="})
_AT_ONCE: Final = frozenset({"mi", "ma"})


def _bad_dice(code: str, text: str, column: int, **params: str | int) -> InvalidInput:
    """`column` counts characters from 0; presenters point at it."""
    return InvalidInput(code, field="dice", value=text, column=column, **params)


def operations_text(operations: tuple[Operation, ...]) -> str:
    """Operations as they would be typed."""
    return "".join(
        f"{operation.name}{selector.kind}{selector.number}"
        for operation in operations
        for selector in operation.selectors
    )


def _counted(left: Node, name: Comparator, right: Node) -> Dice | None:
    """Plain dice against a plain number are counted, everything else is compared."""
    if type(left) is not Dice or left.successes is not None or type(right) is not Number:
        return None
    if type(right.value) is not int:
        return None
    text = f"{left.text}{name}{right.value}"
    return left._replace(successes=Count(name, right.value), note=left.note or right.note, text=text)


class _Parser:
    """Recursive descent over one text; `_kind` is the token at hand, `_sign` which sign it is, if any."""

    __slots__ = ("_depth", "_dice", "_end", "_found", "_kind", "_sign", "_text")

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._end = start
        self._depth = 0
        self._dice = 0
        self._next()

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._end)
        if found is None:
            at = self._end + len(self._text[self._end :]) - len(self._text[self._end :].lstrip(" \t"))
            raise _bad_dice("dice-unreadable", self._text, at, found=self._text[at])
        kind = found.lastgroup
        self._kind = "dice" if kind == "sides" else "operation" if kind == "selected" else kind
        self._sign = found["sign"] if kind == "sign" else ""
        self._found = found
        self._end = found.end()

    @property
    def _column(self) -> int:
        start, end = self._found.span()
        return end - len(self._text[start:end].lstrip(" \t"))

    def whole(self) -> Node:
        root = self._comparison()
        if self._kind != "end":
            raise self._unexpected("dice-unexpected")
        return root

    def _unexpected(self, code: str) -> InvalidInput:
        if self._kind == "end":
            return _bad_dice("dice-incomplete", self._text, self._column)
        return _bad_dice(code, self._text, self._column, found=self._found[0].strip())

    def _comparison(self) -> Node:
        left = self._sum()
        while (sign := self._sign) in _COMPARATORS:
            self._next()
            right = self._sum()
            name: Comparator = sign  # pyright: ignore[reportAssignmentType] - one of _COMPARATORS
            left = _counted(left, name, right) or Binary(name, left, right)
        return left

    def _sum(self) -> Node:
        left = self._product()
        while (sign := self._sign) == "+" or sign == "-":
            self._next()
            left = Binary(sign, left, self._product())
        return left

    def _product(self) -> Node:
        left = self._signed()
        while (sign := self._sign) == "*" or sign == "/" or sign == "//" or sign == "%":
            self._next()
            left = Binary(sign, left, self._signed())
        return left

    def _signed(self) -> Node:
        sign = self._sign
        if sign != "-" and sign != "+":
            return self._value()
        self._enter()
        self._next()
        value = Sign(sign == "-", self._signed())
        self._depth -= 1
        return value

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _bad_dice("dice-too-deep", self._text, self._column, most=DEPTH_MAX)

    def _value(self) -> Node:
        kind = self._kind
        if kind == "dice":
            return self._throw()
        if kind == "number":
            text = self._found["number"]
            if len(text) > 20 or float(text) > NUMBER_MAX:
                raise _bad_dice("dice-number-too-large", self._text, self._column, most=NUMBER_MAX)
            self._next()
            return Number(float(text) if "." in text else int(text), self._notes())
        if self._sign == "(":
            return self._group()
        raise self._unexpected("dice-value-expected")

    def _throw(self) -> Dice:
        found, column = self._found, self._column
        count_text, sides_text = found["count"], found["sides"]
        count = int(count_text) if 0 < len(count_text) < 10 else DICE_MAX + 1 if count_text else 1
        percent = sides_text == "%"
        sides = PERCENT if percent else int(sides_text) if len(sides_text) < 10 else SIDES_MAX + 1
        self._dice += count
        if self._dice > DICE_MAX:
            raise _bad_dice("dice-too-many", self._text, column, most=DICE_MAX)
        if not 1 <= sides <= SIDES_MAX:
            raise _bad_dice("dice-sides", self._text, column, lowest=1, most=SIDES_MAX)
        self._next()
        operations = self._operations(of_dice=True) if self._kind == "operation" else ()
        text = f"{count}d{'%' if percent else sides}{operations_text(operations)}"
        return Dice(count, sides, percent, operations, None, self._notes(), text)

    def _group(self) -> Group:
        self._enter()
        column = self._column
        self._next()
        items: list[Node] = []
        comma = False
        while self._sign != ")":
            items.append(self._comparison())
            if self._sign == ",":
                comma = True
                self._next()
            elif self._sign != ")":
                if self._kind == "end":
                    raise _bad_dice("dice-not-closed", self._text, column)
                raise self._unexpected("dice-unexpected")
        self._next()
        self._depth -= 1
        operations = self._operations(of_dice=False) if self._kind == "operation" else ()
        return Group(tuple(items), len(items) == 1 and not comma, operations, self._notes())

    def _operations(self, *, of_dice: bool) -> tuple[Operation, ...]:
        found: list[Operation] = []
        while self._kind == "operation":
            name = self._found["operation"].lower()
            kind = (self._found["selector"] or "").lower()
            number = self._found["selected"]
            if not of_dice and name not in ("k", "p"):
                raise _bad_dice("dice-not-for-sets", self._text, self._column, found=name)
            if name in _AT_ONCE and kind:
                raise _bad_dice("dice-plain-number", self._text, self._column, found=name)
            if len(number) > 9:
                raise _bad_dice("dice-number-too-large", self._text, self._column, most=NUMBER_MAX)
            selector = Selector(kind, int(number))  # pyright: ignore[reportArgumentType] - as _TOKEN has it
            if found and found[-1].name == name and name not in _AT_ONCE:
                found[-1] = Operation(found[-1].name, (*found[-1].selectors, selector))
            else:
                found.append(Operation(name, (selector,)))  # pyright: ignore[reportArgumentType]
            self._next()
        return tuple(found)

    def _notes(self) -> str:
        if self._kind != "note":
            return ""
        notes: list[str] = []
        while self._kind == "note":
            notes.append(self._found["note"].strip())
            self._next()
        return ", ".join(note for note in notes if note)


@lru_cache(maxsize=512)
def parse(text: str) -> Notation:
    """Read an expression of at most TEXT_MAX characters.

    Raises InvalidInput with the `column` (from 0) of what is wrong: "dice-too-long", "dice-unreadable",
    "dice-unexpected", "dice-incomplete", "dice-value-expected", "dice-not-closed", "dice-too-deep",
    "dice-too-many", "dice-sides", "dice-number-too-large", "dice-not-for-sets", "dice-plain-number",
    "dice-repeats".
    """
    if len(text) > TEXT_MAX:
        raise InvalidInput(
            "dice-too-long", field="dice", value=text[:TEXT_MAX], most=TEXT_MAX, column=TEXT_MAX
        )
    times, start = 1, 0
    repeats = _REPEATS.match(text)
    if repeats is not None:
        times, start = int(repeats[1]), repeats.end()
        if not 1 <= times <= REPEATS_MAX:
            raise _bad_dice("dice-repeats", text, repeats.start(1), most=REPEATS_MAX)
    return Notation(text.strip(), times, _Parser(text, start).whole())
