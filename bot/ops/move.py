"""Moves of a whole database: from a file to a server, back, or to another of its kind.

Nothing of the source changes until the target is complete and verified. Until then the target bears
a note with which no bot starts.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import ExitStack
from pathlib import Path

from bot.ops.backup import sync_to_disk
from bot.ops.database_files import OperationRefused, require_sound
from bot.ops.rescue import start_refusal, unmerged_rescue
from bot.ops.restore_drill import ReplayFindings, replay_tables
from bot.ops.row_copy import (
    Progress,
    Tell,
    copy_rows,
    refusals,
    require_equal,
    require_form,
    table_digests,
)
from bot.storage.bulk_rows import BulkRows, PlaceUnavailable
from bot.storage.engines import open_rows
from bot.storage.errors import StorageUnavailable
from bot.storage.high_water_mark import (
    RESTORED_KEY,
    UPSERT_NOTE,
    is_unnoticed_copy,
    mark_file,
    marked_entry,
    stored_highest_entry,
)
from bot.storage.instance_lock import DatabaseInUse
from bot.storage.location import Where, hold_location
from bot.storage.move_notes import MOVED_TO, MOVING, drop_move_note, move_note, set_move_note


def move_database(source: Where, target: Where, tell: Tell) -> list[str]:
    """Move all rows of a database to an empty one; return the lines for the operator.

    *tell* gets lines about the progress. Raises OperationRefused, and leaves the source as it was
    then.
    """
    begun = time.monotonic()
    with ExitStack() as held, refusals("Nothing moved"):
        if _is_same_file(source, target):
            raise OperationRefused(f"{source} is named twice. Name the database to move to.")
        _require_file(source)
        _require_folder(target)
        _lock(source, held)
        old = _open(source, held)
        _require_movable(old)
        old.require_writable()
        _lock(target, held)
        new = _open(target, held, create=True)
        move_id = _claim(old, new)
        if isinstance(source, Path):
            _require_nothing_lost(source, old)
        if isinstance(target, Path):
            _require_no_later_mark(target, old)
        new.create_tables()
        with new.errors():
            set_move_note(new.connection, MOVING, move_id, old.place)
        new.delete_all()
        progress = Progress(tell)
        digests = copy_rows(old, new, progress)
        require_equal(digests, table_digests(new, progress), new)
        new.finish()
        findings = _replayed(source, target, progress)
        # From here on the target is whole. Until its note is gone, no bot starts on either.
        with old.errors():
            set_move_note(old.connection, MOVED_TO, move_id, new.place)
        with new.errors():
            drop_move_note(new.connection, MOVING)
    if isinstance(target, Path):
        sync_to_disk(target.absolute().parent)
    rows = sum(count for count, _ in digests.values())
    seconds = time.monotonic() - begun
    return [
        f"Moved {digests['game_table'][0]} tables ({rows:,} rows) from {old.place} to {new.place} "
        f"in {seconds:.1f} seconds. Every row was compared.",
        f"Replayed as stored: {findings.count} tables.",
        *findings.impossible,
        *(f"Table {number} doesn't match its journal, there or here." for number in findings.other),
        "Set STORYGUIDE_DATABASE to the new place, and start the bot. No bot starts on "
        f"{old.place} any more.",
    ]


def undo_move(where: Where) -> str:
    """Let bots start again on a database that was moved; return the line for the operator.

    The next start draws new seeds, because players may know what came after the move. Raises
    OperationRefused.
    """
    with ExitStack() as held, refusals("Nothing changed"):
        _require_file(where)
        _lock(where, held)
        rows = _open(where, held)
        moved = move_note(rows.connection, MOVED_TO) if rows.schema() else None
        if moved is None:
            raise OperationRefused(f"{rows.place} was not moved. A bot may start on it.")
        with rows.errors():
            rows.connection.execute(UPSERT_NOTE, (RESTORED_KEY, "")).close()
            drop_move_note(rows.connection, MOVED_TO)
    return (
        f"A bot may start on {rows.place} again; every table gets new seeds then. It lacks what "
        f"was played on {moved[1]} since the move. Start no bot there."
    )


def _replayed(source: Where, target: Where, progress: Progress) -> ReplayFindings:
    """Replay every table of the target. Refused for a table that only differs there."""

    def report(count: int) -> None:
        progress.report(f"{count:,} tables replayed")

    findings = asyncio.run(replay_tables(target, report))
    if findings.other:
        before = asyncio.run(replay_tables(source, report))
        changed = sorted(set(findings.other) - set(before.other))
        if changed:
            raise OperationRefused(f"Table {changed[0]} doesn't match its journal in {target}.")
    return findings


# --- what is refused ------------------------------------------------------------------------------


def _is_same_file(source: Where, target: Where) -> bool:
    if not (isinstance(source, Path) and isinstance(target, Path)):
        return source == target
    return source.resolve() == target.resolve()


def _require_file(where: Where) -> None:
    """Refuse a file that isn't there, that no bot could start on, or that is damaged."""
    if not isinstance(where, Path):
        return
    if not where.is_file():
        raise OperationRefused(f"No database at {where}.")
    problem = start_refusal(where) or unmerged_rescue(where)
    if problem is not None:
        raise OperationRefused(problem)
    require_sound(where)


def _require_folder(target: Where) -> None:
    if isinstance(target, Path) and not target.absolute().parent.is_dir():
        raise OperationRefused(f"No folder at {target.absolute().parent}. Create it.")
    if isinstance(target, Path) and target.is_dir():
        raise OperationRefused(f"{target} is a folder. Name a file in it.")


def _lock(where: Where, held: ExitStack) -> None:
    """Keep bots off a file. A server's lock comes with its connection."""
    try:
        held.enter_context(hold_location(where))
    except DatabaseInUse as error:
        raise OperationRefused(_in_use(str(where), error)) from error
    except StorageUnavailable as error:
        raise PlaceUnavailable(str(where), error) from error


def _open(where: Where, held: ExitStack, *, create: bool = False) -> BulkRows:
    try:
        rows = open_rows(where, create=create)
    except DatabaseInUse as error:
        raise OperationRefused(_in_use(str(where), error)) from error
    held.callback(rows.close)
    return rows


def _in_use(place: str, error: DatabaseInUse) -> str:
    return f"{place} is in use ({error}). Stop the bot first, and name each database once."


def _require_movable(rows: BulkRows) -> None:
    require_form(rows)
    moving = move_note(rows.connection, MOVING)
    if moving is not None:
        raise OperationRefused(
            f"{rows.place} is the target of a move from {moving[1]} that was cut off. Move from "
            "there again."
        )


def _claim(source: BulkRows, target: BulkRows) -> str:
    """Return a new id for the move.

    Raises OperationRefused unless the target is empty or left over from a move, and if the source
    was moved before.
    """
    if target.is_foreign():
        raise OperationRefused(f"{target.place} holds tables that aren't Storyguide's.")
    moving: tuple[str, str] | None = None
    if target.schema():
        with target.errors():
            moving = move_note(target.connection, MOVING)
            moved = move_note(target.connection, MOVED_TO)
            (count,) = target.connection.execute("SELECT COUNT(*) FROM game_table").fetchone()
        if count and moving is None:
            moved_text = f" (moved to {moved[1]})" if moved is not None else ""
            raise OperationRefused(
                f"{target.place} isn't empty: it holds {count} tables{moved_text}. "
                "Name an empty one."
            )
    with source.errors():
        gone = move_note(source.connection, MOVED_TO)
    # A move that was cut off between its last two steps may be repeated.
    if gone is not None and (moving is None or moving[0] != gone[0]):
        raise OperationRefused(
            f"{source.place} was moved to {gone[1]} before. Move from there, or go back to this "
            "older state with `python -m bot move --undo`."
        )
    return secrets.token_hex(8)


def _require_nothing_lost(source: Path, rows: BulkRows) -> None:
    with rows.errors():
        unnoticed = is_unnoticed_copy(rows.connection, marked_entry(source))
    if unnoticed:
        raise OperationRefused(
            f"{source} holds less than players have seen: it's an older copy, or lost its log. "
            "Start the bot on it once, so that every table gets new seeds; then move it."
        )


def _require_no_later_mark(target: Path, source: BulkRows) -> None:
    with source.errors():
        highest = stored_highest_entry(source.connection)
    if marked_entry(target) > highest:
        raise OperationRefused(
            f"{mark_file(target)} is left of a database that held more. Delete it, or name another "
            "file."
        )
