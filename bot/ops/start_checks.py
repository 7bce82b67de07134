"""Checks of the database's location before the bot starts."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from bot.ops.rescue import start_refusal, unmerged_rescue
from bot.ops.server_doctor import NO_SESSION, settings_problem
from bot.settings import Settings
from bot.storage.engines import INSTALL_DRIVER, has_driver, pool_between
from bot.storage.errors import StorageUnavailable
from bot.storage.high_water_mark import loss_report
from bot.storage.location import ServerAddress, Where

#: Said where a server is named and can't be reached for want of its driver.
DRIVER_MISSING: Final = (
    "STORYGUIDE_DATABASE names a PostgreSQL server, and its driver isn't installed. "
    f"{INSTALL_DRIVER}"
)


def location_problem(settings: Settings) -> str | None:
    """Return why the bot must not start on this database, and what to do; None if it may."""
    where = settings.storyguide_database
    problem = settings_problem(settings)
    if problem is not None:
        return problem
    if isinstance(where, Path):
        places = (where, *settings.copy_folders)
        return start_refusal(*places) or unmerged_rescue(*places)
    if not has_driver():
        return DRIVER_MISSING
    return NO_SESSION if pool_between(where) == "transaction" else None


def location_warning(settings: Settings) -> str | None:
    """Return what the operator should know of the database; None if all is well."""
    where = settings.storyguide_database
    return loss_report(where) if isinstance(where, Path) else None


def storage_problem(error: StorageUnavailable, where: Where) -> str:
    """Return why the database can't be used. A server's own words are said, too."""
    if isinstance(where, ServerAddress):
        return f"Can't use {where}: {error.detail}. Nothing has changed."
    return f"Can't use the database ({error.reason}). Nothing has changed."
