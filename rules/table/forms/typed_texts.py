"""Limits and canonical forms of typed texts."""

from __future__ import annotations

from typing import Final

from rules.core.errors import InvalidInput

_ID_DIGITS: Final = 20


def is_id(text: str) -> bool:
    """Return whether a text can be a Discord id of a user, a role or a channel."""
    return text.isascii() and text.isdigit() and len(text) <= _ID_DIGITS


def trimmed_text(field: str, text: str, most: int) -> str:
    """Return a text without surrounding space, of at most *most* characters.

    Raises InvalidInput("too-long").
    """
    clean = text.strip()
    if len(clean) > most:
        raise InvalidInput(
            "too-long", field=field, value=len(clean), length=len(clean), highest=most
        )
    return clean


def one_line(field: str, text: str, most: int) -> str:
    """Return a text as `trimmed_text` does, with a single space for each run of space.

    Raises as `trimmed_text`, and InvalidInput("unprintable-text").
    """
    clean = trimmed_text(field, " ".join(text.split()), most)
    if any(sign < " " or "\x7f" <= sign < "\xa0" for sign in clean):
        raise InvalidInput(
            "unprintable-text", field=field, value=clean[:100], fix="remove-control-characters"
        )
    return clean
