"""Differences of redone entries: what an audience was told then, and is told now."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.table.amendments.audiences import events_told_to, is_told_to
from rules.table.amendments.redone_entries import RedoneEntry
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS,
    Audience,
    Block,
    Group,
    Note,
    Ref,
    Verdict,
    first_verdict,
)
from rules.table.events import AmendedEntry, CheckChanged, Event, Notice, Reported
from rules.table.journal.undo import deed_view

#: Most lines of an amended entry that its correction tells.
_MAX_NEWS: Final = 6


def differences_for(entries: Iterable[RedoneEntry], audience: Audience) -> tuple[AmendedEntry, ...]:
    """Return the entries that are different for an audience, as it may know them.

    For the GMs these are all that differ.
    """
    differences: list[AmendedEntry] = []
    for entry in entries:
        # Of a preview, nobody can tell what becomes of open entries.
        if entry.fate in ("out", "open") or entry.untold:
            continue
        if _is_different_for(entry, audience):
            differences.append(_amended_entry(entry, audience))
    return tuple(differences)


def _is_different_for(entry: RedoneEntry, audience: Audience) -> bool:
    """Return whether an audience has to be told of an entry anew."""
    if audience == GMS:
        return entry.is_gone or entry.fate == "amended" or entry.was != entry.now
    was = events_told_to(entry.was, audience)
    if entry.is_gone:
        return bool(was)
    return was != events_told_to(entry.now, audience)


def _amended_entry(entry: RedoneEntry, audience: Audience) -> AmendedEntry:
    """Return an entry that is different for an audience, with what that audience may know."""
    verdict, who = _new_verdict(entry.was, entry.now, audience)
    new_events = () if entry.is_gone else _new_events(entry, audience)
    was = events_told_to(entry.was, audience)
    for_gms = audience == GMS
    deed = deed_view(entry.was if for_gms else was, gm=for_gms) if was else None
    return AmendedEntry(
        entry.seq,
        entry.is_gone,
        entry.kind,
        entry.actor,
        deed,
        verdict,
        who,
        news=_blocks_of(new_events, audience),
        notice=_first_notice(new_events),
    )


def _new_events(entry: RedoneEntry, audience: Audience) -> tuple[Event, ...]:
    """Return what an entry tells an audience now outside of checks, and didn't tell it then."""
    events: list[Event] = []
    for event in entry.now:
        is_known = is_told_to(event, audience) or (audience == GMS and event.audience.everyone)
        if is_known and isinstance(event, Notice | Reported) and event not in entry.was:
            events.append(event)
    return tuple(events)


def _blocks_of(events: Iterable[Event], audience: Audience) -> tuple[Block, ...]:
    """Return what events say besides their headlines, as far as there is room.

    Blocks that only some readers of an event may read are for GMs alone.
    """
    blocks: list[Block] = []
    for event in events:
        if isinstance(event, Reported):
            for block in event.blocks:
                is_open = block.visible_to is FOR_EVERYONE and block.hidden_from is None
                if audience == GMS or (is_open and not isinstance(block, Group)):
                    blocks.append(block)
        elif isinstance(event, Notice):
            blocks += [Note(line, FOR_EVERYONE) for line in event.lines]
    return tuple(blocks[:_MAX_NEWS])


def _first_notice(events: Iterable[Event]) -> Notice | None:
    """Return the first notice without lines; None without one."""
    for event in events:
        if isinstance(event, Notice) and not event.lines:
            return event
    return None


def _new_verdict(
    was: Iterable[Event], now: Iterable[Event], audience: Audience
) -> tuple[Verdict | None, Ref | None]:
    """Return the result that an audience is told of now, and whose it is.

    Both are None if the audience was told the same then.
    """
    before, _ = _verdict_for(was, audience)
    after, who = _verdict_for(now, audience)
    return (after, who) if after != before else (None, None)


def _verdict_for(events: Iterable[Event], audience: Audience) -> tuple[Verdict | None, Ref | None]:
    """Return the last result among the events for an audience, and the character whose it is.

    The GMs know the public one, too.
    """
    last: Verdict | None = None
    who: Ref | None = None
    for event in events:
        known = event.audience == audience or (audience == GMS and event.audience.everyone)
        verdict = first_verdict(event.blocks) if isinstance(event, CheckChanged) and known else None
        if isinstance(event, CheckChanged) and verdict is not None:
            last, who = verdict, verdict.who or event.actor
    return last, who
