"""Rescue of what the open connection still holds, once the database's files are gone."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from bot.clock import Clock
from bot.ops.database_files import OperationRefused
from bot.ops.file_loss import files_line, loss_lines
from bot.ops.rescue import rescue_copy
from bot.ops.restore_drill import run_restore_drill
from bot.storage.database import Database
from bot.storage.errors import StorageUnavailable
from bot.storage.file_watch import Loss
from bot.storage.high_water_mark import highest_entry, raise_mark
from bot.storage.instance_lock import InstanceLock
from bot.worker_process import WorkerFailed, WorkerProcess

log = logging.getLogger("storyguide.rescue")

#: Seconds between tries of a copy, and of its proof.
RESCUE_RETRY_DELAY: Final = 30.0
#: Seconds that the proof may take.
PROOF_TIMEOUT: Final = 3600.0


class DatabaseRescue:
    """Writes everything to a file beside the old path, then proves the copy.

    Two loops: the copy is retried until it succeeds, then its proof until the proof succeeds.
    `backups` is the folder for the copy if nothing can be written beside the old path.
    """

    def __init__(
        self, database: Database, clock: Clock, backups: Path | None, lock: InstanceLock | None
    ) -> None:
        self._database = database
        self._clock = clock
        self._backups = backups
        self._lock = lock
        self._worker = WorkerProcess(PROOF_TIMEOUT, once=True)
        self._task: asyncio.Task[None] | None = None
        #: The rescued copy, once it is there.
        self.copy: Path | None = None
        if lock is not None and database.files is not None:
            lock.write(files_line(database.files.identities))

    def begin(self, loss: Loss) -> None:
        """Rescue everything in the background."""
        self._task = asyncio.create_task(self._run(loss), name="rescue")

    async def _run(self, loss: Loss) -> None:
        self._note(loss)
        while self.copy is None:
            self.copy = await self._try_folders(loss)
            if self.copy is None:
                await asyncio.sleep(RESCUE_RETRY_DELAY)
        self._note(loss)
        log.error("rescue.copied", extra={"kind": loss, "file": self.copy})
        while True:
            if await self._prove(self.copy):
                return
            await asyncio.sleep(RESCUE_RETRY_DELAY)

    def _note(self, loss: Loss) -> None:
        if self._lock is not None and self._database.files is not None:
            files = files_line(self._database.files.identities)
            self._lock.write(files, *loss_lines(loss, self.copy))

    def _folders(self) -> Iterator[Path]:
        """Yield the folders for the copy: the old one, the moved one, and that of the backups.

        A missing folder is not created: its disk may not be mounted.
        """
        beside = self._database.path.absolute().parent
        moved = None if self._database.files is None else self._database.files.folder()
        for folder in dict.fromkeys((beside, moved, self._backups)):
            if folder is not None and folder.is_dir():
                yield folder

    async def _try_folders(self, loss: Loss) -> Path | None:
        for folder in self._folders():
            try:
                return await self._copy(folder, loss)
            except (StorageUnavailable, OSError) as error:
                log.error("rescue.failed", extra={"file": folder, "reason": str(error)})
        return None

    async def _copy(self, folder: Path, loss: Loss) -> Path:
        database, files, now = self._database.path, self._database.files, self._clock()

        def copy(connection: sqlite3.Connection) -> Path:
            copied = rescue_copy(connection, database, folder, loss, now)
            if loss != "log-gone" and files is not None:
                with suppress(OSError):
                    files.set_log_aside(copied.with_name(f"{copied.name}.left"))
            with suppress(OSError):
                raise_mark(folder / database.name, highest_entry(connection))
            return copied

        return await self._database.read(copy)

    async def _prove(self, copy: Path) -> bool:
        """Restore the copy on trial, as `drill` does; return whether that works."""
        try:
            lines = await self._worker.run(run_restore_drill, copy)
        except (WorkerFailed, OperationRefused, OSError) as error:
            log.error("rescue.unproven", extra={"file": copy, "reason": str(error)})
            return False
        log.error("rescue.proved", extra={"file": copy, "reason": " ".join(lines[:-1])})
        return True

    async def close(self) -> None:
        """Try once more if nothing is rescued yet, and drop a proof under way."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self._database.loss is not None and self.copy is None:
            self.copy = await self._try_folders(self._database.loss)
            if self.copy is not None:
                log.error("rescue.copied", extra={"kind": self._database.loss, "file": self.copy})
        await self._worker.close()
