"""Throwing an expression: a tree of results apart from how it is shown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Final

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


_Member = DieThrown | Result


def _selected(selector: Selector, members: Sequence[_Member]) -> list[_Member]:
    kind, number = selector
    kept = [member for member in members if member.kept]
    if kind == "":
        return [member for member in kept if member.value == number]
    if kind == ">":
        return [member for member in kept if member.value > number]
    if kind == "<":
        return [member for member in kept if member.value < number]
    return sorted(kept, key=_value, reverse=kind == "h")[:number]


def _sum(members: Iterable[_Member]) -> Amount:
    total: Amount = 0
    for member in members:
        if member.kept:
            total += member.value
    return total


def _value(member: _Member) -> Amount:
    return member.value


def _select(operation: Operation, members: Sequence[_Member]) -> list[_Member]:
    if len(operation.selectors) == 1:
        return _selected(operation.selectors[0], members)
    chosen = {id(each) for selector in operation.selectors for each in _selected(selector, members)}
    return [member for member in members if id(member) in chosen]


def _keep_or_drop(operation: Operation, members: Sequence[_Member]) -> None:
    chosen = _select(operation, members)
    if operation.name == "p":
        for member in chosen:
            member.kept = False
        return
    keeps = {id(member) for member in chosen}
    for member in members:
        if id(member) not in keeps:
            member.kept = False


class _Thrower:
    """Throws one tree; `left` is how many rolls it may still come to."""

    __slots__ = ("_below", "left")

    def __init__(self, rng: Rng) -> None:
        self._below = rng.below
        self.left = DICE_MAX

    def _roll(self, node: Dice) -> int:
        self.left -= 1
        if self.left < 0:
            raise Impossible("dice-endless", most=DICE_MAX)
        return 10 * self._below(10) if node.percent else self._below(node.sides) + 1

    def throw(self, node: Node) -> Result:
        if isinstance(node, Dice):
            return self._dice(node)
        if isinstance(node, Number):
            return Result(node, node.value)
        if isinstance(node, Binary):
            return self._binary(node)
        if isinstance(node, Sign):
            part = self.throw(node.operand)
            return Result(node, -part.total if node.negative else part.total, (part,))
        assert isinstance(node, Group)
        return self._group(node)

    def _binary(self, node: Binary) -> Result:
        left, right = self.throw(node.left), self.throw(node.right)
        compare = COMPARE.get(node.name)
        try:
            if compare is not None:
                total: Amount = int(compare(left.total, right.total))
            else:
                total = BINARY[node.name](left.total, right.total)
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
        members: Sequence[_Member] = parts
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
        dice = [DieThrown(self._roll(node)) for _ in range(node.number)]
        if not node.operations and node.successes is None:
            return Result(node, sum([die.faces[0] for die in dice]), (), dice)
        for operation in node.operations:
            self._operate(node, operation, dice)
        if node.successes is not None:
            return Result(node, _count(node.successes, dice), (), dice)
        return Result(node, _sum(dice), (), dice)

    def _operate(self, node: Dice, operation: Operation, dice: list[DieThrown]) -> None:
        name = operation.name
        if name in ("k", "p"):
            _keep_or_drop(operation, dice)
        elif name == "mi":
            _force(dice, lambda value: max(value, operation.selectors[-1].number))
        elif name == "ma":
            _force(dice, lambda value: min(value, operation.selectors[-1].number))
        elif name == "ro":
            self._again(node, _dice_of(_select(operation, dice)))
        elif name == "rr":
            while chosen := _dice_of(_select(operation, dice)):
                self._again(node, chosen)
        elif name == "ra":
            self._explode(node, dice, _dice_of(_select(operation, dice))[:1])
        else:
            done: set[int] = set()
            while chosen := [die for die in _dice_of(_select(operation, dice)) if id(die) not in done]:
                done.update(map(id, chosen))
                self._explode(node, dice, chosen)

    def _again(self, node: Dice, chosen: Iterable[DieThrown]) -> None:
        for die in chosen:
            die.faces.append(self._roll(node))
            die.value = die.faces[-1]

    def _explode(self, node: Dice, dice: list[DieThrown], chosen: Iterable[DieThrown]) -> None:
        for die in chosen:
            die.exploded = True
            dice.append(DieThrown(self._roll(node)))


def _dice_of(members: Iterable[_Member]) -> list[DieThrown]:
    return [member for member in members if isinstance(member, DieThrown)]


def _force(dice: Iterable[DieThrown], forced: Callable[[Amount], Amount]) -> None:
    for die in dice:
        if die.kept:
            die.value = forced(die.value)


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
