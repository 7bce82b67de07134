"""A table as one JSON object, and an empty table filled from such an object."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any, Final

from rules.core.cards import Deck, read_deck, write_deck
from rules.core.errors import Impossible, InvalidInput, NotFound, Problems, RulesError
from rules.core.json_reader import Reader, value_for_error
from rules.core.name_matching import clean_name, lookalike_key
from rules.core.record import Record
from rules.table.actions import CreateTable, ImportTable
from rules.table.cards import DECKS_MAX, require_new_deck
from rules.table.duration import LATEST
from rules.table.events import GMS, Event, Notice
from rules.table.forms import NO_CONTEXT, Flag, Form, Number, Pick, Typed, plain_options
from rules.table.outcome import Outcome
from rules.table.people.characters import NOTE_MAX, OWN_MAX, TABLE_MAX, with_active, with_newcomers
from rules.table.people.common_fields import TABLE_FORM
from rules.table.people.sheets import read_object, write_object
from rules.table.permissions import public_name
from rules.table.read_only_game import NO_DICE
from rules.table.settings import create, read_setting, settings_form, with_settings, write_settings
from rules.table.state import AnyCharacter, Character, GameClock, NpcStage, Settings, TableState
from rules.table.system import Game, System

#: What the object says it is, and the version of its form; a change of form raises it.
FORMAT: Final = "storyguide-table"
VERSION: Final = 1

#: Longest name, alias or name of a group, in characters.
NAME_MAX: Final = 300
#: The highest number of a session.
SESSIONS_MAX: Final = 1_000_000

#: The kinds of parts that a table has also when nothing was ever done at it.
_ALWAYS: Final = ("settings", "counters", "clock", "person", "campaign")
_HEAD: Final = (
    "format",
    "version",
    "system",
    "settings",
    "campaign",
    "clock",
    "characters",
    "decks",
    "parts",
)
#: Most parts of one kind in a file.
PARTS_MAX: Final = 200
_PARTICIPANT: Final = re.compile(r"p[1-9a-z][0-9a-z]{0,9}")


def _participant(text: str) -> str:
    if not _PARTICIPANT.fullmatch(text):
        raise InvalidInput(
            "wrong-type", field="owner", value=value_for_error(text), allowed=("p1", "p2", "null")
        )
    return text


def _known_as(where: str, kept: Mapping[str, Any]) -> Iterable[InvalidInput]:
    """Players' characters are always known by their name, and an alias is needed where one
    is used.
    """
    stage = kept.get("stage", "revealed")
    if kept.get("owner") is not None and stage != "revealed":
        yield InvalidInput("wrong-type", field=f"{where}.stage", value=stage, allowed=("revealed",))
    if stage == "aliased" and not kept.get("alias", "").strip():
        yield InvalidInput("missing-field", field=f"{where}.alias", value=None, fix="add-field")


_CLOCK: Final = Form(
    (
        Number("time", high=LATEST),
        Number("session", high=SESSIONS_MAX),
        Flag("playing", default=False),
    )
)
#: What the table keeps of a character; where nothing else is written down, also what else stands on
#: a sheet.
_KEPT: Final = Form.of(
    Typed("id", most=100),
    Typed("owner", null=True, read=_participant),
    Pick("stage", choices=plain_options(("off", "aliased", "revealed")), unknown="wrong-type"),
    Typed("alias", most=NAME_MAX, blank=True, read=clean_name),
    Typed("group", most=NAME_MAX, blank=True, read=clean_name),
    Typed("sent_back", most=NOTE_MAX, blank=True, long=True),
    Flag("retired", default=False),
    Flag("approved", default=True),
)
_BARE: Final = Form(
    (*_KEPT.fields, Typed("name", most=NAME_MAX, needed=True, read=clean_name), *TABLE_FORM.fields)
)


def write_table(state: TableState, game: Game) -> dict[str, Any]:
    """Return the table for `import_table`: settings, campaign, characters, time and own decks.

    Checks, orders of action and dealt cards belong to channels and are left out. The system's own
    parts are written if the system has a `PartFile` for them.
    """
    campaign = game.system.campaign.write(game.campaign)
    return {
        "format": FORMAT,
        "version": VERSION,
        "system": state.settings.system,
        "settings": write_settings(state.settings, game.system),
        **({"campaign": campaign} if campaign else {}),
        "clock": _CLOCK.all_values(state.clock),
        "characters": [_written(game, character) for character in state.characters.values()],
        "decks": [write_deck(deck) for deck in state.own_decks.values()],
        **_write_parts(state, game.system),
    }


def _write_parts(state: TableState, system: System) -> dict[str, Any]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for key, part in state.own.items():
        kind = key.partition(":")[0]
        if kind in system.part_files:
            found.setdefault(kind, []).append(system.part_files[kind].write(part))
    return {"parts": found} if found else {}


def _written(game: Game, character: AnyCharacter) -> dict[str, Any]:
    if character.sheet == game.sheets.kind():
        return {**_BARE.all_values(character), "sheet": None}
    return {**_KEPT.all_values(character), "sheet": write_object(game, character)}


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
        found = (character.owner for character in self.characters if character.owner is not None)
        return tuple(dict.fromkeys(found))


def require_empty(state: TableState) -> None:
    """Impossible("table-not-empty") unless nothing but settings was ever made here, or all of it is
    gone.
    """
    made = any(key.partition(":")[0] not in _ALWAYS for key, _ in state.parts())
    if made or state.clock != GameClock():
        raise Impossible("table-not-empty", name=state.settings.name)


def import_table(state: TableState, action: ImportTable, game: Game) -> Outcome:
    """Fill an empty table; every character is read by the system's own rules.

    Raises as `plan_import`; NotPermitted, Impossible("table-not-empty", "too-many-characters"),
    NotFound("unknown-owner").
    """
    require_empty(state)
    plan = plan_import(game, action.data)
    owners = _owners(plan, action.owners)
    owned = [
        character.replace(owner=owners.get(character.owner or "")) for character in plan.characters
    ]
    state, come = with_newcomers(game, state, owned)
    for at, new in enumerate(come, 1):
        if new.owner is not None and new.in_play:
            if sum(other.owner == new.owner for other in come[:at]) > OWN_MAX:
                raise Impossible("too-many-characters", most=OWN_MAX)
            state = with_active(state, new)
    changed = state.replace(
        settings=plan.settings,
        clock=plan.clock,
        campaign=plan.campaign,
        own_decks={deck.id: deck for deck in plan.decks},
    )
    ids = {old.id: new.id for old, new in zip(plan.characters, come, strict=True)}
    changed = _with_parts(changed, plan, game.system, ids)
    return Outcome(changed, _told(plan, tuple(state.characters.values()), action.who.id))


def _with_parts(
    state: TableState, plan: Plan, system: System, ids: Mapping[str, str]
) -> TableState:
    """Add the system's own parts, numbered in order, with the characters' ids of this table."""
    number = state.counters.own
    for kind, part in plan.parts:
        number += 1
        made = system.part_files[kind].renumber(part, number, ids)
        state = state.with_own(f"{kind}:{made.id}", made)
    return state.replace(counters=state.counters.replace(own=number))


def _told(plan: Plan, found: tuple[AnyCharacter, ...], by: str) -> tuple[Event, ...]:
    known = tuple(
        public_name(character)
        for character in found
        if character.approved and public_name(character)
    )
    names, called = tuple(character.name for character in found), plan.settings.name
    public = Notice("table-imported", {"name": called, "names": known}, by=by)
    secret = Notice("table-imported-gms", {"name": called, "names": names}, audience=GMS, by=by)
    return (public, secret) if names != known else (public,)


def _owners(plan: Plan, given: Mapping[str, object]) -> dict[str, str]:
    """Whom each owner of the file is here. NotFound("unknown-owner") for one that the file
    has not.
    """
    found: dict[str, str] = {}
    for key, who in given.items():
        there: object = who  # as it was stored or sent
        if (
            key not in plan.owners
            or not isinstance(there, str)
            or not _PARTICIPANT.fullmatch(there)
        ):
            raise NotFound(
                "unknown-owner", field="owners", value=value_for_error(key), nearest=plan.owners
            )
        found[key] = there
    return found


def plan_new(
    action: CreateTable, data: Mapping[str, object], systems: Mapping[str, System]
) -> tuple[CreateTable, Plan]:
    """Read the whole object for a table that is opened with it; also how that table has to be
    opened.

    The action's system and, where the file has one, its name come from the file. Raises as
    `plan_import`; `systems` are those that can be played here; InvalidInput("unknown-system") for
    another.
    """
    _require_form(data)
    key = data.get("system")
    if not isinstance(key, str) or key not in systems:
        raise InvalidInput(
            "unknown-system", field="system", value=value_for_error(key), allowed=tuple(systems)
        )
    opened = create(systems[key], action.replace(system=key)).state
    plan = plan_import(Game(opened, systems[key], NO_DICE, action.at, action.who), data)
    return action.replace(system=key, name=plan.settings.name), plan


def plan_import(game: Game, data: Mapping[str, object]) -> Plan:
    """Read the whole object.

    InvalidInput("other-format", "other-version", "other-system") for one that is not for this table
    at all; Problems("bad-table") with everything that is wrong with one that is.
    """
    _require_form(data)
    state = game.state
    if (other := data.get("system")) != (mine := state.settings.system):
        raise InvalidInput("other-system", field="file", value=value_for_error(other), allowed=mine)
    reader = _Reader()
    reader.note_unknown(data, _HEAD, "")
    reader.note_missing(data, ("settings", "clock", "characters"), "")
    settings = reader.settings(state.settings, data.get("settings", {}), game.system)
    clock = _CLOCK.make_record(
        GameClock, _CLOCK.read_into(reader, data.get("clock", {}), NO_CONTEXT, "clock")
    )
    campaign = state.campaign
    with reader.within("campaign"):
        if data.get("campaign") is not None:
            campaign = game.system.campaign.read(
                reader.read_object("campaign", data["campaign"]) or {}
            )
    # The characters are read by what is agreed on then.
    game = game.with_state(state.replace(campaign=campaign, clock=clock))
    characters = reader.characters(game, data.get("characters", []))
    decks = reader.decks(game, data.get("decks", []))
    parts = reader.parts(game, data.get("parts", {}))
    if reader.problems:
        raise Problems("bad-table", reader.problems, count=len(reader.problems))
    return Plan(settings, clock, characters, decks, campaign, parts)


def _require_form(data: Mapping[str, object]) -> None:
    """InvalidInput("other-format", "other-version") unless this is a table in a form that is known
    here.
    """
    if data.get("format") != FORMAT:
        raise InvalidInput(
            "other-format", field="file", value=value_for_error(data.get("format")), allowed=FORMAT
        )
    if (version := data.get("version")) != VERSION or isinstance(version, bool):
        raise InvalidInput(
            "other-version", field="file", value=value_for_error(version), allowed=str(VERSION)
        )


class _Reader(Reader):
    """Reads the parts of the object and keeps everything that is wrong with them."""

    @contextmanager
    def within(self, where: str, field: str = "") -> Generator[None, None, None]:
        """What is refused meanwhile is a problem of what is read there, with the whole way to its
        field.
        """
        try:
            yield
        except RulesError as error:
            for problem in error.problems if isinstance(error, Problems) else (error,):
                path = ".".join(
                    filter(None, (where, field or str(problem.params.get("field", ""))))
                )
                self.problems.append(
                    InvalidInput(problem.code, **{**problem.params, "field": path})
                )

    def settings(self, settings: Settings, value: object, system: System) -> Settings:
        """These settings with those of the file, each held against the rules for changing it."""
        fields = settings_form(system).by_key
        read = self.read_object("settings", value) or {}
        self.note_unknown(read, tuple(fields), "settings.")
        for key, given in read.items() if not self.is_full else ():
            with self.within("settings", key):
                if key in fields:
                    settings = with_settings(settings, {key: read_setting(fields[key], given)})
        return settings

    def characters(self, game: Game, value: object) -> tuple[AnyCharacter, ...]:
        """All characters; those that cannot be read are problems."""
        found: list[AnyCharacter] = []
        ids: dict[str, str] = {}
        names: set[str] = set()
        for index, row in enumerate(self.read_list("characters", value, TABLE_MAX) or ()):
            if self.is_full:
                break
            where = f"characters[{index}]"
            character = self._character(game, row, where)
            first = ids.setdefault(character.id, f"{where}.id")
            if first != f"{where}.id":
                self.add_problem(
                    "duplicate-field", f"{where}.id", character.id, "rename-or-remove", first=first
                )
            name = lookalike_key(character.name)
            # Of somebody whom players do not know, the name may be borne by one of theirs.
            if character.stage == "revealed":
                if name and name in names:
                    self.add_problem(
                        "name-is-taken", f"{where}.name", character.name, "rename-or-remove"
                    )
                names.add(name)
            found.append(character)
        return tuple(found)

    def decks(self, game: Game, value: object) -> tuple[Deck, ...]:
        state = game.state
        for index, row in enumerate(self.read_list("decks", value, DECKS_MAX) or ()):
            if self.is_full:
                break
            where = f"decks[{index}]"
            with self.within(where):
                if (read := self.read_object(where, row)) is not None:
                    deck = read_deck(read)
                    with self.within(where, "id"):
                        require_new_deck(game.with_state(state), deck)
                        state = state.replace(own_decks={**state.own_decks, deck.id: deck})
        return tuple(state.own_decks.values())

    def parts(self, game: Game, value: object) -> tuple[tuple[str, Any], ...]:
        """Return the system's own parts with their kinds. Unreadable parts become problems."""
        given = self.read_object("parts", value) or {}
        self.note_unknown(given, tuple(game.system.part_files), "parts.")
        found: list[tuple[str, Any]] = []
        for kind, file in game.system.part_files.items():
            names: set[str] = set()
            for index, row in enumerate(self.read_list(kind, given.get(kind, []), PARTS_MAX) or ()):
                where = f"parts.{kind}[{index}]"
                with self.within(""):
                    part = file.read(game, row, where)
                    name = lookalike_key(part.name)
                    if name in names:
                        self.add_problem(
                            "name-is-taken", f"{where}.name", part.name, "rename-or-remove"
                        )
                    names.add(name)
                    found.append((kind, part))
        return tuple(found)

    def _character(self, game: Game, row: object, where: str) -> AnyCharacter:
        """One character; what cannot be read is left out of it, and a blank sheet is where none is
        written down.
        """
        read = dict(self.read_object(where, row) or {})
        sheet = read.pop("sheet", None)
        kept = (_BARE if sheet is None else _KEPT).read_into(self, read, NO_CONTEXT, where)
        self.problems += _known_as(where, kept)
        if sheet is not None:
            with self.within(f"{where}.sheet"):
                data = self.read_object(f"{where}.sheet", sheet)
                kept |= {} if data is None else read_object(game, data, new=False)
        stage: NpcStage = "off" if kept.get("owner") is None else "revealed"
        return Character(f"#{where}", "", None, game.sheets.kind(), stage).replace(**kept)
