"""Sample characters, and how their values fit a draft (MB-CHAR-02, MB-CHAR-08 to MB-CHAR-10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from rules.core import data_rows
from rules.core.errors import InvalidInput
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.sheet import ATTRIBUTES, skill_title
from rules.systems.masterbook.character.sheet_io import read_skill, split_skills
from rules.systems.masterbook.formulas.attributes import (
    ATTRIBUTE_POINTS,
    HIGHEST,
    LOWEST,
    starting_skill_points,
)
from rules.table.system import Completion, Game

_SAMPLES: Final = data_rows.from_json(
    tuple[dict[str, Any], ...], data_rows.json_loader("rules.systems.masterbook", "samples")()
)


def samples(game: Game) -> tuple[Mapping[str, Any], ...]:
    """Return the sample characters, with skills and weapons as they are typed."""
    return _SAMPLES


def _number(text: object) -> int | None:
    digits = str(text or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() else None


def _complete_attribute(
    key: str,
    game: Game,
    draft: Mapping[str, Any],
    sample: Mapping[str, str],
    pool: Sequence[str],
) -> str:
    """Return a value that leaves the other empty Attributes theirs (MB-CHAR-02)."""
    own = str(draft.get(key) or "")
    if own.strip():
        return own
    known = [_number(draft.get(each)) for each in ATTRIBUTES]
    left = ATTRIBUTE_POINTS - sum(value for value in known if value is not None)
    others = known.count(None) - 1
    low = max(LOWEST, left - HIGHEST * others)
    high = max(low, min(HIGHEST, left - LOWEST * others))
    return str(min(HIGHEST, max(low, min(high, int(sample[key])))))


def skill_halves(row: Mapping[str, Any]) -> int:
    """Return the price of a skill in half skill points (MB-CHAR-09)."""
    return 2 * int(row.get("adds", 0)) + sum(dict(row.get("specializations", {})).values())


def _complete_skills(
    game: Game, draft: Mapping[str, Any], sample: Mapping[str, str], pool: Sequence[str]
) -> str:
    """Return the draft's skills; without any, those of the pool that its points buy."""
    own = str(draft.get("skills") or "")
    if split_skills(own):
        return own
    intellect, mind = (_number(draft.get(each)) or LOWEST for each in ("intellect", "mind"))
    left = 2 * starting_skill_points(intellect, mind)
    lines: dict[str, str] = {}
    for line in pool:
        with suppress(InvalidInput):
            row = read_skill(line)
            title = name_key(skill_title(row["name"], row.get("focus", "")))
            if title not in lines and (price := skill_halves(row)) <= left:
                lines[title] = line
                left -= price
    return "\n".join(lines.values())


#: Completions of fields that need more than the sample's value.
COMPLETIONS: Final[Mapping[str, Completion]] = {
    **{key: partial(_complete_attribute, key) for key in ATTRIBUTES},
    "skills": _complete_skills,
}
