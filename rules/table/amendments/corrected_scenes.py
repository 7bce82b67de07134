"""Scenes that the story tells otherwise after an amendment."""

from __future__ import annotations

from collections.abc import Iterable

from rules.table.amendments.audiences import is_told_to
from rules.table.amendments.redone_entries import RedoneEntry
from rules.table.blocks import GMS
from rules.table.events import Amended, Event, Notice
from rules.table.played_scenes import SCENE_PARTS


def corrected_scenes(entries: Iterable[RedoneEntry]) -> tuple[Notice, ...]:
    """Return the notices of scenes that the story tells otherwise now.

    These are the last ones of each scene's beginning and end, so that a summary that was written
    later stays.
    """
    was: dict[tuple[object, str], Notice] = {}
    now: dict[tuple[object, str], Notice] = {}
    for entry in entries:
        if entry.is_gone or entry.fate == "out":
            continue
        was |= _scene_notices(entry.was)
        now |= _scene_notices(entry.now)
    return tuple(notice for key, notice in now.items() if notice != was.get(key))


def _scene_notices(events: Iterable[Event]) -> dict[tuple[object, str], Notice]:
    """Return the last notice of each scene's beginning and end, by its number and part."""
    notices: dict[tuple[object, str], Notice] = {}
    for event in events:
        told = event.scenes if isinstance(event, Amended) else (event,)
        for notice in told:
            part = SCENE_PARTS.get(notice.what) if isinstance(notice, Notice) else None
            if isinstance(notice, Notice) and part is not None:
                notices[notice.params["number"], part] = notice
    return notices


def with_scenes(correction: Amended, scenes: Iterable[Notice]) -> Amended:
    """Return a correction with the notices that its audience was told; the GMs' has all."""
    audience = correction.audience
    told = tuple(notice for notice in scenes if audience == GMS or is_told_to(notice, audience))
    return correction.replace(scenes=told)
