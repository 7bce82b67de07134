"""A bot in a process of its own, which tests start, kill and measure."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeVar

from .launch import DIE_WITH_PARENT

ROOT = pathlib.Path(__file__).resolve().parents[2]
T = TypeVar("T")


@dataclass(frozen=True)
class Launch:
    """How to start a bot. "{port}" in ``argv`` and in the values of ``env`` becomes the stand-in's
    port.

    ``env`` is added to this process's environment; ``cwd`` defaults to the project's root.
    """

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: pathlib.Path = ROOT


def launch(target: str, *args: str, env: Mapping[str, str] | None = None) -> Launch:
    """The spec that runs "module:function" through ``tests.loopback.launch``."""
    argv = [sys.executable, "-m", "tests.loopback.launch", "{port}", target, *args]
    return Launch(argv, dict(env or {}))


class BotProcess:
    """One run of a bot; as an async context manager it is stopped at the end. Output goes to
    ``log()``.
    """

    def __init__(self, spec: Launch, port: int) -> None:
        self.spec = spec
        self.port = port
        self._process: asyncio.subprocess.Process | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - open for as long as the process runs
        self._log = ""

    async def start(self) -> BotProcess:
        raise_file_limit()
        port = str(self.port)
        env = os.environ | {
            key: value.replace("{port}", port) for key, value in self.spec.env.items()
        }
        self._process = await asyncio.create_subprocess_exec(
            *(word.replace("{port}", port) for word in self.spec.argv),
            cwd=self.spec.cwd,
            env=env | {DIE_WITH_PARENT: "1"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=self._output,
            stderr=asyncio.subprocess.STDOUT,
        )
        return self

    async def __aenter__(self) -> BotProcess:
        return await self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()
        if kind is not None and self.log():
            print(f"--- output of {' '.join(self.spec.argv)}\n{self.log()}", file=sys.stderr)

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("the bot has not been started")
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def returncode(self) -> int | None:
        return None if self._process is None else self._process.returncode

    async def during(self, wait: Coroutine[Any, Any, T], within: float = 60.0) -> T:
        """The result of ``wait``; RuntimeError with the bot's output if the bot ends first or time
        is up.
        """
        assert self._process is not None
        waiting = asyncio.ensure_future(wait)
        ending = asyncio.ensure_future(self._process.wait())
        try:
            await asyncio.wait(
                (waiting, ending), timeout=within, return_when=asyncio.FIRST_COMPLETED
            )
            if waiting.done():
                return waiting.result()
            raise RuntimeError(
                f"the bot {'is late' if self.running else 'has ended'}:\n{self.log()}"
            )
        finally:
            for task in (waiting, ending):
                task.cancel()
            await asyncio.gather(waiting, ending, return_exceptions=True)

    async def ended(self, within: float = 30.0) -> int:
        """Wait until it has ended by itself; its return code, or TimeoutError."""
        assert self._process is not None
        return await asyncio.wait_for(self._process.wait(), within)

    async def kill(self) -> None:
        """kill -9, and wait until it is gone."""
        await self._end(signal.SIGKILL, 30.0)

    async def stop(self, within: float = 20.0) -> None:
        """Ask it to end (SIGTERM), and kill it after ``within`` seconds."""
        try:
            await self._end(signal.SIGTERM, within)
        except TimeoutError:
            await self.kill()

    async def _end(self, number: signal.Signals, within: float) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)
            await asyncio.wait_for(self._process.wait(), within)
        self._log = self.log()
        self._output.close()

    def log(self) -> str:
        """Everything it has written to stdout and stderr so far (the first 16 MiB)."""
        if self._output.closed:
            return self._log
        return os.pread(self._output.fileno(), 1 << 24, 0).decode(errors="replace")

    def cpu_seconds(self) -> float:
        """User and system time it has used so far, to the microsecond: what /proc tells goes by
        hundredths.
        """
        return time.clock_gettime((~self.pid << 3) | 2)  # as clock_getcpuclockid of Linux

    def memory_bytes(self) -> int:
        """Resident memory."""
        pages = int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def raise_file_limit() -> None:
    """Allow as many sockets as the system lets this process and its children have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else hard
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
