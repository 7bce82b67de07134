"""Rights: answering for a character, reading its sheet, and knowing of a check."""

from __future__ import annotations

from rules.core.errors import Impossible, NotFound, NotPermitted, RulesError
from rules.core.name_matching import name_key
from rules.table.absence import delegates, is_away, players_of
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.check import ANY_GM, AnyCheck, OpenPrompt, Viewers
from rules.table.checks.procedure import procedure_of
from rules.table.commands import known_character_options
from rules.table.forms.fields import FormContext, Option
from rules.table.lookup import (
    find_character,
    known_characters,
    readable_characters,
    sort_by_known_name,
)
from rules.table.permissions import is_gm, known_name
from rules.table.readable_places import may_read
from rules.table.state import SYSTEM, AnyCharacter, TableState
from rules.table.system import Game


def is_of_table(state: TableState, actor: Actor, at: int) -> bool:
    """Return whether the actor belongs to the table.

    GMs, owners of characters (approved or not) and stand-ins belong to the table.
    """
    if is_gm(state, actor):
        return True
    if any(character.owner == actor.id for character in state.characters.values()):
        return True
    return any(actor.id in delegates(state, who, at) for who in state.characters)


def require_of_table(game: Game) -> None:
    """Raise NotPermitted("not-of-table") for an actor who doesn't belong to the table.

    A place without a table is open to all.
    """
    if game.actor.id == SYSTEM or not game.system.playable:
        return
    if not is_of_table(game.state, game.actor, game.at):
        raise NotPermitted("not-of-table")


def may_answer(
    state: TableState, actor: Actor, who: str, at: int, *, gm_only: bool = False
) -> bool:
    """Return whether the actor may answer for a character, or for the GMs.

    The GMs answer for themselves and for their NPCs, and in a `gm_only` check for every character.
    For a player's character, its owner and the owner's stand-ins answer. The GMs answer for it
    while the owner is away. For a character that waits for the GMs, they alone answer.
    """
    if who == ANY_GM:
        return is_gm(state, actor)
    character = state.characters.get(who)
    if character is None or character.retired:
        return False
    if gm_only or character.owner is None or not character.approved:
        return is_gm(state, actor)
    if character.owner == actor.id:
        return True
    if actor.id in delegates(state, who, at):
        return True
    return is_away(state, character.owner, at) and is_gm(state, actor)


def may_answer_prompt(game: Game, check: AnyCheck, asked: OpenPrompt, who: str) -> bool:
    """Return whether the actor may answer this prompt for a character, or for the GMs.

    Besides those who `may_answer`, GMs may once the wait for the character has stalled.
    """
    if may_answer(game.state, game.actor, who, game.at, gm_only=check.gm_only):
        return True
    return answers_stalled(game, asked, who)


def require_answerer(game: Game, check: AnyCheck, asked: OpenPrompt, who: str) -> None:
    """Require that the acting participant may answer this prompt for `who` now.

    Raises NotPermitted("gm-only", "owner-only", "not-asked"), Impossible("already-answered").
    """
    character = game.state.characters.get(who)
    if not may_answer_prompt(game, check, asked, who):
        if character is None:
            raise NotPermitted("gm-only")
        name = known_name(game.state, game.actor, character)
        raise NotPermitted("owner-only", character=name, owner=character.owner)
    asks = asked.prompt.who is None or who in asked.prompt.who
    if who in asked.passed or (not asks and who in asked.named):
        raise Impossible("already-answered", check=check.id)
    if not asks:
        raise NotPermitted("not-asked", check=check.id)


def answers_stalled(game: Game, asked: OpenPrompt, who: str) -> bool:
    """Return whether the actor is a GM, and the prompt has waited for a character in vain."""
    if who not in asked.waiting_for or not asked.is_stalled(game.at):
        return False
    character = game.state.characters.get(who)
    return character is not None and not character.retired and is_gm(game.state, game.actor)


def viewable_characters(game: Game) -> tuple[AnyCharacter, ...]:
    """Return the characters that the actor may look at, by known name.

    The actor may read the sheet of some of them, including those for whom the actor is a stand-in.
    The others are NPCs that the actor knows of.
    """
    state, actor, at = game.state, game.actor, game.at
    found = {character.id: character for character in readable_characters(state, actor)}
    found |= {
        character_id: who
        for character_id, who in state.characters.items()
        if actor.id in players_of(state, character_id, at)
    }
    found |= {
        character.id: character
        for character in known_characters(state, actor)
        if character.owner is None
    }
    return sort_by_known_name(state, actor, found.values())


def is_known_dead(game: Game, character: AnyCharacter) -> bool:
    """Return whether the actor knows that a character is dead.

    Players know it of every character whose name they know, as the public health line says it.
    """
    sheets = game.system.sheets
    if sheets is None or not known_name(game.state, game.actor, character):
        return False
    return sheets.is_dead(character.sheet)


def target_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the characters whom the reader knows, with a mark on the dead."""
    game = asking.game
    options: list[Option] = []
    for option in known_character_options(asking):
        dead = is_known_dead(game, game.state.characters[option.value])
        label = Text("named-target", {**option.label.params, "dead": dead})
        options.append(option.replace(label=label))
    return tuple(options)


def find_viewable(game: Game, text: str) -> AnyCharacter:
    """Return a character that the actor may look at, by a name that the actor knows.

    Raises as `find_character`, and NotPermitted("private-sheet") if the whole name is that of
    another player's character.
    """
    state, actor = game.state, game.actor
    try:
        return find_character(
            viewable_characters(game), text, name=lambda each: known_name(state, actor, each)
        )
    except NotFound:
        for character in known_characters(state, actor):
            if character.owner is not None and name_key(character.name) == name_key(text):
                raise NotPermitted(
                    "private-sheet", name=character.name, owner=character.owner
                ) from None
        raise


def is_seen(state: TableState, seen: Viewers, actor: Actor, at: int) -> bool:
    """Return whether the actor may know of something with these viewers."""
    if seen is None or is_gm(state, actor):
        return True
    return any(actor.id in players_of(state, each, at) for each in seen)


def cast_of(game: Game, check: AnyCheck) -> tuple[str, ...]:
    """Return all characters that take part: actor, target and those in the data, each once."""
    named = (check.actor, check.target, *procedure_of(game, check.kind).cast(check))
    return tuple(dict.fromkeys([who for who in named if who]))


def informed_characters(game: Game, check: AnyCheck) -> tuple[str, ...]:
    """Return the characters whose players hear of a check even if other players do not."""
    private = procedure_of(game, check.kind).private
    found = cast_of(game, check) if private is None else private(check)
    return (
        tuple([each for each in found if each not in check.excluded_players])
        if check.excluded_players
        else found
    )


def may_see_check(game: Game, check: AnyCheck, actor: Actor) -> bool:
    """Return whether the actor may know of a check at all."""
    if is_gm(game.state, actor):
        return True
    if check.gm_only:
        return False
    if check.scene and actor.id not in check.hears and not is_theirs(game, check, actor):
        return False
    if check.visibility == "public":
        theirs = is_theirs(game, check, actor)
        return may_read(game.readable, check.place, theirs=theirs, gm=False)
    return is_seen(game.state, informed_characters(game, check), actor, game.at)


def is_theirs(game: Game, check: AnyCheck, actor: Actor) -> bool:
    """Return whether a check concerns the actor.

    The actor began it, or answers for a character that takes part in it or has a prompt there.
    """
    if check.by == actor.id:
        return True
    asked = [who for pending in check.asked for who in pending.prompt.who or ()]
    return is_seen(game.state, (*cast_of(game, check), *asked), actor, game.at)


def is_open_to(game: Game, check: AnyCheck, actor: Actor) -> bool:
    """Return whether a check is open as far as the actor may know.

    A prompt that the actor may not know of does not count.
    """
    if not check.is_open or not may_see_check(game, check, actor):
        return False
    return not check.asked or any(may_see_prompt(game, asked, actor) for asked in check.asked)


def may_see_prompt(game: Game, asked: OpenPrompt, actor: Actor) -> bool:
    """Return whether the actor may know that a prompt is open."""
    return is_seen(game.state, asked.prompt.visible_to, actor, game.at)


def check_named(state: TableState, key: str) -> AnyCheck | None:
    """Return the check of an id, even if the actor may not see it."""
    return state.checks.get(key.strip().casefold())


def find_check(game: Game, key: str) -> AnyCheck:
    """Return the check with an id. Raises NotFound("unknown-check"), also if the actor may not
    know of it.
    """
    check = check_named(game.state, key)
    if check is None or not may_see_check(game, check, game.actor):
        raise NotFound("unknown-check", field="check", value=key[:100], nearest=())
    return check


def can_go_on(game: Game, check: AnyCheck) -> bool:
    """Return whether a check is over, or has still all characters and things that it names.

    Characters whose answers it waits for count, too.
    """
    if not check.is_open:
        return True
    waiting_for = [who for asked in check.asked for who in asked.waiting_for if who != ANY_GM]
    if not game.state.characters.keys() >= {*cast_of(game, check), *waiting_for}:
        return False
    try:
        procedure_of(game, check.kind).require(game, check)
    except RulesError:
        return False
    return True


def require_checks(game: Game, who: str) -> None:
    """Refuse a table on which an open check could not go on for want of something of `who`; raises
    as `require`.
    """
    for check in binding_checks(game, who):
        procedure_of(game, check.kind).require(game, check)


def binding_checks(game: Game, who: str) -> tuple[AnyCheck, ...]:
    """Return the open checks that a character cannot leave: it acts in them, or they name it."""
    return tuple([check for check in game.state.open_checks if who in cast_of(game, check)])
