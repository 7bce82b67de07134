"""What the running bot counts, for Prometheus: off by default, and on this machine alone."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import Final

from aiohttp import web

from bot.clock import Clock
from bot.ops.metrics import Metric, database_metrics, format_metrics, size_metrics
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from bot.storage.write_batches import Engine
from bot.ui.interactions import Interactions

log = logging.getLogger("storyguide.metrics")

HOST: Final = "127.0.0.1"
RESPONSE_HEADERS: Final = {"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}


class Metrics:
    """Answers `GET /metrics` with integers that are kept anyway, and a few counts of the
    database.
    """

    def __init__(
        self, database: Engine, tables: Tables, interactions: Interactions, clock: Clock
    ) -> None:
        self._database = database
        self._tables = tables
        self._interactions = interactions
        self._clock = clock
        self._runner: web.AppRunner | None = None

    async def start(self, port: int | None) -> None:
        """Listen; without a port, nowhere. A port that is taken keeps nobody from playing: it is
        logged.
        """
        if port is None:
            return
        app = web.Application()
        app.router.add_get("/metrics", self._answer)
        runner = self._runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, port).start()
        except OSError as error:
            log.error("metrics.not-bound", extra={"reason": str(error)})

    async def _answer(self, _: web.Request) -> web.Response:
        try:
            found = await self._database.read(
                lambda connection: database_metrics(connection, self._clock())
            )
        except StorageUnavailable as error:
            log.warning("metrics.storage", extra={"reason": error.reason})
            found = list[Metric]()
        return web.Response(
            text=format_metrics([*self._process_metrics(), *found, *await self._sizes()]),
            headers=RESPONSE_HEADERS,
        )

    async def _sizes(self) -> list[Metric]:
        with suppress(StorageUnavailable, OSError):
            return size_metrics(await self._database.sizes())
        return []

    def _process_metrics(self) -> list[Metric]:
        commits = self._database.commits
        return [
            (
                "answers_late_total",
                "counter",
                "Answers that took more than 2 s.",
                self._interactions.late,
            ),
            ("commits_total", "counter", "Transactions.", commits.count),
            ("commit_seconds_total", "counter", "Seconds that they took.", commits.seconds),
            (
                "commit_seconds_max",
                "gauge",
                "Seconds that the longest took since the start.",
                commits.longest,
            ),
            (
                "database_lost",
                "gauge",
                "1 once the database's files are gone.",
                int(self._database.loss is not None),
            ),
            ("tables_loaded", "gauge", "Tables in memory.", self._tables.count),
        ]

    async def close(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()
