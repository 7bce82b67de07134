"""Characters found by name, among those that a participant knows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from typing import Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import find_one, lookalike_key, matches, name_key
from rules.table.actions import Actor
from rules.table.initiative import block_of, encounter_in, may_act_as
from rules.table.permissions import is_gm, known_name, owns, public_name
from rules.table.state import AnyCharacter, TableState

_NAME: Final[Callable[[AnyCharacter], str]] = attrgetter("name")


def name_bearer(
    state: TableState, actor: Actor, name: str, but: Collection[str] = ()
) -> AnyCharacter | None:
    """Return the character with a name, or else with an alias, that the actor may know.

    *but* are ids to leave out. Players find no character by a name that they do not know. Names
    that look alike are the same.
    """
    gm = is_gm(state, actor)
    wanted = lookalike_key(name)
    others = [character for character in state.characters.values() if character.id not in but]
    for character in others:
        if lookalike_key(character.name) == wanted and (gm or character.stage == "revealed"):
            return character
    for character in others:
        may_know_alias = bool(character.alias) and (gm or character.stage == "aliased")
        if may_know_alias and lookalike_key(character.alias) == wanted:
            return character
    return None


def sort_by_name(characters: Iterable[AnyCharacter]) -> tuple[AnyCharacter, ...]:
    return tuple(sorted(characters, key=lambda character: character.name.casefold()))


def sort_by_known_name(
    state: TableState, actor: Actor, characters: Iterable[AnyCharacter]
) -> tuple[AnyCharacter, ...]:
    """Return characters in the order of the names that the actor knows."""

    def key(character: AnyCharacter) -> str:
        return known_name(state, actor, character).casefold()

    return tuple(sorted(characters, key=key))


def known_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """Return the characters in play that the actor knows, by the name that the actor knows."""
    return sort_by_known_name(state, actor, _characters_known(state, gm=is_gm(state, actor)))


def ever_known_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """Return the characters that the actor knows, retired ones too, by the name that it knows."""
    return sort_by_known_name(state, actor, _characters_ever_known(state, gm=is_gm(state, actor)))


def _characters_known(state: TableState, *, gm: bool) -> list[AnyCharacter]:
    """Return the characters that a GM or all players know, without retired ones."""
    known = _characters_ever_known(state, gm=gm)
    return [character for character in known if not character.retired]


def _characters_ever_known(state: TableState, *, gm: bool) -> list[AnyCharacter]:
    """Return the characters that a GM or all players know, retired ones too."""
    everybody = [*state.characters.values()]
    if gm:
        return everybody
    approved = [character for character in everybody if character.approved]
    return [character for character in approved if character.stage != "off"]


def find_known(state: TableState, actor: Actor, text: str, field: str) -> AnyCharacter:
    """Return a character that the actor knows, by a name that the actor knows.

    Raises as `find_character`.
    """
    gm = is_gm(state, actor)
    return find_character(_characters_known(state, gm=gm), text, field, _name_for(gm=gm))


def find_ever_known(state: TableState, actor: Actor, text: str, field: str) -> AnyCharacter:
    """Return a character that the actor knows, perhaps a retired one, by a name that it knows.

    Raises as `find_character`.
    """
    gm = is_gm(state, actor)
    return find_character(_characters_ever_known(state, gm=gm), text, field, _name_for(gm=gm))


def _name_for(*, gm: bool) -> Callable[[AnyCharacter], str]:
    """Return the function from a character to the name by which a GM or all players know it."""
    return _NAME if gm else public_name


def playable_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """Return the characters that the actor may act as, by name."""
    in_play = [character for character in state.characters.values() if character.in_play]
    return sort_by_name(character for character in in_play if owns(state, actor, character))


def player_characters(state: TableState) -> tuple[AnyCharacter, ...]:
    """Return the players' characters in play."""
    in_play = [character for character in state.characters.values() if character.in_play]
    return tuple(character for character in in_play if character.owner is not None)


def may_name_openly(state: TableState, actor: Actor, as_: str) -> bool:
    """Return whether a public command may name the acting character without giving anything away.

    All participants can read the options of a public command.
    """
    return is_named_openly(acting_character(state, actor, as_), as_)


def is_named_openly(character: AnyCharacter, text: str) -> bool:
    """Return whether a text names a character as players know it, or by its id."""
    if character.stage == "revealed":
        return True
    return name_key(text) in (character.id, name_key(public_name(character)))


def may_target_openly(state: TableState, actor: Actor, target: str) -> bool:
    """Return whether a public command may name a target: an NPC, by a name that players know.

    Against a player's character both sides choose in secret. Raises as `find_known`.
    """
    character = find_known(state, actor, target, "target")
    return character.owner is None and is_named_openly(character, target)


def may_heal_openly(
    state: TableState, actor: Actor, target: str | None, as_: str | None, place: str | None
) -> bool:
    """Return whether a public command may name the patient and the helper.

    Players have to know the helper by that name, and the patient has to be a player's character.
    """
    if as_ is not None and not may_name_openly(state, actor, as_):
        return False
    if target is None:
        return acting_character(state, actor, as_, place).owner is not None
    return find_known(state, actor, target, "target").owner is not None


def readable_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """Return the characters whose sheets the actor may read, by name: own ones, or all for a GM."""
    characters = state.characters.values()
    if is_gm(state, actor):
        return sort_by_name(characters)
    return sort_by_name(character for character in characters if character.owner == actor.id)


def find_character(
    candidates: Iterable[AnyCharacter],
    text: str,
    field: str = "character",
    name: Callable[[AnyCharacter], str] = _NAME,
) -> AnyCharacter:
    """Return the character that an id, a name, its beginning or an alias means, in any case.

    *name* returns the name of a candidate as the actor knows it.

    Raises NotFound("unknown-character") with the nearest names,
    InvalidInput("ambiguous-character").
    """
    pool = tuple(candidates)
    wanted = text.strip().casefold()
    for character in pool:
        if character.id == wanted:
            return character
    fitting = matches(pool, text, name)
    if not fitting:
        # A GM may type the alias too. Players know the character by it anyway.
        alias = name_key(text)
        aliased = [character for character in pool if character.stage == "aliased"]
        fitting = [character for character in aliased if name_key(character.alias) == alias]
    if len(fitting) == 1:
        return fitting[0]
    return find_one(
        sorted(pool, key=name),
        text,
        name,
        field=field,
        unknown="unknown-character",
        ambiguous="ambiguous-character",
    )


def own_character_on_turn(state: TableState, actor: Actor, place: str | None) -> str | None:
    """Return the id of the character on turn in a place; None if the actor can't act as it.

    Of several in a block it is the main character, or else the first.
    """
    if place is None or not state.encounters:
        return None
    own: list[str] = []
    for slot in block_of(state, encounter_in(state, place)):
        character = state.characters.get(slot.character or "")
        if character is not None and may_act_as(state, actor, character):
            own.append(character.id)
    active = state.person(actor.id).active
    return active if active in own else next(iter(own), None)


def require_in_play(state: TableState, actor: Actor, text: str) -> None:
    """Require that a text names no character of the actor that can't act.

    Raises Impossible("not-approved-yet", "not-in-play").
    """
    wanted = name_key(text)
    for character in state.characters.values():
        named = wanted in (character.id, name_key(character.name))
        if character.owner != actor.id or not named:
            continue
        if character.retired:
            raise Impossible("not-in-play", name=character.name)
        if not character.approved:
            raise Impossible("not-approved-yet", name=character.name)


def acting_character(
    state: TableState, actor: Actor, as_: str | None, place: str | None = None
) -> AnyCharacter:
    """Return the actor's character: named by `as_`, else on turn in `place`, else active or only.

    A stand-in may also act as the character on turn whose owner is away.

    Raises:
        NotFound("no-character"): the actor has no character.
        Impossible("not-approved-yet"): the actor's character waits for the GM's approval.
        Impossible("not-in-play"): the actor's character has retired.
        InvalidInput("which-character"): the actor has several, and none is active.
    """
    wanted = as_
    if wanted is None:
        wanted = own_character_on_turn(state, actor, place) or state.person(actor.id).active
    character = None if wanted is None else state.characters.get(wanted)
    if character is not None and character.in_play and may_act_as(state, actor, character):
        return character
    if as_ is not None:
        require_in_play(state, actor, as_)
        in_play = [other for other in state.characters.values() if other.in_play]
        able = [other for other in in_play if may_act_as(state, actor, other)]
        return find_character(sort_by_name(able), _name_of_id(state, actor, as_), "as")
    own = playable_characters(state, actor)
    if not own:
        for other in reversed(tuple(state.characters.values())):
            if other.owner == actor.id and not other.approved:
                raise Impossible("not-approved-yet", name=other.name)
    return only_or_active(own, "as", several="which-character")


def _name_of_id(state: TableState, actor: Actor, text: str) -> str:
    """Return the name of a character that the actor knows for its id; any other text as it is.

    Buttons hold ids, and a refusal shows what it couldn't find.
    """
    for character in _characters_known(state, gm=is_gm(state, actor)):
        if character.id == text:
            return public_name(character)
    return text


def only_or_active(
    characters: tuple[AnyCharacter, ...], field: str, active: str | None = None, *, several: str
) -> AnyCharacter:
    """Return the only character, or the active one of several.

    NPCs count only if there are no players' characters.

    Raises NotFound("no-character"), InvalidInput(*several*) with their names.
    """
    pool = [character for character in characters if character.owner is not None]
    if not pool:
        pool = list(characters)
    for character in pool:
        if len(pool) == 1 or character.id == active:
            return character
    if not pool:
        raise NotFound("no-character", field=field, value=None)
    names = tuple(character.name for character in pool)
    raise InvalidInput(several, field=field, value=None, allowed=names)
