"""Throwing an expression: a tree of results apart from how it is shown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from rules.core.dice.notation import (
    DICE_MAX,
    Binary,
    Count,
    Dice,
    Group,
    Node,
    Notation,
    Number,
    Operation,
    Selector,
    Sign,
)
from rules.core.errors import Impossible
from rules.core.rng import Rng

#: A value is an integer unless it was divided.
Amount = int | float

#: Results beyond this are of no use to anybody.
TOTAL_MAX: Final = 10**15

BINARY: Final[dict[str, Callable[[Amount, Amount], Amount]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda left, right: left / right,
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
}
COMPARE: Final[dict[str, Callable[[Amount, Amount], bool]]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
#: Whatever stands between two values; what holds counts 1.
_WORK: Final[dict[str, Callable[[Amount, Amount], Amount]]] = {**BINARY, **COMPARE}


class DieThrown:
    """One die: every face it showed, in order; what it counts as; whether it counts, and was exploded."""

    __slots__ = ("exploded", "faces", "kept", "value")

    def __init__(self, face: int) -> None:
        self.faces = [face]
        self.value: Amount = face
        self.kept = True
        self.exploded = False


class Result:
    """What a node of the tree came to.

    `total` is its value, `kept` whether a set around it keeps it. `dice` are those it threw itself,
    `parts` the results it is made of.
    """

    __slots__ = ("dice", "kept", "node", "parts", "total")

    def __init__(
        self,
        node: Node,
        total: Amount,
        parts: Sequence[Result] = (),
        dice: Sequence[DieThrown] = (),
    ) -> None:
        self.node = node
        self.total = total
        self.parts = parts
        self.dice = dice
        self.kept = True

    @property
    def value(self) -> Amount:
        return self.total


class Thrown:
    """An expression thrown once. `total` is the whole number that counts: fractions are cut off."""

    __slots__ = ("result", "total")

    def __init__(self, result: Result) -> None:
        self.result = result
        self.total = int(result.total)


_Member = TypeVar("_Member", DieThrown, Result)
_value = operator.attrgetter("value")


def _selected(selector: Selector, members: Sequence[_Member]) -> list[_Member]:
    kind, number = selector
    if kind == "":
        return [member for member in members if member.kept and member.value == number]
    if kind == ">":
        return [member for member in members if member.kept and member.value > number]
    if kind == "<":
        return [member for member in members if member.kept and member.value < number]
    kept = [member for member in members if member.kept]
    kept.sort(key=_value, reverse=kind == "h")
    return kept[:number]


def _select(operation: Operation, members: Sequence[_Member]) -> list[_Member]:
    if len(operation.selectors) == 1:
        return _selected(operation.selectors[0], members)
    chosen = {id(each) for selector in operation.selectors for each in _selected(selector, members)}
    return [member for member in members if id(member) in chosen]


def _keep_or_drop(operation: Operation, members: Sequence[_Member]) -> None:
    chosen = _select(operation, members)  # none but those that are kept so far
    keep = operation.name == "k"
    if keep:
        for member in members:
            member.kept = False
    for member in chosen:
        member.kept = keep


def _sum(members: Iterable[DieThrown | Result]) -> Amount:
    return sum([member.value for member in members if member.kept])


class _Thrower:
    """Throws one tree; `left` is how many rolls it may still come to."""

    __slots__ = ("_below", "left")

    def __init__(self, rng: Rng) -> None:
        self._below = rng.below
        self.left = DICE_MAX

    def _roll(self, node: Dice, count: int) -> list[DieThrown]:
        self.left -= count
        if self.left < 0:
            raise Impossible("dice-endless", most=DICE_MAX)
        below, sides = self._below, node.sides
        if node.percent:
            return [DieThrown(10 * below(10)) for _ in range(count)]
        return [DieThrown(below(sides) + 1) for _ in range(count)]

    def throw(self, node: Node) -> Result:
        if type(node) is Dice:
            return self._dice(node)
        if type(node) is Number:
            return Result(node, node.value)
        if type(node) is Binary:
            return self._binary(node)
        if type(node) is Sign:
            part = self.throw(node.operand)
            return Result(node, -part.total if node.negative else part.total, (part,))
        assert type(node) is Group
        return self._group(node)

    def _binary(self, node: Binary) -> Result:
        left, right = self.throw(node.left), self.throw(node.right)
        try:
            total = _WORK[node.name](left.total, right.total)
        except ZeroDivisionError:
            raise Impossible("dice-division-by-zero") from None
        except OverflowError:
            raise Impossible("dice-total-too-large", most=TOTAL_MAX) from None
        if not -TOTAL_MAX <= total <= TOTAL_MAX:
            raise Impossible("dice-total-too-large", most=TOTAL_MAX)
        return Result(node, total, (left, right))

    def _group(self, node: Group) -> Result:
        parts = [self.throw(item) for item in node.items]
        if not node.operations:
            return Result(node, sum([part.total for part in parts]), parts)
        # A plain pair of brackets around dice or a set hands their members on.
        members: Sequence[DieThrown] | Sequence[Result] = parts
        while len(members) == 1 and node.plain and isinstance(members[0], Result):
            inner = members[0]
            if inner.dice or (isinstance(inner.node, Group) and inner.parts):
                members = inner.dice or inner.parts
                if isinstance(inner.node, Group) and inner.node.plain:
                    continue
            break
        for operation in node.operations:
            _keep_or_drop(operation, members)
        return Result(node, _sum(members), parts)

    def _dice(self, node: Dice) -> Result:
        dice = self._roll(node, node.number)
        for operation in node.operations:
            self._operate(node, operation, dice)
        total = _sum(dice) if node.successes is None else _count(node.successes, dice)
        return Result(node, total, (), dice)

    def _operate(self, node: Dice, operation: Operation, dice: list[DieThrown]) -> None:
        name = operation.name
        if name == "k" or name == "p":
            _keep_or_drop(operation, dice)
        elif name == "mi":
            _at_least(dice, operation.selectors[-1].number)
        elif name == "ma":
            _at_most(dice, operation.selectors[-1].number)
        elif name == "ro":
            self._again(node, _select(operation, dice))
        elif name == "rr":
            while chosen := _select(operation, dice):
                self._again(node, chosen)
        elif name == "ra":
            self._explode(node, dice, _select(operation, dice)[:1])
        else:
            chosen = _select(operation, dice)
            done: set[int] = set()
            while chosen:
                done.update(map(id, chosen))
                self._explode(node, dice, chosen)
                chosen = [die for die in _select(operation, dice) if id(die) not in done]

    def _again(self, node: Dice, chosen: Sequence[DieThrown]) -> None:
        for die, thrown in zip(chosen, self._roll(node, len(chosen)), strict=True):
            die.faces += thrown.faces
            die.value = thrown.value

    def _explode(self, node: Dice, dice: list[DieThrown], chosen: Sequence[DieThrown]) -> None:
        for die in chosen:
            die.exploded = True
        dice += self._roll(node, len(chosen))


def _at_least(dice: Iterable[DieThrown], number: int) -> None:
    for die in dice:
        if die.kept and die.value < number:
            die.value = number


def _at_most(dice: Iterable[DieThrown], number: int) -> None:
    for die in dice:
        if die.kept and die.value > number:
            die.value = number


def _count(successes: Count, dice: Iterable[DieThrown]) -> int:
    compare, number = COMPARE[successes.comparator], successes.number
    return sum([1 for die in dice if die.kept and compare(die.value, number)])


def throw(notation: Notation, rng: Rng) -> tuple[Thrown, ...]:
    """Throw the expression as often as it says, left to right.

    Raises Impossible: "dice-endless" for more than DICE_MAX rolls, "dice-division-by-zero",
    "dice-total-too-large".
    """
    if notation.times == 1:
        return (Thrown(_Thrower(rng).throw(notation.root)),)
    thrower = _Thrower(rng)
    return tuple(Thrown(thrower.throw(notation.root)) for _ in range(notation.times))
