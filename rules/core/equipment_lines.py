"""Equipment as a line of text: a name, then words in any order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.errors import InvalidInput

_SHOWN: Final = 100
#: Words behind the name of a piece of equipment, each with its field and its kind of value. A bool
#: is the value that the word sets; `int` and `str` are the type of the value that follows the word.
#: `/` stands for rounds in a magazine.
Words = Mapping[str, tuple[str, Any]]
ROUNDS: Final = "/"


def read_carried(line: str, words: Words, fix: str) -> dict[str, Any]:
    """Return the fields of a line such as `Sword; drawn; skill Fencing` or `Assault rifle; 20/30`.

    Raises InvalidInput("unreadable-arm") with *fix* for a part that no word explains.
    """
    name, *rest = [part.strip() for part in line.split(";")]
    fields: dict[str, Any] = {"name": name}
    for part in filter(None, rest):
        word, _, value = part.partition(" ")
        rounds, slash, magazine = (piece.strip() for piece in part.partition(ROUNDS))
        key, kind = words.get(word.casefold(), ("", None))
        if isinstance(kind, bool) and not value:
            fields[key] = kind
        elif slash and rounds.isdecimal() and magazine.isdecimal():
            fields |= {"rounds": int(rounds), "magazine": int(magazine)}
        elif kind is int and value.strip().isdecimal():
            fields[key] = int(value)
        elif kind is str and value.strip():
            fields[key] = value.strip()
        else:
            raise InvalidInput("unreadable-arm", field="arms", value=part[:_SHOWN], fix=fix)
    return fields


def carried_line(row: Mapping[str, Any], words: Words) -> str:
    """Return the line that `read_carried` would read as this row."""
    parts = [row["name"]]
    for word, (key, kind) in words.items():
        held = row.get(key)
        if word == ROUNDS and held is not None:
            parts.append(f"{row.get('rounds') or 0}/{held}")
        elif isinstance(kind, bool) and held is kind:
            parts.append(word)
        elif kind in (int, str) and held not in (None, ""):
            parts.append(f"{word} {held}")
    return "; ".join(parts)
