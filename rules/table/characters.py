"""Bringing characters to the table and choosing the one who acts."""

from __future__ import annotations

from dataclasses import replace

from rules.core.errors import Impossible, InvalidInput, NotPermitted
from rules.table.actions import ImportCharacter, UseCharacter
from rules.table.events import Audience, CharacterChosen, CharacterImported
from rules.table.outcome import Outcome
from rules.table.people import find_character, is_gm, owns, playable
from rules.table.state import AnyCharacter, Character, TableState
from rules.table.system import System

#: How many characters one table holds, and how many one participant.
TABLE_MAX = 200
OWN_MAX = 20


def import_character(state: TableState, action: ImportCharacter, system: System) -> Outcome:
    """Read the system's JSON object and put the character on the table, or replace one of the same name."""
    gm = is_gm(state, action.who)
    if (action.npc or action.owner is not None) and not gm:
        raise NotPermitted("gm-only")
    given = action.data.get("name")
    there = {character.name.casefold() for character in state.characters.values()}
    known = isinstance(given, str) and given.strip().casefold() in there
    name, sheet = system.read_character(action.data, new=not (known or action.npc or action.grown))
    owner = None if action.npc else action.owner or action.who.id
    same = [c for c in state.characters.values() if c.name.casefold() == name.casefold()]
    if same and not action.replace:
        raise Impossible("name-taken", name=name)
    counters = state.counters
    character: AnyCharacter
    if same:
        if not gm and not owns(state, action.who, same[0]):
            raise NotPermitted("owner-only", character=same[0].name, owner=same[0].owner)
        character = replace(same[0], name=name, sheet=sheet)
        owner = character.owner
        for challenge in state.challenges.values():
            if challenge.open and challenge.character == character.id:
                # Refuses a sheet without what an open check names: nobody could go on with that check.
                system.require_traits(character, challenge)
    else:
        if len(state.characters) >= TABLE_MAX:
            raise Impossible("table-full", most=TABLE_MAX)
        mine = sum(1 for c in state.characters.values() if owner is not None and c.owner == owner)
        if mine >= OWN_MAX:
            raise Impossible("too-many-characters", most=OWN_MAX)
        counters = replace(counters, character=counters.character + 1)
        character = Character(f"k{counters.character}", name, owner, sheet)
    people = state.people
    if owner is not None and state.person(owner).active is None:
        people = {**people, owner: replace(state.person(owner), active=character.id)}
    changed = replace(
        state,
        counters=counters,
        people=people,
        characters={**state.characters, character.id: character},
    )
    people_told = Audience(gms=True, people=(action.who.id,))
    event = CharacterImported(
        audience=Audience(everyone=True) if owner is not None else people_told,
        character=character.id,
        name=name,
        owner=owner,
        replaced=bool(same),
    )
    return Outcome(changed, (event,))


def use_character(state: TableState, action: UseCharacter) -> Outcome:
    """Make one of one's characters the one who acts when nothing else is said."""
    character = find_character(playable(state, action.who), action.character)
    person = state.person(action.who.id)
    if person.active == character.id:
        raise InvalidInput("already-active", field="character", value=character.name, allowed="another one")
    changed = replace(state, people={**state.people, person.id: replace(person, active=character.id)})
    event = CharacterChosen(
        audience=Audience(people=(action.who.id,)), character=character.id, name=character.name
    )
    return Outcome(changed, (event,))
