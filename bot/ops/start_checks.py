"""Checks of the database's location before the bot starts."""

from __future__ import annotations

from pathlib import Path

from bot.ops.rescue import start_refusal, unmerged_rescue
from bot.settings import Settings
from bot.storage.high_water_mark import loss_report


def location_problem(settings: Settings) -> str | None:
    """Return why the bot must not start on this database, and what to do; None if it may."""
    where = settings.storyguide_database
    if isinstance(where, Path):
        places = (where, *settings.copy_folders)
        if settings.storyguide_processes != 1:
            return (
                f"STORYGUIDE_PROCESSES is {settings.storyguide_processes}: a database file has one "
                "process. Set it to 1, or STORYGUIDE_DATABASE to a PostgreSQL server's address."
            )
        return start_refusal(*places) or unmerged_rescue(*places)
    if settings.storyguide_backups is not None:
        return (
            "STORYGUIDE_BACKUPS copies a database file. Unset it, and back up the server with "
            "pg_basebackup or pgBackRest."
        )
    return None


def location_warning(settings: Settings) -> str | None:
    """Return what the operator should know of the database; None if all is well."""
    where = settings.storyguide_database
    return loss_report(where) if isinstance(where, Path) else None
