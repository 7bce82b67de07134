"""The dice notation: text -> an immutable tree.

    repeats     6x 4d6kh3
    comparison  a > b  a >= b  a == b  a != b  a <= b  a < b
    sum         a + b  a - b
    product     a * b  a / b  a // b  a % b
    sign        -a  +a
    value       12  1.5  4d6  d20  d%  4dF  adv  dis  (a)  (a, b, c)

Each value may have [remarks] or words behind it. A comparison is 1 when it holds, 0 otherwise.

Behind dice: `kh3 kl1 k5 k>4` keep, `p…` drop, `rr1` roll again until it is none, `ro<3` roll again
once, `ra6` roll one more for the first, `e6` roll one more for each, `mi2 ma5` at least, at most.
Behind sets: keep and drop. Two of the same operation behind one another select together: `kh1kl1`
keeps the highest and the lowest. A `d%` shows 00 to 90, a `dF` −1, 0 or 1.

As it is written elsewhere: `kh` keeps one, `dl1` drops, `3d6!` is e6, `3d6!!` adds what comes of it
to the die itself; `adv` and `dis` are two d20 of which the higher or lower counts, behind a die or
at the end that die twice; `# words` at the end tell what it is for.

Plain dice compared with a plain number are counted: `6d6>4` is how many show more than 4;
`(6d6)>20` compares the sum.
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
#: Dice whose faces are not 1, 2, 3 …, by what stands for their sides: the lowest face, the step to
#: the next, how many.
MARKED: Final = {"%": (0, 10, 10), "F": (-1, 1, 3)}

_MARKS: Final = frozenset("%fF")

SelectorKind = Literal["", "l", "h", "<", ">"]
OperationName = Literal["k", "p", "rr", "ro", "ra", "e", "!!", "mi", "ma"]
Comparator = Literal["<", ">", "<=", ">=", "==", "!="]
BinaryName = Literal["+", "-", "*", "/", "//", "%", "<", ">", "<=", ">=", "==", "!="]


class Selector(NamedTuple):
    """Which of several values are meant: equal to, above or below `number`, or so many highest or
    lowest.
    """

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
    """`number` dice of `sides`; with `successes` they are counted instead of added.

    `marked` is a key of MARKED for dice with other faces, which have as many sides as faces. `text`
    is the dice with everything behind them as it was typed, without remarks.
    """

    number: int
    sides: int
    marked: str = ""
    operations: tuple[Operation, ...] = ()
    successes: Count | None = None
    note: str = ""
    text: str = ""

    @property
    def faces(self) -> range:
        """What one of them can show."""
        low, step, count = MARKED.get(self.marked, (1, 1, self.sides))
        return range(low, low + step * count, step)


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
    """An expression as typed, how often it is rolled, and its tree; `reason` is what it is for, in
    words.
    """

    text: str
    times: int
    root: Node
    reason: str = ""


_TOKEN = re.compile(
    r"""[ \t]*(?:
    (?P<count>\d*)d(?P<sides>\d+|%|f(?![a-z]))
    |(?P<number>\d+(?:\.\d+)?|\.\d+)
    |(?P<operation>rr|ro|ra|mi|ma|e|k|p|d(?=[lh])|!!(?!=)|!(?!=))(?P<selector>[lh<>])?(?P<selected>\d+|(?<=[kpd][lh])(?![a-z])|(?<=!))
    |(?P<sign>//|[<>=!]=|[-+*/%<>(),])
    |(?P<favor>adv|dis)(?:antage)?(?![a-z])
    |\[(?P<note>[^\]]*)\]
    |(?<=[ \t])(?P<words>[a-z\u00c0-\u024f](?:['’\- ]?[a-z\u00c0-\u024f])*)
    |(?P<end>[ \t]*$)
    )""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_REPEATS = re.compile(r"[ \t]*(\d{1,9})[ \t]*x(?=[ \t\d(d+-])", re.IGNORECASE | re.ASCII)
_REASON = re.compile(r"#(?![^\[]*\])")
_COMPARATORS: Final = frozenset({"<", ">", "<=", ">=", "==", "!="})
#: Operations as they are written elsewhere.
_ALSO: Final = {"d": "p", "!": "e"}
_EXPLODES: Final = ("e", "!!")
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
    return left._replace(
        successes=Count(name, right.value), note=left.note or right.note, text=text
    )


class _Parser:
    """Recursive descent over one text; `_kind` is the token at hand, `_sign` which sign it is, if
    any.
    """

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
            at = (
                self._end
                + len(self._text[self._end :])
                - len(self._text[self._end :].lstrip(" \t"))
            )
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
        if self._kind == "favor" and (favored := self._first_favored(root)) is not None:
            root = favored
            self._next()
        if self._kind != "end":
            raise self._unexpected("dice-unexpected")
        return root

    def _first_favored(self, node: Node) -> Node | None:
        """The tree with the first die thrown twice; None where it does not begin with a
        single one.
        """
        if type(node) is Binary:
            left = self._first_favored(node.left)
            return None if left is None else node._replace(left=left)
        return self._favored(node) if type(node) is Dice and node.number == 1 else None

    def _favored(self, dice: Dice) -> Dice:
        """Two dice instead of one, of which the higher or the lower counts."""
        kind = "h" if self._found["favor"].lower() == "adv" else "l"
        operations = (*dice.operations, Operation("k", (Selector(kind, 1),)))
        self._count(1, self._column)
        text = f"{dice.text} {self._found['favor'].lower()}"
        return dice._replace(number=2, operations=operations, text=text)

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
        if kind == "favor":
            dice = self._favored(Dice(1, 20, text="1d20"))
            self._count(1, self._column)
            self._next()
            return dice._replace(note=self._notes())
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
        marked = sides_text.upper() if sides_text in _MARKS else ""
        sides = (
            MARKED[marked][2]
            if marked
            else int(sides_text)
            if len(sides_text) < 10
            else SIDES_MAX + 1
        )
        self._count(count, column)
        if not 1 <= sides <= SIDES_MAX:
            raise _bad_dice("dice-sides", self._text, column, lowest=1, most=SIDES_MAX)
        self._next()
        operations: tuple[Operation, ...] = ()
        text = f"{count}d{marked or sides}"
        if self._kind == "operation":
            start = self._found.start()
            operations = self._operations(Dice(count, sides, marked).faces[-1])
            text += "".join(self._text[start : self._found.start()].split())
        if self._kind == "favor" and count == 1 and self._text[self._end :].strip():
            # The note at the end belongs to the first die.
            dice = self._favored(Dice(1, sides, marked, operations, None, "", text))
            self._next()
            return dice._replace(note=self._notes())
        return Dice(count, sides, marked, operations, None, self._notes(), text)

    def _count(self, dice: int, column: int) -> None:
        self._dice += dice
        if self._dice > DICE_MAX:
            raise _bad_dice("dice-too-many", self._text, column, most=DICE_MAX)

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
        operations = self._operations(None) if self._kind == "operation" else ()
        return Group(tuple(items), len(items) == 1 and not comma, operations, self._notes())

    def _operations(self, highest: int | None) -> tuple[Operation, ...]:
        """Those behind dice, whose `highest` face it is, or behind a set."""
        found: list[Operation] = []
        while self._kind == "operation":
            typed = self._found["operation"].lower()
            name = _ALSO.get(typed, typed)
            kind = (self._found["selector"] or "").lower()
            number = self._found["selected"] or str(highest if name in _EXPLODES else 1)
            if highest is None and name not in ("k", "p"):
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
        if self._kind != "note" and self._kind != "words":
            return ""
        notes: list[str] = []
        while self._kind == "note" or self._kind == "words":
            notes.append(self._found[self._kind].strip())
            self._next()
        return ", ".join(note for note in notes if note)


@lru_cache(maxsize=512)
def parse(text: str) -> Notation:
    """Read an expression of at most TEXT_MAX characters.

    Raises InvalidInput with the `column` (from 0) of what is wrong: "dice-too-long",
    "dice-unreadable", "dice-unexpected", "dice-incomplete", "dice-value-expected",
    "dice-not-closed", "dice-too-deep", "dice-too-many", "dice-sides", "dice-number-too-large",
    "dice-not-for-sets", "dice-plain-number", "dice-repeats".
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
    reason = _REASON.search(text) if "#" in text else None
    dice = text if reason is None else text[: reason.start()]
    said = "" if reason is None else text[reason.end() :].strip()
    return Notation(dice.strip(), times, _Parser(dice, start).whole(), said)
