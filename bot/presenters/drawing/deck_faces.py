"""Pictures of cards whose deck belongs to a system: one card as large as a phone shows it, several
as strips.

The player's half is paper above, the GM's half ink below. Nothing is told by color alone: sides
have an order, a shape and a word. What was drawn once is kept, as long as there is room.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import font, png, wrap_text

#: Name, number, when it is played, what it does; scenes: a title, and who acts in which order:
#: whether they are the players, their name, what befalls them, and whether that is anything; lines
#: below.
Side = tuple[bool, str, str, bool]
FaceScene = tuple[str, tuple[Side, ...]]
Face = tuple[str, str, str, str, tuple[FaceScene, ...], tuple[str, ...]]

_WIDTH: Final = 720
_EDGE: Final = 36
_PAPER: Final = (242, 238, 228)
_INK: Final = (28, 30, 36)
_QUIET: Final = (96, 98, 106)
_LIGHT: Final = (240, 241, 244)
_FAINT: Final = (178, 182, 192)
_TRACK: Final = (62, 66, 76)
_SKY: Final = (86, 180, 233)
_SAND: Final = (240, 150, 60)
#: Letters of an effect with the height of their lines, the largest first that leaves room for all.
_SIZES: Final = ((58, 72), (50, 60), (42, 52))
_ROOM: Final = 270
_STRIP: Final = 216
_Draw = ImageDraw.ImageDraw


def can_draw_face(face: Face) -> bool:
    """Whether the font has every letter of it."""
    written = "".join(
        [*face[:4], *face[5], *[side[1] + side[2] for _, sides in face[4] for side in sides]]
    )
    return all(sign.isascii() or "\xa1" <= sign <= "\xff" or sign in "–−“”‘’" for sign in written)


def _bold(
    draw: _Draw, x: float, y: float, text: str, size: int, fill: tuple[int, int, int]
) -> None:
    draw.text((x, y), text, fill, font(size), stroke_width=max(1, size // 44), stroke_fill=fill)


def _name(text: str, width: float) -> tuple[str, int]:
    """A name with the size at which it stands on one line."""
    size = next((each for each in (66, 56, 46) if font(each).getlength(text) <= width), 42)
    while font(size).getlength(text) > width:
        text = f"{text[:-2].rstrip()}…" if text.endswith("…") else f"{text[:-1].rstrip()}…"
    return text, size


@lru_cache(maxsize=256)
def face_picture(face: Face) -> bytes:
    """One card, as PNG."""
    name, number, kind, effect, scenes, lines = face
    foot = [line for each in lines for line in wrap_text(each, 42, _WIDTH - 2 * _EDGE)]
    top = 480 if effect else 140
    height = top + 6 + 190 * len(scenes) + 58 * len(foot) + (20 if foot else 0)
    image = Image.new("RGB", (_WIDTH, height), _INK)
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((14, 14, _WIDTH - 15, top - 14), 34, fill=_PAPER)
    title, size = _name(name, _WIDTH - 2 * _EDGE - 110)
    _bold(draw, _EDGE, 36, title, size, _INK)
    draw.text((_WIDTH - _EDGE, 54), number, _QUIET, font(44), anchor="ra")
    if effect:
        draw.rectangle((_EDGE, 126, _WIDTH - _EDGE, 131), fill=_INK)
    draw.text((_EDGE, 140), kind, _QUIET, font(42))
    fits = [
        each
        for each in _SIZES
        if len(wrap_text(effect, each[0], _WIDTH - 2 * _EDGE)) * each[1] <= _ROOM
    ]
    size, high = fits[0] if fits else _SIZES[-1]
    for at, line in enumerate(wrap_text(effect, size, _WIDTH - 2 * _EDGE)[: _ROOM // high]):
        draw.text((_EDGE, 196 + at * high), line, _INK, font(size))
    for heading, sides in scenes:
        draw.text((_EDGE, top), heading, _FAINT, font(42))
        for at, (players, who, word, strong) in enumerate(sides):
            y = top + 56 + at * 60
            draw.text((_EDGE, y), str(at + 1), _FAINT, font(46))
            if players:
                draw.ellipse((_EDGE + 44, y + 10, _EDGE + 80, y + 46), fill=_SKY)
            else:
                draw.polygon(
                    [(_EDGE + 62, y + 6), (_EDGE + 82, y + 46), (_EDGE + 42, y + 46)], fill=_SAND
                )
            draw.text((_EDGE + 104, y), who, _LIGHT, font(46))
            if strong:
                _bold(draw, _EDGE + 300, y, word, 46, _LIGHT)
            else:
                draw.text((_EDGE + 300, y), word, _FAINT, font(46))
        draw.line((_EDGE, top + 182, _WIDTH - _EDGE, top + 182), _TRACK, 3)
        top += 190
    for line in foot:
        draw.text((_EDGE, top + 4), line, _LIGHT, font(42))
        top += 58
    return png(image)


@lru_cache(maxsize=64)
def strips_picture(faces: tuple[tuple[str, str, str], ...]) -> bytes:
    """Several cards below one another, each with its name, number and effect, as PNG."""
    image = Image.new("RGB", (_WIDTH, _STRIP * len(faces) + 14), _INK)
    draw = ImageDraw.Draw(image)
    for at, (name, number, effect) in enumerate(faces):
        top = 14 + at * _STRIP
        draw.rounded_rectangle((14, top, _WIDTH - 15, top + _STRIP - 15), 28, fill=_PAPER)
        title, size = _name(name, _WIDTH - 2 * _EDGE - 110)
        _bold(draw, _EDGE, top + 10 + (66 - size) / 2, title, size, _INK)
        draw.text((_WIDTH - _EDGE, top + 20), number, _QUIET, font(44), anchor="ra")
        lines = wrap_text(effect, 42, _WIDTH - 2 * _EDGE)
        if len(lines) > 2:
            lines = [lines[0], f"{lines[1].rsplit(' ', 1)[0]} …"]
        for n, line in enumerate(lines):
            draw.text((_EDGE, top + 92 + n * 50), line, _INK, font(42))
    return png(image)
