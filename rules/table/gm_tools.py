"""What the GM keeps: awards, values that are set by hand, and where the table is played."""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput
from rules.table import resources
from rules.table.actions import Adjust, Award, ChangePlaces
from rules.table.blocks import Text, Value
from rules.table.checks.shared_blocks import health_change
from rules.table.events import EVERYONE, GMS, Notice
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.people.characters import character_event, owner_audience
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.typed_texts import one_line

#: Most that one award gives.
AWARD_MAX = 10
#: Longest reason for an award or a change, in characters.
REASON_MAX = 300


def player_characters(state: TableState) -> tuple[AnyCharacter, ...]:
    """The players' characters in play."""
    return tuple(
        character
        for character in state.characters.values()
        if character.owner is not None and character.in_play
    )


def award(state: TableState, action: Award, game: Game) -> Outcome:
    """Give what the system awards, such as EBB-FATE, to one character or to the whole party.

    Everybody hears of what players' characters get, only the GMs of what their NPCs do.
    InvalidInput("out-of-range") for the amount, Impossible("nobody-to-award") without a party, and
    as `resources.award`; if one cannot take it, nobody gets anything.
    """
    if not 1 <= action.amount <= AWARD_MAX:
        raise InvalidInput(
            "out-of-range", field="amount", value=action.amount, lowest=1, highest=AWARD_MAX
        )
    reason = one_line("reason", action.reason, REASON_MAX)
    chosen = (
        player_characters(state)
        if action.to is None
        else (find_known(state, action.who, action.to, "to"),)
    )
    if not chosen:
        raise Impossible("nobody-to-award")
    lines: list[Text] = []
    for character in chosen:
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
        audience=EVERYONE if chosen[0].owner is not None else GMS,
        characters=tuple(character.id for character in chosen),
        lines=tuple(lines),
        note=reason,
        by=action.who.id,
    )
    return Outcome(state, (event,))


def adjust(state: TableState, action: Adjust, game: Game) -> Outcome:
    """Set a tracked value by hand, such as EBB-INJURY; the owner and the GMs are told.

    NotFound for the character, and what the system's `adjust` raises.
    """
    reason = one_line("reason", action.reason, REASON_MAX)
    character = find_known(state, action.who, action.character, "character")
    changed, line = game.require(game.system.tools).adjust(
        game, character, action.what, action.value
    )
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
    """Return how a character is and was; None if that hasn't changed."""
    sheets = game.system.sheets
    if sheets is None:
        return None
    was, now = (sheets.health(game, character, False)[:1] for character in (before, after))
    return health_change(was[0], now[0]) if was and was != now else None


def change_places(state: TableState, action: ChangePlaces, game: Game) -> Outcome:
    """Bind one more channel or give one back; which places are bound is known outside the state.

    InvalidInput("one-place"), Impossible("place-is-gm-channel").
    """
    given = [place for place in (action.bind, action.unbind) if place]
    if len(given) != 1:
        raise InvalidInput("one-place", field="channel", value=len(given))
    if action.bind and action.bind == state.settings.gm_place:
        raise Impossible("place-is-gm-channel")
    return Outcome(state, (Notice("places", {"subject": given[0], "bound": bool(action.bind)}),))
