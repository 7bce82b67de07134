"""Exact chances of an expression: every total with the number of ways to reach it.

Chains of exploding dice are followed until the rest has a probability below LEFT_OUT; that bound is
part of the answer. For many exploding dice, chances are cut off far below that, and count as left
out. An expression whose chances take too long to compute is refused, never estimated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

from rules.core.dice.notation import (
    Binary,
    Dice,
    Group,
    Node,
    Notation,
    Number,
    Operation,
    Selector,
    Sign,
)
from rules.core.dice.roll import BINARY, COMPARE, Amount
from rules.core.dice.truncated_sums import repeated_sum
from rules.core.errors import Impossible

#: Probability below which chains of exploding dice are not followed.
LEFT_OUT: Final = Fraction(1, 10**12)
#: Most steps of work for one expression. A step takes about a tenth of a microsecond.
WORK_MAX: Final = 3_000_000
#: Further steps for each total: to store it, and to report it at the end. They bound memory, too.
_KEEP: Final = 4
_TELL: Final = 10
#: Bits of a number of ways that cost one step more.
_LONG: Final = 512

Weights = dict[Amount, int]


class Distribution(NamedTuple):
    """Exact probabilities of totals.

    `weights[total] / ways` is the probability of a total. The weights sum up to `ways`, less what
    was left out.
    """

    #: Totals in ascending order, each with its number of ways.
    weights: Weights
    ways: int
    #: Most probability that was not followed.
    left_out: Fraction = Fraction(0)

    def at_least(self, total: Amount) -> Fraction:
        """Return the probability of this total or more."""
        return Fraction(
            sum(weight for value, weight in self.weights.items() if value >= total), self.ways
        )

    @property
    def mean(self) -> Fraction:
        """Average total. All totals have to be whole, as `distribution` returns them."""
        return Fraction(
            sum([int(value) * weight for value, weight in self.weights.items()]), self.ways
        )

    def percentile(self, share: Fraction) -> Amount:
        """Return the lowest total with a probability of at least *share* not to be exceeded.

        *share* is above 0 and at most 1.
        """
        wanted = -(-share.numerator * self.ways // share.denominator)
        reached = 0
        for value, weight in self.weights.items():
            reached += weight
            if reached >= wanted:
                return value
        return next(reversed(self.weights))


class _Budget:
    """Amount of work that may still be done."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = WORK_MAX

    def take(self, steps: int) -> None:
        """Subtract steps; raises Impossible("dice-odds-too-large") if too few are left."""
        self.left -= steps
        if self.left < 0:
            raise Impossible("dice-odds-too-large")

    def keep(self, totals: int) -> None:
        """Subtract the steps for so many new totals."""
        self.take(_KEEP * totals)


def _combine(
    left: Distribution,
    right: Distribution,
    join: Callable[[Amount, Amount], Amount],
    budget: _Budget,
) -> Distribution:
    """Return the distribution of *join* of two independent values."""
    # Numbers of ways have as many digits as it takes, and long ones cost more.
    digits = (left.ways * right.ways).bit_length() // _LONG
    budget.take(len(left.weights) * len(right.weights) * (1 + digits))
    weights: Weights = {}
    kept = 0
    for a, ways_a in left.weights.items():
        for b, ways_b in right.weights.items():
            value = join(a, b)
            weights[value] = weights.get(value, 0) + ways_a * ways_b
        budget.keep(len(weights) - kept)
        kept = len(weights)
    return Distribution(weights, left.ways * right.ways, left.left_out + right.left_out)


def _add(left: Amount, right: Amount) -> Amount:
    return left + right


_NOTHING: Final = Distribution({0: 1}, 1)


def _repeat(one: Distribution, number: int, budget: _Budget) -> Distribution:
    """Return the distribution of the sum of *number* independent values, by squaring."""
    result = _NOTHING
    while number:
        if number & 1:
            result = _combine(result, one, _add, budget)
        number >>= 1
        if number:
            one = _combine(one, one, _add, budget)
    return result


def _selects(selector: Selector, value: Amount) -> bool:
    """Return whether a selector that compares selects this value."""
    if selector.kind == "":
        return value == selector.number
    if selector.kind == ">":
        return value > selector.number
    return value < selector.number


def _selects_by_value(operation: Operation) -> bool:
    """Return whether an operation selects each die by its own value."""
    return all(selector.kind in ("", "<", ">") for selector in operation.selectors)


def _matches(operation: Operation, value: Amount | None) -> bool:
    """Return whether any selector selects this value; dropped dice never match."""
    return value is not None and any(_selects(selector, value) for selector in operation.selectors)


def _not_exact(operation: str) -> Impossible:
    """Return the error for an operation whose chances cannot be computed exactly."""
    return Impossible("dice-odds-not-exact", found=operation)


#: Weights of what a single die may show. None is a dropped die. Weights sum up to `ways`.
_Faces = dict[Amount | None, int]


def _all_sums(reached: Weights, more: Weights) -> Weights:
    """Return the sums of every value of one kind with every value of the other."""
    sums: Weights = {}
    for value, ways in reached.items():
        for gain, weight in more.items():
            total = value + gain
            sums[total] = sums.get(total, 0) + ways * weight
    return sums


class _Pool:
    """Dice of one kind as operations change them, each independent of the others."""

    def __init__(self, node: Dice, budget: _Budget) -> None:
        self.node = node
        self.budget = budget
        shown = node.faces
        budget.keep(len(shown))
        self.fresh: _Faces = dict.fromkeys(shown, 1)
        self.fresh_ways = len(shown)
        self.faces: _Faces = dict(self.fresh)
        self.ways = self.fresh_ways

    def _contribution(self, value: Amount | None) -> Amount:
        """Return what a die of this value adds to the total."""
        if value is None:
            return 0
        successes = self.node.successes
        if successes is None:
            return value
        return int(COMPARE[successes.comparator](value, successes.number))

    def _map_faces(self, change: Callable[[Amount], Amount | None]) -> None:
        """Change the value of each die; *change* returns None to drop it."""
        faces: _Faces = {}
        for value, weight in self.faces.items():
            new = None if value is None else change(value)
            faces[new] = faces.get(new, 0) + weight
        self.faces = faces

    def _reroll(self, operation: Operation, fresh: _Faces, ways: int) -> None:
        """Replace each die that matches by one of the *fresh* faces, out of *ways*."""
        matching = sum(weight for value, weight in self.faces.items() if _matches(operation, value))
        faces: _Faces = {
            value: weight * ways
            for value, weight in self.faces.items()
            if not _matches(operation, value)
        }
        for value, weight in fresh.items():
            faces[value] = faces.get(value, 0) + weight * matching
        self.faces, self.ways = faces, self.ways * ways

    def _single_die(self) -> Distribution:
        """Return the distribution of one die of the pool."""
        weights: Weights = {}
        for value, weight in self.faces.items():
            counted = self._contribution(value)
            weights[counted] = weights.get(counted, 0) + weight
        return Distribution(weights, self.ways)

    def result(self) -> Distribution:
        """Return the distribution of the whole pool."""
        number = self.node.number
        *earlier, last = self.node.operations or (None,)
        for operation in earlier:
            assert operation is not None
            if not self._apply_to_each(operation):
                raise _not_exact(operation.name)
        if last is None or self._apply_to_each(last):
            return _repeat(self._single_die(), number, self.budget)
        if last.name in ("k", "p"):
            return self._keep_by_rank(last, number)
        if not _selects_by_value(last):
            raise _not_exact(last.name)
        if last.name == "ra":
            return self._explode_first(last, number)
        if last.name == "!!" and self.node.successes is not None:
            raise _not_exact(last.name)  # successes would be counted after the dice are added
        return self._explode_each(last, number)

    def _apply_to_each(self, operation: Operation) -> bool:
        """Apply an operation that concerns each die alone; return False for any other one."""
        name = operation.name
        self.budget.take((_KEEP + len(operation.selectors)) * (len(self.faces) + len(self.fresh)))
        if name in ("mi", "ma"):
            bound = operation.selectors[-1].number
            self._map_faces(lambda value: max(value, bound) if name == "mi" else min(value, bound))
            return True
        if name in ("e", "!!", "ra") or not _selects_by_value(operation):
            return False
        if name == "ro":
            self._reroll(operation, self.fresh, self.fresh_ways)
        elif name == "rr":
            good: _Faces = {value: 1 for value in self.fresh if not _matches(operation, value)}
            if not good and any(_matches(operation, value) for value in self.faces):
                raise Impossible("dice-endless", most=0)
            if good:
                self._reroll(operation, good, len(good))
        else:
            keep = name == "k"
            self._map_faces(lambda value: value if _matches(operation, value) == keep else None)
        return True

    def _keep_by_rank(self, operation: Operation, number: int) -> Distribution:
        """Return the distribution after keeping or dropping the highest or lowest dice.

        Goes through the values from high to low, and counts the dice that show each of them.
        """
        kinds = {selector.kind for selector in operation.selectors}
        if None in self.faces or kinds not in ({"h"}, {"l"}):
            # Among equal dice, the same one may be both highest and lowest, by its position.
            raise _not_exact(operation.name)
        count = min(number, max(selector.number for selector in operation.selectors))
        chosen = range(count) if kinds == {"h"} else range(number - count, number)
        kept = [(place in chosen) == (operation.name == "k") for place in range(number)]
        # Number of kept dice among the first so many.
        kept_before = [0]
        for is_kept in kept:
            kept_before.append(kept_before[-1] + is_kept)
        long = 1 + (self.ways.bit_length() * number // _LONG)
        self.budget.take(len(self.faces) * number * number // 2 * long)  # the least it takes
        # Placed dice -> total of those kept -> ways.
        states: dict[int, Weights] = {0: {0: 1}}
        values = sorted((value for value in self.faces if value is not None), reverse=True)
        for value in values:
            weight, counted = self.faces[value], self._contribution(value)
            following: dict[int, Weights] = {}
            for placed, totals in states.items():
                self.budget.take((number - placed + 1) * (len(totals) + 1) * long)
                ways = 1
                for more in range(number - placed + 1):
                    if more:
                        # Choose so many of the dice that are left, each with so many ways.
                        ways = ways * (number - placed - more + 1) // more * weight
                    gain = counted * (kept_before[placed + more] - kept_before[placed])
                    into = following.setdefault(placed + more, {})
                    totals_before = len(into)
                    for total, count in totals.items():
                        into[total + gain] = into.get(total + gain, 0) + count * ways
                    self.budget.keep(len(into) - totals_before)
            states = following
        return Distribution(states[number], self.ways**number)

    def _split(self, operation: Operation, faces: _Faces) -> tuple[Weights, Weights]:
        """Return what the faces add that end a chain, and what those add that continue it."""
        ends: Weights = {}
        goes: Weights = {}
        for value, weight in faces.items():
            into = goes if _matches(operation, value) else ends
            counted = self._contribution(value)
            into[counted] = into.get(counted, 0) + weight
        return ends, goes

    def _explode_each(self, operation: Operation, number: int) -> Distribution:
        """Return the distribution of dice of which each that matches brings another one.

        Computes the chain of one die, then the sum of as many chains as there are dice.
        """
        again = sum(weight for value, weight in self.fresh.items() if _matches(operation, value))
        if again == self.fresh_ways:
            raise Impossible("dice-endless", most=0)
        self.budget.take(2 * (len(self.faces) + len(self.fresh)))
        ends, goes = self._split(operation, self.faces)
        fresh = self._split(operation, self.fresh)
        levels: list[tuple[Weights, int]] = []
        going: Weights = {0: 1}
        ways, of = 1, self.ways
        while True:
            digits = ways.bit_length() // _LONG
            self.budget.take(len(going) * (len(ends) + len(goes)) * (1 + digits))
            ways *= of
            levels.append((_all_sums(going, ends), ways))
            going = _all_sums(going, goes)
            self.budget.keep(len(levels[-1][0]) + len(going))
            # A Fraction would be reduced first, which takes longer than all the rest.
            left_ways = sum(going.values()) * number
            if left_ways * LEFT_OUT.denominator <= ways * LEFT_OUT.numerator:
                break
            (ends, goes), of = fresh, self.fresh_ways
        left = Fraction(left_ways, ways)
        ended: Weights = {}
        for weights, then in levels:
            self.budget.take(len(weights) * (1 + ways.bit_length() // _LONG))
            share = ways // then
            for value, weight in weights.items():
                ended[value] = ended.get(value, 0) + weight * share
        if number * ways.bit_length() <= _LONG:
            return _repeat(Distribution(ended, ways), number, self.budget)._replace(left_out=left)
        whole = {int(value): weight for value, weight in ended.items()}
        chances, of = repeated_sum(whole, ways, number, self.budget.take)
        return Distribution({**chances}, of, 1 - Fraction(sum(chances.values()), of))

    def _explode_first(self, operation: Operation, number: int) -> Distribution:
        """Return the distribution with one more die if any die matches."""
        none: _Faces = {v: weight for v, weight in self.faces.items() if not _matches(operation, v)}
        everything = _repeat(self._single_die(), number, self.budget)
        self.faces = none
        without = _repeat(self._single_die(), number, self.budget)
        self.faces, self.ways = self.fresh, self.fresh_ways
        extra = self._single_die()
        some = {
            total: more
            for total, weight in everything.weights.items()
            if (more := weight - without.weights.get(total, 0))
        }
        weights = {total: weight * extra.ways for total, weight in without.weights.items()}
        more = _combine(Distribution(some, everything.ways), extra, _add, self.budget)
        for total, weight in more.weights.items():
            weights[total] = weights.get(total, 0) + weight
        return Distribution({v: w for v, w in weights.items() if w}, more.ways)


def _group(node: Group, budget: _Budget) -> Distribution:
    """Return the distribution of a set or of brackets."""
    inner = node.items[0] if node.plain else None
    if not node.operations:
        return _sum_of([_node(item, budget) for item in node.items], budget)
    if isinstance(inner, Dice) and inner.successes is None:
        return _node(inner._replace(operations=inner.operations + node.operations), budget)
    if isinstance(inner, Group) and not inner.operations:
        return _node(inner._replace(operations=node.operations), budget)
    if inner is not None and not isinstance(inner, Number | Sign | Binary):
        raise _not_exact(node.operations[0].name)
    return _kept_of([_node(item, budget) for item in node.items], node.operations, budget)


def _sum_of(parts: list[Distribution], budget: _Budget) -> Distribution:
    """Return the distribution of the sum of independent values."""
    total = _NOTHING
    for part in parts:
        total = _combine(total, part, _add, budget)
    return total


def _kept_of(
    parts: list[Distribution], operations: tuple[Operation, ...], budget: _Budget
) -> Distribution:
    """Return the distribution of what is kept of a set, over all combinations of its members."""
    size = 1
    for part in parts:
        size *= max(1, len(part.weights))
    selectors = sum([len(operation.selectors) for operation in operations])
    budget.take(size * _KEEP * max(1, len(parts)) * (1 + len(operations) + selectors))
    weights: Weights = {}
    for members in product(*(part.weights.items() for part in parts)):
        ways = 1
        for _, weight in members:
            ways *= weight
        kept = {index: value for index, (value, _) in enumerate(members)}
        for operation in operations:
            chosen = _selected(operation, kept)
            keeps = operation.name == "k"
            kept = {i: value for i, value in kept.items() if (i in chosen) == keeps}
        total = sum(kept.values())
        weights[total] = weights.get(total, 0) + ways
    all_ways = 1
    left_out = Fraction(0)
    for part in parts:
        all_ways *= part.ways
        left_out += part.left_out
    return Distribution(weights, all_ways, left_out)


def _selected(operation: Operation, kept: dict[int, Amount]) -> set[int]:
    """Return the indexes of the members that an operation selects."""
    chosen: set[int] = set()
    for selector in operation.selectors:
        if selector.kind in ("h", "l"):
            order = sorted(kept, key=lambda index: kept[index], reverse=selector.kind == "h")
            chosen.update(order[: selector.number])
        else:
            chosen.update(index for index, value in kept.items() if _selects(selector, value))
    return chosen


def _node(node: Node, budget: _Budget) -> Distribution:
    """Return the distribution of a node."""
    if isinstance(node, Number):
        return Distribution({node.value: 1}, 1)
    if isinstance(node, Dice):
        return _Pool(node, budget).result()
    if isinstance(node, Sign):
        part = _node(node.operand, budget)
        if not node.negative:
            return part
        budget.keep(len(part.weights))
        return part._replace(weights={-value: weight for value, weight in part.weights.items()})
    if isinstance(node, Group):
        return _group(node, budget)
    left, right = _node(node.left, budget), _node(node.right, budget)
    compare = COMPARE.get(node.name)
    try:
        if compare is not None:
            return _combine(left, right, lambda a, b: int(compare(a, b)), budget)
        return _combine(left, right, BINARY[node.name], budget)
    except ZeroDivisionError:
        raise Impossible("dice-division-by-zero") from None
    except OverflowError:
        raise Impossible("dice-total-too-large") from None


def distribution(notation: Notation) -> Distribution:
    """Return the exact distribution of one throw; all repeats have the same one.

    Fractions are cut off as in the result.

    Raises Impossible: "dice-odds-not-exact" for operations whose chances depend on which die was
    chosen first, "dice-odds-too-large", "dice-endless", "dice-division-by-zero",
    "dice-total-too-large".
    """
    budget = _Budget()
    exact = _node(notation.root, budget)
    budget.take(_TELL * len(exact.weights) * (1 + exact.ways.bit_length() // _LONG))
    weights: Weights = {}
    for value, weight in _in_order(exact.weights):
        total = int(value)
        weights[total] = weights.get(total, 0) + weight
    return exact._replace(weights=weights)


def _in_order(weights: Weights) -> Iterator[tuple[Amount, int]]:
    return iter(sorted(weights.items()))
