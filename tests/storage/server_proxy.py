"""A proxy before a PostgreSQL server, which loses the answer to a COMMIT, or goes away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.storage.postgres_server import PORT

#: The server's word that a transaction is committed.
COMMITTED = b"C\x00\x00\x00\x0bCOMMIT\x00"


class Proxy:
    """Passes connections on from a socket in a folder.

    `swallows` is asked at each COMMIT that the server has carried out: whether to cut the
    connection instead of passing the answer on. With `gone_after_cut` the proxy then ends, too.
    """

    def __init__(self, server: Path, folder: Path) -> None:
        self._server = server
        self.folder = folder
        self._socket = folder / f".s.PGSQL.{PORT}"
        self._listener: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.swallows: Callable[[], bool] = lambda: False
        self.gone_after_cut = False
        self.cuts = 0

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

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answers, requests = await asyncio.open_unix_connection(str(self._server))
        except OSError:
            writer.close()
            return
        self._writers |= {writer, requests}
        with suppress(ConnectionError):
            await asyncio.gather(
                self._pass_requests(reader, requests), self._pass_answers(answers, writer, requests)
            )
        for end in (writer, requests):
            end.close()
            self._writers.discard(end)

    async def _pass_requests(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def _pass_answers(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        requests: asyncio.StreamWriter,
    ) -> None:
        while data := await reader.read(65536):
            if COMMITTED in data and self.swallows():
                self.cuts += 1
                writer.transport.abort()
                requests.transport.abort()
                if self.gone_after_cut:
                    self.stop()
                return
            writer.write(data)
        writer.close()
