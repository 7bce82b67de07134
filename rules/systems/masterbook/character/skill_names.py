"""Names of Attributes and skills as a sheet writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from rules.core.name_matching import name_key, similar_names, similar_or_first
from rules.systems.masterbook.formulas.skills import SKILLS, SkillKind

#: Attributes, in the order of the sheet.
BODY: Final = ("agility", "dexterity", "endurance", "strength")
SPIRIT: Final = ("intellect", "mind", "confidence", "charisma")
ATTRIBUTES: Final = (*BODY, *SPIRIT)
#: Focuses of examples, where the list of skills names none.
_EXAMPLE_FOCUSES: Final = {"Faith": "temple rites", "Teaching": "chemistry"}
#: Names of what every sheet can roll.
ROLLED_NAMES: Final = (*(key.capitalize() for key in ATTRIBUTES), *SKILLS)

_TITLE: Final = re.compile(
    r"^(?P<name>[^:(]+?)(?:\s*:\s*(?P<focus>[^(]+?))?(?:\s*\((?P<special>[^)]*)\))?\s*$"
)


@cache
def _listed() -> dict[str, str]:
    return {name_key(name): name for name in SKILLS}


def listed_skill(name: str) -> str:
    """Return a skill's name as the list has it; a name that isn't listed stays."""
    return _listed().get(name_key(name), name.strip())


def nearest_skills(name: str) -> tuple[str, ...]:
    """Return the listed skill that a name resembles; without one, some of the list."""
    return similar_names(name, SKILLS)[:1] or similar_or_first(name, SKILLS)


def example_focus(row: SkillKind) -> str:
    """Return a focus of a skill for an example."""
    if row.focuses:
        return row.focuses[0]
    return _EXAMPLE_FOCUSES.get(row.name, "…")


def split_list(text: str) -> list[str]:
    """Return the entries of a list with commas; a comma in parentheses separates nothing."""
    entries: list[str] = []
    start = depth = 0
    for at, letter in enumerate(text):
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth = max(0, depth - 1)
        elif letter == "," and not depth:
            entries.append(text[start:at])
            start = at + 1
    entries.append(text[start:])
    return [entry.strip() for entry in entries if entry.strip()]


def split_skill(text: str) -> tuple[str, str, str]:
    """Return name, focus and specialization of `Science: criminology (fibers)`."""
    match = _TITLE.match(text.strip())
    if match is None:
        return text.strip(), "", ""
    focus, special = match["focus"] or "", match["special"] or ""
    return listed_skill(match["name"]), focus.strip(), special.strip()


def canonical_skill(text: str) -> str:
    """Return a skill, focus or specialization as a sheet writes it: `Fire Combat (pistols)`."""
    name, focus, special = split_skill(text)
    title = f"{name}: {focus}" if focus else name
    return f"{title} ({special})" if special else title


def is_rolled_name(text: str, own: Iterable[str] = ()) -> bool:
    """Return whether a text names an Attribute, a listed skill, or one of the *own* skills."""
    known = {name_key(name) for name in (*ROLLED_NAMES, *own)}
    return name_key(text) in known or name_key(split_skill(text)[0]) in known
