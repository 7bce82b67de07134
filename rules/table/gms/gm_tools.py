"""Actions of GMs: awards, values that are set by hand, and the channels of the table."""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput
from rules.table import resources
from rules.table.actions import Adjust, Award, ChangePlaces
from rules.table.blocks import Text, Value
from rules.table.checks.shared_blocks import health_change
from rules.table.events import EVERYONE, GMS, Notice
from rules.table.forms.typed_texts import one_line
from rules.table.lookup import find_known, player_characters
from rules.table.outcome import Outcome
from rules.table.people.characters import character_event, owner_audience
from rules.table.played_scenes import open_scene, with_scenes_over
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game

#: Most points of one award.
AWARD_MAX = 10
#: Longest reason for an award or a change, in characters.
REASON_MAX = 300


def award(state: TableState, action: Award, game: Game) -> Outcome:
    """Award points of the system, such as EBB-FATE, to one character or to the whole party.

    All participants read the awards of players' characters, only the GMs those of NPCs. If one
    character can't take the award, none gets it.

    Raises InvalidInput("out-of-range"), Impossible("nobody-to-award"), and as
    `resources.give_award`.
    """
    if not 1 <= action.amount <= AWARD_MAX:
        raise InvalidInput(
            "out-of-range", field="amount", value=action.amount, lowest=1, highest=AWARD_MAX
        )
    reason = one_line("reason", action.reason, REASON_MAX)
    if action.to is None:
        receivers = player_characters(state)
    else:
        receivers = (find_known(state, action.who, action.to, "to"),)
    if not receivers:
        raise Impossible("nobody-to-award")
    lines: list[Text] = []
    for character in receivers:
        sheet, line = resources.give_award(
            game.system.resources,
            character.name,
            character.sheet,
            action.kind,
            action.amount,
            game.setting,
        )
        state = state.with_character(character.replace(sheet=sheet))
        lines.append(line)
    event = Notice(
        "awarded",
        {"grows": resources.is_for_growth(game.system.resources, action.kind)},
        audience=EVERYONE if receivers[0].owner is not None else GMS,
        characters=tuple(character.id for character in receivers),
        lines=tuple(lines),
        note=reason,
        by=action.who.id,
    )
    return Outcome(state, (event,))


def adjust(state: TableState, action: Adjust, game: Game) -> Outcome:
    """Set a tracked value by hand, such as EBB-INJURY; the owner and the GMs are told.

    Raises as `find_known` and as the system's `adjust`.
    """
    reason = one_line("reason", action.reason, REASON_MAX)
    character = find_known(state, action.who, action.character, "character")
    tools = game.require(game.system.tools)
    changed, line = tools.adjust(game, character, action.what, action.value)
    audience = owner_audience(character)
    event = character_event(
        "character-adjusted",
        character,
        action.who,
        audience,
        (line,),
        note=reason,
        about=_changed_health(game, character, changed),
    )
    return Outcome(state.with_character(changed), (event,))


def _changed_health(
    game: Game, before: AnyCharacter, after: AnyCharacter
) -> dict[str, Value] | None:
    """Return the condition of a character before and after; None if it hasn't changed."""
    sheets = game.system.sheets
    if sheets is None:
        return None
    was = sheets.health(game, before, False)[:1]
    now = sheets.health(game, after, False)[:1]
    return health_change(was[0], now[0]) if was and was != now else None


def change_places(state: TableState, action: ChangePlaces, game: Game) -> Outcome:
    """Bind one more channel, or unbind one. The state doesn't hold which places are bound.

    The scene of an unbound channel is over. Readers of this place are told so if they could read
    that channel and it's no whisper scene.

    Raises InvalidInput("one-place"), Impossible("place-is-gm-channel").
    """
    places = [place for place in (action.bind, action.unbind) if place]
    if len(places) != 1:
        raise InvalidInput("one-place", field="channel", value=len(places))
    if action.bind and action.bind == state.settings.gm_place:
        raise Impossible("place-is-gm-channel")
    notice = Notice("places", {"subject": places[0], "bound": bool(action.bind)})
    digest = state.settings.digest
    if digest is not None and digest.place == action.unbind:
        state = state.replace(settings=state.settings.replace(digest=None))
    if not action.unbind:
        return Outcome(state, (notice,))
    scene = open_scene(state, action.unbind)
    events = [notice]
    if scene is not None and action.shared and not scene.private:
        params: dict[str, Value] = {"number": scene.number, "title": scene.title}
        params |= {"author": scene.by, "subject": action.unbind}
        events.append(Notice("scene-unbound", params, by=game.actor.id))
    return Outcome(with_scenes_over(state, action.unbind, action.at), tuple(events))
