"""Ready tables for the local table: a scene, who plays it, and their characters as import files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

_TABLE = "table.json"


@dataclass(frozen=True, slots=True)
class SamplePlayer:
    """Somebody who plays, and their characters as objects for import; the first one acts by default."""

    name: str
    characters: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Hint:
    """Something worth trying: who does it, and what exactly."""

    who: str
    what: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A ready table. `key` is what it is asked for by; `npcs` are import files of the table's own people."""

    key: str
    name: str
    system: str
    scene: str
    places: tuple[str, ...]
    gm: str
    players: tuple[SamplePlayer, ...]
    npcs: tuple[dict[str, Any], ...]
    hints: tuple[Hint, ...]


def sample_keys() -> tuple[str, ...]:
    """What there is to choose from, in alphabetical order."""
    return tuple(sorted(each.name for each in files(__name__).iterdir() if each.joinpath(_TABLE).is_file()))


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
        scene=table["scene"],
        places=tuple(table["places"]),
        gm=table["gm"],
        players=tuple(
            SamplePlayer(player["name"], _characters(folder, player["characters"]))
            for player in table["players"]
        ),
        npcs=_characters(folder, table["npcs"]),
        hints=tuple(Hint(hint["who"], hint["what"]) for hint in table["try"]),
    )


def _characters(folder: Traversable, names: list[str]) -> tuple[dict[str, Any], ...]:
    return tuple(_read(folder, f"{name}.json") for name in names)


def _read(folder: Traversable, name: str) -> dict[str, Any]:
    return json.loads(folder.joinpath(name).read_text(encoding="utf-8"))
