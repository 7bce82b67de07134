"""Copies of the database at intervals while the bot runs, made by a process of their own."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from bot.clock import system_clock
from bot.ops.backup import back_up_if_due
from bot.ops.database_files import OperationRefused, database_file
from bot.settings import Settings
from bot.worker_process import WorkerFailed, WorkerProcess

log = logging.getLogger("storyguide.backups")

#: Seconds after the start, and after a failure, until it is tried; and those that a copy may take.
FIRST_DELAY: Final = 5.0
RETRY_DELAY: Final = 900.0
BACKUP_TIMEOUT: Final = 3600.0


class Backups:
    """Asks at the start and whenever the next is due; without a folder, never."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._aside = WorkerProcess(BACKUP_TIMEOUT, once=True)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, if there is a folder for copies."""
        if self._settings.storyguide_backups is not None:
            self._task = asyncio.create_task(self._run(), name="backups")

    async def _run(self) -> None:
        wait = FIRST_DELAY
        while True:
            await asyncio.sleep(wait)
            wait = await self._back_up_if_due()

    async def _back_up_if_due(self) -> float:
        """Have a copy made if one is due; how many seconds later to ask again."""
        settings = self._settings
        every = settings.storyguide_backup_hours * 3600
        given = (str(database_file(settings.storyguide_database)), str(settings.storyguide_backups))
        try:
            wait = await self._aside.run(
                back_up_if_due, *given, settings.storyguide_backup_keep, every, system_clock()
            )
        except (WorkerFailed, OperationRefused) as error:
            log.error("backups.failed", extra={"reason": str(error)})
            return min(RETRY_DELAY, every)
        except Exception:
            log.exception("backups.faulty")
            return min(RETRY_DELAY, every)
        if wait == every:
            log.info("backups.made")
        return wait

    def stop(self) -> None:
        """Stop copying: another file may be in the database's place."""
        if self._task is not None:
            self._task.cancel()

    async def close(self) -> None:
        """No more copies; one that is not finished is dropped."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        await self._aside.close()
