"""In which form tables are stored: a digest of all classes that are, so that a file of another form is refused."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import Discriminator

from bot.storage import codec


@cache
def form() -> int:
    """The digest as a number of 31 bits: another one as soon as a stored class has other fields or types."""
    seen: dict[type, str] = {}
    found = sorted(f"{name}: {_name(kind, seen)}" for name, kind in codec.stored())
    found += sorted(f"{kind.__qualname__}({shape})" for kind, shape in seen.items())
    return int.from_bytes(hashlib.sha256("\n".join(found).encode()).digest()[:4]) >> 1 or 1


def _name(kind: Any, seen: dict[type, str]) -> str:
    """A type in words; the fields of classes go into `seen`."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        # A function that tells them apart is no part of the form, and is somewhere else in every process.
        marks = [str(each) for each in args[1:] if not isinstance(each, Discriminator)]
        return f"Annotated[{', '.join((_name(args[0], seen), *marks))}]"
    if origin is Literal:
        return f"Literal{args}"
    if origin is not None:
        return f"{_name(origin, seen)}[{', '.join(_name(each, seen) for each in args)}]"
    if isinstance(kind, type) and is_dataclass(kind) and kind not in seen:
        seen[kind] = ""
        hints = get_type_hints(kind)
        seen[kind] = ", ".join(f"{each.name}: {_name(hints[each.name], seen)}" for each in fields(kind))
    return getattr(kind, "__qualname__", None) or str(kind)
