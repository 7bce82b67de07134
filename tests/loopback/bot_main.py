"""The real bot against a stand-in: ``launch("tests.loopback.bot_main:main", env=...)``.

The bot's own settings come from the environment as always; this adds what tests and measurements
need:

* ``LOOPBACK_ORDERS`` names a file; when it begins with ``EVENT N``, the process kills itself with
  SIGKILL as it logs that event for the N-th time since the order was given (``LOG_LEVEL`` must let
  the event through);
* ``LOOPBACK_GUILD_WAIT`` is how many seconds the client waits for further servers before it is
  ready;
* ``LOOPBACK_CLOCK`` names a file with the number of seconds by which the bot's clock is ahead;
* ``LOOPBACK_FLUSH`` is how many milliseconds longer each commit takes to be on disk, as on a slower
  one;
* ``LOOPBACK_ANSWER`` is how many seconds Discord may take to let the bot in, and then to connect
  it;
* ``LOOPBACK_HANG`` is after how many seconds a process that hangs loses its share;
* ``LOOPBACK_NOWHERE``: no name of a computer is found, as without DNS, and Discord has one;
* ``LOOPBACK_HOLDS`` names a file, with a line for whatever held the event loop or SQLite's thread
  for some milliseconds of processor time: when it was over (`time.monotonic`), and how many;
* ``LOOPBACK_PROFILE`` names a file for a profile of the event loop's thread, written when the bot
  ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import cProfile
import functools
import importlib
import logging
import os
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from discord.http import Route

import bot.__main__ as program
import bot.ops.doctor as doctor
from bot.clock import system_clock
from bot.storage import database
from bot.storage.database import Database

ORDERS = "LOOPBACK_ORDERS"
GUILD_WAIT = "LOOPBACK_GUILD_WAIT"
CLOCK = "LOOPBACK_CLOCK"
FLUSH = "LOOPBACK_FLUSH"
ANSWER = "LOOPBACK_ANSWER"
HANG = "LOOPBACK_HANG"
NOWHERE = "LOOPBACK_NOWHERE"
HOLDS = "LOOPBACK_HOLDS"
PROFILE = "LOOPBACK_PROFILE"
#: What holds a thread for less, in milliseconds, is not noted.
BRIEF = 2.0


class Orders(logging.Handler):
    """Kills the process, without a word to anybody, at the event it was ordered to die at."""

    def __init__(self, path: Path) -> None:
        super().__init__(logging.DEBUG)
        self._path = path
        self._order = ""
        self._seen = 0

    def emit(self, record: logging.LogRecord) -> None:
        try:
            order = self._path.read_text()
        except FileNotFoundError:
            return
        if order != self._order:
            self._order, self._seen = order, 0
        event, count, *_ = order.split()
        if record.getMessage() == event:
            self._seen += 1
            if self._seen >= int(count):
                os.kill(os.getpid(), signal.SIGKILL)


class SlowDisk(database.FileConnection):
    """Each commit takes so many seconds longer, on SQLite's own thread and with the database still
    locked.

    That is where and when SQLite waits for the disk in WAL mode with ``synchronous=FULL``: once a
    commit.
    """

    seconds = 0.0

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if sql == "COMMIT" and self.in_transaction:
            time.sleep(self.seconds)
        return super().execute(sql, parameters)


def main(*words: str) -> None:
    """Run the program until it ends, and end with its exit status; `words` are its arguments."""
    orders, profile = os.environ.get(ORDERS), os.environ.get(PROFILE)
    if orders:
        logging.getLogger("storyguide").addHandler(Orders(Path(orders)))
    if FLUSH in os.environ:
        SlowDisk.seconds = float(os.environ[FLUSH]) / 1000
        database.FileConnection = SlowDisk
    if ANSWER in os.environ:
        program.CONNECT_TIMEOUT = doctor.CONNECT_TIMEOUT = float(os.environ[ANSWER])
    if HANG in os.environ:
        claims: Any = importlib.import_module("bot.storage.server_claim")
        claims.HANG_LIMIT = float(os.environ[HANG])
    if NOWHERE in os.environ:
        Route.BASE = "https://discord.invalid/api/v10"
        socket.getaddrinfo = _nobody
    if HOLDS in os.environ:
        _note_holds(Path(os.environ[HOLDS]))
    _hasten(float(os.environ.get(GUILD_WAIT, "0.05")), os.environ.get(CLOCK))
    if not profile:
        sys.exit(program.main(words))
    profiler = cProfile.Profile()
    status = profiler.runcall(program.main, words)
    profiler.dump_stats(profile)
    sys.exit(status)


def _note_holds(path: Path) -> None:
    """By the processor's time of the thread, which other processes on the machine do not
    lengthen.
    """
    file = path.open("a", buffering=1)
    handles: Any = asyncio.events.Handle
    databases: Any = Database
    run, hop = handles._run, databases._run_on_thread

    def noted(work: Callable[..., Any], *given: Any) -> Any:
        begun = time.thread_time()
        try:
            return work(*given)
        finally:
            took = 1000 * (time.thread_time() - begun)
            if took > BRIEF:
                file.write(f"{time.monotonic()} {took:.1f}\n")

    def held(handle: asyncio.events.Handle) -> None:
        noted(run, handle)

    def hopped(engine: Database, work: Any, future: Any) -> None:
        hop(engine, functools.partial(noted, work), future)

    handles._run = held
    databases._run_on_thread = hopped


def _nobody(*_: Any, **__: Any) -> Any:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def _hasten(seconds: float, ahead: str | None) -> None:
    build = program.build_bot

    def clock() -> int:
        with contextlib.suppress(FileNotFoundError):
            return system_clock() + int(Path(ahead or "").read_text())
        return system_clock()

    def build_bot(*args: Any, **kwargs: Any) -> Any:
        made = build(*args, **({"clock": clock} if ahead else {}), **kwargs)
        # An option of discord.Client, which the bot itself has no reason to set.
        made._connection.guild_ready_timeout = seconds
        return made

    program.build_bot = build_bot
