"""Ready characters, and their abilities and drawbacks as samples for a new one.

EBB-CHAR, EBB-DRAWBACK.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, cast

from rules.core.data_rows import json_loader
from rules.core.errors import InvalidInput
from rules.core.name_matching import name_key
from rules.systems.ebb.ability_lines import ability_line, read_ability
from rules.systems.ebb.reference_rows import (
    ATTRIBUTES,
    DIE_SIDES,
    STARTING_ABILITIES,
    STARTING_DIE,
)
from rules.table.blocks import Text
from rules.table.forms.fields import FormContext, Option, list_lines
from rules.table.system import Game

_START: Final = DIE_SIDES.index(STARTING_DIE)
_LOWERED, _USUAL, _RAISED = (f"d{sides}" for sides in DIE_SIDES[_START - 1 : _START + 2])
#: The die that a picked ability has next.
_NEXT_DIE: Final = {_USUAL: _RAISED, _RAISED: _LOWERED, _LOWERED: _USUAL}

_ROSTER: Final = json_loader("rules.systems.ebb", "roster")


def roster() -> tuple[dict[str, object], ...]:
    """Return the ready characters, each valid for a newcomer (EBB-CHAR).

    They are created anew each time, so that no two callers share them.
    """
    return tuple(cast("list[dict[str, object]]", _ROSTER()))


def _rows(text: object) -> list[dict[str, str]]:
    """Return the abilities of a draft; lines that can't be read are left out."""
    rows: list[dict[str, str]] = []
    for line in list_lines(str(text or "")):
        with suppress(InvalidInput):
            rows.append(read_ability(line))
    return rows


# --- menus ----------------------------------------------------------------------------------------


def ability_choices(asking: FormContext) -> Iterable[Option]:
    """Yield the draft's abilities with their next die, then sample abilities by attribute."""
    drafted = _rows(asking.values.get("abilities"))
    for row in drafted:
        if row["die"] in _NEXT_DIE:
            about = {**row, "before": row["die"], "die": _NEXT_DIE[row["die"]]}
            yield Option(ability_line(about), Text("ebb-pick-ability", about))
    if len(drafted) >= STARTING_ABILITIES:
        return
    taken = {name_key(row["name"]) for row in drafted}
    samples: list[dict[str, str]] = []
    for character in roster():
        samples += cast("list[dict[str, str]]", character["abilities"])
    for group in ATTRIBUTES:
        for row in samples:
            if row["group"] == group and name_key(row["name"]) not in taken:
                about = {**row, "die": _USUAL}
                yield Option(ability_line(about), Text("ebb-pick-ability", about))


def with_picked_ability(text: str, chosen: str) -> str:
    """Return a draft with the chosen line in place of the ability of that name, or at the end."""
    name = name_key(read_ability(chosen)["name"])
    lines = list_lines(text)
    for at, line in enumerate(lines):
        with suppress(InvalidInput):
            if name_key(read_ability(line)["name"]) == name:
                lines[at] = chosen
                return "\n".join(lines)
    return "\n".join((*lines, chosen))


def drawback_choices(asking: FormContext) -> Iterable[Option]:
    """Yield the sample drawbacks that the draft lacks."""
    taken = {name_key(line) for line in list_lines(str(asking.values.get("drawbacks") or ""))}
    for character in roster():
        for drawback in cast("list[str]", character["drawbacks"]):
            if name_key(drawback) not in taken:
                yield Option(drawback, Text("as-written", {"text": drawback}))


# --- completion -----------------------------------------------------------------------------------


def complete_abilities(
    game: Game, draft: Mapping[str, Any], sample: Mapping[str, str], pool: Sequence[str]
) -> str:
    """Return the draft's abilities and as many of the pool as a new character needs (EBB-CHAR).

    Without any in the draft, the pool's first ones come with their own dice. Otherwise the new
    ones even out the dice of those that are there; if too few are missing, nothing is added.
    """
    lines = list_lines(str(draft.get("abilities") or ""))
    if not lines:
        return "\n".join(pool[:STARTING_ABILITIES])
    rows = _rows("\n".join(lines))
    taken = {name_key(row["name"]) for row in rows}
    dice = [row["die"] for row in rows]
    surplus = dice.count(_RAISED) - dice.count(_LOWERED)
    balance = [_LOWERED if surplus > 0 else _RAISED] * abs(surplus)
    if len(balance) > STARTING_ABILITIES - len(lines):
        return "\n".join(lines)
    for line in pool:
        if len(lines) >= STARTING_ABILITIES:
            break
        row = read_ability(line)
        if name_key(row["name"]) not in taken:
            taken.add(name_key(row["name"]))
            lines.append(ability_line({**row, "die": balance.pop() if balance else _USUAL}))
    return "\n".join(lines)


def complete_drawbacks(
    game: Game, draft: Mapping[str, Any], sample: Mapping[str, str], pool: Sequence[str]
) -> str:
    """Return the draft's drawbacks, and of the pool one for each further ability."""
    lines = list_lines(str(draft.get("drawbacks") or ""))
    needed = len(list_lines(str(draft.get("abilities") or "")))
    taken = {name_key(line) for line in lines}
    for line in pool:
        if len(lines) >= needed:
            break
        if name_key(line) not in taken:
            taken.add(name_key(line))
            lines.append(line)
    return "\n".join(lines)
