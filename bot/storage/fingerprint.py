"""Fingerprint of all stored classes; a database with another fingerprint is refused.

A changed field of a stored class changes the fingerprint. CONTRIBUTING says what to do then.
"""

from __future__ import annotations

import hashlib
import sqlite3
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from bot.storage import codec
from bot.storage.schema import LATEST_SCHEMA, MIGRATIONS, application_id, check_version
from rules.core.record import Record


class FingerprintMismatch(Exception):
    """Refusal of a file whose tables another release stored; the file is left exactly as it is."""

    def __init__(self) -> None:
        super().__init__("the tables in the database are in the form of another release")

    def __reduce__(self) -> tuple[type[FingerprintMismatch], tuple[()]]:
        return type(self), ()


def check_fingerprint(connection: sqlite3.Connection, fingerprint: int) -> None:
    """Refuse a file of the latest schema whose tables were stored under another fingerprint.

    A file of an older schema passes: its migration brings the tables over. Raises
    FingerprintMismatch.
    """
    if check_version(connection) != LATEST_SCHEMA:
        return
    if has_other_fingerprint(connection, fingerprint):
        raise FingerprintMismatch


def has_other_fingerprint(connection: sqlite3.Connection, fingerprint: int) -> bool:
    """Return whether a file of the latest schema holds tables, and under another fingerprint."""
    if application_id(connection) == fingerprint:
        return False
    return connection.execute("SELECT 1 FROM game_table LIMIT 1").fetchone() is not None


@cache
def stored_fingerprint() -> int:
    """Return the fingerprint: a positive number of 31 bits, so that it fits SQLite's
    `application_id`.
    """
    # Until the first release migrations are edited rather than added, so their text counts too.
    text = "\n".join((*stored_fields(), *MIGRATIONS))
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:4]) >> 1 or 1


def stored_fields() -> list[str]:
    """Return the lines that the fingerprint is made of.

    Each stored kind has a line with its class, and each class a line with its fields.
    """
    fields: dict[type, str] = {}
    kinds = sorted(
        f"{kind}: {_type_name(class_, fields)}" for kind, class_ in codec.stored_classes()
    )
    return kinds + sorted(f"{class_.__qualname__}({text})" for class_, text in fields.items())


def _type_name(type_: Any, fields: dict[type, str]) -> str:
    """Return a type in words, and add the fields of the records in it to *fields*."""
    origin = get_origin(type_)
    arguments = get_args(type_)
    if origin is Literal:
        return f"Literal{arguments}"
    if origin is not None:
        parts = [_type_name(argument, fields) for argument in arguments]
        return f"{_type_name(origin, fields)}[{', '.join(parts)}]"
    if isinstance(type_, type) and issubclass(type_, Record) and type_ not in fields:
        fields[type_] = ""  # Known from here on: a class may hold itself.
        hints = get_type_hints(type_)
        parts = [f"{name}: {_type_name(hints[name], fields)}" for name in type_.__struct_fields__]
        tag = type_.__struct_config__.tag
        if tag is not None:
            parts.insert(0, f"tag: {tag!r}")
        fields[type_] = ", ".join(parts)
    return getattr(type_, "__qualname__", None) or str(type_)
