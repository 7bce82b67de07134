"""Throws of an expression: a tree of results, independent of how it is shown."""

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

#: Value of a node: a whole number unless it was divided.
Amount = int | float

#: Largest total of a throw.
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
    """Return a comparison as an operator that gives 1 or 0."""
    return lambda left, right: int(compare(left, right))


#: Every operator between two values. A comparison that holds gives 1.
_WORK: Final[dict[str, Callable[[Amount, Amount], Amount]]] = {
    **BINARY,
    **{name: _number(compare) for name, compare in COMPARE.items()},
}


_NONE: Final[frozenset[int]] = frozenset()
_NOTHING: Final[Mapping[int, tuple[int, ...]]] = {}


class Result:
    """Result of a node of the tree.

    `total` is its value, `parts` are the results that it consists of. `kept` says whether a set
    around it keeps it.
    """

    __slots__ = ("kept", "node", "parts", "total")

    def __init__(self, node: Node, total: Amount, parts: Sequence[Result] = ()) -> None:
        self.node = node
        self.total = total
        self.parts = parts
        self.kept = True


class FallenDice(Result):
    """Dice as they fell, in order. An object for each die would take longer than all the rest.

    Dice are named by their place in `values`.
    """

    __slots__ = ("dropped", "exploded", "faces", "grown", "values")

    def __init__(self, node: Dice, values: list[int]) -> None:
        self.node = node
        self.total: Amount = 0
        self.parts = ()
        self.kept = True
        #: Value that each die counts as.
        self.values = values
        #: All faces, in order, of dice that were rerolled or count as another value.
        self.faces: dict[int, list[int]] = {}
        self.dropped = _NONE
        self.exploded = _NONE
        #: Faces that were added to dice that exploded into themselves.
        self.grown = _NOTHING

    def add_die(self, place: int, face: int) -> None:
        """Add a face to a die that has exploded into itself."""
        self.grown = {**self.grown, place: (*self.grown.get(place, ()), face)}
        self.values[place] += face

    def reroll(self, place: int, face: int) -> None:
        """Replace the face of a die by that of its reroll."""
        self.faces.setdefault(place, [self.values[place]]).append(face)
        self.values[place] = face

    def count_as(self, place: int, value: int) -> None:
        """Count a die as another value than it shows."""
        self.faces.setdefault(place, [self.values[place]])
        self.values[place] = value


class ThrowResult:
    """One throw of an expression. `total` is the whole number that counts; fractions are cut."""

    __slots__ = ("result", "total")

    def __init__(self, result: Result) -> None:
        self.result = result
        self.total = int(result.total)


def _selected_places(
    kind: SelectorKind, number: int, values: Sequence[Amount], dropped: Set[int]
) -> list[int]:
    """Return the places of the kept values that a selector selects."""
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


def _places_of(operation: Operation, values: Sequence[Amount], dropped: Set[int]) -> list[int]:
    """Return the places of the kept values that an operation selects."""
    if len(operation.selectors) == 1:
        ((kind, number),) = operation.selectors
        return _selected_places(kind, number, values, dropped)
    places: set[int] = set()
    for kind, number in operation.selectors:
        places.update(_selected_places(kind, number, values, dropped))
    return sorted(places)


def _dropped_places(
    operation: Operation, values: Sequence[Amount], dropped: frozenset[int]
) -> frozenset[int]:
    """Return the places of all values that do not count after keeping or dropping."""
    chosen = _places_of(operation, values, dropped)
    if operation.name == "k":
        return frozenset(range(len(values))).difference(chosen)
    return dropped.union(chosen)


def _sum(values: Sequence[Amount], dropped: Set[int]) -> Amount:
    """Return the sum of the values that count."""
    if not dropped:
        return sum(values)
    return sum([value for place, value in enumerate(values) if place not in dropped])


def _members(node: Group, parts: Sequence[Result]) -> FallenDice | Sequence[Result]:
    """Return the members that keeping and dropping apply to.

    Plain brackets around dice or a set hand on the members inside.
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
    """Thrower of one tree. `left` is the number of rolls that it may still make."""

    __slots__ = ("_below", "left")

    def __init__(self, rng: Rng) -> None:
        self._below = rng.below
        self.left = DICE_MAX

    def _roll(self, node: Dice, count: int) -> list[int]:
        """Roll dice of one kind; raises Impossible("dice-endless") if too few rolls are left."""
        self.left -= count
        if self.left < 0:
            raise Impossible("dice-endless", most=DICE_MAX)
        below, sides = self._below, node.sides
        if node.marked:
            return [node.faces[below(sides)] for _ in range(count)]
        faces: list[int] = []
        for _ in range(count):  # for so few dice faster than a comprehension, which is a function
            faces.append(below(sides) + 1)
        return faces

    def throw(self, node: Node) -> Result:
        """Return the result of a node; left operands are rolled first."""
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
        """Return the result of brackets or a set, after its operations."""
        parts = [self.throw(item) for item in node.items]
        if not node.operations:
            return Result(node, sum([part.total for part in parts]), parts)
        members = _members(node, parts)
        if isinstance(members, FallenDice):
            for operation in node.operations:
                members.dropped = _dropped_places(operation, members.values, members.dropped)
            return Result(node, _sum(members.values, members.dropped), parts)
        values = [part.total for part in members]
        dropped = frozenset([place for place, part in enumerate(members) if not part.kept])
        for operation in node.operations:
            dropped = _dropped_places(operation, values, dropped)
        for place in dropped:
            members[place].kept = False
        return Result(node, _sum(values, dropped), parts)

    def _operate(self, node: Dice, operation: Operation, dice: FallenDice) -> None:
        """Apply one operation to dice that were rolled."""
        name = operation.name
        if name == "k" or name == "p":
            dice.dropped = _dropped_places(operation, dice.values, dice.dropped)
        elif name == "mi" or name == "ma":
            number = operation.selectors[-1].number
            for place in _selected_places(
                "<" if name == "mi" else ">", number, dice.values, dice.dropped
            ):
                dice.count_as(place, number)
        elif name == "ro":
            self._reroll(node, dice, _places_of(operation, dice.values, dice.dropped))
        elif name == "rr":
            while chosen := _places_of(operation, dice.values, dice.dropped):
                self._reroll(node, dice, chosen)
        elif name == "ra":
            self._explode(node, dice, _places_of(operation, dice.values, dice.dropped)[:1])
        elif name == "!!":
            chosen = _places_of(operation, dice.values, dice.dropped)
            while chosen:
                faces = self._roll(node, len(chosen))
                for place, face in zip(chosen, faces, strict=True):
                    dice.add_die(place, face)
                chosen = [chosen[at] for at in _places_of(operation, faces, _NONE)]
        else:
            chosen = done = set(_places_of(operation, dice.values, dice.dropped))
            while chosen:
                self._explode(node, dice, chosen)
                chosen = set(_places_of(operation, dice.values, dice.dropped)) - done
                done = done | chosen

    def _reroll(self, node: Dice, dice: FallenDice, chosen: Sequence[int]) -> None:
        """Roll the chosen dice again."""
        for place, face in zip(chosen, self._roll(node, len(chosen)), strict=True):
            dice.reroll(place, face)

    def _explode(self, node: Dice, dice: FallenDice, chosen: Collection[int]) -> None:
        """Roll one more die for each of the chosen dice."""
        dice.exploded = dice.exploded.union(chosen)
        dice.values += self._roll(node, len(chosen))


def _count(successes: Count, dice: FallenDice) -> int:
    """Return the number of kept dice that are successes."""
    compare, number = COMPARE[successes.comparator], successes.number
    kept = [value for place, value in enumerate(dice.values) if place not in dice.dropped]
    return sum([1 for value in kept if compare(value, number)])


def throw(notation: Notation, rng: Rng) -> tuple[ThrowResult, ...]:
    """Throw the expression as often as it is to be repeated, left to right.


    Raises Impossible: "dice-endless" for more than DICE_MAX rolls, "dice-division-by-zero",
    "dice-total-too-large".
    """
    if notation.times == 1:
        return (ThrowResult(_Thrower(rng).throw(notation.root)),)
    thrower = _Thrower(rng)
    return tuple(ThrowResult(thrower.throw(notation.root)) for _ in range(notation.times))
