"""Throwing an expression: a tree of results apart from how it is shown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence, Set
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
    SelectorKind,
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


def _number(compare: Callable[[Amount, Amount], bool]) -> Callable[[Amount, Amount], int]:
    return lambda left, right: int(compare(left, right))


#: Whatever stands between two values; what holds counts 1.
_WORK: Final[dict[str, Callable[[Amount, Amount], Amount]]] = {
    **BINARY,
    **{name: _number(compare) for name, compare in COMPARE.items()},
}


_NONE: Final[frozenset[int]] = frozenset()
_NOTHING: Final[Mapping[int, tuple[int, ...]]] = {}


class Result:
    """What a node of the tree came to.

    `total` is its value, `kept` whether a set around it keeps it, `parts` the results it is made
    of.
    """

    __slots__ = ("kept", "node", "parts", "total")

    def __init__(self, node: Node, total: Amount, parts: Sequence[Result] = ()) -> None:
        self.node = node
        self.total = total
        self.parts = parts
        self.kept = True


class FallenDice(Result):
    """Dice as they fell, one after the other; an object for each of them would take longer than all
    else.

    `values` is what each counts as. `faces` has all that those showed, in order, which fell again
    or count as something else; `grown` what was added to those that exploded into themselves.
    `dropped` and `exploded` name dice by their place in `values`.
    """

    __slots__ = ("dropped", "exploded", "faces", "grown", "values")

    def __init__(self, node: Dice, values: list[int]) -> None:
        self.node = node
        self.total: Amount = 0
        self.parts = ()
        self.kept = True
        self.values = values
        self.faces: dict[int, list[int]] = {}
        self.dropped = _NONE
        self.exploded = _NONE
        self.grown = _NOTHING

    def add_die(self, place: int, face: int) -> None:
        """The die has brought another, which counts with it."""
        self.grown = {**self.grown, place: (*self.grown.get(place, ()), face)}
        self.values[place] += face

    def reroll(self, place: int, face: int) -> None:
        """The die fell once more."""
        self.faces.setdefault(place, [self.values[place]]).append(face)
        self.values[place] = face

    def count_as(self, place: int, value: int) -> None:
        """The die counts as something else than it shows."""
        self.faces.setdefault(place, [self.values[place]])
        self.values[place] = value


class ThrowResult:
    """An expression thrown once. `total` is the whole number that counts: fractions are cut off."""

    __slots__ = ("result", "total")

    def __init__(self, result: Result) -> None:
        self.result = result
        self.total = int(result.total)


def _meant(
    kind: SelectorKind, number: int, values: Sequence[Amount], dropped: Set[int]
) -> list[int]:
    """The places of those among the kept that a selector means."""
    if kind == "":
        return [
            place for place, value in enumerate(values) if value == number and place not in dropped
        ]
    if kind == ">":
        return [
            place for place, value in enumerate(values) if value > number and place not in dropped
        ]
    if kind == "<":
        return [
            place for place, value in enumerate(values) if value < number and place not in dropped
        ]
    kept = [place for place in range(len(values)) if place not in dropped]
    kept.sort(key=values.__getitem__, reverse=kind == "h")
    return kept[:number]


def _chosen(operation: Operation, values: Sequence[Amount], dropped: Set[int]) -> list[int]:
    if len(operation.selectors) == 1:
        ((kind, number),) = operation.selectors
        return _meant(kind, number, values, dropped)
    return sorted(
        {place for each in operation.selectors for place in _meant(*each, values, dropped)}
    )


def _dropped(
    operation: Operation, values: Sequence[Amount], dropped: frozenset[int]
) -> frozenset[int]:
    """The places of all that do not count after keeping or dropping."""
    chosen = _chosen(operation, values, dropped)
    if operation.name == "k":
        return frozenset(range(len(values))).difference(chosen)
    return dropped.union(chosen)


def _sum(values: Sequence[Amount], dropped: Set[int]) -> Amount:
    if not dropped:
        return sum(values)
    return sum([value for place, value in enumerate(values) if place not in dropped])


def _members(node: Group, parts: Sequence[Result]) -> FallenDice | Sequence[Result]:
    """What keeping and dropping work on: plain brackets around dice or a set hand their
    members on.
    """
    if not node.plain:
        return parts
    (inner,) = parts
    if isinstance(inner, FallenDice):
        return inner if inner.values else parts
    if type(inner.node) is Group and inner.parts:
        return _members(inner.node, inner.parts)
    return parts


class _Thrower:
    """Throws one tree; `left` is how many rolls it may still come to."""

    __slots__ = ("_below", "left")

    def __init__(self, rng: Rng) -> None:
        self._below = rng.below
        self.left = DICE_MAX

    def _roll(self, node: Dice, count: int) -> list[int]:
        self.left -= count
        if self.left < 0:
            raise Impossible("dice-endless", most=DICE_MAX)
        below, sides = self._below, node.sides
        if node.marked:
            return [node.faces[below(sides)] for _ in range(count)]
        faces: list[int] = []
        for _ in range(count):  # for so few faster than a comprehension, which is a function
            faces.append(below(sides) + 1)
        return faces

    def throw(self, node: Node) -> Result:
        if type(node) is Dice:
            dice = FallenDice(node, self._roll(node, node.number))
            for operation in node.operations:
                self._operate(node, operation, dice)
            if node.successes is None:
                dice.total = _sum(dice.values, dice.dropped)
            else:
                dice.total = _count(node.successes, dice)
            return dice
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
        members = _members(node, parts)
        if isinstance(members, FallenDice):
            for operation in node.operations:
                members.dropped = _dropped(operation, members.values, members.dropped)
            return Result(node, _sum(members.values, members.dropped), parts)
        values = [part.total for part in members]
        dropped = frozenset([place for place, part in enumerate(members) if not part.kept])
        for operation in node.operations:
            dropped = _dropped(operation, values, dropped)
        for place in dropped:
            members[place].kept = False
        return Result(node, _sum(values, dropped), parts)

    def _operate(self, node: Dice, operation: Operation, dice: FallenDice) -> None:
        name = operation.name
        if name == "k" or name == "p":
            dice.dropped = _dropped(operation, dice.values, dice.dropped)
        elif name == "mi" or name == "ma":
            number = operation.selectors[-1].number
            for place in _meant("<" if name == "mi" else ">", number, dice.values, dice.dropped):
                dice.count_as(place, number)
        elif name == "ro":
            self._again(node, dice, _chosen(operation, dice.values, dice.dropped))
        elif name == "rr":
            while chosen := _chosen(operation, dice.values, dice.dropped):
                self._again(node, dice, chosen)
        elif name == "ra":
            self._explode(node, dice, _chosen(operation, dice.values, dice.dropped)[:1])
        elif name == "!!":
            chosen = _chosen(operation, dice.values, dice.dropped)
            while chosen:
                faces = self._roll(node, len(chosen))
                for place, face in zip(chosen, faces, strict=True):
                    dice.add_die(place, face)
                chosen = [chosen[at] for at in _chosen(operation, faces, _NONE)]
        else:
            chosen = done = set(_chosen(operation, dice.values, dice.dropped))
            while chosen:
                self._explode(node, dice, chosen)
                chosen = set(_chosen(operation, dice.values, dice.dropped)) - done
                done = done | chosen

    def _again(self, node: Dice, dice: FallenDice, chosen: Sequence[int]) -> None:
        for place, face in zip(chosen, self._roll(node, len(chosen)), strict=True):
            dice.reroll(place, face)

    def _explode(self, node: Dice, dice: FallenDice, chosen: Collection[int]) -> None:
        dice.exploded = dice.exploded.union(chosen)
        dice.values += self._roll(node, len(chosen))


def _count(successes: Count, dice: FallenDice) -> int:
    compare, number = COMPARE[successes.comparator], successes.number
    kept = [value for place, value in enumerate(dice.values) if place not in dice.dropped]
    return sum([1 for value in kept if compare(value, number)])


def throw(notation: Notation, rng: Rng) -> tuple[ThrowResult, ...]:
    """Throw the expression as often as it says, left to right.

    Raises Impossible: "dice-endless" for more than DICE_MAX rolls, "dice-division-by-zero",
    "dice-total-too-large".
    """
    if notation.times == 1:
        return (ThrowResult(_Thrower(rng).throw(notation.root)),)
    thrower = _Thrower(rng)
    return tuple(ThrowResult(thrower.throw(notation.root)) for _ in range(notation.times))
