"""A proxy before a PostgreSQL server: it loses the answer to a COMMIT, goes away, or lets nothing
through.

`far_server` is one in a process of its own that delays every answer.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tests.loopback.process import ROOT
from tests.storage.postgres_server import PORT

#: The server's word that a transaction is committed.
COMMITTED = b"C\x00\x00\x00\x0bCOMMIT\x00"


class Proxy:
    """Passes connections on from a socket in a folder.

    `swallows` is asked at each COMMIT that the server has carried out: whether to cut the
    connection instead of passing the answer on. With `gone_after_cut` the proxy then ends, too.
    `part` and `heal` are a network that loses every packet for a while. Answers are passed on after
    `delay` seconds.
    """

    def __init__(self, server: Path, folder: Path) -> None:
        self._server = server
        self.folder = folder
        self._socket = folder / f".s.PGSQL.{PORT}"
        self._listener: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._server_ends: set[asyncio.StreamWriter] = set()
        self._parted = False
        self.swallows: Callable[[], bool] = lambda: False
        self.gone_after_cut = False
        self.cuts = 0
        self.delay = 0.0

    async def start(self) -> None:
        """Listen."""
        self._socket.unlink(missing_ok=True)
        self._listener = await asyncio.start_unix_server(self._serve, str(self._socket))

    def stop(self) -> None:
        """Refuse new connections and cut all there are."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self._socket.unlink(missing_ok=True)
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    def part(self) -> None:
        """Let nothing through from now on; neither end is told."""
        self._parted = True

    def give_up_at_server(self) -> None:
        """Have the server end the sessions of the parted network, as its keepalives do in time."""
        assert self._parted
        for writer in self._server_ends:
            writer.transport.abort()

    def heal(self) -> None:
        """Let everything through again; what was under way is cut."""
        self._parted = False
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._parted:
            self._writers.add(writer)
            return
        try:
            answers, requests = await asyncio.open_unix_connection(str(self._server))
        except OSError:
            writer.close()
            return
        self._writers |= {writer, requests}
        self._server_ends.add(requests)
        with suppress(ConnectionError):
            await asyncio.gather(
                self._pass_requests(reader, requests), self._pass_answers(answers, writer, requests)
            )
        self._server_ends.discard(requests)
        if self._parted:
            return
        for end in (writer, requests):
            end.close()
            self._writers.discard(end)

    async def _pass_requests(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while data := await reader.read(65536):
            if not self._parted:
                writer.write(data)
        if not self._parted:
            writer.close()

    async def _pass_answers(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        requests: asyncio.StreamWriter,
    ) -> None:
        if self.delay:
            await self._pass_late(reader, writer)
            return
        while data := await reader.read(65536):
            if COMMITTED in data and self.swallows():
                self.cuts += 1
                writer.transport.abort()
                requests.transport.abort()
                if self.gone_after_cut:
                    self.stop()
                return
            if not self._parted:
                writer.write(data)
        if not self._parted:
            writer.close()

    async def _pass_late(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def send() -> None:
            while True:
                due, data = await waiting.get()
                await asyncio.sleep(due - loop.time())
                if not data:
                    break
                writer.write(data)
            writer.close()

        sending = asyncio.create_task(send())
        while data := await reader.read(65536):
            waiting.put_nowait((loop.time() + self.delay, data))
        waiting.put_nowait((loop.time() + self.delay, b""))
        await sending


@asynccontextmanager
async def far_server(server: Path, folder: Path, delay: float) -> AsyncIterator[None]:
    """Run a proxy with a socket in *folder*, in a process that takes no time of this one."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.storage.server_proxy", str(server), str(folder), str(delay)),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        await process.stdout.readline()
        yield
    finally:
        process.stdin.close()
        await process.wait()


async def _run(server: str, folder: str, delay: str) -> None:
    proxy = Proxy(Path(server), Path(folder))
    proxy.delay = float(delay)
    await proxy.start()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)  # It ends with the process that began it.
    proxy.stop()
    await asyncio.sleep(2 * proxy.delay)  # What was under way has ended by then.


if __name__ == "__main__":
    asyncio.run(_run(*sys.argv[1:]))
