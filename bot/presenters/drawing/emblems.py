"""Emblems for whoever has no portrait: a device on a field, always the same for the same name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from math import cos, pi, sin
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import png

#: Drawn larger and made smaller, for smooth edges.
_SIZE: Final = 160
_DRAWN: Final = _SIZE * 4
#: Field, what parts it, and the device: dark enough together for light and dark alike.
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
    chance = int.from_bytes(
        blake2b(" ".join(name.split()).casefold().encode("utf-8", "replace")).digest()[:8], "big"
    )
    chance, colors = divmod(chance, len(_COLORS))
    field, parting, device = _COLORS[colors]
    chance, parted = divmod(chance, len(_PARTINGS))
    chance, shape = divmod(chance, 2 * len(_DEVICES))
    image = Image.new("RGB", (_DRAWN, _DRAWN), field)
    draw = ImageDraw.Draw(image)
    for polygon in _PARTINGS[parted]:
        draw.polygon(_scaled(polygon), fill=parting)
    points, doubled = _DEVICES[shape % len(_DEVICES)], shape >= len(_DEVICES)
    draw.polygon(_scaled(points), fill=device)
    if doubled:
        draw.polygon(_scaled(_smaller(points, 0.62)), fill=parting)
        draw.polygon(_scaled(_smaller(points, 0.3)), fill=device)
    return png(image.resize((_SIZE, _SIZE), Image.Resampling.LANCZOS))


def _scaled(points: Sequence[Point]) -> list[Point]:
    """From -1 to 1 either way to the picture."""
    return [((x + 1) * _DRAWN / 2, (y + 1) * _DRAWN / 2) for x, y in points]


def _smaller(points: Sequence[Point], share: float) -> list[Point]:
    return [(x * share, y * share) for x, y in points]


def _round(corners: int, outer: float, inner: float | None = None) -> tuple[Point, ...]:
    """A regular shape that stands on its base; with `inner` a star."""
    radii = (outer,) if inner is None else (outer, inner)
    count = corners * len(radii)
    turns = [
        (2 * pi * number / count - pi / 2, radii[number % len(radii)]) for number in range(count)
    ]
    return tuple((radius * cos(turn), radius * sin(turn)) for turn, radius in turns)


#: How a field is parted, as polygons.
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
#: What stands on it.
_DEVICES: Final[tuple[tuple[Point, ...], ...]] = (
    _round(48, 0.5),
    _round(4, 0.6),
    _round(6, 0.56),
    _round(5, 0.62, 0.26),
    _round(8, 0.6, 0.4),
    _round(4, 0.66, 0.24),
    _round(3, 0.6),
    _round(12, 0.58, 0.47),
)
