"""Tools for drawing: the font, wrapped text, and the PNG file."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageFont


@lru_cache(maxsize=16)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return the only font, in this size."""
    return ImageFont.load_default(size=size)


def wrap_text(text: str, size: int, width: float) -> list[str]:
    """Return a text in lines that fit at this size; a longer word has a line of its own."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font(size).getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def png(image: Image.Image) -> bytes:
    """Return an image as PNG."""
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
