"""Pictures of the cards of a system's deck: one card as large as a phone, or several as strips.

The player's half is paper above, the GM's half ink below. Nothing is told by color alone: sides
have an order, a shape and a word. Pictures are cached.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw

from bot.presenters.drawing.canvas import font, png, wrap_text

#: One side in initiative: whether it's the players', its name, the effect on it, and whether there
#: is any effect.
Side = tuple[bool, str, str, bool]
#: Title and sides of a scene.
FaceScene = tuple[str, tuple[Side, ...]]
#: Name, number, time of play, effect, scenes, and lines below.
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
#: Sizes of an effect's letters with the height of their lines, the largest first.
_SIZES: Final = ((58, 72), (50, 60), (42, 52))
#: Height of the room for an effect.
_ROOM: Final = 270
#: Height of a strip.
_STRIP: Final = 216
_Draw = ImageDraw.ImageDraw


def can_draw_face(face: Face) -> bool:
    """Return whether the font has every letter of a face."""
    name, number, kind, effect, scenes, lines = face
    texts = [name, number, kind, effect, *lines]
    for _, sides in scenes:
        texts += [who + word for _, who, word, _ in sides]
    return all(
        sign.isascii() or "\xa1" <= sign <= "\xff" or sign in "–−“”‘’" for sign in "".join(texts)
    )


def _bold(
    draw: _Draw, x: float, y: float, text: str, size: int, fill: tuple[int, int, int]
) -> None:
    draw.text((x, y), text, fill, font(size), stroke_width=max(1, size // 44), stroke_fill=fill)


def _name(text: str, width: float) -> tuple[str, int]:
    """Return a name with the size at which it fits on one line; a long one is shortened."""
    size = next((size for size in (66, 56, 46) if font(size).getlength(text) <= width), 42)
    while font(size).getlength(text) > width:
        shorter = text.removesuffix("…")[:-1]
        text = f"{shorter.rstrip()}…"
    return text, size


def _effect_size(effect: str) -> tuple[int, int]:
    """Return the size of an effect's letters and the height of its lines."""
    for size, height in _SIZES:
        if len(wrap_text(effect, size, _WIDTH - 2 * _EDGE)) * height <= _ROOM:
            return size, height
    return _SIZES[-1]


@lru_cache(maxsize=256)
def face_picture(face: Face) -> bytes:
    """Return one card as PNG."""
    name, number, kind, effect, scenes, lines = face
    foot: list[str] = []
    for text in lines:
        foot += wrap_text(text, 42, _WIDTH - 2 * _EDGE)
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
    size, line_height = _effect_size(effect)
    effect_lines = wrap_text(effect, size, _WIDTH - 2 * _EDGE)[: _ROOM // line_height]
    for at, line in enumerate(effect_lines):
        draw.text((_EDGE, 196 + at * line_height), line, _INK, font(size))
    for scene in scenes:
        _draw_scene(draw, top, scene)
        top += 190
    for line in foot:
        draw.text((_EDGE, top + 4), line, _LIGHT, font(42))
        top += 58
    return png(image)


def _draw_scene(draw: _Draw, top: int, scene: FaceScene) -> None:
    """Draw a scene: its title, then a line for each side."""
    heading, sides = scene
    draw.text((_EDGE, top), heading, _FAINT, font(42))
    for at, (players, who, word, strong) in enumerate(sides):
        y = top + 56 + at * 60
        draw.text((_EDGE, y), str(at + 1), _FAINT, font(46))
        if players:
            draw.ellipse((_EDGE + 44, y + 10, _EDGE + 80, y + 46), fill=_SKY)
        else:
            corners = [(_EDGE + 62, y + 6), (_EDGE + 82, y + 46), (_EDGE + 42, y + 46)]
            draw.polygon(corners, fill=_SAND)
        draw.text((_EDGE + 104, y), who, _LIGHT, font(46))
        if strong:
            _bold(draw, _EDGE + 300, y, word, 46, _LIGHT)
        else:
            draw.text((_EDGE + 300, y), word, _FAINT, font(46))
    draw.line((_EDGE, top + 182, _WIDTH - _EDGE, top + 182), _TRACK, 3)


@lru_cache(maxsize=64)
def strips_picture(faces: tuple[tuple[str, str, str], ...]) -> bytes:
    """Return several cards below one another, each with name, number and effect, as PNG."""
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
