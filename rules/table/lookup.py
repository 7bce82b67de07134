"""Finding characters by name, as far as somebody knows of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from operator import attrgetter
from typing import Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import find_one, lookalike_key, matches, name_key
from rules.table.actions import Actor
from rules.table.initiative import encounter_in, may_act_as, slot_on_turn
from rules.table.permissions import is_gm, known_name, owns, public_name
from rules.table.state import AnyCharacter, TableState

_NAME: Final[Callable[[AnyCharacter], str]] = attrgetter("name")


def name_bearer(
    state: TableState, actor: Actor, name: str, but: Collection[str] = ()
) -> AnyCharacter | None:
    """Who goes by that name or, failing that, by that alias, as far as the actor may know; `but`
    are ids left out.

    For players nobody bears a name that they do not know. Names that look alike are the same.
    """
    gm = is_gm(state, actor)
    wanted = lookalike_key(name)
    others = [character for character in state.characters.values() if character.id not in but]
    for character in others:
        if lookalike_key(character.name) == wanted and (gm or character.stage == "revealed"):
            return character
    for character in others:
        if (
            character.alias
            and lookalike_key(character.alias) == wanted
            and (gm or character.stage == "aliased")
        ):
            return character
    return None


def sort_by_name(found: Iterable[AnyCharacter]) -> tuple[AnyCharacter, ...]:
    return tuple(sorted(found, key=lambda character: character.name.casefold()))


def sort_by_known_name(
    state: TableState, actor: Actor, found: Iterable[AnyCharacter]
) -> tuple[AnyCharacter, ...]:
    """Characters in the order of the names that the actor knows."""
    return tuple(
        sorted(found, key=lambda character: known_name(state, actor, character).casefold())
    )


def known_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """The characters in play that the actor knows of, by the name they are known by."""
    return sort_by_known_name(state, actor, _known(state, gm=is_gm(state, actor)))


def _known(state: TableState, *, gm: bool) -> list[AnyCharacter]:
    everybody = state.characters.values()
    return [
        each
        for each in everybody
        if not each.retired and (gm or (each.approved and each.stage != "off"))
    ]


def find_known(state: TableState, actor: Actor, text: str, field: str) -> AnyCharacter:
    """One of the characters the actor knows of, by a name they know; `find_character` says what is
    raised.
    """
    gm = is_gm(state, actor)
    return find_character(_known(state, gm=gm), text, field, _NAME if gm else public_name)


def playable_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """The characters the actor may act as, by name."""
    return sort_by_name(
        character
        for character in state.characters.values()
        if character.in_play and owns(state, actor, character)
    )


def may_name_openly(state: TableState, actor: Actor, as_: str) -> bool:
    """Whether naming whom one acts as gives nothing away: the options of a public command can be
    read by all.
    """
    return is_named_openly(acting_character(state, actor, as_), as_)


def is_named_openly(character: AnyCharacter, text: str) -> bool:
    """Whether what somebody typed for a character is what players know, or its bare id."""
    return character.stage == "revealed" or name_key(text) in (
        character.id,
        name_key(public_name(character)),
    )


def may_target_openly(state: TableState, actor: Actor, target: str) -> bool:
    """Whether naming this target gives nothing away: an NPC, by a name that players know.

    Against a player's character both sides choose in secret. Raises as `find_known`.
    """
    character = find_known(state, actor, target, "target")
    return character.owner is None and is_named_openly(character, target)


def may_heal_openly(
    state: TableState, actor: Actor, target: str | None, as_: str | None, place: str | None
) -> bool:
    """Whether naming who recovers, and who helps, gives nothing away: a player's character, openly
    named.
    """
    if as_ is not None and not may_name_openly(state, actor, as_):
        return False
    if target is None:
        return acting_character(state, actor, as_, place).owner is not None
    return find_known(state, actor, target, "target").owner is not None


def readable_characters(state: TableState, actor: Actor) -> tuple[AnyCharacter, ...]:
    """The characters whose sheets the actor may read, by name: all their own, for a GM all that
    there are.
    """
    gm = is_gm(state, actor)
    return sort_by_name(
        character for character in state.characters.values() if gm or character.owner == actor.id
    )


def find_character(
    candidates: Iterable[AnyCharacter],
    text: str,
    field: str = "character",
    name: Callable[[AnyCharacter], str] = _NAME,
) -> AnyCharacter:
    """The one meant by an id, a name, its beginning or an alias, capitals aside.

    `name` says what a candidate is called by whoever looks. NotFound("unknown-character") with the
    nearest names, InvalidInput("ambiguous-character") when several fit.
    """
    pool = tuple(candidates)
    wanted = text.strip().casefold()
    for character in pool:
        if character.id == wanted:
            return character
    # A GM may say the alias too; what players call somebody is the name anyway.
    fitting = matches(pool, text, name) or [
        each for each in pool if each.stage == "aliased" and name_key(each.alias) == name_key(text)
    ]
    if len(fitting) == 1:
        return fitting[0]
    pool = sorted(pool, key=name)
    return find_one(
        pool, text, name, field=field, unknown="unknown-character", ambiguous="ambiguous-character"
    )


def own_character_on_turn(state: TableState, actor: Actor, place: str | None) -> str | None:
    """Return the id of the character on turn in a place; None if the actor can't act as it."""
    slot = (
        slot_on_turn(encounter_in(state, place)) if place is not None and state.encounters else None
    )
    character = None if slot is None or slot.character is None else state.characters[slot.character]
    if character is None or not may_act_as(state, actor, character):
        return None
    return character.id


def require_in_play(state: TableState, actor: Actor, text: str) -> None:
    """Impossible("not-approved-yet", "not-in-play") when the text names one of one's own who cannot
    act.
    """
    for character in state.characters.values():
        if character.owner != actor.id or name_key(text) not in (
            character.id,
            name_key(character.name),
        ):
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
    wanted = (
        (own_character_on_turn(state, actor, place) or state.person(actor.id).active)
        if as_ is None
        else as_
    )
    known = None if wanted is None else state.characters.get(wanted)
    if known is not None and known.in_play and may_act_as(state, actor, known):
        return known
    mine = playable_characters(state, actor)
    if as_ is not None:
        require_in_play(state, actor, as_)
        able = [
            character
            for character in state.characters.values()
            if character.in_play and may_act_as(state, actor, character)
        ]
        return find_character(sort_by_name(able), as_, "as")
    waiting = [
        character
        for character in state.characters.values()
        if character.owner == actor.id and not character.approved
    ]
    if waiting and not mine:
        raise Impossible("not-approved-yet", name=waiting[-1].name)
    return only_or_active(mine, "as", several="which-character")


def only_or_active(
    mine: tuple[AnyCharacter, ...], field: str, active: str | None = None, *, several: str
) -> AnyCharacter:
    """The one that there is, or that is active of several; players' characters go before NPCs.

    NotFound("no-character"), InvalidInput(`several`) with their names.
    """
    own = tuple([character for character in mine if character.owner is not None]) or mine
    for each in own:
        if len(own) == 1 or each.id == active:
            return each
    if not own:
        raise NotFound("no-character", field=field, value=None)
    raise InvalidInput(several, field=field, value=None, allowed=tuple([each.name for each in own]))
