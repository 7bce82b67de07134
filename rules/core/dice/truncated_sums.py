"""Sums of many independent values whose chances are cut off after so many binary places, and by how
much at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

#: Binary places that are kept of each chance: 10^-38, so that thousands of cuts stay far below any
#: bound we state.
PLACES: Final = 128
#: Steps of work that multiplying numbers of n digits (of 30 bits) takes: n ** _POWER * _STEP, as
#: measured.
_POWER: Final = 1.585
_STEP: Final = 0.08

#: Chances from `low` on, as multiples of 2 ** -PLACES.
_Row = tuple[int, list[int]]


def repeated_sum(
    weights: Mapping[int, int], ways: int, number: int, take: Callable[[int], None]
) -> tuple[dict[int, int], int]:
    """The sum of `number` values, each with a chance of `weights[value] / ways`: weights out of the
    ways returned.

    No weight is larger than it is in truth, and what was cut off is what they lack of the ways
    together. `take` is told the work before it is done and may refuse it.
    """
    low, high = min(weights), max(weights)
    take(high - low)
    row = _trimmed(
        low, [(weights.get(value, 0) << PLACES) // ways for value in range(low, high + 1)]
    )
    total: _Row = (0, [1 << PLACES])
    while number:
        if number & 1:
            total = _sum(total, row, take)
        number >>= 1
        if number:
            row = _sum(row, row, take)
    start, chances = total
    return {start + index: chance for index, chance in enumerate(chances) if chance}, 1 << PLACES


def _sum(left: _Row, right: _Row, take: Callable[[int], None]) -> _Row:
    """All products at once: the chances stand side by side in two long numbers, whose product has
    the sums.
    """
    short, long = sorted((len(left[1]), len(right[1])))
    size = (2 * PLACES + short.bit_length() + 7) // 8 + 1
    # The longer number is worked through in pieces as long as the shorter one.
    take(int((short * size * 8 / 30) ** _POWER * _STEP * (long / max(1, short))) + short + long)
    packed = _packed(left[1], size)
    product = packed * (packed if right is left else _packed(right[1], size))
    data = product.to_bytes((short + long) * size, "little")
    chances = [
        int.from_bytes(data[at : at + size], "little") >> PLACES
        for at in range(0, (short + long - 1) * size, size)
    ]
    return _trimmed(left[0] + right[0], chances)


def _packed(chances: list[int], size: int) -> int:
    return int.from_bytes(b"".join(chance.to_bytes(size, "little") for chance in chances), "little")


def _trimmed(low: int, chances: list[int]) -> _Row:
    """Without the ends at which nothing is left."""
    first, last = 0, len(chances)
    while first < last and not chances[first]:
        first += 1
    while last > first and not chances[last - 1]:
        last -= 1
    return low + first, chances[first:last]
