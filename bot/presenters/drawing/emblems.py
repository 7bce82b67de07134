"""Emblems for characters without a portrait: a device on a field, always the same for a name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import png

#: Pixels of an emblem, and of the drawing that is scaled down to it for smooth edges.
_SIZE: Final = 160
_DRAWN: Final = _SIZE * 4
#: Colors of the field, its other part, and the device, for Discord's light and dark themes.
_COLORS: Final = (
    ("#16324a", "#1f4a6b", "#e8c15a"),
    ("#14463c", "#1e6153", "#f0e3c0"),
    ("#4a1f2c", "#6b2c3f", "#e9b48c"),
    ("#2e2a52", "#433d78", "#b9d8ec"),
    ("#4a3416", "#6b4c20", "#f1dca0"),
    ("#1d3f47", "#2b5c67", "#f08a5d"),
    ("#3a3d44", "#545861", "#8fd3b6"),
)

Point = tuple[float, float]


@lru_cache(maxsize=512)
def emblem(name: str) -> bytes:
    """Return the emblem of a name as PNG."""
    key = " ".join(name.split()).casefold().encode("utf-8", "replace")
    chance = int.from_bytes(blake2b(key).digest()[:8], "big")
    chance, colors = divmod(chance, len(_COLORS))
    field, parting, device = _COLORS[colors]
    chance, parted = divmod(chance, len(_PARTINGS))
    chance, shape = divmod(chance, 2 * len(_DEVICES))
    image = Image.new("RGB", (_DRAWN, _DRAWN), field)
    draw = ImageDraw.Draw(image)
    for polygon in _PARTINGS[parted]:
        draw.polygon(_to_pixels(polygon), fill=parting)
    points, doubled = _DEVICES[shape % len(_DEVICES)], shape >= len(_DEVICES)
    draw.polygon(_to_pixels(points), fill=device)
    if doubled:
        draw.polygon(_to_pixels(_scale(points, 0.62)), fill=parting)
        draw.polygon(_to_pixels(_scale(points, 0.3)), fill=device)
    return png(image.resize((_SIZE, _SIZE), Image.Resampling.LANCZOS))


def _to_pixels(points: Sequence[Point]) -> list[Point]:
    """Return points between -1 and 1 as pixels of the drawing."""
    return [((x + 1) * _DRAWN / 2, (y + 1) * _DRAWN / 2) for x, y in points]


def _scale(points: Sequence[Point], factor: float) -> list[Point]:
    """Return a shape made larger or smaller."""
    return [(x * factor, y * factor) for x, y in points]


def _regular_shape(corners: int, outer: float, inner: float | None = None) -> tuple[Point, ...]:
    """Return a regular polygon that stands on its base; with `inner` a star."""
    radii = (outer,) if inner is None else (outer, inner)
    count = corners * len(radii)
    points: list[Point] = []
    for number in range(count):
        angle = 2 * pi * number / count - pi / 2
        radius = radii[number % len(radii)]
        points.append((radius * cos(angle), radius * sin(angle)))
    return tuple(points)


#: Other parts of a field, as polygons.
_PARTINGS: Final[tuple[tuple[tuple[Point, ...], ...], ...]] = (
    (((-1, -1), (0, -1), (0, 1), (-1, 1)),),
    (((-1, 0), (1, 0), (1, 1), (-1, 1)),),
    (((-1, -1), (1, 1), (-1, 1)),),
    (((-1, 0.5), (0, -0.5), (1, 0.5), (1, 1), (-1, 1)),),
    (((-1, -1), (0, -1), (0, 0), (-1, 0)), ((0, 0), (1, 0), (1, 1), (0, 1))),
    (((-1, -1), (-0.35, -1), (1, 0.35), (1, 1), (0.35, 1), (-1, -0.35)),),
    (((-1, -0.35), (1, -0.35), (1, 0.35), (-1, 0.35)),),
    (((-0.35, -1), (0.35, -1), (0.35, 1), (-0.35, 1)),),
)
#: Devices on the field.
_DEVICES: Final[tuple[tuple[Point, ...], ...]] = (
    _regular_shape(48, 0.5),
    _regular_shape(4, 0.6),
    _regular_shape(6, 0.56),
    _regular_shape(5, 0.62, 0.26),
    _regular_shape(8, 0.6, 0.4),
    _regular_shape(4, 0.66, 0.24),
    _regular_shape(3, 0.6),
    _regular_shape(12, 0.58, 0.47),
)
