"""Export of a table as one JSON object, and import of such an object into an empty table."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, Final

from rules.core.cards import Deck, read_deck, write_deck
from rules.core.dice.no_dice import NO_DICE
from rules.core.errors import Impossible, InvalidInput, NotFound, Problems, RulesError
from rules.core.json_reader import Reader, value_for_error
from rules.core.name_matching import clean_name, lookalike_key
from rules.core.record import Record
from rules.table.actions import CreateTable, ImportTable
from rules.table.chance.cards import DECKS_MAX, require_new_deck
from rules.table.events import GMS, Event, Notice
from rules.table.forms.fields import NO_CONTEXT, Flag, Number, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.outcome import Outcome
from rules.table.people.characters import NOTE_MAX, OWN_MAX, TABLE_MAX, with_active, with_newcomers
from rules.table.people.common_fields import TABLE_FORM
from rules.table.people.sheets import read_object, write_object
from rules.table.permissions import public_name
from rules.table.settings.table_settings import (
    create,
    read_setting,
    settings_form,
    with_settings,
    write_settings,
)
from rules.table.state import AnyCharacter, Character, GameClock, NpcStage, Settings, TableState
from rules.table.system import Game, System
from rules.table.times.clock_file import read_digest, read_rest, write_digest, write_rest
from rules.table.times.duration import LATEST

#: Name of the format, in every file.
FORMAT: Final = "storyguide-table"
#: Version of the format. Raise it when the form of the object changes.
VERSION: Final = 1

#: Longest name, alias or name of a group, in characters.
NAME_MAX: Final = 300
#: Highest number of a session.
SESSIONS_MAX: Final = 1_000_000

#: Kinds of parts that an empty table may have.
_PARTS_OF_EMPTY: Final = ("settings", "counters", "clock", "person", "campaign")
#: Keys of the object.
_KEYS: Final = (
    "format",
    "version",
    "system",
    "settings",
    "campaign",
    "clock",
    "characters",
    "decks",
    "parts",
    "rest",
    "digest",
)
#: Most parts of one kind in a file.
PARTS_MAX: Final = 200
_PARTICIPANT: Final = re.compile(r"p[1-9a-z][0-9a-z]{0,9}")


def _read_participant(text: str) -> str:
    """Return the id of a participant. Raises InvalidInput("wrong-type")."""
    if not _PARTICIPANT.fullmatch(text):
        raise InvalidInput(
            "wrong-type", field="owner", value=value_for_error(text), allowed=("p1", "p2", "null")
        )
    return text


def _stage_problems(where: str, fields: Mapping[str, Any]) -> Iterable[InvalidInput]:
    """Yield the problems of a character's stage.

    Players' characters are always revealed, and an aliased NPC needs an alias.
    """
    stage = fields.get("stage", "revealed")
    if fields.get("owner") is not None and stage != "revealed":
        yield InvalidInput("wrong-type", field=f"{where}.stage", value=stage, allowed=("revealed",))
    if stage == "aliased" and not fields.get("alias", "").strip():
        yield InvalidInput("missing-field", field=f"{where}.alias", value=None, fix="add-field")


_CLOCK: Final = Form(
    (
        Number("time", high=LATEST),
        Number("session", high=SESSIONS_MAX),
        Flag("playing", default=False),
    )
)
#: Fields that the table keeps of a character with a sheet.
_CHARACTER: Final = Form.of(
    Typed("id", most=100),
    Typed("owner", null=True, read=_read_participant),
    Pick("stage", choices=plain_options(("off", "aliased", "revealed")), unknown="wrong-type"),
    Typed("alias", most=NAME_MAX, blank=True, read=clean_name),
    Typed("group", most=NAME_MAX, blank=True, read=clean_name),
    Typed("sent_back", most=NOTE_MAX, blank=True, long=True),
    Flag("retired", default=False),
    Flag("approved", default=True),
)
#: Fields of a character with a blank sheet.
_BLANK_CHARACTER: Final = Form(
    (
        *_CHARACTER.fields,
        Typed("name", most=NAME_MAX, needed=True, read=clean_name),
        *TABLE_FORM.fields,
    )
)


def write_table(state: TableState, game: Game) -> dict[str, Any]:
    """Return the table for `import_table`: settings, campaign, characters, time and own decks.

    Checks, encounters and dealt cards belong to channels and are left out. The system's own parts
    are written if the system has a `PartFile` for them.
    """
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "system": state.settings.system,
        "settings": write_settings(state.settings, game.system),
    }
    campaign = game.system.campaign.write(game.campaign)
    if campaign:
        data["campaign"] = campaign
    data["clock"] = _CLOCK.all_values(state.clock)
    if state.settings.rest.is_set:
        data["rest"] = write_rest(state.settings.rest)
    if state.settings.digest is not None:
        data["digest"] = write_digest(state.settings.digest)
    characters = state.characters.values()
    data["characters"] = [_write_character(game, character) for character in characters]
    data["decks"] = [write_deck(deck) for deck in state.own_decks.values()]
    parts = _write_parts(state, game.system)
    if parts:
        data["parts"] = parts
    return data


def _write_parts(state: TableState, system: System) -> dict[str, list[Mapping[str, Any]]]:
    """Return the objects of the system's own parts, by kind."""
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for key, part in state.own.items():
        kind = key.partition(":")[0]
        if kind in system.part_files:
            parts.setdefault(kind, []).append(system.part_files[kind].write(part))
    return parts


def _write_character(game: Game, character: AnyCharacter) -> dict[str, Any]:
    if character.sheet == game.sheets.kind():
        return {**_BLANK_CHARACTER.all_values(character), "sheet": None}
    return {**_CHARACTER.all_values(character), "sheet": write_object(game, character)}


class Plan(Record):
    """Content of a file for an empty table. Characters still have the file's ids and owners."""

    settings: Settings
    clock: GameClock
    characters: tuple[AnyCharacter, ...]
    decks: tuple[Deck, ...] = ()
    campaign: Any = None
    #: The system's own parts with their kind, in the order of the file.
    parts: tuple[tuple[str, Any], ...] = ()

    @property
    def owners(self) -> tuple[str, ...]:
        """Owners of characters in the file, in its order."""
        owners = (character.owner for character in self.characters if character.owner is not None)
        return tuple(dict.fromkeys(owners))


def require_empty(state: TableState) -> None:
    """Require that a table has nothing but settings. Raises Impossible("table-not-empty")."""
    empty = all(key.partition(":")[0] in _PARTS_OF_EMPTY for key, _ in state.parts())
    if not empty or state.clock != GameClock():
        raise Impossible("table-not-empty", name=state.settings.name)


def import_table(state: TableState, action: ImportTable, game: Game) -> Outcome:
    """Fill an empty table from a file. The system's own rules read every character.

    Raises Impossible("table-not-empty", "too-many-characters"), NotFound("unknown-owner"), and as
    `plan_import`.
    """
    require_empty(state)
    plan = plan_import(game, action.data)
    owners = _owners(plan, action.owners)
    new: list[AnyCharacter] = []
    for character in plan.characters:
        new.append(character.replace(owner=owners.get(character.owner or "")))
    state, added = with_newcomers(game, state, new)
    for count, character in enumerate(added, 1):
        if character.owner is not None and character.in_play:
            if sum(other.owner == character.owner for other in added[:count]) > OWN_MAX:
                raise Impossible("too-many-characters", most=OWN_MAX)
            state = with_active(state, character)
    changed = state.replace(
        settings=_with_digest(plan.settings, action),
        clock=plan.clock,
        campaign=plan.campaign,
        own_decks={deck.id: deck for deck in plan.decks},
    )
    ids: dict[str, str] = {}
    for planned, character in zip(plan.characters, added, strict=True):
        ids[planned.id] = character.id
    changed = _with_parts(changed, plan, game.system, ids)
    return Outcome(changed, _import_events(plan, added, action.who.id))


def _with_digest(settings: Settings, action: ImportTable) -> Settings:
    """Have the digest of a file posted in the place of the import, but never in the GM channel."""
    digest = settings.digest
    if digest is None or digest.place:
        return settings
    if action.place == settings.gm_place:
        return settings.replace(digest=None)
    return settings.replace(digest=digest.replace(place=action.place, since=action.at))


def _with_parts(
    state: TableState, plan: Plan, system: System, ids: Mapping[str, str]
) -> TableState:
    """Add the system's own parts, numbered in order, with the characters' ids of this table."""
    number = state.counters.own
    for kind, part in plan.parts:
        number += 1
        renumbered = system.part_files[kind].renumber(part, number, ids)
        state = state.with_own(f"{kind}:{renumbered.id}", renumbered)
    return state.replace(counters=state.counters.replace(own=number))


def _import_events(plan: Plan, characters: Iterable[AnyCharacter], by: str) -> tuple[Event, ...]:
    """Return the notice to all participants, and another one to the GMs if it has more names."""
    all_names: list[str] = []
    known_names: list[str] = []
    for character in characters:
        all_names.append(character.name)
        if character.approved and public_name(character):
            known_names.append(public_name(character))
    params = {"name": plan.settings.name, "names": tuple(known_names)}
    public = Notice("table-imported", params, by=by)
    if all_names == known_names:
        return (public,)
    params = {"name": plan.settings.name, "names": tuple(all_names)}
    return (public, Notice("table-imported-gms", params, audience=GMS, by=by))


def _owners(plan: Plan, assigned: Mapping[str, object]) -> dict[str, str]:
    """Return the participants of this table by the owners of the file.

    Raises NotFound("unknown-owner") for an owner that the file doesn't have.
    """
    owners: dict[str, str] = {}
    for owner, who in assigned.items():
        known = owner in plan.owners
        if not known or not isinstance(who, str) or not _PARTICIPANT.fullmatch(who):
            raise NotFound(
                "unknown-owner", field="owners", value=value_for_error(owner), nearest=plan.owners
            )
        owners[owner] = who
    return owners


def plan_new(
    action: CreateTable, data: Mapping[str, object], systems: Mapping[str, System]
) -> tuple[CreateTable, Plan]:
    """Read a file for a new table. Return the action that opens the table, and the file's content.

    The action's system comes from the file, and so does the name, if the file has one. *systems*
    are those that can be played here.

    Raises InvalidInput("unknown-system"), and as `plan_import`.
    """
    _require_format(data)
    key = data.get("system")
    if not isinstance(key, str) or key not in systems:
        raise InvalidInput(
            "unknown-system", field="system", value=value_for_error(key), allowed=tuple(systems)
        )
    opened = create(systems[key], action.replace(system=key)).state
    plan = plan_import(Game(opened, systems[key], NO_DICE, action.at, action.who), data)
    return action.replace(system=key, name=plan.settings.name), plan


def plan_import(game: Game, data: Mapping[str, object]) -> Plan:
    """Read a file for an empty table.

    Raises InvalidInput("other-format", "other-version", "other-system") for a file that isn't for
    this table, and Problems("bad-table") with everything that is wrong with the file.
    """
    _require_format(data)
    state = game.state
    system, own_system = data.get("system"), state.settings.system
    if system != own_system:
        shown = value_for_error(system)
        raise InvalidInput("other-system", field="file", value=shown, allowed=own_system)
    reader = _TableReader()
    reader.note_unknown(data, _KEYS, "")
    reader.note_missing(data, ("settings", "clock", "characters"), "")
    settings = reader.read_settings(state.settings, data.get("settings", {}), game.system)
    settings = reader.read_clock_settings(settings, data)
    times = _CLOCK.read_into(reader, data.get("clock", {}), NO_CONTEXT, "clock")
    clock = _CLOCK.make_record(GameClock, times)
    campaign = state.campaign
    with reader.within("campaign"):
        if data.get("campaign") is not None:
            rows = reader.read_object("campaign", data["campaign"]) or {}
            campaign = game.system.campaign.read(rows)
    # Characters may use rows of the file's campaign.
    game = game.with_state(state.replace(campaign=campaign, clock=clock))
    characters = reader.read_characters(game, data.get("characters", []))
    decks = reader.read_decks(game, data.get("decks", []))
    parts = reader.read_parts(game, data.get("parts", {}))
    if reader.problems:
        raise Problems("bad-table", reader.problems, count=len(reader.problems))
    return Plan(settings, clock, characters, decks, campaign, parts)


def _require_format(data: Mapping[str, object]) -> None:
    """Require an object of this format. Raises InvalidInput("other-format", "other-version")."""
    if data.get("format") != FORMAT:
        shown = value_for_error(data.get("format"))
        raise InvalidInput("other-format", field="file", value=shown, allowed=FORMAT)
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        shown = value_for_error(version)
        raise InvalidInput("other-version", field="file", value=shown, allowed=str(VERSION))


class _TableReader(Reader):
    """Reader of the object's parts that notes everything that is wrong with them."""

    @contextmanager
    def within(self, where: str, field: str = "") -> Generator[None, None, None]:
        """Note an error of the block as a problem of *where*, with the path of its field."""
        try:
            yield
        except RulesError as error:
            for problem in error.problems if isinstance(error, Problems) else (error,):
                name = field or str(problem.params.get("field", ""))
                path = ".".join(filter(None, (where, name)))
                params = {**problem.params, "field": path}
                self.problems.append(InvalidInput(problem.code, **params))

    def read_settings(self, settings: Settings, value: object, system: System) -> Settings:
        """Return the settings with those of the file, by the rules for changing them."""
        fields = settings_form(system).by_key
        values = self.read_object("settings", value) or {}
        self.note_unknown(values, tuple(fields), "settings.")
        if self.is_full:
            return settings
        for key, setting in values.items():
            with self.within("settings", key):
                if key in fields:
                    settings = with_settings(settings, {key: read_setting(fields[key], setting)})
        return settings

    def read_clock_settings(self, settings: Settings, data: Mapping[str, object]) -> Settings:
        """Return the settings with the rest and the digest that the file has."""
        rest, digest = (self._read_optional(data, key) for key in ("rest", "digest"))
        if rest is not None:
            with self.within("rest"):
                settings = settings.replace(rest=read_rest(self, rest))
        if digest is not None:
            with self.within("digest"):
                settings = settings.replace(digest=read_digest(self, digest))
        return settings

    def _read_optional(self, data: Mapping[str, object], key: str) -> Mapping[str, object] | None:
        """Return an object that a file may leave out."""
        value = data.get(key)
        return None if value is None else self.read_object(key, value)

    def read_characters(self, game: Game, value: object) -> tuple[AnyCharacter, ...]:
        """Return all characters. Unreadable ones become problems."""
        characters: list[AnyCharacter] = []
        ids: dict[str, str] = {}
        names: set[str] = set()
        for index, row in enumerate(self.read_list("characters", value, TABLE_MAX) or ()):
            if self.is_full:
                break
            where = f"characters[{index}]"
            character = self._read_character(game, row, where)
            first = ids.setdefault(character.id, f"{where}.id")
            if first != f"{where}.id":
                self.add_problem(
                    "duplicate-field", f"{where}.id", character.id, "rename-or-remove", first=first
                )
            # An NPC that players don't know may have the name of a character that they know.
            if character.stage == "revealed":
                name = lookalike_key(character.name)
                if name and name in names:
                    self.add_problem(
                        "name-is-taken", f"{where}.name", character.name, "rename-or-remove"
                    )
                names.add(name)
            characters.append(character)
        return tuple(characters)

    def read_decks(self, game: Game, value: object) -> tuple[Deck, ...]:
        """Return the table's decks with those of the file. Unreadable decks become problems."""
        state = game.state
        for index, row in enumerate(self.read_list("decks", value, DECKS_MAX) or ()):
            if self.is_full:
                break
            where = f"decks[{index}]"
            with self.within(where):
                data = self.read_object(where, row)
                if data is None:
                    continue
                deck = read_deck(data)
                with self.within(where, "id"):
                    require_new_deck(game.with_state(state), deck)
                    state = state.replace(own_decks={**state.own_decks, deck.id: deck})
        return tuple(state.own_decks.values())

    def read_parts(self, game: Game, value: object) -> tuple[tuple[str, Any], ...]:
        """Return the system's own parts with their kinds. Unreadable parts become problems."""
        rows_by_kind = self.read_object("parts", value) or {}
        self.note_unknown(rows_by_kind, tuple(game.system.part_files), "parts.")
        parts: list[tuple[str, Any]] = []
        for kind, file in game.system.part_files.items():
            names: set[str] = set()
            rows = self.read_list(kind, rows_by_kind.get(kind, []), PARTS_MAX) or ()
            for index, row in enumerate(rows):
                where = f"parts.{kind}[{index}]"
                with self.within(""):
                    part = file.read(game, row, where)
                    name = lookalike_key(part.name)
                    if name in names:
                        self.add_problem(
                            "name-is-taken", f"{where}.name", part.name, "rename-or-remove"
                        )
                    names.add(name)
                    parts.append((kind, part))
        return tuple(parts)

    def _read_character(self, game: Game, row: object, where: str) -> AnyCharacter:
        """Return a character, without fields that can't be read; without a sheet, a blank one."""
        data = dict(self.read_object(where, row) or {})
        sheet = data.pop("sheet", None)
        form = _BLANK_CHARACTER if sheet is None else _CHARACTER
        fields = form.read_into(self, data, NO_CONTEXT, where)
        self.problems += _stage_problems(where, fields)
        if sheet is not None:
            with self.within(f"{where}.sheet"):
                sheet_data = self.read_object(f"{where}.sheet", sheet)
                if sheet_data is not None:
                    fields |= read_object(game, sheet_data, new=False)
        stage: NpcStage = "off" if fields.get("owner") is None else "revealed"
        return Character(f"#{where}", "", None, game.sheets.kind(), stage).replace(**fields)
