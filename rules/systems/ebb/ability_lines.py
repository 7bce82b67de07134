"""Abilities as lines of a dialog: `Climbing, Fitness, d8` (EBB-CHAR)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress

from rules.core.errors import InvalidInput, NotFound
from rules.core.name_matching import unique_match
from rules.systems.ebb.reference_rows import ATTRIBUTES, STARTING_DIE

_USUAL = f"d{STARTING_DIE}"
_DIE = re.compile(r"d?(\d{1,3})", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*[,;|\t]\s*")


def read_ability(line: str) -> dict[str, str]:
    """Return the ability of a line such as `Climbing, Fitness, d8` (EBB-CHAR).

    The die may be left out and is d6 then. Commas, semicolons or tabs may stand between the three,
    or only spaces. Raises InvalidInput("unreadable-ability").
    """
    parts = [part for part in _SEPARATOR.split(line) if part]
    if len(parts) == 1:
        words = line.split()
        at = -2 if len(words) > 2 and _DIE.fullmatch(words[-1]) else -1
        parts = [*filter(None, [" ".join(words[:at])]), *words[at:]]
    die = _USUAL
    for place in (-1, -2):
        if len(parts) > 1 and -place <= len(parts) and (match := _DIE.fullmatch(parts[place])):
            die = f"d{match[1]}"
            del parts[place]
            break
    if len(parts) < 2:
        raise InvalidInput(
            "unreadable-ability", field="abilities", value=line[:100], fix="write-ability"
        )
    *name, group = parts
    with suppress(
        NotFound
    ):  # the reader of sheets reports it, with the attributes that are like it
        group = find_attribute(group)
    return {"name": ", ".join(name), "group": group, "die": die}


def ability_line(row: Mapping[str, str]) -> str:
    """Return the line that `read_ability` reads."""
    return f"{row['name']}, {row['group']}, {row['die']}"


def find_attribute(text: str) -> str:
    """Return the attribute that a text means, in title case.

    Raises NotFound("unknown-attribute") or NotFound("ambiguous-choice").
    """
    return unique_match(ATTRIBUTES, text, field="attribute", unknown="unknown-attribute")
