"""A table as one JSON object, and an empty table filled from such an object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, cast

from rules.core.cards import Deck, read_deck, write_deck
from rules.core.errors import Impossible, InvalidInput, NotFound, Param, Problems, RulesError
from rules.core.names import name_key
from rules.core.rng import Streams
from rules.table.actions import Action, CreateTable, ImportTable
from rules.table.cards import DECKS_MAX, require_new
from rules.table.duration import LATEST
from rules.table.events import EVERYONE, GMS, Event, TableImported
from rules.table.game import NO_DICE
from rules.table.outcome import Outcome
from rules.table.people.characters import NOTE_MAX, OWN_MAX, TABLE_MAX
from rules.table.people.sheets import Read, notes_problem, portrait_problem, read_object, shown, write_object
from rules.table.permissions import public_name, require_gm
from rules.table.settings import create, read_setting, settings_form, with_settings, write_settings
from rules.table.state import AnyCharacter, Character, GameClock, Person, Settings, TableState
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
_TEXTS: Final = ("alias", "group", "sent_back")
_FLAGS: Final = ("retired", "approved")
_BLANK: Final = ("name", "portrait", "notes")
_CHARACTER: Final = ("id", "owner", "stage", *_TEXTS, *_FLAGS, "sheet", *_BLANK)
_STAGES: Final = ("off", "aliased", "revealed")
_PARTICIPANT: Final = re.compile(r"p[1-9]\d{0,9}", re.ASCII)


# --- out ----------------------------------------------------------------------------------------------------


def write_table(state: TableState, game: Game) -> dict[str, Any]:
    """What makes the table, for `import_table`: settings and campaign, characters with their sheets, time, own decks.


    What is under way belongs to channels and is left out: checks, orders of action, the system's own parts, and where
    cards lie.
    """
    clock = state.clock
    campaign = game.write_campaign()
    return {
        "format": FORMAT,
        "version": VERSION,
        "system": state.settings.system,
        "settings": write_settings(state.settings, game.system),
        **({"campaign": campaign} if campaign else {}),
        "clock": {
            "time": clock.time,
            "session": clock.session,
            "playing": clock.playing,
        },
        "characters": [_written(game, each) for each in state.characters.values()],
        "decks": [write_deck(each) for each in state.own_decks.values()],
    }


def _written(game: Game, character: AnyCharacter) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": character.id,
        "owner": character.owner,
        "stage": character.stage,
        "alias": character.alias,
        "group": character.group,
        "sent_back": character.sent_back,
        "retired": character.retired,
        "approved": character.approved,
    }
    if character.sheet == game.sheets.blank():
        own = {"name": character.name, "portrait": character.portrait, "notes": character.notes}
        return {**found, "sheet": None, **own}
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


def import_table(state: TableState, action: ImportTable, rng: Streams, game: Game) -> Outcome:
    """Fill an empty table; every character is read by the system's own rules.

    Raises as `plan_import`; NotPermitted, Impossible("table-not-empty", "too-many-characters"),
    NotFound("unknown-owner").
    """
    require_gm(state, action.who)
    require_empty(state)
    plan = plan_import(state, action, action.data, game)
    owners = _owners(plan, action.owners)
    number = state.counters.character
    characters: dict[str, AnyCharacter] = {}
    people: dict[str, Person] = dict(state.people)
    for character in plan.characters:
        number += 1
        owner = owners.get(character.owner or "")
        new = replace(character, id=f"k{number}", owner=owner)
        characters[new.id] = new
        if owner is None or new.retired or not new.approved:
            continue
        if sum(each.owner == owner for each in characters.values()) > OWN_MAX:
            raise Impossible("too-many-characters", most=OWN_MAX)
        person = people.get(owner) or Person(owner)
        if person.active is None:
            people[owner] = replace(person, active=new.id)
    changed = replace(
        state,
        settings=plan.settings,
        clock=plan.clock,
        campaign=plan.campaign,
        characters=characters,
        people=people,
        counters=replace(state.counters, character=number),
        own_decks={deck.id: deck for deck in plan.decks},
    )
    return Outcome(changed, _told(plan, characters.values(), action.who.id))


def _told(plan: Plan, characters: Any, by: str) -> tuple[Event, ...]:
    found = cast("tuple[AnyCharacter, ...]", tuple(characters))
    known = tuple(public_name(each) for each in found if each.approved and public_name(each))
    event = TableImported(audience=EVERYONE, name=plan.settings.name, characters=known, by=by)
    names = tuple(each.name for each in found)
    return (event, replace(event, audience=GMS, characters=names)) if names != known else (event,)


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
    `systems` are those that can be played
    here; InvalidInput("unknown-system") for another.
    """
    _require_form(data)
    key = data.get("system")
    if not isinstance(key, str) or key not in systems:
        raise InvalidInput("unknown-system", field="system", value=shown(key), allowed=tuple(systems))
    opened = create(systems[key], replace(action, system=key)).state
    plan = plan_import(opened, action, data, Game(opened, systems[key], NO_DICE, action.at, action.who))
    return replace(action, system=key, name=plan.settings.name), plan


def plan_import(state: TableState, action: Action, data: Mapping[str, object], game: Game) -> Plan:
    """Read the whole object.

    InvalidInput("other-format", "other-version", "other-system") for one that is not for this table at
    all; Problems("bad-table") with everything that is wrong with one that is.
    """
    _require_form(data)
    if data.get("system") != state.settings.system:
        raise InvalidInput(
            "other-system", field="file", value=shown(data.get("system")), allowed=state.settings.system
        )
    reader = _Reader(game)
    for key in data:
        if key not in _HEAD:
            reader.add("unknown-field", shown(key), shown(key), allowed=_HEAD, nearest=())
    settings = reader.settings(state.settings, data.get("settings"))
    clock = reader.clock(data.get("clock"))
    campaign = reader.campaign(state, data.get("campaign"), clock.time)
    characters = reader.characters(data.get("characters"))
    decks = reader.decks(state, data.get("decks", []))
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


class _Reader:
    """Reads the parts of the object and keeps everything that is wrong with them."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self.problems: list[RulesError] = []

    def add(self, code: str, field: str, value: str, **params: Param) -> None:
        """One more problem."""
        self.problems.append(InvalidInput(code, field=field, value=value, **params))

    def _object(self, value: object, field: str, allowed: tuple[str, ...]) -> dict[str, object]:
        """An object with no other keys than these; empty when it is none."""
        if not isinstance(value, dict):
            if value is None:
                self.add("missing-field", field, "", fix="add-field")
            else:
                self.add("wrong-type", field, shown(value), allowed=("object",), fix="use-object")
            return {}
        found: dict[str, object] = {}
        for key, each in cast("dict[object, object]", value).items():
            if isinstance(key, str) and key in allowed:
                found[key] = each
            else:
                name = f"{field}.{shown(key)}"
                self.add("unknown-field", name, shown(key), allowed=allowed, nearest=())
        return found

    # --- settings and time ----------------------------------------------------------------------------------

    def settings(self, settings: Settings, value: object) -> Settings:
        """These settings with those of the file, each held against the rules for changing it."""
        fields = {each.key: each for each in settings_form(self._game.system).fields}
        for key, given in self._object(value, "settings", tuple(fields)).items():
            try:
                settings = with_settings(settings, {key: read_setting(fields[key], given)})
            except RulesError as error:
                self._within(error, "settings", key)
        return settings

    def clock(self, value: object) -> GameClock:
        """The story's time."""
        read = self._object(value, "clock", ("time", "session", "playing"))
        time = self._number(read.get("time", 0), "clock.time", LATEST)
        session = self._number(read.get("session", 0), "clock.session", SESSIONS_MAX)
        return GameClock(time, session, self._flag(read.get("playing", False), "clock.playing"))

    def campaign(self, state: TableState, value: object, time: int) -> Any:
        """What the file's table agreed on in the terms of its system; this table's own where it says nothing.

        The characters are read by it.
        """
        campaign = state.campaign
        if value is not None and not isinstance(value, dict):
            self.add("wrong-type", "campaign", shown(value), allowed=("object",), fix="use-object")
        elif value is not None:
            try:
                campaign = read_campaign(self._game.system, cast("dict[str, object]", value))
            except Problems as error:
                for problem in error.problems:
                    self._within(problem, "campaign", str(problem.params.get("field", "")))
        self._game = self._game.with_(
            replace(state, campaign=campaign, clock=replace(state.clock, time=time))
        )
        return campaign

    def _number(self, value: object, field: str, highest: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            self.add("wrong-type", field, shown(value), allowed=("whole number",), fix="use-whole-number")
            return 0
        if not 0 <= value <= highest:
            self.problems.append(
                InvalidInput("out-of-range", field=field, value=shown(value), lowest=0, highest=highest)
            )
        return value

    def _flag(self, value: object, field: str) -> bool:
        if not isinstance(value, bool):
            self.add("wrong-type", field, shown(value), allowed=("true", "false"), fix="use-true-or-false")
            return False
        return value

    def _text(self, value: object, field: str, most: int) -> str:
        if not isinstance(value, str):
            self.add("wrong-type", field, shown(value), allowed=("text",), fix="use-text")
            return ""
        if len(value) > most:
            self.add("too-long", field, shown(value), length=len(value), highest=most, fix="shorten")
        elif not _clean(value):
            self.add("unprintable-text", field, shown(value), fix="remove-control-characters")
        return value

    # --- characters -----------------------------------------------------------------------------------------

    def characters(self, value: object) -> tuple[AnyCharacter, ...]:
        """All characters; those that cannot be read are problems."""
        if not isinstance(value, list):
            if value is None:
                self.add("missing-field", "characters", "", fix="add-field")
            else:
                self.add("wrong-type", "characters", shown(value), allowed=("list",), fix="use-list")
            return ()
        rows = cast("list[object]", value)
        if len(rows) > TABLE_MAX:
            over = len(rows) - TABLE_MAX
            self.problems.append(
                InvalidInput(
                    "too-many-entries",
                    field="characters",
                    value=len(rows),
                    highest=TABLE_MAX,
                    count=over,
                    fix="remove-entries",
                )
            )
            return ()
        found: list[AnyCharacter] = []
        ids: set[str] = set()
        names: set[str] = set()
        for index, row in enumerate(rows):
            where = f"characters[{index}]"
            character = self._character(row, where)
            if character.id in ids:
                self.add("duplicate-field", f"{where}.id", character.id, first="an earlier one")
            name = name_key(character.name)
            # Of somebody whom players do not know, the name may be borne by one of theirs.
            if character.stage == "revealed" and name and name in names:
                self.add("name-is-taken", f"{where}.name", shown(character.name))
            if character.stage == "revealed":
                names.add(name)
            ids.add(character.id)
            found.append(character)
        return tuple(found)

    def decks(self, state: TableState, value: object) -> tuple[Deck, ...]:
        """The decks that the table brings."""
        if not isinstance(value, list):
            self.add("wrong-type", "decks", shown(value), allowed=("list",), fix="use-list")
            return ()
        for index, row in enumerate(cast("list[object]", value)[: DECKS_MAX + 1]):
            where = f"decks[{index}]"
            if not isinstance(row, dict):
                self.add("wrong-type", where, shown(row), allowed=("object",), fix="use-object")
                continue
            try:
                deck = read_deck(cast("dict[str, object]", row))
                require_new(self._game.with_(state), deck)
            except Problems as error:
                for problem in error.problems:
                    self._within(problem, where, str(problem.params.get("field", "")))
            except Impossible as error:
                self._within(error, where, "id")
            else:
                state = replace(state, own_decks={**state.own_decks, deck.id: deck})
        return tuple(state.own_decks.values())

    def _character(self, row: object, where: str) -> AnyCharacter:
        read = self._object(row, where, _CHARACTER)
        texts = {key: self._text(read.get(key, ""), f"{where}.{key}", NAME_MAX) for key in ("alias", "group")}
        texts["sent_back"] = self._text(read.get("sent_back", ""), f"{where}.sent_back", NOTE_MAX)
        retired = self._flag(read.get("retired", False), f"{where}.retired")
        approved = self._flag(read.get("approved", True), f"{where}.approved")
        owner = read.get("owner")
        if not (owner is None or (isinstance(owner, str) and _PARTICIPANT.fullmatch(owner))):
            self.add("wrong-type", f"{where}.owner", shown(owner), allowed=("p1", "p2", "null"))
            owner = None
        stage = read.get("stage", "off" if owner is None else "revealed")
        if stage not in _STAGES or (owner is not None and stage != "revealed"):
            allowed = _STAGES if owner is None else ("revealed",)
            self.add("wrong-type", f"{where}.stage", shown(stage), allowed=allowed)
            stage = "revealed"
        if stage == "aliased" and not texts["alias"].strip():
            self.add("missing-field", f"{where}.alias", "", fix="add-field")
        sheet = self._sheet(read, where)
        key = self._text(read.get("id", f"#{where}"), f"{where}.id", 100)
        name, kept = ("", None) if sheet is None else (sheet.name, sheet.sheet)
        return Character(
            key,
            name,
            owner,
            kept,
            stage=stage,
            retired=retired,
            approved=approved,
            portrait="" if sheet is None else sheet.portrait or "",
            notes="" if sheet is None else sheet.notes or "",
            **texts,
        )

    def _sheet(self, read: dict[str, object], where: str) -> Read | None:
        """The sheet as the system reads it; a blank one where nothing is written down."""
        data = read.get("sheet")
        if data is None:
            name = self._text(read.get("name", ""), f"{where}.name", NAME_MAX)
            if not name.strip():
                self.add("missing-field", f"{where}.name", "", fix="add-field")
            for key, check in (("portrait", portrait_problem), ("notes", notes_problem)):
                problem = check(read.get(key, ""))
                if problem is not None:
                    self._within(problem, where, key)
            return Read(
                name, self._game.sheets.blank(), str(read.get("portrait", "")), str(read.get("notes", ""))
            )
        for key in _BLANK:
            if key in read:
                self.add("unknown-field", f"{where}.{key}", key, allowed=_CHARACTER, nearest=("sheet",))
        if not isinstance(data, dict):
            self.add("wrong-type", f"{where}.sheet", shown(data), allowed=("object",), fix="use-object")
            return None
        try:
            return read_object(self._game, cast("dict[str, object]", data), new=False)
        except Problems as error:
            for problem in error.problems:
                self._within(problem, f"{where}.sheet", str(problem.params.get("field", "")))
            return None

    def _within(self, error: RulesError, where: str, field: str) -> None:
        """The same problem with the whole way to its field."""
        path = f"{where}.{field}" if field else where
        self.problems.append(type(error)(error.code, **{**error.params, "field": path}))


def _clean(text: str) -> bool:
    """Whether it can be kept and shown: no lone surrogates, no control characters but line breaks and tabs."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return not any((sign < " " and sign not in "\n\t\r") or "\x7f" <= sign < "\xa0" for sign in text)
