"""A chromium without a window, driven by its DevTools protocol, for tests of the local page."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp

#: Chromium's program; None on a machine without one.
CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
#: Seconds that chromium may take to start, and the page to show something.
PATIENCE: Final = 60


class Page:
    """A page in chromium, and what a test asks of it."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket: Final = socket
        self._sent = 0

    async def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol; return its result."""
        self._sent += 1
        await self._socket.send_json({"id": self._sent, "method": method, "params": parameters})
        while True:
            answer = await self._socket.receive_json(timeout=PATIENCE)
            if answer.get("id") == self._sent:
                assert "error" not in answer, answer
                return answer["result"]

    async def value(self, script: str) -> Any:
        """Return what an expression is on the page."""
        answer = await self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def wait_for(self, script: str) -> None:
        """Wait until an expression is true on the page."""
        async with asyncio.timeout(PATIENCE):
            # Nothing but the page says when it has changed.
            while not await self.value(f"Boolean({script})"):  # noqa: ASYNC110
                await asyncio.sleep(0.2)

    async def resize(self, width: int, height: int) -> None:
        """Give the page the size of a screen."""
        await self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )


def _is_written(file: Path) -> bool:
    """Return whether a file is there and says something."""
    return file.exists() and bool(file.read_text().strip())


@asynccontextmanager
async def browse(url: str, folder: Path) -> AsyncIterator[Page]:
    """Open *url* in chromium, which keeps its files in *folder*."""
    assert CHROMIUM is not None, "install chromium first"
    port_file = folder / "DevToolsActivePort"
    process = subprocess.Popen(
        [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            f"--user-data-dir={folder}",
            "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            while not _is_written(port_file):  # noqa: ASYNC110 - chromium only writes this file
                await asyncio.sleep(0.1)
        port = port_file.read_text().split()[0]
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://localhost:{port}/json/list") as answer:
                pages = [page for page in await answer.json() if page["type"] == "page"]
            async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as ws:
                page = Page(ws)
                await page.ask("Page.navigate", url=url)
                yield page
    finally:
        process.terminate()
        process.wait()
