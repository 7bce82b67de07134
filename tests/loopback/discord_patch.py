"""Points discord.py at a stand-in, and keeps the process from connecting to anything else."""

from __future__ import annotations

import asyncio.selector_events
import ipaddress
from typing import Any

import discord
import discord.gateway
import discord.http
import discord.utils
import yarl


class NotLoopback(ConnectionError):
    """The process tried to connect to an address outside this machine."""


def point_discord_at(port: int) -> None:
    """Redirect REST, gateway and assets to localhost:port and refuse all other asyncio connections.

    By name, as Discord is found: whoever takes the threads that look names up cuts the bot off.
    """
    base = f"http://localhost:{port}"
    discord.http.Route.BASE = f"{base}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://localhost:{port}/gateway")
    asset: Any = discord.Asset
    asset.BASE = f"{base}/cdn"
    if discord.utils._ActiveDecompressionContext.COMPRESSION_TYPE != "zlib-stream":
        _connect_uncompressed()
    _only_loopback()


def _connect_uncompressed() -> None:
    # with a zstd library installed discord.py asks for zstd-stream, which the stand-in does not
    # speak
    websocket: Any = discord.gateway.DiscordWebSocket
    original = websocket.from_client.__func__

    async def from_client(cls: Any, client: Any, **kwargs: Any) -> Any:
        return await original(cls, client, **(kwargs | {"compress": False}))

    websocket.from_client = classmethod(from_client)


def _only_loopback() -> None:
    loop: Any = asyncio.selector_events.BaseSelectorEventLoop
    original: Any = loop.sock_connect
    if original.__module__ == __name__:
        return

    async def sock_connect(self: Any, sock: Any, address: Any) -> None:
        if isinstance(address, tuple) and not ipaddress.ip_address(address[0]).is_loopback:
            raise NotLoopback(f"refused to connect to {address[0]}:{address[1]}")
        await original(self, sock, address)

    loop.sock_connect = sock_connect
