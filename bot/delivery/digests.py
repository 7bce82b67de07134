"""The weekly digest as it is posted: what everybody who reads its place was told in the week."""

from __future__ import annotations

from typing import Final

from bot.delivery.channels import Channels
from bot.delivery.table_scene import scene_of
from bot.presenters.layout import Layout
from bot.presenters.story import digest_card
from bot.services.loaded_table import Table
from bot.services.story import Hearer, public_hearer, read_story
from bot.services.tables import Tables
from rules.registry import read_only_game
from rules.table.absence import orders_of
from rules.table.blocks import EVERYONE, Ref
from rules.table.clock.digests import DIGEST
from rules.table.events import Event, Notice
from rules.table.readable_places import ReadablePlaces
from rules.table.waits.agenda import agenda

#: Most participants of whom a digest says that they are away.
_MOST_AWAY: Final = 20


def is_digest(event: Event) -> bool:
    """Return whether an event has the digest posted."""
    return isinstance(event, Notice) and event.what == DIGEST


async def digest_layout(
    tables: Tables, channels: Channels, table: Table, event: Event, place: str
) -> Layout:
    """Return the digest that an event has posted in a place."""
    assert isinstance(event, Notice)
    since, until = int(str(event.params["since"])), int(str(event.params["until"]))
    bound = tables.places.places_of(table.id)
    hearer = public_hearer(channels.places_shared_with(table.guild, place, bound))
    story = await read_story(tables, table, hearer, since=since, until=until)
    names, gms = _public_waits(table, hearer.readable, until)
    return digest_card(
        scene_of(table),
        lines=story.lines,
        waiting_for=names,
        gms=gms,
        away=await _public_absences(tables, table, hearer, until),
        here=place,
    )


def _public_waits(table: Table, readable: ReadablePlaces, at: int) -> tuple[list[Ref], bool]:
    """Return the characters that the public of these places knows to be waited for.

    With them comes whether it knows that the GMs are.
    """
    names: dict[Ref, None] = {}
    gms = False
    for wait in agenda(read_only_game(table.state, at=at), EVERYONE):
        if wait.place and wait.place not in readable:
            continue
        names |= dict.fromkeys(wait.who)
        gms = gms or (wait.gms and bool(wait.place))
    return [*names], gms


async def _public_absences(
    tables: Tables, table: Table, hearer: Hearer, at: int
) -> list[tuple[str, int | None]]:
    """Return the participants who are away, with the end, as far as the hearer was told so."""
    absences: list[tuple[str, int | None]] = []
    for person in sorted(table.directory.participants(), key=table.directory.name):
        away = orders_of(table.state, person).away
        if away is None or (away.until is not None and away.until <= at):
            continue
        story = await read_story(tables, table, hearer, since=away.since, until=away.since + 1)
        told = [line for line in story.lines if line.kind == "absence" and line.by == person]
        if told and len(absences) < _MOST_AWAY:
            absences.append((person, away.until))
    return absences
