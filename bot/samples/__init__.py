"""Ready tables for the local table: a scene, who plays it, and their characters as import files."""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from rules.core.record import Record
from rules.table.state import NpcStage

_TABLE = "table.json"
#: The table that opens where none is named.
_FIRST = "ebb"


class SamplePlayer(Record):
    """A player, and their characters."""

    name: str
    #: Characters as objects for import; the first one acts by default.
    characters: tuple[dict[str, Any], ...]


class SampleNpc(Record):
    """NPCs of the table with one sheet."""

    #: Object for import.
    data: dict[str, Any]
    count: int = 1
    #: Name by which players know them at first.
    alias: str = ""
    #: Knowledge that players have of them at first; None for the default.
    stage: NpcStage | None = None


class PreparedStep(Record):
    """An action that is carried out before the table opens."""

    who: str
    #: Name of the action's class.
    action: str
    fields: dict[str, Any]


class Hint(Record):
    """A thing to try."""

    #: Name of the player or GM who does it.
    who: str
    what: str
    #: Command to paste.
    paste: str
    #: Text about what comes then.
    then: str = ""


class Sample(Record):
    """A ready table."""

    #: Name by which `make play` opens it.
    key: str
    name: str
    system: str
    #: A key of `PACES`.
    pace: str
    #: Settings of its rule system that differ from the defaults.
    settings: dict[str, Any]
    scene: str
    places: tuple[str, ...]
    gm: str
    players: tuple[SamplePlayer, ...]
    npcs: tuple[SampleNpc, ...]
    #: Open matters for the players: checks that can be rolled, initiative that has begun.
    prepared: tuple[PreparedStep, ...]
    hints: tuple[Hint, ...]


def sample_keys() -> tuple[str, ...]:
    """Return the keys of all samples: the one that opens by default, then the others by name."""
    found = {each.name for each in files(__name__).iterdir() if each.joinpath(_TABLE).is_file()}
    return (_FIRST, *sorted(found - {_FIRST}))


def load_sample(key: str) -> Sample:
    """Return the sample with a key. Raises KeyError."""
    if key not in sample_keys():
        raise KeyError(key)
    folder = files(__name__).joinpath(key)
    table = _read(folder, _TABLE)
    return Sample(
        key=key,
        name=table["name"],
        system=table["system"],
        pace=table["pace"],
        settings=table.get("settings", {}),
        scene=table["scene"],
        places=tuple(table["places"]),
        gm=table["gm"],
        players=tuple(
            SamplePlayer(player["name"], _characters(folder, player["characters"]))
            for player in table["players"]
        ),
        npcs=tuple(_npc(folder, npc) for npc in table["npcs"]),
        prepared=tuple(
            PreparedStep(each["who"], each["do"], each["with"])
            for each in table.get("prepared", ())
        ),
        hints=tuple(Hint(**hint) for hint in table["try"]),
    )


def _characters(folder: Traversable, names: list[str]) -> tuple[dict[str, Any], ...]:
    return tuple(_read(folder, f"{name}.json") for name in names)


def _npc(folder: Traversable, npc: dict[str, Any]) -> SampleNpc:
    data = _read(folder, f"{npc['file']}.json")
    return SampleNpc(data, npc.get("count", 1), npc.get("alias", ""), npc.get("stage"))


def _read(folder: Traversable, name: str) -> dict[str, Any]:
    return json.loads(folder.joinpath(name).read_text(encoding="utf-8"))
