"""Matters that wait for a GM, as GMs and players read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.systems.masterbook.background.state import Matter, open_matters
from rules.systems.masterbook.checks.action_economy import ref
from rules.table.blocks import GMS, Audience, Block, Ref, Text
from rules.table.commands import PendingButton
from rules.table.events import Reported
from rules.table.forms.fields import Number
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Number of the matter that a button is about.
MATTER_FIELD: Final = Number("matter", low=1, high=1_000_000)


def request_events(
    game: Game, who: AnyCharacter, matter: Matter, opens: str, *blocks: Block
) -> tuple[Reported, ...]:
    """Return the events of a player's request: one with a button for the GMs, one for the player.

    The button runs the command *opens*.
    """
    title = matter_text(game, matter)
    for_gms = Reported(
        audience=GMS,
        title=title,
        blocks=blocks,
        by=game.actor.id,
        ping_gms=True,
        button=Text("mb-background-answer", {"kind": matter.kind}),
        command=opens,
        values={MATTER_FIELD.key: matter.number},
    )
    title = Text("mb-background-asked", {"kind": matter.kind, "name": who.name})
    own = Reported(
        audience=Audience(people=(game.actor.id,)), title=title, blocks=blocks, by=game.actor.id
    )
    return (*_quotes(for_gms), own)


def _quotes(event: Reported) -> tuple[Reported, ...]:
    """Return a call to the GMs, after a message with its blocks: a call has no room for them."""
    if not event.blocks:
        return (event,)
    message = event.replace(ping_gms=False, button=None, command="", values={})
    return message, event.replace(blocks=())


def matter_text(game: Game, matter: Matter) -> Text:
    """Return a matter in words, for GMs."""
    about = {
        "who": ref(game.character(matter.who)),
        "kind": matter.kind,
        "option": matter.option,
        "moment": matter.moment,
        "other": other_ref(game, matter),
        "points": matter.points,
        "later": matter.later,
    }
    return Text("mb-background-matter", about)


def other_ref(game: Game, matter: Matter) -> Ref | None:
    """Return the other character of a matter; None without one, or after it has left the table."""
    if matter.other not in game.state.characters:
        return None
    return ref(game.character(matter.other))


def requests(game: Game, kind: str) -> Iterator[PendingButton]:
    """Yield the players' requests of a kind that wait for a GM."""
    if not is_gm(game.state, game.actor):
        return
    for matter in open_matters(game):
        if matter.kind == kind:
            label = Text("mb-background-answer", {"kind": kind})
            values = {MATTER_FIELD.key: matter.number}
            yield PendingButton(matter_text(game, matter), label, values, offer=matter.later)
