"""Finding effects by name: on sheets, in the campaign's library, among the ready-made ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rules.core.errors import Impossible
from rules.core.name_matching import matches, name_key, unique_match
from rules.core.record import Record
from rules.systems.masterbook.character.effect_io import library_effects
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect
from rules.table.commands import NAME_MAX, known_character_options
from rules.table.forms.fields import FormContext, Option, Typed, plain_options
from rules.table.lookup import find_known, playable_characters, readable_characters
from rules.table.people.characters import find_own
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game


class FoundEffect(Record):
    """An effect, and whose sheet it is on; None for one of the library."""

    known: KnownEffect
    who: AnyCharacter | None = None


def own_effects(game: Game) -> Iterator[FoundEffect]:
    """Yield the effects of the characters that the acting participant may play."""
    for character in playable_characters(game.state, game.actor):
        yield from effects_on(character)


def effects_on(character: AnyCharacter) -> Iterator[FoundEffect]:
    """Yield the effects on a character's sheet."""
    sheet: MasterbookSheet = character.sheet
    for known in sheet.effects:
        yield FoundEffect(known, character)


def readable_effects(game: Game) -> Iterator[FoundEffect]:
    """Yield all effects that the acting participant may read, own ones first.

    GMs read those of every character. All participants read the library.
    """
    yield from own_effects(game)
    own = {character.id for character in playable_characters(game.state, game.actor)}
    if is_gm(game.state, game.actor):
        for character in readable_characters(game.state, game.actor):
            if character.id not in own:
                yield from effects_on(character)
    for blueprint in library_effects(game.campaign):
        yield FoundEffect(KnownEffect(blueprint))


def find_effect(pool: Iterable[FoundEffect], text: str, field: str = "effect") -> FoundEffect:
    """Return the effect of a pool that a text names: its name, its start, or else a part of it.

    The first of several with one name is meant. Raises NotFound("mb-effect-unknown") and
    NotFound("ambiguous-choice").
    """
    effects, wanted_key = tuple(pool), name_key(text)
    if wanted_key and not matches(effects, text, _name_of):
        parts = [effect for effect in effects if wanted_key in name_key(_name_of(effect))]
        if len({name_key(_name_of(effect)) for effect in parts}) == 1:
            return parts[0]
        effects = tuple(parts) or effects
    return unique_match(effects, text, _name_of, field=field, unknown="mb-effect-unknown")


def _name_of(effect: FoundEffect) -> str:
    return effect.known.name


def effect_on_sheet(sheet: MasterbookSheet, text: str, name: str) -> KnownEffect:
    """Return the effect on a sheet that is meant; *name* is its character's.

    Raises Impossible("mb-cast-nothing-known") for a sheet without effects; as `find_effect`.
    """
    if not sheet.effects:
        raise Impossible("mb-cast-nothing-known", who=name)
    return find_effect(map(FoundEffect, sheet.effects), text).known


def owner_of(game: Game, text: str | None) -> AnyCharacter:
    """Return the character whose effects are meant: any one for a GM, an own one for a player.

    Raises as `find_known` and `find_own`.
    """
    if text is not None and is_gm(game.state, game.actor):
        return find_known(game.state, game.actor, text, "character")
    pool = readable_characters(game.state, game.actor)
    return find_own(game.state, game.actor, text, pool)


def _names(asking: FormContext) -> tuple[Option, ...]:
    """Return the effects that may be read, for completion."""
    if asking.game is None:
        return ()
    names = dict.fromkeys(effect.known.name for effect in readable_effects(asking.game))
    return plain_options(names)


def _own_names(asking: FormContext) -> tuple[Option, ...]:
    """Return the effects of own characters, for completion."""
    if asking.game is None:
        return ()
    names = dict.fromkeys(effect.known.name for effect in own_effects(asking.game))
    return plain_options(names)


#: An effect that may be read, and one of an own character.
EFFECT_FIELD: Final = Typed("effect", most=NAME_MAX, needed=True, choices=_names)
OWN_EFFECT_FIELD: Final = EFFECT_FIELD.replace(choices=_own_names)
WHO_FIELD: Final = Typed("character", most=NAME_MAX, choices=known_character_options)
