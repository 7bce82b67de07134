"""Data on its way out, and files on their way in: whole tables, what players may keep of one, one's own data.

Discord ids of people and seeds are in none of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from bot.services.directory import Directory
from bot.services.outgoing import visible
from bot.services.table import Table
from bot.storage import codec
from bot.storage.records import EntryRow
from rules.registry import look
from rules.table.actions import Actor
from rules.table.lookup import known
from rules.table.people.sheets import write_object
from rules.table.permissions import public_name
from rules.table.settings import write_settings
from rules.table.state import TableState
from rules.table.transfer import VERSION, write_table

#: What the files say they are.
PLAYERS_FORMAT: Final = "storyguide-record"
OWN_FORMAT: Final = "storyguide-personal-data"

#: What a file for import holds besides the table itself, for people to read.
_BESIDES: Final = ("what", "people", "checks", "encounters", "own", "journal")
_MENTION: Final = re.compile(r"<@!?(\d+)>")
#: Who somebody is by number; players do not count the people whom they do not know.
_NUMBERED: Final = ("character", "characters")
_SEEDS: Final = ("revealed", "next")


# --- a whole table ----------------------------------------------------------------------------------------------


def full_export(table: Table, actor: Actor, rows: Sequence[EntryRow] | None) -> dict[str, Any]:
    """Everything a GM may see of a table; with the journal if its rows are given."""
    state, people = table.state, table.directory
    found = {**write_table(state, look(state)), "what": "full"}
    found["people"] = [
        {
            "id": key,
            "name": people.name(key),
            "gm": key in state.settings.gms,
            "active": state.person(key).active,
            "plain": state.person(key).plain,
        }
        for key in people.everybody()
    ]
    found["checks"] = [json.loads(codec.part_text(each)) for each in state.checks.values()]
    found["encounters"] = [json.loads(codec.part_text(each)) for each in state.encounters.values()]
    found["own"] = [json.loads(codec.part_text(part)) for part in state.own.values()]
    if rows is not None:
        found["journal"] = [_entry(state, actor, row) for row in rows]
    return _nameless(found, people)


def _entry(state: TableState, actor: Actor, row: EntryRow) -> dict[str, Any]:
    """An entry as a GM may see it: what only others were told of is not in it, nor how it was asked for."""
    events = codec.read_events(row.events)
    seen = [visible(event, state, actor) for event in events]
    told = [fields for fields, open_ in zip(json.loads(row.events), seen, strict=True) if open_]
    action = _action(row) if all(seen) or row.actor == actor.id else None
    return {
        "entry": row.seq,
        "at": row.at,
        "by": row.actor,
        "kind": row.kind,
        "action": action,
        "events": [[kind, _without(fields, _seeds_in(kind))] for kind, fields in told],
        "undone_by": row.undone_by,
    }


def _action(row: EntryRow) -> dict[str, Any]:
    return _without(json.loads(row.action), ("who", *_seeds_in(row.kind)))


def _seeds_in(kind: str) -> tuple[str, ...]:
    return _SEEDS if kind in ("RotateSeed", "SeedRotated", "BeginAnew", "Restored") else ()


def _without(fields: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in names}


def for_import(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """What `ImportTable` takes of an exported file, and the names of people by number."""
    rows = data.get("people")
    names: dict[str, str] = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and isinstance(row.get("id"), str) and isinstance(row.get("name"), str):
            names[row["id"]] = row["name"]
    return {key: value for key, value in data.items() if key not in _BESIDES}, names


# --- for the players --------------------------------------------------------------------------------------------


def players_export(table: Table, rows: Sequence[EntryRow] | None) -> dict[str, Any]:
    """What every player may know, and nothing else: it is put together from what was told to everybody.

    Sheets are not in it, since players see only their own.
    """
    state, nobody = table.state, Actor("")
    found: dict[str, Any] = {
        "format": PLAYERS_FORMAT,
        "version": VERSION,
        "what": "players",
        "system": state.settings.system,
        "settings": write_settings(state.settings, look(state).system),
        "clock": asdict(state.clock),
        "characters": [
            {
                "name": public_name(each),
                "owner": each.owner,
                "portrait": each.portrait if each.stage == "revealed" else "",
            }
            for each in known(state, nobody)
        ],
    }
    if rows is not None:
        found["journal"] = [entry for row in rows if (entry := _public_entry(row)) is not None]
    text = json.dumps(found)
    people = table.directory
    found["people"] = [
        {"id": key, "name": people.name(key), "gm": key in state.settings.gms}
        for key in people.everybody()
        if key in state.settings.gms or f'"{key}"' in text
    ]
    return _nameless(found, people)


def _public_entry(row: EntryRow) -> dict[str, Any] | None:
    """What everybody was told of an entry, None for one that was taken back or of which nobody was told."""
    if row.undone_by is not None:
        return None
    told = [
        [kind, _without(fields, ("audience", *_NUMBERED, *_seeds_in(kind)))]
        for event, (kind, fields) in zip(codec.read_events(row.events), json.loads(row.events), strict=True)
        if event.audience.everyone
    ]
    return {"entry": row.seq, "at": row.at, "events": told} if told else None


# --- one's own --------------------------------------------------------------------------------------------------


def own_export(tables: Sequence[tuple[Table, str, Sequence[EntryRow]]]) -> dict[str, Any]:
    """What is kept about one user at these tables, each with who they are there and what they did."""
    return {
        "format": OWN_FORMAT,
        "version": VERSION,
        "tables": [_own(table, who, rows) for table, who, rows in tables],
    }


def _own(table: Table, who: str, rows: Sequence[EntryRow]) -> dict[str, Any]:
    state = table.state
    game = look(state)
    person = codec.part_text(state.person(who))
    found = {
        "table": state.settings.name,
        "participant": who,
        "name": table.directory.name(who),
        "gm": who in state.settings.gms,
        "preferences": json.loads(person),
        "characters": [write_object(game, each) for each in state.characters.values() if each.owner == who],
        "actions": [
            {"entry": row.seq, "at": row.at, "kind": row.kind, "action": _action(row)} for row in rows
        ],
    }
    return _nameless(found, table.directory)


# --- texts ------------------------------------------------------------------------------------------------------


def _nameless(value: Any, people: Directory) -> Any:
    """The same without Discord ids of people: whoever was mentioned is called by name."""
    if isinstance(value, str):
        return _MENTION.sub(lambda found: _called(people, found[1]), value) if "<@" in value else value
    if isinstance(value, list):
        return [_nameless(each, people) for each in value]
    if isinstance(value, dict):
        return {key: _nameless(each, people) for key, each in value.items()}
    return value


def _called(people: Directory, user: str) -> str:
    who = people.known(user)
    return "@somebody" if who is None else f"@{people.name(who)}"


def as_file(data: Mapping[str, Any]) -> bytes:
    """The object as the text of a file."""
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
