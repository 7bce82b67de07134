"""Sums of many independent values, with chances cut off after a number of binary places.

The result says how much was cut off at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

#: Binary places that are kept of each chance: 10^-38. Thousands of cuts stay far below any bound
#: that is stated.
PLACES: Final = 128
#: Steps of work to multiply numbers of n digits (of 30 bits): n ** _POWER * _STEP, as measured.
_POWER: Final = 1.585
_STEP: Final = 0.08

#: Chances from `low` on, as multiples of 2 ** -PLACES.
_Row = tuple[int, list[int]]


def repeated_sum(
    weights: Mapping[int, int], ways: int, number: int, take: Callable[[int], None]
) -> tuple[dict[int, int], int]:
    """Return the weights of the sum of *number* values, and the ways they are out of.

    Each value has a chance of `weights[value] / ways`. No returned weight is larger than the exact
    one. What the weights together lack of the returned ways was cut off. *take* receives the amount
    of work before it is done, and may refuse it.
    """
    low, high = min(weights), max(weights)
    take(high - low)
    row = _trim(low, [(weights.get(value, 0) << PLACES) // ways for value in range(low, high + 1)])
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
    """Return the sum of two rows, by one multiplication.

    The chances stand side by side in two long numbers. The product of these has the sums.
    """
    short, long = sorted((len(left[1]), len(right[1])))
    size = (2 * PLACES + short.bit_length() + 7) // 8 + 1
    # The longer number is worked through in pieces as long as the shorter one.
    take(int((short * size * 8 / 30) ** _POWER * _STEP * (long / max(1, short))) + short + long)
    packed = _pack(left[1], size)
    product = packed * (packed if right is left else _pack(right[1], size))
    data = product.to_bytes((short + long) * size, "little")
    chances = [
        int.from_bytes(data[at : at + size], "little") >> PLACES
        for at in range(0, (short + long - 1) * size, size)
    ]
    return _trim(left[0] + right[0], chances)


def _pack(chances: list[int], size: int) -> int:
    """Return one long number with each chance in *size* bytes."""
    return int.from_bytes(b"".join(chance.to_bytes(size, "little") for chance in chances), "little")


def _trim(low: int, chances: list[int]) -> _Row:
    """Return a row without zeros at its ends."""
    first, last = 0, len(chances)
    while first < last and not chances[first]:
        first += 1
    while last > first and not chances[last - 1]:
        last -= 1
    return low + first, chances[first:last]
