"""Data on its way out, and files on their way in: whole tables, what players may keep of one, one's
own data.

Discord ids of people and seeds are in none of it.
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
from rules.table.settings import write_settings
from rules.table.transfer import VERSION, write_table

#: What the files say they are.
PLAYERS_FORMAT: Final = "storyguide-record"
OWN_FORMAT: Final = "storyguide-personal-data"

#: What a file for import holds besides the table itself, for people to read.
_EXPORT_ONLY_KEYS: Final = ("what", "people", "checks", "encounters", "own", "journal")
_MENTION: Final = re.compile(r"<@!?(\d+)>")
_SEEDS: Final = ("revealed", "next")


# --- a whole table --------------------------------------------------------------------------------


def full_export(table: Table, journal: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Everything a GM may see of a table; with the journal if it is given, as `gm_entry`
    tells it.
    """
    state, people = table.state, table.directory
    found = {**write_table(state, read_only_game(state)), "what": "full"}
    found["people"] = [
        {
            "id": key,
            "name": people.name(key),
            "gm": key in state.settings.gms,
            "active": state.person(key).active,
            "plain": state.person(key).plain,
        }
        for key in sorted(people.participants(), key=people.name)
    ]
    found["checks"] = [json.loads(codec.part_text(each)) for each in state.checks.values()]
    found["encounters"] = [json.loads(codec.part_text(each)) for each in state.encounters.values()]
    found["own"] = [json.loads(codec.part_text(part)) for part in state.own.values()]
    found = _without_user_ids(found, people)
    return found if journal is None else found | {"journal": journal}


def gm_entry(table: Table, actor: Actor, row: EntryRow) -> dict[str, Any]:
    """An entry as a GM may see it: what only others were told of is not in it, nor how it was asked
    for.
    """
    state = table.state
    events = codec.read_events(row.events)
    seen = [is_visible_to(event, state, actor) for event in events]
    told = [fields for fields, open_ in zip(json.loads(row.events), seen, strict=True) if open_]
    action = _action(row) if all(seen) or row.actor == actor.id else None
    entry = {
        "entry": row.seq,
        "at": row.at,
        "by": row.actor,
        "kind": row.kind,
        "action": action,
        "events": [[kind, _without_fields(fields, _seeds_in(kind))] for kind, fields in told],
        "undone_by": row.undone_by,
    }
    return _without_user_ids(entry, table.directory)


def _action(row: EntryRow) -> dict[str, Any]:
    return _without_fields(json.loads(row.action), ("who", *_seeds_in(row.kind)))


def _seeds_in(kind: str) -> tuple[str, ...]:
    return _SEEDS if kind in ("RotateSeed", "BeginAnew", "Notice") else ()


def _without_fields(fields: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """These fields without those of some names, which do not stand among what a notice is said with
    either.
    """
    left = {key: value for key, value in fields.items() if key not in names}
    return left | {"params": _without_fields(left["params"], names)} if "params" in left else left


def split_import_file(data: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """What `ImportTable` takes of an exported file, and the names of people by number."""
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
    """What every player may know of a table, and nothing else: it is put together from what was
    told to everybody.

    Sheets are not in it, since players see only their own.
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
                    "name": public_name(each),
                    "owner": each.owner,
                    "portrait": each.portrait if each.stage == "revealed" else "",
                }
                for each in known_characters(state, Actor(""))
            ],
        }
        self._unnamed = {key: f'"{key}"' for key in table.directory.participants()}
        self._named: set[str] = set()
        self.note_people_in(self._data)

    def note_people_in(self, told: Mapping[str, Any]) -> None:
        """This is told, too: who is in it is named."""
        text = json.dumps(told)
        found = {key for key, quoted in self._unnamed.items() if quoted in text}
        self._named |= found
        self._unnamed = {key: quoted for key, quoted in self._unnamed.items() if key not in found}

    def export(self, journal: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
        """The object; with the journal if it is given, as `public_entry` tells it."""
        people, gms = self._table.directory, self._table.state.settings.gms
        found = {} if journal is None else {"journal": journal}
        named = [
            {"id": key, "name": people.name(key), "gm": key in gms}
            for key in sorted(people.participants(), key=people.name)
            if key in gms or key in self._named
        ]
        return (
            _without_user_ids(self._data, people)
            | found
            | {"people": _without_user_ids(named, people)}
        )


def public_entry(table: Table, row: EntryRow, readable: ReadablePlaces) -> dict[str, Any] | None:
    """Return what everybody was told of an entry in places that all players can view.

    None for an undone entry, and for one that told nothing there.
    """
    if row.undone_by is not None:
        return None
    told = [
        # By the ids of characters players would count those whom they do not know.
        [kind, _without_fields(fields, ("audience", "characters", *_seeds_in(kind)))]
        for event, (kind, fields) in zip(
            codec.read_events(row.events), json.loads(row.events), strict=True
        )
        if event.audience.everyone
        and may_read(readable, event_place(event, row.place), theirs=False, gm=False)
    ]
    return (
        _without_user_ids({"entry": row.seq, "at": row.at, "events": told}, table.directory)
        if told
        else None
    )


# --- one's own ------------------------------------------------------------------------------------


def own_export(tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What is kept about one user, at each table as `own_table` tells it."""
    return {"format": OWN_FORMAT, "version": VERSION, "tables": tables}


def own_table(table: Table, who: str) -> dict[str, Any]:
    """What is kept about somebody at a table, besides what they did."""
    state = table.state
    game = read_only_game(state)
    person = codec.part_text(state.person(who))
    found = {
        "table": state.settings.name,
        "participant": who,
        "name": table.directory.name(who),
        "gm": who in state.settings.gms,
        "preferences": json.loads(person),
        "characters": [
            write_object(game, each) for each in state.characters.values() if each.owner == who
        ],
    }
    return _without_user_ids(found, table.directory)


def own_action(table: Table, row: EntryRow) -> dict[str, Any]:
    """Something that somebody did."""
    found = {"entry": row.seq, "at": row.at, "kind": row.kind, "action": _action(row)}
    return _without_user_ids(found, table.directory)


# --- texts ----------------------------------------------------------------------------------------


def _without_user_ids(value: Any, people: Directory) -> Any:
    """The same without Discord ids of people: whoever was mentioned is called by name."""
    if isinstance(value, str):
        return (
            _MENTION.sub(lambda found: _mention_name(people, found[1]), value)
            if "<@" in value
            else value
        )
    if isinstance(value, list):
        return [_without_user_ids(each, people) for each in value]
    if isinstance(value, dict):
        return {key: _without_user_ids(each, people) for key, each in value.items()}
    return value


def _mention_name(people: Directory, user: str) -> str:
    who = people.known_participant(user)
    return "@somebody" if who is None else f"@{people.name(who)}"


def export_bytes(data: Mapping[str, Any]) -> bytes:
    """The object as the text of a file."""
    return (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
