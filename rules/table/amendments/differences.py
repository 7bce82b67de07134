"""Differences of redone entries: what an audience was told then, and is told now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rules.table.amendments.audiences import events_told_to, is_told_to
from rules.table.amendments.redone_entries import RedoneEntry
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS,
    Audience,
    Block,
    Change,
    Fact,
    Group,
    Note,
    Ref,
    Value,
    Verdict,
    first_verdict,
    is_same_result,
)
from rules.table.checks.shared_blocks import DIFFICULTY_LABEL, HIDDEN_DIFFICULTY
from rules.table.events import AmendedEntry, ChangedResult, CheckChanged, Event, Notice, Reported
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
    new_events = () if entry.is_gone else _new_events(entry, audience)
    was = events_told_to(entry.was, audience)
    for_gms = audience == GMS
    deed = deed_view(entry.was if for_gms else was, gm=for_gms) if was else None
    verdict, who = _new_verdict(entry, audience, None if deed is None else deed.who)
    return AmendedEntry(
        entry.seq,
        entry.is_gone,
        entry.kind,
        entry.actor,
        deed,
        verdict,
        who,
        news=(*_difficulty_change(entry, audience), *_blocks_of(new_events, audience)),
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


def _difficulty_change(entry: RedoneEntry, audience: Audience) -> tuple[Change, ...]:
    """Return the change of the difficulty in the amended entry; none unless both were told.

    Checks with several difficulties tell none, as it isn't clear which one became which.
    """
    if entry.fate != "amended":
        return ()
    before = _told_difficulties(entry.was, audience)
    after = _told_difficulties(entry.now, audience)
    if len(before) != 1 or len(after) != 1 or before == after:
        return ()
    return (Change(None, DIFFICULTY_LABEL, before[0], after[0], FOR_EVERYONE),)


def _told_difficulties(events: Iterable[Event], audience: Audience) -> list[Value]:
    """Return the difficulties of checks that an audience reads in these events."""
    values: list[Value] = []
    for event in events:
        if not (is_told_to(event, audience) or (audience == GMS and event.audience.everyone)):
            continue
        for fact in _difficulty_facts(event):
            is_open = fact.visible_to is FOR_EVERYONE and fact.hidden_from is None
            is_known = (is_open or audience == GMS) and fact.value != HIDDEN_DIFFICULTY
            if is_known and fact.value not in values:
                values.append(fact.value)
    return values


def _difficulty_facts(event: Event) -> list[Fact]:
    """Return the facts of a check's event that name the difficulty."""
    facts: list[Fact] = []
    for block in event.blocks if isinstance(event, CheckChanged) else ():
        if isinstance(block, Fact) and block.what == DIFFICULTY_LABEL:
            facts.append(block)
    return facts


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


def changed_results(
    entries: Iterable[RedoneEntry], audience: Audience
) -> tuple[ChangedResult, ...]:
    """Return the last results of these entries whose verdict an audience was told otherwise.

    A verdict with other numbers is the same one.
    """
    was: dict[str, ChangedResult] = {}
    now: dict[str, ChangedResult] = {}
    for entry in entries:
        if entry.fate in ("out", "open") or entry.untold:
            continue
        _put_last(was, _results_for(entry.was, audience))
        if not entry.is_gone:
            _put_last(now, _results_for(entry.now, audience))
    changed: list[ChangedResult] = []
    for check, result in now.items():
        before = was.get(check)
        if before is None or not is_same_result(before.verdict, result.verdict):
            changed.append(result)
    return tuple(changed)


def _put_last(results: dict[str, ChangedResult], newer: Mapping[str, ChangedResult]) -> None:
    """Add newer results of checks, each in place of an older one, at the end."""
    for check, result in newer.items():
        results.pop(check, None)
        results[check] = result


def _new_verdict(
    entry: RedoneEntry, audience: Audience, about: Ref | None
) -> tuple[Verdict | None, Ref | None]:
    """Return the result that an audience is told of now, and whose it is.

    Of several, it is the one of the character whom the entry's line is *about*, or else the last
    one. A new verdict goes before one with other numbers. Both are None if the audience was told
    the same then.
    """
    before = _results_for(entry.was, audience)
    changed: list[ChangedResult] = []
    same: list[ChangedResult] = []
    for check, result in _results_for(entry.now, audience).items():
        earlier = before[check].verdict if check in before else None
        if earlier != result.verdict:
            kind = same if is_same_result(earlier, result.verdict) else changed
            kind.append(result)
    newest_first = [*reversed(changed), *reversed(same)]
    own = [result for result in newest_first if about is not None and result.who == about]
    for result in own or newest_first:
        return result.verdict, result.who
    return None, None


def _results_for(events: Iterable[Event], audience: Audience) -> dict[str, ChangedResult]:
    """Return the last result of each check among the events for an audience, the newest last.

    The GMs know the public one, too.
    """
    results: dict[str, ChangedResult] = {}
    for event in events:
        known = event.audience == audience or (audience == GMS and event.audience.everyone)
        verdict = first_verdict(event.blocks) if isinstance(event, CheckChanged) and known else None
        if isinstance(event, CheckChanged) and verdict is not None:
            results.pop(event.check, None)
            who = verdict.who or event.actor
            results[event.check] = ChangedResult(event.check, verdict, who)
    return results
