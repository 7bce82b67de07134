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
    """Somebody who plays, and their characters as objects for import; the first one acts by
    default.
    """

    name: str
    characters: tuple[dict[str, Any], ...]


class SampleNpc(Record):
    """Some of the table's NPCs: an import file, how many, and what the players know of them at
    first.
    """

    data: dict[str, Any]
    count: int = 1
    alias: str = ""
    stage: NpcStage | None = None


class PreparedStep(Record):
    """Something that has been done at the table before anybody sees it: an action's class, and its
    fields.
    """

    who: str
    action: str
    fields: dict[str, Any]


class Hint(Record):
    """Something worth trying: who does it, what it is, the command for it, and what comes then."""

    who: str
    what: str
    paste: str
    then: str = ""


class Sample(Record):
    """A ready table. `key` is what it is asked for by; `npcs` are the table's NPCs; `pace` is a key
    of `PACES`.

    What is `prepared` waits for those who come: checks that can be rolled, an order of action that
    has begun.
    """

    key: str
    name: str
    system: str
    pace: str
    #: Settings of its rule system that differ from the defaults.
    settings: dict[str, Any]
    scene: str
    places: tuple[str, ...]
    gm: str
    players: tuple[SamplePlayer, ...]
    npcs: tuple[SampleNpc, ...]
    prepared: tuple[PreparedStep, ...]
    hints: tuple[Hint, ...]


def sample_keys() -> tuple[str, ...]:
    """What there is to choose from: the one that opens by itself, then the others in alphabetical
    order.
    """
    found = {each.name for each in files(__name__).iterdir() if each.joinpath(_TABLE).is_file()}
    return (_FIRST, *sorted(found - {_FIRST}))


def load_sample(key: str) -> Sample:
    """The sample of that name. KeyError when there is none."""
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
