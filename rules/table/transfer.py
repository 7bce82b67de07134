"""A table as one JSON object, and an empty table filled from such an object."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from rules.core.cards import Deck, read_deck, write_deck
from rules.core.errors import Impossible, InvalidInput, NotFound, Param, Problems, RulesError
from rules.core.names import name_key
from rules.core.reading import Reader, shown
from rules.table.actions import CreateTable, ImportTable
from rules.table.cards import DECKS_MAX, require_new
from rules.table.duration import LATEST
from rules.table.events import EVERYONE, GMS, Event, TableImported
from rules.table.game import looking
from rules.table.outcome import Outcome
from rules.table.people.characters import NOTE_MAX, OWN_MAX, TABLE_MAX, with_active
from rules.table.people.sheets import Read, notes_problem, portrait_problem, read_object, write_object
from rules.table.permissions import public_name
from rules.table.settings import create, read_setting, settings_form, with_settings, write_settings
from rules.table.state import AnyCharacter, Character, GameClock, Settings, Stage, TableState
from rules.table.system import Game, System, read_campaign

#: What the object says it is, and the version of its form; a change of form raises it.
FORMAT: Final = "storyguide-table"
VERSION: Final = 1

#: Longest name, alias or name of a group, in characters.
NAME_MAX: Final = 300
#: The highest number of a session.
SESSIONS_MAX: Final = 1_000_000

#: The kinds of parts that a table has also when nothing was ever done at it.
_ALWAYS: Final = ("settings", "counters", "clock", "person", "campaign")
_HEAD: Final = ("format", "version", "system", "settings", "campaign", "clock", "characters", "decks")
_CLOCK: Final = ("time", "session", "playing")
_KEPT: Final = ("id", "owner", "stage", "alias", "group", "sent_back", "retired", "approved")
_BLANK: Final = ("name", "portrait", "notes")
_CHARACTER: Final = (*_KEPT, "sheet", *_BLANK)
_STAGES: Final[tuple[Stage, ...]] = ("off", "aliased", "revealed")
_PARTICIPANT: Final = re.compile(r"p[1-9]\d{0,9}", re.ASCII)


# --- out ----------------------------------------------------------------------------------------------------


def write_table(state: TableState, game: Game) -> dict[str, Any]:
    """What makes the table, for `import_table`: settings and campaign, characters with their sheets, time, own decks.

    What is under way belongs to channels and is left out: checks, orders of action, the system's own parts, and where
    cards lie.
    """
    campaign = game.write_campaign()
    return {
        "format": FORMAT,
        "version": VERSION,
        "system": state.settings.system,
        "settings": write_settings(state.settings, game.system),
        **({"campaign": campaign} if campaign else {}),
        "clock": {key: getattr(state.clock, key) for key in _CLOCK},
        "characters": [_written(game, each) for each in state.characters.values()],
        "decks": [write_deck(each) for each in state.own_decks.values()],
    }


def _written(game: Game, character: AnyCharacter) -> dict[str, Any]:
    found = {key: getattr(character, key) for key in _KEPT}
    if character.sheet == game.sheets.blank():
        return {**found, "sheet": None, **{key: getattr(character, key) for key in _BLANK}}
    return {**found, "sheet": write_object(game, character)}


# --- in -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plan:
    """What a file would make of an empty table. Characters still have the ids and owners of the file."""

    settings: Settings
    clock: GameClock
    characters: tuple[AnyCharacter, ...]
    decks: tuple[Deck, ...] = ()
    campaign: Any = None

    @property
    def owners(self) -> tuple[str, ...]:
        """Whoever owns characters in the file, in its order."""
        found = (character.owner for character in self.characters if character.owner is not None)
        return tuple(dict.fromkeys(found))


def require_empty(state: TableState) -> None:
    """Impossible("table-not-empty") unless nothing but settings was ever made here, or all of it is gone."""
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
    number = state.counters.character
    for character in plan.characters:
        number += 1
        new = character.but(id=f"k{number}", owner=owners.get(character.owner or ""))
        state = state.with_character(new)
        if new.owner is not None and new.in_play:
            if sum(each.owner == new.owner for each in state.characters.values()) > OWN_MAX:
                raise Impossible("too-many-characters", most=OWN_MAX)
            state = with_active(state, new)
    changed = state.but(
        settings=plan.settings,
        clock=plan.clock,
        campaign=plan.campaign,
        counters=state.counters.but(character=number),
        own_decks={deck.id: deck for deck in plan.decks},
    )
    return Outcome(changed, _told(plan, tuple(state.characters.values()), action.who.id))


def _told(plan: Plan, found: tuple[AnyCharacter, ...], by: str) -> tuple[Event, ...]:
    known = tuple(public_name(each) for each in found if each.approved and public_name(each))
    event = TableImported(audience=EVERYONE, name=plan.settings.name, characters=known, by=by)
    names = tuple(each.name for each in found)
    return (event, event.but(audience=GMS, characters=names)) if names != known else (event,)


def _owners(plan: Plan, given: Mapping[str, object]) -> dict[str, str]:
    """Whom each owner of the file is here. NotFound("unknown-owner") for one that the file has not."""
    found: dict[str, str] = {}
    for key, who in given.items():
        there: object = who  # as it was stored or sent
        if key not in plan.owners or not isinstance(there, str) or not _PARTICIPANT.fullmatch(there):
            raise NotFound("unknown-owner", field="owners", value=shown(key), nearest=plan.owners)
        found[key] = there
    return found


def plan_new(
    action: CreateTable, data: Mapping[str, object], systems: Mapping[str, System]
) -> tuple[CreateTable, Plan]:
    """Read the whole object for a table that is opened with it; also how that table has to be opened.

    The action's system and, where the file has one, its name come from the file. Raises as `plan_import`;
    `systems` are those that can be played here; InvalidInput("unknown-system") for another.
    """
    _require_form(data)
    key = data.get("system")
    if not isinstance(key, str) or key not in systems:
        raise InvalidInput("unknown-system", field="system", value=shown(key), allowed=tuple(systems))
    opened = create(systems[key], action.but(system=key)).state
    plan = plan_import(looking(systems[key], opened, action.who, action.at), data)
    return action.but(system=key, name=plan.settings.name), plan


def plan_import(game: Game, data: Mapping[str, object]) -> Plan:
    """Read the whole object.

    InvalidInput("other-format", "other-version", "other-system") for one that is not for this table at
    all; Problems("bad-table") with everything that is wrong with one that is.
    """
    _require_form(data)
    state = game.state
    if data.get("system") != state.settings.system:
        raise InvalidInput(
            "other-system", field="file", value=shown(data.get("system")), allowed=state.settings.system
        )
    reader = _Reader()
    reader.note_unknown(data, _HEAD, "")
    reader.note_missing(data, ("settings", "clock", "characters"), "")
    settings = reader.settings(state.settings, data.get("settings", {}), game.system)
    clock = reader.clock(data.get("clock", {}))
    campaign = state.campaign
    with reader.within("campaign"):
        if data.get("campaign") is not None:
            campaign = read_campaign(game.system, reader.read_object("campaign", data["campaign"]) or {})
    # The characters are read by what is agreed on then.
    game = game.with_(state.but(campaign=campaign, clock=clock))
    characters = reader.characters(game, data.get("characters", []))
    decks = reader.decks(game, data.get("decks", []))
    if reader.problems:
        raise Problems("bad-table", reader.problems, count=len(reader.problems))
    return Plan(settings, clock, characters, decks, campaign)


def _require_form(data: Mapping[str, object]) -> None:
    """InvalidInput("other-format", "other-version") unless this is a table in a form that is known here."""
    if data.get("format") != FORMAT:
        raise InvalidInput("other-format", field="file", value=shown(data.get("format")), allowed=FORMAT)
    if data.get("version") != VERSION or isinstance(data.get("version"), bool):
        raise InvalidInput(
            "other-version", field="file", value=shown(data.get("version")), allowed=str(VERSION)
        )


class _Reader(Reader):
    """Reads the parts of the object and keeps everything that is wrong with them."""

    @contextmanager
    def within(self, where: str, field: str = "") -> Generator[None, None, None]:
        """What is refused meanwhile is a problem of what is read there, with the whole way to its field."""
        try:
            yield
        except RulesError as error:
            for each in error.problems if isinstance(error, Problems) else (error,):
                path = ".".join(filter(None, (where, field or str(each.params.get("field", "")))))
                self.problems.append(InvalidInput(each.code, **{**each.params, "field": path}))

    def _note(self, code: str, field: str, value: object, **params: Param) -> None:
        self.problems.append(InvalidInput(code, field=field, value=shown(value), **params))

    def _object(self, value: object, where: str, known: tuple[str, ...]) -> Mapping[str, object]:
        """An object with no other keys than these; empty when it is none."""
        read = self.read_object(where, value) or {}
        self.note_unknown(read, known, f"{where}.")
        return read

    def settings(self, settings: Settings, value: object, system: System) -> Settings:
        """These settings with those of the file, each held against the rules for changing it."""
        fields = {each.key: each for each in settings_form(system).fields}
        for key, given in self._object(value, "settings", tuple(fields)).items():
            with self.within("settings", key):
                if key in fields:
                    settings = with_settings(settings, {key: read_setting(fields[key], given)})
        return settings

    def clock(self, value: object) -> GameClock:
        """The story's time."""
        read = self._object(value, "clock", _CLOCK)
        return GameClock(
            self.read_number("clock.time", read.get("time", 0), 0, LATEST),
            self.read_number("clock.session", read.get("session", 0), 0, SESSIONS_MAX),
            self.read_truth("clock.playing", read.get("playing", False)),
        )

    def characters(self, game: Game, value: object) -> tuple[AnyCharacter, ...]:
        """All characters; those that cannot be read are problems."""
        found: list[AnyCharacter] = []
        ids: set[str] = set()
        names: set[str] = set()
        for index, row in enumerate(self.read_list("characters", value, TABLE_MAX) or ()):
            where = f"characters[{index}]"
            character = self._character(game, row, where)
            if character.id in ids:
                self._note("duplicate-field", f"{where}.id", character.id, first="an earlier one")
            name = name_key(character.name)
            # Of somebody whom players do not know, the name may be borne by one of theirs.
            if character.stage == "revealed":
                if name and name in names:
                    self._note("name-is-taken", f"{where}.name", character.name)
                names.add(name)
            ids.add(character.id)
            found.append(character)
        return tuple(found)

    def decks(self, game: Game, value: object) -> tuple[Deck, ...]:
        """The decks that the table brings."""
        state = game.state
        for index, row in enumerate(self.read_list("decks", value, DECKS_MAX) or ()):
            where = f"decks[{index}]"
            with self.within(where):
                if (read := self.read_object(where, row)) is not None:
                    deck = read_deck(read)
                    with self.within(where, "id"):
                        require_new(game.with_(state), deck)
                        state = state.but(own_decks={**state.own_decks, deck.id: deck})
        return tuple(state.own_decks.values())

    def _character(self, game: Game, row: object, where: str) -> AnyCharacter:
        read = self._object(row, where, _CHARACTER)

        def text(key: str, most: int = NAME_MAX, usual: str = "") -> str:
            return self.read_text(f"{where}.{key}", read.get(key, usual), most)

        owner = read.get("owner")
        if not (owner is None or (isinstance(owner, str) and _PARTICIPANT.fullmatch(owner))):
            self._note("wrong-type", f"{where}.owner", owner, allowed=("p1", "p2", "null"))
            owner = None
        allowed: tuple[Stage, ...] = _STAGES if owner is None else ("revealed",)
        given = read.get("stage", "off" if owner is None else "revealed")
        stage: Stage | None = next((each for each in allowed if each == given), None)
        if stage is None:
            self._note("wrong-type", f"{where}.stage", given, allowed=allowed)
        alias = text("alias")
        if stage == "aliased" and not alias.strip():
            self.note_missing({}, ("alias",), f"{where}.")
        sheet = self._sheet(game, read, where, text)
        return Character(
            text("id", 100, f"#{where}"),
            sheet.name,
            owner,
            sheet.sheet,
            stage or "revealed",
            alias,
            text("group"),
            sheet.portrait or "",
            sheet.notes or "",
            self.read_truth(f"{where}.retired", read.get("retired", False)),
            self.read_truth(f"{where}.approved", read.get("approved", True)),
            text("sent_back", NOTE_MAX),
        )

    def _sheet(self, game: Game, read: Mapping[str, object], where: str, text: Callable[[str], str]) -> Read:
        """The sheet as the system reads it; a blank one where nothing is written down, or nothing can be read."""
        blank = Read("", game.sheets.blank(), None, None)
        if read.get("sheet") is not None:
            with self.within(f"{where}.sheet"):
                beside = {key: each for key, each in read.items() if key in _BLANK}
                self.note_unknown(beside, (*_KEPT, "sheet"), f"{where}.")
                data = self.read_object(f"{where}.sheet", read["sheet"])
                return blank if data is None else read_object(game, data, new=False)
            return blank
        if not (name := text("name")).strip():
            self.note_missing({}, ("name",), f"{where}.")
        portrait, notes = str(read.get("portrait", "")), str(read.get("notes", ""))
        for problem in (portrait_problem(read.get("portrait", "")), notes_problem(read.get("notes", ""))):
            with self.within(where):
                if problem is not None:
                    raise problem
        return Read(name, blank.sheet, portrait, notes)
