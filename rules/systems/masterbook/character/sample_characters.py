"""Sample characters, and how their values fit a draft (MB-CHAR-02, MB-CHAR-08 to MB-CHAR-10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from rules.core import data_rows
from rules.core.errors import InvalidInput
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.creation_budget import budget
from rules.systems.masterbook.character.creation_findings import attribute_range
from rules.systems.masterbook.character.creation_rules import creation_rules
from rules.systems.masterbook.character.drafts import drafted_sheet
from rules.systems.masterbook.character.option_lines import read_option, split_options
from rules.systems.masterbook.character.sheet import skill_title
from rules.systems.masterbook.character.sheet_lines import read_skill, skill_line, split_skills
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.character.skill_points import halves_of
from rules.systems.masterbook.formulas.attributes import LOWEST, starting_skill_points
from rules.table.system import Completion, Game

_SAMPLES: Final = data_rows.from_json(
    tuple[dict[str, Any], ...], data_rows.json_loader("rules.systems.masterbook", "samples")()
)


def samples(game: Game) -> tuple[Mapping[str, Any], ...]:
    """Return the sample characters, with skills and weapons as they are typed."""
    return _SAMPLES


def _number(text: object) -> int | None:
    """Return the whole number of a text; None for another text."""
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
    rules = creation_rules(game)
    species = rules.species_of(str(draft.get("species") or ""))
    lowest, highest = attribute_range(rules, species, key)
    left = rules.setting("attribute_points")
    ranges: list[tuple[int, int]] = []
    for other in ATTRIBUTES:
        value = _number(draft.get(other))
        if value is not None:
            left -= value
        elif other != key:
            ranges.append(attribute_range(rules, species, other))
    low = max(lowest, left - sum(high for _, high in ranges))
    high = max(low, min(highest, left - sum(low for low, _ in ranges)))
    return str(min(highest, max(low, min(high, int(sample[key])))))


def _row_halves(row: Mapping[str, Any]) -> int:
    """Return the price of a typed skill in half skill points (MB-CHAR-09)."""
    special: Mapping[str, int] = row.get("specializations", {})
    return halves_of(int(row.get("adds", 0)), sum(special.values()))


def _complete_skills(
    game: Game, draft: Mapping[str, Any], sample: Mapping[str, str], pool: Sequence[str]
) -> str:
    """Return the draft's skills; without any, those of the pool that its points buy."""
    own = str(draft.get("skills") or "")
    if split_skills(own):
        return own
    rules = creation_rules(game)
    intellect = _number(draft.get("intellect")) or LOWEST
    mind = _number(draft.get("mind")) or LOWEST
    left = 2 * starting_skill_points(intellect, mind)
    most = rules.setting("skill_general_max_creation")
    lines: dict[str, str] = {}
    for line in pool:
        with suppress(InvalidInput):
            row = read_skill(line)
            if row["adds"] > most:
                row = {**row, "adds": most}
                line = skill_line(row)
            title = skill_title(row["name"], row.get("focus", ""))
            key, price = name_key(title), _row_halves(row)
            if key not in lines and price <= left and not rules.is_barred_skill(title):
                lines[key] = line
                left -= price
    return "\n".join(lines.values())


def _complete_compensations(
    game: Game, draft: Mapping[str, Any], sample: Mapping[str, str], pool: Sequence[str]
) -> str:
    """Return the draft's Compensations, with those of the pool that are still due (MB-BG-03)."""
    lines = split_options(str(draft.get("compensations") or ""))
    if not game.setting("background_generation"):
        return "\n".join(lines)
    for line in pool:
        sheet = drafted_sheet(game, {**draft, "compensations": "\n".join(lines)})
        due = {column.column for column in budget(game, sheet).columns if column.missing}
        option = read_option(line, "compensation")
        is_held = any(held.name == option["name"] for held in sheet.compensations)
        if option["column"] in due and not is_held:
            lines.append(line)
    return "\n".join(lines)


#: Completions of fields that need more than the sample's value.
COMPLETIONS: Final[Mapping[str, Completion]] = {
    **{key: partial(_complete_attribute, key) for key in ATTRIBUTES},
    "skills": _complete_skills,
    "compensations": _complete_compensations,
}
