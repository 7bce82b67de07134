"""What is carried as a line of text: a name, then words in any order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.errors import InvalidInput

_SHOWN: Final = 100
#: Words behind the name of what is carried, each with the field and what it has there: a truth that
#: the word says, a number or a text that follows it. `/` stands for rounds in a magazine.
Words = Mapping[str, tuple[str, Any]]
ROUNDS: Final = "/"


def read_carried(line: str, words: Words, fix: str) -> dict[str, Any]:
    """`Sword; drawn; skill Fencing`, `Assault rifle; 20/30`. InvalidInput("unreadable-arm")."""
    name, *rest = [part.strip() for part in line.split(";")]
    made: dict[str, Any] = {"name": name}
    for part in filter(None, rest):
        word, _, value = part.partition(" ")
        rounds, slash, magazine = (each.strip() for each in part.partition(ROUNDS))
        key, kind = words.get(word.casefold(), ("", None))
        if isinstance(kind, bool) and not value:
            made[key] = kind
        elif slash and rounds.isdecimal() and magazine.isdecimal():
            made |= {"rounds": int(rounds), "magazine": int(magazine)}
        elif kind is int and value.strip().isdecimal():
            made[key] = int(value)
        elif kind is str and value.strip():
            made[key] = value.strip()
        else:
            raise InvalidInput("unreadable-arm", field="arms", value=part[:_SHOWN], fix=fix)
    return made


def carried_line(row: Mapping[str, Any], words: Words) -> str:
    """The line that `read_carried` reads."""
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
