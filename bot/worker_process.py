"""Work that takes long, in a process of its own, one thing at a time: the interpreter's lock stays
free.

Functions are sent there by name, with plain data and what comes back pickled; a rule system is
never sent. The process is begun when it is first needed, at a low priority, anew after it has died
or has overrun its time, and ends with the bot. asyncio's own threads are left alone: looking for
the names of hosts needs them.
"""

from __future__ import annotations

import asyncio
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from rules.core.errors import Impossible, RulesError

T = TypeVar("T")

#: Seconds after which the process is ended in the middle of its work. What is asked of it takes one
#: at most.
WORK_TIMEOUT: Final = 30.0
#: Most users whose long work waits or is under way.
MAX_WAITING_USERS: Final = 20
#: Seconds that the process has to end by itself.
_END_TIMEOUT: Final = 2.0
#: Program of the process. Before it loads anything, it lowers its priority below the bot's.
_START_SCRIPT: Final = (
    "import os\nhasattr(os, 'nice') and os.nice(5)\n{}\n"
    "from bot.worker_process import serve\nserve()"
)
#: Sets the idle priority of Linux for work of minutes, so that a bot that wakes up runs at once.
#: If the system refuses it, the process works without.
_IDLE: Final = """\
try:
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
except (AttributeError, OSError):
    pass"""
_ROOT: Final = Path(__file__).resolve().parents[1]


class WorkerFailed(Exception):
    """Failure of the process: it died, took too long, or couldn't start.

    The next work gets a new process.
    """


class WorkerProcess:
    """One process, and the thread that waits for it. Short work waits for one long work at most.

    With `once` the process ends after each work and frees its memory. With `idle` it gets only
    processor time that no other process wants, which on a busy machine is next to nothing.
    """

    def __init__(
        self, limit: float = WORK_TIMEOUT, *, once: bool = False, idle: bool = False
    ) -> None:
        self._limit = limit
        self._once = once
        self._begin = _START_SCRIPT.format(_IDLE if idle else "pass")
        self._thread = ThreadPoolExecutor(1, "aside")
        self._process: subprocess.Popen[bytes] | None = None
        self._people: set[int] = set()
        self._long = asyncio.Lock()
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The process's number; None while there is none."""
        return None if self._process is None else self._process.pid

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a function in the process; return its result, or raise its error.

        Raises WorkerFailed.
        """
        if self._closed:
            raise WorkerFailed("closed")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._ask, work, arguments)

    async def run_on_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run a function on the thread that waits for the process, with data too large to send."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    async def run_for(self, person: int, work: Callable[..., T], *arguments: Any) -> T:
        """Run work that may take a second, one at a time and one for each user.

        Raises, besides what `run` raises:
            Impossible("still-working"): the user's earlier work isn't finished.
            Impossible("many-working"): too many users wait.
        """
        with self._turn(person):
            async with self._long:
                return await self.run(work, *arguments)

    @contextmanager
    def _turn(self, person: int) -> Iterator[None]:
        if person in self._people:
            raise Impossible("still-working")
        if len(self._people) >= MAX_WAITING_USERS:
            raise Impossible("many-working")
        self._people.add(person)
        try:
            yield
        finally:
            self._people.discard(person)

    def stop(self) -> None:
        """End the process in the middle of its work, which then raises WorkerFailed."""
        if self._process is not None:
            self._process.kill()

    async def close(self) -> None:
        """End the process, in the middle of its work if need be."""
        self._closed = True
        loop = asyncio.get_running_loop()
        timer = loop.call_later(_END_TIMEOUT, self.stop)
        await loop.run_in_executor(self._thread, self._end)
        timer.cancel()
        self._thread.shutdown(wait=False)

    # --- on the thread ----------------------------------------------------------------------------

    def _ask(self, work: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        """Send work to the process, and wait for its result."""
        if self._closed:
            raise WorkerFailed("closed")
        request, process = pickle.dumps((work, arguments)), self._ensure_process()
        timer = threading.Timer(self._limit, process.kill)
        timer.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(request)
            process.stdin.flush()
            succeeded, result = pickle.load(process.stdout)  # noqa: S301 - by the bot's own process
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            process.kill()
            self._end()
            raise WorkerFailed(type(error).__name__) from error
        finally:
            timer.cancel()
        if self._once:
            self._end()
        if succeeded:
            return result
        raise result

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", self._begin],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    cwd=_ROOT,
                )
            except OSError as error:
                raise WorkerFailed(type(error).__name__) from error
        return self._process

    def _end(self) -> None:
        """Tell the process that nothing more comes, and wait until it is gone."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):  # the process may have died before
            process.stdin.close()
        process.wait()
        process.stdout.close()


def serve() -> None:
    """Do the work that standard input asks for until that ends.

    Signals are ignored: the process ends when the bot closes its input.
    """
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # printed text must not get among the answers
    while True:
        try:
            work, arguments = pickle.load(requests)  # noqa: S301 - by the bot itself
        except EOFError:
            return
        try:
            answer = pickle.dumps((True, work(*arguments)))
        except Exception as error:
            if not isinstance(error, RulesError):
                error.add_note(traceback.format_exc())
            answer = pickle.dumps((False, error))
        answers.write(answer)
        answers.flush()
