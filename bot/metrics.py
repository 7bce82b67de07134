"""Figures of the running bot for Prometheus: off by default, and for this machine alone."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Final

from aiohttp import web

from bot.clock import Clock
from bot.ops.metrics import Metric, database_metrics, format_metrics, health_metrics, size_metrics
from bot.services.tables import Tables
from bot.storage.errors import StorageUnavailable
from bot.storage.write_batches import Engine
from bot.ui.interactions import Interactions

log = logging.getLogger("storyguide.metrics")

HOST: Final = "127.0.0.1"
#: Seconds that the database has for its figures; Prometheus itself waits ten.
STORAGE_TIMEOUT: Final = 5.0
RESPONSE_HEADERS: Final = {"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}


class Metrics:
    """A web server for `GET /metrics`, with counters of the process and a few of the database."""

    def __init__(
        self, database: Engine, tables: Tables, interactions: Interactions, clock: Clock
    ) -> None:
        self._database = database
        self._tables = tables
        self._interactions = interactions
        self._clock = clock
        self._runner: web.AppRunner | None = None

    async def start(self, port: int | None) -> None:
        """Listen on a port, if there is one. A taken port is logged, and play goes on."""
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
        health = await self._database.health()
        stored: list[Metric] = []
        if health.get("server_connected", 1):
            try:
                stored = await asyncio.wait_for(self._stored_metrics(), STORAGE_TIMEOUT)
            except (StorageUnavailable, TimeoutError) as error:
                reason = error.reason if isinstance(error, StorageUnavailable) else "locked"
                log.warning("metrics.storage", extra={"reason": reason})
        metrics = [*self._process_metrics(), *health_metrics(health), *stored]
        return web.Response(text=format_metrics(metrics), headers=RESPONSE_HEADERS)

    async def _stored_metrics(self) -> list[Metric]:
        """Return the figures of the database, and its sizes if they are known."""
        metrics = await self._database.read(
            lambda connection: database_metrics(connection, self._clock())
        )
        with suppress(StorageUnavailable, OSError):
            metrics += size_metrics(await self._database.sizes())
        return metrics

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
            (
                "process_slot",
                "gauge",
                "Slot of this process, from 0.",
                self._database.share.number,
            ),
            ("processes", "gauge", "Processes of the bot.", self._database.share.count),
            ("tables_loaded", "gauge", "Tables in memory.", self._tables.count),
        ]

    async def close(self) -> None:
        """Stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()
