"""Texts as people type them, within their limits."""

from __future__ import annotations

from rules.core.errors import InvalidInput


def trimmed(field: str, text: str, most: int) -> str:
    """The text without space around it. InvalidInput("too-long") above `most` characters."""
    clean = text.strip()
    if len(clean) > most:
        raise InvalidInput("too-long", field=field, value=len(clean), length=len(clean), highest=most)
    return clean


def one_line(field: str, text: str, most: int) -> str:
    """As `trimmed`, with single spaces for all space and line breaks within. InvalidInput("unprintable-text")."""
    clean = trimmed(field, " ".join(text.split()), most)
    if any(sign < " " or "\x7f" <= sign < "\xa0" for sign in clean):
        raise InvalidInput(
            "unprintable-text", field=field, value=clean[:100], fix="remove-control-characters"
        )
    return clean
