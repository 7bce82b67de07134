"""What a campaign adds to the tables, as a JSON file: skills, traits, effects, gear, vehicles, enemies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from rules.core.errors import InvalidInput, Problems, RulesError
from rules.core.names import clean_name
from rules.core.reading import ENOUGH, Reader
from rules.core.rows import read
from rules.systems.ego.tables import (
    ArmourKind,
    Effect,
    EnemyKind,
    Rows,
    SkillKind,
    Trait,
    VehicleKind,
    Weapon,
)
from rules.table.events import Line

#: What a file may add, and the class of its rows.
KINDS: Final[Mapping[str, type[Any]]] = {
    "skills": SkillKind,
    "traits": Trait,
    "effects": Effect,
    "armour": ArmourKind,
    "weapons": Weapon,
    "vehicles": VehicleKind,
    "enemies": EnemyKind,
}
MOST_ROWS: Final = 200
NAME_MAX: Final = 80
HIGHEST: Final = 1_000_000


def read_campaign(data: Mapping[str, object]) -> Rows:
    """A campaign's rows. Problems("bad-campaign", count) with one for each row that is wrong."""
    reader, found = Reader(), dict[str, Any]()
    reader.note_unknown(data, tuple(KINDS), "")
    for kind, row in KINDS.items():
        entries = reader.read_list(kind, data.get(kind, ()), MOST_ROWS) or ()
        made = [_row(reader, row, each, f"{kind}[{at}]") for at, each in enumerate(entries)]
        found[kind] = tuple(each for each in made if each is not None)
    if reader.problems:
        raise Problems("bad-campaign", reader.problems[:ENOUGH], count=len(reader.problems))
    return Rows(**found)


def _row(reader: Reader, kind: type[Any], value: object, place: str) -> Any:
    before = len(reader.problems)
    try:
        made = read(kind, value, place)
        reader.read_text(f"{place}.name", made.name, NAME_MAX, needed=True, one_line=True)
        clean_name(made.name)
    except ValueError as error:
        reader.add("ego-bad-row", place, str(error), "ego-mend-row")
    except RulesError as error:
        reader.problems.append(InvalidInput(error.code, **{**error.params, "field": f"{place}.name"}))
    else:
        for key, number in asdict(made).items():
            if isinstance(number, int) and not -HIGHEST <= number <= HIGHEST:
                reader.read_number(f"{place}.{key}", number, -HIGHEST, HIGHEST)
        return made if len(reader.problems) == before else None
    return None


def write_campaign(campaign: Rows) -> dict[str, object]:
    """The JSON object that `read_campaign` reads back to the same rows."""
    return {
        kind: [asdict(each) for each in getattr(campaign, kind)] for kind in KINDS if getattr(campaign, kind)
    }


def describe_campaign(campaign: Rows) -> tuple[Line, ...]:
    """What a campaign adds, by kind."""
    return tuple(
        Line("ego-campaign", {"kind": kind, "names": tuple(each.name for each in getattr(campaign, kind))})
        for kind in KINDS
        if getattr(campaign, kind)
    )
