"""Messages about effects outside checks, with the names that their readers know."""

from __future__ import annotations

from collections.abc import Sequence

from rules.table.blocks import (
    EVERYONE,
    GMS,
    Audience,
    Block,
    Text,
    blocks_for_audience,
    text_for_audience,
)
from rules.table.checks.audience_names import TableNames
from rules.table.commands import CheckStart
from rules.table.events import Event, Reported
from rules.table.lookup import acting_character, find_known
from rules.table.system import Game, is_npc


def report_events(
    game: Game,
    title: Text,
    blocks: Sequence[Block],
    audience: Audience = EVERYONE,
    *,
    runs: bool = True,
) -> tuple[Event, ...]:
    """Return the message to an audience, and one to the GMs if they may read more of it.

    GMs without a room of their own look up an effect that *runs* with `/effect running`. Of any
    other they are told where they are.
    """
    event = _event(game, title, blocks, audience)
    if audience == GMS:
        return (event,)
    looked_up = runs or game.state.settings.gm_place is not None
    full = _event(game, title, blocks, GMS).replace(quiet=looked_up)
    more = any(block.visible_to == () or block.hidden_from == () for block in blocks)
    return (event, full) if more else (event,)


def _event(game: Game, title: Text, blocks: Sequence[Block], audience: Audience) -> Reported:
    names = TableNames(game.state, game.at)
    return Reported(
        audience=audience,
        title=text_for_audience(title, audience, names),
        blocks=blocks_for_audience(blocks, audience, names),
        by=game.actor.id,
    )


def private_event(game: Game, title: Text, audience: Audience) -> Event:
    """Return the message of a secret effect to the participants who know of it."""
    return _event(game, title, (), audience)


def tick_line(game: Game, who: str, text: Text) -> tuple[str, Text]:
    """Return a line of passing time about a character, with the names that its readers know.

    All players hear of players' characters, the GMs of all others.
    """
    audience = GMS if is_npc(game, who) else EVERYONE
    return who, text_for_audience(text, audience, TableNames(game.state, game.at))


def answered_in_private(game: Game, start: CheckStart) -> CheckStart:
    """Return the start of a check whose answer the GM alone reads if NPCs are among themselves.

    Such a check is private, and a public answer would tell players nothing. Raises as
    `acting_character` and `find_known`.
    """
    characters = [acting_character(game.state, game.actor, start.as_)]
    if start.target is not None:
        characters.append(find_known(game.state, game.actor, start.target, "target"))
    alone = all(is_npc(game, character.id) for character in characters)
    return start.replace(openly=False) if alone else start
