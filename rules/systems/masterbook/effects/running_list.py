"""Lists of running effects and charges, with the names that their readers know (MB-SFX-26)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.core.errors import Impossible
from rules.systems.masterbook.effects.running import (
    change_text,
    duration_text,
    effect_code,
    effect_names,
    matching_effects,
    target_refs,
    which_effect_error,
)
from rules.systems.masterbook.effects.state import (
    RunningEffect,
    effects_of,
    running_effects,
    steerer_of,
)
from rules.table.blocks import (
    EVERYONE,
    GMS,
    Ref,
    Text,
    text_for_audience,
)
from rules.table.checks.audience_names import TableNames
from rules.table.lookup import playable_characters
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc


def steerable_effects(game: Game) -> Iterator[RunningEffect]:
    """Yield the effects that a participant steers, for GMs all.

    They are those that own characters have cast, or released from charges (MB-SFX-29).
    """
    leads = is_gm(game.state, game.actor)
    mine = _own_ids(game)
    for effect in running_effects(game):
        if leads or (steerer_of(game, effect) in mine and not effect.blind):
            yield effect


def _own_ids(game: Game) -> tuple[str, ...]:
    """Return the characters that the acting participant may play."""
    return tuple(character.id for character in playable_characters(game.state, game.actor))


def find_steerable(game: Game, text: str) -> RunningEffect:
    """Return the effect that is meant, by its code or its name.

    Raises Impossible("mb-effect-none-runs") if none runs, InvalidInput("mb-effect-which") if the
    text names none, or several.
    """
    effects = tuple(steerable_effects(game))
    if not effects:
        raise Impossible("mb-effect-none-runs")
    meant = matching_effects(effects, text)
    if len(meant) == 1:
        return meant[0]
    raise which_effect_error(text, effect_names(meant or effects))


# --- lines ----------------------------------------------------------------------------------------


def _named(game: Game, text: Text) -> Text:
    """Return a text with the names that a participant knows."""
    audience = GMS if is_gm(game.state, game.actor) else EVERYONE
    return text_for_audience(text, audience, TableNames(game.state, game.at))


def _known_changes(game: Game, effect: RunningEffect) -> tuple[Text, ...]:
    """Return the changes of an effect, as far as the acting participant may know them.

    Players read nothing of an NPC, and only GMs that a character has seen through an illusion.
    """
    leads = is_gm(game.state, game.actor)
    changes: list[Text] = []
    for change in effect.changes:
        if leads:
            hidden = change.who in effect.disbelievers
        else:
            hidden = is_npc(game, change.who)
        if not hidden:
            changes.append(change_text(change))
    return tuple(changes)


def running_line(game: Game, effect: RunningEffect) -> Text:
    """Return an effect in a line: its name, its targets, its changes, and the time left.

    It has the names that the acting participant knows.
    """
    leads = is_gm(game.state, game.actor)
    changes = _known_changes(game, effect)
    things = tuple(target.text for target in effect.targets if target.text)
    about = {
        "name": effect.known.name,
        "who": target_refs(game, effect),
        "things": things or None,
        "changes": changes or None,
        "left": duration_text(game, effect),
        "unreal": leads and effect.known.blueprint.unreal is not None,
    }
    return _named(game, Text("mb-effect-runs", about))


def felt_effects(game: Game) -> Iterator[tuple[RunningEffect, str]]:
    """Yield the effects of others on a participant's own characters, each with its character.

    Effects that were cast in secret, or that the character has seen through, are left out.
    """
    mine = _own_ids(game)
    steered = [effect_code(effect) for effect in steerable_effects(game)]
    for effect in running_effects(game):
        if effect.secret or effect.lapsing or effect_code(effect) in steered:
            continue
        targets = [target.who for target in effect.targets]
        for who in mine:
            if who in targets and who not in effect.disbelievers:
                yield effect, who


def felt_line(game: Game, effect: RunningEffect, who: str) -> Text:
    """Return an effect on a participant's own character in a line.

    An NPC as its caster stays unnamed, and so does what the effect changes.
    """
    by = steerer_of(game, effect)
    open_ = not is_npc(game, by)
    changes: list[Text] = []
    if open_:
        changes = [change_text(change) for change in effect.changes if change.who == who]
    about = {
        "name": effect.known.name,
        "who": (Ref(who),),
        "by": Ref(by) if open_ else None,
        "charged": effect.charged,
        "changes": tuple(changes) or None,
        "left": duration_text(game, effect),
    }
    return _named(game, Text("mb-effect-felt", about))


def charge_lines(game: Game) -> Iterator[Text]:
    """Yield a line for each stored charging of a player's own characters, for GMs of all."""
    leads = is_gm(game.state, game.actor)
    mine = _own_ids(game)
    for character in game.state.characters.values():
        if not leads and character.id not in mine:
            continue
        for charges in effects_of(game, character.id).charges:
            about = {
                "who": character.name,
                "name": charges.known.name,
                "left": charges.left,
                "holder": charges.holder or None,
                "ward": bool(charges.known.blueprint.ward),
            }
            yield Text("mb-effect-carried", about)
