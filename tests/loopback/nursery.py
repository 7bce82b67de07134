"""Bots forked from a process that has imported everything: each start takes tenths of a second.

What a nursery forks is the real bot (see ``bot_main``) in a process of its own, to be killed like
any other. It serves any number of stand-ins, one after the other or side by side.

    async with Nursery() as nursery:
        bot = await nursery.fork(standin.port, settings, log=folder / "bot.log")
        bot.send_signal(signal.SIGKILL)
        assert await bot.ended() == -9
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.loopback.discord_patch import point_discord_at

from .launch import PR_SET_PDEATHSIG
from .process import ROOT


class Offspring:
    """One forked bot. ``log`` is the file that has its output."""

    def __init__(self, pid: int, log: Path) -> None:
        self.pid = pid
        self.log = log
        self.exit: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    @property
    def running(self) -> bool:
        return not self.exit.done()

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal, if it still runs."""
        if self.running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def ended(self, within: float = 30.0) -> int:
        """Wait for its end: the exit status, or minus the signal that killed it. TimeoutError."""
        return await asyncio.wait_for(asyncio.shield(self.exit), within)

    async def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        self.send_signal(signal.SIGKILL)
        await self.ended()

    def output(self) -> str:
        """Everything it has written so far."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


#: Forking processes that no nursery uses now. To begin one takes seconds: it imports everything.
_idle: list[subprocess.Popen[bytes]] = []


def _take_process() -> subprocess.Popen[bytes]:
    """Return a forking process that nothing else uses; one that has ended is replaced."""
    while _idle:
        process = _idle.pop()
        if process.poll() is None:
            return process
        _end_process(process)
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "tests.loopback.nursery"]
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe)


def _end_process(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.close()
    process.wait()
    process.stdout.close()


@atexit.register
def _end_idle_processes() -> None:
    while _idle:
        _end_process(_idle.pop())


class Nursery:
    """A forking process for a while; what it forked ends with it, and the process serves the
    next nursery.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._transport: asyncio.ReadTransport | None = None
        self._reader: asyncio.Task[None] | None = None
        self._children: dict[int, Offspring] = {}
        self._born: asyncio.Queue[int] = asyncio.Queue()
        self._one_birth = asyncio.Lock()
        #: Whether a child was ordered and has not been told of.
        self._expecting = False

    async def __aenter__(self) -> Nursery:
        self._process = _take_process()
        assert self._process.stdout is not None
        loop = asyncio.get_running_loop()
        lines = asyncio.StreamReader(loop=loop)
        # Closing the transport closes the copy: the pipe itself stays open for the next nursery.
        copy = os.fdopen(os.dup(self._process.stdout.fileno()), "rb", 0)
        self._transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(lines, loop=loop), copy
        )
        self._reader = asyncio.create_task(self._read(lines))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None and self._transport is not None
        assert self._reader is not None
        ends = [child.exit for child in self._children.values()]
        for child in self._children.values():
            child.send_signal(signal.SIGKILL)
        if ends:
            await asyncio.wait(ends, timeout=30.0)
        self._reader.cancel()
        self._transport.close()
        # Let the transport close its copy of the pipe.
        await asyncio.sleep(0)
        if self._expecting or not all(end.done() for end in ends):
            # Its next words would be about children of this nursery.
            self._process.kill()
            _end_process(self._process)
        else:
            _idle.append(self._process)

    async def fork(
        self,
        port: int,
        env: Mapping[str, str],
        log: Path,
        cwd: Path | None = None,
        words: Sequence[str] = (),
    ) -> Offspring:
        """A new bot for a stand-in with these settings in its environment; ``cwd`` is the log's
        folder by default. ``words`` are the program's arguments.
        """
        assert self._process is not None and self._process.stdin is not None
        order = {
            "port": port,
            "env": dict(env),
            "log": str(log),
            "cwd": str(cwd or log.parent),
            "words": list(words),
        }
        async with self._one_birth:
            self._expecting = True
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
            pid = await asyncio.wait_for(self._born.get(), 60)
            self._expecting = False
            child = self._children[pid] = Offspring(pid, log)
        return child

    async def _read(self, lines: asyncio.StreamReader) -> None:
        while line := await lines.readline():
            word, pid, *status = line.decode().split()
            if word == "born":
                self._born.put_nowait(int(pid))
                # Whoever waits for it must know the child before its end is told.
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            elif int(pid) in self._children:
                exit_ = self._children.pop(int(pid)).exit
                if not exit_.done():
                    exit_.set_result(os.waitstatus_to_exitcode(int(status[0])))


def _tell(text: str) -> None:
    os.write(1, f"{text}\n".encode())


def _reap(*_: object) -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            _tell(f"ended {pid} {status}")


def _child(order: dict[str, Any]) -> None:
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    log = os.open(str(order["log"]), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.chdir(str(order["cwd"]))
    os.environ.update(order["env"])
    point_discord_at(order["port"])
    importlib.import_module("tests.loopback.bot_main").main(*order["words"])


def main() -> None:
    """Import everything, then fork at every line of orders until there are no more."""
    importlib.import_module("tests.loopback.bot_main")
    for name in importlib.import_module("bot.app").EXTENSIONS:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, _reap)
    gc.collect()
    gc.freeze()  # no child looks through what was imported, which would copy it
    for line in iter(sys.stdin.buffer.readline, b""):
        # A child that ends at once must not be told of before it is born.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if pid == 0:
            status: object = 1
            try:
                _child(json.loads(line))
            except SystemExit as end:
                status = end.code
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status if isinstance(status, int) else 0 if status is None else 1)
        _tell(f"born {pid}")
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


if __name__ == "__main__":
    main()
