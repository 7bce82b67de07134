"""Exports and imports: whole tables, the players' copy of a table, a user's own data.

No file holds Discord user ids or seeds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from bot.services.directory import Directory
from bot.services.loaded_table import Table
from bot.services.outbox_plan import event_place, is_visible_to
from bot.storage import codec
from bot.storage.row_records import EntryRow
from rules.core.record import asdict
from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.lookup import known_characters
from rules.table.people.sheets import write_object
from rules.table.permissions import public_name
from rules.table.readable_places import ReadablePlaces, may_read
from rules.table.settings.table_settings import write_settings
from rules.table.transfer import VERSION, write_table

#: Names of the file formats.
PLAYERS_FORMAT: Final = "storyguide-record"
OWN_FORMAT: Final = "storyguide-personal-data"

#: Keys of an exported file that an import ignores.
_EXPORT_ONLY_KEYS: Final = ("what", "people", "checks", "encounters", "own", "journal")
_MENTION: Final = re.compile(r"<@!?(\d+)>")
_SEEDS: Final = ("revealed", "next")


# --- a whole table --------------------------------------------------------------------------------


def full_export(table: Table, journal: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return everything that a GM may see of a table.

    The journal is included if it is given, with entries as `gm_entry` returns them.
    """
    state, people = table.state, table.directory
    data = {**write_table(state, read_only_game(state)), "what": "full"}
    data["people"] = [
        {
            "id": key,
            "name": people.name(key),
            "gm": key in state.settings.gms,
            "active": state.person(key).active,
            "plain": state.person(key).plain,
        }
        for key in sorted(people.participants(), key=people.name)
    ]
    data["checks"] = [json.loads(codec.part_text(check)) for check in state.checks.values()]
    data["encounters"] = [
        json.loads(codec.part_text(encounter)) for encounter in state.encounters.values()
    ]
    data["own"] = [json.loads(codec.part_text(part)) for part in state.own.values()]
    data = _without_user_ids(data, people)
    return data if journal is None else data | {"journal": journal}


def gm_entry(table: Table, actor: Actor, row: EntryRow) -> dict[str, Any]:
    """Return an entry as a GM may see it.

    Events for other participants only are left out, and so is the action that asked for them.
    """
    state = table.state
    events = codec.read_events(row.events)
    seen = [is_visible_to(event, state, actor) for event in events]
    shown = [fields for fields, open_ in zip(json.loads(row.events), seen, strict=True) if open_]
    action = _action(row) if all(seen) or row.actor == actor.id else None
    entry = {
        "entry": row.seq,
        "at": row.at,
        "by": row.actor,
        "kind": row.kind,
        "action": action,
        "events": [[kind, _without_fields(fields, _seeds_in(kind))] for kind, fields in shown],
        "undone_by": row.undone_by,
    }
    return _without_user_ids(entry, table.directory)


def _action(row: EntryRow) -> dict[str, Any]:
    return _without_fields(json.loads(row.action), ("who", *_seeds_in(row.kind)))


def _seeds_in(kind: str) -> tuple[str, ...]:
    return _SEEDS if kind in ("RotateSeed", "BeginAnew", "Notice") else ()


def _without_fields(fields: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return fields without those of some names, in a notice's parameters too."""
    left = {key: value for key, value in fields.items() if key not in names}
    return left | {"params": _without_fields(left["params"], names)} if "params" in left else left


def split_import_file(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the part of an exported file for `ImportTable`, and participants' names by id."""
    rows = data.get("people")
    names: dict[str, str] = {}
    for row in rows if isinstance(rows, list) else ():
        if (
            isinstance(row, dict)
            and isinstance(row.get("id"), str)
            and isinstance(row.get("name"), str)
        ):
            names[row["id"]] = row["name"]
    return {key: value for key, value in data.items() if key not in _EXPORT_ONLY_KEYS}, names


# --- for the players ------------------------------------------------------------------------------


class PublicTable:
    """Everything that all players may know of a table, from what everyone was told.

    Sheets are left out, since players see only their own.
    """

    def __init__(self, table: Table) -> None:
        state = table.state
        self._table = table
        self._data: dict[str, Any] = {
            "format": PLAYERS_FORMAT,
            "version": VERSION,
            "what": "players",
            "system": state.settings.system,
            "settings": write_settings(state.settings, read_only_game(state).system),
            "clock": asdict(state.clock),
            "characters": [
                {
                    "name": public_name(character),
                    "owner": character.owner,
                    "portrait": character.portrait if character.stage == "revealed" else "",
                }
                for character in known_characters(state, Actor(""))
            ],
        }
        self._unnamed = {key: f'"{key}"' for key in table.directory.participants()}
        self._named: set[str] = set()
        self.note_people_in(self._data)

    def note_people_in(self, told: Mapping[str, Any]) -> None:
        """Record the participants who occur in some data, so that the export names them."""
        text = json.dumps(told)
        named = {key for key, quoted in self._unnamed.items() if quoted in text}
        self._named |= named
        self._unnamed = {key: quoted for key, quoted in self._unnamed.items() if key not in named}

    def export(self, journal: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
        """Return the exported object.

        The journal is included if it is given, with entries as `public_entry` returns them.
        """
        people, gms = self._table.directory, self._table.state.settings.gms
        entries = {} if journal is None else {"journal": journal}
        named = [
            {"id": key, "name": people.name(key), "gm": key in gms}
            for key in sorted(people.participants(), key=people.name)
            if key in gms or key in self._named
        ]
        return (
            _without_user_ids(self._data, people)
            | entries
            | {"people": _without_user_ids(named, people)}
        )


def public_entry(table: Table, row: EntryRow, readable: ReadablePlaces) -> dict[str, Any] | None:
    """Return what all players were told of an entry, in places that all players can view.

    None for an undone entry, and for one that told nothing there.
    """
    if row.undone_by is not None:
        return None
    events = [
        # The ids of characters would tell players how many unknown characters there are.
        [kind, _without_fields(fields, ("audience", "characters", *_seeds_in(kind)))]
        for event, (kind, fields) in zip(
            codec.read_events(row.events), json.loads(row.events), strict=True
        )
        if event.audience.everyone
        and may_read(readable, event_place(event, row.place), theirs=False, gm=False)
    ]
    return (
        _without_user_ids({"entry": row.seq, "at": row.at, "events": events}, table.directory)
        if events
        else None
    )


# --- a user's own data ----------------------------------------------------------------------------


def own_export(
    tables: Sequence[Mapping[str, Any]], wishes: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what is stored about one user, with tables as `own_table` returns them.

    *wishes* are the user's about notices, without the id of a channel.
    """
    data = {"format": OWN_FORMAT, "version": VERSION, "tables": tables}
    if wishes is None:
        return data
    return {**data, "notify": {key: value for key, value in wishes.items() if key != "dm"}}


def own_table(table: Table, who: str) -> dict[str, Any]:
    """Return what is stored about a participant at a table, besides their actions."""
    state = table.state
    game = read_only_game(state)
    person = codec.part_text(state.person(who))
    data = {
        "table": state.settings.name,
        "participant": who,
        "name": table.directory.name(who),
        "gm": who in state.settings.gms,
        "preferences": json.loads(person),
        "characters": [
            write_object(game, character)
            for character in state.characters.values()
            if character.owner == who
        ],
    }
    return _without_user_ids(data, table.directory)


def own_action(table: Table, row: EntryRow) -> dict[str, Any]:
    """Return a participant's action, from its journal entry."""
    data = {"entry": row.seq, "at": row.at, "kind": row.kind, "action": _action(row)}
    return _without_user_ids(data, table.directory)


# --- texts ----------------------------------------------------------------------------------------


def _without_user_ids(value: Any, people: Directory) -> Any:
    """Return data without Discord user ids: a mention becomes a name."""
    if isinstance(value, str):
        if "<@" not in value:
            return value
        return _MENTION.sub(lambda mention: _mention_name(people, mention[1]), value)
    if isinstance(value, list):
        return [_without_user_ids(item, people) for item in value]
    if isinstance(value, dict):
        return {key: _without_user_ids(item, people) for key, item in value.items()}
    return value


def _mention_name(people: Directory, user: str) -> str:
    who = people.known_participant(user)
    return "@somebody" if who is None else f"@{people.name(who)}"


def export_bytes(data: Mapping[str, Any]) -> bytes:
    """Return an object as the text of a file."""
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
