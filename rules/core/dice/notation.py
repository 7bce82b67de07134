"""The dice notation: text -> an immutable tree.

    repeats     6x 4d6kh3
    comparison  a > b  a >= b  a == b  a != b  a <= b  a < b
    sum         a + b  a - b
    product     a * b  a / b  a // b  a % b
    sign        -a  +a
    value       12  1.5  4d6  d20  d%  4dF  adv  dis  (a)  (a, b, c)

Each value may have [remarks] or words behind it. A comparison is 1 when it holds, 0 otherwise.

Behind dice: `kh3 kl1 k5 k>4` keep, `p…` drop. `rr1` rerolls until no 1 shows, `ro<3` rerolls once.
`ra6` adds a die for the first 6, `e6` a die for each. `mi2 ma5` count a die as at least or at most
that. Behind sets: keep and drop. The same operation twice in a row selects together: `kh1kl1` keeps
the highest and the lowest. A `d%` shows 00 to 90, a `dF` −1, 0 or 1.

Synonyms from other notations: `kh` keeps one, `dl1` drops, `3d6!` is e6. `3d6!!` adds the extra
dice to the die itself. `adv` and `dis` are two d20 of which the higher or lower counts; behind a
die or at the end they double that die. `# words` at the end state the purpose.

Plain dice compared with a plain number count successes: `6d6>4` is the number of dice above 4;
`(6d6)>20` compares the sum.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from rules.core.errors import InvalidInput

#: Longest expression, in characters.
TEXT_MAX: Final = 200
#: Most dice in an expression, and most rolls of one throw.
DICE_MAX: Final = 1000
SIDES_MAX: Final = 1_000_000
#: Largest plain number.
NUMBER_MAX: Final = 1_000_000_000
#: Deepest nesting of brackets and signs.
DEPTH_MAX: Final = 20
REPEATS_MAX: Final = 20
#: Dice whose faces are not 1, 2, 3 …, by the letter for their sides: the lowest face, the step to
#: the next, and the number of faces.
MARKED: Final = {"%": (0, 10, 10), "F": (-1, 1, 3)}

_MARKS: Final = frozenset("%fF")

SelectorKind = Literal["", "l", "h", "<", ">"]
OperationName = Literal["k", "p", "rr", "ro", "ra", "e", "!!", "mi", "ma"]
Comparator = Literal["<", ">", "<=", ">=", "==", "!="]
BinaryName = Literal["+", "-", "*", "/", "//", "%", "<", ">", "<=", ">=", "==", "!="]


class Selector(NamedTuple):
    """Selection of values: equal to, above or below `number`, or the `number` highest or lowest."""

    kind: SelectorKind
    number: int


class Operation(NamedTuple):
    """Operation on selected values."""

    name: OperationName
    selectors: tuple[Selector, ...]


class Count(NamedTuple):
    """Condition for a die to be a success."""

    comparator: Comparator
    number: int


class Number(NamedTuple):
    """A plain number."""

    value: int | float
    note: str = ""


class Dice(NamedTuple):
    """A number of equal dice. With `successes` they are counted instead of added."""

    number: int
    sides: int
    #: Key of MARKED for dice with other faces, which have as many sides as faces.
    marked: str = ""
    operations: tuple[Operation, ...] = ()
    successes: Count | None = None
    note: str = ""
    #: Dice and everything behind them as typed, without remarks.
    text: str = ""

    @property
    def faces(self) -> range:
        """Values that one die can show."""
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
    """Two values and an operator between them. A comparison gives 1 or 0."""

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
#: Operations of other notations, and their names here.
_SYNONYMS: Final = {"d": "p", "!": "e"}
_EXPLODES: Final = ("e", "!!")
#: Operations with a bound, which take a plain number and are not joined.
_BOUNDS: Final = frozenset({"mi", "ma"})


def _bad_dice(code: str, text: str, column: int, **params: str | int) -> InvalidInput:
    """Return an error at a column, counted from 0. Presenters point at that column."""
    return InvalidInput(code, field="dice", value=text, column=column, **params)


def operations_text(operations: tuple[Operation, ...]) -> str:
    """Return operations as they would be typed."""
    return "".join(
        f"{operation.name}{selector.kind}{selector.number}"
        for operation in operations
        for selector in operation.selectors
    )


def _success_count(left: Node, name: Comparator, right: Node) -> Dice | None:
    """Return plain dice that are compared with a plain number as a count of successes.

    Returns None for any other operands, which are compared.
    """
    if type(left) is not Dice or left.successes is not None or type(right) is not Number:
        return None
    if type(right.value) is not int:
        return None
    text = f"{left.text}{name}{right.value}"
    return left._replace(
        successes=Count(name, right.value), note=left.note or right.note, text=text
    )


class _Parser:
    """Recursive descent over one text.

    `_kind` is the kind of the current token. `_sign` is the sign that it is, if it is one.
    """

    __slots__ = ("_depth", "_dice_count", "_end", "_kind", "_sign", "_text", "_token")

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._end = start
        self._depth = 0
        self._dice_count = 0
        self._next()

    def _next(self) -> None:
        """Read the next token; raises InvalidInput("dice-unreadable") if there is none."""
        token = _TOKEN.match(self._text, self._end)
        if token is None:
            rest = self._text[self._end :]
            at = self._end + len(rest) - len(rest.lstrip(" \t"))
            raise _bad_dice("dice-unreadable", self._text, at, found=self._text[at])
        kind = token.lastgroup
        if kind == "sides":
            kind = "dice"
        elif kind == "selected":
            kind = "operation"
        self._kind = kind
        self._sign = token["sign"] if kind == "sign" else ""
        self._token = token
        self._end = token.end()

    @property
    def _column(self) -> int:
        """Column of the current token, without the space before it."""
        start, end = self._token.span()
        return end - len(self._text[start:end].lstrip(" \t"))

    def parse_whole(self) -> Node:
        """Return the tree of the whole text."""
        root = self._comparison()
        if self._kind == "favor" and (favored := self._with_favor_on_first(root)) is not None:
            root = favored
            self._next()
        if self._kind != "end":
            raise self._unexpected_token("dice-unexpected")
        return root

    def _with_favor_on_first(self, node: Node) -> Node | None:
        """Return the tree with its first die thrown twice.

        Returns None if the expression does not begin with a single die.
        """
        if type(node) is Binary:
            left = self._with_favor_on_first(node.left)
            return None if left is None else node._replace(left=left)
        if type(node) is Dice and node.number == 1:
            return self._with_favor(node)
        return None

    def _with_favor(self, dice: Dice) -> Dice:
        """Return two dice instead of one, of which the higher or the lower counts."""
        kind = "h" if self._token["favor"].lower() == "adv" else "l"
        operations = (*dice.operations, Operation("k", (Selector(kind, 1),)))
        self._count_dice(1, self._column)
        text = f"{dice.text} {self._token['favor'].lower()}"
        return dice._replace(number=2, operations=operations, text=text)

    def _unexpected_token(self, code: str) -> InvalidInput:
        """Return the error for the current token, or for an expression that ends too early."""
        if self._kind == "end":
            return _bad_dice("dice-incomplete", self._text, self._column)
        return _bad_dice(code, self._text, self._column, found=self._token[0].strip())

    def _comparison(self) -> Node:
        left = self._sum()
        while (sign := self._sign) in _COMPARATORS:
            self._next()
            right = self._sum()
            name: Comparator = sign  # pyright: ignore[reportAssignmentType] - one of _COMPARATORS
            left = _success_count(left, name, right) or Binary(name, left, right)
        return left

    def _sum(self) -> Node:
        left = self._product()
        while (sign := self._sign) == "+" or sign == "-":
            self._next()
            left = Binary(sign, left, self._product())
        return left

    def _product(self) -> Node:
        left = self._signed_value()
        while (sign := self._sign) == "*" or sign == "/" or sign == "//" or sign == "%":
            self._next()
            left = Binary(sign, left, self._signed_value())
        return left

    def _signed_value(self) -> Node:
        """Return a value with its signs."""
        sign = self._sign
        if sign != "-" and sign != "+":
            return self._value()
        self._enter()
        self._next()
        value = Sign(sign == "-", self._signed_value())
        self._depth -= 1
        return value

    def _enter(self) -> None:
        """Go one level of brackets or signs deeper; raises InvalidInput("dice-too-deep")."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise _bad_dice("dice-too-deep", self._text, self._column, most=DEPTH_MAX)

    def _value(self) -> Node:
        """Return dice, a number, or brackets."""
        kind = self._kind
        if kind == "dice":
            return self._dice_node()
        if kind == "favor":
            dice = self._with_favor(Dice(1, 20, text="1d20"))
            self._count_dice(1, self._column)
            self._next()
            return dice._replace(note=self._notes())
        if kind == "number":
            text = self._token["number"]
            if len(text) > 20 or float(text) > NUMBER_MAX:
                raise _bad_dice("dice-number-too-large", self._text, self._column, most=NUMBER_MAX)
            self._next()
            return Number(float(text) if "." in text else int(text), self._notes())
        if self._sign == "(":
            return self._group()
        raise self._unexpected_token("dice-value-expected")

    def _dice_node(self) -> Dice:
        """Return dice with everything behind them."""
        token, column = self._token, self._column
        count_text, sides_text = token["count"], token["sides"]
        count = 1
        if count_text:
            count = int(count_text) if len(count_text) < 10 else DICE_MAX + 1
        marked = sides_text.upper() if sides_text in _MARKS else ""
        if marked:
            sides = MARKED[marked][2]
        else:
            sides = int(sides_text) if len(sides_text) < 10 else SIDES_MAX + 1
        self._count_dice(count, column)
        if not 1 <= sides <= SIDES_MAX:
            raise _bad_dice("dice-sides", self._text, column, lowest=1, most=SIDES_MAX)
        self._next()
        operations: tuple[Operation, ...] = ()
        text = f"{count}d{marked or sides}"
        if self._kind == "operation":
            start = self._token.start()
            operations = self._operations(Dice(count, sides, marked).faces[-1])
            text += "".join(self._text[start : self._token.start()].split())
        if self._kind == "favor" and count == 1 and self._text[self._end :].strip():
            # The note at the end belongs to the first die.
            dice = self._with_favor(Dice(1, sides, marked, operations, None, "", text))
            self._next()
            return dice._replace(note=self._notes())
        return Dice(count, sides, marked, operations, None, self._notes(), text)

    def _count_dice(self, dice: int, column: int) -> None:
        """Count dice of the expression; raises InvalidInput("dice-too-many")."""
        self._dice_count += dice
        if self._dice_count > DICE_MAX:
            raise _bad_dice("dice-too-many", self._text, column, most=DICE_MAX)

    def _group(self) -> Group:
        """Return brackets or a set, with the operations behind it."""
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
                raise self._unexpected_token("dice-unexpected")
        self._next()
        self._depth -= 1
        operations = self._operations(None) if self._kind == "operation" else ()
        return Group(tuple(items), len(items) == 1 and not comma, operations, self._notes())

    def _operations(self, highest: int | None) -> tuple[Operation, ...]:
        """Return the operations behind dice, whose *highest* face it is, or behind a set."""
        operations: list[Operation] = []
        while self._kind == "operation":
            typed = self._token["operation"].lower()
            name = _SYNONYMS.get(typed, typed)
            kind = (self._token["selector"] or "").lower()
            number = self._token["selected"] or str(highest if name in _EXPLODES else 1)
            if highest is None and name not in ("k", "p"):
                raise _bad_dice("dice-not-for-sets", self._text, self._column, found=name)
            if name in _BOUNDS and kind:
                raise _bad_dice("dice-plain-number", self._text, self._column, found=name)
            if len(number) > 9:
                raise _bad_dice("dice-number-too-large", self._text, self._column, most=NUMBER_MAX)
            selector = Selector(kind, int(number))  # pyright: ignore[reportArgumentType] - as _TOKEN has it
            if operations and operations[-1].name == name and name not in _BOUNDS:
                last = operations[-1]
                operations[-1] = Operation(last.name, (*last.selectors, selector))
            else:
                operations.append(Operation(name, (selector,)))  # pyright: ignore[reportArgumentType]
            self._next()
        return tuple(operations)

    def _notes(self) -> str:
        """Return the remarks and words at this place, joined by commas."""
        if self._kind != "note" and self._kind != "words":
            return ""
        notes: list[str] = []
        while self._kind == "note" or self._kind == "words":
            notes.append(self._token[self._kind].strip())
            self._next()
        return ", ".join(note for note in notes if note)


@lru_cache(maxsize=512)
def parse(text: str) -> Notation:
    """Return the expression that a text of at most TEXT_MAX characters describes.

    Raises InvalidInput with the `column` (from 0) of the mistake: "dice-too-long",
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
    purpose = "" if reason is None else text[reason.end() :].strip()
    return Notation(dice.strip(), times, _Parser(dice, start).parse_whole(), purpose)
